// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Generation 3: the IPU E2000 under idpf.
 *
 * The function has no fixed registers and may not route interrupts itself; the
 * control plane tells it the former and does the latter.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/align.h>
#include <linux/errno.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/sizes.h>

#include "dev.h"

static void __iomem *irdma_gen3_find(struct irdma_dev *dev, u32 offset)
{
	const struct irdma_region *r = &dev->own;

	for (unsigned int i = 0; i <= dev->parent->region_cnt; i++) {
		if (offset >= r->offset && offset - r->offset < r->bytes &&
		    IS_ALIGNED(offset, sizeof(u32)))
			return r->va + (offset - r->offset);
		r = &dev->parent->regions[i];
	}
	return NULL;
}

/*
 * User space maps the doorbell page, which has to begin one of the system's. Where those
 * are larger, nothing but the space up to the push pages follows it there.
 */
static int irdma_gen3_check_db_page(struct irdma_dev *dev)
{
	resource_size_t phys = pci_resource_start(dev->pdev, 0) + dev->db_page_offset;

	if (!offset_in_page(phys) &&
	    dev->db_page_offset + PAGE_SIZE <= pci_resource_len(dev->pdev, 0))
		return 0;
	dev_err(&dev->pdev->dev, "irdma: no doorbell page at %#llx\n", dev->db_page_offset);
	return -ENXIO;
}

/* All registers and fields are needed, except the one that the driver has no use for. */
static int irdma_gen3_map_regs(struct irdma_dev *dev)
{
	u32 offset[IRDMA_REG_CNT] = {};
	u32 page_relative = 0;
	int err;

	err = irdma_vchnl_get_reg_layout(dev, offset, &page_relative);
	if (err)
		return err;
	dev->db_page_offset = offset[IRDMA_REG_DB_PAGE];
	err = irdma_gen3_check_db_page(dev);
	if (err)
		return err;
	for (int i = 0; i < IRDMA_REG_CNT; i++) {
		if (i == IRDMA_REG_DB_PAGE || i == IRDMA_REG_IP_CONFIG)
			continue;
		if (page_relative & BIT(i))
			offset[i] += dev->db_page_offset;
		dev->reg[i] = irdma_gen3_find(dev, offset[i]);
		if (!dev->reg[i]) {
			dev_err(&dev->pdev->dev, "irdma: register %d at %#x is not mapped\n", i,
				offset[i]);
			return -ENXIO;
		}
	}
	dev->layout = (struct irdma_cqp_layout){
		.pd_id = dev->field[IRDMA_FIELD_STAG_PD],
		.cq_id = dev->field[IRDMA_FIELD_CQ_ID],
		.ceq_id = dev->field[IRDMA_FIELD_CQ_CEQ],
		.hmc_fn = dev->field[IRDMA_FIELD_SD_HMC_FN],
	};
	if (!irdma_field_valid(dev->field[IRDMA_FIELD_CQP_STATUS_DONE]) ||
	    !irdma_field_valid(dev->field[IRDMA_FIELD_CQP_STATUS_ERROR]) ||
	    !irdma_field_valid(dev->field[IRDMA_FIELD_COMMIT_CQ_CNT]))
		return -ENXIO;
	return irdma_cqp_layout_check(&dev->layout);
}

static int irdma_gen3_map_own(struct irdma_dev *dev)
{
	bool vf = dev->parent->vf;

	dev->own.offset = vf ? IRDMA_VF_REGION_OFFSET : IRDMA_PF_REGION_OFFSET;
	dev->own.bytes = vf ? IRDMA_VF_REGION_BYTES : IRDMA_PF_REGION_BYTES;
	if (pci_resource_len(dev->pdev, 0) < dev->own.offset + dev->own.bytes)
		return -ENXIO;
	dev->own.va = ioremap(pci_resource_start(dev->pdev, 0) + dev->own.offset,
			      dev->own.bytes);
	return dev->own.va ? 0 : -ENOMEM;
}

static int irdma_gen3_attach(struct irdma_dev *dev)
{
	u8 hw_rev;
	int err;

	err = irdma_vchnl_check_version(dev);
	if (err)
		return err;
	err = irdma_vchnl_get_caps(dev, &hw_rev);
	if (err)
		return err;
	if (hw_rev != dev->gen->hw_rev)
		return -EOPNOTSUPP;
	err = irdma_gen3_map_own(dev);
	if (err)
		return err;
	err = irdma_vchnl_get_hmc_fn(dev);
	if (err)
		goto err_unmap;
	err = irdma_gen3_map_regs(dev);
	if (err)
		goto err_put_hmc_fn;
	return 0;

err_put_hmc_fn:
	irdma_vchnl_put_hmc_fn(dev);
err_unmap:
	iounmap(dev->own.va);
	return err;
}

static void irdma_gen3_detach(struct irdma_dev *dev)
{
	irdma_vchnl_put_hmc_fn(dev);
	iounmap(dev->own.va);
}

static int irdma_gen3_map_ceq(struct irdma_dev *dev, u16 ceq_id, u32 vector)
{
	return irdma_vchnl_map_vector(dev, vector, ceq_id, IRDMA_VCHNL_NO_QUEUE);
}

static int irdma_gen3_map_aeq(struct irdma_dev *dev, u32 vector)
{
	return irdma_vchnl_map_vector(dev, vector, IRDMA_VCHNL_NO_QUEUE, 0);
}

const struct irdma_gen irdma_gen3 = {
	.hw_rev = 3,
	.caps = IRDMA_CAP_RTS_AE | IRDMA_CAP_CQ_RESIZE | IRDMA_CAP_64_BYTE_CQE |
		IRDMA_CAP_SRQ | IRDMA_CAP_CQE_TIMESTAMP,
	.limits = {
		.wq_frags_max = 14,
		.read_frags_max = 14,
		.inline_bytes_max = 216,
		.sq_chunk_quanta = 8,
		.sq_quanta_max = 32768,
		.rq_quanta_max = 32768,
		.srq_quanta_max = 262144,
		.wq_wqes_min = 16,
		.cq_entries_min = 1,
		.cq_entries_max = 1048575,
		.cqe_bytes = 64,
		.ceq_entries_max = 262143,
		.aeq_entries_max = 262144,
		.pd_cnt = 262144,
		.mcg_cnt = 4096,
		.mcg_members_max = 8,
		.mr_bytes_max = 0x200000000000ULL,
		.page_sizes = SZ_4K | SZ_2M | SZ_1G,
		.rd_atomic_max = 64,
		.push_pages = 8192,
		.push_pages_vf = 16,
	},
	.attach = irdma_gen3_attach,
	.detach = irdma_gen3_detach,
	.map_ceq = irdma_gen3_map_ceq,
	.map_aeq = irdma_gen3_map_aeq,
};
