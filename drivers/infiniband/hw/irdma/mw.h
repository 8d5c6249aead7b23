/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_MW_H
#define IRDMA_MW_H

#include <rdma/ib_verbs.h>

struct irdma_batch;

/**
 * struct irdma_mw - memory window
 * @ib: what the core knows
 * @live: the device knows the key
 */
struct irdma_mw {
	struct ib_mw ib;
	bool live;
};

static inline struct irdma_mw *to_irdma_mw(struct ib_mw *ib)
{
	return container_of(ib, struct irdma_mw, ib);
}

extern const struct ib_device_ops irdma_mw_ops;

bool irdma_mw_reap(void *object, struct irdma_batch *batch);
void irdma_mw_reaped(void *object, int err);

#endif /* IRDMA_MW_H */
