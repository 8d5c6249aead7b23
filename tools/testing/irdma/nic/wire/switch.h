/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the wire share: the switch, its ports, their queues. */
#ifndef NIC_WIRE_SWITCH_H
#define NIC_WIRE_SWITCH_H

#include "../loop.h"
#include "wire.h"

#define ETH_HLEN	14u
#define MAC_SLOTS	4096u	/* power of two */
#define PORT_QUEUE	4096u	/* frames that a port may owe its receiver; power of two */

struct capture;
struct impair;

/* A bounded first-in first-out of frames; owns a reference to each. */
struct frame_queue {
	struct frame *slot[PORT_QUEUE];
	u32 head, count;
};

bool frame_queue_put(struct frame_queue *q, struct frame *f);
struct frame *frame_queue_get(struct frame_queue *q);
void frame_queue_clear(struct frame_queue *q);

/* Direct-mapped: a station that collides with another takes its slot, that one is flooded. */
struct mac_slot {
	u64 mac;
	struct wire_port *port;
};

struct wire {
	struct loop *loop;
	u64 rng;
	struct wire_port *ports;
	struct mac_slot macs[MAC_SLOTS];
};

/**
 * struct wire_port - one end of the wire
 * @out: frames on their way to @rx, which @deliver runs
 * @impair: frames on their way into the switch; NULL: they pass at once
 * @close: frees what the port's kind owns (@kind); NULL for a plain port
 */
struct wire_port {
	struct wire *wire;
	struct wire_port *next;
	char name[32];
	wire_rx_fn *rx;
	void *arg;
	bool link, hairpin;
	struct frame_queue out;
	struct loop_task deliver;
	struct impair *impair;
	struct capture *capture;
	struct wire_stats stats;
	void (*close)(void *kind);
	void *kind;
};

/* Uniform 64-bit number of the wire's own sequence. */
u64 wire_random(struct wire *wire);
/* Into the switch behind the impairments; takes the reference. */
void wire_forward(struct wire_port *from, struct frame *f);

/* Takes the reference; forwards now, later, twice, altered, or not at all. */
void impair_frame(struct impair *im, struct frame *f);
void impair_free(struct impair *im);
bool impair_is_off(const struct impair *im);

void capture_frame(struct capture *cap, const struct frame *f);
void capture_close(struct capture *cap);

#endif
