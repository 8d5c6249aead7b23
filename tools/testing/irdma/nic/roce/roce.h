/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside of the data side: state of a queue pair and who calls whom.
 *
 *	doorbell, context -> engine.c -> requester.c, datagram.c
 *	requester.c -> link.c -> (wire, or the peer at once) -> responder.c
 *	responder.c -> link.c -> (wire, or the peer at once) -> requester.c
 *	all of them -> completer.c
 *
 * link.c is the only place that knows whether a message goes as packets or, by the
 * shortcut, as a call into the peer's half. A call covers many packets at once:
 * struct message says how many PSNs it takes, so both ways number alike.
 */
#ifndef NIC_ROCE_H
#define NIC_ROCE_H

#include "../ctl/objects.h"
#include "../loop.h"
#include "../nic.h"
#include "../trace.h"
#include "../types.h"
#include "packet.h"
#include "payload.h"
#include "wqe.h"

#define AE_BAD_AH		0x0406u
#define AE_BAD_ARP		0x0401u
#define AE_UD_TOO_LONG		0x0132u
#define AE_UD_PD		0x0133u
#define AE_ORD_ZERO		0x0205u
#define AE_IRD_EXCEEDED		0x0207u
#define AE_INVALID_REQUEST	0x0208u
#define AE_REM_ACCESS		0x020Du
#define AE_REM_OPERATION	0x020Eu
#define AE_ATOMIC_ALIGN		0x0221u
#define AE_MSG_TOO_LONG		0x0303u
#define AE_RESPONSE_LENGTH	0x0316u
#define AE_RETRIES		0x050Au
#define AE_RNR_RETRIES		0x050Fu
#define AE_QP_CATASTROPHIC	0x0704u
#define AE_SQ_DRAINED		0x0900u

#define REQ_WINDOW		64u	/* SEND and WRITE packets without acknowledgement */
#define REQ_ACK_EVERY		16u	/* AckReq inside long messages */
#define REQ_RECORDS_MAX		128u	/* work requests in flight */
#define LINK_CHUNK_PKTS		256u	/* packets that one call of the shortcut stands for */
#define RESP_IRD_MAX		256u

/**
 * struct message - one packet's worth of a request or response, or several at once
 * @n_psns: PSNs that it takes; always 1 when it came as a packet
 * @source_failed: set by the receiver: the memory behind @data was not there
 */
struct message {
	struct roce_hdr h;
	u32 n_psns;
	bool source_failed;
	struct payload data;
};

/**
 * struct send_record - a work request that was fetched and is not complete
 * @first, @n_psns: its PSNs; @n_psns is 0 for local operations
 * @n_answered: PSNs that were answered or acknowledged, from @first
 * @executed: local operations: done
 */
struct send_record {
	struct send_wqe w;
	u32 first, n_psns, n_answered;
	bool executed;
};

/**
 * struct requester - sending half
 * @rec: ring of @cap records, @count in use from @head
 * @cur: records before it (from @head) are wholly sent in this pass
 * @psn: next PSN to send
 * @new_psn: first PSN that no record has
 * @una: oldest PSN that is not acknowledged; @sent: first PSN that was never sent
 * @data_base: end of the READ issued last, or @una behind it: what the window counts from
 * @went_back: for a loss that the peer told of; not again before there is progress
 */
struct requester {
	struct send_record *rec;
	u32 cap, head, count, cur;
	u32 psn, new_psn, una, sent, data_base;
	u32 since_ackreq, window;
	u32 retries, rnr_retries;
	bool rnr_wait, went_back, draining;
	struct loop_timer timer;
};

/* A READ or atomic that was accepted: to be answered, and again when asked again. */
struct replay {
	u32 first, n_psns;
	u32 start, next;	/* this answer's first PSN and its next, from @first */
	u32 rkey, len;
	u64 va, orig;
	bool atomic;
};

enum resp_msg { MSG_NONE, MSG_SEND, MSG_WRITE };

/**
 * struct responder - receiving half
 * @ack_psn: last SEND, WRITE or atomic that was executed
 * @replay: ring of @n_replay (a power of two); @in: accepted, @out: next to answer,
 *	@fresh: not answered yet: those before it are repetitions
 * @reply, @reply_psn: acknowledgement that waits for @out to reach @in; 0: none
 * @fatal: event code to raise once the reply is out; 0: none
 * @offset: bytes of the current message that were placed
 */
struct responder {
	u32 epsn, msn, ack_psn;
	bool nak_sent;
	enum resp_msg msg;
	u32 offset, total, rkey;
	u64 va;
	bool has_recv;
	struct recv_wqe recv;
	struct replay *replay;
	u32 n_replay, in, out, fresh;
	u8 reply;
	bool has_reply;
	u32 reply_psn;
	u16 fatal;
	enum ae_src fatal_src;
	u32 fatal_idx;
};

/**
 * struct roce_qp - transport state of a queue pair
 * @mtu: path MTU that its PSNs are counted by, whatever the context says later
 * @done: SQ position behind the last WQE that has its completion
 * @flushed_sq, @flushed_rq: FLUSH_WQES was executed, later WQEs are flushed as well
 * @rq_event: code of the async event that named the RQ, for SRQ flush completions
 */
struct roce_qp {
	struct roce *roce;
	struct rdma_qp *qp;
	struct roce_qp *run_next, **run_prev;
	struct roce_qp *err_next, **err_prev;
	u32 mtu;
	struct requester req;
	struct responder resp;
	struct rdma_ring done;
	bool flushed_sq, flushed_rq;
	u16 rq_event;
	u64 cnp_after;
};

struct roce {
	struct rdma *r;
	struct nic *nic;
	u64 stat[ST_COUNT];
	struct loop_task task;
	struct roce_qp *run, **run_tail;
	struct roce_qp *flushing;
	struct loop_timer flush_timer;
	u16 ip_id;
};

/* engine.c */
void engine_queue(struct roce_qp *q);
/* From now on the queue pair is looked at for WQEs to flush. */
void engine_flushing(struct roce_qp *q);
static inline bool qp_receives(const struct rdma_qp *qp)
{
	return qp->state == QPS_RTR || qp->state == QPS_RTS || qp->state == QPS_SQD;
}
static inline bool qp_sends(const struct rdma_qp *qp)
{
	return qp->state == QPS_RTS || qp->state == QPS_SQD;
}

/* Equal P_Keys, and one side is a full member. */
static inline bool pkeys_match(u16 a, u16 b)
{
	return !((a ^ b) & 0x7FFF) && ((a | b) & 0x8000);
}

/* requester.c */
void req_init(struct roce_qp *q);
void req_fini(struct roce_qp *q);
void req_start(struct roce_qp *q);		/* PSNs from the context */
void req_stop(struct roce_qp *q);		/* error: forget what is in flight */
/* At most @budget packets; true: there is more to do now. */
bool req_work(struct roce_qp *q, u32 budget);
void req_response(struct roce_qp *q, struct message *m);
void req_congested(struct roce_qp *q);
struct send_record *req_fetch(struct roce_qp *q);
void req_retire(struct roce_qp *q);		/* the oldest record is complete */

/* responder.c */
void resp_init(struct roce_qp *q);
void resp_fini(struct roce_qp *q);
void resp_start(struct roce_qp *q);
void resp_request(struct roce_qp *q, struct message *m);
/* Answers READs and atomics, at most @budget packets; queues itself for the rest. */
void resp_work(struct roce_qp *q, u32 budget);
/*
 * Takes the next receive WQE into q->resp.recv. False: none is posted, or it is
 * malformed, or its ring is gone or its SRQ unusable (*@fault).
 */
bool resp_take_recv(struct roce_qp *q, struct wqe_fault *fault);

/* completer.c */
void cmpl_send(struct roce_qp *q, const struct send_wqe *w);
void cmpl_recv(struct roce_qp *q, struct cqe *cqe);
/* The queue pair goes to the error state and says why; its driver will flush it. */
void cmpl_fail(struct roce_qp *q, u16 code, enum ae_src src, u32 wqe_idx);
void cmpl_flush_late(struct roce_qp *q);

/* datagram.c */
bool dg_work(struct roce_qp *q, u32 budget);
void dg_receive(struct roce *roce, const struct roce_frame *rf);

/* link.c */
/* The queue pair at the other end, if the shortcut leads there; else NULL. */
struct roce_qp *link_peer(struct roce_qp *q);
/* How many packets @peer takes at once; 1 on the wire. */
static inline u32 link_chunk(const struct roce_qp *peer)
{
	return peer ? LINK_CHUNK_PKTS : 1;
}
/*
 * To the peer's responder, requester. Returns 0, or the event code when nothing could
 * be sent: the path is not known or memory behind the payload is not there.
 */
u16 link_request(struct roce_qp *q, struct roce_qp *peer, struct message *m);
u16 link_response(struct roce_qp *q, struct roce_qp *peer, struct message *m);
void link_cnp(struct roce_qp *q);
/*
 * A frame with these headers and payload to the wire. Returns 0 or the event code when
 * memory behind @data is not there. @copy: called with the frame before it leaves.
 */
u16 link_send(struct roce *roce, const struct roce_path *path, const struct roce_hdr *h,
	      const struct payload *data, bool loop_back);

#endif
