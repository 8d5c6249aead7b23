/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */

#ifndef IRDMA_IDMAP_H
#define IRDMA_IDMAP_H

#include <linux/spinlock.h>
#include <linux/types.h>

/**
 * struct irdma_idmap - numbers of one kind of hardware object
 * @lock: guards @bitmap, @next and @used_cnt; taken in any context
 * @bitmap: one bit per number, set when taken; NULL when the map is empty
 * @limit: numbers are below this
 * @cnt: how many are handed out at most: those that are not reserved
 * @next: where the next search starts
 * @used_cnt: bits set in @bitmap
 */
struct irdma_idmap {
	spinlock_t lock; /* guards: bitmap, next, used_cnt; any context */
	unsigned long *bitmap;
	u32 limit;
	u32 cnt;
	u32 next;
	u32 used_cnt;
};

int irdma_idmap_init(struct irdma_idmap *map, u32 limit, u32 reserved);
void irdma_idmap_fini(struct irdma_idmap *map);
int irdma_idmap_alloc(struct irdma_idmap *map, u32 *id);
int irdma_idmap_alloc_from(struct irdma_idmap *map, u32 start, u32 *id);
void irdma_idmap_free(struct irdma_idmap *map, u32 id);
bool irdma_idmap_is_used(struct irdma_idmap *map, u32 id);

#endif /* IRDMA_IDMAP_H */
