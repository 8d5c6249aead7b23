// SPDX-License-Identifier: GPL-2.0
/* The virtual channel, the control QP, sizing, and the ends of late commands. */
#include "ctl_fake.h"

#define NOP 0x24

static void test_register_layout(void **state)
{
	/* Register ids 0..9, 11, 12, their offsets, then fields {shift, bits, id}. */
	static const u32 regs[][2] = {
		{ 0, REGION }, { 1, REGION + 4 }, { 2, REGION + 8 }, { 3, REGION + 12 },
		{ 4, REGION + 16 }, { 5, REGION + 28 }, { 6, REGION + 32 }, { 7, REGION + 36 },
		{ 8, REGION + 20 }, { 9, REGION + 24 }, { 11, DBPAGE }, { 12, 0x08900000 },
		{ 0xFFFF, 0 },
	};
	static const u8 fields[][4] = {
		{ 31, 1, 2, 0 }, { 0, 1, 5, 0 }, { 46, 18, 6, 0 }, { 22, 10, 7, 0 }, { 0, 22, 8, 0 },
		{ 0, 20, 9, 0 }, { 0, 6, 10, 0 },
	};
	u8 out[RDMA_VCHNL_MAX];
	u32 len;

	(void)state;
	take_function();
	assert_int_equal(vchnl(11, 0, NULL, 0, out, &len), 0);
	assert_int_equal(len, 13 * 8 + 8 * 4);
	for (u32 i = 0; i < ARRAY_SIZE(regs); i++) {
		assert_int_equal(get16(out + 8 * i + 6), regs[i][0]);
		assert_int_equal(get32(out + 8 * i), regs[i][1]);
	}
	for (u32 i = 0; i < ARRAY_SIZE(fields); i++)
		assert_memory_equal(out + 104 + 4 * i, fields[i], 4);
	assert_int_equal(get16(out + 104 + 28 + 2), 0xFFFF);
}

static void test_capabilities(void **state)
{
	static const u8 want[5] = { 3, 5, 0, 25, 0 };
	u8 out[RDMA_VCHNL_MAX];
	u32 len;

	(void)state;
	assert_int_equal(vchnl(0, 2, NULL, 0, NULL, NULL), 0);
	assert_int_equal(vchnl(13, 0, NULL, 0, out, &len), 0);
	assert_int_equal(len, 7);
	assert_memory_equal(out, want, sizeof(want));
}

static void test_function_is_taken_once(void **state)
{
	u8 in[2] = { 2 }, out[RDMA_VCHNL_MAX];

	(void)state;
	take_function();
	assert_true(vchnl(1, 2, in, 2, out, NULL) < 0);
	assert_int_equal(vchnl(2, 0, NULL, 0, NULL, NULL), 0);
	assert_int_equal(vchnl(1, 2, in, 2, out, NULL), 0);
	for (u32 i = 0; i < 8; i++)
		assert_int_equal(get16(out + 2 + 2 * i), 0x10 + i);
}

static void test_vport_names_qp1(void **state)
{
	u8 in[8] = { 1, 0, 0, 0, QP_A + 1 };
	u32 len;

	(void)state;
	assert_null(rdma_qp_by_wire(g.r, 1));
	assert_int_equal(vchnl(16, 0, in, 8, NULL, &len), 0);
	assert_int_equal(len, 16);
	fill_qpc(QP_A + 1);
	must(0x00, w_qp(QP_A + 1, QPS_IDLE));
	assert_int_equal(rdma_qp_by_wire(g.r, 1)->id, QP_A + 1);
	assert_int_equal(rdma_qp_get(g.r, QP_A + 1)->qpn, 1);
	assert_true(vchnl(17, 0, in, 8, NULL, NULL) < 0);	/* the QP is still there */
	must(0x02, w_destroy_qp(QP_A + 1));
	assert_int_equal(vchnl(17, 0, in, 8, NULL, NULL), 0);
}

static void test_vchnl_faults(void **state)
{
	u8 req[16] = { 13 }, resp[RDMA_VCHNL_MAX];

	(void)state;
	put16(req + 4, 16);
	add_fault("vchnl:13,drop");
	assert_int_equal(rdma_vchnl(g.r, req, 16, resp), 0);
	add_fault("vchnl:13,fail=5");
	rdma_vchnl(g.r, req, 16, resp);
	assert_int_equal(get16(resp + 10), 5);
	add_fault("capability:5,value=0");
	add_fault("capability:0,value=4");
	rdma_vchnl(g.r, req, 16, resp);
	assert_int_equal(resp[16], 4);
	assert_int_equal(get16(resp + 16 + 5), 0);
}

/* The tail counts every WQE, wraps, and the valid bit changes with each pass. */
static void test_three_passes(void **state)
{
	(void)state;
	for (u32 i = 0; i < 3 * DEPTH + 5; i++)
		must(NOP, (struct wqe) {});
	assert_int_equal(violation_total(g.nic), 0);
}

static void test_batch_of_a_full_ring(void **state)
{
	u32 count = 0;

	(void)state;
	for (u32 i = 0; i < DEPTH - 1; i++)
		write_wqe(&(struct wqe) {}, NOP);
	wr(CQPDB, g.head);
	while (ccq_poll())
		count++;
	assert_int_equal(count, DEPTH - 1);
	assert_int_equal(violation_total(g.nic), 0);
}

static void test_tail_error_bit_clears_itself(void **state)
{
	(void)state;
	assert_int_not_equal(cmd(0x2C, (struct wqe) {}), 0);
	assert_int_equal(rd(CQPTAIL) >> 31, 1);
	assert_int_equal(rd(CQPERR), 0xFFFF8001);
	must(NOP, (struct wqe) {});
	assert_int_equal(rd(CQPTAIL) >> 31, 0);
}

static void test_commands_are_counted(void **state)
{
	u64 before = rdma_commands(g.r)[NOP];

	(void)state;
	must(NOP, (struct wqe) {});
	assert_int_not_equal(cmd(NOP, (struct wqe) { { [7] = 1 } }), 0);
	assert_int_equal(rdma_commands(g.r)[NOP], before + 2);
	assert_string_equal(rdma_command_name(NOP), "nop");
}

static void test_destroy_and_create_again(void **state)
{
	(void)state;
	wr(CCQPHIGH, 0);
	wr(CCQPLOW, 0);
	assert_int_equal(rd(CCQPSTATUS), 0);
	assert_int_equal(rd(CQPTAIL), 0);
	g.head = 0;
	g.polarity = 0;
	create_cqp();
	must(NOP, (struct wqe) {});
	assert_int_equal(violation_total(g.nic), 0);
}

/* The status says so, commands are executed, and the next try succeeds. */
static void test_engine_that_goes_on(void **state)
{
	(void)state;
	add_fault("cqp-stop,drop");
	wr(CCQPHIGH, 0);
	wr(CCQPLOW, 0);
	assert_int_not_equal(rd(CCQPSTATUS), 0);
	must(NOP, (struct wqe) {});
	wr(CCQPLOW, 0);
	assert_int_equal(rd(CCQPSTATUS), 0);
	assert_int_equal(violation_total(g.nic), 0);
}

static void test_control_cq_is_destroyed_without_an_entry(void **state)
{
	u32 tail;

	(void)state;
	must(0x1B, w_aeq(0));
	must(0x18, (struct wqe) { { [2] = CEQ_SIZE, [3] = 1 } });
	must(0x18, (struct wqe) { { [2] = CEQ_SIZE } });	/* CEQ 0: entry in the CCQ */
	tail = rd(CQPTAIL);
	write_wqe(&(struct wqe) { { [0] = CCQ_SIZE, [3] = 1ull << 49, [5] = CCQ_SHADOW } }, 0x05);
	wr(CQPDB, g.head);
	assert_int_equal(rd(CQPTAIL), tail + 1);
	assert_false(ccq_poll());
	wr(CCQPHIGH, 0);
	wr(CCQPLOW, 0);
	assert_int_equal(vchnl(2, 0, NULL, 0, NULL, NULL), 0);
	assert_int_equal(violation_total(g.nic), 0);
}

/* Sizing. */

static void test_query_fits_its_buffer(void **state)
{
	(void)state;
	memset(at(FPM_AT), 0xEE, 208);
	must(0x20, (struct wqe) { { [2] = FN, [4] = FPM_AT } });
	assert_int_equal(ld64(FPM_AT + 8) >> 32, 9);		/* log2 of a QP context */
	assert_int_equal(ld64(FPM_AT + 176) >> 32, 128);	/* local pages, not 0 */
	assert_int_not_equal(ld64(FPM_AT + 80) >> 32, 0);	/* Q1 block */
	assert_int_equal(ld64(FPM_AT + 200), 0xEEEEEEEEEEEEEEEE);
}

static void test_commit_grants_bases(void **state)
{
	u64 end = 0;

	(void)state;
	must(0x21, w_commit());
	for (u32 off = 0; off <= 152; off += 8) {
		u64 word = ld64(FPM_AT + off);

		assert_int_equal(word >> 63, 0);
		if (off != 112 && (u32)word && word >> 32 > end)
			end = word >> 32;
	}
	assert_int_equal((u32)ld64(FPM_AT), QPS);
	assert_int_equal((u32)ld64(FPM_AT + 112), PBLES);
	assert_true(ld64(FPM_AT + 112) >> 32 > end);		/* page lists last */
	assert_int_equal((ld64(FPM_AT + 48) >> 32) * 512 % (2 << 20), 0);
}

static void test_commit_of_too_much_is_cut(void **state)
{
	struct wqe w = w_commit();

	(void)state;
	st64(FPM_AT, 1ull << 63 | 1 << 20);
	must(0x21, w);
	assert_int_equal((u32)ld64(FPM_AT), 1 << 14);
}

/* Eleven segments in one command: three in the WQE, eight in the side buffer. */
static void test_side_buffer(void **state)
{
	struct wqe w = w_commit();
	u64 mr, data = MR_SD | 512 << 2 | 2 | 1;

	(void)state;
	st64(FPM_AT + 48, 1ull << 63 | 11 << 15);
	must(0x21, w);
	mr = (ld64(FPM_AT + 48) >> 32) * 512 >> 21;
	w = (struct wqe) { { [0] = mr | 1 << 15 | 1ull << 31, [1] = data,
			     [2] = FN | SPARE, [3] = 8,
			     [4] = (mr + 1) | 1 << 15 | 1ull << 31 | 1ull << 63, [5] = data,
			     [6] = (mr + 2) | 1 << 15 | 1ull << 31 | 1ull << 63, [7] = data } };
	for (u32 i = 0; i < 8; i++) {
		/* The table has room for four segments of MRs. */
		st64(SPARE + 16 * i, (mr + 3) | 1 << 15 | 1ull << 31);
		st64(SPARE + 16 * i + 8, data);
	}
	must(0x1F, w);
	assert_int_equal(violation_total(g.nic), 0);
}

static void test_paged_segment(void **state)
{
	u64 pd = SPARE, page = SPARE + 0x2000;

	(void)state;
	st64(pd, page | 1);
	must(0x1F, (struct wqe) { { [0] = w_segment(112, 0).w[0], [1] = pd | 512 << 2 | 1,
				    [2] = FN } });
	st64(page + 8, DATA_AT);
	{
		struct wqe w = w_reg(MR_INDEX, MR_KEY);

		w.w[1] = 0x1000 | (u64)PD << 46;
		w.w[3] |= 1ull << 44;
		w.w[4] = 0;
		w.w[6] = 1;
		must(0x0A, w);
		/* The next page has no descriptor. */
		w.w[2] += 1ull << 8;
		w.w[6] = 512;
		assert_int_equal(cmd(0x0A, w), 0xF0010001);
	}
	assert_int_equal(violation_total(g.nic), 1);
}

/* The entry of a feature in the list at SPARE, which must have it. */
static u64 feature(u32 number)
{
	u64 count = ld64(SPARE) >> 32 & 0xFFFF;

	assert_in_range(count, 2, 34);
	for (u32 i = 1; i < count; i++)
		if (ld64(SPARE + 8 * i) >> 48 == number)
			return ld64(SPARE + 8 * i);
	fail_msg("no feature %u", number);
	return 0;
}

static void test_features(void **state)
{
	u64 count;

	(void)state;
	must(0x12, (struct wqe) { { [3] = 8 * 34, [4] = SPARE } });
	count = ld64(SPARE) >> 32 & 0xFFFF;
	assert_int_equal(feature(32) & 1, 1);	/* atomics */
	assert_int_equal(feature(22) >> 24 & 4, 0);	/* MRs in host memory */
	/* A short buffer gets no more than it holds. */
	st64(SPARE + 0x100 + 16, 0xEE);
	must(0x12, (struct wqe) { { [3] = 16, [4] = SPARE + 0x100 } });
	assert_int_equal(ld64(SPARE + 0x100) >> 32 & 0xFFFF, count);
	assert_int_equal(ld64(SPARE + 0x100 + 16), 0xEE);
}

static void test_fault_features(void **state)
{
	(void)state;
	add_fault("feature:32,value=5");
	must(0x12, (struct wqe) { { [3] = 8 * 34, [4] = SPARE } });
	assert_int_equal(feature(32), 32ull << 48 | 5);
	/* With bit 2 the maxima that were told are committed, not less. */
	must(0x20, (struct wqe) { { [2] = FN, [4] = FPM_AT } });
	assert_int_not_equal(cmd(0x21, w_commit()), 0);
	assert_int_equal(g.nic->violations[V_HMC_COMMIT], 1);
}

static void test_fault_fpm_query(void **state)
{
	(void)state;
	add_fault("fpm-query:8,value=0x900000040");
	must(0x20, (struct wqe) { { [2] = FN, [4] = FPM_AT } });
	assert_int_equal(ld64(FPM_AT + 8), 0x900000040);
	must(0x20, (struct wqe) { { [2] = FN, [4] = FPM_AT } });
	assert_int_equal(ld64(FPM_AT + 8), 9ull << 32 | 1 << 14);
}

/* They are written to when they are given, and when the function is released. */
static void test_scratch_buffers(void **state)
{
	u8 out[RDMA_VCHNL_MAX];
	struct wqe w;

	(void)state;
	add_fault("fpm-query:184,value=8192");
	must(0x20, (struct wqe) { { [2] = FN, [4] = FPM_AT } });
	assert_int_equal(ld64(FPM_AT + 184), 8192);
	assert_int_not_equal(cmd(0x21, w_commit()), 0);
	w = w_commit();
	w.w[3] |= 1ull << 38;
	assert_int_not_equal(cmd(0x21, w), 0);
	assert_int_equal(g.nic->violations[V_HMC_COMMIT], 2);
	st64(FPM_AT + 192, SPARE);
	must(0x21, w);
	assert_int_not_equal(ld64(SPARE), 0);
	assert_int_not_equal(ld64(SPARE + 4096), 0);
	st64(SPARE, 0);
	wr(CCQPHIGH, 0);
	wr(CCQPLOW, 0);
	assert_int_equal(vchnl(2, 0, NULL, 0, out, NULL), 0);
	assert_int_not_equal(ld64(SPARE), 0);
}

static void test_statistics_layout(void **state)
{
	(void)state;
	fake_counters[0] = 11;		/* IPv4 discards, byte 24 */
	fake_counters[33] = 22;		/* writes sent, byte 296 */
	fake_counters[56] = 33;		/* ICRC errors, byte 456 */
	memset(at(SPARE), 0xEE, 1032);
	must(0x2E, (struct wqe) { { [4] = SPARE } });
	assert_int_equal(ld64(SPARE + 24), 11);
	assert_int_equal(ld64(SPARE + 296), 22);
	assert_int_equal(ld64(SPARE + 456), 33);
	assert_int_equal(ld64(SPARE + 400), 0);
	assert_int_equal(ld64(SPARE + 1024), 0xEEEEEEEEEEEEEEEE);
}

static void test_statistics_instances(void **state)
{
	(void)state;
	must(0x2D, (struct wqe) { { [3] = 1ull << 62 } });
	assert_int_equal(g.last_ret, 0);
	must(0x2D, (struct wqe) { { [3] = 1ull << 62 } });
	assert_int_equal(g.last_ret, 1);
	must(0x2E, (struct wqe) { { [3] = 1 | 1ull << 61, [4] = SPARE } });
	must(0x2D, (struct wqe) { { [3] = 1 } });
	assert_int_equal(cmd(0x2E, (struct wqe) { { [3] = 1 | 1ull << 61, [4] = SPARE } }),
			 0xF0000001);
}

static void test_user_priority_map(void **state)
{
	(void)state;
	must(0x2F, (struct wqe) { { [0] = 0x0706050403020100, [3] = 1ull << 62 } });
}

static void test_push_pages(void **state)
{
	u32 val = QP_A;

	(void)state;
	must(0x11, (struct wqe) { { [2] = 0x10 } });
	assert_int_equal(g.last_ret, 0);
	st64(QPC_AT(QP_A), 1 << 3 | 1 << 8 | 1ull << 47);
	must(0x01, w_modify(QP_A, QPS_IDLE));
	nic_bar_write(g.nic, 0, DBPAGE + 0x10000 + 0x20, &(u64[4]) {}, 32);
	assert_int_equal(g.told.doorbells, 0);
	nic_bar_write(g.nic, 0, DBPAGE + 0x11000, &val, 4);
	assert_int_equal(g.told.doorbells, 1);
	must(0x11, (struct wqe) { { [3] = 1ull << 62 } });
	assert_int_equal(violation_total(g.nic), 0);
}

/* Fault knobs and clocks. */

static void test_fault_fail(void **state)
{
	(void)state;
	add_fault("cqp-command:0x24,fail=0xffff8029");
	assert_int_equal(cmd(NOP, (struct wqe) {}), 0xFFFF8029);
	must(NOP, (struct wqe) {});
}

static void test_fault_drop(void **state)
{
	(void)state;
	add_fault("cqp-command:0x24,drop");
	write_wqe(&(struct wqe) {}, NOP);
	wr(CQPDB, g.head);
	assert_false(ccq_poll());
	must(NOP, (struct wqe) {});
}

static void test_fault_dup(void **state)
{
	u64 slot;

	(void)state;
	add_fault("cqp-command:0x24,dup");
	must(NOP, (struct wqe) {});
	slot = g.last_w24 >> 32 & 0x7FFF;
	assert_true(ccq_poll());
	assert_int_equal(g.last_w24 >> 32 & 0x7FFF, slot);
	assert_false(ccq_poll());
}

static void run_loop(u64 ns)
{
	u64 end = loop_now(g.loop) + ns;

	while (loop_now(g.loop) < end)
		loop_step(g.loop, 1000000);
}

/* A delayed command holds back those behind it. */
static void test_fault_delay_keeps_order(void **state)
{
	(void)state;
	add_fault("cqp-command:0x24,delay=20ms");
	write_wqe(&(struct wqe) {}, NOP);
	write_wqe(&(struct wqe) {}, NOP);
	wr(CQPDB, g.head);
	assert_false(ccq_poll());
	run_loop(40000000);
	assert_true(ccq_poll());
	assert_true(ccq_poll());
	assert_false(ccq_poll());
}

static void test_deferred(void **state)
{
	u64 w0, w8, ticket;

	(void)state;
	add_fault("cqp-defer:0x24,delay=10ms");
	must(NOP, (struct wqe) {});
	assert_int_equal(g.last_w24 & 0xFFFFFFFF, 6);
	ticket = g.last_w16 >> 32;
	assert_int_not_equal(ticket, 0);
	must(NOP, (struct wqe) {});		/* the ring goes on */
	assert_int_equal(aeq_poll(&w0), 0);
	run_loop(20000000);
	w8 = aeq_poll(&w0);
	assert_int_equal(ae_code(w8), 0x901);
	assert_int_equal(w8 >> 32 & 0x3FFFF, ticket);
	assert_false(ccq_poll());
}

/* A refused command is not deferred: its end could not say so. */
static void test_deferred_error(void **state)
{
	(void)state;
	add_fault("cqp-defer:0x0d,delay=1ms");
	assert_int_equal(cmd(0x0D, w_dealloc(MR_INDEX + 1, true)), 0xF0000001);
}

static void test_pending(void **state)
{
	u64 id;

	(void)state;
	add_fault("cqp-pending:0x0a,delay=10ms");
	must(0x0A, w_reg(MR_INDEX + 1, 1));
	assert_int_equal(g.last_w24 & 0xFFFFFFFF, 7);
	id = g.last_w16 >> 32;
	assert_null(rdma_mr_get(g.r, MR_INDEX + 1));	/* it has not run */
	must(NOP, (struct wqe) {});
	assert_int_equal(g.last_w24 >> 54 & 1, 0);
	run_loop(20000000);
	assert_true(ccq_poll());
	assert_int_equal(g.last_w24 >> 54 & 1, 1);
	assert_int_equal(g.last_w16 >> 32, id);
	assert_int_equal(ccq_result(), 0);
	assert_non_null(rdma_mr_get(g.r, MR_INDEX + 1));
}

static void test_reset_forgets_late_ends(void **state)
{
	(void)state;
	add_fault("cqp-pending:0x24,delay=5ms");
	add_fault("cqp-command:0x24,delay=5ms,nth=2");
	must(NOP, (struct wqe) {});
	write_wqe(&(struct wqe) {}, NOP);
	wr(CQPDB, g.head);
	nic_reset(g.nic, NIC_RESET_FUNCTION);
	run_loop(15000000);
	assert_false(ccq_poll());
	assert_int_equal(g.told.qps, 0);
}

static u32 drain(void)
{
	u32 count = 0;

	while (ccq_poll())
		count++;
	return count;
}

/* With latency alone commands overlap: all are there after one latency. */
static void test_latency_overlaps(void **state)
{
	(void)state;
	g.nic->clock = (struct nic_clock) { .latency_ns = 30000000 };
	for (u32 i = 0; i < 10; i++)
		write_wqe(&(struct wqe) {}, NOP);
	wr(CQPDB, g.head);
	assert_int_equal(drain(), 0);
	run_loop(60000000);
	assert_int_equal(drain(), 10);
}

/* With a rate they follow one another. */
static void test_rate(void **state)
{
	u64 start = loop_now(g.loop);
	u32 done = 0;

	(void)state;
	g.nic->clock = (struct nic_clock) { .interval_ns = 5000000 };
	for (u32 i = 0; i < 6; i++)
		write_wqe(&(struct wqe) {}, NOP);
	wr(CQPDB, g.head);
	while (done < 6) {
		loop_step(g.loop, 1000000);
		done += drain();
		assert_true(done <= (loop_now(g.loop) - start) / 5000000);
	}
}

/* Without inline mode the doorbell store returns first. */
static void test_not_inline(void **state)
{
	(void)state;
	g.nic->cfg.inline_cmds = false;
	write_wqe(&(struct wqe) {}, NOP);
	wr(CQPDB, g.head);
	assert_false(ccq_poll());
	loop_step(g.loop, 0);
	assert_true(ccq_poll());
}

/* Many commands at once: whoever else uses the loop has a turn between them. */
static void count_turn(void *arg)
{
	(*(u32 *)arg)++;
}

static void test_commands_take_turns(void **state)
{
	struct loop_task other;
	u32 turns = 0, done = 0;

	(void)state;
	g.nic->cfg.inline_cmds = false;
	task_init(&other, g.loop, count_turn, &turns);
	for (u32 i = 0; i < 40; i++)
		write_wqe(&(struct wqe) {}, NOP);
	wr(CQPDB, g.head);
	while (done < 40) {
		u32 before = done;

		task_queue(&other);
		loop_step(g.loop, 0);
		done += drain();
		assert_true(done > before && done <= before + 8);
	}
	assert_int_equal(turns, 5);
	assert_int_equal(violation_total(g.nic), 0);
}

#define T(name, setup) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_register_layout, setup_power),
		T(test_capabilities, setup_power),
		T(test_function_is_taken_once, setup_power),
		T(test_vport_names_qp1, setup_all),
		T(test_vchnl_faults, setup_cqp),
		T(test_three_passes, setup_events),
		T(test_batch_of_a_full_ring, setup_events),
		T(test_tail_error_bit_clears_itself, setup_events),
		T(test_commands_are_counted, setup_events),
		T(test_destroy_and_create_again, setup_cqp),
		T(test_engine_that_goes_on, setup_cqp),
		T(test_control_cq_is_destroyed_without_an_entry, setup_events),
		T(test_query_fits_its_buffer, setup_cqp),
		T(test_commit_grants_bases, setup_cqp),
		T(test_commit_of_too_much_is_cut, setup_cqp),
		T(test_side_buffer, setup_cqp),
		T(test_paged_segment, setup_events),
		T(test_features, setup_cqp),
		T(test_fault_features, setup_cqp),
		T(test_fault_fpm_query, setup_cqp),
		T(test_scratch_buffers, setup_cqp),
		T(test_statistics_layout, setup_events),
		T(test_statistics_instances, setup_events),
		T(test_user_priority_map, setup_events),
		T(test_push_pages, setup_all),
		T(test_fault_fail, setup_events),
		T(test_fault_drop, setup_events),
		T(test_fault_dup, setup_events),
		T(test_fault_delay_keeps_order, setup_events),
		T(test_deferred, setup_events),
		T(test_deferred_error, setup_all),
		T(test_pending, setup_all),
		T(test_reset_forgets_late_ends, setup_all),
		T(test_latency_overlaps, setup_events),
		T(test_rate, setup_events),
		T(test_not_inline, setup_events),
		T(test_commands_take_turns, setup_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
