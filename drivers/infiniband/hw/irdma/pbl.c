// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Page lists: which page size, how many levels, and what stands where.
 *
 * Memory comes as a DMA scatter list. Everything here goes over it in runs,
 * the longest stretches without a break in DMA space, however many entries
 * they take: the page size, the question whether a list is needed at all, and
 * the list's contents all follow from runs. All sizes are hardware pages; the
 * kernel's page size plays no part.
 *
 * Nothing is allocated and nothing locked; all functions may be called in any
 * context.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <linux/align.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/scatterlist.h>

#include "pbl.h"

/**
 * struct irdma_mem_walk - position in a scatter list
 * @sg: entry that is looked at; NULL behind the last one
 * @ents: entries from @sg on
 * @skip: bytes of @sg that are behind us
 * @left: bytes of the stretch that are ahead
 */
struct irdma_mem_walk {
	struct scatterlist *sg;
	unsigned int ents;
	u64 skip;
	u64 left;
};

/* Memory without a break in DMA space. */
struct irdma_mem_run {
	u64 pa;
	u64 len;
};

/* Step over entries that have nothing left. */
static bool irdma_mem_settle(struct irdma_mem_walk *walk)
{
	while (walk->ents && walk->skip >= sg_dma_len(walk->sg)) {
		walk->skip -= sg_dma_len(walk->sg);
		walk->sg = sg_next(walk->sg);
		walk->ents--;
	}
	return walk->ents;
}

static void irdma_mem_start(struct irdma_mem_walk *walk,
			    const struct irdma_mem *mem)
{
	*walk = (struct irdma_mem_walk){
		.sg = mem->sgl,
		.ents = mem->nents,
		.skip = mem->offset_bytes,
		.left = mem->len_bytes,
	};
}

/*
 * The next run of the stretch; false at its end, or when the memory ends
 * first: then walk->left is not 0.
 */
static bool irdma_mem_next(struct irdma_mem_walk *walk,
			   struct irdma_mem_run *run)
{
	if (!walk->left || !irdma_mem_settle(walk))
		return false;
	run->pa = sg_dma_address(walk->sg) + walk->skip;
	run->len = 0;
	do {
		u64 pa = sg_dma_address(walk->sg) + walk->skip;
		u64 len = min(sg_dma_len(walk->sg) - walk->skip, walk->left);

		/* 2^64 is no address: nothing continues a run that ends there */
		if (run->len && (run->pa + run->len != pa || !pa))
			break;
		run->len += len;
		walk->skip += len;
		walk->left -= len;
	} while (walk->left && irdma_mem_settle(walk));
	return true;
}

/**
 * irdma_pbl_level - levels that a region's page list may need
 * @pages: pages in the region, in units of its page size; at least 1
 * @contig: the pages are contiguous in DMA space
 *
 * A contiguous region is registered by its first address. Up to 512 entries
 * are one leaf. A longer list is one run of entries as long as there is such a
 * run, and otherwise a root and leaves of 512.
 *
 * Return: 0, 1 or 2; -EINVAL when @pages is 0 or needs more than two levels.
 */
int irdma_pbl_level(u64 pages, bool contig)
{
	if (!pages)
		return -EINVAL;
	if (contig)
		return 0;
	if (pages > IRDMA_PBL_MAX_PAGES)
		return -EINVAL;
	return pages <= IRDMA_PBLES_PER_PAGE ? 1 : 2;
}

/**
 * irdma_pbl_page_cnt - pages that a region touches
 * @virt: address of the first byte, as the peer counts
 * @len_bytes: length, at least 1; @virt + @len_bytes - 1 does not wrap
 * @page_shift: log2 of the page size
 *
 * Return: pages, at least 1.
 */
u64 irdma_pbl_page_cnt(u64 virt, u64 len_bytes, u8 page_shift)
{
	return ((virt + len_bytes - 1) >> page_shift) - (virt >> page_shift) + 1;
}

/**
 * irdma_pbl_best_page - largest page size that describes a region
 * @mem: the region's memory
 * @virt: address of the first byte, as the peer counts: the iova, or the
 *	  memory's own address for a zero-based region
 * @page_sizes: sizes that the device knows, one bit each
 * @page_shift: log2 of the size, set on success only
 *
 * A page size fits when each byte has the same place in its page in DMA space
 * and as the peer counts, and when the memory breaks at page boundaries only.
 * A page larger than the region is taken only if there is no smaller one.
 *
 * Return: 0; -EINVAL when the length is 0, the region reaches 2^64, the memory is
 * shorter than the region, or no size fits.
 */
int irdma_pbl_best_page(const struct irdma_mem *mem, u64 virt, u64 page_sizes,
			u8 *page_shift)
{
	struct irdma_mem_walk walk;
	struct irdma_mem_run run;
	u64 end, misfit = 0;
	u64 at = virt;

	if (!mem->len_bytes || check_add_overflow(virt, mem->len_bytes, &end))
		return -EINVAL;
	irdma_mem_start(&walk, mem);
	while (irdma_mem_next(&walk, &run)) {
		misfit |= run.pa ^ at;
		if (at != virt)
			misfit |= at;
		at += run.len;
	}
	if (walk.left)
		return -EINVAL;
	if (misfit)
		page_sizes &= GENMASK_ULL(__ffs64(misfit), 0);
	if (!page_sizes)
		return -EINVAL;
	*page_shift = __ffs64(page_sizes);
	page_sizes &= GENMASK_ULL(ilog2(mem->len_bytes), 0);
	if (page_sizes)
		*page_shift = ilog2(page_sizes);
	return 0;
}

/**
 * irdma_check_mem_contiguous - is a part of some memory one piece for the device
 * @mem: memory
 * @offset_bytes: start of the part, from the start of @mem
 * @len_bytes: length of the part
 * @pa: DMA address of the part's first byte, set on success only
 *
 * The search ends at the first break, so that scattered memory costs nothing.
 *
 * Context: Any context.
 * Return: true when the part lies inside @mem, is not empty and has no break
 * in DMA space.
 */
bool irdma_check_mem_contiguous(const struct irdma_mem *mem, u64 offset_bytes,
				u64 len_bytes, dma_addr_t *pa)
{
	struct irdma_mem part = *mem;
	struct irdma_mem_walk walk;
	struct irdma_mem_run run;
	u64 end;

	if (check_add_overflow(offset_bytes, len_bytes, &end) ||
	    end > mem->len_bytes)
		return false;
	part.offset_bytes += offset_bytes;
	part.len_bytes = len_bytes;
	irdma_mem_start(&walk, &part);
	if (!irdma_mem_next(&walk, &run) || walk.left)
		return false;
	*pa = run.pa;
	return true;
}

/**
 * irdma_check_mr_contiguous - can a region be registered without a page list
 * @mem: the region's memory
 * @page_shift: log2 of the region's page size
 * @pa: DMA address of the region's first page, by which it is registered, set on
 *	success only
 *
 * Holds for any page size and any number of levels: to be asked before a
 * page-list entry is taken.
 *
 * Context: Any context.
 * Return: true when the memory has no break in DMA space.
 */
bool irdma_check_mr_contiguous(const struct irdma_mem *mem, u8 page_shift, dma_addr_t *pa)
{
	dma_addr_t first;

	if (!irdma_check_mem_contiguous(mem, 0, mem->len_bytes, &first))
		return false;
	*pa = ALIGN_DOWN(first, BIT_ULL(page_shift));
	return true;
}

/**
 * irdma_next_pbl_addr - the next places of a page list
 * @cur: cursor; moves over the places handed out
 * @want: places wanted, at least 1
 * @got: places handed out, at most @want: those that the CPU sees in a row
 *
 * Context: Any context.
 * Return: the first of @got places; NULL when the list is full.
 */
__le64 *irdma_next_pbl_addr(struct irdma_pbl_cursor *cur, u32 want, u32 *got)
{
	const struct irdma_pbl *pbl = cur->pbl;
	const struct irdma_pble_run *run;
	u32 slot;

	if (!cur->left)
		return NULL;
	run = pbl->level == 2 ? &pbl->leaf[cur->run] : &pbl->root;
	if (cur->pos == run->cnt) {
		run++;
		cur->run++;
		cur->pos = 0;
	}
	slot = run->first + cur->pos;
	*got = min3(want, run->cnt - cur->pos,
		    IRDMA_PBLES_PER_PAGE - slot % IRDMA_PBLES_PER_PAGE);
	cur->pos += *got;
	cur->left -= *got;
	return run->page_va[slot / IRDMA_PBLES_PER_PAGE] +
	       slot % IRDMA_PBLES_PER_PAGE;
}

/**
 * irdma_pbl_link_leaves - write the root of a two-level list
 * @pbl: list of level 2 whose runs are set
 */
void irdma_pbl_link_leaves(const struct irdma_pbl *pbl)
{
	const struct irdma_pble_run *root = &pbl->root;

	for (u32 i = 0; i < root->cnt; i++) {
		u32 slot = root->first + i;
		__le64 *page = root->page_va[slot / IRDMA_PBLES_PER_PAGE];

		page[slot % IRDMA_PBLES_PER_PAGE] =
			cpu_to_le64(pbl->leaf[i].idx);
	}
}

/* Write the addresses of successive pages. False when the list is too short. */
static bool irdma_pbl_fill(struct irdma_pbl_cursor *cur, u64 pa, u64 pages,
			   u8 page_shift)
{
	while (pages) {
		__le64 *place;
		u32 got;

		place = irdma_next_pbl_addr(cur, min(pages, U32_MAX), &got);
		if (!place)
			return false;
		pages -= got;
		for (; got; got--, pa += BIT_ULL(page_shift))
			*place++ = cpu_to_le64(pa);
	}
	return true;
}

/**
 * irdma_copy_user_pgaddrs - fill a page list from a scatter list
 * @mem: the region's memory
 * @page_shift: log2 of the page size, as irdma_pbl_best_page() found it for
 *		this memory
 * @pbl: list of level 1 or 2 with as many entries as the region has pages
 *
 * Context: Any context.
 * Return: 0; -EINVAL when memory and list do not have the same number of
 * pages. The list's contents are undefined then.
 */
int irdma_copy_user_pgaddrs(const struct irdma_mem *mem, u8 page_shift,
			    const struct irdma_pbl *pbl)
{
	struct irdma_pbl_cursor cur = { .pbl = pbl, .left = pbl->page_cnt };
	struct irdma_mem_walk walk;
	struct irdma_mem_run run;

	irdma_mem_start(&walk, mem);
	while (irdma_mem_next(&walk, &run)) {
		u64 pages = irdma_pbl_page_cnt(run.pa, run.len, page_shift);
		u64 pa = ALIGN_DOWN(run.pa, BIT_ULL(page_shift));

		if (!irdma_pbl_fill(&cur, pa, pages, page_shift))
			return -EINVAL;
	}
	return walk.left || cur.left ? -EINVAL : 0;
}
