/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_SRQ_H
#define IRDMA_SRQ_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "cqp_wqe.h"
#include "objref.h"

struct irdma_aeqe;
struct irdma_batch;
struct irdma_dev;
struct irdma_mr;
struct irdma_uctx;

/**
 * struct irdma_srq - shared receive queue of a user
 * @ib: what the core knows
 * @ref: users that found the SRQ by its id
 * @lock: guards @args.limit; taken in process context, held across commands about this SRQ
 * @args: the SRQ as the device knows it; @args.limit is 0 while no event is armed
 * @reaped: the device has forgotten the SRQ, whose process has ended
 * @uctx: user context
 * @ring: memory of the ring and of the shadow area
 * @wr_cnt: work requests that it takes
 * @sge_cnt: fragments of a work request
 */
struct irdma_srq {
	struct ib_srq ib;
	struct irdma_objref ref;
	struct mutex lock; /* guards: limit; process context */
	struct irdma_cqp_srq_args args;
	bool reaped;
	struct irdma_uctx *uctx;
	struct irdma_mr *ring;
	u32 wr_cnt;
	u32 sge_cnt;
};

static inline struct irdma_srq *to_irdma_srq(struct ib_srq *ib)
{
	return container_of(ib, struct irdma_srq, ib);
}

/* SRQ of a table entry; NULL stays NULL. */
static inline struct irdma_srq *irdma_srq_of(struct irdma_objref *ref)
{
	return ref ? container_of(ref, struct irdma_srq, ref) : NULL;
}

extern const struct ib_device_ops irdma_srq_ops;

bool irdma_srq_reap(void *object, struct irdma_batch *batch);
void irdma_srq_reaped(void *object, int err);
void irdma_srq_event(struct irdma_dev *dev, const struct irdma_aeqe *aeqe,
		     enum ib_event_type ib_event);

#endif /* IRDMA_SRQ_H */
