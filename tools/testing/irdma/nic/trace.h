/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trace lines and violations.
 *
 * A violation is something a driver or guest did that the hardware does not
 * allow. Each kind has a row in one of the violations.def files: symbol, name
 * on the control socket, and the rule that it breaks with the defined result.
 */
#ifndef NIC_TRACE_H
#define NIC_TRACE_H

#include "types.h"

struct nic;
struct trace;

enum violation {
#define VIOLATION(sym, name, rule) V_##sym,
#include "transport/violations.def"
#include "lan/violations.def"
#include "ctl/violations.def"
#include "roce/violations.def"
#undef VIOLATION
	V_COUNT
};

/* Areas that can be switched on one by one (--trace pci,mailbox,...). */
enum trace_area { T_PCI, T_REG, T_MBX, T_LAN, T_VCHNL, T_CQP, T_EVENT, T_ROCE, T_WIRE, T_COUNT };

/* @path: NULL for stderr. Violations are always written, areas only if in @areas (a mask). */
struct trace *trace_new(const char *path, u32 areas);
void trace_free(struct trace *t);

extern const char *const trace_area_names[T_COUNT];
extern const char *const violation_names[V_COUNT];
extern const char *const violation_rules[V_COUNT];

/* "TIME NIC AREA text\n"; no output and no formatting when the area is off. */
void trace_line(struct nic *nic, enum trace_area area, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
bool trace_on(const struct nic *nic, enum trace_area area);
#define TRACE(nic, area, ...) \
	do { if (trace_on(nic, area)) trace_line(nic, area, __VA_ARGS__); } while (0)

/* Counts @v for @nic and writes "TIME NIC VIOLATION name: text\n". */
void violation(struct nic *nic, enum violation v, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
u64 violation_count(const struct nic *nic, enum violation v);
u64 violation_total(const struct nic *nic);
void violation_reset(struct nic *nic);

#endif
