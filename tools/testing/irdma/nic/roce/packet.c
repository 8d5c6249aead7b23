// SPDX-License-Identifier: GPL-2.0
/*
 * RoCEv2 packet formats. Pure functions over bytes: no object, no guest memory.
 *
 * The ICRC covers what no router may change. Fields that may change count as
 * ones: 8 bytes in the place of the link header, IPv4 TOS, TTL and checksum,
 * IPv6 class, flow label and hop limit, the UDP checksum, and byte 4 of the BTH.
 */
#include "packet.h"

#include <string.h>
#include <zlib.h>

#define ETH_P_IPV4	0x0800u
#define ETH_P_IPV6	0x86DDu
#define ETH_P_8021Q	0x8100u
#define IPPROTO_UDP_NR	17u
#define IPV4_BYTES	20u
#define IPV6_BYTES	40u
#define UDP_BYTES	8u
#define BTH_BYTES	12u
#define CNP_BYTES	16u

static const u16 op_flags[256] = {
#define REQ	(OPF_KNOWN | OPF_REQUEST)
#define DATA	OPF_PAYLOAD
#define FIRST	OPF_FIRST
#define LAST	OPF_LAST
#define ONLY	(OPF_FIRST | OPF_LAST)
	[RC_SEND_FIRST]		= REQ | OPF_SEND | DATA | FIRST,
	[RC_SEND_MIDDLE]	= REQ | OPF_SEND | DATA,
	[RC_SEND_LAST]		= REQ | OPF_SEND | DATA | LAST,
	[RC_SEND_LAST_IMM]	= REQ | OPF_SEND | DATA | LAST | OPF_IMM,
	[RC_SEND_ONLY]		= REQ | OPF_SEND | DATA | ONLY,
	[RC_SEND_ONLY_IMM]	= REQ | OPF_SEND | DATA | ONLY | OPF_IMM,
	[RC_SEND_LAST_INV]	= REQ | OPF_SEND | DATA | LAST | OPF_IETH,
	[RC_SEND_ONLY_INV]	= REQ | OPF_SEND | DATA | ONLY | OPF_IETH,
	[RC_WRITE_FIRST]	= REQ | OPF_WRITE | DATA | FIRST | OPF_RETH,
	[RC_WRITE_MIDDLE]	= REQ | OPF_WRITE | DATA,
	[RC_WRITE_LAST]		= REQ | OPF_WRITE | DATA | LAST,
	[RC_WRITE_LAST_IMM]	= REQ | OPF_WRITE | DATA | LAST | OPF_IMM,
	[RC_WRITE_ONLY]		= REQ | OPF_WRITE | DATA | ONLY | OPF_RETH,
	[RC_WRITE_ONLY_IMM]	= REQ | OPF_WRITE | DATA | ONLY | OPF_RETH | OPF_IMM,
	[RC_READ_REQUEST]	= REQ | OPF_READ | ONLY | OPF_RETH,
	[RC_CMP_SWAP]		= REQ | ONLY | OPF_ATOMIC,
	[RC_FETCH_ADD]		= REQ | ONLY | OPF_ATOMIC,
	[RC_READ_FIRST]		= OPF_KNOWN | OPF_READ | DATA | FIRST | OPF_AETH,
	[RC_READ_MIDDLE]	= OPF_KNOWN | OPF_READ | DATA,
	[RC_READ_LAST]		= OPF_KNOWN | OPF_READ | DATA | LAST | OPF_AETH,
	[RC_READ_ONLY]		= OPF_KNOWN | OPF_READ | DATA | ONLY | OPF_AETH,
	[RC_ACK]		= OPF_KNOWN | OPF_AETH,
	[RC_ATOMIC_ACK]		= OPF_KNOWN | OPF_AETH | OPF_ATOMIC_ACK,
	[UD_SEND_ONLY]		= REQ | OPF_SEND | DATA | ONLY | OPF_DETH,
	[UD_SEND_ONLY_IMM]	= REQ | OPF_SEND | DATA | ONLY | OPF_DETH | OPF_IMM,
	[ROCE_CNP]		= OPF_KNOWN,
#undef REQ
#undef DATA
#undef FIRST
#undef LAST
#undef ONLY
};

u32 roce_op_flags(u8 opcode)
{
	return op_flags[opcode];
}

static u32 ext_bytes(u8 opcode)
{
	u32 f = op_flags[opcode];

	if (opcode == ROCE_CNP)
		return CNP_BYTES;
	return (f & OPF_DETH ? 8 : 0) + (f & OPF_RETH ? 16 : 0) + (f & OPF_AETH ? 4 : 0) +
	       (f & OPF_ATOMIC ? 28 : 0) + (f & OPF_ATOMIC_ACK ? 8 : 0) +
	       (f & OPF_IMM ? 4 : 0) + (f & OPF_IETH ? 4 : 0);
}

u32 roce_icrc(const u8 *ip, u32 len)
{
	u8 pseudo[8 + IPV6_BYTES + UDP_BYTES + BTH_BYTES];
	bool v4 = ip[0] >> 4 == 4;
	u32 iplen = v4 ? IPV4_BYTES : IPV6_BYTES;
	u32 head = iplen + UDP_BYTES + BTH_BYTES;
	u8 *p = pseudo + 8;
	uLong crc;

	memset(pseudo, 0xFF, 8);
	memcpy(p, ip, head);
	if (v4) {
		p[1] = p[8] = p[10] = p[11] = 0xFF;
	} else {
		p[0] |= 0x0F;
		p[1] = p[2] = p[3] = p[7] = 0xFF;
	}
	p[iplen + 6] = p[iplen + 7] = 0xFF;
	p[iplen + UDP_BYTES + 4] = 0xFF;
	crc = crc32(0, pseudo, 8 + head);
	return (u32)crc32(crc, ip + head, len - head - ROCE_ICRC_BYTES);
}

static u16 ipv4_checksum(const u8 *ip)
{
	u32 sum = 0;

	for (u32 i = 0; i < IPV4_BYTES; i += 2)
		sum += get16be(ip + i);
	while (sum >> 16)
		sum = (sum & 0xFFFF) + (sum >> 16);
	return (u16)~sum;
}

static void map_ipv4(u8 out[16], const u8 *addr)
{
	memset(out, 0, 10);
	out[10] = out[11] = 0xFF;
	memcpy(out + 12, addr, 4);
}

/* Returns the bytes of the Ethernet header, 0 if the frame is no IP. */
static u32 parse_eth(const u8 *frame, u32 len, struct roce_path *path)
{
	u32 at = 14;
	u16 type;

	if (len < 18)
		return 0;
	memcpy(path->dmac, frame, 6);
	memcpy(path->smac, frame + 6, 6);
	type = get16be(frame + 12);
	path->vlan = type == ETH_P_8021Q;
	path->vlan_tag = 0;
	if (path->vlan) {
		path->vlan_tag = get16be(frame + 14);
		type = get16be(frame + 16);
		at = 18;
	}
	if (type != ETH_P_IPV4 && type != ETH_P_IPV6)
		return 0;
	path->ipv4 = type == ETH_P_IPV4;
	return at;
}

/* Sets *@ip_total to the bytes of the IP packet. */
static enum roce_parse parse_ipv4(const u8 *ip, u32 len, struct roce_frame *rf, u32 *ip_total)
{
	struct roce_path *path = &rf->path;

	if (len < IPV4_BYTES + UDP_BYTES || ip[9] != IPPROTO_UDP_NR)
		return ROCE_NOT;
	rf->ip_len = IPV4_BYTES;
	*ip_total = get16be(ip + 2);
	/* Fragments and options never belong to a RoCEv2 packet. */
	if (ip[0] != 0x45 || (get16be(ip + 6) & 0x3FFF))
		return ROCE_NOT;
	if (*ip_total > len || ipv4_checksum(ip))
		return ROCE_MALFORMED;
	path->tos = ip[1];
	path->ttl = ip[8];
	path->flow_label = 0;
	map_ipv4(path->sip, ip + 12);
	map_ipv4(path->dip, ip + 16);
	return ROCE_OK;
}

static enum roce_parse parse_ipv6(const u8 *ip, u32 len, struct roce_frame *rf, u32 *ip_total)
{
	struct roce_path *path = &rf->path;

	if (len < IPV6_BYTES + UDP_BYTES || ip[6] != IPPROTO_UDP_NR)
		return ROCE_NOT;
	rf->ip_len = IPV6_BYTES;
	*ip_total = IPV6_BYTES + get16be(ip + 4);
	if (ip[0] >> 4 != 6 || *ip_total > len)
		return ROCE_MALFORMED;
	path->tos = (u8)(get16be(ip) >> 4);
	path->flow_label = get32be(ip) & 0xFFFFF;
	path->ttl = ip[7];
	memcpy(path->sip, ip + 8, 16);
	memcpy(path->dip, ip + 24, 16);
	return ROCE_OK;
}

static void parse_ext(const u8 *p, struct roce_hdr *h)
{
	u32 f = op_flags[h->opcode];

	if (f & OPF_DETH) {
		h->qkey = get32be(p);
		h->sqpn = get32be(p + 4) & ROCE_PSN_MASK;
		p += 8;
	}
	if (f & (OPF_RETH | OPF_ATOMIC)) {
		h->va = get64be(p);
		h->rkey = get32be(p + 8);
		if (f & OPF_RETH) {
			h->dma_len = get32be(p + 12);
			p += 16;
		} else {
			h->swap = get64be(p + 12);
			h->compare = get64be(p + 20);
			p += 28;
		}
	}
	if (f & OPF_AETH) {
		h->syndrome = p[0];
		h->msn = get32be(p) & ROCE_PSN_MASK;
		p += 4;
	}
	if (f & OPF_ATOMIC_ACK)
		h->orig = get64be(p);
	if (f & OPF_IMM)
		h->imm = get32be(p);
	if (f & OPF_IETH)
		h->inv_rkey = get32be(p);
}

/* @len: bytes from BTH to ICRC. */
static enum roce_parse parse_ib(const u8 *bth, u32 len, struct roce_frame *rf)
{
	struct roce_hdr *h = &rf->h;
	u32 head, pad;

	memset(h, 0, sizeof(*h));
	h->opcode = bth[0];
	if ((bth[1] & 0x0F) || !op_flags[h->opcode])
		return ROCE_MALFORMED;
	head = BTH_BYTES + ext_bytes(h->opcode);
	pad = (bth[1] >> 4) & 3;
	if (!CHECKED(len >= head + pad + ROCE_ICRC_BYTES) || len % 4)
		return ROCE_MALFORMED;
	h->se = bth[1] & 0x80;
	h->migreq = bth[1] & 0x40;
	h->pkey = get16be(bth + 2);
	h->fecn = bth[4] & 0x80;
	h->becn = bth[4] & 0x40;
	h->dqpn = get32be(bth + 4) & ROCE_PSN_MASK;
	h->ackreq = bth[8] & 0x80;
	h->psn = get32be(bth + 8) & ROCE_PSN_MASK;
	parse_ext(bth + BTH_BYTES, h);
	rf->data = bth + head;
	rf->len = len - head - pad - ROCE_ICRC_BYTES;
	if (rf->len && !(op_flags[h->opcode] & OPF_PAYLOAD))
		return ROCE_MALFORMED;
	return ROCE_OK;
}

enum roce_parse roce_parse(const u8 *frame, u32 len, struct roce_frame *rf)
{
	u32 at = parse_eth(frame, len, &rf->path);
	enum roce_parse ret;
	u32 ip_total, ib_len;
	const u8 *udp;

	if (!at)
		return ROCE_NOT;
	rf->ip = frame + at;
	ret = rf->path.ipv4 ? parse_ipv4(rf->ip, len - at, rf, &ip_total) :
			      parse_ipv6(rf->ip, len - at, rf, &ip_total);
	if (ret == ROCE_NOT)
		return ret;
	udp = rf->ip + rf->ip_len;
	if (get16be(udp + 2) != ROCE_UDP_PORT)
		return ROCE_NOT;
	if (ret)
		return ret;
	if (ip_total < rf->ip_len + UDP_BYTES + BTH_BYTES + ROCE_ICRC_BYTES ||
	    get16be(udp + 4) != ip_total - rf->ip_len)
		return ROCE_MALFORMED;
	rf->path.sport = get16be(udp);
	ib_len = ip_total - rf->ip_len - UDP_BYTES;
	ret = parse_ib(udp + UDP_BYTES, ib_len, rf);
	if (ret)
		return ret;
	if (roce_icrc(rf->ip, ip_total) != get32(rf->ip + ip_total - ROCE_ICRC_BYTES))
		return ROCE_BAD_ICRC;
	return ROCE_OK;
}

static u8 *build_eth(u8 *p, const struct roce_path *path)
{
	memcpy(p, path->dmac, 6);
	memcpy(p + 6, path->smac, 6);
	p += 12;
	if (path->vlan) {
		put16be(p, ETH_P_8021Q);
		put16be(p + 2, path->vlan_tag);
		p += 4;
	}
	put16be(p, path->ipv4 ? ETH_P_IPV4 : ETH_P_IPV6);
	return p + 2;
}

/* @len: bytes after the IP header. */
static u8 *build_ip(u8 *p, const struct roce_path *path, u32 len, u16 ip_id)
{
	if (!path->ipv4) {
		put32be(p, 6u << 28 | (u32)path->tos << 20 | (path->flow_label & 0xFFFFF));
		put16be(p + 4, (u16)len);
		p[6] = IPPROTO_UDP_NR;
		p[7] = path->ttl;
		memcpy(p + 8, path->sip, 16);
		memcpy(p + 24, path->dip, 16);
		return p + IPV6_BYTES;
	}
	p[0] = 0x45;
	p[1] = path->tos;
	put16be(p + 2, (u16)(IPV4_BYTES + len));
	put16be(p + 4, ip_id);
	put16be(p + 6, 0x4000);
	p[8] = path->ttl;
	p[9] = IPPROTO_UDP_NR;
	put16be(p + 10, 0);
	memcpy(p + 12, path->sip + 12, 4);
	memcpy(p + 16, path->dip + 12, 4);
	put16be(p + 10, ipv4_checksum(p));
	return p + IPV4_BYTES;
}

static u8 *build_ext(u8 *p, const struct roce_hdr *h)
{
	u32 f = op_flags[h->opcode];

	if (f & OPF_DETH) {
		put32be(p, h->qkey);
		put32be(p + 4, h->sqpn & ROCE_PSN_MASK);
		p += 8;
	}
	if (f & (OPF_RETH | OPF_ATOMIC)) {
		put64be(p, h->va);
		put32be(p + 8, h->rkey);
		p += 12;
	}
	if (f & OPF_RETH) {
		put32be(p, h->dma_len);
		p += 4;
	}
	if (f & OPF_ATOMIC) {
		put64be(p, h->swap);
		put64be(p + 8, h->compare);
		p += 16;
	}
	if (f & OPF_AETH) {
		put32be(p, (u32)h->syndrome << 24 | (h->msn & ROCE_PSN_MASK));
		p += 4;
	}
	if (f & OPF_ATOMIC_ACK) {
		put64be(p, h->orig);
		p += 8;
	}
	if (f & (OPF_IMM | OPF_IETH)) {
		put32be(p, f & OPF_IMM ? h->imm : h->inv_rkey);
		p += 4;
	}
	if (h->opcode == ROCE_CNP) {
		memset(p, 0, CNP_BYTES);
		p += CNP_BYTES;
	}
	return p;
}

static u32 pad_of(u32 payload)
{
	return -payload & 3;
}

u32 roce_build(u8 *buf, const struct roce_path *path, const struct roce_hdr *h, u32 payload,
	       u16 ip_id)
{
	u32 ib = BTH_BYTES + ext_bytes(h->opcode) + payload + pad_of(payload) + ROCE_ICRC_BYTES;
	u8 *p = build_ip(build_eth(buf, path), path, UDP_BYTES + ib, ip_id);

	put16be(p, path->sport);
	put16be(p + 2, ROCE_UDP_PORT);
	put16be(p + 4, (u16)(UDP_BYTES + ib));
	put16be(p + 6, 0);
	p += UDP_BYTES;

	p[0] = h->opcode;
	p[1] = (u8)((h->se ? 0x80 : 0) | (h->migreq ? 0x40 : 0) | pad_of(payload) << 4);
	put16be(p + 2, h->pkey);
	put32be(p + 4, (h->fecn ? 1u << 31 : 0) | (h->becn ? 1u << 30 : 0) |
		(h->dqpn & ROCE_PSN_MASK));
	put32be(p + 8, (h->ackreq ? 1u << 31 : 0) | (h->psn & ROCE_PSN_MASK));
	return (u32)(build_ext(p + BTH_BYTES, h) - buf);
}

u32 roce_seal(u8 *buf, u32 payload_at, u32 payload)
{
	u32 ip_at = get16be(buf + 12) == ETH_P_8021Q ? 18 : 14;
	u32 end = payload_at + payload + pad_of(payload) + ROCE_ICRC_BYTES;

	memset(buf + payload_at + payload, 0, pad_of(payload));
	put32(buf + end - ROCE_ICRC_BYTES, roce_icrc(buf + ip_at, end - ip_at));
	return end;
}

u16 roce_sport(u32 flow_label, u32 qpn, u32 dest_qpn)
{
	u32 fl = flow_label & 0xFFFFF;

	if (!fl) {
		u64 v = (u64)qpn * dest_qpn;

		v ^= v >> 20;
		v ^= v >> 40;
		fl = v & 0xFFFFF;
	}
	return (u16)(((fl & 0x3FFF) ^ ((fl & 0xFC000) >> 14)) | 0xC000);
}
