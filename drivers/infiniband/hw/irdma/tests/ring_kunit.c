// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rings against a model that keeps every entry and its valid bit.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <kunit/test.h>
#include <linux/prandom.h>

#include "../ring.h"

struct ring_init_case {
	const char *name;
	u32 size;
	u32 unused;
	u32 first;
	int err;
};

static const struct ring_init_case ring_init_cases[] = {
	{ "smallest", 2, 1, 0, 0 },
	{ "cqp", 2048, 1, 0, 0 },
	{ "sq", 512, IRDMA_SQ_UNUSED_QUANTA, 0, 0 },
	{ "iwarp_sq", 512, IRDMA_SQ_UNUSED_QUANTA, 3, 0 },
	{ "largest", 1U << 31, 1, 0, 0 },
	{ "size_zero", 0, 1, 0, -EINVAL },
	{ "size_one_all_unused", 1, 1, 0, -EINVAL },
	{ "size_not_a_power_of_two", 511, 1, 0, -EINVAL },
	{ "size_max", U32_MAX, 1, 0, -EINVAL },
	{ "nothing_unused", 512, 0, 0, -EINVAL },
	{ "all_unused", 256, 256, 0, -EINVAL },
	{ "sq_too_small", 256, IRDMA_SQ_UNUSED_QUANTA, 0, -EINVAL },
	{ "first_is_last", 4, 1, 3, 0 },
	{ "first_outside", 4, 1, 4, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(ring_init, ring_init_cases, name);

static void ring_has_a_legal_size(struct kunit *test)
{
	const struct ring_init_case *c = test->param_value;
	struct irdma_ring ring = {};

	KUNIT_EXPECT_EQ(test, irdma_ring_init(&ring, c->size, c->unused,
					      c->first), c->err);
	if (c->err)
		return;
	KUNIT_EXPECT_EQ(test, irdma_ring_used(&ring), 0);
	KUNIT_EXPECT_EQ(test, irdma_ring_avail(&ring), c->size - c->unused);
	KUNIT_EXPECT_EQ(test, irdma_ring_idx(&ring, ring.head), c->first);
	KUNIT_EXPECT_TRUE(test, irdma_ring_polarity(&ring, ring.head));
}

/* Index and polarity the slow way: step by step, as the data sheet says. */
static void ring_valid_bit_changes_with_each_pass(struct kunit *test)
{
	for (u32 size = 2; size <= 64; size *= 2) {
		struct irdma_ring ring;
		bool polarity = false;
		u32 idx = 0;

		KUNIT_ASSERT_EQ(test, irdma_ring_init(&ring, size, 1, 0), 0);
		for (u32 step = 0; step < 5 * size; step++) {
			if (!idx)
				polarity = !polarity;
			KUNIT_ASSERT_EQ(test, irdma_ring_idx(&ring, ring.head),
					idx);
			KUNIT_ASSERT_EQ(test, irdma_ring_polarity(&ring, ring.head),
					polarity);
			irdma_ring_produce(&ring, 1);
			KUNIT_ASSERT_EQ(test, irdma_ring_consume(&ring, 1), 0);
			if (++idx == size)
				idx = 0;
		}
	}
}

static void ring_counts_survive_counter_wrap(struct kunit *test)
{
	struct irdma_ring ring;
	u32 pos;

	KUNIT_ASSERT_EQ(test, irdma_ring_init(&ring, 8, 1, 0), 0);
	ring.head = U32_MAX - 2;
	ring.tail = U32_MAX - 4;
	KUNIT_EXPECT_EQ(test, irdma_ring_used(&ring), 2);
	irdma_ring_produce(&ring, 5);
	KUNIT_EXPECT_EQ(test, ring.head, 2);
	KUNIT_EXPECT_EQ(test, irdma_ring_used(&ring), 7);
	KUNIT_EXPECT_EQ(test, irdma_ring_avail(&ring), 0);
	KUNIT_EXPECT_FALSE(test, irdma_ring_polarity(&ring, U32_MAX));
	KUNIT_EXPECT_TRUE(test, irdma_ring_polarity(&ring, 0));
	KUNIT_EXPECT_EQ(test, irdma_ring_find(&ring, 1, &pos), 0);
	KUNIT_EXPECT_EQ(test, pos, 1);
	KUNIT_EXPECT_EQ(test, irdma_ring_find(&ring, 7, &pos), 0);
	KUNIT_EXPECT_EQ(test, pos, U32_MAX);
	KUNIT_EXPECT_EQ(test, irdma_ring_find(&ring, 2, &pos), -ENOENT);
	KUNIT_EXPECT_EQ(test, irdma_ring_consume(&ring, 8), -EINVAL);
	KUNIT_EXPECT_EQ(test, irdma_ring_consume(&ring, 7), 0);
	KUNIT_EXPECT_EQ(test, ring.tail, 2);
}

/* Every fill level of a small ring at every tail, every index asked. */
static void ring_finds_only_outstanding_indices(struct kunit *test)
{
	const u32 size = 8;

	for (u32 tail = 0; tail < 3 * size; tail++) {
		for (u32 used = 0; used < size; used++) {
			struct irdma_ring ring = {
				.head = tail + used,
				.tail = tail,
				.size = size,
				.unused = 1,
			};

			for (u32 idx = 0; idx < size + 2; idx++) {
				u32 want = U32_MAX, got = U32_MAX;
				int err;

				for (u32 p = tail; p < tail + used; p++)
					if (p % size == idx)
						want = p;
				err = irdma_ring_find(&ring, idx, &got);
				KUNIT_ASSERT_EQ(test, got, want);
				KUNIT_ASSERT_EQ(test, err, idx >= size ? -EINVAL :
						want == U32_MAX ? -ENOENT : 0);
			}
		}
	}
}

struct sq_pad_case {
	const char *name;
	u32 head;
	u32 quanta;
	u32 chunk;
	u32 pad;
};

static const struct sq_pad_case sq_pad_cases[] = {
	{ "start_one", 0, 1, 8, 0 },
	{ "start_whole_chunk", 0, 8, 8, 0 },
	{ "fits_exactly", 5, 3, 8, 0 },
	{ "one_too_long", 6, 3, 8, 2 },
	{ "last_quantum_one", 7, 1, 8, 0 },
	{ "last_quantum_two", 7, 2, 8, 1 },
	{ "second_in_chunk_whole", 1, 8, 8, 7 },
	{ "ring_end", 511, 8, 8, 1 },
	{ "gen1_odd", 1, 2, 2, 1 },
	{ "gen1_even", 2, 2, 2, 0 },
	{ "counter_end", U32_MAX, 2, 8, 1 },
};

KUNIT_ARRAY_PARAM_DESC(sq_pad, sq_pad_cases, name);

static void sq_wqe_never_crosses_a_chunk(struct kunit *test)
{
	const struct sq_pad_case *c = test->param_value;
	struct irdma_ring ring = {
		.head = c->head,
		.tail = c->head,
		.size = 512,
		.unused = IRDMA_SQ_UNUSED_QUANTA,
	};
	u32 pad = U32_MAX;

	KUNIT_EXPECT_EQ(test, irdma_sq_room(&ring, c->quanta, c->chunk, &pad), 0);
	KUNIT_EXPECT_EQ(test, pad, c->pad);
	KUNIT_EXPECT_EQ(test, ring.head, c->head);
}

/* Each place and length, also where the counter wraps: NOP after NOP. */
static void sq_padding_agrees_with_counting(struct kunit *test)
{
	for (u32 chunk = 1; chunk <= 16; chunk *= 2) {
		for (u32 at = 0; at < 2 * chunk; at++) {
			struct irdma_ring ring = { .head = at - chunk };

			for (u32 quanta = 1; quanta <= chunk; quanta++) {
				u32 pos = at, nops = 0;

				for (; pos % chunk + quanta > chunk; pos++)
					nops++;
				KUNIT_ASSERT_EQ(test, irdma_sq_pad_quanta(&ring,
									  quanta,
									  chunk),
						nops);
			}
		}
	}
}

static void sq_refuses_what_does_not_fit(struct kunit *test)
{
	struct irdma_ring ring;
	u32 pad = 77;

	KUNIT_ASSERT_EQ(test, irdma_ring_init(&ring, 512,
					      IRDMA_SQ_UNUSED_QUANTA, 0), 0);
	KUNIT_EXPECT_EQ(test, irdma_ring_avail(&ring), 255);
	irdma_ring_produce(&ring, 246);
	/* 9 left: two of padding and seven of WQE fit, eight do not */
	KUNIT_EXPECT_EQ(test, irdma_sq_room(&ring, 8, 8, &pad), -ENOSPC);
	KUNIT_EXPECT_EQ(test, irdma_sq_room(&ring, 0, 8, &pad), -EINVAL);
	KUNIT_EXPECT_EQ(test, irdma_sq_room(&ring, 9, 8, &pad), -EINVAL);
	KUNIT_EXPECT_EQ(test, irdma_sq_room(&ring, U32_MAX, 8, &pad), -EINVAL);
	KUNIT_EXPECT_EQ(test, pad, 77);
	KUNIT_EXPECT_EQ(test, irdma_sq_room(&ring, 7, 8, &pad), 0);
	KUNIT_EXPECT_EQ(test, pad, 2);
	irdma_ring_produce(&ring, 9);
	KUNIT_EXPECT_EQ(test, irdma_ring_avail(&ring), 0);
	KUNIT_EXPECT_EQ(test, irdma_sq_room(&ring, 1, 8, &pad), -ENOSPC);
}

/*
 * Random WQEs on a small SQ. The model holds one valid bit per quantum, as
 * memory would, and hardware walks it from where it stopped: it must see
 * every quantum that was filled and stop at the first one that was not.
 */
static void sq_hardware_stops_at_the_first_unfilled_quantum(struct kunit *test)
{
	enum { SIZE = 512, CHUNK = 8 };
	bool valid[SIZE] = {};
	struct irdma_ring ring;
	struct rnd_state rnd;
	u32 hw = 0, seen = 0;

	prandom_seed_state(&rnd, 1);
	KUNIT_ASSERT_EQ(test, irdma_ring_init(&ring, SIZE,
					      IRDMA_SQ_UNUSED_QUANTA, 0), 0);
	for (int step = 0; step < 4000; step++) {
		u32 quanta = 1 + prandom_u32_state(&rnd) % CHUNK;
		u32 pad;

		if (!irdma_sq_room(&ring, quanta, CHUNK, &pad)) {
			u32 first = irdma_ring_idx(&ring, ring.head + pad);

			KUNIT_ASSERT_EQ(test, first / CHUNK,
					(first + quanta - 1) / CHUNK);
			for (u32 i = 0; i < pad + quanta; i++) {
				u32 pos = ring.head + i;

				valid[irdma_ring_idx(&ring, pos)] =
					irdma_ring_polarity(&ring, pos);
			}
			irdma_ring_produce(&ring, pad + quanta);
		}
		if (prandom_u32_state(&rnd) % 4)
			continue;
		/* pass n of hardware expects n even: true, n odd: false */
		while (valid[hw % SIZE] == !((hw / SIZE) % 2)) {
			hw++;
			seen++;
		}
		KUNIT_ASSERT_EQ(test, hw, ring.head);
		KUNIT_ASSERT_EQ(test, irdma_ring_consume(&ring, seen), 0);
		seen = 0;
	}
	KUNIT_EXPECT_GT(test, hw, 4 * SIZE);
}

static void cons_ring_of_any_size_wraps_and_toggles(struct kunit *test)
{
	static const u32 sizes[] = { 1, 2, 3, 4, 511, 512, 513, 4098 };
	struct irdma_cons cons;

	KUNIT_EXPECT_EQ(test, irdma_cons_init(&cons, 0), -EINVAL);
	for (int i = 0; i < ARRAY_SIZE(sizes); i++) {
		KUNIT_ASSERT_EQ(test, irdma_cons_init(&cons, sizes[i]), 0);
		for (u32 n = 0; n < 3 * sizes[i] + 1; n++) {
			KUNIT_ASSERT_EQ(test, cons.idx, n % sizes[i]);
			KUNIT_ASSERT_EQ(test, cons.polarity,
					!((n / sizes[i]) % 2));
			irdma_cons_advance(&cons);
		}
	}
}

static struct kunit_case irdma_ring_cases[] = {
	KUNIT_CASE_PARAM(ring_has_a_legal_size, ring_init_gen_params),
	KUNIT_CASE(ring_valid_bit_changes_with_each_pass),
	KUNIT_CASE(ring_counts_survive_counter_wrap),
	KUNIT_CASE(ring_finds_only_outstanding_indices),
	KUNIT_CASE_PARAM(sq_wqe_never_crosses_a_chunk, sq_pad_gen_params),
	KUNIT_CASE(sq_padding_agrees_with_counting),
	KUNIT_CASE(sq_refuses_what_does_not_fit),
	KUNIT_CASE(sq_hardware_stops_at_the_first_unfilled_quantum),
	KUNIT_CASE(cons_ring_of_any_size_wraps_and_toggles),
	{}
};

static struct kunit_suite irdma_ring_suite = {
	.name = "irdma_ring",
	.test_cases = irdma_ring_cases,
};

kunit_test_suite(irdma_ring_suite);
