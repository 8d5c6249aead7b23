/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mailbox: a ring of requests (ATQ) and one of answers and events (ARQ).
 */
#ifndef NIC_LAN_MAILBOX_H
#define NIC_LAN_MAILBOX_H

#include "../loop.h"

struct lan;
struct nic;
struct mailbox_msg;

enum mailbox_reg { MBR_BAL, MBR_BAH, MBR_LEN, MBR_HEAD, MBR_TAIL, MBR_COUNT };

/* BAR 0 offsets */
struct mailbox_layout {
	u32 atq[MBR_COUNT], arq[MBR_COUNT];
};

/* LEN registers */
#define MB_LEN_ENABLE	BIT(31)
#define MB_LEN_CRIT	BIT(30)
#define MB_ATQ_LEN_MASK	0x3ffu
#define MB_ARQ_LEN_MASK	0x1fffu

/* Descriptor: four 64-bit words */
#define MB_DESC_SIZE	32u
#define MB_DD		BIT(0)
#define MB_CMP		BIT(1)
#define MB_ERR		BIT(2)
#define MB_RD		BIT(10)
#define MB_BUF		BIT(12)
#define MB_OP_TO_CP	0x0801u		/* driver to control plane */
#define MB_OP_FROM_CP	0x0804u

/* One register of a ring: what the register table hands back. */
struct mailbox_port {
	struct mailbox_ring *ring;
	enum mailbox_reg which;
};

/**
 * struct mailbox_ring - one of the two rings
 * @reg: as the driver sees them
 * @on: enabled and sound
 */
struct mailbox_ring {
	struct mailbox *mb;
	const char *name;
	u32 len_mask;
	u32 reg[MBR_COUNT];
	struct mailbox_port port[MBR_COUNT];
	bool on;
};

/**
 * struct mailbox - both rings and what is not yet in them
 * @held: answers and events in order, waiting for a posted buffer; @last of them
 * @late: answers that a fault knob delays
 * @owed: messages in both lists
 * @epoch: grows at each reset: an answer to a request from before it is dropped
 */
struct mailbox {
	struct lan *lan;
	struct mailbox_ring atq, arq;
	struct mailbox_msg *held, *last, **held_end;
	struct mailbox_msg *late;
	u32 owed;
	u32 epoch;
};

/* 0 or -errno. */
int mailbox_init(struct mailbox *mb, struct lan *lan, const struct mailbox_layout *layout);
void mailbox_reset(struct mailbox *mb);
/* Queues a message that nobody asked for. */
void mailbox_event(struct mailbox *mb, u32 op, const void *payload, u32 len);

#endif
