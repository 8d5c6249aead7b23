/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A world for tests of the data side: two functions with memory, queue pairs,
 * completion queues and regions, and a wire between them that loses, repeats and
 * reorders packets by a seed. Stands in for the control side; each test program
 * includes it once.
 */
#ifndef ROCE_FAKE_H
#define ROCE_FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#ifdef ROCE_FAKE_NO_CMOCKA	/* fuzz targets */
#define assert_true(x)		((x) ? (void)0 : abort())
#define assert_int_equal(a, b)	assert_true((a) == (b))
#define assert_non_null(p)	assert_true((p) != NULL)
#define assert_false(x)		assert_true(!(x))
#define assert_memory_equal(a, b, n)	assert_true(!memcmp(a, b, n))
#else
#include <cmocka.h>
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/objects.h"
#include "faults.h"
#include "loop.h"
#include "nic.h"
#include "roce/roce.h"
#include "trace.h"
#include "transport/dma.h"
#include "wire/wire.h"

#define MEM_BASE	0x100000ull
#define MEM_SIZE	(8u << 20)
#define SQ_AT		0u		/* offsets in a side's memory */
#define RQ_AT		0x100000u
#define SRQ_AT		0x180000u
#define QP_RING		0x10000u	/* bytes of one queue pair's SQ, of its RQ */
#define DATA_AT		0x200000u
#define RING_QUANTA	512u
#define RQ_STRIDE	8u
#define QPS		4u
#define MRS		8u
#define MAX_CQES	4096u
#define MTU		1024u
#define PD		7u
#define LKEY		0x1000u		/* all of a side's memory, every right */

struct rdma {
	struct nic nic;
	struct roce *roce;
	u8 *mem;
	struct rdma_qp qp[QPS];
	u32 sq_head[QPS], rq_head[QPS];
	u8 sq_pol[QPS], rq_pol[QPS];
	struct rdma_cq cq;
	struct rdma_srq srq;
	u32 srq_head, srq_taken;
	u8 srq_pol;
	struct cqe cqe[MAX_CQES];
	u32 n_cqes;
	bool cq_full;	/* the next completion takes QP 0 down, as ctl/cq.c does */
	struct aeqe ae[64];
	u32 n_aes;
	struct rdma_mr mr[MRS];
	u32 n_mrs;
	struct rdma_ah ah;
	u32 mcast[2], n_mcast;
	u16 bind_code;
	bool arp_missing;
};

struct impair_rates { u32 loss_ppm, dup_ppm, reorder_ppm; };

#define WIRE_SLOTS 4096u

struct world {
	struct loop *loop;
	struct trace *trace;
	struct wire *ports;		/* only for the state of the sides' ports */
	char trace_path[64];
	struct rdma side[2];
	struct impair_rates rates;
	u64 rng;
	struct frame *wire[WIRE_SLOTS];
	u32 n_wire;
	u64 n_frames, n_lost;
	bool cut, busy;			/* @busy: never wait for a timer */
	/* Looks at, and may change, each frame as it is delivered. */
	void (*tap)(struct world *w, u8 *frame, u32 len);
	u32 tapped[256];
};

static struct world world;

static inline u32 world_random(void)
{
	world.rng = world.rng * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(world.rng >> 33);
}

static inline bool chance(u32 ppm)
{
	return world_random() % 1000000 < ppm;
}

/* What the rest of the NIC would do. */

void nic_tx(struct nic *nic, struct frame *f)
{
	(void)nic;
	world.n_frames++;
	if (world.cut || world.n_wire == WIRE_SLOTS || chance(world.rates.loss_ppm)) {
		world.n_lost++;
		frame_put(f);
		return;
	}
	world.wire[world.n_wire++] = f;
	if (chance(world.rates.dup_ppm) && world.n_wire < WIRE_SLOTS)
		world.wire[world.n_wire++] = frame_get(f);
	if (world.n_wire > 1 && chance(world.rates.reorder_ppm)) {
		u32 other = world_random() % world.n_wire;

		f = world.wire[other];
		world.wire[other] = world.wire[world.n_wire - 1];
		world.wire[world.n_wire - 1] = f;
	}
}

struct nic *rdma_nic(struct rdma *r) { return &r->nic; }
struct roce *rdma_roce(struct rdma *r) { return r->roce; }

struct rdma_qp *rdma_qp_get(struct rdma *r, u32 id)
{
	return id >= 16 && id < 16 + QPS && r->qp[id - 16].r ? &r->qp[id - 16] : NULL;
}

struct rdma_qp *rdma_qp_by_wire(struct rdma *r, u32 qpn)
{
	for (u32 i = 0; i < QPS; i++)
		if (r->qp[i].r && r->qp[i].qpn == qpn)
			return &r->qp[i];
	return NULL;
}

struct rdma_cq *rdma_cq_get(struct rdma *r, u32 id) { return id == 1 ? &r->cq : NULL; }
struct rdma_srq *rdma_srq_get(struct rdma *r, u32 id) { return id == 1 ? &r->srq : NULL; }
struct rdma_ah *rdma_ah_get(struct rdma *r, u32 id) { return id == r->ah.id ? &r->ah : NULL; }

bool rdma_arp_get(struct rdma *r, u16 idx, u8 mac[6])
{
	u8 peer = r == &world.side[0] ? 2 : 1;

	if (r->arp_missing || idx > 2)
		return false;
	memcpy(mac, (u8[6]){ 2, 0, 0, 0, 0, peer }, 6);
	if (idx == 2)
		memcpy(mac, (u8[6]){ 1, 0, 0x5E, 1, 2, 3 }, 6);
	return true;
}

u32 rdma_mcast_members(struct rdma *r, const u8 dip[16], u16 vlan, u32 *qps, u32 max)
{
	(void)dip;
	(void)vlan;
	for (u32 i = 0; i < r->n_mcast && i < max; i++)
		qps[i] = r->mcast[i];
	return r->n_mcast;
}

static inline struct rdma_mr *find_mr(struct rdma *r, u32 stag)
{
	for (u32 i = 0; i < r->n_mrs; i++)
		if (r->mr[i].index == stag >> 8)
			return &r->mr[i];
	return NULL;
}

u16 rdma_mr_check(struct rdma *r, u32 stag, u32 pd, u32 qp, bool remote, u32 need, u64 addr,
		  u64 len, struct rdma_mr **out)
{
	struct rdma_mr *mr = find_mr(r, stag);

	(void)qp;
	(void)remote;
	if (!mr)
		return 0x0102;
	if (!mr->valid)
		return 0x0103;
	if (mr->key != (u8)stag)
		return 0x0106;
	if (mr->pd != pd)
		return 0x0105;
	if ((mr->access & need) != need)
		return 0x0109;
	if (addr < mr->va || len > mr->len || addr - mr->va > mr->len - len)
		return 0x0108;
	*out = mr;
	return 0;
}

u64 rdma_mr_segment(struct rdma_mr *mr, u64 addr, u64 len, u64 *bus)
{
	*bus = mr->addr + (addr - mr->va);
	return len;
}

bool rdma_mr_read(struct rdma_mr *mr, u64 addr, void *buf, u64 len)
{
	return dma_read(mr->r->nic.dma, mr->addr + (addr - mr->va), buf, len);
}

bool rdma_mr_write(struct rdma_mr *mr, u64 addr, const void *buf, u64 len)
{
	return dma_write(mr->r->nic.dma, mr->addr + (addr - mr->va), buf, len);
}

bool rdma_mr_copy(struct rdma_mr *dst, u64 to, struct rdma_mr *src, u64 from, u64 len)
{
	return dma_copy(dst->r->nic.dma, dst->addr + (to - dst->va), src->r->nic.dma,
			src->addr + (from - src->va), len);
}

u16 rdma_mr_invalidate(struct rdma *r, u32 stag, u32 pd, u32 qp, bool remote)
{
	struct rdma_mr *mr = find_mr(r, stag);

	(void)pd;
	(void)qp;
	if (!mr || !mr->valid)
		return 0x0103;
	if (remote && !mr->remote)
		return 0x0112;
	mr->valid = false;
	return 0;
}

u16 rdma_mw_bind(struct rdma *r, const struct mw_bind *b, u32 pd, u32 qp, bool qp_may_bind)
{
	struct rdma_mr *mw = find_mr(r, b->mw_stag);

	(void)pd;
	(void)qp;
	if (!qp_may_bind)
		return 0x011B;
	if (r->bind_code || !mw)
		return r->bind_code ? r->bind_code : 0x0102;
	mw->key = (u8)b->mw_stag;
	mw->va = b->va;
	mw->addr = b->va;
	mw->len = b->len;
	mw->access = b->access;
	mw->valid = true;
	return 0;
}

u16 rdma_fast_reg(struct rdma *r, const struct fast_reg *fr, u32 pd, bool priv)
{
	struct rdma_mr *mr = find_mr(r, fr->stag);

	if (!priv)
		return 0x011C;
	if (!mr)
		return 0x0102;
	*mr = (struct rdma_mr){ .r = r, .index = fr->stag >> 8, .key = (u8)fr->stag, .pd = pd,
				.valid = true, .remote = true, .access = fr->access,
				.va = fr->va, .len = fr->len, .addr = fr->page };
	return 0;
}

bool rdma_ring_read(struct rdma *r, const struct rdma_ring *ring, u32 idx, void *buf, u32 bytes)
{
	return dma_read(r->nic.dma, ring->base + 32ull * idx, buf, bytes);
}

void rdma_cq_post(struct rdma_cq *cq, const struct cqe *cqe)
{
	struct rdma_qp *qp = &cq->r->qp[0];
	enum qp_state old = qp->state;

	if (cq->r->cq_full && old != QPS_ERROR) {
		qp->state = QPS_ERROR;
		roce_qp_modified(qp, old);
		return;
	}
	assert_true(cq->r->n_cqes < MAX_CQES);
	cq->r->cqe[cq->r->n_cqes++] = *cqe;
}

void rdma_aeq_post(struct rdma *r, const struct aeqe *ae)
{
	assert_true(r->n_aes < ARRAY_SIZE(r->ae));
	r->ae[r->n_aes++] = *ae;
}

void rdma_qp_event(struct rdma_qp *qp, u16 code, enum ae_src src, u32 wqe_idx)
{
	rdma_aeq_post(qp->r, &(struct aeqe){ .code = code, .src = (u8)src, .id = qp->id,
					     .qp_state = (u8)qp->state, .wqe_idx = wqe_idx });
}

int rdma_rq_peek(struct rdma_qp *qp, void *wqe, u32 *wqe_idx)
{
	struct rdma_ring *ring = qp->ctx.use_srq ? &qp->r->srq.ring : &qp->rq;

	*wqe_idx = ring->index;
	if ((qp->ctx.use_srq && qp->r->srq.failed) ||
	    !rdma_ring_read(qp->r, ring, ring->index, wqe, 32 * ring->stride))
		return -1;
	return (get64((u8 *)wqe + 24) >> 63) == ring->polarity;
}

void rdma_rq_consume(struct rdma_qp *qp)
{
	struct rdma_ring *ring = qp->ctx.use_srq ? &qp->r->srq.ring : &qp->rq;

	rdma_ring_advance(ring, ring->stride);
	qp->r->srq_taken += qp->ctx.use_srq;
}

/* The world's own: making, connecting, posting, running. */

static inline struct rdma_mr *add_mr(struct rdma *r, u32 stag, u64 va, u64 bus, u64 len, u32 access)
{
	struct rdma_mr *mr = &r->mr[r->n_mrs++];

	assert_true(r->n_mrs <= MRS);
	*mr = (struct rdma_mr){ .r = r, .index = stag >> 8, .key = (u8)stag, .valid = true,
				.region = true, .remote = true, .pd = PD, .va = va, .addr = bus,
				.len = len, .access = access };
	return mr;
}

static inline void side_start(struct rdma *r, int n)
{
	static const u32 all = ACC_LOCAL_READ | ACC_LOCAL_WRITE | ACC_REMOTE_READ |
			       ACC_REMOTE_WRITE | ACC_REMOTE_ATOMIC | ACC_BIND;

	memset(r, 0, sizeof(*r));
	snprintf(r->nic.cfg.name, sizeof(r->nic.cfg.name), "nic%d", n);
	r->nic.loop = world.loop;
	r->nic.trace = world.trace;
	r->nic.next = &world.side[!n].nic;
	r->nic.rdma = r;
	r->nic.port = wire_port_new(world.ports, r->nic.cfg.name, NULL, NULL);
	r->nic.dma = dma_space_new(NULL);
	r->nic.faults = fault_set_new();
	r->mem = aligned_alloc(4096, MEM_SIZE);
	assert_non_null(r->mem);
	memset(r->mem, 0, MEM_SIZE);
	assert_int_equal(dma_map_mem(r->nic.dma, MEM_BASE, MEM_SIZE, r->mem,
				     DMA_PROT_READ | DMA_PROT_WRITE), 0);
	r->cq = (struct rdma_cq){ .r = r, .id = 1 };
	r->srq = (struct rdma_srq){ .r = r, .id = 1, .ring = {
		.base = MEM_BASE + SRQ_AT, .quanta = RING_QUANTA, .stride = RQ_STRIDE,
		.polarity = 1 } };
	r->srq_pol = 1;
	add_mr(r, LKEY, MEM_BASE, MEM_BASE, MEM_SIZE, all);
	r->roce = roce_new(r);
	assert_non_null(r->roce);
}

static inline struct roce_qp *make_qp(int side, u32 n, enum qp_type type)
{
	struct rdma *r = &world.side[side];
	struct rdma_qp *qp = &r->qp[n];
	u8 mine = (u8)(side + 1), peer = (u8)(2 - side);

	*qp = (struct rdma_qp){
		.r = r, .id = 16 + n, .qpn = 16 + n, .type = type, .state = QPS_IDLE,
		.sq = { .base = MEM_BASE + SQ_AT + n * QP_RING, .quanta = RING_QUANTA,
			.stride = 1, .polarity = 1 },
		.rq = { .base = MEM_BASE + RQ_AT + n * QP_RING, .quanta = RING_QUANTA,
			.stride = RQ_STRIDE, .polarity = 1 },
		.ctx = {
			.ipv4 = true, .ttl = 64, .udp_sport = 0xC123, .pmtu = MTU, .arp_idx = 1,
			.pkey = 0xFFFF, .pd = PD, .dest_qpn = 16 + n, .qkey = 0x11111111,
			.psn_nxt = side ? 0xFFFFF0 : 100, .epsn = side ? 100 : 0xFFFFF0,
			.min_rnr_timer = 1, .retry_cnt = 7, .rnr_retry = 7, .ack_timeout = 17,
			.scqn = 1, .rcqn = 1, .smac = { 2, 0, 0, 0, 0, mine }, .ord = 4,
			.ird = 8, .atomics = true, .write_en = true, .read_en = true,
			.bind_en = true, .fast_reg_en = true, .priv = true,
			.comp_ctx = 0xC0DE0000 + n,
			.sip = { [10] = 0xFF, [11] = 0xFF, 10, 0, 0, mine },
			.dip = { [10] = 0xFF, [11] = 0xFF, 10, 0, 0, peer },
		},
	};
	r->sq_head[n] = r->rq_head[n] = 0;
	r->sq_pol[n] = r->rq_pol[n] = 1;
	assert_int_equal(roce_qp_new(qp), 0);
	return qp->roce;
}

static inline void set_state(int side, u32 n, enum qp_state state)
{
	struct rdma_qp *qp = &world.side[side].qp[n];
	enum qp_state old = qp->state;

	qp->state = state;
	roce_qp_modified(qp, old);
}

static inline void connect_qps(u32 n)
{
	for (int side = 0; side < 2; side++)
		make_qp(side, n, QP_RC);
	for (int side = 0; side < 2; side++) {
		set_state(side, n, QPS_RTR);
		set_state(side, n, QPS_RTS);
	}
}

static inline int world_start(void **state)
{
	int fd;

	(void)state;
	memset(&world, 0, sizeof(world));
	world.rng = 1;
	strcpy(world.trace_path, "/tmp/roce-test-XXXXXX");
	fd = mkstemp(world.trace_path);
	assert_true(fd >= 0);
	fclose(fdopen(fd, "w"));
	world.loop = loop_new();
	world.ports = wire_new(world.loop, 1);
	world.trace = trace_new(world.trace_path, getenv("TRACE_ROCE") ? 1u << T_ROCE : 0);
	side_start(&world.side[0], 0);
	side_start(&world.side[1], 1);
	return 0;
}

static inline int world_stop(void **state)
{
	(void)state;
	while (world.n_wire)
		frame_put(world.wire[--world.n_wire]);
	for (int i = 0; i < 2; i++) {
		struct rdma *r = &world.side[i];

		for (u32 n = 0; n < QPS; n++)
			if (r->qp[n].r)
				roce_qp_free(&r->qp[n]);
		roce_free(r->roce);
		dma_space_free(r->nic.dma);
		fault_set_free(r->nic.faults);
		free(r->mem);
	}
	wire_free(world.ports);
	trace_free(world.trace);
	remove(world.trace_path);
	loop_free(world.loop);
	return 0;
}

static inline void deliver(struct frame *f)
{
	u8 *copy = malloc(f->len);	/* exactly as long, so that ASan sees an overrun */

	memcpy(copy, f->data, f->len);
	if (world.tap)
		world.tap(&world, copy, f->len);
	for (int i = 0; i < 2; i++)
		if ((copy[0] & 1 && copy[11] != i + 1) || copy[5] == i + 1)
			roce_rx(world.side[i].roce, copy, f->len);
	free(copy);
	frame_put(f);
}

/* One round: what the wire holds now, then due timers and tasks. */
static inline void world_step(void)
{
	struct frame *f[WIRE_SLOTS];
	u32 n = world.n_wire;

	memcpy(f, world.wire, n * sizeof(f[0]));
	world.n_wire = 0;
	for (u32 i = 0; i < n; i++)
		deliver(f[i]);
	loop_step(world.loop, n || world.busy ? 0 : 100000);
}

/* Until side @side has @n completions; fails after five seconds. */
static inline void run_until(int side, u32 n)
{
	u64 end = loop_now(world.loop) + 5000000000ull;

	while (world.side[side].n_cqes < n && loop_now(world.loop) < end)
		world_step();
	assert_int_equal(world.side[side].n_cqes, n);
}

/* Until a counter of side @side is at least @n. */
static inline void run_until_count(int side, enum rdma_stat stat, u64 n)
{
	const u64 *counters = roce_counters(world.side[side].roce);
	u64 end = loop_now(world.loop) + 5000000000ull;

	while (counters[stat] < n && loop_now(world.loop) < end)
		world_step();
	assert_true(counters[stat] >= n);
}

static inline void run_for_ms(u32 ms)
{
	u64 end = loop_now(world.loop) + ms * 1000000ull;

	while (loop_now(world.loop) < end)
		world_step();
}

/* Until side @side has its @n-th async event. */
static const struct aeqe *run_until_event(int side, u32 n)
{
	u64 end = loop_now(world.loop) + 5000000000ull;

	while (world.side[side].n_aes < n && loop_now(world.loop) < end)
		world_step();
	assert_true(world.side[side].n_aes >= n);
	return &world.side[side].ae[n - 1];
}

struct wr {
	u8 op, flags;
	u32 stag;
	u64 raddr;
	bool has_imm;
	u32 imm;
	u64 w2;			/* when not raddr: UD */
	u64 swap, compare;
	const u8 *inl;
	u32 inl_len;
	u32 n_sge;
	struct sge sge[15];
	u64 hdr_or;		/* header bits on top, for what must be refused */
};

#define WR_SIGNALLED	1u
#define WR_READ_FENCE	2u
#define WR_LOCAL_FENCE	4u

static inline void put_sge(u8 *p, const struct sge *s, u64 valid)
{
	put64(p, s->addr);
	put64(p + 8, s->stag | (u64)s->len << 32 | valid);
}

/* Local operations have other fields in the place of a fragment, and no valid bit there. */
static inline bool is_local_op(u8 op)
{
	return op == WQE_BIND || op == WQE_FAST_REG || op == WQE_LOCAL_INV || op == WQE_NOP;
}

static inline u32 fill_body(u8 *wqe, const struct wr *w, u64 valid, u64 *hdr)
{
	u32 slot = w->has_imm ? 1 : 0, frags = w->n_sge + slot, quanta;

	if (w->inl) {
		quanta = w->inl_len <= 8 ? 1 : 1 + (w->inl_len - 8 + 30) / 31;
		*hdr |= BIT(57) | (u64)w->inl_len << 48;
		for (u32 i = 0; i < w->inl_len; i++)
			wqe[i < 8 ? 8 + i : 32 * (1 + (i - 8) / 31) + (i - 8) % 31] = w->inl[i];
		for (u32 q = 1; q < quanta && q < 8; q++)
			wqe[32 * q + 31] = valid ? 0x80 : 0;
	} else {
		for (u32 i = 0; i < w->n_sge; i++, slot++)
			put_sge(slot ? wqe + 32 + 16 * (slot - 1) : wqe, &w->sge[i], valid);
		if (frags && frags % 2 == 0)
			put64(wqe + 32 + 16 * (frags - 1) + 8, valid);
		if (!frags)
			put64(wqe + 8, valid);
		*hdr |= (u64)(frags > 1 ? frags - 1 : 0) << 38;
		quanta = frags < 2 ? 1 : frags / 2 + 1;
	}
	if (w->has_imm) {
		put64(wqe, w->imm);
		*hdr |= BIT(47);
	}
	return quanta;
}

/* Writes the WQE as generation 3 wants it and returns its index. */
static inline u32 post_wr(int side, u32 n, const struct wr *w)
{
	struct rdma *r = &world.side[side];
	u8 *ring = r->mem + SQ_AT + n * QP_RING, wqe[512] = { 0 };
	u64 valid = (u64)r->sq_pol[n] << 63, hdr = 0;
	u32 quanta, idx;

	if (w->op == WQE_FETCH_ADD || w->op == WQE_CMP_SWAP) {
		put64(wqe, w->sge[0].addr);
		put64(wqe + 8, w->sge[0].stag);
		put64(wqe + 32, w->swap);
		put64(wqe + 40, w->compare);
		put64(wqe + 56, valid);
		hdr |= 1ull << 38;
		quanta = 2;
	} else {
		quanta = fill_body(wqe, w, is_local_op(w->op) ? 0 : valid, &hdr);
	}
	put64(wqe + 16, w->raddr | w->w2);
	hdr |= w->stag | (u64)w->op << 32 | w->hdr_or |
	       (w->flags & WR_SIGNALLED ? BIT(62) : 0) |
	       (w->flags & WR_READ_FENCE ? BIT(60) : 0) |
	       (w->flags & WR_LOCAL_FENCE ? BIT(61) : 0);
	while (r->sq_head[n] % 8 + quanta > 8) {
		memset(ring + 32 * r->sq_head[n], 0, 24);
		put64(ring + 32 * r->sq_head[n] + 24, (u64)WQE_NOP << 32 | valid);
		r->sq_head[n]++;
		if (r->sq_head[n] == RING_QUANTA) {
			r->sq_head[n] = 0;
			r->sq_pol[n] ^= 1;
			return post_wr(side, n, w);
		}
	}
	idx = r->sq_head[n];
	put64(wqe + 24, hdr | valid);
	memcpy(ring + 32 * idx, wqe, 32 * quanta);
	r->sq_head[n] += quanta;
	if (r->sq_head[n] == RING_QUANTA) {
		r->sq_head[n] = 0;
		r->sq_pol[n] ^= 1;
	}
	roce_doorbell(&r->qp[n]);
	return idx;
}

static inline void fill_recv(u8 *wqe, u64 valid, u64 wr_id, const struct sge *sge, u32 n_sge)
{
	memset(wqe, 0, 32 * RQ_STRIDE);
	for (u32 i = 0; i < n_sge; i++)
		put_sge(i ? wqe + 32 + 16 * (i - 1) : wqe, &sge[i], valid);
	if (!(n_sge & 1))
		put64(wqe + (n_sge ? 32 + 16 * (n_sge - 1) : 0) + 8, valid);
	put64(wqe + 16, wr_id);
	put64(wqe + 24, valid | (u64)(n_sge > 1 ? n_sge - 1 : 0) << 38);
}

static inline u32 post_recv(int side, u32 n, const struct sge *sge, u32 n_sge)
{
	struct rdma *r = &world.side[side];
	u32 idx = r->rq_head[n];

	fill_recv(r->mem + RQ_AT + n * QP_RING + 32 * idx, (u64)r->rq_pol[n] << 63, 0, sge, n_sge);
	r->rq_head[n] += RQ_STRIDE;
	if (r->rq_head[n] == RING_QUANTA) {
		r->rq_head[n] = 0;
		r->rq_pol[n] ^= 1;
	}
	return idx;
}

static inline void post_srq(int side, u64 wr_id, const struct sge *sge, u32 n_sge)
{
	struct rdma *r = &world.side[side];

	fill_recv(r->mem + SRQ_AT + 32 * r->srq_head, (u64)r->srq_pol << 63, wr_id, sge, n_sge);
	r->srq_head += RQ_STRIDE;
	if (r->srq_head == RING_QUANTA) {
		r->srq_head = 0;
		r->srq_pol ^= 1;
	}
}

static inline u64 data_addr(u32 off)
{
	return MEM_BASE + DATA_AT + off;
}

static inline u8 *data_ptr(int side, u32 off)
{
	return world.side[side].mem + DATA_AT + off;
}

static inline struct sge data_sge(u32 off, u32 len)
{
	return (struct sge){ data_addr(off), len, LKEY };
}

static inline void fill_data(int side, u32 off, u32 len)
{
	for (u32 i = 0; i < len; i++)
		data_ptr(side, off)[i] = (u8)world_random();
}

static inline void expect_cqe(int side, u32 i, u8 op, bool sq, u32 len)
{
	const struct cqe *c = &world.side[side].cqe[i];

	assert_true(i < world.side[side].n_cqes);
	assert_false(c->error);
	assert_int_equal(c->op, op);
	assert_int_equal(c->sq, sq);
	if (!sq)
		assert_int_equal(c->byte_len, len);
}

static inline void expect_event(int side, u16 code, enum ae_src src, u32 idx)
{
	const struct aeqe *ae = run_until_event(side, world.side[side].n_aes + 1);

	assert_int_equal(ae->code, code);
	assert_int_equal(ae->src, src);
	assert_int_equal(ae->wqe_idx, idx);
	assert_int_equal(ae->qp_state, QPS_ERROR);
}

static inline u64 total_violations(void)
{
	u64 n = 0;

	for (int v = 0; v < V_COUNT; v++)
		n += world.side[0].nic.violations[v] + world.side[1].nic.violations[v];
	return n;
}

/* The last pair of queue pairs, which has no part in it, writes byte for byte. */
static inline void others_go_on(void)
{
	const u32 from = 0x300000, to = 0x310000, len = 3 * MTU + 1;
	struct wr w = { .op = WQE_WRITE, .flags = WR_SIGNALLED, .raddr = data_addr(to),
			.stag = LKEY, .n_sge = 1, .sge = { data_sge(from, len) } };

	world.side[0].arp_missing = false;
	connect_qps(QPS - 1);
	world_step();		/* the new queue pair is idle again when its doorbell rings */
	fill_data(0, from, len);
	post_wr(0, QPS - 1, &w);
	run_until(0, world.side[0].n_cqes + 1);
	assert_memory_equal(data_ptr(1, to), data_ptr(0, from), len);
}

/* The counter is 1 and the trace names it; nobody else suffers. */
static inline void expect_violation(int side, enum violation v)
{
	char line[256], want[80];
	bool seen = false;
	FILE *f = fopen(world.trace_path, "r");

	assert_non_null(f);
	snprintf(want, sizeof(want), "nic%d VIOLATION %s:", side, violation_names[v]);
	while (fgets(line, sizeof(line), f))
		seen |= !!strstr(line, want);
	fclose(f);
	assert_true(seen);
	others_go_on();
	assert_int_equal(world.side[side].nic.violations[v], 1);
	assert_int_equal(total_violations(), 1);
}

#endif
