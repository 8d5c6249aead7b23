// SPDX-License-Identifier: GPL-2.0
/* The vport: its life, link, statistics, addresses, receive-side scaling. */
#include <string.h>

#include "lan_priv.h"

struct lan_vport *vc_vport(struct lan *lan, const struct vc_msg *m)
{
	u32 id = get32(m->data);

	if (!id && lan->vport.exists)
		return &lan->vport;
	violation(lan->nic, V_VC_VPORT, "%s: vport %u", lan_virtchnl_name(m->op), id);
	return NULL;
}

/* Queue counts of a request, brought down to what there is; false after a violation. */
static bool counts(struct lan *lan, const struct vc_create_vport *v, u16 num[VC_Q_TYPES])
{
	u16 max = lan->nic->cfg.queues;

	if (!v->num_tx_q || !v->num_rx_q || v->num_tx_complq != v->num_tx_q ||
	    v->num_rx_bufq != 2 * v->num_rx_q) {
		violation(lan->nic, V_VC_COUNT, "%u tx %u completion %u rx %u buffer queues",
			  v->num_tx_q, v->num_tx_complq, v->num_rx_q, v->num_rx_bufq);
		return false;
	}
	num[VC_Q_TX] = v->num_tx_q < max ? v->num_tx_q : max;
	num[VC_Q_RX] = v->num_rx_q < max ? v->num_rx_q : max;
	num[VC_Q_COMPL] = num[VC_Q_TX];
	num[VC_Q_BUF] = 2 * num[VC_Q_RX];
	return true;
}

static void describe(struct lan *lan, struct vc_create_vport *v, const u16 num[VC_Q_TYPES])
{
	u16 index = v->vport_index;

	*v = (struct vc_create_vport){
		.txq_model = VC_MODEL_SPLIT,
		.rxq_model = VC_MODEL_SPLIT,
		.num_tx_q = num[VC_Q_TX],
		.num_tx_complq = num[VC_Q_COMPL],
		.num_rx_q = num[VC_Q_RX],
		.num_rx_bufq = num[VC_Q_BUF],
		.vport_index = index,
		.max_mtu = LAN_FRAME_MAX,
		.flags = lan->caps & VC_CAP_RDMA ? VC_VPORT_RDMA : 0,
		.rx_desc_ids = VC_RXDID_SPLITQ,
		.tx_desc_ids = VC_TXDID_FLOW_SCHED | VC_TXDID_FLEX_TSO,
		.rss_key_size = RSS_KEY_SIZE,
		.rss_lut_size = RSS_LUT_SIZE,
	};
	memcpy(v->mac, lan->nic->cfg.mac, sizeof(v->mac));
}

u32 vc_create_vport(struct lan *lan, struct vc_msg *m)
{
	struct vc_create_vport *v = (void *)m->data;
	struct vc_queue_chunk *chunks = (void *)(m->data + sizeof(*v));
	u16 num[VC_Q_TYPES];

	if (lan->vport.exists) {
		violation(lan->nic, V_VC_ORDER, "CREATE_VPORT: there is one, and no second");
		return VC_EPERM;
	}
	if (v->type || v->txq_model != VC_MODEL_SPLIT || v->rxq_model != VC_MODEL_SPLIT ||
	    v->num_chunks) {
		violation(lan->nic, V_VC_PARAM, "vport type %u models %u %u chunks %u", v->type,
			  v->txq_model, v->rxq_model, v->num_chunks);
		return VC_EINVAL;
	}
	if (!counts(lan, v, num))
		return VC_ERANGE;
	lan->vport = (struct lan_vport){ .exists = true };
	describe(lan, v, num);
	v->num_chunks = lan_queues_give(lan, num, chunks);
	m->len = sizeof(*v) + v->num_chunks * sizeof(*chunks);
	return VC_OK;
}

static bool any_running(struct lan *lan)
{
	for (u32 type = 0; type < VC_Q_TYPES; type++)
		for (u32 id = 0; id < lan->vport.queues[type]; id++)
			if (lan_queue(lan, type, id)->state >= LQ_RUNNING)
				return true;
	return false;
}

u32 vc_destroy_vport(struct lan *lan, struct vc_msg *m)
{
	const u16 none[VC_Q_TYPES] = {};

	if (!vc_vport(lan, m))
		return VC_ESRCH;
	if (lan->vport.enabled || any_running(lan)) {
		violation(lan->nic, V_VC_STATE, "DESTROY_VPORT: still enabled");
		return VC_EBUSY;
	}
	lan_queues_give(lan, none, NULL);
	lan->vport.exists = false;
	return VC_OK;
}

u32 vc_enable_vport(struct lan *lan, struct vc_msg *m)
{
	struct lan_vport *vp = vc_vport(lan, m);

	if (!vp)
		return VC_ESRCH;
	if (vp->enabled) {
		violation(lan->nic, V_VC_STATE, "ENABLE_VPORT: enabled already");
		return VC_EBUSY;
	}
	vp->enabled = true;
	return VC_OK;
}

u32 vc_disable_vport(struct lan *lan, struct vc_msg *m)
{
	struct lan_vport *vp = vc_vport(lan, m);

	if (!vp)
		return VC_ESRCH;
	if (!vp->enabled) {
		violation(lan->nic, V_VC_STATE, "DISABLE_VPORT: not enabled");
		return VC_EBUSY;
	}
	vp->enabled = false;
	return VC_OK;
}

void lan_link_event(struct lan *lan)
{
	struct vc_event ev = {
		.event = VC_EVENT_LINK,
		.link_speed = lan->link ? LAN_LINK_MBPS : 0,
		.link_status = lan->link,
	};

	if (lan->vport.enabled)
		mailbox_event(&lan->mailbox, VC_EVENT, &ev, sizeof(ev));
}

void lan_count(struct lan_vport *vp, enum vc_stat bytes, const u8 *frame, u32 len)
{
	static const u8 broadcast[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	u32 kind = 1;

	if (!memcmp(frame, broadcast, sizeof(broadcast)))
		kind = 3;
	else if (frame[0] & 1)
		kind = 2;
	vp->stats[bytes] += len;
	vp->stats[bytes + kind]++;
}

_Static_assert(VC_STATS == LAN_STATS, "the counters have one number");

const char *const lan_stat_names[LAN_STATS] = {
	"rx_bytes", "rx_unicast", "rx_multicast", "rx_broadcast", "rx_discards", "rx_errors",
	"rx_unknown_protocol", "tx_bytes", "tx_unicast", "tx_multicast", "tx_broadcast",
	"tx_discards", "tx_errors", "rx_invalid_length", "rx_overflow",
};

const u64 *lan_stats(const struct lan *lan)
{
	return lan->vport.stats;
}

u32 vc_get_stats(struct lan *lan, struct vc_msg *m)
{
	const struct lan_vport *vp = vc_vport(lan, m);
	struct vc_stats *s = (void *)m->data;

	if (!vp)
		return VC_ESRCH;
	memcpy(s->val, vp->stats, sizeof(vp->stats));
	return VC_OK;
}

static bool mac_valid(const struct vc_mac *mac)
{
	static const u8 zero[6];

	return memcmp(mac->addr, zero, sizeof(zero)) &&
	       (mac->type == VC_MAC_PRIMARY || mac->type == VC_MAC_EXTRA);
}

/* The list of a message about addresses; NULL with the status after a violation. */
static const struct vc_mac *mac_list(struct lan *lan, struct vc_msg *m, u32 *status)
{
	const struct vc_macs *macs = (void *)m->data;
	const struct vc_mac *list = (void *)(m->data + sizeof(*macs));

	*status = VC_EINVAL;
	if (!vc_fits(lan, m, sizeof(*macs), macs->count, sizeof(*list)))
		return NULL;
	for (u32 i = 0; i < macs->count; i++) {
		if (!mac_valid(&list[i])) {
			violation(lan->nic, V_VC_MAC, "entry %u of type %u", i, list[i].type);
			return NULL;
		}
	}
	if (vc_vport(lan, m))
		return list;
	*status = VC_ESRCH;
	return NULL;
}

u32 vc_add_mac(struct lan *lan, struct vc_msg *m)
{
	u32 status;
	const struct vc_mac *list = mac_list(lan, m, &status);

	for (u32 i = 0; list && i < ((struct vc_macs *)m->data)->count; i++) {
		status = lan_mac_add(&lan->vport, list[i].addr, list[i].type);
		if (status)
			return status;
	}
	return list ? VC_OK : status;
}

u32 vc_del_mac(struct lan *lan, struct vc_msg *m)
{
	u32 status;
	const struct vc_mac *list = mac_list(lan, m, &status);

	for (u32 i = 0; list && i < ((struct vc_macs *)m->data)->count; i++) {
		status = lan_mac_del(&lan->vport, list[i].addr);
		if (status) {
			violation(lan->nic, V_VC_MAC, "entry %u was never added", i);
			return status;
		}
	}
	return list ? VC_OK : status;
}

u32 vc_set_promisc(struct lan *lan, struct vc_msg *m)
{
	const struct vc_promisc *p = (void *)m->data;
	struct lan_vport *vp = vc_vport(lan, m);

	if (!vp)
		return VC_ESRCH;
	if (p->flags & ~(VC_PROMISC_UNICAST | VC_PROMISC_MULTICAST)) {
		violation(lan->nic, V_VC_PROMISC, "flags 0x%x", p->flags);
		return VC_EINVAL;
	}
	vp->promisc = p->flags;
	return VC_OK;
}

u32 vc_set_rss_key(struct lan *lan, struct vc_msg *m)
{
	const struct vc_rss_key *key = (void *)m->data;
	struct lan_vport *vp;

	if (!vc_fits(lan, m, sizeof(*key), key->len, 1))
		return VC_EINVAL;
	vp = vc_vport(lan, m);
	if (!vp)
		return VC_ESRCH;
	if (key->len != RSS_KEY_SIZE) {
		violation(lan->nic, V_VC_RSS, "key of %u bytes", key->len);
		return VC_EINVAL;
	}
	lan_rss_set_key(&vp->rss, m->data + sizeof(*key));
	return VC_OK;
}

u32 vc_set_rss_lut(struct lan *lan, struct vc_msg *m)
{
	const struct vc_rss_lut *lut = (void *)m->data;
	const u8 *entry = m->data + sizeof(*lut);
	struct lan_vport *vp;

	if (!vc_fits(lan, m, sizeof(*lut), lut->entries, 4))
		return VC_EINVAL;
	vp = vc_vport(lan, m);
	if (!vp)
		return VC_ESRCH;
	if ((u32)lut->start + lut->entries > RSS_LUT_SIZE) {
		violation(lan->nic, V_VC_RSS, "%u entries from %u", lut->entries, lut->start);
		return VC_EINVAL;
	}
	for (u32 i = 0; i < lut->entries; i++) {
		if (get32(entry + 4 * i) >= vp->queues[VC_Q_RX]) {
			violation(lan->nic, V_VC_RSS, "entry %u names queue %u", lut->start + i,
				  get32(entry + 4 * i));
			return VC_EINVAL;
		}
	}
	memcpy(&vp->rss.lut[lut->start], entry, 4u * lut->entries);
	return VC_OK;
}
