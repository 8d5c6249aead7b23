# SPDX-License-Identifier: GPL-2.0
"""Prove tests: each of these one-line faults must fail one.

    mutants [driver|nic] [NAME...]

Runs inside the lab's root; prints KTAP. What is tested must pass first as it is.
A fault whose line is not there exactly once, or that does not compile, fails:
the lists (mutants_driver.py, mutants_nic.py) are kept with the code. A fault that
was caught is not tried again while the sources are the same: an interrupted run
goes on where it ended.
"""

import fcntl
import json
import os
import pathlib
import shutil
import sys

import mutants_driver
import mutants_nic
from kerneltree import cache_folder, tree_hash

SUBJECTS = {"driver": mutants_driver, "nic": mutants_nic}


class Caught:
    """Names of the faults that a test noticed, with these sources, this list and this judge."""

    def __init__(self, repo, subject, path):
        self.path = path
        self.of = repr((os.environ["LAB_ROOT"], pathlib.Path(subject.__file__).read_text(),
                        tree_hash(repo)))
        old = json.loads(path.read_text()) if path.exists() else {}
        self.names = old["names"] if old.get("of") == self.of else []

    def add(self, name):
        self.names.append(name)
        self.path.write_text(json.dumps({"of": self.of, "names": self.names}))


def complaint(subject, repo, name):
    """Why the mutant was not caught; "" if it was."""
    file, line, fault = subject.MUTANTS[name][:3]
    path = repo / subject.SOURCE / file
    text = path.read_text()
    if text.count(line) != 1:
        return f"{file}: {text.count(line)} matches, not 1, of {line!r}"
    path.write_text(text.replace(line, fault))
    try:
        return subject.missed(repo, name)
    finally:
        path.write_text(text)


def prove(label, subject, names):
    """The number of faults that are not caught; a line for each."""
    repo = cache_folder() / "mutants" / label
    shutil.rmtree(repo, ignore_errors=True)
    subject.copy(repo)
    caught = Caught(repo, subject, repo.with_suffix(".caught"))
    print(f"KTAP version 1\n1..{len(names) + 1}", flush=True)
    passed, text = subject.passes(repo)
    print(f"{'ok' if passed else 'not ok'} 1 no fault", flush=True)
    if not passed:
        print(text)
        return 1
    failed = 0
    for number, name in enumerate(names, 2):
        before = name in caught.names
        why = "" if before else complaint(subject, repo, name)
        failed += bool(why)
        if not (why or before):
            caught.add(name)
        said = why or ("caught in an earlier run" if before else "")
        print("".join(f"# {line}\n" for line in said.splitlines()) +
              f"{'not ok' if why else 'ok'} {number} {name}", flush=True)
    return failed


def main():
    labels = [label for label in SUBJECTS if label in sys.argv[1:]] or list(SUBJECTS)
    names = [name for name in sys.argv[1:] if name not in SUBJECTS]
    unknown = [name for name in names
               if not any(name in SUBJECTS[label].MUTANTS for label in labels)]
    if unknown:
        sys.exit(f"mutants: no such fault: {' '.join(unknown)}")
    failed = 0
    with open(cache_folder() / "mutants.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for label in labels:
            subject = SUBJECTS[label]
            wanted = [name for name in names if name in subject.MUTANTS] if names else \
                subject.MUTANTS
            if wanted:
                failed += prove(label, subject, wanted)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
