// SPDX-License-Identifier: GPL-2.0
/*
 * Features, statistics, the user-priority map, push pages.
 *
 * A push page is two pages of BAR 0: WQEs are copied to the first, the second is a
 * doorbell. The WQE is in the ring as well, so the copy is not looked at.
 */
#include <string.h>

#include "ctl.h"
#include "../faults.h"
#include "../regs.h"

#define FEATURE_ALIGN	16u
#define FW_MAJOR	2u
#define FW_MINOR	0u
#define MODEL_E2000	0x1452u
#define TYPE_FLAGS	32u
#define FLAG_ATOMICS	BIT(0)
#define FLAG_RM2	BIT(2)
#define INLINE_MAX	216u
#define QUEUE_SETS	64u

static const struct {
	u16 type;
	u64 value;
} features[] = {
	{ 1, (u64)MODEL_E2000 << 32 | 3u << 16 },	/* hardware: model, major, minor */
	{ 22, 0 },	/* MR contexts are in host memory: bit 26 clear */
	{ 25, INLINE_MAX },
	{ 26, QUEUE_SETS },
	{ TYPE_FLAGS, FLAG_ATOMICS },
};

/* Its value, or what a fault knob wants it to be. */
static u64 feature(struct rdma *r, u16 type, u64 value)
{
	const struct fault *f = fault_hit(r->nic, F_FEATURE, type);

	if (f && f->action == FAULT_VALUE)
		value = f->value & MASK(47, 0);
	if (type == TYPE_FLAGS)
		r->hmc.rm2 = value & FLAG_RM2;
	return value;
}

/* The buffer may be short: the count in entry 0 tells how much there is. */
u32 cmd_features(struct cmd *c)
{
	u64 out[1 + ARRAY_SIZE(features)], len = GETF(c->w[3], CQP_W24_LENGTH);

	if (c->w[4] % FEATURE_ALIGN || len < 8)
		return refuse(c->r, FEATURE_BUFFER, CMD_FIELD, "%llu bytes at 0x%llx",
			      (unsigned long long)len, (unsigned long long)c->w[4]);
	out[0] = (u64)ARRAY_SIZE(out) << 32 | FW_MAJOR << 16 | FW_MINOR;
	for (u32 i = 0; i < ARRAY_SIZE(features); i++)
		out[i + 1] = (u64)features[i].type << 48 |
			     feature(c->r, features[i].type, features[i].value);
	if (len > sizeof(out))
		len = sizeof(out);
	return dma_write(c->r->nic->dma, c->w[4], out, len & ~7ull) ? CMD_OK : CMD_CONTEXT;
}

/* Statistics. Every instance shows the function's counters. */

static u32 check_stats_fn(struct cmd *c)
{
	if (GETF(c->w[3], STATS_W24_USE_FN) && GETF(c->w[5], CQP_W40_FN) != HMC_FN)
		return refuse(c->r, HMC_FUNCTION, CMD_FIELD, "opcode 0x%02x: function %u", c->op,
			      (u32)GETF(c->w[5], CQP_W40_FN));
	return CMD_OK;
}

u32 cmd_manage_stats(struct cmd *c)
{
	u32 i = (u32)GETF(c->w[3], STATS_W24_INSTANCE), result = check_stats_fn(c);

	if (result)
		return result;
	if (GETF(c->w[3], STATS_W24_ALLOC)) {
		for (i = 0; i < STATS_INSTANCES && c->r->stats_used[i]; i++)
			;
		if (i == STATS_INSTANCES)
			return CMD_NO_OBJECT;
		c->r->stats_used[i] = true;
		c->ret = i;
		return CMD_OK;
	}
	if (!c->r->stats_used[i])
		return refuse(c->r, STATS_INSTANCE, CMD_NO_OBJECT, "free instance %u", i);
	c->r->stats_used[i] = false;
	return CMD_OK;
}

u32 cmd_gather_stats(struct cmd *c)
{
	static const u16 offsets[ST_COUNT] = {
#define STAT(sym, name, offset) [ST_##sym] = offset,
#include "stats.def"
#undef STAT
	};
	const u64 *counters = roce_counters(c->r->roce);
	u32 i = (u32)GETF(c->w[3], STATS_W24_INSTANCE), result = check_stats_fn(c);
	u8 buf[STATS_BYTES] = {};

	if (result)
		return result;
	if (GETF(c->w[3], STATS_W24_USE_INSTANCE) ? !c->r->stats_used[i] : i != 0)
		return refuse(c->r, STATS_INSTANCE, CMD_NO_OBJECT, "gather instance %u", i);
	for (u32 s = 0; s < ST_COUNT; s++)
		put64(buf + offsets[s], counters[s]);
	return dma_write(c->r->nic->dma, c->w[4], buf, sizeof(buf)) ? CMD_OK : CMD_CONTEXT;
}

u32 cmd_up_map(struct cmd *c)
{
	for (u32 i = 0; i < 8; i++)
		if ((u8)(c->w[0] >> 8 * i) > 7)
			return refuse(c->r, UP_MAP, CMD_FIELD, "w0 0x%llx",
				      (unsigned long long)c->w[0]);
	put64(c->r->up_map, c->w[0]);
	return CMD_OK;
}

/* Push pages. An index counts 4 KiB pages; an allocation is an even one and the next. */

static u32 push_pages(const struct rdma *r)
{
	return r->nic->cfg.vf ? PUSH_PAGES_VF : PUSH_PAGES_PF;
}

u32 cmd_push_page(struct cmd *c)
{
	u32 idx = (u32)GETF(c->w[3], PUSH_W24_INDEX), i;
	bool *used = c->r->push_used;

	if (GETF(c->w[3], PUSH_W24_FREE)) {
		if (idx >= push_pages(c->r) || idx % 2 || !used[idx / 2])
			return refuse(c->r, PUSH_PAGE, CMD_NO_OBJECT, "free page %u", idx);
		used[idx / 2] = false;
		return CMD_OK;
	}
	/* The QP context has room for ten bits. */
	for (i = 0; i < push_pages(c->r) / 2 && i < 512 && used[i]; i++)
		;
	if (i == push_pages(c->r) / 2 || i == 512)
		return CMD_NO_OBJECT;
	used[i] = true;
	c->ret = 2 * i;
	return CMD_OK;
}

static void write_push(void *arg, u32 offset, const void *buf, u32 len)
{
	struct rdma *r = arg;
	u32 page = offset / PAGE_BYTES, val;
	struct rdma_qp *qp;

	if (!r->push_used[page / 2]) {
		violation(r->nic, V_PUSH_PAGE, "write to page %u", page);
		return;
	}
	if (!(page % 2))
		return;
	if (len != 4 || offset % PAGE_BYTES) {
		violation(r->nic, V_PUSH_PAGE, "%u bytes at 0x%x of doorbell page %u", len,
			  offset % PAGE_BYTES, page);
		return;
	}
	val = get32(buf);
	qp = rdma_qp_get(r, (u32)GETF(val, PUSHDB_QPN));
	if (!qp || !qp->ctx.push_en || qp->ctx.push_page != page - 1) {
		violation(r->nic, V_PUSH_PAGE, "QP %u does not push to page %u",
			  (u32)GETF(val, PUSHDB_QPN), page - 1);
		return;
	}
	roce_doorbell(qp);
}

int push_init(struct rdma *r)
{
	const struct reg_window win = {
		.name = "push pages", .offset = rdma_dbpage(r) + PUSH_GAP,
		.size = push_pages(r) * PAGE_BYTES, .write = write_push, .arg = r,
	};

	return regs_add_window(r->nic->regs, &win);
}

void misc_reset(struct rdma *r)
{
	memset(r->push_used, 0, sizeof(r->push_used));
	memset(r->stats_used, 0, sizeof(r->stats_used));
	memset(r->up_map, 0, sizeof(r->up_map));
}
