// SPDX-License-Identifier: GPL-2.0
/* The DMA table: what is refused, splits over mappings, a vIOMMU's churn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "faults.h"
#include "nic.h"
#include "transport/dma.h"

#define PAGE	4096u
#define RW	(DMA_PROT_READ | DMA_PROT_WRITE)

static struct nic nic;
static struct dma_space *ds;
static u8 mem[4 * PAGE] __attribute__((aligned(4096)));

static int setup(void **state)
{
	(void)state;
	memset(&nic, 0, sizeof(nic));
	memset(mem, 0, sizeof(mem));
	nic.faults = fault_set_new();
	ds = nic.dma = dma_space_new(&nic);
	return !ds || !nic.faults;
}

static int teardown(void **state)
{
	(void)state;
	dma_space_free(ds);
	fault_set_free(nic.faults);
	return 0;
}

static void bad_maps_are_refused(void **state)
{
	(void)state;
	assert_int_equal(dma_map_mem(ds, 0, 0, mem, RW), -EINVAL);
	assert_int_equal(dma_map_mem(ds, 1, PAGE, mem, RW), -EINVAL);
	assert_int_equal(dma_map_mem(ds, 0, PAGE - 1, mem, RW), -EINVAL);
	assert_int_equal(dma_map_mem(ds, ~0ull << 12, 2 * PAGE, mem, RW), -EINVAL);
	assert_int_equal(dma_map_mem(ds, ~0ull << 12, PAGE, mem, RW), 0);
	assert_int_equal(dma_map_mem(ds, 0, 2 * PAGE, mem, RW), 0);
	assert_int_equal(dma_map_mem(ds, PAGE, PAGE, mem, RW), -EEXIST);
	assert_int_equal(dma_map_mem(ds, 0, 4 * PAGE, mem, RW), -EEXIST);
	assert_int_equal(dma_unmap(ds, 8 * PAGE, PAGE), -ENOENT);
	assert_int_equal(dma_unmap(ds, 0, PAGE), -EINVAL);	/* half of a mapping */
	assert_int_equal(dma_unmap(ds, PAGE, 8 * PAGE), -EINVAL);
	assert_int_equal(dma_unmap(ds, 0, 0), -EINVAL);
	assert_int_equal(dma_unmap(ds, PAGE, ~0ull), -EINVAL);
	assert_int_equal(dma_unmap(ds, 0, 2 * PAGE), 0);
}

static void file_mapping_ends_with_the_file(void **state)
{
	int fd = memfd_create("guest", 0), pipes[2];

	(void)state;
	assert_int_equal(ftruncate(fd, 2 * PAGE), 0);
	assert_int_equal(dma_map(ds, 0, 4 * PAGE, fd, 0, RW), -EINVAL);
	assert_int_equal(dma_map(ds, 0, 2 * PAGE, fd, PAGE, RW), -EINVAL);
	assert_int_equal(dma_map(ds, 0, PAGE, fd, 8, RW), -EINVAL);
	assert_int_equal(dma_map(ds, 0, PAGE, fd, ~0ull << 12, RW), -EINVAL);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(dma_map(ds, 0, PAGE, pipes[0], 0, RW), -EINVAL);
	assert_int_equal(dma_map(ds, 0, PAGE, fd, PAGE, RW), 0);
	assert_true(dma_write(ds, 16, "guest", 6));
	assert_int_equal(lseek(fd, PAGE + 16, SEEK_SET), PAGE + 16);
	assert_int_equal(read(fd, mem, 6), 6);
	assert_string_equal((char *)mem, "guest");
	close(pipes[0]);
	close(pipes[1]);
	close(fd);
}

/* V_DMA_FAULT: each refused access counts once and moves nothing. */
static void faults_move_nothing(void **state)
{
	u8 buf[2 * PAGE];
	size_t avail;
	u64 val = 7;

	(void)state;
	memset(buf, 0x55, sizeof(buf));
	assert_int_equal(dma_map_mem(ds, PAGE, PAGE, mem, RW), 0);
	assert_int_equal(dma_map_mem(ds, 4 * PAGE, PAGE, mem + PAGE, DMA_PROT_READ), 0);
	assert_int_equal(dma_map(ds, 5 * PAGE, PAGE, -1, 0, RW), 0);

	assert_false(dma_write(ds, 2 * PAGE - 4, buf, 8));	/* runs into a hole */
	assert_int_equal(violation_count(&nic, V_DMA_FAULT), 1);
	assert_int_equal(get32(mem + PAGE - 4), 0);
	assert_false(dma_write(ds, 4 * PAGE, buf, 1));		/* read only */
	assert_false(dma_read(ds, 5 * PAGE - 1, buf, 2));	/* nothing behind it */
	assert_false(dma_read(ds, ~0ull, buf, 2));		/* wraps */
	assert_false(dma_load64(ds, PAGE + 4, &val));		/* not aligned */
	assert_false(dma_store32(ds, 0, 1));
	assert_false(dma_store16(ds, 0, 1));
	assert_false(dma_store64(ds, 0, 1));
	assert_null(dma_ptr(ds, 3 * PAGE, 1, DMA_PROT_READ, &avail));
	assert_int_equal(violation_count(&nic, V_DMA_FAULT), 9);
	assert_int_equal(dma_stats(ds)->faults, 9);
	assert_int_equal(dma_stats(ds)->fault_addr, 3 * PAGE);
	assert_int_equal(val, 7);
	assert_int_equal(buf[0], 0x55);

	dma_enable(ds, false);
	assert_false(dma_read(ds, PAGE, buf, 1));
	dma_enable(ds, true);
	assert_true(dma_read(ds, PAGE, buf, PAGE));
	assert_int_equal(violation_total(&nic), 10);
}

static void transfers_cross_mappings(void **state)
{
	u8 in[3 * PAGE], out[3 * PAGE];
	size_t avail;
	u64 val;

	(void)state;
	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = (u8)(i * 7 + i / 256);
	/* the machine's pages in another order than the device's */
	assert_int_equal(dma_map_mem(ds, 0x10000, PAGE, mem + 2 * PAGE, RW), 0);
	assert_int_equal(dma_map_mem(ds, 0x12000, PAGE, mem, RW), 0);
	assert_int_equal(dma_map_mem(ds, 0x11000, PAGE, mem + PAGE, RW), 0);
	assert_true(dma_write(ds, 0x10010, in, 0x2fe0));
	assert_true(dma_read(ds, 0x10010, out, 0x2fe0));
	assert_memory_equal(in, out, 0x2fe0);
	assert_memory_equal(mem + 2 * PAGE + 0x10, in, PAGE - 0x10);
	assert_ptr_equal(dma_ptr(ds, 0x11ff0, 0x100, RW, &avail), mem + 2 * PAGE - 16);
	assert_int_equal(avail, 16);
	assert_true(dma_store64(ds, 0x12ff8, 0x1122334455667788));
	assert_true(dma_load64(ds, 0x12ff8, &val));
	assert_true(val == 0x1122334455667788);
	assert_true(dma_copy(ds, 0x12000, ds, 0x10800, PAGE));
	assert_memory_equal(mem, mem + 2 * PAGE + 0x800, 0x800);
	assert_false(dma_copy(ds, 0x12800, ds, 0x10000, PAGE));
}

static void small_maps_come_and_go(void **state)
{
	enum { PAGES = 4096 };
	int fd = memfd_create("guest", 0);
	bool there[PAGES] = {};
	u32 val;

	(void)state;
	srand(2);
	assert_int_equal(ftruncate(fd, PAGES * PAGE), 0);
	for (int n = 0; n < 60000; n++) {
		u64 page = (u64)rand() % PAGES, addr = 0xffff0000000ull + page * PAGE;
		int err = there[page] ? dma_unmap(ds, addr, PAGE) :
			  dma_map(ds, addr, PAGE, fd, (PAGES - 1 - page) * PAGE, RW);

		assert_int_equal(err, 0);
		there[page] = !there[page];
		assert_int_equal(dma_store32(ds, addr + 8, (u32)page), there[page]);
	}
	for (u64 page = 0; page < PAGES; page++) {
		u64 addr = 0xffff0000000ull + page * PAGE + 8;

		assert_int_equal(dma_read(ds, addr, &val, 4), there[page]);
		if (there[page])
			assert_int_equal(val, page);
	}
	close(fd);
}

static void knobs_fail_the_nth_access(void **state)
{
	char err[80];
	u32 val;

	(void)state;
	nic.dma = ds;
	assert_int_equal(dma_map_mem(ds, 0, PAGE, mem, RW), 0);
	assert_int_equal(fault_add(nic.faults, "dma-read,fail,nth=2", err, sizeof(err)), 0);
	assert_int_equal(fault_add(nic.faults, "dma-write,fail,nth=1,count=2", err, sizeof(err)), 0);
	assert_true(dma_read(ds, 0, &val, 4));
	assert_false(dma_read(ds, 0, &val, 4));
	assert_true(dma_read(ds, 0, &val, 4));
	assert_false(dma_write(ds, 0, &val, 4));
	assert_false(dma_store32(ds, 0, 0));
	assert_true(dma_write(ds, 0, &val, 4));
	assert_int_equal(violation_total(&nic), 0);	/* the guest did nothing wrong */
}

/*
 * Stores to page 0 of mem[], one by one: each faults, and is let through alone. What
 * it has changed is inverted, so that to store the same there again is a change, too.
 */
#define TRAP_FLAG	0x100

static struct {
	u8 was[PAGE];
	u16 at[2 * PAGE];	/* bytes that were stored, in order */
	u32 n;
} seen;

static void on_store(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	mprotect(mem, PAGE, PROT_READ | PROT_WRITE);
	uc->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void on_step(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	for (u16 i = 0; i < PAGE; i++) {
		if (mem[i] == seen.was[i])
			continue;
		seen.at[seen.n++ % (2 * PAGE)] = i;
		mem[i] = (u8)~mem[i];
		seen.was[i] = mem[i];
	}
	mprotect(mem, PAGE, PROT_READ);
	uc->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

static void watch_stores(bool on)
{
	struct sigaction store = { .sa_sigaction = on_store, .sa_flags = SA_SIGINFO };
	struct sigaction step = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };
	static struct sigaction old_store, old_step;

	if (on) {
		seen.n = 0;
		memcpy(seen.was, mem, PAGE);
	}
	assert_int_equal(sigaction(SIGSEGV, on ? &store : &old_store, on ? &old_store : NULL), 0);
	assert_int_equal(sigaction(SIGTRAP, on ? &step : &old_step, on ? &old_step : NULL), 0);
	assert_int_equal(mprotect(mem, PAGE, on ? PROT_READ : PROT_READ | PROT_WRITE), 0);
}

/* A poller may use, and overwrite, what has come before the rest has. */
static void every_byte_is_stored_once_in_order(void **state)
{
	(void)state;
	assert_int_equal(dma_map_mem(ds, 0, 4 * PAGE, mem, RW), 0);
	for (u32 i = PAGE; i < 2 * PAGE; i++)
		mem[i] = (u8)(i * 7 + 1);
	for (u32 len = 1; len <= 300; len += len < 70 ? 1 : 57)
		for (u32 i = 0; i < 64; i++) {
			u32 to = i & 15, from = PAGE + (i & 16 ? 3 : 0);
			bool ok;

			for (u32 k = 0; k < len; k++)
				mem[to + k] = (u8)~mem[from + k];
			watch_stores(true);
			ok = i & 32 ? dma_copy(ds, to, ds, from, len) :
				      dma_write(ds, to, mem + from, len);
			watch_stores(false);
			assert_true(ok);
			assert_int_equal(seen.n, len);
			for (u32 k = 0; k < len; k++) {
				assert_int_equal(seen.at[k], to + k);
				assert_int_equal(mem[to + k], (u8)~mem[from + k]);
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(bad_maps_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(file_mapping_ends_with_the_file, setup, teardown),
		cmocka_unit_test_setup_teardown(faults_move_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(transfers_cross_mappings, setup, teardown),
		cmocka_unit_test_setup_teardown(small_maps_come_and_go, setup, teardown),
		cmocka_unit_test_setup_teardown(knobs_fail_the_nth_access, setup, teardown),
		cmocka_unit_test_setup_teardown(every_byte_is_stored_once_in_order, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
