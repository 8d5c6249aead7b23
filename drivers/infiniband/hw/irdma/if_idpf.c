// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Binding to idpf: one auxiliary device for the function, one per vport.
 *
 * idpf makes the function's device when the control plane grants RDMA. Once that
 * one works it is told so, and makes a device for each vport that may do RDMA;
 * they disappear again before the function does. When the machine goes down the
 * function is left while idpf can still speak to the control plane.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/auxiliary_bus.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/net/intel/iidc_rdma.h>
#include <linux/net/intel/iidc_rdma_idpf.h>
#include <linux/slab.h>

#include "debugfs.h"
#include "dev.h"
#include "if_idpf.h"
#include "verbs.h"

/**
 * struct irdma_idpf - a function under idpf
 * @dev: function
 * @parent: what @dev knows of idpf
 * @cdev: idpf's side
 */
struct irdma_idpf {
	struct irdma_dev dev;
	struct irdma_parent parent;
	struct iidc_rdma_core_dev_info *cdev;
};

static struct iidc_rdma_core_dev_info *irdma_idpf_cdev(struct irdma_parent *parent)
{
	return container_of(parent, struct irdma_idpf, parent)->cdev;
}

static int irdma_idpf_vchnl_send(struct irdma_parent *parent, void *msg, u16 len,
				 void *resp, u16 *resp_len)
{
	return idpf_idc_rdma_vc_send_sync(irdma_idpf_cdev(parent), msg, len, resp, resp_len);
}

static void irdma_idpf_request_reset(struct irdma_parent *parent)
{
	idpf_idc_request_reset(irdma_idpf_cdev(parent), IIDC_FUNC_RESET);
}

static const struct irdma_parent_ops irdma_idpf_parent_ops = {
	.vchnl_send = irdma_idpf_vchnl_send,
	.request_reset = irdma_idpf_request_reset,
};

static void irdma_idpf_parent_fini(struct irdma_parent *parent)
{
	kfree(parent->vectors);
	kfree(parent->regions);
}

static int irdma_idpf_parent_init(struct irdma_parent *parent,
				  struct iidc_rdma_core_dev_info *cdev)
{
	const struct iidc_rdma_priv_dev_info *priv = cdev->iidc_priv;

	parent->ops = &irdma_idpf_parent_ops;
	parent->pdev = cdev->pdev;
	parent->vf = priv->ftype == IIDC_FUNCTION_TYPE_VF;
	parent->region_cnt = le16_to_cpu(priv->num_memory_regions);
	parent->vector_cnt = priv->msix_count;
	parent->regions = kzalloc_objs(*parent->regions, parent->region_cnt);
	parent->vectors = kzalloc_objs(*parent->vectors, parent->vector_cnt);
	if (!parent->regions || !parent->vectors) {
		irdma_idpf_parent_fini(parent);
		return -ENOMEM;
	}
	for (unsigned int i = 0; i < parent->region_cnt; i++) {
		const struct iidc_rdma_lan_mapped_mem_region *r = &priv->mapped_mem_regions[i];

		parent->regions[i] = (struct irdma_region){
			.va = r->region_addr,
			.offset = le64_to_cpu(r->start_offset),
			.bytes = le64_to_cpu(r->size),
		};
	}
	for (unsigned int i = 0; i < parent->vector_cnt; i++) {
		parent->vectors[i].irq = priv->msix_entries[i].vector;
		parent->vectors[i].idx = priv->msix_entries[i].entry;
	}
	return 0;
}

static int irdma_idpf_core_probe(struct auxiliary_device *adev,
				 const struct auxiliary_device_id *id)
{
	struct iidc_rdma_core_auxiliary_dev *iadev =
		container_of(adev, struct iidc_rdma_core_auxiliary_dev, adev);
	struct irdma_idpf *idpf;
	int err;

	idpf = kvzalloc_obj(*idpf);
	if (!idpf)
		return -ENOMEM;
	idpf->cdev = iadev->cdev_info;
	err = irdma_idpf_parent_init(&idpf->parent, idpf->cdev);
	if (err)
		goto err_free;
	err = irdma_dev_init(&idpf->dev, &irdma_gen3, &idpf->parent, &irdma_verbs_event_ops);
	if (err)
		goto err_parent;
	err = irdma_dev_start(&idpf->dev);
	if (err)
		goto err_fini;
	irdma_debugfs_add(&idpf->dev);
	auxiliary_set_drvdata(adev, idpf);
	err = idpf_idc_vport_dev_ctrl(idpf->cdev, true);
	if (err)
		goto err_down;
	return 0;

err_down:
	idpf_idc_vport_dev_ctrl(idpf->cdev, false);
	auxiliary_set_drvdata(adev, NULL);
	irdma_debugfs_del(&idpf->dev);
	irdma_dev_stop(&idpf->dev);
err_fini:
	irdma_dev_fini(&idpf->dev);
err_parent:
	irdma_idpf_parent_fini(&idpf->parent);
err_free:
	kvfree(idpf);
	return err;
}

static void irdma_idpf_core_remove(struct auxiliary_device *adev)
{
	struct irdma_idpf *idpf = auxiliary_get_drvdata(adev);

	/* It was shut down before. */
	if (!idpf)
		return;
	idpf_idc_vport_dev_ctrl(idpf->cdev, false);
	auxiliary_set_drvdata(adev, NULL);
	irdma_debugfs_del(&idpf->dev);
	irdma_dev_stop(&idpf->dev);
	irdma_dev_fini(&idpf->dev);
	irdma_idpf_parent_fini(&idpf->parent);
	kvfree(idpf);
}

static void irdma_idpf_core_event(struct iidc_rdma_core_dev_info *cdev,
				  struct iidc_rdma_event *event)
{
	struct irdma_idpf *idpf = auxiliary_get_drvdata(cdev->adev);

	if (idpf && test_bit(IIDC_RDMA_EVENT_WARN_RESET, event->type))
		irdma_life_warn(&idpf->dev);
}

static int irdma_idpf_vport_probe(struct auxiliary_device *adev,
				  const struct auxiliary_device_id *id)
{
	struct iidc_rdma_vport_auxiliary_dev *iadev =
		container_of(adev, struct iidc_rdma_vport_auxiliary_dev, adev);
	struct iidc_rdma_vport_dev_info *vdev = iadev->vdev_info;
	struct irdma_idpf *idpf = auxiliary_get_drvdata(vdev->core_adev);
	struct irdma_ibdev *ibdev;
	int err;

	if (!idpf)
		return -ENODEV;
	ibdev = irdma_ib_alloc_device(&idpf->dev, vdev->netdev, vdev->vport_id);
	if (!ibdev)
		return -ENOMEM;
	err = irdma_ib_register_device(ibdev);
	if (err) {
		ib_dealloc_device(&ibdev->ib);
		return err;
	}
	auxiliary_set_drvdata(adev, ibdev);
	return 0;
}

static void irdma_idpf_vport_remove(struct auxiliary_device *adev)
{
	irdma_ib_unregister_device(auxiliary_get_drvdata(adev));
}

static const struct auxiliary_device_id irdma_idpf_core_ids[] = {
	{ .name = "idpf.8086.rdma.core" },
	{}
};
MODULE_DEVICE_TABLE(auxiliary, irdma_idpf_core_ids);

static const struct auxiliary_device_id irdma_idpf_vport_ids[] = {
	{ .name = "idpf.8086.rdma.vdev" },
	{}
};
MODULE_DEVICE_TABLE(auxiliary, irdma_idpf_vport_ids);

static struct iidc_rdma_core_auxiliary_drv irdma_idpf_core_drv = {
	.adrv = {
		.name = "idpf_core",
		.id_table = irdma_idpf_core_ids,
		.probe = irdma_idpf_core_probe,
		.remove = irdma_idpf_core_remove,
		.shutdown = irdma_idpf_core_remove,
	},
	.event_handler = irdma_idpf_core_event,
};

static struct iidc_rdma_vport_auxiliary_drv irdma_idpf_vport_drv = {
	.adrv = {
		.name = "idpf_vport",
		.id_table = irdma_idpf_vport_ids,
		.probe = irdma_idpf_vport_probe,
		.remove = irdma_idpf_vport_remove,
	},
};

/**
 * irdma_idpf_register - bind to idpf's auxiliary devices
 *
 * Context: Module init.
 * Return: 0 or what the auxiliary bus returns.
 */
int irdma_idpf_register(void)
{
	int err;

	err = auxiliary_driver_register(&irdma_idpf_core_drv.adrv);
	if (err)
		return err;
	err = auxiliary_driver_register(&irdma_idpf_vport_drv.adrv);
	if (err)
		auxiliary_driver_unregister(&irdma_idpf_core_drv.adrv);
	return err;
}

/**
 * irdma_idpf_unregister - undo irdma_idpf_register()
 *
 * Context: Module exit.
 */
void irdma_idpf_unregister(void)
{
	auxiliary_driver_unregister(&irdma_idpf_vport_drv.adrv);
	auxiliary_driver_unregister(&irdma_idpf_core_drv.adrv);
}
