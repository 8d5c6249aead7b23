/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RDMA objects: what the control side (ctl/) makes and the data side (roce/) uses.
 *
 * ctl/ owns every object's life; roce/ hangs its transport state on qp->roce and is
 * told of changes by the roce_* calls at the end. All ids come from guests: the
 * look-up functions check range and existence and return NULL.
 */
#ifndef NIC_OBJECTS_H
#define NIC_OBJECTS_H

#include "../types.h"

struct nic;
struct rdma;
struct roce_qp;

enum qp_type { QP_RC = 3, QP_UD = 4 };			/* CQP create QP w24 50:48 */
enum qp_state { QPS_INVALID, QPS_IDLE, QPS_RTS, QPS_SQD, QPS_RTR, QPS_TERMINATE, QPS_ERROR };

/**
 * struct rdma_ring - a work queue in guest memory
 * @base: bus address, or with @pbl the index of the first page-list entry (4 KiB pages);
 *	with @two_level that of the root list
 * @quanta: ring size in 32-byte units, a power of two
 * @stride: quanta per WQE (RQ, SRQ); 1 for the SQ
 * @index: next quantum to look at; @polarity: valid bit expected there
 */
struct rdma_ring {
	u64 base;
	bool pbl, two_level;
	u32 quanta, stride;
	u32 index;
	u8 polarity;
};

/**
 * struct qp_ctx - the RoCE QP context of the device, decoded to plain values
 *
 * IP addresses are 16 bytes in network order, IPv4 as ::ffff:a.b.c.d. MACs are
 * in transmission order.
 */
struct qp_ctx {
	bool ipv4, insert_vlan, use_srq;
	u8 sq_size_code, rq_size_code, rq_wqe_size_code;
	u64 sq_addr, rq_addr;
	u8 ttl, tos;
	u16 udp_sport, udp_dport;
	u8 dip[16], sip[16];
	u16 pmtu;		/* payload bytes */
	u16 vlan_tag, arp_idx;
	u32 flow_label;
	u16 pkey;
	u32 pd;
	u32 dest_qpn, qkey;
	u32 psn_nxt, psn_max, psn_una, epsn;
	u32 cwnd;
	u8 ack_credits, min_rnr_timer, retry_cnt, rnr_retry, min_rto, ack_timeout;
	u32 scqn, rcqn;
	u8 smac[6];
	u16 ord, ird;
	bool atomics, write_en, read_en, bind_en, fast_reg_en, priv, priv_cq;
	bool push_en, no_icrc_check, dcqcn, dctcp;
	u16 push_page;
	u64 comp_ctx;
	u16 qs_handle;
	u32 srqn;
};

struct rdma_qp {
	struct rdma *r;
	u32 id;			/* hardware QP id */
	u32 qpn;		/* on the wire: id, or 1 for the QP that ADD_VPORT names */
	enum qp_type type;
	enum qp_state state;
	u64 ctx_addr, shadow_addr;
	bool pbl, suspended;
	struct qp_ctx ctx;
	struct rdma_ring sq, rq;
	struct roce_qp *roce;
};

/**
 * struct rdma_cq - a completion queue; roce/ only reads @id and posts
 * @posted: entries written to the present ring; @last_solicited: value of @posted
 *	after the last one that a solicited-only arm waits for
 * @resizes: rings retired so far; @prev_size, @prev_index: the ring before this one
 * @rung: arm doorbells; @arms: of them, those acted upon, whose number modulo 4 is the
 *	sequence number of the last; @arm_any: not solicited only
 * @unacked: an event entry was written and not acknowledged yet
 * @users: QPs that complete here
 */
struct rdma_cq {
	struct rdma *r;
	u32 id;
	u32 size, entry_bytes;	/* entries; 32 or 64 */
	u64 base, shadow, context;
	bool pbl, two_level, check_overflow, ceqe_mask, ceq_valid, armed, overflowed;
	u32 ceq;
	u32 index;
	u8 polarity;
	u64 posted, last_solicited;
	u16 resizes;
	u32 prev_size, prev_index;
	u64 rung, arms;
	bool arm_any, unacked;
	u32 users;
};

struct rdma_srq {
	struct rdma *r;
	u32 id, pd;
	struct rdma_ring ring;
	u64 shadow, context;
	u32 limit;
	bool limit_armed;
	bool failed;		/* unusable; event 0x020F told of it */
	u32 users;		/* QPs that receive from it */
};

/* Access rights as in CQP w24 52:48 plus remote atomics. */
#define ACC_LOCAL_READ		0x01u
#define ACC_LOCAL_WRITE		0x02u
#define ACC_REMOTE_READ		0x04u
#define ACC_REMOTE_WRITE	0x08u
#define ACC_BIND		0x10u
#define ACC_REMOTE_ATOMIC	0x20u

/**
 * struct rdma_mr - an STag: region or window
 * @index: the whole 24-bit index field; @key: low 8 bits of the STag
 * @valid: false for an allocated region before its fast registration, an unbound or
 *	invalidated window
 * @fast: allocated for fast registration of at most @max_len bytes
 * @no_key_check: type 1 window whose old key a bind need not know
 * @keyed: window whose key a bind has told; ALLOC_STAG does not
 */
struct rdma_mr {
	struct rdma *r;
	u32 index;
	u8 key;
	bool region, valid, va_based, all_memory, remote, type1;
	bool fast, shared, no_key_check, keyed;
	u32 access, pd;
	u64 va, len;		/* @va: offset into the first page when not va_based */
	u64 max_len;
	u8 pbl_mode;		/* 0 contiguous, 1 one level, 3 two levels */
	u8 page_shift;
	u64 addr;		/* pbl_mode 0: bus address of the first page */
	u32 pble;		/* first entry, or root */
	u32 parent;		/* windows: index of the bound region */
	u32 windows;		/* regions: windows bound to it */
	u32 qp;			/* type 2 windows: QP that bound it */
};

struct rdma_ah {
	u32 id, pd;
	u8 smac[6], dmac[6];
	bool ipv4, insert_vlan, loopback;
	u16 vlan_tag, arp_idx;
	u8 tos, ttl;
	u32 flow_label;
	u8 dip[16], sip[16];
};

struct rdma_qp *rdma_qp_get(struct rdma *r, u32 id);
/* By destination QPN of a packet that came for vport address @dmac. */
struct rdma_qp *rdma_qp_by_wire(struct rdma *r, u32 qpn);
struct rdma_cq *rdma_cq_get(struct rdma *r, u32 id);
struct rdma_srq *rdma_srq_get(struct rdma *r, u32 id);
struct rdma_ah *rdma_ah_get(struct rdma *r, u32 id);
/* MAC of an ARP table entry; false: no such entry. */
bool rdma_arp_get(struct rdma *r, u16 idx, u8 mac[6]);
/* QP ids attached to a group address; returns how many were stored, at most @max. */
u32 rdma_mcast_members(struct rdma *r, const u8 dip[16], u16 vlan, u32 *qps, u32 max);
struct nic *rdma_nic(struct rdma *r);

/*
 * STag look-up and check. Returns 0 or the async event code (0x0102 ...) that names
 * the failed check. @need: one or more ACC_ bits, all required; @pd, @qp: of the user.
 * Zero length is never checked (callers skip it). @out: the region or window.
 */
u16 rdma_mr_check(struct rdma *r, u32 stag, u32 pd, u32 qp, bool remote, u32 need,
		  u64 addr, u64 len, struct rdma_mr **out);
struct rdma_mr *rdma_mr_get(struct rdma *r, u32 index);

/*
 * Walks the memory behind @mr from @addr (as the user of the STag counts): the bus
 * address and how many bytes are contiguous there, at most @len; 0: page list broken
 * (counted as a violation).
 */
u64 rdma_mr_segment(struct rdma_mr *mr, u64 addr, u64 len, u64 *bus);
/* Whole transfers; false: page list or memory not there. */
bool rdma_mr_read(struct rdma_mr *mr, u64 addr, void *buf, u64 len);
bool rdma_mr_write(struct rdma_mr *mr, u64 addr, const void *buf, u64 len);
/* From one NIC's region to another's (the loopback shortcut). */
bool rdma_mr_copy(struct rdma_mr *dst, u64 to, struct rdma_mr *src, u64 from, u64 len);
/* Invalidate: returns 0 or the event code. @remote: asked for by the peer. */
u16 rdma_mr_invalidate(struct rdma *r, u32 stag, u32 pd, u32 qp, bool remote);
/* Bind (WQE 0x08) and fast register (WQE 0x09) from plain values; 0 or the event code. */
struct mw_bind { u32 mw_stag, mr_stag; u64 va, len; u32 access; bool va_based, type1; };
u16 rdma_mw_bind(struct rdma *r, const struct mw_bind *b, u32 pd, u32 qp, bool qp_may_bind);
struct fast_reg { u32 stag; u64 va, len, page; u32 pble; u8 pbl_mode, page_size; u32 access; bool va_based; };
u16 rdma_fast_reg(struct rdma *r, const struct fast_reg *fr, u32 pd, bool priv);

/* @bytes at quantum @idx of a ring; never crosses a page. False: not mapped. */
bool rdma_ring_read(struct rdma *r, const struct rdma_ring *ring, u32 idx, void *buf, u32 bytes);
static inline void rdma_ring_advance(struct rdma_ring *ring, u32 quanta)
{
	ring->index += quanta;
	if (ring->index >= ring->quanta) {
		ring->index -= ring->quanta;
		ring->polarity ^= 1;
	}
}

/**
 * struct cqe - one completion in plain values
 * @op: WQE opcode for SQ; 0x3e or 0x3f for receives
 * @major, @minor: with @error
 * @push_dropped: SQ: what was written to the push page is not taken any more
 * @wr_id: SRQ receives: W2 of the WQE, else unused
 * @ud_src_qpn, @smac, @vlan: UD receives (@ext)
 */
struct cqe {
	u32 qp, byte_len, wqe_idx;
	u64 comp_ctx, wr_id;
	u32 inv_stag, imm;
	u16 major, minor;
	u8 op;
	bool sq, error, solicited, has_imm, has_inv, srq, ipv4, push_dropped;
	bool ext, smac_valid, vlan_valid;
	u32 ud_src_qpn;
	u8 smac[6];
	u16 vlan;
};
/* Writes the entry and, if armed for it, the event; an overflow is handled here. */
void rdma_cq_post(struct rdma_cq *cq, const struct cqe *cqe);

/* Sources of struct aeqe: AEQ w8 28:25. */
enum ae_src { AE_SRC_NONE = 0, AE_SRC_RQ = 1, AE_SRC_CQ = 2, AE_SRC_SQ = 5, AE_SRC_IN_RR_WR = 9,
	      AE_SRC_IN_RR = 0xB, AE_SRC_OUT_RR = 0xD };
struct aeqe {
	u16 code;
	u8 src, qp_state, tcp_state, q2_data;
	u32 id, wqe_idx;
	u64 context;
};
void rdma_aeq_post(struct rdma *r, const struct aeqe *ae);
/* QP event with the QP's own id, context and state. */
void rdma_qp_event(struct rdma_qp *qp, u16 code, enum ae_src src, u32 wqe_idx);

/*
 * Next receive WQE of the QP (its RQ or SRQ): copies it to @wqe (256 bytes) with its
 * index in quanta. 1: it is there; 0: none posted; -1: the ring's memory is gone or the
 * SRQ unusable. Consumed only by rdma_rq_consume(), which also raises the SRQ limit event.
 */
int rdma_rq_peek(struct rdma_qp *qp, void *wqe, u32 *wqe_idx);
void rdma_rq_consume(struct rdma_qp *qp);

/* Numbers of the counters that GATHER_STATS reports; the rows are in stats.def. */
enum rdma_stat {
#define STAT(sym, name, offset) ST_##sym,
#include "stats.def"
#undef STAT
	ST_COUNT
};

/* Data side, implemented in roce/. 0 or -errno. */
struct roce;
struct roce *roce_new(struct rdma *r);
void roce_free(struct roce *roce);
struct roce *rdma_roce(struct rdma *r);
int roce_qp_new(struct rdma_qp *qp);
void roce_qp_free(struct rdma_qp *qp);
/* State or context changed by MODIFY_QP; @old: state before. */
void roce_qp_modified(struct rdma_qp *qp, enum qp_state old);
/* WQEALLOC was rung, directly or by a push page. */
void roce_doorbell(struct rdma_qp *qp);
/**
 * struct roce_flush - one queue's part of FLUSH_WQES
 * @on: the queue is to be flushed
 * @did: out: there was something to flush
 * @idx_valid, @idx: quantum of the WQE that gets @code (w40, w48); else the first one does
 * @code: major << 16 | minor; every other WQE gets the general code
 */
struct roce_flush {
	bool on, did;
	bool idx_valid;
	u32 idx;
	u32 code;
};
/*
 * FLUSH_WQES: all posted WQEs of the queues that are @on are completed on return.
 * What is posted later is flushed by roce/ with the general code.
 */
void roce_flush(struct rdma_qp *qp, struct roce_flush *sq, struct roce_flush *rq);
/* Something was posted to an SRQ, or a CQ was drained: blocked receivers may go on. */
void roce_kick(struct rdma *r);
/* SQD asked for: event 0x0900 is raised by roce/ when the SQ is drained. */
void roce_drain(struct rdma_qp *qp);
/* A RoCEv2 frame for this function. */
void roce_rx(struct roce *roce, const u8 *frame, u32 len);

/* Counters of the data side since roce_new(): ST_COUNT values, by enum rdma_stat. */
#define ROCE_COUNTERS	ST_COUNT
const u64 *roce_counters(const struct roce *roce);

#endif
