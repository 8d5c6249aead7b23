// SPDX-License-Identifier: GPL-2.0
/* Split queues: transmit, receive, filters, scaling, and what stops a queue. */
#include "lan_driver.h"

#define VICTIM	2u	/* the pair that misbehaves */

static u8 frame[WIRE_FRAME_MAX], out[WIRE_FRAME_MAX];

/* The victim has stopped: a good packet on it goes nowhere; the others live. */
static void victim_stopped(void)
{
	u32 seen;

	demand_tx(1);
	demand_rx();
	seen = drv.got_count;
	tx_desc(VICTIM, 0, iova(tx_buf_offset(0)), 100, TX_EOP, 0);
	wr(TX_TAIL(VICTIM), 1);
	settle();
	assert_int_equal(drv.got_count, seen);
}

/* What a driver does after a transmit time-out, as far as this queue goes. */
static void victim_revived(void)
{
	assert_int_equal(queues(VC_DISABLE_QUEUES, VC_Q_TX, VICTIM, 1), VC_OK);
	assert_int_equal(queues(VC_DISABLE_QUEUES, VC_Q_COMPL, VICTIM, 1), VC_OK);
	memset(drv.mem + ring_offset(VC_Q_COMPL, VICTIM), 0, 0x1000);
	drv.tx_tail[VICTIM] = 0;
	drv.compl_head[VICTIM] = 0;
	assert_int_equal(queues(VC_ENABLE_QUEUES, VC_Q_COMPL, VICTIM, 1), VC_OK);
	assert_int_equal(queues(VC_ENABLE_QUEUES, VC_Q_TX, VICTIM, 1), VC_OK);
	demand_tx(VICTIM);
}

static void every_pair_moves_frames(void **state)
{
	(void)state;
	for (u32 round = 0; round < 3 * RING_LEN; round++)
		for (u32 i = 0; i < PAIRS; i++)
			demand_tx(i);
	for (u32 round = 0; round < 3 * RING_LEN; round++)
		demand_rx();
	assert_int_equal(violation_total(&drv.nic), 0);
}

static void re_comes_with_the_next_index(void **state)
{
	(void)state;
	make_frame(drv.mem + tx_buf_offset(0), 60, 1);
	tx_desc(0, 0, iova(tx_buf_offset(0)), 60, TX_EOP | TX_RE, 0x123);
	tx_ring(0, 1);
	assert_int_equal(compl_read(0, 0), 4u << 11 | 1u << 15 | 1u << 16);
	assert_int_equal(compl_read(0, 1), 2u << 11 | 1u << 15 | 0x123u << 16);
}

static void packet_of_ten_pieces(void **state)
{
	u8 *f = drv.mem + tx_buf_offset(0);

	(void)state;
	make_frame(f, 1000, 0);
	for (u32 i = 0; i < 1000; i++)
		f[20 + i % 980] ^= (u8)i;
	for (u32 i = 0; i < 10; i++)
		tx_desc(0, i, iova(tx_buf_offset(0) + 100 * i), 100, i == 9 ? TX_EOP : 0, 7);
	tx_ring(0, 9);
	settle();
	assert_int_equal(drv.got_count, 0);	/* the end is not there yet */
	tx_ring(0, 1);
	settle();
	assert_int_equal(drv.got_count, 1);
	assert_int_equal(drv.got_len, 1000);
	assert_memory_equal(drv.got, f, 1000);
}

static void short_frame_is_padded(void **state)
{
	u8 *f = drv.mem + tx_buf_offset(0);

	(void)state;
	make_frame(f, 60, 0xee);
	tx_desc(0, 0, iova(tx_buf_offset(0)), 17, TX_EOP, 0);
	tx_ring(0, 1);
	settle();
	assert_int_equal(drv.got_len, 60);
	for (u32 i = 17; i < 60; i++)
		assert_int_equal(drv.got[i], 0);
}

static void marker_without_interrupt(void **state)
{
	int raised = drv.raised[1 + VICTIM];

	(void)state;
	assert_int_equal(queues(VC_DISABLE_QUEUES, VC_Q_TX, VICTIM, 1), VC_OK);
	settle();
	assert_int_equal(compl_read(VICTIM, 0), 5u << 11 | 1u << 15);
	assert_int_equal(drv.raised[1 + VICTIM], raised);
	assert_int_equal(compl_read(VICTIM, 1), 0);
}

/* A completion that never comes: the frame goes out, the next one is completed. */
static void fault_loses_a_completion(void **state)
{
	char err[100];

	(void)state;
	assert_int_equal(fault_add(drv.nic.faults, "tx-completion:2,drop,nth=1,count=1", err,
				   sizeof(err)), 0);
	make_frame(drv.mem + tx_buf_offset(VICTIM), 100, 1);
	tx_desc(VICTIM, 0, iova(tx_buf_offset(VICTIM)), 100, TX_EOP, 0);
	tx_ring(VICTIM, 1);
	settle();
	assert_int_equal(drv.got_count, 1);
	assert_int_equal(compl_read(VICTIM, 0), 0);
	wr(dyn_ctl(1 + VICTIM), 1);
	demand_tx(VICTIM);
	demand_tx(1);
}

static void fill_frame(u32 len, const u8 *dest)
{
	for (u32 i = 0; i < len; i++)
		frame[i] = (u8)(i * 7 + len);
	memcpy(frame, dest, 6);
	frame[6] = 0x52;
	put16be(frame + 12, 0x88b5);
}

static void jumbo_over_several_buffers(void **state)
{
	static const u32 lens[] = { 14, 60, 511, 512, 513, 2047, 2048, 2049, 2560, 2561, 4096,
				    4097, 9018, 9022 };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(lens); i++) {
		u32 gen = ~(u32)FIELD(get16(rx_desc(0, drv.rx_head[0]) + 4), 14, 14) & 1;

		fill_frame(lens[i], drv.nic.cfg.mac);
		peer_send(frame, lens[i]);
		assert_int_equal(take_rx(0, out, gen), lens[i]);
		assert_memory_equal(out, frame, lens[i]);
	}
	assert_int_equal(violation_total(&drv.nic), 0);
}

static u64 stat(enum vc_stat which)
{
	struct vc_stats m = { 0 };

	must(VC_GET_STATS, &m, sizeof(m));
	return get64(drv.answer + 8 + 8 * which);
}

static void too_long_is_counted(void **state)
{
	(void)state;
	fill_frame(9023, drv.nic.cfg.mac);
	peer_send(frame, 9023);
	assert_int_equal(take_rx(0, out, 1), 0);
	assert_int_equal(stat(VC_RX_INVALID_LEN), 1);
	demand_rx();
}

static void no_buffers_is_counted(void **state)
{
	(void)state;
	fill_frame(2000, drv.nic.cfg.mac);
	for (u32 i = 0; i < RING_LEN + 10; i++)
		peer_send(frame, 2000);
	assert_int_equal(stat(VC_RX_UNICAST) + stat(VC_RX_DISCARDS), RING_LEN + 10);
	assert_true(stat(VC_RX_DISCARDS) > 0);
	while (take_rx(0, out, 1))
		;
	drv.rx_head[0] = 0;
	demand_tx(1);
}

static void statistics_count(void **state)
{
	static const u8 group[6] = { 1, 0, 0x5e, 0, 0, 1 };

	(void)state;
	demand_tx(0);
	demand_rx();
	assert_int_equal(mac_op(VC_ADD_MAC, group, VC_MAC_EXTRA), VC_OK);
	fill_frame(300, group);
	peer_send(frame, 300);
	fill_frame(200, drv.nic.cfg.mac);
	peer_send(frame, 200);
	assert_int_equal(stat(VC_TX_BYTES), 100);
	assert_int_equal(stat(VC_TX_UNICAST), 1);
	assert_int_equal(stat(VC_RX_BYTES), 120 + 300 + 200);
	assert_int_equal(stat(VC_RX_BROADCAST), 1);
	assert_int_equal(stat(VC_RX_MULTICAST), 1);
	assert_int_equal(stat(VC_RX_UNICAST), 1);
}

static bool delivered(const u8 *dest)
{
	u64 before = stat(VC_RX_BYTES);

	fill_frame(64, dest);
	peer_send(frame, 64);
	return stat(VC_RX_BYTES) != before;
}

static void promisc(u16 flags)
{
	struct vc_promisc m = { .flags = flags };

	must(VC_SET_PROMISC, &m, sizeof(m));
}

static void filters_are_honoured(void **state)
{
	static const u8 other[6] = { 0x52, 0x54, 0, 0, 0, 0x42 };
	static const u8 group[6] = { 0x33, 0x33, 0, 0, 0, 1 };

	(void)state;
	assert_true(delivered(drv.nic.cfg.mac));
	assert_false(delivered(other));
	assert_false(delivered(group));
	assert_int_equal(mac_op(VC_ADD_MAC, group, VC_MAC_EXTRA), VC_OK);
	assert_true(delivered(group));
	assert_int_equal(mac_op(VC_DEL_MAC, group, VC_MAC_EXTRA), VC_OK);
	assert_false(delivered(group));
	promisc(VC_PROMISC_UNICAST);
	assert_true(delivered(other));
	assert_false(delivered(group));
	promisc(VC_PROMISC_MULTICAST);
	assert_false(delivered(other));
	assert_true(delivered(group));
	promisc(0);
	assert_false(delivered(group));
}

static void filter_table_has_an_end(void **state)
{
	u8 mac[6] = { 2 };
	u16 n = 0;

	(void)state;
	do {
		put16(mac + 4, n++);
	} while (n < 2000 && !mac_op(VC_ADD_MAC, mac, VC_MAC_EXTRA));
	assert_int_equal(n, LAN_MACS_MAX);	/* one is the function's own */
	demand_rx();
}

/* Verification suite for the Toeplitz hash, with the key that set-up uses. */
static void toeplitz_vectors(void **state)
{
	static const struct { u8 in[36]; u32 len, hash; } v[] = {
		{ { 66, 9, 149, 187, 161, 142, 100, 80, 0x0a, 0xea, 0x06, 0xe6 }, 12, 0x51ccc178 },
		{ { 66, 9, 149, 187, 161, 142, 100, 80 }, 8, 0x323e8fc2 },
		{ { 199, 92, 111, 2, 65, 69, 140, 83, 0x37, 0x96, 0x12, 0x83 }, 12, 0xc626b0ea },
		{ { 199, 92, 111, 2, 65, 69, 140, 83 }, 8, 0xd718262a },
		{ { 0x3f, 0xfe, 0x25, 0x01, 0x02, 0x00, 0x1f, 0xff, 0, 0, 0, 0, 0, 0, 0, 7,
		    0x3f, 0xfe, 0x25, 0x01, 0x02, 0x00, 0x00, 0x03, 0, 0, 0, 0, 0, 0, 0, 1,
		    0x0a, 0xea, 0x06, 0xe6 }, 36, 0x40207d3d },
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(v); i++)
		assert_int_equal(lan_rss_hash(&drv.nic.lan->vport.rss, v[i].in, v[i].len),
				 v[i].hash);
}

/* An IPv4 UDP frame from port @port, behind @tags VLAN tags. */
static u32 udp_frame(u16 port, u32 tags)
{
	u8 *p = frame + 12;

	memset(frame, 0, 200);
	memcpy(frame, drv.nic.cfg.mac, 6);
	for (u32 i = 0; i < tags; i++, p += 4)
		put16be(p, i ? 0x8100 : 0x88a8);
	put16be(p, 0x0800);
	p += 2;
	p[0] = 0x45;
	p[9] = 17;
	put32be(p + 12, 0xc0a86401);
	put32be(p + 16, 0xc0a86402);
	put16be(p + 20, port);
	put16be(p + 22, 4791);
	return (u32)(p - frame) + 60;
}

static u32 queue_of(u32 len)
{
	return lan_flow(&drv.nic.lan->vport.rss, frame, len).queue;
}

static void flows_are_spread(void **state)
{
	u32 count[PAIRS] = { 0 };

	(void)state;
	for (u16 port = 1; port <= 400; port++) {
		u32 q = queue_of(udp_frame(port, 0));

		assert_int_equal(q, queue_of(udp_frame(port, 2)));
		count[q]++;
	}
	for (u32 i = 0; i < PAIRS; i++)
		assert_true(count[i] > 50);
	udp_frame(1, 0);
	put16be(frame + 20, 0x2000);	/* more fragments */
	count[0] = queue_of(74);
	udp_frame(2, 0);
	put16be(frame + 20, 0x00b9);	/* a later fragment */
	assert_int_equal(queue_of(74), count[0]);
	put16be(frame + 12, 0x0806);
	assert_int_equal(queue_of(74), 0);
}

/* Any frame, cut anywhere, names a queue; the sanitizers watch. */
static void short_headers_are_safe(void **state)
{
	(void)state;
	for (u32 len = 14; len < 80; len++) {
		u8 *exact = malloc(len);

		udp_frame(9, len % 3);
		memcpy(exact, frame, len);
		assert_true(lan_flow(&drv.nic.lan->vport.rss, exact, len).queue < PAIRS);
		free(exact);
	}
}

static void frame_arrives_at_its_queue(void **state)
{
	u32 q, len = udp_frame(77, 0);
	struct lan_flow flow = lan_flow(&drv.nic.lan->vport.rss, frame, len);
	const u8 *d;

	(void)state;
	q = flow.queue;
	peer_send(frame, len);
	d = rx_desc(q, 0);
	assert_int_equal(d[1], 0x10);
	assert_int_equal(get16(d + 2), 0x1000 | LAN_PT_IPV4_UDP);
	assert_int_equal(get32(d + 16), flow.hash);
	assert_int_equal(take_rx(q, out, 1), len);
	assert_int_equal(drv.raised[1 + q], 1);
}

static void link_down_loses_frames(void **state)
{
	u32 status, seen;

	(void)state;
	lan_set_link(drv.nic.lan, false);
	assert_true(next_message(&status));
	seen = drv.got_count;
	tx_desc(0, 0, iova(tx_buf_offset(0)), 100, TX_EOP, 5);
	tx_ring(0, 1);
	settle();
	assert_int_equal(drv.got_count, seen);
	assert_int_equal(compl_read(0, 0) >> 16, 5);
	assert_int_equal(stat(VC_TX_DISCARDS), 1);
}

static void tx_tail_stops(void **state)
{
	(void)state;
	provoke(TX_TAIL, wr(TX_TAIL(VICTIM), RING_LEN));
	victim_stopped();
	victim_revived();
}

/* A function that was reset under its driver gets such doorbells until the driver knows. */
static void early_tail_is_lost(void **state)
{
	u32 seen;

	(void)state;
	assert_int_equal(queues(VC_DISABLE_QUEUES, VC_Q_TX, VICTIM, 1), VC_OK);
	make_frame(drv.mem + tx_buf_offset(VICTIM), 100, 1);
	tx_desc(VICTIM, 0, iova(tx_buf_offset(VICTIM)), 100, TX_EOP, 0);
	provoke(TX_OFF, wr(TX_TAIL(VICTIM), 1));
	seen = drv.got_count;
	assert_int_equal(queues(VC_ENABLE_QUEUES, VC_Q_TX, VICTIM, 1), VC_OK);
	settle();
	assert_int_equal(drv.got_count, seen);
	victim_revived();
}

static void bad_desc(u64 word, u64 flags)
{
	u32 idx = drv.tx_tail[VICTIM];

	tx_desc(VICTIM, idx, iova(tx_buf_offset(VICTIM)), 100, flags, 0);
	drv.mem[ring_offset(VC_Q_TX, VICTIM) + 16 * idx + 8] |= (u8)word;
	provoke(TX_DESC, tx_ring(VICTIM, 1));
	victim_stopped();
	victim_revived();
}

static void descriptor_stops(void **state)
{
	(void)state;
	bad_desc(0x10, TX_EOP);		/* type 28 */
	bad_desc(0, TX_EOP | BIT(6));
	bad_desc(0, TX_RE);
}

static void bad_size(u32 pieces, u32 len)
{
	for (u32 i = 0; i < pieces; i++)
		tx_desc(VICTIM, drv.tx_tail[VICTIM] + i, iova(tx_buf_offset(0)), len,
			i == pieces - 1 ? TX_EOP : 0, 0);
	provoke(TX_SIZE, tx_ring(VICTIM, pieces));
	victim_stopped();
	victim_revived();
}

static void size_stops(void **state)
{
	(void)state;
	bad_size(1, 16);
	bad_size(1, 0);
	bad_size(1, 9023);
	bad_size(11, 100);
	bad_size(2, 9000);
}

static void completion_queue_off_stops(void **state)
{
	(void)state;
	assert_int_equal(queues(VC_DISABLE_QUEUES, VC_Q_COMPL, VICTIM, 1), VC_OK);
	make_frame(drv.mem + tx_buf_offset(VICTIM), 100, 1);
	tx_desc(VICTIM, 0, iova(tx_buf_offset(VICTIM)), 100, TX_EOP, 0);
	provoke(TX_COMPL, wr(TX_TAIL(VICTIM), 1));
	settle();
	victim_stopped();
}

static void buffer_tail_stops(void **state)
{
	u32 len = udp_frame(1, 0);

	(void)state;
	for (u16 port = 1; queue_of(len = udp_frame(port, 0)) != VICTIM; port++)
		;
	provoke(BUF_TAIL, wr(BUF_TAIL(2 * VICTIM), RING_LEN));
	provoke(BUF_TAIL, wr(BUF_TAIL(2 * VICTIM + 1), ~0u));
	peer_send(frame, len);
	assert_int_equal(take_rx(VICTIM, out, 1), 0);
	assert_int_equal(stat(VC_RX_DISCARDS), 1);
	demand_tx(1);
	demand_rx();
}

static void unmapped_tx_stops(void **state)
{
	(void)state;
	tx_desc(VICTIM, 0, NOWHERE, 100, TX_EOP, 0);
	provoke(DMA_FAULT, wr(TX_TAIL(VICTIM), 1));
	victim_stopped();
	victim_revived();
	tx_desc(VICTIM, 1, iova(MEM_SIZE - 99), 100, TX_EOP, 0);
	provoke(DMA_FAULT, wr(TX_TAIL(VICTIM), 2));
	victim_stopped();
	assert_int_equal(stat(VC_TX_ERRORS), 2);
}

static void unmapped_rings_stop(void **state)
{
	struct vc_tx_queue tx[2] = { tx_entry(VC_Q_TX, VICTIM), tx_entry(VC_Q_COMPL, VICTIM) };

	(void)state;
	assert_int_equal(queues(VC_DISABLE_QUEUES, VC_Q_TX, VICTIM, 1), VC_OK);
	assert_int_equal(queues(VC_DISABLE_QUEUES, VC_Q_COMPL, VICTIM, 1), VC_OK);
	tx[1].ring = ~7ull;
	assert_int_equal(config_tx(tx, 2), VC_OK);
	assert_int_equal(queues(VC_ENABLE_QUEUES, VC_Q_TX, VICTIM, 1), VC_OK);
	assert_int_equal(queues(VC_ENABLE_QUEUES, VC_Q_COMPL, VICTIM, 1), VC_OK);
	make_frame(drv.mem + tx_buf_offset(VICTIM), 100, 1);
	tx_desc(VICTIM, 0, iova(tx_buf_offset(VICTIM)), 100, TX_EOP, 0);
	provoke(DMA_FAULT, wr(TX_TAIL(VICTIM), 1));
	settle();
	victim_stopped();
}

static void unmapped_rx_stops(void **state)
{
	u32 len = udp_frame(1, 0);

	(void)state;
	for (u16 port = 1; queue_of(len = udp_frame(port, 0)) != VICTIM; port++)
		;
	put64(drv.mem + ring_offset(VC_Q_BUF, 2 * VICTIM + 1) + 8, NOWHERE);
	provoke(DMA_FAULT, peer_send(frame, len));
	assert_int_equal(take_rx(VICTIM, out, 1), 0);
	peer_send(frame, len);
	assert_int_equal(stat(VC_RX_ERRORS), 1);
	assert_int_equal(stat(VC_RX_DISCARDS), 1);
	demand_tx(1);
	demand_rx();
}

/* More packets than a turn takes: the rest follows, in order. */
static void long_burst(void **state)
{
	struct vc_tx_queue tx[2] = { tx_entry(VC_Q_TX, VICTIM), tx_entry(VC_Q_COMPL, VICTIM) };

	(void)state;
	assert_int_equal(queues(VC_DISABLE_QUEUES, VC_Q_TX, VICTIM, 1), VC_OK);
	assert_int_equal(queues(VC_DISABLE_QUEUES, VC_Q_COMPL, VICTIM, 1), VC_OK);
	tx[0].ring_len = 200;
	tx[1].ring_len = 200;
	assert_int_equal(config_tx(tx, 2), VC_OK);
	assert_int_equal(queues(VC_ENABLE_QUEUES, VC_Q_COMPL, VICTIM, 1), VC_OK);
	assert_int_equal(queues(VC_ENABLE_QUEUES, VC_Q_TX, VICTIM, 1), VC_OK);
	make_frame(drv.mem + tx_buf_offset(VICTIM), 100, 1);
	for (u32 i = 0; i < 199; i++)
		tx_desc(VICTIM, i, iova(tx_buf_offset(VICTIM)), 100, TX_EOP, (u16)i);
	wr(TX_TAIL(VICTIM), 199);
	settle();
	settle();
	assert_int_equal(drv.got_count, 199);
	for (u32 i = 0; i < 199; i++)
		assert_int_equal(compl_read(VICTIM, i) >> 16, i);
}

/* After a reset nothing in memory changes any more, whatever is rung or received. */
static void reset_ends_all_dma(void **state)
{
	u8 *copy = malloc(MEM_SIZE);
	u32 len;

	(void)state;
	tx_desc(0, 0, iova(tx_buf_offset(0)), 100, TX_EOP, 0);
	fill_frame(100, drv.nic.cfg.mac);
	wr(0x0840700c, 1);
	memcpy(copy, drv.mem, MEM_SIZE);
	len = drv.got_count;
	peer_send(frame, 100);
	wr(TX_TAIL(0), 1);
	settle();
	assert_memory_equal(copy, drv.mem, MEM_SIZE);
	assert_int_equal(drv.got_count, len);
	free(copy);
}

#define CASE(test)	cmocka_unit_test_setup_teardown(test, setup_up, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(every_pair_moves_frames), CASE(re_comes_with_the_next_index),
		CASE(packet_of_ten_pieces), CASE(short_frame_is_padded),
		CASE(marker_without_interrupt), CASE(fault_loses_a_completion),
		CASE(jumbo_over_several_buffers),
		CASE(too_long_is_counted), CASE(no_buffers_is_counted), CASE(statistics_count),
		CASE(filters_are_honoured), CASE(filter_table_has_an_end),
		CASE(toeplitz_vectors), CASE(flows_are_spread), CASE(short_headers_are_safe),
		CASE(frame_arrives_at_its_queue), CASE(link_down_loses_frames),
		CASE(tx_tail_stops), CASE(early_tail_is_lost), CASE(descriptor_stops),
		CASE(size_stops), CASE(completion_queue_off_stops), CASE(buffer_tail_stops),
		CASE(unmapped_tx_stops), CASE(unmapped_rings_stop), CASE(unmapped_rx_stops),
		CASE(long_burst), CASE(reset_ends_all_dma),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
