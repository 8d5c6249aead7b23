# SPDX-License-Identifier: GPL-2.0
"""What verbs cost: commands that the device gets, counted by the NIC."""

import lan
import rdma
from net import Failure

NAMES = ("a",)
CPUS = 1
NEEDS = {"DRIVER": "ours"}
COUNT = 8


def commands(net):
    return sum(net.nic.ask("counters a")["commands"].values())


def cost(net, kind):
    """Commands per operation and its undoing, beyond those of the program around it."""
    device, gid = net.rdma["a"]
    spent = []
    for count in (0, COUNT):
        before = commands(net)
        net.run("a", f"ulimit -l unlimited; guest/rdma-costs {device} {gid} {kind} {count}", 60)
        spent.append(commands(net) - before)
    return (spent[1] - spent[0]) / COUNT


def at_most(net, kind, limit):
    spent = cost(net, kind)
    if not 0 <= spent <= limit:
        raise Failure(f"{kind}: {spent} commands, at most {limit}")


def test_device_up(net):
    lan.bring_up(net, "a")
    rdma.bring_up(net, "a")
    cost(net, "qp")		# the peer is known from here on


def test_memory_region(net):
    """One command registers, one deregisters; the user's CQ and QP rings need none."""
    at_most(net, "mr", 2)


def test_completion_queue(net):
    at_most(net, "cq", 2)


def test_queue_pair(net):
    """Three commands to RTS, three to destroy."""
    at_most(net, "qp", 6)


def test_known_address_handle(net):
    at_most(net, "ah", 0)
