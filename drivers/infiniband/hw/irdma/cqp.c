// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Control queue: one door to post commands and to wait for their end.
 *
 * A command in flight is a struct irdma_cqp_req that the queue refers to by WQE
 * slot, later perhaps by ticket. Poster and queue hold a reference each, so a
 * poster may give up: a late completion then finds a request without an owner,
 * or nothing. Memory that the device uses on behalf of a command belongs to the
 * request: its poster frees it when the device has ended the command. Otherwise
 * the request is parked until the queue itself is freed, because the last
 * reference may be dropped in any context, and before the device has stopped.
 *
 * Completions are consumed by whoever comes first: the waiter, which spins for a
 * short while before it sleeps, or the interrupt thread. All state is guarded by
 * one spinlock, taken with interrupts off since address handles are made in any
 * context; callbacks run without it.
 *
 * Lock order: irdma_cqp.lock is innermost.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/bitfield.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "ae_table.h"
#include "cqe.h"
#include "cqp.h"
#include "dev.h"
#include "hw_cqe.h"
#include "trace.h"

/**
 * DOC: Control queue life
 *
 * Until the control CQ exists a command ends when the index in cqp_tail moves on,
 * and bit 31 there says that it failed. From the creation of the control CQ to its
 * destruction each command ends by an entry there, found by polling; from the
 * moment that its event queue is routed to an interrupt the control CQ is armed
 * after every drain as well. The destruction of the control CQ itself ends in
 * cqp_tail again.
 */

/* A waiter spins this long before it sleeps. */
#define IRDMA_CQP_SPIN_NS		(20 * NSEC_PER_USEC)
/* A sleeping waiter looks into the control CQ by itself this often. */
#define IRDMA_CQP_QUANTUM_MS		10
/* Creation and destruction of the control queue, and commands without control CQ. */
#define IRDMA_CQP_POLL_US		10
#define IRDMA_CQP_POLL_CNT		1000

/**
 * irdma_cqp_req_alloc - a request for one command
 * @dev: device
 * @gfp: allocation flags
 *
 * Context: As @gfp allows.
 * Return: request with one reference, the caller's; NULL without memory, if @gfp is not
 * IRDMA_CQP_GFP.
 */
struct irdma_cqp_req *irdma_cqp_req_alloc(struct irdma_dev *dev, gfp_t gfp)
{
	struct irdma_cqp_req *req = kzalloc_obj(*req, gfp);

	if (!req)
		return NULL;
	refcount_set(&req->refs, 1);
	init_completion(&req->done);
	INIT_LIST_HEAD(&req->link);
	req->cqp = &dev->cqp;
	return req;
}

/**
 * irdma_cqp_req_put - drop a reference
 * @req: request; NULL is allowed
 *
 * Context: Any context; takes and releases the queue's lock.
 */
void irdma_cqp_req_put(struct irdma_cqp_req *req)
{
	if (!req || !refcount_dec_and_test(&req->refs))
		return;
	if (!req->mem.va) {
		kfree(req);
		return;
	}
	guard(spinlock_irqsave)(&req->cqp->lock);
	list_add_tail(&req->link, &req->cqp->parked);
}

/**
 * irdma_cqp_init - memory for the queue
 * @cqp: queue
 * @dev: device
 *
 * Context: Process context; may sleep.
 * Return: 0 or -ENOMEM.
 */
int irdma_cqp_init(struct irdma_cqp *cqp, struct irdma_dev *dev)
{
	int err;

	cqp->dev = dev;
	spin_lock_init(&cqp->lock);
	init_waitqueue_head(&cqp->space);
	INIT_LIST_HEAD(&cqp->deferred);
	INIT_LIST_HEAD(&cqp->pending);
	INIT_LIST_HEAD(&cqp->parked);
	err = irdma_ring_init(&cqp->ring, IRDMA_CQP_DEPTH, IRDMA_RING_UNUSED, 0);
	if (err)
		return err;
	err = -ENOMEM;
	cqp->slot = kzalloc_objs(*cqp->slot, IRDMA_CQP_DEPTH);
	if (cqp->slot)
		err = irdma_dma_alloc(dev, &cqp->sq,
				      IRDMA_CQP_DEPTH * sizeof(struct irdma_cqp_wqe));
	if (!err)
		err = irdma_dma_alloc(dev, &cqp->ctx, sizeof(struct irdma_cqp_ctx));
	if (!err)
		err = irdma_dma_alloc(dev, &cqp->ccq,
				      IRDMA_CCQ_ENTRIES * sizeof(struct irdma_cqe32));
	if (!err)
		err = irdma_dma_alloc(dev, &cqp->shadow, sizeof(struct irdma_cq_shadow));
	if (err)
		irdma_cqp_fini(cqp);
	return err;
}

/**
 * irdma_cqp_fini - free the queue's memory
 * @cqp: queue that the device does not use, or zeroed
 *
 * Context: Process context; may sleep.
 */
void irdma_cqp_fini(struct irdma_cqp *cqp)
{
	struct irdma_cqp_req *req, *next;

	if (!cqp->dev)
		return;
	list_for_each_entry_safe(req, next, &cqp->parked, link) {
		irdma_dma_free(cqp->dev, &req->mem);
		kfree(req);
	}
	INIT_LIST_HEAD(&cqp->parked);
	irdma_dma_free(cqp->dev, &cqp->shadow);
	irdma_dma_free(cqp->dev, &cqp->ccq);
	irdma_dma_free(cqp->dev, &cqp->ctx);
	irdma_dma_free(cqp->dev, &cqp->sq);
	kfree(cqp->slot);
	cqp->slot = NULL;
}

static void irdma_cqp_fill_ctx(struct irdma_cqp *cqp)
{
	const struct irdma_cqp_ctx_args args = {
		.sq_addr = cqp->sq.pa,
		.depth = IRDMA_CQP_DEPTH,
	};

	irdma_cqp_ctx_enc(cqp->ctx.va, &args);
}

static u32 irdma_cqp_field(struct irdma_cqp *cqp, enum irdma_field_id field, u32 word)
{
	return irdma_field_get(cqp->dev->field[field], word);
}

/**
 * irdma_cqp_create - make the device start the queue
 * @cqp: queue
 *
 * Context: Process context; sleeps up to 10 ms.
 * Return: 0; -EIO refused; -ETIMEDOUT no answer.
 */
int irdma_cqp_create(struct irdma_cqp *cqp)
{
	struct irdma_dev *dev = cqp->dev;
	u32 status = 0;

	irdma_cqp_fill_ctx(cqp);
	irdma_wr32(dev, IRDMA_REG_CQP_TAIL, 0);
	irdma_wr32(dev, IRDMA_REG_CQP_CTX_HI, upper_32_bits(cqp->ctx.pa));
	irdma_wr32(dev, IRDMA_REG_CQP_CTX_LO, lower_32_bits(cqp->ctx.pa));
	cqp->created = true;
	for (int i = 0; i < IRDMA_CQP_POLL_CNT && !status; i++) {
		fsleep(IRDMA_CQP_POLL_US);
		status = irdma_rd32(dev, IRDMA_REG_CQP_STATUS);
	}
	if (status && !irdma_cqp_field(cqp, IRDMA_FIELD_CQP_STATUS_ERROR, status))
		return 0;
	dev_err(&dev->pdev->dev, "irdma: control queue not created: status %#x, code %#x\n",
		status, irdma_rd32(dev, IRDMA_REG_CQP_ERR));
	return status ? -EIO : -ETIMEDOUT;
}

/**
 * irdma_cqp_destroy - make the device forget the queue
 * @cqp: queue
 *
 * On success the device touches neither the queue's memory nor any buffer named in a
 * command. A queue that was never created counts as destroyed.
 *
 * Context: Process context; sleeps up to 10 ms.
 * Return: 0; -ETIMEDOUT no answer.
 */
int irdma_cqp_destroy(struct irdma_cqp *cqp)
{
	struct irdma_dev *dev = cqp->dev;
	u32 status;

	irdma_cqp_abort(cqp);
	if (!cqp->created)
		return 0;
	irdma_wr32(dev, IRDMA_REG_CQP_CTX_HI, 0);
	irdma_wr32(dev, IRDMA_REG_CQP_CTX_LO, 0);
	for (int i = 0; i < IRDMA_CQP_POLL_CNT; i++) {
		fsleep(IRDMA_CQP_POLL_US);
		status = irdma_rd32(dev, IRDMA_REG_CQP_STATUS);
		if (!irdma_cqp_field(cqp, IRDMA_FIELD_CQP_STATUS_DONE, status)) {
			cqp->created = false;
			return 0;
		}
	}
	return pci_device_is_present(dev->pdev) ? -ETIMEDOUT : 0;
}

/*
 * The device has ended a command: result is set, callback and waiter come later without
 * the lock.
 */
static void irdma_cqp_end_locked(struct irdma_cqp *cqp, struct irdma_cqp_req *req,
				 struct list_head *ended)
{
	lockdep_assert_held(&cqp->lock);
	WRITE_ONCE(req->at_device, false);
	cqp->stats.ended++;
	list_add_tail(&req->link, ended);
}

/* What the failure of a command means beyond the command. */
static void irdma_cqp_judge(struct irdma_cqp *cqp, const struct irdma_cqp_req *req)
{
	const struct irdma_cqp_result *result = &req->result;

	if (!result->err || !result->major)
		return;
	switch (irdma_cqp_error(result->major, result->minor)->severity) {
	case IRDMA_CQP_EXPECTED:
		break;
	case IRDMA_CQP_FAILED:
		/* So a device says that it has no push page left; the code is not defined. */
		if (req->opcode == IRDMA_CQP_OP_PUSH_PAGE)
			break;
		dev_err_ratelimited(&cqp->dev->pdev->dev,
				    "irdma: command %#x failed: code %#x.%#x\n", req->opcode,
				    result->major, result->minor);
		break;
	case IRDMA_CQP_FATAL:
		irdma_life_fail(cqp->dev, "command queue reports an engine failure");
	}
}

/* Tells everybody about ended commands; called without the lock. */
static void irdma_cqp_tell(struct irdma_cqp *cqp, struct list_head *ended)
{
	struct irdma_cqp_req *req, *next;

	list_for_each_entry_safe(req, next, ended, link) {
		list_del_init(&req->link);
		trace_irdma_cqp_end(cqp->dev, req);
		irdma_cqp_judge(cqp, req);
		if (req->complete)
			req->complete(req);
		complete_all(&req->done);
		irdma_cqp_req_put(req);
	}
	if (wq_has_sleeper(&cqp->space))
		wake_up_all(&cqp->space);
}

static void irdma_cqp_set_result(struct irdma_cqp_req *req, const struct irdma_ccqe *cqe)
{
	req->result = (struct irdma_cqp_result){
		.err = cqe->error ? irdma_cqp_error(cqe->major, cqe->minor)->err : 0,
		.major = cqe->major,
		.minor = cqe->minor,
		.ret = cqe->retval,
	};
}

static struct irdma_cqp_req *irdma_cqp_find_ticket(struct list_head *list, u32 ticket)
{
	struct irdma_cqp_req *req;

	list_for_each_entry(req, list, link)
		if (req->ticket == ticket)
			return req;
	return NULL;
}

/* An entry that ends a command whose slot was given back earlier. */
static void irdma_cqp_ooo_locked(struct irdma_cqp *cqp, const struct irdma_ccqe *cqe,
				 struct list_head *ended)
{
	struct irdma_cqp_req *req = irdma_cqp_find_ticket(&cqp->pending, cqe->ticket);

	if (!req) {
		cqp->stats.stray++;
		return;
	}
	list_del_init(&req->link);
	irdma_cqp_set_result(req, cqe);
	irdma_cqp_end_locked(cqp, req, ended);
}

/* The slot of a command is free again, its end is still to come. */
static void irdma_cqp_early_locked(struct irdma_cqp_req *req, u32 ticket, struct list_head *list)
{
	req->ticket = ticket;
	list_add_tail(&req->link, list);
	WRITE_ONCE(req->early, list);
}

static void irdma_cqp_entry_locked(struct irdma_cqp *cqp, const struct irdma_ccqe *cqe,
				   struct list_head *ended)
{
	struct irdma_cqp_req *req;
	u32 pos;

	if (cqe->kind == IRDMA_CCQE_OOO_FINAL) {
		irdma_cqp_ooo_locked(cqp, cqe, ended);
		return;
	}
	if (irdma_ring_find(&cqp->ring, cqe->wqe_idx, &pos) || !cqp->slot[cqe->wqe_idx]) {
		cqp->stats.stray++;
		return;
	}
	req = cqp->slot[cqe->wqe_idx];
	cqp->slot[cqe->wqe_idx] = NULL;
	/* The device completes in order; the tail follows the oldest empty slots. */
	while (irdma_ring_used(&cqp->ring) &&
	       !cqp->slot[irdma_ring_idx(&cqp->ring, cqp->ring.tail)])
		irdma_ring_consume(&cqp->ring, 1);
	irdma_cqp_set_result(req, cqe);
	switch (cqe->kind) {
	case IRDMA_CCQE_DEFERRED:
		irdma_cqp_early_locked(req, cqe->ticket, &cqp->deferred);
		break;
	case IRDMA_CCQE_PENDING:
		irdma_cqp_early_locked(req, cqe->ticket, &cqp->pending);
		break;
	default:
		irdma_cqp_end_locked(cqp, req, ended);
	}
}

static void irdma_cqp_arm_locked(struct irdma_cqp *cqp)
{
	struct irdma_cq_shadow *shadow = cqp->shadow.va;
	u64 word = irdma_cq_arm_word(le64_to_cpu(shadow->qw[4]), true, false);

	lockdep_assert_held(&cqp->lock);
	WRITE_ONCE(shadow->qw[4], cpu_to_le64(word));
	/* writel() orders the arm word before the doorbell. */
	irdma_wr32(cqp->dev, IRDMA_REG_CQ_ARM, IRDMA_CQ_ID_CCQ);
}

/**
 * irdma_cqp_drain - consume what the control CQ holds
 * @cqp: queue
 *
 * Callbacks of ended commands run here.
 *
 * Context: Any context; takes and releases @cqp->lock.
 */
void irdma_cqp_drain(struct irdma_cqp *cqp)
{
	const struct irdma_cqe32 *ring = cqp->ccq.va;
	struct irdma_cq_shadow *shadow;
	struct irdma_ccqe cqe;
	LIST_HEAD(ended);
	unsigned long flags;
	bool found = false;

	spin_lock_irqsave(&cqp->lock, flags);
	while (cqp->ccq_live && irdma_ccqe_decode(&ring[cqp->cons.idx], cqp->cons.polarity, &cqe)) {
		irdma_cons_advance(&cqp->cons);
		irdma_cqp_entry_locked(cqp, &cqe, &ended);
		found = true;
	}
	if (found) {
		shadow = cqp->shadow.va;
		WRITE_ONCE(shadow->qw[0], cpu_to_le64(cqp->cons.idx));
		if (cqp->armed)
			irdma_cqp_arm_locked(cqp);
	}
	spin_unlock_irqrestore(&cqp->lock, flags);
	if (found)
		irdma_cqp_tell(cqp, &ended);
}

/**
 * irdma_cqp_deferred_end - an async event ends a deferred command
 * @cqp: queue
 * @ticket: from the event
 *
 * Tickets repeat; the oldest command that holds it has ended. The notice of the
 * deferral may still lie in the control CQ, which is therefore drained first.
 *
 * Context: Process context.
 */
void irdma_cqp_deferred_end(struct irdma_cqp *cqp, u32 ticket)
{
	struct irdma_cqp_req *req;
	LIST_HEAD(ended);
	unsigned long flags;

	irdma_cqp_drain(cqp);
	spin_lock_irqsave(&cqp->lock, flags);
	req = irdma_cqp_find_ticket(&cqp->deferred, ticket);
	if (req) {
		list_del_init(&req->link);
		irdma_cqp_end_locked(cqp, req, &ended);
	} else {
		cqp->stats.stray++;
	}
	spin_unlock_irqrestore(&cqp->lock, flags);
	irdma_cqp_tell(cqp, &ended);
}

/* Takes every command in flight away from the device's reach. */
static void irdma_cqp_collect_locked(struct irdma_cqp *cqp, struct list_head *ended)
{
	struct irdma_cqp_req *req;
	u32 idx;

	list_splice_tail_init(&cqp->deferred, ended);
	list_splice_tail_init(&cqp->pending, ended);
	for (; irdma_ring_used(&cqp->ring); irdma_ring_consume(&cqp->ring, 1)) {
		idx = irdma_ring_idx(&cqp->ring, cqp->ring.tail);
		if (cqp->slot[idx])
			list_add_tail(&cqp->slot[idx]->link, ended);
		cqp->slot[idx] = NULL;
	}
	list_for_each_entry(req, ended, link) {
		req->result = (struct irdma_cqp_result){
			.err = irdma_life_err(cqp->dev) ?: -EBUSY,
		};
		cqp->stats.ended++;
	}
}

/**
 * irdma_cqp_abort - accept no more commands and end those in flight
 * @cqp: queue; may be one that was never initialised
 *
 * Commands end with -EBUSY, or -ENODEV when the device is gone. The device may still
 * execute them until irdma_cqp_destroy() succeeds or the function is reset.
 *
 * Context: Any context.
 */
void irdma_cqp_abort(struct irdma_cqp *cqp)
{
	LIST_HEAD(ended);
	unsigned long flags;

	if (!cqp->slot)
		return;
	spin_lock_irqsave(&cqp->lock, flags);
	cqp->stopped = true;
	cqp->ccq_live = false;
	irdma_cqp_collect_locked(cqp, &ended);
	spin_unlock_irqrestore(&cqp->lock, flags);
	irdma_cqp_tell(cqp, &ended);
}

static void irdma_cqp_write_wqe(struct irdma_cqp *cqp, const struct irdma_cqp_wqe *wqe, u32 pos)
{
	struct irdma_cqp_wqe *ring = cqp->sq.va;
	struct irdma_cqp_wqe *slot = &ring[irdma_ring_idx(&cqp->ring, pos)];
	u64 hdr = le64_to_cpu(wqe->qw[IRDMA_CQP_HDR]) & ~IRDMA_CQP_QW3_VALID;

	if (irdma_ring_polarity(&cqp->ring, pos))
		hdr |= IRDMA_CQP_QW3_VALID;
	for (int i = 0; i < ARRAY_SIZE(wqe->qw); i++)
		if (i != IRDMA_CQP_HDR)
			slot->qw[i] = wqe->qw[i];
	/* The device reads the slot when it sees the valid bit. */
	dma_wmb();
	WRITE_ONCE(slot->qw[IRDMA_CQP_HDR], cpu_to_le64(hdr));
}

/* All or nothing: -EAGAIN when the ring has no room for @cnt. */
static int irdma_cqp_try_post(struct irdma_cqp *cqp, const struct irdma_cqp_wqe *wqes,
			      struct irdma_cqp_req **reqs, unsigned int cnt)
{
	unsigned long flags;
	int err = 0;
	u32 pos;

	spin_lock_irqsave(&cqp->lock, flags);
	if (cqp->stopped) {
		err = irdma_life_err(cqp->dev) ?: -EBUSY;
	} else if (irdma_ring_avail(&cqp->ring) < cnt) {
		err = -EAGAIN;
	} else {
		for (unsigned int i = 0; i < cnt; i++) {
			pos = cqp->ring.head;
			reqs[i]->opcode = le64_get_bits(wqes[i].qw[IRDMA_CQP_HDR],
							IRDMA_CQP_QW3_OPCODE);
			reqs[i]->posted_ns = ktime_get_ns();
			reqs[i]->at_device = true;
			refcount_inc(&reqs[i]->refs);
			cqp->slot[irdma_ring_idx(&cqp->ring, pos)] = reqs[i];
			irdma_cqp_write_wqe(cqp, &wqes[i], pos);
			irdma_ring_produce(&cqp->ring, 1);
		}
		cqp->stats.posted += cnt;
		cqp->stats.doorbells++;
		irdma_wr32(cqp->dev, IRDMA_REG_CQP_DB, irdma_ring_idx(&cqp->ring, cqp->ring.head));
	}
	spin_unlock_irqrestore(&cqp->lock, flags);
	return err;
}

/**
 * irdma_cqp_post_atomic - give one command to the device without sleeping
 * @cqp: queue
 * @wqe: command, encoded without valid bit
 * @req: its request; the queue takes a reference of its own
 *
 * Context: Any context.
 * Return: 0; -EAGAIN when the ring is full; -EBUSY or -ENODEV when the queue is stopped.
 */
int irdma_cqp_post_atomic(struct irdma_cqp *cqp, const struct irdma_cqp_wqe *wqe,
			  struct irdma_cqp_req *req)
{
	trace_irdma_cqp_post(cqp->dev, wqe);
	return irdma_cqp_try_post(cqp, wqe, &req, 1);
}

/* Polls cqp_tail for the end of the only command in flight. */
static void irdma_cqp_poll_tail(struct irdma_cqp *cqp, struct irdma_cqp_req *req)
{
	struct irdma_dev *dev = cqp->dev;
	LIST_HEAD(ended);
	unsigned long flags;
	u32 idx, tail, code;

	spin_lock_irqsave(&cqp->lock, flags);
	idx = irdma_ring_idx(&cqp->ring, cqp->ring.tail);
	tail = irdma_rd32(dev, IRDMA_REG_CQP_TAIL);
	if (cqp->slot[idx] != req ||
	    (!(tail & IRDMA_CQP_TAIL_ERROR) && FIELD_GET(IRDMA_CQP_TAIL_IDX, tail) == idx))
		goto unlock;
	if (tail & IRDMA_CQP_TAIL_ERROR) {
		code = irdma_rd32(dev, IRDMA_REG_CQP_ERR);
		req->result.err = -EIO;
		req->result.major = FIELD_GET(IRDMA_CQP_ERR_MAJOR, code);
		req->result.minor = FIELD_GET(IRDMA_CQP_ERR_MINOR, code);
	}
	cqp->slot[idx] = NULL;
	irdma_ring_consume(&cqp->ring, 1);
	irdma_cqp_end_locked(cqp, req, &ended);
unlock:
	spin_unlock_irqrestore(&cqp->lock, flags);
	irdma_cqp_tell(cqp, &ended);
}

static bool irdma_cqp_check(struct irdma_cqp *cqp, struct irdma_cqp_req *req)
{
	if (completion_done(&req->done))
		return true;
	if (READ_ONCE(cqp->ccq_live))
		irdma_cqp_drain(cqp);
	else
		irdma_cqp_poll_tail(cqp, req);
	return completion_done(&req->done);
}

static bool irdma_cqp_spin(struct irdma_cqp *cqp, struct irdma_cqp_req *req)
{
	u64 end = ktime_get_ns() + IRDMA_CQP_SPIN_NS;

	do {
		if (irdma_cqp_check(cqp, req))
			return true;
		cpu_relax();
	} while (ktime_get_ns() < end);
	return false;
}

/* Quanta without progress until the queue counts as dead. */
static unsigned int irdma_cqp_patience(struct irdma_cqp *cqp)
{
	const struct irdma_vchnl *vchnl = &cqp->dev->vchnl;
	bool slow = !list_empty_careful(&cqp->deferred) || !list_empty_careful(&cqp->pending);
	unsigned int s = slow ? vchnl->deferred_timeout_s : vchnl->cmd_timeout_s;

	return s * MSEC_PER_SEC / IRDMA_CQP_QUANTUM_MS;
}

/*
 * One step of a wait that has lasted @quanta without progress, of which @now is a count;
 * true: give up.
 */
static bool irdma_cqp_lost_patience(struct irdma_cqp *cqp, u64 now, u64 *before,
				    unsigned int *quanta)
{
	if (now != *before) {
		*before = now;
		*quanta = 0;
	}
	if (++*quanta < irdma_cqp_patience(cqp))
		return false;
	irdma_life_fail(cqp->dev, "command queue does not answer");
	return true;
}

/**
 * irdma_cqp_post - give commands to the device
 * @cqp: queue
 * @wqes: commands, encoded without valid bit
 * @reqs: one request per command; the queue takes references of its own
 * @cnt: commands, 1 to IRDMA_CQP_BATCH_MAX; they are executed in this order
 *
 * One doorbell is rung for all. When the ring is full the function waits until there is
 * room for all of them, and fails the function when no command makes progress for the
 * time-out of the device.
 *
 * Context: Process context; may sleep.
 * Return: 0; -EBUSY or -ENODEV when the queue is stopped, -ETIMEDOUT when the device does
 * not answer; nothing is posted then.
 */
int irdma_cqp_post(struct irdma_cqp *cqp, const struct irdma_cqp_wqe *wqes,
		   struct irdma_cqp_req **reqs, unsigned int cnt)
{
	unsigned int quanta = 0;
	u64 before = 0;
	int err;

	for (unsigned int i = 0; i < cnt; i++)
		trace_irdma_cqp_post(cqp->dev, &wqes[i]);
	while (!wait_event_timeout(cqp->space,
				   (err = irdma_cqp_try_post(cqp, wqes, reqs, cnt)) != -EAGAIN,
				   msecs_to_jiffies(IRDMA_CQP_QUANTUM_MS))) {
		irdma_cqp_drain(cqp);
		if (irdma_cqp_lost_patience(cqp, READ_ONCE(cqp->ring.tail), &before, &quanta))
			return -ETIMEDOUT;
	}
	return err;
}

/*
 * What changes while commands end that came before this one. A command that lost its
 * completion holds up the tail, or stays the oldest of its list: later ones that end do
 * not count.
 */
static u64 irdma_cqp_progress(struct irdma_cqp *cqp, const struct irdma_cqp_req *req)
{
	struct list_head *list = READ_ONCE(req->early);
	struct irdma_cqp_req *oldest;

	if (!list)
		return READ_ONCE(cqp->ring.tail);
	guard(spinlock_irqsave)(&cqp->lock);
	oldest = list_first_entry_or_null(list, struct irdma_cqp_req, link);
	return oldest ? oldest->posted_ns : 0;
}

static int irdma_cqp_sleep(struct irdma_cqp *cqp, struct irdma_cqp_req *req)
{
	unsigned int quanta = 0;
	u64 before = 0;

	/* Statistics: a lost update does no harm. */
	data_race(cqp->stats.sleeps++);
	while (!wait_for_completion_timeout(&req->done,
					    msecs_to_jiffies(IRDMA_CQP_QUANTUM_MS))) {
		if (irdma_cqp_check(cqp, req))
			break;
		if (irdma_cqp_lost_patience(cqp, irdma_cqp_progress(cqp, req), &before,
					    &quanta))
			return -ETIMEDOUT;
	}
	return req->result.err;
}

/**
 * irdma_cqp_wait - wait until a posted command has ended
 * @cqp: queue
 * @req: request; the caller's reference stays the caller's
 *
 * When no command makes progress for the time-out of the device the function fails
 * and a reset is requested. A command that the device did not end is over when the
 * engine has stopped: what the command names may be freed then.
 *
 * Context: Process context; may sleep.
 * Return: result of the command; -ETIMEDOUT when the device has not ended it.
 */
int irdma_cqp_wait(struct irdma_cqp *cqp, struct irdma_cqp_req *req)
{
	int err;

	might_sleep();
	if (completion_done(&req->done) && !READ_ONCE(req->at_device))
		return req->result.err;
	/* Statistics: a lost update does no harm. */
	data_race(cqp->stats.waits++);
	err = irdma_cqp_spin(cqp, req) ? req->result.err : irdma_cqp_sleep(cqp, req);
	if (READ_ONCE(req->at_device))
		irdma_life_settle(cqp->dev);
	return err;
}

/**
 * irdma_cqp_wait_atomic - wait without sleeping
 * @cqp: queue
 * @req: request; the caller's reference stays the caller's
 *
 * Context: Any context; polls for the time-out of the device at most.
 * Return: as irdma_cqp_wait().
 */
int irdma_cqp_wait_atomic(struct irdma_cqp *cqp, struct irdma_cqp_req *req)
{
	u64 end = ktime_get_ns() + (u64)cqp->dev->vchnl.cmd_timeout_s * NSEC_PER_SEC;

	while (!irdma_cqp_check(cqp, req)) {
		if (ktime_get_ns() > end) {
			irdma_life_fail(cqp->dev, "command queue does not answer");
			return -ETIMEDOUT;
		}
		udelay(1);
	}
	return req->result.err;
}

/**
 * irdma_cqp_exec - post one command and wait for its end
 * @cqp: queue
 * @wqe: command, encoded without valid bit
 * @result: how it ended; NULL when only the errno matters
 *
 * Context: Process context; may sleep.
 * Return: 0 or an errno of struct irdma_cqp_result.
 */
int irdma_cqp_exec(struct irdma_cqp *cqp, const struct irdma_cqp_wqe *wqe,
		   struct irdma_cqp_result *result)
{
	struct irdma_cqp_req *req = irdma_cqp_req_alloc(cqp->dev, IRDMA_CQP_GFP);
	int err;

	err = irdma_cqp_post(cqp, wqe, &req, 1);
	if (!err)
		err = irdma_cqp_wait(cqp, req);
	if (result)
		*result = req->result;
	irdma_cqp_req_put(req);
	return err;
}

/**
 * irdma_cqp_ccq_begin - completions come to the control CQ from now on
 * @cqp: queue
 *
 * Called before the command that creates the control CQ is posted: its own completion
 * is the first entry.
 *
 * Context: Process context.
 */
void irdma_cqp_ccq_begin(struct irdma_cqp *cqp)
{
	unsigned long flags;

	spin_lock_irqsave(&cqp->lock, flags);
	irdma_cons_init(&cqp->cons, IRDMA_CCQ_ENTRIES);
	cqp->ccq_live = true;
	spin_unlock_irqrestore(&cqp->lock, flags);
}

/**
 * irdma_cqp_ccq_arm - interrupts of the control CQ work from now on
 * @cqp: queue
 *
 * Context: Process context.
 */
void irdma_cqp_ccq_arm(struct irdma_cqp *cqp)
{
	unsigned long flags;

	spin_lock_irqsave(&cqp->lock, flags);
	cqp->armed = true;
	irdma_cqp_arm_locked(cqp);
	spin_unlock_irqrestore(&cqp->lock, flags);
}

/**
 * irdma_cqp_ccq_end - completions come to cqp_tail from now on
 * @cqp: queue; nothing is in flight
 *
 * Called before the command that destroys the control CQ is posted.
 *
 * Context: Process context.
 */
void irdma_cqp_ccq_end(struct irdma_cqp *cqp)
{
	unsigned long flags;

	spin_lock_irqsave(&cqp->lock, flags);
	cqp->ccq_live = false;
	cqp->armed = false;
	spin_unlock_irqrestore(&cqp->lock, flags);
}
