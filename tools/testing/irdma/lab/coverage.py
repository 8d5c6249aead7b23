# SPDX-License-Identifier: GPL-2.0
"""Count the lines of the driver's arithmetic (layer 1) that KUnit runs.

Runs inside the lab's root; prints each file's and each function's share, and
KTAP. Fails when less than LEAST per cent of all lines run, and for a function
below that share which coverage.below does not name, with the reason, or names
though it is not below. A planted function that nothing calls has to be found.
"""

import collections
import json
import pathlib
import subprocess
import sys

from kerneltree import DRIVER, TOP, cache_folder, copy_driver
from static_checks import LAYERS, Report

LAB = pathlib.Path(__file__).resolve().parent
LEAST = 95
PLANTED = "planted.c"
PLANTED_TEXT = """\
// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
int irdma_planted(int value);

int irdma_planted(int value)
{
	return value + 1;
}
"""


class Share:
    """Lines that ran, of how many."""

    def __init__(self, counts):
        self.ran, self.of = sum(count > 0 for count in counts), len(counts)

    def per_cent(self):
        return 100 * self.ran / self.of if self.of else 0

    def below(self):
        return self.per_cent() < LEAST

    def __str__(self):
        return f"{self.per_cent():.1f} % of {self.of} lines"


def run_suites(cache):
    """Run KUnit over a copy of the driver with the planted file; its build folder."""
    repo = cache / "coverage"
    copy_driver(repo)
    (repo / DRIVER / PLANTED).write_text(PLANTED_TEXT)
    with open(repo / DRIVER / "Makefile", "a", encoding="ascii") as makefile:
        makefile.write(f"irdma-y += {PLANTED[:-2]}.o\n")
    subprocess.run([sys.executable, LAB / "kunit.py", "--config", "gcov", "--repo", repo],
                   check=True)
    return cache / "kunit/module-gcov"


def read_counts(build, names):
    """{file: {function: {line: how often it ran}}} of the named files.

    A line of a header is compiled into many objects, and ran if it did in one.
    """
    counts = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    notes = sorted(build.rglob("*.gcno"))
    run = subprocess.run(["gcov", "--json-format", "--stdout", *notes], cwd=build, check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for document in run.stdout.splitlines():
        for file in json.loads(document)["files"]:
            name = pathlib.Path(file["file"]).name
            if name not in names:
                continue
            for line in file["lines"]:
                function = line.get("function_name")
                if function:
                    counts[name][function][line["line_number"]] += line["count"]
    return counts


def uncounted(names, counts):
    """C files among the names that the driver has and gcov does not know."""
    return sorted(name for name in names if name.endswith(".c") and name not in counts
                  and (TOP / DRIVER / name).exists())


def excused():
    """{(file, function): reason} of coverage.below."""
    lines = (LAB / "coverage.below").read_text().splitlines()
    words = [line.split(None, 2) for line in lines if line and not line.startswith("#")]
    return {(file, function): reason for file, function, reason in words}


def complaints(name, functions, allowed):
    """Print the functions' shares; what is wrong with one file."""
    wrong = []
    for function, lines in functions.items():
        share = Share(lines.values())
        named = (name, function) in allowed
        print(f"#   {function}: {share}")
        if share.below() and not named:
            missing = [str(line) for line, count in sorted(lines.items()) if not count]
            wrong.append(f"{function}: {share}, no test runs line {', '.join(missing)}")
        elif named and not share.below():
            wrong.append(f"{function}: {share}, which coverage.below takes for less")
    wrong += [f"{function} is named in coverage.below and does not exist"
              for file, function in allowed if file == name and function not in functions]
    return wrong


def all_lines(functions):
    return [count for lines in functions.values() for count in lines.values()]


def main():
    names = {f"{stem}.{kind}" for stem in LAYERS[1].split() for kind in "ch"}
    counts = read_counts(run_suites(cache_folder()), names | {PLANTED})
    planted = counts.pop(PLANTED, {})
    allowed = excused()
    report = Report()
    for name in sorted(counts):
        print(f"# {name}: {Share(all_lines(counts[name]))}")
        report.result(name, complaints(name, counts[name], allowed))
    report.result("all files of layer 1 are counted", uncounted(names, counts))
    report.result("named functions are in files of layer 1",
                  [f"{file} {function}" for file, function in allowed if file not in counts])
    share = Share([count for functions in counts.values() for count in all_lines(functions)])
    report.result(f"layer 1: {share}", [f"not {LEAST} %"] if share.below() else [])
    found = complaints(PLANTED, planted, {})
    report.result("the planted function is found",
                  [] if len(found) == 1 and "irdma_planted: 0.0 %" in found[0] else
                  ["it is not reported", *found])
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
