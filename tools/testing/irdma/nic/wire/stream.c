// SPDX-License-Identifier: GPL-2.0
/*
 * Stream socket ports, as QEMU's -netdev stream speaks: a 32-bit big-endian
 * length before each frame.
 *
 * One peer at a time. A listening port takes the next peer when the present one
 * has gone; a connecting port tries again every RETRY_NS. While nobody is
 * there, frames are dropped and counted as on a link that is down.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../transport/listen.h"
#include "socket.h"

#define RETRY_NS	100000000ull
#define HDR		4u
#define BUF_FRAMES	64u
#define BUF_SIZE	(BUF_FRAMES * (HDR + WIRE_FRAME_MAX))

/**
 * struct stream - one stream port
 * @fd: the connection; -1: none
 * @listen_fd: -1 for a port that connects
 * @in: bytes read and not yet made into frames
 * @out: bytes that the socket did not take yet, from @out_pos
 */
struct stream {
	struct wire_port *port;
	struct loop *loop;
	struct sockaddr_un addr;
	int fd, listen_fd;
	struct loop_timer retry;
	u32 in_len, out_pos, out_len;
	u8 in[BUF_SIZE], out[BUF_SIZE];
};

static void stream_down(struct stream *s)
{
	if (s->fd < 0)
		return;
	loop_fd_del(s->loop, s->fd);
	close(s->fd);
	s->fd = -1;
	s->in_len = 0;
	s->out_pos = 0;
	s->out_len = 0;
	if (s->listen_fd >= 0)
		loop_fd_mod(s->loop, s->listen_fd, EPOLLIN);
	else
		timer_arm(&s->retry, RETRY_NS);
}

/* False: the peer breaks the framing. */
static bool take_frames(struct stream *s)
{
	u32 pos = 0;

	while (s->in_len - pos >= HDR) {
		u32 len = get32be(s->in + pos);
		struct frame *f;

		if (!len || len > WIRE_FRAME_MAX)
			return false;
		if (s->in_len - pos < HDR + len)
			break;
		f = frame_new(len);
		if (f) {
			memcpy(f->data, s->in + pos + HDR, len);
			wire_send(s->port, f);
		}
		pos += HDR + len;
	}
	s->in_len -= pos;
	memmove(s->in, s->in + pos, s->in_len);
	return true;
}

static void stream_read(struct stream *s)
{
	ssize_t n = recv(s->fd, s->in + s->in_len, BUF_SIZE - s->in_len, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		stream_down(s);
		return;
	}
	s->in_len += n;
	if (!take_frames(s))
		stream_down(s);
}

static void stream_write(struct stream *s)
{
	ssize_t n = send(s->fd, s->out + s->out_pos, s->out_len, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			stream_down(s);
		return;
	}
	s->out_pos += n;
	s->out_len -= n;
	if (!s->out_len) {
		s->out_pos = 0;
		loop_fd_mod(s->loop, s->fd, EPOLLIN);
	}
}

static void stream_event(void *arg, u32 events)
{
	struct stream *s = arg;

	if (events & EPOLLOUT)
		stream_write(s);
	if (s->fd >= 0 && events & ~(u32)EPOLLOUT)
		stream_read(s);
}

static void stream_up(struct stream *s, int fd)
{
	s->fd = fd;
	if (loop_fd_add(s->loop, fd, EPOLLIN, stream_event, s)) {
		s->fd = -1;
		close(fd);
	}
}

static void stream_accept(void *arg, u32 events)
{
	struct stream *s = arg;
	int fd = accept(s->listen_fd, NULL, NULL);

	(void)events;
	if (fd < 0)
		return;
	stream_up(s, fd);
	if (s->fd >= 0)
		loop_fd_mod(s->loop, s->listen_fd, 0);
}

static void stream_try(void *arg)
{
	struct stream *s = arg;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd >= 0 && !connect(fd, (struct sockaddr *)&s->addr, sizeof(s->addr)))
		stream_up(s, fd);
	else if (fd >= 0)
		close(fd);
	if (s->fd < 0)
		timer_arm(&s->retry, RETRY_NS);
}

/* A frame for the peer: behind what still waits, and at once as far as the socket takes it. */
static void stream_rx(void *arg, struct frame *f)
{
	struct stream *s = arg;
	bool waited = s->out_len;
	u8 *to;

	if (s->fd < 0) {
		s->port->stats.dropped_link++;
		return;
	}
	if (s->out_pos + s->out_len + HDR + f->len > BUF_SIZE) {
		memmove(s->out, s->out + s->out_pos, s->out_len);
		s->out_pos = 0;
	}
	if (s->out_len + HDR + f->len > BUF_SIZE) {
		s->port->stats.dropped_queue++;
		return;
	}
	to = s->out + s->out_pos + s->out_len;
	put32be(to, f->len);
	memcpy(to + HDR, f->data, f->len);
	s->out_len += HDR + f->len;
	if (waited)
		return;
	stream_write(s);
	if (s->fd >= 0 && s->out_len)
		loop_fd_mod(s->loop, s->fd, EPOLLIN | EPOLLOUT);
}

static void stream_close(void *kind)
{
	struct stream *s = kind;

	timer_cancel(&s->retry);
	if (s->fd >= 0) {
		loop_fd_del(s->loop, s->fd);
		close(s->fd);
	}
	if (s->listen_fd >= 0) {
		loop_fd_del(s->loop, s->listen_fd);
		close(s->listen_fd);
		unlink(s->addr.sun_path);
	}
	free(s);
}

static struct stream *stream_new(struct wire *wire, const char *name, const char *path,
				 char *err, size_t err_len)
{
	struct stream *s = calloc(1, sizeof(*s));

	if (!s) {
		socket_error(err, err_len, name);
		return NULL;
	}
	s->loop = wire->loop;
	s->fd = -1;
	s->listen_fd = -1;
	timer_init(&s->retry, wire->loop, stream_try, s);
	if (!unix_address(&s->addr, path, err, err_len)) {
		free(s);
		return NULL;
	}
	s->port = wire_port_new(wire, name, stream_rx, s);
	if (!s->port) {
		snprintf(err, err_len, "%s: the name is too long or taken", name);
		free(s);
		return NULL;
	}
	s->port->close = stream_close;
	s->port->kind = s;
	return s;
}

static bool start_listening(struct stream *s)
{
	int fd = unix_listen(s->addr.sun_path);
	int err = fd < 0 ? fd : loop_fd_add(s->loop, fd, EPOLLIN, stream_accept, s);

	if (!err) {
		s->listen_fd = fd;
		return true;
	}
	if (fd >= 0)
		close(fd);
	errno = -err;
	return false;
}

struct wire_port *stream_listen(struct wire *wire, const char *name, const char *path,
				char *err, size_t err_len)
{
	struct stream *s = stream_new(wire, name, path, err, err_len);

	if (!s)
		return NULL;
	if (!start_listening(s)) {
		socket_error(err, err_len, path);
		wire_port_free(s->port);
		return NULL;
	}
	return s->port;
}

struct wire_port *stream_connect(struct wire *wire, const char *name, const char *path,
				 char *err, size_t err_len)
{
	struct stream *s = stream_new(wire, name, path, err, err_len);

	if (!s)
		return NULL;
	stream_try(s);
	return s->port;
}
