// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Entries of the asynchronous and the completion event queues to plain
 * values. Each word is read once; ids and codes are the device's and are
 * checked by whoever looks them up.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <linux/bitfield.h>
#include <asm/barrier.h>

#include "aeqe.h"

/* Context of an entry that must find no CQ. */
#define IRDMA_CEQE_NO_CQ	GENMASK_ULL(31, 0)

/**
 * irdma_aeqe_decode - read an asynchronous event
 * @entry: entry at the consumer's position
 * @polarity: valid bit of the current pass
 * @aeqe: event; not touched when there is none
 *
 * Return: true when there is an event.
 */
bool irdma_aeqe_decode(const struct irdma_hw_aeqe *entry, bool polarity,
		       struct irdma_aeqe *aeqe)
{
	u64 qw0, qw1;

	qw1 = le64_to_cpu(READ_ONCE(entry->qw[1]));
	if (FIELD_GET(IRDMA_AEQE_QW1_VALID, qw1) != polarity)
		return false;
	/* pairs with the device, which writes the valid word last */
	dma_rmb();
	qw0 = le64_to_cpu(READ_ONCE(entry->qw[0]));

	*aeqe = (struct irdma_aeqe){
		.ctx = qw0 & IRDMA_AEQE_QW0_CTX,
		.id = FIELD_GET(IRDMA_AEQE_QW1_ID, qw1),
		.wqe_idx = FIELD_GET(IRDMA_AEQE_QW1_WQE_IDX, qw1),
		.code = FIELD_GET(IRDMA_AEQE_QW1_CODE, qw1),
		.source = FIELD_GET(IRDMA_AEQE_QW1_SOURCE, qw1),
		.qp_state = FIELD_GET(IRDMA_AEQE_QW1_QP_STATE, qw1),
		.tcp_state = FIELD_GET(IRDMA_AEQE_QW0_TCP_STATE, qw0),
		.q2_written = FIELD_GET(IRDMA_AEQE_QW0_Q2_WRITTEN, qw0),
		.overflow = FIELD_GET(IRDMA_AEQE_QW1_OVERFLOW, qw1),
	};
	return true;
}

/**
 * irdma_ceqe_decode - read a completion event
 * @entry: entry at the consumer's position
 * @polarity: valid bit of the current pass
 * @cq_ctx: CQ context, bits 62:0; not touched when there is no event
 *
 * Return: true when there is an event.
 */
bool irdma_ceqe_decode(const __le64 *entry, bool polarity, u64 *cq_ctx)
{
	u64 word = le64_to_cpu(READ_ONCE(*entry));

	if (FIELD_GET(IRDMA_CEQE_VALID, word) != polarity)
		return false;
	/* pairs with the device, which writes the CQ entry before this one */
	dma_rmb();
	*cq_ctx = FIELD_GET(IRDMA_CEQE_CQ_CTX, word);
	return true;
}

/**
 * irdma_ceqe_scrub - make an entry forget a CQ that was destroyed
 * @entry: entry from the consumer's position on
 * @polarity: valid bit expected there
 * @cq_ctx: context of the CQ
 *
 * Context: Caller keeps the queue from being consumed.
 * Return: false when the entry, and so every later one, is not there.
 */
bool irdma_ceqe_scrub(__le64 *entry, bool polarity, u64 cq_ctx)
{
	u64 ctx;

	if (!irdma_ceqe_decode(entry, polarity, &ctx))
		return false;
	if (ctx == cq_ctx)
		WRITE_ONCE(*entry,
			   cpu_to_le64(IRDMA_CEQE_NO_CQ |
				       FIELD_PREP(IRDMA_CEQE_VALID, polarity)));
	return true;
}
