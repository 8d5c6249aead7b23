// SPDX-License-Identifier: GPL-2.0
/*
 * Work queues of any content: SQ, RQ and SRQ of two connected queue pairs and a UD
 * one. Byte 0 chooses shortcut, SRQ, what the address handle says, and whether the path
 * MTU in the contexts changes while they run; then come records of an offset into the
 * rings (2 bytes), a length (1 byte) and bytes.
 *
 * Holds: nothing outside the registered memory is touched (ASan), no queue pair
 * hangs the engine, a failed queue pair is flushed within the rings' size.
 */
#define ROCE_FAKE_NO_CMOCKA
#include "../unit/roce_fake.h"

#define STEPS 6

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	world_start(NULL);
	world.busy = true;
	return 0;
}

static void begin(u8 mode)
{
	for (int side = 0; side < 2; side++) {
		struct rdma *r = &world.side[side];

		r->nic.cfg.shortcut = mode & 1;
		r->n_cqes = r->n_aes = 0;
		r->mr[0].valid = true;
		r->ah = (struct rdma_ah){ .id = 5, .pd = PD, .arp_idx = mode & 8 ? 2 : 1,
					  .ipv4 = mode & 16, .insert_vlan = mode & 32,
					  .loopback = true };
		memset(r->mem, 0, 2 * RING_QUANTA * 32);
		memset(r->mem + RQ_AT, 0, 2 * RING_QUANTA * 32);
		memset(r->mem + SRQ_AT, 0, RING_QUANTA * 32);
		r->srq.ring.index = 0;
		r->srq.ring.polarity = 1;
	}
	connect_qps(0);
	for (int side = 0; side < 2; side++) {
		world.side[side].qp[0].ctx.use_srq = mode & 2;
		world.side[side].qp[0].ctx.srqn = 1;
		make_qp(side, 1, QP_UD);
		set_state(side, 1, QPS_RTR);
		set_state(side, 1, QPS_RTS);
	}
}

/* The contexts as a driver may write them at any time. */
static void change_mtu(u32 step)
{
	for (int side = 0; side < 2; side++) {
		struct rdma_qp *qp = &world.side[side].qp[0];

		qp->ctx.pmtu = (u16)(256 << (step + (u32)side) % 5);
		if (qp->state == QPS_RTS)
			roce_qp_modified(qp, QPS_RTS);
	}
}

static void end(void)
{
	while (world.n_wire)
		frame_put(world.wire[--world.n_wire]);
	for (int side = 0; side < 2; side++)
		for (u32 n = 0; n < 2; n++) {
			struct rdma_qp *qp = &world.side[side].qp[n];
			struct roce_flush sq = { .on = true, .code = 0x10001 };
			struct roce_flush rq = sq;

			qp->state = QPS_ERROR;
			roce_qp_modified(qp, QPS_RTS);
			roce_flush(qp, &sq, &rq);
			roce_qp_free(qp);
			qp->r = NULL;
		}
}

/* Where a record of @offset goes: the SQ, RQ or SRQ of a queue pair. */
static u8 *ring_at(u16 offset)
{
	static const u32 base[4] = { SQ_AT, SQ_AT + QP_RING, RQ_AT, SRQ_AT };

	return world.side[0].mem + base[offset >> 14] + (offset & 0x3FF0) % (RING_QUANTA * 32 - 256);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u8 mode;

	if (!size)
		return 0;
	mode = data[0];
	begin(mode);
	data++;
	size--;
	while (size >= 3) {
		u32 len = data[2];

		if (len > size - 3)
			len = (u32)size - 3;
		memcpy(ring_at(get16(data)), data + 3, len);
		data += 3 + len;
		size -= 3 + len;
	}
	memcpy(world.side[1].mem + RQ_AT, world.side[0].mem + RQ_AT, RING_QUANTA * 32);
	roce_doorbell(&world.side[0].qp[0]);
	roce_doorbell(&world.side[0].qp[1]);
	for (u32 i = 0; i < STEPS; i++) {
		world_step();
		if (mode & 64)
			change_mtu(i);
	}
	end();
	return 0;
}
