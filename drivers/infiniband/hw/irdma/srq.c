// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues of users.
 *
 * The context that the device returns with a limit event is the SRQ's number,
 * shifted clear of the bits that events drop.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <rdma/ib_verbs.h>
#include <rdma/irdma-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "aeqe.h"
#include "cqp_cmd.h"
#include "dev.h"
#include "mr.h"
#include "ring_buf.h"
#include "srq.h"
#include "uctx.h"
#include "verbs.h"

/* The limit field of the device. */
#define IRDMA_SRQ_LIMIT_MAX	0xfff

#define IRDMA_SRQ_CTX_SHIFT	6

/**
 * irdma_srq_event - fewer receive requests are left than the limit, or the SRQ is broken
 * @dev: device
 * @aeqe: event; its context may name nothing
 * @ib_event: what its code means to the consumer
 *
 * The device has disarmed the limit that it tells of.
 *
 * Context: Process context; irdma_eqs.aeq_lock is held, and irdma_qp.lock perhaps.
 */
void irdma_srq_event(struct irdma_dev *dev, const struct irdma_aeqe *aeqe,
		     enum ib_event_type ib_event)
{
	u64 id = aeqe->ctx >> IRDMA_SRQ_CTX_SHIFT;
	struct irdma_srq *srq = irdma_srq_of(irdma_objref_get(&dev->srqs, id));
	struct ib_event event = { .event = ib_event };

	if (!srq)
		return;
	if (ib_event == IB_EVENT_SRQ_LIMIT_REACHED)
		WRITE_ONCE(srq->args.limit, 0);
	if (srq->ib.event_handler) {
		event.device = srq->ib.device;
		event.element.srq = &srq->ib;
		srq->ib.event_handler(&event, srq->ib.srq_context);
	}
	irdma_objref_put(&srq->ref);
}

static int irdma_srq_set_size(struct irdma_srq *srq, const struct ib_srq_attr *attr)
{
	const struct irdma_limits *limits = &to_irdma_ibdev(srq->ib.device)->dev->gen->limits;
	const struct irdma_wq_limits wq = { limits->srq_quanta_max, limits->wq_wqes_min };
	u8 shift = irdma_wqe_shift(attr->max_sge, 0);
	u32 quanta;
	int err;

	if (attr->max_sge > limits->wq_frags_max || attr->max_wr > limits->srq_quanta_max)
		return -EINVAL;
	err = irdma_wq_depth(attr->max_wr, shift, IRDMA_RQ_RESERVED_QUANTA, &wq, &quanta);
	if (err)
		return err;
	srq->args.quanta = quanta;
	srq->args.wqe_shift = shift;
	srq->wr_cnt = (quanta - IRDMA_RQ_RESERVED_QUANTA) >> shift;
	srq->sge_cnt = min(limits->wq_frags_max, (2U << shift) - 1);
	return 0;
}

static int irdma_srq_get_user_mem(struct irdma_srq *srq, const struct irdma_create_srq_req *req,
				  struct uverbs_attr_bundle *attrs)
{
	const struct irdma_ring_mem pages = {
		.rq_pages = irdma_ring_pages(IRDMA_RING_WQ, srq->args.quanta),
	};
	struct irdma_mr *ring;
	struct ib_umem *umem;
	dma_addr_t pa;
	int err;

	umem = ib_umem_get_attr(srq->ib.device, attrs, UVERBS_ATTR_CREATE_SRQ_BUF_UMEM,
				irdma_ring_mem_bytes(&pages), IB_ACCESS_LOCAL_WRITE);
	ring = irdma_get_q_mem(srq->uctx, IRDMA_MEMREG_TYPE_SRQ, umem, req->user_srq_buf, &pages);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	srq->ring = ring;
	err = irdma_ring_mem_check_srq(&ring->reg.pages, srq->args.quanta);
	if (err)
		return err;
	if (!irdma_map_page(&ring->map, ring->reg.pages.rq_pages, &pa))
		return -EINVAL;
	srq->args.ring = irdma_map_ref(&ring->map);
	srq->args.shadow_addr = pa;
	return 0;
}

/**
 * irdma_srq_free_rsrc - give back the memory of an SRQ
 * @srq: SRQ that the device does not know, made in part or in whole
 *
 * The ring memory can be used by another queue, or deregistered, again.
 *
 * Context: Process context; may sleep.
 */
static void irdma_srq_free_rsrc(struct irdma_srq *srq)
{
	irdma_put_pbl(srq->uctx, srq->ring);
	mutex_destroy(&srq->lock);
}

static int irdma_srq_program(struct irdma_srq *srq)
{
	struct irdma_dev *dev = to_irdma_ibdev(srq->ib.device)->dev;
	int err;

	err = irdma_idmap_alloc(&dev->srq_ids, &srq->args.id);
	if (err)
		return err;
	srq->args.ctx = (u64)srq->args.id << IRDMA_SRQ_CTX_SHIFT;
	err = irdma_cmd_create_srq(dev, &srq->args);
	if (err)
		irdma_idmap_free(&dev->srq_ids, srq->args.id);
	return err;
}

/* Undoes irdma_srq_program(), and the publication if there was one. */
static int irdma_srq_unprogram(struct irdma_srq *srq)
{
	struct irdma_dev *dev = to_irdma_ibdev(srq->ib.device)->dev;
	int err;

	if (!srq->reaped) {
		err = irdma_cmd_destroy_srq(dev, srq->args.id, srq->args.ctx);
		err = irdma_uctx_destroy_err(dev, srq->uctx, err);
		if (err)
			return err;
	}
	xa_erase_irq(&dev->srqs, srq->args.id);
	irdma_objref_end(&srq->ref);
	irdma_idmap_free(&dev->srq_ids, srq->args.id);
	return 0;
}

/**
 * irdma_create_srq - create a shared receive queue
 * @ib: SRQ to initialise
 * @init: what the consumer wants; sizes become those that it gets; the limit is not used
 * @udata: struct irdma_create_srq_req in, struct irdma_create_srq_resp out; the core's
 *	attribute of the ring is looked up beside it
 *
 * Context: Process context; may sleep.
 * Return: 0; -EOPNOTSUPP for a kernel consumer or another type than basic; -EINVAL for
 * sizes beyond the device's, memory that is too small or given by both roads, or a
 * response without room; -EPROTO when the ring was not registered; -ENOMEM; -EFAULT; what
 * pinning the attribute's memory returns; errnos of the command queue.
 */
static int irdma_create_srq(struct ib_srq *ib, struct ib_srq_init_attr *init,
			    struct ib_udata *udata)
{
	struct irdma_dev *dev = to_irdma_ibdev(ib->device)->dev;
	struct irdma_srq *srq = to_irdma_srq(ib);
	struct irdma_create_srq_resp resp = {};
	struct irdma_create_srq_req req;
	int err;

	if (!udata || init->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	if (udata->outlen < sizeof(resp))
		return -EINVAL;
	err = irdma_srq_set_size(srq, &init->attr);
	if (!err)
		err = ib_copy_validate_udata_in(udata, req, user_shadow_area);
	if (err)
		return err;
	mutex_init(&srq->lock);
	irdma_objref_init(&srq->ref);
	srq->uctx = rdma_udata_to_drv_context(udata, struct irdma_uctx, ib);
	srq->args.pd_id = to_irdma_pd(ib->pd)->id;
	err = irdma_srq_get_user_mem(srq, &req, rdma_udata_to_uverbs_attr_bundle(udata));
	if (!err)
		err = irdma_srq_program(srq);
	if (err)
		goto err_free;
	init->attr.max_wr = srq->wr_cnt;
	init->attr.max_sge = srq->sge_cnt;
	resp.srq_id = srq->args.id;
	resp.srq_size = srq->args.quanta >> srq->args.wqe_shift;
	err = ib_respond_udata(udata, resp);
	if (!err)
		err = xa_err(xa_store_irq(&dev->srqs, srq->args.id, &srq->ref, GFP_KERNEL));
	if (err)
		goto err_unprogram;
	return 0;

err_unprogram:
	irdma_life_forfeit(dev, irdma_srq_unprogram(srq));
err_free:
	irdma_srq_free_rsrc(srq);
	return err;
}

/**
 * irdma_modify_srq - set and arm the limit
 * @ib: SRQ
 * @attr: new values
 * @mask: IB_SRQ_LIMIT; the size cannot change
 * @udata: nothing in, nothing out
 *
 * Context: Process context; may sleep.
 * Return: 0; -EINVAL for another size, or a limit above the SRQ's size; -EOPNOTSUPP for
 * data from the user; errnos of the command queue. The SRQ is as it was then.
 */
static int irdma_modify_srq(struct ib_srq *ib, struct ib_srq_attr *attr,
			    enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct irdma_dev *dev = to_irdma_ibdev(ib->device)->dev;
	struct irdma_srq *srq = to_irdma_srq(ib);
	struct irdma_cqp_srq_args args;
	u32 old;
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;
	if (mask & IB_SRQ_MAX_WR)
		return -EINVAL;
	if (!(mask & IB_SRQ_LIMIT))
		return 0;
	if (attr->srq_limit > srq->wr_cnt)
		return -EINVAL;
	guard(mutex)(&srq->lock);
	args = srq->args;
	old = args.limit;
	args.limit = min(attr->srq_limit, IRDMA_SRQ_LIMIT_MAX);
	/* Either limit's event may come before the command has ended, and counts more. */
	if (args.limit)
		old = xchg(&srq->args.limit, args.limit);
	err = irdma_cmd_modify_srq(dev, &args);
	cmpxchg(&srq->args.limit, args.limit ?: old, err ? old : args.limit);
	return err;
}

/**
 * irdma_query_srq - sizes and limit
 * @ib: SRQ
 * @attr: filled; a limit that was reached reads 0
 *
 * Context: Process context.
 * Return: 0.
 */
static int irdma_query_srq(struct ib_srq *ib, struct ib_srq_attr *attr)
{
	struct irdma_srq *srq = to_irdma_srq(ib);

	attr->max_wr = srq->wr_cnt;
	attr->max_sge = srq->sge_cnt;
	attr->srq_limit = READ_ONCE(srq->args.limit);
	return 0;
}

/**
 * irdma_destroy_srq - destroy a shared receive queue
 * @ib: SRQ that no QP uses
 * @udata: nothing in, nothing out
 *
 * Context: Process context; may sleep. No event of the SRQ is delivered when it returns.
 * Return: 0; -EIO when a live device refuses, the SRQ is whole then; -EOPNOTSUPP for data
 * from the user.
 */
static int irdma_destroy_srq(struct ib_srq *ib, struct ib_udata *udata)
{
	struct irdma_srq *srq = to_irdma_srq(ib);
	int err;

	err = ib_no_udata_io(udata);
	if (!err)
		err = irdma_srq_unprogram(srq);
	if (err)
		return err;
	irdma_srq_free_rsrc(srq);
	return 0;
}

/**
 * irdma_srq_reap - let the device forget an SRQ whose process has ended
 * @object: the core's SRQ
 * @batch: a command is added
 *
 * Context: Process context.
 * Return: false when the device does not know the SRQ.
 */
bool irdma_srq_reap(void *object, struct irdma_batch *batch)
{
	struct irdma_srq *srq = to_irdma_srq(object);

	if (srq->reaped)
		return false;
	irdma_cqp_enc_destroy_srq(irdma_batch_add(batch), srq->args.id, srq->args.ctx);
	return true;
}

/**
 * irdma_srq_reaped - the command of irdma_srq_reap() has ended
 * @object: the core's SRQ
 * @err: how it ended; an SRQ that is refused is whole
 *
 * Context: Process context; may sleep.
 */
void irdma_srq_reaped(void *object, int err)
{
	struct irdma_srq *srq = to_irdma_srq(object);

	srq->reaped = !irdma_life_destroy_err(to_irdma_ibdev(srq->ib.device)->dev, err);
}

const struct ib_device_ops irdma_srq_ops = {
	.create_srq = irdma_create_srq,
	.destroy_srq = irdma_destroy_srq,
	.modify_srq = irdma_modify_srq,
	.query_srq = irdma_query_srq,

	INIT_RDMA_OBJ_SIZE(ib_srq, irdma_srq, ib),
};
