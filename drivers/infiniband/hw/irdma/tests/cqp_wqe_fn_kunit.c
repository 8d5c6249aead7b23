// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Control commands of flushing, statistics and the function itself.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <kunit/test.h>

#include "../cqp_wqe_fn.h"
#include "cqp_case.h"

static void enc_flush_both(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_flush_args a = {
		.qp_id = 0xabcdef, .sq_code = IRDMA_FLUSH_RNR_EXCEEDED,
		.rq_code = IRDMA_FLUSH_LOCAL_LEN, .sq_err_idx = 0x3ffff,
		.rq_err_idx = 0x7fff,
		.sq = true, .rq = true,
		.sq_err_valid = true, .rq_err_valid = true,
	};

	irdma_cqp_enc_flush(wqe, &a);
}

static void enc_flush_sq(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_flush_args a = {
		.qp_id = 0xabcdef, .sq_code = IRDMA_FLUSH_RNR_EXCEEDED,
		.rq_code = IRDMA_FLUSH_LOCAL_LEN, .sq_err_idx = 0x12345,
		.rq_err_idx = 0x7fff,
		.sq = true, .sq_err_valid = true,
	};

	irdma_cqp_enc_flush(wqe, &a);
}

static void enc_flush_rq(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_flush_args a = {
		.qp_id = 0xabcdef, .sq_code = IRDMA_FLUSH_RNR_EXCEEDED,
		.rq_code = IRDMA_FLUSH_LOCAL_LEN, .sq_err_idx = 1,
		.rq_err_idx = 0x7fff,
		.rq = true,
	};

	irdma_cqp_enc_flush(wqe, &a);
}

static void enc_gen_ae(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_gen_ae(wqe, 0xabcdef, 0x505, 0xf);
}

static void enc_suspend_qp(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_suspend_qp(wqe, 0xabcdef);
}

static void enc_resume_qp(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_resume_qp(wqe, 0xabcdef, 0xfedcba98);
}

static void enc_upload_qpc(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_upload_qpc(wqe, 0x0123456789abc000, 0xabcdef,
				 IRDMA_HW_QP_ROCE_UD);
}

static void enc_alloc_push_page(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_alloc_push_page(wqe, 0xabcd);
}

static void enc_free_push_page(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_free_push_page(wqe, 0xabcd, 0xfedcba98);
}

static void enc_alloc_stats(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_alloc_stats(wqe);
}

static void enc_free_stats(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_free_stats(wqe, 0x7f);
}

static void enc_gather_stats(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_gather_stats(wqe, 0x0123456789abc000);
}

static void enc_gather_stats_instance(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_gather_stats_instance(wqe, 0x0123456789abc000,
					    0x55);
}

static void enc_up_map(struct irdma_cqp_wqe *wqe)
{
	static const u8 map[] = { 1, 2, 3, 4, 5, 6, 7, 0x88 };

	irdma_cqp_enc_up_map(wqe, map, 0xabcd, true);
}

static void enc_query_fpm(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_query_fpm(wqe, 0xabcd, 0x0123456789abc000);
}

static void enc_commit_fpm(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_commit_fpm(wqe, 0x3f, 0x0123456789abc000, false);
}

static void enc_commit_fpm_fw_buf(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_commit_fpm(wqe, 0x3f, 0x0123456789abc000, true);
}

static void enc_hmc_pages_done(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_hmc_pages_done(wqe, 0x3f);
}

static void enc_query_features(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_query_features(wqe, 0x0123456789abc000, 272);
}

static void enc_nop(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_nop(wqe);
}

static void enc_flush_widest(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_flush_args a = {
		.qp_id = U32_MAX, .sq_code = 0x1ffff, .rq_code = 0x1ffff,
		.sq_err_idx = U32_MAX, .rq_err_idx = U32_MAX,
		.sq = true, .rq = true,
		.sq_err_valid = true, .rq_err_valid = true,
	};

	irdma_cqp_enc_flush(wqe, &a);
}

static void enc_gen_ae_widest(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_gen_ae(wqe, U32_MAX, U16_MAX, U8_MAX);
}

static void enc_suspend_qp_widest(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_suspend_qp(wqe, U32_MAX);
}

static void enc_upload_qpc_widest(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_upload_qpc(wqe, U64_MAX, U32_MAX, U8_MAX);
}

static void enc_free_stats_widest(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_free_stats(wqe, U8_MAX);
}

static void enc_hmc_pages_done_widest(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_hmc_pages_done(wqe, U8_MAX);
}

static void enc_query_features_widest(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_query_features(wqe, U64_MAX, U32_MAX);
}

static const struct cqp_case cqp_cases[] = {
	{
		.name = "flush_both",
		.enc = enc_flush_both,
		.want = {
			[2] = 0x0001000b00010006ULL,
			[3] = 0x70000c2200abcdefULL,
			[5] = 0x0003ffff00000000ULL,
			[6] = 0x00007fff00000000ULL,
		},
	},
	{
		.name = "flush_sq",
		.enc = enc_flush_sq,
		.want = {
			[2] = 0x0001000b00000000ULL,
			[3] = 0x3000042200abcdefULL,
			[5] = 0x0001234500000000ULL,
		},
	},
	{
		.name = "flush_rq",
		.enc = enc_flush_rq,
		.want = {
			[2] = 0x0000000000010006ULL,
			[3] = 0x5000002200abcdefULL,
		},
	},
	{
		.name = "gen_ae",
		.enc = enc_gen_ae,
		.want = {
			[1] = 0x00000000000f0505ULL,
			[3] = 0x0800002200abcdefULL,
		},
	},
	{
		.name = "suspend_qp",
		.enc = enc_suspend_qp,
		.want = {
			[3] = 0x0000002900abcdefULL,
		},
	},
	{
		.name = "resume_qp",
		.enc = enc_resume_qp,
		.want = {
			[2] = 0x00000000fedcba98ULL,
			[3] = 0x0000002a00abcdefULL,
		},
	},
	{
		.name = "upload_qpc",
		.enc = enc_upload_qpc,
		.want = {
			[2] = 0x0123456789abc000ULL,
			[3] = 0x0004001300abcdefULL,
		},
	},
	{
		.name = "alloc_push_page",
		.enc = enc_alloc_push_page,
		.want = {
			[2] = 0x000000000000abcdULL,
			[3] = 0x0000001100000000ULL,
		},
	},
	{
		.name = "free_push_page",
		.enc = enc_free_push_page,
		.want = {
			[2] = 0x000000000000abcdULL,
			[3] = 0x40000011fedcba98ULL,
		},
	},
	{
		.name = "alloc_stats",
		.enc = enc_alloc_stats,
		.want = {
			[3] = 0x4000002d00000000ULL,
		},
	},
	{
		.name = "free_stats",
		.enc = enc_free_stats,
		.want = {
			[3] = 0x0000002d0000007fULL,
		},
	},
	{
		.name = "gather_stats",
		.enc = enc_gather_stats,
		.want = {
			[3] = 0x0000002e00000000ULL,
			[4] = 0x0123456789abc000ULL,
		},
	},
	{
		.name = "gather_stats_instance",
		.enc = enc_gather_stats_instance,
		.want = {
			[3] = 0x2000002e00000055ULL,
			[4] = 0x0123456789abc000ULL,
		},
	},
	{
		.name = "up_map",
		.enc = enc_up_map,
		.want = {
			[0] = 0x8807060504030201ULL,
			[3] = 0x4000002f00000000ULL,
			[5] = 0x000000000000abcdULL,
		},
	},
	{
		.name = "query_fpm",
		.enc = enc_query_fpm,
		.want = {
			[2] = 0x000000000000abcdULL,
			[3] = 0x0000002000000000ULL,
			[4] = 0x0123456789abc000ULL,
		},
	},
	{
		.name = "commit_fpm",
		.enc = enc_commit_fpm,
		.want = {
			[2] = 0x000000000000003fULL,
			[3] = 0x00000021000000d0ULL,
			[4] = 0x0123456789abc000ULL,
		},
	},
	{
		.name = "commit_fpm_fw_buf",
		.enc = enc_commit_fpm_fw_buf,
		.want = {
			[2] = 0x000000000000003fULL,
			[3] = 0x00000061000000d0ULL,
			[4] = 0x0123456789abc000ULL,
		},
	},
	{
		.name = "hmc_pages_done",
		.enc = enc_hmc_pages_done,
		.want = {
			[2] = 0x000000000000003fULL,
			[3] = 0x0000002b00000000ULL,
		},
	},
	{
		.name = "query_features",
		.enc = enc_query_features,
		.want = {
			[3] = 0x0000001200000110ULL,
			[4] = 0x0123456789abc000ULL,
		},
	},
	{
		.name = "nop",
		.enc = enc_nop,
		.want = {
			[3] = 0x0000002400000000ULL,
		},
	},
	{
		.name = "flush_widest",
		.enc = enc_flush_widest,
		.want = {
			[2] = 0x0001ffff0001ffffULL,
			[3] = 0x70000c2200ffffffULL,
			[5] = 0x0003ffff00000000ULL,
			[6] = 0x00007fff00000000ULL,
		},
	},
	{
		.name = "gen_ae_widest",
		.enc = enc_gen_ae_widest,
		.want = {
			[1] = 0x00000000000fffffULL,
			[3] = 0x0800002200ffffffULL,
		},
	},
	{
		.name = "suspend_qp_widest",
		.enc = enc_suspend_qp_widest,
		.want = {
			[3] = 0x0000002900ffffffULL,
		},
	},
	{
		.name = "upload_qpc_widest",
		.enc = enc_upload_qpc_widest,
		.want = {
			[2] = 0xffffffffffffffffULL,
			[3] = 0x000f001300ffffffULL,
		},
	},
	{
		.name = "free_stats_widest",
		.enc = enc_free_stats_widest,
		.want = {
			[3] = 0x0000002d0000007fULL,
		},
	},
	{
		.name = "hmc_pages_done_widest",
		.enc = enc_hmc_pages_done_widest,
		.want = {
			[2] = 0x000000000000003fULL,
			[3] = 0x0000002b00000000ULL,
		},
	},
	{
		.name = "query_features_widest",
		.enc = enc_query_features_widest,
		.want = {
			[3] = 0x00000012ffffffffULL,
			[4] = 0xffffffffffffffffULL,
		},
	},
};

KUNIT_ARRAY_PARAM_DESC(cqp, cqp_cases, name);

/* Descriptor i of a test: alternating kinds, different addresses. */
static struct irdma_sd_args sd_arg(u32 i)
{
	return (struct irdma_sd_args){
		.addr = 0x0123456789a00000 + i * 0x1000,
		.idx = 0x7ff0 + i,
		.direct = i % 2 == 0,
		.valid = i % 3 != 2,
	};
}

static const u64 sd_cmds[11] = {
	0x8000fff0, 0x8000fff1, 0x8000fff2, 0x8000fff3, 0x8000fff4, 0x8000fff5,
	0x8000fff6, 0x8000fff7, 0x8000fff8, 0x8000fff9, 0x8000fffa,
};

/* address, 512 pages << 2, direct, valid */
static const u64 sd_datas[11] = {
	0x0123456789a00803, 0x0123456789a01801, 0x0123456789a02802,
	0x0123456789a03801, 0x0123456789a04803, 0x0123456789a05800,
	0x0123456789a06803, 0x0123456789a07801, 0x0123456789a08802,
	0x0123456789a09801, 0x0123456789a0a803,
};

static void expect_sds(struct kunit *test, u32 cnt,
		       const struct irdma_cqp_wqe *wqe,
		       const struct irdma_sd_side_buf *side)
{
	const u64 valid = 0x8000000000000000;
	u32 side_cnt = cnt > 3 ? cnt - 3 : 0;
	const u64 want[8] = {
		[0] = sd_cmds[0],
		[1] = sd_datas[0],
		[2] = side_cnt ? 0xfedcba98765432a5 : 0x25,
		[3] = 0x0000001f00000000 + side_cnt,
		[4] = cnt > 1 ? sd_cmds[1] | valid : 0,
		[5] = cnt > 1 ? sd_datas[1] : 0,
		[6] = cnt > 2 ? sd_cmds[2] | valid : 0,
		[7] = cnt > 2 ? sd_datas[2] : 0,
	};

	expect_words(test, wqe->qw, want, 8);
	for (u32 i = 0; i < 8; i++) {
		bool used = i < side_cnt;

		KUNIT_EXPECT_EQ(test, le64_to_cpu(side->entry[i].cmd),
				used ? sd_cmds[i + 3] : U64_MAX);
		KUNIT_EXPECT_EQ(test, le64_to_cpu(side->entry[i].data),
				used ? sd_datas[i + 3] : U64_MAX);
	}
}

static void descriptors_fill_the_wqe_then_the_side_buffer(struct kunit *test)
{
	struct irdma_sd_side_buf side;
	struct irdma_sd_args sd[12];
	struct irdma_cqp_wqe wqe;

	for (u32 i = 0; i < ARRAY_SIZE(sd); i++)
		sd[i] = sd_arg(i);
	for (u32 cnt = 0; cnt <= ARRAY_SIZE(sd); cnt++) {
		const struct irdma_cqp_sds_args a = {
			.sd = sd, .side = &side,
			.side_addr = 0xfedcba9876543280,
			.cnt = cnt, .hmc_fn = 0x25,
		};
		int want = cnt && cnt <= 11 ? 0 : -EINVAL;

		memset(&side, 0xff, sizeof(side));
		memset(&wqe, 0xff, sizeof(wqe));
		KUNIT_EXPECT_EQ(test, irdma_cqp_enc_update_sds(&wqe, &layout,
							       &a), want);
		if (!want)
			expect_sds(test, cnt, &wqe, &side);
	}
}

static void descriptors_stay_in_their_fields(struct kunit *test)
{
	static const u64 want[8] = {
		[0] = 0x8000ffff,
		[1] = 0xfffffffffffff803,
		[2] = 0xffffffffffffffbf,
		[3] = 0x0000001f00000001,
		[4] = 0x800000008000ffff,
		[5] = 0xfffffffffffff803,
		[6] = 0x800000008000ffff,
		[7] = 0xfffffffffffff803,
	};
	const struct irdma_sd_args all = {
		.addr = U64_MAX, .idx = U32_MAX, .direct = true, .valid = true,
	};
	const struct irdma_sd_args sd[] = { all, all, all, all };
	struct irdma_sd_side_buf side = {};
	const struct irdma_cqp_sds_args a = {
		.sd = sd, .side = &side, .side_addr = U64_MAX, .cnt = 4,
		.hmc_fn = U8_MAX,
	};
	struct irdma_cqp_wqe wqe;

	KUNIT_ASSERT_EQ(test, irdma_cqp_enc_update_sds(&wqe, &layout, &a), 0);
	expect_words(test, wqe.qw, want, 8);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(side.entry[0].cmd), want[0]);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(side.entry[0].data), want[1]);
}

static void function_follows_the_announced_layout(struct kunit *test)
{
	const struct irdma_sd_args sd = sd_arg(0);
	struct irdma_sd_side_buf side;
	const struct irdma_cqp_sds_args a = {
		.sd = &sd, .side = &side, .cnt = 1, .hmc_fn = 0x25,
	};
	struct irdma_cqp_wqe wqe;

	KUNIT_ASSERT_EQ(test, irdma_cqp_enc_update_sds(&wqe, &moved, &a), 0);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(wqe.qw[2]), 0x4a);
}

struct features_case {
	const char *name;
	u64 buf[4];
	u32 qwords;
	int err;
	struct irdma_features want;
};

static const struct features_case features_cases[] = {
	{ "version_only", { 0x0000000200010203, 0x0001000100020003 }, 4, 0,
	  { .cnt = 2, .fw_major = 1, .fw_minor = 0x203 } },
	{ "all", { 0x00000004fffffffe, 0x0016000004000000, 0x0020000000000005,
		   0x0021ffffffffffff }, 4, 0,
	  { .cnt = 4, .fw_major = 0xffff, .fw_minor = 0xfffe,
	    .atomics = true, .rm2 = true, .mr_location_known = true,
	    .mr_local = true } },
	{ "mr_in_host_memory", { 0x0000000200000000, 0x00160000fbffffff }, 2,
	  0, { .cnt = 2, .mr_location_known = true } },
	{ "atomics_only", { 0x0000000200000000, 0x0020fffffffffffb }, 2, 0,
	  { .cnt = 2, .atomics = true } },
	{ "rm2_only", { 0x0000000200000000, 0x0020fffffffffffe }, 2, 0,
	  { .cnt = 2, .rm2 = true } },
	{ "entries_past_the_count", { 0x0000000200000000, 0x0021000000000000,
				      0x0020000000000005 }, 4, 0,
	  { .cnt = 2 } },
	{ "type_like_a_known_one", { 0x0000000300000000, 0x8016000004000000,
				     0x8020000000000005 }, 4, 0,
	  { .cnt = 3 } },
	{ "count_one", { 0x0000000100000000 }, 4, -EINVAL, { .cnt = 1 } },
	{ "count_zero", {}, 4, -EINVAL },
	{ "not_the_version", { 0x0001000200000000 }, 4, -EINVAL, { .cnt = 2 } },
	{ "one_more_than_fits", { 0x0000000500000000 }, 4, -EMSGSIZE,
	  { .cnt = 5 } },
	{ "most", { 0x0000ffff00000000 }, 4, -EMSGSIZE, { .cnt = 0xffff } },
	{ "no_buffer", {}, 0, -EINVAL },
	{ "buffer_of_one", { 0x0000000200000000 }, 1, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(features, features_cases, name);

static void features_are_read_within_the_buffer(struct kunit *test)
{
	const struct features_case *c = test->param_value;
	struct irdma_features f;
	__le64 buf[4];

	for (u32 i = 0; i < ARRAY_SIZE(buf); i++)
		buf[i] = cpu_to_le64(c->buf[i]);
	KUNIT_EXPECT_EQ(test, irdma_features_decode(buf, c->qwords, &f),
			c->err);
	KUNIT_EXPECT_EQ(test, f.cnt, c->want.cnt);
	KUNIT_EXPECT_EQ(test, f.fw_major, c->want.fw_major);
	KUNIT_EXPECT_EQ(test, f.fw_minor, c->want.fw_minor);
	KUNIT_EXPECT_EQ(test, f.atomics, c->want.atomics);
	KUNIT_EXPECT_EQ(test, f.rm2, c->want.rm2);
	KUNIT_EXPECT_EQ(test, f.mr_location_known, c->want.mr_location_known);
	KUNIT_EXPECT_EQ(test, f.mr_local, c->want.mr_local);
}

static struct kunit_case cqp_wqe_fn_cases[] = {
	KUNIT_CASE_PARAM(command_is_laid_out_as_specified, cqp_gen_params),
	KUNIT_CASE(descriptors_fill_the_wqe_then_the_side_buffer),
	KUNIT_CASE(descriptors_stay_in_their_fields),
	KUNIT_CASE(function_follows_the_announced_layout),
	KUNIT_CASE_PARAM(features_are_read_within_the_buffer,
			 features_gen_params),
	{}
};

static struct kunit_suite cqp_wqe_fn_suite = {
	.name = "irdma_cqp_wqe_fn",
	.test_cases = cqp_wqe_fn_cases,
};

kunit_test_suite(cqp_wqe_fn_suite);
