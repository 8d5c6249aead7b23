/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_UMEM_H
#define IRDMA_UMEM_H

#include <linux/bits.h>
#include <linux/types.h>
#include <rdma/ib_umem.h>

#include "cqp_wqe.h"
#include "pbl.h"

struct irdma_dev;

/**
 * struct irdma_map - memory as the device reaches it
 * @mem: the memory
 * @pa: bus address of the first page when there is no page list
 * @pbl: page list; level 0: there is none, the memory is contiguous
 * @page_cnt: pages of the device's size
 * @page_shift: log2 of that size in bytes
 */
struct irdma_map {
	struct irdma_mem mem;
	dma_addr_t pa;
	struct irdma_pbl pbl;
	u64 page_cnt;
	u8 page_shift;
};

/* Pages of a queue's ring, whatever the size of the CPU's pages. */
#define IRDMA_RING_PAGE_SHIFT	12
#define IRDMA_RING_PAGE_BYTES	BIT(IRDMA_RING_PAGE_SHIFT)

struct irdma_mem irdma_umem_mem(struct ib_umem *umem);
void irdma_umem_release(struct irdma_dev *dev, struct ib_umem *umem);
int irdma_setup_pbles(struct irdma_dev *dev, struct irdma_map *map, u64 virt, u64 page_sizes);
int irdma_map_ring(struct irdma_dev *dev, struct irdma_map *map);
void irdma_unmap(struct irdma_dev *dev, struct irdma_map *map);
struct irdma_mem_ref irdma_map_ref(const struct irdma_map *map);
bool irdma_map_page(const struct irdma_map *map, u32 page, dma_addr_t *pa);

#endif /* IRDMA_UMEM_H */
