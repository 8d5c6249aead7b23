# SPDX-License-Identifier: GPL-2.0
"""Tests of memory that comes with the calls: buffer attributes and dma-bufs."""

import lan
import rdma
from driver import objects
from net import Failure

NAMES = ("a",)
CPUS = 1
NEEDS = {"DRIVER": "ours"}


def attached(net):
    """dma-bufs that exist; none may be left when their user has ended."""
    return net.run("a", "mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs "
                        "/sys/kernel/debug; tail -1 /sys/kernel/debug/dma_buf/bufinfo").strip()


def move_data(net, kind):
    """Verified data over queues and regions whose buffers are of @kind; nothing is left."""
    before = objects(net), attached(net)
    device, gid = net.rdma["a"]
    net.run("a", f"guest/rdma-buffers {device} {gid} {kind}", 120)
    if (objects(net), attached(net)) != before:
        raise Failure(f"left: {objects(net)}, {attached(net)}, not {before}")


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
