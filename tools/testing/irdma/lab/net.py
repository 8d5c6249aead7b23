# SPDX-License-Identifier: GPL-2.0
"""Machines on one wire: a NIC process, the guests on its sockets, and what
tests do with them. Runs inside the root."""

import collections
import fcntl
import functools
import itertools
import json
import os
import signal
import socket
import subprocess
import threading
import time

import machine
import uml_machine

TOP = machine.LAB.parents[3]
BUILD = TOP / "build"

LANES = {"qemu": machine.Qemu, "uml": uml_machine.Uml}
LANE = os.environ.get("LANE") or "qemu"


class Failure(Exception):
    """A test failed; the text says how."""


@functools.cache
def build_nic():
    """The software NIC's program, made from the sources as they are."""
    done = subprocess.run(["make", "-s", f"-j{os.cpu_count()}", "-C", machine.LAB.parent / "nic"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise machine.LabError(f"the NIC does not build:\n{done.stderr}")
    return BUILD / "nic" / "nic"


class Nic:
    """The software NIC's process: one switch, one port per name.

    The trace, with violations, is @directory/nic.trace. @options are further words of
    each NIC ("no-shortcut"), @program options of the process.
    """

    def __init__(self, directory, names, transport, ports=(), options=(), program=()):
        directory.mkdir(parents=True, exist_ok=True)
        self.trace = directory / "nic.trace"
        self.control = directory / "nic.control"
        self.sockets = {name: directory / f"{name}.nic" for name in names}
        for path in (self.trace, self.control, *self.sockets.values()):
            path.unlink(missing_ok=True)
        command = [str(build_nic()), "--control", str(self.control), "--trace", str(self.trace),
                   *program]
        for name, path in self.sockets.items():
            command += ["--nic", ",".join([f"name={name},socket={path},transport={transport}",
                                           *options])]
        for port in ports:
            command += ["--port", port]
        with open(directory / "nic.err", "w") as err:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                            stdout=err, stderr=err)
        self.wait_for_sockets(directory / "nic.err")

    def wait_for_sockets(self, err):
        deadline = time.monotonic() + 10
        while not all(path.exists() for path in self.sockets.values()):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise machine.LabError(f"the NIC does not start; see {err}")
            time.sleep(0.02)

    def ask(self, request):
        """The answer, a dict, to a request on the control socket."""
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(10)
            sock.connect(str(self.control))
            sock.sendall(f"{request}\n".encode())
            with sock.makefile() as answers:
                answer = json.loads(answers.readline())
        if not answer.pop("ok"):
            raise Failure(f"NIC: {request}: {answer['error']}")
        return answer

    def clear(self, name):
        """Take @name's fault knobs away; each must have been hit."""
        faults = self.ask(f"faults {name}")["faults"]
        self.ask(f"clear {name}")
        missed = [number for number, fault in enumerate(faults, 1) if not fault["hits"]]
        if missed or not faults:
            raise Failure(f"knobs {missed} of {len(faults)} were not hit: {faults}")

    def violation_counts(self):
        """How many of each kind there were, {(NIC, kind): count}; nothing when it is dead."""
        if self.process.poll() is not None:
            return {}
        return {(name, kind): count for name in self.sockets
                for kind, count in self.ask(f"violations {name}")["kinds"].items()}

    def violations(self):
        """Trace lines that tell of a violation: of a kind, the first and then fewer and fewer."""
        if not self.trace.exists():
            return []
        return [line for line in self.trace.read_text(errors="replace").splitlines()
                if " VIOLATION " in line]

    def stop(self):
        """End the process; its exit status, None if it had to be killed."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                return None
        return self.process.returncode


class Net:
    """A NIC process and machines on it, by name; a context manager.

    What it writes is in build/machines/<label>. @ports and @devices take that
    directory and return further ports of the wire and options of the machines;
    @nic_options are further words of the NICs, @nic_program options of their process,
    more @options those of Machine.
    """

    def __init__(self, label, names, cpus, with_nic=True, ports=None, devices=None,
                 nic_options=(), nic_program=(), **options):
        self.directory = BUILD / "machines" / label
        self.directory.mkdir(parents=True, exist_ok=True)
        self.lock = self.occupy()
        self.ports = ports(self.directory) if ports else ()
        self.devices = devices(self.directory) if devices else ()
        self.names, self.cpus, self.with_nic = names, cpus, with_nic
        self.nic_options, self.nic_program, self.options = nic_options, nic_program, options
        self.nic = self.nic_status = None
        self.ending = False
        self.machines = {}
        self.past = collections.defaultdict(list)
        self.netdev = {}
        self.rdma = {}
        self.ids = itertools.count(1)

    def __enter__(self):
        if LANE not in LANES:
            raise machine.LabError(f"no lane {LANE}; say one of {', '.join(LANES)}")
        try:
            if self.with_nic:
                self.nic = Nic(self.directory, self.names, LANES[LANE].TRANSPORT, self.ports,
                               self.nic_options, self.nic_program)
            self.boot()
            if self.nic:
                threading.Thread(target=self.watch_nic, daemon=True).start()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()

    def occupy(self):
        """The directory is ours as long as the file that this gives is open."""
        lock = open(self.directory / "lock", "w", encoding="ascii")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise machine.LabError(f"{self.directory} is in use by another run") from None
        return lock

    def power_on(self, name):
        """A new machine of that name, which begins to boot."""
        if name in self.machines:
            self.past[name] += self.machines[name].warnings()
        sockets = [self.nic.sockets[name]] if self.nic else []
        guest = self.machines[name] = LANES[LANE](name, self.directory, sockets, self.cpus,
                                                  devices=self.devices, **self.options)
        guest.start_boot()
        return guest

    def boot(self):
        """Boot all machines at once."""
        for name in self.names:
            self.power_on(name)
        self.boot_seconds = {name: guest.finish_boot()
                             for name, guest in self.machines.items()}

    def watch_nic(self):
        """Thread: tell the machines when the NIC's process ends under them."""
        self.nic.process.wait()
        if not self.ending:
            for guest in self.machines.values():
                guest.nic_gone()

    def power_off(self):
        self.ending = True
        for guest in self.machines.values():
            guest.stop()

    def end(self):
        self.power_off()
        if self.nic:
            self.nic_status = self.nic.stop()
        self.lock.close()

    def run(self, name, command, timeout=60):
        """Output of a command that must succeed in the machine @name."""
        status, output = self.machines[name].run(command, timeout)
        if status != 0:
            raise Failure(f"{name}: status {status} of: {command}\n{output}")
        return output

    def entered(self):
        """Functions of our driver that were entered since the last call, with ENTERED."""
        names = set()
        for guest in self.machines.values():
            status, text = guest.run("cd /sys/kernel/debug && cat entered && echo >entered", 10) \
                if guest.alive() else (1, "")
            if status == 0:
                names |= {line.split()[0].split(".")[0] for line in text.splitlines()}
        return sorted(names)

    def next_id(self):
        return next(self.ids)

    def alive(self):
        return all(guest.alive() for guest in self.machines.values())

    def marks(self):
        """How many warnings each machine has given."""
        marks = {}
        self.warnings(marks)
        return marks

    def warnings(self, marks=None):
        """Lines "name: warning" that are new to @marks, which are moved on, or all.

        Machines that had the name before count with the present one.
        """
        marks = {} if marks is None else marks
        new = []
        for name, guest in self.machines.items():
            lines = self.past[name] + guest.warnings()
            new += [f"{name}: {line}" for line in lines[marks.get(name, 0):]]
            marks[name] = len(lines)
        return new


class Marks:
    """How far the complaints of a Net's machines and NICs were read; at first not at all."""

    def __init__(self, net):
        self.net = net
        self.warnings, self.counts = {}, {}

    def new_violations(self):
        """A line for each kind that a NIC has counted since the last call."""
        before, self.counts = self.counts, self.net.nic.violation_counts()
        traced = self.net.nic.violations()
        for (name, kind), count in self.counts.items():
            if new := count - before.get((name, kind), 0):
                what = f"{name} VIOLATION {kind}: "
                texts = [line.partition(what)[2] for line in traced if what in line]
                yield f"{what}{new} times: {texts[-1:]}"

    def complaint(self, test):
        """What came since the last call and is not declared by @test; "" if nothing."""
        violations = list(self.new_violations()) if self.net.nic else []
        for kind, lines, declared in (
                ("guest", self.net.warnings(self.warnings), getattr(test, "warnings", ())),
                ("NIC", violations, getattr(test, "violations", ()))):
            for line in lines:
                if not any(text in line for text in declared):
                    return f"{kind}: {line}"
        return ""
