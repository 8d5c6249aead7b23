// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Control commands of queues: QP, CQ, SRQ, CEQ, AEQ, and the control queue's
 * own context. Typed arguments to the 64 bytes of a CQP WQE.
 *
 * Every encoder writes all eight quadwords and leaves the valid bit of the
 * header clear: whoever posts the WQE stores the header last, with the bit.
 * Values wider than their field are cut off; limits are checked by the caller,
 * who knows what the device granted. Pure functions, any context.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/minmax.h>

#include "cqp_enc.h"
#include "cqp_wqe.h"

/* Ring commands say twice that there is a page list; STag commands once. */
static u64 irdma_ring_hdr(const struct irdma_mem_ref *ring)
{
	return irdma_cqp_leaf_pbl(ring) |
	       FIELD_PREP(IRDMA_CQP_QW3_PBL_MAPPED, !!ring->level);
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
