// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Page lists. Memory is described by pieces; beside each function stands a
 * reference that looks at every 4 KiB of it, one by one.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <rdma/ib_umem.h>

#include "../pbl.h"

#define PAGES_4K	SZ_4K
#define PAGES_GEN1	(SZ_4K | SZ_2M)
#define PAGES_GEN2	((u64)SZ_4K | SZ_2M | SZ_1G)
#define FRAME(n)	((u64)(n) * SZ_4K)

struct piece {
	u64 pa;
	u32 len;
};

static void free_table(void *sgt)
{
	sg_free_table(sgt);
}

/* Memory made of @cnt pieces, all of it; DMA addresses may have 32 bits. */
static struct irdma_mem make_mem(struct kunit *test, const struct piece *piece,
				 unsigned int cnt)
{
	struct sg_table *sgt = kunit_kzalloc(test, sizeof(*sgt), GFP_KERNEL);
	struct irdma_mem mem = {};
	struct scatterlist *sg;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, sgt);
	KUNIT_ASSERT_EQ(test, sg_alloc_table(sgt, cnt, GFP_KERNEL), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_table, sgt), 0);
	for_each_sgtable_sg(sgt, sg, i) {
		if ((dma_addr_t)piece[i].pa != piece[i].pa)
			kunit_skip(test, "no such DMA address");
		sg_dma_address(sg) = piece[i].pa;
		sg_dma_len(sg) = piece[i].len;
		mem.len_bytes += piece[i].len;
	}
	mem.sgl = sgt->sgl;
	mem.nents = cnt;
	return mem;
}

/* Another set of pieces in the same scatter list. */
static void set_pieces(struct irdma_mem *mem, const struct piece *piece)
{
	struct scatterlist *sg;
	int i;

	mem->len_bytes = 0;
	for_each_sg(mem->sgl, sg, mem->nents, i) {
		sg_dma_address(sg) = piece[i].pa;
		sg_dma_len(sg) = piece[i].len;
		mem->len_bytes += piece[i].len;
	}
}

/* DMA address of byte @at of the pieces. */
static u64 byte_pa(const struct piece *piece, u64 at)
{
	while (at >= piece->len)
		at -= piece++->len;
	return piece->pa + at;
}

struct level_case {
	const char *name;
	u64 pages;
	bool contig;
	int level;
};

static const struct level_case level_cases[] = {
	{ "none", 0, false, -EINVAL },
	{ "none_contiguous", 0, true, -EINVAL },
	{ "one", 1, false, 1 },
	{ "one_contiguous", 1, true, 0 },
	{ "leaf_less_one", 511, false, 1 },
	{ "leaf", 512, false, 1 },
	{ "leaf_and_one", 513, false, 2 },
	{ "leaf_and_one_contiguous", 513, true, 0 },
	{ "gigabyte_of_4k", 262144, false, 2 },
	{ "four_gigabytes_of_4k", 1048576, false, 2 },
	{ "limit", 134217728, false, 2 },
	{ "limit_and_one", 134217729, false, -EINVAL },
	{ "limit_and_one_contiguous", 134217729, true, 0 },
	{ "wraps_32_bits", 1ULL << 32, false, -EINVAL },
	{ "max", U64_MAX, false, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(level, level_cases, name);

static void pbl_level_follows_from_pages(struct kunit *test)
{
	const struct level_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, irdma_pbl_level(c->pages, c->contig), c->level);
}

struct page_cnt_case {
	const char *name;
	u64 virt;
	u64 len;
	u8 shift;
	u64 cnt;
};

static const struct page_cnt_case page_cnt_cases[] = {
	{ "one_byte", 0, 1, 12, 1 },
	{ "last_byte_of_a_page", 0xfff, 1, 12, 1 },
	{ "two_bytes_over_an_edge", 0xfff, 2, 12, 2 },
	{ "one_page", 0x1000, 0x1000, 12, 1 },
	{ "one_page_and_a_byte", 0x1000, 0x1001, 12, 2 },
	{ "one_page_unaligned", 0x1001, 0x1000, 12, 2 },
	{ "byte_in_the_last_page_of_a_leaf", 0, 511 * 0x1000 + 1, 12, 512 },
	{ "leaf_of_4k", 0, 512 * 0x1000, 12, 512 },
	{ "leaf_and_a_byte", 0, 512 * 0x1000 + 1, 12, 513 },
	{ "length_of_32_bits", 0, U32_MAX, 12, 1048576 },
	{ "length_of_33_bits", 0, 0x100000001, 12, 1048577 },
	{ "huge_pages_from_the_middle", 0x300000, 0x400000, 21, 3 },
	{ "giant_page", 0x40000000, 0x40000000, 30, 1 },
	{ "last_byte_of_the_space", U64_MAX, 1, 12, 1 },
	{ "whole_space_of_1g", 0, U64_MAX, 30, 1ULL << 34 },
};

KUNIT_ARRAY_PARAM_DESC(page_cnt, page_cnt_cases, name);

static void pbl_counts_touched_pages(struct kunit *test)
{
	const struct page_cnt_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, irdma_pbl_page_cnt(c->virt, c->len, c->shift),
			c->cnt);
}

/* Byte by byte: a page is touched when a byte of it is the first one. */
static void pbl_touched_pages_agree_with_counting(struct kunit *test)
{
	for (u8 shift = 0; shift <= 4; shift++) {
		for (u64 virt = 0; virt < 40; virt++) {
			u64 cnt = 0;

			for (u64 len = 1; len <= 40; len++) {
				u64 byte = virt + len - 1;

				if (len == 1 || !(byte & (BIT_ULL(shift) - 1)))
					cnt++;
				KUNIT_ASSERT_EQ(test, irdma_pbl_page_cnt(virt,
									 len,
									 shift),
						cnt);
			}
		}
	}
}

struct best_case {
	const char *name;
	struct piece piece[3];
	u64 offset;
	u64 len;	/* 0: to the end of the pieces */
	u64 virt;
	u64 sizes;
	int shift;	/* or an errno */
};

static const struct best_case best_cases[] = {
	{ "one_4k", {{ 0x5000, SZ_4K }}, 0, 0, 0x7000, PAGES_GEN2, 12 },
	{ "one_byte", {{ 0x5000, SZ_4K }}, 0x123, 1, 0x123, PAGES_GEN2, 12 },
	{ "huge_page", {{ SZ_2M, SZ_2M }}, 0, 0, 3 * SZ_2M, PAGES_GEN2, 21 },
	{ "huge_page_iova_plus_4k", {{ SZ_2M, SZ_2M }},
	  0, 0, SZ_2M + SZ_4K, PAGES_GEN2, 12 },
	{ "huge_page_iova_plus_64k", {{ SZ_2M, SZ_2M }},
	  0, 0, SZ_2M + SZ_64K, PAGES_GEN2, 12 },
	{ "huge_page_iova_plus_1m", {{ SZ_2M, SZ_2M }},
	  0, 0, SZ_2M + SZ_1M, PAGES_GEN2, 12 },
	{ "iova_differs_in_the_low_bits", {{ SZ_2M, SZ_2M }},
	  0, 0, SZ_2M + 8, PAGES_GEN2, -EINVAL },
	{ "huge_pages_from_the_middle", {{ SZ_2M, 2 * SZ_2M }},
	  SZ_1M, 0, SZ_2M + SZ_1M, PAGES_GEN2, 21 },
	{ "huge_pages_from_an_odd_byte", {{ SZ_2M, 2 * SZ_2M }},
	  12345, 0, 12345, PAGES_GEN2, 21 },
	{ "scattered_huge_pages", {{ 3 * SZ_2M, SZ_2M }, { SZ_2M, SZ_2M }},
	  0, 0, 0, PAGES_GEN2, 21 },
	{ "break_inside_a_huge_page",
	  {{ SZ_2M, SZ_2M - SZ_4K }, { 8 * SZ_2M - SZ_4K, SZ_2M }},
	  0, 0, SZ_2M, PAGES_GEN2, 12 },
	{ "pieces_that_continue_are_one",
	  {{ SZ_2M, SZ_4K }, { SZ_2M + SZ_4K, SZ_1M },
	   { SZ_2M + SZ_4K + SZ_1M, SZ_1M - SZ_4K }},
	  0, 0, SZ_2M, PAGES_GEN2, 21 },
	{ "giant_page", {{ SZ_1G, SZ_1G }}, 0, 0, 0, PAGES_GEN2, 30 },
	{ "giant_page_unknown_to_gen1", {{ SZ_1G, SZ_1G }},
	  0, 0, 0, PAGES_GEN1, 21 },
	{ "only_4k_known", {{ SZ_1G, SZ_1G }}, 0, 0, 0, PAGES_4K, 12 },
	{ "never_larger_than_the_region", {{ SZ_1G, SZ_1G }},
	  0, SZ_1G - 1, 0, PAGES_GEN2, 21 },
	{ "part_of_a_huge_page", {{ SZ_2M, SZ_2M }},
	  0, SZ_2M - 1, 0, PAGES_GEN2, 12 },
	{ "smallest_known_is_larger_than_the_region", {{ SZ_2M, SZ_2M }},
	  0, SZ_4K, 0, SZ_2M | SZ_1G, 21 },
	{ "no_size_known", {{ SZ_2M, SZ_2M }}, 0, 0, 0, 0, -EINVAL },
	{ "break_in_the_middle_of_4k", {{ 0x1000, 0x800 }, { 0x9800, 0x800 }},
	  0, 0, 0, PAGES_GEN2, -EINVAL },
	{ "second_piece_unaligned", {{ 0x1000, 0x1000 }, { 0x9800, 0x800 }},
	  0, 0, 0, PAGES_GEN2, -EINVAL },
	{ "break_before_the_part_does_not_count",
	  {{ 0x7000, SZ_4K }, { SZ_2M, SZ_2M }}, SZ_4K, 0, 0, PAGES_GEN2, 21 },
	{ "break_behind_the_part_does_not_count",
	  {{ SZ_2M, SZ_2M }, { 0x7000, SZ_4K }}, 0, SZ_2M, 0, PAGES_GEN2, 21 },
	{ "empty_piece_is_no_break",
	  {{ SZ_2M, SZ_1M }, { 0x7000, 0 }, { SZ_2M + SZ_1M, SZ_1M }},
	  0, 0, 0, PAGES_GEN2, 21 },
	{ "ends_in_the_address_space", {{ SZ_2M, SZ_2M }},
	  0, 0, U64_MAX - 2 * SZ_2M + 1, PAGES_GEN2, 21 },
	{ "ends_with_the_address_space", {{ SZ_2M, SZ_2M }},
	  0, 0, U64_MAX - SZ_2M + 1, PAGES_GEN2, -EINVAL },
	{ "one_byte_longer_than_the_memory", {{ SZ_2M, SZ_2M }},
	  0, SZ_2M + 1, 0, PAGES_GEN2, -EINVAL },
	{ "starts_at_the_end_of_the_memory", {{ SZ_2M, SZ_2M }},
	  SZ_2M, 1, 0, PAGES_GEN2, -EINVAL },
	{ "starts_far_behind_the_memory", {{ SZ_2M, SZ_2M }},
	  U64_MAX, 1, 0, PAGES_GEN2, -EINVAL },
	{ "length_max", {{ SZ_2M, SZ_2M }}, 0, U64_MAX, 0, PAGES_GEN2, -EINVAL },
	{ "same_address_in_both_spaces", {{ SZ_1G, SZ_1G }},
	  0, 0, SZ_1G, PAGES_GEN2, 30 },
};

KUNIT_ARRAY_PARAM_DESC(best, best_cases, name);

static void pbl_best_page_fits_memory_and_iova(struct kunit *test)
{
	const struct best_case *c = test->param_value;
	struct irdma_mem mem = make_mem(test, c->piece, 3);
	u8 shift = 99;
	int err;

	mem.offset_bytes = c->offset;
	mem.len_bytes = c->len ?: mem.len_bytes - c->offset;
	err = irdma_pbl_best_page(&mem, c->virt, c->sizes, &shift);
	KUNIT_EXPECT_EQ(test, err, c->shift < 0 ? c->shift : 0);
	KUNIT_EXPECT_EQ(test, shift, c->shift < 0 ? 99 : c->shift);
}

static void pbl_best_page_of_nothing_is_an_error(struct kunit *test)
{
	struct piece piece = { SZ_2M, SZ_2M };
	struct irdma_mem mem = make_mem(test, &piece, 1);
	u8 shift = 99;

	mem.len_bytes = 0;
	KUNIT_EXPECT_EQ(test, irdma_pbl_best_page(&mem, 0, PAGES_GEN2, &shift),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, shift, 99);
}

/*
 * Does a page size describe the frames? Each frame must have its place in
 * its page, and frames of one page must lie in one page.
 */
static bool size_fits(const u64 *pa, int frames, u64 virt, int shift)
{
	u64 in_page = BIT_ULL(shift) - 1;

	for (int i = 0; i < frames; i++) {
		u64 at = virt + FRAME(i);

		if ((pa[i] & in_page) != (at & in_page))
			return false;
		for (int j = 0; j < i; j++)
			if (at >> shift == (virt + FRAME(j)) >> shift &&
			    pa[i] >> shift != pa[j] >> shift)
				return false;
	}
	return true;
}

static int slow_best_shift(const u64 *pa, int frames, u64 virt, u64 sizes)
{
	int best = -EINVAL;

	for (int shift = 12; shift < 32; shift++) {
		u64 size = BIT_ULL(shift);

		if (!(sizes & size) || !size_fits(pa, frames, virt, shift))
			continue;
		if (best < 0 || size <= FRAME(frames))
			best = shift;
	}
	return best;
}

/* All placements of four frames among eight, at four iovas. */
static void pbl_best_page_agrees_with_frame_by_frame(struct kunit *test)
{
	enum { CNT = 4, PLACES = 8 };
	const u64 sizes = SZ_4K | SZ_8K | SZ_16K | SZ_32K;
	struct piece piece[CNT] = {};
	struct irdma_mem mem = make_mem(test, piece, CNT);
	u64 pa[CNT];
	u8 shift;

	for (u32 code = 0; code < PLACES * PLACES * PLACES * PLACES; code++) {
		u32 rest = code;

		for (int i = 0; i < CNT; i++, rest /= PLACES) {
			pa[i] = FRAME(rest % PLACES);
			piece[i] = (struct piece){ pa[i], SZ_4K };
		}
		set_pieces(&mem, piece);
		for (int at = 0; at < 4; at++) {
			int want = slow_best_shift(pa, CNT, FRAME(at), sizes);

			KUNIT_ASSERT_EQ(test, irdma_pbl_best_page(&mem, FRAME(at),
								  sizes, &shift), 0);
			KUNIT_ASSERT_EQ(test, shift, want);
		}
	}
}

struct contig_case {
	const char *name;
	struct piece piece[4];
	u64 offset;
	u64 len;
	bool contig;
	u64 pa;
};

static const struct contig_case contig_cases[] = {
	{ "one_piece", {{ 0x5000, 0x3000 }}, 0, 0x3000, true, 0x5000 },
	{ "two_that_touch", {{ 0x5000, 0x1000 }, { 0x6000, 0x1000 }},
	  0, 0x2000, true, 0x5000 },
	{ "hole_of_a_page", {{ 0x5000, 0x1000 }, { 0x7000, 0x1000 }},
	  0, 0x2000, false },
	{ "hole_of_a_byte", {{ 0x5000, 0x1000 }, { 0x6001, 0x0fff }},
	  0, 0x1fff, false },
	{ "overlap_of_a_byte", {{ 0x5000, 0x1000 }, { 0x5fff, 0x1000 }},
	  0, 0x2000, false },
	{ "same_page_twice", {{ 0x5000, 0x1000 }, { 0x5000, 0x1000 }},
	  0, 0x2000, false },
	{ "descending", {{ 0x6000, 0x1000 }, { 0x5000, 0x1000 }},
	  0, 0x2000, false },
	{ "last_page_out_of_line",
	  {{ 0x5000, 0x1000 }, { 0x6000, 0x1000 }, { 0x7000, 0x1000 },
	   { 0x9000, 0x1000 }}, 0, 0x4000, false },
	{ "first_page_out_of_line",
	  {{ 0x4000, 0x800 }, { 0x6000, 0x1000 }, { 0x7000, 0x1000 }},
	  0, 0x2800, false },
	{ "part_before_the_break", {{ 0x5000, 0x1000 }, { 0x9000, 0x1000 }},
	  0, 0x1000, true, 0x5000 },
	{ "part_behind_the_break", {{ 0x5000, 0x1000 }, { 0x9000, 0x1000 }},
	  0x1000, 0x1000, true, 0x9000 },
	{ "part_up_to_the_break_and_a_byte",
	  {{ 0x5000, 0x1000 }, { 0x9000, 0x1000 }}, 0, 0x1001, false },
	{ "last_byte_before_the_break",
	  {{ 0x5000, 0x1000 }, { 0x9000, 0x1000 }}, 0xfff, 1, true, 0x5fff },
	{ "part_across_the_break", {{ 0x5000, 0x1000 }, { 0x9000, 0x1000 }},
	  0xfff, 2, false },
	{ "empty_piece_between",
	  {{ 0x5000, 0x1000 }, { 0xdead, 0 }, { 0x6000, 0x1000 }},
	  0, 0x2000, true, 0x5000 },
	{ "empty_piece_first", {{ 0xdead, 0 }, { 0x6000, 0x1000 }},
	  0, 0x1000, true, 0x6000 },
	{ "address_zero", {{ 0, 0x1000 }, { 0x1000, 0x1000 }},
	  0, 0x2000, true, 0 },
	{ "does_not_continue_around_the_top",
	  {{ U64_MAX - 0xfff, 0x1000 }, { 0, 0x1000 }}, 0, 0x2000, false },
	{ "ends_at_the_top", {{ U64_MAX - 0xfff, 0x1000 }},
	  0, 0x1000, true, U64_MAX - 0xfff },
	{ "longer_than_4g",
	  {{ 0x100000000, 0xfffff000 }, { 0x1fffff000, 0xfffff000 },
	   { 0x2ffffe000, 0x2000 }}, 0, 0x200000000, true, 0x100000000 },
	{ "nothing", {{ 0x5000, 0x1000 }}, 0, 0, false },
	{ "nothing_at_the_end", {{ 0x5000, 0x1000 }}, 0x1000, 0, false },
	{ "one_byte_too_long", {{ 0x5000, 0x1000 }}, 0, 0x1001, false },
	{ "starts_at_the_end", {{ 0x5000, 0x1000 }}, 0x1000, 1, false },
	{ "offset_max", {{ 0x5000, 0x1000 }}, U64_MAX, 1, false },
	{ "offset_and_length_wrap", {{ 0x5000, 0x1000 }},
	  0x10, U64_MAX - 0xf, false },
	{ "length_max", {{ 0x5000, 0x1000 }}, 0, U64_MAX, false },
};

KUNIT_ARRAY_PARAM_DESC(contig, contig_cases, name);

static void mem_is_contiguous_without_a_break(struct kunit *test)
{
	const struct contig_case *c = test->param_value;
	struct irdma_mem mem = make_mem(test, c->piece, 4);
	dma_addr_t pa = 0xbad;

	KUNIT_EXPECT_EQ(test, irdma_check_mem_contiguous(&mem, c->offset,
							 c->len, &pa), c->contig);
	KUNIT_EXPECT_EQ(test, pa, c->contig ? c->pa : 0xbad);
	if (c->offset)
		return;
	mem.len_bytes = c->len;
	pa = 0xbad;
	KUNIT_EXPECT_EQ(test, irdma_check_mr_contiguous(&mem, 0, &pa), c->contig);
	KUNIT_EXPECT_EQ(test, pa, c->contig ? c->pa : 0xbad);
}

/* A region is registered by its first page, whatever its place in it. */
static void mr_contiguity_yields_the_page(struct kunit *test)
{
	struct piece piece = { 0x7654321000, 0x3000 };
	struct irdma_mem mem = make_mem(test, &piece, 1);
	dma_addr_t pa;

	mem.offset_bytes = 0x801;
	mem.len_bytes = 0x2000;
	KUNIT_EXPECT_TRUE(test, irdma_check_mr_contiguous(&mem, 12, &pa));
	KUNIT_EXPECT_EQ(test, pa, 0x7654321000);
	KUNIT_EXPECT_TRUE(test, irdma_check_mr_contiguous(&mem, 21, &pa));
	KUNIT_EXPECT_EQ(test, pa, 0x7654200000);
}

/* The memory says it is longer than its pieces are. */
static void mem_shorter_than_it_says_is_not_contiguous(struct kunit *test)
{
	struct piece piece = { 0x5000, 0x1000 };
	struct irdma_mem mem = make_mem(test, &piece, 1);
	dma_addr_t pa;

	mem.len_bytes = 0x1001;
	KUNIT_EXPECT_TRUE(test, irdma_check_mem_contiguous(&mem, 0, 0x1000, &pa));
	KUNIT_EXPECT_FALSE(test, irdma_check_mr_contiguous(&mem, 12, &pa));
	mem.nents = 0;
	KUNIT_EXPECT_FALSE(test, irdma_check_mem_contiguous(&mem, 0, 1, &pa));
}

/* The scatter list goes on behind the stretch; the part must not. */
static void mem_part_stays_inside_the_stretch(struct kunit *test)
{
	struct piece piece = { 0x5000, 0x4000 };
	struct irdma_mem mem = make_mem(test, &piece, 1);
	dma_addr_t pa;

	mem.offset_bytes = 0x1000;
	mem.len_bytes = 0x2000;
	KUNIT_EXPECT_TRUE(test, irdma_check_mem_contiguous(&mem, 0, 0x2000, &pa));
	KUNIT_EXPECT_EQ(test, pa, 0x6000);
	KUNIT_EXPECT_TRUE(test, irdma_check_mem_contiguous(&mem, 0x1fff, 1, &pa));
	KUNIT_EXPECT_EQ(test, pa, 0x7fff);
	KUNIT_EXPECT_FALSE(test, irdma_check_mem_contiguous(&mem, 0, 0x2001, &pa));
	KUNIT_EXPECT_FALSE(test, irdma_check_mem_contiguous(&mem, 0x2000, 1, &pa));
}

/* Five frames in all placements among five; every part of them is asked. */
static void mem_contiguity_agrees_with_byte_by_byte(struct kunit *test)
{
	enum { CNT = 5, ALL = CNT * CNT * CNT * CNT * CNT };
	struct piece piece[CNT] = {};
	struct irdma_mem mem = make_mem(test, piece, CNT);

	for (u32 code = 0; code < ALL; code++) {
		u32 rest = code;

		for (int i = 0; i < CNT; i++, rest /= CNT)
			piece[i] = (struct piece){ 3 * (rest % CNT), 3 };
		set_pieces(&mem, piece);
		for (u64 from = 0; from < 3 * CNT; from++) {
			bool want = true;

			for (u64 to = from; to < 3 * CNT; to++) {
				dma_addr_t pa = 0xbad;
				bool is;

				want &= byte_pa(piece, to) ==
					byte_pa(piece, from) + to - from;
				is = irdma_check_mem_contiguous(&mem, from,
								to - from + 1, &pa);
				KUNIT_ASSERT_EQ(test, is, want);
				if (want)
					KUNIT_ASSERT_EQ(test, pa,
							byte_pa(piece, from));
			}
		}
	}
}

#define CANARY	0x5a5a5a5a5a5a5a5aULL

/*
 * Hardware pages for the runs of a list, each with a canary before and
 * behind it. Runs begin at slot @first.
 */
static void make_run(struct kunit *test, struct irdma_pble_run *run, u32 cnt,
		     u32 first, u32 idx)
{
	u32 pages = (first + cnt + IRDMA_PBLES_PER_PAGE - 1) /
		    IRDMA_PBLES_PER_PAGE;

	*run = (struct irdma_pble_run){ .first = first, .idx = idx, .cnt = cnt };
	run->page_va = kunit_kcalloc(test, pages, sizeof(*run->page_va),
				     GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, run->page_va);
	for (u32 i = 0; i < pages; i++) {
		run->page_va[i] = kunit_kzalloc(test, SZ_4K, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, run->page_va[i]);
		for (u32 slot = 0; slot < IRDMA_PBLES_PER_PAGE; slot++)
			run->page_va[i][slot] = cpu_to_le64(CANARY);
	}
}

static struct irdma_pbl make_pbl(struct kunit *test, u8 level, u32 pages,
				 u32 first)
{
	struct irdma_pbl pbl = { .level = level, .page_cnt = pages };
	u32 leaves = (pages + 511) / 512;

	if (level == 1) {
		make_run(test, &pbl.root, pages, first, 1000);
		return pbl;
	}
	make_run(test, &pbl.root, leaves, first, 1000);
	pbl.leaf = kunit_kcalloc(test, leaves, sizeof(*pbl.leaf), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, pbl.leaf);
	for (u32 i = 0; i < leaves; i++)
		make_run(test, &pbl.leaf[i], i + 1 < leaves ? 512 :
			 pages - 512 * i, first, 5000 + 1024 * i);
	return pbl;
}

static u64 run_entry(const struct irdma_pble_run *run, u32 i)
{
	u32 slot = run->first + i;

	return le64_to_cpu(run->page_va[slot / 512][slot % 512]);
}

/* Entry @i of the list, by the hardware's rule: root, then leaf. */
static u64 pbl_entry(const struct irdma_pbl *pbl, u32 i)
{
	return pbl->level == 2 ? run_entry(&pbl->leaf[i / 512], i % 512) :
				 run_entry(&pbl->root, i);
}

/* Slots of the run's pages that are not the run's own. */
static bool run_is_clean_outside(const struct irdma_pble_run *run)
{
	u32 slots = (run->first + run->cnt + 511) / 512 * 512;

	for (u32 slot = 0; slot < slots; slot++)
		if ((slot < run->first || slot >= run->first + run->cnt) &&
		    le64_to_cpu(run->page_va[slot / 512][slot % 512]) != CANARY)
			return false;
	return true;
}

static bool pbl_is_clean_outside(const struct irdma_pbl *pbl)
{
	if (pbl->level == 2)
		for (u32 i = 0; i < pbl->root.cnt; i++)
			if (!run_is_clean_outside(&pbl->leaf[i]))
				return false;
	return run_is_clean_outside(&pbl->root);
}

static bool pbl_is_contiguous(const struct irdma_pbl *pbl, u64 size)
{
	for (u32 i = 1; i < pbl->page_cnt; i++)
		if (pbl_entry(pbl, i) != pbl_entry(pbl, 0) + i * size)
			return false;
	return true;
}

enum shape { STRAIGHT, SCATTERED, DESCENDING, LAST_OUT, LEAF_EDGE_OUT };

static u64 shape_frame(enum shape shape, u32 i, u32 cnt)
{
	switch (shape) {
	case STRAIGHT:
		return 100 + i;
	case SCATTERED:
		return 100 + 2 * i;
	case DESCENDING:
		return 100 + cnt - i;
	case LAST_OUT:
		return 100 + i + (i == cnt - 1);
	case LEAF_EDGE_OUT:
		return 100 + i + (i >= 512);
	}
	return 0;
}

struct fill_case {
	const char *name;
	u8 level;
	u32 pages;
	u32 first;
	enum shape shape;
};

static const struct fill_case fill_cases[] = {
	{ "one_page", 1, 1, 0, STRAIGHT },
	{ "one_page_in_the_last_slot", 1, 1, 511, STRAIGHT },
	{ "two_pages_over_an_edge", 1, 2, 511, SCATTERED },
	{ "leaf_less_one", 1, 511, 0, SCATTERED },
	{ "leaf", 1, 512, 0, DESCENDING },
	{ "leaf_from_slot_one", 1, 512, 1, STRAIGHT },
	{ "leaf_and_one", 1, 513, 0, LAST_OUT },
	{ "long_run", 1, 1537, 504, SCATTERED },
	{ "two_level_one_page", 2, 1, 0, STRAIGHT },
	{ "two_level_leaf_less_one", 2, 511, 0, STRAIGHT },
	{ "two_level_leaf", 2, 512, 0, LAST_OUT },
	{ "two_level_leaf_and_one", 2, 513, 0, LAST_OUT },
	{ "two_level_break_between_leaves", 2, 1024, 0, LEAF_EDGE_OUT },
	{ "two_level_two_leaves_and_one", 2, 1025, 0, LAST_OUT },
	{ "two_level_short_last_leaf", 2, 1500, 0, DESCENDING },
	{ "two_level_leaves_over_an_edge", 2, 1025, 8, SCATTERED },
	{ "two_level_straight", 2, 1537, 0, STRAIGHT },
};

KUNIT_ARRAY_PARAM_DESC(fill, fill_cases, name);

static struct piece *shape_pieces(struct kunit *test, enum shape shape, u32 cnt)
{
	struct piece *piece = kunit_kcalloc(test, cnt, sizeof(*piece),
					    GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, piece);
	for (u32 i = 0; i < cnt; i++)
		piece[i] = (struct piece){
			FRAME(shape_frame(shape, i, cnt)), SZ_4K
		};
	return piece;
}

static void pbl_holds_each_page_in_its_place(struct kunit *test)
{
	const struct fill_case *c = test->param_value;
	struct piece *piece = shape_pieces(test, c->shape, c->pages);
	struct irdma_mem mem = make_mem(test, piece, c->pages);
	struct irdma_pbl pbl = make_pbl(test, c->level, c->pages, c->first);
	dma_addr_t pa;

	KUNIT_ASSERT_EQ(test, irdma_copy_user_pgaddrs(&mem, 12, &pbl), 0);
	for (u32 i = 0; i < c->pages; i++)
		KUNIT_ASSERT_EQ(test, pbl_entry(&pbl, i), piece[i].pa);
	KUNIT_EXPECT_EQ(test, irdma_check_mr_contiguous(&mem, 12, &pa),
			c->pages == 1 || c->shape == STRAIGHT);
	KUNIT_EXPECT_EQ(test, irdma_check_mr_contiguous(&mem, 12, &pa),
			pbl_is_contiguous(&pbl, SZ_4K));
	if (c->level == 2) {
		irdma_pbl_link_leaves(&pbl);
		for (u32 i = 0; i < pbl.root.cnt; i++)
			KUNIT_EXPECT_EQ(test, run_entry(&pbl.root, i),
					5000 + 1024 * i);
	}
	KUNIT_EXPECT_TRUE(test, pbl_is_clean_outside(&pbl));
}

/* One page out of line, at every place of a list of three leaves. */
static void pbl_contiguity_holds_across_levels(struct kunit *test)
{
	enum { PAGES = 2 * 512 + 40 };
	struct piece *piece = shape_pieces(test, STRAIGHT, PAGES);
	struct irdma_mem mem = make_mem(test, piece, PAGES);
	struct irdma_pbl one = make_pbl(test, 1, PAGES, 0);
	struct irdma_pbl two = make_pbl(test, 2, PAGES, 0);
	dma_addr_t pa;

	KUNIT_EXPECT_TRUE(test, irdma_check_mr_contiguous(&mem, 12, &pa));
	for (u32 out = 0; out < PAGES; out++) {
		u64 home = piece[out].pa;
		bool before, behind;

		piece[out].pa = FRAME(7);
		set_pieces(&mem, piece);
		KUNIT_ASSERT_FALSE(test, irdma_check_mr_contiguous(&mem, 12, &pa));
		KUNIT_ASSERT_EQ(test, irdma_copy_user_pgaddrs(&mem, 12, &one), 0);
		KUNIT_ASSERT_EQ(test, irdma_copy_user_pgaddrs(&mem, 12, &two), 0);
		KUNIT_ASSERT_FALSE(test, pbl_is_contiguous(&one, SZ_4K));
		KUNIT_ASSERT_FALSE(test, pbl_is_contiguous(&two, SZ_4K));
		KUNIT_ASSERT_EQ(test, pbl_entry(&two, out), FRAME(7));
		/* what lies beside the page out of line is still contiguous */
		before = irdma_check_mem_contiguous(&mem, 0, FRAME(out), &pa);
		behind = irdma_check_mem_contiguous(&mem, FRAME(out + 1),
						    FRAME(PAGES - 1 - out), &pa);
		KUNIT_ASSERT_EQ(test, before, out > 0);
		KUNIT_ASSERT_EQ(test, behind, out < PAGES - 1);
		piece[out].pa = home;
	}
}

struct wrong_list_case {
	const char *name;
	u8 level;
	u32 pages;	/* of the list; the memory has 513 */
};

static const struct wrong_list_case wrong_list_cases[] = {
	{ "one_entry_short", 1, 512 },
	{ "one_entry_long", 1, 514 },
	{ "two_level_one_entry_short", 2, 512 },
	{ "two_level_one_entry_long", 2, 514 },
	{ "two_level_one_leaf_long", 2, 1025 },
};

KUNIT_ARRAY_PARAM_DESC(wrong_list, wrong_list_cases, name);

static void pbl_of_another_length_is_refused(struct kunit *test)
{
	const struct wrong_list_case *c = test->param_value;
	struct piece *piece = shape_pieces(test, SCATTERED, 513);
	struct irdma_mem mem = make_mem(test, piece, 513);
	struct irdma_pbl pbl = make_pbl(test, c->level, c->pages, 0);

	KUNIT_EXPECT_EQ(test, irdma_copy_user_pgaddrs(&mem, 12, &pbl), -EINVAL);
	KUNIT_EXPECT_TRUE(test, pbl_is_clean_outside(&pbl));
}

static void pbl_of_memory_that_ends_early_is_refused(struct kunit *test)
{
	struct piece *piece = shape_pieces(test, SCATTERED, 4);
	struct irdma_mem mem = make_mem(test, piece, 4);
	struct irdma_pbl pbl = make_pbl(test, 1, 4, 0);

	mem.len_bytes++;
	KUNIT_EXPECT_EQ(test, irdma_copy_user_pgaddrs(&mem, 12, &pbl), -EINVAL);
	mem.len_bytes--;
	KUNIT_EXPECT_EQ(test, irdma_copy_user_pgaddrs(&mem, 12, &pbl), 0);
}

/* 2 MiB entries from pieces of 4 KiB and from unaligned ends. */
static void pbl_entries_are_hardware_pages(struct kunit *test)
{
	enum { PIECES = 3 * 512 };
	struct piece *piece = kunit_kcalloc(test, PIECES, sizeof(*piece),
					    GFP_KERNEL);
	struct irdma_pbl pbl = make_pbl(test, 1, 3, 0);
	struct irdma_mem mem;
	u8 shift;

	KUNIT_ASSERT_NOT_NULL(test, piece);
	for (u32 i = 0; i < PIECES; i++)
		piece[i] = (struct piece){
			SZ_2M * (7 - 2 * (i / 512)) + FRAME(i % 512), SZ_4K
		};
	mem = make_mem(test, piece, PIECES);
	mem.offset_bytes = 0x12345;
	mem.len_bytes -= 0x12345 + 0x5432;
	KUNIT_ASSERT_EQ(test, irdma_pbl_best_page(&mem, SZ_1G + 0x12345,
						  PAGES_GEN2, &shift), 0);
	KUNIT_ASSERT_EQ(test, shift, 21);
	KUNIT_ASSERT_EQ(test, irdma_copy_user_pgaddrs(&mem, shift, &pbl), 0);
	KUNIT_EXPECT_EQ(test, pbl_entry(&pbl, 0), 0xe00000);
	KUNIT_EXPECT_EQ(test, pbl_entry(&pbl, 1), 0xa00000);
	KUNIT_EXPECT_EQ(test, pbl_entry(&pbl, 2), 0x600000);
	KUNIT_EXPECT_TRUE(test, pbl_is_clean_outside(&pbl));
}

/* A page of the kernel may hold several of the hardware: one long piece. */
static void pbl_of_one_long_piece_counts_4k_pages(struct kunit *test)
{
	struct piece piece[] = {{ 16 * SZ_64K, SZ_64K }, { 3 * SZ_64K, SZ_64K }};
	struct irdma_mem mem = make_mem(test, piece, 2);
	struct irdma_pbl pbl = make_pbl(test, 1, 18, 0);

	mem.offset_bytes = SZ_64K - 0x1001;
	mem.len_bytes = 0x1001 + SZ_64K;
	KUNIT_ASSERT_EQ(test, irdma_copy_user_pgaddrs(&mem, 12, &pbl), 0);
	KUNIT_EXPECT_EQ(test, pbl_entry(&pbl, 0), 0x10e000);
	KUNIT_EXPECT_EQ(test, pbl_entry(&pbl, 1), 0x10f000);
	for (u32 i = 0; i < 16; i++)
		KUNIT_EXPECT_EQ(test, pbl_entry(&pbl, 2 + i),
				0x30000 + 0x1000 * i);
}

static const u32 cursor_wants[] = { 1, 3, 511, 512, 513, U32_MAX };

/* Every place once, in order, whatever is asked for; then no more. */
static void pbl_cursor_visits_each_place_once(struct kunit *test)
{
	for (u32 w = 0; w < 2 * ARRAY_SIZE(cursor_wants); w++) {
		u32 want = cursor_wants[w / 2];
		u8 level = 1 + w % 2;
		struct irdma_pbl pbl = make_pbl(test, level, 1300, 100);
		struct irdma_pbl_cursor cur = { .pbl = &pbl, .left = 1300 };
		u32 got, at = 0;
		__le64 *place;

		while ((place = irdma_next_pbl_addr(&cur, want, &got))) {
			KUNIT_ASSERT_GE(test, got, 1);
			KUNIT_ASSERT_LE(test, got, want);
			for (u32 i = 0; i < got; i++)
				place[i] = cpu_to_le64(at++);
		}
		KUNIT_EXPECT_EQ(test, at, 1300);
		KUNIT_EXPECT_NULL(test, irdma_next_pbl_addr(&cur, want, &got));
		for (u32 i = 0; i < 1300; i++)
			KUNIT_ASSERT_EQ(test, pbl_entry(&pbl, i), i);
		KUNIT_EXPECT_TRUE(test, pbl_is_clean_outside(&pbl));
	}
}

/*
 * Pieces of up to 512 KiB that begin at multiples of 4, 16 or 64 KiB; half of
 * them continue the one before.
 */
static void random_pieces(struct rnd_state *rnd, struct piece *piece, u32 cnt)
{
	u32 unit = SZ_4K << 2 * (prandom_u32_state(rnd) % 3);
	u64 next = FRAME(64);

	for (u32 i = 0; i < cnt; i++) {
		u32 r = prandom_u32_state(rnd);

		if (r % 2)
			next += unit * (1 + (r >> 8) % 4);
		piece[i] = (struct piece){
			next, unit * (1 + (r >> 16) % (SZ_512K / unit))
		};
		next += piece[i].len;
	}
}

/* Random memory and offsets; each byte that begins a page is looked up. */
static void pbl_of_random_memory_agrees_with_byte_by_byte(struct kunit *test)
{
	enum { CNT = 8, ROUNDS = 120 };
	const u64 sizes = SZ_4K | SZ_16K | SZ_64K;
	struct irdma_pbl pbl = make_pbl(test, 2, 1100, 0);
	struct piece piece[CNT] = {};
	struct irdma_mem mem = make_mem(test, piece, CNT);
	struct rnd_state rnd;
	u32 seen = 0;

	prandom_seed_state(&rnd, 3);
	for (int round = 0; round < ROUNDS; round++) {
		u64 virt, size;
		u8 shift;

		random_pieces(&rnd, piece, CNT);
		set_pieces(&mem, piece);
		mem.offset_bytes = prandom_u32_state(&rnd) % SZ_16K;
		mem.len_bytes -= mem.offset_bytes +
				 prandom_u32_state(&rnd) % SZ_16K;
		virt = byte_pa(piece, mem.offset_bytes) + SZ_1G;
		KUNIT_ASSERT_EQ(test, irdma_pbl_best_page(&mem, virt, sizes,
							  &shift), 0);
		size = BIT_ULL(shift);
		seen |= size;
		pbl.page_cnt = irdma_pbl_page_cnt(virt, mem.len_bytes, shift);
		pbl.root.cnt = (pbl.page_cnt + 511) / 512;
		KUNIT_ASSERT_EQ(test, irdma_copy_user_pgaddrs(&mem, shift,
							      &pbl), 0);
		for (u64 at = 0; at < mem.len_bytes; at++) {
			u64 pa = byte_pa(piece, mem.offset_bytes + at);
			u32 i = ((virt + at) >> shift) - (virt >> shift);

			KUNIT_ASSERT_EQ(test, pbl_entry(&pbl, i) +
					((virt + at) & (size - 1)), pa);
			if (at)
				at |= 0xfff & ~(virt & 0xfff);
		}
	}
	KUNIT_EXPECT_EQ(test, seen, sizes);
}

/* The core's own answer, where both mean the same by "best". */
static void pbl_best_page_agrees_with_the_core(struct kunit *test)
{
	enum { CNT = 6, ROUNDS = 2000 };
	const u64 sizes = SZ_4K | SZ_16K | SZ_64K;
	struct piece piece[CNT] = {};
	struct irdma_mem mem = make_mem(test, piece, CNT);
	struct ib_umem umem = {};
	struct rnd_state rnd;

	if (!IS_ENABLED(CONFIG_INFINIBAND_USER_MEM))
		kunit_skip(test, "the core has no user memory");
	umem.sgt_append.sgt.sgl = mem.sgl;
	umem.sgt_append.sgt.nents = CNT;
	prandom_seed_state(&rnd, 4);
	for (int round = 0; round < ROUNDS; round++) {
		unsigned long ours, core;
		u64 virt, fit;
		u8 shift;

		random_pieces(&rnd, piece, CNT);
		set_pieces(&mem, piece);
		mem.offset_bytes = prandom_u32_state(&rnd) % SZ_4K;
		mem.len_bytes -= mem.offset_bytes;
		virt = piece[0].pa + mem.offset_bytes +
		       FRAME(prandom_u32_state(&rnd) % 4 ? 16 : 1);
		umem.address = mem.offset_bytes;
		umem.length = mem.len_bytes;
		fit = sizes & (BIT_ULL(fls64(mem.len_bytes)) - 1);
		core = ib_umem_find_best_pgsz(&umem, fit ?: SZ_4K, virt);
		KUNIT_ASSERT_EQ(test, irdma_pbl_best_page(&mem, virt, sizes,
							  &shift), 0);
		ours = BIT(shift);
		KUNIT_ASSERT_EQ(test, ours, core);
	}
}

static struct kunit_case irdma_pbl_cases[] = {
	KUNIT_CASE_PARAM(pbl_level_follows_from_pages, level_gen_params),
	KUNIT_CASE_PARAM(pbl_counts_touched_pages, page_cnt_gen_params),
	KUNIT_CASE(pbl_touched_pages_agree_with_counting),
	KUNIT_CASE_PARAM(pbl_best_page_fits_memory_and_iova, best_gen_params),
	KUNIT_CASE(pbl_best_page_of_nothing_is_an_error),
	KUNIT_CASE(pbl_best_page_agrees_with_frame_by_frame),
	KUNIT_CASE(pbl_best_page_agrees_with_the_core),
	KUNIT_CASE_PARAM(mem_is_contiguous_without_a_break, contig_gen_params),
	KUNIT_CASE(mem_shorter_than_it_says_is_not_contiguous),
	KUNIT_CASE(mr_contiguity_yields_the_page),
	KUNIT_CASE(mem_part_stays_inside_the_stretch),
	KUNIT_CASE(mem_contiguity_agrees_with_byte_by_byte),
	KUNIT_CASE_PARAM(pbl_holds_each_page_in_its_place, fill_gen_params),
	KUNIT_CASE(pbl_contiguity_holds_across_levels),
	KUNIT_CASE_PARAM(pbl_of_another_length_is_refused,
			 wrong_list_gen_params),
	KUNIT_CASE(pbl_of_memory_that_ends_early_is_refused),
	KUNIT_CASE(pbl_entries_are_hardware_pages),
	KUNIT_CASE(pbl_of_one_long_piece_counts_4k_pages),
	KUNIT_CASE(pbl_cursor_visits_each_place_once),
	KUNIT_CASE(pbl_of_random_memory_agrees_with_byte_by_byte),
	{}
};

static struct kunit_suite irdma_pbl_suite = {
	.name = "irdma_pbl",
	.test_cases = irdma_pbl_cases,
};

kunit_test_suite(irdma_pbl_suite);
