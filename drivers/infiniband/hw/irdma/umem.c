// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * User memory as the device reaches it.
 *
 * Memory that is one piece in DMA space is named by its address; all else goes
 * through a page list. Contiguity is found from the scatter list before the first
 * page-list entry is taken. Rings always count in pages of 4 KiB and never need
 * more than one level.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <linux/sizes.h>
#include <rdma/ib_verbs.h>

#include "dev.h"
#include "park.h"
#include "umem.h"

/**
 * irdma_umem_mem - pinned user memory as a stretch of DMA-mapped memory
 * @umem: pinned memory, which stays the caller's
 *
 * Return: the stretch.
 */
struct irdma_mem irdma_umem_mem(struct ib_umem *umem)
{
	return (struct irdma_mem){
		.sgl = umem->sgt_append.sgt.sgl,
		.nents = umem->sgt_append.sgt.nents,
		.offset_bytes = ib_umem_offset(umem),
		.len_bytes = umem->length,
	};
}

static int irdma_map_list(struct irdma_dev *dev, struct irdma_map *map, bool one_level)
{
	int err;

	err = irdma_pbl_alloc(&dev->pble.pool, map->page_cnt, one_level ? 1 : 2, &map->pbl);
	if (err)
		return err;
	/* Asked last: what was given back after the device failed may still be in its use. */
	err = irdma_life_err(dev);
	if (!err)
		err = irdma_copy_user_pgaddrs(&map->mem, map->page_shift, &map->pbl);
	if (err)
		irdma_pbl_free(&dev->pble.pool, &map->pbl);
	return err;
}

/**
 * irdma_setup_pbles - make a region's memory known to the device
 * @dev: device
 * @map: its @mem is set; the rest is filled on success
 * @virt: address of the first byte, as the peer counts
 * @page_sizes: page sizes that may be used, one bit each
 *
 * Undone by irdma_unmap().
 *
 * Context: Process context; may sleep.
 * Return: 0; -EINVAL when no page size fits the region; -ENOMEM when the page lists are
 * exhausted; -EBUSY or -ENODEV when the device has failed.
 */
int irdma_setup_pbles(struct irdma_dev *dev, struct irdma_map *map, u64 virt, u64 page_sizes)
{
	int err;

	err = irdma_pbl_best_page(&map->mem, virt, page_sizes, &map->page_shift);
	if (err)
		return err;
	map->page_cnt = irdma_pbl_page_cnt(virt, map->mem.len_bytes, map->page_shift);
	if (irdma_check_mr_contiguous(&map->mem, map->page_shift, &map->pa))
		return 0;
	return irdma_map_list(dev, map, false);
}

/**
 * irdma_map_ring - make a queue's memory known to the device
 * @dev: device
 * @map: its @mem is set and starts at a 4 KiB boundary; the rest is filled on success
 *
 * Undone by irdma_unmap().
 *
 * Context: Process context; may sleep.
 * Return: 0; -EINVAL for memory that does not start at a page; -ENOMEM when the page
 * lists are exhausted; -EBUSY or -ENODEV when the device has failed.
 */
int irdma_map_ring(struct irdma_dev *dev, struct irdma_map *map)
{
	dma_addr_t pa;

	map->page_shift = IRDMA_RING_PAGE_SHIFT;
	map->page_cnt = irdma_pbl_page_cnt(0, map->mem.len_bytes, map->page_shift);
	if (!irdma_check_mem_contiguous(&map->mem, 0, 1, &pa) ||
	    !IS_ALIGNED(pa, IRDMA_RING_PAGE_BYTES))
		return -EINVAL;
	if (irdma_check_mr_contiguous(&map->mem, map->page_shift, &map->pa))
		return 0;
	return irdma_map_list(dev, map, true);
}

static void irdma_umem_unpark(struct device *dev, const struct irdma_parked *parked)
{
	struct ib_umem *umem = parked->owner;
	struct ib_device *ib = umem->ibdev;

	ib_umem_release(umem);
	put_device(&ib->dev);
}

/**
 * irdma_umem_release - unpin memory that the device does not use any more
 * @dev: device
 * @umem: memory, or NULL
 *
 * Memory of an engine that could not be stopped stays pinned until it was. A dma-buf's
 * revocation is not told of any more when the function returns.
 *
 * Context: Process context; may sleep.
 */
void irdma_umem_release(struct irdma_dev *dev, struct ib_umem *umem)
{
	const struct irdma_parked parked = { .release = irdma_umem_unpark, .owner = umem };
	struct ib_umem_dmabuf *dmabuf;

	if (!umem)
		return;
	/* Its IB device has to outlive it. */
	get_device(&umem->ibdev->dev);
	if (!irdma_park(&dev->pdev->dev, &parked)) {
		irdma_umem_unpark(&dev->pdev->dev, &parked);
		return;
	}
	if (!umem->is_dmabuf)
		return;
	dmabuf = to_ib_umem_dmabuf(umem);
	ib_umem_dmabuf_revoke_lock(dmabuf);
	ib_umem_dmabuf_set_revoke_locked(dmabuf, NULL, NULL);
	ib_umem_dmabuf_revoke_unlock(dmabuf);
}

/**
 * irdma_unmap - give back what irdma_setup_pbles() or irdma_map_ring() took
 * @dev: device; it does not use the page list any more
 * @map: map, or zeroed
 *
 * Context: Process context; may sleep.
 */
void irdma_unmap(struct irdma_dev *dev, struct irdma_map *map)
{
	irdma_pbl_free(&dev->pble.pool, &map->pbl);
	*map = (struct irdma_map){};
}

/**
 * irdma_map_ref - how a command names mapped memory
 * @map: mapped memory
 *
 * Return: address, or first page-list entry and level.
 */
struct irdma_mem_ref irdma_map_ref(const struct irdma_map *map)
{
	return (struct irdma_mem_ref){
		.addr = map->pbl.level ? 0 : map->pa,
		.pble_idx = map->pbl.level ? map->pbl.root.idx : 0,
		.level = map->pbl.level,
	};
}

/**
 * irdma_map_page - bus address of a ring's page
 * @map: ring
 * @page: number of the page, counted from 0
 * @pa: set on success
 *
 * Return: true; false when the ring has no such page.
 */
bool irdma_map_page(const struct irdma_map *map, u32 page, dma_addr_t *pa)
{
	return irdma_check_mem_contiguous(&map->mem, (u64)page << IRDMA_RING_PAGE_SHIFT, 1, pa);
}
