/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copyright (c) 2026 The irdma authors */
#ifndef IRDMA_FIELD_H
#define IRDMA_FIELD_H

#include <linux/bits.h>
#include <linux/types.h>

/**
 * struct irdma_field - where the device announced that a field lies
 * @shift: bit number of the field's lowest bit in its 64-bit word
 * @bits: width; 0 when the device did not announce the field
 *
 * Register-layout message, field records. The helpers require
 * irdma_field_valid().
 */
struct irdma_field {
	u8 shift;
	u8 bits;
};

/**
 * irdma_field_valid - whether a field was announced and lies in its word
 * @f: field
 *
 * Return: true when @f has a bit and ends below bit 64.
 */
static inline bool irdma_field_valid(struct irdma_field f)
{
	return f.bits && f.shift + f.bits <= 64;
}

/**
 * irdma_field_mask - bits of the word that belong to a field
 * @f: field
 *
 * Return: mask in place.
 */
static inline u64 irdma_field_mask(struct irdma_field f)
{
	return GENMASK_ULL(f.shift + f.bits - 1, f.shift);
}

/**
 * irdma_field_prep - place a value
 * @f: field
 * @val: value; bits that do not fit are cut off
 *
 * Return: word that has @val in the field and zeros elsewhere.
 */
static inline u64 irdma_field_prep(struct irdma_field f, u64 val)
{
	return (val << f.shift) & irdma_field_mask(f);
}

/**
 * irdma_field_get - take a value out
 * @f: field
 * @word: word in CPU order
 *
 * Return: value of the field.
 */
static inline u64 irdma_field_get(struct irdma_field f, u64 word)
{
	return (word & irdma_field_mask(f)) >> f.shift;
}

#endif /* IRDMA_FIELD_H */
