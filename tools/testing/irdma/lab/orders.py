# SPDX-License-Identifier: GPL-2.0
"""The LAN and the RDMA driver come and go in every order, with the network device up
and down. The RDMA device is there while both are, and nothing is left behind.

The RDMA driver calls the LAN driver, so that the LAN driver's module is in use until
the other's is gone: it goes first by giving up its device.
"""

import functools
import itertools

import lan
from net import Failure

NAMES = ("a",)
CPUS = 1

ROUND = """
    modprobe {load[0]} && modprobe {load[1]} || exit 1
    for i in $(seq 200); do
        ls /sys/class/infiniband 2>/dev/null | grep -q . && break; sleep 0.05
    done
    device=$(ls /sys/class/infiniband) && netdev=$(ls /sys/bus/pci/drivers/idpf/*/net) || exit 1
    ip link set $netdev {link} || exit 1
    rdma link show $device/1 | grep -q "netdev $netdev" || exit 1
    {unload} || exit 1
    ! ls -d /sys/class/infiniband/* /sys/bus/auxiliary/devices/* 2>/dev/null || exit 1
"""

UNLOAD = {
    "irdma": "rmmod irdma && rmmod idpf",
    "idpf": """! rmmod idpf 2>/dev/null && cd /sys/bus/pci/drivers/idpf &&
        echo *:*:* >unbind && cd / && ! ls /sys/class/infiniband/* 2>/dev/null &&
        rmmod irdma && rmmod idpf"""}


def rounds(net, load, unload, link):
    script = ROUND.format(load=load, unload=unload, link=link)
    status, output = net.machines["a"].run(
        f"for round in $(seq {lan.ROUNDS}); do {script} done", 60 + 10 * lan.ROUNDS)
    if status != 0:
        raise Failure(f"status {status}: {output}")


def fill():
    """A function per order: test_load_FIRST_unload_FIRST_LINK."""
    orders = itertools.permutations(("idpf", "irdma"))
    for load, (first, unload), link in itertools.product(orders, UNLOAD.items(), ("up", "down")):
        globals()[f"test_load_{load[0]}_unload_{first}_first_{link}"] = functools.partial(
            rounds, load=load, unload=unload, link=link)


fill()
