// SPDX-License-Identifier: GPL-2.0
/*
 * The vfio-user server against a client that is this test. The NIC's core is
 * replaced by one that notes what it is told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <linux/vfio.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "loop.h"
#include "nic.h"
#include "pci_config.h"
#include "transport/dma.h"
#include "transport/vfio_user.h"

enum { VERSION = 1, DMA_MAP, DMA_UNMAP, GET_INFO, GET_REGION_INFO, GET_REGION_IO_FDS,
       GET_IRQ_INFO, SET_IRQS, REGION_READ, REGION_WRITE, DMA_READ, DMA_WRITE, DEVICE_RESET,
       DIRTY_PAGES, WRITE_MULTI };

#define NO_REPLY	0x10u
#define VECTORS		8
#define PAGE		4096u
#define TRIGGER_FD	(VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER)

static struct nic nic;
static struct vfio_user *vu;
static int sock;		/* the client's end */
static u8 reply[70000];
static u32 reply_len;		/* payload */
static int resets[NIC_RESET_SPONTANEOUS + 1];

static struct { u64 offset; u32 bar, len, val; } writes[64];
static u32 write_cnt;

/* --- the core --- */

void nic_reset(struct nic *n, enum nic_reset kind)
{
	(void)n;
	resets[kind]++;
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
	u64 val = offset + bar;

	(void)n;
	memset(buf, 0, len);
	memcpy(buf, &val, len < 8 ? len : 8);
}

void nic_bar_write(struct nic *n, u32 bar, u64 offset, const void *buf, u32 len)
{
	(void)n;
	assert_true(write_cnt < ARRAY_SIZE(writes));
	writes[write_cnt].bar = bar;
	writes[write_cnt].offset = offset;
	writes[write_cnt].len = len;
	writes[write_cnt++].val = len >= 4 ? get32(buf) : *(const u8 *)buf;
}

/* --- the client --- */

static void turn(void)
{
	for (int i = 0; i < 4; i++)
		loop_step(nic.loop, 0);
}

/* Appends a message to @buf; returns its size. */
static u32 message(u8 *buf, u16 cmd, u32 flags, const void *data, u32 len)
{
	put16(buf, 0x1234);
	put16(buf + 2, cmd);
	put32(buf + 4, 16 + len);
	put32(buf + 8, flags);
	put32(buf + 12, 0);
	if (len)
		memcpy(buf + 16, data, len);
	return 16 + len;
}

static void send_raw(const void *buf, u32 len, const int *fds, u32 fd_cnt)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(20 * sizeof(int))];
	} control = {};
	struct iovec iov = { (void *)buf, len };
	struct msghdr mh = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fd_cnt) {
		struct cmsghdr *c;

		mh.msg_control = control.bytes;
		mh.msg_controllen = CMSG_SPACE(fd_cnt * sizeof(int));
		c = CMSG_FIRSTHDR(&mh);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(fd_cnt * sizeof(int));
		memcpy(CMSG_DATA(c), fds, fd_cnt * sizeof(int));
	}
	assert_int_equal(sendmsg(sock, &mh, MSG_NOSIGNAL), len);
}

/* Receives one reply to a @cmd; returns its error, 0 if none. */
static u32 get_reply(u16 cmd)
{
	u8 hdr[16];
	u32 size;

	assert_int_equal(recv(sock, hdr, 16, MSG_DONTWAIT), 16);
	assert_int_equal(get16(hdr), 0x1234);
	assert_int_equal(get16(hdr + 2), cmd);
	size = get32(hdr + 4);
	assert_true(size >= 16 && size <= sizeof(reply));
	reply_len = size - 16;
	if (reply_len)
		assert_int_equal(recv(sock, reply, reply_len, MSG_DONTWAIT), reply_len);
	assert_int_equal(get32(hdr + 8), get32(hdr + 12) ? 0x21 : 1);
	return get32(hdr + 12);
}

static bool silent(void)
{
	struct pollfd p = { .fd = sock, .events = POLLIN };

	return poll(&p, 1, 0) == 0;
}

static u32 call_fds(u16 cmd, const void *data, u32 len, const int *fds, u32 fd_cnt)
{
	static u8 buf[70000];

	send_raw(buf, message(buf, cmd, 0, data, len), fds, fd_cnt);
	turn();
	return get_reply(cmd);
}

static u32 call(u16 cmd, const void *data, u32 len)
{
	return call_fds(cmd, data, len, NULL, 0);
}

static void greet(void)
{
	static const char hello[] = "\0\0\0\0{\"capabilities\":{}}";

	assert_int_equal(call(VERSION, hello, sizeof(hello)), 0);
	assert_int_equal(get32(reply), 0);
	assert_int_equal(reply[reply_len - 1], 0);
	assert_non_null(strstr((char *)reply + 4, "\"write_multiple\":true"));
}

static void connect_client(void)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	vfio_user_free(vu);
	if (sock >= 0)
		close(sock);
	sock = pair[0];
	vu = vfio_user_attach(&nic, pair[1]);
	assert_non_null(vu);
}

static int setup(void **state)
{
	(void)state;
	memset(&nic, 0, sizeof(nic));
	memset(resets, 0, sizeof(resets));
	write_cnt = 0;
	sock = -1;
	vu = NULL;
	nic.cfg.vectors = VECTORS;
	nic.loop = loop_new();
	nic.dma = dma_space_new(&nic);
	connect_client();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	vfio_user_free(vu);
	close(sock);
	dma_space_free(nic.dma);
	loop_free(nic.loop);
	return 0;
}

static u32 put_access(u8 *p, u64 offset, u32 region, u32 count)
{
	put64(p, offset);
	put32(p + 8, region);
	put32(p + 12, count);
	return 16;
}

static u32 dma_map_msg(u8 *p, u64 iova, u64 size, u64 offset, u32 flags)
{
	put32(p, 32);
	put32(p + 4, flags);
	put64(p + 8, offset);
	put64(p + 16, iova);
	put64(p + 24, size);
	return 32;
}

static u32 irqs_msg(u8 *p, u32 flags, u32 index, u32 start, u32 count)
{
	put32(p, 20);
	put32(p + 4, flags);
	put32(p + 8, index);
	put32(p + 12, start);
	put32(p + 16, count);
	return 20;
}

/* --- tests --- */

static void device_is_described(void **state)
{
	static const u64 sizes[VFIO_PCI_NUM_REGIONS] = { NIC_BAR0_SIZE, 0, 0x10000, 0, 0, 0, 0, 4096, 0 };
	u8 msg[32] = {};

	(void)state;
	greet();
	put32(msg, 32);
	assert_int_equal(call(GET_INFO, msg, 16), 0);
	assert_int_equal(get32(reply + 4), VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET);
	assert_int_equal(get32(reply + 8), VFIO_PCI_NUM_REGIONS);
	for (u32 i = 0; i < VFIO_PCI_NUM_REGIONS; i++) {
		put32(msg + 8, i);
		assert_int_equal(call(GET_REGION_INFO, msg, 32), 0);
		assert_int_equal(reply_len, 32);
		assert_int_equal(get32(reply), 32);
		/* no mmap: everything is trapped */
		assert_int_equal(get32(reply + 4), sizes[i] ? 3 : 0);
		assert_true(get64(reply + 16) == sizes[i]);
	}
	put32(msg + 8, VFIO_PCI_NUM_REGIONS);
	assert_int_equal(call(GET_REGION_INFO, msg, 32), EINVAL);
	put32(msg + 8, VFIO_PCI_MSIX_IRQ_INDEX);
	assert_int_equal(call(GET_IRQ_INFO, msg, 16), 0);
	assert_int_equal(get32(reply + 4), VFIO_IRQ_INFO_EVENTFD);
	assert_int_equal(get32(reply + 12), VECTORS);
	put32(msg + 8, VFIO_PCI_INTX_IRQ_INDEX);
	assert_int_equal(call(GET_IRQ_INFO, msg, 16), 0);
	assert_int_equal(get32(reply + 12), 0);
	put32(msg + 8, VFIO_PCI_ERR_IRQ_INDEX);
	assert_int_equal(call(GET_IRQ_INFO, msg, 16), EINVAL);
	assert_int_equal(call(DEVICE_RESET, NULL, 0), 0);
	assert_int_equal(resets[NIC_RESET_FUNCTION], 1);
	assert_int_equal(call(GET_REGION_IO_FDS, msg, 16), EOPNOTSUPP);
	assert_int_equal(call(99, msg, 16), EOPNOTSUPP);
}

static void accesses_reach_the_core_in_order(void **state)
{
	u8 buf[512], data[24 * 4 + 8];
	u32 len = 0;

	(void)state;
	greet();
	put_access(data, 0x08400010, 0, 4);
	put32(data + 16, 63);
	assert_int_equal(call(REGION_WRITE, data, 20), 0);
	assert_int_equal(reply_len, 16);
	assert_int_equal(call(REGION_READ, data, 16), 0);
	assert_int_equal(reply_len, 20);
	assert_int_equal(get32(reply + 16), 0x08400010);

	/* posted: write, three in one, write, in one read; none is replied to */
	put32(data + 16, 1);
	len += message(buf + len, REGION_WRITE, NO_REPLY, data, 20);
	put64(data, 3);
	for (u32 i = 0; i < 3; i++) {
		put_access(data + 8 + 24 * i, 0x100 * i, 0, 4);
		put32(data + 24 + 24 * i, 2 + i);
	}
	len += message(buf + len, WRITE_MULTI, NO_REPLY, data, 8 + 3 * 24);
	put_access(data, 8, 2, 1);
	data[16] = 5;
	len += message(buf + len, REGION_WRITE, NO_REPLY, data, 17);
	send_raw(buf, len, NULL, 0);
	turn();
	assert_true(silent());
	assert_int_equal(write_cnt, 6);
	for (u32 i = 1; i < 6; i++)
		assert_int_equal(writes[i].val, i);
	assert_int_equal(writes[5].bar, 2);
	assert_int_equal(writes[5].len, 1);

	put_access(data, 4094, VFIO_PCI_CONFIG_REGION_INDEX, 2);
	put16(data + 16, 0x77aa);
	assert_int_equal(call(REGION_WRITE, data, 18), 0);
	assert_int_equal(get16(nic.config + 4094), 0x77aa);
	put_access(data, 0, VFIO_PCI_CONFIG_REGION_INDEX, 4096);
	assert_int_equal(call(REGION_READ, data, 16), 0);
	assert_int_equal(reply_len, 16 + 4096);
	assert_int_equal(get16(reply + 16 + 4094), 0x77aa);
}

static void accesses_outside_are_refused(void **state)
{
	static const struct { u64 offset; u32 region, count; } bad[] = {
		{ NIC_BAR0_SIZE, 0, 4 }, { NIC_BAR0_SIZE - 2, 0, 4 }, { ~0ull - 1, 0, 4 },
		{ 0, 1, 4 }, { 0, 6, 1 }, { 0, 8, 1 }, { 0, 9, 1 }, { 0, ~0u, 1 }, { 0, 0, 0 },
		{ 0, 0, 65537 }, { 0, 0, ~0u }, { 4096, 7, 1 }, { 0, 7, 4097 },
	};
	u8 data[32] = {};

	(void)state;
	greet();
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		put_access(data, bad[i].offset, bad[i].region, bad[i].count);
		assert_int_equal(call(REGION_READ, data, 16), EINVAL);
		if (bad[i].count <= 4)
			assert_int_equal(call(REGION_WRITE, data, 16 + bad[i].count), EINVAL);
	}
	assert_int_equal(write_cnt, 0);
	assert_int_equal(violation_total(&nic), 0);
}

static void vectors_signal_their_eventfds(void **state)
{
	int fds[VECTORS];
	u64 val;
	u8 msg[32];

	(void)state;
	greet();
	for (int i = 0; i < VECTORS; i++)
		fds[i] = eventfd(0, EFD_NONBLOCK);
	nic.tp->ops->raise(nic.tp, 3);	/* kept until there is somebody to tell */
	irqs_msg(msg, TRIGGER_FD, VFIO_PCI_MSIX_IRQ_INDEX, 0, 1);
	assert_int_equal(call(SET_IRQS, msg, 20), 0);
	irqs_msg(msg, TRIGGER_FD, VFIO_PCI_MSIX_IRQ_INDEX, 2, 3);
	assert_int_equal(call_fds(SET_IRQS, msg, 20, fds + 2, 3), 0);
	assert_int_equal(read(fds[3], &val, 8), 8);
	assert_int_equal(val, 1);
	assert_int_equal(read(fds[3], &val, 8), -1);
	nic.tp->ops->raise(nic.tp, 4);
	nic.tp->ops->raise(nic.tp, 4);
	assert_int_equal(read(fds[4], &val, 8), 8);
	assert_int_equal(val, 2);
	nic.tp->ops->raise(nic.tp, 5);
	assert_int_equal(read(fds[5], &val, 8), -1);

	irqs_msg(msg, VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER,
		 VFIO_PCI_MSIX_IRQ_INDEX, 2, 1);
	assert_int_equal(call(SET_IRQS, msg, 20), 0);
	assert_int_equal(read(fds[2], &val, 8), 8);

	/* all off; a reset forgets what was pending */
	irqs_msg(msg, VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER,
		 VFIO_PCI_MSIX_IRQ_INDEX, 0, 0);
	assert_int_equal(call(SET_IRQS, msg, 20), 0);
	nic.tp->ops->raise(nic.tp, 4);
	assert_int_equal(read(fds[4], &val, 8), -1);
	assert_int_equal(call(DEVICE_RESET, NULL, 0), 0);
	irqs_msg(msg, TRIGGER_FD, VFIO_PCI_MSIX_IRQ_INDEX, 0, VECTORS);
	assert_int_equal(call_fds(SET_IRQS, msg, 20, fds, VECTORS), 0);
	for (int i = 0; i < VECTORS; i++)
		assert_int_equal(read(fds[i], &val, 8), -1);

	irqs_msg(msg, TRIGGER_FD, VFIO_PCI_MSIX_IRQ_INDEX, VECTORS, 1);
	assert_int_equal(call(SET_IRQS, msg, 20), EINVAL);
	irqs_msg(msg, TRIGGER_FD, VFIO_PCI_MSIX_IRQ_INDEX, 1, ~0u);
	assert_int_equal(call(SET_IRQS, msg, 20), EINVAL);
	irqs_msg(msg, TRIGGER_FD, VFIO_PCI_MSI_IRQ_INDEX, 0, 1);
	assert_int_equal(call(SET_IRQS, msg, 20), EINVAL);
	irqs_msg(msg, VFIO_IRQ_SET_DATA_BOOL | VFIO_IRQ_SET_ACTION_MASK,
		 VFIO_PCI_MSIX_IRQ_INDEX, 0, 1);
	assert_int_equal(call(SET_IRQS, msg, 20), EINVAL);
	for (int i = 0; i < VECTORS; i++)
		close(fds[i]);
}

static void full_eventfd_does_not_block(void **state)
{
	int fd = eventfd(0, 0);		/* blocking, as a bad client would leave it */
	u64 most = ~0ull - 1;
	u8 msg[32];

	(void)state;
	greet();
	assert_int_equal(write(fd, &most, 8), 8);
	irqs_msg(msg, TRIGGER_FD, VFIO_PCI_MSIX_IRQ_INDEX, 0, 1);
	assert_int_equal(call_fds(SET_IRQS, msg, 20, &fd, 1), 0);
	nic.tp->ops->raise(nic.tp, 0);
	close(fd);
}

static void descriptors_find_their_message(void **state)
{
	int fd = memfd_create("guest", 0);
	u8 buf[512], map[32], gone[24] = {};
	u32 val, len = 0;

	(void)state;
	greet();
	assert_int_equal(ftruncate(fd, 4 * PAGE), 0);
	assert_int_equal(pwrite(fd, "guest", 6, 2 * PAGE), 6);

	/* without descriptor, with one, and the start of another, in one read */
	dma_map_msg(map, 0x100000, PAGE, 0, 3);
	len = message(buf, DMA_MAP, 0, map, 32);
	send_raw(buf, len, NULL, 0);
	dma_map_msg(map, 0x200000, 2 * PAGE, 2 * PAGE, 3);
	len = message(buf, DMA_MAP, 0, map, 32);
	send_raw(buf, len, &fd, 1);
	dma_map_msg(map, 0x300000, PAGE, 0, 1);
	len = message(buf, DMA_MAP, 0, map, 32);
	send_raw(buf, 20, &fd, 1);
	turn();
	assert_int_equal(get_reply(DMA_MAP), 0);
	assert_int_equal(get_reply(DMA_MAP), 0);
	assert_true(silent());
	send_raw(buf + 20, len - 20, NULL, 0);
	turn();
	assert_int_equal(get_reply(DMA_MAP), 0);

	assert_false(dma_read(nic.dma, 0x100000, &val, 4));
	assert_true(dma_read(nic.dma, 0x200000, &val, 4));
	assert_memory_equal(&val, "gues", 4);
	assert_true(dma_read(nic.dma, 0x300000, &val, 4));
	assert_false(dma_write(nic.dma, 0x300000, &val, 4));

	assert_int_equal(call(DMA_MAP, map, 32), EEXIST);
	dma_map_msg(map, 0x400000, PAGE, 4 * PAGE, 3);
	assert_int_equal(call_fds(DMA_MAP, map, 32, &fd, 1), EINVAL);
	dma_map_msg(map, 0x400000, PAGE, 0, 0);
	assert_int_equal(call_fds(DMA_MAP, map, 32, &fd, 1), EINVAL);

	put64(gone + 8, 0x200000);
	put64(gone + 16, PAGE);
	assert_int_equal(call(DMA_UNMAP, gone, 24), EINVAL);	/* cuts a mapping */
	put64(gone + 16, 2 * PAGE);
	assert_int_equal(call(DMA_UNMAP, gone, 24), 0);
	assert_int_equal(call(DMA_UNMAP, gone, 24), 0);		/* nothing there any more */
	assert_false(dma_read(nic.dma, 0x200000, &val, 4));
	put32(gone + 4, VFIO_DMA_UNMAP_FLAG_ALL);
	assert_int_equal(call(DMA_UNMAP, gone, 24), EINVAL);
	memset(gone + 8, 0, 16);
	assert_int_equal(call(DMA_UNMAP, gone, 24), 0);
	assert_false(dma_read(nic.dma, 0x300000, &val, 4));
	close(fd);
}

static void any_fragmentation_will_do(void **state)
{
	u8 buf[4096], data[20];
	u32 len = 0;

	(void)state;
	greet();
	for (u32 i = 0; i < 50; i++) {
		put_access(data, 4 * i, 0, 4);
		put32(data + 16, i);
		len += message(buf + len, REGION_WRITE, NO_REPLY, data, 20);
	}
	srand(3);
	for (u32 off = 0; off < len;) {
		u32 n = 1 + (u32)rand() % 60;

		if (n > len - off)
			n = len - off;
		send_raw(buf + off, n, NULL, 0);
		loop_step(nic.loop, 0);
		off += n;
	}
	turn();
	assert_int_equal(write_cnt, 50);
	for (u32 i = 0; i < 50; i++)
		assert_int_equal(writes[i].val, i);
}

static bool closed(void)
{
	struct pollfd p = { .fd = sock, .events = POLLIN };
	u8 buf[256];
	ssize_t n;

	do {
		if (poll(&p, 1, 0) != 1)
			return false;
		n = recv(sock, buf, sizeof(buf), MSG_DONTWAIT);
	} while (n > 0);
	return n == 0 || errno == ECONNRESET;
}

/* One V_VFU_MESSAGE each, the connection is closed, the NIC reset, the next client served. */
static void malformed_messages_end_the_connection(void **state)
{
	static const struct { u16 cmd; u32 flags, size, first; } bad[] = {
		{ VERSION, 0, 40, 0 },			/* twice */
		{ GET_INFO, 0, 20, 0 },			/* too short */
		{ GET_INFO, 1, 32, 0 },			/* a reply */
		{ GET_INFO, 2, 32, 0 },
		{ GET_INFO, 0x20, 32, 0 },
		{ GET_INFO, 0x40, 32, 0 },
		{ GET_INFO, 0, 15, 0 },			/* less than its header */
		{ GET_INFO, 0, 0, 0 },
		{ GET_INFO, 0, 1 << 20, 0 },
		{ GET_INFO, 0, ~0u, 0 },
		{ DMA_MAP, 0, 47, 32 },
		{ DMA_UNMAP, 0, 39, 24 },
		{ SET_IRQS, 0, 35, 20 },
		{ REGION_READ, 0, 31, 0 },
		{ REGION_WRITE, 0, 40, 0 },		/* count 0, 8 bytes follow */
		{ REGION_WRITE, NO_REPLY, 40, 0 },
		{ WRITE_MULTI, 0, 24, 1 },		/* one entry, none follows */
		{ WRITE_MULTI, NO_REPLY, 24, ~0u },
	};
	u8 buf[64];

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(bad); i++) {
		greet();
		memset(buf, 0, sizeof(buf));
		message(buf, bad[i].cmd, bad[i].flags, NULL, 0);
		put32(buf + 4, bad[i].size);
		put32(buf + 16, bad[i].first);
		send_raw(buf, bad[i].size < sizeof(buf) && bad[i].size > 16 ? bad[i].size : 16,
			 NULL, 0);
		turn();
		assert_true(closed());
		assert_true(vfio_user_idle(vu));
		assert_null(nic.tp);
		assert_int_equal(violation_count(&nic, V_VFU_MESSAGE), i + 1);
		assert_int_equal(resets[NIC_RESET_POWER_ON], i + 1);
		connect_client();
	}
	send_raw(buf, message(buf, GET_INFO, 0, buf, 16), NULL, 0);	/* before VERSION */
	turn();
	assert_true(closed());
	assert_int_equal(violation_count(&nic, V_VFU_MESSAGE), ARRAY_SIZE(bad) + 1);
}

static void descriptors_in_the_wrong_number(void **state)
{
	int fds[20];
	u8 msg[32], buf[64];
	u32 len;

	(void)state;
	for (int i = 0; i < 20; i++)
		fds[i] = eventfd(0, 0);
	greet();
	irqs_msg(msg, TRIGGER_FD, VFIO_PCI_MSIX_IRQ_INDEX, 0, 3);
	len = message(buf, SET_IRQS, 0, msg, 20);
	send_raw(buf, len, fds, 2);
	turn();
	assert_true(closed());

	connect_client();
	greet();
	dma_map_msg(msg, 0, PAGE, 0, 3);
	len = message(buf, DMA_MAP, 0, msg, 32);
	send_raw(buf, len, fds, 2);
	turn();
	assert_true(closed());

	connect_client();
	greet();
	send_raw(buf, 20, fds, 1);	/* twice in one message */
	turn();
	send_raw(buf + 20, 4, fds, 1);
	turn();
	assert_true(closed());

	connect_client();
	greet();
	send_raw(buf, len, fds, 20);	/* more than was offered */
	turn();
	assert_true(closed());
	assert_int_equal(violation_count(&nic, V_VFU_MESSAGE), 4);
	for (int i = 0; i < 20; i++)
		close(fds[i]);
}

static void client_that_does_not_read(void **state)
{
	u8 buf[64], data[16];
	u32 len;

	(void)state;
	greet();
	put_access(data, 0, 0, 65536);
	len = message(buf, REGION_READ, 0, data, 16);
	for (int i = 0; i < 64 && !vfio_user_idle(vu); i++) {
		send_raw(buf, len, NULL, 0);
		turn();
	}
	assert_true(vfio_user_idle(vu));
	assert_int_equal(violation_count(&nic, V_VFU_MESSAGE), 1);
}

static void garbage_is_survived(void **state)
{
	u8 buf[600];

	(void)state;
	srand(4);
	for (int n = 0; n < 300; n++) {
		connect_client();
		greet();
		for (size_t i = 0; i < sizeof(buf); i++)
			buf[i] = (u8)rand();
		put16(buf + 2, (u16)(rand() % 17));
		put32(buf + 4, 16 + (u32)rand() % 100);
		put32(buf + 8, rand() % 2 ? NO_REPLY : 0);
		send_raw(buf, sizeof(buf), NULL, 0);
		turn();
		write_cnt = 0;
	}
}

static int connect_to(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strcpy(addr.sun_path, path);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

static void listener_serves_one_after_the_other(void **state)
{
	char path[] = "/tmp/vfio-user-test.XXXXXX", err[120];
	struct stat st;
	int first;

	(void)state;
	vfio_user_free(vu);
	close(sock);
	close(mkstemp(path));
	vu = vfio_user_new(&nic, path, err, sizeof(err));	/* a plain file is not replaced */
	assert_null(vu);
	assert_non_null(strstr(err, path));
	unlink(path);
	vu = vfio_user_new(&nic, path, err, sizeof(err));
	assert_non_null(vu);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_null(nic.tp);

	first = sock = connect_to(path);
	turn();
	greet();
	sock = connect_to(path);
	turn();
	assert_true(silent());		/* waits */
	close(first);			/* killed */
	turn();
	assert_int_equal(resets[NIC_RESET_POWER_ON], 2);
	greet();
	vfio_user_free(vu);
	vu = NULL;
	assert_int_equal(stat(path, &st), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(device_is_described, setup, teardown),
		cmocka_unit_test_setup_teardown(accesses_reach_the_core_in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(accesses_outside_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(vectors_signal_their_eventfds, setup, teardown),
		cmocka_unit_test_setup_teardown(full_eventfd_does_not_block, setup, teardown),
		cmocka_unit_test_setup_teardown(descriptors_find_their_message, setup, teardown),
		cmocka_unit_test_setup_teardown(any_fragmentation_will_do, setup, teardown),
		cmocka_unit_test_setup_teardown(malformed_messages_end_the_connection, setup, teardown),
		cmocka_unit_test_setup_teardown(descriptors_in_the_wrong_number, setup, teardown),
		cmocka_unit_test_setup_teardown(client_that_does_not_read, setup, teardown),
		cmocka_unit_test_setup_teardown(garbage_is_survived, setup, teardown),
		cmocka_unit_test_setup_teardown(listener_serves_one_after_the_other, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
