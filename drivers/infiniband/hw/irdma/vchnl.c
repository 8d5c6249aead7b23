// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Messages to the control plane.
 *
 * A request is a header and parameters, the answer a header and a payload; both
 * travel in the LAN driver's mailbox. One message is under way at a time. The
 * answer is believed only if it echoes the request's context and has the length
 * that the operation demands. All functions sleep for up to the mailbox's
 * time-out (60 s) and return
 *
 * * -EBUSY before or during a reset, and after a time-out;
 * * -EBADMSG for an answer that does not belong to the question;
 * * -EIO when the control plane refuses;
 * * what the LAN driver returns when the message cannot be carried.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "dev.h"
#include "vchnl.h"

/* What the driver assumes when the control plane names no time-out. */
#define IRDMA_CMD_TIMEOUT_S		5
#define IRDMA_DEFERRED_TIMEOUT_S	25

/**
 * struct irdma_vchnl_call - one exchange
 * @op: enum irdma_vchnl_op
 * @version: version of the operation
 * @req: parameters
 * @req_len: their bytes
 * @resp: payload; bytes that the answer lacks are zeroed
 * @resp_len: room in @resp
 * @resp_min: fewest payload bytes of a good answer
 * @resp_got: payload bytes of the answer, at most @resp_len
 */
struct irdma_vchnl_call {
	u16 op;
	u16 version;
	const void *req;
	u16 req_len;
	void *resp;
	u16 resp_len;
	u16 resp_min;
	u16 resp_got;
};

/**
 * irdma_vchnl_init - a channel that may be used
 * @vchnl: channel
 */
void irdma_vchnl_init(struct irdma_vchnl *vchnl)
{
	mutex_init(&vchnl->lock);
	vchnl->seq = 1;
	vchnl->cmd_timeout_s = IRDMA_CMD_TIMEOUT_S;
	vchnl->deferred_timeout_s = IRDMA_DEFERRED_TIMEOUT_S;
}

/**
 * irdma_vchnl_fini - nobody uses the channel any more
 * @vchnl: channel
 */
void irdma_vchnl_fini(struct irdma_vchnl *vchnl)
{
	mutex_destroy(&vchnl->lock);
}

/**
 * irdma_vchnl_stop - send no further message
 * @vchnl: channel
 *
 * A message that is under way is not waited for.
 *
 * Context: Any context.
 */
void irdma_vchnl_stop(struct irdma_vchnl *vchnl)
{
	WRITE_ONCE(vchnl->stopped, true);
}

/* Takes the payload out of an answer of @len bytes. */
static int irdma_vchnl_parse(struct irdma_vchnl_call *call, const void *msg, u16 len, u64 context)
{
	const struct irdma_vchnl_resp_hdr *hdr = msg;
	u16 payload;

	if (len < sizeof(*hdr) || le64_to_cpu(hdr->context) != context)
		return -EBADMSG;
	if (hdr->ret)
		return -EIO;
	payload = len - sizeof(*hdr);
	if (payload < call->resp_min)
		return -EBADMSG;
	call->resp_got = min(payload, call->resp_len);
	if (call->resp_len) {
		memset(call->resp, 0, call->resp_len);
		memcpy(call->resp, hdr + 1, call->resp_got);
	}
	return 0;
}

static int irdma_vchnl_exchange(struct irdma_dev *dev, struct irdma_vchnl_call *call, u8 *msg)
{
	struct irdma_parent *parent = dev->parent;
	struct irdma_vchnl_req_hdr *hdr = (void *)msg;
	u8 *answer = msg + IRDMA_VCHNL_MSG_BYTES_MAX;
	u16 answer_len = IRDMA_VCHNL_MSG_BYTES_MAX;
	u16 len = sizeof(*hdr) + call->req_len;
	u64 context = dev->vchnl.seq++;
	int err;

	*hdr = (struct irdma_vchnl_req_hdr){
		.op = cpu_to_le16(call->op),
		.version = cpu_to_le16(call->version),
		.len = cpu_to_le16(len),
		.context = cpu_to_le64(context),
	};
	if (call->req_len)
		memcpy(hdr + 1, call->req, call->req_len);
	err = parent->ops->vchnl_send(parent, msg, len, answer, &answer_len);
	if (err) {
		/* A late answer would be taken for the next question's. */
		if (err == -ETIMEDOUT)
			irdma_vchnl_stop(&dev->vchnl);
		return err;
	}
	return irdma_vchnl_parse(call, answer, answer_len, context);
}

static int irdma_vchnl_do(struct irdma_dev *dev, struct irdma_vchnl_call *call)
{
	u8 *msg;
	int err;

	msg = kzalloc(2 * IRDMA_VCHNL_MSG_BYTES_MAX, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	mutex_lock(&dev->vchnl.lock);
	err = READ_ONCE(dev->vchnl.stopped) ? -EBUSY : irdma_vchnl_exchange(dev, call, msg);
	mutex_unlock(&dev->vchnl.lock);
	kfree(msg);
	if (err && err != -EBUSY)
		dev_err(&dev->pdev->dev, "irdma: channel operation %u failed: %pe\n", call->op,
			ERR_PTR(err));
	return err;
}

/**
 * irdma_vchnl_check_version - agree on the channel's version
 * @dev: device
 *
 * Context: Process context; may sleep.
 * Return: 0; -EOPNOTSUPP for a control plane older than version 2; else see the file's head.
 */
int irdma_vchnl_check_version(struct irdma_dev *dev)
{
	__le32 version;
	struct irdma_vchnl_call call = {
		.op = IRDMA_VCHNL_OP_GET_VERSION,
		.version = IRDMA_VCHNL_VERSION,
		.resp = &version,
		.resp_len = sizeof(version),
		.resp_min = sizeof(version),
	};
	int err;

	err = irdma_vchnl_do(dev, &call);
	if (err)
		return err;
	return le32_to_cpu(version) < IRDMA_VCHNL_VERSION ? -EOPNOTSUPP : 0;
}

/**
 * irdma_vchnl_get_caps - generation and time-outs
 * @dev: device; its channel's time-outs are set
 * @hw_rev: generation number
 *
 * Context: Process context; may sleep.
 * Return: 0, or see the file's head.
 */
int irdma_vchnl_get_caps(struct irdma_dev *dev, u8 *hw_rev)
{
	struct irdma_vchnl_caps_resp caps;
	struct irdma_vchnl_call call = {
		.op = IRDMA_VCHNL_OP_GET_CAPS,
		.resp = &caps,
		.resp_len = sizeof(caps),
		.resp_min = sizeof(caps.hw_rev),
	};
	int err;

	err = irdma_vchnl_do(dev, &call);
	if (err)
		return err;
	*hw_rev = caps.hw_rev;
	if (caps.cmd_timeout_s)
		dev->vchnl.cmd_timeout_s = le16_to_cpu(caps.cmd_timeout_s);
	if (caps.deferred_timeout_s)
		dev->vchnl.deferred_timeout_s = le16_to_cpu(caps.deferred_timeout_s);
	return 0;
}

static void irdma_vchnl_store_handles(const __le16 *from, u16 *to)
{
	for (int i = 0; i < IRDMA_PRIO_CNT; i++)
		to[i] = le16_to_cpu(from[i]);
}

/**
 * irdma_vchnl_get_hmc_fn - claim the function's memory cache
 * @dev: device; its HMC function number and default queue-set handles are set
 *
 * Undone by irdma_vchnl_put_hmc_fn().
 *
 * Context: Process context; may sleep.
 * Return: 0, or see the file's head.
 */
int irdma_vchnl_get_hmc_fn(struct irdma_dev *dev)
{
	const struct irdma_vchnl_hmc_fn_req req = { .protocol = IRDMA_VCHNL_PROTO_ROCE };
	struct irdma_vchnl_hmc_fn_resp resp;
	struct irdma_vchnl_call call = {
		.op = IRDMA_VCHNL_OP_GET_HMC_FN,
		.version = IRDMA_VCHNL_HMC_FN_VERSION,
		.req = &req,
		.req_len = sizeof(req),
		.resp = &resp,
		.resp_len = sizeof(resp),
		.resp_min = sizeof(resp),
	};
	int err;

	err = irdma_vchnl_do(dev, &call);
	if (err)
		return err;
	dev->hmc_fn = le16_to_cpu(resp.hmc_fn);
	irdma_vchnl_store_handles(resp.qs_handle, dev->qs_handle);
	return 0;
}

/**
 * irdma_vchnl_put_hmc_fn - give the function's memory cache back
 * @dev: device
 *
 * When the channel is stopped the reset that stopped it does the same.
 *
 * Context: Process context; may sleep.
 */
void irdma_vchnl_put_hmc_fn(struct irdma_dev *dev)
{
	struct irdma_vchnl_call call = { .op = IRDMA_VCHNL_OP_PUT_HMC_FN };

	irdma_vchnl_do(dev, &call);
}

/* Reads records up to the terminator; returns the bytes used or -EBADMSG. */
static int irdma_vchnl_parse_regs(const u8 *p, u16 left, u32 *offset, u32 *page_relative)
{
	const u8 *start = p;

	for (; left >= sizeof(struct irdma_vchnl_reg); left -= sizeof(struct irdma_vchnl_reg)) {
		const struct irdma_vchnl_reg *reg = (const void *)p;
		u16 id = le16_to_cpu(reg->id);

		p += sizeof(*reg);
		if (id == IRDMA_VCHNL_REG_END)
			return p - start;
		if ((id & ~IRDMA_VCHNL_REG_PAGE_RELATIVE) >= IRDMA_REG_CNT)
			continue;
		if (id & IRDMA_VCHNL_REG_PAGE_RELATIVE) {
			id &= ~IRDMA_VCHNL_REG_PAGE_RELATIVE;
			*page_relative |= BIT(id);
		}
		offset[id] = le32_to_cpu(reg->offset);
	}
	return -EBADMSG;
}

static int irdma_vchnl_parse_fields(const u8 *p, u16 left, struct irdma_field *field)
{
	for (; left >= sizeof(struct irdma_vchnl_field);
	     left -= sizeof(struct irdma_vchnl_field)) {
		const struct irdma_vchnl_field *rec = (const void *)p;
		u16 id = le16_to_cpu(rec->id);

		p += sizeof(*rec);
		if (id == IRDMA_VCHNL_FIELD_END)
			return 0;
		if (id >= IRDMA_FIELD_CNT || !rec->bits || rec->shift + rec->bits > 64)
			continue;
		field[id] = (struct irdma_field){ .shift = rec->shift, .bits = rec->bits };
	}
	return -EBADMSG;
}

/**
 * irdma_vchnl_get_reg_layout - where registers and fields are
 * @dev: device; its @field table is filled
 * @offset: BAR offset of each register, IRDMA_REG_CNT entries, zeroed by the caller; 0: not told
 * @page_relative: mask of registers whose offset counts from the doorbell page
 *
 * Context: Process context; may sleep.
 * Return: 0; -EBADMSG also for a list without its end; else see the file's head.
 */
int irdma_vchnl_get_reg_layout(struct irdma_dev *dev, u32 *offset, u32 *page_relative)
{
	const u16 room = IRDMA_VCHNL_MSG_BYTES_MAX - sizeof(struct irdma_vchnl_resp_hdr);
	struct irdma_vchnl_call call = {
		.op = IRDMA_VCHNL_OP_GET_REG_LAYOUT,
		.resp_len = room,
	};
	int ret;

	call.resp = kzalloc(room, GFP_KERNEL);
	if (!call.resp)
		return -ENOMEM;
	ret = irdma_vchnl_do(dev, &call);
	if (ret)
		goto out;
	ret = irdma_vchnl_parse_regs(call.resp, call.resp_got, offset, page_relative);
	if (ret < 0)
		goto out;
	ret = irdma_vchnl_parse_fields(call.resp + ret, call.resp_got - ret, dev->field);
out:
	kfree(call.resp);
	return ret;
}

/**
 * irdma_vchnl_map_vector - route an event queue to an interrupt vector
 * @dev: device
 * @vector: number of the vector in the function's MSI-X table
 * @ceq: CEQ number, or IRDMA_VCHNL_NO_QUEUE
 * @aeq: 0 for the AEQ, or IRDMA_VCHNL_NO_QUEUE
 *
 * The route ends when the queue is destroyed.
 *
 * Context: Process context; may sleep.
 * Return: 0, or see the file's head.
 */
int irdma_vchnl_map_vector(struct irdma_dev *dev, u32 vector, u16 ceq, u16 aeq)
{
	const struct irdma_vchnl_vector_req req = {
		.cnt = cpu_to_le32(1),
		.vector = cpu_to_le32(vector),
		.ceq = cpu_to_le16(ceq),
		.aeq = cpu_to_le16(aeq),
	};
	struct irdma_vchnl_call call = {
		.op = IRDMA_VCHNL_OP_MAP_VECTOR,
		.req = &req,
		.req_len = sizeof(req),
	};

	return irdma_vchnl_do(dev, &call);
}

/**
 * irdma_vchnl_add_vport - name the hardware QP that serves a vport's QP1
 * @dev: device
 * @vport_id: number that the LAN driver gave the vport
 * @qp1_id: hardware QP number
 * @qs_handle: the vport's queue-set handle of each user priority
 *
 * Context: Process context; may sleep.
 * Return: 0, or see the file's head.
 */
int irdma_vchnl_add_vport(struct irdma_dev *dev, u16 vport_id, u32 qp1_id, u16 *qs_handle)
{
	const struct irdma_vchnl_vport_req req = {
		.vport_id = cpu_to_le16(vport_id),
		.qp1_id = cpu_to_le32(qp1_id),
	};
	struct irdma_vchnl_vport_resp resp;
	struct irdma_vchnl_call call = {
		.op = IRDMA_VCHNL_OP_ADD_VPORT,
		.req = &req,
		.req_len = sizeof(req),
		.resp = &resp,
		.resp_len = sizeof(resp),
		.resp_min = sizeof(resp),
	};
	int err;

	err = irdma_vchnl_do(dev, &call);
	if (!err)
		irdma_vchnl_store_handles(resp.qs_handle, qs_handle);
	return err;
}

/**
 * irdma_vchnl_del_vport - undo irdma_vchnl_add_vport()
 * @dev: device
 * @vport_id: number that the LAN driver gave the vport
 * @qp1_id: hardware QP number; its QP is destroyed already
 *
 * Context: Process context; may sleep.
 * Return: 0, or see the file's head.
 */
int irdma_vchnl_del_vport(struct irdma_dev *dev, u16 vport_id, u32 qp1_id)
{
	const struct irdma_vchnl_vport_req req = {
		.vport_id = cpu_to_le16(vport_id),
		.qp1_id = cpu_to_le32(qp1_id),
	};
	struct irdma_vchnl_call call = {
		.op = IRDMA_VCHNL_OP_DEL_VPORT,
		.req = &req,
		.req_len = sizeof(req),
	};

	return irdma_vchnl_do(dev, &call);
}
