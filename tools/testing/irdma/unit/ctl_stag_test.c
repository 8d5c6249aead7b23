// SPDX-License-Identifier: GPL-2.0
/* STags: checks of every use, memory behind them, windows, fast registration. */
#include "ctl_fake.h"

#define ALL_REMOTE	(ACC_REMOTE_READ | ACC_REMOTE_WRITE)
#define MW_INDEX	0x12000Au	/* slot 10 */
#define MW_STAG		(MW_INDEX << 8)
#define FAST_INDEX	0x45400Bu	/* slot 11 */
#define FAST_STAG	(FAST_INDEX << 8 | 0x5A)

static u16 check(u32 stag, u32 pd, bool remote, u32 need, u64 addr, u64 len)
{
	struct rdma_mr *mr;

	return rdma_mr_check(g.r, stag, pd, QP_A, remote, need, addr, len, &mr);
}

/* Checks, in the order in which hardware names the first that fails. */
static void test_codes(void **state)
{
	const struct {
		u32 stag, pd, need;
		u64 addr, len;
		bool remote;
		u16 code;
	} rows[] = {
		{ MR_STAG, PD, ACC_LOCAL_READ, MR_VA, MR_LEN, false, 0 },
		{ MR_STAG, PD, ALL_REMOTE, MR_VA + MR_LEN - 1, 1, true, 0 },
		{ 0x00003F00, PD, ACC_LOCAL_READ, MR_VA, 1, false, 0x102 },
		{ 0x00007F00, PD, ACC_LOCAL_READ, MR_VA, 1, false, 0x107 },
		{ MR_STAG ^ 0x70000000, PD, ACC_LOCAL_READ, MR_VA, 1, false, 0x102 },
		{ MR_STAG, PD + 1, ACC_LOCAL_READ, MR_VA, 1, false, 0x105 },
		{ MR_STAG, PD, ACC_LOCAL_READ, MR_VA - 1, 1, false, 0x108 },
		{ MR_STAG, PD, ACC_LOCAL_READ, MR_VA, MR_LEN + 1, false, 0x108 },
		{ MR_STAG, PD, ACC_LOCAL_READ, MR_VA + MR_LEN, 1, false, 0x108 },
		{ MR_STAG, PD, ACC_LOCAL_READ, MR_VA + 1, ~0ull, false, 0x10A },
		{ MR_STAG, PD, ACC_LOCAL_READ, ~0ull, 2, false, 0x10A },
		{ 0, PD, ACC_LOCAL_READ, MR_VA, 1, false, 0x102 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (check(rows[i].stag, rows[i].pd, rows[i].remote, rows[i].need, rows[i].addr,
			  rows[i].len) != rows[i].code)
			fail_msg("row %zu", i);
	for (u32 bit = 0; bit < 8; bit++)
		assert_int_equal(check(MR_STAG ^ 1u << bit, PD, false, ACC_LOCAL_READ, MR_VA, 1),
				 0x106);
	assert_int_equal(violation_total(g.nic), 0);
}

/* Each right alone: only what was given passes. */
static void test_rights(void **state)
{
	(void)state;
	for (u32 given = 0; given < 32; given++) {
		struct wqe w = w_reg(MR_INDEX + 1, 9);
		bool legal = given & 1 && (!(given & 8) || given & 2);

		w.w[3] = 1ull << 43 | (u64)given << 48 | 1ull << 59 |
			 (given & 12 ? 1ull << 53 : 0);
		assert_int_equal(cmd(0x0A, w) == 0, legal);
		if (!legal)
			continue;
		for (u32 need = 1; need < 64; need <<= 1) {
			bool remote = need & (ALL_REMOTE | ACC_REMOTE_ATOMIC);
			u16 code = check((MR_INDEX + 1) << 8 | 9, PD, remote, need, MR_VA, 1);

			assert_int_equal(code, given & need ? 0 : 0x109);
		}
		must(0x0D, w_dealloc(MR_INDEX + 1, true));
	}
}

static void test_deallocated_is_gone(void **state)
{
	(void)state;
	must(0x0D, w_dealloc(MR_INDEX, true));
	assert_int_equal(check(MR_STAG, PD, false, ACC_LOCAL_READ, MR_VA, 1), 0x102);
	must(0x0A, w_reg(MR_INDEX, MR_KEY));
	assert_int_equal(check(MR_STAG, PD, false, ACC_LOCAL_READ, MR_VA, 1), 0);
}

static void test_query(void **state)
{
	(void)state;
	must(0x0B, (struct wqe) { { [2] = (u64)MR_INDEX << 8 } });
	assert_int_equal(cmd(0x0B, (struct wqe) { { [2] = 0x3F00 } }), 1);
	assert_int_equal(violation_total(g.nic), 0);
}

static void test_all_memory(void **state)
{
	struct wqe w = { { [1] = (u64)PD << 46, [2] = (MR_INDEX + 1) << 8 | 9ull,
			   [3] = 1ull << 43 | 3ull << 48 | 1ull << 59 } };
	struct rdma_mr *mr;
	u64 bus;

	(void)state;
	must(0x0A, w);
	assert_int_equal(rdma_mr_check(g.r, (MR_INDEX + 1) << 8 | 9, PD, QP_A, false, ACC_LOCAL_WRITE,
				       DATA_AT + 5, 100, &mr), 0);
	assert_int_equal(rdma_mr_segment(mr, DATA_AT + 5, 100, &bus), 100);
	assert_int_equal(bus, DATA_AT + 5);
}

/* Memory: lists of every level and page size against a plain computation. */

/* Page @i of a region lies here: neighbours are swapped in pairs, every third stays. */
static u64 page_of(u64 i, u32 shift)
{
	return DATA_AT + ((i % 3 ? i ^ 1 : i) << shift);
}

static void fill_list(u64 first, bool two_level, u32 pages, u32 shift)
{
	for (u32 i = 0; i < pages; i++) {
		u64 idx = first + i;

		if (two_level) {
			st64(PBLE_SD + (first + i / 512) * 8, 1024 + i / 512 * 512);
			idx = 1024 + i;
		}
		st64(PBLE_SD + idx * 8, page_of(i, shift));
	}
}

static struct rdma_mr *reg_list(u64 va, u64 len, bool two_level, u32 first, bool va_based)
{
	struct wqe w = w_reg(MR_INDEX + 1, 9);

	w.w[0] = va;
	w.w[1] = len | (u64)PD << 46;
	w.w[3] |= (two_level ? 3ull : 1ull) << 44;
	if (!va_based)
		w.w[3] &= ~(1ull << 59);
	w.w[4] = 0;
	w.w[6] = first;
	must(0x0A, w);
	return rdma_mr_get(g.r, MR_INDEX + 1);
}

/* All bytes, in pieces of awkward sizes, through segment, read, and write. */
static void walk(struct rdma_mr *mr, u64 start, u64 len, u32 off0)
{
	static const u32 steps[] = { 1, 4095, 4096, 4097, 8192, 100000 };

	for (size_t s = 0; s < ARRAY_SIZE(steps); s++) {
		for (u64 done = 0; done < len;) {
			u64 bus, off = off0 + done, want = page_of(off / 4096, 12) + off % 4096;
			u64 n = rdma_mr_segment(mr, start + done,
						steps[s] < len - done ? steps[s] : len - done, &bus);

			assert_in_range(n, 1, len - done);
			assert_int_equal(bus, want);
			for (u64 k = off / 4096; k <= (off + n - 1) / 4096; k++)
				assert_int_equal(page_of(k, 12) - k * 4096, want - off);
			done += n;
		}
	}
}

static void test_lists(void **state)
{
	const struct {
		u64 va, len;
		bool two_level, va_based;
	} rows[] = {
		{ MR_VA, 0x8000, false, true },
		{ MR_VA + 0x123, 0x8000, false, true },
		{ 0x123, 0x8000, false, false },
		{ MR_VA + 0xFFF, 600 * 4096, true, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rdma_mr *mr;

		fill_list(64, rows[i].two_level, 602, 12);
		mr = reg_list(rows[i].va, rows[i].len, rows[i].two_level, 64, rows[i].va_based);
		walk(mr, rows[i].va_based ? rows[i].va : 0, rows[i].len, rows[i].va & 0xFFF);
		must(0x0D, w_dealloc(MR_INDEX + 1, true));
	}
	assert_int_equal(violation_total(g.nic), 0);
}

static void test_big_pages(void **state)
{
	struct wqe w = w_reg(MR_INDEX + 1, 9);
	struct rdma_mr *mr;
	u64 bus;

	(void)state;
	st64(PBLE_SD, DATA_AT + (4 << 20));
	st64(PBLE_SD + 8, DATA_AT);
	w.w[0] = MR_VA + 0x1000;
	w.w[1] = (3u << 20) | (u64)PD << 46;
	w.w[3] |= 1ull << 44 | 1ull << 46;
	w.w[4] = 0;
	must(0x0A, w);
	mr = rdma_mr_get(g.r, MR_INDEX + 1);
	assert_int_equal(rdma_mr_segment(mr, MR_VA + 0x1000, 3 << 20, &bus), (2 << 20) - 0x1000);
	assert_int_equal(bus, DATA_AT + (4 << 20) + 0x1000);
	assert_int_equal(rdma_mr_segment(mr, MR_VA + (2 << 20) + 5, 100, &bus), 100);
	assert_int_equal(bus, DATA_AT + 5);
	/* An entry that is not aligned to the page is refused. */
	must(0x0D, w_dealloc(MR_INDEX + 1, true));
	st64(PBLE_SD + 8, DATA_AT + 4096);
	assert_int_equal(cmd(0x0A, w), 0xF0010001);
}

static void test_gigabyte_page(void **state)
{
	struct wqe w = w_reg(MR_INDEX + 1, 9);
	u64 bus;

	(void)state;
	/* Memory at 16 MiB is inside the page at 0; the region is what was registered. */
	w.w[0] = 0x40000000ull + DATA_AT;
	w.w[3] |= 2ull << 46;
	w.w[4] = 0;
	must(0x0A, w);
	assert_int_equal(rdma_mr_segment(rdma_mr_get(g.r, MR_INDEX + 1), w.w[0] + 3, 16, &bus), 16);
	assert_int_equal(bus, DATA_AT + 3);
}

/* Contiguous: the address field may carry the offset into the page or leave it out. */
static void test_contiguous_offset(void **state)
{
	(void)state;
	for (u32 with = 0; with < 2; with++) {
		struct wqe w = w_reg(MR_INDEX + 1, 9);
		u64 bus;

		w.w[0] = MR_VA + 0x234;
		w.w[4] = DATA_AT + (with ? 0x234 : 0);
		must(0x0A, w);
		rdma_mr_segment(rdma_mr_get(g.r, MR_INDEX + 1), MR_VA + 0x234 + 7, 1, &bus);
		assert_int_equal(bus, DATA_AT + 0x234 + 7);
		must(0x0D, w_dealloc(MR_INDEX + 1, true));
	}
}

static void test_copy_between_regions(void **state)
{
	struct rdma_mr *src = rdma_mr_get(g.r, MR_INDEX), *dst;
	u8 buf[9000], back[9000];

	(void)state;
	for (u32 i = 0; i < sizeof(buf); i++)
		buf[i] = (u8)(i * 7);
	for (u32 i = 0; i < 4; i++)
		st64(PBLE_SD + i * 8, SPARE + (3 - i) * 4096);
	dst = reg_list(MR_VA + 0x40, 12000, false, 0, true);
	assert_true(rdma_mr_write(src, MR_VA + 1, buf, sizeof(buf)));
	assert_true(rdma_mr_copy(dst, MR_VA + 0x41, src, MR_VA + 1, sizeof(buf)));
	assert_true(rdma_mr_read(dst, MR_VA + 0x41, back, sizeof(back)));
	assert_memory_equal(buf, back, sizeof(buf));
	assert_int_equal(get32(at(SPARE + 3 * 4096 + 0x41)), get32(buf));
}

/* A list entry that the driver takes away too early is found at the next use. */
static void test_list_taken_away(void **state)
{
	struct rdma_mr *mr;
	u64 bus;

	(void)state;
	fill_list(0, false, 4, 12);
	mr = reg_list(MR_VA, 0x4000, false, 0, true);
	st64(PBLE_SD + 16, 0);
	assert_int_equal(rdma_mr_segment(mr, MR_VA + 0x2000, 16, &bus), 0);
	assert_int_equal(violation_total(g.nic), 1);
}

static void test_shared(void **state)
{
	struct wqe w = w_reg(MR_INDEX + 1, 9);
	u64 bus;

	(void)state;
	w.w[0] = 0x9000000000;
	w.w[1] = (u64)PD << 46;
	w.w[2] |= (u64)MR_INDEX << 32;
	w.w[3] &= ~(1ull << 43 | 1ull << 61);
	w.w[4] = 0;
	must(0x0C, w);
	assert_int_equal(rdma_mr_segment(rdma_mr_get(g.r, MR_INDEX + 1), 0x9000000010, 4, &bus), 4);
	assert_int_equal(bus, DATA_AT + 0x10);
	assert_int_equal(rdma_mr_invalidate(g.r, MR_STAG, PD, QP_A, false), 0x111);
}

/* Windows. */

static void alloc_window(bool type1)
{
	must(0x09, (struct wqe) { { [1] = (u64)PD << 46, [2] = (u64)MW_INDEX << 8,
				    [3] = type1 ? 1ull << 42 | 1ull << 58 : 0 } });
}

static const struct mw_bind good_bind = {
	.mw_stag = MW_STAG | 0x77, .mr_stag = MR_STAG, .va = MR_VA + 0x100, .len = 0x200,
	.access = ACC_REMOTE_READ | ACC_REMOTE_WRITE, .va_based = true,
};

static u16 bind(struct mw_bind b)
{
	return rdma_mw_bind(g.r, &b, PD, QP_A, true);
}

static void test_bind_and_use(void **state)
{
	struct rdma_mr *mw;
	u64 bus;

	(void)state;
	alloc_window(false);
	assert_int_equal(check(MW_STAG | 0x77, PD, true, ACC_REMOTE_READ, MR_VA + 0x100, 1), 0x106);
	assert_int_equal(bind(good_bind), 0);
	assert_int_equal(rdma_mr_check(g.r, MW_STAG | 0x77, PD, QP_A, true, ALL_REMOTE, MR_VA + 0x100,
				       0x200, &mw), 0);
	assert_int_equal(rdma_mr_segment(mw, MR_VA + 0x110, 0x10, &bus), 0x10);
	assert_int_equal(bus, DATA_AT + 0x110);
	assert_int_equal(check(MW_STAG | 0x77, PD, true, ALL_REMOTE, MR_VA + 0xFF, 1), 0x108);
	assert_int_equal(check(MW_STAG | 0x77, PD, true, ALL_REMOTE, MR_VA + 0x300, 1), 0x108);
	assert_int_equal(check(MW_STAG | 0x77, PD, true, ACC_REMOTE_ATOMIC, MR_VA + 0x100, 8), 0x109);
	/* Another QP may not use a type 2 window. */
	assert_int_equal(rdma_mr_check(g.r, MW_STAG | 0x77, PD, QP_A + 1, true, ALL_REMOTE,
				       MR_VA + 0x100, 1, &mw), 0x104);
	assert_int_equal(rdma_mr_invalidate(g.r, MR_STAG, PD, QP_A, false), 0x113);
	assert_int_equal(rdma_mr_invalidate(g.r, MW_STAG | 0x77, PD, QP_A, true), 0);
	assert_int_equal(check(MW_STAG | 0x77, PD, true, ALL_REMOTE, MR_VA + 0x100, 1), 0x103);
	must(0x0D, w_dealloc(MW_INDEX, false));
	must(0x0D, w_dealloc(MR_INDEX, true));
	assert_int_equal(violation_total(g.nic), 0);
}

static void test_zero_based_window(void **state)
{
	struct mw_bind b = good_bind;
	struct rdma_mr *mw;
	u64 bus;

	(void)state;
	alloc_window(false);
	b.va_based = false;
	assert_int_equal(bind(b), 0);
	assert_int_equal(rdma_mr_check(g.r, MW_STAG | 0x77, PD, QP_A, true, ACC_REMOTE_READ, 0, 0x200,
				       &mw), 0);
	rdma_mr_segment(mw, 0x10, 1, &bus);
	assert_int_equal(bus, DATA_AT + 0x110);
	assert_int_equal(check(MW_STAG | 0x77, PD, true, ACC_REMOTE_READ, 0x200, 1), 0x108);
}

static void test_bind_codes(void **state)
{
	struct mw_bind b;

	(void)state;
	alloc_window(false);
#define BIND(field, val) (b = good_bind, b.field = (val), bind(b))
	assert_int_equal(BIND(mw_stag, MR_STAG), 0x115);
	assert_int_equal(BIND(mw_stag, 0x3F00), 0x102);
	assert_int_equal(BIND(type1, true), 0x120);
	assert_int_equal(BIND(mr_stag, 0x3F00), 0x11A);
	assert_int_equal(BIND(mr_stag, MW_STAG), 0x11A);
	assert_int_equal(BIND(mr_stag, MR_STAG ^ 1), 0x106);
	assert_int_equal(BIND(access, ACC_BIND), 0x118);
	assert_int_equal(BIND(va, MR_VA - 1), 0x119);
	assert_int_equal(BIND(len, MR_LEN), 0x119);
	assert_int_equal(rdma_mw_bind(g.r, &good_bind, PD, QP_A, false), 0x11B);
	assert_int_equal(rdma_mw_bind(g.r, &good_bind, PD + 1, QP_A, true), 0x105);
	assert_int_equal(bind(good_bind), 0);
	assert_int_equal(bind(good_bind), 0x114);
	assert_int_equal(rdma_mr_get(g.r, MR_INDEX)->windows, 1);
	/* A window as parent of another. */
	must(0x09, (struct wqe) { { [1] = (u64)PD << 46, [2] = (MW_INDEX + 1ull) << 8 } });
	b = good_bind;
	b.mw_stag += 0x100;
	b.mr_stag = MW_STAG | 0x77;
	assert_int_equal(bind(b), 0x117);
}

static void test_bind_needs_the_parents_rights(void **state)
{
	struct wqe w = w_reg(MR_INDEX + 1, 9);
	struct mw_bind b = good_bind;

	(void)state;
	alloc_window(false);
	b.mr_stag = (MR_INDEX + 1) << 8 | 9;
	w.w[3] = 1ull << 43 | 0x11ull << 48 | 1ull << 59;	/* local read, bind */
	must(0x0A, w);
	assert_int_equal(bind(b), 0x118);
	b.access = ACC_REMOTE_READ;
	assert_int_equal(bind(b), 0);
	assert_int_equal(rdma_mr_invalidate(g.r, MW_STAG | 0x77, PD, QP_A, false), 0);
	must(0x0D, w_dealloc(MR_INDEX + 1, true));
	w.w[3] = 1ull << 43 | 0x03ull << 48 | 1ull << 59;	/* no bind */
	must(0x0A, w);
	assert_int_equal(bind(b), 0x11B);
}

static void test_type_1_window(void **state)
{
	struct mw_bind b = good_bind;

	(void)state;
	alloc_window(true);
	b.type1 = true;
	assert_int_equal(bind(b), 0);
	/* Any QP of the PD; bound again, then unbound with length 0. */
	assert_int_equal(rdma_mr_invalidate(g.r, MW_STAG | 0x77, PD, QP_A, false), 0x11D);
	b.mw_stag = MW_STAG | 0x78;
	assert_int_equal(bind(b), 0);
	assert_int_equal(rdma_mr_get(g.r, MR_INDEX)->windows, 1);
	assert_int_equal(check(MW_STAG | 0x77, PD, true, ACC_REMOTE_READ, MR_VA + 0x100, 1), 0x106);
	b.va_based = false;
	assert_int_equal(bind(b), 0x11E);
	b.va_based = true;
	b.len = 0;
	assert_int_equal(bind(b), 0);
	assert_int_equal(rdma_mr_get(g.r, MR_INDEX)->windows, 0);
	assert_int_equal(check(MW_STAG | 0x78, PD, true, ACC_REMOTE_READ, MR_VA + 0x100, 1), 0x103);
}

static void test_first_key_of_a_window(void **state)
{
	struct mw_bind b = good_bind;

	(void)state;
	must(0x09, (struct wqe) { { [1] = (u64)PD << 46, [2] = (u64)MW_INDEX << 8,
				    [3] = 1ull << 42 } });
	b.type1 = true;
	b.mw_stag = MW_STAG;
	assert_int_equal(bind(b), 0);
	assert_int_equal(bind(b), 0x106);
	b.mw_stag = MW_STAG | 1;
	assert_int_equal(bind(b), 0);
	/* Unbound, it keeps its key. */
	b.mw_stag = MW_STAG | 2;
	b.len = 0;
	assert_int_equal(bind(b), 0);
	b.len = good_bind.len;
	assert_int_equal(bind(b), 0x106);
}

/* Fast registration. */

static void alloc_fast(u64 len)
{
	must(0x09, (struct wqe) { { [1] = len | (u64)PD << 46, [2] = (u64)FAST_INDEX << 8,
				    [3] = 1ull << 43 | 1ull << 53 } });
}

static const struct fast_reg good_fr = {
	.stag = FAST_STAG, .va = MR_VA, .len = 0x3000, .pble = 32, .pbl_mode = 1,
	.access = ACC_LOCAL_READ | ACC_LOCAL_WRITE | ACC_REMOTE_READ, .va_based = true,
};

static u16 fast_reg(struct fast_reg fr)
{
	return rdma_fast_reg(g.r, &fr, PD, true);
}

static void test_fast_register_and_use(void **state)
{
	u64 bus;

	(void)state;
	fill_list(32, false, 4, 12);
	alloc_fast(0x4000);
	assert_int_equal(check(FAST_STAG, PD, false, ACC_LOCAL_READ, MR_VA, 1), 0x106);
	assert_int_equal(fast_reg(good_fr), 0);
	assert_int_equal(check(FAST_STAG, PD, true, ACC_REMOTE_READ, MR_VA, 0x3000), 0);
	assert_int_equal(check(FAST_STAG, PD, true, ACC_REMOTE_WRITE, MR_VA, 1), 0x109);
	rdma_mr_segment(rdma_mr_get(g.r, FAST_INDEX), MR_VA + 0x1010, 1, &bus);
	assert_int_equal(bus, page_of(1, 12) + 0x10);
	assert_int_equal(fast_reg(good_fr), 0x10C);
	assert_int_equal(rdma_mr_invalidate(g.r, FAST_STAG, PD, QP_A, false), 0);
	assert_int_equal(fast_reg(good_fr), 0);
	must(0x0D, w_dealloc(FAST_INDEX, true));
	assert_int_equal(violation_total(g.nic), 0);
}

static void test_fast_register_codes(void **state)
{
	struct fast_reg fr;

	(void)state;
	fill_list(32, false, 4, 12);
	alloc_fast(0x4000);
	alloc_window(false);
#define FR(field, val) (fr = good_fr, fr.field = (val), fast_reg(fr))
	assert_int_equal(rdma_fast_reg(g.r, &good_fr, PD, false), 0x11C);
	assert_int_equal(rdma_fast_reg(g.r, &good_fr, PD + 1, true), 0x105);
	assert_int_equal(FR(stag, 0x3F00), 0x102);
	assert_int_equal(FR(stag, 0x7F00), 0x107);
	assert_int_equal(FR(stag, MW_STAG), 0x10D);
	assert_int_equal(FR(access, ACC_LOCAL_WRITE), 0x10E);
	assert_int_equal(FR(len, 0), 0x110);
	assert_int_equal(FR(len, 0x4001), 0x121);	/* page 5 has no entry */
	assert_int_equal(FR(pbl_mode, 2), 0x11F);
	assert_int_equal(FR(page_size, 3), 0x11F);
	assert_int_equal(FR(pbl_mode, 0), 0x11F);	/* three pages, one address */
	assert_int_equal(FR(pble, PBLES), 0x121);
	fill_list(32, false, 6, 12);
	assert_int_equal(FR(len, 0x4001), 0x110);
	assert_int_equal(fast_reg(good_fr), 0);
}

static void test_fast_register_one_page(void **state)
{
	struct fast_reg fr = good_fr;
	u64 bus;

	(void)state;
	alloc_fast(0x1000);
	fr.pbl_mode = 0;
	fr.page = DATA_AT + 0x3000;
	fr.va = MR_VA + 0x800;
	fr.len = 0x800;
	assert_int_equal(fast_reg(fr), 0);
	rdma_mr_segment(rdma_mr_get(g.r, FAST_INDEX), MR_VA + 0x900, 1, &bus);
	assert_int_equal(bus, DATA_AT + 0x3900);
}

/* Invalidate. */

static void test_invalidate_codes(void **state)
{
	struct wqe w = w_reg(MR_INDEX + 1, 9);

	(void)state;
	w.w[3] = 1ull << 43 | 3ull << 48 | 1ull << 59;		/* no remote rights */
	must(0x0A, w);
	assert_int_equal(rdma_mr_invalidate(g.r, (MR_INDEX + 1) << 8 | 9, PD, QP_A, true), 0x112);
	assert_int_equal(rdma_mr_invalidate(g.r, (MR_INDEX + 1) << 8 | 8, PD, QP_A, false), 0x106);
	assert_int_equal(rdma_mr_invalidate(g.r, (MR_INDEX + 1) << 8 | 9, PD + 1, QP_A, false),
			 0x105);
	assert_int_equal(rdma_mr_invalidate(g.r, (MR_INDEX + 1) << 8 | 9, PD, QP_A, false), 0);
	assert_int_equal(rdma_mr_invalidate(g.r, (MR_INDEX + 1) << 8 | 9, PD, QP_A, false), 0x103);
	assert_int_equal(rdma_mr_invalidate(g.r, 0x3F00, PD, QP_A, false), 0x102);
	assert_int_equal(rdma_mr_invalidate(g.r, 0, PD, QP_A, false), 0x107);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup_all, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_codes), T(test_rights), T(test_deallocated_is_gone), T(test_query),
		T(test_all_memory), T(test_lists), T(test_big_pages), T(test_gigabyte_page),
		T(test_contiguous_offset), T(test_copy_between_regions),
		T(test_list_taken_away), T(test_shared), T(test_bind_and_use),
		T(test_zero_based_window), T(test_bind_codes),
		T(test_bind_needs_the_parents_rights), T(test_type_1_window),
		T(test_first_key_of_a_window),
		T(test_fast_register_and_use), T(test_fast_register_codes),
		T(test_fast_register_one_page), T(test_invalidate_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
