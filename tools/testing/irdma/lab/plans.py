# SPDX-License-Identifier: GPL-2.0
"""What `make test` and its like run: steps, each with its lane, kernel and driver."""

import itertools
import json
import os
import subprocess
import sys
import time

import machine
import net
import results
from kerneltree import tree_hash

LAB, BUILD = machine.LAB, net.BUILD

DEBUG = {"LANE": "uml", "KERNEL": "debug"}

# Each step: environment, and stages or groups.
TEST_PLAN = (
    ({}, ("check",)),
    ({"LANE": "qemu", "DRIVER": "stock"}, ("machine", "lan", "ports", "deaths", "rdma")),
    ({"LANE": "qemu", "DRIVER": "ours"}, ("rdma", "push", "iommu", "cpus2")),
    ({"LANE": "uml", "DRIVER": "stock"}, ("impaired", "lane", "rxe", "suite", "apps",
                                          "captures", "orders", "knobs", "scribble",
                                          "scale")),
    ({"LANE": "uml", "DRIVER": "ours"}, ("rxe", "driver", "costs", "suite", "kunit", "apps",
                                         "orders", "scribble", "buffers")),
    ({"LANE": "uml", "DRIVER": "ours", "ENTERED": "1"}, ("rdma", "verbs", "functions")),
    (DEBUG | {"DRIVER": "ours"}, ("kunit", "rdma")),
)

# The UML kernel with sanitizers: what our driver does, and both drivers' coming
# and going. What asks how long something takes has nothing to say here.
DEBUG_PLAN = (
    ({}, ("nic",)),
    (DEBUG | {"DRIVER": "ours"}, ("kunit", "rdma", "driver", "buffers", "verbs", "scarce",
                                  "sanitized")),
    (DEBUG | {"DRIVER": "stock"}, ("sanitized",)),
)

# What does not fit into its time is part of the long plan.
DEBUG_LONG_PLAN = (
    (DEBUG | {"DRIVER": "ours"}, ("lan", "rxe", "suite")),
    (DEBUG | {"DRIVER": "ours", "LONG": "1"}, ("sanitized",)),
    (DEBUG | {"DRIVER": "stock"}, ("lane", "impaired", "rxe")),
    (DEBUG | {"DRIVER": "stock", "LONG": "1"}, ("sanitized",)),
)


def suits(group, env):
    """Whether lane, kernel and driver are those that the group needs."""
    return all(env.get(key) == value for key, value in getattr(group, "NEEDS", {}).items())


def long_plan(groups):
    """Everything, in full counts; a step for each group, so that little is done twice."""
    yield {}, ("pure",)
    for env, names in DEBUG_PLAN + DEBUG_LONG_PLAN:
        yield from ((env, (name,)) for name in names)
    for lane, driver in itertools.product(("uml", "qemu"), ("ours", "stock")):
        env = {"LANE": lane, "DRIVER": driver, "LONG": "1"}
        yield from ((env, (name,)) for name, group in groups.items() if suits(group, env))
    yield from (({}, (stage,)) for stage in ("mutants", "fuzz"))


PLANS = {"test": lambda _: TEST_PLAN, "debug": lambda _: DEBUG_PLAN, "long": long_plan}
NAMES = tuple(PLANS)


def timing(record):
    """A line on the time that a step and its boots took."""
    boots = [row["seconds"] for row in record["tests"] if row["name"].endswith(": boot")]
    return f"--- {record['seconds']:.0f} s" + (
        f", {len(boots)} boots of {min(boots)} to {max(boots)} s" if boots else "")


def run_step(env, names, label):
    """A step of a plan in a process of its own; its counts, and what failed."""
    (BUILD / "results.json").unlink(missing_ok=True)
    step = subprocess.Popen([sys.executable, "-B", LAB / "run-tests", *names], text=True,
                            env=os.environ | env, stdout=subprocess.PIPE)
    lines = []
    try:
        for line in step.stdout:
            lines.append(line)
            if not results.counted(line):
                print(line, end="", flush=True)
    except BaseException:
        step.terminate()
        step.wait()
        raise
    counts = results.counted("".join(lines)) or (0, 0, 0)
    # A step that failed without saying so, or that ran nothing, is a failure.
    if not counts[1] and (step.wait() != 0 or not counts[0]):
        return (counts[0], 1, counts[2]), [f"{label}: ended without a count\n"]
    record = (BUILD / "results.json").rename(
        BUILD / f"results-{'-'.join([*env.values(), names[0]])}.json")
    print(timing(json.loads(record.read_text())), flush=True)
    return counts, [f"{label}: {line}" for line in lines if line.startswith("failed ")]


def once_green(env, names, label, sources):
    """The step, unless it has passed with these sources in an earlier run."""
    record = BUILD / "long" / f"{label.replace(' ', '-')}.json"
    if record.exists() and (old := json.loads(record.read_text()))["sources"] == sources:
        print(f"# {label}: passed before", flush=True)
        return old["counts"], []
    counts, failed = run_step(env, names, label)
    if not failed:
        record.parent.mkdir(parents=True, exist_ok=True)
        record.write_text(json.dumps({"sources": sources, "counts": counts}))
    return counts, failed


def run(name, groups):
    """The plan's steps; then the time, what failed, and the sum of their counts.

    What passed of the long plan is not done again while the sources are the same.
    """
    total, failed, began = [0, 0, 0], [], time.monotonic()
    sources = tree_hash(net.TOP, ("build", ".git")) if name == "long" else None
    for env, names in PLANS[name](groups):
        label = " ".join([*(f"{key}={value}" for key, value in env.items()), *names])
        print(f"--- {label}", flush=True)
        counts, lines = once_green(env, names, label, sources) if sources else \
            run_step(env, names, label)
        failed += lines
        total = [old + new for old, new in zip(total, counts)]
    print(f"--- {name}: {time.monotonic() - began:.0f} s", flush=True)
    print(*failed, "{} passed, {} failed, {} skipped".format(*total), sep="", flush=True)
    return 0 if total[0] and not total[1] else 1
