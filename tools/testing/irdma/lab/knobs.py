# SPDX-License-Identifier: GPL-2.0
"""Every fault knob of the NIC in each of its ways, seen at both ends: the NIC counts the
hit, and the guest, with either driver, shows what it did. Afterwards all is well again.
"""

import contextlib
import os
import re
import time

import apps
import driver
import lan
import rdma
from net import Failure

NAMES = ("a", "b", "c")
CPUS = 1
LATE = 0.3
NAK_ACCESS = 0x62
# Longer than the LAN driver waits for an answer to its mailbox.
MAILBOX_PATIENCE = 90
ACTIONS = "fail|delay|drop|dup|value"
# Tried by the group driver, which takes the function down for it.
ELSEWHERE = {("cqp-stop", "drop")}
# Machines whose channel to the RDMA engine is silent, until test_no_answer_at_start().
SILENT = {"b": "vchnl,drop", "c": "mailbox:529,drop"}
WAITING = {}

# A queue pair connected to itself, whose completions raise events of the last vector.
LOOP = """
import os, select, sys, time
from pyverbs.addr import AHAttr, GlobalRoute
from pyverbs.cq import CQ, CompChannel
from pyverbs.device import Context
from pyverbs.libibverbs_enums import (ibv_mtu, ibv_qp_attr_mask, ibv_qp_type, ibv_send_flags,
                                      ibv_wr_opcode)
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, SendWR
gid = int(sys.argv[2])
context = Context(name=sys.argv[1])
pd, channel = PD(context), CompChannel(context)
cq = CQ(context, 16, channel=channel, comp_vector=context.num_comp_vectors - 1)
mr = MR(pd, 4096, 1)
qp = QP(pd, QPInitAttr(qp_type=ibv_qp_type.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap()))
attr = QPAttr(port_num=1)
attr.qp_access_flags = 2	# remote write
attr.dest_qp_num, attr.path_mtu = qp.qp_num, ibv_mtu.IBV_MTU_1024
attr.ah_attr = AHAttr(port_num=1, is_global=1,
                      gr=GlobalRoute(dgid=context.query_gid(1, gid), sgid_index=gid))
qp.to_rts(attr)
def write(rkey):
    wr = SendWR(num_sge=1, sg=[SGE(mr.buf, 64, mr.lkey)], opcode=ibv_wr_opcode.IBV_WR_RDMA_WRITE,
                send_flags=ibv_send_flags.IBV_SEND_SIGNALED)
    wr.set_wr_rdma(rkey, mr.buf)
    qp.post_send(wr)
def meet(word):
    with open("/run/word", "w") as file:
        print(word, file=file)
    os.rename("/run/word", "/run/met")
    while os.path.exists("/run/met"):
        time.sleep(0.02)
"""

# A write with a wrong key; prints the completion's status, or "nothing" after two seconds,
# and the seconds that it took.
BAD_KEY = LOOP + """
write(mr.rkey ^ 1)
began, count = time.monotonic(), 0
while not count and time.monotonic() < began + 2:
    count, wcs = cq.poll(1)
print(wcs[0].status if count else "nothing", time.monotonic() - began)
"""

# Writes when it is told to; prints completions and events that came half a second later.
EVENTS = LOOP + """
cq.req_notify()
meet("ready")
write(mr.rkey)
events, end = 0, time.monotonic() + 0.5
while select.select([channel.fd], [], [], max(0, end - time.monotonic()))[0]:
    channel.get_cq_event(cq)
    events += 1
cq.ack_events(events)
meet(f"{cq.poll(1)[0]} {events}")
"""

# Names its queue pair; prints the event that it hears of and the queue pair's state then.
HEARS = LOOP + """
meet(qp.qp_num)
event = context.get_async_event()
event.ack()
meet(f"{event.event_type} {qp.query(ibv_qp_attr_mask.IBV_QP_STATE)[0].qp_state}")
"""

# Registers two regions; prints the seconds that the second took.
REGISTER = """
import sys, time
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
pd = PD(Context(name=sys.argv[1]))
first = MR(pd, 4096, 1)
began = time.monotonic()
mr = MR(pd, 4096, 1)
print(time.monotonic() - began)
"""


class Knob:
    """A fault knob of @name's NIC; it must have been hit when the block ends."""
    used = set()

    def __init__(self, net, spec, name="a"):
        self.net, self.spec, self.name = net, spec, name

    def __enter__(self):
        self.net.nic.ask(f"fault {self.name} {self.try_it(self.spec)}")
        return self

    @classmethod
    def try_it(cls, spec):
        """@spec, its point and action counted as tried."""
        cls.used.add(re.match(r"([a-z-]+)(?::\d+)?,([a-z]+)", spec).groups())
        return spec

    def __exit__(self, kind, *_):
        if kind is None:
            self.net.nic.clear(self.name)
        else:
            self.net.nic.ask(f"clear {self.name}")


def expect(condition, text):
    if not condition:
        raise Failure(text)


LOAD = """modprobe irdma
    for i in $(seq 20); do
        ls /sys/class/infiniband/* >/dev/null 2>&1 && exit 0; sleep 0.1
    done; exit 1"""


def load(net):
    """Load the RDMA driver of machine a; whether its device came up."""
    return net.machines["a"].run(LOAD, 30)[0] == 0


def unload(net, name="a"):
    net.run(name, "modprobe -r irdma", 30)
    # The packaged driver has the function reset when it goes.
    time.sleep(2 * net.machines[name].factor)
    lan.bring_up(net, name)


def devinfo(net, word):
    """The first number behind @word in what ibv_devinfo tells."""
    found = re.search(rf"{word}:\s+(\S+)", net.run("a", "ibv_devinfo -v"))
    return found.group(1)


def guest_python(net, program):
    return net.run("a", f"python3 - {' '.join(map(str, net.rdma['a']))} <<'END'\n{program}END",
                   60).strip()


@contextlib.contextmanager
def meeting(net, program):
    """The guest's @program runs; gives two functions: one tells the word
    with which it waits, the other lets it go on."""
    job = net.machines["a"].start(
        f"python3 - {' '.join(map(str, net.rdma['a']))} <<'END'\n{program}END")

    def word():
        return net.run("a", """for i in $(seq 200); do
            cat /run/met 2>/dev/null && exit 0; sleep 0.05
        done; exit 1""").strip()

    def go_on():
        net.run("a", "rm /run/met")

    yield word, go_on
    go_on()
    status, output = job.wait(30)
    expect(status == 0, f"status {status}: {output}")


def events(net, *specs):
    """Completions and events of a write with these knobs, and the knobs hit."""
    with meeting(net, EVENTS) as (word, go_on), contextlib.ExitStack() as knobs:
        word()
        for spec in specs:
            knobs.enter_context(Knob(net, spec))
        go_on()
        return word()


def event_vector(net):
    """The vector that tells of the events."""
    def counts():
        return net.nic.ask("counters a")["interrupts"]

    before = counts()
    expect(events(net) == "1 1", "no event without a knob")
    return max(vector for vector, (old, new) in enumerate(zip(before, counts())) if new > old)


def resets(net):
    return net.nic.ask("counters a")["resets"]


def number(net):
    """What the core counts the RDMA device as; empty without one."""
    return net.run("a", "rdma dev").split(":")[0]


@contextlib.contextmanager
def made_anew(net):
    """Within, the function is reset; its RDMA device gets another number, and works."""
    before, reset = number(net), resets(net)
    yield
    deadline = time.monotonic() + 60 * net.machines["a"].factor
    while number(net) in ("", before):
        expect(time.monotonic() < deadline, "no new device")
        time.sleep(0.1)
    lan.bring_up(net, "a")
    rdma.bring_up(net, "a")
    driver.ping_pong(net)
    expect(resets(net) > reset, "no reset was counted")


def registration(net):
    """Seconds that it takes to register a region."""
    return float(guest_python(net, REGISTER))


def ping_pong_events(net, count=20):
    """Seconds for traffic of the machine with itself that waits for events."""
    command = f"ibv_rc_pingpong -d {{device}} -g {{gid}} -p {{port}} -n {count} -e"
    began = time.monotonic()
    apps.pair(net, "loopback", command, command + " {address}")
    return time.monotonic() - began


def test_devices_up(net):
    for name in NAMES:
        lan.bring_up(net, name)
    rdma.bring_up(net, "a")
    for name, spec in SILENT.items():
        knob = contextlib.ExitStack()
        knob.enter_context(Knob(net, spec, name))
        WAITING[name] = knob, net.machines[name].start(LOAD)


def test_command_fails(net):
    with Knob(net, f"cqp-command:{driver.REG_MR},fail=0x10001"):
        status, output = net.machines["a"].run("ibv_rc_pingpong -g 1", 30)
        expect(status == 1 and "register MR" in output, f"status {status}: {output}")
    driver.ping_pong(net)


def test_command_lost(net):
    """Who waits for it hears that it failed; the driver has the function reset."""
    with made_anew(net), Knob(net, f"cqp-command:{driver.REG_MR},drop"):
        status, output = net.machines["a"].run("ibv_rc_pingpong -g 1", 60)
        expect(status not in (0, None), f"status {status}: {output}")


def test_command_twice(net):
    with Knob(net, f"cqp-command:{driver.REG_MR},dup"):
        registration(net)
    driver.ping_pong(net)


def late(net, knob):
    """Registration takes as long as the knob says."""
    plain = registration(net)
    with Knob(net, f"{knob}:{driver.REG_MR},delay={int(LATE * 1000)}ms,count=0"):
        slow = registration(net)
    expect(plain < LATE < slow, f"{knob}: {plain} s without, {slow} s with")


def test_command_late(net):
    late(net, "cqp-command")


def test_command_deferred(net):
    late(net, "cqp-defer")


def test_command_pending(net):
    late(net, "cqp-pending")


def test_clock(net):
    """The same by the NIC's clock: every command is late, or waits for the one before."""
    for setting in (f"latency={int(LATE * 1000)}ms", f"interval={int(LATE * 1000)}ms",
                    f"rate={int(1 / LATE)}"):
        net.nic.ask(f"clock a {setting}")
        try:
            slow = registration(net)
        finally:
            net.nic.ask("clock a latency=0 interval=0")
        expect(slow > LATE * 0.9, f"{slow} s with {setting}")


def late_event(net, knob):
    plain = ping_pong_events(net)
    with Knob(net, f"{knob},delay={int(2 * LATE * 1000)}ms,count=20"):
        slow = ping_pong_events(net)
    expect(slow > plain + LATE, f"{knob}: {plain} s without, {slow} s with late ones")


def test_event_entry_late(net):
    late_event(net, "ceq-entry")


def test_event_entry_twice(net):
    """Who is woken for nothing asks for the next event again, faster than the device hears."""
    with Knob(net, "ceq-entry,dup,count=0"):
        for _ in range(3):
            registration(net)
        ping_pong_events(net, 1000)
    driver.ping_pong(net)


def test_interrupt_late(net):
    late_event(net, "interrupt")


def test_event_entry_lost(net):
    """The completion is there, and nobody is woken for it."""
    seen = events(net, "ceq-entry,drop,count=0")
    expect(seen == "1 0", f"completions, events: {seen}")


def test_interrupt_twice(net):
    seen = events(net, f"interrupt:{event_vector(net)},dup")
    expect(seen == "1 1", f"completions, events: {seen}")


def test_interrupt_lost(net):
    """The vector is not enabled again by anybody: the drivers come anew."""
    seen = events(net, f"interrupt:{event_vector(net)},drop")
    expect(seen == "1 0", f"completions, events: {seen}")
    renew(net)
    expect(events(net) == "1 1", "no event after it")


def bad_key(net, *specs):
    """Status of a completion with error, and the seconds that it took."""
    with contextlib.ExitStack() as stack:
        for spec in specs:
            stack.enter_context(Knob(net, spec))
        status, seconds = guest_python(net, BAD_KEY).split()
    return status, float(seconds)


def test_async_event(net):
    """Of a queue pair in error: until the driver hears of it nothing is flushed."""
    for specs, status in (((), "10"), (("aeq-entry,drop,count=0",), "nothing"),
                          (("aeq-entry,dup,count=0",), "10")):
        found = bad_key(net, *specs)
        expect(found[0] == status, f"{specs}: {found}")
    found = bad_key(net, f"aeq-entry,delay={int(LATE * 1000)}ms,count=0")
    expect(found[0] == "10" and found[1] > LATE, f"late: {found}")


def test_event_made_up(net):
    """The owner of a live queue pair hears what the device did not find."""
    with meeting(net, HEARS) as (word, go_on):
        net.nic.ask(f"event a code={driver.FATAL_EVENTS[0]} id={word()} source=5")
        go_on()
        heard = word()
    expect(heard == "3 6", f"event and state: {heard}")


def test_refused_at_start(net):
    """The RDMA driver has no device then: no channel, no layout, no known revision."""
    unload(net)
    for spec in ("mailbox:529,fail=5", "vchnl:11,fail=0xfffb", "capability:0,value=9,count=0",
                 "register:0,value=0xffff0000"):
        with Knob(net, spec):
            expect(not load(net), f"{spec}: the driver loads")
        net.run("a", "modprobe -r irdma")


def test_answer_late_at_start(net):
    unload(net)
    with Knob(net, f"mailbox:529,delay={int(10 * LATE * 1000)}ms"):
        began = time.monotonic()
        expect(load(net), "the driver does not load")
        took = time.monotonic() - began
    expect(took > 10 * LATE, f"{took} s")
    rdma.bring_up(net, "a")


def loads_with(net, *specs):
    """The RDMA driver loaded while the knobs are set; traffic flows."""
    unload(net)
    for spec in specs[1:]:
        net.nic.ask(f"fault a {Knob.try_it(spec)}")
    with Knob(net, specs[0]):
        expect(load(net), f"{specs}: the driver does not load")
        rdma.bring_up(net, "a")
        driver.ping_pong(net)
        shown = {word: devinfo(net, word)
                 for word in ("max_qp", "max_qp_rd_atom", "atomic_cap")}
    return shown


def test_fewer_queue_pairs(net):
    shown = loads_with(net, f"fpm-query:8,value={9 << 32 | 128},count=0")
    expect(int(shown["max_qp"]) <= 128, f"128 queue pairs: {shown}")


def test_no_atomics(net):
    shown = loads_with(net, "feature:32,value=0")
    expect("NONE" in shown["atomic_cap"], f"no atomics: {shown}")


def test_maxima_as_told(net):
    """The second resource manager: its read depth is half of what code 3 means."""
    code = 3 << 50 | 512 << 32 | 64	# 32 reads, timer buckets, CEQs
    shown = loads_with(net, "feature:32,value=5", f"fpm-query:120,value={code}")
    expect(shown["max_qp_rd_atom"] == "16", f"read depth 16: {shown}")


def test_scratch_buffers(net):
    """The NIC writes to them when they are given and when the function is released."""
    loads_with(net, "fpm-query:184,value=0x3000", "fpm-query:192,value=0x1000")


def test_as_it_is(net):
    shown = loads_with(net, "capability:5,value=64")
    expect(int(shown["max_qp"]) > 128 and "NONE" not in shown["atomic_cap"], f"{shown}")


def renew(net):
    net.run("a", "modprobe -r irdma; modprobe -r idpf", 60)
    lan.bring_up(net, "a")
    rdma.bring_up(net, "a")


def lan_queue_stops(net, spec):
    """A frame is lost, its queue may stop; the network device that comes anew works."""
    with Knob(net, spec):
        _, output = net.machines["b"].run(f"ping -c 3 -i 0.2 -W 1 {lan.address('a')}", 30)
        expect("3 packets transmitted" in output and " 0% packet loss" not in output,
               f"{spec}: {output}")
    renew(net)
    lan.ping(net, "b", lan.address("a"))


def test_dma_read_fails(net):
    lan_queue_stops(net, "dma-read,fail,count=2")


def test_dma_write_fails(net):
    lan_queue_stops(net, "dma-write,fail")


def test_transmit_completion_lost(net):
    """The bytes of the packet stay under way."""
    under_way = f"cat /sys/class/net/{net.netdev['a']}/queues/tx-*/byte_queue_limits/inflight"
    with Knob(net, "tx-completion,drop"):
        lan.ping(net, "a", lan.address("b"), 2)
        left = [int(word) for word in net.run("a", under_way).split()]
    expect(any(left), f"under way: {left}")
    renew(net)


def test_no_answer_at_start(net):
    """Whether the mailbox is silent or the channel in it: no device, but for this time."""
    for name, (knob, job) in WAITING.items():
        with knob:
            status, output = job.wait(MAILBOX_PATIENCE)
            expect(status == 1, f"{SILENT[name]}: status {status}: {output}")
        unload(net, name)
        rdma.bring_up(net, name)


def by_packets(net, spec, port="a"):
    """A stream from a to b by packets, with a knob of the NIC of @port."""
    with rdma.packets(net), Knob(net, spec, port):
        rdma.stream(net, "a", "write", 1 << 18)


def hw_counter(net, name, pattern):
    device = net.rdma[name][0]
    return int(net.run(name, f"cat /sys/class/infiniband/{device}/ports/1/hw_counters/{pattern}"))


def test_packet_lost(net):
    before = hw_counter(net, "a", "Nak?Sequence?Error")
    by_packets(net, "roce-packet:7,drop,nth=20")
    expect(hw_counter(net, "a", "Nak?Sequence?Error") > before, "nothing was asked for again")


def test_packet_corrupted(net):
    before = net.nic.ask("counters b")["rdma"].get("CRC_errors", 0)
    by_packets(net, "roce-packet:7,value=1,nth=20")
    expect(net.nic.ask("counters b")["rdma"].get("CRC_errors", 0) > before, "no ICRC error")


def test_push_dropped(net):
    """A queue pair that shall not push goes on by the doorbell."""
    with Knob(net, "push-dropped,drop"):
        driver.ping_pong(net)
    driver.ping_pong(net)


def test_packet_twice(net):
    """It is taken once."""
    by_packets(net, "roce-packet:7,dup,nth=20")


def test_request_lost(net):
    """The receiver's engine loses it: those behind it are out of order."""
    before = hw_counter(net, "a", "Nak?Sequence?Error")
    by_packets(net, "roce-request:7,drop,nth=20", "b")
    expect(hw_counter(net, "a", "Nak?Sequence?Error") > before, "nothing was asked for again")


def test_request_refused(net):
    """The receiver's NAK is what the sender's program is told."""
    try:
        by_packets(net, f"roce-request:7,fail={NAK_ACCESS},nth=20", "b")
    except Failure as failure:
        expect("status 10" in str(failure), str(failure))
    else:
        raise Failure("the stream arrives")
    finally:
        net.nic.ask("clear b")
    rdma.stream(net, "a", "write", 1 << 18)


def test_link_flap(net):
    device = net.rdma["a"][0]
    for state, word in (("down", "DOWN"), ("up", "ACTIVE")):
        net.nic.ask(f"link a {state}")
        net.run("a", f"""for i in $(seq 100); do
            rdma link show {device}/1 | grep -q "state {word}" && exit 0; sleep 0.1; done
            exit 1""")
    driver.ping_pong(net)


def test_function_reset(net):
    with made_anew(net):
        net.nic.ask("reset a")


def test_surprise_removal(net):
    """The function is gone: programs fail at once. With the one that is put in it works.

    The machine boots for that: the LAN driver waits for minutes before it lets go.
    """
    net.nic.ask("remove a")
    status, output = net.machines["a"].run("timeout 30 ibv_rc_pingpong -g 1 -n 1", 60)
    expect(status == 1, f"status {status}: {output}")
    net.machines["a"].kill()
    net.nic.ask("insert a")
    net.power_on("a").finish_boot()
    lan.bring_up(net, "a")
    rdma.bring_up(net, "a")
    driver.ping_pong(net)


def declared(text):
    """The actions that a point's description names."""
    return re.findall(rf"\b({ACTIONS})\b", re.sub(r"\(value = .*?\)", "", text))


def test_every_knob_was_tried(net):
    ways = {(point, action) for point, text in net.nic.ask("kinds")["faults"].items()
            for action in declared(text)}
    left = ways - Knob.used - ELSEWHERE
    expect(not left, f"no test here: {sorted(left)}")


# What a driver says of a device that misbehaves is its own affair.
for _test in list(globals()):
    if _test.startswith("test_"):
        globals()[_test].warnings = ("irdma", "idpf")
test_event_entry_twice.violations = ("cq-ack",)
# The packaged driver warns of a register outside the BAR, and gives back objects of a
# dead function in an order that the core warns of. Of a command that ends twice it drops
# the last reference twice, and the device does not survive it.
if os.environ.get("DRIVER") != "ours":
    test_refused_at_start.warnings = ("",)
    for _test in (test_command_lost, test_function_reset, test_surprise_removal):
        _test.warnings += ("[ib_core]", "Call Trace")
    del test_command_twice
    ELSEWHERE.add(("cqp-command", "dup"))
test_command_lost.violations = ("cqp-objects-left",)
test_function_reset.violations = ("tx-off", "cqp-objects-left", "cqp-doorbell")
