# SPDX-License-Identifier: GPL-2.0
"""Tests of the LAN side: two machines, the unmodified idpf on the NIC."""

import contextlib
import json
import os
import random
import time

from net import Failure

NAMES = ("a", "b")
CPUS = 1
PEER = {"a": "b", "b": "a"}
HOST = {name: number for number, name in enumerate("abcdefgh", 1)}
LONG = bool(os.environ.get("LONG"))
ROUNDS = 20 if LONG else 2
SIZE = 256 << 20 if LONG else 4 << 20


def address(name, version=4, vlan=0):
    """The machine's address on the wire, or in the VLAN of test_vlan()."""
    return (f"192.168.{100 + vlan}.{HOST[name]}" if version == 4 else
            f"fd00::{vlan}:{HOST[name]}")


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


def wait_for_listener(net, name, port, job):
    """Until @job in the machine @name listens on the port."""
    for _ in range(300):
        if net.machines[name].run(f"ss -tlnH 'sport = :{port}' | grep -q .")[0] == 0:
            return
        if job.future.done():
            break
        time.sleep(0.1)
    raise Failure(f"{name}: {job.wait(1)[1]}")


@contextlib.contextmanager
def asked(net, before, after):
    """Within, each NIC was asked @before; @after in the end. "{}" is its name."""
    for name in net.machines:
        net.nic.ask(before.format(name))
    try:
        yield
    finally:
        for name in net.machines:
            net.nic.ask(after.format(name))


def impaired(net, settings):
    """Within, frames of all machines suffer @settings."""
    return asked(net, f"impair {{}} {settings}", "impair {} loss=0")


def suffered(net):
    """Frames of all machines that the wire has lost, delayed or changed so far."""
    ports = net.nic.ask("ports")["ports"]
    return sum(ports[name]["impaired"] for name in net.machines)


def transfer(net, sender, target, size, seed=None, receiver=None):
    """@size seeded bytes over TCP to @target of the receiver; both ends' figures."""
    seed = random.getrandbits(32) if seed is None else seed
    receiver = receiver or PEER[sender]
    port = 5000 + net.next_id()
    limit = 60 + size / (1 << 18)
    job = net.machines[receiver].start(
        f"guest/stream receive {target} {port} {size} {seed}")
    wait_for_listener(net, receiver, port, job)
    sent = json.loads(net.run(sender, f"guest/stream send {target} {port} {size} {seed}",
                              limit).splitlines()[-1])
    status, output = job.wait(limit)
    if status != 0:
        raise Failure(f"{receiver}: status {status}: {output}")
    got = json.loads(output.splitlines()[-1])
    if got["bytes"] != size or got["sha1"] != sent["sha1"]:
        raise Failure(f"sent {sent}, received {got}")
    return sent, got


def exchange(net, mtu=1500, vlan=0):
    """Full-sized echoes and SIZE bytes from a to b by IPv4, and back by IPv6."""
    for sender, version, headers in (("a", 4, 28), ("b", 6, 48)):
        target = address(PEER[sender], version, vlan)
        ping(net, sender, f"-M do {target}", 5, mtu - headers)
        transfer(net, sender, target, SIZE)
    return f"{2 * SIZE} bytes"


def set_mtu(net, mtu):
    for name in NAMES:
        net.run(name, f"ip link set {net.netdev[name]} mtu {mtu}")


def test_netdev_up(net):
    for name in net.machines:
        bring_up(net, name)


def test_traffic(net):
    return exchange(net)


def test_vlan(net):
    for name in NAMES:
        dev = net.netdev[name]
        net.run(name, f"""
            ip link add link {dev} name vlan7 type vlan id 7 &&
            ip addr add {address(name, 4, 7)}/24 dev vlan7 &&
            ip addr add {address(name, 6, 7)}/112 dev vlan7 nodad &&
            ip link set vlan7 up""")
    return exchange(net, vlan=7)


def test_mtu_9000(net):
    set_mtu(net, 9000)
    return exchange(net, 9000)


def test_vlan_mtu_9000(net):
    for name in NAMES:
        net.run(name, "ip link set vlan7 mtu 9000")
    moved = exchange(net, 9000, 7)
    for name in NAMES:
        net.run(name, "ip link del vlan7")
    set_mtu(net, 1500)
    return moved


def test_multicast(net):
    """Who joined a group answers, who left it does not."""
    groups = ("239.1.1.7", "ff05::1:7")
    sender = net.netdev["a"]
    net.run("b", "sysctl -qw net.ipv4.icmp_echo_ignore_broadcasts=0")
    member = net.machines["b"].start(f"exec guest/join {net.netdev['b']} {' '.join(groups)}")
    net.run("b", f"""
        for i in $(seq 100); do
            ip maddr show dev {net.netdev['b']} | grep -qw {groups[-1]} && exit 0; sleep 0.1
        done; exit 1""", 30)
    for group in groups:
        ping(net, "a", f"-I {sender} {group}")
    net.run("b", "pkill -f guest/join")
    member.wait(10)
    for group in groups:
        net.run("a", f"! ping -c 3 -i 0.2 -W 1 -I {sender} {group}", 20)


def test_statistics(net):
    """The driver shows what the function counted; it asks every ten seconds."""
    def counts(key):
        line = net.run("a", f"ethtool -S {net.netdev['a']} | grep -w {key}-unicast_pkts")
        return int(line.split()[1]), net.nic.ask("counters a")["lan"].get(f"{key}_unicast", 0)

    before = {key: counts(key)[1] for key in ("rx", "tx")}
    ping(net, "a", address("b"), 20)
    deadline = time.monotonic() + 30 * net.machines["a"].factor
    for key, old in before.items():
        while (shown := counts(key))[0] != shown[1] or shown[1] < old + 20:
            if time.monotonic() > deadline:
                raise Failure(f"{key}: driver and function count {shown}, was {old}")
            time.sleep(1)


def test_ethtool(net):
    """Settings read back as written, and traffic goes on."""
    dev = net.netdev["a"]
    net.run("a", f"""
        ethtool -i {dev} | grep -qx 'driver: idpf' &&
        ethtool -i {dev} |
            grep -qx "bus-info: $(basename "$(readlink -f /sys/class/net/{dev}/device)")" &&
        ethtool -L {dev} combined 4 &&
        ethtool -l {dev} | tail -1 | grep -qw 4 &&
        ethtool -G {dev} rx 1024 tx 1024 &&
        [ "$(ethtool -g {dev} | grep -cE '^(RX|TX):.*1024$')" = 2 ]""")
    bring_up(net, "a")
    ping(net, "a", address("b"))
    transfer(net, "b", address("a"), 1 << 20)
    net.run("a", f"ethtool -L {dev} combined 1; ethtool -G {dev} rx 512 tx 512")
    bring_up(net, "a")


def disturbed(net, disturb):
    """Traffic, disturb() in its midst, then the peer answers again; ROUNDS times."""
    for _ in range(ROUNDS):
        traffic = net.machines["b"].start(
            f"timeout 600 ping -q -i 0.02 -s 1000 {address('a')}")
        time.sleep(0.3)
        disturb()
        net.run("b", f"""
            for i in $(seq 60); do
                ping -q -c 1 -W 1 {address('a')} && exit 0; done; exit 1""", 90)
        net.run("b", "pkill -INT -x ping; true")
        traffic.wait(20)
        ping(net, "a", address("b"), 3)
    return f"{ROUNDS} times"


def test_driver_reload(net):
    def disturb():
        net.run("a", "modprobe -r idpf")
        bring_up(net, "a")
    return disturbed(net, disturb)


def test_link_flap(net):
    def disturb():
        carrier = f"/sys/class/net/{net.netdev['a']}/carrier"
        for state, value in (("down", 0), ("up", 1)):
            net.nic.ask(f"link a {state}")
            net.run("a", f"""
                for i in $(seq 100); do
                    [ "$(cat {carrier})" = {value} ] && exit 0; sleep 0.1; done
                exit 1""", 30)
    return disturbed(net, disturb)


def function_reset(net, name):
    """The function resets itself; the driver finds out, without asking for a reset
    of its own, and sets the mailbox up again."""
    def mailboxes():
        return net.nic.ask(f"counters {name}")["registers"]["ARQLEN"]["writes"]

    before = mailboxes()
    net.nic.ask(f"reset {name}")
    deadline = time.monotonic() + 20 * net.machines[name].factor
    while mailboxes() == before:
        if time.monotonic() > deadline:
            raise Failure("the driver did not notice the reset in 20 seconds")
        time.sleep(0.1)


def test_function_reset(net):
    def disturb():
        function_reset(net, "a")
        bring_up(net, "a")
    return disturbed(net, disturb)


test_function_reset.warnings = ("idpf",)
test_function_reset.violations = ("tx-off",)  # it transmits until it finds out


def test_hotplug(net):
    """The device goes without warning, and its connection with it; it comes back."""
    def disturb():
        net.run("a", f"""
            echo virtio-uml.0 >/sys/bus/platform/drivers/virtio-uml/unbind
            ! ip link show {net.netdev['a']}""")
        net.run("a", "echo virtio-uml.0 >/sys/bus/platform/drivers/virtio-uml/bind")
        bring_up(net, "a")
    return disturbed(net, disturb)


def test_remove_rescan(net):
    """The PCI device is taken from the guest's bus and found again."""
    def disturb():
        net.run("a", f"""
            device=$(readlink -f /sys/class/net/{net.netdev['a']}/device)
            echo 1 >"$device/remove" && echo 1 >/sys/bus/pci/rescan""")
        bring_up(net, "a")
    return disturbed(net, disturb)
