# SPDX-License-Identifier: GPL-2.0
"""Test results: collected from KTAP, printed one line each, counted, saved."""

import json
import re
import time

KTAP = re.compile(r"^(?:[\w\[\]. ]*: )?\s*(not ok|ok)\s+\d+\s*-?\s*([^#]*?)\s*"
                  r"(?:#\s*(SKIP|TODO|EXPECTED)?\s*(.*))?$", re.I)
TOOK = re.compile(r"^# (\d+\.\d) s$")
COUNT = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.M)


def counted(text):
    """The (passed, failed, skipped) that a test runner printed, or None."""
    found = COUNT.findall(text)
    return tuple(map(int, found[-1])) if found else None


def parse(text):
    """Yield (status, name, reason, seconds) for each KTAP result line of @text.

    The seconds are what a comment before the line says ("# 1.5 s"), or None.
    """
    seconds = None
    for line in text.splitlines():
        if took := TOOK.match(line):
            seconds = float(took.group(1))
        match = KTAP.match(line)
        if not match:
            continue
        verdict, name, directive, reason = match.groups()
        status = "passed" if verdict == "ok" else "failed"
        if verdict == "ok" and (directive or "").upper() == "SKIP":
            status = "skipped"
        yield status, name or "unnamed", reason or "", seconds
        seconds = None


class Results:
    """Rows of {name, status, seconds, reason}.

    A skip counts as a failure unless @skips, {name: reason}, lists it. A row
    of a runner that counts its own tests has counts (passed, failed, skipped).
    """

    def __init__(self, skips):
        self.rows = []
        self.skips = skips
        self.began = time.monotonic()

    def add(self, name, status, seconds, reason=""):
        if status == "skipped" and name not in self.skips:
            status, reason = "failed", f"unlisted skip: {reason}"
        elif status == "skipped":
            reason = self.skips[name]
        row = {"name": name, "status": status, "seconds": round(seconds, 1), "reason": reason}
        self.rows.append(row)
        print(f"{status:8}{seconds:6.1f} s  {name}" +
              (f": {reason}" if reason else ""), flush=True)
        return row

    def add_counted(self, name, counts, seconds, reason=""):
        """A runner's tests in one row; its skips are its own affair."""
        status = "failed" if counts[1] else "passed"
        row = self.add(f"{name} ({counts[0]} of {sum(counts)})", status, seconds, reason)
        row["counts"] = dict(zip(("passed", "failed", "skipped"), counts))

    def count(self, status):
        return sum(row["counts"][status] if "counts" in row else row["status"] == status
                   for row in self.rows)

    def finish(self, path):
        """Write @path, print the last line; true when all is well."""
        counts = {s: self.count(s) for s in ("passed", "failed", "skipped")}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(
            {"counts": counts,
             "seconds": round(time.monotonic() - self.began, 1),
             "tests": self.rows}, indent=1) + "\n")
        print(", ".join(f"{n} {s}" for s, n in counts.items()), flush=True)
        return counts["passed"] > 0 and counts["failed"] == 0


def read_skips(path):
    """The skip list: lines of "NAME: REASON", # comments; a name may
    hold ": ", a reason may not."""
    skips = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, reason = line.rpartition(": ")
            if not name:
                raise SystemExit(f"{path}: no reason for {reason}")
            skips[name] = reason
    return skips
