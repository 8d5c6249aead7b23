/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guest memory as the device sees it: the only door to it.
 *
 * Addresses are DMA addresses (IOVAs). An access that is not wholly mapped with
 * the right permission moves nothing, is counted and returns false; the caller
 * gives the defined result (error completion, async event ...). Nothing here is
 * valid after a return to the event loop: maps come and go.
 */
#ifndef NIC_DMA_H
#define NIC_DMA_H

#include "../types.h"

struct dma_space;
struct nic;

#define DMA_PROT_READ	1u
#define DMA_PROT_WRITE	2u

/*
 * @nic: where faults are counted and fault knobs are found; NULL in unit tests.
 * A new space is enabled.
 */
struct dma_space *dma_space_new(struct nic *nic);
void dma_space_free(struct dma_space *ds);

/*
 * Maps [@iova, @iova + @size) to @fd at @offset; @fd stays the caller's. @fd -1: the
 * range is known but nothing is behind it (ROM of the machine); accesses fail.
 * -EEXIST: overlaps a mapping; -EINVAL: size 0, wrap, unaligned, or beyond the end of
 * the file; -ENOSPC: too many mappings; else mmap()'s.
 */
int dma_map(struct dma_space *ds, u64 iova, u64 size, int fd, u64 offset, u32 prot);
/* Same with memory of the caller's, for unit tests. */
int dma_map_mem(struct dma_space *ds, u64 iova, u64 size, void *mem, u32 prot);
/*
 * Removes every mapping that lies inside the range. -ENOENT: there is none; -EINVAL:
 * wrap, size 0, or the range cuts a mapping, all of which stay then.
 */
int dma_unmap(struct dma_space *ds, u64 iova, u64 size);
void dma_unmap_all(struct dma_space *ds);

/* Off (bus mastering disabled, or in reset): every access fails. */
void dma_enable(struct dma_space *ds, bool on);

bool dma_read(struct dma_space *ds, u64 addr, void *buf, size_t len);
bool dma_write(struct dma_space *ds, u64 addr, const void *buf, size_t len);

/* Naturally aligned accesses in one piece. A store is visible after all earlier ones. */
bool dma_load64(struct dma_space *ds, u64 addr, u64 *val);
bool dma_store64(struct dma_space *ds, u64 addr, u64 val);
bool dma_store32(struct dma_space *ds, u64 addr, u32 val);
bool dma_store16(struct dma_space *ds, u64 addr, u16 val);

/*
 * Host pointer to @addr and how many bytes are contiguous from there (at most @len);
 * NULL when unmapped or not permitted. Valid until the return to the event loop.
 */
void *dma_ptr(struct dma_space *ds, u64 addr, size_t len, u32 prot, size_t *avail);

/* Copy between two spaces (or within one); false: some part is unmapped, the rest undefined. */
bool dma_copy(struct dma_space *dst, u64 to, struct dma_space *src, u64 from, size_t len);

struct dma_stats {
	u64 read_bytes, write_bytes, faults;
	u64 fault_addr;		/* of the latest fault */
};
const struct dma_stats *dma_stats(const struct dma_space *ds);

#endif
