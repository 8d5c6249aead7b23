// SPDX-License-Identifier: GPL-2.0
/*
 * The responder: takes requests in PSN order, executes each once, and answers.
 *
 * Order of the checks: PSN, opcode sequence, rights of the queue pair, resources,
 * lengths, key and range. The first that fails decides. Answers leave in PSN order: an
 * acknowledgement waits until the READ responses before it are out, and so does the
 * NAK of a fatal error; only then does the queue pair go to the error state.
 */
#include <stdlib.h>

#include "../faults.h"
#include "../transport/dma.h"
#include "roce.h"

/* What became of a request: @nak 0: executed. */
struct verdict {
	u8 nak;
	u16 code;
	enum ae_src src;
	u32 idx;
};

static const struct verdict executed;

static struct verdict refuse(u8 nak, u16 code, enum ae_src src, u32 idx)
{
	return (struct verdict){ nak, code, src, idx };
}

static struct verdict refuse_invalid(void)
{
	return refuse(AETH_NAK_INV, AE_INVALID_REQUEST, AE_SRC_IN_RR_WR, 0);
}

/* Sends what @m says; a path that is gone is the end of the queue pair. */
static void respond(struct roce_qp *q, struct message *m)
{
	u16 code;

	m->h.pkey = q->qp->ctx.pkey;
	m->h.dqpn = q->qp->ctx.dest_qpn;
	m->h.msn = q->resp.msn;
	code = link_response(q, link_peer(q), m);
	if (code)
		cmpl_fail(q, code, AE_SRC_OUT_RR, 0);
}

static void flush_reply(struct roce_qp *q)
{
	struct responder *rs = &q->resp;
	struct message m = { .n_psns = 1 };

	if (!rs->has_reply || rs->out != rs->in)
		return;
	rs->has_reply = false;
	m.h = (struct roce_hdr){ .opcode = RC_ACK, .psn = rs->reply_psn, .syndrome = rs->reply };
	respond(q, &m);
	if (rs->fatal)
		cmpl_fail(q, rs->fatal, rs->fatal_src, rs->fatal_idx);
}

/* A later acknowledgement covers an earlier one; a NAK stays. */
static void reply(struct roce_qp *q, u8 syndrome, u32 psn)
{
	struct responder *rs = &q->resp;

	if (rs->has_reply && !AETH_IS_ACK(rs->reply) && AETH_IS_ACK(syndrome))
		return;
	rs->has_reply = true;
	rs->reply = syndrome;
	rs->reply_psn = psn;
	flush_reply(q);
}

bool resp_take_recv(struct roce_qp *q, struct wqe_fault *fault)
{
	struct rdma_qp *qp = q->qp;
	struct responder *rs = &q->resp;
	u8 wqe[WQE_MAX_BYTES];
	u32 stride = qp->ctx.use_srq ? rdma_srq_get(qp->r, qp->ctx.srqn)->ring.stride :
				       qp->rq.stride;
	int found;

	*fault = (struct wqe_fault){};
	if (rs->has_recv)
		return true;
	found = rdma_rq_peek(qp, wqe, &rs->recv.idx);
	if (found < 0)
		fault->code = AE_QP_CATASTROPHIC;
	if (found <= 0)
		return false;
	*fault = wqe_parse_recv(wqe, stride, &rs->recv);
	rdma_rq_consume(qp);
	rs->has_recv = true;
	if (fault->code)
		violation(q->roce->nic, fault->kind, "qp %u receive index %u", qp->id, rs->recv.idx);
	else if (!wqe_recv_clean(wqe, qp->ctx.use_srq))
		violation(q->roce->nic, V_RQ_RESERVED, "qp %u receive index %u", qp->id, rs->recv.idx);
	return !fault->code;
}

/* The receive WQE of a message; executed: it is there. */
static struct verdict need_recv(struct roce_qp *q)
{
	struct wqe_fault fault;

	if (resp_take_recv(q, &fault))
		return executed;
	if (fault.code)
		return refuse(AETH_NAK_OP, fault.code, AE_SRC_RQ, q->resp.recv.idx);
	return refuse((u8)(AETH_RNR | (q->qp->ctx.min_rnr_timer & 0x1F)), 0, AE_SRC_NONE, 0);
}

/* A placement that failed: the sender's memory, or ours. */
static struct verdict placed(struct message *m, bool ok, u32 idx)
{
	if (ok)
		return executed;
	m->source_failed = !payload_readable(&m->data);
	return m->source_failed ? executed :
	       refuse(AETH_NAK_OP, AE_QP_CATASTROPHIC, AE_SRC_RQ, idx);
}

static void receive_done(struct roce_qp *q, const struct message *m, struct cqe *cqe)
{
	cqe->byte_len = roce_op_flags(m->h.opcode) & OPF_WRITE ? q->resp.total : q->resp.offset;
	cqe->solicited = m->h.se;
	cqe->has_imm = roce_op_flags(m->h.opcode) & OPF_IMM;
	cqe->imm = m->h.imm;
	cmpl_recv(q, cqe);
}

static struct verdict finish_send(struct roce_qp *q, const struct message *m)
{
	struct responder *rs = &q->resp;
	struct cqe cqe = { .op = 0x3E };

	if (roce_op_flags(m->h.opcode) & OPF_IETH) {
		u16 code = rdma_mr_invalidate(q->qp->r, m->h.inv_rkey, q->qp->ctx.pd, q->qp->id,
					      true);

		if (code)
			return refuse(AETH_NAK_ACCESS, code, AE_SRC_RQ, rs->recv.idx);
		q->roce->stat[ST_INVALIDATES]++;
		cqe.has_inv = true;
		cqe.inv_stag = m->h.inv_rkey;
	}
	q->roce->stat[ST_IN_SENDS]++;
	receive_done(q, m, &cqe);
	return executed;
}

static struct verdict do_send(struct roce_qp *q, struct message *m, u32 flags)
{
	struct responder *rs = &q->resp;
	struct span dst[WQE_MAX_FRAGS];
	struct verdict v;
	u32 n;
	u16 code;

	if (flags & OPF_FIRST) {
		v = need_recv(q);
		if (v.nak)
			return v;
		rs->offset = 0;
	}
	if (rs->offset + m->data.len > rs->recv.len)
		return refuse(AETH_NAK_INV, AE_MSG_TOO_LONG, AE_SRC_RQ, rs->recv.idx);
	code = spans_of_sges(q->qp, rs->recv.sge, rs->recv.nfrags, ACC_LOCAL_WRITE, rs->offset,
			     m->data.len, dst, &n);
	if (code)
		return refuse(AETH_NAK_OP, code, AE_SRC_RQ, rs->recv.idx);
	v = placed(m, payload_place(&m->data, dst, n), rs->recv.idx);
	if (v.nak || m->source_failed)
		return v;
	rs->offset += m->data.len;
	rs->msg = flags & OPF_LAST ? MSG_NONE : MSG_SEND;
	return flags & OPF_LAST ? finish_send(q, m) : executed;
}

/* A receive for a WRITE with immediate looks like the peer's WRITE to the verbs library. */
static void finish_write(struct roce_qp *q, const struct message *m, u32 flags)
{
	struct cqe cqe = { .op = m->h.se ? WQE_WRITE_SOL : WQE_WRITE };

	q->roce->stat[ST_IN_WRITES]++;
	if (flags & OPF_IMM)
		receive_done(q, m, &cqe);
}

static struct verdict do_write(struct roce_qp *q, struct message *m, u32 flags)
{
	struct responder *rs = &q->resp;
	struct span dst = { .len = m->data.len };
	struct verdict v = executed;
	u16 code = 0;

	if (flags & OPF_FIRST) {
		rs->va = m->h.va;
		rs->rkey = m->h.rkey;
		rs->total = m->h.dma_len;
		rs->offset = 0;
	}
	if (rs->total > 1u << 31 || m->data.len > rs->total - rs->offset ||
	    ((flags & OPF_LAST) && m->data.len != rs->total - rs->offset))
		return refuse_invalid();
	/* The whole range with the first packet, so that a bad one changes nothing. */
	if (rs->total)
		code = rdma_mr_check(q->qp->r, rs->rkey, q->qp->ctx.pd, q->qp->id, true,
				     ACC_REMOTE_WRITE, rs->va, rs->total, &dst.mr);
	if (code)
		return refuse(AETH_NAK_ACCESS, code, AE_SRC_IN_RR_WR, 0);
	if (flags & OPF_IMM)
		v = need_recv(q);
	if (v.nak)
		return v;
	dst.addr = rs->va + rs->offset;
	v = placed(m, payload_place(&m->data, &dst, 1), 0);
	if (v.nak || m->source_failed)
		return v;
	rs->offset += m->data.len;
	rs->msg = flags & OPF_LAST ? MSG_NONE : MSG_WRITE;
	if (flags & OPF_LAST)
		finish_write(q, m, flags);
	return executed;
}

static struct replay *replay_at(struct responder *rs, u32 i)
{
	return &rs->replay[i & (rs->n_replay - 1)];
}

/* The ring is made with the first READ or atomic: most queue pairs never get one. */
static bool replay_ready(struct roce_qp *q)
{
	struct responder *rs = &q->resp;
	u32 want = q->qp->ctx.ird, n = 1;

	if (rs->replay)
		return true;
	if (want > RESP_IRD_MAX)
		want = RESP_IRD_MAX;
	while (n < want)
		n *= 2;
	rs->replay = want ? calloc(n, sizeof(*rs->replay)) : NULL;
	rs->n_replay = rs->replay ? n : 0;
	rs->in = rs->out = rs->fresh = 0;
	return rs->replay;
}

/* A free place in the replay ring; executed: there is one. */
static struct verdict need_replay(struct roce_qp *q)
{
	struct responder *rs = &q->resp;

	if (replay_ready(q) && rs->in - rs->fresh < rs->n_replay)
		return executed;
	q->roce->stat[ST_IRD_LIMIT]++;
	return refuse(AETH_NAK_INV, AE_IRD_EXCEEDED, AE_SRC_IN_RR_WR, 0);
}

/*
 * The oldest is overwritten: its repetition, if one is due, was asked for before the
 * answer came. An acknowledgement that still waits is implied by the response to this.
 */
static void accept_replay(struct roce_qp *q, const struct replay *e)
{
	struct responder *rs = &q->resp;

	if (rs->in - rs->out == rs->n_replay)
		rs->out++;
	*replay_at(rs, rs->in++) = *e;
	rs->msn = psn_add(rs->msn, 1);
	rs->has_reply = false;
}

static struct verdict do_read(struct roce_qp *q, struct message *m)
{
	u32 mtu = q->mtu, len = m->h.dma_len;
	struct verdict v = need_replay(q);
	struct rdma_mr *mr;
	u16 code = 0;

	if (v.nak)
		return v;
	if (len > 1u << 31)
		return refuse_invalid();
	if (len)
		code = rdma_mr_check(q->qp->r, m->h.rkey, q->qp->ctx.pd, q->qp->id, true,
				     ACC_REMOTE_READ, m->h.va, len, &mr);
	if (code)
		return refuse(AETH_NAK_ACCESS, code, AE_SRC_OUT_RR, 0);
	m->n_psns = len ? (len - 1) / mtu + 1 : 1;
	accept_replay(q, &(struct replay){ .first = m->h.psn, .n_psns = m->n_psns,
					   .rkey = m->h.rkey, .len = len, .va = m->h.va });
	q->roce->stat[ST_IN_READS]++;
	return executed;
}

/* The old value of the 8 bytes at @mem. */
static u64 atomic_execute(u64 *mem, const struct roce_hdr *h)
{
	u64 old = h->compare;

	if (h->opcode == RC_FETCH_ADD)
		return __atomic_fetch_add(mem, h->swap, __ATOMIC_SEQ_CST);
	__atomic_compare_exchange_n(mem, &old, h->swap, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return old;
}

static struct verdict do_atomic(struct roce_qp *q, struct message *m)
{
	struct verdict v = need_replay(q);
	struct rdma_mr *mr;
	size_t avail;
	u64 bus;
	u64 *mem;
	u16 code;

	if (v.nak)
		return v;
	if (m->h.va % 8)
		return refuse(AETH_NAK_INV, AE_ATOMIC_ALIGN, AE_SRC_IN_RR_WR, 0);
	code = rdma_mr_check(q->qp->r, m->h.rkey, q->qp->ctx.pd, q->qp->id, true,
			     ACC_REMOTE_ATOMIC, m->h.va, 8, &mr);
	if (code)
		return refuse(AETH_NAK_ACCESS, code, AE_SRC_IN_RR_WR, 0);
	if (rdma_mr_segment(mr, m->h.va, 8, &bus) != 8 || bus % 8)
		return refuse(AETH_NAK_INV, AE_ATOMIC_ALIGN, AE_SRC_IN_RR_WR, 0);
	mem = dma_ptr(q->roce->nic->dma, bus, 8, DMA_PROT_READ | DMA_PROT_WRITE, &avail);
	if (!mem || avail < 8)
		return refuse(AETH_NAK_OP, AE_QP_CATASTROPHIC, AE_SRC_IN_RR_WR, 0);
	accept_replay(q, &(struct replay){ .first = m->h.psn, .n_psns = 1, .atomic = true,
					   .orig = atomic_execute(mem, &m->h) });
	q->resp.ack_psn = m->h.psn;
	q->roce->stat[ST_IN_ATOMICS]++;
	return executed;
}

static bool sequence_right(const struct responder *rs, u32 flags)
{
	enum resp_msg msg = flags & OPF_SEND ? MSG_SEND : flags & OPF_WRITE ? MSG_WRITE : MSG_NONE;

	return flags & OPF_FIRST ? rs->msg == MSG_NONE : rs->msg == msg;
}

static bool qp_allows(const struct qp_ctx *ctx, u32 flags)
{
	if (flags & OPF_READ)
		return ctx->read_en;
	if (flags & OPF_WRITE)
		return ctx->write_en;
	return flags & OPF_SEND || ctx->atomics;
}

/* First and middle packets are full, a last one is not empty. */
static bool length_right(const struct roce_qp *q, const struct message *m, u32 flags)
{
	u32 mtu = q->mtu, len = m->data.len;

	if (!(flags & OPF_PAYLOAD))
		return !len;
	if (!(flags & OPF_LAST))
		return len == m->n_psns * mtu;
	if (len > m->n_psns * mtu)
		return false;
	return len > (m->n_psns - 1) * mtu || ((flags & OPF_FIRST) && m->n_psns == 1);
}

static struct verdict execute(struct roce_qp *q, struct message *m, u32 flags)
{
	if (!sequence_right(&q->resp, flags) || !qp_allows(&q->qp->ctx, flags) ||
	    !length_right(q, m, flags))
		return refuse_invalid();
	if (flags & OPF_SEND)
		return do_send(q, m, flags);
	if (flags & OPF_WRITE)
		return do_write(q, m, flags);
	return flags & OPF_READ ? do_read(q, m) : do_atomic(q, m);
}

/* One NAK until the gap is closed. */
static void out_of_order(struct roce_qp *q)
{
	struct responder *rs = &q->resp;

	q->roce->stat[ST_OUT_OF_ORDER]++;
	if (rs->nak_sent)
		return;
	rs->nak_sent = true;
	reply(q, AETH_NAK_SEQ, rs->epsn);
}

static bool same_request(const struct roce_qp *q, const struct replay *e, const struct message *m,
			 u32 flags)
{
	u32 done = (u32)psn_diff(m->h.psn, e->first) * q->mtu;

	if (!(flags & OPF_READ))
		return e->atomic;
	return !e->atomic && m->h.rkey == e->rkey && m->h.va == e->va + done &&
	       m->h.dma_len == e->len - done;
}

/* A remembered READ or atomic is answered again, from the PSN that is asked for. */
static void replay_again(struct roce_qp *q, const struct message *m, u32 flags)
{
	struct responder *rs = &q->resp;
	u32 n = rs->in < rs->n_replay ? rs->in : rs->n_replay;

	for (u32 i = rs->in; n; n--) {
		struct replay *e = replay_at(rs, --i);
		int at = psn_diff(m->h.psn, e->first);

		if (at < 0 || at >= (int)e->n_psns)
			continue;
		if (!same_request(q, e, m, flags))
			return;
		e->start = e->next = (u32)at;
		if ((int)(i - rs->out) < 0)
			rs->out = i;
		engine_queue(q);
		return;
	}
}

static void duplicate(struct roce_qp *q, const struct message *m, u32 flags)
{
	if (flags & (OPF_SEND | OPF_WRITE))
		reply(q, AETH_ACK, q->resp.ack_psn);
	else
		replay_again(q, m, flags);
}

static void refused(struct roce_qp *q, const struct message *m, const struct verdict *v)
{
	struct responder *rs = &q->resp;

	TRACE(q->roce->nic, T_ROCE, "qp %u refuses opcode %02x psn %06x: syndrome %02x event %04x",
	      q->qp->id, m->h.opcode, m->h.psn, v->nak, v->code);
	if (AETH_IS_RNR(v->nak)) {
		q->roce->stat[ST_RNR_SENT]++;
		rs->nak_sent = true;
	} else {
		rs->fatal = v->code;
		rs->fatal_src = v->src;
		rs->fatal_idx = v->idx;
	}
	reply(q, v->nak, m->h.psn);
}

/* A fault knob's refusal of a request that is otherwise right; executed: none. */
static struct verdict inject(struct roce_qp *q, const struct fault *fault)
{
	u8 nak = (u8)fault->value;
	u16 code = nak == AETH_NAK_ACCESS ? AE_REM_ACCESS :
		   nak == AETH_NAK_OP ? AE_REM_OPERATION : AE_INVALID_REQUEST;

	q->resp.nak_sent = true;
	return refuse(nak, AETH_IS_RNR(nak) ? 0 : code, AE_SRC_IN_RR_WR, 0);
}

void resp_request(struct roce_qp *q, struct message *m)
{
	u32 flags = roce_op_flags(m->h.opcode);
	struct responder *rs = &q->resp;
	int ahead = psn_diff(m->h.psn, rs->epsn);
	const struct fault *fault;
	struct verdict v;

	if (!qp_receives(q->qp) || rs->fatal)
		return;
	if (ahead > 0)
		out_of_order(q);
	if (ahead < 0)
		duplicate(q, m, flags);
	if (ahead)
		return;
	rs->nak_sent = false;
	fault = fault_hit(q->roce->nic, F_ROCE_REQUEST, m->h.opcode);
	if (fault && fault->action == FAULT_DROP)
		return;
	v = fault && fault->action == FAULT_FAIL ? inject(q, fault) : execute(q, m, flags);
	if (v.nak) {
		refused(q, m, &v);
		return;
	}
	if (m->source_failed)
		return;
	rs->epsn = psn_add(rs->epsn, m->n_psns);
	if (!(flags & (OPF_SEND | OPF_WRITE))) {
		resp_work(q, 1);
		return;
	}
	rs->ack_psn = psn_add(rs->epsn, ROCE_PSN_MASK);
	if (flags & OPF_LAST)
		rs->msn = psn_add(rs->msn, 1);
	if (m->h.ackreq)
		reply(q, AETH_ACK, rs->ack_psn);
}

static void answer_atomic(struct roce_qp *q, struct replay *e)
{
	struct message m = { .n_psns = 1 };

	e->next = 1;
	m.h = (struct roce_hdr){ .opcode = RC_ATOMIC_ACK, .psn = e->first, .syndrome = AETH_ACK,
				 .orig = e->orig };
	respond(q, &m);
}

static u8 read_opcode(bool first, bool last)
{
	if (first)
		return last ? RC_READ_ONLY : RC_READ_FIRST;
	return last ? RC_READ_LAST : RC_READ_MIDDLE;
}

/* The region went away while its READ was being answered. */
static void read_failed(struct roce_qp *q, const struct replay *e, u8 syndrome, u16 code)
{
	struct responder *rs = &q->resp;

	rs->out = rs->in;
	rs->has_reply = false;
	rs->fatal = code;
	rs->fatal_src = AE_SRC_OUT_RR;
	reply(q, syndrome, psn_add(e->first, e->next));
}

static void answer_read(struct roce_qp *q, struct replay *e)
{
	u32 mtu = q->mtu, left = e->n_psns - e->next, off = e->next * mtu;
	struct roce_qp *peer = link_peer(q);
	struct message m = { .n_psns = left < link_chunk(peer) ? left : link_chunk(peer) };
	bool last = m.n_psns == left;
	struct rdma_mr *mr;
	u16 code;

	m.data.len = last ? e->len - off : m.n_psns * mtu;
	if (m.data.len) {
		code = rdma_mr_check(q->qp->r, e->rkey, q->qp->ctx.pd, q->qp->id, true,
				     ACC_REMOTE_READ, e->va + off, m.data.len, &mr);
		if (code) {
			read_failed(q, e, AETH_NAK_ACCESS, code);
			return;
		}
		m.data.span[m.data.n++] = (struct span){ mr, e->va + off, m.data.len };
	}
	m.h = (struct roce_hdr){
		.opcode = read_opcode(e->next == e->start, last), .syndrome = AETH_ACK,
		.psn = psn_add(e->first, e->next), .pkey = q->qp->ctx.pkey,
		.dqpn = q->qp->ctx.dest_qpn, .msn = q->resp.msn,
	};
	e->next += m.n_psns;
	code = link_response(q, peer, &m);
	if (code == AE_QP_CATASTROPHIC) {
		e->next -= m.n_psns;
		read_failed(q, e, AETH_NAK_OP, code);
	} else if (code) {
		cmpl_fail(q, code, AE_SRC_OUT_RR, 0);
	}
}

static void answered(struct responder *rs)
{
	rs->out++;
	if ((int)(rs->out - rs->fresh) > 0)
		rs->fresh = rs->out;
}

void resp_work(struct roce_qp *q, u32 budget)
{
	struct responder *rs = &q->resp;

	while (rs->out != rs->in && qp_receives(q->qp)) {
		struct replay *e = replay_at(rs, rs->out);

		if (e->next == e->n_psns) {
			answered(rs);
			continue;
		}
		if (!budget--) {
			engine_queue(q);
			return;
		}
		if (e->atomic)
			answer_atomic(q, e);
		else
			answer_read(q, e);
	}
	flush_reply(q);
}

void resp_init(struct roce_qp *q)
{
	q->resp = (struct responder){};
}

void resp_fini(struct roce_qp *q)
{
	free(q->resp.replay);
	q->resp.replay = NULL;
	q->resp.n_replay = 0;
}

void resp_start(struct roce_qp *q)
{
	resp_fini(q);
	q->resp = (struct responder){
		.epsn = q->qp->ctx.epsn & ROCE_PSN_MASK,
		.ack_psn = psn_add(q->qp->ctx.epsn, ROCE_PSN_MASK),
	};
}
