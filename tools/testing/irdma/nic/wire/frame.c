// SPDX-License-Identifier: GPL-2.0
/* Frames and bounded queues of them. */
#include <stdlib.h>

#include "switch.h"

struct frame *frame_new(u32 len)
{
	struct frame *f;

	if (len > WIRE_FRAME_MAX)
		return NULL;
	f = malloc(sizeof(*f) + len);
	if (!f)
		return NULL;
	f->refs = 1;
	f->len = len;
	return f;
}

struct frame *frame_get(struct frame *f)
{
	f->refs++;
	return f;
}

void frame_put(struct frame *f)
{
	if (!--f->refs)
		free(f);
}

bool frame_queue_put(struct frame_queue *q, struct frame *f)
{
	if (q->count == PORT_QUEUE)
		return false;
	q->slot[(q->head + q->count++) % PORT_QUEUE] = f;
	return true;
}

struct frame *frame_queue_get(struct frame_queue *q)
{
	struct frame *f;

	if (!q->count)
		return NULL;
	f = q->slot[q->head];
	q->head = (q->head + 1) % PORT_QUEUE;
	q->count--;
	return f;
}

void frame_queue_clear(struct frame_queue *q)
{
	struct frame *f;

	while ((f = frame_queue_get(q)))
		frame_put(f);
}
