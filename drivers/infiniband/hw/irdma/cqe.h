/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_CQE_H
#define IRDMA_CQE_H

#include <linux/if_ether.h>
#include <linux/types.h>

#include "hw_cqe.h"

/**
 * struct irdma_cqe - completion of a work request
 * @ctx: completion context of the QP
 * @wr_id: wr_id of the SRQ WQE; valid with @srq
 * @len_bytes: bytes received; receive completions
 * @timestamp: time of the completion, 1 GHz clock
 * @qp_id: QP id
 * @inv_stag: STag that the peer invalidated; valid with @invalidated, not UD
 * @src_qpn: QP that sent the datagram; UD receive
 * @imm: immediate data, CPU order; valid with @has_imm
 * @major: error code; 0 unless @error
 * @minor: likewise; a flush code or an event code, by @major
 * @wqe_idx: first quantum of the WQE in its ring; not with @srq
 * @vlan_tag: VLAN tag of the datagram; valid with @has_vlan
 * @smac: source MAC of the datagram; valid with @has_smac
 * @op: operation type, enum irdma_sq_op or IRDMA_CQE_OP_*
 * @sq: of a send queue
 * @srq: WQE came from an SRQ
 * @error: failed or flushed
 * @solicited: the peer asked for an event
 * @push_dropped: a push WQE was dropped
 * @invalidated: @inv_stag is valid; receive on RC
 * @ipv4: datagram was IPv4; receive on UD
 * @has_imm: @imm is valid
 * @has_smac: @smac is valid
 * @has_vlan: @vlan_tag is valid
 */
struct irdma_cqe {
	u64 ctx;
	u64 wr_id;
	u32 len_bytes;
	u32 timestamp;
	u32 qp_id;
	union {
		u32 inv_stag;
		u32 src_qpn;
	};
	u32 imm;
	u16 major;
	u16 minor;
	u16 wqe_idx;
	u16 vlan_tag;
	u8 smac[ETH_ALEN];
	u8 op;
	bool sq;
	bool srq;
	bool error;
	bool solicited;
	bool push_dropped;
	union {
		bool invalidated;
		bool ipv4;
	};
	bool has_imm;
	bool has_smac;
	bool has_vlan;
};

bool irdma_cqe_present(const struct irdma_cqe64 *entry, bool polarity);
bool irdma_cqe_decode(const struct irdma_cqe64 *entry, bool polarity,
		      struct irdma_cqe *cqe);

/**
 * enum irdma_ccqe_kind - what a control CQ entry means for its command
 * @IRDMA_CCQE_FINAL: finished; the SQ slot is free
 * @IRDMA_CCQE_DEFERRED: SQ slot is free; the event CQP_DEFERRED_DONE with the
 *			 ticket finishes the command
 * @IRDMA_CCQE_PENDING: SQ slot is free; an entry of kind OOO_FINAL with the
 *			ticket finishes the command
 * @IRDMA_CCQE_OOO_FINAL: finishes an earlier pending command; frees no slot
 */
enum irdma_ccqe_kind {
	IRDMA_CCQE_FINAL,
	IRDMA_CCQE_DEFERRED,
	IRDMA_CCQE_PENDING,
	IRDMA_CCQE_OOO_FINAL,
};

/**
 * struct irdma_ccqe - completion of a control command
 * @ctx: completion context of the control queue
 * @retval: return value, by command
 * @ticket: names the command; kinds other than FINAL
 * @major: error code; 0 unless @error
 * @minor: error code, or information when not @error
 * @wqe_idx: SQ slot of the command; not for kind OOO_FINAL
 * @kind: meaning
 * @error: command failed
 */
struct irdma_ccqe {
	u64 ctx;
	u32 retval;
	u32 ticket;
	u16 major;
	u16 minor;
	u16 wqe_idx;
	enum irdma_ccqe_kind kind;
	bool error;
};

bool irdma_ccqe_decode(const struct irdma_cqe32 *entry, bool polarity,
		       struct irdma_ccqe *ccqe);

u64 irdma_cq_arm_word(u64 old, bool any, bool solicited);
u64 irdma_cq_retire_word(u64 old, u32 rings);

#endif /* IRDMA_CQE_H */
