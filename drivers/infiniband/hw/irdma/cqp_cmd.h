/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_CQP_CMD_H
#define IRDMA_CQP_CMD_H

#include <linux/types.h>

#include "cqp.h"
#include "cqp_wqe.h"
#include "cqp_wqe_fn.h"
#include "cqp_wqe_mr.h"

struct irdma_dev;

/**
 * struct irdma_batch - commands that are posted together and waited for once
 * @wqe: commands, in the order of execution
 * @req: their requests
 * @err: after irdma_batch_run(): how each ended
 * @cnt: commands so far
 */
struct irdma_batch {
	struct irdma_cqp_wqe wqe[IRDMA_CQP_BATCH_MAX];
	struct irdma_cqp_req *req[IRDMA_CQP_BATCH_MAX];
	int err[IRDMA_CQP_BATCH_MAX];
	unsigned int cnt;
};

struct irdma_cqp_wqe *irdma_batch_add(struct irdma_batch *batch);
int irdma_batch_run(struct irdma_dev *dev, struct irdma_batch *batch);
int irdma_batch_post(struct irdma_dev *dev, struct irdma_batch *batch,
		     struct irdma_cqp_req **last);

int irdma_cmd_create_ceq(struct irdma_dev *dev, u16 id, u64 ring, u32 entries);
int irdma_cmd_destroy_ceq(struct irdma_dev *dev, u16 id, u32 entries);
int irdma_cmd_create_aeq(struct irdma_dev *dev, u64 ring, u32 entries);
int irdma_cmd_destroy_aeq(struct irdma_dev *dev, u32 entries);

int irdma_cmd_create_cq(struct irdma_dev *dev, const struct irdma_cqp_cq_args *args);
int irdma_cmd_resize_cq(struct irdma_dev *dev, const struct irdma_cqp_cq_args *args);
int irdma_cmd_destroy_cq(struct irdma_dev *dev, const struct irdma_cqp_cq_args *args);

int irdma_cmd_create_srq(struct irdma_dev *dev, const struct irdma_cqp_srq_args *args);
int irdma_cmd_modify_srq(struct irdma_dev *dev, const struct irdma_cqp_srq_args *args);
int irdma_cmd_destroy_srq(struct irdma_dev *dev, u32 id, u64 ctx);

int irdma_cmd_create_qp(struct irdma_dev *dev, const struct irdma_cqp_qp_args *args);
int irdma_cmd_modify_qp(struct irdma_dev *dev, const struct irdma_cqp_qp_args *args);

int irdma_cmd_reg_mr(struct irdma_dev *dev, const struct irdma_cqp_mr_args *args);
int irdma_cmd_dealloc_stag(struct irdma_dev *dev, u32 stag, u32 pd_id, bool is_mr);
int irdma_cmd_alloc_mw(struct irdma_dev *dev, u32 stag, u32 pd_id, bool type1);

int irdma_cmd_create_ah(struct irdma_dev *dev, const struct irdma_cqp_ah_args *args, bool atomic);
int irdma_cmd_destroy_ah(struct irdma_dev *dev, const struct irdma_cqp_ah_args *args, bool atomic);

int irdma_cmd_mcg(struct irdma_dev *dev, enum irdma_cqp_op op,
		  const struct irdma_cqp_mcg_args *args);

int irdma_cmd_add_arp(struct irdma_dev *dev, u16 idx, const u8 *mac, bool atomic);
int irdma_cmd_del_arp(struct irdma_dev *dev, u16 idx, bool atomic);

int irdma_cmd_gather_stats(struct irdma_dev *dev, void *stats);

int irdma_cmd_query_features(struct irdma_dev *dev, struct irdma_features *features);
int irdma_cmd_query_fpm(struct irdma_dev *dev, void *words, size_t bytes);
int irdma_cmd_commit_fpm(struct irdma_dev *dev, void *words, size_t bytes, bool fw_buf);
int irdma_cmd_update_sds(struct irdma_dev *dev, const struct irdma_sd_args *sds, u32 cnt);
int irdma_cmd_hmc_pages_done(struct irdma_dev *dev);
int irdma_cmd_alloc_push_page(struct irdma_dev *dev, u16 qset, u32 *idx);
int irdma_cmd_free_push_page(struct irdma_dev *dev, u16 qset, u32 idx);

#endif /* IRDMA_CQP_CMD_H */
