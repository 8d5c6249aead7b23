// SPDX-License-Identifier: GPL-2.0
/*
 * The mailbox's two rings.
 *
 * A write of the ATQ tail handles every request up to it, in order, at once.
 * An answer or event goes into the next buffer that the driver posted on the
 * ARQ; when there is none it is held, and while OWED_MAX are owed no further
 * request is taken. Vector 0 is raised for each ARQ entry.
 *
 * A ring whose memory is not mapped, or whose buffers are too small, stops with
 * CRIT in its length register, as on a critical error of the hardware.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../faults.h"
#include "../intr.h"
#include "../regs.h"
#include "../transport/dma.h"
#include "lan_priv.h"

#define OWED_MAX	64u

/**
 * struct mailbox_msg - an answer or event on its way
 * @timer: runs while the message is in the late list
 */
struct mailbox_msg {
	struct mailbox_msg *next;
	struct mailbox *mb;
	struct loop_timer timer;
	u32 op, ret, len;
	u16 cookie;
	u8 data[];
};

static void flush(struct mailbox *mb);

static u64 ring_entry(const struct mailbox_ring *r, u32 idx)
{
	return ((u64)r->reg[MBR_BAH] << 32 | r->reg[MBR_BAL]) + (u64)idx * MB_DESC_SIZE;
}

static u32 ring_len(const struct mailbox_ring *r)
{
	return r->reg[MBR_LEN] & r->len_mask;
}

static void ring_advance(struct mailbox_ring *r)
{
	r->reg[MBR_HEAD] = (r->reg[MBR_HEAD] + 1) % ring_len(r);
}

static void ring_crit(struct mailbox_ring *r)
{
	r->on = false;
	r->reg[MBR_LEN] = (r->reg[MBR_LEN] & ~MB_LEN_ENABLE) | MB_LEN_CRIT;
}

static void ring_fault(struct mailbox_ring *r, const char *what, u64 addr)
{
	TRACE(r->mb->lan->nic, T_MBX, "%s stops: %s at 0x%llx", r->name, what,
	      (unsigned long long)addr);
	ring_crit(r);
}

static struct mailbox_msg *msg_new(struct mailbox *mb, u32 op, u32 ret, u16 cookie,
				   const void *payload, u32 len)
{
	struct mailbox_msg *m = malloc(sizeof(*m) + len);

	if (!m)
		return NULL;
	*m = (struct mailbox_msg){ .mb = mb, .op = op, .ret = ret, .cookie = cookie, .len = len };
	if (len)
		memcpy(m->data, payload, len);
	return m;
}

static void hold(struct mailbox *mb, struct mailbox_msg *m)
{
	m->next = NULL;
	*mb->held_end = m;
	mb->held_end = &m->next;
	mb->last = m;
	flush(mb);
}

static void late_msg(void *arg)
{
	struct mailbox_msg *m = arg, **p;

	for (p = &m->mb->late; *p != m; p = &(*p)->next)
		;
	*p = m->next;
	hold(m->mb, m);
}

/* As the fault knobs want it: at once, later, or never. */
static void answer(struct mailbox *mb, u32 op, u32 ret, u16 cookie, const void *payload, u32 len)
{
	const struct fault *f = fault_hit(mb->lan->nic, F_MAILBOX, op);
	struct mailbox_msg *m;

	if (f && f->action == FAULT_DROP)
		return;
	if (f && f->action == FAULT_FAIL) {
		ret = f->value ? f->value : VC_EINVAL;
		len = 0;
	}
	m = msg_new(mb, op, ret, cookie, payload, len);
	if (!m)
		return;
	mb->owed++;
	if (!f || f->action != FAULT_DELAY) {
		hold(mb, m);
		return;
	}
	m->next = mb->late;
	mb->late = m;
	timer_init(&m->timer, mb->lan->nic->loop, late_msg, m);
	timer_arm(&m->timer, f->value);
}

/* An event that waits behind all else is brought up to date instead of joined by another. */
void mailbox_event(struct mailbox *mb, u32 op, const void *payload, u32 len)
{
	struct mailbox_msg *last = mb->held ? mb->last : NULL;

	if (last && last->op == op && last->len == len)
		memcpy(last->data, payload, len);
	else
		answer(mb, op, VC_OK, 0, payload, len);
}

/* Writes @m to the posted entry at the ARQ's head; false: the ring has stopped. */
static bool deliver(struct mailbox *mb, const struct mailbox_msg *m)
{
	struct dma_space *dma = mb->lan->nic->dma;
	struct mailbox_ring *r = &mb->arq;
	u64 entry = ring_entry(r, r->reg[MBR_HEAD]), buf, w[MB_DESC_SIZE / 8];
	u64 flags = MB_DD;

	if (!dma_read(dma, entry, w, sizeof(w))) {
		ring_fault(r, "descriptor", entry);
		return false;
	}
	buf = w[3] << 32 | w[3] >> 32;
	if (m->len > FIELD(w[0], 47, 32)) {
		violation(mb->lan->nic, V_MBX_BUFFER, "%llu bytes posted, message has %u",
			  (unsigned long long)FIELD(w[0], 47, 32), m->len);
		ring_crit(r);
		return false;
	}
	if (m->len && !dma_write(dma, buf, m->data, m->len)) {
		ring_fault(r, "buffer", buf);
		return false;
	}
	if (m->len)
		flags |= MB_RD | MB_BUF;
	w[0] = flags | PUT(MB_OP_FROM_CP, 31, 16) | PUT(m->len, 47, 32);
	w[1] = PUT(m->op, 27, 0) | PUT(m->ret, 63, 32);
	w[2] = PUT(m->cookie, 47, 32);
	if (!dma_write(dma, entry + 8, &w[1], 16) || !dma_store64(dma, entry, w[0])) {
		ring_fault(r, "descriptor", entry);
		return false;
	}
	TRACE(mb->lan->nic, T_MBX, "< %s(%u) ret %u cookie 0x%x len %u",
	      lan_virtchnl_name(m->op), m->op, m->ret, m->cookie, m->len);
	ring_advance(r);
	return true;
}

/* As many held messages as there are posted buffers. */
static void flush(struct mailbox *mb)
{
	struct mailbox_ring *r = &mb->arq;
	struct mailbox_msg *m;
	bool any = false;

	while (mb->held && r->on && r->reg[MBR_HEAD] != r->reg[MBR_TAIL]) {
		m = mb->held;
		if (!deliver(mb, m))
			return;
		mb->held = m->next;
		if (!mb->held)
			mb->held_end = &mb->held;
		mb->owed--;
		free(m);
		any = true;
	}
	if (any)
		intr_event(mb->lan->nic->intr, 0);
}

/* What the descriptor's first words may look like. NULL: fine; else what is wrong. */
static const char *request_flaw(const u64 *w)
{
	u32 len = FIELD(w[0], 47, 32);
	u64 attached = w[0] & (MB_RD | MB_BUF);

	if (FIELD(w[0], 31, 16) != MB_OP_TO_CP)
		return "opcode is not 0x0801";
	if (w[0] & (MB_DD | MB_CMP | MB_ERR))
		return "status bits are set";
	if (!CHECKED(len <= VC_PAYLOAD_MAX))
		return "payload is longer than 4096 bytes";
	if (attached != (len ? MB_RD | MB_BUF : 0))
		return "RD and BUF disagree with the length";
	if (FIELD(w[1], 31, 28))
		return "descriptor type is not 0";
	return NULL;
}

/* The request's descriptor goes back to the driver. */
static bool request_done(struct mailbox *mb, u64 entry, u64 word0, u64 flags)
{
	if (dma_store16(mb->lan->nic->dma, entry, (u16)(word0 | flags)))
		return true;
	ring_fault(&mb->atq, "descriptor", entry);
	return false;
}

/* The last message of a VF's driver: it frees the rings without another word. */
static void quiesce(struct mailbox *mb)
{
	mb->atq.on = false;
	mb->arq.on = false;
}

static void request(struct mailbox *mb, const u64 *w, struct vc_msg *m)
{
	u32 epoch = mb->epoch, ret;

	TRACE(mb->lan->nic, T_MBX, "> %s(%u) cookie 0x%x len %u", lan_virtchnl_name(m->op),
	      m->op, (u32)FIELD(w[2], 47, 32), m->len);
	ret = lan_virtchnl(mb->lan, m);
	if (mb->epoch != epoch)
		return;
	if (ret == VC_NO_ANSWER)
		return;
	answer(mb, m->op, ret, FIELD(w[2], 47, 32), m->data, ret ? 0 : m->len);
	if (m->op == VC_ENABLE_VPORT && !ret)
		lan_link_event(mb->lan);
	if (m->op == VC_DEALLOC_VECTORS && !ret && mb->lan->nic->cfg.vf)
		quiesce(mb);
}

/* Takes one request from the ATQ's head; false: the ring has stopped. */
static bool take(struct mailbox *mb)
{
	struct dma_space *dma = mb->lan->nic->dma;
	struct mailbox_ring *r = &mb->atq;
	u64 entry = ring_entry(r, r->reg[MBR_HEAD]), buf, w[MB_DESC_SIZE / 8];
	const char *flaw;
	struct vc_msg m;

	if (!dma_read(dma, entry, w, sizeof(w))) {
		ring_fault(r, "descriptor", entry);
		return false;
	}
	flaw = request_flaw(w);
	if (flaw) {
		violation(mb->lan->nic, V_MBX_DESC, "entry %u: %s", r->reg[MBR_HEAD], flaw);
		ring_advance(r);
		return request_done(mb, entry, w[0], MB_DD | MB_ERR);
	}
	m.op = FIELD(w[1], 27, 0);
	m.len = FIELD(w[0], 47, 32);
	buf = w[3] << 32 | w[3] >> 32;
	if (m.len && !dma_read(dma, buf, m.data, m.len)) {
		ring_fault(r, "buffer", buf);
		return false;
	}
	ring_advance(r);
	if (!request_done(mb, entry, w[0], MB_DD))
		return false;
	request(mb, w, &m);
	return true;
}

static void run(struct mailbox *mb)
{
	struct mailbox_ring *r = &mb->atq;

	while (r->on && r->reg[MBR_HEAD] != r->reg[MBR_TAIL] && mb->owed < OWED_MAX)
		if (!take(mb))
			return;
}

static void ring_enable(struct mailbox_ring *r, u32 val)
{
	u32 len = val & r->len_mask;

	r->on = false;
	r->reg[MBR_LEN] = len;
	if (!(val & MB_LEN_ENABLE))
		return;
	if (!len || r->reg[MBR_HEAD] >= len || r->reg[MBR_TAIL] >= len) {
		violation(r->mb->lan->nic, V_MBX_RING, "%s length %u head %u tail %u", r->name,
			  len, r->reg[MBR_HEAD], r->reg[MBR_TAIL]);
		return;
	}
	r->reg[MBR_LEN] |= MB_LEN_ENABLE;
	r->on = true;
}

static void ring_tail(struct mailbox_ring *r, u32 val)
{
	if (r->on && val >= ring_len(r)) {
		violation(r->mb->lan->nic, V_MBX_TAIL, "%s tail %u length %u", r->name, val,
			  ring_len(r));
		return;
	}
	r->reg[MBR_TAIL] = val;
}

/* A new base or head. A VF has no reset register: its next driver just starts anew. */
static void ring_move(struct mailbox_ring *r, enum mailbox_reg which, u32 val)
{
	struct nic *nic = r->mb->lan->nic;

	if (r->on && !nic->cfg.vf) {
		violation(nic, V_MBX_RING, "%s base or head written while enabled", r->name);
		return;
	}
	r->on = false;
	r->reg[which] = val;
}

static u32 reg_read(void *arg, u32 idx)
{
	struct mailbox_port *port = arg;

	(void)idx;
	return port->ring->reg[port->which];
}

static void reg_write(void *arg, u32 idx, u32 val)
{
	struct mailbox_port *port = arg;
	struct mailbox_ring *r = port->ring;

	(void)idx;
	if (port->which == MBR_LEN)
		ring_enable(r, val);
	else if (port->which == MBR_TAIL)
		ring_tail(r, val);
	else
		ring_move(r, port->which, val);
	flush(r->mb);
	run(r->mb);
}

static int ring_init(struct mailbox_ring *r, struct mailbox *mb, const char *name, u32 mask,
		     const u32 *offset, const char *const names[MBR_COUNT])
{
	r->mb = mb;
	r->name = name;
	r->len_mask = mask;
	for (int i = 0; i < MBR_COUNT; i++) {
		struct reg_block block = {
			.name = names[i], .offset = offset[i], .count = 1, .stride = 4,
			.access = REG_R | REG_W, .read = reg_read, .write = reg_write,
			.arg = &r->port[i],
		};
		int err;

		r->port[i] = (struct mailbox_port){ .ring = r, .which = i };
		err = regs_add(mb->lan->nic->regs, &block);
		if (err)
			return err;
	}
	return 0;
}

int mailbox_init(struct mailbox *mb, struct lan *lan, const struct mailbox_layout *layout)
{
	static const char *const atq[MBR_COUNT] = { "ATQBAL", "ATQBAH", "ATQLEN", "ATQH", "ATQT" };
	static const char *const arq[MBR_COUNT] = { "ARQBAL", "ARQBAH", "ARQLEN", "ARQH", "ARQT" };
	int err;

	mb->lan = lan;
	mb->held_end = &mb->held;
	err = ring_init(&mb->atq, mb, "ATQ", MB_ATQ_LEN_MASK, layout->atq, atq);
	if (err)
		return err;
	return ring_init(&mb->arq, mb, "ARQ", MB_ARQ_LEN_MASK, layout->arq, arq);
}

static void msgs_free(struct mailbox_msg *m)
{
	while (m) {
		struct mailbox_msg *next = m->next;

		if (m->timer.loop)
			timer_cancel(&m->timer);
		free(m);
		m = next;
	}
}

void mailbox_reset(struct mailbox *mb)
{
	msgs_free(mb->held);
	msgs_free(mb->late);
	mb->held = NULL;
	mb->held_end = &mb->held;
	mb->owed = 0;
	mb->late = NULL;
	mb->epoch++;
	memset(mb->atq.reg, 0, sizeof(mb->atq.reg));
	memset(mb->arq.reg, 0, sizeof(mb->arq.reg));
	mb->atq.on = false;
	mb->arq.on = false;
}
