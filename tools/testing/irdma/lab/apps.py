# SPDX-License-Identifier: GPL-2.0
"""Programs that users have, as they are packaged: the examples of libibverbs and
librdmacm and perftest, each way that it offers, between two machines and within
one. One test per cell of the matrix; without LONG=1 each way is tried at one of
the two places, in turn, and with few messages.
"""

import concurrent.futures
import contextlib
import functools
import itertools
import os
import time

import lan
import rdma
from net import Failure

NAMES = ("a", "b")
CPUS = 1
LIMIT = 60
LONG = bool(os.environ.get("LONG"))
COUNT = 1000 if LONG else 20
UDADDY_PORT = 7174
# Server and client of each place.
PLACES = {"between": ("b", "a"), "loopback": ("a", "a")}


def test_devices_up(net):
    for name in net.machines:
        lan.bring_up(net, name)
        rdma.bring_up(net, name)


def start(net, name, command, **words):
    device, gid = net.rdma[name]
    command = command.format(device=device, gid=gid, count=COUNT, **words)
    return net.machines[name].start(f"ulimit -l unlimited; timeout {LIMIT} {command}")


def finish(name, job):
    status, output = job.wait(LIMIT)
    if status != 0:
        raise Failure(f"{name}: status {status}: {output}")
    return output


def pair(net, place, server, client):
    """@server, then @client once it listens; both must succeed.

    @place: a name of PLACES, or the machines of server and client
    """
    at, source = PLACES.get(place, place)
    port = 18000 + net.next_id() if "{port}" in server else UDADDY_PORT
    job = start(net, at, server, port=port)
    listens = net.machines[at].start(rdma.listening(port))
    concurrent.futures.wait((job.future, listens.future), LIMIT * net.machines[at].factor,
                            concurrent.futures.FIRST_COMPLETED)
    if job.future.done():
        raise Failure(f"{at}: {job.wait(1)[1]}")
    try:
        finish(source, start(net, source, client, port=port, address=lan.address(at)))
    except Failure:
        net.machines[at].run(f"pkill -f -- '-p {port}'")
        raise
    finish(at, job)


def manager_pair(net, place, server, client):
    """perftest meets twice on its port; its server may listen late the second time."""
    for _ in range(4):
        try:
            pair(net, place, server, client)
            return
        except Failure as failure:
            if "RDMA_CM_EVENT_REJECTED; error: 8" not in str(failure):
                raise
            refusal = failure
    raise refusal


def test_devinfo(net):
    """The device tells about itself what its port and its maker are."""
    device, _ = net.rdma["a"]
    shown = net.run("a", f"ibv_devinfo -v -d {device}")
    for words in ("PORT_ACTIVE", "Ethernet", "0x8086", "RoCE v2"):
        if words not in shown:
            raise Failure(f"no {words}: {shown}")


def refused(net, program, words):
    """What the device does not offer ends @program at once, with @words."""
    device, gid = net.rdma["a"]
    status, output = net.machines["a"].run(f"timeout 20 {program} -d {device} -g {gid}", 30)
    if status != 1 or words not in output:
        raise Failure(f"status {status}: {output}")


def test_uc_pingpong_refused(net):
    refused(net, "ibv_uc_pingpong", "Couldn't create QP")


def test_xsrq_pingpong_refused(net):
    refused(net, "ibv_xsrq_pingpong", "XRC Domain 95")


def multicast(net, place):
    """All messages to a group reach its member."""
    at, source = PLACES[place]
    group = f"239.1.2.{net.next_id()}"
    member = start(net, at, f"stdbuf -oL mckey -m {group} -b {lan.address(at)} -C {{count}} "
                            f">/run/{group}")
    net.run(at, f"for i in $(seq 200); do grep -q joined /run/{group} && exit 0; sleep 0.05; done; "
                f"cat /run/{group}; exit 1")
    finish(source, start(net, source, f"mckey -s -m {group} -b {lan.address(source)} -C {{count}}"))
    finish(at, member)


@contextlib.contextmanager
def losing(net):
    """Both wires lose 2 frames of 100; some were lost when the block ends."""
    before = lan.suffered(net)
    with lan.impaired(net, "loss=20000"):
        yield
    if lan.suffered(net) == before:
        raise Failure("no frame was lost")


def test_connections_under_loss(net):
    """Connections come and go in turn on a wire that loses; their data is compared."""
    port, count = 18000 + net.next_id(), 50 if LONG else 10
    server = net.machines["b"].start(f"rping -s -P -S 5000 -p {port}")
    net.run("b", rdma.listening(port))
    try:
        with rdma.nothing_left(net), losing(net):
            # A client that was cut off ends well, too: what it got back is counted.
            net.run("a", f"""for i in $(seq {count}); do
                    rping -c -v -V -C 2 -S 5000 -a {lan.address('b')} -p {port} >/run/pings ||
                        exit 1
                    [ $(grep -c "ping data" /run/pings) = 2 ] || exit 2
                done""", LIMIT + 10 * count)
    finally:
        net.run("b", f"pkill -f -- '-p {port}'")
        server.wait(LIMIT)


def test_peer_changes_mac(net):
    """A connection goes on while its peer takes another address, and its own again."""
    dev, port = net.netdev["b"], 18000 + net.next_id()
    own = net.run("b", f"cat /sys/class/net/{dev}/address").strip()
    command = f"timeout 100 ibv_rc_pingpong -d {{}} -g {{}} -p {port} -c -n 10000 -s 1000"
    with rdma.packets(net):
        server = net.machines["b"].start(command.format(*net.rdma["b"]))
        lan.wait_for_listener(net, "b", port, server)
        client = net.machines["a"].start(
            f"{command.format(*net.rdma['a'])} {lan.address('b')}")
        for mac in ("52:54:00:99:00:02", own):
            time.sleep(net.machines["b"].factor)
            if server.future.done():
                raise Failure(f"the connection ended before its peer was {mac}")
            net.run("b", f"ip link set dev {dev} address {mac} && ping -c 1 {lan.address('a')}")
        for job in (server, client):
            status, output = job.wait(100)
            if status != 0:
                raise Failure(f"status {status}: {output}")
    rdma.find_port(net, "b")	# each address gave the port other GIDs


# The packaged driver loses a connection whose peer takes another address.
if os.environ.get("DRIVER") != "ours":
    del test_peer_changes_mac


def verbs_examples():
    for kind, events in itertools.product(("rc", "ud", "srq"), ("", "events")):
        command = (f"ibv_{kind}_pingpong -d {{device}} -g {{gid}} -p {{port}} -n {{count}} "
                   f"{'-q 4' if kind == 'srq' else '-c'} {'-e' if events else ''} "
                   f"{'-s 1000' if kind == 'ud' else ''}")
        yield (f"{kind}_pingpong", events), command, command + " {address}"


def manager_examples():
    """By address; the data is compared by those that can. udaddy's port is fixed."""
    command = "-V -v -C {count} -S 5000 -p {port}"
    yield ("rping",), f"rping -s {command}", f"rping -c {command} -a {{address}}"
    command = "ucmatose -c 4 -C {count} -S 3000 -p {port}"
    yield ("ucmatose",), command, command + " -s {address}"
    command = "udaddy -c 4 -C {count} -S 500"
    yield ("udaddy",), command, command + " -s {address}"
    command = "rstream -I {count} -C 2 -S 100000 -T v -p {port}"
    yield ("rstream",), command, command + " -s {address}"


def perftest():
    for verb, measure in itertools.product(("send", "write", "read", "atomic"), ("bw", "lat")):
        # The receiver of a write has no completion to sleep on.
        for transport, events, manager in itertools.product(
                ("rc", "ud") if verb == "send" else ("rc",),
                ("",) if verb == "write" else ("", "events"), ("", "cm")):
            size = {"ud": "-s 1000", "rc": "" if verb == "atomic" else "-s 5000"}[transport]
            command = (f"ib_{verb}_{measure} -d {{device}} -x {{gid}} -F -n {{count}} "
                       f"-p {{port}} -c {transport.upper()} {size} "
                       f"{'-e' if events else ''} {'-R' if manager else ''}")
            yield (f"{verb}_{measure}", transport, events, manager), command, command + " {address}"


def fill():
    """A function test_WORDS_PLACE per cell of the matrix."""
    tests = globals()
    for place in PLACES:
        tests[f"test_mckey_{place}"] = functools.partial(multicast, place=place)
    ways = itertools.chain(verbs_examples(), manager_examples(), perftest())
    for (words, server, client), first in zip(ways, itertools.cycle(PLACES)):
        for place in PLACES if LONG else (first,):
            name = "_".join(["test", *filter(None, words), place])
            meet = manager_pair if "cm" in words else pair
            tests[name] = functools.partial(meet, place=place, server=server, client=client)


fill()
