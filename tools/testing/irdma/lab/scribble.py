# SPDX-License-Identifier: GPL-2.0
"""A guest that writes rubbish all over its device hurts itself alone: the NIC goes on,
and so do the other guests, which move data all the while.
"""

import os

import apps
import driver
import lan
import rdma
from net import Failure

NAMES = ("a", "b", "c")
CPUS = 1
SECONDS = 60 if os.environ.get("LONG") else 5
OTHERS = ("c", "b")


def test_devices_up(net):
    apps.test_devices_up(net)


def test_others_go_on(net):
    scribbler = net.machines["a"].start(f"guest/scribble {SECONDS} 1")
    command = "ibv_rc_pingpong -d {device} -g {gid} -p {port} -n 200 -c"
    rounds = 0
    while not scribbler.future.done() or not rounds:
        apps.pair(net, OTHERS, command, command + " {address}")
        rounds += 1
    lan.ping(net, "b", lan.address("c"))
    status, output = scribbler.wait(10)
    print(f"# {output.strip()} accesses, {rounds} rounds of traffic beside them", flush=True)
    if status == 0 and int(output) < 100:
        raise Failure(f"{output} accesses are too few")


test_others_go_on.warnings = ("a: ",)
test_others_go_on.violations = (" a VIOLATION",)


def test_next_guest_is_served(net):
    """The next guest behind the device finds it as new.

    The one that wrote is switched off: its LAN driver does not survive everything that
    it may be made to believe.
    """
    net.machines["a"].kill()
    net.power_on("a").finish_boot()
    lan.bring_up(net, "a")
    rdma.bring_up(net, "a")
    driver.ping_pong(net)
