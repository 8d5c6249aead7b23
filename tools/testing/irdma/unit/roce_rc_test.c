// SPDX-License-Identifier: GPL-2.0
/*
 * Reliable connections between two functions: every operation and size, by packets and
 * by the shortcut, and by packets over a wire that loses, repeats and reorders.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "roce_fake.h"

#define SRC 0x000000u
#define DST 0x200000u

static const u32 sizes[] = { 0, 1, 7, MTU - 1, MTU, MTU + 1, 2 * MTU, 65536, 1048576 };

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

/* Three fragments, odd lengths, when there is enough for them. */
static u32 split(struct sge *sge, u32 off, u32 len)
{
	if (len < 16) {
		sge[0] = data_sge(off, len);
		return 1;
	}
	sge[0] = data_sge(off, 5);
	sge[1] = data_sge(off + 5, len - 12);
	sge[2] = data_sge(off + len - 7, 7);
	return 3;
}

static void check_silence(void)
{
	assert_int_equal(total_violations(), 0);
	assert_int_equal(world.side[0].n_aes + world.side[1].n_aes, 0);
	assert_int_equal(world.side[0].qp[0].state, QPS_RTS);
	assert_int_equal(world.side[1].qp[0].state, QPS_RTS);
}

/* @from and @to: offsets into both sides' data, unaligned on purpose. */
static void one_send(u32 len, bool imm)
{
	u32 from = SRC + 3, to = DST + 1, tx = world.side[0].n_cqes, rx = world.side[1].n_cqes;
	struct wr w = { .op = WQE_SEND, .flags = WR_SIGNALLED, .has_imm = imm, .imm = 0xA1B2C3D4 };
	struct sge sge[3];

	fill_data(0, from, len);
	memset(data_ptr(1, to - 1), 0xEE, len + 2);
	post_recv(1, 0, sge, split(sge, to, len + 16));
	w.n_sge = split(w.sge, from, len);
	post_wr(0, 0, &w);
	run_until(0, tx + 1);
	run_until(1, rx + 1);
	expect_cqe(0, tx, WQE_SEND, true, 0);
	expect_cqe(1, rx, 0x3E, false, len);
	assert_int_equal(world.side[1].cqe[rx].has_imm, imm);
	if (imm)
		assert_int_equal(world.side[1].cqe[rx].imm, 0xA1B2C3D4);
	assert_memory_equal(data_ptr(1, to), data_ptr(0, from), len);
	assert_int_equal(data_ptr(1, to)[-1], 0xEE);
	assert_int_equal(data_ptr(1, to)[len], 0xEE);
}

static void one_write(u32 len, bool imm)
{
	u32 from = SRC + 1, to = DST + 2, tx = world.side[0].n_cqes, rx = world.side[1].n_cqes;
	struct wr w = { .op = WQE_WRITE, .flags = WR_SIGNALLED, .raddr = data_addr(to),
			.stag = LKEY, .has_imm = imm, .imm = 77 };

	fill_data(0, from, len);
	memset(data_ptr(1, to - 1), 0xEE, len + 2);
	if (imm)
		post_recv(1, 0, NULL, 0);
	w.n_sge = split(w.sge, from, len);
	post_wr(0, 0, &w);
	run_until(0, tx + 1);
	expect_cqe(0, tx, WQE_WRITE, true, 0);
	if (imm) {
		run_until(1, rx + 1);
		expect_cqe(1, rx, WQE_WRITE, false, len);
		assert_int_equal(world.side[1].cqe[rx].imm, 77);
	}
	assert_memory_equal(data_ptr(1, to), data_ptr(0, from), len);
	assert_int_equal(data_ptr(1, to)[-1], 0xEE);
	assert_int_equal(data_ptr(1, to)[len], 0xEE);
}

static void one_read(u32 len)
{
	u32 to = SRC + 1, from = DST + 3, tx = world.side[0].n_cqes;
	struct wr w = { .op = WQE_READ, .flags = WR_SIGNALLED, .raddr = data_addr(from),
			.stag = LKEY };

	fill_data(1, from, len);
	memset(data_ptr(0, to - 1), 0xEE, len + 2);
	w.n_sge = split(w.sge, to, len);
	post_wr(0, 0, &w);
	run_until(0, tx + 1);
	expect_cqe(0, tx, WQE_READ, true, 0);
	assert_memory_equal(data_ptr(0, to), data_ptr(1, from), len);
	assert_int_equal(data_ptr(0, to)[-1], 0xEE);
	assert_int_equal(data_ptr(0, to)[len], 0xEE);
}

static void test_every_size(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		one_send(sizes[i], false);
		one_send(sizes[i], true);
		one_write(sizes[i], false);
		one_write(sizes[i], true);
		one_read(sizes[i]);
	}
	check_silence();
}

static void test_shortcut_has_no_packets(void **state)
{
	test_every_size(state);
	assert_int_equal(world.n_frames, 0);
}

/* One of each, by packets or not. */
static void one_of_each(bool packets)
{
	u64 before = world.n_frames;

	one_write(5000, false);
	one_send(100, false);
	one_read(5000);
	assert_int_equal(world.n_frames > before, packets);
}

/* The shortcut goes when the wire can tell, in the middle of a connection, and comes back. */
static void test_shortcut_comes_and_goes(void **state)
{
	const struct wire_impair slow = { .delay_ns = 1 }, off = {};
	struct wire_port *port = world.side[1].nic.port;

	(void)state;
	one_of_each(false);
	wire_port_set_link(port, false);
	one_of_each(true);
	wire_port_set_link(port, true);
	one_of_each(false);
	wire_port_impair(port, &slow);
	one_of_each(true);
	wire_port_impair(port, &off);
	one_of_each(false);
	check_silence();
}

static void test_inline(void **state)
{
	static const u32 lens[] = { 0, 1, 8, 9, 39, 40, 101, 216 };
	u8 data[216];

	(void)state;
	for (u32 i = 0; i < sizeof(data); i++)
		data[i] = (u8)(i * 7 + 1);
	for (size_t i = 0; i < ARRAY_SIZE(lens); i++) {
		struct wr w = { .op = WQE_WRITE, .flags = WR_SIGNALLED, .inl = data,
				.inl_len = lens[i], .raddr = data_addr(DST), .stag = LKEY };

		memset(data_ptr(1, DST), 0, 256);
		post_wr(0, 0, &w);
		run_until(0, (u32)i + 1);
		assert_memory_equal(data_ptr(1, DST), data, lens[i]);
		assert_int_equal(data_ptr(1, DST)[lens[i]], 0);
	}
	check_silence();
}

static void test_fourteen_fragments(void **state)
{
	struct wr w = { .op = WQE_SEND, .flags = WR_SIGNALLED, .n_sge = 14, .has_imm = true };
	struct sge recv[14];

	(void)state;
	fill_data(0, SRC, 14 * 300);
	for (u32 i = 0; i < 14; i++) {
		w.sge[i] = data_sge(SRC + 300 * i, 300);
		recv[i] = data_sge(DST + 4096 * i, 301);
	}
	post_recv(1, 0, recv, 14);
	post_wr(0, 0, &w);
	run_until(1, 1);
	expect_cqe(1, 0, 0x3E, false, 4200);
	for (u32 i = 0; i < 14; i++)
		assert_memory_equal(data_ptr(1, DST + 4096 * i), data_ptr(0, SRC + 301 * i),
				    i < 13 ? 301 : 4200 - 13 * 301);
	check_silence();
}

static u64 atomic_once(u8 op, u64 swap, u64 compare)
{
	u32 tx = world.side[0].n_cqes;
	struct wr w = { .op = op, .flags = WR_SIGNALLED, .raddr = data_addr(DST), .stag = LKEY,
			.swap = swap, .compare = compare, .sge = { data_sge(SRC, 8) } };

	post_wr(0, 0, &w);
	run_until(0, tx + 1);
	expect_cqe(0, tx, op, true, 0);
	return get64(data_ptr(0, SRC));
}

static void test_atomics(void **state)
{
	(void)state;
	put64(data_ptr(1, DST), 0x1122334455667788);
	assert_int_equal(atomic_once(WQE_FETCH_ADD, 2, 0), 0x1122334455667788);
	assert_int_equal(get64(data_ptr(1, DST)), 0x112233445566778A);
	assert_int_equal(atomic_once(WQE_CMP_SWAP, 5, 99), 0x112233445566778A);
	assert_int_equal(get64(data_ptr(1, DST)), 0x112233445566778A);
	assert_int_equal(atomic_once(WQE_CMP_SWAP, 5, 0x112233445566778A), 0x112233445566778A);
	assert_int_equal(get64(data_ptr(1, DST)), 5);
	check_silence();
}

static void test_send_with_invalidate(void **state)
{
	struct wr w = { .op = WQE_SEND_INV_SOL, .flags = WR_SIGNALLED, .stag = 0x2000,
			.n_sge = 1, .sge = { data_sge(SRC, 10) } };
	struct sge recv = data_sge(DST, 10);
	struct rdma_mr *mr = add_mr(&world.side[1], 0x2000, 0, MEM_BASE, 100, ACC_REMOTE_READ);

	(void)state;
	post_recv(1, 0, &recv, 1);
	post_wr(0, 0, &w);
	run_until(1, 1);
	assert_true(world.side[1].cqe[0].has_inv);
	assert_int_equal(world.side[1].cqe[0].inv_stag, 0x2000);
	assert_true(world.side[1].cqe[0].solicited);
	assert_false(mr->valid);
	check_silence();
}

static void test_local_operations(void **state)
{
	struct rdma_mr *mr = add_mr(&world.side[0], 0x2000, 0, 0, 0, 0);
	struct wr bind = { .op = WQE_BIND, .flags = WR_SIGNALLED, .raddr = 4096,
			   .sge = { { data_addr(0), LKEY, 0x2005 } }, .n_sge = 1,
			   .hdr_or = 4ull << 48 | BIT(53) };
	struct wr inv = { .op = WQE_LOCAL_INV, .flags = WR_SIGNALLED, .n_sge = 1,
			  .sge = { { 0, 0, 0x2005 } } };
	struct wr nop = { .op = WQE_NOP, .flags = WR_SIGNALLED };

	(void)state;
	mr->valid = false;
	post_wr(0, 0, &bind);
	run_until(0, 1);
	expect_cqe(0, 0, WQE_BIND, true, 0);
	assert_true(mr->valid);
	assert_int_equal(mr->key, 5);
	assert_int_equal(mr->len, 4096);
	assert_int_equal(mr->access, ACC_REMOTE_READ);
	post_wr(0, 0, &inv);
	post_wr(0, 0, &nop);
	run_until(0, 3);
	expect_cqe(0, 1, WQE_LOCAL_INV, true, 0);
	expect_cqe(0, 2, WQE_NOP, true, 0);
	assert_false(mr->valid);
	check_silence();
}

/* A fast-registered key works for the WRITE behind it. */
static void test_fast_register(void **state)
{
	struct wr reg = { .op = WQE_FAST_REG, .flags = WR_SIGNALLED | WR_LOCAL_FENCE,
			  .stag = 0x2042, .raddr = 8192, .n_sge = 1,
			  .sge = { { 0x7000, (u32)(data_addr(SRC) >> 32),
				     (u32)data_addr(SRC) } },
			  .hdr_or = 3ull << 48 | BIT(53) };
	struct wr write = { .op = WQE_WRITE, .flags = WR_SIGNALLED, .raddr = data_addr(DST),
			    .stag = LKEY, .n_sge = 1, .sge = { { 0x7010, 3000, 0x2042 } } };

	(void)state;
	add_mr(&world.side[0], 0x2000, 0, 0, 0, 0);
	world.side[0].mr[1].valid = false;
	fill_data(0, SRC, 8192);
	post_wr(0, 0, &reg);
	post_wr(0, 0, &write);
	run_until(0, 2);
	expect_cqe(0, 0, WQE_FAST_REG, true, 0);
	assert_memory_equal(data_ptr(1, DST), data_ptr(0, SRC + 0x10), 3000);
	check_silence();
}

static void test_read_with_invalidate(void **state)
{
	struct rdma_mr *mr = add_mr(&world.side[0], 0x2000, data_addr(SRC), data_addr(SRC), 4096,
				    ACC_LOCAL_READ | ACC_LOCAL_WRITE);
	struct wr w = { .op = WQE_READ_INV, .flags = WR_SIGNALLED, .raddr = data_addr(DST),
			.stag = LKEY, .n_sge = 1, .sge = { { data_addr(SRC), 3000, 0x2000 } } };

	(void)state;
	fill_data(1, DST, 3000);
	post_wr(0, 0, &w);
	run_until(0, 1);
	expect_cqe(0, 0, WQE_READ_INV, true, 0);
	assert_memory_equal(data_ptr(0, SRC), data_ptr(1, DST), 3000);
	assert_false(mr->valid);
	check_silence();
}

static void test_unsignalled(void **state)
{
	struct wr w = { .op = WQE_WRITE, .raddr = data_addr(DST), .stag = LKEY, .n_sge = 1,
			.sge = { data_sge(SRC, 100) } };

	(void)state;
	for (int i = 0; i < 9; i++)
		post_wr(0, 0, &w);
	w.flags = WR_SIGNALLED;
	post_wr(0, 0, &w);
	run_until(0, 1);
	run_for_ms(2);
	assert_int_equal(world.side[0].n_cqes, 1);
	assert_int_equal(world.side[0].cqe[0].wqe_idx, 9);
	check_silence();
}

/* The receiver is late: the sender waits and tries again until the buffer is there. */
static void test_receiver_not_ready(void **state)
{
	struct wr w = { .op = WQE_SEND, .flags = WR_SIGNALLED, .n_sge = 1,
			.sge = { data_sge(SRC, 3000) } };
	struct sge recv = data_sge(DST, 3000);

	(void)state;
	fill_data(0, SRC, 3000);
	post_wr(0, 0, &w);
	run_until_count(0, ST_RNR_RECEIVED, 3);
	assert_int_equal(world.side[0].n_cqes, 0);
	assert_true(roce_counters(world.side[1].roce)[ST_RNR_SENT] >= 3);
	post_recv(1, 0, &recv, 1);
	run_until(0, 1);
	run_until(1, 1);
	assert_memory_equal(data_ptr(1, DST), data_ptr(0, SRC), 3000);
	check_silence();
}

/* At most ctx.ord READs are on their way; a fence lets none be. */
static u32 reads_out, reads_out_max, sends_early;

static void watch_reads(struct world *w, u8 *frame, u32 len)
{
	struct roce_frame rf;

	(void)w;
	assert_int_equal(roce_parse(frame, len, &rf), ROCE_OK);
	if (rf.h.opcode == RC_READ_REQUEST)
		reads_out++;
	if (rf.h.opcode == RC_READ_ONLY)
		reads_out--;
	if (rf.h.opcode == RC_SEND_ONLY && reads_out)
		sends_early++;
	if (reads_out > reads_out_max)
		reads_out_max = reads_out;
}

static void test_read_depth_and_fence(void **state)
{
	struct wr rd = { .op = WQE_READ, .flags = WR_SIGNALLED, .raddr = data_addr(DST),
			 .stag = LKEY, .n_sge = 1, .sge = { data_sge(SRC, 64) } };
	struct wr send = { .op = WQE_SEND, .flags = WR_SIGNALLED | WR_READ_FENCE, .n_sge = 1,
			   .sge = { data_sge(SRC, 64) } };
	struct sge recv = data_sge(DST + 8192, 64);

	(void)state;
	reads_out = reads_out_max = sends_early = 0;
	world.tap = watch_reads;
	post_recv(1, 0, &recv, 1);
	for (int i = 0; i < 20; i++)
		post_wr(0, 0, &rd);
	post_wr(0, 0, &send);
	run_until(0, 21);
	assert_int_equal(reads_out_max, 4);
	assert_int_equal(sends_early, 0);
	assert_true(roce_counters(world.side[0].roce)[ST_ORD_LIMIT] > 0);
	check_silence();
}

/* Many requests of all kinds at once; each ends once, all bytes arrive. */
#define STORM 120u

static void storm_post(u32 i)
{
	u32 len = world_random() % 4000, slot = i * 4096;
	struct wr w = { .flags = WR_SIGNALLED, .n_sge = 1, .sge = { data_sge(SRC + slot, len) },
			.raddr = data_addr(DST + slot), .stag = LKEY };
	struct sge recv = data_sge(DST + slot, 4096);

	switch (i % 4) {
	case 0:
		w.op = WQE_SEND;
		w.stag = 0;
		w.raddr = 0;
		post_recv(1, 0, &recv, 1);
		break;
	case 1:
		w.op = WQE_WRITE;
		break;
	case 2:
		w.op = WQE_READ;
		break;
	case 3:
		w.op = WQE_FETCH_ADD;
		w.swap = 1;
		w.raddr = data_addr(DST + 3 * 4096);
		break;
	}
	post_wr(0, 0, &w);
}

static void storm(u64 seed, struct impair_rates rates)
{
	u8 *expect = malloc(STORM * 4096);

	world.rng = seed;
	world.rates = rates;
	world.side[0].qp[0].ctx.ack_timeout = 10;
	fill_data(0, SRC, STORM * 4096);
	fill_data(1, DST, STORM * 4096);
	put64(data_ptr(1, DST + 3 * 4096), 1000);
	memcpy(expect, data_ptr(1, DST), STORM * 4096);
	for (u32 i = 0; i < STORM; i++)
		storm_post(i);
	run_until(0, STORM);
	run_until(1, STORM / 4);
	run_for_ms(1);
	assert_int_equal(world.side[0].n_cqes, STORM);
	assert_int_equal(world.side[1].n_cqes, STORM / 4);
	for (u32 i = 0; i < STORM; i++) {
		const struct cqe *c = &world.side[0].cqe[i];
		u32 len = get32(world.side[0].mem + 32 * c->wqe_idx + 12) & 0x7FFFFFFF;
		u8 *src = data_ptr(0, SRC + i * 4096), *dst = data_ptr(1, DST + i * 4096);

		assert_false(c->error);
		if (i % 4 == 3)
			assert_int_equal(get64(src), 1000 + i / 4);
		else
			assert_memory_equal(src, dst, len);
		if (i % 4 == 2)
			assert_memory_equal(dst, expect + i * 4096, 4096);
	}
	assert_int_equal(get64(data_ptr(1, DST + 3 * 4096)), 1000 + STORM / 4);
	free(expect);
	check_silence();
}

static void test_storm(void **state)
{
	(void)state;
	storm(1, (struct impair_rates){ 0, 0, 0 });
}

static void test_storm_bad_wire(void **state)
{
	static const struct impair_rates rates[] = {
		{ 50000, 0, 0 }, { 0, 100000, 0 }, { 0, 0, 100000 }, { 50000, 50000, 50000 },
		{ 200000, 100000, 200000 },
	};

	for (u64 seed = 1; seed <= 4; seed++)
		for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
			world_stop(state);
			start_packets(state);
			storm(seed, rates[i]);
		}
}

static void test_many_qps(void **state)
{
	struct wr w = { .op = WQE_WRITE, .flags = WR_SIGNALLED, .n_sge = 1, .stag = LKEY };

	(void)state;
	for (u32 n = 1; n < QPS; n++)
		connect_qps(n);
	fill_data(0, SRC, 0x200000);
	for (u32 n = 0; n < QPS; n++) {
		w.sge[0] = data_sge(SRC + 0x80000 * n, 0x7FFFF);
		w.raddr = data_addr(DST + 0x80000 * n);
		post_wr(0, n, &w);
	}
	run_until(0, QPS);
	for (u32 n = 0; n < QPS; n++)
		assert_memory_equal(data_ptr(1, DST + 0x80000 * n), data_ptr(0, SRC + 0x80000 * n),
				    0x7FFFF);
	check_silence();
}

/* The SQ wraps several times; the valid bit changes its meaning each time. */
static void test_ring_wrap(void **state)
{
	struct wr w = { .op = WQE_WRITE, .flags = WR_SIGNALLED, .n_sge = 3, .stag = LKEY,
			.raddr = data_addr(DST) };

	(void)state;
	for (u32 i = 0; i < 1500; i++) {
		w.n_sge = 1 + i % 3;
		for (u32 k = 0; k < w.n_sge; k++)
			w.sge[k] = data_sge(SRC, 10);
		post_wr(0, 0, &w);
		run_until(0, i + 1);
	}
	check_silence();
}

/* What is in flight was numbered by the path MTU at the transition to RTR. */
static void test_path_mtu_of_a_live_queue_pair(void **state)
{
	struct wr w = { .op = WQE_WRITE, .flags = WR_SIGNALLED, .n_sge = 1, .stag = LKEY,
			.raddr = data_addr(DST), .sge = { data_sge(SRC, 300000) } };

	(void)state;
	fill_data(0, SRC, 300000);
	for (u32 i = 0; i < 2; i++) {
		post_wr(0, 0, &w);
		world_step();
		for (int side = 0; side < 2; side++) {
			world.side[side].qp[0].ctx.pmtu = i ? 256 : 4096;
			roce_qp_modified(&world.side[side].qp[0], QPS_RTS);
		}
		run_until(0, i + 1);
		assert_memory_equal(data_ptr(1, DST), data_ptr(0, SRC), 300000);
		w.op = WQE_READ;
		memset(data_ptr(0, SRC), 0, 300000);
	}
	check_silence();
}

/* More bytes than there is room for: refused, and nothing is looked for behind the spans. */
static void test_payload_beyond_its_spans(void **state)
{
	struct rdma_mr *mr = &world.side[0].mr[0];
	struct span room[2] = { { mr, data_addr(DST), 10 }, { mr, data_addr(DST + 64), 20 } };
	struct span *dst = malloc(sizeof(room));
	u8 bytes[31] = { 0 };
	struct payload p = { .len = sizeof(bytes), .bytes = bytes };

	(void)state;
	memcpy(dst, room, sizeof(room));
	assert_false(payload_place(&p, dst, 2));
	p = (struct payload){ .len = 31, .n = 1, .span = { { mr, data_addr(SRC), 31 } } };
	assert_false(payload_place(&p, dst, 2));
	p.len = p.span[0].len = 30;
	assert_true(payload_place(&p, dst, 2));
	free(dst);
}

/*
 * The longest message in the smallest packets takes half of all PSNs. Its memory on
 * either side is the same few pages over and over.
 */
#define LONG_VA		0x100000000ull
#define LONG_BYTES	(1ull << 31)
#define LONG_PAGES	(1u << 20)	/* bytes that repeat */
#define LONG_KEY	0x2000u
#define HALF_A_READ	(1u << 22)	/* PSNs after which a READ is asked for anew */

static u8 *long_mem[2];

static u8 *repeated_pages(void)
{
	int fd = memfd_create("pages", 0);
	u8 *mem = mmap(NULL, LONG_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		       -1, 0);

	assert_true(fd >= 0 && mem != MAP_FAILED && !ftruncate(fd, LONG_PAGES));
	for (u64 at = 0; at < LONG_BYTES; at += LONG_PAGES)
		assert_true(mmap(mem + at, LONG_PAGES, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_FIXED, fd, 0) == mem + at);
	close(fd);
	return mem;
}

static int start_long(void **state)
{
	world_start(state);
	for (int side = 0; side < 2; side++) {
		struct rdma *r = &world.side[side];

		r->nic.cfg.shortcut = true;
		make_qp(side, 0, QP_RC);
		r->qp[0].ctx.pmtu = 256;
		r->qp[0].ctx.ack_timeout = 10;
		set_state(side, 0, QPS_RTR);
		set_state(side, 0, QPS_RTS);
		long_mem[side] = repeated_pages();
		assert_int_equal(dma_map_mem(r->nic.dma, LONG_VA, LONG_BYTES, long_mem[side],
					     DMA_PROT_READ | DMA_PROT_WRITE), 0);
		add_mr(r, LONG_KEY, LONG_VA, LONG_VA, LONG_BYTES, r->mr[0].access);
	}
	return 0;
}

static int stop_long(void **state)
{
	world_stop(state);
	return munmap(long_mem[0], LONG_BYTES) || munmap(long_mem[1], LONG_BYTES);
}

static struct wr long_wr(u8 op)
{
	return (struct wr){ .op = op, .flags = WR_SIGNALLED, .raddr = LONG_VA, .stag = LONG_KEY,
			    .n_sge = 1, .sge = { { LONG_VA, LONG_BYTES - 1, LONG_KEY } } };
}

/* How many PSNs of the oldest request are done. */
static u32 psns_done(void)
{
	const struct requester *rq = &world.side[0].qp[0].roce->req;

	return rq->count ? rq->rec[rq->head].n_answered : 0;
}

/* Until so many are, or the request ended. */
static void run_until_psns(u32 n)
{
	u64 end = loop_now(world.loop) + 60000000000ull;

	while (psns_done() < n && !world.side[0].n_cqes && !world.side[0].n_aes &&
	       loop_now(world.loop) < end)
		world_step();
	assert_true(psns_done() >= n || world.side[0].n_cqes);
}

static void run_long(void)
{
	run_until_psns(UINT32_MAX);
	expect_cqe(0, 0, world.side[0].cqe[0].op, true, 0);
	assert_memory_equal(long_mem[0], long_mem[1], LONG_PAGES);
	check_silence();
}

static void test_longest_write(void **state)
{
	struct wr w = long_wr(WQE_WRITE);

	(void)state;
	for (u32 i = 0; i < LONG_PAGES; i++)
		long_mem[0][i] = (u8)(i * 7 + i / 256);
	post_wr(0, 0, &w);
	run_long();
}

/* Around the end of the first piece by packets that get lost. */
static void test_longest_read(void **state)
{
	struct wr w = long_wr(WQE_READ);

	(void)state;
	for (u32 i = 0; i < LONG_PAGES; i++)
		long_mem[1][i] = (u8)(i * 5 + i / 256);
	post_wr(0, 0, &w);
	run_until_psns(HALF_A_READ - 50000);
	assert_true(psns_done() < HALF_A_READ);
	world.side[0].nic.cfg.shortcut = false;
	world.side[1].nic.cfg.shortcut = false;
	world.rates = (struct impair_rates){ 1000, 1000, 1000 };
	run_until_psns(HALF_A_READ + 200);
	assert_true(world.n_lost);
	world.side[0].nic.cfg.shortcut = true;
	world.side[1].nic.cfg.shortcut = true;
	run_long();
}

static void test_drain(void **state)
{
	struct wr w = { .op = WQE_WRITE, .flags = WR_SIGNALLED, .n_sge = 1, .stag = LKEY,
			.raddr = data_addr(DST), .sge = { data_sge(SRC, 100000) } };

	(void)state;
	for (int i = 0; i < 3; i++)
		post_wr(0, 0, &w);
	world_step();
	set_state(0, 0, QPS_SQD);
	roce_drain(&world.side[0].qp[0]);
	assert_int_equal(run_until_event(0, 1)->code, AE_SQ_DRAINED);
	assert_true(world.side[0].ae[0].qp_state <= QPS_RTS);
	assert_int_equal(world.side[0].n_cqes, 1);
	run_for_ms(2);
	assert_int_equal(world.side[0].n_cqes, 1);
	set_state(0, 0, QPS_RTS);
	run_until(0, 3);
	assert_int_equal(world.side[0].n_aes, 1);
}

/* IPv6 with a VLAN; a packet of another VLAN is not ours. */
static void test_ipv6_and_vlan(void **state)
{
	(void)state;
	for (int side = 0; side < 2; side++) {
		struct qp_ctx *ctx = &world.side[side].qp[0].ctx;

		ctx->ipv4 = false;
		ctx->insert_vlan = true;
		ctx->vlan_tag = (u16)(side << 13 | 0x123);
		memcpy(ctx->sip, (u8[16]){ 0xFE, 0x80, [15] = (u8)(side + 1) }, 16);
		memcpy(ctx->dip, (u8[16]){ 0xFE, 0x80, [15] = (u8)(2 - side) }, 16);
	}
	test_every_size(state);
	if (world.side[0].nic.cfg.shortcut)
		return;
	assert_true(roce_counters(world.side[1].roce)[ST_IP6_IN_PKTS] > 0);
	assert_int_equal(roce_counters(world.side[1].roce)[ST_IP4_IN_PKTS], 0);
	world.side[1].qp[0].ctx.vlan_tag = 0x124;
	post_wr(0, 0, &(struct wr){ .op = WQE_WRITE, .raddr = data_addr(DST), .stag = LKEY,
				    .n_sge = 1, .sge = { data_sge(SRC, 4) } });
	run_until_count(1, ST_RX_VLAN_ERR, 1);
	assert_int_equal(roce_counters(world.side[1].roce)[ST_IP6_IN_DISCARDS], 1);
}

static void knob(int side, const char *spec)
{
	char err[128];

	assert_int_equal(fault_add(world.side[side].nic.faults, spec, err, sizeof(err)), 0);
}

/* Fault knobs: the transport gets over each, with what it counts for it. */
static void test_fault_packets(void **state)
{
	(void)state;
	knob(0, "roce-packet:7,drop,nth=2");	/* WRITE middle */
	one_write(10 * MTU, false);
	assert_int_equal(roce_counters(world.side[0].roce)[ST_NAK_SEQ_ERR], 1);
	knob(1, "roce-packet:14,value=1");	/* READ response middle */
	one_read(10 * MTU);
	assert_int_equal(roce_counters(world.side[0].roce)[ST_ICRC_ERR], 1);
	assert_true(roce_counters(world.side[0].roce)[ST_NAK_SEQ_ERR_IMPLIED] > 0);
	knob(0, "roce-packet:4,dup");
	one_send(100, false);
	check_silence();
	assert_int_equal(world.side[1].n_cqes, 1);
}

static void test_fault_push(void **state)
{
	(void)state;
	knob(0, "push-dropped:17,drop");	/* another queue pair's */
	knob(0, "push-dropped:16,drop,nth=2");
	for (u32 i = 0; i < 3; i++) {
		one_write(100, false);
		assert_int_equal(world.side[0].cqe[i].push_dropped, i == 1);
	}
	one_send(100, false);
	assert_false(world.side[1].cqe[0].push_dropped);
	check_silence();
}

static void test_fault_requests(void **state)
{
	struct wr w = { .op = WQE_WRITE, .flags = WR_SIGNALLED, .raddr = data_addr(DST),
			.stag = LKEY, .n_sge = 1, .sge = { data_sge(SRC, 4) } };

	(void)state;
	knob(1, "roce-request:10,fail=0x22,count=2");	/* RNR twice */
	one_write(4, false);
	assert_int_equal(roce_counters(world.side[0].roce)[ST_RNR_RECEIVED], 2);
	check_silence();
	knob(1, "roce-request:10,fail=0x63");
	post_wr(0, 0, &w);
	expect_event(1, AE_REM_OPERATION, AE_SRC_IN_RR_WR, 0);
	assert_int_equal(run_until_event(0, 1)->code, AE_REM_OPERATION);
}

#define BOTH(test) \
	cmocka_unit_test_setup_teardown(test, start_packets, world_stop), \
	{ #test "_shortcut", test, start_shortcut, world_stop, NULL }

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_every_size, start_packets, world_stop),
		cmocka_unit_test_setup_teardown(test_shortcut_has_no_packets, start_shortcut,
						world_stop),
		cmocka_unit_test_setup_teardown(test_shortcut_comes_and_goes, start_shortcut,
						world_stop),
		BOTH(test_ipv6_and_vlan),
		BOTH(test_fault_push),
		BOTH(test_fault_requests),
		cmocka_unit_test_setup_teardown(test_fault_packets, start_packets, world_stop),
		BOTH(test_inline),
		BOTH(test_fourteen_fragments),
		BOTH(test_atomics),
		BOTH(test_send_with_invalidate),
		BOTH(test_local_operations),
		BOTH(test_fast_register),
		BOTH(test_read_with_invalidate),
		BOTH(test_unsignalled),
		BOTH(test_receiver_not_ready),
		BOTH(test_storm),
		BOTH(test_many_qps),
		BOTH(test_path_mtu_of_a_live_queue_pair),
		BOTH(test_ring_wrap),
		cmocka_unit_test_setup_teardown(test_read_depth_and_fence, start_packets,
						world_stop),
		cmocka_unit_test_setup_teardown(test_storm_bad_wire, start_packets, world_stop),
		cmocka_unit_test_setup_teardown(test_payload_beyond_its_spans, start_packets,
						world_stop),
		cmocka_unit_test_setup_teardown(test_longest_write, start_long, stop_long),
		cmocka_unit_test_setup_teardown(test_longest_read, start_long, stop_long),
		cmocka_unit_test_setup_teardown(test_drain, start_packets, world_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
