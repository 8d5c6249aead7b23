# SPDX-License-Identifier: GPL-2.0
"""Tests of a driver that gets no memory, with the fault injection of the kernel with
sanitizers. Only allocations beneath the driver's own functions fail."""

import random

import driver
import lan
import rdma
from net import Failure
from rdma import nothing_left

NAMES = ("a",)
CPUS = 1
NEEDS = {"LANE": "uml", "KERNEL": "debug", "DRIVER": "ours"}
# So many of the allocations of a probe fail, or with LONG each.
PROBES = 12

# Beneath the driver: a return address between its first and last function; but none
# between the addresses that @but prints.
BENEATH = """
    module_range() {{
        grep -i " t .*\\[$1\\]" /tmp/symbols | sed -n '1s/ .*//p;$s/ .*//p'
    }}
    sort /proc/kallsyms >/tmp/symbols
    set -- $(module_range irdma) $({but})
    for kind in failslab fail_page_alloc; do
        cd /sys/kernel/debug/$kind && echo N >ignore-gfp-wait && echo 0 >verbose &&
        echo 32 >stacktrace-depth && echo 0x$1 >require-start && echo 0x$2 >require-end &&
        echo 0x$3 >reject-start && echo 0x$4 >reject-end || exit 1
    done
    echo 0 >min-order"""
# What checks DMA gives up without memory; the core leaks some that registers a device.
DMA_DEBUG = "grep -A1 ' add_dma_entry$' /tmp/symbols | cut -d' ' -f1"
CORE = "module_range ib_core"

# Binding the driver to the function with each allocation of {numbers} failing; it ends
# bound. Prints for each how many were left to count down, and 1 if it was bound.
PROBE = """
    cd /sys/bus/auxiliary/drivers/irdma.idpf_core && device=$(ls | grep rdma) || exit 1
    for number in {numbers}; do
        echo $device >unbind || exit 1
        echo $number >/proc/self/fail-nth
        echo $device >bind 2>/dev/null && bound=1 || bound=0
        read -r left </proc/self/fail-nth; echo 0 >/proc/self/fail-nth
        [ $bound = 1 ] || echo $device >bind || exit 1
        echo $left $bound
    done
    echo $device >unbind && echo $device >bind"""
# A region of 64 Ki pages is registered while no block of 2^{order} pages and more can
# be had.
LARGE_REGION = """
    cd /sys/kernel/debug/fail_page_alloc
    echo {order} >min-order; echo -1 >times; echo 100 >probability
    python3 -c '
from pyverbs.device import Context, get_device_list
from pyverbs.mr import MR
from pyverbs.pd import PD
with Context(name=get_device_list()[0].name.decode()) as context, PD(context) as pd:
    MR(pd, 256 << 20, 1).close()'
    status=$?
    echo 0 >probability; echo 0 >min-order
    exit $status"""
# More than a probe has; tells how many it has.
MOST = 100000


def test_device_up(net):
    lan.bring_up(net, "a")
    rdma.bring_up(net, "a")


def test_verbs(net):
    """Each allocation of each verb fails once; nothing is left."""
    net.run("a", BENEATH.format(but=DMA_DEBUG))
    with nothing_left(net):
        device, gid = net.rdma["a"]
        words = net.run("a", f"ulimit -l unlimited; guest/rdma-scarce {device} {gid}", 300).split()
    if not sum(map(int, words[1::3])):
        raise Failure(f"no allocation failed: {words}")
    return " ".join(words)


def test_large_region(net):
    """It needs no block of pages; with sanitizers, a page of slab memory takes four."""
    net.run("a", f"ulimit -l unlimited; {LARGE_REGION.format(order=3)}", 120)
    status, output = net.machines["a"].run(
        f"ulimit -l unlimited; {LARGE_REGION.format(order=0)}", 120)
    if status == 0 or "Cannot allocate memory" not in output:
        raise Failure(f"without any page: status {status}: {output}")


def probe(net, numbers):
    """(left, bound) of each of the probes."""
    script = PROBE.format(numbers=" ".join(map(str, numbers)))
    words = [int(word) for word in net.run("a", script, 60 + 10 * len(numbers)).split()]
    return list(zip(words[::2], words[1::2]))


def test_probe(net):
    """Each allocation of a probe fails once, or some of them; then the device works."""
    net.run("a", BENEATH.format(but=CORE))
    (left, _), = probe(net, [MOST])
    numbers = range(1, MOST - left + 1)
    if not lan.LONG:
        numbers = sorted(random.sample(numbers, PROBES))
    ended = probe(net, numbers)
    reached = sum(not left for left, _ in ended)
    if not reached or reached < len(ended) / 2:
        raise Failure(f"{reached} allocations of {len(ended)} were reached")
    rdma.bring_up(net, "a")
    driver.ping_pong(net)
    return f"{reached} of {MOST - left} allocations, {sum(bound for _, bound in ended)} not needed"


# What the kernel says beneath a probe that fails.
test_probe.warnings = ("irdma0: Couldn't", "error -12", "error: -12", "failed!: -12", "rescuer",
                       "out of free dentries", "driver_sysfs_add failed")
