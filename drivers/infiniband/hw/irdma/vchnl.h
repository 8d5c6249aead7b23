/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_VCHNL_H
#define IRDMA_VCHNL_H

#include <linux/mutex.h>
#include <linux/types.h>

struct irdma_dev;

/**
 * struct irdma_vchnl - channel to the control plane
 * @lock: one message at a time; taken in process context, held while the answer is awaited.
 *	Innermost: nothing is taken under it
 * @seq: context of the next message
 * @stopped: no more messages; written once, read under @lock or as a hint
 * @cmd_timeout_s: seconds without progress before the command queue counts as dead
 * @deferred_timeout_s: same while a deferred command is outstanding
 */
struct irdma_vchnl {
	struct mutex lock; /* guards: seq, one message; process context */
	u64 seq;
	bool stopped;
	u16 cmd_timeout_s;
	u16 deferred_timeout_s;
};

void irdma_vchnl_init(struct irdma_vchnl *vchnl);
void irdma_vchnl_fini(struct irdma_vchnl *vchnl);
void irdma_vchnl_stop(struct irdma_vchnl *vchnl);
int irdma_vchnl_check_version(struct irdma_dev *dev);
int irdma_vchnl_get_caps(struct irdma_dev *dev, u8 *hw_rev);
int irdma_vchnl_get_hmc_fn(struct irdma_dev *dev);
void irdma_vchnl_put_hmc_fn(struct irdma_dev *dev);
int irdma_vchnl_get_reg_layout(struct irdma_dev *dev, u32 *offset, u32 *page_relative);
int irdma_vchnl_map_vector(struct irdma_dev *dev, u32 vector, u16 ceq, u16 aeq);
int irdma_vchnl_add_vport(struct irdma_dev *dev, u16 vport_id, u32 qp1_id, u16 *qs_handle);
int irdma_vchnl_del_vport(struct irdma_dev *dev, u16 vport_id, u32 qp1_id);

#endif /* IRDMA_VCHNL_H */
