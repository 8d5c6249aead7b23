/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Transport for QEMU (and any other vfio-user client): the server side of the
 * vfio-user protocol, version 0.0.
 */
#ifndef NIC_VFIO_USER_H
#define NIC_VFIO_USER_H

#include "../types.h"

struct nic;
struct vfio_user;

/*
 * Listens at the unix socket @path (mode 0600; an old socket there is replaced) and
 * plugs @nic into whoever connects, one machine at a time. When the machine hangs up
 * the NIC is reset to power-on and waits for the next one.
 * Returns NULL with a message in @err.
 */
struct vfio_user *vfio_user_new(struct nic *nic, const char *path, char *err, size_t err_len);
void vfio_user_free(struct vfio_user *vu);

/* Serves @fd, a connected stream socket, instead of listening; takes @fd. NULL: no memory. */
struct vfio_user *vfio_user_attach(struct nic *nic, int fd);
/* Nobody is connected (any more). */
bool vfio_user_idle(const struct vfio_user *vu);

#endif
