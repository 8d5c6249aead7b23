/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_CQ_H
#define IRDMA_CQ_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include "cqp_wqe.h"
#include "dma.h"
#include "objref.h"
#include "ring.h"

struct irdma_aeqe;
struct irdma_batch;
struct irdma_dev;
struct irdma_mr;
struct irdma_uctx;

/**
 * struct irdma_cq - completion queue
 * @ib: what the core knows
 * @ref: users that found the CQ by its id
 * @args: the CQ as the device knows it
 * @reaped: the device has forgotten the CQ, whose process has ended
 * @uctx: user CQ: its context; NULL for a kernel CQ
 * @resize_lock: user CQ: guards @ring and what @args says of it, since users may resize a
 *	CQ in parallel. Held across a command. Outside irdma_cqp.lock
 * @ring: user CQ: memory of the ring
 * @shadow: user CQ: memory of the shadow area
 * @lock: kernel CQ: guards the rest; taken in any context, interrupts off. Outside
 *	irdma_qp.sq_lock and irdma_qp.rq_lock
 * @mem: kernel CQ: ring, followed by the shadow area
 * @cons: kernel CQ: read state
 */
struct irdma_cq {
	struct ib_cq ib;
	struct irdma_objref ref;
	struct irdma_cqp_cq_args args;
	bool reaped;
	struct irdma_uctx *uctx;
	struct mutex resize_lock; /* guards: ring, args; process context */
	struct irdma_mr *ring;
	struct irdma_mr *shadow;
	spinlock_t lock; /* guards: cons, ring, arm word; any context */
	struct irdma_dma mem;
	struct irdma_cons cons;
};

static inline struct irdma_cq *to_irdma_cq(struct ib_cq *ib)
{
	return container_of(ib, struct irdma_cq, ib);
}

/* CQ of a table entry; NULL stays NULL. */
static inline struct irdma_cq *irdma_cq_of(struct irdma_objref *ref)
{
	return ref ? container_of(ref, struct irdma_cq, ref) : NULL;
}

extern const struct ib_device_ops irdma_cq_ops;
extern const struct uapi_definition irdma_cq_defs[];

bool irdma_cq_reap(void *object, struct irdma_batch *batch);
void irdma_cq_reaped(void *object, int err);
void irdma_cq_event(struct irdma_dev *dev, u32 cq_id);
void irdma_cq_error(struct irdma_dev *dev, const struct irdma_aeqe *aeqe);

#endif /* IRDMA_CQ_H */
