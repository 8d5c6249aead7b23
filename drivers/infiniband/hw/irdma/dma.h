/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_DMA_H
#define IRDMA_DMA_H

#include <linux/types.h>

struct irdma_dev;

/**
 * struct irdma_dma - coherent memory that driver and device share
 * @bytes: length
 * @pa: address that the device uses; page aligned
 * @va: NULL when there is none
 */
struct irdma_dma {
	size_t bytes;
	dma_addr_t pa;
	void *va;
};

int irdma_dma_alloc_gfp(struct irdma_dev *dev, struct irdma_dma *mem, size_t bytes, gfp_t gfp);
int irdma_dma_alloc(struct irdma_dev *dev, struct irdma_dma *mem, size_t bytes);
void irdma_dma_free(struct irdma_dev *dev, struct irdma_dma *mem);

#endif /* IRDMA_DMA_H */
