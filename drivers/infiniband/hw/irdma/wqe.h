/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_WQE_H
#define IRDMA_WQE_H

#include <linux/types.h>

#include "hw_wqe.h"

struct ib_sge;

/**
 * struct irdma_wqe_opts - what every SQ WQE can ask for
 * @valid: polarity of the pass over the ring that the WQE belongs to
 * @signaled: completion wanted
 * @read_fence: wait for earlier reads and atomics
 * @local_fence: wait until all earlier WQEs are complete locally
 */
struct irdma_wqe_opts {
	bool valid;
	bool signaled;
	bool read_fence;
	bool local_fence;
};

/**
 * struct irdma_wqe_payload - data of a send, write or read
 * @sge: fragments, each shorter than 2^31; kernel addresses when @inlined
 * @num_sge: their number, 0 to IRDMA_WQE_MAX_FRAGS
 * @imm: immediate data, CPU order; used when @has_imm
 * @has_imm: carries immediate data; not for a read
 * @inlined: data is copied into the WQE; not for a read
 */
struct irdma_wqe_payload {
	const struct ib_sge *sge;
	u32 num_sge;
	u32 imm;
	bool has_imm;
	bool inlined;
};

int irdma_wqe_frag_quanta(u32 num_sge, bool has_imm);
int irdma_wqe_inline_quanta(u32 len_bytes);

void irdma_wqe_enc_send(struct irdma_quantum *wqe, enum irdma_sq_op op,
			struct irdma_wqe_opts opts,
			const struct irdma_wqe_payload *p, u32 inv_stag);

/**
 * struct irdma_wqe_ud_dest - where a datagram goes
 * @ah_idx: address-handle index
 * @qpn: destination QP, 24 bits
 * @qkey: Q_Key
 */
struct irdma_wqe_ud_dest {
	u32 ah_idx;
	u32 qpn;
	u32 qkey;
};

void irdma_wqe_enc_ud_send(struct irdma_quantum *wqe, enum irdma_sq_op op,
			   struct irdma_wqe_opts opts,
			   const struct irdma_wqe_payload *p,
			   const struct irdma_wqe_ud_dest *dest);

/**
 * struct irdma_wqe_remote - memory of the peer
 * @addr: address
 * @stag: its key
 */
struct irdma_wqe_remote {
	u64 addr;
	u32 stag;
};

void irdma_wqe_enc_rdma(struct irdma_quantum *wqe, enum irdma_sq_op op,
			struct irdma_wqe_opts opts,
			const struct irdma_wqe_payload *p,
			const struct irdma_wqe_remote *remote);

/**
 * struct irdma_wqe_atomic - fetch and add, compare and swap
 * @remote: eight bytes of the peer
 * @local_addr: where their old value goes
 * @local_stag: key of @local_addr
 * @compare_add: value to compare with, or to add
 * @swap: new value; not used by fetch and add
 */
struct irdma_wqe_atomic {
	struct irdma_wqe_remote remote;
	u64 local_addr;
	u32 local_stag;
	u64 compare_add;
	u64 swap;
};

void irdma_wqe_enc_atomic(struct irdma_quantum *wqe, enum irdma_sq_op op,
			  struct irdma_wqe_opts opts,
			  const struct irdma_wqe_atomic *a);

/**
 * struct irdma_wqe_bind - bind a memory window
 * @va: first byte; 0 if not @va_based
 * @len_bytes: length of the window
 * @mw_stag: new STag of the window
 * @mr_stag: STag of the region
 * @rights: IRDMA_RIGHT_REMOTE_* mask
 * @va_based: addresses are virtual addresses
 * @type1: window of type 1
 * @atomic: remote atomics allowed
 */
struct irdma_wqe_bind {
	u64 va;
	u64 len_bytes;
	u32 mw_stag;
	u32 mr_stag;
	u8 rights;
	bool va_based;
	bool type1;
	bool atomic;
};

void irdma_wqe_enc_bind(struct irdma_quantum *wqe, struct irdma_wqe_opts opts,
			const struct irdma_wqe_bind *b);

/**
 * struct irdma_wqe_fast_reg - fast registration
 * @va: first byte, or offset into the first page if not @va_based
 * @len_bytes: length, 41 bits
 * @page_addr: bus address of the first page, aligned to 4096; used when not
 *	       @pbl_mapped
 * @pble_idx: first page-list entry, 28 bits; used when @pbl_mapped
 * @stag: STag with the new key
 * @page_code: IRDMA_PAGE_CODE_*
 * @rights: IRDMA_RIGHT_* mask
 * @va_based: addresses are virtual addresses
 * @pbl_mapped: pages are listed, on one level
 * @atomic: remote atomics allowed
 */
struct irdma_wqe_fast_reg {
	u64 va;
	u64 len_bytes;
	u64 page_addr;
	u32 pble_idx;
	u32 stag;
	u8 page_code;
	u8 rights;
	bool va_based;
	bool pbl_mapped;
	bool atomic;
};

void irdma_wqe_enc_fast_reg(struct irdma_quantum *wqe,
			    struct irdma_wqe_opts opts,
			    const struct irdma_wqe_fast_reg *r);

void irdma_wqe_enc_local_inv(struct irdma_quantum *wqe,
			     struct irdma_wqe_opts opts, u32 stag);
void irdma_wqe_enc_nop(struct irdma_quantum *wqe, struct irdma_wqe_opts opts);

void irdma_wqe_enc_recv(struct irdma_quantum *wqe, const struct ib_sge *sge,
			u32 num_sge, bool valid);
void irdma_wqe_enc_srq_recv(struct irdma_quantum *wqe, const struct ib_sge *sge,
			    u32 num_sge, u64 wr_id, bool valid);

#endif /* IRDMA_WQE_H */
