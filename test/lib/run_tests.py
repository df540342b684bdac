#!/usr/bin/python3
"""Runs test/t/test_*.py, every file in a process of its own, and prints one line per test.

usage: run_tests.py [NAME...]       only the files, classes or tests whose name contains a NAME

Lines are "ok - ...", "not ok - ...", "skip - ...", as in all tests here. Without the stack's environment it asks
"test/stack env" for it. The exit status is 1 when a test failed.
"""
import faulthandler
import importlib.util
import os
import subprocess
import sys
import time
import unittest

LIB = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(LIB, "..", "t")

# A file that takes longer hangs, and is stopped with a trace of where.
FILE_SECONDS = 600


class LineResult(unittest.TestResult):
    """Prints each test as it ends, and the trace of a failure below it."""

    def __init__(self):
        super().__init__()
        self.bad = 0
        self.started = 0.0

    def startTest(self, test):
        super().startTest(test)
        self.started = time.monotonic()

    def line(self, verdict, test, comment=""):
        """One line, at once: the output is a pipe, and the next test may hang."""
        name = test.id() if hasattr(test, "id") else str(test)
        seconds = time.monotonic() - self.started if self.started else 0
        print(f"{verdict} - {name}{comment}" + (f" ({seconds:.1f} s)" if seconds >= 1 else ""), flush=True)

    def failed(self, test, trace):
        """A failure, with its trace as comment lines."""
        self.bad += 1
        self.line("not ok", test)
        print("".join(f"#   {line}\n" for line in trace.splitlines()), end="", flush=True)

    def addSuccess(self, test):
        self.line("ok", test)

    def addSkip(self, test, reason):
        self.line("skip", test, f": {reason}")

    def addFailure(self, test, err):
        self.failed(test, self._exc_info_to_string(err, test))

    def addError(self, test, err):
        self.failed(test, self._exc_info_to_string(err, test))

    def addExpectedFailure(self, test, err):
        self.line("ok", test, ", fails as expected")

    def addUnexpectedSuccess(self, test):
        self.failed(test, "was expected to fail")

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.failed(subtest, self._exc_info_to_string(err, test))


def flat(suite):
    """The tests of nested suites."""
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flat(test)
        else:
            yield test


def run_file(path, names):
    """Run one file here; returns its exit status."""
    faulthandler.dump_traceback_later(FILE_SECONDS, exit=True)
    sys.path.insert(0, LIB)
    name = os.path.basename(path)[:-3]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    tests = flat(unittest.defaultTestLoader.loadTestsFromModule(module))
    suite = unittest.TestSuite(test for test in tests if not names or any(part in test.id() for part in names))
    result = LineResult()
    suite.run(result)
    return 1 if result.bad else 0


def stack_environment():
    """The environment with the stack's variables, asked for unless they are set."""
    if "DDB_ENDPOINT" in os.environ and "PGPORT" in os.environ:
        return dict(os.environ)
    done = subprocess.run([os.path.join(LIB, "..", "stack"), "env"], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(1)
    lines = (line[len("export "):].partition("=") for line in done.stdout.splitlines())
    return {**os.environ, **{name: value for name, _, value in lines}}


def main(arguments):
    """Run the files that match, one after the other."""
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if arguments[:1] == ["--file"]:
        return run_file(arguments[1], arguments[2:])
    environment = stack_environment()
    status = 0
    files = sorted(name for name in os.listdir(TESTS) if name.startswith("test_") and name.endswith(".py"))
    for name in files:
        done = subprocess.run([sys.executable, __file__, "--file", os.path.join(TESTS, name), *arguments],
                              env=environment, check=False)
        if done.returncode not in (0, 1):
            print(f"not ok - {name}: ended with status {done.returncode}", flush=True)
        status |= done.returncode != 0
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
