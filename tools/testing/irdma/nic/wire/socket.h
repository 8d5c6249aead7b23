/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ports that are sockets. A kind of socket is a row of ops; what it has in
 * common with the others is here.
 */
#ifndef NIC_WIRE_SOCKET_H
#define NIC_WIRE_SOCKET_H

#include "switch.h"

/* Writes "@what: strerror(errno)" to @err and returns false. */
bool socket_error(char *err, size_t err_len, const char *what);
/* False with a message when @path does not fit a sockaddr_un. */
struct sockaddr_un;
bool unix_address(struct sockaddr_un *addr, const char *path, char *err, size_t err_len);

/* Each makes its port, or returns NULL with a message in @err. */
struct wire_port *stream_listen(struct wire *wire, const char *name, const char *path,
				char *err, size_t err_len);
struct wire_port *stream_connect(struct wire *wire, const char *name, const char *path,
				 char *err, size_t err_len);
struct wire_port *dgram_unix(struct wire *wire, const char *name, const char *local,
			     const char *peer, char *err, size_t err_len);
struct wire_port *dgram_udp(struct wire *wire, const char *name, const char *local_port,
			    const char *peer_host, const char *peer_port,
			    char *err, size_t err_len);

#endif
