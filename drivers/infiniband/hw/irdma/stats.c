// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counters of the function.
 *
 * The device writes all of them into a buffer when asked; from generation 3 on they
 * have 64 bits and are used as they are.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "cqp_cmd.h"
#include "dev.h"
#include "stats.h"
#include "verbs.h"

/*
 * Gather-statistics buffer of generation 3, in the order of presentation; priv is the
 * counter's byte offset in the buffer.
 */
static const struct rdma_stat_desc irdma_stat_descs[] = {
	{ .name = "ip4InDiscards", .priv = (const void *)24 },
	{ .name = "ip4InTruncatedPkts", .priv = (const void *)32 },
	{ .name = "ip4OutNoRoutes", .priv = (const void *)200 },
	{ .name = "ip6InDiscards", .priv = (const void *)80 },
	{ .name = "ip6InTruncatedPkts", .priv = (const void *)88 },
	{ .name = "ip6OutNoRoutes", .priv = (const void *)208 },
	{ .name = "RetransSegs", .priv = (const void *)216 },
	{ .name = "InOptErrors", .priv = (const void *)224 },
	{ .name = "InProtoErrors", .priv = (const void *)232 },
	{ .name = "rxVlanErrors", .priv = (const void *)0 },
	{ .name = "ip4InOctets", .priv = (const void *)8 },
	{ .name = "ip4InPkts", .priv = (const void *)16 },
	{ .name = "ip4InReasmRqd", .priv = (const void *)40 },
	{ .name = "ip4InMcastPkts", .priv = (const void *)56 },
	{ .name = "ip4OutOctets", .priv = (const void *)120 },
	{ .name = "ip4OutPkts", .priv = (const void *)128 },
	{ .name = "ip4OutSegRqd", .priv = (const void *)136 },
	{ .name = "ip4OutMcastPkts", .priv = (const void *)152 },
	{ .name = "ip6InOctets", .priv = (const void *)64 },
	{ .name = "ip6InPkts", .priv = (const void *)72 },
	{ .name = "ip6InReasmRqd", .priv = (const void *)96 },
	{ .name = "ip6InMcastPkts", .priv = (const void *)112 },
	{ .name = "ip6OutOctets", .priv = (const void *)160 },
	{ .name = "ip6OutPkts", .priv = (const void *)168 },
	{ .name = "ip6OutSegRqd", .priv = (const void *)176 },
	{ .name = "ip6OutMcastPkts", .priv = (const void *)192 },
	{ .name = "InSegs", .priv = (const void *)248 },
	{ .name = "OutSegs", .priv = (const void *)240 },
	{ .name = "InRdmaReads", .priv = (const void *)280 },
	{ .name = "InRdmaSends", .priv = (const void *)288 },
	{ .name = "InRdmaWrites", .priv = (const void *)272 },
	{ .name = "OutRdmaReads", .priv = (const void *)304 },
	{ .name = "OutRdmaSends", .priv = (const void *)312 },
	{ .name = "OutRdmaWrites", .priv = (const void *)296 },
	{ .name = "RdmaBnd", .priv = (const void *)320 },
	{ .name = "RdmaInv", .priv = (const void *)328 },
	{ .name = "ip4InMcastOctets", .priv = (const void *)48 },
	{ .name = "ip4OutMcastOctets", .priv = (const void *)144 },
	{ .name = "ip6InMcastOctets", .priv = (const void *)104 },
	{ .name = "ip6OutMcastOctets", .priv = (const void *)184 },
	{ .name = "RxUDP", .priv = (const void *)256 },
	{ .name = "TxUDP", .priv = (const void *)264 },
	{ .name = "RxECNMrkd", .priv = (const void *)336 },
	{ .name = "cnpHandled", .priv = (const void *)344 },
	{ .name = "cnpIgnored", .priv = (const void *)352 },
	{ .name = "cnpSent", .priv = (const void *)360 },
	{ .name = "RNR_sent", .priv = (const void *)368 },
	{ .name = "RNR_received", .priv = (const void *)376 },
	{ .name = "ord_limit_count", .priv = (const void *)384 },
	{ .name = "ird_limit_count", .priv = (const void *)392 },
	{ .name = "Rx_atomics", .priv = (const void *)408 },
	{ .name = "Tx_atomics", .priv = (const void *)416 },
	{ .name = "Nak_Sequence_Error", .priv = (const void *)424 },
	{ .name = "Nak_Sequence_Error_Implied", .priv = (const void *)432 },
	{ .name = "RTO", .priv = (const void *)440 },
	{ .name = "Rcvd_Out_of_order_packets", .priv = (const void *)448 },
	{ .name = "CRC_errors", .priv = (const void *)456 },
};

/**
 * irdma_alloc_hw_port_stats - room for the port's counters
 * @ib: IB device
 * @port: 1
 *
 * Context: Process context; may sleep.
 * Return: counters, freed by the core; NULL without memory.
 */
static struct rdma_hw_stats *irdma_alloc_hw_port_stats(struct ib_device *ib, u32 port)
{
	return rdma_alloc_hw_stats_struct(irdma_stat_descs, ARRAY_SIZE(irdma_stat_descs),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

/**
 * irdma_get_hw_stats - read the port's counters
 * @ib: IB device
 * @stats: filled
 * @port: 1; 0 for counters of the device, of which there are none
 * @index: which counter is wanted; all are read
 *
 * Context: Process context; may sleep.
 * Return: number of counters; -ENOMEM; errnos of the command queue.
 */
static int irdma_get_hw_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port,
			      int index)
{
	struct irdma_dev *dev = to_irdma_ibdev(ib)->dev;
	__le64 *buf = kzalloc(IRDMA_STATS_BUF_BYTES, GFP_KERNEL);
	int err;

	if (!buf)
		return -ENOMEM;
	err = irdma_cmd_gather_stats(dev, buf);
	for (unsigned int i = 0; !err && i < ARRAY_SIZE(irdma_stat_descs); i++) {
		uintptr_t offset = (uintptr_t)irdma_stat_descs[i].priv;

		stats->value[i] = le64_to_cpu(buf[offset / sizeof(*buf)]);
	}
	kfree(buf);
	return err ?: stats->num_counters;
}

const struct ib_device_ops irdma_stats_ops = {
	.alloc_hw_port_stats = irdma_alloc_hw_port_stats,
	.get_hw_stats = irdma_get_hw_stats,
};
