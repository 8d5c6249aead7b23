// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion and asynchronous event queues.
 *
 * Entries carry ids, never pointers; whoever is called looks the id up and may
 * find nothing. An entry is taken out of a CEQ under the queue's lock and handled
 * without it. A CQ that is destroyed first leaves the device, then the table, and
 * then its entries are scrubbed from the CEQ, so that a later CQ with the same id
 * is not woken by them.
 *
 * Lock order: irdma_qp.lock, irdma_eqs.aeq_lock, then spinlocks, irdma_ceq.lock innermost.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/bottom_half.h>
#include <linux/errno.h>
#include <linux/slab.h>

#include "aeqe.h"
#include "cqp_cmd.h"
#include "dev.h"
#include "eq.h"
#include "hw_ae.h"
#include "trace.h"

/**
 * irdma_eqs_init - room for the event queues
 * @dev: device
 * @ceq_cnt: CEQs
 *
 * Context: Process context; may sleep.
 * Return: 0 or -ENOMEM.
 */
int irdma_eqs_init(struct irdma_dev *dev, unsigned int ceq_cnt)
{
	dev->eqs.ceq = kzalloc_objs(*dev->eqs.ceq, ceq_cnt);
	if (!dev->eqs.ceq)
		return -ENOMEM;
	dev->eqs.ceq_cnt = ceq_cnt;
	mutex_init(&dev->eqs.aeq_lock);
	return 0;
}

/**
 * irdma_eqs_fini - undo irdma_eqs_init() and free the rings
 * @dev: device; it does not write the rings any more
 *
 * Context: Process context; may sleep.
 */
void irdma_eqs_fini(struct irdma_dev *dev)
{
	struct irdma_eqs *eqs = &dev->eqs;

	for (unsigned int i = 0; i < eqs->ceq_cnt; i++)
		irdma_dma_free(dev, &eqs->ceq[i].mem);
	irdma_dma_free(dev, &eqs->aeq);
	kfree(eqs->ceq);
	mutex_destroy(&eqs->aeq_lock);
	*eqs = (struct irdma_eqs){};
}

/**
 * irdma_ceq_create - start a completion event queue
 * @dev: device
 * @id: number, below the count given to irdma_eqs_init()
 *
 * The ring has an entry for every CQ: it cannot overflow, since a CQ has one entry at
 * a time.
 *
 * Context: Process context; may sleep.
 * Return: 0, -ENOMEM, or an errno of struct irdma_cqp_result.
 */
int irdma_ceq_create(struct irdma_dev *dev, unsigned int id)
{
	u32 entries = min(dev->cq_ids.limit, dev->gen->limits.ceq_entries_max);
	struct irdma_ceq *ceq = &dev->eqs.ceq[id];
	int err;

	ceq->dev = dev;
	ceq->id = id;
	spin_lock_init(&ceq->lock);
	err = irdma_cons_init(&ceq->cons, entries);
	if (!err)
		err = irdma_dma_alloc(dev, &ceq->mem, entries * IRDMA_CEQE_BYTES);
	if (err)
		return err;
	err = irdma_cmd_create_ceq(dev, id, ceq->mem.pa, entries);
	ceq->created = !err;
	return err;
}

/**
 * irdma_ceq_destroy - stop a completion event queue
 * @dev: device
 * @id: number; a queue that was not created is left alone
 *
 * The ring stays until irdma_eqs_fini(): a device that does not answer may write it.
 *
 * Context: Process context; may sleep.
 */
void irdma_ceq_destroy(struct irdma_dev *dev, unsigned int id)
{
	struct irdma_ceq *ceq = &dev->eqs.ceq[id];

	if (ceq->created)
		irdma_cmd_destroy_ceq(dev, id, ceq->cons.size);
	ceq->created = false;
}

/* Next CQ id of the queue; false when the queue is empty. */
static bool irdma_ceq_pop(struct irdma_ceq *ceq, u64 *cq_id)
{
	const __le64 *ring = ceq->mem.va;

	guard(spinlock)(&ceq->lock);
	if (!irdma_ceqe_decode(&ring[ceq->cons.idx], ceq->cons.polarity, cq_id))
		return false;
	irdma_cons_advance(&ceq->cons);
	return true;
}

/**
 * irdma_ceq_poll - handle entries of a CEQ
 * @ceq: queue
 * @budget: most entries to handle
 *
 * An entry is acknowledged before the CQ's owner is called, so that the owner can arm
 * the CQ again. Softirqs that the owners raise run before the next entry.
 *
 * Context: Process context.
 * Return: entries handled.
 */
unsigned int irdma_ceq_poll(struct irdma_ceq *ceq, unsigned int budget)
{
	struct irdma_dev *dev = ceq->dev;
	unsigned int done;
	u64 cq_id;

	for (done = 0; done < budget && irdma_ceq_pop(ceq, &cq_id); done++) {
		if (cq_id >= dev->cq_ids.limit)
			continue;
		irdma_wr32(dev, IRDMA_REG_CQ_ACK, cq_id);
		if (cq_id == IRDMA_CQ_ID_CCQ) {
			irdma_cqp_drain(&dev->cqp);
			continue;
		}
		local_bh_disable();
		dev->eqs.ops->cq_event(dev, cq_id);
		local_bh_enable();
	}
	return done;
}

/**
 * irdma_ceq_scrub - forget the entries of a destroyed CQ
 * @dev: device
 * @id: CEQ
 * @cq_id: CQ, unknown to the device by now
 *
 * Context: Process context.
 */
void irdma_ceq_scrub(struct irdma_dev *dev, unsigned int id, u32 cq_id)
{
	struct irdma_ceq *ceq = &dev->eqs.ceq[id];
	__le64 *ring = ceq->mem.va;
	struct irdma_cons cons;

	guard(spinlock)(&ceq->lock);
	for (cons = ceq->cons; irdma_ceqe_scrub(&ring[cons.idx], cons.polarity, cq_id);
	     irdma_cons_advance(&cons))
		;
}

/**
 * irdma_aeq_create - start the asynchronous event queue
 * @dev: device
 *
 * Context: Process context; may sleep.
 * Return: 0, -ENOMEM, or an errno of struct irdma_cqp_result.
 */
int irdma_aeq_create(struct irdma_dev *dev)
{
	u32 entries = min(dev->qp_ids.limit + dev->cq_ids.limit,
			  dev->gen->limits.aeq_entries_max);
	struct irdma_eqs *eqs = &dev->eqs;
	int err;

	/* The ring must be contiguous: take less when memory is short. */
	while (irdma_dma_alloc(dev, &eqs->aeq, entries * sizeof(struct irdma_hw_aeqe))) {
		if (entries <= IRDMA_CQP_DEPTH)
			return -ENOMEM;
		entries /= 2;
	}
	err = irdma_cons_init(&eqs->aeq_cons, entries);
	if (err)
		return err;
	err = irdma_cmd_create_aeq(dev, eqs->aeq.pa, entries);
	eqs->aeq_created = !err;
	return err;
}

/**
 * irdma_aeq_destroy - stop the asynchronous event queue
 * @dev: device; a queue that was not created is left alone
 *
 * The ring stays until irdma_eqs_fini().
 *
 * Context: Process context; may sleep.
 */
void irdma_aeq_destroy(struct irdma_dev *dev)
{
	if (dev->eqs.aeq_created)
		irdma_cmd_destroy_aeq(dev, dev->eqs.aeq_cons.size);
	dev->eqs.aeq_created = false;
}

static void irdma_aeq_handle(struct irdma_dev *dev, const struct irdma_aeqe *aeqe)
{
	trace_irdma_aeqe(dev, aeqe);
	if (aeqe->code == IRDMA_AE_CQP_DEFERRED_DONE)
		irdma_cqp_deferred_end(&dev->cqp, aeqe->wqe_idx);
	else
		dev->eqs.ops->aeq_event(dev, aeqe);
}

/**
 * irdma_aeq_poll - handle asynchronous events
 * @dev: device
 * @budget: most entries to handle
 *
 * Entries are given back to the device in one write. After an overflow events are lost,
 * and only a reset brings the function back. With a @budget of the whole ring all that the
 * device has told so far is handled.
 *
 * Context: Process context; may sleep.
 * Return: entries handled.
 */
unsigned int irdma_aeq_poll(struct irdma_dev *dev, unsigned int budget)
{
	const struct irdma_hw_aeqe *ring = dev->eqs.aeq.va;
	struct irdma_cons *cons = &dev->eqs.aeq_cons;
	struct irdma_aeqe aeqe;
	unsigned int done;

	guard(mutex)(&dev->eqs.aeq_lock);
	if (!ring || !cons->size)
		return 0;
	for (done = 0; done < budget; done++) {
		if (!irdma_aeqe_decode(&ring[cons->idx], cons->polarity, &aeqe))
			break;
		irdma_cons_advance(cons);
		if (aeqe.overflow) {
			irdma_life_fail(dev, "asynchronous event queue overflowed");
			return done;
		}
		irdma_aeq_handle(dev, &aeqe);
	}
	if (done && irdma_life_running(dev))
		irdma_wr32(dev, IRDMA_REG_AEQ_POST, done);
	return done;
}
