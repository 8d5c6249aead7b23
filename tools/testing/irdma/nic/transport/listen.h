/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NIC_LISTEN_H
#define NIC_LISTEN_H

/*
 * Listens at the unix socket @path with mode 0600; a socket that is there already is
 * replaced, anything else is not. Returns a non-blocking descriptor; -EADDRINUSE: there
 * is a file that is no socket; -ENAMETOOLONG; else the system's -errno.
 */
int unix_listen(const char *path);

#endif
