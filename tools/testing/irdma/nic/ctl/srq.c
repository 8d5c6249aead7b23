// SPDX-License-Identifier: GPL-2.0
/*
 * Receive WQEs: rings of their own and shared receive queues.
 *
 * Receive rings have no doorbell. A WQE of a QP's own ring is there when its valid bit
 * matches; an SRQ also has a producer index in its shadow area, written after the WQE,
 * which bounds what may be looked at and tells how many WQEs are left for the limit.
 *
 * An SRQ whose memory is gone, or says what cannot be, is unusable from then on: an event
 * tells of it once, and a queue pair that needs a receive from it fails.
 */
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

#define SRQ_SHADOW_BYTES 8u
#define WQE_MAX		256u
#define SIZE_CODE_MAX	15u	/* 262144 quanta */
#define CLEAN_MAX	4096u	/* quanta that are looked at */

struct rdma_srq *rdma_srq_get(struct rdma *r, u32 id)
{
	return table_get(&r->srqs, id);
}

void srq_free(void *srq)
{
	free(srq);
}

bool rdma_ring_read(struct rdma *r, const struct rdma_ring *ring, u32 idx, void *buf, u32 bytes)
{
	u64 bus = ring->base + (u64)idx * QUANTUM;

	if (idx >= ring->quanta || bytes > (ring->quanta - idx) * QUANTUM) {
		violation(r->nic, V_RING_BOUNDS, "%u bytes at quantum %u of %u", bytes, idx,
			  ring->quanta);
		return false;
	}
	if (ring->pbl && idx * QUANTUM % PAGE_BYTES + bytes > PAGE_BYTES) {
		violation(r->nic, V_RING_BOUNDS, "%u bytes at quantum %u cross a page", bytes, idx);
		return false;
	}
	if (ring->pbl && !pbl_addr(r, ring->base, ring->two_level, (u64)idx * QUANTUM, &bus))
		return false;
	return dma_read(r->nic->dma, bus, buf, bytes);
}

/* What an earlier use left in the ring would be taken for WQEs. */
u32 wq_clean(struct rdma *r, const struct rdma_ring *ring)
{
	u8 wqe[QUANTUM];

	for (u32 i = 0; i < ring->quanta && i < CLEAN_MAX; i += ring->stride) {
		if (!rdma_ring_read(r, ring, i, wqe, sizeof(wqe)))
			return CMD_CONTEXT;
		if (GETF(get64(wqe + 24), WQE_W24_VALID))
			return refuse(r, RING_DIRTY, CMD_CONTEXT, "quantum %u: 0x%llx", i,
				      (unsigned long long)get64(wqe + 24));
	}
	return CMD_OK;
}

static void srq_fail(struct rdma_srq *srq)
{
	const struct aeqe ae = { .code = AE_SRQ_UNUSABLE, .id = srq->id, .context = srq->context };

	srq->failed = true;
	rdma_aeq_post(srq->r, &ae);
}

/* WQEs that the producer has posted and nobody has taken; false: the SRQ is unusable. */
static bool srq_available(struct rdma_srq *srq, u32 *count)
{
	u32 wqes = srq->ring.quanta / srq->ring.stride;
	u64 producer;

	if (srq->failed)
		return false;
	if (!dma_load64(srq->r->nic->dma, srq->shadow, &producer)) {
		srq_fail(srq);
		return false;
	}
	if (producer >= wqes) {
		violation(srq->r->nic, V_SRQ_SHADOW, "SRQ %u: producer %llu of %u", srq->id,
			  (unsigned long long)producer, wqes);
		srq_fail(srq);
		return false;
	}
	*count = ((u32)producer + wqes - srq->ring.index / srq->ring.stride) % wqes;
	return true;
}

static void check_limit(struct rdma_srq *srq)
{
	struct aeqe ae = { .code = AE_SRQ_LIMIT, .id = srq->id, .context = srq->context };
	u32 count;

	if (!srq->limit_armed || !srq_available(srq, &count) || count >= srq->limit)
		return;
	srq->limit_armed = false;
	rdma_aeq_post(srq->r, &ae);
}

/* Commands. */

/* Ring of a create or modify command: the address field is for contiguous rings only. */
static u32 decode_ring(struct cmd *c, struct rdma_ring *ring)
{
	u32 code = (u32)GETF(c->w[0], SRQ_W0_SIZE), result;
	struct place p;

	ring->quanta = 8u << code;
	ring->stride = 1u << GETF(c->w[0], SRQ_W0_WQE_SIZE);
	if (code > SIZE_CODE_MAX || ring->stride * 2 > ring->quanta)
		return refuse(c->r, SRQ_SIZE, CMD_FIELD, "%u quanta in WQEs of %u", ring->quanta,
			      ring->stride);
	result = place_decode(c, (u64)ring->quanta * QUANTUM, 256, &p);
	ring->base = p.base;
	ring->pbl = p.pbl;
	ring->two_level = p.two_level;
	ring->polarity = 1;
	return result;
}

u32 cmd_create_srq(struct cmd *c)
{
	u32 id = (u32)GETF(c->w[3], SRQ_W24_ID), result;
	struct rdma_srq srq = {
		.r = c->r, .id = id, .pd = (u32)GETF(c->w[2], SRQ_W16_PD), .shadow = c->w[5],
		.context = c->w[1],
	}, *obj;

	if (id >= c->r->srqs.count)
		return refuse(c->r, SRQ_ID, CMD_NO_OBJECT, "create SRQ %u of %u", id,
			      c->r->srqs.count);
	if (rdma_srq_get(c->r, id))
		return refuse(c->r, SRQ_ID, CMD_STATE, "create SRQ %u again", id);
	if (GETF(c->w[0], SRQ_W0_LIMIT) || GETF(c->w[3], SRQ_W24_ARM))
		return refuse(c->r, SRQ_LIMIT, CMD_FIELD, "create SRQ %u with a limit", id);
	result = decode_ring(c, &srq.ring);
	if (!result)
		result = wq_clean(c->r, &srq.ring);
	if (result)
		return result;
	if (!mem_check(c->r, srq.shadow, SRQ_SHADOW_BYTES, DMA_PROT_READ))
		return CMD_CONTEXT;
	obj = malloc(sizeof(*obj));
	if (!obj)
		return CMD_CONTEXT;
	*obj = srq;
	table_set(&c->r->srqs, id, obj);
	return CMD_OK;
}

/* Only the limit can change; the rest repeats what create said. */
u32 cmd_modify_srq(struct cmd *c)
{
	u32 id = (u32)GETF(c->w[3], SRQ_W24_ID), result;
	struct rdma_srq *srq = rdma_srq_get(c->r, id);
	struct rdma_ring ring = {};

	if (!srq)
		return refuse(c->r, SRQ_ID, CMD_NO_OBJECT, "modify SRQ %u", id);
	result = decode_ring(c, &ring);
	if (result)
		return result;
	if (ring.quanta != srq->ring.quanta || ring.stride != srq->ring.stride ||
	    ring.base != srq->ring.base || ring.pbl != srq->ring.pbl || c->w[5] != srq->shadow ||
	    GETF(c->w[2], SRQ_W16_PD) != srq->pd)
		return refuse(c->r, SRQ_CHANGED, CMD_FIELD, "SRQ %u", id);
	srq->limit = (u32)GETF(c->w[0], SRQ_W0_LIMIT);
	srq->limit_armed = GETF(c->w[3], SRQ_W24_ARM) && srq->limit;
	check_limit(srq);
	return CMD_OK;
}

u32 cmd_destroy_srq(struct cmd *c)
{
	u32 id = (u32)GETF(c->w[3], SRQ_W24_ID);
	struct rdma_srq *srq = rdma_srq_get(c->r, id);

	if (!srq)
		return refuse(c->r, SRQ_ID, CMD_NO_OBJECT, "destroy SRQ %u", id);
	if (srq->users)
		return refuse(c->r, SRQ_BUSY, CMD_STATE, "SRQ %u serves %u QPs", id, srq->users);
	if (c->w[1] != srq->context)
		return refuse(c->r, SRQ_CHANGED, CMD_FIELD, "destroy SRQ %u: context 0x%llx", id,
			      (unsigned long long)c->w[1]);
	table_clear(&c->r->srqs, id);
	srq_free(srq);
	return CMD_OK;
}

/* Receiving. */

static bool read_wqe(struct rdma *r, const struct rdma_ring *ring, void *wqe)
{
	return rdma_ring_read(r, ring, ring->index, wqe, ring->stride * QUANTUM);
}

static bool wqe_valid(const struct rdma_ring *ring, const u8 *wqe)
{
	return GETF(get64(wqe + 24), WQE_W24_VALID) == ring->polarity;
}

static bool srq_peek(struct rdma_srq *srq, void *wqe)
{
	u32 count;

	if (!srq_available(srq, &count) || !count)
		return false;
	if (!read_wqe(srq->r, &srq->ring, wqe)) {
		srq_fail(srq);
		return false;
	}
	if (wqe_valid(&srq->ring, wqe))
		return true;
	violation(srq->r->nic, V_SRQ_POLARITY, "SRQ %u: WQE at quantum %u", srq->id,
		  srq->ring.index);
	srq_fail(srq);
	return false;
}

int rdma_rq_peek(struct rdma_qp *qp, void *wqe, u32 *wqe_idx)
{
	if (qp->ctx.use_srq) {
		struct rdma_srq *srq = rdma_srq_get(qp->r, qp->ctx.srqn);

		*wqe_idx = srq->ring.index;
		if (srq_peek(srq, wqe))
			return 1;
		return srq->failed ? -1 : 0;
	}
	*wqe_idx = qp->rq.index;
	return read_wqe(qp->r, &qp->rq, wqe) ? wqe_valid(&qp->rq, wqe) : -1;
}

void rdma_rq_consume(struct rdma_qp *qp)
{
	struct rdma_srq *srq;

	if (!qp->ctx.use_srq) {
		rdma_ring_advance(&qp->rq, qp->rq.stride);
		return;
	}
	srq = rdma_srq_get(qp->r, qp->ctx.srqn);
	if (!srq)
		return;
	rdma_ring_advance(&srq->ring, srq->ring.stride);
	check_limit(srq);
}
