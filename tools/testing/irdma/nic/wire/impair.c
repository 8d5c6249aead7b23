// SPDX-License-Identifier: GPL-2.0
/*
 * Impairments of one port: what happens to frames on their way into the switch.
 *
 * Every frame passes, in this order: drop (rate or n-th), duplicate, corrupt,
 * reorder, delay. Delayed frames wait in one queue in the order of their
 * sending; jitter stretches the gaps but never swaps frames, that is what the
 * reorder rate does: such a frame is held until the next one has passed, or for
 * HOLD_NS when none comes.
 */
#include <stdlib.h>
#include <string.h>

#include "switch.h"

#define HOLD_NS		1000000ull
#define PPM		1000000u

/**
 * struct impair - settings and frames under way
 * @line: frames that wait, with @due their times in the same order
 * @last_due: of the latest frame in @line
 * @held: the one frame that was chosen to be overtaken
 */
struct impair {
	struct wire_port *port;
	struct wire_impair set;
	struct frame_queue line;
	u64 due[PORT_QUEUE];
	u64 last_due;
	struct frame *held;
	struct loop_timer line_timer, held_timer;
};

static bool chance(struct impair *im, u32 ppm)
{
	return ppm && wire_random(im->port->wire) % PPM < ppm;
}

static void line_run(void *arg)
{
	struct impair *im = arg;
	u64 now = loop_now(im->port->wire->loop);

	while (im->line.count && im->due[im->line.head] <= now)
		wire_forward(im->port, frame_queue_get(&im->line));
	if (im->line.count)
		timer_arm(&im->line_timer, im->due[im->line.head] - now);
}

static void delay(struct impair *im, struct frame *f)
{
	u64 now = loop_now(im->port->wire->loop);
	u64 due = now + im->set.delay_ns;

	if (!im->set.delay_ns && !im->set.jitter_ns && !im->line.count) {
		wire_forward(im->port, f);
		return;
	}
	if (im->set.jitter_ns)
		due += wire_random(im->port->wire) % (im->set.jitter_ns + 1);
	if (due < im->last_due)
		due = im->last_due;
	if (!frame_queue_put(&im->line, f)) {
		im->port->stats.dropped_queue++;
		frame_put(f);
		return;
	}
	im->due[(im->line.head + im->line.count - 1) % PORT_QUEUE] = due;
	im->last_due = due;
	if (!timer_armed(&im->line_timer))
		timer_arm(&im->line_timer, due - now);
}

static void release_held(void *arg)
{
	struct impair *im = arg;
	struct frame *f = im->held;

	if (!f)
		return;
	im->held = NULL;
	timer_cancel(&im->held_timer);
	delay(im, f);
}

static void reorder(struct impair *im, struct frame *f)
{
	if (!im->held && chance(im, im->set.reorder_ppm)) {
		im->port->stats.impaired++;
		im->held = f;
		timer_arm(&im->held_timer, HOLD_NS);
		return;
	}
	delay(im, f);
	release_held(im);
}

/* A copy with one bit turned over; other holders of @f keep theirs as it was. */
static struct frame *corrupted(struct impair *im, struct frame *f)
{
	u64 bit = wire_random(im->port->wire) % (f->len * 8ull);
	struct frame *copy = frame_new(f->len);

	if (!copy)
		return f;
	memcpy(copy->data, f->data, f->len);
	copy->data[bit / 8] ^= 1u << bit % 8;
	frame_put(f);
	im->port->stats.impaired++;
	return copy;
}

static bool dropped(struct impair *im)
{
	if (im->set.drop_nth && !--im->set.drop_nth)
		return true;
	return chance(im, im->set.loss_ppm);
}

void impair_frame(struct impair *im, struct frame *f)
{
	bool twice;

	if (dropped(im)) {
		im->port->stats.impaired++;
		frame_put(f);
		return;
	}
	twice = chance(im, im->set.dup_ppm);
	if (twice) {
		im->port->stats.impaired++;
		frame_get(f);
	}
	reorder(im, chance(im, im->set.corrupt_ppm) ? corrupted(im, f) : f);
	if (twice)
		reorder(im, f);
}

void impair_free(struct impair *im)
{
	timer_cancel(&im->line_timer);
	timer_cancel(&im->held_timer);
	frame_queue_clear(&im->line);
	if (im->held)
		frame_put(im->held);
	free(im);
}

/* Frames under way keep what was decided for them. */
bool impair_is_off(const struct impair *im)
{
	static const struct wire_impair off;

	return !memcmp(&im->set, &off, sizeof(off));
}

void wire_port_impair(struct wire_port *port, const struct wire_impair *set)
{
	struct impair *im = port->impair;

	if (!im) {
		im = calloc(1, sizeof(*im));
		if (!im)
			return;
		im->port = port;
		timer_init(&im->line_timer, port->wire->loop, line_run, im);
		timer_init(&im->held_timer, port->wire->loop, release_held, im);
		port->impair = im;
	}
	im->set = *set;
}
