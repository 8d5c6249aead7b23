/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A control command and the words that it must become.
 *
 * The expected words are worked out from the layout of each command, field by
 * field, without the masks of the driver. Every WQE starts as all ones, so a
 * quadword that an encoder forgets is seen.
 *
 * Copyright (c) 2026 The irdma authors
 */
#ifndef IRDMA_TESTS_CQP_CASE_H
#define IRDMA_TESTS_CQP_CASE_H

#include <kunit/test.h>

#include "../cqp_wqe.h"
#include "words.h"

/* Where the device of the cases has its ids. */
static const struct irdma_cqp_layout layout = {
	.pd_id = { .shift = 46, .bits = 18 },
	.cq_id = { .shift = 0, .bits = 22 },
	.ceq_id = { .shift = 22, .bits = 10 },
	.hmc_fn = { .shift = 0, .bits = 6 },
};

/* Another one has them elsewhere. */
static const struct irdma_cqp_layout moved = {
	.pd_id = { .shift = 48, .bits = 16 },
	.cq_id = { .shift = 10, .bits = 20 },
	.ceq_id = { .shift = 0, .bits = 10 },
	.hmc_fn = { .shift = 1, .bits = 6 },
};

struct cqp_case {
	const char *name;
	void (*enc)(struct irdma_cqp_wqe *wqe);
	u64 want[8];
};

static inline void command_is_laid_out_as_specified(struct kunit *test)
{
	const struct cqp_case *c = test->param_value;
	struct irdma_cqp_wqe wqe;

	memset(&wqe, 0xff, sizeof(wqe));
	c->enc(&wqe);
	expect_words(test, wqe.qw, c->want, ARRAY_SIZE(wqe.qw));
}

#endif /* IRDMA_TESTS_CQP_CASE_H */
