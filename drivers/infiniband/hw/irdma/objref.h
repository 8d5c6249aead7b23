/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_OBJREF_H
#define IRDMA_OBJREF_H

#include <linux/completion.h>
#include <linux/refcount.h>
#include <linux/xarray.h>

/**
 * struct irdma_objref - who looks at an object that events find by its id
 * @refs: one for the object's life, one per user
 * @gone: the last reference was dropped
 *
 * The core frees the memory, so destruction unpublishes the id and then waits.
 */
struct irdma_objref {
	refcount_t refs;
	struct completion gone;
};

static inline void irdma_objref_init(struct irdma_objref *ref)
{
	refcount_set(&ref->refs, 1);
	init_completion(&ref->gone);
}

static inline void irdma_objref_put(struct irdma_objref *ref)
{
	if (refcount_dec_and_test(&ref->refs))
		complete(&ref->gone);
}

/**
 * irdma_objref_end - drop the reference of the object's life and wait for the others
 * @ref: reference; nobody finds the object any more
 *
 * Context: Process context; may sleep.
 */
static inline void irdma_objref_end(struct irdma_objref *ref)
{
	irdma_objref_put(ref);
	wait_for_completion(&ref->gone);
}

/**
 * irdma_objref_get - look an object up by its id
 * @xa: table of &struct irdma_objref
 * @id: id, any value
 *
 * The reference is taken under the table's lock, which whoever unpublishes the object
 * takes as well.
 *
 * Context: Process or softirq context; takes and releases the table's lock.
 * Return: the object's reference, counted, or NULL.
 */
static inline struct irdma_objref *irdma_objref_get(struct xarray *xa, unsigned long id)
{
	struct irdma_objref *ref;
	unsigned long flags;

	xa_lock_irqsave(xa, flags);
	ref = xa_load(xa, id);
	if (ref && !refcount_inc_not_zero(&ref->refs))
		ref = NULL;
	xa_unlock_irqrestore(xa, flags);
	return ref;
}

#endif /* IRDMA_OBJREF_H */
