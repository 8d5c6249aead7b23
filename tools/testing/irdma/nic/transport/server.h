/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A stream socket through which one machine at a time has the NIC: what the
 * transports have in common.
 */
#ifndef NIC_SERVER_H
#define NIC_SERVER_H

#include "../nic.h"

struct server;

struct server_ops {
	struct transport_ops transport;
	/* There is something to read from the machine. False: hang up. */
	bool (*receive)(struct server *s);
	/* The machine is gone and the NIC is reset: forget what belonged to it. */
	void (*gone)(struct server *s);
};

/**
 * struct server - embedded by a transport
 * @fd: the machine's connection; -1: nobody is connected
 * @listen_fd: -1 when attached to a connection of the caller's
 * @path: socket file that is removed in the end, or NULL
 */
struct server {
	struct transport tp;
	const struct server_ops *ops;
	struct nic *nic;
	int fd, listen_fd;
	char *path;
};

void server_init(struct server *s, struct nic *nic, const struct server_ops *ops);

/*
 * Listens at the unix socket @path (see unix_listen()). The NIC belongs to who connects
 * until he hangs up; then it is reset to power-on, and the next one has his turn.
 * False with a message in @err.
 */
bool server_listen(struct server *s, const char *path, char *err, size_t err_len);

/* Serves @fd, a connected stream socket, and takes it. Returns false when it cannot. */
bool server_attach(struct server *s, int fd);

/* Ends the connection, if there is one. */
void server_hang_up(struct server *s);

/* Hangs up, listens no longer. */
void server_stop(struct server *s);

#endif
