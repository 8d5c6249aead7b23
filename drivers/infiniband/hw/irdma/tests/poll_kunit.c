// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Polling: whose entries of a CQ become completions.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <kunit/test.h>

#include "../cq.h"
#include "../dev.h"
#include "../poll.h"
#include "../qp.h"
#include "../verbs.h"

#define POLL_QP_ID	5
#define POLL_ENTRIES	4

/* A QP with a request in each of its queues, which complete into different CQs. */
struct poll_ctx {
	struct irdma_dev dev;
	struct irdma_ibdev ibdev;
	struct irdma_qp qp;
	struct irdma_wr wr[2];
	struct irdma_cq send_cq;
	struct irdma_cq recv_cq;
};

static void poll_init_cq(struct kunit *test, struct irdma_cq *cq)
{
	struct poll_ctx *ctx = test->priv;

	cq->ib.device = &ctx->ibdev.ib;
	spin_lock_init(&cq->lock);
	KUNIT_ASSERT_EQ(test, irdma_cons_init(&cq->cons, POLL_ENTRIES), 0);
	/* The shadow area follows the entries. */
	cq->mem.va = kunit_kcalloc(test, POLL_ENTRIES + 1, 64, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, cq->mem.va);
}

static void poll_init_wq(struct kunit *test, struct irdma_wq *wq, struct irdma_wr *wr)
{
	spin_lock_init(&wq->lock);
	KUNIT_ASSERT_EQ(test, irdma_ring_init(&wq->ring, 4, 1, 0), 0);
	irdma_ring_produce(&wq->ring, 1);
	wr->quanta = 1;
	wr->signaled = true;
	wq->wr = wr;
}

static int poll_init(struct kunit *test)
{
	struct poll_ctx *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	test->priv = ctx;
	ctx->ibdev.dev = &ctx->dev;
	poll_init_cq(test, &ctx->send_cq);
	poll_init_cq(test, &ctx->recv_cq);
	poll_init_wq(test, &ctx->qp.sq, &ctx->wr[0]);
	poll_init_wq(test, &ctx->qp.rq, &ctx->wr[1]);
	ctx->qp.init.send_cq = &ctx->send_cq.ib;
	ctx->qp.init.recv_cq = &ctx->recv_cq.ib;
	xa_init_flags(&ctx->dev.qps, XA_FLAGS_LOCK_IRQ);
	return xa_err(xa_store_irq(&ctx->dev.qps, POLL_QP_ID, &ctx->qp.ref, GFP_KERNEL));
}

static void poll_exit(struct kunit *test)
{
	struct poll_ctx *ctx = test->priv;

	xa_destroy(&ctx->dev.qps);
}

/* Completions of a CQ into which the device wrote an entry of the QP's. */
static int poll_entry(struct irdma_cq *cq, u64 qw3)
{
	__le64 *entry = cq->mem.va + cq->cons.idx * 64;
	struct ib_wc wc;

	entry[1] = cpu_to_le64(1);
	entry[2] = cpu_to_le64((u64)POLL_QP_ID << 32);
	entry[3] = cpu_to_le64(qw3);
	return irdma_poll_ops.poll_cq(&cq->ib, 1, &wc);
}

#define POLL_SENT	0xc000000000000000ULL
#define POLL_RECEIVED	0xbe00000000000000ULL

static void an_entry_counts_in_the_cq_of_its_queue(struct kunit *test)
{
	struct poll_ctx *ctx = test->priv;

	KUNIT_EXPECT_EQ(test, poll_entry(&ctx->send_cq, POLL_RECEIVED), 0);
	KUNIT_EXPECT_EQ(test, poll_entry(&ctx->recv_cq, POLL_SENT), 0);
	KUNIT_EXPECT_EQ(test, poll_entry(&ctx->send_cq, POLL_SENT), 1);
	KUNIT_EXPECT_EQ(test, poll_entry(&ctx->recv_cq, POLL_RECEIVED), 1);
}

static void a_request_completes_once(struct kunit *test)
{
	struct poll_ctx *ctx = test->priv;

	KUNIT_EXPECT_EQ(test, poll_entry(&ctx->send_cq, POLL_SENT), 1);
	KUNIT_EXPECT_EQ(test, poll_entry(&ctx->send_cq, POLL_SENT), 0);
}

static struct kunit_case poll_kunit_cases[] = {
	KUNIT_CASE(an_entry_counts_in_the_cq_of_its_queue),
	KUNIT_CASE(a_request_completes_once),
	{}
};

static struct kunit_suite poll_kunit_suite = {
	.name = "irdma_poll",
	.init = poll_init,
	.exit = poll_exit,
	.test_cases = poll_kunit_cases,
};

kunit_test_suite(poll_kunit_suite);
