/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_PBLE_H
#define IRDMA_PBLE_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include "hmc.h"
#include "pble_pool.h"

struct irdma_dev;

/**
 * struct irdma_pble_mem - memory behind one chunk of page-list entries
 * @node: in the list of all
 * @chunk: the entries; owned by the pool
 * @backing: the memory
 */
struct irdma_pble_mem {
	struct list_head node;
	struct irdma_pble_chunk *chunk;
	struct irdma_backing backing;
};

/**
 * struct irdma_pble - page-list entries and the memory behind them
 * @pool: the entries that are backed
 * @grow_lock: guards the rest; taken in process context, held while a segment is
 *	programmed: a second thread would otherwise back another one for the same need
 * @mem: memory, in the order of growth
 * @used_pages: pages that are backed
 */
struct irdma_pble {
	struct irdma_pble_pool pool;
	struct mutex grow_lock; /* guards: mem, used_pages; process context */
	struct list_head mem;
	u32 used_pages;
};

void irdma_pble_init(struct irdma_dev *dev);
void irdma_pble_fini(struct irdma_dev *dev);

#endif /* IRDMA_PBLE_H */
