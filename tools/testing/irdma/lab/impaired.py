# SPDX-License-Identifier: GPL-2.0
"""Tests of a wire that is not perfect: what arrives over TCP is what was sent,
and the NIC did to the frames what it was told."""

import lan
from net import Failure

NAMES = ("a", "b")
CPUS = 1
SIZE = 1 << 20


def test_netdev_up(net):
    for name in NAMES:
        lan.bring_up(net, name)


def impaired(net, settings):
    """A transfer while frames of both machines suffer @settings; how many of a's did."""
    before = net.nic.ask("ports")["ports"]["a"]["impaired"]
    with lan.impaired(net, settings):
        lan.transfer(net, "a", lan.address("b"), SIZE)
    return net.nic.ask("ports")["ports"]["a"]["impaired"] - before


def rate(net, settings, expected):
    """About @expected of the 725 frames of a megabyte must suffer."""
    count = impaired(net, settings)
    if not expected / 3 < count < expected * 3:
        raise Failure(f"{settings}: {count} frames suffered, about {expected} expected")


def test_loss(net):
    rate(net, "loss=20000", 14)


def test_reorder(net):
    rate(net, "reorder=200000", 125)


def test_duplicate(net):
    rate(net, "dup=200000", 145)


def test_corrupt(net):
    rate(net, "corrupt=20000", 14)


def test_delay(net):
    took = lan.transfer(net, "a", lan.address("b"), SIZE)[0]["seconds"]
    with lan.impaired(net, "delay=20ms jitter=5ms"):
        late = lan.transfer(net, "a", lan.address("b"), SIZE)[0]["seconds"]
        lan.ping(net, "a", lan.address("b"))
    if late < took + 0.08:
        raise Failure(f"{took} s without, {late} s with 20 ms of delay each way")


def test_all_at_once(net):
    if not impaired(net, "loss=5000 dup=5000 reorder=20000 corrupt=2000 delay=1ms jitter=1ms"):
        raise Failure("no frame suffered")
