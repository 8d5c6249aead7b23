# SPDX-License-Identifier: GPL-2.0
"""Prove the KUnit suites: each of these one-line faults must fail one.

    mutants [NAME...]

Runs inside the lab's root; prints KTAP. The driver as it is must pass first. A
fault whose line is not there exactly once, or that does not compile, fails:
the list is kept with the code.
"""

import shutil
import subprocess
import sys

from kerneltree import DRIVER, TOP, cache_folder

LAB = TOP / "tools/testing/irdma/lab"

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
}


def kunit(repo):
    """Run all suites over a copy of the driver; the process, with its output."""
    return subprocess.run([sys.executable, LAB / "kunit.py", "--repo", repo, "--timeout", "120"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def complaint(repo, name):
    """Why the mutant was not caught; "" if it was."""
    file, line, fault = MUTANTS[name]
    path = repo / DRIVER / file
    text = path.read_text()
    if text.count(line) != 1:
        return f"{file}: {text.count(line)} matches, not 1, of {line!r}"
    path.write_text(text.replace(line, fault))
    try:
        done = kunit(repo)
    finally:
        path.write_text(text)
    if "does not compile" in done.stdout:
        return done.stdout[-2000:]
    return "" if done.returncode else "no suite noticed it"


def copy(repo):
    shutil.rmtree(repo, ignore_errors=True)
    for name in (DRIVER, "include/uapi/rdma"):
        if (TOP / name).is_dir():
            shutil.copytree(TOP / name, repo / name,
                            ignore=shutil.ignore_patterns("*.o", "*.ko", ".*.cmd", "*.mod*"))


def main():
    names = sys.argv[1:] or list(MUTANTS)
    repo = cache_folder() / "mutants"
    copy(repo)
    print(f"KTAP version 1\n1..{len(names) + 1}", flush=True)
    clean = kunit(repo)
    print(f"{'not ok' if clean.returncode else 'ok'} 1 no fault", flush=True)
    if clean.returncode:
        print(clean.stdout)
        return 1
    failed = 0
    for number, name in enumerate(names, 2):
        why = complaint(repo, name)
        failed += bool(why)
        print("".join(f"# {line}\n" for line in why.splitlines()) +
              f"{'not ok' if why else 'ok'} {number} {name}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
