/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the LAN side share. */
#ifndef NIC_LAN_PRIV_H
#define NIC_LAN_PRIV_H

#include "../loop.h"
#include "../nic.h"
#include "../trace.h"
#include "lan.h"
#include "mailbox.h"
#include "virtchnl2.h"

#define LAN_QUEUES_MAX	64u		/* pairs */
#define LAN_MACS_MAX	256u
#define LAN_SG_MAX	10u		/* descriptors of one packet */
#define LAN_FCS		4u
#define LAN_FRAME_MAX	9026u		/* longest frame with FCS and two VLAN tags: MTU 9000 */
#define LAN_LINK_MBPS	200000u
#define RSS_KEY_SIZE	52u
#define RSS_LUT_SIZE	64u
#define RSS_INPUT_MAX	36u		/* two IPv6 addresses and two ports */

/**
 * struct lan_layout - where a personality has its registers
 * @ctl: 0: there is none
 * @vectors: DYN_CTL and ITR registers of all vectors
 */
struct lan_layout {
	struct mailbox_layout mailbox;
	u32 rstat, ctl, intr_ena;
	u32 tx_tail, buf_tail, tail_stride;
	struct vc_region vectors;
};

enum lan_queue_state {
	LQ_ABSENT,	/* not the driver's: before CREATE_VPORT or ADD_QUEUES */
	LQ_IDLE,	/* no ring yet */
	LQ_READY,	/* configured */
	LQ_RUNNING,
	LQ_STOPPED,	/* refused to go on after a violation; DISABLE_QUEUES ends this */
};

/**
 * struct lan_queue - one queue of any type
 * @head: the device's own index
 * @tail: doorbell, latched in every state
 * @gen: generation that the next written descriptor gets
 * @vector: 0: raises no interrupt
 * @complq, @relative_id: transmit queue: where completions go, under which number
 * @bufq, @bufqs: receive queue: one or two buffer queues
 * @buf_size: buffer queue: bytes of each buffer
 * @max_pkt: receive queue: longest frame, FCS included
 * @more: transmit queue: descriptors are left when a turn's budget is spent
 */
struct lan_queue {
	struct lan *lan;
	u8 type;
	u16 id;
	enum lan_queue_state state;
	u64 ring;
	u16 ring_len;
	u16 head;
	u32 tail;
	bool gen;
	u16 vector;
	u16 complq, relative_id;
	u16 bufq[2], bufqs;
	u32 buf_size, max_pkt;
	struct loop_task more;
};

struct lan_mac {
	u8 addr[6];
	u8 type;	/* 0: free slot */
};

/**
 * struct lan_rss - how flows are spread over receive queues
 * @hash: what each value of each four input bits adds to the Toeplitz hash
 */
struct lan_rss {
	u32 hash[2 * RSS_INPUT_MAX][16];
	u32 lut[RSS_LUT_SIZE];
};

struct lan_vport {
	bool exists, enabled;
	u16 queues[VC_Q_TYPES];		/* that the driver has, ids 0 and up */
	u32 promisc;
	struct lan_mac macs[LAN_MACS_MAX];
	struct lan_rss rss;
	u64 stats[VC_STATS];
};

/**
 * struct lan - the LAN half of one function
 * @link: of the wire; outlives every reset
 * @versioned, @caps: what the driver has asked for so far; @caps are those granted
 * @vectors: granted by ALLOC_VECTORS, numbers 1 and up
 */
struct lan {
	struct nic *nic;
	const struct lan_layout *layout;
	struct mailbox mailbox;
	bool link;
	bool versioned, has_caps;
	u64 caps;
	u16 vectors;
	struct lan_vport vport;
	struct lan_queue tx[LAN_QUEUES_MAX], rx[LAN_QUEUES_MAX];
	struct lan_queue compl[LAN_QUEUES_MAX], buf[2 * LAN_QUEUES_MAX];
};

/* Queue @id of a type that exists, or NULL. */
struct lan_queue *lan_queue(struct lan *lan, u32 type, u32 id);
void lan_queue_start(struct lan_queue *q);
/* Back to configured; the device forgets indices and doorbell. */
void lan_queue_stop(struct lan_queue *q);
/* A violation of the driver's on a running queue: no more DMA until it is disabled. */
void lan_queue_halt(struct lan_queue *q);
/* Same for an address that is not mapped, which was counted at the access. */
void lan_queue_fault(struct lan_queue *q, const char *what, u64 addr);
const char *lan_queue_name(u32 type);

/* Doorbells. */
void lan_tx_doorbell(void *lan, u32 id, u32 val);
void lan_buf_doorbell(void *lan, u32 id, u32 val);
void lan_tx_more(void *queue);
/* The last completion of a queue that was disabled. */
void lan_tx_marker(struct lan_queue *tx);

void lan_rss_set_key(struct lan_rss *rss, const u8 *key);
u32 lan_rss_hash(const struct lan_rss *rss, const u8 *data, u32 len);

/* Kinds of packet, by the number that is in receive descriptors. */
enum {
	LAN_PT_NONE, LAN_PT_L2,
	LAN_PT_IPV4, LAN_PT_IPV4_UDP, LAN_PT_IPV4_TCP,
	LAN_PT_IPV6, LAN_PT_IPV6_UDP, LAN_PT_IPV6_TCP,
	LAN_PTYPES
};

/* What a kind of packet consists of, outermost first. */
struct lan_ptype {
	u8 count;
	u16 proto[4];
};
extern const struct lan_ptype lan_ptypes[LAN_PTYPES];

/**
 * struct lan_flow - where a frame belongs
 * @hashed: it is IP, @hash and @queue (a receive queue's index) come from its headers
 */
struct lan_flow {
	u16 ptype;
	bool hashed;
	u32 hash, queue;
};
/* @len: at least an Ethernet header. */
struct lan_flow lan_flow(const struct lan_rss *rss, const u8 *frame, u32 len);

/* The function's own view of a destination address. */
bool lan_mac_wanted(const struct lan_vport *vp, const u8 *dest);
u32 lan_mac_add(struct lan_vport *vp, const u8 *addr, u8 type);
u32 lan_mac_del(struct lan_vport *vp, const u8 *addr);

/* Adds a frame to the byte counter @bytes and the three by destination that follow it. */
void lan_count(struct lan_vport *vp, enum vc_stat bytes, const u8 *frame, u32 len);

/**
 * struct vc_msg - a message being answered in place
 * @len: bytes of the request; after the handler, of the answer
 */
struct vc_msg {
	u32 op;
	u32 len;
	u8 data[VC_PAYLOAD_MAX];
};

/* Answers @m, by default with its own payload. Returns the status, or VC_NO_ANSWER. */
#define VC_NO_ANSWER	(~0u)
u32 lan_virtchnl(struct lan *lan, struct vc_msg *m);
const char *lan_virtchnl_name(u32 op);
/* True if @m has a header of @hdr bytes and @count entries of @entry bytes; else a violation. */
bool vc_fits(struct lan *lan, const struct vc_msg *m, u32 hdr, u32 count, u32 entry);
/* The vport named in the first word; NULL after a violation. */
struct lan_vport *vc_vport(struct lan *lan, const struct vc_msg *m);
/* Tells the driver what the link is like; behind the answer to ENABLE_VPORT. */
void lan_link_event(struct lan *lan);

typedef u32 vc_fn(struct lan *lan, struct vc_msg *m);
vc_fn vc_create_vport, vc_destroy_vport, vc_enable_vport, vc_disable_vport;
vc_fn vc_get_stats, vc_add_mac, vc_del_mac, vc_set_promisc, vc_set_rss_key, vc_set_rss_lut;
vc_fn vc_config_tx, vc_config_rx, vc_map_vectors, vc_unmap_vectors;
vc_fn vc_enable_queues, vc_disable_queues, vc_add_queues, vc_del_queues;

/* Gives the driver queues as in @num and describes them; returns the number of chunks. */
u32 lan_queues_give(struct lan *lan, const u16 num[VC_Q_TYPES], struct vc_queue_chunk *out);

#endif
