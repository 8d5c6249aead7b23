// SPDX-License-Identifier: GPL-2.0
/*
 * A whole NIC: configuration space, resets, removal, and the control socket's
 * requests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/pci_regs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "control.h"
#include "faults.h"
#include "loop.h"
#include "nic.h"
#include "pci_config.h"
#include "transport/dma.h"
#include "wire/wire.h"

#define PAGE	4096u
#define ARQLEN	0x08400008u

static struct loop *loop;
static struct wire *wire;
static struct nic *nic, *peer;
static struct control *ctl;
static char path[64];
static u8 mem[PAGE] __attribute__((aligned(4096)));

static int setup(void **state)
{
	struct nic_config cfg = {
		.name = "a", .mac = { 0x52, 0x54, 0, 0, 0, 1 }, .queues = 4, .vectors = 14,
		.rdma_vectors = 8, .shortcut = true, .rdma = true,
	};
	char err[100];

	(void)state;
	loop = loop_new();
	wire = wire_new(loop, 1);
	nic = nic_new(&cfg, loop, wire, NULL);
	strcpy(cfg.name, "b");
	cfg.vf = true;
	peer = nic_new(&cfg, loop, wire, NULL);
	assert_true(nic && peer);
	nic_join(peer, nic);
	dma_map_mem(nic->dma, 0, PAGE, mem, DMA_PROT_READ | DMA_PROT_WRITE);
	snprintf(path, sizeof(path), "/tmp/nic-test-%d", (int)getpid());
	ctl = control_new(loop, wire, nic, path, err, sizeof(err));
	return !ctl;
}

static int teardown(void **state)
{
	(void)state;
	control_free(ctl);
	nic_free(nic);
	nic_free(peer);
	wire_free(wire);
	loop_free(loop);
	return 0;
}

/* --- configuration space --- */

static u32 config(u32 offset, u32 len)
{
	u32 val = 0;

	nic_config_read(nic, offset, &val, len);
	return val;
}

static void config_set(u32 offset, u32 len, u32 val)
{
	nic_config_write(nic, offset, &val, len);
}

static u32 capability(u8 id)
{
	u32 pos = config(PCI_CAPABILITY_LIST, 1);

	while (pos && config(pos, 1) != id)
		pos = config(pos + 1, 1);
	return pos;
}

static u32 bar_read(u32 offset)
{
	u32 val = 0;

	nic_bar_read(nic, 0, offset, &val, 4);
	return val;
}

static void bar_write(u32 offset, u32 val)
{
	nic_bar_write(nic, 0, offset, &val, 4);
}

static void identity(void **state)
{
	u32 msix = capability(PCI_CAP_ID_MSIX), val;

	(void)state;
	assert_int_equal(config(PCI_VENDOR_ID, 4), 0x14528086);
	nic_config_read(peer, PCI_VENDOR_ID, &val, 4);
	assert_int_equal(val, 0x145c8086);
	assert_int_equal(config(PCI_CLASS_REVISION, 4), 0x02000000);
	assert_int_equal(config(PCI_BASE_ADDRESS_0, 4), 0xc);
	assert_int_equal(config(PCI_BASE_ADDRESS_2, 4), 0xc);
	assert_int_equal(config(PCI_INTERRUPT_PIN, 1), 0);
	assert_true(msix && capability(PCI_CAP_ID_PM) && capability(PCI_CAP_ID_EXP));
	assert_int_equal(config(msix + PCI_MSIX_FLAGS, 2), 13);
	assert_int_equal(config(msix + PCI_MSIX_TABLE, 4), 2);
	assert_int_equal(config(msix + PCI_MSIX_PBA, 4), 0x8002);
	assert_int_equal(config(4094, 4), 0);	/* beyond the end: zeros */
	config_set(4094, 4, ~0u);
}

static void only_writable_bits_change(void **state)
{
	u8 before[4096], after[4096];

	(void)state;
	nic_config_read(nic, 0, before, sizeof(before));
	for (u32 i = 0; i < 4096; i++)
		if (i != capability(PCI_CAP_ID_EXP) + PCI_EXP_DEVCTL + 1)
			config_set(i, 1, 0xff);
	nic_config_read(nic, 0, after, sizeof(after));
	assert_memory_equal(before, after, 4);
	assert_memory_equal(before + 6, after + 6, 6);
	assert_memory_equal(before + 0x10, after + 0x10, 0x2c);
	assert_memory_equal(before + 0x100, after + 0x100, 4096 - 0x100);
	assert_int_equal(get16(after + PCI_COMMAND), PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER |
			 PCI_COMMAND_PARITY | PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE);
	assert_int_equal(get16(after + capability(PCI_CAP_ID_MSIX) + PCI_MSIX_FLAGS), 0xc00d);
}

static void bus_master_and_power_gate_dma(void **state)
{
	u32 pmcsr = capability(PCI_CAP_ID_PM) + PCI_PM_CTRL;
	u32 val;

	(void)state;
	assert_false(dma_read(nic->dma, 0, &val, 4));
	config_set(PCI_COMMAND, 2, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
	assert_true(dma_read(nic->dma, 0, &val, 4));
	config_set(pmcsr, 2, 3);
	assert_false(dma_read(nic->dma, 0, &val, 4));
	config_set(pmcsr, 2, 0);
	assert_true(dma_read(nic->dma, 0, &val, 4));
	config_set(PCI_COMMAND, 1, PCI_COMMAND_MEMORY);
	assert_false(dma_read(nic->dma, 0, &val, 4));
}

/* --- resets --- */

/* The mailbox's receive ring as a driver sets it up. */
static void start_mailbox(void)
{
	config_set(PCI_COMMAND, 2, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
	bar_write(0x08400010, 0);
	bar_write(0x0840000c, 0);
	bar_write(0x08400000, 0);
	bar_write(0x08400004, 0);
	bar_write(ARQLEN, 0x80000040);
	assert_int_equal(bar_read(ARQLEN), 0x80000040);
}

static void function_level_reset(void **state)
{
	u32 devctl = capability(PCI_CAP_ID_EXP) + PCI_EXP_DEVCTL;

	(void)state;
	start_mailbox();
	config_set(devctl, 2, config(devctl, 2) | PCI_EXP_DEVCTL_BCR_FLR);
	assert_int_equal(nic->resets, 1);
	assert_int_equal(config(PCI_COMMAND, 2), 0);
	assert_int_equal(config(devctl, 2) & PCI_EXP_DEVCTL_BCR_FLR, 0);
	assert_int_equal(bar_read(ARQLEN), 0);
}

static void software_reset_keeps_configuration(void **state)
{
	(void)state;
	start_mailbox();
	bar_write(0x0840700c, 1);
	assert_int_equal(nic->resets, 1);
	assert_int_equal(bar_read(ARQLEN), 0);
	assert_true(bar_read(0x08407008) & 3);
	assert_true(config(PCI_COMMAND, 2) & PCI_COMMAND_MASTER);
	start_mailbox();
	nic_reset(nic, NIC_RESET_SPONTANEOUS);
	assert_int_equal(bar_read(ARQLEN), 0);
	assert_true(bar_read(0x08407008) & 3);
	assert_int_equal(violation_total(nic), 0);
}

static void removed_function_reads_as_ones(void **state)
{
	(void)state;
	start_mailbox();
	nic_set_removed(nic, true);
	assert_int_equal(bar_read(ARQLEN), ~0u);
	assert_int_equal(config(PCI_VENDOR_ID, 4), ~0u);
	config_set(PCI_COMMAND, 2, PCI_COMMAND_MASTER);
	bar_write(0x0840700c, 1);
	assert_int_equal(nic->resets, 1);
	nic_set_removed(nic, false);
	assert_int_equal(config(PCI_COMMAND, 2), 0);
	assert_int_equal(bar_read(ARQLEN), 0);
}

static void accesses_beyond_the_bars(void **state)
{
	u32 val = 5;

	(void)state;
	nic_bar_read(nic, 0, NIC_BAR0_SIZE, &val, 4);
	assert_int_equal(val, 0);
	nic_bar_read(nic, 0, ~0ull, &val, 4);
	nic_bar_read(nic, 5, 0, &val, 4);
	nic_bar_write(nic, 0, NIC_BAR0_SIZE - 2, &val, 4);
	nic_bar_write(nic, 2, 0, &val, 4);
	assert_int_equal(val, 0);
	assert_int_equal(violation_total(nic), 0);
}

/* --- control --- */

/* True if the answer to @request contains @text. */
static bool says(const char *request, const char *text)
{
	char line[1000], *answer;
	bool found;

	assert_true(strlen(request) < sizeof(line));
	strcpy(line, request);
	answer = control_request(ctl, line);
	assert_non_null(answer);
	assert_int_equal(answer[strlen(answer) - 1], '\n');
	found = strstr(answer, text);
	if (!found)
		print_message("%s -> %s", request, answer);
	free(answer);
	return found;
}

static void requests_show_and_change(void **state)
{
	(void)state;
	assert_true(says("help", "\"counters\": \"NIC\""));
	assert_true(says("nics", "\"name\": \"a\""));
	assert_true(says("nics", "\"name\": \"b\", \"mac\": \"52:54:00:00:00:01\", \"vf\": true"));
	assert_true(says("ports", "\"b\": {\"tx_frames\": 0"));
	assert_true(says("kinds", "\"dma-fault\": \""));
	bar_read(4);
	assert_true(says("violations a", "\"total\": 1, \"kinds\": {\"reg-undefined\": 1}"));
	assert_true(says("violations b", "\"total\": 0, \"kinds\": {}"));
	assert_true(says("forgive a", "\"ok\": true"));
	assert_true(says("violations a", "\"total\": 0"));
	bar_read(ARQLEN);
	assert_true(says("counters a", "\"ARQLEN\": {\"reads\": 1, \"writes\": 0}"));

	assert_true(says("counters a", "\"commands\": {}"));

	assert_true(says("fault a mailbox:501,fail=0x16,nth=2", "\"ok\": true"));
	assert_null(fault_hit(nic, F_MAILBOX, 501));
	assert_non_null(fault_hit(nic, F_MAILBOX, 501));
	assert_true(says("faults a", "[{\"point\": \"mailbox\", \"passes\": 2, \"hits\": 1}]"));
	assert_true(says("fault a mailbox,drop", "\"ok\": true"));
	assert_true(says("clear a", "\"ok\": true"));
	assert_null(fault_hit(nic, F_MAILBOX, 1));

	assert_true(says("clock a latency=10us rate=1000",
			 "\"latency_ns\": 10000, \"interval_ns\": 1000000"));
	assert_int_equal(nic->clock.latency_ns, 10000);
	assert_true(says("clock a interval=0", "\"latency_ns\": 10000, \"interval_ns\": 0"));

	assert_true(says("reset a", "\"ok\": true"));
	assert_int_equal(nic->resets, 1);
	assert_true(says("remove a", "\"ok\": true"));
	assert_true(says("nics", "\"removed\": true"));
	assert_true(says("insert a", "\"ok\": true"));
	assert_true(says("link a down", "\"ok\": true"));
	assert_true(says("link a up", "\"ok\": true"));
	assert_true(says("impair a loss=1000 delay=1ms drop-nth=3", "\"ok\": true"));
	assert_true(says("event a code=0x102 id=3", "\"ok\": true"));
}

static void bad_requests_are_refused(void **state)
{
	static const char *const bad[] = {
		"", " ", "dance", "counters", "counters c", "counters a b", "link a sideways",
		"link c up", "fault a nonsense,fail", "fault c mailbox,drop", "clock a speed=3",
		"clock a latency", "clock a latency=slow", "impair a loss=1000001", "impair c",
		"capture a /nonexistent/x.pcap", "capture c off", "event b", "forgive c",
		"a a a a a a a a a a a a a a a a a",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_true(says(bad[i], "\"ok\": false, \"error\": \""));
	assert_true(says("\"\\x", "\\\"\\\\x"));
}

/* Without a socket, as the command line asks. */
static void lines_are_obeyed(void **state)
{
	char good[] = "impair b loss=5", bad[] = "impair c loss=5", none[] = "", text[100];
	struct control *mute = control_new(loop, wire, nic, NULL, text, sizeof(text));

	(void)state;
	assert_non_null(mute);
	assert_true(control_obey(mute, good, text, sizeof(text)));
	assert_false(control_obey(mute, bad, text, sizeof(text)));
	assert_string_equal(text, "there is no NIC or port c");
	assert_false(control_obey(mute, none, text, sizeof(text)));
	control_free(mute);
}

static void clients_speak_lines(void **state)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	char flood[2000], buf[4000];
	struct stat st;
	int fd, other;

	(void)state;
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	strcpy(addr.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	other = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(connect(other, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(write(fd, "forgive a\nforg", 14), 14);
	for (int i = 0; i < 4; i++)
		loop_step(loop, 0);
	assert_int_equal(read(fd, buf, sizeof(buf)), 13);
	assert_int_equal(write(fd, "ive a\n", 6), 6);
	for (int i = 0; i < 4; i++)
		loop_step(loop, 0);
	assert_int_equal(read(fd, buf, sizeof(buf)), 13);
	assert_memory_equal(buf, "{\"ok\": true}\n", 13);
	close(fd);

	memset(flood, 'x', sizeof(flood));	/* no line at all */
	assert_int_equal(write(other, flood, sizeof(flood)), sizeof(flood));
	for (int i = 0; i < 6; i++)
		loop_step(loop, 0);
	assert_true(recv(other, buf, sizeof(buf), MSG_DONTWAIT) <= 0);
	close(other);
}

static void ask_to_quit(void *arg)
{
	assert_true(says(arg, "\"ok\": true"));
}

static void quit_ends_the_loop(void **state)
{
	struct loop_task t;

	(void)state;
	task_init(&t, loop, ask_to_quit, (void *)"quit");
	task_queue(&t);
	assert_int_equal(loop_run(loop), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(identity, setup, teardown),
		cmocka_unit_test_setup_teardown(only_writable_bits_change, setup, teardown),
		cmocka_unit_test_setup_teardown(bus_master_and_power_gate_dma, setup, teardown),
		cmocka_unit_test_setup_teardown(function_level_reset, setup, teardown),
		cmocka_unit_test_setup_teardown(software_reset_keeps_configuration, setup, teardown),
		cmocka_unit_test_setup_teardown(removed_function_reads_as_ones, setup, teardown),
		cmocka_unit_test_setup_teardown(accesses_beyond_the_bars, setup, teardown),
		cmocka_unit_test_setup_teardown(requests_show_and_change, setup, teardown),
		cmocka_unit_test_setup_teardown(bad_requests_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(lines_are_obeyed, setup, teardown),
		cmocka_unit_test_setup_teardown(clients_speak_lines, setup, teardown),
		cmocka_unit_test_setup_teardown(quit_ends_the_loop, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
