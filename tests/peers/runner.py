# SPDX-License-Identifier: Apache-2.0
"""Runs test modules with the Python that was started and writes their counts as JSON: runner.py COUNTS MODULE...

tests/peers/run starts it once for each driver's environment.
"""
import json
import sys
import time
import unittest


class CountingResult(unittest.TextTestResult):
    """Counts the tests that passed, which the base class does not, and times each."""

    passed = 0

    def __init__(self, *arguments, **fields):
        super().__init__(*arguments, **fields)
        self.times = []

    def startTest(self, test):
        self.began = time.monotonic()
        super().startTest(test)

    def stopTest(self, test):
        self.times.append((time.monotonic() - self.began, test.id()))
        super().stopTest(test)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def main(counts_path, modules):
    suite = unittest.defaultTestLoader.loadTestsFromNames(modules)
    runner = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=CountingResult)
    result = runner.run(suite)
    for seconds, name in sorted(result.times, reverse=True)[:5]:
        print(f"{seconds:6.1f} s  {name}")
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    counts = {
        "passed": result.passed,
        "failed": failed,
        "skipped": [f"{test.id()}: {why}" for test, why in result.skipped],
    }
    with open(counts_path, "w", encoding="utf-8") as out:
        json.dump(counts, out)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
