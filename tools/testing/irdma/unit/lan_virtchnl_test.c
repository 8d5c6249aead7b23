// SPDX-License-Identifier: GPL-2.0
/* virtchnl2: what is answered, and what is refused. */
#include "lan_driver.h"

static void others_live(void)
{
	demand_tx(1);
	demand_rx();
}

/* Refused with @status; everything that was set up still moves data. */
#define refused(kind, status, call) do {			\
	provoke(kind, assert_int_equal(call, status));		\
	others_live();						\
} while (0)

static void capabilities(void **state)
{
	struct vc_version version = { .major = 2 };
	struct vc_caps caps = { .other_caps = ~0ull, .csum_caps = ~0u, .rss_caps = 0xff };

	(void)state;
	mailbox_up();
	must(VC_VERSION, &version, sizeof(version));
	must(VC_GET_CAPS, &caps, sizeof(caps));
	assert_int_equal(drv.answer_len, 80);
	assert_int_equal(get32(drv.answer), 0);
	assert_int_equal(get64(drv.answer + 16), 0xff);
	assert_int_equal(get64(drv.answer + 24), 0x400105);
	assert_int_equal(get32(drv.answer + 32), 0x08900000);
	assert_int_equal(get16(drv.answer + 38), VECTORS);
	assert_int_equal(get16(drv.answer + 40), PAIRS);
	assert_int_equal(get16(drv.answer + 44), 2 * PAIRS);
	assert_int_equal(get16(drv.answer + 50), 1);
	assert_int_equal(drv.answer[56], 10);
	assert_int_equal(get16(drv.answer + 70), 2);
	caps.other_caps = 0x4;
	must(VC_GET_CAPS, &caps, sizeof(caps));
	assert_int_equal(get64(drv.answer + 24), 0x4);
	assert_int_equal(get16(drv.answer + 70), 0);
}

static void regions_leave_the_windows_out(void **state)
{
	u8 msg[24] = { 1 };

	(void)state;
	must(VC_GET_REGIONS, msg, sizeof(msg));
	assert_true(get16(drv.answer) > 0);
	assert_int_equal(drv.answer_len, 8 + 16 * get16(drv.answer));
	for (u32 i = 0; i < get16(drv.answer); i++) {
		u64 start = get64(drv.answer + 8 + 16 * i);
		u64 end = start + get64(drv.answer + 16 + 16 * i);

		assert_in_range(end, start + 1, NIC_BAR0_SIZE);
		assert_true(end <= 0x08400000 || start >= 0x08401000);
		assert_true(end <= 0x08407000 || start >= 0x08407800);
	}
}

/* Types 1 to 7, the last one IPv6 with TCP, then the end mark; in pieces the same. */
static void ptypes_are_listed(void **state)
{
	static const u8 tail[] = { 7, 0, 7, 4, 0, 0, 2, 0, 21, 0, 25, 0, 34, 0,
				   0xff, 0xff, 0xff, 0, 0, 0 };
	struct vc_ptypes m = { .start = 0, .count = 58 };

	(void)state;
	must(VC_GET_PTYPES, &m, sizeof(m));
	assert_int_equal(get16(drv.answer + 2), 8);
	assert_int_equal(drv.answer_len, 8 + 8 * 6 + 2 * (2 + 3 + 4 + 4 + 3 + 4 + 4));
	assert_memory_equal(drv.answer + drv.answer_len - sizeof(tail), tail, sizeof(tail));
	m.count = 2;
	must(VC_GET_PTYPES, &m, sizeof(m));
	assert_int_equal(get16(drv.answer + 2), 1);
	m.start = 7;
	must(VC_GET_PTYPES, &m, sizeof(m));
	assert_int_equal(drv.answer_len, 8 + sizeof(tail));
}

static void rdma_passes(void **state)
{
	u8 msg[20] = { 0 };
	u32 status;

	(void)state;
	put64(msg + 8, 0x1122334455667788ull);
	must(VC_RDMA, msg, sizeof(msg));
	assert_int_equal(drv.answer_len, 16);
	assert_int_equal(get64(drv.answer), 0x1122334455667788ull);
	put16(msg, 0xffff);
	request(VC_RDMA, msg, sizeof(msg));
	wr(atq_reg(MBR_TAIL), drv.atq_tail);
	assert_false(next_message(&status));
}

static void link_told_after_enable_and_change(void **state)
{
	u32 status;

	(void)state;
	lan_set_link(drv.nic.lan, false);
	assert_true(next_message(&status));
	assert_int_equal(drv.answer_op, VC_EVENT);
	assert_int_equal(get32(drv.answer), 1);
	assert_int_equal(drv.answer[12], 0);
	lan_set_link(drv.nic.lan, false);
	assert_false(next_message(&status));
	assert_int_equal(vport_op(VC_DISABLE_VPORT), VC_OK);
	lan_set_link(drv.nic.lan, true);
	assert_false(next_message(&status));
	assert_int_equal(vport_op(VC_ENABLE_VPORT), VC_OK);
	assert_true(next_message(&status));
	assert_int_equal(get32(drv.answer + 4), 200000);
	assert_int_equal(drv.answer[12], 1);
}

/* A flapping link does not pile up events for a driver that takes none. */
static void events_do_not_pile_up(void **state)
{
	u32 status, n = 0;

	(void)state;
	wr(arq_reg(MBR_TAIL), drv.arq_head);
	for (int i = 0; i < 1000; i++)
		lan_set_link(drv.nic.lan, i & 1);
	wr(arq_reg(MBR_TAIL), (drv.arq_head + 63) % 64);
	while (next_message(&status))
		n++;
	assert_int_equal(n, 1);
	assert_int_equal(drv.answer[12], 1);
}

static void down_and_up_again(void **state)
{
	struct vc_add_queues add = { .num_tx_q = 2, .num_tx_complq = 2, .num_rx_q = 2,
				     .num_rx_bufq = 4 };
	struct { struct vc_queues h; struct vc_queue_range r[4]; } all = {
		.h = { .count = 4 },
		.r = { { .type = 0, .count = PAIRS }, { .type = 1, .count = PAIRS },
		       { .type = 2, .count = PAIRS }, { .type = 3, .count = 2 * PAIRS } } };
	struct vc_vector_chunks back[3] = { { .count = 1 } };
	u32 status;

	(void)state;
	assert_int_equal(vport_op(VC_DISABLE_VPORT), VC_OK);
	must(VC_DISABLE_QUEUES, &all, sizeof(all));
	must(VC_DEL_QUEUES, &all, sizeof(all));
	must(VC_ADD_QUEUES, &add, sizeof(add));
	assert_int_equal(drv.answer_len, 24 + 4 * 32);
	config_pair(0);
	config_pair(1);
	enable_pair(0);
	enable_pair(1);
	assert_int_equal(vport_op(VC_ENABLE_VPORT), VC_OK);
	assert_true(next_message(&status));
	others_live();
	for (u32 type = 0; type < 4; type++)
		all.r[type].count = type == 3 ? 4 : 2;
	assert_int_equal(vport_op(VC_DISABLE_VPORT), VC_OK);
	must(VC_DISABLE_QUEUES, &all, sizeof(all));
	assert_int_equal(vport_op(VC_DESTROY_VPORT), VC_OK);
	put16((u8 *)back + 16, 1);
	put16((u8 *)back + 20, VECTORS - 1);
	must(VC_DEALLOC_VECTORS, back, sizeof(back));
	assert_int_equal(violation_total(&drv.nic), 0);
}

static void opcode_refused(void **state)
{
	(void)state;
	refused(VC_OPCODE, 95, message(4711, NULL, 0));
	refused(VC_OPCODE, 95, message(VC_EVENT, NULL, 0));
	refused(VC_OPCODE, 95, message(VC_RESET_VF, NULL, 0));
	refused(VC_OPCODE, 95, message(519, NULL, 0));
}

static void length_refused(void **state)
{
	struct vc_vport m[2] = { { 0 } };
	struct vc_queues q = { .count = 3 };
	u8 rss[12] = { 0 };

	(void)state;
	refused(VC_LENGTH, 22, message(VC_GET_CAPS, NULL, 0));
	refused(VC_LENGTH, 22, message(VC_ENABLE_VPORT, m, 7));
	refused(VC_LENGTH, 22, message(VC_ENABLE_VPORT, m, 9));
	refused(VC_LENGTH, 22, message(VC_DISABLE_QUEUES, &q, sizeof(q)));
	put16(rss + 6, 0xffff);
	refused(VC_LENGTH, 22, message(VC_SET_RSS_LUT, rss, sizeof(rss)));
	put16(rss + 4, 0xffff);
	refused(VC_LENGTH, 22, message(VC_SET_RSS_KEY, rss, 7));
	refused(VC_LENGTH, 22, message(VC_RDMA, rss, 12));
}

static void order_refused(void **state)
{
	struct vc_caps caps = { 0 };
	struct vc_version version = { .major = 2 };
	struct vc_vector_chunks back[3] = { { .count = 1 } };
	struct vc_alloc_vectors again = { .num_vectors = 1 };
	struct vc_create_vport v = { .txq_model = 1, .rxq_model = 1 };

	(void)state;
	refused(VC_ORDER, 1, message(VC_ALLOC_VECTORS, &again, sizeof(again)));
	refused(VC_ORDER, 1, message(VC_CREATE_VPORT, &v, sizeof(v)));
	refused(VC_ORDER, 1, message(VC_DEALLOC_VECTORS, back, sizeof(back)));
	lan_lose_mailbox(drv.nic.lan);
	mailbox_up();
	provoke(VC_ORDER, assert_int_equal(message(VC_GET_CAPS, &caps, sizeof(caps)), 1));
	must(VC_VERSION, &version, sizeof(version));
	provoke(VC_ORDER, assert_int_equal(message(VC_CREATE_VPORT, &v, sizeof(v)), 1));
}

static void vport_refused(void **state)
{
	struct vc_vport m = { .vport_id = 1 };
	struct vc_stats s = { .vport_id = ~0u };

	(void)state;
	refused(VC_VPORT, 3, message(VC_DISABLE_VPORT, &m, sizeof(m)));
	refused(VC_VPORT, 3, message(VC_DESTROY_VPORT, &m, sizeof(m)));
	refused(VC_VPORT, 3, message(VC_GET_STATS, &s, sizeof(s)));
}

static void vector_refused(void **state)
{
	struct vc_alloc_vectors ask = { .num_vectors = VECTORS };
	struct vc_version version = { .major = 2 };
	struct vc_caps caps = { 0 };

	(void)state;
	refused(VC_VECTOR, 34, map_vector(VC_MAP_VECTORS, VC_Q_TX, 2, 0));
	refused(VC_VECTOR, 34, map_vector(VC_MAP_VECTORS, VC_Q_RX, 2, VECTORS));
	lan_lose_mailbox(drv.nic.lan);
	mailbox_up();
	must(VC_VERSION, &version, sizeof(version));
	must(VC_GET_CAPS, &caps, sizeof(caps));
	provoke(VC_VECTOR,
		assert_int_equal(message(VC_ALLOC_VECTORS, &ask, sizeof(ask)), 34));
}

static void queue_refused(void **state)
{
	struct vc_tx_queue tx = tx_entry(VC_Q_TX, PAIRS);
	struct vc_rx_queue rx = rx_entry(VC_Q_BUF, 2 * PAIRS);

	(void)state;
	refused(VC_QUEUE, 34, config_tx(&tx, 1));
	refused(VC_QUEUE, 34, config_rx(&rx, 1));
	rx.type = 7;
	refused(VC_QUEUE, 34, config_rx(&rx, 1));
	tx.type = VC_Q_RX;
	refused(VC_QUEUE, 34, config_tx(&tx, 1));
	refused(VC_QUEUE, 34, map_vector(VC_MAP_VECTORS, VC_Q_COMPL, 0, 1));
	refused(VC_QUEUE, 34, queues(VC_DISABLE_QUEUES, VC_Q_TX, PAIRS - 1, 2));
	refused(VC_QUEUE, 34, queues(VC_DISABLE_QUEUES, VC_Q_TX, 1, ~0u));
	refused(VC_QUEUE, 34, queues(VC_DISABLE_QUEUES, 4, 0, 1));
	refused(VC_QUEUE, 34, queues(VC_DISABLE_QUEUES, VC_Q_TX, 0, 0));
}

static void count_refused(void **state)
{
	struct vc_version version = { .major = 2 };
	struct vc_caps caps = { 0 };
	struct vc_create_vport v = { .txq_model = 1, .rxq_model = 1, .num_tx_q = 2,
				     .num_tx_complq = 1, .num_rx_q = 2, .num_rx_bufq = 4 };

	(void)state;
	refused(VC_STATE, 16, queues(VC_DEL_QUEUES, VC_Q_TX, 2, 1));
	assert_int_equal(queues(VC_DISABLE_QUEUES, VC_Q_TX, 2, 1), VC_OK);
	refused(VC_COUNT, 34, queues(VC_DEL_QUEUES, VC_Q_TX, 2, 1));
	lan_lose_mailbox(drv.nic.lan);
	mailbox_up();
	must(VC_VERSION, &version, sizeof(version));
	must(VC_GET_CAPS, &caps, sizeof(caps));
	provoke(VC_COUNT, assert_int_equal(message(VC_CREATE_VPORT, &v, sizeof(v)), 34));
}

static void state_refused(void **state)
{
	struct vc_tx_queue tx = tx_entry(VC_Q_TX, 2);
	struct vc_add_queues add = { .num_tx_q = 1 };

	(void)state;
	refused(VC_STATE, 16, config_tx(&tx, 1));
	refused(VC_STATE, 16, queues(VC_ENABLE_QUEUES, VC_Q_TX, 2, 1));
	refused(VC_STATE, 16, vport_op(VC_ENABLE_VPORT));
	refused(VC_STATE, 16, vport_op(VC_DESTROY_VPORT));
	refused(VC_STATE, 16, message(VC_ADD_QUEUES, &add, sizeof(add)));
	assert_int_equal(queues(VC_DISABLE_QUEUES, VC_Q_RX, 2, 1), VC_OK);
	refused(VC_STATE, 16, queues(VC_DISABLE_QUEUES, VC_Q_RX, 2, 1));
}

/* One field of a good entry at a time is made bad. */
#define bad_tx(field, val) do {						\
	struct vc_tx_queue e = tx_entry(VC_Q_TX, 2);			\
	e.field = (val);						\
	refused(VC_PARAM, 22, config_tx(&e, 1));			\
} while (0)

#define bad_rx(of_type, field, val) do {				\
	struct vc_rx_queue e = rx_entry(of_type, 2);			\
	e.field = (val);						\
	refused(VC_PARAM, 22, config_rx(&e, 1));			\
} while (0)

static void parameter_refused(void **state)
{
	(void)state;
	assert_int_equal(queues(VC_DISABLE_QUEUES, VC_Q_TX, 2, 1), VC_OK);
	assert_int_equal(queues(VC_DISABLE_QUEUES, VC_Q_RX, 2, 1), VC_OK);
	bad_tx(model, 0);
	bad_tx(sched_mode, 0);
	bad_tx(ring_len, 0);
	bad_tx(relative_id, 0x400);
	bad_tx(complq, PAIRS);
	bad_rx(VC_Q_RX, model, 0);
	bad_rx(VC_Q_RX, ring_len, 0);
	bad_rx(VC_Q_RX, desc_ids, 2);
	bad_rx(VC_Q_RX, qflags, 0);
	bad_rx(VC_Q_RX, qflags, VC_RXQ_DESC_32B | VC_RXQ_RSC);
	bad_rx(VC_Q_RX, max_pkt_size, 9027);
	bad_rx(VC_Q_RX, bufq[0], 2 * PAIRS);
	bad_rx(VC_Q_RX, bufq[1], 2 * PAIRS);
	assert_int_equal(queues(VC_DISABLE_QUEUES, VC_Q_BUF, 2, 1), VC_OK);
	assert_int_equal(queues(VC_DISABLE_QUEUES, VC_Q_RX, 1, 1), VC_OK);
	bad_rx(VC_Q_BUF, data_buf_size, 0);
	bad_rx(VC_Q_BUF, data_buf_size, 0x4000);
	bad_rx(VC_Q_BUF, notify_stride, 16);
}

/* One bad entry leaves the good ones before it as they were. */
static void refused_as_a_whole(void **state)
{
	struct vc_tx_queue e[2] = { tx_entry(VC_Q_TX, 2), tx_entry(VC_Q_TX, 3) };

	(void)state;
	assert_int_equal(queues(VC_DISABLE_QUEUES, VC_Q_TX, 2, 2), VC_OK);
	e[0].ring = NOWHERE;
	e[1].model = 0;
	refused(VC_PARAM, 22, config_tx(e, 2));
	drv.tx_tail[2] = 0;
	drv.compl_head[2]++;	/* the marker */
	assert_int_equal(queues(VC_ENABLE_QUEUES, VC_Q_TX, 2, 1), VC_OK);
	demand_tx(2);
}

static void mac_refused(void **state)
{
	static const u8 zero[6], mac[6] = { 2, 0, 0, 0, 0, 7 };

	(void)state;
	refused(VC_MAC, 22, mac_op(VC_ADD_MAC, zero, VC_MAC_EXTRA));
	refused(VC_MAC, 22, mac_op(VC_ADD_MAC, mac, 0));
	refused(VC_MAC, 22, mac_op(VC_ADD_MAC, mac, 3));
	refused(VC_MAC, 2, mac_op(VC_DEL_MAC, mac, VC_MAC_EXTRA));
}

static void promiscuous_refused(void **state)
{
	struct vc_promisc m = { .flags = 4 };

	(void)state;
	refused(VC_PROMISC, 22, message(VC_SET_PROMISC, &m, sizeof(m)));
}

static void rss_refused(void **state)
{
	u8 msg[12 + 8] = { 0 };

	(void)state;
	put16(msg + 4, 4);
	refused(VC_RSS, 22, message(VC_SET_RSS_KEY, msg, 7 + 4));
	put16(msg + 4, RSS_LUT_SIZE - 1);
	put16(msg + 6, 2);
	refused(VC_RSS, 22, message(VC_SET_RSS_LUT, msg, 12 + 8));
	put16(msg + 4, 0);
	put32(msg + 16, PAIRS);
	refused(VC_RSS, 22, message(VC_SET_RSS_LUT, msg, 12 + 8));
}

static void ptype_refused(void **state)
{
	struct vc_ptypes m = { .start = 1000, .count = 25 };

	(void)state;
	refused(VC_PTYPE, 34, message(VC_GET_PTYPES, &m, sizeof(m)));
}

#define CASE(test, up)	cmocka_unit_test_setup_teardown(test, up, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(capabilities, setup),
		CASE(regions_leave_the_windows_out, setup_up),
		CASE(ptypes_are_listed, setup_up),
		CASE(rdma_passes, setup_up),
		CASE(link_told_after_enable_and_change, setup_up),
		CASE(events_do_not_pile_up, setup_up),
		CASE(down_and_up_again, setup_up),
		CASE(opcode_refused, setup_up),
		CASE(length_refused, setup_up),
		CASE(order_refused, setup_up),
		CASE(vport_refused, setup_up),
		CASE(vector_refused, setup_up),
		CASE(queue_refused, setup_up),
		CASE(count_refused, setup_up),
		CASE(state_refused, setup_up),
		CASE(parameter_refused, setup_up),
		CASE(refused_as_a_whole, setup_up),
		CASE(mac_refused, setup_up),
		CASE(promiscuous_refused, setup_up),
		CASE(rss_refused, setup_up),
		CASE(ptype_refused, setup_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
