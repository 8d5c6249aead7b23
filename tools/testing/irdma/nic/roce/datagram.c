// SPDX-License-Identifier: GPL-2.0
/*
 * UD: datagrams, the GSI queue pair, multicast.
 *
 * A datagram is one packet and complete when it was sent. What cannot be received (no
 * work request, another Q_Key, no room) is dropped. A receive buffer begins with 40
 * bytes for the IP header: IPv6 fills them, IPv4 uses the second half.
 */
#include <string.h>

#include "../wire/wire.h"
#include "roce.h"

#define GSI_QPN		1u
#define GSI_QKEY	0x80010000u
#define PKEY_DEFAULT	0xFFFFu
#define QKEY_OWN	0x80000000u	/* in a work request: the queue pair's own Q_Key */
#define MCAST_MEMBERS	8u

/* The GSI queue pair uses what the port has: one P_Key, and the Q_Key of all GSI. */
static u16 pkey_of(const struct rdma_qp *qp)
{
	return qp->qpn == GSI_QPN ? PKEY_DEFAULT : qp->ctx.pkey;
}

static u32 qkey_of(const struct rdma_qp *qp)
{
	return qp->qpn == GSI_QPN ? GSI_QKEY : qp->ctx.qkey;
}

static bool is_group(const struct roce_path *path)
{
	return path->ipv4 ? (path->dip[12] & 0xF0) == 0xE0 : path->dip[0] == 0xFF;
}

/* 0 or the event code; the path of the work request's address handle. */
static u16 dg_path(struct roce_qp *q, const struct send_wqe *w, struct roce_path *path, bool *loop)
{
	struct rdma_ah *ah = rdma_ah_get(q->qp->r, w->ah);
	struct nic *nic = q->roce->nic;

	if (!ah) {
		violation(nic, V_UD_AH, "qp %u index %u handle %u", q->qp->id, w->idx, w->ah);
		return AE_BAD_AH;
	}
	if (ah->pd != q->qp->ctx.pd) {
		violation(nic, V_UD_PD, "qp %u in %u, handle %u in %u", q->qp->id, q->qp->ctx.pd,
			  w->ah, ah->pd);
		return AE_UD_PD;
	}
	*path = (struct roce_path){
		.vlan = ah->insert_vlan, .vlan_tag = ah->vlan_tag, .ipv4 = ah->ipv4,
		.tos = ah->tos, .ttl = ah->ttl, .flow_label = ah->flow_label,
		.sport = roce_sport(ah->flow_label, q->qp->qpn, w->dqpn),
	};
	memcpy(path->smac, ah->smac, 6);
	memcpy(path->sip, ah->sip, 16);
	memcpy(path->dip, ah->dip, 16);
	*loop = ah->loopback && is_group(path);
	if (rdma_arp_get(q->qp->r, ah->arp_idx, path->dmac))
		return 0;
	violation(nic, V_ARP_INDEX, "qp %u handle %u ARP index %u", q->qp->id, w->ah, ah->arp_idx);
	return AE_BAD_ARP;
}

static u16 dg_payload(struct roce_qp *q, const struct send_wqe *w, struct payload *data)
{
	if (w->len > q->mtu) {
		violation(q->roce->nic, V_UD_LENGTH, "qp %u index %u: %u bytes, MTU %u", q->qp->id,
			  w->idx, w->len, q->mtu);
		return AE_UD_TOO_LONG;
	}
	data->len = w->len;
	if (w->inlined) {
		data->bytes = w->data;
		return 0;
	}
	return spans_of_sges(q->qp, w->sge, w->nfrags, ACC_LOCAL_READ, 0, w->len, data->span,
			     &data->n);
}

static u16 dg_send(struct roce_qp *q, const struct send_wqe *w, u32 psn)
{
	struct roce_hdr h = {
		.opcode = w->has_imm ? UD_SEND_ONLY_IMM : UD_SEND_ONLY, .psn = psn,
		.se = w->solicited, .pkey = pkey_of(q->qp), .dqpn = w->dqpn,
		.qkey = w->qkey & QKEY_OWN ? qkey_of(q->qp) : w->qkey,
		.sqpn = q->qp->qpn, .imm = w->imm,
	};
	struct payload data = {};
	struct roce_path path;
	bool loop;
	u16 code;

	code = dg_path(q, w, &path, &loop);
	if (!code)
		code = dg_payload(q, w, &data);
	if (code)
		return code;
	q->roce->stat[ST_OUT_SENDS]++;
	return link_send(q->roce, &path, &h, &data, loop);
}

bool dg_work(struct roce_qp *q, u32 budget)
{
	while (budget--) {
		struct send_record *rec;
		u16 code = 0;

		if (q->qp->state != QPS_RTS)
			return false;
		rec = req_fetch(q);
		if (!rec)
			return false;
		if (rec->w.op != WQE_NOP)
			code = dg_send(q, &rec->w, rec->first);
		if (code)
			cmpl_fail(q, code, AE_SRC_SQ, rec->w.idx);
		else
			req_retire(q);
	}
	return true;
}

/* GRH area and payload as one run of bytes. */
static u32 received_bytes(const struct roce_frame *rf, u8 *buf)
{
	memset(buf, 0, ROCE_GRH_BYTES);
	memcpy(buf + ROCE_GRH_BYTES - rf->ip_len, rf->ip, rf->ip_len);
	memcpy(buf + ROCE_GRH_BYTES, rf->data, rf->len);
	return ROCE_GRH_BYTES + rf->len;
}

static void dg_complete(struct roce_qp *q, const struct roce_frame *rf, u32 len)
{
	struct cqe cqe = {
		.op = 0x3E, .byte_len = len, .ud_src_qpn = rf->h.sqpn, .ipv4 = rf->path.ipv4,
		.has_imm = roce_op_flags(rf->h.opcode) & OPF_IMM, .imm = rf->h.imm,
		.solicited = rf->h.se, .ext = true, .smac_valid = true,
		.vlan_valid = rf->path.vlan, .vlan = rf->path.vlan_tag,
	};

	memcpy(cqe.smac, rf->path.smac, 6);
	cmpl_recv(q, &cqe);
}

/* False: dropped. */
static bool dg_place(struct roce_qp *q, const struct roce_frame *rf)
{
	struct recv_wqe *recv = &q->resp.recv;
	u8 buf[ROCE_GRH_BYTES + WIRE_FRAME_MAX];
	struct span dst[WQE_MAX_FRAGS];
	struct payload data = { .bytes = buf };
	struct wqe_fault fault;
	u32 n;
	u16 code;

	if (!resp_take_recv(q, &fault)) {
		if (fault.code)
			cmpl_fail(q, fault.code, AE_SRC_RQ, recv->idx);
		return false;
	}
	data.len = received_bytes(rf, buf);
	if (data.len > recv->len)
		return false;
	code = spans_of_sges(q->qp, recv->sge, recv->nfrags, ACC_LOCAL_WRITE, 0, data.len, dst, &n);
	if (!code && !payload_place(&data, dst, n))
		code = AE_QP_CATASTROPHIC;
	if (code) {
		cmpl_fail(q, code, AE_SRC_RQ, recv->idx);
		return false;
	}
	dg_complete(q, rf, data.len);
	return true;
}

static const char *dg_deliver_to(struct rdma_qp *qp, const struct roce_frame *rf)
{
	if (!qp || qp->type != QP_UD || !qp_receives(qp))
		return "no such queue pair";
	if (rf->h.qkey != qkey_of(qp))
		return "Q_Key";
	if (!pkeys_match(pkey_of(qp), rf->h.pkey))
		return "P_Key";
	return dg_place(qp->roce, rf) ? NULL : "no receive, or no room";
}

static void dg_deliver(struct roce *roce, struct rdma_qp *qp, const struct roce_frame *rf)
{
	const char *why = dg_deliver_to(qp, rf);

	TRACE(roce->nic, T_ROCE, "rx op %02x qp %x from %x %u bytes: %s", rf->h.opcode, rf->h.dqpn,
	      rf->h.sqpn, rf->len, why ? why : "received");
	if (why)
		roce->stat[rf->path.ipv4 ? ST_IP4_IN_DISCARDS : ST_IP6_IN_DISCARDS]++;
	else
		roce->stat[ST_IN_SENDS]++;
}

void dg_receive(struct roce *roce, const struct roce_frame *rf)
{
	u32 member[MCAST_MEMBERS], n;

	if (rf->h.dqpn != ROCE_QPN_MCAST) {
		dg_deliver(roce, rdma_qp_by_wire(roce->r, rf->h.dqpn), rf);
		return;
	}
	n = rdma_mcast_members(roce->r, rf->path.dip,
			       rf->path.vlan ? rf->path.vlan_tag & 0xFFF : 0, member, MCAST_MEMBERS);
	for (u32 i = 0; i < n; i++)
		dg_deliver(roce, rdma_qp_get(roce->r, member[i]), rf);
}
