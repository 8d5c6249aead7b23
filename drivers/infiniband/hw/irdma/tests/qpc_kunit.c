// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * RoCE QP contexts against words worked out from the layout.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <kunit/test.h>

#include "../qpc.h"
#include "words.h"

struct qpc_case {
	const char *name;
	struct irdma_qpc_args args;
	u64 want[IRDMA_QPC_QWORDS];
};

static const struct qpc_case qpc_cases[] = {
	{
		.name = "rc_ipv6",
		.args = {
			.sq_addr = 0x0123456789abc000,
			.rq_addr = 0xfedcba9876543000,
			.compl_ctx = 0x00007fff12345610,
			.local_ip = { 0x20010db8, 0x11112222,
				      0x33334444, 0x55556666 },
			.dest_ip = { 0xfe800000, 0x77778888,
				     0x9999aaaa, 0xbbbbcccc },
			.sq_quanta = 32768, .rq_quanta = 512,
			.pd_id = 0xabcdef, .send_cq = 0x1234567,
			.recv_cq = 0x0fedcba, .srq_id = 0xffff,
			.qkey = 0x80010000, .dest_qpn = 0x123456,
			.sq_psn = 0xabcdef, .rq_psn = 0x654321,
			.lsn = 0xffff, .cwnd = 0x400, .flow_label = 0xfffedcba,
			.pkey = 0xffff, .path_mtu = 4096, .src_port = 0xc123,
			.dest_port = 4791, .vlan_tag = 0xa123,
			.arp_idx = 0x4567, .qset = 0x2a5, .ord = 0x7ff,
			.ird = 64, .stats_idx = 0x55, .push_idx = 0x3ff,
			.src_mac = { 0x02, 0x13, 0x24, 0x35, 0x46, 0x57 },
			.ttl = 0x40, .tos = 0x89, .ack_credits = 0x1e,
			.min_rnr_timer = 0x15, .ack_timeout = 0x12,
			.retry_cnt = 0x47, .rnr_retry_cnt = 0xe, .min_rto = 4,
			.rq_wqe_shift = 2, .insert_vlan = true,
			.remote_atomic = true, .remote_write = true,
			.bind = true,
		},
		.want = {
			[0] = 0x0000000000000220,
			[1] = 0x0123456789abc000,
			[2] = 0xfedcba9876543000,
			[3] = 0x12b7c1238900d740,
			[4] = 0x9999aaaabbbbcccc,
			[5] = 0xfe80000077778888,
			[6] = 0x4567a12310000000,
			[7] = 0x0000ffff01eedcba,
			[8] = 0x8001000000123456,
			[10] = 0x0000ffff00abcdef,
			[11] = 0x0000000000654321,
			[12] = 0x00abcdef00abcdef,
			[14] = 0x0000040000000000,
			[16] = 0x0987000000000015,
			[17] = 0x00fedcba01234567,
			[19] = 0x0213243546571200,
			[20] = 0x00000000009547ff,
			[21] = 0x00007fff12345610,
			[22] = 0x0000000002a50000,
			[23] = 0x3333444455556666,
			[24] = 0x20010db811112222,
			[26] = 0x0000000000abcdef,
		},
	},
	{
		.name = "ud_ipv4_srq_privileged",
		.args = {
			.sq_addr = 0x0edcba9, .rq_addr = 0x0123456789abc000,
			.compl_ctx = 0xffffffffffffffc0,
			.local_ip = { 0x20010db8, 0x11112222,
				      0xffff, 0xc0a80001 },
			.dest_ip = { 0xfe800000, 0x77778888,
				     0xffff, 0xc0a80002 },
			.sq_quanta = 4, .rq_quanta = 16,
			.srq_id = 0xabcdbeef, .qset = 0x3ff,
			.stats_idx = 0xffff, .push_idx = 0xfeab,
			.ipv4 = true, .use_srq = true, .use_push = true,
			.use_stats = true, .remote_read = true,
			.fast_reg = true, .privileged = true,
			.ud_priv_cq = true,
		},
		.want = {
			[0] = 0x000082ab00000408,
			[1] = 0x0edcba9,
			[2] = 0x0123456789abc000,
			[3] = 0x0000000000000200,
			[4] = 0x00000000c0a80002,
			[20] = 0x0000000007280000,
			[21] = 0xffffffffffffffc0,
			[22] = 0x0000000003ff0000,
			[23] = 0x00000000c0a80001,
			[25] = 0x000000000000beef,
			[26] = 0x0000ffff00000000,
		},
	},
	{
		.name = "widest",
		.args = {
			.sq_quanta = 131072, .rq_quanta = 131072,
			.pd_id = U32_MAX, .send_cq = U32_MAX,
			.recv_cq = U32_MAX, .dest_qpn = U32_MAX,
			.qkey = U32_MAX, .sq_psn = U32_MAX,
			.rq_psn = U32_MAX, .lsn = U32_MAX, .cwnd = U32_MAX,
			.flow_label = U32_MAX, .pkey = U16_MAX,
			.path_mtu = U16_MAX, .src_port = U16_MAX,
			.dest_port = U16_MAX, .vlan_tag = U16_MAX,
			.arp_idx = U16_MAX, .qset = U16_MAX, .ord = U16_MAX,
			.ird = 2048,
			.src_mac = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
			.ttl = U8_MAX, .tos = U8_MAX, .ack_credits = U8_MAX,
			.min_rnr_timer = U8_MAX, .ack_timeout = U8_MAX,
			.retry_cnt = U8_MAX, .rnr_retry_cnt = U8_MAX,
			.min_rto = U8_MAX, .rq_wqe_shift = U8_MAX,
		},
		.want = {
			[0] = 0x0000000000000300,
			[3] = 0xffffffffff00ffff,
			[6] = 0xffffffff3fff0000,
			[7] = 0x0000ffff01ffffff,
			[8] = 0xffffffff00ffffff,
			[10] = 0x00ffffff00ffffff,
			[11] = 0x0000000000ffffff,
			[12] = 0x00ffffff00ffffff,
			[14] = 0x00ffffff00000000,
			[16] = 0xffff00000000001f,
			[17] = 0x01ffffff01ffffff,
			[19] = 0xffffffffffff1f00,
			[20] = 0x00000000000287ff,
			[22] = 0x0000000003ff0000,
			[26] = 0x0000000000ffffff,
		},
	},
};

KUNIT_ARRAY_PARAM_DESC(qpc, qpc_cases, name);

static void context_is_laid_out_as_specified(struct kunit *test)
{
	const struct qpc_case *c = test->param_value;
	struct irdma_qpc qpc;

	memset(&qpc, 0xff, sizeof(qpc));
	irdma_qpc_enc(&qpc, &c->args);
	expect_words(test, qpc.qw, c->want, IRDMA_QPC_QWORDS);
}

/* One flag at a time, so that two that changed places are seen. */
static void each_flag_has_its_own_bit(struct kunit *test)
{
	static const struct {
		size_t flag;
		unsigned int qw;
		u64 bits;
	} flags[] = {
		{ offsetof(struct irdma_qpc_args, ipv4), 0, 0x8 },
		{ offsetof(struct irdma_qpc_args, insert_vlan), 0, 0x20 },
		{ offsetof(struct irdma_qpc_args, use_srq), 0, 0x400 },
		{ offsetof(struct irdma_qpc_args, use_push), 0,
		  0x800000000000 },
		{ offsetof(struct irdma_qpc_args, remote_atomic), 20,
		  0x40000 },
		{ offsetof(struct irdma_qpc_args, ud_priv_cq), 20, 0x80000 },
		{ offsetof(struct irdma_qpc_args, remote_write), 20,
		  0x100000 },
		{ offsetof(struct irdma_qpc_args, remote_read), 20, 0x200000 },
		{ offsetof(struct irdma_qpc_args, bind), 20, 0x800000 },
		{ offsetof(struct irdma_qpc_args, fast_reg), 20, 0x1000000 },
		{ offsetof(struct irdma_qpc_args, privileged), 20, 0x2000000 },
		{ offsetof(struct irdma_qpc_args, use_stats), 20, 0x4000000 },
	};

	for (u32 i = 0; i < ARRAY_SIZE(flags); i++) {
		struct irdma_qpc_args a = { .sq_quanta = 4, .rq_quanta = 4 };
		u64 want[IRDMA_QPC_QWORDS] = {};
		struct irdma_qpc qpc;

		*((bool *)&a + flags[i].flag) = true;
		want[flags[i].qw] = flags[i].bits;
		irdma_qpc_enc(&qpc, &a);
		expect_words(test, qpc.qw, want, IRDMA_QPC_QWORDS);
	}
}

static void ird_code_covers_twice_the_reads(struct kunit *test)
{
	for (u32 ird = 0; ird <= 2048; ird++) {
		u8 code = irdma_ird_code(ird);

		KUNIT_ASSERT_LE(test, code, 10);
		KUNIT_ASSERT_GE(test, 4U << code, 2 * ird);
		if (code)
			KUNIT_ASSERT_LT(test, 4U << (code - 1), 2 * ird);
	}
	KUNIT_EXPECT_EQ(test, irdma_ird_code(2049), 0);
	KUNIT_EXPECT_EQ(test, irdma_ird_code(U32_MAX), 0);
	KUNIT_EXPECT_EQ(test, irdma_ird_code(0x80000001), 0);
}

static void defaults_are_those_of_a_new_qp(struct kunit *test)
{
	static const u64 want[IRDMA_QPC_QWORDS] = {
		[3] = 0x12b7c00000000000,
		[7] = 0x0000000001e00000,
		[14] = 0x0000040000000000,
		[16] = 0x0a82000000000000,
		[20] = 0x0000000000300000,
	};
	struct irdma_qpc_args a = { .sq_quanta = 4, .rq_quanta = 4 };
	struct irdma_qpc qpc;

	irdma_qpc_defaults(&a);
	irdma_qpc_enc(&qpc, &a);
	expect_words(test, qpc.qw, want, IRDMA_QPC_QWORDS);
}

static struct kunit_case qpc_test_cases[] = {
	KUNIT_CASE_PARAM(context_is_laid_out_as_specified, qpc_gen_params),
	KUNIT_CASE(each_flag_has_its_own_bit),
	KUNIT_CASE(ird_code_covers_twice_the_reads),
	KUNIT_CASE(defaults_are_those_of_a_new_qp),
	{}
};

static struct kunit_suite qpc_suite = {
	.name = "irdma_qpc",
	.test_cases = qpc_test_cases,
};

kunit_test_suite(qpc_suite);
