// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Host memory cache: the memory that the engine keeps its objects in.
 *
 * The device says how many objects of each kind there may be, is told how many the
 * driver wants, and answers where it puts them. Objects that lie in host memory are
 * backed before the first is used, but for page lists, which are backed on demand.
 * Backing memory stays until the function was given back: the engine writes it as
 * it likes.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <linux/slab.h>

#include "cqp_cmd.h"
#include "dev.h"
#include "hmc.h"

/* What an idle function may cost: segments of 2 MiB behind the contexts of regions. */
#define IRDMA_MR_SEGMENTS_MAX	4
/* Segments of page lists, which are backed on demand. */
#define IRDMA_PBLE_SEGMENTS_MAX	0x400

static int irdma_backing_alloc_block(struct irdma_dev *dev, struct irdma_backing *backing)
{
	return irdma_dma_alloc_gfp(dev, &backing->block, IRDMA_HMC_SEGMENT_BYTES,
				   GFP_KERNEL | __GFP_NOWARN);
}

static int irdma_backing_alloc_pages(struct irdma_dev *dev, struct irdma_backing *backing,
				     u32 first_page)
{
	__le64 *pd;
	int err;

	err = irdma_dma_alloc(dev, &backing->pds, IRDMA_HMC_PAGE_BYTES);
	if (err)
		return err;
	backing->pages = kvzalloc_objs(*backing->pages, backing->page_cnt);
	if (!backing->pages)
		return -ENOMEM;
	pd = backing->pds.va;
	for (u32 i = 0; i < backing->page_cnt; i++) {
		err = irdma_dma_alloc(dev, &backing->pages[i], IRDMA_HMC_PAGE_BYTES);
		if (err)
			return err;
		pd[first_page + i] = cpu_to_le64(backing->pages[i].pa | IRDMA_PD_VALID);
	}
	return 0;
}

/**
 * irdma_backing_alloc - put memory behind a segment and tell the device
 * @dev: device
 * @backing: filled on success
 * @segment: index of the segment
 * @first_page: first page inside the segment
 * @page_cnt: pages, up to the end of the segment
 *
 * Context: Process context; may sleep.
 * Return: 0, -ENOMEM, or an errno of the command queue.
 */
int irdma_backing_alloc(struct irdma_dev *dev, struct irdma_backing *backing, u32 segment,
			u32 first_page, u32 page_cnt)
{
	struct irdma_sd_args sd = { .idx = segment, .valid = true };
	int err = -ENOMEM;

	backing->page_cnt = page_cnt;
	if (page_cnt == IRDMA_HMC_SEGMENT_PAGES)
		err = irdma_backing_alloc_block(dev, backing);
	if (err)
		err = irdma_backing_alloc_pages(dev, backing, first_page);
	if (!err) {
		sd.direct = backing->block.va;
		sd.addr = sd.direct ? backing->block.pa : backing->pds.pa;
		err = irdma_cmd_update_sds(dev, &sd, 1);
	}
	if (err)
		irdma_backing_free(dev, backing);
	return err;
}

/**
 * irdma_backing_free - free memory behind a segment
 * @dev: device; it does not use the memory any more
 * @backing: memory, or zeroed
 *
 * Context: Process context; may sleep.
 */
void irdma_backing_free(struct irdma_dev *dev, struct irdma_backing *backing)
{
	if (backing->pages)
		for (u32 i = 0; i < backing->page_cnt; i++)
			irdma_dma_free(dev, &backing->pages[i]);
	kvfree(backing->pages);
	irdma_dma_free(dev, &backing->pds);
	irdma_dma_free(dev, &backing->block);
	*backing = (struct irdma_backing){};
}

/**
 * irdma_backing_page - a page of backing memory
 * @backing: memory
 * @page: number of the page, counted from the first one that is backed
 *
 * Return: the page as the CPU sees it.
 */
void *irdma_backing_page(const struct irdma_backing *backing, u32 page)
{
	if (backing->block.va)
		return backing->block.va + (size_t)page * IRDMA_HMC_PAGE_BYTES;
	return backing->pages[page].va;
}

/* Contexts of memory regions: the only static objects that may lie in host memory. */
static int irdma_hmc_back_mrs(struct irdma_dev *dev)
{
	struct irdma_hmc *hmc = &dev->hmc;
	struct irdma_fpm_range range = irdma_fpm_segments(&hmc->fpm, IRDMA_HMC_MR);
	int err;

	if (!range.cnt)
		return 0;
	hmc->mr = kzalloc_objs(*hmc->mr, range.cnt);
	if (!hmc->mr)
		return -ENOMEM;
	hmc->mr_segments = range.cnt;
	for (u32 i = 0; i < range.cnt; i++) {
		err = irdma_backing_alloc(dev, &hmc->mr[i], range.first + i, 0,
					  IRDMA_HMC_SEGMENT_PAGES);
		if (err)
			return err;
	}
	return 0;
}

static int irdma_hmc_query(struct irdma_dev *dev, const struct irdma_features *features)
{
	const struct irdma_fpm_limits limits = {
		.qps = U32_MAX,
		.cqs = irdma_field_mask(dev->field[IRDMA_FIELD_COMMIT_CQ_CNT]) >>
		       dev->field[IRDMA_FIELD_COMMIT_CQ_CNT].shift,
		.mr_segments = IRDMA_MR_SEGMENTS_MAX,
		.pble_segments = IRDMA_PBLE_SEGMENTS_MAX,
	};
	struct irdma_fpm_query query = {};
	int err;

	err = irdma_cmd_query_fpm(dev, &query, sizeof(query));
	if (!err)
		err = irdma_fpm_parse_query(&dev->hmc.fpm, &query, features,
					    dev->gen->limits.rd_atomic_max);
	return err ?: irdma_fpm_plan(&dev->hmc.fpm, &limits);
}

static int irdma_hmc_commit(struct irdma_dev *dev)
{
	struct irdma_hmc *hmc = &dev->hmc;
	struct irdma_fpm_commit commit = {};
	u64 fw_buf_pa[2] = {};
	int err;

	for (int i = 0; i < ARRAY_SIZE(fw_buf_pa); i++) {
		if (!hmc->fpm.fw_buf_bytes[i])
			continue;
		err = irdma_dma_alloc(dev, &hmc->fw_buf[i], hmc->fpm.fw_buf_bytes[i]);
		if (err)
			return err;
		fw_buf_pa[i] = hmc->fw_buf[i].pa;
	}
	irdma_fpm_pack_commit(&hmc->fpm, fw_buf_pa, &commit);
	err = irdma_cmd_commit_fpm(dev, &commit, sizeof(commit), fw_buf_pa[0]);
	if (err)
		return err;
	return irdma_fpm_parse_commit(&hmc->fpm, dev->field[IRDMA_FIELD_COMMIT_CQ_CNT], &commit);
}

/**
 * irdma_hmc_start - size, lay out and back the host memory cache
 * @dev: device with a control queue and without a control CQ
 * @features: what the device says about itself
 *
 * irdma_hmc_stop() undoes it, also after a failure.
 *
 * Context: Process context; may sleep.
 * Return: 0; -EINVAL for answers that make no sense; -ENOMEM; errnos of the command queue.
 */
int irdma_hmc_start(struct irdma_dev *dev, const struct irdma_features *features)
{
	int err;

	err = irdma_hmc_query(dev, features);
	if (!err)
		err = irdma_hmc_commit(dev);
	if (!err)
		err = irdma_hmc_back_mrs(dev);
	if (err)
		return err;
	dev->ird_max = min(dev->ird_max, dev->hmc.fpm.ird);
	dev->ord_max = dev->ird_max;
	return irdma_cmd_hmc_pages_done(dev);
}

/**
 * irdma_hmc_stop - free the memory of the host memory cache
 * @dev: device; the engine has given the function back, or will not run again
 *
 * Context: Process context; may sleep.
 */
void irdma_hmc_stop(struct irdma_dev *dev)
{
	struct irdma_hmc *hmc = &dev->hmc;

	for (u32 i = 0; i < hmc->mr_segments; i++)
		irdma_backing_free(dev, &hmc->mr[i]);
	kfree(hmc->mr);
	for (int i = 0; i < ARRAY_SIZE(hmc->fw_buf); i++)
		irdma_dma_free(dev, &hmc->fw_buf[i]);
	*hmc = (struct irdma_hmc){};
}
