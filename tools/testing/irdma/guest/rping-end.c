// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded into rping. Its thread for connection events reads one when poll() has
 * announced it, and blocks if it is gone by then: who destroys an identifier takes its
 * unread events back. The main thread does just that and waits for the other one, at
 * the end of about one run in a hundred for ever. Here the thread ends instead.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>

int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	int (*next)(struct rdma_event_channel *, struct rdma_cm_event **) =
		dlsym(RTLD_NEXT, "rdma_get_cm_event");
	int ret;

	fcntl(channel->fd, F_SETFL, fcntl(channel->fd, F_GETFL) | O_NONBLOCK);
	ret = next(channel, event);
	if (ret && errno == EAGAIN)
		pthread_exit(NULL);
	return ret;
}
