// SPDX-License-Identifier: GPL-2.0
/*
 * Whom to talk to: address handles, the ARP table, multicast groups.
 *
 * The ARP table knows no IP addresses, only MACs by index; software keeps the rest.
 */
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

#define AH_UNUSABLE	1u	/* operation return value of a failed create */

struct rdma_ah *rdma_ah_get(struct rdma *r, u32 id)
{
	return table_get(&r->ahs, id);
}

bool rdma_arp_get(struct rdma *r, u16 idx, u8 mac[6])
{
	if (idx >= ARP_ENTRIES || !r->arp[idx].valid)
		return false;
	memcpy(mac, r->arp[idx].mac, 6);
	return true;
}

static void mcg_free(struct rdma *r, u32 id)
{
	if (!r->mcg[id])
		return;
	free(r->mcg[id]);
	r->mcg[id] = NULL;
	r->mcg_used--;
}

void net_reset(struct rdma *r)
{
	memset(r->arp, 0, sizeof(r->arp));
	for (u32 i = 0; r->mcg_used; i++)
		mcg_free(r, i);
}

/* ARP table. */

u32 cmd_arp(struct cmd *c)
{
	u32 idx = (u32)GETF(c->w[3], ARP_W24_INDEX);
	struct arp *arp = &c->r->arp[idx];

	if (idx >= c->r->hmc.count[HMC_ARP])
		return refuse(c->r, ARP_ENTRY, CMD_NO_OBJECT, "entry %u of %u", idx,
			      c->r->hmc.count[HMC_ARP]);
	if (GETF(c->w[3], ARP_W24_QUERY))
		return arp->valid ? CMD_OK : CMD_NO_OBJECT;
	if (!GETF(c->w[3], ARP_W24_ADD)) {
		if (!arp->valid)
			return refuse(c->r, ARP_STATE, CMD_NO_OBJECT, "delete entry %u", idx);
		arp->valid = false;
		return CMD_OK;
	}
	if (arp->valid)
		return refuse(c->r, ARP_STATE, CMD_STATE, "add entry %u again", idx);
	arp->valid = true;
	mac_from_bits(arp->mac, GETF(c->w[2], ARP_W16_MAC));
	return CMD_OK;
}

/* Address handles. */

static bool is_multicast(const u8 ip[16], bool ipv4)
{
	return ipv4 ? (ip[12] & 0xF0) == 0xE0 : ip[0] == 0xFF;
}

static void multicast_mac(u8 mac[6], const u8 ip[16], bool ipv4)
{
	if (ipv4) {
		memcpy(mac, (const u8[]) { 0x01, 0x00, 0x5E, ip[13] & 0x7F, ip[14], ip[15] }, 6);
		return;
	}
	mac[0] = mac[1] = 0x33;
	memcpy(mac + 2, ip + 12, 4);
}

static void decode_ah(const struct cmd *c, struct rdma_ah *ah)
{
	ah->id = (u32)GETF(c->w[3], AH_W24_ID);
	ah->pd = (u32)(GETF(c->w[1], AH_W8_PD) | GETF(c->w[2], AH_W16_PD_HIGH) << 16);
	ah->ipv4 = GETF(c->w[3], AH_W24_IPV4);
	ah->insert_vlan = GETF(c->w[3], AH_W24_VLAN);
	ah->loopback = GETF(c->w[3], AH_W24_LOOPBACK);
	ah->vlan_tag = (u16)GETF(c->w[1], AH_W8_VLAN);
	ah->tos = (u8)GETF(c->w[1], AH_W8_TOS);
	ah->flow_label = (u32)GETF(c->w[2], AH_W16_FLOW);
	ah->ttl = (u8)GETF(c->w[2], AH_W16_TTL);
	ah->arp_idx = (u16)GETF(c->w[2], AH_W16_ARP);
	mac_from_bits(ah->smac, GETF(c->w[0], AH_W0_SMAC));
	ip_from_words(ah->dip, c->w[5], c->w[4], ah->ipv4);
	ip_from_words(ah->sip, c->w[7], c->w[6], ah->ipv4);
}

/* Create and modify. A failed create says so in the return value, too. */
u32 cmd_ah(struct cmd *c)
{
	struct rdma_ah ah = {}, *obj;

	decode_ah(c, &ah);
	c->ret = AH_UNUSABLE;
	obj = rdma_ah_get(c->r, ah.id);
	if (!ah.id || ah.id >= c->r->ahs.count || (c->op == OP_MODIFY_AH && !obj))
		return refuse(c->r, AH_ID, CMD_NO_OBJECT, "AH %u of %u", ah.id, c->r->ahs.count);
	if (c->op == OP_CREATE_AH && obj)
		return refuse(c->r, AH_ID, CMD_STATE, "create AH %u again", ah.id);
	if (is_multicast(ah.dip, ah.ipv4))
		multicast_mac(ah.dmac, ah.dip, ah.ipv4);
	else if (!rdma_arp_get(c->r, ah.arp_idx, ah.dmac))
		return refuse(c->r, AH_ARP, CMD_NO_OBJECT, "AH %u: ARP entry %u", ah.id,
			      ah.arp_idx);
	if (!obj) {
		obj = malloc(sizeof(*obj));
		if (!obj)
			return CMD_CONTEXT;
		table_set(&c->r->ahs, ah.id, obj);
	}
	*obj = ah;
	c->ret = 0;
	return CMD_OK;
}

static bool same_ah(const struct rdma_ah *a, const struct rdma_ah *b)
{
	return a->pd == b->pd && a->ipv4 == b->ipv4 && a->arp_idx == b->arp_idx &&
	       a->insert_vlan == b->insert_vlan && a->vlan_tag == b->vlan_tag &&
	       a->tos == b->tos && a->ttl == b->ttl && a->flow_label == b->flow_label &&
	       a->loopback == b->loopback && !memcmp(a->smac, b->smac, sizeof(a->smac)) &&
	       !memcmp(a->dip, b->dip, sizeof(a->dip)) && !memcmp(a->sip, b->sip, sizeof(a->sip));
}

u32 cmd_destroy_ah(struct cmd *c)
{
	u32 id = (u32)GETF(c->w[3], AH_W24_ID);
	struct rdma_ah *ah = rdma_ah_get(c->r, id), told = {};

	if (!ah)
		return refuse(c->r, AH_ID, CMD_NO_OBJECT, "destroy AH %u", id);
	decode_ah(c, &told);
	if (!same_ah(ah, &told))
		return refuse(c->r, AH_CHANGED, CMD_FIELD, "destroy AH %u of PD %u", id, told.pd);
	table_clear(&c->r->ahs, id);
	free(ah);
	return CMD_OK;
}

/* Multicast groups. */

/*
 * Members from the context: valid entries first, each a QP that exists. A group that
 * changes may have lost its last one meanwhile, and is destroyed next.
 */
static u32 read_members(struct cmd *c, struct mcg *g)
{
	u64 w[MCG_MEMBERS];

	if (!dma_read(c->r->nic->dma, c->w[4], w, sizeof(w)))
		return CMD_CONTEXT;
	g->members = 0;
	for (u32 i = 0; i < MCG_MEMBERS; i++) {
		u32 qp = (u32)GETF(w[i], MCG_MEMBER_QP);

		if (!GETF(w[i], MCG_MEMBER_VALID))
			continue;
		if (g->members != i || !rdma_qp_get(c->r, qp) ||
		    rdma_qp_get(c->r, qp)->type != QP_UD)
			return refuse(c->r, MCG_MEMBER, CMD_FIELD, "group %u: word %u is 0x%llx",
				      g->id, i, (unsigned long long)w[i]);
		g->qp[g->members++] = qp;
	}
	if (!g->members && c->op == OP_CREATE_MCG)
		return refuse(c->r, MCG_MEMBER, CMD_FIELD, "group %u without members", g->id);
	return CMD_OK;
}

static u32 decode_group(struct cmd *c, struct mcg *g)
{
	bool ipv4 = GETF(c->w[3], MCG_W24_IPV4);
	u8 mac[6], want[6];

	g->id = (u32)GETF(c->w[3], MCG_W24_ID);
	g->vlan_valid = GETF(c->w[3], MCG_W24_VLAN_VALID);
	g->vlan = (u16)GETF(c->w[2], MCG_W16_VLAN);
	ip_from_words(g->dip, c->w[7], c->w[6], ipv4);
	mac_from_bits(mac, GETF(c->w[0], MCG_W0_MAC));
	multicast_mac(want, g->dip, ipv4);
	if (g->id >= MCG_ENTRIES)
		return refuse(c->r, MCG_ID, CMD_NO_OBJECT, "group %u", g->id);
	if (!is_multicast(g->dip, ipv4) || memcmp(mac, want, 6) ||
	    GETF(c->w[1], MCG_W8_FN) != HMC_FN)
		return refuse(c->r, MCG_ADDRESS, CMD_FIELD, "group %u: w0 0x%llx w8 0x%llx", g->id,
			      (unsigned long long)c->w[0], (unsigned long long)c->w[1]);
	return CMD_OK;
}

/* Create and modify. */
u32 cmd_mcg(struct cmd *c)
{
	struct mcg g = {}, *obj;
	u32 result = decode_group(c, &g);

	if (result)
		return result;
	obj = c->r->mcg[g.id];
	if ((c->op == OP_CREATE_MCG) == (obj != NULL))
		return refuse(c->r, MCG_ID, CMD_STATE, "opcode 0x%02x: group %u is %sthere", c->op,
			      g.id, obj ? "" : "not ");
	result = read_members(c, &g);
	if (result)
		return result;
	if (!obj) {
		obj = malloc(sizeof(*obj));
		if (!obj)
			return CMD_CONTEXT;
		c->r->mcg[g.id] = obj;
		c->r->mcg_used++;
	}
	*obj = g;
	return CMD_OK;
}

u32 cmd_destroy_mcg(struct cmd *c)
{
	u32 id = (u32)GETF(c->w[3], MCG_W24_ID);

	if (id >= MCG_ENTRIES || !c->r->mcg[id])
		return refuse(c->r, MCG_ID, CMD_NO_OBJECT, "destroy group %u", id);
	mcg_free(c->r, id);
	return CMD_OK;
}

u32 rdma_mcast_members(struct rdma *r, const u8 dip[16], u16 vlan, u32 *qps, u32 max)
{
	u32 count = 0, left = r->mcg_used;

	for (u32 i = 0; left; i++) {
		const struct mcg *g = r->mcg[i];

		if (!g)
			continue;
		left--;
		if (memcmp(g->dip, dip, 16) || (g->vlan_valid && g->vlan != (vlan & 0xFFF)))
			continue;
		for (u32 m = 0; m < g->members && count < max; m++)
			qps[count++] = g->qp[m];
	}
	return count;
}
