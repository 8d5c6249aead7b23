// SPDX-License-Identifier: GPL-2.0
/*
 * The engine: which queue pair works when, and which one a packet belongs to.
 *
 * Queue pairs with work stand in one line; each gets a few packets' worth and goes to
 * the end. A run of the task is bounded, so descriptors and timers have their turn.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "roce.h"

#define TURNS_PER_RUN	8u
#define PACKETS_PER_TURN 8u
#define FLUSH_POLL_NS	5000000u

void engine_queue(struct roce_qp *q)
{
	struct roce *roce = q->roce;

	if (q->run_prev)
		return;
	q->run_next = NULL;
	q->run_prev = roce->run_tail;
	*roce->run_tail = q;
	roce->run_tail = &q->run_next;
	task_queue(&roce->task);
}

static void unqueue(struct roce_qp *q)
{
	if (!q->run_prev)
		return;
	*q->run_prev = q->run_next;
	if (q->run_next)
		q->run_next->run_prev = q->run_prev;
	else
		q->roce->run_tail = q->run_prev;
	q->run_prev = NULL;
}

void engine_flushing(struct roce_qp *q)
{
	struct roce *roce = q->roce;

	if (q->err_prev)
		return;
	q->err_next = roce->flushing;
	if (q->err_next)
		q->err_next->err_prev = &q->err_next;
	q->err_prev = &roce->flushing;
	roce->flushing = q;
	if (!timer_armed(&roce->flush_timer))
		timer_arm(&roce->flush_timer, FLUSH_POLL_NS);
}

static void not_flushing(struct roce_qp *q)
{
	if (!q->err_prev)
		return;
	*q->err_prev = q->err_next;
	if (q->err_next)
		q->err_next->err_prev = q->err_prev;
	q->err_prev = NULL;
	q->flushed_sq = q->flushed_rq = false;
}

static void on_flush_timer(void *arg)
{
	struct roce *roce = arg;

	for (struct roce_qp *q = roce->flushing; q; q = q->err_next)
		cmpl_flush_late(q);
	if (roce->flushing)
		timer_arm(&roce->flush_timer, FLUSH_POLL_NS);
}

static void turn(struct roce_qp *q)
{
	bool more;

	if (q->qp->type == QP_UD) {
		more = dg_work(q, PACKETS_PER_TURN);
	} else {
		resp_work(q, PACKETS_PER_TURN);
		more = req_work(q, PACKETS_PER_TURN);
	}
	if (more)
		engine_queue(q);
}

static void on_task(void *arg)
{
	struct roce *roce = arg;

	for (u32 i = 0; i < TURNS_PER_RUN && roce->run; i++) {
		struct roce_qp *q = roce->run;

		unqueue(q);
		turn(q);
	}
	if (roce->run)
		task_queue(&roce->task);
}

struct roce *roce_new(struct rdma *r)
{
	struct roce *roce = calloc(1, sizeof(*roce));

	if (!roce)
		return NULL;
	roce->r = r;
	roce->nic = rdma_nic(r);
	roce->run_tail = &roce->run;
	task_init(&roce->task, roce->nic->loop, on_task, roce);
	timer_init(&roce->flush_timer, roce->nic->loop, on_flush_timer, roce);
	return roce;
}

void roce_free(struct roce *roce)
{
	if (!roce)
		return;
	task_cancel(&roce->task);
	timer_cancel(&roce->flush_timer);
	free(roce);
}

const u64 *roce_counters(const struct roce *roce)
{
	return roce->stat;
}

int roce_qp_new(struct rdma_qp *qp)
{
	struct roce_qp *q = calloc(1, sizeof(*q));

	if (!q)
		return -ENOMEM;
	q->roce = rdma_roce(qp->r);
	q->qp = qp;
	q->done = qp->sq;
	qp->roce = q;
	req_init(q);
	resp_init(q);
	return 0;
}

void roce_qp_free(struct rdma_qp *qp)
{
	struct roce_qp *q = qp->roce;

	if (!q)
		return;
	unqueue(q);
	not_flushing(q);
	req_fini(q);
	resp_fini(q);
	free(q);
	qp->roce = NULL;
}

/* The connection's PSNs are counted from here on. False: the queue pair failed. */
static bool begin(struct roce_qp *q)
{
	u32 mtu = q->qp->ctx.pmtu;

	if (mtu < 256 || mtu > 4096 || mtu & (mtu - 1)) {
		violation(q->roce->nic, V_QP_MTU, "qp %u MTU %u", q->qp->id, mtu);
		cmpl_fail(q, AE_QP_CATASTROPHIC, AE_SRC_NONE, 0);
		return false;
	}
	q->mtu = mtu;
	resp_start(q);
	return true;
}

void roce_qp_modified(struct rdma_qp *qp, enum qp_state old)
{
	struct roce_qp *q = qp->roce;

	if (qp->state == QPS_ERROR) {
		req_stop(q);
		return;
	}
	if (qp_receives(qp) && old == QPS_IDLE && !begin(q))
		return;
	if (qp->state == QPS_RTS && old != QPS_RTS && old != QPS_SQD)
		req_start(q);
	if (qp->state != QPS_SQD)
		q->req.draining = false;
	engine_queue(q);
}

void roce_doorbell(struct rdma_qp *qp)
{
	struct roce_qp *q = qp->roce;

	if (qp->state == QPS_ERROR && q->flushed_sq)
		cmpl_flush_late(q);
	else if (qp->state == QPS_RTS)
		engine_queue(q);
}

/* A sender that was told to wait waits for its timer: nothing is owed to it here. */
void roce_kick(struct rdma *r)
{
	struct roce *roce = rdma_roce(r);

	for (struct roce_qp *q = roce->flushing; q; q = q->err_next)
		cmpl_flush_late(q);
}

static void count_rx(struct roce *roce, const struct roce_path *path, u32 len)
{
	u32 ip_bytes = len - 14 - (path->vlan ? 4 : 0);

	roce->stat[ST_UDP_IN_PKTS]++;
	roce->stat[path->ipv4 ? ST_IP4_IN_PKTS : ST_IP6_IN_PKTS]++;
	roce->stat[path->ipv4 ? ST_IP4_IN_OCTETS : ST_IP6_IN_OCTETS] += ip_bytes;
	if (!(path->dmac[0] & 1))
		return;
	roce->stat[path->ipv4 ? ST_IP4_IN_MC_PKTS : ST_IP6_IN_MC_PKTS]++;
	roce->stat[path->ipv4 ? ST_IP4_IN_MC_OCTETS : ST_IP6_IN_MC_OCTETS] += ip_bytes;
}

/* VLAN 0 is a priority tag: no VLAN. */
static bool vlan_right(struct roce *roce, const struct qp_ctx *ctx, const struct roce_path *path)
{
	u16 want = ctx->insert_vlan ? ctx->vlan_tag & 0xFFF : 0;
	u16 have = path->vlan ? path->vlan_tag & 0xFFF : 0;

	roce->stat[ST_RX_VLAN_ERR] += want != have;
	return want == have;
}

/* A connection takes packets of its peer only. */
static bool from_peer(struct roce *roce, const struct rdma_qp *qp, const struct roce_frame *rf)
{
	const struct qp_ctx *ctx = &qp->ctx;

	return qp->type == QP_RC && qp_receives(qp) && !memcmp(ctx->dip, rf->path.sip, 16) &&
	       !memcmp(ctx->sip, rf->path.dip, 16) && pkeys_match(ctx->pkey, rf->h.pkey) &&
	       vlan_right(roce, ctx, &rf->path);
}

static void rx_congestion(struct roce_qp *q)
{
	q->roce->stat[ST_ECN_MARKED]++;
	if (q->qp->ctx.dcqcn || q->qp->ctx.dctcp)
		link_cnp(q);
}

static void rx_cnp(struct roce_qp *q)
{
	if (!q->qp->ctx.dcqcn) {
		q->roce->stat[ST_CNP_IGNORED]++;
		return;
	}
	q->roce->stat[ST_CNP_HANDLED]++;
	req_congested(q);
}

static void rx_connected(struct roce_qp *q, const struct roce_frame *rf)
{
	struct message m = { .h = rf->h, .n_psns = 1,
			     .data = { .bytes = rf->data, .len = rf->len } };

	if ((rf->path.tos & 3) == 3)
		rx_congestion(q);
	if (rf->h.opcode == ROCE_CNP)
		rx_cnp(q);
	else if (roce_op_flags(rf->h.opcode) & OPF_REQUEST)
		resp_request(q, &m);
	else
		req_response(q, &m);
}

static void discard(struct roce *roce, const struct roce_frame *rf)
{
	TRACE(roce->nic, T_ROCE, "rx discards op %02x qp %x psn %06x", rf->h.opcode, rf->h.dqpn,
	      rf->h.psn);
	roce->stat[rf->path.ipv4 ? ST_IP4_IN_DISCARDS : ST_IP6_IN_DISCARDS]++;
}

void roce_rx(struct roce *roce, const u8 *frame, u32 len)
{
	struct roce_frame rf = {};
	enum roce_parse ret = roce_parse(frame, len, &rf);
	struct rdma_qp *qp;

	if (ret == ROCE_NOT)
		return;
	count_rx(roce, &rf.path, len);
	if (ret == ROCE_BAD_ICRC)
		roce->stat[ST_ICRC_ERR]++;
	if (ret == ROCE_OK && (roce_op_flags(rf.h.opcode) & OPF_DETH)) {
		dg_receive(roce, &rf);
		return;
	}
	qp = ret == ROCE_MALFORMED ? NULL : rdma_qp_by_wire(roce->r, rf.h.dqpn);
	if (!qp || (ret == ROCE_BAD_ICRC && !qp->ctx.no_icrc_check) || !from_peer(roce, qp, &rf)) {
		discard(roce, &rf);
		return;
	}
	TRACE(roce->nic, T_ROCE, "rx op %02x qp %x psn %06x %u bytes", rf.h.opcode, rf.h.dqpn,
	      rf.h.psn, rf.len);
	rx_connected(qp->roce, &rf);
}
