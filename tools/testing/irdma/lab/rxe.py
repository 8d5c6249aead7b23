# SPDX-License-Identifier: GPL-2.0
"""An RDMA driver on the NIC against Linux rxe in the other machine: the NIC's
packets are judged by an implementation that nobody here wrote. Each operation,
both ends asking, on a clean wire and on one that loses and reorders."""

import time

import lan
import rdma
from net import Failure

NAMES = ("a", "b")
CPUS = 1
MTU = 1024
SIZES = (1, MTU - 1, MTU, MTU + 1, 65536, (1 << 20) + 3)
BAD_WIRE = "loss=10000 reorder=10000"


def test_devices_up(net):
    for name in NAMES:
        lan.bring_up(net, name)
    rdma.bring_up(net, "a")
    net.run("b", f"""
        modprobe -a rdma_rxe ib_uverbs rdma_ucm &&
        rdma link add rxe0 type rxe netdev {net.netdev['b']}""")
    rdma.find_port(net, "b")


def streams(net, operation, sizes=SIZES):
    """Every size, asked by either end, compared byte for byte."""
    for size in sizes:
        for sender in NAMES:
            rdma.stream(net, sender, operation, size)


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


def test_write(net):
    streams(net, "write")


def test_read(net):
    streams(net, "read")


def test_send(net):
    streams(net, "send")


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


def test_connection_manager(net):
    for server in NAMES:
        job = net.machines[server].start("timeout 100 rping -s -V -C 10 -S 5000")
        time.sleep(net.machines[server].factor)
        net.run(lan.PEER[server], f"rping -c -V -C 10 -S 5000 -a {lan.address(server)}", 60)
        status, output = job.wait(30)
        if status != 0:
            raise Failure(f"{server}: status {status}: {output}")


def test_bad_wire(net):
    """Go-back-N at both ends; what was lost is counted by somebody.

    Only programs whose ends wait for each other: one that goes when it has all it wants
    may leave the other without the last acknowledgement, for which rxe asks for ever.
    """
    for name in NAMES:
        net.nic.ask(f"impair {name} {BAD_WIRE}")
    try:
        for operation in ("write", "read", "send"):
            streams(net, operation, SIZES[-1:])
        both_ways(net, "ib_send_lat", "-x GID", "-F", "-n 40", "-s 5000")
        atomics(net, "FETCH_AND_ADD")
        test_connection_manager(net)
    finally:
        for name in NAMES:
            net.nic.ask(f"impair {name} loss=0")
    device = net.rdma["a"][0]
    counters = f"/sys/class/infiniband/{device}/ports/1/hw_counters"
    retries = int(net.run("a", f"cat {counters}/Nak?Sequence?Error"))
    if not retries:
        raise Failure("no packet was missed: the wire was not bad")
