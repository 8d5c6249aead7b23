// SPDX-License-Identifier: GPL-2.0
/* Register table and interrupt vectors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "faults.h"
#include "intr.h"
#include "loop.h"
#include "nic.h"
#include "regs.h"

static struct nic nic;
static u32 last_idx, last_val, window_bytes;
static int raised[8];

static void fake_raise(struct transport *tp, u32 vec)
{
	(void)tp;
	raised[vec]++;
}

static const struct transport_ops fake_ops = { .raise = fake_raise };
static struct transport fake = { .ops = &fake_ops };

static int setup(void **state)
{
	(void)state;
	memset(&nic, 0, sizeof(nic));
	memset(raised, 0, sizeof(raised));
	last_idx = last_val = window_bytes = 0;
	nic.loop = loop_new();
	nic.faults = fault_set_new();
	nic.regs = regs_new(&nic, NIC_BAR0_SIZE);
	nic.tp = &fake;
	return !nic.loop || !nic.faults || !nic.regs;
}

static int teardown(void **state)
{
	(void)state;
	intr_free(nic.intr);
	regs_free(nic.regs);
	fault_set_free(nic.faults);
	loop_free(nic.loop);
	return 0;
}

static u32 rd(u32 offset)
{
	u32 val = 0xdead;

	regs_read(nic.regs, offset, &val, 4);
	return val;
}

static void wr(u32 offset, u32 val)
{
	regs_write(nic.regs, offset, &val, 4);
}

static void note_write(void *arg, u32 idx, u32 val)
{
	(void)arg;
	last_idx = idx;
	last_val = val;
}

static u32 read_index(void *arg, u32 idx)
{
	return *(u32 *)arg + idx;
}

static void note_window(void *arg, u32 offset, const void *buf, u32 len)
{
	(void)arg;
	(void)buf;
	window_bytes += len;
	last_idx = offset;
}

static void blocks_interleave_but_do_not_overlap(void **state)
{
	struct reg_block b = { "A", 0x1000, 4096, 0x1000, REG_R | REG_W, NULL, note_write, NULL };

	(void)state;
	assert_int_equal(regs_add(nic.regs, &b), 0);
	b.offset += 4;
	assert_int_equal(regs_add(nic.regs, &b), 0);
	assert_int_equal(regs_add(nic.regs, &b), -EEXIST);
	b.offset = NIC_BAR0_SIZE - 4;
	b.count = 2;
	assert_int_equal(regs_add(nic.regs, &b), -EINVAL);
	b.count = 0;
	assert_int_equal(regs_add(nic.regs, &b), -EINVAL);
	b.count = 1;
	b.offset = 2;
	assert_int_equal(regs_add(nic.regs, &b), -EINVAL);
	wr(0x1000 + 0x1000 * 4095, 77);
	assert_int_equal(last_idx, 4095);
	assert_int_equal(last_val, 77);
	assert_int_equal(rd(0x1000 + 0x1000 * 4095), 77);
	assert_int_equal(rd(0x1004 + 0x1000 * 4095), 0);
	regs_reset(nic.regs);
	assert_int_equal(rd(0x1000 + 0x1000 * 4095), 0);
	assert_int_equal(violation_total(&nic), 0);
}

static void strict_accesses(void **state)
{
	u32 base = 100, cnt;
	struct reg_block ro = { "RO", 0x100, 4, 4, REG_R, read_index, NULL, &base };
	struct reg_block wo = { "WO", 0x200, 1, 0, REG_W, NULL, note_write, NULL };
	u8 buf[8];

	(void)state;
	assert_int_equal(regs_add(nic.regs, &ro), 0);
	assert_int_equal(regs_add(nic.regs, &wo), 0);
	assert_int_equal(rd(0x10c), 103);

	assert_int_equal(rd(0x110), 0);
	wr(0x204, 1);
	assert_int_equal(violation_count(&nic, V_REG_UNDEFINED), 2);

	memset(buf, 0xff, sizeof(buf));
	regs_read(nic.regs, 0x100, buf, 8);
	assert_true(get64(buf) == 0);
	regs_read(nic.regs, 0x101, buf, 1);
	regs_read(nic.regs, 0x102, buf, 4);
	regs_write(nic.regs, 0x200, buf, 2);
	regs_write(nic.regs, 0x200, buf, 8);
	assert_int_equal(violation_count(&nic, V_REG_WIDTH), 5);

	wr(0x100, 1);
	assert_int_equal(rd(0x200), 0);
	assert_int_equal(violation_count(&nic, V_REG_ACCESS), 2);
	assert_int_equal(last_val, 0);
	wr(0x200, 9);
	assert_int_equal(last_val, 9);
	assert_int_equal(regs_counts(nic.regs, &cnt)[1].writes, 1);
	assert_int_equal(cnt, 2);
}

static void window_takes_any_width(void **state)
{
	struct reg_window w = { "PUSH", 0x10000, 0x1000, note_window, NULL };
	struct reg_block b = { "A", 0xf000, 2, 0x1000, REG_W, NULL, NULL, NULL };
	u8 buf[64] = {};

	(void)state;
	assert_int_equal(regs_add_window(nic.regs, &w), 0);
	assert_int_equal(regs_add_window(nic.regs, &w), -EEXIST);
	assert_int_equal(regs_add(nic.regs, &b), -EEXIST);
	regs_write(nic.regs, 0x10fc0, buf, 64);
	assert_int_equal(window_bytes, 64);
	assert_int_equal(last_idx, 0xfc0);
	regs_write(nic.regs, 0x10fc4, buf, 64);	/* half out */
	regs_read(nic.regs, 0x10000, buf, 4);
	assert_int_equal(window_bytes, 64);
	assert_int_equal(violation_total(&nic), 2);
}

static void vector_fires_when_enabled_and_pending(void **state)
{
	(void)state;
	nic.intr = intr_new(&nic, 4);
	assert_non_null(nic.intr);
	intr_event(nic.intr, 2);
	assert_int_equal(raised[2], 0);
	wr(0x08902000, 0x3);		/* enable, clear pending: the event is not lost */
	assert_int_equal(raised[2], 1);
	intr_event(nic.intr, 2);	/* disabled by the message */
	intr_event(nic.intr, 2);
	assert_int_equal(raised[2], 1);
	wr(0x08902000, 0xc0000018);	/* enable left as it is */
	assert_int_equal(raised[2], 1);
	wr(0x08902000, 0x19);
	assert_int_equal(raised[2], 2);
	wr(0x08901000, 0x1000335);	/* software trigger */
	assert_int_equal(raised[1], 1);
	wr(0x08900000, 0x19);
	wr(0x08900000, 0);
	intr_event(nic.intr, 0);
	assert_int_equal(raised[0], 0);
	intr_reset(nic.intr);
	wr(0x08900000, 0x19);
	assert_int_equal(raised[0], 0);
	assert_int_equal(intr_count(nic.intr, 2), 2);

	assert_int_equal(violation_total(&nic), 0);
	intr_event(nic.intr, 4);
	assert_int_equal(violation_count(&nic, V_VECTOR_RANGE), 1);
}

static void vf_vectors_have_their_own_places(void **state)
{
	(void)state;
	nic.cfg.vf = true;
	nic.intr = intr_new(&nic, 4);
	assert_non_null(nic.intr);
	wr(0x5c00, 1);
	wr(0x3800, 1);
	wr(0x3808, 1);
	wr(0x2c00 + 0x100 * 2 + 8, 10);
	wr(0x4c08, 10);
	for (u32 v = 0; v < 4; v++)
		intr_event(nic.intr, v);
	assert_int_equal(raised[0] + raised[1] + raised[3], 3);
	assert_int_equal(raised[2], 0);
	assert_int_equal(violation_total(&nic), 0);
}

static void interrupt_knobs(void **state)
{
	char err[100];

	(void)state;
	nic.intr = intr_new(&nic, 4);
	assert_int_equal(fault_add(nic.faults, "interrupt:1,drop", err, sizeof(err)), 0);
	assert_int_equal(fault_add(nic.faults, "interrupt:1,dup,nth=2", err, sizeof(err)), 0);
	assert_int_equal(fault_add(nic.faults, "interrupt:2,delay=1ms", err, sizeof(err)), 0);
	for (int i = 1; i <= 3; i++) {
		wr(0x08901000, 1);
		intr_event(nic.intr, 1);
		assert_int_equal(raised[1], i == 1 ? 0 : i);	/* none, two, one */
	}
	wr(0x08902000, 1);
	intr_event(nic.intr, 2);
	assert_int_equal(raised[2], 0);
	for (int i = 0; i < 100 && !raised[2]; i++)
		loop_step(nic.loop, 10000000);
	assert_int_equal(raised[2], 1);
}

static void fault_specs(void **state)
{
	static const char *const bad[] = {
		"", "nonsense,fail", "interrupt", "interrupt,", "interrupt:x,drop",
		"interrupt,explode", "interrupt,delay", "interrupt,delay=5x", "interrupt,drop,nth=0",
		"interrupt,drop,often=2", "interrupt:-1,drop", "interrupt,delay=99999999999999s",
	};
	char err[160], large[400];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(fault_add(nic.faults, bad[i], err, sizeof(err)), -EINVAL);
	memset(large, 'a', sizeof(large));
	large[399] = 0;
	assert_int_equal(fault_add(nic.faults, large, err, sizeof(err)), -EINVAL);
	assert_null(fault_hit(&nic, F_INTERRUPT, 0));
	for (int i = 0; i < 64; i++)
		assert_int_equal(fault_add(nic.faults, "mailbox:501,fail=0x16,nth=3,count=0", err,
					   sizeof(err)), 0);
	assert_int_equal(fault_add(nic.faults, "interrupt,drop", err, sizeof(err)), -EINVAL);
	for (int i = 1; i < 6; i++) {
		const struct fault *f = fault_hit(&nic, F_MAILBOX, 501);

		assert_null(fault_hit(&nic, F_MAILBOX, 502));
		assert_int_equal(f != NULL, i >= 3);
		if (f)
			assert_int_equal(f->value, 0x16);
	}
	fault_clear(nic.faults);
	assert_null(fault_hit(&nic, F_MAILBOX, 501));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(blocks_interleave_but_do_not_overlap, setup, teardown),
		cmocka_unit_test_setup_teardown(strict_accesses, setup, teardown),
		cmocka_unit_test_setup_teardown(window_takes_any_width, setup, teardown),
		cmocka_unit_test_setup_teardown(vector_fires_when_enabled_and_pending, setup, teardown),
		cmocka_unit_test_setup_teardown(vf_vectors_have_their_own_places, setup, teardown),
		cmocka_unit_test_setup_teardown(interrupt_knobs, setup, teardown),
		cmocka_unit_test_setup_teardown(fault_specs, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
