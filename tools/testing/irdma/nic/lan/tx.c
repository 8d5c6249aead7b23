// SPDX-License-Identifier: GPL-2.0
/*
 * Transmit queues: split model, flow scheduling.
 *
 * A doorbell sends what lies between head and tail, TURN packets at a time; the
 * rest follows in a task, so that one queue cannot hold up the loop. A packet is
 * taken when its last descriptor is there. Each gets an RS completion with its
 * tag, and an RE completion before it when its last descriptor asks for one.
 */
#include <string.h>

#include "../faults.h"
#include "../intr.h"
#include "../transport/dma.h"
#include "../wire/wire.h"
#include "lan_priv.h"

#define TURN		64u
#define DESC_SIZE	16u
#define COMPL_SIZE	8u
#define FRAME_MIN	17u	/* shorter ones the driver pads */
#define WIRE_MIN	60u	/* shorter ones the device pads */

/* Descriptor, second word */
#define TXD_TYPE(w)	FIELD(w, 4, 0)
#define TXD_TYPE_FLOW	12u
#define TXD_EOP		BIT(5)
#define TXD_CSUM	BIT(6)
#define TXD_RE		BIT(7)
#define TXD_TAG(w)	FIELD(w, 47, 32)
#define TXD_LEN(w)	FIELD(w, 61, 48)

enum completion { COMPL_RS = 2, COMPL_RE = 4, COMPL_MARKER = 5 };

/**
 * struct packet - descriptors of one packet
 * @n: how many; 0: not all are there yet
 * @last: second word of the last one
 */
struct packet {
	u32 n, len;
	u64 last;
	struct {
		u64 addr;
		u32 len;
	} part[LAN_SG_MAX];
};

static void tx_halt(struct lan_queue *q, enum violation v, const char *why, u64 val)
{
	violation(q->lan->nic, v, "queue %u entry %u: %s %llu", q->id, q->head, why,
		  (unsigned long long)val);
	lan_queue_halt(q);
}

/* False: the queue was halted. */
static bool complete(struct lan_queue *tx, enum completion type, u16 val)
{
	const struct fault *fault = fault_hit(tx->lan->nic, F_TX_COMPL, tx->id);
	struct lan_queue *q = lan_queue(tx->lan, VC_Q_COMPL, tx->complq);
	u64 entry, word;

	if (fault && fault->action == FAULT_DROP)
		return true;
	if (!q || q->state != LQ_RUNNING) {
		tx_halt(tx, V_TX_COMPL, "no completion queue", tx->complq);
		return false;
	}
	entry = q->ring + (u64)q->head * COMPL_SIZE;
	word = PUT(tx->relative_id, 9, 0) | PUT(type, 13, 11) | PUT(q->gen, 15, 15) |
	       PUT(val, 31, 16);
	if (!dma_store64(tx->lan->nic->dma, entry, word)) {
		lan_queue_fault(q, "ring", entry);
		lan_queue_halt(tx);
		return false;
	}
	if (++q->head == q->ring_len) {
		q->head = 0;
		q->gen = !q->gen;
	}
	return true;
}

void lan_tx_marker(struct lan_queue *tx)
{
	struct lan_queue *q = lan_queue(tx->lan, VC_Q_COMPL, tx->complq);

	/* Without a completion queue there is nobody who waits; and no interrupt in any case. */
	if (q && q->state == LQ_RUNNING)
		complete(tx, COMPL_MARKER, 0);
}

static const char *desc_flaw(u64 w)
{
	if (TXD_TYPE(w) != TXD_TYPE_FLOW)
		return "descriptor type";
	if (w & TXD_CSUM)
		return "checksum offload was not granted, word";
	if (w & TXD_RE && !(w & TXD_EOP))
		return "RE without EOP, word";
	return NULL;
}

/* False: the queue was halted. */
static bool gather(struct lan_queue *q, struct packet *p)
{
	u64 entry, desc[2];
	const char *flaw;
	u32 idx = q->head;

	*p = (struct packet){};
	for (u32 n = 0; idx != q->tail; idx = (idx + 1) % q->ring_len) {
		entry = q->ring + (u64)idx * DESC_SIZE;
		if (!dma_read(q->lan->nic->dma, entry, desc, sizeof(desc))) {
			lan_queue_fault(q, "ring", entry);
			return false;
		}
		flaw = desc_flaw(desc[1]);
		if (flaw) {
			tx_halt(q, V_TX_DESC, flaw, desc[1]);
			return false;
		}
		if (n == LAN_SG_MAX) {
			tx_halt(q, V_TX_SIZE, "too many buffers,", n + 1);
			return false;
		}
		p->part[n].addr = desc[0];
		p->part[n++].len = TXD_LEN(desc[1]);
		p->len += TXD_LEN(desc[1]);
		if (desc[1] & TXD_EOP) {
			p->n = n;
			p->last = desc[1];
			break;
		}
	}
	if (p->n && (p->len < FRAME_MIN || p->len > LAN_FRAME_MAX - LAN_FCS)) {
		tx_halt(q, V_TX_SIZE, "frame length", p->len);
		return false;
	}
	return true;
}

/* Reads the packet's bytes and puts the frame on the wire; false: the queue was halted. */
static bool send(struct lan_queue *q, const struct packet *p)
{
	struct lan *lan = q->lan;
	struct frame *f = frame_new(p->len < WIRE_MIN ? WIRE_MIN : p->len);
	u32 pos = 0;

	if (!f || !lan->link || !lan->vport.enabled) {
		lan->vport.stats[VC_TX_DISCARDS]++;
		if (f)
			frame_put(f);
		return true;
	}
	for (u32 i = 0; i < p->n; pos += p->part[i++].len) {
		if (dma_read(lan->nic->dma, p->part[i].addr, f->data + pos, p->part[i].len))
			continue;
		lan->vport.stats[VC_TX_ERRORS]++;
		lan_queue_fault(q, "buffer", p->part[i].addr);
		frame_put(f);
		return false;
	}
	memset(f->data + pos, 0, f->len - pos);
	lan_count(&lan->vport, VC_TX_BYTES, f->data, p->len);
	TRACE(lan->nic, T_LAN, "tx queue %u: %u bytes, type 0x%04x", q->id, p->len,
	      get16be(f->data + 12));
	nic_tx(lan->nic, f);
	return true;
}

/* One packet; false: nothing more can be done now. */
static bool tx_one(struct lan_queue *q)
{
	struct packet p;

	if (!gather(q, &p) || !p.n || !send(q, &p))
		return false;
	q->head = (q->head + p.n) % q->ring_len;
	if (p.last & TXD_RE && !complete(q, COMPL_RE, q->head))
		return false;
	return complete(q, COMPL_RS, TXD_TAG(p.last));
}

static void tx_run(struct lan_queue *q)
{
	u32 sent = 0;

	while (q->state == LQ_RUNNING && q->head != q->tail && sent < TURN && tx_one(q))
		sent++;
	if (sent && q->vector)
		intr_event(q->lan->nic->intr, q->vector);
	if (sent == TURN)
		task_queue(&q->more);
}

void lan_tx_more(void *queue)
{
	tx_run(queue);
}

void lan_tx_doorbell(void *arg, u32 id, u32 val)
{
	struct lan *lan = arg;
	struct lan_queue *q = &lan->tx[id];

	if (q->state < LQ_RUNNING) {
		violation(lan->nic, V_TX_OFF, "queue %u tail %u", id, val);
	} else if (q->state == LQ_RUNNING && val >= q->ring_len) {
		tx_halt(q, V_TX_TAIL, "tail", val);
	} else {
		q->tail = val;
		tx_run(q);
	}
}
