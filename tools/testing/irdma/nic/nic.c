// SPDX-License-Identifier: GPL-2.0
/*
 * Puts a NIC together from its parts, and takes it apart.
 */
#include "nic.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/rdma.h"
#include "faults.h"
#include "intr.h"
#include "lan/lan.h"
#include "pci_config.h"
#include "regs.h"
#include "transport/dma.h"
#include "wire/wire.h"

static const char *const reset_names[] = {
	[NIC_RESET_POWER_ON] = "power-on", [NIC_RESET_FUNCTION] = "function",
	[NIC_RESET_SOFTWARE] = "software", [NIC_RESET_SPONTANEOUS] = "spontaneous",
};

static bool make_parts(struct nic *nic, struct wire *wire)
{
	nic->faults = fault_set_new();
	nic->dma = dma_space_new(nic);
	nic->regs = regs_new(nic, NIC_BAR0_SIZE);
	if (!nic->faults || !nic->dma || !nic->regs)
		return false;
	pci_config_reset(nic);
	nic->intr = intr_new(nic, nic->cfg.vectors);
	nic->port = wire_port_new(wire, nic->cfg.name, nic_rx, nic);
	if (!nic->intr || !nic->port)
		return false;
	wire_port_set_hairpin(nic->port, true);
	if (nic->cfg.rdma) {
		nic->rdma = rdma_new(nic);
		if (!nic->rdma)
			return false;
	}
	nic->lan = lan_new(nic);
	return nic->lan;
}

struct nic *nic_new(const struct nic_config *cfg, struct loop *loop, struct wire *wire,
		    struct trace *trace)
{
	struct nic *nic = calloc(1, sizeof(*nic));

	if (!nic)
		return NULL;
	nic->cfg = *cfg;
	nic->loop = loop;
	nic->trace = trace;
	nic->next = nic;
	if (!make_parts(nic, wire)) {
		nic_free(nic);
		return NULL;
	}
	return nic;
}

void nic_join(struct nic *nic, struct nic *other)
{
	nic->next = other->next;
	other->next = nic;
}

static void leave(struct nic *nic)
{
	struct nic *prev = nic;

	while (prev->next != nic)
		prev = prev->next;
	prev->next = nic->next;
	nic->next = nic;
}

void nic_free(struct nic *nic)
{
	if (!nic)
		return;
	leave(nic);
	if (nic->lan)
		lan_free(nic->lan);
	if (nic->rdma)
		rdma_free(nic->rdma);
	if (nic->port)
		wire_port_free(nic->port);
	intr_free(nic->intr);
	regs_free(nic->regs);
	dma_space_free(nic->dma);
	fault_set_free(nic->faults);
	free(nic);
}

void nic_reset(struct nic *nic, enum nic_reset kind)
{
	TRACE(nic, T_PCI, "reset: %s", reset_names[kind]);
	nic->resets++;
	if (nic->rdma)
		rdma_reset(nic->rdma);
	lan_reset(nic->lan);
	intr_reset(nic->intr);
	regs_reset(nic->regs);
	if (kind == NIC_RESET_POWER_ON || kind == NIC_RESET_FUNCTION)
		pci_config_reset(nic);
	if (kind == NIC_RESET_SPONTANEOUS)
		lan_lose_mailbox(nic->lan);
}

void nic_set_removed(struct nic *nic, bool removed)
{
	if (removed == nic->removed)
		return;
	nic_reset(nic, NIC_RESET_POWER_ON);
	nic->removed = removed;
	wire_port_set_link(nic->port, !removed);
}

void nic_set_link(struct nic *nic, bool up)
{
	wire_port_set_link(nic->port, up);
	lan_set_link(nic->lan, up);
}

void nic_bar_read(struct nic *nic, u32 bar, u64 offset, void *buf, u32 len)
{
	if (nic->removed)
		memset(buf, 0xff, len);
	else if (bar == 0 && offset < NIC_BAR0_SIZE && len <= NIC_BAR0_SIZE - offset)
		regs_read(nic->regs, (u32)offset, buf, len);
	else
		memset(buf, 0, len);
}

void nic_bar_write(struct nic *nic, u32 bar, u64 offset, const void *buf, u32 len)
{
	if (nic->removed)
		return;
	if (bar == 0 && offset < NIC_BAR0_SIZE && len <= NIC_BAR0_SIZE - offset)
		regs_write(nic->regs, (u32)offset, buf, len);
}

void nic_rx(void *arg, struct frame *f)
{
	struct nic *nic = arg;

	if (nic->rdma && rdma_rx(nic->rdma, f))
		return;
	lan_rx(nic->lan, f);
}

void nic_tx(struct nic *nic, struct frame *f)
{
	wire_send(nic->port, f);
}
