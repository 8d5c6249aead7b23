/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_CQP_ENC_H
#define IRDMA_CQP_ENC_H

#include <linux/array_size.h>
#include <linux/bitfield.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "cqp_wqe.h"
#include "hw_cqp.h"

/**
 * irdma_cqp_start - clear a WQE and write its header, without the valid bit
 * @wqe: WQE
 * @op: command
 * @hdr: the command's own fields of quadword 3
 */
static inline void irdma_cqp_start(struct irdma_cqp_wqe *wqe,
				   enum irdma_cqp_op op, u64 hdr)
{
	*wqe = (struct irdma_cqp_wqe){};
	wqe->qw[IRDMA_CQP_HDR] =
		cpu_to_le64(FIELD_PREP(IRDMA_CQP_QW3_OPCODE, op) | hdr);
}

static inline void irdma_cqp_set(struct irdma_cqp_wqe *wqe, unsigned int qw,
				 u64 val)
{
	wqe->qw[qw] = cpu_to_le64(val);
}

/**
 * irdma_cqp_leaf_pbl - how the header names a page list
 * @mem: ring or region
 *
 * Return: field of quadword 3.
 */
static inline u64 irdma_cqp_leaf_pbl(const struct irdma_mem_ref *mem)
{
	static const u8 code[] = {
		IRDMA_PBL_CODE_CONTIG,
		IRDMA_PBL_CODE_LEVEL1,
		IRDMA_PBL_CODE_LEVEL2,
	};

	return FIELD_PREP(IRDMA_CQP_QW3_LEAF_PBL,
			  code[min(mem->level, ARRAY_SIZE(code) - 1)]);
}

/**
 * irdma_cqp_set_pbl - name the first entry of a page list, if there is one
 * @wqe: WQE
 * @mem: ring or region
 */
static inline void irdma_cqp_set_pbl(struct irdma_cqp_wqe *wqe,
				     const struct irdma_mem_ref *mem)
{
	if (mem->level)
		irdma_cqp_set(wqe, 6, FIELD_PREP(IRDMA_CQP_QW6_PBLE_IDX,
						 mem->pble_idx));
}

/**
 * irdma_cqp_set_mem - say where a ring or a region is: address or page list
 * @wqe: WQE
 * @mem: ring or region
 */
static inline void irdma_cqp_set_mem(struct irdma_cqp_wqe *wqe,
				     const struct irdma_mem_ref *mem)
{
	if (!mem->level)
		irdma_cqp_set(wqe, 4, mem->addr);
	irdma_cqp_set_pbl(wqe, mem);
}

#endif /* IRDMA_CQP_ENC_H */
