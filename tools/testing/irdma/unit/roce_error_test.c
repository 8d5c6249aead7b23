// SPDX-License-Identifier: GPL-2.0
/*
 * What goes wrong on a connection: the answer on the wire, the async event at each
 * end, the state, and the flush that follows. By packets and by the shortcut.
 */
#include "roce_fake.h"

#define SRC 0x000000u
#define DST 0x200000u

static int start_packets(void **state)
{
	world_start(state);
	connect_qps(0);
	return 0;
}

static int start_shortcut(void **state)
{
	world_start(state);
	world.side[0].nic.cfg.shortcut = world.side[1].nic.cfg.shortcut = true;
	connect_qps(0);
	return 0;
}

static struct wr write_of(u32 len)
{
	return (struct wr){ .op = WQE_WRITE, .flags = WR_SIGNALLED, .raddr = data_addr(DST),
			    .stag = LKEY, .n_sge = 1, .sge = { data_sge(SRC, len) } };
}

static struct wr send_of(u32 len)
{
	return (struct wr){ .op = WQE_SEND, .flags = WR_SIGNALLED, .n_sge = 1,
			    .sge = { data_sge(SRC, len) } };
}

static void post_recv_of(u32 len)
{
	struct sge recv = data_sge(DST, len);

	post_recv(1, 0, &recv, 1);
}

/* A request that the peer refuses: its own event, ours, nothing completes by itself. */
static void refused(struct wr *w, u16 peer_code, enum ae_src peer_src, u32 peer_idx, u16 code)
{
	u32 idx = post_wr(0, 0, w);

	expect_event(1, peer_code, peer_src, peer_idx);
	if (!world.side[0].n_aes)
		run_until_event(0, 1);
	assert_int_equal(world.side[0].ae[0].code, code);
	assert_int_equal(world.side[0].ae[0].src, AE_SRC_SQ);
	assert_int_equal(world.side[0].ae[0].wqe_idx, idx);
	assert_int_equal(world.side[0].qp[0].state, QPS_ERROR);
	assert_int_equal(world.side[1].qp[0].state, QPS_ERROR);
	assert_int_equal(world.side[0].n_cqes + world.side[1].n_cqes, 0);
	assert_int_equal(total_violations(), 0);
}

static void test_write_bad_key(void **state)
{
	struct wr w = write_of(100);

	(void)state;
	w.stag = LKEY + 1;
	refused(&w, 0x0106, AE_SRC_IN_RR_WR, 0, AE_REM_ACCESS);
}

static void test_write_out_of_bounds(void **state)
{
	struct wr w = write_of(5000);

	(void)state;
	w.raddr = MEM_BASE + MEM_SIZE - 4999;
	memset(world.side[1].mem + MEM_SIZE - 4999, 0xEE, 4999);
	refused(&w, 0x0108, AE_SRC_IN_RR_WR, 0, AE_REM_ACCESS);
	/* Not even the part that would fit was written. */
	for (u32 i = 0; i < 4999; i++)
		assert_int_equal(world.side[1].mem[MEM_SIZE - 4999 + i], 0xEE);
}

static void test_write_no_right(void **state)
{
	struct wr w = write_of(100);

	(void)state;
	world.side[1].mr[0].access &= ~ACC_REMOTE_WRITE;
	refused(&w, 0x0109, AE_SRC_IN_RR_WR, 0, AE_REM_ACCESS);
}

static void test_read_no_right(void **state)
{
	struct wr w = write_of(100);

	(void)state;
	w.op = WQE_READ;
	world.side[1].mr[0].access &= ~ACC_REMOTE_READ;
	refused(&w, 0x0109, AE_SRC_OUT_RR, 0, AE_REM_ACCESS);
}

static void test_atomic_no_right(void **state)
{
	struct wr w = write_of(8);

	(void)state;
	w.op = WQE_FETCH_ADD;
	world.side[1].mr[0].access &= ~ACC_REMOTE_ATOMIC;
	refused(&w, 0x0109, AE_SRC_IN_RR_WR, 0, AE_REM_ACCESS);
}

static void test_atomic_unaligned(void **state)
{
	struct wr w = write_of(8);

	(void)state;
	w.op = WQE_CMP_SWAP;
	w.raddr += 4;
	refused(&w, AE_ATOMIC_ALIGN, AE_SRC_IN_RR_WR, 0, AE_INVALID_REQUEST);
}

/* Zero bytes need no key. */
static void test_zero_length_unchecked(void **state)
{
	struct wr w = write_of(0);

	(void)state;
	w.stag = 0xBAD00;
	post_wr(0, 0, &w);
	w.op = WQE_READ;
	post_wr(0, 0, &w);
	run_until(0, 2);
	assert_int_equal(world.side[1].n_aes, 0);
}

static void test_queue_pair_without_right(void **state)
{
	struct wr w = write_of(100);

	(void)state;
	world.side[1].qp[0].ctx.write_en = false;
	refused(&w, AE_INVALID_REQUEST, AE_SRC_IN_RR_WR, 0, AE_INVALID_REQUEST);
}

static void test_read_depth_zero_at_peer(void **state)
{
	struct wr w = write_of(100);

	(void)state;
	w.op = WQE_READ;
	world.side[1].qp[0].ctx.ird = 0;
	refused(&w, AE_IRD_EXCEEDED, AE_SRC_IN_RR_WR, 0, AE_INVALID_REQUEST);
	assert_int_equal(roce_counters(world.side[1].roce)[ST_IRD_LIMIT], 1);
}

static void test_send_too_long(void **state)
{
	struct wr w = send_of(3000);

	(void)state;
	post_recv_of(2999);
	refused(&w, AE_MSG_TOO_LONG, AE_SRC_RQ, 0, AE_INVALID_REQUEST);
}

static void test_receive_bad_key(void **state)
{
	struct sge recv = { data_addr(DST), 100, LKEY + 9 };
	struct wr w = send_of(100);

	(void)state;
	post_recv(1, 0, &recv, 1);
	refused(&w, 0x0106, AE_SRC_RQ, 0, AE_REM_OPERATION);
}

static void test_receive_read_only(void **state)
{
	struct sge recv = { data_addr(DST), 100, 0x2000 };
	struct wr w = send_of(100);

	(void)state;
	add_mr(&world.side[1], 0x2000, data_addr(DST), data_addr(DST), 4096, ACC_LOCAL_READ);
	post_recv(1, 0, &recv, 1);
	refused(&w, 0x0109, AE_SRC_RQ, 0, AE_REM_OPERATION);
}

static void test_receive_memory_gone(void **state)
{
	struct wr w = send_of(100);

	(void)state;
	add_mr(&world.side[1], 0x2000, 0, 0x40000000, 4096, ACC_LOCAL_WRITE);
	post_recv(1, 0, &(struct sge){ 0, 100, 0x2000 }, 1);
	refused(&w, AE_QP_CATASTROPHIC, AE_SRC_RQ, 0, AE_REM_OPERATION);
}

static void test_invalidate_refused(void **state)
{
	struct wr w = send_of(10);

	(void)state;
	w.op = WQE_SEND_INV;
	w.stag = LKEY;
	world.side[1].mr[0].remote = false;
	post_recv_of(10);
	refused(&w, 0x0112, AE_SRC_RQ, 0, AE_REM_ACCESS);
}

static void test_read_region_gone_meanwhile(void **state)
{
	struct wr w = write_of(1048576);

	(void)state;
	w.op = WQE_READ;
	post_wr(0, 0, &w);
	for (int i = 0; i < 4; i++)
		world_step();
	world.side[1].mr[0].valid = false;
	run_until_event(1, 1);
	assert_int_equal(world.side[1].ae[0].code, 0x0103);
	assert_int_equal(world.side[1].ae[0].src, AE_SRC_OUT_RR);
	assert_int_equal(run_until_event(0, 1)->code, AE_REM_ACCESS);
}

/* Errors of our own side: nothing is sent, earlier requests end well. */
static void local(struct wr *w, u16 code, enum ae_src src)
{
	struct wr good = write_of(5000);
	u32 idx;

	post_wr(0, 0, &good);
	idx = post_wr(0, 0, w);
	expect_event(0, code, src, idx);
	assert_int_equal(world.side[0].n_cqes, 1);
	expect_cqe(0, 0, WQE_WRITE, true, 0);
	run_for_ms(1);
	assert_int_equal(world.side[1].n_aes, 0);
	assert_int_equal(world.side[1].n_cqes, 0);
}

static void test_local_bad_key(void **state)
{
	struct wr w = write_of(100);

	(void)state;
	w.sge[0].stag++;
	local(&w, 0x0106, AE_SRC_SQ);
}

static void test_local_read_sink_bad(void **state)
{
	struct wr w = write_of(100);

	(void)state;
	w.op = WQE_READ;
	w.sge[0].stag++;
	local(&w, 0x0106, AE_SRC_SQ);
}

static void test_local_bounds_of_last_fragment(void **state)
{
	struct wr w = write_of(2000);

	(void)state;
	w.n_sge = 3;
	w.sge[1] = data_sge(SRC, 100);
	w.sge[2] = (struct sge){ MEM_BASE + MEM_SIZE - 10, 11, LKEY };
	local(&w, 0x0108, AE_SRC_SQ);
}

static void test_local_memory_gone(void **state)
{
	struct wr w = write_of(100);

	(void)state;
	add_mr(&world.side[0], 0x2000, 0, 0x40000000, 4096, ACC_LOCAL_READ);
	w.sge[0] = (struct sge){ 0, 100, 0x2000 };
	local(&w, AE_QP_CATASTROPHIC, AE_SRC_SQ);
}

static void test_local_bind_refused(void **state)
{
	struct wr w = { .op = WQE_BIND, .flags = WR_SIGNALLED };

	(void)state;
	world.side[0].bind_code = 0x0119;
	local(&w, 0x0119, AE_SRC_SQ);
}

static void test_local_fast_register_unprivileged(void **state)
{
	struct wr w = { .op = WQE_FAST_REG, .flags = WR_SIGNALLED, .stag = 0x2001 };

	(void)state;
	world.side[0].qp[0].ctx.priv = false;
	local(&w, 0x011C, AE_SRC_SQ);
}

static void test_local_invalidate_refused(void **state)
{
	struct wr w = { .op = WQE_LOCAL_INV, .flags = WR_SIGNALLED };

	(void)state;
	local(&w, 0x0103, AE_SRC_SQ);
}

static void test_rnr_retries(void **state)
{
	struct wr w = send_of(100);

	(void)state;
	world.side[0].qp[0].ctx.rnr_retry = 3;
	post_wr(0, 0, &w);
	expect_event(0, AE_RNR_RETRIES, AE_SRC_SQ, 0);
	assert_int_equal(roce_counters(world.side[0].roce)[ST_RNR_RECEIVED], 4);
	assert_int_equal(world.side[1].qp[0].state, QPS_RTS);
}

static void test_peer_gone(void **state)
{
	struct wr w = send_of(100);

	(void)state;
	world.side[0].qp[0].ctx.retry_cnt = 2;
	world.side[0].qp[0].ctx.ack_timeout = 8;
	world.cut = true;
	post_wr(0, 0, &w);
	expect_event(0, AE_RETRIES, AE_SRC_SQ, 0);
	assert_int_equal(roce_counters(world.side[0].roce)[ST_RTO], 3);
	assert_int_equal(world.n_frames, 3);
}

/* Flush: each outstanding request once, in order, NOPs not, the failed one with its code. */
static void test_flush_after_error(void **state)
{
	struct wr bad = write_of(100), good = write_of(100), quiet = write_of(100);
	struct wr nop = { .op = WQE_NOP };
	struct roce_flush sq = { .on = true, .idx_valid = true, .code = 0x10002 };
	struct roce_flush rq = { .on = true, .code = 0x10001 };
	const struct cqe *c = &world.side[0].cqe[1];
	u32 quiet_idx, bad_idx;

	(void)state;
	bad.sge[0].stag++;
	quiet.flags = 0;
	post_recv(0, 0, NULL, 0);
	post_recv(0, 0, NULL, 0);
	post_wr(0, 0, &good);
	quiet_idx = post_wr(0, 0, &quiet);
	bad_idx = post_wr(0, 0, &bad);
	post_wr(0, 0, &nop);
	post_wr(0, 0, &good);
	sq.idx = run_until_event(0, 1)->wqe_idx;
	assert_int_equal(sq.idx, bad_idx);
	roce_flush(&world.side[0].qp[0], &sq, &rq);
	assert_true(sq.did);
	assert_true(rq.did);
	assert_int_equal(world.side[0].n_cqes, 1 + 3 + 2);
	for (int i = 0; i < 5; i++) {
		assert_true(c[i].error);
		assert_int_equal(c[i].major, 1);
		assert_int_equal(c[i].sq, i < 3);
		assert_int_equal(c[i].minor, i == 1 ? 2 : 1);
	}
	assert_int_equal(c[0].wqe_idx, quiet_idx);
	assert_int_equal(c[1].wqe_idx, bad_idx);
	/* What is posted later is flushed as well, without another command. */
	post_wr(0, 0, &good);
	assert_int_equal(world.side[0].n_cqes, 7);
	post_recv(0, 0, NULL, 0);
	run_until(0, 8);
	assert_true(world.side[0].cqe[7].error);
	sq.on = rq.on = true;
	roce_flush(&world.side[0].qp[0], &sq, &rq);
	assert_false(sq.did);
	assert_false(rq.did);
	assert_int_equal(total_violations(), 0);
}

/* Without an index the first one has the code; a taken receive is flushed before the ring's. */
static void test_flush_taken_receive(void **state)
{
	struct roce_flush sq = { .on = true, .code = 0x10001 };
	struct roce_flush rq = { .on = true, .code = 0x10006 };
	struct wr w = send_of(3000);

	(void)state;
	post_recv_of(2000);
	post_recv_of(2000);
	post_wr(0, 0, &w);
	run_until_event(1, 1);
	roce_flush(&world.side[1].qp[0], &sq, &rq);
	assert_false(sq.did);
	assert_int_equal(world.side[1].n_cqes, 2);
	assert_int_equal(world.side[1].cqe[0].minor, 6);
	assert_int_equal(world.side[1].cqe[0].wqe_idx, 0);
	assert_int_equal(world.side[1].cqe[1].minor, 1);
	assert_int_equal(world.side[1].cqe[1].wqe_idx, RQ_STRIDE);
}

static void test_shared_receive_queue(void **state)
{
	struct sge recv[2] = { data_sge(DST, 100), data_sge(DST + 4096, 5000) };
	struct roce_flush sq = { .on = true }, rq = { .on = true, .code = 0x10001 };
	struct wr w = send_of(3000);

	(void)state;
	fill_data(0, SRC, 3000);
	world.side[1].qp[0].ctx.use_srq = true;
	world.side[1].qp[0].ctx.srqn = 1;
	post_wr(0, 0, &w);
	run_until_count(1, ST_RNR_SENT, 1);
	post_srq(1, 0xFEED0001, recv, 2);
	run_until(1, 1);
	expect_cqe(1, 0, 0x3E, false, 3000);
	assert_true(world.side[1].cqe[0].srq);
	assert_int_equal(world.side[1].cqe[0].wr_id, 0xFEED0001);
	assert_memory_equal(data_ptr(1, DST), data_ptr(0, SRC), 100);
	assert_memory_equal(data_ptr(1, DST + 4096), data_ptr(0, SRC + 100), 2900);
	/* One that is taken and fails carries the event's code; the others stay. */
	post_srq(1, 0xFEED0002, recv, 1);
	post_srq(1, 0xFEED0003, recv, 1);
	run_until(0, 1);
	post_wr(0, 0, &w);
	assert_int_equal(run_until_event(1, 1)->code, AE_MSG_TOO_LONG);
	roce_flush(&world.side[1].qp[0], &sq, &rq);
	assert_int_equal(world.side[1].n_cqes, 2);
	assert_int_equal(world.side[1].cqe[1].major, 0xFFFE);
	assert_int_equal(world.side[1].cqe[1].minor, AE_MSG_TOO_LONG);
	assert_int_equal(world.side[1].cqe[1].wr_id, 0xFEED0002);
	assert_int_equal(world.side[1].srq_taken, 2);
}

/* Without a ring to read from the sender is not told to wait for ever. */
static void test_receive_ring_gone(void **state)
{
	struct wr w = send_of(3000);

	(void)state;
	world.side[1].qp[0].rq.base = 0x50000000;
	refused(&w, AE_QP_CATASTROPHIC, AE_SRC_RQ, 0, AE_REM_OPERATION);
}

static void test_unusable_shared_receive_queue(void **state)
{
	struct wr w = send_of(3000);

	(void)state;
	world.side[1].qp[0].ctx.use_srq = true;
	world.side[1].qp[0].ctx.srqn = 1;
	world.side[1].srq.failed = true;
	refused(&w, AE_QP_CATASTROPHIC, AE_SRC_RQ, 0, AE_REM_OPERATION);
}

/* Packets that nobody may send: built here and handed to side 1. */
static void inject(struct roce_hdr h, u32 len)
{
	struct roce_path path = { .dmac = { 2, 0, 0, 0, 0, 2 }, .smac = { 2, 0, 0, 0, 0, 1 },
				  .ipv4 = true, .ttl = 64, .sport = 0xC000,
				  .sip = { [10] = 0xFF, [11] = 0xFF, 10, 0, 0, 1 },
				  .dip = { [10] = 0xFF, [11] = 0xFF, 10, 0, 0, 2 } };
	u8 frame[ROCE_OVERHEAD + 8192] = { 0 };
	u32 at;

	h.pkey = 0xFFFF;
	h.dqpn = h.dqpn ? h.dqpn : 16;
	at = roce_build(frame, &path, &h, len, 0);
	roce_rx(world.side[1].roce, frame, roce_seal(frame, at, len));
}

static u32 last_syndrome, n_acks, last_psn;

static void watch_acks(struct world *w, u8 *frame, u32 len)
{
	struct roce_frame rf;

	(void)w;
	if (roce_parse(frame, len, &rf) == ROCE_OK && rf.h.opcode == RC_ACK) {
		last_syndrome = rf.h.syndrome;
		last_psn = rf.h.psn;
		n_acks++;
	}
}

/* @psn: relative to the one that side 1 expects. */
static void expect_nak(struct roce_hdr h, int psn, u32 len, u32 syndrome)
{
	h.psn = psn_add(100, (u32)psn & ROCE_PSN_MASK);
	world.tap = watch_acks;
	n_acks = 0;
	inject(h, len);
	world_step();
	world_step();
	assert_int_equal(n_acks, syndrome ? 1 : 0);
	if (syndrome)
		assert_int_equal(last_syndrome, syndrome);
}

static void test_bad_sequences(void **state)
{
	static const struct { u8 opcode; u32 len; } bad[] = {
		{ RC_SEND_MIDDLE, MTU }, { RC_SEND_LAST, 10 }, { RC_WRITE_MIDDLE, MTU },
		{ RC_WRITE_LAST, 10 }, { RC_WRITE_LAST_IMM, 10 },
		{ RC_SEND_FIRST, MTU - 4 }, { RC_SEND_ONLY, MTU + 4 }, { RC_WRITE_ONLY, MTU + 4 },
		{ RC_WRITE_FIRST, 100 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		world_stop(state);
		start_packets(state);
		post_recv_of(10000);
		expect_nak((struct roce_hdr){ .opcode = bad[i].opcode, .ackreq = true, .rkey = LKEY,
					      .va = data_addr(DST), .dma_len = bad[i].len },
			   0, bad[i].len, AETH_NAK_INV);
		assert_int_equal(world.side[1].ae[0].code, AE_INVALID_REQUEST);
		assert_int_equal(world.side[1].qp[0].state, QPS_ERROR);
	}
}

static void test_write_length_lies(void **state)
{
	struct roce_hdr h = { .opcode = RC_WRITE_FIRST, .rkey = LKEY, .va = data_addr(DST),
			      .dma_len = MTU + 100 };

	expect_nak(h, 0, MTU, 0);
	h.opcode = RC_WRITE_LAST;
	expect_nak(h, 1, 104, AETH_NAK_INV);
	world_stop(state);
	start_packets(state);
	h.opcode = RC_WRITE_FIRST;
	expect_nak(h, 0, MTU, 0);
	h.opcode = RC_WRITE_LAST;
	expect_nak(h, 1, 96, AETH_NAK_INV);
}

static void test_one_nak_per_gap(void **state)
{
	struct roce_hdr h = { .opcode = RC_SEND_ONLY, .ackreq = true };

	(void)state;
	for (int i = 0; i < 4; i++)
		post_recv_of(100);
	expect_nak(h, 2, 4, AETH_NAK_SEQ);
	assert_int_equal(last_psn, 100);
	expect_nak(h, 3, 4, 0);
	expect_nak(h, 0, 4, AETH_ACK);
	expect_nak(h, 2, 4, AETH_NAK_SEQ);
	assert_int_equal(last_psn, 101);
	assert_int_equal(roce_counters(world.side[1].roce)[ST_OUT_OF_ORDER], 3);
}

/* A repeated SEND is acknowledged again and not executed again. */
static void test_duplicate_send(void **state)
{
	struct roce_hdr h = { .opcode = RC_SEND_ONLY, .ackreq = true };

	(void)state;
	post_recv_of(100);
	post_recv_of(100);
	expect_nak(h, 0, 4, AETH_ACK);
	h.ackreq = false;
	expect_nak(h, 0, 4, AETH_ACK);
	assert_int_equal(last_psn, 100);
	assert_int_equal(world.side[1].n_cqes, 1);
}

static void test_duplicate_atomic(void **state)
{
	struct roce_hdr h = { .opcode = RC_FETCH_ADD, .swap = 1, .va = data_addr(DST), .rkey = LKEY,
			      .psn = 100 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		inject(h, 0);
		run_for_ms(1);
	}
	assert_int_equal(get64(data_ptr(1, DST)), 1);
	assert_int_equal(world.n_frames, 3);
}

/*
 * As many READs as may be outstanding are answered; the oldest is asked for again, late,
 * and at once comes the next one, which may overwrite it.
 */
static void test_late_repetition_and_next_read(void **state)
{
	struct roce_hdr h = { .opcode = RC_READ_REQUEST, .va = data_addr(DST), .rkey = LKEY,
			      .dma_len = 8 };

	(void)state;
	world.side[1].qp[0].ctx.ird = 2;
	for (h.psn = 100; h.psn < 102; h.psn++) {
		inject(h, 0);
		run_for_ms(1);
	}
	for (u32 i = 0; i < 2; i++, h.psn++) {
		struct roce_hdr again = h;

		again.psn = h.psn - 2;
		inject(again, 0);
		inject(h, 0);
		run_for_ms(1);
		assert_int_equal(world.side[1].n_aes, 0);
		assert_int_equal(world.n_frames, 3 + i);
	}
	assert_int_equal(world.side[1].qp[0].roce->resp.epsn, 104);
	assert_int_equal(world.side[1].qp[0].state, QPS_RTS);
}

/* One READ more than may be outstanding: the others are answered first. */
static void test_reads_beyond_the_depth(void **state)
{
	struct roce_hdr h = { .opcode = RC_READ_REQUEST, .va = data_addr(DST), .rkey = LKEY,
			      .dma_len = 98 * MTU };

	(void)state;
	world.side[1].qp[0].ctx.ird = 2;
	for (u32 i = 0; i < 3; i++) {
		h.psn = 100 + 98 * i;
		inject(h, 0);
	}
	assert_int_equal(run_until_event(1, 1)->code, AE_IRD_EXCEEDED);
	assert_int_equal(world.n_frames, 2 * 98 + 1);
}

static void test_strangers_are_ignored(void **state)
{
	struct roce_hdr h = { .opcode = RC_SEND_ONLY, .psn = 100, .ackreq = true };

	(void)state;
	post_recv_of(100);
	world.side[1].qp[0].ctx.dip[15] = 9;
	inject(h, 4);
	world.side[1].qp[0].ctx.dip[15] = 1;
	world.side[1].qp[0].ctx.pkey = 0x8123;
	inject(h, 4);
	world.side[1].qp[0].ctx.pkey = 0xFFFF;
	h.dqpn = 99;
	inject(h, 4);
	run_for_ms(1);
	assert_int_equal(world.side[1].n_cqes, 0);
	assert_int_equal(world.n_frames, 0);
	assert_int_equal(roce_counters(world.side[1].roce)[ST_IP4_IN_DISCARDS], 3);
}

static void corrupt_one(struct world *w, u8 *frame, u32 len)
{
	if (!w->tapped[0]++)
		frame[len - 9] ^= 1;
}

static void test_corrupted_packet(void **state)
{
	struct wr w = write_of(5000);

	(void)state;
	fill_data(0, SRC, 5000);
	world.tap = corrupt_one;
	post_wr(0, 0, &w);
	run_until(0, 1);
	assert_memory_equal(data_ptr(1, DST), data_ptr(0, SRC), 5000);
	assert_int_equal(roce_counters(world.side[1].roce)[ST_ICRC_ERR], 1);
}

/* A READ response, well formed and sealed, of four bytes less than were asked for. */
static void shorten_response(struct world *w, u8 *frame, u32 len)
{
	u8 shorter[ROCE_OVERHEAD + MTU];
	struct roce_frame rf;
	u32 at;

	(void)w;
	if (roce_parse(frame, len, &rf) != ROCE_OK || !(roce_op_flags(rf.h.opcode) & OPF_PAYLOAD) ||
	    rf.h.opcode < RC_READ_FIRST)
		return;
	at = roce_build(shorter, &rf.path, &rf.h, rf.len - 4, 0);
	memcpy(shorter + at, rf.data, rf.len - 4);
	memcpy(frame, shorter, roce_seal(shorter, at, rf.len - 4));
}

static void short_response(u32 len)
{
	struct wr w = write_of(len);
	u32 idx;

	w.op = WQE_READ;
	world.tap = shorten_response;
	memset(data_ptr(0, SRC), 0xEE, len);
	idx = post_wr(0, 0, &w);
	expect_event(0, AE_RESPONSE_LENGTH, AE_SRC_SQ, idx);
	assert_int_equal(world.side[0].qp[0].state, QPS_ERROR);
	assert_int_equal(world.side[0].n_cqes, 0);
	for (u32 i = 0; i < len; i++)
		assert_int_equal(data_ptr(0, SRC)[i], 0xEE);
}

static void test_short_read_response(void **state)
{
	(void)state;
	short_response(100);
}

static void test_short_first_read_response(void **state)
{
	(void)state;
	short_response(3 * MTU);
}

/* A switch marks congestion: the receiver says so, the sender slows down. */
static void mark_ce(struct world *w, u8 *frame, u32 len)
{
	u8 *ip = frame + 14;
	u32 sum = 0;

	(void)w;
	(void)len;
	if (ip[1] & 3)
		return;
	ip[1] |= 3;
	put16(ip + 10, 0);
	for (u32 i = 0; i < 20; i += 2)
		sum += get16be(ip + i);
	while (sum >> 16)
		sum = (sum & 0xFFFF) + (sum >> 16);
	put16be(ip + 10, (u16)~sum);
}

static void test_congestion(void **state)
{
	struct wr w = write_of(60000);
	const u64 *tx = roce_counters(world.side[0].roce), *rx = roce_counters(world.side[1].roce);

	(void)state;
	fill_data(0, SRC, 60000);
	world.side[0].qp[0].ctx.dcqcn = world.side[1].qp[0].ctx.dcqcn = true;
	world.tap = mark_ce;
	post_wr(0, 0, &w);
	run_until(0, 1);
	assert_memory_equal(data_ptr(1, DST), data_ptr(0, SRC), 60000);
	assert_true(rx[ST_ECN_MARKED] >= 59);
	assert_true(rx[ST_CNP_SENT] >= 1);
	run_for_ms(1);
	assert_true(rx[ST_CNP_SENT] < rx[ST_ECN_MARKED]);
	assert_int_equal(tx[ST_CNP_HANDLED], rx[ST_CNP_SENT]);
	/* Without congestion control in the context the notice is counted and ignored. */
	world.side[0].qp[0].ctx.dcqcn = false;
	post_wr(0, 0, &w);
	run_until_count(0, ST_CNP_IGNORED, 1);
}

/* Violations: what a driver must not write. */
static void illegal(struct wr *w, u16 code, enum violation v)
{
	u32 idx = post_wr(0, 0, w);

	expect_event(0, code, AE_SRC_SQ, idx);
	expect_violation(0, v);
}

static void test_violation_opcode(void **state)
{
	struct wr w = { .op = 0x3C };

	(void)state;
	illegal(&w, AE_WQE_OPCODE, V_SQ_OPCODE);
}

static void test_violation_frags(void **state)
{
	struct wr w = write_of(1);

	(void)state;
	w.op = WQE_READ_INV;
	w.n_sge = 2;
	w.sge[1] = w.sge[0];
	illegal(&w, AE_WQE_PARAM, V_SQ_FRAGS);
}

static void test_violation_fifteen_frags(void **state)
{
	struct wr w = write_of(1);

	(void)state;
	w.n_sge = 15;
	illegal(&w, AE_WQE_PARAM, V_SQ_FRAGS);
}

static void test_violation_chunk(void **state)
{
	struct wr one = write_of(1), w = write_of(1);

	(void)state;
	post_wr(0, 0, &one);
	run_until(0, 1);
	/* Eight quanta that begin at the second one. */
	w.hdr_or = 14ull << 38;
	illegal(&w, AE_WQE_PARAM, V_SQ_CHUNK);
}

static void test_violation_polarity(void **state)
{
	struct wr w = write_of(1);

	(void)state;
	w.hdr_or = 2ull << 38;	/* two more fragments, of which no quantum is written */
	illegal(&w, AE_WQE_FRAGMENT, V_SQ_POLARITY);
}

static void test_violation_inline_polarity(void **state)
{
	struct wr w = write_of(1);

	(void)state;
	w.hdr_or = BIT(57) | 20ull << 48;	/* goes on in a quantum that is not written */
	illegal(&w, AE_WQE_FRAGMENT, V_SQ_POLARITY);
}

static void test_violation_inline(void **state)
{
	struct wr w = write_of(1);

	(void)state;
	w.hdr_or = BIT(57) | 217ull << 48;
	illegal(&w, AE_WQE_PARAM, V_SQ_INLINE);
}

static void test_violation_inline_read(void **state)
{
	struct wr w = write_of(1);

	(void)state;
	w.op = WQE_READ;
	w.hdr_or = BIT(57) | 8ull << 48;
	illegal(&w, AE_WQE_PARAM, V_SQ_INLINE);
}

static void test_violation_immediate(void **state)
{
	struct wr w = write_of(1);

	(void)state;
	w.op = WQE_SEND_INV;
	w.hdr_or = BIT(47);
	illegal(&w, AE_WQE_PARAM, V_SQ_IMMEDIATE);
}

/* @w has one bit where its opcode has no use for it: seen, and done all the same. */
static void unclean(struct wr w, u32 word, u64 bit)
{
	struct rdma_qp *qp = &world.side[0].qp[0];
	u8 *wqe = world.side[0].mem + SQ_AT + 8 * word;
	u64 before = violation_count(&world.side[0].nic, V_SQ_RESERVED);
	u32 done = world.side[0].n_cqes;

	w.flags = WR_SIGNALLED;
	qp->state = QPS_SQD;	/* the doorbell finds nothing to do */
	wqe += post_wr(0, 0, &w) * WQE_QUANTUM;
	put64(wqe, get64(wqe) ^ bit);
	qp->state = QPS_RTS;
	roce_doorbell(qp);
	run_until(0, done + 1);
	assert_int_equal(violation_count(&world.side[0].nic, V_SQ_RESERVED), before + 1);
}

static void test_violation_reserved(void **state)
{
	struct wr add = { .op = WQE_FETCH_ADD, .raddr = data_addr(DST), .stag = LKEY, .n_sge = 1,
			  .sge = { data_sge(SRC, 8) } };
	struct wr inlined = { .op = WQE_WRITE, .raddr = data_addr(DST), .stag = LKEY, .inl_len = 20,
			      .inl = (const u8 *)"twenty bytes of data" };

	(void)state;
	for (u32 word = 0; word < 3; word++)
		unclean((struct wr){ .op = WQE_NOP }, word, 1);
	for (u32 word = 5; word < 8; word++)
		unclean(add, word, 1);
	unclean(inlined, 7, BIT(56));
	assert_int_equal(world.side[0].n_aes, 0);
}

static void test_violation_length(void **state)
{
	struct wr w = write_of(0x7FFFFFFF);

	(void)state;
	w.n_sge = 2;
	w.sge[1] = data_sge(SRC, 1);
	illegal(&w, AE_WQE_PARAM, V_SQ_LENGTH);
}

static void test_violation_ring(void **state)
{
	(void)state;
	world.side[0].qp[0].sq.base = 0x50000000;
	roce_doorbell(&world.side[0].qp[0]);
	expect_event(0, AE_QP_CATASTROPHIC, AE_SRC_SQ, 0);
	expect_violation(0, V_SQ_RING);
}

static void test_violation_ord(void **state)
{
	struct wr w = write_of(1);

	(void)state;
	w.op = WQE_READ;
	world.side[0].qp[0].ctx.ord = 0;
	illegal(&w, AE_ORD_ZERO, V_SQ_ORD);
}

static void test_violation_arp(void **state)
{
	struct wr w = write_of(1);

	(void)state;
	world.side[0].arp_missing = true;
	illegal(&w, AE_BAD_ARP, V_ARP_INDEX);
}

static void test_violation_mtu(void **state)
{
	(void)state;
	make_qp(0, 1, QP_RC);
	world.side[0].qp[1].ctx.pmtu = 1000;
	set_state(0, 1, QPS_RTR);
	assert_int_equal(world.side[0].ae[0].code, AE_QP_CATASTROPHIC);
	assert_int_equal(world.side[0].qp[1].state, QPS_ERROR);
	expect_violation(0, V_QP_MTU);
}

/* @hdr, @word7: what stands in the receive WQE's header and last word of quantum 1. */
static void bad_receive(u64 hdr, u16 code, enum violation v)
{
	struct wr w = send_of(1);
	u8 *wqe = world.side[1].mem + RQ_AT;

	post_recv_of(100);
	put64(wqe + 24, get64(wqe + 24) | hdr);
	post_wr(0, 0, &w);
	expect_event(1, code, AE_SRC_RQ, 0);
	assert_int_equal(run_until_event(0, 1)->code, AE_REM_OPERATION);
	expect_violation(1, v);
}

static void test_violation_receive_frags(void **state)
{
	(void)state;
	bad_receive(15ull << 38, AE_WQE_PARAM, V_RQ_FRAGS);
}

static void test_violation_receive_reserved(void **state)
{
	struct wr w = send_of(1);
	u8 *wqe = world.side[1].mem + RQ_AT;

	(void)state;
	post_recv_of(100);
	put64(wqe + 24, get64(wqe + 24) | BIT(62));
	post_wr(0, 0, &w);
	run_until(1, 1);
	assert_int_equal(world.side[1].cqe[0].byte_len, 1);
	expect_violation(1, V_RQ_RESERVED);
}

/* The CQ of either end overflows in the midst of several requests. */
static void overflow(int side)
{
	struct wr w = send_of(100);
	struct sge recv = data_sge(DST, 100);

	for (u32 i = 0; i < 4; i++)
		post_recv(1, 0, &recv, 1);
	for (u32 i = 0; i < 4; i++)
		post_wr(0, 0, &w);
	world.side[side].cq_full = true;
	run_for_ms(100);
	assert_int_equal(world.side[side].n_cqes, 0);
	assert_int_equal(world.side[side].qp[0].state, QPS_ERROR);
	assert_int_equal(total_violations(), 0);
}

static void test_sender_cq_overflows(void **state)
{
	(void)state;
	overflow(0);
}

static void test_receiver_cq_overflows(void **state)
{
	(void)state;
	overflow(1);
}

static void test_violation_receive_polarity(void **state)
{
	(void)state;
	bad_receive(2ull << 38, AE_WQE_FRAGMENT, V_RQ_POLARITY);
}

#define PACKETS(test) cmocka_unit_test_setup_teardown(test, start_packets, world_stop)
#define BOTH(test) PACKETS(test), { #test "_shortcut", test, start_shortcut, world_stop, NULL }

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(test_write_bad_key),
		BOTH(test_write_out_of_bounds),
		BOTH(test_write_no_right),
		BOTH(test_read_no_right),
		BOTH(test_atomic_no_right),
		BOTH(test_atomic_unaligned),
		BOTH(test_zero_length_unchecked),
		BOTH(test_queue_pair_without_right),
		BOTH(test_read_depth_zero_at_peer),
		BOTH(test_send_too_long),
		BOTH(test_receive_bad_key),
		BOTH(test_receive_read_only),
		BOTH(test_receive_memory_gone),
		BOTH(test_invalidate_refused),
		PACKETS(test_read_region_gone_meanwhile),
		BOTH(test_local_bad_key),
		BOTH(test_local_read_sink_bad),
		BOTH(test_local_bounds_of_last_fragment),
		BOTH(test_local_memory_gone),
		BOTH(test_local_bind_refused),
		BOTH(test_local_fast_register_unprivileged),
		BOTH(test_local_invalidate_refused),
		BOTH(test_rnr_retries),
		PACKETS(test_peer_gone),
		BOTH(test_flush_after_error),
		BOTH(test_flush_taken_receive),
		BOTH(test_shared_receive_queue),
		BOTH(test_unusable_shared_receive_queue),
		BOTH(test_receive_ring_gone),
		BOTH(test_sender_cq_overflows),
		BOTH(test_receiver_cq_overflows),
		PACKETS(test_bad_sequences),
		PACKETS(test_write_length_lies),
		PACKETS(test_one_nak_per_gap),
		PACKETS(test_duplicate_send),
		PACKETS(test_duplicate_atomic),
		PACKETS(test_late_repetition_and_next_read),
		PACKETS(test_reads_beyond_the_depth),
		PACKETS(test_strangers_are_ignored),
		PACKETS(test_corrupted_packet),
		PACKETS(test_short_read_response),
		PACKETS(test_short_first_read_response),
		PACKETS(test_congestion),
		PACKETS(test_violation_opcode),
		PACKETS(test_violation_frags),
		PACKETS(test_violation_fifteen_frags),
		PACKETS(test_violation_chunk),
		PACKETS(test_violation_polarity),
		PACKETS(test_violation_inline_polarity),
		PACKETS(test_violation_inline),
		PACKETS(test_violation_inline_read),
		PACKETS(test_violation_immediate),
		PACKETS(test_violation_reserved),
		PACKETS(test_violation_length),
		PACKETS(test_violation_ring),
		PACKETS(test_violation_ord),
		PACKETS(test_violation_arp),
		PACKETS(test_violation_mtu),
		PACKETS(test_violation_receive_frags),
		PACKETS(test_violation_receive_polarity),
		PACKETS(test_violation_receive_reserved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
