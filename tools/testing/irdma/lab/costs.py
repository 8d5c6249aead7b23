# SPDX-License-Identifier: GPL-2.0
"""What verbs cost: commands that the device gets, counted by the NIC; waits for
them and sleeps in these, counted by the driver."""

import lan
import rdma
from net import Failure

NAMES = ("a",)
CPUS = 1
NEEDS = {"DRIVER": "ours"}
COUNT = 8
# Objects of each kind that a process leaves. A region, a CQ, a connected queue pair and an
# address handle take so many commands to be made and destroyed.
LEFT = 40
MADE_AND_DESTROYED = 2 + 2 + 6 + 2
# An idle function's share of host memory.
IDLE_BYTES = 16 << 20


def shown(net, file):
    """The numbers in one of the driver's files in debugfs."""
    words = net.run("a", f"cat /sys/kernel/debug/irdma/*/{file}").split()
    return dict(zip(words[::2], map(int, words[1::2])))


def commands(net):
    return sum(net.nic.ask("counters a")["commands"].values())


def measure(net, kind, count):
    """Commands, waits and sleeps of guest/rdma-costs, and the seconds that it prints."""
    device, gid = net.rdma["a"]
    before = commands(net), shown(net, "commands")
    output = net.run("a", f"ulimit -l unlimited; guest/rdma-costs {device} {gid} {kind} {count}", 90)
    after = commands(net), shown(net, "commands")
    spent = (after[0] - before[0], *(after[1][what] - before[1][what] for what in ("waits", "sleeps")))
    return spent, [float(word) for word in output.split()]


def at_most(net, kind, *most):
    """Ceilings of an operation and its undoing: commands, waits, and sleeps when they are given.

    They hold beyond those of the program around it, which may find that a command has
    ended before it would wait. What an operation took is returned.
    """
    (few, _), (many, _) = measure(net, kind, 0), measure(net, kind, COUNT)
    spent = [(after - before) / COUNT for before, after in zip(few, many)]
    if spent[0] < 0 or any(round(did) > may for did, may in zip(spent, most)):
        raise Failure(f"{kind}: {spent} commands, waits, sleeps; at most {most}")
    return spent


def test_idle_function(net):
    """The IB device is there and nobody uses it."""
    lan.bring_up(net, "a")
    rdma.bring_up(net, "a")
    memory = shown(net, "memory")
    if not memory.get("queues") or sum(memory.values()) > IDLE_BYTES:
        raise Failure(f"idle: {memory}")
    measure(net, "qp", 1)	# the peer is known from here on


def test_memory_region(net):
    """One command registers, one deregisters; the user's CQ and QP rings need none."""
    at_most(net, "mr", 2, 2)


def test_completion_queue(net):
    at_most(net, "cq", 2, 2)


def test_queue_pair(net):
    """Three commands to RTS, each waited for; three to destroy, waited for once."""
    at_most(net, "qp", 6, 4)


def test_known_address_handle(net):
    at_most(net, "ah", 0, 0)


def test_new_address_handle(net):
    at_most(net, "new-ah", 2, 2)


def meet(net, kind, first, known):
    """Operations with peers whose addresses end in @first and up: one command more than
    the @known when they are new, none when they are met again."""
    net.run("a", f"""for number in $(seq {first} {first + COUNT - 1}); do
            ip neigh replace {lan.address("a").rpartition(".")[0]}.$number nud permanent \
                lladdr 02:00:00:00:00:$(printf %02x $number) dev {net.netdev["a"]} || exit 1
        done""")
    (new, *_), (old, *_) = at_most(net, kind, known + 1), at_most(net, kind, known)
    if new != old + 1:
        raise Failure(f"{kind}: {new} commands for a new peer, {old} for one that is known")


def test_new_peer_of_a_queue_pair(net):
    meet(net, "peer-qp", 101, 6)


def test_new_peer_of_an_address_handle(net):
    meet(net, "peer-ah", 151, 2)


def slowly(net, kind, count, latency):
    """The same measured while each command takes @latency: what it takes besides is little."""
    net.nic.ask(f"clock a latency={latency}")
    try:
        return measure(net, kind, count)
    finally:
        net.nic.ask("clock a latency=0")


def test_parallel_address_handles(net):
    """Four processes that make handles wait for the device at the same time."""
    ((_, (alone,)), (_, (together,))) = (slowly(net, kind, 5, "400ms")
                                         for kind in ("new-ah", "processes"))
    # Alone, each is destroyed as well: half as many commands one after the other as
    # when the processes wait for each other.
    if together > 1.2 * alone:
        raise Failure(f"{together} s for 4 x 5 handles at once, {alone} s for 5 there and back")


def test_end_of_a_process(net):
    """What a process leaves is destroyed in one go, and by no more commands."""
    ((few, *_), _), ((many, *_), (left, closed)) = (slowly(net, "exit", count, "40ms")
                                                    for count in (0, LEFT))
    if left * 10 > closed:
        raise Failure(f"{left} s at the end of a process, {closed} s one by one")
    if many - few != 2 * LEFT * MADE_AND_DESTROYED:
        raise Failure(f"{many - few} commands for twice {LEFT} objects of each kind")
