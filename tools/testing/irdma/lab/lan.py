# SPDX-License-Identifier: GPL-2.0
"""Tests of the LAN side: two machines, the unmodified idpf on the NIC."""

import json
import os
import random
import time

from net import Failure

NAMES = ("a", "b")
CPUS = 1
PEER = {"a": "b", "b": "a"}
HOST = {"a": 1, "b": 2}
ROUNDS = 20 if os.environ.get("LONG") else 2


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


def wait_for_listener(net, name, port, job):
    """Until @job in the machine @name listens on the port."""
    for _ in range(300):
        if net.machines[name].run(f"ss -tlnH 'sport = :{port}' | grep -q .")[0] == 0:
            return
        if job.future.done():
            break
        time.sleep(0.1)
    raise Failure(f"{name}: {job.wait(1)[1]}")


def transfer(net, sender, target, size, seed=None):
    """@size seeded bytes over TCP to @target of the peer; both ends' figures."""
    seed = random.getrandbits(32) if seed is None else seed
    receiver = PEER[sender]
    port = 5000 + net.next_id()
    limit = 30 + size / (1 << 20)
    job = net.machines[receiver].start(
        f"guest/stream receive {target} {port} {size} {seed}")
    wait_for_listener(net, receiver, port, job)
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


def test_mtu_9000(net):
    for name in NAMES:
        net.run(name, f"ip link set {net.netdev[name]} mtu 9000")
    net.run("a", f"ping -M do -s 8972 -c 3 -i 0.2 -W 5 {address('b')}", 20)
    transfer(net, "a", address("b"), 4 << 20)
    transfer(net, "b", address("a", 6), 4 << 20)
    for name in NAMES:
        net.run(name, f"ip link set {net.netdev[name]} mtu 1500")
    ping(net, "a", address("b"))


def test_vlan(net):
    for name in NAMES:
        dev = net.netdev[name]
        net.run(name, f"""
            ip link add link {dev} name vlan7 type vlan id 7 &&
            ip addr add 192.168.107.{HOST[name]}/24 dev vlan7 &&
            ip link set vlan7 up""")
    ping(net, "a", "192.168.107.2")
    transfer(net, "a", "192.168.107.2", 4 << 20)
    for name in NAMES:
        net.run(name, "ip link del vlan7")


def test_multicast(net):
    group, dev = "ff05::1:7", net.netdev["b"]
    net.run("b", f"ip addr add {group}/128 dev {dev} autojoin")
    ping(net, "a", f"-I {net.netdev['a']} {group}")
    net.run("b", f"ip addr del {group}/128 dev {dev}")


def test_ethtool(net):
    """Settings read back as written, and traffic goes on."""
    dev = net.netdev["a"]
    net.run("a", f"""
        ethtool -i {dev} | grep -qx 'driver: idpf' &&
        ethtool -L {dev} combined 4 &&
        ethtool -l {dev} | tail -1 | grep -qw 4 &&
        ethtool -G {dev} rx 1024 tx 1024 &&
        [ "$(ethtool -g {dev} | grep -cE '^(RX|TX):.*1024$')" = 2 ]""")
    bring_up(net, "a")
    ping(net, "a", address("b"))
    transfer(net, "b", address("a"), 4 << 20)
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


def test_driver_reload(net):
    def disturb():
        net.run("a", "modprobe -r idpf")
        bring_up(net, "a")
    disturbed(net, disturb)


def test_link_flap(net):
    def disturb():
        carrier = f"/sys/class/net/{net.netdev['a']}/carrier"
        for state, value in (("down", 0), ("up", 1)):
            net.nic.ask(f"link a {state}")
            net.run("a", f"""
                for i in $(seq 100); do
                    [ "$(cat {carrier})" = {value} ] && exit 0; sleep 0.1; done
                exit 1""", 30)
    disturbed(net, disturb)


def test_function_reset(net):
    """The function resets itself; the driver finds out, without asking for a reset
    of its own, and sets the mailbox up again."""
    def mailboxes():
        return net.nic.ask("counters a")["registers"]["ARQLEN"]["writes"]

    def disturb():
        before = mailboxes()
        net.nic.ask("reset a")
        for _ in range(200):
            if mailboxes() > before:
                break
            time.sleep(0.1)
        else:
            raise Failure("the driver did not notice the reset in 20 seconds")
        bring_up(net, "a")
    disturbed(net, disturb)


test_function_reset.warnings = ("idpf",)
test_function_reset.violations = ("tx-off",)  # it transmits until it finds out


def test_remove_rescan(net):
    """The PCI device is taken from the guest's bus and found again."""
    def disturb():
        net.run("a", f"""
            device=$(readlink -f /sys/class/net/{net.netdev['a']}/device)
            echo 1 >"$device/remove" && echo 1 >/sys/bus/pci/rescan""")
        bring_up(net, "a")
    disturbed(net, disturb)
