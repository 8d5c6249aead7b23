// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Control commands that flush, suspend and upload a QP, and those of the
 * function: push pages, statistics, host memory cache, features.
 *
 * The encoders' common rules are those of cqp_wqe.c. Pure functions, any
 * context.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "cqp_enc.h"
#include "cqp_wqe_fn.h"
#include "hw_fpm.h"

/**
 * irdma_cqp_enc_flush - complete the outstanding WQEs of a QP in error
 * @wqe: WQE
 * @a: arguments
 */
void irdma_cqp_enc_flush(struct irdma_cqp_wqe *wqe,
			 const struct irdma_cqp_flush_args *a)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_FLUSH_WQES,
			FIELD_PREP(IRDMA_CQP_FLUSH_QW3_QP_ID, a->qp_id) |
			FIELD_PREP(IRDMA_CQP_FLUSH_QW3_SQ_ERR_VALID,
				   a->sq_err_valid) |
			FIELD_PREP(IRDMA_CQP_FLUSH_QW3_RQ_ERR_VALID,
				   a->rq_err_valid) |
			IRDMA_CQP_FLUSH_QW3_USE_CODES |
			FIELD_PREP(IRDMA_CQP_FLUSH_QW3_SQ, a->sq) |
			FIELD_PREP(IRDMA_CQP_FLUSH_QW3_RQ, a->rq));
	if (a->sq)
		wqe->qw[2] |= cpu_to_le64(FIELD_PREP(IRDMA_CQP_FLUSH_QW2_SQ_MINOR,
						     a->sq_code) |
					  FIELD_PREP(IRDMA_CQP_FLUSH_QW2_SQ_MAJOR,
						     IRDMA_CQE_MAJOR_FLUSH));
	if (a->rq)
		wqe->qw[2] |= cpu_to_le64(FIELD_PREP(IRDMA_CQP_FLUSH_QW2_RQ_MINOR,
						     a->rq_code) |
					  FIELD_PREP(IRDMA_CQP_FLUSH_QW2_RQ_MAJOR,
						     IRDMA_CQE_MAJOR_FLUSH));
	if (a->sq_err_valid)
		irdma_cqp_set(wqe, 5, FIELD_PREP(IRDMA_CQP_FLUSH_QW5_SQ_ERR_IDX,
						 a->sq_err_idx));
	if (a->rq_err_valid)
		irdma_cqp_set(wqe, 6, FIELD_PREP(IRDMA_CQP_FLUSH_QW6_RQ_ERR_IDX,
						 a->rq_err_idx));
}

/**
 * irdma_cqp_enc_gen_ae - make the device raise an asynchronous event
 * @wqe: WQE
 * @qp_id: QP that the event names
 * @code: event code
 * @source: source code
 */
void irdma_cqp_enc_gen_ae(struct irdma_cqp_wqe *wqe, u32 qp_id, u16 code,
			  u8 source)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_FLUSH_WQES,
			FIELD_PREP(IRDMA_CQP_FLUSH_QW3_QP_ID, qp_id) |
			IRDMA_CQP_FLUSH_QW3_GEN_AE);
	irdma_cqp_set(wqe, 1, FIELD_PREP(IRDMA_CQP_FLUSH_QW1_AE_CODE, code) |
			      FIELD_PREP(IRDMA_CQP_FLUSH_QW1_AE_SOURCE,
					 source));
}

/**
 * irdma_cqp_enc_suspend_qp - stop a QP; its event SUSPEND_DONE tells the end
 * @wqe: WQE
 * @qp_id: QP id
 */
void irdma_cqp_enc_suspend_qp(struct irdma_cqp_wqe *wqe, u32 qp_id)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_SUSPEND_QP,
			FIELD_PREP(IRDMA_CQP_SUSPEND_QW3_QP_ID, qp_id));
}

/**
 * irdma_cqp_enc_resume_qp - let a suspended QP run
 * @wqe: WQE
 * @qp_id: QP id
 * @qset: its queue-set handle from now on
 */
void irdma_cqp_enc_resume_qp(struct irdma_cqp_wqe *wqe, u32 qp_id, u32 qset)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_RESUME_QP,
			FIELD_PREP(IRDMA_CQP_SUSPEND_QW3_QP_ID, qp_id));
	irdma_cqp_set(wqe, 2, FIELD_PREP(IRDMA_CQP_RESUME_QW2_QSET, qset));
}

/**
 * irdma_cqp_enc_upload_qpc - copy the device's QP context to memory
 * @wqe: WQE
 * @buf_addr: bus address of a struct irdma_qpc
 * @qp_id: QP id
 * @type: QP type
 */
void irdma_cqp_enc_upload_qpc(struct irdma_cqp_wqe *wqe, u64 buf_addr,
			      u32 qp_id, enum irdma_hw_qp_type type)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_UPLOAD_QPC,
			FIELD_PREP(IRDMA_CQP_UPLOAD_QW3_QP_ID, qp_id) |
			FIELD_PREP(IRDMA_CQP_UPLOAD_QW3_TYPE, type));
	irdma_cqp_set(wqe, 2, buf_addr);
}

/**
 * irdma_cqp_enc_alloc_push_page - allocate a push page
 * @wqe: WQE
 * @qset: queue-set handle
 *
 * The completion's return value is the index.
 */
void irdma_cqp_enc_alloc_push_page(struct irdma_cqp_wqe *wqe, u16 qset)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_PUSH_PAGE, 0);
	irdma_cqp_set(wqe, 2, FIELD_PREP(IRDMA_CQP_PUSH_QW2_QSET, qset));
}

/**
 * irdma_cqp_enc_free_push_page - free a push page
 * @wqe: WQE
 * @qset: queue-set handle
 * @idx: push page index
 */
void irdma_cqp_enc_free_push_page(struct irdma_cqp_wqe *wqe, u16 qset, u32 idx)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_PUSH_PAGE,
			FIELD_PREP(IRDMA_CQP_PUSH_QW3_IDX, idx) |
			IRDMA_CQP_PUSH_QW3_FREE);
	irdma_cqp_set(wqe, 2, FIELD_PREP(IRDMA_CQP_PUSH_QW2_QSET, qset));
}

/**
 * irdma_cqp_enc_alloc_stats - allocate a statistics instance
 * @wqe: WQE
 *
 * The completion's return value is the instance.
 */
void irdma_cqp_enc_alloc_stats(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_STATS_INSTANCE,
			IRDMA_CQP_STATS_QW3_ALLOC);
}

/**
 * irdma_cqp_enc_free_stats - free a statistics instance
 * @wqe: WQE
 * @instance: instance
 */
void irdma_cqp_enc_free_stats(struct irdma_cqp_wqe *wqe, u8 instance)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_STATS_INSTANCE,
			FIELD_PREP(IRDMA_CQP_STATS_QW3_INSTANCE, instance));
}

/**
 * irdma_cqp_enc_gather_stats - copy the function's counters to memory
 * @wqe: WQE
 * @buf_addr: bus address of IRDMA_STATS_BUF_BYTES, page aligned
 */
void irdma_cqp_enc_gather_stats(struct irdma_cqp_wqe *wqe, u64 buf_addr)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_GATHER_STATS, 0);
	irdma_cqp_set(wqe, 4, buf_addr);
}

/**
 * irdma_cqp_enc_gather_stats_instance - copy an instance's counters to memory
 * @wqe: WQE
 * @buf_addr: bus address of IRDMA_STATS_BUF_BYTES, page aligned
 * @instance: instance
 */
void irdma_cqp_enc_gather_stats_instance(struct irdma_cqp_wqe *wqe,
					 u64 buf_addr, u8 instance)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_GATHER_STATS,
			FIELD_PREP(IRDMA_CQP_STATS_QW3_INSTANCE, instance) |
			IRDMA_CQP_STATS_QW3_USE_INST);
	irdma_cqp_set(wqe, 4, buf_addr);
}

/**
 * irdma_cqp_enc_up_map - map the eight user priorities
 * @wqe: WQE
 * @map: eight mappings, priority 0 first
 * @hmc_fn: HMC function id
 * @use_vlan: take the priority from the VLAN tag
 */
void irdma_cqp_enc_up_map(struct irdma_cqp_wqe *wqe, const u8 *map, u16 hmc_fn,
			  bool use_vlan)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_UP_MAP,
			FIELD_PREP(IRDMA_CQP_UP_MAP_QW3_USE_VLAN, use_vlan));
	memcpy(&wqe->qw[0], map, sizeof(wqe->qw[0]));
	irdma_cqp_set(wqe, 5, FIELD_PREP(IRDMA_CQP_UP_MAP_QW5_HMC_FN, hmc_fn));
}

/**
 * irdma_cqp_enc_query_fpm - ask what the device's private memory can hold
 * @wqe: WQE
 * @hmc_fn: HMC function id
 * @buf_addr: bus address of a struct irdma_fpm_query
 */
void irdma_cqp_enc_query_fpm(struct irdma_cqp_wqe *wqe, u16 hmc_fn,
			     u64 buf_addr)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_QUERY_FPM, 0);
	irdma_cqp_set(wqe, 2, FIELD_PREP(IRDMA_CQP_FPM_QW2_HMC_FN, hmc_fn));
	irdma_cqp_set(wqe, 4, buf_addr);
}

/**
 * irdma_cqp_enc_commit_fpm - settle the object counts
 * @wqe: WQE
 * @hmc_fn: HMC function id
 * @buf_addr: bus address of a struct irdma_fpm_commit
 * @fw_buf: the buffer names firmware scratch buffer 0
 */
void irdma_cqp_enc_commit_fpm(struct irdma_cqp_wqe *wqe, u16 hmc_fn,
			      u64 buf_addr, bool fw_buf)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_COMMIT_FPM,
			FIELD_PREP(IRDMA_CQP_QW3_BUF_BYTES,
				   IRDMA_FPM_COMMIT_BYTES) |
			FIELD_PREP(IRDMA_CQP_FPM_QW3_FW_BUF0, fw_buf));
	irdma_cqp_set(wqe, 2, FIELD_PREP(IRDMA_CQP_FPM_QW2_HMC_FN, hmc_fn));
	irdma_cqp_set(wqe, 4, buf_addr);
}

/**
 * irdma_cqp_enc_hmc_pages_done - tell that all static objects are backed
 * @wqe: WQE
 * @hmc_fn: HMC function id, below 64
 */
void irdma_cqp_enc_hmc_pages_done(struct irdma_cqp_wqe *wqe, u8 hmc_fn)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_HMC_PAGES_DONE, 0);
	irdma_cqp_set(wqe, 2, FIELD_PREP(IRDMA_CQP_PAGES_QW2_HMC_FN, hmc_fn));
}

static u64 irdma_sd_cmd(const struct irdma_sd_args *sd)
{
	return FIELD_PREP(IRDMA_SD_CMD_IDX, sd->idx) | IRDMA_SD_CMD_PE |
	       IRDMA_SD_CMD_WRITE;
}

static u64 irdma_sd_data(const struct irdma_sd_args *sd)
{
	return (sd->addr & IRDMA_SD_DATA_ADDR) |
	       FIELD_PREP(IRDMA_SD_DATA_PAGES, IRDMA_HMC_SEGMENT_PAGES) |
	       FIELD_PREP(IRDMA_SD_DATA_DIRECT, sd->direct) |
	       FIELD_PREP(IRDMA_SD_DATA_VALID, sd->valid);
}

/**
 * irdma_cqp_enc_update_sds - set or clear segment descriptors
 * @wqe: WQE
 * @layout: checked layout
 * @a: arguments
 *
 * The first three descriptors go into the WQE, the rest into the side buffer.
 *
 * Return: 0; -EINVAL when @a has no descriptor or more than 11.
 */
int irdma_cqp_enc_update_sds(struct irdma_cqp_wqe *wqe,
			     const struct irdma_cqp_layout *layout,
			     const struct irdma_cqp_sds_args *a)
{
	static const u8 qw[IRDMA_SD_WQE_ENTRIES] = { 0, 4, 6 };
	u32 side_cnt, in_wqe;
	u64 hmc_fn;

	if (!a->cnt || a->cnt > IRDMA_SD_MAX_ENTRIES)
		return -EINVAL;
	in_wqe = min(a->cnt, IRDMA_SD_WQE_ENTRIES);
	side_cnt = a->cnt - in_wqe;

	irdma_cqp_start(wqe, IRDMA_CQP_OP_UPDATE_SDS,
			FIELD_PREP(IRDMA_CQP_SD_QW3_SIDE_CNT, side_cnt));
	for (u32 i = 0; i < in_wqe; i++) {
		/* Entry 0 is always valid and has no bit for it. */
		u64 valid = i ? IRDMA_CQP_SD_ENTRY_VALID : 0;

		irdma_cqp_set(wqe, qw[i], irdma_sd_cmd(&a->sd[i]) | valid);
		irdma_cqp_set(wqe, qw[i] + 1, irdma_sd_data(&a->sd[i]));
	}
	for (u32 i = 0; i < side_cnt; i++) {
		const struct irdma_sd_args *sd = &a->sd[in_wqe + i];

		a->side->entry[i].cmd = cpu_to_le64(irdma_sd_cmd(sd));
		a->side->entry[i].data = cpu_to_le64(irdma_sd_data(sd));
	}
	hmc_fn = irdma_field_prep(layout->hmc_fn, a->hmc_fn);
	if (side_cnt)
		hmc_fn |= a->side_addr & IRDMA_CQP_SD_QW2_SIDE_BUF;
	irdma_cqp_set(wqe, 2, hmc_fn);
	return 0;
}

/**
 * irdma_cqp_enc_query_features - ask what the device can do
 * @wqe: WQE
 * @buf_addr: bus address of the buffer, aligned to 16
 * @buf_bytes: its size
 */
void irdma_cqp_enc_query_features(struct irdma_cqp_wqe *wqe, u64 buf_addr,
				  u32 buf_bytes)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_QUERY_FEATURES,
			FIELD_PREP(IRDMA_CQP_QW3_BUF_BYTES, buf_bytes));
	irdma_cqp_set(wqe, 4, buf_addr);
}

/**
 * irdma_cqp_enc_nop - a command that does nothing but complete
 * @wqe: WQE
 */
void irdma_cqp_enc_nop(struct irdma_cqp_wqe *wqe)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_NOP, 0);
}

/**
 * irdma_features_decode - read the answer to query features
 * @buf: buffer that the device filled
 * @qwords: quadwords in @buf
 * @f: features; @f->cnt is set whenever entry 0 is sane
 *
 * Entries of unknown type are skipped.
 *
 * Return: 0; -EINVAL when entry 0 is not the firmware version or counts fewer
 * than two entries; -EMSGSIZE when the device has more entries than @buf.
 */
int irdma_features_decode(const __le64 *buf, u32 qwords,
			  struct irdma_features *f)
{
	u64 first;

	*f = (struct irdma_features){};
	if (qwords < 2)
		return -EINVAL;
	first = le64_to_cpu(buf[0]);
	f->cnt = FIELD_GET(IRDMA_FEATURE_CNT, first);
	if (FIELD_GET(IRDMA_FEATURE_TYPE, first) !=
	    IRDMA_FEATURE_TYPE_FW_VERSION || f->cnt < 2)
		return -EINVAL;
	if (f->cnt > qwords)
		return -EMSGSIZE;
	f->fw_major = FIELD_GET(IRDMA_FEATURE_FW_MAJOR, first);
	f->fw_minor = FIELD_GET(IRDMA_FEATURE_FW_MINOR, first);

	for (u32 i = 1; i < f->cnt; i++) {
		u64 entry = le64_to_cpu(buf[i]);

		switch (FIELD_GET(IRDMA_FEATURE_TYPE, entry)) {
		case IRDMA_FEATURE_TYPE_OBJ_LOCATION:
			f->mr_location_known = true;
			f->mr_local = FIELD_GET(IRDMA_FEATURE_MR_LOCATION,
						entry) &
				      IRDMA_LOCATION_LOCAL_MEM;
			break;
		case IRDMA_FEATURE_TYPE_FLAGS:
			f->atomics = FIELD_GET(IRDMA_FEATURE_ATOMICS, entry);
			f->rm2 = FIELD_GET(IRDMA_FEATURE_RM2, entry);
			break;
		}
	}
	return 0;
}
