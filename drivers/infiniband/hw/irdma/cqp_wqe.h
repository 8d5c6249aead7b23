/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_CQP_WQE_H
#define IRDMA_CQP_WQE_H

#include <linux/if_ether.h>
#include <linux/types.h>

#include "field.h"
#include "hw_ae.h"
#include "hw_cqe.h"
#include "hw_cqp.h"
#include "hw_qpc.h"

/**
 * struct irdma_cqp_layout - fields of commands that the device places
 * @pd_id: low part of the PD id, STag commands, quadword 1
 * @cq_id: low part of the CQ id, CQ commands, quadword 3
 * @ceq_id: low part of the CEQ id, CQ commands, quadword 3
 * @hmc_fn: HMC function id, update SDs, quadword 2
 */
struct irdma_cqp_layout {
	struct irdma_field pd_id;
	struct irdma_field cq_id;
	struct irdma_field ceq_id;
	struct irdma_field hmc_fn;
};

int irdma_cqp_layout_check(const struct irdma_cqp_layout *layout);

/**
 * struct irdma_mem_ref - where the device finds a ring or a region
 * @addr: bus address when @level is 0, ignored otherwise
 * @pble_idx: first page-list entry, or root of two levels; ignored at level 0
 * @level: page-list levels, 0 to 2
 */
struct irdma_mem_ref {
	u64 addr;
	u32 pble_idx;
	u8 level;
};

/**
 * struct irdma_cqp_ctx_args - the control queue itself
 * @sq_addr: bus address of the ring, aligned to 512
 * @cookie: echoed in quadword 1 of each control CQ entry
 * @depth: ring entries; a power of two, 4 to 2048
 */
struct irdma_cqp_ctx_args {
	u64 sq_addr;
	u64 cookie;
	u32 depth;
};

void irdma_cqp_ctx_enc(struct irdma_cqp_ctx *ctx,
		       const struct irdma_cqp_ctx_args *a);

/**
 * struct irdma_cqp_qp_args - create, modify, destroy QP
 * @ctx_addr: bus address of the QP context, valid for the life of the QP
 * @shadow_addr: bus address of the shadow area, likewise
 * @id: QP id
 * @type: QP type
 * @next_state: state to enter; not used by destroy
 * @pbl_mapped: ring addresses in the context are PBLE indices
 * @ord_valid: ORD in the context is new
 * @cq_valid: CQ numbers in the context are new
 * @mac_valid: source MAC in the context is new
 * @arp_valid: ARP index in the context is new
 */
struct irdma_cqp_qp_args {
	u64 ctx_addr;
	u64 shadow_addr;
	u32 id;
	enum irdma_hw_qp_type type;
	enum irdma_hw_qp_state next_state;
	bool pbl_mapped;
	bool ord_valid;
	bool cq_valid;
	bool mac_valid;
	bool arp_valid;
};

void irdma_cqp_enc_create_qp(struct irdma_cqp_wqe *wqe,
			     const struct irdma_cqp_qp_args *a);
void irdma_cqp_enc_modify_qp(struct irdma_cqp_wqe *wqe,
			     const struct irdma_cqp_qp_args *a);
void irdma_cqp_enc_destroy_qp(struct irdma_cqp_wqe *wqe,
			      const struct irdma_cqp_qp_args *a);

/**
 * struct irdma_cqp_cq_args - create, resize, destroy CQ
 * @ring: entries; the new ring for a resize, of destroy only the page list
 * @shadow_addr: bus address of the shadow area, aligned to 64
 * @ctx: returned in CEQ entries; bit 63 is lost
 * @id: CQ id
 * @entries: ring entries of the size that @cqe64 says, up to 1048575
 * @shadow_thresh: when hardware re-reads the consumer index, 18 bits
 * @ceq_id: event queue; used when @ceq_valid, not used by a resize
 * @ceq_valid: CQ raises events
 * @ceqe_mask: no further CEQ entry before the last one was acknowledged
 * @check_overflow: an overrun raises an asynchronous event
 * @cqe64: entries have 64 bytes, otherwise 32
 */
struct irdma_cqp_cq_args {
	struct irdma_mem_ref ring;
	u64 shadow_addr;
	u64 ctx;
	u32 id;
	u32 entries;
	u32 shadow_thresh;
	u16 ceq_id;
	bool ceq_valid;
	bool ceqe_mask;
	bool check_overflow;
	bool cqe64;
};

void irdma_cqp_enc_create_cq(struct irdma_cqp_wqe *wqe,
			     const struct irdma_cqp_layout *layout,
			     const struct irdma_cqp_cq_args *a);
void irdma_cqp_enc_resize_cq(struct irdma_cqp_wqe *wqe,
			     const struct irdma_cqp_layout *layout,
			     const struct irdma_cqp_cq_args *a);
void irdma_cqp_enc_destroy_cq(struct irdma_cqp_wqe *wqe,
			      const struct irdma_cqp_layout *layout,
			      const struct irdma_cqp_cq_args *a);

/**
 * struct irdma_cqp_srq_args - create, modify, destroy SRQ
 * @ring: WQEs; contiguous rings are aligned to 256
 * @shadow_addr: bus address of the shadow area, aligned to 64
 * @ctx: returned in the limit event; bits 5:0 are lost
 * @id: SRQ id
 * @pd_id: protection domain
 * @quanta: ring size in quanta; a power of two, below 8 counts as 8
 * @limit: modify: event when fewer WQEs are left; above 0xfff counts as 0xfff
 * @wqe_shift: log2 of the quanta per WQE, 0 to 3
 */
struct irdma_cqp_srq_args {
	struct irdma_mem_ref ring;
	u64 shadow_addr;
	u64 ctx;
	u32 id;
	u32 pd_id;
	u32 quanta;
	u32 limit;
	u8 wqe_shift;
};

void irdma_cqp_enc_create_srq(struct irdma_cqp_wqe *wqe,
			      const struct irdma_cqp_srq_args *a);
void irdma_cqp_enc_modify_srq(struct irdma_cqp_wqe *wqe,
			      const struct irdma_cqp_srq_args *a);
void irdma_cqp_enc_destroy_srq(struct irdma_cqp_wqe *wqe, u32 id, u64 ctx);

/**
 * struct irdma_cqp_ceq_args - create, destroy CEQ
 * @ring: 8-byte entries, aligned to 256; of destroy only the page list
 * @entries: ring entries, up to 262143
 * @id: CEQ id
 */
struct irdma_cqp_ceq_args {
	struct irdma_mem_ref ring;
	u32 entries;
	u16 id;
};

void irdma_cqp_enc_create_ceq(struct irdma_cqp_wqe *wqe,
			      const struct irdma_cqp_ceq_args *a);
void irdma_cqp_enc_destroy_ceq(struct irdma_cqp_wqe *wqe,
			       const struct irdma_cqp_ceq_args *a);
void irdma_cqp_enc_create_aeq(struct irdma_cqp_wqe *wqe, u64 ring_addr,
			      u32 entries);
void irdma_cqp_enc_destroy_aeq(struct irdma_cqp_wqe *wqe, u32 entries);

/**
 * struct irdma_cqp_mr_args - allocate STag, register memory region
 * @mem: pages of the region
 * @va: first byte: address, or offset into the first page if not @va_based
 * @len_bytes: length; 0 only for "all memory"
 * @stag: index and key
 * @pd_id: protection domain
 * @page_code: IRDMA_PAGE_CODE_*
 * @rights: IRDMA_RIGHT_* mask
 * @va_based: addresses are virtual addresses
 * @atomic: remote atomics allowed
 */
struct irdma_cqp_mr_args {
	struct irdma_mem_ref mem;
	u64 va;
	u64 len_bytes;
	u32 stag;
	u32 pd_id;
	u8 page_code;
	u8 rights;
	bool va_based;
	bool atomic;
};

int irdma_page_code(unsigned int page_shift);
void irdma_cqp_enc_alloc_stag(struct irdma_cqp_wqe *wqe,
			      const struct irdma_cqp_layout *layout,
			      const struct irdma_cqp_mr_args *a);
void irdma_cqp_enc_reg_mr(struct irdma_cqp_wqe *wqe,
			  const struct irdma_cqp_layout *layout,
			  const struct irdma_cqp_mr_args *a);
void irdma_cqp_enc_alloc_mw(struct irdma_cqp_wqe *wqe,
			    const struct irdma_cqp_layout *layout, u32 stag,
			    u32 pd_id, bool type1);
void irdma_cqp_enc_dealloc_stag(struct irdma_cqp_wqe *wqe,
				const struct irdma_cqp_layout *layout,
				u32 stag, u32 pd_id, bool is_mr);
void irdma_cqp_enc_query_stag(struct irdma_cqp_wqe *wqe, u32 stag);

/**
 * struct irdma_cqp_ah_args - create, modify, destroy address handle
 * @src_ip: local address, four groups in CPU order; IPv4 in group 3, the
 *	    other groups are then ignored
 * @dest_ip: remote address, likewise
 * @src_mac: local MAC
 * @idx: address-handle index
 * @pd_id: protection domain, 24 bits
 * @flow_label: 20 bits
 * @vlan_tag: priority in 15:13, VLAN id in 11:0
 * @arp_idx: ARP entry that holds the destination MAC
 * @tclass: traffic class
 * @hop_limit: TTL or hop limit
 * @ipv4: addresses are IPv4
 * @insert_vlan: send with @vlan_tag
 * @loopback: destination is local or multicast
 */
struct irdma_cqp_ah_args {
	u32 src_ip[4];
	u32 dest_ip[4];
	u8 src_mac[ETH_ALEN];
	u32 idx;
	u32 pd_id;
	u32 flow_label;
	u16 vlan_tag;
	u16 arp_idx;
	u8 tclass;
	u8 hop_limit;
	bool ipv4;
	bool insert_vlan;
	bool loopback;
};

void irdma_cqp_enc_ah(struct irdma_cqp_wqe *wqe, enum irdma_cqp_op op,
		      const struct irdma_cqp_ah_args *a);

/**
 * struct irdma_cqp_mcg_args - create, modify, destroy multicast group
 * @ctx_addr: bus address of the struct irdma_mcg_ctx
 * @ip: group address, four groups in CPU order; IPv4 in group 3, the other
 *	groups are then ignored
 * @mac: group MAC
 * @idx: group index, below 4096
 * @vlan_id: VLAN id, used when @vlan_valid
 * @qset: queue-set handle
 * @hmc_fn: HMC function id
 * @vlan_valid: group is in a VLAN
 * @ipv4: address is IPv4
 */
struct irdma_cqp_mcg_args {
	u64 ctx_addr;
	u32 ip[4];
	u8 mac[ETH_ALEN];
	u16 idx;
	u16 vlan_id;
	u16 qset;
	u8 hmc_fn;
	bool vlan_valid;
	bool ipv4;
};

void irdma_cqp_enc_mcg(struct irdma_cqp_wqe *wqe, enum irdma_cqp_op op,
		       const struct irdma_cqp_mcg_args *a);
void irdma_mcg_ctx_enc(struct irdma_mcg_ctx *ctx, const u32 *qp_ids, u32 cnt);

void irdma_cqp_enc_add_arp(struct irdma_cqp_wqe *wqe, u16 idx, const u8 *mac);
void irdma_cqp_enc_del_arp(struct irdma_cqp_wqe *wqe, u16 idx);

/**
 * struct irdma_cqp_flush_args - flush one or both queues of a QP
 * @qp_id: QP id
 * @sq_code: flush code of the SQ's completions; used when @sq
 * @rq_code: likewise of the RQ's
 * @sq_err_idx: first quantum of the SQ WQE that failed; used when @sq_err_valid
 * @rq_err_idx: likewise of the RQ WQE
 * @sq: flush the SQ
 * @rq: flush the RQ
 * @sq_err_valid: an event named @sq_err_idx
 * @rq_err_valid: an event named @rq_err_idx
 */
struct irdma_cqp_flush_args {
	u32 qp_id;
	enum irdma_flush_code sq_code;
	enum irdma_flush_code rq_code;
	u32 sq_err_idx;
	u32 rq_err_idx;
	bool sq;
	bool rq;
	bool sq_err_valid;
	bool rq_err_valid;
};

void irdma_cqp_enc_flush(struct irdma_cqp_wqe *wqe,
			 const struct irdma_cqp_flush_args *a);
void irdma_cqp_enc_gen_ae(struct irdma_cqp_wqe *wqe, u32 qp_id, u16 code,
			  u8 source);
void irdma_cqp_enc_suspend_qp(struct irdma_cqp_wqe *wqe, u32 qp_id);
void irdma_cqp_enc_resume_qp(struct irdma_cqp_wqe *wqe, u32 qp_id, u32 qset);
void irdma_cqp_enc_upload_qpc(struct irdma_cqp_wqe *wqe, u64 buf_addr,
			      u32 qp_id, enum irdma_hw_qp_type type);

void irdma_cqp_enc_alloc_push_page(struct irdma_cqp_wqe *wqe, u16 qset);
void irdma_cqp_enc_free_push_page(struct irdma_cqp_wqe *wqe, u16 qset,
				  u32 idx);

void irdma_cqp_enc_alloc_stats(struct irdma_cqp_wqe *wqe);
void irdma_cqp_enc_free_stats(struct irdma_cqp_wqe *wqe, u8 instance);
void irdma_cqp_enc_gather_stats(struct irdma_cqp_wqe *wqe, u64 buf_addr);
void irdma_cqp_enc_gather_stats_instance(struct irdma_cqp_wqe *wqe,
					 u64 buf_addr, u8 instance);
void irdma_cqp_enc_up_map(struct irdma_cqp_wqe *wqe, const u8 *map,
			  u16 hmc_fn, bool use_vlan);

void irdma_cqp_enc_query_fpm(struct irdma_cqp_wqe *wqe, u16 hmc_fn,
			     u64 buf_addr);
void irdma_cqp_enc_commit_fpm(struct irdma_cqp_wqe *wqe, u16 hmc_fn,
			      u64 buf_addr, bool fw_buf);
void irdma_cqp_enc_hmc_pages_done(struct irdma_cqp_wqe *wqe, u8 hmc_fn);

/**
 * struct irdma_sd_args - one segment descriptor
 * @addr: bus address of the 2 MiB block (@direct) or of the page of page
 *	  descriptors, aligned to 4096; 0 to clear
 * @idx: segment index, 15 bits
 * @direct: segment is one block
 * @valid: set the descriptor, otherwise clear it
 */
struct irdma_sd_args {
	u64 addr;
	u32 idx;
	bool direct;
	bool valid;
};

/**
 * struct irdma_cqp_sds_args - update segment descriptors
 * @sd: descriptors
 * @side: side buffer of the WQE's slot; written when @cnt is above 3
 * @side_addr: its bus address, aligned to 128
 * @cnt: number of descriptors, 1 to 11
 * @hmc_fn: HMC function id, below 64
 */
struct irdma_cqp_sds_args {
	const struct irdma_sd_args *sd;
	struct irdma_sd_side_buf *side;
	u64 side_addr;
	u32 cnt;
	u8 hmc_fn;
};

int irdma_cqp_enc_update_sds(struct irdma_cqp_wqe *wqe,
			     const struct irdma_cqp_layout *layout,
			     const struct irdma_cqp_sds_args *a);

void irdma_cqp_enc_query_features(struct irdma_cqp_wqe *wqe, u64 buf_addr,
				  u32 buf_bytes);
void irdma_cqp_enc_nop(struct irdma_cqp_wqe *wqe);

/**
 * struct irdma_features - what the device says about itself
 * @cnt: entries that the device has
 * @fw_major: firmware version
 * @fw_minor: firmware version
 * @atomics: remote atomics work
 * @rm2: maxima of query FPM are consistent and committed unchanged
 * @mr_location_known: the device reports where MR contexts are
 * @mr_local: they are in the device's memory
 */
struct irdma_features {
	u16 cnt;
	u16 fw_major;
	u16 fw_minor;
	bool atomics;
	bool rm2;
	bool mr_location_known;
	bool mr_local;
};

int irdma_features_decode(const __le64 *buf, u32 qwords,
			  struct irdma_features *f);

#endif /* IRDMA_CQP_WQE_H */
