// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completions: entries worked out from the layout against what is read.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <kunit/test.h>

#include "../cqe.h"

#define V	0x8000000000000000ULL	/* valid */

struct cqe_case {
	const char *name;
	u64 qw[8];
	struct irdma_cqe want;
};

static const struct cqe_case cqe_cases[] = {
	{
		.name = "sq",
		.qw = { 0xaabbccdd11223344, 0x00007fff12345610,
			0x00abcdef00000000, V | 0x43007fff00000000 },
		.want = {
			.ctx = 0x00007fff12345610, .len_bytes = 0x11223344,
			.timestamp = 0xaabbccdd, .qp_id = 0xabcdef,
			.wqe_idx = 0x7fff, .op = 3, .sq = true,
		},
	},
	{
		.name = "rq_solicited_imm",
		.qw = { 0x0000000100000000, 1, 0x0000000300000000,
			V | 0x3f44001200000000, 0xffffffffdeadbeef,
			0xdddddddddddddddd, 0, V | 0x4000000000000000 },
		.want = {
			.ctx = 1, .timestamp = 1, .qp_id = 3, .wqe_idx = 0x12,
			.op = 0x3f, .solicited = true, .has_imm = true,
			.imm = 0xdeadbeef,
		},
	},
	{
		.name = "rq_invalidated",
		.qw = { 0, 2, 0xff000003a1b2c3d4, V | 0x3e20000000000000 },
		.want = {
			.ctx = 2, .qp_id = 3, .inv_stag = 0xa1b2c3d4,
			.op = 0x3e, .invalidated = true,
		},
	},
	{
		.name = "ud_ipv6_smac_vlan",
		.qw = { 0x28, 3, 0x0000000100fedcba, V | 0x3e04000000000000,
			0x1234, 0, 0xa123021324354657, V | 0x3000000000000000 },
		.want = {
			.ctx = 3, .len_bytes = 0x28, .qp_id = 1,
			.src_qpn = 0xfedcba, .op = 0x3e, .has_smac = true,
			.has_vlan = true, .vlan_tag = 0xa123, .imm = 0x1234,
			.smac = { 0x02, 0x13, 0x24, 0x35, 0x46, 0x57 },
		},
	},
	{
		.name = "ud_ipv4_smac",
		.qw = { 0, 3, 0x0000000100000001, V | 0x3e24000000000000,
			0, 0, 0x0000ffffffffffff, V | 0x2000000000000000 },
		.want = {
			.ctx = 3, .qp_id = 1, .src_qpn = 1, .op = 0x3e,
			.ipv4 = true, .has_smac = true,
			.smac = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
		},
	},
	{
		.name = "ud_vlan",
		.qw = { 0, 3, 0x0000000100000001, V | 0x3e04000000000000,
			0, 0, 0xffff000000000000, V | 0x1000000000000000 },
		.want = {
			.ctx = 3, .qp_id = 1, .src_qpn = 1, .op = 0x3e,
			.has_vlan = true, .vlan_tag = 0xffff,
		},
	},
	{
		.name = "srq_without_extended_flag",
		.qw = { 0x40, 0xfedcba9876543210, 0x0000000500000000,
			V | 0x0310000000000000, 0xffffffffffffffff,
			0x00007fff12345610, 0xffffffffffffffff,
			0x7fffffffffffffff },
		.want = {
			.ctx = 0x00007fff12345610,
			.wr_id = 0xfedcba9876543210, .len_bytes = 0x40,
			.qp_id = 5, .op = 3, .srq = true,
		},
	},
	{
		.name = "flushed_sq",
		.qw = { 0, 4, 0x0000000600000000, V | 0x7f80000000010008 },
		.want = {
			.ctx = 4, .qp_id = 6, .op = 0x3f, .sq = true,
			.error = true, .major = 1, .minor = 8,
		},
	},
	{
		.name = "srq_flush_with_event_code",
		.qw = { 0, 7, 0x0000000600000000, V | 0x00900000fffe0303,
			0, 9, 0, 0 },
		.want = {
			.ctx = 9, .wr_id = 7, .qp_id = 6, .srq = true,
			.error = true, .major = 0xfffe, .minor = 0x303,
		},
	},
	{
		.name = "codes_without_error_are_none",
		.qw = { 0, 4, 0, V | 0x40000000ffffffff },
		.want = { .ctx = 4, .sq = true },
	},
	{
		.name = "all_ones",
		.qw = { U64_MAX, U64_MAX, U64_MAX, U64_MAX,
			U64_MAX, U64_MAX, U64_MAX, U64_MAX },
		.want = {
			.ctx = U64_MAX, .wr_id = U64_MAX,
			.len_bytes = U32_MAX, .timestamp = U32_MAX,
			.qp_id = 0xffffff, .inv_stag = U32_MAX,
			.imm = U32_MAX, .major = U16_MAX, .minor = U16_MAX,
			.wqe_idx = 0x7fff, .vlan_tag = U16_MAX,
			.smac = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
			.op = 0x3f, .sq = true, .srq = true, .error = true,
			.solicited = true, .push_dropped = true,
			.invalidated = true, .has_imm = true,
			.has_smac = true, .has_vlan = true,
		},
	},
	{
		.name = "push_dropped",
		.qw = { 0, 4, 0, V | 0x4008000000000000 },
		.want = { .ctx = 4, .sq = true, .push_dropped = true },
	},
};

KUNIT_ARRAY_PARAM_DESC(cqe, cqe_cases, name);

static void fill(__le64 *to, const u64 *from, u32 cnt, u64 flip)
{
	for (u32 i = 0; i < cnt; i++)
		to[i] = cpu_to_le64(i % 4 == 3 ? from[i] ^ flip : from[i]);
}

static void expect_cqe(struct kunit *test, const struct irdma_cqe *got,
		       const struct irdma_cqe *want)
{
	KUNIT_EXPECT_EQ(test, got->ctx, want->ctx);
	KUNIT_EXPECT_EQ(test, got->wr_id, want->wr_id);
	KUNIT_EXPECT_EQ(test, got->len_bytes, want->len_bytes);
	KUNIT_EXPECT_EQ(test, got->timestamp, want->timestamp);
	KUNIT_EXPECT_EQ(test, got->qp_id, want->qp_id);
	KUNIT_EXPECT_EQ(test, got->src_qpn, want->src_qpn);
	KUNIT_EXPECT_EQ(test, got->imm, want->imm);
	KUNIT_EXPECT_EQ(test, got->major, want->major);
	KUNIT_EXPECT_EQ(test, got->minor, want->minor);
	KUNIT_EXPECT_EQ(test, got->wqe_idx, want->wqe_idx);
	KUNIT_EXPECT_EQ(test, got->vlan_tag, want->vlan_tag);
	KUNIT_EXPECT_MEMEQ(test, got->smac, want->smac, ETH_ALEN);
	KUNIT_EXPECT_EQ(test, got->op, want->op);
	KUNIT_EXPECT_EQ(test, got->sq, want->sq);
	KUNIT_EXPECT_EQ(test, got->srq, want->srq);
	KUNIT_EXPECT_EQ(test, got->error, want->error);
	KUNIT_EXPECT_EQ(test, got->solicited, want->solicited);
	KUNIT_EXPECT_EQ(test, got->push_dropped, want->push_dropped);
	KUNIT_EXPECT_EQ(test, got->ipv4, want->ipv4);
	KUNIT_EXPECT_EQ(test, got->has_imm, want->has_imm);
	KUNIT_EXPECT_EQ(test, got->has_smac, want->has_smac);
	KUNIT_EXPECT_EQ(test, got->has_vlan, want->has_vlan);
}

/* The second pass over the ring inverts the valid bit of both halves. */
static void completion_is_read_as_specified(struct kunit *test)
{
	const struct cqe_case *c = test->param_value;
	struct irdma_cqe64 entry;
	struct irdma_cqe cqe;

	fill(entry.qw, c->qw, 8, 0);
	memset(&cqe, 0xff, sizeof(cqe));
	KUNIT_EXPECT_TRUE(test, irdma_cqe_present(&entry, true));
	KUNIT_EXPECT_FALSE(test, irdma_cqe_present(&entry, false));
	KUNIT_EXPECT_FALSE(test, irdma_cqe_decode(&entry, false, &cqe));
	KUNIT_ASSERT_TRUE(test, irdma_cqe_decode(&entry, true, &cqe));
	expect_cqe(test, &cqe, &c->want);

	fill(entry.qw, c->qw, 8, V);
	memset(&cqe, 0xff, sizeof(cqe));
	KUNIT_EXPECT_FALSE(test, irdma_cqe_present(&entry, true));
	KUNIT_EXPECT_FALSE(test, irdma_cqe_decode(&entry, true, &cqe));
	KUNIT_ASSERT_TRUE(test, irdma_cqe_decode(&entry, false, &cqe));
	expect_cqe(test, &cqe, &c->want);
}

static void half_written_completion_is_not_there(struct kunit *test)
{
	struct irdma_cqe64 entry = {};
	struct irdma_cqe cqe;

	entry.qw[3] = cpu_to_le64(V | 0x0004000000000000);
	KUNIT_EXPECT_FALSE(test, irdma_cqe_decode(&entry, true, &cqe));
	entry.qw[7] = cpu_to_le64(V);
	KUNIT_EXPECT_TRUE(test, irdma_cqe_decode(&entry, true, &cqe));

	entry.qw[3] = cpu_to_le64(0x0004000000000000);
	KUNIT_EXPECT_FALSE(test, irdma_cqe_decode(&entry, false, &cqe));
	entry.qw[7] = 0;
	KUNIT_EXPECT_TRUE(test, irdma_cqe_decode(&entry, false, &cqe));
}

struct ccqe_case {
	const char *name;
	u64 qw[4];
	struct irdma_ccqe want;
};

static const struct ccqe_case ccqe_cases[] = {
	{
		.name = "done",
		.qw = { U64_MAX, 0x0123456789abcdef, 0xaabbccdd11223344,
			V | 0x40007fff00000000 },
		.want = {
			.ctx = 0x0123456789abcdef, .retval = 0x11223344,
			.ticket = 0xaabbccdd, .wqe_idx = 0x7fff,
		},
	},
	{
		.name = "information_is_no_error",
		.qw = { 0, 0, 0, V | 0x40000001ffff0003 },
		.want = { .wqe_idx = 1, .minor = 3 },
	},
	{
		.name = "failed",
		.qw = { 0, 0, 0, V | 0x40800001ffff8002 },
		.want = { .wqe_idx = 1, .major = 0xffff, .minor = 0x8002,
			  .error = true },
	},
	{
		.name = "deferred",
		.qw = { 0, 0, 0x0000abcd00000000, V | 0x4000000100000006 },
		.want = { .wqe_idx = 1, .minor = 6, .ticket = 0xabcd,
			  .kind = IRDMA_CCQE_DEFERRED },
	},
	{
		.name = "pending",
		.qw = { 0, 0, 0xfedcba9800000000, V | 0x4000000100000007 },
		.want = { .wqe_idx = 1, .minor = 7, .ticket = 0xfedcba98,
			  .kind = IRDMA_CCQE_PENDING },
	},
	{
		.name = "failed_with_minor_6",
		.qw = { 0, 0, 0, V | 0x40800001ffff0006 },
		.want = { .wqe_idx = 1, .major = 0xffff, .minor = 6,
			  .error = true },
	},
	{
		.name = "all_ones",
		.qw = { U64_MAX, U64_MAX, U64_MAX, U64_MAX },
		.want = {
			.ctx = U64_MAX, .retval = U32_MAX, .ticket = U32_MAX,
			.major = U16_MAX, .minor = U16_MAX, .wqe_idx = 0x7fff,
			.error = true, .kind = IRDMA_CCQE_OOO_FINAL,
		},
	},
	{
		.name = "out_of_order_final",
		.qw = { 0, 0, 0xfedcba9800000005, V | 0x4040000100000000 },
		.want = { .wqe_idx = 1, .ticket = 0xfedcba98, .retval = 5,
			  .kind = IRDMA_CCQE_OOO_FINAL },
	},
	{
		.name = "out_of_order_final_failed",
		.qw = { 0, 0, 1ULL << 32, V | 0x40c0000000018029 },
		.want = { .ticket = 1, .major = 1, .minor = 0x8029,
			  .error = true, .kind = IRDMA_CCQE_OOO_FINAL },
	},
};

KUNIT_ARRAY_PARAM_DESC(ccqe, ccqe_cases, name);

static void expect_ccqe(struct kunit *test, const struct irdma_ccqe *got,
			const struct irdma_ccqe *want)
{
	KUNIT_EXPECT_EQ(test, got->ctx, want->ctx);
	KUNIT_EXPECT_EQ(test, got->retval, want->retval);
	KUNIT_EXPECT_EQ(test, got->ticket, want->ticket);
	KUNIT_EXPECT_EQ(test, got->major, want->major);
	KUNIT_EXPECT_EQ(test, got->minor, want->minor);
	KUNIT_EXPECT_EQ(test, got->wqe_idx, want->wqe_idx);
	KUNIT_EXPECT_EQ(test, got->kind, want->kind);
	KUNIT_EXPECT_EQ(test, got->error, want->error);
}

static void command_completion_is_read_as_specified(struct kunit *test)
{
	const struct ccqe_case *c = test->param_value;
	struct irdma_ccqe ccqe = {};
	struct irdma_cqe32 entry;

	fill(entry.qw, c->qw, 4, 0);
	KUNIT_EXPECT_FALSE(test, irdma_ccqe_decode(&entry, false, &ccqe));
	KUNIT_ASSERT_TRUE(test, irdma_ccqe_decode(&entry, true, &ccqe));
	expect_ccqe(test, &ccqe, &c->want);

	fill(entry.qw, c->qw, 4, V);
	KUNIT_EXPECT_FALSE(test, irdma_ccqe_decode(&entry, true, &ccqe));
	KUNIT_ASSERT_TRUE(test, irdma_ccqe_decode(&entry, false, &ccqe));
	expect_ccqe(test, &ccqe, &c->want);
}

static void arming_counts_and_keeps_the_ring_number(struct kunit *test)
{
	static const struct {
		u64 old;
		bool any;
		bool solicited;
		u64 want;
	} cases[] = {
		{ 0, true, false, 0x14000 },
		{ 0, true, true, 0x1c000 },
		{ 0, false, true, 0x18000 },
		{ 0x1c000, false, true, 0x28000 },
		{ 0x28000, true, false, 0x3c000 },
		{ 0x3ffff, true, true, 0x0ffff },
		{ 0x31234, false, false, 0x01234 },
	};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ(test,
				irdma_cq_arm_word(cases[i].old, cases[i].any,
						  cases[i].solicited),
				cases[i].want);
}

static void retiring_rings_keeps_the_arm_bits(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, irdma_cq_retire_word(0, 1), 1);
	KUNIT_EXPECT_EQ(test, irdma_cq_retire_word(0x3c001, 2), 0x3c003);
	KUNIT_EXPECT_EQ(test, irdma_cq_retire_word(0x3ffff, 1), 0x3c000);
	KUNIT_EXPECT_EQ(test, irdma_cq_retire_word(0x10005, 0), 0x10005);
}

static struct kunit_case cqe_test_cases[] = {
	KUNIT_CASE_PARAM(completion_is_read_as_specified, cqe_gen_params),
	KUNIT_CASE(half_written_completion_is_not_there),
	KUNIT_CASE_PARAM(command_completion_is_read_as_specified,
			 ccqe_gen_params),
	KUNIT_CASE(arming_counts_and_keeps_the_ring_number),
	KUNIT_CASE(retiring_rings_keeps_the_arm_bits),
	{}
};

static struct kunit_suite cqe_suite = {
	.name = "irdma_cqe",
	.test_cases = cqe_test_cases,
};

kunit_test_suite(cqe_suite);
