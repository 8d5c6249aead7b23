// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Sizes of the host memory cache.
 *
 * The engine keeps the contexts of its objects in a linear space of its own,
 * the function's private memory, which is backed by segments of 2 MiB: of the
 * device's memory or of the host's. The device says what it has
 * (irdma_fpm_parse_query()), the driver decides how many objects of each kind
 * it wants (irdma_fpm_plan()), asks for them (irdma_fpm_pack_commit()) and is
 * told where they are (irdma_fpm_parse_commit()).
 *
 * The rules are those of generation 3: every object lives in device memory
 * except page-list entries and, if the device says so, MR contexts; there are
 * no hash tables, multicast groups and out-of-order state.
 *
 * Nothing is allocated and nothing locked; all functions may be called in any
 * context. What the device says is checked: it cannot make an address or a
 * count wrap.
 *
 * Copyright (c) 2026 The irdma authors
 */

#include <linux/align.h>
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "cqp_wqe_fn.h"
#include "fpm.h"

#define IRDMA_FPM_MIN_QPS	64
#define IRDMA_FPM_MIN_IRD	8
#define IRDMA_FPM_MAX_AHS	1048576
/* Segments that stay for page-list entries beside MR contexts. */
#define IRDMA_FPM_SPARE_SDS	3

enum irdma_fpm_kind {
	IRDMA_FPM_ABSENT,	/* generation 3 has none */
	IRDMA_FPM_OBJECT,	/* the query gives maximum and size */
	IRDMA_FPM_FREE_LIST,	/* the query gives maximum and block */
	IRDMA_FPM_PBLES,	/* the query gives the maximum */
};

/* Where a type stands in both buffers; @of: what a free list lists. */
struct irdma_fpm_word {
	enum irdma_fpm_kind kind;
	u8 query;
	u8 commit;
	u8 of;
};

#define IRDMA_FPM_OBJ(name) {						\
	.kind = IRDMA_FPM_OBJECT,					\
	.query = IRDMA_FPM_QUERY_##name,				\
	.commit = IRDMA_FPM_COMMIT_##name,				\
}

#define IRDMA_FPM_FL(name) {						\
	.kind = IRDMA_FPM_FREE_LIST,					\
	.query = IRDMA_FPM_QUERY_##name##_FL,				\
	.commit = IRDMA_FPM_COMMIT_##name##_FL,				\
	.of = IRDMA_HMC_##name,						\
}

static const struct irdma_fpm_word irdma_fpm_words[IRDMA_HMC_OBJ_CNT] = {
	[IRDMA_HMC_QP] = IRDMA_FPM_OBJ(QP),
	[IRDMA_HMC_CQ] = IRDMA_FPM_OBJ(CQ),
	[IRDMA_HMC_SRQ] = IRDMA_FPM_OBJ(SRQ),
	[IRDMA_HMC_ARP] = IRDMA_FPM_OBJ(ARP),
	[IRDMA_HMC_MR] = IRDMA_FPM_OBJ(MR),
	[IRDMA_HMC_XF] = IRDMA_FPM_OBJ(XF),
	[IRDMA_HMC_XF_FL] = IRDMA_FPM_FL(XF),
	[IRDMA_HMC_Q1] = IRDMA_FPM_OBJ(Q1),
	[IRDMA_HMC_Q1_FL] = IRDMA_FPM_FL(Q1),
	[IRDMA_HMC_TIMER] = IRDMA_FPM_OBJ(TIMER),
	[IRDMA_HMC_AH] = IRDMA_FPM_OBJ(AH),
	[IRDMA_HMC_RRF] = IRDMA_FPM_OBJ(RRF),
	[IRDMA_HMC_RRF_FL] = IRDMA_FPM_FL(RRF),
	[IRDMA_HMC_HDR] = IRDMA_FPM_OBJ(HDR),
	[IRDMA_HMC_MD] = IRDMA_FPM_OBJ(MD),
	[IRDMA_HMC_PBLE] = {
		.kind = IRDMA_FPM_PBLES,
		.query = IRDMA_FPM_QUERY_PBLE,
		.commit = IRDMA_FPM_COMMIT_PBLE,
	},
};

/* Bytes of @cnt objects; bases are multiples of 512. */
static u64 irdma_fpm_bytes(const struct irdma_fpm_obj *obj, u32 cnt)
{
	return ALIGN((u64)cnt * obj->size_bytes, IRDMA_HMC_BASE_UNIT_BYTES);
}

static u64 irdma_fpm_end(const struct irdma_fpm_obj *obj)
{
	return obj->base + (u64)obj->cnt * obj->size_bytes;
}

static int irdma_fpm_parse_obj(struct irdma_fpm *fpm, enum irdma_hmc_obj type,
			       u64 word)
{
	const struct irdma_fpm_word *w = &irdma_fpm_words[type];
	struct irdma_fpm_obj *obj = &fpm->obj[type];
	u32 high = FIELD_GET(IRDMA_FPM_QUERY_OBJ_SIZE_LOG2, word);

	obj->max = FIELD_GET(IRDMA_FPM_QUERY_OBJ_MAX, word);
	switch (w->kind) {
	case IRDMA_FPM_ABSENT:
		obj->max = 0;
		return 0;
	case IRDMA_FPM_FREE_LIST:
		obj->size_bytes = IRDMA_FREE_LIST_ENTRY_BYTES;
		fpm->block[w->of] = high;
		return fpm->obj[w->of].max && !high ? -EIO : 0;
	case IRDMA_FPM_PBLES:
		obj->size_bytes = IRDMA_PBLE_BYTES;
		return 0;
	case IRDMA_FPM_OBJECT:
		if (high > IRDMA_HMC_SEGMENT_SHIFT)
			return -EIO;
		obj->size_bytes = BIT(high);
		return 0;
	}
	return 0;
}

/* Inbound reads by the device's code, which counts both directions. */
static u32 irdma_fpm_decode_ird(u64 misc)
{
	u32 code = FIELD_GET(IRDMA_FPM_QUERY_MISC_MAX_IRD, misc);

	return code <= 10 ? 2 << code : 2;
}

/* Without a word about MRs they live with everything else. */
static void irdma_fpm_place(struct irdma_fpm *fpm,
			    const struct irdma_features *features)
{
	for (u32 type = 0; type < IRDMA_HMC_OBJ_CNT; type++)
		fpm->obj[type].local = type != IRDMA_HMC_PBLE;
	if (fpm->local_pages != fpm->sd_cnt && features->mr_location_known)
		fpm->obj[IRDMA_HMC_MR].local = features->mr_local;
}

/**
 * irdma_fpm_parse_query - read what the device offers
 * @fpm: filled, except counts and bases
 * @query: the device's answer
 * @features: what the device says about itself
 * @ird: inbound reads of a QP when the device does not say
 *
 * Return: 0; -EIO when the answer cannot be true: an object larger than a
 * segment, a free list without a block size, no device memory.
 */
int irdma_fpm_parse_query(struct irdma_fpm *fpm,
			  const struct irdma_fpm_query *query,
			  const struct irdma_features *features, u32 ird)
{
	u64 sd = le64_to_cpu(query->qw[IRDMA_FPM_QUERY_SD]);
	u64 misc = le64_to_cpu(query->qw[IRDMA_FPM_QUERY_MISC]);
	u64 local = le64_to_cpu(query->qw[IRDMA_FPM_QUERY_LOCAL]);
	int err;

	*fpm = (struct irdma_fpm){
		.first_sd = FIELD_GET(IRDMA_FPM_QUERY_SD_FIRST, sd),
		.sd_cnt = FIELD_GET(IRDMA_FPM_QUERY_SD_CNT, sd),
		.local_pages = FIELD_GET(IRDMA_FPM_QUERY_LOCAL_PAGES, local),
		.fw_buf_bytes = {
			le64_to_cpu(query->qw[IRDMA_FPM_QUERY_FW_BUF0]),
			le64_to_cpu(query->qw[IRDMA_FPM_QUERY_FW_BUF1]),
		},
		.timer_unit = FIELD_GET(IRDMA_FPM_QUERY_MISC_TIMER, misc),
		.ceq_cnt = FIELD_GET(IRDMA_FPM_QUERY_MISC_CEQS, misc),
		.ird = ird,
		.rm2 = features->rm2,
	};
	if (!fpm->local_pages)
		return -EIO;
	if (fpm->rm2)
		fpm->ird = irdma_fpm_decode_ird(misc);
	for (u32 type = 0; type < IRDMA_HMC_OBJ_CNT; type++) {
		u64 word = le64_to_cpu(query->qw[irdma_fpm_words[type].query]);

		err = irdma_fpm_parse_obj(fpm, type, word);
		if (err)
			return err;
	}
	irdma_fpm_place(fpm, features);
	return 0;
}

/* Segments of device memory that the wanted counts take. */
static u64 irdma_fpm_local_need(const struct irdma_fpm *fpm)
{
	u64 bytes = 0;

	for (u32 type = 0; type < IRDMA_HMC_OBJ_CNT; type++)
		if (fpm->obj[type].local)
			bytes += irdma_fpm_bytes(&fpm->obj[type],
						 fpm->obj[type].cnt);
	return DIV_ROUND_UP_ULL(bytes, IRDMA_HMC_SEGMENT_BYTES);
}

static void irdma_fpm_want(struct irdma_fpm *fpm, enum irdma_hmc_obj type,
			   u64 cnt)
{
	fpm->obj[type].cnt = min(cnt, fpm->obj[type].max);
}

/* Elements in whole powers of two, and the list of their free blocks. */
static void irdma_fpm_want_blocks(struct irdma_fpm *fpm,
				  enum irdma_hmc_obj type,
				  enum irdma_hmc_obj free_list, u64 cnt)
{
	irdma_fpm_want(fpm, type, BIT_ULL(fls64(cnt - 1)));
	if (fpm->block[type])
		irdma_fpm_want(fpm, free_list,
			       fpm->obj[type].cnt / fpm->block[type]);
}

/* All counts that follow from the number of QPs and of their reads. */
static void irdma_fpm_want_for(struct irdma_fpm *fpm, u32 qps, u32 cqs, u32 ird)
{
	u64 timers = (u64)(DIV_ROUND_UP(qps, 512) + 1) * fpm->timer_unit;

	irdma_fpm_want(fpm, IRDMA_HMC_QP, qps);
	irdma_fpm_want(fpm, IRDMA_HMC_HDR, qps);
	irdma_fpm_want(fpm, IRDMA_HMC_CQ, min(2ULL * qps, cqs));
	irdma_fpm_want(fpm, IRDMA_HMC_AH, min(8ULL * qps, IRDMA_FPM_MAX_AHS));
	irdma_fpm_want(fpm, IRDMA_HMC_TIMER, timers);
	irdma_fpm_want_blocks(fpm, IRDMA_HMC_XF, IRDMA_HMC_XF_FL, 16ULL * qps);
	irdma_fpm_want_blocks(fpm, IRDMA_HMC_RRF, IRDMA_HMC_RRF_FL, 8ULL * qps);
	irdma_fpm_want_blocks(fpm, IRDMA_HMC_Q1, IRDMA_HMC_Q1_FL,
			      2ULL * ird * qps);
	fpm->ird = ird;
}

/*
 * Fewer reads before fewer QPs, until the objects fit into @budget segments.
 * MRs that share device memory with the QPs shrink with them.
 */
static int irdma_fpm_fit(struct irdma_fpm *fpm,
			 const struct irdma_fpm_limits *limits, u32 budget)
{
	u32 max_qps = min(fpm->obj[IRDMA_HMC_QP].max, limits->qps);
	struct irdma_fpm_obj *mr = &fpm->obj[IRDMA_HMC_MR];
	u32 max_ird = fpm->ird;
	u32 qps, ird;

	for (qps = max_qps; qps; qps /= 2) {
		if (mr->local && qps < max_qps)
			irdma_fpm_want(fpm, IRDMA_HMC_MR, 4ULL * qps);
		for (ird = max_ird; ird; ird /= 2) {
			irdma_fpm_want_for(fpm, qps, limits->cqs, ird);
			if (irdma_fpm_local_need(fpm) <= budget)
				return 0;
			if (ird / 2 < IRDMA_FPM_MIN_IRD)
				break;
		}
		if (qps / 2 < IRDMA_FPM_MIN_QPS)
			break;
	}
	return -ENOSPC;
}

/* What the device's memory leaves of the segments goes to the host's objects. */
static int irdma_fpm_plan_host(struct irdma_fpm *fpm,
			       const struct irdma_fpm_limits *limits, u64 sds)
{
	struct irdma_fpm_obj *mr = &fpm->obj[IRDMA_HMC_MR];
	u64 segments;

	if (!mr->local) {
		if (sds <= IRDMA_FPM_SPARE_SDS)
			return -ENOSPC;
		segments = min(sds - IRDMA_FPM_SPARE_SDS, limits->mr_segments);
		mr->cnt = min(mr->cnt, segments * IRDMA_HMC_SEGMENT_MRS);
		segments = DIV_ROUND_UP_ULL(irdma_fpm_bytes(mr, mr->cnt),
					    IRDMA_HMC_SEGMENT_BYTES);
		if (segments > sds)
			return -ENOSPC;
		sds -= segments;
	}
	segments = min(sds, limits->pble_segments);
	irdma_fpm_want(fpm, IRDMA_HMC_PBLE, segments * IRDMA_HMC_SEGMENT_PBLES);
	return fpm->obj[IRDMA_HMC_PBLE].cnt ? 0 : -ENOSPC;
}

/**
 * irdma_fpm_plan - decide how many objects of each kind are wanted
 * @fpm: what the device offers; its counts, reads and ask_local are set
 * @limits: what the driver wants at most
 *
 * With consistent maxima (@fpm->rm2) the maxima of the objects in device
 * memory are wanted as they are. Otherwise counts follow from the number of
 * QPs, and reads per QP, then QPs, are halved until the objects fit.
 *
 * Return: 0; -ENOSPC when the least that is useful does not fit; @fpm is of no
 * use then.
 */
int irdma_fpm_plan(struct irdma_fpm *fpm, const struct irdma_fpm_limits *limits)
{
	u32 budget = fpm->local_pages;
	u64 need;
	int err;

	if (fpm->local_pages == fpm->sd_cnt)
		budget -= min(budget, IRDMA_FPM_SPARE_SDS);
	for (u32 type = 0; type < IRDMA_HMC_OBJ_CNT; type++)
		fpm->obj[type].cnt = fpm->obj[type].max;
	if (!fpm->rm2) {
		err = irdma_fpm_fit(fpm, limits, budget);
		if (err)
			return err;
	}
	need = irdma_fpm_local_need(fpm);
	if (need > budget || need > fpm->sd_cnt)
		return -ENOSPC;
	fpm->ask_local = !fpm->rm2 || need < budget;
	return irdma_fpm_plan_host(fpm, limits, fpm->sd_cnt - need);
}

/**
 * irdma_fpm_pack_commit - write the request for the wanted objects
 * @fpm: planned
 * @fw_buf_pa: DMA addresses of the two scratch buffers, 0 for none
 * @commit: written as a whole
 */
void irdma_fpm_pack_commit(const struct irdma_fpm *fpm, const u64 *fw_buf_pa,
			   struct irdma_fpm_commit *commit)
{
	*commit = (struct irdma_fpm_commit){};
	for (u32 type = 0; type < IRDMA_HMC_OBJ_CNT; type++) {
		const struct irdma_fpm_word *w = &irdma_fpm_words[type];
		u64 word = fpm->obj[type].cnt;

		if (w->kind == IRDMA_FPM_ABSENT)
			continue;
		if (word && w->kind != IRDMA_FPM_PBLES && fpm->ask_local)
			word |= IRDMA_FPM_COMMIT_LOCAL_MEM;
		commit->qw[w->commit] = cpu_to_le64(word);
	}
	commit->qw[IRDMA_FPM_COMMIT_FW_BUF0] = cpu_to_le64(fw_buf_pa[0]);
	commit->qw[IRDMA_FPM_COMMIT_FW_BUF1] = cpu_to_le64(fw_buf_pa[1]);
}

static u32 irdma_fpm_granted(enum irdma_hmc_obj type, struct irdma_field cq_cnt,
			     u64 word)
{
	switch (type) {
	case IRDMA_HMC_QP:
		return FIELD_GET(IRDMA_FPM_COMMIT_QP_CNT, word);
	case IRDMA_HMC_CQ:
		return irdma_field_get(cq_cnt, word);
	default:
		return FIELD_GET(IRDMA_FPM_COMMIT_CNT, word);
	}
}

/* The driver writes host objects: nothing else may lie there. */
static bool irdma_fpm_overlaps(const struct irdma_fpm *fpm)
{
	for (u32 a = 0; a < IRDMA_HMC_OBJ_CNT; a++)
		for (u32 b = 0; b < a; b++)
			if (fpm->obj[a].cnt && fpm->obj[b].cnt &&
			    fpm->obj[a].base < irdma_fpm_end(&fpm->obj[b]) &&
			    fpm->obj[b].base < irdma_fpm_end(&fpm->obj[a]))
				return true;
	return false;
}

/**
 * irdma_fpm_parse_commit - read what the device granted and where it lies
 * @fpm: planned; counts, bases and sd_cnt are set
 * @cq_cnt: where the device announced the count in the CQ word
 * @commit: the device's answer
 *
 * More than was asked for is not used.
 *
 * Return: 0; -EIO when the answer cannot be true: no QPs or no page-list
 * entries, objects that overlap, or that reach beyond the segments that a
 * function can have.
 */
int irdma_fpm_parse_commit(struct irdma_fpm *fpm, struct irdma_field cq_cnt,
			   const struct irdma_fpm_commit *commit)
{
	u64 end = 0;

	for (u32 type = 0; type < IRDMA_HMC_OBJ_CNT; type++) {
		const struct irdma_fpm_word *w = &irdma_fpm_words[type];
		struct irdma_fpm_obj *obj = &fpm->obj[type];
		u64 word;

		if (w->kind == IRDMA_FPM_ABSENT)
			continue;
		word = le64_to_cpu(commit->qw[w->commit]);
		obj->cnt = min(obj->cnt, irdma_fpm_granted(type, cq_cnt, word));
		obj->base = FIELD_GET(IRDMA_FPM_COMMIT_BASE, word) <<
			    IRDMA_HMC_BASE_UNIT_SHIFT;
		if (obj->cnt)
			end = max(end, irdma_fpm_end(obj));
	}
	end = DIV_ROUND_UP_ULL(end, IRDMA_HMC_SEGMENT_BYTES);
	if (end > IRDMA_HMC_MAX_SEGMENTS || irdma_fpm_overlaps(fpm) ||
	    !fpm->obj[IRDMA_HMC_QP].cnt || !fpm->obj[IRDMA_HMC_PBLE].cnt)
		return -EIO;
	fpm->sd_cnt = end;
	return 0;
}

/**
 * irdma_fpm_segments - segments that the host must back for an object
 * @fpm: committed
 * @type: object type
 *
 * Neighbouring objects may share a segment. Page-list entries are backed on
 * demand, see irdma_fpm_next_pbles().
 *
 * Return: the segments; none for an object in device memory or without count.
 */
struct irdma_fpm_range irdma_fpm_segments(const struct irdma_fpm *fpm,
					  enum irdma_hmc_obj type)
{
	const struct irdma_fpm_obj *obj = &fpm->obj[type];
	struct irdma_fpm_range range = {};

	if (obj->local || !obj->cnt)
		return range;
	range.first = obj->base >> IRDMA_HMC_SEGMENT_SHIFT;
	range.cnt = ((irdma_fpm_end(obj) - 1) >> IRDMA_HMC_SEGMENT_SHIFT) -
		    range.first + 1;
	return range;
}

/**
 * irdma_fpm_next_pbles - page-list entries to back next
 * @fpm: committed
 * @used_pages: pages that were handed out before
 * @extent: pages up to the end of the segment or of the entries, set on success
 *	    only
 *
 * Entries before the first and behind the last whole page are not used.
 *
 * Return: 0; -ENOMEM when all entries have been handed out.
 */
int irdma_fpm_next_pbles(const struct irdma_fpm *fpm, u32 used_pages,
			 struct irdma_pble_extent *extent)
{
	const struct irdma_fpm_obj *obj = &fpm->obj[IRDMA_HMC_PBLE];
	u64 page = DIV_ROUND_UP_ULL(obj->base, IRDMA_HMC_PAGE_BYTES) + used_pages;
	u64 end = irdma_fpm_end(obj) >> IRDMA_HMC_PAGE_SHIFT;
	u32 in_segment = page % IRDMA_HMC_SEGMENT_PAGES;

	if (page >= end)
		return -ENOMEM;
	*extent = (struct irdma_pble_extent){
		.segment = page / IRDMA_HMC_SEGMENT_PAGES,
		.first_page = in_segment,
		.page_cnt = min(end - page, IRDMA_HMC_SEGMENT_PAGES - in_segment),
		.first_pble = ((page << IRDMA_HMC_PAGE_SHIFT) - obj->base) /
			      IRDMA_PBLE_BYTES,
	};
	return 0;
}
