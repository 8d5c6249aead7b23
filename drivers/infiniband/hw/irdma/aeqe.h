/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_AEQE_H
#define IRDMA_AEQE_H

#include <linux/types.h>

#include "hw_ae.h"

/**
 * struct irdma_aeqe - asynchronous event
 * @ctx: context of the object, bits 63:6; bits 5:0 are 0
 * @id: QP or CQ id, 25 bits
 * @wqe_idx: WQE index, or the ticket of a deferred command; 18 bits
 * @code: event code; not necessarily of enum irdma_ae_code
 * @source: enum irdma_ae_source, or a code that is none
 * @qp_state: enum irdma_hw_qp_state
 * @tcp_state: TCP state
 * @q2_written: not 0 when the offending frame is in the QP's Q2 area
 * @overflow: events were lost
 */
struct irdma_aeqe {
	u64 ctx;
	u32 id;
	u32 wqe_idx;
	u16 code;
	u8 source;
	u8 qp_state;
	u8 tcp_state;
	u8 q2_written;
	bool overflow;
};

bool irdma_aeqe_decode(const struct irdma_hw_aeqe *entry, bool polarity,
		       struct irdma_aeqe *aeqe);
bool irdma_ceqe_decode(const __le64 *entry, bool polarity, u64 *cq_ctx);
bool irdma_ceqe_scrub(__le64 *entry, bool polarity, u64 cq_ctx);

#endif /* IRDMA_AEQE_H */
