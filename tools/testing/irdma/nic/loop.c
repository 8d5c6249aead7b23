// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the epoll descriptor, the heap of timers and the list of tasks.
 *
 * An event of epoll carries the descriptor's number and the generation of its
 * slot, so that one that was read for a descriptor closed (and perhaps opened
 * anew) by an earlier callback of the same round is recognised and dropped.
 */
#include "loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_PER_ROUND 16

struct fd_slot {
	loop_fd_fn *fn;		/* NULL: not watched */
	void *arg;
	u32 gen;
};

struct loop {
	int epfd;
	bool stopped;
	int status;
	struct fd_slot *fds;
	size_t fd_cnt;
	struct loop_timer **heap;
	size_t timer_cnt, timer_max;
	struct loop_task *head, **tail;
	u64 awake_max_ns;
	u64 awake_ns;		/* how long the next wait is awake before it sleeps */
};

struct loop *loop_new(void)
{
	struct loop *loop = calloc(1, sizeof(*loop));

	if (!loop)
		return NULL;
	loop->epfd = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epfd < 0) {
		free(loop);
		return NULL;
	}
	loop->tail = &loop->head;
	return loop;
}

void loop_stay_awake(struct loop *loop, u64 ns)
{
	loop->awake_max_ns = ns;
}

void loop_free(struct loop *loop)
{
	if (!loop)
		return;
	close(loop->epfd);
	free(loop->fds);
	free(loop->heap);
	free(loop);
}

u64 loop_now(const struct loop *loop)
{
	struct timespec ts;

	(void)loop;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000u + (u64)ts.tv_nsec;
}

/* --- descriptors --- */

static int fds_grow(struct loop *loop, size_t cnt)
{
	struct fd_slot *fds;

	if (cnt <= loop->fd_cnt)
		return 0;
	cnt += 64;
	fds = realloc(loop->fds, cnt * sizeof(*fds));
	if (!fds)
		return -ENOMEM;
	memset(fds + loop->fd_cnt, 0, (cnt - loop->fd_cnt) * sizeof(*fds));
	loop->fds = fds;
	loop->fd_cnt = cnt;
	return 0;
}

static int fd_ctl(struct loop *loop, int op, int fd, u32 events)
{
	struct epoll_event ev = {
		.events = events,
		.data.u64 = (u64)loop->fds[fd].gen << 32 | (u32)fd,
	};

	return epoll_ctl(loop->epfd, op, fd, &ev) ? -errno : 0;
}

int loop_fd_add(struct loop *loop, int fd, u32 events, loop_fd_fn *fn, void *arg)
{
	int err;

	if (fd < 0)
		return -EBADF;
	err = fds_grow(loop, (size_t)fd + 1);
	if (err)
		return err;
	err = fd_ctl(loop, EPOLL_CTL_ADD, fd, events);
	if (err)
		return err;
	loop->fds[fd].fn = fn;
	loop->fds[fd].arg = arg;
	return 0;
}

int loop_fd_mod(struct loop *loop, int fd, u32 events)
{
	if (fd < 0 || (size_t)fd >= loop->fd_cnt || !loop->fds[fd].fn)
		return -ENOENT;
	return fd_ctl(loop, EPOLL_CTL_MOD, fd, events);
}

void loop_fd_del(struct loop *loop, int fd)
{
	if (fd < 0 || (size_t)fd >= loop->fd_cnt || !loop->fds[fd].fn)
		return;
	epoll_ctl(loop->epfd, EPOLL_CTL_DEL, fd, NULL);
	loop->fds[fd].fn = NULL;
	loop->fds[fd].gen++;
}

static void fds_dispatch(struct loop *loop, const struct epoll_event *ev)
{
	const struct fd_slot *slot = &loop->fds[(u32)ev->data.u64];

	if (slot->fn && slot->gen == ev->data.u64 >> 32)
		slot->fn(slot->arg, ev->events);
}

/* --- timers: binary heap, earliest first --- */

static void heap_put(struct loop *loop, size_t i, struct loop_timer *t)
{
	loop->heap[i] = t;
	t->pos = i + 1;
}

static void heap_up(struct loop *loop, size_t i)
{
	struct loop_timer *t = loop->heap[i];

	while (i && loop->heap[(i - 1) / 2]->due > t->due) {
		heap_put(loop, i, loop->heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	heap_put(loop, i, t);
}

static void heap_down(struct loop *loop, size_t i)
{
	struct loop_timer *t = loop->heap[i];
	size_t child;

	while ((child = 2 * i + 1) < loop->timer_cnt) {
		if (child + 1 < loop->timer_cnt &&
		    loop->heap[child + 1]->due < loop->heap[child]->due)
			child++;
		if (loop->heap[child]->due >= t->due)
			break;
		heap_put(loop, i, loop->heap[child]);
		i = child;
	}
	heap_put(loop, i, t);
}

void timer_init(struct loop_timer *t, struct loop *loop, loop_fn *fn, void *arg)
{
	*t = (struct loop_timer) { .loop = loop, .fn = fn, .arg = arg };
}

void timer_arm(struct loop_timer *t, u64 ns)
{
	struct loop *loop = t->loop;
	u64 now = loop_now(loop);

	timer_cancel(t);
	if (loop->timer_cnt == loop->timer_max) {
		size_t max = loop->timer_max * 2 + 64;
		struct loop_timer **heap = realloc(loop->heap, max * sizeof(*heap));

		if (!heap)
			abort();	/* without its timer the owner would hang in silence */
		loop->heap = heap;
		loop->timer_max = max;
	}
	t->due = ns > UINT64_MAX - now ? UINT64_MAX : now + ns;
	heap_put(loop, loop->timer_cnt++, t);
	heap_up(loop, t->pos - 1);
}

void timer_cancel(struct loop_timer *t)
{
	struct loop *loop = t->loop;
	size_t i = t->pos - 1;

	if (!t->pos)
		return;
	t->pos = 0;
	if (i == --loop->timer_cnt)
		return;
	heap_put(loop, i, loop->heap[loop->timer_cnt]);
	heap_up(loop, i);
	heap_down(loop, i);
}

/* Those due now; one that is armed anew by a callback waits for the next round. */
static void timers_run(struct loop *loop)
{
	u64 now;

	if (!loop->timer_cnt)
		return;
	now = loop_now(loop);
	while (loop->timer_cnt && loop->heap[0]->due <= now) {
		struct loop_timer *t = loop->heap[0];

		timer_cancel(t);
		t->fn(t->arg);
	}
}

/* --- tasks --- */

void task_init(struct loop_task *t, struct loop *loop, loop_fn *fn, void *arg)
{
	*t = (struct loop_task) { .loop = loop, .fn = fn, .arg = arg };
}

void task_queue(struct loop_task *t)
{
	struct loop *loop = t->loop;

	if (t->prev)
		return;
	t->next = NULL;
	t->prev = loop->tail;
	*loop->tail = t;
	loop->tail = &t->next;
}

void task_cancel(struct loop_task *t)
{
	if (!t->prev)
		return;
	*t->prev = t->next;
	if (t->next)
		t->next->prev = t->prev;
	else
		t->loop->tail = t->prev;
	t->prev = NULL;
}

/* What was queued before the mark. What a task queues comes behind it. */
static void tasks_run(struct loop *loop)
{
	struct loop_task mark, *t;

	if (!loop->head)
		return;
	task_init(&mark, loop, NULL, NULL);
	task_queue(&mark);
	while ((t = loop->head) != &mark) {
		task_cancel(t);
		t->fn(t->arg);
	}
	task_cancel(&mark);
}

/* --- rounds --- */

static u64 wait_ns(const struct loop *loop, u64 max)
{
	u64 now;

	if (loop->head || loop->stopped)
		return 0;
	if (!loop->timer_cnt)
		return max;
	now = loop_now(loop);
	if (loop->heap[0]->due <= now)
		return 0;
	return loop->heap[0]->due - now < max ? loop->heap[0]->due - now : max;
}

static int fds_wait(struct loop *loop, struct epoll_event *evs, u64 ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(ns / 1000000000u),
		.tv_nsec = (long)(ns % 1000000000u),
	};
	int n = epoll_pwait2(loop->epfd, evs, EVENTS_PER_ROUND, &ts, NULL);

	if (n < 0 && errno == ENOSYS)	/* before Linux 5.11: milliseconds, rounded up */
		n = epoll_wait(loop->epfd, evs, EVENTS_PER_ROUND,
			       (int)(ns < 3600000000000u ? (ns + 999999) / 1000000 : 3600000));
	return n;
}

/*
 * To be woken takes longer than most of the work here. Who waited shortly before an
 * event will do so again: it stays awake for as long as that, once.
 */
static int fds_wait_awake(struct loop *loop, struct epoll_event *evs, u64 ns)
{
	u64 end = loop_now(loop) + (ns < loop->awake_ns ? ns : loop->awake_ns);
	int n;

	do
		n = epoll_wait(loop->epfd, evs, EVENTS_PER_ROUND, 0);
	while (!n && loop_now(loop) < end);
	return n;
}

static int fds_poll(struct loop *loop, struct epoll_event *evs, u64 max_wait_ns)
{
	u64 ns = wait_ns(loop, max_wait_ns), began = loop_now(loop);
	int n = 0;

	if (!ns)
		return fds_wait(loop, evs, 0);
	if (loop->awake_ns)
		n = fds_wait_awake(loop, evs, ns);
	if (!n)
		n = fds_wait(loop, evs, wait_ns(loop, max_wait_ns));
	loop->awake_ns = n > 0 && loop_now(loop) - began < loop->awake_max_ns ?
			 loop->awake_max_ns : 0;
	return n;
}

void loop_step(struct loop *loop, u64 max_wait_ns)
{
	struct epoll_event evs[EVENTS_PER_ROUND];
	int n;

	timers_run(loop);
	tasks_run(loop);
	n = fds_poll(loop, evs, max_wait_ns);
	for (int i = 0; i < n; i++)
		fds_dispatch(loop, &evs[i]);
	timers_run(loop);
}

int loop_run(struct loop *loop)
{
	while (!loop->stopped)
		loop_step(loop, 3600000000000u);
	loop->stopped = false;
	return loop->status;
}

void loop_stop(struct loop *loop, int status)
{
	loop->status = status;
	loop->stopped = true;
}
