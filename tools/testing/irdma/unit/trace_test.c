// SPDX-License-Identifier: GPL-2.0
/* Counting and tracing of violations: of every kind there is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nic.h"
#include "trace.h"

static struct nic nic;
static char path[] = "/tmp/trace-test.XXXXXX";

static int setup(void **state)
{
	(void)state;
	memset(&nic, 0, sizeof(nic));
	strcpy(nic.cfg.name, "a");
	strcpy(path + strlen(path) - 6, "XXXXXX");
	close(mkstemp(path));
	nic.trace = trace_new(path, BIT(T_MBX));
	return !nic.trace;
}

static int teardown(void **state)
{
	(void)state;
	trace_free(nic.trace);
	unlink(path);
	return 0;
}

/* Lines of the trace that end in @text. */
static u32 lines(const char *text)
{
	char line[200];
	u32 cnt = 0;
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		size_t len = strcspn(line, "\n");

		line[len] = 0;
		if (len >= strlen(text) && !strcmp(line + len - strlen(text), text))
			cnt++;
	}
	fclose(f);
	return cnt;
}

static void every_kind_has_count_and_line(void **state)
{
	char text[120];

	(void)state;
	for (int v = 0; v < V_COUNT; v++) {
		assert_true(strlen(violation_names[v]) && strlen(violation_rules[v]));
		for (int w = 0; w < v; w++)
			assert_string_not_equal(violation_names[v], violation_names[w]);
		violation(&nic, (enum violation)v, "at %d", v);
		assert_int_equal(violation_count(&nic, (enum violation)v), 1);
		assert_int_equal(violation_total(&nic), v + 1);
		snprintf(text, sizeof(text), " a VIOLATION %s: at %d", violation_names[v], v);
		assert_int_equal(lines(text), 1);
	}
	violation_reset(&nic);
	assert_int_equal(violation_total(&nic), 0);
}

static void flood_leaves_a_short_trace(void **state)
{
	(void)state;
	for (int i = 0; i < 100000; i++)
		violation(&nic, V_REG_WIDTH, "again");
	assert_int_equal(violation_count(&nic, V_REG_WIDTH), 100000);
	assert_true(lines("again") > 64 && lines("again") < 90);
}

static void only_chosen_areas_are_written(void **state)
{
	(void)state;
	TRACE(&nic, T_MBX, "seen");
	TRACE(&nic, T_CQP, "not seen");
	assert_int_equal(lines(" a mbx seen"), 1);
	assert_int_equal(lines("not seen"), 0);
	assert_false(trace_on(NULL, T_MBX));
	assert_null(trace_new("/nonexistent/trace", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_kind_has_count_and_line, setup, teardown),
		cmocka_unit_test_setup_teardown(flood_leaves_a_short_trace, setup, teardown),
		cmocka_unit_test_setup_teardown(only_chosen_areas_are_written, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
