# SPDX-License-Identifier: GPL-2.0
"""A guest that writes rubbish all over its device hurts itself alone: the NIC goes on,
and so do the other guests, which move data all the while.
"""

import os
import time

import apps
import driver
import lan
import rdma
from net import Failure

NAMES = ("a", "b", "c")
CPUS = 1
SECONDS = 60 if os.environ.get("LONG") else 5
LIVES = 10 if os.environ.get("LONG") else 3
OTHERS = ("c", "b")


def test_devices_up(net):
    apps.test_devices_up(net)


def others_go_on(net, scribbler, limit):
    """Traffic of the others until the job ends, its guest does, or @limit is over; rounds."""
    command = "ibv_rc_pingpong -d {device} -g {gid} -p {port} -n 200 -c"
    rounds, end = 0, time.monotonic() + limit
    while not rounds or not scribbler.future.done() and time.monotonic() < end:
        apps.pair(net, OTHERS, command, command + " {address}")
        rounds += 1
    lan.ping(net, "b", lan.address("c"))
    return rounds


def test_others_go_on(net):
    scribbler = net.machines["a"].start(f"guest/scribble {SECONDS} 1")
    rounds = others_go_on(net, scribbler, 4 * SECONDS)
    status, output = scribbler.wait(10)
    net.machines["a"].kill()
    print(f"# {output.strip()} accesses, {rounds} rounds of traffic beside them", flush=True)
    if status or status == 0 and int(output) < 100:
        raise Failure(f"status {status}, accesses: {output}")


def another_life(net):
    """Machine a anew, with a trace of what its RDMA driver shares with the device."""
    net.power_on("a").finish_boot()
    lan.bring_up(net, "a")
    net.run("a", """cd /sys/kernel/debug/tracing/events/dma
        for event in dma_alloc dma_free dma_map_sg; do echo 1 >$event/enable; done""")
    rdma.bring_up(net, "a")


def test_memory(net):
    """The same when rings, contexts, shadow areas and page lists are what is overwritten.

    A kernel whose memory is shared with a device that was led astray may well die of it;
    the next one begins again.
    """
    before, rounds, words = sum(net.nic.violation_counts().values()), 0, []
    for seed in range(LIVES):
        another_life(net)
        device, gid = net.rdma["a"]
        net.machines["a"].start(f"""while :; do
            timeout 5 ibv_rc_pingpong -d {device} -g {gid} -n 500 -e & sleep 0.2
            timeout 5 ibv_rc_pingpong -d {device} -g {gid} -n 500 -e localhost; wait; done""")
        scribbler = net.machines["a"].start(f"guest/scribble-memory {SECONDS} {seed}")
        rounds += others_go_on(net, scribbler, 4 * SECONDS)
        status, output = scribbler.wait(1) if scribbler.future.done() else (None, "no end")
        net.machines["a"].kill()
        if status:
            raise Failure(f"status {status}: {output}")
        words.append(output.strip())
    seen = sum(net.nic.violation_counts().values()) - before
    print(f"# words: {'; '.join(words)}. {seen} violations, {rounds} rounds of traffic beside them",
          flush=True)
    if not seen:
        raise Failure("the device looked at nothing that was overwritten")


for _test in (test_others_go_on, test_memory):
    _test.warnings = ("a: ",)
    _test.violations = ("a VIOLATION",)


def test_next_guest_is_served(net):
    """The next guest behind the device finds it as new.

    The one that wrote is switched off: its LAN driver does not survive everything that
    it may be made to believe.
    """
    net.power_on("a").finish_boot()
    lan.bring_up(net, "a")
    rdma.bring_up(net, "a")
    driver.ping_pong(net)
