/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_NETDEV_H
#define IRDMA_NETDEV_H

#include <linux/hashtable.h>
#include <linux/if_ether.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct irdma_dev;

#define IRDMA_ARP_HASH_BITS	8

/**
 * struct irdma_arp - a peer's MAC in the device's table
 * @node: in the hash, by @mac
 * @idle: in the list of unused entries, oldest first
 * @mac: address
 * @idx: index in the device's table
 * @refs: QPs and address handles that use it
 */
struct irdma_arp {
	struct hlist_node node;
	struct list_head idle;
	u8 mac[ETH_ALEN];
	u32 idx;
	unsigned int refs;
};

/**
 * struct irdma_arps - what the driver knows of the device's table
 * @lock: guards the rest and the entries; taken in any context, interrupts off. Innermost
 * @hash: entries
 * @idle: entries that nobody uses, kept for the next one who does
 */
struct irdma_arps {
	spinlock_t lock; /* guards: hash, idle list, references; any context */
	DECLARE_HASHTABLE(hash, IRDMA_ARP_HASH_BITS);
	struct list_head idle;
};

void irdma_arps_init(struct irdma_arps *arps);
void irdma_arps_fini(struct irdma_dev *dev);
int irdma_arp_get(struct irdma_dev *dev, const u8 *mac, bool atomic, u16 *idx);
void irdma_arp_put(struct irdma_dev *dev, const u8 *mac);

#endif /* IRDMA_NETDEV_H */
