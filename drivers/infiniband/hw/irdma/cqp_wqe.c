// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Control commands: typed arguments to the 64 bytes of a CQP WQE.
 *
 * Every encoder writes all eight quadwords and leaves the valid bit of the
 * header clear: whoever posts the WQE stores the header last, with the bit.
 * Values wider than their field are cut off; limits are checked by the caller,
 * who knows what the device granted. Pure functions, any context.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <linux/array_size.h>
#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/etherdevice.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "cqp_wqe.h"
#include "hw_fpm.h"

static void irdma_cqp_start(struct irdma_cqp_wqe *wqe, enum irdma_cqp_op op,
			    u64 hdr)
{
	*wqe = (struct irdma_cqp_wqe){};
	wqe->qw[IRDMA_CQP_HDR] =
		cpu_to_le64(FIELD_PREP(IRDMA_CQP_QW3_OPCODE, op) | hdr);
}

static void irdma_cqp_set(struct irdma_cqp_wqe *wqe, unsigned int qw, u64 val)
{
	wqe->qw[qw] = cpu_to_le64(val);
}

static u64 irdma_leaf_pbl_hdr(const struct irdma_mem_ref *mem)
{
	static const u8 code[] = {
		IRDMA_PBL_CODE_CONTIG,
		IRDMA_PBL_CODE_LEVEL1,
		IRDMA_PBL_CODE_LEVEL2,
	};

	return FIELD_PREP(IRDMA_CQP_QW3_LEAF_PBL,
			  code[min(mem->level, ARRAY_SIZE(code) - 1)]);
}

/* Ring commands say twice that there is a page list; STag commands once. */
static u64 irdma_ring_hdr(const struct irdma_mem_ref *ring)
{
	return irdma_leaf_pbl_hdr(ring) |
	       FIELD_PREP(IRDMA_CQP_QW3_PBL_MAPPED, !!ring->level);
}

static void irdma_cqp_set_pbl(struct irdma_cqp_wqe *wqe,
			      const struct irdma_mem_ref *mem)
{
	if (mem->level)
		irdma_cqp_set(wqe, 6, FIELD_PREP(IRDMA_CQP_QW6_PBLE_IDX,
						 mem->pble_idx));
}

static void irdma_cqp_set_mem(struct irdma_cqp_wqe *wqe,
			      const struct irdma_mem_ref *mem)
{
	if (!mem->level)
		irdma_cqp_set(wqe, 4, mem->addr);
	irdma_cqp_set_pbl(wqe, mem);
}

/* Groups 2 and 3 in quadword @qw, groups 0 and 1 (IPv6) in the next one. */
static void irdma_cqp_set_ip(struct irdma_cqp_wqe *wqe, unsigned int qw,
			     const u32 *ip, bool ipv4)
{
	if (ipv4) {
		irdma_cqp_set(wqe, qw, FIELD_PREP(IRDMA_CQP_IP_ODD, ip[3]));
		return;
	}
	irdma_cqp_set(wqe, qw, FIELD_PREP(IRDMA_CQP_IP_EVEN, ip[2]) |
			       FIELD_PREP(IRDMA_CQP_IP_ODD, ip[3]));
	irdma_cqp_set(wqe, qw + 1, FIELD_PREP(IRDMA_CQP_IP_EVEN, ip[0]) |
				   FIELD_PREP(IRDMA_CQP_IP_ODD, ip[1]));
}

/**
 * irdma_cqp_layout_check - check the announced fields before they are used
 * @layout: fields
 *
 * Each field must exist, must be no wider than the id bits that have no fixed
 * place, and must not touch a fixed field of its word.
 *
 * Return: 0; -EINVAL otherwise.
 */
int irdma_cqp_layout_check(const struct irdma_cqp_layout *layout)
{
	const u64 cq_fixed = IRDMA_CQP_QW3_OPCODE | IRDMA_CQP_CQ_QW3_RESIZE |
			     IRDMA_CQP_QW3_LEAF_PBL |
			     IRDMA_CQP_CQ_QW3_CHECK_OVERFLOW |
			     IRDMA_CQP_QW3_PBL_MAPPED |
			     IRDMA_CQP_CQ_QW3_CEQE_MASK |
			     IRDMA_CQP_CQ_QW3_CEQ_VALID |
			     IRDMA_CQP_CQ_QW3_ID_HIGH |
			     IRDMA_CQP_CQ_QW3_CEQ_HIGH |
			     IRDMA_CQP_CQ_QW3_TPH | IRDMA_CQP_CQ_QW3_CQE64 |
			     IRDMA_CQP_QW3_VALID;

	if (!irdma_field_valid(layout->pd_id) ||
	    !irdma_field_valid(layout->cq_id) ||
	    !irdma_field_valid(layout->ceq_id) ||
	    !irdma_field_valid(layout->hmc_fn))
		return -EINVAL;
	if (layout->pd_id.bits > IRDMA_CQP_STAG_PD_LOW_BITS ||
	    layout->cq_id.bits > IRDMA_CQP_CQ_ID_LOW_BITS ||
	    layout->ceq_id.bits > IRDMA_CQP_CQ_CEQ_LOW_BITS)
		return -EINVAL;
	if (irdma_field_mask(layout->pd_id) & IRDMA_CQP_STAG_QW1_LEN)
		return -EINVAL;
	if (irdma_field_mask(layout->hmc_fn) & IRDMA_CQP_SD_QW2_SIDE_BUF)
		return -EINVAL;
	if ((irdma_field_mask(layout->cq_id) |
	     irdma_field_mask(layout->ceq_id)) & cq_fixed)
		return -EINVAL;
	if (irdma_field_mask(layout->cq_id) & irdma_field_mask(layout->ceq_id))
		return -EINVAL;
	return 0;
}

/**
 * irdma_cqp_ctx_enc - fill the host context that creates the control queue
 * @ctx: context
 * @a: arguments
 *
 * RoCE only, default HMC profile, no congestion-control parameters.
 */
void irdma_cqp_ctx_enc(struct irdma_cqp_ctx *ctx,
		       const struct irdma_cqp_ctx_args *a)
{
	*ctx = (struct irdma_cqp_ctx){};
	ctx->qw[0] = cpu_to_le64(FIELD_PREP(IRDMA_CQP_CTX_QW0_PROTOCOL,
					    IRDMA_CQP_PROTO_ROCE) |
				 FIELD_PREP(IRDMA_CQP_CTX_QW0_DEPTH,
					    ilog2(a->depth) - 1));
	ctx->qw[1] = cpu_to_le64(a->sq_addr);
	ctx->qw[2] = cpu_to_le64(FIELD_PREP(IRDMA_CQP_CTX_QW2_HMC_PROFILE,
					    IRDMA_CQP_HMC_PROFILE_DEFAULT) |
				 IRDMA_CQP_CTX_QW2_TS_OVERRIDE);
	ctx->qw[3] = cpu_to_le64(a->cookie);
	ctx->qw[4] = cpu_to_le64(FIELD_PREP(IRDMA_CQP_CTX_QW4_VER_MAJOR,
					    IRDMA_CQP_VERSION_MAJOR) |
				 FIELD_PREP(IRDMA_CQP_CTX_QW4_VER_MINOR,
					    IRDMA_CQP_VERSION_MINOR));
}

/* What the three QP commands have in common. */
static void irdma_cqp_start_qp(struct irdma_cqp_wqe *wqe, enum irdma_cqp_op op,
			       const struct irdma_cqp_qp_args *a, u64 hdr)
{
	irdma_cqp_start(wqe, op, hdr |
			FIELD_PREP(IRDMA_CQP_QP_QW3_ID, a->id) |
			FIELD_PREP(IRDMA_CQP_QP_QW3_TYPE, a->type));
	irdma_cqp_set(wqe, 2, a->ctx_addr);
	irdma_cqp_set(wqe, 5, a->shadow_addr);
}

static u64 irdma_cqp_qp_state_hdr(const struct irdma_cqp_qp_args *a)
{
	return FIELD_PREP(IRDMA_CQP_QP_QW3_ORD_VALID, a->ord_valid) |
	       FIELD_PREP(IRDMA_CQP_QP_QW3_PBL_MAPPED, a->pbl_mapped) |
	       FIELD_PREP(IRDMA_CQP_QP_QW3_CQ_VALID, a->cq_valid) |
	       FIELD_PREP(IRDMA_CQP_QP_QW3_MAC_VALID, a->mac_valid) |
	       FIELD_PREP(IRDMA_CQP_QP_QW3_ARP_VALID, a->arp_valid) |
	       FIELD_PREP(IRDMA_CQP_QP_QW3_NEXT_STATE, a->next_state);
}

/**
 * irdma_cqp_enc_create_qp - create a QP
 * @wqe: WQE
 * @a: arguments
 */
void irdma_cqp_enc_create_qp(struct irdma_cqp_wqe *wqe,
			     const struct irdma_cqp_qp_args *a)
{
	irdma_cqp_start_qp(wqe, IRDMA_CQP_OP_CREATE_QP, a,
			   irdma_cqp_qp_state_hdr(a));
}

/**
 * irdma_cqp_enc_modify_qp - make the device read the context again
 * @wqe: WQE
 * @a: arguments
 *
 * Fields of the context that have no flag in @a are taken whenever the
 * change of state needs them.
 */
void irdma_cqp_enc_modify_qp(struct irdma_cqp_wqe *wqe,
			     const struct irdma_cqp_qp_args *a)
{
	irdma_cqp_start_qp(wqe, IRDMA_CQP_OP_MODIFY_QP, a,
			   irdma_cqp_qp_state_hdr(a));
}

/**
 * irdma_cqp_enc_destroy_qp - destroy a QP
 * @wqe: WQE
 * @a: arguments; addresses, id and type count
 */
void irdma_cqp_enc_destroy_qp(struct irdma_cqp_wqe *wqe,
			      const struct irdma_cqp_qp_args *a)
{
	irdma_cqp_start_qp(wqe, IRDMA_CQP_OP_DESTROY_QP, a,
			   IRDMA_CQP_QP_QW3_REMOVE_HASH);
}

/* What the three CQ commands have in common. */
static void irdma_cqp_start_cq(struct irdma_cqp_wqe *wqe, enum irdma_cqp_op op,
			       const struct irdma_cqp_layout *layout,
			       const struct irdma_cqp_cq_args *a, u64 hdr)
{
	irdma_cqp_start(wqe, op, hdr | irdma_ring_hdr(&a->ring) |
			irdma_field_prep(layout->cq_id, a->id) |
			FIELD_PREP(IRDMA_CQP_CQ_QW3_ID_HIGH,
				   a->id >> IRDMA_CQP_CQ_ID_LOW_BITS) |
			FIELD_PREP(IRDMA_CQP_CQ_QW3_CEQE_MASK, a->ceqe_mask) |
			FIELD_PREP(IRDMA_CQP_CQ_QW3_CQE64, a->cqe64));
	irdma_cqp_set(wqe, 0, FIELD_PREP(IRDMA_CQP_CQ_QW0_ENTRIES,
					 a->entries));
	irdma_cqp_set(wqe, 1, FIELD_PREP(IRDMA_CQP_CQ_QW1_CTX, a->ctx));
	irdma_cqp_set(wqe, 5, a->shadow_addr);
}

static u64 irdma_cqp_ceq_hdr(const struct irdma_cqp_layout *layout,
			     const struct irdma_cqp_cq_args *a)
{
	if (!a->ceq_valid)
		return 0;
	return IRDMA_CQP_CQ_QW3_CEQ_VALID |
	       irdma_field_prep(layout->ceq_id, a->ceq_id) |
	       FIELD_PREP(IRDMA_CQP_CQ_QW3_CEQ_HIGH,
			  a->ceq_id >> IRDMA_CQP_CQ_CEQ_LOW_BITS);
}

/* The ring of a new CQ or of a resize, and how the device minds it. */
static void irdma_cqp_set_cq_ring(struct irdma_cqp_wqe *wqe,
				  const struct irdma_cqp_cq_args *a)
{
	irdma_cqp_set(wqe, 2, FIELD_PREP(IRDMA_CQP_CQ_QW2_SHADOW_THRESH,
					 a->shadow_thresh));
	irdma_cqp_set_mem(wqe, &a->ring);
}

/**
 * irdma_cqp_enc_create_cq - create a CQ
 * @wqe: WQE
 * @layout: checked layout
 * @a: arguments
 */
void irdma_cqp_enc_create_cq(struct irdma_cqp_wqe *wqe,
			     const struct irdma_cqp_layout *layout,
			     const struct irdma_cqp_cq_args *a)
{
	irdma_cqp_start_cq(wqe, IRDMA_CQP_OP_CREATE_CQ, layout, a,
			   irdma_cqp_ceq_hdr(layout, a) |
			   FIELD_PREP(IRDMA_CQP_CQ_QW3_CHECK_OVERFLOW,
				      a->check_overflow));
	irdma_cqp_set_cq_ring(wqe, a);
}

/**
 * irdma_cqp_enc_resize_cq - switch a CQ to a new ring
 * @wqe: WQE
 * @layout: checked layout
 * @a: arguments of the CQ with the new @ring and @entries
 */
void irdma_cqp_enc_resize_cq(struct irdma_cqp_wqe *wqe,
			     const struct irdma_cqp_layout *layout,
			     const struct irdma_cqp_cq_args *a)
{
	irdma_cqp_start_cq(wqe, IRDMA_CQP_OP_MODIFY_CQ, layout, a,
			   IRDMA_CQP_CQ_QW3_RESIZE |
			   FIELD_PREP(IRDMA_CQP_CQ_QW3_CHECK_OVERFLOW,
				      a->check_overflow));
	irdma_cqp_set_cq_ring(wqe, a);
}

/**
 * irdma_cqp_enc_destroy_cq - destroy a CQ
 * @wqe: WQE
 * @layout: checked layout
 * @a: arguments of the CQ as it is now
 */
void irdma_cqp_enc_destroy_cq(struct irdma_cqp_wqe *wqe,
			      const struct irdma_cqp_layout *layout,
			      const struct irdma_cqp_cq_args *a)
{
	irdma_cqp_start_cq(wqe, IRDMA_CQP_OP_DESTROY_CQ, layout, a,
			   irdma_cqp_ceq_hdr(layout, a));
	irdma_cqp_set_pbl(wqe, &a->ring);
}

static void irdma_cqp_enc_srq(struct irdma_cqp_wqe *wqe, enum irdma_cqp_op op,
			      const struct irdma_cqp_srq_args *a, u64 hdr)
{
	irdma_cqp_start(wqe, op, hdr | irdma_ring_hdr(&a->ring) |
			FIELD_PREP(IRDMA_CQP_SRQ_QW3_ID, a->id));
	irdma_cqp_set(wqe, 0, FIELD_PREP(IRDMA_CQP_SRQ_QW0_SIZE,
					 ilog2(max(a->quanta, 8U)) - 3) |
			      FIELD_PREP(IRDMA_CQP_SRQ_QW0_WQE_SIZE,
					 a->wqe_shift));
	irdma_cqp_set(wqe, 1, a->ctx & IRDMA_CQP_SRQ_QW1_CTX);
	irdma_cqp_set(wqe, 2, FIELD_PREP(IRDMA_CQP_SRQ_QW2_PD_ID, a->pd_id));
	if (!a->ring.level)
		irdma_cqp_set(wqe, 4, a->ring.addr & IRDMA_CQP_SRQ_QW4_RING);
	irdma_cqp_set(wqe, 5, a->shadow_addr & IRDMA_CQP_SRQ_QW5_SHADOW);
	irdma_cqp_set_pbl(wqe, &a->ring);
}

/**
 * irdma_cqp_enc_create_srq - create an SRQ, its limit event not armed
 * @wqe: WQE
 * @a: arguments; the limit is not used
 */
void irdma_cqp_enc_create_srq(struct irdma_cqp_wqe *wqe,
			      const struct irdma_cqp_srq_args *a)
{
	irdma_cqp_enc_srq(wqe, IRDMA_CQP_OP_CREATE_SRQ, a, 0);
}

/**
 * irdma_cqp_enc_modify_srq - set and arm the limit of an SRQ
 * @wqe: WQE
 * @a: arguments of the SRQ with the new limit
 */
void irdma_cqp_enc_modify_srq(struct irdma_cqp_wqe *wqe,
			      const struct irdma_cqp_srq_args *a)
{
	const u32 max_limit = FIELD_MAX(IRDMA_CQP_SRQ_QW0_LIMIT);

	irdma_cqp_enc_srq(wqe, IRDMA_CQP_OP_MODIFY_SRQ, a,
			  IRDMA_CQP_SRQ_QW3_ARM_LIMIT);
	wqe->qw[0] |= cpu_to_le64(FIELD_PREP(IRDMA_CQP_SRQ_QW0_LIMIT,
					     min(a->limit, max_limit)));
}

/**
 * irdma_cqp_enc_destroy_srq - destroy an SRQ
 * @wqe: WQE
 * @id: SRQ id
 * @ctx: context given at its creation
 */
void irdma_cqp_enc_destroy_srq(struct irdma_cqp_wqe *wqe, u32 id, u64 ctx)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_DESTROY_SRQ,
			FIELD_PREP(IRDMA_CQP_SRQ_QW3_ID, id));
	irdma_cqp_set(wqe, 1, ctx & IRDMA_CQP_SRQ_QW1_CTX);
}

static void irdma_cqp_start_ceq(struct irdma_cqp_wqe *wqe,
				enum irdma_cqp_op op,
				const struct irdma_cqp_ceq_args *a)
{
	irdma_cqp_start(wqe, op, irdma_ring_hdr(&a->ring) |
			FIELD_PREP(IRDMA_CQP_CEQ_QW3_ID_LOW, a->id) |
			FIELD_PREP(IRDMA_CQP_CEQ_QW3_ID_HIGH,
				   a->id >> IRDMA_CQP_CQ_CEQ_LOW_BITS));
	irdma_cqp_set(wqe, 2, FIELD_PREP(IRDMA_CQP_CEQ_QW2_ENTRIES,
					 a->entries));
}

/**
 * irdma_cqp_enc_create_ceq - create a completion event queue
 * @wqe: WQE
 * @a: arguments
 */
void irdma_cqp_enc_create_ceq(struct irdma_cqp_wqe *wqe,
			      const struct irdma_cqp_ceq_args *a)
{
	irdma_cqp_start_ceq(wqe, IRDMA_CQP_OP_CREATE_CEQ, a);
	irdma_cqp_set_mem(wqe, &a->ring);
}

/**
 * irdma_cqp_enc_destroy_ceq - destroy a completion event queue
 * @wqe: WQE
 * @a: arguments of its creation
 */
void irdma_cqp_enc_destroy_ceq(struct irdma_cqp_wqe *wqe,
			       const struct irdma_cqp_ceq_args *a)
{
	irdma_cqp_start_ceq(wqe, IRDMA_CQP_OP_DESTROY_CEQ, a);
	irdma_cqp_set_pbl(wqe, &a->ring);
}

/**
 * irdma_cqp_enc_create_aeq - create the function's asynchronous event queue
 * @wqe: WQE
 * @ring_addr: bus address of the contiguous ring, aligned to 256
 * @entries: 16-byte entries, up to 262144
 */
void irdma_cqp_enc_create_aeq(struct irdma_cqp_wqe *wqe, u64 ring_addr,
			      u32 entries)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_CREATE_AEQ, 0);
	irdma_cqp_set(wqe, 2, FIELD_PREP(IRDMA_CQP_AEQ_QW2_ENTRIES, entries));
	irdma_cqp_set(wqe, 4, ring_addr);
}

/**
 * irdma_cqp_enc_destroy_aeq - destroy the asynchronous event queue
 * @wqe: WQE
 * @entries: entries it was created with
 */
void irdma_cqp_enc_destroy_aeq(struct irdma_cqp_wqe *wqe, u32 entries)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_DESTROY_AEQ, 0);
	irdma_cqp_set(wqe, 2, FIELD_PREP(IRDMA_CQP_AEQ_QW2_ENTRIES, entries));
}

/**
 * irdma_page_code - code of a page size
 * @page_shift: log2 of the page size in bytes
 *
 * Return: IRDMA_PAGE_CODE_*; -EINVAL when the device has no such pages.
 */
int irdma_page_code(unsigned int page_shift)
{
	switch (page_shift) {
	case 12:
		return IRDMA_PAGE_CODE_4K;
	case 21:
		return IRDMA_PAGE_CODE_2M;
	case 30:
		return IRDMA_PAGE_CODE_1G;
	default:
		return -EINVAL;
	}
}

/* STag index and PD id: everything but the key and what the region is. */
static void irdma_cqp_start_stag(struct irdma_cqp_wqe *wqe,
				 enum irdma_cqp_op op,
				 const struct irdma_cqp_layout *layout,
				 u32 stag, u32 pd_id, u64 hdr)
{
	irdma_cqp_start(wqe, op, hdr);
	irdma_cqp_set(wqe, 1, irdma_field_prep(layout->pd_id, pd_id));
	irdma_cqp_set(wqe, 2, (stag & IRDMA_CQP_STAG_QW2_IDX) |
			      FIELD_PREP(IRDMA_CQP_STAG_QW2_PD_HIGH,
					 pd_id >> IRDMA_CQP_STAG_PD_LOW_BITS));
}

static void irdma_cqp_set_len(struct irdma_cqp_wqe *wqe, u64 len_bytes)
{
	wqe->qw[1] |= cpu_to_le64(FIELD_PREP(IRDMA_CQP_STAG_QW1_LEN,
					     len_bytes));
}

/**
 * irdma_cqp_enc_alloc_stag - reserve an STag that fast registration fills
 * @wqe: WQE
 * @layout: checked layout
 * @a: arguments; @va, @rights, @va_based and the key are not used
 */
void irdma_cqp_enc_alloc_stag(struct irdma_cqp_wqe *wqe,
			      const struct irdma_cqp_layout *layout,
			      const struct irdma_cqp_mr_args *a)
{
	irdma_cqp_start_stag(wqe, IRDMA_CQP_OP_ALLOC_STAG, layout, a->stag,
			     a->pd_id, irdma_leaf_pbl_hdr(&a->mem) |
			     IRDMA_CQP_STAG_QW3_IS_MR |
			     FIELD_PREP(IRDMA_CQP_STAG_QW3_PAGE_SIZE,
					a->page_code) |
			     IRDMA_CQP_STAG_QW3_REMOTE |
			     FIELD_PREP(IRDMA_CQP_STAG_QW3_ATOMIC, a->atomic));
	irdma_cqp_set_len(wqe, a->len_bytes);
	irdma_cqp_set_pbl(wqe, &a->mem);
}

/**
 * irdma_cqp_enc_reg_mr - register a memory region
 * @wqe: WQE
 * @layout: checked layout
 * @a: arguments
 */
void irdma_cqp_enc_reg_mr(struct irdma_cqp_wqe *wqe,
			  const struct irdma_cqp_layout *layout,
			  const struct irdma_cqp_mr_args *a)
{
	const u8 remote = IRDMA_RIGHT_REMOTE_READ | IRDMA_RIGHT_REMOTE_WRITE;

	irdma_cqp_start_stag(wqe, IRDMA_CQP_OP_REG_MR, layout, a->stag,
			     a->pd_id, irdma_leaf_pbl_hdr(&a->mem) |
			     IRDMA_CQP_STAG_QW3_IS_MR |
			     FIELD_PREP(IRDMA_CQP_STAG_QW3_PAGE_SIZE,
					a->page_code) |
			     FIELD_PREP(IRDMA_CQP_STAG_QW3_RIGHTS, a->rights) |
			     FIELD_PREP(IRDMA_CQP_STAG_QW3_REMOTE,
					!!(a->rights & remote)) |
			     FIELD_PREP(IRDMA_CQP_STAG_QW3_VA_BASED,
					a->va_based) |
			     FIELD_PREP(IRDMA_CQP_STAG_QW3_ATOMIC, a->atomic));
	irdma_cqp_set(wqe, 0, a->va);
	irdma_cqp_set_len(wqe, a->len_bytes);
	wqe->qw[2] |= cpu_to_le64(a->stag & IRDMA_CQP_STAG_QW2_KEY);
	irdma_cqp_set_mem(wqe, &a->mem);
}

/**
 * irdma_cqp_enc_alloc_mw - allocate a memory window
 * @wqe: WQE
 * @layout: checked layout
 * @stag: its STag; the key comes with the bind
 * @pd_id: protection domain
 * @type1: type 1, whose key a bind may change, else type 2B
 */
void irdma_cqp_enc_alloc_mw(struct irdma_cqp_wqe *wqe,
			    const struct irdma_cqp_layout *layout, u32 stag,
			    u32 pd_id, bool type1)
{
	irdma_cqp_start_stag(wqe, IRDMA_CQP_OP_ALLOC_STAG, layout, stag, pd_id,
			     FIELD_PREP(IRDMA_CQP_STAG_QW3_MW_TYPE1, type1) |
			     FIELD_PREP(IRDMA_CQP_STAG_QW3_MW1_NO_KEY, type1));
}

/**
 * irdma_cqp_enc_dealloc_stag - free a region's or a window's STag
 * @wqe: WQE
 * @layout: checked layout
 * @stag: STag; the key is not looked at
 * @pd_id: protection domain
 * @is_mr: region, else window
 */
void irdma_cqp_enc_dealloc_stag(struct irdma_cqp_wqe *wqe,
				const struct irdma_cqp_layout *layout,
				u32 stag, u32 pd_id, bool is_mr)
{
	irdma_cqp_start_stag(wqe, IRDMA_CQP_OP_DEALLOC_STAG, layout, stag,
			     pd_id,
			     FIELD_PREP(IRDMA_CQP_STAG_QW3_IS_MR, is_mr));
}

/**
 * irdma_cqp_enc_query_stag - ask whether an STag is valid
 * @wqe: WQE
 * @stag: STag
 *
 * An error in the completion is the answer "no".
 */
void irdma_cqp_enc_query_stag(struct irdma_cqp_wqe *wqe, u32 stag)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_QUERY_STAG, 0);
	irdma_cqp_set(wqe, 2, stag & IRDMA_CQP_STAG_QW2_IDX);
}

/**
 * irdma_cqp_enc_ah - create, modify or destroy an address handle
 * @wqe: WQE
 * @op: IRDMA_CQP_OP_CREATE_AH, _MODIFY_AH or _DESTROY_AH
 * @a: arguments, the same for all three
 */
void irdma_cqp_enc_ah(struct irdma_cqp_wqe *wqe, enum irdma_cqp_op op,
		      const struct irdma_cqp_ah_args *a)
{
	irdma_cqp_start(wqe, op,
			FIELD_PREP(IRDMA_CQP_AH_QW3_IDX, a->idx) |
			FIELD_PREP(IRDMA_CQP_AH_QW3_IPV4, a->ipv4) |
			FIELD_PREP(IRDMA_CQP_AH_QW3_INSERT_VLAN,
				   a->insert_vlan) |
			FIELD_PREP(IRDMA_CQP_AH_QW3_LOOPBACK, a->loopback));
	irdma_cqp_set(wqe, 0, FIELD_PREP(IRDMA_CQP_AH_QW0_SRC_MAC,
					 ether_addr_to_u64(a->src_mac)));
	irdma_cqp_set(wqe, 1,
		      FIELD_PREP(IRDMA_CQP_AH_QW1_VLAN_TAG, a->vlan_tag) |
		      FIELD_PREP(IRDMA_CQP_AH_QW1_TCLASS, a->tclass) |
		      FIELD_PREP(IRDMA_CQP_AH_QW1_PD_LOW, a->pd_id));
	irdma_cqp_set(wqe, 2,
		      FIELD_PREP(IRDMA_CQP_AH_QW2_FLOW_LABEL, a->flow_label) |
		      FIELD_PREP(IRDMA_CQP_AH_QW2_PD_HIGH,
				 a->pd_id >> IRDMA_CQP_AH_PD_LOW_BITS) |
		      FIELD_PREP(IRDMA_CQP_AH_QW2_HOP_LIMIT, a->hop_limit) |
		      FIELD_PREP(IRDMA_CQP_AH_QW2_ARP_IDX, a->arp_idx));
	irdma_cqp_set_ip(wqe, 4, a->dest_ip, a->ipv4);
	irdma_cqp_set_ip(wqe, 6, a->src_ip, a->ipv4);
}

/**
 * irdma_cqp_enc_mcg - create, modify or destroy a multicast group
 * @wqe: WQE
 * @op: IRDMA_CQP_OP_CREATE_MCG, _MODIFY_MCG or _DESTROY_MCG
 * @a: arguments, the same for all three
 */
void irdma_cqp_enc_mcg(struct irdma_cqp_wqe *wqe, enum irdma_cqp_op op,
		       const struct irdma_cqp_mcg_args *a)
{
	u64 vlan_id = a->vlan_valid ? a->vlan_id : 0;

	irdma_cqp_start(wqe, op,
			FIELD_PREP(IRDMA_CQP_MCG_QW3_IDX, a->idx) |
			FIELD_PREP(IRDMA_CQP_MCG_QW3_VLAN_VALID,
				   a->vlan_valid) |
			FIELD_PREP(IRDMA_CQP_MCG_QW3_IPV4, a->ipv4));
	irdma_cqp_set(wqe, 0, FIELD_PREP(IRDMA_CQP_MCG_QW0_MAC,
					 ether_addr_to_u64(a->mac)));
	irdma_cqp_set(wqe, 1, FIELD_PREP(IRDMA_CQP_MCG_QW1_HMC_FN, a->hmc_fn));
	irdma_cqp_set(wqe, 2, FIELD_PREP(IRDMA_CQP_MCG_QW2_QSET, a->qset) |
			      FIELD_PREP(IRDMA_CQP_MCG_QW2_VLAN_ID, vlan_id));
	irdma_cqp_set(wqe, 4, a->ctx_addr);
	irdma_cqp_set_ip(wqe, 6, a->ip, a->ipv4);
}

/**
 * irdma_mcg_ctx_enc - fill the context of a multicast group
 * @ctx: context
 * @qp_ids: members
 * @cnt: their number, 0 to IRDMA_MCG_MAX_MEMBERS
 */
void irdma_mcg_ctx_enc(struct irdma_mcg_ctx *ctx, const u32 *qp_ids, u32 cnt)
{
	*ctx = (struct irdma_mcg_ctx){};
	for (u32 i = 0; i < min(cnt, IRDMA_MCG_MAX_MEMBERS); i++)
		ctx->member[i] =
			cpu_to_le64(FIELD_PREP(IRDMA_MCG_MEMBER_QP_ID,
					       qp_ids[i]) |
				    IRDMA_MCG_MEMBER_VALID);
}

/**
 * irdma_cqp_enc_add_arp - bind an ARP index to a MAC
 * @wqe: WQE
 * @idx: ARP index, below 4096
 * @mac: MAC
 */
void irdma_cqp_enc_add_arp(struct irdma_cqp_wqe *wqe, u16 idx, const u8 *mac)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_ARP,
			FIELD_PREP(IRDMA_CQP_ARP_QW3_IDX, idx) |
			IRDMA_CQP_ARP_QW3_ADD | IRDMA_CQP_ARP_QW3_PERMANENT);
	irdma_cqp_set(wqe, 2, FIELD_PREP(IRDMA_CQP_ARP_QW2_MAC,
					 ether_addr_to_u64(mac)));
}

/**
 * irdma_cqp_enc_del_arp - free an ARP index
 * @wqe: WQE
 * @idx: ARP index
 */
void irdma_cqp_enc_del_arp(struct irdma_cqp_wqe *wqe, u16 idx)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_ARP,
			FIELD_PREP(IRDMA_CQP_ARP_QW3_IDX, idx));
}

/**
 * irdma_cqp_enc_flush - complete the outstanding WQEs of a QP in error
 * @wqe: WQE
 * @a: arguments
 */
void irdma_cqp_enc_flush(struct irdma_cqp_wqe *wqe,
			 const struct irdma_cqp_flush_args *a)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_FLUSH_WQES,
			FIELD_PREP(IRDMA_CQP_FLUSH_QW3_QP_ID, a->qp_id) |
			FIELD_PREP(IRDMA_CQP_FLUSH_QW3_SQ_ERR_VALID,
				   a->sq_err_valid) |
			FIELD_PREP(IRDMA_CQP_FLUSH_QW3_RQ_ERR_VALID,
				   a->rq_err_valid) |
			IRDMA_CQP_FLUSH_QW3_USE_CODES |
			FIELD_PREP(IRDMA_CQP_FLUSH_QW3_SQ, a->sq) |
			FIELD_PREP(IRDMA_CQP_FLUSH_QW3_RQ, a->rq));
	if (a->sq)
		wqe->qw[2] |= cpu_to_le64(FIELD_PREP(IRDMA_CQP_FLUSH_QW2_SQ_MINOR,
						     a->sq_code) |
					  FIELD_PREP(IRDMA_CQP_FLUSH_QW2_SQ_MAJOR,
						     IRDMA_CQE_MAJOR_FLUSH));
	if (a->rq)
		wqe->qw[2] |= cpu_to_le64(FIELD_PREP(IRDMA_CQP_FLUSH_QW2_RQ_MINOR,
						     a->rq_code) |
					  FIELD_PREP(IRDMA_CQP_FLUSH_QW2_RQ_MAJOR,
						     IRDMA_CQE_MAJOR_FLUSH));
	if (a->sq_err_valid)
		irdma_cqp_set(wqe, 5, FIELD_PREP(IRDMA_CQP_FLUSH_QW5_SQ_ERR_IDX,
						 a->sq_err_idx));
	if (a->rq_err_valid)
		irdma_cqp_set(wqe, 6, FIELD_PREP(IRDMA_CQP_FLUSH_QW6_RQ_ERR_IDX,
						 a->rq_err_idx));
}

/**
 * irdma_cqp_enc_gen_ae - make the device raise an asynchronous event
 * @wqe: WQE
 * @qp_id: QP that the event names
 * @code: event code
 * @source: source code
 */
void irdma_cqp_enc_gen_ae(struct irdma_cqp_wqe *wqe, u32 qp_id, u16 code,
			  u8 source)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_FLUSH_WQES,
			FIELD_PREP(IRDMA_CQP_FLUSH_QW3_QP_ID, qp_id) |
			IRDMA_CQP_FLUSH_QW3_GEN_AE);
	irdma_cqp_set(wqe, 1, FIELD_PREP(IRDMA_CQP_FLUSH_QW1_AE_CODE, code) |
			      FIELD_PREP(IRDMA_CQP_FLUSH_QW1_AE_SOURCE,
					 source));
}

/**
 * irdma_cqp_enc_suspend_qp - stop a QP; its event SUSPEND_DONE tells the end
 * @wqe: WQE
 * @qp_id: QP id
 */
void irdma_cqp_enc_suspend_qp(struct irdma_cqp_wqe *wqe, u32 qp_id)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_SUSPEND_QP,
			FIELD_PREP(IRDMA_CQP_SUSPEND_QW3_QP_ID, qp_id));
}

/**
 * irdma_cqp_enc_resume_qp - let a suspended QP run
 * @wqe: WQE
 * @qp_id: QP id
 * @qset: its queue-set handle from now on
 */
void irdma_cqp_enc_resume_qp(struct irdma_cqp_wqe *wqe, u32 qp_id, u32 qset)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_RESUME_QP,
			FIELD_PREP(IRDMA_CQP_SUSPEND_QW3_QP_ID, qp_id));
	irdma_cqp_set(wqe, 2, FIELD_PREP(IRDMA_CQP_RESUME_QW2_QSET, qset));
}

/**
 * irdma_cqp_enc_upload_qpc - copy the device's QP context to memory
 * @wqe: WQE
 * @buf_addr: bus address of a struct irdma_qpc
 * @qp_id: QP id
 * @type: QP type
 */
void irdma_cqp_enc_upload_qpc(struct irdma_cqp_wqe *wqe, u64 buf_addr,
			      u32 qp_id, enum irdma_hw_qp_type type)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_UPLOAD_QPC,
			FIELD_PREP(IRDMA_CQP_UPLOAD_QW3_QP_ID, qp_id) |
			FIELD_PREP(IRDMA_CQP_UPLOAD_QW3_TYPE, type));
	irdma_cqp_set(wqe, 2, buf_addr);
}

/**
 * irdma_cqp_enc_alloc_push_page - allocate a push page
 * @wqe: WQE
 * @qset: queue-set handle
 *
 * The completion's return value is the index.
 */
void irdma_cqp_enc_alloc_push_page(struct irdma_cqp_wqe *wqe, u16 qset)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_PUSH_PAGE, 0);
	irdma_cqp_set(wqe, 2, FIELD_PREP(IRDMA_CQP_PUSH_QW2_QSET, qset));
}

/**
 * irdma_cqp_enc_free_push_page - free a push page
 * @wqe: WQE
 * @qset: queue-set handle
 * @idx: push page index
 */
void irdma_cqp_enc_free_push_page(struct irdma_cqp_wqe *wqe, u16 qset, u32 idx)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_PUSH_PAGE,
			FIELD_PREP(IRDMA_CQP_PUSH_QW3_IDX, idx) |
			IRDMA_CQP_PUSH_QW3_FREE);
	irdma_cqp_set(wqe, 2, FIELD_PREP(IRDMA_CQP_PUSH_QW2_QSET, qset));
}

/**
 * irdma_cqp_enc_alloc_stats - allocate a statistics instance
 * @wqe: WQE
 *
 * The completion's return value is the instance.
 */
void irdma_cqp_enc_alloc_stats(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_STATS_INSTANCE,
			IRDMA_CQP_STATS_QW3_ALLOC);
}

/**
 * irdma_cqp_enc_free_stats - free a statistics instance
 * @wqe: WQE
 * @instance: instance
 */
void irdma_cqp_enc_free_stats(struct irdma_cqp_wqe *wqe, u8 instance)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_STATS_INSTANCE,
			FIELD_PREP(IRDMA_CQP_STATS_QW3_INSTANCE, instance));
}

/**
 * irdma_cqp_enc_gather_stats - copy the function's counters to memory
 * @wqe: WQE
 * @buf_addr: bus address of IRDMA_STATS_BUF_BYTES, page aligned
 */
void irdma_cqp_enc_gather_stats(struct irdma_cqp_wqe *wqe, u64 buf_addr)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_GATHER_STATS, 0);
	irdma_cqp_set(wqe, 4, buf_addr);
}

/**
 * irdma_cqp_enc_gather_stats_instance - copy an instance's counters to memory
 * @wqe: WQE
 * @buf_addr: bus address of IRDMA_STATS_BUF_BYTES, page aligned
 * @instance: instance
 */
void irdma_cqp_enc_gather_stats_instance(struct irdma_cqp_wqe *wqe,
					 u64 buf_addr, u8 instance)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_GATHER_STATS,
			FIELD_PREP(IRDMA_CQP_STATS_QW3_INSTANCE, instance) |
			IRDMA_CQP_STATS_QW3_USE_INST);
	irdma_cqp_set(wqe, 4, buf_addr);
}

/**
 * irdma_cqp_enc_up_map - map the eight user priorities
 * @wqe: WQE
 * @map: eight mappings, priority 0 first
 * @hmc_fn: HMC function id
 * @use_vlan: take the priority from the VLAN tag
 */
void irdma_cqp_enc_up_map(struct irdma_cqp_wqe *wqe, const u8 *map, u16 hmc_fn,
			  bool use_vlan)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_UP_MAP,
			FIELD_PREP(IRDMA_CQP_UP_MAP_QW3_USE_VLAN, use_vlan));
	memcpy(&wqe->qw[0], map, sizeof(wqe->qw[0]));
	irdma_cqp_set(wqe, 5, FIELD_PREP(IRDMA_CQP_UP_MAP_QW5_HMC_FN, hmc_fn));
}

/**
 * irdma_cqp_enc_query_fpm - ask what the device's private memory can hold
 * @wqe: WQE
 * @hmc_fn: HMC function id
 * @buf_addr: bus address of a struct irdma_fpm_query
 */
void irdma_cqp_enc_query_fpm(struct irdma_cqp_wqe *wqe, u16 hmc_fn,
			     u64 buf_addr)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_QUERY_FPM, 0);
	irdma_cqp_set(wqe, 2, FIELD_PREP(IRDMA_CQP_FPM_QW2_HMC_FN, hmc_fn));
	irdma_cqp_set(wqe, 4, buf_addr);
}

/**
 * irdma_cqp_enc_commit_fpm - settle the object counts
 * @wqe: WQE
 * @hmc_fn: HMC function id
 * @buf_addr: bus address of a struct irdma_fpm_commit
 * @fw_buf: the buffer names firmware scratch buffer 0
 */
void irdma_cqp_enc_commit_fpm(struct irdma_cqp_wqe *wqe, u16 hmc_fn,
			      u64 buf_addr, bool fw_buf)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_COMMIT_FPM,
			FIELD_PREP(IRDMA_CQP_QW3_BUF_BYTES,
				   IRDMA_FPM_COMMIT_BYTES) |
			FIELD_PREP(IRDMA_CQP_FPM_QW3_FW_BUF0, fw_buf));
	irdma_cqp_set(wqe, 2, FIELD_PREP(IRDMA_CQP_FPM_QW2_HMC_FN, hmc_fn));
	irdma_cqp_set(wqe, 4, buf_addr);
}

/**
 * irdma_cqp_enc_hmc_pages_done - tell that all static objects are backed
 * @wqe: WQE
 * @hmc_fn: HMC function id, below 64
 */
void irdma_cqp_enc_hmc_pages_done(struct irdma_cqp_wqe *wqe, u8 hmc_fn)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_HMC_PAGES_DONE, 0);
	irdma_cqp_set(wqe, 2, FIELD_PREP(IRDMA_CQP_PAGES_QW2_HMC_FN, hmc_fn));
}

static u64 irdma_sd_cmd(const struct irdma_sd_args *sd)
{
	return FIELD_PREP(IRDMA_SD_CMD_IDX, sd->idx) | IRDMA_SD_CMD_PE |
	       IRDMA_SD_CMD_WRITE;
}

static u64 irdma_sd_data(const struct irdma_sd_args *sd)
{
	return (sd->addr & IRDMA_SD_DATA_ADDR) |
	       FIELD_PREP(IRDMA_SD_DATA_PAGES, IRDMA_HMC_SEGMENT_PAGES) |
	       FIELD_PREP(IRDMA_SD_DATA_DIRECT, sd->direct) |
	       FIELD_PREP(IRDMA_SD_DATA_VALID, sd->valid);
}

/**
 * irdma_cqp_enc_update_sds - set or clear segment descriptors
 * @wqe: WQE
 * @layout: checked layout
 * @a: arguments
 *
 * The first three descriptors go into the WQE, the rest into the side buffer.
 *
 * Return: 0; -EINVAL when @a has no descriptor or more than 11.
 */
int irdma_cqp_enc_update_sds(struct irdma_cqp_wqe *wqe,
			     const struct irdma_cqp_layout *layout,
			     const struct irdma_cqp_sds_args *a)
{
	static const u8 qw[IRDMA_SD_WQE_ENTRIES] = { 0, 4, 6 };
	u32 side_cnt, in_wqe;
	u64 hmc_fn;

	if (!a->cnt || a->cnt > IRDMA_SD_MAX_ENTRIES)
		return -EINVAL;
	in_wqe = min(a->cnt, IRDMA_SD_WQE_ENTRIES);
	side_cnt = a->cnt - in_wqe;

	irdma_cqp_start(wqe, IRDMA_CQP_OP_UPDATE_SDS,
			FIELD_PREP(IRDMA_CQP_SD_QW3_SIDE_CNT, side_cnt));
	for (u32 i = 0; i < in_wqe; i++) {
		/* Entry 0 is always valid and has no bit for it. */
		u64 valid = i ? IRDMA_CQP_SD_ENTRY_VALID : 0;

		irdma_cqp_set(wqe, qw[i], irdma_sd_cmd(&a->sd[i]) | valid);
		irdma_cqp_set(wqe, qw[i] + 1, irdma_sd_data(&a->sd[i]));
	}
	for (u32 i = 0; i < side_cnt; i++) {
		const struct irdma_sd_args *sd = &a->sd[in_wqe + i];

		a->side->entry[i].cmd = cpu_to_le64(irdma_sd_cmd(sd));
		a->side->entry[i].data = cpu_to_le64(irdma_sd_data(sd));
	}
	hmc_fn = irdma_field_prep(layout->hmc_fn, a->hmc_fn);
	if (side_cnt)
		hmc_fn |= a->side_addr & IRDMA_CQP_SD_QW2_SIDE_BUF;
	irdma_cqp_set(wqe, 2, hmc_fn);
	return 0;
}

/**
 * irdma_cqp_enc_query_features - ask what the device can do
 * @wqe: WQE
 * @buf_addr: bus address of the buffer, aligned to 16
 * @buf_bytes: its size
 */
void irdma_cqp_enc_query_features(struct irdma_cqp_wqe *wqe, u64 buf_addr,
				  u32 buf_bytes)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_QUERY_FEATURES,
			FIELD_PREP(IRDMA_CQP_QW3_BUF_BYTES, buf_bytes));
	irdma_cqp_set(wqe, 4, buf_addr);
}

/**
 * irdma_cqp_enc_nop - a command that does nothing but complete
 * @wqe: WQE
 */
void irdma_cqp_enc_nop(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_NOP, 0);
}

/**
 * irdma_features_decode - read the answer to query features
 * @buf: buffer that the device filled
 * @qwords: quadwords in @buf
 * @f: features; @f->cnt is set whenever entry 0 is sane
 *
 * Entries of unknown type are skipped.
 *
 * Return: 0; -EINVAL when entry 0 is not the firmware version or counts fewer
 * than two entries; -EMSGSIZE when the device has more entries than @buf.
 */
int irdma_features_decode(const __le64 *buf, u32 qwords,
			  struct irdma_features *f)
{
	u64 first;

	*f = (struct irdma_features){};
	if (qwords < 2)
		return -EINVAL;
	first = le64_to_cpu(buf[0]);
	f->cnt = FIELD_GET(IRDMA_FEATURE_CNT, first);
	if (FIELD_GET(IRDMA_FEATURE_TYPE, first) !=
	    IRDMA_FEATURE_TYPE_FW_VERSION || f->cnt < 2)
		return -EINVAL;
	if (f->cnt > qwords)
		return -EMSGSIZE;
	f->fw_major = FIELD_GET(IRDMA_FEATURE_FW_MAJOR, first);
	f->fw_minor = FIELD_GET(IRDMA_FEATURE_FW_MINOR, first);

	for (u32 i = 1; i < f->cnt; i++) {
		u64 entry = le64_to_cpu(buf[i]);

		switch (FIELD_GET(IRDMA_FEATURE_TYPE, entry)) {
		case IRDMA_FEATURE_TYPE_OBJ_LOCATION:
			f->mr_location_known = true;
			f->mr_local = FIELD_GET(IRDMA_FEATURE_MR_LOCATION,
						entry) &
				      IRDMA_LOCATION_LOCAL_MEM;
			break;
		case IRDMA_FEATURE_TYPE_FLAGS:
			f->atomics = FIELD_GET(IRDMA_FEATURE_ATOMICS, entry);
			f->rm2 = FIELD_GET(IRDMA_FEATURE_RM2, entry);
			break;
		}
	}
	return 0;
}
