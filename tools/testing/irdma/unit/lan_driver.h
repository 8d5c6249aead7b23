/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A LAN driver small enough for unit tests: it owns a piece of "guest memory",
 * brings the function up as a driver would, and keeps queue pairs whose traffic a
 * test can demand at any moment.
 */
#ifndef UNIT_LAN_DRIVER_H
#define UNIT_LAN_DRIVER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#ifndef LAN_DRIVER_OWN_ASSERTS	/* a fuzz target brings assertions of its own */
#include <cmocka.h>
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/rdma.h"
#include "faults.h"
#include "intr.h"
#include "lan/lan_priv.h"
#include "regs.h"
#include "transport/dma.h"
#include "wire/wire.h"

#define MEM_BASE	0x100000ull
#define MEM_SIZE	0x400000u
#define NOWHERE		0x7000000000ull		/* an address that is not mapped */

#define OFF_ATQ		0x0u
#define OFF_ARQ		0x1000u
#define OFF_REQUEST	0x2000u
#define OFF_ANSWERS	0x10000u
#define OFF_RINGS	0x80000u
#define OFF_BUFFERS	0x200000u

#define RING_LEN	32u
#define PAIRS		4u
#define BUF1_SIZE	2048u
#define BUF2_SIZE	512u
#define VECTORS		8u

#define TX_TAIL(q)	(0x05000000u + 0x1000 * (q))
#define BUF_TAIL(q)	(0x03000000u + 0x1000 * (q))

/**
 * struct driver - the driver, the machine it runs on, and its peer on the wire
 * @got, @got_len, @got_count: latest frame at the peer, and how many came
 * @answer, @answer_len, @answer_op: latest message from the device
 * @tx_tail, @compl_head, @rx_head: per queue pair, the driver's indices
 */
struct driver {
	struct nic nic;
	struct wire *wire;
	struct wire_port *peer;
	u8 *mem;
	char trace_path[32];
	int raised[VECTORS];
	u8 got[WIRE_FRAME_MAX];
	u32 got_len, got_count;
	u32 atq_tail, arq_head;
	u8 answer[VC_PAYLOAD_MAX];
	u32 answer_len, answer_op;
	u32 tx_tail[PAIRS], compl_head[PAIRS], rx_head[PAIRS], buf_tail[2 * PAIRS];
	u16 cookie, answer_cookie;
};

static struct driver drv;

/* BAL, BAH, LEN, head and tail of the rings, for a PF and a VF */
static inline u32 arq_reg(u32 which)
{
	static const u32 vf[] = { 0x6c00, 0x6000, 0x8000, 0x7400, 0x7000 };

	return drv.nic.cfg.vf ? vf[which] : 0x08400000 + 4 * which;
}

static inline u32 atq_reg(u32 which)
{
	static const u32 vf[] = { 0x7c00, 0x7800, 0x6800, 0x6400, 0x8400 };

	return drv.nic.cfg.vf ? vf[which] : 0x08400014 + 4 * which;
}

static inline u32 dyn_ctl(u32 vec)
{
	if (!drv.nic.cfg.vf)
		return 0x08900000 + 0x1000 * vec;
	return vec ? 0x3800 + 4 * (vec - 1) : 0x5c00;
}

/* --- what the rest of the NIC would do --- */

void nic_reset(struct nic *nic, enum nic_reset kind)
{
	(void)kind;
	lan_reset(nic->lan);
	intr_reset(nic->intr);
	regs_reset(nic->regs);
	nic->resets++;
}

void nic_tx(struct nic *nic, struct frame *f)
{
	wire_send(nic->port, f);
}

u32 rdma_vchnl(struct rdma *r, const void *req, u32 len, void *resp)
{
	(void)r;
	if (get16(req) == 0xffff)
		return 0;
	memset(resp, 0xa5, 16);
	memcpy(resp, (const u8 *)req + 8, 8);
	put16((u8 *)resp + 8, (u16)len);
	return 16;
}

static void drv_raise(struct transport *tp, u32 vec)
{
	(void)tp;
	drv.raised[vec]++;
}

static const struct transport_ops drv_transport_ops = { .raise = drv_raise };
static struct transport drv_transport = { .ops = &drv_transport_ops };

static void to_function(void *arg, struct frame *f)
{
	lan_rx(((struct nic *)arg)->lan, f);
}

static void to_peer(void *arg, struct frame *f)
{
	struct driver *d = arg;

	memcpy(d->got, f->data, f->len);
	d->got_len = f->len;
	d->got_count++;
}

/* --- registers, memory, loop --- */

static inline u32 rd(u32 offset)
{
	u32 val = 0;

	regs_read(drv.nic.regs, offset, &val, 4);
	return val;
}

static inline void wr(u32 offset, u32 val)
{
	regs_write(drv.nic.regs, offset, &val, 4);
}

static inline u64 iova(u32 offset)
{
	return MEM_BASE + offset;
}

static inline void settle(void)
{
	for (int i = 0; i < 8; i++)
		loop_step(drv.nic.loop, 0);
}

/* --- mailbox --- */

static inline void arq_post(u32 idx)
{
	u8 *d = drv.mem + OFF_ARQ + idx * MB_DESC_SIZE;
	u64 buf = iova(OFF_ANSWERS + idx * VC_PAYLOAD_MAX);

	put64(d, MB_RD | MB_BUF | PUT(VC_PAYLOAD_MAX, 47, 32));
	put64(d + 8, 0);
	put64(d + 16, 0);
	put64(d + 24, buf >> 32 | buf << 32);
}

static inline void mailbox_up(void)
{
	drv.atq_tail = 0;
	drv.arq_head = 0;
	for (u32 i = 0; i < 64; i++)
		arq_post(i);
	wr(atq_reg(MBR_TAIL), 0);
	wr(atq_reg(MBR_HEAD), 0);
	wr(atq_reg(MBR_BAL), (u32)iova(OFF_ATQ));
	wr(atq_reg(MBR_BAH), 0);
	wr(atq_reg(MBR_LEN), MB_LEN_ENABLE | 64);
	wr(arq_reg(MBR_TAIL), 63);
	wr(arq_reg(MBR_HEAD), 0);
	wr(arq_reg(MBR_BAL), (u32)iova(OFF_ARQ));
	wr(arq_reg(MBR_BAH), 0);
	wr(arq_reg(MBR_LEN), MB_LEN_ENABLE | 64);
}

/* Puts a request on the ATQ without ringing; returns its descriptor. */
static inline u8 *request(u32 op, const void *payload, u32 len)
{
	u8 *d = drv.mem + OFF_ATQ + drv.atq_tail * MB_DESC_SIZE;
	u64 buf = iova(OFF_REQUEST);

	if (len)
		memcpy(drv.mem + OFF_REQUEST, payload, len);
	put64(d, (len ? MB_RD | MB_BUF : 0) | PUT(MB_OP_TO_CP, 31, 16) | PUT(len, 47, 32));
	put64(d + 8, PUT(op, 27, 0));
	put64(d + 16, PUT(++drv.cookie, 47, 32));
	put64(d + 24, buf >> 32 | buf << 32);
	drv.atq_tail = (drv.atq_tail + 1) % 64;
	return d;
}

/* Takes the next message from the ARQ; false: there is none. */
static inline bool next_message(u32 *status)
{
	u8 *d = drv.mem + OFF_ARQ + drv.arq_head * MB_DESC_SIZE;

	if (!(get64(d) & MB_DD))
		return false;
	drv.answer_op = FIELD(get64(d + 8), 27, 0);
	drv.answer_len = FIELD(get64(d), 47, 32);
	*status = (u32)(get64(d + 8) >> 32);
	memcpy(drv.answer, drv.mem + OFF_ANSWERS + drv.arq_head * VC_PAYLOAD_MAX,
	       drv.answer_len);
	drv.answer_cookie = FIELD(get64(d + 16), 47, 32);
	arq_post(drv.arq_head);
	wr(arq_reg(MBR_TAIL), drv.arq_head);
	drv.arq_head = (drv.arq_head + 1) % 64;
	return true;
}

/* Sends a message and returns the status of its answer, which must be there at once. */
static inline u32 message(u32 op, const void *payload, u32 len)
{
	u32 status;

	request(op, payload, len);
	wr(atq_reg(MBR_TAIL), drv.atq_tail);
	assert_true(next_message(&status));
	assert_int_equal(drv.answer_op, op);
	assert_int_equal(drv.answer_cookie, drv.cookie);
	return status;
}

static inline void must(u32 op, const void *payload, u32 len)
{
	assert_int_equal(message(op, payload, len), VC_OK);
}

/* --- queues --- */

static inline u32 ring_offset(u32 type, u32 id)
{
	return OFF_RINGS + (type * 2 * PAIRS + id) * 0x1000;
}

static inline u32 buf_offset(u32 queue, u32 idx)
{
	return OFF_BUFFERS + queue * 0x10000 + idx * BUF1_SIZE;
}

static inline u32 tx_buf_offset(u32 queue)
{
	return OFF_BUFFERS + 0x100000 + queue * 0x4000;
}

static inline struct vc_tx_queue tx_entry(u32 type, u32 id)
{
	return (struct vc_tx_queue){
		.ring = iova(ring_offset(type, id)), .type = type, .id = id,
		.model = VC_MODEL_SPLIT, .sched_mode = VC_SCHED_FLOW, .ring_len = RING_LEN,
		.complq = type == VC_Q_TX ? id : 0,
	};
}

static inline struct vc_rx_queue rx_entry(u32 type, u32 id)
{
	struct vc_rx_queue e = {
		.desc_ids = VC_RXDID_SPLITQ, .ring = iova(ring_offset(type, id)), .type = type,
		.id = id, .model = VC_MODEL_SPLIT, .ring_len = RING_LEN,
	};

	if (type == VC_Q_BUF) {
		e.data_buf_size = id % 2 ? BUF2_SIZE : BUF1_SIZE;
		e.notify_stride = VC_BUF_STRIDE;
		return e;
	}
	e.data_buf_size = BUF1_SIZE;
	e.max_pkt_size = 9026;
	e.qflags = VC_RXQ_DESC_32B;
	e.bufq[0] = 2 * id;
	e.bufq[1] = 2 * id + 1;
	e.bufq2_ena = 1;
	return e;
}

static inline u32 config_tx(const struct vc_tx_queue *e, u32 n)
{
	struct { struct vc_config_tx h; struct vc_tx_queue e[2 * PAIRS]; } m = {
		.h = { .count = n } };

	memcpy(m.e, e, n * sizeof(*e));
	return message(VC_CONFIG_TX_QUEUES, &m, sizeof(m.h) + n * sizeof(*e));
}

static inline u32 config_rx(const struct vc_rx_queue *e, u32 n)
{
	struct { struct vc_config_rx h; struct vc_rx_queue e[3 * PAIRS]; } m = {
		.h = { .count = n } };

	memcpy(m.e, e, n * sizeof(*e));
	return message(VC_CONFIG_RX_QUEUES, &m, sizeof(m.h) + n * sizeof(*e));
}

/* ENABLE_, DISABLE_ or DEL_QUEUES for queues [@start, @start + @count) of one type. */
static inline u32 queues(u32 op, u32 type, u32 start, u32 count)
{
	struct { struct vc_queues h; struct vc_queue_range r; } m = {
		.h = { .count = 1 }, .r = { .type = type, .start = start, .count = count } };

	return message(op, &m, sizeof(m));
}

static inline u32 map_vector(u32 op, u32 type, u32 id, u16 vector)
{
	struct { struct vc_vector_maps h; struct vc_vector_map e; } m = {
		.h = { .count = 1 },
		.e = { .queue = id, .queue_type = type, .vector = vector } };

	return message(op, &m, sizeof(m));
}

static inline u32 vport_op(u32 op)
{
	struct vc_vport m = { 0 };

	return message(op, &m, sizeof(m));
}

static inline u32 mac_op(u32 op, const u8 *addr, u8 type)
{
	struct { struct vc_macs h; struct vc_mac e; } m = {
		.h = { .count = 1 }, .e = { .type = type } };

	memcpy(m.e.addr, addr, 6);
	return message(op, &m, sizeof(m));
}

/* Posts buffer @buf of @queue at the ring's tail, without ringing. */
static inline void post_buffer(u32 queue, u32 buf)
{
	u8 *d = drv.mem + ring_offset(VC_Q_BUF, queue) + drv.buf_tail[queue] * 32;

	put16(d, (u16)(queue << 8 | buf));
	put64(d + 8, iova(buf_offset(queue, buf)));
	drv.buf_tail[queue] = (drv.buf_tail[queue] + 1) % RING_LEN;
}

static inline void post_buffers(u32 queue)
{
	drv.buf_tail[queue] = 0;
	for (u32 i = 0; i < RING_LEN - 1; i++)
		post_buffer(queue, i);
	wr(BUF_TAIL(queue), RING_LEN - 1);
}

static inline void config_pair(u32 i)
{
	struct vc_tx_queue tx[2] = { tx_entry(VC_Q_TX, i), tx_entry(VC_Q_COMPL, i) };
	struct vc_rx_queue rx[3] = { rx_entry(VC_Q_BUF, 2 * i), rx_entry(VC_Q_BUF, 2 * i + 1),
				     rx_entry(VC_Q_RX, i) };

	for (u32 type = VC_Q_TX; type <= VC_Q_COMPL; type++)
		memset(drv.mem + ring_offset(type, i), 0, 0x1000);
	drv.tx_tail[i] = 0;
	drv.compl_head[i] = 0;
	drv.rx_head[i] = 0;
	post_buffers(2 * i);
	post_buffers(2 * i + 1);
	assert_int_equal(config_tx(tx, 2), VC_OK);
	assert_int_equal(config_rx(rx, 3), VC_OK);
	assert_int_equal(map_vector(VC_MAP_VECTORS, VC_Q_TX, i, 1 + i), VC_OK);
	assert_int_equal(map_vector(VC_MAP_VECTORS, VC_Q_RX, i, 1 + i), VC_OK);
}

static inline void enable_pair(u32 i)
{
	assert_int_equal(queues(VC_ENABLE_QUEUES, VC_Q_COMPL, i, 1), VC_OK);
	assert_int_equal(queues(VC_ENABLE_QUEUES, VC_Q_TX, i, 1), VC_OK);
	assert_int_equal(queues(VC_ENABLE_QUEUES, VC_Q_BUF, 2 * i, 2), VC_OK);
	assert_int_equal(queues(VC_ENABLE_QUEUES, VC_Q_RX, i, 1), VC_OK);
	wr(dyn_ctl(1 + i), 1);
}

/* All receive queues share the flows evenly; the key is the well-known one. */
static inline void spread(void)
{
	static const u8 key[RSS_KEY_SIZE] = {
		0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43,
		0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb,
		0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01,
		0xfa,
	};
	u8 msg[12 + 4 * RSS_LUT_SIZE] = { 0 };

	put16(msg + 4, RSS_KEY_SIZE);
	memcpy(msg + 7, key, sizeof(key));
	must(VC_SET_RSS_KEY, msg, 7 + RSS_KEY_SIZE);
	memset(msg, 0, sizeof(msg));
	put16(msg + 6, RSS_LUT_SIZE);
	for (u32 i = 0; i < RSS_LUT_SIZE; i++)
		put32(msg + 12 + 4 * i, i % PAIRS);
	must(VC_SET_RSS_LUT, msg, sizeof(msg));
}

static inline void negotiate(void)
{
	struct vc_version version = { .major = 2 };
	struct vc_caps caps = { .other_caps = ~0ull, .csum_caps = ~0u };
	struct vc_alloc_vectors vectors = { .num_vectors = VECTORS - 1 };

	must(VC_VERSION, &version, sizeof(version));
	must(VC_GET_CAPS, &caps, sizeof(caps));
	must(VC_ALLOC_VECTORS, &vectors, sizeof(vectors));
}

static inline void create_vport(void)
{
	struct vc_create_vport v = {
		.txq_model = 1, .rxq_model = 1, .num_tx_q = PAIRS, .num_tx_complq = PAIRS,
		.num_rx_q = PAIRS, .num_rx_bufq = 2 * PAIRS,
	};

	must(VC_CREATE_VPORT, &v, sizeof(v));
}

/* From reset to a function that moves frames on all its queues. */
static inline void bring_up(void)
{
	u32 status;

	mailbox_up();
	negotiate();
	create_vport();
	for (u32 i = 0; i < PAIRS; i++) {
		config_pair(i);
		enable_pair(i);
	}
	assert_int_equal(vport_op(VC_ENABLE_VPORT), VC_OK);
	assert_true(next_message(&status));
	assert_int_equal(drv.answer_op, VC_EVENT);
	assert_int_equal(mac_op(VC_ADD_MAC, drv.nic.cfg.mac, VC_MAC_PRIMARY), VC_OK);
	spread();
}

/* --- traffic --- */

/* Fills a transmit descriptor; @flags: EOP and RE bits. */
static inline void tx_desc(u32 queue, u32 idx, u64 addr, u32 len, u64 flags, u16 tag)
{
	u8 *d = drv.mem + ring_offset(VC_Q_TX, queue) + idx * 16;

	put64(d, addr);
	put64(d + 8, 12 | flags | PUT(tag, 47, 32) | PUT(len, 61, 48));
}

#define TX_EOP	BIT(5)
#define TX_RE	BIT(7)

static inline void tx_ring(u32 queue, u32 n)
{
	drv.tx_tail[queue] = (drv.tx_tail[queue] + n) % RING_LEN;
	wr(TX_TAIL(queue), drv.tx_tail[queue]);
}

static inline u32 compl_read(u32 queue, u32 idx)
{
	return get32(drv.mem + ring_offset(VC_Q_COMPL, queue) + idx * 8);
}

/* A frame of @len bytes from the function's address to the peer's. */
static inline void make_frame(u8 *f, u32 len, u8 fill)
{
	static const u8 peer[6] = { 0x52, 0x54, 0, 0, 0, 0x99 };

	memset(f, fill, len);
	memcpy(f, peer, 6);
	memcpy(f + 6, drv.nic.cfg.mac, 6);
	put16be(f + 12, 0x88b5);
}

/* Sends one frame on @queue and sees it at the peer, with its completion and interrupt. */
static inline void demand_tx(u32 queue)
{
	u32 idx = drv.tx_tail[queue], head = drv.compl_head[queue], seen = drv.got_count;
	u8 *f = drv.mem + tx_buf_offset(queue);
	int raised = drv.raised[1 + queue];
	u32 gen = ~(u32)(compl_read(queue, head) >> 15) & 1;
	u32 word;

	make_frame(f, 100, (u8)(idx + 1));
	tx_desc(queue, idx, iova(tx_buf_offset(queue)), 100, TX_EOP, (u16)(0x4000 | idx));
	tx_ring(queue, 1);
	settle();
	word = compl_read(queue, head);
	assert_int_equal(FIELD(word, 13, 11), 2);
	assert_int_equal(FIELD(word, 15, 15), gen);
	assert_int_equal(word >> 16, 0x4000 | idx);
	drv.compl_head[queue] = (head + 1) % RING_LEN;
	assert_int_equal(drv.got_count, seen + 1);
	assert_int_equal(drv.got_len, 100);
	assert_memory_equal(drv.got, f, 100);
	assert_int_equal(drv.raised[1 + queue], raised + 1);
	wr(dyn_ctl(1 + queue), 1);
}

/* The peer sends a frame of @len bytes. */
static inline void peer_send(const u8 *data, u32 len)
{
	struct frame *f = frame_new(len);

	assert_non_null(f);
	memcpy(f->data, data, len);
	wire_send(drv.peer, f);
	settle();
}

static inline const u8 *rx_desc(u32 queue, u32 idx)
{
	return drv.mem + ring_offset(VC_Q_RX, queue) + idx * 32;
}

/*
 * Takes the next frame from @queue's ring into @out (WIRE_FRAME_MAX bytes) and gives its
 * buffers back; returns its length, 0 if there is none. @gen: what a new entry has.
 */
static inline u32 take_rx(u32 queue, u8 *out, u32 gen)
{
	u32 len = 0;

	for (;;) {
		const u8 *d = rx_desc(queue, drv.rx_head[queue]);
		u16 word = get16(d + 4), id = get16(d + 12);
		u32 bufq = 2 * queue + (word >> 15);

		if (FIELD(word, 14, 14) != gen)
			return 0;
		assert_int_equal(d[0], 2);
		assert_int_equal(id >> 8, bufq);
		memcpy(out + len, drv.mem + buf_offset(bufq, id & 0xff), word & 0x3fff);
		len += word & 0x3fff;
		post_buffer(bufq, id & 0xff);
		wr(BUF_TAIL(bufq), drv.buf_tail[bufq]);
		drv.rx_head[queue] = (drv.rx_head[queue] + 1) % RING_LEN;
		if (d[8] & 2)
			return len;
	}
}

/* A broadcast comes to queue 0 and is as it was sent. */
static inline void demand_rx(void)
{
	u8 f[120], out[WIRE_FRAME_MAX];
	u32 gen = ~(u32)FIELD(get16(rx_desc(0, drv.rx_head[0]) + 4), 14, 14) & 1;

	memset(f, 0x33, sizeof(f));
	memset(f, 0xff, 6);
	peer_send(f, sizeof(f));
	assert_int_equal(take_rx(0, out, gen), sizeof(f));
	assert_memory_equal(out, f, sizeof(f));
}

/* --- violations --- */

static inline bool trace_has(const char *text)
{
	static char buf[1 << 20];
	FILE *in = fopen(drv.trace_path, "re");
	size_t n;

	assert_non_null(in);
	n = fread(buf, 1, sizeof(buf) - 1, in);
	fclose(in);
	buf[n] = 0;
	return strstr(buf, text);
}

/* Runs @statement: the counter of @kind, and no other, rises by one; the trace tells of it. */
#define provoke(kind, statement) do {							\
	u64 before = violation_count(&drv.nic, V_##kind);				\
	u64 all = violation_total(&drv.nic);						\
	char tag[96];									\
	statement;									\
	assert_int_equal(violation_count(&drv.nic, V_##kind), before + 1);		\
	assert_int_equal(violation_total(&drv.nic), all + 1);				\
	snprintf(tag, sizeof(tag), " VIOLATION %s: ", violation_names[V_##kind]);	\
	assert_true(trace_has(tag));							\
} while (0)

/* --- the machine --- */

static inline int plug(bool vf)
{
	memset(&drv, 0, sizeof(drv));
	strcpy(drv.trace_path, "/tmp/lan-trace-XXXXXX");
	close(mkstemp(drv.trace_path));
	drv.nic.cfg = (struct nic_config){
		.name = "nic", .mac = { 0x52, 0x54, 0, 0, 0, 1 }, .queues = PAIRS,
		.vectors = VECTORS, .rdma_vectors = 2, .vf = vf };
	drv.nic.loop = loop_new();
	drv.nic.trace = trace_new(drv.trace_path, 0);
	drv.nic.faults = fault_set_new();
	drv.nic.dma = dma_space_new(&drv.nic);
	drv.nic.regs = regs_new(&drv.nic, NIC_BAR0_SIZE);
	drv.nic.intr = intr_new(&drv.nic, VECTORS);
	drv.nic.tp = &drv_transport;
	drv.nic.rdma = (struct rdma *)&drv;	/* only told apart from NULL */
	drv.wire = wire_new(drv.nic.loop, 1);
	drv.nic.port = wire_port_new(drv.wire, "nic", to_function, &drv.nic);
	drv.peer = wire_port_new(drv.wire, "peer", to_peer, &drv);
	drv.nic.lan = lan_new(&drv.nic);
	drv.mem = calloc(1, MEM_SIZE);
	return !drv.nic.lan ||
	       dma_map_mem(drv.nic.dma, MEM_BASE, MEM_SIZE, drv.mem,
			   DMA_PROT_READ | DMA_PROT_WRITE);
}

static inline int setup(void **state)
{
	(void)state;
	return plug(false);
}

static inline int setup_up(void **state)
{
	int err = setup(state);

	if (!err)
		bring_up();
	return err;
}

static inline int teardown(void **state)
{
	(void)state;
	lan_free(drv.nic.lan);
	wire_free(drv.wire);
	intr_free(drv.nic.intr);
	regs_free(drv.nic.regs);
	dma_space_free(drv.nic.dma);
	fault_set_free(drv.nic.faults);
	trace_free(drv.nic.trace);
	loop_free(drv.nic.loop);
	free(drv.mem);
	unlink(drv.trace_path);
	return 0;
}

#endif
