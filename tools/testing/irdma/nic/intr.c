// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the state of the interrupt vectors and their registers.
 *
 * An event that comes while the vector is disabled is held until the driver
 * enables it. Clear-pending (DYN_CTL bit 1) withdraws only what the MSI-X mask
 * held back, which is the transport's business: drivers set it in the very write
 * that enables the vector after draining, and must not lose what came meanwhile.
 */
#include "intr.h"

#include <stdlib.h>

#include "faults.h"
#include "loop.h"
#include "nic.h"
#include "regs.h"
#include "trace.h"

#define DYN_CTL_INTENA		BIT(0)
#define DYN_CTL_SWINT_TRIG	BIT(2)
#define DYN_CTL_INTENA_MSK	BIT(31)

#define ITRS			3

struct vector {
	struct intr *intr;
	bool enabled, pending;
	u64 sent;
	struct loop_timer late;		/* a message that a fault knob holds back */
};

struct intr {
	struct nic *nic;
	u32 cnt;
	struct vector vec[];
};

u32 intr_dyn_ctl(const struct nic *nic, u32 vec)
{
	if (!nic->cfg.vf)
		return 0x08900000 + 0x1000 * vec;
	return vec ? 0x3800 + 4 * (vec - 1) : 0x5c00;
}

u32 intr_itr(const struct nic *nic, u32 vec, u32 itr)
{
	if (!nic->cfg.vf)
		return 0x08900004 + 4 * itr + 0x1000 * vec;
	return vec ? 0x2c00 + 4 * (vec - 1) + 0x100 * itr : 0x4c00 + 4 * itr;
}

static u32 vec_idx(const struct vector *v)
{
	return (u32)(v - v->intr->vec);
}

static void send(struct vector *v)
{
	struct nic *nic = v->intr->nic;

	v->sent++;
	TRACE(nic, T_EVENT, "vector %u", vec_idx(v));
	if (nic->tp)
		nic->tp->ops->raise(nic->tp, vec_idx(v));
}

static void send_late(void *arg)
{
	send(arg);
}

static void send_faulty(struct vector *v, const struct fault *f)
{
	switch (f->action) {
	case FAULT_DROP:
		return;
	case FAULT_DELAY:
		timer_arm(&v->late, f->value);
		return;
	case FAULT_DUP:
		send(v);
		break;
	default:
		break;
	}
	send(v);
}

static void fire(struct vector *v)
{
	const struct fault *f;

	if (!v->enabled || !v->pending)
		return;
	v->enabled = false;
	v->pending = false;
	f = fault_hit(v->intr->nic, F_INTERRUPT, vec_idx(v));
	if (f)
		send_faulty(v, f);
	else
		send(v);
}

void intr_event(struct intr *intr, u32 vec)
{
	if (vec >= intr->cnt) {
		violation(intr->nic, V_VECTOR_RANGE, "vector %u of %u", vec, intr->cnt);
		return;
	}
	intr->vec[vec].pending = true;
	fire(&intr->vec[vec]);
}

static void dyn_ctl_write(struct vector *v, u32 val)
{
	if (!(val & DYN_CTL_INTENA_MSK))
		v->enabled = val & DYN_CTL_INTENA;
	if (val & DYN_CTL_SWINT_TRIG)
		v->pending = true;
	fire(v);
}

static void dyn_ctl_write_0(void *arg, u32 idx, u32 val)
{
	struct intr *intr = arg;

	dyn_ctl_write(&intr->vec[idx], val);
}

static void dyn_ctl_write_n(void *arg, u32 idx, u32 val)
{
	struct intr *intr = arg;

	dyn_ctl_write(&intr->vec[idx + 1], val);
}

/* Vector 0 (the mailbox) lies apart from the others in a VF. */
static int add_regs(struct intr *intr)
{
	struct nic *nic = intr->nic;
	u32 stride = nic->cfg.vf ? 4 : 0x1000;
	struct reg_block b = {
		.access = REG_R | REG_W, .count = 1, .stride = stride, .arg = intr,
		.name = "DYN_CTL0", .offset = intr_dyn_ctl(nic, 0), .write = dyn_ctl_write_0,
	};
	int err = regs_add(nic->regs, &b);

	b.write = NULL;
	b.name = "ITR0";
	for (u32 itr = 0; itr < ITRS && !err; itr++) {
		b.offset = intr_itr(nic, 0, itr);
		err = regs_add(nic->regs, &b);
	}
	if (intr->cnt == 1 || err)
		return err;

	b.count = intr->cnt - 1;
	b.name = "ITRN";
	for (u32 itr = 0; itr < ITRS && !err; itr++) {
		b.offset = intr_itr(nic, 1, itr);
		err = regs_add(nic->regs, &b);
	}
	if (err)
		return err;
	b.name = "DYN_CTLN";
	b.offset = intr_dyn_ctl(nic, 1);
	b.write = dyn_ctl_write_n;
	return regs_add(nic->regs, &b);
}

struct intr *intr_new(struct nic *nic, u32 vectors)
{
	struct intr *intr = calloc(1, sizeof(*intr) + vectors * sizeof(intr->vec[0]));

	if (!intr)
		return NULL;
	intr->nic = nic;
	intr->cnt = vectors;
	for (u32 i = 0; i < vectors; i++) {
		intr->vec[i].intr = intr;
		timer_init(&intr->vec[i].late, nic->loop, send_late, &intr->vec[i]);
	}
	if (!vectors || add_regs(intr)) {
		free(intr);
		return NULL;
	}
	return intr;
}

void intr_free(struct intr *intr)
{
	if (!intr)
		return;
	intr_reset(intr);
	free(intr);
}

void intr_reset(struct intr *intr)
{
	for (u32 i = 0; i < intr->cnt; i++) {
		intr->vec[i].enabled = false;
		intr->vec[i].pending = false;
		timer_cancel(&intr->vec[i].late);
	}
}

u64 intr_count(const struct intr *intr, u32 vec)
{
	return vec < intr->cnt ? intr->vec[vec].sent : 0;
}
