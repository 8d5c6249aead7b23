// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the trace file and the counting of violations.
 *
 * A guest can commit violations without end, so only the first lines of a kind
 * are written, then one at each doubling of the count: the log stays small, the
 * counter exact.
 */
#include "trace.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nic.h"

#define LINES_PER_KIND 64

struct trace {
	FILE *out;
	u32 areas;
	struct timespec start;
};

const char *const trace_area_names[T_COUNT] = {
	[T_PCI] = "pci", [T_REG] = "reg", [T_MBX] = "mbx", [T_LAN] = "lan",
	[T_VCHNL] = "vchnl", [T_CQP] = "cqp", [T_EVENT] = "event", [T_ROCE] = "roce",
	[T_WIRE] = "wire",
};

const char *const violation_names[V_COUNT] = {
#define VIOLATION(sym, name, rule) [V_##sym] = name,
#include "transport/violations.def"
#include "lan/violations.def"
#include "ctl/violations.def"
#include "roce/violations.def"
#undef VIOLATION
};

const char *const violation_rules[V_COUNT] = {
#define VIOLATION(sym, name, rule) [V_##sym] = rule,
#include "transport/violations.def"
#include "lan/violations.def"
#include "ctl/violations.def"
#include "roce/violations.def"
#undef VIOLATION
};

struct trace *trace_new(const char *path, u32 areas)
{
	struct trace *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->out = path ? fopen(path, "we") : stderr;
	if (!t->out) {
		free(t);
		return NULL;
	}
	setvbuf(t->out, NULL, _IOLBF, 0);
	t->areas = areas;
	clock_gettime(CLOCK_MONOTONIC, &t->start);
	return t;
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	if (t->out != stderr)
		fclose(t->out);
	free(t);
}

bool trace_on(const struct nic *nic, enum trace_area area)
{
	return nic && nic->trace && nic->trace->areas & BIT(area);
}

static void line(const struct trace *t, const char *nic, const char *tag, const char *sep,
		 const char *fmt, va_list ap)
{
	struct timespec now;
	double secs;

	clock_gettime(CLOCK_MONOTONIC, &now);
	secs = (double)(now.tv_sec - t->start.tv_sec) +
	       (double)(now.tv_nsec - t->start.tv_nsec) / 1e9;
	fprintf(t->out, "%.6f %s %s%s", secs, nic, tag, sep);
	vfprintf(t->out, fmt, ap);
	fputc('\n', t->out);
}

void trace_line(struct nic *nic, enum trace_area area, const char *fmt, ...)
{
	va_list ap;

	if (!trace_on(nic, area))
		return;
	va_start(ap, fmt);
	line(nic->trace, nic->cfg.name, trace_area_names[area], " ", fmt, ap);
	va_end(ap);
}

void violation(struct nic *nic, enum violation v, const char *fmt, ...)
{
	char tag[80];
	va_list ap;
	u64 n;

	if (!nic)
		return;
	n = ++nic->violations[v];
	if (!nic->trace || (n > LINES_PER_KIND && (n & (n - 1))))
		return;
	snprintf(tag, sizeof(tag), "VIOLATION %s", violation_names[v]);
	va_start(ap, fmt);
	line(nic->trace, nic->cfg.name, tag, ": ", fmt, ap);
	va_end(ap);
}

u64 violation_count(const struct nic *nic, enum violation v)
{
	return nic->violations[v];
}

u64 violation_total(const struct nic *nic)
{
	u64 sum = 0;

	for (int v = 0; v < V_COUNT; v++)
		sum += nic->violations[v];
	return sum;
}

void violation_reset(struct nic *nic)
{
	memset(nic->violations, 0, sizeof(nic->violations));
}
