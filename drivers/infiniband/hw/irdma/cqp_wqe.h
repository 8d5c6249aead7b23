/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_CQP_WQE_H
#define IRDMA_CQP_WQE_H

#include <linux/types.h>

#include "field.h"
#include "hw_cqp.h"
#include "hw_qpc.h"

/**
 * struct irdma_cqp_layout - fields of commands that the device places
 * @pd_id: low part of the PD id, STag commands, quadword 1
 * @cq_id: low part of the CQ id, CQ commands, quadword 3
 * @ceq_id: low part of the CEQ id, CQ commands, quadword 3
 * @hmc_fn: HMC function id, update SDs, quadword 2
 */
struct irdma_cqp_layout {
	struct irdma_field pd_id;
	struct irdma_field cq_id;
	struct irdma_field ceq_id;
	struct irdma_field hmc_fn;
};

int irdma_cqp_layout_check(const struct irdma_cqp_layout *layout);

/**
 * struct irdma_mem_ref - where the device finds a ring or a region
 * @addr: bus address when @level is 0, ignored otherwise
 * @pble_idx: first page-list entry, or root of two levels; ignored at level 0
 * @level: page-list levels, 0 to 2
 */
struct irdma_mem_ref {
	u64 addr;
	u32 pble_idx;
	u8 level;
};

/**
 * struct irdma_cqp_ctx_args - the control queue itself
 * @sq_addr: bus address of the ring, aligned to 512
 * @cookie: echoed in quadword 1 of each control CQ entry
 * @depth: ring entries; a power of two, 4 to 2048
 */
struct irdma_cqp_ctx_args {
	u64 sq_addr;
	u64 cookie;
	u32 depth;
};

void irdma_cqp_ctx_enc(struct irdma_cqp_ctx *ctx,
		       const struct irdma_cqp_ctx_args *a);

/**
 * struct irdma_cqp_qp_args - create, modify, destroy QP
 * @ctx_addr: bus address of the QP context, valid for the life of the QP
 * @shadow_addr: bus address of the shadow area, likewise
 * @id: QP id
 * @type: QP type
 * @next_state: state to enter; not used by destroy
 * @pbl_mapped: ring addresses in the context are PBLE indices
 * @ord_valid: ORD in the context is new
 * @cq_valid: CQ numbers in the context are new
 * @mac_valid: source MAC in the context is new
 * @arp_valid: ARP index in the context is new
 */
struct irdma_cqp_qp_args {
	u64 ctx_addr;
	u64 shadow_addr;
	u32 id;
	enum irdma_hw_qp_type type;
	enum irdma_hw_qp_state next_state;
	bool pbl_mapped;
	bool ord_valid;
	bool cq_valid;
	bool mac_valid;
	bool arp_valid;
};

void irdma_cqp_enc_create_qp(struct irdma_cqp_wqe *wqe,
			     const struct irdma_cqp_qp_args *a);
void irdma_cqp_enc_modify_qp(struct irdma_cqp_wqe *wqe,
			     const struct irdma_cqp_qp_args *a);
void irdma_cqp_enc_destroy_qp(struct irdma_cqp_wqe *wqe,
			      const struct irdma_cqp_qp_args *a);

/**
 * struct irdma_cqp_cq_args - create, resize, destroy CQ
 * @ring: entries; the new ring for a resize, of destroy only the page list
 * @shadow_addr: bus address of the shadow area, aligned to 64
 * @ctx: returned in CEQ entries; bit 63 is lost
 * @id: CQ id
 * @entries: ring entries of the size that @cqe64 says, up to 1048575
 * @shadow_thresh: when hardware re-reads the consumer index, 18 bits
 * @ceq_id: event queue; used when @ceq_valid, not used by a resize
 * @ceq_valid: CQ raises events
 * @ceqe_mask: no further CEQ entry before the last one was acknowledged
 * @check_overflow: an overrun raises an asynchronous event
 * @cqe64: entries have 64 bytes, otherwise 32
 */
struct irdma_cqp_cq_args {
	struct irdma_mem_ref ring;
	u64 shadow_addr;
	u64 ctx;
	u32 id;
	u32 entries;
	u32 shadow_thresh;
	u16 ceq_id;
	bool ceq_valid;
	bool ceqe_mask;
	bool check_overflow;
	bool cqe64;
};

void irdma_cqp_enc_create_cq(struct irdma_cqp_wqe *wqe,
			     const struct irdma_cqp_layout *layout,
			     const struct irdma_cqp_cq_args *a);
void irdma_cqp_enc_resize_cq(struct irdma_cqp_wqe *wqe,
			     const struct irdma_cqp_layout *layout,
			     const struct irdma_cqp_cq_args *a);
void irdma_cqp_enc_destroy_cq(struct irdma_cqp_wqe *wqe,
			      const struct irdma_cqp_layout *layout,
			      const struct irdma_cqp_cq_args *a);

/**
 * struct irdma_cqp_srq_args - create, modify, destroy SRQ
 * @ring: WQEs; contiguous rings are aligned to 256
 * @shadow_addr: bus address of the shadow area, aligned to 64
 * @ctx: returned in the limit event; bits 5:0 are lost
 * @id: SRQ id
 * @pd_id: protection domain
 * @quanta: ring size in quanta; a power of two, below 8 counts as 8
 * @limit: modify: event when fewer WQEs are left; above 0xfff counts as 0xfff
 * @wqe_shift: log2 of the quanta per WQE, 0 to 3
 */
struct irdma_cqp_srq_args {
	struct irdma_mem_ref ring;
	u64 shadow_addr;
	u64 ctx;
	u32 id;
	u32 pd_id;
	u32 quanta;
	u32 limit;
	u8 wqe_shift;
};

void irdma_cqp_enc_create_srq(struct irdma_cqp_wqe *wqe,
			      const struct irdma_cqp_srq_args *a);
void irdma_cqp_enc_modify_srq(struct irdma_cqp_wqe *wqe,
			      const struct irdma_cqp_srq_args *a);
void irdma_cqp_enc_destroy_srq(struct irdma_cqp_wqe *wqe, u32 id, u64 ctx);

/**
 * struct irdma_cqp_ceq_args - create, destroy CEQ
 * @ring: 8-byte entries, aligned to 256; of destroy only the page list
 * @entries: ring entries, up to 262143
 * @id: CEQ id
 */
struct irdma_cqp_ceq_args {
	struct irdma_mem_ref ring;
	u32 entries;
	u16 id;
};

void irdma_cqp_enc_create_ceq(struct irdma_cqp_wqe *wqe,
			      const struct irdma_cqp_ceq_args *a);
void irdma_cqp_enc_destroy_ceq(struct irdma_cqp_wqe *wqe,
			       const struct irdma_cqp_ceq_args *a);
void irdma_cqp_enc_create_aeq(struct irdma_cqp_wqe *wqe, u64 ring_addr,
			      u32 entries);
void irdma_cqp_enc_destroy_aeq(struct irdma_cqp_wqe *wqe, u32 entries);

#endif /* IRDMA_CQP_WQE_H */
