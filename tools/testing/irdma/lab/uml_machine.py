# SPDX-License-Identifier: GPL-2.0
"""Machines that are User Mode Linux: boot in a second or two, on the root
itself. Runs inside the root.

KERNEL chooses the configuration (plain, debug), DRIVER whose irdma.
"""

import functools
import os
import pathlib
import signal
import socket
import subprocess
import threading

import machine

UML = machine.LAB / "uml"

# A kernel that is broken can write 40 MB each second.
LOG_LIMIT = 16 << 20

# How long a register access may take before the device counts as dead: time in
# which the guest polls, so about processor time.
ANSWER_LIMIT_US = 4_000_000


@functools.cache
def build():
    """Directories of the kernel and of the module tree."""
    done = subprocess.run([UML / "build", os.environ.get("KERNEL") or "plain",
                           os.environ.get("DRIVER") or "stock"],
                          stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise machine.LabError("the UML kernel or the driver does not compile")
    kernel, modules = done.stdout.split()
    return pathlib.Path(kernel), modules


class Uml(machine.Machine):
    """A User Mode Linux guest; one processor, whatever is asked for."""

    TRANSPORT = "vhost-user"

    def launch(self):
        kernel, modules = build()
        self.own_end, guest_end = socket.socketpair()
        console, console_end = os.pipe()
        threading.Thread(target=self.copy_log, args=(console,), daemon=True).start()
        command = [
            str(kernel / "linux"), f"mem={self.memory}", "seccomp=on",
            "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro", f"init={UML / 'init'}",
            "quiet", "loglevel=5", "panic=-1", "oops=panic", "slab_debug=FZP", "kunit.autorun=0",
            f"uml_dir={self.job}.uml", f"umid={self.name}",
            f"virtio_pcidev.max_delay_us={ANSWER_LIMIT_US}",
            "con=null", f"con0=null,fd:{console_end}", "console=tty0",
            f"con1=fd:{guest_end.fileno()}",
            f"lab.name={self.name}", f"lab.job={self.job / 'job'}", f"lab.modules={modules}"]
        if os.environ.get("KERNEL") == "debug":
            command.append("kasan_multi_shot")
        if self.terminal:
            command.append("con2=fd:0,fd:1")
        command += [f"virtio_uml.device={nic}:1234" for nic in self.nics]
        try:
            with open(self.log.with_suffix(".uml"), "w") as err:
                return subprocess.Popen(
                    command, stderr=err, stdout=None if self.terminal else err,
                    stdin=None if self.terminal else subprocess.DEVNULL,
                    pass_fds=(console_end, guest_end.fileno()),
                    env={"TMPDIR": "/dev/shm", "HOME": "/tmp", "PATH": os.environ["PATH"]},
                    process_group=None if self.terminal else 0)
        finally:
            os.close(console_end)
            guest_end.close()

    def copy_log(self, console):
        """Thread: what the console says, into the log, within bounds."""
        room = LOG_LIMIT
        with open(self.log, "wb", buffering=0) as log:
            while room and (data := os.read(console, 65536)):
                log.write(data[:room])
                room -= len(data[:room])
            if not room:
                log.write(b"\nlab: WARNING: the console does not stop writing: ended\n")
                self.kill()
        os.close(console)

    def connect(self):
        return self.own_end

    def nic_gone(self):
        """The guest would wait for each register; it learns nothing more."""
        self.kill()

    def kill(self):
        """The kernel and the processes that carry its user space."""
        if self.alive() and not self.terminal:
            os.killpg(self.process.pid, signal.SIGKILL)
        super().kill()
