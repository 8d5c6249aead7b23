// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Peers: the device's table of MAC addresses.
 *
 * The core resolves addresses; the device only wants the MAC, by index. The table is
 * the function's: all its IB devices share it. An entry is shared by all that talk to
 * the same MAC, and stays in the table when the last of them goes, until the table is
 * full: talking to a known peer costs no command.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <linux/etherdevice.h>
#include <linux/slab.h>

#include "cqp_cmd.h"
#include "dev.h"
#include "netdev.h"

/**
 * irdma_arps_init - an empty table
 * @arps: table
 */
void irdma_arps_init(struct irdma_arps *arps)
{
	spin_lock_init(&arps->lock);
	hash_init(arps->hash);
	INIT_LIST_HEAD(&arps->idle);
}

static struct irdma_arp *irdma_arp_find_locked(struct irdma_arps *arps, const u8 *mac)
{
	struct irdma_arp *arp;

	lockdep_assert_held(&arps->lock);
	hash_for_each_possible(arps->hash, arp, node, ether_addr_to_u64(mac))
		if (ether_addr_equal(arp->mac, mac))
			return arp;
	return NULL;
}

static bool irdma_arp_ref(struct irdma_arps *arps, const u8 *mac, u16 *idx)
{
	struct irdma_arp *arp;

	guard(spinlock_irqsave)(&arps->lock);
	arp = irdma_arp_find_locked(arps, mac);
	if (!arp)
		return false;
	if (!arp->refs++)
		list_del_init(&arp->idle);
	*idx = arp->idx;
	return true;
}

/* Takes the entry that has been unused for the longest time out of the table. */
static struct irdma_arp *irdma_arp_evict(struct irdma_arps *arps)
{
	struct irdma_arp *arp;

	guard(spinlock_irqsave)(&arps->lock);
	arp = list_first_entry_or_null(&arps->idle, struct irdma_arp, idle);
	if (arp) {
		list_del_init(&arp->idle);
		hash_del(&arp->node);
	}
	return arp;
}

/* Keeps an entry that was taken out, and that the device would not forget, for another try. */
static void irdma_arp_restore(struct irdma_arps *arps, struct irdma_arp *arp)
{
	guard(spinlock_irqsave)(&arps->lock);
	if (!irdma_arp_find_locked(arps, arp->mac))
		hash_add(arps->hash, &arp->node, ether_addr_to_u64(arp->mac));
	list_add_tail(&arp->idle, &arps->idle);
}

/* Ends an entry that nobody finds; one that a live device keeps is idle again. */
static int irdma_arp_del(struct irdma_dev *dev, struct irdma_arp *arp, bool atomic)
{
	int err;

	err = irdma_cmd_del_arp(dev, arp->idx, atomic);
	if (err && irdma_life_running(dev)) {
		irdma_arp_restore(&dev->arps, arp);
		return err;
	}
	irdma_idmap_free(&dev->arp_ids, arp->idx);
	kfree(arp);
	return 0;
}

/**
 * irdma_arps_fini - take all entries out of the device's table
 * @dev: device; nobody uses an entry
 *
 * Context: Process context; may sleep.
 */
void irdma_arps_fini(struct irdma_dev *dev)
{
	struct irdma_arp *arp;

	while ((arp = irdma_arp_evict(&dev->arps))) {
		irdma_cmd_del_arp(dev, arp->idx, false);
		irdma_idmap_free(&dev->arp_ids, arp->idx);
		kfree(arp);
	}
}

/* An index for a new entry; when all are taken old entries go. */
static int irdma_arp_idx(struct irdma_dev *dev, bool atomic, u32 *idx)
{
	struct irdma_arp *old;
	int err;

	while (irdma_idmap_alloc(&dev->arp_ids, idx)) {
		old = irdma_arp_evict(&dev->arps);
		if (!old)
			return -ENOMEM;
		err = irdma_arp_del(dev, old, atomic);
		if (err)
			return err;
	}
	return 0;
}

/* Lets a new entry be found; false when another thread was faster. */
static bool irdma_arp_insert(struct irdma_arps *arps, struct irdma_arp *arp)
{
	guard(spinlock_irqsave)(&arps->lock);
	if (irdma_arp_find_locked(arps, arp->mac))
		return false;
	hash_add(arps->hash, &arp->node, ether_addr_to_u64(arp->mac));
	return true;
}

static int irdma_arp_add(struct irdma_dev *dev, const u8 *mac, bool atomic)
{
	struct irdma_arp *arp = kzalloc_obj(*arp, atomic ? GFP_ATOMIC : GFP_KERNEL);
	int err;

	if (!arp)
		return -ENOMEM;
	ether_addr_copy(arp->mac, mac);
	INIT_LIST_HEAD(&arp->idle);
	err = irdma_arp_idx(dev, atomic, &arp->idx);
	if (err)
		goto err_free;
	err = irdma_cmd_add_arp(dev, arp->idx, mac, atomic);
	if (err)
		goto err_idx;
	if (!irdma_arp_insert(&dev->arps, arp))
		irdma_arp_del(dev, arp, atomic);
	return 0;

err_idx:
	irdma_idmap_free(&dev->arp_ids, arp->idx);
err_free:
	kfree(arp);
	return err;
}

/**
 * irdma_arp_get - index of a peer in the device's table
 * @dev: device
 * @mac: the peer's address
 * @atomic: do not sleep
 * @idx: set on success; irdma_arp_put() ends its use
 *
 * Context: As @atomic says.
 * Return: 0; -ENOMEM when the table is full of peers in use; -EAGAIN when @atomic and the
 * command queue is full; errnos of the command queue.
 */
int irdma_arp_get(struct irdma_dev *dev, const u8 *mac, bool atomic, u16 *idx)
{
	int err;

	while (!irdma_arp_ref(&dev->arps, mac, idx)) {
		err = irdma_arp_add(dev, mac, atomic);
		if (err)
			return err;
	}
	return 0;
}

/**
 * irdma_arp_put - a peer's index is used no more by one of its users
 * @dev: device
 * @mac: address given to irdma_arp_get()
 *
 * Context: Any context.
 */
void irdma_arp_put(struct irdma_dev *dev, const u8 *mac)
{
	struct irdma_arps *arps = &dev->arps;
	struct irdma_arp *arp;

	guard(spinlock_irqsave)(&arps->lock);
	arp = irdma_arp_find_locked(arps, mac);
	if (!WARN_ON_ONCE(!arp || !arp->refs) && !--arp->refs)
		list_add_tail(&arp->idle, &arps->idle);
}
