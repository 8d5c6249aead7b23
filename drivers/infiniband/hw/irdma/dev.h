/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_DEV_H
#define IRDMA_DEV_H

#include <linux/dmapool.h>
#include <linux/io.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include "cqp.h"
#include "cqp_wqe.h"
#include "cqp_wqe_fn.h"
#include "eq.h"
#include "field.h"
#include "hmc.h"
#include "hw_regs.h"
#include "hw_vchnl.h"
#include "idmap.h"
#include "irq.h"
#include "netdev.h"
#include "pble.h"
#include "push.h"
#include "reset.h"
#include "vchnl.h"

struct dentry;
struct irdma_dev;
struct irdma_event_ops;
struct irdma_parent;

/**
 * struct irdma_limits - what a generation's queues and regions can be
 * @wq_frags_max: scatter/gather entries of a work request
 * @read_frags_max: scatter/gather entries of an RDMA read
 * @inline_bytes_max: inline data of a work request
 * @sq_chunk_quanta: quanta that a send WQE must not straddle
 * @sq_quanta_max: 32-byte quanta of a send queue
 * @rq_quanta_max: 32-byte quanta of a receive queue
 * @srq_quanta_max: 32-byte quanta of a shared receive queue; 0: there are none
 * @wq_wqes_min: fewest WQEs of a queue
 * @cq_entries_min: fewest entries of a CQ
 * @cq_entries_max: most entries of a CQ
 * @cqe_bytes: bytes of an entry of a consumer's CQ
 * @ceq_entries_max: most entries of a CEQ
 * @aeq_entries_max: most entries of the AEQ
 * @pd_cnt: protection domains
 * @mcg_cnt: multicast groups
 * @mcg_members_max: QPs of a multicast group
 * @mr_bytes_max: length of a memory region
 * @page_sizes: mask of supported page sizes of memory regions, in bytes
 * @rd_atomic_max: RDMA reads and atomics outstanding at a QP, each way
 * @push_pages: pages of BAR 0 for pushed WQEs and their doorbells, of a physical function
 * @push_pages_vf: the same of a virtual function
 */
struct irdma_limits {
	u32 wq_frags_max;
	u32 read_frags_max;
	u32 inline_bytes_max;
	u32 sq_chunk_quanta;
	u32 sq_quanta_max;
	u32 rq_quanta_max;
	u32 srq_quanta_max;
	u32 wq_wqes_min;
	u32 cq_entries_min;
	u32 cq_entries_max;
	u32 cqe_bytes;
	u32 ceq_entries_max;
	u32 aeq_entries_max;
	u32 pd_cnt;
	u32 mcg_cnt;
	u32 mcg_members_max;
	u64 mr_bytes_max;
	u64 page_sizes;
	u32 rd_atomic_max;
	u32 push_pages;
	u32 push_pages_vf;
};

/* Ids below these have fixed uses or are never used. */
#define IRDMA_QP_IDS_RESERVED	3
#define IRDMA_CQ_IDS_RESERVED	3
#define IRDMA_PD_IDS_RESERVED	3
#define IRDMA_OTHER_IDS_RESERVED	1
#define IRDMA_CQ_ID_CCQ		0

/* Capabilities; the values are those of the user ABI's feature_flags. */
enum irdma_cap {
	IRDMA_CAP_RTS_AE		= BIT(0),
	IRDMA_CAP_CQ_RESIZE		= BIT(1),
	IRDMA_CAP_64_BYTE_CQE		= BIT(5),
	IRDMA_CAP_ATOMICS		= BIT(6),
	IRDMA_CAP_SRQ			= BIT(7),
	IRDMA_CAP_CQE_TIMESTAMP		= BIT(8),
};

/**
 * struct irdma_gen - one hardware generation
 * @hw_rev: number that user space sees
 * @caps: mask of enum irdma_cap that needs no question to the device
 * @limits: see there
 * @attach: finds out what the function is and maps its registers
 * @detach: undoes @attach; the device does not touch memory afterwards if it answers
 * @map_ceq: routes a CEQ to an interrupt vector
 * @map_aeq: routes the AEQ to an interrupt vector
 */
struct irdma_gen {
	u8 hw_rev;
	u64 caps;
	struct irdma_limits limits;
	int (*attach)(struct irdma_dev *dev);
	void (*detach)(struct irdma_dev *dev);
	int (*map_ceq)(struct irdma_dev *dev, u16 ceq_id, u32 vector);
	int (*map_aeq)(struct irdma_dev *dev, u32 vector);
};

extern const struct irdma_gen irdma_gen3;

/**
 * struct irdma_parent_ops - services of the LAN driver
 * @vchnl_send: sends @len bytes of @msg and waits for the answer; @resp_len: room on entry,
 *	bytes received on return; 0 or an errno
 * @request_reset: asks for a function reset, which comes later
 */
struct irdma_parent_ops {
	int (*vchnl_send)(struct irdma_parent *parent, void *msg, u16 len,
			  void *resp, u16 *resp_len);
	void (*request_reset)(struct irdma_parent *parent);
};

/**
 * struct irdma_region - part of BAR 0 that somebody has mapped
 * @va: mapping
 * @offset: BAR offset of its first byte
 * @bytes: length
 */
struct irdma_region {
	u8 __iomem *va;
	u64 offset;
	u64 bytes;
};

/**
 * struct irdma_parent - the LAN function below, filled by the binding
 * @ops: see there
 * @pdev: PCI function
 * @vf: it is a virtual function
 * @regions: mapped parts of BAR 0, as the LAN driver mapped them
 * @region_cnt: how many
 * @vectors: interrupts that belong to RDMA
 * @vector_cnt: how many
 */
struct irdma_parent {
	const struct irdma_parent_ops *ops;
	struct pci_dev *pdev;
	bool vf;
	struct irdma_region *regions;
	unsigned int region_cnt;
	struct irdma_vector *vectors;
	unsigned int vector_cnt;
};

/**
 * struct irdma_dev - one RDMA function; its vports are IB devices on top
 * @gen: generation
 * @parent: LAN function below
 * @pdev: PCI function, for DMA and log lines
 * @caps: mask of enum irdma_cap
 * @reg: address of each register, by enum irdma_reg_id
 * @field: place of each announced field, by enum irdma_field_id
 * @layout: those of @field that commands need
 * @own: part of BAR 0 mapped by @gen
 * @db_page_offset: BAR offset of the user doorbell page
 * @hmc_fn: number of the HMC function
 * @qs_handle: default queue-set handle of each user priority
 * @ord_max: outstanding RDMA reads that a QP may start
 * @ird_max: outstanding RDMA reads that a QP may serve
 * @life: running, failed, being reset, gone
 * @vchnl: channel to the control plane
 * @hmc: host memory cache
 * @cqp: control queue
 * @eqs: event queues
 * @pble: page-list entries
 * @qp_ids: QP numbers
 * @cq_ids: CQ numbers
 * @srq_ids: SRQ numbers
 * @pd_ids: protection-domain numbers
 * @mr_ids: slots of regions and windows
 * @ah_ids: address-handle numbers
 * @mcg_ids: multicast-group numbers
 * @arp_ids: indices in the table of peers
 * @features: what the device says about itself
 * @qps: QPs by hardware id; the objects layer publishes and looks up here
 * @cqs: CQs by id, likewise
 * @srqs: SRQs by id, likewise
 * @ibdevs: registered IB devices
 * @ibdevs_lock: guards @ibdevs; taken in process context
 * @qpc_pool: QP contexts
 * @dma_bytes: coherent memory that the device was given, but for QP contexts
 * @pushes: push pages
 * @arps: peers that the device knows
 * @gsi_taken: bit 0: hardware QP 1 serves a vport
 * @ccq_created: the device knows the control CQ
 * @debugfs: directory
 */
struct irdma_dev {
	const struct irdma_gen *gen;
	struct irdma_parent *parent;
	struct pci_dev *pdev;
	u64 caps;
	void __iomem *reg[IRDMA_REG_CNT];
	struct irdma_field field[IRDMA_FIELD_CNT];
	struct irdma_cqp_layout layout;
	struct irdma_region own;
	u64 db_page_offset;
	u16 hmc_fn;
	u16 qs_handle[IRDMA_PRIO_CNT];
	u32 ord_max;
	u32 ird_max;

	struct irdma_life life;
	struct irdma_vchnl vchnl;
	struct irdma_hmc hmc;
	struct irdma_cqp cqp;
	struct irdma_eqs eqs;
	struct irdma_pble pble;

	struct irdma_idmap qp_ids;
	struct irdma_idmap cq_ids;
	struct irdma_idmap srq_ids;
	struct irdma_idmap pd_ids;
	struct irdma_idmap mr_ids;
	struct irdma_idmap ah_ids;
	struct irdma_idmap mcg_ids;
	struct irdma_idmap arp_ids;

	struct irdma_features features;
	struct xarray qps;
	struct xarray cqs;
	struct xarray srqs;

	struct list_head ibdevs;
	struct mutex ibdevs_lock; /* guards: ibdevs; process context */

	struct dma_pool *qpc_pool;
	atomic64_t dma_bytes;
	struct irdma_pushes pushes;
	struct irdma_arps arps;
	unsigned long gsi_taken;
	bool ccq_created;
	struct dentry *debugfs;
};

static inline u32 irdma_rd32(struct irdma_dev *dev, enum irdma_reg_id reg)
{
	return readl(dev->reg[reg]);
}

static inline void irdma_wr32(struct irdma_dev *dev, enum irdma_reg_id reg, u32 val)
{
	writel(val, dev->reg[reg]);
}

static inline bool irdma_has(const struct irdma_dev *dev, enum irdma_cap cap)
{
	return dev->caps & cap;
}

int irdma_dev_init(struct irdma_dev *dev, const struct irdma_gen *gen,
		   struct irdma_parent *parent, const struct irdma_event_ops *ops);
int irdma_dev_start(struct irdma_dev *dev);
void irdma_dev_stop(struct irdma_dev *dev);
void irdma_dev_fini(struct irdma_dev *dev);

#endif /* IRDMA_DEV_H */
