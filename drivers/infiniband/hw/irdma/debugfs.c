// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the driver costs: files in the directory irdma/PCI-ADDRESS of debugfs.
 *
 * "commands" has the counters of struct irdma_cqp_stats, "memory" the host memory that
 * the device was given: for its own use, and as "queues" the rest: rings of the command
 * queue, of events and of kernel consumers, firmware's buffers and what leads the device
 * to all that. The contexts of QPs are not counted.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/debugfs.h>
#include <linux/pci.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>

#include "debugfs.h"
#include "dev.h"

static struct dentry *irdma_debugfs_root;

static int irdma_commands_show(struct seq_file *file, void *data)
{
	struct irdma_cqp *cqp = &((struct irdma_dev *)file->private)->cqp;
	struct irdma_cqp_stats stats;

	scoped_guard(spinlock_irqsave, &cqp->lock)
		stats = cqp->stats;
	seq_printf(file, "posted %llu\nended %llu\ndoorbells %llu\nwaits %llu\nsleeps %llu\nstray %llu\n",
		   stats.posted, stats.ended, stats.doorbells, stats.waits, stats.sleeps,
		   stats.stray);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(irdma_commands);

static int irdma_memory_show(struct seq_file *file, void *data)
{
	struct irdma_dev *dev = file->private;
	u64 regions = 0, lists;

	for (u32 i = 0; i < dev->hmc.mr_segments; i++)
		regions += dev->hmc.mr[i].page_cnt;
	scoped_guard(mutex, &dev->pble.grow_lock)
		lists = dev->pble.used_pages;
	regions *= SZ_4K;
	lists *= SZ_4K;
	seq_printf(file, "region_contexts %llu\npage_lists %llu\nqueues %llu\n", regions, lists,
		   (u64)atomic64_read(&dev->dma_bytes) - regions - lists);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(irdma_memory);

/**
 * irdma_debugfs_add - show a function
 * @dev: function that was brought up
 *
 * Context: Process context; may sleep.
 */
void irdma_debugfs_add(struct irdma_dev *dev)
{
	dev->debugfs = debugfs_create_dir(pci_name(dev->pdev), irdma_debugfs_root);
	debugfs_create_file("commands", 0400, dev->debugfs, dev, &irdma_commands_fops);
	debugfs_create_file("memory", 0400, dev->debugfs, dev, &irdma_memory_fops);
}

/**
 * irdma_debugfs_del - undo irdma_debugfs_add()
 * @dev: function; nobody reads its files when the function returns
 *
 * Context: Process context; may sleep.
 */
void irdma_debugfs_del(struct irdma_dev *dev)
{
	debugfs_remove(dev->debugfs);
}

/**
 * irdma_debugfs_init - the driver's directory
 *
 * Context: Module init.
 */
void irdma_debugfs_init(void)
{
	irdma_debugfs_root = debugfs_create_dir("irdma", NULL);
}

/**
 * irdma_debugfs_fini - undo irdma_debugfs_init()
 *
 * Context: Module exit.
 */
void irdma_debugfs_fini(void)
{
	debugfs_remove(irdma_debugfs_root);
}
