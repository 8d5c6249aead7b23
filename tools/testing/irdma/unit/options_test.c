// SPDX-License-Identifier: GPL-2.0
/* The command line: what is taken and what is refused with a message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "text.h"

static struct options o;
static char err[200];
static char buf[4000];

/* Parses a line of words; the strings live in buf. */
static bool parse(const char *line)
{
	char *argv[60] = { "nic" }, *save, *word;
	int argc = 1;

	assert_true(strlen(line) < sizeof(buf));
	strcpy(buf, line);
	for (word = strtok_r(buf, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	err[0] = 0;
	return options_parse(&o, argc, argv, err, sizeof(err));
}

static void nics_and_their_defaults(void **state)
{
	static const u8 mac[6] = { 0x52, 0x54, 0, 0x12, 0x34, 0x56 };

	(void)state;
	assert_true(parse("--nic name=a,socket=/s/a --nic name=b-2,socket=/s/b,vf,queues=2,"
			  "vectors=9,mac=52:54:00:12:34:56,no-shortcut,inline,transport=vhost-user "
			  "--nic no-rdma,socket=x,name=c"));
	assert_int_equal(o.nic_cnt, 3);
	assert_string_equal(o.nics[0].cfg.name, "a");
	assert_string_equal(o.nics[0].socket, "/s/a");
	assert_int_equal(o.nics[0].cfg.queues, 4);
	assert_int_equal(o.nics[0].cfg.vectors, 14);
	assert_int_equal(o.nics[0].cfg.rdma_vectors, 8);
	assert_true(o.nics[0].cfg.rdma && o.nics[0].cfg.shortcut);
	assert_false(o.nics[0].cfg.inline_cmds || o.nics[0].cfg.vf);
	assert_memory_equal(o.nics[1].cfg.mac, mac, 6);
	assert_int_equal(o.nics[1].cfg.rdma_vectors, 5);
	assert_true(o.nics[1].cfg.vf && o.nics[1].cfg.inline_cmds && !o.nics[1].cfg.shortcut);
	assert_int_equal(o.nics[1].transport, TRANSPORT_VHOST_USER);
	assert_int_equal(o.nics[2].cfg.vectors, 6);
	assert_int_equal(o.nics[2].cfg.rdma_vectors, 0);
	assert_int_equal(o.seed, 1);
}

static void the_rest(void **state)
{
	(void)state;
	assert_true(parse("--nic name=a,socket=s --port name=p,spec=unix-listen:/tmp/p,x=y "
			  "--capture a=/tmp/a.pcap --fault a:interrupt:3,drop,nth=2 --wire-seed 0x10 "
			  "--request nics --request reset "
			  "--awake 100 --control /c --trace /t --trace-areas pci,cqp"));
	assert_string_equal(o.ports[0].name, "p");
	assert_string_equal(o.ports[0].value, "unix-listen:/tmp/p,x=y");
	assert_string_equal(o.captures[0].value, "/tmp/a.pcap");
	assert_string_equal(o.faults[0].value, "interrupt:3,drop,nth=2");
	assert_int_equal(o.request_cnt, 2);
	assert_string_equal(o.requests[1], "reset");
	assert_int_equal(o.seed, 16);
	assert_int_equal(o.awake_us, 100);
	assert_int_equal(o.areas, BIT(T_PCI) | BIT(T_CQP));
	assert_string_equal(o.control, "/c");
	assert_true(parse("--help"));
	assert_int_equal(o.show, SHOW_HELP);
	assert_true(parse("--violations"));
	assert_int_equal(o.show, SHOW_VIOLATIONS);
}

static void nonsense_is_refused(void **state)
{
	static const char *const bad[] = {
		"", "--nic", "--nic name=a", "--nic socket=s", "--nic name=,socket=s", "extra",
		"--unknown", "--nic name=a/b,socket=s", "--nic name=a,socket=s,queues=0",
		"--nic name=a,socket=s,queues=65", "--nic name=a,socket=s,vectors=7",
		"--nic name=a,socket=s,vectors=2049", "--nic name=a,socket=s,vf,vectors=66",
		"--nic name=a,socket=s,mac=01:00:00:00:00:01", "--nic name=a,socket=s,mac=5:4",
		"--nic name=a,socket=s,mac=00:00:00:00:00:00", "--nic name=a,socket=s,vf=1",
		"--nic name=a,socket=s,mac=52:54:00:12:34:56:78", "--nic name=a,socket=s,queues",
		"--nic name=a,socket=s,transport=pigeon", "--nic name=a,socket=s,colour=red",
		"--nic name=a,socket=s --nic name=a,socket=t",
		"--nic name=a,socket=s --port name=a,spec=unix:x", "--port spec=x",
		"--nic name=a,socket=s --capture a", "--nic name=a,socket=s --fault a",
		"--nic name=a,socket=s --wire-seed many", "--nic name=a,socket=s --awake 1001",
		"--nic name=a,socket=s --trace-areas sky", "--nic name=a,socket=s --request",
		"--nic name=aaaaaaaaaabbbbbbbbbbcccccccccc12,socket=s",
	};
	char line[2000] = "";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_false(parse(bad[i]));
		assert_true(strlen(err));
	}
	for (int i = 0; i < 17; i++)
		sprintf(line + strlen(line), " --nic name=n%d,socket=s", i);
	assert_false(parse(line));
	memset(line, 0, sizeof(line));
	strcpy(line, "--nic name=a,socket=");
	memset(line + strlen(line), 'x', 108);
	assert_false(parse(line));
}

static void help_names_every_area(void **state)
{
	(void)state;
	for (int i = 0; i < T_COUNT; i++)
		assert_non_null(strstr(options_help, trace_area_names[i]));
}

static void json_strings(void **state)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	text_json(f, "a\"b\\c\n\x80");
	fclose(f);
	assert_string_equal(text, "\"a\\\"b\\\\c\\u000a\\u0080\"");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nics_and_their_defaults),
		cmocka_unit_test(the_rest),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(help_names_every_area),
		cmocka_unit_test(json_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
