#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The functions that the specification names: are they there, do they do their
job, and does a test enter them?

usage: functions.py [--write RESULTS.json]

The file "functions" lists the names; a name with a reason is not in the driver.
Each of the others must be defined once, with full kernel-doc, be more than a call
passed on, and be entered in the test that the page in Documentation names for it.
With --write the page is made anew from the driver and the results of a run with
ENTERED=1; without, page and driver are compared.
"""

import json
import pathlib
import re
import sys

from kerneltree import DRIVER, TOP

LIST = pathlib.Path(__file__).resolve().parent / "functions"
PAGE = TOP / "Documentation/infiniband/irdma/functions.rst"
PAGE_HEAD = """\
.. SPDX-License-Identifier: GPL-2.0
.. Made by tools/testing/irdma/lab/functions.py; do not edit.

===============
Named functions
===============

The specification names these functions. ``make man`` writes their manual pages
into ``build/man``. The test is one in which the function was entered.

"""
WORD = re.compile(r"[A-Za-z_]\w*")
# Conversions between the core's types and ours, and keywords, are no work.
NO_WORK = re.compile(r"^(to_irdma_\w+|container_of|struct|sizeof|true|false|[A-Z][A-Z0-9_]*)$")


class Function:
    """A definition with its kernel-doc; job is "" without one."""

    def __init__(self, name, file, doc, head, body):
        self.name, self.file = name, file
        self.doc, self.head, self.body = doc, " ".join(head.split()), body
        found = re.search(rf"^ \* {name}(?:\(\))? - (.+(?:\n \* +[^\s@].*)*?)(?=\n \*\n|\n \* @|\n \*/)",
                          doc, re.M)
        self.job = " ".join(re.sub(r"\n \*", " ", found.group(1)).split()) if found else ""

    def parameters(self):
        inside = self.head[self.head.index("(") + 1:self.head.rindex(")")]
        return [] if inside == "void" else [WORD.findall(part)[-1] for part in inside.split(",")]

    def void(self):
        return re.match(rf"(static )?void {self.name}\(", self.head) is not None

    def undocumented(self):
        """Parts of kernel-doc that are missing."""
        if not self.job:
            return ["kernel-doc"]
        parts = [f"@{name}" for name in self.parameters() if not re.search(rf"^ \* @{name}:", self.doc, re.M)]
        parts += [word for word in ("Context:",) if f"\n * {word}" not in self.doc]
        if not self.void() and "\n * Return:" not in self.doc:
            parts.append("Return:")
        return parts

    def idle(self):
        """Why the body is no work of its own; "" when it is."""
        code = re.sub(r"/\*.*?\*/", "", self.body, flags=re.S).strip()
        code = re.sub(r"\block(?:dep_assert_held\w*|ing_\w+)\([^;]*\);", "", code).strip()
        if not code:
            return "does nothing"
        if re.fullmatch(r"return [-\w]+;", code):
            return "does nothing"
        call = re.fullmatch(r"(?:return )?(\w+)\((.*)\);", code, re.S)
        if not call or ";" in call.group(2):
            return ""
        # What follows a dot or an arrow is a part of something named before it.
        words = WORD.findall(re.sub(r"(->|\.)\w+|\"[^\"]*\"", "", call.group(2)))
        if all(word in self.parameters() or NO_WORK.match(word) for word in words) and \
           not re.search(r"[=!<>]=|[<>?+*/%|^]|&&| & | - ", re.sub("->", "", call.group(2))):
            return f"only passes its arguments to {call.group(1)}()"
        return ""


def functions_of(file, text):
    """Yield each Function that @text defines."""
    pattern = re.compile(r"((?:^/\*\*\n(?: \*.*\n)+)?)"
                         r"(^(?:static )?[a-z_][\w ]*[ *]+\b(\w+)\([^;{}]*\))\n\{\n([\s\S]*?)^\}",
                         re.M)
    for found in pattern.finditer(text):
        yield Function(found.group(3), file, found.group(1), found.group(2), found.group(4))


def driver_functions():
    """{name: [Function]} of the driver's source files."""
    by_name = {}
    for path in sorted((TOP / DRIVER).glob("*.c")):
        for function in functions_of(path.name, path.read_text()):
            by_name.setdefault(function.name, []).append(function)
    return by_name


def read_list(text):
    """{name: reason for its absence, or ""}."""
    rows = (line.partition(": ") for line in text.splitlines() if line and line[0] != "#")
    return {name: reason for name, _, reason in rows}


def source_complaints(wanted, by_name):
    """What is wrong with names and driver, whatever the tests say."""
    complaints = []
    for name, reason in wanted.items():
        found = by_name.get(name, [])
        if reason and found:
            complaints.append(f"{name}: is in {found[0].file}, and listed as absent")
        if reason:
            continue
        if len(found) != 1:
            complaints.append(f"{name}: defined {len(found)} times")
            continue
        complaints += [f"{name}: no {part}" for part in found[0].undocumented()]
        if found[0].idle():
            complaints.append(f"{name}: {found[0].idle()}")
    return complaints


def tests_of(rows):
    """{function: tests that entered it} of the rows of a run, None without a trace."""
    if not any("entered" in row for row in rows):
        return None
    tests = {}
    for row in rows:
        for name in row.get("entered", ()):
            tests.setdefault(name, []).append(row["name"])
    return tests


def page_tests(text):
    """{function: test} that a page names."""
    return dict(re.findall(r"^   \* - ``(\w+)``\n     - .*\n     - .*\n     - (.*)$", text, re.M))


def page(wanted, by_name, test_of):
    """The text of the page."""
    rows = [".. list-table::", "   :header-rows: 1", "", "   * - function", "     - file",
            "     - job", "     - test"]
    for name, reason in wanted.items():
        if not reason:
            function = by_name[name][0]
            rows += [f"   * - ``{name}``", f"     - {function.file}", f"     - {function.job}",
                     f"     - {test_of[name]}"]
    rows += ["", "Not in the driver:", "", ".. list-table::", "   :header-rows: 1", "",
             "   * - function", "     - reason"]
    for name, reason in wanted.items():
        if reason:
            rows += [f"   * - ``{name}``", f"     - {reason}"]
    return PAGE_HEAD + "\n".join(rows) + "\n"


def entry_complaints(wanted, tests, named):
    """Functions that no test entered, or not the one that the page @named."""
    complaints = []
    for name, reason in wanted.items():
        if reason:
            continue
        if name not in tests:
            complaints.append(f"{name}: no test enters it")
        elif named.get(name) not in tests[name]:
            complaints.append(f"{name}: not entered in '{named.get(name)}', as the page says, but "
                              f"in '{tests[name][0]}'")
    return complaints


def check(tests):
    """Complaints; @tests: of a run, or None to look at source and page alone."""
    wanted, by_name = read_list(LIST.read_text()), driver_functions()
    complaints = source_complaints(wanted, by_name)
    if complaints:
        return complaints
    text = PAGE.read_text() if PAGE.exists() else ""
    named = page_tests(text)
    if page(wanted, by_name, {name: named.get(name, "") for name in wanted}) != text:
        complaints.append(f"{PAGE.name} is not what functions.py --write makes of the driver")
    return complaints + (entry_complaints(wanted, tests, named) if tests is not None else [])


def write(results):
    """Make the page anew; a test that it names is kept while it enters the function."""
    wanted, by_name = read_list(LIST.read_text()), driver_functions()
    tests = tests_of(json.loads(pathlib.Path(results).read_text())["tests"]) or {}
    old = page_tests(PAGE.read_text()) if PAGE.exists() else {}
    test_of = {name: old[name] if old.get(name) in found else found[0]
               for name, found in tests.items()}
    complaints = source_complaints(wanted, by_name) + entry_complaints(wanted, tests, test_of)
    if not complaints:
        PAGE.write_text(page(wanted, by_name, test_of))
    return complaints


def main():
    complaints = write(sys.argv[2]) if sys.argv[1:2] == ["--write"] else check(None)
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
