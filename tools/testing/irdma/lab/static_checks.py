# SPDX-License-Identifier: GPL-2.0
"""Check the driver's source without running it.

    static-checks [i386]

Runs inside the lab's root; prints KTAP. gcc (W=1), sparse and clang (W=1) go
over each file, gcc over each header by itself, kernel-doc and checkpatch over
every file, and the include lists are held against the driver's layers. Beside
the driver lie planted mistakes: a checker that does not find its own has not
run, and its test fails.

gcc is the one that built the packaged kernel, whose headers it gets. clang,
which takes other options, gets the headers of a User Mode Linux kernel, which
is configured for it but not built. With the word i386 only that is done: the
driver is compiled for a 32-bit kernel.

What was clean once is not looked at again as long as all that the checker
would read is the same: the cache remembers it, for every clone of the tree.
"""

import fcntl
import hashlib
import os
import pathlib
import posixpath
import re
import subprocess
import sys
import tempfile
import time

from kerneltree import ABI, DRIVER, TOP, abi_flags, cache_folder, mirror, patched_source

SOURCE = TOP / DRIVER
UML_CONFIG = TOP / "tools/testing/irdma/lab/uml/config/base"
CLANG_LEAST = 17

# A file may include headers of its own and of lower layers.
LAYERS = {
    0: "field hw_ae hw_cqe hw_cqp hw_fpm hw_mask hw_qpc hw_regs hw_vchnl hw_wqe",
    1: "ae_table aeqe cqe cqp_enc cqp_wqe cqp_wqe_fn cqp_wqe_mr fpm idmap mpa mr_access pbl "
       "pble_pool qp_state qpc ring ring_buf wqe",
    2: "cqp cqp_cmd dev dma eq gen1 gen2 gen3 hmc irq netdev park pble push reset trace vchnl",
    3: "ah cm cm_timer counter cq debugfs mcast mr mw objref poll post puda qp qp_hw qp_modify "
       "qp_push qp_rings reap restrack srq stats uctx umem verbs ws",
    4: "if_i40e if_ice if_idpf main",
}
LAYER_OF = {stem: layer for layer, stems in LAYERS.items() for stem in stems.split()}

PLANTED = "planted"
PLANTED_TEXT = b"""\
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
PLANTED_HEADER = b"""\
/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
extern refcount_t irdma_planted_count;
"""
# What each checker has to say about the planted files.
FINDS = {
    "W=1 gcc": r"no previous prototype for .irdma_planted.",
    "headers": r"unknown type name .refcount_t.",
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


def closure(name, files):
    """name and the files that it includes, at any depth; files is {name: bytes}."""
    found, todo = set(), [name]
    while todo:
        name = todo.pop()
        if name in found or name not in files:
            continue
        found.add(name)
        todo += [posixpath.normpath(posixpath.join(posixpath.dirname(name), header.decode()))
                 for header in re.findall(rb'^\s*#\s*include\s+"([^"]+)"', files[name], re.M)]
    return found


class Clean:
    """What a checker had nothing to say about, by a hash of all that it reads."""
    KEEP_SECONDS = 30 * 24 * 3600

    def __init__(self, checker, *context):
        self.folder = cache_folder() / "static/clean" / checker
        self.folder.mkdir(parents=True, exist_ok=True)
        self.context = repr((os.environ["LAB_ROOT"], *context)).encode()
        for path in self.folder.iterdir():
            if time.time() - path.stat().st_mtime > self.KEEP_SECONDS:
                path.unlink(missing_ok=True)

    def path(self, parts):
        key = hashlib.sha256(self.context)
        for part in parts:
            key.update(b"%d " % len(part) + part)
        return self.folder / key.hexdigest()[:32]

    def has(self, parts):
        path = self.path(parts)
        if path.exists():
            path.touch()
            return True
        return False

    def add(self, parts):
        self.path(parts).touch()


def driver_files():
    """{name: bytes} of the driver and the planted files."""
    return {name: (SOURCE / name).read_bytes() for name in sources()} | {
        f"{PLANTED}.c": PLANTED_TEXT, f"{PLANTED}.h": PLANTED_HEADER}


def c_files():
    return [name for name in [f"{PLANTED}.c", *sources()] if name.endswith(".c")]


def unproved(name, planted):
    """What is wrong with the checker if it is what found this in the planted files."""
    return [] if any(re.search(FINDS[name], line) for line in planted) else [
        f"{name} did not find the planted mistake", *planted]


def run_make(files, names, flags, options, inspect):
    """Compile the C files of these names among files, {name: bytes}; the complaints.

    What a compiler warns of in the kernel's own headers is not the driver's
    affair; it names them by absolute paths.
    """
    with tempfile.TemporaryDirectory() as folder:
        build = pathlib.Path(folder)
        mirror(SOURCE, build, files)
        run = subprocess.run(
            ["make", "-k", f"-j{os.cpu_count()}", f"M={build}", "W=1",
             f"KCFLAGS={flags} {abi_flags()}", *options, *(f"{name[:-2]}.o" for name in names)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        lines = run.stdout.splitlines()
        found = [line for line in lines
                 if re.search(r": (fatal error|error): |^(?!/).*: warning: ", line)]
        missing = [name for name in names
                   if PLANTED not in name and not (build / f"{name[:-2]}.o").exists()]
        if missing and not split(found)[1]:
            found += [f"{missing[0]}: not compiled", *lines[-10:]]
        return [*found, *inspect(build)]


def compile_files(checkers, names, files, flags, *options, inspect=lambda build: []):
    """Complaints about the C files of these names, those that are known as clean left out.

    A file becomes known if no checker complains of one, and each did of the planted.
    files: {name: bytes} of all. flags are the compiler's own, options are make's.
    inspect(folder) tells what is wrong with the objects.
    """
    makefile = (SOURCE / "Makefile").read_bytes()
    options_of_files = re.sub(rb"^irdma-.*\n", b"", makefile, flags=re.M)
    always = [options_of_files, (TOP / ABI).read_bytes()]
    reads = {name: always + [text for part in sorted(closure(name, files))
                             for text in (part.encode(), files[part])] for name in names}
    clean = Clean(checkers[0], flags, options)
    names = [name for name in names if PLANTED in name or not clean.has(reads[name])]
    print(f"# {' and '.join(checkers)}: {len(names)} of {len(reads)} files are compiled")
    found = run_make(files, names, flags, options, inspect)
    planted, others = split(found)
    if not others and not any(unproved(checker, planted) for checker in checkers):
        for name in names:
            clean.add(reads[name])
    return found


def gcc_and_sparse():
    """Complaints: {"W=1 gcc": [...], "sparse": [...], "headers": [...]}."""
    kernel = sorted(pathlib.Path("/usr/src").glob("linux-headers-*-amd64"))[-1]
    flags = "-DCONFIG_KUNIT=1 -fdiagnostics-color=never"
    files = driver_files()
    found = {"W=1 gcc": [], "sparse": []}
    for line in compile_files(("W=1 gcc", "sparse"), c_files(), files, flags, "-C", kernel,
                              "C=1", "KBUILD_CHECKSRC=2",
                              "CHECK=sparse -D__typeof_unqual__=__typeof__"):
        # gcc puts the option that enables a warning behind it
        by_gcc = re.search(r"\[-W\S+\]|No such file|^make", line)
        found["W=1 gcc" if by_gcc else "sparse"].append(line)
    alone = {f"alone_{name[:-2]}.c": f'#include "{name}"\n'.encode()
             for name in files if name.endswith(".h") and "/" not in name}
    found["headers"] = compile_files(("headers",), list(alone), files | alone, flags,
                                     "-C", kernel)
    return found


def prepared_kernel(tree, name, more, *options):
    """Configure a kernel so that modules compile against it, once; its folder.

    more: lines that its configuration has beside that of the UML guests.
    """
    config = UML_CONFIG.read_text() + more
    key = repr((os.environ["LAB_ROOT"], tree, options, config))
    folder = cache_folder() / "static" / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"
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


def clang(tree):
    """clang's complaints."""
    version = subprocess.run(["clang", "--version"], stdout=subprocess.PIPE, text=True,
                             check=True).stdout.splitlines()[0]
    print(f"# {version}")
    if int(re.search(r"version (\d+)", version).group(1)) < CLANG_LEAST:
        return [f"{version} is older than {CLANG_LEAST}"]
    options = ["ARCH=um", "CC=clang"]
    kernel = prepared_kernel(tree, "clang", "", *options)
    return compile_files(("W=1 clang",), c_files(), driver_files(),
                         "-fno-color-diagnostics", "-C", kernel, *options)


def long_divisions(build):
    """64-bit divisions of objects for 32 bits, which do not link."""
    for path in sorted(build.rglob("*.o")):
        symbols = subprocess.run(["nm", "-u", path], stdout=subprocess.PIPE, text=True,
                                 check=True).stdout
        yield from (f"{path.stem}.c: divides 64 bits by {name}"
                    for name in re.findall(r"__u?(?:div|mod)(?:mod)?di[34]", symbols))


def i386(tree):
    """Complaints of a 32-bit build."""
    kernel = prepared_kernel(tree, "i386", "CONFIG_PCI=y\nCONFIG_PCI_MSI=y\n", "ARCH=i386")
    return compile_files(("i386",), c_files(), driver_files(), "-fdiagnostics-color=never",
                         "-C", kernel, "ARCH=i386", inspect=long_divisions)


def kernel_doc(tree, folder):
    run = subprocess.run([tree / "scripts/kernel-doc", "-none", "-Wall", f"{PLANTED}.c",
                          *sources()], cwd=folder, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return list(dict.fromkeys(line for line in run.stdout.splitlines()
                              if re.search(r"\b(warning|error)\b", line, re.I)))


def checkpatch(tree, folder):
    script = tree / "scripts/checkpatch.pl"
    clean = Clean("checkpatch", script.read_bytes(), CHECKPATCH)
    data = {name: [(folder / name).read_bytes()] for name in sources()}
    names = [name for name in data if not clean.has(data[name])]
    share = os.cpu_count()
    runs = [subprocess.Popen(["perl", script, *CHECKPATCH, *part], cwd=folder, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            for part in ([f"{PLANTED}.c", *names][start::share] for start in range(share)) if part]
    outputs = [run.communicate()[0].splitlines() for run in runs]
    complaints = [line for output in outputs for line in output
                  if re.search(r"\b(ERROR|WARNING|CHECK):", line)]
    broken = [line for run, output in zip(runs, outputs) if run.returncode not in (0, 1)
              for line in [f"checkpatch ends with {run.returncode}", *output[-3:]]]
    bad = {line.split(":")[0] for line in complaints}
    for name in names:
        if not broken and name not in bad and f"{PLANTED}.c" in bad:
            clean.add(data[name])
    return broken + complaints


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
    report.result(f"{name} finds a planted mistake", unproved(name, planted))


def main():
    (cache_folder() / "static").mkdir(parents=True, exist_ok=True)
    tree = patched_source()
    report = Report()
    if sys.argv[1:] == ["i386"]:
        judge(report, "i386", i386(tree))
        return report.end()
    for name, complaints in gcc_and_sparse().items():
        judge(report, name, complaints)
    judge(report, "W=1 clang", clang(tree))
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        mirror(SOURCE, copy, driver_files())
        judge(report, "kernel-doc", kernel_doc(tree, copy))
        judge(report, "checkpatch", checkpatch(tree, copy))
    files = {name: (SOURCE / name).read_text() for name in sources()}
    report.result("layers", layer_complaints(files))
    planted = layer_complaints({"ring.h": '#include "qp.h"\n', "stray.c": "", "qp.c": '#include "ring.h"\n'})
    report.result("layers finds planted mistakes",
                  [] if len(planted) == 2 else [f"found {len(planted)} of 2", *planted])
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
