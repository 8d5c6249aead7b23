// SPDX-License-Identifier: GPL-2.0
/*
 * Queue pairs: create, modify, destroy, and the commands that act on a QP's queues.
 *
 * Of a context that comes with MODIFY_QP only some fields count: those with a valid flag
 * if it is set, path MTU and starting PSNs with the transition that they belong to, the
 * rest at any step but the one to the error state. The rings and the completion context never
 * change. PSNs are the data side's once the QP runs: a return from SQ-drained to RTS
 * does not set them back although software's copy holds the old ones.
 */
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

#define CTX_ALIGN	256u
#define SHADOW_ALIGN	64u
#define SHADOW_BYTES	64u
#define RING_ALIGN	128u
#define PD_MAX		262144u
#define QP_IWARP	2u	/* set aside for iWARP's exceptions */
#define AE_MASK		0xFFFu
/* Minor codes of a flush: which queues had something. */
#define FLUSHED_RQ	2u
#define FLUSHED_SQ	3u
#define FLUSHED_BOTH	4u
#define CODE_GENERAL	(1u << 16 | 1u)

/* Bit n of an entry: MODIFY_QP may go from there to state n. */
static const u8 transitions[] = {
	[QPS_IDLE] = 1 << QPS_IDLE | 1 << QPS_RTR | 1 << QPS_ERROR,
	[QPS_RTR] = 1 << QPS_RTR | 1 << QPS_RTS | 1 << QPS_ERROR,
	[QPS_RTS] = 1 << QPS_RTS | 1 << QPS_SQD | 1 << QPS_ERROR,
	[QPS_SQD] = 1 << QPS_RTS | 1 << QPS_SQD | 1 << QPS_ERROR,
	[QPS_ERROR] = 1 << QPS_ERROR,
};

struct rdma_qp *rdma_qp_get(struct rdma *r, u32 id)
{
	return table_get(&r->qps, id);
}

struct rdma_qp *rdma_qp_by_wire(struct rdma *r, u32 qpn)
{
	if (qpn == 1)
		return r->vchnl.vport ? rdma_qp_get(r, r->vchnl.qp1) : NULL;
	return rdma_qp_get(r, qpn);
}

/* References that keep CQs and the SRQ from being destroyed. */

static void use_queues(struct rdma_qp *qp, int change)
{
	struct rdma_cq *scq = rdma_cq_get(qp->r, qp->ctx.scqn);
	struct rdma_cq *rcq = rdma_cq_get(qp->r, qp->ctx.rcqn);
	struct rdma_srq *srq = qp->ctx.use_srq ? rdma_srq_get(qp->r, qp->ctx.srqn) : NULL;

	if (scq)
		scq->users += change;
	if (rcq)
		rcq->users += change;
	if (srq)
		srq->users += change;
}

void qp_free(void *obj)
{
	struct rdma_qp *qp = obj;

	roce_qp_free(qp);
	use_queues(qp, -1);
	free(qp);
}

void qp_cq_failed(struct rdma_cq *cq)
{
	struct rdma *r = cq->r;

	for (u32 i = 0; i < r->qps.count; i++) {
		struct rdma_qp *qp = rdma_qp_get(r, i);
		enum qp_state old;

		if (!qp || (qp->ctx.scqn != cq->id && qp->ctx.rcqn != cq->id) ||
		    qp->state == QPS_ERROR)
			continue;
		old = qp->state;
		qp->state = QPS_ERROR;
		roce_qp_modified(qp, old);
		rdma_qp_event(qp, AE_QP_CATASTROPHIC, AE_SRC_NONE, 0);
	}
}

/* Checks shared by create and modify. */

static u32 read_ctx(struct cmd *c, struct qp_ctx *ctx)
{
	u8 raw[QPC_BYTES];

	if (c->w[2] % CTX_ALIGN || c->w[5] % SHADOW_ALIGN)
		return refuse(c->r, QP_ADDRESS, CMD_FIELD, "context 0x%llx, shadow area 0x%llx",
			      (unsigned long long)c->w[2], (unsigned long long)c->w[5]);
	if (!dma_read(c->r->nic->dma, c->w[2], raw, sizeof(raw)))
		return CMD_CONTEXT;
	return qpc_decode(c->r, raw, ctx);
}

static u32 check_cqs(struct rdma *r, u32 qp, const struct qp_ctx *ctx)
{
	const struct rdma_cq *scq = rdma_cq_get(r, ctx->scqn), *rcq = rdma_cq_get(r, ctx->rcqn);

	/* The control CQ takes no other completions; 32-byte entries cannot name an SRQ. */
	if (!scq || !rcq || !scq->id || !rcq->id || (ctx->use_srq && rcq->entry_bytes != 64))
		return refuse(r, QP_CQ, CMD_NO_OBJECT, "QP %u: CQs %u and %u", qp, ctx->scqn,
			      ctx->rcqn);
	return CMD_OK;
}

static u32 check_ring(struct rdma *r, const struct rdma_ring *ring)
{
	u64 bytes = (u64)ring->quanta * QUANTUM;

	if (!ring->pbl && ring->base % RING_ALIGN)
		return refuse(r, QP_ADDRESS, CMD_FIELD, "ring at 0x%llx",
			      (unsigned long long)ring->base);
	if (ring->pbl ? !pbl_check(r, ring->base, false, (bytes + PAGE_BYTES - 1) / PAGE_BYTES, 12) :
			!mem_check(r, ring->base, bytes, DMA_PROT_READ))
		return CMD_CONTEXT;
	return wq_clean(r, ring);
}

static u32 check_push(struct rdma *r, const struct qp_ctx *ctx)
{
	if (ctx->push_en && (ctx->push_page % 2 || !r->push_used[ctx->push_page / 2]))
		return refuse(r, PUSH_PAGE, CMD_FIELD, "QP with push page %u", ctx->push_page);
	return CMD_OK;
}

static struct rdma_ring make_ring(u64 base, bool pbl, u8 size_code, u32 stride)
{
	return (struct rdma_ring) {
		.base = base, .pbl = pbl, .quanta = 4u << size_code, .stride = stride,
		.polarity = 1,
	};
}

/* Create. */

static u32 check_create(struct cmd *c, const struct rdma_qp *qp)
{
	const struct qp_ctx *ctx = &qp->ctx;
	u32 result = check_cqs(c->r, qp->id, ctx);

	if (!result)
		result = check_push(c->r, ctx);
	if (!result)
		result = check_ring(c->r, &qp->sq);
	if (!result && !ctx->use_srq)
		result = check_ring(c->r, &qp->rq);
	if (!result && ctx->use_srq && !rdma_srq_get(c->r, ctx->srqn))
		result = refuse(c->r, QP_SRQ, CMD_NO_OBJECT, "QP %u: SRQ %u", qp->id, ctx->srqn);
	if (!result && !mem_check(c->r, qp->shadow_addr, SHADOW_BYTES, DMA_PROT_WRITE))
		result = CMD_CONTEXT;
	return result;
}

static u32 check_create_wqe(struct cmd *c, u32 id, u64 type)
{
	if (!id || id == QP_IWARP || id >= c->r->qps.count)
		return refuse(c->r, QP_ID, CMD_NO_OBJECT, "create QP %u of %u", id,
			      c->r->qps.count);
	if (rdma_qp_get(c->r, id))
		return refuse(c->r, QP_ID, CMD_STATE, "create QP %u again", id);
	if (type != QP_RC && type != QP_UD)
		return refuse(c->r, QP_TYPE, CMD_FIELD, "QP %u of type %u", id, (u32)type);
	if (GETF(c->w[3], QP_W24_STATE) != QPS_IDLE)
		return refuse(c->r, QP_STATE, CMD_FIELD, "create QP %u in state %u", id,
			      (u32)GETF(c->w[3], QP_W24_STATE));
	if (!GETF(c->w[3], QP_W24_CQ_VALID) || !GETF(c->w[3], QP_W24_MAC_VALID))
		return refuse(c->r, QP_FLAGS, CMD_FIELD, "create QP %u: w24 0x%llx", id,
			      (unsigned long long)c->w[3]);
	return CMD_OK;
}

u32 cmd_create_qp(struct cmd *c)
{
	u32 id = (u32)GETF(c->w[3], QP_W24_ID);
	u64 type = GETF(c->w[3], QP_W24_TYPE);
	u32 result = check_create_wqe(c, id, type);
	struct rdma_qp qp = {
		.r = c->r, .id = id, .type = (enum qp_type)type, .state = QPS_IDLE,
		.ctx_addr = c->w[2], .shadow_addr = c->w[5], .pbl = GETF(c->w[3], QP_W24_PBL),
		.qpn = c->r->vchnl.vport && c->r->vchnl.qp1 == id ? 1 : id,
	}, *obj;

	if (!result)
		result = read_ctx(c, &qp.ctx);
	if (result)
		return result;
	qp.sq = make_ring(qp.ctx.sq_addr, qp.pbl, qp.ctx.sq_size_code, 1);
	qp.rq = make_ring(qp.ctx.rq_addr, qp.pbl, qp.ctx.rq_size_code,
			  1u << qp.ctx.rq_wqe_size_code);
	result = check_create(c, &qp);
	if (result)
		return result;
	obj = malloc(sizeof(*obj));
	if (!obj)
		return CMD_CONTEXT;
	*obj = qp;
	if (roce_qp_new(obj)) {
		free(obj);
		return CMD_CONTEXT;
	}
	table_set(&c->r->qps, id, obj);
	use_queues(obj, 1);
	TRACE(c->r->nic, T_CQP, "QP %u type %u: SQ %u quanta, RQ %u x %u, CQs %u, %u%s", id, qp.type,
	      qp.sq.quanta, qp.rq.quanta, qp.rq.stride, qp.ctx.scqn, qp.ctx.rcqn,
	      qp.pbl ? ", page lists" : "");
	return CMD_OK;
}

/* Modify. */

/* The QP that a modify, destroy or upload names, with what it must repeat. */
static u32 find_qp(struct cmd *c, bool addresses, struct rdma_qp **out)
{
	u32 id = (u32)GETF(c->w[3], QP_W24_ID);
	struct rdma_qp *qp = rdma_qp_get(c->r, id);

	if (!qp)
		return refuse(c->r, QP_ID, CMD_NO_OBJECT, "opcode 0x%02x: QP %u", c->op, id);
	if (addresses && (GETF(c->w[3], QP_W24_TYPE) != qp->type || c->w[2] != qp->ctx_addr ||
			  c->w[5] != qp->shadow_addr))
		return refuse(c->r, QP_CHANGED, CMD_FIELD,
			      "QP %u: type %u, context 0x%llx, shadow area 0x%llx", id,
			      (u32)GETF(c->w[3], QP_W24_TYPE), (unsigned long long)c->w[2],
			      (unsigned long long)c->w[5]);
	*out = qp;
	return CMD_OK;
}

/* What MODIFY_QP leaves alone of @old is copied over what was read into @ctx. */
static void keep_fields(const struct cmd *c, const struct rdma_qp *qp, enum qp_state next,
			struct qp_ctx *ctx)
{
	const struct qp_ctx *old = &qp->ctx;
	bool to_rtr = qp->state == QPS_IDLE && next == QPS_RTR;

	ctx->comp_ctx = old->comp_ctx;
	ctx->use_srq = old->use_srq;
	ctx->srqn = old->srqn;
	if (!GETF(c->w[3], QP_W24_CQ_VALID)) {
		ctx->scqn = old->scqn;
		ctx->rcqn = old->rcqn;
	}
	if (!GETF(c->w[3], QP_W24_ARP_VALID))
		ctx->arp_idx = old->arp_idx;
	if (!GETF(c->w[3], QP_W24_ORD_VALID))
		ctx->ord = old->ord;
	if (!GETF(c->w[3], QP_W24_MAC_VALID) && !to_rtr)
		memcpy(ctx->smac, old->smac, sizeof(ctx->smac));
	if (!to_rtr) {
		ctx->pmtu = old->pmtu;
		ctx->epsn = old->epsn;
	}
	if (qp->state != QPS_RTR || next != QPS_RTS) {
		ctx->psn_nxt = old->psn_nxt;
		ctx->psn_max = old->psn_max;
		ctx->psn_una = old->psn_una;
	}
}

static u32 check_modify(struct cmd *c, const struct rdma_qp *qp, enum qp_state next,
			const struct qp_ctx *ctx)
{
	u8 mac[6];

	if (ctx->sq_addr != qp->ctx.sq_addr || ctx->rq_addr != qp->ctx.rq_addr ||
	    ctx->sq_size_code != qp->ctx.sq_size_code ||
	    ctx->rq_size_code != qp->ctx.rq_size_code ||
	    ctx->rq_wqe_size_code != qp->ctx.rq_wqe_size_code ||
	    GETF(c->w[3], QP_W24_PBL) != qp->pbl)
		return refuse(c->r, QP_CHANGED, CMD_FIELD, "QP %u: rings", qp->id);
	if (ctx->pd >= PD_MAX)
		return refuse(c->r, QPC_PD, CMD_FIELD, "QP %u: PD %u", qp->id, ctx->pd);
	if (GETF(c->w[3], QP_W24_ARP_VALID) && qp->type == QP_RC &&
	    !rdma_arp_get(c->r, ctx->arp_idx, mac))
		return refuse(c->r, QP_ARP, CMD_NO_OBJECT, "QP %u: ARP entry %u", qp->id,
			      ctx->arp_idx);
	/* Reaching RTR and RTS needs the fields that these flags announce. */
	if (next != qp->state && (next == QPS_RTR || next == QPS_RTS) &&
	    (!GETF(c->w[3], QP_W24_CQ_VALID) || !GETF(c->w[3], QP_W24_ARP_VALID)))
		return refuse(c->r, QP_FLAGS, CMD_FIELD, "QP %u to state %u: w24 0x%llx", qp->id,
			      next, (unsigned long long)c->w[3]);
	if (check_push(c->r, ctx))
		return CMD_FIELD;
	return check_cqs(c->r, qp->id, ctx);
}

static u32 modify_live(struct cmd *c, struct rdma_qp *qp, enum qp_state next)
{
	struct qp_ctx ctx;
	u32 result = read_ctx(c, &ctx);

	if (result)
		return result;
	keep_fields(c, qp, next, &ctx);
	result = check_modify(c, qp, next, &ctx);
	if (result)
		return result;
	use_queues(qp, -1);
	qp->ctx = ctx;
	use_queues(qp, 1);
	return CMD_OK;
}

u32 cmd_modify_qp(struct cmd *c)
{
	enum qp_state next = (enum qp_state)GETF(c->w[3], QP_W24_STATE), old;
	struct rdma_qp *qp;
	u32 result = find_qp(c, true, &qp);

	if (result)
		return result;
	if (next > QPS_ERROR || !(transitions[qp->state] & 1 << next))
		return refuse(c->r, QP_STATE, CMD_STATE, "QP %u from state %u to %u", qp->id,
			      qp->state, next);
	if (next != QPS_ERROR) {
		result = modify_live(c, qp, next);
		if (result)
			return result;
	}
	old = qp->state;
	qp->state = next;
	TRACE(c->r->nic, T_CQP, "QP %u: state %u to %u", qp->id, old, next);
	roce_qp_modified(qp, old);
	if (next == QPS_SQD && old == QPS_RTS)
		roce_drain(qp);
	return CMD_OK;
}

u32 cmd_destroy_qp(struct cmd *c)
{
	struct rdma_qp *qp;
	u32 result = find_qp(c, true, &qp);

	if (result)
		return result;
	if (qp->state != QPS_IDLE && qp->state != QPS_ERROR)
		return refuse(c->r, QP_LIVE, CMD_STATE, "QP %u in state %u", qp->id, qp->state);
	table_clear(&c->r->qps, qp->id);
	qp_free(qp);
	return CMD_OK;
}

/* Flush, generate AE, suspend, resume, upload. */

static u32 flush_queues(struct cmd *c, struct rdma_qp *qp)
{
	bool codes = GETF(c->w[3], FLUSH_W24_USE_CODES);
	struct roce_flush sq = {
		.on = GETF(c->w[3], FLUSH_W24_SQ),
		.code = codes ? (u32)GETF(c->w[2], FLUSH_W16_SQ_CODE) : CODE_GENERAL,
		.idx_valid = GETF(c->w[3], FLUSH_W24_SQ_INDEX_VALID),
		.idx = (u32)GETF(c->w[5], FLUSH_W40_SQ_INDEX),
	};
	struct roce_flush rq = {
		.on = GETF(c->w[3], FLUSH_W24_RQ),
		.code = codes ? (u32)GETF(c->w[2], FLUSH_W16_RQ_CODE) : CODE_GENERAL,
		.idx_valid = GETF(c->w[3], FLUSH_W24_RQ_INDEX_VALID) && !qp->ctx.use_srq,
		.idx = (u32)GETF(c->w[6], FLUSH_W48_RQ_INDEX),
	};

	roce_flush(qp, &sq, &rq);
	if (sq.did || rq.did)
		c->minor = sq.did && rq.did ? FLUSHED_BOTH : sq.did ? FLUSHED_SQ : FLUSHED_RQ;
	return CMD_OK;
}

u32 cmd_flush(struct cmd *c)
{
	bool queues = GETF(c->w[3], FLUSH_W24_SQ) || GETF(c->w[3], FLUSH_W24_RQ);
	struct rdma_qp *qp;
	u32 result = find_qp(c, false, &qp);

	if (result)
		return result;
	if (GETF(c->w[3], FLUSH_W24_GENERATE))
		rdma_qp_event(qp, (u16)(GETF(c->w[1], FLUSH_W8_AE_CODE) & AE_MASK),
			      (enum ae_src)GETF(c->w[1], FLUSH_W8_AE_SOURCE), 0);
	else if (!queues)
		return refuse(c->r, FLUSH_NOTHING, CMD_FIELD, "QP %u: w24 0x%llx", qp->id,
			      (unsigned long long)c->w[3]);
	if (!queues)
		return CMD_OK;
	if (qp->state != QPS_ERROR)
		return refuse(c->r, FLUSH_STATE, CMD_STATE, "QP %u in state %u", qp->id, qp->state);
	return flush_queues(c, qp);
}

static u32 find_for(struct cmd *c, bool suspended, struct rdma_qp **qp)
{
	u32 result = find_qp(c, false, qp);

	if (result)
		return result;
	if ((*qp)->suspended != suspended || (*qp)->state != (suspended ? QPS_SQD : QPS_RTS))
		return refuse(c->r, QP_SUSPEND, CMD_STATE, "%s QP %u in state %u",
			      suspended ? "resume" : "suspend", (*qp)->id, (*qp)->state);
	return CMD_OK;
}

static void change_suspended(struct rdma_qp *qp, bool on)
{
	enum qp_state old = qp->state;

	qp->suspended = on;
	qp->state = on ? QPS_SQD : QPS_RTS;
	roce_qp_modified(qp, old);
	if (on)
		roce_drain(qp);
}

u32 cmd_suspend_qp(struct cmd *c)
{
	struct rdma_qp *qp;
	u32 result = find_for(c, false, &qp);

	if (!result)
		change_suspended(qp, true);
	return result;
}

u32 cmd_resume_qp(struct cmd *c)
{
	struct rdma_qp *qp;
	u32 result = find_for(c, true, &qp);

	if (result)
		return result;
	qp->ctx.qs_handle = (u16)GETF(c->w[2], RESUME_W16_QS_HANDLE);
	change_suspended(qp, false);
	return CMD_OK;
}

/* The context as software wrote it last, with the PSNs of the moment. */
u32 cmd_upload_context(struct cmd *c)
{
	u8 raw[QPC_BYTES];
	struct rdma_qp *qp;
	u32 result = find_qp(c, false, &qp);

	if (result)
		return result;
	if (!dma_read(c->r->nic->dma, qp->ctx_addr, raw, sizeof(raw)))
		return CMD_CONTEXT;
	put64(raw + 80, (get64(raw + 80) & ~MASKF(QPC_W80_PSN_NXT)) |
	      PUTF(qp->ctx.psn_nxt, QPC_W80_PSN_NXT));
	put64(raw + 88, PUTF(qp->ctx.epsn, QPC_W88_EPSN));
	put64(raw + 96, PUTF(qp->ctx.psn_max, QPC_W96_PSN_MAX) |
	      PUTF(qp->ctx.psn_una, QPC_W96_PSN_UNA));
	return dma_write(c->r->nic->dma, c->w[2], raw, sizeof(raw)) ? CMD_OK : CMD_CONTEXT;
}
