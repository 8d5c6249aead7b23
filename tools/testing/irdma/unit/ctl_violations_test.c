// SPDX-License-Identifier: GPL-2.0
/*
 * Every kind of violation of the control side: one function per row of the table does
 * what the row forbids. It must be counted under its kind, once, with a trace line, with
 * the row's result; and nothing else may be counted. A queue pair that has no part in it
 * goes on. A row without a function does not compile.
 */
#include "ctl_fake.h"

#define NO_OBJECT	0xF0000001u
#define CONTEXT		0xF0010001u
#define FIELD_ERR	0xFFFF8001u
#define STATE_ERR	0xFFFF8002u
#define OTHER_QP	21u

/* The provocation begins or ends with a function that has no queue pair. */
static bool no_other;

static void restart(void)
{
	teardown(NULL);
	power_on();
	no_other = true;
}

/* The command is refused with @result and changes nothing that a repetition would miss. */
static void refused(u8 op, struct wqe w, u32 result)
{
	assert_int_equal(cmd(op, w), result);
}

static struct wqe with(struct wqe w, u32 word, u64 val)
{
	w.w[word] = val;
	return w;
}

static struct wqe plus(struct wqe w, u32 word, u64 bits)
{
	w.w[word] ^= bits;
	return w;
}

/* Virtual channel. */

static void provoke_VCHNL_LENGTH(void)
{
	u8 req[32] = { 13 }, resp[RDMA_VCHNL_MAX];

	put16(req + 4, 17);
	assert_int_equal(rdma_vchnl(g.r, req, 16, resp), 16 + 7);
	assert_true((int16_t)get16(resp + 10) < 0);
}

static void provoke_VCHNL_OP(void)
{
	assert_true(vchnl(12, 0, NULL, 0, NULL, NULL) < 0);
}

static void provoke_VCHNL_FIELD(void)
{
	u8 iwarp[2] = { 1 };
	u32 len;

	/* The refusal has the full length: drivers look at that first. */
	assert_true(vchnl(1, 2, iwarp, 2, NULL, &len) < 0);
	assert_int_equal(len, 18);
}

static void provoke_VCHNL_ORDER(void)
{
	restart();
	assert_true(vchnl(13, 0, NULL, 0, NULL, NULL) < 0);
}

static void provoke_VCHNL_VECTOR(void)
{
	assert_true(map_vector(16, 0, 0xFFFF) < 0);
}

/* Registers and doorbells. */

static void provoke_CQP_TAIL_WRITE(void)
{
	wr(CQPTAIL, 0);
}

static void provoke_DOORBELL_NO_QP(void)
{
	wr(DBPAGE, QP_A + 1);
	assert_int_equal(g.told.doorbells, 0);
}

static void provoke_DOORBELL_NO_CQ(void)
{
	wr(DBPAGE + 64, 60);
}

static void provoke_CQ_ACK(void)
{
	wr(CQACK, CQ_A);
}

static void provoke_AEQ_ACK(void)
{
	wr(AEQALLOC, 1);
}

static void provoke_PUSH_PAGE(void)
{
	u8 wqe[32] = {};

	nic_bar_write(g.nic, 0, DBPAGE + 0x10000, wqe, sizeof(wqe));
}

/* Control QP. */

static void provoke_CQP_NO_FUNCTION(void)
{
	restart();
	fill_cqpc();
	wr(CCQPHIGH, 0);
	wr(CCQPLOW, (u32)CQPC_AT);
	assert_int_equal(rd(CCQPSTATUS), 1u << 31);
	assert_int_not_equal(rd(CQPERR), 0);
}

static void provoke_CQP_CONTEXT(void)
{
	restart();
	take_function();
	fill_cqpc();
	st64(CQPC_AT, 2 << 3 | 11 << 8);	/* depth 4096 */
	wr(CCQPHIGH, 0);
	wr(CCQPLOW, (u32)CQPC_AT);
	assert_int_equal(rd(CCQPSTATUS), 1u << 31);
	assert_int_equal(rd(CQPERR), CONTEXT);
}

static void provoke_CQP_EXISTS(void)
{
	wr(CCQPLOW, (u32)CQPC_AT);
	assert_int_equal(rd(CCQPSTATUS), 1);
}

static void provoke_CQP_OBJECTS_LEFT(void)
{
	wr(CCQPHIGH, 0);
	wr(CCQPLOW, 0);
	assert_int_equal(rd(CCQPSTATUS), 0);
	assert_int_equal(g.told.qps, 0);
	no_other = true;
}

static void provoke_CQP_DOORBELL(void)
{
	wr(CQPDB, DEPTH);
}

/* Commands that never run fill the ring; one more doorbell goes past the tail. */
static void provoke_CQP_OVERRUN(void)
{
	add_fault("cqp-command,delay=3600s");
	for (u32 i = 0; i < DEPTH; i++) {
		write_wqe(&(struct wqe) {}, 0x24);
		wr(CQPDB, g.head);
	}
}

static void provoke_CQP_POLARITY(void)
{
	u32 tail = rd(CQPTAIL);

	st64(SQ_AT + g.head * 64ull + 24, 0x24ull << 32 | (u64)!g.polarity << 63);
	wr(CQPDB, g.head + 1);
	assert_int_equal(rd(CQPTAIL), tail);
}

static void provoke_CQP_OPCODE(void)
{
	refused(0x2C, (struct wqe) {}, FIELD_ERR);	/* scheduler node: generation 2 */
}

static void provoke_CQP_RESERVED(void)
{
	refused(0x24, (struct wqe) { { [7] = 1 } }, FIELD_ERR);
}

/* Host memory cache. */

static void provoke_HMC_FUNCTION(void)
{
	refused(0x20, (struct wqe) { { [2] = FN + 1, [4] = FPM_AT } }, FIELD_ERR);
}

static void provoke_FPM_BUFFER(void)
{
	refused(0x20, (struct wqe) { { [2] = FN, [4] = FPM_AT + 2 } }, FIELD_ERR);
}

static void provoke_HMC_COMMIT(void)
{
	restart();
	take_function();
	create_cqp();
	refused(0x21, with(w_commit(), 3, 200), FIELD_ERR);
}

static void provoke_HMC_SEGMENT(void)
{
	refused(0x1F, plus(w_segment(48, MR_SD), 0, 1ull << 31), FIELD_ERR);
}

static void provoke_HMC_ORDER(void)
{
	refused(0x2B, (struct wqe) { { [2] = FN } }, STATE_ERR);
}

static void provoke_HMC_NOT_READY(void)
{
	restart();
	take_function();
	create_cqp();
	must(0x21, w_commit());
	refused(0x03, w_create_ccq(), STATE_ERR);
}

static void provoke_HMC_NO_BACKING(void)
{
	must(0x1F, with(w_segment(48, 0), 1, 512 << 2 | 2));
	refused(0x0A, w_reg(MR_INDEX + 1, 1), CONTEXT);
}

static struct wqe w_reg_list(u32 pble)
{
	struct wqe w = w_reg(MR_INDEX + 1, 1);

	w.w[3] |= 1ull << 44;
	w.w[4] = 0;
	w.w[6] = pble;
	return w;
}

static void provoke_PBLE_RANGE(void)
{
	refused(0x0A, w_reg_list(PBLES), CONTEXT);
}

static void provoke_PBLE_ADDRESS(void)
{
	st64(PBLE_SD, DATA_AT + 8);
	refused(0x0A, w_reg_list(0), CONTEXT);
}

/* Queues. */

static void provoke_RING_PLACE(void)
{
	refused(0x03, w_create_cq(5, RING_AT(18) + 64, CQ_ENTRIES), FIELD_ERR);
}

static void provoke_RING_DIRTY(void)
{
	st64(RING_AT(18) + 3 * 64 + 24, 1ull << 63);
	refused(0x03, w_create_cq(5, RING_AT(18), CQ_ENTRIES), CONTEXT);
}

static void provoke_RING_BOUNDS(void)
{
	struct rdma_ring ring = { .base = RING_AT(18), .quanta = 16, .stride = 1, .polarity = 1 };
	u8 wqe[64];

	assert_false(rdma_ring_read(g.r, &ring, 15, wqe, sizeof(wqe)));
}

static void provoke_SHADOW(void)
{
	st64(CQ_SHADOWS + 5 * 64 + 32, 1);
	refused(0x03, w_create_cq(5, RING_AT(18), CQ_ENTRIES), CONTEXT);
}

static void provoke_EVENT_ORDER(void)
{
	restart();
	take_function();
	create_cqp();
	size_hmc();
	refused(0x16, w_ceq(0, CEQ_AT), STATE_ERR);
}

static void provoke_CEQ_ID(void)
{
	refused(0x16, w_ceq(64, CEQ_AT + 0x800), NO_OBJECT);
}

static void provoke_CEQ_SIZE(void)
{
	refused(0x16, with(w_ceq(2, CEQ_AT + 0x800), 2, 0), FIELD_ERR);
}

static void provoke_CEQ_BUSY(void)
{
	refused(0x18, with(w_ceq(0, 0), 4, 0), STATE_ERR);
}

static void provoke_AEQ_EXISTS(void)
{
	refused(0x19, w_aeq(AEQ_AT), STATE_ERR);
}

static void provoke_AEQ_SIZE(void)
{
	refused(0x1B, with(w_aeq(0), 2, AEQ_SIZE + 1), FIELD_ERR);
}

static void provoke_AEQ_PBL(void)
{
	must(0x1B, w_aeq(0));
	refused(0x19, with(w_aeq(0), 3, 1ull << 47 | 1ull << 44), FIELD_ERR);
}

static void provoke_CQ_ID(void)
{
	refused(0x03, w_create_cq(1, RING_AT(18), CQ_ENTRIES), NO_OBJECT);
}

static void provoke_CQ_SIZE(void)
{
	refused(0x03, with(w_create_cq(5, RING_AT(18), (1 << 20) + 1), 2, 0), FIELD_ERR);
}

static void provoke_CQ_CONTROL(void)
{
	restart();
	take_function();
	create_cqp();
	size_hmc();
	refused(0x03, plus(w_create_ccq(), 3, 1ull << 48), FIELD_ERR);
}

static struct wqe w_resize(u32 id, u64 ring, u32 entries)
{
	return (struct wqe) { { [0] = entries, [1] = id, [3] = id | 1ull << 43 | 1ull << 48 |
				1ull << 61, [4] = ring, [5] = CQ_SHADOWS + id * 64 } };
}

static void provoke_CQ_RESIZE(void)
{
	refused(0x04, plus(w_resize(CQ_A, RING_AT(18), 32), 3, 1ull << 43), FIELD_ERR);
}

static void provoke_CQ_CHANGED(void)
{
	must(0x03, w_create_cq(5, RING_AT(18), CQ_ENTRIES));
	refused(0x05, with(w_destroy_cq(5), 1, 6), FIELD_ERR);
	must(0x05, w_destroy_cq(5));
}

/* Nothing was resized; the arm counts all the same. */
static void provoke_CQ_ARM(void)
{
	const struct cqe cqe = { .qp = QP_A, .sq = true };

	st64(CQ_SHADOWS + CQ_A * 64 + 32, 1);
	arm(CQ_SHADOWS + CQ_A * 64, CQ_A, true);
	rdma_cq_post(rdma_cq_get(g.r, CQ_A), &cqe);
	assert_int_not_equal(ceq_poll(0), 0);
}

static void overflow(u32 id)
{
	const struct cqe cqe = { .qp = QP_A, .sq = true };

	for (u32 i = 0; i < CQ_ENTRIES; i++)
		rdma_cq_post(rdma_cq_get(g.r, id), &cqe);
}

static void provoke_CQ_STATE(void)
{
	overflow(CQ_A);
	refused(0x04, w_resize(CQ_A, RING_AT(18), 32), STATE_ERR);
}

static void provoke_CQ_BUSY(void)
{
	refused(0x05, w_destroy_cq(CQ_A), STATE_ERR);
}

static void provoke_CQ_SHADOW_INDEX(void)
{
	const struct cqe cqe = { .qp = QP_A, .sq = true };

	st64(CQ_SHADOWS + CQ_A * 64, CQ_ENTRIES);
	rdma_cq_post(rdma_cq_get(g.r, CQ_A), &cqe);
	assert_int_equal(ld64(RING_AT(16) + 24) >> 63, 1);
}

static void provoke_SRQ_ID(void)
{
	refused(0x06, w_srq(8), NO_OBJECT);
}

static void provoke_SRQ_SIZE(void)
{
	refused(0x06, with(w_srq(3), 0, 0 | 3 << 4), FIELD_ERR);
}

static void provoke_SRQ_LIMIT(void)
{
	refused(0x06, plus(w_srq(3), 0, 5ull << 32), FIELD_ERR);
}

static void provoke_SRQ_CHANGED(void)
{
	refused(0x07, with(w_srq(SRQ_A), 4, RING_AT(9)), FIELD_ERR);
}

static void create_srq_qp(void)
{
	fill_qpc(5);
	st64(QPC_AT(5), 1 << 3 | 1 << 8 | 1 << 10);
	st64(QPC_AT(5) + 200, SRQ_A);
	must(0x00, w_qp(5, QPS_IDLE));
}

static void provoke_SRQ_BUSY(void)
{
	create_srq_qp();
	refused(0x08, (struct wqe) { { [1] = 0xABCD00, [3] = SRQ_A } }, STATE_ERR);
}

static void provoke_SRQ_SHADOW(void)
{
	u8 wqe[256];
	u32 idx;

	create_srq_qp();
	st64(SRQ_SHADOW, 32);
	assert_int_equal(rdma_rq_peek(rdma_qp_get(g.r, 5), wqe, &idx), -1);
}

static void provoke_SRQ_POLARITY(void)
{
	u8 wqe[256];
	u32 idx;

	create_srq_qp();
	st64(SRQ_SHADOW, 1);
	assert_int_equal(rdma_rq_peek(rdma_qp_get(g.r, 5), wqe, &idx), -1);
}

/* Queue pairs. */

static struct wqe new_qp(void)
{
	fill_qpc(5);
	return w_qp(5, QPS_IDLE);
}

static void provoke_QP_ID(void)
{
	refused(0x00, with(new_qp(), 3, w_qp(QPS, QPS_IDLE).w[3]), NO_OBJECT);
}

static void provoke_QP_TYPE(void)
{
	refused(0x00, plus(new_qp(), 3, 2ull << 48), FIELD_ERR);	/* iWARP */
}

static void provoke_QP_STATE(void)
{
	refused(0x01, w_modify(QP_A, QPS_RTS), STATE_ERR);
}

static void provoke_QP_FLAGS(void)
{
	refused(0x00, plus(new_qp(), 3, 1ull << 47), FIELD_ERR);
}

static void provoke_QP_ADDRESS(void)
{
	refused(0x00, plus(new_qp(), 2, 0x80), FIELD_ERR);
}

static void provoke_QP_CQ(void)
{
	struct wqe w = new_qp();

	st64(QPC_AT(5) + 136, CQ_A | 9ull << 32);
	refused(0x00, w, NO_OBJECT);
}

static void provoke_QP_SRQ(void)
{
	struct wqe w = new_qp();

	st64(QPC_AT(5), 1 << 3 | 1 << 8 | 1 << 10);
	st64(QPC_AT(5) + 200, SRQ_A + 1);
	refused(0x00, w, NO_OBJECT);
}

static void provoke_QP_ARP(void)
{
	climb(QP_A, QPS_IDLE);
	st64(QPC_AT(QP_A) + 48, 1024ull << 16 | 2ull << 48);
	refused(0x01, w_modify(QP_A, QPS_RTR), NO_OBJECT);
}

static void provoke_QP_CHANGED(void)
{
	refused(0x01, plus(w_modify(QP_A, QPS_IDLE), 5, 0x40), FIELD_ERR);
}

static void provoke_QP_LIVE(void)
{
	climb(QP_A, QPS_RTS);
	refused(0x02, w_destroy_qp(QP_A), STATE_ERR);
	assert_non_null(rdma_qp_get(g.r, QP_A));
}

static void provoke_QP_SUSPEND(void)
{
	refused(0x29, (struct wqe) { { [3] = QP_A } }, STATE_ERR);
}

static void provoke_QPC_RESERVED(void)
{
	struct wqe w = new_qp();

	st64(QPC_AT(5) + 72, 1);
	refused(0x00, w, FIELD_ERR);
}

static void provoke_QPC_SIZE(void)
{
	struct wqe w = new_qp();

	st64(QPC_AT(5) + 24, 64 | 4 << 8 | 14 << 12);
	refused(0x00, w, FIELD_ERR);
}

static void provoke_QPC_READS(void)
{
	struct wqe w = new_qp();

	st64(QPC_AT(5) + 160, 65);
	refused(0x00, w, FIELD_ERR);
}

static void provoke_QPC_MTU(void)
{
	struct wqe w = new_qp();

	st64(QPC_AT(5) + 48, 1500ull << 16);
	refused(0x00, w, FIELD_ERR);
}

static void provoke_QPC_PD(void)
{
	st64(QPC_AT(QP_A) + 208, 1 << 18);
	refused(0x01, w_modify(QP_A, QPS_IDLE), FIELD_ERR);
}

static void provoke_FLUSH_NOTHING(void)
{
	climb(QP_A, QPS_ERROR);
	refused(0x22, (struct wqe) { { [3] = QP_A } }, FIELD_ERR);
}

static void provoke_FLUSH_STATE(void)
{
	refused(0x22, (struct wqe) { { [3] = QP_A | 3ull << 61 } }, STATE_ERR);
}

/* STags. */

static void provoke_STAG_INDEX(void)
{
	refused(0x0A, w_reg(0xABC000, 1), NO_OBJECT);
}

static void provoke_STAG_IN_USE(void)
{
	refused(0x0A, w_reg(MR_INDEX ^ 0x700000, 1), STATE_ERR);
}

static void provoke_STAG_PD(void)
{
	refused(0x0D, plus(w_dealloc(MR_INDEX, true), 1, 1ull << 50), FIELD_ERR);
}

static void provoke_STAG_KIND(void)
{
	refused(0x0D, w_dealloc(MR_INDEX, false), FIELD_ERR);
}

static void provoke_STAG_LENGTH(void)
{
	refused(0x0A, with(w_reg(MR_INDEX + 1, 1), 1, (u64)PD << 46), FIELD_ERR);
}

static void provoke_STAG_RIGHTS(void)
{
	refused(0x0A, plus(w_reg(MR_INDEX + 1, 1), 3, 1ull << 53), FIELD_ERR);
}

static void provoke_STAG_PAGES(void)
{
	refused(0x0A, plus(w_reg(MR_INDEX + 1, 1), 3, 3ull << 46), FIELD_ERR);
}

static void provoke_STAG_PARENT(void)
{
	struct wqe w = w_reg(MR_INDEX + 1, 1);

	w.w[1] = (u64)PD << 46;
	w.w[3] &= ~(1ull << 43);
	w.w[2] |= (u64)(MR_INDEX + 2) << 32;
	w.w[4] = 0;
	refused(0x0C, w, NO_OBJECT);
}

static void provoke_STAG_BOUND(void)
{
	const struct mw_bind bind = {
		.mw_stag = (MR_INDEX + 1) << 8, .mr_stag = MR_STAG, .va = MR_VA, .len = 16,
		.access = ACC_REMOTE_READ, .va_based = true,
	};

	must(0x09, (struct wqe) { { [1] = (u64)PD << 46, [2] = (MR_INDEX + 1ull) << 8 } });
	assert_int_equal(rdma_mw_bind(g.r, &bind, PD, QP_A, true), 0);
	refused(0x0D, w_dealloc(MR_INDEX, true), STATE_ERR);
}

/* Addresses, groups, the rest. */

static void provoke_ARP_ENTRY(void)
{
	refused(0x0F, w_arp(64, 1), NO_OBJECT);
}

static void provoke_ARP_STATE(void)
{
	refused(0x0F, w_arp(1, 1), STATE_ERR);
}

static void provoke_AH_ID(void)
{
	refused(0x1C, w_ah(32), NO_OBJECT);
	assert_int_equal(g.last_ret, 1);
}

static void provoke_AH_ARP(void)
{
	refused(0x1C, plus(w_ah(2), 2, 3ull << 48), NO_OBJECT);
	assert_int_equal(g.last_ret, 1);
}

static void provoke_AH_CHANGED(void)
{
	refused(0x1E, plus(w_ah(1), 4, 1), FIELD_ERR);
	must(0x1E, w_ah(1));
}

/* 224.1.1.1 with one UD member, QP 5. */
static struct wqe w_group(u32 id)
{
	fill_qpc(5);
	if (!rdma_qp_get(g.r, 5))
		must(0x00, plus(w_qp(5, QPS_IDLE), 3, 7ull << 48));
	st64(SPARE, 5 | 1ull << 31);
	return (struct wqe) { { [0] = 0x01005E010101, [1] = FN, [3] = id | 1ull << 60,
				[4] = SPARE, [6] = 0xE0010101 } };
}

static void provoke_MCG_ID(void)
{
	refused(0x26, w_group(4096), NO_OBJECT);
}

static void provoke_MCG_ADDRESS(void)
{
	refused(0x26, plus(w_group(1), 0, 1), FIELD_ERR);
}

static void provoke_MCG_MEMBER(void)
{
	struct wqe w = w_group(1);

	st64(SPARE, QP_A | 1ull << 31);		/* an RC QP */
	refused(0x26, w, FIELD_ERR);
}

static void provoke_FEATURE_BUFFER(void)
{
	refused(0x12, (struct wqe) { { [3] = 272, [4] = SPARE + 8 } }, FIELD_ERR);
}

static void provoke_STATS_INSTANCE(void)
{
	refused(0x2E, (struct wqe) { { [3] = 5 | 1ull << 61, [4] = SPARE } }, NO_OBJECT);
}

static void provoke_UP_MAP(void)
{
	refused(0x2F, (struct wqe) { { [0] = 8 } }, FIELD_ERR);
}

/* Further parts of rules that have several. */

static void dirty_control_ring(void)
{
	restart();
	take_function();
	fill_cqpc();
	st64(SQ_AT + 5 * 64 + 24, 1ull << 63);
	wr(CCQPHIGH, 0);
	wr(CCQPLOW, (u32)CQPC_AT);
	assert_int_equal(rd(CQPERR), CONTEXT);
}

static void dirty_send_ring(void)
{
	st64(RING_AT(5) + 63 * 32 + 24, 1ull << 63);
	refused(0x00, new_qp(), CONTEXT);
}

static void dirty_receive_ring(void)
{
	st64(RING_AT(5) + 0x1000 + 2 * 32 + 24, 1ull << 63);
	refused(0x00, new_qp(), CONTEXT);
}

static void dirty_shared_ring(void)
{
	st64(RING_AT(8) + 2 * 32 + 24, 1ull << 63);
	refused(0x06, w_srq(3), CONTEXT);
}

static void reserved_word_of_the_commit(void)
{
	struct wqe w;

	restart();
	take_function();
	create_cqp();
	w = w_commit();
	st64(FPM_AT + 120, 1);
	refused(0x21, w, FIELD_ERR);
}

static void srq_destroyed_with_another_context(void)
{
	refused(0x08, (struct wqe) { { [1] = 0xABCD40, [3] = SRQ_A } }, FIELD_ERR);
	must(0x08, (struct wqe) { { [1] = 0xABCD00, [3] = SRQ_A } });
}

static void queue_pair_of_iwarp(void)
{
	fill_qpc(2);
	refused(0x00, w_qp(2, QPS_IDLE), NO_OBJECT);
}

static void key_in_an_allocation(void)
{
	refused(0x09, (struct wqe) { { [1] = (u64)PD << 46, [2] = (MR_INDEX + 1ull) << 8 | 1 } },
		FIELD_ERR);
}

static void bits_behind_the_arm(void)
{
	st64(CQ_SHADOWS + CQ_A * 64 + 32, 1ull << 18);
	arm(CQ_SHADOWS + CQ_A * 64, CQ_A, true);
}

/* The runner. */

struct kind {
	enum violation v;
	void (*provoke)(void);
};

static bool traced(const char *name)
{
	FILE *f = fopen(g.trace_path, "r");
	char line[512], want[64];
	bool found = false;

	snprintf(want, sizeof(want), "VIOLATION %s:", name);
	while (f && fgets(line, sizeof(line), f))
		found |= strstr(line, want) != NULL;
	if (f)
		fclose(f);
	return found;
}

/* One doorbell more reaches the data side. */
static void other_is_served(u32 doorbells)
{
	wr(DBPAGE, OTHER_QP);
	assert_int_equal(g.told.doorbells, doorbells + 1);
}

static void test_kind(void **state)
{
	const struct kind *kind = *state;

	setup_all(NULL);
	fill_qpc(OTHER_QP);
	must(0x00, w_qp(OTHER_QP, QPS_IDLE));
	climb(OTHER_QP, QPS_RTS);
	other_is_served(0);
	g.told.doorbells = 0;
	no_other = false;
	kind->provoke();
	if (!no_other)
		other_is_served(g.told.doorbells);
	assert_int_equal(violation_count(g.nic, kind->v), 1);
	assert_int_equal(violation_total(g.nic), 1);
	assert_true(traced(violation_names[kind->v]));
}

static struct CMUnitTest test_of(const char *name, struct kind *kind)
{
	return (struct CMUnitTest) {
		.name = name, .test_func = test_kind, .teardown_func = teardown,
		.initial_state = kind,
	};
}

int main(void)
{
#define VIOLATION(sym, text, rule) { V_##sym, provoke_##sym },
	static struct kind kinds[] = {
#include "ctl/violations.def"
	};
#undef VIOLATION
#define PART(sym, how) { { V_##sym, how }, #how }
	static struct {
		struct kind kind;
		const char *name;
	} parts[] = {
		PART(RING_DIRTY, dirty_control_ring), PART(RING_DIRTY, dirty_send_ring),
		PART(RING_DIRTY, dirty_receive_ring), PART(RING_DIRTY, dirty_shared_ring),
		PART(HMC_COMMIT, reserved_word_of_the_commit),
		PART(SRQ_CHANGED, srq_destroyed_with_another_context),
		PART(QP_ID, queue_pair_of_iwarp), PART(CQP_RESERVED, key_in_an_allocation),
		PART(CQ_ARM, bits_behind_the_arm),
	};
	struct CMUnitTest tests[ARRAY_SIZE(kinds) + ARRAY_SIZE(parts)];
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		tests[count++] = test_of(violation_names[kinds[i].v], &kinds[i]);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		tests[count++] = test_of(parts[i].name, &parts[i].kind);
	return _cmocka_run_group_tests("violations", tests, ARRAY_SIZE(tests), NULL, NULL);
}
