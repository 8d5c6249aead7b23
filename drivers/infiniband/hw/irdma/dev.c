// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One RDMA function: bring-up and shutdown, in the order that the device demands.
 *
 * The function's IB devices come and go above it; struct irdma_dev is there before
 * the first and after the last of them.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>

#include "cqp_cmd.h"
#include "dev.h"
#include "hw_qpc.h"
#include "park.h"

/* When the control CQ's consumer index is read again by the device. */
#define IRDMA_CCQ_SHADOW_THRESH	16

static void irdma_ids_fini(struct irdma_dev *dev)
{
	irdma_idmap_fini(&dev->qp_ids);
	irdma_idmap_fini(&dev->cq_ids);
	irdma_idmap_fini(&dev->srq_ids);
	irdma_idmap_fini(&dev->pd_ids);
	irdma_idmap_fini(&dev->mr_ids);
	irdma_idmap_fini(&dev->ah_ids);
	irdma_idmap_fini(&dev->mcg_ids);
	irdma_idmap_fini(&dev->arp_ids);
}

static u32 irdma_dev_cnt(const struct irdma_dev *dev, enum irdma_hmc_obj type)
{
	return dev->hmc.fpm.obj[type].cnt;
}

static int irdma_ids_init(struct irdma_dev *dev)
{
	const struct irdma_limits *limits = &dev->gen->limits;
	const struct {
		struct irdma_idmap *map;
		u32 limit;
		u32 reserved;
	} maps[] = {
		{ &dev->qp_ids, irdma_dev_cnt(dev, IRDMA_HMC_QP), IRDMA_QP_IDS_RESERVED },
		{ &dev->cq_ids, irdma_dev_cnt(dev, IRDMA_HMC_CQ), IRDMA_CQ_IDS_RESERVED },
		{ &dev->srq_ids, irdma_dev_cnt(dev, IRDMA_HMC_SRQ), IRDMA_OTHER_IDS_RESERVED },
		{ &dev->pd_ids, limits->pd_cnt, IRDMA_PD_IDS_RESERVED },
		{ &dev->mr_ids, irdma_dev_cnt(dev, IRDMA_HMC_MR), IRDMA_OTHER_IDS_RESERVED },
		{ &dev->ah_ids, irdma_dev_cnt(dev, IRDMA_HMC_AH), IRDMA_OTHER_IDS_RESERVED },
		{ &dev->mcg_ids, limits->mcg_cnt, IRDMA_OTHER_IDS_RESERVED },
		{ &dev->arp_ids, irdma_dev_cnt(dev, IRDMA_HMC_ARP), IRDMA_OTHER_IDS_RESERVED },
	};
	int err;

	for (unsigned int i = 0; i < ARRAY_SIZE(maps); i++) {
		err = irdma_idmap_init(maps[i].map, maps[i].limit, maps[i].reserved);
		if (err) {
			irdma_ids_fini(dev);
			return err;
		}
	}
	return 0;
}

/**
 * irdma_dev_init - a function that is not yet running
 * @dev: device, zeroed
 * @gen: its generation
 * @parent: LAN function; stays the caller's and outlives @dev
 * @ops: how events reach the objects
 *
 * Context: Process context; may sleep.
 * Return: 0 or -ENOMEM.
 */
int irdma_dev_init(struct irdma_dev *dev, const struct irdma_gen *gen,
		   struct irdma_parent *parent, const struct irdma_event_ops *ops)
{
	dev->gen = gen;
	dev->parent = parent;
	dev->pdev = parent->pdev;
	dev->caps = gen->caps;
	dev->ord_max = gen->limits.rd_atomic_max;
	dev->ird_max = gen->limits.rd_atomic_max;
	dev->eqs.ops = ops;
	xa_init_flags(&dev->qps, XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&dev->cqs, XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&dev->srqs, XA_FLAGS_LOCK_IRQ);
	INIT_LIST_HEAD(&dev->ibdevs);
	mutex_init(&dev->ibdevs_lock);
	irdma_arps_init(&dev->arps);
	irdma_vchnl_init(&dev->vchnl);
	return irdma_life_init(dev);
}

static struct irdma_cqp_cq_args irdma_ccq_args(struct irdma_dev *dev)
{
	return (struct irdma_cqp_cq_args){
		.ring.addr = dev->cqp.ccq.pa,
		.shadow_addr = dev->cqp.shadow.pa,
		.ctx = IRDMA_CQ_ID_CCQ,
		.id = IRDMA_CQ_ID_CCQ,
		.entries = IRDMA_CCQ_ENTRIES,
		.shadow_thresh = IRDMA_CCQ_SHADOW_THRESH,
		.ceq_valid = true,
		.check_overflow = true,
	};
}

static int irdma_ccq_create(struct irdma_dev *dev)
{
	const struct irdma_cqp_cq_args args = irdma_ccq_args(dev);
	int err;

	irdma_cqp_ccq_begin(&dev->cqp);
	err = irdma_cmd_create_cq(dev, &args);
	if (err)
		irdma_cqp_ccq_end(&dev->cqp);
	return err;
}

static void irdma_ccq_destroy(struct irdma_dev *dev)
{
	const struct irdma_cqp_cq_args args = irdma_ccq_args(dev);

	irdma_cqp_ccq_end(&dev->cqp);
	irdma_cmd_destroy_cq(dev, &args);
}

static int irdma_qpc_pool_init(struct irdma_dev *dev)
{
	dev->qpc_pool = dma_pool_create("irdma_qpc", &dev->pdev->dev, sizeof(struct irdma_qpc),
					IRDMA_QPC_ALIGN, 0);
	return dev->qpc_pool ? 0 : -ENOMEM;
}

static void irdma_qpc_pool_release(struct device *dev, const struct irdma_parked *parked)
{
	dma_pool_destroy(parked->owner);
}

/* A pool that is kept outlives the contexts that are: those came first. */
static void irdma_qpc_pool_fini(struct irdma_dev *dev)
{
	const struct irdma_parked pool = {
		.release = irdma_qpc_pool_release,
		.owner = dev->qpc_pool,
	};

	dev->qpc_pool = NULL;
	if (pool.owner && !irdma_park(&dev->pdev->dev, &pool))
		irdma_qpc_pool_release(&dev->pdev->dev, &pool);
}

static void irdma_dev_stop_cqp(struct irdma_dev *dev)
{
	irdma_life_end(dev);
	if (irdma_cqp_destroy(&dev->cqp)) {
		irdma_life_fail(dev, "engine cannot be stopped");
		irdma_life_end(dev);
	}
	irdma_qpc_pool_fini(dev);
	irdma_ids_fini(dev);
	irdma_eqs_fini(dev);
	irdma_pble_fini(dev);
	irdma_hmc_stop(dev);
	irdma_cqp_fini(&dev->cqp);
}

/* Control queue, what the device is, and the memory behind its objects. */
static int irdma_dev_start_cqp(struct irdma_dev *dev)
{
	int err;

	err = irdma_cqp_init(&dev->cqp, dev);
	if (err)
		return err;
	err = irdma_cqp_create(&dev->cqp);
	if (err)
		goto err_stop;
	err = irdma_cmd_query_features(dev, &dev->features);
	if (err)
		goto err_stop;
	if (dev->features.atomics)
		dev->caps |= IRDMA_CAP_ATOMICS;
	err = irdma_hmc_start(dev, &dev->features);
	if (err)
		goto err_stop;
	err = irdma_ids_init(dev);
	if (err)
		goto err_stop;
	err = irdma_qpc_pool_init(dev);
	if (err)
		goto err_stop;
	irdma_pushes_init(dev);
	return 0;

err_stop:
	irdma_dev_stop_cqp(dev);
	return err;
}

/* An event queue's vector: routed, its handler installed, enabled. */
static int irdma_dev_start_vector(struct irdma_dev *dev, unsigned int n)
{
	u32 vector = dev->parent->vectors[n].idx;
	int err;

	err = dev->gen->map_ceq(dev, n, vector);
	if (!err && !n)
		err = dev->gen->map_aeq(dev, vector);
	if (!err)
		err = irdma_irq_request(dev, n);
	if (err)
		return err;
	irdma_irq_enable(dev, n);
	return 0;
}

/* Control CQ, CEQ 0 and AEQ are made by polling; then interrupts begin. */
static int irdma_dev_start_events(struct irdma_dev *dev)
{
	unsigned int cnt = min(dev->parent->vector_cnt, dev->hmc.fpm.ceq_cnt);
	int err;

	if (cnt < 2)
		return -ENOSPC;
	err = irdma_eqs_init(dev, cnt);
	if (err)
		return err;
	err = irdma_ccq_create(dev);
	if (err)
		return err;
	dev->ccq_created = true;
	err = irdma_ceq_create(dev, 0);
	if (!err)
		err = irdma_aeq_create(dev);
	if (!err)
		err = irdma_dev_start_vector(dev, 0);
	if (err)
		return err;
	irdma_cqp_ccq_arm(&dev->cqp);
	for (unsigned int i = 1; i < cnt && !err; i++) {
		err = irdma_ceq_create(dev, i);
		if (!err)
			err = irdma_dev_start_vector(dev, i);
	}
	return err;
}

static void irdma_dev_stop_events(struct irdma_dev *dev)
{
	for (unsigned int i = dev->eqs.ceq_cnt; i-- > 1;) {
		irdma_irq_free(dev, i);
		irdma_ceq_destroy(dev, i);
	}
	if (!dev->ccq_created)
		return;
	/* From here on the control CQ is polled. */
	irdma_irq_free(dev, 0);
	irdma_aeq_destroy(dev);
	irdma_ceq_destroy(dev, 0);
	irdma_ccq_destroy(dev);
	dev->ccq_created = false;
}

/**
 * irdma_dev_start - bring the function up
 * @dev: device after irdma_dev_init()
 *
 * On success the device takes commands and its event queues work; on failure all is
 * undone.
 *
 * Context: Process context; may sleep.
 * Return: 0; -ENOSPC with fewer than two interrupt vectors; -EOPNOTSUPP for another
 * generation; -ENXIO when the device does not tell all that is needed; else what its
 * answers or lack of them cause.
 */
int irdma_dev_start(struct irdma_dev *dev)
{
	int err;

	err = dev->gen->attach(dev);
	if (err)
		return err;
	irdma_pble_init(dev);
	err = irdma_dev_start_cqp(dev);
	if (err)
		goto err_detach;
	err = irdma_dev_start_events(dev);
	if (!err && !irdma_life_begin(dev))
		err = -EIO;
	if (err)
		goto err_stop;
	irdma_park_close(&dev->pdev->dev);
	return 0;

err_stop:
	irdma_dev_stop_events(dev);
	irdma_dev_stop_cqp(dev);
err_detach:
	dev->gen->detach(dev);
	return err;
}

/**
 * irdma_dev_stop - shut the function down
 * @dev: device that irdma_dev_start() brought up; all objects are destroyed
 *
 * Context: Process context; may sleep.
 */
void irdma_dev_stop(struct irdma_dev *dev)
{
	irdma_arps_fini(dev);
	irdma_pushes_fini(dev);
	irdma_dev_stop_events(dev);
	irdma_dev_stop_cqp(dev);
	dev->gen->detach(dev);
}

/**
 * irdma_dev_fini - undo irdma_dev_init()
 * @dev: device that is not running
 *
 * Context: Process context; may sleep.
 */
void irdma_dev_fini(struct irdma_dev *dev)
{
	irdma_life_fini(dev);
	irdma_vchnl_fini(&dev->vchnl);
	mutex_destroy(&dev->ibdevs_lock);
	xa_destroy(&dev->srqs);
	xa_destroy(&dev->cqs);
	xa_destroy(&dev->qps);
}
