// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Control commands of regions, windows and addresses.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <kunit/test.h>

#include "../cqp_wqe_mr.h"
#include "cqp_case.h"

static void enc_alloc_stag(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_mr_args a = {
		.mem = { .addr = 0x0123456789abc000, .pble_idx = 0xfedcba9,
			 .level = 0 },
		.va = 0x00007fff12345678, .len_bytes = 0x200000000000,
		.stag = 0xac9c3614, .pd_id = 0xabcdef,
		.page_code = IRDMA_PAGE_CODE_4K, .rights = 0x1f,
		.va_based = true,
	};

	irdma_cqp_enc_alloc_stag(wqe, &layout, &a);
}

static void enc_alloc_stag_pbl(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_mr_args a = {
		.mem = { .addr = 0x0123456789abc000, .pble_idx = 0xfedcba9,
			 .level = 1 },
		.va = 0x00007fff12345678, .len_bytes = 0x1000,
		.stag = 0xac9c3614, .pd_id = 3,
		.page_code = IRDMA_PAGE_CODE_2M, .rights = 0,
		.atomic = true,
	};

	irdma_cqp_enc_alloc_stag(wqe, &layout, &a);
}

static void enc_reg_mr_contiguous(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_mr_args a = {
		.mem = { .addr = 0x0123456789abc000, .pble_idx = 0xfedcba9,
			 .level = 0 },
		.va = 0x00007fff12345678, .len_bytes = 0x3fffffffffff,
		.stag = 0xac9c3614, .pd_id = 0xabcdef,
		.page_code = IRDMA_PAGE_CODE_1G, .rights = 0x23,
		.va_based = true,
	};

	irdma_cqp_enc_reg_mr(wqe, &layout, &a);
}

static void enc_reg_mr_level2_remote(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_mr_args a = {
		.mem = { .addr = 0x0123456789abc000, .pble_idx = 0xfedcba9,
			 .level = 2 },
		.va = 0x00007fff12345678, .len_bytes = 0x1000,
		.stag = 0xac9c3614, .pd_id = 3,
		.page_code = IRDMA_PAGE_CODE_2M, .rights = 0x1f,
		.atomic = true,
	};

	irdma_cqp_enc_reg_mr(wqe, &layout, &a);
}

static void enc_reg_mr_remote_read(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_mr_args a = {
		.mem = { .addr = 0x0123456789abc000, .pble_idx = 0xfedcba9,
			 .level = 1 },
		.va = 0x00007fff12345678, .len_bytes = 0x1000,
		.stag = 0xac9c3614, .pd_id = 3,
		.page_code = IRDMA_PAGE_CODE_4K, .rights = 0x5,
	};

	irdma_cqp_enc_reg_mr(wqe, &layout, &a);
}

static void enc_reg_mr_remote_write(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_mr_args a = {
		.mem = { .addr = 0x0123456789abc000, .pble_idx = 0xfedcba9,
			 .level = 1 },
		.va = 0x00007fff12345678, .len_bytes = 0x1000,
		.stag = 0xac9c3614, .pd_id = 3,
		.page_code = IRDMA_PAGE_CODE_4K, .rights = 0x8,
	};

	irdma_cqp_enc_reg_mr(wqe, &layout, &a);
}

static void enc_reg_mr_bind_is_not_remote(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_mr_args a = {
		.mem = { .addr = 0x0123456789abc000, .pble_idx = 0xfedcba9,
			 .level = 0 },
		.va = 0x00007fff12345678, .len_bytes = 0,
		.stag = 0xac9c3614, .pd_id = 3,
		.page_code = IRDMA_PAGE_CODE_4K, .rights = 0x10,
	};

	irdma_cqp_enc_reg_mr(wqe, &layout, &a);
}

static void enc_alloc_mw_type1(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_alloc_mw(wqe, &layout, 0xac9c3614, 0xabcdef, true);
}

static void enc_alloc_mw_type2(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_alloc_mw(wqe, &layout, 0xac9c3614, 3, false);
}

static void enc_dealloc_mr(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_dealloc_stag(wqe, &layout, 0xac9c3614, 0xabcdef,
				   true);
}

static void enc_dealloc_mw(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_dealloc_stag(wqe, &layout, 0xac9c3614, 3, false);
}

static void enc_query_stag(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_query_stag(wqe, 0xac9c3614);
}

static void enc_create_ah_ipv6(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_ah_args a = {
		.src_ip = { 0x20010db8, 0x11112222, 0x33334444, 0xc0a80001 },
		.dest_ip = { 0xfe800000, 0x55556666, 0x77778888, 0xc0a80002 },
		.src_mac = { 0x02, 0x13, 0x24, 0x35, 0x46, 0x57 },
		.idx = 0xabcdef, .pd_id = 0x123456, .flow_label = 0xfffedcba,
		.vlan_tag = 0xa123, .arp_idx = 0x4567, .tclass = 0x89,
		.hop_limit = 0x40,
		.insert_vlan = true,
	};

	irdma_cqp_enc_ah(wqe, IRDMA_CQP_OP_CREATE_AH, &a);
}

static void enc_modify_ah_ipv4(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_ah_args a = {
		.src_ip = { 0x20010db8, 0x11112222, 0x33334444, 0xc0a80001 },
		.dest_ip = { 0xfe800000, 0x55556666, 0x77778888, 0xc0a80002 },
		.src_mac = { 0x02, 0x13, 0x24, 0x35, 0x46, 0x57 },
		.idx = 0xabcdef, .pd_id = 0x123456, .flow_label = 0xfffedcba,
		.vlan_tag = 0xa123, .arp_idx = 0x4567, .tclass = 0x89,
		.hop_limit = 0x40,
		.ipv4 = true,
	};

	irdma_cqp_enc_ah(wqe, IRDMA_CQP_OP_MODIFY_AH, &a);
}

static void enc_destroy_ah_loopback(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_ah_args a = {
		.src_ip = { 0x20010db8, 0x11112222, 0x33334444, 0xc0a80001 },
		.dest_ip = { 0xfe800000, 0x55556666, 0x77778888, 0xc0a80002 },
		.src_mac = { 0x02, 0x13, 0x24, 0x35, 0x46, 0x57 },
		.idx = 0xabcdef, .pd_id = 0x123456, .flow_label = 0xfffedcba,
		.vlan_tag = 0xa123, .arp_idx = 0x4567, .tclass = 0x89,
		.hop_limit = 0x40,
		.ipv4 = true, .loopback = true,
	};

	irdma_cqp_enc_ah(wqe, IRDMA_CQP_OP_DESTROY_AH, &a);
}

static void enc_create_mcg_ipv6_vlan(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_mcg_args a = {
		.ctx_addr = 0x0123456789abc000,
		.ip = { 0xff0e0000, 0x11112222, 0x33334444, 0xe0010203 },
		.mac = { 0x01, 0x00, 0x5e, 0x01, 0x02, 0x03 },
		.idx = 0x1fff, .vlan_id = 0xabc, .qset = 0x3ff,
		.hmc_fn = 0x3f,
		.vlan_valid = true,
	};

	irdma_cqp_enc_mcg(wqe, IRDMA_CQP_OP_CREATE_MCG, &a);
}

static void enc_modify_mcg_ipv4(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_mcg_args a = {
		.ctx_addr = 0x0123456789abc000,
		.ip = { 0xff0e0000, 0x11112222, 0x33334444, 0xe0010203 },
		.mac = { 0x01, 0x00, 0x5e, 0x01, 0x02, 0x03 },
		.idx = 0x1fff, .vlan_id = 0xabc, .qset = 0x3ff,
		.hmc_fn = 0x3f,
		.ipv4 = true,
	};

	irdma_cqp_enc_mcg(wqe, IRDMA_CQP_OP_MODIFY_MCG, &a);
}

static void enc_destroy_mcg_ipv4(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_mcg_args a = {
		.ctx_addr = 0x0123456789abc000,
		.ip = { 0xff0e0000, 0x11112222, 0x33334444, 0xe0010203 },
		.mac = { 0x01, 0x00, 0x5e, 0x01, 0x02, 0x03 },
		.idx = 0x1fff, .vlan_id = 0xabc, .qset = 0x3ff,
		.hmc_fn = 0x3f,
		.ipv4 = true,
	};

	irdma_cqp_enc_mcg(wqe, IRDMA_CQP_OP_DESTROY_MCG, &a);
}

static void enc_add_arp(struct irdma_cqp_wqe *wqe)
{
	static const u8 mac[] = { 0x02, 0x13, 0x24, 0x35, 0x46, 0x57 };

	irdma_cqp_enc_add_arp(wqe, 0xfff, mac);
}

static void enc_del_arp(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_del_arp(wqe, 0xabc);
}

static void enc_alloc_stag_widest(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_mr_args a = {
		.mem = { .pble_idx = U32_MAX, .level = 2 },
		.va = U64_MAX, .len_bytes = U64_MAX, .stag = U32_MAX,
		.pd_id = U32_MAX, .page_code = U8_MAX, .rights = U8_MAX,
		.va_based = true, .atomic = true,
	};

	irdma_cqp_enc_alloc_stag(wqe, &layout, &a);
}

static void enc_reg_mr_widest(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_mr_args a = {
		.mem = { .pble_idx = U32_MAX, .level = 2 },
		.va = U64_MAX, .len_bytes = U64_MAX, .stag = U32_MAX,
		.pd_id = U32_MAX, .page_code = U8_MAX, .rights = U8_MAX,
		.va_based = true, .atomic = true,
	};

	irdma_cqp_enc_reg_mr(wqe, &layout, &a);
}

static void enc_query_stag_widest(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_query_stag(wqe, U32_MAX);
}

static void enc_ah_widest(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_ah_args a = {
		.src_ip = { U32_MAX, U32_MAX, U32_MAX, U32_MAX },
		.dest_ip = { U32_MAX, U32_MAX, U32_MAX, U32_MAX },
		.src_mac = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
		.idx = U32_MAX, .pd_id = U32_MAX, .flow_label = U32_MAX,
		.vlan_tag = U16_MAX, .arp_idx = U16_MAX, .tclass = U8_MAX,
		.hop_limit = U8_MAX, .insert_vlan = true, .loopback = true,
	};

	irdma_cqp_enc_ah(wqe, IRDMA_CQP_OP_CREATE_AH, &a);
}

static void enc_mcg_widest(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_mcg_args a = {
		.ip = { U32_MAX, U32_MAX, U32_MAX, U32_MAX },
		.mac = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
		.idx = U16_MAX, .vlan_id = U16_MAX, .qset = U16_MAX,
		.hmc_fn = U8_MAX, .vlan_valid = true,
	};

	irdma_cqp_enc_mcg(wqe, IRDMA_CQP_OP_CREATE_MCG, &a);
}

static void enc_arp_widest(struct irdma_cqp_wqe *wqe)
{
	static const u8 mac[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

	irdma_cqp_enc_add_arp(wqe, U16_MAX, mac);
}

static const struct cqp_case cqp_cases[] = {
	{
		.name = "alloc_stag",
		.enc = enc_alloc_stag,
		.want = {
			[1] = 0xf37be00000000000ULL,
			[2] = 0x0a800000ac9c3600ULL,
			[3] = 0x0020080900000000ULL,
		},
	},
	{
		.name = "alloc_stag_pbl",
		.enc = enc_alloc_stag_pbl,
		.want = {
			[1] = 0x0000c00000001000ULL,
			[2] = 0x00000000ac9c3600ULL,
			[3] = 0x2020580900000000ULL,
			[6] = 0x000000000fedcba9ULL,
		},
	},
	{
		.name = "reg_mr_contiguous",
		.enc = enc_reg_mr_contiguous,
		.want = {
			[0] = 0x00007fff12345678ULL,
			[1] = 0xf37bffffffffffffULL,
			[2] = 0x0a800000ac9c3614ULL,
			[3] = 0x0803880a00000000ULL,
			[4] = 0x0123456789abc000ULL,
		},
	},
	{
		.name = "reg_mr_level2_remote",
		.enc = enc_reg_mr_level2_remote,
		.want = {
			[0] = 0x00007fff12345678ULL,
			[1] = 0x0000c00000001000ULL,
			[2] = 0x00000000ac9c3614ULL,
			[3] = 0x203f780a00000000ULL,
			[6] = 0x000000000fedcba9ULL,
		},
	},
	{
		.name = "reg_mr_remote_read",
		.enc = enc_reg_mr_remote_read,
		.want = {
			[0] = 0x00007fff12345678ULL,
			[1] = 0x0000c00000001000ULL,
			[2] = 0x00000000ac9c3614ULL,
			[3] = 0x0025180a00000000ULL,
			[6] = 0x000000000fedcba9ULL,
		},
	},
	{
		.name = "reg_mr_remote_write",
		.enc = enc_reg_mr_remote_write,
		.want = {
			[0] = 0x00007fff12345678ULL,
			[1] = 0x0000c00000001000ULL,
			[2] = 0x00000000ac9c3614ULL,
			[3] = 0x0028180a00000000ULL,
			[6] = 0x000000000fedcba9ULL,
		},
	},
	{
		.name = "reg_mr_bind_is_not_remote",
		.enc = enc_reg_mr_bind_is_not_remote,
		.want = {
			[0] = 0x00007fff12345678ULL,
			[1] = 0x0000c00000000000ULL,
			[2] = 0x00000000ac9c3614ULL,
			[3] = 0x0010080a00000000ULL,
			[4] = 0x0123456789abc000ULL,
		},
	},
	{
		.name = "alloc_mw_type1",
		.enc = enc_alloc_mw_type1,
		.want = {
			[1] = 0xf37bc00000000000ULL,
			[2] = 0x0a800000ac9c3600ULL,
			[3] = 0x0400040900000000ULL,
		},
	},
	{
		.name = "alloc_mw_type2",
		.enc = enc_alloc_mw_type2,
		.want = {
			[1] = 0x0000c00000000000ULL,
			[2] = 0x00000000ac9c3600ULL,
			[3] = 0x0000000900000000ULL,
		},
	},
	{
		.name = "dealloc_mr",
		.enc = enc_dealloc_mr,
		.want = {
			[1] = 0xf37bc00000000000ULL,
			[2] = 0x0a800000ac9c3600ULL,
			[3] = 0x0000080d00000000ULL,
		},
	},
	{
		.name = "dealloc_mw",
		.enc = enc_dealloc_mw,
		.want = {
			[1] = 0x0000c00000000000ULL,
			[2] = 0x00000000ac9c3600ULL,
			[3] = 0x0000000d00000000ULL,
		},
	},
	{
		.name = "query_stag",
		.enc = enc_query_stag,
		.want = {
			[2] = 0x00000000ac9c3600ULL,
			[3] = 0x0000000b00000000ULL,
		},
	},
	{
		.name = "create_ah_ipv6",
		.enc = enc_create_ah_ipv6,
		.want = {
			[0] = 0x0213243546570000ULL,
			[1] = 0x345600890000a123ULL,
			[2] = 0x45670040012edcbaULL,
			[3] = 0x1000001c00abcdefULL,
			[4] = 0x77778888c0a80002ULL,
			[5] = 0xfe80000055556666ULL,
			[6] = 0x33334444c0a80001ULL,
			[7] = 0x20010db811112222ULL,
		},
	},
	{
		.name = "modify_ah_ipv4",
		.enc = enc_modify_ah_ipv4,
		.want = {
			[0] = 0x0213243546570000ULL,
			[1] = 0x345600890000a123ULL,
			[2] = 0x45670040012edcbaULL,
			[3] = 0x0800001d00abcdefULL,
			[4] = 0x00000000c0a80002ULL,
			[6] = 0x00000000c0a80001ULL,
		},
	},
	{
		.name = "destroy_ah_loopback",
		.enc = enc_destroy_ah_loopback,
		.want = {
			[0] = 0x0213243546570000ULL,
			[1] = 0x345600890000a123ULL,
			[2] = 0x45670040012edcbaULL,
			[3] = 0x4800001e00abcdefULL,
			[4] = 0x00000000c0a80002ULL,
			[6] = 0x00000000c0a80001ULL,
		},
	},
	{
		.name = "create_mcg_ipv6_vlan",
		.enc = enc_create_mcg_ipv6_vlan,
		.want = {
			[0] = 0x000001005e010203ULL,
			[1] = 0x000000000000003fULL,
			[2] = 0x00000abc000003ffULL,
			[3] = 0x0800002600001fffULL,
			[4] = 0x0123456789abc000ULL,
			[6] = 0x33334444e0010203ULL,
			[7] = 0xff0e000011112222ULL,
		},
	},
	{
		.name = "modify_mcg_ipv4",
		.enc = enc_modify_mcg_ipv4,
		.want = {
			[0] = 0x000001005e010203ULL,
			[1] = 0x000000000000003fULL,
			[2] = 0x00000000000003ffULL,
			[3] = 0x1000002700001fffULL,
			[4] = 0x0123456789abc000ULL,
			[6] = 0x00000000e0010203ULL,
		},
	},
	{
		.name = "destroy_mcg_ipv4",
		.enc = enc_destroy_mcg_ipv4,
		.want = {
			[0] = 0x000001005e010203ULL,
			[1] = 0x000000000000003fULL,
			[2] = 0x00000000000003ffULL,
			[3] = 0x1000002800001fffULL,
			[4] = 0x0123456789abc000ULL,
			[6] = 0x00000000e0010203ULL,
		},
	},
	{
		.name = "add_arp",
		.enc = enc_add_arp,
		.want = {
			[2] = 0x0000021324354657ULL,
			[3] = 0x00000c0f00000fffULL,
		},
	},
	{
		.name = "del_arp",
		.enc = enc_del_arp,
		.want = {
			[3] = 0x0000000f00000abcULL,
		},
	},
	{
		.name = "alloc_stag_widest",
		.enc = enc_alloc_stag_widest,
		.want = {
			[1] = 0xffffffffffffffffULL,
			[2] = 0x0fc00000ffffff00ULL,
			[3] = 0x2020f80900000000ULL,
			[6] = 0x000000000fffffffULL,
		},
	},
	{
		.name = "reg_mr_widest",
		.enc = enc_reg_mr_widest,
		.want = {
			[0] = 0xffffffffffffffffULL,
			[1] = 0xffffffffffffffffULL,
			[2] = 0x0fc00000ffffffffULL,
			[3] = 0x283ff80a00000000ULL,
			[6] = 0x000000000fffffffULL,
		},
	},
	{
		.name = "query_stag_widest",
		.enc = enc_query_stag_widest,
		.want = {
			[2] = 0x00000000ffffff00ULL,
			[3] = 0x0000000b00000000ULL,
		},
	},
	{
		.name = "ah_widest",
		.enc = enc_ah_widest,
		.want = {
			[0] = 0xffffffffffff0000ULL,
			[1] = 0xffff00ff0000ffffULL,
			[2] = 0xffff00ff0fffffffULL,
			[3] = 0x5000001c00ffffffULL,
			[4] = 0xffffffffffffffffULL,
			[5] = 0xffffffffffffffffULL,
			[6] = 0xffffffffffffffffULL,
			[7] = 0xffffffffffffffffULL,
		},
	},
	{
		.name = "mcg_widest",
		.enc = enc_mcg_widest,
		.want = {
			[0] = 0x0000ffffffffffffULL,
			[1] = 0x000000000000003fULL,
			[2] = 0x00000fff000003ffULL,
			[3] = 0x0800002600001fffULL,
			[6] = 0xffffffffffffffffULL,
			[7] = 0xffffffffffffffffULL,
		},
	},
	{
		.name = "arp_widest",
		.enc = enc_arp_widest,
		.want = {
			[2] = 0x0000ffffffffffffULL,
			[3] = 0x00000c0f00000fffULL,
		},
	},
};

KUNIT_ARRAY_PARAM_DESC(cqp, cqp_cases, name);

static void pd_follows_the_announced_layout(struct kunit *test)
{
	struct irdma_cqp_wqe wqe;

	irdma_cqp_enc_alloc_mw(&wqe, &moved, 0xac9c3614, 0xabcdef, true);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(wqe.qw[1]), 0xcdef000000000000ULL);
}

static void pages_have_three_sizes(struct kunit *test)
{
	for (unsigned int shift = 0; shift < 70; shift++) {
		int want = shift == 12 ? 0 : shift == 21 ? 1 :
			   shift == 30 ? 2 : -EINVAL;

		KUNIT_EXPECT_EQ(test, irdma_page_code(shift), want);
	}
}

static void group_context_lists_its_members_first(struct kunit *test)
{
	static const u32 qp_ids[] = { 0x3ffff, 3, 4, 5, 6, 7, 8, 9, 10 };
	static const u64 two[8] = { 0x8003ffff, 0x80000003 };
	static const u64 eight[8] = {
		0x8003ffff, 0x80000003, 0x80000004, 0x80000005,
		0x80000006, 0x80000007, 0x80000008, 0x80000009,
	};
	static const u64 none[8] = {};
	static const u64 widest[8] = { 0x8003ffff };
	static const u32 all_ones = U32_MAX;
	struct irdma_mcg_ctx ctx;

	memset(&ctx, 0xff, sizeof(ctx));
	irdma_mcg_ctx_enc(&ctx, qp_ids, 2);
	expect_words(test, ctx.member, two, 8);
	irdma_mcg_ctx_enc(&ctx, qp_ids, 8);
	expect_words(test, ctx.member, eight, 8);
	irdma_mcg_ctx_enc(&ctx, qp_ids, 9);
	expect_words(test, ctx.member, eight, 8);
	irdma_mcg_ctx_enc(&ctx, qp_ids, 0);
	expect_words(test, ctx.member, none, 8);
	irdma_mcg_ctx_enc(&ctx, &all_ones, 1);
	expect_words(test, ctx.member, widest, 8);
}

static struct kunit_case cqp_wqe_mr_cases[] = {
	KUNIT_CASE_PARAM(command_is_laid_out_as_specified, cqp_gen_params),
	KUNIT_CASE(pd_follows_the_announced_layout),
	KUNIT_CASE(pages_have_three_sizes),
	KUNIT_CASE(group_context_lists_its_members_first),
	{}
};

static struct kunit_suite cqp_wqe_mr_suite = {
	.name = "irdma_cqp_wqe_mr",
	.test_cases = cqp_wqe_mr_cases,
};

kunit_test_suite(cqp_wqe_mr_suite);
