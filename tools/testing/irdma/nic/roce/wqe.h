/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work queue entries of generation 3, from bytes to plain values.
 *
 * The bytes are a copy: nothing here reads guest memory twice, so what was
 * checked is what is executed. A fragment's key is not looked at.
 */
#ifndef NIC_ROCE_WQE_H
#define NIC_ROCE_WQE_H

#include "../ctl/objects.h"
#include "../trace.h"
#include "../types.h"

#define WQE_QUANTUM	32u
#define WQE_MAX_QUANTA	8u
#define WQE_MAX_BYTES	(WQE_QUANTUM * WQE_MAX_QUANTA)
#define WQE_MAX_FRAGS	14u
#define WQE_MAX_INLINE	216u
#define WQE_MAX_MSG	0x7FFFFFFFu

enum wqe_op {
	WQE_WRITE = 0x00, WQE_READ = 0x01, WQE_SEND = 0x03, WQE_SEND_INV = 0x04,
	WQE_SEND_SOL = 0x05, WQE_SEND_INV_SOL = 0x06, WQE_BIND = 0x08, WQE_FAST_REG = 0x09,
	WQE_LOCAL_INV = 0x0A, WQE_READ_INV = 0x0B, WQE_NOP = 0x0C, WQE_WRITE_SOL = 0x0D,
	WQE_FETCH_ADD = 0x0F, WQE_CMP_SWAP = 0x11,
};

/* Async events for work requests that hardware does not take. */
#define AE_WQE_OPCODE		0x020Au
#define AE_WQE_PARAM		0x020Bu
#define AE_WQE_FRAGMENT		0x020Cu

struct sge {
	u64 addr;
	u32 len, stag;
};

/**
 * struct send_wqe - one SQ work request
 * @idx: its first quantum; @quanta: its size
 * @len: bytes that it moves
 * @stag: remote key; STag to invalidate (send with invalidate, local invalidate)
 * @imm: host order
 * @nfrags: of @sge; 0 when @inlined (@data) or for @bind and @fast_reg
 */
struct send_wqe {
	u32 idx, len, stag, imm, qkey, dqpn, ah;
	u8 op, quanta, nfrags;
	bool signalled, read_fence, local_fence, solicited, has_imm, inlined;
	u64 raddr, swap, compare;
	union {
		struct sge sge[WQE_MAX_FRAGS];
		u8 data[WQE_MAX_INLINE];
		struct mw_bind bind;
		struct fast_reg fast_reg;
	};
};

struct recv_wqe {
	u32 idx, len;
	u8 nfrags;
	u64 wr_id;
	struct sge sge[WQE_MAX_FRAGS];
};

/**
 * struct wqe_fault - why a work request is refused
 * @code: async event; 0: it is fine
 */
struct wqe_fault {
	u16 code;
	enum violation kind;
};

/* Valid bit of a WQE whose first quantum is @wqe. */
static inline bool wqe_valid(const u8 *wqe, u8 polarity)
{
	return FIELD(get64(wqe + 24), 63, 63) == polarity;
}
static inline u8 wqe_opcode(const u8 *wqe)
{
	return (u8)FIELD(get64(wqe + 24), 37, 32);
}
/* Quanta of the SQ WQE that begins with @wqe; more than WQE_MAX_QUANTA when it is illegal. */
u32 wqe_send_quanta(const u8 *wqe);

/*
 * @wqe: WQE_MAX_BYTES of which the first @avail quanta belong to the same 256-byte
 * chunk of the ring. @w->idx is the caller's.
 */
struct wqe_fault wqe_parse_send(const u8 *wqe, u32 avail, enum qp_type type, struct send_wqe *w);
/* Whether what the opcode has no use for is 0, of a WQE that could be parsed. */
bool wqe_send_clean(const u8 *wqe, enum qp_type type);
bool wqe_recv_clean(const u8 *wqe, bool srq);
/* @stride: quanta of an entry. */
struct wqe_fault wqe_parse_recv(const u8 *wqe, u32 stride, struct recv_wqe *w);

static inline bool wqe_is_send(u8 op)
{
	return op >= WQE_SEND && op <= WQE_SEND_INV_SOL;
}
static inline bool wqe_is_write(u8 op)
{
	return op == WQE_WRITE || op == WQE_WRITE_SOL;
}
static inline bool wqe_is_read(u8 op)
{
	return op == WQE_READ || op == WQE_READ_INV;
}
static inline bool wqe_is_atomic(u8 op)
{
	return op == WQE_FETCH_ADD || op == WQE_CMP_SWAP;
}

#endif
