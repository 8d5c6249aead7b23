/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Ring indices, free counts and valid-bit polarity.
 *
 * Copyright (c) 2026 The irdma authors
 */

#ifndef IRDMA_RING_H
#define IRDMA_RING_H

#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/types.h>

/**
 * DOC: Rings
 *
 * Software finds new entries of a hardware ring, and hardware those of a
 * software ring, by one valid bit per entry: entries of the first pass over
 * the ring carry 1, of the second pass 0, and so on.
 *
 * A ring that software fills (SQ, RQ, SRQ, control queue) has a power-of-two
 * size. Its head and tail are positions: they count entries since the ring
 * was created and never wrap at the ring's size. Index, fill level and
 * polarity all follow from a position without a division or a branch, and
 * stay right when the 32-bit counter itself wraps, since 2^32 is a multiple
 * of two passes.
 *
 * A ring that software drains (CQ, CEQ, AEQ, control CQ) may have any size;
 * the other end's position is not known to software.
 */

/* Quanta of an SQ that software never fills: prefetch distance and fence. */
#define IRDMA_SQ_UNUSED_QUANTA	257
/* Entries of an RQ, SRQ or control queue that software never fills. */
#define IRDMA_RING_UNUSED	1

/**
 * struct irdma_ring - a ring that software fills
 * @head: position of the next entry to fill
 * @tail: position of the oldest entry that hardware still owns
 * @size: entries; a power of two, at most 2^31
 * @unused: entries that always stay empty, 1 to @size - 1
 *
 * The ring's owner serialises all access.
 */
struct irdma_ring {
	u32 head;
	u32 tail;
	u32 size;
	u32 unused;
};

/**
 * irdma_ring_init - an empty ring whose first entry is @first
 * @ring: ring to initialise
 * @size: entries
 * @unused: entries that always stay empty
 * @first: entries that someone else has filled and that software never
 *	   counts, below @size
 *
 * Return: 0; -EINVAL when @size is no power of two, exceeds 2^31 or does not
 * exceed @unused or @first, or when @unused is 0.
 */
static inline int irdma_ring_init(struct irdma_ring *ring, u32 size,
				  u32 unused, u32 first)
{
	if (!is_power_of_2(size) || !unused || unused >= size || first >= size)
		return -EINVAL;
	*ring = (struct irdma_ring){
		.head = first,
		.tail = first,
		.size = size,
		.unused = unused,
	};
	return 0;
}

static inline u32 irdma_ring_idx(const struct irdma_ring *ring, u32 pos)
{
	return pos & (ring->size - 1);
}

/**
 * irdma_ring_polarity - valid bit of the entry at a position
 * @ring: ring
 * @pos: position of the entry
 *
 * Return: true in the first, third ... pass.
 */
static inline bool irdma_ring_polarity(const struct irdma_ring *ring, u32 pos)
{
	return !(pos & ring->size);
}

static inline u32 irdma_ring_used(const struct irdma_ring *ring)
{
	return ring->head - ring->tail;
}

/**
 * irdma_ring_avail - entries that may be filled now
 * @ring: ring
 *
 * Return: entries, those that always stay empty not counted.
 */
static inline u32 irdma_ring_avail(const struct irdma_ring *ring)
{
	return ring->size - ring->unused - irdma_ring_used(ring);
}

/**
 * irdma_ring_produce - move the head over filled entries
 * @ring: ring
 * @cnt: entries, at most irdma_ring_avail()
 */
static inline void irdma_ring_produce(struct irdma_ring *ring, u32 cnt)
{
	ring->head += cnt;
}

/**
 * irdma_ring_consume - move the tail over entries that hardware returned
 * @ring: ring
 * @cnt: entries
 *
 * Return: 0; -EINVAL, the ring unchanged, when fewer than @cnt entries are
 * outstanding.
 */
static inline int irdma_ring_consume(struct irdma_ring *ring, u32 cnt)
{
	if (cnt > irdma_ring_used(ring))
		return -EINVAL;
	ring->tail += cnt;
	return 0;
}

/**
 * irdma_ring_find - position of an index that hardware reported
 * @ring: ring
 * @idx: index as hardware gave it, any value
 * @pos: position, set on success only
 *
 * Return: 0; -EINVAL when @idx is outside the ring; -ENOENT when hardware
 * does not own the entry.
 */
static inline int irdma_ring_find(const struct irdma_ring *ring, u32 idx,
				  u32 *pos)
{
	u32 ahead;

	if (idx >= ring->size)
		return -EINVAL;
	ahead = irdma_ring_idx(ring, idx - ring->tail);
	if (ahead >= irdma_ring_used(ring))
		return -ENOENT;
	*pos = ring->tail + ahead;
	return 0;
}

/**
 * irdma_sq_pad_quanta - NOPs that must precede a WQE
 * @ring: send queue, in quanta
 * @quanta: length of the WQE, 1 to @chunk
 * @chunk: quanta that hardware fetches at once; a power of two
 *
 * A WQE never crosses a chunk boundary. The gap to the boundary is filled
 * with NOPs of one quantum.
 *
 * Return: NOPs, 0 to @chunk - 1.
 */
static inline u32 irdma_sq_pad_quanta(const struct irdma_ring *ring,
				      u32 quanta, u32 chunk)
{
	u32 left = chunk - (ring->head & (chunk - 1));

	return quanta <= left ? 0 : left;
}

/**
 * irdma_sq_room - is there room for a WQE, and how is it placed
 * @ring: send queue, in quanta
 * @quanta: length of the WQE, 1 to @chunk
 * @chunk: quanta that hardware fetches at once; a power of two
 * @pad: NOPs of one quantum to fill first, set on success only
 *
 * The ring is not changed: the caller fills @pad NOPs and the WQE from the
 * head on and then calls irdma_ring_produce(). Each entry's valid bit is
 * irdma_ring_polarity() of its own position.
 *
 * Return: 0; -EINVAL when @quanta is not in range; -ENOSPC when the WQE and
 * its padding do not fit.
 */
static inline int irdma_sq_room(const struct irdma_ring *ring, u32 quanta,
				u32 chunk, u32 *pad)
{
	u32 nops;

	if (!quanta || quanta > chunk)
		return -EINVAL;
	nops = irdma_sq_pad_quanta(ring, quanta, chunk);
	if (nops + quanta > irdma_ring_avail(ring))
		return -ENOSPC;
	*pad = nops;
	return 0;
}

/**
 * struct irdma_cons - a ring that software drains
 * @idx: next entry to look at, below @size
 * @size: entries, at least 1; any number
 * @polarity: valid bit of a new entry at @idx
 *
 * The ring's owner serialises all access.
 */
struct irdma_cons {
	u32 idx;
	u32 size;
	bool polarity;
};

/**
 * irdma_cons_init - a ring that hardware has not yet written
 * @cons: ring to initialise
 * @size: entries
 *
 * Return: 0; -EINVAL when @size is 0.
 */
static inline int irdma_cons_init(struct irdma_cons *cons, u32 size)
{
	if (!size)
		return -EINVAL;
	*cons = (struct irdma_cons){ .size = size, .polarity = true };
	return 0;
}

static inline void irdma_cons_advance(struct irdma_cons *cons)
{
	if (++cons->idx == cons->size) {
		cons->idx = 0;
		cons->polarity = !cons->polarity;
	}
}

#endif /* IRDMA_RING_H */
