# SPDX-License-Identifier: GPL-2.0
"""Tests of the UML lane itself: mistakes are reported, drivers come and go
cleanly, and a NIC that is silent or dead does not hang the run.

The last test ends the machines.
"""

import os
import signal
import time

import lan
import uml_machine
from net import Failure

NAMES = ("a", "b")
CPUS = 1
NEEDS = {"LANE": "uml"}
NIC_STATUS = -signal.SIGKILL
ROUNDS = 100 if os.environ.get("LONG") else 10


def plant(net, mistake):
    kernel, _ = uml_machine.build()
    net.run("a", f"insmod {kernel}/plant/plant.ko mistake={mistake} && rmmod plant")


def reported(net, mistake, words):
    """The mistake @mistake must put @words on the console."""
    marks = net.marks()
    plant(net, mistake)
    new = net.warnings(marks)
    if not any(words in line for line in new):
        raise Failure(f"no report of {words!r} among {new}")


def test_planted_nothing(net):
    plant(net, "none")


def reload(net, rounds):
    """Load and unload the LAN and the RDMA driver, in all machines at once.

    Every second time they go while the RDMA device is still being made.
    """
    jobs = [guest.start(f"""
        for i in $(seq {rounds}); do
            modprobe idpf && modprobe irdma || exit 1
            for j in $(seq 100); do
                [ -e /sys/class/net/eth0 ] && break
                sleep 0.1
            done
            ip link set eth0 up && ip link set eth0 down || exit 1
            for j in $(seq $((i % 2 * 100))); do
                [ -e /sys/class/infiniband/* ] && break
                sleep 0.1
            done
            rmmod irdma && rmmod idpf || exit 1
        done""") for guest in net.machines.values()]
    for job in jobs:
        status, output = job.wait(60 + 10 * rounds)
        if status != 0:
            raise Failure(f"status {status}: {output}")


def test_reload(net):
    reload(net, ROUNDS)


def test_traffic(net):
    for name in net.machines:
        lan.bring_up(net, name)
    lan.ping(net, "a", lan.address("b"))
    lan.transfer(net, "a", lan.address("b"), 4 << 20)


def test_silent_nic(net):
    """A register access that gets no answer fails, and the guest goes on.

    Both guests hang on the NIC, and their drivers poll it: neither may be left
    with its report still to come.
    """
    marks, warnings = net.marks(), []
    os.kill(net.nic.process.pid, signal.SIGSTOP)
    try:
        for name, guest in net.machines.items():
            guest.run("cat /sys/bus/pci/devices/*/config >/dev/null", 300)
            status, text = guest.run("echo alive", 60)
            if status != 0:
                raise Failure(f"{name} hangs: {text}")
            warnings += net.warnings(marks)
            if not any(line.startswith(f"{name}: ") and "at virtio_pcidev_send_cmd" in line
                       for line in warnings):
                raise Failure(f"{name}: no access failed")
    finally:
        os.kill(net.nic.process.pid, signal.SIGCONT)


test_silent_nic.warnings = ("virtio_pcidev", "um virt-pci delay", "Call Trace", "idpf")


# The allocator complains of the slab again whenever one of its objects is freed, so
# nothing else is asked of this machine afterwards.
SLAB_REPORTS = ("BUG kmalloc-64", "WARNING: mm/slub.c", "Call Trace", "Modules linked in",
                "KASAN: slab-use-after-free", "BUG: KASAN")


def test_planted_write_after_free(net):
    debug = os.environ.get("KERNEL") == "debug"
    reported(net, "write-after-free", "KASAN" if debug else "BUG kmalloc-64")


test_planted_write_after_free.warnings = SLAB_REPORTS


def test_dead_nic(net):
    """Guests whose NIC's process died are ended."""
    net.nic.process.kill()
    deadline = time.monotonic() + 20
    while any(guest.alive() for guest in net.machines.values()):
        if time.monotonic() > deadline:
            raise Failure("a guest lives on without its NIC")
        time.sleep(0.1)


test_dead_nic.warnings = ("idpf", "virtio_", "virt-pci", *SLAB_REPORTS)
