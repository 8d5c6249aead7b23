// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Changes of a QP's state: which are legal, and what each takes.
 *
 * A pure function, to be called in any context; the QP's owner serialises
 * changes of state.
 *
 * Copyright (c) 2026 The irdma authors
 */

/**
 * DOC: QP states
 *
 * The consumer's states and the device's are two machines. A device's QP is
 * idle from its creation on, so RESET to INIT takes no command; INIT's
 * attributes reach the device with the modify to RTR, because every modify
 * makes it read the whole context. So a QP is at RTS after three commands.
 *
 * The device has no way back from its error state. RESET therefore moves the
 * device's QP to error and flushes it, like ERR, and the QP is made anew, with
 * its number, when the consumer takes it to INIT again.
 *
 * Which attributes a transition needs or allows is the core's to say
 * (ib_modify_qp_is_ok()); what this device cannot do is refused on top of it.
 */

#include <linux/errno.h>

#include "qp_state.h"

/* No automatic path migration, no rate limit. */
#define IRDMA_QP_ATTRS_NOT_OFFERED	(IB_QP_ALT_PATH |		\
					 IB_QP_PATH_MIG_STATE |		\
					 IB_QP_RATE_LIMIT)
/* Attributes that the device does not see. */
#define IRDMA_QP_ATTRS_OF_DRIVER	(IB_QP_STATE |			\
					 IB_QP_CUR_STATE |		\
					 IB_QP_EN_SQD_ASYNC_NOTIFY)

static const struct irdma_qp_step irdma_qp_to_rtr = {
	.hw_state = IRDMA_HW_QPS_RTR,
	.modify = true,
	.arp_valid = true,
	.cq_valid = true,
};

static const struct irdma_qp_step irdma_qp_to_rts = {
	.hw_state = IRDMA_HW_QPS_RTS,
	.modify = true,
	.arp_valid = true,
	.cq_valid = true,
	.ord_valid = true,
};

static const struct irdma_qp_step irdma_qp_to_sqd = {
	.hw_state = IRDMA_HW_QPS_SQD,
	.modify = true,
	.wait_drained = true,
};

static const struct irdma_qp_step irdma_qp_to_error = {
	.hw_state = IRDMA_HW_QPS_ERROR,
	.modify = true,
	.flush = true,
};

/* RESET to INIT: the device's QP must be one that was never used. */
static void irdma_qp_step_init(const struct irdma_qp_now *now,
			       struct irdma_qp_step *step)
{
	*step = (struct irdma_qp_step){
		.hw_state = IRDMA_HW_QPS_IDLE,
		.recreate = now->hw_state != IRDMA_HW_QPS_IDLE,
	};
}

/* Same state: a command only where the device is already at work. */
static void irdma_qp_step_stay(const struct irdma_qp_now *now, int attr_mask,
			       struct irdma_qp_step *step)
{
	*step = (struct irdma_qp_step){ .hw_state = now->hw_state };
	if (now->state == IB_QPS_RTS && attr_mask & ~IRDMA_QP_ATTRS_OF_DRIVER)
		*step = irdma_qp_to_rts;
}

/* ERR, and RESET of a QP that was used. */
static void irdma_qp_step_error(const struct irdma_qp_now *now,
				struct irdma_qp_step *step)
{
	*step = irdma_qp_to_error;
	step->modify = now->hw_state != IRDMA_HW_QPS_ERROR;
	step->flush = now->state != IB_QPS_ERR;
}

/**
 * irdma_qp_plan_step - check a change of state and say what it takes
 * @now: where the QP is
 * @next: state that is asked for
 * @attr_mask: attributes that come with it
 * @step: set as a whole on success only
 *
 * Nothing has changed when this returns. The caller carries @step out in the
 * order of its members, and then takes over state and attributes.
 *
 * Return: 0; -EINVAL when the transition is not legal, an attribute is missing
 * or does not belong to it, or the device's QP is in error and has to go
 * through RESET; -EOPNOTSUPP when the device cannot do an attribute.
 */
int irdma_qp_plan_step(const struct irdma_qp_now *now, enum ib_qp_state next,
		       int attr_mask, struct irdma_qp_step *step)
{
	if (next > IB_QPS_ERR ||
	    !ib_modify_qp_is_ok(now->state, next, now->type, attr_mask))
		return -EINVAL;
	if (attr_mask & IRDMA_QP_ATTRS_NOT_OFFERED)
		return -EOPNOTSUPP;
	if (next == IB_QPS_ERR ||
	    (next == IB_QPS_RESET && now->state != IB_QPS_RESET)) {
		irdma_qp_step_error(now, step);
		return 0;
	}
	if (now->state == IB_QPS_RESET && next == IB_QPS_INIT) {
		irdma_qp_step_init(now, step);
		return 0;
	}
	if (now->hw_state == IRDMA_HW_QPS_ERROR && next != IB_QPS_RESET)
		return -EINVAL;
	if (next == now->state)
		irdma_qp_step_stay(now, attr_mask, step);
	else if (next == IB_QPS_RTR)
		*step = irdma_qp_to_rtr;
	else if (next == IB_QPS_RTS)
		*step = irdma_qp_to_rts;
	else
		*step = irdma_qp_to_sqd;
	return 0;
}
