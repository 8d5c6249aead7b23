// SPDX-License-Identifier: GPL-2.0
/*
 * Frames of any content, to queue pairs that expect something. An input is a list of
 * records: a mode byte, a length (2 bytes) and the bytes of a frame. Mode bit 0 puts
 * checksums and ICRC right, so that the bytes behind them are reached; bit 1 makes the
 * headers name the queue pair and, from bits 4 to 7, a PSN near the expected one.
 *
 * Holds: what is parsed and built again is the same; nothing outside the registered
 * memory is touched (ASan); nothing but the ends' memory and queues changes.
 */
#define ROCE_FAKE_NO_CMOCKA
#include "../unit/roce_fake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	world_start(NULL);
	world.busy = true;
	return 0;
}

static void begin(void)
{
	struct wr w = { .op = WQE_READ, .flags = WR_SIGNALLED, .raddr = data_addr(0), .stag = LKEY,
			.n_sge = 1, .sge = { data_sge(0, 3000) } };
	struct sge recv = data_sge(0x10000, 3000);

	connect_qps(0);
	make_qp(1, 1, QP_UD);
	set_state(1, 1, QPS_RTR);
	for (int side = 0; side < 2; side++) {
		world.side[side].n_cqes = world.side[side].n_aes = 0;
		memset(world.side[side].mem, 0, RING_QUANTA * 32);
		memset(world.side[side].mem + RQ_AT, 0, 2 * QP_RING);
	}
	for (int i = 0; i < 4; i++) {
		post_recv(1, 0, &recv, 1);
		post_recv(1, 1, &recv, 1);
	}
	/* Side 1 waits for responses as well: a READ and a SEND that nobody answers. */
	post_wr(1, 0, &w);
	w.op = WQE_SEND;
	w.raddr = w.stag = 0;
	post_wr(1, 0, &w);
	world.cut = true;
	loop_step(world.loop, 0);
}

static void end(void)
{
	for (int side = 0; side < 2; side++)
		for (u32 n = 0; n < 2; n++) {
			roce_qp_free(&world.side[side].qp[n]);
			world.side[side].qp[n].r = NULL;
		}
}

/* The headers of a RoCEv2 packet from side 0 to side 1, over what the input had. */
static void aim(u8 *f, u32 len, u8 mode)
{
	static const u8 ip[20] = { 0x45, [8] = 64, [9] = 17, [12] = 10, 0, 0, 1, 10, 0, 0, 2 };
	bool response = f[42] >= RC_READ_FIRST && f[42] <= RC_ATOMIC_ACK;
	u32 psn = psn_add(response ? 0xFFFFF0 : 100, (mode >> 4) - 4u);

	memcpy(f, (u8[14]){ 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0 }, 14);
	memcpy(f + 14, ip, 20);
	put16be(f + 16, (u16)(len - 14));
	put16be(f + 36, ROCE_UDP_PORT);
	put16be(f + 38, (u16)(len - 34));
	f[43] &= 0xF0;
	put16be(f + 44, 0xFFFF);
	put32be(f + 46, f[42] >> 5 == 3 ? 17 : 16);
	put32be(f + 50, psn | (u32)(f[50] & 0x80) << 24);
}

static void seal(u8 *f, u32 len)
{
	u32 sum = 0;

	/* The shortest packets of IPv4 and IPv6. */
	if (len < 58 || (f[14] >> 4 != 4 && len < 78))
		return;
	put16(f + 24, 0);
	for (u32 i = 14; i < 34; i += 2)
		sum += get16be(f + i);
	while (sum >> 16)
		sum = (sum & 0xFFFF) + (sum >> 16);
	put16be(f + 24, (u16)~sum);
	put32(f + len - 4, roce_icrc(f + 14, len - 14));
}

static void check_rebuild(const struct roce_frame *rf)
{
	u8 out[ROCE_OVERHEAD + 65536];
	struct roce_frame again;
	u32 at, len;

	at = roce_build(out, &rf->path, &rf->h, rf->len, 0);
	memcpy(out + at, rf->data, rf->len);
	len = roce_seal(out, at, rf->len);
	assert_true(roce_parse(out, len, &again) == ROCE_OK);
	assert_true(again.len == rf->len && again.h.opcode == rf->h.opcode &&
		    again.h.psn == rf->h.psn && again.h.dqpn == rf->h.dqpn &&
		    again.h.va == rf->h.va && again.h.orig == rf->h.orig);
}

static void one_frame(const u8 *data, u32 len, u8 mode)
{
	u8 *f = malloc(len ? len : 1);	/* as long as the frame: ASan sees an overrun */
	struct roce_frame rf;

	memcpy(f, data, len);
	if ((mode & 2) && len >= 58 && len % 4 == 2)
		aim(f, len, mode);
	if (mode & 1)
		seal(f, len);
	if (roce_parse(f, len, &rf) == ROCE_OK)
		check_rebuild(&rf);
	roce_rx(world.side[1].roce, f, len);
	free(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	begin();
	while (size >= 3) {
		u32 len = get16(data + 1);

		if (len > size - 3)
			len = (u32)size - 3;
		one_frame(data + 3, len, data[0]);
		data += 3 + len;
		size -= 3 + len;
	}
	loop_step(world.loop, 0);
	end();
	return 0;
}
