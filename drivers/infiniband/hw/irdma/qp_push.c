// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The push page of a user QP, from its way to RTS until it is destroyed.
 *
 * Lock order: irdma_qp.lock, then that of irdma_dev.pushes.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/err.h>
#include <rdma/ib_verbs.h>
#include <rdma/irdma-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "dev.h"
#include "push.h"
#include "qp.h"
#include "qp_push.h"
#include "uctx.h"
#include "verbs.h"

/* Offers the window and its doorbell page to the user. */
static int irdma_qp_map_push(struct irdma_qp *qp, struct irdma_push *push)
{
	u64 window = irdma_push_offset(push);
	struct rdma_user_mmap_entry *wqe, *db;

	wqe = irdma_mmap_insert(qp->uctx, window, push, true);
	if (IS_ERR(wqe))
		return PTR_ERR(wqe);
	db = irdma_mmap_insert(qp->uctx, window + PAGE_SIZE, push, false);
	if (IS_ERR(db)) {
		rdma_user_mmap_entry_remove(wqe);
		return PTR_ERR(db);
	}
	qp->push_wqe = wqe;
	qp->push_db = db;
	return 0;
}

/**
 * irdma_qp_begin_push_locked - give a user QP a push page if there is one
 * @qp: QP on its way to RTS; does without when there is none
 *
 * The page comes into force with the next context that the device takes.
 *
 * Context: Process context; may sleep. Called with @qp->lock held.
 */
void irdma_qp_begin_push_locked(struct irdma_qp *qp)
{
	struct irdma_push *push;

	lockdep_assert_held(&qp->lock);
	if (qp->push)
		return;
	push = irdma_alloc_push_page(qp->ibdev->dev, qp->ctx.qset);
	if (!push)
		return;
	if (irdma_qp_map_push(qp, push)) {
		irdma_push_put(push);
		return;
	}
	qp->push = push;
	qp->ctx.push_idx = push->idx;
	qp->ctx.use_push = true;
}

/**
 * irdma_qp_respond_push_locked - tell the user where the push page is mapped
 * @qp: QP
 * @udata: struct irdma_modify_qp_resp out
 *
 * Context: Process context. Called with @qp->lock held.
 * Return: 0; -EFAULT.
 */
int irdma_qp_respond_push_locked(struct irdma_qp *qp, struct ib_udata *udata)
{
	struct irdma_modify_qp_resp resp = {};

	lockdep_assert_held(&qp->lock);
	if (qp->push) {
		resp.push_valid = 1;
		resp.push_wqe_mmap_key = rdma_user_mmap_get_offset(qp->push_wqe);
		resp.push_db_mmap_key = rdma_user_mmap_get_offset(qp->push_db);
	}
	return ib_respond_udata(udata, resp);
}

/**
 * irdma_qp_end_push - a QP pushes no more
 * @qp: QP that the device has forgotten; with or without a push page
 *
 * The page is free for another QP when the user's mappings are gone as well.
 *
 * Context: Process context.
 */
void irdma_qp_end_push(struct irdma_qp *qp)
{
	if (!qp->push)
		return;
	rdma_user_mmap_entry_remove(qp->push_wqe);
	rdma_user_mmap_entry_remove(qp->push_db);
	irdma_push_put(qp->push);
	qp->push = NULL;
}
