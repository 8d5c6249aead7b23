# SPDX-License-Identifier: GPL-2.0
"""Tests of the UML lane itself, in its kernel with sanitizers: mistakes are
reported, drivers come and go cleanly, and nothing hangs the run."""

import os
import signal
import time

import lan
import uml_machine
from net import Failure

NAMES = ("a", "b")
CPUS = 1
NEEDS = {"LANE": "uml", "KERNEL": "debug"}
ROUNDS = 100

PLANT = "insmod {}/plant/plant.ko mistake={}"


def plant(net, mistake):
    net.run("a", PLANT.format(uml_machine.build()[0], mistake))
    net.run("a", "rmmod plant")


def reported(net, before, words):
    """The console must have said @words since @before."""
    new = net.warnings()[len(before):]
    if not any(words in line for line in new):
        raise Failure(f"no report of {words!r} among {new}")


def leaks(net, name):
    """What kmemleak finds. The first scan marks, the second tells."""
    return net.run(name, """
        echo scan >/sys/kernel/debug/kmemleak; sleep 6
        echo scan >/sys/kernel/debug/kmemleak
        cat /sys/kernel/debug/kmemleak""", 120)


def test_planted_nothing(net):
    plant(net, "none")


def test_planted_use_after_free(net):
    before = net.warnings()
    plant(net, "use-after-free")
    reported(net, before, "KASAN: slab-use-after-free")


test_planted_use_after_free.warnings = ("KASAN", "BUG:", "Call Trace")


def test_planted_lock_inversion(net):
    before = net.warnings()
    plant(net, "lock-inversion")
    reported(net, before, "possible circular locking dependency")


test_planted_lock_inversion.warnings = ("WARNING: possible circular", "Call Trace")


def test_planted_leak(net):
    plant(net, "leak")
    if "unreferenced object" not in leaks(net, "a"):
        raise Failure("kmemleak does not see it")
    net.run("a", "echo clear >/sys/kernel/debug/kmemleak")


def test_reload(net):
    """The LAN and the RDMA driver, loaded and unloaded under each other's feet."""
    net.run("b", f"""
        for i in $(seq {ROUNDS}); do
            modprobe idpf && modprobe irdma || exit 1
            for j in $(seq 50); do
                [ -n "$(ls /sys/bus/pci/drivers/idpf/*/net 2>/dev/null)" ] && break
                sleep 0.1
            done
            ip link set eth0 up; ip link set eth0 down
            rmmod irdma && modprobe -r idpf || exit 1
        done""", 600)
    found = leaks(net, "b")
    if found:
        raise Failure(f"leaked: {found[:400]}")


def test_traffic(net):
    for name in net.machines:
        lan.bring_up(net, name)
    lan.ping(net, "a", lan.address("b"))
    lan.transfer(net, "a", lan.address("b"), 4 << 20)


def test_silent_nic(net):
    """A NIC that stops answering: the access fails, the guest goes on."""
    pid = net.nic.process.pid
    limit = uml_machine.ANSWER_LIMIT_US / 1e6
    os.kill(pid, signal.SIGSTOP)
    began = time.monotonic()
    try:
        net.machines["a"].run("cat /sys/bus/pci/devices/*/config | md5sum", 8 * limit)
        status, text = net.machines["a"].run("echo alive")
    finally:
        os.kill(pid, signal.SIGCONT)
    if status != 0 or "alive" not in text:
        raise Failure(f"the guest hangs {time.monotonic() - began:.0f} s later: {text}")


test_silent_nic.warnings = ("um virt-pci delay", "WARNING:", "Call Trace", "idpf")
