/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_QPC_H
#define IRDMA_QPC_H

#include <linux/if_ether.h>
#include <linux/types.h>

#include "hw_qpc.h"

/* LSN of a QP whose first PSN was just set. */
#define IRDMA_QPC_LSN_INIT	0xffff

/**
 * struct irdma_qpc_args - everything the device knows about a RoCE QP
 * @sq_addr: bus address of the SQ, or its first PBLE index
 * @rq_addr: bus address of the RQ, or its first PBLE index; always a bus
 *	     address with @use_srq
 * @compl_ctx: returned in completions; events drop bits 5:0
 * @local_ip: four groups in CPU order; IPv4 in group 3, the other groups are
 *	      then ignored
 * @dest_ip: likewise
 * @sq_quanta: SQ size, a power of two, 4 to 131072
 * @rq_quanta: RQ size, likewise
 * @pd_id: protection domain, 24 bits
 * @send_cq: CQ number, 25 bits
 * @recv_cq: CQ number, 25 bits
 * @srq_id: SRQ id, used with @use_srq
 * @qkey: Q_Key of UD
 * @dest_qpn: destination QP of RC
 * @sq_psn: first PSN to send: next, oldest unacknowledged and maximum PSN
 * @rq_psn: expected PSN
 * @lsn: IRDMA_QPC_LSN_INIT once @sq_psn is set, 0 before
 * @cwnd: congestion window
 * @flow_label: 20 bits
 * @pkey: P_Key
 * @path_mtu: payload bytes per packet
 * @src_port: UDP source port
 * @dest_port: UDP destination port
 * @vlan_tag: priority in 15:13, VLAN id in 11:0
 * @arp_idx: ARP entry with the destination MAC
 * @qset: queue-set handle, 10 bits
 * @ord: outbound reads, 11 bits
 * @ird: inbound reads, 0 to 2048
 * @stats_idx: statistics instance, used with @use_stats
 * @push_idx: push page index, used with @use_push
 * @src_mac: local MAC
 * @ttl: TTL or hop limit
 * @tos: TOS or traffic class
 * @ack_credits: 5 bits
 * @min_rnr_timer: IB code of the RNR NAK timer
 * @ack_timeout: IB code of the local ACK timeout
 * @retry_cnt: 6 bits
 * @rnr_retry_cnt: 3 bits
 * @min_rto: minimum retransmit timeout, 7 bits
 * @rq_wqe_shift: log2 of the quanta per RQ WQE
 * @ipv4: addresses are IPv4
 * @insert_vlan: send with @vlan_tag
 * @use_srq: receive from an SRQ
 * @use_push: push page is in use
 * @use_stats: count in a statistics instance
 * @remote_atomic: inbound atomics allowed
 * @remote_write: inbound writes, and read responses, allowed
 * @remote_read: inbound reads allowed
 * @bind: memory windows may be bound
 * @fast_reg: fast registration allowed, kernel QPs
 * @privileged: kernel QP
 * @ud_priv_cq: CQ of a privileged UD QP
 */
struct irdma_qpc_args {
	u64 sq_addr;
	u64 rq_addr;
	u64 compl_ctx;
	u32 local_ip[4];
	u32 dest_ip[4];
	u32 sq_quanta;
	u32 rq_quanta;
	u32 pd_id;
	u32 send_cq;
	u32 recv_cq;
	u32 srq_id;
	u32 qkey;
	u32 dest_qpn;
	u32 sq_psn;
	u32 rq_psn;
	u32 lsn;
	u32 cwnd;
	u32 flow_label;
	u16 pkey;
	u16 path_mtu;
	u16 src_port;
	u16 dest_port;
	u16 vlan_tag;
	u16 arp_idx;
	u16 qset;
	u16 ord;
	u16 ird;
	u16 stats_idx;
	u16 push_idx;
	u8 src_mac[ETH_ALEN];
	u8 ttl;
	u8 tos;
	u8 ack_credits;
	u8 min_rnr_timer;
	u8 ack_timeout;
	u8 retry_cnt;
	u8 rnr_retry_cnt;
	u8 min_rto;
	u8 rq_wqe_shift;
	bool ipv4;
	bool insert_vlan;
	bool use_srq;
	bool use_push;
	bool use_stats;
	bool remote_atomic;
	bool remote_write;
	bool remote_read;
	bool bind;
	bool fast_reg;
	bool privileged;
	bool ud_priv_cq;
};

u8 irdma_ird_code(u32 ird);
void irdma_qpc_defaults(struct irdma_qpc_args *a);
void irdma_qpc_enc(struct irdma_qpc *qpc, const struct irdma_qpc_args *a);

#endif /* IRDMA_QPC_H */
