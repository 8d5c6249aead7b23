/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_UCTX_H
#define IRDMA_UCTX_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <rdma/irdma-abi.h>

struct irdma_dev;
struct irdma_push;

/**
 * struct irdma_mmap - a BAR page that user space may map
 * @rdma: what the core knows
 * @phys: physical address of the page
 * @push: push page that it is a part of; NULL: the doorbell page
 * @wc: map write-combining, else uncached
 */
struct irdma_mmap {
	struct rdma_user_mmap_entry rdma;
	phys_addr_t phys;
	struct irdma_push *push;
	bool wc;
};

/**
 * struct irdma_uctx - user context
 * @ib: what the core knows
 * @db: mapping of the doorbell page
 * @closing: the process has ended; a refused object is not kept for another try
 * @swept: the core has begun to destroy what the process left
 * @raw_attr: create QP carries the consumer's work-request counts
 * @lock: guards @rings; taken in process context
 * @rings: ring memory that was registered and is not used by a queue yet, by
 *	enum irdma_memreg_type
 */
struct irdma_uctx {
	struct ib_ucontext ib;
	struct rdma_user_mmap_entry *db;
	bool closing;
	bool swept;
	bool raw_attr;
	spinlock_t lock; /* guards: rings; process context */
	struct list_head rings[IRDMA_MEMREG_TYPE_SRQ + 1];
};

/**
 * struct irdma_pd - protection domain
 * @ib: what the core knows
 * @id: hardware number
 */
struct irdma_pd {
	struct ib_pd ib;
	u32 id;
};

static inline struct irdma_uctx *to_irdma_uctx(struct ib_ucontext *ib)
{
	return container_of(ib, struct irdma_uctx, ib);
}

static inline struct irdma_pd *to_irdma_pd(struct ib_pd *ib)
{
	return container_of(ib, struct irdma_pd, ib);
}

extern const struct ib_device_ops irdma_uctx_ops;

int irdma_uctx_destroy_err(struct irdma_dev *dev, const struct irdma_uctx *uctx, int err);
struct rdma_user_mmap_entry *irdma_mmap_insert(struct irdma_uctx *uctx, u64 offset,
					       struct irdma_push *push, bool wc);

#endif /* IRDMA_UCTX_H */
