# SPDX-License-Identifier: GPL-2.0
"""Check the driver's source without running it.

    static-checks [i386]

Runs inside the lab's root; prints KTAP. gcc (W=1) and sparse go over each file
and over each header by itself, clang (W=1) over each file, kernel-doc and
checkpatch over every file, and the include lists are held against the driver's
layers. Beside the driver lie planted mistakes: a checker that does not find its
own has not run, and its test fails.

gcc is the one that built the packaged kernel, whose headers it gets. clang,
which takes other options, gets the headers of a User Mode Linux kernel, which
is configured for it but not built. With the word i386 only that is done: the
driver is compiled for a 32-bit kernel.
"""

import fcntl
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

from kerneltree import DRIVER, TOP, abi_flags, cache_folder, mirror, unpack

SOURCE = TOP / DRIVER
UML_CONFIG = TOP / "tools/testing/irdma/lab/uml/config/base"
CLANG_LEAST = 17

# A file may include headers of its own and of lower layers.
LAYERS = {
    0: "field hw_ae hw_cqe hw_cqp hw_fpm hw_mask hw_qpc hw_regs hw_vchnl hw_wqe",
    1: "ae_table aeqe cqe cqp_enc cqp_wqe cqp_wqe_fn cqp_wqe_mr fpm idmap mpa mr_access pbl "
       "pble_pool qp_state qpc ring ring_buf wqe",
    2: "cqp cqp_cmd dev dma eq gen1 gen2 gen3 hmc irq park pble push reset trace vchnl",
    3: "ah cm cm_timer counter cq debugfs mcast mr mw netdev objref poll post puda qp qp_push "
       "reap restrack srq stats uctx umem verbs ws",
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
u32 irdma_planted(__le32 word, u64 undescribed)
{
	if(undescribed)
		return ~0ULL / undescribed;
	return word;
}
"""
# What each checker has to say about the planted file.
FINDS = {
    "W=1 gcc": r"no previous prototype for .irdma_planted.",
    "W=1 clang": r"no previous prototype for function .irdma_planted.",
    "i386": r"divides 64 bits",
    "sparse": r"incorrect type in return expression|restricted __le32",
    "kernel-doc": r"undescribed' not described",
    "checkpatch": r"space required before the open parenthesis",
}
# Not meant for files that are not yet in a kernel tree, or wrong in the tests.
CHECKPATCH = ["--strict", "--no-tree", "--no-summary", "--terse", "--show-types", "-f"]


class Report:
    """KTAP on standard output, with the seconds since the result before."""

    def __init__(self):
        self.lines, self.failed = 0, 0
        self.began = time.monotonic()
        print("KTAP version 1", flush=True)

    def result(self, name, complaints):
        self.lines += 1
        self.failed += bool(complaints)
        for complaint in complaints:
            print(f"# {complaint}")
        now = time.monotonic()
        print(f"# {now - self.began:.1f} s")
        print(f"{'not ok' if complaints else 'ok'} {self.lines} {name}", flush=True)
        self.began = now

    def end(self):
        print(f"1..{self.lines}", flush=True)
        return 1 if self.failed else 0


def sources():
    """Paths of the driver's C files, relative to its folder."""
    found = [p for p in SOURCE.rglob("*.[ch]") if not p.name.endswith(".mod.c")]
    return sorted(str(p.relative_to(SOURCE)) for p in found)


def compile_all(build, more, flags, *options):
    """Compile the driver's C files and more, {name: bytes}, in a folder; the complaints.

    flags are the compiler's own, options are make's. What a compiler warns of in the kernel's own headers is not the driver's
    affair; it names them by absolute paths.
    """
    more = {PLANTED: PLANTED_TEXT.encode(), **more}
    objects = [name[:-2] + ".o" for name in mirror(SOURCE, build, more) if name.endswith(".c")]
    (build / PLANTED).with_suffix(".o").unlink(missing_ok=True)
    run = subprocess.run(
        ["make", "-k", f"-j{os.cpu_count()}", f"M={build}", "W=1",
         f"KCFLAGS={flags} {abi_flags()}", *options, *objects],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    lines = run.stdout.splitlines()
    found = [line for line in lines
             if re.search(r": (fatal error|error): |^(?!/).*: warning: ", line)]
    if run.returncode and not any("error: " in line for line in found):
        found += lines[-10:]
    return found


def again(build, found):
    """A warning comes once per compilation: after one about the driver forget all objects."""
    if any(PLANTED not in line for line in found):
        for path in build.rglob("*.o"):
            path.unlink()


def gcc_and_sparse(build):
    """Complaints: {"W=1 gcc": [...], "sparse": [...]}."""
    alone = {f"alone_{name[:-2]}.c": f'#include "{name}"\n'.encode()
             for name in sources() if name.endswith(".h") and "/" not in name}
    headers = sorted(pathlib.Path("/usr/src").glob("linux-headers-*-amd64"))[-1]
    found = {"W=1 gcc": [], "sparse": []}
    for line in compile_all(build, alone, "-DCONFIG_KUNIT=1 -fdiagnostics-color=never",
                            "-C", headers, "C=1", "KBUILD_CHECKSRC=2",
                            "CHECK=sparse -D__typeof_unqual__=__typeof__"):
        # gcc puts the option that enables a warning behind it
        by_gcc = re.search(r"\[-W\S+\]|No such file|^make", line)
        found["W=1 gcc" if by_gcc else "sparse"].append(line)
    again(build, sum(found.values(), []))
    return found


def prepared_kernel(tree, cache, name, more, *options):
    """Configure a kernel so that modules compile against it, once; its folder.

    more: lines that its configuration has beside that of the UML guests.
    """
    config = UML_CONFIG.read_text() + more
    key = repr((os.environ["LAB_ROOT"], tree, options, config))
    folder = cache / "static" / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"
    folder.mkdir(exist_ok=True)
    with open(folder / ".lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / ".done").exists():
            (folder / ".config").write_text(config)
            log = folder / "prepare.log"
            with open(log, "w", encoding="utf-8") as out:
                done = subprocess.run(
                    ["make", "-s", f"-j{os.cpu_count()}", "-C", tree, f"O={folder}",
                     *options, "olddefconfig", "modules_prepare"],
                    stdout=out, stderr=out, check=False)
            if done.returncode:
                said = log.read_text(errors="replace").splitlines()
                sys.exit(f"the kernel for {name} is not prepared: " +
                         next((line for line in said if re.search("error|can't|No ", line)), str(log)))
            (folder / ".done").touch()
    return folder


def clang(tree, cache, build):
    """clang's complaints."""
    version = subprocess.run(["clang", "--version"], stdout=subprocess.PIPE, text=True,
                             check=True).stdout.splitlines()[0]
    print(f"# {version}")
    if int(re.search(r"version (\d+)", version).group(1)) < CLANG_LEAST:
        return [f"{version} is older than {CLANG_LEAST}"]
    options = ["ARCH=um", "CC=clang"]
    kernel = prepared_kernel(tree, cache, "clang", "", *options)
    found = compile_all(build, {}, "-fno-color-diagnostics", "-C", kernel, *options)
    again(build, found)
    return found


def i386(tree, cache, build):
    """Complaints of a 32-bit build, and its 64-bit divisions, which do not link."""
    kernel = prepared_kernel(tree, cache, "i386", "CONFIG_PCI=y\nCONFIG_PCI_MSI=y\n", "ARCH=i386")
    found = compile_all(build, {}, "-fdiagnostics-color=never", "-C", kernel, "ARCH=i386")
    for path in sorted(build.rglob("*.o")):
        symbols = subprocess.run(["nm", "-u", path], stdout=subprocess.PIPE, text=True,
                                 check=True).stdout
        found += [f"{path.stem}.c: divides 64 bits by {name}"
                  for name in re.findall(r"__u?(?:div|mod)(?:mod)?di[34]", symbols)]
    again(build, found)
    return found


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
    keys = {}
    for name in [PLANTED, *sources()]:
        data = (build / name).read_bytes()
        keys[name] = hashlib.sha256(script + repr(CHECKPATCH).encode() + data).hexdigest()
    names = [name for name in keys if keys[name] not in clean]
    share = os.cpu_count()
    runs = [subprocess.Popen(["perl", tree / "scripts/checkpatch.pl", *CHECKPATCH, *part],
                             cwd=build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True)
            for part in (names[start::share] for start in range(share)) if part]
    complaints = [line for run in runs for line in run.communicate()[0].splitlines()
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
    if sys.argv[1:] == ["i386"]:
        judge(report, "i386", i386(tree, cache, build.with_name(f"{build.name}-i386")))
        return report.end()
    for name, complaints in gcc_and_sparse(build).items():
        judge(report, name, complaints)
    judge(report, "W=1 clang", clang(tree, cache, build.with_name(f"{build.name}-clang")))
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
