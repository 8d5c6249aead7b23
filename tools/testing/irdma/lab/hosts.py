# SPDX-License-Identifier: GPL-2.0
"""RDMA on other machines than the usual one: an IOMMU that is strict, memory that
is bounced, one, two and four processors of which one goes while traffic runs."""

import costs
import lan
import rdma
from driver import ping_pong, to_itself
from net import Failure
from rdma import connected, nothing_left

NEEDS = {"LANE": "qemu"}


def bring_up(net):
    lan.bring_up(net, "a")
    rdma.bring_up(net, "a")


def loop(net):
    """Traffic of the machine with itself, by RC and by the connection manager."""
    ping_pong(net)
    net.run("a", f"""rping -s -V -C 10 & server=$!
        for i in $(seq 50); do
            sleep 0.2
            rping -c -V -C 10 -a {lan.address('a')} && wait $server && exit 0
        done
        kill $server; exit 1""", 90)


class Strict:
    """Each DMA address is gone when its mapping is."""
    NAMES, CPUS, NEEDS = ("a",), 2, NEEDS
    OPTIONS = {"platform": ("-device", "intel-iommu,intremap=off,caching-mode=on"),
               "arguments": "intel_iommu=on iommu.strict=1 iommu.passthrough=0"}

    def test_device_up(net):
        bring_up(net)
        kind = net.run("a", """for dev in /sys/bus/pci/drivers/idpf/*:*; do
            cat "$dev"/iommu_group/type; done""").split()
        if kind != ["DMA"]:
            raise Failure(f"the device's IOMMU domain is {kind}, not strict")

    def test_traffic(net):
        with nothing_left(net):
            loop(net)

    def test_unload(net):
        net.run("a", "rmmod irdma", 60)
        bring_up(net)
        loop(net)

    def test_no_fault(net):
        faults = net.run("a", "dmesg | grep -i 'DMAR.*fault' || true")
        if faults:
            raise Failure(faults)


class Bounce:
    """Memory that was not allocated for DMA is bounced: the device cannot have the user's."""
    NAMES, CPUS, NEEDS = ("a",), 2, NEEDS
    OPTIONS = {"arguments": "swiotlb=force"}

    def test_device_up(net):
        bring_up(net)
        slabs = net.run("a", "cat /proc/cmdline; grep . /sys/kernel/debug/swiotlb/*")
        if "io_tlb_nslabs:0" in slabs:
            raise Failure(f"no bounce buffers: {slabs}")

    def test_user_memory_is_refused(net):
        with nothing_left(net):
            device, gid = net.rdma["a"]
            status, output = net.machines["a"].run(f"ibv_rc_pingpong -d {device} -g {gid} -n 1", 30)
            if status in (0, None) or "Couldn't register MR" not in output:
                raise Failure(f"status {status}: {output}")

    def test_unload(net):
        net.run("a", "rmmod irdma", 60)
        bring_up(net)


class Huge:
    """User memory in huge pages, also where fork() is to be safe."""
    NAMES, CPUS, NEEDS = ("a",), 2, NEEDS | {"DRIVER": "ours"}
    OPTIONS = {"arguments": "hugepages=32"}

    def test_device_up(net):
        bring_up(net)

    def test_parts_of_huge_pages(net):
        device, gid = net.rdma["a"]
        for safe in ("", "RDMAV_FORK_SAFE=1", "RDMAV_FORK_SAFE=1 RDMAV_HUGEPAGES_SAFE=1"):
            net.run("a", f"ulimit -l unlimited; {safe} guest/rdma-verbs {device} {gid} huge", 60)


class Inline:
    """The device answers at once: nobody sleeps for it."""
    NAMES, CPUS, NEEDS = ("a",), 2, NEEDS | {"DRIVER": "ours"}
    NIC_OPTIONS = ("inline",)
    OPTIONS = {"inline": True}

    def test_device_up(net):
        bring_up(net)
        costs.measure(net, "qp", 1)	# the peer is known from here on

    def test_ceilings(net):
        costs.at_most(net, "mr", 2, 2, 0)
        costs.at_most(net, "cq", 2, 2, 0)
        costs.at_most(net, "qp", 6, 4, 0)
        costs.at_most(net, "ah", 0, 0, 0)
        costs.at_most(net, "new-ah", 2, 2, 0)


def processors(count):
    """A group on @count processors."""

    class Processors:
        NAMES, CPUS, NEEDS = ("a",), count, NEEDS

        def test_device_up(net):
            bring_up(net)
            online = int(net.run("a", "nproc"))
            if online != count:
                raise Failure(f"{online} processors")

        def test_traffic(net):
            loop(net)

        def test_processor_goes(net):
            """The last processor goes, and comes back, while completions interrupt."""
            job = net.machines["a"].start(f"""while [ ! -e /run/enough ]; do
                    ({to_itself(net, 2000, "-e -s 256")}) || exit 1
                done""")
            online = f"/sys/devices/system/cpu/cpu{count - 1}/online"
            for _ in range(5):
                connected(net)
                if job.future.done():
                    break
                net.run("a", f"sleep 0.3; echo 0 >{online}; sleep 0.3; echo 1 >{online}", 30)
            net.run("a", "touch /run/enough")
            status, output = job.wait(120)
            if status != 0:
                raise Failure(f"status {status}: {output}")
            loop(net)

    if count == 1:
        del Processors.test_processor_goes
    return Processors


GROUPS = {"iommu": Strict, "swiotlb": Bounce, "hugepages": Huge, "inline": Inline,
          **{f"cpus{count}": processors(count) for count in (1, 2, 4)}}
