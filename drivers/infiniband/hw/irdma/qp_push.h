/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_QP_PUSH_H
#define IRDMA_QP_PUSH_H

struct ib_udata;
struct irdma_qp;

void irdma_qp_begin_push_locked(struct irdma_qp *qp);
int irdma_qp_respond_push_locked(struct irdma_qp *qp, struct ib_udata *udata);
void irdma_qp_end_push(struct irdma_qp *qp);

#endif /* IRDMA_QP_PUSH_H */
