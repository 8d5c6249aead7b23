# SPDX-License-Identifier: GPL-2.0
"""Tests of memory that comes with the calls: buffer attributes and dma-bufs."""

import lan
import rdma
import uml_machine
from driver import came_back, ping_pong, resets
from net import Failure
from rdma import nothing_left

NAMES = ("a",)
CPUS = 1
NEEDS = {"DRIVER": "ours", "LANE": "uml"}

DEALLOC_STAG = 0x0d
# The roads by address that guest/rdma-buffers tries.
ROADS = 10


def in_use(net):
    """Verbs objects, and the dma-bufs that exist."""
    return rdma.objects(net), net.run("a", """
        mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
        tail -1 /sys/kernel/debug/dma_buf/bufinfo""").strip()


def move_data(net, kind):
    """Verified data over queues and regions whose buffers are of @kind; nothing is left."""
    with nothing_left(net, count=in_use):
        device, gid = net.rdma["a"]
        net.run("a", f"guest/rdma-buffers {device} {gid} {kind}", 120)


def test_device_up(net):
    lan.bring_up(net, "a")
    rdma.bring_up(net, "a")


def test_address(net):
    move_data(net, "address")


def test_one_piece(net):
    """dma-bufs of the system heap."""
    move_data(net, "heap")


def test_scattered(net):
    """dma-bufs without two pages that follow each other: rings by page list."""
    move_data(net, "scattered")


def roles(net):
    """The module that plays an exporter and an encrypting platform is loaded."""
    kernel, _ = uml_machine.build()
    net.run("a", f"grep -q '^roles ' /proc/modules || insmod {kernel}/plant/roles.ko")


def revoke(net, *more):
    roles(net)
    device, gid = net.rdma["a"]
    return net.machines["a"].start(" ".join(map(str, (
        "timeout 60 guest/rdma-revoke", device, gid, *more))))


def test_revoked(net):
    """A region dies when its dma-buf is taken back under traffic, and each key dies once."""
    killed = net.nic.ask("counters a")["commands"].get("deallocate-stag", 0)
    for more in (), ("keep",):
        with nothing_left(net, count=in_use):
            status, output = revoke(net, *more).wait(120)
            if status != 0:
                raise Failure(output)
    killed = net.nic.ask("counters a")["commands"]["deallocate-stag"] - killed
    if killed != 6:
        raise Failure(f"six keys took {killed} commands to die")


def test_encrypted(net):
    """Where no user memory can be reached by address, every road by it says so."""
    with nothing_left(net, count=in_use):
        device, gid = net.rdma["a"]
        roles(net)
        mark = "/sys/module/roles/parameters/bounce"
        net.run("a", f"echo {net.netdev['a']} 1 >{mark}")
        try:
            refused = net.run("a", f"guest/rdma-buffers {device} {gid} refused").splitlines()
            move_data(net, "heap")
            move_data(net, "scattered")
        finally:
            net.run("a", f"echo {net.netdev['a']} 0 >{mark}")
        end = ": Operation not supported"
        if len(refused) != ROADS or not all(line.endswith(end) for line in refused):
            raise Failure(" | ".join(refused))
    ping_pong(net)


def test_refused_revocation(net):
    """A device that keeps a revoked key is reset, and comes back."""
    reset = resets(net)
    net.nic.ask(f"fault a cqp-command:{DEALLOC_STAG},fail=0x10001")
    job = revoke(net)
    came_back(net, reset)
    # What it waits for was lost with the device.
    net.run("a", "pkill rdma-revoke")
    status, output = job.wait(10)
    if status in (0, None):
        raise Failure(f"status {status}: {output}")


test_refused_revocation.warnings = ("command 0xd failed", "requesting a function reset")
# The program goes on ringing.
test_refused_revocation.violations = ("cqp-objects-left", "doorbell-no-qp")
