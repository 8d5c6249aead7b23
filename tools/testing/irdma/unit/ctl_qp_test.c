// SPDX-License-Identifier: GPL-2.0
/* Queue pairs: transitions, what each step takes of the context, flush; groups, handles. */
#include "ctl_fake.h"

#define QP (*rdma_qp_get(g.r, QP_A))

/* From each state, MODIFY_QP to each state: exactly the RoCE transitions pass. */
static void test_transitions(void **state)
{
	static const bool legal[7][7] = {
		[QPS_IDLE] = { [QPS_IDLE] = true, [QPS_RTR] = true, [QPS_ERROR] = true },
		[QPS_RTR] = { [QPS_RTR] = true, [QPS_RTS] = true, [QPS_ERROR] = true },
		[QPS_RTS] = { [QPS_RTS] = true, [QPS_SQD] = true, [QPS_ERROR] = true },
		[QPS_SQD] = { [QPS_SQD] = true, [QPS_RTS] = true, [QPS_ERROR] = true },
		[QPS_ERROR] = { [QPS_ERROR] = true },
	};
	static const enum qp_state from[] = { QPS_IDLE, QPS_RTR, QPS_RTS, QPS_SQD, QPS_ERROR };

	(void)state;
	for (size_t f = 0; f < ARRAY_SIZE(from); f++)
		for (u32 to = 0; to < 7; to++) {
			u32 result;

			fill_qpc(5);
			must(0x00, w_qp(5, QPS_IDLE));
			climb(5, from[f]);
			result = cmd(0x01, w_modify(5, to));
			if ((result == 0) != legal[from[f]][to])
				fail_msg("%u to %u: 0x%x", from[f], to, result);
			assert_int_equal(rdma_qp_get(g.r, 5)->state,
					 legal[from[f]][to] ? to : from[f]);
			if (rdma_qp_get(g.r, 5)->state != QPS_ERROR)
				must(0x01, w_modify(5, QPS_ERROR));
			must(0x02, w_destroy_qp(5));
		}
	assert_int_equal(g.told.qps, 1);
}

static void test_context(void **state)
{
	static const u8 dip[16] = { [10] = 0xFF, 0xFF, 192, 168, 100, 2 };
	static const u8 smac[6] = { 0x52, 0x54, 0, 0, 0, 1 };
	const struct qp_ctx *c = &QP.ctx;

	(void)state;
	assert_int_equal(QP.type, QP_RC);
	assert_int_equal(QP.sq.quanta, 64);
	assert_int_equal(QP.rq.quanta, 64);
	assert_int_equal(QP.rq.stride, 2);
	assert_int_equal(QP.sq.polarity, 1);
	assert_memory_equal(c->dip, dip, 16);
	assert_memory_equal(c->smac, smac, 6);
	assert_int_equal(c->ttl, 64);
	assert_int_equal(c->udp_sport, 0xC000);
	assert_int_equal(c->udp_dport, 4791);
	assert_int_equal(c->pmtu, 1024);
	assert_int_equal(c->arp_idx, 1);
	assert_int_equal(c->ack_credits, 0x1E);
	assert_int_equal(c->pkey, 0xFFFF);
	assert_int_equal(c->dest_qpn, 0x123456);
	assert_int_equal(c->qkey, 0x80010000);
	assert_int_equal(c->min_rnr_timer, 12);
	assert_int_equal(c->retry_cnt, 7);
	assert_int_equal(c->rnr_retry, 6);
	assert_int_equal(c->min_rto, 5);
	assert_int_equal(c->scqn, CQ_A);
	assert_int_equal(c->rcqn, CQ_B);
	assert_int_equal(c->ord, 16);
	assert_int_equal(c->ird, 16);		/* code 3: 32 elements, two per read */
	assert_true(c->atomics && c->write_en && c->read_en && c->bind_en);
	assert_false(c->priv || c->fast_reg_en || c->use_srq || c->push_en);
	assert_int_equal(c->pd, PD);
}

static void test_ird_codes(void **state)
{
	static const u16 ird[] = { 2, 4, 8, 16, 32, 64 };

	(void)state;
	for (u64 code = 0; code < ARRAY_SIZE(ird); code++) {
		fill_qpc(5);
		st64(QPC_AT(5) + 160, code << 14);
		must(0x00, w_qp(5, QPS_IDLE));
		assert_int_equal(rdma_qp_get(g.r, 5)->ctx.ird, ird[code]);
		must(0x02, w_destroy_qp(5));
	}
}

/* PSNs count with the transition that they belong to and never later. */
static void test_psns(void **state)
{
	(void)state;
	must(0x01, w_modify(QP_A, QPS_IDLE));
	st64(QPC_AT(QP_A) + 88, 0x333333);
	must(0x01, w_modify(QP_A, QPS_RTR));
	assert_int_equal(QP.ctx.epsn, 0x333333);
	st64(QPC_AT(QP_A) + 88, 0x444444);
	st64(QPC_AT(QP_A) + 80, 0x555555);
	st64(QPC_AT(QP_A) + 96, 0x555555 | 0x555555ull << 32);
	must(0x01, w_modify(QP_A, QPS_RTS));
	assert_int_equal(QP.ctx.epsn, 0x333333);
	assert_int_equal(QP.ctx.psn_nxt, 0x555555);
	assert_int_equal(QP.ctx.psn_una, 0x555555);
	QP.ctx.psn_nxt = 0x666666;		/* the data side moves on */
	must(0x01, w_modify(QP_A, QPS_SQD));
	must(0x01, w_modify(QP_A, QPS_RTS));
	assert_int_equal(QP.ctx.psn_nxt, 0x666666);
}

static void set_path_mtu(u64 bytes)
{
	st64(QPC_AT(QP_A) + 48, bytes << 16 | 1ull << 48);
}

/* Packets are numbered by the path MTU: it counts on the way to RTR and never later. */
static void test_path_mtu(void **state)
{
	static const enum qp_state later[] = {
		QPS_RTR, QPS_RTS, QPS_RTS, QPS_SQD, QPS_SQD, QPS_RTS,
	};

	(void)state;
	must(0x01, w_modify(QP_A, QPS_IDLE));
	set_path_mtu(512);
	must(0x01, w_modify(QP_A, QPS_RTR));
	assert_int_equal(QP.ctx.pmtu, 512);
	set_path_mtu(4096);
	for (size_t i = 0; i < ARRAY_SIZE(later); i++) {
		must(0x01, w_modify(QP_A, later[i]));
		assert_int_equal(QP.ctx.pmtu, 512);
	}
	assert_int_equal(violation_total(g.nic), 0);
}

/* Fields with a flag change only with it. */
static void test_flags(void **state)
{
	u64 c = QPC_AT(QP_A);
	struct wqe w;

	(void)state;
	must(0x0F, w_arp(2, 0x525400000003));
	must(0x01, w_modify(QP_A, QPS_IDLE));
	st64(c + 48, 1024ull << 16 | 2ull << 48);
	st64(c + 136, CQ_B | (u64)CQ_A << 32);
	st64(c + 160, 8);
	st64(c + 64, 0x123456 | 0x99ull << 32);
	w = w_qp(QP_A, QPS_IDLE);
	w.w[3] &= ~(1ull << 47 | 1ull << 51);
	must(0x01, w);
	assert_int_equal(QP.ctx.arp_idx, 1);
	assert_int_equal(QP.ctx.scqn, CQ_A);
	assert_int_equal(QP.ctx.ord, 16);
	assert_int_equal(QP.ctx.qkey, 0x99);	/* no flag for this one */
	w.w[3] |= 1ull << 47 | 1ull << 59 | 1ull << 42;
	must(0x01, w);
	assert_int_equal(QP.ctx.arp_idx, 2);
	assert_int_equal(QP.ctx.scqn, CQ_B);
	assert_int_equal(QP.ctx.ord, 8);
	assert_int_equal(rdma_cq_get(g.r, CQ_A)->users, 1);
}

/* A source MAC that changes on the way to RTR needs no flag; elsewhere it does. */
static void test_source_mac(void **state)
{
	(void)state;
	must(0x01, w_modify(QP_A, QPS_IDLE));
	st64(QPC_AT(QP_A) + 152, 0x525400000007ull << 16);
	must(0x01, w_modify(QP_A, QPS_RTR));
	assert_int_equal(QP.ctx.smac[5], 7);
	st64(QPC_AT(QP_A) + 152, 0x525400000008ull << 16);
	must(0x01, w_modify(QP_A, QPS_RTS));
	assert_int_equal(QP.ctx.smac[5], 7);
}

static void test_error_takes_nothing(void **state)
{
	(void)state;
	st64(QPC_AT(QP_A) + 64, ~0ull << 24);	/* would be refused elsewhere */
	must(0x01, w_modify(QP_A, QPS_ERROR));
	assert_int_equal(QP.ctx.dest_qpn, 0x123456);
}

static void test_page_list_rings(void **state)
{
	struct wqe w;

	(void)state;
	fill_qpc(5);
	st64(PBLE_SD, SPARE);
	st64(PBLE_SD + 8, SPARE + 0x1000);
	st64(QPC_AT(5) + 8, 0);
	st64(QPC_AT(5) + 16, 1);
	w = w_qp(5, QPS_IDLE);
	w.w[3] |= 1ull << 45;
	must(0x00, w);
	assert_true(rdma_qp_get(g.r, 5)->sq.pbl);
	/* A list that ends early. */
	must(0x02, w_destroy_qp(5));
	st64(PBLE_SD + 8, 0);
	assert_int_equal(cmd(0x00, w), 0xF0010001);
}

static void test_rings_in_memory_that_is_not_there(void **state)
{
	(void)state;
	fill_qpc(5);
	st64(QPC_AT(5) + 8, UNMAPPED);
	assert_int_equal(cmd(0x00, w_qp(5, QPS_IDLE)), 0xF0010001);
	assert_null(rdma_qp_get(g.r, 5));
	assert_int_equal(violation_count(g.nic, V_DMA_FAULT), 1);
}

/* Flush. */

static struct wqe w_flush(u64 w24)
{
	/* RQ code 1/2, SQ code 1/8, SQ index 0x155, RQ index 0x66. */
	return (struct wqe) { { [2] = 1 << 16 | 2 | 8ull << 32 | 1ull << 48, [3] = QP_A | w24,
				[5] = 0x155ull << 32, [6] = 0x66ull << 32 } };
}

static void test_flush(void **state)
{
	static const struct {
		bool sq, rq;
		u32 minor;
	} rows[] = { { false, false, 0 }, { false, true, 2 }, { true, false, 3 }, { true, true, 4 } };

	(void)state;
	climb(QP_A, QPS_ERROR);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		g.told.sq_did = rows[i].sq;
		g.told.rq_did = rows[i].rq;
		must(0x22, w_flush(3ull << 61 | 1ull << 60 | 1ull << 42 | 1ull << 43));
		assert_int_equal(g.last_w24 & 0xFFFFFFFF, rows[i].minor);
	}
	assert_int_equal(g.told.sq.code, 1 << 16 | 8);
	assert_int_equal(g.told.rq.code, 1 << 16 | 2);
	assert_true(g.told.sq.idx_valid && g.told.rq.idx_valid);
	assert_int_equal(g.told.sq.idx, 0x155);
	assert_int_equal(g.told.rq.idx, 0x66);
}

static void test_flush_of_one_queue(void **state)
{
	(void)state;
	climb(QP_A, QPS_ERROR);
	g.told.sq_did = g.told.rq_did = true;
	must(0x22, w_flush(1ull << 61));
	assert_true(g.told.sq.on);
	assert_false(g.told.rq.on);
	assert_int_equal(g.told.sq.code, 1 << 16 | 1);	/* codes of w16 not asked for */
	assert_int_equal(g.last_w24 & 0xFFFFFFFF, 3);
}

static void test_generate_event(void **state)
{
	u64 w0, w8;

	(void)state;
	must(0x22, (struct wqe) { { [1] = 0x505 | 1 << 16, [3] = QP_A | 1ull << 59 } });
	w8 = aeq_poll(&w0);
	assert_int_equal(ae_code(w8), 0x505);
	assert_int_equal(w8 >> 25 & 0xF, 1);
	assert_int_equal(w8 & 0x1FFFFFF, QP_A);
	assert_int_equal(w0, 0xFEDCBA9876543240);
}

static void test_suspend_and_resume(void **state)
{
	(void)state;
	climb(QP_A, QPS_RTS);
	must(0x29, (struct wqe) { { [3] = QP_A } });
	assert_int_equal(QP.state, QPS_SQD);
	assert_int_equal(g.told.drains, 1);
	must(0x2A, (struct wqe) { { [2] = 0x15, [3] = QP_A } });
	assert_int_equal(QP.state, QPS_RTS);
	assert_int_equal(QP.ctx.qs_handle, 0x15);
}

static void test_upload(void **state)
{
	(void)state;
	climb(QP_A, QPS_RTS);
	QP.ctx.psn_nxt = 0x777777;
	must(0x13, (struct wqe) { { [2] = SPARE, [3] = QP_A | 3ull << 48 } });
	assert_int_equal(ld64(SPARE + 80) & 0xFFFFFF, 0x777777);
	assert_int_equal(ld64(SPARE + 168), 0xFEDCBA9876543240);
}

static void test_doorbells(void **state)
{
	(void)state;
	wr(WQEALLOC, QP_A);
	wr(DBPAGE, QP_A);
	assert_int_equal(g.told.doorbells, 2);
}

/* Addresses and groups. */

static void test_address_handle(void **state)
{
	static const u8 dmac[6] = { 0x52, 0x54, 0, 0, 0, 2 };
	const struct rdma_ah *ah = rdma_ah_get(g.r, 1);
	struct wqe w = w_ah(1);

	(void)state;
	assert_int_equal(g.last_ret, 0);
	assert_memory_equal(ah->dmac, dmac, 6);
	assert_int_equal(ah->pd, PD);
	assert_int_equal(ah->ttl, 64);
	assert_int_equal(get32be(ah->dip + 12), 0xC0A86402);
	w.w[2] = (w.w[2] & ~(0xFFull << 32)) | 9ull << 32;
	must(0x1D, w);
	assert_int_equal(ah->ttl, 9);
	must(0x1E, w);
	assert_null(rdma_ah_get(g.r, 1));
}

/* A group's MAC comes from its address; no ARP entry is needed. */
static void test_multicast_handle(void **state)
{
	static const u8 mac4[6] = { 0x01, 0x00, 0x5E, 0x01, 0x02, 0x03 };
	static const u8 mac6[6] = { 0x33, 0x33, 0, 0, 0, 0x05 };
	struct wqe w = w_ah(2);

	(void)state;
	w.w[2] &= ~(0xFFFFull << 48);
	w.w[4] = 0xE0810203;
	must(0x1C, w);
	assert_memory_equal(rdma_ah_get(g.r, 2)->dmac, mac4, 6);
	w = w_ah(3);
	w.w[2] &= ~(0xFFFFull << 48);
	w.w[3] &= ~(1ull << 59);
	w.w[4] = 5;
	w.w[5] = 0xFF020000ull << 32;
	must(0x1C, w);
	assert_memory_equal(rdma_ah_get(g.r, 3)->dmac, mac6, 6);
}

static void test_arp(void **state)
{
	u8 mac[6];

	(void)state;
	assert_true(rdma_arp_get(g.r, 1, mac));
	must(0x0F, (struct wqe) { { [3] = 1 | 1ull << 43 } });
	assert_false(rdma_arp_get(g.r, 1, mac));
	must(0x0F, w_arp(1, 0x525400000009));
	assert_true(rdma_arp_get(g.r, 1, mac));
	assert_int_equal(mac[5], 9);
	assert_false(rdma_arp_get(g.r, 5000, mac));
}

static void test_group(void **state)
{
	static const u8 dip[16] = { [10] = 0xFF, 0xFF, 224, 1, 1, 1 };
	struct wqe w = { { [0] = 0x01005E010101, [1] = FN, [2] = 5ull << 32,
			   [3] = 9 | 1ull << 60 | 1ull << 59, [4] = SPARE, [6] = 0xE0010101 } };
	u32 qps[8];

	(void)state;
	for (u32 id = 5; id < 13; id++) {
		struct wqe qp;

		fill_qpc(id);
		st64(QPC_AT(id) + 8, RING_AT(5));
		st64(QPC_AT(id) + 16, RING_AT(5) + 0x1000);
		qp = w_qp(id, QPS_IDLE);
		qp.w[3] ^= 7ull << 48;		/* UD */
		must(0x00, qp);
		st64(SPARE + (id - 5) * 8, id | 1ull << 31);
	}
	memset(at(SPARE + 24), 0, 40);
	must(0x26, w);
	assert_int_equal(rdma_mcast_members(g.r, dip, 5, qps, 8), 3);
	assert_int_equal(qps[2], 7);
	assert_int_equal(rdma_mcast_members(g.r, dip, 6, qps, 8), 0);	/* another VLAN */
	assert_int_equal(rdma_mcast_members(g.r, dip, 5, qps, 2), 2);
	for (u32 id = 5; id < 13; id++)
		st64(SPARE + (id - 5) * 8, id | 1ull << 31);
	must(0x27, w);
	assert_int_equal(rdma_mcast_members(g.r, dip, 5, qps, 8), 8);
	/* The next member may leave before the device reads that this one does. */
	memset(at(SPARE), 0, 64);
	must(0x27, w);
	assert_int_equal(rdma_mcast_members(g.r, dip, 5, qps, 8), 0);
	must(0x28, w);
	assert_int_equal(rdma_mcast_members(g.r, dip, 5, qps, 8), 0);
	assert_int_equal(violation_total(g.nic), 0);
	assert_int_equal(cmd(0x26, w), 0xFFFF8001);
	assert_int_equal(violation_count(g.nic, V_MCG_MEMBER), 1);
}

/* Reset: nothing is left, and no memory is touched afterwards. */
static void test_reset(void **state)
{
	(void)state;
	climb(QP_A, QPS_RTS);
	nic_reset(g.nic, NIC_RESET_FUNCTION);
	assert_int_equal(g.told.qps, 0);
	assert_int_equal(rd(CCQPSTATUS), 0);
	assert_null(rdma_mr_get(g.r, MR_INDEX));
	assert_true(vchnl(13, 0, NULL, 0, NULL, NULL) < 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup_all, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_transitions), T(test_context), T(test_ird_codes), T(test_psns),
		T(test_path_mtu), T(test_flags), T(test_source_mac), T(test_error_takes_nothing),
		T(test_page_list_rings), T(test_rings_in_memory_that_is_not_there),
		T(test_flush), T(test_flush_of_one_queue), T(test_generate_event),
		T(test_suspend_and_resume), T(test_upload), T(test_doorbells),
		T(test_address_handle), T(test_multicast_handle), T(test_arp), T(test_group),
		T(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
