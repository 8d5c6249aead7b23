// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Access flags of the verbs to access rights of the device.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <kunit/test.h>
#include <rdma/ib_verbs.h>

#include "../mr_access.h"

#define LW	IB_ACCESS_LOCAL_WRITE
#define RR	IB_ACCESS_REMOTE_READ
#define RW	IB_ACCESS_REMOTE_WRITE
#define RA	IB_ACCESS_REMOTE_ATOMIC

struct access_case {
	const char *name;
	int flags;
	u8 rights;	/* 0: err */
	bool atomic;
	bool zero_based;
	int err;
};

static const struct access_case access_cases[] = {
	{ "none", 0, 0x01 },
	{ "local_write", LW, 0x03 },
	{ "remote_read", RR, 0x05 },
	{ "remote_write", LW | RW, 0x0b },
	{ "bind", IB_ACCESS_MW_BIND, 0x11 },
	{ "atomic", LW | RA, 0x03, true },
	{ "zero_based", IB_ZERO_BASED, 0x01, false, true },
	{ "everything", LW | RR | RW | RA | IB_ACCESS_MW_BIND | IB_ZERO_BASED,
	  0x1f, true, true },
	{ "remote_write_without_local", RW, .err = -EINVAL },
	{ "remote_write_with_read_only", RW | RR, .err = -EINVAL },
	{ "atomic_without_local", RA, .err = -EINVAL },
	{ "relaxed_ordering", LW | IB_ACCESS_RELAXED_ORDERING, 0x03 },
	{ "all_optional_flags", IB_ACCESS_OPTIONAL, 0x01 },
	{ "huge_pages", IB_ACCESS_HUGETLB, 0x01 },
	{ "on_demand", IB_ACCESS_ON_DEMAND, .err = -EOPNOTSUPP },
	{ "flush_global", IB_ACCESS_FLUSH_GLOBAL, .err = -EOPNOTSUPP },
	{ "flush_persistent", IB_ACCESS_FLUSH_PERSISTENT, .err = -EOPNOTSUPP },
	{ "unknown", 1 << 30, .err = -EOPNOTSUPP },
	{ "all_bits", -1, .err = -EOPNOTSUPP },
};

KUNIT_ARRAY_PARAM_DESC(access, access_cases, name);

static void mr_access_follows_from_the_flags(struct kunit *test)
{
	const struct access_case *c = test->param_value;
	struct irdma_mr_access got = { .rights = 77 };

	KUNIT_EXPECT_EQ(test, irdma_get_mr_access(c->flags, true, &got), c->err);
	KUNIT_EXPECT_EQ(test, got.rights, c->rights ?: 77);
	KUNIT_EXPECT_EQ(test, got.atomic, c->atomic);
	KUNIT_EXPECT_EQ(test, got.zero_based, c->zero_based);
}

static void mr_access_has_no_atomics_without_the_device(struct kunit *test)
{
	struct irdma_mr_access got;

	KUNIT_EXPECT_EQ(test, irdma_get_mr_access(LW | RA, false, &got),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, irdma_get_mr_access(LW | RW, false, &got), 0);
	KUNIT_EXPECT_FALSE(test, got.atomic);
}

/* Rights only ever grow with flags: no flag takes another one's right away. */
static void mr_access_never_loses_a_right(struct kunit *test)
{
	static const int bits[] = { LW, RR, RW, RA, IB_ACCESS_MW_BIND };

	for (int set = 0; set < 32; set++) {
		struct irdma_mr_access less, more;
		int flags = LW;

		for (int i = 0; i < 5; i++)
			if (set & 1 << i)
				flags |= bits[i];
		KUNIT_ASSERT_EQ(test, irdma_get_mr_access(flags, true, &less), 0);
		for (int i = 0; i < 5; i++) {
			KUNIT_ASSERT_EQ(test, irdma_get_mr_access(flags | bits[i],
								  true, &more), 0);
			KUNIT_ASSERT_EQ(test, less.rights & ~more.rights, 0);
			KUNIT_ASSERT_GE(test, more.atomic, less.atomic);
		}
	}
}

static struct kunit_case irdma_mr_access_cases[] = {
	KUNIT_CASE_PARAM(mr_access_follows_from_the_flags, access_gen_params),
	KUNIT_CASE(mr_access_has_no_atomics_without_the_device),
	KUNIT_CASE(mr_access_never_loses_a_right),
	{}
};

static struct kunit_suite irdma_mr_access_suite = {
	.name = "irdma_mr_access",
	.test_cases = irdma_mr_access_cases,
};

kunit_test_suite(irdma_mr_access_suite);
