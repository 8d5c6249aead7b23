/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */

#ifndef IRDMA_PBLE_POOL_H
#define IRDMA_PBLE_POOL_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "pbl.h"

/* Size classes of allocations up to a page: 8, 16 ... 512 entries. */
#define IRDMA_PBLE_MIN_SHIFT	3
#define IRDMA_PBLE_CLASSES	7

/**
 * struct irdma_pble_page - one hardware page of a chunk
 * @node: in the pool's list of pages with free slots of this class
 * @used: slots taken, one bit each; 0 when the page has no class
 * @chunk: chunk that the page belongs to
 * @class: size class of the slots; slots hold 8 << @class entries
 */
struct irdma_pble_page {
	struct list_head node;
	u64 used;
	struct irdma_pble_chunk *chunk;
	u8 class;
};

/**
 * struct irdma_pble_chunk - entries backed by memory at once
 * @node: in the pool's list of chunks
 * @first_idx: index of the first entry
 * @page_cnt: hardware pages, 1 to 512
 * @free_cnt: pages that belong to no allocation
 * @busy: one bit per page, set unless the page is free
 * @page_va: the pages as the CPU sees them; set by the owner of the memory
 *	     before the chunk is added to a pool
 * @pages: state of each page
 */
struct irdma_pble_chunk {
	struct list_head node;
	u32 first_idx;
	u32 page_cnt;
	u32 free_cnt;
	DECLARE_BITMAP(busy, IRDMA_HMC_SEGMENT_PAGES);
	__le64 *page_va[IRDMA_HMC_SEGMENT_PAGES];
	struct irdma_pble_page pages[] __counted_by(page_cnt);
};

/**
 * struct irdma_pble_ops - where chunks come from and go to
 * @grow: add one more chunk with irdma_pble_pool_add(); may sleep; called
 *	  without a lock, maybe by several threads at once. Returns 0; -ENOMEM
 *	  when there is no more memory or no more entries, or another errno.
 * @release: free the memory of a chunk and the chunk itself
 */
struct irdma_pble_ops {
	int (*grow)(void *ctx);
	void (*release)(void *ctx, struct irdma_pble_chunk *chunk);
};

/**
 * struct irdma_pble_pool - all page-list entries of a function
 * @lock: guards the chunks and what follows; process context
 * @chunks: chunks, oldest first
 * @partial: pages with free slots, by class
 * @total_pbles: entries of all chunks
 * @used_pbles: entries handed out, each list rounded up to what it occupies
 * @ops: where chunks come from; const after init
 * @ctx: passed to @ops; const after init
 */
struct irdma_pble_pool {
	spinlock_t lock; /* guards: chunks, partial, counts; process context */
	struct list_head chunks;
	struct list_head partial[IRDMA_PBLE_CLASSES];
	u32 total_pbles;
	u32 used_pbles;
	const struct irdma_pble_ops *ops;
	void *ctx;
};

struct irdma_pble_chunk *irdma_pble_chunk_new(u32 first_idx, u32 page_cnt);
void irdma_pble_chunk_free(struct irdma_pble_chunk *chunk);

void irdma_pble_pool_init(struct irdma_pble_pool *pool,
			  const struct irdma_pble_ops *ops, void *ctx);
void irdma_pble_pool_fini(struct irdma_pble_pool *pool);
void irdma_pble_pool_add(struct irdma_pble_pool *pool,
			 struct irdma_pble_chunk *chunk);
int irdma_pbl_alloc(struct irdma_pble_pool *pool, u64 page_cnt, u8 max_level,
		    struct irdma_pbl *pbl);
void irdma_pbl_free(struct irdma_pble_pool *pool, struct irdma_pbl *pbl);

#endif /* IRDMA_PBLE_POOL_H */
