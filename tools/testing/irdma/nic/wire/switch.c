// SPDX-License-Identifier: GPL-2.0
/*
 * The learning switch.
 *
 * A frame goes from wire_send() through the sender's capture and impairments
 * into the switch, which puts it on the queue of each port that shall have it.
 * A port's queue is emptied by its task, so no receiver runs inside a sender.
 * A frame is not sent back to the port that it came from, unless that is a hairpin
 * port and a station behind it is meant: a NIC's functions talk to themselves.
 */
#include <stdlib.h>
#include <string.h>

#include "switch.h"

#define DELIVER_BUDGET	64	/* frames per turn of a port */

/* splitmix64, Steele, Lea and Flood 2014 */
u64 wire_random(struct wire *wire)
{
	u64 z = wire->rng += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

struct wire *wire_new(struct loop *loop, u64 seed)
{
	struct wire *wire = calloc(1, sizeof(*wire));

	if (!wire)
		return NULL;
	wire->loop = loop;
	wire->rng = seed;
	return wire;
}

void wire_free(struct wire *wire)
{
	if (!wire)
		return;
	while (wire->ports)
		wire_port_free(wire->ports);
	free(wire);
}

static u64 mac_key(const u8 *mac)
{
	return (u64)get32(mac) << 16 | get16(mac + 4);
}

static struct mac_slot *mac_slot(struct wire *wire, u64 mac)
{
	return &wire->macs[(mac * 0x9e3779b97f4a7c15ull >> 40) % MAC_SLOTS];
}

static void learn(struct wire_port *port, const u8 *source)
{
	u64 mac = mac_key(source);
	struct mac_slot *slot = mac_slot(port->wire, mac);

	if (source[0] & 1)
		return;
	slot->mac = mac;
	slot->port = port;
}

/* NULL: to everybody. */
static struct wire_port *look_up(struct wire *wire, const u8 *dest)
{
	u64 mac = mac_key(dest);
	struct mac_slot *slot = mac_slot(wire, mac);

	if (dest[0] & 1 || slot->mac != mac)
		return NULL;
	return slot->port;
}

static void port_put(struct wire_port *port, struct frame *f)
{
	if (!port->link) {
		port->stats.dropped_link++;
		return;
	}
	if (!frame_queue_put(&port->out, f)) {
		port->stats.dropped_queue++;
		return;
	}
	frame_get(f);
	task_queue(&port->deliver);
}

void wire_forward(struct wire_port *from, struct frame *f)
{
	struct wire *wire = from->wire;
	struct wire_port *to;

	learn(from, f->data + 6);
	to = look_up(wire, f->data);
	if (to && (to != from || from->hairpin))
		port_put(to, f);
	for (struct wire_port *p = wire->ports; p && !to; p = p->next)
		if (p != from)
			port_put(p, f);
	frame_put(f);
}

void wire_send(struct wire_port *port, struct frame *f)
{
	if (!port->link || f->len < ETH_HLEN) {
		if (port->link)
			port->stats.dropped_short++;
		else
			port->stats.dropped_link++;
		frame_put(f);
		return;
	}
	port->stats.tx_frames++;
	port->stats.tx_bytes += f->len;
	if (port->capture)
		capture_frame(port->capture, f);
	if (port->impair)
		impair_frame(port->impair, f);
	else
		wire_forward(port, f);
}

static void port_deliver(void *arg)
{
	struct wire_port *port = arg;
	struct frame *f;

	for (int i = 0; i < DELIVER_BUDGET; i++) {
		f = frame_queue_get(&port->out);
		if (!f)
			return;
		port->stats.rx_frames++;
		port->stats.rx_bytes += f->len;
		if (port->capture)
			capture_frame(port->capture, f);
		port->rx(port->arg, f);
		frame_put(f);
	}
	task_queue(&port->deliver);
}

struct wire_port *wire_port_next(struct wire *wire, struct wire_port *prev)
{
	return prev ? prev->next : wire->ports;
}

const char *wire_port_name(const struct wire_port *port)
{
	return port->name;
}

struct wire_port *wire_port_find(struct wire *wire, const char *name)
{
	for (struct wire_port *p = wire->ports; p; p = p->next)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

struct wire_port *wire_port_new(struct wire *wire, const char *name, wire_rx_fn *rx, void *arg)
{
	struct wire_port *port;

	if (strlen(name) >= sizeof(port->name) || wire_port_find(wire, name))
		return NULL;
	port = calloc(1, sizeof(*port));
	if (!port)
		return NULL;
	strcpy(port->name, name);
	port->wire = wire;
	port->rx = rx;
	port->arg = arg;
	port->link = true;
	task_init(&port->deliver, wire->loop, port_deliver, port);
	port->next = wire->ports;
	wire->ports = port;
	return port;
}

void wire_port_set_hairpin(struct wire_port *port, bool on)
{
	port->hairpin = on;
}

bool wire_port_plain(const struct wire_port *port)
{
	return port->link && !port->capture && (!port->impair || impair_is_off(port->impair));
}

static void forget_stations(struct wire_port *port)
{
	struct mac_slot *macs = port->wire->macs;

	for (u32 i = 0; i < MAC_SLOTS; i++)
		if (macs[i].port == port)
			macs[i] = (struct mac_slot){};
}

void wire_port_free(struct wire_port *port)
{
	struct wire_port **p;

	if (!port)
		return;
	for (p = &port->wire->ports; *p != port; p = &(*p)->next)
		;
	*p = port->next;
	forget_stations(port);
	task_cancel(&port->deliver);
	if (port->impair)
		impair_free(port->impair);
	if (port->capture)
		capture_close(port->capture);
	if (port->close)
		port->close(port->kind);
	frame_queue_clear(&port->out);
	free(port);
}

void wire_port_set_link(struct wire_port *port, bool up)
{
	port->link = up;
	if (up)
		return;
	port->stats.dropped_link += port->out.count;
	frame_queue_clear(&port->out);
	forget_stations(port);
}

const struct wire_stats *wire_port_stats(const struct wire_port *port)
{
	return &port->stats;
}
