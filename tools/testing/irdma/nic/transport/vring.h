/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Device side of a split virtqueue, laid out as in <linux/virtio_ring.h>.
 *
 * The guest owns the memory: a ring whose addresses, indices or chains make no
 * sense is broken and stays so until vring_setup(). Nothing is read or written
 * through it then.
 */
#ifndef NIC_VRING_H
#define NIC_VRING_H

#include "../types.h"

struct dma_space;

struct vring_queue {
	struct dma_space *mem;
	u64 desc, avail, used;
	u32 num;		/* 0: not set up, or broken */
	u16 next_avail, next_used;
};

/**
 * struct vring_chain - one buffer that the guest offered
 * @out: bytes for the device, gathered
 * @in_addr: first descriptor that the device may write; @in_len is 0 when there is none
 */
struct vring_chain {
	u16 head;
	u32 out_len;
	u8 out[4096 + 64];
	u64 in_addr;
	u32 in_len;
};

/* @base: index of the first entry that is the device's. False: refused, the ring is unusable. */
bool vring_setup(struct vring_queue *q, struct dma_space *mem, u32 num, u16 base);
/* Takes the next buffer. False: there is none, or the ring is broken. */
bool vring_pop(struct vring_queue *q, struct vring_chain *chain);
/* Gives the buffer back with @len bytes written to it. */
void vring_push(struct vring_queue *q, const struct vring_chain *chain, u32 len);

#endif
