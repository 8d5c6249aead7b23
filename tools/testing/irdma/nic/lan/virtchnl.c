// SPDX-License-Identifier: GPL-2.0
/*
 * virtchnl2: the table of messages, and those about the function as a whole.
 *
 * A handler finds the request in place and leaves the answer there; a request
 * that needs none but a status goes back as it came. Everything that a request
 * names is checked before anything is changed.
 */
#include <string.h>

#include "../ctl/rdma.h"
#include "../intr.h"
#include "lan_priv.h"

/* What a message needs to have happened before. */
enum vc_stage { ST_START, ST_VERSION, ST_CAPS };

/**
 * struct vc_op - a row of the table
 * @fixed: bytes of the message, or of its fixed part if @variable
 * @cap: capability that must have been granted, or 0
 */
struct vc_op {
	u32 op;
	const char *name;
	vc_fn *fn;
	u32 fixed;
	bool variable;
	enum vc_stage stage;
	u64 cap;
};

/* Capabilities that the function has, in terms of other_caps. */
static u64 offered(const struct lan *lan)
{
	u64 caps = VC_CAP_MACFILTER | VC_CAP_PROMISC | VC_CAP_LAN_REGIONS;

	return lan->nic->rdma ? caps | VC_CAP_RDMA : caps;
}

static u32 refuse_order(struct lan *lan, const struct vc_msg *m, const char *why)
{
	violation(lan->nic, V_VC_ORDER, "%s: %s", lan_virtchnl_name(m->op), why);
	return VC_EPERM;
}

static u32 vc_version(struct lan *lan, struct vc_msg *m)
{
	struct vc_version *v = (void *)m->data;

	v->major = VC_MAJOR;
	v->minor = VC_MINOR;
	lan->versioned = true;
	return VC_OK;
}

static u32 vc_get_caps(struct lan *lan, struct vc_msg *m)
{
	const struct nic_config *cfg = &lan->nic->cfg;
	const struct vc_caps *asked = (void *)m->data;

	const u64 rss = asked->rss_caps & VC_CAP_RSS_ALL;

	lan->caps = asked->other_caps & offered(lan);
	lan->has_caps = true;
	*(struct vc_caps *)m->data = (struct vc_caps){
		.rss_caps = rss,
		.other_caps = lan->caps,
		.mailbox_dyn_ctl = intr_dyn_ctl(lan->nic, 0),
		.num_vectors = cfg->vectors,
		.num_rdma_vectors = lan->caps & VC_CAP_RDMA ? cfg->rdma_vectors : 0,
		.max_rx_q = cfg->queues,
		.max_tx_q = cfg->queues,
		.max_rx_bufq = 2 * cfg->queues,
		.max_tx_complq = cfg->queues,
		.max_vports = 1,
		.default_num_vports = 1,
		.max_tx_hdr_size = 255,
		.max_sg_bufs = LAN_SG_MAX,
	};
	return VC_OK;
}

/* All registers that the driver is told of, and that lie in no window it maps anyway. */
static u32 vc_get_regions(struct lan *lan, struct vc_msg *m)
{
	const struct lan_layout *l = lan->layout;
	const u16 queues = lan->nic->cfg.queues;
	const struct vc_region list[] = {
		{ l->buf_tail, 2 * queues * l->tail_stride },
		{ l->tx_tail, queues * l->tail_stride },
		{ l->intr_ena & ~0xfffu, 0x1000 },
		l->vectors,
	};
	struct vc_regions *answer = (void *)m->data;

	*answer = (struct vc_regions){ .count = ARRAY_SIZE(list) };
	memcpy(m->data + sizeof(*answer), list, sizeof(list));
	m->len = sizeof(*answer) + sizeof(list);
	return VC_OK;
}

static u32 vc_alloc_vectors(struct lan *lan, struct vc_msg *m)
{
	const struct nic *nic = lan->nic;
	struct vc_alloc_vectors *a = (void *)m->data;
	u16 num = a->num_vectors;
	struct vc_vector_chunk chunk = {
		.start_vector = 1,
		.num_vectors = num,
		.dynctl_start = intr_dyn_ctl(nic, 1),
		.dynctl_spacing = intr_dyn_ctl(nic, 2) - intr_dyn_ctl(nic, 1),
		.itr_start = intr_itr(nic, 1, 0),
		.itr_spacing = intr_itr(nic, 2, 0) - intr_itr(nic, 1, 0),
		.itr_index_spacing = intr_itr(nic, 1, 1) - intr_itr(nic, 1, 0),
	};

	if (lan->vectors)
		return refuse_order(lan, m, "vectors were granted before");
	if (!num || num >= lan->nic->cfg.vectors) {
		violation(lan->nic, V_VC_VECTOR, "%u vectors asked for, there are %u", num,
			  lan->nic->cfg.vectors - 1);
		return VC_ERANGE;
	}
	lan->vectors = num;
	a->chunks = (struct vc_vector_chunks){ .count = 1 };
	memcpy(m->data + sizeof(*a), &chunk, sizeof(chunk));
	m->len = sizeof(*a) + sizeof(chunk);
	return VC_OK;
}

static u32 vc_dealloc_vectors(struct lan *lan, struct vc_msg *m)
{
	const struct vc_vector_chunks *chunks = (void *)m->data;
	const struct vc_vector_chunk *chunk = (void *)(m->data + sizeof(*chunks));

	if (!vc_fits(lan, m, sizeof(*chunks), chunks->count, sizeof(*chunk)))
		return VC_EINVAL;
	if (lan->vport.exists)
		return refuse_order(lan, m, "a vport still uses the vectors");
	if (chunks->count != 1 || chunk->start_vector != 1 || !lan->vectors ||
	    chunk->num_vectors != lan->vectors) {
		violation(lan->nic, V_VC_VECTOR, "%u chunks given back, not the %u vectors granted",
			  chunks->count, lan->vectors);
		return VC_ERANGE;
	}
	lan->vectors = 0;
	return VC_OK;
}

/* Appends one packet type to the answer. */
static void add_ptype(struct vc_msg *m, u16 id, u8 id_8, const struct lan_ptype *pt)
{
	struct vc_ptypes *answer = (void *)m->data;
	struct vc_ptype entry = { .id_10 = id, .id_8 = id_8, .proto_count = pt->count };

	memcpy(m->data + m->len, &entry, sizeof(entry));
	memcpy(m->data + m->len + sizeof(entry), pt->proto, 2u * pt->count);
	m->len += sizeof(entry) + 2u * pt->count;
	answer->count++;
}

/* The types in the range that was asked for; behind the last of all, the end mark. */
static u32 vc_get_ptypes(struct lan *lan, struct vc_msg *m)
{
	const struct vc_ptypes asked = *(struct vc_ptypes *)m->data;
	u32 end = (u32)asked.start + asked.count;
	const struct lan_ptype none = {};

	if (end > VC_PTYPES) {
		violation(lan->nic, V_VC_PTYPE, "%u types from %u", asked.count, asked.start);
		return VC_ERANGE;
	}
	*(struct vc_ptypes *)m->data = (struct vc_ptypes){ .start = asked.start };
	for (u32 id = asked.start; id < end && id < LAN_PTYPES; id++)
		if (lan_ptypes[id].count)
			add_ptype(m, (u16)id, (u8)id, &lan_ptypes[id]);
	if (end >= LAN_PTYPES)
		add_ptype(m, VC_PTYPE_END, VC_PTYPE_END_8, &none);
	return VC_OK;
}

static u32 vc_rdma(struct lan *lan, struct vc_msg *m)
{
	u8 answer[RDMA_VCHNL_MAX];
	u32 len = rdma_vchnl(lan->nic->rdma, m->data, m->len, answer);

	if (!len)
		return VC_NO_ANSWER;
	memcpy(m->data, answer, len);
	m->len = len;
	return VC_OK;
}

static const struct vc_op ops[] = {
	{ VC_VERSION, "VERSION", vc_version, sizeof(struct vc_version), false, ST_START, 0 },
	{ VC_GET_CAPS, "GET_CAPS", vc_get_caps, sizeof(struct vc_caps), false, ST_VERSION, 0 },
	{ VC_CREATE_VPORT, "CREATE_VPORT", vc_create_vport, sizeof(struct vc_create_vport), false,
	  ST_CAPS, 0 },
	{ VC_DESTROY_VPORT, "DESTROY_VPORT", vc_destroy_vport, sizeof(struct vc_vport), false,
	  ST_CAPS, 0 },
	{ VC_ENABLE_VPORT, "ENABLE_VPORT", vc_enable_vport, sizeof(struct vc_vport), false,
	  ST_CAPS, 0 },
	{ VC_DISABLE_VPORT, "DISABLE_VPORT", vc_disable_vport, sizeof(struct vc_vport), false,
	  ST_CAPS, 0 },
	{ VC_CONFIG_TX_QUEUES, "CONFIG_TX_QUEUES", vc_config_tx, sizeof(struct vc_config_tx), true,
	  ST_CAPS, 0 },
	{ VC_CONFIG_RX_QUEUES, "CONFIG_RX_QUEUES", vc_config_rx, sizeof(struct vc_config_rx), true,
	  ST_CAPS, 0 },
	{ VC_ENABLE_QUEUES, "ENABLE_QUEUES", vc_enable_queues, sizeof(struct vc_queues), true,
	  ST_CAPS, 0 },
	{ VC_DISABLE_QUEUES, "DISABLE_QUEUES", vc_disable_queues, sizeof(struct vc_queues), true,
	  ST_CAPS, 0 },
	{ VC_ADD_QUEUES, "ADD_QUEUES", vc_add_queues, sizeof(struct vc_add_queues), false,
	  ST_CAPS, 0 },
	{ VC_DEL_QUEUES, "DEL_QUEUES", vc_del_queues, sizeof(struct vc_queues), true,
	  ST_CAPS, 0 },
	{ VC_MAP_VECTORS, "MAP_QUEUE_VECTOR", vc_map_vectors, sizeof(struct vc_vector_maps), true,
	  ST_CAPS, 0 },
	{ VC_UNMAP_VECTORS, "UNMAP_QUEUE_VECTOR", vc_unmap_vectors, sizeof(struct vc_vector_maps),
	  true, ST_CAPS, 0 },
	{ VC_SET_RSS_KEY, "SET_RSS_KEY", vc_set_rss_key, sizeof(struct vc_rss_key), true,
	  ST_CAPS, 0 },
	{ VC_SET_RSS_LUT, "SET_RSS_LUT", vc_set_rss_lut, sizeof(struct vc_rss_lut), true,
	  ST_CAPS, 0 },
	{ VC_ALLOC_VECTORS, "ALLOC_VECTORS", vc_alloc_vectors, sizeof(struct vc_alloc_vectors),
	  false, ST_CAPS, 0 },
	{ VC_DEALLOC_VECTORS, "DEALLOC_VECTORS", vc_dealloc_vectors,
	  sizeof(struct vc_vector_chunks), true, ST_CAPS, 0 },
	{ VC_GET_STATS, "GET_STATS", vc_get_stats, sizeof(struct vc_stats), false, ST_CAPS, 0 },
	{ VC_GET_PTYPES, "GET_PTYPE_INFO", vc_get_ptypes, sizeof(struct vc_ptypes), false,
	  ST_CAPS, 0 },
	{ VC_RDMA, "RDMA", vc_rdma, 16, true, ST_CAPS, VC_CAP_RDMA },
	{ VC_ADD_MAC, "ADD_MAC_ADDR", vc_add_mac, sizeof(struct vc_macs), true, ST_CAPS,
	  VC_CAP_MACFILTER },
	{ VC_DEL_MAC, "DEL_MAC_ADDR", vc_del_mac, sizeof(struct vc_macs), true, ST_CAPS,
	  VC_CAP_MACFILTER },
	{ VC_SET_PROMISC, "CONFIG_PROMISCUOUS_MODE", vc_set_promisc, sizeof(struct vc_promisc),
	  false, ST_CAPS, VC_CAP_PROMISC },
	{ VC_GET_REGIONS, "GET_LAN_MEMORY_REGIONS", vc_get_regions,
	  sizeof(struct vc_regions) + sizeof(struct vc_region), false, ST_CAPS,
	  VC_CAP_LAN_REGIONS },
};

static const struct vc_op *find_op(u32 op)
{
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		if (ops[i].op == op)
			return &ops[i];
	return NULL;
}

const char *lan_virtchnl_name(u32 op)
{
	const struct vc_op *row = find_op(op);

	if (op == VC_EVENT)
		return "EVENT";
	return row ? row->name : "?";
}

bool vc_fits(struct lan *lan, const struct vc_msg *m, u32 hdr, u32 count, u32 entry)
{
	if (m->len == hdr + (u64)count * entry)
		return true;
	violation(lan->nic, V_VC_LENGTH, "%s: %u bytes for %u entries", lan_virtchnl_name(m->op),
		  m->len, count);
	return false;
}

u32 lan_virtchnl(struct lan *lan, struct vc_msg *m)
{
	const struct vc_op *row = find_op(m->op);

	if (m->op == VC_RESET_VF && lan->nic->cfg.vf) {
		nic_reset(lan->nic, NIC_RESET_SOFTWARE);
		return VC_OK;
	}
	if (!row || (row->cap & ~lan->caps)) {
		violation(lan->nic, V_VC_OPCODE, "message %u (%s) is not offered", m->op,
			  lan_virtchnl_name(m->op));
		return VC_EOPNOTSUPP;
	}
	if (row->stage >= ST_VERSION && !lan->versioned)
		return refuse_order(lan, m, "no version was agreed on");
	if (row->stage >= ST_CAPS && !lan->has_caps)
		return refuse_order(lan, m, "no capabilities were asked for");
	if (m->len < row->fixed || (m->len > row->fixed && !row->variable)) {
		violation(lan->nic, V_VC_LENGTH, "%s: %u bytes, fixed part has %u", row->name,
			  m->len, row->fixed);
		return VC_EINVAL;
	}
	return row->fn(lan, m);
}
