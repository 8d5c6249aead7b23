/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fault knobs: what the NIC shall do wrong, and when.
 *
 * A knob is {point, action, nth, count, value}. The code at a point asks
 * fault_hit() each time it passes; the knob's turn comes at its n-th pass.
 * The points are rows of faults.def.
 */
#ifndef NIC_FAULTS_H
#define NIC_FAULTS_H

#include "types.h"

struct nic;
struct fault_set;

enum fault_point {
#define FAULT(sym, name, what) F_##sym,
#include "faults.def"
#undef FAULT
	F_COUNT
};

enum fault_action { FAULT_NONE, FAULT_FAIL, FAULT_DELAY, FAULT_DROP, FAULT_DUP, FAULT_VALUE };

/**
 * struct fault - one knob
 * @point: where
 * @match: only passes with this key (a command opcode, a queue id); ~0: any
 * @nth: first pass that is hit, counted from 1
 * @count: how many passes are hit from there; 0: all
 * @value: nanoseconds for FAULT_DELAY, else the point's own meaning (an error code ...)
 */
struct fault {
	enum fault_point point;
	enum fault_action action;
	u32 match;
	u64 nth, count;
	u64 value;
};

extern const char *const fault_point_names[F_COUNT];
extern const char *const fault_point_texts[F_COUNT];

struct fault_set *fault_set_new(void);
void fault_set_free(struct fault_set *fs);
/*
 * "POINT[:KEY],ACTION[=VALUE][,nth=N][,count=N]"; 0 or -EINVAL with a message.
 * Numbers are C's; a value may have a unit: ns, us, ms, s. Without nth and count
 * the next pass is hit, and only that.
 */
int fault_add(struct fault_set *fs, const char *spec, char *err, size_t err_len);
void fault_clear(struct fault_set *fs);
/* Called at a point; returns the knob whose turn it is, or NULL. */
const struct fault *fault_hit(struct nic *nic, enum fault_point point, u32 key);
/* Where knob @i is, how often its point was passed and hit; returns the number of knobs. */
u32 fault_use(const struct fault_set *fs, u32 i, enum fault_point *point, u64 *passes, u64 *hits);

#endif
