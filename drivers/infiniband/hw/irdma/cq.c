// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues: creation, resizing, destruction, events.
 *
 * The ring of a user CQ is memory that was registered beforehand, or that comes with
 * the create command, and so is its shadow area; its size is compared with the entries
 * asked for before the device hears of it. A kernel CQ is one DMA allocation, ring and
 * shadow area together.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <linux/sizes.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/irdma-abi.h>
#include <rdma/uverbs_ioctl.h>

#define UVERBS_MODULE_NAME irdma
#include <rdma/uverbs_named_ioctl.h>

#include "aeqe.h"
#include "cq.h"
#include "cqp_cmd.h"
#include "dev.h"
#include "hw_ae.h"
#include "mr.h"
#include "qp.h"
#include "ring_buf.h"
#include "uctx.h"
#include "verbs.h"

#define IRDMA_CQ_SHADOW_THRESH_MAX	0x3ffff

static struct irdma_dev *irdma_cq_dev(const struct irdma_cq *cq)
{
	return to_irdma_ibdev(cq->ib.device)->dev;
}

/**
 * irdma_cq_event - a CQ has completions
 * @dev: device
 * @cq_id: id from the device, any value
 *
 * Context: Softirqs off; no lock held.
 */
void irdma_cq_event(struct irdma_dev *dev, u32 cq_id)
{
	struct irdma_cq *cq = irdma_cq_of(irdma_objref_get(&dev->cqs, cq_id));

	if (!cq)
		return;
	if (cq->ib.comp_handler)
		cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
	irdma_objref_put(&cq->ref);
}

/**
 * irdma_cq_error - a CQ overflowed or broke
 * @dev: device
 * @aeqe: event of kind IRDMA_AE_OBJ_CQ; its id has any value
 *
 * Its users are told, and its QPs are taken down.
 *
 * Context: Process context; irdma_eqs.aeq_lock is held, and irdma_qp.lock perhaps.
 */
void irdma_cq_error(struct irdma_dev *dev, const struct irdma_aeqe *aeqe)
{
	struct irdma_cq *cq = irdma_cq_of(irdma_objref_get(&dev->cqs, aeqe->id));
	struct ib_event event = { .event = IB_EVENT_CQ_ERR };

	if (!cq)
		return;
	/* Its owner can make a CQ overflow; what breaks it is the device. */
	if (aeqe->code == IRDMA_AE_CQ_CATASTROPHE)
		ibdev_err_ratelimited(cq->ib.device, "CQ %u broke\n", aeqe->id);
	else
		ibdev_dbg(cq->ib.device, "CQ %u: event %#x\n", aeqe->id, aeqe->code);
	if (cq->ib.event_handler) {
		event.device = cq->ib.device;
		event.element.cq = &cq->ib;
		cq->ib.event_handler(&event, cq->ib.cq_context);
	}
	irdma_qps_lose_cq(dev, cq);
	irdma_objref_put(&cq->ref);
}

/* Fills what the device is told about a CQ of @entries entries. */
static void irdma_cq_fill_args(struct irdma_cq *cq, const struct ib_cq_init_attr *attr,
			       u32 entries)
{
	struct irdma_dev *dev = irdma_cq_dev(cq);

	cq->args.entries = entries;
	cq->args.shadow_thresh = min(entries / 2, IRDMA_CQ_SHADOW_THRESH_MAX);
	/* CEQ 0 carries the control CQ alone. */
	cq->args.ceq_id = attr->comp_vector + 1;
	cq->args.ceq_valid = true;
	cq->args.ceqe_mask = true;
	cq->args.check_overflow = true;
	cq->args.cqe64 = dev->gen->limits.cqe_bytes == SZ_64;
	cq->ib.cqe = entries;
}

/* Takes an id, makes the device know the CQ. */
static int irdma_cq_program(struct irdma_cq *cq)
{
	struct irdma_dev *dev = irdma_cq_dev(cq);
	int err;

	err = irdma_idmap_alloc(&dev->cq_ids, &cq->args.id);
	if (err)
		return err;
	irdma_objref_init(&cq->ref);
	cq->args.ctx = cq->args.id;
	err = irdma_cmd_create_cq(dev, &cq->args);
	if (err)
		irdma_idmap_free(&dev->cq_ids, cq->args.id);
	return err;
}

/* Undoes irdma_cq_program(), and irdma_cq_publish() if it was called. */
static int irdma_cq_unprogram(struct irdma_cq *cq)
{
	struct irdma_dev *dev = irdma_cq_dev(cq);
	int err;

	if (!cq->reaped) {
		err = irdma_cmd_destroy_cq(dev, &cq->args);
		err = irdma_uctx_destroy_err(dev, cq->uctx, err);
		if (err)
			return err;
	}
	xa_erase_irq(&dev->cqs, cq->args.id);
	irdma_ceq_scrub(dev, cq->args.ceq_id, cq->args.id);
	irdma_objref_end(&cq->ref);
	irdma_idmap_free(&dev->cq_ids, cq->args.id);
	return 0;
}

static int irdma_cq_publish(struct irdma_cq *cq)
{
	struct irdma_dev *dev = irdma_cq_dev(cq);

	return xa_err(xa_store_irq(&dev->cqs, cq->args.id, &cq->ref, GFP_KERNEL));
}

/* Names registered memory as the CQ's ring, if @entries entries fit in it. */
static int irdma_cq_set_ring(struct irdma_cqp_cq_args *args, const struct irdma_mr *ring,
			     u32 entries)
{
	int err;

	err = irdma_ring_mem_check_cq(&ring->reg.pages, IRDMA_RING_CQ64, entries);
	if (err)
		return err;
	args->entries = entries;
	args->ring = irdma_map_ref(&ring->map);
	return 0;
}

static int irdma_cq_get_ring(struct irdma_cq *cq, u64 va, struct uverbs_attr_bundle *attrs)
{
	const struct irdma_ring_mem pages = {
		.cq_pages = irdma_ring_pages(IRDMA_RING_CQ64, cq->args.entries),
		.cq_shadow = true,
	};
	struct irdma_mr *ring;
	struct ib_umem *umem;

	umem = ib_umem_get_cq_buf(cq->ib.device, attrs, irdma_ring_mem_bytes(&pages),
				  IB_ACCESS_LOCAL_WRITE);
	ring = irdma_get_q_mem(cq->uctx, IRDMA_MEMREG_TYPE_CQ, umem, va, &pages);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	cq->ring = ring;
	return irdma_cq_set_ring(&cq->args, ring, cq->args.entries);
}

static int irdma_cq_get_shadow(struct irdma_cq *cq, u64 va, struct uverbs_attr_bundle *attrs)
{
	const struct irdma_ring_mem pages = { .cq_pages = 1, .cq_shadow = true };
	struct irdma_mr *shadow;
	struct ib_umem *umem;
	dma_addr_t pa;

	umem = ib_umem_get_attr(cq->ib.device, attrs, IRDMA_ATTR_CREATE_CQ_SHADOW_UMEM,
				sizeof(struct irdma_cq_shadow), IB_ACCESS_LOCAL_WRITE);
	shadow = irdma_get_q_mem(cq->uctx, IRDMA_MEMREG_TYPE_CQ, umem, va, &pages);
	if (IS_ERR(shadow))
		return PTR_ERR(shadow);
	cq->shadow = shadow;
	if (!irdma_map_page(&shadow->map, 0, &pa))
		return -EINVAL;
	cq->args.shadow_addr = pa;
	return 0;
}

/**
 * irdma_cq_free_rsrc - give back the memory of a CQ
 * @cq: CQ that the device does not know, made in part or in whole
 *
 * A user's ring memory can be used by another queue, or deregistered, again.
 *
 * Context: Process context; may sleep.
 */
static void irdma_cq_free_rsrc(struct irdma_cq *cq)
{
	if (cq->uctx) {
		mutex_destroy(&cq->resize_lock);
		irdma_put_pbl(cq->uctx, cq->shadow);
		irdma_put_pbl(cq->uctx, cq->ring);
	} else {
		irdma_dma_free(irdma_cq_dev(cq), &cq->mem);
	}
}

/**
 * irdma_create_user_cq - CQ of a user
 * @ib: CQ to initialise
 * @attr: entries of the ring as the user computed them, and the completion vector
 * @attrs: attributes of the call: the core's of the ring and the driver's of the shadow
 *	area; struct irdma_create_cq_req in, struct irdma_create_cq_resp out
 *
 * Context: Process context; may sleep.
 * Return: 0; -EINVAL for more entries than the device or the ring's memory has, memory by
 * both roads, or a response without room; -EOPNOTSUPP for an unknown flag; -EPROTO when
 * ring or shadow area were not registered; -ENOMEM; -EFAULT; what pinning an attribute's
 * memory returns; errnos of the command queue.
 */
static int irdma_create_user_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr,
				struct uverbs_attr_bundle *attrs)
{
	struct irdma_dev *dev = to_irdma_ibdev(ib->device)->dev;
	struct ib_udata *udata = &attrs->driver_udata;
	struct irdma_create_cq_resp resp = {};
	struct irdma_cq *cq = to_irdma_cq(ib);
	struct irdma_create_cq_req req;
	u32 entries;
	int err;

	if (attr->flags & ~IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION)
		return -EOPNOTSUPP;
	if (udata->outlen < sizeof(resp))
		return -EINVAL;
	err = irdma_cq_depth_user(attr->cqe, dev->gen->limits.cq_entries_max, &entries);
	if (!err)
		err = ib_copy_validate_udata_in(udata, req, user_shadow_area);
	if (err)
		return err;

	cq->uctx = rdma_udata_to_drv_context(udata, struct irdma_uctx, ib);
	mutex_init(&cq->resize_lock);
	irdma_cq_fill_args(cq, attr, entries);
	err = irdma_cq_get_ring(cq, req.user_cq_buf, attrs);
	if (!err)
		err = irdma_cq_get_shadow(cq, req.user_shadow_area, attrs);
	if (!err)
		err = irdma_cq_program(cq);
	if (err)
		goto err_free;
	resp.cq_id = cq->args.id;
	resp.cq_size = entries;
	err = ib_respond_udata(udata, resp);
	if (err)
		goto err_unprogram;
	err = irdma_cq_publish(cq);
	if (err)
		goto err_unprogram;
	return 0;

err_unprogram:
	irdma_life_forfeit(dev, irdma_cq_unprogram(cq));
err_free:
	irdma_cq_free_rsrc(cq);
	return err;
}

/**
 * irdma_create_cq - CQ of a kernel consumer
 * @ib: CQ to initialise
 * @attr: entries and completion vector
 * @attrs: NULL
 *
 * Context: Process context; may sleep.
 * Return: 0; -EINVAL for more entries than the device has; -EOPNOTSUPP for a flag;
 * -ENOMEM; errnos of the command queue.
 */
static int irdma_create_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr,
			   struct uverbs_attr_bundle *attrs)
{
	struct irdma_dev *dev = to_irdma_ibdev(ib->device)->dev;
	struct irdma_cq *cq = to_irdma_cq(ib);
	u32 entries, bytes;
	int err;

	if (attr->flags)
		return -EOPNOTSUPP;
	err = irdma_cq_depth_kernel(attr->cqe, dev->gen->limits.cq_entries_max, IRDMA_RING_CQ64,
				    &entries);
	if (err)
		return err;
	bytes = irdma_ring_bytes(IRDMA_RING_CQ64, entries);
	spin_lock_init(&cq->lock);
	err = irdma_cons_init(&cq->cons, entries);
	if (!err)
		err = irdma_dma_alloc(dev, &cq->mem, bytes + sizeof(struct irdma_cq_shadow));
	if (err)
		return err;
	irdma_cq_fill_args(cq, attr, entries);
	cq->args.ring.addr = cq->mem.pa;
	cq->args.shadow_addr = cq->mem.pa + bytes;
	err = irdma_cq_program(cq);
	if (err)
		goto err_free;
	err = irdma_cq_publish(cq);
	if (err)
		goto err_unprogram;
	return 0;

err_unprogram:
	irdma_life_forfeit(dev, irdma_cq_unprogram(cq));
err_free:
	irdma_cq_free_rsrc(cq);
	return err;
}

/**
 * irdma_resize_cq - move a user CQ to a ring of another size
 * @ib: CQ
 * @cqe: entries of the new ring, as the user computed them
 * @udata: struct irdma_resize_cq_req in, nothing out
 *
 * The user goes on reading the old ring to its end. The old ring is free to be
 * deregistered afterwards: the device does not write it any more.
 *
 * Context: Process context; may sleep.
 * Return: 0; -EINVAL for more entries than the device or the registered memory has;
 * -EPROTO when the new ring was not registered; -EFAULT; errnos of the command queue. The
 * CQ is as it was then.
 */
static int irdma_resize_cq(struct ib_cq *ib, unsigned int cqe, struct ib_udata *udata)
{
	struct irdma_dev *dev = to_irdma_ibdev(ib->device)->dev;
	struct irdma_cq *cq = to_irdma_cq(ib);
	struct irdma_cqp_cq_args args;
	struct irdma_resize_cq_req req;
	struct irdma_mr *ring;
	u32 entries;
	int err;

	err = irdma_cq_depth_user(cqe, dev->gen->limits.cq_entries_max, &entries);
	if (!err)
		err = ib_copy_validate_udata_in(udata, req, user_cq_buffer);
	if (!err)
		err = ib_respond_empty_udata(udata);
	if (err)
		return err;
	ring = irdma_get_pbl(cq->uctx, IRDMA_MEMREG_TYPE_CQ, req.user_cq_buffer);
	if (!ring)
		return -EPROTO;
	guard(mutex)(&cq->resize_lock);
	args = cq->args;
	err = irdma_cq_set_ring(&args, ring, entries);
	if (!err)
		err = irdma_cmd_resize_cq(dev, &args);
	if (err) {
		irdma_put_pbl(cq->uctx, ring);
		return err;
	}
	irdma_put_pbl(cq->uctx, cq->ring);
	cq->ring = ring;
	cq->args = args;
	ib->cqe = args.entries;
	return 0;
}

/**
 * irdma_destroy_cq - destroy a CQ
 * @ib: CQ that no QP uses
 * @udata: nothing in, nothing out; NULL for a kernel consumer
 *
 * Context: Process context; may sleep. No completion handler runs when it returns.
 * Return: 0; -EIO when a live device refuses, the CQ is whole then; -EOPNOTSUPP for data
 * from the user.
 */
static int irdma_destroy_cq(struct ib_cq *ib, struct ib_udata *udata)
{
	struct irdma_cq *cq = to_irdma_cq(ib);
	int err;

	err = ib_no_udata_io(udata);
	if (!err)
		err = irdma_cq_unprogram(cq);
	if (err)
		return err;
	irdma_cq_free_rsrc(cq);
	return 0;
}

ADD_UVERBS_ATTRIBUTES_SIMPLE(irdma_cq_create_attrs, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE,
			     UVERBS_ATTR_UMEM(IRDMA_ATTR_CREATE_CQ_SHADOW_UMEM, UA_OPTIONAL));

const struct uapi_definition irdma_cq_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_CQ, &irdma_cq_create_attrs),
	{}
};

/**
 * irdma_cq_reap - let the device forget a CQ whose process has ended
 * @object: the core's CQ
 * @batch: a command is added
 *
 * Context: Process context.
 * Return: false when the device does not know the CQ.
 */
bool irdma_cq_reap(void *object, struct irdma_batch *batch)
{
	struct irdma_cq *cq = to_irdma_cq(object);

	if (cq->reaped)
		return false;
	irdma_cqp_enc_destroy_cq(irdma_batch_add(batch), &irdma_cq_dev(cq)->layout, &cq->args);
	return true;
}

/**
 * irdma_cq_reaped - the command of irdma_cq_reap() has ended
 * @object: the core's CQ
 * @err: how it ended; a CQ that is refused is whole
 *
 * Context: Process context; may sleep.
 */
void irdma_cq_reaped(void *object, int err)
{
	struct irdma_cq *cq = to_irdma_cq(object);

	cq->reaped = !irdma_life_destroy_err(irdma_cq_dev(cq), err);
}

const struct ib_device_ops irdma_cq_ops = {
	.create_cq = irdma_create_cq,
	.create_user_cq = irdma_create_user_cq,
	.destroy_cq = irdma_destroy_cq,
	.resize_user_cq = irdma_resize_cq,

	INIT_RDMA_OBJ_SIZE(ib_cq, irdma_cq, ib),
};
