// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Growing the pool of page-list entries from the host memory cache.
 *
 * Nothing is backed before the first list is asked for. Then the pool grows by a
 * segment of 2 MiB at a time, and does not shrink before the function stops.
 *
 * Lock order: irdma_pble.grow_lock is outside irdma_cqp.lock.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <linux/slab.h>

#include "dev.h"
#include "pble.h"
#include "trace.h"

static int irdma_pble_back(struct irdma_dev *dev, const struct irdma_pble_extent *extent)
{
	struct irdma_pble_mem *mem = kzalloc_obj(*mem);
	int err;

	if (!mem)
		return -ENOMEM;
	mem->chunk = irdma_pble_chunk_new(extent->first_pble, extent->page_cnt);
	if (!mem->chunk) {
		kfree(mem);
		return -ENOMEM;
	}
	err = irdma_backing_alloc(dev, &mem->backing, extent->segment, extent->first_page,
				  extent->page_cnt);
	if (err) {
		irdma_pble_chunk_free(mem->chunk);
		kfree(mem);
		return err;
	}
	for (u32 i = 0; i < extent->page_cnt; i++)
		mem->chunk->page_va[i] = irdma_backing_page(&mem->backing, i);
	list_add_tail(&mem->node, &dev->pble.mem);
	dev->pble.used_pages += extent->page_cnt;
	trace_irdma_pble_grow(dev, extent);
	irdma_pble_pool_add(&dev->pble.pool, mem->chunk);
	return 0;
}

static int irdma_pble_grow(void *ctx)
{
	struct irdma_dev *dev = ctx;
	struct irdma_pble_extent extent;
	int err;

	guard(mutex)(&dev->pble.grow_lock);
	err = irdma_fpm_next_pbles(&dev->hmc.fpm, dev->pble.used_pages, &extent);
	return err ?: irdma_pble_back(dev, &extent);
}

/* The memory itself stays until the engine has stopped. */
static void irdma_pble_release(void *ctx, struct irdma_pble_chunk *chunk)
{
	irdma_pble_chunk_free(chunk);
}

static const struct irdma_pble_ops irdma_pble_ops = {
	.grow = irdma_pble_grow,
	.release = irdma_pble_release,
};

/**
 * irdma_pble_init - an empty pool that can grow
 * @dev: device whose host memory cache is laid out
 */
void irdma_pble_init(struct irdma_dev *dev)
{
	mutex_init(&dev->pble.grow_lock);
	INIT_LIST_HEAD(&dev->pble.mem);
	irdma_pble_pool_init(&dev->pble.pool, &irdma_pble_ops, dev);
}

/**
 * irdma_pble_fini - free the pool and the memory behind it
 * @dev: device; no list is left and the engine has stopped
 *
 * Context: Process context; may sleep.
 */
void irdma_pble_fini(struct irdma_dev *dev)
{
	struct irdma_pble_mem *mem, *next;

	irdma_pble_pool_fini(&dev->pble.pool);
	list_for_each_entry_safe(mem, next, &dev->pble.mem, node) {
		irdma_backing_free(dev, &mem->backing);
		kfree(mem);
	}
	INIT_LIST_HEAD(&dev->pble.mem);
	dev->pble.used_pages = 0;
}
