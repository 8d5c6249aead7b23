/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */

#ifndef IRDMA_FPM_H
#define IRDMA_FPM_H

#include <linux/types.h>

#include "field.h"
#include "hw_fpm.h"

struct irdma_features;

/**
 * struct irdma_fpm_obj - one kind of object in the function's private memory
 * @max: most objects that the device offers
 * @cnt: objects: wanted after irdma_fpm_plan(), granted after
 *	 irdma_fpm_parse_commit()
 * @size_bytes: size of one object; a power of two
 * @local: backed by the device's own memory, else by the host's
 * @base: address of the first object in the private memory
 */
struct irdma_fpm_obj {
	u32 max;
	u32 cnt;
	u32 size_bytes;
	bool local;
	u64 base;
};

/**
 * struct irdma_fpm_limits - what the driver wants of the function at most
 * @qps: QPs
 * @cqs: CQs; what the device's CQ count field can hold
 * @mr_segments: segments of MR contexts in host memory; they are backed as long
 *		 as the function lives
 * @pble_segments: segments of page-list entries; they are backed on demand
 */
struct irdma_fpm_limits {
	u32 qps;
	u32 cqs;
	u32 mr_segments;
	u32 pble_segments;
};

/**
 * struct irdma_fpm - sizes and places of all objects of a function
 * @obj: by object type
 * @first_sd: index of the first segment that the engine owns
 * @sd_cnt: segments: on offer, and from irdma_fpm_parse_commit() on those from
 *	    segment 0 that the objects reach
 * @local_pages: device memory on offer, in segments
 * @fw_buf_bytes: scratch buffers that the firmware wants; 0 for none
 * @block: objects of type XF, Q1 and RRF per entry of their free list
 * @timer_unit: timers per 512 QPs
 * @ceq_cnt: completion event queues
 * @ird: inbound, and outbound, reads of a QP
 * @rm2: the maxima are consistent and are committed unchanged
 * @ask_local: the commit asks for device memory
 */
struct irdma_fpm {
	struct irdma_fpm_obj obj[IRDMA_HMC_OBJ_CNT];
	u32 first_sd;
	u32 sd_cnt;
	u32 local_pages;
	u64 fw_buf_bytes[2];
	u32 block[IRDMA_HMC_OBJ_CNT];
	u32 timer_unit;
	u32 ceq_cnt;
	u32 ird;
	bool rm2;
	bool ask_local;
};

/**
 * struct irdma_fpm_range - segments that an object touches
 * @first: index of the first segment
 * @cnt: segments; 0 when the host backs nothing
 */
struct irdma_fpm_range {
	u32 first;
	u32 cnt;
};

/**
 * struct irdma_pble_extent - page-list entries that are backed at once
 * @segment: index of the segment
 * @first_page: first page inside the segment, 0 to 511
 * @page_cnt: pages, 1 to 512; 512 make a whole segment
 * @first_pble: index of the first entry
 */
struct irdma_pble_extent {
	u32 segment;
	u32 first_page;
	u32 page_cnt;
	u32 first_pble;
};

int irdma_fpm_parse_query(struct irdma_fpm *fpm,
			  const struct irdma_fpm_query *query,
			  const struct irdma_features *features, u32 ird);
int irdma_fpm_plan(struct irdma_fpm *fpm, const struct irdma_fpm_limits *limits);
void irdma_fpm_pack_commit(const struct irdma_fpm *fpm, const u64 *fw_buf_pa,
			   struct irdma_fpm_commit *commit);
int irdma_fpm_parse_commit(struct irdma_fpm *fpm, struct irdma_field cq_cnt,
			   const struct irdma_fpm_commit *commit);
struct irdma_fpm_range irdma_fpm_segments(const struct irdma_fpm *fpm,
					  enum irdma_hmc_obj type);
int irdma_fpm_next_pbles(const struct irdma_fpm *fpm, u32 used_pages,
			 struct irdma_pble_extent *extent);

#endif /* IRDMA_FPM_H */
