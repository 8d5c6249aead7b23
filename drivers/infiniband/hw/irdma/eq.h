/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_EQ_H
#define IRDMA_EQ_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "dma.h"
#include "ring.h"

struct irdma_aeqe;
struct irdma_dev;

/**
 * struct irdma_event_ops - how events reach the objects
 * @cq_event: CQ @cq_id has completions
 * @aeq_event: asynchronous event about a QP, CQ or SRQ; never about the command queue
 * @fatal: the function has failed; called from a work item
 *
 * @cq_event is called from an interrupt thread without a lock, @aeq_event by
 * irdma_aeq_poll() under irdma_eqs.aeq_lock. Ids come from the device and may name nothing.
 */
struct irdma_event_ops {
	void (*cq_event)(struct irdma_dev *dev, u32 cq_id);
	void (*aeq_event)(struct irdma_dev *dev, const struct irdma_aeqe *aeqe);
	void (*fatal)(struct irdma_dev *dev);
};

/**
 * struct irdma_ceq - completion event queue
 * @dev: device
 * @id: number
 * @lock: guards @cons and the valid entries of @mem; taken in process context
 * @mem: ring of 8-byte entries
 * @cons: read state
 * @created: the device knows the queue
 */
struct irdma_ceq {
	struct irdma_dev *dev;
	u16 id;
	spinlock_t lock; /* guards: cons, valid entries; process context */
	struct irdma_dma mem;
	struct irdma_cons cons;
	bool created;
};

/**
 * struct irdma_eqs - the event queues of a function
 * @ceq: CEQs; the first carries only the control CQ
 * @ceq_cnt: how many
 * @aeq: ring of 16-byte entries
 * @aeq_lock: serializes the handling of events
 * @aeq_cons: read state
 * @aeq_created: the device knows the AEQ
 * @ops: see there
 */
struct irdma_eqs {
	struct irdma_ceq *ceq;
	unsigned int ceq_cnt;
	struct irdma_dma aeq;
	struct mutex aeq_lock; /* guards: aeq_cons */
	struct irdma_cons aeq_cons;
	bool aeq_created;
	const struct irdma_event_ops *ops;
};

int irdma_ceq_create(struct irdma_dev *dev, unsigned int id);
void irdma_ceq_destroy(struct irdma_dev *dev, unsigned int id);
int irdma_aeq_create(struct irdma_dev *dev);
void irdma_aeq_destroy(struct irdma_dev *dev);
int irdma_eqs_init(struct irdma_dev *dev, unsigned int ceq_cnt);
void irdma_eqs_fini(struct irdma_dev *dev);
unsigned int irdma_ceq_poll(struct irdma_ceq *ceq, unsigned int budget);
unsigned int irdma_aeq_poll(struct irdma_dev *dev, unsigned int budget);
void irdma_ceq_scrub(struct irdma_dev *dev, unsigned int id, u32 cq_id);

#endif /* IRDMA_EQ_H */
