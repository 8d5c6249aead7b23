// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * User contexts, the pages that they map, and protection domains.
 *
 * All contexts map the same doorbell page: any of them can ring any QP and arm any
 * CQ of the function. Neither moves data that the owner did not post; a spurious
 * doorbell makes the device look into a ring and find nothing.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include "dev.h"
#include "uctx.h"
#include "verbs.h"

/* Versions of the ABI that a user may speak. */
#define IRDMA_ABI_VER_MIN	4

/**
 * irdma_uctx_destroy_err - what the failure of a destroying command means to a user's object
 * @dev: device
 * @uctx: user context; NULL for a kernel consumer
 * @err: how the command ended
 *
 * A device that runs and refuses keeps the object, unless the process has ended: then
 * nobody would try again, and the function is given up.
 *
 * Context: Process context; may sleep.
 * Return: 0 when the object is to be freed; -EIO when it has to stay.
 */
int irdma_uctx_destroy_err(struct irdma_dev *dev, const struct irdma_uctx *uctx, int err)
{
	err = irdma_life_destroy_err(dev, err);
	if (!err || !uctx || !uctx->closing)
		return err;
	irdma_life_forfeit(dev, err);
	return 0;
}

/**
 * irdma_mmap_insert - offer a BAR page to a user context
 * @uctx: context
 * @offset: of the page in BAR 0
 * @push: push page that it is a part of, which is held until the last mapping is gone;
 *	or NULL
 * @wc: write-combining
 *
 * rdma_user_mmap_entry_remove() takes it back.
 *
 * Context: Process context; may sleep.
 * Return: entry or ERR_PTR().
 */
struct rdma_user_mmap_entry *irdma_mmap_insert(struct irdma_uctx *uctx, u64 offset,
					       struct irdma_push *push, bool wc)
{
	struct irdma_dev *dev = to_irdma_ibdev(uctx->ib.device)->dev;
	struct irdma_mmap *entry = kzalloc_obj(*entry);
	int err;

	if (!entry)
		return ERR_PTR(-ENOMEM);
	entry->phys = pci_resource_start(dev->pdev, 0) + offset;
	entry->push = push;
	entry->wc = wc;
	err = rdma_user_mmap_entry_insert(&uctx->ib, &entry->rdma, PAGE_SIZE);
	if (err) {
		kfree(entry);
		return ERR_PTR(err);
	}
	if (push)
		irdma_push_hold(push);
	return &entry->rdma;
}

static void irdma_mmap_free(struct rdma_user_mmap_entry *rdma)
{
	struct irdma_mmap *entry = container_of(rdma, struct irdma_mmap, rdma);

	irdma_push_put(entry->push);
	kfree(entry);
}

/**
 * irdma_mmap - map a doorbell or push page
 * @context: user context
 * @vma: exactly one page at an offset that the driver gave out
 *
 * Context: Process context.
 * Return: 0; -EINVAL for an offset that was not given to this context or another length.
 */
static int irdma_mmap(struct ib_ucontext *context, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *rdma = rdma_user_mmap_entry_get(context, vma);
	struct irdma_mmap *entry;
	pgprot_t prot;
	int err;

	if (!rdma)
		return -EINVAL;
	entry = container_of(rdma, struct irdma_mmap, rdma);
	prot = entry->wc ? pgprot_writecombine(vma->vm_page_prot) :
			   pgprot_noncached(vma->vm_page_prot);
	err = rdma_user_mmap_io(context, vma, PHYS_PFN(entry->phys), PAGE_SIZE, prot, rdma);
	rdma_user_mmap_entry_put(rdma);
	return err;
}

static void irdma_uctx_fill_resp(struct irdma_dev *dev, struct irdma_uctx *uctx,
				 struct irdma_alloc_ucontext_resp *resp)
{
	const struct irdma_limits *limits = &dev->gen->limits;

	*resp = (struct irdma_alloc_ucontext_resp){
		.kernel_ver = IRDMA_ABI_VER,
		.feature_flags = dev->caps,
		.db_mmap_key = rdma_user_mmap_get_offset(uctx->db),
		.max_hw_wq_frags = limits->wq_frags_max,
		.max_hw_read_sges = limits->read_frags_max,
		.max_hw_inline = limits->inline_bytes_max,
		.max_hw_rq_quanta = limits->rq_quanta_max,
		.max_hw_wq_quanta = limits->sq_quanta_max,
		.min_hw_cq_size = limits->cq_entries_min,
		.max_hw_cq_size = limits->cq_entries_max,
		.max_hw_sq_chunk = limits->sq_chunk_quanta,
		.hw_rev = dev->gen->hw_rev,
		.comp_mask = IRDMA_ALLOC_UCTX_USE_RAW_ATTR | IRDMA_ALLOC_UCTX_MIN_HW_WQ_SIZE |
			     IRDMA_ALLOC_UCTX_MAX_HW_SRQ_QUANTA | IRDMA_ALLOC_UCTX_BUF_UMEM,
		.min_hw_wq_size = limits->wq_wqes_min,
		.max_hw_srq_quanta = limits->srq_quanta_max,
	};
}

/**
 * irdma_alloc_ucontext - open the device for a process
 * @context: context to initialise
 * @udata: struct irdma_alloc_ucontext_req in, struct irdma_alloc_ucontext_resp out
 *
 * The user must know the WQE format of the device (SUPPORT_WQE_FORMAT_V2 from
 * generation 3 on).
 *
 * Context: Process context; may sleep.
 * Return: 0; -EINVAL for an unknown ABI version or a response without room;
 * -EOPNOTSUPP for an unknown comp_mask bit, the legacy response or an old WQE format;
 * -ENOMEM; -EFAULT.
 */
static int irdma_alloc_ucontext(struct ib_ucontext *context, struct ib_udata *udata)
{
	struct irdma_dev *dev = to_irdma_ibdev(context->device)->dev;
	struct irdma_uctx *uctx = to_irdma_uctx(context);
	struct irdma_alloc_ucontext_resp resp;
	struct irdma_alloc_ucontext_req req;
	const size_t legacy = offsetofend(struct irdma_alloc_ucontext_resp, rsvd);
	int err;

	if (udata->outlen < legacy)
		return -EINVAL;
	if (udata->outlen == legacy)
		return -EOPNOTSUPP;
	err = ib_copy_validate_udata_in_cm(udata, req, rsvd8,
					   IRDMA_ALLOC_UCTX_USE_RAW_ATTR |
					   IRDMA_SUPPORT_WQE_FORMAT_V2);
	if (err)
		return err;
	if (req.userspace_ver < IRDMA_ABI_VER_MIN || req.userspace_ver > IRDMA_ABI_VER)
		return -EINVAL;
	if (!(req.comp_mask & IRDMA_SUPPORT_WQE_FORMAT_V2))
		return -EOPNOTSUPP;

	uctx->raw_attr = req.comp_mask & IRDMA_ALLOC_UCTX_USE_RAW_ATTR;
	spin_lock_init(&uctx->lock);
	for (int i = 0; i < ARRAY_SIZE(uctx->rings); i++)
		INIT_LIST_HEAD(&uctx->rings[i]);
	uctx->db = irdma_mmap_insert(uctx, dev->db_page_offset, NULL, false);
	if (IS_ERR(uctx->db))
		return PTR_ERR(uctx->db);
	irdma_uctx_fill_resp(dev, uctx, &resp);
	err = ib_respond_udata(udata, resp);
	if (err)
		rdma_user_mmap_entry_remove(uctx->db);
	return err;
}

/**
 * irdma_dealloc_ucontext - close the device for a process
 * @context: context whose objects are gone
 *
 * Context: Process context; may sleep.
 */
static void irdma_dealloc_ucontext(struct ib_ucontext *context)
{
	rdma_user_mmap_entry_remove(to_irdma_uctx(context)->db);
	ibdev_dbg(context->device, "user context closed\n");
}

/**
 * irdma_disassociate_ucontext - the device goes away under an open context
 * @context: user context
 *
 * The core has destroyed the objects and taken the mappings away. The offset of the
 * doorbell page dies here, whatever the process still holds. That the callback exists is
 * what lets the core go on without waiting for the process.
 *
 * Context: Process context; may sleep.
 */
static void irdma_disassociate_ucontext(struct ib_ucontext *context)
{
	struct irdma_uctx *uctx = to_irdma_uctx(context);

	rdma_user_mmap_entry_remove(uctx->db);
	uctx->db = NULL;
	ibdev_dbg(context->device, "user context cut off\n");
}

/**
 * irdma_alloc_pd - protection domain
 * @pd: domain to initialise
 * @udata: struct irdma_alloc_pd_resp out; NULL for a kernel consumer
 *
 * Context: Process context; may sleep.
 * Return: 0; -EINVAL for a response without room; -ENOMEM when all numbers are taken.
 */
static int irdma_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	struct irdma_dev *dev = to_irdma_ibdev(pd->device)->dev;
	struct irdma_alloc_pd_resp resp = {};
	struct irdma_pd *ipd = to_irdma_pd(pd);
	int err;

	if (udata) {
		if (udata->outlen < offsetofend(struct irdma_alloc_pd_resp, rsvd))
			return -EINVAL;
		err = ib_is_udata_in_empty(udata);
		if (err)
			return err;
	}
	err = irdma_idmap_alloc(&dev->pd_ids, &ipd->id);
	if (err || !udata)
		return err;
	resp.pd_id = ipd->id;
	err = ib_respond_udata(udata, resp);
	if (err)
		irdma_idmap_free(&dev->pd_ids, ipd->id);
	return err;
}

/**
 * irdma_dealloc_pd - undo irdma_alloc_pd()
 * @pd: domain that nothing uses
 * @udata: nothing in, nothing out
 *
 * Context: Process context.
 * Return: 0; -EOPNOTSUPP for data from the user.
 */
static int irdma_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	struct irdma_dev *dev = to_irdma_ibdev(pd->device)->dev;
	int err = ib_no_udata_io(udata);

	if (err)
		return err;
	irdma_idmap_free(&dev->pd_ids, to_irdma_pd(pd)->id);
	return 0;
}

const struct ib_device_ops irdma_uctx_ops = {
	.alloc_pd = irdma_alloc_pd,
	.alloc_ucontext = irdma_alloc_ucontext,
	.dealloc_pd = irdma_dealloc_pd,
	.dealloc_ucontext = irdma_dealloc_ucontext,
	.disassociate_ucontext = irdma_disassociate_ucontext,
	.mmap = irdma_mmap,
	.mmap_free = irdma_mmap_free,

	INIT_RDMA_OBJ_SIZE(ib_pd, irdma_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, irdma_uctx, ib),
};
