# SPDX-License-Identifier: Apache-2.0
"""What the tests of the program share: running it, documents by hand (../peers/raw.py), and the line that is counted.

The program's path comes in BSONIC, whether sanitizers watch it in BSONIC_SANITIZED.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peers"))

BSONIC = os.environ["BSONIC"]
SANITIZED = bool(os.environ.get("BSONIC_SANITIZED"))
RUN_SECONDS = 120
SANITIZER_MARKS = ("AddressSanitizer", "LeakSanitizer", "runtime error:")


class Result:
    """How one run ended. `out` is bytes, `err` text."""

    def __init__(self, status, out, err):
        self.status = status
        self.out = out
        self.err = err.decode(errors="replace")

    @property
    def lines(self):
        """The lines of `out`; the last one must have its end."""
        lines = self.out.decode().split("\n")
        assert lines.pop() == "", self.out[-200:]
        return lines


def run(*arguments, stdin=b"", **options):
    options.setdefault("stdout", subprocess.PIPE)
    done = subprocess.run([BSONIC, *map(str, arguments)], input=stdin, stderr=subprocess.PIPE, timeout=RUN_SECONDS,
                          check=False, **options)
    result = Result(done.returncode, done.stdout, done.stderr)
    for mark in SANITIZER_MARKS:
        assert mark not in result.err, result.err
    return result


class Case(unittest.TestCase):
    """A test case with a folder of its own, and one way to state how a run must end."""

    maxDiff = 2000

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="bsonic-cli-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())

    def mallocs_of(self, *arguments, **options):
        """How often a run that succeeds calls malloc and the like, counted from outside (count_mallocs.c)."""
        module = os.environ.get("COUNT_MALLOCS_MODULE")
        if not module:
            self.skipTest("a sanitizer's allocator is not counted")
        path = self.folder / "mallocs"
        environment = {**os.environ, "LD_PRELOAD": module, "COUNT_MALLOCS": str(path)}
        self.assertEqual(run(*arguments, env=environment, **options).status, 0)
        return int(path.read_text())

    def check(self, result, status=0, *words, lines=None):
        """The exit status, words that stderr must hold, lines of stdout. Success says nothing."""
        self.assertEqual(result.status, status, result.err)
        if status == 0 and not words:
            self.assertEqual(result.err, "")
        for word in words:
            self.assertIn(word, result.err)
        if lines is not None:
            self.assertEqual(result.lines, lines)
        return result


def main():
    """unittest.main, with a last line in the form that scripts/count-tests.awk counts."""
    program = unittest.main(exit=False, verbosity=1)
    result = program.result
    for test, why in result.skipped:
        print(f"skipped: {test.id()}: {why}")
    failed = len(result.failures) + len(result.unexpectedSuccesses)
    run_count, errors = result.testsRun, len(result.errors)
    passed = 100 * (run_count - failed - errors) // max(run_count, 1)
    print(f"{passed}%: Checks: {run_count}, Failures: {failed}, Errors: {errors}", flush=True)
    sys.exit(0 if result.wasSuccessful() else 1)
