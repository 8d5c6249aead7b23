# SPDX-License-Identifier: GPL-2.0
"""Tests of the driver's manners: bad input, and a device that misbehaves.

Nothing of it holds for another driver than the one of this tree.
"""

import json
import random
import time

import lan
import rdma
from net import Failure
from rdma import nothing_left

NAMES = ("a",)
CPUS = 1
NEEDS = {"DRIVER": "ours"}

# Commands of the control queue that faults are tried on.
REG_MR, DEALLOC_STAG, CREATE_CQ, DESTROY_CQ, DESTROY_QP = 0x0a, 0x0d, 0x03, 0x05, 0x02
MODIFY_SRQ, CREATE_AH, DESTROY_AH, FLUSH_WQES, DESTROY_MCG = 0x07, 0x1c, 0x1e, 0x22, 0x28
MANAGE_ARP = 0x0f
CONNECTION_COMMANDS = (0x00, 0x01, DESTROY_QP, CREATE_CQ, DESTROY_CQ, REG_MR, DEALLOC_STAG,
                       FLUSH_WQES)
# (verb of guest/rdma-refused, its command, which of those the program sends)
REFUSABLE = (("create_srq", 0x06, 2), ("modify_srq", MODIFY_SRQ, 1), ("destroy_srq", 0x08, 1),
             ("resize_cq", 0x04, 1), ("create_ah", CREATE_AH, 1), ("destroy_ah", DESTROY_AH, 1),
             ("alloc_mw", 0x09, 1), ("dealloc_mw", DEALLOC_STAG, 1), ("rereg_mr", DEALLOC_STAG, 1),
             ("attach_mcast", 0x26, 1), ("second_member", 0x27, 1))
# Where the resources name the entries of the table of peers, and few of them.
FPM_PEERS, FEW_PEERS = 40, 6 << 32 | 16
LATE_NS, FOR_EVER_NS = 30_000_000, 3600_000_000_000
# Where the capabilities name the seconds that a deferred command may take.
DEFERRED_TIMEOUT = 3
# The code of an event has twelve bits.
EVENT_CODES = 1 << 12
# Events that take a queue pair or a CQ down.
FATAL_EVENTS = (0x0102, 0x0108, 0x0700, 0x0702, 0x0703, 0x0704, 0x0705)
CQ_ERROR, SRQ_UNUSABLE, SQ_DRAINED, CQ_BROKE = 0x0203, 0x020f, 0x0900, 0x0702
# Round trips, for traffic that is not meant to end by itself.
ENDLESS = 1000000
# Regions whose deregistrations do not fit into the command ring at once.
MORE_THAN_A_RING = 700
# Events that tell of a broken function; each ends in a reset.
FUNCTION_EVENTS = (0x0701, 0x0b0b)

RESET = "requesting a function reset"
# (register, 11 is the doorbell page; where the device says that it is)
ELSEWHERE = ((0, 0xffff0000), (0, 1), (11, 0xffff0000), (11, 0x1040))


def manners(net, case):
    """Command of the guest's part of a test."""
    return f"guest/rdma-manners {case} {' '.join(map(str, net.rdma['a']))}"


def users(net, kind):
    """Objects of programs; others are the connection manager's."""
    return [row for row in json.loads(net.run("a", f"rdma -jdd resource show {kind}"))
            if "pid" in row]


def to_itself(net, count, options=""):
    """Command: RC traffic of the machine with itself; if one end fails so does the other."""
    device, gid = net.rdma["a"]
    command = f"ibv_rc_pingpong -d {device} -g {gid} -n {count} {options}"
    return f"""{rdma.server(command)}
        {command} localhost & client=$!
        while kill -0 $server && kill -0 $client; do sleep 0.1; done 2>/dev/null
        for end in $server $client; do
            kill -0 $end 2>/dev/null || wait $end || kill $server $client
        done
        wait $client; client=$?
        wait $server && exit $client"""


def ping_pong(net, count=20):
    net.run("a", to_itself(net, count), 60)


def resets(net):
    return int(net.run("a", f"dmesg | grep -c {RESET!r} || true"))


def came_back(net, reset):
    """The device, which is sound again, works after one reset more than the @reset before."""
    net.run("a", f"""for i in $(seq 100); do
            [ $(dmesg | grep -c {RESET!r}) -gt {reset} ] && exit 0; sleep 0.1
        done; exit 1""")
    net.nic.clear("a")
    lan.bring_up(net, "a")
    rdma.bring_up(net, "a")
    ping_pong(net)
    if resets(net) != reset + 1:
        raise Failure(f"{resets(net) - reset} resets were asked for")


def test_device_up(net):
    lan.bring_up(net, "a")
    rdma.bring_up(net, "a")
    ping_pong(net)


def test_port_rate(net):
    """The port follows the speed of the net device, which is unknown without a carrier."""
    rate = f"cat /sys/class/infiniband/{net.rdma['a'][0]}/ports/1/rate"
    speed = int(net.run("a", f"cat /sys/class/net/{net.netdev['a']}/speed"))
    for state, expected in (("up", speed / 1000), ("down", 2.5), ("up", speed / 1000)):
        net.nic.ask(f"link a {state}")
        net.run("a", f"""for i in $(seq 50); do
                [ "$({rate} | cut -d' ' -f1)" = {expected:g} ] && exit 0
                sleep 0.1
            done
            {rate}; exit 1""")


def test_bad_input(net):
    """Every bad call that the table of commands yields is refused and leaves nothing."""
    status, output = net.machines["a"].run("guest/rdma-bad-input", 120)
    if status != 0:
        raise Failure(output)


def test_refused_deregistration(net):
    """A region whose key the device refuses to kill is whole, and dies at the next try."""
    with nothing_left(net):
        net.nic.ask(f"fault a cqp-command:{DEALLOC_STAG},fail=0x10001")
        output = net.run("a", manners(net, "deregister"))
        if output.split() != ["refused", "5", "closed"]:
            raise Failure(f"deregistration: {output}")


def test_refused_reregistration(net):
    """A region whose key the device refuses to bring back can only be destroyed."""
    with nothing_left(net):
        net.nic.ask(f"fault a cqp-command:{REG_MR},fail=0x10001,nth=2")
        output = net.run("a", manners(net, "reregister"))
        if output.split() != ["refused", "5", "refused", "22", "refused", "22", "closed"]:
            raise Failure(f"re-registration: {output}")


def test_queue_pair_reuse(net):
    """A queue pair that nothing was posted to is renewed by RESET, another refused."""
    with nothing_left(net):
        output = net.run("a", manners(net, "reuse"))
        if output.split() != ["reused", "refused", "22"]:
            raise Failure(f"reuse: {output}")


def test_commands_twice(net):
    """A completion that comes twice ends its command once."""
    with nothing_left(net):
        for opcode in (REG_MR, DEALLOC_STAG, CREATE_CQ, DESTROY_CQ, DESTROY_QP):
            net.nic.ask(f"fault a cqp-command:{opcode},dup")
        ping_pong(net)
        net.nic.clear("a")
        ping_pong(net)


def test_commands_late(net):
    """Commands that end late, by an event, or out of order, are waited for.

    Also when the control CQ's event queue does not tell of it.
    """
    for way in ("cqp-command", "cqp-defer", "cqp-pending"):
        for opcode in CONNECTION_COMMANDS:
            net.nic.ask(f"fault a {way}:{opcode},delay={LATE_NS},count=4")
        net.nic.ask("fault a ceq-entry:0,drop,count=8")
        with nothing_left(net, way):
            ping_pong(net)
            net.nic.clear("a")


def test_commands_fail(net):
    """Whichever command of a connection's life is refused, nothing is left, and the next works.

    An object that the device refuses to destroy is destroyed when the process ends.
    """
    for opcode in CONNECTION_COMMANDS:
        net.nic.ask(f"fault a cqp-command:{opcode},fail=0x10001")
        with nothing_left(net, f"opcode {opcode:#x}"):
            if net.machines["a"].run(to_itself(net, 20))[0] is None:
                raise Failure(f"opcode {opcode:#x}: a process hangs")
            net.nic.clear("a")
    ping_pong(net)


def refusal(net, verb):
    """Command of the guest's part of a test of one verb."""
    return f"guest/rdma-refused {' '.join(map(str, net.rdma['a']))} {verb}"


def refused_once(net, verb, opcode, nth):
    """A verb whose command is refused does nothing, and works at the next try."""
    with nothing_left(net, verb):
        net.nic.ask(f"fault a cqp-command:{opcode},fail=0x10001,nth={nth}")
        output = net.run("a", refusal(net, verb))
        net.nic.clear("a")
    if output.split() != ["refused", "5", "done"]:
        raise Failure(f"{verb}: {output}")


def test_verbs_fail(net):
    for verb, opcode, nth in REFUSABLE:
        refused_once(net, verb, opcode, nth)


def test_peers_fail(net):
    """Entries of the table of peers, of which there are few, are made and deleted in turn."""
    net.nic.ask(f"fault a fpm-query:{FPM_PEERS},value={FEW_PEERS}")
    net.run("a", "rmmod irdma", 30)
    rdma.bring_up(net, "a")
    with rdma.peers(net, 30):
        for nth in (1, 1, 2, 3):
            refused_once(net, "peers", MANAGE_ARP, nth)
    net.nic.ask(f"fault a cqp-command:{MANAGE_ARP},fail=0x10001")
    net.run("a", "rmmod irdma", 30)
    net.nic.clear("a")
    rdma.bring_up(net, "a")
    ping_pong(net)


def test_refused_to_the_end(net):
    """A process whose queue pairs the device never lets go ends; then one reset."""
    reset = resets(net)
    net.nic.ask(f"fault a cqp-command:{DESTROY_QP},fail=0x10001,count=1000")
    net.machines["a"].run(to_itself(net, 20))
    came_back(net, reset)


def test_killed(net):
    """A process that is killed in the middle of its work leaves nothing."""
    with nothing_left(net):
        for part in range(10):
            job = net.machines["a"].start(to_itself(net, ENDLESS, "-e"))
            rdma.connected(net)
            time.sleep(part / 20)
            net.run("a", "pkill -9 -x -c ibv_rc_pingpong | grep -qx 2")
            if job.wait(30)[0] is None:
                raise Failure("a process hangs")
    ping_pong(net)


def test_events(net):
    """Events about nobody, with all codes that there can be, harm nobody."""
    reset = resets(net)
    for code in set(range(EVENT_CODES)) - set(FUNCTION_EVENTS):
        net.nic.ask(f"event a code={code} id=0x3fff source={code % 16}")
    ping_pong(net)
    if resets(net) != reset:
        raise Failure("an event about nobody reset the function")


def test_events_hit(net):
    """Each event takes a connection down, at its best or when it comes and goes."""
    reset, last = resets(net), {}

    def strike(code, number):
        net.nic.ask(f"event a code={code} id={number} source=5")

    with nothing_left(net):
        for code in FATAL_EVENTS:
            job = net.machines["a"].start(to_itself(net, ENDLESS, "-e"))
            rdma.connected(net)
            kind = "cq" if code == CQ_BROKE else "qp"
            last[kind] = random.choice(users(net, kind))["drv_hw_id"]
            strike(code, last[kind])
            status, output = job.wait(30)
            if status in (0, None) or "Failed status" not in output:
                raise Failure(f"event {code:#x}: status {status}: {output}")
        job = net.machines["a"].start(f"""while [ ! -e /run/enough ]; do
                ({to_itself(net, 300)}) >/dev/null 2>&1 || echo struck
            done; rm /run/enough""")
        end = time.monotonic() + 4
        while time.monotonic() < end:
            for kind, number in last.items():
                last[kind] = max([number, *(row["drv_hw_id"] for row in users(net, kind))])
            for code in 20 * FATAL_EVENTS:
                # Numbers are given out in turn: some of these are to come.
                strike(code, last["cq" if code == CQ_BROKE else "qp"] + random.randrange(8))
        net.run("a", "touch /run/enough")
        status, output = job.wait(60)
        if status != 0 or "struck" not in output:
            raise Failure(f"status {status}: {output}")
        ping_pong(net)
    if resets(net) != reset:
        raise Failure("an event about a queue pair reset the function")


def test_reset_while_asked(net):
    """Resets while a user asks about the port and the net device opens and closes: all go on.

    The LAN driver holds a lock while it takes the device away, which it also takes when the
    net device is opened; who asks must wait for neither.
    """
    device, netdev = net.rdma["a"][0], net.netdev["a"]
    job = net.machines["a"].start(f"""
        while [ ! -e /run/asked ]; do ibv_devinfo -d {device}; done >/dev/null 2>&1 &
        while [ ! -e /run/asked ]; do ip link set {netdev} down; ip link set {netdev} up; done
        wait""")
    for _ in range(lan.ROUNDS):
        lan.function_reset(net, "a")
        time.sleep(net.machines["a"].factor)
    net.run("a", "touch /run/asked")
    if job.wait(60)[0] is None:
        raise Failure("a program hangs")
    net.run("a", "rm /run/asked")
    lan.bring_up(net, "a")
    rdma.bring_up(net, "a")
    ping_pong(net)


def test_lost_command(net):
    """A command that never ends: one reset, and the device comes back."""
    reset = resets(net)
    net.nic.ask(f"fault a cqp-command:{REG_MR},drop")
    status, output = net.machines["a"].run("ibv_rc_pingpong -g 1", 60)
    if status in (0, None):
        raise Failure(f"status {status} without a region: {output}")
    came_back(net, reset)


def test_lost_address_handle(net):
    reset = resets(net)
    net.nic.ask(f"fault a cqp-command:{CREATE_AH},drop")
    output = net.run("a", refusal(net, "create_ah"), 60)
    if "done" in output:
        raise Failure(output)
    came_back(net, reset)


def test_lost_end(net):
    """A deferred command that never ends is given up, however many others end meanwhile."""
    reset = resets(net)
    device, gid = net.rdma["a"]
    net.nic.ask(f"fault a capability:{DEFERRED_TIMEOUT},value=2")
    net.run("a", "rmmod irdma", 60)
    rdma.bring_up(net, "a")
    net.nic.ask(f"fault a cqp-defer:{REG_MR},delay={FOR_EVER_NS}")
    jobs = [net.machines["a"].start(f"""until [ -e /run/enough ]; do
            timeout 0.2 ibv_rc_pingpong -d {device} -g {gid} -p {port}
        done >/dev/null 2>&1; true""") for port in (20001, 20002)]
    try:
        came_back(net, reset)
    finally:
        net.run("a", "touch /run/enough")
    for job in jobs:
        if job.wait(60)[0] is None:
            raise Failure("a process hangs")


def test_silence_at_the_end_of_many(net):
    """The device falls silent while a process ends that has more than its ring holds."""
    reset, device = resets(net), net.rdma["a"][0]
    many = rdma.compiled(net, "a", "rdma-many")
    job = net.machines["a"].start("ulimit -l unlimited; sleep infinity | "
                                  f"{many} {device} mr {MORE_THAN_A_RING} >/run/made")
    net.run("a", """for i in $(seq 300); do
            grep -q made /run/made && exit 0; sleep 0.1
        done; exit 1""", 60)
    net.nic.ask(f"fault a cqp-command:{DEALLOC_STAG},drop")
    net.run("a", "pkill -9 rdma-many; pkill sleep")
    if job.wait(60)[0] is None:
        raise Failure("the process hangs")
    came_back(net, reset)


def test_kept_in_a_group(net):
    """A queue pair that the device keeps in a group when its process ends, or it leaves: one reset.

    The core forgets a membership whose end was refused: nobody would try again.
    """
    for way in ("member", "leave"):
        reset = resets(net)
        with nothing_left(net, way):
            net.nic.ask(f"fault a cqp-command:{DESTROY_MCG},fail=0x10001")
            net.run("a", manners(net, way))
            came_back(net, reset)


def test_broken_srq(net):
    """Its owner hears that it is broken, not that it is low."""
    job = net.machines["a"].start(manners(net, "srq"))
    net.run("a", """for i in $(seq 100); do
            rdma resource show srq | grep -q srqn && exit 0; sleep 0.1
        done; exit 1""")
    # Nobody outside the driver knows its number; it is the only one.
    for number in range(16):
        net.nic.ask(f"event a code={SRQ_UNUSABLE} context={number << 6}")
    status, output = job.wait(30)
    if status != 0 or output.split() != ["SRQ"]:
        raise Failure(f"status {status}: {output}")


def test_refused_limit(net):
    """The limit of an SRQ that the device refuses to change stays."""
    with nothing_left(net):
        for nth in (2, 4):
            net.nic.ask(f"fault a cqp-command:{MODIFY_SRQ},fail=0x10001,nth={nth}")
        output = net.run("a", manners(net, "limit"))
        net.nic.clear("a")
        if output.split() != ["6", "refused", "5", "6", "0", "refused", "5", "0"]:
            raise Failure(output)


def test_refused_flush(net):
    """A queue pair whose queues were not flushed can be flushed again."""
    net.nic.ask(f"fault a cqp-command:{FLUSH_WQES},fail=0x10001")
    output = net.run("a", manners(net, "flush"))
    if output.split() != ["refused", "5", "5"]:
        raise Failure(output)


def test_late_event(net):
    """A queue pair that was reset stays so, whatever happened to it before."""
    job = net.machines["a"].start(manners(net, "late"))
    number = net.run("a", """for i in $(seq 100); do
            cat /run/late && exit 0; sleep 0.1
        done 2>/dev/null; exit 1""")
    net.nic.ask(f"event a code={FATAL_EVENTS[0]} id={int(number)} source=5")
    net.run("a", f"""for i in $(seq 100); do
            rdma -jdd resource show qp | grep -q '"drv_event":{FATAL_EVENTS[0]}[,}}]' && break
            sleep 0.1
        done && rm /run/late && [ $i -lt 100 ]""")
    status, output = job.wait(30)
    if status != 0 or output.split() != ["True"]:
        raise Failure(f"status {status}: {output}")


def test_lost_drain(net):
    """A queue pair of which nobody hears that it has stopped says so, and goes on."""
    with nothing_left(net):
        for draining in (True, False):
            if draining:
                net.nic.ask(f"fault a aeq-entry:{SQ_DRAINED},drop")
            output = net.run("a", manners(net, "drain"))
            net.nic.ask("clear a")
            if output.split() != ["True", str(int(draining))]:
                raise Failure(f"draining {draining}: {output}")


def test_broken_cq(net):
    """It takes its queue pairs with it, and no others."""
    job = net.machines["a"].start(manners(net, "events"))
    rdma.connected(net, 1)
    number = users(net, "cq")[0]["drv_hw_id"]
    net.nic.ask(f"event a code={CQ_ERROR} id={number} source=2")
    status, output = job.wait(30)
    if status != 0 or output.split() != ["CQ", "QP", "True"]:
        raise Failure(f"status {status}: {output}")
    ping_pong(net)


def test_unanswered_address_handle(net):
    """A handle that its user was not told of, and that the device keeps, ends in a reset.

    Without the device's refusal it is just destroyed.
    """
    command = manners(net, "unanswered")
    reset = resets(net)
    with nothing_left(net):
        output = net.run("a", command)
    if output.split() != ["refused", "14"] or resets(net) != reset:
        raise Failure(f"{output}; {resets(net) - reset} resets")
    net.nic.ask(f"fault a cqp-command:{DESTROY_AH},fail=0x10001")
    net.run("a", command)
    came_back(net, reset)


def test_runaway(net):
    """An engine that cannot be stopped keeps its memory until it was reset."""
    reset = resets(net)
    net.nic.ask("fault a cqp-stop,drop")
    net.nic.ask(f"fault a cqp-command:{REG_MR},drop")
    status, output = net.machines["a"].run("ibv_rc_pingpong -g 1", 60)
    if status in (0, None):
        raise Failure(f"status {status} without a region: {output}")
    came_back(net, reset)
    said = net.run("a", "dmesg | grep -o '[0-9]* pieces of memory .*'").split(maxsplit=1)
    # At least the rings of control queue, its CQ and event queue.
    if int(said[0]) < 3 or said[1].strip() != "pieces of memory freed after a reset":
        raise Failure(f"{said}")


def test_registers_elsewhere(net):
    """No register is touched, or given to user space, that is not where it can be."""
    net.run("a", "rmmod irdma", 30)
    for register, offset in ELSEWHERE:
        net.nic.ask(f"fault a register:{register},value={offset:#x}")
        status, output = net.machines["a"].run("modprobe irdma && ls /sys/class/infiniband", 30)
        net.nic.clear("a")
        if status != 0 or output.strip():
            raise Failure(f"register {register} at {offset:#x}: status {status}: {output}")
        net.run("a", "rmmod irdma", 30)
    rdma.bring_up(net, "a")
    ping_pong(net)


# What the driver says of a device that misbehaves is its duty.
test_registers_elsewhere.warnings = ("is not mapped", "no doorbell page")
test_refused_reregistration.warnings = ("command 0xa failed",)
test_refused_deregistration.warnings = ("command 0xd failed",)
test_refused_limit.warnings = ("command 0x7 failed",)
test_refused_flush.warnings = ("command 0x22 failed",)
test_commands_fail.warnings = test_verbs_fail.warnings = test_peers_fail.warnings = (
    "irdma: command 0x",)
test_refused_to_the_end.warnings = ("irdma: command 0x", RESET)
test_refused_to_the_end.violations = ("cqp-objects-left",)
test_events_hit.warnings = (" broke",)
test_events.warnings = ("dropped", " broke")
test_unanswered_address_handle.warnings = ("command 0x1e failed", RESET)
test_unanswered_address_handle.violations = ("cqp-objects-left",)
test_runaway.warnings = (RESET, "engine cannot be stopped",
                         "freed after a reset")
test_runaway.violations = ("cqp-objects-left",)
# The core tries to use a device that is reset while it is registered, or gives it up; the
# LAN driver makes its devices anew.
test_reset_while_asked.warnings = ("idpf", "irdma0: Couldn't", "failed with error -110")
# Both drivers go on until they find out.
test_reset_while_asked.violations = ("tx-off", "cqp-doorbell", "cqp-objects-left")
test_lost_command.warnings = test_lost_address_handle.warnings = (RESET,)
test_lost_end.warnings = (RESET,)
test_silence_at_the_end_of_many.warnings = (RESET,)
test_kept_in_a_group.warnings = ("irdma: command 0x", RESET)
test_kept_in_a_group.violations = test_lost_command.violations = ("cqp-objects-left",)
test_lost_end.violations = test_lost_address_handle.violations = ("cqp-objects-left",)
test_silence_at_the_end_of_many.violations = ("cqp-objects-left",)
