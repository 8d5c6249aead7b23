/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_TESTS_WORDS_H
#define IRDMA_TESTS_WORDS_H

#include <kunit/test.h>
#include <linux/types.h>

/* Compare @cnt quadwords and name those that differ. */
static inline void expect_words(struct kunit *test, const __le64 *got,
				const u64 *want, unsigned int cnt)
{
	for (unsigned int i = 0; i < cnt; i++)
		KUNIT_EXPECT_EQ_MSG(test, le64_to_cpu(got[i]), want[i],
				    "quadword %u is %#llx, not %#llx", i,
				    le64_to_cpu(got[i]), want[i]);
}

#endif /* IRDMA_TESTS_WORDS_H */
