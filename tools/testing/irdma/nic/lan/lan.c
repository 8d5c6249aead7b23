// SPDX-License-Identifier: GPL-2.0
/* The LAN half of a function: its registers, its resets, its link. */
#include <stdlib.h>
#include <string.h>

#include "../regs.h"
#include "lan_priv.h"

#define RSTAT_DONE	1u
#define CTRL_PFSWR	BIT(0)
#define INTR_REGS	4u	/* OICR_ENA, OICR, CAUSE, PBA_CLEAR of a PF */

static const struct lan_layout pf_layout = {
	.mailbox = {
		.arq = { 0x08400000, 0x08400004, 0x08400008, 0x0840000c, 0x08400010 },
		.atq = { 0x08400014, 0x08400018, 0x0840001c, 0x08400020, 0x08400024 },
	},
	.rstat = 0x08407008,
	.ctl = 0x0840700c,
	.intr_ena = 0x08406000,
	.tx_tail = 0x05000000,
	.buf_tail = 0x03000000,
	.tail_stride = 0x1000,
	.vectors = { 0x08900000, 0x00200000 },
};

/* Queues as in a PF: their places are told by message. */
static const struct lan_layout vf_layout = {
	.mailbox = {
		.arq = { 0x6c00, 0x6000, 0x8000, 0x7400, 0x7000 },
		.atq = { 0x7c00, 0x7800, 0x6800, 0x6400, 0x8400 },
	},
	.rstat = 0x8800,
	.intr_ena = 0x5000,
	.tx_tail = 0x05000000,
	.buf_tail = 0x03000000,
	.tail_stride = 0x1000,
	.vectors = { 0x2000, 0x3000 },
};

static u32 rstat_read(void *arg, u32 idx)
{
	(void)arg;
	(void)idx;
	return RSTAT_DONE;
}

static u32 ctl_read(void *arg, u32 idx)
{
	(void)arg;
	(void)idx;
	return 0;
}

static void ctl_write(void *arg, u32 idx, u32 val)
{
	struct lan *lan = arg;

	(void)idx;
	if (val & CTRL_PFSWR)
		nic_reset(lan->nic, NIC_RESET_SOFTWARE);
}

static int add_registers(struct lan *lan)
{
	const struct lan_layout *l = lan->layout;
	const struct nic_config *cfg = &lan->nic->cfg;
	const struct reg_block blocks[] = {
		{ .name = "RSTAT", .offset = l->rstat, .count = 1, .stride = 4, .access = REG_R,
		  .read = rstat_read, .arg = lan },
		{ .name = "INT_OICR", .offset = l->intr_ena, .count = cfg->vf ? 1 : INTR_REGS,
		  .stride = 4, .access = REG_R | REG_W },
		{ .name = "QTX_TAIL", .offset = l->tx_tail, .count = cfg->queues,
		  .stride = l->tail_stride, .access = REG_W, .write = lan_tx_doorbell, .arg = lan },
		{ .name = "QRX_BUF_TAIL", .offset = l->buf_tail, .count = 2u * cfg->queues,
		  .stride = l->tail_stride, .access = REG_W, .write = lan_buf_doorbell,
		  .arg = lan },
		{ .name = "PFGEN_CTRL", .offset = l->ctl, .count = 1, .stride = 4,
		  .access = REG_R | REG_W, .read = ctl_read, .write = ctl_write, .arg = lan },
	};
	u32 count = ARRAY_SIZE(blocks) - (l->ctl ? 0 : 1);
	int err;

	for (u32 i = 0; i < count; i++) {
		err = regs_add(lan->nic->regs, &blocks[i]);
		if (err)
			return err;
	}
	return mailbox_init(&lan->mailbox, lan, &l->mailbox);
}

static void init_queues(struct lan *lan, struct lan_queue *q, u32 n, u8 type)
{
	for (u32 id = 0; id < n; id++) {
		q[id].lan = lan;
		q[id].type = type;
		q[id].id = id;
		task_init(&q[id].more, lan->nic->loop, lan_tx_more, &q[id]);
	}
}

struct lan *lan_new(struct nic *nic)
{
	struct lan *lan;

	if (!nic->cfg.queues || nic->cfg.queues > LAN_QUEUES_MAX)
		return NULL;
	lan = calloc(1, sizeof(*lan));
	if (!lan)
		return NULL;
	lan->nic = nic;
	lan->layout = nic->cfg.vf ? &vf_layout : &pf_layout;
	lan->link = true;
	init_queues(lan, lan->tx, LAN_QUEUES_MAX, VC_Q_TX);
	init_queues(lan, lan->rx, LAN_QUEUES_MAX, VC_Q_RX);
	init_queues(lan, lan->compl, LAN_QUEUES_MAX, VC_Q_COMPL);
	init_queues(lan, lan->buf, 2 * LAN_QUEUES_MAX, VC_Q_BUF);
	if (add_registers(lan)) {
		free(lan);
		return NULL;
	}
	return lan;
}

static void forget_queues(struct lan_queue *q, u32 n)
{
	for (u32 id = 0; id < n; id++) {
		lan_queue_stop(&q[id]);
		q[id].state = LQ_ABSENT;
		q[id].vector = 0;
	}
}

void lan_reset(struct lan *lan)
{
	forget_queues(lan->tx, LAN_QUEUES_MAX);
	forget_queues(lan->rx, LAN_QUEUES_MAX);
	forget_queues(lan->compl, LAN_QUEUES_MAX);
	forget_queues(lan->buf, 2 * LAN_QUEUES_MAX);
	memset(&lan->vport, 0, sizeof(lan->vport));
	lan->versioned = false;
	lan->has_caps = false;
	lan->caps = 0;
	lan->vectors = 0;
	mailbox_reset(&lan->mailbox);
}

void lan_free(struct lan *lan)
{
	if (!lan)
		return;
	lan_reset(lan);
	free(lan);
}

void lan_set_link(struct lan *lan, bool up)
{
	if (lan->link == up)
		return;
	lan->link = up;
	lan_link_event(lan);
}

/* ARQLEN reads 0, like everything else: the device went through a reset of its own. */
void lan_lose_mailbox(struct lan *lan)
{
	lan_reset(lan);
}
