// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs: creation, faults, destruction.
 *
 * An asynchronous event about a QP takes down that QP alone, one about a CQ its QPs,
 * from a work item, since the command that does so waits for the thread that delivers
 * events.
 *
 * Lock order: irdma_qp.lock, then irdma_qp.fault_lock; irdma_cq.lock is not taken
 * under either of them but by irdma_clean_cqes(), under irdma_qp.lock.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <linux/etherdevice.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>
#include <rdma/irdma-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "ae_table.h"
#include "cq.h"
#include "cqp_cmd.h"
#include "dev.h"
#include "netdev.h"
#include "park.h"
#include "poll.h"
#include "qp.h"
#include "qp_hw.h"
#include "qp_modify.h"
#include "qp_push.h"
#include "qp_rings.h"
#include "ring_buf.h"
#include "srq.h"
#include "trace.h"
#include "uctx.h"
#include "verbs.h"

/* Hardware QP that serves QP1 of the first vport. */
#define IRDMA_QP_ID_GSI		1

/* qp_caps of the create response. */
#define IRDMA_QP_CAP_WRITE_IMM	BIT(0)
#define IRDMA_QP_CAP_SEND_IMM	BIT(1)
#define IRDMA_QP_CAP_ROCE	BIT(2)
#define IRDMA_QP_CAP_PUSH	BIT(3)

/* The response of generation 3 must have room for the caps. */
#define IRDMA_QP_RESP_BYTES_MIN	offsetofend(struct irdma_create_qp_resp, rsvd)

/**
 * irdma_qp_dispatch - tell the consumer of an event
 * @qp: QP
 * @type: event
 *
 * Context: Process context; no lock held.
 */
void irdma_qp_dispatch(struct irdma_qp *qp, enum ib_event_type type)
{
	struct ib_event event = {
		.device = qp->ib.device,
		.event = type,
		.element.qp = &qp->ib,
	};

	if (qp->ib.event_handler)
		qp->ib.event_handler(&event, qp->ib.qp_context);
}

/**
 * irdma_qp_last_wqe_locked - does the consumer have to hear that the SRQ is left alone now?
 * @qp: QP
 *
 * The device takes no receive request for a QP that is in error and flushed.
 *
 * Context: Process context; @qp->lock is held.
 * Return: true once in the life of a QP with SRQ: IB_EVENT_QP_LAST_WQE_REACHED is due.
 */
bool irdma_qp_last_wqe_locked(struct irdma_qp *qp)
{
	lockdep_assert_held(&qp->lock);
	if (!qp->ib.srq || qp->last_wqe || qp->state != IB_QPS_ERR || !qp->flushed)
		return false;
	qp->last_wqe = true;
	return true;
}

/* Event for the consumer; negative when there is none. */
static int irdma_qp_fault_locked(struct irdma_qp *qp)
{
	enum ib_qp_state from = qp->state;
	int err;

	lockdep_assert_held(&qp->lock);
	/* The consumer may have reset the QP since: the event was its predecessor's. */
	if (!qp->fault.code || qp->state == IB_QPS_RESET)
		return -1;
	err = irdma_qp_to_error_locked(qp);
	WRITE_ONCE(qp->state, IB_QPS_ERR);
	trace_irdma_qp_state(irdma_qp_dev(qp), qp->id, from, IB_QPS_ERR, err);
	return qp->fault.ib_event;
}

static void irdma_qp_fault_work(struct work_struct *work)
{
	struct irdma_qp *qp = container_of(work, struct irdma_qp, fault_work);
	bool last_wqe;
	int ib_event;

	scoped_guard(mutex, &qp->lock) {
		ib_event = irdma_qp_fault_locked(qp);
		last_wqe = irdma_qp_last_wqe_locked(qp);
	}
	if (ib_event >= 0)
		irdma_qp_dispatch(qp, ib_event);
	if (last_wqe)
		irdma_qp_dispatch(qp, IB_EVENT_QP_LAST_WQE_REACHED);
	irdma_objref_put(&qp->ref);
}

/* Keeps what the first fatal event says; true when this is the first. */
static bool irdma_qp_record_fault(struct irdma_qp *qp, const struct irdma_qp_fault *fault)
{
	guard(spinlock)(&qp->fault_lock);
	if (qp->fault.code)
		return false;
	qp->fault = *fault;
	return true;
}

/* Consumes a reference of the caller's. */
static void irdma_qp_take_down(struct irdma_qp *qp, const struct irdma_qp_fault *fault)
{
	/* The work item takes the reference over, unless it has one already. */
	if (!irdma_qp_record_fault(qp, fault) || !queue_work(system_dfl_wq, &qp->fault_work))
		irdma_objref_put(&qp->ref);
}

static struct irdma_qp_fault irdma_qp_fault_of(const struct irdma_qp *qp,
					       const struct irdma_aeqe *aeqe,
					       const struct irdma_ae_info *info)
{
	struct irdma_ae_target target = irdma_ae_target(info, aeqe->source);

	return (struct irdma_qp_fault){
		.code = aeqe->code,
		.sq_code = target.sq ? info->flush : IRDMA_FLUSH_GENERAL,
		.rq_code = target.rq ? info->flush : IRDMA_FLUSH_GENERAL,
		.sq_idx = aeqe->wqe_idx,
		.rq_idx = aeqe->wqe_idx,
		.sq_idx_valid = target.sq,
		.rq_idx_valid = target.rq && !qp->ib.srq,
		.ib_event = info->ib_event,
	};
}

static void irdma_qp_drained(struct irdma_qp *qp)
{
	complete_all(&qp->drained);
	if (xchg(&qp->notify_drained, false))
		irdma_qp_dispatch(qp, IB_EVENT_SQ_DRAINED);
}

/**
 * irdma_qp_event - asynchronous event about a QP
 * @dev: device
 * @aeqe: event; its id may name nothing
 *
 * Context: Process context; irdma_eqs.aeq_lock is held, and irdma_qp.lock perhaps.
 */
void irdma_qp_event(struct irdma_dev *dev, const struct irdma_aeqe *aeqe)
{
	const struct irdma_ae_info *info = irdma_ae_lookup(aeqe->code);
	struct irdma_qp *qp = irdma_qp_of(irdma_objref_get(&dev->qps, aeqe->id));
	struct irdma_qp_fault fault;

	if (!qp)
		return;
	if (aeqe->code == IRDMA_AE_SUSPEND_DONE)
		irdma_qp_drained(qp);
	if (info->severity == IRDMA_AE_INFO) {
		irdma_objref_put(&qp->ref);
		return;
	}
	ibdev_dbg(qp->ib.device, "QP %u: event %#x (%s)\n", qp->id, aeqe->code, info->name);
	fault = irdma_qp_fault_of(qp, aeqe, info);
	irdma_qp_take_down(qp, &fault);
}

static void irdma_qp_lose_cq(struct irdma_dev *dev, u32 id, const struct irdma_cq *cq)
{
	static const struct irdma_qp_fault fault = {
		.code = IRDMA_AE_CQ_ERROR,
		.sq_code = IRDMA_FLUSH_GENERAL,
		.rq_code = IRDMA_FLUSH_GENERAL,
		.ib_event = IB_EVENT_QP_FATAL,
	};
	struct irdma_qp *qp = irdma_qp_of(irdma_objref_get(&dev->qps, id));

	if (!qp)
		return;
	if (qp->init.send_cq == &cq->ib || qp->init.recv_cq == &cq->ib)
		irdma_qp_take_down(qp, &fault);
	else
		irdma_objref_put(&qp->ref);
}

/**
 * irdma_qps_lose_cq - take down the QPs whose completions have nowhere to go
 * @dev: device
 * @cq: CQ in error
 *
 * Context: Process context; irdma_eqs.aeq_lock is held, and irdma_qp.lock perhaps.
 */
void irdma_qps_lose_cq(struct irdma_dev *dev, const struct irdma_cq *cq)
{
	struct irdma_objref *ref;
	unsigned long id;

	xa_for_each(&dev->qps, id, ref)
		irdma_qp_lose_cq(dev, id, cq);
}

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
	irdma_qp_free_ctx(qp);
	irdma_qp_free_rings(qp);
	mutex_destroy(&qp->lock);
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
	/* QP1 has just been told those of its vport. */
	qp->ctx.qset = qp->ibdev->qs_handle[0];
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
	attr->sq_draining = qp->state == IB_QPS_SQD && !completion_done(&qp->drained);
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
	/* Whoever dropped the last reference may still have to return into this module. */
	flush_work(&qp->fault_work);
	if (qp->has_peer) {
		irdma_arp_put(dev, qp->dmac);
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
