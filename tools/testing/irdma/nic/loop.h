/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The event loop: file descriptors, timers and deferred work in one thread.
 *
 * Callbacks run to completion; none may block. A callback may add or remove any
 * descriptor, timer or task, its own included.
 */
#ifndef NIC_LOOP_H
#define NIC_LOOP_H

#include "types.h"

struct loop;

typedef void loop_fd_fn(void *arg, u32 events);
typedef void loop_fn(void *arg);

/* NULL when epoll is not to be had. */
struct loop *loop_new(void);
void loop_free(struct loop *loop);

/* Runs until loop_stop(); returns the status given there, or -errno. */
int loop_run(struct loop *loop);
void loop_stop(struct loop *loop, int status);

/*
 * One round: run due timers and queued tasks, wait at most @max_wait_ns for a
 * descriptor. For unit tests, which drive the loop themselves.
 */
void loop_step(struct loop *loop, u64 max_wait_ns);

/*
 * After a wait shorter than @ns the next one polls for as long before it sleeps: for a
 * machine with a processor to spare. 0, at first: always sleep.
 */
void loop_stay_awake(struct loop *loop, u64 ns);

/* CLOCK_MONOTONIC in nanoseconds. */
u64 loop_now(const struct loop *loop);

/* @events: EPOLLIN, EPOLLOUT. Returns 0 or -errno. */
int loop_fd_add(struct loop *loop, int fd, u32 events, loop_fd_fn *fn, void *arg);
int loop_fd_mod(struct loop *loop, int fd, u32 events);
void loop_fd_del(struct loop *loop, int fd);

/**
 * struct loop_timer - one-shot timer, owned by the caller
 * @due: loop_now() value at which it fires
 * @pos: place in the heap plus one; 0: not armed
 */
struct loop_timer {
	struct loop *loop;
	loop_fn *fn;
	void *arg;
	u64 due;
	size_t pos;
};

void timer_init(struct loop_timer *t, struct loop *loop, loop_fn *fn, void *arg);
/* Fires once in @ns nanoseconds from now; a timer that is armed already is moved. */
void timer_arm(struct loop_timer *t, u64 ns);
void timer_cancel(struct loop_timer *t);
static inline bool timer_armed(const struct loop_timer *t) { return t->pos; }

/**
 * struct loop_task - work that runs once, soon, after the current callback
 *
 * Tasks run in the order in which they were queued; one that queues itself again
 * runs in the next round, after descriptors had their turn.
 */
struct loop_task {
	struct loop *loop;
	loop_fn *fn;
	void *arg;
	struct loop_task *next, **prev;
};

void task_init(struct loop_task *t, struct loop *loop, loop_fn *fn, void *arg);
/* No effect on a task that is queued already. */
void task_queue(struct loop_task *t);
void task_cancel(struct loop_task *t);
static inline bool task_queued(const struct loop_task *t) { return t->prev; }

#endif
