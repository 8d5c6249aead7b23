// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Numbers of hardware objects against an array of flags.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <kunit/test.h>
#include <linux/prandom.h>

#include "../idmap.h"

static void idmap_fini_action(void *map)
{
	irdma_idmap_fini(map);
}

static struct irdma_idmap *idmap_make(struct kunit *test, u32 limit,
				      u32 reserved)
{
	struct irdma_idmap *map = kunit_kzalloc(test, sizeof(*map), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, map);
	KUNIT_ASSERT_EQ(test, irdma_idmap_init(map, limit, reserved), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, idmap_fini_action,
							map), 0);
	return map;
}

struct idmap_init_case {
	const char *name;
	u32 limit;
	u32 reserved;
	int err;
};

static const struct idmap_init_case idmap_init_cases[] = {
	{ "one_number", 1, 0, 0 },
	{ "no_number_free", 3, 3, 0 },
	{ "word_less_one", 63, 0, 0 },
	{ "word", 64, 3, 0 },
	{ "word_and_one", 65, 3, 0 },
	{ "largest_mr_table", 1U << 24, 1, 0 },
	{ "limit_zero", 0, 0, -EINVAL },
	{ "reserved_above_limit", 3, 4, -EINVAL },
	{ "reserved_max", 3, U32_MAX, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(idmap_init, idmap_init_cases, name);

static void idmap_reserved_numbers_are_taken(struct kunit *test)
{
	const struct idmap_init_case *c = test->param_value;
	struct irdma_idmap map;
	u32 id = 0;

	KUNIT_ASSERT_EQ(test, irdma_idmap_init(&map, c->limit, c->reserved),
			c->err);
	if (c->err) {
		KUNIT_EXPECT_NULL(test, map.bitmap);
	} else {
		KUNIT_EXPECT_EQ(test, map.used_cnt, c->reserved);
		KUNIT_EXPECT_EQ(test, map.cnt, c->limit - c->reserved);
		KUNIT_EXPECT_EQ(test, irdma_idmap_alloc(&map, &id),
				c->reserved == c->limit ? -ENOMEM : 0);
		if (c->reserved < c->limit)
			KUNIT_EXPECT_EQ(test, id, c->reserved);
	}
	irdma_idmap_fini(&map);
	irdma_idmap_fini(&map);
	KUNIT_EXPECT_EQ(test, map.limit, 0);
}

static void idmap_gives_each_number_once(struct kunit *test)
{
	struct irdma_idmap *map = idmap_make(test, 130, 3);
	u32 id;

	for (u32 want = 3; want < 130; want++) {
		KUNIT_ASSERT_EQ(test, irdma_idmap_alloc(map, &id), 0);
		KUNIT_ASSERT_EQ(test, id, want);
	}
	KUNIT_EXPECT_EQ(test, map->cnt, 130 - 3);
	id = 77;
	KUNIT_EXPECT_EQ(test, irdma_idmap_alloc(map, &id), -ENOMEM);
	KUNIT_EXPECT_EQ(test, irdma_idmap_alloc_from(map, 5, &id), -ENOMEM);
	KUNIT_EXPECT_EQ(test, id, 77);
	KUNIT_EXPECT_EQ(test, map->used_cnt, 130);
	irdma_idmap_free(map, 129);
	KUNIT_EXPECT_EQ(test, irdma_idmap_alloc(map, &id), 0);
	KUNIT_EXPECT_EQ(test, id, 129);
}

static void idmap_freed_number_comes_back_last(struct kunit *test)
{
	struct irdma_idmap *map = idmap_make(test, 16, 1);
	u32 first, id;

	KUNIT_ASSERT_EQ(test, irdma_idmap_alloc(map, &first), 0);
	irdma_idmap_free(map, first);
	for (int i = 0; i < 14; i++) {
		KUNIT_ASSERT_EQ(test, irdma_idmap_alloc(map, &id), 0);
		KUNIT_EXPECT_NE(test, id, first);
	}
	KUNIT_ASSERT_EQ(test, irdma_idmap_alloc(map, &id), 0);
	KUNIT_EXPECT_EQ(test, id, first);
}

struct idmap_from_case {
	const char *name;
	u32 start;
	u32 want;
};

/* Of 0..99, taken are 0 (reserved), 40..49 and 99. */
static const struct idmap_from_case idmap_from_cases[] = {
	{ "free_number", 7, 7 },
	{ "reserved_number", 0, 1 },
	{ "inside_a_taken_run", 40, 50 },
	{ "end_of_a_taken_run", 49, 50 },
	{ "last_number_taken", 99, 1 },
	{ "limit", 100, 1 },
	{ "max", U32_MAX, 1 },
};

KUNIT_ARRAY_PARAM_DESC(idmap_from, idmap_from_cases, name);

static void idmap_search_goes_round(struct kunit *test)
{
	const struct idmap_from_case *c = test->param_value;
	struct irdma_idmap *map = idmap_make(test, 100, 1);
	u32 id;

	for (u32 want = 40; want < 50; want++) {
		KUNIT_ASSERT_EQ(test, irdma_idmap_alloc_from(map, 40, &id), 0);
		KUNIT_ASSERT_EQ(test, id, want);
	}
	KUNIT_ASSERT_EQ(test, irdma_idmap_alloc_from(map, 99, &id), 0);
	KUNIT_ASSERT_EQ(test, irdma_idmap_alloc_from(map, c->start, &id), 0);
	KUNIT_EXPECT_EQ(test, id, c->want);
}

static void idmap_unknown_numbers_are_not_used(struct kunit *test)
{
	struct irdma_idmap *map = idmap_make(test, 64, 1);

	KUNIT_EXPECT_TRUE(test, irdma_idmap_is_used(map, 0));
	KUNIT_EXPECT_FALSE(test, irdma_idmap_is_used(map, 1));
	KUNIT_EXPECT_FALSE(test, irdma_idmap_is_used(map, 64));
	KUNIT_EXPECT_FALSE(test, irdma_idmap_is_used(map, U32_MAX));
}

static void idmap_number_freed_twice_is_still_free(struct kunit *test)
{
	struct irdma_idmap *map = idmap_make(test, 64, 1);

	kunit_warning_suppress(test) {
		irdma_idmap_free(map, 5);
		irdma_idmap_free(map, 64);
		irdma_idmap_free(map, U32_MAX);
	}
	KUNIT_EXPECT_EQ(test, map->used_cnt, 1);
	KUNIT_EXPECT_FALSE(test, irdma_idmap_is_used(map, 5));
}

/* The first free number from @start on, round the limit; @limit: none. */
static u32 slow_search(const bool *taken, u32 limit, u32 start)
{
	start = start < limit ? start : 0;
	for (u32 n = 0; n < limit; n++)
		if (!taken[(start + n) % limit])
			return (start + n) % limit;
	return limit;
}

/* Every set of taken numbers, every start, up to the limit and behind it. */
static void idmap_search_agrees_with_one_by_one(struct kunit *test)
{
	enum { LIMIT = 7 };
	struct irdma_idmap *map = idmap_make(test, LIMIT, 0);
	bool taken[LIMIT];
	u32 id;

	for (u32 set = 0; set < 1U << LIMIT; set++) {
		for (u32 i = 0; i < LIMIT; i++) {
			taken[i] = set & BIT(i);
			if (taken[i] && !irdma_idmap_is_used(map, i))
				KUNIT_ASSERT_EQ(test, irdma_idmap_alloc_from(map, i,
									     &id), 0);
			else if (!taken[i] && irdma_idmap_is_used(map, i))
				irdma_idmap_free(map, i);
		}
		for (u32 start = 0; start <= LIMIT + 1; start++) {
			u32 want = slow_search(taken, LIMIT, start);
			int err = irdma_idmap_alloc_from(map, start, &id);

			KUNIT_ASSERT_EQ(test, err, want == LIMIT ? -ENOMEM : 0);
			if (err)
				continue;
			KUNIT_ASSERT_EQ(test, id, want);
			irdma_idmap_free(map, id);
		}
	}
}

static void idmap_random_use_keeps_the_count(struct kunit *test)
{
	enum { LIMIT = 200, RESERVED = 3 };
	struct irdma_idmap *map = idmap_make(test, LIMIT, RESERVED);
	bool taken[LIMIT] = { true, true, true };
	u32 cnt = RESERVED, next = RESERVED, id;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 2);
	for (int step = 0; step < 20000; step++) {
		u32 r = prandom_u32_state(&rnd);

		if (r % 16 < 9) {
			u32 start = r & 16 ? next : (r >> 8) % (2 * LIMIT);
			u32 want = slow_search(taken, LIMIT, start);
			int err = r & 16 ? irdma_idmap_alloc(map, &id) :
				  irdma_idmap_alloc_from(map, start, &id);

			KUNIT_ASSERT_EQ(test, err, cnt == LIMIT ? -ENOMEM : 0);
			if (err)
				continue;
			KUNIT_ASSERT_EQ(test, id, want);
			taken[id] = true;
			next = id + 1;
			cnt++;
		} else {
			id = RESERVED + (r >> 8) % (LIMIT - RESERVED);
			if (!taken[id])
				continue;
			irdma_idmap_free(map, id);
			taken[id] = false;
			cnt--;
		}
		KUNIT_ASSERT_EQ(test, map->used_cnt, cnt);
		KUNIT_ASSERT_EQ(test, irdma_idmap_is_used(map, id), taken[id]);
	}
}

static struct kunit_case irdma_idmap_cases[] = {
	KUNIT_CASE_PARAM(idmap_reserved_numbers_are_taken,
			 idmap_init_gen_params),
	KUNIT_CASE(idmap_gives_each_number_once),
	KUNIT_CASE(idmap_freed_number_comes_back_last),
	KUNIT_CASE_PARAM(idmap_search_goes_round, idmap_from_gen_params),
	KUNIT_CASE(idmap_unknown_numbers_are_not_used),
	KUNIT_CASE(idmap_number_freed_twice_is_still_free),
	KUNIT_CASE(idmap_search_agrees_with_one_by_one),
	KUNIT_CASE(idmap_random_use_keeps_the_count),
	{}
};

static struct kunit_suite irdma_idmap_suite = {
	.name = "irdma_idmap",
	.test_cases = irdma_idmap_cases,
};

kunit_test_suite(irdma_idmap_suite);
