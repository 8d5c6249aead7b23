# SPDX-License-Identifier: GPL-2.0
"""Tests of the UML kernel with sanitizers: drivers come and go and carry
traffic without a report or a leak, and each kind of mistake is reported when it
is planted.

The planted mistakes are last: lockdep stops after its own first report, and
after one of KASAN.
"""

import re

import lane
import machine
import results
from net import Failure

NAMES = ("a", "b")
CPUS = 1
NEEDS = {"LANE": "uml", "KERNEL": "debug"}

# The first scan marks, the second tells; younger than five seconds is not told.
SCAN = """
    echo scan >/sys/kernel/debug/kmemleak && sleep 6 &&
    echo scan >/sys/kernel/debug/kmemleak &&
    cat /sys/kernel/debug/kmemleak"""
# With lockdep, the sockets of an rxe device hold its module.
UNLOAD = """
    [ ! -d /sys/class/infiniband/rxe0 ] || rdma link delete rxe0
    for module in rdma_ucm ib_umad ib_uverbs rdma_rxe irdma idpf; do
        [ ! -d /sys/module/$module ] || modprobe -r $module || exit 1
    done"""


def leaks(report, known):
    """Callers, innermost first, of each allocation in kmemleak's @report that is not @known.

    @known: functions beneath which allocations are known to leak

    What the kernel allocated before init ran is no driver's, and left out.
    """
    for record in re.split(r"^(?=unreferenced object)", report, flags=re.M):
        if 'comm "swapper/0", pid 1,' in record:
            continue
        callers = re.findall(r"([\w.]+)\+0x", record)
        if record.strip() and not set(callers) & set(known):
            yield " < ".join(callers) or record.strip()


def leaves_nothing(net):
    """Drivers are unloaded, and what they allocated is gone."""
    known = results.read_skips(machine.LAB / "uml/leaks")
    jobs = {name: guest.start(f"{UNLOAD}{SCAN}") for name, guest in net.machines.items()}
    for name, job in jobs.items():
        status, report = job.wait(120)
        path = net.directory / f"{name}.leaks"
        path.write_text(report)
        found = list(leaks(report, known))
        if status != 0 or found:
            raise Failure(f"{name}: status {status}, {len(found)} leaks, see {path}: {found[:1]}")


def test_reload(net):
    lane.reload(net, lane.ROUNDS)


def test_traffic(net):
    lane.test_traffic(net)


def test_leaves_nothing(net):
    leaves_nothing(net)


def test_leak(net):
    lane.plant(net, "leak")
    if "unreferenced object" not in net.run("a", SCAN, 120):
        raise Failure("kmemleak does not see it")
    net.run("a", "echo clear >/sys/kernel/debug/kmemleak")


def test_lock_inversion(net):
    lane.reported(net, "lock-inversion", "possible circular locking dependency")


test_lock_inversion.warnings = ("WARNING: possible circular", "Call Trace")


def test_shift(net):
    lane.reported(net, "shift", "UBSAN: shift-out-of-bounds")


test_shift.warnings = ("UBSAN", "Call Trace")


def test_unmap(net):
    lane.reported(net, "unmap", "kernel/dma/debug.c")


test_unmap.warnings = ("kernel/dma/debug.c", "Modules linked in", "Call Trace")


def test_use_after_free(net):
    lane.reported(net, "use-after-free", "KASAN: slab-use-after-free")


test_use_after_free.warnings = ("KASAN", "BUG:", "Call Trace")
