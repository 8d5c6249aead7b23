// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Sizes of the host memory cache. The buffers are written by hand; the plan is
 * held against a search through everything that the rules allow.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/sizes.h>

#include "../cqp_wqe_fn.h"
#include "../fpm.h"

#define MIB	((u64)SZ_1M)

/* CQ count in bits 19:0 of its word. */
static const struct irdma_field cq_field = { .shift = 0, .bits = 20 };

static const struct irdma_fpm_limits no_limits = {
	.qps = U32_MAX,
	.cqs = U32_MAX,
	.mr_segments = U32_MAX,
	.pble_segments = U32_MAX,
};

/* Quadword, value: an answer with a different value in every field. */
static const struct {
	u8 qw;
	u64 value;
} query_words[] = {
	{ 0, 0x0000010000000005 },	/* 256 segments from 5 on */
	{ 1, 0x0000000900000400 },	/* QP: 1024 of 512 */
	{ 2, 0x0000000600000900 },	/* CQ: 2304 of 64 */
	{ 3, 0x0000000600000080 },	/* SRQ: 128 of 64 */
	{ 4, 0x0000000600004000 },	/* hash table, not used */
	{ 5, 0x0000000600000200 },	/* ARP: 512 of 64 */
	{ 6, 0x0000000600010000 },	/* MR: 65536 of 64 */
	{ 7, 0x0000000600008000 },	/* XF: 32768 of 64 */
	{ 8, 0x0000002000000400 },	/* XF free list: 1024 blocks of 32 */
	{ 9, 0x0000000600100000 },	/* Q1: 1048576 of 64 */
	{ 10, 0x0000000800020000 },	/* Q1 free list: 131072 blocks of 8 */
	{ 11, 0x0000000600001000 },	/* timer: 4096 of 64 */
	{ 12, 0x0000000600000fff },	/* multicast groups, not used */
	{ 13, 0x0000000500002000 },	/* AH: 8192 of 32 */
	{ 14, 0x0000000000400000 },	/* PBLE: 4194304 */
	{ 15, 0x00240064000f0102 },	/* 258 CEQs, timer unit 100, code 9 */
	{ 16, 0x0000000600004000 },	/* RRF: 16384 of 64 */
	{ 17, 0x0000001000000400 },	/* RRF free list: 1024 blocks of 16 */
	{ 18, 0x0000000700000400 },	/* packet headers: 1024 of 128 */
	{ 19, 0x0000000400000100 },	/* metadata: 256 of 16 */
	{ 20, 0x0000000600000100 },	/* out-of-order state, not used */
	{ 21, 0x0000000000000100 },	/* its free list, not used */
	{ 22, 0x0000008000000000 },	/* 128 segments of device memory */
	{ 23, 0x0000000000003000 },	/* scratch buffer 0 */
	{ 24, 0x0000000000005000 },	/* scratch buffer 1 */
};

static struct irdma_fpm_query make_query(void)
{
	struct irdma_fpm_query query = {};

	for (int i = 0; i < ARRAY_SIZE(query_words); i++)
		query.qw[query_words[i].qw] = cpu_to_le64(query_words[i].value);
	return query;
}

static struct irdma_fpm make_fpm(struct kunit *test, bool rm2, bool mr_host)
{
	struct irdma_features features = {
		.rm2 = rm2,
		.mr_location_known = true,
		.mr_local = !mr_host,
	};
	struct irdma_fpm_query query = make_query();
	struct irdma_fpm fpm;

	KUNIT_ASSERT_EQ(test, irdma_fpm_parse_query(&fpm, &query, &features,
						    64), 0);
	return fpm;
}

static void fpm_query_words_are_where_the_table_says(struct kunit *test)
{
	static const struct { u8 type; u32 max; u32 size; } want[] = {
		{ 0, 1024, 512 }, { 1, 2304, 64 }, { 2, 128, 64 }, { 3, 0, 0 },
		{ 4, 512, 64 }, { 5, 0, 0 }, { 6, 65536, 64 }, { 7, 32768, 64 },
		{ 8, 1024, 4 }, { 9, 1048576, 64 }, { 10, 131072, 4 },
		{ 11, 4096, 64 }, { 12, 0, 0 }, { 13, 8192, 32 },
		{ 14, 4194304, 8 }, { 15, 16384, 64 }, { 16, 1024, 4 },
		{ 17, 1024, 128 }, { 18, 256, 16 }, { 19, 0, 0 }, { 20, 0, 0 },
	};
	struct irdma_fpm fpm = make_fpm(test, false, true);

	for (int i = 0; i < ARRAY_SIZE(want); i++) {
		KUNIT_EXPECT_EQ(test, fpm.obj[want[i].type].max, want[i].max);
		KUNIT_EXPECT_EQ(test, fpm.obj[want[i].type].size_bytes,
				want[i].size);
		KUNIT_EXPECT_EQ(test, fpm.obj[want[i].type].local,
				want[i].type != 14 && want[i].type != 6);
	}
	KUNIT_EXPECT_EQ(test, fpm.first_sd, 5);
	KUNIT_EXPECT_EQ(test, fpm.sd_cnt, 256);
	KUNIT_EXPECT_EQ(test, fpm.local_pages, 128);
	KUNIT_EXPECT_EQ(test, fpm.fw_buf_bytes[0], 0x3000);
	KUNIT_EXPECT_EQ(test, fpm.fw_buf_bytes[1], 0x5000);
	KUNIT_EXPECT_EQ(test, fpm.timer_unit, 100);
	KUNIT_EXPECT_EQ(test, fpm.ceq_cnt, 258);
	KUNIT_EXPECT_EQ(test, fpm.block[7], 32);
	KUNIT_EXPECT_EQ(test, fpm.block[9], 8);
	KUNIT_EXPECT_EQ(test, fpm.block[15], 16);
	KUNIT_EXPECT_EQ(test, fpm.ird, 64);
}

struct bad_query_case {
	const char *name;
	u8 qw;
	u64 value;
	int err;
};

static const struct bad_query_case bad_query_cases[] = {
	{ "as_it_is", 0, 0x0000010000000005, 0 },
	{ "object_of_a_segment", 1, 0x0000001500000001, 0 },
	{ "object_larger_than_a_segment", 1, 0x0000001600000001, -EIO },
	{ "object_size_max", 19, 0xffffffff00000001, -EIO },
	{ "no_xf_block", 8, 0x0000000000000400, -EIO },
	{ "no_q1_block", 10, 0x0000000000020000, -EIO },
	{ "no_rrf_block", 17, 0x0000000000000400, -EIO },
	{ "no_block_of_unused_state", 21, 0, 0 },
	{ "no_device_memory", 22, 0x00000000ffffffff, -EIO },
	{ "ignored_bits_of_the_pble_word", 14, 0xffffffff00400000, 0 },
};

KUNIT_ARRAY_PARAM_DESC(bad_query, bad_query_cases, name);

static void fpm_query_that_cannot_be_true_is_refused(struct kunit *test)
{
	const struct bad_query_case *c = test->param_value;
	struct irdma_fpm_query query = make_query();
	struct irdma_features features = {};
	struct irdma_fpm fpm;

	query.qw[c->qw] = cpu_to_le64(c->value);
	KUNIT_EXPECT_EQ(test, irdma_fpm_parse_query(&fpm, &query, &features,
						    64), c->err);
}

static void fpm_without_elements_needs_no_block(struct kunit *test)
{
	struct irdma_fpm_query query = make_query();
	struct irdma_features features = {};
	struct irdma_fpm fpm;

	query.qw[16] = cpu_to_le64(0x0000000600000000);
	query.qw[17] = 0;
	KUNIT_ASSERT_EQ(test, irdma_fpm_parse_query(&fpm, &query, &features,
						    64), 0);
	KUNIT_ASSERT_EQ(test, irdma_fpm_plan(&fpm, &no_limits), 0);
	KUNIT_EXPECT_EQ(test, fpm.obj[15].cnt, 0);
	KUNIT_EXPECT_EQ(test, fpm.obj[16].cnt, 0);
}

/* Code 0 means 4 and each next one the double, in both directions together. */
static void fpm_read_limit_is_half_of_what_the_code_means(struct kunit *test)
{
	static const u32 want[16] = {
		2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 2, 2, 2, 2, 2,
	};
	struct irdma_features features = { .rm2 = true };

	for (u64 code = 0; code < 16; code++) {
		struct irdma_fpm_query query = make_query();
		struct irdma_fpm fpm;

		query.qw[15] = cpu_to_le64(0x00000064000f0102 | code << 50);
		KUNIT_ASSERT_EQ(test, irdma_fpm_parse_query(&fpm, &query,
							    &features, 64), 0);
		KUNIT_EXPECT_EQ(test, fpm.ird, want[code]);
	}
}

struct place_case {
	const char *name;
	bool known;
	bool local;
	u32 sds;	/* device memory: 128 segments */
	bool want;
};

static const struct place_case place_cases[] = {
	{ "not_reported", false, false, 256, true },
	{ "reported_host", true, false, 256, false },
	{ "reported_local", true, true, 256, true },
	{ "all_segments_are_local", true, false, 128, true },
	{ "one_segment_is_not", true, false, 129, false },
};

KUNIT_ARRAY_PARAM_DESC(place, place_cases, name);

static void fpm_mrs_are_where_the_device_says(struct kunit *test)
{
	const struct place_case *c = test->param_value;
	struct irdma_fpm_query query = make_query();
	struct irdma_features features = {
		.mr_location_known = c->known,
		.mr_local = c->local,
	};
	struct irdma_fpm fpm;

	query.qw[0] = cpu_to_le64((u64)c->sds << 32);
	KUNIT_ASSERT_EQ(test, irdma_fpm_parse_query(&fpm, &query, &features,
						    64), 0);
	KUNIT_EXPECT_EQ(test, fpm.obj[IRDMA_HMC_MR].local, c->want);
	KUNIT_EXPECT_FALSE(test, fpm.obj[IRDMA_HMC_PBLE].local);
	KUNIT_EXPECT_TRUE(test, fpm.obj[IRDMA_HMC_QP].local);
}

/* The counts of 1024 QPs, worked out by hand from the sizing rules. */
static void fpm_counts_follow_from_the_qps(struct kunit *test)
{
	static const struct { u8 type; u32 cnt; } want[] = {
		{ 0, 1024 }, { 1, 2048 }, { 2, 128 }, { 4, 512 }, { 6, 65536 },
		{ 7, 16384 }, { 8, 512 }, { 9, 131072 }, { 10, 16384 },
		{ 11, 300 }, { 13, 8192 }, { 15, 8192 }, { 16, 512 },
		{ 17, 1024 }, { 18, 256 },
	};
	struct irdma_fpm fpm = make_fpm(test, false, true);

	KUNIT_ASSERT_EQ(test, irdma_fpm_plan(&fpm, &no_limits), 0);
	for (int i = 0; i < ARRAY_SIZE(want); i++)
		KUNIT_EXPECT_EQ(test, fpm.obj[want[i].type].cnt, want[i].cnt);
	KUNIT_EXPECT_EQ(test, fpm.ird, 64);
	/* PBLEs have all the segments that they can use */
	KUNIT_EXPECT_EQ(test, fpm.obj[IRDMA_HMC_PBLE].cnt, 4194304);
}

static void fpm_consistent_maxima_are_wanted_unchanged(struct kunit *test)
{
	struct irdma_fpm fpm = make_fpm(test, true, true);

	KUNIT_ASSERT_EQ(test, irdma_fpm_plan(&fpm, &no_limits), 0);
	for (int type = 0; type < IRDMA_HMC_OBJ_CNT; type++)
		KUNIT_EXPECT_EQ(test, fpm.obj[type].cnt, fpm.obj[type].max);
	KUNIT_EXPECT_TRUE(test, fpm.ask_local);
}

struct rm2_case {
	const char *name;
	u32 sds;
	u32 local_pages;
	bool mr_host;
	int err;
	bool ask_local;
	u32 mrs;
	u32 pbles;
};

/*
 * All maxima take 72159232 bytes of device memory, 35 segments, with MRs in
 * host memory, and 37 with the two segments of 65536 MRs.
 */
static const struct rm2_case rm2_cases[] = {
	{ "plenty", 256, 128, true, 0, true, 65536, 4194304 },
	{ "device_memory_just_enough", 256, 35, true, 0, false, 65536, 4194304 },
	{ "device_memory_one_short", 256, 34, true, -ENOSPC },
	{ "mr_local_just_enough", 256, 37, false, 0, false, 65536, 4194304 },
	{ "mr_local_one_short", 256, 36, false, -ENOSPC },
	{ "segments_fewer_than_device_needs", 34, 128, true, -ENOSPC },
	{ "no_segment_left", 35, 128, true, -ENOSPC },
	{ "three_segments_left", 38, 128, true, -ENOSPC },
	{ "four_segments_left", 39, 128, true, 0, true, 32768, 3 * 262144 },
	{ "five_segments_left", 40, 128, true, 0, true, 65536, 3 * 262144 },
	{ "all_local_keeps_three", 40, 40, false, 0, false, 65536, 3 * 262144 },
	{ "all_local_without_three", 39, 39, false, -ENOSPC },
	{ "all_local_of_two", 2, 2, false, -ENOSPC },
};

KUNIT_ARRAY_PARAM_DESC(rm2, rm2_cases, name);

static void fpm_host_gets_what_the_device_leaves(struct kunit *test)
{
	const struct rm2_case *c = test->param_value;
	struct irdma_fpm fpm = make_fpm(test, true, c->mr_host);

	fpm.sd_cnt = c->sds;
	fpm.local_pages = c->local_pages;
	KUNIT_ASSERT_EQ(test, irdma_fpm_plan(&fpm, &no_limits), c->err);
	if (c->err)
		return;
	KUNIT_EXPECT_EQ(test, fpm.ask_local, c->ask_local);
	KUNIT_EXPECT_EQ(test, fpm.obj[IRDMA_HMC_MR].cnt, c->mrs);
	KUNIT_EXPECT_EQ(test, fpm.obj[IRDMA_HMC_PBLE].cnt, c->pbles);
}

/* A segment holds 4096 units of 512 bytes: 4095 QPs and one small object. */
static void fpm_rounds_each_object_up(struct kunit *test)
{
	struct irdma_fpm fpm = make_fpm(test, true, true);

	for (int i = 0; i < IRDMA_HMC_OBJ_CNT; i++)
		if (i != IRDMA_HMC_PBLE)
			fpm.obj[i].max = 0;
	fpm.local_pages = 1;
	fpm.obj[IRDMA_HMC_QP].max = 4095;
	fpm.obj[IRDMA_HMC_ARP].max = 1;
	KUNIT_EXPECT_EQ(test, irdma_fpm_plan(&fpm, &no_limits), 0);
	fpm.obj[IRDMA_HMC_SRQ].max = 1;
	KUNIT_EXPECT_EQ(test, irdma_fpm_plan(&fpm, &no_limits), -ENOSPC);
	fpm.obj[IRDMA_HMC_QP].max = 4094;
	KUNIT_EXPECT_EQ(test, irdma_fpm_plan(&fpm, &no_limits), 0);
}

/* 65536 regions are allowed by their number, but not if one takes 64 KiB. */
static void fpm_large_mr_contexts_do_not_wrap(struct kunit *test)
{
	struct irdma_fpm fpm = make_fpm(test, true, true);

	fpm.sd_cnt = 40;
	KUNIT_EXPECT_EQ(test, irdma_fpm_plan(&fpm, &no_limits), 0);
	fpm.obj[IRDMA_HMC_MR].size_bytes = 65536;
	KUNIT_EXPECT_EQ(test, irdma_fpm_plan(&fpm, &no_limits), -ENOSPC);
}

static void fpm_limits_bound_the_plan(struct kunit *test)
{
	const struct irdma_fpm_limits limits = {
		.qps = 100, .cqs = 150, .mr_segments = 1, .pble_segments = 2,
	};
	struct irdma_fpm fpm = make_fpm(test, false, true);

	KUNIT_ASSERT_EQ(test, irdma_fpm_plan(&fpm, &limits), 0);
	KUNIT_EXPECT_EQ(test, fpm.obj[IRDMA_HMC_QP].cnt, 100);
	KUNIT_EXPECT_EQ(test, fpm.obj[IRDMA_HMC_CQ].cnt, 150);
	KUNIT_EXPECT_EQ(test, fpm.obj[IRDMA_HMC_MR].cnt, 32768);
	KUNIT_EXPECT_EQ(test, fpm.obj[IRDMA_HMC_PBLE].cnt, 2 * 262144);
	/* 16 x 100 and 8 x 100 and 2 x 64 x 100, up to powers of two */
	KUNIT_EXPECT_EQ(test, fpm.obj[IRDMA_HMC_XF].cnt, 2048);
	KUNIT_EXPECT_EQ(test, fpm.obj[IRDMA_HMC_RRF].cnt, 1024);
	KUNIT_EXPECT_EQ(test, fpm.obj[IRDMA_HMC_Q1].cnt, 16384);
}

static void fpm_without_qps_or_pbles_is_no_plan(struct kunit *test)
{
	struct irdma_fpm_limits limits = no_limits;
	struct irdma_fpm fpm = make_fpm(test, false, false);

	limits.qps = 0;
	KUNIT_EXPECT_EQ(test, irdma_fpm_plan(&fpm, &limits), -ENOSPC);
	limits = no_limits;
	limits.pble_segments = 0;
	KUNIT_EXPECT_EQ(test, irdma_fpm_plan(&fpm, &limits), -ENOSPC);
	KUNIT_EXPECT_EQ(test, irdma_fpm_plan(&fpm, &no_limits), 0);
}

static u64 pow2up(u64 x)
{
	u64 p = 1;

	while (p < x)
		p *= 2;
	return p;
}

/* Bytes of device memory by the sizing rules, each line one of the table's. */
static u64 slow_local_bytes(const struct irdma_fpm *f, u64 q, u64 ird, u64 mrs)
{
	u64 cnt[IRDMA_HMC_OBJ_CNT] = {
		[IRDMA_HMC_QP] = q,
		[IRDMA_HMC_CQ] = 2 * q,
		[IRDMA_HMC_SRQ] = U32_MAX,
		[IRDMA_HMC_ARP] = U32_MAX,
		[IRDMA_HMC_MR] = mrs,
		[IRDMA_HMC_XF] = pow2up(16 * q),
		[IRDMA_HMC_Q1] = pow2up(2 * ird * q),
		[IRDMA_HMC_TIMER] = ((q + 511) / 512 + 1) * f->timer_unit,
		[IRDMA_HMC_AH] = min(8 * q, 1048576ULL),
		[IRDMA_HMC_RRF] = pow2up(8 * q),
		[IRDMA_HMC_HDR] = q,
		[IRDMA_HMC_MD] = U32_MAX,
	};
	u64 bytes = 0;

	for (int i = 0; i < IRDMA_HMC_OBJ_CNT; i++) {
		cnt[i] = min(cnt[i], f->obj[i].max);
		if (i == IRDMA_HMC_XF || i == IRDMA_HMC_Q1 || i == IRDMA_HMC_RRF)
			cnt[i + 1] = f->block[i] ? (u32)cnt[i] / f->block[i] : 0;
		if (f->obj[i].local)
			bytes += (cnt[i] * f->obj[i].size_bytes + 511) / 512 * 512;
	}
	return bytes;
}

/* The first fit of all QP counts and read limits, the largest first. */
static bool slow_plan(const struct irdma_fpm *f, u64 budget, u64 *q, u64 *ird)
{
	u64 max_q = f->obj[IRDMA_HMC_QP].max;

	for (int i = 0; i < 32; i++) {
		*q = max_q >> i;
		if (!*q || (i && *q < 64))
			return false;
		for (int j = 0; j < 16; j++) {
			u64 mrs = i ? 4 * *q : U32_MAX;

			*ird = f->ird >> j;
			if (!*ird || (j && *ird < 8))
				break;
			if (slow_local_bytes(f, *q, *ird, mrs) <= budget * 2 * MIB)
				return true;
		}
	}
	return false;
}

static struct irdma_fpm random_fpm(struct kunit *test, struct rnd_state *rnd)
{
	struct irdma_fpm fpm = make_fpm(test, false,
					prandom_u32_state(rnd) % 2);

	for (int i = 0; i < IRDMA_HMC_OBJ_CNT; i++)
		if (fpm.obj[i].max && i != IRDMA_HMC_PBLE)
			fpm.obj[i].max = prandom_u32_state(rnd) >>
					 (8 + prandom_u32_state(rnd) % 20);
	fpm.ird = 1 << prandom_u32_state(rnd) % 9;
	fpm.sd_cnt = 1 + prandom_u32_state(rnd) % 4000;
	fpm.local_pages = prandom_u32_state(rnd) % 8 ?
			  1 + prandom_u32_state(rnd) % 1000 : fpm.sd_cnt;
	if (fpm.local_pages == fpm.sd_cnt)
		fpm.obj[IRDMA_HMC_MR].local = true;
	return fpm;
}

static void fpm_plan_agrees_with_trying_everything(struct kunit *test)
{
	struct irdma_fpm *was = kunit_kzalloc(test, sizeof(*was), GFP_KERNEL);
	struct irdma_fpm *fpm = kunit_kzalloc(test, sizeof(*fpm), GFP_KERNEL);
	u32 fits = 0, refused = 0, halved = 0;
	struct rnd_state rnd;

	KUNIT_ASSERT_NOT_NULL(test, was);
	KUNIT_ASSERT_NOT_NULL(test, fpm);
	prandom_seed_state(&rnd, 5);
	for (int round = 0; round < 3000; round++) {
		u64 budget, q, ird, need;
		bool want;

		*fpm = random_fpm(test, &rnd);
		*was = *fpm;
		budget = fpm->local_pages;
		if (fpm->local_pages == fpm->sd_cnt)
			budget = budget > 3 ? budget - 3 : 0;
		want = slow_plan(was, budget, &q, &ird);
		if (irdma_fpm_plan(fpm, &no_limits)) {
			refused++;
			continue;
		}
		fits++;
		KUNIT_ASSERT_TRUE(test, want);
		KUNIT_ASSERT_EQ(test, fpm->obj[IRDMA_HMC_QP].cnt, q);
		KUNIT_ASSERT_EQ(test, fpm->ird, ird);
		need = slow_local_bytes(was, q, ird,
					was->obj[IRDMA_HMC_QP].max == q ?
					U32_MAX : 4 * q);
		need = (need + 2 * MIB - 1) / (2 * MIB);
		KUNIT_ASSERT_LE(test, need, min(budget, was->sd_cnt));
		halved += q < was->obj[IRDMA_HMC_QP].max;
	}
	KUNIT_EXPECT_GT(test, fits, 500);
	KUNIT_EXPECT_GT(test, halved, 100);
	KUNIT_EXPECT_GT(test, refused, 100);
}

/* What the plan refuses, the search refuses, unless the host has no room. */
static void fpm_plan_refuses_only_what_does_not_fit(struct kunit *test)
{
	u32 fits = 0, refused = 0;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 6);
	for (int round = 0; round < 3000; round++) {
		struct irdma_fpm fpm = random_fpm(test, &rnd);
		u64 q, ird;

		/* room for the host: the device's memory is what limits */
		fpm.sd_cnt = 100000;
		if (slow_plan(&fpm, fpm.local_pages, &q, &ird)) {
			KUNIT_ASSERT_EQ(test, irdma_fpm_plan(&fpm, &no_limits), 0);
			fits++;
		} else {
			KUNIT_ASSERT_EQ(test, irdma_fpm_plan(&fpm, &no_limits),
					-ENOSPC);
			refused++;
		}
	}
	KUNIT_EXPECT_GT(test, fits, 500);
	KUNIT_EXPECT_GT(test, refused, 100);
}

static void fpm_commit_words_are_where_the_table_says(struct kunit *test)
{
	static const u64 want[IRDMA_FPM_COMMIT_QWORDS] = {
		[0] = 0x8000000000000001, [1] = 0x8000000000000002,
		[2] = 0x8000000000000003, [4] = 0x8000000000000005,
		[6] = 0x8000000000000007, [7] = 0x8000000000000008,
		[8] = 0x8000000000000009, [9] = 0x800000000000000a,
		[10] = 0x800000000000000b, [11] = 0x800000000000000c,
		[13] = 0x800000000000000e, [14] = 0x000000000000000f,
		[16] = 0x8000000000000010, [17] = 0x8000000000000011,
		[18] = 0x8000000000000012, [19] = 0,
		[24] = 0x0000001234567000, [25] = 0x0000009876543000,
	};
	static const u64 fw_buf[2] = { 0x1234567000, 0x9876543000 };
	struct irdma_fpm fpm = make_fpm(test, true, true);
	struct irdma_fpm_commit commit;

	for (int i = 0; i < IRDMA_HMC_OBJ_CNT; i++)
		fpm.obj[i].cnt = i + 1;
	fpm.obj[IRDMA_HMC_MD].cnt = 0;
	fpm.ask_local = true;
	irdma_fpm_pack_commit(&fpm, fw_buf, &commit);
	for (int i = 0; i < IRDMA_FPM_COMMIT_QWORDS; i++)
		KUNIT_EXPECT_EQ(test, le64_to_cpu(commit.qw[i]), want[i]);
	fpm.ask_local = false;
	irdma_fpm_pack_commit(&fpm, fw_buf, &commit);
	for (int i = 0; i < 24; i++)
		KUNIT_EXPECT_EQ(test, le64_to_cpu(commit.qw[i]),
				want[i] & ~(1ULL << 63));
}

/* MRs at 6 MiB, PBLEs at 64 MiB and 512 bytes, all else below 4 MiB. */
static const struct {
	u8 qw;
	u64 value;
} commit_words[] = {
	{ 0, 0x0000000000000400 }, { 1, 0x0000040000000800 },
	{ 2, 0x0000050000000080 }, { 4, 0x0000058000000200 },
	{ 6, 0x0000300000010000 }, { 7, 0x0000060000004000 },
	{ 8, 0x00000e0000000200 }, { 9, 0x00000f0000004000 },
	{ 10, 0x0000170000000800 }, { 11, 0x000017400000012c },
	{ 13, 0x0000178000002000 }, { 14, 0x0002000100400000 },
	{ 16, 0x0000198000002000 }, { 17, 0x00001d8000000200 },
	{ 18, 0x00001e0000000400 }, { 19, 0x00001f0000000100 },
};

static struct irdma_fpm_commit make_commit(void)
{
	struct irdma_fpm_commit commit = {};

	for (int i = 0; i < ARRAY_SIZE(commit_words); i++)
		commit.qw[commit_words[i].qw] =
			cpu_to_le64(commit_words[i].value);
	return commit;
}

static struct irdma_fpm make_planned(struct kunit *test)
{
	struct irdma_fpm fpm = make_fpm(test, false, true);

	KUNIT_ASSERT_EQ(test, irdma_fpm_plan(&fpm, &no_limits), 0);
	return fpm;
}

static void fpm_answer_gives_counts_and_bases(struct kunit *test)
{
	struct irdma_fpm fpm = make_planned(test);
	struct irdma_fpm_commit commit = make_commit();

	KUNIT_ASSERT_EQ(test, irdma_fpm_parse_commit(&fpm, cq_field, &commit), 0);
	for (int i = 0; i < ARRAY_SIZE(commit_words); i++) {
		u8 qw = commit_words[i].qw;
		/* word 15 belongs to no type */
		u8 type = qw < 16 ? qw : qw - 1;

		KUNIT_EXPECT_EQ(test, fpm.obj[type].cnt,
				(u32)commit_words[i].value);
		KUNIT_EXPECT_EQ(test, fpm.obj[type].base,
				(commit_words[i].value >> 32) * 512);
	}
	/* PBLEs end at 96 MiB and 512 bytes */
	KUNIT_EXPECT_EQ(test, fpm.sd_cnt, 49);
}

static void fpm_more_than_wanted_is_not_used(struct kunit *test)
{
	struct irdma_fpm fpm = make_planned(test);
	struct irdma_fpm_commit commit = make_commit();

	/* high bits of the QP and CQ words do not belong to the counts */
	commit.qw[0] = cpu_to_le64(0x00000000ffe00300);
	commit.qw[1] = cpu_to_le64(0x00000400fff00700);
	commit.qw[2] = cpu_to_le64(0x0000050000000081);
	KUNIT_ASSERT_EQ(test, irdma_fpm_parse_commit(&fpm, cq_field, &commit), 0);
	KUNIT_EXPECT_EQ(test, fpm.obj[IRDMA_HMC_QP].cnt, 0x300);
	KUNIT_EXPECT_EQ(test, fpm.obj[IRDMA_HMC_CQ].cnt, 0x700);
	KUNIT_EXPECT_EQ(test, fpm.obj[IRDMA_HMC_SRQ].cnt, 0x80);
}

struct bad_commit_case {
	const char *name;
	u8 qw;
	u64 value;
	int err;
};

static const struct bad_commit_case bad_commit_cases[] = {
	{ "as_it_is", 6, 0x0000300000010000, 0 },
	{ "no_qps", 0, 0, -EIO },
	{ "no_pbles", 14, 0x0002000100000000, -EIO },
	{ "same_base", 6, 0x0002000100010000, -EIO },
	{ "overlap_of_512_bytes", 6, 0x0001e00200010000, -EIO },
	{ "touching", 6, 0x0001e00100010000, 0 },
	{ "overlap_from_below", 14, 0x00004fff00400000, -EIO },
	{ "empty_object_inside_another", 2, 0x0002000500000000, 0 },
	/* 8192 segments end at 16 GiB = 0x2000000 units */
	{ "last_segment", 14, 0x01ff000000400000, 0 },
	{ "beyond_the_last_segment", 14, 0x01ff000100400000, -EIO },
	{ "base_max", 6, 0xffffffff00010000, -EIO },
};

KUNIT_ARRAY_PARAM_DESC(bad_commit, bad_commit_cases, name);

static void fpm_answer_that_cannot_be_true_is_refused(struct kunit *test)
{
	const struct bad_commit_case *c = test->param_value;
	struct irdma_fpm fpm = make_planned(test);
	struct irdma_fpm_commit commit = make_commit();

	commit.qw[c->qw] = cpu_to_le64(c->value);
	KUNIT_EXPECT_EQ(test, irdma_fpm_parse_commit(&fpm, cq_field, &commit),
			c->err);
}

struct range_case {
	const char *name;
	u64 base;
	u32 cnt;	/* of 64 bytes */
	bool local;
	u32 first;
	u32 segments;
};

static const struct range_case range_cases[] = {
	{ "nothing", 0, 0, false, 0, 0 },
	{ "device_memory", 0, 100, true, 0, 0 },
	{ "one_object", 0x200000, 1, false, 1, 1 },
	{ "whole_segment", 0x200000, 32768, false, 1, 1 },
	{ "segment_and_one", 0x200000, 32769, false, 1, 2 },
	{ "from_the_last_unit", 0x3ffe00, 8, false, 1, 1 },
	{ "over_the_edge", 0x3ffe00, 9, false, 1, 2 },
	{ "above_4g", 0x100000000, 65536, false, 2048, 2 },
};

KUNIT_ARRAY_PARAM_DESC(range, range_cases, name);

static void fpm_range_covers_the_object(struct kunit *test)
{
	const struct range_case *c = test->param_value;
	struct irdma_fpm fpm = make_planned(test);
	struct irdma_fpm_range range;

	fpm.obj[IRDMA_HMC_MR].base = c->base;
	fpm.obj[IRDMA_HMC_MR].cnt = c->cnt;
	fpm.obj[IRDMA_HMC_MR].local = c->local;
	range = irdma_fpm_segments(&fpm, IRDMA_HMC_MR);
	KUNIT_EXPECT_EQ(test, range.first, c->first);
	KUNIT_EXPECT_EQ(test, range.cnt, c->segments);
}

struct extent_case {
	const char *name;
	u64 base;
	u32 cnt;
	u32 first_pages;	/* pages of the first extent */
	u32 last_pages;		/* of the last one */
	u32 extents;
};

static const struct extent_case extent_cases[] = {
	{ "whole_segments", 0x4000000, 3 * 262144, 512, 512, 3 },
	{ "one_page", 0x4000000, 512, 1, 1, 1 },
	{ "less_than_a_page", 0x4000000, 511, 0, 0, 0 },
	{ "nothing", 0x4000000, 0, 0, 0, 0 },
	{ "page_and_a_bit", 0x4000000, 1023, 1, 1, 1 },
	{ "base_in_the_middle", 0x4100000, 262144, 256, 256, 2 },
	{ "base_not_a_page", 0x4000200, 262144, 511, 0, 1 },
	{ "base_in_the_last_page", 0x41ffe00, 2 * 262144, 512, 511, 2 },
	{ "short_last_one", 0x4000000, 262144 + 512 * 7, 512, 7, 2 },
};

KUNIT_ARRAY_PARAM_DESC(extent, extent_cases, name);

/* Extents follow each other without a gap, inside one segment each. */
static void fpm_extents_tile_the_entries(struct kunit *test)
{
	const struct extent_case *c = test->param_value;
	struct irdma_fpm fpm = make_planned(test);
	struct irdma_pble_extent e = {};
	u32 used = 0, extents = 0;

	fpm.obj[IRDMA_HMC_PBLE].base = c->base;
	fpm.obj[IRDMA_HMC_PBLE].cnt = c->cnt;
	while (!irdma_fpm_next_pbles(&fpm, used, &e)) {
		u64 pa = e.segment * 2 * MIB + e.first_page * 4096;

		if (!extents)
			KUNIT_EXPECT_EQ(test, e.page_cnt, c->first_pages);
		KUNIT_ASSERT_GE(test, e.page_cnt, 1);
		KUNIT_ASSERT_LE(test, e.first_page + e.page_cnt, 512);
		KUNIT_ASSERT_EQ(test, pa, c->base + e.first_pble * 8);
		KUNIT_ASSERT_EQ(test, pa, ALIGN(c->base, 4096) + used * 4096);
		KUNIT_ASSERT_LE(test, e.first_pble + e.page_cnt * 512, c->cnt);
		used += e.page_cnt;
		extents++;
	}
	KUNIT_EXPECT_EQ(test, extents, c->extents);
	if (c->last_pages)
		KUNIT_EXPECT_EQ(test, e.page_cnt, c->last_pages);
	/* less than a page of entries is left over at each end */
	KUNIT_EXPECT_LT(test, c->cnt - used * 512, 2 * 512);
}

static struct kunit_case irdma_fpm_cases[] = {
	KUNIT_CASE(fpm_query_words_are_where_the_table_says),
	KUNIT_CASE_PARAM(fpm_query_that_cannot_be_true_is_refused,
			 bad_query_gen_params),
	KUNIT_CASE(fpm_without_elements_needs_no_block),
	KUNIT_CASE(fpm_read_limit_is_half_of_what_the_code_means),
	KUNIT_CASE_PARAM(fpm_mrs_are_where_the_device_says, place_gen_params),
	KUNIT_CASE(fpm_counts_follow_from_the_qps),
	KUNIT_CASE(fpm_consistent_maxima_are_wanted_unchanged),
	KUNIT_CASE_PARAM(fpm_host_gets_what_the_device_leaves, rm2_gen_params),
	KUNIT_CASE(fpm_rounds_each_object_up),
	KUNIT_CASE(fpm_large_mr_contexts_do_not_wrap),
	KUNIT_CASE(fpm_limits_bound_the_plan),
	KUNIT_CASE(fpm_without_qps_or_pbles_is_no_plan),
	KUNIT_CASE(fpm_plan_agrees_with_trying_everything),
	KUNIT_CASE(fpm_plan_refuses_only_what_does_not_fit),
	KUNIT_CASE(fpm_commit_words_are_where_the_table_says),
	KUNIT_CASE(fpm_answer_gives_counts_and_bases),
	KUNIT_CASE(fpm_more_than_wanted_is_not_used),
	KUNIT_CASE_PARAM(fpm_answer_that_cannot_be_true_is_refused,
			 bad_commit_gen_params),
	KUNIT_CASE_PARAM(fpm_range_covers_the_object, range_gen_params),
	KUNIT_CASE_PARAM(fpm_extents_tile_the_entries, extent_gen_params),
	{}
};

static struct kunit_suite irdma_fpm_suite = {
	.name = "irdma_fpm",
	.test_cases = irdma_fpm_cases,
};

kunit_test_suite(irdma_fpm_suite);
