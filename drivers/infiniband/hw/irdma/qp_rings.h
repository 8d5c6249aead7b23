/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_QP_RINGS_H
#define IRDMA_QP_RINGS_H

#include <linux/types.h>

struct ib_qp_init_attr;
struct irdma_create_qp_req;
struct irdma_qp;
struct uverbs_attr_bundle;

int irdma_setup_umode_qp(struct irdma_qp *qp, struct ib_qp_init_attr *init,
			 const struct irdma_create_qp_req *req,
			 struct uverbs_attr_bundle *attrs);
int irdma_setup_kmode_qp(struct irdma_qp *qp, struct ib_qp_init_attr *init);
void irdma_qp_free_rings(struct irdma_qp *qp);
void irdma_qp_reset_rings(struct irdma_qp *qp);
bool irdma_qp_can_renew(const struct irdma_qp *qp);

#endif /* IRDMA_QP_RINGS_H */
