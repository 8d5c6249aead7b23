/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RoCEv2 packets: Ethernet, 802.1Q, IPv4 or IPv6, UDP, BTH, extension headers,
 * payload, pad and ICRC, to plain values and back.
 */
#ifndef NIC_ROCE_PACKET_H
#define NIC_ROCE_PACKET_H

#include "../types.h"

#define ROCE_UDP_PORT	4791u
#define ROCE_ICRC_BYTES	4u
#define ROCE_GRH_BYTES	40u
/* Ethernet, VLAN tag, IPv6, UDP, BTH, the largest extension headers, pad, ICRC. */
#define ROCE_OVERHEAD	(14u + 4u + 40u + 8u + 12u + 28u + 3u + 4u)
#define ROCE_PSN_MASK	0xFFFFFFu
#define ROCE_QPN_MCAST	0xFFFFFFu

/* BTH opcodes, transport bits included. */
enum roce_op {
	RC_SEND_FIRST = 0x00, RC_SEND_MIDDLE, RC_SEND_LAST, RC_SEND_LAST_IMM,
	RC_SEND_ONLY, RC_SEND_ONLY_IMM,
	RC_WRITE_FIRST, RC_WRITE_MIDDLE, RC_WRITE_LAST, RC_WRITE_LAST_IMM,
	RC_WRITE_ONLY, RC_WRITE_ONLY_IMM,
	RC_READ_REQUEST, RC_READ_FIRST, RC_READ_MIDDLE, RC_READ_LAST, RC_READ_ONLY,
	RC_ACK, RC_ATOMIC_ACK, RC_CMP_SWAP, RC_FETCH_ADD,
	RC_SEND_LAST_INV = 0x16, RC_SEND_ONLY_INV = 0x17,
	UD_SEND_ONLY = 0x64, UD_SEND_ONLY_IMM = 0x65,
	ROCE_CNP = 0x81,
};

/* What an opcode carries and means. */
#define OPF_RETH	0x0001u
#define OPF_AETH	0x0002u
#define OPF_DETH	0x0004u
#define OPF_IMM		0x0008u
#define OPF_IETH	0x0010u
#define OPF_ATOMIC	0x0020u		/* AtomicETH */
#define OPF_ATOMIC_ACK	0x0040u
#define OPF_FIRST	0x0080u
#define OPF_LAST	0x0100u
#define OPF_SEND	0x0200u
#define OPF_WRITE	0x0400u
#define OPF_READ	0x0800u
#define OPF_PAYLOAD	0x1000u
#define OPF_REQUEST	0x2000u		/* for the responder; others are for the requester */
#define OPF_KNOWN	0x8000u
/* OPF_ bits of @opcode; 0: not in the table. */
u32 roce_op_flags(u8 opcode);

/* AETH syndromes. */
#define AETH_ACK	0x1Fu		/* "no flow control" */
#define AETH_RNR	0x20u		/* | timer code */
#define AETH_NAK_SEQ	0x60u
#define AETH_NAK_INV	0x61u
#define AETH_NAK_ACCESS	0x62u
#define AETH_NAK_OP	0x63u
#define AETH_IS_ACK(s)	(((s) & 0xE0u) == 0x00u)
#define AETH_IS_RNR(s)	(((s) & 0xE0u) == 0x20u)

/**
 * struct roce_path - addresses of a packet
 * @sip, @dip: 16 bytes in network order, IPv4 as ::ffff:a.b.c.d
 * @vlan_tag: priority 15:13, VLAN id 11:0, when @vlan
 * @sport: UDP source port
 */
struct roce_path {
	u8 dmac[6], smac[6];
	bool vlan, ipv4;
	u16 vlan_tag;
	u8 sip[16], dip[16];
	u8 tos, ttl;
	u32 flow_label;
	u16 sport;
};

/**
 * struct roce_hdr - BTH and extension headers
 * @imm: the number that the verbs user means, in host order
 * @msn, @psn, @dqpn, @sqpn: 24 bits
 */
struct roce_hdr {
	u8 opcode;
	bool se, migreq, ackreq, fecn, becn;
	u16 pkey;
	u32 dqpn, psn;
	u64 va;
	u32 rkey, dma_len;
	u8 syndrome;
	u32 msn;
	u32 qkey, sqpn;
	u32 imm, inv_rkey;
	u64 swap, compare, orig;
};

/**
 * struct roce_frame - a parsed frame
 * @data, @len: payload inside the frame, pad not counted
 * @ip, @ip_len: the IP header inside the frame
 */
struct roce_frame {
	struct roce_path path;
	struct roce_hdr h;
	const u8 *data;
	u32 len;
	const u8 *ip;
	u32 ip_len;
};

enum roce_parse {
	ROCE_OK,
	ROCE_NOT,		/* another protocol */
	ROCE_MALFORMED,		/* lengths, versions, checksums, or an unknown opcode */
	ROCE_BAD_ICRC,		/* everything else is right; @rf is filled */
};
/* The frame without FCS, @len bytes; trailing Ethernet padding is ignored. */
enum roce_parse roce_parse(const u8 *frame, u32 len, struct roce_frame *rf);

/*
 * Headers into @buf, which has room for ROCE_OVERHEAD + @payload bytes. Returns
 * where the payload goes; roce_seal() adds pad and ICRC and returns the frame's
 * length once it is there.
 */
u32 roce_build(u8 *buf, const struct roce_path *path, const struct roce_hdr *h, u32 payload,
	       u16 ip_id);
u32 roce_seal(u8 *buf, u32 payload_at, u32 payload);

/* ICRC of an IP packet whose last 4 bytes are where it goes; @len with them. */
u32 roce_icrc(const u8 *ip, u32 len);

/* UDP source port of a connection: from the flow label, else from both QPNs. */
u16 roce_sport(u32 flow_label, u32 qpn, u32 dest_qpn);

static inline u32 psn_add(u32 psn, u32 n) { return (psn + n) & ROCE_PSN_MASK; }
/* Signed distance a - b on the 24-bit circle. */
static inline int psn_diff(u32 a, u32 b) { return (int)((a - b) << 8) >> 8; }

#endif
