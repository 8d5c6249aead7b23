// SPDX-License-Identifier: GPL-2.0
/*
 * The vhost-user back end and the PCI layer behind it. The test is the guest:
 * it owns the memory, the rings and the other end of the socket.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/pci_regs.h>
#include <linux/virtio_pcidev.h>
#include <linux/virtio_ring.h>

#include "faults.h"
#include "loop.h"
#include "nic.h"
#include "pci_config.h"
#include "trace.h"
#include "transport/dma.h"
#include "transport/vhost_user.h"

#define GUEST_BASE	0x200000ull
#define GUEST_SIZE	0x40000u
#define RING_NUM	8u
#define MSIX_CAP	0x70
#define EXP_CAP		0xa0

enum { CMD, IRQ };

struct guest_ring {
	struct vring_desc desc[RING_NUM];
	u16 avail[2 + RING_NUM];
	struct { u16 flags, idx; struct vring_used_elem elem[RING_NUM]; } used;
	u16 seen;
};

/* Guest memory: the rings and room for messages. */
struct guest_mem {
	struct guest_ring ring[2];
	u8 out[4352];
	u8 in[4352];
	u8 msi[RING_NUM][20];
};

static struct nic nic;
static struct vhost_user *vu;
static struct guest_mem *mem;
static int memfd, sock, kick[2], call[2][2];
static struct { u32 bar, len, count; u64 offset; u8 data[4096]; } last_write;
static u32 resets;

/* The NIC behind the transport: BARs that remember, configuration space as it is. */
void nic_bar_read(struct nic *n, u32 bar, u64 offset, void *buf, u32 len)
{
	(void)n;
	memset(buf, (int)(bar + offset), len);
}

void nic_bar_write(struct nic *n, u32 bar, u64 offset, const void *buf, u32 len)
{
	(void)n;
	last_write.bar = bar;
	last_write.offset = offset;
	last_write.len = len;
	last_write.count++;
	memcpy(last_write.data, buf, len);
}

void nic_reset(struct nic *n, enum nic_reset kind)
{
	(void)kind;
	resets++;
	pci_config_reset(n);
}

static void step(void)
{
	for (int i = 0; i < 4; i++)
		loop_step(nic.loop, 0);
}

static u64 guest_addr(const void *p)
{
	return GUEST_BASE + (u64)((const u8 *)p - (const u8 *)mem);
}

static void send_msg(u32 request, const void *body, u32 size, int fd)
{
	u32 head[3] = { request, 1, size };
	struct iovec iov[2] = { { head, 12 }, { (void *)(uintptr_t)body, size } };
	char control[CMSG_SPACE(sizeof(int))] = {};
	struct msghdr mh = { .msg_iov = iov, .msg_iovlen = 2 };

	if (fd >= 0) {
		struct cmsghdr *c;

		mh.msg_control = control;
		mh.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&mh);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(int));
	}
	assert_int_equal(sendmsg(sock, &mh, 0), 12 + size);
	step();
}

static u64 get_reply(void)
{
	u8 buf[20];

	assert_int_equal(recv(sock, buf, sizeof(buf), MSG_DONTWAIT), 20);
	return get64(buf + 12);
}

static void set_ring(u32 index)
{
	struct guest_ring *r = &mem->ring[index];
	u32 num[2] = { index, RING_NUM }, base[2] = { index, 0 };
	u64 addr[5] = { index, guest_addr(r->desc), guest_addr(&r->used), guest_addr(r->avail) };
	u64 id = index;

	send_msg(8, num, 8, -1);
	send_msg(10, base, 8, -1);
	send_msg(9, addr, 40, -1);
	send_msg(13, &id, 8, call[index][1]);
	send_msg(12, &id, 8, kick[index]);
}

static void plug_in(void)
{
	u64 table[5] = { 1, GUEST_BASE, GUEST_SIZE, GUEST_BASE, 0 };
	u64 features;

	send_msg(1, NULL, 0, -1);
	features = get_reply();
	assert_int_equal(features, 1ull << 32);
	send_msg(2, &features, 8, -1);
	send_msg(3, NULL, 0, -1);
	send_msg(5, table, 40, memfd);
	set_ring(CMD);
	set_ring(IRQ);
}

static int setup(void **state)
{
	int pair[2];

	(void)state;
	memset(&nic, 0, sizeof(nic));
	memset(&last_write, 0, sizeof(last_write));
	resets = 0;
	nic.cfg.vectors = 16;
	nic.loop = loop_new();
	nic.faults = fault_set_new();
	nic.dma = dma_space_new(&nic);
	pci_config_reset(&nic);
	memfd = memfd_create("guest", 0);
	assert_int_equal(ftruncate(memfd, GUEST_SIZE), 0);
	mem = mmap(NULL, GUEST_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	for (int i = 0; i < 2; i++) {
		kick[i] = eventfd(0, 0);
		assert_int_equal(pipe2(call[i], O_NONBLOCK), 0);
	}
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	sock = pair[0];
	vu = vhost_user_attach(&nic, pair[1]);
	assert_non_null(vu);
	plug_in();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	vhost_user_free(vu);
	close(sock);
	for (int i = 0; i < 2; i++) {
		close(kick[i]);
		close(call[i][0]);
		close(call[i][1]);
	}
	munmap(mem, GUEST_SIZE);
	close(memfd);
	dma_space_free(nic.dma);
	fault_set_free(nic.faults);
	loop_free(nic.loop);
	return 0;
}

static void ring_kick(u32 index)
{
	u64 one = 1;

	assert_int_equal(write(kick[index], &one, 8), 8);
	step();
}

static void offer(u32 index, u16 head)
{
	struct guest_ring *r = &mem->ring[index];

	r->avail[2 + r->avail[1] % RING_NUM] = head;
	r->avail[1]++;
}

/* One command of @out_len bytes in mem->out; true when it came back with an answer in mem->in. */
static bool command(u32 out_len, u32 in_len)
{
	struct guest_ring *r = &mem->ring[CMD];

	r->desc[0] = (struct vring_desc){ guest_addr(mem->out), out_len,
					  in_len ? VRING_DESC_F_NEXT : 0, 1 };
	r->desc[1] = (struct vring_desc){ guest_addr(mem->in), in_len, VRING_DESC_F_WRITE, 0 };
	memset(mem->in, 0xee, in_len);
	offer(CMD, 0);
	ring_kick(CMD);
	if (r->used.idx == r->seen)
		return false;
	r->seen++;
	return true;
}

static void pci_access(u8 op, u8 bar, u64 addr, u32 size, const void *data)
{
	bool read = op == VIRTIO_PCIDEV_OP_CFG_READ || op == VIRTIO_PCIDEV_OP_MMIO_READ;
	struct virtio_pcidev_msg *msg = (void *)mem->out;

	*msg = (struct virtio_pcidev_msg){ .op = op, .bar = bar, .size = size, .addr = addr };
	if (data)
		memcpy(msg->data, data, size);
	assert_true(command(data ? 16 + size : 16, read ? size : 0));
}

static u32 config_read(u32 offset)
{
	pci_access(VIRTIO_PCIDEV_OP_CFG_READ, 0, offset, 4, NULL);
	return get32(mem->in);
}

static void config_write(u32 offset, u32 val)
{
	pci_access(VIRTIO_PCIDEV_OP_CFG_WRITE, 0, offset, 4, &val);
}

static void table_write(u32 vec, u32 word, u32 val)
{
	pci_access(VIRTIO_PCIDEV_OP_MMIO_WRITE, NIC_MSIX_BAR, 16 * vec + 4 * word, 4, &val);
}

static u64 pending_bits(void)
{
	pci_access(VIRTIO_PCIDEV_OP_MMIO_READ, NIC_MSIX_BAR, NIC_PBA_OFFSET, 8, NULL);
	return get64(mem->in);
}

static void offer_msi_buffer(u16 id)
{
	mem->ring[IRQ].desc[id] = (struct vring_desc){ guest_addr(mem->msi[id]), 20,
						       VRING_DESC_F_WRITE, 0 };
	offer(IRQ, id);
}

/* Data of the next interrupt message, 0 when there is none. */
static u32 next_msi(void)
{
	struct guest_ring *r = &mem->ring[IRQ];
	struct vring_used_elem e;

	step();
	if (r->used.idx == r->seen)
		return 0;
	e = r->used.elem[r->seen++ % RING_NUM];
	assert_int_equal(e.len, 20);
	assert_int_equal(mem->msi[e.id][0], VIRTIO_PCIDEV_OP_MSI);
	assert_int_equal(get32(mem->msi[e.id] + 4), 4);
	return get32(mem->msi[e.id] + 16);
}

static void enable_msix(void)
{
	config_write(MSIX_CAP, (u32)PCI_MSIX_FLAGS_ENABLE << 16);
}

static void prepare_vector(u32 vec)
{
	table_write(vec, 0, 0xa0000);
	table_write(vec, 2, 100 + vec);
	table_write(vec, 3, 0);
}

static void config_space_is_the_nics(void **state)
{
	(void)state;
	assert_int_equal(config_read(0), 0x14528086);
	config_write(PCI_COMMAND, PCI_COMMAND_MEMORY);
	assert_int_equal(config_read(PCI_COMMAND) & 0xffff, PCI_COMMAND_MEMORY);
}

static void bars_tell_their_size(void **state)
{
	(void)state;
	config_write(PCI_BASE_ADDRESS_0, ~0u);
	config_write(PCI_BASE_ADDRESS_1, ~0u);
	config_write(PCI_BASE_ADDRESS_2, ~0u);
	config_write(PCI_BASE_ADDRESS_4, ~0u);
	assert_int_equal(config_read(PCI_BASE_ADDRESS_0), 0xf000000c);
	assert_int_equal(config_read(PCI_BASE_ADDRESS_1), 0xffffffff);
	assert_int_equal(config_read(PCI_BASE_ADDRESS_2), 0xffff000c);
	assert_int_equal(config_read(PCI_BASE_ADDRESS_4), 0);
	config_write(PCI_BASE_ADDRESS_0, 0x20000000);
	config_write(PCI_BASE_ADDRESS_1, 1);
	assert_int_equal(config_read(PCI_BASE_ADDRESS_0), 0x2000000c);
	assert_int_equal(config_read(PCI_BASE_ADDRESS_1), 1);
}

static void bar_accesses_reach_the_nic(void **state)
{
	u8 data[100];

	(void)state;
	memset(data, 0x5a, sizeof(data));
	pci_access(VIRTIO_PCIDEV_OP_MMIO_WRITE, 0, 0x08400000, 4, data);
	assert_int_equal(last_write.offset, 0x08400000);
	assert_int_equal(last_write.len, 4);
	pci_access(VIRTIO_PCIDEV_OP_MMIO_WRITE, 0, 0x1000, sizeof(data), data);
	assert_int_equal(last_write.len, sizeof(data));
	assert_memory_equal(last_write.data, data, sizeof(data));
	pci_access(VIRTIO_PCIDEV_OP_MMIO_READ, 0, 0x42, 8, NULL);
	assert_int_equal(get64(mem->in), 0x4242424242424242);
}

static void memset_writes_all_bytes(void **state)
{
	struct virtio_pcidev_msg *msg = (void *)mem->out;

	(void)state;
	*msg = (struct virtio_pcidev_msg){ .op = VIRTIO_PCIDEV_OP_MMIO_MEMSET, .size = 100,
					   .addr = 0x2000 };
	msg->data[0] = 7;
	assert_true(command(17, 0));
	assert_int_equal(last_write.count, 2);
	assert_int_equal(last_write.offset, 0x2040);
	assert_int_equal(last_write.len, 36);
	assert_int_equal(last_write.data[35], 7);
}

static void interrupt_is_sent_once(void **state)
{
	u64 buf;

	(void)state;
	offer_msi_buffer(0);
	offer_msi_buffer(1);
	prepare_vector(3);
	nic.tp->ops->raise(nic.tp, 3);
	assert_int_equal(next_msi(), 0);	/* MSI-X is off */
	enable_msix();
	assert_int_equal(next_msi(), 0);
	nic.tp->ops->raise(nic.tp, 3);
	assert_int_equal(next_msi(), 103);
	assert_int_equal(read(call[IRQ][0], &buf, 8), 8);
	assert_int_equal(next_msi(), 0);
	nic.tp->ops->raise(nic.tp, 16);		/* no such vector */
	assert_int_equal(next_msi(), 0);
}

static void masked_interrupt_is_pending(void **state)
{
	(void)state;
	offer_msi_buffer(0);
	offer_msi_buffer(1);
	prepare_vector(5);
	enable_msix();
	table_write(5, 3, 1);
	nic.tp->ops->raise(nic.tp, 5);
	assert_int_equal(next_msi(), 0);
	assert_int_equal(pending_bits(), 1 << 5);
	table_write(5, 3, 0);
	assert_int_equal(next_msi(), 105);
	assert_int_equal(pending_bits(), 0);

	config_write(MSIX_CAP, (u32)(PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL) << 16);
	nic.tp->ops->raise(nic.tp, 5);
	assert_int_equal(next_msi(), 0);
	enable_msix();
	assert_int_equal(next_msi(), 105);
}

static void interrupts_wait_for_a_buffer(void **state)
{
	(void)state;
	prepare_vector(1);
	prepare_vector(2);
	enable_msix();
	nic.tp->ops->raise(nic.tp, 1);
	nic.tp->ops->raise(nic.tp, 2);
	nic.tp->ops->raise(nic.tp, 1);		/* as good as one */
	assert_int_equal(next_msi(), 0);
	offer_msi_buffer(0);
	ring_kick(IRQ);
	assert_int_equal(next_msi(), 101);
	assert_int_equal(next_msi(), 0);
	offer_msi_buffer(0);
	offer_msi_buffer(1);
	ring_kick(IRQ);
	assert_int_equal(next_msi(), 102);
	assert_int_equal(next_msi(), 0);
}

static void function_reset_masks_the_table(void **state)
{
	(void)state;
	config_write(PCI_BASE_ADDRESS_0, 0x20000000);
	prepare_vector(0);
	config_write(EXP_CAP + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_BCR_FLR);
	assert_int_equal(resets, 1);
	assert_int_equal(config_read(PCI_BASE_ADDRESS_0), 0xc);
	pci_access(VIRTIO_PCIDEV_OP_MMIO_READ, NIC_MSIX_BAR, 12, 4, NULL);
	assert_int_equal(get32(mem->in), PCI_MSIX_ENTRY_CTRL_MASKBIT);
}

static void guest_memory_is_the_nics_when_master(void **state)
{
	u32 val;

	(void)state;
	put32(mem->out, 0x1234);
	assert_false(dma_read(nic.dma, guest_addr(mem->out), &val, 4));
	config_write(PCI_COMMAND, PCI_COMMAND_MASTER);
	put32(mem->in, 0x1234);
	assert_true(dma_read(nic.dma, guest_addr(mem->in), &val, 4));
	assert_int_equal(val, 0x1234);
}

static void bad_commands_are_violations(void **state)
{
	static const struct { u8 op; u32 size, out_len; } bad[] = {
		{ VIRTIO_PCIDEV_OP_RESERVED, 4, 20 }, { VIRTIO_PCIDEV_OP_PME, 4, 20 },
		{ VIRTIO_PCIDEV_OP_CFG_READ, 0, 16 }, { VIRTIO_PCIDEV_OP_MMIO_READ, 4097, 16 },
		{ VIRTIO_PCIDEV_OP_MMIO_WRITE, 8, 20 }, { VIRTIO_PCIDEV_OP_MMIO_MEMSET, 4, 16 },
		{ VIRTIO_PCIDEV_OP_CFG_WRITE, 4, 15 },
	};
	struct virtio_pcidev_msg *msg = (void *)mem->out;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		*msg = (struct virtio_pcidev_msg){ .op = bad[i].op, .size = bad[i].size };
		assert_true(command(bad[i].out_len, 0));
		assert_int_equal(violation_count(&nic, V_PCIDEV_COMMAND), i + 1);
	}
	assert_int_equal(last_write.count, 0);
	assert_int_equal(config_read(0), 0x14528086);
}

static void expect_broken_ring(void)
{
	offer(CMD, 0);
	ring_kick(CMD);
	assert_int_equal(mem->ring[CMD].used.idx, mem->ring[CMD].seen);
	/* for good: a sound command is not looked at */
	assert_false(command(16, 4));
}

static void looping_chain_breaks_the_ring(void **state)
{
	(void)state;
	mem->ring[CMD].desc[0] = (struct vring_desc){ guest_addr(mem->out), 16,
						      VRING_DESC_F_NEXT, 0 };
	expect_broken_ring();
}

static void foreign_memory_breaks_the_ring(void **state)
{
	(void)state;
	mem->ring[CMD].desc[0] = (struct vring_desc){ GUEST_BASE + GUEST_SIZE - 8, 16, 0, 0 };
	expect_broken_ring();
}

static void bad_index_breaks_the_ring(void **state)
{
	(void)state;
	offer(CMD, RING_NUM);
	ring_kick(CMD);
	expect_broken_ring();
}

static void long_chain_breaks_the_ring(void **state)
{
	(void)state;
	mem->ring[CMD].desc[0] = (struct vring_desc){ guest_addr(mem->out), 4096,
						      VRING_DESC_F_NEXT, 1 };
	mem->ring[CMD].desc[1] = (struct vring_desc){ guest_addr(mem->in), 65, 0, 0 };
	expect_broken_ring();
}

static void bad_message_hangs_up(void **state)
{
	u64 index = 2;

	(void)state;
	send_msg(12, &index, 8, kick[0]);
	assert_int_equal(violation_count(&nic, V_VU_MESSAGE), 1);
	assert_true(vhost_user_idle(vu));
	assert_null(nic.tp);
	assert_int_equal(resets, 1);
}

static void unknown_request_hangs_up(void **state)
{
	(void)state;
	send_msg(99, NULL, 0, -1);
	assert_int_equal(violation_count(&nic, V_VU_MESSAGE), 1);
	assert_true(vhost_user_idle(vu));
}

static void oversized_message_hangs_up(void **state)
{
	static const u8 body[4096];

	(void)state;
	send_msg(2, body, sizeof(body), -1);
	assert_true(vhost_user_idle(vu));
}

static void gone_guest_is_forgotten(void **state)
{
	u32 val;

	(void)state;
	config_write(PCI_COMMAND, PCI_COMMAND_MASTER);
	shutdown(sock, SHUT_RDWR);
	step();
	assert_true(vhost_user_idle(vu));
	assert_int_equal(resets, 1);
	assert_int_equal(violation_total(&nic), 0);
	dma_enable(nic.dma, true);
	assert_false(dma_read(nic.dma, GUEST_BASE, &val, 4));
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(config_space_is_the_nics),
		T(bars_tell_their_size),
		T(bar_accesses_reach_the_nic),
		T(memset_writes_all_bytes),
		T(interrupt_is_sent_once),
		T(masked_interrupt_is_pending),
		T(interrupts_wait_for_a_buffer),
		T(function_reset_masks_the_table),
		T(guest_memory_is_the_nics_when_master),
		T(bad_commands_are_violations),
		T(looping_chain_breaks_the_ring),
		T(foreign_memory_breaks_the_ring),
		T(bad_index_breaks_the_ring),
		T(long_chain_breaks_the_ring),
		T(bad_message_hangs_up),
		T(unknown_request_hangs_up),
		T(oversized_message_hangs_up),
		T(gone_guest_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
