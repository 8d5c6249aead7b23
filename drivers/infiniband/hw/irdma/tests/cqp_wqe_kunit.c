// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Control commands of queues: QP, CQ, SRQ, CEQ, AEQ.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <kunit/test.h>

#include "cqp_case.h"

static void enc_create_qp(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_qp_args a = {
		.ctx_addr = 0x0123456789abc000, .shadow_addr = 0xfedcba9876543240,
		.id = 0xabcdef, .type = IRDMA_HW_QP_ROCE_RC,
		.next_state = IRDMA_HW_QPS_IDLE,
		.cq_valid = true, .mac_valid = true,
	};

	irdma_cqp_enc_create_qp(wqe, &a);
}

static void enc_create_qp_pbl(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_qp_args a = {
		.ctx_addr = 0x0123456789abc000, .shadow_addr = 0xfedcba9876543240,
		.id = 0xabcdef, .type = IRDMA_HW_QP_ROCE_UD,
		.next_state = IRDMA_HW_QPS_RTS,
		.pbl_mapped = true,
	};

	irdma_cqp_enc_create_qp(wqe, &a);
}

static void enc_modify_qp_rts(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_qp_args a = {
		.ctx_addr = 0x0123456789abc000, .shadow_addr = 0xfedcba9876543240,
		.id = 0xabcdef, .type = IRDMA_HW_QP_ROCE_RC,
		.next_state = IRDMA_HW_QPS_RTS,
		.ord_valid = true, .cq_valid = true, .arp_valid = true,
	};

	irdma_cqp_enc_modify_qp(wqe, &a);
}

static void enc_modify_qp_error(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_qp_args a = {
		.ctx_addr = 0x0123456789abc000, .shadow_addr = 0xfedcba9876543240,
		.id = 0xabcdef, .type = IRDMA_HW_QP_ROCE_RC,
		.next_state = IRDMA_HW_QPS_ERROR,
	};

	irdma_cqp_enc_modify_qp(wqe, &a);
}

static void enc_destroy_qp_ignores_state(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_qp_args a = {
		.ctx_addr = 0x0123456789abc000, .shadow_addr = 0xfedcba9876543240,
		.id = 0xabcdef, .type = IRDMA_HW_QP_ROCE_RC,
		.next_state = IRDMA_HW_QPS_ERROR,
		.pbl_mapped = true, .ord_valid = true, .cq_valid = true,
		.mac_valid = true, .arp_valid = true,
	};

	irdma_cqp_enc_destroy_qp(wqe, &a);
}

static void enc_create_cq(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_cq_args a = {
		.ring = { .addr = 0x0123456789abc000, .pble_idx = 0x0edcba9,
			  .level = 0 },
		.shadow_addr = 0xfedcba9876543240,
		.ctx = 0x1111222233334444, .id = 0x155555, .entries = 0x12345,
		.shadow_thresh = 0x23456, .ceq_id = 0x2a5,
		.ceq_valid = true, .ceqe_mask = true,
		.check_overflow = true, .cqe64 = true,
	};

	irdma_cqp_enc_create_cq(wqe, &layout, &a);
}

static void enc_create_cq_pbl_no_ceq(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_cq_args a = {
		.ring = { .addr = 0x0123456789abc000, .pble_idx = 0x0edcba9,
			  .level = 1 },
		.shadow_addr = 0xfedcba9876543240,
		.ctx = 5, .id = 5, .entries = 0xfffff,
		.shadow_thresh = 16, .ceq_id = 0x2a5,
	};

	irdma_cqp_enc_create_cq(wqe, &layout, &a);
}

static void enc_create_cq_widest(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_cq_args a = {
		.ring = { .addr = 0x0123456789abc000, .pble_idx = 0x0edcba9,
			  .level = 2 },
		.shadow_addr = 0xfedcba9876543240,
		.ctx = U64_MAX, .id = 0x1ffffff, .entries = 0x1fffff,
		.shadow_thresh = 0x3ffff, .ceq_id = 0xffff,
		.ceq_valid = true,
	};

	irdma_cqp_enc_create_cq(wqe, &layout, &a);
}

static void enc_resize_cq_names_no_ceq(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_cq_args a = {
		.ring = { .addr = 0x0123456789abc000, .pble_idx = 0x0edcba9,
			  .level = 0 },
		.shadow_addr = 0xfedcba9876543240,
		.ctx = 7, .id = 7, .entries = 0x200,
		.shadow_thresh = 0x100, .ceq_id = 3,
		.ceq_valid = true, .ceqe_mask = true,
		.check_overflow = true, .cqe64 = true,
	};

	irdma_cqp_enc_resize_cq(wqe, &layout, &a);
}

static void enc_destroy_cq_has_no_ring(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_cq_args a = {
		.ring = { .addr = 0x0123456789abc000, .pble_idx = 0x0edcba9,
			  .level = 0 },
		.shadow_addr = 0xfedcba9876543240,
		.ctx = 7, .id = 7, .entries = 0x200,
		.shadow_thresh = 0x100, .ceq_id = 3,
		.ceq_valid = true, .ceqe_mask = true,
		.check_overflow = true, .cqe64 = true,
	};

	irdma_cqp_enc_destroy_cq(wqe, &layout, &a);
}

static void enc_destroy_cq_pbl(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_cq_args a = {
		.ring = { .addr = 0x0123456789abc000, .pble_idx = 0x0edcba9,
			  .level = 2 },
		.shadow_addr = 0xfedcba9876543240,
		.ctx = 7, .id = 7, .entries = 0x200,
		.shadow_thresh = 0x100, .ceq_id = 3,
	};

	irdma_cqp_enc_destroy_cq(wqe, &layout, &a);
}

static void enc_create_srq_not_armed(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_srq_args a = {
		.ring = { .addr = 0x0123456789abcfff, .pble_idx = 0xfffffff,
			  .level = 0 },
		.shadow_addr = 0xfedcba987654327f,
		.ctx = 0x1111222233334480 + 63, .id = 0xbeef,
		.pd_id = 0xabcdef, .quanta = 262144, .limit = 0xabc,
		.wqe_shift = 3,
	};

	irdma_cqp_enc_create_srq(wqe, &a);
}

static void enc_create_srq_smallest_pbl(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_srq_args a = {
		.ring = { .addr = 0x0123456789abcfff, .pble_idx = 0xfffffff,
			  .level = 1 },
		.shadow_addr = 0xfedcba987654327f,
		.ctx = 0x1111222233334480 + 63, .id = 0xbeef,
		.pd_id = 0xabcdef, .quanta = 4, .limit = 0,
		.wqe_shift = 3,
	};

	irdma_cqp_enc_create_srq(wqe, &a);
}

static void enc_modify_srq_arms(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_srq_args a = {
		.ring = { .addr = 0x0123456789abcfff, .pble_idx = 0xfffffff,
			  .level = 0 },
		.shadow_addr = 0xfedcba987654327f,
		.ctx = 0x1111222233334480 + 63, .id = 0xbeef,
		.pd_id = 0xabcdef, .quanta = 16, .limit = 0xabc,
		.wqe_shift = 3,
	};

	irdma_cqp_enc_modify_srq(wqe, &a);
}

static void enc_modify_srq_clamps(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_srq_args a = {
		.ring = { .addr = 0x0123456789abcfff, .pble_idx = 0xfffffff,
			  .level = 2 },
		.shadow_addr = 0xfedcba987654327f,
		.ctx = 0x1111222233334480 + 63, .id = 0xbeef,
		.pd_id = 0xabcdef, .quanta = 8, .limit = 0x1000,
		.wqe_shift = 3,
	};

	irdma_cqp_enc_modify_srq(wqe, &a);
}

static void enc_destroy_srq(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_destroy_srq(wqe, 0xbeef, 0x11112222333344bf);
}

static void enc_create_ceq(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_ceq_args a = {
		.ring = { .addr = 0x0123456789abc000, .pble_idx = 0x8000001,
			  .level = 0 },
		.entries = 262143, .id = 0x155,
	};

	irdma_cqp_enc_create_ceq(wqe, &a);
}

static void enc_create_ceq_pbl(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_ceq_args a = {
		.ring = { .addr = 0x0123456789abc000, .pble_idx = 0x8000001,
			  .level = 1 },
		.entries = 0x3fffff, .id = 0xffff,
	};

	irdma_cqp_enc_create_ceq(wqe, &a);
}

static void enc_destroy_ceq(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_ceq_args a = {
		.ring = { .addr = 0x0123456789abc000, .pble_idx = 0x8000001,
			  .level = 0 },
		.entries = 2048, .id = 1,
	};

	irdma_cqp_enc_destroy_ceq(wqe, &a);
}

static void enc_destroy_ceq_pbl(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_ceq_args a = {
		.ring = { .addr = 0x0123456789abc000, .pble_idx = 0x8000001,
			  .level = 2 },
		.entries = 2048, .id = 1,
	};

	irdma_cqp_enc_destroy_ceq(wqe, &a);
}

static void enc_create_aeq(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_create_aeq(wqe, 0x0123456789abc000, 262144);
}

static void enc_destroy_aeq(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_destroy_aeq(wqe, 0x7ffff);
}

static void enc_qp_widest(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_qp_args a = {
		.id = U32_MAX, .type = U8_MAX, .next_state = U8_MAX,
		.pbl_mapped = true, .ord_valid = true, .cq_valid = true,
		.mac_valid = true, .arp_valid = true,
	};

	irdma_cqp_enc_modify_qp(wqe, &a);
}

static void enc_resize_cq_widest(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_cq_args a = {
		.ring = { .addr = 0x0123456789abc000, .pble_idx = U32_MAX,
			  .level = 1 },
		.shadow_addr = 0xfedcba9876543240,
		.ctx = U64_MAX, .id = U32_MAX, .entries = U32_MAX,
		.shadow_thresh = U32_MAX, .ceq_id = 0xffff,
		.ceqe_mask = true, .check_overflow = true, .cqe64 = true,
	};

	irdma_cqp_enc_resize_cq(wqe, &layout, &a);
}

static void enc_srq_widest(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_srq_args a = {
		.ring = { .addr = U64_MAX }, .shadow_addr = U64_MAX,
		.ctx = U64_MAX, .id = U32_MAX, .pd_id = U32_MAX,
		.quanta = 262144, .limit = U32_MAX, .wqe_shift = U8_MAX,
	};

	irdma_cqp_enc_modify_srq(wqe, &a);
}

static void enc_ceq_widest(struct irdma_cqp_wqe *wqe)
{
	const struct irdma_cqp_ceq_args a = {
		.ring = { .addr = 0x0123456789abc000, .pble_idx = 0x8000001,
			  .level = 0 },
		.entries = U32_MAX, .id = 0xffff,
	};

	irdma_cqp_enc_create_ceq(wqe, &a);
}

static void enc_aeq_widest(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_enc_create_aeq(wqe, 0x0123456789abc000, U32_MAX);
}

static const struct cqp_case cqp_cases[] = {
	{
		.name = "create_qp",
		.enc = enc_create_qp,
		.want = {
			[2] = 0x0123456789abc000ULL,
			[3] = 0x100b800000abcdefULL,
			[5] = 0xfedcba9876543240ULL,
		},
	},
	{
		.name = "create_qp_pbl",
		.enc = enc_create_qp_pbl,
		.want = {
			[2] = 0x0123456789abc000ULL,
			[3] = 0x2004200000abcdefULL,
			[5] = 0xfedcba9876543240ULL,
		},
	},
	{
		.name = "modify_qp_rts",
		.enc = enc_modify_qp_rts,
		.want = {
			[2] = 0x0123456789abc000ULL,
			[3] = 0x2803840100abcdefULL,
			[5] = 0xfedcba9876543240ULL,
		},
	},
	{
		.name = "modify_qp_error",
		.enc = enc_modify_qp_error,
		.want = {
			[2] = 0x0123456789abc000ULL,
			[3] = 0x6003000100abcdefULL,
			[5] = 0xfedcba9876543240ULL,
		},
	},
	{
		.name = "destroy_qp_ignores_state",
		.enc = enc_destroy_qp_ignores_state,
		.want = {
			[2] = 0x0123456789abc000ULL,
			[3] = 0x0083000200abcdefULL,
			[5] = 0xfedcba9876543240ULL,
		},
	},
	{
		.name = "create_cq",
		.enc = enc_create_cq,
		.want = {
			[0] = 0x0000000000012345ULL,
			[1] = 0x1111222233334444ULL,
			[2] = 0x0000000000023456ULL,
			[3] = 0x20034003a9555555ULL,
			[4] = 0x0123456789abc000ULL,
			[5] = 0xfedcba9876543240ULL,
		},
	},
	{
		.name = "create_cq_pbl_no_ceq",
		.enc = enc_create_cq_pbl_no_ceq,
		.want = {
			[0] = 0x00000000000fffffULL,
			[1] = 0x0000000000000005ULL,
			[2] = 0x0000000000000010ULL,
			[3] = 0x0000900300000005ULL,
			[5] = 0xfedcba9876543240ULL,
			[6] = 0x0000000000edcba9ULL,
		},
	},
	{
		.name = "create_cq_widest",
		.enc = enc_create_cq_widest,
		.want = {
			[0] = 0x00000000001fffffULL,
			[1] = 0x7fffffffffffffffULL,
			[2] = 0x000000000003ffffULL,
			[3] = 0x0fdeb003ffffffffULL,
			[5] = 0xfedcba9876543240ULL,
			[6] = 0x0000000000edcba9ULL,
		},
	},
	{
		.name = "resize_cq_names_no_ceq",
		.enc = enc_resize_cq_names_no_ceq,
		.want = {
			[0] = 0x0000000000000200ULL,
			[1] = 0x0000000000000007ULL,
			[2] = 0x0000000000000100ULL,
			[3] = 0x2001480400000007ULL,
			[4] = 0x0123456789abc000ULL,
			[5] = 0xfedcba9876543240ULL,
		},
	},
	{
		.name = "destroy_cq_has_no_ring",
		.enc = enc_destroy_cq_has_no_ring,
		.want = {
			[0] = 0x0000000000000200ULL,
			[1] = 0x0000000000000007ULL,
			[3] = 0x2003000500c00007ULL,
			[5] = 0xfedcba9876543240ULL,
		},
	},
	{
		.name = "destroy_cq_pbl",
		.enc = enc_destroy_cq_pbl,
		.want = {
			[0] = 0x0000000000000200ULL,
			[1] = 0x0000000000000007ULL,
			[3] = 0x0000b00500000007ULL,
			[5] = 0xfedcba9876543240ULL,
			[6] = 0x0000000000edcba9ULL,
		},
	},
	{
		.name = "create_srq_not_armed",
		.enc = enc_create_srq_not_armed,
		.want = {
			[0] = 0x000000000000003fULL,
			[1] = 0x1111222233334480ULL,
			[2] = 0x000000abcdef0000ULL,
			[3] = 0x000000060000beefULL,
			[4] = 0x0123456789abcf00ULL,
			[5] = 0xfedcba9876543240ULL,
		},
	},
	{
		.name = "create_srq_smallest_pbl",
		.enc = enc_create_srq_smallest_pbl,
		.want = {
			[0] = 0x0000000000000030ULL,
			[1] = 0x1111222233334480ULL,
			[2] = 0x000000abcdef0000ULL,
			[3] = 0x000090060000beefULL,
			[5] = 0xfedcba9876543240ULL,
			[6] = 0x000000000fffffffULL,
		},
	},
	{
		.name = "modify_srq_arms",
		.enc = enc_modify_srq_arms,
		.want = {
			[0] = 0x00000abc00000031ULL,
			[1] = 0x1111222233334480ULL,
			[2] = 0x000000abcdef0000ULL,
			[3] = 0x200000070000beefULL,
			[4] = 0x0123456789abcf00ULL,
			[5] = 0xfedcba9876543240ULL,
		},
	},
	{
		.name = "modify_srq_clamps",
		.enc = enc_modify_srq_clamps,
		.want = {
			[0] = 0x00000fff00000030ULL,
			[1] = 0x1111222233334480ULL,
			[2] = 0x000000abcdef0000ULL,
			[3] = 0x2000b0070000beefULL,
			[5] = 0xfedcba9876543240ULL,
			[6] = 0x000000000fffffffULL,
		},
	},
	{
		.name = "destroy_srq",
		.enc = enc_destroy_srq,
		.want = {
			[1] = 0x1111222233334480ULL,
			[3] = 0x000000080000beefULL,
		},
	},
	{
		.name = "create_ceq",
		.enc = enc_create_ceq,
		.want = {
			[2] = 0x000000000003ffffULL,
			[3] = 0x0000001600000155ULL,
			[4] = 0x0123456789abc000ULL,
		},
	},
	{
		.name = "create_ceq_pbl",
		.enc = enc_create_ceq_pbl,
		.want = {
			[2] = 0x00000000003fffffULL,
			[3] = 0x000090160000ffffULL,
			[6] = 0x0000000008000001ULL,
		},
	},
	{
		.name = "destroy_ceq",
		.enc = enc_destroy_ceq,
		.want = {
			[2] = 0x0000000000000800ULL,
			[3] = 0x0000001800000001ULL,
		},
	},
	{
		.name = "destroy_ceq_pbl",
		.enc = enc_destroy_ceq_pbl,
		.want = {
			[2] = 0x0000000000000800ULL,
			[3] = 0x0000b01800000001ULL,
			[6] = 0x0000000008000001ULL,
		},
	},
	{
		.name = "create_aeq",
		.enc = enc_create_aeq,
		.want = {
			[2] = 0x0000000000040000ULL,
			[3] = 0x0000001900000000ULL,
			[4] = 0x0123456789abc000ULL,
		},
	},
	{
		.name = "destroy_aeq",
		.enc = enc_destroy_aeq,
		.want = {
			[2] = 0x000000000007ffffULL,
			[3] = 0x0000001b00000000ULL,
		},
	},
	{
		.name = "qp_widest",
		.enc = enc_qp_widest,
		.want = {
			[3] = 0x780fa40100ffffffULL,
		},
	},
	{
		.name = "resize_cq_widest",
		.enc = enc_resize_cq_widest,
		.want = {
			[0] = 0x00000000001fffffULL,
			[1] = 0x7fffffffffffffffULL,
			[2] = 0x000000000003ffffULL,
			[3] = 0x201dd804003fffffULL,
			[5] = 0xfedcba9876543240ULL,
			[6] = 0x000000000fffffffULL,
		},
	},
	{
		.name = "srq_widest",
		.enc = enc_srq_widest,
		.want = {
			[0] = 0x00000fff0000003fULL,
			[1] = 0xffffffffffffffc0ULL,
			[2] = 0x000000ffffff0000ULL,
			[3] = 0x200000070000ffffULL,
			[4] = 0xffffffffffffff00ULL,
			[5] = 0xffffffffffffffc0ULL,
		},
	},
	{
		.name = "ceq_widest",
		.enc = enc_ceq_widest,
		.want = {
			[2] = 0x00000000003fffffULL,
			[3] = 0x000000160000ffffULL,
			[4] = 0x0123456789abc000ULL,
		},
	},
	{
		.name = "aeq_widest",
		.enc = enc_aeq_widest,
		.want = {
			[2] = 0x000000000007ffffULL,
			[3] = 0x0000001900000000ULL,
			[4] = 0x0123456789abc000ULL,
		},
	},
};

KUNIT_ARRAY_PARAM_DESC(cqp, cqp_cases, name);

/* The device may put ids anywhere that no fixed field uses. */
static void ids_follow_the_announced_layout(struct kunit *test)
{
	static const struct irdma_cqp_cq_args a = {
		.id = 0xabcde, .ceq_id = 0x155, .ceq_valid = true,
	};
	struct irdma_cqp_wqe wqe;

	KUNIT_ASSERT_EQ(test, irdma_cqp_layout_check(&moved), 0);
	irdma_cqp_enc_create_cq(&wqe, &moved, &a);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(wqe.qw[3]), 0x000200032af37955ULL);
	irdma_cqp_enc_destroy_cq(&wqe, &moved, &a);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(wqe.qw[3]), 0x000200052af37955ULL);
}

struct layout_case {
	const char *name;
	struct irdma_cqp_layout layout;
	int err;
};

#define PD(s, b)	.pd_id = { .shift = (s), .bits = (b) }
#define CQ(s, b)	.cq_id = { .shift = (s), .bits = (b) }
#define CEQ(s, b)	.ceq_id = { .shift = (s), .bits = (b) }
#define FN(s, b)	.hmc_fn = { .shift = (s), .bits = (b) }

static const struct layout_case layout_cases[] = {
	{ "usual", { PD(46, 18), CQ(0, 22), CEQ(22, 10), FN(0, 6) }, 0 },
	{ "swapped", { PD(46, 1), CQ(10, 22), CEQ(0, 10), FN(0, 7) }, 0 },
	{ "nothing", {}, -EINVAL },
	{ "no_pd", { CQ(0, 22), CEQ(22, 10), FN(0, 6) }, -EINVAL },
	{ "no_cq", { PD(46, 18), CEQ(22, 10), FN(0, 6) }, -EINVAL },
	{ "no_ceq", { PD(46, 18), CQ(0, 22), FN(0, 6) }, -EINVAL },
	{ "no_fn", { PD(46, 18), CQ(0, 22), CEQ(22, 10) }, -EINVAL },
	{ "pd_in_length",
	  { PD(45, 18), CQ(0, 22), CEQ(22, 10), FN(0, 6) }, -EINVAL },
	{ "pd_past_the_word",
	  { PD(47, 18), CQ(0, 22), CEQ(22, 10), FN(0, 6) }, -EINVAL },
	{ "pd_shift_255",
	  { PD(255, 255), CQ(0, 22), CEQ(22, 10), FN(0, 6) }, -EINVAL },
	{ "pd_wider_than_its_low_part",
	  { PD(45, 19), CQ(0, 22), CEQ(22, 10), FN(0, 6) }, -EINVAL },
	{ "cq_in_opcode",
	  { PD(46, 18), CQ(11, 22), CEQ(0, 10), FN(0, 6) }, -EINVAL },
	{ "cq_wider_than_its_low_part",
	  { PD(46, 18), CQ(0, 23), CEQ(23, 9), FN(0, 6) }, -EINVAL },
	{ "ceq_in_opcode",
	  { PD(46, 18), CQ(0, 22), CEQ(23, 10), FN(0, 6) }, -EINVAL },
	{ "ceq_in_valid",
	  { PD(46, 18), CQ(0, 22), CEQ(63, 1), FN(0, 6) }, -EINVAL },
	{ "ceq_wider_than_its_low_part",
	  { PD(46, 18), CQ(0, 20), CEQ(20, 11), FN(0, 6) }, -EINVAL },
	{ "cq_on_ceq",
	  { PD(46, 18), CQ(0, 22), CEQ(21, 10), FN(0, 6) }, -EINVAL },
	{ "fn_in_side_buffer_address",
	  { PD(46, 18), CQ(0, 22), CEQ(22, 10), FN(2, 6) }, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(layout, layout_cases, name);

static void a_layout_must_leave_fixed_fields_alone(struct kunit *test)
{
	const struct layout_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, irdma_cqp_layout_check(&c->layout), c->err);
}

/* One bit anywhere: only those that no command uses are free. */
static void only_unused_bits_are_free_for_ids(struct kunit *test)
{
	const u64 cq_free = 0x402007c0ffc00000, pd_free = 0xffffc00000000000;
	const u64 fn_free = 0x7f;

	for (u32 bit = 0; bit < 64; bit++) {
		struct irdma_cqp_layout l = {
			PD(46, 18), CQ(0, 22), CEQ(bit, 1), FN(0, 6),
		};
		u64 mask = 1ULL << bit;

		KUNIT_EXPECT_EQ_MSG(test, irdma_cqp_layout_check(&l),
				    mask & cq_free ? 0 : -EINVAL, "%u", bit);
		l = (struct irdma_cqp_layout){
			PD(bit, 1), CQ(0, 22), CEQ(22, 10), FN(0, 6),
		};
		KUNIT_EXPECT_EQ_MSG(test, irdma_cqp_layout_check(&l),
				    mask & pd_free ? 0 : -EINVAL, "%u", bit);
		l = (struct irdma_cqp_layout){
			PD(46, 18), CQ(0, 22), CEQ(22, 10), FN(bit, 1),
		};
		KUNIT_EXPECT_EQ_MSG(test, irdma_cqp_layout_check(&l),
				    mask & fn_free ? 0 : -EINVAL, "%u", bit);
	}
}

static void field_helpers_agree(struct kunit *test)
{
	for (unsigned int shift = 0; shift < 64; shift++) {
		for (unsigned int bits = 1; shift + bits <= 64; bits++) {
			struct irdma_field f = { .shift = shift, .bits = bits };
			u64 mask = 0;

			for (unsigned int i = shift; i < shift + bits; i++)
				mask |= 1ULL << i;
			KUNIT_ASSERT_TRUE(test, irdma_field_valid(f));
			KUNIT_ASSERT_EQ(test, irdma_field_mask(f), mask);
			KUNIT_ASSERT_EQ(test, irdma_field_prep(f, U64_MAX),
					mask);
			KUNIT_ASSERT_EQ(test, irdma_field_get(f, ~mask), 0);
			KUNIT_ASSERT_EQ(test, irdma_field_get(f, U64_MAX),
					mask >> shift);
		}
	}
}

struct ctx_case {
	const char *name;
	u32 depth;
	u64 qw0;
};

static const struct ctx_case ctx_cases[] = {
	{ "smallest", 4, 0x110 },
	{ "largest", 2048, 0xa10 },
};

KUNIT_ARRAY_PARAM_DESC(ctx, ctx_cases, name);

static void host_context_is_laid_out_as_specified(struct kunit *test)
{
	const struct ctx_case *c = test->param_value;
	const struct irdma_cqp_ctx_args a = {
		.sq_addr = 0x0123456789abc000,
		.cookie = 0xfedcba9876543210,
		.depth = c->depth,
	};
	const u64 want[8] = {
		[0] = c->qw0,
		[1] = 0x0123456789abc000,
		[2] = 0x21,
		[3] = 0xfedcba9876543210,
		[4] = 0x20000,
	};
	struct irdma_cqp_ctx ctx;

	memset(&ctx, 0xff, sizeof(ctx));
	irdma_cqp_ctx_enc(&ctx, &a);
	expect_words(test, ctx.qw, want, ARRAY_SIZE(ctx.qw));
}

static struct kunit_case cqp_wqe_cases[] = {
	KUNIT_CASE_PARAM(command_is_laid_out_as_specified, cqp_gen_params),
	KUNIT_CASE(ids_follow_the_announced_layout),
	KUNIT_CASE_PARAM(a_layout_must_leave_fixed_fields_alone,
			 layout_gen_params),
	KUNIT_CASE(only_unused_bits_are_free_for_ids),
	KUNIT_CASE(field_helpers_agree),
	KUNIT_CASE_PARAM(host_context_is_laid_out_as_specified, ctx_gen_params),
	{}
};

static struct kunit_suite cqp_wqe_suite = {
	.name = "irdma_cqp_wqe",
	.test_cases = cqp_wqe_cases,
};

kunit_test_suite(cqp_wqe_suite);
