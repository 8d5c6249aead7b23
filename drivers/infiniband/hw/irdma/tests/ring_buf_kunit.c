// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Depths of rings and the memory behind them.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <kunit/test.h>

#include "../ring_buf.h"

static const struct irdma_wq_limits gen3 = {
	.max_quanta = 32768,
	.min_wqes = 16,
};

static const struct irdma_wq_limits gen3_srq = {
	.max_quanta = 262144,
	.min_wqes = 16,
};

struct shift_case {
	const char *name;
	u32 frags;
	u32 inline_bytes;
	u8 shift;
};

static const struct shift_case shift_cases[] = {
	{ "nothing", 0, 0, 0 },
	{ "one_frag", 1, 0, 0 },
	{ "one_frag_inline_8", 1, 8, 0 },
	{ "inline_9", 1, 9, 1 },
	{ "two_frags", 2, 0, 1 },
	{ "three_frags_inline_39", 3, 39, 1 },
	{ "inline_40", 0, 40, 2 },
	{ "four_frags", 4, 0, 2 },
	{ "seven_frags_inline_101", 7, 101, 2 },
	{ "inline_102", 0, 102, 3 },
	{ "eight_frags", 8, 0, 3 },
	{ "most", 15, 216, 3 },
	{ "max", U32_MAX, U32_MAX, 3 },
};

KUNIT_ARRAY_PARAM_DESC(shift, shift_cases, name);

static void wqe_is_long_enough(struct kunit *test)
{
	const struct shift_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, irdma_wqe_shift(c->frags, c->inline_bytes),
			c->shift);
}

struct depth_case {
	const char *name;
	u32 wrs;
	u8 shift;
	u32 reserved;
	const struct irdma_wq_limits *limits;
	u32 quanta;	/* 0: -EINVAL */
};

static const struct depth_case depth_cases[] = {
	{ "sq_none", 0, 0, 258, &gen3, 512 },
	{ "sq_last_of_512", 254, 0, 258, &gen3, 512 },
	{ "sq_first_of_1024", 255, 0, 258, &gen3, 1024 },
	{ "sq_wide_last_of_512", 31, 3, 258, &gen3, 512 },
	{ "sq_wide_first_of_1024", 32, 3, 258, &gen3, 1024 },
	{ "sq_reported_maximum", 4063, 3, 258, &gen3, 32768 },
	{ "sq_one_more_than_reported", 4064, 3, 258, &gen3, 0 },
	{ "sq_limit", 32510, 0, 258, &gen3, 32768 },
	{ "sq_limit_and_one", 32511, 0, 258, &gen3, 0 },
	{ "rq_none", 0, 0, 1, &gen3, 16 },
	{ "rq_raised_to_minimum", 1, 3, 1, &gen3, 128 },
	{ "rq_minimum", 15, 0, 1, &gen3, 16 },
	{ "rq_above_minimum", 16, 0, 1, &gen3, 32 },
	{ "rq_limit", 32767, 0, 1, &gen3, 32768 },
	{ "rq_limit_and_one", 32768, 0, 1, &gen3, 0 },
	{ "srq_reported_maximum", 32767, 3, 1, &gen3_srq, 262144 },
	{ "srq_limit_and_one", 32768, 3, 1, &gen3_srq, 0 },
	{ "wraps_32_bits", 0x20000000, 3, 258, &gen3, 0 },
	{ "wraps_to_a_small_depth", 0xffffffff, 0, 258, &gen3, 0 },
	{ "max_wide", U32_MAX, 3, 1, &gen3_srq, 0 },
};

KUNIT_ARRAY_PARAM_DESC(depth, depth_cases, name);

static void wq_depth_is_what_user_space_computes(struct kunit *test)
{
	const struct depth_case *c = test->param_value;
	u32 quanta = 77;

	KUNIT_EXPECT_EQ(test, irdma_wq_depth(c->wrs, c->shift, c->reserved,
					     c->limits, &quanta),
			c->quanta ? 0 : -EINVAL);
	KUNIT_EXPECT_EQ(test, quanta, c->quanta ?: 77);
}

/* Doubling from the minimum until all fits. */
static void wq_depth_agrees_with_doubling(struct kunit *test)
{
	for (u8 shift = 0; shift <= 3; shift++) {
		for (u32 wrs = 0; wrs < 40000; wrs += 1 + wrs / 512) {
			u64 need = ((u64)wrs << shift) + 258;
			u32 depth = 16 << shift, got = 0;
			int err;

			while (depth < need)
				depth *= 2;
			err = irdma_wq_depth(wrs, shift, 258, &gen3, &got);
			KUNIT_ASSERT_EQ(test, err, depth > 32768 ? -EINVAL : 0);
			KUNIT_ASSERT_EQ(test, got, err ? 0 : depth);
		}
	}
}

struct given_case {
	const char *name;
	u32 wqes;
	u8 shift;
	u32 reserved;
	u32 quanta;	/* 0: -EINVAL */
};

static const struct given_case given_cases[] = {
	{ "sq_smallest", 512, 0, 258, 512 },
	{ "sq_smallest_wide", 64, 3, 258, 512 },
	{ "sq_largest_wide", 4096, 3, 258, 32768 },
	{ "sq_without_room", 256, 0, 258, 0 },
	{ "sq_too_long", 65536, 0, 258, 0 },
	{ "sq_too_long_wide", 8192, 3, 258, 0 },
	{ "rq_smallest", 16, 0, 1, 16 },
	{ "rq_below_smallest", 8, 0, 1, 0 },
	{ "rq_below_smallest_wide", 8, 3, 1, 0 },
	{ "not_a_power_of_two", 513, 0, 258, 0 },
	{ "zero", 0, 0, 1, 0 },
	{ "wraps_32_bits", 0x20000000, 3, 1, 0 },
	{ "largest_power", 0x80000000, 3, 1, 0 },
	{ "max", U32_MAX, 3, 1, 0 },
};

KUNIT_ARRAY_PARAM_DESC(given, given_cases, name);

static void wq_depth_of_user_space_is_checked(struct kunit *test)
{
	const struct given_case *c = test->param_value;
	u32 quanta = 77;

	KUNIT_EXPECT_EQ(test, irdma_wq_depth_given(c->wqes, c->shift,
						   c->reserved, &gen3, &quanta),
			c->quanta ? 0 : -EINVAL);
	KUNIT_EXPECT_EQ(test, quanta, c->quanta ?: 77);
}

struct cq_case {
	const char *name;
	u32 cqe;
	u32 user;	/* 0: -EINVAL */
	u32 kernel32;
	u32 kernel64;
};

/* The longest CQ has 1048575 entries. */
static const struct cq_case cq_cases[] = {
	{ "none", 0, 0, 0, 0 },
	{ "one", 1, 4, 6, 4 },
	{ "two", 2, 4, 8, 4 },
	{ "three", 3, 4, 10, 6 },
	{ "four", 4, 4, 12, 6 },
	{ "five", 5, 5, 14, 8 },
	{ "a_page_of_64", 62, 62, 130, 66 },
	{ "a_page_of_64_made_even", 61, 61, 126, 66 },
	{ "less_than_a_page_of_64", 60, 60, 124, 62 },
	{ "more_than_a_page_of_64", 63, 63, 130, 66 },
	{ "limit_of_32", 524285, 524285, 1048574, 524288 },
	{ "limit_of_32_and_one", 524286, 524286, 0, 524288 },
	{ "limit_of_64", 1048572, 1048572, 0, 1048574 },
	{ "limit_of_64_and_one", 1048573, 1048573, 0, 0 },
	{ "reported_maximum", 1048574, 1048574, 0, 0 },
	{ "limit", 1048575, 1048575, 0, 0 },
	{ "limit_and_one", 1048576, 0, 0, 0 },
	{ "wraps_32_bits", 0x7fffffff, 0, 0, 0 },
	{ "max", U32_MAX, 0, 0, 0 },
};

KUNIT_ARRAY_PARAM_DESC(cq, cq_cases, name);

static void cq_depth_is_in_range(struct kunit *test)
{
	const struct cq_case *c = test->param_value;
	u32 entries = 77;

	KUNIT_EXPECT_EQ(test, irdma_cq_depth_user(c->cqe, 1048575, &entries),
			c->user ? 0 : -EINVAL);
	KUNIT_EXPECT_EQ(test, entries, c->user ?: 77);
	entries = 77;
	KUNIT_EXPECT_EQ(test, irdma_cq_depth_kernel(c->cqe, 1048575,
						    IRDMA_RING_CQ32, &entries),
			c->kernel32 ? 0 : -EINVAL);
	KUNIT_EXPECT_EQ(test, entries, c->kernel32 ?: 77);
	entries = 77;
	KUNIT_EXPECT_EQ(test, irdma_cq_depth_kernel(c->cqe, 1048575,
						    IRDMA_RING_CQ64, &entries),
			c->kernel64 ? 0 : -EINVAL);
	KUNIT_EXPECT_EQ(test, entries, c->kernel64 ?: 77);
}

struct bytes_case {
	const char *name;
	enum irdma_ring_kind kind;
	u32 depth;
	u64 bytes;
	u64 pages;
};

static const struct bytes_case bytes_cases[] = {
	{ "wq_none", IRDMA_RING_WQ, 0, 0, 0 },
	{ "wq_one", IRDMA_RING_WQ, 1, 32, 1 },
	{ "wq_page", IRDMA_RING_WQ, 128, 4096, 1 },
	{ "wq_page_and_one", IRDMA_RING_WQ, 129, 4128, 2 },
	{ "wq_largest", IRDMA_RING_WQ, 32768, 1048576, 256 },
	{ "srq_largest", IRDMA_RING_WQ, 262144, 8388608, 2048 },
	{ "cq32_largest", IRDMA_RING_CQ32, 1048575, 33554400, 8192 },
	{ "cq64_largest", IRDMA_RING_CQ64, 1048575, 67108800, 16384 },
	{ "ccq", IRDMA_RING_CQ32, 4098, 131136, 33 },
	{ "cqp", IRDMA_RING_CQP, 2048, 131072, 32 },
	{ "ceq_largest", IRDMA_RING_CEQ, 262143, 2097144, 512 },
	{ "aeq_largest", IRDMA_RING_AEQ, 262144, 4194304, 1024 },
	{ "wq_max", IRDMA_RING_WQ, U32_MAX, 0x1fffffffe0, 0x2000000 },
	{ "cq64_max", IRDMA_RING_CQ64, U32_MAX, 0x3fffffffc0, 0x4000000 },
};

KUNIT_ARRAY_PARAM_DESC(bytes, bytes_cases, name);

static void ring_bytes_are_counted_in_64_bits(struct kunit *test)
{
	const struct bytes_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, irdma_ring_bytes(c->kind, c->depth), c->bytes);
	KUNIT_EXPECT_EQ(test, irdma_ring_pages(c->kind, c->depth), c->pages);
}

struct qp_mem_case {
	const char *name;
	u64 page_cnt;
	u16 sq_pages;
	u16 rq_pages;
	u32 sq_quanta;
	u32 rq_quanta;
	int err;
};

static const struct qp_mem_case qp_mem_cases[] = {
	{ "at_registration", 6, 4, 1, 0, 0, 0 },
	{ "at_registration_shadow_missing", 5, 4, 1, 0, 0, -EINVAL },
	{ "at_registration_nothing", 0, 0, 0, 0, 0, -EINVAL },
	{ "at_registration_only_shadow", 1, 0, 0, 0, 0, 0 },
	{ "fits_exactly", 6, 4, 1, 512, 128, 0 },
	{ "fits_with_room", 100, 50, 49, 512, 128, 0 },
	{ "sq_one_quantum_longer", 6, 4, 1, 513, 128, -EINVAL },
	{ "rq_one_quantum_longer", 6, 4, 1, 512, 129, -EINVAL },
	{ "sq_runs_into_the_rq", 6, 1, 4, 512, 128, -EINVAL },
	{ "rq_runs_into_the_shadow", 6, 5, 0, 512, 128, -EINVAL },
	{ "rq_of_srq_has_no_page", 5, 4, 0, 512, 0, 0 },
	{ "sq_has_no_page", 2, 0, 1, 512, 128, -EINVAL },
	{ "pages_wrap_16_bits", 1, 0xffff, 1, 512, 128, -EINVAL },
	{ "pages_max", 0x1ffff, 0xffff, 0xffff, 512, 128, 0 },
	{ "pages_max_one_short", 0x1fffe, 0xffff, 0xffff, 512, 128, -EINVAL },
	{ "largest", 513, 256, 256, 32768, 32768, 0 },
	{ "depth_wraps_32_bits", 6, 4, 1, 0x08000000, 128, -EINVAL },
	{ "depth_max", U64_MAX, 0xffff, 0xffff, U32_MAX, 1, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(qp_mem, qp_mem_cases, name);

static void qp_memory_holds_its_rings(struct kunit *test)
{
	const struct qp_mem_case *c = test->param_value;
	const struct irdma_ring_mem mem = {
		.page_cnt = c->page_cnt,
		.sq_pages = c->sq_pages,
		.rq_pages = c->rq_pages,
	};

	KUNIT_EXPECT_EQ(test, irdma_ring_mem_check_qp(&mem, c->sq_quanta,
						      c->rq_quanta), c->err);
	if (!c->sq_pages && !c->sq_quanta)
		KUNIT_EXPECT_EQ(test, irdma_ring_mem_check_srq(&mem,
							       c->rq_quanta),
				c->err);
}

struct srq_mem_case {
	const char *name;
	u64 page_cnt;
	u16 rq_pages;
	u32 quanta;
	int err;
};

static const struct srq_mem_case srq_mem_cases[] = {
	{ "fits_exactly", 2, 1, 128, 0 },
	{ "shadow_missing", 1, 1, 128, -EINVAL },
	{ "one_quantum_longer", 2, 1, 129, -EINVAL },
	{ "largest", 2049, 2048, 262144, 0 },
	{ "largest_one_page_short", 2048, 2047, 262144, -EINVAL },
	{ "largest_claims_a_page_too_many", 2048, 2048, 262144, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(srq_mem, srq_mem_cases, name);

static void srq_memory_holds_its_ring(struct kunit *test)
{
	const struct srq_mem_case *c = test->param_value;
	const struct irdma_ring_mem mem = {
		.page_cnt = c->page_cnt,
		.rq_pages = c->rq_pages,
	};

	KUNIT_EXPECT_EQ(test, irdma_ring_mem_check_srq(&mem, c->quanta), c->err);
}

struct cq_mem_case {
	const char *name;
	u64 page_cnt;
	u16 cq_pages;
	bool cq_shadow;
	enum irdma_ring_kind kind;
	u32 entries;
	int err;
};

static const struct cq_mem_case cq_mem_cases[] = {
	{ "ring_of_a_page", 1, 1, true, IRDMA_RING_CQ64, 64, 0 },
	{ "ring_of_a_page_and_one", 1, 1, true, IRDMA_RING_CQ64, 65, -EINVAL },
	{ "shadow_behind_it", 2, 1, false, IRDMA_RING_CQ64, 64, 0 },
	{ "shadow_missing", 1, 1, false, IRDMA_RING_CQ64, 64, -EINVAL },
	{ "small_entries", 1, 1, true, IRDMA_RING_CQ32, 128, 0 },
	{ "small_entries_and_one", 1, 1, true, IRDMA_RING_CQ32, 129, -EINVAL },
	{ "at_registration", 1, 1, true, IRDMA_RING_CQ64, 0, 0 },
	{ "at_registration_too_many", 1, 2, true, IRDMA_RING_CQ64, 0, -EINVAL },
	{ "nothing", 0, 0, true, IRDMA_RING_CQ64, 1, -EINVAL },
	{ "largest", 16384, 16384, true, IRDMA_RING_CQ64, 1048575, 0 },
	{ "largest_one_short", 16383, 16383, true, IRDMA_RING_CQ64, 1048575,
	  -EINVAL },
	{ "depth_wraps_32_bits", 1, 1, true, IRDMA_RING_CQ64, 0x04000001,
	  -EINVAL },
	{ "depth_max", U64_MAX, 0xffff, true, IRDMA_RING_CQ64, U32_MAX, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(cq_mem, cq_mem_cases, name);

static void cq_memory_holds_its_ring(struct kunit *test)
{
	const struct cq_mem_case *c = test->param_value;
	const struct irdma_ring_mem mem = {
		.page_cnt = c->page_cnt,
		.cq_pages = c->cq_pages,
		.cq_shadow = c->cq_shadow,
	};

	KUNIT_EXPECT_EQ(test, irdma_ring_mem_check_cq(&mem, c->kind, c->entries),
			c->err);
}

static void memory_ends_with_the_shadow_area(struct kunit *test)
{
	const struct irdma_ring_mem none = {};
	const struct irdma_ring_mem qp = { .sq_pages = 8, .rq_pages = 2 };
	const struct irdma_ring_mem srq = { .rq_pages = 2048 };
	const struct irdma_ring_mem cq = { .cq_pages = 16384, .cq_shadow = true };
	const struct irdma_ring_mem most = { .sq_pages = 0xffff, .rq_pages = 0xffff };

	KUNIT_EXPECT_EQ(test, irdma_ring_mem_bytes(&none), 64);
	KUNIT_EXPECT_EQ(test, irdma_ring_mem_bytes(&qp), 41024);
	KUNIT_EXPECT_EQ(test, irdma_ring_mem_bytes(&srq), 8388672);
	KUNIT_EXPECT_EQ(test, irdma_ring_mem_bytes(&cq), 67108864);
	KUNIT_EXPECT_EQ(test, irdma_ring_mem_bytes(&most), 536862784);
}

static struct kunit_case irdma_ring_buf_cases[] = {
	KUNIT_CASE_PARAM(wqe_is_long_enough, shift_gen_params),
	KUNIT_CASE_PARAM(wq_depth_is_what_user_space_computes, depth_gen_params),
	KUNIT_CASE(wq_depth_agrees_with_doubling),
	KUNIT_CASE_PARAM(wq_depth_of_user_space_is_checked, given_gen_params),
	KUNIT_CASE_PARAM(cq_depth_is_in_range, cq_gen_params),
	KUNIT_CASE_PARAM(ring_bytes_are_counted_in_64_bits, bytes_gen_params),
	KUNIT_CASE_PARAM(qp_memory_holds_its_rings, qp_mem_gen_params),
	KUNIT_CASE_PARAM(srq_memory_holds_its_ring, srq_mem_gen_params),
	KUNIT_CASE_PARAM(cq_memory_holds_its_ring, cq_mem_gen_params),
	KUNIT_CASE(memory_ends_with_the_shadow_area),
	{}
};

static struct kunit_suite irdma_ring_buf_suite = {
	.name = "irdma_ring_buf",
	.test_cases = irdma_ring_buf_cases,
};

kunit_test_suite(irdma_ring_buf_suite);
