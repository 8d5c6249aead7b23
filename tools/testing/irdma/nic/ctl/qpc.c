// SPDX-License-Identifier: GPL-2.0
/*
 * Decodes the 256-byte RoCE QP context into plain values and checks what can be checked
 * without knowing the QP's state.
 */
#include "ctl.h"

#define SIZE_CODE_MAX	13u	/* 32768 quanta */
#define IRD_CODE_MAX	10u
#define ORD_MAX		64u
#define IRD_MAX		64u
#define MTU_MIN		256u
#define MTU_MAX		4096u

/*
 * Bits of each word that have a meaning on generation 3 and may be set. TPH hints and
 * the congestion controls that the engine does not have are accepted and ignored.
 */
static const u64 allowed[QPC_BYTES / 8] = {
	[0] = MASKF(QPC_W0_IPV4) | MASKF(QPC_W0_VLAN) | MASKF(QPC_W0_IS_QP1) |
	      MASKF(QPC_W0_RQ_WQE_SIZE) | MASKF(QPC_W0_USE_SRQ) | MASKF(QPC_W0_DCTCP) |
	      MASK(31, 28) | MASKF(QPC_W0_PUSH_PAGE) | MASKF(QPC_W0_PUSH_EN),
	[1] = ~0ull, [2] = ~0ull,
	[3] = MASK(15, 0) | MASKF(QPC_W24_TOS) | MASKF(QPC_W24_SPORT) | MASKF(QPC_W24_DPORT),
	[4] = ~0ull, [5] = ~0ull,
	[6] = MASKF(QPC_W48_PMTU) | MASKF(QPC_W48_VLAN) | MASKF(QPC_W48_ARP),
	[7] = MASKF(QPC_W56_FLOW) | MASKF(QPC_W56_ACK_CREDITS) | MASKF(QPC_W56_PKEY),
	[8] = MASKF(QPC_W64_DEST_QPN) | MASKF(QPC_W64_QKEY),
	[10] = MASKF(QPC_W80_PSN_NXT) | MASK(55, 32),
	[11] = MASKF(QPC_W88_EPSN),
	[12] = MASKF(QPC_W96_PSN_MAX) | MASKF(QPC_W96_PSN_UNA),
	[14] = MASKF(QPC_W112_CWND),
	[16] = MASKF(QPC_W128_MIN_RNR) | MASKF(QPC_W128_RETRY) | MASKF(QPC_W128_RNR_RETRY) |
	       MASKF(QPC_W128_MIN_RTO),
	[17] = MASKF(QPC_W136_SCQ) | MASKF(QPC_W136_RCQ),
	[18] = MASK(6, 0),
	[19] = MASKF(QPC_W152_SMAC) | MASKF(QPC_W152_ACK_TIMEOUT),
	[20] = MASK(10, 0) | MASK(28, 14) | MASKF(QPC_W160_NO_ICRC),
	[21] = ~0ull,
	[22] = MASK(15, 0) | MASKF(QPC_W176_QS_HANDLE),
	[23] = ~0ull, [24] = ~0ull,
	[25] = MASKF(QPC_W200_SRQ) | MASK(39, 32) | MASK(63, 52),
	[26] = MASKF(QPC_W208_PD) | MASK(47, 32) | MASK(55, 48),
};

static void decode_network(const u64 *w, struct qp_ctx *ctx)
{
	ctx->ipv4 = GETF(w[0], QPC_W0_IPV4);
	ctx->insert_vlan = GETF(w[0], QPC_W0_VLAN);
	ctx->dctcp = GETF(w[0], QPC_W0_DCTCP);
	ctx->ttl = (u8)GETF(w[3], QPC_W24_TTL);
	ctx->tos = (u8)GETF(w[3], QPC_W24_TOS);
	ctx->udp_sport = (u16)GETF(w[3], QPC_W24_SPORT);
	ctx->udp_dport = (u16)GETF(w[3], QPC_W24_DPORT);
	ip_from_words(ctx->dip, w[5], w[4], ctx->ipv4);
	ip_from_words(ctx->sip, w[24], w[23], ctx->ipv4);
	ctx->pmtu = (u16)GETF(w[6], QPC_W48_PMTU);
	ctx->vlan_tag = (u16)GETF(w[6], QPC_W48_VLAN);
	ctx->arp_idx = (u16)GETF(w[6], QPC_W48_ARP);
	ctx->flow_label = (u32)GETF(w[7], QPC_W56_FLOW);
	mac_from_bits(ctx->smac, GETF(w[19], QPC_W152_SMAC));
	ctx->qs_handle = (u16)GETF(w[22], QPC_W176_QS_HANDLE);
}

static void decode_transport(const u64 *w, struct qp_ctx *ctx)
{
	ctx->ack_credits = (u8)GETF(w[7], QPC_W56_ACK_CREDITS);
	ctx->pkey = (u16)GETF(w[7], QPC_W56_PKEY);
	ctx->dest_qpn = (u32)GETF(w[8], QPC_W64_DEST_QPN);
	ctx->qkey = (u32)GETF(w[8], QPC_W64_QKEY);
	ctx->psn_nxt = (u32)GETF(w[10], QPC_W80_PSN_NXT);
	ctx->epsn = (u32)GETF(w[11], QPC_W88_EPSN);
	ctx->psn_max = (u32)GETF(w[12], QPC_W96_PSN_MAX);
	ctx->psn_una = (u32)GETF(w[12], QPC_W96_PSN_UNA);
	ctx->cwnd = (u32)GETF(w[14], QPC_W112_CWND);
	ctx->min_rnr_timer = (u8)GETF(w[16], QPC_W128_MIN_RNR);
	ctx->retry_cnt = (u8)GETF(w[16], QPC_W128_RETRY);
	ctx->rnr_retry = (u8)GETF(w[16], QPC_W128_RNR_RETRY);
	ctx->min_rto = (u8)GETF(w[16], QPC_W128_MIN_RTO);
	ctx->ack_timeout = (u8)GETF(w[19], QPC_W152_ACK_TIMEOUT);
	ctx->ord = (u16)GETF(w[20], QPC_W160_ORD);
	/* The code counts read-queue elements, two per outstanding read. */
	ctx->ird = (u16)(2u << GETF(w[20], QPC_W160_IRD));
	ctx->dcqcn = GETF(w[20], QPC_W160_DCQCN);
	ctx->no_icrc_check = GETF(w[20], QPC_W160_NO_ICRC);
}

static void decode_queues(const u64 *w, struct qp_ctx *ctx)
{
	ctx->use_srq = GETF(w[0], QPC_W0_USE_SRQ);
	ctx->rq_wqe_size_code = (u8)GETF(w[0], QPC_W0_RQ_WQE_SIZE);
	ctx->push_page = (u16)GETF(w[0], QPC_W0_PUSH_PAGE);
	ctx->push_en = GETF(w[0], QPC_W0_PUSH_EN);
	ctx->sq_addr = w[1];
	ctx->rq_addr = w[2];
	ctx->rq_size_code = (u8)GETF(w[3], QPC_W24_RQ_SIZE);
	ctx->sq_size_code = (u8)GETF(w[3], QPC_W24_SQ_SIZE);
	ctx->scqn = (u32)GETF(w[17], QPC_W136_SCQ);
	ctx->rcqn = (u32)GETF(w[17], QPC_W136_RCQ);
	ctx->comp_ctx = w[21];
	ctx->srqn = (u32)GETF(w[25], QPC_W200_SRQ);
	ctx->pd = (u32)GETF(w[26], QPC_W208_PD);
}

static void decode_rights(const u64 *w, struct qp_ctx *ctx)
{
	ctx->atomics = GETF(w[20], QPC_W160_ATOMICS);
	ctx->priv_cq = GETF(w[20], QPC_W160_PRIV_CQ);
	ctx->write_en = GETF(w[20], QPC_W160_WRITE);
	ctx->read_en = GETF(w[20], QPC_W160_READ);
	ctx->bind_en = GETF(w[20], QPC_W160_BIND);
	ctx->fast_reg_en = GETF(w[20], QPC_W160_FAST_REG);
	ctx->priv = GETF(w[20], QPC_W160_PRIV);
}

static u32 check(struct rdma *r, const u64 *w, const struct qp_ctx *ctx)
{
	u64 ird_code = GETF(w[20], QPC_W160_IRD);

	if (ctx->sq_size_code > SIZE_CODE_MAX || ctx->rq_size_code > SIZE_CODE_MAX ||
	    ctx->rq_wqe_size_code > ctx->rq_size_code + 1)
		return refuse(r, QPC_SIZE, CMD_FIELD, "SQ code %u, RQ code %u of WQE code %u",
			      ctx->sq_size_code, ctx->rq_size_code, ctx->rq_wqe_size_code);
	if (ird_code > IRD_CODE_MAX || ctx->ird > IRD_MAX || ctx->ord > ORD_MAX)
		return refuse(r, QPC_READS, CMD_FIELD, "IRD code %u, ORD %u", (u32)ird_code,
			      ctx->ord);
	if (ctx->pmtu < MTU_MIN || ctx->pmtu > MTU_MAX || ctx->pmtu & (ctx->pmtu - 1))
		return refuse(r, QPC_MTU, CMD_FIELD, "path MTU %u", ctx->pmtu);
	return CMD_OK;
}

u32 qpc_decode(struct rdma *r, const u8 *raw, struct qp_ctx *ctx)
{
	u64 w[QPC_BYTES / 8];

	for (u32 i = 0; i < ARRAY_SIZE(w); i++) {
		w[i] = get64(raw + 8 * i);
		if (w[i] & ~allowed[i])
			return refuse(r, QPC_RESERVED, CMD_FIELD, "w%u is 0x%llx", 8 * i,
				      (unsigned long long)w[i]);
	}
	*ctx = (struct qp_ctx) {};
	decode_network(w, ctx);
	decode_transport(w, ctx);
	decode_queues(w, ctx);
	decode_rights(w, ctx);
	return check(r, w, ctx);
}
