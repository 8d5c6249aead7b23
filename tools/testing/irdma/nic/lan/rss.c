// SPDX-License-Identifier: GPL-2.0
/*
 * Receive-side scaling: the Toeplitz hash over addresses and ports.
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
	for (u32 pos = 0; pos < RSS_INPUT_MAX; pos++) {
		u32 *hash = rss->hash[pos];

		hash[0] = 0;
		for (u32 bit = 0; bit < 8; bit++) {
			u32 top = 1u << bit;

			hash[top] = key_window(key, pos * 8 + 7 - bit);
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
		hash ^= rss->hash[i][data[i]];
	return hash;
}

/* Appends the ports if @proto has them and they are in the frame. */
static u32 with_ports(u8 *input, u32 have, u8 proto, const u8 *l4, u32 left)
{
	if ((proto != IP_TCP && proto != IP_UDP) || left < 4)
		return have;
	memcpy(input + have, l4, 4);
	return have + 4;
}

static u32 input_ipv4(u8 *input, const u8 *ip, u32 left)
{
	u32 hlen;

	if (left < 20)
		return 0;
	memcpy(input, ip + 12, 8);
	hlen = (ip[0] & 15u) * 4;
	if (get16be(ip + 6) & 0x3fff || hlen < 20 || left < hlen)
		return 8;	/* a fragment has no ports, or not in each */
	return with_ports(input, 8, ip[9], ip + hlen, left - hlen);
}

static u32 input_ipv6(u8 *input, const u8 *ip, u32 left)
{
	if (left < 40)
		return 0;
	memcpy(input, ip + 8, 32);
	return with_ports(input, 32, ip[6], ip + 40, left - 40);
}

/* What is hashed of a frame; returns its length, 0 if it is not IP. */
static u32 hash_input(u8 *input, const u8 *frame, u32 len)
{
	u32 pos = 12, type = get16be(frame + 12);

	while ((type == ETH_VLAN || type == ETH_QINQ) && pos + 6 <= len) {
		pos += 4;
		type = get16be(frame + pos);
	}
	pos += 2;
	if (type == ETH_IPV4)
		return input_ipv4(input, frame + pos, len - pos);
	if (type == ETH_IPV6)
		return input_ipv6(input, frame + pos, len - pos);
	return 0;
}

/* @len: at least an Ethernet header */
u32 lan_rss_queue(const struct lan_rss *rss, const u8 *frame, u32 len)
{
	u8 input[RSS_INPUT_MAX];
	u32 n = hash_input(input, frame, len);

	return n ? rss->lut[lan_rss_hash(rss, input, n) % RSS_LUT_SIZE] : 0;
}
