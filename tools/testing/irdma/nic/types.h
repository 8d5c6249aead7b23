/* SPDX-License-Identifier: GPL-2.0 */
/* Short fixed-width names and little helpers that every file of the NIC uses. */
#ifndef NIC_TYPES_H
#define NIC_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define BIT(n) (1ull << (n))
/* Bits @hi down to @lo, both inclusive, of a 64-bit word. */
#define MASK(hi, lo) ((~0ull >> (63 - (hi))) & (~0ull << (lo)))
#define FIELD(word, hi, lo) (((u64)(word) & MASK(hi, lo)) >> (lo))
#define PUT(val, hi, lo) (((u64)(val) << (lo)) & MASK(hi, lo))

#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

/*
 * A check that a build with NIC_PLANT_OVERFLOW leaves out: there the fuzzers must find
 * what it guards.
 */
#ifdef NIC_PLANT_OVERFLOW
#define CHECKED(cond) ((void)(cond), true)
#else
#define CHECKED(cond) (cond)
#endif

/* Little-endian loads and stores at any alignment; the host is little-endian. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "little-endian hosts only");

static inline u16 get16(const void *p) { u16 v; __builtin_memcpy(&v, p, 2); return v; }
static inline u32 get32(const void *p) { u32 v; __builtin_memcpy(&v, p, 4); return v; }
static inline u64 get64(const void *p) { u64 v; __builtin_memcpy(&v, p, 8); return v; }
static inline void put16(void *p, u16 v) { __builtin_memcpy(p, &v, 2); }
static inline void put32(void *p, u32 v) { __builtin_memcpy(p, &v, 4); }
static inline void put64(void *p, u64 v) { __builtin_memcpy(p, &v, 8); }
static inline u16 get16be(const void *p) { return __builtin_bswap16(get16(p)); }
static inline u32 get32be(const void *p) { return __builtin_bswap32(get32(p)); }
static inline u64 get64be(const void *p) { return __builtin_bswap64(get64(p)); }
static inline void put16be(void *p, u16 v) { put16(p, __builtin_bswap16(v)); }
static inline void put32be(void *p, u32 v) { put32(p, __builtin_bswap32(v)); }
static inline void put64be(void *p, u64 v) { put64(p, __builtin_bswap64(v)); }

#endif
