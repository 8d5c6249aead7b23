// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Polling completions of kernel consumers.
 *
 * An entry names its QP by id; the table of QPs says whether there is one. A QP is
 * destroyed after it left the table and its entries were taken out of both its CQs
 * under their locks, so the id of an entry that is still there is not another QP's.
 *
 * Lock order: irdma_cq.lock, then irdma_wq.lock.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <linux/if_vlan.h>
#include <rdma/ib_verbs.h>

#include "ae_table.h"
#include "cq.h"
#include "cqe.h"
#include "dev.h"
#include "poll.h"
#include "qp.h"
#include "verbs.h"

/* Consumer's opcode of each send opcode. */
static enum ib_wc_opcode irdma_wc_opcode(u8 op)
{
	switch (op) {
	case IRDMA_SQ_OP_WRITE:
	case IRDMA_SQ_OP_WRITE_SOL:
		return IB_WC_RDMA_WRITE;
	case IRDMA_SQ_OP_READ:
	case IRDMA_SQ_OP_READ_INV:
		return IB_WC_RDMA_READ;
	case IRDMA_SQ_OP_FAST_REG:
		return IB_WC_REG_MR;
	case IRDMA_SQ_OP_LOCAL_INV:
		return IB_WC_LOCAL_INV;
	default:
		return IB_WC_SEND;
	}
}

/* Takes the oldest request out of the ring; false when there is only padding. */
static bool irdma_sq_pop(struct irdma_wq *sq, struct irdma_wr *wr)
{
	while (irdma_ring_used(&sq->ring)) {
		*wr = sq->wr[irdma_ring_idx(&sq->ring, sq->ring.tail)];
		irdma_ring_consume(&sq->ring, wr->quanta);
		if (wr->opcode != IRDMA_SQ_OP_NOP)
			return true;
	}
	return false;
}

/*
 * The request that a send completion is about. One that succeeded implies all before
 * it; flushed ones come one by one, in the order of the ring, without an index.
 */
static bool irdma_sq_done(struct irdma_wq *sq, const struct irdma_cqe *cqe, struct irdma_wr *wr)
{
	u32 pos;

	if (cqe->error && cqe->major == IRDMA_CQE_MAJOR_FLUSH)
		return irdma_sq_pop(sq, wr);
	if (irdma_ring_find(&sq->ring, cqe->wqe_idx, &pos))
		return false;
	*wr = sq->wr[cqe->wqe_idx];
	return !irdma_ring_consume(&sq->ring, pos + wr->quanta - sq->ring.tail);
}

static bool irdma_rq_done(struct irdma_wq *rq, const struct irdma_cqe *cqe, struct irdma_wr *wr)
{
	u32 idx = cqe->wqe_idx >> rq->shift;
	u32 pos;

	if (cqe->error && cqe->major == IRDMA_CQE_MAJOR_FLUSH) {
		if (!irdma_ring_used(&rq->ring))
			return false;
		pos = rq->ring.tail;
	} else if (irdma_ring_find(&rq->ring, idx, &pos)) {
		return false;
	}
	*wr = rq->wr[irdma_ring_idx(&rq->ring, pos)];
	return !irdma_ring_consume(&rq->ring, pos + 1 - rq->ring.tail);
}

static void irdma_fill_recv_wc(const struct irdma_qp *qp, const struct irdma_cqe *cqe,
			       struct ib_wc *wc)
{
	wc->byte_len = cqe->len_bytes;
	wc->opcode = cqe->op == IRDMA_SQ_OP_WRITE || cqe->op == IRDMA_SQ_OP_WRITE_SOL ?
		     IB_WC_RECV_RDMA_WITH_IMM : IB_WC_RECV;
	if (cqe->has_imm) {
		wc->ex.imm_data = cpu_to_be32(cqe->imm);
		wc->wc_flags |= IB_WC_WITH_IMM;
	}
	if (qp->type == IRDMA_HW_QP_ROCE_RC) {
		if (cqe->invalidated) {
			wc->ex.invalidate_rkey = cqe->inv_stag;
			wc->wc_flags |= IB_WC_WITH_INVALIDATE;
		}
		return;
	}
	wc->src_qp = cqe->src_qpn;
	wc->wc_flags |= IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE;
	wc->network_hdr_type = cqe->ipv4 ? RDMA_NETWORK_IPV4 : RDMA_NETWORK_IPV6;
	if (cqe->has_smac) {
		ether_addr_copy(wc->smac, cqe->smac);
		wc->wc_flags |= IB_WC_WITH_SMAC;
	}
	if (cqe->has_vlan && cqe->vlan_tag & VLAN_VID_MASK) {
		wc->vlan_id = cqe->vlan_tag & VLAN_VID_MASK;
		wc->sl = cqe->vlan_tag >> VLAN_PRIO_SHIFT;
		wc->wc_flags |= IB_WC_WITH_VLAN;
	}
}

/**
 * irdma_process_cqe - completion of a work request from an entry
 * @qp: kernel QP that the entry names
 * @cqe: decoded entry
 * @wc: filled when the function returns true
 *
 * The request leaves its ring, with those before it that the entry implies.
 *
 * Context: Any context; the CQ's lock is held, the work queue's is taken and released.
 * Return: true; false for an entry that the consumer shall not see: the success of an
 * unsignaled request, or an index that names no request.
 */
static bool irdma_process_cqe(struct irdma_qp *qp, const struct irdma_cqe *cqe,
			      struct ib_wc *wc)
{
	struct irdma_wq *wq = cqe->sq ? &qp->sq : &qp->rq;
	struct irdma_wr wr;
	bool found;

	scoped_guard(spinlock, &wq->lock)
		found = cqe->sq ? irdma_sq_done(wq, cqe, &wr) : irdma_rq_done(wq, cqe, &wr);
	if (!found)
		return false;
	*wc = (struct ib_wc){
		.wr_id = wr.wr_id,
		.qp = &qp->ib,
		.port_num = 1,
		.status = IB_WC_SUCCESS,
	};
	if (cqe->error) {
		wc->status = irdma_cqe_status(cqe->major, cqe->minor,
					      cqe->sq && qp->type == IRDMA_HW_QP_ROCE_UD);
		wc->vendor_err = (u32)cqe->major << 16 | cqe->minor;
	}
	if (!cqe->sq) {
		irdma_fill_recv_wc(qp, cqe, wc);
		return true;
	}
	wc->opcode = irdma_wc_opcode(wr.opcode);
	wc->byte_len = wr.len_bytes;
	return wr.signaled || wc->status != IB_WC_SUCCESS;
}

/**
 * irdma_poll_one - take the next entry out of a CQ
 * @cq: kernel CQ, locked
 * @wc: filled when the function returns 1
 *
 * Context: Any context; @cq->lock is held.
 * Return: 1 and a completion; 0 when the entry is nobody's; -ENOENT when there is none.
 */
static int irdma_poll_one(struct irdma_cq *cq, struct ib_wc *wc)
{
	struct irdma_dev *dev = to_irdma_ibdev(cq->ib.device)->dev;
	const struct irdma_cqe64 *ring = cq->mem.va;
	const struct ib_cq *of_qp;
	struct irdma_cqe cqe;
	struct irdma_qp *qp;

	if (!irdma_cqe_decode(&ring[cq->cons.idx], cq->cons.polarity, &cqe))
		return -ENOENT;
	irdma_cons_advance(&cq->cons);
	if (!cqe.ctx)
		return 0;
	/* The QP stays as long as cq->lock is held, see irdma_clean_cqes(). */
	qp = irdma_qp_of(xa_load(&dev->qps, cqe.qp_id));
	if (!qp || qp->uctx)
		return 0;
	of_qp = cqe.sq ? qp->init.send_cq : qp->init.recv_cq;
	return of_qp == &cq->ib && irdma_process_cqe(qp, &cqe, wc);
}

static void irdma_cq_write_idx(struct irdma_cq *cq)
{
	struct irdma_cq_shadow *shadow = cq->mem.va + cq->cons.size * sizeof(struct irdma_cqe64);

	WRITE_ONCE(shadow->qw[0], cpu_to_le64(cq->cons.idx));
}

/**
 * __irdma_poll_cq - irdma_poll_cq() with the CQ locked
 * @cq: kernel CQ, locked
 * @num: room in @wc
 * @wc: filled
 *
 * The device is told once how far the CQ was read.
 *
 * Context: Any context; @cq->lock is held.
 * Return: completions.
 */
static int __irdma_poll_cq(struct irdma_cq *cq, int num, struct ib_wc *wc)
{
	u32 before = cq->cons.idx;
	int ret, cnt = 0;

	while (cnt < num) {
		ret = irdma_poll_one(cq, &wc[cnt]);
		if (ret < 0)
			break;
		cnt += ret;
	}
	if (cq->cons.idx != before)
		irdma_cq_write_idx(cq);
	return cnt;
}

/**
 * irdma_poll_cq - completions of a kernel consumer
 * @ib: CQ
 * @num: room in @wc
 * @wc: filled
 *
 * Context: Any context; takes and releases the CQ's lock.
 * Return: completions; -EOPNOTSUPP for a user CQ, which the user polls himself.
 */
static int irdma_poll_cq(struct ib_cq *ib, int num, struct ib_wc *wc)
{
	struct irdma_cq *cq = to_irdma_cq(ib);

	if (cq->uctx)
		return -EOPNOTSUPP;
	guard(spinlock_irqsave)(&cq->lock);
	return __irdma_poll_cq(cq, num, wc);
}

/**
 * irdma_req_notify_cq - ask for an event of a kernel CQ
 * @ib: CQ
 * @flags: which completions count, and whether the caller wants to hear of entries
 *	that are there already
 *
 * Context: Any context; takes and releases the CQ's lock.
 * Return: 0; 1 when entries are there and the caller asked; -EOPNOTSUPP for a user CQ,
 * which the user arms himself.
 */
static int irdma_req_notify_cq(struct ib_cq *ib, enum ib_cq_notify_flags flags)
{
	struct irdma_cq *cq = to_irdma_cq(ib);
	struct irdma_dev *dev = to_irdma_ibdev(ib->device)->dev;
	const struct irdma_cqe64 *ring = cq->mem.va;
	struct irdma_cq_shadow *shadow;
	bool any = (flags & IB_CQ_SOLICITED_MASK) == IB_CQ_NEXT_COMP;
	u64 word;

	if (cq->uctx)
		return -EOPNOTSUPP;
	guard(spinlock_irqsave)(&cq->lock);
	shadow = cq->mem.va + cq->cons.size * sizeof(struct irdma_cqe64);
	word = irdma_cq_arm_word(le64_to_cpu(shadow->qw[4]), any, true);
	WRITE_ONCE(shadow->qw[4], cpu_to_le64(word));
	/* writel() orders the arm word before the doorbell. */
	irdma_wr32(dev, IRDMA_REG_CQ_ARM, cq->args.id);
	return flags & IB_CQ_REPORT_MISSED_EVENTS &&
	       irdma_cqe_present(&ring[cq->cons.idx], cq->cons.polarity);
}

/**
 * irdma_clean_cqes - forget the completions of a QP
 * @qp: QP that left the table and that the device does not know any more
 * @cq: kernel CQ
 *
 * Context: Process context; takes and releases the CQ's lock.
 */
void irdma_clean_cqes(struct irdma_qp *qp, struct irdma_cq *cq)
{
	struct irdma_cqe64 *ring = cq->mem.va;
	struct irdma_cons cons;
	struct irdma_cqe cqe;

	guard(spinlock_irqsave)(&cq->lock);
	for (cons = cq->cons; irdma_cqe_decode(&ring[cons.idx], cons.polarity, &cqe);
	     irdma_cons_advance(&cons))
		if (cqe.qp_id == qp->id)
			ring[cons.idx].qw[1] = 0;
}

const struct ib_device_ops irdma_poll_ops = {
	.poll_cq = irdma_poll_cq,
	.req_notify_cq = irdma_req_notify_cq,
};
