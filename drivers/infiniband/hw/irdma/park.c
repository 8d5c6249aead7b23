// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory of an engine that could not be stopped.
 *
 * Such an engine may go on writing what it was told of, while the objects and the
 * driver's device go away around it. Whatever is freed meanwhile is kept here, beyond
 * the life of both, until the function was brought up anew, which a reset precedes.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/device.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "park.h"

/* A device whose engine could not be stopped, and what waits for it. */
struct irdma_lot {
	struct list_head link;
	struct device *dev;
	struct list_head parked;
};

static LIST_HEAD(irdma_lots);
static DEFINE_MUTEX(irdma_lots_lock); /* guards: irdma_lots and its members; process context */

static struct irdma_lot *irdma_lot_of(struct device *dev)
{
	struct irdma_lot *lot;

	lockdep_assert_held(&irdma_lots_lock);
	list_for_each_entry(lot, &irdma_lots, link)
		if (lot->dev == dev)
			return lot;
	return NULL;
}

static void irdma_lot_free(struct irdma_lot *lot, bool release)
{
	struct irdma_parked *parked, *next;
	unsigned int cnt = 0;

	list_for_each_entry_safe(parked, next, &lot->parked, link) {
		if (release)
			parked->release(lot->dev, parked);
		kfree(parked);
		cnt++;
	}
	dev_info(lot->dev, "irdma: %u pieces of memory %s\n", cnt,
		 release ? "freed after a reset" : "lost to an engine that could not be stopped");
	list_del(&lot->link);
	put_device(lot->dev);
	kfree(lot);
}

/**
 * irdma_park_open - a device's engine could not be stopped
 * @dev: device
 *
 * From now on irdma_park() keeps its memory.
 *
 * Context: Process context; may sleep.
 */
void irdma_park_open(struct device *dev)
{
	struct irdma_lot *lot;

	guard(mutex)(&irdma_lots_lock);
	if (irdma_lot_of(dev))
		return;
	lot = kzalloc_obj(*lot, GFP_KERNEL | __GFP_NOFAIL);
	lot->dev = get_device(dev);
	INIT_LIST_HEAD(&lot->parked);
	list_add_tail(&lot->link, &irdma_lots);
}

/**
 * irdma_park - keep memory that a device may still write
 * @dev: device
 * @parked: the memory; copied
 *
 * Context: Process context; may sleep.
 * Return: true when it is kept; false when the caller may free it at once.
 */
bool irdma_park(struct device *dev, const struct irdma_parked *parked)
{
	struct irdma_parked *copy;
	struct irdma_lot *lot;

	/* The engine is found to run on before its memory is freed, by the same thread or
	 * by one that is waited for: an empty list is not out of date.
	 */
	if (list_empty_careful(&irdma_lots))
		return false;
	guard(mutex)(&irdma_lots_lock);
	lot = irdma_lot_of(dev);
	if (!lot)
		return false;
	copy = kmemdup(parked, sizeof(*parked), GFP_KERNEL | __GFP_NOFAIL);
	list_add_tail(&copy->link, &lot->parked);
	return true;
}

/**
 * irdma_park_close - a device was reset
 * @dev: device
 *
 * Frees what was kept, in the order in which it came.
 *
 * Context: Process context; may sleep.
 */
void irdma_park_close(struct device *dev)
{
	struct irdma_lot *lot;

	guard(mutex)(&irdma_lots_lock);
	lot = irdma_lot_of(dev);
	if (lot)
		irdma_lot_free(lot, true);
}

/**
 * irdma_park_fini - nobody will bring a device up any more
 * @gone: does a device write no memory since it is not there any more
 *
 * What is kept for other devices is lost: that is the lesser evil.
 *
 * Context: Module exit.
 */
void irdma_park_fini(bool (*gone)(struct device *dev))
{
	struct irdma_lot *lot, *next;

	guard(mutex)(&irdma_lots_lock);
	list_for_each_entry_safe(lot, next, &irdma_lots, link)
		irdma_lot_free(lot, gone(lot->dev));
}
