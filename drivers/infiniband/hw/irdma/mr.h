/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_MR_H
#define IRDMA_MR_H

#include <linux/list.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <rdma/irdma-abi.h>

#include "ring_buf.h"
#include "umem.h"

struct irdma_batch;
struct irdma_dev;
struct irdma_uctx;

/**
 * struct irdma_ring_reg - a queue's memory
 * @va: address by which a create command names it
 * @pages: how it is divided
 * @link: in the context's list, while no queue uses it
 * @used: a queue uses it; guarded by the context's lock
 * @attr: it came with the create command: no list knows it and it goes with the queue
 */
struct irdma_ring_reg {
	u64 va;
	struct irdma_ring_mem pages;
	struct list_head link;
	bool used;
	bool attr;
};

/**
 * struct irdma_mr - memory region, or a queue's memory
 * @ib: what the core knows
 * @type: what it is for
 * @live: the device knows the key
 * @stag: key; 0: none yet
 * @access: IB_ACCESS_* mask that it was registered with
 * @map: the memory as the device reaches it
 * @umem: pinned user memory; NULL for kernel memory
 * @reg: of memory for a queue
 */
struct irdma_mr {
	struct ib_mr ib;
	enum irdma_memreg_type type;
	bool live;
	u32 stag;
	int access;
	struct irdma_map map;
	struct ib_umem *umem;
	struct irdma_ring_reg reg;
};

static inline struct irdma_mr *to_irdma_mr(struct ib_mr *ib)
{
	return container_of(ib, struct irdma_mr, ib);
}

extern const struct ib_device_ops irdma_mr_ops;

/* Pages of a fast-register list. */
#define IRDMA_FAST_REG_PAGES_MAX	262144

bool irdma_mr_reap(void *object, struct irdma_batch *batch);
void irdma_mr_reaped(void *object, int err);
int irdma_create_stag(struct irdma_dev *dev, u32 *stag);
void irdma_free_stag(struct irdma_dev *dev, u32 stag);
struct irdma_mr *irdma_get_pbl(struct irdma_uctx *uctx, enum irdma_memreg_type type, u64 va);
struct irdma_mr *irdma_get_q_mem(struct irdma_uctx *uctx, enum irdma_memreg_type type,
				 struct ib_umem *umem, u64 va,
				 const struct irdma_ring_mem *pages);
void irdma_put_pbl(struct irdma_uctx *uctx, struct irdma_mr *mr);
struct ib_mr *irdma_reg_phys_mr(struct ib_pd *pd, u64 pa, u64 bytes, int rights, u64 *iova,
				bool all_memory);

#endif /* IRDMA_MR_H */
