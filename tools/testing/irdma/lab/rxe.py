# SPDX-License-Identifier: GPL-2.0
"""An RDMA driver on the NIC against Linux rxe in the other machine: the NIC's
packets are judged by an implementation that nobody here wrote. Each operation,
both ends asking, on a clean wire and on one that loses and reorders; then by IPv6
and in a VLAN."""

import contextlib
import functools
import json
import random

import apps
import lan
import rdma
from net import Failure

NAMES = ("a", "b")
CPUS = 1
MTU = 1024
OPERATIONS = ("write", "write-imm", "read", "send", "send-imm", "send-inv", "atomic", "datagram")
DATAGRAMS = (0, 1, MTU - 1, MTU)
SIZES = (*DATAGRAMS, MTU + 1, 65536, 1 << 20)
FEW = 65536
BAD_WIRE = "loss=10000 reorder=10000"


def test_devices_up(net):
    for name in NAMES:
        lan.bring_up(net, name)
    rdma.bring_up(net, "a")
    net.run("b", f"""
        modprobe -a rdma_rxe ib_uverbs rdma_ucm &&
        rdma link add rxe0 type rxe netdev {net.netdev['b']}""")
    rdma.find_port(net, "b")


def sizes_of(operation):
    return {"atomic": (8,), "datagram": DATAGRAMS}.get(operation, SIZES)


def few_of(operation):
    return [size for size in sizes_of(operation) if size <= FEW]


def matrix(net, operation, sizes):
    """The operation with these sizes, asked by either end; (messages, missed datagrams)."""
    port, seed = 17000 + net.next_id(), random.getrandbits(32)

    def command(role, name):
        return " ".join(map(str, ("timeout 300 guest/rdma-matrix", role, lan.address("b"), port,
                                  seed, *net.rdma[name], operation, *sizes)))

    waiting = net.machines["b"].start(command("wait", "b"))
    lan.wait_for_listener(net, "b", port, waiting)
    ends = net.machines["a"].run(command("meet", "a"), 310), waiting.wait(30)
    if any(status != 0 for status, _ in ends):
        raise Failure(" | ".join(f"status {status}: {output.splitlines()[-1:]}"
                                 for status, output in ends))
    ends = [json.loads(output.splitlines()[-1]) for _, output in ends]
    return sum(end["messages"] for end in ends), sum(end["missed"] for end in ends)


def all_arrive(net, operation, sizes):
    """The same where no datagram may be missed; messages."""
    messages, missed = matrix(net, operation, sizes)
    if missed:
        raise Failure(f"{missed} datagrams were lost")
    return messages


def clean(net, operation):
    return f"{all_arrive(net, operation, sizes_of(operation))} messages"


def bad_wire(net, operation):
    """Go-back-N at both ends; of datagrams, most arrive.

    Only programs whose ends wait for each other: one that goes when it has all it wants
    may leave the other without the last acknowledgement, for which rxe asks for ever.
    And no empty read: rxe gives its answer once. It keeps 0 for the key, which it need
    not look at, and so takes the request's repetition for another one.
    """
    sizes = [size for size in sizes_of(operation) if size or operation != "read"]
    before = lan.suffered(net)
    with lan.impaired(net, BAD_WIRE):
        messages, missed = matrix(net, operation, sizes)
    frames = lan.suffered(net) - before
    if not frames or missed > messages / 4:
        raise Failure(f"{frames} frames suffered, {missed} of {messages + missed} were lost")
    return f"{messages} messages, {missed} lost, {frames} frames suffered"


def fill():
    """A function test_WIRE_OPERATION for each cell of the matrix."""
    for wire in (clean, bad_wire):
        for operation in OPERATIONS:
            name = f"test_{wire.__name__}_{operation.replace('-', '_')}"
            globals()[name] = functools.partial(wire, operation=operation)


def pair(net, server, program, *options):
    """The same program at both ends, the server at @server."""
    client = lan.PEER[server]

    def command(name):
        device, gid = net.rdma[name]
        return f"timeout 100 {program} -d {device} {' '.join(options)}".replace("GID", str(gid))

    port = 18000 + net.next_id()
    job = net.machines[server].start(f"{command(server)} -p {port}")
    lan.wait_for_listener(net, server, port, job)
    net.run(client, f"{command(client)} -p {port} {lan.address(server)}", 110)
    status, output = job.wait(30)
    if status != 0:
        raise Failure(f"{server}: status {status}: {output}")


def both_ways(net, program, *options):
    for server in NAMES:
        pair(net, server, program, *options)


def test_pingpong(net):
    """Messages with a pattern, polled and by events."""
    both_ways(net, "ibv_rc_pingpong", "-g GID", "-c", "-n 20", "-s 100001")
    both_ways(net, "ibv_rc_pingpong", "-g GID", "-c", "-n 20", "-e")


def atomics(net, kind):
    """Sixteen under way: the two devices offer different depths."""
    both_ways(net, "ib_atomic_bw", "-x GID", "-F", "-n 200", "-o 16", f"-A {kind}")


def test_atomics(net):
    atomics(net, "FETCH_AND_ADD")
    atomics(net, "CMP_AND_SWAP")


def test_datagrams(net):
    both_ways(net, "ibv_ud_pingpong", "-g GID", "-c", "-n 50", "-s 1000")


def rping(net, server, address, listen=""):
    """The connection manager's datagrams, and a connection's messages with a pattern."""
    command = "-V -C 10 -S 5000 -p {port}"
    apps.pair(net, (server, lan.PEER[server]), f"rping -s {command} {listen}",
              f"rping -c {command} -a {address}")


def test_connection_manager(net):
    for server in NAMES:
        rping(net, server, lan.address(server))


@contextlib.contextmanager
def known_by(net, *version_and_vlan):
    """Within, the ports are those of the machines' other addresses."""
    usual = dict(net.rdma)
    try:
        for name in NAMES:
            rdma.find_port(net, name, lan.address(name, *version_and_vlan))
        yield
    finally:
        net.rdma.update(usual)


def with_other_headers(net, version, vlan, listen=""):
    """Every operation, and connections by address."""
    with known_by(net, version, vlan):
        messages = sum(all_arrive(net, operation, few_of(operation)) for operation in OPERATIONS)
    for server in NAMES:
        rping(net, server, lan.address(server, version, vlan), listen)
    return f"{messages} messages"


def test_ipv6(net):
    return with_other_headers(net, 6, 0, "-a ::")


def test_vlan(net):
    """By IPv4, with LONG by IPv6 too. rxe is on the device below: the addresses of the
    VLAN's are in its table."""
    for name in NAMES:
        net.run(name, f"""
            ip link add link {net.netdev[name]} name vlan9 type vlan id 9 &&
            ip addr add {lan.address(name, 4, 9)}/24 dev vlan9 &&
            ip addr add {lan.address(name, 6, 9)}/112 dev vlan9 nodad && ip link set vlan9 up""")
    done = [with_other_headers(net, 4, 9)]
    if lan.LONG:
        done.append(with_other_headers(net, 6, 9, "-a ::"))
    for name in NAMES:
        net.run(name, "ip link del vlan9")
    return ", ".join(done)


fill()


def test_missed_packets(net):
    """What the bad wire took is known to the driver's statistics."""
    device = net.rdma["a"][0]
    counters = f"/sys/class/infiniband/{device}/ports/1/hw_counters"
    retries = int(net.run("a", f"cat {counters}/Nak?Sequence?Error"))
    if not retries:
        raise Failure("no packet was missed: the wire was not bad")


def test_rxe_goes(net):
    """At power off the core would ask for the port of a net device that is gone."""
    net.run("b", "rdma link delete rxe0")
