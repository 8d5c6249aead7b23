// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs as the device knows them: the commands about one, and the context.
 *
 * It knows fewer states than verbs do; irdma_qp.hw_state is its view.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/completion.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/string.h>

#include "cqp_cmd.h"
#include "dev.h"
#include "qp.h"
#include "qp_hw.h"
#include "qp_state.h"
#include "uctx.h"

/* How long the device may take to drain a send queue. */
#define IRDMA_DRAIN_TIMEOUT_MS	5000

static struct irdma_cqp_qp_args irdma_qp_args(const struct irdma_qp *qp,
					      enum irdma_hw_qp_state next)
{
	return (struct irdma_cqp_qp_args){
		.ctx_addr = qp->qpc_pa,
		.shadow_addr = qp->shadow_pa,
		.id = qp->id,
		.type = qp->type,
		.next_state = next,
		.pbl_mapped = qp->pbl_mapped,
	};
}

static void irdma_qp_set_ctx(struct irdma_qp *qp, const struct irdma_qpc_args *ctx)
{
	memset(qp->qpc, 0, sizeof(*qp->qpc));
	irdma_qpc_enc(qp->qpc, ctx);
}

/**
 * irdma_qp_program - make the device know a QP, in its idle state
 * @qp: QP with its context in @ctx
 *
 * Context: Process context; may sleep. @qp->lock is held once the QP is published.
 * Return: 0; errnos of the command queue.
 */
int irdma_qp_program(struct irdma_qp *qp)
{
	struct irdma_cqp_qp_args args = irdma_qp_args(qp, IRDMA_HW_QPS_IDLE);
	int err;

	args.cq_valid = true;
	args.mac_valid = true;
	irdma_qp_set_ctx(qp, &qp->ctx);
	err = irdma_cmd_create_qp(irdma_qp_dev(qp), &args);
	if (!err)
		qp->hw_state = IRDMA_HW_QPS_IDLE;
	return err;
}

/**
 * irdma_qp_move - take the device's QP to another state
 * @qp: QP
 * @step: where to, and what of the context counts
 * @ctx: context that the device gets; it becomes @qp->ctx when the caller says so
 *
 * Context: Process context; may sleep. @qp->lock is held.
 * Return: 0, also when the send queue does not drain in time; errnos of the command queue.
 */
int irdma_qp_move(struct irdma_qp *qp, const struct irdma_qp_step *step,
		  const struct irdma_qpc_args *ctx)
{
	struct irdma_cqp_qp_args args = irdma_qp_args(qp, step->hw_state);
	int err;

	args.arp_valid = step->arp_valid;
	args.cq_valid = step->cq_valid;
	args.ord_valid = step->ord_valid;
	irdma_qp_set_ctx(qp, ctx);
	err = irdma_cmd_modify_qp(irdma_qp_dev(qp), &args);
	if (err) {
		irdma_qp_set_ctx(qp, &qp->ctx);
		return err;
	}
	qp->hw_state = step->hw_state;
	if (step->wait_drained)
		wait_for_completion_timeout(&qp->drained,
					    msecs_to_jiffies(IRDMA_DRAIN_TIMEOUT_MS));
	return 0;
}

/* Moves the device's QP to error and completes what is in its queues. */
static void irdma_qp_add_error(struct irdma_qp *qp, struct irdma_batch *batch)
{
	const struct irdma_cqp_qp_args args = irdma_qp_args(qp, IRDMA_HW_QPS_ERROR);
	struct irdma_cqp_flush_args flush = {
		.qp_id = qp->id,
		.sq = true,
		.rq = true,
		.sq_code = IRDMA_FLUSH_GENERAL,
		.rq_code = IRDMA_FLUSH_GENERAL,
	};

	scoped_guard(spinlock, &qp->fault_lock) {
		const struct irdma_qp_fault *fault = &qp->fault;

		if (fault->code) {
			flush.sq_code = fault->sq_code;
			flush.rq_code = fault->rq_code;
			flush.sq_err_idx = fault->sq_idx;
			flush.rq_err_idx = fault->rq_idx;
			flush.sq_err_valid = fault->sq_idx_valid;
			flush.rq_err_valid = fault->rq_idx_valid;
		}
	}
	irdma_cqp_enc_modify_qp(irdma_batch_add(batch), &args);
	irdma_cqp_enc_flush(irdma_batch_add(batch), &flush);
}

/**
 * irdma_qp_to_error_locked - move the device's QP to error and complete what is in its queues
 * @qp: QP; nothing is done when that was done before, or when the device does not know it
 *
 * Context: Process context; may sleep. @qp->lock is held.
 * Return: 0, also when the device has ended; an errno when a live one refuses either, both
 * may be asked for again then.
 */
int irdma_qp_to_error_locked(struct irdma_qp *qp)
{
	struct irdma_dev *dev = irdma_qp_dev(qp);
	struct irdma_batch batch = {};
	int err;

	lockdep_assert_held(&qp->lock);
	if (qp->flushed || qp->hw_state == IRDMA_HW_QPS_INVALID)
		return 0;
	irdma_qp_add_error(qp, &batch);
	err = irdma_batch_run(dev, &batch);
	if (!err || !irdma_life_running(dev))
		qp->flushed = true;
	if (qp->flushed || !batch.err[0])
		qp->hw_state = IRDMA_HW_QPS_ERROR;
	return qp->flushed ? 0 : err;
}

/**
 * irdma_qp_add_destroy - commands that make the device forget a QP
 * @qp: QP that the device knows
 * @batch: at most three are added; the last one decides
 *
 * Context: Process context. @qp->lock is held once the QP is published.
 */
void irdma_qp_add_destroy(struct irdma_qp *qp, struct irdma_batch *batch)
{
	const struct irdma_cqp_qp_args args = irdma_qp_args(qp, IRDMA_HW_QPS_INVALID);

	if (!qp->flushed && qp->hw_state != IRDMA_HW_QPS_IDLE)
		irdma_qp_add_error(qp, batch);
	irdma_cqp_enc_destroy_qp(irdma_batch_add(batch), &args);
}

/**
 * _irdma_destroy_qp - make the device forget a QP
 * @qp: QP; one that the device does not know is allowed
 *
 * What undoes irdma_qp_program(): error, flush and destruction are posted together and
 * waited for once.
 *
 * Context: Process context; may sleep. @qp->lock is held once the QP is published.
 * Return: 0; -EIO when a live device refuses, the QP is in error then.
 */
int _irdma_destroy_qp(struct irdma_qp *qp)
{
	struct irdma_dev *dev = irdma_qp_dev(qp);
	struct irdma_batch batch = {};
	unsigned int last;
	int err;

	if (qp->hw_state == IRDMA_HW_QPS_INVALID)
		return 0;
	irdma_qp_add_destroy(qp, &batch);
	last = batch.cnt - 1;
	irdma_batch_run(dev, &batch);
	err = irdma_uctx_destroy_err(dev, qp->uctx, batch.err[last]);
	if (err) {
		qp->flushed |= last && !batch.err[0];
		return err;
	}
	qp->hw_state = IRDMA_HW_QPS_INVALID;
	return 0;
}
