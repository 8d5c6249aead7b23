// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queues, the control CQ (id 0) among them: life, entries, arming, overflow.
 *
 * The consumer's index is read from the shadow area whenever it matters. After a resize
 * that index counts in the ring that the consumer still drains; the select field of the
 * arm word tells how many rings it has retired, so an index of an older ring is known as
 * such and means that nothing of the present ring was consumed.
 *
 * An event entry is written when the queue is armed, an entry that the arm waits for is
 * unread, and no earlier event waits for its acknowledgement (queues with the CEQE mask).
 * Arming and acknowledgement may come in either order: both look again.
 */
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

#define CQ_MAX		(1u << 20)	/* what 20 index bits can count; drivers round up to it */
#define CQ_RING_ALIGN	256u
#define SHADOW_ALIGN	64u
#define SHADOW_BYTES	64u
#define SHADOW_ARM	32u
#define ID_RESERVED	3u	/* 0 is the control CQ, 1 and 2 are for iWARP */
#define ARM_SELECT_MASK	0x3FFFu
#define ARM_BITS	(MASKF(CQ_ARM_SELECT) | MASKF(CQ_ARM_NEXT) | MASKF(CQ_ARM_SE) | \
			 MASKF(CQ_ARM_SEQ))
#define ARM_SEQS	4u
#define CHECK_MAX	4096u

struct rdma_cq *rdma_cq_get(struct rdma *r, u32 id)
{
	return table_get(&r->cqs, id);
}

void cq_free(void *cq)
{
	free(cq);
}

/* Entries. */

static bool entry_addr(const struct rdma_cq *cq, u32 index, u64 *bus)
{
	u64 off = (u64)index * cq->entry_bytes;

	if (cq->pbl)
		return pbl_addr(cq->r, cq->base, cq->two_level, off, bus);
	*bus = cq->base + off;
	return true;
}

/* What the consumer's index says about the present ring. */
struct consumer {
	bool present;		/* it counts in the present ring */
	u32 index;
	u32 arm;		/* arm word */
	u32 select;		/* rings that it has retired */
	u64 arm_extra;		/* bits of the arm word without a meaning */
};

static bool read_consumer(struct rdma_cq *cq, struct consumer *c)
{
	u64 w0, w32;

	if (!dma_load64(cq->r->nic->dma, cq->shadow, &w0) ||
	    !dma_load64(cq->r->nic->dma, cq->shadow + SHADOW_ARM, &w32))
		return false;
	c->arm = (u32)w32;
	c->select = (u32)GETF(w32, CQ_ARM_SELECT);
	c->arm_extra = w32 & ~ARM_BITS;
	c->present = c->select == (cq->resizes & ARM_SELECT_MASK);
	c->index = (u32)GETF(w0, CQ_SHADOW_INDEX);
	if (c->present && c->index >= cq->size) {
		violation(cq->r->nic, V_CQ_SHADOW_INDEX, "CQ %u: index %u of %u", cq->id, c->index,
			  cq->size);
		c->index = cq->index;
	}
	return true;
}

/* Entries of the present ring that the consumer has not read. */
static u32 unread(const struct rdma_cq *cq, const struct consumer *c)
{
	if (!c->present)
		return cq->posted > cq->size ? cq->size : (u32)cq->posted;
	return (cq->index + cq->size - c->index) % cq->size;
}

static bool old_ring_unread(const struct rdma_cq *cq, const struct consumer *c)
{
	return !c->present && c->index != cq->prev_index;
}

static void fail_cq(struct rdma_cq *cq)
{
	const struct aeqe ae = {
		.code = AE_CQ_ERROR, .src = AE_SRC_CQ, .id = cq->id, .context = cq->context,
	};

	TRACE(cq->r->nic, T_EVENT, "CQ %u overflows", cq->id);
	cq->overflowed = true;
	rdma_aeq_post(cq->r, &ae);
	qp_cq_failed(cq);
}

/* Writes the event entry if everything that it waits for is there. */
static void try_event(struct rdma_cq *cq)
{
	struct consumer c;
	u32 count;

	if (!cq->armed || (cq->ceqe_mask && cq->unacked) || !cq->ceq_valid ||
	    !read_consumer(cq, &c))
		return;
	count = unread(cq, &c);
	if (!cq->arm_any && cq->posted - cq->last_solicited >= count)
		count = 0;
	if (!count && !old_ring_unread(cq, &c))
		return;
	cq->armed = false;
	cq->unacked = true;
	ceq_post(cq->r, cq->ceq, cq->context);
}

bool cq_write(struct rdma_cq *cq, const u64 *w, u32 words, bool solicited)
{
	struct dma_space *dma = cq->r->nic->dma;
	struct consumer c;
	u64 bus;

	if (cq->overflowed)
		return false;
	if (cq->check_overflow && read_consumer(cq, &c) && unread(cq, &c) + 1 >= cq->size) {
		fail_cq(cq);
		return false;
	}
	if (!entry_addr(cq, cq->index, &bus))
		return false;
	for (u32 i = 0; i < words; i++) {
		u64 val = w[i];

		if (i == 3)
			continue;
		if (i == 7)
			val |= PUTF(cq->polarity, CQE_W56_VALID);
		if (!dma_store64(dma, bus + 8 * i, val))
			return false;
	}
	if (!dma_store64(dma, bus + 24, w[3] | PUTF(cq->polarity, CQE_W24_VALID)))
		return false;
	cq->posted++;
	if (solicited)
		cq->last_solicited = cq->posted;
	if (++cq->index == cq->size) {
		cq->index = 0;
		cq->polarity ^= 1;
	}
	try_event(cq);
	return true;
}

static u64 smac_word(const struct cqe *cqe)
{
	u64 mac = 0;

	for (u32 i = 0; i < 6; i++)
		mac = mac << 8 | cqe->smac[i];
	return PUTF(mac, CQE_W48_SMAC) | PUTF(cqe->vlan, CQE_W48_VLAN);
}

void rdma_cq_post(struct rdma_cq *cq, const struct cqe *cqe)
{
	bool ext = cqe->ext || cqe->has_imm || cqe->smac_valid || cqe->vlan_valid;
	u64 w[8] = {
		[0] = PUTF(cqe->byte_len, CQE_W0_LENGTH) |
		      PUTF((u32)loop_now(cq->r->nic->loop), CQE_W0_TIMESTAMP),
		[1] = cqe->srq ? cqe->wr_id : cqe->comp_ctx,
		[2] = PUTF(cqe->has_inv ? cqe->inv_stag : cqe->ud_src_qpn, CQE_W16_LOW) |
		      PUTF(cqe->qp, CQE_W16_QP),
		[3] = PUTF(cqe->minor, CQE_W24_MINOR) | PUTF(cqe->major, CQE_W24_MAJOR) |
		      PUTF(cqe->wqe_idx, CQE_W24_WQE_IDX) | PUTF(ext, CQE_W24_EXT) |
		      PUTF(cqe->push_dropped, CQE_W24_PUSH_DROPPED) |
		      PUTF(cqe->srq, CQE_W24_SRQ) |
		      PUTF(cqe->has_inv || cqe->ipv4, CQE_W24_IPV4_OR_INV) |
		      PUTF(cqe->solicited, CQE_W24_SOLICITED) | PUTF(cqe->error, CQE_W24_ERROR) |
		      PUTF(cqe->op, CQE_W24_OP) | PUTF(cqe->sq, CQE_W24_SQ),
		[4] = cqe->imm,
		[5] = cqe->srq ? cqe->comp_ctx : 0,
		[6] = smac_word(cqe),
		[7] = PUTF(cqe->has_imm, CQE_W56_IMM_VALID) |
		      PUTF(cqe->smac_valid, CQE_W56_SMAC_VALID) |
		      PUTF(cqe->vlan_valid, CQE_W56_VLAN_VALID),
	};

	cq_write(cq, w, cq->entry_bytes / 8, cqe->solicited || cqe->error);
}

/* Doorbells. Users can ring them with any number at any time. */

/* Software retires the rings that it has left behind, not those to come. */
static void check_arm(const struct rdma_cq *cq, const struct consumer *c)
{
	u32 ahead = (c->select - cq->resizes) & ARM_SELECT_MASK;

	if (c->arm_extra || (ahead && ahead <= ARM_SELECT_MASK / 2))
		violation(cq->r->nic, V_CQ_ARM, "CQ %u: bits 0x%llx, %u rings retired of %u", cq->id,
			  (unsigned long long)c->arm_extra, c->select, cq->resizes);
}

/*
 * Whether the arm word asks for more than was acted upon. A doorbell finds the last of
 * the arms so far; those of the ones before come too late then, and mean nothing. Four
 * arms in a row leave the sequence number as it was: they are known by their doorbells.
 */
static bool new_arm(struct rdma_cq *cq, u32 seq)
{
	u32 ahead = (seq - (u32)cq->arms) % ARM_SEQS;

	cq->rung++;
	if (!ahead && cq->rung < cq->arms + ARM_SEQS) {
		TRACE(cq->r->nic, T_EVENT, "CQ %u armed with sequence %u again", cq->id, seq);
		return false;
	}
	cq->arms += ahead ? ahead : ARM_SEQS;
	return true;
}

void cq_arm(struct rdma *r, u32 id)
{
	struct rdma_cq *cq = rdma_cq_get(r, id);
	struct consumer c;

	if (!cq) {
		violation(r->nic, V_DOORBELL_NO_CQ, "arm CQ %u", id);
		return;
	}
	if (!read_consumer(cq, &c))
		return;
	check_arm(cq, &c);
	if (!new_arm(cq, (u32)GETF(c.arm, CQ_ARM_SEQ)))
		return;
	cq->arm_any = GETF(c.arm, CQ_ARM_NEXT);
	cq->armed = cq->arm_any || GETF(c.arm, CQ_ARM_SE);
	try_event(cq);
}

void cq_ack(struct rdma *r, u32 id)
{
	struct rdma_cq *cq = rdma_cq_get(r, id);

	if (!cq) {
		violation(r->nic, V_DOORBELL_NO_CQ, "acknowledge CQ %u", id);
		return;
	}
	if (!cq->unacked && cq->ceqe_mask)
		violation(r->nic, V_CQ_ACK, "CQ %u has no event", id);
	cq->unacked = false;
	try_event(cq);
}

/* Commands. */

static u32 cq_id(const struct cmd *c)
{
	return (u32)(GETF(c->w[3], FLD_CQ_ID) | GETF(c->w[3], CQ_W24_ID_HIGH) << 22);
}

static u32 cq_ceq(const struct cmd *c)
{
	return (u32)(GETF(c->w[3], FLD_CQ_CEQ) | GETF(c->w[3], CQ_W24_CEQ_HIGH) << 10);
}

/* No entry of a new ring may look valid; looks at the first CHECK_MAX entries. */
static bool ring_clean(const struct rdma_cq *cq)
{
	for (u32 i = 0; i < cq->size && i < CHECK_MAX; i++) {
		u64 bus, word;

		if (!entry_addr(cq, i, &bus) || !dma_load64(cq->r->nic->dma, bus + 24, &word))
			return false;
		if (GETF(word, CQE_W24_VALID)) {
			violation(cq->r->nic, V_RING_DIRTY, "CQ %u entry %u: 0x%llx", cq->id, i,
				  (unsigned long long)word);
			return false;
		}
	}
	return true;
}

static bool shadow_clean(struct rdma *r, u64 shadow)
{
	for (u32 off = 0; off < SHADOW_BYTES; off += 8) {
		u64 word;

		if (!dma_load64(r->nic->dma, shadow + off, &word))
			return false;
		if (word) {
			violation(r->nic, V_SHADOW, "word at %u is 0x%llx", off,
				  (unsigned long long)word);
			return false;
		}
	}
	return true;
}

/* Size and place of a ring, from create and modify alike. */
static u32 decode_ring(struct cmd *c, struct rdma_cq *cq)
{
	struct place p;
	u32 result;

	cq->size = (u32)GETF(c->w[0], CQ_W0_SIZE);
	cq->entry_bytes = GETF(c->w[3], CQ_W24_64BYTE) ? 64 : 32;
	if (!cq->size || cq->size > CQ_MAX)
		return refuse(c->r, CQ_SIZE, CMD_FIELD, "CQ %u of %u entries", cq->id, cq->size);
	result = place_decode(c, (u64)cq->size * cq->entry_bytes, CQ_RING_ALIGN, &p);
	if (result)
		return result;
	cq->base = p.base;
	cq->pbl = p.pbl;
	cq->two_level = p.two_level;
	return ring_clean(cq) ? CMD_OK : CMD_CONTEXT;
}

static u32 check_create(struct cmd *c, const struct rdma_cq *cq)
{
	u32 id = cq->id;

	if (id >= c->r->cqs.count || (id && id < ID_RESERVED))
		return refuse(c->r, CQ_ID, CMD_NO_OBJECT, "create CQ %u of %u", id, c->r->cqs.count);
	if (rdma_cq_get(c->r, id))
		return refuse(c->r, CQ_ID, CMD_STATE, "create CQ %u again", id);
	if (id && !rdma_cq_get(c->r, 0))
		return refuse(c->r, EVENT_ORDER, CMD_STATE, "CQ %u before the control CQ", id);
	/* The control CQ comes before its CEQ, which is always CEQ 0. */
	if (cq->ceq_valid && (cq->ceq >= CEQS || (id && !c->r->ceq[cq->ceq].exists)))
		return refuse(c->r, CEQ_ID, CMD_NO_OBJECT, "CQ %u on CEQ %u", id, cq->ceq);
	if (!id && (!cq->ceq_valid || cq->ceq || GETF(c->w[3], CQ_W24_64BYTE) || cq->ceqe_mask))
		return refuse(c->r, CQ_CONTROL, CMD_FIELD, "w24 0x%llx",
			      (unsigned long long)c->w[3]);
	if (cq->shadow % SHADOW_ALIGN)
		return refuse(c->r, SHADOW, CMD_FIELD, "CQ %u at 0x%llx", id,
			      (unsigned long long)cq->shadow);
	return CMD_OK;
}

u32 cmd_create_cq(struct cmd *c)
{
	struct rdma_cq cq = {
		.r = c->r, .id = cq_id(c), .ceq = cq_ceq(c), .polarity = 1,
		.context = GETF(c->w[1], CQ_W8_CONTEXT), .shadow = c->w[5],
		.check_overflow = GETF(c->w[3], CQ_W24_CHECK_OVERFLOW),
		.ceqe_mask = GETF(c->w[3], CQ_W24_CEQE_MASK),
		.ceq_valid = GETF(c->w[3], CQ_W24_CEQ_VALID),
	}, *obj;
	u32 result = check_create(c, &cq);

	if (!result)
		result = decode_ring(c, &cq);
	if (result)
		return result;
	if (!mem_check(c->r, cq.shadow, SHADOW_BYTES, DMA_PROT_READ) ||
	    !shadow_clean(c->r, cq.shadow))
		return CMD_CONTEXT;
	obj = malloc(sizeof(*obj));
	if (!obj)
		return CMD_CONTEXT;
	*obj = cq;
	table_set(&c->r->cqs, cq.id, obj);
	if (cq.ceq_valid)
		c->r->ceq[cq.ceq].cqs++;
	TRACE(c->r->nic, T_CQP, "CQ %u: %u x %u bytes, CEQ %u", cq.id, cq.size, cq.entry_bytes,
	      cq.ceq);
	return CMD_OK;
}

u32 cmd_modify_cq(struct cmd *c)
{
	struct rdma_cq *cq = rdma_cq_get(c->r, (u32)GETF(c->w[3], FLD_CQ_ID)), new;
	u32 result;

	if (!cq || !cq->id)
		return refuse(c->r, CQ_ID, CMD_NO_OBJECT, "modify CQ %u",
			      (u32)GETF(c->w[3], FLD_CQ_ID));
	if (!GETF(c->w[3], CQ_W24_RESIZE) || c->w[5] != cq->shadow ||
	    GETF(c->w[1], CQ_W8_CONTEXT) != cq->context ||
	    (GETF(c->w[3], CQ_W24_64BYTE) ? 64 : 32) != cq->entry_bytes)
		return refuse(c->r, CQ_RESIZE, CMD_FIELD, "CQ %u: w24 0x%llx, shadow 0x%llx", cq->id,
			      (unsigned long long)c->w[3], (unsigned long long)c->w[5]);
	if (cq->overflowed)
		return refuse(c->r, CQ_STATE, CMD_STATE, "resize CQ %u in error", cq->id);
	new = *cq;
	result = decode_ring(c, &new);
	if (result)
		return result;
	new.check_overflow = GETF(c->w[3], CQ_W24_CHECK_OVERFLOW);
	new.prev_size = cq->size;
	new.prev_index = cq->index;
	new.resizes++;
	new.index = 0;
	new.polarity = 1;
	new.posted = new.last_solicited = 0;
	*cq = new;
	return CMD_OK;
}

/* Whether a destroy command tells what the CQ was created as. */
static bool same_cq(const struct cmd *c, const struct rdma_cq *cq)
{
	return GETF(c->w[1], CQ_W8_CONTEXT) == cq->context &&
	       GETF(c->w[3], CQ_W24_CEQ_VALID) == cq->ceq_valid &&
	       (!cq->ceq_valid || cq_ceq(c) == cq->ceq) &&
	       GETF(c->w[3], CQ_W24_CEQE_MASK) == cq->ceqe_mask &&
	       (GETF(c->w[3], CQ_W24_64BYTE) ? 64 : 32) == cq->entry_bytes;
}

u32 cmd_destroy_cq(struct cmd *c)
{
	struct rdma_cq *cq = rdma_cq_get(c->r, cq_id(c));

	if (!cq)
		return refuse(c->r, CQ_ID, CMD_NO_OBJECT, "destroy CQ %u", cq_id(c));
	if (cq->users)
		return refuse(c->r, CQ_BUSY, CMD_STATE, "CQ %u serves %u queues", cq->id, cq->users);
	if (!same_cq(c, cq))
		return refuse(c->r, CQ_CHANGED, CMD_FIELD, "destroy CQ %u: w8 0x%llx w24 0x%llx",
			      cq->id, (unsigned long long)c->w[1], (unsigned long long)c->w[3]);
	if (c->w[5] != cq->shadow)
		return refuse(c->r, SHADOW, CMD_FIELD, "destroy CQ %u with 0x%llx", cq->id,
			      (unsigned long long)c->w[5]);
	if (!cq->id && c->r->cqs.used > 1)
		return refuse(c->r, CQ_BUSY, CMD_STATE, "control CQ before %u others",
			      c->r->cqs.used - 1);
	if (cq->ceq_valid)
		c->r->ceq[cq->ceq].cqs--;
	table_clear(&c->r->cqs, cq->id);
	cq_free(cq);
	return CMD_OK;
}
