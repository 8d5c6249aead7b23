// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Module life.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/module.h>
#include <linux/pci.h>

#include "debugfs.h"
#include "if_idpf.h"
#include "park.h"

MODULE_DESCRIPTION("RDMA driver for Intel Ethernet devices");
MODULE_LICENSE("Dual BSD/GPL");

static int __init irdma_init(void)
{
	int err;

	irdma_debugfs_init();
	err = irdma_idpf_register();
	if (err)
		irdma_debugfs_fini();
	return err;
}

static bool irdma_device_gone(struct device *dev)
{
	return !pci_device_is_present(to_pci_dev(dev));
}

static void __exit irdma_exit(void)
{
	irdma_idpf_unregister();
	irdma_park_fini(irdma_device_gone);
	irdma_debugfs_fini();
}

module_init(irdma_init);
module_exit(irdma_exit);
