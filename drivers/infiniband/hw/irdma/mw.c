// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows, of type 1 and 2B.
 *
 * The driver reserves the key; binding and invalidating is done by work requests.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include "cqp_cmd.h"
#include "dev.h"
#include "mr.h"
#include "mw.h"
#include "uctx.h"
#include "verbs.h"

/**
 * irdma_hw_alloc_mw - make a key that of a window
 * @mw: window whose type and domain are known
 * @stag: key, which the device does not know
 *
 * The window has its key only once the device knows it.
 *
 * Context: Process context; may sleep.
 * Return: 0; errnos of the command queue, the key stays the caller's then.
 */
static int irdma_hw_alloc_mw(struct ib_mw *mw, u32 stag)
{
	struct irdma_dev *dev = to_irdma_ibdev(mw->device)->dev;
	int err;

	err = irdma_cmd_alloc_mw(dev, stag, to_irdma_pd(mw->pd)->id, mw->type == IB_MW_TYPE_1);
	if (err)
		return err;
	mw->rkey = stag;
	to_irdma_mw(mw)->live = true;
	return 0;
}

/**
 * irdma_alloc_mw - reserve a memory window
 * @mw: window to initialise
 * @udata: nothing in, nothing out
 *
 * Context: Process context; may sleep.
 * Return: 0; -EOPNOTSUPP for data from the user; -ENOMEM when all keys are taken; errnos
 * of the command queue.
 */
static int irdma_alloc_mw(struct ib_mw *mw, struct ib_udata *udata)
{
	struct irdma_dev *dev = to_irdma_ibdev(mw->device)->dev;
	u32 stag;
	int err;

	err = ib_no_udata_io(udata);
	if (!err)
		err = irdma_create_stag(dev, &stag);
	if (err)
		return err;
	err = irdma_hw_alloc_mw(mw, stag);
	if (err)
		irdma_free_stag(dev, stag);
	return err;
}

/**
 * irdma_dealloc_mw - give a memory window back
 * @mw: window, bound or not
 *
 * Context: Process context; may sleep.
 * Return: 0; -EIO when a live device refuses, the window is whole then.
 */
static int irdma_dealloc_mw(struct ib_mw *mw)
{
	struct irdma_dev *dev = to_irdma_ibdev(mw->device)->dev;
	int err;

	if (to_irdma_mw(mw)->live) {
		err = irdma_cmd_dealloc_stag(dev, mw->rkey, to_irdma_pd(mw->pd)->id, false);
		err = irdma_uctx_destroy_err(dev, to_irdma_uctx(mw->uobject->context), err);
		if (err)
			return err;
	}
	irdma_free_stag(dev, mw->rkey);
	return 0;
}

/**
 * irdma_mw_reap - let the device forget a window whose process has ended
 * @object: the core's window
 * @batch: a command is added
 *
 * Context: Process context.
 * Return: false when the device does not know the window.
 */
bool irdma_mw_reap(void *object, struct irdma_batch *batch)
{
	struct ib_mw *mw = object;

	if (!to_irdma_mw(mw)->live)
		return false;
	irdma_cqp_enc_dealloc_stag(irdma_batch_add(batch),
				   &to_irdma_ibdev(mw->device)->dev->layout, mw->rkey,
				   to_irdma_pd(mw->pd)->id, false);
	return true;
}

/**
 * irdma_mw_reaped - the command of irdma_mw_reap() has ended
 * @object: the core's window
 * @err: how it ended; a window that is refused is whole
 *
 * Context: Process context; may sleep.
 */
void irdma_mw_reaped(void *object, int err)
{
	struct ib_mw *mw = object;

	to_irdma_mw(mw)->live = irdma_life_destroy_err(to_irdma_ibdev(mw->device)->dev, err);
}

const struct ib_device_ops irdma_mw_ops = {
	.alloc_mw = irdma_alloc_mw,
	.dealloc_mw = irdma_dealloc_mw,

	INIT_RDMA_OBJ_SIZE(ib_mw, irdma_mw, ib),
};
