/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The register table of BAR 0: who answers for which offset.
 *
 * Registers are 32 bits wide and naturally aligned. An access to an offset that
 * nobody registered, of another width, or in a forbidden direction reads 0,
 * writes nothing and is a violation.
 */
#ifndef NIC_REGS_H
#define NIC_REGS_H

#include "types.h"

struct nic;
struct regs;

#define REG_R	1u
#define REG_W	2u

/**
 * struct reg_block - an array of equal registers
 * @offset: BAR 0 offset of element 0
 * @count: elements, at least 1
 * @stride: bytes from one element to the next; at least 4 (any value if @count is 1)
 * @access: REG_R, REG_W or both
 * @read: value of element @idx; NULL with REG_R: last value written (0 after regs_reset())
 * @write: NULL with REG_W: the value is only latched
 */
struct reg_block {
	const char *name;
	u32 offset, count, stride;
	u32 access;
	u32 (*read)(void *arg, u32 idx);
	void (*write)(void *arg, u32 idx, u32 val);
	void *arg;
};

/**
 * struct reg_window - a range that takes writes of any width and alignment (push pages)
 * @write: @offset is relative to the window, offset + len <= size
 */
struct reg_window {
	const char *name;
	u32 offset, size;
	void (*write)(void *arg, u32 offset, const void *buf, u32 len);
	void *arg;
};

struct regs *regs_new(struct nic *nic, u32 bar_size);
void regs_free(struct regs *regs);
/*
 * -EEXIST: overlaps; -EINVAL: outside the BAR or unaligned; -ENOSPC: too many blocks.
 * The block is copied, its name is not. Elements of two blocks may interleave.
 */
int regs_add(struct regs *regs, const struct reg_block *block);
int regs_add_window(struct regs *regs, const struct reg_window *win);
/* Latched values back to 0. */
void regs_reset(struct regs *regs);

/* @len: at least 1, @offset + @len within the BAR. */
void regs_read(struct regs *regs, u32 offset, void *buf, u32 len);
void regs_write(struct regs *regs, u32 offset, const void *buf, u32 len);

/* Accesses to all elements of a block since the NIC was made. */
struct reg_count {
	const char *name;
	u64 reads, writes;
};
/* In the order of regs_add(); @cnt: how many. */
const struct reg_count *regs_counts(const struct regs *regs, u32 *cnt);

#endif
