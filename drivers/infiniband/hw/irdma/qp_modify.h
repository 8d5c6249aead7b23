/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_QP_MODIFY_H
#define IRDMA_QP_MODIFY_H

struct ib_qp;
struct ib_qp_attr;
struct ib_udata;

int irdma_modify_qp_roce(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
			 struct ib_udata *udata);

#endif /* IRDMA_QP_MODIFY_H */
