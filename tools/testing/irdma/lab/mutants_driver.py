# SPDX-License-Identifier: GPL-2.0
"""Faults in the driver's arithmetic. Each must fail a KUnit suite."""

import re
import subprocess
import sys

from kerneltree import DRIVER, TOP, copy_driver

LAB = TOP / "tools/testing/irdma/lab"
SOURCE = DRIVER
copy = copy_driver

# name: file, line, line with the fault
MUTANTS = {
    "polarity-inverted": (
        "ring.h", "return !(pos & ring->size);", "return pos & ring->size;"),
    "sq-pad-one-early": (
        "ring.h", "return quanta <= left ? 0 : left;", "return quanta < left ? 0 : left;"),
    "sq-pad-not-counted": (
        "ring.h", "if (nops + quanta > irdma_ring_avail(ring))",
        "if (quanta > irdma_ring_avail(ring))"),
    "ring-finds-the-head": (
        "ring.h", "if (ahead >= irdma_ring_used(ring))", "if (ahead > irdma_ring_used(ring))"),
    "id-given-twice": (
        "idmap.c", "__set_bit(found, map->bitmap);", "__set_bit(start, map->bitmap);"),
    "id-search-does-not-go-round": (
        "idmap.c", "found = find_first_zero_bit(map->bitmap, map->limit);",
        "found = map->limit;"),
    "run-ignores-a-hole": (
        "pbl.c", "if (run->len && (run->pa + run->len != pa || !pa))",
        "if (run->len && (run->pa + run->len > pa || !pa))"),
    "run-goes-around-the-top": (
        "pbl.c", "if (run->len && (run->pa + run->len != pa || !pa))",
        "if (run->len && run->pa + run->len != pa)"),
    "page-ignores-breaks": (
        "pbl.c", "misfit |= at;", "misfit |= 0;"),
    "page-larger-than-the-region": (
        "pbl.c", "page_sizes &= GENMASK_ULL(ilog2(mem->len_bytes), 0);",
        "page_sizes &= GENMASK_ULL(ilog2(mem->len_bytes) + 1, 0);"),
    "part-longer-than-the-memory": (
        "pbl.c", "end > mem->len_bytes)", "end > mem->len_bytes + 1)"),
    "next-leaf-starts-late": (
        "pbl.c", "cur->pos = 0;", "cur->pos = 1;"),
    "level-of-513-pages": (
        "pbl.c", "return pages <= IRDMA_PBLES_PER_PAGE ? 1 : 2;",
        "return pages <= IRDMA_PBLES_PER_PAGE + 1 ? 1 : 2;"),
    "short-list-accepted": (
        "pbl.c", "return walk.left || cur.left ? -EINVAL : 0;",
        "return walk.left ? -EINVAL : 0;"),
    "pool-leaks-a-leaf": (
        "pble_pool.c", "while (i--)", "while (i-- > 1)"),
    "pool-slots-overlap": (
        "pble_pool.c", "slot * irdma_pble_slot_pbles(class), cnt);",
        "slot * (irdma_pble_slot_pbles(class) - 1), cnt);"),
    "pool-miscounts-pages": (
        "pble_pool.c", "pool->used_pbles -= pages * IRDMA_PBLES_PER_PAGE;",
        "pool->used_pbles -= run->cnt;"),
    "pool-grows-for-ever-less-one": (
        "pble_pool.c", "grows = pbl->page_cnt / IRDMA_HMC_SEGMENT_PBLES + 2;",
        "grows = pbl->page_cnt / IRDMA_HMC_SEGMENT_PBLES + 1;"),
    "fpm-forgets-rounding": (
        "fpm.c", "return ALIGN((u64)cnt * obj->size_bytes, IRDMA_HMC_BASE_UNIT_BYTES);",
        "return (u64)cnt * obj->size_bytes & ~511ULL;"),
    "fpm-halves-qps-first": (
        "fpm.c", "if (ird / 2 < IRDMA_FPM_MIN_IRD)", "if (ird / 2 <= IRDMA_FPM_MIN_IRD)"),
    "fpm-takes-what-is-granted": (
        "fpm.c", "obj->cnt = min(obj->cnt, irdma_fpm_granted(type, cq_cnt, word));",
        "obj->cnt = irdma_fpm_granted(type, cq_cnt, word);"),
    "depth-in-32-bits": (
        "ring_buf.c", "u64 want = ((u64)wrs << shift) + reserved;",
        "u64 want = (wrs << shift) + reserved;"),
    "shadow-page-forgotten": (
        "ring_buf.c", "if ((u64)mem->sq_pages + mem->rq_pages + IRDMA_SHADOW_PAGES >",
        "if ((u64)mem->sq_pages + mem->rq_pages >"),
    "remote-write-alone": (
        "mr_access.c", "#define IRDMA_MR_REMOTE_CHANGES\t(IB_ACCESS_REMOTE_WRITE | "
        "IB_ACCESS_REMOTE_ATOMIC)",
        "#define IRDMA_MR_REMOTE_CHANGES\tIB_ACCESS_REMOTE_ATOMIC"),
    "reset-qp-not-made-anew": (
        "qp_state.c", ".recreate = now->hw_state != IRDMA_HW_QPS_IDLE,", ".recreate = false,"),
    "mask-one-bit-short": (
        "hw_wqe.h", "ADD_FRAGS\t\tGENMASK_ULL(41, 38)\t/* beyond the first */",
        "ADD_FRAGS\t\tGENMASK_ULL(40, 38)\t/* beyond the first */"),
    "quantum-without-second-valid-bit": (
        "wqe.c", "if (cnt && cnt % 2 == 0)", "if (cnt && cnt % 4 == 0)"),
    "inline-data-over-the-valid-byte": (
        "wqe.c", "\t\t\t\troom = IRDMA_INLINE_NEXT_BYTES;",
        "\t\t\t\troom = IRDMA_INLINE_NEXT_BYTES + 1;"),
    "cq-id-loses-a-bit": (
        "cqp_wqe.c", "a->id >> IRDMA_CQP_CQ_ID_LOW_BITS) |",
        "a->id >> (IRDMA_CQP_CQ_ID_LOW_BITS + 1)) |"),
    "stag-index-with-key": (
        "cqp_wqe_mr.c", "irdma_cqp_set(wqe, 2, (stag & IRDMA_CQP_STAG_QW2_IDX) |",
        "irdma_cqp_set(wqe, 2, stag |"),
    "first-descriptor-has-a-valid-bit": (
        "cqp_wqe_fn.c", "u64 valid = i ? IRDMA_CQP_SD_ENTRY_VALID : 0;",
        "u64 valid = IRDMA_CQP_SD_ENTRY_VALID;"),
    "ird-code-of-the-reads-alone": (
        "qpc.c", "return ilog2(roundup_pow_of_two(2 * ird)) - 2;",
        "return ilog2(roundup_pow_of_two(ird)) - 2;"),
    "half-written-completion-taken": (
        "cqe.c", "if (FIELD_GET(IRDMA_CQE_QW7_VALID, qw7) != polarity)",
        "if (!qw7)"),
    "scrubbing-forgets-every-cq": (
        "aeqe.c", "\tif (ctx == cq_ctx)\n", "\tif (ctx)\n"),
}


def passes(repo):
    """Whether all suites pass, and what they say."""
    done = subprocess.run([sys.executable, LAB / "kunit.py", "--repo", repo, "--timeout", "120"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode == 0, done.stdout


def noticed(text):
    """Whether a test failed or the kernel complained; text: what kunit.py said.

    That suites are missing is no proof: the kernel may not have booted, or not ended.
    """
    return bool(set(re.findall(r"^(\S.*): FAILED$", text, re.M)) - {"all suites"})


def missed(repo, _):
    """Why no suite noticed the fault in @repo; "" if one did."""
    passed, text = passes(repo)
    return "" if not passed and noticed(text) else f"{text[-2000:]}\nno suite noticed it"
