# SPDX-License-Identifier: GPL-2.0
"""Run the driver's KUnit suites on User Mode Linux, or under QEMU.

    kunit [--config plain|debug|gcov] [GLOB]
    kunit --own [--arch um|x86_64|i386|arm64] [--config plain|debug] [GLOB]

Runs inside the lab's root. The driver is built as a module for the kernel that
the lab's UML guests have, and its suites run when it is loaded: a change costs
seconds, and no second kernel is built. With --own the driver is built into a
kernel of its own by the kernel's kunit.py: the packaged source is unpacked
once into the cache, without its own irdma driver, and our tree laid over it.
Each architecture and configuration keeps its build folder in the cache, and
users of one folder wait for each other. Pages of arm64 have 64 KiB; it needs
the lab's cross root.

Results are counted from the kernel's KTAP output: `N passed, N failed,
N skipped`. It is a failure when nothing passed, when a suite is missing, when
the kernel complains, and when a test was skipped that kunit.skips does not list.
"""

import argparse
import fcntl
import os
import pathlib
import re
import subprocess
import sys
import time

from kerneltree import ABI, DRIVER, TOP, abi_flags, cache_folder, mirror, unpack

LAB = pathlib.Path(__file__).resolve().parent
# What an architecture's kernel has beside tests/.kunitconfig, and lacks: what
# takes long to compile and no suite needs.
ARCHES = {
    "um": [],
    "x86_64": [],
    "i386": [],
    "arm64": ["ARM64_64K_PAGES=y", "PCI_MSI=y", "EXPERT=y"] + [f"{symbol}=n" for symbol in (
        "AIO", "BLOCK", "EFI", "ETHTOOL_NETLINK", "HWMON", "HW_RANDOM", "INET_DIAG", "INPUT",
        "IOMMU_SUPPORT", "IO_URING", "IPV6", "NETWORK_FILESYSTEMS", "PTP_1588_CLOCK", "SECCOMP",
        "SUSPEND", "USB_SUPPORT", "VT")],
}
CONFIGS = {
    "plain": [],
    "debug": [
        "KASAN=y", "KASAN_VMALLOC=n", "UBSAN=y", "PROVE_LOCKING=y", "DEBUG_ATOMIC_SLEEP=y",
        "DEBUG_OBJECTS=y", "DEBUG_KMEMLEAK=y", "DEBUG_LIST=y", "DEBUG_SG=y", "DEBUG_VM=y",
    ],
}
RESULT = re.compile(r"^((?: {4})*)(not ok|ok) (\d+)(?: -)? (\S+)(?: # (SKIP)\b ?(.*))?")
# What a kernel says about a fault that no test looked for.
SPLAT = re.compile(r"\b(WARNING|BUG|UBSAN|KASAN|KFENCE)\b|Oops|Call Trace|unreferenced object")
PLAN = re.compile(r"^((?: {4})*)1\.\.(\d+)$")


def say(text):
    print(text, flush=True)


def qemu_without_kvm(arch, build):
    """A folder with a QEMU that is never told to use KVM, which may exist and not work."""
    folder = build / "qemu"
    folder.mkdir(exist_ok=True)
    qemu = folder / f"qemu-system-{arch}"
    qemu.write_text(f"""#!/bin/bash
args=()
for arg; do
	case $arg in
	kvm | hvf) unset 'args[-1]' ;;
	*) args+=("$arg") ;;
	esac
done
exec /usr/bin/{qemu.name} "${{args[@]}}"
""")
    qemu.chmod(0o755)
    return folder


def run_own_kernel(args, cache, build):
    """Run the kernel's kunit.py; return what it prints."""
    source = unpack(cache, args.repo)
    command = [
        "python3", "tools/testing/kunit/kunit.py", "run", f"--arch={args.arch}",
        f"--kunitconfig={DRIVER}/tests", f"--build_dir={build}",
        f"--jobs={args.jobs}", f"--timeout={args.timeout}", "--raw_output=kunit",
    ]
    symbols = ARCHES[args.arch] + CONFIGS[args.config] + args.kconfig
    command += [f"--kconfig_add=CONFIG_{symbol}" for symbol in symbols]
    command += [args.glob] if args.glob else []
    path = os.environ["PATH"]
    if args.arch == "arm64":
        command = [LAB / "inroot", "--cross", *command, "--cross_compile=aarch64-linux-gnu-"]
    elif args.arch != "um":
        path = f"{qemu_without_kvm(args.arch, build)}:{path}"
    run = subprocess.run(command, cwd=source, env={**os.environ, "PATH": path}, text=True,
                         errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         check=False)
    return run.stdout


def build_module(args, kernel, build):
    """Build irdma.ko with its suites against the lab's kernel.

    In the configuration gcov its objects count how often their lines run.
    """
    mirror(args.repo / DRIVER, build, {str(ABI): (args.repo / ABI).read_bytes()})
    flags = f"-DCONFIG_INFINIBAND_IRDMA_KUNIT_TEST=1 {abi_flags(build)}"
    make = subprocess.run(
        ["make", "-s", f"-j{args.jobs}", "-C", kernel, "ARCH=um", f"M={build}",
         "CONFIG_INFINIBAND_IRDMA=m", "CONFIG_INFINIBAND_IRDMA_KUNIT_TEST=y",
         f"KCFLAGS={flags}", f"GCOV_PROFILE={'y' if args.config == 'gcov' else 'n'}", "modules"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if make.returncode:
        raise SystemExit(f"{make.stdout}\nkunit: the driver does not compile")


def run_lab_kernel(args, build):
    """Load the driver in the lab's kernel; return what the kernel says."""
    done = subprocess.run([LAB / "uml/build", args.config, "none"], check=True, text=True,
                          stdout=subprocess.PIPE)
    kernel, modules = done.stdout.split()
    build_module(args, kernel, build)
    boot = [f"{kernel}/linux", "mem=512M", "root=/dev/root", "rootfstype=hostfs", "rootflags=/",
            "ro", f"init={LAB}/kunit-init", "con=null", "con0=null,fd:1", "loglevel=7", "panic=-1",
            "printk.time=0", f"lab.module={build}/irdma.ko", f"lab.modules={modules}"]
    boot += [f"kunit.filter_glob={args.glob}"] if args.glob else []
    boot += [f"lab.gcov={build}"] if args.config == "gcov" else []
    for old in build.rglob("*.gcda"):
        old.unlink()
    with open(build / "boot.log", "w", encoding="utf-8") as log:
        # SIGTERM alone does not end a UML that loops
        subprocess.run(["timeout", "-k", "5", str(args.timeout), *boot], stdout=log,
                       stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False,
                       env={**os.environ, "TMPDIR": "/dev/shm"})
    return (build / "boot.log").read_text(errors="replace")


def suites_of(driver):
    """How many suites the driver's source has."""
    return sum(len(re.findall(r"^kunit_test_suite\(", path.read_text(), re.M))
               for path in driver.glob("tests/*.c"))


class Results:
    """Leaf results of a KTAP stream, with the lines that explain a failure."""

    def __init__(self):
        self.passed, self.failed, self.skipped = [], [], []
        self.notes = {}

    def read(self, lines, plan, glob):
        """Read a kernel's output; plan: suites that must be there, unless it says so itself."""
        subtests, suites, notes, splats, path = set(), 0, [], [], {}
        for line in lines:
            if (found := PLAN.match(line)) and not found.group(1):
                plan = int(found.group(2))
            elif found := re.match(r"^((?: {4})*)# Subtest: (\S+)", line):
                path[len(found.group(1)) // 4] = found.group(2)
            elif found := RESULT.match(line):
                depth = len(found.group(1)) // 4
                children = depth + 1 in subtests
                subtests = {d for d in subtests if d <= depth} | {depth}
                suites += depth == 0
                name = ".".join([path.get(d, "?") for d in range(1, depth + 1)] + [found.group(4)])
                self.result(name, found, children, notes)
                notes = []
            else:
                notes.append(line)
                splats += [line] if SPLAT.search(line) else []
        if splats:
            self.failed.append("a quiet kernel")
            self.notes["a quiet kernel"] = splats
        if suites != plan and not (glob and suites):
            self.failed.append("all suites")
            self.notes["all suites"] = [f"{suites} suites ran, not {plan}", *notes[-40:]]

    def result(self, name, found, children, notes):
        if children:
            if found.group(2) == "not ok" and not any(f.startswith(name) for f in self.failed):
                self.failed.append(name)
                self.notes[name] = notes
        elif found.group(5):
            self.skipped.append(name)
            self.notes[name] = [found.group(6)]
        elif found.group(2) == "ok":
            self.passed.append(name)
        else:
            self.failed.append(name)
            self.notes[name] = notes


def expected_skips(arch):
    """Names that kunit.skips lists for the architecture."""
    lines = (LAB / "kunit.skips").read_text().splitlines()
    words = [line.split() for line in lines if line and not line.startswith("#")]
    return {w[1] for w in words if w[0] == arch}


def report(results, arch):
    """Print the results; return the exit status."""
    allowed = expected_skips(arch)
    for name in results.skipped:
        say(f"{name}: skipped: {' '.join(results.notes[name])}")
        if name not in allowed:
            results.failed.append(name)
            results.notes[name] = ["this skip is not listed in kunit.skips"]
    for name in results.failed:
        say(f"{name}: FAILED")
        for line in results.notes[name]:
            say(f"    {line}")
    if not results.passed:
        say("no test passed")
    say(f"{len(results.passed)} passed, {len(results.failed)} failed, {len(results.skipped)} skipped")
    return 1 if results.failed or not results.passed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--own", action="store_true", help="build a kernel for the suites")
    parser.add_argument("--arch", choices=ARCHES, default="um")
    parser.add_argument("--config", choices=(*CONFIGS, "gcov"), default="plain")
    parser.add_argument("--kconfig", action="append", default=[], metavar="SYMBOL=VALUE")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=int, default=300, help="seconds for the run")
    parser.add_argument("--repo", type=pathlib.Path, default=TOP, help="other source of the driver")
    parser.add_argument("glob", nargs="?", help="suites, or suite.test")
    args = parser.parse_args()
    own = args.own or args.arch != "um"
    if own and args.config == "gcov":
        parser.error("lines are counted in the lab's kernel only")
    build = cache_folder() / "kunit" / f"{args.arch if own else 'module'}-{args.config}"
    build.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    with open(build.with_suffix(".lock"), "w", encoding="ascii") as lock, \
         open(cache_folder() / "kunit" / "source.lock", "w", encoding="ascii") as source_lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if own:
            fcntl.flock(source_lock, fcntl.LOCK_EX)
        output = run_own_kernel(args, cache_folder(), build) if own else run_lab_kernel(args, build)
    (build / "kunit.log").write_text(output)
    results = Results()
    results.read(output.splitlines(), None if own else suites_of(args.repo / DRIVER), args.glob)
    status = report(results, args.arch)
    say(f"kunit: {build.name} in {time.monotonic() - start:.0f} s, log {build}/kunit.log")
    return status


if __name__ == "__main__":
    sys.exit(main())
