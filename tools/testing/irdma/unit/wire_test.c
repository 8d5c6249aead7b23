// SPDX-License-Identifier: GPL-2.0
/* The wire: switching, bounds, impairments, captures, socket ports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "loop.h"
#include "wire/wire.h"

#define ENDS	3

/**
 * struct end - a station on a plain port
 * @ids: third byte of the payload of all frames that came, in order
 */
struct end {
	struct wire_port *port;
	u8 mac[6];
	u32 count, len;
	u16 ids[20000];
	u8 last[WIRE_FRAME_MAX];
};

static struct loop *loop;
static struct wire *wire;
static struct end end[ENDS];
static char dir[32], err[256];

static void arrive(void *arg, struct frame *f)
{
	struct end *e = arg;

	if (e->count < ARRAY_SIZE(e->ids))
		e->ids[e->count] = f->len >= 16 ? get16(f->data + 14) : 0;
	e->count++;
	e->len = f->len;
	memcpy(e->last, f->data, f->len);
}

static int setup(void **state)
{
	static const char *const names[ENDS] = { "a", "b", "c" };

	(void)state;
	memset(end, 0, sizeof(end));
	strcpy(dir, "/tmp/wire-XXXXXX");
	loop = loop_new();
	wire = wire_new(loop, 42);
	for (u32 i = 0; i < ENDS; i++) {
		end[i].port = wire_port_new(wire, names[i], arrive, &end[i]);
		memcpy(end[i].mac, (u8[]){ 2, 0, 0, 0, 0, (u8)(i + 1) }, 6);
	}
	return !mkdtemp(dir);
}

static int teardown(void **state)
{
	char cmd[64];

	(void)state;
	wire_free(wire);
	loop_free(loop);
	snprintf(cmd, sizeof(cmd), "rm -r %s", dir);
	return system(cmd);
}

static void settle(void)
{
	for (int i = 0; i < 20; i++)
		loop_step(loop, 0);
}

static void send_id(u32 from, const u8 *dest, u32 len, u16 id)
{
	struct frame *f = frame_new(len);

	assert_non_null(f);
	memset(f->data, 0, len);
	memcpy(f->data, dest, 6);
	memcpy(f->data + 6, end[from].mac, 6);
	if (len >= 16)
		put16(f->data + 14, id);
	wire_send(end[from].port, f);
}

static void counts(u32 a, u32 b, u32 c)
{
	settle();
	assert_int_equal(end[0].count, a);
	assert_int_equal(end[1].count, b);
	assert_int_equal(end[2].count, c);
}

static void switch_learns(void **state)
{
	static const u8 group[6] = { 1, 0, 0x5e, 0, 0, 1 };

	(void)state;
	send_id(0, end[1].mac, 60, 0);		/* unknown: flooded */
	counts(0, 1, 1);
	send_id(1, end[0].mac, 60, 0);		/* known by now */
	counts(1, 1, 1);
	send_id(0, end[1].mac, 60, 0);
	counts(1, 2, 1);
	send_id(0, group, 60, 0);
	counts(1, 3, 2);
	send_id(0, end[0].mac, 60, 0);		/* to itself */
	counts(1, 3, 2);
}

/* A station that moves is found at its new port; one whose port is gone, nowhere. */
static void stations_move(void **state)
{
	(void)state;
	send_id(1, end[0].mac, 60, 0);
	counts(1, 0, 1);
	memcpy(end[2].mac, end[1].mac, 6);
	send_id(2, end[0].mac, 60, 0);
	counts(2, 1, 1);
	send_id(0, end[1].mac, 60, 0);
	counts(2, 1, 2);
	wire_port_free(end[2].port);
	send_id(0, end[1].mac, 60, 0);
	counts(2, 2, 2);
}

static void delivery_is_not_synchronous(void **state)
{
	(void)state;
	send_id(0, end[1].mac, 60, 0);
	assert_int_equal(end[1].count, 0);
	counts(0, 1, 1);
}

static void queues_are_bounded(void **state)
{
	(void)state;
	for (u32 i = 0; i < 10000; i++)
		send_id(0, end[1].mac, 60, (u16)i);
	for (u32 i = 0; i < 20; i++)
		settle();
	assert_int_equal(end[1].count + wire_port_stats(end[1].port)->dropped_queue, 10000);
	assert_true(end[1].count >= 1000);
	for (u32 i = 0; i < end[1].count; i++)
		assert_int_equal(end[1].ids[i], i);
}

static void lengths_have_bounds(void **state)
{
	(void)state;
	assert_null(frame_new(WIRE_FRAME_MAX + 1));
	send_id(0, end[1].mac, 13, 0);
	counts(0, 0, 0);
	assert_int_equal(wire_port_stats(end[0].port)->dropped_short, 1);
	send_id(0, end[1].mac, 14, 0);
	send_id(0, end[1].mac, WIRE_FRAME_MAX, 0);
	counts(0, 2, 2);
}

static void link_down_neither_sends_nor_receives(void **state)
{
	(void)state;
	send_id(0, end[1].mac, 60, 0);
	wire_port_set_link(end[1].port, false);
	send_id(0, end[1].mac, 60, 0);
	send_id(1, end[0].mac, 60, 0);
	counts(0, 0, 2);
	assert_int_equal(wire_port_stats(end[1].port)->dropped_link, 3);
	wire_port_set_link(end[1].port, true);
	send_id(0, end[1].mac, 60, 0);
	counts(0, 1, 3);
}

static void send_many(u32 n)
{
	for (u32 i = 0; i < n; i++) {
		send_id(0, end[1].mac, 60, (u16)i);
		if (i % 64 == 63)
			settle();
	}
	settle();
}

static u32 lost_of_10000(u64 seed)
{
	struct wire_impair im = { .loss_ppm = 100000 };
	u32 lost;

	setup(NULL);
	wire_free(wire);
	wire = wire_new(loop, seed);
	end[0].port = wire_port_new(wire, "a", arrive, &end[0]);
	end[1].port = wire_port_new(wire, "b", arrive, &end[1]);
	wire_port_impair(end[0].port, &im);
	send_many(10000);
	lost = 10000 - end[1].count;
	assert_int_equal(wire_port_stats(end[0].port)->impaired, lost);
	assert_int_equal(teardown(NULL), 0);
	return lost;
}

static void loss_is_seeded(void **state)
{
	u32 lost = lost_of_10000(7);

	(void)state;
	assert_true(lost > 900 && lost < 1100);
	assert_int_equal(lost_of_10000(7), lost);
	assert_int_not_equal(lost_of_10000(8), lost);
}

static void nth_frame_is_dropped(void **state)
{
	struct wire_impair im = { .drop_nth = 3 };

	(void)state;
	wire_port_impair(end[0].port, &im);
	send_many(5);
	assert_int_equal(end[1].count, 4);
	assert_int_equal(end[1].ids[1], 1);
	assert_int_equal(end[1].ids[2], 3);
}

static void duplicates(void **state)
{
	struct wire_impair im = { .dup_ppm = 1000000 };

	(void)state;
	wire_port_impair(end[0].port, &im);
	send_many(10);
	assert_int_equal(end[1].count, 20);
	for (u32 i = 0; i < 20; i++)
		assert_int_equal(end[1].ids[i], i / 2);
}

static void corrupts_one_bit_of_a_copy(void **state)
{
	struct wire_impair im = { .corrupt_ppm = 1000000 };
	struct frame *f = frame_new(100);
	u32 bits = 0;

	(void)state;
	memset(f->data, 0, 100);
	f->data[0] = 1;
	wire_port_impair(end[0].port, &im);
	wire_send(end[0].port, frame_get(f));
	settle();
	for (u32 i = 0; i < 100; i++)
		bits += (u32)__builtin_popcount((f->data[i] ^ end[1].last[i]) & 0xff);
	assert_int_equal(end[1].count, 1);
	assert_int_equal(bits, 1);
	assert_int_equal(f->data[0], 1);
	frame_put(f);
}

static void reorders_without_loss(void **state)
{
	struct wire_impair im = { .reorder_ppm = 300000 };
	u32 swaps = 0;
	u64 sum = 0;

	(void)state;
	wire_port_impair(end[0].port, &im);
	send_many(1000);
	for (u32 i = 0; i < 100 && end[1].count < 1000; i++)
		loop_step(loop, 1000000);
	assert_int_equal(end[1].count, 1000);
	for (u32 i = 0; i < 1000; i++) {
		sum += end[1].ids[i];
		swaps += i && end[1].ids[i] < end[1].ids[i - 1];
	}
	assert_int_equal(sum, 999 * 1000 / 2);
	assert_true(swaps > 50);
}

static void delays_keep_order(void **state)
{
	struct wire_impair im = { .delay_ns = 3000000, .jitter_ns = 2000000 };
	u64 start = loop_now(loop);

	(void)state;
	wire_port_impair(end[0].port, &im);
	for (u16 i = 0; i < 50; i++)
		send_id(0, end[1].mac, 60, i);
	settle();
	assert_int_equal(end[1].count, 0);
	while (end[1].count < 50)
		loop_step(loop, 1000000);
	assert_true(loop_now(loop) - start >= 3000000);
	for (u32 i = 0; i < 50; i++)
		assert_int_equal(end[1].ids[i], i);
}

static void ends_with_frames_under_way(void **state)
{
	struct wire_impair im = { .delay_ns = 1000000000, .reorder_ppm = 500000 };

	(void)state;
	wire_port_impair(end[0].port, &im);
	send_many(50);
	im.delay_ns = 0;
	wire_port_impair(end[1].port, &im);
	send_id(1, end[0].mac, 60, 0);
}

static void capture_holds_both_ways(void **state)
{
	char path[64], text[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *hdr;
	const u_char *data;
	pcap_t *in;

	(void)state;
	snprintf(path, sizeof(path), "%s/a.pcap", dir);
	assert_int_equal(wire_port_capture(end[0].port, path), 0);
	send_id(0, end[1].mac, 9000, 1);
	settle();
	send_id(1, end[0].mac, 60, 2);
	settle();
	assert_int_equal(wire_port_capture(end[0].port, NULL), 0);
	send_id(0, end[1].mac, 60, 3);
	settle();
	in = pcap_open_offline(path, text);
	assert_non_null(in);
	assert_int_equal(pcap_datalink(in), DLT_EN10MB);
	assert_int_equal(pcap_next_ex(in, &hdr, &data), 1);
	assert_int_equal(hdr->caplen, 9000);
	assert_int_equal(pcap_next_ex(in, &hdr, &data), 1);
	assert_int_equal(get16(data + 14), 2);
	assert_int_equal(pcap_next_ex(in, &hdr, &data), PCAP_ERROR_BREAK);
	pcap_close(in);
	assert_true(wire_port_capture(end[0].port, "/nowhere/x") < 0);
}

/* --- socket ports: the other side is the test --- */

static struct sockaddr_un at(const char *name)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/%s", dir, name);
	return addr;
}

static struct wire_port *port(const char *name, const char *fmt, const char *a, const char *b)
{
	char spec[200];

	snprintf(spec, sizeof(spec), fmt, a, b);
	return wire_socket_port_new(wire, name, spec, err, sizeof(err));
}

static void wait_for(const u32 *count, u32 n)
{
	for (int i = 0; i < 300 && *count < n; i++)
		loop_step(loop, 10000000);
	assert_int_equal(*count, n);
}

/* A broadcast of @len bytes, with its length in front, as QEMU's stream sends it. */
static u32 stream_frame(u8 *buf, u32 len, u16 id)
{
	memset(buf, 0xff, 4 + len);
	put32be(buf, len);
	buf[4 + 6] = 2;
	put16(buf + 4 + 14, id);
	return 4 + len;
}

static void stream_speaks_qemu(void **state)
{
	struct sockaddr_un addr = at("s");
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	u8 buf[4 + 200];
	u32 n;

	(void)state;
	assert_non_null(port("s", "unix-listen:%s%s", addr.sun_path, ""));
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	settle();
	n = stream_frame(buf, 100, 11);
	assert_int_equal(write(fd, buf, 7), 7);		/* in two pieces */
	settle();
	assert_int_equal(end[0].count, 0);
	assert_int_equal(write(fd, buf + 7, n - 7), n - 7);
	wait_for(&end[0].count, 1);
	assert_int_equal(end[0].len, 100);
	assert_int_equal(end[0].ids[0], 11);
	send_id(0, (u8[]){ 255, 255, 255, 255, 255, 255 }, 150, 12);
	settle();
	assert_int_equal(read(fd, buf, sizeof(buf)), 154);
	assert_int_equal(get32be(buf), 150);
	assert_int_equal(get16(buf + 4 + 14), 12);
	close(fd);
}

/* Whoever breaks the framing is thrown out; the next peer is served. */
static void stream_survives_bad_peers(void **state)
{
	static const u32 bad[] = { 0, WIRE_FRAME_MAX + 1, 0xffffffff };
	struct sockaddr_un addr = at("s");
	u8 buf[4 + 100];

	(void)state;
	assert_non_null(port("s", "unix-listen:%s%s", addr.sun_path, ""));
	for (u32 i = 0; i < ARRAY_SIZE(bad); i++) {
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);
		u8 len[8];

		put32be(len, bad[i]);
		put32be(len + 4, 0);
		assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
		settle();
		assert_int_equal(write(fd, len, 8), 8);
		settle();
		assert_int_equal(read(fd, len, 8), 0);
		close(fd);
	}
	for (u32 i = 0; i < 3; i++) {
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);

		assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
		settle();
		assert_int_equal(write(fd, buf, stream_frame(buf, 100, 1)), 104);
		wait_for(&end[0].count, i + 1);
		close(fd);
		settle();
	}
}

/* Two ports join two wires, whichever comes first; a slow peer costs frames, not the process. */
static void stream_joins_wires(void **state)
{
	struct sockaddr_un addr = at("s");
	struct wire *other = wire_new(loop, 1);
	struct wire_port *far_port = wire_port_new(other, "far", arrive, &end[2]);
	char spec[150];

	(void)state;
	end[2].count = 0;
	wire_port_free(end[2].port);
	snprintf(spec, sizeof(spec), "unix:%s", addr.sun_path);
	assert_non_null(wire_socket_port_new(other, "up", spec, err, sizeof(err)));
	settle();
	assert_non_null(port("s", "unix-listen:%s%s", addr.sun_path, ""));
	for (int i = 0; i < 300 && !end[2].count; i++) {
		send_id(0, (u8[]){ 255, 255, 255, 255, 255, 255 }, 60, 1);
		loop_step(loop, 10000000);
	}
	assert_true(end[2].count > 0);
	end[2].count = 0;
	for (u32 i = 0; i < 5000; i++)
		send_id(0, (u8[]){ 255, 255, 255, 255, 255, 255 }, 9000, (u16)i);
	for (int i = 0; i < 200; i++)
		loop_step(loop, 1000000);
	assert_true(end[2].count > 100);
	wire_free(other);
	(void)far_port;
}

static void dgram_speaks_qemu(void **state)
{
	struct sockaddr_un mine = at("mine"), its = at("its");
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	u8 buf[300];

	(void)state;
	assert_non_null(port("d", "unix-dgram:%s:%s", its.sun_path, mine.sun_path));
	send_id(0, (u8[]){ 255, 255, 255, 255, 255, 255 }, 60, 1);	/* nobody there */
	settle();
	assert_int_equal(bind(fd, (struct sockaddr *)&mine, sizeof(mine)), 0);
	stream_frame(buf, 100, 5);
	assert_int_equal(sendto(fd, buf + 4, 100, 0, (struct sockaddr *)&its, sizeof(its)), 100);
	wait_for(&end[0].count, 1);
	assert_int_equal(end[0].ids[0], 5);
	for (u16 i = 0; i < 40; i++)		/* more than the kernel's queue holds */
		send_id(0, (u8[]){ 255, 255, 255, 255, 255, 255 }, 61, i);
	settle();
	for (u16 i = 0; i < 40; i++) {
		assert_int_equal(recv(fd, buf, sizeof(buf), 0), 61);
		assert_int_equal(get16(buf + 14), i);
		loop_step(loop, 1000000);
		loop_step(loop, 1000000);
	}
	close(fd);
}

static void udp_hears_its_peer_only(void **state)
{
	struct sockaddr_in mine = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_DGRAM, 0), other = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in its = { .sin_family = AF_INET };
	socklen_t len = sizeof(mine);
	char spec[64];
	u8 buf[200];

	(void)state;
	mine.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	its.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	its.sin_port = htons(0);
	assert_int_equal(bind(fd, (struct sockaddr *)&mine, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&mine, &len), 0);
	assert_int_equal(bind(other, (struct sockaddr *)&its, len), 0);
	assert_int_equal(getsockname(other, (struct sockaddr *)&its, &len), 0);
	close(other);			/* a port that was free a moment ago */
	snprintf(spec, sizeof(spec), "udp:%u:127.0.0.1:%u", ntohs(its.sin_port),
		 ntohs(mine.sin_port));
	assert_non_null(wire_socket_port_new(wire, "u", spec, err, sizeof(err)));
	other = socket(AF_INET, SOCK_DGRAM, 0);
	stream_frame(buf, 100, 6);
	sendto(other, buf + 4, 100, 0, (struct sockaddr *)&its, sizeof(its));
	settle();
	assert_int_equal(end[0].count, 0);
	sendto(fd, buf + 4, 100, 0, (struct sockaddr *)&its, sizeof(its));
	wait_for(&end[0].count, 1);
	send_id(0, (u8[]){ 255, 255, 255, 255, 255, 255 }, 60, 9);
	settle();
	assert_int_equal(recv(fd, buf, sizeof(buf), 0), 60);
	close(fd);
	close(other);
}

static void bad_specs_are_explained(void **state)
{
	static const char *const bad[] = {
		"", "tcp:1:2", "unix:", "unix-listen:/nowhere/s", "unix-dgram:/tmp/x", "udp:1:2",
		"udp:x:127.0.0.1:1", "udp:1:no.such.host.invalid:1",
		("unix:/0123456789012345678901234567890123456789012345678901234567890123456789"
		 "0123456789012345678901234567890123456789"),
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(bad); i++) {
		err[0] = 0;
		assert_null(wire_socket_port_new(wire, "x", bad[i], err, sizeof(err)));
		assert_string_not_equal(err, "");
	}
	assert_null(wire_socket_port_new(wire, "a", "unix:/tmp/x", err, sizeof(err)));
}

#define CASE(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(switch_learns), CASE(stations_move), CASE(delivery_is_not_synchronous),
		CASE(queues_are_bounded), CASE(lengths_have_bounds),
		CASE(link_down_neither_sends_nor_receives), cmocka_unit_test(loss_is_seeded),
		CASE(nth_frame_is_dropped), CASE(duplicates), CASE(corrupts_one_bit_of_a_copy),
		CASE(reorders_without_loss), CASE(delays_keep_order),
		CASE(ends_with_frames_under_way), CASE(capture_holds_both_ways),
		CASE(stream_speaks_qemu), CASE(stream_survives_bad_peers), CASE(stream_joins_wires),
		CASE(dgram_speaks_qemu), CASE(udp_hears_its_peer_only),
		CASE(bad_specs_are_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
