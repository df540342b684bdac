#!/usr/bin/python3
"""Runs test/t/test_*.py, every file in a process of its own, and prints one line per test.

usage: run_tests.py [-jN] [NAME...]     only the files, classes or tests whose name contains a NAME

N files run at a time (two for each processor, as they wait much of their time): they share nothing but the servers of test/stack, where
each has databases and tables of its own. The longest begin first; what they print comes in the order of their names. Lines are "ok - ...",
"not ok - ...", "skip - ...", as in all tests here. Without the stack's environment it requests "test/stack env" for it. The
exit status is 1 when a test failed, when a file has no test, and when no test has such a name.
"""
import faulthandler
import importlib.util
import os
import re
import subprocess
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

LIB = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(LIB, "..", "t")
SERVER = os.path.join(LIB, "..", "server")

# Both make the demo's tables in DynamoDB again; nothing else does.
SHARE_DEMO = ("test_demo.py", "test_docs.py")

# They take the longest; all others take less.
LONGEST = ("test_errors_invalid_responses.py", "test_time_expressions.py", "test_time_spans.py", "test_credentials_waiting.py",
           "test_torture.py", "test_memory_limits.py", "test_lookup_subqueries.py", "test_budgets.py", "test_template_repeated.py", "test_lookups.py",
           "test_costs_key_forms.py", "test_write_concurrency.py", "test_throttling.py", "test_time_comparisons.py", "test_credentials.py",
           "test_write_error_positions.py", "test_import_designs.py", *SHARE_DEMO)

# A file that takes longer hangs, and is stopped with a trace of where.
FILE_SECONDS = int(os.environ.get("DYNAMO_FDW_FILE_SECONDS", "300"))


class LineResult(unittest.TestResult):
    """Prints each test as it ends, and the trace of a failure below it."""

    def __init__(self):
        super().__init__()
        self.bad = self.lines = 0
        self.started = 0.0

    def startTest(self, test):
        super().startTest(test)
        self.started = time.monotonic()

    def line(self, verdict, test, comment=""):
        """One line, at once: the output is a pipe, and the next test may hang."""
        self.lines += 1
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
    sys.path[:0] = [LIB, SERVER]
    name = os.path.basename(path)[:-3]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    tests = flat(unittest.defaultTestLoader.loadTestsFromModule(module))
    suite = unittest.TestSuite(test for test in tests if not names or any(part in test.id() for part in names))
    result = LineResult()
    suite.run(result)
    if not result.lines and not names:
        print(f"not ok - {name} has no test")
        return 1
    return 1 if result.bad else 0


def stack_environment():
    """The environment with the stack's variables, requested unless they are set."""
    if "DDB_ENDPOINT" in os.environ and "PGPORT" in os.environ:
        return dict(os.environ)
    done = subprocess.run([os.path.join(LIB, "..", "stack"), "env"], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(1)
    lines = (line[len("export "):].partition("=") for line in done.stdout.splitlines())
    return {**os.environ, **{name: value for name, _, value in lines}}


def run_apart(file, names, environment):
    """Run one file in a process of its own; (exit status, what it printed)."""
    done = subprocess.run([sys.executable, __file__, "--file", os.path.join(TESTS, file), *names], env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    trouble = "" if done.returncode in (0, 1) else f"not ok - {file}: ended with status {done.returncode}\n"
    return done.returncode, done.stdout + trouble


def turns(files):
    """The files in their order, those that must run one after the other in one list."""
    shared = [file for file in files if file in SHARE_DEMO]
    return [[file] if file not in shared else shared for file in files if file not in shared[1:]]


def rank(turn):
    """Where the files of a turn are among the longest."""
    return min(LONGEST.index(file) if file in LONGEST else len(LONGEST) for file in turn)


def may_match(file, names, inherited):
    """False if no test of the file can have such a name; its text, or that of its base classes, would contain the parts."""
    with open(os.path.join(TESTS, file), encoding="utf-8") as opened:
        text = file[:-3] + "\n" + opened.read() + inherited
    return any(all(part in text for part in name.split(".")) for name in names)


def base_classes():
    """The text of what files inherit tests from."""
    texts = []
    for name in sorted(os.listdir(LIB)):
        if name.endswith(".py") and name != os.path.basename(__file__):
            with open(os.path.join(LIB, name), encoding="utf-8") as opened:
                texts.append(opened.read())
    return "".join(texts)


def run_files(files, names, jobs):
    """Run the files, several at a time, print in their order; returns the exit status."""
    environment = stack_environment()
    status, printed = 0, False
    with ThreadPoolExecutor(jobs) as pool:
        started = {turn[0]: pool.submit(lambda turn=turn: [run_apart(file, names, environment) for file in turn])
                   for turn in sorted(turns(files), key=rank)}
        for turn in turns(files):
            for done, output in started[turn[0]].result():
                print(output, end="", flush=True)
                status, printed = status | (done != 0), printed or bool(output)
    if not printed:
        print(f"not ok - no test in test/t is named {' or '.join(names)}" if names else "not ok - no test in test/t")
        return 1
    return int(status)


def main(arguments):
    """Run the files that match."""
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if arguments[:1] == ["--file"]:
        return run_file(arguments[1], arguments[2:])
    jobs = 2 * max(2, len(os.sched_getaffinity(0)))
    if arguments and re.fullmatch(r"-j[1-9]\d*", arguments[0]):
        jobs = int(arguments.pop(0)[2:])
    if any(name.startswith("-") for name in arguments):
        print(__doc__)
        return 2
    files = sorted(name for name in os.listdir(TESTS) if name.startswith("test_") and name.endswith(".py"))
    if arguments:
        inherited = base_classes()
        files = [file for file in files if may_match(file, arguments, inherited)]
    return run_files(files, arguments, jobs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
