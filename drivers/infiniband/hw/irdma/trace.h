/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM irdma

#if !defined(IRDMA_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define IRDMA_TRACE_H

#include <linux/bitfield.h>
#include <linux/tracepoint.h>

#include "aeqe.h"
#include "cqp.h"
#include "dev.h"

TRACE_EVENT(irdma_cqp_post,
	    TP_PROTO(struct irdma_dev *dev, const struct irdma_cqp_wqe *wqe),
	    TP_ARGS(dev, wqe),
	    TP_STRUCT__entry(__string(name, pci_name(dev->pdev))
			     __field(u8, opcode)),
	    TP_fast_assign(__assign_str(name);
			   __entry->opcode = le64_get_bits(wqe->qw[IRDMA_CQP_HDR],
							   IRDMA_CQP_QW3_OPCODE);),
	    TP_printk("%s opcode %#x",
		      __get_str(name), __entry->opcode)
);

TRACE_EVENT(irdma_cqp_end,
	    TP_PROTO(struct irdma_dev *dev, const struct irdma_cqp_req *req),
	    TP_ARGS(dev, req),
	    TP_STRUCT__entry(__string(name, pci_name(dev->pdev))
			     __field(u8, opcode)
			     __field(int, err)
			     __field(u16, major)
			     __field(u16, minor)
			     __field(u64, ns)),
	    TP_fast_assign(__assign_str(name);
			   __entry->opcode = req->opcode;
			   __entry->err = req->result.err;
			   __entry->major = req->result.major;
			   __entry->minor = req->result.minor;
			   __entry->ns = ktime_get_ns() - req->posted_ns;),
	    TP_printk("%s opcode %#x err %d major %#x minor %#x after %llu ns",
		      __get_str(name), __entry->opcode, __entry->err, __entry->major,
		      __entry->minor, __entry->ns)
);

TRACE_EVENT(irdma_aeqe,
	    TP_PROTO(struct irdma_dev *dev, const struct irdma_aeqe *aeqe),
	    TP_ARGS(dev, aeqe),
	    TP_STRUCT__entry(__string(name, pci_name(dev->pdev))
			     __field(u16, code)
			     __field(u8, source)
			     __field(u8, qp_state)
			     __field(u32, id)
			     __field(u32, wqe_idx)),
	    TP_fast_assign(__assign_str(name);
			   __entry->code = aeqe->code;
			   __entry->source = aeqe->source;
			   __entry->qp_state = aeqe->qp_state;
			   __entry->id = aeqe->id;
			   __entry->wqe_idx = aeqe->wqe_idx;),
	    TP_printk("%s code %#x source %u state %u id %u wqe %u",
		      __get_str(name), __entry->code, __entry->source, __entry->qp_state,
		      __entry->id, __entry->wqe_idx)
);

TRACE_EVENT(irdma_mr_reg,
	    TP_PROTO(struct irdma_dev *dev, u32 stag, u64 len, u64 pages, u8 page_shift, u8 level),
	    TP_ARGS(dev, stag, len, pages, page_shift, level),
	    TP_STRUCT__entry(__string(name, pci_name(dev->pdev))
			     __field(u32, stag)
			     __field(u64, len)
			     __field(u64, pages)
			     __field(u8, page_shift)
			     __field(u8, level)),
	    TP_fast_assign(__assign_str(name);
			   __entry->stag = stag;
			   __entry->len = len;
			   __entry->pages = pages;
			   __entry->page_shift = page_shift;
			   __entry->level = level;),
	    TP_printk("%s stag %#x bytes %llu pages %llu shift %u level %u",
		      __get_str(name), __entry->stag, __entry->len, __entry->pages,
		      __entry->page_shift, __entry->level)
);

TRACE_EVENT(irdma_mr_dereg,
	    TP_PROTO(struct irdma_dev *dev, u32 stag),
	    TP_ARGS(dev, stag),
	    TP_STRUCT__entry(__string(name, pci_name(dev->pdev))
			     __field(u32, stag)),
	    TP_fast_assign(__assign_str(name);
			   __entry->stag = stag;),
	    TP_printk("%s stag %#x",
		      __get_str(name), __entry->stag)
);

TRACE_EVENT(irdma_qp_state,
	    TP_PROTO(struct irdma_dev *dev, u32 qp_id, int from, int to, int err),
	    TP_ARGS(dev, qp_id, from, to, err),
	    TP_STRUCT__entry(__string(name, pci_name(dev->pdev))
			     __field(u32, qp_id)
			     __field(int, from)
			     __field(int, to)
			     __field(int, err)),
	    TP_fast_assign(__assign_str(name);
			   __entry->qp_id = qp_id;
			   __entry->from = from;
			   __entry->to = to;
			   __entry->err = err;),
	    TP_printk("%s qp %u state %d to %d err %d",
		      __get_str(name), __entry->qp_id, __entry->from, __entry->to,
		      __entry->err)
);

TRACE_EVENT(irdma_pble_grow,
	    TP_PROTO(struct irdma_dev *dev, const struct irdma_pble_extent *extent),
	    TP_ARGS(dev, extent),
	    TP_STRUCT__entry(__string(name, pci_name(dev->pdev))
			     __field(u32, segment)
			     __field(u32, first)
			     __field(u32, pages)),
	    TP_fast_assign(__assign_str(name);
			   __entry->segment = extent->segment;
			   __entry->first = extent->first_pble;
			   __entry->pages = extent->page_cnt;),
	    TP_printk("%s segment %u first entry %u pages %u",
		      __get_str(name), __entry->segment, __entry->first, __entry->pages)
);

#endif /* IRDMA_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
