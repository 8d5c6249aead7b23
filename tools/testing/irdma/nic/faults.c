// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the fault knobs of one NIC and counts the passes at their points.
 */
#include "faults.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nic.h"
#include "text.h"

#define KNOBS_MAX	64
#define ANY_KEY		UINT32_MAX

struct fault_set {
	u32 cnt;
	u32 points;		/* mask of points that have a knob */
	struct fault knob[KNOBS_MAX];
	u64 passes[KNOBS_MAX], hits[KNOBS_MAX];
};

_Static_assert(F_COUNT <= 32, "a point is a bit of fault_set.points");

const char *const fault_point_names[F_COUNT] = {
#define FAULT(sym, name, what) [F_##sym] = name,
#include "faults.def"
#undef FAULT
};

const char *const fault_point_texts[F_COUNT] = {
#define FAULT(sym, name, what) [F_##sym] = what,
#include "faults.def"
#undef FAULT
};

static const char *const action_names[] = {
	[FAULT_FAIL] = "fail", [FAULT_DELAY] = "delay", [FAULT_DROP] = "drop",
	[FAULT_DUP] = "dup", [FAULT_VALUE] = "value",
};

struct fault_set *fault_set_new(void)
{
	return calloc(1, sizeof(struct fault_set));
}

void fault_set_free(struct fault_set *fs)
{
	free(fs);
}

void fault_clear(struct fault_set *fs)
{
	memset(fs, 0, sizeof(*fs));
}

static int lookup(const char *const *names, size_t cnt, const char *s)
{
	for (size_t i = 0; i < cnt; i++)
		if (names[i] && !strcmp(names[i], s))
			return (int)i;
	return -1;
}

static bool parse_point(char *s, struct fault *f)
{
	char *key = strchr(s, ':');
	u64 val = ANY_KEY;
	int point;

	if (key) {
		*key++ = 0;
		if (!text_number(key, &val) || val >= ANY_KEY)
			return false;
	}
	point = lookup(fault_point_names, F_COUNT, s);
	if (point < 0)
		return false;
	f->point = (enum fault_point)point;
	f->match = (u32)val;
	return true;
}

static bool parse_action(char *s, struct fault *f)
{
	char *val = strchr(s, '=');
	int action;

	if (val) {
		*val++ = 0;
		if (!text_number(val, &f->value))
			return false;
	}
	action = lookup(action_names, ARRAY_SIZE(action_names), s);
	if (action < 0 || ((action == FAULT_DELAY || action == FAULT_VALUE) && !val))
		return false;
	f->action = (enum fault_action)action;
	return true;
}

static bool parse_option(const char *s, struct fault *f)
{
	if (!strncmp(s, "nth=", 4))
		return text_number(s + 4, &f->nth) && f->nth;
	if (!strncmp(s, "count=", 6))
		return text_number(s + 6, &f->count);
	return false;
}

static bool parse(char *s, struct fault *f, const char **bad)
{
	char *save, *tok = strtok_r(s, ",", &save);

	*bad = "point";
	if (!tok || !parse_point(tok, f))
		return false;
	*bad = "action";
	tok = strtok_r(NULL, ",", &save);
	if (!tok || !parse_action(tok, f))
		return false;
	*bad = "option";
	while ((tok = strtok_r(NULL, ",", &save)))
		if (!parse_option(tok, f))
			return false;
	return true;
}

int fault_add(struct fault_set *fs, const char *spec, char *err, size_t err_len)
{
	struct fault f = { .nth = 1, .count = 1 };
	const char *bad = "length";
	char copy[128];

	if (fs->cnt == KNOBS_MAX) {
		snprintf(err, err_len, "more than %d fault knobs", KNOBS_MAX);
		return -EINVAL;
	}
	if (snprintf(copy, sizeof(copy), "%s", spec) >= (int)sizeof(copy) ||
	    !parse(copy, &f, &bad)) {
		snprintf(err, err_len, "fault \"%.100s\": bad %s", spec, bad);
		return -EINVAL;
	}
	fs->passes[fs->cnt] = fs->hits[fs->cnt] = 0;
	fs->knob[fs->cnt++] = f;
	fs->points |= 1u << f.point;
	return 0;
}

const struct fault *fault_hit(struct nic *nic, enum fault_point point, u32 key)
{
	struct fault_set *fs = nic ? nic->faults : NULL;
	const struct fault *hit = NULL;

	if (!fs || !(fs->points & 1u << point))
		return NULL;
	for (u32 i = 0; i < fs->cnt; i++) {
		const struct fault *f = &fs->knob[i];
		u64 pass;

		if (f->point != point || (f->match != ANY_KEY && f->match != key))
			continue;
		pass = ++fs->passes[i];
		if (hit || pass < f->nth || (f->count && pass - f->nth >= f->count))
			continue;
		hit = f;
		fs->hits[i]++;
	}
	return hit;
}

u32 fault_use(const struct fault_set *fs, u32 i, enum fault_point *point, u64 *passes, u64 *hits)
{
	if (i < fs->cnt) {
		*point = fs->knob[i].point;
		*passes = fs->passes[i];
		*hits = fs->hits[i];
	}
	return fs->cnt;
}
