// SPDX-License-Identifier: GPL-2.0
/*
 * PCI configuration space of the function.
 *
 * What the machine's PCI host keeps itself (BAR addresses, the MSI-X table) is
 * not here: a BAR reads as its type, and only the MSI-X control bits are latched.
 */
#include "pci_config.h"

#include <linux/pci_regs.h>
#include <string.h>

#include "nic.h"
#include "trace.h"
#include "transport/dma.h"

#define CAP_PM		0x40
#define CAP_MSIX	0x70
#define CAP_EXP		0xa0

#define VENDOR_INTEL	0x8086
#define DEVICE_PF	0x1452
#define DEVICE_VF	0x145c

#define LINK_16GT_X16	(PCI_EXP_LNKCAP_SLS_16_0GB | 16 << 4)

_Static_assert(16 * NIC_VECTORS_MAX <= NIC_PBA_OFFSET, "the table ends before the PBA");

/* Bits that can be written, and those that a written 1 clears, per aligned word. */
static const struct {
	u16 offset;
	u32 rw, w1c;
} writable[] = {
	{ PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY |
		       PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE, 0xf9000000 },
	{ PCI_CACHE_LINE_SIZE, 0xff, 0 },
	{ PCI_INTERRUPT_LINE, 0xff, 0 },
	{ CAP_PM + PCI_PM_CTRL, PCI_PM_CTRL_STATE_MASK, 0 },
	{ CAP_MSIX, (u32)(PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL) << 16, 0 },
	{ CAP_EXP + PCI_EXP_DEVCTL, 0xffff & ~PCI_EXP_DEVCTL_BCR_FLR, 0x000f0000 },
	{ CAP_EXP + PCI_EXP_LNKCTL, PCI_EXP_LNKCTL_ASPMC | PCI_EXP_LNKCTL_RCB |
				    PCI_EXP_LNKCTL_CCC | PCI_EXP_LNKCTL_ES, 0 },
	{ CAP_EXP + PCI_EXP_DEVCTL2, PCI_EXP_DEVCTL2_COMP_TIMEOUT |
				     PCI_EXP_DEVCTL2_COMP_TMOUT_DIS, 0 },
};

static void fill_header(u8 *c, bool vf)
{
	put16(c + PCI_VENDOR_ID, VENDOR_INTEL);
	put16(c + PCI_DEVICE_ID, vf ? DEVICE_VF : DEVICE_PF);
	put16(c + PCI_STATUS, PCI_STATUS_CAP_LIST);
	put16(c + PCI_CLASS_DEVICE, 0x0200);
	put32(c + PCI_BASE_ADDRESS_0,
	      PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH);
	put32(c + PCI_BASE_ADDRESS_2,
	      PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH);
	put16(c + PCI_SUBSYSTEM_VENDOR_ID, VENDOR_INTEL);
	c[PCI_CAPABILITY_LIST] = CAP_PM;
}

static void fill_caps(u8 *c, u32 vectors)
{
	c[CAP_PM] = PCI_CAP_ID_PM;
	c[CAP_PM + 1] = CAP_MSIX;
	put16(c + CAP_PM + PCI_PM_PMC, 3);
	put16(c + CAP_PM + PCI_PM_CTRL, PCI_PM_CTRL_NO_SOFT_RESET);

	c[CAP_MSIX] = PCI_CAP_ID_MSIX;
	c[CAP_MSIX + 1] = CAP_EXP;
	put16(c + CAP_MSIX + PCI_MSIX_FLAGS, (u16)(vectors - 1));
	put32(c + CAP_MSIX + PCI_MSIX_TABLE, NIC_MSIX_BAR);
	put32(c + CAP_MSIX + PCI_MSIX_PBA, NIC_PBA_OFFSET | NIC_MSIX_BAR);

	c[CAP_EXP] = PCI_CAP_ID_EXP;
	put16(c + CAP_EXP + PCI_EXP_FLAGS, 2 | PCI_EXP_TYPE_ENDPOINT << 4);
	put32(c + CAP_EXP + PCI_EXP_DEVCAP,
	      PCI_EXP_DEVCAP_FLR | PCI_EXP_DEVCAP_RBER | PCI_EXP_DEVCAP_EXT_TAG | 2);
	put16(c + CAP_EXP + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN |
					    PCI_EXP_DEVCTL_READRQ_512B);
	put32(c + CAP_EXP + PCI_EXP_LNKCAP, LINK_16GT_X16);
	put16(c + CAP_EXP + PCI_EXP_LNKSTA, LINK_16GT_X16);
	put32(c + CAP_EXP + PCI_EXP_DEVCAP2, PCI_EXP_DEVCAP2_COMP_TMOUT_DIS | 0xf);
	put32(c + CAP_EXP + PCI_EXP_LNKCAP2, PCI_EXP_LNKCAP2_SLS_2_5GB | PCI_EXP_LNKCAP2_SLS_5_0GB |
					     PCI_EXP_LNKCAP2_SLS_8_0GB |
					     PCI_EXP_LNKCAP2_SLS_16_0GB);
}

/* The device reaches memory only as bus master and powered up. */
static void update_dma(struct nic *nic)
{
	bool master = get16(nic->config + PCI_COMMAND) & PCI_COMMAND_MASTER;
	bool d0 = !(get16(nic->config + CAP_PM + PCI_PM_CTRL) & PCI_PM_CTRL_STATE_MASK);

	dma_enable(nic->dma, master && d0);
}

void pci_config_reset(struct nic *nic)
{
	memset(nic->config, 0, sizeof(nic->config));
	fill_header(nic->config, nic->cfg.vf);
	fill_caps(nic->config, nic->cfg.vectors);
	update_dma(nic);
}

static void write_byte(struct nic *nic, u32 offset, u8 val)
{
	for (size_t i = 0; i < ARRAY_SIZE(writable); i++) {
		u8 *byte = &nic->config[offset];
		u32 shift = offset % 4 * 8;
		u8 rw = (u8)(writable[i].rw >> shift);

		if (writable[i].offset != (offset & ~3u))
			continue;
		*byte &= (u8)~(val & (writable[i].w1c >> shift));
		*byte = (u8)((*byte & ~rw) | (val & rw));
	}
}

void nic_config_read(struct nic *nic, u32 offset, void *buf, u32 len)
{
	bool inside = CHECKED(offset < sizeof(nic->config));
	u32 there = inside ? (u32)sizeof(nic->config) - offset : 0;

	if (nic->removed) {
		memset(buf, 0xff, len);
		return;
	}
	if (there > len)
		there = len;
	memset(buf, 0, len);
	if (there)
		memcpy(buf, nic->config + offset, there);
	TRACE(nic, T_PCI, "config read 0x%x, %u bytes", offset, len);
}

void nic_config_write(struct nic *nic, u32 offset, const void *buf, u32 len)
{
	const u8 *val = buf;
	bool flr = false;

	if (nic->removed)
		return;
	for (u32 i = 0; i < len && offset + i < sizeof(nic->config); i++) {
		TRACE(nic, T_PCI, "config write 0x%x = 0x%02x", offset + i, val[i]);
		write_byte(nic, offset + i, val[i]);
		if (offset + i == CAP_EXP + PCI_EXP_DEVCTL + 1)
			flr = val[i] & (PCI_EXP_DEVCTL_BCR_FLR >> 8);
	}
	update_dma(nic);
	if (flr)
		nic_reset(nic, NIC_RESET_FUNCTION);
}
