// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The function's life: running, failed, resetting, gone.
 *
 * State moves in one direction. Every step away from running stops the command
 * queue, so that nobody waits for an answer that will not come, and then makes the
 * engine forget the control queue, after which it touches no host memory: objects
 * that are destroyed from then on are only freed. An engine that cannot be stopped
 * keeps its memory until it was reset. A reset is requested at most once
 * in the life of a struct irdma_dev: the LAN driver answers by taking the device
 * away and making it anew.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>

#include "dev.h"
#include "park.h"
#include "reset.h"

static void irdma_life_quiesce_work(struct work_struct *work)
{
	struct irdma_dev *dev = container_of(work, struct irdma_dev, life.quiesce);

	if (irdma_cqp_destroy(&dev->cqp)) {
		dev_err(&dev->pdev->dev, "irdma: engine cannot be stopped\n");
		irdma_park_open(&dev->pdev->dev);
	}
	complete_all(&dev->life.stopped);
	/* A function that never worked would be reset, and fail, for ever. */
	if (!READ_ONCE(dev->life.up))
		return;
	dev->eqs.ops->fatal(dev);
	if (READ_ONCE(dev->life.state) == IRDMA_LIFE_FAILED)
		dev->parent->ops->request_reset(dev->parent);
}

/**
 * irdma_life_init - a function whose commands are obeyed
 * @dev: device
 *
 * Context: Process context; may sleep.
 * Return: 0 or -ENOMEM.
 */
int irdma_life_init(struct irdma_dev *dev)
{
	dev->life.wq = alloc_ordered_workqueue("irdma-%s", WQ_MEM_RECLAIM, pci_name(dev->pdev));
	if (!dev->life.wq)
		return -ENOMEM;
	dev->life.state = IRDMA_LIFE_RUNNING;
	init_completion(&dev->life.stopped);
	INIT_WORK(&dev->life.quiesce, irdma_life_quiesce_work);
	return 0;
}

/**
 * irdma_life_fini - undo irdma_life_init()
 * @dev: device; nobody may call irdma_life_fail() any more
 *
 * Context: Process context; may sleep.
 */
void irdma_life_fini(struct irdma_dev *dev)
{
	destroy_workqueue(dev->life.wq);
}

/**
 * irdma_life_end - wait until the engine has stopped, if it is being stopped
 * @dev: device; nobody may call irdma_life_fail() any more
 *
 * Context: Process context; may sleep.
 */
void irdma_life_end(struct irdma_dev *dev)
{
	irdma_life_settle(dev);
	flush_work(&dev->life.quiesce);
}

/**
 * irdma_life_running - may commands be posted
 * @dev: device
 *
 * The answer may be out of date when it arrives; the command queue decides again.
 *
 * Context: Any context.
 * Return: true while the function runs.
 */
bool irdma_life_running(const struct irdma_dev *dev)
{
	return READ_ONCE(dev->life.state) == IRDMA_LIFE_RUNNING;
}

/**
 * irdma_life_begin - the function was brought up
 * @dev: device
 *
 * A failure from now on asks for a reset.
 *
 * Context: Process context.
 * Return: false when the function has failed already.
 */
bool irdma_life_begin(struct irdma_dev *dev)
{
	/* Pairs with the cmpxchg in irdma_life_move(): one of the two sees the other. */
	smp_store_mb(dev->life.up, true);
	return irdma_life_running(dev);
}

/**
 * irdma_life_settle - wait until an engine that is being stopped has stopped
 * @dev: device; one that runs is not waited for
 *
 * Context: Process context; may sleep.
 */
void irdma_life_settle(struct irdma_dev *dev)
{
	if (!irdma_life_running(dev))
		wait_for_completion(&dev->life.stopped);
}

/**
 * irdma_life_err - why commands are refused
 * @dev: device
 *
 * Context: Any context.
 * Return: 0 when they are not; -EBUSY before or during a reset; -ENODEV when the device
 * is gone.
 */
int irdma_life_err(const struct irdma_dev *dev)
{
	switch (READ_ONCE(dev->life.state)) {
	case IRDMA_LIFE_RUNNING:
		return 0;
	case IRDMA_LIFE_GONE:
		return -ENODEV;
	default:
		return -EBUSY;
	}
}

/* Moves on to @to; false when the state is there already or further on. */
static bool irdma_life_move(struct irdma_dev *dev, int to)
{
	int from = READ_ONCE(dev->life.state);

	do {
		if (from >= to)
			return false;
	} while (!try_cmpxchg(&dev->life.state, &from, to));
	return true;
}

/**
 * irdma_life_fail - give the device up and ask for a function reset
 * @dev: device
 * @why: for the log
 *
 * Only the first call does anything. A device that has vanished from PCI is marked gone
 * and no reset is asked for.
 *
 * Context: Any context.
 */
void irdma_life_fail(struct irdma_dev *dev, const char *why)
{
	bool gone = !pci_device_is_present(dev->pdev);

	if (!irdma_life_move(dev, gone ? IRDMA_LIFE_GONE : IRDMA_LIFE_FAILED))
		return;
	dev_err(&dev->pdev->dev, "irdma: %s; %s\n", why,
		gone ? "device is gone" : "requesting a function reset");
	irdma_cqp_abort(&dev->cqp);
	queue_work(dev->life.wq, &dev->life.quiesce);
}

/**
 * irdma_life_warn - the LAN driver announces a reset
 * @dev: device
 *
 * The engine has stopped, or does not answer, when the function returns.
 *
 * Context: Process context; may sleep.
 */
void irdma_life_warn(struct irdma_dev *dev)
{
	if (!irdma_life_move(dev, IRDMA_LIFE_RESETTING))
		return;
	irdma_vchnl_stop(&dev->vchnl);
	irdma_cqp_abort(&dev->cqp);
	queue_work(dev->life.wq, &dev->life.quiesce);
	flush_work(&dev->life.quiesce);
}

/**
 * irdma_life_destroy_err - what the failure of a destroying command means
 * @dev: device
 * @err: how the command ended
 *
 * A device that runs and refuses keeps the object. One that does not run any more has
 * no say: the function waits until the engine has stopped, and the object may be freed.
 *
 * Context: Process context; may sleep.
 * Return: 0 when the object is to be freed; -EIO when it has to stay.
 */
int irdma_life_destroy_err(struct irdma_dev *dev, int err)
{
	if (!err)
		return 0;
	if (irdma_life_running(dev))
		return -EIO;
	irdma_life_settle(dev);
	return 0;
}

/**
 * irdma_life_forfeit - an object must go, whether the device lets it go or not
 * @dev: device
 * @err: how its destruction ended
 *
 * A half-made object that a live device refuses to destroy cannot be kept for another
 * try. Its memory may be freed when the function returns: the engine has stopped then.
 *
 * Context: Process context; may sleep.
 */
void irdma_life_forfeit(struct irdma_dev *dev, int err)
{
	if (!err)
		return;
	irdma_life_fail(dev, "device keeps an object that was not finished");
	irdma_life_settle(dev);
}
