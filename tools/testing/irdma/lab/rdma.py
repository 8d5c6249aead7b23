# SPDX-License-Identifier: GPL-2.0
"""Tests of the RDMA side: two machines with an RDMA driver on the NIC."""

import contextlib
import ipaddress
import json
import random
import subprocess
import time

import lan
from net import Failure

NAMES = ("a", "b")
CPUS = 1
SIZE = 4 << 20
# Objects of each machine before anything was done with its device.
FRESH = {}


def bring_up(net, name):
    """The RDMA driver loaded and its port active; (device, index of the IPv4 GID)."""
    net.run(name, "modprobe -a irdma ib_uverbs rdma_ucm")
    return find_port(net, name)


def compiled(net, name, program):
    """guest/@program.c, compiled in the machine; its path there."""
    net.run(name, f"gcc -O2 -o /tmp/{program} guest/{program}.c -libverbs", 60)
    return f"/tmp/{program}"


def objects(net, name="a"):
    """What `rdma resource show` counts, without the device's number."""
    return net.run(name, "rdma resource show").split(":", 1)[1].strip()


@contextlib.contextmanager
def nothing_left(net, what="left", count=objects):
    """Within, as many objects come as go.

    @what: begins the Failure's text
    @count: function of @net that tells what there is
    """
    before = count(net)
    yield
    left = count(net)
    if left != before:
        raise Failure(f"{what}: {left}, not {before}")


def packets(net):
    """Within, the NICs speak by packets: a captured port has no shortcut."""
    return lan.asked(net, "capture {} /dev/null", "capture {} off")


def connected(net, count=2):
    """Wait until machine a has @count connected queue pairs of programs."""
    net.run("a", f"""for i in $(seq 100); do
            [ "$(rdma resource show qp | grep -c 'RTS.*pid')" -ge {count} ] && exit 0; sleep 0.1
        done; rdma resource show qp; exit 1""")


def listening(port):
    """Shell text: succeeds once something listens at @port, on a socket or by the connection
    manager, which says so a moment before it does."""
    return f"""(for i in $(seq 200); do
            {{ ss -tlnH 'sport = :{port}'; rdma resource show cm_id | grep LISTEN; }} |
                grep -q ':{port}\\b' && sleep 0.1 && exit 0
            sleep 0.1
        done; exit 1)"""


def server(command, port=18515):
    """Shell text: @command runs, as $server, and listens; when it ends before, so does the text."""
    return f"""{command} >/dev/null & server=$!
        until ss -tlnH 'sport = :{port}' | grep -q .; do
            kill -0 $server || {{ wait $server; exit 1; }}
            sleep 0.1
        done"""


@contextlib.contextmanager
def peers(net, count, octet=1):
    """Within, machine a knows @count peers, 192.169.0.1 and on; @octet: of their MACs."""
    dev = net.netdev["a"]
    net.run("a", f"""ip addr replace 192.169.0.254/16 dev {dev}
        for i in $(seq {count}); do
            printf 'neigh replace 192.169.%d.%d lladdr 02:0{octet}:00:00:%02x:%02x dev {dev}\\n' \\
                $((i / 256)) $((i % 256)) $((i / 256)) $((i % 256))
        done | ip -batch -""")
    yield
    net.run("a", f"ip neigh flush dev {dev} nud permanent; ip addr del 192.169.0.254/16 dev {dev}")


def find_port(net, name, address=None):
    """The machine's port with @address, or its usual one, once it is active."""
    packed = ipaddress.ip_address(address or lan.address(name)).packed
    gid = (b"\xff\xff" + packed if len(packed) == 4 else packed).rjust(16, b"\0").hex(":", 2)
    found = net.run(name, f"""
        for i in $(seq 300); do
            for port in /sys/class/infiniband/*/ports/1; do
                grep -qs ACTIVE "$port/state" || continue
                for gid in $(grep -ls {gid} "$port"/gids/*); do
                    grep -q v2 "$port/gid_attrs/types/${{gid##*/}}" || continue
                    device=${{port%/ports/1}}
                    echo "${{device##*/}} ${{gid##*/}}" && exit 0
                done
            done
            sleep 0.1
        done
        ibv_devinfo; dmesg | tail -20; exit 1""", 60).split()
    net.rdma[name] = found[0], int(found[1])
    return net.rdma[name]


def stream(net, sender, operation, size=SIZE, *message):
    """Seeded bytes over an RC queue pair; the figures of (sender, receiver).

    @message: bytes of a message, if not the program's own choice
    """
    receiver = lan.PEER[sender]
    port = 7000 + net.next_id()
    seed = random.getrandbits(32)
    limit = 60 + size / (1 << 18)

    def command(role, name, *more):
        device, gid_index = net.rdma[name]
        return " ".join(map(str, ("ulimit -l unlimited;", "guest/rdma-stream", role,
                                  lan.address(receiver), port, size, seed, device, gid_index,
                                  *more)))

    job = net.machines[receiver].start(command("receive", receiver))
    lan.wait_for_listener(net, receiver, port, job)
    status, output = net.machines[sender].run(command("send", sender, operation, *message), limit)
    if status != 0:
        raise Failure(f"{sender}: status {status}: {output}")
    sent = json.loads(output.splitlines()[-1])
    status, output = job.wait(limit)
    if status != 0:
        raise Failure(f"{receiver}: status {status}: {output}")
    received = json.loads(output.splitlines()[-1])
    if True not in (sent["equal"], received["equal"]):
        raise Failure(f"nobody compared: {sent}, {received}")
    return sent, received | {"equal": True}


def test_device_up(net):
    for name in net.machines:
        lan.bring_up(net, name)
        bring_up(net, name)
        FRESH[name] = objects(net, name)


def test_write(net):
    stream(net, "a", "write")


def test_read(net):
    stream(net, "a", "read")


def test_send(net):
    stream(net, "b", "send")


def test_connection_manager(net):
    """rping: connect by address, then SEND, WRITE and READ with its own pattern."""
    job = net.machines["b"].start("timeout 300 rping -s -V -C 20")
    time.sleep(net.machines["b"].factor)
    net.run("a", f"rping -c -V -C 20 -a {lan.address('b')}", 60)
    status, output = job.wait(30)
    if status != 0:
        raise Failure(f"b: status {status}: {output}")


def test_source_ports(net):
    """Each queue pair sends from a port of its own, which it keeps."""
    path = net.directory / "ports.pcap"
    net.nic.ask(f"capture a {path}")
    device, gid = net.rdma["b"]
    command = "timeout 100 ib_write_bw -q 16 -n 10 -s 64 -F -d {} -x {}"
    job = net.machines["b"].start(command.format(device, gid))
    time.sleep(2 * net.machines["b"].factor)
    net.run("a", f"{command.format(*net.rdma['a'])} {lan.address('b')}", 60)
    job.wait(30)
    net.nic.ask("capture a off")
    lines = subprocess.run(
        ["tshark", "-r", path, "-Y", f"infiniband.bth.opcode == 10 && ip.src == {lan.address('a')}",
         "-T", "fields", "-e", "udp.srcport", "-e", "infiniband.bth.destqp"],
        check=True, capture_output=True, text=True).stdout.splitlines()
    ports = {}
    for line in lines:
        port, peer = line.split()
        ports.setdefault(peer, set()).add(int(port))
    different = set().union(*ports.values())
    if len(ports) < 16 or any(len(found) != 1 for found in ports.values()) or \
       len(different) < 12 or min(different) < 0xc000:
        raise Failure(f"ports of each peer's queue pair: {ports}")


def test_unload(net):
    """Nothing is left behind when the driver goes; it comes again."""
    for name in NAMES:
        left = objects(net, name)
        net.run(name, "modprobe -r rdma_ucm ib_uverbs && modprobe -r irdma", 60)
        if left != FRESH[name]:
            raise Failure(f"{name}: objects left: {left}, not {FRESH[name]}")
        # The stock driver has the function reset when it goes.
        time.sleep(2 * net.machines[name].factor)
        lan.bring_up(net, name)
        bring_up(net, name)
    stream(net, "b", "write", 1 << 20)
