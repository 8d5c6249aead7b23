// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posting work requests of kernel consumers.
 *
 * A chain of requests is written to the ring and rung in once. Requests that a QP
 * in error is given are completed by the device, flushed, like those that it had.
 *
 * Lock order: irdma_cq.lock, then irdma_wq.lock, which is innermost.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <rdma/ib_verbs.h>

#include "ah.h"
#include "dev.h"
#include "post.h"
#include "qp.h"
#include "verbs.h"
#include "wqe.h"

static struct irdma_quantum *irdma_sq_slot(struct irdma_wq *sq, u32 pos)
{
	return &sq->va[irdma_ring_idx(&sq->ring, pos)];
}

/* Room for a WQE of @quanta, behind the NOPs that it needs; NULL when the ring is full. */
static struct irdma_quantum *irdma_sq_begin(struct irdma_wq *sq, u32 quanta, u32 chunk,
					    bool *valid)
{
	const struct irdma_wr nop = { .quanta = 1, .opcode = IRDMA_SQ_OP_NOP };
	struct irdma_wqe_opts opts = {};
	u32 pad;

	if (irdma_sq_room(&sq->ring, quanta, chunk, &pad))
		return NULL;
	for (; pad; pad--) {
		opts.valid = irdma_ring_polarity(&sq->ring, sq->ring.head);
		sq->wr[irdma_ring_idx(&sq->ring, sq->ring.head)] = nop;
		irdma_wqe_enc_nop(irdma_sq_slot(sq, sq->ring.head), opts);
		irdma_ring_produce(&sq->ring, 1);
	}
	*valid = irdma_ring_polarity(&sq->ring, sq->ring.head);
	return irdma_sq_slot(sq, sq->ring.head);
}

static void irdma_sq_end(struct irdma_wq *sq, const struct irdma_wr *wr)
{
	sq->wr[irdma_ring_idx(&sq->ring, sq->ring.head)] = *wr;
	irdma_ring_produce(&sq->ring, wr->quanta);
}

static int irdma_sge_bytes(const struct ib_send_wr *wr, u32 *bytes)
{
	u64 sum = 0;

	for (int i = 0; i < wr->num_sge; i++)
		sum += wr->sg_list[i].length;
	if (sum > S32_MAX)
		return -EINVAL;
	*bytes = sum;
	return 0;
}

/* Opcode of the device; a negative number for what the device or a QP type cannot do. */
static int irdma_send_op(const struct irdma_qp *qp, const struct ib_send_wr *wr)
{
	bool solicited = wr->send_flags & IB_SEND_SOLICITED;
	bool ud = qp->type == IRDMA_HW_QP_ROCE_UD;

	switch (wr->opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
		return solicited ? IRDMA_SQ_OP_SEND_SOL : IRDMA_SQ_OP_SEND;
	case IB_WR_SEND_WITH_INV:
		if (ud)
			return -EINVAL;
		return solicited ? IRDMA_SQ_OP_SEND_INV_SOL : IRDMA_SQ_OP_SEND_INV;
	case IB_WR_RDMA_WRITE:
		return ud ? -EINVAL : IRDMA_SQ_OP_WRITE;
	case IB_WR_RDMA_WRITE_WITH_IMM:
		if (ud)
			return -EINVAL;
		return solicited ? IRDMA_SQ_OP_WRITE_SOL : IRDMA_SQ_OP_WRITE;
	case IB_WR_RDMA_READ:
		return ud ? -EINVAL : IRDMA_SQ_OP_READ;
	default:
		return -EINVAL;
	}
}

static void irdma_enc_data(struct irdma_qp *qp, struct irdma_quantum *wqe, int op,
			   struct irdma_wqe_opts opts, const struct irdma_wqe_payload *payload,
			   const struct ib_send_wr *wr)
{
	if (qp->type == IRDMA_HW_QP_ROCE_UD) {
		const struct irdma_wqe_ud_dest dest = {
			.ah_idx = to_irdma_ah(ud_wr(wr)->ah)->hw->args.idx,
			.qpn = ud_wr(wr)->remote_qpn,
			.qkey = ud_wr(wr)->remote_qkey,
		};

		irdma_wqe_enc_ud_send(wqe, op, opts, payload, &dest);
	} else if (op == IRDMA_SQ_OP_WRITE || op == IRDMA_SQ_OP_WRITE_SOL ||
		   op == IRDMA_SQ_OP_READ) {
		const struct irdma_wqe_remote remote = {
			.addr = rdma_wr(wr)->remote_addr, .stag = rdma_wr(wr)->rkey,
		};

		irdma_wqe_enc_rdma(wqe, op, opts, payload, &remote);
	} else {
		irdma_wqe_enc_send(wqe, op, opts, payload,
				   wr->opcode == IB_WR_SEND_WITH_INV ? wr->ex.invalidate_rkey : 0);
	}
}

static int irdma_post_one(struct irdma_qp *qp, const struct ib_send_wr *wr)
{
	struct irdma_dev *dev = qp->ibdev->dev;
	struct irdma_wqe_payload payload = {
		.sge = wr->sg_list,
		.num_sge = wr->num_sge,
		.inlined = wr->send_flags & IB_SEND_INLINE,
	};
	struct irdma_wqe_opts opts = { .read_fence = wr->send_flags & IB_SEND_FENCE };
	struct irdma_quantum *wqe;
	struct irdma_wr rec = { .wr_id = wr->wr_id };
	int op = irdma_send_op(qp, wr);
	int quanta;

	if (op < 0)
		return op;
	if (wr->num_sge > qp->init.cap.max_send_sge || irdma_sge_bytes(wr, &rec.len_bytes))
		return -EINVAL;
	payload.has_imm = wr->opcode == IB_WR_SEND_WITH_IMM ||
			  wr->opcode == IB_WR_RDMA_WRITE_WITH_IMM;
	if (payload.has_imm)
		payload.imm = be32_to_cpu(wr->ex.imm_data);
	if (payload.inlined && (op == IRDMA_SQ_OP_READ ||
				rec.len_bytes > qp->init.cap.max_inline_data))
		return -EINVAL;
	quanta = payload.inlined ? irdma_wqe_inline_quanta(rec.len_bytes) :
				   irdma_wqe_frag_quanta(wr->num_sge, payload.has_imm);
	if (quanta < 0)
		return quanta;
	rec.quanta = quanta;
	rec.opcode = op;
	rec.signaled = qp->init.sq_sig_type == IB_SIGNAL_ALL_WR ||
		       wr->send_flags & IB_SEND_SIGNALED;
	opts.signaled = rec.signaled;
	wqe = irdma_sq_begin(&qp->sq, quanta, dev->gen->limits.sq_chunk_quanta, &opts.valid);
	if (!wqe)
		return -ENOMEM;
	irdma_enc_data(qp, wqe, op, opts, &payload, wr);
	irdma_sq_end(&qp->sq, &rec);
	return 0;
}

/**
 * irdma_post_send - post a chain of send requests
 * @ib: QP of a kernel consumer
 * @wr: chain
 * @bad_wr: set to the first request that was not posted
 *
 * Context: Any context; takes and releases the send queue's lock.
 * Return: 0; -EINVAL for a request that device or QP type cannot do, too many or too long
 * fragments, or a QP that is not ready; -ENOMEM when the queue is full. Requests before
 * the bad one are posted.
 */
static int irdma_post_send(struct ib_qp *ib, const struct ib_send_wr *wr,
			   const struct ib_send_wr **bad_wr)
{
	struct irdma_qp *qp = to_irdma_qp(ib);
	unsigned long flags;
	int err = 0;

	*bad_wr = wr;
	/* User rings are written by the user; the state only tells a careless consumer. */
	if (qp->uctx || READ_ONCE(qp->state) < IB_QPS_RTS)
		return -EINVAL;
	spin_lock_irqsave(&qp->sq.lock, flags);
	for (; wr && !err; wr = wr->next) {
		*bad_wr = wr;
		err = irdma_post_one(qp, wr);
	}
	irdma_wr32(qp->ibdev->dev, IRDMA_REG_WQE_DB, qp->id);
	spin_unlock_irqrestore(&qp->sq.lock, flags);
	return err;
}

/**
 * irdma_post_recv - post a chain of receive requests
 * @ib: QP of a kernel consumer, without SRQ
 * @wr: chain
 * @bad_wr: set to the first request that was not posted
 *
 * The device finds receive requests by itself.
 *
 * Context: Any context; takes and releases the receive queue's lock.
 * Return: 0; -EINVAL for too many fragments or a QP in reset; -ENOMEM when the queue is
 * full. Requests before the bad one are posted.
 */
static int irdma_post_recv(struct ib_qp *ib, const struct ib_recv_wr *wr,
			   const struct ib_recv_wr **bad_wr)
{
	struct irdma_qp *qp = to_irdma_qp(ib);
	struct irdma_wq *rq = &qp->rq;
	unsigned long flags;
	int err = 0;
	u32 idx;

	*bad_wr = wr;
	if (qp->uctx || ib->srq || READ_ONCE(qp->state) == IB_QPS_RESET)
		return -EINVAL;
	spin_lock_irqsave(&rq->lock, flags);
	for (; wr; wr = wr->next) {
		*bad_wr = wr;
		if (wr->num_sge > qp->init.cap.max_recv_sge)
			err = -EINVAL;
		else if (!irdma_ring_avail(&rq->ring))
			err = -ENOMEM;
		if (err)
			break;
		idx = irdma_ring_idx(&rq->ring, rq->ring.head);
		rq->wr[idx] = (struct irdma_wr){ .wr_id = wr->wr_id };
		irdma_wqe_enc_recv(&rq->va[idx << rq->shift], wr->sg_list, wr->num_sge,
				   irdma_ring_polarity(&rq->ring, rq->ring.head));
		irdma_ring_produce(&rq->ring, 1);
	}
	spin_unlock_irqrestore(&rq->lock, flags);
	return err;
}

const struct ib_device_ops irdma_post_ops = {
	.post_recv = irdma_post_recv,
	.post_send = irdma_post_send,
};
