// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Event queue entries worked out from the layout against what is read.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <kunit/test.h>

#include "../aeqe.h"

#define V	0x8000000000000000ULL	/* valid */

struct aeqe_case {
	const char *name;
	u64 qw[2];
	struct irdma_aeqe want;
};

static const struct aeqe_case aeqe_cases[] = {
	{ "qp", { 0x00007fff12345640, V | 0x14280023cbabcdef },
	  { .ctx = 0x00007fff12345640, .id = 0x1abcdef, .source = 5,
	    .qp_state = 6, .wqe_idx = 0x23, .code = 0x50a } },
	{ "all_fields_full", { U64_MAX, U64_MAX },
	  { .ctx = 0xffffffffffffffc0, .id = 0x1ffffff, .source = 0xf,
	    .qp_state = 7, .wqe_idx = 0x3ffff, .code = 0xfff,
	    .tcp_state = 0xf, .q2_written = 3, .overflow = true } },
	{ "id_only", { 0, V | 0x1ffffff }, { .id = 0x1ffffff } },
	{ "source_only", { 0, V | 0x1e000000 }, { .source = 0xf } },
	{ "qp_state_only", { 0, V | 0xe0000000 }, { .qp_state = 7 } },
	{ "wqe_idx_only", { 0, V | 0x0003ffff00000000 },
	  { .wqe_idx = 0x3ffff } },
	{ "code_only", { 0, V | 0x3ffc000000000000 }, { .code = 0xfff } },
	{ "overflow_only", { 0, V | 0x4000000000000000 },
	  { .overflow = true } },
	{ "tcp_state_only", { 0xf, V }, { .tcp_state = 0xf } },
	{ "q2_only", { 0x30, V }, { .q2_written = 3 } },
	{ "deferred", { 0, V | 0x2404abcd00000000 },
	  { .wqe_idx = 0xabcd, .code = 0x901 } },
};

KUNIT_ARRAY_PARAM_DESC(aeqe, aeqe_cases, name);

static void expect_aeqe(struct kunit *test, const struct irdma_aeqe *got,
			const struct irdma_aeqe *want)
{
	KUNIT_EXPECT_EQ(test, got->ctx, want->ctx);
	KUNIT_EXPECT_EQ(test, got->id, want->id);
	KUNIT_EXPECT_EQ(test, got->wqe_idx, want->wqe_idx);
	KUNIT_EXPECT_EQ(test, got->code, want->code);
	KUNIT_EXPECT_EQ(test, got->source, want->source);
	KUNIT_EXPECT_EQ(test, got->qp_state, want->qp_state);
	KUNIT_EXPECT_EQ(test, got->tcp_state, want->tcp_state);
	KUNIT_EXPECT_EQ(test, got->q2_written, want->q2_written);
	KUNIT_EXPECT_EQ(test, got->overflow, want->overflow);
}

static void event_is_read_as_specified(struct kunit *test)
{
	const struct aeqe_case *c = test->param_value;
	struct irdma_hw_aeqe entry = {
		.qw = { cpu_to_le64(c->qw[0]), cpu_to_le64(c->qw[1]) },
	};
	struct irdma_aeqe aeqe = {};

	KUNIT_EXPECT_FALSE(test, irdma_aeqe_decode(&entry, false, &aeqe));
	KUNIT_ASSERT_TRUE(test, irdma_aeqe_decode(&entry, true, &aeqe));
	expect_aeqe(test, &aeqe, &c->want);

	entry.qw[1] = cpu_to_le64(c->qw[1] ^ V);
	KUNIT_EXPECT_FALSE(test, irdma_aeqe_decode(&entry, true, &aeqe));
	KUNIT_ASSERT_TRUE(test, irdma_aeqe_decode(&entry, false, &aeqe));
	expect_aeqe(test, &aeqe, &c->want);
}

static void completion_event_returns_the_cq_context(struct kunit *test)
{
	const u64 full = 0x7fffffffffffffff;
	__le64 entry = cpu_to_le64(U64_MAX);
	u64 ctx = 5;

	KUNIT_EXPECT_FALSE(test, irdma_ceqe_decode(&entry, false, &ctx));
	KUNIT_EXPECT_EQ(test, ctx, 5);
	KUNIT_EXPECT_TRUE(test, irdma_ceqe_decode(&entry, true, &ctx));
	KUNIT_EXPECT_EQ(test, ctx, full);

	entry = cpu_to_le64(0x0123456789abcdef);
	KUNIT_EXPECT_FALSE(test, irdma_ceqe_decode(&entry, true, &ctx));
	KUNIT_EXPECT_TRUE(test, irdma_ceqe_decode(&entry, false, &ctx));
	KUNIT_EXPECT_EQ(test, ctx, 0x0123456789abcdefULL);
}

/* Entries 1 and 3 of 5 name the CQ; the ring wraps after entry 3. */
static void scrubbing_forgets_one_cq_and_stops_at_the_end(struct kunit *test)
{
	__le64 ring[5] = {
		cpu_to_le64(V | 6), cpu_to_le64(V | 7), cpu_to_le64(V | 8),
		cpu_to_le64(V | 7), cpu_to_le64(7),
	};

	for (u32 i = 0; i < 4; i++)
		KUNIT_EXPECT_TRUE(test, irdma_ceqe_scrub(&ring[i], true, 7));
	KUNIT_EXPECT_FALSE(test, irdma_ceqe_scrub(&ring[4], true, 7));
	KUNIT_EXPECT_EQ(test, le64_to_cpu(ring[0]), V | 6);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(ring[1]), V | 0xffffffff);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(ring[2]), V | 8);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(ring[3]), V | 0xffffffff);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(ring[4]), 7);

	KUNIT_EXPECT_TRUE(test, irdma_ceqe_scrub(&ring[4], false, 7));
	KUNIT_EXPECT_EQ(test, le64_to_cpu(ring[4]), 0xffffffff);
}

static struct kunit_case aeqe_test_cases[] = {
	KUNIT_CASE_PARAM(event_is_read_as_specified, aeqe_gen_params),
	KUNIT_CASE(completion_event_returns_the_cq_context),
	KUNIT_CASE(scrubbing_forgets_one_cq_and_stops_at_the_end),
	{}
};

static struct kunit_suite aeqe_suite = {
	.name = "irdma_aeqe",
	.test_cases = aeqe_test_cases,
};

kunit_test_suite(aeqe_suite);
