/* SPDX-License-Identifier: GPL-2.0 */
/* What the C programs of the guest share. */
#ifndef DEVICE_H
#define DEVICE_H

#include <err.h>
#include <infiniband/verbs.h>
#include <string.h>

/* The device of that name, open; ends the program if there is none. */
static inline struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	for (int i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			return ibv_open_device(list[i]);
	errx(1, "no device %s", name);
}

#endif
