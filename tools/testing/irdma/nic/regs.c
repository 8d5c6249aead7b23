// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the register table: a hash from offset to register, filled when the NIC
 * is put together and only read afterwards. Every access costs one probe.
 */
#include "regs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nic.h"
#include "trace.h"

#define BLOCKS_MAX	256
#define WINDOWS_MAX	16
#define EMPTY		UINT32_MAX

struct reg {
	u32 offset;		/* EMPTY: free slot; never a register's, those are aligned */
	u32 idx;
	u32 latched;
	u16 block;
};

struct regs {
	struct nic *nic;
	u32 bar_size;
	struct reg *table;
	u32 bits;		/* table has 1 << bits slots, at most half of them used */
	u32 used;
	u32 block_cnt, window_cnt;
	struct reg_block blocks[BLOCKS_MAX];
	struct reg_count counts[BLOCKS_MAX];
	struct reg_window windows[WINDOWS_MAX];
};

static u32 hash(const struct regs *regs, u32 offset)
{
	return (offset / 4 * 0x9e3779b1u) >> (32 - regs->bits);
}

/* The register's slot, or the free slot where it would go. */
static struct reg *slot(const struct regs *regs, u32 offset)
{
	u32 i = hash(regs, offset);

	while (regs->table[i].offset != offset && regs->table[i].offset != EMPTY)
		i = (i + 1) & ((1u << regs->bits) - 1);
	return &regs->table[i];
}

static struct reg *find(const struct regs *regs, u32 offset)
{
	struct reg *r = slot(regs, offset);

	return r->offset == EMPTY ? NULL : r;
}

static struct reg *table_new(u32 bits)
{
	struct reg *table = calloc(1u << bits, sizeof(*table));

	if (table)
		for (u32 i = 0; i < 1u << bits; i++)
			table[i].offset = EMPTY;
	return table;
}

struct regs *regs_new(struct nic *nic, u32 bar_size)
{
	struct regs *regs = calloc(1, sizeof(*regs));

	if (!regs)
		return NULL;
	regs->nic = nic;
	regs->bar_size = bar_size;
	regs->bits = 10;
	regs->table = table_new(regs->bits);
	if (!regs->table) {
		free(regs);
		return NULL;
	}
	return regs;
}

void regs_free(struct regs *regs)
{
	if (!regs)
		return;
	free(regs->table);
	free(regs);
}

static int reserve(struct regs *regs, u32 cnt)
{
	struct reg *old = regs->table;
	u32 old_size = 1u << regs->bits;
	u32 bits = regs->bits;

	while (1ull << bits < 2 * ((u64)regs->used + cnt))
		bits++;
	if (bits == regs->bits)
		return 0;
	regs->table = table_new(bits);
	if (!regs->table) {
		regs->table = old;
		return -ENOMEM;
	}
	regs->bits = bits;
	for (u32 i = 0; i < old_size; i++)
		if (old[i].offset != EMPTY)
			*slot(regs, old[i].offset) = old[i];
	free(old);
	return 0;
}

static const struct reg_window *window_at(const struct regs *regs, u32 offset, u32 len)
{
	for (u32 i = 0; i < regs->window_cnt; i++) {
		const struct reg_window *w = &regs->windows[i];

		if (offset < w->offset + w->size && offset + len > w->offset)
			return w;
	}
	return NULL;
}

int regs_add(struct regs *regs, const struct reg_block *block)
{
	u64 last = block->offset + (u64)block->stride * (block->count - 1);
	int err;

	if (!block->count || block->offset % 4 || last + 4 > regs->bar_size ||
	    (block->count > 1 && (block->stride % 4 || block->stride < 4)))
		return -EINVAL;
	if (regs->block_cnt == BLOCKS_MAX)
		return -ENOSPC;
	err = reserve(regs, block->count);
	if (err)
		return err;
	for (u32 i = 0; i < block->count; i++) {
		u32 offset = block->offset + block->stride * i;

		if (find(regs, offset) || window_at(regs, offset, 4))
			return -EEXIST;
	}
	for (u32 i = 0; i < block->count; i++) {
		u32 offset = block->offset + block->stride * i;

		*slot(regs, offset) = (struct reg) {
			.offset = offset, .idx = i, .block = (u16)regs->block_cnt,
		};
	}
	regs->used += block->count;
	regs->counts[regs->block_cnt].name = block->name;
	regs->blocks[regs->block_cnt++] = *block;
	return 0;
}

int regs_add_window(struct regs *regs, const struct reg_window *win)
{
	if (!win->size || (u64)win->offset + win->size > regs->bar_size)
		return -EINVAL;
	if (regs->window_cnt == WINDOWS_MAX)
		return -ENOSPC;
	if (window_at(regs, win->offset, win->size))
		return -EEXIST;
	for (u32 i = 0; i < 1u << regs->bits; i++) {
		u32 offset = regs->table[i].offset;

		if (offset != EMPTY && offset + 4 > win->offset &&
		    offset < win->offset + win->size)
			return -EEXIST;
	}
	regs->windows[regs->window_cnt++] = *win;
	return 0;
}

void regs_reset(struct regs *regs)
{
	for (u32 i = 0; i < 1u << regs->bits; i++)
		regs->table[i].latched = 0;
}

/* The register that an access means, or NULL with the violation counted. */
static struct reg *target(struct regs *regs, u32 offset, u32 len, u32 access)
{
	const char *verb = access == REG_R ? "read" : "write";
	const struct reg_block *block;
	struct reg *r;

	if (len != 4 || offset % 4) {
		violation(regs->nic, V_REG_WIDTH, "%s of %u bytes at 0x%x", verb, len, offset);
		return NULL;
	}
	r = find(regs, offset);
	if (!r) {
		violation(regs->nic, V_REG_UNDEFINED, "%s of 0x%x", verb, offset);
		return NULL;
	}
	block = &regs->blocks[r->block];
	if (!(block->access & access)) {
		violation(regs->nic, V_REG_ACCESS, "%s of %s[%u]", verb, block->name, r->idx);
		return NULL;
	}
	return r;
}

void regs_read(struct regs *regs, u32 offset, void *buf, u32 len)
{
	const struct reg_block *block;
	struct reg *r;
	u32 val;

	memset(buf, 0, len);
	r = target(regs, offset, len, REG_R);
	if (!r)
		return;
	block = &regs->blocks[r->block];
	regs->counts[r->block].reads++;
	val = block->read ? block->read(block->arg, r->idx) : r->latched;
	TRACE(regs->nic, T_REG, "rd %s[%u] = 0x%x", block->name, r->idx, val);
	put32(buf, val);
}

static bool write_window(struct regs *regs, u32 offset, const void *buf, u32 len)
{
	const struct reg_window *w = window_at(regs, offset, len);

	if (!w || offset < w->offset || offset + len > w->offset + w->size)
		return false;
	w->write(w->arg, offset - w->offset, buf, len);
	return true;
}

void regs_write(struct regs *regs, u32 offset, const void *buf, u32 len)
{
	const struct reg_block *block;
	struct reg *r;
	u32 val;

	if (regs->window_cnt && write_window(regs, offset, buf, len))
		return;
	r = target(regs, offset, len, REG_W);
	if (!r)
		return;
	block = &regs->blocks[r->block];
	regs->counts[r->block].writes++;
	val = get32(buf);
	TRACE(regs->nic, T_REG, "wr %s[%u] = 0x%x", block->name, r->idx, val);
	r->latched = val;
	if (block->write)
		block->write(block->arg, r->idx, val);
}

const struct reg_count *regs_counts(const struct regs *regs, u32 *cnt)
{
	*cnt = regs->block_cnt;
	return regs->counts;
}
