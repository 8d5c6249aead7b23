// SPDX-License-Identifier: GPL-2.0
#include "listen.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int remove_old(const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -EADDRINUSE;
	return unlink(path) ? -errno : 0;
}

static int bind_private(int fd, const struct sockaddr_un *addr)
{
	mode_t old = umask(0177);
	int err = bind(fd, (const struct sockaddr *)addr, sizeof(*addr)) ? -errno : 0;

	umask(old);
	return err;
}

int unix_listen(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd, err;

	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	strcpy(addr.sun_path, path);
	err = remove_old(path);
	if (err)
		return err;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	err = bind_private(fd, &addr);
	if (!err && listen(fd, 8))
		err = -errno;
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}
