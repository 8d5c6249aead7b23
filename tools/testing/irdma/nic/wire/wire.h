/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The wire: ports joined by a learning Ethernet switch.
 *
 * Frames are whole Ethernet frames without FCS. Delivery is never synchronous:
 * a port's rx runs from the event loop, so a sender's state cannot change under
 * it. Order between two ports is kept unless an impairment says otherwise.
 */
#ifndef NIC_WIRE_H
#define NIC_WIRE_H

#include "../types.h"

struct loop;
struct wire;
struct wire_port;

#define WIRE_FRAME_MAX	9216u	/* bytes of the longest frame, header included */

/**
 * struct frame - reference counted, read only once it was sent
 * @len: bytes in @data
 */
struct frame {
	u32 refs;
	u32 len;
	u8 data[];
};

struct frame *frame_new(u32 len);	/* one reference; NULL if len > WIRE_FRAME_MAX */
struct frame *frame_get(struct frame *f);
void frame_put(struct frame *f);

typedef void wire_rx_fn(void *arg, struct frame *f);

struct wire *wire_new(struct loop *loop, u64 seed);
void wire_free(struct wire *wire);

/* @name: unique, for the control socket and captures; @rx borrows the frame. */
struct wire_port *wire_port_new(struct wire *wire, const char *name, wire_rx_fn *rx, void *arg);
void wire_port_free(struct wire_port *port);
/* Takes the caller's reference. A frame that a full queue cannot take is dropped and counted. */
void wire_send(struct wire_port *port, struct frame *f);
/* Unicast frames from the port to a station behind it come back to it; off at first. */
void wire_port_set_hairpin(struct wire_port *port, bool on);
/* Up, and neither impaired nor captured: nobody can tell whether a frame passed it. */
bool wire_port_plain(const struct wire_port *port);
/* A port whose link is down neither sends nor receives. */
void wire_port_set_link(struct wire_port *port, bool up);
struct wire_port *wire_port_find(struct wire *wire, const char *name);
/* The ports one after the other: the first behind NULL, NULL behind the last. */
struct wire_port *wire_port_next(struct wire *wire, struct wire_port *prev);
const char *wire_port_name(const struct wire_port *port);

/**
 * struct wire_impair - what happens to frames that leave a port towards the switch
 * @loss_ppm: and the other rates, in millionths, drawn from the wire's seed
 * @delay_ns: added to each frame, plus a random part up to @jitter_ns
 * @drop_nth: drop only the n-th frame from now; 0: off
 */
struct wire_impair {
	u32 loss_ppm, dup_ppm, reorder_ppm, corrupt_ppm;
	u64 delay_ns, jitter_ns;
	u64 drop_nth;
};
void wire_port_impair(struct wire_port *port, const struct wire_impair *im);

/* pcap of all that the port sends and receives; NULL stops it. 0 or -errno. */
int wire_port_capture(struct wire_port *port, const char *path);

/*
 * A port that is a socket, compatible with QEMU's -netdev stream (length-prefixed)
 * and dgram: "unix-listen:PATH", "unix:PATH", "unix-dgram:LOCAL:PEER",
 * "udp:LOCALPORT:PEERHOST:PEERPORT". NULL with a message in @err.
 */
struct wire_port *wire_socket_port_new(struct wire *wire, const char *name, const char *spec,
				       char *err, size_t err_len);

struct wire_stats {
	u64 tx_frames, tx_bytes, rx_frames, rx_bytes;
	u64 dropped_queue, dropped_link, dropped_short, impaired;
};
const struct wire_stats *wire_port_stats(const struct wire_port *port);

#endif
