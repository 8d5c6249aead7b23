// SPDX-License-Identifier: GPL-2.0
/*
 * Datagram socket ports, as QEMU's -netdev dgram speaks: one frame, one datagram.
 *
 * A peer that is not there yet loses frames, as a cable without an end would. A
 * unix peer whose queue is full (the kernel keeps ten) is asked again every
 * RETRY_NS, frames wait meanwhile.
 */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "socket.h"

#define RETRY_NS	100000ull
#define READ_BUDGET	64

/**
 * struct dgram - one datagram port
 * @peer: where frames go; unused (@peer_len 0) when the socket is connected
 * @wait: frames that the socket did not take yet
 * @path: of the bound unix socket, to be removed; empty for UDP
 */
struct dgram {
	struct wire_port *port;
	struct loop *loop;
	int fd;
	struct sockaddr_un peer;
	socklen_t peer_len;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	struct frame_queue wait;
	struct loop_timer retry;
};

/* False: try again later. Any other error loses the frame. */
static bool dgram_put(struct dgram *d, const struct frame *f)
{
	const struct sockaddr *peer = d->peer_len ? (struct sockaddr *)&d->peer : NULL;
	ssize_t n = sendto(d->fd, f->data, f->len, MSG_NOSIGNAL, peer, d->peer_len);

	if (n < 0 && (errno == EAGAIN || errno == ENOBUFS))
		return false;
	if (n < 0)
		d->port->stats.dropped_link++;
	return true;
}

static void dgram_retry(void *arg)
{
	struct dgram *d = arg;

	while (d->wait.count && dgram_put(d, d->wait.slot[d->wait.head]))
		frame_put(frame_queue_get(&d->wait));
	if (d->wait.count)
		timer_arm(&d->retry, RETRY_NS);
}

static void dgram_rx(void *arg, struct frame *f)
{
	struct dgram *d = arg;

	if (!d->wait.count && dgram_put(d, f))
		return;
	if (!frame_queue_put(&d->wait, f)) {
		d->port->stats.dropped_queue++;
		return;
	}
	frame_get(f);
	if (!timer_armed(&d->retry))
		timer_arm(&d->retry, RETRY_NS);
}

static void dgram_event(void *arg, u32 events)
{
	struct dgram *d = arg;
	u8 buf[WIRE_FRAME_MAX];

	(void)events;
	for (int i = 0; i < READ_BUDGET; i++) {
		ssize_t n = recv(d->fd, buf, sizeof(buf), MSG_TRUNC);
		struct frame *f;

		if (n < 0 && errno == ECONNREFUSED)
			continue;	/* the late echo of a frame that met nobody */
		if (n < 0)
			return;
		f = frame_new(n);
		if (!f)
			continue;
		memcpy(f->data, buf, n);
		wire_send(d->port, f);
	}
}

static void dgram_close(void *kind)
{
	struct dgram *d = kind;

	timer_cancel(&d->retry);
	if (d->fd >= 0) {
		loop_fd_del(d->loop, d->fd);
		close(d->fd);
	}
	if (*d->path)
		unlink(d->path);
	frame_queue_clear(&d->wait);
	free(d);
}

/* NULL with a message; @fd is the port's from here, on failure closed. */
static struct dgram *dgram_new(struct wire *wire, const char *name, int fd,
			       char *err, size_t err_len)
{
	struct dgram *d = calloc(1, sizeof(*d));

	if (d)
		d->port = wire_port_new(wire, name, dgram_rx, d);
	if (!d || !d->port) {
		snprintf(err, err_len, "%s: the name is too long or taken", name);
		free(d);
		close(fd);
		return NULL;
	}
	d->loop = wire->loop;
	d->fd = fd;
	d->port->close = dgram_close;
	d->port->kind = d;
	timer_init(&d->retry, wire->loop, dgram_retry, d);
	if (loop_fd_add(wire->loop, fd, EPOLLIN, dgram_event, d)) {
		socket_error(err, err_len, name);
		wire_port_free(d->port);
		return NULL;
	}
	return d;
}

struct wire_port *dgram_unix(struct wire *wire, const char *name, const char *local,
			     const char *peer, char *err, size_t err_len)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct sockaddr_un addr, to;
	struct dgram *d;
	mode_t old;
	int ret;

	if (fd < 0) {
		socket_error(err, err_len, name);
		return NULL;
	}
	if (!unix_address(&addr, local, err, err_len) || !unix_address(&to, peer, err, err_len)) {
		close(fd);
		return NULL;
	}
	old = umask(0177);
	ret = bind(fd, (struct sockaddr *)&addr, sizeof(addr));
	umask(old);
	if (ret) {
		socket_error(err, err_len, local);
		close(fd);
		return NULL;
	}
	d = dgram_new(wire, name, fd, err, err_len);
	if (!d) {
		unlink(local);
		return NULL;
	}
	strcpy(d->path, local);
	d->peer = to;
	d->peer_len = sizeof(to);
	return d->port;
}

/* A socket bound to @local_port and connected to the first address that works, or -1. */
static int udp_socket(const char *local_port, const char *peer_host, const char *peer_port,
		      char *err, size_t err_len)
{
	struct addrinfo hints = { .ai_socktype = SOCK_DGRAM }, *to, *from;
	int fd = -1, ret;

	ret = getaddrinfo(peer_host, peer_port, &hints, &to);
	if (ret) {
		snprintf(err, err_len, "%s:%s: %s", peer_host, peer_port, gai_strerror(ret));
		return -1;
	}
	hints.ai_family = to->ai_family;
	hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
	ret = getaddrinfo(NULL, local_port, &hints, &from);
	if (ret) {
		snprintf(err, err_len, "port %s: %s", local_port, gai_strerror(ret));
		freeaddrinfo(to);
		return -1;
	}
	fd = socket(to->ai_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, from->ai_addr, from->ai_addrlen) ||
	    connect(fd, to->ai_addr, to->ai_addrlen)) {
		socket_error(err, err_len, "udp");
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	freeaddrinfo(from);
	freeaddrinfo(to);
	return fd;
}

struct wire_port *dgram_udp(struct wire *wire, const char *name, const char *local_port,
			    const char *peer_host, const char *peer_port,
			    char *err, size_t err_len)
{
	int fd = udp_socket(local_port, peer_host, peer_port, err, err_len);
	struct dgram *d;

	if (fd < 0)
		return NULL;
	d = dgram_new(wire, name, fd, err, err_len);
	return d ? d->port : NULL;
}
