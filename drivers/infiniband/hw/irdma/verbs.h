/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_VERBS_H
#define IRDMA_VERBS_H

#include <linux/list.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "ah.h"
#include "hw_vchnl.h"
#include "mcast.h"

struct irdma_dev;
struct irdma_event_ops;

/**
 * struct irdma_ibdev - an IB device: one vport of a function
 * @ib: what the core knows
 * @dev: function
 * @netdev: the vport's net device
 * @node: in the function's list while registered
 * @mbps: speed of @netdev when it last told; 0: unknown
 * @vport_id: number that the LAN driver gave the vport
 * @qp1_id: hardware QP that serves QP1; 0: there is none
 * @qs_handle: queue-set handle of each user priority; those of the function until QP1 exists
 * @ahs: address handles
 * @mcasts: multicast groups
 */
struct irdma_ibdev {
	struct ib_device ib;
	struct irdma_dev *dev;
	struct net_device *netdev;
	struct list_head node;
	u32 mbps;
	u16 vport_id;
	u32 qp1_id;
	u16 qs_handle[IRDMA_PRIO_CNT];
	struct irdma_ahs ahs;
	struct irdma_mcasts mcasts;
};

static inline struct irdma_ibdev *to_irdma_ibdev(struct ib_device *ib)
{
	return container_of(ib, struct irdma_ibdev, ib);
}

extern const struct irdma_event_ops irdma_verbs_event_ops;

struct irdma_ibdev *irdma_ib_alloc_device(struct irdma_dev *dev, struct net_device *netdev,
					  u16 vport_id);
int irdma_ib_register_device(struct irdma_ibdev *ibdev);
void irdma_ib_unregister_device(struct irdma_ibdev *ibdev);

#endif /* IRDMA_VERBS_H */
