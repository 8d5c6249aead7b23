// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work requests: values to the quanta of an SQ, RQ or SRQ WQE.
 *
 * An encoder writes straight into the ring and stores the header with the
 * valid bit last: from then on the WQE belongs to the device. The caller has
 * checked fragment count and lengths, has reserved the quanta, and holds the
 * queue's lock. Bytes of the reserved quanta that the format does not use
 * keep what they held.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "hw_cqp.h"
#include "wqe.h"

/**
 * irdma_wqe_frag_quanta - length of a WQE with fragments
 * @num_sge: fragments
 * @has_imm: immediate data takes a fragment's place
 *
 * Return: quanta, 1 to 8; -EINVAL for more than IRDMA_WQE_MAX_FRAGS.
 */
int irdma_wqe_frag_quanta(u32 num_sge, bool has_imm)
{
	if (num_sge > IRDMA_WQE_MAX_FRAGS)
		return -EINVAL;
	return (num_sge + has_imm) / 2 + 1;
}

/**
 * irdma_wqe_inline_quanta - length of a WQE with inline data
 * @len_bytes: data
 *
 * Return: quanta, 1 to 8; -EINVAL for more than IRDMA_WQE_MAX_INLINE.
 */
int irdma_wqe_inline_quanta(u32 len_bytes)
{
	if (len_bytes > IRDMA_WQE_MAX_INLINE)
		return -EINVAL;
	if (len_bytes <= IRDMA_INLINE_FIRST_BYTES)
		return 1;
	return 1 + DIV_ROUND_UP(len_bytes - IRDMA_INLINE_FIRST_BYTES,
				IRDMA_INLINE_NEXT_BYTES);
}

static void irdma_wqe_set(struct irdma_quantum *wqe, unsigned int qw, u64 val)
{
	wqe[qw / IRDMA_QUANTUM_QWORDS].qw[qw % IRDMA_QUANTUM_QWORDS] =
		cpu_to_le64(val);
}

/* The device may read the WQE as soon as the header is there. */
static void irdma_wqe_publish(struct irdma_quantum *wqe, u64 hdr)
{
	/* pairs with the device's read of the header before the rest */
	dma_wmb();
	WRITE_ONCE(wqe->qw[IRDMA_WQE_HDR], cpu_to_le64(hdr));
}

static u64 irdma_wqe_hdr(enum irdma_sq_op op, struct irdma_wqe_opts opts)
{
	return FIELD_PREP(IRDMA_SQ_QW3_OPCODE, op) |
	       FIELD_PREP(IRDMA_SQ_QW3_READ_FENCE, opts.read_fence) |
	       FIELD_PREP(IRDMA_SQ_QW3_LOCAL_FENCE, opts.local_fence) |
	       FIELD_PREP(IRDMA_SQ_QW3_SIGNALED, opts.signaled) |
	       FIELD_PREP(IRDMA_SQ_QW3_VALID, opts.valid);
}

static void irdma_wqe_set_frag(struct irdma_quantum *wqe, unsigned int slot,
			       u64 addr, u32 len, u32 stag, bool valid)
{
	/* Slot 0 is in front of quadword 2 and the header, the others behind. */
	unsigned int qw = slot ? 2 * slot + 2 : 0;

	irdma_wqe_set(wqe, qw, addr);
	irdma_wqe_set(wqe, qw + 1, FIELD_PREP(IRDMA_FRAG_STAG, stag) |
				   FIELD_PREP(IRDMA_FRAG_LEN, len) |
				   FIELD_PREP(IRDMA_FRAG_VALID, valid));
}

/*
 * Fragments from @slot on. Every quantum must carry the valid bit twice, so
 * an odd slot at the end is followed by an empty one, which is not counted.
 * Returns the number of fragments beyond the first.
 */
static u32 irdma_wqe_set_frags(struct irdma_quantum *wqe, u32 slot,
			       const struct ib_sge *sge, u32 num_sge,
			       bool valid)
{
	u32 cnt = slot + num_sge;

	if (!cnt)
		irdma_wqe_set_frag(wqe, 0, 0, 0, 0, valid);
	for (; slot < cnt; slot++, sge++)
		irdma_wqe_set_frag(wqe, slot, sge->addr, sge->length,
				   sge->lkey, valid);
	if (cnt && cnt % 2 == 0)
		irdma_wqe_set_frag(wqe, cnt, 0, 0, 0, valid);
	return cnt ? cnt - 1 : 0;
}

/* Copies the data behind the immediate; returns its length. */
static u32 irdma_wqe_set_inline(struct irdma_quantum *wqe,
				const struct ib_sge *sge, u32 num_sge,
				bool valid)
{
	u8 *dst = (u8 *)wqe + IRDMA_INLINE_FIRST_OFFSET;
	u32 room = IRDMA_INLINE_FIRST_BYTES;
	u32 total = 0;

	for (; num_sge; num_sge--, sge++) {
		const u8 *src = (const u8 *)(uintptr_t)sge->addr;
		u32 left = sge->length;

		total += left;
		while (left) {
			u32 n;

			if (!room) {
				wqe++;
				dst = (u8 *)wqe;
				room = IRDMA_INLINE_NEXT_BYTES;
				dst[room] = valid ? IRDMA_INLINE_VALID : 0;
			}
			n = min(left, room);
			memcpy(dst, src, n);
			dst += n;
			src += n;
			room -= n;
			left -= n;
		}
	}
	return total;
}

/* Places the payload; returns what the header says about it. */
static u64 irdma_wqe_set_payload(struct irdma_quantum *wqe,
				 const struct irdma_wqe_payload *p, bool valid)
{
	u64 hdr = FIELD_PREP(IRDMA_SQ_QW3_IMM, p->has_imm);
	u32 len, extra;

	if (p->inlined || p->has_imm)
		irdma_wqe_set(wqe, 0, p->has_imm ? p->imm : 0);
	if (p->inlined) {
		len = irdma_wqe_set_inline(wqe, p->sge, p->num_sge, valid);
		return hdr | IRDMA_SQ_QW3_INLINE |
		       FIELD_PREP(IRDMA_SQ_QW3_INLINE_LEN, len);
	}
	extra = irdma_wqe_set_frags(wqe, p->has_imm, p->sge, p->num_sge, valid);
	return hdr | FIELD_PREP(IRDMA_SQ_QW3_ADD_FRAGS, extra);
}

/**
 * irdma_wqe_enc_send - send on a connected QP
 * @wqe: first of the reserved quanta
 * @op: IRDMA_SQ_OP_SEND, _SEND_SOL, _SEND_INV or _SEND_INV_SOL
 * @opts: options
 * @p: data
 * @inv_stag: STag that the peer invalidates; 0 unless @op says so
 */
void irdma_wqe_enc_send(struct irdma_quantum *wqe, enum irdma_sq_op op,
			struct irdma_wqe_opts opts,
			const struct irdma_wqe_payload *p, u32 inv_stag)
{
	u64 hdr = irdma_wqe_hdr(op, opts) |
		  FIELD_PREP(IRDMA_SQ_QW3_STAG, inv_stag);

	hdr |= irdma_wqe_set_payload(wqe, p, opts.valid);
	irdma_wqe_set(wqe, 2, 0);
	irdma_wqe_publish(wqe, hdr);
}

/**
 * irdma_wqe_enc_ud_send - send a datagram
 * @wqe: first of the reserved quanta
 * @op: IRDMA_SQ_OP_SEND or _SEND_SOL
 * @opts: options
 * @p: data
 * @dest: destination
 */
void irdma_wqe_enc_ud_send(struct irdma_quantum *wqe, enum irdma_sq_op op,
			   struct irdma_wqe_opts opts,
			   const struct irdma_wqe_payload *p,
			   const struct irdma_wqe_ud_dest *dest)
{
	u64 hdr = irdma_wqe_hdr(op, opts) |
		  FIELD_PREP(IRDMA_SQ_QW3_AH_IDX, dest->ah_idx);

	hdr |= irdma_wqe_set_payload(wqe, p, opts.valid);
	irdma_wqe_set(wqe, 2,
		      FIELD_PREP(IRDMA_SQ_UD_QW2_QKEY, dest->qkey) |
		      FIELD_PREP(IRDMA_SQ_UD_QW2_DEST_QPN, dest->qpn));
	irdma_wqe_publish(wqe, hdr);
}

/**
 * irdma_wqe_enc_rdma - write to or read from the peer's memory
 * @wqe: first of the reserved quanta
 * @op: IRDMA_SQ_OP_WRITE, _WRITE_SOL, _READ or _READ_INV
 * @opts: options
 * @p: data, or where it goes
 * @remote: memory of the peer
 */
void irdma_wqe_enc_rdma(struct irdma_quantum *wqe, enum irdma_sq_op op,
			struct irdma_wqe_opts opts,
			const struct irdma_wqe_payload *p,
			const struct irdma_wqe_remote *remote)
{
	u64 hdr = irdma_wqe_hdr(op, opts) |
		  FIELD_PREP(IRDMA_SQ_QW3_STAG, remote->stag);

	hdr |= irdma_wqe_set_payload(wqe, p, opts.valid);
	irdma_wqe_set(wqe, 2, remote->addr);
	irdma_wqe_publish(wqe, hdr);
}

/**
 * irdma_wqe_enc_atomic - atomic operation on eight bytes of the peer
 * @wqe: first of two reserved quanta
 * @op: IRDMA_SQ_OP_FETCH_ADD or _CMP_SWAP
 * @opts: options
 * @a: operands
 */
void irdma_wqe_enc_atomic(struct irdma_quantum *wqe, enum irdma_sq_op op,
			  struct irdma_wqe_opts opts,
			  const struct irdma_wqe_atomic *a)
{
	bool swap = op == IRDMA_SQ_OP_CMP_SWAP;

	irdma_wqe_set(wqe, 0, a->local_addr);
	irdma_wqe_set(wqe, 1, FIELD_PREP(IRDMA_SQ_ATOMIC_QW1_STAG,
					 a->local_stag));
	irdma_wqe_set(wqe, 2, a->remote.addr);
	irdma_wqe_set(wqe, 4, swap ? a->swap : a->compare_add);
	irdma_wqe_set(wqe, 5, swap ? a->compare_add : 0);
	irdma_wqe_set(wqe, 6, 0);
	irdma_wqe_set(wqe, 7, FIELD_PREP(IRDMA_FRAG_VALID, opts.valid));
	irdma_wqe_publish(wqe, irdma_wqe_hdr(op, opts) |
			       FIELD_PREP(IRDMA_SQ_QW3_ADD_FRAGS, 1) |
			       FIELD_PREP(IRDMA_SQ_QW3_STAG, a->remote.stag));
}

/**
 * irdma_wqe_enc_bind - bind a memory window
 * @wqe: reserved quantum
 * @opts: options
 * @b: window
 */
void irdma_wqe_enc_bind(struct irdma_quantum *wqe, struct irdma_wqe_opts opts,
			const struct irdma_wqe_bind *b)
{
	irdma_wqe_set(wqe, 0, b->va);
	irdma_wqe_set(wqe, 1,
		      FIELD_PREP(IRDMA_SQ_BIND_QW1_MW_STAG, b->mw_stag) |
		      FIELD_PREP(IRDMA_SQ_BIND_QW1_MR_STAG, b->mr_stag));
	irdma_wqe_set(wqe, 2, b->len_bytes);
	irdma_wqe_publish(wqe, irdma_wqe_hdr(IRDMA_SQ_OP_BIND, opts) |
			  FIELD_PREP(IRDMA_SQ_QW3_RIGHTS, b->rights) |
			  FIELD_PREP(IRDMA_SQ_QW3_VA_BASED, b->va_based) |
			  FIELD_PREP(IRDMA_SQ_QW3_MW_TYPE1, b->type1) |
			  FIELD_PREP(IRDMA_SQ_QW3_ATOMIC, b->atomic));
}

/**
 * irdma_wqe_enc_fast_reg - give an allocated STag its pages and rights
 * @wqe: reserved quantum
 * @opts: options
 * @r: region
 */
void irdma_wqe_enc_fast_reg(struct irdma_quantum *wqe,
			    struct irdma_wqe_opts opts,
			    const struct irdma_wqe_fast_reg *r)
{
	u8 code = r->pbl_mapped ? IRDMA_PBL_CODE_LEVEL1 : IRDMA_PBL_CODE_CONTIG;
	u64 page_addr = r->pbl_mapped ? 0 : r->page_addr;
	u32 pble_idx = r->pbl_mapped ? r->pble_idx : 0;

	irdma_wqe_set(wqe, 0, r->va);
	irdma_wqe_set(wqe, 1, (page_addr & IRDMA_SQ_REG_QW1_PAGE_ADDR) |
			      FIELD_PREP(IRDMA_SQ_REG_QW1_PBLE_HIGH, pble_idx >>
					 IRDMA_SQ_REG_PBLE_LOW_BITS));
	irdma_wqe_set(wqe, 2, FIELD_PREP(IRDMA_SQ_REG_QW2_LEN, r->len_bytes) |
			      FIELD_PREP(IRDMA_SQ_REG_QW2_PBLE_LOW, pble_idx));
	irdma_wqe_publish(wqe, irdma_wqe_hdr(IRDMA_SQ_OP_FAST_REG, opts) |
			  FIELD_PREP(IRDMA_SQ_QW3_STAG, r->stag) |
			  FIELD_PREP(IRDMA_SQ_REG_QW3_LEAF_PBL, code) |
			  FIELD_PREP(IRDMA_SQ_REG_QW3_PAGE_SIZE,
				     r->page_code) |
			  FIELD_PREP(IRDMA_SQ_QW3_RIGHTS, r->rights) |
			  FIELD_PREP(IRDMA_SQ_QW3_VA_BASED, r->va_based) |
			  FIELD_PREP(IRDMA_SQ_QW3_ATOMIC, r->atomic));
}

/**
 * irdma_wqe_enc_local_inv - invalidate an STag
 * @wqe: reserved quantum
 * @opts: options
 * @stag: STag
 */
void irdma_wqe_enc_local_inv(struct irdma_quantum *wqe,
			     struct irdma_wqe_opts opts, u32 stag)
{
	irdma_wqe_set(wqe, 0, 0);
	irdma_wqe_set(wqe, 1, FIELD_PREP(IRDMA_SQ_INV_QW1_STAG, stag));
	irdma_wqe_set(wqe, 2, 0);
	irdma_wqe_publish(wqe, irdma_wqe_hdr(IRDMA_SQ_OP_LOCAL_INV, opts));
}

/**
 * irdma_wqe_enc_nop - fill one quantum with nothing
 * @wqe: reserved quantum
 * @opts: options
 */
void irdma_wqe_enc_nop(struct irdma_quantum *wqe, struct irdma_wqe_opts opts)
{
	irdma_wqe_set(wqe, 0, 0);
	irdma_wqe_set(wqe, 1, 0);
	irdma_wqe_set(wqe, 2, 0);
	irdma_wqe_publish(wqe, irdma_wqe_hdr(IRDMA_SQ_OP_NOP, opts));
}

/**
 * irdma_wqe_enc_recv - receive buffer of an RQ
 * @wqe: first quantum of the WQE
 * @sge: fragments, each shorter than 2^31
 * @num_sge: their number, 0 to what the queue's WQE size holds
 * @valid: polarity
 */
void irdma_wqe_enc_recv(struct irdma_quantum *wqe, const struct ib_sge *sge,
			u32 num_sge, bool valid)
{
	irdma_wqe_enc_srq_recv(wqe, sge, num_sge, 0, valid);
}

/**
 * irdma_wqe_enc_srq_recv - receive buffer of an SRQ
 * @wqe: first quantum of the WQE
 * @sge: fragments, each shorter than 2^31
 * @num_sge: their number, 0 to what the queue's WQE size holds
 * @wr_id: returned in the completion
 * @valid: polarity
 */
void irdma_wqe_enc_srq_recv(struct irdma_quantum *wqe, const struct ib_sge *sge,
			    u32 num_sge, u64 wr_id, bool valid)
{
	u32 extra = irdma_wqe_set_frags(wqe, 0, sge, num_sge, valid);

	irdma_wqe_set(wqe, 2, wr_id);
	irdma_wqe_publish(wqe, FIELD_PREP(IRDMA_RQ_QW3_ADD_FRAGS, extra) |
			       FIELD_PREP(IRDMA_RQ_QW3_VALID, valid));
}
