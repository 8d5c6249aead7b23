// SPDX-License-Identifier: GPL-2.0
/*
 * What kind of packet a frame is, and receive-side scaling: the Toeplitz hash over
 * addresses and ports.
 *
 * TCP and UDP that is not fragmented is spread by addresses and ports, other IP
 * by addresses, everything else goes to receive queue 0. Any stack of VLAN tags
 * is skipped.
 */
#include <string.h>

#include "lan_priv.h"

#define ETH_IPV4	0x0800u
#define ETH_IPV6	0x86ddu
#define ETH_VLAN	0x8100u
#define ETH_QINQ	0x88a8u
#define IP_TCP		6u
#define IP_UDP		17u

/* The 32 key bits that begin at bit @bit. */
static u32 key_window(const u8 *key, u32 bit)
{
	u64 w = (u64)get32be(key + bit / 8) << 8 | key[bit / 8 + 4];

	return (u32)(w >> (8 - bit % 8));
}

void lan_rss_set_key(struct lan_rss *rss, const u8 *key)
{
	for (u32 pos = 0; pos < 2 * RSS_INPUT_MAX; pos++) {
		u32 *hash = rss->hash[pos];

		hash[0] = 0;
		for (u32 bit = 0; bit < 4; bit++) {
			u32 top = 1u << bit;

			hash[top] = key_window(key, pos * 4 + 3 - bit);
			for (u32 val = 1; val < top; val++)
				hash[top + val] = hash[top] ^ hash[val];
		}
	}
}

/* @len: at most RSS_INPUT_MAX */
u32 lan_rss_hash(const struct lan_rss *rss, const u8 *data, u32 len)
{
	u32 hash = 0;

	for (u32 i = 0; i < len; i++)
		hash ^= rss->hash[2 * i][data[i] >> 4] ^ rss->hash[2 * i + 1][data[i] & 0xf];
	return hash;
}

const struct lan_ptype lan_ptypes[LAN_PTYPES] = {
	[LAN_PT_L2] = { 2, { VC_PROTO_MAC, VC_PROTO_PAY } },
	[LAN_PT_IPV4] = { 3, { VC_PROTO_MAC, VC_PROTO_IPV4, VC_PROTO_PAY } },
	[LAN_PT_IPV4_UDP] = { 4, { VC_PROTO_MAC, VC_PROTO_IPV4, VC_PROTO_UDP, VC_PROTO_PAY } },
	[LAN_PT_IPV4_TCP] = { 4, { VC_PROTO_MAC, VC_PROTO_IPV4, VC_PROTO_TCP, VC_PROTO_PAY } },
	[LAN_PT_IPV6] = { 3, { VC_PROTO_MAC, VC_PROTO_IPV6, VC_PROTO_PAY } },
	[LAN_PT_IPV6_UDP] = { 4, { VC_PROTO_MAC, VC_PROTO_IPV6, VC_PROTO_UDP, VC_PROTO_PAY } },
	[LAN_PT_IPV6_TCP] = { 4, { VC_PROTO_MAC, VC_PROTO_IPV6, VC_PROTO_TCP, VC_PROTO_PAY } },
};

/**
 * struct input - what is hashed of a frame
 * @ptype: kind of packet; the UDP and TCP kinds follow that of their IP
 * @len: bytes in @data; 0: nothing to hash
 */
struct input {
	u16 ptype;
	u32 len;
	u8 data[RSS_INPUT_MAX];
};

/* Adds the ports if @proto has them and they are in the frame. */
static void add_ports(struct input *in, u8 proto, const u8 *l4, u32 left)
{
	if ((proto != IP_TCP && proto != IP_UDP) || left < 4)
		return;
	memcpy(in->data + in->len, l4, 4);
	in->len += 4;
	in->ptype += proto == IP_UDP ? 1 : 2;
}

static void parse_ipv4(struct input *in, const u8 *ip, u32 left)
{
	u32 hlen;

	if (left < 20)
		return;
	in->ptype = LAN_PT_IPV4;
	in->len = 8;
	memcpy(in->data, ip + 12, 8);
	hlen = (ip[0] & 15u) * 4;
	if (get16be(ip + 6) & 0x3fff || hlen < 20 || left < hlen)
		return;		/* a fragment has no ports, or not in each */
	add_ports(in, ip[9], ip + hlen, left - hlen);
}

static void parse_ipv6(struct input *in, const u8 *ip, u32 left)
{
	if (left < 40)
		return;
	in->ptype = LAN_PT_IPV6;
	in->len = 32;
	memcpy(in->data, ip + 8, 32);
	add_ports(in, ip[6], ip + 40, left - 40);
}

static void parse(struct input *in, const u8 *frame, u32 len)
{
	u32 pos = 12, type = get16be(frame + 12);

	while ((type == ETH_VLAN || type == ETH_QINQ) && pos + 6 <= len) {
		pos += 4;
		type = get16be(frame + pos);
	}
	pos += 2;
	if (type == ETH_IPV4)
		parse_ipv4(in, frame + pos, len - pos);
	else if (type == ETH_IPV6)
		parse_ipv6(in, frame + pos, len - pos);
}

struct lan_flow lan_flow(const struct lan_rss *rss, const u8 *frame, u32 len)
{
	struct input in = { .ptype = LAN_PT_L2 };
	struct lan_flow flow = {};

	parse(&in, frame, len);
	flow.ptype = in.ptype;
	flow.hashed = in.len;
	if (!flow.hashed)
		return flow;
	flow.hash = lan_rss_hash(rss, in.data, in.len);
	flow.queue = rss->lut[flow.hash % RSS_LUT_SIZE];
	return flow;
}
