// SPDX-License-Identifier: GPL-2.0
#include "payload.h"

#include "../nic.h"
#include "../transport/dma.h"

static u32 min_u32(u32 a, u32 b)
{
	return a < b ? a : b;
}

u16 spans_of_sges(struct rdma_qp *qp, const struct sge *sge, u32 n, u32 need, u32 off, u32 len,
		  struct span *out, u32 *n_out)
{
	*n_out = 0;
	for (u32 i = 0; i < n; i++, sge++) {
		struct rdma_mr *mr;
		u32 part;
		u16 code;

		if (!sge->len)
			continue;
		code = rdma_mr_check(qp->r, sge->stag, qp->ctx.pd, qp->id, false, need, sge->addr,
				     sge->len, &mr);
		if (code)
			return code;
		if (off >= sge->len) {
			off -= sge->len;
			continue;
		}
		part = min_u32(sge->len - off, len);
		if (part)
			out[(*n_out)++] = (struct span){ mr, sge->addr + off, part };
		off = 0;
		len -= part;
	}
	return 0;
}

bool payload_read(const struct payload *p, u8 *buf)
{
	if (p->bytes) {
		__builtin_memcpy(buf, p->bytes, p->len);
		return true;
	}
	for (u32 i = 0; i < p->n; i++) {
		if (!rdma_mr_read(p->span[i].mr, p->span[i].addr, buf, p->span[i].len))
			return false;
		buf += p->span[i].len;
	}
	return true;
}

static bool place_bytes(const u8 *bytes, u32 len, const struct span *dst, u32 n_dst)
{
	for (; len && n_dst; dst++, n_dst--) {
		u32 part = min_u32(dst->len, len);

		if (!rdma_mr_write(dst->mr, dst->addr, bytes, part))
			return false;
		bytes += part;
		len -= part;
	}
	return !len;
}

static bool place_spans(const struct payload *p, const struct span *next, u32 n_dst)
{
	struct span dst = {};

	for (u32 i = 0; i < p->n; i++) {
		struct span src = p->span[i];

		while (src.len) {
			u32 part;

			if (!dst.len && !n_dst--)
				return false;
			if (!dst.len)
				dst = *next++;
			part = min_u32(src.len, dst.len);
			if (!rdma_mr_copy(dst.mr, dst.addr, src.mr, src.addr, part))
				return false;
			src.addr += part;
			src.len -= part;
			dst.addr += part;
			dst.len -= part;
		}
	}
	return true;
}

bool payload_place(const struct payload *p, const struct span *dst, u32 n_dst)
{
	return p->bytes ? place_bytes(p->bytes, p->len, dst, n_dst) : place_spans(p, dst, n_dst);
}

static bool span_readable(const struct span *s)
{
	struct dma_space *dma = rdma_nic(s->mr->r)->dma;
	u64 addr = s->addr, left = s->len;

	while (left) {
		size_t avail;
		u64 bus, n = rdma_mr_segment(s->mr, addr, left, &bus);

		if (!n || !dma_ptr(dma, bus, n, DMA_PROT_READ, &avail))
			return false;
		addr += avail;
		left -= avail;
	}
	return true;
}

bool payload_readable(const struct payload *p)
{
	if (p->bytes)
		return true;
	for (u32 i = 0; i < p->n; i++)
		if (!span_readable(&p->span[i]))
			return false;
	return true;
}
