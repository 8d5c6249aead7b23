// SPDX-License-Identifier: GPL-2.0
/*
 * RoCEv2 packets: fixed vectors, some captured from Linux rxe and one made by scapy, and
 * what must be refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../nic/roce/packet.h"

#define FRAME_MAX 256

struct vector {
	const char *name, *ip;
	struct roce_hdr h;
	u32 len;
};

static const struct vector vectors[] = {
	{ "ipv4 send only",
	  "45000034123440004011a731c0a80001c0a80002c0de12b7002000000430ffff00000011801234566865"
	  "6c6c6f000000de1fd63d",
	  { .opcode = RC_SEND_ONLY, .ackreq = true, .pkey = 0xFFFF, .dqpn = 0x11,
	    .psn = 0x123456 }, 5 },
	{ "ipv6 ud send",
	  "60012345002411fffe800000000000000200000000000001fe800000000000000200000000000002c001"
	  "12b7002400006400ffff000000010000000780010000000000016162636481c8b909",
	  { .opcode = UD_SEND_ONLY, .pkey = 0xFFFF, .dqpn = 1, .psn = 7, .qkey = 0x80010000,
	    .sqpn = 1 }, 4 },
	{ "rxe ack",
	  "450000307b6140004011a407c0a84d01c0a84d02c12112b7001c00001100ffff0000001100ff82ce1f00"
	  "000119d79b69",
	  { .opcode = RC_ACK, .pkey = 0xFFFF, .dqpn = 0x11, .psn = 0xFF82CE, .syndrome = 0x1F,
	    .msn = 1 }, 0 },
	{ "rxe read request",
	  "4500003c645340004011bb09c0a84d02c0a84d01c1b912b7002800000c00ffff00000015801315790000"
	  "558c145cc0000000067900000bb9e9a3cc1d",
	  { .opcode = RC_READ_REQUEST, .ackreq = true, .pkey = 0xFFFF, .dqpn = 0x15,
	    .psn = 0x131579, .va = 0x558c145cc000, .rkey = 0x679, .dma_len = 3001 }, 0 },
	{ "rxe fetch-add",
	  "4500004867d640004011b77ac0a84d02c0a84d01c1e412b7003400001400ffff0000001680fab5af0000"
	  "55e4dc0f500000000786000000000000000100000000000000008bf65faa",
	  { .opcode = RC_FETCH_ADD, .ackreq = true, .pkey = 0xFFFF, .dqpn = 0x16,
	    .psn = 0xFAB5AF, .va = 0x55e4dc0f5000, .rkey = 0x786, .swap = 1 }, 0 },
	{ "rxe atomic ack",
	  "450000388525400040119a3bc0a84d01c0a84d02c1e412b7002400001200ffff0000001600fab5af1f00"
	  "0001f20f84e11f8b9ec9438fc509",
	  { .opcode = RC_ATOMIC_ACK, .pkey = 0xFFFF, .dqpn = 0x16, .psn = 0xFAB5AF,
	    .syndrome = 0x1F, .msn = 1, .orig = 0xf20f84e11f8b9ec9 }, 0 },
	{ "rxe ipv6 send only",
	  "60000000002c1140fe80000000000000505400fffe007702fe80000000000000505400fffe007701c144"
	  "12b7002c00000430ffff000000128049df957b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b7b000000bb053ece",
	  { .opcode = RC_SEND_ONLY, .ackreq = true, .pkey = 0xFFFF, .dqpn = 0x12,
	    .psn = 0x49DF95 }, 17 },
	{ "scapy congestion notification",
	  "4500003c123440004011a729c0a80002c0a80001c0de12b7002800008100ffff40000011000000000000"
	  "0000000000000000000000000000b38ce101",
	  { .opcode = ROCE_CNP, .becn = true, .pkey = 0xFFFF, .dqpn = 0x11 }, 0 },
};

/* Ethernet header and the hex of @v; returns the frame's length. */
static u32 vector_frame(const struct vector *v, u8 *frame)
{
	u32 n = (u32)strlen(v->ip) / 2;

	memset(frame, 0x22, 12);
	put16be(frame + 12, v->ip[0] == '4' ? 0x0800 : 0x86DD);
	for (u32 i = 0; i < n; i++) {
		unsigned int byte;

		assert_int_equal(sscanf(v->ip + 2 * i, "%2x", &byte), 1);
		frame[14 + i] = (u8)byte;
	}
	return 14 + n;
}

static void check_hdr(const struct roce_hdr *a, const struct roce_hdr *b)
{
	assert_int_equal(a->opcode, b->opcode);
	assert_int_equal(a->se, b->se);
	assert_int_equal(a->ackreq, b->ackreq);
	assert_int_equal(a->fecn, b->fecn);
	assert_int_equal(a->becn, b->becn);
	assert_int_equal(a->pkey, b->pkey);
	assert_int_equal(a->dqpn, b->dqpn);
	assert_int_equal(a->psn, b->psn);
	assert_int_equal(a->va, b->va);
	assert_int_equal(a->rkey, b->rkey);
	assert_int_equal(a->dma_len, b->dma_len);
	assert_int_equal(a->syndrome, b->syndrome);
	assert_int_equal(a->msn, b->msn);
	assert_int_equal(a->qkey, b->qkey);
	assert_int_equal(a->sqpn, b->sqpn);
	assert_int_equal(a->imm, b->imm);
	assert_int_equal(a->inv_rkey, b->inv_rkey);
	assert_int_equal(a->swap, b->swap);
	assert_int_equal(a->compare, b->compare);
	assert_int_equal(a->orig, b->orig);
}

static void test_vectors_parse(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		u8 frame[FRAME_MAX];
		u32 len = vector_frame(&vectors[i], frame);
		struct roce_frame rf;

		print_message("%s\n", vectors[i].name);
		assert_int_equal(roce_parse(frame, len, &rf), ROCE_OK);
		check_hdr(&rf.h, &vectors[i].h);
		assert_int_equal(rf.len, vectors[i].len);
	}
}

/* Building from the parsed values gives the same bytes again. */
static void test_vectors_rebuild(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		u8 frame[FRAME_MAX], out[FRAME_MAX] = { 0 };
		u32 len = vector_frame(&vectors[i], frame);
		struct roce_frame rf;
		u32 at;

		assert_int_equal(roce_parse(frame, len, &rf), ROCE_OK);
		at = roce_build(out, &rf.path, &rf.h, rf.len,
				rf.path.ipv4 ? get16be(rf.ip + 4) : 0);
		memcpy(out + at, rf.data, rf.len);
		assert_int_equal(roce_seal(out, at, rf.len), len);
		assert_memory_equal(out, frame, len);
	}
}

static void test_every_flipped_bit(void **state)
{
	u8 frame[FRAME_MAX];
	u32 len = vector_frame(&vectors[0], frame);
	u32 passed = 0;

	(void)state;
	for (u32 bit = 14 * 8; bit < len * 8; bit++) {
		struct roce_frame rf;
		u32 at = bit / 8 - 14;

		frame[bit / 8] ^= (u8)(1 << bit % 8);
		/* The UDP checksum and byte 4 of the BTH may change on the way. */
		if (roce_parse(frame, len, &rf) == ROCE_OK) {
			assert_true(at == 26 || at == 27 || at == 32);
			passed++;
		}
		frame[bit / 8] ^= (u8)(1 << bit % 8);
	}
	assert_int_equal(passed, 24);
}

static void test_every_length(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		u8 frame[FRAME_MAX];
		u32 len = vector_frame(&vectors[i], frame);
		struct roce_frame rf;

		for (u32 n = 0; n < len; n++)
			assert_int_not_equal(roce_parse(frame, n, &rf), ROCE_OK);
		/* Padding of short Ethernet frames does not count. */
		memset(frame + len, 0xEE, 20);
		assert_int_equal(roce_parse(frame, len + 20, &rf), ROCE_OK);
		assert_int_equal(rf.len, vectors[i].len);
	}
}

static void test_vlan(void **state)
{
	u8 frame[FRAME_MAX], out[FRAME_MAX];
	u32 len = vector_frame(&vectors[0], frame);
	struct roce_frame rf, again;
	u32 at;

	(void)state;
	assert_int_equal(roce_parse(frame, len, &rf), ROCE_OK);
	rf.path.vlan = true;
	rf.path.vlan_tag = 0x6005;
	at = roce_build(out, &rf.path, &rf.h, rf.len, 0x1234);
	memcpy(out + at, rf.data, rf.len);
	assert_int_equal(roce_seal(out, at, rf.len), len + 4);
	assert_int_equal(get16be(out + 12), 0x8100);
	assert_int_equal(get16be(out + 14), 0x6005);
	/* The tag is outside the ICRC: the IP packet is the same. */
	assert_memory_equal(out + 18, frame + 14, len - 14);
	assert_int_equal(roce_parse(out, len + 4, &again), ROCE_OK);
	assert_true(again.path.vlan);
	assert_int_equal(again.path.vlan_tag, 0x6005);
}

static void test_others_are_not_roce(void **state)
{
	u8 frame[FRAME_MAX];
	u32 len = vector_frame(&vectors[0], frame);
	struct roce_frame rf;

	(void)state;
	put16be(frame + 12, 0x0806);
	assert_int_equal(roce_parse(frame, len, &rf), ROCE_NOT);
	len = vector_frame(&vectors[0], frame);
	frame[14 + 9] = 6;
	assert_int_equal(roce_parse(frame, len, &rf), ROCE_NOT);
	len = vector_frame(&vectors[0], frame);
	put16be(frame + 14 + 22, 53);
	assert_int_equal(roce_parse(frame, len, &rf), ROCE_NOT);
}

static void test_source_port(void **state)
{
	(void)state;
	/* Seen between two rxe guests with QPNs 0x11 and 0x11. */
	assert_int_equal(roce_sport(0, 0x11, 0x11), 0xC121);
	assert_int_equal(roce_sport(0, 0x15, 0x15), 0xC1B9);
	assert_int_equal(roce_sport(0, 3, 0x12345), roce_sport(0, 0x12345, 3));
	assert_int_equal(roce_sport(0x4001, 1, 1), 0xC000);
}

static void test_psn_circle(void **state)
{
	(void)state;
	assert_int_equal(psn_add(0xFFFFFF, 1), 0);
	assert_int_equal(psn_diff(0, 0xFFFFFF), 1);
	assert_int_equal(psn_diff(0xFFFFFF, 0), -1);
	assert_int_equal(psn_diff(0x7FFFFF, 0), 0x7FFFFF);
	assert_true(psn_diff(0x800000, 0) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors_parse),
		cmocka_unit_test(test_vectors_rebuild),
		cmocka_unit_test(test_every_flipped_bit),
		cmocka_unit_test(test_every_length),
		cmocka_unit_test(test_vlan),
		cmocka_unit_test(test_others_are_not_roce),
		cmocka_unit_test(test_source_port),
		cmocka_unit_test(test_psn_circle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
