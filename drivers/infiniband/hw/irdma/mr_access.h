/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */

#ifndef IRDMA_MR_ACCESS_H
#define IRDMA_MR_ACCESS_H

#include <linux/types.h>

/**
 * struct irdma_mr_access - access rights as the device knows them
 * @rights: IRDMA_RIGHT_* mask
 * @atomic: remote atomics allowed
 * @zero_based: the region's first byte has address 0
 */
struct irdma_mr_access {
	u8 rights;
	bool atomic;
	bool zero_based;
};

int irdma_get_mr_access(int flags, bool atomics, struct irdma_mr_access *access);

#endif /* IRDMA_MR_ACCESS_H */
