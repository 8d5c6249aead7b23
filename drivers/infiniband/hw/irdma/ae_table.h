/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_AE_TABLE_H
#define IRDMA_AE_TABLE_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "aeqe.h"
#include "hw_ae.h"
#include "hw_cqe.h"
#include "hw_qpc.h"

/**
 * enum irdma_ae_obj - what an event is about
 * @IRDMA_AE_OBJ_NONE: nothing that can be named
 * @IRDMA_AE_OBJ_QP: QP, by id
 * @IRDMA_AE_OBJ_CQ: CQ, by id
 * @IRDMA_AE_OBJ_SRQ: SRQ, by context
 * @IRDMA_AE_OBJ_CQP: deferred command, by ticket
 * @IRDMA_AE_OBJ_FUNCTION: the whole function
 */
enum irdma_ae_obj {
	IRDMA_AE_OBJ_NONE,
	IRDMA_AE_OBJ_QP,
	IRDMA_AE_OBJ_CQ,
	IRDMA_AE_OBJ_SRQ,
	IRDMA_AE_OBJ_CQP,
	IRDMA_AE_OBJ_FUNCTION,
};

/**
 * enum irdma_ae_severity - how bad an event is
 * @IRDMA_AE_INFO: nothing is broken
 * @IRDMA_AE_OBJECT: the object is broken, and nothing else
 * @IRDMA_AE_FUNCTION: the function must be reset
 */
enum irdma_ae_severity {
	IRDMA_AE_INFO,
	IRDMA_AE_OBJECT,
	IRDMA_AE_FUNCTION,
};

#define IRDMA_AE_NO_EVENT	(-1)

/**
 * struct irdma_ae_info - one row of the event table
 * @name: name for logs and traces
 * @code: enum irdma_ae_code
 * @ib_event: enum ib_event_type to dispatch, or IRDMA_AE_NO_EVENT
 * @obj: what it is about; NONE with @by_source
 * @by_source: about a QP if the source names one, else about nothing
 * @ignore_source: the source says nothing about a queue of the QP
 * @severity: how bad it is
 * @flush: flush code of the queue that the source names
 * @next_state: state that the QP must enter; IRDMA_HW_QPS_INVALID: as it is
 */
struct irdma_ae_info {
	const char *name;
	u16 code;
	s16 ib_event;
	enum irdma_ae_obj obj;
	bool by_source;
	bool ignore_source;
	enum irdma_ae_severity severity;
	enum irdma_flush_code flush;
	enum irdma_hw_qp_state next_state;
};

const struct irdma_ae_info *irdma_ae_lookup(u16 code);

/**
 * struct irdma_ae_target - what one event hits
 * @obj: kind of the object
 * @sq: the SQ of the QP failed, at the event's WQE index
 * @rq: the RQ of the QP failed, at the event's WQE index
 */
struct irdma_ae_target {
	enum irdma_ae_obj obj;
	bool sq;
	bool rq;
};

struct irdma_ae_target irdma_ae_target(const struct irdma_ae_info *info,
				       u8 source);

/**
 * enum irdma_cqp_severity - what a failed command tells
 * @IRDMA_CQP_EXPECTED: ordinary answer, not worth a log line
 * @IRDMA_CQP_FAILED: the command failed
 * @IRDMA_CQP_FATAL: the function must be reset
 */
enum irdma_cqp_severity {
	IRDMA_CQP_EXPECTED,
	IRDMA_CQP_FAILED,
	IRDMA_CQP_FATAL,
};

/**
 * struct irdma_cqp_error - one row of the command error table
 * @major: major code
 * @minor: minor code
 * @err: errno of the command
 * @severity: what else follows
 */
struct irdma_cqp_error {
	u16 major;
	u16 minor;
	int err;
	enum irdma_cqp_severity severity;
};

const struct irdma_cqp_error *irdma_cqp_error(u16 major, u16 minor);

/**
 * struct irdma_flushed - what a flush command found to flush
 * @sq: SQ had outstanding WQEs
 * @rq: RQ had outstanding WQEs
 */
struct irdma_flushed {
	bool sq;
	bool rq;
};

struct irdma_flushed irdma_flushed(u16 minor);

enum ib_wc_status irdma_flush_err_to_ib_wc_status(enum irdma_flush_code code);
enum ib_wc_status irdma_cqe_status(u16 major, u16 minor, bool ud_send);

#endif /* IRDMA_AE_TABLE_H */
