// SPDX-License-Identifier: GPL-2.0
/*
 * Time RDMA operations between two queue pairs.
 *
 *	rdma-rate DEVICE GID_INDEX write|read SIZE COUNT DEPTH [HOST PORT]
 *	rdma-rate DEVICE GID_INDEX serve SIZE PORT
 *
 * Without HOST both queue pairs are in this process; else the one of "serve"
 * there is the passive one. At most DEPTH operations are under way. Prints
 * microseconds per operation, and bytes per microsecond.
 */
#include <err.h>
#include <infiniband/verbs.h>
#include <netdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "device.h"

#define ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)
#define READS	4	/* under way at once, what every device offers */

struct card {
	union ibv_gid gid;
	uint64_t addr;
	uint32_t rkey, qpn;
};

struct end {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	struct card card;
	int gid_index;
};

static void make_end(struct end *e, struct ibv_context *ctx, int gid_index, size_t size, int depth)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = depth, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	e->ctx = ctx;
	e->gid_index = gid_index;
	e->pd = ibv_alloc_pd(ctx);
	e->cq = ibv_create_cq(ctx, depth + 1, NULL, NULL, 0);
	e->mr = ibv_reg_mr(e->pd, aligned_alloc(4096, (size + 4095) & ~4095ul), size, ACCESS);
	init.send_cq = init.recv_cq = e->cq;
	e->qp = e->cq ? ibv_create_qp(e->pd, &init) : NULL;
	if (!e->qp || !e->mr || ibv_query_gid(ctx, 1, gid_index, &e->card.gid))
		err(1, "queue pair");
	e->card.addr = (uintptr_t)e->mr->addr;
	e->card.rkey = e->mr->rkey;
	e->card.qpn = e->qp->qp_num;
}

static void join(struct end *e, const struct card *peer)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = ACCESS,
		.path_mtu = IBV_MTU_1024, .dest_qp_num = peer->qpn, .max_dest_rd_atomic = READS,
		.max_rd_atomic = READS, .min_rnr_timer = 12, .timeout = 18, .retry_cnt = 7,
		.rnr_retry = 7,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .dgid = peer->gid, .sgid_index = e->gid_index,
				      .hop_limit = 64 } },
	};

	if (ibv_modify_qp(e->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  IBV_QP_ACCESS_FLAGS))
		err(1, "INIT");
	attr.qp_state = IBV_QPS_RTR;
	if (ibv_modify_qp(e->qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			  IBV_QP_MIN_RNR_TIMER))
		err(1, "RTR");
	attr.qp_state = IBV_QPS_RTS;
	if (ibv_modify_qp(e->qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			  IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		err(1, "RTS");
}

/* A connection to @host, or from whoever comes first if it is NULL. */
static int meet(const char *host, const char *port)
{
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM,
				  .ai_flags = host ? 0 : AI_PASSIVE }, *ai;
	int on = 1, fd;

	if (getaddrinfo(host, port, &hints, &ai))
		errx(1, "no address %s", host);
	fd = socket(ai->ai_family, ai->ai_socktype, 0);
	if (host)
		return connect(fd, ai->ai_addr, ai->ai_addrlen) ? -1 : fd;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, ai->ai_addr, ai->ai_addrlen) || listen(fd, 1))
		err(1, "port %s", port);
	return accept(fd, NULL, NULL);
}

static void exchange(int fd, struct end *e, struct card *peer)
{
	char ready;

	if (write(fd, &e->card, sizeof(e->card)) != sizeof(e->card) ||
	    recv(fd, peer, sizeof(*peer), MSG_WAITALL) != sizeof(*peer))
		err(1, "peer");
	join(e, peer);
	if (write(fd, "r", 1) != 1 || read(fd, &ready, 1) != 1)
		err(1, "peer");
}

static void post(struct end *e, const struct card *peer, enum ibv_wr_opcode op, uint32_t size)
{
	struct ibv_sge sge = { e->card.addr, size, e->mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = op, .send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { peer->addr, peer->rkey },
	};

	if (ibv_post_send(e->qp, &wr, &bad))
		err(1, "post");
}

/* @count operations, @depth at once; the seconds that they took. */
static double run(struct end *e, const struct card *peer, enum ibv_wr_opcode op, uint32_t size,
		  int count, int depth)
{
	int posted = 0, done = 0;
	struct timespec from, to;
	struct ibv_wc wc;

	clock_gettime(CLOCK_MONOTONIC, &from);
	while (done < count) {
		for (; posted < count && posted - done < depth; posted++)
			post(e, peer, op, size);
		while (!ibv_poll_cq(e->cq, 1, &wc))
			;
		if (wc.status)
			errx(1, "%s", ibv_wc_status_str(wc.status));
		done++;
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

static int serve(struct end *e, const char *port)
{
	int fd = meet(NULL, port);
	struct card peer;
	char end;

	exchange(fd, e, &peer);
	return read(fd, &end, 1) != 0;
}

int main(int argc, char **argv)
{
	enum ibv_wr_opcode op;
	struct end e, other;
	struct card peer;
	double seconds;
	size_t size;
	int count, depth;

	if (argc < 6)
		errx(2, "see the source for its arguments");
	size = strtoul(argv[4], NULL, 0);
	if (!strcmp(argv[3], "serve")) {
		make_end(&e, open_device(argv[1]), atoi(argv[2]), size, 1);
		return serve(&e, argv[5]);
	}
	op = strcmp(argv[3], "read") ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ;
	count = atoi(argv[5]);
	depth = atoi(argv[6]);
	make_end(&e, open_device(argv[1]), atoi(argv[2]), size, depth);
	if (argc > 8) {
		exchange(meet(argv[7], argv[8]), &e, &peer);
	} else {
		make_end(&other, e.ctx, e.gid_index, size, 1);
		join(&other, &e.card);
		join(&e, &other.card);
		peer = other.card;
	}
	run(&e, &peer, op, (uint32_t)size, depth, depth);	/* warm */
	seconds = run(&e, &peer, op, (uint32_t)size, count, depth);
	printf("%.3f us %.3f bytes/us\n", seconds * 1e6 / count, (double)size * count / seconds / 1e6);
	return 0;
}
