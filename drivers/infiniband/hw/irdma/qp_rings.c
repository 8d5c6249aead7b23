// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rings of queue pairs: how long they are and where they lie.
 *
 * Those of a user QP lie in its memory, which was registered for that or comes with the
 * call; those of a kernel QP are one DMA allocation.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include <rdma/irdma-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "cq.h"
#include "dev.h"
#include "mr.h"
#include "poll.h"
#include "qp.h"
#include "qp_hw.h"
#include "qp_rings.h"
#include "ring_buf.h"
#include "uctx.h"

/* Receive requests of a QP with SRQ, which are never posted: user space counts so. */
#define IRDMA_SRQ_QP_RECV_WR	4

/**
 * irdma_setup_virt_qp - ring addresses of a user QP
 * @qp: QP whose rings are known to fit in their memory
 *
 * Send queue, receive queue and shadow area follow one another, each from a page on. A
 * list names the rings by its entries; the shadow area is always named by its address.
 *
 * Context: Process context.
 * Return: 0; -EINVAL when the memory ends before the shadow area.
 */
static int irdma_setup_virt_qp(struct irdma_qp *qp)
{
	const struct irdma_mr *mr = qp->rings_mr;
	dma_addr_t pa;

	qp->pbl_mapped = mr->map.pbl.level;
	if (qp->pbl_mapped) {
		qp->ctx.sq_addr = mr->map.pbl.root.idx;
		qp->ctx.rq_addr = mr->map.pbl.root.idx + mr->reg.pages.sq_pages;
	} else {
		qp->ctx.sq_addr = mr->map.pa;
		qp->ctx.rq_addr = mr->map.pa +
				  ((u64)mr->reg.pages.sq_pages << IRDMA_RING_PAGE_SHIFT);
	}
	if (qp->ctx.use_srq) {
		if (!irdma_map_page(&mr->map, mr->reg.pages.sq_pages, &pa))
			return -EINVAL;
		qp->ctx.rq_addr = pa;
	}
	if (!irdma_map_page(&mr->map, mr->reg.pages.sq_pages + mr->reg.pages.rq_pages, &pa))
		return -EINVAL;
	qp->shadow_pa = pa;
	return 0;
}

/* Rings that the consumer needs; @given: its counts are depths that user space computed. */
static int irdma_qp_set_sizes(struct irdma_qp *qp, const struct ib_qp_init_attr *init, bool given)
{
	const struct irdma_limits *limits = &irdma_qp_dev(qp)->gen->limits;
	const struct irdma_wq_limits sq = { limits->sq_quanta_max, limits->wq_wqes_min };
	const struct irdma_wq_limits rq = { limits->rq_quanta_max, limits->wq_wqes_min };
	const struct ib_qp_cap *cap = &init->cap;
	struct irdma_qp_sizes *sizes = &qp->sizes;
	u32 recv_sge = init->srq ? limits->wq_frags_max : cap->max_recv_sge;
	u32 recv_wr = init->srq ? IRDMA_SRQ_QP_RECV_WR : cap->max_recv_wr;
	int err;

	/* Immediate data takes the place of a fragment. */
	sizes->sq_shift = irdma_wqe_shift(cap->max_send_sge + 1, cap->max_inline_data);
	sizes->rq_shift = irdma_wqe_shift(recv_sge, 0);
	if (given)
		err = irdma_wq_depth_given(cap->max_send_wr, sizes->sq_shift,
					   IRDMA_SQ_RESERVED_QUANTA, &sq, &sizes->sq_quanta);
	else
		err = irdma_wq_depth(cap->max_send_wr, sizes->sq_shift, IRDMA_SQ_RESERVED_QUANTA,
				     &sq, &sizes->sq_quanta);
	if (err)
		return err;
	/* Who uses an SRQ gives no size of a receive queue. */
	if (given && !init->srq)
		return irdma_wq_depth_given(recv_wr, sizes->rq_shift, IRDMA_RQ_RESERVED_QUANTA, &rq,
					    &sizes->rq_quanta);
	return irdma_wq_depth(recv_wr, sizes->rq_shift, IRDMA_RQ_RESERVED_QUANTA, &rq,
			      &sizes->rq_quanta);
}

/* Memory of a user QP. The device wants both rings in one piece of memory. */
static int irdma_qp_get_rings(struct irdma_qp *qp, u64 va, struct uverbs_attr_bundle *attrs)
{
	const struct irdma_ring_mem pages = {
		.sq_pages = irdma_ring_pages(IRDMA_RING_WQ, qp->sizes.sq_quanta),
		.rq_pages = irdma_ring_pages(IRDMA_RING_WQ, qp->sizes.rq_quanta),
	};
	struct ib_umem *umem;
	struct irdma_mr *mr;

	if (uverbs_attr_is_valid(attrs, UVERBS_ATTR_CREATE_QP_SQ_BUF_UMEM) ||
	    uverbs_attr_is_valid(attrs, UVERBS_ATTR_CREATE_QP_RQ_BUF_UMEM))
		return -EOPNOTSUPP;
	umem = ib_umem_get_attr(qp->ib.device, attrs, UVERBS_ATTR_CREATE_QP_BUF_UMEM,
				irdma_ring_mem_bytes(&pages), IB_ACCESS_LOCAL_WRITE);
	mr = irdma_get_q_mem(qp->uctx, IRDMA_MEMREG_TYPE_QP, umem, va, &pages);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	qp->rings_mr = mr;
	return irdma_ring_mem_check_qp(&mr->reg.pages, qp->sizes.sq_quanta, qp->sizes.rq_quanta);
}

/**
 * irdma_setup_umode_qp - rings of a user QP
 * @qp: QP with its user context
 * @init: what the user wants
 * @req: says where rings that were registered lie
 * @attrs: attributes of the call, which may bring the rings
 *
 * Context: Process context.
 * Return: 0; -ENODATA when there are no rings; -EINVAL for sizes beyond the device's or
 * the memory's; -EOPNOTSUPP for two pieces of memory; errnos of pinning.
 */
int irdma_setup_umode_qp(struct irdma_qp *qp, struct ib_qp_init_attr *init,
			 const struct irdma_create_qp_req *req,
			 struct uverbs_attr_bundle *attrs)
{
	int err;

	err = irdma_qp_set_sizes(qp, init, !qp->uctx->raw_attr);
	if (err)
		return err;
	err = irdma_qp_get_rings(qp, req->user_wqe_bufs, attrs);
	if (err)
		return err;
	qp->ctx.compl_ctx = req->user_compl_ctx;
	return irdma_setup_virt_qp(qp);
}

static int irdma_wq_init(struct irdma_wq *wq, void *va, u32 entries, u32 unused, u8 shift)
{
	spin_lock_init(&wq->lock);
	wq->va = va;
	wq->shift = shift;
	wq->wr = kvzalloc_objs(*wq->wr, entries);
	if (!wq->wr)
		return -ENOMEM;
	return irdma_ring_init(&wq->ring, entries, unused, 0);
}

/**
 * irdma_setup_kmode_qp - rings of a kernel QP
 * @qp: QP
 * @init: what the consumer wants
 *
 * Send queue, receive queue and shadow area are one DMA allocation. irdma_qp_free_rings()
 * frees what there is when the function fails.
 *
 * Context: Process context; may sleep.
 * Return: 0; -EINVAL for sizes beyond the device's; -ENOMEM.
 */
int irdma_setup_kmode_qp(struct irdma_qp *qp, struct ib_qp_init_attr *init)
{
	struct irdma_dev *dev = irdma_qp_dev(qp);
	struct irdma_qp_sizes *sizes = &qp->sizes;
	u32 sq_bytes, rq_bytes;
	int err;

	err = irdma_qp_set_sizes(qp, init, false);
	if (err)
		return err;
	sq_bytes = sizes->sq_quanta * IRDMA_QUANTUM_BYTES;
	rq_bytes = sizes->rq_quanta * IRDMA_QUANTUM_BYTES;
	err = irdma_dma_alloc(dev, &qp->mem, sq_bytes + rq_bytes + IRDMA_SHADOW_BYTES);
	if (!err)
		err = irdma_wq_init(&qp->sq, qp->mem.va, sizes->sq_quanta,
				    IRDMA_SQ_UNUSED_QUANTA, 0);
	if (!err)
		err = irdma_wq_init(&qp->rq, qp->mem.va + sq_bytes,
				    sizes->rq_quanta >> sizes->rq_shift, IRDMA_RING_UNUSED,
				    sizes->rq_shift);
	if (err)
		return err;
	qp->ctx.sq_addr = qp->mem.pa;
	qp->ctx.rq_addr = qp->mem.pa + sq_bytes;
	qp->shadow_pa = qp->mem.pa + sq_bytes + rq_bytes;
	qp->ctx.privileged = true;
	qp->ctx.fast_reg = true;
	qp->ctx.ud_priv_cq = qp->type == IRDMA_HW_QP_ROCE_UD;
	return 0;
}

/**
 * irdma_qp_free_rings - free what the set-up of a QP's rings has got so far
 * @qp: QP that the device does not know
 *
 * Context: Process context; may sleep.
 */
void irdma_qp_free_rings(struct irdma_qp *qp)
{
	if (qp->uctx)
		irdma_put_pbl(qp->uctx, qp->rings_mr);
	kvfree(qp->rq.wr);
	kvfree(qp->sq.wr);
	irdma_dma_free(irdma_qp_dev(qp), &qp->mem);
}

/**
 * irdma_qp_reset_rings - rings of a kernel QP, as they were when it was created
 * @qp: QP that the device does not know; nothing is done for a user QP
 *
 * Context: Process context. @qp->lock is held.
 */
void irdma_qp_reset_rings(struct irdma_qp *qp)
{
	struct irdma_dev *dev = irdma_qp_dev(qp);

	if (qp->uctx)
		return;
	irdma_clean_cqes(qp, to_irdma_cq(qp->ib.send_cq));
	irdma_clean_cqes(qp, to_irdma_cq(qp->ib.recv_cq));
	memset(qp->mem.va, 0, qp->mem.bytes);
	irdma_ring_init(&qp->sq.ring, qp->sq.ring.size, IRDMA_SQ_UNUSED_QUANTA, 0);
	irdma_ring_init(&qp->rq.ring, qp->rq.ring.size, IRDMA_RING_UNUSED, 0);
	dev_dbg(&dev->pdev->dev, "irdma: QP %u renewed\n", qp->id);
}

/* Has nothing been posted to a ring of a user QP that starts at a page of its memory? */
static bool irdma_qp_ring_untouched(const struct irdma_qp *qp, u32 page)
{
	struct irdma_quantum first;

	return !ib_umem_copy_from(&first, qp->rings_mr->umem, (size_t)page << IRDMA_RING_PAGE_SHIFT,
				  sizeof(first)) &&
	       !first.qw[IRDMA_WQE_HDR];
}

/**
 * irdma_qp_can_renew - may the device start at the beginning of both rings?
 * @qp: QP in error
 *
 * User space, which nobody tells, goes on where it was: old requests would be executed
 * again, or new ones never.
 *
 * Context: Process context.
 * Return: true for a kernel QP, and for a user QP to which nothing was posted.
 */
bool irdma_qp_can_renew(const struct irdma_qp *qp)
{
	if (!qp->uctx)
		return true;
	/* The pages of a dma-buf are its exporter's. */
	if (qp->rings_mr->umem->is_dmabuf)
		return false;
	return irdma_qp_ring_untouched(qp, 0) &&
	       (qp->ib.srq || irdma_qp_ring_untouched(qp, qp->rings_mr->reg.pages.sq_pages));
}
