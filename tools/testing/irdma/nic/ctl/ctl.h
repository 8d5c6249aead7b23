/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside of the control side: struct rdma, and what the files of ctl/ call of each other.
 *
 * rdma.c	life of the function, registers, work that is done later
 * vchnl.c	virtual channel
 * cqp.c	control QP: ring, execution, completion; the table of commands
 * hmc.c	host memory cache: sizing, segments, page-list entries
 * eq.c		CEQs and the AEQ
 * cq.c		completion queues, the control CQ among them
 * srq.c	shared receive queues, receive rings
 * qp.c qpc.c	queue pairs; decoding their context
 * mr.c mw.c	STag commands and checks; what work requests do to STags
 * net.c	address handles, ARP table, multicast groups
 * misc.c	features, statistics, push pages, user-priority map
 */
#ifndef NIC_CTL_CTL_H
#define NIC_CTL_CTL_H

#include "../faults.h"
#include "../loop.h"
#include "../nic.h"
#include "../trace.h"
#include "../transport/dma.h"
#include "hw.h"
#include "objects.h"
#include "rdma.h"

#define CEQS		64u
#define ARP_ENTRIES	4096u
#define MCG_ENTRIES	4096u
#define SEGMENTS	1024u
#define HMC_FN		3u	/* our function's id; any below 64 would do */
#define STATS_INSTANCES	128u
#define PUSH_MAX	PUSH_PAGES_PF

/* Object numbers to objects; @count is what COMMIT_FPM granted. */
struct table {
	void **slot;
	u32 count, used;
};

/**
 * struct cmd - a control WQE on its way
 * @w: the eight words as they were when the doorbell was rung
 * @due: loop_now() from which it may run
 * @ret: result for w16 of the completion; @minor: information in a good completion
 * @fault: what a knob said when the doorbell was rung, FAULT_NONE mostly
 */
struct cmd {
	struct rdma *r;
	u64 w[8];
	u64 due;
	u32 slot;
	u32 ret;
	u16 minor;
	u8 op;
	enum fault_action fault;
	u64 fault_value;
};

struct cqp {
	bool exists, tail_error;
	u32 status, err;
	u64 cookie, base;
	u32 depth;
	u32 fetch, tail;	/* next slot to read; next slot to complete */
	u8 polarity;
	struct cmd *cmds;	/* @depth of them, by slot */
	struct loop_timer timer;
	struct loop_task task;
	u16 tickets;
	u64 free_at;		/* when the command after the last one may complete */
};

struct hmc {
	bool committed, ready;
	u32 count[HMC_TYPES];
	u64 base[HMC_TYPES];	/* FPM bytes */
	u32 segments;		/* that commands may name */
	u64 sd[SEGMENTS];	/* data words */
	bool rm2;		/* maxima are committed as told */
	u32 told[HMC_TYPES];	/* maxima of the last query */
};

/* The engine's own memory in the host: asked for by the query, given by the commit. */
struct scratch {
	u64 bytes, bus;
};

struct ceq {
	bool exists;
	u64 base;
	bool pbl, two_level;
	u32 count, index, cqs;
	u8 polarity;
	u32 vector;
};

struct aeq {
	bool exists, overflowed;
	u64 base;
	u32 count, index, unposted;
	u8 polarity;
	u32 vector;
	u64 lost;
};

struct mcg {
	u32 id;
	u8 dip[16];
	bool vlan_valid;
	u16 vlan;
	u32 members;
	u32 qp[MCG_MEMBERS];
};

struct arp {
	bool valid;
	u8 mac[6];
};

/* Virtual channel: what the driver holds. */
struct vchnl {
	bool versioned, fn_held, vport;
	u16 vport_id;
	u32 qp1;		/* hardware id of the QP that is QP 1 on the wire */
};

struct rdma {
	struct nic *nic;
	struct roce *roce;
	struct vchnl vchnl;
	u32 ctx_hi;
	u64 commands[RDMA_COMMANDS];
	struct cqp cqp;
	struct hmc hmc;
	struct scratch scratch[FPM_SCRATCHES];	/* until the function is released */
	struct ceq ceq[CEQS];
	struct aeq aeq;
	struct table qps, cqs, srqs, mrs, ahs;
	struct arp arp[ARP_ENTRIES];
	struct mcg *mcg[MCG_ENTRIES];
	u32 mcg_used;
	bool push_used[PUSH_MAX / 2];
	bool stats_used[STATS_INSTANCES];
	u8 up_map[8];
	struct late *late;
};

/* rdma.c */
bool table_resize(struct table *t, u32 count);
/* NULL when out of range or free. */
void *table_get(const struct table *t, u32 id);
void table_set(struct table *t, u32 id, void *obj);
void table_clear(struct table *t, u32 id);
/* Frees with @release whatever is left. */
void table_fini(struct table *t, void (*release)(void *obj));

typedef void late_fn(struct rdma *r, void *data);
/* Calls @fn with a copy of @data in @ns nanoseconds; forgotten on reset. */
void rdma_later(struct rdma *r, u64 ns, late_fn *fn, const void *data, u32 len);
/* BAR 0 offset of the RDMA region and of the users' doorbell page. */
u32 rdma_region(const struct rdma *r);
u32 rdma_dbpage(const struct rdma *r);
/* Every object of the drivers; their number. */
u32 rdma_objects_left(const struct rdma *r);
void rdma_objects_free(struct rdma *r);
/* 16 bytes in network order from the two words of an address (IPv4: ::ffff:a.b.c.d). */
void ip_from_words(u8 ip[16], u64 w01, u64 w23, bool ipv4);
void mac_from_bits(u8 mac[6], u64 bits);

/* cqp.c */
void cqp_init(struct rdma *r);
void cqp_reset(struct rdma *r);
void cqp_write_context(struct rdma *r, u64 addr);
void cqp_doorbell(struct rdma *r, u32 head);

/*
 * Results of a refused command: major << 16 | minor. Of the minors only those of an
 * object in the wrong state and of a fatal engine error have a published number; a
 * driver must take the others for an I/O error, whatever they are.
 */
#define CMD_OK		0u
#define CMD_NO_OBJECT	0xF0000001u	/* object cache: no such object */
#define CMD_CONTEXT	0xF0010001u	/* context cache: memory not there or not usable */
#define CMD_FIELD	0xFFFF8001u	/* a field of the WQE or context is not allowed */
#define CMD_STATE	0xFFFF8002u	/* object in a state that does not allow the command */

/* Counts the violation and gives the result; for "return refuse(...)". */
#define refuse(r, v, result, ...) (violation((r)->nic, V_##v, __VA_ARGS__), (result))

typedef u32 cmd_fn(struct cmd *c);
cmd_fn cmd_create_qp, cmd_modify_qp, cmd_destroy_qp, cmd_flush, cmd_suspend_qp, cmd_resume_qp,
	cmd_upload_context;
cmd_fn cmd_create_cq, cmd_modify_cq, cmd_destroy_cq;
cmd_fn cmd_create_srq, cmd_modify_srq, cmd_destroy_srq;
cmd_fn cmd_alloc_stag, cmd_reg_mr, cmd_query_stag, cmd_reg_shared, cmd_dealloc_stag;
cmd_fn cmd_create_ceq, cmd_destroy_ceq, cmd_create_aeq, cmd_destroy_aeq;
cmd_fn cmd_ah, cmd_destroy_ah, cmd_arp, cmd_mcg, cmd_destroy_mcg;
cmd_fn cmd_features, cmd_gather_stats, cmd_manage_stats, cmd_up_map, cmd_push_page;
cmd_fn cmd_query_fpm, cmd_commit_fpm, cmd_update_sds, cmd_pages_allocated;

/* hmc.c */
void hmc_reset(struct rdma *r);
/* Writes to the scratch buffers, as the engine may from the commit to the release. */
bool hmc_use_scratch(struct rdma *r);
void hmc_drop_scratch(struct rdma *r);
u32 hmc_max(enum hmc_type type);
/* True once the driver said that the static pages are there; else a violation. */
bool hmc_ready(struct rdma *r, u8 op);
/* Bus address behind an FPM address; false: no backing (a violation). */
bool hmc_translate(struct rdma *r, u64 fpm, u64 *bus);
/* Is there backing for MR context @slot? */
bool hmc_mr_backed(struct rdma *r, u32 slot);
/* Page-list entry @idx; false: out of range or no backing (a violation). */
bool pble_read(struct rdma *r, u64 idx, u64 *val);
/* Address of page @page of a list of pages of 1 << @shift bytes; false: a violation was counted. */
bool pbl_page(struct rdma *r, u64 first, bool two_level, u64 page, u32 shift, u64 *bus);
/* The same for a byte offset into a list of 4 KiB pages. */
bool pbl_addr(struct rdma *r, u64 first, bool two_level, u64 offset, u64 *bus);
/* Are all entries of a list of @pages there and aligned? */
bool pbl_check(struct rdma *r, u64 first, bool two_level, u64 pages, u32 shift);
/* Refuses a ring in which something looks like a WQE already. */
u32 wq_clean(struct rdma *r, const struct rdma_ring *ring);
/* Is [@addr, @addr + @len) mapped with @prot? Counts a violation if not. */
bool mem_check(struct rdma *r, u64 addr, u64 len, u32 prot);

/* A ring's place as queue commands give it. */
struct place {
	u64 base;
	bool pbl, two_level;
};
/* Decodes w24 leaf code and PBL flag, w32, w48, and checks @bytes there; 0 or a result. */
u32 place_decode(struct cmd *c, u64 bytes, u32 align, struct place *p);

/* eq.c */
void eq_reset(struct rdma *r);
void ceq_post(struct rdma *r, u32 ceq, u64 context);
void aeq_ack(struct rdma *r, u32 count);

/* cq.c */
/* Writes the words but the valid bit is @cq's own; the last word is stored last. */
bool cq_write(struct rdma_cq *cq, const u64 *w, u32 words, bool solicited);
void cq_arm(struct rdma *r, u32 id);
void cq_ack(struct rdma *r, u32 id);
void cq_free(void *cq);

/* srq.c */
void srq_free(void *srq);

/* qp.c, qpc.c */
void qp_free(void *qp);
/* Plain values from the 256 bytes; 0 or a result with the violation counted. */
u32 qpc_decode(struct rdma *r, const u8 *raw, struct qp_ctx *ctx);
/* CQ error: its QPs go to the error state. */
void qp_cq_failed(struct rdma_cq *cq);

/* mr.c, mw.c */
u32 mr_slot(const struct rdma *r, u32 index);
void mr_free(void *mr);

/* net.c */
void net_reset(struct rdma *r);

/* vchnl.c */
void vchnl_reset(struct rdma *r);

/* misc.c */
void misc_reset(struct rdma *r);
int push_init(struct rdma *r);

#endif
