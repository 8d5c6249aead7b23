# SPDX-License-Identifier: GPL-2.0
"""Check the driver's source without running it.

Runs inside the lab's root; prints KTAP. The compiler (W=1) and sparse go over
each file and over each header by itself, kernel-doc and checkpatch over every
file, and the include lists are held against the driver's layers. Beside the
driver lie planted mistakes: a checker that does not find its own has not run,
and its test fails.
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

from kerneltree import DRIVER, TOP, abi_flags, cache_folder, mirror, unpack

SOURCE = TOP / DRIVER

# A file may include headers of its own and of lower layers.
LAYERS = {
    0: "field hw_ae hw_cqe hw_cqp hw_fpm hw_mask hw_qpc hw_regs hw_vchnl hw_wqe",
    1: "ae_table aeqe cqe cqp_enc cqp_wqe cqp_wqe_fn cqp_wqe_mr fpm idmap mpa mr_access pbl "
       "pble_pool qp_state qpc ring ring_buf wqe",
    2: "cqp cqp_cmd dev dma eq gen1 gen2 gen3 hmc irq pble reset trace vchnl",
    3: "ah cm cm_timer counter cq debugfs mcast mr mw netdev objref poll post puda qp restrack srq "
       "stats uctx umem verbs ws",
    4: "if_i40e if_ice if_idpf main",
}
LAYER_OF = {stem: layer for layer, stems in LAYERS.items() for stem in stems.split()}

PLANTED = "planted.c"
PLANTED_TEXT = """\
// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <linux/types.h>

/**
 * irdma_planted - a function with a mistake for each checker
 * @word: a word of the device
 */
u32 irdma_planted(__le32 word, int undescribed)
{
	if(undescribed)
		return 0;
	return word;
}
"""
# What each checker has to say about the planted file.
FINDS = {
    "W=1": r"no previous prototype for .irdma_planted.",
    "sparse": r"incorrect type in return expression|restricted __le32",
    "kernel-doc": r"undescribed' not described",
    "checkpatch": r"space required before the open parenthesis",
}
# Not meant for files that are not yet in a kernel tree, or wrong in the tests.
CHECKPATCH = ["--strict", "--no-tree", "--no-summary", "--terse", "--show-types", "-f"]


class Report:
    """KTAP on standard output."""

    def __init__(self):
        self.lines, self.failed = 0, 0
        print("KTAP version 1", flush=True)

    def result(self, name, complaints):
        self.lines += 1
        self.failed += bool(complaints)
        for complaint in complaints:
            print(f"# {complaint}")
        print(f"{'not ok' if complaints else 'ok'} {self.lines} {name}", flush=True)

    def end(self):
        print(f"1..{self.lines}", flush=True)
        return 1 if self.failed else 0


def sources():
    """Paths of the driver's C files, relative to its folder."""
    found = [p for p in SOURCE.rglob("*.[ch]") if not p.name.endswith(".mod.c")]
    return sorted(str(p.relative_to(SOURCE)) for p in found)


def compile_all(build):
    """Compiler's and sparse's complaints: {"W=1": [...], "sparse": [...]}."""
    more = {PLANTED: PLANTED_TEXT.encode()}
    for name in sources():
        if name.endswith(".h") and "/" not in name:
            more[f"alone_{name[:-2]}.c"] = f'#include "{name}"\n'.encode()
    objects = [name[:-2] + ".o" for name in mirror(SOURCE, build, more) if name.endswith(".c")]
    (build / PLANTED).with_suffix(".o").unlink(missing_ok=True)
    headers = sorted(pathlib.Path("/usr/src").glob("linux-headers-*-amd64"))[-1]
    run = subprocess.run(
        ["make", "-k", f"-j{os.cpu_count()}", "-C", headers, f"M={build}", "W=1", "C=1",
         "KBUILD_CHECKSRC=2", "CHECK=sparse -D__typeof_unqual__=__typeof__",
         f"KCFLAGS=-DCONFIG_KUNIT=1 -fdiagnostics-color=never {abi_flags()}", *objects],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    found = {"W=1": [], "sparse": []}
    for line in run.stdout.splitlines():
        # the compiler puts the option that enables a warning behind it
        if re.search(r": (fatal error|error|warning): .*(\[-W\S+\]|No such file)", line):
            found["W=1"].append(line)
        elif re.search(r": (error|warning): ", line):
            found["sparse"].append(line)
    if any(PLANTED not in line for line in sum(found.values(), [])):
        forget(build)
    if run.returncode and not any(": error: " in line for line in sum(found.values(), [])):
        found["W=1"] += run.stdout.splitlines()[-10:]
    return found


def forget(build):
    """A warning comes once per compilation: compile everything again next time."""
    for path in build.rglob("*.o"):
        path.unlink()


def kernel_doc(tree, build):
    run = subprocess.run([tree / "scripts/kernel-doc", "-none", "-Wall", PLANTED,
                          *sources()], cwd=build, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return list(dict.fromkeys(line for line in run.stdout.splitlines()
                              if re.search(r"\b(warning|error)\b", line, re.I)))


def checkpatch(tree, build, memory):
    """Files that were clean in an earlier run and have not changed are passed over."""
    script = (tree / "scripts/checkpatch.pl").read_bytes()
    clean = set(json.loads(memory.read_text())) if memory.is_file() else set()
    complaints, keys = [], {}
    for name in [PLANTED, *sources()]:
        data = (build / name).read_bytes()
        keys[name] = hashlib.sha256(script + repr(CHECKPATCH).encode() + data).hexdigest()
    names = [name for name in keys if keys[name] not in clean]
    if names:
        run = subprocess.run(["perl", tree / "scripts/checkpatch.pl", *CHECKPATCH, *names],
                             cwd=build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, check=False)
        complaints = [line for line in run.stdout.splitlines()
                      if re.search(r"\b(ERROR|WARNING|CHECK):", line)]
    bad = {line.split(":")[0] for line in complaints}
    memory.write_text(json.dumps(sorted(key for name, key in keys.items() if name not in bad)))
    return complaints


def layer_complaints(files):
    """Includes that point upwards; files is {name: text}."""
    complaints = []
    for name, text in sorted(files.items()):
        stem = pathlib.Path(name).stem
        if name.startswith("tests/"):
            continue
        if stem not in LAYER_OF:
            complaints.append(f"{name}: belongs to no layer; see LAYERS in static_checks.py")
            continue
        for header in re.findall(r'^\s*#\s*include\s+"([^"]+)\.h"', text, re.M):
            if LAYER_OF.get(header, 99) > LAYER_OF[stem]:
                complaints.append(f"{name}: layer {LAYER_OF[stem]} includes {header}.h of layer "
                                  f"{LAYER_OF.get(header, 'unknown')}")
    return complaints


def split(complaints):
    """Complaints about the planted file, and the others."""
    planted = [line for line in complaints if PLANTED in line]
    return planted, [line for line in complaints if PLANTED not in line]


def judge(report, name, complaints):
    planted, others = split(complaints)
    report.result(name, others)
    missed = [] if any(re.search(FINDS[name], line) for line in planted) else [
        f"{name} did not find the planted mistake", *planted]
    report.result(f"{name} finds a planted mistake", missed)


def main():
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    build = cache / "static" / hashlib.sha256(str(TOP).encode()).hexdigest()[:12]
    build.mkdir(parents=True, exist_ok=True)
    tree = unpack(cache)
    report = Report()
    for name, complaints in compile_all(build).items():
        judge(report, name, complaints)
    judge(report, "kernel-doc", kernel_doc(tree, build))
    judge(report, "checkpatch", checkpatch(tree, build, build / "checkpatch.json"))
    files = {name: (SOURCE / name).read_text() for name in sources()}
    report.result("layers", layer_complaints(files))
    planted = layer_complaints({"ring.h": '#include "qp.h"\n', "stray.c": "", "qp.c": '#include "ring.h"\n'})
    report.result("layers finds planted mistakes",
                  [] if len(planted) == 2 else [f"found {len(planted)} of 2", *planted])
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
