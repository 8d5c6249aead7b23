/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_REAP_H
#define IRDMA_REAP_H

#include <rdma/ib_verbs.h>

extern const struct ib_device_ops irdma_reap_ops;

#endif /* IRDMA_REAP_H */
