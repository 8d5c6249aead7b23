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

struct irdma_dev;
struct irdma_uctx;

/**
 * struct irdma_mr - memory region, or a queue's memory that was registered beforehand
 * @ib: what the core knows
 * @umem: pinned user memory; NULL for kernel memory
 * @map: the memory as the device reaches it
 * @type: what it is for; all below @live is for rings only
 * @stag: key; 0: none yet
 * @access: IB_ACCESS_* mask that it was registered with
 * @live: the device knows the key
 * @link: in the context's list of unused ring memory
 * @va: address by which a create command names the ring
 * @ring: pages of the ring, as user space divides them
 * @used: a queue uses the memory; guarded by the context's lock
 */
struct irdma_mr {
	struct ib_mr ib;
	struct ib_umem *umem;
	struct irdma_map map;
	enum irdma_memreg_type type;
	u32 stag;
	int access;
	bool live;
	struct list_head link;
	u64 va;
	struct irdma_ring_mem ring;
	bool used;
};

static inline struct irdma_mr *to_irdma_mr(struct ib_mr *ib)
{
	return container_of(ib, struct irdma_mr, ib);
}

extern const struct ib_device_ops irdma_mr_ops;

/* Pages of a fast-register list. */
#define IRDMA_FAST_REG_PAGES_MAX	262144

int irdma_create_stag(struct irdma_dev *dev, u32 *stag);
void irdma_free_stag(struct irdma_dev *dev, u32 stag);
struct irdma_mr *irdma_get_pbl(struct irdma_uctx *uctx, enum irdma_memreg_type type, u64 va);
void irdma_put_pbl(struct irdma_uctx *uctx, struct irdma_mr *mr);
struct ib_mr *irdma_reg_phys_mr(struct ib_pd *pd, u64 addr, u64 size, int access,
				u64 *iova_start, bool dma_mr);

#endif /* IRDMA_MR_H */
