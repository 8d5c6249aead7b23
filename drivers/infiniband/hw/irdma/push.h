/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_PUSH_H
#define IRDMA_PUSH_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct irdma_dev;

/**
 * struct irdma_pushes - push pages that the device gave out and nobody uses
 * @lock: guards @unused; taken in process context
 * @unused: pages
 * @limit: the device's indices are below; 0: no pages are offered
 * @exhausted: the device has refused a page; stays so
 */
struct irdma_pushes {
	spinlock_t lock; /* guards: unused; process context */
	struct list_head unused;
	u32 limit;
	bool exhausted;
};

/**
 * struct irdma_push - push page: a window for WQEs, and behind it a doorbell page
 * @link: in the list of unused pages
 * @refs: one of the QP that pushes, one of each mapping
 * @dev: device
 * @idx: number of the window, counted in pages from the first push page
 * @qset: queue set that it was allocated for
 */
struct irdma_push {
	struct list_head link;
	refcount_t refs;
	struct irdma_dev *dev;
	u16 idx;
	u16 qset;
};

void irdma_pushes_init(struct irdma_dev *dev);
void irdma_pushes_fini(struct irdma_dev *dev);
struct irdma_push *irdma_alloc_push_page(struct irdma_dev *dev, u16 qset);
void irdma_push_hold(struct irdma_push *push);
void irdma_push_put(struct irdma_push *push);
u64 irdma_push_offset(const struct irdma_push *push);

#endif /* IRDMA_PUSH_H */
