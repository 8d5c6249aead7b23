// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How long a ring is, and whether the memory given for it is enough.
 *
 * User space computes the depth of its queues itself, by the same rules, and
 * registers memory before it creates the object. So the depths here must come
 * out exactly as they do there, and the memory is compared with what the
 * device will use, in 64 bits and in hardware pages, before a command is
 * built. A depth of 0 to 2^32 - 1 and page counts of 0 to 65535 all have a
 * defined answer.
 *
 * Pure functions, to be called in any context.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/minmax.h>

#include "hw_ae.h"
#include "hw_cqp.h"
#include "hw_fpm.h"
#include "hw_wqe.h"
#include "ring_buf.h"

/* Shadow area: a page of its own behind the ring. */
#define IRDMA_SHADOW_PAGES	1

/**
 * irdma_wqe_shift - log2 of the quanta of a queue's WQEs
 * @frags: scatter/gather elements; for an SQ one more than asked for, since
 *	   immediate data takes the place of one
 * @inline_bytes: inline data; 0 for an RQ or SRQ
 *
 * Return: 0 to 3.
 */
u8 irdma_wqe_shift(u32 frags, u32 inline_bytes)
{
	if (frags <= 1 && inline_bytes <= 8)
		return 0;
	if (frags <= 3 && inline_bytes <= 39)
		return 1;
	if (frags <= 7 && inline_bytes <= 101)
		return 2;
	return 3;
}

/**
 * irdma_wq_depth - quanta of a queue for a number of work requests
 * @wrs: work requests; any value
 * @shift: irdma_wqe_shift() of the queue
 * @reserved: IRDMA_SQ_RESERVED_QUANTA or IRDMA_RQ_RESERVED_QUANTA
 * @limits: what the device can have
 * @quanta: the depth, a power of two; set on success only
 *
 * A queue raised to the minimum is not compared with the maximum.
 *
 * Return: 0; -EINVAL when the queue would be longer than the device's longest.
 */
int irdma_wq_depth(u32 wrs, u8 shift, u32 reserved,
		   const struct irdma_wq_limits *limits, u32 *quanta)
{
	u64 want = ((u64)wrs << shift) + reserved;
	u64 least = (u64)limits->min_wqes << shift;
	u64 depth = BIT_ULL(fls64(want - 1));

	if (depth < least)
		depth = least;
	else if (depth > limits->max_quanta)
		return -EINVAL;
	*quanta = depth;
	return 0;
}

/**
 * irdma_wq_depth_given - quanta of a queue whose size user space computed
 * @wqes: size of the ring in WQEs; any value
 * @shift: irdma_wqe_shift() of the queue
 * @reserved: IRDMA_SQ_RESERVED_QUANTA or IRDMA_RQ_RESERVED_QUANTA
 * @limits: what the device can have
 * @quanta: the depth, a power of two; set on success only
 *
 * Return: 0; -EINVAL when the size is no power of two, has no room for a work
 * request, or is not one that the device can have.
 */
int irdma_wq_depth_given(u32 wqes, u8 shift, u32 reserved,
			 const struct irdma_wq_limits *limits, u32 *quanta)
{
	u64 depth = (u64)wqes << shift;

	if (!is_power_of_2(wqes) || wqes < limits->min_wqes ||
	    depth <= reserved || depth > limits->max_quanta)
		return -EINVAL;
	*quanta = depth;
	return 0;
}

/**
 * irdma_cq_depth_user - entries of a user's CQ
 * @cqe: entries that user space computed; any value
 * @max_entries: longest CQ of the device
 * @entries: the depth; set on success only
 *
 * Return: 0; -EINVAL when @cqe is 0 or above @max_entries.
 */
int irdma_cq_depth_user(u32 cqe, u32 max_entries, u32 *entries)
{
	if (!cqe || cqe > max_entries)
		return -EINVAL;
	*entries = max(cqe, IRDMA_MIN_CQ_ENTRIES);
	return 0;
}

/**
 * irdma_cq_depth_kernel - entries of a kernel CQ
 * @cqe: completions that the consumer wants to keep; any value
 * @max_entries: longest CQ of the device
 * @kind: IRDMA_RING_CQ32 or IRDMA_RING_CQ64
 * @entries: the depth, even; set on success only
 *
 * The hardware wants two entries more, an even number, and a ring that is not
 * exactly one page. A completion takes two entries of 32 bytes.
 *
 * Return: 0; -EINVAL when @cqe is 0 or the ring longer than @max_entries.
 */
int irdma_cq_depth_kernel(u32 cqe, u32 max_entries, enum irdma_ring_kind kind,
			  u32 *entries)
{
	u64 depth = (u64)cqe + 2;

	if (kind == IRDMA_RING_CQ32)
		depth *= 2;
	depth = round_up(depth, 2);
	if (depth <= max_entries &&
	    irdma_ring_bytes(kind, depth) == IRDMA_HMC_PAGE_BYTES)
		depth += 2;
	if (!cqe || depth > max_entries)
		return -EINVAL;
	*entries = depth;
	return 0;
}

/**
 * irdma_ring_bytes - how long a ring is
 * @kind: what the ring is made of
 * @depth: quanta or entries; any value
 *
 * Return: bytes that the device uses.
 */
u64 irdma_ring_bytes(enum irdma_ring_kind kind, u32 depth)
{
	static const u8 entry_bytes[] = {
		[IRDMA_RING_WQ] = IRDMA_QUANTUM_BYTES,
		[IRDMA_RING_CQ32] = 32,
		[IRDMA_RING_CQ64] = 64,
		[IRDMA_RING_CQP] = IRDMA_CQP_WQE_BYTES,
		[IRDMA_RING_CEQ] = IRDMA_CEQE_BYTES,
		[IRDMA_RING_AEQ] = sizeof(struct irdma_hw_aeqe),
	};

	return (u64)depth * entry_bytes[kind];
}

/**
 * irdma_ring_pages - how many pages a ring takes
 * @kind: what the ring is made of
 * @depth: quanta or entries; any value
 *
 * Return: hardware pages of 4 KiB, the last one perhaps in part.
 */
u64 irdma_ring_pages(enum irdma_ring_kind kind, u32 depth)
{
	return DIV_ROUND_UP_ULL(irdma_ring_bytes(kind, depth),
				IRDMA_HMC_PAGE_BYTES);
}

/**
 * irdma_ring_mem_bytes - how much memory a queue that is divided so takes
 * @mem: pages; @mem->page_cnt is not looked at
 *
 * Return: bytes from the first page to the end of the shadow area.
 */
u64 irdma_ring_mem_bytes(const struct irdma_ring_mem *mem)
{
	u64 pages = (u64)mem->sq_pages + mem->rq_pages + mem->cq_pages;

	return pages * IRDMA_HMC_PAGE_BYTES + (mem->cq_shadow ? 0 : IRDMA_SHADOW_BYTES);
}

/**
 * irdma_ring_mem_check_qp - is the memory of a user's QP long enough
 * @mem: SQ pages, RQ pages, then the page of the shadow area
 * @sq_quanta: depth of the SQ; 0 when it is not known yet
 * @rq_quanta: depth of the RQ; 0 when it is not known yet, or of a QP with SRQ
 *
 * Return: 0; -EINVAL when a queue is longer than its pages, or when the pages
 * are more than those behind the memory.
 */
int irdma_ring_mem_check_qp(const struct irdma_ring_mem *mem, u32 sq_quanta,
			    u32 rq_quanta)
{
	if ((u64)mem->sq_pages + mem->rq_pages + IRDMA_SHADOW_PAGES >
	    mem->page_cnt)
		return -EINVAL;
	if (irdma_ring_pages(IRDMA_RING_WQ, sq_quanta) > mem->sq_pages ||
	    irdma_ring_pages(IRDMA_RING_WQ, rq_quanta) > mem->rq_pages)
		return -EINVAL;
	return 0;
}

/**
 * irdma_ring_mem_check_srq - is the memory of a user's SRQ long enough
 * @mem: ring pages, then the page of the shadow area
 * @quanta: depth; 0 when it is not known yet
 *
 * Return: 0; -EINVAL as irdma_ring_mem_check_qp().
 */
int irdma_ring_mem_check_srq(const struct irdma_ring_mem *mem, u32 quanta)
{
	return irdma_ring_mem_check_qp(mem, 0, quanta);
}

/**
 * irdma_ring_mem_check_cq - is the memory of a user's CQ long enough
 * @mem: ring pages, then, without @mem->cq_shadow, the page of the shadow area
 * @kind: IRDMA_RING_CQ32 or IRDMA_RING_CQ64
 * @entries: depth; 0 when it is not known yet
 *
 * Return: 0; -EINVAL when the CQ is longer than its pages, or when the pages
 * are more than those behind the memory.
 */
int irdma_ring_mem_check_cq(const struct irdma_ring_mem *mem,
			    enum irdma_ring_kind kind, u32 entries)
{
	u32 shadow = mem->cq_shadow ? 0 : IRDMA_SHADOW_PAGES;

	if ((u64)mem->cq_pages + shadow > mem->page_cnt ||
	    irdma_ring_pages(kind, entries) > mem->cq_pages)
		return -EINVAL;
	return 0;
}
