# SPDX-License-Identifier: GPL-2.0
"""Tests of user verbs at their edges, and of what the kernel tells about objects.

Most are cases of guest/rdma-verbs, on queue pairs of one machine.
"""

import json
import os
import re

import lan
import rdma
from net import Failure
from rdma import nothing_left

NAMES = ("a",)
CPUS = 2
NEEDS = {"DRIVER": "ours"}
LONG = bool(os.environ.get("LONG"))
# Request, reply, ready; request and reply of the end.
CM_MESSAGES = {"0x10", "0x13", "0x14", "0x15", "0x16"}
# With the key of the sending queue pair; there is no LID.
TO_QP1 = "dlid 0x00000000 sl 0 rpqn 0x1 rqpkey 0x80000000"


def case(net, name, few=10, many=None, before="", limit=120):
    """A case of guest/rdma-verbs, in @few rounds, or @many with LONG; nothing may be left."""
    rounds = many if LONG and many else few
    with nothing_left(net):
        device, gid = net.rdma["a"]
        net.run("a", f"ulimit -l unlimited; {before} guest/rdma-verbs {device} {gid} {name} {rounds}",
                limit * (1 + 20 * (LONG and many is not None)))


def test_device_up(net):
    lan.bring_up(net, "a")
    rdma.bring_up(net, "a")


def test_any_iova(net):
    case(net, "iova")


def test_device_memory_is_no_memory(net):
    case(net, "device_memory")


def test_pinned_memory_limit(net):
    """As a user whose pinned memory is limited."""
    device, gid = net.rdma["a"]
    net.run("a", "chmod 666 /dev/infiniband/*; cp guest/rdma-verbs guest/*.py /tmp/; "
                 "chmod 755 /tmp/rdma-verbs /tmp/*.py")
    with nothing_left(net):
        net.run("a", f"ulimit -l 4096; setpriv --reuid=65534 --regid=65534 --clear-groups "
                     f"/tmp/rdma-verbs {device} {gid} memlock", 120)


def test_fork(net):
    case(net, "fork")


def test_shared_memory(net):
    case(net, "shared_memory")


def test_dma_buffer(net):
    case(net, "dmabuf")


def test_fragmented_page_lists(net):
    case(net, "fragments", 100, 2000)


def test_page_lists_are_given_back(net):
    """Page lists grow while they are needed; when the driver goes so does their memory."""
    def available():
        return int(net.run("a", "awk '/^MemAvailable/ {print $2}' /proc/meminfo"))

    def grown():
        return int(net.run("a", "awk '/^page_lists/ {print $2}' /sys/kernel/debug/irdma/*/memory"))

    levels = []
    for _ in range(50 if LONG else 3):
        case(net, "grow", 512)
        lists = grown() >> 10
        if lists < 8192:
            raise Failure(f"page lists took {lists} kilobytes")
        net.run("a", "rmmod irdma", 60)
        levels.append(available())
        rdma.bring_up(net, "a")
    if levels[-1] < levels[1] - lists / 2:
        raise Failure(f"kilobytes available without the driver: {levels}; page lists took {lists}")


def test_memory_windows(net):
    case(net, "windows")


def test_cq_churn(net):
    case(net, "churn", 10, 1000)


def test_cq_sizes(net):
    case(net, "cq_sizes")


def test_cq_limit(net):
    case(net, "cq_limit", 3, 100)


def test_cq_resize(net):
    case(net, "cq_resize", 20, 500)


def test_datagrams(net):
    case(net, "datagrams", 300, 10000)


def test_shared_receive_queue(net):
    case(net, "shared", 50, 2000)


def test_srq_limit(net):
    case(net, "srq_limit")


def test_last_wqe(net):
    case(net, "last_wqe")


def test_cq_overflow(net):
    case(net, "cq_overflow")


def test_flush(net):
    case(net, "flush")


def test_queries(net):
    case(net, "queries")


def test_drain(net):
    case(net, "drain")


def test_event_of_a_former_life(net):
    case(net, "former_life", 3)


def test_both_abi_modes(net):
    case(net, "modes")


def test_statuses(net):
    case(net, "statuses")


def test_gather(net):
    case(net, "gather", 60, 5000)


def test_receive_opcodes(net):
    case(net, "opcodes")


def test_many_queue_pairs(net):
    case(net, "many", 64, 256)


def test_multicast_groups(net):
    case(net, "groups", 20)


def shown(net, kind):
    """Objects of a kind with all details."""
    return json.loads(net.run("a", f"rdma -jdd resource show {kind}"))


def test_resources(net):
    """Objects are shown as user space knows them, with what the device knows of them."""
    device, gid = net.rdma["a"]
    job = net.machines["a"].start(
        f"mkfifo /tmp/hold; sleep 60 >/tmp/hold & echo $! >/tmp/holder; ulimit -l unlimited; "
        f"guest/rdma-verbs {device} {gid} hold </tmp/hold >/tmp/held")
    held = net.run("a", "for i in $(seq 300); do [ -s /tmp/held ] && break; sleep 0.1; done; "
                        "cat /tmp/held").split()
    pid, one, two, lkey, rkey, length, psn = map(int, held)
    own = {kind: [row for row in shown(net, kind) if row.get("pid") == pid]
           for kind in ("pd", "cq", "qp", "mr", "srq")}
    net.run("a", "kill $(cat /tmp/holder)")
    status, output = job.wait(30)
    counts = {kind: len(rows) for kind, rows in own.items()}
    # The provider has a domain of its own.
    wanted = {"pd": 2, "cq": 2, "qp": 2, "srq": 1}
    if any(counts[kind] != count for kind, count in wanted.items()) or status:
        raise Failure(f"{counts}, {wanted} wanted; {output}")
    qp = next((row for row in own["qp"] if row["lqpn"] == one), {})
    mr = next((row for row in own["mr"] if int(str(row["rkey"]), 16) == rkey), {})
    facts = {"qp state": qp.get("state") == "RTS", "qp peer": qp.get("rqpn") == two,
             "qp psn": qp.get("sq-psn") == psn, "qp type": qp.get("type") == "RC",
             "qp number": qp.get("drv_hw_id") == one,
             "mr length": mr.get("mrlen") == length, "mr lkey": int(str(mr.get("lkey")), 16) == lkey,
             "mr pages": mr.get("drv_pages", 0) * (1 << mr.get("drv_page_shift", 0)) >= length,
             "cq entries": all(row["cqe"] == row["drv_entries"] >= 32 for row in own["cq"]),
             "cq numbers": len({row["drv_hw_id"] for row in own["cq"]}) == 2,
             "cq users": all(row["users"] == 2 for row in own["cq"]),
             "numbers": all(row[f"{kind}n"] is not None for kind, rows in own.items()
                            for row in rows if kind != "qp"),
             "srq": own["srq"][0]["drv_quanta"] >= 16}
    wrong = [name for name, right in facts.items() if not right]
    if wrong:
        raise Failure(f"{wrong}: {qp} {mr} {own['cq']} {own['srq']}")


def test_statistics(net):
    """Counters count what is sent; their names have no spaces."""
    def counters():
        return json.loads(net.run("a", "rdma -j statistic show"))[0]

    before = counters()
    case(net, "datagrams", 20)
    after = counters()
    spaced = [name for name in after if " " in name]
    if spaced or "OutRdmaSends" not in after:
        raise Failure(f"names: {spaced} in {list(after)}")
    for name in ("OutRdmaSends", "InRdmaSends", "TxUDP", "RxUDP", "ip4OutPkts"):
        if after[name] < before[name] + 20:
            raise Failure(f"{name}: {before[name]}, then {after[name]}")


def test_files(net):
    """Every file of the device in sysfs can be read."""
    device, _ = net.rdma["a"]
    output = net.run("a", f"""
        cd /sys/class/infiniband/{device} || exit 1
        find . -type f -perm -400 -exec cat {{}} + 2>&1 >/dev/null
        find . -name '* *'
        find . -type f | wc -l""")
    lines = output.splitlines()
    # The entries of the GID table that hold nothing have no attributes to read.
    wrong = [line for line in lines[:-1] if "/gid_attrs/" not in line]
    if wrong or int(lines[-1]) < 60:
        raise Failure(f"{lines[-1]} files; {wrong}")


def test_many_peers(net):
    """Peers whose addresses are known, and change, and are forgotten."""
    count = 2000 if LONG else 100
    for octet in (1, 2):
        with rdma.peers(net, count, octet):
            case(net, "peers", count)


def test_connections_come_and_go(net):
    """One after the other, by the connection manager; none leaves a thing."""
    with nothing_left(net):
        for _ in range(2000 if LONG else 5):
            listen(net, 1)


def test_connections_at_once(net):
    """Many at the same time, with messages on each; none leaves a thing."""
    count = 2000 if LONG else 50
    command = f"timeout 600 ucmatose -c {count} -C 2 -S 64"
    with nothing_left(net):
        net.run("a", f"""ulimit -l unlimited; ulimit -n 20000
            {command} >/run/server & server=$!
            until rdma resource show cm_id | grep -q LISTEN; do sleep 0.1; done
            {command} -s {lan.address('a')} >/run/client && wait $server""", 300)


def test_perftest(net):
    """Each program of perftest; by the connection manager the latencies, with LONG all."""
    device, gid = net.rdma["a"]
    for name in ("send", "write", "read", "atomic"):
        for kind in ("bw", "lat"):
            for way in ("", "-R") if LONG else ("-R",) if kind == "lat" else ("",):
                command = f"timeout 60 ib_{name}_{kind} -d {device} -x {gid} -n 10 -F {way}"
                net.run("a", f"""{command} >/tmp/server 2>&1 & server=$!
                    {rdma.listening(18515)} &&
                        {command} {lan.address('a')} >/tmp/client 2>&1 && wait $server && exit 0
                    cat /tmp/client /tmp/server; kill $server; exit 1""", 100)


def test_management_is_traced(net):
    """The core's trace of each message between connection managers tells where it goes."""
    event = "/sys/kernel/tracing/events/ib_mad/ib_mad_ib_send_mad/enable"
    net.run("a", f"mount -t tracefs none /sys/kernel/tracing; echo 1 >{event}")
    listen(net)
    text = net.run("a", f"echo 0 >{event}; "
                        "cat /sys/kernel/tracing/trace; echo >/sys/kernel/tracing/trace")
    sent = set(re.findall(r":1 QP1 .* class 0x7 .* attr_id (\S+) .* => (.*)", text))
    if sent != {(message, TO_QP1) for message in CM_MESSAGES}:
        raise Failure(f"{sent}: {text[-600:]}")


def listen(net, count=5):
    """Connections by the connection manager, with rping's own pattern."""
    net.run("a", f"""timeout 80 rping -s -V -C {count} & server=$!
        {rdma.listening(7174)} &&
            rping -c -V -C {count} -a {lan.address('a')} && wait $server && exit 0
        kill $server; exit 1""", 90)


def test_driver_goes(net):
    """The driver goes while processes use it; they are cut off, and it comes again."""
    for _ in range(100 if LONG else 3):
        device, gid = net.rdma["a"]
        command = f"timeout 60 ibv_rc_pingpong -e -d {device} -g {gid} -n 1000000 2>/dev/null"
        job = net.machines["a"].start(f"""{rdma.server(command)}
            {command} localhost >/dev/null; client=$?; wait $server; echo $client $?""")
        rdma.connected(net)
        net.run("a", "rmmod irdma", 60)
        status, output = job.wait(60)
        # It is no time limit that ended them.
        if status != 0 or output.split() != ["1", "1"]:
            raise Failure(f"status {status}: {output}")
        rdma.bring_up(net, "a")
    listen(net)


# The core puts a page behind the mapping of a process that was cut off, and does not
# count it when the process ends.
test_driver_goes.warnings = ("Bad rss-counter state",)
# The core destroys the objects before it takes the doorbells away from their process.
test_driver_goes.violations = ("doorbell-no-cq", "doorbell-no-qp")
