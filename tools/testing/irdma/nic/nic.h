/* SPDX-License-Identifier: GPL-2.0 */
/*
 * struct nic: one emulated PCI function, put together.
 *
 * Transports (vfio-user, vhost-user) call the nic_* entry points below; the NIC
 * calls them back only through struct transport_ops. Everything runs in the
 * event loop's thread.
 */
#ifndef NIC_NIC_H
#define NIC_NIC_H

#include "trace.h"
#include "types.h"

struct control;
struct dma_space;
struct fault_set;
struct frame;
struct intr;
struct lan;
struct loop;
struct nic;
struct rdma;
struct regs;
struct trace;
struct transport;
struct wire;
struct wire_port;

#define NIC_BAR0_SIZE	(256u << 20)
#define NIC_VECTORS_MAX	2048u	/* MSI-X entries; a VF's registers have room for 65 */

/**
 * struct nic_config - what the command line says of one NIC
 * @name: unique in the process; names the port on the wire, the trace and control objects
 * @mac: permanent address of vport 0
 * @vf: personality 8086:145C instead of 8086:1452
 * @vectors: MSI-X entries in all; the last @rdma_vectors of them are RDMA's
 * @queues: LAN queue pairs
 * @shortcut: RDMA between QPs of this process may by-pass packets
 * @inline_cmds: commands are executed and completed before the doorbell store retires
 */
struct nic_config {
	char name[32];
	u8 mac[6];
	bool vf;
	u16 vectors, rdma_vectors;
	u16 queues;
	bool shortcut;
	bool inline_cmds;
	bool rdma;
};

/**
 * struct nic_clock - how long RDMA control commands take; both 0: done at once
 * @latency_ns: from doorbell to completion; commands overlap
 * @interval_ns: from the completion of one to that of the next; they do not overlap
 */
struct nic_clock {
	u64 latency_ns, interval_ns;
};

struct transport_ops {
	/* Send MSI-X entry @vec; a masked one is remembered by the transport. */
	void (*raise)(struct transport *tp, u32 vec);
};

struct transport {
	const struct transport_ops *ops;
};

struct nic {
	struct nic_config cfg;
	struct loop *loop;
	struct trace *trace;
	struct fault_set *faults;
	struct dma_space *dma;
	struct regs *regs;
	struct intr *intr;
	struct transport *tp;		/* NULL: nobody connected */
	struct wire_port *port;
	struct lan *lan;
	struct rdma *rdma;		/* NULL: function without RDMA */
	struct nic *next;		/* ring of the NICs on the same wire; itself if alone */
	struct nic_clock clock;
	bool removed;			/* pulled out: see nic_set_removed() */
	u64 resets;
	u64 violations[V_COUNT];
	u8 config[4096];		/* PCI configuration space, see pci_config.c */
};

enum nic_reset {
	NIC_RESET_POWER_ON,
	NIC_RESET_FUNCTION,		/* FLR, vfio-user DEVICE_RESET */
	NIC_RESET_SOFTWARE,		/* PFGEN_CTRL.PFSWR, RESET_VF */
	NIC_RESET_SPONTANEOUS,		/* asked for on the control socket: the driver finds out */
};

/* NULL on allocation failure. The NIC joins @wire under cfg->name. */
struct nic *nic_new(const struct nic_config *cfg, struct loop *loop, struct wire *wire,
		    struct trace *trace);
/* Takes it off the wire and out of the ring. Its transport must be gone. */
void nic_free(struct nic *nic);
/* Puts @nic, alone so far, into the ring of @other. */
void nic_join(struct nic *nic, struct nic *other);
/* Stops all DMA, forgets all state of the drivers; after it no guest memory is touched. */
void nic_reset(struct nic *nic, enum nic_reset kind);
/*
 * Surprise removal: reads give ones, writes are lost, nothing is sent. When it comes
 * back it is as after power-on.
 */
void nic_set_removed(struct nic *nic, bool removed);
void nic_set_link(struct nic *nic, bool up);

/* For transports. Reads of what does not exist give zeros, writes there are ignored. */
void nic_config_read(struct nic *nic, u32 offset, void *buf, u32 len);
void nic_config_write(struct nic *nic, u32 offset, const void *buf, u32 len);
void nic_bar_read(struct nic *nic, u32 bar, u64 offset, void *buf, u32 len);
void nic_bar_write(struct nic *nic, u32 bar, u64 offset, const void *buf, u32 len);

/* A frame from the wire: to the RDMA engine if it is its own, else to the LAN side. */
void nic_rx(void *nic, struct frame *f);
/* A frame to the wire; takes the reference. */
void nic_tx(struct nic *nic, struct frame *f);

#endif
