# SPDX-License-Identifier: GPL-2.0
"""Figures of the software NIC beside those of Linux's rxe in the same guests.

usage: bench-nic

Medians of interleaved rounds (ROUNDS, 5), in which either device is there alone.
"loopback" is within one machine, for the NIC by its shortcut; "between" is from one
machine to another, for both by packets on the NIC's wire. The NIC stays awake between
events: nobody else wants its processor. The figures are no verdict;
they are also in build/bench-nic.json.
"""

import itertools
import json
import os
import statistics
import sys
import time

import lan
import net as network
import rdma

ROUNDS = int(os.environ.get("ROUNDS") or 5)
PLACES = {"loopback": ("a",), "between": ("a", "b")}
BIG, SMALL = 1 << 20, 64

# name: operation, size, operations under way, index of the figure in what is printed, its
# unit, and how often as good as rxe the NIC shall be (for a time, rxe's by the NIC's).
MEASURES = {
    "write 1 MiB": ("write", BIG, 8, 2, "MB/s", {"loopback": 50, "between": 10}),
    "read 1 MiB": ("read", BIG, 4, 2, "MB/s", {"loopback": 50, "between": 10}),
    "write 64 B": ("write", SMALL, 1, 0, "us", {"loopback": 3, "between": 3}),
    "read 64 B": ("read", SMALL, 1, 0, "us", {"loopback": 3, "between": 3}),
}
# Operations that are timed, of the big and of the small ones.
COUNTS = {"nic": (400, 4000), "rxe": (20, 1000)}


def use(net, kind):
    """The device @kind, and no other, in all machines."""
    for name in net.machines:
        if kind == "rxe":
            net.run(name, "modprobe -r irdma")
            # The packaged driver has the function reset when it goes.
            time.sleep(2 * net.machines[name].factor)
            lan.bring_up(net, name)
            net.run(name, f"""modprobe -a rdma_rxe ib_uverbs rdma_ucm &&
                rdma link add rxe0 type rxe netdev {net.netdev[name]}""")
            rdma.find_port(net, name)
        else:
            net.run(name, "! rdma link show rxe0/1 2>/dev/null || rdma link del rxe0")
            rdma.bring_up(net, name)


def measure(net, place, program, kind, what):
    operation, size, depth, figure, _, _ = MEASURES[what]
    count = COUNTS[kind][size == SMALL]
    device, gid = net.rdma["a"]
    command = f"{program} {device} {gid} {operation} {size} {count} {depth}"
    if place == "between":
        port = 19000 + net.next_id()
        device, gid = net.rdma["b"]
        server = net.machines["b"].start(
            f"ulimit -l unlimited; timeout 120 {program} {device} {gid} serve {size} {port}")
        lan.wait_for_listener(net, "b", port, server)
        command += f" {lan.address('b')} {port}"
    return float(net.run("a", f"ulimit -l unlimited; {command}", 120).split()[figure])


def rounds(net, place, program, figures):
    for number in range(ROUNDS):
        for kind in COUNTS:
            use(net, kind)
            for what in MEASURES:
                figures.setdefault((place, what, kind), []).append(
                    measure(net, place, program, kind, what))
        print(f"# {place}: round {number + 1} of {ROUNDS}", flush=True)


def run(place, options, figures):
    names = PLACES[place]
    with network.Net(f"bench-{place}", names, 2, nic_options=options,
                     nic_program=("--awake", "100")) as net:
        for name in names:
            program = rdma.compiled(net, name, "rdma-rate")
            lan.bring_up(net, name)
        rounds(net, place, program, figures)
        bad = net.warnings() + net.nic.violations()
        if bad:
            raise SystemExit(f"bench-nic: {bad[0]}")


def report(figures):
    rows = []
    print(f"{'':10}{'':12}{'NIC':>10}{'rxe':>10}{'':6}{'ratio':>7}{'aim':>5}")
    for place, what in itertools.product(PLACES, MEASURES):
        unit, aims = MEASURES[what][4:]
        nic, rxe = (statistics.median(figures[place, what, kind]) for kind in COUNTS)
        ratio = rxe / nic if unit == "us" else nic / rxe
        rows.append({"place": place, "measure": what, "unit": unit, "nic": nic, "rxe": rxe,
                     "ratio": ratio, "aim": aims[place]})
        print(f"{place:10}{what:12}{nic:10.1f}{rxe:10.1f} {unit:5}{ratio:7.1f}{aims[place]:5}")
    (network.BUILD / "bench-nic.json").write_text(json.dumps(rows, indent=1) + "\n")


def main():
    figures = {}
    run("loopback", (), figures)
    run("between", ("no-shortcut",), figures)
    report(figures)


if __name__ == "__main__":
    sys.exit(main())
