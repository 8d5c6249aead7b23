# SPDX-License-Identifier: GPL-2.0
"""Much of everything: eight NICs on a wire, thousands of queue pairs and regions, a
message longer than a gigabyte; and nothing at all, which costs nothing. LONG=1
takes the full numbers.
"""

import os
import pathlib
import time

import apps
import lan
import rdma
from net import Failure

NAMES = tuple(lan.HOST)
CPUS = 1
# The machines talk by packets.
NIC_OPTIONS = ("no-shortcut",)
LONG = bool(os.environ.get("LONG"))
QPS, MRS = (10_000, 100_000) if LONG else (1_000, 5_000)
BIG = (1 << 30) + 1 if LONG else (1 << 24) + 1
IDLE_SECONDS = 5


def test_devices_up(net):
    apps.test_devices_up(net)


def test_eight_on_a_wire(net):
    """Each is client of the next, all at once."""
    servers, clients = {}, {}
    for name in NAMES:
        servers[name] = net.machines[name].start("timeout 300 rping -s -V -C 20 -S 5000 -p 7400")
    for name in NAMES:
        net.run(name, rdma.listening(7400), 60)
    for name, server in zip(NAMES, (*NAMES[1:], NAMES[0])):
        clients[name] = net.machines[name].start(
            f"timeout 300 rping -c -V -C 20 -S 5000 -p 7400 -a {lan.address(server)}")
    for name, job in (*clients.items(), *servers.items()):
        status, output = job.wait(120)
        if status != 0:
            raise Failure(f"{name}: status {status}: {output}")


def processor_seconds(net):
    """What the NIC's process has taken so far, in user and kernel mode."""
    stat = pathlib.Path(f"/proc/{net.nic.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


def test_idle(net):
    """Eight NICs that nobody uses take less than a hundredth of a processor."""
    before = processor_seconds(net)
    time.sleep(IDLE_SECONDS)
    share = (processor_seconds(net) - before) / IDLE_SECONDS
    print(f"# idle: {100 * share:.1f} % of a processor", flush=True)
    if share >= 0.01:
        raise Failure(f"{100 * share:.1f} % of a processor for {len(NAMES)} idle NICs")


def resident_bytes(net):
    """The NIC's own memory: what it has seen of the guests' is theirs."""
    _, resident, shared, *_ = pathlib.Path(f"/proc/{net.nic.process.pid}/statm").read_text().split()
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


def many(net, kind, count):
    """Make @count objects, keep and destroy them; tells what each took."""
    device = net.rdma["a"][0]
    program = rdma.compiled(net, "a", "rdma-many")
    net.run("a", "rm -f /run/release /run/ended; : >/run/made")
    before = resident_bytes(net)
    job = net.machines["a"].start(f"""ulimit -l unlimited
        until [ -e /run/release ]; do sleep 0.2; done |
            {program} {device} {kind} {count} >/run/made
        status=$?; touch /run/ended; exit $status""")
    status, output = net.machines["a"].run(f"""for i in $(seq {100 + count // 20}); do
        grep -q 'made {count}' /run/made && exit 0
        [ -e /run/ended ] && exit 1; sleep 0.2; done; exit 1""", 100 + count / 100)
    used = resident_bytes(net) - before
    net.run("a", "touch /run/release")
    if status == 0:
        status, output = job.wait(100 + count / 10)
    if status != 0:
        raise Failure(f"{count} {kind}s: status {status}: {output}{job.wait(10)[1]}")
    times = [1000 * float(line.split()[2]) / count
             for line in net.run("a", "cat /run/made").splitlines()]
    print(f"# {count} {kind}s: {used / count:.0f} bytes of the NIC's memory, "
          f"{times[0]:.2f} ms to make and {times[1]:.2f} ms to destroy each", flush=True)


def test_many_queue_pairs(net):
    many(net, "qp", QPS)


def test_many_regions(net):
    many(net, "mr", MRS)


def test_one_long_message(net):
    """A message as long as this is cut by no field and no counter on its way."""
    rdma.stream(net, "a", "write", BIG, BIG)
