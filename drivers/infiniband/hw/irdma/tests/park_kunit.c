// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory of engines that could not be stopped: who keeps it, and until when.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <kunit/device.h>
#include <kunit/test.h>

#include "../park.h"

struct park_ctx {
	struct device *dev[2];
};

/* Numbers of the pieces of memory in the order in which they were freed. */
static size_t freed[8];
static unsigned int freed_cnt;

static void park_release(struct device *dev, const struct irdma_parked *parked)
{
	freed[freed_cnt++] = parked->mem.bytes;
}

static bool park_gone(struct device *dev)
{
	return false;
}

static bool park_number(struct device *dev, size_t number)
{
	const struct irdma_parked parked = {
		.release = park_release,
		.mem.bytes = number,
	};

	return irdma_park(dev, &parked);
}

static int park_init(struct kunit *test)
{
	struct park_ctx *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	ctx->dev[0] = kunit_device_register(test, "park0");
	ctx->dev[1] = kunit_device_register(test, "park1");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ctx->dev[0]);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ctx->dev[1]);
	freed_cnt = 0;
	test->priv = ctx;
	return 0;
}

static void a_stopped_engine_keeps_nothing(struct kunit *test)
{
	struct park_ctx *ctx = test->priv;

	KUNIT_EXPECT_FALSE(test, park_number(ctx->dev[0], 1));
	irdma_park_open(ctx->dev[1]);
	KUNIT_EXPECT_FALSE(test, park_number(ctx->dev[0], 1));
	irdma_park_close(ctx->dev[1]);
	KUNIT_EXPECT_EQ(test, freed_cnt, 0);
}

static void memory_is_freed_in_order_after_a_reset(struct kunit *test)
{
	struct park_ctx *ctx = test->priv;

	irdma_park_open(ctx->dev[0]);
	irdma_park_open(ctx->dev[0]);
	for (size_t i = 1; i <= 3; i++)
		KUNIT_EXPECT_TRUE(test, park_number(ctx->dev[0], i));
	KUNIT_EXPECT_EQ(test, freed_cnt, 0);
	irdma_park_close(ctx->dev[0]);
	KUNIT_ASSERT_EQ(test, freed_cnt, 3);
	for (size_t i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, freed[i], i + 1);
	KUNIT_EXPECT_FALSE(test, park_number(ctx->dev[0], 4));
}

static void devices_are_kept_apart(struct kunit *test)
{
	struct park_ctx *ctx = test->priv;

	irdma_park_open(ctx->dev[0]);
	irdma_park_open(ctx->dev[1]);
	KUNIT_EXPECT_TRUE(test, park_number(ctx->dev[0], 5));
	KUNIT_EXPECT_TRUE(test, park_number(ctx->dev[1], 6));
	irdma_park_close(ctx->dev[1]);
	KUNIT_ASSERT_EQ(test, freed_cnt, 1);
	KUNIT_EXPECT_EQ(test, freed[0], 6);
	irdma_park_close(ctx->dev[0]);
	KUNIT_EXPECT_EQ(test, freed_cnt, 2);
}

static void memory_of_a_present_device_is_never_freed(struct kunit *test)
{
	struct park_ctx *ctx = test->priv;

	irdma_park_open(ctx->dev[0]);
	KUNIT_EXPECT_TRUE(test, park_number(ctx->dev[0], 7));
	irdma_park_fini(park_gone);
	KUNIT_EXPECT_EQ(test, freed_cnt, 0);
	KUNIT_EXPECT_FALSE(test, park_number(ctx->dev[0], 8));
}

static struct kunit_case irdma_park_cases[] = {
	KUNIT_CASE(a_stopped_engine_keeps_nothing),
	KUNIT_CASE(memory_is_freed_in_order_after_a_reset),
	KUNIT_CASE(devices_are_kept_apart),
	KUNIT_CASE(memory_of_a_present_device_is_never_freed),
	{}
};

static struct kunit_suite irdma_park_suite = {
	.name = "irdma_park",
	.init = park_init,
	.test_cases = irdma_park_cases,
};

kunit_test_suite(irdma_park_suite);
