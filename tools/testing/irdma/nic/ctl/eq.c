// SPDX-License-Identifier: GPL-2.0
/*
 * Event queues: CEQs tell which CQ has completions, the AEQ tells everything else.
 *
 * A CEQ has no doorbell. Its entries are given back one by one when the CQ is
 * acknowledged, so a ring of as many entries as there are CQs cannot overflow. AEQ
 * entries are given back by number; the entry that would take the last free slot carries
 * the overflow bit, and nothing is written after it.
 */
#include <string.h>

#include "ctl.h"
#include "../intr.h"

#define CEQE_BYTES	8u
#define AEQE_BYTES	16u
#define CEQ_MAX		262143u
#define AEQ_MAX		262144u
#define EQ_ALIGN	256u

void eq_reset(struct rdma *r)
{
	memset(r->ceq, 0, sizeof(r->ceq));
	r->aeq = (struct aeq) { .vector = NO_VECTOR };
	for (u32 i = 0; i < CEQS; i++)
		r->ceq[i].vector = NO_VECTOR;
}

static void interrupt(struct rdma *r, u32 vector)
{
	if (vector != NO_VECTOR)
		intr_event(r->nic->intr, vector);
}

/* The ring must be zero, or stale entries would look valid. Looks at the first page. */
static bool ring_clean(struct rdma *r, const struct place *p, u64 bytes)
{
	u64 bus = p->base, word;

	if (p->pbl && !pbl_addr(r, p->base, p->two_level, 0, &bus))
		return false;
	for (u64 off = 0; off < bytes && off < PAGE_BYTES; off += 8) {
		if (!dma_load64(r->nic->dma, bus + off, &word))
			return false;
		if (word) {
			violation(r->nic, V_RING_DIRTY, "0x%llx at offset %u",
				  (unsigned long long)word, (u32)off);
			return false;
		}
	}
	return true;
}

/* CEQ. */

static u32 ceq_id(const struct cmd *c)
{
	return (u32)(GETF(c->w[3], CEQ_W24_ID) | GETF(c->w[3], CEQ_W24_ID_HIGH) << 10);
}

u32 cmd_create_ceq(struct cmd *c)
{
	u32 id = ceq_id(c), count = (u32)GETF(c->w[2], CEQ_W16_COUNT), result;
	struct place p;

	if (!CHECKED(id < CEQS))
		return refuse(c->r, CEQ_ID, CMD_NO_OBJECT, "create CEQ %u", id);
	if (c->r->ceq[id].exists)
		return refuse(c->r, CEQ_ID, CMD_STATE, "create CEQ %u again", id);
	if (!rdma_cq_get(c->r, 0))
		return refuse(c->r, EVENT_ORDER, CMD_STATE, "CEQ %u before the control CQ", id);
	if (!count || count > CEQ_MAX)
		return refuse(c->r, CEQ_SIZE, CMD_FIELD, "CEQ %u of %u entries", id, count);
	result = place_decode(c, (u64)count * CEQE_BYTES, EQ_ALIGN, &p);
	if (result)
		return result;
	if (!ring_clean(c->r, &p, (u64)count * CEQE_BYTES))
		return CMD_CONTEXT;
	c->r->ceq[id] = (struct ceq) {
		.exists = true, .base = p.base, .pbl = p.pbl, .two_level = p.two_level,
		.count = count, .polarity = 1, .vector = NO_VECTOR,
		.cqs = c->r->ceq[id].cqs,
	};
	return CMD_OK;
}

u32 cmd_destroy_ceq(struct cmd *c)
{
	u32 id = ceq_id(c);
	struct ceq *ceq = id < CEQS ? &c->r->ceq[id] : NULL;
	u32 ccq = 0;

	if (!ceq || !ceq->exists)
		return refuse(c->r, CEQ_ID, CMD_NO_OBJECT, "destroy CEQ %u", id);
	/* The control CQ outlives its CEQ: the completion of this command goes there. */
	if (!id && rdma_cq_get(c->r, 0))
		ccq = 1;
	if (ceq->cqs > ccq)
		return refuse(c->r, CEQ_BUSY, CMD_STATE, "CEQ %u serves %u CQs", id, ceq->cqs);
	if (GETF(c->w[2], CEQ_W16_COUNT) != ceq->count)
		return refuse(c->r, CEQ_SIZE, CMD_FIELD, "CEQ %u has %u entries", id, ceq->count);
	ceq->exists = false;
	ceq->vector = NO_VECTOR;
	return CMD_OK;
}

static void write_ceqe(struct rdma *r, u32 id, u64 context)
{
	struct ceq *ceq = &r->ceq[id];
	u64 bus = ceq->base, off = (u64)ceq->index * CEQE_BYTES;

	if (!ceq->exists)
		return;
	if (!ceq->pbl)
		bus += off;
	else if (!pbl_addr(r, ceq->base, ceq->two_level, off, &bus))
		return;
	if (!dma_store64(r->nic->dma, bus, PUTF(context, CEQE_CONTEXT) |
			 PUTF(ceq->polarity, CEQE_VALID)))
		return;
	if (++ceq->index == ceq->count) {
		ceq->index = 0;
		ceq->polarity ^= 1;
	}
	TRACE(r->nic, T_EVENT, "CEQ %u: context 0x%llx", id, (unsigned long long)context);
	interrupt(r, ceq->vector);
}

struct late_ceqe {
	u32 id;
	u64 context;
};

static void write_late_ceqe(struct rdma *r, void *data)
{
	const struct late_ceqe *l = data;

	write_ceqe(r, l->id, l->context);
}

void ceq_post(struct rdma *r, u32 id, u64 context)
{
	const struct fault *f = fault_hit(r->nic, F_CEQE, id);
	struct late_ceqe l = { id, context };

	if (f && f->action == FAULT_DROP)
		return;
	if (f && f->action == FAULT_DELAY) {
		rdma_later(r, f->value, write_late_ceqe, &l, sizeof(l));
		return;
	}
	write_ceqe(r, id, context);
	if (f && f->action == FAULT_DUP)
		write_ceqe(r, id, context);
}

/* AEQ. */

u32 cmd_create_aeq(struct cmd *c)
{
	struct aeq *aeq = &c->r->aeq;
	u32 count = (u32)GETF(c->w[2], AEQ_W16_COUNT), result;
	struct place p;

	if (aeq->exists)
		return refuse(c->r, AEQ_EXISTS, CMD_STATE, "create the AEQ again");
	if (!rdma_cq_get(c->r, 0))
		return refuse(c->r, EVENT_ORDER, CMD_STATE, "AEQ before the control CQ");
	if (!count || count > AEQ_MAX)
		return refuse(c->r, AEQ_SIZE, CMD_FIELD, "%u entries", count);
	if (GETF(c->w[3], CQP_W24_PBL) || GETF(c->w[3], CQP_W24_LEAF))
		return refuse(c->r, AEQ_PBL, CMD_FIELD, "w24 0x%llx", (unsigned long long)c->w[3]);
	result = place_decode(c, (u64)count * AEQE_BYTES, EQ_ALIGN, &p);
	if (result)
		return result;
	if (!ring_clean(c->r, &p, (u64)count * AEQE_BYTES))
		return CMD_CONTEXT;
	*aeq = (struct aeq) {
		.exists = true, .base = p.base, .count = count, .polarity = 1,
		.vector = NO_VECTOR,
	};
	return CMD_OK;
}

u32 cmd_destroy_aeq(struct cmd *c)
{
	struct aeq *aeq = &c->r->aeq;

	if (!aeq->exists)
		return refuse(c->r, AEQ_EXISTS, CMD_NO_OBJECT, "destroy the AEQ that is not there");
	if (GETF(c->w[2], AEQ_W16_COUNT) != aeq->count)
		return refuse(c->r, AEQ_SIZE, CMD_FIELD, "the AEQ has %u entries", aeq->count);
	aeq->exists = false;
	aeq->vector = NO_VECTOR;
	return CMD_OK;
}

static void write_aeqe(struct rdma *r, const struct aeqe *ae)
{
	struct aeq *aeq = &r->aeq;
	u64 bus = aeq->base + (u64)aeq->index * AEQE_BYTES;
	bool overflow = aeq->unposted + 1 >= aeq->count;
	u64 w0 = PUTF(ae->tcp_state, AEQE_W0_TCP) | PUTF(ae->q2_data, AEQE_W0_Q2) |
		 (ae->context & MASKF(AEQE_W0_CONTEXT));
	u64 w8 = PUTF(ae->id, AEQE_W8_ID) | PUTF(ae->src, AEQE_W8_SOURCE) |
		 PUTF(ae->qp_state, AEQE_W8_QP_STATE) | PUTF(ae->wqe_idx, AEQE_W8_WQE_IDX) |
		 PUTF(ae->code, AEQE_W8_CODE) | PUTF(overflow, AEQE_W8_OVERFLOW) |
		 PUTF(aeq->polarity, AEQE_W8_VALID);

	if (!aeq->exists || aeq->overflowed) {
		aeq->lost++;
		return;
	}
	if (!dma_store64(r->nic->dma, bus, w0) || !dma_store64(r->nic->dma, bus + 8, w8))
		return;
	aeq->overflowed = overflow;
	aeq->unposted++;
	if (++aeq->index == aeq->count) {
		aeq->index = 0;
		aeq->polarity ^= 1;
	}
	TRACE(r->nic, T_EVENT, "AEQ: code 0x%04x source %u id %u index %u%s", ae->code, ae->src,
	      ae->id, ae->wqe_idx, overflow ? " overflow" : "");
	interrupt(r, aeq->vector);
}

static void write_late_aeqe(struct rdma *r, void *data)
{
	write_aeqe(r, data);
}

void rdma_aeq_post(struct rdma *r, const struct aeqe *ae)
{
	const struct fault *f = fault_hit(r->nic, F_AEQE, ae->code);

	if (f && f->action == FAULT_DROP)
		return;
	if (f && f->action == FAULT_DELAY) {
		rdma_later(r, f->value, write_late_aeqe, ae, sizeof(*ae));
		return;
	}
	write_aeqe(r, ae);
	if (f && f->action == FAULT_DUP)
		write_aeqe(r, ae);
}

void rdma_qp_event(struct rdma_qp *qp, u16 code, enum ae_src src, u32 wqe_idx)
{
	/* Drivers stop ringing the doorbell of a QP that was reported above RTS. */
	u8 state = code == AE_SUSPEND_DONE ? QPS_RTS : (u8)qp->state;
	const struct aeqe ae = {
		.code = code, .src = (u8)src, .qp_state = state, .id = qp->id,
		.wqe_idx = wqe_idx, .context = qp->ctx.comp_ctx,
	};

	rdma_aeq_post(qp->r, &ae);
}

void aeq_ack(struct rdma *r, u32 count)
{
	if (!count || count > r->aeq.unposted) {
		violation(r->nic, V_AEQ_ACK, "%u of %u entries", count, r->aeq.unposted);
		return;
	}
	r->aeq.unposted -= count;
}
