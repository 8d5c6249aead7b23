// SPDX-License-Identifier: GPL-2.0
/*
 * What work requests do to STags: bind a window, fast-register a region, invalidate.
 * Each returns 0 or the async event code of the first check that failed; nothing has
 * changed then.
 */
#include "ctl.h"

#define FR_LENGTH_MAX	(1ull << 41)

static u16 find(struct rdma *r, u32 index, struct rdma_mr **out)
{
	u32 slot = mr_slot(r, index);

	if (!slot || slot >= r->mrs.count)
		return AE_BAD_INDEX;
	*out = rdma_mr_get(r, index);
	return *out ? 0 : AE_UNALLOCATED;
}

static void unbind(struct rdma *r, struct rdma_mr *mw)
{
	struct rdma_mr *parent = mw->valid ? rdma_mr_get(r, mw->parent) : NULL;

	if (parent)
		parent->windows--;
	mw->valid = false;
}

/* Bind. */

static void rekey(struct rdma *r, struct rdma_mr *mw, u32 stag)
{
	unbind(r, mw);
	mw->key = (u8)stag;
	mw->keyed = true;
}

static u16 check_window(const struct mw_bind *b, const struct rdma_mr *mw, u32 pd)
{
	if (mw->region)
		return AE_BIND_REGION;
	if (mw->type1 != b->type1)
		return AE_BIND_TYPE;
	if (mw->pd != pd)
		return AE_BAD_PD;
	if (b->type1 && !b->va_based)
		return AE_BIND_TYPE1_ZERO;
	if (!b->type1 && mw->valid)
		return AE_BIND_VALID;
	/* The library binds with the next key, so that the old one ends. */
	if (b->type1 && mw->keyed && !mw->no_key_check && mw->key == (u8)b->mw_stag)
		return AE_BAD_KEY;
	return 0;
}

static u16 check_parent(const struct mw_bind *b, const struct rdma_mr *mr, u32 pd, bool may_bind)
{
	const u32 remote = ACC_REMOTE_READ | ACC_REMOTE_WRITE | ACC_REMOTE_ATOMIC;

	if (!mr || !mr->valid)
		return AE_BIND_BAD_PARENT;
	if (!mr->region)
		return AE_BIND_WINDOW_PARENT;
	if (mr->key != (u8)b->mr_stag)
		return AE_BAD_KEY;
	if (mr->pd != pd)
		return AE_BAD_PD;
	if (!mr->va_based)
		return AE_BIND_ZERO_PARENT;
	if (!may_bind || !(mr->access & ACC_BIND))
		return AE_BIND_DISABLED;
	if ((b->access & ~(remote | ACC_LOCAL_READ | ACC_LOCAL_WRITE)) ||
	    ((b->access & (ACC_REMOTE_WRITE | ACC_REMOTE_ATOMIC)) &&
	     !(mr->access & ACC_LOCAL_WRITE)))
		return AE_BIND_RIGHTS;
	if (mr->all_memory)
		return 0;
	if (b->va < mr->va || b->va - mr->va > mr->len || b->len > mr->len - (b->va - mr->va))
		return AE_BIND_BOUNDS;
	return 0;
}

u16 rdma_mw_bind(struct rdma *r, const struct mw_bind *b, u32 pd, u32 qp, bool qp_may_bind)
{
	struct rdma_mr *mw, *mr = rdma_mr_get(r, b->mr_stag >> 8);
	u16 code = find(r, b->mw_stag >> 8, &mw);

	if (!code)
		code = check_window(b, mw, pd);
	/* A type 1 window of length 0 is unbound; it needs no parent. */
	if (!code && b->type1 && !b->len) {
		rekey(r, mw, b->mw_stag);
		return 0;
	}
	if (!code)
		code = check_parent(b, mr, pd, qp_may_bind);
	if (code)
		return code;
	rekey(r, mw, b->mw_stag);
	mw->valid = mw->remote = true;
	mw->va_based = b->va_based;
	mw->access = b->access;
	mw->va = b->va;
	mw->len = b->len;
	mw->parent = mr->index;
	mw->qp = qp;
	mr->windows++;
	return 0;
}

/* Fast registration. */

static u16 check_pages(struct rdma *r, const struct fast_reg *fr, u8 shift)
{
	u64 size = BIT(shift), pages = ((fr->va & (size - 1)) + fr->len + size - 1) >> shift;

	if (fr->pbl_mode == 2)
		return AE_FR_CONFIG;
	if (!fr->pbl_mode)
		return pages > 1 || fr->page & (size - 1) ? AE_FR_CONFIG : 0;
	if (fr->pble + pages > r->hmc.count[HMC_PBLE])
		return AE_FR_PBLES;
	return pbl_check(r, fr->pble, fr->pbl_mode == 3, pages, shift) ? 0 : AE_FR_PBLES;
}

static u16 check_fast_reg(const struct fast_reg *fr, const struct rdma_mr *mr, u32 pd)
{
	if (!mr->region)
		return AE_FR_WINDOW;
	if (mr->valid)
		return AE_FR_VALID;
	if (mr->pd != pd)
		return AE_BAD_PD;
	if (!(fr->access & ACC_LOCAL_READ) ||
	    ((fr->access & ACC_REMOTE_WRITE) && !(fr->access & ACC_LOCAL_WRITE)))
		return AE_FR_RIGHTS;
	if (!fr->len || fr->len >= FR_LENGTH_MAX || fr->va + fr->len < fr->va)
		return AE_FR_LENGTH;
	return fr->page_size > 2 ? AE_FR_CONFIG : 0;
}

u16 rdma_fast_reg(struct rdma *r, const struct fast_reg *fr, u32 pd, bool priv)
{
	static const u8 shifts[] = { 12, 21, 30 };
	struct rdma_mr *mr;
	u16 code = priv ? find(r, fr->stag >> 8, &mr) : AE_NOT_PRIVILEGED;

	if (!code)
		code = check_fast_reg(fr, mr, pd);
	if (!code)
		code = check_pages(r, fr, shifts[fr->page_size]);
	if (!code && fr->len > mr->max_len)
		code = AE_FR_LENGTH;
	if (code)
		return code;
	mr->key = (u8)fr->stag;
	mr->valid = true;
	mr->va_based = fr->va_based;
	mr->remote = fr->access & (ACC_REMOTE_READ | ACC_REMOTE_WRITE | ACC_REMOTE_ATOMIC);
	mr->access = fr->access;
	mr->va = fr->va;
	mr->len = fr->len;
	mr->pbl_mode = fr->pbl_mode;
	mr->page_shift = shifts[fr->page_size];
	mr->addr = fr->page;
	mr->pble = fr->pble;
	return 0;
}

/* Invalidate. */

u16 rdma_mr_invalidate(struct rdma *r, u32 stag, u32 pd, u32 qp, bool remote)
{
	struct rdma_mr *mr;
	u16 code = find(r, stag >> 8, &mr);

	if (code)
		return code;
	if (mr->key != (u8)stag)
		return AE_BAD_KEY;
	if (!mr->valid)
		return AE_INVALID;
	if (mr->pd != pd)
		return AE_BAD_PD;
	if (!mr->region && mr->type1)
		return AE_INV_TYPE1;
	if (!mr->region && mr->qp != qp)
		return AE_BAD_QP;
	if (remote && !mr->remote)
		return AE_INV_NO_REMOTE;
	if (mr->shared)
		return AE_INV_SHARED;
	if (mr->windows)
		return AE_INV_BOUND;
	if (mr->region)
		mr->valid = false;
	else
		unbind(r, mr);
	return 0;
}
