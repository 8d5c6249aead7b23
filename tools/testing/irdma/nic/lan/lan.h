/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The LAN half of the function: mailbox, virtchnl2, vport, split queues.
 */
#ifndef NIC_LAN_H
#define NIC_LAN_H

#include "../types.h"

struct frame;
struct lan;
struct nic;

struct lan *lan_new(struct nic *nic);
void lan_free(struct lan *lan);
void lan_reset(struct lan *lan);
/* Borrowed frame from the wire, already known not to be the RDMA engine's. */
void lan_rx(struct lan *lan, struct frame *f);

/* Whether the driver asked for frames to @mac. */
bool lan_has_mac(const struct lan *lan, const u8 mac[6]);

/* Link of the wire port: told to the driver by an event after each ENABLE_VPORT and change. */
void lan_set_link(struct lan *lan, bool up);
/* Counters since the last reset, as GET_STATS tells them, and their names. */
#define LAN_STATS	15
extern const char *const lan_stat_names[LAN_STATS];
const u64 *lan_stats(const struct lan *lan);
/* Clears ARQLEN: the driver detects a reset that it did not ask for. */
void lan_lose_mailbox(struct lan *lan);

#endif
