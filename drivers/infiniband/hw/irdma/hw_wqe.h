/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_HW_WQE_H
#define IRDMA_HW_WQE_H

#include <linux/bits.h>
#include <linux/types.h>

#include "hw_mask.h"

/*
 * Work queues are counted in quanta of 32 bytes. An SQ WQE is 1 to 8 quanta
 * and does not cross a chunk of 8; an RQ or SRQ WQE has the fixed size of its
 * queue. The header is quadword 3; bit 63 of the second and fourth quadword
 * of every further quantum repeats the valid bit.
 */
struct irdma_quantum {
	__le64 qw[4];
};

static_assert(sizeof(struct irdma_quantum) == 32);

#define IRDMA_QUANTUM_BYTES		32
#define IRDMA_QUANTUM_QWORDS		4
#define IRDMA_WQE_MAX_QUANTA		8	/* also the chunk */
#define IRDMA_WQE_HDR			3	/* quadword with opcode and valid */
#define IRDMA_WQE_MAX_FRAGS		14
#define IRDMA_WQE_MAX_INLINE		216	/* bytes */

enum irdma_sq_op {
	IRDMA_SQ_OP_WRITE		= 0x00,
	IRDMA_SQ_OP_READ		= 0x01,
	IRDMA_SQ_OP_SEND		= 0x03,
	IRDMA_SQ_OP_SEND_INV		= 0x04,
	IRDMA_SQ_OP_SEND_SOL		= 0x05,
	IRDMA_SQ_OP_SEND_INV_SOL	= 0x06,
	IRDMA_SQ_OP_BIND		= 0x08,
	IRDMA_SQ_OP_FAST_REG		= 0x09,
	IRDMA_SQ_OP_LOCAL_INV		= 0x0a,
	IRDMA_SQ_OP_READ_INV		= 0x0b,
	IRDMA_SQ_OP_NOP			= 0x0c,
	IRDMA_SQ_OP_WRITE_SOL		= 0x0d,
	IRDMA_SQ_OP_FETCH_ADD		= 0x0f,
	IRDMA_SQ_OP_CMP_SWAP		= 0x11,
};

/* Header, quadword 3. The fields of bits 41 to 59 depend on the opcode. */
#define IRDMA_SQ_QW3_STAG		GENMASK_ULL(31, 0)	/* remote, or to invalidate */
#define IRDMA_SQ_QW3_AH_IDX		GENMASK_ULL(24, 0)	/* UD */
#define IRDMA_SQ_QW3_OPCODE		GENMASK_ULL(37, 32)
#define IRDMA_SQ_QW3_ADD_FRAGS		GENMASK_ULL(41, 38)	/* beyond the first */
#define IRDMA_SQ_QW3_IMM		BIT_ULL(47)
#define IRDMA_SQ_QW3_INLINE_LEN		GENMASK_ULL(55, 48)
#define IRDMA_SQ_QW3_PUSH		BIT_ULL(56)
#define IRDMA_SQ_QW3_INLINE		BIT_ULL(57)
#define IRDMA_SQ_QW3_READ_FENCE		BIT_ULL(60)
#define IRDMA_SQ_QW3_LOCAL_FENCE	BIT_ULL(61)
#define IRDMA_SQ_QW3_SIGNALED		BIT_ULL(62)
#define IRDMA_SQ_QW3_VALID		BIT_ULL(63)
IRDMA_DISJOINT(IRDMA_SQ_QW3_STAG, IRDMA_SQ_QW3_OPCODE, IRDMA_SQ_QW3_ADD_FRAGS,
	       IRDMA_SQ_QW3_IMM, IRDMA_SQ_QW3_INLINE_LEN, IRDMA_SQ_QW3_PUSH,
	       IRDMA_SQ_QW3_INLINE, IRDMA_SQ_QW3_READ_FENCE,
	       IRDMA_SQ_QW3_LOCAL_FENCE, IRDMA_SQ_QW3_SIGNALED,
	       IRDMA_SQ_QW3_VALID);

/* Fragment: address, then this word. */
#define IRDMA_FRAG_STAG			GENMASK_ULL(31, 0)
#define IRDMA_FRAG_LEN			GENMASK_ULL(62, 32)
#define IRDMA_FRAG_VALID		BIT_ULL(63)
IRDMA_DISJOINT(IRDMA_FRAG_STAG, IRDMA_FRAG_LEN, IRDMA_FRAG_VALID);

/* UD send, quadword 2. */
#define IRDMA_SQ_UD_QW2_QKEY		GENMASK_ULL(31, 0)
#define IRDMA_SQ_UD_QW2_DEST_QPN	GENMASK_ULL(55, 32)
IRDMA_DISJOINT(IRDMA_SQ_UD_QW2_QKEY, IRDMA_SQ_UD_QW2_DEST_QPN);

/*
 * Inline data: 8 bytes at offset 8, then 31 bytes at the start of each
 * further quantum; the last byte of such a quantum holds the valid bit.
 */
#define IRDMA_INLINE_FIRST_OFFSET	8
#define IRDMA_INLINE_FIRST_BYTES	8
#define IRDMA_INLINE_NEXT_BYTES		31
#define IRDMA_INLINE_VALID		BIT(7)

/* Bind memory window. qw0: address; qw2: length. */
#define IRDMA_SQ_BIND_QW1_MW_STAG	GENMASK_ULL(31, 0)
#define IRDMA_SQ_BIND_QW1_MR_STAG	GENMASK_ULL(63, 32)
IRDMA_DISJOINT(IRDMA_SQ_BIND_QW1_MW_STAG, IRDMA_SQ_BIND_QW1_MR_STAG);

#define IRDMA_SQ_QW3_RIGHTS		GENMASK_ULL(52, 48)
#define IRDMA_SQ_QW3_VA_BASED		BIT_ULL(53)
#define IRDMA_SQ_QW3_MW_TYPE1		BIT_ULL(54)
#define IRDMA_SQ_QW3_ATOMIC		BIT_ULL(55)
IRDMA_DISJOINT(IRDMA_SQ_QW3_OPCODE, IRDMA_SQ_QW3_RIGHTS, IRDMA_SQ_QW3_VA_BASED,
	       IRDMA_SQ_QW3_MW_TYPE1, IRDMA_SQ_QW3_ATOMIC,
	       IRDMA_SQ_QW3_READ_FENCE, IRDMA_SQ_QW3_LOCAL_FENCE,
	       IRDMA_SQ_QW3_SIGNALED, IRDMA_SQ_QW3_VALID);

/* Local invalidate. */
#define IRDMA_SQ_INV_QW1_STAG		GENMASK_ULL(31, 0)

/* Fast register. qw0: address, or offset into the first page. */
#define IRDMA_SQ_REG_QW1_PBLE_HIGH	GENMASK_ULL(11, 0)	/* index 27:16 */
#define IRDMA_SQ_REG_QW1_PAGE_ADDR	GENMASK_ULL(63, 12)	/* in place */
IRDMA_DISJOINT(IRDMA_SQ_REG_QW1_PBLE_HIGH, IRDMA_SQ_REG_QW1_PAGE_ADDR);
#define IRDMA_SQ_REG_QW2_LEN		GENMASK_ULL(40, 0)
#define IRDMA_SQ_REG_QW2_PBLE_LOW	GENMASK_ULL(63, 48)	/* index 15:0 */
IRDMA_DISJOINT(IRDMA_SQ_REG_QW2_LEN, IRDMA_SQ_REG_QW2_PBLE_LOW);
#define IRDMA_SQ_REG_PBLE_LOW_BITS	16	/* below PBLE_HIGH */
#define IRDMA_SQ_REG_QW3_LEAF_PBL	GENMASK_ULL(45, 44)
#define IRDMA_SQ_REG_QW3_PAGE_SIZE	GENMASK_ULL(47, 46)
IRDMA_DISJOINT(IRDMA_SQ_QW3_STAG, IRDMA_SQ_QW3_OPCODE,
	       IRDMA_SQ_REG_QW3_LEAF_PBL, IRDMA_SQ_REG_QW3_PAGE_SIZE,
	       IRDMA_SQ_QW3_RIGHTS, IRDMA_SQ_QW3_VA_BASED, IRDMA_SQ_QW3_ATOMIC,
	       IRDMA_SQ_QW3_READ_FENCE, IRDMA_SQ_QW3_LOCAL_FENCE,
	       IRDMA_SQ_QW3_SIGNALED, IRDMA_SQ_QW3_VALID);

/* Atomics, two quanta. qw4: addend or swap value; qw5: compare value. */
#define IRDMA_SQ_ATOMIC_QW1_STAG	GENMASK_ULL(31, 0)
#define IRDMA_ATOMIC_BYTES		8

/* Receive WQE, quadword 3; an SRQ WQE has the wr_id in quadword 2. */
#define IRDMA_RQ_QW3_ADD_FRAGS		GENMASK_ULL(41, 38)
#define IRDMA_RQ_QW3_VALID		BIT_ULL(63)
IRDMA_DISJOINT(IRDMA_RQ_QW3_ADD_FRAGS, IRDMA_RQ_QW3_VALID);

/* Shadow areas, 64 bytes, aligned to 64. */
#define IRDMA_SHADOW_BYTES		64

struct irdma_qp_shadow {
	__le64 qw[8];
};

static_assert(sizeof(struct irdma_qp_shadow) == IRDMA_SHADOW_BYTES);

#define IRDMA_QP_SHADOW_QW0_SQ_TAIL	GENMASK_ULL(14, 0)	/* hardware writes */

struct irdma_srq_shadow {
	__le64 qw[8];	/* qw0: producer index in WQEs, software writes */
};

static_assert(sizeof(struct irdma_srq_shadow) == IRDMA_SHADOW_BYTES);

#endif /* IRDMA_HW_WQE_H */
