// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target: vfio-user messages. The server's source is compiled in, its socket
 * cut off; the input is what a client sent.
 *
 * Input: a byte of flags, a byte that says where the stream is cut in two, the stream.
 */
#include <sys/types.h>

static ssize_t reply_sink(int fd, const void *buf, size_t len, int flags);
#define send reply_sink
#include "../nic/transport/vfio_user.c"
#undef send

#include "loop.h"

#include <sys/eventfd.h>
#include <sys/mman.h>

#define F_GREETED	0x01u
#define F_MEMORY	0x02u	/* a memory file comes with the last message */
#define F_EVENTFD	0x04u
#define F_FDS		0x38u	/* how many of them more */

static struct nic nic;
static struct vfio_user *vu;
static int memory;

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* Every byte of a reply must be there. */
static ssize_t reply_sink(int fd, const void *buf, size_t len, int flags)
{
	volatile u8 sum = 0;

	(void)fd;
	(void)flags;
	for (size_t i = 0; i < len; i++)
		sum ^= ((const u8 *)buf)[i];
	return (ssize_t)len;
}

void nic_reset(struct nic *n, enum nic_reset kind)
{
	(void)n;
	(void)kind;
}

void nic_config_read(struct nic *n, u32 offset, void *buf, u32 len)
{
	memcpy(buf, n->config + offset, len);
}

void nic_config_write(struct nic *n, u32 offset, const void *buf, u32 len)
{
	memcpy(n->config + offset, buf, len);
}

void nic_bar_read(struct nic *n, u32 bar, u64 offset, void *buf, u32 len)
{
	(void)n;
	memset(buf, (int)(bar + offset), len);
}

void nic_bar_write(struct nic *n, u32 bar, u64 offset, const void *buf, u32 len)
{
	volatile u8 sum = 0;

	(void)n;
	(void)bar;
	(void)offset;
	for (u32 i = 0; i < len; i++)
		sum ^= ((const u8 *)buf)[i];
}

static void init(void)
{
	nic.cfg.vectors = 8;
	nic.loop = loop_new();
	nic.dma = dma_space_new(&nic);
	vu = alloc(&nic);
	memory = memfd_create("guest", MFD_CLOEXEC);
	if (ftruncate(memory, 1 << 20))
		abort();
}

static void add_fds(u8 flags)
{
	struct fds *f = &vu->fresh;
	u32 cnt = (flags & F_FDS) >> 3;

	if (!(flags & (F_MEMORY | F_EVENTFD)))
		return;
	f->at = last_message(vu);
	if (!f->at && vu->held.cnt)
		return;
	if (flags & F_MEMORY)
		f->fd[f->cnt++] = dup(memory);
	while ((flags & F_EVENTFD) && f->cnt <= cnt)
		f->fd[f->cnt++] = eventfd(0, 0);
}

/* What receive() does, with @flags for the descriptors that came along. */
static bool feed(const u8 *data, size_t size, u8 flags)
{
	if (size > sizeof(vu->buf) - vu->len)
		size = sizeof(vu->buf) - vu->len;
	memcpy(vu->buf + vu->len, data, size);
	vu->len += (u32)size;
	add_fds(flags);
	return handle_all(vu);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	size_t cut;

	if (!vu)
		init();
	if (size < 2)
		return 0;
	vu->greeted = data[0] & F_GREETED;
	cut = data[1] < size - 2 ? data[1] : size - 2;
	if (feed(data + 2, cut, 0))
		feed(data + 2 + cut, size - 2 - cut, data[0]);
	reset_vectors(vu, true);
	dma_unmap_all(nic.dma);
	fds_close(&vu->held);
	fds_close(&vu->fresh);
	vu->len = 0;
	return 0;
}
