// SPDX-License-Identifier: GPL-2.0
/*
 * STags: the commands that make and end them, the check of every use, and the memory
 * behind them.
 *
 * The index field of an STag has as many significant bits as the table needs; software
 * fills the rest at random. The table is looked up by the significant bits and the whole
 * field is compared.
 */
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

#define INDEX_BITS_MIN	14u
#define LENGTH_MAX	(1ull << 45)
#define PD_MAX		262144u

static const u8 page_shifts[] = { 12, 21, 30 };

u32 mr_slot(const struct rdma *r, u32 index)
{
	u32 bits = INDEX_BITS_MIN;

	while (BIT(bits) < r->mrs.count)
		bits++;
	return index & (u32)(BIT(bits) - 1);
}

void mr_free(void *mr)
{
	free(mr);
}

struct rdma_mr *rdma_mr_get(struct rdma *r, u32 index)
{
	struct rdma_mr *mr = table_get(&r->mrs, mr_slot(r, index));

	return mr && mr->index == index ? mr : NULL;
}

/* Commands. */

/* The parent index of a shared registration takes the place of the high part. */
static u32 stag_pd(const struct cmd *c)
{
	u32 high = c->op == OP_REG_SHARED ? 0 : (u32)GETF(c->w[2], STAG_W16_PD_HIGH);

	return (u32)GETF(c->w[1], FLD_STAG_PD) | high << 18;
}

static u32 stag_index(const struct cmd *c)
{
	return (u32)GETF(c->w[2], STAG_W16_INDEX);
}

/* Index, PD and function of a command that makes an STag. */
static u32 check_new(struct cmd *c)
{
	u32 index = stag_index(c), slot = mr_slot(c->r, index);

	if (!slot || slot >= c->r->mrs.count)
		return refuse(c->r, STAG_INDEX, CMD_NO_OBJECT, "index 0x%06x, slot %u of %u", index,
			      slot, c->r->mrs.count);
	if (table_get(&c->r->mrs, slot))
		return refuse(c->r, STAG_IN_USE, CMD_STATE, "index 0x%06x, slot %u", index, slot);
	if (stag_pd(c) >= PD_MAX)
		return refuse(c->r, STAG_PD, CMD_FIELD, "index 0x%06x: PD %u", index, stag_pd(c));
	if (GETF(c->w[3], STAG_W24_USE_FN) && GETF(c->w[5], CQP_W40_FN) != HMC_FN)
		return refuse(c->r, HMC_FUNCTION, CMD_FIELD, "index 0x%06x: function %u", index,
			      (u32)GETF(c->w[5], CQP_W40_FN));
	return hmc_mr_backed(c->r, slot) ? CMD_OK : CMD_CONTEXT;
}

static u32 add(struct cmd *c, const struct rdma_mr *mr)
{
	struct rdma_mr *obj = malloc(sizeof(*obj));

	if (!obj)
		return CMD_CONTEXT;
	*obj = *mr;
	table_set(&c->r->mrs, mr_slot(c->r, mr->index), obj);
	TRACE(c->r->nic, T_CQP, "STag 0x%06x%02x: %s, PD %u, 0x%llx + %llu, rights 0x%x", mr->index,
	      mr->key, mr->region ? "region" : "window", mr->pd, (unsigned long long)mr->va,
	      (unsigned long long)mr->len, mr->access);
	return CMD_OK;
}

u32 cmd_alloc_stag(struct cmd *c)
{
	bool region = GETF(c->w[3], STAG_W24_REGION);
	struct rdma_mr mr = {
		.r = c->r, .index = stag_index(c), .pd = stag_pd(c), .region = region,
		.fast = region, .max_len = GETF(c->w[1], STAG_W8_LENGTH),
		.remote = GETF(c->w[3], STAG_W24_REMOTE), .page_shift = 12,
		.type1 = GETF(c->w[3], STAG_W24_TYPE1),
		.no_key_check = GETF(c->w[3], STAG_W24_NO_KEY_CHECK),
	};
	u32 result = check_new(c);

	if (result)
		return result;
	if (region ? mr.type1 || !mr.max_len || mr.max_len > LENGTH_MAX : mr.max_len != 0)
		return refuse(c->r, STAG_LENGTH, CMD_FIELD, "index 0x%06x: %s of %llu bytes",
			      mr.index, region ? "region" : "window",
			      (unsigned long long)mr.max_len);
	return add(c, &mr);
}

/* Rights come in pairs: remote read needs local read, remote write needs local write. */
static u32 check_rights(struct cmd *c, u32 access)
{
	bool remote = access & (ACC_REMOTE_READ | ACC_REMOTE_WRITE);

	if (!(access & ACC_LOCAL_READ) ||
	    ((access & ACC_REMOTE_WRITE) && !(access & ACC_LOCAL_WRITE)))
		return refuse(c->r, STAG_RIGHTS, CMD_FIELD, "index 0x%06x: rights 0x%02x",
			      stag_index(c), access);
	if (remote != (bool)GETF(c->w[3], STAG_W24_REMOTE))
		return refuse(c->r, STAG_RIGHTS, CMD_FIELD, "index 0x%06x: rights 0x%02x, remote %u",
			      stag_index(c), access, (u32)GETF(c->w[3], STAG_W24_REMOTE));
	return CMD_OK;
}

static u64 page_count(const struct rdma_mr *mr)
{
	u64 size = BIT(mr->page_shift), off = mr->va & (size - 1);

	return (off + mr->len + size - 1) >> mr->page_shift;
}

/* Where the pages of a region are. */
static u32 decode_pages(struct cmd *c, struct rdma_mr *mr)
{
	u64 size_code = GETF(c->w[3], STAG_W24_PAGE_SIZE);
	u64 low = mr->va;

	mr->pbl_mode = (u8)GETF(c->w[3], STAG_W24_PBL_MODE);
	if (size_code >= ARRAY_SIZE(page_shifts) || mr->pbl_mode == 2)
		return refuse(c->r, STAG_PAGES, CMD_FIELD, "page size code %u, list mode %u",
			      (u32)size_code, mr->pbl_mode);
	mr->page_shift = page_shifts[size_code];
	mr->pble = (u32)GETF(c->w[6], CQP_W48_PBLE);
	low &= BIT(mr->page_shift) - 1;
	if (mr->pbl_mode) {
		if (c->w[4])
			return refuse(c->r, STAG_PAGES, CMD_FIELD, "address 0x%llx beside a list",
				      (unsigned long long)c->w[4]);
		return pbl_check(c->r, mr->pble, mr->pbl_mode == 3, page_count(mr),
				 mr->page_shift) ? CMD_OK : CMD_CONTEXT;
	}
	/* The address may carry the offset into the page or leave it out. */
	mr->addr = c->w[4] & ~(BIT(mr->page_shift) - 1);
	if (mr->pble || (c->w[4] != mr->addr && c->w[4] - mr->addr != low))
		return refuse(c->r, STAG_PAGES, CMD_FIELD, "address 0x%llx, entry %u, base 0x%llx",
			      (unsigned long long)c->w[4], mr->pble, (unsigned long long)mr->va);
	return mr->all_memory || mem_check(c->r, mr->addr + low, mr->len, DMA_PROT_READ) ?
		CMD_OK : CMD_CONTEXT;
}

static bool is_all_memory(const struct cmd *c, const struct rdma_mr *mr)
{
	return !mr->len && !mr->va && mr->va_based && !c->w[4] &&
	       !GETF(c->w[3], STAG_W24_PBL_MODE) && !GETF(c->w[3], STAG_W24_PAGE_SIZE);
}

u32 cmd_reg_mr(struct cmd *c)
{
	struct rdma_mr mr = {
		.r = c->r, .index = stag_index(c), .key = (u8)GETF(c->w[2], STAG_W16_KEY),
		.region = true, .valid = true, .pd = stag_pd(c), .va = c->w[0],
		.len = GETF(c->w[1], STAG_W8_LENGTH), .va_based = GETF(c->w[3], STAG_W24_VA_BASED),
		.remote = GETF(c->w[3], STAG_W24_REMOTE),
		.access = (u32)GETF(c->w[3], STAG_W24_RIGHTS),
	};
	u32 result = check_new(c);

	if (!result)
		result = check_rights(c, mr.access);
	if (result)
		return result;
	if (!GETF(c->w[3], STAG_W24_REGION))
		return refuse(c->r, STAG_KIND, CMD_FIELD, "index 0x%06x registered as a window",
			      mr.index);
	if (GETF(c->w[3], STAG_W24_ATOMICS))
		mr.access |= ACC_REMOTE_ATOMIC;
	mr.all_memory = is_all_memory(c, &mr);
	if ((!mr.len && !mr.all_memory) || mr.len > LENGTH_MAX ||
	    (mr.va_based && mr.va + mr.len < mr.va))
		return refuse(c->r, STAG_LENGTH, CMD_FIELD, "index 0x%06x: 0x%llx + %llu", mr.index,
			      (unsigned long long)mr.va, (unsigned long long)mr.len);
	result = decode_pages(c, &mr);
	if (result)
		return result;
	if (!mr.va_based && mr.va >> mr.page_shift)
		return refuse(c->r, STAG_PAGES, CMD_FIELD, "zero-based region at 0x%llx",
			      (unsigned long long)mr.va);
	return add(c, &mr);
}

/* A second STag for the memory of another region. */
u32 cmd_reg_shared(struct cmd *c)
{
	u32 parent_index = (u32)GETF(c->w[2], STAG_W16_PARENT);
	struct rdma_mr *parent = rdma_mr_get(c->r, parent_index), mr;
	u32 result = check_new(c);

	if (!result)
		result = check_rights(c, (u32)GETF(c->w[3], STAG_W24_RIGHTS));
	if (result)
		return result;
	if (!parent || !parent->region || !parent->valid)
		return refuse(c->r, STAG_PARENT, CMD_NO_OBJECT, "parent 0x%06x", parent_index);
	if ((c->w[0] ^ parent->va) & (BIT(parent->page_shift) - 1))
		return refuse(c->r, STAG_PARENT, CMD_FIELD, "base 0x%llx for a parent at 0x%llx",
			      (unsigned long long)c->w[0], (unsigned long long)parent->va);
	mr = *parent;
	mr.index = stag_index(c);
	mr.key = (u8)GETF(c->w[2], STAG_W16_KEY);
	mr.pd = stag_pd(c);
	mr.va = c->w[0];
	mr.va_based = GETF(c->w[3], STAG_W24_VA_BASED);
	mr.access = (u32)GETF(c->w[3], STAG_W24_RIGHTS);
	mr.remote = GETF(c->w[3], STAG_W24_REMOTE);
	mr.shared = true;
	mr.windows = 0;
	parent->shared = true;
	return add(c, &mr);
}

u32 cmd_query_stag(struct cmd *c)
{
	const struct rdma_mr *mr = rdma_mr_get(c->r, stag_index(c));

	/* The error bit is part of the answer: major 0, minor "STag invalid". */
	return mr && mr->valid ? CMD_OK : 1;
}

u32 cmd_dealloc_stag(struct cmd *c)
{
	u32 index = stag_index(c);
	struct rdma_mr *mr = rdma_mr_get(c->r, index), *parent;

	if (!mr)
		return refuse(c->r, STAG_INDEX, CMD_NO_OBJECT, "deallocate 0x%06x", index);
	if (GETF(c->w[3], STAG_W24_REGION) != mr->region)
		return refuse(c->r, STAG_KIND, CMD_FIELD, "deallocate 0x%06x, a %s", index,
			      mr->region ? "region" : "window");
	if (stag_pd(c) != mr->pd)
		return refuse(c->r, STAG_PD, CMD_FIELD, "deallocate 0x%06x of PD %u with PD %u",
			      index, mr->pd, stag_pd(c));
	if (mr->windows)
		return refuse(c->r, STAG_BOUND, CMD_STATE, "0x%06x with %u windows", index,
			      mr->windows);
	parent = !mr->region && mr->valid ? rdma_mr_get(c->r, mr->parent) : NULL;
	if (parent)
		parent->windows--;
	table_clear(&c->r->mrs, mr_slot(c->r, index));
	mr_free(mr);
	return CMD_OK;
}

/* Checks. */

static u16 check_bounds(const struct rdma_mr *mr, u64 addr, u64 len)
{
	u64 start = mr->va_based ? mr->va : 0;

	if (!len || mr->all_memory)
		return addr + len < addr ? AE_WRAP : 0;
	if (addr + len - 1 < addr)
		return AE_WRAP;
	if (addr < start || addr - start > mr->len || len > mr->len - (addr - start))
		return AE_BOUNDS;
	return 0;
}

u16 rdma_mr_check(struct rdma *r, u32 stag, u32 pd, u32 qp, bool remote, u32 need, u64 addr,
		  u64 len, struct rdma_mr **out)
{
	u32 index = stag >> 8, slot = mr_slot(r, index);
	struct rdma_mr *mr = rdma_mr_get(r, index);

	if (slot >= r->mrs.count)
		return AE_BAD_INDEX;
	if (!mr)
		return AE_UNALLOCATED;
	if (mr->key != (u8)stag)
		return AE_BAD_KEY;
	if (!mr->valid)
		return AE_INVALID;
	if (mr->pd != pd)
		return AE_BAD_PD;
	if (!mr->region && !mr->type1 && mr->qp != qp)
		return AE_BAD_QP;
	/* "Remote access enabled" is about reads and writes; atomics have a flag of their own. */
	if ((remote && !mr->remote && need != ACC_REMOTE_ATOMIC) || (mr->access & need) != need)
		return AE_RIGHTS;
	*out = mr;
	return check_bounds(mr, addr, len);
}

/* Memory. */

/* The region whose pages hold @mr, and @addr as that region counts; NULL: it is gone. */
static struct rdma_mr *backing(struct rdma_mr *mr, u64 *addr)
{
	struct rdma_mr *parent;

	if (mr->region)
		return mr;
	parent = rdma_mr_get(mr->r, mr->parent);
	if (!mr->va_based)
		*addr += mr->va;
	return parent && parent->region && parent->valid ? parent : NULL;
}

u64 rdma_mr_segment(struct rdma_mr *mr, u64 addr, u64 len, u64 *bus)
{
	struct rdma_mr *region = backing(mr, &addr);
	u64 size, off, page, run, next;
	bool two;

	if (!region)
		return 0;
	if (region->all_memory) {
		*bus = addr;
		return len;
	}
	size = BIT(region->page_shift);
	off = (region->va & (size - 1)) + addr - (region->va_based ? region->va : 0);
	if (!region->pbl_mode) {
		*bus = region->addr + off;
		return len;
	}
	two = region->pbl_mode == 3;
	page = off >> region->page_shift;
	if (!pbl_page(mr->r, region->pble, two, page, region->page_shift, bus))
		return 0;
	off &= size - 1;
	for (run = size; run - off < len; run += size)
		if (!pbl_page(mr->r, region->pble, two, page + run / size, region->page_shift,
			      &next) || next != *bus + run)
			break;
	*bus += off;
	run -= off;
	return run < len ? run : len;
}

bool rdma_mr_read(struct rdma_mr *mr, u64 addr, void *buf, u64 len)
{
	for (u64 done = 0, bus, n; done < len; done += n) {
		n = rdma_mr_segment(mr, addr + done, len - done, &bus);
		if (!n || !dma_read(mr->r->nic->dma, bus, (u8 *)buf + done, n))
			return false;
	}
	return true;
}

bool rdma_mr_write(struct rdma_mr *mr, u64 addr, const void *buf, u64 len)
{
	for (u64 done = 0, bus, n; done < len; done += n) {
		n = rdma_mr_segment(mr, addr + done, len - done, &bus);
		if (!n || !dma_write(mr->r->nic->dma, bus, (const u8 *)buf + done, n))
			return false;
	}
	return true;
}

bool rdma_mr_copy(struct rdma_mr *dst, u64 to, struct rdma_mr *src, u64 from, u64 len)
{
	for (u64 done = 0, n; done < len; done += n) {
		u64 dbus, sbus, d, s;

		d = rdma_mr_segment(dst, to + done, len - done, &dbus);
		s = rdma_mr_segment(src, from + done, len - done, &sbus);
		n = d < s ? d : s;
		if (!n || !dma_copy(dst->r->nic->dma, dbus, src->r->nic->dma, sbus, n))
			return false;
	}
	return true;
}
