# SPDX-License-Identifier: GPL-2.0
"""Tests of the lab's tools that decide whether other tests count."""

import contextlib
import io
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import unittest.mock

import coverage
import functions
import kerneltree
import kunit
import machine
import man
import mutants_driver
import mutants_nic
import net
import plans
import results
import sanitized
import static_checks
from kerneltree import TOP

sys.path.append(str(TOP / "tools/testing/irdma/guest"))
import uverbs  # noqa: E402

OVERLAY = TOP / "tools/testing/irdma/lab/overlay"
KCONFIG = """\
if !UML
source "drivers/infiniband/hw/hns/Kconfig"
source "drivers/infiniband/hw/irdma/Kconfig"
source "drivers/infiniband/sw/rdmavt/Kconfig"
endif # !UML
source "drivers/infiniband/sw/rxe/Kconfig"
"""
MAINTAINERS = """\
Maintainers

3C59X NETWORK DRIVER
M:	Somebody <a@b.c>
F:	drivers/net/3c59x.c

INTEL ETHERNET PROTOCOL DRIVER FOR RDMA
S:	Supported
F:	drivers/infiniband/hw/irdma/

IRQ SUBSYSTEM
F:	kernel/irq/

THE REST
F:	*
"""
INDEX = ".. toctree::\n\n   core_locking\n   ipoib\n   sysfs\n"


class Leaks(unittest.TestCase):
    def test_known_ones_are_left_out(self):
        self.assertEqual(list(sanitized.leaks(LEAKS, {"other_add"})), ["ours_add < ours_init"])

    def test_unknown_ones_are_not(self):
        self.assertEqual(len(list(sanitized.leaks(LEAKS, {"other"}))), 2)

    def test_none(self):
        self.assertEqual(list(sanitized.leaks("", {"other_add"})), [])


class Overlay(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        self.put("Kbuild", "")
        self.put("drivers/infiniband/Kconfig", KCONFIG)
        self.put("MAINTAINERS", MAINTAINERS)
        self.put("Documentation/infiniband/index.rst", INDEX)
        self.put("drivers/infiniband/hw/irdma/stock.c", "of the tree")

    def put(self, name, text):
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def text(self, name):
        return (self.tree / name).read_text()

    def overlay(self):
        return subprocess.run([OVERLAY, self.tree], capture_output=True, text=True, check=False)

    def files(self):
        return {p: p.read_bytes() for p in self.tree.rglob("*") if p.is_file()}

    def test_lays_our_driver_and_edits_the_tree(self):
        self.assertEqual(self.overlay().returncode, 0)
        self.assertFalse((self.tree / "drivers/infiniband/hw/irdma/stock.c").exists())
        self.assertTrue((self.tree / "drivers/infiniband/hw/irdma/ring.h").exists())
        line = 'source "drivers/infiniband/hw/irdma/Kconfig"\n'
        kconfig = self.text("drivers/infiniband/Kconfig")
        self.assertEqual(kconfig.count(line), 1)
        self.assertIn("endif # !UML\n" + line, kconfig)
        maintainers = self.text("MAINTAINERS")
        self.assertNotIn("INTEL ETHERNET PROTOCOL", maintainers)
        self.assertIn("\n\nIRDMA RDMA DRIVER\n", maintainers)
        self.assertLess(maintainers.index("IRDMA RDMA"), maintainers.index("IRQ SUBSYSTEM"))

    def test_second_run_changes_nothing(self):
        self.overlay()
        before = self.files()
        self.assertEqual(self.overlay().returncode, 0)
        self.assertEqual(self.files(), before)

    def refused(self, name, text):
        self.put(name, text)
        before = self.files()
        done = self.overlay()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(name.rsplit("/", maxsplit=1)[-1], done.stderr)
        self.assertEqual(self.files(), before)

    def test_refuses_a_tree_that_has_moved_on(self):
        self.refused("drivers/infiniband/Kconfig", KCONFIG.replace("hw/irdma/Kconfig", "hw/gone/Kconfig"))

    def test_refuses_an_ambiguous_pattern(self):
        self.refused("drivers/infiniband/Kconfig", KCONFIG + "if !UML\nendif # !UML\n")

    def test_refuses_an_unclaimed_driver(self):
        self.refused("MAINTAINERS", MAINTAINERS.replace("hw/irdma/", "hw/other/"))

    def test_refuses_what_is_no_kernel_tree(self):
        (self.tree / "Kbuild").unlink()
        self.assertIn("not a kernel source tree", self.overlay().stderr)


    def test_unpacked_tree_has_our_driver(self):
        """And not its own: what is unpacked can be configured at once."""
        folder = self.tree.with_name(f"{self.tree.name}.src")
        folder.mkdir()
        self.addCleanup(shutil.rmtree, folder)
        with tarfile.open(folder / "linux-source-7.3.tar.xz", "w:xz") as tar:
            tar.add(self.tree, "linux-source-7.3")
        with contextlib.redirect_stdout(io.StringIO()):
            tree = kerneltree.unpack(folder / "cache", folder=folder)
        self.assertTrue((tree / kerneltree.DRIVER / "Kconfig").is_file())
        self.assertFalse((tree / kerneltree.DRIVER / "stock.c").exists())


class LongPlan(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.ran = []
        for name, value in (("BUILD", pathlib.Path(folder.name)), ("run_step", self.step)):
            patch = unittest.mock.patch.object(plans, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def step(self, _env, names, _label):
        self.ran.append(names)
        return (2, 0, 1), ["failed b"] if names == ("b",) else []

    def go(self, sources):
        with contextlib.redirect_stdout(io.StringIO()):
            return [plans.once_green({}, (name,), name, sources)[0] for name in "ab"]

    def test_what_passed_is_not_done_again(self):
        self.go("1")
        self.assertEqual(self.go("1"), [[2, 0, 1], (2, 0, 1)])
        self.assertEqual(self.ran, [("a",), ("b",), ("b",)])

    def test_other_sources_count_from_the_start(self):
        self.go("1")
        self.go("2")
        self.assertEqual(len(self.ran), 4)

    def test_groups_run_where_they_can(self):
        class Ours:
            NEEDS = {"DRIVER": "ours", "LANE": "qemu"}

        steps = [env for env, names in plans.long_plan({"ours": Ours}) if names == ("ours",)]
        self.assertEqual([(env["LANE"], env["DRIVER"]) for env in steps], [("qemu", "ours")])


LEAKS = """\
unreferenced object 0x3 (size 64):
  comm "swapper/0", pid 1, jiffies 4294937350
  backtrace (crc 0):
unreferenced object 0x1 (size 64):
  comm "insmod", pid 16, jiffies 4294939710
  hex dump (first 32 bytes):
    33 33 ff 1d bf 01 00 00 00 00 00 00 00 00 00 00  33..............
  backtrace (crc 0):
    __kmalloc_cache_noprof+0x2a/0x80
    other_add+0x10/0x20 [other]
unreferenced object 0x2 (size 8):
  backtrace (crc 0):
    ours_add+0x10/0x20 [ours]
    ours_init+0x1/0x2 [ours]
"""

KTAP = """\
    KTAP version 1
    # Subtest: irdma_ring
    1..2
        KTAP version 1
        # Subtest: sizes
        ok 1 small
        ok 2 large
    # sizes: pass:2 fail:0 skip:0 total:2
    ok 1 sizes
    {last}
# irdma_ring: pass:2
{suite} 1 irdma_ring
"""


class Kunit(unittest.TestCase):
    def count(self, last, suite="ok", plan=1):
        results = kunit.Results()
        results.read(KTAP.format(last=last, suite=suite).splitlines(), plan, None)
        return len(results.passed), len(results.failed), len(results.skipped), results

    def test_counts_leaves_once(self):
        self.assertEqual(self.count("ok 2 wraps")[:3], (3, 0, 0))

    def test_counts_a_failure_once(self):
        self.assertEqual(self.count("not ok 2 wraps", "not ok")[:3], (2, 1, 0))

    def test_suite_that_fails_by_itself_is_a_failure(self):
        self.assertEqual(self.count("ok 2 wraps", "not ok")[:3], (3, 1, 0))

    def test_missing_suite_is_a_failure(self):
        self.assertEqual(self.count("ok 2 wraps", plan=2)[:3], (3, 1, 0))

    def test_unlisted_skip_is_a_failure(self):
        *counts, results = self.count("ok 2 wraps # SKIP no reason")
        self.assertEqual(counts, [2, 0, 1])
        self.assertEqual(kunit.report(results, "um"), 1)

    def test_complaint_of_the_kernel_is_a_failure(self):
        self.assertEqual(self.count("ok 2 wraps\nBUG: KASAN: slab-out-of-bounds")[:3], (3, 1, 0))

    def test_nothing_is_a_failure(self):
        results = kunit.Results()
        results.read([], 0, None)
        self.assertEqual(kunit.report(results, "um"), 1)


class Layers(unittest.TestCase):
    def test_upward_include_is_found(self):
        self.assertEqual(len(static_checks.layer_complaints(
            {"ring.h": '#include "qp.h"\n', "qp.c": '#include "ring.h"\n'})), 1)


class KnownAsClean(unittest.TestCase):
    """A static check passes over a file only if it would read what it read before."""
    FILES = {"a.c": b'#include "a.h"\n', "a.h": b'#include "sub/b.h"\n',
             "sub/b.h": b'  # include "../a.h"\n', "planted.c": b""}

    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(unittest.mock.patch.dict(
            "os.environ", {"IRDMA_CACHE": folder, "LAB_ROOT": "/root"}))

    def compiled(self, files, said, flags="-O2"):
        """Names that are compiled when the compiler says this."""
        with unittest.mock.patch.object(static_checks, "run_make", return_value=said) as make:
            with contextlib.redirect_stdout(io.StringIO()):
                static_checks.compile_files(("i386",), ["planted.c", "a.c"], files, flags)
        return make.call_args.args[1]

    def test_headers_count_at_any_depth(self):
        self.assertEqual(static_checks.closure("a.c", self.FILES), {"a.c", "a.h", "sub/b.h"})

    def test_what_was_clean_is_not_compiled_again(self):
        proof = ["planted.c: divides 64 bits by __udivdi3"]
        self.assertEqual(self.compiled(self.FILES, proof), ["planted.c", "a.c"])
        self.assertEqual(self.compiled(self.FILES, proof), ["planted.c"])
        self.assertEqual(self.compiled(self.FILES, proof, "-O1"), ["planted.c", "a.c"])
        changed = self.FILES | {"sub/b.h": b"int x;\n"}
        self.assertEqual(self.compiled(changed, proof), ["planted.c", "a.c"])

    def test_without_proof_or_with_a_complaint_nothing_is_known(self):
        for said in ([], ["planted.c: error"], ["planted.c: divides 64 bits", "a.h:1: error: x"]):
            self.compiled(self.FILES, said)
            self.assertEqual(self.compiled(self.FILES, said), ["planted.c", "a.c"])


class Guest:
    def __init__(self, *lines):
        self.lines = list(lines)

    def warnings(self):
        return self.lines


class Nic:
    """Of whose violations the trace has only the first."""

    def __init__(self):
        self.counts = {}

    def violation_counts(self):
        return dict(self.counts)

    def violations(self):
        return [f"1.0 {name} VIOLATION {kind}: why" for name, kind in self.counts]


class Complaints(unittest.TestCase):
    def setUp(self):
        self.lab = net.Net("none", (), 1)
        self.addCleanup(self.lab.lock.close)
        self.lab.machines = {"a": Guest("old"), "b": Guest("old")}
        self.lab.nic = Nic()
        self.marks = net.Marks(self.lab)

    def complaint(self, warnings=(), violations=()):
        return self.marks.complaint(unittest.mock.Mock(warnings=warnings, violations=violations))

    def test_each_machine_has_its_own_mark(self):
        marks = self.lab.marks()
        self.lab.machines["a"].lines.append("new")
        self.assertEqual(self.lab.warnings(marks), ["a: new"])

    def test_each_is_told_once(self):
        self.assertEqual(self.complaint(), "guest: a: old")
        self.assertEqual(self.complaint(), "")
        self.lab.machines["b"].lines.append("new")
        self.assertEqual(self.complaint(("old",)), "guest: b: new")

    def test_machine_that_is_replaced_is_heard(self):
        self.complaint()
        self.lab.machines["a"].lines.append("last words")
        with unittest.mock.patch.dict(net.LANES, {net.LANE: unittest.mock.Mock(
                return_value=unittest.mock.Mock(warnings=lambda: ["first words"]))}):
            self.lab.nic.sockets = {"a": None}
            self.lab.power_on("a")
        self.assertEqual(self.lab.warnings(self.marks.warnings), ["a: last words", "a: first words"])

    def test_violation_without_a_line_in_the_trace_is_found(self):
        self.lab.nic.counts["a", "cq-ack"] = 100
        self.assertEqual(self.complaint(("old",), ("cq-ack",)), "")
        self.assertEqual(self.complaint(), "")
        self.lab.nic.counts["a", "cq-ack"] += 1
        self.assertEqual(self.complaint(), "NIC: a VIOLATION cq-ack: 1 times: ['why']")

    def test_violation_of_another_nic_or_kind_is_found(self):
        self.complaint()
        self.lab.nic.counts["b", "cq-ack"] = self.lab.nic.counts["a", "tx-off"] = 1
        self.assertIn("b VIOLATION cq-ack", self.complaint((), ("a VIOLATION",)))
        self.lab.nic.counts["a", "cq-ack"] = self.lab.nic.counts["a", "tx-off"] = 2
        self.assertIn("a VIOLATION tx-off", self.complaint((), ("cq-ack",)))


class Flake8(unittest.TestCase):
    def test_finds_a_function_that_another_hides(self):
        text = "def case():\n    pass\n\n\ndef case():\n    pass\n"
        ran = subprocess.run(["flake8", "--select=F", "-"], input=text, capture_output=True,
                             text=True, check=False)
        self.assertIn("F811", ran.stdout)


class Checkpatch(unittest.TestCase):
    """Two of it run; they say what SCRIPT says of their files."""
    SCRIPT = """\
exit 0 unless grep { $_ eq "planted.c" or $_ eq "b.c" } @ARGV;
print "planted.c:1: ERROR:SPACING: space required\\n" if grep { $_ eq "planted.c" } @ARGV;
"""

    def setUp(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        patch = unittest.mock.patch
        self.enterContext(patch.dict("os.environ", {"IRDMA_CACHE": str(folder), "LAB_ROOT": "/"}))
        self.enterContext(patch.object(static_checks, "sources", lambda: ["a.c", "b.c", "c.c"]))
        self.enterContext(patch("os.cpu_count", lambda: 2))
        (folder / "scripts").mkdir()
        (folder / "static").mkdir()
        for name in ("planted.c", "a.c", "b.c", "c.c"):
            (folder / name).write_text(name)
        self.folder = folder

    def said(self, end):
        """Complaints, and what is taken for clean, of one that ends so over a.c and c.c."""
        script = self.SCRIPT.replace("exit 0 unless", f"{end} unless")
        path = self.folder / "scripts/checkpatch.pl"
        path.write_text(script + "exit 1;\n")
        found = static_checks.checkpatch(self.folder, self.folder)
        clean = static_checks.Clean("checkpatch", path.read_bytes(), static_checks.CHECKPATCH)
        return found, [name for name in "abc" if clean.has([f"{name}.c".encode()])]

    def test_what_is_clean_is_known(self):
        found, clean = self.said("exit 0")
        self.assertEqual(len(found), 1)
        self.assertEqual(clean, ["a", "b", "c"])

    def test_one_that_dies_proves_nothing(self):
        found, clean = self.said("die 'gone'")
        self.assertIn("checkpatch ends with", found[0])
        self.assertIn("gone", found[1])
        self.assertEqual(clean, [])


class Mutants(unittest.TestCase):
    """A fault is caught by the test that is named, and by nothing else."""

    NIC = "[ RUN      ] one\n[       OK ] one\n[ RUN      ] two\n"

    def nic(self, *lines):
        return mutants_nic.noticed(self.NIC + "".join(f"{line}\n" for line in lines), "two")

    def test_nic(self):
        self.assertTrue(self.nic("[  ERROR   ] --- 1 != 2", "[  FAILED  ] two"))
        self.assertTrue(self.nic("==1==ERROR: AddressSanitizer: heap-buffer-overflow"))
        self.assertTrue(self.nic("[  FAILED  ] two", "[ RUN      ] three", "x_test does not end"))

    def test_nic_elsewhere(self):
        self.assertFalse(self.nic("[       OK ] two", "[ RUN      ] three", "[  FAILED  ] three"))
        self.assertFalse(self.nic("[       OK ] two", "[ RUN      ] three", "Aborted"))
        self.assertFalse(self.nic("Could not run test: setup", "[  ERROR   ] two"))
        self.assertFalse(mutants_nic.noticed(f"{self.NIC}x_test does not end", "two"))
        self.assertFalse(mutants_nic.noticed("[ RUN      ] one\nAborted\n", "two"))
        self.assertFalse(mutants_nic.noticed("[ RUN      ] two_more\nAborted\n", "two"))

    @staticmethod
    def driver(text, plan=1):
        """Of what a kernel printed, as kunit.py reports it."""
        results = kunit.Results()
        results.read(text.splitlines(), plan, None)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            kunit.report(results, "um")
        return mutants_driver.noticed(said.getvalue())

    def test_driver(self):
        self.assertTrue(self.driver(KTAP.format(last="not ok 2 wraps", suite="not ok")))
        self.assertTrue(self.driver("BUG: KASAN: slab-out-of-bounds\n"))

    def test_driver_elsewhere(self):
        good = KTAP.format(last="ok 2 wraps", suite="ok")
        self.assertFalse(self.driver(good))
        self.assertFalse(self.driver(good, 2))
        self.assertFalse(self.driver(""))
        self.assertFalse(mutants_driver.noticed("a.c: error: x\nkunit: the driver does not compile"))


class Coverage(unittest.TestCase):
    def test_file_that_is_not_counted_is_found(self):
        names = {"pbl.c", "fpm.c", "fpm.h", "nowhere.c"}
        self.assertEqual(coverage.uncounted(names, {"pbl.c": {}}), ["fpm.c"])

    def wrong(self, ran, *allowed):
        functions = {"f": {line: line <= ran for line in range(1, 101)}}
        return coverage.complaints("ring.h", functions, dict.fromkeys(allowed, "reason"))

    def test_function_below_is_found(self):
        self.assertEqual(self.wrong(95), [])
        self.assertIn("line 95, 96", self.wrong(94)[0])

    def test_named_function_is_excused(self):
        self.assertEqual(self.wrong(94, ("ring.h", "f")), [])
        self.assertEqual(len(self.wrong(94, ("pbl.c", "f"))), 1)

    def test_name_that_excuses_nothing_is_found(self):
        self.assertEqual(len(self.wrong(95, ("ring.h", "f"))), 1)
        self.assertEqual(len(self.wrong(95, ("ring.h", "g"))), 1)


class Rows(unittest.TestCase):
    def test_seconds_belong_to_the_next_line(self):
        rows = list(results.parse("# 1.5 s\nok 1 a\nnot ok 2 b # why\n"))
        self.assertEqual(rows, [("passed", "a", "", 1.5), ("failed", "b", "why", None)])


GOOD = """\
/**
 * irdma_thing_make - make a thing
 * @dev: device
 * @cnt: how many
 *
 * Context: Any context.
 * Return: 0.
 */
static int irdma_thing_make(struct irdma_dev *dev, u32 cnt)
{
	dev->things += cnt;
	return 0;
}
"""
WORK = "\tdev->things += cnt;\n\treturn 0;\n"


class NamedFunctions(unittest.TestCase):
    """Planted mistakes, each of which must be found."""

    @staticmethod
    def complaints(text, reason=""):
        by_name = {}
        for function in functions.functions_of("thing.c", text):
            by_name.setdefault(function.name, []).append(function)
        return functions.source_complaints({"irdma_thing_make": reason}, by_name)

    def planted(self, old, new, said):
        """The good text with @new for @old draws one complaint, with the words @said."""
        self.assertIn(old, GOOD)
        found = self.complaints(GOOD.replace(old, new))
        self.assertEqual(len(found), 1, found)
        self.assertIn(said, found[0])

    def test_good_function_passes(self):
        self.assertEqual(self.complaints(GOOD), [])

    def test_forwarding_call(self):
        self.planted(WORK, "\treturn irdma_other(dev, cnt);\n", "only passes")
        self.planted(WORK, "\treturn irdma_other(dev->core, cnt, NULL, 0);\n", "only passes")
        self.planted(WORK, "\treturn irdma_other(to_irdma_core(dev->core)->dev, cnt);\n", "only passes")

    def test_call_that_adds_something_is_work(self):
        for call in ("irdma_other(dev, cnt + 1)", "irdma_other(dev, table, cnt)"):
            self.assertEqual(self.complaints(GOOD.replace(WORK, f"\treturn {call};\n")), [])

    def test_empty_body(self):
        self.planted(WORK, "", "does nothing")
        self.planted(WORK, "\t/* later */\n\treturn 0;\n", "does nothing")

    def test_missing_documentation(self):
        self.planted("/**\n", "/*\n", "no kernel-doc")
        self.planted("irdma_thing_make - make", "irdma_thing_made - make", "no kernel-doc")
        self.planted(" * @cnt: how many\n", "", "no @cnt")
        self.planted(" * Return: 0.\n", " * It ends.\n", "no Return:")
        self.planted(" * Context: Any context.\n", " * It runs.\n", "no Context:")

    def test_missing_function(self):
        self.assertIn("defined 0 times", self.complaints("")[0])
        self.assertIn("defined 2 times", self.complaints(GOOD + "\n" + GOOD)[0])

    def test_stub_of_a_later_function(self):
        self.assertEqual(self.complaints("", "later"), [])
        self.assertIn("listed as absent", self.complaints(GOOD, "later")[0])

    def test_never_entered(self):
        rows = [{"name": "one", "entered": ["irdma_other"]},
                {"name": "two", "entered": ["irdma_other", "irdma_thing_make"]}]
        wanted = {"irdma_thing_make": ""}
        entries = functions.entry_complaints
        self.assertEqual(entries(wanted, functions.tests_of(rows), {"irdma_thing_make": "two"}), [])
        self.assertIn("not entered in 'one'",
                      entries(wanted, functions.tests_of(rows), {"irdma_thing_make": "one"})[0])
        self.assertIn("no test enters",
                      entries(wanted, functions.tests_of(rows[:1]), {"irdma_thing_make": "two"})[0])
        self.assertIsNone(functions.tests_of([{"name": "untraced"}]))

    def test_page_is_read_as_it_is_written(self):
        by_name = {f.name: [f] for f in functions.functions_of("thing.c", GOOD)}
        text = functions.page({"irdma_thing_make": "", "irdma_gone": "later"}, by_name,
                              {"irdma_thing_make": "suite: one"})
        self.assertEqual(functions.page_tests(text), {"irdma_thing_make": "suite: one"})

    def test_tree_and_page_agree(self):
        self.assertEqual(functions.check(None), [])

    def test_each_has_a_manual_page(self):
        wanted = functions.read_list(functions.LIST.read_text())
        self.assertEqual({name for name, reason in wanted.items() if not reason}
                         - man.write_pages(), set())


class BadInput(unittest.TestCase):
    """Each verb of the driver that user space reaches has rows in guest/uverbs.py."""

    # The rows of a verb that is not named like them.
    ROWS = {"create_user_cq": "create_cq", "resize_user_cq": "resize_cq",
            "create_user_ah": "create_ah", "reg_user_mr": "reg_mr",
            "rereg_user_mr": "rereg_mr", "reg_user_mr_dmabuf": "reg_dmabuf_mr"}
    # Verbs without a row, by the reason.
    WITHOUT = {
        "rdma-bad-input has a function for it": {"alloc_ucontext", "mmap"},
        "there are no arguments": {"dealloc_ucontext", "disassociate_ucontext", "mmap_free",
                                   "ufile_hw_cleanup"},
        "the core calls, for itself or for kernel consumers": {
            "dealloc_driver", "report_port_event", "get_port_immutable", "get_link_layer",
            "query_pkey", "get_dev_fw_str", "query_ah", "get_dma_mr"},
        "files and netlink read, by numbers that the core checks": {
            "alloc_hw_port_stats", "get_hw_stats", "fill_res_cq_entry", "fill_res_mr_entry",
            "fill_res_qp_entry", "fill_res_srq_entry"},
        "closed to user space": {"poll_cq", "req_notify_cq", "post_send", "post_recv"},
    }

    @staticmethod
    def verbs():
        """Members of the driver's tables."""
        found = set()
        for path in (TOP / "drivers/infiniband/hw/irdma").glob("*.c"):
            for table in re.findall(r"struct ib_device_ops \w+ = {\n(.*?)\n};", path.read_text(),
                                    re.DOTALL):
                found |= set(re.findall(r"^\t\.(\w+) = irdma_\w+,", table, re.MULTILINE))
        return found

    def test_rows(self):
        rows = {**uverbs.COMMANDS, **uverbs.METHODS}
        left = {verb for verb in self.verbs() if self.ROWS.get(verb, verb) not in rows}
        self.assertGreater(len(self.verbs()), 40)
        self.assertEqual(left, set().union(*self.WITHOUT.values()))

    def test_closed(self):
        self.assertEqual(self.WITHOUT["closed to user space"] - uverbs.CLOSED.keys(), set())


class Reports(unittest.TestCase):
    REPORT = """[ 1.0] ------------[ cut here ]------------
[ 1.0] WARNING: kernel/x.c:1 at f+0x1/0x2, CPU#0: kworker/0
[ 1.0] workqueue: WQ_MEM_RECLAIM idpf-0-vc_event:idpf_vc_event_task [idpf] is flushing {}
[ 1.0] Call Trace:
[ 1.0] ---[ end trace 0000000000000000 ]---
"""

    def warnings(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".serial") as log:
            log.write(text)
            log.flush()
            guest = machine.Machine.__new__(machine.Machine)
            guest.log = pathlib.Path(log.name)
            return guest.warnings()

    def test_known_report_alone_is_left_out(self):
        known = self.REPORT.format("!WQ_MEM_RECLAIM events:srcu_drive_gp")
        other = self.REPORT.format("!WQ_MEM_RECLAIM events:irdma_work")
        self.assertEqual(self.warnings(known), [])
        self.assertEqual(len(self.warnings(other)), 3)
        self.assertEqual(len(self.warnings(known + other + known)), 3)


if __name__ == "__main__":
    unittest.main(buffer=True)
