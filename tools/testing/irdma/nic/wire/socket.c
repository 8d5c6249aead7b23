// SPDX-License-Identifier: GPL-2.0
/* Socket ports: reading the specification of one. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "socket.h"

#define SPEC_MAX	512u

bool socket_error(char *err, size_t err_len, const char *what)
{
	snprintf(err, err_len, "%s: %s", what, strerror(errno));
	return false;
}

bool unix_address(struct sockaddr_un *addr, const char *path, char *err, size_t err_len)
{
	*addr = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (!*path || strlen(path) >= sizeof(addr->sun_path)) {
		snprintf(err, err_len, "%s: a socket's path has 1 to %zu bytes", path,
			 sizeof(addr->sun_path) - 1);
		return false;
	}
	strcpy(addr->sun_path, path);
	return true;
}

/* What follows "@kind:" in @spec, or NULL. */
static char *after(char *spec, const char *kind)
{
	size_t n = strlen(kind);

	return !strncmp(spec, kind, n) && spec[n] == ':' ? spec + n + 1 : NULL;
}

/* Ends the string at @colon and returns what comes behind it. */
static char *cut(char *colon)
{
	*colon = 0;
	return colon + 1;
}

static struct wire_port *udp_port(struct wire *wire, const char *name, char *rest,
				  char *err, size_t err_len)
{
	char *first = strchr(rest, ':'), *last = strrchr(rest, ':');

	if (!first || first == last) {
		snprintf(err, err_len, "udp:LOCALPORT:PEERHOST:PEERPORT expected");
		return NULL;
	}
	return dgram_udp(wire, name, rest, cut(first), cut(last), err, err_len);
}

static struct wire_port *dgram_port(struct wire *wire, const char *name, char *rest,
				    char *err, size_t err_len)
{
	char *colon = strchr(rest, ':');

	if (!colon) {
		snprintf(err, err_len, "unix-dgram:LOCAL:PEER expected");
		return NULL;
	}
	return dgram_unix(wire, name, rest, cut(colon), err, err_len);
}

struct wire_port *wire_socket_port_new(struct wire *wire, const char *name, const char *spec,
				       char *err, size_t err_len)
{
	char copy[SPEC_MAX], *rest;

	if (strlen(spec) >= sizeof(copy)) {
		snprintf(err, err_len, "a port's specification has at most %u bytes", SPEC_MAX - 1);
		return NULL;
	}
	strcpy(copy, spec);
	rest = after(copy, "unix-listen");
	if (rest)
		return stream_listen(wire, name, rest, err, err_len);
	rest = after(copy, "unix-dgram");
	if (rest)
		return dgram_port(wire, name, rest, err, err_len);
	rest = after(copy, "unix");
	if (rest)
		return stream_connect(wire, name, rest, err, err_len);
	rest = after(copy, "udp");
	if (rest)
		return udp_port(wire, name, rest, err, err_len);
	snprintf(err, err_len, "%s: unix-listen:, unix:, unix-dgram: or udp: expected", spec);
	return NULL;
}
