// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Control commands of regions and windows, address handles, multicast groups
 * and ARP entries.
 *
 * The encoders' common rules are those of cqp_wqe.c. Pure functions, any
 * context.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/etherdevice.h>
#include <linux/minmax.h>

#include "cqp_enc.h"
#include "cqp_wqe_mr.h"

/* Groups 2 and 3 in quadword @qw, groups 0 and 1 (IPv6) in the next one. */
static void irdma_cqp_set_ip(struct irdma_cqp_wqe *wqe, unsigned int qw,
			     const u32 *ip, bool ipv4)
{
	if (ipv4) {
		irdma_cqp_set(wqe, qw, FIELD_PREP(IRDMA_CQP_IP_ODD, ip[3]));
		return;
	}
	irdma_cqp_set(wqe, qw, FIELD_PREP(IRDMA_CQP_IP_EVEN, ip[2]) |
			       FIELD_PREP(IRDMA_CQP_IP_ODD, ip[3]));
	irdma_cqp_set(wqe, qw + 1, FIELD_PREP(IRDMA_CQP_IP_EVEN, ip[0]) |
				   FIELD_PREP(IRDMA_CQP_IP_ODD, ip[1]));
}

/**
 * irdma_page_code - code of a page size
 * @page_shift: log2 of the page size in bytes
 *
 * Return: IRDMA_PAGE_CODE_*; -EINVAL when the device has no such pages.
 */
int irdma_page_code(unsigned int page_shift)
{
	switch (page_shift) {
	case 12:
		return IRDMA_PAGE_CODE_4K;
	case 21:
		return IRDMA_PAGE_CODE_2M;
	case 30:
		return IRDMA_PAGE_CODE_1G;
	default:
		return -EINVAL;
	}
}

/* STag index and PD id: everything but the key and what the region is. */
static void irdma_cqp_start_stag(struct irdma_cqp_wqe *wqe,
				 enum irdma_cqp_op op,
				 const struct irdma_cqp_layout *layout,
				 u32 stag, u32 pd_id, u64 hdr)
{
	irdma_cqp_start(wqe, op, hdr);
	irdma_cqp_set(wqe, 1, irdma_field_prep(layout->pd_id, pd_id));
	irdma_cqp_set(wqe, 2, (stag & IRDMA_CQP_STAG_QW2_IDX) |
			      FIELD_PREP(IRDMA_CQP_STAG_QW2_PD_HIGH,
					 pd_id >> IRDMA_CQP_STAG_PD_LOW_BITS));
}

static void irdma_cqp_set_len(struct irdma_cqp_wqe *wqe, u64 len_bytes)
{
	wqe->qw[1] |= cpu_to_le64(FIELD_PREP(IRDMA_CQP_STAG_QW1_LEN,
					     len_bytes));
}

/**
 * irdma_cqp_enc_alloc_stag - reserve an STag that fast registration fills
 * @wqe: WQE
 * @layout: checked layout
 * @a: arguments; @va, @rights, @va_based and the key are not used
 */
void irdma_cqp_enc_alloc_stag(struct irdma_cqp_wqe *wqe,
			      const struct irdma_cqp_layout *layout,
			      const struct irdma_cqp_mr_args *a)
{
	irdma_cqp_start_stag(wqe, IRDMA_CQP_OP_ALLOC_STAG, layout, a->stag,
			     a->pd_id, irdma_cqp_leaf_pbl(&a->mem) |
			     IRDMA_CQP_STAG_QW3_IS_MR |
			     FIELD_PREP(IRDMA_CQP_STAG_QW3_PAGE_SIZE,
					a->page_code) |
			     IRDMA_CQP_STAG_QW3_REMOTE |
			     FIELD_PREP(IRDMA_CQP_STAG_QW3_ATOMIC, a->atomic));
	irdma_cqp_set_len(wqe, a->len_bytes);
	irdma_cqp_set_pbl(wqe, &a->mem);
}

/**
 * irdma_cqp_enc_reg_mr - register a memory region
 * @wqe: WQE
 * @layout: checked layout
 * @a: arguments
 */
void irdma_cqp_enc_reg_mr(struct irdma_cqp_wqe *wqe,
			  const struct irdma_cqp_layout *layout,
			  const struct irdma_cqp_mr_args *a)
{
	const u8 remote = IRDMA_RIGHT_REMOTE_READ | IRDMA_RIGHT_REMOTE_WRITE;

	irdma_cqp_start_stag(wqe, IRDMA_CQP_OP_REG_MR, layout, a->stag,
			     a->pd_id, irdma_cqp_leaf_pbl(&a->mem) |
			     IRDMA_CQP_STAG_QW3_IS_MR |
			     FIELD_PREP(IRDMA_CQP_STAG_QW3_PAGE_SIZE,
					a->page_code) |
			     FIELD_PREP(IRDMA_CQP_STAG_QW3_RIGHTS, a->rights) |
			     FIELD_PREP(IRDMA_CQP_STAG_QW3_REMOTE,
					!!(a->rights & remote)) |
			     FIELD_PREP(IRDMA_CQP_STAG_QW3_VA_BASED,
					a->va_based) |
			     FIELD_PREP(IRDMA_CQP_STAG_QW3_ATOMIC, a->atomic));
	irdma_cqp_set(wqe, 0, a->va);
	irdma_cqp_set_len(wqe, a->len_bytes);
	wqe->qw[2] |= cpu_to_le64(a->stag & IRDMA_CQP_STAG_QW2_KEY);
	irdma_cqp_set_mem(wqe, &a->mem);
}

/**
 * irdma_cqp_enc_alloc_mw - allocate a memory window
 * @wqe: WQE
 * @layout: checked layout
 * @stag: its STag; the key comes with the bind
 * @pd_id: protection domain
 * @type1: type 1, whose key a bind may change, else type 2B
 */
void irdma_cqp_enc_alloc_mw(struct irdma_cqp_wqe *wqe,
			    const struct irdma_cqp_layout *layout, u32 stag,
			    u32 pd_id, bool type1)
{
	irdma_cqp_start_stag(wqe, IRDMA_CQP_OP_ALLOC_STAG, layout, stag, pd_id,
			     FIELD_PREP(IRDMA_CQP_STAG_QW3_MW_TYPE1, type1) |
			     FIELD_PREP(IRDMA_CQP_STAG_QW3_MW1_NO_KEY, type1));
}

/**
 * irdma_cqp_enc_dealloc_stag - free a region's or a window's STag
 * @wqe: WQE
 * @layout: checked layout
 * @stag: STag; the key is not looked at
 * @pd_id: protection domain
 * @is_mr: region, else window
 */
void irdma_cqp_enc_dealloc_stag(struct irdma_cqp_wqe *wqe,
				const struct irdma_cqp_layout *layout,
				u32 stag, u32 pd_id, bool is_mr)
{
	irdma_cqp_start_stag(wqe, IRDMA_CQP_OP_DEALLOC_STAG, layout, stag,
			     pd_id,
			     FIELD_PREP(IRDMA_CQP_STAG_QW3_IS_MR, is_mr));
}

/**
 * irdma_cqp_enc_query_stag - ask whether an STag is valid
 * @wqe: WQE
 * @stag: STag
 *
 * An error in the completion is the answer "no".
 */
void irdma_cqp_enc_query_stag(struct irdma_cqp_wqe *wqe, u32 stag)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_QUERY_STAG, 0);
	irdma_cqp_set(wqe, 2, stag & IRDMA_CQP_STAG_QW2_IDX);
}

/**
 * irdma_cqp_enc_ah - create, modify or destroy an address handle
 * @wqe: WQE
 * @op: IRDMA_CQP_OP_CREATE_AH, _MODIFY_AH or _DESTROY_AH
 * @a: arguments, the same for all three
 */
void irdma_cqp_enc_ah(struct irdma_cqp_wqe *wqe, enum irdma_cqp_op op,
		      const struct irdma_cqp_ah_args *a)
{
	irdma_cqp_start(wqe, op,
			FIELD_PREP(IRDMA_CQP_AH_QW3_IDX, a->idx) |
			FIELD_PREP(IRDMA_CQP_AH_QW3_IPV4, a->ipv4) |
			FIELD_PREP(IRDMA_CQP_AH_QW3_INSERT_VLAN,
				   a->insert_vlan) |
			FIELD_PREP(IRDMA_CQP_AH_QW3_LOOPBACK, a->loopback));
	irdma_cqp_set(wqe, 0, FIELD_PREP(IRDMA_CQP_AH_QW0_SRC_MAC,
					 ether_addr_to_u64(a->src_mac)));
	irdma_cqp_set(wqe, 1,
		      FIELD_PREP(IRDMA_CQP_AH_QW1_VLAN_TAG, a->vlan_tag) |
		      FIELD_PREP(IRDMA_CQP_AH_QW1_TCLASS, a->tclass) |
		      FIELD_PREP(IRDMA_CQP_AH_QW1_PD_LOW, a->pd_id));
	irdma_cqp_set(wqe, 2,
		      FIELD_PREP(IRDMA_CQP_AH_QW2_FLOW_LABEL, a->flow_label) |
		      FIELD_PREP(IRDMA_CQP_AH_QW2_PD_HIGH,
				 a->pd_id >> IRDMA_CQP_AH_PD_LOW_BITS) |
		      FIELD_PREP(IRDMA_CQP_AH_QW2_HOP_LIMIT, a->hop_limit) |
		      FIELD_PREP(IRDMA_CQP_AH_QW2_ARP_IDX, a->arp_idx));
	irdma_cqp_set_ip(wqe, 4, a->dest_ip, a->ipv4);
	irdma_cqp_set_ip(wqe, 6, a->src_ip, a->ipv4);
}

/**
 * irdma_cqp_enc_mcg - create, modify or destroy a multicast group
 * @wqe: WQE
 * @op: IRDMA_CQP_OP_CREATE_MCG, _MODIFY_MCG or _DESTROY_MCG
 * @a: arguments, the same for all three
 */
void irdma_cqp_enc_mcg(struct irdma_cqp_wqe *wqe, enum irdma_cqp_op op,
		       const struct irdma_cqp_mcg_args *a)
{
	u64 vlan_id = a->vlan_valid ? a->vlan_id : 0;

	irdma_cqp_start(wqe, op,
			FIELD_PREP(IRDMA_CQP_MCG_QW3_IDX, a->idx) |
			FIELD_PREP(IRDMA_CQP_MCG_QW3_VLAN_VALID,
				   a->vlan_valid) |
			FIELD_PREP(IRDMA_CQP_MCG_QW3_IPV4, a->ipv4));
	irdma_cqp_set(wqe, 0, FIELD_PREP(IRDMA_CQP_MCG_QW0_MAC,
					 ether_addr_to_u64(a->mac)));
	irdma_cqp_set(wqe, 1, FIELD_PREP(IRDMA_CQP_MCG_QW1_HMC_FN, a->hmc_fn));
	irdma_cqp_set(wqe, 2, FIELD_PREP(IRDMA_CQP_MCG_QW2_QSET, a->qset) |
			      FIELD_PREP(IRDMA_CQP_MCG_QW2_VLAN_ID, vlan_id));
	irdma_cqp_set(wqe, 4, a->ctx_addr);
	irdma_cqp_set_ip(wqe, 6, a->ip, a->ipv4);
}

/**
 * irdma_mcg_ctx_enc - fill the context of a multicast group
 * @ctx: context
 * @qp_ids: members
 * @cnt: their number, 0 to IRDMA_MCG_MAX_MEMBERS
 */
void irdma_mcg_ctx_enc(struct irdma_mcg_ctx *ctx, const u32 *qp_ids, u32 cnt)
{
	*ctx = (struct irdma_mcg_ctx){};
	for (u32 i = 0; i < min(cnt, IRDMA_MCG_MAX_MEMBERS); i++)
		ctx->member[i] =
			cpu_to_le64(FIELD_PREP(IRDMA_MCG_MEMBER_QP_ID,
					       qp_ids[i]) |
				    IRDMA_MCG_MEMBER_VALID);
}

/**
 * irdma_cqp_enc_add_arp - bind an ARP index to a MAC
 * @wqe: WQE
 * @idx: ARP index, below 4096
 * @mac: MAC
 */
void irdma_cqp_enc_add_arp(struct irdma_cqp_wqe *wqe, u16 idx, const u8 *mac)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_ARP,
			FIELD_PREP(IRDMA_CQP_ARP_QW3_IDX, idx) |
			IRDMA_CQP_ARP_QW3_ADD | IRDMA_CQP_ARP_QW3_PERMANENT);
	irdma_cqp_set(wqe, 2, FIELD_PREP(IRDMA_CQP_ARP_QW2_MAC,
					 ether_addr_to_u64(mac)));
}

/**
 * irdma_cqp_enc_del_arp - free an ARP index
 * @wqe: WQE
 * @idx: ARP index
 */
void irdma_cqp_enc_del_arp(struct irdma_cqp_wqe *wqe, u16 idx)
{
	irdma_cqp_start(wqe, IRDMA_CQP_OP_ARP,
			FIELD_PREP(IRDMA_CQP_ARP_QW3_IDX, idx));
}
