# SPDX-License-Identifier: GPL-2.0
"""Tests of the wire's socket ports: one machine with the NIC and, behind QEMU's
own network back ends, a virtio device for each kind of port in a network
namespace of its own."""

import json
import pathlib
import socket

import lan
from net import Failure

NAMES = ("a",)
CPUS = 1
NEEDS = {"LANE": "qemu"}

# Kind of port: last digit of its device's addresses.
KINDS = {"stream": 11, "dgram": 12, "udp": 13}


def free_udp_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


UDP_NIC, UDP_QEMU = free_udp_port(), free_udp_port()


def ports(directory):
    """What the NIC's process is told."""
    for path in ("nic.dgram", "qemu.dgram"):
        pathlib.Path(directory / path).unlink(missing_ok=True)
    return [f"name=stream,spec=unix-listen:{directory}/stream",
            f"name=dgram,spec=unix-dgram:{directory}/nic.dgram:{directory}/qemu.dgram",
            f"name=udp,spec=udp:{UDP_NIC}:127.0.0.1:{UDP_QEMU}"]


def devices(directory):
    """What QEMU is told."""
    backends = [
        f"stream,id=stream,server=off,addr.type=unix,addr.path={directory}/stream",
        f"dgram,id=dgram,local.type=unix,local.path={directory}/qemu.dgram,"
        f"remote.type=unix,remote.path={directory}/nic.dgram",
        f"dgram,id=udp,local.type=inet,local.host=127.0.0.1,local.port={UDP_QEMU},"
        f"remote.type=inet,remote.host=127.0.0.1,remote.port={UDP_NIC}"]
    command = []
    for kind, backend in zip(KINDS, backends, strict=True):
        command += ["-netdev", backend,
                    "-device", f"virtio-net-pci,netdev={kind},mac=52:54:00:00:01:{KINDS[kind]:02x}"]
    return command


def transfer(net, sender, receiver, target, size=1 << 20):
    """Seeded bytes over TCP; @sender and @receiver are prefixes of the commands."""
    port = 5000 + net.next_id()
    job = net.machines["a"].start(
        f"{receiver} guest/stream receive {target} {port} {size} {port}")
    net.run("a", f"""
        for i in $(seq 200); do
            {receiver} ss -tlnH 'sport = :{port}' | grep -q . && exit 0; sleep 0.1
        done; exit 1""", 30)
    net.run("a", f"{sender} guest/stream send {target} {port} {size} {port}", 60)
    status, output = job.wait(60)
    if status != 0 or json.loads(output.splitlines()[-1])["bytes"] != size:
        raise Failure(f"status {status}: {output}")


def exchange(net, kind):
    address = f"192.168.100.{KINDS[kind]}"
    before = net.nic.ask("ports")["ports"][kind]
    lan.ping(net, "a", address)
    transfer(net, "", f"ip netns exec {kind}", address)
    transfer(net, f"ip netns exec {kind}", "", lan.address("a"))
    after = net.nic.ask("ports")["ports"][kind]
    for counter in ("rx_bytes", "tx_bytes"):
        if after[counter] - before[counter] < 1 << 20:
            raise Failure(f"the NIC counts {before} before, {after} after")


def test_devices_up(net):
    lan.bring_up(net, "a")
    for kind, digit in KINDS.items():
        net.run("a", f"""
            modprobe virtio_net && ip netns add {kind} || exit 1
            for i in $(seq 50); do
                for address in /sys/class/net/*/address; do
                    [ "$(cat $address)" = 52:54:00:00:01:{digit:02x} ] || continue
                    ip link set "$(basename "$(dirname $address)")" netns {kind} name net0 &&
                    ip -n {kind} addr add 192.168.100.{digit}/24 dev net0 &&
                    ip -n {kind} link set net0 up && exit 0
                    exit 1
                done
                sleep 0.1
            done
            exit 1""", 30)


def test_stream(net):
    exchange(net, "stream")


def test_dgram(net):
    exchange(net, "dgram")


def test_udp(net):
    exchange(net, "udp")


def test_between_ports(net):
    """Two sockets talk over the switch, past the NIC."""
    before = net.nic.ask("counters a")["lan"].get("rx_unicast", 0)
    transfer(net, "ip netns exec udp", "ip netns exec stream",
             f"192.168.100.{KINDS['stream']}")
    after = net.nic.ask("counters a")["lan"].get("rx_unicast", 0)
    if after - before > 10:
        raise Failure(f"the NIC got {after - before} frames that were not its own")
