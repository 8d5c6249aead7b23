// SPDX-License-Identifier: GPL-2.0
/*
 * Plays parts that a plain guest has nobody for: an exporter that takes its dma-bufs
 * back, and a platform that encrypts memory, so that devices reach no user memory by
 * its address.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>

/* Takes the dma-buf of the writer's file descriptor back from all that have mapped it. */
static int revoke_set(const char *text, const struct kernel_param *param)
{
	struct dma_buf *buffer;
	int fd, err;

	err = kstrtoint(text, 0, &fd);
	if (err)
		return err;
	buffer = dma_buf_get(fd);
	if (IS_ERR(buffer))
		return PTR_ERR(buffer);
	dma_resv_lock(buffer->resv, NULL);
	dma_buf_invalidate_mappings(buffer);
	dma_resv_unlock(buffer->resv);
	dma_buf_put(buffer);
	return 0;
}

static const struct kernel_param_ops revoke_ops = { .set = revoke_set };
module_param_cb(revoke, &revoke_ops, NULL, 0200);
MODULE_PARM_DESC(revoke, "file descriptor of a dma-buf to take back");

/*
 * "NETDEV 1" marks the IB device of a net device as one that cannot reach encrypted memory,
 * "NETDEV 0" as one that can.
 */
static int bounce_set(const char *text, const struct kernel_param *param)
{
	struct net_device *netdev;
	struct ib_device *device;
	char name[IFNAMSIZ];
	unsigned int on;

	static_assert(sizeof(name) == 16);
	if (sscanf(text, "%15s %u", name, &on) != 2 || on > 1)
		return -EINVAL;
	netdev = dev_get_by_name(&init_net, name);
	if (!netdev)
		return -ENODEV;
	device = ib_device_get_by_netdev(netdev, RDMA_DRIVER_UNKNOWN);
	dev_put(netdev);
	if (!device)
		return -ENODEV;
	device->cc_dma_bounce = on;
	ib_device_put(device);
	return 0;
}

static const struct kernel_param_ops bounce_ops = { .set = bounce_set };
module_param_cb(bounce, &bounce_ops, NULL, 0200);
MODULE_PARM_DESC(bounce, "net device and whether the memory of its RDMA device's users is encrypted");

MODULE_DESCRIPTION("Parts that a plain guest has nobody for");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS("DMA_BUF");
