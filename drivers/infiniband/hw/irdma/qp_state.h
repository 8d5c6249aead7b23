/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */

#ifndef IRDMA_QP_STATE_H
#define IRDMA_QP_STATE_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "hw_qpc.h"

/**
 * struct irdma_qp_now - where a QP is
 * @type: IB_QPT_RC, IB_QPT_UD or IB_QPT_GSI
 * @state: as the consumer knows it
 * @hw_state: as the device was last told or reported
 */
struct irdma_qp_now {
	enum ib_qp_type type;
	enum ib_qp_state state;
	enum irdma_hw_qp_state hw_state;
};

/**
 * struct irdma_qp_step - what a change of state takes
 * @hw_state: state of the device's QP afterwards
 * @recreate: first destroy the device's QP and create it again, same number
 * @modify: then modify it to @hw_state; the context is written before
 * @arp_valid: the modify says that the ARP index is new
 * @cq_valid: .. that the CQ numbers are new
 * @ord_valid: .. that the number of outbound reads is new
 * @wait_drained: then wait for the event that the SQ is drained
 * @flush: then flush both queues
 *
 * Nothing set: only the driver's copy of the attributes changes. The device
 * reads the whole context again with the next modify.
 */
struct irdma_qp_step {
	enum irdma_hw_qp_state hw_state;
	bool recreate;
	bool modify;
	bool arp_valid;
	bool cq_valid;
	bool ord_valid;
	bool wait_drained;
	bool flush;
};

int irdma_qp_plan_step(const struct irdma_qp_now *now, enum ib_qp_state next,
		       int attr_mask, struct irdma_qp_step *step);

#endif /* IRDMA_QP_STATE_H */
