// SPDX-License-Identifier: GPL-2.0
/* The event loop: order of timers and tasks, removal from within callbacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "loop.h"

static struct loop *loop;
static char order[64];
static size_t order_len;

static void note(void *arg)
{
	order[order_len++] = *(const char *)arg;
	order[order_len] = 0;
}

static int setup(void **state)
{
	(void)state;
	order_len = 0;
	order[0] = 0;
	loop = loop_new();
	return !loop;
}

static int teardown(void **state)
{
	(void)state;
	loop_free(loop);
	return 0;
}

static u64 last_due;
static int fired;

static void in_order(void *arg)
{
	const struct loop_timer *t = arg;

	assert_true(t->due >= last_due);
	assert_true(loop_now(loop) >= t->due);
	last_due = t->due;
	fired++;
}

static void timers_fire_in_order_of_time(void **state)
{
	static const u64 at_us[] = { 800, 300, 100, 700, 200, 600, 400, 500 };
	struct loop_timer t[8];
	u64 end;

	(void)state;
	last_due = 0;
	fired = 0;
	for (size_t i = 0; i < 8; i++) {
		timer_init(&t[i], loop, in_order, &t[i]);
		timer_arm(&t[i], at_us[i] * 1000);
	}
	timer_cancel(&t[3]);
	timer_arm(&t[2], 900000);	/* moved to the end */
	end = loop_now(loop) + 10000000000u;
	while (fired < 7 && loop_now(loop) < end)
		loop_step(loop, 10000000);
	assert_int_equal(fired, 7);
	for (size_t i = 0; i < 8; i++)
		assert_false(timer_armed(&t[i]));
}

struct noted {
	struct loop_timer t;
	bool armed;
};

static void once_in_order(void *arg)
{
	struct noted *n = arg;

	assert_true(n->armed);
	n->armed = false;
	in_order(&n->t);
}

static void random_timers_keep_the_heap(void **state)
{
	struct noted t[200];
	int armed = 0;
	u64 end;

	(void)state;
	srand(1);
	last_due = 0;
	fired = 0;
	for (size_t i = 0; i < 200; i++)
		timer_init(&t[i].t, loop, once_in_order, &t[i]);
	for (int n = 0; n < 5000; n++) {
		struct noted *a = &t[rand() % 200];

		a->armed = rand() % 3;
		if (a->armed)
			timer_arm(&a->t, (u64)(rand() % 10000) * 1000);
		else
			timer_cancel(&a->t);
	}
	for (size_t i = 0; i < 200; i++)
		armed += t[i].armed;
	assert_true(armed > 100);
	end = loop_now(loop) + 10000000000u;
	while (fired < armed && loop_now(loop) < end)
		loop_step(loop, 10000000);
	loop_step(loop, 0);
	assert_int_equal(fired, armed);
}

struct again {
	struct loop_task task, other;
	int runs;
};

static void queue_again(void *arg)
{
	struct again *a = arg;

	a->runs++;
	task_queue(&a->task);
	task_cancel(&a->other);
}

static void task_that_requeues_waits_a_round(void **state)
{
	struct again a = {};

	(void)state;
	task_init(&a.task, loop, queue_again, &a);
	task_init(&a.other, loop, note, (void *)"x");
	task_queue(&a.task);
	task_queue(&a.other);
	loop_step(loop, 0);
	assert_int_equal(a.runs, 1);
	assert_true(task_queued(&a.task));
	loop_step(loop, 0);
	assert_int_equal(a.runs, 2);
	assert_string_equal(order, "");	/* cancelled by the one before it */
	task_cancel(&a.task);
	task_queue(&a.other);
	loop_step(loop, 0);
	assert_string_equal(order, "x");
}

struct pair {
	int fd[2][2];
	int calls;
};

static void drop_both(void *arg, u32 events)
{
	struct pair *p = arg;

	assert_int_equal(events & EPOLLIN, EPOLLIN);
	p->calls++;
	loop_fd_del(loop, p->fd[0][0]);
	loop_fd_del(loop, p->fd[1][0]);
}

static void removed_descriptor_is_not_called(void **state)
{
	struct pair p = {};

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pipe(p.fd[i]), 0);
		assert_int_equal(loop_fd_add(loop, p.fd[i][0], EPOLLIN, drop_both, &p), 0);
		assert_int_equal(write(p.fd[i][1], "", 1), 1);
	}
	loop_step(loop, 1000000);
	loop_step(loop, 0);
	assert_int_equal(p.calls, 1);
	for (int i = 0; i < 2; i++) {
		close(p.fd[i][0]);
		close(p.fd[i][1]);
	}
	assert_true(loop_fd_add(loop, -1, EPOLLIN, drop_both, &p) < 0);
	assert_true(loop_fd_mod(loop, 1000000, EPOLLIN) < 0);
}

static void drain(void *arg, u32 events)
{
	struct pair *p = arg;
	char byte;

	(void)events;
	assert_int_equal(read(p->fd[0][0], &byte, 1), 1);
	p->calls++;
}

/* After events in quick succession the loop stays awake: no wait is shorter or longer for it. */
static void awake_waits_are_waits(void **state)
{
	struct pair p = {};
	struct loop_timer t;
	u64 began;

	(void)state;
	loop_stay_awake(loop, 100000);
	assert_int_equal(pipe(p.fd[0]), 0);
	assert_int_equal(loop_fd_add(loop, p.fd[0][0], EPOLLIN, drain, &p), 0);
	timer_init(&t, loop, note, "t");
	for (int i = 0; i < 3; i++) {
		assert_int_equal(write(p.fd[0][1], "", 1), 1);
		loop_step(loop, 1000000);
		assert_int_equal(p.calls, i + 1);
	}
	timer_arm(&t, 20000);
	loop_step(loop, 1000000000);
	assert_string_equal(order, "t");
	assert_int_equal(write(p.fd[0][1], "", 1), 1);
	loop_step(loop, 1000000);
	began = loop_now(loop);
	loop_step(loop, 2000000);
	assert_true(loop_now(loop) - began >= 2000000);
	close(p.fd[0][0]);
	close(p.fd[0][1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(timers_fire_in_order_of_time, setup, teardown),
		cmocka_unit_test_setup_teardown(random_timers_keep_the_heap, setup, teardown),
		cmocka_unit_test_setup_teardown(task_that_requeues_waits_a_round, setup, teardown),
		cmocka_unit_test_setup_teardown(removed_descriptor_is_not_called, setup, teardown),
		cmocka_unit_test_setup_teardown(awake_waits_are_waits, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
