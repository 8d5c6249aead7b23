// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The pool of page-list entries (PBLEs).
 *
 * The pool is made of chunks, and a chunk of hardware pages of 512 entries.
 * A page is free, or belongs to a size class and is cut into equal slots, or
 * is part of one allocation longer than a page. So small lists never cross a
 * page, never lie between two long ones, and cost the same however full the
 * pool is; a long list needs pages in a row, and when there are none it is
 * cut into a root and leaves of a page each.
 *
 * Invariants: a page is in the list of its class exactly when it has both
 * taken and free slots; used_pbles is the sum over all lists handed out; a
 * failed allocation leaves the pool as it was, except for growth.
 *
 * Locks: pool->lock, innermost, never held while memory is allocated or the
 * pool grows.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <linux/bitmap.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "pble_pool.h"

static u32 irdma_pble_slot_pbles(u8 class)
{
	return BIT(class + IRDMA_PBLE_MIN_SHIFT);
}

static u8 irdma_pble_class(u32 cnt)
{
	u8 shift = max(order_base_2(cnt), IRDMA_PBLE_MIN_SHIFT);

	return shift - IRDMA_PBLE_MIN_SHIFT;
}

/* Value of page->used when all slots are taken. */
static u64 irdma_pble_full(u8 class)
{
	return GENMASK_ULL(IRDMA_PBLES_PER_PAGE / irdma_pble_slot_pbles(class) - 1,
			   0);
}

/**
 * irdma_pble_chunk_new - a chunk without memory
 * @first_idx: index of the first entry; it begins a hardware page
 * @page_cnt: hardware pages
 *
 * The caller sets chunk->page_va[] and hands the chunk to
 * irdma_pble_pool_add() or back to irdma_pble_chunk_free().
 *
 * Context: Process context; may sleep.
 * Return: the chunk; NULL when @page_cnt is not 1 to 512 or without memory.
 */
struct irdma_pble_chunk *irdma_pble_chunk_new(u32 first_idx, u32 page_cnt)
{
	struct irdma_pble_chunk *chunk;

	if (!page_cnt || page_cnt > IRDMA_HMC_SEGMENT_PAGES)
		return NULL;
	chunk = kvzalloc_flex(*chunk, pages, page_cnt);
	if (!chunk)
		return NULL;
	chunk->first_idx = first_idx;
	chunk->page_cnt = page_cnt;
	chunk->free_cnt = page_cnt;
	for (u32 i = 0; i < page_cnt; i++) {
		INIT_LIST_HEAD(&chunk->pages[i].node);
		chunk->pages[i].chunk = chunk;
	}
	return chunk;
}

/**
 * irdma_pble_chunk_free - free a chunk that is in no pool
 * @chunk: chunk; its memory belongs to the caller
 */
void irdma_pble_chunk_free(struct irdma_pble_chunk *chunk)
{
	kvfree(chunk);
}

/**
 * irdma_pble_pool_init - an empty pool
 * @pool: pool
 * @ops: where chunks come from; outlives the pool
 * @ctx: passed to @ops
 */
void irdma_pble_pool_init(struct irdma_pble_pool *pool,
			  const struct irdma_pble_ops *ops, void *ctx)
{
	*pool = (struct irdma_pble_pool){ .ops = ops, .ctx = ctx };
	spin_lock_init(&pool->lock);
	INIT_LIST_HEAD(&pool->chunks);
	for (u8 class = 0; class < IRDMA_PBLE_CLASSES; class++)
		INIT_LIST_HEAD(&pool->partial[class]);
}

/**
 * irdma_pble_pool_fini - release all chunks
 * @pool: pool whose lists were all freed, or all zero
 *
 * Lists still allocated lose their memory, with a warning.
 *
 * Context: Process context; may sleep.
 */
void irdma_pble_pool_fini(struct irdma_pble_pool *pool)
{
	struct irdma_pble_chunk *chunk, *next;

	if (!pool->ops)
		return;
	WARN_ON_ONCE(pool->used_pbles);
	list_for_each_entry_safe(chunk, next, &pool->chunks, node) {
		list_del(&chunk->node);
		pool->ops->release(pool->ctx, chunk);
	}
	*pool = (struct irdma_pble_pool){};
}

/**
 * irdma_pble_pool_add - give a chunk to the pool
 * @pool: pool
 * @chunk: chunk whose memory the device can read; the pool owns it from now on
 *
 * Context: Process context.
 */
void irdma_pble_pool_add(struct irdma_pble_pool *pool,
			 struct irdma_pble_chunk *chunk)
{
	guard(spinlock)(&pool->lock);
	list_add_tail(&chunk->node, &pool->chunks);
	pool->total_pbles += chunk->page_cnt * IRDMA_PBLES_PER_PAGE;
}

/* Describe @cnt entries from slot @first of page @page on. */
static void irdma_pble_set_run(struct irdma_pble_run *run,
			       struct irdma_pble_chunk *chunk, u32 page,
			       u32 first, u32 cnt)
{
	*run = (struct irdma_pble_run){
		.page_va = &chunk->page_va[page],
		.first = first,
		.idx = chunk->first_idx + page * IRDMA_PBLES_PER_PAGE + first,
		.cnt = cnt,
		.chunk = chunk,
	};
}

/* Take @cnt pages in a row; false when no chunk has them. */
static bool irdma_pble_take_pages_locked(struct irdma_pble_pool *pool, u32 cnt,
					 struct irdma_pble_chunk **from,
					 u32 *first)
{
	struct irdma_pble_chunk *chunk;
	unsigned long at;

	lockdep_assert_held(&pool->lock);
	list_for_each_entry(chunk, &pool->chunks, node) {
		if (chunk->free_cnt < cnt)
			continue;
		at = bitmap_find_next_zero_area(chunk->busy, chunk->page_cnt,
						0, cnt, 0);
		if (at >= chunk->page_cnt)
			continue;
		bitmap_set(chunk->busy, at, cnt);
		chunk->free_cnt -= cnt;
		*from = chunk;
		*first = at;
		return true;
	}
	return false;
}

/* A page of the class with a free slot; NULL when the pool has none. */
static struct irdma_pble_page *
irdma_pble_partial_locked(struct irdma_pble_pool *pool, u8 class)
{
	struct irdma_pble_chunk *chunk;
	struct irdma_pble_page *page;
	u32 at;

	lockdep_assert_held(&pool->lock);
	page = list_first_entry_or_null(&pool->partial[class],
					struct irdma_pble_page, node);
	if (page)
		return page;
	if (!irdma_pble_take_pages_locked(pool, 1, &chunk, &at))
		return NULL;
	page = &chunk->pages[at];
	page->class = class;
	list_add(&page->node, &pool->partial[class]);
	return page;
}

static bool irdma_pble_take_slot_locked(struct irdma_pble_pool *pool, u32 cnt,
					struct irdma_pble_run *run)
{
	u8 class = irdma_pble_class(cnt);
	struct irdma_pble_page *page;
	u32 slot;

	page = irdma_pble_partial_locked(pool, class);
	if (!page)
		return false;
	slot = __ffs64(~page->used);
	page->used |= BIT_ULL(slot);
	if (page->used == irdma_pble_full(class))
		list_del_init(&page->node);
	pool->used_pbles += irdma_pble_slot_pbles(class);
	irdma_pble_set_run(run, page->chunk, page - page->chunk->pages,
			   slot * irdma_pble_slot_pbles(class), cnt);
	return true;
}

/* Take @cnt entries with successive indices. */
static bool irdma_pble_take_run_locked(struct irdma_pble_pool *pool, u32 cnt,
				       struct irdma_pble_run *run)
{
	u32 pages = DIV_ROUND_UP(cnt, IRDMA_PBLES_PER_PAGE);
	struct irdma_pble_chunk *chunk;
	u32 at;

	if (cnt <= IRDMA_PBLES_PER_PAGE)
		return irdma_pble_take_slot_locked(pool, cnt, run);
	if (!irdma_pble_take_pages_locked(pool, pages, &chunk, &at))
		return false;
	pool->used_pbles += pages * IRDMA_PBLES_PER_PAGE;
	irdma_pble_set_run(run, chunk, at, 0, cnt);
	return true;
}

static void irdma_pble_put_pages_locked(struct irdma_pble_chunk *chunk,
					u32 first, u32 cnt)
{
	bitmap_clear(chunk->busy, first, cnt);
	chunk->free_cnt += cnt;
}

static void irdma_pble_put_slot_locked(struct irdma_pble_pool *pool,
				       const struct irdma_pble_run *run,
				       u32 page_no)
{
	struct irdma_pble_page *page = &run->chunk->pages[page_no];
	u32 pbles = irdma_pble_slot_pbles(page->class);
	u64 slot = BIT_ULL(run->first / pbles);

	if (WARN_ON_ONCE(!(page->used & slot)))
		return;
	if (page->used == irdma_pble_full(page->class))
		list_add(&page->node, &pool->partial[page->class]);
	page->used &= ~slot;
	pool->used_pbles -= pbles;
	if (page->used)
		return;
	list_del_init(&page->node);
	irdma_pble_put_pages_locked(run->chunk, page_no, 1);
}

static void irdma_pble_put_run_locked(struct irdma_pble_pool *pool,
				      const struct irdma_pble_run *run)
{
	u32 page_no = run->page_va - run->chunk->page_va;
	u32 pages = DIV_ROUND_UP(run->cnt, IRDMA_PBLES_PER_PAGE);

	lockdep_assert_held(&pool->lock);
	if (run->cnt <= IRDMA_PBLES_PER_PAGE) {
		irdma_pble_put_slot_locked(pool, run, page_no);
		return;
	}
	irdma_pble_put_pages_locked(run->chunk, page_no, pages);
	pool->used_pbles -= pages * IRDMA_PBLES_PER_PAGE;
}

/* Take root and leaves of a two-level list; all or nothing. */
static bool irdma_pble_take_tree_locked(struct irdma_pble_pool *pool,
					struct irdma_pbl *pbl, u32 leaves)
{
	u32 left = pbl->page_cnt;
	u32 i;

	if (!irdma_pble_take_run_locked(pool, leaves, &pbl->root))
		return false;
	for (i = 0; i < leaves; i++) {
		u32 cnt = min(left, IRDMA_PBLES_PER_PAGE);

		if (!irdma_pble_take_run_locked(pool, cnt, &pbl->leaf[i]))
			goto err_leaves;
		left -= cnt;
	}
	return true;

err_leaves:
	while (i--)
		irdma_pble_put_run_locked(pool, &pbl->leaf[i]);
	irdma_pble_put_run_locked(pool, &pbl->root);
	return false;
}

/* One level if there is such a run, else two if they are allowed. */
static bool irdma_pbl_try_alloc(struct irdma_pble_pool *pool,
				struct irdma_pbl *pbl, u32 leaves)
{
	guard(spinlock)(&pool->lock);
	if (pbl->page_cnt <= IRDMA_HMC_SEGMENT_PBLES) {
		pbl->level = 1;
		if (irdma_pble_take_run_locked(pool, pbl->page_cnt, &pbl->root))
			return true;
	}
	pbl->level = 2;
	return pbl->leaf && irdma_pble_take_tree_locked(pool, pbl, leaves);
}

/**
 * irdma_pbl_alloc - allocate a page list
 * @pool: pool
 * @page_cnt: page addresses that the list is to hold
 * @max_level: 1 where the hardware follows one level only, else 2
 * @pbl: the list; all zero on failure
 *
 * One level is taken when there are that many entries in a row. The pool grows
 * by at most two chunks more than the segments that the list fills: the chunks
 * at both ends of the function's entries may be short. A two-level list comes
 * with its root written.
 *
 * Context: Process context; takes and releases @pool->lock; may sleep.
 * Return: 0; -EINVAL when @page_cnt is 0 or more than @max_level levels can
 * describe; -ENOMEM when entries or memory are exhausted; what growing
 * returned.
 */
int irdma_pbl_alloc(struct irdma_pble_pool *pool, u64 page_cnt, u8 max_level,
		    struct irdma_pbl *pbl)
{
	int level = irdma_pbl_level(page_cnt, false);
	u32 leaves = 0;
	u32 grows;
	int err;

	*pbl = (struct irdma_pbl){};
	if (level < 0 ||
	    (max_level == 1 && page_cnt > IRDMA_HMC_SEGMENT_PBLES))
		return -EINVAL;
	pbl->page_cnt = page_cnt;
	grows = pbl->page_cnt / IRDMA_HMC_SEGMENT_PBLES + 2;
	if (level == 2 && max_level == 2) {
		leaves = DIV_ROUND_UP(pbl->page_cnt, IRDMA_PBLES_PER_PAGE);
		pbl->leaf = kvzalloc_objs(*pbl->leaf, leaves);
		err = -ENOMEM;
		if (!pbl->leaf)
			goto err_clear;
	}
	while (!irdma_pbl_try_alloc(pool, pbl, leaves)) {
		err = grows-- ? pool->ops->grow(pool->ctx) : -ENOMEM;
		if (err)
			goto err_leaf;
	}
	if (pbl->level == 2) {
		irdma_pbl_link_leaves(pbl);
	} else {
		kvfree(pbl->leaf);
		pbl->leaf = NULL;
	}
	return 0;

err_leaf:
	kvfree(pbl->leaf);
err_clear:
	*pbl = (struct irdma_pbl){};
	return err;
}

/**
 * irdma_pbl_free - give a page list back
 * @pool: pool that the list came from
 * @pbl: list that the device no longer uses, or all zero; all zero afterwards
 *
 * Context: Process context; takes and releases @pool->lock.
 */
void irdma_pbl_free(struct irdma_pble_pool *pool, struct irdma_pbl *pbl)
{
	if (!pbl->level)
		return;
	scoped_guard(spinlock, &pool->lock) {
		irdma_pble_put_run_locked(pool, &pbl->root);
		for (u32 i = 0; pbl->level == 2 && i < pbl->root.cnt; i++)
			irdma_pble_put_run_locked(pool, &pbl->leaf[i]);
	}
	kvfree(pbl->leaf);
	*pbl = (struct irdma_pbl){};
}
