/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interrupt vectors: per vector {enabled, pending}, driven by its DYN_CTL register.
 *
 * An event sets pending; a vector that is enabled and pending fires its MSI-X
 * entry, once, and both bits clear. DYN_CTL: bit 0 enable, bit 1 clear pending,
 * bit 2 software trigger, bit 31 leave enable as it is.
 */
#ifndef NIC_INTR_H
#define NIC_INTR_H

#include "types.h"

struct nic;
struct intr;

/* Registers DYN_CTL (0x08900000 + 0x1000 v) and its ITRs with nic->regs. */
struct intr *intr_new(struct nic *nic, u32 vectors);
void intr_free(struct intr *intr);
void intr_reset(struct intr *intr);
/* Something happened on @vec; a number out of range is a violation. */
void intr_event(struct intr *intr, u32 vec);
/* MSI-X messages sent so far on @vec. */
u64 intr_count(const struct intr *intr, u32 vec);

#endif
