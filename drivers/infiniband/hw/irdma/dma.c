// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Coherent memory.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/dma-mapping.h>
#include <linux/errno.h>
#include <linux/pci.h>

#include "dma.h"
#include "park.h"

/**
 * irdma_dma_alloc - zeroed coherent memory
 * @pdev: device
 * @mem: filled on success
 * @bytes: length
 *
 * Context: Process context; may sleep.
 * Return: 0 or -ENOMEM.
 */
int irdma_dma_alloc(struct pci_dev *pdev, struct irdma_dma *mem, size_t bytes)
{
	dma_addr_t pa;
	void *va = dma_alloc_coherent(&pdev->dev, bytes, &pa, GFP_KERNEL);

	if (!va)
		return -ENOMEM;
	*mem = (struct irdma_dma){ .bytes = bytes, .pa = pa, .va = va };
	return 0;
}

static void irdma_dma_release(struct device *dev, const struct irdma_parked *parked)
{
	dma_free_coherent(dev, parked->mem.bytes, parked->mem.va, parked->mem.pa);
}

/**
 * irdma_dma_free - undo irdma_dma_alloc()
 * @pdev: device
 * @mem: memory, or zeroed
 *
 * Memory of an engine that could not be stopped is kept until it was.
 *
 * Context: Process context; may sleep.
 */
void irdma_dma_free(struct pci_dev *pdev, struct irdma_dma *mem)
{
	const struct irdma_parked old = { .release = irdma_dma_release, .mem = *mem };

	if (!mem->va)
		return;
	*mem = (struct irdma_dma){};
	if (!irdma_park(&pdev->dev, &old))
		irdma_dma_release(&pdev->dev, &old);
}
