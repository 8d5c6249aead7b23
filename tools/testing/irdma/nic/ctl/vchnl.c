// SPDX-License-Identifier: GPL-2.0
/*
 * The virtual channel: what the control plane answers to the RDMA driver's messages.
 *
 * A refused message is answered with a negative errno in the header. The answers to
 * "get version" and "get HMC function" have their full length even then, since drivers
 * check the length first.
 */
#include <errno.h>
#include <string.h>

#include "ctl.h"

#define HEADER		16u
#define VERSION		2u
#define CAPS_BYTES	7u
#define PRIORITIES	8u
#define PROTOCOL_ROCE	2u
#define QS_HANDLE_BASE	0x10u
#define HW_REV_GEN3	3u
#define COMMAND_TIMEOUT_S 5u
#define PUSH_LEN_BYTES	256u
#define NO_QUEUE	0xFFFFu
#define MAP_ENTRY	12u
#define LIST_END	0xFFFFu
#define PAGE_RELATIVE	0x8000u

enum {
	OP_GET_VERSION = 0, OP_GET_FN = 1, OP_PUT_FN = 2, OP_GET_LAYOUT = 11, OP_GET_CAPS = 13,
	OP_MAP_VECTORS = 14, OP_UNMAP_VECTORS = 15, OP_ADD_VPORT = 16, OP_DEL_VPORT = 17,
	VCHNL_OPS = 18
};

struct message {
	struct rdma *r;
	u16 op, version;
	const u8 *in;
	u32 in_len;
	u8 *out;
	u32 out_len;
};

typedef int message_fn(struct message *m);

struct message_info {
	const char *name;
	message_fn *run;
	u16 version;
	u32 min_in, out_len;	/* bytes of payload; @out_len also of a refusal */
};

#define bad(m, v, err, ...) (violation((m)->r->nic, V_##v, __VA_ARGS__), -(err))

static int get_version(struct message *m)
{
	m->r->vchnl.versioned = true;
	put32(m->out, VERSION);
	return 0;
}

/* The capability at @offset of the answer, or what a fault knob wants it to be. */
static u16 capability(struct message *m, u32 offset, u16 value)
{
	const struct fault *f = fault_hit(m->r->nic, F_CAPABILITY, offset);

	return f && f->action == FAULT_VALUE ? (u16)f->value : value;
}

static int get_caps(struct message *m)
{
	m->out[0] = (u8)capability(m, 0, HW_REV_GEN3);
	put16(m->out + 1, capability(m, 1, COMMAND_TIMEOUT_S));
	put16(m->out + 3, capability(m, 3, COMMAND_TIMEOUT_S * 5));
	put16(m->out + 5, capability(m, 5, PUSH_LEN_BYTES));
	return 0;
}

static void put_handles(u8 *out)
{
	for (u32 i = 0; i < PRIORITIES; i++)
		put16(out + 2 * i, (u16)(QS_HANDLE_BASE + i));
}

static int get_fn(struct message *m)
{
	if (m->in[0] != PROTOCOL_ROCE)
		return bad(m, VCHNL_FIELD, EOPNOTSUPP, "protocol %u", m->in[0]);
	if (m->r->vchnl.fn_held)
		return bad(m, VCHNL_ORDER, EBUSY, "HMC function taken twice");
	m->r->vchnl.fn_held = true;
	put16(m->out, HMC_FN);
	put_handles(m->out + 2);
	return 0;
}

static int put_fn(struct message *m)
{
	if (!m->r->vchnl.fn_held)
		return bad(m, VCHNL_ORDER, EINVAL, "HMC function was not taken");
	if (m->r->cqp.exists)
		return bad(m, VCHNL_ORDER, EBUSY, "HMC function put before the control QP is gone");
	hmc_use_scratch(m->r);
	hmc_drop_scratch(m->r);
	m->r->vchnl.fn_held = false;
	m->r->vchnl.vport = false;
	return 0;
}

static u8 *put_register(struct message *m, u8 *out, u16 id, u32 offset)
{
	const struct fault *f = fault_hit(m->r->nic, F_REGISTER, id);

	put32(out, f && f->action == FAULT_VALUE ? (u32)f->value : offset);
	put16(out + 4, 0);
	put16(out + 6, id);
	return out + 8;
}

static u8 *put_field(u8 *out, u16 id, u32 high, u32 low)
{
	out[0] = (u8)low;
	out[1] = (u8)(high - low + 1);
	put16(out + 2, id);
	return out + 4;
}
#define put_field_pair(out, id, ...) put_field(out, id, __VA_ARGS__)

static int get_layout(struct message *m)
{
	static const u16 reg_of_id[] = {
		REG_CQPTAIL, REG_CQPDB, REG_CCQPSTATUS, REG_CCQPHIGH, REG_CCQPLOW, REG_CQARM,
		REG_CQACK, REG_AEQALLOC, REG_CQPERRCODES, REG_WQEALLOC,
	};
	const u32 base = rdma_region(m->r);
	u8 *p = m->out;

	for (u16 id = 0; id < ARRAY_SIZE(reg_of_id); id++)
		p = put_register(m, p, id, base + reg_of_id[id]);
	p = put_register(m, p, 11, rdma_dbpage(m->r));
	p = put_register(m, p, 12, m->r->nic->cfg.vf ? DYN_CTL_VF : DYN_CTL_PF);
	p = put_register(m, p, LIST_END, 0);
	p = put_field_pair(p, 2, FLD_STATUS_ERROR);
	p = put_field_pair(p, 5, FLD_STATUS_DONE);
	p = put_field_pair(p, 6, FLD_STAG_PD);
	p = put_field_pair(p, 7, FLD_CQ_CEQ);
	p = put_field_pair(p, 8, FLD_CQ_ID);
	p = put_field_pair(p, 9, FLD_FPM_CQ_COUNT);
	p = put_field_pair(p, 10, FLD_SD_HMC_FN);
	p = put_field(p, LIST_END, 0, 1);
	m->out_len = (u32)(p - m->out);
	return 0;
}

/* One entry of a queue-vector map. @on: map, else unmap. */
static int map_entry(struct message *m, const u8 *e, bool on)
{
	struct rdma *r = m->r;
	u32 vec = get32(e);
	u16 ceq = get16(e + 4), aeq = get16(e + 6);

	/* Vector 0 is the mailbox's. */
	if (!vec || vec >= r->nic->cfg.vectors)
		return bad(m, VCHNL_VECTOR, EINVAL, "vector %u", vec);
	if ((ceq == NO_QUEUE) == (aeq == NO_QUEUE) || (aeq != NO_QUEUE && aeq))
		return bad(m, VCHNL_FIELD, EINVAL, "CEQ %u and AEQ %u", ceq, aeq);
	if (aeq != NO_QUEUE) {
		if (!r->aeq.exists)
			return bad(m, VCHNL_ORDER, ENOENT, "AEQ mapped before it was created");
		r->aeq.vector = on ? vec : NO_VECTOR;
		return 0;
	}
	if (ceq >= CEQS || !r->ceq[ceq].exists)
		return bad(m, VCHNL_ORDER, ENOENT, "CEQ %u mapped before it was created", ceq);
	r->ceq[ceq].vector = on ? vec : NO_VECTOR;
	return 0;
}

static int map_vectors(struct message *m)
{
	u32 count = get32(m->in);

	if (!count || count > (m->in_len - 4) / MAP_ENTRY)
		return bad(m, VCHNL_LENGTH, EINVAL, "%u map entries in %u bytes", count, m->in_len);
	for (u32 i = 0; i < count; i++) {
		int err = map_entry(m, m->in + 4 + MAP_ENTRY * i, m->op == OP_MAP_VECTORS);

		if (err)
			return err;
	}
	return 0;
}

static int add_vport(struct message *m)
{
	struct vchnl *v = &m->r->vchnl;
	u32 qp = get32(m->in + 4);

	if (v->vport)
		return bad(m, VCHNL_ORDER, EEXIST, "vport %u while %u is there", get16(m->in),
			   v->vport_id);
	if (!qp || qp >= m->r->qps.count)
		return bad(m, VCHNL_FIELD, EINVAL, "QP %u for QP 1", qp);
	if (rdma_qp_get(m->r, qp))
		return bad(m, VCHNL_ORDER, EBUSY, "QP %u exists before its vport", qp);
	v->vport = true;
	v->vport_id = get16(m->in);
	v->qp1 = qp;
	put_handles(m->out);
	return 0;
}

static int del_vport(struct message *m)
{
	struct vchnl *v = &m->r->vchnl;

	if (!v->vport || v->vport_id != get16(m->in) || v->qp1 != get32(m->in + 4))
		return bad(m, VCHNL_FIELD, ENOENT, "vport %u with QP %u", get16(m->in),
			   get32(m->in + 4));
	if (rdma_qp_get(m->r, v->qp1))
		return bad(m, VCHNL_ORDER, EBUSY, "vport deleted before QP %u", v->qp1);
	v->vport = false;
	return 0;
}

static const struct message_info messages[VCHNL_OPS] = {
	[OP_GET_VERSION] = { "get-version", get_version, 2, 0, 4 },
	[OP_GET_FN] = { "get-hmc-function", get_fn, 2, 2, 18 },
	[OP_PUT_FN] = { "put-hmc-function", put_fn, 0, 0, 0 },
	[OP_GET_LAYOUT] = { "get-register-layout", get_layout, 0, 0, 0 },
	[OP_GET_CAPS] = { "get-capabilities", get_caps, 0, 0, CAPS_BYTES },
	[OP_MAP_VECTORS] = { "map-vectors", map_vectors, 0, 16, 0 },
	[OP_UNMAP_VECTORS] = { "unmap-vectors", map_vectors, 0, 16, 0 },
	[OP_ADD_VPORT] = { "add-vport", add_vport, 0, 8, 16 },
	[OP_DEL_VPORT] = { "delete-vport", del_vport, 0, 8, 0 },
};

static int dispatch(struct message *m, const u8 *req, u32 len)
{
	const struct message_info *info = m->op < VCHNL_OPS ? &messages[m->op] : NULL;

	if (!info || !info->run)
		return bad(m, VCHNL_OP, EOPNOTSUPP, "operation %u", m->op);
	m->out_len = info->out_len;
	if (get16(req + 4) != len || m->in_len < info->min_in)
		return bad(m, VCHNL_LENGTH, EMSGSIZE, "%s: length field %u in a message of %u",
			   info->name, get16(req + 4), len);
	if (m->version != info->version)
		return bad(m, VCHNL_FIELD, EOPNOTSUPP, "%s version %u", info->name, m->version);
	if (get16(req + 6))
		return bad(m, VCHNL_FIELD, EINVAL, "%s: reserved field set", info->name);
	if (m->op != OP_GET_VERSION && !m->r->vchnl.versioned)
		return bad(m, VCHNL_ORDER, EINVAL, "%s before the version", info->name);
	if (m->op != OP_GET_VERSION && m->op != OP_GET_CAPS && m->op != OP_GET_FN &&
	    !m->r->vchnl.fn_held)
		return bad(m, VCHNL_ORDER, EINVAL, "%s without an HMC function", info->name);
	return info->run(m);
}

u32 rdma_vchnl(struct rdma *r, const void *req, u32 len, void *resp)
{
	const struct fault *f;
	struct message m = { .r = r, .out = (u8 *)resp + HEADER };
	u8 *out = resp;
	int err;

	memset(out, 0, RDMA_VCHNL_MAX);
	if (len < HEADER || len > RDMA_VCHNL_MAX) {
		violation(r->nic, V_VCHNL_LENGTH, "message of %u bytes", len);
		put16(out + 8, HEADER);
		put16(out + 10, (u16)-EMSGSIZE);
		return HEADER;
	}
	m.op = get16(req);
	m.version = get16((const u8 *)req + 2);
	m.in = (const u8 *)req + HEADER;
	m.in_len = len - HEADER;
	f = fault_hit(r->nic, F_VCHNL, m.op);
	if (f && f->action == FAULT_DROP)
		return 0;
	if (f && f->action == FAULT_FAIL) {
		err = f->value ? (int16_t)f->value : -EIO;
		m.out_len = m.op < VCHNL_OPS ? messages[m.op].out_len : 0;
	} else {
		err = dispatch(&m, req, len);
	}
	put64(out, get64((const u8 *)req + 8));
	put16(out + 8, (u16)(HEADER + m.out_len));
	put16(out + 10, (u16)err);
	TRACE(r->nic, T_VCHNL, "%s (%u) version %u, %u bytes: %d, %u bytes",
	      m.op < VCHNL_OPS && messages[m.op].name ? messages[m.op].name : "?", m.op, m.version,
	      m.in_len, err, m.out_len);
	return HEADER + m.out_len;
}

void vchnl_reset(struct rdma *r)
{
	r->vchnl = (struct vchnl) {};
	hmc_drop_scratch(r);
}
