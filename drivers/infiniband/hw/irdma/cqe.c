// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completions: entries of consumer CQs and of the control CQ to plain values,
 * and the arm word of a CQ's shadow area.
 *
 * Each word of an entry is read once, so that a device that changes it later
 * cannot make two checks disagree. The caller owns the entry's position.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <linux/bitfield.h>
#include <linux/etherdevice.h>

#include "cqe.h"
#include "hw_cqp.h"

static u64 irdma_read_once(const __le64 *word)
{
	return le64_to_cpu(READ_ONCE(*word));
}

/**
 * irdma_cqe_present - whether the device has written an entry
 * @entry: entry at the consumer's position
 * @polarity: valid bit of the current pass
 *
 * Return: true when irdma_cqe_decode() may find a completion.
 */
bool irdma_cqe_present(const struct irdma_cqe64 *entry, bool polarity)
{
	return FIELD_GET(IRDMA_CQE_QW3_VALID,
			 irdma_read_once(&entry->qw[3])) == polarity;
}

/* The extended part: immediate data and what a datagram's headers said. */
static void irdma_cqe_decode_ext(const struct irdma_cqe64 *entry, u64 qw7,
				 struct irdma_cqe *cqe)
{
	u64 qw6 = irdma_read_once(&entry->qw[6]);

	cqe->has_imm = FIELD_GET(IRDMA_CQE_QW7_IMM_VALID, qw7);
	cqe->has_smac = FIELD_GET(IRDMA_CQE_QW7_SMAC_VALID, qw7);
	cqe->has_vlan = FIELD_GET(IRDMA_CQE_QW7_VLAN_VALID, qw7);
	cqe->imm = FIELD_GET(IRDMA_CQE_QW4_IMM,
			     irdma_read_once(&entry->qw[4]));
	cqe->vlan_tag = FIELD_GET(IRDMA_CQE_QW6_VLAN_TAG, qw6);
	u64_to_ether_addr(FIELD_GET(IRDMA_CQE_QW6_SMAC, qw6), cqe->smac);
}

/**
 * irdma_cqe_decode - read a completion
 * @entry: entry at the consumer's position
 * @polarity: valid bit of the current pass
 * @cqe: completion; undefined when there is none
 *
 * An entry whose extended part is announced but not there yet counts as not
 * there.
 *
 * Return: true when there is a completion.
 */
bool irdma_cqe_decode(const struct irdma_cqe64 *entry, bool polarity,
		      struct irdma_cqe *cqe)
{
	u64 qw0, qw1, qw2, qw3, qw7 = 0;

	qw3 = irdma_read_once(&entry->qw[3]);
	if (FIELD_GET(IRDMA_CQE_QW3_VALID, qw3) != polarity)
		return false;
	/* pairs with the device, which writes the valid word last */
	dma_rmb();

	*cqe = (struct irdma_cqe){};
	if (FIELD_GET(IRDMA_CQE_QW3_EXTENDED, qw3)) {
		qw7 = irdma_read_once(&entry->qw[7]);
		if (FIELD_GET(IRDMA_CQE_QW7_VALID, qw7) != polarity)
			return false;
		/* pairs with the device, which writes this word last, too */
		dma_rmb();
		irdma_cqe_decode_ext(entry, qw7, cqe);
	}

	qw0 = irdma_read_once(&entry->qw[0]);
	qw1 = irdma_read_once(&entry->qw[1]);
	qw2 = irdma_read_once(&entry->qw[2]);

	cqe->len_bytes = FIELD_GET(IRDMA_CQE_QW0_LEN, qw0);
	cqe->timestamp = FIELD_GET(IRDMA_CQE_QW0_TIMESTAMP, qw0);
	cqe->inv_stag = FIELD_GET(IRDMA_CQE_QW2_INV_STAG, qw2);
	cqe->qp_id = FIELD_GET(IRDMA_CQE_QW2_QP_ID, qw2);
	cqe->wqe_idx = FIELD_GET(IRDMA_CQE_QW3_WQE_IDX, qw3);
	cqe->push_dropped = FIELD_GET(IRDMA_CQE_QW3_PUSH_DROPPED, qw3);
	cqe->srq = FIELD_GET(IRDMA_CQE_QW3_SRQ, qw3);
	cqe->invalidated = FIELD_GET(IRDMA_CQE_QW3_INV_IPV4, qw3);
	cqe->solicited = FIELD_GET(IRDMA_CQE_QW3_SOLICITED, qw3);
	cqe->error = FIELD_GET(IRDMA_CQE_QW3_ERROR, qw3);
	cqe->op = FIELD_GET(IRDMA_CQE_QW3_OPCODE, qw3);
	cqe->sq = FIELD_GET(IRDMA_CQE_QW3_SQ, qw3);
	if (cqe->error) {
		cqe->major = FIELD_GET(IRDMA_CQE_QW3_MAJOR, qw3);
		cqe->minor = FIELD_GET(IRDMA_CQE_QW3_MINOR, qw3);
	}
	if (cqe->srq) {
		cqe->wr_id = qw1;
		cqe->ctx = irdma_read_once(&entry->qw[5]);
	} else {
		cqe->ctx = qw1;
	}
	return true;
}

static enum irdma_ccqe_kind irdma_ccqe_kind(u64 qw3, const struct irdma_ccqe *c)
{
	if (FIELD_GET(IRDMA_CCQE_QW3_OOO_FINAL, qw3))
		return IRDMA_CCQE_OOO_FINAL;
	if (c->error)
		return IRDMA_CCQE_FINAL;
	if (c->minor == IRDMA_CQP_MINOR_DEFERRED)
		return IRDMA_CCQE_DEFERRED;
	if (c->minor == IRDMA_CQP_MINOR_OOO_PENDING)
		return IRDMA_CCQE_PENDING;
	return IRDMA_CCQE_FINAL;
}

/**
 * irdma_ccqe_decode - read a completion of a control command
 * @entry: entry at the consumer's position
 * @polarity: valid bit of the current pass
 * @ccqe: completion; not touched when there is none
 *
 * Return: true when there is a completion.
 */
bool irdma_ccqe_decode(const struct irdma_cqe32 *entry, bool polarity,
		       struct irdma_ccqe *ccqe)
{
	u64 qw2, qw3;

	qw3 = irdma_read_once(&entry->qw[3]);
	if (FIELD_GET(IRDMA_CCQE_QW3_VALID, qw3) != polarity)
		return false;
	/* pairs with the device, which writes the valid word last */
	dma_rmb();
	qw2 = irdma_read_once(&entry->qw[2]);

	*ccqe = (struct irdma_ccqe){
		.ctx = irdma_read_once(&entry->qw[1]),
		.retval = FIELD_GET(IRDMA_CCQE_QW2_RETVAL, qw2),
		.ticket = FIELD_GET(IRDMA_CCQE_QW2_TICKET, qw2),
		.minor = FIELD_GET(IRDMA_CCQE_QW3_MINOR, qw3),
		.wqe_idx = FIELD_GET(IRDMA_CCQE_QW3_WQE_IDX, qw3),
		.error = FIELD_GET(IRDMA_CCQE_QW3_ERROR, qw3),
	};
	if (ccqe->error)
		ccqe->major = FIELD_GET(IRDMA_CCQE_QW3_MAJOR, qw3);
	ccqe->kind = irdma_ccqe_kind(qw3, ccqe);
	return true;
}

/**
 * irdma_cq_arm_word - next value of quadword 4 of a CQ's shadow area
 * @old: its value, CPU order
 * @any: event at the next completion, whatever it is
 * @solicited: event at the next solicited completion; false leaves the bit
 *
 * The caller stores the value and then writes the CQ id to register cq_arm.
 *
 * Return: new value, with the next sequence number.
 */
u64 irdma_cq_arm_word(u64 old, bool any, bool solicited)
{
	u64 seq = FIELD_GET(IRDMA_CQ_SHADOW_QW4_ARM_SEQ, old) + 1;

	return (old & (IRDMA_CQ_SHADOW_QW4_SELECT |
		       IRDMA_CQ_SHADOW_QW4_ARM_SOL)) |
	       FIELD_PREP(IRDMA_CQ_SHADOW_QW4_ARM_NEXT, any) |
	       FIELD_PREP(IRDMA_CQ_SHADOW_QW4_ARM_SOL, solicited) |
	       FIELD_PREP(IRDMA_CQ_SHADOW_QW4_ARM_SEQ, seq);
}

/**
 * irdma_cq_retire_word - count drained rings of a resized CQ
 * @old: value of quadword 4 of the CQ's shadow area, CPU order
 * @rings: rings that were drained since
 *
 * Return: new value; the arm bits are as they were.
 */
u64 irdma_cq_retire_word(u64 old, u32 rings)
{
	u64 select = FIELD_GET(IRDMA_CQ_SHADOW_QW4_SELECT, old) + rings;

	return (old & ~IRDMA_CQ_SHADOW_QW4_SELECT) |
	       FIELD_PREP(IRDMA_CQ_SHADOW_QW4_SELECT, select);
}
