# SPDX-License-Identifier: GPL-2.0
"""Tests of the UML kernel with sanitizers: each kind of mistake is planted and
must be reported; the drivers come and go without a report or a leak."""

import lane
from net import Failure

NAMES = ("a",)
CPUS = 1
NEEDS = {"LANE": "uml", "KERNEL": "debug"}


def leaks(net):
    """What kmemleak finds. The first scan marks, the second tells."""
    return net.run("a", """
        echo scan >/sys/kernel/debug/kmemleak; sleep 6
        echo scan >/sys/kernel/debug/kmemleak
        cat /sys/kernel/debug/kmemleak""", 120)


def test_use_after_free(net):
    lane.reported(net, "use-after-free", "KASAN: slab-use-after-free")


test_use_after_free.warnings = ("KASAN", "BUG:", "Call Trace")


def test_leak(net):
    lane.plant(net, "leak")
    if "unreferenced object" not in leaks(net):
        raise Failure("kmemleak does not see it")
    net.run("a", "echo clear >/sys/kernel/debug/kmemleak")


def test_reload(net):
    lane.reload(net, "a", lane.ROUNDS)
    found = leaks(net)
    if found:
        raise Failure(f"leaked: {found[:400]}")


def test_lock_inversion(net):
    """Last: lockdep stops after its first report."""
    lane.reported(net, "lock-inversion", "possible circular locking dependency")


test_lock_inversion.warnings = ("WARNING: possible circular", "Call Trace")
