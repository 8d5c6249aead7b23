// SPDX-License-Identifier: GPL-2.0
/*
 * vhost-user back end that speaks virtio_pcidev.
 *
 * Two rings lie in guest memory. Ring 0 brings configuration and BAR accesses,
 * which are carried out in order; the guest polls for the answers, so it is
 * never called. Ring 1 holds empty buffers for interrupt messages; messages
 * that find no buffer wait for one.
 *
 * The rings belong to the machine, not to the function: they are reached
 * through a space of their own and work with bus mastering off.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/virtio_config.h>
#include <linux/virtio_pcidev.h>

#include "../loop.h"
#include "../trace.h"
#include "dma.h"
#include "pci.h"
#include "server.h"
#include "vhost_user.h"
#include "vring.h"

#define VHOST_USER_VERSION	1u
#define VHOST_USER_FLAG_REPLY	BIT(2)
#define VHOST_USER_FDS_MAX	8u
#define VHOST_USER_REGIONS_MAX	8u

enum vhost_user_request {
	VHOST_USER_GET_FEATURES = 1,
	VHOST_USER_SET_FEATURES = 2,
	VHOST_USER_SET_OWNER = 3,
	VHOST_USER_SET_MEM_TABLE = 5,
	VHOST_USER_SET_VRING_NUM = 8,
	VHOST_USER_SET_VRING_ADDR = 9,
	VHOST_USER_SET_VRING_BASE = 10,
	VHOST_USER_GET_VRING_BASE = 11,
	VHOST_USER_SET_VRING_KICK = 12,
	VHOST_USER_SET_VRING_CALL = 13,
	VHOST_USER_SET_VRING_ERR = 14,
};

struct vhost_user_region {
	u64 guest_addr, size, user_addr, offset;
};

struct vhost_user_msg {
	u32 request, flags, size;
	union {
		u64 num;
		struct { u32 index, num; } state;
		struct { u32 index, flags; u64 desc, used, avail, log; } addr;
		struct {
			u32 count, padding;
			struct vhost_user_region region[VHOST_USER_REGIONS_MAX];
		} mem;
	} body;
} __attribute__((packed));

#define VHOST_USER_HEADER	offsetof(struct vhost_user_msg, body)

/* One interrupt message fits: header and 32 bits of data. */
#define PCIDEV_MSI_BYTES	(sizeof(struct virtio_pcidev_msg) + 4)

enum { RING_CMD, RING_IRQ, RING_COUNT };

struct vu_ring {
	struct vhost_user *vu;
	struct vring_queue q;
	u32 num;
	u16 base;
	int kick_fd, call_fd;
};

#define VU_WAITING_MAX	2048u	/* MSI-X entries of a function */
#define VU_ACCESS_MAX	4096u	/* bytes of one access */

struct vhost_user {
	struct server server;
	struct nic *nic;
	struct pci_func *pci;
	struct dma_space *mem;		/* what the rings are reached through */
	struct vu_ring ring[RING_COUNT];
	struct loop_task more;		/* commands are left */
	struct loop_task call;		/* tell the guest about interrupt messages */
	struct vring_chain chain;	/* command in work; it may raise interrupts */
	struct vring_chain msi_chain;

	struct vhost_user_msg msg;	/* being received */
	size_t msg_have;
	int msg_fds[VHOST_USER_FDS_MAX];
	u32 msg_nfds;

	u32 waiting[VU_WAITING_MAX];	/* MSI data without a buffer, each once */
	u32 waiting_cnt;
};

/* ---- interrupt messages ---- */

static bool vu_msi_send(struct vhost_user *vu, u32 data)
{
	struct vring_queue *q = &vu->ring[RING_IRQ].q;
	struct vring_chain *chain = &vu->msi_chain;
	u8 buf[PCIDEV_MSI_BYTES] = {};
	struct virtio_pcidev_msg *msg = (void *)buf;
	u32 len = 0;

	if (!vring_pop(q, chain))
		return false;
	msg->op = VIRTIO_PCIDEV_OP_MSI;
	msg->size = 4;
	put32(msg->data, data);
	if (chain->in_len >= sizeof(buf) && dma_write(vu->mem, chain->in_addr, buf, sizeof(buf)))
		len = sizeof(buf);
	vring_push(q, chain, len);
	task_queue(&vu->call);
	return len;
}

static void vu_msi(void *arg, u64 addr, u32 data)
{
	struct vhost_user *vu = arg;

	(void)addr;	/* the guest has one interrupt controller */
	if (!vu->waiting_cnt && vu_msi_send(vu, data))
		return;
	for (u32 i = 0; i < vu->waiting_cnt; i++)
		if (vu->waiting[i] == data)
			return;
	if (vu->waiting_cnt < VU_WAITING_MAX)
		vu->waiting[vu->waiting_cnt++] = data;
}

static void vu_msi_flush(struct vhost_user *vu)
{
	u32 sent = 0;

	while (sent < vu->waiting_cnt && vu_msi_send(vu, vu->waiting[sent]))
		sent++;
	vu->waiting_cnt -= sent;
	memmove(vu->waiting, vu->waiting + sent, vu->waiting_cnt * sizeof(vu->waiting[0]));
}

static void vu_call(void *arg)
{
	struct vhost_user *vu = arg;
	const u64 one = 1;

	/* a full pipe means that the guest has not looked yet: nothing is lost */
	if (vu->ring[RING_IRQ].call_fd >= 0 &&
	    write(vu->ring[RING_IRQ].call_fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		TRACE(vu->nic, T_PCI, "interrupt call: %s", strerror(errno));
}

static void vu_raise(struct transport *tp, u32 vec)
{
	pci_func_raise(container_of(tp, struct vhost_user, server.tp)->pci, vec);
}

/* ---- commands ---- */

static void vu_memset(struct vhost_user *vu, const struct virtio_pcidev_msg *cmd)
{
	u8 buf[64];

	memset(buf, cmd->data[0], sizeof(buf));
	for (u32 done = 0, part; done < cmd->size; done += part) {
		part = cmd->size - done < sizeof(buf) ? cmd->size - done : sizeof(buf);
		pci_func_bar_write(vu->pci, cmd->bar, cmd->addr + done, buf, part);
	}
}

/* Carries out one access; @in takes the answer. Returns the bytes answered. */
static u32 vu_access(struct vhost_user *vu, const struct vring_chain *chain, u8 *in)
{
	const struct virtio_pcidev_msg *cmd = (const void *)chain->out;
	u32 size = cmd->size;

	switch (cmd->op) {
	case VIRTIO_PCIDEV_OP_CFG_READ:
		pci_func_config_read(vu->pci, (u32)cmd->addr, in, size);
		return size;
	case VIRTIO_PCIDEV_OP_MMIO_READ:
		pci_func_bar_read(vu->pci, cmd->bar, cmd->addr, in, size);
		return size;
	case VIRTIO_PCIDEV_OP_CFG_WRITE:
		pci_func_config_write(vu->pci, (u32)cmd->addr, cmd->data, size);
		return 0;
	case VIRTIO_PCIDEV_OP_MMIO_WRITE:
		pci_func_bar_write(vu->pci, cmd->bar, cmd->addr, cmd->data, size);
		return 0;
	default:
		vu_memset(vu, cmd);
		return 0;
	}
}

/* Known operation, sane size, and the data that it says it has. */
static bool vu_command_ok(const struct vring_chain *chain)
{
	const struct virtio_pcidev_msg *cmd = (const void *)chain->out;
	u32 data_len = chain->out_len - (u32)sizeof(*cmd);

	if (chain->out_len < sizeof(*cmd) || !cmd->size || cmd->size > VU_ACCESS_MAX)
		return false;
	switch (cmd->op) {
	case VIRTIO_PCIDEV_OP_CFG_READ:
	case VIRTIO_PCIDEV_OP_MMIO_READ:
		return true;
	case VIRTIO_PCIDEV_OP_CFG_WRITE:
	case VIRTIO_PCIDEV_OP_MMIO_WRITE:
		return cmd->size <= data_len;
	case VIRTIO_PCIDEV_OP_MMIO_MEMSET:
		return data_len;
	default:
		return false;
	}
}

static u32 vu_command(struct vhost_user *vu, const struct vring_chain *chain)
{
	u8 in[VU_ACCESS_MAX];
	u32 len;

	if (!vu_command_ok(chain)) {
		violation(vu->nic, V_PCIDEV_COMMAND, "%u bytes, operation %u", chain->out_len,
			  chain->out_len ? chain->out[0] : 0);
		return 0;
	}
	len = vu_access(vu, chain, in);
	if (len > chain->in_len)
		len = chain->in_len;
	if (len && !dma_write(vu->mem, chain->in_addr, in, len))
		return 0;
	return len;
}

static void vu_commands(void *arg)
{
	struct vhost_user *vu = arg;
	struct vring_queue *q = &vu->ring[RING_CMD].q;
	u32 budget = q->num;

	while (budget && vring_pop(q, &vu->chain)) {
		vring_push(q, &vu->chain, vu_command(vu, &vu->chain));
		budget--;
	}
	if (!budget && q->num)
		task_queue(&vu->more);
}

static void vu_kicked(void *arg, u32 events)
{
	struct vu_ring *ring = arg;
	u8 drain[512];

	(void)events;
	if (read(ring->kick_fd, drain, sizeof(drain)) <= 0)
		return;
	if (ring == &ring->vu->ring[RING_CMD])
		vu_commands(ring->vu);
	else
		vu_msi_flush(ring->vu);
}

/* ---- vhost-user messages ---- */

static void vu_close_fd(struct vhost_user *vu, int *fd)
{
	if (*fd < 0)
		return;
	loop_fd_del(vu->nic->loop, *fd);
	close(*fd);
	*fd = -1;
}

/* The fd that came with the message, now the caller's; -1: none. */
static int vu_take_fd(struct vhost_user *vu)
{
	int fd = vu->msg_nfds ? vu->msg_fds[0] : -1;

	if (vu->msg_nfds)
		vu->msg_fds[0] = -1;
	return fd;
}

static int vu_set_mem_table(struct vhost_user *vu)
{
	const struct vhost_user_msg *msg = &vu->msg;
	int err;

	dma_unmap_all(vu->mem);
	dma_unmap_all(vu->nic->dma);
	if (msg->body.mem.count > vu->msg_nfds)
		return -EINVAL;
	for (u32 i = 0; i < msg->body.mem.count; i++) {
		struct vhost_user_region r = msg->body.mem.region[i];

		TRACE(vu->nic, T_PCI, "memory %#llx size %#llx", (unsigned long long)r.guest_addr,
		      (unsigned long long)r.size);
		err = dma_map(vu->mem, r.guest_addr, r.size, vu->msg_fds[i], r.offset,
			      DMA_PROT_READ | DMA_PROT_WRITE);
		if (!err)
			err = dma_map(vu->nic->dma, r.guest_addr, r.size, vu->msg_fds[i], r.offset,
				      DMA_PROT_READ | DMA_PROT_WRITE);
		if (err)
			return err;
	}
	return 0;
}

static int vu_set_kick(struct vhost_user *vu, struct vu_ring *ring)
{
	vu_close_fd(vu, &ring->kick_fd);
	ring->kick_fd = vu_take_fd(vu);
	if (ring->kick_fd < 0)
		return -EINVAL;
	if (!vring_setup(&ring->q, vu->mem, ring->num, ring->base))
		return -EINVAL;
	return loop_fd_add(vu->nic->loop, ring->kick_fd, EPOLLIN, vu_kicked, ring);
}

static int vu_set_call(struct vhost_user *vu, struct vu_ring *ring)
{
	if (ring->call_fd >= 0)
		close(ring->call_fd);
	ring->call_fd = vu_take_fd(vu);
	if (ring->call_fd >= 0 && fcntl(ring->call_fd, F_SETFL, O_NONBLOCK))
		return -errno;
	return 0;
}

static int vu_reply(struct vhost_user *vu, u64 val)
{
	struct vhost_user_msg *msg = &vu->msg;
	ssize_t len = (ssize_t)(VHOST_USER_HEADER + sizeof(val));

	msg->flags = VHOST_USER_VERSION | VHOST_USER_FLAG_REPLY;
	msg->size = sizeof(val);
	msg->body.num = val;
	return send(vu->server.fd, msg, (size_t)len, MSG_NOSIGNAL) == len ? 0 : -EIO;
}

static int vu_ring_message(struct vhost_user *vu)
{
	const struct vhost_user_msg *msg = &vu->msg;
	u32 index = msg->body.state.index & 0xff;
	struct vu_ring *ring;

	if (index >= RING_COUNT)
		return -EINVAL;
	ring = &vu->ring[index];
	switch (msg->request) {
	case VHOST_USER_SET_VRING_NUM:
		ring->num = msg->body.state.num;
		return 0;
	case VHOST_USER_SET_VRING_ADDR:
		ring->q.desc = msg->body.addr.desc;
		ring->q.avail = msg->body.addr.avail;
		ring->q.used = msg->body.addr.used;
		return 0;
	case VHOST_USER_SET_VRING_BASE:
		ring->base = (u16)msg->body.state.num;
		return 0;
	case VHOST_USER_GET_VRING_BASE:
		vu_close_fd(vu, &ring->kick_fd);
		ring->q.num = 0;
		return vu_reply(vu, (u64)ring->q.next_avail << 32 | index);
	case VHOST_USER_SET_VRING_KICK:
		return vu_set_kick(vu, ring);
	default:
		return vu_set_call(vu, ring);
	}
}

/* Returns 0, or -errno: the connection is given up. */
static int vu_message(struct vhost_user *vu)
{
	switch (vu->msg.request) {
	case VHOST_USER_GET_FEATURES:
		return vu_reply(vu, BIT(VIRTIO_F_VERSION_1));
	case VHOST_USER_SET_FEATURES:
	case VHOST_USER_SET_OWNER:
	case VHOST_USER_SET_VRING_ERR:
		return 0;
	case VHOST_USER_SET_MEM_TABLE:
		return vu_set_mem_table(vu);
	case VHOST_USER_SET_VRING_NUM:
	case VHOST_USER_SET_VRING_ADDR:
	case VHOST_USER_SET_VRING_BASE:
	case VHOST_USER_GET_VRING_BASE:
	case VHOST_USER_SET_VRING_KICK:
	case VHOST_USER_SET_VRING_CALL:
		return vu_ring_message(vu);
	default:
		return -EOPNOTSUPP;
	}
}

static void vu_take_fds(struct vhost_user *vu, struct msghdr *mh)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(mh); c; c = CMSG_NXTHDR(mh, c)) {
		size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < count; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
			if (vu->msg_nfds < VHOST_USER_FDS_MAX)
				vu->msg_fds[vu->msg_nfds++] = fd;
			else
				close(fd);
		}
	}
}

static void vu_drop_fds(struct vhost_user *vu)
{
	for (u32 i = 0; i < vu->msg_nfds; i++)
		if (vu->msg_fds[i] >= 0)
			close(vu->msg_fds[i]);
	vu->msg_nfds = 0;
}

/* Bytes of the message that are known to follow. */
static size_t vu_message_len(const struct vhost_user *vu)
{
	return vu->msg_have < VHOST_USER_HEADER ? VHOST_USER_HEADER :
						  VHOST_USER_HEADER + vu->msg.size;
}

static int vu_receive(struct vhost_user *vu)
{
	char control[CMSG_SPACE(VHOST_USER_FDS_MAX * sizeof(int))];
	struct iovec iov = {
		.iov_base = (u8 *)&vu->msg + vu->msg_have,
		.iov_len = vu_message_len(vu) - vu->msg_have,
	};
	struct msghdr mh = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			     .msg_controllen = sizeof(control) };
	ssize_t got;
	int err;

	if (!vu->msg_have)
		memset(&vu->msg, 0, sizeof(vu->msg));
	got = recvmsg(vu->server.fd, &mh, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (got <= 0)
		return got < 0 && errno == EAGAIN ? 0 : -ENOTCONN;
	vu_take_fds(vu, &mh);
	vu->msg_have += (size_t)got;
	if (vu->msg_have >= VHOST_USER_HEADER &&
	    vu->msg.size > sizeof(vu->msg) - VHOST_USER_HEADER)
		return -EMSGSIZE;
	if (vu->msg_have < vu_message_len(vu))
		return 0;
	vu->msg_have = 0;
	err = vu_message(vu);
	vu_drop_fds(vu);
	return err;
}

static bool vu_readable(struct server *s)
{
	struct vhost_user *vu = container_of(s, struct vhost_user, server);
	int err = vu_receive(vu);

	if (err && err != -ENOTCONN)
		violation(vu->nic, V_VU_MESSAGE, "request %u: %s", vu->msg.request, strerror(-err));
	return !err;
}

/* ---- life ---- */

static void vu_ring_reset(struct vhost_user *vu, struct vu_ring *ring)
{
	vu_close_fd(vu, &ring->kick_fd);
	if (ring->call_fd >= 0)
		close(ring->call_fd);
	*ring = (struct vu_ring){ .vu = vu, .kick_fd = -1, .call_fd = -1 };
}

static void vu_gone(struct server *s)
{
	struct vhost_user *vu = container_of(s, struct vhost_user, server);

	pci_func_reset(vu->pci);
	task_cancel(&vu->more);
	task_cancel(&vu->call);
	for (u32 i = 0; i < RING_COUNT; i++)
		vu_ring_reset(vu, &vu->ring[i]);
	dma_unmap_all(vu->mem);
	vu_drop_fds(vu);
	vu->msg_have = 0;
	vu->waiting_cnt = 0;
}

static const struct server_ops vu_ops = {
	.transport.raise = vu_raise, .receive = vu_readable, .gone = vu_gone,
};

static struct vhost_user *vu_alloc(struct nic *nic)
{
	struct vhost_user *vu = calloc(1, sizeof(*vu));

	if (!vu)
		return NULL;
	server_init(&vu->server, nic, &vu_ops);
	vu->nic = nic;
	for (u32 i = 0; i < RING_COUNT; i++)
		vu->ring[i] = (struct vu_ring){ .vu = vu, .kick_fd = -1, .call_fd = -1 };
	task_init(&vu->more, nic->loop, vu_commands, vu);
	task_init(&vu->call, nic->loop, vu_call, vu);
	vu->mem = dma_space_new(nic);
	vu->pci = pci_func_new(nic, vu_msi, vu);
	if (vu->mem && vu->pci)
		return vu;
	vhost_user_free(vu);
	return NULL;
}

struct vhost_user *vhost_user_attach(struct nic *nic, int fd)
{
	struct vhost_user *vu = vu_alloc(nic);

	if (!vu)
		close(fd);
	else if (server_attach(&vu->server, fd))
		return vu;
	vhost_user_free(vu);
	return NULL;
}

struct vhost_user *vhost_user_new(struct nic *nic, const char *path, char *err, size_t err_len)
{
	struct vhost_user *vu = vu_alloc(nic);

	if (!vu)
		snprintf(err, err_len, "%s: %s", path, strerror(ENOMEM));
	else if (server_listen(&vu->server, path, err, err_len))
		return vu;
	vhost_user_free(vu);
	return NULL;
}

void vhost_user_free(struct vhost_user *vu)
{
	if (!vu)
		return;
	server_stop(&vu->server);
	if (vu->pci)
		pci_func_free(vu->pci);
	if (vu->mem)
		dma_space_free(vu->mem);
	free(vu);
}

bool vhost_user_idle(const struct vhost_user *vu)
{
	return vu->server.fd < 0;
}
