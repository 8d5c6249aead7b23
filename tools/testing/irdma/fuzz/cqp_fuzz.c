// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target: a driver whose control commands, contexts and page lists are wrong. The
 * function is brought up with one object of each kind; then each record takes a good
 * command and changes one word of it, or changes guest memory, or rings something.
 *
 * Input: records of 12 bytes {operation, which, word, shift, u64 value}.
 */
#include <stdlib.h>
#include <string.h>

#include "ctl/objects.h"
#include "ctl/rdma.h"
#include "loop.h"
#include "nic.h"
#include "trace.h"
#include "transport/dma.h"
#include "wire/wire.h"

#define RECORD		12u
#define RECORDS_MAX	48u
#define BASE		0x100000ull
#define MEMORY		0x20000u
#define DEPTH		64u
#define REGION		0xBC00000u

/* Where things are in memory. */
enum {
	SQ = 0x0000, CQPC = 0x1000, FPM = 0x1200, CCQ = 0x2000, CCQ_SHADOW = 0x3200, CEQ = 0x3400,
	AEQ = 0x3800, SHADOWS = 0x3C00, QPC = 0x4000, QP_SHADOW = 0x5000, SRQ_SHADOW = 0x5800,
	QP_SQ = 0x6000, QP_RQ = 0x6800, CQ_A = 0x7000, CQ_B = 0x7400, SRQ = 0x7800,
	MR_PDS = 0x8000, MR_PAGE = 0x9000, PBLE_PDS = 0xA000, PBLES = 0xB000, DATA = 0xC000,
};

enum { OP_COMMAND, OP_STORE, OP_REGISTER, OP_VCHNL, OP_STEP, OP_POST, OP_FLIP_QPC, OP_CHECK,
       OPERATIONS };

struct command {
	u8 op;
	u64 w[8];
};

#define A(at)	(BASE + (at))
#define PDN	7ull
/* Brought up in this order; the first four size the memory cache. */
static const struct command good[] = {
	{ 0x21, { [2] = 3, [3] = 208, [4] = A(FPM) } },
	{ 0x1F, { [0] = 1 | 1 << 15 | 1ull << 31, [1] = A(MR_PDS) | 512 << 2 | 1, [2] = 3 } },
	{ 0x1F, { [0] = 3 | 1 << 15 | 1ull << 31, [1] = A(PBLE_PDS) | 512 << 2 | 1, [2] = 3 } },
	{ 0x2B, { [2] = 3 } },
	{ 0x03, { [0] = 130, [3] = 1ull << 46 | 1ull << 49, [4] = A(CCQ), [5] = A(CCQ_SHADOW) } },
	{ 0x16, { [2] = 16, [4] = A(CEQ) } },
	{ 0x19, { [2] = 16, [4] = A(AEQ) } },
	{ 0x0F, { [2] = 0x525400000002, [3] = 1 | 1ull << 42 } },
	{ 0x03, { [0] = 16, [1] = 3, [3] = 3 | 5ull << 46 | 1ull << 49 | 1ull << 61, [4] = A(CQ_A),
		  [5] = A(SHADOWS + 0) } },
	{ 0x03, { [0] = 16, [1] = 4, [3] = 4 | 5ull << 46 | 1ull << 49 | 1ull << 61, [4] = A(CQ_B),
		  [5] = A(SHADOWS + 64) } },
	{ 0x06, { [0] = 3 | 1 << 4, [1] = 0x40, [2] = PDN << 16, [3] = 2, [4] = A(SRQ),
		  [5] = A(SRQ_SHADOW) } },
	{ 0x00, { [2] = A(QPC), [3] = 4 | 1ull << 47 | 3ull << 48 | 1ull << 51 | 1ull << 60,
		  [5] = A(QP_SHADOW) } },
	{ 0x0A, { [0] = 0x7000, [1] = 0x1000 | PDN << 46, [2] = 5 << 8 | 1, [3] = 1ull << 43 |
		  0x1Full << 48 | 1ull << 53 | 1ull << 59, [4] = A(DATA) } },
	{ 0x1C, { [1] = PDN << 48, [2] = 1ull << 48, [3] = 1 | 1ull << 59, [4] = 0xC0A86402 } },
	/* Not part of the bring-up. */
	{ 0x01, { [2] = A(QPC), [3] = 4 | 1ull << 47 | 3ull << 48 | 1ull << 59 | 1ull << 60,
		  [5] = A(QP_SHADOW) } },
	{ 0x01, { [2] = A(QPC), [3] = 4 | 1ull << 47 | 3ull << 48 | 1ull << 59 | 4ull << 60,
		  [5] = A(QP_SHADOW) } },
	{ 0x01, { [2] = A(QPC), [3] = 4 | 1ull << 47 | 3ull << 48 | 1ull << 59 | 2ull << 60,
		  [5] = A(QP_SHADOW) } },
	{ 0x01, { [2] = A(QPC), [3] = 4 | 1ull << 47 | 3ull << 48 | 6ull << 60,
		  [5] = A(QP_SHADOW) } },
	{ 0x02, { [2] = A(QPC), [3] = 4 | 3ull << 48, [5] = A(QP_SHADOW) } },
	{ 0x22, { [2] = 0x00010001, [3] = 4 | 7ull << 60 } },
	{ 0x04, { [0] = 32, [1] = 3, [3] = 3 | 1ull << 43 | 1ull << 48 | 1ull << 61,
		  [4] = A(DATA), [5] = A(SHADOWS) } },
	{ 0x05, { [1] = 3, [3] = 3 | 1ull << 61, [5] = A(SHADOWS) } },
	{ 0x07, { [0] = 3 | 1 << 4 | 3ull << 32, [1] = 2 << 6, [2] = PDN << 16,
		  [3] = 2 | 1ull << 61, [4] = A(SRQ), [5] = A(SRQ_SHADOW) } },
	{ 0x08, { [3] = 2 } },
	{ 0x09, { [1] = PDN << 46, [2] = 6 << 8 } },
	{ 0x09, { [1] = 0x1000 | PDN << 46, [2] = 7 << 8, [3] = 1ull << 43 } },
	{ 0x0A, { [0] = 0x7000, [1] = 0x2000 | PDN << 46, [2] = 8 << 8, [3] = 1ull << 43 |
		  1ull << 44 | 3ull << 48 | 1ull << 59 } },
	{ 0x0A, { [0] = 0x7000, [1] = 0x2000 | PDN << 46, [2] = 9 << 8, [3] = 1ull << 43 |
		  3ull << 44 | 3ull << 48 | 1ull << 59, [6] = 8 } },
	{ 0x0B, { [2] = 5 << 8 } }, { 0x0C, { [0] = 0x7000, [1] = PDN << 46,
		  [2] = 10 << 8 | 5ull << 32, [3] = 3ull << 48 | 1ull << 59 } },
	{ 0x0D, { [1] = PDN << 46, [2] = 5 << 8, [3] = 1ull << 43 } },
	{ 0x11, { [0] = 0 } }, { 0x12, { [3] = 272, [4] = A(DATA) } },
	{ 0x13, { [2] = A(DATA), [3] = 4 } }, { 0x1E, { [3] = 1 } }, { 0x20, { [2] = 3, [4] = A(FPM) } },
	{ 0x18, { [2] = 16 } }, { 0x1B, { [2] = 16 } }, { 0x24, { [0] = 0 } },
	{ 0x26, { [0] = 0x01005E010101, [1] = 3, [3] = 1 | 1ull << 60, [4] = A(DATA),
		  [6] = 0xE0010101 } },
	{ 0x28, { [3] = 1 } }, { 0x29, { [3] = 4 } }, { 0x2A, { [3] = 4 } },
	{ 0x2D, { [3] = 1ull << 62 } }, { 0x2E, { [4] = A(DATA) } }, { 0x2F, { [0] = 0 } },
};
#define BRING_UP 14u

static struct nic *nic;
static struct loop *loop;
static u8 memory[MEMORY] __attribute__((aligned(4096)));
static u32 head;
static u8 polarity;

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void wr(u32 offset, u32 val)
{
	nic_bar_write(nic, 0, offset, &val, 4);
}

static void command(const struct command *c, u32 word, u64 change)
{
	if (!head)
		polarity ^= 1;
	for (u32 i = 0; i < 8; i++) {
		u64 val = c->w[i] ^ (i == word ? change : 0);

		if (i == 3)
			val = (val & ~(1ull << 63)) | (u64)c->op << 32 | (u64)polarity << 63;
		put64(memory + SQ + 64 * head + 8 * i, val);
	}
	head = (head + 1) % DEPTH;
	wr(REGION + 4, head);
}

static void message(u16 op, u16 version, const u8 *in, u32 len)
{
	u8 req[64] = {}, resp[RDMA_VCHNL_MAX];

	put16(req, op);
	put16(req + 2, version);
	put16(req + 4, (u16)(16 + len));
	memcpy(req + 16, in, len);
	rdma_vchnl(nic->rdma, req, 16 + len, resp);
}

static void fill_memory(void)
{
	static const u16 counts[][2] = {
		{ 0, 16 }, { 8, 16 }, { 16, 4 }, { 32, 16 }, { 48, 16 }, { 104, 8 },
	};
	static const u64 qpc[][2] = {
		{ 0, 1 << 3 | 1 << 8 }, { 8, A(QP_SQ) }, { 16, A(QP_RQ) },
		{ 24, 64 | 4 << 8 | 4 << 12 | 0xC000ull << 32 | 4791ull << 48 },
		{ 32, 0xC0A86402 }, { 48, 1024ull << 16 | 1ull << 48 }, { 64, 4 },
		{ 136, 3 | 4ull << 32 }, { 160, 16 | 3ull << 14 | 7 << 18 | 1 << 21 | 1 << 23 },
		{ 168, 0x1240 }, { 184, 0xC0A86401 }, { 208, PDN },
	};

	memset(memory, 0, sizeof(memory));
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		put64(memory + FPM + counts[i][0], counts[i][1] | 1ull << 63);
	put64(memory + FPM + 112, 512);
	for (size_t i = 0; i < ARRAY_SIZE(qpc); i++)
		put64(memory + QPC + qpc[i][0], qpc[i][1]);
	put64(memory + MR_PDS, A(MR_PAGE) | 1);
	put64(memory + PBLE_PDS, A(PBLES) | 1);
	for (u32 i = 0; i < 4; i++)
		put64(memory + PBLES + 8 * i, A(DATA) + 0x1000 * i);
	put64(memory + CQPC, 2 << 3 | 5 << 8);
	put64(memory + CQPC + 8, A(SQ));
	put64(memory + CQPC + 32, 2 << 16);
}

static void bring_up(void)
{
	const u16 command_bits = 6;
	const u8 roce[2] = { 2 };

	nic_reset(nic, NIC_RESET_FUNCTION);
	nic_config_write(nic, 4, &command_bits, 2);
	fill_memory();
	message(0, 2, roce, 0);
	message(1, 2, roce, 2);
	head = 0;
	polarity = 0;
	wr(REGION + 12, 0);
	wr(REGION + 16, (u32)A(CQPC));
	for (u32 i = 0; i < BRING_UP; i++)
		command(&good[i], 0, 0);
}

static void init(void)
{
	const struct nic_config cfg = {
		.name = "a", .mac = { 2, 0, 0, 0, 0, 1 }, .queues = 2, .vectors = 8,
		.rdma_vectors = 4, .rdma = true, .shortcut = true, .inline_cmds = true,
	};

	loop = loop_new();
	nic = nic_new(&cfg, loop, wire_new(loop, 1), NULL);
	if (!nic || dma_map_mem(nic->dma, BASE, MEMORY, memory, DMA_PROT_READ | DMA_PROT_WRITE))
		abort();
	bring_up();
	/* The fuzzer would learn nothing behind a bring-up that fails. */
	if (violation_total(nic) || !rdma_qp_get(nic->rdma, 4) || !rdma_mr_get(nic->rdma, 5))
		abort();
}

/* What the data side does with an STag: the check, and a transfer if it passes. */
static void use_stag(u32 stag, u64 addr, u32 len)
{
	struct rdma_mr *mr;
	u8 buf[256];

	len %= sizeof(buf) + 1;
	if (!rdma_mr_check(nic->rdma, stag, PDN, 4, false, ACC_LOCAL_READ, addr, len, &mr))
		rdma_mr_read(mr, addr, buf, len);
	rdma_mr_invalidate(nic->rdma, stag ^ 0x100, PDN, 4, addr & 1);
}

static void record(const u8 *r)
{
	u64 val = get64(r + 4), change = val << (r[3] % 64);
	const struct cqe cqe = { .qp = 4, .sq = true };
	struct rdma_cq *cq;

	switch (r[0] % OPERATIONS) {
	case OP_COMMAND:
		command(&good[r[1] % ARRAY_SIZE(good)], r[2] % 8, change);
		break;
	case OP_STORE:
		put64(memory + get16(r + 1) * 8u % MEMORY, val);
		break;
	case OP_REGISTER:
		wr(REGION + r[1] % 11 * 4, (u32)val);
		break;
	case OP_VCHNL:
		message(r[1] % 20, r[2] % 3, r + 4, 8);
		break;
	case OP_STEP:
		loop_step(loop, 0);
		break;
	case OP_POST:
		cq = rdma_cq_get(nic->rdma, r[1] % 16);
		for (u32 i = 0; cq && cq->id && i < r[2] % 20; i++)
			rdma_cq_post(cq, &cqe);
		break;
	case OP_FLIP_QPC:
		put64(memory + QPC + r[1] % 32 * 8, get64(memory + QPC + r[1] % 32 * 8) ^ change);
		break;
	case OP_CHECK:
		use_stag((u32)r[1] << 8 | r[2], 0x7000 + (val & 0x3FFF), (u32)(val >> 32));
		break;
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	if (!nic)
		init();
	else
		bring_up();
	for (u32 i = 0; i < RECORDS_MAX && size >= RECORD; i++, data += RECORD, size -= RECORD)
		record(data);
	return 0;
}
