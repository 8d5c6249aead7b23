// SPDX-License-Identifier: GPL-2.0
/*
 * Queues: their states, and the messages that move them from one to the next.
 *
 * A message about many queues is checked as a whole before the first of them
 * changes.
 */
#include <string.h>

#include "lan_priv.h"

#define RELATIVE_ID_MAX	0x3ffu
#define BUF_SIZE_MAX	0x3fffu		/* the receive descriptor's length field */

const char *lan_queue_name(u32 type)
{
	static const char *const names[VC_Q_TYPES] = { "tx", "rx", "completion", "buffer" };

	return type < VC_Q_TYPES ? names[type] : "unknown";
}

static struct lan_queue *slot(struct lan *lan, u32 type, u32 id)
{
	switch (type) {
	case VC_Q_TX:
		return &lan->tx[id];
	case VC_Q_RX:
		return &lan->rx[id];
	case VC_Q_COMPL:
		return &lan->compl[id];
	default:
		return &lan->buf[id];
	}
}

struct lan_queue *lan_queue(struct lan *lan, u32 type, u32 id)
{
	if (type >= VC_Q_TYPES || id >= lan->vport.queues[type])
		return NULL;
	return slot(lan, type, id);
}

/* Buffers may have been posted before; only now is it known whether the tail fits. */
void lan_queue_start(struct lan_queue *q)
{
	q->head = 0;
	q->gen = true;
	q->state = LQ_RUNNING;
	if (q->type == VC_Q_BUF)
		lan_buf_doorbell(q->lan, q->id, q->tail);
}

void lan_queue_stop(struct lan_queue *q)
{
	task_cancel(&q->more);
	q->tail = 0;
	if (q->state > LQ_READY)
		q->state = LQ_READY;
}

void lan_queue_halt(struct lan_queue *q)
{
	task_cancel(&q->more);
	q->state = LQ_STOPPED;
}

void lan_queue_fault(struct lan_queue *q, const char *what, u64 addr)
{
	TRACE(q->lan->nic, T_LAN, "%s queue %u stops: %s at 0x%llx", lan_queue_name(q->type),
	      q->id, what, (unsigned long long)addr);
	lan_queue_halt(q);
}

static const u32 *tail_layout(const struct lan *lan, u32 type)
{
	if (type == VC_Q_TX)
		return &lan->layout->tx_tail;
	return type == VC_Q_BUF ? &lan->layout->buf_tail : NULL;
}

u32 lan_queues_give(struct lan *lan, const u16 num[VC_Q_TYPES], struct vc_queue_chunk *out)
{
	u32 chunks = 0;

	for (u32 type = 0; type < VC_Q_TYPES; type++) {
		const u32 *tail = tail_layout(lan, type);

		for (u32 id = 0; id < lan->vport.queues[type]; id++)
			slot(lan, type, id)->state = LQ_ABSENT;
		lan->vport.queues[type] = num[type];
		for (u32 id = 0; id < num[type]; id++)
			slot(lan, type, id)->state = LQ_IDLE;
		if (!num[type])
			continue;
		out[chunks++] = (struct vc_queue_chunk){
			.type = type,
			.count = num[type],
			.tail_start = tail ? *tail : 0,
			.tail_spacing = tail ? lan->layout->tail_stride : 0,
		};
	}
	return chunks;
}

/* The queue that entry @i of a message names, if it is in a state that can be configured. */
static struct lan_queue *to_configure(struct lan *lan, u32 i, u32 type, u32 id)
{
	struct lan_queue *q = lan_queue(lan, type, id);

	if (!q)
		violation(lan->nic, V_VC_QUEUE, "entry %u: %s queue %u", i, lan_queue_name(type),
			  id);
	else if (q->state > LQ_READY)
		violation(lan->nic, V_VC_STATE, "entry %u: %s queue %u is enabled", i,
			  lan_queue_name(type), id);
	else
		return q;
	return NULL;
}

static u32 not_to_configure(struct lan *lan, u32 type, u32 id)
{
	return lan_queue(lan, type, id) ? VC_EBUSY : VC_ERANGE;
}

/* The answer for queue @id, which cannot be configured because of @flaw, NULL if nothing. */
static u32 flaw_status(struct lan *lan, u32 type, u32 id, const char *flaw)
{
	if (!flaw)
		return VC_OK;
	violation(lan->nic, V_VC_PARAM, "%s queue %u: %s", lan_queue_name(type), id, flaw);
	return VC_EINVAL;
}

static const char *tx_flaw(struct lan *lan, const struct vc_tx_queue *e)
{
	if (e->model != VC_MODEL_SPLIT)
		return "model";
	if (e->sched_mode != VC_SCHED_FLOW)
		return "scheduling mode";
	if (!e->ring_len)
		return "ring length";
	if (e->relative_id > RELATIVE_ID_MAX)
		return "relative id";
	if (e->type == VC_Q_TX && !lan_queue(lan, VC_Q_COMPL, e->complq))
		return "completion queue";
	return NULL;
}

static u32 check_tx(struct lan *lan, u32 i, const struct vc_tx_queue *e)
{
	bool tx = e->type == VC_Q_TX || e->type == VC_Q_COMPL;
	u32 type = tx ? e->type : VC_Q_TYPES;

	if (!to_configure(lan, i, type, e->id))
		return not_to_configure(lan, type, e->id);
	return flaw_status(lan, type, e->id, tx_flaw(lan, e));
}

u32 vc_config_tx(struct lan *lan, struct vc_msg *m)
{
	const struct vc_config_tx *msg = (void *)m->data;
	const struct vc_tx_queue *e = (void *)(m->data + sizeof(*msg));
	u32 status;

	if (!vc_fits(lan, m, sizeof(*msg), msg->count, sizeof(*e)))
		return VC_EINVAL;
	if (!vc_vport(lan, m))
		return VC_ESRCH;
	for (u32 i = 0; i < msg->count; i++) {
		status = check_tx(lan, i, &e[i]);
		if (status)
			return status;
	}
	for (u32 i = 0; i < msg->count; i++) {
		struct lan_queue *q = slot(lan, e[i].type, e[i].id);

		q->ring = e[i].ring;
		q->ring_len = e[i].ring_len;
		q->complq = e[i].complq;
		q->relative_id = e[i].relative_id;
		q->state = LQ_READY;
	}
	return VC_OK;
}

static const char *rx_flaw(struct lan *lan, const struct vc_rx_queue *e)
{
	if (e->model != VC_MODEL_SPLIT)
		return "model";
	if (!e->ring_len)
		return "ring length";
	if (e->type == VC_Q_BUF) {
		if (!e->data_buf_size || e->data_buf_size > BUF_SIZE_MAX)
			return "buffer size";
		return e->notify_stride != VC_BUF_STRIDE ? "notify stride" : NULL;
	}
	if (e->desc_ids != VC_RXDID_SPLITQ)
		return "descriptor id";
	if (!(e->qflags & VC_RXQ_DESC_32B) || e->qflags & (VC_RXQ_RSC | VC_RXQ_HSPLIT))
		return "flags";
	if (!e->max_pkt_size || e->max_pkt_size > LAN_FRAME_MAX)
		return "packet size";
	if (!lan_queue(lan, VC_Q_BUF, e->bufq[0]) ||
	    (e->bufq2_ena && !lan_queue(lan, VC_Q_BUF, e->bufq[1])))
		return "buffer queue";
	return NULL;
}

static u32 check_rx(struct lan *lan, u32 i, const struct vc_rx_queue *e)
{
	bool rx = e->type == VC_Q_RX || e->type == VC_Q_BUF;
	u32 type = rx ? e->type : VC_Q_TYPES;

	if (!to_configure(lan, i, type, e->id))
		return not_to_configure(lan, type, e->id);
	return flaw_status(lan, type, e->id, rx_flaw(lan, e));
}

u32 vc_config_rx(struct lan *lan, struct vc_msg *m)
{
	const struct vc_config_rx *msg = (void *)m->data;
	const struct vc_rx_queue *e = (void *)(m->data + sizeof(*msg));
	u32 status;

	if (!vc_fits(lan, m, sizeof(*msg), msg->count, sizeof(*e)))
		return VC_EINVAL;
	if (!vc_vport(lan, m))
		return VC_ESRCH;
	for (u32 i = 0; i < msg->count; i++) {
		status = check_rx(lan, i, &e[i]);
		if (status)
			return status;
	}
	for (u32 i = 0; i < msg->count; i++) {
		struct lan_queue *q = slot(lan, e[i].type, e[i].id);

		q->ring = e[i].ring;
		q->ring_len = e[i].ring_len;
		q->buf_size = e[i].data_buf_size;
		q->max_pkt = e[i].max_pkt_size;
		q->bufq[0] = e[i].bufq[0];
		q->bufq[1] = e[i].bufq[1];
		q->bufqs = e[i].bufq2_ena ? 2 : 1;
		q->state = LQ_READY;
	}
	return VC_OK;
}

static u32 map_vectors(struct lan *lan, struct vc_msg *m, bool map)
{
	const struct vc_vector_maps *msg = (void *)m->data;
	const struct vc_vector_map *e = (void *)(m->data + sizeof(*msg));

	if (!vc_fits(lan, m, sizeof(*msg), msg->count, sizeof(*e)))
		return VC_EINVAL;
	if (!vc_vport(lan, m))
		return VC_ESRCH;
	for (u32 i = 0; i < msg->count; i++) {
		if (e[i].queue_type > VC_Q_RX || !lan_queue(lan, e[i].queue_type, e[i].queue)) {
			violation(lan->nic, V_VC_QUEUE, "entry %u: %s queue %u", i,
				  lan_queue_name(e[i].queue_type), e[i].queue);
			return VC_ERANGE;
		}
		if (!e[i].vector || e[i].vector > lan->vectors) {
			violation(lan->nic, V_VC_VECTOR, "entry %u: vector %u of %u", i,
				  e[i].vector, lan->vectors);
			return VC_ERANGE;
		}
	}
	for (u32 i = 0; i < msg->count; i++)
		slot(lan, e[i].queue_type, e[i].queue)->vector = map ? e[i].vector : 0;
	return VC_OK;
}

u32 vc_map_vectors(struct lan *lan, struct vc_msg *m)
{
	return map_vectors(lan, m, true);
}

u32 vc_unmap_vectors(struct lan *lan, struct vc_msg *m)
{
	return map_vectors(lan, m, false);
}

/* Checks the list of a message: all queues exist, in a state from @from to @to. */
static u32 check_ranges(struct lan *lan, const struct vc_msg *m, enum lan_queue_state from,
			enum lan_queue_state to)
{
	const struct vc_queues *msg = (void *)m->data;
	const struct vc_queue_range *r = (void *)(m->data + sizeof(*msg));

	if (!vc_fits(lan, m, sizeof(*msg), msg->count, sizeof(*r)))
		return VC_EINVAL;
	if (!vc_vport(lan, m))
		return VC_ESRCH;
	for (u32 i = 0; i < msg->count; i++, r++) {
		if (r->type >= VC_Q_TYPES || !r->count ||
		    (u64)r->start + r->count > lan->vport.queues[r->type]) {
			violation(lan->nic, V_VC_QUEUE, "%s: %u %s queues from %u",
				  lan_virtchnl_name(m->op), r->count, lan_queue_name(r->type),
				  r->start);
			return VC_ERANGE;
		}
		for (u32 id = r->start; id < r->start + r->count; id++) {
			struct lan_queue *q = slot(lan, r->type, id);

			if (q->state >= from && q->state <= to)
				continue;
			violation(lan->nic, V_VC_STATE, "%s: %s queue %u is in state %d",
				  lan_virtchnl_name(m->op), lan_queue_name(r->type), id, q->state);
			return VC_EBUSY;
		}
	}
	return VC_OK;
}

/* Runs @fn on each queue of type @type that the message lists. */
static void for_ranges(struct lan *lan, const struct vc_msg *m, u32 type,
		       void (*fn)(struct lan_queue *q))
{
	const struct vc_queues *msg = (void *)m->data;
	const struct vc_queue_range *r = (void *)(m->data + sizeof(*msg));

	for (u32 i = 0; i < msg->count; i++)
		for (u32 id = 0; r[i].type == type && id < r[i].count; id++)
			fn(slot(lan, type, r[i].start + id));
}

u32 vc_enable_queues(struct lan *lan, struct vc_msg *m)
{
	u32 status = check_ranges(lan, m, LQ_READY, LQ_READY);

	for (u32 type = 0; !status && type < VC_Q_TYPES; type++)
		for_ranges(lan, m, type, lan_queue_start);
	return status;
}

static void stop_tx(struct lan_queue *q)
{
	lan_queue_stop(q);
	lan_tx_marker(q);
}

u32 vc_disable_queues(struct lan *lan, struct vc_msg *m)
{
	u32 status = check_ranges(lan, m, LQ_RUNNING, LQ_STOPPED);

	if (status)
		return status;
	for_ranges(lan, m, VC_Q_TX, stop_tx);	/* first: the markers need their queues */
	for (u32 type = VC_Q_RX; type < VC_Q_TYPES; type++)
		for_ranges(lan, m, type, lan_queue_stop);
	return VC_OK;
}

/* A driver gives all its queues back at once: ids are handed out from 0. */
u32 vc_del_queues(struct lan *lan, struct vc_msg *m)
{
	const u16 none[VC_Q_TYPES] = {};
	const struct vc_queues *msg = (void *)m->data;
	const struct vc_queue_range *r = (void *)(m->data + sizeof(*msg));
	u32 given[VC_Q_TYPES] = {};
	u32 status = check_ranges(lan, m, LQ_IDLE, LQ_READY);

	if (status)
		return status;
	for (u32 i = 0; i < msg->count; i++)
		given[r[i].type] += r[i].count;
	for (u32 type = 0; type < VC_Q_TYPES; type++) {
		if (given[type] == lan->vport.queues[type])
			continue;
		violation(lan->nic, V_VC_COUNT, "DEL_QUEUES: %u of %u %s queues", given[type],
			  lan->vport.queues[type], lan_queue_name(type));
		return VC_ERANGE;
	}
	lan_queues_give(lan, none, NULL);
	return VC_OK;
}

u32 vc_add_queues(struct lan *lan, struct vc_msg *m)
{
	struct vc_add_queues *msg = (void *)m->data;
	struct vc_queue_chunk *chunks = (void *)(m->data + sizeof(*msg));
	const u16 num[VC_Q_TYPES] = { msg->num_tx_q, msg->num_rx_q, msg->num_tx_complq,
				      msg->num_rx_bufq };
	u16 max = lan->nic->cfg.queues;

	if (!vc_vport(lan, m))
		return VC_ESRCH;
	if (lan->vport.queues[VC_Q_TX]) {
		violation(lan->nic, V_VC_STATE, "ADD_QUEUES: the old ones were not deleted");
		return VC_EBUSY;
	}
	if (!num[VC_Q_TX] || !num[VC_Q_RX] || num[VC_Q_TX] > max || num[VC_Q_RX] > max ||
	    num[VC_Q_COMPL] != num[VC_Q_TX] || num[VC_Q_BUF] != 2 * num[VC_Q_RX]) {
		violation(lan->nic, V_VC_COUNT, "ADD_QUEUES: %u tx %u completion %u rx %u buffer",
			  num[VC_Q_TX], num[VC_Q_COMPL], num[VC_Q_RX], num[VC_Q_BUF]);
		return VC_ERANGE;
	}
	msg->num_chunks = lan_queues_give(lan, num, chunks);
	m->len = sizeof(*msg) + msg->num_chunks * sizeof(*chunks);
	return VC_OK;
}
