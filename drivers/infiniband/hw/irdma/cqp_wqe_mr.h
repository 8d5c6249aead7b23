/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_CQP_WQE_MR_H
#define IRDMA_CQP_WQE_MR_H

#include <linux/if_ether.h>
#include <linux/types.h>

#include "cqp_wqe.h"
#include "hw_cqp.h"

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

#endif /* IRDMA_CQP_WQE_MR_H */
