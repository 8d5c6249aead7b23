/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_PARK_H
#define IRDMA_PARK_H

#include <linux/list.h>
#include <linux/types.h>

#include "dma.h"

struct device;

/**
 * struct irdma_parked - memory that waits until a device cannot write it any more
 * @link: in the device's list
 * @release: frees it
 * @mem: coherent memory; all zero when it is of another kind
 * @owner: what @release needs beside it: a pool, or pinned memory
 */
struct irdma_parked {
	struct list_head link;
	void (*release)(struct device *dev, const struct irdma_parked *parked);
	struct irdma_dma mem;
	void *owner;
};

void irdma_park_open(struct device *dev);
bool irdma_park(struct device *dev, const struct irdma_parked *parked);
void irdma_park_close(struct device *dev);
void irdma_park_fini(bool (*gone)(struct device *dev));

#endif /* IRDMA_PARK_H */
