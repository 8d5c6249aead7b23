/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_QP_H
#define IRDMA_QP_H

#include <linux/if_ether.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "dma.h"
#include "hw_cqe.h"
#include "hw_qpc.h"
#include "hw_wqe.h"
#include "objref.h"
#include "qpc.h"
#include "ring.h"

struct irdma_aeqe;
struct irdma_batch;
struct irdma_cq;
struct irdma_dev;
struct irdma_ibdev;
struct irdma_mr;
struct irdma_push;
struct irdma_uctx;

/**
 * struct irdma_wr - what software remembers of a work request in a kernel ring
 * @wr_id: the consumer's cookie
 * @len_bytes: bytes that a send, write or read moves
 * @quanta: length of the WQE; send queues
 * @opcode: enum irdma_sq_op
 * @signaled: the consumer wants to see its success
 */
struct irdma_wr {
	u64 wr_id;
	u32 len_bytes;
	u8 quanta;
	u8 opcode;
	bool signaled;
};

/**
 * struct irdma_wq - work queue of a kernel QP
 * @lock: guards the rest; taken in any context, interrupts off
 * @va: ring
 * @ring: fill state: of an SQ in quanta, of an RQ in WQEs
 * @shift: log2 of the quanta of a WQE; 0 for an SQ, whose WQEs vary
 * @wr: by index of @ring, where the WQE begins
 */
struct irdma_wq {
	spinlock_t lock; /* guards: ring, wr; any context */
	struct irdma_quantum *va;
	struct irdma_ring ring;
	u8 shift;
	struct irdma_wr *wr;
};

/**
 * struct irdma_qp_sizes - rings of a QP
 * @sq_quanta: send queue, a power of two
 * @rq_quanta: receive queue, a power of two
 * @sq_shift: log2 of the quanta of the longest send WQE
 * @rq_shift: log2 of the quanta of a receive WQE
 */
struct irdma_qp_sizes {
	u32 sq_quanta;
	u32 rq_quanta;
	u8 sq_shift;
	u8 rq_shift;
};

/**
 * struct irdma_qp_fault - what an asynchronous event said about a QP
 * @code: event code; 0: no event yet
 * @sq_code: flush code for the send queue
 * @rq_code: flush code for the receive queue
 * @sq_idx: failed send WQE, when @sq_idx_valid
 * @rq_idx: failed receive WQE, when @rq_idx_valid
 * @sq_idx_valid: see @sq_idx
 * @rq_idx_valid: see @rq_idx
 * @ib_event: event for the consumer, or a negative number
 */
struct irdma_qp_fault {
	u16 code;
	enum irdma_flush_code sq_code;
	enum irdma_flush_code rq_code;
	u32 sq_idx;
	u32 rq_idx;
	bool sq_idx_valid;
	bool rq_idx_valid;
	int ib_event;
};

/**
 * struct irdma_qp - queue pair
 * @ib: what the core knows
 * @ibdev: IB device
 * @ref: users that found the QP by its id
 * @id: hardware id
 * @type: hardware type
 * @lock: guards everything from @state to @fault; taken in process context, held across
 *	commands about this QP. Outside irdma_cqp.lock
 * @state: state as verbs know it
 * @hw_state: state as the device knows it
 * @ctx: the context that the device last accepted
 * @attr: attributes that the consumer set, for queries
 * @has_peer: @dmac is in use
 * @dmac: MAC of the peer in the device's table
 * @flushed: the queues were flushed; nothing but destruction or reuse follows
 * @last_wqe: the consumer was told that the QP takes no more requests of its SRQ
 * @fault: last fatal event; guarded by @fault_lock as well
 * @fault_lock: guards @fault; taken in the event's thread. Inside @lock
 * @fault_work: moves the QP to the error state after an event
 * @drained: the send queue is drained: event of the device since the QP was moved to SQD
 * @notify_drained: the consumer wants to hear of that event; the event's thread takes it
 * @group_cnt: multicast groups; the core serialises their changes
 * @qpc: the device's context
 * @qpc_pa: its bus address
 * @shadow_pa: bus address of the shadow area
 * @pbl_mapped: ring addresses in @ctx are page-list indices
 * @sizes: rings
 * @init: as created
 * @uctx: user QP: its context; NULL for a kernel QP
 * @push: user QP: push page, or NULL
 * @push_wqe: user QP with push page: mapping of the window
 * @push_db: user QP with push page: mapping of the doorbell page behind it
 * @rings_mr: user QP: memory of the rings and of the shadow area
 * @mem: kernel QP: send queue, receive queue, shadow area
 * @sq: kernel QP
 * @rq: kernel QP without SRQ
 */
struct irdma_qp {
	struct ib_qp ib;
	struct irdma_ibdev *ibdev;
	struct irdma_objref ref;
	u32 id;
	enum irdma_hw_qp_type type;

	struct mutex lock; /* guards: state to fault; process context */
	enum ib_qp_state state;
	enum irdma_hw_qp_state hw_state;
	struct irdma_qpc_args ctx;
	struct ib_qp_attr attr;
	bool has_peer;
	u8 dmac[ETH_ALEN];
	bool flushed;
	bool last_wqe;
	struct irdma_qp_fault fault;

	spinlock_t fault_lock; /* guards: fault; process context */
	struct work_struct fault_work;
	struct completion drained;
	bool notify_drained;

	unsigned int group_cnt;
	struct irdma_qpc *qpc;
	dma_addr_t qpc_pa;
	dma_addr_t shadow_pa;
	bool pbl_mapped;
	struct irdma_qp_sizes sizes;
	struct ib_qp_init_attr init;
	struct irdma_uctx *uctx;
	struct irdma_push *push;
	struct rdma_user_mmap_entry *push_wqe;
	struct rdma_user_mmap_entry *push_db;
	struct irdma_mr *rings_mr;
	struct irdma_dma mem;
	struct irdma_wq sq;
	struct irdma_wq rq;
};

static inline struct irdma_qp *to_irdma_qp(struct ib_qp *ib)
{
	return container_of(ib, struct irdma_qp, ib);
}

/* QP of a table entry; NULL stays NULL. */
static inline struct irdma_qp *irdma_qp_of(struct irdma_objref *ref)
{
	return ref ? container_of(ref, struct irdma_qp, ref) : NULL;
}

/* Completion contexts keep their low bits 0: events drop them. */
#define IRDMA_COMPL_CTX_SHIFT	6

extern const struct ib_device_ops irdma_qp_ops;

bool irdma_qp_reap(void *object, struct irdma_batch *batch);
void irdma_qp_reaped(void *object, int err);
void irdma_qp_dispatch(struct irdma_qp *qp, enum ib_event_type type);
bool irdma_qp_last_wqe_locked(struct irdma_qp *qp);
void irdma_qp_event(struct irdma_dev *dev, const struct irdma_aeqe *aeqe);
void irdma_qps_lose_cq(struct irdma_dev *dev, const struct irdma_cq *cq);

#endif /* IRDMA_QP_H */
