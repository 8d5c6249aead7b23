/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_QP_HW_H
#define IRDMA_QP_HW_H

#include "qp.h"
#include "verbs.h"

struct irdma_batch;
struct irdma_qp_step;

static inline struct irdma_dev *irdma_qp_dev(const struct irdma_qp *qp)
{
	return qp->ibdev->dev;
}

int irdma_qp_program(struct irdma_qp *qp);
int irdma_qp_move(struct irdma_qp *qp, const struct irdma_qp_step *step,
		  const struct irdma_qpc_args *ctx);
int irdma_qp_to_error_locked(struct irdma_qp *qp);
void irdma_qp_add_destroy(struct irdma_qp *qp, struct irdma_batch *batch);
int _irdma_destroy_qp(struct irdma_qp *qp);

#endif /* IRDMA_QP_HW_H */
