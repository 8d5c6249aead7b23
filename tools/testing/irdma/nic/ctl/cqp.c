// SPDX-License-Identifier: GPL-2.0
/*
 * The control QP: one ring of 64-byte WQEs, executed and completed in order.
 *
 * A doorbell copies all new WQEs from the ring into @cmds, each with the time at which
 * it may run; the command at the tail runs when its time has come. Inline mode: that is
 * before the doorbell store retires. A completion advances the tail register and, once
 * the control CQ (CQ 0) exists, writes an entry there.
 *
 * Two fault knobs end a command later than its slot is freed. A deferred command has
 * run when its deferral is announced, since its end cannot report failure; a pending one
 * runs when its out-of-order completion is due.
 */
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

#define WQE_BYTES	64u
#define SQ_ALIGN	512u
#define DEPTH_CODE_MAX	10u
#define PROTOCOL_IWARP	1u
#define CMDS_PER_TURN	8u	/* then others have theirs */
#define INTERFACE_MAJOR	2u
#define MINOR_DEFERRED	6u
#define MINOR_PENDING	7u
#define ALL		(~0ull)

/**
 * struct op - one command
 * @allowed: bits of w0..w7 that may be set, opcode and valid bit aside
 * @early: allowed before the static HMC pages are announced
 */
struct op {
	const char *name;
	cmd_fn *run;
	u64 allowed[8];
	bool early;
};

#define PLACE_W24	(MASKF(CQP_W24_LEAF) | MASKF(CQP_W24_PBL))
#define QP_W24		(MASKF(QP_W24_ID) | MASKF(QP_W24_TYPE))
#define CREATE_QP_W24	(QP_W24 | MASKF(QP_W24_ORD_VALID) | MASKF(QP_W24_PBL) | \
			 MASKF(QP_W24_LOOPBACK) | MASKF(QP_W24_CQ_VALID) | \
			 MASKF(QP_W24_MAC_VALID) | MASKF(QP_W24_ARP_VALID) | MASKF(QP_W24_STATE))
#define CQ_W24		(MASKF(FLD_CQ_ID) | MASKF(FLD_CQ_CEQ) | PLACE_W24 | \
			 MASKF(CQ_W24_CHECK_OVERFLOW) | MASKF(CQ_W24_CEQE_MASK) | \
			 MASKF(CQ_W24_CEQ_VALID) | MASKF(CQ_W24_ID_HIGH) | \
			 MASKF(CQ_W24_CEQ_HIGH) | MASKF(CQP_W24_TPH) | MASKF(CQ_W24_64BYTE))
#define CQ_W56		(MASKF(CQP_W56_TPH) | MASKF(CQP_W56_VSI))
#define SRQ_W24		(MASKF(SRQ_W24_ID) | PLACE_W24 | MASKF(CQP_W24_TPH) | MASKF(SRQ_W24_ARM))
#define SRQ_W0		(MASKF(SRQ_W0_SIZE) | MASKF(SRQ_W0_WQE_SIZE) | MASKF(SRQ_W0_LIMIT))
#define SRQ_ALL		{ SRQ_W0, MASKF(SRQ_W8_CONTEXT), MASKF(SRQ_W16_PD), SRQ_W24, \
			  MASKF(SRQ_W32_RING), MASKF(SRQ_W40_SHADOW), MASKF(CQP_W48_PBLE), \
			  MASKF(CQP_W56_TPH) }
#define STAG_W8		(MASKF(STAG_W8_LENGTH) | MASKF(FLD_STAG_PD))
#define STAG_W16	(MASKF(STAG_W16_KEY) | MASKF(STAG_W16_INDEX) | MASKF(STAG_W16_PD_HIGH))
#define STAG_W24	(MASKF(STAG_W24_REGION) | MASKF(STAG_W24_PBL_MODE) | \
			 MASKF(STAG_W24_PAGE_SIZE) | MASKF(STAG_W24_RIGHTS) | \
			 MASKF(STAG_W24_REMOTE) | MASKF(STAG_W24_VA_BASED) | \
			 MASKF(STAG_W24_USE_FN) | MASKF(STAG_W24_ATOMICS))
#define AH_W16		(MASKF(AH_W16_FLOW) | MASKF(AH_W16_PD_HIGH) | MASKF(AH_W16_TTL) | \
			 MASKF(AH_W16_ARP))
#define AH_W24		(MASKF(AH_W24_ID) | MASKF(AH_W24_IPV4) | MASKF(AH_W24_VLAN) | \
			 MASKF(AH_W24_LOOPBACK))
#define AH_ALL		{ MASKF(AH_W0_SMAC), \
			  MASKF(AH_W8_VLAN) | MASKF(AH_W8_TOS) | MASKF(AH_W8_PD), \
			  AH_W16, AH_W24, ALL, ALL, ALL, ALL }
#define MCG_ALL		{ MASKF(MCG_W0_MAC), MASKF(MCG_W8_FN), \
			  MASKF(MCG_W16_QS_HANDLE) | MASKF(MCG_W16_VLAN), \
			  MASKF(MCG_W24_ID) | MASKF(MCG_W24_VLAN_VALID) | MASKF(MCG_W24_IPV4), \
			  ALL, 0, ALL, ALL }
#define CEQ_W24		(MASKF(CEQ_W24_ID) | MASKF(CEQ_W24_ID_HIGH) | PLACE_W24 | \
			 MASKF(CEQ_W24_ITR_NO_EXPIRE) | MASKF(CQP_W24_TPH) | \
			 MASKF(EQ_W24_PASID_VALID))
#define CEQ_W56		(CQ_W56 | MASKF(CQP_W56_PASID))
#define AEQ_W24		(PLACE_W24 | MASKF(EQ_W24_PASID_VALID))
#define FLUSH_W24	(MASKF(QP_W24_ID) | MASKF(FLUSH_W24_SQ_INDEX_VALID) | \
			 MASKF(FLUSH_W24_RQ_INDEX_VALID) | MASKF(FLUSH_W24_GENERATE) | \
			 MASKF(FLUSH_W24_USE_CODES) | MASKF(FLUSH_W24_SQ) | MASKF(FLUSH_W24_RQ))
#define STATS_W24	(MASKF(STATS_W24_INSTANCE) | MASKF(STATS_W24_USE_FN))
#define SD_ENTRY	(MASK(31, 0) | MASKF(SD_CMD_VALID))

static u32 cmd_nop(struct cmd *c)
{
	(void)c;
	return CMD_OK;
}

static const struct op ops[OP_COUNT] = {
	[OP_CREATE_QP] = { "create-qp", cmd_create_qp,
		{ [2] = ALL, [3] = CREATE_QP_W24, [5] = ALL }, false },
	[OP_MODIFY_QP] = { "modify-qp", cmd_modify_qp,
		{ [2] = ALL, [3] = CREATE_QP_W24 | MASKF(QP_W24_CACHED_VALID), [5] = ALL }, false },
	[OP_DESTROY_QP] = { "destroy-qp", cmd_destroy_qp,
		{ [2] = ALL, [3] = QP_W24 | MASKF(QP_W24_IGNORE_MW) | MASKF(QP_W24_REMOVE_HASH),
		  [5] = ALL }, false },
	[OP_CREATE_CQ] = { "create-cq", cmd_create_cq,
		{ MASKF(CQ_W0_SIZE), MASKF(CQ_W8_CONTEXT), MASKF(CQ_W16_THRESHOLD), CQ_W24,
		  ALL, ALL, MASKF(CQP_W48_PBLE), CQ_W56 }, false },
	[OP_MODIFY_CQ] = { "modify-cq", cmd_modify_cq,
		{ MASKF(CQ_W0_SIZE), MASKF(CQ_W8_CONTEXT), MASKF(CQ_W16_THRESHOLD),
		  MASKF(FLD_CQ_ID) | PLACE_W24 | MASKF(CQ_W24_RESIZE) |
		  MASKF(CQ_W24_CHECK_OVERFLOW) | MASKF(CQ_W24_CEQE_MASK) | MASKF(CQP_W24_TPH) |
		  MASKF(CQ_W24_64BYTE),
		  ALL, ALL, MASKF(CQP_W48_PBLE), CQ_W56 }, false },
	[OP_DESTROY_CQ] = { "destroy-cq", cmd_destroy_cq,
		{ MASKF(CQ_W0_SIZE), MASKF(CQ_W8_CONTEXT), 0, CQ_W24, 0, ALL,
		  MASKF(CQP_W48_PBLE), 0 }, false },
	[OP_CREATE_SRQ] = { "create-srq", cmd_create_srq, SRQ_ALL, false },
	[OP_MODIFY_SRQ] = { "modify-srq", cmd_modify_srq, SRQ_ALL, false },
	[OP_DESTROY_SRQ] = { "destroy-srq", cmd_destroy_srq,
		{ [1] = MASKF(SRQ_W8_CONTEXT), [3] = MASKF(SRQ_W24_ID) }, false },
	[OP_ALLOC_STAG] = { "alloc-stag", cmd_alloc_stag,
		{ 0, STAG_W8, STAG_W16 & ~MASKF(STAG_W16_KEY), STAG_W24 | MASKF(STAG_W24_TYPE1) |
		  MASKF(STAG_W24_NO_KEY_CHECK), 0, MASKF(CQP_W40_FN), MASKF(CQP_W48_PBLE), 0 },
		false },
	[OP_REG_MR] = { "register-mr", cmd_reg_mr,
		{ ALL, STAG_W8, STAG_W16, STAG_W24, ALL, MASKF(CQP_W40_FN), MASKF(CQP_W48_PBLE),
		  0 }, false },
	[OP_QUERY_STAG] = { "query-stag", cmd_query_stag, { [2] = MASKF(STAG_W16_INDEX) }, false },
	[OP_REG_SHARED] = { "register-shared-mr", cmd_reg_shared,
		{ ALL, STAG_W8,
		  MASKF(STAG_W16_KEY) | MASKF(STAG_W16_INDEX) | MASKF(STAG_W16_PARENT), STAG_W24, 0,
		  MASKF(CQP_W40_FN), 0, 0 }, false },
	[OP_DEALLOC_STAG] = { "deallocate-stag", cmd_dealloc_stag,
		{ 0, MASKF(FLD_STAG_PD), MASKF(STAG_W16_INDEX) | MASKF(STAG_W16_PD_HIGH),
		  MASKF(STAG_W24_REGION), 0, 0, 0, 0 }, false },
	[OP_MANAGE_ARP] = { "manage-arp", cmd_arp,
		{ 0, MASKF(ARP_W8_REACH_MAX), MASKF(ARP_W16_MAC),
		  MASKF(ARP_W24_INDEX) | MASKF(ARP_W24_ADD) | MASKF(ARP_W24_PERMANENT) |
		  MASKF(ARP_W24_QUERY), 0, 0, 0, 0 }, false },
	[OP_PUSH_PAGE] = { "push-page", cmd_push_page,
		{ [2] = MASKF(PUSH_W16_QS_HANDLE),
		  [3] = MASKF(PUSH_W24_INDEX) | MASKF(PUSH_W24_FREE) }, false },
	[OP_QUERY_FEATURES] = { "query-features", cmd_features,
		{ [3] = MASKF(CQP_W24_LENGTH), [4] = ALL }, true },
	[OP_UPLOAD_CONTEXT] = { "upload-context", cmd_upload_context,
		{ [2] = ALL, [3] = QP_W24 | MASKF(UPLOAD_W24_RAW) | MASKF(UPLOAD_W24_FREEZE) },
		false },
	[OP_CREATE_CEQ] = { "create-ceq", cmd_create_ceq,
		{ 0, 0, MASKF(CEQ_W16_COUNT), CEQ_W24, ALL, 0, MASKF(CQP_W48_PBLE), CEQ_W56 },
		false },
	[OP_DESTROY_CEQ] = { "destroy-ceq", cmd_destroy_ceq,
		{ 0, 0, MASKF(CEQ_W16_COUNT), CEQ_W24, 0, 0, MASKF(CQP_W48_PBLE), CEQ_W56 },
		false },
	[OP_CREATE_AEQ] = { "create-aeq", cmd_create_aeq,
		{ 0, 0, MASKF(AEQ_W16_COUNT), AEQ_W24, ALL, 0, MASKF(CQP_W48_PBLE),
		  MASKF(CQP_W56_PASID) }, false },
	[OP_DESTROY_AEQ] = { "destroy-aeq", cmd_destroy_aeq,
		{ 0, 0, MASKF(AEQ_W16_COUNT), AEQ_W24, 0, 0, MASKF(CQP_W48_PBLE),
		  MASKF(CQP_W56_PASID) }, false },
	[OP_CREATE_AH] = { "create-ah", cmd_ah, AH_ALL, false },
	[OP_MODIFY_AH] = { "modify-ah", cmd_ah, AH_ALL, false },
	[OP_DESTROY_AH] = { "destroy-ah", cmd_destroy_ah, AH_ALL, false },
	[OP_UPDATE_SDS] = { "update-sds", cmd_update_sds,
		{ MASK(31, 0), ALL, MASKF(SD_W16_FN) | MASKF(SD_W16_SIDE),
		  MASKF(SD_W24_SIDE_COUNT) | MASKF(SD_W24_SKIP_FIRST), SD_ENTRY, ALL, SD_ENTRY,
		  ALL }, true },
	[OP_QUERY_FPM] = { "query-fpm", cmd_query_fpm,
		{ [2] = MASKF(FPM_W16_FN), [4] = ALL }, true },
	[OP_COMMIT_FPM] = { "commit-fpm", cmd_commit_fpm,
		{ [2] = MASKF(FPM_W16_FN), [3] = MASKF(CQP_W24_LENGTH) | MASKF(FPM_W24_SCRATCH),
		  [4] = ALL }, true },
	[OP_FLUSH] = { "flush-wqes", cmd_flush,
		{ [1] = MASKF(FLUSH_W8_AE_CODE) | MASKF(FLUSH_W8_AE_SOURCE), [2] = ALL,
		  [3] = FLUSH_W24, [5] = MASKF(FLUSH_W40_SQ_INDEX),
		  [6] = MASKF(FLUSH_W48_RQ_INDEX) }, false },
	[OP_NOP] = { "nop", cmd_nop, { 0 }, true },
	[OP_CREATE_MCG] = { "create-multicast", cmd_mcg, MCG_ALL, false },
	[OP_MODIFY_MCG] = { "modify-multicast", cmd_mcg, MCG_ALL, false },
	[OP_DESTROY_MCG] = { "destroy-multicast", cmd_destroy_mcg, MCG_ALL, false },
	[OP_SUSPEND_QP] = { "suspend-qp", cmd_suspend_qp, { [3] = MASKF(QP_W24_ID) }, false },
	[OP_RESUME_QP] = { "resume-qp", cmd_resume_qp,
		{ [2] = MASKF(RESUME_W16_QS_HANDLE), [3] = MASKF(QP_W24_ID) }, false },
	[OP_PAGES_ALLOCATED] = { "pages-allocated", cmd_pages_allocated,
		{ [2] = MASKF(SD_W16_FN) }, true },
	[OP_MANAGE_STATS] = { "manage-stats", cmd_manage_stats,
		{ [3] = STATS_W24 | MASKF(STATS_W24_ALLOC), [5] = MASKF(CQP_W40_FN) }, false },
	[OP_GATHER_STATS] = { "gather-stats", cmd_gather_stats,
		{ [3] = STATS_W24 | MASKF(STATS_W24_USE_INSTANCE), [4] = ALL,
		  [5] = MASKF(CQP_W40_FN) }, false },
	[OP_UP_MAP] = { "user-priority-map", cmd_up_map,
		{ [0] = ALL, [3] = MASKF(UPMAP_W24_USE_CNP) | MASKF(UPMAP_W24_USE_VLAN),
		  [5] = MASKF(CQP_W40_FN) | MASKF(UPMAP_W40_CNP) }, false },
};

/* Completion. */

/**
 * struct outcome - how a command ended
 * @result: 0 or major << 16 | minor of an error
 * @ret: operation return value; @id: ticket or id of section "deferred, out of order"
 * @late: final entry of a pending command: frees no slot
 */
struct outcome {
	u32 slot, result, ret, id;
	u16 minor;
	bool late;
};

static void write_ccq_entry(struct rdma *r, const struct outcome *o)
{
	struct rdma_cq *ccq = rdma_cq_get(r, 0);
	u64 w[4] = { 0, r->cqp.cookie,
		     PUTF(o->ret, CCQE_W16_RETURN) | PUTF(o->id, CCQE_W16_ID), 0 };

	if (!ccq)
		return;
	w[3] = PUTF(o->result ? o->result : o->minor, CCQE_W24_MINOR) |
	       PUTF(o->result >> 16, CCQE_W24_MAJOR) | PUTF(o->slot, CCQE_W24_SLOT) |
	       PUTF(o->late, CCQE_W24_LATE) | PUTF(o->result != 0, CCQE_W24_ERROR) |
	       PUTF(1, CCQE_W24_SQ);
	cq_write(ccq, w, 4, true);
}

static void complete(struct rdma *r, const struct outcome *o, u32 entries)
{
	struct cqp *q = &r->cqp;

	q->tail_error = o->result != 0;
	if (o->result)
		q->err = o->result;
	for (u32 i = 0; i < entries; i++)
		write_ccq_entry(r, o);
}

/* Execution. */

static u32 check(struct cmd *c)
{
	const struct op *op = &ops[c->op];
	u64 w24 = MASKF(CQP_W24_OPCODE) | MASKF(CQP_W24_VALID);

	if (!op->run)
		return refuse(c->r, CQP_OPCODE, CMD_FIELD, "opcode 0x%02x", c->op);
	for (u32 i = 0; i < 8; i++) {
		u64 extra = c->w[i] & ~(op->allowed[i] | (i == 3 ? w24 : 0));

		if (extra)
			return refuse(c->r, CQP_RESERVED, CMD_FIELD, "%s: w%u bits 0x%llx",
				      op->name, 8 * i, (unsigned long long)extra);
	}
	if (!op->early && !hmc_ready(c->r, c->op))
		return CMD_STATE;
	return CMD_OK;
}

static u32 run(struct cmd *c)
{
	u32 result = check(c);

	if (!result)
		result = ops[c->op].run(c);
	TRACE(c->r->nic, T_CQP, "[%u] %s w24 0x%016llx: 0x%x ret 0x%x", c->slot,
	      ops[c->op].name ? ops[c->op].name : "?", (unsigned long long)c->w[3], result, c->ret);
	return result;
}

/* The ends of late commands. */

struct late_end {
	struct cmd cmd;
	u32 id;
};

static void pending_ends(struct rdma *r, void *data)
{
	struct late_end *end = data;
	struct outcome o = { .slot = end->cmd.slot, .id = end->id, .late = true };

	end->cmd.ret = 0;
	o.result = run(&end->cmd);
	o.ret = end->cmd.ret;
	o.minor = end->cmd.minor;
	if (o.result)
		r->cqp.err = o.result;
	write_ccq_entry(r, &o);
}

static void deferred_ends(struct rdma *r, void *data)
{
	const struct late_end *end = data;
	struct aeqe ae = { .code = AE_CQP_DEFERRED, .wqe_idx = end->id };

	rdma_aeq_post(r, &ae);
}

/* True if @c ends later: its slot is freed here. */
static bool end_later(struct cmd *c, enum fault_point point)
{
	const struct fault *f = fault_hit(c->r->nic, point, c->op);
	struct late_end end = { .cmd = *c };
	struct outcome o = { .slot = c->slot };

	if (!f || f->action != FAULT_DELAY || !rdma_cq_get(c->r, 0) || !c->r->aeq.exists)
		return false;
	end.id = ++c->r->cqp.tickets;
	if (point == F_CQP_DEFER) {
		o.result = run(c);
		o.ret = c->ret;
		o.minor = c->minor;
	}
	if (!o.result) {
		o.minor = point == F_CQP_DEFER ? MINOR_DEFERRED : MINOR_PENDING;
		o.id = end.id;
		rdma_later(c->r, f->value, point == F_CQP_DEFER ? deferred_ends : pending_ends,
			   &end, sizeof(end));
	}
	complete(c->r, &o, 1);
	return true;
}

static void run_and_complete(struct cmd *c)
{
	struct outcome o = { .slot = c->slot };

	if (end_later(c, F_CQP_DEFER) || end_later(c, F_CQP_PEND))
		return;
	if (c->fault == FAULT_FAIL)
		o.result = c->fault_value ? (u32)c->fault_value : CMD_FIELD;
	else
		o.result = run(c);
	o.ret = c->ret;
	o.minor = c->minor;
	complete(c->r, &o, c->fault == FAULT_DROP ? 0 : c->fault == FAULT_DUP ? 2 : 1);
}

/* Runs what is due, oldest first; what is more than @budget has to wait for another turn. */
static void advance(struct rdma *r, u32 budget)
{
	struct cqp *q = &r->cqp;

	while (q->tail != q->fetch) {
		struct cmd *c = &q->cmds[q->tail];
		u64 now = loop_now(r->nic->loop);

		if (c->due > now) {
			timer_arm(&q->timer, c->due - now);
			break;
		}
		if (!budget--) {
			task_queue(&q->task);
			break;
		}
		q->tail = (q->tail + 1) % q->depth;
		run_and_complete(c);
	}
}

static void advance_cb(void *arg)
{
	advance(arg, CMDS_PER_TURN);
}

/* Fetching. */

static u64 due_time(struct rdma *r, const struct fault *f)
{
	struct cqp *q = &r->cqp;
	const struct nic_clock *clock = &r->nic->clock;
	u64 now = loop_now(r->nic->loop), due = now + clock->latency_ns;

	if (clock->interval_ns) {
		q->free_at = (q->free_at > now ? q->free_at : now) + clock->interval_ns;
		due = due > q->free_at ? due : q->free_at;
	}
	if (f && f->action == FAULT_DELAY)
		due = f->value > UINT64_MAX - due ? UINT64_MAX : due + f->value;
	return due;
}

/* Copies the WQE at the fetch index; false: it is not there (yet). */
static bool fetch(struct rdma *r)
{
	struct cqp *q = &r->cqp;
	struct cmd *c = &q->cmds[q->fetch];
	const struct fault *f;

	*c = (struct cmd) { .r = r, .slot = q->fetch };
	if (!dma_read(r->nic->dma, q->base + (u64)q->fetch * WQE_BYTES, c->w, WQE_BYTES))
		return false;
	if (GETF(c->w[3], CQP_W24_VALID) != q->polarity) {
		violation(r->nic, V_CQP_POLARITY, "slot %u, w24 0x%llx", q->fetch,
			  (unsigned long long)c->w[3]);
		return false;
	}
	c->op = (u8)GETF(c->w[3], CQP_W24_OPCODE);
	r->commands[c->op]++;
	f = fault_hit(r->nic, F_CQP_CMD, c->op);
	if (f) {
		c->fault = f->action;
		c->fault_value = f->value;
	}
	c->due = due_time(r, f);
	q->fetch = (q->fetch + 1) % q->depth;
	if (!q->fetch)
		q->polarity ^= 1;
	return true;
}

void cqp_doorbell(struct rdma *r, u32 head)
{
	struct cqp *q = &r->cqp;

	if (!q->exists) {
		violation(r->nic, V_CQP_DOORBELL, "%u without a control QP", head);
		return;
	}
	if (head >= q->depth) {
		violation(r->nic, V_CQP_DOORBELL, "%u in a ring of %u", head, q->depth);
		return;
	}
	/* A full ring would look empty: the slot before the tail stays free. */
	while (q->fetch != head) {
		if ((q->fetch + 1) % q->depth == q->tail) {
			violation(r->nic, V_CQP_OVERRUN, "head %u, tail %u", head, q->tail);
			break;
		}
		if (!fetch(r))
			break;
	}
	if (r->nic->cfg.inline_cmds)
		advance(r, q->depth);
	else
		task_queue(&q->task);
}

/* Life of the control QP. */

#define CQPC_W0		(MASKF(CQPC_W0_FINE_TIMERS) | MASKF(CQPC_W0_DIS_PACKED) | \
			 MASKF(CQPC_W0_RTO_POLICY) | MASKF(CQPC_W0_PROTOCOL) | \
			 MASKF(CQPC_W0_DEPTH) | MASKF(CQPC_W0_VERSION) | \
			 MASKF(CQPC_W0_CEQS_PER_VF))
#define CQPC_W16	(MASKF(CQPC_W16_PROFILE) | MASKF(CQPC_W16_BLOCKS_VALID) | \
			 MASKF(CQPC_W16_TS_OVERRIDE) | MASKF(CQPC_W16_TS_SHIFT) | \
			 MASKF(CQPC_W16_VFS) | MASKF(CQPC_W16_BLOCKS))
#define CQPC_W32	(MASKF(CQPC_W32_MINOR) | MASKF(CQPC_W32_MAJOR) | \
			 MASKF(CQPC_W32_MIN_RATE) | MASKF(CQPC_W32_MIN_DEC))
#define CQPC_W48	(MASKF(CQPC_W48_T) | MASKF(CQPC_W48_HAI) | MASKF(CQPC_W48_RAI))
#define CQPC_W56	(MASKF(CQPC_W56_B) | MASKF(CQPC_W56_F) | MASKF(CQPC_W56_CC_VALID) | \
			 MASKF(CQPC_W56_RREDUCE))

static u32 check_context(struct rdma *r, const u64 *w)
{
	static const u64 allowed[8] = {
		CQPC_W0, ALL, CQPC_W16, ALL, CQPC_W32, 0, CQPC_W48, CQPC_W56,
	};
	u64 code = GETF(w[0], CQPC_W0_DEPTH);

	for (u32 i = 0; i < 8; i++)
		if (w[i] & ~allowed[i])
			return refuse(r, CQP_CONTEXT, CMD_CONTEXT, "w%u is 0x%llx", 8 * i,
				      (unsigned long long)w[i]);
	if (!code || code > DEPTH_CODE_MAX || w[1] % SQ_ALIGN)
		return refuse(r, CQP_CONTEXT, CMD_CONTEXT, "depth code %u, ring 0x%llx", (u32)code,
			      (unsigned long long)w[1]);
	if (GETF(w[0], CQPC_W0_PROTOCOL) == PROTOCOL_IWARP || GETF(w[0], CQPC_W0_VERSION) ||
	    GETF(w[4], CQPC_W32_MAJOR) != INTERFACE_MAJOR)
		return refuse(r, CQP_CONTEXT, CMD_CONTEXT, "protocol %u, structure %u, interface %u",
			      (u32)GETF(w[0], CQPC_W0_PROTOCOL), (u32)GETF(w[0], CQPC_W0_VERSION),
			      (u32)GETF(w[4], CQPC_W32_MAJOR));
	if (!mem_check(r, w[1], (2u << code) * WQE_BYTES, DMA_PROT_READ))
		return CMD_CONTEXT;
	return wq_clean(r, &(struct rdma_ring){
		.base = w[1], .stride = WQE_BYTES / QUANTUM,
		.quanta = (2u << code) * WQE_BYTES / QUANTUM });
}

static u32 create(struct rdma *r, u64 addr)
{
	struct cqp *q = &r->cqp;
	u64 w[8];
	u32 result;

	if (!r->vchnl.fn_held)
		return refuse(r, CQP_NO_FUNCTION, CMD_STATE, "context 0x%llx",
			      (unsigned long long)addr);
	if (addr % 8)
		return refuse(r, CQP_CONTEXT, CMD_CONTEXT, "address 0x%llx",
			      (unsigned long long)addr);
	if (!dma_read(r->nic->dma, addr, w, sizeof(w)))
		return CMD_CONTEXT;
	result = check_context(r, w);
	if (result)
		return result;
	q->depth = 2u << GETF(w[0], CQPC_W0_DEPTH);
	q->cmds = calloc(q->depth, sizeof(*q->cmds));
	if (!q->cmds)
		return CMD_CONTEXT;
	q->base = w[1];
	q->cookie = w[3];
	q->polarity = 1;
	q->exists = true;
	TRACE(r->nic, T_CQP, "control QP: ring 0x%llx of %u", (unsigned long long)q->base,
	      q->depth);
	return CMD_OK;
}

static void destroy(struct rdma *r)
{
	u32 left = rdma_objects_left(r);

	if (left)
		violation(r->nic, V_CQP_OBJECTS_LEFT, "%u objects", left);
	rdma_objects_free(r);
	cqp_reset(r);
	TRACE(r->nic, T_CQP, "control QP destroyed");
}

void cqp_write_context(struct rdma *r, u64 addr)
{
	struct cqp *q = &r->cqp;
	const struct fault *f;

	if (!addr) {
		f = q->exists ? fault_hit(r->nic, F_CQP_STOP, 0) : NULL;
		if (!f || f->action != FAULT_DROP)
			destroy(r);
		return;
	}
	if (q->exists) {
		violation(r->nic, V_CQP_EXISTS, "context 0x%llx", (unsigned long long)addr);
		return;
	}
	q->err = create(r, addr);
	q->status = q->err ? (u32)CCQPSTATUS_ERROR : (u32)CCQPSTATUS_DONE;
}

const u64 *rdma_commands(const struct rdma *r)
{
	return r->commands;
}

const char *rdma_command_name(u32 opcode)
{
	return opcode < ARRAY_SIZE(ops) ? ops[opcode].name : NULL;
}

void cqp_init(struct rdma *r)
{
	timer_init(&r->cqp.timer, r->nic->loop, advance_cb, r);
	task_init(&r->cqp.task, r->nic->loop, advance_cb, r);
}

void cqp_reset(struct rdma *r)
{
	struct cqp *q = &r->cqp;

	timer_cancel(&q->timer);
	task_cancel(&q->task);
	free(q->cmds);
	q->cmds = NULL;
	q->exists = q->tail_error = false;
	q->status = q->err = 0;
	q->fetch = q->tail = 0;
	q->tickets = 0;
	q->free_at = 0;
}
