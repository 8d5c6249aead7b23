// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The pool of page-list entries against a map of who owns each entry.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/sizes.h>

#include "../pble_pool.h"

/*
 * A pool whose chunks are @chunk_pages long and begin at @base; growing
 * fails with @grow_err once @chunks_left are given out.
 */
struct fake_hmc {
	struct irdma_pble_pool pool;
	struct kunit *test;
	u32 base;
	u32 chunk_pages;
	u32 chunks_left;
	int grow_err;
	u32 grow_calls;
	u32 pages;
	u32 live_chunks;
	__le64 *page_va[1100];
};

static int fake_grow(void *ctx)
{
	struct fake_hmc *hmc = ctx;
	struct irdma_pble_chunk *chunk;

	hmc->grow_calls++;
	if (!hmc->chunks_left)
		return hmc->grow_err;
	hmc->chunks_left--;
	chunk = irdma_pble_chunk_new(hmc->base + hmc->pages * 512,
				     hmc->chunk_pages);
	if (!chunk)
		return -ENOMEM;
	for (u32 i = 0; i < hmc->chunk_pages; i++)
		chunk->page_va[i] = hmc->page_va[hmc->pages++];
	hmc->live_chunks++;
	irdma_pble_pool_add(&hmc->pool, chunk);
	return 0;
}

static void fake_release(void *ctx, struct irdma_pble_chunk *chunk)
{
	struct fake_hmc *hmc = ctx;

	hmc->live_chunks--;
	irdma_pble_chunk_free(chunk);
}

static const struct irdma_pble_ops fake_ops = {
	.grow = fake_grow,
	.release = fake_release,
};

static void fake_fini(void *ctx)
{
	struct fake_hmc *hmc = ctx;

	KUNIT_EXPECT_EQ(hmc->test, hmc->pool.used_pbles, 0);
	irdma_pble_pool_fini(&hmc->pool);
	KUNIT_EXPECT_EQ(hmc->test, hmc->live_chunks, 0);
}

/* @shared: all pages have the same memory, for tests that never read it. */
static struct fake_hmc *make_hmc(struct kunit *test, u32 chunk_pages,
				 u32 chunks, bool shared)
{
	struct fake_hmc *hmc = kunit_kzalloc(test, sizeof(*hmc), GFP_KERNEL);
	u32 pages = chunk_pages * chunks;

	KUNIT_ASSERT_NOT_NULL(test, hmc);
	KUNIT_ASSERT_LE(test, pages, ARRAY_SIZE(hmc->page_va));
	hmc->test = test;
	hmc->base = 4096 + 64;
	hmc->chunk_pages = chunk_pages;
	hmc->chunks_left = chunks;
	hmc->grow_err = -ENOMEM;
	for (u32 i = 0; i < pages; i++) {
		hmc->page_va[i] = i && shared ? hmc->page_va[0] :
				  kunit_kzalloc(test, SZ_4K, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, hmc->page_va[i]);
	}
	irdma_pble_pool_init(&hmc->pool, &fake_ops, hmc);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, fake_fini, hmc), 0);
	return hmc;
}

/* Memory of entry @idx, found without the pool's help. */
static __le64 *entry_of(struct fake_hmc *hmc, u32 idx)
{
	u32 at = idx - hmc->base;

	return &hmc->page_va[at / 512][at % 512];
}

struct size_case {
	const char *name;
	u32 cnt;
	u32 occupied;
};

static const struct size_case size_cases[] = {
	{ "one", 1, 8 },
	{ "seven", 7, 8 },
	{ "eight", 8, 8 },
	{ "nine", 9, 16 },
	{ "sixteen", 16, 16 },
	{ "seventeen", 17, 32 },
	{ "half_a_page", 256, 256 },
	{ "half_a_page_and_one", 257, 512 },
	{ "page_less_one", 511, 512 },
	{ "page", 512, 512 },
	{ "page_and_one", 513, 1024 },
	{ "two_pages", 1024, 1024 },
	{ "two_pages_and_one", 1025, 1536 },
	{ "chunk", 8 * 512, 8 * 512 },
};

KUNIT_ARRAY_PARAM_DESC(size, size_cases, name);

static void pool_counts_what_a_list_occupies(struct kunit *test)
{
	const struct size_case *c = test->param_value;
	struct fake_hmc *hmc = make_hmc(test, 8, 1, false);
	struct irdma_pbl pbl;
	u32 at;

	KUNIT_ASSERT_EQ(test, irdma_pbl_alloc(&hmc->pool, c->cnt, 1, &pbl), 0);
	KUNIT_EXPECT_EQ(test, pbl.level, 1);
	KUNIT_EXPECT_EQ(test, pbl.page_cnt, c->cnt);
	KUNIT_EXPECT_EQ(test, pbl.root.cnt, c->cnt);
	KUNIT_EXPECT_NULL(test, pbl.leaf);
	KUNIT_EXPECT_EQ(test, hmc->pool.used_pbles, c->occupied);
	KUNIT_EXPECT_EQ(test, hmc->pool.total_pbles, 8 * 512);
	at = pbl.root.idx - hmc->base;
	KUNIT_EXPECT_EQ(test, at % min(c->occupied, 512), 0);
	KUNIT_EXPECT_PTR_EQ(test, &pbl.root.page_va[0][pbl.root.first],
			    entry_of(hmc, pbl.root.idx));
	irdma_pbl_free(&hmc->pool, &pbl);
	KUNIT_EXPECT_EQ(test, pbl.level, 0);
	irdma_pbl_free(&hmc->pool, &pbl);
}

/* A page of 512 entries holds exactly 512 / size slots of a class. */
static void pool_fills_a_page_before_the_next(struct kunit *test)
{
	struct irdma_pbl *pbl = kunit_kcalloc(test, 65, sizeof(*pbl),
					      GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, pbl);
	for (u32 size = 8; size <= 512; size *= 2) {
		struct fake_hmc *hmc = make_hmc(test, 2, 1, true);
		u32 slots = 512 / size;

		for (u32 i = 0; i <= slots; i++) {
			KUNIT_ASSERT_EQ(test, irdma_pbl_alloc(&hmc->pool, size,
							      1, &pbl[i]), 0);
			KUNIT_ASSERT_EQ(test, pbl[i].root.idx,
					hmc->base + i * size);
		}
		for (u32 i = 0; i <= slots; i++)
			irdma_pbl_free(&hmc->pool, &pbl[i]);
		KUNIT_EXPECT_EQ(test, irdma_pbl_alloc(&hmc->pool, 1024, 1,
						      &pbl[0]), 0);
		irdma_pbl_free(&hmc->pool, &pbl[0]);
		KUNIT_EXPECT_EQ(test, hmc->grow_calls, 1);
	}
}

static void pool_grows_only_when_it_must(struct kunit *test)
{
	struct fake_hmc *hmc = make_hmc(test, 4, 3, true);
	struct irdma_pbl a, b, c;

	KUNIT_EXPECT_EQ(test, hmc->grow_calls, 0);
	KUNIT_ASSERT_EQ(test, irdma_pbl_alloc(&hmc->pool, 3 * 512, 1, &a), 0);
	KUNIT_EXPECT_EQ(test, hmc->grow_calls, 1);
	KUNIT_ASSERT_EQ(test, irdma_pbl_alloc(&hmc->pool, 512, 1, &b), 0);
	KUNIT_EXPECT_EQ(test, hmc->grow_calls, 1);
	KUNIT_ASSERT_EQ(test, irdma_pbl_alloc(&hmc->pool, 1, 1, &c), 0);
	KUNIT_EXPECT_EQ(test, hmc->grow_calls, 2);
	KUNIT_EXPECT_EQ(test, hmc->pool.total_pbles, 2 * 4 * 512);
	irdma_pbl_free(&hmc->pool, &a);
	KUNIT_ASSERT_EQ(test, irdma_pbl_alloc(&hmc->pool, 3 * 512, 2, &a), 0);
	KUNIT_EXPECT_EQ(test, hmc->grow_calls, 2);
	irdma_pbl_free(&hmc->pool, &a);
	irdma_pbl_free(&hmc->pool, &b);
	irdma_pbl_free(&hmc->pool, &c);
}

static void pool_list_freed_twice_is_still_free(struct kunit *test)
{
	struct fake_hmc *hmc = make_hmc(test, 4, 1, true);
	struct irdma_pbl kept, pbl, copy;

	KUNIT_ASSERT_EQ(test, irdma_pbl_alloc(&hmc->pool, 8, 1, &kept), 0);
	KUNIT_ASSERT_EQ(test, irdma_pbl_alloc(&hmc->pool, 8, 1, &pbl), 0);
	copy = pbl;
	irdma_pbl_free(&hmc->pool, &pbl);
	KUNIT_EXPECT_EQ(test, hmc->pool.used_pbles, 8);
	kunit_warning_suppress(test)
		irdma_pbl_free(&hmc->pool, &copy);
	KUNIT_EXPECT_EQ(test, hmc->pool.used_pbles, 8);
	irdma_pbl_free(&hmc->pool, &kept);
}

struct refuse_case {
	const char *name;
	u64 cnt;
	u8 max_level;
	int grow_err;
	u32 grow_calls;
	int err;
};

/* A pool that can grow to two chunks of four pages. */
static const struct refuse_case refuse_cases[] = {
	{ "nothing", 0, 1, -ENOMEM, 0, -EINVAL },
	{ "one_level_longer_than_a_segment", 262145, 1, -ENOMEM, 0, -EINVAL },
	{ "two_levels_too_long", 134217729, 2, -ENOMEM, 0, -EINVAL },
	{ "wraps_32_bits", (1ULL << 32) + 1, 2, -ENOMEM, 0, -EINVAL },
	{ "max", U64_MAX, 2, -ENOMEM, 0, -EINVAL },
	{ "longer_than_a_chunk", 4 * 512 + 1, 1, -ENOMEM, 2, -ENOMEM },
	{ "longer_than_the_pool", 8 * 512 + 1, 2, -ENOMEM, 2, -ENOMEM },
	{ "root_does_not_fit", 8 * 512, 2, -ENOMEM, 2, -ENOMEM },
	{ "grows_twice_at_most", 20 * 512, 2, -EIO, 2, -ENOMEM },
	{ "grows_twice_below_a_segment", 262143, 2, -EIO, 2, -ENOMEM },
	{ "grows_once_more_for_a_segment", 262144, 2, -EIO, 3, -EIO },
};

KUNIT_ARRAY_PARAM_DESC(refuse, refuse_cases, name);

static void pool_refuses_and_stays_as_it_was(struct kunit *test)
{
	const struct refuse_case *c = test->param_value;
	struct fake_hmc *hmc = make_hmc(test, 4, 2, true);
	struct irdma_pbl pbl = { .level = 77 };
	struct irdma_pbl all;

	hmc->grow_err = c->grow_err;
	KUNIT_EXPECT_EQ(test, irdma_pbl_alloc(&hmc->pool, c->cnt, c->max_level,
					      &pbl), c->err);
	KUNIT_EXPECT_EQ(test, hmc->grow_calls, c->grow_calls);
	KUNIT_EXPECT_EQ(test, pbl.level, 0);
	KUNIT_EXPECT_NULL(test, pbl.leaf);
	KUNIT_EXPECT_EQ(test, hmc->pool.used_pbles, 0);
	KUNIT_EXPECT_EQ(test, irdma_pbl_alloc(&hmc->pool, 4 * 512, 1, &all), 0);
	irdma_pbl_free(&hmc->pool, &all);
}

static void pool_passes_on_why_it_cannot_grow(struct kunit *test)
{
	struct fake_hmc *hmc = make_hmc(test, 4, 0, true);
	struct irdma_pbl pbl;

	hmc->grow_err = -EBUSY;
	KUNIT_EXPECT_EQ(test, irdma_pbl_alloc(&hmc->pool, 1, 1, &pbl), -EBUSY);
	KUNIT_EXPECT_EQ(test, irdma_pbl_alloc(&hmc->pool, 513, 2, &pbl), -EBUSY);
	KUNIT_EXPECT_EQ(test, hmc->grow_calls, 2);
}

/* Every other page taken: no two in a row, yet half the pool is free. */
static void pool_cuts_a_list_when_it_is_fragmented(struct kunit *test)
{
	struct fake_hmc *hmc = make_hmc(test, 16, 1, false);
	struct irdma_pbl page[16], list, one;

	for (int i = 0; i < 16; i++)
		KUNIT_ASSERT_EQ(test, irdma_pbl_alloc(&hmc->pool, 512, 1,
						      &page[i]), 0);
	for (int i = 0; i < 16; i += 2)
		irdma_pbl_free(&hmc->pool, &page[i]);
	KUNIT_EXPECT_EQ(test, irdma_pbl_alloc(&hmc->pool, 513, 1, &one), -ENOMEM);
	KUNIT_ASSERT_EQ(test, irdma_pbl_alloc(&hmc->pool, 3 * 512 + 9, 2,
					      &list), 0);
	KUNIT_EXPECT_EQ(test, list.level, 2);
	KUNIT_EXPECT_EQ(test, list.root.cnt, 4);
	for (u32 i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, list.leaf[i].cnt, i < 3 ? 512 : 9);
		KUNIT_EXPECT_EQ(test, le64_to_cpu(*entry_of(hmc, list.root.idx + i)),
				list.leaf[i].idx);
	}
	/* taken: 8 pages, a root of 4 in a slot of 8, 3 leaves, one of 16 */
	KUNIT_EXPECT_EQ(test, hmc->pool.used_pbles, 8 * 512 + 8 + 3 * 512 + 16);
	irdma_pbl_free(&hmc->pool, &list);
	for (int i = 1; i < 16; i += 2)
		irdma_pbl_free(&hmc->pool, &page[i]);
	KUNIT_EXPECT_EQ(test, irdma_pbl_alloc(&hmc->pool, 16 * 512, 1, &one), 0);
	irdma_pbl_free(&hmc->pool, &one);
}

/* With room for k pages of the six that the list needs: all or nothing. */
static void pool_undoes_a_list_at_every_step(struct kunit *test)
{
	struct fake_hmc *hmc = make_hmc(test, 12, 1, true);
	struct irdma_pbl page[12], list;

	for (int i = 0; i < 12; i++)
		KUNIT_ASSERT_EQ(test, irdma_pbl_alloc(&hmc->pool, 512, 1,
						      &page[i]), 0);
	/* free pages 0, 2, 4 ..., so that no two are in a row */
	for (int k = 0; k < 6; k++) {
		u32 used = hmc->pool.used_pbles;
		int err;

		err = irdma_pbl_alloc(&hmc->pool, 4 * 512 + 500, 2, &list);
		KUNIT_EXPECT_EQ(test, err, -ENOMEM);
		KUNIT_EXPECT_EQ(test, hmc->pool.used_pbles, used);
		irdma_pbl_free(&hmc->pool, &page[2 * k]);
	}
	KUNIT_ASSERT_EQ(test, irdma_pbl_alloc(&hmc->pool, 4 * 512 + 500, 2,
					      &list), 0);
	KUNIT_EXPECT_EQ(test, list.level, 2);
	KUNIT_EXPECT_EQ(test, hmc->pool.used_pbles, 6 * 512 + 5 * 512 + 8);
	irdma_pbl_free(&hmc->pool, &list);
	for (int i = 1; i < 12; i += 2)
		irdma_pbl_free(&hmc->pool, &page[i]);
}

static void pool_holds_the_longest_lists(struct kunit *test)
{
	struct fake_hmc *hmc = make_hmc(test, 512, 2, true);
	struct irdma_pbl one, two;

	KUNIT_ASSERT_EQ(test, irdma_pbl_alloc(&hmc->pool, 262144, 1, &one), 0);
	KUNIT_EXPECT_EQ(test, one.root.idx, hmc->base);
	irdma_pbl_free(&hmc->pool, &one);
	/* 1022 leaves and a root of two pages fill both chunks */
	KUNIT_ASSERT_EQ(test, irdma_pbl_alloc(&hmc->pool, 1022 * 512, 2, &two), 0);
	KUNIT_EXPECT_EQ(test, two.level, 2);
	KUNIT_EXPECT_EQ(test, two.root.cnt, 1022);
	KUNIT_EXPECT_EQ(test, hmc->pool.used_pbles, 1024 * 512);
	KUNIT_EXPECT_EQ(test, irdma_pbl_alloc(&hmc->pool, 1, 1, &one), -ENOMEM);
	irdma_pbl_free(&hmc->pool, &two);
}

static void chunk_is_one_to_512_pages(struct kunit *test)
{
	static const u32 good[] = { 1, 2, 511, 512 };
	static const u32 bad[] = { 0, 513, U32_MAX };

	for (int i = 0; i < ARRAY_SIZE(good); i++) {
		struct irdma_pble_chunk *chunk = irdma_pble_chunk_new(7, good[i]);

		KUNIT_ASSERT_NOT_NULL(test, chunk);
		KUNIT_EXPECT_EQ(test, chunk->free_cnt, good[i]);
		irdma_pble_chunk_free(chunk);
	}
	for (int i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_NULL(test, irdma_pble_chunk_new(7, bad[i]));
	irdma_pble_chunk_free(NULL);
}

static void pool_of_zeroes_can_be_ended(struct kunit *test)
{
	struct irdma_pble_pool pool = {};

	irdma_pble_pool_fini(&pool);
	KUNIT_EXPECT_NULL(test, pool.ops);
}

/* Claim or drop the entries of a list in the owner map. */
static u32 mark_run(struct kunit *test, struct fake_hmc *hmc, u16 *owner,
		    const struct irdma_pble_run *run, u16 from, u16 to)
{
	u32 at = run->idx - hmc->base;

	KUNIT_ASSERT_LE(test, at + run->cnt, hmc->pages * 512);
	for (u32 i = 0; i < run->cnt; i++) {
		u32 slot = run->first + i;

		KUNIT_ASSERT_EQ(test, owner[at + i], from);
		owner[at + i] = to;
		KUNIT_ASSERT_PTR_EQ(test, &run->page_va[slot / 512][slot % 512],
				    entry_of(hmc, run->idx + i));
	}
	return run->cnt > 512 ? ALIGN(run->cnt, 512) :
	       max(8, roundup_pow_of_two(run->cnt));
}

static u32 mark_list(struct kunit *test, struct fake_hmc *hmc, u16 *owner,
		     const struct irdma_pbl *pbl, u16 from, u16 to)
{
	u32 used = mark_run(test, hmc, owner, &pbl->root, from, to);

	for (u32 i = 0; pbl->level == 2 && i < pbl->root.cnt; i++)
		used += mark_run(test, hmc, owner, &pbl->leaf[i], from, to);
	return used;
}

struct random_case {
	const char *name;
	u32 seed;
	u32 chunk_pages;
	u32 chunks;
	u32 max_cnt;
};

static const struct random_case random_cases[] = {
	{ "small_lists", 1, 4, 4, 64 },
	{ "mixed_lists", 2, 16, 4, 1500 },
	{ "long_lists_in_short_chunks", 3, 2, 24, 4000 },
	{ "one_page_chunks", 4, 1, 40, 3000 },
};

KUNIT_ARRAY_PARAM_DESC(random, random_cases, name);

/* No entry has two owners, and the counts add up after each step. */
static void pool_survives_random_use(struct kunit *test)
{
	enum { LISTS = 48, STEPS = 3000 };
	const struct random_case *c = test->param_value;
	struct fake_hmc *hmc = make_hmc(test, c->chunk_pages, c->chunks, false);
	struct irdma_pbl *pbl = kunit_kcalloc(test, LISTS, sizeof(*pbl),
					      GFP_KERNEL);
	u16 *owner = kunit_kcalloc(test, c->chunk_pages * c->chunks * 512,
				   sizeof(*owner), GFP_KERNEL);
	u32 used = 0, failed = 0, cut = 0;
	struct rnd_state rnd;

	KUNIT_ASSERT_NOT_NULL(test, pbl);
	KUNIT_ASSERT_NOT_NULL(test, owner);
	prandom_seed_state(&rnd, c->seed);
	for (u16 step = 0; step < STEPS; step++) {
		u16 i = prandom_u32_state(&rnd) % LISTS;
		u32 cnt = 1 + prandom_u32_state(&rnd) % c->max_cnt;

		if (pbl[i].level) {
			used -= mark_list(test, hmc, owner, &pbl[i], i + 1, 0);
			irdma_pbl_free(&hmc->pool, &pbl[i]);
		} else if (irdma_pbl_alloc(&hmc->pool, cnt, 2, &pbl[i])) {
			failed++;
		} else {
			used += mark_list(test, hmc, owner, &pbl[i], 0, i + 1);
			cut += pbl[i].level == 2;
		}
		KUNIT_ASSERT_EQ(test, hmc->pool.used_pbles, used);
	}
	for (u16 i = 0; i < LISTS; i++)
		irdma_pbl_free(&hmc->pool, &pbl[i]);
	KUNIT_EXPECT_EQ(test, cut > 0, c->max_cnt > 512);
	KUNIT_EXPECT_EQ(test, failed > 0, c->max_cnt > 512);
	KUNIT_EXPECT_EQ(test, irdma_pbl_alloc(&hmc->pool, c->chunk_pages * 512,
					      1, &pbl[0]), 0);
	irdma_pbl_free(&hmc->pool, &pbl[0]);
}

static struct kunit_case irdma_pble_pool_cases[] = {
	KUNIT_CASE_PARAM(pool_counts_what_a_list_occupies, size_gen_params),
	KUNIT_CASE(pool_fills_a_page_before_the_next),
	KUNIT_CASE(pool_grows_only_when_it_must),
	KUNIT_CASE(pool_list_freed_twice_is_still_free),
	KUNIT_CASE_PARAM(pool_refuses_and_stays_as_it_was, refuse_gen_params),
	KUNIT_CASE(pool_passes_on_why_it_cannot_grow),
	KUNIT_CASE(pool_cuts_a_list_when_it_is_fragmented),
	KUNIT_CASE(pool_undoes_a_list_at_every_step),
	KUNIT_CASE(pool_holds_the_longest_lists),
	KUNIT_CASE(chunk_is_one_to_512_pages),
	KUNIT_CASE(pool_of_zeroes_can_be_ended),
	KUNIT_CASE_PARAM(pool_survives_random_use, random_gen_params),
	{}
};

static struct kunit_suite irdma_pble_pool_suite = {
	.name = "irdma_pble_pool",
	.test_cases = irdma_pble_pool_cases,
};

kunit_test_suite(irdma_pble_pool_suite);
