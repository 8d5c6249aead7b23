// SPDX-License-Identifier: GPL-2.0
/*
 * The requester: fetches send work requests, gives them PSNs, sends, and waits for
 * answers. Go-back-N: a loss moves the send position back to the oldest PSN that is
 * not acknowledged, and messages are made again from the records.
 *
 * Invariants: records complete in order; una <= psn <= sent <= new_psn on the PSN
 * circle, where psn is the send position and may go back; the records before @cur are
 * wholly sent in this pass. A local error is raised only when all earlier requests
 * are complete, so that those end as they deserve.
 *
 * A message may take half of the PSN circle, where before and behind look alike: PSNs
 * are compared only with those near by, never with the other end of a message.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "roce.h"

#define DEFAULT_TIMEOUT_CODE	14u	/* 67 ms; the context of generation 3 often has 0 */
#define MAX_BACKOFF		3u	/* doublings */
#define MAX_PSN_SPAN		0x400000	/* of the READs in flight */

/* RNR NAK timer codes in units of 10 microseconds. */
static const u16 rnr_10us[32] = {
	65535, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768,
	49152,
};

static struct send_record *rec_at(struct requester *rq, u32 i)
{
	return &rq->rec[(rq->head + i) & (rq->cap - 1)];
}

static bool is_read_or_atomic(const struct send_record *rec)
{
	return wqe_is_read(rec->w.op) || wqe_is_atomic(rec->w.op);
}

static bool answered(const struct send_record *rec)
{
	return rec->n_answered == rec->n_psns;
}

static u32 end_psn(const struct send_record *rec)
{
	return psn_add(rec->first, rec->n_psns);
}

static bool complete(const struct send_record *rec)
{
	return rec->n_psns ? answered(rec) : rec->executed;
}

/* Sent at least in part, in this pass or an earlier one. */
static bool begun(const struct requester *rq, const struct send_record *rec)
{
	return rec->n_answered || (rec->n_psns && psn_diff(rq->sent, rec->first) > 0);
}

static u32 reads_in_flight(struct requester *rq)
{
	u32 n = 0;

	for (u32 i = 0; i < rq->cur; i++) {
		struct send_record *rec = rec_at(rq, i);

		n += is_read_or_atomic(rec) && !answered(rec);
	}
	return n;
}

/* Doubles with each retry in a row, so that a slow peer is not drowned in repeats. */
static u64 timeout_ns(const struct qp_ctx *ctx, u32 retries)
{
	u32 code = ctx->ack_timeout ? ctx->ack_timeout : DEFAULT_TIMEOUT_CODE;

	code += retries < MAX_BACKOFF ? retries : MAX_BACKOFF;
	return 4096ull << (code > 31 ? 31 : code);
}

static void rearm(struct roce_qp *q)
{
	struct requester *rq = &q->req;

	if (rq->rnr_wait)
		return;
	if (rq->una == rq->sent)
		timer_cancel(&rq->timer);
	else
		timer_arm(&rq->timer, timeout_ns(&q->qp->ctx, rq->retries));
}

/* Sets the send position to @psn, which is not beyond @sent. */
static void seek(struct requester *rq, u32 psn)
{
	rq->psn = psn;
	rq->data_base = psn;
	rq->since_ackreq = 0;
	for (rq->cur = 0; rq->cur < rq->count; rq->cur++) {
		struct send_record *rec = rec_at(rq, rq->cur);

		if (rec->n_psns ? psn_diff(psn, end_psn(rec)) < 0 : !rec->executed)
			return;
	}
}

void req_retire(struct roce_qp *q)
{
	struct requester *rq = &q->req;
	struct send_record *rec = rec_at(rq, 0);

	if (rec->w.op == WQE_READ_INV) {
		u16 code = rdma_mr_invalidate(q->qp->r, rec->w.sge[0].stag, q->qp->ctx.pd,
					      q->qp->id, false);

		if (code) {
			cmpl_fail(q, code, AE_SRC_SQ, rec->w.idx);
			return;
		}
	}
	cmpl_send(q, &rec->w);
	/* The CQ had no room: nothing is left here. */
	if (q->qp->state == QPS_ERROR)
		return;
	rq->head = (rq->head + 1) & (rq->cap - 1);
	rq->count--;
	if (rq->cur)
		rq->cur--;
}

static void retire_complete(struct roce_qp *q)
{
	struct requester *rq = &q->req;

	while (rq->count && complete(rec_at(rq, 0)))
		req_retire(q);
}

static void check_drained(struct roce_qp *q)
{
	struct requester *rq = &q->req;

	if (!rq->draining || q->qp->state != QPS_SQD || rq->una != rq->sent)
		return;
	if (rq->count && begun(rq, rec_at(rq, 0)))
		return;
	rq->draining = false;
	/* A state above RTS would make the kernel stop ringing doorbells. */
	rdma_aeq_post(q->qp->r, &(struct aeqe){
		.code = AE_SQ_DRAINED, .src = AE_SRC_SQ, .id = q->qp->id,
		.qp_state = QPS_RTS, .context = q->qp->ctx.comp_ctx });
}

/* @una moved forward. */
static void progress(struct roce_qp *q)
{
	struct requester *rq = &q->req;

	rq->retries = 0;
	rq->rnr_retries = 0;
	rq->went_back = false;
	if (rq->window < REQ_WINDOW)
		rq->window++;
	if (psn_diff(rq->psn, rq->una) < 0)
		seek(rq, rq->una);
	if (psn_diff(rq->data_base, rq->una) < 0)
		rq->data_base = rq->una;
	retire_complete(q);
	rearm(q);
	check_drained(q);
	engine_queue(q);
}

/*
 * Everything before @limit is acknowledged, except READs and atomics without their
 * answer. True: there is one, so its answer was lost.
 */
static bool mark_before(struct requester *rq, u32 limit)
{
	for (u32 i = 0; i < rq->count; i++) {
		struct send_record *rec = rec_at(rq, i);
		u32 left = rec->n_psns - rec->n_answered;
		int n = psn_diff(limit, rq->una);

		if (!left)
			continue;
		if (n <= 0)
			break;
		if (is_read_or_atomic(rec))
			return true;
		rec->n_answered += (u32)n < left ? (u32)n : left;
		rq->una = psn_add(rec->first, rec->n_answered);
	}
	return false;
}

static bool acknowledge(struct roce_qp *q, u32 limit)
{
	u32 una = q->req.una;
	bool missing = mark_before(&q->req, limit);

	if (q->req.una != una)
		progress(q);
	return missing;
}

/* Fails the oldest request; all before it are complete. */
static void fail_oldest(struct roce_qp *q, u16 code)
{
	cmpl_fail(q, code, AE_SRC_SQ, rec_at(&q->req, 0)->w.idx);
}

static void retry(struct roce_qp *q)
{
	struct requester *rq = &q->req;

	if (rq->retries++ >= q->qp->ctx.retry_cnt) {
		fail_oldest(q, AE_RETRIES);
		return;
	}
	TRACE(q->roce->nic, T_ROCE, "qp %u retry %u from psn %06x", q->qp->id, rq->retries, rq->una);
	seek(rq, rq->una);
	rearm(q);
	engine_queue(q);
}

/*
 * The peer misses the oldest PSN: it says so, or its answers do. One go back until
 * there is progress; what else comes meanwhile was sent before that, by a peer that
 * is alive and has not come to the repetition yet.
 */
static void lost(struct roce_qp *q, enum rdma_stat stat)
{
	q->roce->stat[stat]++;
	if (q->req.went_back) {
		rearm(q);
		return;
	}
	q->req.went_back = true;
	retry(q);
}

static void on_timer(void *arg)
{
	struct roce_qp *q = arg;
	struct requester *rq = &q->req;

	if (rq->rnr_wait) {
		rq->rnr_wait = false;
		rearm(q);
		engine_queue(q);
		return;
	}
	if (!rq->count || rq->una == rq->sent)
		return;
	q->roce->stat[ST_RTO]++;
	rq->went_back = true;
	retry(q);
}

static void rnr_nak(struct roce_qp *q, u8 syndrome)
{
	struct requester *rq = &q->req;
	u8 limit = q->qp->ctx.rnr_retry;

	q->roce->stat[ST_RNR_RECEIVED]++;
	if (limit != 7 && rq->rnr_retries >= limit) {
		fail_oldest(q, AE_RNR_RETRIES);
		return;
	}
	rq->rnr_retries++;
	seek(rq, rq->una);
	rq->rnr_wait = true;
	timer_arm(&rq->timer, rnr_10us[syndrome & 0x1F] * 10000ull);
}

static void nak(struct roce_qp *q, const struct roce_hdr *h)
{
	if (acknowledge(q, h->psn)) {
		lost(q, ST_NAK_SEQ_ERR_IMPLIED);
		return;
	}
	if (!q->req.count)
		return;
	if (AETH_IS_RNR(h->syndrome)) {
		rnr_nak(q, h->syndrome);
		return;
	}
	switch (h->syndrome) {
	case AETH_NAK_SEQ:
		lost(q, ST_NAK_SEQ_ERR);
		break;
	case AETH_NAK_INV:
		fail_oldest(q, AE_INVALID_REQUEST);
		break;
	case AETH_NAK_ACCESS:
		fail_oldest(q, AE_REM_ACCESS);
		break;
	case AETH_NAK_OP:
		fail_oldest(q, AE_REM_OPERATION);
		break;
	}
}

/* Where a response for @rec puts its bytes; 0 or the event code. */
static u16 place_answer(struct roce_qp *q, struct send_record *rec, struct message *m)
{
	u32 off = rec->n_answered * q->mtu, n;
	struct span dst[WQE_MAX_FRAGS];
	struct payload data = { .len = 8 };
	u8 orig[8];
	u16 code;

	if (wqe_is_atomic(rec->w.op)) {
		put64(orig, m->h.orig);
		data.bytes = orig;
	} else {
		data = m->data;
	}
	code = spans_of_sges(q->qp, rec->w.sge, rec->w.nfrags, ACC_LOCAL_WRITE, off, data.len,
			     dst, &n);
	if (code || payload_place(&data, dst, n))
		return code;
	m->source_failed = !payload_readable(&data);
	return m->source_failed ? 0 : AE_QP_CATASTROPHIC;
}

/* Kind and length of a response are what @rec waits for. */
static bool answer_fits(const struct roce_qp *q, const struct send_record *rec,
			const struct message *m)
{
	u32 mtu = q->mtu, left = rec->n_psns - rec->n_answered;

	if (wqe_is_atomic(rec->w.op))
		return m->h.opcode == RC_ATOMIC_ACK;
	if (m->h.opcode == RC_ATOMIC_ACK || m->n_psns > left)
		return false;
	if (m->n_psns < left)
		return m->data.len == m->n_psns * mtu;
	return m->data.len == rec->w.len - rec->n_answered * mtu;
}

static struct send_record *oldest_read(struct requester *rq)
{
	for (u32 i = 0; i < rq->count; i++) {
		struct send_record *rec = rec_at(rq, i);

		if (is_read_or_atomic(rec) && !answered(rec))
			return begun(rq, rec) ? rec : NULL;
	}
	return NULL;
}

static void answer(struct roce_qp *q, struct message *m)
{
	struct requester *rq = &q->req;
	struct send_record *rec = oldest_read(rq);
	u32 expected, idx;
	u16 code;
	int ahead;

	if (!rec)
		return;
	idx = rec->w.idx;
	expected = psn_add(rec->first, rec->n_answered);
	ahead = psn_diff(m->h.psn, expected);
	if (ahead > 0) {
		acknowledge(q, expected);
		lost(q, ST_NAK_SEQ_ERR_IMPLIED);
	}
	if (ahead)
		return;
	if ((roce_op_flags(m->h.opcode) & OPF_AETH) && !AETH_IS_ACK(m->h.syndrome))
		return;
	if (!answer_fits(q, rec, m)) {
		cmpl_fail(q, AE_RESPONSE_LENGTH, AE_SRC_SQ, idx);
		return;
	}
	code = place_answer(q, rec, m);
	if (code)
		cmpl_fail(q, code, AE_SRC_IN_RR, idx);
	if (code || m->source_failed)
		return;
	mark_before(rq, expected);
	rec->n_answered += m->n_psns;
	rq->una = psn_add(rec->first, rec->n_answered);
	progress(q);
}

void req_response(struct roce_qp *q, struct message *m)
{
	struct requester *rq = &q->req;
	u32 psn = m->h.psn;

	if (!qp_sends(q->qp) || !rq->count || psn_diff(psn, rq->una) < 0 ||
	    psn_diff(psn, rq->sent) >= 0)
		return;
	if (m->h.opcode != RC_ACK)
		answer(q, m);
	else if (!AETH_IS_ACK(m->h.syndrome))
		nak(q, &m->h);
	else if (acknowledge(q, psn_add(psn, 1)))
		lost(q, ST_NAK_SEQ_ERR_IMPLIED);
}

static bool grow(struct requester *rq)
{
	u32 cap = rq->cap ? rq->cap * 2 : 4;
	struct send_record *rec;

	if (cap > REQ_RECORDS_MAX)
		return false;
	rec = malloc(cap * sizeof(*rec));
	if (!rec)
		return false;
	for (u32 i = 0; i < rq->count; i++)
		rec[i] = *rec_at(rq, i);
	free(rq->rec);
	rq->rec = rec;
	rq->cap = cap;
	rq->head = 0;
	return true;
}

/* The WQE at the SQ index and how many quanta belong to its chunk; false: none, or no ring. */
static bool read_wqe(struct roce_qp *q, u8 *wqe, u32 *avail)
{
	struct rdma_qp *qp = q->qp;
	struct rdma_ring *sq = &qp->sq;
	u32 left = sq->quanta - sq->index;

	*avail = WQE_MAX_QUANTA - sq->index % WQE_MAX_QUANTA;
	if (*avail > left)
		*avail = left;
	if (rdma_ring_read(qp->r, sq, sq->index, wqe, WQE_QUANTUM)) {
		if (!wqe_valid(wqe, sq->polarity))
			return false;
		/* Pairs with the driver's barrier before it writes the header. */
		atomic_thread_fence(memory_order_acquire);
		if (rdma_ring_read(qp->r, sq, sq->index, wqe, *avail * WQE_QUANTUM))
			return true;
	}
	violation(q->roce->nic, V_SQ_RING, "qp %u index %u", qp->id, sq->index);
	cmpl_fail(q, AE_QP_CATASTROPHIC, AE_SRC_SQ, sq->index);
	return false;
}

static u32 psns_of(const struct send_wqe *w, u32 mtu)
{
	if (wqe_is_atomic(w->op))
		return 1;
	if (!wqe_is_read(w->op) && !wqe_is_send(w->op) && !wqe_is_write(w->op))
		return 0;
	return w->len ? (w->len + mtu - 1) / mtu : 1;
}

/* The next posted work request as the newest record; NULL: none, or the queue pair failed. */
struct send_record *req_fetch(struct roce_qp *q)
{
	struct requester *rq = &q->req;
	struct rdma_qp *qp = q->qp;
	struct send_record *rec;
	struct wqe_fault fault;
	u8 wqe[WQE_MAX_BYTES];
	u32 avail;

	if (rq->count == rq->cap && !grow(rq))
		return NULL;
	if (!read_wqe(q, wqe, &avail))
		return NULL;
	rec = rec_at(rq, rq->count);
	fault = wqe_parse_send(wqe, avail, qp->type, &rec->w);
	rec->w.idx = qp->sq.index;
	if (fault.code && rq->count)
		return NULL;
	if (fault.code) {
		violation(q->roce->nic, fault.kind, "qp %u index %u opcode %02x", qp->id,
			  rec->w.idx, rec->w.op);
		cmpl_fail(q, fault.code, AE_SRC_SQ, rec->w.idx);
		return NULL;
	}
	if (!wqe_send_clean(wqe, qp->type))
		violation(q->roce->nic, V_SQ_RESERVED, "qp %u index %u opcode %02x", qp->id,
			  rec->w.idx, rec->w.op);
	rec->executed = false;
	rec->n_answered = 0;
	rec->first = rq->new_psn;
	rec->n_psns = psns_of(&rec->w, q->mtu);
	rq->new_psn = psn_add(rq->new_psn, rec->n_psns);
	rq->count++;
	rdma_ring_advance(&qp->sq, rec->w.quanta);
	return rec;
}

/* Waits until @code may be raised for the record at the send position. Always false. */
static bool local_error(struct roce_qp *q, u16 code)
{
	if (!q->req.cur)
		fail_oldest(q, code);
	return false;
}

static u16 execute_local(struct roce_qp *q, const struct send_wqe *w)
{
	const struct qp_ctx *ctx = &q->qp->ctx;
	struct rdma *r = q->qp->r;

	switch (w->op) {
	case WQE_BIND:
		q->roce->stat[ST_BINDS]++;
		return rdma_mw_bind(r, &w->bind, ctx->pd, q->qp->id, ctx->bind_en);
	case WQE_FAST_REG:
		return rdma_fast_reg(r, &w->fast_reg, ctx->pd, ctx->priv && ctx->fast_reg_en);
	case WQE_LOCAL_INV:
		q->roce->stat[ST_INVALIDATES]++;
		return rdma_mr_invalidate(r, w->stag, ctx->pd, q->qp->id, false);
	}
	return 0;
}

static bool step_local(struct roce_qp *q, struct send_record *rec)
{
	u16 code = execute_local(q, &rec->w);

	if (code)
		return local_error(q, code);
	rec->executed = true;
	q->req.cur++;
	retire_complete(q);
	return true;
}

/* The message is about to leave: moves the send position behind it. */
static void advance(struct roce_qp *q, struct send_record *rec, u32 n_psns)
{
	struct requester *rq = &q->req;

	rq->psn = psn_add(rq->psn, n_psns);
	if (psn_diff(rq->psn, rq->sent) > 0)
		rq->sent = rq->psn;
	if (rq->psn == end_psn(rec))
		rq->cur++;
	if (!timer_armed(&rq->timer))
		rearm(q);
}

/*
 * Sends @m, which takes @n_psns of @rec. The answer may come before this returns, so
 * @rec is not used after it. What could not be sent leaves the position as it was.
 */
static bool emit(struct roce_qp *q, struct send_record *rec, struct roce_qp *peer,
		 struct message *m, u32 n_psns)
{
	struct requester *rq = &q->req;
	u32 psn = rq->psn, sent = rq->sent;
	u16 code;

	m->h.psn = psn;
	m->h.pkey = q->qp->ctx.pkey;
	m->h.dqpn = q->qp->ctx.dest_qpn;
	advance(q, rec, n_psns);
	code = link_request(q, peer, m);
	if (!code)
		return true;
	rq->sent = sent;
	seek(rq, psn);
	return local_error(q, code);
}

/* PSNs that the next request for the rest of @rec asks for. */
static u32 read_psns(const struct send_record *rec)
{
	u32 left = rec->n_psns - rec->n_answered;
	u32 piece = MAX_PSN_SPAN - rec->n_answered % MAX_PSN_SPAN;

	return left < piece ? left : piece;
}

/* A READ of many packets is asked for in pieces, one after the other. */
static bool step_read(struct roce_qp *q, struct send_record *rec)
{
	struct requester *rq = &q->req;
	const struct send_wqe *w = &rec->w;
	u32 ord = q->qp->ctx.ord, psns = read_psns(rec), done = rec->n_answered * q->mtu, n;
	struct message m = { .n_psns = 1 };
	struct span span[WQE_MAX_FRAGS];
	u16 code;

	if (!ord) {
		violation(q->roce->nic, V_SQ_ORD, "qp %u index %u", q->qp->id, w->idx);
		return local_error(q, AE_ORD_ZERO);
	}
	if (reads_in_flight(rq) >= ord) {
		q->roce->stat[ST_ORD_LIMIT]++;
		return false;
	}
	if (rq->psn != psn_add(rec->first, rec->n_answered) ||
	    psn_diff(psn_add(rq->psn, psns), rq->una) > (int)MAX_PSN_SPAN)
		return false;
	code = spans_of_sges(q->qp, w->sge, w->nfrags, ACC_LOCAL_WRITE, 0, 0, span, &n);
	if (code)
		return local_error(q, code);
	m.h = (struct roce_hdr){
		.ackreq = true, .rkey = w->stag, .va = w->raddr + done,
		.opcode = wqe_is_read(w->op) ? RC_READ_REQUEST :
			  w->op == WQE_CMP_SWAP ? RC_CMP_SWAP : RC_FETCH_ADD,
		.dma_len = psns < rec->n_psns - rec->n_answered ? psns * q->mtu : w->len - done,
		.swap = w->swap, .compare = w->compare,
	};
	if (rq->psn == rq->sent)
		q->roce->stat[wqe_is_read(w->op) ? ST_OUT_READS : ST_OUT_ATOMICS]++;
	rq->since_ackreq = 0;
	if (!emit(q, rec, link_peer(q), &m, psns))
		return false;
	rq->data_base = rq->psn;
	return true;
}

static u8 data_opcode(const struct send_wqe *w, bool first, bool last)
{
	if (wqe_is_write(w->op)) {
		if (!last)
			return first ? RC_WRITE_FIRST : RC_WRITE_MIDDLE;
		if (w->has_imm)
			return first ? RC_WRITE_ONLY_IMM : RC_WRITE_LAST_IMM;
		return first ? RC_WRITE_ONLY : RC_WRITE_LAST;
	}
	if (!last)
		return first ? RC_SEND_FIRST : RC_SEND_MIDDLE;
	if (w->op == WQE_SEND_INV || w->op == WQE_SEND_INV_SOL)
		return first ? RC_SEND_ONLY_INV : RC_SEND_LAST_INV;
	if (w->has_imm)
		return first ? RC_SEND_ONLY_IMM : RC_SEND_LAST_IMM;
	return first ? RC_SEND_ONLY : RC_SEND_LAST;
}

static bool window_closed(const struct requester *rq)
{
	return psn_diff(rq->psn, rq->data_base) >= (int)rq->window;
}

static bool step_data(struct roce_qp *q, struct send_record *rec)
{
	struct roce_qp *peer = link_peer(q);
	struct requester *rq = &q->req;
	const struct send_wqe *w = &rec->w;
	u32 at = (u32)psn_diff(rq->psn, rec->first) & ROCE_PSN_MASK;
	u32 mtu = q->mtu, left = rec->n_psns - at;
	struct message m = { .n_psns = left < link_chunk(peer) ? left : link_chunk(peer) };
	bool last = m.n_psns == left;
	u16 code = 0;

	if (window_closed(rq))
		return false;
	m.data.len = last ? w->len - at * mtu : m.n_psns * mtu;
	if (w->inlined)
		m.data.bytes = w->data + at * mtu;
	else
		code = spans_of_sges(q->qp, w->sge, w->nfrags, ACC_LOCAL_READ, at * mtu, m.data.len,
				     m.data.span, &m.data.n);
	if (code)
		return local_error(q, code);
	rq->since_ackreq += m.n_psns;
	m.h = (struct roce_hdr){
		.opcode = data_opcode(w, !at, last),
		.ackreq = last || rq->since_ackreq >= REQ_ACK_EVERY,
		.se = last && w->solicited, .va = w->raddr, .rkey = w->stag, .dma_len = w->len,
		.imm = w->imm, .inv_rkey = w->stag,
	};
	if (m.h.ackreq)
		rq->since_ackreq = 0;
	if (last && rq->psn == rq->sent)
		q->roce->stat[wqe_is_write(w->op) ? ST_OUT_WRITES : ST_OUT_SENDS]++;
	return emit(q, rec, peer, &m, m.n_psns);
}

static bool fenced(struct requester *rq, const struct send_wqe *w)
{
	return (w->local_fence && rq->cur) || (w->read_fence && reads_in_flight(rq));
}

/* One message or local operation; false: nothing can be done now. */
static bool step(struct roce_qp *q)
{
	struct requester *rq = &q->req;
	struct send_record *rec;

	if (!qp_sends(q->qp) || rq->rnr_wait)
		return false;
	if (rq->cur == rq->count && (q->qp->state != QPS_RTS || !req_fetch(q)))
		return false;
	rec = rec_at(rq, rq->cur);
	if (!begun(rq, rec) && (q->qp->state != QPS_RTS || fenced(rq, &rec->w)))
		return false;
	if (!rec->n_psns)
		return step_local(q, rec);
	return is_read_or_atomic(rec) ? step_read(q, rec) : step_data(q, rec);
}

bool req_work(struct roce_qp *q, u32 budget)
{
	for (u32 i = 0; i < budget; i++)
		if (!step(q))
			return false;
	return true;
}

void req_congested(struct roce_qp *q)
{
	if (q->req.window > 1)
		q->req.window /= 2;
}

void req_init(struct roce_qp *q)
{
	timer_init(&q->req.timer, q->roce->nic->loop, on_timer, q);
}

void req_fini(struct roce_qp *q)
{
	timer_cancel(&q->req.timer);
	free(q->req.rec);
	q->req.rec = NULL;
	q->req.cap = 0;
}

void req_start(struct roce_qp *q)
{
	struct requester *rq = &q->req;
	u32 psn = q->qp->ctx.psn_nxt & ROCE_PSN_MASK;

	req_stop(q);
	rq->psn = rq->new_psn = rq->una = rq->sent = rq->data_base = psn;
	rq->window = REQ_WINDOW;
	rq->retries = rq->rnr_retries = 0;
}

void req_stop(struct roce_qp *q)
{
	struct requester *rq = &q->req;

	timer_cancel(&rq->timer);
	rq->head = rq->count = rq->cur = 0;
	rq->una = rq->psn = rq->sent = rq->new_psn;
	rq->rnr_wait = rq->draining = rq->went_back = false;
	rq->since_ackreq = 0;
}

void roce_drain(struct rdma_qp *qp)
{
	qp->roce->req.draining = true;
	check_drained(qp->roce);
}
