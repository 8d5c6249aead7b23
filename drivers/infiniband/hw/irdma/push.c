// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Push pages: windows of BAR 0 into which user space writes WQEs, so that the device
 * need not read them.
 *
 * A window serves one QP at a time. It is asked of the device when the first QP wants
 * one, and kept for the next when that QP and all mappings are gone. Once the device
 * has refused, all it has are here, and it is not asked again: in its life it gets a
 * command for each window and one that it refuses, however many QPs come and go.
 * Where user space cannot map write-combining there are none: each store would be a
 * transaction.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "cqp_cmd.h"
#include "dev.h"
#include "hw_qpc.h"
#include "push.h"

/* Pages between the doorbell page and the first push page. */
#define IRDMA_PUSH_FIRST_PAGE	16
#define IRDMA_PUSH_PAGE_SHIFT	12
/* A window and its doorbell page. */
#define IRDMA_PUSH_PAGES	2

/**
 * irdma_push_offset - where a push page's window is
 * @push: page
 *
 * Return: offset of the window in BAR 0; its doorbell page follows.
 */
u64 irdma_push_offset(const struct irdma_push *push)
{
	return push->dev->db_page_offset +
	       ((IRDMA_PUSH_FIRST_PAGE + (u64)push->idx) << IRDMA_PUSH_PAGE_SHIFT);
}

/* Indices that the generation, the BAR and the QP context have room for. */
static u32 irdma_push_limit(struct irdma_dev *dev)
{
	u64 pages = pci_resource_len(dev->pdev, 0) >> IRDMA_PUSH_PAGE_SHIFT;
	u64 first = (dev->db_page_offset >> IRDMA_PUSH_PAGE_SHIFT) + IRDMA_PUSH_FIRST_PAGE;
	u32 limit = dev->parent->vf ? dev->gen->limits.push_pages_vf : dev->gen->limits.push_pages;
	const u32 named = FIELD_MAX(IRDMA_QPC_QW0_PUSH_IDX) + 1;
	u64 least;

	/* User space maps whole pages of its own size. */
	if (!arch_can_pci_mmap_wc() || PAGE_SHIFT != IRDMA_PUSH_PAGE_SHIFT || pages <= first)
		return 0;
	least = min(limit, named);
	return min(least, pages - first);
}

/**
 * irdma_pushes_init - no push page yet
 * @dev: device whose registers are known
 */
void irdma_pushes_init(struct irdma_dev *dev)
{
	spin_lock_init(&dev->pushes.lock);
	INIT_LIST_HEAD(&dev->pushes.unused);
	dev->pushes.limit = irdma_push_limit(dev);
	dev->pushes.exhausted = false;
}

/**
 * irdma_pushes_fini - give all push pages back
 * @dev: device; nobody uses a page any more
 *
 * Context: Process context; may sleep.
 */
void irdma_pushes_fini(struct irdma_dev *dev)
{
	struct irdma_push *push, *next;

	list_for_each_entry_safe(push, next, &dev->pushes.unused, link) {
		/* A device that refuses forgets the page with the control queue. */
		irdma_cmd_free_push_page(dev, push->qset, push->idx);
		kfree(push);
	}
	INIT_LIST_HEAD(&dev->pushes.unused);
}

static struct irdma_push *irdma_push_reuse(struct irdma_dev *dev)
{
	struct irdma_pushes *pushes = &dev->pushes;
	struct irdma_push *push;

	guard(spinlock)(&pushes->lock);
	push = list_first_entry_or_null(&pushes->unused, struct irdma_push, link);
	if (push)
		list_del(&push->link);
	return push;
}

/*
 * Asks the device; NULL when it has none, or one that cannot be used, which is remembered
 * until the function is brought up anew.
 */
static struct irdma_push *irdma_push_new(struct irdma_dev *dev, u16 qset)
{
	struct irdma_push *push;
	u32 idx;
	int err;

	/* Who does not see the mark yet pays a command in vain, once. */
	if (READ_ONCE(dev->pushes.exhausted))
		return NULL;
	push = kzalloc_obj(*push);
	if (!push)
		return NULL;
	err = irdma_cmd_alloc_push_page(dev, qset, &idx);
	if (!err && (idx % IRDMA_PUSH_PAGES || idx + IRDMA_PUSH_PAGES > dev->pushes.limit)) {
		irdma_cmd_free_push_page(dev, qset, idx);
		err = -EIO;
	}
	if (err)
		goto err_free;
	push->dev = dev;
	push->idx = idx;
	push->qset = qset;
	return push;

err_free:
	if (err != -ENOMEM)
		WRITE_ONCE(dev->pushes.exhausted, true);
	kfree(push);
	return NULL;
}

/**
 * irdma_alloc_push_page - a push page for a QP
 * @dev: device
 * @qset: queue set of the QP
 *
 * One that nobody uses any more, else one more of the device's.
 *
 * Context: Process context; may sleep.
 * Return: page, given back by irdma_push_put(); NULL when there is none: the QP does
 * without.
 */
struct irdma_push *irdma_alloc_push_page(struct irdma_dev *dev, u16 qset)
{
	struct irdma_push *push;

	if (!dev->pushes.limit)
		return NULL;
	push = irdma_push_reuse(dev) ?: irdma_push_new(dev, qset);
	if (push)
		refcount_set(&push->refs, 1);
	return push;
}

/**
 * irdma_push_hold - one more user of a page
 * @push: page in use
 */
void irdma_push_hold(struct irdma_push *push)
{
	refcount_inc(&push->refs);
}

/**
 * irdma_push_put - one user of a page less
 * @push: page, or NULL
 *
 * Context: Process context.
 */
void irdma_push_put(struct irdma_push *push)
{
	if (!push || !refcount_dec_and_test(&push->refs))
		return;
	guard(spinlock)(&push->dev->pushes.lock);
	list_add(&push->link, &push->dev->pushes.unused);
}
