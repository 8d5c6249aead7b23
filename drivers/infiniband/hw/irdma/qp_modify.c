// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs: transitions.
 *
 * A transition is prepared in a copy of the context, given to the device, and
 * becomes the QP's when the device has accepted it. The device knows fewer states
 * than verbs do: no command is sent for one that it is in already. It has no way
 * out of its error state, so a QP that is used again after RESET is destroyed and
 * created anew under the same number. That is open to a user QP only as long as
 * nothing was posted to it, because user space keeps its place in the rings.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <linux/etherdevice.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_verbs.h>
#include <rdma/irdma-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "ah.h"
#include "dev.h"
#include "eq.h"
#include "netdev.h"
#include "qp.h"
#include "qp_hw.h"
#include "qp_modify.h"
#include "qp_push.h"
#include "qp_rings.h"
#include "qp_state.h"
#include "trace.h"
#include "verbs.h"

/* Limits of the standard. */
#define IRDMA_QPN_MAX		GENMASK(23, 0)
#define IRDMA_TIMER_CODE_MAX	31
#define IRDMA_RETRY_CNT_MAX	7

/* Address, priority and peer of a connection. */
static int irdma_qp_apply_av(struct irdma_qp *qp, const struct rdma_ah_attr *attr,
			     struct irdma_qpc_args *ctx, u8 *dmac)
{
	struct irdma_av av;
	int err;

	err = irdma_av_init(&av, attr);
	if (err)
		return err;
	err = irdma_arp_get(irdma_qp_dev(qp), av.dmac, false, &ctx->arp_idx);
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

/* A QP that was in error starts again from nothing, under the same number. */
static int irdma_qp_renew(struct irdma_qp *qp)
{
	struct irdma_dev *dev = irdma_qp_dev(qp);
	int err;

	err = _irdma_destroy_qp(qp);
	if (err)
		return err;
	/* The device tells no more of the QP; what it has told is not about its new life. */
	irdma_aeq_poll(dev, dev->eqs.aeq_cons.size);
	scoped_guard(spinlock, &qp->fault_lock)
		qp->fault = (struct irdma_qp_fault){};
	qp->flushed = false;
	qp->last_wqe = false;
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

/* Who wants to hear that the send queue is drained does not wait for it. */
static void irdma_qp_expect_drained(struct irdma_qp *qp, const struct ib_qp_attr *attr, int mask,
				    struct irdma_qp_step *step)
{
	if (!step->wait_drained)
		return;
	step->wait_drained = !(mask & IB_QP_EN_SQD_ASYNC_NOTIFY && attr->en_sqd_async_notify);
	reinit_completion(&qp->drained);
	WRITE_ONCE(qp->notify_drained, !step->wait_drained);
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
	irdma_qp_expect_drained(qp, attr, mask, &step);
	err = irdma_qp_transit(qp, &step, &ctx);
	if ((err ? from : to) != IB_QPS_SQD)
		WRITE_ONCE(qp->notify_drained, false);
	trace_irdma_qp_state(irdma_qp_dev(qp), qp->id, from, to, err);
	if (err) {
		if (mask & IB_QP_AV)
			irdma_arp_put(irdma_qp_dev(qp), dmac);
		return err;
	}
	if (mask & IB_QP_AV) {
		if (qp->has_peer)
			irdma_arp_put(irdma_qp_dev(qp), qp->dmac);
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

static int irdma_qp_answer_locked(struct irdma_qp *qp, const struct ib_qp_attr *attr, int mask,
				  struct ib_udata *udata)
{
	if (qp->state == IB_QPS_RTR && mask & IB_QP_STATE && attr->qp_state == IB_QPS_RTS)
		irdma_qp_begin_push_locked(qp);
	return irdma_qp_respond_push_locked(qp, udata);
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
 * device's; -ENOMEM; errnos of the command queue. The QP is as it was then. A send queue
 * that has not drained is no error, the QP says that it is draining.
 */
int irdma_modify_qp_roce(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
			 struct ib_udata *udata)
{
	struct irdma_qp *qp = to_irdma_qp(ib);
	bool last_wqe;
	int err;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	err = udata ? irdma_modify_qp_check_udata(udata) : 0;
	if (err)
		return err;
	scoped_guard(mutex, &qp->lock) {
		if (udata && udata->outlen)
			err = irdma_qp_answer_locked(qp, attr, mask, udata);
		if (!err)
			err = irdma_qp_modify_locked(qp, attr, mask);
		last_wqe = irdma_qp_last_wqe_locked(qp);
	}
	if (last_wqe)
		irdma_qp_dispatch(qp, IB_EVENT_QP_LAST_WQE_REACHED);
	return err;
}
