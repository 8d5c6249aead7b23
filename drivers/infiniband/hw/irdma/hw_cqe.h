/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_HW_CQE_H
#define IRDMA_HW_CQE_H

#include <linux/bits.h>
#include <linux/types.h>

#include "hw_mask.h"

/* Entry of the control CQ: 32 bytes. */
struct irdma_cqe32 {
	__le64 qw[4];
};

static_assert(sizeof(struct irdma_cqe32) == 32);

/* Entry of a consumer CQ: 64 bytes, quadwords 4 to 7 are the extended part. */
struct irdma_cqe64 {
	__le64 qw[8];
};

static_assert(sizeof(struct irdma_cqe64) == 64);

#define IRDMA_CQ_RING_ALIGN		256

/* ---- Consumer CQ ---- */

#define IRDMA_CQE_QW0_LEN		GENMASK_ULL(31, 0)	/* RQ, bytes */
#define IRDMA_CQE_QW0_TIMESTAMP		GENMASK_ULL(63, 32)	/* 1 GHz clock */
IRDMA_DISJOINT(IRDMA_CQE_QW0_LEN, IRDMA_CQE_QW0_TIMESTAMP);

/* qw1: QP completion context; of an SRQ completion the wr_id. */

#define IRDMA_CQE_QW2_INV_STAG		GENMASK_ULL(31, 0)	/* with QW3_INV_IPV4 */
#define IRDMA_CQE_QW2_SRC_QPN		GENMASK_ULL(31, 0)	/* UD */
#define IRDMA_CQE_QW2_QP_ID		GENMASK_ULL(55, 32)
IRDMA_DISJOINT(IRDMA_CQE_QW2_INV_STAG, IRDMA_CQE_QW2_QP_ID);
IRDMA_DISJOINT(IRDMA_CQE_QW2_SRC_QPN, IRDMA_CQE_QW2_QP_ID);

#define IRDMA_CQE_QW3_MINOR		GENMASK_ULL(15, 0)
#define IRDMA_CQE_QW3_MAJOR		GENMASK_ULL(31, 16)
#define IRDMA_CQE_QW3_WQE_IDX		GENMASK_ULL(46, 32)	/* quanta */
#define IRDMA_CQE_QW3_EXTENDED		BIT_ULL(50)
#define IRDMA_CQE_QW3_PUSH_DROPPED	BIT_ULL(51)
#define IRDMA_CQE_QW3_SRQ		BIT_ULL(52)
#define IRDMA_CQE_QW3_INV_IPV4		BIT_ULL(53)	/* RC: STag invalidated; UD: IPv4 */
#define IRDMA_CQE_QW3_SOLICITED		BIT_ULL(54)
#define IRDMA_CQE_QW3_ERROR		BIT_ULL(55)
#define IRDMA_CQE_QW3_OPCODE		GENMASK_ULL(61, 56)
#define IRDMA_CQE_QW3_SQ		BIT_ULL(62)
#define IRDMA_CQE_QW3_VALID		BIT_ULL(63)
IRDMA_DISJOINT(IRDMA_CQE_QW3_MINOR, IRDMA_CQE_QW3_MAJOR,
	       IRDMA_CQE_QW3_WQE_IDX, IRDMA_CQE_QW3_EXTENDED,
	       IRDMA_CQE_QW3_PUSH_DROPPED, IRDMA_CQE_QW3_SRQ,
	       IRDMA_CQE_QW3_INV_IPV4, IRDMA_CQE_QW3_SOLICITED,
	       IRDMA_CQE_QW3_ERROR, IRDMA_CQE_QW3_OPCODE, IRDMA_CQE_QW3_SQ,
	       IRDMA_CQE_QW3_VALID);

#define IRDMA_CQE_QW4_IMM		GENMASK_ULL(31, 0)	/* number, CPU order */

/* qw5: QP completion context of an SRQ completion. */

#define IRDMA_CQE_QW6_SMAC		GENMASK_ULL(47, 0)
#define IRDMA_CQE_QW6_VLAN_TAG		GENMASK_ULL(63, 48)
IRDMA_DISJOINT(IRDMA_CQE_QW6_SMAC, IRDMA_CQE_QW6_VLAN_TAG);

#define IRDMA_CQE_QW7_VLAN_VALID	BIT_ULL(60)
#define IRDMA_CQE_QW7_SMAC_VALID	BIT_ULL(61)
#define IRDMA_CQE_QW7_IMM_VALID		BIT_ULL(62)
#define IRDMA_CQE_QW7_VALID		BIT_ULL(63)
IRDMA_DISJOINT(IRDMA_CQE_QW7_VLAN_VALID, IRDMA_CQE_QW7_SMAC_VALID,
	       IRDMA_CQE_QW7_IMM_VALID, IRDMA_CQE_QW7_VALID);

/* Operation types of receive completions; others are SQ opcodes (hw_wqe.h). */
#define IRDMA_CQE_OP_RECV		0x3e
#define IRDMA_CQE_OP_RECV_IMM		0x3f

#define IRDMA_CQE_MAJOR_FLUSH		0x0001	/* minor: enum irdma_flush_code */
#define IRDMA_CQE_MAJOR_SRQ_FLUSH	0xfffe	/* minor: event code */
#define IRDMA_CQE_MAJOR_CLASS		GENMASK(15, 12)
#define IRDMA_CQE_CLASS_UD_SOFT		0xe	/* a datagram is lost, no more */

/* Flush codes: what a flush command asks for and its completions carry. */
enum irdma_flush_code {
	IRDMA_FLUSH_INVALID		= 0,
	IRDMA_FLUSH_GENERAL		= 1,
	IRDMA_FLUSH_PROTECTION		= 2,
	IRDMA_FLUSH_REMOTE_ACCESS	= 3,
	IRDMA_FLUSH_LOCAL_QP_OP		= 4,
	IRDMA_FLUSH_REMOTE_OP		= 5,
	IRDMA_FLUSH_LOCAL_LEN		= 6,
	IRDMA_FLUSH_FATAL		= 7,
	IRDMA_FLUSH_RETRY_EXCEEDED	= 8,
	IRDMA_FLUSH_MW_BIND		= 9,
	IRDMA_FLUSH_REMOTE_INV_REQ	= 10,
	IRDMA_FLUSH_RNR_EXCEEDED	= 11,
};

/* ---- Control CQ ---- */

/* qw1: completion context of the control QP. */
#define IRDMA_CCQE_QW2_RETVAL		GENMASK_ULL(31, 0)
#define IRDMA_CCQE_QW2_TICKET		GENMASK_ULL(63, 32)	/* deferred, pending */
IRDMA_DISJOINT(IRDMA_CCQE_QW2_RETVAL, IRDMA_CCQE_QW2_TICKET);

#define IRDMA_CCQE_QW3_MINOR		GENMASK_ULL(15, 0)
#define IRDMA_CCQE_QW3_MAJOR		GENMASK_ULL(31, 16)
#define IRDMA_CCQE_QW3_WQE_IDX		GENMASK_ULL(46, 32)
#define IRDMA_CCQE_QW3_OOO_FINAL	BIT_ULL(54)
#define IRDMA_CCQE_QW3_ERROR		BIT_ULL(55)
#define IRDMA_CCQE_QW3_SQ		BIT_ULL(62)
#define IRDMA_CCQE_QW3_VALID		BIT_ULL(63)
IRDMA_DISJOINT(IRDMA_CCQE_QW3_MINOR, IRDMA_CCQE_QW3_MAJOR,
	       IRDMA_CCQE_QW3_WQE_IDX, IRDMA_CCQE_QW3_OOO_FINAL,
	       IRDMA_CCQE_QW3_ERROR, IRDMA_CCQE_QW3_SQ, IRDMA_CCQE_QW3_VALID);

/* ---- CQ shadow area: 64 bytes, aligned to 64, software writes ---- */

struct irdma_cq_shadow {
	__le64 qw[8];
};

static_assert(sizeof(struct irdma_cq_shadow) == 64);

#define IRDMA_CQ_SHADOW_QW0_IDX		GENMASK_ULL(19, 0)

#define IRDMA_CQ_SHADOW_QW4_SELECT	GENMASK_ULL(13, 0)	/* rings retired */
#define IRDMA_CQ_SHADOW_QW4_ARM_NEXT	BIT_ULL(14)
#define IRDMA_CQ_SHADOW_QW4_ARM_SOL	BIT_ULL(15)
#define IRDMA_CQ_SHADOW_QW4_ARM_SEQ	GENMASK_ULL(17, 16)
IRDMA_DISJOINT(IRDMA_CQ_SHADOW_QW4_SELECT, IRDMA_CQ_SHADOW_QW4_ARM_NEXT,
	       IRDMA_CQ_SHADOW_QW4_ARM_SOL, IRDMA_CQ_SHADOW_QW4_ARM_SEQ);

#endif /* IRDMA_HW_CQE_H */
