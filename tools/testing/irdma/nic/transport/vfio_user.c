// SPDX-License-Identifier: GPL-2.0
/*
 * Server side of the vfio-user protocol: owns the machine's interrupt eventfds and
 * the receive buffer.
 *
 * All regions are trapped. The client posts its writes then (NO_REPLY), so many
 * messages arrive with one read; they are handled in order, straight from the
 * buffer. A message that does not keep to the protocol ends the connection; one
 * that keeps to it and asks for what is not there gets an error reply.
 *
 * A stream socket ends a read behind the piece that carried descriptors, and a
 * sender attaches them to the first byte of a message. So descriptors that came
 * with a read belong to the last message that starts in it.
 */
#include "vfio_user.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../pci_config.h"
#include "../trace.h"
#include "dma.h"
#include "server.h"

enum vfu_cmd {
	VFU_VERSION = 1,
	VFU_DMA_MAP = 2,
	VFU_DMA_UNMAP = 3,
	VFU_GET_INFO = 4,
	VFU_GET_REGION_INFO = 5,
	VFU_GET_IRQ_INFO = 7,
	VFU_SET_IRQS = 8,
	VFU_REGION_READ = 9,
	VFU_REGION_WRITE = 10,
	VFU_DEVICE_RESET = 13,
	VFU_REGION_WRITE_MULTI = 15,
	VFU_CMD_COUNT
};

#define VFU_F_TYPE	0xfu
#define VFU_F_REPLY	0x1u
#define VFU_F_NO_REPLY	0x10u
#define VFU_F_ERROR	0x20u

#define HDR		16u
#define DATA_MAX	65536u			/* bytes of one region access */
#define MSG_MAX		(HDR + 16 + DATA_MAX)
#define FDS_MAX		16u
#define ENTRY		24u			/* of REGION_WRITE_MULTI */

/* Of a handler, beside payload length and -errno: the message breaks the protocol. */
#define MALFORMED	(-EPROTO)

#define CAPABILITIES \
	"{\"capabilities\":{\"max_msg_fds\":16,\"max_data_xfer_size\":65536," \
	"\"max_dma_maps\":65535,\"pgsizes\":4096,\"write_multiple\":true}}"

/* Descriptors that belong to the message which starts at @at of the buffer. */
struct fds {
	u32 at, cnt;
	int fd[FDS_MAX];
};

struct vfio_user {
	struct server server;
	struct nic *nic;
	bool greeted;		/* VERSION was exchanged */
	struct fds held;	/* of the message at the start of the buffer */
	struct fds fresh;	/* came with the latest read */
	u32 len;		/* bytes in buf */
	u8 buf[2 * MSG_MAX];
	u8 reply[MSG_MAX];
	struct vector {
		int fd;
		bool pending;
	} vec[];
};

/* A request in the buffer, checked as far as all requests are alike. */
struct msg {
	u16 id, cmd;
	u32 flags;
	u32 len;		/* payload */
	const u8 *data;
	struct fds *fds;	/* NULL: none */
};

/* --- interrupts --- */

static void signal_vector(struct vector *v)
{
	u64 one = 1;

	/* The client's eventfd is full: it has an interrupt to see already. */
	if (write(v->fd, &one, sizeof(one)) != sizeof(one))
		return;
}

static void vfu_raise(struct transport *tp, u32 vec)
{
	struct vfio_user *vu = container_of(tp, struct vfio_user, server.tp);
	struct vector *v = &vu->vec[vec];

	if (v->fd < 0)
		v->pending = true;
	else
		signal_vector(v);
}

static void set_vector(struct vector *v, int fd)
{
	if (v->fd >= 0)
		close(v->fd);
	v->fd = fd;
	if (fd < 0)
		return;
	/* a client's full eventfd or pipe must not stop the process */
	fcntl(fd, F_SETFL, O_NONBLOCK);
	if (v->pending) {
		v->pending = false;
		signal_vector(v);
	}
}

static void reset_vectors(struct vfio_user *vu, bool close_fds)
{
	for (u32 i = 0; i < vu->nic->cfg.vectors; i++) {
		vu->vec[i].pending = false;
		if (close_fds)
			set_vector(&vu->vec[i], -1);
	}
}

/* --- requests: each returns the length of the reply's payload, -errno, or MALFORMED --- */

static u8 *payload(struct vfio_user *vu)
{
	return vu->reply + HDR;
}

static int do_version(struct vfio_user *vu, const struct msg *m)
{
	u8 *out = payload(vu);

	if (m->len < 5 || m->data[m->len - 1] || vu->greeted)
		return MALFORMED;
	TRACE(vu->nic, T_PCI, "vfio-user client %u.%u", get16(m->data), get16(m->data + 2));
	if (get16(m->data))
		return MALFORMED;
	vu->greeted = true;
	put16(out, 0);
	put16(out + 2, 0);
	memcpy(out + 4, CAPABILITIES, sizeof(CAPABILITIES));
	return 4 + sizeof(CAPABILITIES);
}

static int do_dma_map(struct vfio_user *vu, const struct msg *m)
{
	u32 flags = get32(m->data + 4);
	u64 offset = get64(m->data + 8), iova = get64(m->data + 16), size = get64(m->data + 24);
	u32 prot = (flags & VFIO_DMA_MAP_FLAG_READ ? DMA_PROT_READ : 0) |
		   (flags & VFIO_DMA_MAP_FLAG_WRITE ? DMA_PROT_WRITE : 0);
	int fd = m->fds ? m->fds->fd[0] : -1;
	int err;

	if (m->fds && m->fds->cnt != 1)
		return MALFORMED;
	if (!prot || flags & ~(VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE))
		return -EINVAL;
	err = dma_map(vu->nic->dma, iova, size, fd, offset, prot);
	TRACE(vu->nic, T_PCI, "dma map 0x%llx + 0x%llx%s: %d", (unsigned long long)iova,
	      (unsigned long long)size, fd < 0 ? " (no memory)" : "", err);
	return err;
}

static int do_dma_unmap(struct vfio_user *vu, const struct msg *m)
{
	u32 flags = get32(m->data + 4);
	u64 iova = get64(m->data + 8), size = get64(m->data + 16);
	int err = 0;

	if (flags == VFIO_DMA_UNMAP_FLAG_ALL && !iova && !size)
		dma_unmap_all(vu->nic->dma);
	else if (flags)
		return -EINVAL;
	else
		err = dma_unmap(vu->nic->dma, iova, size);
	TRACE(vu->nic, T_PCI, "dma unmap 0x%llx + 0x%llx: %d", (unsigned long long)iova,
	      (unsigned long long)size, err);
	if (err && err != -ENOENT)	/* nothing there is as good as unmapped */
		return err;
	memcpy(payload(vu), m->data, 24);
	return 24;
}

static int do_get_info(struct vfio_user *vu, const struct msg *m)
{
	u8 *out = payload(vu);

	(void)m;
	put32(out, 16);
	put32(out + 4, VFIO_DEVICE_FLAGS_RESET | VFIO_DEVICE_FLAGS_PCI);
	put32(out + 8, VFIO_PCI_NUM_REGIONS);
	put32(out + 12, VFIO_PCI_NUM_IRQS);
	return 16;
}

static u64 region_size(u32 region)
{
	switch (region) {
	case VFIO_PCI_BAR0_REGION_INDEX:
		return NIC_BAR0_SIZE;
	case VFIO_PCI_BAR0_REGION_INDEX + NIC_MSIX_BAR:
		return NIC_BAR2_SIZE;
	case VFIO_PCI_CONFIG_REGION_INDEX:
		return sizeof(((struct nic *)NULL)->config);
	default:
		return 0;
	}
}

static int do_get_region_info(struct vfio_user *vu, const struct msg *m)
{
	u32 region = get32(m->data + 8);
	u64 size = region_size(region);
	u8 *out = payload(vu);

	if (region >= VFIO_PCI_NUM_REGIONS)
		return -EINVAL;
	memset(out, 0, 32);
	put32(out, 32);
	put32(out + 4, size ? VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE : 0);
	put32(out + 8, region);
	put64(out + 16, size);
	return 32;
}

static int do_get_irq_info(struct vfio_user *vu, const struct msg *m)
{
	u32 index = get32(m->data + 8);
	bool msix = index == VFIO_PCI_MSIX_IRQ_INDEX;
	u8 *out = payload(vu);

	if (index >= VFIO_PCI_ERR_IRQ_INDEX)
		return -EINVAL;
	put32(out, 16);
	put32(out + 4, msix ? VFIO_IRQ_INFO_EVENTFD : 0);	/* not NORESIZE */
	put32(out + 8, index);
	put32(out + 12, msix ? vu->nic->cfg.vectors : 0);
	return 16;
}

static int do_set_irqs(struct vfio_user *vu, const struct msg *m)
{
	u32 flags = get32(m->data + 4), index = get32(m->data + 8);
	u32 start = get32(m->data + 12), count = get32(m->data + 16);
	u32 fd_cnt = m->fds ? m->fds->cnt : 0;
	bool none = flags == (VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER);

	TRACE(vu->nic, T_PCI, "set irqs index %u flags 0x%x start %u count %u fds %u", index,
	      flags, start, count, fd_cnt);
	if (none && !count && index < VFIO_PCI_NUM_IRQS) {
		if (index == VFIO_PCI_MSIX_IRQ_INDEX)
			for (u32 i = 0; i < vu->nic->cfg.vectors; i++)
				set_vector(&vu->vec[i], -1);
		return 0;
	}
	if (index != VFIO_PCI_MSIX_IRQ_INDEX || start > vu->nic->cfg.vectors ||
	    !CHECKED(count <= vu->nic->cfg.vectors - start))
		return -EINVAL;
	if (none) {
		for (u32 i = 0; i < count; i++)
			vfu_raise(&vu->server.tp, start + i);
		return 0;
	}
	if (flags != (VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER))
		return -EINVAL;
	if (fd_cnt && fd_cnt != count)
		return MALFORMED;
	for (u32 i = 0; i < count; i++) {
		set_vector(&vu->vec[start + i], fd_cnt ? m->fds->fd[i] : -1);
		if (fd_cnt)
			m->fds->fd[i] = -1;	/* the vector's now */
	}
	return 0;
}

static bool region_ok(u64 offset, u32 region, u32 count)
{
	u64 size = region_size(region);

	return count && count <= DATA_MAX && offset <= size && count <= size - offset;
}

static int do_region_read(struct vfio_user *vu, const struct msg *m)
{
	u64 offset = get64(m->data);
	u32 region = get32(m->data + 8), count = get32(m->data + 12);
	u8 *out = payload(vu);

	if (!region_ok(offset, region, count))
		return -EINVAL;
	memcpy(out, m->data, 16);
	if (region == VFIO_PCI_CONFIG_REGION_INDEX)
		nic_config_read(vu->nic, (u32)offset, out + 16, count);
	else
		nic_bar_read(vu->nic, region, offset, out + 16, count);
	return (int)(16 + count);
}

static bool write_region(struct vfio_user *vu, u64 offset, u32 region, u32 count, const u8 *data)
{
	if (!region_ok(offset, region, count))
		return false;
	if (region == VFIO_PCI_CONFIG_REGION_INDEX)
		nic_config_write(vu->nic, (u32)offset, data, count);
	else
		nic_bar_write(vu->nic, region, offset, data, count);
	return true;
}

static int do_region_write(struct vfio_user *vu, const struct msg *m)
{
	u32 count = get32(m->data + 12);

	if (m->len - 16 != count)
		return MALFORMED;
	if (!write_region(vu, get64(m->data), get32(m->data + 8), count, m->data + 16))
		return -EINVAL;
	memcpy(payload(vu), m->data, 16);
	return 16;
}

static int do_region_write_multi(struct vfio_user *vu, const struct msg *m)
{
	u64 cnt = get64(m->data);
	bool ok = true;

	if (cnt > MSG_MAX / ENTRY || m->len != 8 + cnt * ENTRY)
		return MALFORMED;
	for (const u8 *e = m->data + 8; e < m->data + m->len; e += ENTRY) {
		if (get32(e + 12) > 8)
			return MALFORMED;
		ok &= write_region(vu, get64(e), get32(e + 8), get32(e + 12), e + 16);
	}
	memcpy(payload(vu), m->data, 8);
	return ok ? 8 : -EINVAL;
}

static int do_device_reset(struct vfio_user *vu, const struct msg *m)
{
	(void)m;
	nic_reset(vu->nic, NIC_RESET_FUNCTION);
	reset_vectors(vu, false);
	return 0;
}

static const struct {
	const char *name;
	u32 min;		/* bytes of payload */
	int (*fn)(struct vfio_user *vu, const struct msg *m);
} commands[VFU_CMD_COUNT] = {
	[VFU_VERSION] = { "VERSION", 4, do_version },
	[VFU_DMA_MAP] = { "DMA_MAP", 32, do_dma_map },
	[VFU_DMA_UNMAP] = { "DMA_UNMAP", 24, do_dma_unmap },
	[VFU_GET_INFO] = { "DEVICE_GET_INFO", 16, do_get_info },
	[VFU_GET_REGION_INFO] = { "DEVICE_GET_REGION_INFO", 32, do_get_region_info },
	[VFU_GET_IRQ_INFO] = { "DEVICE_GET_IRQ_INFO", 16, do_get_irq_info },
	[VFU_SET_IRQS] = { "DEVICE_SET_IRQS", 20, do_set_irqs },
	[VFU_REGION_READ] = { "REGION_READ", 16, do_region_read },
	[VFU_REGION_WRITE] = { "REGION_WRITE", 16, do_region_write },
	[VFU_DEVICE_RESET] = { "DEVICE_RESET", 0, do_device_reset },
	[VFU_REGION_WRITE_MULTI] = { "REGION_WRITE_MULTI", 8, do_region_write_multi },
};

/* --- messages --- */

static void fds_close(struct fds *f)
{
	for (u32 i = 0; i < f->cnt; i++)
		if (f->fd[i] >= 0)
			close(f->fd[i]);
	f->cnt = 0;
}

static bool malformed(struct vfio_user *vu, const char *what, u32 a, u32 b)
{
	violation(vu->nic, V_VFU_MESSAGE, "%s (%u, %u)", what, a, b);
	return false;
}

/* @ret: payload bytes that are in vu->reply, or -errno. */
static bool send_reply(struct vfio_user *vu, const struct msg *m, int ret)
{
	u32 size = HDR + (ret > 0 ? (u32)ret : 0);
	ssize_t n;

	if (m->flags & VFU_F_NO_REPLY)
		return true;
	put16(vu->reply, m->id);
	put16(vu->reply + 2, m->cmd);
	put32(vu->reply + 4, size);
	put32(vu->reply + 8, VFU_F_REPLY | (ret < 0 ? VFU_F_ERROR : 0));
	put32(vu->reply + 12, ret < 0 ? (u32)-ret : 0);
	n = send(vu->server.fd, vu->reply, size, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n == (ssize_t)size)
		return true;
	if (n < 0 && errno != EAGAIN)
		return false;		/* it is gone */
	return malformed(vu, "client does not read its replies", m->cmd, size);
}

/* False: the connection is to be closed. */
static bool handle(struct vfio_user *vu, const struct msg *m)
{
	int ret = -EOPNOTSUPP;

	if (m->flags & ~(VFU_F_TYPE | VFU_F_NO_REPLY) || m->flags & VFU_F_TYPE)
		return malformed(vu, "flags that no request has", m->cmd, m->flags);
	if (!vu->greeted && m->cmd != VFU_VERSION)
		return malformed(vu, "request before VERSION", m->cmd, m->len);
	if (m->cmd < VFU_CMD_COUNT && commands[m->cmd].fn) {
		if (m->len < commands[m->cmd].min)
			return malformed(vu, commands[m->cmd].name, m->cmd, m->len);
		ret = commands[m->cmd].fn(vu, m);
	}
	if (ret == MALFORMED)
		return malformed(vu, commands[m->cmd].name, m->cmd, m->len);
	return send_reply(vu, m, ret);
}

/* Handles the message at @off of the buffer and returns its size; 0: close. */
static u32 handle_at(struct vfio_user *vu, u32 off)
{
	const u8 *p = vu->buf + off;
	u32 size = get32(p + 4);
	struct msg m = {
		.id = get16(p), .cmd = get16(p + 2), .flags = get32(p + 8),
		.len = size - HDR, .data = p + HDR,
	};
	bool ok;

	if (vu->held.cnt && !off)
		m.fds = &vu->held;
	else if (vu->fresh.cnt && off == vu->fresh.at)
		m.fds = &vu->fresh;
	ok = handle(vu, &m);
	if (m.fds)
		fds_close(m.fds);
	return ok ? size : 0;
}

/* Handles every whole message in the buffer and keeps the rest. False: close. */
static bool handle_all(struct vfio_user *vu)
{
	u32 off = 0;

	while (vu->len - off >= HDR) {
		u32 size = get32(vu->buf + off + 4);

		if (size < HDR || size > MSG_MAX)
			return malformed(vu, "message size", get16(vu->buf + off + 2), size);
		if (size > vu->len - off)
			break;
		if (!handle_at(vu, off))
			return false;
		off += size;
	}
	if (vu->fresh.cnt) {		/* its message is not whole yet */
		vu->held = vu->fresh;
		vu->fresh.cnt = 0;
	}
	memmove(vu->buf, vu->buf + off, vu->len - off);
	vu->len -= off;
	return true;
}

/* Where the last message begins that has at least a byte in the buffer. */
static u32 last_message(const struct vfio_user *vu)
{
	u32 pos = 0;

	while (vu->len - pos > HDR) {
		u32 size = get32(vu->buf + pos + 4);

		if (size < HDR || size >= vu->len - pos)
			break;
		pos += size;
	}
	return pos;
}

static bool take_fds(struct vfio_user *vu, struct msghdr *mh)
{
	struct fds *f = &vu->fresh;

	f->cnt = 0;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(mh); c; c = CMSG_NXTHDR(mh, c)) {
		u32 cnt = (u32)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		memcpy(f->fd, CMSG_DATA(c), cnt * sizeof(int));
		f->cnt = cnt;
	}
	if (mh->msg_flags & MSG_CTRUNC)
		return malformed(vu, "too many descriptors", f->cnt, FDS_MAX);
	if (!f->cnt)
		return true;
	f->at = last_message(vu);
	if (!f->at && vu->held.cnt)
		return malformed(vu, "descriptors twice in a message", f->cnt, vu->held.cnt);
	return true;
}

/* False: the connection has ended or is to be closed. */
static bool receive(struct server *s)
{
	struct vfio_user *vu = container_of(s, struct vfio_user, server);
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
	} control;
	struct iovec iov = { vu->buf + vu->len, sizeof(vu->buf) - vu->len };
	struct msghdr mh = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.bytes, .msg_controllen = sizeof(control.bytes),
	};
	ssize_t n = recvmsg(s->fd, &mh, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR);
	vu->len += (u32)n;
	return take_fds(vu, &mh) && handle_all(vu);
}

/* --- life --- */

static void gone(struct server *s)
{
	struct vfio_user *vu = container_of(s, struct vfio_user, server);

	reset_vectors(vu, true);
	fds_close(&vu->held);
	fds_close(&vu->fresh);
	vu->len = 0;
	vu->greeted = false;
}

static const struct server_ops vfu_ops = {
	.transport.raise = vfu_raise, .receive = receive, .gone = gone,
};

static struct vfio_user *alloc(struct nic *nic)
{
	struct vfio_user *vu = calloc(1, sizeof(*vu) + nic->cfg.vectors * sizeof(vu->vec[0]));

	if (!vu)
		return NULL;
	server_init(&vu->server, nic, &vfu_ops);
	vu->nic = nic;
	for (u32 i = 0; i < nic->cfg.vectors; i++)
		vu->vec[i].fd = -1;
	return vu;
}

struct vfio_user *vfio_user_attach(struct nic *nic, int fd)
{
	struct vfio_user *vu = alloc(nic);

	if (!vu)
		close(fd);
	else if (server_attach(&vu->server, fd))
		return vu;
	vfio_user_free(vu);
	return NULL;
}

struct vfio_user *vfio_user_new(struct nic *nic, const char *path, char *err, size_t err_len)
{
	struct vfio_user *vu = alloc(nic);

	if (!vu)
		snprintf(err, err_len, "%s: %s", path, strerror(ENOMEM));
	else if (server_listen(&vu->server, path, err, err_len))
		return vu;
	vfio_user_free(vu);
	return NULL;
}

void vfio_user_free(struct vfio_user *vu)
{
	if (!vu)
		return;
	server_stop(&vu->server);
	free(vu);
}

bool vfio_user_idle(const struct vfio_user *vu)
{
	return vu->server.fd < 0;
}
