// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * RoCE QP context: plain values to the 256 bytes that the device reads at
 * every create and modify QP command.
 *
 * The whole context is written each time; the device never changes it. Pure
 * functions, any context.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <linux/bitfield.h>
#include <linux/etherdevice.h>
#include <linux/log2.h>
#include <rdma/ib_verbs.h>

#include "qpc.h"

static void irdma_qpc_set(struct irdma_qpc *qpc, unsigned int qw, u64 val)
{
	qpc->qw[qw] = cpu_to_le64(val);
}

/* Groups 2 and 3 in quadword @qw, groups 0 and 1 (IPv6) in the next one. */
static void irdma_qpc_set_ip(struct irdma_qpc *qpc, unsigned int qw,
			     const u32 *ip, bool ipv4)
{
	u64 high = ipv4 ? 0 : FIELD_PREP(IRDMA_QPC_IP_EVEN, ip[2]);

	irdma_qpc_set(qpc, qw, high | FIELD_PREP(IRDMA_QPC_IP_ODD, ip[3]));
	if (!ipv4)
		irdma_qpc_set(qpc, qw + 1, FIELD_PREP(IRDMA_QPC_IP_EVEN, ip[0]) |
					   FIELD_PREP(IRDMA_QPC_IP_ODD, ip[1]));
}

/**
 * irdma_ird_code - code of the inbound-read queue
 * @ird: inbound reads
 *
 * The queue has twice as many elements, rounded up to a power of two, at
 * least 4 and at most 4096.
 *
 * Return: log2 of the elements, minus 2; 0 for an @ird above 2048.
 */
u8 irdma_ird_code(u32 ird)
{
	if (ird <= 2 || ird > 2048)
		return 0;
	return ilog2(roundup_pow_of_two(2 * ird)) - 2;
}

/**
 * irdma_qpc_defaults - values of a QP that no attribute was set of yet
 * @a: zeroed arguments
 */
void irdma_qpc_defaults(struct irdma_qpc_args *a)
{
	a->src_port = 0xc000;
	a->dest_port = ROCE_V2_UDP_DPORT;
	a->ack_credits = 0x1e;
	a->cwnd = 0x400;
	a->retry_cnt = 2;
	a->rnr_retry_cnt = 2;
	a->min_rto = 5;
	a->remote_write = true;
	a->remote_read = true;
}

/* Rings, CQs, SRQ, push page, PD and statistics. */
static void irdma_qpc_enc_queues(struct irdma_qpc *qpc,
				 const struct irdma_qpc_args *a)
{
	irdma_qpc_set(qpc, 1, a->sq_addr);
	irdma_qpc_set(qpc, 2, a->rq_addr);
	irdma_qpc_set(qpc, 17, FIELD_PREP(IRDMA_QPC_QW17_SEND_CQ, a->send_cq) |
			       FIELD_PREP(IRDMA_QPC_QW17_RECV_CQ, a->recv_cq));
	irdma_qpc_set(qpc, 21, a->compl_ctx);
	irdma_qpc_set(qpc, 22, FIELD_PREP(IRDMA_QPC_QW22_QSET, a->qset));
	if (a->use_srq)
		irdma_qpc_set(qpc, 25, FIELD_PREP(IRDMA_QPC_QW25_SRQ_ID,
						  a->srq_id));
	irdma_qpc_set(qpc, 26, FIELD_PREP(IRDMA_QPC_QW26_PD_ID, a->pd_id) |
			       FIELD_PREP(IRDMA_QPC_QW26_STATS_IDX,
					  a->use_stats ? a->stats_idx : 0));
}

/* What packets carry: addresses, ports, keys. */
static void irdma_qpc_enc_path(struct irdma_qpc *qpc,
			       const struct irdma_qpc_args *a)
{
	irdma_qpc_set_ip(qpc, 4, a->dest_ip, a->ipv4);
	irdma_qpc_set_ip(qpc, 23, a->local_ip, a->ipv4);
	irdma_qpc_set(qpc, 6, FIELD_PREP(IRDMA_QPC_QW6_PATH_MTU, a->path_mtu) |
			      FIELD_PREP(IRDMA_QPC_QW6_VLAN_TAG, a->vlan_tag) |
			      FIELD_PREP(IRDMA_QPC_QW6_ARP_IDX, a->arp_idx));
	irdma_qpc_set(qpc, 7, FIELD_PREP(IRDMA_QPC_QW7_FLOW_LABEL,
					 a->flow_label) |
			      FIELD_PREP(IRDMA_QPC_QW7_ACK_CREDITS,
					 a->ack_credits) |
			      FIELD_PREP(IRDMA_QPC_QW7_PKEY, a->pkey));
	irdma_qpc_set(qpc, 8, FIELD_PREP(IRDMA_QPC_QW8_DEST_QPN, a->dest_qpn) |
			      FIELD_PREP(IRDMA_QPC_QW8_QKEY, a->qkey));
	irdma_qpc_set(qpc, 19, FIELD_PREP(IRDMA_QPC_QW19_SRC_MAC,
					  ether_addr_to_u64(a->src_mac)) |
			       FIELD_PREP(IRDMA_QPC_QW19_ACK_TIMEOUT,
					  a->ack_timeout));
}

/* Sequence numbers, window, retries. */
static void irdma_qpc_enc_transport(struct irdma_qpc *qpc,
				    const struct irdma_qpc_args *a)
{
	irdma_qpc_set(qpc, 10, FIELD_PREP(IRDMA_QPC_QW10_PSN_NEXT, a->sq_psn) |
			       FIELD_PREP(IRDMA_QPC_QW10_LSN, a->lsn));
	irdma_qpc_set(qpc, 11, FIELD_PREP(IRDMA_QPC_QW11_PSN_EXPECTED,
					  a->rq_psn));
	irdma_qpc_set(qpc, 12, FIELD_PREP(IRDMA_QPC_QW12_PSN_MAX, a->sq_psn) |
			       FIELD_PREP(IRDMA_QPC_QW12_PSN_UNACKED,
					  a->sq_psn));
	irdma_qpc_set(qpc, 14, FIELD_PREP(IRDMA_QPC_QW14_CWND, a->cwnd));
	irdma_qpc_set(qpc, 16, FIELD_PREP(IRDMA_QPC_QW16_MIN_RNR_TIMER,
					  a->min_rnr_timer) |
			       FIELD_PREP(IRDMA_QPC_QW16_RETRY_CNT,
					  a->retry_cnt) |
			       FIELD_PREP(IRDMA_QPC_QW16_RNR_RETRY_CNT,
					  a->rnr_retry_cnt) |
			       FIELD_PREP(IRDMA_QPC_QW16_MIN_RTO, a->min_rto));
}

static u64 irdma_qpc_caps(const struct irdma_qpc_args *a)
{
	return FIELD_PREP(IRDMA_QPC_QW20_ORD, a->ord) |
	       FIELD_PREP(IRDMA_QPC_QW20_IRD_CODE, irdma_ird_code(a->ird)) |
	       FIELD_PREP(IRDMA_QPC_QW20_REMOTE_ATOMIC, a->remote_atomic) |
	       FIELD_PREP(IRDMA_QPC_QW20_UD_PRIV_CQ, a->ud_priv_cq) |
	       FIELD_PREP(IRDMA_QPC_QW20_WRITE_OK, a->remote_write) |
	       FIELD_PREP(IRDMA_QPC_QW20_READ_OK, a->remote_read) |
	       FIELD_PREP(IRDMA_QPC_QW20_BIND, a->bind) |
	       FIELD_PREP(IRDMA_QPC_QW20_FAST_REG, a->fast_reg) |
	       FIELD_PREP(IRDMA_QPC_QW20_PRIVILEGED, a->privileged) |
	       FIELD_PREP(IRDMA_QPC_QW20_USE_STATS, a->use_stats);
}

/**
 * irdma_qpc_enc - fill a RoCE QP context
 * @qpc: context
 * @a: values
 *
 * Congestion control beyond the window and TPH stay off.
 */
void irdma_qpc_enc(struct irdma_qpc *qpc, const struct irdma_qpc_args *a)
{
	*qpc = (struct irdma_qpc){};
	irdma_qpc_set(qpc, 0, FIELD_PREP(IRDMA_QPC_QW0_IPV4, a->ipv4) |
			      FIELD_PREP(IRDMA_QPC_QW0_INSERT_VLAN,
					 a->insert_vlan) |
			      FIELD_PREP(IRDMA_QPC_QW0_RQ_WQE_SIZE,
					 a->rq_wqe_shift) |
			      FIELD_PREP(IRDMA_QPC_QW0_USE_SRQ, a->use_srq) |
			      FIELD_PREP(IRDMA_QPC_QW0_PUSH_IDX,
					 a->use_push ? a->push_idx : 0) |
			      FIELD_PREP(IRDMA_QPC_QW0_PUSH_ENABLE,
					 a->use_push));
	irdma_qpc_set(qpc, 3, FIELD_PREP(IRDMA_QPC_QW3_TTL, a->ttl) |
			      FIELD_PREP(IRDMA_QPC_QW3_RQ_SIZE,
					 ilog2(a->rq_quanta) - 2) |
			      FIELD_PREP(IRDMA_QPC_QW3_SQ_SIZE,
					 ilog2(a->sq_quanta) - 2) |
			      FIELD_PREP(IRDMA_QPC_QW3_TOS, a->tos) |
			      FIELD_PREP(IRDMA_QPC_QW3_SRC_PORT, a->src_port) |
			      FIELD_PREP(IRDMA_QPC_QW3_DEST_PORT,
					 a->dest_port));
	irdma_qpc_set(qpc, 20, irdma_qpc_caps(a));
	irdma_qpc_enc_queues(qpc, a);
	irdma_qpc_enc_path(qpc, a);
	irdma_qpc_enc_transport(qpc, a);
}
