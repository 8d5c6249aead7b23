// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Numbers of hardware objects: QP, CQ, SRQ, PD, MR, AH, ARP entry, multicast
 * group. One struct irdma_idmap per kind, owned by the device.
 *
 * Invariants: a number is handed out to one owner at a time; the search goes
 * round, so that a number just freed is the last to be handed out again and
 * late events about its former owner find nobody.
 *
 * All functions but init and fini may be called in any context. The lock is
 * innermost.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <linux/bitmap.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/slab.h>

#include "idmap.h"

/**
 * irdma_idmap_init - make a map of free numbers
 * @map: map to initialise
 * @limit: numbers are 0 to @limit - 1
 * @reserved: numbers 0 to @reserved - 1 are never handed out; at most @limit
 *
 * Context: Process context; may sleep.
 * Return: 0; -EINVAL when @limit is 0 or below @reserved; -ENOMEM.
 */
int irdma_idmap_init(struct irdma_idmap *map, u32 limit, u32 reserved)
{
	*map = (struct irdma_idmap){};
	if (!limit || reserved > limit)
		return -EINVAL;
	map->bitmap = kvcalloc(BITS_TO_LONGS(limit), sizeof(*map->bitmap),
			       GFP_KERNEL);
	if (!map->bitmap)
		return -ENOMEM;
	spin_lock_init(&map->lock);
	bitmap_set(map->bitmap, 0, reserved);
	map->limit = limit;
	map->cnt = limit - reserved;
	map->next = reserved;
	map->used_cnt = reserved;
	return 0;
}

/**
 * irdma_idmap_fini - release the map
 * @map: map, or all zero
 *
 * Numbers still taken are forgotten. The map is all zero afterwards.
 *
 * Context: Process context; may sleep.
 */
void irdma_idmap_fini(struct irdma_idmap *map)
{
	kvfree(map->bitmap);
	*map = (struct irdma_idmap){};
}

static int irdma_idmap_alloc_locked(struct irdma_idmap *map, u32 start,
				    u32 *id)
{
	u32 found;

	lockdep_assert_held(&map->lock);
	if (start >= map->limit)
		start = 0;
	found = find_next_zero_bit(map->bitmap, map->limit, start);
	if (found >= map->limit)
		found = find_first_zero_bit(map->bitmap, map->limit);
	if (found >= map->limit)
		return -ENOMEM;
	__set_bit(found, map->bitmap);
	map->next = found + 1;
	map->used_cnt++;
	*id = found;
	return 0;
}

/**
 * irdma_idmap_alloc - take the free number that was freed longest ago
 * @map: map
 * @id: the number, set on success only
 *
 * "Longest ago" is approximated by going round.
 *
 * Context: Any context.
 * Return: 0; -ENOMEM when all numbers are taken.
 */
int irdma_idmap_alloc(struct irdma_idmap *map, u32 *id)
{
	guard(spinlock_irqsave)(&map->lock);
	return irdma_idmap_alloc_locked(map, map->next, id);
}

/**
 * irdma_idmap_alloc_from - take the first free number from a given one on
 * @map: map
 * @start: where the search starts, any value; it goes round at the limit
 * @id: the number, set on success only
 *
 * For numbers that must not be guessed: @start is random.
 *
 * Context: Any context.
 * Return: 0; -ENOMEM when all numbers are taken.
 */
int irdma_idmap_alloc_from(struct irdma_idmap *map, u32 start, u32 *id)
{
	guard(spinlock_irqsave)(&map->lock);
	return irdma_idmap_alloc_locked(map, start, id);
}

/**
 * irdma_idmap_free - give a number back
 * @map: map
 * @id: number that irdma_idmap_alloc() or irdma_idmap_alloc_from() gave
 *
 * A number that is not taken leaves the map as it is, with a warning.
 *
 * Context: Any context.
 */
void irdma_idmap_free(struct irdma_idmap *map, u32 id)
{
	guard(spinlock_irqsave)(&map->lock);
	if (WARN_ON_ONCE(id >= map->limit || !test_bit(id, map->bitmap)))
		return;
	__clear_bit(id, map->bitmap);
	map->used_cnt--;
}

/**
 * irdma_idmap_is_used - is a number taken
 * @map: map
 * @id: any value, for instance one that hardware reported
 *
 * Context: Any context.
 * Return: true when @id is taken; the answer may be out of date on return unless
 * the caller owns @id.
 */
bool irdma_idmap_is_used(struct irdma_idmap *map, u32 id)
{
	guard(spinlock_irqsave)(&map->lock);
	return id < map->limit && test_bit(id, map->bitmap);
}
