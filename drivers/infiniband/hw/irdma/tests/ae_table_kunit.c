// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The event table against the groups of codes that the specification lists,
 * for every code that sixteen bits can hold.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <kunit/test.h>

#include "../ae_table.h"

/* Lists of codes end with 0. About a QP if the source names one. */
static const u16 by_source[] = {
	0x102, 0x103, 0x104, 0x105, 0x106, 0x107, 0x108, 0x109, 0x10a, 0x10c,
	0x10d, 0x10e, 0x110, 0x111, 0x112, 0x113, 0x114, 0x115, 0x116, 0x117,
	0x118, 0x119, 0x11a, 0x11b, 0x120, 0x20b, 0x20c, 0x220, 0x221, 0x222,
	0x223, 0x224, 0x301, 0x303, 0x306, 0x504, 0x50b, 0,
};

/* About a QP; the source may name a queue. */
static const u16 qp[] = {
	0x11c, 0x11d, 0x11e, 0x11f, 0x121, 0x132, 0x133, 0x134, 0x135, 0x205,
	0x206, 0x207, 0x208, 0x20a, 0x20d, 0x20e, 0x304, 0x305, 0x307, 0x308,
	0x311, 0x312, 0x313, 0x314, 0x316, 0x401, 0x402, 0x403, 0x406, 0x505,
	0x507, 0x50a, 0x50f, 0x602, 0x700, 0x703, 0x704, 0x705, 0,
};

/* About a QP, no queue. */
static const u16 qp_only[] = { 0x380, 0x381, 0x382, 0x383, 0x508, 0x509, 0 };

/* About a QP that goes on; 0x900 is the drained SQ. */
static const u16 qp_info[] = {
	0x201, 0x202, 0x501, 0x502, 0x503, 0x50c, 0x50e, 0x601, 0x603, 0x900, 0,
};

static const struct {
	u16 code;
	enum irdma_ae_obj obj;
	enum irdma_ae_severity severity;
	int event;
} others[] = {
	{ 0x203, IRDMA_AE_OBJ_CQ, IRDMA_AE_OBJECT, IB_EVENT_CQ_ERR },
	{ 0x209, IRDMA_AE_OBJ_SRQ, IRDMA_AE_INFO, IB_EVENT_SRQ_LIMIT_REACHED },
	{ 0x20f, IRDMA_AE_OBJ_SRQ, IRDMA_AE_OBJECT, IB_EVENT_SRQ_ERR },
	{ 0x520, IRDMA_AE_OBJ_NONE, IRDMA_AE_INFO, IRDMA_AE_NO_EVENT },
	{ 0x701, IRDMA_AE_OBJ_FUNCTION, IRDMA_AE_FUNCTION,
	  IB_EVENT_DEVICE_FATAL },
	{ 0x702, IRDMA_AE_OBJ_CQ, IRDMA_AE_OBJECT, IB_EVENT_CQ_ERR },
	{ 0x901, IRDMA_AE_OBJ_CQP, IRDMA_AE_INFO, IRDMA_AE_NO_EVENT },
	{ 0xb0b, IRDMA_AE_OBJ_FUNCTION, IRDMA_AE_FUNCTION,
	  IB_EVENT_DEVICE_FATAL },
};

static const u16 protection[] = {
	0x102, 0x103, 0x104, 0x105, 0x106, 0x107, 0x108, 0x109, 0x10a, 0x11c, 0,
};

static const u16 local_qp_op[] = { 0x133, 0x20a, 0 };
static const u16 local_len[] = { 0x132, 0x134, 0x135, 0x303, 0x305, 0 };
static const u16 remote_access[] = { 0x112, 0x20d, 0 };
static const u16 mw_bind[] = { 0x114, 0x118, 0x119, 0x11b, 0 };
static const u16 retry[] = { 0x50a, 0 };
static const u16 remote_inv_req[] = { 0x208, 0 };
static const u16 remote_op[] = { 0x316, 0x505, 0x507, 0x20e, 0 };
static const u16 rnr[] = { 0x50f, 0 };
static const u16 fatal[] = { 0x700, 0x703, 0x704, 0x705, 0 };

static const struct {
	const u16 *codes;
	u8 flush;
	int event;
} groups[] = {
	{ protection, 2, IB_EVENT_QP_ACCESS_ERR },
	{ remote_access, 3, IB_EVENT_QP_ACCESS_ERR },
	{ local_qp_op, 4, IB_EVENT_QP_FATAL },
	{ remote_op, 5, IB_EVENT_QP_FATAL },
	{ local_len, 6, IB_EVENT_QP_FATAL },
	{ fatal, 7, IB_EVENT_QP_FATAL },
	{ retry, 8, IB_EVENT_QP_FATAL },
	{ mw_bind, 9, IB_EVENT_QP_ACCESS_ERR },
	{ remote_inv_req, 10, IB_EVENT_QP_REQ_ERR },
	{ rnr, 11, IB_EVENT_QP_FATAL },
};

static bool listed(u16 code, const u16 *codes)
{
	for (; *codes; codes++)
		if (*codes == code)
			return true;
	return false;
}

static bool is_other(u16 code)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].code == code)
			return true;
	return false;
}

static void every_code_has_one_row_or_none(struct kunit *test)
{
	for (u32 code = 0; code <= U16_MAX; code++) {
		const struct irdma_ae_info *info = irdma_ae_lookup(code);
		bool want = listed(code, by_source) || listed(code, qp) ||
			    listed(code, qp_only) || listed(code, qp_info) ||
			    is_other(code);

		KUNIT_ASSERT_EQ_MSG(test, !!info, want, "code %#x", code);
		if (!info)
			continue;
		KUNIT_EXPECT_EQ(test, info->code, code);
		KUNIT_EXPECT_NOT_NULL(test, info->name);
	}
}

static void failed_qp_flushes_and_reports_by_group(struct kunit *test)
{
	for (u32 code = 0; code <= U16_MAX; code++) {
		const struct irdma_ae_info *info = irdma_ae_lookup(code);
		int event = IB_EVENT_QP_FATAL;
		u8 flush = 1;

		if (!listed(code, by_source) && !listed(code, qp) &&
		    !listed(code, qp_only))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
			if (listed(code, groups[i].codes)) {
				flush = groups[i].flush;
				event = groups[i].event;
			}
		}
		KUNIT_ASSERT_NOT_NULL(test, info);
		KUNIT_EXPECT_EQ_MSG(test, info->flush, flush, "%#x", code);
		KUNIT_EXPECT_EQ_MSG(test, info->ib_event, event, "%#x", code);
		KUNIT_EXPECT_EQ(test, info->severity, IRDMA_AE_OBJECT);
		KUNIT_EXPECT_EQ(test, info->next_state, 6);
	}
}

static void harmless_events_leave_the_qp_alone(struct kunit *test)
{
	for (const u16 *code = qp_info; *code; code++) {
		const struct irdma_ae_info *info = irdma_ae_lookup(*code);

		KUNIT_ASSERT_NOT_NULL(test, info);
		KUNIT_EXPECT_EQ(test, info->obj, IRDMA_AE_OBJ_QP);
		KUNIT_EXPECT_EQ(test, info->severity, IRDMA_AE_INFO);
		KUNIT_EXPECT_EQ(test, info->next_state, 0);
		KUNIT_EXPECT_EQ(test, info->ib_event,
				*code == 0x900 ? IB_EVENT_SQ_DRAINED : -1);
	}
}

static void other_objects_are_named(struct kunit *test)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		const struct irdma_ae_info *info =
			irdma_ae_lookup(others[i].code);

		KUNIT_ASSERT_NOT_NULL(test, info);
		KUNIT_EXPECT_EQ(test, info->obj, others[i].obj);
		KUNIT_EXPECT_EQ(test, info->severity, others[i].severity);
		KUNIT_EXPECT_EQ(test, info->ib_event, others[i].event);
		KUNIT_EXPECT_EQ(test, info->next_state, 0);
		for (u8 src = 0; src < 16; src++) {
			struct irdma_ae_target t = irdma_ae_target(info, src);

			KUNIT_EXPECT_EQ(test, t.obj, others[i].obj);
			KUNIT_EXPECT_FALSE(test, t.sq || t.rq);
		}
	}
}

/* By source: does it name a QP, its SQ, its RQ? */
static const struct {
	bool qp;
	bool sq;
	bool rq;
} sources[16] = {
	[0x1] = { .qp = true, .rq = true },
	[0x3] = { .qp = true, .rq = true },
	[0x5] = { .qp = true, .sq = true },
	[0x7] = { .qp = true, .sq = true },
	[0x9] = { .qp = true },
	[0xb] = { .qp = true, .sq = true },
	[0xd] = { .qp = true },
	[0xf] = { .qp = true },
};

static void source_decides_where_the_code_does_not(struct kunit *test)
{
	for (const u16 *code = by_source; *code; code++) {
		const struct irdma_ae_info *info = irdma_ae_lookup(*code);

		KUNIT_ASSERT_NOT_NULL(test, info);
		for (u32 src = 0; src < 256; src++) {
			struct irdma_ae_target t = irdma_ae_target(info, src);
			bool known = src < 16;

			KUNIT_EXPECT_EQ(test, t.obj,
					known && sources[src].qp ?
					IRDMA_AE_OBJ_QP : IRDMA_AE_OBJ_NONE);
			KUNIT_EXPECT_EQ(test, t.sq, known && sources[src].sq);
			KUNIT_EXPECT_EQ(test, t.rq, known && sources[src].rq);
		}
	}
}

static void source_adds_the_queue_of_a_named_qp(struct kunit *test)
{
	for (const u16 *code = qp; *code; code++) {
		const struct irdma_ae_info *info = irdma_ae_lookup(*code);

		KUNIT_ASSERT_NOT_NULL(test, info);
		for (u8 src = 0; src < 16; src++) {
			struct irdma_ae_target t = irdma_ae_target(info, src);

			KUNIT_EXPECT_EQ(test, t.obj, IRDMA_AE_OBJ_QP);
			KUNIT_EXPECT_EQ(test, t.sq, sources[src].sq);
			KUNIT_EXPECT_EQ(test, t.rq, sources[src].rq);
		}
	}
	for (const u16 *code = qp_only; *code; code++) {
		const struct irdma_ae_info *info = irdma_ae_lookup(*code);

		KUNIT_ASSERT_NOT_NULL(test, info);
		for (u8 src = 0; src < 16; src++) {
			struct irdma_ae_target t = irdma_ae_target(info, src);

			KUNIT_EXPECT_EQ(test, t.obj, IRDMA_AE_OBJ_QP);
			KUNIT_EXPECT_FALSE(test, t.sq || t.rq);
		}
	}
}

static void flush_codes_have_their_status(struct kunit *test)
{
	static const enum ib_wc_status want[] = {
		IB_WC_FATAL_ERR, IB_WC_WR_FLUSH_ERR, IB_WC_LOC_PROT_ERR,
		IB_WC_REM_ACCESS_ERR, IB_WC_LOC_QP_OP_ERR, IB_WC_REM_OP_ERR,
		IB_WC_LOC_LEN_ERR, IB_WC_FATAL_ERR, IB_WC_RETRY_EXC_ERR,
		IB_WC_MW_BIND_ERR, IB_WC_REM_INV_REQ_ERR,
		IB_WC_RNR_RETRY_EXC_ERR,
	};

	for (u32 code = 0; code <= U16_MAX; code++) {
		enum ib_wc_status status = code < ARRAY_SIZE(want) ?
					   want[code] : IB_WC_FATAL_ERR;

		KUNIT_ASSERT_EQ(test, irdma_flush_err_to_ib_wc_status(code),
				status);
		KUNIT_ASSERT_EQ(test, irdma_cqe_status(1, code, false), status);
		KUNIT_ASSERT_EQ(test, irdma_cqe_status(1, code, true), status);
	}
	KUNIT_EXPECT_EQ(test, irdma_flush_err_to_ib_wc_status(U32_MAX),
			IB_WC_FATAL_ERR);
}

struct status_case {
	const char *name;
	u16 major;
	u16 minor;
	bool ud_send;
	enum ib_wc_status want;
};

static const struct status_case status_cases[] = {
	{ "srq_msg_too_long", 0xfffe, 0x303, false, IB_WC_LOC_LEN_ERR },
	{ "srq_bad_key", 0xfffe, 0x106, true, IB_WC_LOC_PROT_ERR },
	{ "srq_unknown_event", 0xfffe, 0xffff, false, IB_WC_WR_FLUSH_ERR },
	{ "ud_soft_lowest", 0xe000, 1, true, IB_WC_SUCCESS },
	{ "ud_soft_highest", 0xefff, 1, true, IB_WC_SUCCESS },
	{ "below_ud_soft", 0xdfff, 1, true, IB_WC_GENERAL_ERR },
	{ "above_ud_soft", 0xf000, 1, true, IB_WC_GENERAL_ERR },
	{ "soft_on_rc", 0xe000, 1, false, IB_WC_GENERAL_ERR },
	{ "none", 0, 0, false, IB_WC_GENERAL_ERR },
	{ "two", 2, 1, false, IB_WC_GENERAL_ERR },
	{ "all_ones", 0xffff, 0xffff, true, IB_WC_GENERAL_ERR },
};

KUNIT_ARRAY_PARAM_DESC(status, status_cases, name);

static void major_code_decides_the_status(struct kunit *test)
{
	const struct status_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, irdma_cqe_status(c->major, c->minor, c->ud_send),
			c->want);
}

struct cqp_error_case {
	const char *name;
	u16 major;
	u16 minor;
	int err;
	enum irdma_cqp_severity severity;
};

static const struct cqp_error_case cqp_error_cases[] = {
	{ "bad_state", 0xffff, 0x8002, -EBUSY, IRDMA_CQP_EXPECTED },
	{ "nothing_to_flush", 0xffff, 0x8006, -EIO, IRDMA_CQP_EXPECTED },
	{ "bad_close", 0xffff, 0x8007, -EIO, IRDMA_CQP_EXPECTED },
	{ "llp_closed", 0xffff, 0x8009, -EIO, IRDMA_CQP_EXPECTED },
	{ "reset_not_sent", 0xffff, 0x800a, -EIO, IRDMA_CQP_EXPECTED },
	{ "engine_failure", 0xffff, 0x8029, -EIO, IRDMA_CQP_FATAL },
	{ "unknown_minor", 0xffff, 0x8008, -EIO, IRDMA_CQP_FAILED },
	{ "object_cache", 0xf000, 0x8002, -EIO, IRDMA_CQP_FAILED },
	{ "context_cache", 0xf001, 0x8029, -EIO, IRDMA_CQP_FAILED },
	{ "no_codes", 0, 0, -EIO, IRDMA_CQP_FAILED },
};

KUNIT_ARRAY_PARAM_DESC(cqp_error, cqp_error_cases, name);

static void command_errors_have_their_errno(struct kunit *test)
{
	const struct cqp_error_case *c = test->param_value;
	const struct irdma_cqp_error *e = irdma_cqp_error(c->major, c->minor);

	KUNIT_EXPECT_EQ(test, e->err, c->err);
	KUNIT_EXPECT_EQ(test, e->severity, c->severity);
}

static void flush_answer_names_the_queues(struct kunit *test)
{
	for (u32 minor = 0; minor <= U16_MAX; minor++) {
		struct irdma_flushed f = irdma_flushed(minor);

		KUNIT_ASSERT_EQ(test, f.sq, minor != 0 && minor != 2);
		KUNIT_ASSERT_EQ(test, f.rq, minor != 0 && minor != 3);
	}
}

static struct kunit_case ae_table_cases[] = {
	KUNIT_CASE(every_code_has_one_row_or_none),
	KUNIT_CASE(failed_qp_flushes_and_reports_by_group),
	KUNIT_CASE(harmless_events_leave_the_qp_alone),
	KUNIT_CASE(other_objects_are_named),
	KUNIT_CASE(source_decides_where_the_code_does_not),
	KUNIT_CASE(source_adds_the_queue_of_a_named_qp),
	KUNIT_CASE(flush_codes_have_their_status),
	KUNIT_CASE_PARAM(major_code_decides_the_status, status_gen_params),
	KUNIT_CASE_PARAM(command_errors_have_their_errno,
			 cqp_error_gen_params),
	KUNIT_CASE(flush_answer_names_the_queues),
	{}
};

static struct kunit_suite ae_table_suite = {
	.name = "irdma_ae_table",
	.test_cases = ae_table_cases,
};

kunit_test_suite(ae_table_suite);
