/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_POLL_H
#define IRDMA_POLL_H

#include <rdma/ib_verbs.h>

struct irdma_cq;
struct irdma_qp;

extern const struct ib_device_ops irdma_poll_ops;

void irdma_clean_cqes(struct irdma_qp *qp, struct irdma_cq *cq);

#endif /* IRDMA_POLL_H */
