/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_MCAST_H
#define IRDMA_MCAST_H

#include <linux/if_ether.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "dma.h"
#include "hw_cqp.h"

struct irdma_ibdev;

/**
 * struct irdma_mcast_member - a QP of a group
 * @qp_id: hardware number
 * @cnt: how often it is attached
 */
struct irdma_mcast_member {
	u32 qp_id;
	u32 cnt;
};

/**
 * struct irdma_mcast - multicast group
 * @node: in the IB device's list
 * @ip: group address, four groups in CPU order; IPv4 in group 3
 * @ipv4: it is an IPv4 address
 * @mac: MAC of the group
 * @idx: number in the device's table
 * @ctx: the device's list of members
 * @lock: guards what follows; taken in process context, held across commands about this
 *	group. Outside irdma_cqp.lock
 * @member: QPs, @member_cnt of them
 * @member_cnt: see @member; 0: the device does not know the group
 * @refs: who looks at the group, and one if it has members; guarded by irdma_mcasts.lock
 */
struct irdma_mcast {
	struct list_head node;
	u32 ip[4];
	bool ipv4;
	u8 mac[ETH_ALEN];
	u32 idx;
	struct irdma_dma ctx;
	struct mutex lock; /* guards: members; process context */
	struct irdma_mcast_member member[IRDMA_MCG_MAX_MEMBERS];
	u32 member_cnt;
	unsigned int refs;
};

/**
 * struct irdma_mcasts - the multicast groups of an IB device
 * @lock: guards @groups and their reference counts; taken in process context. Innermost
 * @groups: groups
 */
struct irdma_mcasts {
	struct mutex lock; /* guards: groups, references; process context */
	struct list_head groups;
};

extern const struct ib_device_ops irdma_mcast_ops;

void irdma_mcasts_init(struct irdma_mcasts *mcasts);
void irdma_mcast_mac(const union ib_gid *gid, bool ipv4, u8 *mac);

#endif /* IRDMA_MCAST_H */
