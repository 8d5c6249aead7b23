// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Interrupt vectors.
 *
 * A vector is level-like: the device disables it when it fires, and the handler
 * enables it again after the queues behind it were drained. All work is done in
 * the interrupt's thread, so that no handler of a consumer runs with interrupts
 * off, in rounds of a bounded number of entries.
 *
 * Vector 0 serves the AEQ and CEQ 0, which carries the control CQ alone; vector n
 * serves CEQ n, for the CQs of consumers.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/sched.h>
#include <linux/topology.h>

#include "dev.h"
#include "irq.h"

/* Entries handled before others on this CPU get a turn. */
#define IRDMA_IRQ_BUDGET	128

static void __iomem *irdma_irq_ctl(struct irdma_dev *dev, u32 idx)
{
	u8 __iomem *base = dev->reg[IRDMA_REG_INTR_CTL];

	if (dev->parent->vf)
		return base + (idx - 1) * IRDMA_VF_INTR_CTL_STRIDE;
	return base + idx * IRDMA_PF_INTR_CTL_STRIDE;
}

/**
 * irdma_irq_enable - let a vector fire
 * @dev: device
 * @n: vector, counted from 0 among RDMA's
 *
 * Context: Any context.
 */
void irdma_irq_enable(struct irdma_dev *dev, unsigned int n)
{
	writel(IRDMA_INTR_CTL_ENABLE | IRDMA_INTR_CTL_CLEAR_PENDING,
	       irdma_irq_ctl(dev, dev->parent->vectors[n].idx));
}

static irqreturn_t irdma_irq_hard(int irq, void *arg)
{
	return IRQ_WAKE_THREAD;
}

static irqreturn_t irdma_irq_thread(int irq, void *arg)
{
	struct irdma_vector *v = arg;
	struct irdma_dev *dev = v->dev;
	unsigned int done;

	do {
		done = irdma_ceq_poll(&dev->eqs.ceq[v->ceq_id], IRDMA_IRQ_BUDGET);
		if (!v->ceq_id)
			done = max(done, irdma_aeq_poll(dev, IRDMA_IRQ_BUDGET));
		cond_resched();
	} while (done == IRDMA_IRQ_BUDGET);
	irdma_irq_enable(dev, v->ceq_id);
	return IRQ_HANDLED;
}

/**
 * irdma_irq_request - install a vector's handler; the vector stays disabled
 * @dev: device
 * @n: vector, counted from 0 among RDMA's
 *
 * Data vectors are spread over the CPUs nearest to the device.
 *
 * Context: Process context; may sleep.
 * Return: 0 or what request_threaded_irq() returns.
 */
int irdma_irq_request(struct irdma_dev *dev, unsigned int n)
{
	struct irdma_vector *v = &dev->parent->vectors[n];
	int node = dev_to_node(&dev->pdev->dev);
	int err;

	v->dev = dev;
	v->ceq_id = n;
	snprintf(v->name, sizeof(v->name), "irdma-%s-%u", pci_name(dev->pdev), n);
	err = request_threaded_irq(v->irq, irdma_irq_hard, irdma_irq_thread, 0, v->name, v);
	if (err)
		return err;
	v->requested = true;
	irq_update_affinity_hint(v->irq, cpumask_of(cpumask_local_spread(n ? n - 1 : 0, node)));
	return 0;
}

/**
 * irdma_irq_free - disable a vector and remove its handler
 * @dev: device
 * @n: vector; one whose handler was never installed is left alone
 *
 * The handler does not run any more when the function returns.
 *
 * Context: Process context; may sleep.
 */
void irdma_irq_free(struct irdma_dev *dev, unsigned int n)
{
	struct irdma_vector *v = &dev->parent->vectors[n];

	if (!v->requested)
		return;
	irq_update_affinity_hint(v->irq, NULL);
	/* The thread enables the vector when it ends: disable it after the last one. */
	free_irq(v->irq, v);
	writel(0, irdma_irq_ctl(dev, v->idx));
	v->requested = false;
}
