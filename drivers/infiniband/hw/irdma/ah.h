/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_AH_H
#define IRDMA_AH_H

#include <linux/hashtable.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "cqp_wqe_mr.h"

struct irdma_batch;

#define IRDMA_AH_HASH_BITS	8

/**
 * struct irdma_hw_ah - an address handle of the device, shared by equal ones
 * @node: in the hash
 * @args: what the device was told; all but @args.idx is the key
 * @dmac: MAC of the peer
 * @refs: struct irdma_ah that use it
 */
struct irdma_hw_ah {
	struct hlist_node node;
	struct irdma_cqp_ah_args args;
	u8 dmac[ETH_ALEN];
	unsigned int refs;
};

/**
 * struct irdma_ahs - an IB device's address handles that can be shared
 * @lock: guards the rest; taken in any context, interrupts off. Innermost
 * @hash: handles
 */
struct irdma_ahs {
	spinlock_t lock; /* guards: hash, references; any context */
	DECLARE_HASHTABLE(hash, IRDMA_AH_HASH_BITS);
};

/**
 * struct irdma_ah - address handle
 * @ib: what the core knows
 * @hw: handle of the device
 * @attr: as created
 */
struct irdma_ah {
	struct ib_ah ib;
	struct irdma_hw_ah *hw;
	struct rdma_ah_attr attr;
};

static inline struct irdma_ah *to_irdma_ah(struct ib_ah *ib)
{
	return container_of(ib, struct irdma_ah, ib);
}

/**
 * struct irdma_av - address vector in the device's terms
 * @local_ip: four groups in CPU order; IPv4 in group 3
 * @dest_ip: likewise
 * @smac: local MAC
 * @dmac: MAC of the next hop
 * @flow_label: 20 bits
 * @vlan_tag: priority in 15:13, VLAN id in 11:0
 * @tclass: traffic class
 * @hop_limit: TTL or hop limit
 * @prio: user priority
 * @ipv4: addresses are IPv4
 * @insert_vlan: send with @vlan_tag
 * @loopback: to this host
 */
struct irdma_av {
	u32 local_ip[4];
	u32 dest_ip[4];
	u8 smac[ETH_ALEN];
	u8 dmac[ETH_ALEN];
	u32 flow_label;
	u16 vlan_tag;
	u8 tclass;
	u8 hop_limit;
	u8 prio;
	bool ipv4;
	bool insert_vlan;
	bool loopback;
};

extern const struct ib_device_ops irdma_ah_ops;

bool irdma_ah_reap(void *object, struct irdma_batch *batch);
void irdma_ah_reaped(void *object, int err);
void irdma_ahs_init(struct irdma_ahs *ahs);
void irdma_gid_to_ip(const union ib_gid *gid, bool ipv4, u32 *ip);
int irdma_av_init(struct irdma_av *av, const struct rdma_ah_attr *attr);

#endif /* IRDMA_AH_H */
