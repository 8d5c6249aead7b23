# SPDX-License-Identifier: GPL-2.0
"""Machines: boot a guest, run commands in it, end it. Runs inside the root.

A lane decides what a machine is: Qemu boots the packaged kernel (or KERNEL)
on a read-only image of the root. What a lane makes once is kept in the cache.
"""

import base64
import concurrent.futures
import fcntl
import hashlib
import itertools
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import threading
import time

from kerneltree import abi_flags

LAB = pathlib.Path(__file__).resolve().parent
GUEST = LAB.parent / "guest"
CACHE = pathlib.Path(os.environ["IRDMA_CACHE"])
ROOT = pathlib.Path(os.environ["LAB_ROOT"])
RELEASE = pathlib.Path("/etc/lab-kernel").read_text().strip()

# Boot to the agent takes this long on the machine that time-outs are meant for.
REFERENCE_BOOT = 6.0
BOOT_LIMIT = 600

# Said by idpf about every function without a precise clock; said of every
# module that was not built with the kernel.
HARMLESS = re.compile(r"PTP init failed|loading out-of-tree module taints kernel")
# A report of the kernel's own, whatever RDMA driver runs: idpf takes its auxiliary
# devices away from a queue that may reclaim memory, and ib_uverbs waits there for SRCU.
REPORT = re.compile(r"^[^\n]*\[ cut here \].*?\[ end trace [^\n]*$", re.M | re.S)
KNOWN = re.compile(r"WQ_MEM_RECLAIM idpf-\S+ \[idpf\] is flushing "
                   r"!WQ_MEM_RECLAIM events:srcu_drive_gp")
SPLAT = re.compile(r"WARNING:|\bBUG\b|Oops|Call Trace|UBSAN:|KASAN|refcount_t|"
                   r"general protection|rcu: INFO|hung task|soft lockup|"
                   r"possible recursive locking|unreferenced object|"
                   r"\b(idpf|irdma|ib_core|infiniband)\b")


class LabError(Exception):
    """What a user is told in one line."""


def once(path, make):
    """Make the file @path by make(temporary path) unless it is there."""
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.parent / f".{path.name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            temporary = path.with_name(f".{path.name}.new")
            make(temporary)
            temporary.rename(path)
    return path


def vmlinux(bzimage, out):
    """The ELF kernel out of a zstd bzImage, for PVH boot."""
    image = bzimage.read_bytes()
    setup = ((image[0x1f1] or 4) + 1) * 512
    offset, length = struct.unpack_from("<II", image, 0x248)
    payload = image[setup + offset:setup + offset + length - 4]
    with open(out, "wb") as file:
        subprocess.run(["zstd", "-qdc"], input=payload, stdout=file, check=True)


def root_image(out):
    subprocess.run(
        ["mkfs.erofs", "--quiet", "-Enoinline_data",
         "--exclude-regex=^usr/src/.*tar", "--exclude-regex=^var/cache/",
         "--exclude-regex=^var/lib/apt/lists/", str(out), str(ROOT)],
        check=True, stdout=subprocess.DEVNULL)


def cpio(tree, out):
    names = sorted(str(path.relative_to(tree)) for path in tree.rglob("*"))
    with open(out, "wb") as file:
        subprocess.run(["cpio", "-o", "-H", "newc", "-R", "0:0", "--quiet"],
                       cwd=tree, input="\n".join(names).encode(), stdout=file,
                       check=True)


def base_initrd(out):
    """busybox, init and the modules that the root image needs."""
    tree = out.with_suffix(".tree")
    shutil.rmtree(tree, ignore_errors=True)
    for name in ("bin dev proc sys lower rw new").split():
        (tree / name).mkdir(parents=True)
    shutil.copy("/usr/bin/busybox", tree / "bin")
    for applet in subprocess.check_output(["busybox", "--list"], text=True).split():
        if applet != "busybox":
            (tree / "bin" / applet).symlink_to("busybox")
    shutil.copy(GUEST / "init", tree / "init")
    order = []
    for module in ("virtio_blk", "erofs", "overlay"):
        shown = subprocess.check_output(
            ["modprobe", "-S", RELEASE, "--show-depends", module], text=True)
        for line in shown.splitlines():
            if line.startswith("insmod ") and line.split()[1] not in order:
                order.append(line.split()[1])
    for path in order:
        plain = tree / pathlib.Path(path).name.removesuffix(".xz")
        with open(plain, "wb") as file:
            subprocess.run(["xz", "-dc", path] if path.endswith(".xz")
                           else ["cat", path], stdout=file, check=True)
    (tree / "modules.order").write_text("".join(
        f"/{pathlib.Path(path).name.removesuffix('.xz')}\n" for path in order))
    cpio(tree, out)
    shutil.rmtree(tree)


def rping_end():
    """What ends rping, for the packaged program and its library."""
    source = GUEST / "rping-end.c"
    made = hashlib.sha256(source.read_bytes()).hexdigest()[:8]
    return once(CACHE / f"{ROOT.name}-{made}.rping-end.so", lambda out: subprocess.run(
        ["gcc", "-O2", "-shared", "-fPIC", "-o", out, source], check=True))


def kvm_works():
    """Whether a machine boots with KVM; tried once per boot of the host."""
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    verdict = CACHE / f"kvm-{boot}"

    def probe(out):
        works = os.access("/dev/kvm", os.R_OK | os.W_OK)
        if works:
            command = Qemu.command("kvm", 1, "512M", Qemu.initrd()) + [
                "-append", "console=ttyS0 panic=-1 lab.probe"]
            try:
                works = subprocess.run(command, timeout=5, check=False,
                                       stdin=subprocess.DEVNULL,
                                       capture_output=True).returncode == 0
            except subprocess.TimeoutExpired:
                works = False
        out.write_text("1" if works else "0")

    return once(verdict, probe).read_text() == "1"


class Job:
    """A command that runs in a guest."""

    def __init__(self, machine, ident, command):
        self.machine, self.ident, self.command = machine, ident, command
        self.future = concurrent.futures.Future()

    def wait(self, timeout=60):
        """Exit status and output; @timeout in reference seconds.

        A command that does not end in time, or whose guest died, has status
        None; its output so far is fetched when the guest still answers.
        """
        try:
            return self.future.result(timeout * self.machine.factor)
        except concurrent.futures.TimeoutError:
            text = ""
            if self.machine.alive():
                tail = self.machine.start(f"cat /run/lab/{self.ident}.out")
                try:
                    text = tail.future.result(5 * self.machine.factor)[1]
                except concurrent.futures.TimeoutError:
                    text = "the guest does not answer\n"
            return None, f"{text}timed out: {self.command}\n"


class Machine:
    """A guest with the agent in it.

    @name: names its files in @directory and is its host name
    @nics: sockets of NICs
    @cpus, @memory: its size
    @devices: further options of the lane's program
    @platform: those that must come before its devices
    @arguments: more of the kernel's command line
    @inline: a store to a register has arrived when it retires
    terminal: /dev/ttyS2 of the guest is the terminal of this process

    A lane implements launch(), which starts the process with the serial log
    in self.log and the agent's line at the unix socket self.line.
    """

    terminal = False
    TRANSPORT = "vfio-user"

    def __init__(self, name, directory, nics=(), cpus=2, memory="1536M", devices=(),
                 platform=(), arguments="", inline=False):
        self.name, self.nics, self.cpus, self.memory = name, nics, cpus, memory
        self.devices, self.platform, self.arguments = devices, platform, arguments
        self.inline = inline
        directory = pathlib.Path(directory)
        directory.mkdir(parents=True, exist_ok=True)
        self.log = directory / f"{name}.serial"
        self.line = directory / f"{name}.line"
        self.job = directory / f"{name}.job"
        self.process = self.socket = None
        self.ready = concurrent.futures.Future()
        self.factor = 1.0
        self.jobs = {}
        self.ids = itertools.count(1)

    def start_boot(self):
        for path in (self.log, self.line):
            path.unlink(missing_ok=True)
        self.pack()
        self.process = self.launch()	# may build first, which is no part of the boot
        self.began = time.monotonic()
        # At once: what the agent says while nobody listens is lost.
        self.socket = self.connect()
        threading.Thread(target=self.listen, daemon=True).start()

    def finish_boot(self):
        """Wait for the agent; returns the seconds since the start."""
        left = self.began + BOOT_LIMIT - time.monotonic()
        try:
            self.ready.result(max(1, left))
        except concurrent.futures.TimeoutError:
            self.kill()
            raise LabError(f"machine {self.name} does not boot; see {self.log}") from None
        took = time.monotonic() - self.began
        self.factor = max(1.0, took / REFERENCE_BOOT)
        return took

    def pack(self):
        """Lay out the job directory."""
        shutil.rmtree(self.job, ignore_errors=True)
        shutil.copytree(GUEST, self.job / "job/guest")
        shutil.copy(rping_end(), self.job / "job/guest/bin/rping-end.so")

    def connect(self):
        while time.monotonic() < self.began + BOOT_LIMIT and self.alive():
            try:
                line = socket.socket(socket.AF_UNIX)
                line.connect(str(self.line))
                return line
            except OSError:
                line.close()
                time.sleep(0.05)
        self.kill()
        raise LabError(f"machine {self.name} does not start; see {self.log}")

    def listen(self):
        """Thread: complete the jobs that the agent reports."""
        with self.socket.makefile("r", errors="replace") as lines:
            try:
                for line in lines:
                    words = line.split()
                    if words[:1] == ["ready"]:
                        self.ready.set_result(float(words[1]))
                    elif len(words) >= 2 and words[0] in self.jobs:
                        text = base64.b64decode(words[2] if words[2:] else "")
                        self.jobs.pop(words[0]).future.set_result(
                            (int(words[1]), text.decode(errors="replace")))
            except OSError:
                pass
        for job in list(self.jobs.values()):
            job.future.set_result((None, f"the guest ended during: {job.command}\n"))
        if not self.ready.done():
            self.ready.set_exception(
                LabError(f"machine {self.name} ended while booting; see {self.log}"))

    def start(self, command):
        """Begin a shell command in the guest; returns its Job."""
        job = Job(self, str(next(self.ids)), command)
        self.jobs[job.ident] = job
        code = base64.b64encode(command.encode()).decode()
        try:
            self.socket.sendall(f"{job.ident} {code}\n".encode())
        except OSError:
            self.jobs.pop(job.ident, None)
            job.future.set_result((None, "the guest is gone\n"))
        return job

    def run(self, command, timeout=60):
        """Run a shell command; returns (status, output)."""
        return self.start(command).wait(timeout)

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def warnings(self):
        """Lines of the serial log that a clean run does not have."""
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        text = REPORT.sub(lambda report: "" if KNOWN.search(report[0]) else report[0], text)
        return [line.strip() for line in text.splitlines()
                if SPLAT.search(line) and not HARMLESS.search(line)]

    def stop(self):
        """Power off; true if the guest went by itself."""
        if not self.alive():
            return False
        if not self.ready.done():
            self.kill()
            return False
        self.start("busybox poweroff -f")
        try:
            self.process.wait(10 * self.factor)
            return True
        except subprocess.TimeoutExpired:
            self.kill()
            return False
        finally:
            self.socket.close()

    def nic_gone(self):
        """The process of the machine's NIC ended."""

    def kill(self):
        if self.alive():
            self.process.kill()
            self.process.wait()


class Qemu(Machine):
    @staticmethod
    def kernel():
        own = os.environ.get("KERNEL")
        if own:
            image = pathlib.Path(own)
            if image.read_bytes()[:4] == b"\x7fELF":
                return image
            stamp = image.stat()
            return once(CACHE / f"vmlinux-{stamp.st_ino}-{stamp.st_mtime_ns}",
                        lambda out: vmlinux(image, out))
        return once(CACHE / f"{ROOT.name}.vmlinux", lambda out: vmlinux(
            pathlib.Path(f"/lib/modules/{RELEASE}/vmlinuz"), out))

    @staticmethod
    def initrd():
        init = hashlib.sha256((GUEST / "init").read_bytes()).hexdigest()
        return once(CACHE / f"{ROOT.name}-{init[:8]}.initrd", base_initrd)

    @staticmethod
    def command(accel, cpus, memory, initrd):
        return ["qemu-system-x86_64", "-nodefaults", "-no-user-config",
                "-display", "none", "-no-reboot",
                "-machine", "q35,memory-backend=mem,hpet=off",
                "-object", f"memory-backend-memfd,id=mem,size={memory},share=on",
                "-accel", "kvm" if accel == "kvm" else "tcg,thread=multi",
                "-cpu", "max", "-smp", str(cpus), "-m", memory,
                "-kernel", str(Qemu.kernel()), "-initrd", str(initrd)]

    @staticmethod
    def our_driver():
        """Our irdma.ko for the packaged kernel, built, without debug sections."""
        top, objects = LAB.parents[3], LAB.parents[3] / "build" / "driver"
        objects.mkdir(parents=True, exist_ok=True)
        with open(objects / "build.log", "w") as log:
            done = subprocess.run(
                ["make", f"-j{os.cpu_count()}", "-C", f"/lib/modules/{RELEASE}/build",
                 f"M={top / 'drivers/infiniband/hw/irdma'}", f"MO={objects}",
                 "CONFIG_INFINIBAND_IRDMA=m", f"KCFLAGS={abi_flags()}", "modules"],
                stdout=log, stderr=log, check=False)
        if done.returncode:
            raise LabError(f"the driver does not compile; see {objects / 'build.log'}")
        module = objects / "irdma.stripped.ko"
        subprocess.run(["strip", "-g", objects / "irdma.ko", "-o", module], check=True)
        return module

    def replace_driver(self):
        """Our module in the place of the packaged one."""
        for packaged in pathlib.Path(f"/lib/modules/{RELEASE}").rglob("irdma.ko*"):
            target = self.job / "job" / packaged.relative_to("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.our_driver(), target.with_suffix("") if
                        target.suffix == ".xz" else target)
            if target.suffix == ".xz":
                subprocess.run(["xz", "--check=crc32", "-1", target.with_suffix("")],
                               check=True)

    def launch(self):
        modules = os.environ.get("MODULES")
        if os.environ.get("DRIVER") == "ours":
            self.replace_driver()
        if modules:
            shutil.copytree(modules, self.job / "job/lib/modules", symlinks=True,
                            dirs_exist_ok=True)
        overlay = self.job.with_suffix(".cpio")
        cpio(self.job, overlay)
        initrd = self.job.with_suffix(".initrd")
        with open(initrd, "wb") as out:
            for part in (self.initrd(), overlay):
                out.write(part.read_bytes())
        overlay.unlink()
        image = once(CACHE / f"{ROOT.name}.erofs", root_image)
        command = self.command("kvm" if kvm_works() else "tcg", self.cpus,
                               self.memory, initrd) + [
            *self.platform, "-append", "console=ttyS0 quiet loglevel=5 panic=-1 mitigations=off "
            "nokaslr tsc=reliable no_timer_check cryptomgr.notests audit=0 lsm= "
            f"init_on_alloc=0 nowatchdog damon_stat.enabled=0 "
            f"lab.name={self.name} {self.arguments}",
            "-serial", f"file:{self.log}",
            "-chardev", f"socket,id=line,path={self.line},server=on,wait=off",
            "-serial", "chardev:line",
            "-drive", f"file={image},format=raw,if=none,id=root,readonly=on",
            "-device", "virtio-blk-pci,drive=root"]
        for i, nic in enumerate(self.nics):
            command += ["-device", f"pcie-root-port,id=rp{i},chassis={i + 1}",
                        "-device", '{"driver":"vfio-user-pci","id":"nic%d","bus":"rp%d",'
                        '"x-no-posted-writes":%s,"socket":{"path":"%s","type":"unix"}}'
                        % (i, i, str(self.inline).lower(), nic)]
        command += self.devices
        if self.terminal:
            command += ["-chardev", "stdio,id=terminal,signal=off",
                        "-serial", "chardev:terminal"]
        with open(self.log.with_suffix(".qemu"), "w") as err:
            return subprocess.Popen(
                command, stderr=err, stdout=None if self.terminal else err,
                stdin=None if self.terminal else subprocess.DEVNULL)
