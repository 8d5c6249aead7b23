// SPDX-License-Identifier: GPL-2.0
/*
 * Receive queues: split model.
 *
 * A frame goes into posted buffers, a descriptor on the receive ring for each.
 * What is left of a frame goes into a buffer of the second buffer queue if it
 * fits there, else of the first; when one queue is empty the other serves. A
 * frame for which there are not enough buffers is discarded whole.
 */
#include <string.h>

#include "../intr.h"
#include "../transport/dma.h"
#include "../wire/wire.h"
#include "lan_priv.h"

#define BUF_DESC_SIZE	32u
#define RX_DESC_SIZE	32u
#define PIECES_MAX	16u	/* buffers of one frame */

/* Receive descriptor: byte offsets and values */
#define RXD_ID		0
#define RXD_ID_FLEX	2
#define RXD_STATUS0	1
#define RXD_RSS_VALID	0x10
#define RXD_PTYPE	2
#define RXD_NO_CSUM	0x1000
#define RXD_LEN		4
#define RXD_LEN_GEN	14
#define RXD_LEN_BUFQ	15
#define RXD_REST	6
#define RXD_STATUS	8
#define RXD_DD		1
#define RXD_EOF		2
#define RXD_BUF		12
#define RXD_HASH	16	/* low 16 bits, then a byte each */

/**
 * struct piece - part of a frame and where it goes
 * @second: from the second buffer queue
 */
struct piece {
	u64 addr;
	u32 len;
	u16 buf;
	bool second;
};

struct plan {
	u32 n;
	u16 head[2];		/* of the buffer queues, after the frame */
	struct piece piece[PIECES_MAX];
};

static struct lan_queue *buf_queue(struct lan_queue *rx, u32 which)
{
	struct lan_queue *q;

	if (which >= rx->bufqs)
		return NULL;
	q = lan_queue(rx->lan, VC_Q_BUF, rx->bufq[which]);
	return q && q->state == LQ_RUNNING ? q : NULL;
}

/* Which buffer queue serves @left bytes; 2: none. */
static u32 choose(struct lan_queue *const q[2], const u16 head[2], u32 left)
{
	bool has[2];

	for (u32 i = 0; i < 2; i++)
		has[i] = q[i] && head[i] != q[i]->tail;
	if (has[1] && (!has[0] || left <= q[1]->buf_size))
		return 1;
	return has[0] ? 0 : 2;
}

/* Finds buffers for @len bytes; false: there are not enough, or a ring was unreadable. */
static bool find_buffers(struct lan_queue *rx, u32 len, struct plan *plan)
{
	struct lan_queue *q[2] = { buf_queue(rx, 0), buf_queue(rx, 1) };
	u8 desc[BUF_DESC_SIZE];

	plan->n = 0;
	for (u32 i = 0; i < 2; i++)
		plan->head[i] = q[i] ? q[i]->head : 0;
	while (len) {
		u32 from = choose(q, plan->head, len);
		struct piece *p = &plan->piece[plan->n];
		u64 entry;

		if (from == 2 || plan->n++ == PIECES_MAX)
			return false;
		entry = q[from]->ring + (u64)plan->head[from] * BUF_DESC_SIZE;
		if (!dma_read(rx->lan->nic->dma, entry, desc, sizeof(desc))) {
			lan_queue_fault(q[from], "ring", entry);
			return false;
		}
		plan->head[from] = (plan->head[from] + 1) % q[from]->ring_len;
		p->buf = get16(desc);
		p->addr = get64(desc + 8);
		p->len = len < q[from]->buf_size ? len : q[from]->buf_size;
		p->second = from;
		len -= p->len;
	}
	return true;
}

static bool write_back(struct lan_queue *rx, const struct piece *p, const struct lan_flow *flow,
		       bool last)
{
	struct dma_space *dma = rx->lan->nic->dma;
	u64 entry = rx->ring + (u64)rx->head * RX_DESC_SIZE;
	u8 d[RX_DESC_SIZE] = { [RXD_ID] = RXD_ID_FLEX };
	u16 len = p->len | rx->gen << RXD_LEN_GEN | p->second << RXD_LEN_BUFQ;

	d[RXD_STATUS0] = flow->hashed ? RXD_RSS_VALID : 0;
	put16(d + RXD_PTYPE, RXD_NO_CSUM | flow->ptype);
	put32(d + RXD_HASH, flow->hash);
	d[RXD_STATUS] = last ? RXD_DD | RXD_EOF : RXD_DD;
	put16(d + RXD_BUF, p->buf);
	/* The generation bit tells the driver that all the rest is there. */
	if (!dma_write(dma, entry, d, RXD_LEN) ||
	    !dma_write(dma, entry + RXD_REST, d + RXD_REST, RX_DESC_SIZE - RXD_REST) ||
	    !dma_store16(dma, entry + RXD_LEN, len)) {
		lan_queue_fault(rx, "ring", entry);
		return false;
	}
	if (++rx->head == rx->ring_len) {
		rx->head = 0;
		rx->gen = !rx->gen;
	}
	return true;
}

static bool fill(struct lan_queue *rx, const struct plan *plan, const struct lan_flow *flow,
		 const u8 *data)
{
	struct dma_space *dma = rx->lan->nic->dma;

	for (u32 i = 0; i < plan->n; i++) {
		const struct piece *p = &plan->piece[i];

		if (!dma_write(dma, p->addr, data, p->len)) {
			lan_queue_fault(rx, "buffer", p->addr);
			return false;
		}
		data += p->len;
	}
	for (u32 i = 0; i < 2; i++) {
		struct lan_queue *q = buf_queue(rx, i);

		if (q)
			q->head = plan->head[i];
	}
	for (u32 i = 0; i < plan->n; i++)
		if (!write_back(rx, &plan->piece[i], flow, i == plan->n - 1))
			return false;
	return true;
}

static void receive(struct lan_queue *rx, const struct lan_flow *flow, const struct frame *f)
{
	struct lan_vport *vp = &rx->lan->vport;
	struct plan plan;

	if (f->len + LAN_FCS > rx->max_pkt) {
		vp->stats[VC_RX_INVALID_LEN]++;
		return;
	}
	if (!find_buffers(rx, f->len, &plan)) {
		vp->stats[VC_RX_DISCARDS]++;
		return;
	}
	if (!fill(rx, &plan, flow, f->data)) {
		vp->stats[VC_RX_ERRORS]++;
		return;
	}
	lan_count(vp, VC_RX_BYTES, f->data, f->len);
	TRACE(rx->lan->nic, T_LAN, "rx queue %u: %u bytes, type 0x%04x, %u buffers", rx->id,
	      f->len, get16be(f->data + 12), plan.n);
	if (rx->vector)
		intr_event(rx->lan->nic->intr, rx->vector);
}

void lan_rx(struct lan *lan, struct frame *f)
{
	struct lan_vport *vp = &lan->vport;
	struct lan_queue *rx;
	struct lan_flow flow;

	if (!vp->enabled || !lan_mac_wanted(vp, f->data))
		return;
	flow = lan_flow(&vp->rss, f->data, f->len);
	rx = lan_queue(lan, VC_Q_RX, flow.queue);
	if (rx && rx->state == LQ_RUNNING)
		receive(rx, &flow, f);
	else
		vp->stats[VC_RX_DISCARDS]++;
}

void lan_buf_doorbell(void *arg, u32 id, u32 val)
{
	struct lan *lan = arg;
	struct lan_queue *q = &lan->buf[id];

	q->tail = val;
	if (q->state == LQ_RUNNING && val >= q->ring_len) {
		violation(lan->nic, V_BUF_TAIL, "queue %u tail %u length %u", id, val, q->ring_len);
		lan_queue_halt(q);
	}
}
