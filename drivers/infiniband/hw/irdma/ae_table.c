// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the device's codes mean: asynchronous events, flush codes, errors of
 * completions and of control commands. Every code is a row of a table; a code
 * without a row is logged by whoever met it and ends nothing.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <linux/array_size.h>
#include <linux/bitfield.h>
#include <linux/bsearch.h>
#include <linux/errno.h>

#include "ae_table.h"
#include "hw_cqp.h"

/* The QP that the source names is broken, or nothing. */
#define BY_SOURCE(_name, _flush, _event) {				\
	.name = #_name,							\
	.code = IRDMA_AE_##_name,					\
	.ib_event = QP_EVENT_##_event,					\
	.by_source = true,						\
	.severity = IRDMA_AE_OBJECT,					\
	.flush = IRDMA_FLUSH_##_flush,					\
	.next_state = IRDMA_HW_QPS_ERROR,				\
}

/* A QP is broken; the source tells which queue. */
#define QP(_name, _flush, _event) {					\
	.name = #_name,							\
	.code = IRDMA_AE_##_name,					\
	.ib_event = QP_EVENT_##_event,					\
	.obj = IRDMA_AE_OBJ_QP,						\
	.severity = IRDMA_AE_OBJECT,					\
	.flush = IRDMA_FLUSH_##_flush,					\
	.next_state = IRDMA_HW_QPS_ERROR,				\
}

/* A QP is broken; the source tells nothing. */
#define QP_ONLY(_name, _flush, _event) {				\
	.name = #_name,							\
	.code = IRDMA_AE_##_name,					\
	.ib_event = QP_EVENT_##_event,					\
	.obj = IRDMA_AE_OBJ_QP,						\
	.ignore_source = true,						\
	.severity = IRDMA_AE_OBJECT,					\
	.flush = IRDMA_FLUSH_##_flush,					\
	.next_state = IRDMA_HW_QPS_ERROR,				\
}

/* A QP, which stays as it is. */
#define QP_INFO(_name, _event) {					\
	.name = #_name,							\
	.code = IRDMA_AE_##_name,					\
	.ib_event = _event,						\
	.obj = IRDMA_AE_OBJ_QP,						\
	.ignore_source = true,						\
	.severity = IRDMA_AE_INFO,					\
	.flush = IRDMA_FLUSH_GENERAL,					\
	.next_state = IRDMA_HW_QPS_INVALID,				\
}

/* Something else than a QP. */
#define OTHER(_name, _obj, _severity, _event) {				\
	.name = #_name,							\
	.code = IRDMA_AE_##_name,					\
	.ib_event = _event,						\
	.obj = IRDMA_AE_OBJ_##_obj,					\
	.ignore_source = true,						\
	.severity = IRDMA_AE_##_severity,				\
	.flush = IRDMA_FLUSH_GENERAL,					\
	.next_state = IRDMA_HW_QPS_INVALID,				\
}

#define QP_EVENT_ACCESS	IB_EVENT_QP_ACCESS_ERR
#define QP_EVENT_REQ	IB_EVENT_QP_REQ_ERR
#define QP_EVENT_FATAL	IB_EVENT_QP_FATAL

/* Ascending codes. */
static const struct irdma_ae_info irdma_ae_table[] = {
	BY_SOURCE(STAG_UNALLOCATED, PROTECTION, ACCESS),
	BY_SOURCE(STAG_INVALID, PROTECTION, ACCESS),
	BY_SOURCE(STAG_OTHER_QP, PROTECTION, ACCESS),
	BY_SOURCE(STAG_OTHER_PD, PROTECTION, ACCESS),
	BY_SOURCE(STAG_BAD_KEY, PROTECTION, ACCESS),
	BY_SOURCE(STAG_BAD_INDEX, PROTECTION, ACCESS),
	BY_SOURCE(OUT_OF_BOUNDS, PROTECTION, ACCESS),
	BY_SOURCE(NO_RIGHT, PROTECTION, ACCESS),
	BY_SOURCE(OFFSET_WRAPS, PROTECTION, ACCESS),
	BY_SOURCE(REG_STAG_VALID, GENERAL, FATAL),
	BY_SOURCE(REG_OF_MW, GENERAL, FATAL),
	BY_SOURCE(REG_BAD_RIGHTS, GENERAL, FATAL),
	BY_SOURCE(REG_BAD_LENGTH, GENERAL, FATAL),
	BY_SOURCE(INV_SHARED, GENERAL, FATAL),
	BY_SOURCE(INV_NO_REMOTE_RIGHT, REMOTE_ACCESS, ACCESS),
	BY_SOURCE(INV_WINDOWS_BOUND, GENERAL, FATAL),
	BY_SOURCE(BIND_STAG_VALID, MW_BIND, ACCESS),
	BY_SOURCE(BIND_OF_MR, GENERAL, FATAL),
	BY_SOURCE(BIND_TO_ZERO_BASED, GENERAL, FATAL),
	BY_SOURCE(BIND_TO_MW, GENERAL, FATAL),
	BY_SOURCE(BIND_BAD_RIGHTS, MW_BIND, ACCESS),
	BY_SOURCE(BIND_OUT_OF_BOUNDS, MW_BIND, ACCESS),
	BY_SOURCE(BIND_BAD_PARENT, GENERAL, FATAL),
	BY_SOURCE(BIND_FORBIDDEN, MW_BIND, ACCESS),
	QP(NOT_PRIVILEGED, PROTECTION, ACCESS),
	QP(INV_MW_TYPE1, GENERAL, FATAL),
	QP(BIND_TYPE1_ZERO_BASED, GENERAL, FATAL),
	QP(REG_BAD_PBL_CONFIG, GENERAL, FATAL),
	BY_SOURCE(BIND_WRONG_TYPE, GENERAL, FATAL),
	QP(REG_PBLE_MISMATCH, GENERAL, FATAL),
	QP(DGRAM_TOO_LONG, LOCAL_LEN, FATAL),
	QP(DGRAM_OTHER_PD, LOCAL_QP_OP, FATAL),
	QP(DGRAM_TOO_SHORT, LOCAL_LEN, FATAL),
	QP(DGRAM_BAD_L4_LEN, LOCAL_LEN, FATAL),
	QP_INFO(BAD_CLOSE, IRDMA_AE_NO_EVENT),
	QP_INFO(LLP_BAD_CLOSE, IRDMA_AE_NO_EVENT),
	OTHER(CQ_ERROR, CQ, OBJECT, IB_EVENT_CQ_ERR),
	QP(READ_WITHOUT_ORD, GENERAL, FATAL),
	QP(STAG_ZERO, GENERAL, FATAL),
	QP(IRD_EXCEEDED, GENERAL, FATAL),
	QP(INVALID_REQUEST, REMOTE_INV_REQ, REQ),
	OTHER(SRQ_LIMIT, SRQ, INFO, IB_EVENT_SRQ_LIMIT_REACHED),
	QP(WQE_BAD_OPCODE, LOCAL_QP_OP, FATAL),
	BY_SOURCE(WQE_BAD_PARAM, GENERAL, FATAL),
	BY_SOURCE(WQE_BAD_FRAGMENT, GENERAL, FATAL),
	QP(REMOTE_ACCESS, REMOTE_ACCESS, ACCESS),
	QP(REMOTE_OPERATION, REMOTE_OP, FATAL),
	OTHER(SRQ_UNUSABLE, SRQ, OBJECT, IB_EVENT_SRQ_ERR),
	BY_SOURCE(STREAM_MSG_TOO_LONG, GENERAL, FATAL),
	BY_SOURCE(ATOMIC_ALIGNMENT, GENERAL, FATAL),
	BY_SOURCE(ATOMIC_MASK, GENERAL, FATAL),
	BY_SOURCE(ATOMIC_INVALID, GENERAL, FATAL),
	BY_SOURCE(ATOMIC_PCIE_DISABLED, GENERAL, FATAL),
	BY_SOURCE(MSN_GAP, GENERAL, FATAL),
	BY_SOURCE(MSG_TOO_LONG, LOCAL_LEN, FATAL),
	QP(DDP_VERSION, GENERAL, FATAL),
	QP(DDP_OFFSET, LOCAL_LEN, FATAL),
	BY_SOURCE(NO_RECV_BUFFER, GENERAL, FATAL),
	QP(DDP_QUEUE, GENERAL, FATAL),
	QP(DDP_NO_LAST, GENERAL, FATAL),
	QP(RDMAP_VERSION, GENERAL, FATAL),
	QP(RDMAP_OPCODE, GENERAL, FATAL),
	QP(BAD_READ_REQUEST, GENERAL, FATAL),
	QP(BAD_WRITE_OR_READ_RESP, GENERAL, FATAL),
	QP(READ_RESP_LENGTH, REMOTE_OP, FATAL),
	QP_ONLY(MCAST_EMPTY, GENERAL, FATAL),
	QP_ONLY(MCAST_BAD_IP, GENERAL, FATAL),
	QP_ONLY(MCAST_BAD_QP, GENERAL, FATAL),
	QP_ONLY(MCAST_PROTOCOL, GENERAL, FATAL),
	QP(ARP_INVALID, GENERAL, FATAL),
	QP(TCP_BAD_OPTION, GENERAL, FATAL),
	QP(ARP_STALE, GENERAL, FATAL),
	QP(AH_INVALID, GENERAL, FATAL),
	QP_INFO(LLP_CLOSED, IRDMA_AE_NO_EVENT),
	QP_INFO(LLP_RESET, IRDMA_AE_NO_EVENT),
	QP_INFO(LLP_FIN, IRDMA_AE_NO_EVENT),
	BY_SOURCE(MPA_LENGTH, GENERAL, FATAL),
	QP(MPA_CRC, REMOTE_OP, FATAL),
	QP(SEGMENT_TOO_SMALL, REMOTE_OP, FATAL),
	QP_ONLY(LLP_SYN, GENERAL, FATAL),
	QP_ONLY(TERMINATE_RECEIVED, GENERAL, FATAL),
	QP(RETRY_EXCEEDED, RETRY_EXCEEDED, FATAL),
	BY_SOURCE(KEEPALIVE_FAILED, GENERAL, FATAL),
	QP_INFO(PEER_IN_DOUBT, IRDMA_AE_NO_EVENT),
	QP_INFO(CONNECTED, IRDMA_AE_NO_EVENT),
	QP(RNR_EXCEEDED, RNR_EXCEEDED, FATAL),
	OTHER(RESOURCE_SHORTAGE, NONE, INFO, IRDMA_AE_NO_EVENT),
	QP_INFO(RESET_SENT, IRDMA_AE_NO_EVENT),
	QP(TERMINATE_SENT, GENERAL, FATAL),
	QP_INFO(RESET_NOT_SENT, IRDMA_AE_NO_EVENT),
	QP(LCE_QP_CATASTROPHE, FATAL, FATAL),
	OTHER(FUNCTION_CATASTROPHE, FUNCTION, FUNCTION, IB_EVENT_DEVICE_FATAL),
	OTHER(CQ_CATASTROPHE, CQ, OBJECT, IB_EVENT_CQ_ERR),
	QP(PEER_CATASTROPHE, FATAL, FATAL),
	QP(LOCAL_QP_CATASTROPHE, FATAL, FATAL),
	QP(REMOTE_QP_CATASTROPHE, FATAL, FATAL),
	QP_INFO(SUSPEND_DONE, IB_EVENT_SQ_DRAINED),
	OTHER(CQP_DEFERRED_DONE, CQP, INFO, IRDMA_AE_NO_EVENT),
	OTHER(ADAPTER_CATASTROPHE, FUNCTION, FUNCTION, IB_EVENT_DEVICE_FATAL),
};

static int irdma_ae_cmp(const void *key, const void *row)
{
	const struct irdma_ae_info *info = row;
	const u16 *code = key;

	return (int)*code - info->code;
}

/**
 * irdma_ae_lookup - row of an event code
 * @code: event code
 *
 * Return: row; NULL for a code that nobody knows.
 */
const struct irdma_ae_info *irdma_ae_lookup(u16 code)
{
	return bsearch(&code, irdma_ae_table, ARRAY_SIZE(irdma_ae_table),
		       sizeof(irdma_ae_table[0]), irdma_ae_cmp);
}

static struct irdma_ae_target irdma_source_target(u8 source)
{
	struct irdma_ae_target t = { .obj = IRDMA_AE_OBJ_QP };

	switch (source) {
	case IRDMA_AE_SRC_RQ:
	case IRDMA_AE_SRC_RQ_ALT:
		t.rq = true;
		break;
	case IRDMA_AE_SRC_SQ:
	case IRDMA_AE_SRC_SQ_ALT:
	case IRDMA_AE_SRC_IN_WRITE_ALT:
		t.sq = true;
		break;
	case IRDMA_AE_SRC_IN_WRITE:
	case IRDMA_AE_SRC_OUT_READ_RESP:
	case IRDMA_AE_SRC_OUT_READ_RESP_ALT:
		break;
	default:
		t.obj = IRDMA_AE_OBJ_NONE;
	}
	return t;
}

/**
 * irdma_ae_target - what an event hits
 * @info: row of its code
 * @source: its source code
 *
 * Return: kind of the object, and which queue of a QP failed. A queue that is
 * not named is flushed with IRDMA_FLUSH_GENERAL, the named one with the row's
 * code.
 */
struct irdma_ae_target irdma_ae_target(const struct irdma_ae_info *info,
				       u8 source)
{
	struct irdma_ae_target t = {};

	if (!info->ignore_source)
		t = irdma_source_target(source);
	if (!info->by_source)
		t.obj = info->obj;
	return t;
}

static const struct irdma_cqp_error irdma_cqp_errors[] = {
	{ IRDMA_CQP_MAJOR_GENERIC, IRDMA_CQP_MINOR_BAD_STATE,
	  -EBUSY, IRDMA_CQP_EXPECTED },
	{ IRDMA_CQP_MAJOR_GENERIC, IRDMA_CQP_MINOR_NO_WQE_PENDING,
	  -EIO, IRDMA_CQP_EXPECTED },
	{ IRDMA_CQP_MAJOR_GENERIC, IRDMA_CQP_MINOR_BAD_CLOSE,
	  -EIO, IRDMA_CQP_EXPECTED },
	{ IRDMA_CQP_MAJOR_GENERIC, IRDMA_CQP_MINOR_LLP_CLOSED,
	  -EIO, IRDMA_CQP_EXPECTED },
	{ IRDMA_CQP_MAJOR_GENERIC, IRDMA_CQP_MINOR_RESET_NOT_SENT,
	  -EIO, IRDMA_CQP_EXPECTED },
	{ IRDMA_CQP_MAJOR_GENERIC, IRDMA_CQP_MINOR_ENGINE_FAILURE,
	  -EIO, IRDMA_CQP_FATAL },
};

static const struct irdma_cqp_error irdma_cqp_other_error = {
	.err = -EIO,
	.severity = IRDMA_CQP_FAILED,
};

/**
 * irdma_cqp_error - what the error of a control command means
 * @major: major code of a completion that has the error bit
 * @minor: minor code
 *
 * Return: row; one without codes, -EIO and FAILED for a pair without a row.
 */
const struct irdma_cqp_error *irdma_cqp_error(u16 major, u16 minor)
{
	for (size_t i = 0; i < ARRAY_SIZE(irdma_cqp_errors); i++)
		if (irdma_cqp_errors[i].major == major &&
		    irdma_cqp_errors[i].minor == minor)
			return &irdma_cqp_errors[i];
	return &irdma_cqp_other_error;
}

/**
 * irdma_flushed - what a successful flush command found
 * @minor: minor code of its completion
 *
 * Return: the queues that had something to flush.
 */
struct irdma_flushed irdma_flushed(u16 minor)
{
	switch (minor) {
	case 0:
		return (struct irdma_flushed){};
	case IRDMA_CQP_MINOR_FLUSHED_RQ:
		return (struct irdma_flushed){ .rq = true };
	case IRDMA_CQP_MINOR_FLUSHED_SQ:
		return (struct irdma_flushed){ .sq = true };
	default:
		return (struct irdma_flushed){ .sq = true, .rq = true };
	}
}

/**
 * irdma_flush_err_to_ib_wc_status - status that a flush code stands for
 * @code: flush code, of the device
 *
 * Context: Any context.
 * Return: status; IB_WC_FATAL_ERR for a code that is none.
 */
enum ib_wc_status irdma_flush_err_to_ib_wc_status(enum irdma_flush_code code)
{
	static const enum ib_wc_status status[] = {
		[IRDMA_FLUSH_INVALID]		= IB_WC_FATAL_ERR,
		[IRDMA_FLUSH_GENERAL]		= IB_WC_WR_FLUSH_ERR,
		[IRDMA_FLUSH_PROTECTION]	= IB_WC_LOC_PROT_ERR,
		[IRDMA_FLUSH_REMOTE_ACCESS]	= IB_WC_REM_ACCESS_ERR,
		[IRDMA_FLUSH_LOCAL_QP_OP]	= IB_WC_LOC_QP_OP_ERR,
		[IRDMA_FLUSH_REMOTE_OP]		= IB_WC_REM_OP_ERR,
		[IRDMA_FLUSH_LOCAL_LEN]		= IB_WC_LOC_LEN_ERR,
		[IRDMA_FLUSH_FATAL]		= IB_WC_FATAL_ERR,
		[IRDMA_FLUSH_RETRY_EXCEEDED]	= IB_WC_RETRY_EXC_ERR,
		[IRDMA_FLUSH_MW_BIND]		= IB_WC_MW_BIND_ERR,
		[IRDMA_FLUSH_REMOTE_INV_REQ]	= IB_WC_REM_INV_REQ_ERR,
		[IRDMA_FLUSH_RNR_EXCEEDED]	= IB_WC_RNR_RETRY_EXC_ERR,
	};

	if ((unsigned int)code >= ARRAY_SIZE(status))
		return IB_WC_FATAL_ERR;
	return status[code];
}

/* Errors of datagrams that are gone, while the QP goes on. */
static bool irdma_major_is_ud_soft(u16 major)
{
	return FIELD_GET(IRDMA_CQE_MAJOR_CLASS, major) ==
	       IRDMA_CQE_CLASS_UD_SOFT;
}

/**
 * irdma_cqe_status - status of a completion that has the error bit
 * @major: major code
 * @minor: minor code
 * @ud_send: completion of a send on a UD QP
 *
 * Return: status; IB_WC_SUCCESS for an error that datagrams may have,
 * IB_WC_GENERAL_ERR for a major code that is none.
 */
enum ib_wc_status irdma_cqe_status(u16 major, u16 minor, bool ud_send)
{
	const struct irdma_ae_info *info;

	switch (major) {
	case IRDMA_CQE_MAJOR_FLUSH:
		return irdma_flush_err_to_ib_wc_status(minor);
	case IRDMA_CQE_MAJOR_SRQ_FLUSH:
		info = irdma_ae_lookup(minor);
		return irdma_flush_err_to_ib_wc_status(info ? info->flush :
							IRDMA_FLUSH_GENERAL);
	default:
		if (ud_send && irdma_major_is_ud_soft(major))
			return IB_WC_SUCCESS;
		return IB_WC_GENERAL_ERR;
	}
}
