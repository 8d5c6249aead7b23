# SPDX-License-Identifier: GPL-2.0
"""Source trees in the cache: the kernel's, with our irdma driver, and copies of ours."""

import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import tarfile
import time

DRIVER = "drivers/infiniband/hw/irdma"
ABI = "include/uapi/rdma/irdma-abi.h"
LAB = pathlib.Path(__file__).resolve().parent
TOP = LAB.parents[3]


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(os.environ.get("IRDMA_CACHE") or f"{base}/irdma-lab")


def abi_flags(repo=TOP):
    """For the compiler: our ABI header instead of the one beside the kernel's headers."""
    return f"-include {repo / ABI}"


def keep(member, path):
    """The tree's own driver is not unpacked."""
    if f"/{DRIVER}/" in member.name:
        return None
    return tarfile.tar_filter(member, path)


def tree_hash(top, leave_out=()):
    """Of all files below a folder, those in its folders @leave_out excepted."""
    done = hashlib.sha256()
    for path in sorted(top.rglob("*")):
        name = path.relative_to(top)
        if path.is_file() and name.parts[0] not in leave_out and "__pycache__" not in name.parts:
            done.update(f"{name} {path.stat().st_size}\n".encode() + path.read_bytes())
    return done.hexdigest()


def unpack(cache, repo=TOP, folder="/usr/src"):
    """The kernel source that the root holds in @folder, unpacked once, under @repo's driver.

    Without any irdma driver the tree cannot be configured.
    """
    archives = sorted(pathlib.Path(folder).glob("linux-source-7.3*.tar.*"))
    if not archives:
        raise SystemExit(f"no linux-source-7.3 in {folder}; run this inside the lab's root")
    stamp = f"{archives[-1].name} {archives[-1].stat().st_size}\n"
    source = cache / "src" / archives[-1].name.split(".tar")[0]
    done = source / ".irdma-unpacked"
    source.parent.mkdir(parents=True, exist_ok=True)
    with open(cache / "src" / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.is_file() or done.read_text() != stamp:
            extract(archives[-1], source.parent)
            done.write_text(stamp)
        subprocess.run([LAB / "overlay", "--repo", repo, source], check=True)
    return source


def patched_source():
    """The kernel source that the lab's UML kernel is built from; its driver is the packaged one."""
    done = subprocess.run([LAB / "uml/build", "source"], check=True, text=True,
                          stdout=subprocess.PIPE)
    return pathlib.Path(done.stdout.strip())


def extract(archive, folder):
    print(f"# unpacking {archive.name}", flush=True)
    start = time.monotonic()
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter=keep)
    print(f"# unpacked in {time.monotonic() - start:.0f} s", flush=True)


def mirror(driver, folder, more=None):
    """Make the sources in a build folder those of the driver.

    more: {name: bytes} of further files. Files are written only when their
    bytes differ, so that make compiles what has changed. Return all names.
    """
    wanted = {str(path.relative_to(driver)): path.read_bytes()
              for path in driver.rglob("*")
              if path.suffix in (".c", ".h") and not path.name.endswith(".mod.c")}
    wanted["Makefile"] = (driver / "Makefile").read_bytes()
    wanted.update(more or {})
    for path in folder.rglob("*.[ch]"):
        if str(path.relative_to(folder)) not in wanted and not path.name.endswith(".mod.c"):
            path.unlink()
    for name, data in wanted.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return sorted(wanted)


def copy_driver(folder):
    """A copy of the driver, and what it is built with, that a test may spoil."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in (DRIVER, "include/uapi/rdma"):
        if (TOP / name).is_dir():
            shutil.copytree(TOP / name, folder / name,
                            ignore=shutil.ignore_patterns("*.o", "*.ko", ".*.cmd", "*.mod*"))
