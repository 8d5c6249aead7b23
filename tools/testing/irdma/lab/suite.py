# SPDX-License-Identifier: GPL-2.0
"""rdma-core's own tests on the NIC, compared with what is recorded.

suite.stock and suite.ours hold a line per test: status, test id, and the
reason for anything but a pass. A test whose status differs from its line, or
that has none, fails the run; build/suite.DRIVER is the record of the run.
"""

import json
import os

import lan
import machine
import rdma
from net import BUILD, Failure

NAMES = ("a",)
CPUS = 2
SEED = 1
LIMIT = 400


def driver():
    return os.environ.get("DRIVER", "stock")


def recorded():
    """{test id: status} of the record in the tree."""
    path = machine.LAB / f"suite.{driver()}"
    rows = (line.split(maxsplit=2) for line in path.read_text().splitlines())
    return {row[1]: row[0] for row in rows if row and row[0] != "#"}


def save(results):
    lines = [f"{status} {test} {' '.join(reason.split())}".rstrip()
             for test, status, reason in sorted(results)]
    (BUILD / f"suite.{driver()}").write_text("\n".join(lines) + "\n")


def test_rdma_core(net):
    lan.bring_up(net, "a")
    device, _ = rdma.bring_up(net, "a")
    output = net.run("a", f"modprobe ib_umad; cd /tmp; ulimit -l unlimited; "
                          f"timeout {LIMIT} /job/guest/pyverbs {device} {SEED} 2>&1",
                     LIMIT + 20)
    results = [json.loads(line.removeprefix("RESULT "))
               for line in output.splitlines() if line.startswith("RESULT ")]
    save(results)
    expected = recorded()
    got = {test: status for test, status, _ in results}
    wrong = [f"{test}: {got.get(test, 'missing')}, recorded {expected.get(test, 'nothing')}"
             for test in sorted(expected.keys() | got.keys())
             if got.get(test) != expected.get(test)]
    if wrong:
        raise Failure(f"{len(wrong)} of {len(got)} differ: " + "; ".join(wrong[:8]))


# The packaged driver's words on a transition that it refuses; the suite asks for some.
test_rdma_core.warnings = ("modify_qp invalid",)
