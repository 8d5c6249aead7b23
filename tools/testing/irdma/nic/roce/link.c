// SPDX-License-Identifier: GPL-2.0
/*
 * Between two halves of a connection: packets on the wire, or a call.
 *
 * The shortcut holds while both ends are on NICs of this process that allow it, their
 * ports on the wire are plain, and each names the other with addresses that match. It
 * may come and go in the middle of a connection, both ways number alike. Messages then
 * carry references to the sender's memory in place of bytes, and no frame exists.
 */
#include <string.h>

#include "../faults.h"
#include "../wire/wire.h"
#include "roce.h"

#define CNP_INTERVAL_NS	50000u

static bool qp_path(struct roce_qp *q, struct roce_path *path)
{
	const struct qp_ctx *ctx = &q->qp->ctx;

	*path = (struct roce_path){
		.vlan = ctx->insert_vlan, .vlan_tag = ctx->vlan_tag, .ipv4 = ctx->ipv4,
		.tos = ctx->tos, .ttl = ctx->ttl, .flow_label = ctx->flow_label,
		.sport = ctx->udp_sport,
	};
	memcpy(path->smac, ctx->smac, 6);
	memcpy(path->sip, ctx->sip, 16);
	memcpy(path->dip, ctx->dip, 16);
	if (rdma_arp_get(q->qp->r, ctx->arp_idx, path->dmac))
		return true;
	violation(q->roce->nic, V_ARP_INDEX, "qp %u ARP index %u", q->qp->id, ctx->arp_idx);
	return false;
}

static bool is_peer(const struct rdma_qp *qp, const struct rdma_qp *peer)
{
	const struct qp_ctx *a = &qp->ctx, *b = &peer->ctx;

	return peer->type == QP_RC && qp_receives(peer) && b->dest_qpn == qp->qpn &&
	       !memcmp(a->dip, b->sip, 16) && !memcmp(a->sip, b->dip, 16) &&
	       a->insert_vlan == b->insert_vlan &&
	       (!a->insert_vlan || !((a->vlan_tag ^ b->vlan_tag) & 0xFFF));
}

static bool has_shortcut(const struct nic *nic)
{
	return nic->rdma && nic->cfg.shortcut && wire_port_plain(nic->port);
}

struct roce_qp *link_peer(struct roce_qp *q)
{
	struct nic *nic = q->roce->nic, *n = nic;
	u8 dmac[6];

	if (!has_shortcut(nic) || !rdma_arp_get(q->qp->r, q->qp->ctx.arp_idx, dmac))
		return NULL;
	do {
		struct rdma_qp *peer = has_shortcut(n) ?
			rdma_qp_by_wire(n->rdma, q->qp->ctx.dest_qpn) : NULL;

		if (peer && is_peer(q->qp, peer) && !memcmp(dmac, peer->ctx.smac, 6))
			return peer->roce;
		n = n->next;
	} while (n && n != nic);
	return NULL;
}

static void count_tx(struct roce *roce, const struct roce_path *path, u32 len)
{
	u32 ip_bytes = len - 14 - (path->vlan ? 4 : 0);
	bool mcast = path->dmac[0] & 1;

	roce->stat[ST_UDP_OUT_PKTS]++;
	roce->stat[path->ipv4 ? ST_IP4_OUT_PKTS : ST_IP6_OUT_PKTS]++;
	roce->stat[path->ipv4 ? ST_IP4_OUT_OCTETS : ST_IP6_OUT_OCTETS] += ip_bytes;
	if (!mcast)
		return;
	roce->stat[path->ipv4 ? ST_IP4_OUT_MC_PKTS : ST_IP6_OUT_MC_PKTS]++;
	roce->stat[path->ipv4 ? ST_IP4_OUT_MC_OCTETS : ST_IP6_OUT_MC_OCTETS] += ip_bytes;
}

/* The frame's last byte before the ICRC, so that the receiver finds it wrong. */
static void corrupt(struct frame *f, u64 value)
{
	f->data[f->len - ROCE_ICRC_BYTES - 1] ^= (u8)value;
}

/* To the wire, unless a fault knob wants it otherwise. */
static void transmit(struct roce *roce, struct frame *f, u8 opcode)
{
	const struct fault *fault = fault_hit(roce->nic, F_ROCE_PACKET, opcode);

	if (fault && fault->action == FAULT_DROP) {
		frame_put(f);
		return;
	}
	if (fault && fault->action == FAULT_VALUE)
		corrupt(f, fault->value);
	if (fault && fault->action == FAULT_DUP)
		nic_tx(roce->nic, frame_get(f));
	nic_tx(roce->nic, f);
}

u16 link_send(struct roce *roce, const struct roce_path *path, const struct roce_hdr *h,
	      const struct payload *data, bool loop_back)
{
	struct frame *f = frame_new(ROCE_OVERHEAD + data->len);
	u32 at;

	/* Without memory the packet is lost, like any other. */
	if (!f)
		return 0;
	at = roce_build(f->data, path, h, data->len, roce->ip_id++);
	if (!payload_read(data, f->data + at)) {
		frame_put(f);
		return AE_QP_CATASTROPHIC;
	}
	f->len = roce_seal(f->data, at, data->len);
	count_tx(roce, path, f->len);
	TRACE(roce->nic, T_ROCE, "tx op %02x qp %x psn %06x %u bytes", h->opcode, h->dqpn, h->psn,
	      data->len);
	if (loop_back)
		roce_rx(roce, f->data, f->len);
	transmit(roce, f, h->opcode);
	return 0;
}

static u16 send_packet(struct roce_qp *q, struct message *m)
{
	struct roce_path path;

	if (!qp_path(q, &path))
		return AE_BAD_ARP;
	return link_send(q->roce, &path, &m->h, &m->data, false);
}

u16 link_request(struct roce_qp *q, struct roce_qp *peer, struct message *m)
{
	if (!peer)
		return send_packet(q, m);
	resp_request(peer, m);
	return m->source_failed ? AE_QP_CATASTROPHIC : 0;
}

u16 link_response(struct roce_qp *q, struct roce_qp *peer, struct message *m)
{
	if (!peer)
		return send_packet(q, m);
	req_response(peer, m);
	return m->source_failed ? AE_QP_CATASTROPHIC : 0;
}

/* Tells the sender of a congestion mark, not more often than the interval. */
void link_cnp(struct roce_qp *q)
{
	const struct payload none = {};
	u64 now = loop_now(q->roce->nic->loop);
	struct roce_path path;
	struct roce_hdr h = {
		.opcode = ROCE_CNP, .becn = true, .pkey = q->qp->ctx.pkey,
		.dqpn = q->qp->ctx.dest_qpn,
	};

	if (now < q->cnp_after || !qp_path(q, &path))
		return;
	q->cnp_after = now + CNP_INTERVAL_NS;
	q->roce->stat[ST_CNP_SENT]++;
	link_send(q->roce, &path, &h, &none, false);
}
