/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_RESTRACK_H
#define IRDMA_RESTRACK_H

#include <rdma/ib_verbs.h>

extern const struct ib_device_ops irdma_restrack_ops;

#endif /* IRDMA_RESTRACK_H */
