/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_CQP_WQE_FN_H
#define IRDMA_CQP_WQE_FN_H

#include <linux/types.h>

#include "cqp_wqe.h"
#include "hw_cqe.h"
#include "hw_cqp.h"
#include "hw_qpc.h"

/**
 * struct irdma_cqp_flush_args - flush one or both queues of a QP
 * @qp_id: QP id
 * @sq_code: flush code of the SQ's completions; used when @sq
 * @rq_code: likewise of the RQ's
 * @sq_err_idx: first quantum of the SQ WQE that failed; used when @sq_err_valid
 * @rq_err_idx: likewise of the RQ WQE
 * @sq: flush the SQ
 * @rq: flush the RQ
 * @sq_err_valid: an event named @sq_err_idx
 * @rq_err_valid: an event named @rq_err_idx
 */
struct irdma_cqp_flush_args {
	u32 qp_id;
	enum irdma_flush_code sq_code;
	enum irdma_flush_code rq_code;
	u32 sq_err_idx;
	u32 rq_err_idx;
	bool sq;
	bool rq;
	bool sq_err_valid;
	bool rq_err_valid;
};

void irdma_cqp_enc_flush(struct irdma_cqp_wqe *wqe,
			 const struct irdma_cqp_flush_args *a);
void irdma_cqp_enc_gen_ae(struct irdma_cqp_wqe *wqe, u32 qp_id, u16 code,
			  u8 source);
void irdma_cqp_enc_suspend_qp(struct irdma_cqp_wqe *wqe, u32 qp_id);
void irdma_cqp_enc_resume_qp(struct irdma_cqp_wqe *wqe, u32 qp_id, u32 qset);
void irdma_cqp_enc_upload_qpc(struct irdma_cqp_wqe *wqe, u64 buf_addr,
			      u32 qp_id, enum irdma_hw_qp_type type);

void irdma_cqp_enc_alloc_push_page(struct irdma_cqp_wqe *wqe, u16 qset);
void irdma_cqp_enc_free_push_page(struct irdma_cqp_wqe *wqe, u16 qset,
				  u32 idx);

void irdma_cqp_enc_alloc_stats(struct irdma_cqp_wqe *wqe);
void irdma_cqp_enc_free_stats(struct irdma_cqp_wqe *wqe, u8 instance);
void irdma_cqp_enc_gather_stats(struct irdma_cqp_wqe *wqe, u64 buf_addr);
void irdma_cqp_enc_gather_stats_instance(struct irdma_cqp_wqe *wqe,
					 u64 buf_addr, u8 instance);
void irdma_cqp_enc_up_map(struct irdma_cqp_wqe *wqe, const u8 *map,
			  u16 hmc_fn, bool use_vlan);

void irdma_cqp_enc_query_fpm(struct irdma_cqp_wqe *wqe, u16 hmc_fn,
			     u64 buf_addr);
void irdma_cqp_enc_commit_fpm(struct irdma_cqp_wqe *wqe, u16 hmc_fn,
			      u64 buf_addr, bool fw_buf);
void irdma_cqp_enc_hmc_pages_done(struct irdma_cqp_wqe *wqe, u8 hmc_fn);

/**
 * struct irdma_sd_args - one segment descriptor
 * @addr: bus address of the 2 MiB block (@direct) or of the page of page
 *	  descriptors, aligned to 4096; 0 to clear
 * @idx: segment index, 15 bits
 * @direct: segment is one block
 * @valid: set the descriptor, otherwise clear it
 */
struct irdma_sd_args {
	u64 addr;
	u32 idx;
	bool direct;
	bool valid;
};

/**
 * struct irdma_cqp_sds_args - update segment descriptors
 * @sd: descriptors
 * @side: side buffer of the WQE's slot; written when @cnt is above 3
 * @side_addr: its bus address, aligned to 128
 * @cnt: number of descriptors, 1 to 11
 * @hmc_fn: HMC function id, below 64
 */
struct irdma_cqp_sds_args {
	const struct irdma_sd_args *sd;
	struct irdma_sd_side_buf *side;
	u64 side_addr;
	u32 cnt;
	u8 hmc_fn;
};

int irdma_cqp_enc_update_sds(struct irdma_cqp_wqe *wqe,
			     const struct irdma_cqp_layout *layout,
			     const struct irdma_cqp_sds_args *a);

void irdma_cqp_enc_query_features(struct irdma_cqp_wqe *wqe, u64 buf_addr,
				  u32 buf_bytes);
void irdma_cqp_enc_nop(struct irdma_cqp_wqe *wqe);

/**
 * struct irdma_features - what the device says about itself
 * @cnt: entries that the device has
 * @fw_major: firmware version
 * @fw_minor: firmware version
 * @atomics: remote atomics work
 * @rm2: maxima of query FPM are consistent and committed unchanged
 * @mr_location_known: the device reports where MR contexts are
 * @mr_local: they are in the device's memory
 */
struct irdma_features {
	u16 cnt;
	u16 fw_major;
	u16 fw_minor;
	bool atomics;
	bool rm2;
	bool mr_location_known;
	bool mr_local;
};

int irdma_features_decode(const __le64 *buf, u32 qwords,
			  struct irdma_features *f);

#endif /* IRDMA_CQP_WQE_FN_H */
