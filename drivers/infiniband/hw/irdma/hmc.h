/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_HMC_H
#define IRDMA_HMC_H

#include <linux/types.h>

#include "dma.h"
#include "fpm.h"

struct irdma_dev;
struct irdma_features;

/**
 * struct irdma_backing - host memory behind one segment, or the end of one
 * @block: the memory in one piece of a whole segment; else @pages
 * @pds: page of page descriptors
 * @pages: the memory page by page, @page_cnt of them
 * @page_cnt: pages
 */
struct irdma_backing {
	struct irdma_dma block;
	struct irdma_dma pds;
	struct irdma_dma *pages;
	u32 page_cnt;
};

/**
 * struct irdma_hmc - host memory cache
 * @fpm: what objects there are, and where
 * @fw_buf: scratch memory of the firmware
 * @mr: memory behind the contexts of memory regions, @mr_segments of them
 * @mr_segments: see @mr
 */
struct irdma_hmc {
	struct irdma_fpm fpm;
	struct irdma_dma fw_buf[2];
	struct irdma_backing *mr;
	u32 mr_segments;
};

int irdma_hmc_start(struct irdma_dev *dev, const struct irdma_features *features);
void irdma_hmc_stop(struct irdma_dev *dev);
int irdma_backing_alloc(struct irdma_dev *dev, struct irdma_backing *backing, u32 segment,
			u32 first_page, u32 page_cnt);
void irdma_backing_free(struct irdma_dev *dev, struct irdma_backing *backing);
void *irdma_backing_page(const struct irdma_backing *backing, u32 page);

#endif /* IRDMA_HMC_H */
