/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Words of the control plane, generation 3: registers, CQP WQEs, contexts, queue
 * entries. A field is the pair "high bit, low bit" for GETF(), PUTF() and MASKF();
 * its name carries the byte offset of its 64-bit word.
 */
#ifndef NIC_CTL_HW_H
#define NIC_CTL_HW_H

#include "../types.h"

#define GETF(word, ...)	FIELD(word, __VA_ARGS__)
#define PUTF(val, ...)	PUT(val, __VA_ARGS__)
#define MASKF(...)	MASK(__VA_ARGS__)

#define PAGE_BYTES	4096u
#define QUANTUM		32u
#define NO_VECTOR	(~0u)

/* The RDMA region of BAR 0 and what we put where in it. */
#define RDMA_REGION_PF		0x0BC00000u
#define RDMA_REGION_PF_LEN	0x401000u
#define RDMA_REGION_VF		0x8C00u
#define RDMA_REGION_VF_LEN	0x8400u
#define REG_CQPTAIL		0x00u
#define REG_CQPDB		0x04u
#define REG_CCQPSTATUS		0x08u
#define REG_CCQPHIGH		0x0Cu
#define REG_CCQPLOW		0x10u
#define REG_CQPERRCODES		0x14u
#define REG_WQEALLOC		0x18u
#define REG_CQARM		0x1Cu
#define REG_CQACK		0x20u
#define REG_AEQALLOC		0x24u
/* The last page of the region is the users' doorbell page. */
#define DBPAGE_WQEALLOC		0x00u
#define DBPAGE_CQARM		0x40u
#define PUSH_GAP		(4096u + 61440u)	/* doorbell page to push page 0 */
#define PUSH_PAGES_PF		8192u
#define PUSH_PAGES_VF		16u
#define DYN_CTL_PF		0x08900000u
#define DYN_CTL_VF		0x3800u

#define CQPTAIL_INDEX		10, 0
#define CQPTAIL_ERROR		BIT(31)
#define CCQPSTATUS_DONE		BIT(0)
#define CCQPSTATUS_ERROR	BIT(31)
#define PUSHDB_WQE_IDX		31, 20
#define PUSHDB_QPN		19, 0

/* Positions that the register layout message announces. */
#define FLD_STATUS_ERROR	31, 31
#define FLD_STATUS_DONE		0, 0
#define FLD_STAG_PD		63, 46
#define FLD_CQ_CEQ		31, 22
#define FLD_CQ_ID		21, 0
#define FLD_FPM_CQ_COUNT	19, 0
#define FLD_SD_HMC_FN		5, 0

/* CQP host context, 64 bytes. */
#define CQPC_W0_FINE_TIMERS	0, 0
#define CQPC_W0_DIS_PACKED	1, 1
#define CQPC_W0_RTO_POLICY	2, 2
#define CQPC_W0_PROTOCOL	4, 3
#define CQPC_W0_DEPTH		11, 8
#define CQPC_W0_VERSION		31, 24
#define CQPC_W0_CEQS_PER_VF	39, 32
#define CQPC_W16_PROFILE	2, 0
#define CQPC_W16_BLOCKS_VALID	4, 4
#define CQPC_W16_TS_OVERRIDE	5, 5
#define CQPC_W16_TS_SHIFT	12, 8
#define CQPC_W16_VFS		37, 32
#define CQPC_W16_BLOCKS		63, 48
#define CQPC_W32_MINOR		15, 0
#define CQPC_W32_MAJOR		31, 16
#define CQPC_W32_MIN_RATE	51, 48
#define CQPC_W32_MIN_DEC	59, 56
#define CQPC_W48_T		15, 0
#define CQPC_W48_HAI		47, 32
#define CQPC_W48_RAI		63, 48
#define CQPC_W56_B		24, 0
#define CQPC_W56_F		27, 25
#define CQPC_W56_CC_VALID	31, 31
#define CQPC_W56_RREDUCE	63, 32

/* CQP WQE, 64 bytes: fields that several commands share. */
#define CQP_W24_OPCODE		37, 32
#define CQP_W24_VALID		63, 63
#define CQP_W24_LENGTH		31, 0
#define CQP_W24_LEAF		45, 44
#define CQP_W24_PBL		47, 47
#define CQP_W24_TPH		60, 60
#define CQP_W48_PBLE		27, 0
#define CQP_W56_TPH		7, 0
#define CQP_W56_VSI		23, 8
#define CQP_W56_PASID		51, 32

/* Create, modify, destroy QP. */
#define QP_W8_MSS		45, 32
#define QP_W8_TERM_LEN		51, 48
#define QP_W24_ID		23, 0
#define QP_W24_ORD_VALID	42, 42
#define QP_W24_TCP_VALID	43, 43
#define QP_W24_CACHED_VALID	44, 44
#define QP_W24_PBL		45, 45
#define QP_W24_LOOPBACK		46, 46
#define QP_W24_CQ_VALID		47, 47
#define QP_W24_TYPE		50, 48
#define QP_W24_MAC_VALID	51, 51
#define QP_W24_MSS_CHANGE	52, 52
#define QP_W24_IGNORE_MW	54, 54
#define QP_W24_REMOVE_HASH	55, 55
#define QP_W24_TERM_ACTION	57, 56
#define QP_W24_TCP_RESET	58, 58
#define QP_W24_ARP_VALID	59, 59
#define QP_W24_STATE		62, 60

/* RoCE QP context, 256 bytes. */
#define QPC_BYTES		256u
#define QPC_W0_IPV4		3, 3
#define QPC_W0_VLAN		5, 5
#define QPC_W0_IS_QP1		6, 6
#define QPC_W0_RQ_WQE_SIZE	9, 8
#define QPC_W0_USE_SRQ		10, 10
#define QPC_W0_DCTCP		25, 25
#define QPC_W0_PUSH_PAGE	41, 32
#define QPC_W0_PUSH_EN		47, 47
#define QPC_W24_TTL		7, 0
#define QPC_W24_RQ_SIZE		11, 8
#define QPC_W24_SQ_SIZE		15, 12
#define QPC_W24_TOS		31, 24
#define QPC_W24_SPORT		47, 32
#define QPC_W24_DPORT		63, 48
#define QPC_W48_PMTU		29, 16
#define QPC_W48_VLAN		47, 32
#define QPC_W48_ARP		63, 48
#define QPC_W56_FLOW		19, 0
#define QPC_W56_ACK_CREDITS	24, 20
#define QPC_W56_PKEY		47, 32
#define QPC_W64_DEST_QPN	23, 0
#define QPC_W64_QKEY		63, 32
#define QPC_W80_PSN_NXT		23, 0
#define QPC_W88_EPSN		23, 0
#define QPC_W96_PSN_MAX		23, 0
#define QPC_W96_PSN_UNA		55, 32
#define QPC_W112_CWND		55, 32
#define QPC_W128_MIN_RNR	4, 0
#define QPC_W128_RETRY		53, 48
#define QPC_W128_RNR_RETRY	56, 54
#define QPC_W128_MIN_RTO	63, 57
#define QPC_W136_SCQ		24, 0
#define QPC_W136_RCQ		56, 32
#define QPC_W152_SMAC		63, 16
#define QPC_W152_ACK_TIMEOUT	12, 8
#define QPC_W160_ORD		10, 0
#define QPC_W160_IRD		17, 14
#define QPC_W160_ATOMICS	18, 18
#define QPC_W160_PRIV_CQ	19, 19
#define QPC_W160_WRITE		20, 20
#define QPC_W160_READ		21, 21
#define QPC_W160_DCQCN		22, 22
#define QPC_W160_BIND		23, 23
#define QPC_W160_FAST_REG	24, 24
#define QPC_W160_PRIV		25, 25
#define QPC_W160_NO_ICRC	31, 31
#define QPC_W176_QS_HANDLE	25, 16
#define QPC_W200_SRQ		15, 0
#define QPC_W208_PD		23, 0

/* Create, modify, destroy CQ. */
#define CQ_W0_SIZE		20, 0
#define CQ_W8_CONTEXT		62, 0
#define CQ_W16_THRESHOLD	17, 0
#define CQ_W24_RESIZE		43, 43
#define CQ_W24_CHECK_OVERFLOW	46, 46
#define CQ_W24_CEQE_MASK	48, 48
#define CQ_W24_CEQ_VALID	49, 49
#define CQ_W24_ID_HIGH		52, 50
#define CQ_W24_CEQ_HIGH		59, 54
#define CQ_W24_64BYTE		61, 61
#define CQ_SHADOW_INDEX		19, 0
#define CQ_ARM_SELECT		13, 0
#define CQ_ARM_NEXT		14, 14
#define CQ_ARM_SE		15, 15
#define CQ_ARM_SEQ		17, 16

/* SRQ commands. */
#define SRQ_W0_SIZE		3, 0
#define SRQ_W0_WQE_SIZE		5, 4
#define SRQ_W0_LIMIT		43, 32
#define SRQ_W8_CONTEXT		63, 6
#define SRQ_W16_PD		39, 16
#define SRQ_W32_RING		63, 8
#define SRQ_W40_SHADOW		63, 6
#define SRQ_W24_ID		15, 0
#define SRQ_W24_ARM		61, 61

/* CEQ and AEQ commands. */
#define CEQ_W16_COUNT		21, 0
#define CEQ_W24_ID		9, 0
#define CEQ_W24_ID_HIGH		15, 10
#define CEQ_W24_ITR_NO_EXPIRE	46, 46
#define EQ_W24_PASID_VALID	62, 62
#define AEQ_W16_COUNT		18, 0

/* STag commands. */
#define STAG_W8_LENGTH		45, 0
#define STAG_W16_KEY		7, 0
#define STAG_W16_INDEX		31, 8
#define STAG_W16_PARENT		55, 32
#define STAG_W16_PD_HIGH	59, 54
#define STAG_W24_TYPE1		42, 42
#define STAG_W24_REGION		43, 43
#define STAG_W24_PBL_MODE	45, 44
#define STAG_W24_PAGE_SIZE	47, 46
#define STAG_W24_RIGHTS		52, 48
#define STAG_W24_REMOTE		53, 53
#define STAG_W24_NO_KEY_CHECK	58, 58
#define STAG_W24_VA_BASED	59, 59
#define STAG_W24_USE_FN		60, 60
#define STAG_W24_ATOMICS	61, 61
#define CQP_W40_FN		15, 0

/* Address handles, multicast groups, ARP entries. */
#define AH_W0_SMAC		63, 16
#define AH_W8_VLAN		15, 0
#define AH_W8_TOS		39, 32
#define AH_W8_PD		63, 48
#define AH_W16_FLOW		19, 0
#define AH_W16_PD_HIGH		27, 20
#define AH_W16_TTL		39, 32
#define AH_W16_ARP		63, 48
#define AH_W24_ID		23, 0
#define AH_W24_IPV4		59, 59
#define AH_W24_VLAN		60, 60
#define AH_W24_LOOPBACK		62, 62
#define MCG_W0_MAC		47, 0
#define MCG_W8_FN		5, 0
#define MCG_W16_QS_HANDLE	9, 0
#define MCG_W16_VLAN		43, 32
#define MCG_W24_ID		12, 0
#define MCG_W24_VLAN_VALID	59, 59
#define MCG_W24_IPV4		60, 60
#define MCG_MEMBERS		8u
#define MCG_MEMBER_QP		17, 0
#define MCG_MEMBER_VALID	31, 31
#define ARP_W8_REACH_MAX	31, 0
#define ARP_W16_MAC		47, 0
#define ARP_W24_INDEX		11, 0
#define ARP_W24_ADD		42, 42
#define ARP_W24_PERMANENT	43, 43
#define ARP_W24_QUERY		44, 44

/* Push page, flush and generate AE, resume, statistics, user-priority map. */
#define PUSH_W16_QS_HANDLE	15, 0
#define PUSH_W24_INDEX		31, 0
#define PUSH_W24_FREE		62, 62
#define FLUSH_W8_AE_CODE	15, 0
#define FLUSH_W8_AE_SOURCE	19, 16
#define FLUSH_W16_RQ_CODE	31, 0
#define FLUSH_W16_SQ_CODE	63, 32
#define FLUSH_W40_SQ_INDEX	49, 32
#define FLUSH_W48_RQ_INDEX	46, 32
#define FLUSH_W24_SQ_INDEX_VALID 42, 42
#define FLUSH_W24_RQ_INDEX_VALID 43, 43
#define FLUSH_W24_GENERATE	59, 59
#define FLUSH_W24_USE_CODES	60, 60
#define FLUSH_W24_SQ		61, 61
#define FLUSH_W24_RQ		62, 62
#define RESUME_W16_QS_HANDLE	31, 0
#define STATS_W24_INSTANCE	6, 0
#define STATS_W24_USE_FN	60, 60
#define STATS_W24_USE_INSTANCE	61, 61
#define STATS_W24_ALLOC		62, 62
#define STATS_BYTES		1024u
#define UPMAP_W40_CNP		37, 32
#define UPMAP_W24_USE_CNP	61, 61
#define UPMAP_W24_USE_VLAN	62, 62
#define UPLOAD_W24_RAW		61, 61
#define UPLOAD_W24_FREEZE	62, 62

/* HMC commands. */
#define FPM_W16_FN		15, 0
#define FPM_W24_SCRATCH		38, 38
#define FPM_SCRATCHES		2u
#define FPM_QUERY_SCRATCH	184u	/* sizes */
#define FPM_COMMIT_SCRATCH	192u	/* addresses */
#define FPM_QUERY_BYTES		200u
#define FPM_COMMIT_BYTES	208u
#define FPM_LOCAL		BIT(63)
#define SD_W16_FN		5, 0
#define SD_W16_SIDE		63, 7
#define SD_W24_SIDE_COUNT	3, 0
#define SD_W24_SKIP_FIRST	7, 7
#define SD_CMD_INDEX		14, 0
#define SD_CMD_PE		15, 15
#define SD_CMD_WRITE		31, 31
#define SD_CMD_VALID		63, 63
#define SD_DATA_VALID		0, 0
#define SD_DATA_DIRECT		1, 1
#define SD_DATA_COUNT		11, 2
#define PD_VALID		0, 0
#define PD_PAGES		512u
#define SEGMENT_BYTES		(2u << 20)

/* CCQ entry w24, w16. */
#define CCQE_W16_RETURN		31, 0
#define CCQE_W16_ID		63, 32
#define CCQE_W24_MINOR		15, 0
#define CCQE_W24_MAJOR		31, 16
#define CCQE_W24_SLOT		46, 32
#define CCQE_W24_LATE		54, 54
#define CCQE_W24_ERROR		55, 55
#define CCQE_W24_SQ		62, 62
#define CCQE_W24_VALID		63, 63

/* Completion queue entry of a work queue. */
#define CQE_W0_LENGTH		31, 0
#define CQE_W0_TIMESTAMP	63, 32
#define CQE_W16_LOW		31, 0
#define CQE_W16_QP		55, 32
#define CQE_W24_MINOR		15, 0
#define CQE_W24_MAJOR		31, 16
#define CQE_W24_WQE_IDX		46, 32
#define CQE_W24_EXT		50, 50
#define CQE_W24_PUSH_DROPPED	51, 51
#define CQE_W24_SRQ		52, 52
#define CQE_W24_IPV4_OR_INV	53, 53
#define CQE_W24_SOLICITED	54, 54
#define CQE_W24_ERROR		55, 55
#define CQE_W24_OP		61, 56
#define CQE_W24_SQ		62, 62
#define CQE_W24_VALID		63, 63
#define CQE_W48_SMAC		47, 0
#define CQE_W48_VLAN		63, 48
#define CQE_W56_VLAN_VALID	60, 60
#define CQE_W56_SMAC_VALID	61, 61
#define CQE_W56_IMM_VALID	62, 62
#define CQE_W56_VALID		63, 63

/* Event queue entries. */
#define CEQE_CONTEXT		62, 0
#define CEQE_VALID		63, 63
#define AEQE_W0_TCP		3, 0
#define AEQE_W0_Q2		5, 4
#define AEQE_W0_CONTEXT		63, 6
#define AEQE_W8_ID		24, 0
#define AEQE_W8_SOURCE		28, 25
#define AEQE_W8_QP_STATE	31, 29
#define AEQE_W8_WQE_IDX		49, 32
#define AEQE_W8_CODE		61, 50
#define AEQE_W8_OVERFLOW	62, 62
#define AEQE_W8_VALID		63, 63

#define WQE_W24_VALID		63, 63

enum cqp_opcode {
	OP_CREATE_QP = 0x00, OP_MODIFY_QP, OP_DESTROY_QP,
	OP_CREATE_CQ, OP_MODIFY_CQ, OP_DESTROY_CQ,
	OP_CREATE_SRQ, OP_MODIFY_SRQ, OP_DESTROY_SRQ,
	OP_ALLOC_STAG, OP_REG_MR, OP_QUERY_STAG, OP_REG_SHARED, OP_DEALLOC_STAG,
	OP_MANAGE_ARP = 0x0F,
	OP_PUSH_PAGE = 0x11, OP_QUERY_FEATURES, OP_UPLOAD_CONTEXT,
	OP_CREATE_CEQ = 0x16, OP_DESTROY_CEQ = 0x18,
	OP_CREATE_AEQ = 0x19, OP_DESTROY_AEQ = 0x1B,
	OP_CREATE_AH, OP_MODIFY_AH, OP_DESTROY_AH,
	OP_UPDATE_SDS, OP_QUERY_FPM, OP_COMMIT_FPM, OP_FLUSH,
	OP_NOP = 0x24,
	OP_CREATE_MCG = 0x26, OP_MODIFY_MCG, OP_DESTROY_MCG,
	OP_SUSPEND_QP, OP_RESUME_QP, OP_PAGES_ALLOCATED,
	OP_MANAGE_STATS = 0x2D, OP_GATHER_STATS, OP_UP_MAP,
	OP_COUNT = 64
};

/* HMC object types, in the numbering and the order of the memory layout. */
enum hmc_type {
	HMC_QP, HMC_CQ, HMC_SRQ, HMC_HTE, HMC_ARP, HMC_APBVT, HMC_MR, HMC_XF, HMC_XF_FL,
	HMC_Q1, HMC_Q1_FL, HMC_TIMER, HMC_MCG, HMC_AH, HMC_PBLE, HMC_RRF, HMC_RRF_FL,
	HMC_HDR, HMC_MD, HMC_OO, HMC_OO_FL, HMC_TYPES
};

/* Async events that the control side itself raises. */
#define AE_CQ_ERROR		0x0203u
#define AE_SRQ_LIMIT		0x0209u
#define AE_SRQ_UNUSABLE		0x020Fu
#define AE_QP_CATASTROPHIC	0x0700u
#define AE_SUSPEND_DONE		0x0900u
#define AE_CQP_DEFERRED		0x0901u

/* ... and that STag checks return. */
#define AE_UNALLOCATED		0x0102u
#define AE_INVALID		0x0103u
#define AE_BAD_QP		0x0104u
#define AE_BAD_PD		0x0105u
#define AE_BAD_KEY		0x0106u
#define AE_BAD_INDEX		0x0107u
#define AE_BOUNDS		0x0108u
#define AE_RIGHTS		0x0109u
#define AE_WRAP			0x010Au
#define AE_FR_VALID		0x010Cu
#define AE_FR_WINDOW		0x010Du
#define AE_FR_RIGHTS		0x010Eu
#define AE_FR_LENGTH		0x0110u
#define AE_INV_SHARED		0x0111u
#define AE_INV_NO_REMOTE	0x0112u
#define AE_INV_BOUND		0x0113u
#define AE_BIND_VALID		0x0114u
#define AE_BIND_REGION		0x0115u
#define AE_BIND_ZERO_PARENT	0x0116u
#define AE_BIND_WINDOW_PARENT	0x0117u
#define AE_BIND_RIGHTS		0x0118u
#define AE_BIND_BOUNDS		0x0119u
#define AE_BIND_BAD_PARENT	0x011Au
#define AE_BIND_DISABLED	0x011Bu
#define AE_NOT_PRIVILEGED	0x011Cu
#define AE_INV_TYPE1		0x011Du
#define AE_BIND_TYPE1_ZERO	0x011Eu
#define AE_FR_CONFIG		0x011Fu
#define AE_BIND_TYPE		0x0120u
#define AE_FR_PBLES		0x0121u

#endif
