/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_DMA_H
#define IRDMA_DMA_H

#include <linux/dma-mapping.h>
#include <linux/pci.h>

/**
 * struct irdma_dma - coherent memory that driver and device share
 * @va: NULL when there is none
 * @pa: address that the device uses; page aligned
 * @bytes: length
 */
struct irdma_dma {
	void *va;
	dma_addr_t pa;
	size_t bytes;
};

/**
 * irdma_dma_alloc - zeroed coherent memory
 * @pdev: device
 * @mem: filled on success
 * @bytes: length
 *
 * Context: Process context; may sleep.
 * Return: 0 or -ENOMEM.
 */
static inline int irdma_dma_alloc(struct pci_dev *pdev, struct irdma_dma *mem, size_t bytes)
{
	mem->va = dma_alloc_coherent(&pdev->dev, bytes, &mem->pa, GFP_KERNEL);
	if (!mem->va)
		return -ENOMEM;
	mem->bytes = bytes;
	return 0;
}

/**
 * irdma_dma_free - undo irdma_dma_alloc()
 * @pdev: device
 * @mem: memory, or zeroed
 *
 * Context: Process context; may sleep.
 */
static inline void irdma_dma_free(struct pci_dev *pdev, struct irdma_dma *mem)
{
	if (mem->va)
		dma_free_coherent(&pdev->dev, mem->bytes, mem->va, mem->pa);
	*mem = (struct irdma_dma){};
}

#endif /* IRDMA_DMA_H */
