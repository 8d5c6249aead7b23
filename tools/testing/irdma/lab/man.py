#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write the driver's manual pages of section 9 into build/man, one per function
or structure with kernel-doc. Runs inside the lab's root, which has the kernel's
kernel-doc."""

import re
import shutil
import subprocess
import sys

from kerneltree import DRIVER, TOP, patched_source

FOLDER = TOP / "build/man"
# DOC: sections have titles, which begin with a capital.
TITLE = re.compile(r'^\.TH "?(?:struct |enum )?([a-z_]\w*)"? 9 ')


def pages(text):
    """Yield (name, page) of kernel-doc's output, in which pages follow one another."""
    for page in re.split(r"^(?=\.TH )", text, flags=re.M)[1:]:
        found = TITLE.match(page)
        if found:
            yield found.group(1), page


def write_pages():
    """Names of the pages that were written."""
    tool = patched_source() / "scripts/kernel-doc"
    sources = sorted(str(path.relative_to(TOP)) for path in (TOP / DRIVER).glob("*.[ch]"))
    text = subprocess.run(["python3", tool, "-man", *sources], cwd=TOP, text=True, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    names = set()
    for name, page in pages(text):
        (FOLDER / f"{name}.9").write_text(page)
        names.add(name)
    return names


def main():
    print(f"{len(write_pages())} pages in {FOLDER.relative_to(TOP)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
