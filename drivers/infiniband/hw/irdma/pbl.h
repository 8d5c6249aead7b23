/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */

#ifndef IRDMA_PBL_H
#define IRDMA_PBL_H

#include <linux/types.h>

#include "hw_fpm.h"

struct irdma_pble_chunk;
struct scatterlist;

/* Page-list entries in one page of the host memory cache; also in a leaf. */
#define IRDMA_PBLES_PER_PAGE	(IRDMA_HMC_PAGE_BYTES / IRDMA_PBLE_BYTES)
/* Most pages of a region: a root as long as a segment, and full leaves. */
#define IRDMA_PBL_MAX_PAGES						\
	((u64)IRDMA_PBLES_PER_PAGE * IRDMA_HMC_SEGMENT_PBLES)

/**
 * struct irdma_mem - a stretch of DMA-mapped memory
 * @sgl: first scatter entry; the DMA side of the list is used
 * @nents: mapped entries
 * @offset_bytes: start of the stretch, from the start of the first entry
 * @len_bytes: length of the stretch, at least 1
 *
 * Neighbouring entries may continue each other. The memory is not owned.
 */
struct irdma_mem {
	struct scatterlist *sgl;
	unsigned int nents;
	u64 offset_bytes;
	u64 len_bytes;
};

/**
 * struct irdma_pble_run - page-list entries with successive indices
 * @page_va: the hardware pages that hold the run, as the CPU sees them: one
 *	     pointer per 512 entries
 * @first: slot of the first entry in @page_va[0], 0 to 511
 * @idx: index of the first entry, as the device counts
 * @cnt: entries
 * @chunk: where the pool took the run from
 */
struct irdma_pble_run {
	__le64 **page_va;
	u32 first;
	u32 idx;
	u32 cnt;
	struct irdma_pble_chunk *chunk;
};

/**
 * struct irdma_pbl - a page list
 * @level: 0 no list, 1 one run, 2 a root whose entries are indices of leaves
 * @page_cnt: page addresses that the list holds
 * @root: level 1: the page addresses; level 2: the indices of the leaves
 * @leaf: level 2: @root.cnt leaves of 512 entries, the last one may be shorter
 */
struct irdma_pbl {
	u8 level;
	u32 page_cnt;
	struct irdma_pble_run root;
	struct irdma_pble_run *leaf;
};

/**
 * struct irdma_pbl_cursor - the next free place in a page list
 * @pbl: list that is filled
 * @run: run that is filled
 * @pos: entries of @run that are filled
 * @left: entries of the list that are not filled
 *
 * Start with { .pbl = list, .left = list->page_cnt }.
 */
struct irdma_pbl_cursor {
	const struct irdma_pbl *pbl;
	u32 run;
	u32 pos;
	u32 left;
};

int irdma_pbl_level(u64 pages, bool contig);
u64 irdma_pbl_page_cnt(u64 virt, u64 len_bytes, u8 page_shift);
int irdma_pbl_best_page(const struct irdma_mem *mem, u64 virt, u64 page_sizes,
			u8 *page_shift);
bool irdma_check_mem_contiguous(const struct irdma_mem *mem, u64 offset_bytes,
				u64 len_bytes, dma_addr_t *pa);
bool irdma_check_mr_contiguous(const struct irdma_mem *mem, u8 page_shift, dma_addr_t *pa);
__le64 *irdma_next_pbl_addr(struct irdma_pbl_cursor *cur, u32 want, u32 *got);
void irdma_pbl_link_leaves(const struct irdma_pbl *pbl);
int irdma_copy_user_pgaddrs(const struct irdma_mem *mem, u8 page_shift,
			    const struct irdma_pbl *pbl);

#endif /* IRDMA_PBL_H */
