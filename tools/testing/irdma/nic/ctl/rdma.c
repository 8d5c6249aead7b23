// SPDX-License-Identifier: GPL-2.0
/*
 * The RDMA function as a whole: its life, its registers, work that is done later.
 *
 * Register values that tell a state (tail, status, error codes) are computed on read;
 * nothing is latched except the high half of the context address.
 */
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "../intr.h"
#include "../lan/lan.h"
#include "../regs.h"
#include "../wire/wire.h"

#define ROCE_UDP_PORT	4791u
#define ETH_HLEN	14u
#define IPPROTO_UDP_NR	17u

/* Tables of objects. */

bool table_resize(struct table *t, u32 count)
{
	void **slot = calloc(count ? count : 1, sizeof(*slot));

	if (!slot)
		return false;
	free(t->slot);
	*t = (struct table) { .slot = slot, .count = count };
	return true;
}

void *table_get(const struct table *t, u32 id)
{
	return id < t->count ? t->slot[id] : NULL;
}

void table_set(struct table *t, u32 id, void *obj)
{
	t->slot[id] = obj;
	t->used++;
}

void table_clear(struct table *t, u32 id)
{
	t->slot[id] = NULL;
	t->used--;
}

void table_fini(struct table *t, void (*release)(void *obj))
{
	for (u32 i = 0; i < t->count && t->used; i++) {
		void *obj = t->slot[i];

		if (!obj)
			continue;
		table_clear(t, i);
		release(obj);
	}
	free(t->slot);
	*t = (struct table) {};
}

/* Work that is done later: the delays of fault knobs and late completions. */

struct late {
	struct loop_timer timer;
	struct late *next, **prev;
	struct rdma *r;
	late_fn *fn;
	u8 data[];
};

static void late_unlink(struct late *l)
{
	*l->prev = l->next;
	if (l->next)
		l->next->prev = l->prev;
}

static void late_fire(void *arg)
{
	struct late *l = arg;

	late_unlink(l);
	l->fn(l->r, l->data);
	free(l);
}

void rdma_later(struct rdma *r, u64 ns, late_fn *fn, const void *data, u32 len)
{
	struct late *l = malloc(sizeof(*l) + len);

	if (!l)
		return;
	*l = (struct late) { .next = r->late, .prev = &r->late, .r = r, .fn = fn };
	memcpy(l->data, data, len);
	if (r->late)
		r->late->prev = &l->next;
	r->late = l;
	timer_init(&l->timer, r->nic->loop, late_fire, l);
	timer_arm(&l->timer, ns);
}

static void late_cancel_all(struct rdma *r)
{
	while (r->late) {
		struct late *l = r->late;

		late_unlink(l);
		timer_cancel(&l->timer);
		free(l);
	}
}

/* Registers. */

static u32 read_tail(void *arg, u32 idx)
{
	const struct rdma *r = arg;

	(void)idx;
	return (u32)(PUTF(r->cqp.tail, CQPTAIL_INDEX) | (r->cqp.tail_error ? CQPTAIL_ERROR : 0));
}

static void write_tail(void *arg, u32 idx, u32 val)
{
	struct rdma *r = arg;

	(void)idx;
	if (val || r->cqp.exists)
		violation(r->nic, V_CQP_TAIL_WRITE, "0x%x with the control QP %s", val,
			  r->cqp.exists ? "created" : "not created");
}

static u32 read_status(void *arg, u32 idx)
{
	(void)idx;
	return ((struct rdma *)arg)->cqp.status;
}

static u32 read_err(void *arg, u32 idx)
{
	(void)idx;
	return ((struct rdma *)arg)->cqp.err;
}

static void write_ctx_hi(void *arg, u32 idx, u32 val)
{
	(void)idx;
	((struct rdma *)arg)->ctx_hi = val;
}

static void write_ctx_lo(void *arg, u32 idx, u32 val)
{
	struct rdma *r = arg;

	(void)idx;
	cqp_write_context(r, (u64)r->ctx_hi << 32 | val);
}

static void write_cqp_db(void *arg, u32 idx, u32 val)
{
	(void)idx;
	cqp_doorbell(arg, val);
}

static void write_wqe_db(void *arg, u32 idx, u32 val)
{
	struct rdma *r = arg;
	struct rdma_qp *qp = rdma_qp_get(r, val);

	(void)idx;
	if (!qp) {
		violation(r->nic, V_DOORBELL_NO_QP, "QP %u", val);
		return;
	}
	roce_doorbell(qp);
}

static void write_cq_arm(void *arg, u32 idx, u32 val)
{
	(void)idx;
	cq_arm(arg, val);
}

static void write_cq_ack(void *arg, u32 idx, u32 val)
{
	(void)idx;
	cq_ack(arg, val);
}

static void write_aeq_post(void *arg, u32 idx, u32 val)
{
	(void)idx;
	aeq_ack(arg, val);
}

u32 rdma_region(const struct rdma *r)
{
	return r->nic->cfg.vf ? RDMA_REGION_VF : RDMA_REGION_PF;
}

u32 rdma_dbpage(const struct rdma *r)
{
	u32 len = r->nic->cfg.vf ? RDMA_REGION_VF_LEN : RDMA_REGION_PF_LEN;

	return rdma_region(r) + len - PAGE_BYTES;
}

static int add_registers(struct rdma *r)
{
	const u32 base = rdma_region(r), page = rdma_dbpage(r);
	const struct reg_block blocks[] = {
		{ "CQPTAIL", base + REG_CQPTAIL, 1, 4, REG_R | REG_W, read_tail, write_tail, r },
		{ "CQPDB", base + REG_CQPDB, 1, 4, REG_W, NULL, write_cqp_db, r },
		{ "CCQPSTATUS", base + REG_CCQPSTATUS, 1, 4, REG_R, read_status, NULL, r },
		{ "CCQPHIGH", base + REG_CCQPHIGH, 1, 4, REG_W, NULL, write_ctx_hi, r },
		{ "CCQPLOW", base + REG_CCQPLOW, 1, 4, REG_W, NULL, write_ctx_lo, r },
		{ "CQPERRCODES", base + REG_CQPERRCODES, 1, 4, REG_R, read_err, NULL, r },
		{ "WQEALLOC", base + REG_WQEALLOC, 1, 4, REG_W, NULL, write_wqe_db, r },
		{ "CQARM", base + REG_CQARM, 1, 4, REG_W, NULL, write_cq_arm, r },
		{ "CQACK", base + REG_CQACK, 1, 4, REG_W, NULL, write_cq_ack, r },
		{ "AEQALLOC", base + REG_AEQALLOC, 1, 4, REG_W, NULL, write_aeq_post, r },
		{ "user WQEALLOC", page + DBPAGE_WQEALLOC, 1, 4, REG_W, NULL, write_wqe_db, r },
		{ "user CQARM", page + DBPAGE_CQARM, 1, 4, REG_W, NULL, write_cq_arm, r },
	};

	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		int err = regs_add(r->nic->regs, &blocks[i]);

		if (err)
			return err;
	}
	return push_init(r);
}

/* Life. */

struct rdma *rdma_new(struct nic *nic)
{
	struct rdma *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->nic = nic;
	cqp_init(r);
	eq_reset(r);
	r->roce = roce_new(r);
	if (!r->roce || add_registers(r)) {
		rdma_free(r);
		return NULL;
	}
	return r;
}

void rdma_objects_free(struct rdma *r)
{
	late_cancel_all(r);
	table_fini(&r->qps, qp_free);
	table_fini(&r->srqs, srq_free);
	table_fini(&r->cqs, cq_free);
	table_fini(&r->mrs, mr_free);
	table_fini(&r->ahs, free);
	net_reset(r);
	eq_reset(r);
	misc_reset(r);
	hmc_reset(r);
}

u32 rdma_objects_left(const struct rdma *r)
{
	u32 left = r->qps.used + r->srqs.used + r->cqs.used + r->mrs.used + r->ahs.used;

	for (u32 i = 0; i < CEQS; i++)
		left += r->ceq[i].exists;
	return left + r->mcg_used + r->aeq.exists;
}

void rdma_reset(struct rdma *r)
{
	rdma_objects_free(r);
	cqp_reset(r);
	vchnl_reset(r);
	r->ctx_hi = 0;
}

void rdma_free(struct rdma *r)
{
	if (!r)
		return;
	rdma_reset(r);
	if (r->roce)
		roce_free(r->roce);
	free(r);
}

struct nic *rdma_nic(struct rdma *r)
{
	return r->nic;
}

struct roce *rdma_roce(struct rdma *r)
{
	return r->roce;
}

/* Frames: ours when addressed to us, by whatever address, or to a group, UDP, and to the RoCEv2 port. */

static bool dmac_is_ours(const struct rdma *r, const u8 *dmac)
{
	const struct nic *nic = r->nic;

	return dmac[0] & 1 || !memcmp(dmac, nic->cfg.mac, 6) ||
	       (nic->lan && lan_has_mac(nic->lan, dmac));
}

static bool is_rocev2(const u8 *data, u32 len)
{
	u32 l3 = ETH_HLEN, l4;
	u16 type;

	if (len < ETH_HLEN)
		return false;
	type = get16be(data + 12);
	if (type == 0x8100 && len >= ETH_HLEN + 4) {
		type = get16be(data + 16);
		l3 += 4;
	}
	if (type == 0x0800 && len >= l3 + 20 && data[l3 + 9] == IPPROTO_UDP_NR)
		l4 = l3 + (data[l3] & 0xF) * 4u;
	else if (type == 0x86DD && len >= l3 + 40 && data[l3 + 6] == IPPROTO_UDP_NR)
		l4 = l3 + 40;
	else
		return false;
	return len >= l4 + 8 && get16be(data + l4 + 2) == ROCE_UDP_PORT;
}

bool rdma_rx(struct rdma *r, struct frame *f)
{
	if (!r->cqp.exists || !is_rocev2(f->data, f->len) || !dmac_is_ours(r, f->data))
		return false;
	roce_rx(r->roce, f->data, f->len);
	return true;
}

/* Words and addresses. */

void ip_from_words(u8 ip[16], u64 w01, u64 w23, bool ipv4)
{
	put32be(ip, (u32)(w01 >> 32));
	put32be(ip + 4, (u32)w01);
	put32be(ip + 8, ipv4 ? 0xFFFF : (u32)(w23 >> 32));
	put32be(ip + 12, (u32)w23);
}

void mac_from_bits(u8 mac[6], u64 bits)
{
	for (u32 i = 0; i < 6; i++)
		mac[i] = (u8)(bits >> (40 - 8 * i));
}
