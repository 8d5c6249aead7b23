// SPDX-License-Identifier: GPL-2.0
#include "server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../loop.h"
#include "../trace.h"
#include "dma.h"
#include "listen.h"

void server_init(struct server *s, struct nic *nic, const struct server_ops *ops)
{
	*s = (struct server) {
		.tp.ops = &ops->transport, .ops = ops, .nic = nic, .fd = -1, .listen_fd = -1,
	};
}

static void readable(void *arg, u32 events)
{
	struct server *s = arg;

	(void)events;
	if (!s->ops->receive(s))
		server_hang_up(s);
}

bool server_attach(struct server *s, int fd)
{
	if (loop_fd_add(s->nic->loop, fd, EPOLLIN, readable, s)) {
		close(fd);
		return false;
	}
	s->fd = fd;
	s->nic->tp = &s->tp;
	TRACE(s->nic, T_PCI, "machine connected");
	return true;
}

static void acceptable(void *arg, u32 events)
{
	struct server *s = arg;
	int fd = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)events;
	/* the next machine waits in the backlog until this one has gone */
	if (fd >= 0 && server_attach(s, fd))
		loop_fd_mod(s->nic->loop, s->listen_fd, 0);
}

static int start_listening(struct server *s, const char *path)
{
	int fd = unix_listen(path);

	if (fd < 0)
		return fd;
	s->listen_fd = fd;
	s->path = strdup(path);
	if (!s->path)
		return -ENOMEM;
	return loop_fd_add(s->nic->loop, fd, EPOLLIN, acceptable, s);
}

bool server_listen(struct server *s, const char *path, char *err, size_t err_len)
{
	int ret = start_listening(s, path);

	if (ret)
		snprintf(err, err_len, "%s: %s", path, strerror(-ret));
	return !ret;
}

void server_hang_up(struct server *s)
{
	if (s->fd < 0)
		return;
	TRACE(s->nic, T_PCI, "machine gone");
	loop_fd_del(s->nic->loop, s->fd);
	close(s->fd);
	s->fd = -1;
	s->nic->tp = NULL;
	nic_reset(s->nic, NIC_RESET_POWER_ON);
	dma_unmap_all(s->nic->dma);
	s->ops->gone(s);
	if (s->listen_fd >= 0)
		loop_fd_mod(s->nic->loop, s->listen_fd, EPOLLIN);
}

void server_stop(struct server *s)
{
	server_hang_up(s);
	if (s->listen_fd >= 0) {
		loop_fd_del(s->nic->loop, s->listen_fd);
		close(s->listen_fd);
		s->listen_fd = -1;
	}
	if (s->path)
		unlink(s->path);
	free(s->path);
	s->path = NULL;
}
