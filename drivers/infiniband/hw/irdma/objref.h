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
 * irdma_obj_get - look an object up by its id
 * @xa: table of pointers to struct @type
 * @id: id, any value
 * @type: type of the object
 * @ref: its struct irdma_objref member
 *
 * The object cannot vanish before it is unpublished, and its owner waits for a grace
 * period of the table's lock afterwards.
 *
 * Context: Process or softirq context; takes and releases the table's lock.
 * Return: object with a reference, or NULL.
 */
#define irdma_obj_get(xa, id, type, ref)					\
({										\
	type *__obj;								\
	unsigned long __flags;							\
										\
	xa_lock_irqsave(xa, __flags);						\
	__obj = xa_load(xa, id);						\
	if (__obj && !refcount_inc_not_zero(&__obj->ref.refs))			\
		__obj = NULL;							\
	xa_unlock_irqrestore(xa, __flags);					\
	__obj;									\
})

#endif /* IRDMA_OBJREF_H */
