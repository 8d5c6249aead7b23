# SPDX-License-Identifier: GPL-2.0
"""rdma-core's own tests on the NIC, compared with what is recorded.

suite.stock and suite.ours hold a line per test: status, test id, and what it
says for anything but a pass; of a failure, after " # ", the reason. A test whose
status differs from its line, whose failure does not begin with the line's words,
or that has no line, fails the run; build/suite.DRIVER is the record of the run.
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


def verdicts(lines):
    """{test id: what must be the same again} of a record."""
    rows = (line.split(" # ")[0].split(maxsplit=2) for line in lines)
    return {row[1]: " ".join(row[::2]) if row[0] == "fail" else row[0] for row in rows}


def recorded():
    """The record in the tree."""
    return verdicts((machine.LAB / f"suite.{driver()}").read_text().splitlines())


def save(results):
    """A record of the run; its lines."""
    lines = [f"{status} {test} {' '.join(words.split())}".rstrip()
             for test, status, words in sorted(results)]
    (BUILD / f"suite.{driver()}").write_text("\n".join(lines) + "\n")
    return lines


def test_rdma_core(net):
    lan.bring_up(net, "a")
    device, _ = rdma.bring_up(net, "a")
    output = net.run("a", f"modprobe ib_umad; cd /tmp; ulimit -l unlimited; "
                          f"timeout {LIMIT} /job/guest/pyverbs {device} {SEED} 2>&1",
                     LIMIT + 20)
    results = [json.loads(line.removeprefix("RESULT "))
               for line in output.splitlines() if line.startswith("RESULT ")]
    expected, got = recorded(), verdicts(save(results))
    wrong = [f"{test}: {got.get(test, 'missing')}, recorded {expected.get(test, 'nothing')}"
             for test in sorted(expected.keys() | got.keys())
             if not got.get(test, "missing").startswith(expected.get(test, "nothing"))]
    if wrong:
        raise Failure(f"{len(wrong)} of {len(got)} differ: " + "; ".join(wrong[:8]))


# The packaged driver's words on a transition that it refuses; the suite asks for some.
test_rdma_core.warnings = ("modify_qp invalid",)
