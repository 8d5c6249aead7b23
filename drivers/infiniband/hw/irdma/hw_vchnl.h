/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_HW_VCHNL_H
#define IRDMA_HW_VCHNL_H

#include <linux/build_bug.h>
#include <linux/types.h>

/*
 * Virtual channel of generation 3: messages to the control plane, carried by
 * the LAN driver's mailbox. All fields are little-endian.
 */

#define IRDMA_VCHNL_MSG_BYTES_MAX	512
#define IRDMA_VCHNL_VERSION		2

enum irdma_vchnl_op {
	IRDMA_VCHNL_OP_GET_VERSION	= 0,
	IRDMA_VCHNL_OP_GET_HMC_FN	= 1,
	IRDMA_VCHNL_OP_PUT_HMC_FN	= 2,
	IRDMA_VCHNL_OP_GET_REG_LAYOUT	= 11,
	IRDMA_VCHNL_OP_GET_CAPS		= 13,
	IRDMA_VCHNL_OP_MAP_VECTOR	= 14,
	IRDMA_VCHNL_OP_ADD_VPORT	= 16,
	IRDMA_VCHNL_OP_DEL_VPORT	= 17,
};

/* Request header; parameters follow. @len counts both. */
struct irdma_vchnl_req_hdr {
	__le16 op;
	__le16 version;
	__le16 len;
	__le16 rsvd;
	__le64 context;
};

static_assert(sizeof(struct irdma_vchnl_req_hdr) == 16);

/* Response header; payload follows. @ret: 0 or a negative error number. */
struct irdma_vchnl_resp_hdr {
	__le64 context;
	__le16 len;
	__le16 ret;
	__le16 rsvd[2];
};

static_assert(sizeof(struct irdma_vchnl_resp_hdr) == 16);

/* Get HMC function, version 2. */
#define IRDMA_VCHNL_HMC_FN_VERSION	2
#define IRDMA_VCHNL_PROTO_ROCE		2

struct irdma_vchnl_hmc_fn_req {
	u8 protocol;
	u8 disable_qos;
};

static_assert(sizeof(struct irdma_vchnl_hmc_fn_req) == 2);

#define IRDMA_PRIO_CNT			8
struct irdma_vchnl_hmc_fn_resp {
	__le16 hmc_fn;
	__le16 qs_handle[IRDMA_PRIO_CNT];
};

static_assert(sizeof(struct irdma_vchnl_hmc_fn_resp) == 18);

/* Get capabilities; an answer may end after any field from @hw_rev on. */
struct irdma_vchnl_caps_resp {
	u8 hw_rev;
	__le16 cmd_timeout_s;
	__le16 deferred_timeout_s;
	__le16 push_bytes_max;
} __packed;

static_assert(sizeof(struct irdma_vchnl_caps_resp) == 7);

/* Register layout: records up to a terminator, then field records likewise. */
#define IRDMA_VCHNL_REG_END		0xffff
#define IRDMA_VCHNL_REG_PAGE_RELATIVE	0x8000

struct irdma_vchnl_reg {
	__le32 offset;
	__le16 field_cnt;
	__le16 id;
};

static_assert(sizeof(struct irdma_vchnl_reg) == 8);

#define IRDMA_VCHNL_FIELD_END		0xffff

struct irdma_vchnl_field {
	u8 shift;
	u8 bits;
	__le16 id;
};

static_assert(sizeof(struct irdma_vchnl_field) == 4);

/* Queue-vector map with one entry. */
#define IRDMA_VCHNL_NO_QUEUE		0xffff

struct irdma_vchnl_vector_req {
	__le32 cnt;
	__le32 vector;
	__le16 ceq;
	__le16 aeq;
	u8 itr_idx;
	u8 rsvd[3];
};

static_assert(sizeof(struct irdma_vchnl_vector_req) == 16);

/* Add or delete vport. */
struct irdma_vchnl_vport_req {
	__le16 vport_id;
	__le16 rsvd;
	__le32 qp1_id;
};

static_assert(sizeof(struct irdma_vchnl_vport_req) == 8);

struct irdma_vchnl_vport_resp {
	__le16 qs_handle[IRDMA_PRIO_CNT];
};

static_assert(sizeof(struct irdma_vchnl_vport_resp) == 16);

#endif /* IRDMA_HW_VCHNL_H */
