// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target: what a driver can do to the LAN side. The input is a list of steps
 * on a function that is up with four queue pairs: mailbox messages with any
 * payload, descriptors and ring entries with any content, register writes, frames
 * from the wire, link changes and resets.
 */
#include <stdlib.h>

#define assert_true(cond)		do { if (!(cond)) abort(); } while (0)
#define assert_false(cond)		assert_true(!(cond))
#define assert_non_null(ptr)		assert_true(ptr)
#define assert_int_equal(a, b)		assert_true((a) == (b))
#define assert_memory_equal(a, b, n)	assert_true(!memcmp(a, b, n))
#define LAN_DRIVER_OWN_ASSERTS
#include "../unit/lan_driver.h"

#define RINGS_SIZE	0x20000u

/* The rest of the input. */
struct input {
	const u8 *p;
	size_t left;
};

static u32 take(struct input *in, u32 bytes)
{
	u32 val = 0;

	for (; bytes && in->left; bytes--, in->left--)
		val = val << 8 | *in->p++;
	return val;
}

/* Fills @len bytes from the input, or fewer, then zeros. */
static void take_bytes(struct input *in, u8 *to, u32 len)
{
	u32 n = in->left < len ? (u32)in->left : len;

	memcpy(to, in->p, n);
	memset(to + n, 0, len - n);
	in->p += n;
	in->left -= n;
}

static void step_message(struct input *in)
{
	static const u16 ops[] = { 1, 500, 501, 502, 503, 504, 505, 506, 507, 508, 509, 510, 511,
				   512, 514, 516, 520, 521, 522, 523, 524, 526, 529, 535, 536,
				   537, 549, 0 };
	u32 op = ops[take(in, 1) % ARRAY_SIZE(ops)], len = take(in, 2) % 4200;
	u8 payload[4200];

	take_bytes(in, payload, len);
	request(op ? op : take(in, 4), payload, len);
	wr(atq_reg(MBR_TAIL), drv.atq_tail);
}

/* A message of the right length whose entries are all good but for some bytes. */
static void step_queues(struct input *in)
{
	struct { struct vc_queues h; struct vc_queue_range r[4]; } m = { 0 };
	u16 op = (u16)(VC_ENABLE_QUEUES + take(in, 1) % 4);

	m.h.count = (u16)(take(in, 1) % 5);
	for (u32 i = 0; i < m.h.count; i++) {
		m.r[i].type = take(in, 1) % 5;
		m.r[i].start = take(in, 1) % 9;
		m.r[i].count = take(in, 1) % 9;
	}
	request(op, &m, sizeof(m.h) + m.h.count * sizeof(m.r[0]));
	wr(atq_reg(MBR_TAIL), drv.atq_tail);
}

static void step_config(struct input *in)
{
	struct { struct vc_config_tx h; struct vc_tx_queue e; } tx = { .h.count = 1 };
	struct { struct vc_config_rx h; struct vc_rx_queue e; } rx = { .h.count = 1 };
	u32 type = take(in, 1) % VC_Q_TYPES, id = take(in, 1) % (2 * PAIRS), at = take(in, 1);
	bool is_tx = type == VC_Q_TX || type == VC_Q_COMPL;

	tx.e = tx_entry(type, id);
	rx.e = rx_entry(type, id);
	put16((u8 *)&tx.e + at % (sizeof(tx.e) - 1), (u16)take(in, 2));
	put16((u8 *)&rx.e + at % (sizeof(rx.e) - 1), (u16)take(in, 2));
	if (is_tx)
		request(VC_CONFIG_TX_QUEUES, &tx, sizeof(tx));
	else
		request(VC_CONFIG_RX_QUEUES, &rx, sizeof(rx));
	wr(atq_reg(MBR_TAIL), drv.atq_tail);
}

static void step_descriptor(struct input *in)
{
	u8 *d = request(VC_VERSION, NULL, 0);

	take_bytes(in, d, MB_DESC_SIZE);
	wr(atq_reg(MBR_TAIL), drv.atq_tail);
}

static void step_register(struct input *in)
{
	u32 which = take(in, 1), val = take(in, 4);

	switch (which % 4) {
	case 0:
		wr(arq_reg(which / 4 % 10), val);
		break;
	case 1:
		wr(TX_TAIL(which / 4 % PAIRS), which & 0x80 ? val : val % RING_LEN);
		break;
	case 2:
		wr(BUF_TAIL(which / 4 % (2 * PAIRS)), which & 0x80 ? val : val % RING_LEN);
		break;
	default:
		wr(dyn_ctl(which / 4 % VECTORS), val);
	}
}

/* Any bytes into the rings; half of the time a good transmit packet instead. */
static void step_memory(struct input *in)
{
	u32 at = take(in, 2);

	if (at & 1)
		tx_desc(at / 2 % PAIRS, at / 8 % RING_LEN, iova(take(in, 3) % MEM_SIZE),
			take(in, 2), take(in, 1) & 0xe0, (u16)at);
	else
		take_bytes(in, drv.mem + OFF_RINGS + at % RINGS_SIZE / 16 * 16, 16);
}

static void step_frame(struct input *in)
{
	u32 len = take(in, 2) % (WIRE_FRAME_MAX + 1);
	struct frame *f = frame_new(len);

	assert_non_null(f);
	take_bytes(in, f->data, len);
	if (len >= 6 && f->data[0] & 0x40)
		memcpy(f->data, drv.nic.cfg.mac, 6);
	wire_send(drv.peer, f);
}

static void step_world(struct input *in)
{
	u32 status, what = take(in, 1);

	switch (what % 8) {
	case 0:
		lan_set_link(drv.nic.lan, what & 8);
		break;
	case 1:
		wr(0x0840700c, what >> 3);
		break;
	case 2:
		mailbox_up();
		break;
	case 3:
		lan_lose_mailbox(drv.nic.lan);
		break;
	default:
		settle();
		for (int i = 0; i < 64 && next_message(&status); i++)
			;
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static void (*const steps[])(struct input *) = {
		step_message, step_queues, step_config, step_descriptor, step_register,
		step_memory, step_frame, step_world,
	};
	struct input in = { .p = data, .left = size };

	if (!drv.mem && plug(false))
		abort();
	nic_reset(&drv.nic, NIC_RESET_POWER_ON);
	wire_port_set_link(drv.peer, false);
	wire_port_set_link(drv.peer, true);
	settle();
	memset(drv.mem, 0, OFF_ANSWERS);
	memset(drv.mem + OFF_RINGS, 0, RINGS_SIZE);
	drv.cookie = 0;
	bring_up();
	while (in.left)
		steps[take(&in, 1) % ARRAY_SIZE(steps)](&in);
	return 0;
}
