/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The RDMA half of the function as the rest of the NIC sees it.
 */
#ifndef NIC_RDMA_H
#define NIC_RDMA_H

#include "../types.h"

struct frame;
struct nic;
struct rdma;

struct rdma *rdma_new(struct nic *nic);
void rdma_free(struct rdma *r);
/* Everything that drivers made is forgotten; no DMA after it. */
void rdma_reset(struct rdma *r);

/*
 * A virtual-channel message (payload of virtchnl2 op 529, header included).
 * @resp holds RDMA_VCHNL_MAX bytes; returns the length of the answer (at least
 * the 16-byte header), or 0 when none shall be sent.
 */
#define RDMA_VCHNL_MAX	512u
u32 rdma_vchnl(struct rdma *r, const void *req, u32 len, void *resp);

/* Control commands taken from the ring since rdma_new(), by opcode. */
#define RDMA_COMMANDS	64u
const u64 *rdma_commands(const struct rdma *r);
/* NULL: no command has this opcode. */
const char *rdma_command_name(u32 opcode);

/* True if the frame is RoCEv2 for this function; the frame (borrowed) is then done with. */
bool rdma_rx(struct rdma *r, struct frame *f);

#endif
