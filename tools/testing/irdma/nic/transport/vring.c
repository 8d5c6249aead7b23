// SPDX-License-Identifier: GPL-2.0
/* Split virtqueue, device side. Every index that the guest wrote is checked before use. */
#include <linux/virtio_ring.h>

#include "dma.h"
#include "vring.h"

#define VRING_NUM_MAX	32768u

bool vring_setup(struct vring_queue *q, struct dma_space *mem, u32 num, u16 base)
{
	bool ok = num && num <= VRING_NUM_MAX && !(num & (num - 1));

	q->mem = mem;
	q->num = ok ? num : 0;
	q->next_avail = base;
	q->next_used = base;
	return ok;
}

static bool vring_break(struct vring_queue *q)
{
	q->num = 0;
	return false;
}

/* False also when the available ring is empty; the ring is broken then only if its memory is gone. */
static bool vring_next_head(struct vring_queue *q, u16 *head)
{
	size_t avail_len;
	u64 slot = q->avail + 4 + 2 * (q->next_avail % q->num);
	const u16 *idx = dma_ptr(q->mem, q->avail + 2, 2, DMA_PROT_READ, &avail_len);

	if (!idx || avail_len < 2 || (uintptr_t)idx % 2)
		return vring_break(q);
	/* pairs with the guest's barrier before it publishes the index */
	if (__atomic_load_n(idx, __ATOMIC_ACQUIRE) == q->next_avail)
		return false;
	if (!dma_read(q->mem, slot, head, 2) || *head >= q->num)
		return vring_break(q);
	q->next_avail++;
	return true;
}

/* Adds one descriptor to the chain; false: it does not fit or is not the guest's memory. */
static bool vring_gather(struct vring_queue *q, struct vring_chain *chain,
			 const struct vring_desc *d)
{
	if (d->flags & VRING_DESC_F_WRITE) {
		if (!chain->in_len) {
			chain->in_addr = d->addr;
			chain->in_len = d->len;
		}
		return true;
	}
	if (d->len > sizeof(chain->out) - chain->out_len)
		return false;
	if (!dma_read(q->mem, d->addr, chain->out + chain->out_len, d->len))
		return false;
	chain->out_len += d->len;
	return true;
}

bool vring_pop(struct vring_queue *q, struct vring_chain *chain)
{
	u16 id;

	if (!q->num || !vring_next_head(q, &id))
		return false;
	chain->head = id;
	chain->out_len = 0;
	chain->in_len = 0;

	/* a chain longer than the ring is a loop */
	for (u32 i = 0; i < q->num; i++) {
		struct vring_desc d;

		if (id >= q->num || !dma_read(q->mem, q->desc + 16ull * id, &d, sizeof(d)) ||
		    !vring_gather(q, chain, &d))
			return vring_break(q);
		if (!(d.flags & VRING_DESC_F_NEXT))
			return true;
		id = d.next;
	}
	return vring_break(q);
}

void vring_push(struct vring_queue *q, const struct vring_chain *chain, u32 len)
{
	struct vring_used_elem elem = { .id = chain->head, .len = len };
	u64 slot;

	if (!q->num)
		return;
	slot = q->used + 4 + sizeof(elem) * (q->next_used % q->num);
	/* the index is stored after the element: dma_store16() orders it */
	if (!dma_write(q->mem, slot, &elem, sizeof(elem)) ||
	    !dma_store16(q->mem, q->used + 2, ++q->next_used))
		vring_break(q);
}
