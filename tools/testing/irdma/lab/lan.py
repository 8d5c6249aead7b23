# SPDX-License-Identifier: GPL-2.0
"""Tests of the LAN side: two machines, the unmodified idpf on the NIC."""

import json
import random

from net import Failure

NAMES = ("a", "b")
CPUS = 1
PEER = {"a": "b", "b": "a"}
HOST = {"a": 1, "b": 2}


def address(name, version=4):
    return f"192.168.100.{HOST[name]}" if version == 4 else f"fd00::{HOST[name]}"


def netdev(net, name):
    """The machine's netdev that idpf drives, found once it is there."""
    return net.run(name, """
        for i in $(seq 100); do
            for path in /sys/bus/pci/drivers/idpf/*/net/*; do
                [ -e "$path" ] && basename "$path" && exit 0
            done
            sleep 0.1
        done
        dmesg | tail -20; exit 1""", 30).strip()


def bring_up(net, name, mtu=1500):
    """idpf loaded, netdev up with its addresses, carrier on; its name."""
    net.run(name, "modprobe idpf")
    dev = net.netdev[name] = netdev(net, name)
    net.run(name, f"""
        ip link set {dev} mtu {mtu} up &&
        ip addr replace {address(name)}/24 dev {dev} &&
        ip addr replace {address(name, 6)}/64 dev {dev} nodad &&
        for i in $(seq 100); do
            [ "$(cat /sys/class/net/{dev}/carrier)" = 1 ] && exit 0
            sleep 0.1
        done
        exit 1""", 30)
    return dev


def ping(net, name, target, count=5, size=56):
    """All of @count echoes must come back."""
    net.run(name, f"ping -c {count} -i 0.2 -W 5 -s {size} {target}",
            10 + 2 * count)


def transfer(net, sender, target, size, seed=None):
    """@size seeded bytes over TCP to @target of the peer; both ends' figures."""
    seed = random.getrandbits(32) if seed is None else seed
    receiver = PEER[sender]
    port = 5000 + net.next_id()
    limit = 30 + size / (1 << 20)
    job = net.machines[receiver].start(
        f"guest/stream receive {target} {port} {size} {seed}")
    net.run(receiver, f"""
        for i in $(seq 200); do
            ss -tlnH 'sport = :{port}' | grep -q . && exit 0; sleep 0.1
        done; exit 1""", 25)
    sent = json.loads(net.run(sender, f"guest/stream send {target} {port} {size} {seed}",
                              limit).splitlines()[-1])
    status, output = job.wait(limit)
    if status != 0:
        raise Failure(f"{receiver}: status {status}: {output}")
    got = json.loads(output.splitlines()[-1])
    if got["bytes"] != size or got["sha256"] != sent["sha256"]:
        raise Failure(f"sent {sent}, received {got}")
    return sent, got


def test_netdev_up(net):
    for name in net.machines:
        bring_up(net, name)


def test_ping(net):
    ping(net, "a", address("b"))
    ping(net, "b", address("a"))


def test_ping_ipv6(net):
    ping(net, "a", address("b", 6))


def test_tcp(net):
    transfer(net, "a", address("b"), 8 << 20)
    transfer(net, "b", address("a"), 8 << 20)


def test_tcp_ipv6(net):
    transfer(net, "a", address("b", 6), 4 << 20)
