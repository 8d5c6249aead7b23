# SPDX-License-Identifier: GPL-2.0
"""What the NIC sends, read by two programs that nobody here wrote: tshark finds no
malformed frame, scapy computes each ICRC again. A captured port has no shortcut, so
the tests are also those of RDMA between two NICs, and within one, by packets.
"""

import itertools
import json
import subprocess

import apps
import lan
import machine
import rdma
import rxe
from net import Failure

NAMES = ("a", "b")
CPUS = 1
# In a message whose padding begins so soon that it looks like the rest of an Ethernet
# type tshark would look for that protocol.
SIZES = (5, 200001)

# Every operation code of the reliable connection, and of datagrams. The congestion
# notification, for which no driver asks, is held against scapy's by the unit tests.
EXPECTED = {*range(0x00, 0x15), 0x16, 0x17, 0x64, 0x65}

# RoCEv2 has no UDP checksum, in IPv6 neither.
BAD = ("_ws.malformed || "
       "(infiniband && _ws.expert.severity == error && !(ipv6 && udp.checksum == 0))")


def capture_file(net, name):
    return net.directory / f"{name}.pcap"


def test_devices_up(net):
    for name in NAMES:
        capture_file(net, name).unlink(missing_ok=True)
        net.nic.ask(f"capture {name} {capture_file(net, name)}")
    rdma.test_device_up(net)


def test_operations(net):
    for operation, size in itertools.product(("write", "read", "send"), SIZES):
        rdma.stream(net, "a", operation, size)
    for operation in ("write-imm", "send-imm", "send-inv", "datagram"):
        rxe.all_arrive(net, operation, SIZES[:1] if operation == "datagram" else SIZES)
    rxe.pair(net, "b", "ib_write_lat", "-x GID", "-F", "-n 20")
    for kind in ("FETCH_AND_ADD", "CMP_AND_SWAP"):
        rxe.pair(net, "b", "ib_atomic_bw", "-x GID", "-F", "-n 20", f"-A {kind}")
    rxe.pair(net, "a", "ibv_ud_pingpong", "-g GID", "-c", "-n 20", "-s 1000")


def test_within_one_nic(net):
    command = "ibv_rc_pingpong -d {device} -g {gid} -p {port} -c -n 20"
    apps.pair(net, "loopback", command, command + " {address}")


def test_ipv6(net):
    rxe.rping(net, "b", lan.address("b", 6), "-a ::")


def test_vlan(net):
    for name in NAMES:
        net.run(name, f"""
            ip link add link {net.netdev[name]} name vlan9 type vlan id 9 &&
            ip addr add {lan.address(name, 4, 9)}/24 dev vlan9 && ip link set vlan9 up""")
    rxe.rping(net, "b", lan.address("b", 4, 9))
    for name in NAMES:
        net.run(name, "ip link del vlan9")


def source_port(label):
    """Of 20 bits, 14 are left."""
    return 0xc000 | (label & 0x3fff) ^ (label >> 14)


def test_flow_labels(net):
    """A label that is given makes the source port."""
    device, gid = net.rdma["a"]
    lines = net.run("a", f"guest/rdma-verbs {device} {gid} labels").splitlines()
    labels = {int(peer): int(label) for label, peer in map(str.split, lines)}
    seen = {}
    for line in tshark(capture_file(net, "a"), "-Y", "infiniband.bth.opcode == 10", "-T", "fields",
                       "-e", "infiniband.bth.destqp", "-e", "udp.srcport"):
        peer, port = line.split()
        seen.setdefault(int(peer, 0), set()).add(int(port))
    wrong = {hex(label): seen.get(peer) for peer, label in labels.items()
             if seen.get(peer) != {source_port(label)}}
    if wrong:
        raise Failure(f"source ports by label: {wrong}")


def test_captures_end(net):
    for name in NAMES:
        net.nic.ask(f"capture {name} off")


def tshark(path, *options):
    """What tshark prints. It takes what a program sends for RPC or EoIB, if asked to guess."""
    done = subprocess.run(["tshark", "-n", "-r", path, "--disable-protocol", "rpcordma",
                           "--disable-protocol", "infiniband.eoib", *options],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(f"tshark: {done.stderr}")
    return done.stdout.splitlines()


def test_tshark(net):
    for name in NAMES:
        path = capture_file(net, name)
        bad = tshark(path, "-Y", BAD)
        if bad:
            raise Failure(f"{name}: {len(bad)} malformed, the first: {bad[0]}")
        seen = set(tshark(path, "-Y", "infiniband", "-T", "fields", "-e", "infiniband.bth.opcode"))
        missing = EXPECTED - {int(code, 0) for code in seen}
        if missing:
            raise Failure(f"{name}: no packet of {sorted(map(hex, missing))}")


def test_icrc(net):
    for name in NAMES:
        done = subprocess.run(["python3", machine.LAB / "icrc.py", capture_file(net, name)],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failure(f"{name}: {done.stdout}{done.stderr}")
        counts = json.loads(done.stdout)
        if min(counts["IP"], counts["IPv6"], counts["Dot1Q"]) == 0:
            raise Failure(f"{name}: not every kind was seen: {counts}")
