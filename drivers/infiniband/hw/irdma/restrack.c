// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the device knows of an object, beside what the core tells of it: the driver's
 * part of "rdma resource show".
 *
 * Values are read while they may change: each by itself is one that the object had.
 *
 * Copyright (c) 2026 The irdma authors
 */
#include <linux/errno.h>
#include <net/netlink.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>

#include "cq.h"
#include "mr.h"
#include "qp.h"
#include "restrack.h"
#include "srq.h"

struct irdma_res_word {
	const char *name;
	u64 value;
};

/* -EMSGSIZE when the message has no room: the core continues in another one. */
static int irdma_res_put(struct sk_buff *msg, const struct irdma_res_word *words, size_t cnt)
{
	struct nlattr *nest = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);

	if (!nest)
		return -EMSGSIZE;
	for (size_t i = 0; i < cnt; i++)
		if (rdma_nl_put_driver_u64(msg, words[i].name, words[i].value)) {
			nla_nest_cancel(msg, nest);
			return -EMSGSIZE;
		}
	nla_nest_end(msg, nest);
	return 0;
}

static int irdma_fill_res_cq_entry(struct sk_buff *msg, struct ib_cq *ib)
{
	struct irdma_cq *cq = to_irdma_cq(ib);
	const struct irdma_res_word words[] = {
		{ "hw_id", cq->args.id },
		{ "ceq", cq->args.ceq_id },
		{ "entries", READ_ONCE(cq->args.entries) },
		{ "page_list_level", READ_ONCE(cq->args.ring.level) },
	};

	return irdma_res_put(msg, words, ARRAY_SIZE(words));
}

static int irdma_fill_res_mr_entry(struct sk_buff *msg, struct ib_mr *ib)
{
	struct irdma_mr *mr = to_irdma_mr(ib);
	const struct irdma_res_word words[] = {
		{ "live", READ_ONCE(mr->live) },
		{ "pages", READ_ONCE(mr->map.page_cnt) },
		{ "page_shift", READ_ONCE(mr->map.page_shift) },
		{ "page_list_level", READ_ONCE(mr->map.pbl.level) },
	};

	return irdma_res_put(msg, words, ARRAY_SIZE(words));
}

static int irdma_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *ib)
{
	struct irdma_qp *qp = to_irdma_qp(ib);
	const struct irdma_res_word words[] = {
		{ "hw_id", qp->id },
		{ "hw_state", READ_ONCE(qp->hw_state) },
		{ "sq_quanta", qp->sizes.sq_quanta },
		{ "rq_quanta", qp->sizes.rq_quanta },
		{ "event", READ_ONCE(qp->fault.code) },
	};

	return irdma_res_put(msg, words, ARRAY_SIZE(words));
}

static int irdma_fill_res_srq_entry(struct sk_buff *msg, struct ib_srq *ib)
{
	struct irdma_srq *srq = to_irdma_srq(ib);
	const struct irdma_res_word words[] = {
		{ "hw_id", srq->args.id },
		{ "quanta", srq->args.quanta },
		{ "limit", READ_ONCE(srq->args.limit) },
	};

	return irdma_res_put(msg, words, ARRAY_SIZE(words));
}

const struct ib_device_ops irdma_restrack_ops = {
	.fill_res_cq_entry = irdma_fill_res_cq_entry,
	.fill_res_mr_entry = irdma_fill_res_mr_entry,
	.fill_res_qp_entry = irdma_fill_res_qp_entry,
	.fill_res_srq_entry = irdma_fill_res_srq_entry,
};
