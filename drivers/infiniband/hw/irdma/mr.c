// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions, and the memory of user queues that is registered before them.
 *
 * A region's key is known to the device from the register command until the
 * deallocate command has succeeded; pinned pages and page list outlive it. A
 * failed deregistration leaves the region whole.
 *
 * Ring memory has no key. Registered beforehand, it waits in its context's list until
 * a create command names its address, is used by that queue alone, and cannot be
 * deregistered meanwhile. Memory that comes with the create command is the queue's.
 *
 * Lock order: irdma_uctx.lock is innermost.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/random.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include <rdma/uverbs_ioctl.h>

#include "cqp_cmd.h"
#include "dev.h"
#include "mr.h"
#include "mr_access.h"
#include "trace.h"
#include "uctx.h"
#include "verbs.h"

/* Bits of a key's index that the device looks at, at least. */
#define IRDMA_STAG_INDEX_BITS_MIN	14
#define IRDMA_STAG_INDEX_BITS		24
#define IRDMA_STAG_KEY_BITS		8

static unsigned int irdma_stag_index_bits(const struct irdma_dev *dev)
{
	return max(IRDMA_STAG_INDEX_BITS_MIN, order_base_2(dev->mr_ids.limit));
}

/**
 * irdma_create_stag - a key that cannot be guessed
 * @dev: device
 * @stag: set on success: index of a free slot, random bits above it, random low byte
 *
 * Slots are used in turn, so that a key does not come back soon.
 *
 * Context: Any context.
 * Return: 0; -ENOMEM when all slots are taken.
 */
int irdma_create_stag(struct irdma_dev *dev, u32 *stag)
{
	u32 index, random = get_random_u32();
	int err;

	err = irdma_idmap_alloc(&dev->mr_ids, &index);
	if (err)
		return err;
	index |= (random >> IRDMA_STAG_KEY_BITS << irdma_stag_index_bits(dev)) &
		 GENMASK(IRDMA_STAG_INDEX_BITS - 1, 0);
	*stag = index << IRDMA_STAG_KEY_BITS | (random & GENMASK(IRDMA_STAG_KEY_BITS - 1, 0));
	return 0;
}

/**
 * irdma_free_stag - undo irdma_create_stag()
 * @dev: device; it does not know the key
 * @stag: key
 *
 * Context: Any context.
 */
void irdma_free_stag(struct irdma_dev *dev, u32 stag)
{
	u32 index = stag >> IRDMA_STAG_KEY_BITS;

	irdma_idmap_free(&dev->mr_ids, index & GENMASK(irdma_stag_index_bits(dev) - 1, 0));
}

static struct irdma_dev *irdma_mr_dev(const struct irdma_mr *mr)
{
	return to_irdma_ibdev(mr->ib.device)->dev;
}

/**
 * irdma_hwreg_mr - make a region known to the device
 * @mr: region with a key that the device does not know; its memory is mapped
 * @pd: protection domain that the key is to belong to
 * @virt: address of the first byte, as the peer counts
 * @len: bytes; 0: all of memory
 * @access: IB_ACCESS_* mask
 *
 * The one place where that happens. The region's keys and rights are set when the device
 * has accepted them.
 *
 * Context: Process context; may sleep.
 * Return: 0; -EINVAL for rights that exclude each other; -EOPNOTSUPP for a right that the
 * device has not; errnos of the command queue. The key is dead then.
 */
static int irdma_hwreg_mr(struct irdma_mr *mr, struct ib_pd *pd, u64 virt, u64 len, int access)
{
	struct irdma_dev *dev = irdma_mr_dev(mr);
	struct irdma_cqp_mr_args args = {
		.mem = irdma_map_ref(&mr->map),
		.va = virt,
		.len_bytes = len,
		.stag = mr->stag,
		.pd_id = to_irdma_pd(pd)->id,
		.page_code = irdma_page_code(mr->map.page_shift),
	};
	struct irdma_mr_access rights;
	int err;

	err = irdma_get_mr_access(access, irdma_has(dev, IRDMA_CAP_ATOMICS), &rights);
	if (err)
		return err;
	args.rights = rights.rights;
	args.atomic = rights.atomic;
	args.va_based = !rights.zero_based;
	if (rights.zero_based)
		args.va &= BIT_ULL(mr->map.page_shift) - 1;
	err = irdma_cmd_reg_mr(dev, &args);
	if (err)
		return err;
	mr->live = true;
	mr->access = access;
	mr->ib.lkey = mr->stag;
	mr->ib.rkey = mr->stag;
	trace_irdma_mr_reg(dev, mr->stag, len, mr->map.page_cnt, mr->map.page_shift,
			   mr->map.pbl.level);
	return 0;
}

static const struct irdma_uctx *irdma_mr_uctx(const struct irdma_mr *mr)
{
	const struct ib_uobject *pd = mr->ib.pd->uobject;

	return pd ? to_irdma_uctx(pd->context) : NULL;
}

/* Makes the key unknown to the device; 0 also when a dead device has no say. */
static int irdma_mr_kill_serialised(struct irdma_mr *mr)
{
	struct irdma_dev *dev = irdma_mr_dev(mr);
	int err;

	if (!mr->live)
		return 0;
	err = irdma_cmd_dealloc_stag(dev, mr->stag, to_irdma_pd(mr->ib.pd)->id, true);
	err = irdma_uctx_destroy_err(dev, irdma_mr_uctx(mr), err);
	if (err)
		return err;
	mr->live = false;
	trace_irdma_mr_dereg(dev, mr->stag);
	return 0;
}

/**
 * irdma_mr_reap - let the device forget a region whose process has ended
 * @object: the core's region
 * @batch: a command is added
 *
 * Context: Process context.
 * Return: false when there is no key, or the exporter of a dma-buf may kill it as well.
 */
bool irdma_mr_reap(void *object, struct irdma_batch *batch)
{
	struct irdma_mr *mr = to_irdma_mr(object);
	struct irdma_dev *dev = irdma_mr_dev(mr);

	if (!mr->live || mr->umem->is_dmabuf)
		return false;
	irdma_cqp_enc_dealloc_stag(irdma_batch_add(batch), &dev->layout, mr->stag,
				   to_irdma_pd(mr->ib.pd)->id, true);
	return true;
}

/**
 * irdma_mr_reaped - the command of irdma_mr_reap() has ended
 * @object: the core's region
 * @err: how it ended; a region that is refused is whole
 *
 * Context: Process context; may sleep.
 */
void irdma_mr_reaped(void *object, int err)
{
	struct irdma_mr *mr = to_irdma_mr(object);
	struct irdma_dev *dev = irdma_mr_dev(mr);

	if (irdma_life_destroy_err(dev, err))
		return;
	mr->live = false;
	trace_irdma_mr_dereg(dev, mr->stag);
}

/* The same while the exporter of a dma-buf may take its memory back at any time. */
static int irdma_mr_kill(struct irdma_mr *mr)
{
	struct ib_umem_dmabuf *dmabuf;
	int err;

	if (!mr->umem || !mr->umem->is_dmabuf)
		return irdma_mr_kill_serialised(mr);
	dmabuf = to_ib_umem_dmabuf(mr->umem);
	ib_umem_dmabuf_revoke_lock(dmabuf);
	err = irdma_mr_kill_serialised(mr);
	ib_umem_dmabuf_revoke_unlock(dmabuf);
	return err;
}

static void irdma_mr_free(struct irdma_mr *mr)
{
	struct irdma_dev *dev = irdma_mr_dev(mr);

	/* Ends a dma-buf's revocation first: it may be under way. */
	irdma_umem_release(dev, mr->umem);
	irdma_unmap(dev, &mr->map);
	if (mr->stag)
		irdma_free_stag(dev, mr->stag);
	kfree(mr);
}

/* @pd is NULL for memory that comes with a create command. */
static struct irdma_mr *irdma_mr_alloc(struct ib_device *ib, struct ib_pd *pd,
				       enum irdma_memreg_type type)
{
	struct irdma_mr *mr = kzalloc_obj(*mr);

	if (!mr)
		return NULL;
	mr->ib.device = ib;
	mr->ib.pd = pd;
	mr->type = type;
	INIT_LIST_HEAD(&mr->reg.link);
	return mr;
}

/* Maps pinned memory and makes a region of it. */
static int irdma_mr_register(struct irdma_mr *mr, struct ib_pd *pd, u64 virt, int access)
{
	struct irdma_dev *dev = irdma_mr_dev(mr);
	int err;

	mr->map.mem = irdma_umem_mem(mr->umem);
	err = irdma_setup_pbles(dev, &mr->map, virt, dev->gen->limits.page_sizes);
	if (err)
		return err;
	if (!mr->stag) {
		err = irdma_create_stag(dev, &mr->stag);
		if (err)
			return err;
	}
	return irdma_hwreg_mr(mr, pd, virt, mr->umem->length, access);
}

/* Maps the memory of a queue; @pages: how it is divided. */
static int irdma_mr_map_ring(struct irdma_mr *mr, const struct irdma_ring_mem *pages)
{
	int err;

	mr->map.mem = irdma_umem_mem(mr->umem);
	err = irdma_map_ring(irdma_mr_dev(mr), &mr->map);
	if (err)
		return err;
	mr->reg.pages = *pages;
	mr->reg.pages.page_cnt = mr->map.page_cnt;
	return 0;
}

/**
 * irdma_handle_q_mem - keep the memory of a queue until a create command asks for it
 * @mr: region of pinned memory that gets no key
 * @uctx: user context whose create commands find it
 * @req: says of what kind the queue is, and how its pages are divided
 *
 * Context: Process context; may sleep.
 * Return: 0; errnos of irdma_map_ring().
 */
static int irdma_handle_q_mem(struct irdma_mr *mr, struct irdma_uctx *uctx,
			      const struct irdma_mem_reg_req *req)
{
	const struct irdma_ring_mem pages = {
		.sq_pages = req->sq_pages,
		.rq_pages = req->rq_pages,
		.cq_pages = req->cq_pages,
		.cq_shadow = irdma_has(irdma_mr_dev(mr), IRDMA_CAP_CQ_RESIZE),
	};
	int err;

	err = irdma_mr_map_ring(mr, &pages);
	if (err)
		return err;
	mr->reg.va = mr->umem->address;
	spin_lock(&uctx->lock);
	list_add_tail(&mr->reg.link, &uctx->rings[mr->type]);
	spin_unlock(&uctx->lock);
	return 0;
}

/**
 * irdma_get_pbl - ring memory that was registered beforehand
 * @uctx: user context
 * @type: kind of queue
 * @va: address of its first byte
 *
 * The memory leaves the list: no other queue finds it, and it cannot be deregistered
 * until irdma_put_pbl().
 *
 * Context: Process context.
 * Return: memory; NULL when nothing was registered there.
 */
struct irdma_mr *irdma_get_pbl(struct irdma_uctx *uctx, enum irdma_memreg_type type, u64 va)
{
	struct irdma_mr *mr;

	guard(spinlock)(&uctx->lock);
	list_for_each_entry(mr, &uctx->rings[type], reg.link)
		if (mr->reg.va == va) {
			list_del_init(&mr->reg.link);
			mr->reg.used = true;
			return mr;
		}
	return NULL;
}

/* Memory that came with a create command; @umem is released on failure. */
static struct irdma_mr *irdma_own_q_mem(struct irdma_uctx *uctx, enum irdma_memreg_type type,
					struct ib_umem *umem, const struct irdma_ring_mem *pages)
{
	struct irdma_mr *mr;
	int err;

	mr = irdma_mr_alloc(uctx->ib.device, NULL, type);
	if (!mr) {
		ib_umem_release(umem);
		return ERR_PTR(-ENOMEM);
	}
	mr->umem = umem;
	mr->reg.attr = true;
	err = irdma_mr_map_ring(mr, pages);
	if (err) {
		irdma_mr_free(mr);
		return ERR_PTR(err);
	}
	return mr;
}

/**
 * irdma_get_q_mem - memory of a queue by either road
 * @uctx: user context
 * @type: kind of queue
 * @umem: what ib_umem_get_attr() returned: memory that came with the create command, which
 *	belongs to the callee from now on; NULL when none came; or an error, which is returned
 * @va: address of memory that was registered beforehand; 0 with @umem
 * @pages: how the driver divides @umem; its page count is not looked at
 *
 * Undone by irdma_put_pbl(). The caller compares the memory with what the queue needs.
 *
 * Context: Process context; may sleep.
 * Return: memory; ERR_PTR: -EPROTO, for a QP -ENODATA, when nothing was registered at @va;
 * -EINVAL for memory by both roads, or that does not start at a page of 4 KiB; -ENOMEM
 * without memory or page lists.
 */
struct irdma_mr *irdma_get_q_mem(struct irdma_uctx *uctx, enum irdma_memreg_type type,
				 struct ib_umem *umem, u64 va,
				 const struct irdma_ring_mem *pages)
{
	struct irdma_mr *mr;

	if (IS_ERR(umem))
		return ERR_CAST(umem);
	if (umem && va) {
		ib_umem_release(umem);
		return ERR_PTR(-EINVAL);
	}
	if (umem)
		return irdma_own_q_mem(uctx, type, umem, pages);
	mr = irdma_get_pbl(uctx, type, va);
	/* User space tells the two apart. */
	return mr ?: ERR_PTR(type == IRDMA_MEMREG_TYPE_QP ? -ENODATA : -EPROTO);
}

/**
 * irdma_put_pbl - a queue does not use its memory any more
 * @uctx: user context
 * @mr: memory from irdma_get_pbl() or irdma_get_q_mem(); NULL is allowed
 *
 * Context: Process context; may sleep.
 */
void irdma_put_pbl(struct irdma_uctx *uctx, struct irdma_mr *mr)
{
	if (!mr)
		return;
	if (mr->reg.attr) {
		irdma_mr_free(mr);
		return;
	}
	guard(spinlock)(&uctx->lock);
	mr->reg.used = false;
	list_add_tail(&mr->reg.link, &uctx->rings[mr->type]);
}

/**
 * irdma_del_memlist - let no queue find ring memory any more
 * @mr: ring memory
 * @uctx: user context that it was registered in
 *
 * Context: Process context.
 * Return: 0; -EBUSY while a queue uses it.
 */
static int irdma_del_memlist(struct irdma_mr *mr, struct irdma_uctx *uctx)
{
	guard(spinlock)(&uctx->lock);
	if (mr->reg.used)
		return -EBUSY;
	list_del_init(&mr->reg.link);
	return 0;
}

/**
 * irdma_reg_user_mr - register user memory
 * @pd: protection domain
 * @start: address of the first byte
 * @len: bytes
 * @virt: address of the first byte, as the peer counts
 * @access: IB_ACCESS_* mask; optional rights that the device lacks are ignored
 * @dmah: must be NULL
 * @udata: struct irdma_mem_reg_req in; says whether the memory is for a queue
 *
 * Context: Process context; may sleep.
 * Return: region; ERR_PTR: -EINVAL for a length of 0 or above the device's, a page size
 * that cannot be found, or a ring with fewer pages than it claims; -EOPNOTSUPP with @dmah;
 * -ENOMEM without memory, keys or page lists; -EFAULT; errnos of the command queue.
 */
static struct ib_mr *irdma_reg_user_mr(struct ib_pd *pd, u64 start, u64 len, u64 virt,
				       int access, struct ib_dmah *dmah, struct ib_udata *udata)
{
	struct irdma_uctx *uctx = rdma_udata_to_drv_context(udata, struct irdma_uctx, ib);
	struct irdma_dev *dev = to_irdma_ibdev(pd->device)->dev;
	struct irdma_mem_reg_req req = {};
	struct irdma_mr *mr;
	int err;

	if (dmah)
		return ERR_PTR(-EOPNOTSUPP);
	if (!len || len > dev->gen->limits.mr_bytes_max)
		return ERR_PTR(-EINVAL);
	err = ib_copy_validate_udata_in(udata, req, sq_pages);
	if (err)
		return ERR_PTR(err);
	if (req.reg_type > IRDMA_MEMREG_TYPE_SRQ)
		return ERR_PTR(-EINVAL);
	mr = irdma_mr_alloc(pd->device, pd, req.reg_type);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	/* The device writes rings, whatever the user says that he will do. */
	if (mr->type != IRDMA_MEMREG_TYPE_MEM)
		access = IB_ACCESS_LOCAL_WRITE;
	mr->umem = ib_umem_get_va(pd->device, start, len, access);
	if (IS_ERR(mr->umem)) {
		err = PTR_ERR(mr->umem);
		mr->umem = NULL;
	} else if (mr->type == IRDMA_MEMREG_TYPE_MEM) {
		err = irdma_mr_register(mr, pd, virt, access);
	} else {
		err = irdma_handle_q_mem(mr, uctx, &req);
	}
	if (err) {
		irdma_mr_free(mr);
		return ERR_PTR(err);
	}
	return &mr->ib;
}

/*
 * The exporter takes its memory back, or the region is being freed: the key dies, the
 * region stays. No window is in the way: the core lets none be bound to a dma-buf. The
 * buffer's reservation is locked.
 */
static void irdma_mr_revoke(void *priv)
{
	struct irdma_mr *mr = priv;

	if (!irdma_mr_kill_serialised(mr))
		return;
	irdma_life_fail(irdma_mr_dev(mr), "device keeps a revoked key");
	irdma_life_settle(irdma_mr_dev(mr));
}

/**
 * irdma_reg_user_mr_dmabuf - register memory of a dma-buf
 * @pd: protection domain
 * @offset: first byte in the buffer
 * @len: bytes
 * @virt: address of the first byte, as the peer counts
 * @fd: file descriptor of the buffer
 * @access: IB_ACCESS_* mask
 * @dmah: must be NULL
 * @attrs: attributes of the call; none of the driver's
 *
 * The buffer is pinned. When its exporter takes it back the key is killed at once.
 *
 * Context: Process context; may sleep.
 * Return: as irdma_reg_user_mr(), and what importing the buffer returns.
 */
static struct ib_mr *irdma_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 len, u64 virt,
					      int fd, int access, struct ib_dmah *dmah,
					      struct uverbs_attr_bundle *attrs)
{
	struct irdma_dev *dev = to_irdma_ibdev(pd->device)->dev;
	struct ib_umem_dmabuf *dmabuf;
	struct irdma_mr *mr;
	int err;

	if (dmah)
		return ERR_PTR(-EOPNOTSUPP);
	if (!len || len > dev->gen->limits.mr_bytes_max)
		return ERR_PTR(-EINVAL);
	mr = irdma_mr_alloc(pd->device, pd, IRDMA_MEMREG_TYPE_MEM);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	dmabuf = ib_umem_dmabuf_get_pinned_revocable_and_lock(pd->device, offset, len, fd,
							      access);
	if (IS_ERR(dmabuf)) {
		irdma_mr_free(mr);
		return ERR_CAST(dmabuf);
	}
	mr->umem = &dmabuf->umem;
	err = irdma_mr_register(mr, pd, virt, access);
	if (!err)
		ib_umem_dmabuf_set_revoke_locked(dmabuf, irdma_mr_revoke, mr);
	ib_umem_dmabuf_revoke_unlock(dmabuf);
	if (err) {
		irdma_mr_free(mr);
		return ERR_PTR(err);
	}
	return &mr->ib;
}

/* Pages that were pinned to be read only must not become writable by a change of rights. */
static bool irdma_rereg_must_pin(const struct irdma_mr *mr, int access)
{
	return ib_access_writable(access) && !mr->umem->writable;
}

/* Pins and maps other memory for a region that is to move; the region is not changed. */
static int irdma_rereg_prepare(struct irdma_mr *mr, u64 start, u64 len, u64 virt, int access,
			       struct ib_umem **umem, struct irdma_map *map)
{
	struct irdma_dev *dev = irdma_mr_dev(mr);
	int err;

	if (!len || len > dev->gen->limits.mr_bytes_max)
		return -EINVAL;
	*umem = ib_umem_get_va(mr->ib.device, start, len, access);
	if (IS_ERR(*umem))
		return PTR_ERR(*umem);
	map->mem = irdma_umem_mem(*umem);
	err = irdma_setup_pbles(dev, map, virt, dev->gen->limits.page_sizes);
	if (err)
		ib_umem_release(*umem);
	return err;
}

/**
 * irdma_rereg_user_mr - change translation, protection domain or access of a region
 * @ib: region of plain user memory
 * @flags: what changes: IB_MR_REREG_*
 * @start: with IB_MR_REREG_TRANS: address of the first byte
 * @len: with IB_MR_REREG_TRANS: bytes
 * @virt: with IB_MR_REREG_TRANS: address of the first byte, as the peer counts
 * @access: with IB_MR_REREG_ACCESS: new rights
 * @pd: with IB_MR_REREG_PD: new domain
 * @udata: nothing in, nothing out
 *
 * The device has no atomic switch: the key dies, and comes back with the new contents. A
 * region whose key could not be brought back is dead and can only be destroyed.
 *
 * Context: Process context; may sleep.
 * Return: NULL on success, the key stays; ERR_PTR: -EOPNOTSUPP for other flags or a
 * dma-buf; -EINVAL for ring memory or a dead region; -EPERM when memory has to be pinned
 * and is not of the process that registered the region; else as irdma_reg_user_mr().
 * Unless the key had died already the region is as it was.
 */
static struct ib_mr *irdma_rereg_user_mr(struct ib_mr *ib, int flags, u64 start, u64 len,
					 u64 virt, int access, struct ib_pd *pd,
					 struct ib_udata *udata)
{
	struct irdma_mr *mr = to_irdma_mr(ib);
	struct irdma_map map = mr->map;
	struct ib_umem *umem = mr->umem;
	struct irdma_mr_access rights;
	int err;

	if (flags & ~(IB_MR_REREG_TRANS | IB_MR_REREG_PD | IB_MR_REREG_ACCESS))
		return ERR_PTR(-EOPNOTSUPP);
	err = ib_no_udata_io(udata);
	if (err)
		return ERR_PTR(err);
	if (mr->type != IRDMA_MEMREG_TYPE_MEM || !mr->umem)
		return ERR_PTR(-EINVAL);
	if (mr->umem->is_dmabuf)
		return ERR_PTR(-EOPNOTSUPP);
	/* Its address, rights and domain are those of before, its pages perhaps not. */
	if (!mr->live)
		return ERR_PTR(-EINVAL);
	if (!(flags & IB_MR_REREG_ACCESS))
		access = mr->access;
	if (!(flags & IB_MR_REREG_PD))
		pd = ib->pd;
	if (!(flags & IB_MR_REREG_TRANS)) {
		virt = ib->iova;
		if (irdma_rereg_must_pin(mr, access)) {
			if (mr->umem->owning_mm != current->mm)
				return ERR_PTR(-EPERM);
			flags |= IB_MR_REREG_TRANS;
			start = mr->umem->address;
			len = mr->umem->length;
		}
	}
	err = irdma_get_mr_access(access, irdma_has(irdma_mr_dev(mr), IRDMA_CAP_ATOMICS),
				  &rights);
	if (err)
		return ERR_PTR(err);
	if (flags & IB_MR_REREG_TRANS) {
		map = (struct irdma_map){};
		err = irdma_rereg_prepare(mr, start, len, virt, access, &umem, &map);
		if (err)
			return ERR_PTR(err);
	}
	err = irdma_mr_kill(mr);
	if (err) {
		if (flags & IB_MR_REREG_TRANS) {
			irdma_unmap(irdma_mr_dev(mr), &map);
			ib_umem_release(umem);
		}
		return ERR_PTR(err);
	}
	if (flags & IB_MR_REREG_TRANS) {
		irdma_unmap(irdma_mr_dev(mr), &mr->map);
		irdma_umem_release(irdma_mr_dev(mr), mr->umem);
		mr->map = map;
		mr->umem = umem;
	}
	err = irdma_hwreg_mr(mr, pd, virt, umem->length, access);
	return err ? ERR_PTR(err) : NULL;
}

/**
 * irdma_dereg_mr - destroy a region or give ring memory back
 * @ib: region
 * @udata: nothing in, nothing out
 *
 * Context: Process context; may sleep.
 * Return: 0; -EBUSY for ring memory that a queue uses; -EIO when a live device refuses,
 * the region is whole then.
 */
static int irdma_dereg_mr(struct ib_mr *ib, struct ib_udata *udata)
{
	struct irdma_uctx *uctx = rdma_udata_to_drv_context(udata, struct irdma_uctx, ib);
	struct irdma_mr *mr = to_irdma_mr(ib);
	int err;

	if (mr->type != IRDMA_MEMREG_TYPE_MEM)
		err = irdma_del_memlist(mr, uctx);
	else
		err = irdma_mr_kill(mr);
	if (err)
		return err;
	irdma_mr_free(mr);
	return 0;
}

/**
 * irdma_reg_phys_mr - register kernel memory by its bus address
 * @pd: protection domain
 * @addr: bus address of the first byte
 * @size: bytes; 0 only with @dma_mr
 * @access: IB_ACCESS_* mask
 * @iova_start: address of the first byte, as the peer counts; NULL: @addr
 * @dma_mr: the region is all of memory, addressed by bus address
 *
 * Context: Process context; may sleep.
 * Return: region, destroyed by ib_dereg_mr(); ERR_PTR: -EINVAL for an empty region that is
 * not all of memory, or addresses whose places in a page differ; -ENOMEM; errnos of the
 * command queue.
 */
struct ib_mr *irdma_reg_phys_mr(struct ib_pd *pd, u64 addr, u64 size, int access,
				u64 *iova_start, bool dma_mr)
{
	struct irdma_dev *dev = to_irdma_ibdev(pd->device)->dev;
	u64 iova = iova_start ? *iova_start : addr;
	struct irdma_mr *mr;
	int err;

	if (dma_mr ? size || addr : !size || size > dev->gen->limits.mr_bytes_max)
		return ERR_PTR(-EINVAL);
	if (offset_in_page(addr ^ iova) || addr + size < addr || iova + size < iova)
		return ERR_PTR(-EINVAL);
	mr = irdma_mr_alloc(pd->device, pd, IRDMA_MEMREG_TYPE_MEM);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->map.page_shift = ilog2(SZ_4K);
	mr->map.pa = ALIGN_DOWN(addr, SZ_4K);
	err = irdma_create_stag(dev, &mr->stag);
	if (!err)
		err = irdma_hwreg_mr(mr, pd, iova, size, access);
	if (err) {
		irdma_mr_free(mr);
		return ERR_PTR(err);
	}
	return &mr->ib;
}
EXPORT_SYMBOL_GPL(irdma_reg_phys_mr);

/**
 * irdma_get_dma_mr - the kernel's key to all of memory
 * @pd: protection domain
 * @access: IB_ACCESS_* mask
 *
 * No window can be bound to it, and it has no beginning to count from.
 *
 * Context: Process context; may sleep.
 * Return: region; ERR_PTR: -EOPNOTSUPP for such rights; else as irdma_reg_phys_mr().
 */
static struct ib_mr *irdma_get_dma_mr(struct ib_pd *pd, int access)
{
	if (access & (IB_ACCESS_MW_BIND | IB_ZERO_BASED))
		return ERR_PTR(-EOPNOTSUPP);
	return irdma_reg_phys_mr(pd, 0, 0, access, NULL, true);
}

const struct ib_device_ops irdma_mr_ops = {
	.dereg_mr = irdma_dereg_mr,
	.get_dma_mr = irdma_get_dma_mr,
	.reg_user_mr = irdma_reg_user_mr,
	.reg_user_mr_dmabuf = irdma_reg_user_mr_dmabuf,
	.rereg_user_mr = irdma_rereg_user_mr,
};
