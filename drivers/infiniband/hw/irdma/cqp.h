/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_CQP_H
#define IRDMA_CQP_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "dma.h"
#include "hw_cqp.h"
#include "ring.h"

struct irdma_cqp;
struct irdma_dev;

/**
 * struct irdma_cqp_result - how a command ended
 * @err: 0; -EBUSY object in the wrong state, or reset; -EIO refused; -ENODEV device gone;
 *	-ETIMEDOUT no answer
 * @major: major code of the device, 0 without an error
 * @minor: minor code; has a meaning for some commands also on success
 * @ret: value that the command returns
 */
struct irdma_cqp_result {
	int err;
	u16 major;
	u16 minor;
	u32 ret;
};

/**
 * struct irdma_cqp_req - one command in flight
 * @refs: one of the poster's, one of the queue's until the command has ended
 * @done: the command has ended
 * @complete: called when it has ended, without locks held, in the context of whoever
 *	drains the control CQ: any; NULL: nobody cares
 * @arg: for @complete
 * @result: valid after @done
 * @opcode: enum irdma_cqp_op
 * @ticket: of a deferred or pending command
 * @posted_ns: when it was given to the device
 * @link: in the list of deferred or pending commands, or of those that just ended
 * @early: list of those whose slot was given back before they ended, once it is in one
 * @at_device: the device may use @mem: posted, and not ended by the device
 * @mem: buffer that the device uses. The poster frees it when the device is done with it;
 *	else it stays until the queue is freed
 * @cqp: queue
 */
struct irdma_cqp_req {
	refcount_t refs;
	struct completion done;
	void (*complete)(struct irdma_cqp_req *req);
	void *arg;
	struct irdma_cqp_result result;
	u8 opcode;
	u32 ticket;
	u64 posted_ns;
	struct list_head link;
	struct list_head *early;
	bool at_device;
	struct irdma_dma mem;
	struct irdma_cqp *cqp;
};

/**
 * struct irdma_cqp_stats - what the queue has done; guarded by its lock
 * @posted: commands given to the device
 * @ended: commands that ended, aborted ones included
 * @doorbells: writes of cqp_db
 * @waits: commands whose poster waited
 * @sleeps: waits that spinning did not end
 * @stray: completions that belong to no command
 */
struct irdma_cqp_stats {
	u64 posted;
	u64 ended;
	u64 doorbells;
	u64 waits;
	u64 sleeps;
	u64 stray;
};

/**
 * struct irdma_cqp - control queue and its completion queue
 * @dev: device
 * @lock: guards everything below; taken in any context, interrupts off. Innermost
 * @sq: ring of 64-byte WQEs
 * @ctx: host context
 * @ring: fill state of @sq
 * @slot: request of each WQE in flight
 * @deferred: commands that free their slot early and end by an async event, oldest first
 * @pending: same, ended by a later entry of the control CQ
 * @parked: requests whose buffers the device may still use
 * @space: waits for room in @sq
 * @ccq: ring of 32-byte entries
 * @shadow: consumer index and arm word of the control CQ
 * @cons: read state of @ccq
 * @ccq_live: completions come to the control CQ; else they are polled in cqp_tail
 * @armed: the control CQ shall be armed after each drain: interrupts work
 * @stopped: no command is accepted
 * @created: the device knows the queue
 * @stats: counters
 */
struct irdma_cqp {
	struct irdma_dev *dev;
	spinlock_t lock; /* guards: rings, slots, lists, counters; any context */
	struct irdma_dma sq;
	struct irdma_dma ctx;
	struct irdma_ring ring;
	struct irdma_cqp_req **slot;
	struct list_head deferred;
	struct list_head pending;
	struct list_head parked;
	wait_queue_head_t space;
	struct irdma_dma ccq;
	struct irdma_dma shadow;
	struct irdma_cons cons;
	bool ccq_live;
	bool armed;
	bool stopped;
	bool created;
	struct irdma_cqp_stats stats;
};

/* Depth of the control queue, in WQEs. */
#define IRDMA_CQP_DEPTH		512
/* A command can have two entries in the control CQ; two stay empty. */
#define IRDMA_CCQ_ENTRIES	(2 * IRDMA_CQP_DEPTH + 2)
/* Commands that irdma_cqp_post() takes at once. */
#define IRDMA_CQP_BATCH_MAX	8

int irdma_cqp_init(struct irdma_cqp *cqp, struct irdma_dev *dev);
void irdma_cqp_fini(struct irdma_cqp *cqp);
int irdma_cqp_create(struct irdma_cqp *cqp);
int irdma_cqp_destroy(struct irdma_cqp *cqp);
void irdma_cqp_ccq_begin(struct irdma_cqp *cqp);
void irdma_cqp_ccq_arm(struct irdma_cqp *cqp);
void irdma_cqp_ccq_end(struct irdma_cqp *cqp);

/*
 * What was made could not be undone if the command for it found no memory. A request is
 * small: who may sleep waits for it.
 */
#define IRDMA_CQP_GFP		(GFP_KERNEL | __GFP_NOFAIL)

struct irdma_cqp_req *irdma_cqp_req_alloc(struct irdma_dev *dev, gfp_t gfp);
void irdma_cqp_req_put(struct irdma_cqp_req *req);
int irdma_cqp_post(struct irdma_cqp *cqp, const struct irdma_cqp_wqe *wqes,
		   struct irdma_cqp_req **reqs, unsigned int cnt);
int irdma_cqp_post_atomic(struct irdma_cqp *cqp, const struct irdma_cqp_wqe *wqe,
			  struct irdma_cqp_req *req);
int irdma_cqp_wait(struct irdma_cqp *cqp, struct irdma_cqp_req *req);
int irdma_cqp_wait_atomic(struct irdma_cqp *cqp, struct irdma_cqp_req *req);
int irdma_cqp_exec(struct irdma_cqp *cqp, const struct irdma_cqp_wqe *wqe,
		   struct irdma_cqp_result *result);
void irdma_cqp_drain(struct irdma_cqp *cqp);
void irdma_cqp_deferred_end(struct irdma_cqp *cqp, u32 ticket);
void irdma_cqp_abort(struct irdma_cqp *cqp);

#endif /* IRDMA_CQP_H */
