// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs: creation, transitions, faults, destruction.
 *
 * A transition is prepared in a copy of the context, given to the device, and
 * becomes the QP's when the device has accepted it. The device knows fewer states
 * than verbs do: no command is sent for one that it is in already. It has no way
 * out of its error state, so a QP that is used again after RESET is destroyed and
 * created anew under the same number. That is open to a user QP only as long as
 * nothing was posted to it, because user space keeps its place in the rings.
 *
 * An asynchronous event about a QP takes down that QP alone, from a work item, since
 * the command that does so waits for the thread that delivers events.
 *
 * Lock order: irdma_qp.lock, then irdma_qp.fault_lock; irdma_cq.lock is not taken
 * under either of them but by irdma_clean_cqes(), under irdma_qp.lock.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <linux/etherdevice.h>
#include <linux/slab.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/irdma-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "ae_table.h"
#include "ah.h"
#include "cq.h"
#include "cqp_cmd.h"
#include "dev.h"
#include "mr.h"
#include "netdev.h"
#include "park.h"
#include "poll.h"
#include "qp.h"
#include "qp_push.h"
#include "qp_state.h"
#include "ring_buf.h"
#include "srq.h"
#include "trace.h"
#include "uctx.h"
#include "verbs.h"

/* Hardware QP that serves QP1 of the first vport. */
#define IRDMA_QP_ID_GSI		1

/* How long the device may take to drain a send queue. */
#define IRDMA_DRAIN_TIMEOUT_MS	5000

/* qp_caps of the create response. */
#define IRDMA_QP_CAP_WRITE_IMM	BIT(0)
#define IRDMA_QP_CAP_SEND_IMM	BIT(1)
#define IRDMA_QP_CAP_ROCE	BIT(2)
#define IRDMA_QP_CAP_PUSH	BIT(3)

/* Receive requests of a QP with SRQ, which are never posted: user space counts so. */
#define IRDMA_SRQ_QP_RECV_WR	4

/* Limits of the standard. */
#define IRDMA_QPN_MAX		GENMASK(23, 0)
#define IRDMA_TIMER_CODE_MAX	31
#define IRDMA_RETRY_CNT_MAX	7

/* The response of generation 3 must have room for the caps. */
#define IRDMA_QP_RESP_BYTES_MIN	offsetofend(struct irdma_create_qp_resp, rsvd)

static struct irdma_dev *irdma_qp_dev(const struct irdma_qp *qp)
{
	return qp->ibdev->dev;
}

static struct irdma_cqp_qp_args irdma_qp_args(const struct irdma_qp *qp,
					      enum irdma_hw_qp_state next)
{
	return (struct irdma_cqp_qp_args){
		.ctx_addr = qp->qpc_pa,
		.shadow_addr = qp->shadow_pa,
		.id = qp->id,
		.type = qp->type,
		.next_state = next,
		.pbl_mapped = qp->pbl_mapped,
	};
}

static void irdma_qp_set_ctx(struct irdma_qp *qp, const struct irdma_qpc_args *ctx)
{
	memset(qp->qpc, 0, sizeof(*qp->qpc));
	irdma_qpc_enc(qp->qpc, ctx);
}

/* Moves the device's QP to error and completes what is in its queues. */
static void irdma_qp_add_error(struct irdma_qp *qp, struct irdma_batch *batch)
{
	const struct irdma_cqp_qp_args args = irdma_qp_args(qp, IRDMA_HW_QPS_ERROR);
	struct irdma_cqp_flush_args flush = {
		.qp_id = qp->id,
		.sq = true,
		.rq = true,
		.sq_code = IRDMA_FLUSH_GENERAL,
		.rq_code = IRDMA_FLUSH_GENERAL,
	};

	scoped_guard(spinlock, &qp->fault_lock) {
		const struct irdma_qp_fault *fault = &qp->fault;

		if (fault->code) {
			flush.sq_code = fault->sq_code;
			flush.rq_code = fault->rq_code;
			flush.sq_err_idx = fault->sq_idx;
			flush.rq_err_idx = fault->rq_idx;
			flush.sq_err_valid = fault->sq_idx_valid;
			flush.rq_err_valid = fault->rq_idx_valid;
		}
	}
	irdma_cqp_enc_modify_qp(irdma_batch_add(batch), &args);
	irdma_cqp_enc_flush(irdma_batch_add(batch), &flush);
}

static int irdma_qp_to_error_locked(struct irdma_qp *qp)
{
	struct irdma_dev *dev = irdma_qp_dev(qp);
	struct irdma_batch batch = {};
	int err;

	lockdep_assert_held(&qp->lock);
	if (qp->flushed || qp->hw_state == IRDMA_HW_QPS_INVALID)
		return 0;
	irdma_qp_add_error(qp, &batch);
	err = irdma_batch_run(dev, &batch);
	if (err && irdma_life_running(dev) && batch.err[0])
		return err;
	qp->hw_state = IRDMA_HW_QPS_ERROR;
	qp->flushed = true;
	return 0;
}

static void irdma_qp_dispatch(struct irdma_qp *qp, enum ib_event_type type)
{
	struct ib_event event = {
		.device = qp->ib.device,
		.event = type,
		.element.qp = &qp->ib,
	};

	if (qp->ib.event_handler)
		qp->ib.event_handler(&event, qp->ib.qp_context);
}

/* Event for the consumer; negative when there is none. */
static int irdma_qp_fault_locked(struct irdma_qp *qp)
{
	enum ib_qp_state from = qp->state;
	int err;

	lockdep_assert_held(&qp->lock);
	/* The consumer may have renewed the QP since: the event was its predecessor's. */
	if (!qp->fault.code)
		return -1;
	err = irdma_qp_to_error_locked(qp);
	WRITE_ONCE(qp->state, IB_QPS_ERR);
	trace_irdma_qp_state(irdma_qp_dev(qp), qp->id, from, IB_QPS_ERR, err);
	return qp->fault.ib_event;
}

static void irdma_qp_fault_work(struct work_struct *work)
{
	struct irdma_qp *qp = container_of(work, struct irdma_qp, fault_work);
	int ib_event;

	scoped_guard(mutex, &qp->lock)
		ib_event = irdma_qp_fault_locked(qp);
	if (ib_event >= 0)
		irdma_qp_dispatch(qp, ib_event);
	irdma_objref_put(&qp->ref);
}

/* Keeps what the first fatal event says; true when this is the first. */
static bool irdma_qp_record_fault(struct irdma_qp *qp, const struct irdma_aeqe *aeqe,
				  const struct irdma_ae_info *info)
{
	struct irdma_ae_target target = irdma_ae_target(info, aeqe->source);

	guard(spinlock)(&qp->fault_lock);
	if (qp->fault.code)
		return false;
	qp->fault = (struct irdma_qp_fault){
		.code = aeqe->code,
		.sq_code = target.sq ? info->flush : IRDMA_FLUSH_GENERAL,
		.rq_code = target.rq ? info->flush : IRDMA_FLUSH_GENERAL,
		.sq_idx = aeqe->wqe_idx,
		.rq_idx = aeqe->wqe_idx,
		.sq_idx_valid = target.sq,
		.rq_idx_valid = target.rq && !qp->ib.srq,
		.ib_event = info->ib_event,
	};
	return true;
}

/**
 * irdma_qp_event - asynchronous event about a QP
 * @dev: device
 * @aeqe: event; its id may name nothing
 *
 * Context: Process context, the event's thread; no lock held.
 */
void irdma_qp_event(struct irdma_dev *dev, const struct irdma_aeqe *aeqe)
{
	const struct irdma_ae_info *info = irdma_ae_lookup(aeqe->code);
	struct irdma_qp *qp = irdma_qp_of(irdma_objref_get(&dev->qps, aeqe->id));

	if (!qp)
		return;
	if (aeqe->code == IRDMA_AE_SUSPEND_DONE)
		complete(&qp->drained);
	if (info->severity == IRDMA_AE_INFO || !irdma_qp_record_fault(qp, aeqe, info)) {
		irdma_objref_put(&qp->ref);
		return;
	}
	ibdev_dbg(qp->ib.device, "QP %u: event %#x (%s)\n", qp->id, aeqe->code, info->name);
	/* The work item takes the reference over, unless it has one already. */
	if (!queue_work(system_dfl_wq, &qp->fault_work))
		irdma_objref_put(&qp->ref);
}

/* ---- Creation ---- */

static int irdma_qp_check_init(const struct irdma_dev *dev, const struct ib_qp_init_attr *init)
{
	const struct irdma_limits *limits = &dev->gen->limits;
	const struct ib_qp_cap *cap = &init->cap;

	if (init->create_flags)
		return -EOPNOTSUPP;
	if (init->qp_type != IB_QPT_RC && init->qp_type != IB_QPT_UD &&
	    init->qp_type != IB_QPT_GSI)
		return -EOPNOTSUPP;
	if (cap->max_send_sge > limits->wq_frags_max || cap->max_recv_sge > limits->wq_frags_max ||
	    cap->max_inline_data > limits->inline_bytes_max)
		return -EINVAL;
	return 0;
}

/* Hardware number, and for QP1 the vport that it serves. */
static int irdma_qp_alloc_id(struct irdma_qp *qp)
{
	struct irdma_ibdev *ibdev = qp->ibdev;
	struct irdma_dev *dev = ibdev->dev;
	int err = 0;

	if (qp->ib.qp_type != IB_QPT_GSI)
		return irdma_idmap_alloc(&dev->qp_ids, &qp->id);
	if (!test_and_set_bit(0, &dev->gsi_taken))
		qp->id = IRDMA_QP_ID_GSI;
	else
		err = irdma_idmap_alloc(&dev->qp_ids, &qp->id);
	if (err)
		return err;
	err = irdma_vchnl_add_vport(dev, ibdev->vport_id, qp->id, ibdev->qs_handle);
	if (!err) {
		ibdev->qp1_id = qp->id;
		return 0;
	}
	if (qp->id == IRDMA_QP_ID_GSI)
		clear_bit(0, &dev->gsi_taken);
	else
		irdma_idmap_free(&dev->qp_ids, qp->id);
	return err;
}

static void irdma_qp_free_id(struct irdma_qp *qp)
{
	struct irdma_ibdev *ibdev = qp->ibdev;

	if (qp->ib.qp_type == IB_QPT_GSI) {
		ibdev->qp1_id = 0;
		irdma_vchnl_del_vport(ibdev->dev, ibdev->vport_id, qp->id);
	}
	if (qp->id == IRDMA_QP_ID_GSI)
		clear_bit(0, &ibdev->dev->gsi_taken);
	else
		irdma_idmap_free(&ibdev->dev->qp_ids, qp->id);
}

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
	if (given) {
		err = irdma_wq_depth_given(cap->max_send_wr, sizes->sq_shift,
					   IRDMA_SQ_RESERVED_QUANTA, &sq, &sizes->sq_quanta);
		return err ?: irdma_wq_depth_given(recv_wr, sizes->rq_shift,
						   IRDMA_RQ_RESERVED_QUANTA, &rq,
						   &sizes->rq_quanta);
	}
	err = irdma_wq_depth(cap->max_send_wr, sizes->sq_shift, IRDMA_SQ_RESERVED_QUANTA, &sq,
			     &sizes->sq_quanta);
	return err ?: irdma_wq_depth(recv_wr, sizes->rq_shift, IRDMA_RQ_RESERVED_QUANTA, &rq,
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
static int irdma_setup_umode_qp(struct irdma_qp *qp, struct ib_qp_init_attr *init,
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
 * Send queue, receive queue and shadow area are one DMA allocation. irdma_qp_free_rsrc()
 * frees what there is when the function fails.
 *
 * Context: Process context; may sleep.
 * Return: 0; -EINVAL for sizes beyond the device's; -ENOMEM.
 */
static int irdma_setup_kmode_qp(struct irdma_qp *qp, struct ib_qp_init_attr *init)
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
	err = irdma_dma_alloc(dev->pdev, &qp->mem, sq_bytes + rq_bytes + IRDMA_SHADOW_BYTES);
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

static void irdma_qp_init_ctx(struct irdma_qp *qp, const struct ib_qp_init_attr *init)
{
	struct irdma_dev *dev = irdma_qp_dev(qp);
	struct irdma_qpc_args *ctx = &qp->ctx;

	irdma_qpc_defaults(ctx);
	ctx->pd_id = to_irdma_pd(qp->ib.pd)->id;
	ctx->pkey = IB_DEFAULT_PKEY_FULL;
	ctx->send_cq = to_irdma_cq(init->send_cq)->args.id;
	ctx->recv_cq = to_irdma_cq(init->recv_cq)->args.id;
	if (init->srq) {
		ctx->use_srq = true;
		ctx->srq_id = to_irdma_srq(init->srq)->args.id;
	}
	ctx->qset = qp->ibdev->qs_handle[0];
	ctx->path_mtu = ib_mtu_enum_to_int(iboe_get_mtu(qp->ibdev->netdev->mtu));
	ctx->ord = dev->ord_max;
	ctx->ird = dev->ird_max;
	ctx->bind = true;
	ether_addr_copy(ctx->src_mac, qp->ibdev->netdev->dev_addr);
}

static void irdma_qp_init(struct irdma_qp *qp, const struct ib_qp_init_attr *init)
{
	qp->ibdev = to_irdma_ibdev(qp->ib.device);
	qp->type = init->qp_type == IB_QPT_RC ? IRDMA_HW_QP_ROCE_RC : IRDMA_HW_QP_ROCE_UD;
	qp->state = IB_QPS_RESET;
	qp->init = *init;
	mutex_init(&qp->lock);
	spin_lock_init(&qp->fault_lock);
	init_completion(&qp->drained);
	INIT_WORK(&qp->fault_work, irdma_qp_fault_work);
	irdma_objref_init(&qp->ref);
	irdma_qp_init_ctx(qp, init);
}

static void irdma_qpc_release(struct device *dev, const struct irdma_parked *parked)
{
	dma_pool_free(parked->owner, parked->mem.va, parked->mem.pa);
}

static void irdma_qp_free_ctx(struct irdma_qp *qp)
{
	struct irdma_dev *dev = irdma_qp_dev(qp);
	const struct irdma_parked parked = {
		.release = irdma_qpc_release,
		.mem = { .bytes = sizeof(*qp->qpc), .pa = qp->qpc_pa, .va = qp->qpc },
		.owner = dev->qpc_pool,
	};

	if (qp->qpc && !irdma_park(&dev->pdev->dev, &parked))
		irdma_qpc_release(&dev->pdev->dev, &parked);
}

static void irdma_qp_free_rsrc(struct irdma_qp *qp)
{
	struct irdma_dev *dev = irdma_qp_dev(qp);

	irdma_qp_free_ctx(qp);
	if (qp->uctx)
		irdma_put_pbl(qp->uctx, qp->rings_mr);
	kvfree(qp->rq.wr);
	kvfree(qp->sq.wr);
	irdma_dma_free(dev->pdev, &qp->mem);
	mutex_destroy(&qp->lock);
}

/* Makes the device know the QP, in its idle state. */
static int irdma_qp_program(struct irdma_qp *qp)
{
	struct irdma_cqp_qp_args args = irdma_qp_args(qp, IRDMA_HW_QPS_IDLE);
	int err;

	args.cq_valid = true;
	args.mac_valid = true;
	irdma_qp_set_ctx(qp, &qp->ctx);
	err = irdma_cmd_create_qp(irdma_qp_dev(qp), &args);
	if (!err)
		qp->hw_state = IRDMA_HW_QPS_IDLE;
	return err;
}

/* What the consumer gets, at least what it asked for. */
static void irdma_qp_report_caps(struct irdma_qp *qp, struct ib_qp_init_attr *init)
{
	const struct irdma_qp_sizes *sizes = &qp->sizes;

	init->cap.max_send_wr = (sizes->sq_quanta - IRDMA_SQ_RESERVED_QUANTA) >> sizes->sq_shift;
	init->cap.max_recv_wr = (sizes->rq_quanta - IRDMA_RQ_RESERVED_QUANTA) >> sizes->rq_shift;
	qp->init.cap = init->cap;
}

static int irdma_qp_respond(struct irdma_qp *qp, struct ib_udata *udata)
{
	struct irdma_create_qp_resp resp = {
		.qp_id = qp->id,
		.actual_sq_size = qp->sizes.sq_quanta >> qp->sizes.sq_shift,
		.actual_rq_size = qp->sizes.rq_quanta >> qp->sizes.rq_shift,
		.qp_caps = IRDMA_QP_CAP_SEND_IMM | IRDMA_QP_CAP_ROCE | IRDMA_QP_CAP_PUSH,
	};

	if (qp->type == IRDMA_HW_QP_ROCE_RC)
		resp.qp_caps |= IRDMA_QP_CAP_WRITE_IMM;
	return ib_respond_udata(udata, resp);
}

static int irdma_qp_setup(struct irdma_qp *qp, struct ib_qp_init_attr *init,
			  struct ib_udata *udata)
{
	struct irdma_dev *dev = irdma_qp_dev(qp);
	struct irdma_create_qp_req req;
	int err;

	if (udata) {
		if (udata->outlen < IRDMA_QP_RESP_BYTES_MIN)
			return -EINVAL;
		err = ib_copy_validate_udata_in(udata, req, user_compl_ctx);
		if (err)
			return err;
		qp->uctx = rdma_udata_to_drv_context(udata, struct irdma_uctx, ib);
		err = irdma_setup_umode_qp(qp, init, &req,
					   rdma_udata_to_uverbs_attr_bundle(udata));
	} else {
		err = irdma_setup_kmode_qp(qp, init);
	}
	if (err)
		return err;
	qp->ctx.sq_quanta = qp->sizes.sq_quanta;
	qp->ctx.rq_quanta = qp->sizes.rq_quanta;
	qp->ctx.rq_wqe_shift = qp->sizes.rq_shift;
	qp->qpc = dma_pool_zalloc(dev->qpc_pool, GFP_KERNEL, &qp->qpc_pa);
	return qp->qpc ? 0 : -ENOMEM;
}

static void irdma_qp_add_destroy(struct irdma_qp *qp, struct irdma_batch *batch)
{
	const struct irdma_cqp_qp_args args = irdma_qp_args(qp, IRDMA_HW_QPS_INVALID);

	if (!qp->flushed && qp->hw_state != IRDMA_HW_QPS_IDLE)
		irdma_qp_add_error(qp, batch);
	irdma_cqp_enc_destroy_qp(irdma_batch_add(batch), &args);
}

/**
 * _irdma_destroy_qp - make the device forget a QP
 * @qp: QP; one that the device does not know is allowed
 *
 * What undoes irdma_qp_program(): error, flush and destruction are posted together and
 * waited for once.
 *
 * Context: Process context; may sleep. @qp->lock is held once the QP is published.
 * Return: 0; -EIO when a live device refuses, the QP is in error then.
 */
static int _irdma_destroy_qp(struct irdma_qp *qp)
{
	struct irdma_dev *dev = irdma_qp_dev(qp);
	struct irdma_batch batch = {};
	unsigned int last;
	int err;

	if (qp->hw_state == IRDMA_HW_QPS_INVALID)
		return 0;
	irdma_qp_add_destroy(qp, &batch);
	last = batch.cnt - 1;
	irdma_batch_run(dev, &batch);
	err = irdma_uctx_destroy_err(dev, qp->uctx, batch.err[last]);
	if (err) {
		qp->flushed |= last && !batch.err[0];
		return err;
	}
	qp->hw_state = IRDMA_HW_QPS_INVALID;
	return 0;
}

/**
 * irdma_create_qp - create a QP
 * @ib: QP to initialise
 * @init: what the consumer wants; capabilities become those that it gets
 * @udata: struct irdma_create_qp_req in, struct irdma_create_qp_resp out, and beside it the
 *	core's attribute of the rings; NULL for a kernel consumer
 *
 * Context: Process context; may sleep.
 * Return: 0; -EOPNOTSUPP for a type or flag that there is not, or attributes of separate
 * rings; -EINVAL for capabilities beyond the device's, or memory that is too small for them
 * or given by both roads; -ENODATA when the rings were not registered; -ENOMEM; -EFAULT;
 * what pinning the attribute's memory returns; errnos of the command queue.
 */
static int irdma_create_qp(struct ib_qp *ib, struct ib_qp_init_attr *init,
			   struct ib_udata *udata)
{
	struct irdma_dev *dev = to_irdma_ibdev(ib->device)->dev;
	struct irdma_qp *qp = to_irdma_qp(ib);
	int err;

	err = irdma_qp_check_init(dev, init);
	if (err)
		return err;
	irdma_qp_init(qp, init);
	err = irdma_qp_setup(qp, init, udata);
	if (err)
		goto err_free;
	err = irdma_qp_alloc_id(qp);
	if (err)
		goto err_free;
	if (!qp->uctx)
		qp->ctx.compl_ctx = (u64)qp->id << IRDMA_COMPL_CTX_SHIFT;
	ib->qp_num = ib->qp_type == IB_QPT_GSI ? 1 : qp->id;
	irdma_qp_report_caps(qp, init);
	err = irdma_qp_program(qp);
	if (err)
		goto err_id;
	if (udata)
		err = irdma_qp_respond(qp, udata);
	if (!err)
		err = xa_err(xa_store_irq(&dev->qps, qp->id, &qp->ref, GFP_KERNEL));
	if (err)
		goto err_unprogram;
	return 0;

err_unprogram:
	irdma_life_forfeit(dev, _irdma_destroy_qp(qp));
err_id:
	irdma_qp_free_id(qp);
err_free:
	irdma_qp_free_rsrc(qp);
	return err;
}

/* ---- Transitions ---- */

/* Address, priority and peer of a connection. */
static int irdma_qp_apply_av(struct irdma_qp *qp, const struct rdma_ah_attr *attr,
			     struct irdma_qpc_args *ctx, u8 *dmac)
{
	struct irdma_av av;
	int err;

	err = irdma_av_init(&av, attr);
	if (err)
		return err;
	err = irdma_arp_get(qp->ibdev, av.dmac, false, &ctx->arp_idx);
	if (err)
		return err;
	ether_addr_copy(dmac, av.dmac);
	memcpy(ctx->local_ip, av.local_ip, sizeof(av.local_ip));
	memcpy(ctx->dest_ip, av.dest_ip, sizeof(av.dest_ip));
	ether_addr_copy(ctx->src_mac, av.smac);
	ctx->ipv4 = av.ipv4;
	ctx->ttl = av.hop_limit;
	ctx->tos = av.tclass;
	ctx->flow_label = av.flow_label;
	ctx->insert_vlan = av.insert_vlan;
	ctx->vlan_tag = av.vlan_tag;
	ctx->qset = qp->ibdev->qs_handle[av.prio % IRDMA_PRIO_CNT];
	ctx->src_port = rdma_get_udp_sport(av.flow_label, qp->ib.qp_num, ctx->dest_qpn);
	return 0;
}

/*
 * Rights of the peer. The device has one switch for inbound writes and for the
 * responses to the QP's own reads: it stays on as long as the QP may read.
 */
static void irdma_qp_apply_access(struct irdma_qp *qp, const struct ib_qp_attr *attr, int mask,
				  struct irdma_qpc_args *ctx)
{
	int access = mask & IB_QP_ACCESS_FLAGS ? attr->qp_access_flags :
						 qp->attr.qp_access_flags;

	if (!(mask & (IB_QP_ACCESS_FLAGS | IB_QP_MAX_QP_RD_ATOMIC)))
		return;
	ctx->remote_write = access & IB_ACCESS_REMOTE_WRITE || ctx->ord;
	ctx->remote_read = access & IB_ACCESS_REMOTE_READ;
	ctx->remote_atomic = access & IB_ACCESS_REMOTE_ATOMIC &&
			     irdma_has(irdma_qp_dev(qp), IRDMA_CAP_ATOMICS);
}

/* Codes and counts of the standard, which have five and three bits. */
static int irdma_qp_check_timers(const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_TIMEOUT && attr->timeout > IRDMA_TIMER_CODE_MAX)
		return -EINVAL;
	if (mask & IB_QP_MIN_RNR_TIMER && attr->min_rnr_timer > IRDMA_TIMER_CODE_MAX)
		return -EINVAL;
	if (mask & IB_QP_RETRY_CNT && attr->retry_cnt > IRDMA_RETRY_CNT_MAX)
		return -EINVAL;
	if (mask & IB_QP_RNR_RETRY && attr->rnr_retry > IRDMA_RETRY_CNT_MAX)
		return -EINVAL;
	return 0;
}

static int irdma_qp_check_attr(const struct irdma_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	const struct irdma_dev *dev = irdma_qp_dev(qp);

	if (mask & IB_QP_MAX_QP_RD_ATOMIC && attr->max_rd_atomic > dev->ord_max)
		return -EINVAL;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC && attr->max_dest_rd_atomic > dev->ird_max)
		return -EINVAL;
	if (mask & IB_QP_PATH_MTU &&
	    (attr->path_mtu < IB_MTU_256 ||
	     attr->path_mtu > iboe_get_mtu(qp->ibdev->netdev->mtu)))
		return -EINVAL;
	if (mask & IB_QP_PKEY_INDEX && attr->pkey_index)
		return -EINVAL;
	if (mask & IB_QP_DEST_QPN && attr->dest_qp_num > IRDMA_QPN_MAX)
		return -EINVAL;
	return irdma_qp_check_timers(attr, mask);
}

/* All that needs no resource. */
static void irdma_qp_apply_plain(const struct ib_qp_attr *attr, int mask,
				 struct irdma_qpc_args *ctx)
{
	if (mask & IB_QP_QKEY)
		ctx->qkey = attr->qkey;
	if (mask & IB_QP_DEST_QPN)
		ctx->dest_qpn = attr->dest_qp_num;
	if (mask & IB_QP_SQ_PSN) {
		ctx->sq_psn = attr->sq_psn;
		ctx->lsn = IRDMA_QPC_LSN_INIT;
	}
	if (mask & IB_QP_RQ_PSN)
		ctx->rq_psn = attr->rq_psn;
	if (mask & IB_QP_PATH_MTU)
		ctx->path_mtu = ib_mtu_enum_to_int(attr->path_mtu);
	if (mask & IB_QP_TIMEOUT)
		ctx->ack_timeout = attr->timeout;
	if (mask & IB_QP_RETRY_CNT)
		ctx->retry_cnt = attr->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		ctx->rnr_retry_cnt = attr->rnr_retry;
	if (mask & IB_QP_MIN_RNR_TIMER)
		ctx->min_rnr_timer = attr->min_rnr_timer;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		ctx->ord = attr->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		ctx->ird = attr->max_dest_rd_atomic;
}

/* Attributes that later queries report. */
static void irdma_qp_keep_attr(struct irdma_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	struct ib_qp_attr *kept = &qp->attr;

	if (mask & IB_QP_ACCESS_FLAGS)
		kept->qp_access_flags = attr->qp_access_flags;
	if (mask & IB_QP_PORT)
		kept->port_num = attr->port_num;
	if (mask & IB_QP_PKEY_INDEX)
		kept->pkey_index = attr->pkey_index;
	if (mask & IB_QP_PATH_MTU)
		kept->path_mtu = attr->path_mtu;
	if (mask & IB_QP_AV)
		rdma_replace_ah_attr(&kept->ah_attr, &attr->ah_attr);
}

/* Gives the prepared context to the device. */
static int irdma_qp_move(struct irdma_qp *qp, const struct irdma_qp_step *step,
			 const struct irdma_qpc_args *ctx)
{
	struct irdma_cqp_qp_args args = irdma_qp_args(qp, step->hw_state);
	int err;

	args.arp_valid = step->arp_valid;
	args.cq_valid = step->cq_valid;
	args.ord_valid = step->ord_valid;
	irdma_qp_set_ctx(qp, ctx);
	reinit_completion(&qp->drained);
	err = irdma_cmd_modify_qp(irdma_qp_dev(qp), &args);
	if (err) {
		irdma_qp_set_ctx(qp, &qp->ctx);
		return err;
	}
	qp->hw_state = step->hw_state;
	if (step->wait_drained &&
	    !wait_for_completion_timeout(&qp->drained, msecs_to_jiffies(IRDMA_DRAIN_TIMEOUT_MS)))
		return -ETIMEDOUT;
	return 0;
}

/* Rings of a kernel QP, as they were when it was created. */
static void irdma_qp_reset_rings(struct irdma_qp *qp)
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

/*
 * The device starts at the beginning of both rings. User space, which nobody tells, goes
 * on where it was: old requests would be executed again, or new ones never.
 */
static bool irdma_qp_can_renew(const struct irdma_qp *qp)
{
	if (!qp->uctx)
		return true;
	/* The pages of a dma-buf are its exporter's. */
	if (qp->rings_mr->umem->is_dmabuf)
		return false;
	return irdma_qp_ring_untouched(qp, 0) &&
	       (qp->ib.srq || irdma_qp_ring_untouched(qp, qp->rings_mr->reg.pages.sq_pages));
}

/* A QP that was in error starts again from nothing, under the same number. */
static int irdma_qp_renew(struct irdma_qp *qp)
{
	int err;

	err = _irdma_destroy_qp(qp);
	if (err)
		return err;
	scoped_guard(spinlock, &qp->fault_lock)
		qp->fault = (struct irdma_qp_fault){};
	qp->flushed = false;
	irdma_qp_reset_rings(qp);
	return irdma_qp_program(qp);
}

/* The device's part of a transition. */
static int irdma_qp_transit(struct irdma_qp *qp, const struct irdma_qp_step *step,
			    const struct irdma_qpc_args *ctx)
{
	int err = 0;

	if (step->flush)
		return irdma_qp_to_error_locked(qp);
	if (step->recreate)
		err = irdma_qp_renew(qp);
	if (!err && step->modify)
		err = irdma_qp_move(qp, step, ctx);
	return err;
}

static int irdma_qp_modify_locked(struct irdma_qp *qp, struct ib_qp_attr *attr, int mask)
{
	enum ib_qp_state from = qp->state;
	enum ib_qp_state to = mask & IB_QP_STATE ? attr->qp_state : from;
	const struct irdma_qp_now now = { qp->ib.qp_type, from, qp->hw_state };
	struct irdma_qpc_args ctx = qp->ctx;
	struct irdma_qp_step step;
	u8 dmac[ETH_ALEN];
	int err;

	if (mask & IB_QP_CUR_STATE && attr->cur_qp_state != from)
		return -EINVAL;
	err = irdma_qp_plan_step(&now, to, mask, &step);
	if (!err && step.recreate && !irdma_qp_can_renew(qp))
		err = -EINVAL;
	if (!err)
		err = irdma_qp_check_attr(qp, attr, mask);
	if (err)
		return err;
	irdma_qp_apply_plain(attr, mask, &ctx);
	irdma_qp_apply_access(qp, attr, mask, &ctx);
	if (mask & IB_QP_AV) {
		err = irdma_qp_apply_av(qp, &attr->ah_attr, &ctx, dmac);
		if (err)
			return err;
	}
	err = irdma_qp_transit(qp, &step, &ctx);
	trace_irdma_qp_state(irdma_qp_dev(qp), qp->id, from, to, err);
	if (err) {
		if (mask & IB_QP_AV)
			irdma_arp_put(qp->ibdev, dmac);
		return err;
	}
	if (mask & IB_QP_AV) {
		if (qp->has_peer)
			irdma_arp_put(qp->ibdev, qp->dmac);
		ether_addr_copy(qp->dmac, dmac);
		qp->has_peer = true;
	}
	qp->ctx = ctx;
	irdma_qp_keep_attr(qp, attr, mask);
	WRITE_ONCE(qp->state, to);
	return 0;
}

static int irdma_modify_qp_check_udata(struct ib_udata *udata)
{
	struct irdma_modify_qp_req req;

	if (udata->outlen && udata->outlen < offsetofend(struct irdma_modify_qp_resp, push_valid))
		return -EINVAL;
	return udata->inlen ? ib_copy_validate_udata_in(udata, req, rsvd) : 0;
}

/**
 * irdma_modify_qp_roce - change the state or attributes of a QP
 * @ib: QP
 * @attr: new values
 * @mask: which of them count
 * @udata: struct irdma_modify_qp_req in, struct irdma_modify_qp_resp out, or nothing: who
 *	takes an answer on the way to RTS gets a push page if there is one; a request to flush
 *	again is met by the device, which completes what is posted to a QP
 *	in error by itself
 *
 * Context: Process context; may sleep.
 * Return: 0; -EOPNOTSUPP for a mask bit that is not of the standard; -EINVAL for an
 * illegal transition, the reuse of a user QP that was posted to, or a value beyond the
 * device's; -ETIMEDOUT when the send queue does not drain; -ENOMEM; errnos of the command
 * queue. The QP is as it was, but for -ETIMEDOUT.
 */
static int irdma_modify_qp_roce(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
				struct ib_udata *udata)
{
	struct irdma_qp *qp = to_irdma_qp(ib);
	int err;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	err = udata ? irdma_modify_qp_check_udata(udata) : 0;
	if (err)
		return err;
	guard(mutex)(&qp->lock);
	if (udata && udata->outlen) {
		if (qp->state == IB_QPS_RTR && mask & IB_QP_STATE && attr->qp_state == IB_QPS_RTS)
			irdma_qp_begin_push_locked(qp);
		err = irdma_qp_respond_push_locked(qp, udata);
		if (err)
			return err;
	}
	return irdma_qp_modify_locked(qp, attr, mask);
}

/**
 * irdma_query_qp - state and attributes of a QP
 * @ib: QP
 * @attr: filled
 * @mask: which values the caller wants; all are given
 * @init: filled
 *
 * Context: Process context; may sleep.
 * Return: 0.
 */
static int irdma_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
			  struct ib_qp_init_attr *init)
{
	struct irdma_qp *qp = to_irdma_qp(ib);

	guard(mutex)(&qp->lock);
	*attr = qp->attr;
	attr->qp_state = qp->state;
	attr->cur_qp_state = qp->state;
	attr->cap = qp->init.cap;
	attr->qkey = qp->ctx.qkey;
	attr->rq_psn = qp->ctx.rq_psn;
	attr->sq_psn = qp->ctx.sq_psn;
	attr->dest_qp_num = qp->ctx.dest_qpn;
	attr->max_rd_atomic = qp->ctx.ord;
	attr->max_dest_rd_atomic = qp->ctx.ird;
	attr->min_rnr_timer = qp->ctx.min_rnr_timer;
	attr->timeout = qp->ctx.ack_timeout;
	attr->retry_cnt = qp->ctx.retry_cnt;
	attr->rnr_retry = qp->ctx.rnr_retry_cnt;
	attr->path_mig_state = IB_MIG_MIGRATED;
	*init = qp->init;
	return 0;
}

/**
 * irdma_destroy_qp - destroy a QP
 * @ib: QP
 * @udata: nothing in, nothing out; NULL for a kernel consumer
 *
 * Context: Process context; may sleep. No event of the QP is delivered when it returns.
 * Return: 0; -EIO when a live device refuses, the QP is whole then, in error.
 */
static int irdma_destroy_qp(struct ib_qp *ib, struct ib_udata *udata)
{
	struct irdma_qp *qp = to_irdma_qp(ib);
	struct irdma_dev *dev = irdma_qp_dev(qp);
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;
	mutex_lock(&qp->lock);
	err = _irdma_destroy_qp(qp);
	mutex_unlock(&qp->lock);
	if (err)
		return err;
	xa_erase_irq(&dev->qps, qp->id);
	irdma_qp_end_push(qp);
	if (!qp->uctx) {
		irdma_clean_cqes(qp, to_irdma_cq(ib->send_cq));
		irdma_clean_cqes(qp, to_irdma_cq(ib->recv_cq));
	}
	irdma_objref_end(&qp->ref);
	if (qp->has_peer) {
		irdma_arp_put(qp->ibdev, qp->dmac);
		rdma_destroy_ah_attr(&qp->attr.ah_attr);
	}
	irdma_qp_free_id(qp);
	irdma_qp_free_rsrc(qp);
	return 0;
}

/**
 * irdma_qp_reap - let the device forget a QP whose process has ended
 * @object: the core's QP
 * @batch: commands are added
 *
 * Context: Process context; may sleep.
 * Return: false when the device does not know the QP, or a group does: the core takes the
 * QP out of its groups first.
 */
bool irdma_qp_reap(void *object, struct irdma_batch *batch)
{
	struct irdma_qp *qp = to_irdma_qp(object);

	guard(mutex)(&qp->lock);
	if (qp->hw_state == IRDMA_HW_QPS_INVALID || qp->group_cnt)
		return false;
	irdma_qp_add_destroy(qp, batch);
	/* No event makes use of the QP any more. */
	qp->hw_state = IRDMA_HW_QPS_INVALID;
	return true;
}

/**
 * irdma_qp_reaped - the commands of irdma_qp_reap() have ended
 * @object: the core's QP
 * @err: how the last one ended; a QP that is refused is in error
 *
 * Context: Process context; may sleep.
 */
void irdma_qp_reaped(void *object, int err)
{
	struct irdma_qp *qp = to_irdma_qp(object);

	if (!irdma_life_destroy_err(irdma_qp_dev(qp), err))
		return;
	guard(mutex)(&qp->lock);
	qp->hw_state = IRDMA_HW_QPS_ERROR;
	qp->flushed = true;
}

const struct ib_device_ops irdma_qp_ops = {
	.create_qp = irdma_create_qp,
	.destroy_qp = irdma_destroy_qp,
	.modify_qp = irdma_modify_qp_roce,
	.query_qp = irdma_query_qp,

	INIT_RDMA_OBJ_SIZE(ib_qp, irdma_qp, ib),
};
