/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A guest for tests of the control side: a NIC with memory behind it, a control QP with
 * its queues, and one object of each kind, all made through the doors that a driver
 * uses. Stands in for the data side and notes what that is told. Words are written out
 * with shifts from the tables of the specification, not with the NIC's own names.
 */
#ifndef CTL_FAKE_H
#define CTL_FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/objects.h"
#include "ctl/rdma.h"
#include "faults.h"
#include "intr.h"
#include "loop.h"
#include "nic.h"
#include "trace.h"
#include "transport/dma.h"
#include "wire/wire.h"

#define BASE		0x1000000ull	/* DMA address of the guest's memory */
#define MEM_BYTES	(24u << 20)
#define DEPTH		64u
#define SQ_AT		(BASE + 0x0000)
#define CQPC_AT		(BASE + 0x2008)
#define FPM_AT		(BASE + 0x3000)
#define CCQ_AT		(BASE + 0x6000)
#define CCQ_SIZE	(2 * DEPTH + 2)
#define CCQ_SHADOW	(BASE + 0x8000)
#define CEQ_AT		(BASE + 0x9000)
#define CEQ_SIZE	16u
#define AEQ_AT		(BASE + 0xA000)
#define AEQ_SIZE	16u
#define CQ_SHADOWS	(BASE + 0xB000)	/* 64 bytes per CQ id */
#define QPC_AT(id)	(BASE + 0x10000 + (id) * 0x100ull)
#define QP_SHADOW(id)	(BASE + 0x14000 + (id) * 0x40ull)
#define RING_AT(n)	(BASE + 0x20000 + (n) * 0x4000ull)
#define SRQ_SHADOW	(BASE + 0x18000)
#define MR_SD		(BASE + (2ull << 20))
#define PBLE_SD		(BASE + (4ull << 20))
#define DATA_AT		(BASE + (8ull << 20))
#define DATA_BYTES	(1u << 20)
#define SPARE		(BASE + (6ull << 20))	/* free for the test, 2 MiB */
#define UNMAPPED	0xFFFF0000ull

/* Offsets that the register layout message gives, and what it says of vectors. */
#define REGION		0xBC00000u
#define DBPAGE		0xC000000u
#define VEC_CEQ0	5u
#define VEC_CEQ1	6u
#define VEC_AEQ		7u

#define FN		3ull
#define COOKIE		0x1122334455667788ull
#define QPS		32u
#define CQS		64u
#define MRS		64u
#define PBLES		8192u
#define CQ_A		3u
#define CQ_B		4u
#define CQ_ENTRIES	16u
#define QP_A		4u
#define SRQ_A		2u
#define PD		7u
#define MR_INDEX	0xABC005u	/* table slot 5 */
#define MR_KEY		0x21u
#define MR_STAG		(MR_INDEX << 8 | MR_KEY)

struct wqe {
	u64 w[8];
};

/* What the data side was told last. */
struct told {
	u32 qps, doorbells, drains, modified;
	enum qp_state old;
	struct roce_flush sq, rq;
	bool sq_did, rq_did;	/* in: what a flush answers */
};

struct guest {
	struct nic *nic;
	struct rdma *r;
	struct loop *loop;
	struct wire *wire;
	struct trace *trace;
	char trace_path[32];
	u8 *mem;
	u32 head, ccq_idx, ceq_idx[2], aeq_idx;
	u8 polarity, ccq_pol, ceq_pol[2], aeq_pol;
	bool ccq;
	u64 last_ret, last_w24, last_w16;
	u32 raised[32];
	struct told told;
};

static struct guest g;
static u64 fake_counters[ST_COUNT];

/* The data side. */

struct roce *roce_new(struct rdma *r) { (void)r; return (struct roce *)&g.told; }
void roce_free(struct roce *roce) { (void)roce; }
int roce_qp_new(struct rdma_qp *qp) { (void)qp; g.told.qps++; return 0; }
void roce_qp_free(struct rdma_qp *qp) { (void)qp; g.told.qps--; }
void roce_doorbell(struct rdma_qp *qp) { (void)qp; g.told.doorbells++; }
void roce_kick(struct rdma *r) { (void)r; }
void roce_drain(struct rdma_qp *qp) { (void)qp; g.told.drains++; }
const u64 *roce_counters(const struct roce *roce) { (void)roce; return fake_counters; }

void roce_qp_modified(struct rdma_qp *qp, enum qp_state old)
{
	(void)qp;
	g.told.modified++;
	g.told.old = old;
}

void roce_flush(struct rdma_qp *qp, struct roce_flush *sq, struct roce_flush *rq)
{
	(void)qp;
	sq->did = sq->on && g.told.sq_did;
	rq->did = rq->on && g.told.rq_did;
	g.told.sq = *sq;
	g.told.rq = *rq;
}

void roce_rx(struct roce *roce, const u8 *frame, u32 len)
{
	(void)roce;
	(void)frame;
	(void)len;
}

/* Memory and registers. */

static inline u8 *at(u64 addr)
{
	assert_in_range(addr, BASE, BASE + MEM_BYTES - 1);
	return g.mem + (addr - BASE);
}

static inline void st64(u64 addr, u64 val) { put64(at(addr), val); }
static inline u64 ld64(u64 addr) { return get64(at(addr)); }

static inline u32 rd(u32 offset)
{
	u32 val;

	nic_bar_read(g.nic, 0, offset, &val, 4);
	return val;
}

static inline void wr(u32 offset, u32 val)
{
	nic_bar_write(g.nic, 0, offset, &val, 4);
}

#define CQPTAIL		(REGION + 0x00)
#define CQPDB		(REGION + 0x04)
#define CCQPSTATUS	(REGION + 0x08)
#define CCQPHIGH	(REGION + 0x0C)
#define CCQPLOW		(REGION + 0x10)
#define CQPERR		(REGION + 0x14)
#define WQEALLOC	(REGION + 0x18)
#define CQARM		(REGION + 0x1C)
#define CQACK		(REGION + 0x20)
#define AEQALLOC	(REGION + 0x24)
#define DYN_CTL(v)	(0x08900000u + 0x1000u * (v))

/* Virtual channel: the signed return code; @out (may be NULL) gets the payload. */
static inline int vchnl(u16 op, u16 version, const void *in, u32 in_len, void *out, u32 *out_len)
{
	u8 req[RDMA_VCHNL_MAX] = {}, resp[RDMA_VCHNL_MAX];
	u32 len;

	put16(req, op);
	put16(req + 2, version);
	put16(req + 4, (u16)(16 + in_len));
	put64(req + 8, 0xC0FFEE);
	if (in_len)
		memcpy(req + 16, in, in_len);
	len = rdma_vchnl(g.r, req, 16 + in_len, resp);
	assert_in_range(len, 16, RDMA_VCHNL_MAX);
	assert_int_equal(get64(resp), 0xC0FFEE);
	assert_int_equal(get16(resp + 8), len);
	if (out)
		memcpy(out, resp + 16, len - 16);
	if (out_len)
		*out_len = len - 16;
	return (int16_t)get16(resp + 10);
}

static inline int map_vector(u32 vec, u16 ceq, u16 aeq)
{
	u8 in[16] = {};

	put32(in, 1);
	put32(in + 4, vec);
	put16(in + 8, ceq);
	put16(in + 10, aeq);
	return vchnl(14, 0, in, 16, NULL, NULL);
}

/* Control commands. */

static inline void write_wqe(const struct wqe *wqe, u8 op)
{
	u64 slot = SQ_AT + g.head * 64ull;

	if (!g.head)
		g.polarity ^= 1;
	for (u32 i = 0; i < 8; i++)
		st64(slot + 8 * i, i == 3 ? wqe->w[3] | (u64)op << 32 | (u64)g.polarity << 63 :
		     wqe->w[i]);
	g.head = (g.head + 1) % DEPTH;
}

/* The next entry of the control CQ; false: none. */
static inline bool ccq_poll(void)
{
	u64 e = CCQ_AT + g.ccq_idx * 32ull;

	if (ld64(e + 24) >> 63 != g.ccq_pol)
		return false;
	assert_int_equal(ld64(e + 8), COOKIE);
	g.last_w24 = ld64(e + 24);
	g.last_w16 = ld64(e + 16);
	g.last_ret = (u32)g.last_w16;
	if (++g.ccq_idx == CCQ_SIZE) {
		g.ccq_idx = 0;
		g.ccq_pol ^= 1;
	}
	st64(CCQ_SHADOW, g.ccq_idx);
	return true;
}

static inline u32 ccq_result(void)
{
	return g.last_w24 >> 55 & 1 ? (u32)g.last_w24 : 0;
}

/* Posts and waits; 0 or major << 16 | minor. */
static inline u32 cmd(u8 op, struct wqe wqe)
{
	u32 slot = g.head, tail = rd(CQPTAIL) & 0x7FF;

	write_wqe(&wqe, op);
	wr(CQPDB, g.head);
	assert_int_equal(rd(CQPTAIL) & 0x7FF, (tail + 1) % DEPTH);
	if (!g.ccq)
		return rd(CQPTAIL) >> 31 ? rd(CQPERR) : 0;
	assert_true(ccq_poll());
	assert_int_equal(g.last_w24 >> 32 & 0x7FFF, slot);
	return ccq_result();
}

static inline void must(u8 op, struct wqe wqe)
{
	assert_int_equal(cmd(op, wqe), 0);
}

/* Good commands, to be changed by tests. */

static inline struct wqe w_create_cq(u32 id, u64 ring, u32 entries)
{
	return (struct wqe) { {
		[0] = entries, [1] = id, [2] = entries / 2,
		[3] = id | 1ull << 46 | 1ull << 48 | 1ull << 49 | 1ull << 61,
		[4] = ring, [5] = CQ_SHADOWS + id * 64,
	} };
}

static inline struct wqe w_destroy_cq(u32 id)
{
	return (struct wqe) { { [1] = id, [3] = id | 1ull << 48 | 1ull << 49 | 1ull << 61,
				[5] = CQ_SHADOWS + id * 64 } };
}

static inline struct wqe w_ceq(u32 id, u64 ring)
{
	return (struct wqe) { { [2] = CEQ_SIZE, [3] = id, [4] = ring } };
}

static inline struct wqe w_aeq(u64 ring)
{
	return (struct wqe) { { [2] = AEQ_SIZE, [4] = ring } };
}

static inline struct wqe w_srq(u32 id)
{
	/* 64 quanta in WQEs of 2, PD in 39:16. */
	return (struct wqe) { { [0] = 3 | 1 << 4, [1] = 0xABCD00, [2] = (u64)PD << 16, [3] = id,
				[4] = RING_AT(8), [5] = SRQ_SHADOW } };
}

/* A context with rings of 64 quanta on CQs A and B; tests change words in memory. */
static inline void fill_qpc(u32 id)
{
	u64 c = QPC_AT(id);

	memset(at(c), 0, 256);
	st64(c + 0, 1 << 3 | 1 << 8);				/* IPv4, RQ WQEs of 2 quanta */
	st64(c + 8, RING_AT(id));
	st64(c + 16, RING_AT(id) + 0x1000);
	st64(c + 24, 64 | 4 << 8 | 4 << 12 | 0xC000ull << 32 | 4791ull << 48);
	st64(c + 32, 0xC0A86402);				/* 192.168.100.2 */
	st64(c + 48, 1024ull << 16 | 1ull << 48);		/* path MTU, ARP entry 1 */
	st64(c + 56, 0x1Eull << 20 | 0xFFFFull << 32);
	st64(c + 64, 0x123456 | 0x80010000ull << 32);
	st64(c + 80, 0x111111);
	st64(c + 88, 0x222222);
	st64(c + 96, 0x111111 | 0x111111ull << 32);
	st64(c + 112, 0x400ull << 32);
	st64(c + 128, 12 | 7ull << 48 | 6ull << 54 | 5ull << 57);
	st64(c + 136, CQ_A | (u64)CQ_B << 32);
	st64(c + 152, 0x525400000001ull << 16);
	st64(c + 160, 16 | 3ull << 14 | 1 << 18 | 1 << 20 | 1 << 21 | 1 << 23);
	st64(c + 168, 0xFEDCBA9876543240ull);
	st64(c + 184, 0xC0A86401);
	st64(c + 208, PD);
}

static inline struct wqe w_qp(u32 id, u32 state)
{
	/* Type RC, MAC and CQ numbers valid. */
	return (struct wqe) { { [2] = QPC_AT(id), [5] = QP_SHADOW(id),
		[3] = id | 1ull << 47 | 3ull << 48 | 1ull << 51 | (u64)state << 60 } };
}

/* With the flags of a step to RTR (ARP, CQ numbers) or RTS (ORD, too). */
static inline struct wqe w_modify(u32 id, u32 state)
{
	struct wqe w = w_qp(id, state);

	w.w[3] &= ~(1ull << 51);
	w.w[3] |= 1ull << 59 | (state == QPS_RTS ? 1ull << 42 : 0);
	return w;
}

static inline struct wqe w_destroy_qp(u32 id)
{
	return (struct wqe) { { [2] = QPC_AT(id), [5] = QP_SHADOW(id),
				[3] = id | 3ull << 48 | 1ull << 55 } };
}

/* 64 KiB at DATA_AT, VA 0x7000000000, all rights, contiguous. */
#define MR_VA	0x7000000000ull
#define MR_LEN	0x10000ull
static inline struct wqe w_reg(u32 index, u8 key)
{
	return (struct wqe) { { [0] = MR_VA, [1] = MR_LEN | (u64)PD << 46,
		[2] = key | (u64)index << 8, [4] = DATA_AT,
		[3] = 1ull << 43 | 0x1Full << 48 | 1ull << 53 | 1ull << 59 | 1ull << 61 } };
}

static inline struct wqe w_dealloc(u32 index, bool region)
{
	return (struct wqe) { { [1] = (u64)PD << 46, [2] = (u64)index << 8,
				[3] = (u64)region << 43 } };
}

static inline struct wqe w_arp(u32 idx, u64 mac)
{
	return (struct wqe) { { [2] = mac, [3] = idx | 1ull << 42 | 1ull << 43 } };
}

static inline struct wqe w_ah(u32 id)
{
	return (struct wqe) { { [0] = 0x525400000001ull << 16, [1] = (u64)PD << 48,
		[2] = 64ull << 32 | 1ull << 48, [3] = id | 1ull << 59, [4] = 0xC0A86402,
		[6] = 0xC0A86401 } };
}

/* Bring-up, in the order that drivers keep. */

static inline void fake_raise(struct transport *tp, u32 vec)
{
	(void)tp;
	g.raised[vec]++;
}

static const struct transport_ops fake_ops = { .raise = fake_raise };
static struct transport fake_tp = { .ops = &fake_ops };

static inline void power_on(void)
{
	const struct nic_config cfg = {
		.name = "t", .mac = { 0x52, 0x54, 0, 0, 0, 1 }, .vectors = 16, .rdma_vectors = 8,
		.queues = 2, .inline_cmds = true, .rdma = true,
	};
	const u16 command = 6;	/* memory space, bus master */
	int fd;

	g = (struct guest) { .ccq_pol = 1, .ceq_pol = { 1, 1 }, .aeq_pol = 1 };
	strcpy(g.trace_path, "/tmp/ctl-trace-XXXXXX");
	fd = mkstemp(g.trace_path);
	assert_true(fd >= 0);
	close(fd);
	g.loop = loop_new();
	g.wire = wire_new(g.loop, 1);
	g.trace = trace_new(g.trace_path, 0);
	g.nic = nic_new(&cfg, g.loop, g.wire, g.trace);
	assert_non_null(g.nic);
	g.r = g.nic->rdma;
	g.nic->tp = &fake_tp;
	nic_config_write(g.nic, 4, &command, 2);
	g.mem = calloc(1, MEM_BYTES);
	assert_int_equal(dma_map_mem(g.nic->dma, BASE, MEM_BYTES, g.mem,
				     DMA_PROT_READ | DMA_PROT_WRITE), 0);
}

static inline void take_function(void)
{
	u8 in[2] = { 2, 0 }, out[RDMA_VCHNL_MAX];

	assert_int_equal(vchnl(0, 2, NULL, 0, out, NULL), 0);
	assert_int_equal(get32(out), 2);
	assert_int_equal(vchnl(1, 2, in, 2, out, NULL), 0);
	assert_int_equal(get16(out), FN);
}

static inline void fill_cqpc(void)
{
	st64(CQPC_AT + 0, 2 << 3 | 5 << 8);	/* RoCE only, depth 64 */
	st64(CQPC_AT + 8, SQ_AT);
	st64(CQPC_AT + 16, 1 | 1 << 5);
	st64(CQPC_AT + 24, COOKIE);
	st64(CQPC_AT + 32, 2 << 16);
}

static inline void create_cqp(void)
{
	wr(CQPTAIL, 0);
	fill_cqpc();
	wr(CCQPHIGH, (u32)(CQPC_AT >> 32));
	wr(CCQPLOW, (u32)CQPC_AT);
	assert_int_equal(rd(CCQPSTATUS), 1);
}

static inline struct wqe w_commit(void)
{
	static const struct {
		u32 offset, count;
	} want[] = { { 0, QPS }, { 8, CQS }, { 16, 8 }, { 32, 64 }, { 48, MRS }, { 56, 64 },
		     { 64, 16 }, { 72, 64 }, { 80, 8 }, { 88, 1024 }, { 104, 32 }, { 128, 64 },
		     { 136, 8 }, { 144, QPS }, { 152, QPS } };

	memset(at(FPM_AT), 0, 208);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		st64(FPM_AT + want[i].offset, want[i].count | 1ull << 63);
	st64(FPM_AT + 112, PBLES);
	return (struct wqe) { { [2] = FN, [3] = 208, [4] = FPM_AT } };
}

/* One direct segment for @type's base as the commit answered it. */
static inline struct wqe w_segment(u32 commit_offset, u64 addr)
{
	u64 idx = (ld64(FPM_AT + commit_offset) >> 32) * 512 >> 21;

	return (struct wqe) { { [0] = idx | 1 << 15 | 1ull << 31,
				[1] = addr | 512 << 2 | 2 | 1, [2] = FN } };
}

static inline void size_hmc(void)
{
	must(0x21, w_commit());
	must(0x1F, w_segment(48, MR_SD));
	must(0x1F, w_segment(112, PBLE_SD));
	must(0x2B, (struct wqe) { { [2] = FN } });
}

static inline struct wqe w_create_ccq(void)
{
	return (struct wqe) { { [0] = CCQ_SIZE, [2] = 16, [3] = 1ull << 46 | 1ull << 49,
				[4] = CCQ_AT, [5] = CCQ_SHADOW } };
}

static inline void create_ccq(void)
{
	g.ccq = true;
	must(0x03, w_create_ccq());
}

static inline void enable_vector(u32 vec)
{
	wr(DYN_CTL(vec), 3);
}

static inline void create_events(void)
{
	must(0x16, w_ceq(0, CEQ_AT));
	assert_int_equal(map_vector(VEC_CEQ0, 0, 0xFFFF), 0);
	enable_vector(VEC_CEQ0);
	must(0x16, w_ceq(1, CEQ_AT + 0x800));
	assert_int_equal(map_vector(VEC_CEQ1, 1, 0xFFFF), 0);
	enable_vector(VEC_CEQ1);
	must(0x19, w_aeq(AEQ_AT));
	assert_int_equal(map_vector(VEC_AEQ, 0xFFFF, 0), 0);
	enable_vector(VEC_AEQ);
}

static inline void create_objects(void)
{
	must(0x0F, w_arp(1, 0x525400000002));
	must(0x03, w_create_cq(CQ_A, RING_AT(16), CQ_ENTRIES));
	must(0x03, w_create_cq(CQ_B, RING_AT(17), CQ_ENTRIES));
	must(0x06, w_srq(SRQ_A));
	fill_qpc(QP_A);
	must(0x00, w_qp(QP_A, QPS_IDLE));
	must(0x0A, w_reg(MR_INDEX, MR_KEY));
	must(0x1C, w_ah(1));
}

static inline int setup_power(void **state)
{
	(void)state;
	power_on();
	return 0;
}

static inline int setup_cqp(void **state)
{
	setup_power(state);
	take_function();
	create_cqp();
	return 0;
}

static inline int setup_events(void **state)
{
	setup_cqp(state);
	size_hmc();
	create_ccq();
	create_events();
	return 0;
}

static inline int setup_all(void **state)
{
	setup_events(state);
	create_objects();
	assert_int_equal(violation_total(g.nic), 0);
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	nic_free(g.nic);
	wire_free(g.wire);
	trace_free(g.trace);
	loop_free(g.loop);
	unlink(g.trace_path);
	free(g.mem);
	return 0;
}

static inline void add_fault(const char *spec)
{
	char err[256];

	if (fault_add(g.nic->faults, spec, err, sizeof(err)))
		fail_msg("%s", err);
}

/* QP_A up the ladder to @state. */
static inline void climb(u32 id, enum qp_state state)
{
	must(0x01, w_modify(id, QPS_IDLE));
	if (state == QPS_IDLE)
		return;
	if (state == QPS_ERROR) {
		must(0x01, w_modify(id, QPS_ERROR));
		return;
	}
	must(0x01, w_modify(id, QPS_RTR));
	if (state != QPS_RTR)
		must(0x01, w_modify(id, QPS_RTS));
	if (state == QPS_SQD)
		must(0x01, w_modify(id, QPS_SQD));
}

/* Event queues: the next entry, 0 when there is none. */

static inline u64 ceq_poll(u32 ceq)
{
	u64 e = ld64(CEQ_AT + ceq * 0x800 + g.ceq_idx[ceq] * 8ull);

	if (e >> 63 != g.ceq_pol[ceq])
		return 0;
	if (++g.ceq_idx[ceq] == CEQ_SIZE) {
		g.ceq_idx[ceq] = 0;
		g.ceq_pol[ceq] ^= 1;
	}
	return e | 1ull << 63;
}

/* w8 of the next AEQ entry, w0 in @w0; 0: none. */
static inline u64 aeq_poll(u64 *w0)
{
	u64 e = AEQ_AT + g.aeq_idx * 16ull, w8 = ld64(e + 8);

	if (w8 >> 63 != g.aeq_pol)
		return 0;
	*w0 = ld64(e);
	if (++g.aeq_idx == AEQ_SIZE) {
		g.aeq_idx = 0;
		g.aeq_pol ^= 1;
	}
	return w8 | 1ull << 63;
}

static inline u32 ae_code(u64 w8) { return (u32)(w8 >> 50 & 0xFFF); }

/* What is written before the doorbell of an arm: @any completion, or solicited only. */
static inline void arm_word(u64 shadow, bool any)
{
	u64 w = ld64(shadow + 32), seq = (w >> 16 & 3) + 1;

	w &= ~(3ull << 16 | 1 << 14);
	st64(shadow + 32, w | (seq & 3) << 16 | 1 << 15 | (u64)any << 14);
}

static inline void arm(u64 shadow, u32 id, bool any)
{
	arm_word(shadow, any);
	wr(CQARM, id);
}

#endif
