/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_HW_MASK_H
#define IRDMA_HW_MASK_H

#include <linux/args.h>
#include <linux/build_bug.h>

#define __IRDMA_SUM(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, ...)	\
	((a) + (b) + (c) + (d) + (e) + (f) + (g) + (h) + (i) + (j) +	\
	 (k) + (l) + (m) + (n) + (o))
#define __IRDMA_UNION(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, ...)	\
	((a) | (b) | (c) | (d) | (e) | (f) | (g) | (h) | (i) | (j) |	\
	 (k) | (l) | (m) | (n) | (o))
#define __IRDMA_PAD(macro, ...)						\
	macro(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define __IRDMA_15(macro, ...)						\
	__IRDMA_PAD(macro, __VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

/*
 * IRDMA_DISJOINT(mask, ...) does not compile when two of the masks of one
 * word share a bit: only disjoint masks have a sum equal to their union.
 * Takes 15 masks; a word whose fields depend on the command has several lines.
 * Not static_assert(), which also makes a string of its expression: that one
 * becomes longer than sparse bears.
 */
#define IRDMA_DISJOINT(...)						\
	__static_assert(COUNT_ARGS(__VA_ARGS__) <= 15 &&		\
			__IRDMA_15(__IRDMA_SUM, __VA_ARGS__) ==		\
			__IRDMA_15(__IRDMA_UNION, __VA_ARGS__),		\
			"masks of one word overlap")

#endif /* IRDMA_HW_MASK_H */
