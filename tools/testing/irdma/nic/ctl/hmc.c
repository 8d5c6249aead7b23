// SPDX-License-Identifier: GPL-2.0
/*
 * The host memory cache: how many objects there can be, where in the function's private
 * address space (FPM) they lie, and which host pages are behind it.
 *
 * Only page-list entries and MR contexts are in host memory; the rest is "local memory",
 * which needs no backing and no simulation. Page-list entries are read through the
 * segment and page descriptors each time they are needed, so that a driver that takes
 * them away too early is caught.
 */
#include <string.h>

#include "../faults.h"
#include "ctl.h"

#define BASE_UNIT	512u
#define LOCAL_PAGES	128u
#define TIMER_BUCKET	512u
#define SIDE_ALIGN	128u
#define SIDE_MAX	8u
#define LEAF_PBLES	512u
#define FPM_ALIGN	4u

/**
 * struct fpm_object - one type in the sizing handshake
 * @query, @commit: byte offsets of its word; 0 with @max 0: not there
 * @max: count offered; @shift: log2 of the instance size
 * @block: elements per free-list block, for the free list of the type before
 * @host: backed by host memory
 */
struct fpm_object {
	const char *name;
	u16 query, commit;
	u32 max;
	u8 shift;
	u32 block;
	bool host;
};

static const struct fpm_object objects[HMC_TYPES] = {
	[HMC_QP] = { "qp", 8, 0, 1 << 14, 9, 0, false },
	[HMC_CQ] = { "cq", 16, 8, 1 << 15, 6, 0, false },
	[HMC_SRQ] = { "srq", 24, 16, 1 << 12, 6, 0, false },
	[HMC_HTE] = { "hte", 32, 24, 0, 6, 0, false },
	[HMC_ARP] = { "arp", 40, 32, ARP_ENTRIES, 6, 0, false },
	[HMC_APBVT] = { "apbvt", 0, 40, 0, 13, 0, false },
	[HMC_MR] = { "mr", 48, 48, 1 << 17, 6, 0, true },
	[HMC_XF] = { "xf", 56, 56, 1 << 18, 7, 0, false },
	[HMC_XF_FL] = { "xf-fl", 64, 64, 1 << 16, 2, 4, false },
	[HMC_Q1] = { "q1", 72, 72, 1 << 21, 6, 0, false },
	[HMC_Q1_FL] = { "q1-fl", 80, 80, 1 << 18, 2, 8, false },
	[HMC_TIMER] = { "timer", 88, 88, 1 << 15, 6, 0, false },
	[HMC_MCG] = { "mcg", 96, 96, 0, 6, 0, false },
	[HMC_AH] = { "ah", 104, 104, 1 << 16, 6, 0, false },
	[HMC_PBLE] = { "pble", 112, 112, 1 << 22, 3, 0, true },
	[HMC_RRF] = { "rrf", 128, 128, 1 << 17, 6, 0, false },
	[HMC_RRF_FL] = { "rrf-fl", 136, 136, 1 << 14, 2, 8, false },
	[HMC_HDR] = { "hdr", 144, 144, 1 << 14, 6, 0, false },
	[HMC_MD] = { "md", 152, 152, 1 << 14, 6, 0, false },
	[HMC_OO] = { "oo", 160, 160, 0, 6, 0, false },
	[HMC_OO_FL] = { "oo-fl", 168, 168, 0, 2, 8, false },
};

u32 hmc_max(enum hmc_type type)
{
	return objects[type].max;
}

bool hmc_ready(struct rdma *r, u8 op)
{
	if (!r->hmc.ready)
		violation(r->nic, V_HMC_NOT_READY, "opcode 0x%02x", op);
	return r->hmc.ready;
}

void hmc_reset(struct rdma *r)
{
	r->hmc = (struct hmc) {};
}

/* Sizing. */

static bool fn_matches(struct cmd *c, u32 fn)
{
	if (fn == HMC_FN)
		return true;
	violation(c->r->nic, V_HMC_FUNCTION, "opcode 0x%02x names function %u", c->op, fn);
	return false;
}

/* Where software has something read or written. */
static bool buffer_fits(struct cmd *c)
{
	if (c->w[4] % FPM_ALIGN == 0)
		return true;
	violation(c->r->nic, V_FPM_BUFFER, "opcode 0x%02x: 0x%llx", c->op,
		  (unsigned long long)c->w[4]);
	return false;
}

/* What fault knobs want software to be told; what it is told is remembered. */
static void pretend(struct cmd *c, u8 *buf)
{
	struct hmc *h = &c->r->hmc;

	for (u32 offset = 0; offset < FPM_QUERY_BYTES; offset += 8) {
		const struct fault *f = fault_hit(c->r->nic, F_FPM_QUERY, offset);

		if (f && f->action == FAULT_VALUE)
			put64(buf + offset, f->value);
	}
	for (u32 i = 0; i < HMC_TYPES; i++)
		h->told[i] = objects[i].query ? get32(buf + objects[i].query) : 0;
	for (u32 i = 0; i < FPM_SCRATCHES; i++)
		c->r->scratch[i].bytes = get64(buf + FPM_QUERY_SCRATCH + 8 * i);
}

u32 cmd_query_fpm(struct cmd *c)
{
	u8 buf[FPM_QUERY_BYTES] = {};

	if (!fn_matches(c, (u32)GETF(c->w[2], FPM_W16_FN)) || !buffer_fits(c))
		return CMD_FIELD;
	put64(buf, (u64)SEGMENTS << 32);
	for (u32 i = 0; i < HMC_TYPES; i++) {
		const struct fpm_object *o = &objects[i];

		if (!o->query || !o->max)
			continue;
		put64(buf + o->query, o->max | (u64)(o->block ? o->block :
						     i == HMC_PBLE ? 0u : o->shift) << 32);
	}
	put64(buf + 120, CEQS | (u64)TIMER_BUCKET << 32);
	put64(buf + 176, (u64)LOCAL_PAGES << 32);
	pretend(c, buf);
	return dma_write(c->r->nic->dma, c->w[4], buf, sizeof(buf)) ? CMD_OK : CMD_CONTEXT;
}

static u64 round_up(u64 val, u64 unit)
{
	return (val + unit - 1) / unit * unit;
}

/*
 * Places all types one after the other. Types in host memory have segments of their
 * own; the page-list entries are last, as drivers expect of the highest base.
 */
static void place_objects(struct hmc *h)
{
	u64 next = 0;

	for (u32 i = 0; i < HMC_TYPES; i++) {
		if (i == HMC_PBLE)
			continue;
		next = round_up(next, objects[i].host ? SEGMENT_BYTES : BASE_UNIT);
		h->base[i] = next;
		next += (u64)h->count[i] << objects[i].shift;
		if (objects[i].host)
			next = round_up(next, SEGMENT_BYTES);
	}
	h->base[HMC_PBLE] = round_up(next, SEGMENT_BYTES);
	next = h->base[HMC_PBLE] + (u64)h->count[HMC_PBLE] * 8;
	h->segments = (u32)(round_up(next, SEGMENT_BYTES) / SEGMENT_BYTES);
}

/* The local-memory bit belongs in every word that asks for something but the page lists'. */
static u32 read_counts(struct cmd *c, const u8 *buf)
{
	static const u8 reserved[] = { 40, 120, 176, 184 };
	struct hmc *h = &c->r->hmc;

	for (u32 i = 0; i < HMC_TYPES; i++) {
		u64 word = get64(buf + objects[i].commit);
		u64 want = word & ~FPM_LOCAL;

		if ((word && !(word & FPM_LOCAL)) != (word && i == HMC_PBLE) || want >> 32)
			return refuse(c->r, HMC_COMMIT, CMD_FIELD, "%s word 0x%llx",
				      objects[i].name, (unsigned long long)word);
		if (h->rm2 && !objects[i].host && want != h->told[i])
			return refuse(c->r, HMC_COMMIT, CMD_FIELD, "%llu of %s, not the maximum %u",
				      (unsigned long long)want, objects[i].name, h->told[i]);
		h->count[i] = want > objects[i].max ? objects[i].max : (u32)want;
	}
	for (u32 i = 0; i < ARRAY_SIZE(reserved); i++)
		if (get64(buf + reserved[i]))
			return refuse(c->r, HMC_COMMIT, CMD_FIELD, "offset %u is 0x%llx",
				      reserved[i], (unsigned long long)get64(buf + reserved[i]));
	return CMD_OK;
}

/* Memory for each scratch buffer that the query asked for, and for no other. */
static u32 read_scratch(struct cmd *c, const u8 *buf)
{
	struct scratch *s = c->r->scratch;

	if (GETF(c->w[3], FPM_W24_SCRATCH) != !!s->bytes)
		return refuse(c->r, HMC_COMMIT, CMD_FIELD, "scratch buffer 0 of %llu bytes, flag %u",
			      (unsigned long long)s->bytes, (u32)GETF(c->w[3], FPM_W24_SCRATCH));
	for (u32 i = 0; i < FPM_SCRATCHES; i++, s++) {
		u64 bus = get64(buf + FPM_COMMIT_SCRATCH + 8 * i);

		if (!bus != !s->bytes)
			return refuse(c->r, HMC_COMMIT, CMD_FIELD,
				      "scratch buffer %u of %llu bytes at 0x%llx", i,
				      (unsigned long long)s->bytes, (unsigned long long)bus);
		if (!mem_check(c->r, bus, s->bytes, DMA_PROT_READ | DMA_PROT_WRITE))
			return CMD_CONTEXT;
		s->bus = bus;
	}
	return CMD_OK;
}

bool hmc_use_scratch(struct rdma *r)
{
	const u64 mark = 0x5C4A7C45C4A7C4ull;
	bool ok = true;

	for (u32 i = 0; i < FPM_SCRATCHES; i++) {
		const struct scratch *s = &r->scratch[i];

		for (u64 at = 0; s->bus && at + sizeof(mark) <= s->bytes && ok; at += PAGE_BYTES)
			ok = dma_store64(r->nic->dma, s->bus + at, mark);
	}
	return ok;
}

void hmc_drop_scratch(struct rdma *r)
{
	memset(r->scratch, 0, sizeof(r->scratch));
}

static bool make_tables(struct rdma *r)
{
	const struct hmc *h = &r->hmc;

	return table_resize(&r->qps, h->count[HMC_QP]) && table_resize(&r->cqs, h->count[HMC_CQ]) &&
	       table_resize(&r->srqs, h->count[HMC_SRQ]) &&
	       table_resize(&r->mrs, h->count[HMC_MR]) && table_resize(&r->ahs, h->count[HMC_AH]);
}

u32 cmd_commit_fpm(struct cmd *c)
{
	struct hmc *h = &c->r->hmc;
	u8 buf[FPM_COMMIT_BYTES];
	u32 result;

	if (!fn_matches(c, (u32)GETF(c->w[2], FPM_W16_FN)) || !buffer_fits(c))
		return CMD_FIELD;
	if (h->committed)
		return refuse(c->r, HMC_COMMIT, CMD_STATE, "committed already");
	if (GETF(c->w[3], CQP_W24_LENGTH) != FPM_COMMIT_BYTES)
		return refuse(c->r, HMC_COMMIT, CMD_FIELD, "length %u",
			      (u32)GETF(c->w[3], CQP_W24_LENGTH));
	if (!dma_read(c->r->nic->dma, c->w[4], buf, sizeof(buf)))
		return CMD_CONTEXT;
	result = read_counts(c, buf);
	if (!result)
		result = read_scratch(c, buf);
	if (result)
		return result;
	place_objects(h);
	for (u32 i = 0; i < HMC_TYPES; i++)
		if (i != HMC_APBVT)
			put64(buf + objects[i].commit, h->count[i] | h->base[i] / BASE_UNIT << 32);
	if (!dma_write(c->r->nic->dma, c->w[4], buf, sizeof(buf)) || !make_tables(c->r))
		return CMD_CONTEXT;
	h->committed = true;
	return hmc_use_scratch(c->r) ? CMD_OK : CMD_CONTEXT;
}

/* Segment descriptors. */

static u32 set_segment(struct cmd *c, u64 cmd, u64 data)
{
	struct hmc *h = &c->r->hmc;
	u32 idx = (u32)GETF(cmd, SD_CMD_INDEX);
	u64 addr = data & ~(u64)(PAGE_BYTES - 1);
	bool direct = GETF(data, SD_DATA_DIRECT);

	if (!GETF(cmd, SD_CMD_PE) || !GETF(cmd, SD_CMD_WRITE) ||
	    GETF(data, SD_DATA_COUNT) != PD_PAGES || cmd & MASK(30, 16))
		return refuse(c->r, HMC_SEGMENT, CMD_FIELD, "command 0x%llx, data 0x%llx",
			      (unsigned long long)cmd, (unsigned long long)data);
	if (idx >= h->segments)
		return refuse(c->r, HMC_SEGMENT, CMD_FIELD, "index %u of %u", idx, h->segments);
	if (!GETF(data, SD_DATA_VALID)) {
		h->sd[idx] = 0;
		return CMD_OK;
	}
	if (!mem_check(c->r, addr, direct ? SEGMENT_BYTES : PAGE_BYTES,
		       direct ? DMA_PROT_READ | DMA_PROT_WRITE : DMA_PROT_READ))
		return CMD_CONTEXT;
	h->sd[idx] = data;
	TRACE(c->r->nic, T_CQP, "segment %u %s at 0x%llx", idx, direct ? "direct" : "paged",
	      (unsigned long long)addr);
	return CMD_OK;
}

u32 cmd_update_sds(struct cmd *c)
{
	u32 count = (u32)GETF(c->w[3], SD_W24_SIDE_COUNT);
	u64 side = c->w[2] & MASKF(SD_W16_SIDE), entry[2];
	u32 result = CMD_OK;

	if (!fn_matches(c, (u32)GETF(c->w[2], SD_W16_FN)))
		return CMD_FIELD;
	if (!c->r->hmc.committed)
		return refuse(c->r, HMC_SEGMENT, CMD_STATE, "before the commit");
	if (count > SIDE_MAX || (count && !side))
		return refuse(c->r, HMC_SEGMENT, CMD_FIELD, "%u entries at 0x%llx", count,
			      (unsigned long long)side);
	if (!GETF(c->w[3], SD_W24_SKIP_FIRST))
		result = set_segment(c, c->w[0], c->w[1]);
	for (u32 i = 4; i <= 6 && !result; i += 2)
		if (GETF(c->w[i], SD_CMD_VALID))
			result = set_segment(c, c->w[i] & ~MASKF(SD_CMD_VALID), c->w[i + 1]);
	for (u32 i = 0; i < count && !result; i++) {
		if (!dma_read(c->r->nic->dma, side + 16 * i, entry, sizeof(entry)))
			return CMD_CONTEXT;
		result = set_segment(c, entry[0], entry[1]);
	}
	return result;
}

u32 cmd_pages_allocated(struct cmd *c)
{
	if (!fn_matches(c, (u32)GETF(c->w[2], SD_W16_FN)))
		return CMD_FIELD;
	if (!c->r->hmc.committed || c->r->hmc.ready)
		return refuse(c->r, HMC_ORDER, CMD_STATE, "pages allocated %s",
			      c->r->hmc.ready ? "twice" : "before the commit");
	c->r->hmc.ready = true;
	return CMD_OK;
}

/* Walks. */

bool hmc_translate(struct rdma *r, u64 fpm, u64 *bus)
{
	u64 idx = fpm / SEGMENT_BYTES, off = fpm % SEGMENT_BYTES;
	u64 sd = idx < r->hmc.segments ? r->hmc.sd[idx] : 0, pd;
	u64 base = sd & ~(u64)(PAGE_BYTES - 1);

	if (GETF(sd, SD_DATA_VALID) && GETF(sd, SD_DATA_DIRECT)) {
		*bus = base + off;
		return true;
	}
	if (GETF(sd, SD_DATA_VALID)) {
		if (!dma_load64(r->nic->dma, base + off / PAGE_BYTES * 8, &pd))
			return false;
		if (GETF(pd, PD_VALID)) {
			*bus = (pd & ~(u64)(PAGE_BYTES - 1)) + off % PAGE_BYTES;
			return true;
		}
	}
	violation(r->nic, V_HMC_NO_BACKING, "address 0x%llx in segment %u (0x%llx)",
		  (unsigned long long)fpm, (u32)idx, (unsigned long long)sd);
	return false;
}

bool hmc_mr_backed(struct rdma *r, u32 slot)
{
	u64 bus;

	return hmc_translate(r, r->hmc.base[HMC_MR] + ((u64)slot << objects[HMC_MR].shift), &bus) &&
	       mem_check(r, bus, 1u << objects[HMC_MR].shift, DMA_PROT_WRITE);
}

bool pble_read(struct rdma *r, u64 idx, u64 *val)
{
	u64 bus;

	if (idx >= r->hmc.count[HMC_PBLE]) {
		violation(r->nic, V_PBLE_RANGE, "entry %llu of %u", (unsigned long long)idx,
			  r->hmc.count[HMC_PBLE]);
		return false;
	}
	return hmc_translate(r, r->hmc.base[HMC_PBLE] + idx * 8, &bus) &&
	       dma_load64(r->nic->dma, bus, val);
}

bool pbl_page(struct rdma *r, u64 first, bool two_level, u64 page, u32 shift, u64 *bus)
{
	if (two_level) {
		if (!pble_read(r, first + page / LEAF_PBLES, &first))
			return false;
		page %= LEAF_PBLES;
	}
	if (!pble_read(r, first + page, bus))
		return false;
	if (!*bus || *bus & (BIT(shift) - 1)) {
		violation(r->nic, V_PBLE_ADDRESS, "entry %llu is 0x%llx, pages of %llu bytes",
			  (unsigned long long)(first + page), (unsigned long long)*bus,
			  (unsigned long long)BIT(shift));
		return false;
	}
	return true;
}

bool pbl_addr(struct rdma *r, u64 first, bool two_level, u64 offset, u64 *bus)
{
	if (!pbl_page(r, first, two_level, offset / PAGE_BYTES, 12, bus))
		return false;
	*bus += offset % PAGE_BYTES;
	return true;
}

bool pbl_check(struct rdma *r, u64 first, bool two_level, u64 pages, u32 shift)
{
	u64 bus;

	for (u64 i = 0; i < pages; i++)
		if (!pbl_page(r, first, two_level, i, shift, &bus))
			return false;
	return true;
}

bool mem_check(struct rdma *r, u64 addr, u64 len, u32 prot)
{
	while (len) {
		size_t avail;

		if (!dma_ptr(r->nic->dma, addr, len, prot, &avail))
			return false;
		addr += avail;
		len -= avail;
	}
	return true;
}

u32 place_decode(struct cmd *c, u64 bytes, u32 align, struct place *p)
{
	u64 leaf = GETF(c->w[3], CQP_W24_LEAF);
	bool pbl = GETF(c->w[3], CQP_W24_PBL);

	*p = (struct place) { .pbl = pbl, .two_level = leaf == 3 };
	if (leaf == 2 || pbl != (leaf != 0))
		return refuse(c->r, RING_PLACE, CMD_FIELD, "leaf code %u with PBL flag %u",
			      (u32)leaf, pbl);
	if (pbl) {
		p->base = GETF(c->w[6], CQP_W48_PBLE);
		if (c->w[4])
			return refuse(c->r, RING_PLACE, CMD_FIELD, "address 0x%llx beside a list",
				      (unsigned long long)c->w[4]);
		return pbl_check(c->r, p->base, p->two_level, round_up(bytes, PAGE_BYTES) / PAGE_BYTES,
				 12) ? CMD_OK : CMD_CONTEXT;
	}
	p->base = c->w[4];
	if (p->base % align || c->w[6])
		return refuse(c->r, RING_PLACE, CMD_FIELD, "address 0x%llx, entry %llu",
			      (unsigned long long)p->base, (unsigned long long)c->w[6]);
	return mem_check(c->r, p->base, bytes, DMA_PROT_READ) ? CMD_OK : CMD_CONTEXT;
}
