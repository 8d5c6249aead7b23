/* SPDX-License-Identifier: GPL-2.0 */
/* Message bytes: where they are, and moving them between memory and packets. */
#ifndef NIC_ROCE_PAYLOAD_H
#define NIC_ROCE_PAYLOAD_H

#include "../types.h"
#include "wqe.h"

/* A part of a region, access already checked. Valid until the return to the event loop. */
struct span {
	struct rdma_mr *mr;
	u64 addr;
	u32 len;
};

/**
 * struct payload - @len bytes, either at @bytes or, when that is NULL, in @n spans
 */
struct payload {
	const u8 *bytes;
	u32 len, n;
	struct span span[WQE_MAX_FRAGS];
};

/*
 * Checks all @n fragments and stores the spans that hold bytes @off to @off + @len of
 * them. Returns 0 or the async event of the fragment that failed.
 */
u16 spans_of_sges(struct rdma_qp *qp, const struct sge *sge, u32 n, u32 need, u32 off, u32 len,
		  struct span *out, u32 *n_out);

/* False: memory behind a span is not there. */
bool payload_read(const struct payload *p, u8 *buf);
/* To the first @p->len bytes of @dst. False: there are fewer, or their memory is not there. */
bool payload_place(const struct payload *p, const struct span *dst, u32 n_dst);
/* Whether a failed payload_place() was the source's fault. */
bool payload_readable(const struct payload *p);

#endif
