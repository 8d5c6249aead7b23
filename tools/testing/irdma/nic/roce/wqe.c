// SPDX-License-Identifier: GPL-2.0
/*
 * Work queue entries: sizes, fields, and what hardware does not accept.
 *
 * A quantum has four words. Word 3 of the first is the header; fragment 0 (or
 * the immediate) is in words 0 and 1, further fragments follow from word 4 on,
 * 16 bytes each. Words 1 and 3 of every further quantum repeat the valid bit.
 */
#include "wqe.h"

#include <string.h>

/* Header, word 3. */
#define HDR_STAG(h)		((u32)FIELD(h, 31, 0))
#define HDR_OP(h)		((u8)FIELD(h, 37, 32))
#define HDR_ADDFRAGS(h)		((u32)FIELD(h, 41, 38))
#define HDR_ADDFRAGS_MASK	MASK(41, 38)
#define HDR_IMM			BIT(47)
#define HDR_INLINE_LEN(h)	((u32)FIELD(h, 55, 48))
#define HDR_INLINE		BIT(57)
#define HDR_READ_FENCE		BIT(60)
#define HDR_LOCAL_FENCE		BIT(61)
#define HDR_SIGNALLED		BIT(62)
#define HDR_VALID		BIT(63)

#define AH_BITS			25

static u64 word(const u8 *wqe, u32 n)
{
	return get64(wqe + 8 * n);
}

static bool is_data(u8 op)
{
	return wqe_is_send(op) || wqe_is_write(op);
}

static bool is_known(u8 op)
{
	return is_data(op) || wqe_is_read(op) || wqe_is_atomic(op) || op == WQE_BIND ||
	       op == WQE_FAST_REG || op == WQE_LOCAL_INV || op == WQE_NOP;
}

static bool is_inline(u64 hdr)
{
	return (hdr & HDR_INLINE) && (is_data(HDR_OP(hdr)) || wqe_is_read(HDR_OP(hdr)));
}

/* 8 bytes in the first quantum, 31 in each further one. */
static u32 inline_quanta(u32 len)
{
	return len <= 8 ? 1 : 1 + (len - 8 + 30) / 31;
}

u32 wqe_send_quanta(const u8 *wqe)
{
	u64 hdr = word(wqe, 3);
	u8 op = HDR_OP(hdr);

	if (is_inline(hdr))
		return inline_quanta(HDR_INLINE_LEN(hdr));
	if (wqe_is_atomic(op))
		return 2;
	if (is_data(op) || wqe_is_read(op))
		return 1 + (HDR_ADDFRAGS(hdr) + 1) / 2;
	return 1;
}

static struct wqe_fault fault(u16 code, enum violation kind)
{
	return (struct wqe_fault){ .code = code, .kind = kind };
}

static const struct wqe_fault fine;

static struct sge parse_sge(const u8 *p)
{
	return (struct sge){
		.addr = get64(p),
		.stag = (u32)FIELD(get64(p + 8), 31, 0),
		.len = (u32)FIELD(get64(p + 8), 62, 32),
	};
}

/* Valid bits of the quanta after the first. @both: word 1 has one as well as word 3. */
static bool polarity_repeated(const u8 *wqe, u32 quanta, bool both)
{
	u64 want = word(wqe, 3) & HDR_VALID;

	for (u32 q = 1; q < quanta; q++) {
		if ((word(wqe, 4 * q + 3) & HDR_VALID) != want)
			return false;
		if (both && (word(wqe, 4 * q + 1) & HDR_VALID) != want)
			return false;
	}
	return true;
}

/* @slot: first of @n fragments. False: more than 2^31 - 1 bytes. */
static bool parse_frags(const u8 *wqe, u32 slot, u32 n, struct sge *sge, u32 *len)
{
	u64 sum = 0;

	for (u32 i = 0; i < n; i++, slot++) {
		sge[i] = parse_sge(slot ? wqe + 32 + 16 * (slot - 1) : wqe);
		sum += sge[i].len;
	}
	*len = (u32)sum;
	return sum <= WQE_MAX_MSG;
}

static struct wqe_fault parse_inline(const u8 *wqe, struct send_wqe *w)
{
	u32 len = HDR_INLINE_LEN(word(wqe, 3));
	u32 at = 0;

	if (!CHECKED(len <= WQE_MAX_INLINE) || !is_data(w->op))
		return fault(AE_WQE_PARAM, V_SQ_INLINE);
	w->inlined = true;
	w->len = len;
	for (u32 q = 0; at < len; q++) {
		u32 room = q ? 31 : 8;
		u32 n = len - at < room ? len - at : room;

		memcpy(w->data + at, q ? wqe + WQE_QUANTUM * q : wqe + 8, n);
		at += n;
	}
	if (!polarity_repeated(wqe, w->quanta, false))
		return fault(AE_WQE_FRAGMENT, V_SQ_POLARITY);
	return fine;
}

static struct wqe_fault parse_data(const u8 *wqe, struct send_wqe *w)
{
	u64 hdr = word(wqe, 3);
	u32 add = HDR_ADDFRAGS(hdr);

	w->has_imm = hdr & HDR_IMM;
	if (w->has_imm && (!is_data(w->op) || w->op == WQE_SEND_INV || w->op == WQE_SEND_INV_SOL))
		return fault(AE_WQE_PARAM, V_SQ_IMMEDIATE);
	w->imm = w->has_imm ? (u32)word(wqe, 0) : 0;
	if (is_inline(hdr))
		return parse_inline(wqe, w);
	w->nfrags = (u8)(w->has_imm ? add : add + 1);
	if (w->nfrags > WQE_MAX_FRAGS || (w->op == WQE_READ_INV && w->nfrags > 1))
		return fault(AE_WQE_PARAM, V_SQ_FRAGS);
	if (!polarity_repeated(wqe, w->quanta, true))
		return fault(AE_WQE_FRAGMENT, V_SQ_POLARITY);
	if (!parse_frags(wqe, w->has_imm, w->nfrags, w->sge, &w->len))
		return fault(AE_WQE_PARAM, V_SQ_LENGTH);
	return fine;
}

static struct wqe_fault parse_atomic(const u8 *wqe, struct send_wqe *w)
{
	if (!polarity_repeated(wqe, 2, false))
		return fault(AE_WQE_FRAGMENT, V_SQ_POLARITY);
	w->nfrags = 1;
	w->len = 8;
	w->sge[0] = (struct sge){ .addr = word(wqe, 0), .stag = (u32)word(wqe, 1), .len = 8 };
	w->swap = word(wqe, 4);
	w->compare = w->op == WQE_CMP_SWAP ? word(wqe, 5) : 0;
	return fine;
}

static u32 parse_rights(u64 hdr)
{
	return (u32)FIELD(hdr, 52, 48) | (FIELD(hdr, 55, 55) ? ACC_REMOTE_ATOMIC : 0);
}

static void parse_bind(const u8 *wqe, struct send_wqe *w)
{
	u64 hdr = word(wqe, 3);

	w->bind = (struct mw_bind){
		.va = word(wqe, 0),
		.mr_stag = (u32)FIELD(word(wqe, 1), 63, 32),
		.mw_stag = (u32)FIELD(word(wqe, 1), 31, 0),
		.len = word(wqe, 2),
		.access = parse_rights(hdr),
		.va_based = FIELD(hdr, 53, 53),
		.type1 = FIELD(hdr, 54, 54),
	};
}

static void parse_fast_reg(const u8 *wqe, struct send_wqe *w)
{
	u64 hdr = word(wqe, 3);
	u64 w1 = word(wqe, 1), w2 = word(wqe, 2);

	w->fast_reg = (struct fast_reg){
		.stag = HDR_STAG(hdr),
		.va = word(wqe, 0),
		.page = w1 & MASK(63, 12),
		.pble = (u32)(FIELD(w1, 11, 0) << 16 | FIELD(w2, 63, 48)),
		.len = FIELD(w2, 40, 0),
		.pbl_mode = (u8)FIELD(hdr, 45, 44),
		.page_size = (u8)FIELD(hdr, 47, 46),
		.access = parse_rights(hdr),
		.va_based = FIELD(hdr, 53, 53),
	};
}

static struct wqe_fault parse_body(const u8 *wqe, enum qp_type type, struct send_wqe *w)
{
	u64 w2 = word(wqe, 2);

	switch (w->op) {
	case WQE_NOP:
		return fine;
	case WQE_BIND:
		parse_bind(wqe, w);
		return fine;
	case WQE_FAST_REG:
		parse_fast_reg(wqe, w);
		return fine;
	case WQE_LOCAL_INV:
		w->stag = (u32)FIELD(word(wqe, 1), 31, 0);
		return fine;
	case WQE_FETCH_ADD:
	case WQE_CMP_SWAP:
		w->raddr = w2;
		return parse_atomic(wqe, w);
	}
	if (type == QP_UD) {
		w->ah = w->stag;
		w->qkey = (u32)FIELD(w2, 31, 0);
		w->dqpn = (u32)FIELD(w2, 55, 32);
	} else {
		w->raddr = w2;
	}
	return parse_data(wqe, w);
}

struct wqe_fault wqe_parse_send(const u8 *wqe, u32 avail, enum qp_type type, struct send_wqe *w)
{
	u64 hdr = word(wqe, 3);
	u8 op = HDR_OP(hdr);

	memset(w, 0, sizeof(*w));
	w->op = op;
	w->quanta = (u8)wqe_send_quanta(wqe);
	w->stag = HDR_STAG(hdr);
	w->signalled = hdr & HDR_SIGNALLED;
	w->read_fence = hdr & HDR_READ_FENCE;
	w->local_fence = hdr & HDR_LOCAL_FENCE;
	w->solicited = op == WQE_SEND_SOL || op == WQE_SEND_INV_SOL || op == WQE_WRITE_SOL;
	if (!is_known(op) || (type == QP_UD && op != WQE_SEND && op != WQE_SEND_SOL && op != WQE_NOP))
		return fault(AE_WQE_OPCODE, V_SQ_OPCODE);
	if (is_inline(hdr) && !CHECKED(HDR_INLINE_LEN(hdr) <= WQE_MAX_INLINE))
		return fault(AE_WQE_PARAM, V_SQ_INLINE);
	if (!CHECKED(w->quanta <= avail))
		return fault(AE_WQE_PARAM, V_SQ_CHUNK);
	return parse_body(wqe, type, w);
}

struct wqe_fault wqe_parse_recv(const u8 *wqe, u32 stride, struct recv_wqe *w)
{
	u32 add = HDR_ADDFRAGS(word(wqe, 3));
	u32 quanta = 1 + (add + 1) / 2;

	w->nfrags = (u8)(add + 1);
	w->wr_id = word(wqe, 2);
	if (add >= WQE_MAX_FRAGS || quanta > stride)
		return fault(AE_WQE_PARAM, V_RQ_FRAGS);
	if (!polarity_repeated(wqe, quanta, true))
		return fault(AE_WQE_FRAGMENT, V_RQ_POLARITY);
	if (!parse_frags(wqe, 0, add + 1, w->sge, &w->len))
		return fault(AE_WQE_PARAM, V_RQ_FRAGS);
	return fine;
}

/* What stands beside the fragments, the immediate and the header of a send or write. */
static bool data_clean(const u8 *wqe, enum qp_type type)
{
	u64 hdr = word(wqe, 3);
	u8 op = HDR_OP(hdr);

	if (type == QP_UD && HDR_STAG(hdr) >> AH_BITS)
		return false;
	if (type == QP_RC && wqe_is_send(op) && word(wqe, 2))
		return false;
	if (type == QP_RC && (op == WQE_SEND || op == WQE_SEND_SOL) && HDR_STAG(hdr))
		return false;
	for (u32 q = 1; is_inline(hdr) && q < inline_quanta(HDR_INLINE_LEN(hdr)); q++)
		if (FIELD(word(wqe, 4 * q + 3), 62, 56))
			return false;
	return true;
}

bool wqe_send_clean(const u8 *wqe, enum qp_type type)
{
	u64 hdr = word(wqe, 3);

	switch (HDR_OP(hdr)) {
	case WQE_NOP:
		return !(word(wqe, 0) | word(wqe, 1) | word(wqe, 2));
	case WQE_LOCAL_INV:
		return !(word(wqe, 0) | word(wqe, 1) >> 32 | word(wqe, 2) | HDR_STAG(hdr));
	case WQE_FETCH_ADD:
		if (word(wqe, 5))
			return false;
		/* fall through */
	case WQE_CMP_SWAP:
		return !(word(wqe, 6) | (word(wqe, 7) & ~HDR_VALID));
	}
	return data_clean(wqe, type);
}

bool wqe_recv_clean(const u8 *wqe, bool srq)
{
	return (srq || !word(wqe, 2)) && !(word(wqe, 3) & ~(HDR_VALID | HDR_ADDFRAGS_MASK));
}
