/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interrupt vectors: per vector {enabled, pending}, driven by its DYN_CTL register.
 *
 * An event sets pending; a vector that is enabled and pending fires its MSI-X
 * entry, once, and both bits clear. DYN_CTL: bit 0 enable, bit 2 software
 * trigger, bit 31 leave enable as it is.
 */
#ifndef NIC_INTR_H
#define NIC_INTR_H

#include "types.h"

struct nic;
struct intr;

/* Registers DYN_CTL and the ITRs of all vectors with nic->regs; uses nic->loop. */
struct intr *intr_new(struct nic *nic, u32 vectors);
void intr_free(struct intr *intr);
void intr_reset(struct intr *intr);
/* Something happened on @vec; a number out of range is a violation. */
void intr_event(struct intr *intr, u32 vec);
/* MSI-X messages sent so far on @vec. */
u64 intr_count(const struct intr *intr, u32 vec);

/*
 * BAR 0 offsets of a vector's registers, @itr 0 to 2. From one vector to the next it
 * is 0x1000 bytes in a PF, and from vector 1 on 4 bytes in a VF (at most 65 vectors);
 * from one ITR to the next 4 bytes in a PF, 0x100 in a VF (4 for vector 0).
 */
u32 intr_dyn_ctl(const struct nic *nic, u32 vec);
u32 intr_itr(const struct nic *nic, u32 vec, u32 itr);

#endif
