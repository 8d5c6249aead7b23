/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */

#ifndef IRDMA_RING_BUF_H
#define IRDMA_RING_BUF_H

#include <linux/types.h>

/* Quanta that a queue needs beyond those of its work requests. */
#define IRDMA_SQ_RESERVED_QUANTA	258
#define IRDMA_RQ_RESERVED_QUANTA	1	/* SRQ as well */

#define IRDMA_MIN_CQ_ENTRIES		4

/**
 * enum irdma_ring_kind - what a ring is made of
 * @IRDMA_RING_WQ: SQ, RQ, SRQ; quanta of 32 bytes
 * @IRDMA_RING_CQ32: CQ; entries of 32 bytes
 * @IRDMA_RING_CQ64: CQ; entries of 64 bytes
 * @IRDMA_RING_CQP: control queue; entries of 64 bytes
 * @IRDMA_RING_CEQ: completion event queue; entries of 8 bytes
 * @IRDMA_RING_AEQ: asynchronous event queue; entries of 16 bytes
 */
enum irdma_ring_kind {
	IRDMA_RING_WQ,
	IRDMA_RING_CQ32,
	IRDMA_RING_CQ64,
	IRDMA_RING_CQP,
	IRDMA_RING_CEQ,
	IRDMA_RING_AEQ,
};

/**
 * struct irdma_wq_limits - sizes of work queues that the device can have
 * @max_quanta: largest queue
 * @min_wqes: smallest queue, in WQEs
 */
struct irdma_wq_limits {
	u32 max_quanta;
	u32 min_wqes;
};

/**
 * struct irdma_ring_mem - how a queue's memory is divided
 * @page_cnt: hardware pages of 4 KiB behind it
 * @sq_pages: pages of the SQ; 0 but for a QP
 * @rq_pages: pages of the RQ or SRQ
 * @cq_pages: pages of the CQ
 * @cq_shadow: a CQ's shadow area has memory of its own
 */
struct irdma_ring_mem {
	u64 page_cnt;
	u16 sq_pages;
	u16 rq_pages;
	u16 cq_pages;
	bool cq_shadow;
};

u8 irdma_wqe_shift(u32 frags, u32 inline_bytes);
int irdma_wq_depth(u32 wrs, u8 shift, u32 reserved,
		   const struct irdma_wq_limits *limits, u32 *quanta);
int irdma_wq_depth_given(u32 wqes, u8 shift, u32 reserved,
			 const struct irdma_wq_limits *limits, u32 *quanta);
int irdma_cq_depth_user(u32 cqe, u32 max_entries, u32 *entries);
int irdma_cq_depth_kernel(u32 cqe, u32 max_entries, enum irdma_ring_kind kind,
			  u32 *entries);

u64 irdma_ring_bytes(enum irdma_ring_kind kind, u32 depth);
u64 irdma_ring_pages(enum irdma_ring_kind kind, u32 depth);
u64 irdma_ring_mem_bytes(const struct irdma_ring_mem *mem);
int irdma_ring_mem_check_qp(const struct irdma_ring_mem *mem, u32 sq_quanta,
			    u32 rq_quanta);
int irdma_ring_mem_check_srq(const struct irdma_ring_mem *mem, u32 quanta);
int irdma_ring_mem_check_cq(const struct irdma_ring_mem *mem,
			    enum irdma_ring_kind kind, u32 entries);

#endif /* IRDMA_RING_BUF_H */
