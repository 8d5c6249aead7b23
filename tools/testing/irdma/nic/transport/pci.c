// SPDX-License-Identifier: GPL-2.0
/*
 * PCI host's part of a function: BARs, MSI-X table, function level reset.
 *
 * The NIC's configuration space says where the MSI-X table and the PCIe
 * capability are, and holds MSI-X enable and function mask. BAR addresses and
 * the table with its pending bits are kept here and never reach the NIC.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/pci_regs.h>

#include "../nic.h"
#include "../pci_config.h"
#include "pci.h"

#define PCI_BAR_COUNT	6u
#define PCI_BARS_END	(PCI_BASE_ADDRESS_0 + 4 * PCI_BAR_COUNT)

struct msix_entry {
	u64 addr;
	u32 data, ctrl;
	bool pending;
};

struct pci_func {
	struct nic *nic;
	pci_msi_fn *msi;
	void *arg;
	u8 bars[4 * PCI_BAR_COUNT];	/* as the guest reads them */
	u32 exp_cap, msix_cap;		/* 0: none */
	u32 table_bar, table_offset, pba_bar, pba_offset;
	u32 vectors;
	struct msix_entry entry[];
};

static u32 config32(const struct pci_func *func, u32 offset)
{
	return get32(func->nic->config + offset);
}

/* Offset of a capability, 0 if there is none. */
static u32 find_cap(const struct nic *nic, u8 id)
{
	u32 pos = nic->config[PCI_CAPABILITY_LIST];

	while (pos && nic->config[pos + PCI_CAP_LIST_ID] != id)
		pos = nic->config[pos + PCI_CAP_LIST_NEXT];
	return pos;
}

/* ---- MSI-X ---- */

static u16 msix_flags(const struct pci_func *func)
{
	return func->msix_cap ? get16(func->nic->config + func->msix_cap + PCI_MSIX_FLAGS) : 0;
}

static void msix_fire(struct pci_func *func, u32 vec)
{
	struct msix_entry *e = &func->entry[vec];
	u16 flags = msix_flags(func);

	if (!e->pending || !(flags & PCI_MSIX_FLAGS_ENABLE) || (flags & PCI_MSIX_FLAGS_MASKALL) ||
	    (e->ctrl & PCI_MSIX_ENTRY_CTRL_MASKBIT))
		return;
	e->pending = false;
	func->msi(func->arg, e->addr, e->data);
}

void pci_func_raise(struct pci_func *func, u32 vec)
{
	if (vec >= func->vectors || !(msix_flags(func) & PCI_MSIX_FLAGS_ENABLE))
		return;
	func->entry[vec].pending = true;
	msix_fire(func, vec);
}

/* The 32-bit word of the table at @offset. */
static u32 table_read(const struct pci_func *func, u32 offset)
{
	const struct msix_entry *e = &func->entry[offset / PCI_MSIX_ENTRY_SIZE];

	switch (offset % PCI_MSIX_ENTRY_SIZE) {
	case PCI_MSIX_ENTRY_LOWER_ADDR:
		return (u32)e->addr;
	case PCI_MSIX_ENTRY_UPPER_ADDR:
		return (u32)(e->addr >> 32);
	case PCI_MSIX_ENTRY_DATA:
		return e->data;
	default:
		return e->ctrl;
	}
}

static void table_write(struct pci_func *func, u32 offset, u32 val)
{
	u32 vec = offset / PCI_MSIX_ENTRY_SIZE;
	struct msix_entry *e = &func->entry[vec];

	switch (offset % PCI_MSIX_ENTRY_SIZE) {
	case PCI_MSIX_ENTRY_LOWER_ADDR:
		e->addr = (e->addr & MASK(63, 32)) | val;
		break;
	case PCI_MSIX_ENTRY_UPPER_ADDR:
		e->addr = (e->addr & MASK(31, 0)) | (u64)val << 32;
		break;
	case PCI_MSIX_ENTRY_DATA:
		e->data = val;
		break;
	default:
		e->ctrl = val & PCI_MSIX_ENTRY_CTRL_MASKBIT;
		msix_fire(func, vec);
	}
}

/* 32 pending bits from @offset of the array on. */
static u32 pba_read(const struct pci_func *func, u32 offset)
{
	u32 bits = 0;

	for (u32 i = 0; i < 32 && 8 * offset + i < func->vectors; i++)
		bits |= (u32)func->entry[8 * offset + i].pending << i;
	return bits;
}

/* ---- BARs ---- */

static bool inside(u64 offset, u32 len, u64 start, u64 size)
{
	return offset >= start && offset - start < size && len <= size - (offset - start);
}

static u64 table_bytes(const struct pci_func *func)
{
	return (u64)func->vectors * PCI_MSIX_ENTRY_SIZE;
}

static u64 pba_bytes(const struct pci_func *func)
{
	return (func->vectors + 63ull) / 64 * 8;
}

/* Table and pending bits take aligned accesses of 4 and 8 bytes. */
static bool msix_width(u64 offset, u32 len)
{
	return (len == 4 || len == 8) && !(offset % len);
}

void pci_func_bar_read(struct pci_func *func, u32 bar, u64 offset, void *buf, u32 len)
{
	bool table = bar == func->table_bar &&
		     inside(offset, len, func->table_offset, table_bytes(func));
	bool pba = bar == func->pba_bar && inside(offset, len, func->pba_offset, pba_bytes(func));

	if (func->nic->removed || (!table && !pba)) {
		nic_bar_read(func->nic, bar, offset, buf, len);
		return;
	}
	memset(buf, 0, len);
	if (!msix_width(offset, len))
		return;
	for (u32 i = 0; i < len; i += 4)
		put32((u8 *)buf + i,
		      table ? table_read(func, (u32)(offset + i - func->table_offset)) :
			      pba_read(func, (u32)(offset + i - func->pba_offset)));
}

void pci_func_bar_write(struct pci_func *func, u32 bar, u64 offset, const void *buf, u32 len)
{
	if (func->nic->removed || bar != func->table_bar ||
	    !inside(offset, len, func->table_offset, table_bytes(func))) {
		nic_bar_write(func->nic, bar, offset, buf, len);
		return;
	}
	if (!msix_width(offset, len))
		return;
	for (u32 i = 0; i < len; i += 4)
		table_write(func, (u32)(offset + i - func->table_offset),
			    get32((const u8 *)buf + i));
}

/* Both BARs are 64 bits wide. Their type bits are the NIC's; bits below the size are 0. */
static void bars_update(struct pci_func *func)
{
	static const struct { u32 bar; u64 size; } bars[] = {
		{ 0, NIC_BAR0_SIZE },
		{ NIC_MSIX_BAR, NIC_BAR2_SIZE },
	};
	u8 old[sizeof(func->bars)];

	memcpy(old, func->bars, sizeof(old));
	memset(func->bars, 0, sizeof(func->bars));
	for (size_t i = 0; i < ARRAY_SIZE(bars); i++) {
		u32 at = 4 * bars[i].bar;
		u64 addr = get64(old + at) & ~(bars[i].size - 1);

		put64(func->bars + at, addr | config32(func, PCI_BASE_ADDRESS_0 + at));
	}
}

/* ---- configuration space ---- */

void pci_func_config_read(struct pci_func *func, u32 offset, void *buf, u32 len)
{
	u8 *out = buf;

	nic_config_read(func->nic, offset, buf, len);
	for (u32 i = 0; i < len && !func->nic->removed; i++)
		if (offset + i >= PCI_BASE_ADDRESS_0 && offset + i < PCI_BARS_END)
			out[i] = func->bars[offset + i - PCI_BASE_ADDRESS_0];
}

/* The byte of a write of @len bytes at @offset that falls on @at; NULL: none does. */
static const u8 *byte_at(u32 offset, const void *buf, u32 len, u32 at)
{
	return at >= offset && at - offset < len ? (const u8 *)buf + (at - offset) : NULL;
}

void pci_func_config_write(struct pci_func *func, u32 offset, const void *buf, u32 len)
{
	const u8 *byte;

	nic_config_write(func->nic, offset, buf, len);
	for (u32 at = PCI_BASE_ADDRESS_0; at < PCI_BARS_END; at++) {
		byte = byte_at(offset, buf, len, at);
		if (byte)
			func->bars[at - PCI_BASE_ADDRESS_0] = *byte;
	}
	bars_update(func);

	byte = byte_at(offset, buf, len, func->exp_cap + PCI_EXP_DEVCTL + 1);
	if (func->exp_cap && byte && *byte & PCI_EXP_DEVCTL_BCR_FLR >> 8)
		pci_func_reset(func);
	/* what was pending may have been unmasked */
	for (u32 i = 0; i < func->vectors; i++)
		msix_fire(func, i);
}

/* ---- life ---- */

static void locate_msix(struct pci_func *func)
{
	u32 table = config32(func, func->msix_cap + PCI_MSIX_TABLE);
	u32 pba = config32(func, func->msix_cap + PCI_MSIX_PBA);

	func->table_bar = table & PCI_MSIX_TABLE_BIR;
	func->table_offset = table & PCI_MSIX_TABLE_OFFSET;
	func->pba_bar = pba & PCI_MSIX_PBA_BIR;
	func->pba_offset = pba & PCI_MSIX_PBA_OFFSET;
}

struct pci_func *pci_func_new(struct nic *nic, pci_msi_fn *msi, void *arg)
{
	u32 msix_cap = find_cap(nic, PCI_CAP_ID_MSIX), vectors = 0;
	struct pci_func *func;

	if (msix_cap)
		vectors = (get16(nic->config + msix_cap + PCI_MSIX_FLAGS) &
			   PCI_MSIX_FLAGS_QSIZE) + 1u;
	func = calloc(1, sizeof(*func) + vectors * sizeof(func->entry[0]));
	if (!func)
		return NULL;
	func->nic = nic;
	func->msi = msi;
	func->arg = arg;
	func->vectors = vectors;
	func->msix_cap = msix_cap;
	func->exp_cap = find_cap(nic, PCI_CAP_ID_EXP);
	if (msix_cap)
		locate_msix(func);
	pci_func_reset(func);
	return func;
}

void pci_func_reset(struct pci_func *func)
{
	memset(func->bars, 0, sizeof(func->bars));
	bars_update(func);
	for (u32 i = 0; i < func->vectors; i++)
		func->entry[i] = (struct msix_entry){ .ctrl = PCI_MSIX_ENTRY_CTRL_MASKBIT };
}

void pci_func_free(struct pci_func *func)
{
	free(func);
}
