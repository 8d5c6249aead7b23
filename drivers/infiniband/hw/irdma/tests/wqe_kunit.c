// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work requests against words worked out from their layouts. Rings start as
 * all ones or all zeros, so what an encoder leaves alone is seen, too.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <kunit/test.h>
#include <rdma/ib_verbs.h>

#include "../wqe.h"
#include "words.h"

#define WQE_QWORDS	32
#define UNTOUCHED	0x5a5a5a5a5a5a5a5aULL
#define V		0x8000000000000000ULL	/* valid */

/* Three fragments with nothing in common. */
static const struct ib_sge sges[] = {
	{ .addr = 0x1111222233334444, .length = 0x7fffffff, .lkey = 0xa1b2c3d4 },
	{ .addr = 0x5555666677778888, .length = 0x00000001, .lkey = 0x01020304 },
	{ .addr = 0x9999aaaabbbbcccc, .length = 0x12345678, .lkey = 0xffffffff },
};

static const struct irdma_wqe_opts plain = { .valid = true };

struct wqe_case {
	const char *name;
	void (*enc)(struct irdma_quantum *wqe);
	u32 quanta;
	u64 want[8];
};

static void enc_send_nothing(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_payload p = {};

	irdma_wqe_enc_send(wqe, IRDMA_SQ_OP_SEND, plain, &p, 0);
}

static void enc_send_one_signaled(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_opts opts = { .valid = true, .signaled = true };
	const struct irdma_wqe_payload p = { .sge = sges, .num_sge = 1 };

	irdma_wqe_enc_send(wqe, IRDMA_SQ_OP_SEND_SOL, opts, &p, 0);
}

static void enc_send_inv_two(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_payload p = { .sge = sges, .num_sge = 2 };

	irdma_wqe_enc_send(wqe, IRDMA_SQ_OP_SEND_INV, plain, &p, 0xfedcba98);
}

static void enc_send_inv_sol_second_pass(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_opts opts = { .read_fence = true };
	const struct irdma_wqe_payload p = { .sge = sges, .num_sge = 2 };

	irdma_wqe_enc_send(wqe, IRDMA_SQ_OP_SEND_INV_SOL, opts, &p, 1);
}

static void enc_send_one_imm(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_payload p = {
		.sge = sges, .num_sge = 1, .imm = 0xdeadbeef, .has_imm = true,
	};

	irdma_wqe_enc_send(wqe, IRDMA_SQ_OP_SEND, plain, &p, 0);
}

static void enc_send_imm_alone(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_payload p = { .imm = 1, .has_imm = true };

	irdma_wqe_enc_send(wqe, IRDMA_SQ_OP_SEND, plain, &p, 0);
}

static void enc_ud_send(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_payload p = { .sge = sges, .num_sge = 1 };
	const struct irdma_wqe_ud_dest dest = {
		.ah_idx = 0x1abcdef, .qpn = 0xfedcba, .qkey = 0x80010000,
	};

	irdma_wqe_enc_ud_send(wqe, IRDMA_SQ_OP_SEND_SOL, plain, &p, &dest);
}

static void enc_ud_send_widest(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_payload p = {};
	const struct irdma_wqe_ud_dest dest = {
		.ah_idx = U32_MAX, .qpn = U32_MAX, .qkey = U32_MAX,
	};

	irdma_wqe_enc_ud_send(wqe, IRDMA_SQ_OP_SEND, plain, &p, &dest);
}

static const struct irdma_wqe_remote remote = {
	.addr = 0x0123456789abcdef, .stag = 0xfedcba98,
};

static void enc_write_three(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_payload p = { .sge = sges, .num_sge = 3 };

	irdma_wqe_enc_rdma(wqe, IRDMA_SQ_OP_WRITE, plain, &p, &remote);
}

static void enc_write_imm_sol(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_payload p = { .imm = 2, .has_imm = true };

	irdma_wqe_enc_rdma(wqe, IRDMA_SQ_OP_WRITE_SOL, plain, &p, &remote);
}

static void enc_read_fenced(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_opts opts = {
		.valid = true, .read_fence = true, .local_fence = true,
		.signaled = true,
	};
	const struct irdma_wqe_payload p = { .sge = sges, .num_sge = 1 };

	irdma_wqe_enc_rdma(wqe, IRDMA_SQ_OP_READ, opts, &p, &remote);
}

static void enc_read_inv(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_payload p = { .sge = sges, .num_sge = 1 };

	irdma_wqe_enc_rdma(wqe, IRDMA_SQ_OP_READ_INV, plain, &p, &remote);
}

static const struct irdma_wqe_atomic atomic = {
	.remote = { .addr = 0x0123456789abcdef, .stag = 0xfedcba98 },
	.local_addr = 0x1111222233334444, .local_stag = 0xa1b2c3d4,
	.compare_add = 0xaaaaaaaaaaaaaaaa, .swap = 0xbbbbbbbbbbbbbbbb,
};

static void enc_fetch_add(struct irdma_quantum *wqe)
{
	irdma_wqe_enc_atomic(wqe, IRDMA_SQ_OP_FETCH_ADD, plain, &atomic);
}

static void enc_cmp_swap_second_pass(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_opts opts = { .signaled = true };

	irdma_wqe_enc_atomic(wqe, IRDMA_SQ_OP_CMP_SWAP, opts, &atomic);
}

static void enc_bind(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_bind b = {
		.va = 0x1111222233334444, .len_bytes = 0x5555666677778888,
		.mw_stag = 0xa1b2c3d4, .mr_stag = 0xfedcba98, .rights = 0xc,
		.va_based = true,
	};

	irdma_wqe_enc_bind(wqe, plain, &b);
}

static void enc_bind_type1_atomic(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_bind b = {
		.rights = 0x13, .type1 = true, .atomic = true,
	};

	irdma_wqe_enc_bind(wqe, plain, &b);
}

static void enc_fast_reg_one_page(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_opts opts = { .valid = true,
					     .local_fence = true };
	const struct irdma_wqe_fast_reg r = {
		.va = 0x1111222233334444, .len_bytes = 0x1ffffffffff,
		.page_addr = 0x0123456789abcfff, .pble_idx = 0xfffffff,
		.stag = 0xa1b2c3d4, .page_code = 2, .rights = 0x1f,
		.va_based = true,
	};

	irdma_wqe_enc_fast_reg(wqe, opts, &r);
}

static void enc_fast_reg_list(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_fast_reg r = {
		.va = 0xfff, .len_bytes = 0x123456789,
		.page_addr = 0x0123456789abc000, .pble_idx = 0xabcdef1,
		.stag = 0xa1b2c3d4, .page_code = 5, .rights = 0x4,
		.pbl_mapped = true, .atomic = true,
	};

	irdma_wqe_enc_fast_reg(wqe, plain, &r);
}

static void enc_fast_reg_page_widest(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_fast_reg r = {
		.va = U64_MAX, .len_bytes = U64_MAX, .page_addr = U64_MAX,
		.stag = U32_MAX, .page_code = U8_MAX, .rights = U8_MAX,
	};

	irdma_wqe_enc_fast_reg(wqe, plain, &r);
}

static void enc_fast_reg_list_widest(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_fast_reg r = {
		.pble_idx = U32_MAX, .pbl_mapped = true,
	};

	irdma_wqe_enc_fast_reg(wqe, plain, &r);
}

static void enc_bind_widest(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_bind b = { .rights = U8_MAX };

	irdma_wqe_enc_bind(wqe, plain, &b);
}

static void enc_opcode_widest(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_payload p = {};

	irdma_wqe_enc_send(wqe, U8_MAX, plain, &p, U32_MAX);
}

static void enc_local_inv(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_opts opts = { .valid = true,
					     .local_fence = true };

	irdma_wqe_enc_local_inv(wqe, opts, 0xa1b2c3d4);
}

static void enc_nop(struct irdma_quantum *wqe)
{
	irdma_wqe_enc_nop(wqe, plain);
}

static void enc_nop_second_pass(struct irdma_quantum *wqe)
{
	const struct irdma_wqe_opts opts = { .signaled = true };

	irdma_wqe_enc_nop(wqe, opts);
}

static void enc_recv_none(struct irdma_quantum *wqe)
{
	irdma_wqe_enc_recv(wqe, NULL, 0, true);
}

static void enc_recv_two(struct irdma_quantum *wqe)
{
	irdma_wqe_enc_recv(wqe, sges, 2, true);
}

static void enc_recv_three_second_pass(struct irdma_quantum *wqe)
{
	irdma_wqe_enc_recv(wqe, sges, 3, false);
}

static void enc_srq_recv(struct irdma_quantum *wqe)
{
	irdma_wqe_enc_srq_recv(wqe, sges, 1, 0xfedcba9876543210, true);
}

/* Second word of the three fragments: length in 62:32, STag in 31:0. */
#define FRAG0	0x7fffffffa1b2c3d4ULL
#define FRAG1	0x0000000101020304ULL
#define FRAG2	0x12345678ffffffffULL

static const struct wqe_case wqe_cases[] = {
	{ "send_nothing", enc_send_nothing, 1,
	  { 0, V, 0, V | 0x0000000300000000 } },
	{ "send_one_signaled", enc_send_one_signaled, 1,
	  { 0x1111222233334444, V | FRAG0, 0, V | 0x4000000500000000 } },
	{ "send_inv_two", enc_send_inv_two, 2,
	  { 0x1111222233334444, V | FRAG0, 0, V | 0x00000044fedcba98,
	    0x5555666677778888, V | FRAG1, 0, V } },
	{ "send_inv_sol_second_pass", enc_send_inv_sol_second_pass, 2,
	  { 0x1111222233334444, FRAG0, 0, 0x1000004600000001,
	    0x5555666677778888, FRAG1, 0, 0 } },
	{ "send_one_imm", enc_send_one_imm, 2,
	  { 0xdeadbeef, UNTOUCHED, 0, V | 0x0000804300000000,
	    0x1111222233334444, V | FRAG0, 0, V } },
	{ "send_imm_alone", enc_send_imm_alone, 1,
	  { 1, UNTOUCHED, 0, V | 0x0000800300000000 } },
	{ "ud_send", enc_ud_send, 1,
	  { 0x1111222233334444, V | FRAG0, 0x00fedcba80010000,
	    V | 0x0000000501abcdef } },
	{ "ud_send_widest", enc_ud_send_widest, 1,
	  { 0, V, 0x00ffffffffffffff, V | 0x0000000301ffffff } },
	{ "write_three", enc_write_three, 2,
	  { 0x1111222233334444, V | FRAG0, 0x0123456789abcdef,
	    V | 0x00000080fedcba98, 0x5555666677778888, V | FRAG1,
	    0x9999aaaabbbbcccc, V | FRAG2 } },
	{ "write_imm_sol", enc_write_imm_sol, 1,
	  { 2, UNTOUCHED, 0x0123456789abcdef, V | 0x0000800dfedcba98 } },
	{ "read_fenced", enc_read_fenced, 1,
	  { 0x1111222233334444, V | FRAG0, 0x0123456789abcdef,
	    V | 0x70000001fedcba98 } },
	{ "read_inv", enc_read_inv, 1,
	  { 0x1111222233334444, V | FRAG0, 0x0123456789abcdef,
	    V | 0x0000000bfedcba98 } },
	{ "fetch_add", enc_fetch_add, 2,
	  { 0x1111222233334444, 0xa1b2c3d4, 0x0123456789abcdef,
	    V | 0x0000004ffedcba98, 0xaaaaaaaaaaaaaaaa, 0, 0, V } },
	{ "cmp_swap_second_pass", enc_cmp_swap_second_pass, 2,
	  { 0x1111222233334444, 0xa1b2c3d4, 0x0123456789abcdef,
	    0x40000051fedcba98, 0xbbbbbbbbbbbbbbbb, 0xaaaaaaaaaaaaaaaa,
	    0, 0 } },
	{ "bind", enc_bind, 1,
	  { 0x1111222233334444, 0xfedcba98a1b2c3d4, 0x5555666677778888,
	    V | 0x002c000800000000 } },
	{ "bind_type1_atomic", enc_bind_type1_atomic, 1,
	  { 0, 0, 0, V | 0x00d3000800000000 } },
	{ "fast_reg_one_page", enc_fast_reg_one_page, 1,
	  { 0x1111222233334444, 0x0123456789abc000, 0x000001ffffffffff,
	    V | 0x203f8009a1b2c3d4 } },
	{ "fast_reg_list", enc_fast_reg_list, 1,
	  { 0xfff, 0xabc, 0xdef1000123456789, V | 0x00845009a1b2c3d4 } },
	{ "fast_reg_page_widest", enc_fast_reg_page_widest, 1,
	  { U64_MAX, 0xfffffffffffff000, 0x000001ffffffffff,
	    V | 0x001fc009ffffffff } },
	{ "fast_reg_list_widest", enc_fast_reg_list_widest, 1,
	  { 0, 0xfff, 0xffff000000000000, V | 0x0000100900000000 } },
	{ "bind_widest", enc_bind_widest, 1,
	  { 0, 0, 0, V | 0x001f000800000000 } },
	{ "opcode_widest", enc_opcode_widest, 1,
	  { 0, V, 0, V | 0x0000003fffffffff } },
	{ "local_inv", enc_local_inv, 1,
	  { 0, 0xa1b2c3d4, 0, V | 0x2000000a00000000 } },
	{ "nop", enc_nop, 1, { 0, 0, 0, V | 0x0000000c00000000 } },
	{ "nop_second_pass", enc_nop_second_pass, 1,
	  { 0, 0, 0, 0x4000000c00000000 } },
	{ "recv_none", enc_recv_none, 1, { 0, V, 0, V } },
	{ "recv_two", enc_recv_two, 2,
	  { 0x1111222233334444, V | FRAG0, 0, V | 0x0000004000000000,
	    0x5555666677778888, V | FRAG1, 0, V } },
	{ "recv_three_second_pass", enc_recv_three_second_pass, 2,
	  { 0x1111222233334444, FRAG0, 0, 0x0000008000000000,
	    0x5555666677778888, FRAG1, 0x9999aaaabbbbcccc, FRAG2 } },
	{ "srq_recv", enc_srq_recv, 1,
	  { 0x1111222233334444, V | FRAG0, 0xfedcba9876543210, V } },
};

KUNIT_ARRAY_PARAM_DESC(wqe, wqe_cases, name);

static void request_is_laid_out_as_specified(struct kunit *test)
{
	const struct wqe_case *c = test->param_value;
	struct irdma_quantum ring[3];
	u64 want[12];

	memset(ring, 0x5a, sizeof(ring));
	c->enc(ring);
	for (u32 i = 0; i < ARRAY_SIZE(want); i++)
		want[i] = i < c->quanta * 4 ? c->want[i] : UNTOUCHED;
	expect_words(test, ring[0].qw, want, ARRAY_SIZE(want));
}

static void quanta_follow_from_fragments(struct kunit *test)
{
	/* fragments, an immediate counting as one, to quanta */
	static const u8 quanta[] = {
		1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8,
	};

	for (u32 n = 0; n <= 14; n++) {
		KUNIT_EXPECT_EQ(test, irdma_wqe_frag_quanta(n, false),
				quanta[n]);
		KUNIT_EXPECT_EQ(test, irdma_wqe_frag_quanta(n, true),
				quanta[n + 1]);
	}
	KUNIT_EXPECT_EQ(test, irdma_wqe_frag_quanta(15, false), -EINVAL);
	KUNIT_EXPECT_EQ(test, irdma_wqe_frag_quanta(U32_MAX, true), -EINVAL);
}

static void quanta_follow_from_inline_length(struct kunit *test)
{
	static const u8 last[] = { 8, 39, 70, 101, 132, 163, 194 };
	int want = 1;

	for (u32 len = 0; len <= 216; len++) {
		KUNIT_EXPECT_EQ(test, irdma_wqe_inline_quanta(len), want);
		if (want < 8 && len == last[want - 1])
			want++;
	}
	KUNIT_EXPECT_EQ(test, irdma_wqe_inline_quanta(217), -EINVAL);
	KUNIT_EXPECT_EQ(test, irdma_wqe_inline_quanta(U32_MAX), -EINVAL);
}

/*
 * Any number of fragments: each is where it belongs, every further quantum
 * carries the valid bit twice, the header counts what is beyond the first.
 */
static void check_frags(struct kunit *test, u32 num_sge, bool has_imm,
			bool valid)
{
	struct irdma_wqe_payload p = { .num_sge = num_sge, .imm = 0xdeadbeef,
				       .has_imm = has_imm };
	u32 cnt = num_sge + has_imm, quanta = cnt / 2 + 1;
	const struct irdma_wqe_opts opts = { .valid = valid };
	struct irdma_quantum ring[9];
	struct ib_sge sge[14];
	u64 want[36];

	for (u32 i = 0; i < num_sge; i++)
		sge[i] = (struct ib_sge){ .addr = 0x1000 * (i + 1),
					  .length = 0x100 + i,
					  .lkey = 0xabc000 + i };
	p.sge = sge;
	memset64(want, UNTOUCHED, ARRAY_SIZE(want));
	memset(want, 0, quanta * 32);
	for (u32 qw = 1; qw < quanta * 4; qw += 2)
		want[qw] = valid ? V : 0;
	if (has_imm) {
		want[0] = 0xdeadbeef;
		want[1] = UNTOUCHED;
	}
	for (u32 i = 0; i < num_sge; i++) {
		u32 slot = i + has_imm, at = slot ? 2 + 2 * slot : 0;

		want[at] = sge[i].addr;
		want[at + 1] |= ((u64)sge[i].length << 32) + sge[i].lkey;
	}
	want[2] = 0x0123456789abcdef;
	want[3] |= (has_imm ? 0x800000000000 : 0) + 0xfedcba98 +
		   ((u64)(cnt ? cnt - 1 : 0) << 38);

	memset(ring, 0x5a, sizeof(ring));
	irdma_wqe_enc_rdma(ring, IRDMA_SQ_OP_WRITE, opts, &p, &remote);
	expect_words(test, ring[0].qw, want, ARRAY_SIZE(want));
	if (has_imm)
		return;

	/* A receive WQE is the same but for the opcode's fields. */
	want[2] = 0;
	want[3] -= 0xfedcba98;
	irdma_wqe_enc_recv(ring, sge, num_sge, valid);
	expect_words(test, ring[0].qw, want, ARRAY_SIZE(want));
}

static void every_number_of_fragments_fits(struct kunit *test)
{
	for (u32 num_sge = 0; num_sge <= 14; num_sge++)
		for (u32 flags = 0; flags < 4; flags++)
			check_frags(test, num_sge, flags & 1, flags & 2);
}

/* Where byte @i of inline data lies in the WQE. */
static u32 inline_offset(u32 i)
{
	if (i < 8)
		return 8 + i;
	return 32 + (i - 8) / 31 * 32 + (i - 8) % 31;
}

static void check_inline(struct kunit *test, u32 len, u32 cut, bool valid)
{
	const struct irdma_wqe_opts opts = { .valid = valid };
	u8 data[216], want[288], ring[288] __aligned(8);
	const struct ib_sge sge[] = {
		{ .addr = (uintptr_t)data, .length = min(cut, len) },
		{ .addr = 0, .length = 0 },
		{ .addr = (uintptr_t)data + min(cut, len),
		  .length = len - min(cut, len) },
	};
	const struct irdma_wqe_payload p = {
		.sge = sge, .num_sge = 3, .imm = 0xdeadbeef,
		.has_imm = true, .inlined = true,
	};
	__le64 hdr = cpu_to_le64((valid ? V : 0) + 0x0200800000000000 +
				 ((u64)len << 48) + 0x00fedcba98);
	__le64 addr = cpu_to_le64(0x0123456789abcdef);
	__le64 imm = cpu_to_le64(0xdeadbeef);

	memset(want, 0x5a, sizeof(want));
	memset(ring, 0x5a, sizeof(ring));
	memcpy(want, &imm, 8);
	memcpy(want + 16, &addr, 8);
	memcpy(want + 24, &hdr, 8);
	for (u32 i = 0; i < len; i++) {
		data[i] = i * 7 + 1;
		want[inline_offset(i)] = data[i];
		if (i >= 8)
			want[inline_offset(i) / 32 * 32 + 31] = valid ? 0x80 : 0;
	}
	irdma_wqe_enc_rdma((struct irdma_quantum *)ring, IRDMA_SQ_OP_WRITE,
			   opts, &p, &remote);
	KUNIT_EXPECT_MEMEQ(test, ring, want, sizeof(want));
}

static void inline_data_skips_headers_and_valid_bytes(struct kunit *test)
{
	for (u32 len = 0; len <= 216; len++)
		for (u32 cut = 0; cut <= len; cut += 13)
			check_inline(test, len, cut, len % 2);
}

static void inline_without_immediate_clears_its_place(struct kunit *test)
{
	const struct ib_sge sge = { .addr = (uintptr_t)"abcdefgh",
				    .length = 8 };
	const struct irdma_wqe_payload p = { .sge = &sge, .num_sge = 1,
					     .inlined = true };
	const u64 want[4] = { 0, 0x6867666564636261, 0,
			      V | 0x0208000300000000 };
	struct irdma_quantum ring;

	memset(&ring, 0x5a, sizeof(ring));
	irdma_wqe_enc_send(&ring, IRDMA_SQ_OP_SEND, plain, &p, 0);
	expect_words(test, ring.qw, want, 4);
}

static struct kunit_case wqe_test_cases[] = {
	KUNIT_CASE_PARAM(request_is_laid_out_as_specified, wqe_gen_params),
	KUNIT_CASE(quanta_follow_from_fragments),
	KUNIT_CASE(quanta_follow_from_inline_length),
	KUNIT_CASE(every_number_of_fragments_fits),
	KUNIT_CASE(inline_data_skips_headers_and_valid_bytes),
	KUNIT_CASE(inline_without_immediate_clears_its_place),
	{}
};

static struct kunit_suite wqe_suite = {
	.name = "irdma_wqe",
	.test_cases = wqe_test_cases,
};

kunit_test_suite(wqe_suite);
