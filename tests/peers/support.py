# SPDX-License-Identifier: Apache-2.0
"""What every test program here shares: where the parts are, what to do without them, and how bsonic is run.

Environment, set by tests/peers/run:
    BSONIC                  the program under test
    BSONIC_LIBMONGOC        the reader built from serve_libmongoc.c
    BSONIC_PEERS_DIR        the cache of scripts/fetch-peers
    BSONIC_PEERS_REQUIRED   1: a missing program or part fails the test instead of skipping it
    BSONIC_SPEC_DIR         the public conformance data
"""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CACHE = Path(os.environ.get("BSONIC_PEERS_DIR") or ROOT / ".cache" / "peers").resolve()
SPEC = Path(os.environ.get("BSONIC_SPEC_DIR") or ROOT / ".." / "shared" / "spec")
REQUIRED = os.environ.get("BSONIC_PEERS_REQUIRED") == "1"
RUN_SECONDS = 300  # the longest single call of a program under sanitizers
SANITIZER_MARKS = ("AddressSanitizer", "LeakSanitizer", "runtime error:", "MemorySanitizer")


def missing(why):
    """Skips the test, or fails it where every part is required."""
    if REQUIRED:
        raise AssertionError(f"required, but {why}")
    raise unittest.SkipTest(why)


def part(name):
    """The folder of a fetched part."""
    path = CACHE / "status.json"
    status = json.loads(path.read_text())["parts"] if path.exists() else {}
    if name not in status:
        missing(f"{name} has not been fetched (scripts/fetch-peers)")
    if not status[name]["ok"]:
        missing(f"{name} is unavailable: {status[name]['why']}")
    return status[name]["path"]


def program(variable):
    path = os.environ.get(variable, "")
    if not path or not os.access(path, os.X_OK):
        missing(f"there is no program at {variable}={path!r}")
    return path


def bsonic():
    return program("BSONIC")


def spec_file(*names):
    """A file of the public data, which is read where it lies and never required."""
    path = SPEC.joinpath(*names)
    if not path.exists():
        raise unittest.SkipTest(f"no {'/'.join(names)} in {SPEC}")
    return path


class Result:
    """How one run of bsonic ended."""

    def __init__(self, done):
        self.status = done.returncode
        self.out = done.stdout
        self.err = done.stderr.decode(errors="replace")


def run_bsonic(*arguments, stdin=b""):
    done = subprocess.run([bsonic(), *arguments], input=stdin, capture_output=True, timeout=RUN_SECONDS, check=False)
    result = Result(done)
    for mark in SANITIZER_MARKS:
        assert mark not in result.err, result.err
    return result


class PeerCase(unittest.TestCase):
    """A test case with a temporary folder for the class and helpers that compare documents without flooding the
    terminal: a message names the first document that differs."""

    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = Path(cls.enter(tempfile.TemporaryDirectory(prefix="bsonic-peers-")))

    @classmethod
    def enter(cls, context):
        """Enters a context for the life of the class (enterClassContext came with Python 3.11)."""
        value = context.__enter__()
        cls.addClassCleanup(context.__exit__, None, None, None)
        return value

    def assert_same_documents(self, got, wanted):
        for at, (one, other) in enumerate(zip(got, wanted), start=1):
            if one != other:
                self.fail(f"document {at} differs: {describe_difference(one, other)}")
        self.assertEqual(len(got), len(wanted), "number of documents")

    def assert_runs(self, result, status=0):
        self.assertEqual(result.status, status, f"exit status; stderr: {result.err}")

    def assert_no_sanitizer_report(self, text):
        for mark in SANITIZER_MARKS:
            self.assertNotIn(mark, text)


def describe_difference(got, wanted):
    at = next((at for at, (one, other) in enumerate(zip(got, wanted)) if one != other),
              min(len(got), len(wanted)))
    return (f"{len(got)} bytes, wanted {len(wanted)}; first difference at byte {at}: "
            f"{got[at:at + 16].hex() or 'end'}, wanted {wanted[at:at + 16].hex() or 'end'}")
