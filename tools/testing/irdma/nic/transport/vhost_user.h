/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Transport for User Mode Linux: the virtio_pcidev protocol of
 * <linux/virtio_pcidev.h> over a vhost-user back end.
 */
#ifndef NIC_VHOST_USER_H
#define NIC_VHOST_USER_H

#include "../types.h"

struct nic;
struct vhost_user;

/*
 * Listens at the unix socket @path (mode 0600; an old socket there is replaced)
 * and plugs @nic into whoever connects, one machine at a time. When the machine
 * hangs up the NIC is reset to power-on and waits for the next one.
 * Returns NULL with a message in @err.
 */
struct vhost_user *vhost_user_new(struct nic *nic, const char *path, char *err, size_t err_len);
void vhost_user_free(struct vhost_user *vu);

/* Serves @fd, a connected stream socket, instead of listening; takes @fd. NULL: no memory. */
struct vhost_user *vhost_user_attach(struct nic *nic, int fd);
/* Nobody is connected (any more). */
bool vhost_user_idle(const struct vhost_user *vu);

#endif
