// SPDX-License-Identifier: GPL-2.0
/* The mailbox's rings, and what is refused there. */
#include "lan_driver.h"

static const struct vc_version version = { .major = 2 };

/* The rest of the function still works: queue 1 sends, queue 0 receives. */
static void others_live(void)
{
	demand_tx(1);
	demand_rx();
}

static void version_answered(void **state)
{
	(void)state;
	mailbox_up();
	must(VC_VERSION, &version, sizeof(version));
	assert_int_equal(get32(drv.answer), 2);
	assert_int_equal(get32(drv.answer + 4), 0);
	assert_int_equal(get64(drv.mem + OFF_ATQ) & (MB_DD | MB_ERR), MB_DD);
	assert_int_equal(violation_total(&drv.nic), 0);
}

/* Two hundred messages pass both rings' ends several times. */
static void rings_wrap(void **state)
{
	(void)state;
	mailbox_up();
	for (int i = 0; i < 200; i++)
		must(VC_VERSION, &version, sizeof(version));
	assert_int_equal(violation_total(&drv.nic), 0);
}

static void answers_wait_for_buffers(void **state)
{
	u32 status;

	(void)state;
	mailbox_up();
	wr(arq_reg(MBR_TAIL), 0);
	request(VC_VERSION, &version, sizeof(version));
	wr(atq_reg(MBR_TAIL), drv.atq_tail);
	assert_false(next_message(&status));
	wr(arq_reg(MBR_TAIL), 1);
	assert_true(next_message(&status));
	assert_int_equal(status, VC_OK);
}

/* With no buffer at all, requests stay in their ring instead of piling up here. */
static void requests_wait_for_answers(void **state)
{
	(void)state;
	mailbox_up();
	wr(arq_reg(MBR_TAIL), 0);
	for (int i = 0; i < 200; i++) {
		request(VC_VERSION, &version, sizeof(version));
		wr(atq_reg(MBR_TAIL), drv.atq_tail);
	}
	assert_int_not_equal(rd(atq_reg(MBR_HEAD)), rd(atq_reg(MBR_TAIL)));
}

static void vector_0_per_answer(void **state)
{
	(void)state;
	mailbox_up();
	wr(dyn_ctl(0), 0x19);
	must(VC_VERSION, &version, sizeof(version));
	assert_int_equal(drv.raised[0], 1);
	wr(dyn_ctl(0), 0x19);
	assert_int_equal(drv.raised[0], 1);
}

static void fault_drops_fails_and_delays(void **state)
{
	char err[100];
	u32 status;

	(void)state;
	mailbox_up();
	assert_int_equal(fault_add(drv.nic.faults, "mailbox:1,drop,nth=1", err, sizeof(err)), 0);
	request(VC_VERSION, &version, sizeof(version));
	wr(atq_reg(MBR_TAIL), drv.atq_tail);
	assert_false(next_message(&status));
	fault_clear(drv.nic.faults);
	assert_int_equal(fault_add(drv.nic.faults, "mailbox:1,fail=28", err, sizeof(err)), 0);
	assert_int_equal(message(VC_VERSION, &version, sizeof(version)), 28);
	fault_clear(drv.nic.faults);
	assert_int_equal(fault_add(drv.nic.faults, "mailbox:1,delay=1000000", err, sizeof(err)), 0);
	request(VC_VERSION, &version, sizeof(version));
	wr(atq_reg(MBR_TAIL), drv.atq_tail);
	assert_false(next_message(&status));
	for (int i = 0; i < 100 && !next_message(&status); i++)
		loop_step(drv.nic.loop, 1000000);
	assert_int_equal(drv.answer_op, VC_VERSION);
}

static void reset_drops_what_is_owed(void **state)
{
	u32 status;

	(void)state;
	mailbox_up();
	wr(arq_reg(MBR_TAIL), 0);
	request(VC_VERSION, &version, sizeof(version));
	wr(atq_reg(MBR_TAIL), drv.atq_tail);
	wr(0x0840700c, 1);
	assert_int_equal(drv.nic.resets, 1);
	assert_int_equal(rd(arq_reg(MBR_LEN)), 0);
	assert_int_not_equal(rd(0x08407008) & 3, 0);
	mailbox_up();
	assert_false(next_message(&status));
	must(VC_VERSION, &version, sizeof(version));
}

static void lost_mailbox_reads_zero(void **state)
{
	(void)state;
	assert_int_equal(rd(arq_reg(MBR_LEN)), MB_LEN_ENABLE | 64);
	lan_lose_mailbox(drv.nic.lan);
	assert_int_equal(rd(arq_reg(MBR_LEN)), 0);
	bring_up();
	others_live();
}

static void ring_refused(void **state)
{
	(void)state;
	provoke(MBX_RING, wr(atq_reg(MBR_BAL), 0));
	others_live();
	must(VC_VERSION, &version, sizeof(version));
	wr(atq_reg(MBR_LEN), 0);
	provoke(MBX_RING, wr(atq_reg(MBR_LEN), MB_LEN_ENABLE));
	assert_int_equal(rd(atq_reg(MBR_LEN)), 0);
	others_live();
}

static void tail_refused(void **state)
{
	u32 tail = rd(atq_reg(MBR_TAIL));

	(void)state;
	provoke(MBX_TAIL, wr(atq_reg(MBR_TAIL), 64));
	assert_int_equal(rd(atq_reg(MBR_TAIL)), tail);
	must(VC_VERSION, &version, sizeof(version));
	others_live();
}

static void flawed_descriptor(u8 *d)
{
	u32 status;

	provoke(MBX_DESC, wr(atq_reg(MBR_TAIL), drv.atq_tail));
	assert_int_equal(get64(d) & (MB_DD | MB_ERR), MB_DD | MB_ERR);
	assert_false(next_message(&status));
	others_live();
}

static void descriptor_refused(void **state)
{
	u8 *d;

	(void)state;
	d = request(VC_VERSION, &version, sizeof(version));
	put16(d + 2, 0x0802);
	flawed_descriptor(d);
	d = request(VC_VERSION, &version, sizeof(version));
	put16(d + 4, 4097);
	flawed_descriptor(d);
	d = request(VC_VERSION, &version, sizeof(version));
	put16(d, 0);
	flawed_descriptor(d);
	d = request(VC_VERSION, &version, sizeof(version));
	put16(d, get16(d) | MB_CMP);
	flawed_descriptor(d);
	d = request(VC_VERSION | 1u << 28, NULL, 0);
	d[11] |= 0x10;
	flawed_descriptor(d);
	must(VC_VERSION, &version, sizeof(version));
}

static void small_buffer_stops_the_ring(void **state)
{
	u32 status;

	(void)state;
	put16(drv.mem + OFF_ARQ + drv.arq_head * MB_DESC_SIZE + 4, 7);
	request(VC_VERSION, &version, sizeof(version));
	provoke(MBX_BUFFER, wr(atq_reg(MBR_TAIL), drv.atq_tail));
	assert_int_equal(rd(arq_reg(MBR_LEN)) & (MB_LEN_ENABLE | MB_LEN_CRIT), MB_LEN_CRIT);
	assert_false(next_message(&status));
	others_live();
}

/* Every address that the mailbox takes from memory or registers leads nowhere, one by one. */
static void unmapped_memory_stops_the_ring(void **state)
{
	u8 *d;

	(void)state;
	d = request(VC_VERSION, &version, sizeof(version));
	put64(d + 24, NOWHERE >> 32 | NOWHERE << 32);
	provoke(DMA_FAULT, wr(atq_reg(MBR_TAIL), drv.atq_tail));
	assert_int_equal(rd(atq_reg(MBR_LEN)) & (MB_LEN_ENABLE | MB_LEN_CRIT), MB_LEN_CRIT);
	others_live();

	mailbox_reset(&drv.nic.lan->mailbox);
	mailbox_up();
	put64(drv.mem + OFF_ARQ + 24, NOWHERE >> 32 | NOWHERE << 32);
	request(VC_VERSION, &version, sizeof(version));
	provoke(DMA_FAULT, wr(atq_reg(MBR_TAIL), drv.atq_tail));
	assert_int_equal(rd(arq_reg(MBR_LEN)) & (MB_LEN_ENABLE | MB_LEN_CRIT), MB_LEN_CRIT);
	others_live();

	wr(atq_reg(MBR_LEN), 0);
	wr(atq_reg(MBR_BAH), 0x7000);
	wr(atq_reg(MBR_HEAD), 0);
	wr(atq_reg(MBR_TAIL), 1);
	provoke(DMA_FAULT, wr(atq_reg(MBR_LEN), MB_LEN_ENABLE | 64));
	others_live();
}

static void vf_has_its_own_registers(void **state)
{
	(void)state;
	assert_int_not_equal(rd(0x8800) & 3, 0);
	bring_up();
	wr(0x5000, BIT(30));
	others_live();
	assert_int_equal(violation_total(&drv.nic), 0);
	provoke(REG_UNDEFINED, rd(0x08400008));
}

/* Its driver says goodbye by giving the vectors back, frees its memory, and that is all. */
static void vf_ends_with_its_last_message(void **state)
{
	struct vc_vector_chunks back[3] = { { .count = 1 } };
	struct vc_version again = { .major = 2 };
	u8 before;

	(void)state;
	mailbox_up();
	negotiate();
	put16((u8 *)back + 16, 1);
	put16((u8 *)back + 20, VECTORS - 1);
	must(VC_DEALLOC_VECTORS, back, sizeof(back));
	request(VC_VERSION, &again, sizeof(again));
	memcpy(&before, drv.mem + OFF_ATQ + 32 * (drv.atq_tail - 1), 1);
	wr(atq_reg(MBR_TAIL), drv.atq_tail);
	assert_int_equal(drv.mem[OFF_ATQ + 32 * (drv.atq_tail - 1)], before);
	bring_up();
	others_live();
	assert_int_equal(violation_total(&drv.nic), 0);
}

static void vf_resets_by_message(void **state)
{
	u32 status;

	(void)state;
	bring_up();
	request(VC_RESET_VF, NULL, 0);
	wr(atq_reg(MBR_TAIL), drv.atq_tail);
	assert_int_equal(drv.nic.resets, 1);
	assert_int_equal(rd(arq_reg(MBR_LEN)), 0);
	assert_false(next_message(&status));
	bring_up();
	others_live();
}

static int setup_vf(void **state)
{
	(void)state;
	return plug(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(version_answered, setup, teardown),
		cmocka_unit_test_setup_teardown(rings_wrap, setup, teardown),
		cmocka_unit_test_setup_teardown(answers_wait_for_buffers, setup, teardown),
		cmocka_unit_test_setup_teardown(requests_wait_for_answers, setup, teardown),
		cmocka_unit_test_setup_teardown(vector_0_per_answer, setup, teardown),
		cmocka_unit_test_setup_teardown(fault_drops_fails_and_delays, setup, teardown),
		cmocka_unit_test_setup_teardown(reset_drops_what_is_owed, setup, teardown),
		cmocka_unit_test_setup_teardown(lost_mailbox_reads_zero, setup_up, teardown),
		cmocka_unit_test_setup_teardown(ring_refused, setup_up, teardown),
		cmocka_unit_test_setup_teardown(tail_refused, setup_up, teardown),
		cmocka_unit_test_setup_teardown(descriptor_refused, setup_up, teardown),
		cmocka_unit_test_setup_teardown(small_buffer_stops_the_ring, setup_up, teardown),
		cmocka_unit_test_setup_teardown(unmapped_memory_stops_the_ring, setup_up, teardown),
		cmocka_unit_test_setup_teardown(vf_has_its_own_registers, setup_vf, teardown),
		cmocka_unit_test_setup_teardown(vf_ends_with_its_last_message, setup_vf, teardown),
		cmocka_unit_test_setup_teardown(vf_resets_by_message, setup_vf, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
