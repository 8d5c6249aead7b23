// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The IB device: what it is, its one port, and how events find their object.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/pci.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>
#include <rdma/irdma-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "ae_table.h"
#include "aeqe.h"
#include "ah.h"
#include "cq.h"
#include "dev.h"
#include "mcast.h"
#include "mr.h"
#include "mw.h"
#include "poll.h"
#include "post.h"
#include "qp.h"
#include "reap.h"
#include "restrack.h"
#include "ring_buf.h"
#include "srq.h"
#include "stats.h"
#include "uctx.h"
#include "verbs.h"

#define IRDMA_PORT_CNT		1
#define IRDMA_GID_CNT		32
#define IRDMA_PKEY_CNT		1
#define IRDMA_MSG_BYTES_MAX	0x7fffffff
/* Clock of completion timestamps. */
#define IRDMA_CLOCK_KHZ		1000000
#define IRDMA_TIMESTAMP_BITS	32

static void irdma_fill_memory_attr(const struct irdma_dev *dev, struct ib_device_attr *attr)
{
	const struct irdma_limits *limits = &dev->gen->limits;

	attr->max_mr_size = limits->mr_bytes_max;
	attr->page_size_cap = limits->page_sizes;
	attr->max_mr = dev->mr_ids.cnt;
	attr->max_mw = attr->max_mr;
	attr->max_pd = dev->pd_ids.cnt;
	attr->max_fast_reg_page_list_len = IRDMA_FAST_REG_PAGES_MAX;
}

static void irdma_fill_queue_attr(const struct irdma_dev *dev, struct ib_device_attr *attr)
{
	const struct irdma_limits *limits = &dev->gen->limits;
	u32 quanta_per_wqe = limits->sq_chunk_quanta;

	attr->max_qp = dev->qp_ids.cnt;
	attr->max_qp_wr = (limits->sq_quanta_max - IRDMA_SQ_RESERVED_QUANTA) / quanta_per_wqe;
	attr->max_send_sge = limits->wq_frags_max;
	attr->max_recv_sge = limits->wq_frags_max;
	attr->max_sge_rd = limits->read_frags_max;
	attr->max_cq = dev->cq_ids.cnt;
	/* User space adds one entry and makes the number even. */
	attr->max_cqe = round_down(limits->cq_entries_max, 2) - 1;
	attr->max_qp_rd_atom = dev->ird_max;
	attr->max_qp_init_rd_atom = dev->ord_max;
	attr->max_res_rd_atom = dev->ird_max * attr->max_qp;
	attr->max_ah = dev->ah_ids.cnt;
	attr->max_srq = dev->srq_ids.cnt;
	attr->max_srq_wr = (limits->srq_quanta_max - IRDMA_RQ_RESERVED_QUANTA) / quanta_per_wqe;
	attr->max_srq_sge = limits->wq_frags_max;
	attr->max_mcast_grp = dev->mcg_ids.cnt;
	attr->max_mcast_qp_attach = limits->mcg_members_max;
	attr->max_total_mcast_qp_attach = attr->max_mcast_grp * attr->max_mcast_qp_attach;
}

/**
 * irdma_query_device - attributes of the device
 * @ib: IB device
 * @attr: filled
 * @udata: nothing in, nothing out
 *
 * Context: Process context.
 * Return: 0; -EOPNOTSUPP for data from the user.
 */
static int irdma_query_device(struct ib_device *ib, struct ib_device_attr *attr,
			      struct ib_udata *udata)
{
	struct irdma_ibdev *ibdev = to_irdma_ibdev(ib);
	struct irdma_dev *dev = ibdev->dev;
	int err = ib_no_udata_io(udata);

	if (err)
		return err;
	*attr = (struct ib_device_attr){
		.fw_ver = (u64)dev->features.fw_major << 32 | dev->features.fw_minor,
		.vendor_id = dev->pdev->vendor,
		.vendor_part_id = dev->pdev->device,
		.hw_ver = dev->pdev->revision,
		.device_cap_flags = IB_DEVICE_MEM_WINDOW | IB_DEVICE_MEM_WINDOW_TYPE_2B |
				    IB_DEVICE_MEM_MGT_EXTENSIONS | IB_DEVICE_RC_RNR_NAK_GEN,
		.max_pkeys = IRDMA_PKEY_CNT,
		.atomic_cap = irdma_has(dev, IRDMA_CAP_ATOMICS) ? IB_ATOMIC_HCA : IB_ATOMIC_NONE,
		.timestamp_mask = GENMASK_ULL(IRDMA_TIMESTAMP_BITS - 1, 0),
		.hca_core_clock = IRDMA_CLOCK_KHZ,
	};
	attr->masked_atomic_cap = attr->atomic_cap;
	addrconf_addr_eui48((u8 *)&attr->sys_image_guid, ibdev->netdev->dev_addr);
	irdma_fill_memory_attr(dev, attr);
	irdma_fill_queue_attr(dev, attr);
	return 0;
}

/* The port's rate by the speed of the net device: the first row that is as fast. */
static const struct {
	u32 mbps;
	u16 speed;
	u8 width;
} irdma_rates[] = {
	{ SPEED_1000, IB_SPEED_SDR, IB_WIDTH_1X },
	{ SPEED_10000, IB_SPEED_FDR10, IB_WIDTH_1X },
	{ SPEED_20000, IB_SPEED_DDR, IB_WIDTH_4X },
	{ SPEED_25000, IB_SPEED_EDR, IB_WIDTH_1X },
	{ SPEED_40000, IB_SPEED_FDR10, IB_WIDTH_4X },
	{ SPEED_50000, IB_SPEED_EDR, IB_WIDTH_2X },
	{ SPEED_100000, IB_SPEED_EDR, IB_WIDTH_4X },
	{ SPEED_200000, IB_SPEED_HDR, IB_WIDTH_4X },
	{ U32_MAX, IB_SPEED_NDR, IB_WIDTH_4X },
};

/* @err: what the net device answered when it was asked for its @link */
static void irdma_note_speed(struct irdma_ibdev *ibdev, int err,
			     const struct ethtool_link_ksettings *link)
{
	bool known = !err && link->base.speed != (u32)SPEED_UNKNOWN;

	WRITE_ONCE(ibdev->mbps, known ? link->base.speed : 0);
}

/**
 * irdma_report_port_event - the net device went up or down or changed
 * @ib: IB device
 * @netdev: its net device
 * @event: NETDEV_UP, NETDEV_DOWN or NETDEV_CHANGE
 *
 * Context: Under RTNL, and the net device's instance lock if it has one.
 */
static void irdma_report_port_event(struct ib_device *ib, struct net_device *netdev,
				    unsigned long event)
{
	struct ethtool_link_ksettings link = {};

	irdma_note_speed(to_irdma_ibdev(ib), netif_get_link_ksettings(netdev, &link), &link);
	ib_dispatch_port_state_event(ib, netdev);
}

/**
 * irdma_query_port - attributes of the port
 * @ib: IB device
 * @port: 1
 * @attr: zeroed by the core, filled
 *
 * Takes no lock: whoever removes the device waits for this function, and may hold a lock of
 * the LAN driver that is taken under RTNL.
 *
 * Context: Process context.
 * Return: 0.
 */
static int irdma_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	struct irdma_ibdev *ibdev = to_irdma_ibdev(ib);
	struct net_device *netdev = ibdev->netdev;
	u32 mbps = READ_ONCE(ibdev->mbps);
	int i = 0;

	while (irdma_rates[i].mbps < mbps)
		i++;
	attr->active_speed = irdma_rates[i].speed;
	attr->active_width = irdma_rates[i].width;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = iboe_get_mtu(netdev->mtu);
	attr->phys_mtu = netdev->mtu;
	attr->state = ib_get_curr_port_state(netdev);
	attr->phys_state = attr->state == IB_PORT_ACTIVE ? IB_PORT_PHYS_STATE_LINK_UP :
							   IB_PORT_PHYS_STATE_DISABLED;
	attr->gid_tbl_len = IRDMA_GID_CNT;
	attr->ip_gids = true;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->max_msg_sz = IRDMA_MSG_BYTES_MAX;
	attr->pkey_tbl_len = IRDMA_PKEY_CNT;
	attr->max_vl_num = 1;
	return 0;
}

/**
 * irdma_query_pkey - the one partition key of RoCE
 * @ib: IB device
 * @port: 1
 * @index: 0
 * @pkey: set
 *
 * Context: Any context.
 * Return: 0; -EINVAL for another index.
 */
static int irdma_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	if (index >= IRDMA_PKEY_CNT)
		return -EINVAL;
	*pkey = IB_DEFAULT_PKEY_FULL;
	return 0;
}

static int irdma_get_port_immutable(struct ib_device *ib, u32 port,
				    struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	immutable->gid_tbl_len = IRDMA_GID_CNT;
	immutable->pkey_tbl_len = IRDMA_PKEY_CNT;
	return 0;
}

static enum rdma_link_layer irdma_get_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

static void irdma_get_dev_fw_str(struct ib_device *ib, char *str)
{
	const struct irdma_dev *dev = to_irdma_ibdev(ib)->dev;

	snprintf(str, IB_FW_VERSION_NAME_MAX, "%u.%u", dev->features.fw_major,
		 dev->features.fw_minor);
}

/**
 * irdma_ib_dealloc_device - free what an IB device owns
 * @ib: IB device, unregistered or never registered; no object of it is left
 *
 * The last callback: the core frees the device itself when it returns.
 *
 * Context: Process context; may sleep.
 */
static void irdma_ib_dealloc_device(struct ib_device *ib)
{
	struct irdma_ibdev *ibdev = to_irdma_ibdev(ib);

	mutex_destroy(&ibdev->mcasts.lock);
}

static const struct ib_device_ops irdma_verbs_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_IRDMA,
	.uverbs_abi_ver = IRDMA_ABI_VER,
	.uverbs_robust_udata = 1,

	.dealloc_driver = irdma_ib_dealloc_device,
	.get_dev_fw_str = irdma_get_dev_fw_str,
	.get_link_layer = irdma_get_link_layer,
	.get_port_immutable = irdma_get_port_immutable,
	.query_device = irdma_query_device,
	.query_pkey = irdma_query_pkey,
	.query_port = irdma_query_port,
	.report_port_event = irdma_report_port_event,
};

static void irdma_aeq_event(struct irdma_dev *dev, const struct irdma_aeqe *aeqe)
{
	const struct irdma_ae_info *info = irdma_ae_lookup(aeqe->code);

	if (!info) {
		dev_warn_ratelimited(&dev->pdev->dev, "irdma: unknown event %#x dropped\n",
				     aeqe->code);
		return;
	}
	if (info->severity == IRDMA_AE_FUNCTION) {
		irdma_life_fail(dev, info->name);
		return;
	}
	switch (irdma_ae_target(info, aeqe->source).obj) {
	case IRDMA_AE_OBJ_QP:
		irdma_qp_event(dev, aeqe);
		break;
	case IRDMA_AE_OBJ_CQ:
		irdma_cq_error(dev, aeqe);
		break;
	case IRDMA_AE_OBJ_SRQ:
		irdma_srq_event(dev, aeqe, info->ib_event);
		break;
	default:
		dev_warn_ratelimited(&dev->pdev->dev, "irdma: event %#x (%s) dropped\n",
				     aeqe->code, info->name);
	}
}

/* Tells the users of all ports that the device is lost to them. */
static void irdma_ib_device_fatal(struct irdma_dev *dev)
{
	struct ib_event event = { .element.port_num = 1, .event = IB_EVENT_DEVICE_FATAL };
	struct irdma_ibdev *ibdev;

	guard(mutex)(&dev->ibdevs_lock);
	list_for_each_entry(ibdev, &dev->ibdevs, node) {
		event.device = &ibdev->ib;
		ib_dispatch_event(&event);
	}
}

const struct irdma_event_ops irdma_verbs_event_ops = {
	.cq_event = irdma_cq_event,
	.aeq_event = irdma_aeq_event,
	.fatal = irdma_ib_device_fatal,
};

/**
 * irdma_port_ibevent - the port's first report, of its speed and of its being up
 * @ibdev: registered IB device
 *
 * The core reports changes of the net device by itself, but not the state in which it
 * found it. A port that is down needs no event.
 *
 * Context: Process context; takes and releases RTNL.
 */
static void irdma_port_ibevent(struct irdma_ibdev *ibdev)
{
	struct ethtool_link_ksettings link = {};

	rtnl_lock();
	irdma_note_speed(ibdev, __ethtool_get_link_ksettings(ibdev->netdev, &link), &link);
	rtnl_unlock();
	if (ib_get_curr_port_state(ibdev->netdev) == IB_PORT_ACTIVE)
		ib_dispatch_port_state_event(&ibdev->ib, ibdev->netdev);
}

/**
 * irdma_init_roce_device - what makes an IB device one of RoCE
 * @ibdev: IB device, not registered
 *
 * A channel adapter whose GUID is made of the net device's MAC.
 *
 * Context: Process context.
 */
static void irdma_init_roce_device(struct irdma_ibdev *ibdev)
{
	ibdev->ib.node_type = RDMA_NODE_IB_CA;
	addrconf_addr_eui48((u8 *)&ibdev->ib.node_guid, ibdev->netdev->dev_addr);
}

/**
 * irdma_init_rdma_device - fill in what the core wants to know before registration
 * @ibdev: IB device, not registered
 *
 * Ports, completion vectors, and the callbacks of all objects.
 *
 * Context: Process context.
 */
static void irdma_init_rdma_device(struct irdma_ibdev *ibdev)
{
	struct ib_device *ib = &ibdev->ib;

	irdma_init_roce_device(ibdev);
	ib->phys_port_cnt = IRDMA_PORT_CNT;
	/* CEQ 0 carries the control CQ alone. */
	ib->num_comp_vectors = ibdev->dev->eqs.ceq_cnt - 1;
	ib->dev.parent = &ibdev->dev->pdev->dev;
	ib_set_device_ops(ib, &irdma_verbs_ops);
	ib_set_device_ops(ib, &irdma_uctx_ops);
	ib_set_device_ops(ib, &irdma_mr_ops);
	ib_set_device_ops(ib, &irdma_mw_ops);
	ib_set_device_ops(ib, &irdma_cq_ops);
	ib_set_device_ops(ib, &irdma_qp_ops);
	ib_set_device_ops(ib, &irdma_srq_ops);
	ib_set_device_ops(ib, &irdma_ah_ops);
	ib_set_device_ops(ib, &irdma_mcast_ops);
	ib_set_device_ops(ib, &irdma_poll_ops);
	ib_set_device_ops(ib, &irdma_post_ops);
	ib_set_device_ops(ib, &irdma_stats_ops);
	ib_set_device_ops(ib, &irdma_restrack_ops);
	ib_set_device_ops(ib, &irdma_reap_ops);
	ib->driver_def = irdma_cq_defs;
}

/**
 * irdma_ib_alloc_device - an IB device that is not registered
 * @dev: function, running
 * @netdev: the vport's net device; outlives the IB device
 * @vport_id: number that the LAN driver gave the vport
 *
 * Undone by ib_dealloc_device(), or by irdma_ib_unregister_device() once it is registered.
 *
 * Context: Process context; may sleep.
 * Return: device or NULL.
 */
struct irdma_ibdev *irdma_ib_alloc_device(struct irdma_dev *dev, struct net_device *netdev,
					  u16 vport_id)
{
	struct irdma_ibdev *ibdev = ib_alloc_device(irdma_ibdev, ib);

	if (!ibdev)
		return NULL;
	ibdev->dev = dev;
	ibdev->netdev = netdev;
	ibdev->vport_id = vport_id;
	memcpy(ibdev->qs_handle, dev->qs_handle, sizeof(ibdev->qs_handle));
	irdma_ahs_init(&ibdev->ahs);
	irdma_mcasts_init(&ibdev->mcasts);
	irdma_init_rdma_device(ibdev);
	return ibdev;
}

/**
 * irdma_ib_register_device - give the device to the core
 * @ibdev: device from irdma_ib_alloc_device()
 *
 * Context: Process context; may sleep.
 * Return: 0 or what the core returns.
 */
int irdma_ib_register_device(struct irdma_ibdev *ibdev)
{
	int err;

	err = ib_device_set_netdev(&ibdev->ib, ibdev->netdev, 1);
	if (err)
		return err;
	dma_set_max_seg_size(&ibdev->dev->pdev->dev, UINT_MAX);
	err = ib_register_device(&ibdev->ib, "irdma%d", &ibdev->dev->pdev->dev);
	if (err)
		return err;
	scoped_guard(mutex, &ibdev->dev->ibdevs_lock)
		list_add_tail(&ibdev->node, &ibdev->dev->ibdevs);
	irdma_port_ibevent(ibdev);
	return 0;
}

/**
 * irdma_ib_unregister_device - take the device from the core
 * @ibdev: registered device, freed
 *
 * User contexts are cut off, not waited for; kernel consumers are gone when the function
 * returns.
 *
 * Context: Process context; may sleep.
 */
void irdma_ib_unregister_device(struct irdma_ibdev *ibdev)
{
	scoped_guard(mutex, &ibdev->dev->ibdevs_lock)
		list_del(&ibdev->node);
	ib_unregister_device(&ibdev->ib);
}
