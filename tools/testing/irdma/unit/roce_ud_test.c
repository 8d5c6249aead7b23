// SPDX-License-Identifier: GPL-2.0
/* Datagrams: addresses, the 40-byte area, Q_Keys, the GSI queue pair, groups. */
#include "roce_fake.h"

#define SRC	0x000000u
#define DST	0x200000u
#define QKEY	0x11111111u
#define AH	5u

static void make_ah(bool ipv4)
{
	struct rdma_ah *ah = &world.side[0].ah;

	*ah = (struct rdma_ah){ .id = AH, .pd = PD, .smac = { 2, 0, 0, 0, 0, 1 }, .arp_idx = 1,
				.ipv4 = ipv4, .tos = 0x20, .ttl = 9, .flow_label = 0x12345 };
	if (ipv4) {
		memcpy(ah->sip, world.side[0].qp[0].ctx.sip, 16);
		memcpy(ah->dip, world.side[0].qp[0].ctx.dip, 16);
	} else {
		memcpy(ah->sip, (u8[16]){ 0xFE, 0x80, [15] = 1 }, 16);
		memcpy(ah->dip, (u8[16]){ 0xFE, 0x80, [15] = 2 }, 16);
	}
}

static int start(void **state)
{
	world_start(state);
	for (int side = 0; side < 2; side++) {
		make_qp(side, 0, QP_UD);
		set_state(side, 0, QPS_RTR);
		set_state(side, 0, QPS_RTS);
	}
	make_ah(true);
	return 0;
}

static struct wr datagram(u32 len)
{
	return (struct wr){ .op = WQE_SEND, .flags = WR_SIGNALLED, .stag = AH,
			    .w2 = QKEY | 16ull << 32, .n_sge = 1, .sge = { data_sge(SRC, len) } };
}

static void recv_at(u32 off, u32 len)
{
	struct sge recv = data_sge(off, len);

	post_recv(1, 0, &recv, 1);
}

static void test_ipv4(void **state)
{
	struct wr w = datagram(500);
	const struct cqe *c = &world.side[1].cqe[0];
	const u8 *grh = data_ptr(1, DST);

	(void)state;
	fill_data(0, SRC, 500);
	memset(data_ptr(1, DST), 0xEE, 600);
	recv_at(DST, 540);
	w.op = WQE_SEND_SOL;
	w.has_imm = true;
	w.imm = 0x01020304;
	post_wr(0, 0, &w);
	run_until(0, 1);
	run_until(1, 1);
	expect_cqe(1, 0, 0x3E, false, 540);
	assert_true(c->ipv4);
	assert_true(c->solicited);
	assert_true(c->has_imm);
	assert_int_equal(c->imm, 0x01020304);
	assert_int_equal(c->ud_src_qpn, 16);
	assert_true(c->smac_valid);
	assert_memory_equal(c->smac, ((u8[6]){ 2, 0, 0, 0, 0, 1 }), 6);
	assert_false(c->vlan_valid);
	/* Zeros, then the IPv4 header with its checksum. */
	for (int i = 0; i < 20; i++)
		assert_int_equal(grh[i], 0);
	assert_int_equal(grh[20], 0x45);
	assert_int_equal(grh[21], 0x20);
	assert_int_equal(grh[28], 9);
	assert_memory_equal(grh + 32, ((u8[8]){ 10, 0, 0, 1, 10, 0, 0, 2 }), 8);
	assert_memory_equal(grh + 40, data_ptr(0, SRC), 500);
	assert_int_equal(grh[540], 0xEE);
}

static void test_ipv6_and_vlan(void **state)
{
	struct wr w = datagram(7);
	const u8 *grh = data_ptr(1, DST);

	(void)state;
	make_ah(false);
	world.side[0].ah.insert_vlan = true;
	world.side[0].ah.vlan_tag = 0x600A;
	recv_at(DST, 100);
	post_wr(0, 0, &w);
	run_until(1, 1);
	expect_cqe(1, 0, 0x3E, false, 47);
	assert_false(world.side[1].cqe[0].ipv4);
	assert_true(world.side[1].cqe[0].vlan_valid);
	assert_int_equal(world.side[1].cqe[0].vlan, 0x600A);
	assert_int_equal(get32be(grh), 0x62012345);
	assert_int_equal(grh[6], 17);
	assert_int_equal(grh[7], 9);
	assert_memory_equal(grh + 8, world.side[0].ah.sip, 16);
	assert_memory_equal(grh + 24, world.side[0].ah.dip, 16);
}

/* Dropped in silence: the sender has its completion, the receive is kept. */
static void dropped(const struct wr *w)
{
	u64 before = roce_counters(world.side[1].roce)[ST_IP4_IN_DISCARDS];
	u32 done = world.side[0].n_cqes;

	post_wr(0, 0, w);
	run_until(0, done + 1);
	run_until_count(1, ST_IP4_IN_DISCARDS, before + 1);
	assert_int_equal(world.side[1].n_cqes, 0);
	assert_int_equal(world.side[1].n_aes, 0);
}

static void test_drops(void **state)
{
	struct wr w = datagram(100);

	(void)state;
	dropped(&w);			/* no receive */
	recv_at(DST, 139);
	dropped(&w);			/* no room */
	w.w2 = (QKEY + 1) | 16ull << 32;
	w.sge[0].len = 99;
	dropped(&w);			/* Q_Key */
	w.w2 = QKEY | 17ull << 32;
	dropped(&w);			/* no such queue pair */
	w.w2 = QKEY | 16ull << 32;
	post_wr(0, 0, &w);
	run_until(1, 1);
	expect_cqe(1, 0, 0x3E, false, 139);
}

static void test_gsi(void **state)
{
	struct wr w = datagram(256);

	(void)state;
	world.side[0].qp[0].qpn = world.side[1].qp[0].qpn = 1;
	w.w2 = QKEY | 1ull << 32;
	recv_at(DST, 296);
	dropped(&w);
	w.w2 = 0x80010000 | 1ull << 32;
	post_wr(0, 0, &w);
	run_until(1, 1);
	assert_int_equal(world.side[1].cqe[0].ud_src_qpn, 1);
	/* The high bit stands for the queue pair's own Q_Key; the context's P_Key is not asked. */
	recv_at(DST, 296);
	w.w2 = 0x80000000 | 1ull << 32;
	world.side[0].qp[0].ctx.pkey = world.side[1].qp[0].ctx.pkey = 0;
	post_wr(0, 0, &w);
	run_until(1, 2);
}

static void test_group(void **state)
{
	struct sge at[2] = { data_sge(DST, 200), data_sge(DST + 4096, 200) };
	struct sge own = data_sge(DST, 200);
	struct wr w = datagram(100);
	u8 group[16] = { [10] = 0xFF, [11] = 0xFF, 239, 1, 2, 3 };

	(void)state;
	make_qp(1, 1, QP_UD);
	set_state(1, 1, QPS_RTR);
	memcpy(world.side[0].ah.dip, group, 16);
	world.side[0].ah.arp_idx = 2;
	world.side[0].ah.loopback = true;
	world.side[0].n_mcast = 1;
	world.side[0].mcast[0] = 16;
	world.side[1].n_mcast = 2;
	world.side[1].mcast[0] = 16;
	world.side[1].mcast[1] = 17;
	fill_data(0, SRC, 100);
	post_recv(0, 0, &own, 1);
	post_recv(1, 0, &at[0], 1);
	post_recv(1, 1, &at[1], 1);
	w.w2 = QKEY | (u64)ROCE_QPN_MCAST << 32;
	post_wr(0, 0, &w);
	run_until(0, 2);
	run_until(1, 2);
	assert_memory_equal(data_ptr(1, DST + 40), data_ptr(0, SRC), 100);
	assert_memory_equal(data_ptr(1, DST + 4096 + 40), data_ptr(0, SRC), 100);
	assert_memory_equal(data_ptr(0, DST + 40), data_ptr(0, SRC), 100);
	assert_int_equal(roce_counters(world.side[1].roce)[ST_IP4_IN_MC_PKTS], 1);
}

static void refused(struct wr *w, u16 code, enum violation v)
{
	u32 idx = post_wr(0, 0, w);

	expect_event(0, code, AE_SRC_SQ, idx);
	assert_int_equal(world.n_frames, 0);
	expect_violation(0, v);
}

static void test_violation_handle(void **state)
{
	struct wr w = datagram(10);

	(void)state;
	w.stag = AH + 1;
	refused(&w, AE_BAD_AH, V_UD_AH);
}

static void test_violation_pd(void **state)
{
	struct wr w = datagram(10);

	(void)state;
	world.side[0].ah.pd++;
	refused(&w, AE_UD_PD, V_UD_PD);
}

static void test_violation_length(void **state)
{
	struct wr w = datagram(MTU + 1);

	(void)state;
	refused(&w, AE_UD_TOO_LONG, V_UD_LENGTH);
}

static void test_violation_opcode(void **state)
{
	struct wr w = datagram(10);

	(void)state;
	w.op = WQE_WRITE;
	refused(&w, AE_WQE_OPCODE, V_SQ_OPCODE);
}

static void test_local_bad_key(void **state)
{
	struct wr w = datagram(10);

	(void)state;
	w.sge[0].stag++;
	post_wr(0, 0, &w);
	expect_event(0, 0x0106, AE_SRC_SQ, 0);
}

static void test_receive_bad_key(void **state)
{
	struct sge recv = { data_addr(DST), 100, LKEY + 1 };
	struct wr w = datagram(10);

	(void)state;
	post_recv(1, 0, &recv, 1);
	post_wr(0, 0, &w);
	expect_event(1, 0x0106, AE_SRC_RQ, 0);
	assert_int_equal(world.side[0].n_aes, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, world_stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_ipv4),
		TEST(test_ipv6_and_vlan),
		TEST(test_drops),
		TEST(test_gsi),
		TEST(test_group),
		TEST(test_violation_handle),
		TEST(test_violation_pd),
		TEST(test_violation_length),
		TEST(test_violation_opcode),
		TEST(test_local_bad_key),
		TEST(test_receive_bad_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
