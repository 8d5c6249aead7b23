// SPDX-License-Identifier: GPL-2.0
/* Completion, event and receive queues: entries, arming, overflow, resize, limits. */
#include "ctl_fake.h"

#define SHADOW_A	(CQ_SHADOWS + CQ_A * 64)
#define RING_A		RING_AT(16)

static void post(bool solicited, bool error)
{
	const struct cqe cqe = {
		.qp = QP_A, .sq = true, .op = 3, .solicited = solicited, .error = error,
	};

	rdma_cq_post(rdma_cq_get(g.r, CQ_A), &cqe);
}

static u32 events(void)
{
	u32 count = 0;
	u64 e;

	while ((e = ceq_poll(0)) != 0)
		count += (u32)e == CQ_A;
	return count;
}

static void ack(void) { wr(CQACK, CQ_A); }
static void consume_to(u32 index) { st64(SHADOW_A, index); }

/* Entries. */

static void test_entry_words(void **state)
{
	const struct cqe cqe = {
		.qp = 0xABCDEF, .byte_len = 0x12345, .wqe_idx = 0x7FFE, .comp_ctx = 0x1122334455667788,
		.op = 0x3F, .solicited = true, .has_imm = true, .imm = 0xA1B2C3D4, .ext = true,
	};
	u64 e = RING_A;

	(void)state;
	rdma_cq_post(rdma_cq_get(g.r, CQ_A), &cqe);
	assert_int_equal((u32)ld64(e), 0x12345);
	assert_int_equal(ld64(e + 8), 0x1122334455667788);
	assert_int_equal(ld64(e + 16), 0xABCDEFull << 32);
	assert_int_equal(ld64(e + 24), 0x7FFEull << 32 | 1ull << 50 | 1ull << 54 | 0x3Full << 56 |
			 1ull << 63);
	assert_int_equal(ld64(e + 32), 0xA1B2C3D4);
	assert_int_equal(ld64(e + 56), 3ull << 62);
}

static void test_entry_after_a_dropped_push(void **state)
{
	const struct cqe cqe = { .qp = QP_A, .sq = true, .push_dropped = true };

	(void)state;
	rdma_cq_post(rdma_cq_get(g.r, CQ_A), &cqe);
	assert_int_equal(ld64(RING_A + 24), 1ull << 51 | 1ull << 62 | 1ull << 63);
}

static void test_entry_of_a_datagram(void **state)
{
	const struct cqe cqe = {
		.qp = 5, .ipv4 = true, .ud_src_qpn = 0x123456, .ext = true, .smac_valid = true,
		.smac = { 0x52, 0x54, 0, 0, 0, 9 }, .vlan_valid = true, .vlan = 0x6064,
	};

	(void)state;
	rdma_cq_post(rdma_cq_get(g.r, CQ_A), &cqe);
	assert_int_equal(ld64(RING_A + 16), 5ull << 32 | 0x123456);
	assert_int_equal(ld64(RING_A + 24) >> 50 & 0xF, 1 | 8);
	assert_int_equal(ld64(RING_A + 48), 0x6064525400000009);
	assert_int_equal(ld64(RING_A + 56), 1ull << 63 | 3ull << 60);
}

static void test_entry_of_an_srq(void **state)
{
	const struct cqe cqe = { .qp = 5, .srq = true, .wr_id = 77, .comp_ctx = 0xC0,
				 .has_inv = true, .inv_stag = 0x1234 };

	(void)state;
	rdma_cq_post(rdma_cq_get(g.r, CQ_A), &cqe);
	assert_int_equal(ld64(RING_A + 8), 77);
	assert_int_equal(ld64(RING_A + 40), 0xC0);
	assert_int_equal(ld64(RING_A + 16), 5ull << 32 | 0x1234);
	assert_int_equal(ld64(RING_A + 24) >> 52 & 3, 3);
	assert_int_equal(ld64(RING_A + 56) >> 63, 1);	/* even without bit 50 */
}

/* The valid bit of both halves changes with each pass. */
static void test_polarity_over_three_passes(void **state)
{
	(void)state;
	for (u32 i = 0; i < 3 * CQ_ENTRIES; i++) {
		u64 e = RING_A + i % CQ_ENTRIES * 64;
		u32 want = !(i / CQ_ENTRIES % 2);

		assert_int_not_equal(ld64(e + 24) >> 63, want);
		post(false, false);
		assert_int_equal(ld64(e + 24) >> 63, want);
		assert_int_equal(ld64(e + 56) >> 63, want);
		consume_to((i + 1) % CQ_ENTRIES);
	}
	assert_int_equal(violation_total(g.nic), 0);
}

/* A ring in pages that are not neighbours, through one and two levels of lists. */
static void test_ring_in_page_lists(void **state)
{
	(void)state;
	st64(PBLE_SD + 8 * 8, SPARE + 0x5000);
	st64(PBLE_SD + 9 * 8, SPARE + 0x2000);
	st64(PBLE_SD + 512 * 8, 8);
	for (u32 level = 1; level <= 3; level += 2) {
		u32 id = 10 + level;
		struct wqe w = w_create_cq(id, 0, 128);
		const struct cqe cqe = { .qp = id };

		memset(at(SPARE), 0, 0x6000);
		w.w[3] |= 1ull << 47 | (u64)level << 44;
		w.w[6] = level == 1 ? 8 : 512;
		must(0x03, w);
		for (u32 i = 0; i < 65; i++)
			rdma_cq_post(rdma_cq_get(g.r, id), &cqe);
		assert_int_equal(ld64(SPARE + 0x5000 + 63 * 64 + 24) >> 63, 1);
		assert_int_equal(ld64(SPARE + 0x2000 + 24) >> 63, 1);
		assert_int_equal(ld64(SPARE + 0x2000 + 64 + 24) >> 63, 0);
	}
}

/* Arming. */

static void test_unarmed_is_silent(void **state)
{
	(void)state;
	post(true, false);
	assert_int_equal(events(), 0);
	assert_int_equal(g.raised[VEC_CEQ0], 0);
}

static void test_one_event_per_arm(void **state)
{
	(void)state;
	arm(SHADOW_A, CQ_A, true);
	assert_int_equal(events(), 0);
	post(false, false);
	post(false, false);
	assert_int_equal(events(), 1);
	assert_int_equal(g.raised[VEC_CEQ0], 1);
	ack();
	assert_int_equal(events(), 0);
	consume_to(2);
	arm(SHADOW_A, CQ_A, true);
	assert_int_equal(events(), 0);
	post(false, false);
	assert_int_equal(events(), 1);
}

/* Unread entries count at arm time, read ones do not. */
static void test_arm_with_unread_entries(void **state)
{
	(void)state;
	post(false, false);
	post(false, false);
	consume_to(2);
	arm(SHADOW_A, CQ_A, true);
	assert_int_equal(events(), 0);
	post(false, false);
	assert_int_equal(events(), 1);
	ack();
	arm(SHADOW_A, CQ_A, true);
	assert_int_equal(events(), 1);
}

/* Arm before the acknowledgement: the event comes with the acknowledgement. */
static void test_either_order(void **state)
{
	(void)state;
	arm(SHADOW_A, CQ_A, true);
	post(false, false);
	assert_int_equal(events(), 1);
	consume_to(1);
	arm(SHADOW_A, CQ_A, true);
	post(false, false);
	assert_int_equal(events(), 0);
	ack();
	assert_int_equal(events(), 1);
	assert_int_equal(violation_total(g.nic), 0);
}

static void test_solicited_only(void **state)
{
	(void)state;
	arm(SHADOW_A, CQ_A, false);
	post(false, false);
	assert_int_equal(events(), 0);
	post(true, false);
	assert_int_equal(events(), 1);
	ack();
	consume_to(2);
	arm(SHADOW_A, CQ_A, false);
	post(false, false);
	assert_int_equal(events(), 0);
	post(false, true);		/* an error counts as solicited */
	assert_int_equal(events(), 1);
}

/* A solicited entry that was read does not fire a later arm, one behind others does. */
static void test_solicited_and_the_index(void **state)
{
	(void)state;
	post(true, false);
	post(false, false);
	consume_to(1);
	arm(SHADOW_A, CQ_A, false);
	assert_int_equal(events(), 0);
	consume_to(0);
	arm(SHADOW_A, CQ_A, false);
	assert_int_equal(events(), 1);
}

static void test_rearm_promotes(void **state)
{
	(void)state;
	arm(SHADOW_A, CQ_A, false);
	arm(SHADOW_A, CQ_A, true);
	post(false, false);
	assert_int_equal(events(), 1);
}

/* The doorbell without a new sequence number is no arm: anybody can ring it. */
static void test_spurious_doorbell(void **state)
{
	(void)state;
	arm(SHADOW_A, CQ_A, true);
	post(false, false);
	assert_int_equal(events(), 1);
	ack();
	wr(DBPAGE + 64, CQ_A);
	assert_int_equal(events(), 0);
	assert_int_equal(violation_total(g.nic), 0);
}

/* Four arms, of which the device hears late, have the number of the one before. */
static void test_four_arms_are_one(void **state)
{
	(void)state;
	arm(SHADOW_A, CQ_A, true);
	post(false, false);
	assert_int_equal(events(), 1);
	ack();
	consume_to(1);
	for (u32 i = 0; i < 4; i++)
		arm_word(SHADOW_A, true);
	for (u32 i = 0; i < 4; i++)
		wr(DBPAGE + 64, CQ_A);
	post(false, false);
	assert_int_equal(events(), 1);
	assert_int_equal(violation_total(g.nic), 0);
}

/* The control CQ has no mask: a new arm fires before the acknowledgement. */
static void test_control_cq(void **state)
{
	(void)state;
	arm(CCQ_SHADOW, 0, true);
	must(0x24, (struct wqe) {});
	assert_int_equal((u32)ceq_poll(0), 0);
	assert_int_equal(g.raised[VEC_CEQ0], 1);
	arm(CCQ_SHADOW, 0, true);
	enable_vector(VEC_CEQ0);
	must(0x24, (struct wqe) {});
	wr(CQACK, 0);
	assert_int_equal(g.raised[VEC_CEQ0], 2);
	assert_int_equal(violation_total(g.nic), 0);
}

static void test_ceq_wraps(void **state)
{
	(void)state;
	for (u32 i = 0; i < 2 * CEQ_SIZE + 3; i++) {
		arm(SHADOW_A, CQ_A, true);
		post(false, false);
		consume_to((i + 1) % CQ_ENTRIES);
		assert_int_equal(events(), 1);
		ack();
	}
}

static void test_ceq_faults(void **state)
{
	(void)state;
	add_fault("ceq-entry:0,drop");
	add_fault("ceq-entry:0,dup,nth=2");
	arm(SHADOW_A, CQ_A, true);
	post(false, false);
	assert_int_equal(events(), 0);
	ack();
	arm(SHADOW_A, CQ_A, true);
	assert_int_equal(events(), 2);
}

/* Overflow. */

static void test_overflow_takes_its_queue_pairs(void **state)
{
	u64 w0, w8;

	(void)state;
	for (u32 i = 0; i < CQ_ENTRIES - 1; i++)
		post(false, false);
	assert_int_equal(aeq_poll(&w0), 0);
	post(false, false);
	w8 = aeq_poll(&w0);
	assert_int_equal(ae_code(w8), 0x203);
	assert_int_equal(w8 & 0x1FFFFFF, CQ_A);
	assert_int_equal(w8 >> 25 & 0xF, 2);
	w8 = aeq_poll(&w0);
	assert_int_equal(ae_code(w8), 0x700);
	assert_int_equal(w8 & 0x1FFFFFF, QP_A);
	assert_int_equal(w8 >> 29 & 7, QPS_ERROR);
	assert_int_equal(w0, 0xFEDCBA9876543240);
	assert_int_equal(rdma_qp_get(g.r, QP_A)->state, QPS_ERROR);
	assert_int_equal(g.told.old, QPS_IDLE);
	post(false, false);
	assert_int_equal(aeq_poll(&w0), 0);
}

static void test_reading_makes_room(void **state)
{
	u64 w0;

	(void)state;
	for (u32 i = 0; i < 10 * CQ_ENTRIES; i++) {
		post(false, false);
		if (i % 8 == 7)
			consume_to((i + 1) % CQ_ENTRIES);
	}
	assert_int_equal(aeq_poll(&w0), 0);
}

static void test_unchecked_queue_wraps_over(void **state)
{
	struct wqe w = w_create_cq(9, RING_AT(18), 4);
	const struct cqe cqe = { .qp = 5 };
	u64 w0;

	(void)state;
	w.w[3] &= ~(1ull << 46);
	must(0x03, w);
	for (u32 i = 0; i < 9; i++)
		rdma_cq_post(rdma_cq_get(g.r, 9), &cqe);
	assert_int_equal(aeq_poll(&w0), 0);
	assert_int_equal(ld64(RING_AT(18) + 24) >> 63, 1);	/* third pass */
}

/* The AEQ marks the entry that takes the last free slot and writes nothing after it. */
static void test_aeq_overflow(void **state)
{
	const struct aeqe ae = { .code = 0x50C, .id = QP_A, .src = AE_SRC_SQ };
	u64 w0, w8;

	(void)state;
	for (u32 i = 0; i < AEQ_SIZE + 3; i++)
		rdma_aeq_post(g.r, &ae);
	for (u32 i = 0; i < AEQ_SIZE; i++) {
		w8 = aeq_poll(&w0);
		assert_int_equal(w8 >> 62 & 1, i == AEQ_SIZE - 1);
	}
	assert_int_equal(ld64(AEQ_AT + 8) >> 63, 1);	/* not written over */
}

static void test_aeq_is_given_back(void **state)
{
	const struct aeqe ae = {
		.code = 0x50C, .id = 0x1FFFFFF, .src = AE_SRC_SQ, .qp_state = 6, .tcp_state = 5,
		.q2_data = 1, .wqe_idx = 0x3FFFF, .context = ~0ull,
	};
	u64 w0, w8;

	(void)state;
	for (u32 i = 0; i < 3 * AEQ_SIZE; i++) {
		rdma_aeq_post(g.r, &ae);
		w8 = aeq_poll(&w0);
		assert_int_equal(w0, ~0ull << 6 | 1 << 4 | 5);
		assert_int_equal(w8 & ~(1ull << 63), 0x1FFFFFF | 5 << 25 | 6ull << 29 |
				 0x3FFFFull << 32 | 0x50Cull << 50);
		wr(AEQALLOC, 1);
	}
	assert_int_equal(violation_total(g.nic), 0);
	assert_int_equal(g.raised[VEC_AEQ], 1);		/* the vector was not enabled again */
}

static void test_aeq_faults(void **state)
{
	const struct aeqe ae = { .code = 0x50C };
	u64 w0;

	(void)state;
	add_fault("aeq-entry:0x50c,drop");
	add_fault("aeq-entry:0x50c,dup,nth=2");
	rdma_aeq_post(g.r, &ae);
	assert_int_equal(aeq_poll(&w0), 0);
	rdma_aeq_post(g.r, &ae);
	assert_int_not_equal(aeq_poll(&w0), 0);
	assert_int_not_equal(aeq_poll(&w0), 0);
	assert_int_equal(aeq_poll(&w0), 0);
}

/* Drivers stop ringing a QP that an event reports above RTS: 0x0900 reports RTS. */
static void test_suspend_event_reports_rts(void **state)
{
	struct rdma_qp *qp = rdma_qp_get(g.r, QP_A);
	u64 w0;

	(void)state;
	climb(QP_A, QPS_SQD);
	assert_int_equal(g.told.drains, 1);
	rdma_qp_event(qp, 0x900, AE_SRC_NONE, 0);
	assert_int_equal(aeq_poll(&w0) >> 29 & 7, QPS_RTS);
}

/* Resize. */

static void resize(u64 ring, u32 entries)
{
	must(0x04, (struct wqe) { { [0] = entries, [1] = CQ_A,
		[3] = CQ_A | 1ull << 43 | 1ull << 46 | 1ull << 48 | 1ull << 61, [4] = ring,
		[5] = SHADOW_A } });
}

static void select_ring(u32 retired)
{
	st64(SHADOW_A + 32, (ld64(SHADOW_A + 32) & ~0x3FFFull) | retired);
}

static void test_resize_starts_a_new_ring(void **state)
{
	(void)state;
	post(false, false);
	resize(RING_AT(18), 32);
	post(false, false);
	assert_int_equal(ld64(RING_A + 64 + 24) >> 63, 0);
	assert_int_equal(ld64(RING_AT(18) + 24) >> 63, 1);
}

/* The index counts in the old ring until the select field says otherwise. */
static void test_index_after_a_resize(void **state)
{
	(void)state;
	post(false, false);
	post(false, false);
	resize(RING_AT(18), 32);
	consume_to(1);
	arm(SHADOW_A, CQ_A, true);
	assert_int_equal(events(), 1);		/* one is left in the old ring */
	ack();
	consume_to(2);
	arm(SHADOW_A, CQ_A, true);
	assert_int_equal(events(), 0);
	post(false, false);
	assert_int_equal(events(), 1);
	ack();
	select_ring(1);
	consume_to(1);
	arm(SHADOW_A, CQ_A, true);
	assert_int_equal(events(), 0);
}

static void test_overflow_after_a_resize(void **state)
{
	u64 w0;

	(void)state;
	resize(RING_AT(18), 4);
	consume_to(3);			/* of the old ring: nothing of the new one */
	for (u32 i = 0; i < 3; i++)
		post(false, false);
	assert_int_equal(aeq_poll(&w0), 0);
	select_ring(1);
	consume_to(3);
	for (u32 i = 0; i < 3; i++)
		post(false, false);
	assert_int_equal(aeq_poll(&w0), 0);
	post(false, false);
	assert_int_equal(ae_code(aeq_poll(&w0)), 0x203);
}

/* Receive queues. */

static struct rdma_qp *srq_qp(void)
{
	fill_qpc(5);
	st64(QPC_AT(5), 1 << 3 | 1 << 8 | 1 << 10);
	st64(QPC_AT(5) + 200, SRQ_A);
	must(0x00, w_qp(5, QPS_IDLE));
	return rdma_qp_get(g.r, 5);
}

/* 32 WQEs of two quanta. */
static void srq_post(u32 n)
{
	u64 e = RING_AT(8) + n % 32 * 64;

	st64(e + 16, 1000 + n);
	st64(e + 24, (u64)!(n / 32 % 2) << 63);
	st64(SRQ_SHADOW, (n + 1) % 32);
}

static void test_srq_hands_out_in_order(void **state)
{
	struct rdma_qp *qp = srq_qp();
	u8 wqe[256];
	u32 idx;

	(void)state;
	assert_int_equal(rdma_rq_peek(qp, wqe, &idx), 0);
	for (u32 n = 0; n < 80; n++) {
		srq_post(n);
		assert_int_equal(rdma_rq_peek(qp, wqe, &idx), 1);
		assert_int_equal(rdma_rq_peek(qp, wqe, &idx), 1);	/* peeking takes nothing */
		assert_int_equal(get64(wqe + 16), 1000 + n);
		assert_int_equal(idx, n % 32 * 2);
		rdma_rq_consume(qp);
		assert_int_equal(rdma_rq_peek(qp, wqe, &idx), 0);
	}
	assert_int_equal(violation_total(g.nic), 0);
}

static void set_limit(u32 limit)
{
	struct wqe w = w_srq(SRQ_A);

	w.w[0] |= (u64)limit << 32;
	w.w[3] |= 1ull << 61;
	must(0x07, w);
}

static void test_srq_limit_fires_once(void **state)
{
	struct rdma_qp *qp = srq_qp();
	u64 w0, w8;

	(void)state;
	for (u32 n = 0; n < 5; n++)
		srq_post(n);
	set_limit(4);
	rdma_rq_consume(qp);
	assert_int_equal(aeq_poll(&w0), 0);	/* four are left: not below four */
	rdma_rq_consume(qp);
	w8 = aeq_poll(&w0);
	assert_int_equal(ae_code(w8), 0x209);
	assert_int_equal(w0, 0xABCD00);
	rdma_rq_consume(qp);
	assert_int_equal(aeq_poll(&w0), 0);
	set_limit(1);
	rdma_rq_consume(qp);
	rdma_rq_consume(qp);
	assert_int_equal(ae_code(aeq_poll(&w0)), 0x209);
}

static void test_srq_limit_of_zero_is_off(void **state)
{
	struct rdma_qp *qp = srq_qp();
	u64 w0;

	(void)state;
	srq_post(0);
	set_limit(0);
	rdma_rq_consume(qp);
	assert_int_equal(aeq_poll(&w0), 0);
}

/* One event for the SRQ, however often it is asked for a WQE. */
static void expect_unusable(struct rdma_qp *qp)
{
	u8 wqe[256];
	u64 w0, w8;
	u32 idx;

	assert_int_equal(rdma_rq_peek(qp, wqe, &idx), -1);
	w8 = aeq_poll(&w0);
	assert_int_equal(ae_code(w8), 0x20F);
	assert_int_equal(w8 >> 25 & 0xF, 0);	/* no queue pair */
	assert_int_equal(w8 & 0x1FFFFFF, SRQ_A);
	assert_int_equal(w0, 0xABCD00);
	assert_int_equal(rdma_rq_peek(qp, wqe, &idx), -1);
	assert_int_equal(aeq_poll(&w0), 0);
	assert_true(rdma_srq_get(g.r, SRQ_A)->failed);
}

static void test_srq_producer_out_of_range(void **state)
{
	struct rdma_qp *qp = srq_qp();

	(void)state;
	st64(SRQ_SHADOW, 32);
	expect_unusable(qp);
	st64(SRQ_SHADOW, 1);
	set_limit(4);
	assert_int_equal(aeq_poll(&(u64){ 0 }), 0);
}

static void test_srq_producer_before_its_wqe(void **state)
{
	struct rdma_qp *qp = srq_qp();

	(void)state;
	st64(SRQ_SHADOW, 1);
	expect_unusable(qp);
}

static void test_srq_shadow_gone(void **state)
{
	struct rdma_qp *qp = srq_qp();

	(void)state;
	rdma_srq_get(g.r, SRQ_A)->shadow = UNMAPPED;
	srq_post(0);
	expect_unusable(qp);
}

static void test_srq_ring_gone(void **state)
{
	struct rdma_qp *qp = srq_qp();

	(void)state;
	rdma_srq_get(g.r, SRQ_A)->ring.base = UNMAPPED;
	srq_post(0);
	expect_unusable(qp);
}

/* An empty one only has nothing now. */
static void test_srq_empty_is_usable(void **state)
{
	struct rdma_qp *qp = srq_qp();
	u8 wqe[256];
	u64 w0;
	u32 idx;

	(void)state;
	assert_int_equal(rdma_rq_peek(qp, wqe, &idx), 0);
	assert_int_equal(aeq_poll(&w0), 0);
	srq_post(0);
	assert_int_equal(rdma_rq_peek(qp, wqe, &idx), 1);
}

static void test_rq_by_valid_bits(void **state)
{
	struct rdma_qp *qp = rdma_qp_get(g.r, QP_A);
	u64 rq = RING_AT(QP_A) + 0x1000;
	u8 wqe[256];
	u32 idx;

	(void)state;
	for (u32 n = 0; n < 80; n++) {
		u64 e = rq + n % 32 * 64;

		assert_int_equal(rdma_rq_peek(qp, wqe, &idx), 0);
		st64(e + 24, (u64)!(n / 32 % 2) << 63);
		assert_int_equal(rdma_rq_peek(qp, wqe, &idx), 1);
		assert_int_equal(idx, n % 32 * 2);
		rdma_rq_consume(qp);
	}
}

static void test_rq_gone(void **state)
{
	struct rdma_qp *qp = rdma_qp_get(g.r, QP_A);
	u8 wqe[256];
	u32 idx;

	(void)state;
	qp->rq.base = UNMAPPED;
	assert_int_equal(rdma_rq_peek(qp, wqe, &idx), -1);
}

static void test_ring_reads_stay_in_the_page(void **state)
{
	struct rdma_ring ring = { .base = 8, .pbl = true, .quanta = 256, .stride = 1 };
	u8 buf[64];

	(void)state;
	st64(PBLE_SD + 8 * 8, SPARE + 0x5000);
	st64(PBLE_SD + 9 * 8, SPARE + 0x2000);
	st64(SPARE + 0x2000, 0x77);
	assert_true(rdma_ring_read(g.r, &ring, 128, buf, 64));
	assert_int_equal(get64(buf), 0x77);
	assert_false(rdma_ring_read(g.r, &ring, 127, buf, 64));
	assert_int_equal(violation_total(g.nic), 1);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup_all, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_entry_words), T(test_entry_after_a_dropped_push),
		T(test_entry_of_a_datagram), T(test_entry_of_an_srq),
		T(test_polarity_over_three_passes), T(test_ring_in_page_lists),
		T(test_unarmed_is_silent), T(test_one_event_per_arm),
		T(test_arm_with_unread_entries), T(test_either_order), T(test_solicited_only),
		T(test_solicited_and_the_index), T(test_rearm_promotes), T(test_four_arms_are_one),
		T(test_spurious_doorbell), T(test_control_cq), T(test_ceq_wraps),
		T(test_ceq_faults), T(test_overflow_takes_its_queue_pairs),
		T(test_reading_makes_room), T(test_unchecked_queue_wraps_over),
		T(test_aeq_overflow), T(test_aeq_is_given_back), T(test_aeq_faults),
		T(test_suspend_event_reports_rts), T(test_resize_starts_a_new_ring),
		T(test_index_after_a_resize), T(test_overflow_after_a_resize),
		T(test_srq_hands_out_in_order), T(test_srq_limit_fires_once),
		T(test_srq_limit_of_zero_is_off), T(test_srq_producer_out_of_range),
		T(test_srq_producer_before_its_wqe), T(test_srq_shadow_gone),
		T(test_srq_ring_gone), T(test_srq_empty_is_usable), T(test_rq_by_valid_bits),
		T(test_rq_gone),
		T(test_ring_reads_stay_in_the_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
