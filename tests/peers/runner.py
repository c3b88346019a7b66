# SPDX-License-Identifier: Apache-2.0
"""Runs test modules with the Python that was started and writes their counts as JSON: runner.py COUNTS MODULE...

tests/peers/run starts it once for each driver's environment.
"""
import json
import sys
import unittest


class CountingResult(unittest.TextTestResult):
    """Counts the tests that passed; the base class counts the others only."""

    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def main(counts_path, modules):
    suite = unittest.defaultTestLoader.loadTestsFromNames(modules)
    runner = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=CountingResult)
    result = runner.run(suite)
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
