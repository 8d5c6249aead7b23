// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Address handles.
 *
 * The device's handle is immutable and holds nothing of its owner but the
 * protection domain; equal ones are shared, so that creating one for a known
 * destination costs no command. Creations run in parallel: two threads that make
 * the same handle at the same time make two.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/jhash.h>
#include <linux/slab.h>
#include <net/route.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/irdma-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "ah.h"
#include "cqp_cmd.h"
#include "dev.h"
#include "mcast.h"
#include "netdev.h"
#include "uctx.h"
#include "verbs.h"

/**
 * irdma_gid_to_ip - address words of the device from a GID
 * @gid: GID
 * @ipv4: it is an IPv4 address
 * @ip: four groups in CPU order; IPv4 in group 3, the others are 0
 */
void irdma_gid_to_ip(const union ib_gid *gid, bool ipv4, u32 *ip)
{
	for (int i = 0; i < 4; i++)
		ip[i] = ipv4 && i < 3 ? 0 : get_unaligned_be32(gid->raw + 4 * i);
}

/* VLAN tag from the source GID's VLAN and the priority that its device maps to. */
static void irdma_av_set_vlan(struct irdma_av *av, const struct ib_gid_attr *sgid, u16 vlan)
{
	struct net_device *ndev;
	u16 egress = 0;

	av->prio = rt_tos2priority(av->tclass);
	if (vlan >= VLAN_N_VID)
		return;
	rcu_read_lock();
	ndev = rcu_dereference(sgid->ndev);
	if (ndev && is_vlan_dev(ndev))
		egress = vlan_dev_get_egress_qos_mask(ndev, av->prio);
	rcu_read_unlock();
	av->prio = egress >> VLAN_PRIO_SHIFT;
	av->insert_vlan = true;
	av->vlan_tag = vlan | egress;
}

/**
 * irdma_av_init - address vector from verbs attributes
 * @av: filled
 * @attr: RoCE attributes with GRH; the core has resolved the destination MAC
 *
 * Context: Any context.
 * Return: 0; -EINVAL without GRH; -ENODEV when the source GID's net device is gone.
 */
int irdma_av_init(struct irdma_av *av, const struct rdma_ah_attr *attr)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);
	const struct ib_gid_attr *sgid = grh->sgid_attr;
	bool mcast = rdma_is_multicast_addr((struct in6_addr *)grh->dgid.raw);
	u16 vlan;
	int err;

	*av = (struct irdma_av){};
	if (!(rdma_ah_get_ah_flags(attr) & IB_AH_GRH) || !sgid)
		return -EINVAL;
	err = rdma_read_gid_l2_fields(sgid, &vlan, av->smac);
	if (err)
		return err;
	av->ipv4 = rdma_gid_attr_network_type(sgid) == RDMA_NETWORK_IPV4;
	irdma_gid_to_ip(&sgid->gid, av->ipv4, av->local_ip);
	irdma_gid_to_ip(&grh->dgid, av->ipv4, av->dest_ip);
	av->flow_label = grh->flow_label;
	av->tclass = grh->traffic_class;
	av->hop_limit = grh->hop_limit;
	irdma_av_set_vlan(av, sgid, vlan);
	if (mcast)
		irdma_mcast_mac(&grh->dgid, av->ipv4, av->dmac);
	else
		ether_addr_copy(av->dmac, attr->roce.dmac);
	av->loopback = mcast || !memcmp(av->local_ip, av->dest_ip, sizeof(av->dest_ip));
	return 0;
}

/**
 * irdma_ahs_init - no handle yet
 * @ahs: handles of an IB device
 */
void irdma_ahs_init(struct irdma_ahs *ahs)
{
	spin_lock_init(&ahs->lock);
	hash_init(ahs->hash);
}

static u32 irdma_ah_hash(const struct irdma_cqp_ah_args *args)
{
	return jhash2(args->dest_ip, ARRAY_SIZE(args->dest_ip), args->pd_id);
}

/* Keys are compared as memory: the arguments are zeroed before they are filled. */
static bool irdma_ah_equal(const struct irdma_hw_ah *a, const struct irdma_hw_ah *b)
{
	struct irdma_cqp_ah_args key = b->args;

	/* The peer is compared by its MAC; its index comes later. */
	key.idx = a->args.idx;
	key.arp_idx = a->args.arp_idx;
	return !memcmp(&a->args, &key, sizeof(key)) && ether_addr_equal(a->dmac, b->dmac);
}

/**
 * irdma_ah_exists - look for a handle of the device that can be shared
 * @ahs: handles of the IB device
 * @want: what it must equal, but for its number and the peer's index
 *
 * Context: Any context; takes and releases @ahs->lock.
 * Return: handle with a reference; NULL when there is none.
 */
static struct irdma_hw_ah *irdma_ah_exists(struct irdma_ahs *ahs, const struct irdma_hw_ah *want)
{
	struct irdma_hw_ah *hw;

	guard(spinlock_irqsave)(&ahs->lock);
	hash_for_each_possible(ahs->hash, hw, node, irdma_ah_hash(&want->args))
		if (irdma_ah_equal(hw, want)) {
			hw->refs++;
			return hw;
		}
	return NULL;
}

/* Lets others share a handle that has one user. */
static void irdma_ah_publish(struct irdma_ahs *ahs, struct irdma_hw_ah *hw)
{
	guard(spinlock_irqsave)(&ahs->lock);
	hw->refs = 1;
	hash_add(ahs->hash, &hw->node, irdma_ah_hash(&hw->args));
}

/* One user less; true for the last one: nobody finds the handle any more. */
static bool irdma_hw_ah_put(struct irdma_ahs *ahs, struct irdma_hw_ah *hw)
{
	guard(spinlock_irqsave)(&ahs->lock);
	if (--hw->refs)
		return false;
	hash_del(&hw->node);
	return true;
}

/* Frees a handle that the device does not know any more. */
static void irdma_hw_ah_free(struct irdma_dev *dev, struct irdma_hw_ah *hw)
{
	irdma_idmap_free(&dev->ah_ids, hw->args.idx);
	irdma_arp_put(dev, hw->dmac);
	kfree(hw);
}

static void irdma_ah_fill(struct irdma_hw_ah *hw, const struct irdma_av *av, u32 pd_id)
{
	memset(hw, 0, sizeof(*hw));
	memcpy(hw->args.src_ip, av->local_ip, sizeof(av->local_ip));
	memcpy(hw->args.dest_ip, av->dest_ip, sizeof(av->dest_ip));
	ether_addr_copy(hw->args.src_mac, av->smac);
	ether_addr_copy(hw->dmac, av->dmac);
	hw->args.pd_id = pd_id;
	hw->args.flow_label = av->flow_label;
	hw->args.vlan_tag = av->vlan_tag;
	hw->args.tclass = av->tclass;
	hw->args.hop_limit = av->hop_limit;
	hw->args.ipv4 = av->ipv4;
	hw->args.insert_vlan = av->insert_vlan;
	hw->args.loopback = av->loopback;
}

/* Makes a handle of the device like @want; the result is not published. */
static struct irdma_hw_ah *irdma_hw_ah_create(struct irdma_dev *dev,
					      const struct irdma_hw_ah *want, bool atomic)
{
	struct irdma_hw_ah *hw;
	int err;

	hw = kmemdup(want, sizeof(*want), atomic ? GFP_ATOMIC : GFP_KERNEL);
	if (!hw)
		return ERR_PTR(-ENOMEM);
	err = irdma_arp_get(dev, hw->dmac, atomic, &hw->args.arp_idx);
	if (err)
		goto err_free;
	err = irdma_idmap_alloc(&dev->ah_ids, &hw->args.idx);
	if (err)
		goto err_arp;
	err = irdma_cmd_create_ah(dev, &hw->args, atomic);
	if (err)
		goto err_idx;
	return hw;

err_idx:
	irdma_idmap_free(&dev->ah_ids, hw->args.idx);
err_arp:
	irdma_arp_put(dev, hw->dmac);
err_free:
	kfree(hw);
	return ERR_PTR(err);
}

/**
 * irdma_create_ah - address handle
 * @ib: handle to initialise
 * @init: attributes; says whether the caller may sleep
 * @udata: not used; NULL for a kernel consumer
 *
 * A handle of the device that equals the wanted one is shared.
 *
 * Context: As @init says.
 * Return: 0; errnos of irdma_av_init() and irdma_arp_get(); -ENOMEM; errnos of the
 * command queue.
 */
static int irdma_create_ah(struct ib_ah *ib, struct rdma_ah_init_attr *init,
			   struct ib_udata *udata)
{
	struct irdma_ibdev *ibdev = to_irdma_ibdev(ib->device);
	bool atomic = !(init->flags & RDMA_CREATE_AH_SLEEPABLE);
	struct irdma_ah *ah = to_irdma_ah(ib);
	struct irdma_hw_ah want, *hw;
	struct irdma_av av;
	int err;

	err = irdma_av_init(&av, init->ah_attr);
	if (err)
		return err;
	irdma_ah_fill(&want, &av, to_irdma_pd(ib->pd)->id);
	hw = irdma_ah_exists(&ibdev->ahs, &want);
	if (!hw) {
		hw = irdma_hw_ah_create(ibdev->dev, &want, atomic);
		if (IS_ERR(hw))
			return PTR_ERR(hw);
		irdma_ah_publish(&ibdev->ahs, hw);
	}
	ah->hw = hw;
	rdma_copy_ah_attr(&ah->attr, init->ah_attr);
	return 0;
}

/* 0 also when a dead device has no say. */
static int irdma_ah_unprogram(struct irdma_ah *ah, bool atomic)
{
	struct irdma_dev *dev = to_irdma_ibdev(ah->ib.device)->dev;
	const struct ib_uobject *uobj = ah->ib.uobject;
	int err;

	err = irdma_cmd_destroy_ah(dev, &ah->hw->args, atomic);
	if (!atomic)
		return irdma_uctx_destroy_err(dev, uobj ? to_irdma_uctx(uobj->context) : NULL, err);
	if (!err || !irdma_life_running(dev))
		return 0;
	return err == -EAGAIN ? err : -EIO;
}

/**
 * irdma_destroy_ah - destroy an address handle
 * @ib: handle
 * @flags: RDMA_DESTROY_AH_SLEEPABLE
 *
 * Context: As @flags says.
 * Return: 0; -EIO when a live device refuses: the handle is whole then; -EAGAIN when the
 * caller cannot sleep and the command queue is full.
 */
static int irdma_destroy_ah(struct ib_ah *ib, u32 flags)
{
	struct irdma_ibdev *ibdev = to_irdma_ibdev(ib->device);
	bool atomic = !(flags & RDMA_DESTROY_AH_SLEEPABLE);
	struct irdma_ah *ah = to_irdma_ah(ib);
	struct irdma_hw_ah *hw = ah->hw;
	int err;

	if (hw && irdma_hw_ah_put(&ibdev->ahs, hw)) {
		err = irdma_ah_unprogram(ah, atomic);
		if (err) {
			irdma_ah_publish(&ibdev->ahs, hw);
			return err;
		}
		irdma_hw_ah_free(ibdev->dev, hw);
	}
	rdma_destroy_ah_attr(&ah->attr);
	return 0;
}

/**
 * irdma_ah_reap - let the device forget a handle whose process has ended
 * @object: the core's handle
 * @batch: a command is added
 *
 * Context: Process context.
 * Return: false when the device does not know the handle, or others share it.
 */
bool irdma_ah_reap(void *object, struct irdma_batch *batch)
{
	struct irdma_ah *ah = to_irdma_ah(object);
	struct irdma_hw_ah *hw = ah->hw;

	if (!hw)
		return false;
	if (!irdma_hw_ah_put(&to_irdma_ibdev(ah->ib.device)->ahs, hw)) {
		ah->hw = NULL;
		return false;
	}
	irdma_cqp_enc_ah(irdma_batch_add(batch), IRDMA_CQP_OP_DESTROY_AH, &hw->args);
	return true;
}

/**
 * irdma_ah_reaped - the command of irdma_ah_reap() has ended
 * @object: the core's handle
 * @err: how it ended; a handle that is refused is whole
 *
 * Context: Process context; may sleep.
 */
void irdma_ah_reaped(void *object, int err)
{
	struct irdma_ah *ah = to_irdma_ah(object);
	struct irdma_ibdev *ibdev = to_irdma_ibdev(ah->ib.device);

	if (irdma_life_destroy_err(ibdev->dev, err)) {
		irdma_ah_publish(&ibdev->ahs, ah->hw);
		return;
	}
	irdma_hw_ah_free(ibdev->dev, ah->hw);
	ah->hw = NULL;
}

/**
 * irdma_create_user_ah - address handle of a user
 * @ib: handle to initialise
 * @init: attributes
 * @udata: nothing in, struct irdma_create_ah_resp out
 *
 * Context: Process context; may sleep.
 * Return: as irdma_create_ah(); -EINVAL for a response without room; -EOPNOTSUPP for data
 * from the user; -EFAULT.
 */
static int irdma_create_user_ah(struct ib_ah *ib, struct rdma_ah_init_attr *init,
				struct ib_udata *udata)
{
	struct irdma_create_ah_resp resp = {};
	int err;

	if (udata->outlen < offsetofend(struct irdma_create_ah_resp, rsvd))
		return -EINVAL;
	err = ib_is_udata_in_empty(udata);
	if (!err)
		err = irdma_create_ah(ib, init, udata);
	if (err)
		return err;
	resp.ah_id = to_irdma_ah(ib)->hw->args.idx;
	err = ib_respond_udata(udata, resp);
	if (!err)
		return 0;
	if (irdma_destroy_ah(ib, RDMA_DESTROY_AH_SLEEPABLE)) {
		/* Whole, but the core will not destroy it; a failed device has no say. */
		irdma_life_forfeit(to_irdma_ibdev(ib->device)->dev, -EIO);
		irdma_destroy_ah(ib, RDMA_DESTROY_AH_SLEEPABLE);
	}
	return err;
}

/**
 * irdma_query_ah - attributes of an address handle
 * @ib: handle
 * @attr: filled
 *
 * Context: Any context.
 * Return: 0.
 */
static int irdma_query_ah(struct ib_ah *ib, struct rdma_ah_attr *attr)
{
	*attr = to_irdma_ah(ib)->attr;
	return 0;
}

const struct ib_device_ops irdma_ah_ops = {
	.create_ah = irdma_create_ah,
	.create_user_ah = irdma_create_user_ah,
	.destroy_ah = irdma_destroy_ah,
	.query_ah = irdma_query_ah,

	INIT_RDMA_OBJ_SIZE(ib_ah, irdma_ah, ib),
};
