// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Changes of a QP's state. The tables are written from the InfiniBand
 * specification (volume 1, modify queue pair) and from the device's states.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <kunit/test.h>

#include "../qp_state.h"

#define INIT_RC		(IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT |	\
			 IB_QP_ACCESS_FLAGS)
#define RTR_RC		(IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU |	\
			 IB_QP_DEST_QPN | IB_QP_RQ_PSN |		\
			 IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER)
#define RTS_RC		(IB_QP_STATE | IB_QP_TIMEOUT | IB_QP_RETRY_CNT |	\
			 IB_QP_RNR_RETRY | IB_QP_SQ_PSN |		\
			 IB_QP_MAX_QP_RD_ATOMIC)
#define INIT_UD		(IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_QKEY)
#define RTR_UD		IB_QP_STATE
#define RTS_UD		(IB_QP_STATE | IB_QP_SQ_PSN)

/* What the device does in a step. */
#define RECREATE	BIT(0)
#define MODIFY		BIT(1)
#define ARP		BIT(2)
#define CQ		BIT(3)
#define ORD		BIT(4)
#define DRAIN		BIT(5)
#define FLUSH		BIT(6)
#define TO_RTR		(MODIFY | ARP | CQ)
#define TO_RTS		(MODIFY | ARP | CQ | ORD)
#define TO_SQD		(MODIFY | DRAIN)
#define TO_ERR		(MODIFY | FLUSH)

#define HW(s)		IRDMA_HW_QPS_##s
#define QPS(s)		IB_QPS_##s

static u32 step_bits(const struct irdma_qp_step *s)
{
	return (s->recreate ? RECREATE : 0) | (s->modify ? MODIFY : 0) |
	       (s->arp_valid ? ARP : 0) | (s->cq_valid ? CQ : 0) |
	       (s->ord_valid ? ORD : 0) | (s->wait_drained ? DRAIN : 0) |
	       (s->flush ? FLUSH : 0);
}

struct step_case {
	const char *name;
	enum ib_qp_state from;
	enum irdma_hw_qp_state hw;
	enum ib_qp_state to;
	int mask;
	u32 bits;
	enum irdma_hw_qp_state hw_after;
};

static const struct step_case step_cases[] = {
	{ "new_to_init", QPS(RESET), HW(IDLE), QPS(INIT), INIT_RC, 0, HW(IDLE) },
	{ "used_to_init", QPS(RESET), HW(ERROR), QPS(INIT), INIT_RC,
	  RECREATE, HW(IDLE) },
	{ "reset_to_reset", QPS(RESET), HW(IDLE), QPS(RESET), IB_QP_STATE,
	  0, HW(IDLE) },
	{ "reset_to_reset_used", QPS(RESET), HW(ERROR), QPS(RESET), IB_QP_STATE,
	  0, HW(ERROR) },
	{ "init_again", QPS(INIT), HW(IDLE), QPS(INIT), INIT_RC, 0, HW(IDLE) },
	{ "init_to_rtr", QPS(INIT), HW(IDLE), QPS(RTR), RTR_RC, TO_RTR, HW(RTR) },
	{ "init_to_rtr_all", QPS(INIT), HW(IDLE), QPS(RTR),
	  RTR_RC | IB_QP_ACCESS_FLAGS | IB_QP_PKEY_INDEX, TO_RTR, HW(RTR) },
	{ "rtr_to_rts", QPS(RTR), HW(RTR), QPS(RTS), RTS_RC, TO_RTS, HW(RTS) },
	{ "rtr_to_rts_all", QPS(RTR), HW(RTR), QPS(RTS),
	  RTS_RC | IB_QP_CUR_STATE | IB_QP_ACCESS_FLAGS | IB_QP_MIN_RNR_TIMER,
	  TO_RTS, HW(RTS) },
	{ "rts_nothing_new", QPS(RTS), HW(RTS), QPS(RTS),
	  IB_QP_STATE | IB_QP_CUR_STATE, 0, HW(RTS) },
	{ "rts_new_access", QPS(RTS), HW(RTS), QPS(RTS),
	  IB_QP_STATE | IB_QP_ACCESS_FLAGS, TO_RTS, HW(RTS) },
	{ "rts_new_rnr_timer_without_state", QPS(RTS), HW(RTS), QPS(RTS),
	  IB_QP_MIN_RNR_TIMER, TO_RTS, HW(RTS) },
	{ "rts_to_sqd", QPS(RTS), HW(RTS), QPS(SQD), IB_QP_STATE,
	  TO_SQD, HW(SQD) },
	{ "rts_to_sqd_notify", QPS(RTS), HW(RTS), QPS(SQD),
	  IB_QP_STATE | IB_QP_EN_SQD_ASYNC_NOTIFY, TO_SQD, HW(SQD) },
	{ "sqd_new_path", QPS(SQD), HW(SQD), QPS(SQD),
	  IB_QP_STATE | IB_QP_AV | IB_QP_TIMEOUT | IB_QP_RETRY_CNT, 0, HW(SQD) },
	{ "sqd_back_to_rts", QPS(SQD), HW(SQD), QPS(RTS), IB_QP_STATE,
	  TO_RTS, HW(RTS) },
	{ "init_to_err", QPS(INIT), HW(IDLE), QPS(ERR), IB_QP_STATE,
	  TO_ERR, HW(ERROR) },
	{ "rtr_to_err", QPS(RTR), HW(RTR), QPS(ERR), IB_QP_STATE,
	  TO_ERR, HW(ERROR) },
	{ "rts_to_err", QPS(RTS), HW(RTS), QPS(ERR), IB_QP_STATE,
	  TO_ERR, HW(ERROR) },
	{ "sqd_to_err", QPS(SQD), HW(SQD), QPS(ERR), IB_QP_STATE,
	  TO_ERR, HW(ERROR) },
	{ "sqe_to_err", QPS(SQE), HW(ERROR), QPS(ERR), IB_QP_STATE,
	  FLUSH, HW(ERROR) },
	{ "failed_to_err", QPS(RTS), HW(ERROR), QPS(ERR), IB_QP_STATE,
	  FLUSH, HW(ERROR) },
	{ "err_to_err", QPS(ERR), HW(ERROR), QPS(ERR), IB_QP_STATE,
	  0, HW(ERROR) },
	{ "init_to_reset", QPS(INIT), HW(IDLE), QPS(RESET), IB_QP_STATE,
	  TO_ERR, HW(ERROR) },
	{ "rts_to_reset", QPS(RTS), HW(RTS), QPS(RESET), IB_QP_STATE,
	  TO_ERR, HW(ERROR) },
	{ "failed_to_reset", QPS(RTS), HW(ERROR), QPS(RESET), IB_QP_STATE,
	  FLUSH, HW(ERROR) },
	{ "err_to_reset", QPS(ERR), HW(ERROR), QPS(RESET), IB_QP_STATE,
	  0, HW(ERROR) },
};

KUNIT_ARRAY_PARAM_DESC(step, step_cases, name);

static void rc_step_takes_the_least(struct kunit *test)
{
	const struct step_case *c = test->param_value;
	struct irdma_qp_now now = { IB_QPT_RC, c->from, c->hw };
	struct irdma_qp_step step;

	KUNIT_ASSERT_EQ(test, irdma_qp_plan_step(&now, c->to, c->mask, &step), 0);
	KUNIT_EXPECT_EQ(test, step_bits(&step), c->bits);
	KUNIT_EXPECT_EQ(test, step.hw_state, c->hw_after);
}

struct refused_case {
	const char *name;
	enum ib_qp_state from;
	enum irdma_hw_qp_state hw;
	enum ib_qp_state to;
	int mask;
	int err;
};

static const struct refused_case refused_cases[] = {
	{ "rtr_without_path", QPS(INIT), HW(IDLE), QPS(RTR),
	  RTR_RC & ~IB_QP_AV, -EINVAL },
	{ "rtr_with_qkey", QPS(INIT), HW(IDLE), QPS(RTR),
	  RTR_RC | IB_QP_QKEY, -EINVAL },
	{ "rts_without_psn", QPS(RTR), HW(RTR), QPS(RTS),
	  RTS_RC & ~IB_QP_SQ_PSN, -EINVAL },
	{ "caps_cannot_change", QPS(RTS), HW(RTS), QPS(RTS),
	  IB_QP_STATE | IB_QP_CAP, -EINVAL },
	{ "current_state_of_init", QPS(INIT), HW(IDLE), QPS(RTR),
	  RTR_RC | IB_QP_CUR_STATE, -EINVAL },
	{ "alternate_path", QPS(INIT), HW(IDLE), QPS(RTR),
	  RTR_RC | IB_QP_ALT_PATH, -EOPNOTSUPP },
	{ "path_migration", QPS(RTR), HW(RTR), QPS(RTS),
	  RTS_RC | IB_QP_PATH_MIG_STATE, -EOPNOTSUPP },
	{ "rate_limit", QPS(RTR), HW(RTR), QPS(RTS),
	  RTS_RC | IB_QP_RATE_LIMIT, -EOPNOTSUPP },
	{ "failed_qp_to_rts", QPS(RTR), HW(ERROR), QPS(RTS), RTS_RC, -EINVAL },
	{ "failed_qp_stays", QPS(RTS), HW(ERROR), QPS(RTS),
	  IB_QP_STATE | IB_QP_ACCESS_FLAGS, -EINVAL },
	{ "failed_qp_to_sqd", QPS(RTS), HW(ERROR), QPS(SQD), IB_QP_STATE,
	  -EINVAL },
	{ "state_unknown", QPS(RTS), HW(RTS), QPS(ERR) + 1, IB_QP_STATE,
	  -EINVAL },
	{ "state_max", QPS(RTS), HW(RTS), INT_MAX, IB_QP_STATE, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(refused, refused_cases, name);

static void rc_step_is_refused(struct kunit *test)
{
	const struct refused_case *c = test->param_value;
	struct irdma_qp_now now = { IB_QPT_RC, c->from, c->hw };
	struct irdma_qp_step step = { .hw_state = 77 };

	KUNIT_EXPECT_EQ(test, irdma_qp_plan_step(&now, c->to, c->mask, &step),
			c->err);
	KUNIT_EXPECT_EQ(test, step.hw_state, 77);
}

/* Row: from; column: to; both RESET INIT RTR RTS SQD SQE ERR. */
static const bool legal[7][7] = {
	{ 1, 1, 0, 0, 0, 0, 0 },
	{ 1, 1, 1, 0, 0, 0, 1 },
	{ 1, 0, 0, 1, 0, 0, 1 },
	{ 1, 0, 0, 1, 1, 0, 1 },
	{ 1, 0, 0, 1, 1, 0, 1 },
	{ 1, 0, 0, 1, 0, 0, 1 },
	{ 1, 0, 0, 0, 0, 0, 1 },
};

static int required_mask(enum ib_qp_type type, int from, int to)
{
	bool rc = type == IB_QPT_RC;

	if (from == QPS(RESET) && to == QPS(INIT))
		return rc ? INIT_RC : type == IB_QPT_UD ? INIT_UD :
		       INIT_UD & ~IB_QP_PORT;
	if (from == QPS(INIT) && to == QPS(RTR))
		return rc ? RTR_RC : RTR_UD;
	if (from == QPS(RTR) && to == QPS(RTS))
		return rc ? RTS_RC : RTS_UD;
	return IB_QP_STATE;
}

/* Every pair of states, for every type of QP: as the table says. */
static void qp_changes_state_as_the_specification_says(struct kunit *test)
{
	static const enum ib_qp_type types[] = {
		IB_QPT_RC, IB_QPT_UD, IB_QPT_GSI,
	};
	static const enum irdma_hw_qp_state hw[7] = {
		HW(IDLE), HW(IDLE), HW(RTR), HW(RTS), HW(SQD), HW(ERROR),
		HW(ERROR),
	};

	for (int t = 0; t < ARRAY_SIZE(types); t++) {
		for (int from = 0; from < 7; from++) {
			struct irdma_qp_now now = { types[t], from, hw[from] };

			for (int to = 0; to < 7; to++) {
				int mask = required_mask(types[t], from, to);
				struct irdma_qp_step step;
				bool want = legal[from][to] &&
					    (from != QPS(SQE) || to != QPS(RTS));
				int err;

				err = irdma_qp_plan_step(&now, to, mask, &step);
				KUNIT_ASSERT_EQ(test, err, want ? 0 : -EINVAL);
			}
		}
	}
}

/* Each attribute that a step needs, taken away in turn. */
static void qp_step_needs_each_of_its_attributes(struct kunit *test)
{
	static const struct { int from, to, hw; } steps[] = {
		{ QPS(RESET), QPS(INIT), HW(IDLE) },
		{ QPS(INIT), QPS(RTR), HW(IDLE) },
		{ QPS(RTR), QPS(RTS), HW(RTR) },
	};

	for (int t = 0; t < 2; t++) {
		enum ib_qp_type type = t ? IB_QPT_UD : IB_QPT_RC;

		for (int s = 0; s < ARRAY_SIZE(steps); s++) {
			struct irdma_qp_now now = { type, steps[s].from,
						    steps[s].hw };
			int all = required_mask(type, steps[s].from, steps[s].to);
			struct irdma_qp_step step;
			int err;

			for (int bit = 1; bit <= IB_QP_RATE_LIMIT; bit <<= 1) {
				if (!(all & bit) || bit == IB_QP_STATE)
					continue;
				err = irdma_qp_plan_step(&now, steps[s].to,
							 all & ~bit, &step);
				KUNIT_EXPECT_EQ(test, err, -EINVAL);
			}
			err = irdma_qp_plan_step(&now, steps[s].to, all, &step);
			KUNIT_EXPECT_EQ(test, err, 0);
		}
	}
}

/* A whole life, carried out: three commands to RTS, twice over. */
static void qp_lives_again_after_reset(struct kunit *test)
{
	static const struct { int to, mask; } life[] = {
		{ QPS(INIT), INIT_RC }, { QPS(RTR), RTR_RC }, { QPS(RTS), RTS_RC },
		{ QPS(SQD), IB_QP_STATE }, { QPS(RTS), IB_QP_STATE },
		{ QPS(ERR), IB_QP_STATE }, { QPS(RESET), IB_QP_STATE },
	};
	struct irdma_qp_now now = { IB_QPT_RC, QPS(RESET), HW(IDLE) };

	for (int round = 0; round < 3; round++) {
		u32 recreated = 0, modified = 0, flushed = 0;

		for (int i = 0; i < ARRAY_SIZE(life); i++) {
			struct irdma_qp_step step;
			int err;

			err = irdma_qp_plan_step(&now, life[i].to, life[i].mask,
						 &step);
			KUNIT_ASSERT_EQ(test, err, 0);
			recreated += step.recreate;
			modified += step.modify;
			flushed += step.flush;
			now.state = life[i].to;
			now.hw_state = step.hw_state;
		}
		KUNIT_EXPECT_EQ(test, recreated, round > 0);
		KUNIT_EXPECT_EQ(test, modified, 5);
		KUNIT_EXPECT_EQ(test, flushed, 1);
	}
}

static struct kunit_case irdma_qp_state_cases[] = {
	KUNIT_CASE_PARAM(rc_step_takes_the_least, step_gen_params),
	KUNIT_CASE_PARAM(rc_step_is_refused, refused_gen_params),
	KUNIT_CASE(qp_changes_state_as_the_specification_says),
	KUNIT_CASE(qp_step_needs_each_of_its_attributes),
	KUNIT_CASE(qp_lives_again_after_reset),
	{}
};

static struct kunit_suite irdma_qp_state_suite = {
	.name = "irdma_qp_state",
	.test_cases = irdma_qp_state_cases,
};

kunit_test_suite(irdma_qp_state_suite);
