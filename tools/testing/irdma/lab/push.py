# SPDX-License-Identifier: GPL-2.0
"""Tests of push pages, which only a machine with write-combining is offered."""

import costs
import lan
import rdma
from driver import ping_pong
from net import Failure
from rdma import nothing_left

NAMES = ("a",)
CPUS = 2
NEEDS = {"DRIVER": "ours", "LANE": "qemu"}
# A virtual function has few windows.
NIC_OPTIONS = ("vf",)
WINDOWS = 8

PUSH_PAGE = 0x11
# What the kernel keeps of the attributes with which memory is mapped.
MAPPED = "/sys/kernel/debug/x86/pat_memtype_list"


def pages_asked_for(net):
    return net.nic.ask("counters a")["commands"].get("push-page", 0)


def test_device_up(net):
    lan.bring_up(net, "a")
    rdma.bring_up(net, "a")


def test_pushed(net):
    """Two queue pairs push, and the next two use the same pages."""
    before = pages_asked_for(net)
    with nothing_left(net):
        for _ in range(2):
            ping_pong(net, 200)
        if pages_asked_for(net) != before + 2:
            raise Failure(f"{pages_asked_for(net) - before} commands, not one for each page")


def test_window_is_write_combining(net):
    """Window by window, each followed by an uncached page."""
    device, gid = net.rdma["a"]
    command = f"ibv_rc_pingpong -d {device} -g {gid} -n 100000"
    job = net.machines["a"].start(f"{command} & sleep 1; timeout 20 {command} localhost; kill %1")
    try:
        kinds = net.run("a", f"""mountpoint -q /sys/kernel/debug ||
                mount -t debugfs debugfs /sys/kernel/debug
            for i in $(seq 100); do
                grep -q write-combining {MAPPED} && break
                sleep 0.1
            done
            cat {MAPPED}""", 60)
    finally:
        job.wait(60)
    mapped = {}
    for line in kinds.splitlines():
        if "[mem " in line:
            start, end = line.split("[mem ")[1].split("]")[0].split("-")
            mapped[int(start, 16)] = int(end, 16), line.split()[-1]
    windows = [start for start, (_, kind) in mapped.items() if kind == "write-combining"]
    if not windows:
        raise Failure(f"no window is mapped write-combining: {kinds}")
    for start in windows:
        end = mapped[start][0]
        if mapped.get(end, (0, ""))[1] not in ("uncached-minus", "uncached"):
            raise Failure(f"nothing uncached behind {start:#x}: {kinds}")


def hold(net, count):
    """Push-page commands, and all commands, while @count queue pairs are held at RTS."""
    asked = pages_asked_for(net)
    (spent, *_), _ = costs.measure(net, "held-qp", count)
    return pages_asked_for(net) - asked, spent


def test_more_than_windows(net):
    """Queue pairs without a window do not cost a command, nor a line in the log.

    Those that follow cost three commands to RTS and three to destroy.
    """
    known = pages_asked_for(net)
    few, _ = hold(net, WINDOWS - 1)
    if known + few != WINDOWS - 1:
        raise Failure(f"{known + few} commands for {WINDOWS - 1} windows")
    many, _ = hold(net, 3 * WINDOWS)
    if known + few + many != WINDOWS + 1:
        raise Failure(f"{known + few + many} commands for {WINDOWS} windows and a refusal")
    (again, around), (still, spent) = hold(net, 0), hold(net, 3 * WINDOWS)
    if again + still or spent - around > 3 * WINDOWS * 6:
        raise Failure(f"{again + still} more; {3 * WINDOWS} cost {spent - around} commands")


def test_without(net):
    """A device that has no push page to give: queue pairs ring the doorbell page."""
    net.run("a", "rmmod irdma", 60)
    rdma.bring_up(net, "a")
    before = pages_asked_for(net)
    net.nic.ask(f"fault a cqp-command:{PUSH_PAGE},fail=0x10001,count=0")
    ping_pong(net)
    net.nic.ask("clear a")
    if pages_asked_for(net) != before + 1:
        raise Failure(f"{pages_asked_for(net) - before} commands, not one that was refused")
