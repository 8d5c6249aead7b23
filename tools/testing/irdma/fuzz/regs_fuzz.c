// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target: what a driver can do to the function through PCI: register and
 * configuration accesses, with guest memory of its choice behind the addresses
 * that it writes. The register table's source is compiled in, to know the offsets.
 *
 * Input: records of 8 bytes {operation, -, u16 which, u32 value} up to one whose
 * operation is 0xff; what follows lies in guest memory from address 0 on, again and
 * again up to its end.
 */
#include "../nic/regs.c"

#include "loop.h"
#include "pci_config.h"
#include "transport/dma.h"
#include "wire/wire.h"

#define MEMORY		0x10000u
#define RECORD		8u
#define OPS_MAX		64u

enum { OP_REG_WRITE, OP_REG_WRITE_SMALL, OP_REG_READ, OP_CONFIG_WRITE, OP_CONFIG_READ,
       OP_BAR_WRITE, OP_STEP, OP_RESET, OP_COUNT };

static struct nic *nic;
static struct loop *loop;
static u8 memory[MEMORY] __attribute__((aligned(4096)));
static u32 *offsets, offset_cnt;

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static int ascending(const void *a, const void *b)
{
	return (int)(*(const u32 *)a / 4) - (int)(*(const u32 *)b / 4);
}

/* A register of each kind near the other, whatever their number. */
static void list_registers(void)
{
	const struct regs *regs = nic->regs;

	offsets = calloc(regs->used, sizeof(*offsets));
	for (u32 i = 0; i < 1u << regs->bits; i++)
		if (regs->table[i].offset != EMPTY)
			offsets[offset_cnt++] = regs->table[i].offset;
	qsort(offsets, offset_cnt, sizeof(*offsets), ascending);
}

static void init(void)
{
	const struct nic_config cfg = {
		.name = "a", .mac = { 2, 0, 0, 0, 0, 1 }, .queues = 2, .vectors = 8,
		.rdma_vectors = 4, .rdma = true, .shortcut = true,
	};

	loop = loop_new();
	nic = nic_new(&cfg, loop, wire_new(loop, 1), NULL);
	if (!nic || dma_map_mem(nic->dma, 0, MEMORY, memory, DMA_PROT_READ | DMA_PROT_WRITE))
		abort();
	list_registers();
}

static void fill_memory(const u8 *data, size_t size)
{
	size_t n = size < MEMORY ? size : MEMORY;

	if (!n)
		memset(memory, 0, MEMORY);
	else
		memcpy(memory, data, n);
	for (; n && n < MEMORY; n *= 2)
		memcpy(memory + n, memory, n < MEMORY - n ? n : MEMORY - n);
}

static void operate(u8 op, u16 which, u32 val)
{
	u32 reg = offsets[which % offset_cnt];
	u8 buf[8];

	switch (op % OP_COUNT) {
	case OP_REG_WRITE_SMALL:
		val &= MEMORY - 1;
		/* fallthrough */
	case OP_REG_WRITE:
		nic_bar_write(nic, 0, reg, &val, 4);
		break;
	case OP_REG_READ:
		nic_bar_read(nic, 0, reg, buf, 4);
		break;
	case OP_CONFIG_WRITE:
		nic_config_write(nic, which % 8192, &val, 1 + op / OP_COUNT % 4);
		break;
	case OP_CONFIG_READ:
		nic_config_read(nic, which, buf, 1 + op / OP_COUNT % 8);
		break;
	case OP_BAR_WRITE:
		memset(buf, which, sizeof(buf));
		nic_bar_write(nic, 0, val, buf, 1 + op / OP_COUNT % 8);
		break;
	case OP_STEP:
		loop_step(loop, 0);
		break;
	default:
		nic_reset(nic, (enum nic_reset)(which % (NIC_RESET_SPONTANEOUS + 1)));
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const u32 command = 6;		/* memory space, bus master */
	size_t end = 0;

	if (!nic)
		init();
	while (size - end >= RECORD && data[end] != 0xff && end < OPS_MAX * RECORD)
		end += RECORD;
	fill_memory(data + end, size - end);
	nic_reset(nic, NIC_RESET_POWER_ON);
	nic_config_write(nic, 4, &command, 2);
	for (size_t i = 0; i < end; i += RECORD)
		operate(data[i], get16(data + i + 2), get32(data + i + 4));
	loop_step(loop, 0);
	loop_step(loop, 0);
	return 0;
}
