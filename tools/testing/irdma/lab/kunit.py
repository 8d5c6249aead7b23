# SPDX-License-Identifier: GPL-2.0
"""Run the driver's KUnit suites on a kernel built for them.

    kunit [--arch um|x86_64] [--config plain|debug|gcov] [GLOB]

Runs inside the lab's root, whose kernel source is unpacked once into the
cache, without its own irdma driver; our tree is laid over it, and kunit.py of
that kernel builds and runs it. Each architecture and configuration keeps
its build folder in the cache. Users of one cache wait for each other.

Results are counted from the kernel's KTAP output: `N passed, N failed,
N skipped`. It is a failure when nothing passed, when the output ends early,
and when a test was skipped that kunit.skips does not list.
"""

import argparse
import fcntl
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import time

LAB = pathlib.Path(__file__).resolve().parent
DRIVER = "drivers/infiniband/hw/irdma"
CONFIGS = {
    "plain": [],
    "debug": [
        "KASAN=y", "KASAN_VMALLOC=n", "UBSAN=y", "PROVE_LOCKING=y", "DEBUG_ATOMIC_SLEEP=y",
        "DEBUG_OBJECTS=y", "DEBUG_KMEMLEAK=y", "DEBUG_LIST=y", "DEBUG_SG=y", "DEBUG_VM=y",
    ],
    "gcov": ["DEBUG_KERNEL=y", "DEBUG_INFO=y", "DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT=y", "GCOV=y"],
}
RESULT = re.compile(r"^((?: {4})*)(not ok|ok) (\d+)(?: -)? (\S+)(?: # (SKIP)\b ?(.*))?")
PLAN = re.compile(r"^((?: {4})*)1\.\.(\d+)$")


def say(text):
    print(text, flush=True)


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(os.environ.get("IRDMA_CACHE") or f"{base}/irdma-lab")


def unpack(cache):
    """Unpack the kernel source that the root holds; return its folder."""
    archives = sorted(pathlib.Path("/usr/src").glob("linux-source-7.3*.tar.*"))
    if not archives:
        sys.exit("kunit: no linux-source-7.3 in /usr/src; run this inside the lab's root")
    stamp = f"{archives[-1].name} {archives[-1].stat().st_size}\n"
    source = cache / "src" / archives[-1].name.split(".tar")[0]
    done = source / ".irdma-unpacked"
    if done.is_file() and done.read_text() == stamp:
        return source
    say(f"kunit: unpacking {archives[-1].name}")
    start = time.monotonic()
    source.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archives[-1]) as archive:
        archive.extractall(source.parent, filter=lambda member, path: (
            None if f"/{DRIVER}/" in member.name else tarfile.tar_filter(member, path)))
    done.write_text(stamp)
    say(f"kunit: unpacked in {time.monotonic() - start:.0f} s")
    return source


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


def build_and_run(args, cache):
    """Run the kernel's kunit.py; return the lines that it prints."""
    source = unpack(cache)
    subprocess.run([LAB / "overlay", source], check=True)
    build = cache / "kunit" / f"{args.arch}-{args.config}"
    build.mkdir(parents=True, exist_ok=True)
    command = [
        "python3", "tools/testing/kunit/kunit.py", "run", f"--arch={args.arch}",
        f"--kunitconfig={DRIVER}/tests", f"--build_dir={build}",
        f"--jobs={args.jobs}", f"--timeout={args.timeout}", "--raw_output=kunit",
    ]
    command += [f"--kconfig_add=CONFIG_{symbol}" for symbol in CONFIGS[args.config] + args.kconfig]
    command += [args.glob] if args.glob else []
    path = os.environ["PATH"]
    if args.arch != "um":
        path = f"{qemu_without_kvm(args.arch, build)}:{path}"
    run = subprocess.run(command, cwd=source, env={**os.environ, "PATH": path}, text=True,
                         errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         check=False)
    (build / "kunit.log").write_text(run.stdout)
    return run.stdout.splitlines(), build


class Results:
    """Leaf results of a KTAP stream, with the lines that explain a failure."""

    def __init__(self):
        self.passed, self.failed, self.skipped = [], [], []
        self.notes = {}

    def read(self, lines):
        subtests, plan, suites, notes, path = set(), None, 0, [], {}
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
        if plan is None or suites != plan:
            self.failed.append("complete output")
            self.notes["complete output"] = notes[-40:]

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
    parser.add_argument("--arch", choices=("um", "x86_64"), default="um")
    parser.add_argument("--config", choices=CONFIGS, default="plain")
    parser.add_argument("--kconfig", action="append", default=[], metavar="SYMBOL=VALUE")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=int, default=300, help="seconds for the run")
    parser.add_argument("--parse", type=pathlib.Path, help="only count the results of a log")
    parser.add_argument("glob", nargs="?", help="suites, or suite.test")
    args = parser.parse_args()
    results = Results()
    if args.parse:
        results.read(args.parse.read_text(errors="replace").splitlines())
        return report(results, args.arch)
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    with open(cache / "kunit.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lines, build = build_and_run(args, cache)
    results.read(lines)
    status = report(results, args.arch)
    say(f"kunit: {args.arch} {args.config} in {time.monotonic() - start:.0f} s, log {build}/kunit.log")
    return status


if __name__ == "__main__":
    sys.exit(main())
