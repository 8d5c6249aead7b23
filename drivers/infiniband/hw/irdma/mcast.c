// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Multicast groups.
 *
 * The device keeps up to eight QPs per group in a list that it is given anew with
 * every change. A change is prepared in the list, and taken back when the device
 * refuses it.
 *
 * Lock order: irdma_mcast.lock, then irdma_mcasts.lock.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <linux/etherdevice.h>
#include <linux/slab.h>
#include <net/ip.h>
#include <net/if_inet6.h>
#include <rdma/ib_addr.h>

#include "ah.h"
#include "cqp_cmd.h"
#include "dev.h"
#include "mcast.h"
#include "qp.h"
#include "verbs.h"

/**
 * irdma_mcasts_init - no group yet
 * @mcasts: groups of an IB device
 */
void irdma_mcasts_init(struct irdma_mcasts *mcasts)
{
	mutex_init(&mcasts->lock);
	INIT_LIST_HEAD(&mcasts->groups);
}

/**
 * irdma_mcast_mac - MAC that frames to a group carry
 * @gid: group address
 * @ipv4: it is an IPv4 address
 * @mac: set
 *
 * Context: Any context.
 */
void irdma_mcast_mac(const union ib_gid *gid, bool ipv4, u8 *mac)
{
	if (ipv4)
		ip_eth_mc_map(*(const __be32 *)(gid->raw + 12), mac);
	else
		ipv6_eth_mc_map((const struct in6_addr *)gid->raw, mac);
}

/**
 * mcast_list_lookup_ip - find a group
 * @mcasts: groups of an IB device, locked
 * @ip: group address as the device has it
 *
 * Context: Process context; @mcasts->lock is held.
 * Return: group, without a new reference; NULL when there is none.
 */
static struct irdma_mcast *mcast_list_lookup_ip(struct irdma_mcasts *mcasts, const u32 *ip)
{
	struct irdma_mcast *mcast;

	lockdep_assert_held(&mcasts->lock);
	list_for_each_entry(mcast, &mcasts->groups, node)
		if (!memcmp(mcast->ip, ip, sizeof(mcast->ip)))
			return mcast;
	return NULL;
}

/**
 * mcast_list_add - let a group be found
 * @mcasts: groups of an IB device, locked; none has the address
 * @mcast: new group; the caller has its first reference
 *
 * Context: Process context; @mcasts->lock is held.
 */
static void mcast_list_add(struct irdma_mcasts *mcasts, struct irdma_mcast *mcast)
{
	lockdep_assert_held(&mcasts->lock);
	mcast->refs = 1;
	list_add_tail(&mcast->node, &mcasts->groups);
}

/**
 * mcast_list_del - give a reference back; the last one ends the group's being found
 * @mcasts: groups of an IB device, locked
 * @mcast: group with a reference of the caller
 *
 * Context: Process context; @mcasts->lock is held.
 * Return: true when it was the last one: the caller frees the group.
 */
static bool mcast_list_del(struct irdma_mcasts *mcasts, struct irdma_mcast *mcast)
{
	lockdep_assert_held(&mcasts->lock);
	if (--mcast->refs)
		return false;
	list_del(&mcast->node);
	return true;
}

static void irdma_mcast_free(struct irdma_ibdev *ibdev, struct irdma_mcast *mcast)
{
	irdma_idmap_free(&ibdev->dev->mcg_ids, mcast->idx);
	irdma_dma_free(ibdev->dev, &mcast->ctx);
	mutex_destroy(&mcast->lock);
	kfree(mcast);
}

static struct irdma_mcast *irdma_mcast_new(struct irdma_ibdev *ibdev, const union ib_gid *gid,
					   const u32 *ip, bool ipv4)
{
	struct irdma_mcast *mcast = kzalloc_obj(*mcast);
	struct irdma_dev *dev = ibdev->dev;
	int err;

	if (!mcast)
		return ERR_PTR(-ENOMEM);
	memcpy(mcast->ip, ip, sizeof(mcast->ip));
	mcast->ipv4 = ipv4;
	irdma_mcast_mac(gid, ipv4, mcast->mac);
	mutex_init(&mcast->lock);
	err = irdma_idmap_alloc(&dev->mcg_ids, &mcast->idx);
	if (err)
		goto err_free;
	err = irdma_dma_alloc(dev, &mcast->ctx, IRDMA_MCG_CTX_BYTES);
	if (err)
		goto err_idx;
	return mcast;

err_idx:
	irdma_idmap_free(&dev->mcg_ids, mcast->idx);
err_free:
	mutex_destroy(&mcast->lock);
	kfree(mcast);
	return ERR_PTR(err);
}

/* The group of an address with a reference; made when @create says so, else perhaps NULL. */
static struct irdma_mcast *irdma_mcast_get(struct irdma_ibdev *ibdev, const union ib_gid *gid,
					   bool create)
{
	struct irdma_mcasts *mcasts = &ibdev->mcasts;
	bool ipv4 = ipv6_addr_v4mapped((const struct in6_addr *)gid->raw);
	struct irdma_mcast *mcast;
	u32 ip[4];

	irdma_gid_to_ip(gid, ipv4, ip);
	guard(mutex)(&mcasts->lock);
	mcast = mcast_list_lookup_ip(mcasts, ip);
	if (mcast) {
		mcast->refs++;
	} else if (create) {
		mcast = irdma_mcast_new(ibdev, gid, ip, ipv4);
		if (!IS_ERR(mcast))
			mcast_list_add(mcasts, mcast);
	}
	return mcast;
}

static void irdma_mcast_put(struct irdma_ibdev *ibdev, struct irdma_mcast *mcast)
{
	bool last;

	scoped_guard(mutex, &ibdev->mcasts.lock)
		last = mcast_list_del(&ibdev->mcasts, mcast);
	if (last)
		irdma_mcast_free(ibdev, mcast);
}

/**
 * irdma_mcast_cqp_op - give the device the group's members
 * @ibdev: IB device
 * @mcast: group; its lock is held
 * @op: IRDMA_CQP_OP_CREATE_MCG for the first member, IRDMA_CQP_OP_DESTROY_MCG when none
 *	is left, else IRDMA_CQP_OP_MODIFY_MCG
 *
 * Context: Process context; may sleep.
 * Return: 0; errnos of the command queue.
 */
static int irdma_mcast_cqp_op(struct irdma_ibdev *ibdev, struct irdma_mcast *mcast,
			      enum irdma_cqp_op op)
{
	struct irdma_cqp_mcg_args args = {
		.ctx_addr = mcast->ctx.pa,
		.idx = mcast->idx,
		.qset = ibdev->qs_handle[0],
		.hmc_fn = ibdev->dev->hmc_fn,
		.ipv4 = mcast->ipv4,
	};
	u32 qp_ids[IRDMA_MCG_MAX_MEMBERS];

	memcpy(args.ip, mcast->ip, sizeof(args.ip));
	ether_addr_copy(args.mac, mcast->mac);
	for (u32 i = 0; i < mcast->member_cnt; i++)
		qp_ids[i] = mcast->member[i].qp_id;
	irdma_mcg_ctx_enc(mcast->ctx.va, qp_ids, mcast->member_cnt);
	return irdma_cmd_mcg(ibdev->dev, op, &args);
}

static struct irdma_mcast_member *irdma_mcast_find(struct irdma_mcast *mcast, u32 qp_id)
{
	for (u32 i = 0; i < mcast->member_cnt; i++)
		if (mcast->member[i].qp_id == qp_id)
			return &mcast->member[i];
	return NULL;
}

static int irdma_mcast_join(struct irdma_ibdev *ibdev, struct irdma_mcast *mcast, u32 qp_id)
{
	struct irdma_mcast_member *member;
	int err;

	guard(mutex)(&mcast->lock);
	member = irdma_mcast_find(mcast, qp_id);
	if (member) {
		member->cnt++;
		return 0;
	}
	if (mcast->member_cnt == IRDMA_MCG_MAX_MEMBERS)
		return -ENOMEM;
	mcast->member[mcast->member_cnt++] = (struct irdma_mcast_member){ qp_id, 1 };
	err = irdma_mcast_cqp_op(ibdev, mcast, mcast->member_cnt == 1 ?
				 IRDMA_CQP_OP_CREATE_MCG : IRDMA_CQP_OP_MODIFY_MCG);
	if (err)
		mcast->member_cnt--;
	return err;
}

static int irdma_mcast_leave(struct irdma_ibdev *ibdev, struct irdma_mcast *mcast,
			     const struct irdma_qp *qp)
{
	struct irdma_mcast_member *member, gone;
	int err;

	guard(mutex)(&mcast->lock);
	member = irdma_mcast_find(mcast, qp->id);
	if (!member)
		return -EINVAL;
	if (member->cnt > 1) {
		member->cnt--;
		return 0;
	}
	gone = *member;
	*member = mcast->member[--mcast->member_cnt];
	err = irdma_mcast_cqp_op(ibdev, mcast, mcast->member_cnt ? IRDMA_CQP_OP_MODIFY_MCG :
				 IRDMA_CQP_OP_DESTROY_MCG);
	err = irdma_life_destroy_err(ibdev->dev, err);
	if (err && qp->uctx) {
		/* The core forgets a user's membership in any case: nobody would try again. */
		irdma_life_forfeit(ibdev->dev, err);
		return 0;
	}
	if (err)
		mcast->member[mcast->member_cnt++] = gone;
	return err;
}

/**
 * irdma_attach_mcast - let a QP receive what is sent to a group
 * @ib: UD QP
 * @gid: group address
 * @lid: not used
 *
 * Context: Process context; may sleep.
 * Return: 0; -EINVAL for another type of QP; -ENOMEM when the group has eight QPs, or no
 * group is free; errnos of the command queue.
 */
static int irdma_attach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	struct irdma_ibdev *ibdev = to_irdma_ibdev(ib->device);
	struct irdma_mcast *mcast;
	int err;

	if (ib->qp_type != IB_QPT_UD)
		return -EINVAL;
	mcast = irdma_mcast_get(ibdev, gid, true);
	if (IS_ERR(mcast))
		return PTR_ERR(mcast);
	err = irdma_mcast_join(ibdev, mcast, to_irdma_qp(ib)->id);
	/* A joined QP keeps the reference. */
	if (err)
		irdma_mcast_put(ibdev, mcast);
	else
		to_irdma_qp(ib)->group_cnt++;
	return err;
}

/**
 * irdma_detach_mcast - undo irdma_attach_mcast()
 * @ib: QP
 * @gid: group address
 * @lid: not used
 *
 * Context: Process context; may sleep.
 * Return: 0; -EINVAL when the QP is not in the group; -EIO when a live device refuses a
 * kernel consumer, the QP stays in the group then.
 */
static int irdma_detach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	struct irdma_ibdev *ibdev = to_irdma_ibdev(ib->device);
	struct irdma_mcast *mcast = irdma_mcast_get(ibdev, gid, false);
	int err;

	if (!mcast)
		return -EINVAL;
	err = irdma_mcast_leave(ibdev, mcast, to_irdma_qp(ib));
	if (!err) {
		to_irdma_qp(ib)->group_cnt--;
		irdma_mcast_put(ibdev, mcast);
	}
	irdma_mcast_put(ibdev, mcast);
	return err;
}

const struct ib_device_ops irdma_mcast_ops = {
	.attach_mcast = irdma_attach_mcast,
	.detach_mcast = irdma_detach_mcast,
};
