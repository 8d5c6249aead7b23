/* SPDX-License-Identifier: GPL-2.0 */
/*
 * virtchnl2: the messages between a function's LAN driver and the device.
 *
 * Little-endian. A structure's size is that of the message without its
 * variable part, which follows it.
 */
#ifndef NIC_LAN_VIRTCHNL2_H
#define NIC_LAN_VIRTCHNL2_H

#include "../types.h"

#define VC_WIRE		__attribute__((packed, may_alias))
#define VC_SIZE(type, bytes) \
	_Static_assert(sizeof(struct type) == (bytes), #type " has " #bytes " bytes")

#define VC_PAYLOAD_MAX	4096u

/* Operation codes */
#define VC_VERSION		1
#define VC_GET_CAPS		500
#define VC_CREATE_VPORT		501
#define VC_DESTROY_VPORT	502
#define VC_ENABLE_VPORT		503
#define VC_DISABLE_VPORT	504
#define VC_CONFIG_TX_QUEUES	505
#define VC_CONFIG_RX_QUEUES	506
#define VC_ENABLE_QUEUES	507
#define VC_DISABLE_QUEUES	508
#define VC_ADD_QUEUES		509
#define VC_DEL_QUEUES		510
#define VC_MAP_VECTORS		511
#define VC_UNMAP_VECTORS	512
#define VC_SET_RSS_KEY		514
#define VC_SET_RSS_LUT		516
#define VC_ALLOC_VECTORS	520
#define VC_DEALLOC_VECTORS	521
#define VC_EVENT		522
#define VC_GET_STATS		523
#define VC_RESET_VF		524
#define VC_GET_PTYPES		526
#define VC_RDMA			529
#define VC_ADD_MAC		535
#define VC_DEL_MAC		536
#define VC_SET_PROMISC		537
#define VC_GET_REGIONS		549

/* Return values: 0, or an errno's number */
#define VC_OK			0
#define VC_EPERM		1
#define VC_ESRCH		3
#define VC_ENOENT		2
#define VC_EBUSY		16
#define VC_EEXIST		17
#define VC_EINVAL		22
#define VC_ENOSPC		28
#define VC_ERANGE		34
#define VC_EOPNOTSUPP		95

struct vc_version {
	u32 major, minor;
} VC_WIRE;
VC_SIZE(vc_version, 8);

#define VC_MAJOR	2
#define VC_MINOR	0

struct vc_caps {
	u32 csum_caps, seg_caps, hsplit_caps, rsc_caps;
	u64 rss_caps;
	u64 other_caps;
	u32 mailbox_dyn_ctl;
	u16 mailbox_vector_id, num_vectors;
	u16 max_rx_q, max_tx_q, max_rx_bufq, max_tx_complq;
	u16 max_sriov_vfs, max_vports, default_num_vports;
	u16 max_tx_hdr_size;
	u8 max_sg_bufs;
	u8 pad0[3];
	u8 reserved0[4];
	u32 device_type;
	u8 min_sso_packet_len, max_hdr_buf_per_lso;
	u16 num_rdma_vectors;
	u8 pad1[8];
} VC_WIRE;
VC_SIZE(vc_caps, 80);

#define VC_CAP_RSS_ALL		0xffu		/* rss_caps: every kind of IP packet */
#define VC_CAP_RDMA		BIT(0)
#define VC_CAP_MACFILTER	BIT(2)
#define VC_CAP_PROMISC		BIT(8)
#define VC_CAP_LAN_REGIONS	BIT(22)

struct vc_regions {
	u16 count;
	u8 pad[6];
} VC_WIRE;
VC_SIZE(vc_regions, 8);

struct vc_region {
	u64 offset, size;
} VC_WIRE;
VC_SIZE(vc_region, 16);

struct vc_vector_chunks {
	u16 count;
	u8 pad[14];
} VC_WIRE;
VC_SIZE(vc_vector_chunks, 16);

struct vc_vector_chunk {
	u16 start_vector, start_evv, num_vectors, pad0;
	u32 dynctl_start, dynctl_spacing;
	u32 itr_start, itr_spacing, itr_index_spacing;
	u8 pad1[4];
} VC_WIRE;
VC_SIZE(vc_vector_chunk, 32);

struct vc_alloc_vectors {
	u16 num_vectors;
	u8 pad[14];
	struct vc_vector_chunks chunks;
} VC_WIRE;
VC_SIZE(vc_alloc_vectors, 32);

struct vc_ptypes {
	u16 start, count;
	u8 pad[4];
} VC_WIRE;
VC_SIZE(vc_ptypes, 8);

struct vc_ptype {
	u16 id_10;
	u8 id_8, proto_count;
	u16 pad;
} VC_WIRE;
VC_SIZE(vc_ptype, 6);

#define VC_PTYPES	1024u	/* ids that there can be */
#define VC_PTYPE_END	0xffff
#define VC_PTYPE_END_8	0xff

/* Protocols that a packet type consists of */
#define VC_PROTO_MAC	2
#define VC_PROTO_IPV4	19
#define VC_PROTO_IPV6	21
#define VC_PROTO_UDP	24
#define VC_PROTO_TCP	25
#define VC_PROTO_PAY	34

enum vc_queue_type { VC_Q_TX, VC_Q_RX, VC_Q_COMPL, VC_Q_BUF, VC_Q_TYPES };

struct vc_queue_chunk {		/* CREATE_VPORT, ADD_QUEUES */
	u32 type, start, count, pad0;
	u64 tail_start;
	u32 tail_spacing, pad1;
} VC_WIRE;
VC_SIZE(vc_queue_chunk, 32);

struct vc_create_vport {
	u16 type, txq_model, rxq_model;
	u16 num_tx_q, num_tx_complq, num_rx_q, num_rx_bufq;
	u16 default_rx_q, vport_index, max_mtu;
	u32 vport_id;
	u8 mac[6];
	u16 flags;
	u64 rx_desc_ids, tx_desc_ids;
	u8 pad0[48];
	u64 inline_flow_caps, sideband_flow_caps;
	u32 sideband_flow_actions, flow_steer_max_rules;
	u32 rss_algorithm;
	u16 rss_key_size, rss_lut_size;
	u32 rx_split_pos;
	u8 pad1[20];
	u16 num_chunks;
	u8 pad2[6];
} VC_WIRE;
VC_SIZE(vc_create_vport, 160);

#define VC_MODEL_SPLIT		1
#define VC_VPORT_RDMA		BIT(4)		/* flags */
#define VC_RXDID_SPLITQ		BIT(2)		/* rx_desc_ids */
#define VC_TXDID_FLOW_SCHED	BIT(12)		/* tx_desc_ids */
#define VC_TXDID_FLEX_TSO	BIT(5)

struct vc_vport {		/* ENABLE_, DISABLE_, DESTROY_VPORT */
	u32 vport_id, pad;
} VC_WIRE;
VC_SIZE(vc_vport, 8);

struct vc_config_tx {
	u32 vport_id;
	u16 count;
	u8 pad[10];
} VC_WIRE;
VC_SIZE(vc_config_tx, 16);

struct vc_tx_queue {
	u64 ring;
	u32 type, id;
	u16 relative_id, model, sched_mode, qflags, ring_len, complq;
	u16 peer_type, peer_rx_queue;
	u8 pad0[4];
	u32 pasid[3];
	u8 pad1[8];
} VC_WIRE;
VC_SIZE(vc_tx_queue, 56);

#define VC_SCHED_FLOW	1

struct vc_config_rx {
	u32 vport_id;
	u16 count;
	u8 pad[18];
} VC_WIRE;
VC_SIZE(vc_config_rx, 24);

struct vc_rx_queue {
	u64 desc_ids;
	u64 ring;
	u32 type, id;
	u16 model, hdr_buf_size;
	u32 data_buf_size, max_pkt_size;
	u16 ring_len;
	u8 notify_stride, pad0;
	u64 head_wb;
	u16 qflags, low_watermark;
	u16 bufq[2];
	u8 bufq2_ena, pad1[3];
	u32 pasid[3];
	u8 pad2[16];
} VC_WIRE;
VC_SIZE(vc_rx_queue, 88);

#define VC_RXQ_RSC		BIT(0)		/* qflags */
#define VC_RXQ_HSPLIT		BIT(1)
#define VC_RXQ_DESC_32B		BIT(4)
#define VC_BUF_STRIDE		32		/* notify_stride of a buffer queue */

struct vc_vector_maps {
	u32 vport_id;
	u16 count;
	u8 pad[10];
} VC_WIRE;
VC_SIZE(vc_vector_maps, 16);

struct vc_vector_map {
	u32 queue;
	u16 vector, pad0;
	u32 itr_index, queue_type;
	u8 pad1[8];
} VC_WIRE;
VC_SIZE(vc_vector_map, 24);

struct vc_queues {		/* ENABLE_, DISABLE_, DEL_QUEUES */
	u32 vport_id, pad0;
	u16 count;
	u8 pad1[6];
} VC_WIRE;
VC_SIZE(vc_queues, 16);

struct vc_queue_range {
	u32 type, start, count, pad;
} VC_WIRE;
VC_SIZE(vc_queue_range, 16);

struct vc_add_queues {
	u32 vport_id;
	u16 num_tx_q, num_tx_complq, num_rx_q, num_rx_bufq;
	u8 pad0[4];
	u16 num_chunks;
	u8 pad1[6];
} VC_WIRE;
VC_SIZE(vc_add_queues, 24);

struct vc_macs {
	u32 vport_id;
	u16 count, pad;
} VC_WIRE;
VC_SIZE(vc_macs, 8);

struct vc_mac {
	u8 addr[6], type, pad;
} VC_WIRE;
VC_SIZE(vc_mac, 8);

#define VC_MAC_PRIMARY	1
#define VC_MAC_EXTRA	2

struct vc_rss_key {
	u32 vport_id;
	u16 len;
	u8 pad;
} VC_WIRE;
VC_SIZE(vc_rss_key, 7);

struct vc_rss_lut {
	u32 vport_id;
	u16 start, entries;
	u8 pad[4];
} VC_WIRE;
VC_SIZE(vc_rss_lut, 12);

struct vc_promisc {
	u32 vport_id;
	u16 flags, pad;
} VC_WIRE;
VC_SIZE(vc_promisc, 8);

#define VC_PROMISC_UNICAST	BIT(0)
#define VC_PROMISC_MULTICAST	BIT(1)

/* Counters of GET_STATS in the message's order. */
enum vc_stat {
	VC_RX_BYTES, VC_RX_UNICAST, VC_RX_MULTICAST, VC_RX_BROADCAST,
	VC_RX_DISCARDS, VC_RX_ERRORS, VC_RX_UNKNOWN_PROTO,
	VC_TX_BYTES, VC_TX_UNICAST, VC_TX_MULTICAST, VC_TX_BROADCAST,
	VC_TX_DISCARDS, VC_TX_ERRORS, VC_RX_INVALID_LEN, VC_RX_OVERFLOW,
	VC_STATS
};

struct vc_stats {
	u32 vport_id, pad;
	u64 val[VC_STATS];
} VC_WIRE;
VC_SIZE(vc_stats, 128);

struct vc_event {
	u32 event, link_speed, vport_id;
	u8 link_status, pad;
	u16 reserved;
} VC_WIRE;
VC_SIZE(vc_event, 16);

#define VC_EVENT_LINK	1

#endif
