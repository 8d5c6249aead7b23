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

/* Name and byte offset in the gather-statistics buffer of generation 3. */
#define IRDMA_STATS(X) \
	X("ip4InDiscards", 24) \
	X("ip4InTruncatedPkts", 32) \
	X("ip4OutNoRoutes", 200) \
	X("ip6InDiscards", 80) \
	X("ip6InTruncatedPkts", 88) \
	X("ip6OutNoRoutes", 208) \
	X("RetransSegs", 216) \
	X("InOptErrors", 224) \
	X("InProtoErrors", 232) \
	X("rxVlanErrors", 0) \
	X("ip4InOctets", 8) \
	X("ip4InPkts", 16) \
	X("ip4InReasmRqd", 40) \
	X("ip4InMcastPkts", 56) \
	X("ip4OutOctets", 120) \
	X("ip4OutPkts", 128) \
	X("ip4OutSegRqd", 136) \
	X("ip4OutMcastPkts", 152) \
	X("ip6InOctets", 64) \
	X("ip6InPkts", 72) \
	X("ip6InReasmRqd", 96) \
	X("ip6InMcastPkts", 112) \
	X("ip6OutOctets", 160) \
	X("ip6OutPkts", 168) \
	X("ip6OutSegRqd", 176) \
	X("ip6OutMcastPkts", 192) \
	X("InSegs", 248) \
	X("OutSegs", 240) \
	X("InRdmaReads", 280) \
	X("InRdmaSends", 288) \
	X("InRdmaWrites", 272) \
	X("OutRdmaReads", 304) \
	X("OutRdmaSends", 312) \
	X("OutRdmaWrites", 296) \
	X("RdmaBnd", 320) \
	X("RdmaInv", 328) \
	X("ip4InMcastOctets", 48) \
	X("ip4OutMcastOctets", 144) \
	X("ip6InMcastOctets", 104) \
	X("ip6OutMcastOctets", 184) \
	X("RxUDP", 256) \
	X("TxUDP", 264) \
	X("RxECNMrkd", 336) \
	X("cnpHandled", 344) \
	X("cnpIgnored", 352) \
	X("cnpSent", 360) \
	X("RNR_sent", 368) \
	X("RNR_received", 376) \
	X("ord_limit_count", 384) \
	X("ird_limit_count", 392) \
	X("Rx_atomics", 408) \
	X("Tx_atomics", 416) \
	X("Nak_Sequence_Error", 424) \
	X("Nak_Sequence_Error_Implied", 432) \
	X("RTO", 440) \
	X("Rcvd_Out_of_order_packets", 448) \
	X("CRC_errors", 456)

#define IRDMA_STAT_DESC(_name, _offset)	{ .name = _name },
#define IRDMA_STAT_OFFSET(_name, _offset)	_offset,

static const struct rdma_stat_desc irdma_stat_descs[] = { IRDMA_STATS(IRDMA_STAT_DESC) };
static const u16 irdma_stat_offsets[] = { IRDMA_STATS(IRDMA_STAT_OFFSET) };

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
	for (unsigned int i = 0; !err && i < ARRAY_SIZE(irdma_stat_offsets); i++)
		stats->value[i] = le64_to_cpu(buf[irdma_stat_offsets[i] / sizeof(*buf)]);
	kfree(buf);
	return err ?: stats->num_counters;
}

const struct ib_device_ops irdma_stats_ops = {
	.alloc_hw_port_stats = irdma_alloc_hw_port_stats,
	.get_hw_stats = irdma_get_hw_stats,
};
