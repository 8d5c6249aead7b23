// SPDX-License-Identifier: GPL-2.0
/*
 * The completer: completions, error state, flush.
 *
 * A work request that fails gets no completion of its own: the queue pair goes to the
 * error state, an async event names the WQE, and the driver's FLUSH_WQES completes it
 * as the one with the specific code. After that, what is posted is flushed as it
 * comes: the SQ on its doorbell, the RQ, which has none, by looking from time to time.
 */
#include "../faults.h"
#include "roce.h"

#define FLUSH_GENERAL	(1u << 16 | 1u)
#define MAJOR_SRQ_FLUSH	0xFFFEu

static void post(struct roce_qp *q, u32 cqn, struct cqe *cqe)
{
	struct rdma_cq *cq = rdma_cq_get(q->qp->r, cqn);

	cqe->qp = q->qp->id;
	cqe->comp_ctx = q->qp->ctx.comp_ctx;
	if (cq)
		rdma_cq_post(cq, cqe);
}

/* The SQ's completed part ends behind the WQE of @quanta at @idx. */
static void done_to(struct roce_qp *q, u32 idx, u32 quanta)
{
	rdma_ring_advance(&q->done, ((idx - q->done.index) & (q->done.quanta - 1)) + quanta);
}

void cmpl_send(struct roce_qp *q, const struct send_wqe *w)
{
	struct cqe cqe = { .wqe_idx = w->idx, .op = w->op, .sq = true };
	const struct fault *fault;

	if (!w->signalled)
		return;
	fault = fault_hit(q->roce->nic, F_PUSH, q->qp->id);
	cqe.push_dropped = fault && fault->action == FAULT_DROP;
	done_to(q, w->idx, w->quanta);
	post(q, q->qp->ctx.scqn, &cqe);
}

void cmpl_recv(struct roce_qp *q, struct cqe *cqe)
{
	struct responder *rs = &q->resp;

	rs->has_recv = false;
	cqe->wqe_idx = rs->recv.idx;
	cqe->wr_id = rs->recv.wr_id;
	cqe->srq = q->qp->ctx.use_srq;
	post(q, q->qp->ctx.rcqn, cqe);
}

void cmpl_fail(struct roce_qp *q, u16 code, enum ae_src src, u32 wqe_idx)
{
	if (q->qp->state == QPS_ERROR)
		return;
	TRACE(q->roce->nic, T_ROCE, "qp %u to error: event %04x source %x index %u", q->qp->id,
	      code, src, wqe_idx);
	q->qp->state = QPS_ERROR;
	if (src == AE_SRC_RQ)
		q->rq_event = code;
	req_stop(q);
	rdma_qp_event(q->qp, code, src, wqe_idx);
}

/* The code of one flushed WQE. */
static u32 flush_code(struct roce_flush *f, u32 idx)
{
	bool specific = f->idx_valid ? idx == f->idx : !f->did;

	f->did = true;
	return specific ? f->code : FLUSH_GENERAL;
}

static void flush_cqe(struct cqe *cqe, u32 code)
{
	cqe->error = true;
	cqe->major = (u16)(code >> 16);
	cqe->minor = (u16)code;
}

/* Software skips NOPs by itself: they get no completion. */
static void flush_sq(struct roce_qp *q, struct roce_flush *f)
{
	struct rdma_ring *ring = &q->done;
	u8 wqe[WQE_QUANTUM];

	for (u32 walked = 0, n; walked < ring->quanta; walked += n) {
		u32 chunk = WQE_MAX_QUANTA - ring->index % WQE_MAX_QUANTA;

		if (!rdma_ring_read(q->qp->r, ring, ring->index, wqe, WQE_QUANTUM) ||
		    !wqe_valid(wqe, ring->polarity))
			break;
		n = wqe_send_quanta(wqe);
		if (n > chunk || ring->index + n > ring->quanta)
			n = 1;
		if (wqe_opcode(wqe) != WQE_NOP) {
			struct cqe cqe = { .wqe_idx = ring->index, .op = wqe_opcode(wqe),
					   .sq = true };

			flush_cqe(&cqe, flush_code(f, ring->index));
			post(q, q->qp->ctx.scqn, &cqe);
		}
		rdma_ring_advance(ring, n);
	}
	q->qp->sq = *ring;
}

static void flush_recv(struct roce_qp *q, struct roce_flush *f, u32 idx)
{
	struct cqe cqe = { .op = 0x3E };

	q->resp.recv.idx = idx;
	flush_cqe(&cqe, flush_code(f, idx));
	if (q->qp->ctx.use_srq) {
		cqe.major = MAJOR_SRQ_FLUSH;
		cqe.minor = q->rq_event;
	}
	cmpl_recv(q, &cqe);
}

static void flush_rq(struct roce_qp *q, struct roce_flush *f)
{
	u8 wqe[WQE_MAX_BYTES];
	u32 idx;

	if (q->resp.has_recv)
		flush_recv(q, f, q->resp.recv.idx);
	if (q->qp->ctx.use_srq)
		return;
	for (u32 n = 0; n < q->qp->rq.quanta && rdma_rq_peek(q->qp, wqe, &idx) > 0; n++) {
		rdma_rq_consume(q->qp);
		flush_recv(q, f, idx);
	}
}

void roce_flush(struct rdma_qp *qp, struct roce_flush *sq, struct roce_flush *rq)
{
	struct roce_qp *q = qp->roce;

	sq->did = rq->did = false;
	if (sq->on) {
		req_stop(q);
		flush_sq(q, sq);
		q->flushed_sq = true;
	}
	if (rq->on) {
		flush_rq(q, rq);
		q->flushed_rq = true;
	}
	engine_flushing(q);
}

void cmpl_flush_late(struct roce_qp *q)
{
	struct roce_flush sq = { .code = FLUSH_GENERAL }, rq = { .code = FLUSH_GENERAL };

	if (q->flushed_sq)
		flush_sq(q, &sq);
	if (q->flushed_rq)
		flush_rq(q, &rq);
}
