// SPDX-License-Identifier: GPL-2.0
/*
 * Make many queue pairs, or register many regions, and keep them.
 *
 *	rdma-many DEVICE qp|mr COUNT
 *
 * Prints "made COUNT SECONDS" and waits for the end of its input, then destroys all
 * and prints "destroyed COUNT SECONDS".
 */
#include <err.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device.h"

static void *make(struct ibv_pd *pd, struct ibv_cq *cq, void *page, int qp)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	if (qp)
		return ibv_create_qp(pd, &init);
	return ibv_reg_mr(pd, page, 4096, IBV_ACCESS_LOCAL_WRITE);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	int qp = argc == 4 && !strcmp(argv[2], "qp"), count = argc == 4 ? atoi(argv[3]) : 0;
	void **made = calloc((size_t)count, sizeof(*made)), *page = aligned_alloc(4096, 4096);
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	double began;

	if (count <= 0 || !made || !page)
		errx(2, "see the source for its arguments");
	ctx = open_device(argv[1]);
	pd = ibv_alloc_pd(ctx);
	cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	if (!pd || !cq)
		err(1, "device");
	began = now();
	for (int i = 0; i < count; i++) {
		made[i] = make(pd, cq, page, qp);
		if (!made[i])
			err(1, "number %d", i);
	}
	printf("made %d %.3f\n", count, now() - began);
	fflush(stdout);
	while (getchar() != EOF)
		;
	began = now();
	for (int i = 0; i < count; i++)
		if (qp ? ibv_destroy_qp(made[i]) : ibv_dereg_mr(made[i]))
			err(1, "number %d of %d stays", i, count);
	printf("destroyed %d %.3f\n", count, now() - began);
	return ibv_destroy_cq(cq) || ibv_dealloc_pd(pd);
}
