/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_HW_FPM_H
#define IRDMA_HW_FPM_H

#include <linux/bits.h>
#include <linux/types.h>

#include "hw_mask.h"

/* ---- The function's private memory (FPM) ---- */

#define IRDMA_HMC_PAGE_BYTES		0x1000
#define IRDMA_HMC_PAGE_SHIFT		12
#define IRDMA_HMC_SEGMENT_BYTES		0x200000	/* one segment descriptor */
#define IRDMA_HMC_SEGMENT_SHIFT		21
#define IRDMA_HMC_SEGMENT_PAGES		512
#define IRDMA_HMC_BASE_UNIT_BYTES	512		/* of object bases */
#define IRDMA_HMC_BASE_UNIT_SHIFT	9
#define IRDMA_HMC_MAX_SEGMENTS		8192
#define IRDMA_HMC_SEGMENT_PBLES		0x40000
#define IRDMA_HMC_SEGMENT_MRS		0x8000
#define IRDMA_HMC_MAX_FN_ID		63

#define IRDMA_PBLE_BYTES		8
#define IRDMA_FREE_LIST_ENTRY_BYTES	4

/* Page-descriptor page of a paged segment: 512 quadwords. */
#define IRDMA_PD_VALID			BIT_ULL(0)
#define IRDMA_PD_ADDR			GENMASK_ULL(63, 12)	/* in place */
IRDMA_DISJOINT(IRDMA_PD_VALID, IRDMA_PD_ADDR);

/* Object types, in creation order of the interface's numbering. */
enum irdma_hmc_obj {
	IRDMA_HMC_QP		= 0,
	IRDMA_HMC_CQ		= 1,
	IRDMA_HMC_SRQ		= 2,
	IRDMA_HMC_HTE		= 3,	/* connection hash table */
	IRDMA_HMC_ARP		= 4,
	IRDMA_HMC_APBVT		= 5,	/* port table; none on generation 3 */
	IRDMA_HMC_MR		= 6,
	IRDMA_HMC_XF		= 7,	/* transmit elements */
	IRDMA_HMC_XF_FL		= 8,	/* _FL: free list of the blocks of .. */
	IRDMA_HMC_Q1		= 9,	/* inbound reads */
	IRDMA_HMC_Q1_FL		= 10,
	IRDMA_HMC_TIMER		= 11,
	IRDMA_HMC_MCG		= 12,	/* multicast groups */
	IRDMA_HMC_AH		= 13,
	IRDMA_HMC_PBLE		= 14,
	IRDMA_HMC_RRF		= 15,	/* read responses */
	IRDMA_HMC_RRF_FL	= 16,
	IRDMA_HMC_HDR		= 17,	/* packet header templates */
	IRDMA_HMC_MD		= 18,	/* metadata */
	IRDMA_HMC_OO		= 19,	/* out-of-order state */
	IRDMA_HMC_OO_FL		= 20,
	IRDMA_HMC_OBJ_CNT	= 21,
};

/* ---- Query FPM: 200 bytes, hardware writes ---- */

#define IRDMA_FPM_QUERY_QWORDS		25

struct irdma_fpm_query {
	__le64 qw[IRDMA_FPM_QUERY_QWORDS];
};

static_assert(sizeof(struct irdma_fpm_query) == 200);

/* Quadwords of the answer. */
enum irdma_fpm_query_word {
	IRDMA_FPM_QUERY_SD	= 0,
	IRDMA_FPM_QUERY_QP	= 1,
	IRDMA_FPM_QUERY_CQ	= 2,
	IRDMA_FPM_QUERY_SRQ	= 3,
	IRDMA_FPM_QUERY_HTE	= 4,
	IRDMA_FPM_QUERY_ARP	= 5,
	IRDMA_FPM_QUERY_MR	= 6,
	IRDMA_FPM_QUERY_XF	= 7,
	IRDMA_FPM_QUERY_XF_FL	= 8,
	IRDMA_FPM_QUERY_Q1	= 9,
	IRDMA_FPM_QUERY_Q1_FL	= 10,
	IRDMA_FPM_QUERY_TIMER	= 11,
	IRDMA_FPM_QUERY_MCG	= 12,
	IRDMA_FPM_QUERY_AH	= 13,
	IRDMA_FPM_QUERY_PBLE	= 14,
	IRDMA_FPM_QUERY_MISC	= 15,
	IRDMA_FPM_QUERY_RRF	= 16,
	IRDMA_FPM_QUERY_RRF_FL	= 17,
	IRDMA_FPM_QUERY_HDR	= 18,
	IRDMA_FPM_QUERY_MD	= 19,
	IRDMA_FPM_QUERY_OO	= 20,
	IRDMA_FPM_QUERY_OO_FL	= 21,
	IRDMA_FPM_QUERY_LOCAL	= 22,
	IRDMA_FPM_QUERY_FW_BUF0	= 23,	/* bytes */
	IRDMA_FPM_QUERY_FW_BUF1	= 24,	/* bytes */
};

/* Object words; those of free lists and of PBLE deviate. */
#define IRDMA_FPM_QUERY_OBJ_MAX		GENMASK_ULL(31, 0)
#define IRDMA_FPM_QUERY_OBJ_SIZE_LOG2	GENMASK_ULL(63, 32)	/* bytes */
#define IRDMA_FPM_QUERY_FL_BLOCK	GENMASK_ULL(63, 32)	/* elements */
IRDMA_DISJOINT(IRDMA_FPM_QUERY_OBJ_MAX, IRDMA_FPM_QUERY_OBJ_SIZE_LOG2);
IRDMA_DISJOINT(IRDMA_FPM_QUERY_OBJ_MAX, IRDMA_FPM_QUERY_FL_BLOCK);

#define IRDMA_FPM_QUERY_SD_FIRST	GENMASK_ULL(13, 0)
#define IRDMA_FPM_QUERY_SD_CNT		GENMASK_ULL(47, 32)
IRDMA_DISJOINT(IRDMA_FPM_QUERY_SD_FIRST, IRDMA_FPM_QUERY_SD_CNT);

#define IRDMA_FPM_QUERY_MISC_CEQS	GENMASK_ULL(9, 0)
#define IRDMA_FPM_QUERY_MISC_HT_MULT	GENMASK_ULL(19, 16)
#define IRDMA_FPM_QUERY_MISC_TIMER	GENMASK_ULL(47, 32)	/* bucket unit */
#define IRDMA_FPM_QUERY_MISC_MAX_IRD	GENMASK_ULL(53, 50)	/* code; RM2 only */
IRDMA_DISJOINT(IRDMA_FPM_QUERY_MISC_CEQS, IRDMA_FPM_QUERY_MISC_HT_MULT,
	       IRDMA_FPM_QUERY_MISC_TIMER, IRDMA_FPM_QUERY_MISC_MAX_IRD);

#define IRDMA_FPM_QUERY_LOCAL_PAGES	GENMASK_ULL(63, 32)	/* of 2 MiB */

/* ---- Commit FPM: 208 bytes, counts in, counts and bases out ---- */

#define IRDMA_FPM_COMMIT_QWORDS		26
#define IRDMA_FPM_COMMIT_BYTES		208

struct irdma_fpm_commit {
	__le64 qw[IRDMA_FPM_COMMIT_QWORDS];
};

static_assert(sizeof(struct irdma_fpm_commit) == IRDMA_FPM_COMMIT_BYTES);

/* Quadwords of request and answer. */
enum irdma_fpm_commit_word {
	IRDMA_FPM_COMMIT_QP		= 0,
	IRDMA_FPM_COMMIT_CQ		= 1,
	IRDMA_FPM_COMMIT_SRQ		= 2,
	IRDMA_FPM_COMMIT_HTE		= 3,
	IRDMA_FPM_COMMIT_ARP		= 4,
	IRDMA_FPM_COMMIT_APBVT		= 5,
	IRDMA_FPM_COMMIT_MR		= 6,
	IRDMA_FPM_COMMIT_XF		= 7,
	IRDMA_FPM_COMMIT_XF_FL		= 8,
	IRDMA_FPM_COMMIT_Q1		= 9,
	IRDMA_FPM_COMMIT_Q1_FL		= 10,
	IRDMA_FPM_COMMIT_TIMER		= 11,
	IRDMA_FPM_COMMIT_MCG		= 12,
	IRDMA_FPM_COMMIT_AH		= 13,
	IRDMA_FPM_COMMIT_PBLE		= 14,
	IRDMA_FPM_COMMIT_RRF		= 16,
	IRDMA_FPM_COMMIT_RRF_FL		= 17,
	IRDMA_FPM_COMMIT_HDR		= 18,
	IRDMA_FPM_COMMIT_MD		= 19,
	IRDMA_FPM_COMMIT_OO		= 20,
	IRDMA_FPM_COMMIT_OO_FL		= 21,
	IRDMA_FPM_COMMIT_FW_BUF0	= 24,	/* bus address, request */
	IRDMA_FPM_COMMIT_FW_BUF1	= 25,	/* bus address, request */
};

/* Request: count, placed in local memory on demand. */
#define IRDMA_FPM_COMMIT_LOCAL_MEM	BIT_ULL(63)
/* Answer. The count of the CQ word is announced (field COMMIT_CQ_CNT). */
#define IRDMA_FPM_COMMIT_CNT		GENMASK_ULL(31, 0)
#define IRDMA_FPM_COMMIT_QP_CNT		GENMASK_ULL(20, 0)
#define IRDMA_FPM_COMMIT_BASE		GENMASK_ULL(63, 32)	/* units of 512 */
IRDMA_DISJOINT(IRDMA_FPM_COMMIT_CNT, IRDMA_FPM_COMMIT_BASE);
IRDMA_DISJOINT(IRDMA_FPM_COMMIT_CNT, IRDMA_FPM_COMMIT_LOCAL_MEM);

#endif /* IRDMA_HW_FPM_H */
