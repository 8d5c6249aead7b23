// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Coherent memory.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/atomic.h>
#include <linux/dma-mapping.h>
#include <linux/errno.h>
#include <linux/pci.h>

#include "dev.h"
#include "dma.h"
#include "park.h"

/**
 * irdma_dma_alloc_gfp - zeroed coherent memory
 * @dev: device
 * @mem: filled on success
 * @bytes: length
 * @gfp: flags of the allocation
 *
 * Context: Process context; may sleep.
 * Return: 0 or -ENOMEM.
 */
int irdma_dma_alloc_gfp(struct irdma_dev *dev, struct irdma_dma *mem, size_t bytes, gfp_t gfp)
{
	dma_addr_t pa;
	void *va = dma_alloc_coherent(&dev->pdev->dev, bytes, &pa, gfp);

	if (!va)
		return -ENOMEM;
	*mem = (struct irdma_dma){ .bytes = bytes, .pa = pa, .va = va };
	atomic64_add(bytes, &dev->dma_bytes);
	return 0;
}

/**
 * irdma_dma_alloc - zeroed coherent memory, with a warning when there is none
 * @dev: device
 * @mem: filled on success
 * @bytes: length
 *
 * Context: Process context; may sleep.
 * Return: 0 or -ENOMEM.
 */
int irdma_dma_alloc(struct irdma_dev *dev, struct irdma_dma *mem, size_t bytes)
{
	return irdma_dma_alloc_gfp(dev, mem, bytes, GFP_KERNEL);
}

static void irdma_dma_release(struct device *dev, const struct irdma_parked *parked)
{
	dma_free_coherent(dev, parked->mem.bytes, parked->mem.va, parked->mem.pa);
}

/**
 * irdma_dma_free - undo irdma_dma_alloc()
 * @dev: device
 * @mem: memory, or zeroed
 *
 * Memory of an engine that could not be stopped is kept until it was.
 *
 * Context: Process context; may sleep.
 */
void irdma_dma_free(struct irdma_dev *dev, struct irdma_dma *mem)
{
	const struct irdma_parked old = { .release = irdma_dma_release, .mem = *mem };

	if (!mem->va)
		return;
	atomic64_sub(mem->bytes, &dev->dma_bytes);
	*mem = (struct irdma_dma){};
	if (!irdma_park(&dev->pdev->dev, &old))
		irdma_dma_release(&dev->pdev->dev, &old);
}
