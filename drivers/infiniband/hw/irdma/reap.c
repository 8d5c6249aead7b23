// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a process left when it ended: the device forgets all of it in one go.
 *
 * The core destroys object by object, and would wait for the device each time. Before
 * it begins, the commands for all objects are posted one behind the other, as far as
 * the control queue has room, and are waited for afterwards. An object that the device
 * refused to forget stays whole; the core's own call tries again.
 *
 * Users go before what they use. CQs and SRQs go when no QP is left: one that is in a
 * group, or that was refused, still needs them.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_std_types.h>
#include <rdma/uverbs_types.h>

#include "ah.h"
#include "cq.h"
#include "cqp_cmd.h"
#include "dev.h"
#include "mr.h"
#include "mw.h"
#include "qp.h"
#include "reap.h"
#include "srq.h"
#include "uctx.h"
#include "verbs.h"

/**
 * struct irdma_reap_kind - how objects of a kind are forgotten
 * @id: UVERBS_OBJECT_*
 * @begin: encodes what makes the device forget the core's object; false: it knows none
 * @end: the last of these commands ended with an errno
 */
struct irdma_reap_kind {
	u32 id;
	bool (*begin)(void *object, struct irdma_batch *batch);
	void (*end)(void *object, int err);
};

static const struct irdma_reap_kind irdma_reap_users[] = {
	{ UVERBS_OBJECT_QP, irdma_qp_reap, irdma_qp_reaped },
	{ UVERBS_OBJECT_AH, irdma_ah_reap, irdma_ah_reaped },
	{ UVERBS_OBJECT_MW, irdma_mw_reap, irdma_mw_reaped },
	{ UVERBS_OBJECT_MR, irdma_mr_reap, irdma_mr_reaped },
};

static const struct irdma_reap_kind irdma_reap_queues[] = {
	{ UVERBS_OBJECT_SRQ, irdma_srq_reap, irdma_srq_reaped },
	{ UVERBS_OBJECT_CQ, irdma_cq_reap, irdma_cq_reaped },
};

/* An object whose commands were posted. */
struct irdma_reaping {
	const struct irdma_reap_kind *kind;
	void *object;
	struct irdma_cqp_req *last;
};

static bool irdma_reap_begin(struct irdma_dev *dev, const struct irdma_reap_kind *kind,
			     void *object, struct irdma_reaping *reaping)
{
	struct irdma_batch batch = {};
	int err;

	if (!kind->begin(object, &batch))
		return false;
	err = irdma_batch_post(dev, &batch, &reaping->last);
	if (err) {
		kind->end(object, err);
		return false;
	}
	reaping->kind = kind;
	reaping->object = object;
	return true;
}

static void irdma_reap_end(struct irdma_dev *dev, struct irdma_reaping *reaping)
{
	reaping->kind->end(reaping->object, irdma_cqp_wait(&dev->cqp, reaping->last));
	irdma_cqp_req_put(reaping->last);
}

/* Objects of @cnt kinds, in this order; @reaping has room for all. */
static void irdma_reap(struct irdma_dev *dev, struct ib_uverbs_file *ufile,
		       const struct irdma_reap_kind *kinds, size_t cnt,
		       struct irdma_reaping *reaping)
{
	struct ib_uobject *uobj;
	size_t begun = 0;

	for (size_t i = 0; i < cnt; i++)
		list_for_each_entry(uobj, &ufile->uobjects, list)
			if (uobj->object && uobj_get_object_id(uobj) == kinds[i].id)
				begun += irdma_reap_begin(dev, &kinds[i], uobj->object,
							  &reaping[begun]);
	for (size_t i = 0; i < begun; i++)
		irdma_reap_end(dev, &reaping[i]);
}

static bool irdma_reap_left_qp(struct ib_uverbs_file *ufile)
{
	struct ib_uobject *uobj;

	list_for_each_entry(uobj, &ufile->uobjects, list)
		if (uobj->object && uobj_get_object_id(uobj) == UVERBS_OBJECT_QP &&
		    to_irdma_qp(uobj->object)->hw_state != IRDMA_HW_QPS_INVALID)
			return true;
	return false;
}

/* Nobody else uses the objects: the core holds hw_destroy_rwsem for writing. */
static void irdma_ufile_hw_cleanup(struct ib_uverbs_file *ufile)
{
	struct irdma_dev *dev = to_irdma_ibdev(ufile->ucontext->device)->dev;
	struct irdma_uctx *uctx = to_irdma_uctx(ufile->ucontext);
	size_t room = list_count_nodes(&ufile->uobjects);
	struct irdma_reaping *reaping = kvmalloc_objs(*reaping, room);

	if (reaping) {
		irdma_reap(dev, ufile, irdma_reap_users, ARRAY_SIZE(irdma_reap_users), reaping);
		if (!irdma_reap_left_qp(ufile))
			irdma_reap(dev, ufile, irdma_reap_queues, ARRAY_SIZE(irdma_reap_queues),
				   reaping);
	}
	/*
	 * Without memory the core destroys everything in its own order first, a region
	 * perhaps before its windows, and comes back for what was refused.
	 */
	uctx->closing = reaping || uctx->swept;
	uctx->swept = true;
	kvfree(reaping);
}

const struct ib_device_ops irdma_reap_ops = {
	.ufile_hw_cleanup = irdma_ufile_hw_cleanup,
};
