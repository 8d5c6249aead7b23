/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_HW_REGS_H
#define IRDMA_HW_REGS_H

#include <linux/bits.h>

#include "hw_mask.h"

/*
 * Registers of generation 3. All are 32 bits wide, little-endian. None has a
 * fixed offset: the register-layout message of the virtual channel announces
 * each, except the two regions here, which tell where to look.
 */

/* Part of BAR 0 that the RDMA function maps itself, in bytes. */
#define IRDMA_PF_REGION_OFFSET		0xbc00000
#define IRDMA_PF_REGION_BYTES		0x401000
#define IRDMA_VF_REGION_OFFSET		0x8c00
#define IRDMA_VF_REGION_BYTES		0x8400

/* Register ids of the layout message. */
enum irdma_reg_id {
	IRDMA_REG_CQP_TAIL	= 0,
	IRDMA_REG_CQP_DB	= 1,
	IRDMA_REG_CQP_STATUS	= 2,
	IRDMA_REG_CQP_CTX_HI	= 3,
	IRDMA_REG_CQP_CTX_LO	= 4,
	IRDMA_REG_CQ_ARM	= 5,
	IRDMA_REG_CQ_ACK	= 6,
	IRDMA_REG_AEQ_POST	= 7,
	IRDMA_REG_CQP_ERR	= 8,
	IRDMA_REG_WQE_DB	= 9,
	IRDMA_REG_IP_CONFIG	= 10,	/* not used */
	IRDMA_REG_DB_PAGE	= 11,	/* BAR offset of the user doorbell page */
	IRDMA_REG_INTR_CTL	= 12,	/* first element */
	IRDMA_REG_CNT		= 13,
};

/* Field ids of the layout message: where a few fields lie in their words. */
enum irdma_field_id {
	IRDMA_FIELD_CQP_STATUS_ERROR	= 2,
	IRDMA_FIELD_CQP_STATUS_DONE	= 5,
	IRDMA_FIELD_STAG_PD		= 6,	/* STag commands, quadword 1 */
	IRDMA_FIELD_CQ_CEQ		= 7,	/* CQ commands, quadword 3 */
	IRDMA_FIELD_CQ_ID		= 8,	/* CQ commands, quadword 3 */
	IRDMA_FIELD_COMMIT_CQ_CNT	= 9,	/* commit FPM answer, CQ word */
	IRDMA_FIELD_SD_HMC_FN		= 10,	/* update SDs, quadword 2 */
	IRDMA_FIELD_CNT			= 11,
};

/* cqp_tail: index of the next WQE that hardware completes. */
#define IRDMA_CQP_TAIL_IDX		GENMASK(10, 0)
#define IRDMA_CQP_TAIL_ERROR		BIT(31)	/* the last command failed */
IRDMA_DISJOINT(IRDMA_CQP_TAIL_IDX, IRDMA_CQP_TAIL_ERROR);

/* cqp_err: code of the last failure. */
#define IRDMA_CQP_ERR_MINOR		GENMASK(15, 0)
#define IRDMA_CQP_ERR_MAJOR		GENMASK(31, 16)
IRDMA_DISJOINT(IRDMA_CQP_ERR_MINOR, IRDMA_CQP_ERR_MAJOR);

/* intr_ctl: one element per vector; 0 disables it. */
#define IRDMA_INTR_CTL_ENABLE		BIT(0)
#define IRDMA_INTR_CTL_CLEAR_PENDING	BIT(1)	/* with every enable */
#define IRDMA_INTR_CTL_ITR_IDX		GENMASK(4, 3)	/* 3: none */
#define IRDMA_INTR_CTL_INTERVAL		GENMASK(16, 5)	/* units of 2 us */
IRDMA_DISJOINT(IRDMA_INTR_CTL_ENABLE, IRDMA_INTR_CTL_CLEAR_PENDING,
	       IRDMA_INTR_CTL_ITR_IDX, IRDMA_INTR_CTL_INTERVAL);

/* Element of vector v: PF base + v * stride, VF base + (v - 1) * stride. */
#define IRDMA_PF_INTR_CTL_STRIDE	0x1000
#define IRDMA_VF_INTR_CTL_STRIDE	4

/* User doorbell page: one 4 KiB page, mapped uncached into user space. */
#define IRDMA_DB_PAGE_BYTES		4096
#define IRDMA_DB_PAGE_WQE_DB		0	/* write the QP id */
#define IRDMA_DB_PAGE_CQ_ARM		64	/* write the CQ id */

#endif /* IRDMA_HW_REGS_H */
