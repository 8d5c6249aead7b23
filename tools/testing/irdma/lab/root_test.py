# SPDX-License-Identifier: GPL-2.0
"""Tests of lab/root with programs of the host replaced: what is missing is one line,
and what was interrupted is not taken for whole."""

import pathlib
import signal
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).with_name("root")

# Stands for each program of NAMES. FAIL names what goes wrong, STOP the program at
# which the whole run is killed, with signal SIGNAL.
FAKE = r"""#!/bin/bash
name=${0##*/}
real() { PATH=/usr/bin:/bin exec "$name" "$@"; }
if [ "$STOP" = "$name" ]; then
	[ "$name" != mmdebstrap ] || head -c 3000 /dev/zero
	kill -s $SIGNAL 0
	sleep 5
fi
case "$FAIL:$name:$*" in
uname:uname:*) echo aarch64 ;;
unshare:unshare:* | network:apt-get:*update* | packages:mmdebstrap:*)
	echo "E: it is so" >&2
	exit 100 ;;
fetch:apt-get:*update*)
	echo "W: Failed to fetch http://mirror/InRelease  Could not resolve 'mirror'" ;;
disk:df:*) printf 'Avail\n 4999M\n' ;;
space:tar:*) cat >/dev/null; echo "tar: x: Cannot write: No space left on device" >&2; exit 2 ;;
*:uname:*) echo x86_64 ;;
*:id:*) [ "$1" = -u ] && echo 1000 || echo somebody ;;
*:df:*) printf 'Avail\n99999M\n' ;;
*:unshare:*) while [[ $1 == -* ]]; do shift; done; exec "$@" ;;
mirror:apt-get:*) ;;
*:apt-get:*) [ "$1" != indextargets ] || echo "Packages forky http://mirror" ;;
*:apt-cache:*)
	case $1 in
	search) [ "$FAIL" = kernel ] || echo "linux-binary-7.3.9+deb13-amd64 - Linux" ;;
	depends) echo "  Depends: clang-19" ;;
	show) shift 2; printf 'Package: %s\n' "$@" |
		if [ "$FAIL" = package ]; then grep -v ' qemu'; else cat; fi ;;
	esac ;;
*:mmdebstrap:*) cd "$TREE" && exec tar -c . ;;
*) real "$@" ;;
esac
"""
NAMES = ("apt-cache", "apt-get", "chmod", "df", "du", "id", "mkdir", "mmdebstrap", "mv",
         "rm", "tar", "uname", "unshare")


def setUpModule():
    # In the background of a shell, an interrupt is ignored, also by what is started here.
    signal.signal(signal.SIGINT, signal.default_int_handler)


class Root(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.fakes, self.cache = self.folder / "bin", self.folder / "cache"
        self.fakes.mkdir()
        (self.folder / "tree/etc").mkdir(parents=True)
        for name in NAMES:
            (self.fakes / name).write_text(FAKE)
            (self.fakes / name).chmod(0o755)

    def run_root(self, fail="", stop="", signal_name="KILL"):
        env = {"PATH": f"{self.fakes}:/usr/bin:/bin", "IRDMA_CACHE": str(self.cache),
               "FAIL": fail, "STOP": stop, "SIGNAL": signal_name,
               "TREE": str(self.folder / "tree")}
        return subprocess.run([ROOT], env=env, capture_output=True, text=True, check=False,
                              timeout=60, start_new_session=True)

    def roots(self):
        return list(self.cache.glob("root-*"))

    def made(self):
        """A run that has all it needs makes the root, and the next one finds it."""
        first, second = self.run_root(), self.run_root("network")
        self.assertEqual((first.returncode, first.stdout), (0, second.stdout), first.stderr)
        self.assertEqual(second.stderr, "")
        self.assertEqual(self.roots(), [pathlib.Path(first.stdout.strip())])
        self.assertEqual((self.roots()[0] / "etc/lab-kernel").read_text(), "7.3.9+deb13-amd64\n")

    def test_makes_it_once(self):
        self.made()

    def test_what_is_missing_is_one_line_with_its_remedy(self):
        for fail, problem, remedy in (
                ("uname", "this machine is aarch64", "needs x86_64"),
                ("unshare", "no mount and user namespace", "apt-get install uidmap"),
                ("disk", "only 4999 MiB free", "set IRDMA_CACHE"),
                ("mirror", "apt has no mirror", "set one up"),
                ("network", "does not answer", "check the network"),
                ("fetch", "Could not resolve 'mirror'", "check the network"),
                ("kernel", "no 7.3 kernel", "trixie-backports"),
                ("package", "the mirror lacks qemu-system-x86", "use a mirror")):
            with self.subTest(fail):
                done = self.run_root(fail)
                self.assertNotEqual(done.returncode, 0)
                self.assertRegex(done.stderr, "^root: [^\n]*" + problem + "[^\n]*; [^\n]*" +
                                 remedy + "[^\n]*\n$")
                self.assertEqual((done.stdout, self.roots()), ("", []))
        self.made()

    def test_mmdebstrap_is_asked_for(self):
        (self.fakes / "mmdebstrap").unlink()
        self.assertRegex(self.run_root().stderr, "not installed; run as root: apt-get install")

    def test_what_stops_the_build_is_said(self):
        for fail, problem in (("packages", "E: it is so"), ("space", "No space left")):
            done = self.run_root(fail)
            self.assertNotEqual(done.returncode, 0)
            self.assertRegex(done.stderr, f"\nroot: [^\n]*{problem}[^\n]*; full log: [^\n]*\n$")
            self.assertEqual(self.roots(), [])
        self.made()

    def test_interrupted_anywhere_it_heals(self):
        for stop in ("apt-get", "apt-cache", "mkdir", "mmdebstrap/KILL", "mmdebstrap/TERM",
                     "mmdebstrap/INT", "tar", "chmod", "mv", "du"):
            with self.subTest(stop):
                program, _, name = stop.partition("/")
                done = self.run_root(stop=program, signal_name=name or "KILL")
                self.assertEqual(done.returncode, -signal.Signals[f"SIG{name or 'KILL'}"])
                self.made()
                subprocess.run(["rm", "-rf", self.cache], check=True)


if __name__ == "__main__":
    unittest.main(buffer=True)
