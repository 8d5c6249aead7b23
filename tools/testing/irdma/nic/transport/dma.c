// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the map from DMA addresses to host memory.
 *
 * Mappings are kept sorted by address; they never overlap. A machine behind a
 * vIOMMU maps and unmaps single pages of the same memory file thousands of times,
 * so a file is mapped into this process once, as a whole, and its mappings point
 * into it.
 */
#include "dma.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "../faults.h"
#include "../nic.h"
#include "../trace.h"

#define MAPS_MAX	65536u
#define PAGE_MASK	0xfffull

struct dma_file {
	struct dma_file *next;
	dev_t dev;
	ino_t ino;
	u64 size;
	u32 prot;
	u64 refs;		/* mappings that point into it */
	u8 *base;
};

struct dma_range {
	u64 iova, last;		/* inclusive */
	u8 *mem;		/* NULL: nothing behind it */
	u32 prot;
	struct dma_file *file;	/* NULL: memory of the caller's */
};

struct dma_space {
	struct nic *nic;
	bool enabled;
	struct dma_range *map;
	size_t cnt, max;
	size_t hit;		/* where the previous look-up ended */
	struct dma_file *files;
	struct dma_stats stats;
};

struct dma_space *dma_space_new(struct nic *nic)
{
	struct dma_space *ds = calloc(1, sizeof(*ds));

	if (!ds)
		return NULL;
	ds->nic = nic;
	ds->enabled = true;
	return ds;
}

void dma_space_free(struct dma_space *ds)
{
	if (!ds)
		return;
	dma_unmap_all(ds);
	free(ds->map);
	free(ds);
}

void dma_enable(struct dma_space *ds, bool on)
{
	ds->enabled = on;
}

/* --- files --- */

static int file_get(struct dma_space *ds, int fd, u64 end, u32 prot, struct dma_file **out)
{
	int mmap_prot = (prot & DMA_PROT_READ ? PROT_READ : 0) |
			(prot & DMA_PROT_WRITE ? PROT_WRITE : 0);
	struct dma_file *f;
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size <= 0 || end > (u64)st.st_size)
		return -EINVAL;
	for (f = ds->files; f; f = f->next)
		if (f->dev == st.st_dev && f->ino == st.st_ino && end <= f->size &&
		    (f->prot & prot) == prot)
			goto found;

	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->base = mmap(NULL, (size_t)st.st_size, mmap_prot, MAP_SHARED, fd, 0);
	if (f->base == MAP_FAILED) {
		int err = -errno;

		free(f);
		return err;
	}
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	f->size = (u64)st.st_size;
	f->prot = prot;
	f->next = ds->files;
	ds->files = f;
found:
	f->refs++;
	*out = f;
	return 0;
}

static void file_put(struct dma_space *ds, struct dma_file *f)
{
	struct dma_file **p = &ds->files;

	if (!f || --f->refs)
		return;
	while (*p != f)
		p = &(*p)->next;
	*p = f->next;
	munmap(f->base, f->size);
	free(f);
}

/* --- ranges --- */

/* Index of the first range that ends at or behind @addr. */
static size_t lower_bound(const struct dma_space *ds, u64 addr)
{
	size_t lo = 0, hi = ds->cnt;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ds->map[mid].last < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const struct dma_range *range_at(struct dma_space *ds, u64 addr)
{
	const struct dma_range *r;

	if (ds->hit < ds->cnt) {
		r = &ds->map[ds->hit];
		if (addr >= r->iova && addr <= r->last)
			return r;
	}
	ds->hit = lower_bound(ds, addr);
	if (ds->hit == ds->cnt || ds->map[ds->hit].iova > addr)
		return NULL;
	return &ds->map[ds->hit];
}

static int check_range(u64 iova, u64 size)
{
	if (!size || (iova | size) & PAGE_MASK || iova + size - 1 < iova)
		return -EINVAL;
	return 0;
}

static int insert(struct dma_space *ds, const struct dma_range *r)
{
	size_t at = lower_bound(ds, r->iova);

	if (at < ds->cnt && ds->map[at].iova <= r->last)
		return -EEXIST;
	if (ds->cnt == MAPS_MAX)
		return -ENOSPC;
	if (ds->cnt == ds->max) {
		size_t max = ds->max * 2 + 16;
		struct dma_range *map = realloc(ds->map, max * sizeof(*map));

		if (!map)
			return -ENOMEM;
		ds->map = map;
		ds->max = max;
	}
	memmove(ds->map + at + 1, ds->map + at, (ds->cnt - at) * sizeof(*r));
	ds->map[at] = *r;
	ds->cnt++;
	return 0;
}

int dma_map_mem(struct dma_space *ds, u64 iova, u64 size, void *mem, u32 prot)
{
	struct dma_range r = {
		.iova = iova, .last = iova + size - 1, .mem = mem, .prot = prot,
	};
	int err = check_range(iova, size);

	return err ? err : insert(ds, &r);
}

int dma_map(struct dma_space *ds, u64 iova, u64 size, int fd, u64 offset, u32 prot)
{
	struct dma_range r = { .iova = iova, .last = iova + size - 1, .prot = prot };
	int err = check_range(iova, size);
	u64 end;

	if (err)
		return err;
	if (fd < 0)
		return insert(ds, &r);
	if (offset & PAGE_MASK || __builtin_add_overflow(offset, size, &end))
		return -EINVAL;
	err = file_get(ds, fd, end, prot, &r.file);
	if (err)
		return err;
	r.mem = r.file->base + offset;
	err = insert(ds, &r);
	if (err)
		file_put(ds, r.file);
	return err;
}

int dma_unmap(struct dma_space *ds, u64 iova, u64 size)
{
	u64 last = iova + size - 1;
	size_t from, to;

	if (!size || last < iova)
		return -EINVAL;
	from = lower_bound(ds, iova);
	to = last == UINT64_MAX ? ds->cnt : lower_bound(ds, last + 1);
	if (from < ds->cnt && ds->map[from].iova < iova)
		return -EINVAL;
	if (to < ds->cnt && ds->map[to].iova <= last)
		return -EINVAL;
	if (to == from)
		return -ENOENT;
	for (size_t i = from; i < to; i++)
		file_put(ds, ds->map[i].file);
	memmove(ds->map + from, ds->map + to, (ds->cnt - to) * sizeof(*ds->map));
	ds->cnt -= to - from;
	return 0;
}

void dma_unmap_all(struct dma_space *ds)
{
	for (size_t i = 0; i < ds->cnt; i++)
		file_put(ds, ds->map[i].file);
	ds->cnt = 0;
}

/* --- accesses --- */

static bool fault(struct dma_space *ds, u64 addr, size_t len, u32 prot)
{
	const char *why = ds->enabled ? "" : ", bus mastering is off";

	ds->stats.faults++;
	ds->stats.fault_addr = addr;
	violation(ds->nic, V_DMA_FAULT, "%s of %zu bytes at 0x%llx%s",
		  prot == DMA_PROT_READ ? "read" : "write", len, (unsigned long long)addr, why);
	return false;
}

/* Without counting: what is there at @addr, and how much of it. */
static u8 *look(struct dma_space *ds, u64 addr, size_t len, u32 prot, size_t *avail)
{
	const struct dma_range *r = ds->enabled ? range_at(ds, addr) : NULL;

	if (!r || !r->mem || (r->prot & prot) != prot)
		return NULL;
	*avail = r->last - addr < len ? (size_t)(r->last - addr) + 1 : len;
	return r->mem + (addr - r->iova);
}

/* Every byte is there, or a fault is counted. */
static bool check(struct dma_space *ds, u64 addr, size_t len, u32 prot)
{
	size_t avail;

	if (len && addr + (len - 1) < addr)
		return fault(ds, addr, len, prot);
	for (size_t done = 0; done < len; done += avail)
		if (!look(ds, addr + done, len - done, prot, &avail))
			return fault(ds, addr + done, len - done, prot);
	return true;
}

/* A knob is about the device's accesses, not those of a transport to its own rings. */
static bool injected(struct dma_space *ds, enum fault_point point)
{
	return ds->nic && ds->nic->dma == ds && fault_hit(ds->nic, point, 0) != NULL;
}

/*
 * Each byte once and in order, as the bus does it: who polls a word may use it, and
 * write there himself, before the rest has come. memcpy() stores parts twice.
 */
static void put(u8 *to, const u8 *from, size_t len)
{
	for (; len && (uintptr_t)to % sizeof(u64); len--)
		__atomic_store_n(to++, *from++, __ATOMIC_RELEASE);
	for (; len >= sizeof(u64); len -= sizeof(u64)) {
		u64 word;

		memcpy(&word, from, sizeof(word));
		__atomic_store_n((u64 *)(void *)to, word, __ATOMIC_RELEASE);
		to += sizeof(word);
		from += sizeof(word);
	}
	for (; len; len--)
		__atomic_store_n(to++, *from++, __ATOMIC_RELEASE);
}

bool dma_read(struct dma_space *ds, u64 addr, void *buf, size_t len)
{
	size_t avail;

	if (injected(ds, F_DMA_READ) || !check(ds, addr, len, DMA_PROT_READ))
		return false;
	for (size_t done = 0; done < len; done += avail) {
		u8 *p = look(ds, addr + done, len - done, DMA_PROT_READ, &avail);

		memcpy((u8 *)buf + done, p, avail);
	}
	ds->stats.read_bytes += len;
	return true;
}

bool dma_write(struct dma_space *ds, u64 addr, const void *buf, size_t len)
{
	size_t avail;

	if (injected(ds, F_DMA_WRITE) || !check(ds, addr, len, DMA_PROT_WRITE))
		return false;
	for (size_t done = 0; done < len; done += avail) {
		u8 *p = look(ds, addr + done, len - done, DMA_PROT_WRITE, &avail);

		put(p, (const u8 *)buf + done, avail);
	}
	ds->stats.write_bytes += len;
	return true;
}

/* Host address of a naturally aligned word (it lies in one page), or NULL. */
static void *word(struct dma_space *ds, u64 addr, size_t len, u32 prot)
{
	size_t avail;
	u8 *p;

	if (injected(ds, prot == DMA_PROT_READ ? F_DMA_READ : F_DMA_WRITE))
		return NULL;
	p = addr % len ? NULL : look(ds, addr, len, prot, &avail);
	if (!p)
		fault(ds, addr, len, prot);
	else if (prot == DMA_PROT_READ)
		ds->stats.read_bytes += len;
	else
		ds->stats.write_bytes += len;
	return p;
}

bool dma_load64(struct dma_space *ds, u64 addr, u64 *val)
{
	u64 *p = word(ds, addr, sizeof(*p), DMA_PROT_READ);

	if (p)
		*val = __atomic_load_n(p, __ATOMIC_ACQUIRE);
	return p;
}

bool dma_store64(struct dma_space *ds, u64 addr, u64 val)
{
	u64 *p = word(ds, addr, sizeof(*p), DMA_PROT_WRITE);

	if (p)
		__atomic_store_n(p, val, __ATOMIC_RELEASE);
	return p;
}

bool dma_store32(struct dma_space *ds, u64 addr, u32 val)
{
	u32 *p = word(ds, addr, sizeof(*p), DMA_PROT_WRITE);

	if (p)
		__atomic_store_n(p, val, __ATOMIC_RELEASE);
	return p;
}

bool dma_store16(struct dma_space *ds, u64 addr, u16 val)
{
	u16 *p = word(ds, addr, sizeof(*p), DMA_PROT_WRITE);

	if (p)
		__atomic_store_n(p, val, __ATOMIC_RELEASE);
	return p;
}

void *dma_ptr(struct dma_space *ds, u64 addr, size_t len, u32 prot, size_t *avail)
{
	u8 *p = look(ds, addr, len, prot, avail);

	if (!p)
		fault(ds, addr, len, prot);
	return p;
}

bool dma_copy(struct dma_space *dst, u64 to, struct dma_space *src, u64 from, size_t len)
{
	while (len) {
		size_t avail;
		u8 *in = dma_ptr(src, from, len, DMA_PROT_READ, &avail);
		u8 *out = in ? dma_ptr(dst, to, avail, DMA_PROT_WRITE, &avail) : NULL;

		if (!out)
			return false;
		put(out, in, avail);
		src->stats.read_bytes += avail;
		dst->stats.write_bytes += avail;
		from += avail;
		to += avail;
		len -= avail;
	}
	return true;
}

const struct dma_stats *dma_stats(const struct dma_space *ds)
{
	return &ds->stats;
}
