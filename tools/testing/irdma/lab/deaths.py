# SPDX-License-Identifier: GPL-2.0
"""Tests of ends without farewell, at random moments (SEED chooses them): who is left
goes on undisturbed."""

import contextlib
import os
import random
import threading
import time

import lan
import machine
import net as network
from net import Failure

NAMES = ("a", "b", "c")
CPUS = 1
SEED = int(os.environ.get("SEED") or random.getrandbits(16))
ROUNDS = 20 if lan.LONG else 3
DEVICES = 8 if lan.LONG else 3


def test_bystanders_up(net):
    for name in ("b", "c"):
        lan.bring_up(net, name)
    lan.transfer(net, "b", lan.address("c"), 1 << 20, receiver="c")


def live(net, name):
    """A machine's life from power-on to a second of traffic; it may end anywhere."""
    with contextlib.suppress(Failure, machine.LabError):
        guest = net.power_on(name)
        guest.finish_boot()
        lan.bring_up(net, name)
        guest.run(f"timeout 1 ping -q -f -s 1000 {lan.address('b')}")


def test_guest_killed(net):
    """The others of the wire do not lose a single echo meanwhile."""
    rng = random.Random(SEED)
    net.machines["a"].kill()
    began = time.monotonic()
    live(net, "a")
    life = time.monotonic() - began
    net.machines["a"].kill()
    for _ in range(ROUNDS):
        moment = rng.uniform(0, life)
        witness = net.machines["c"].start(
            f"ping -q -W 10 -i 0.1 -c {int(10 * moment) + 10} {lan.address('b')}")
        killer = threading.Timer(moment, lambda: net.machines["a"].kill())
        killer.start()
        live(net, "a")
        killer.join()
        net.machines["a"].kill()
        status, text = witness.wait(20 + 2 * moment)
        if status != 0 or " 0% packet loss" not in text:
            raise Failure(f"SEED={SEED}, killed after {moment:.1f} s: {text}")
    net.power_on("a").finish_boot()
    lan.bring_up(net, "a")
    lan.ping(net, "a", lan.address("b"))
    return f"{ROUNDS} times, SEED={SEED}"


# What an emulated driver says of a device that answers no more, and what is said of it.
DEAD = ("idpf", "pcieport", "AER", "vfio")


def work_with(device):
    """Shell text: the driver is bound to @device, its netdev used, and unbound."""
    return f"""
        driver=/sys/bus/pci/drivers/idpf
        while true; do
            echo {device} >$driver/bind
            [ -e $driver/{device} ] && touch /run/bound
            for i in $(seq 30); do
                for path in $driver/{device}/net/*; do
                    [ -e "$path" ] && ip link set "${{path##*/}}" up && break 2
                done
                sleep 0.1
            done
            timeout 1 ping -q -f -I "${{path##*/}}" ff02::1
            echo {device} >$driver/unbind
        done"""


def test_nic_killed(net):
    """The machine of a dead NIC works on, and so do the NICs of other processes."""
    rng = random.Random(SEED)
    directory = net.directory / "many"
    nics = [network.Nic(directory / str(i), ("a",), "vfio-user") for i in range(DEVICES)]
    guest = machine.Qemu("many", directory, [nic.sockets["a"] for nic in nics], CPUS)
    try:
        guest.start_boot()
        guest.finish_boot()
        status, text = guest.run("echo 0 >/sys/bus/pci/drivers_autoprobe && modprobe idpf")
        if status != 0:
            raise Failure(f"status {status}: {text}")
        for i, nic in enumerate(nics):
            moment = rng.uniform(0, 6 * guest.factor)
            guest.start(work_with(f"0000:{i + 1:02x}:00.0"))
            if not i and guest.run("until [ -e /run/bound ]; do sleep 0.1; done")[0] != 0:
                raise Failure("the driver is bound to no NIC")
            time.sleep(moment)
            nic.process.kill()
            status, text = guest.run("cat /proc/uptime", 60)
            if status != 0 or not guest.alive():
                raise Failure(f"SEED={SEED}, NIC {i} killed after {moment:.1f} s: {text}")
        bad = [line for line in guest.warnings() if not any(word in line for word in DEAD)]
        if bad:
            raise Failure(f"SEED={SEED}: {bad[0]}")
    finally:
        guest.kill()
        for nic in nics:
            nic.stop()
    return f"{DEVICES} times, SEED={SEED}"
