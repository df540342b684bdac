"""The demo: what it prints, and that it notices a wrong response."""
import os
import subprocess
import sys
import unittest

TEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(TEST, "tour"))

import run       # noqa: E402  (the path above is needed first)
import story     # noqa: E402


class Printed(unittest.TestCase):
    """The entire command, in a pipe."""

    @classmethod
    def setUpClass(cls):
        command = [os.path.join(TEST, "demo"), *os.environ.get("STACK_OPTIONS", "").split()]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        cls.status, cls.lines = done.returncode, done.stdout.splitlines()

    def test_succeeds(self):
        self.assertEqual((self.status, [line for line in self.lines if "!!" in line]), (0, []), "\n".join(self.lines[-20:]))

    def test_is_plain_in_a_pipe(self):
        self.assertNotIn("\033", "\n".join(self.lines))

    def test_shows_every_statement(self):
        for step in story.STEPS:
            for line in step.sql.splitlines():
                self.assertIn("    " + line, self.lines)

    def test_ends_with_the_way_in_and_the_way_out(self):
        self.assertRegex(self.lines[-2], r"psql -h \S+ -p \d+ -U \S+ demo$")
        self.assertRegex(self.lines[-1], r"\./test/stack down$")

    def test_can_be_read_in_a_minute(self):
        self.assertLess(len(self.lines), 256)


class FakeResult:
    """Like a result of the tour."""

    def __init__(self, rows, requests, warnings=()):
        self.rows, self.requests, self.warnings = rows, requests, list(warnings)


class Notices(unittest.TestCase):
    """Every kind of wrong response is one."""

    STEP = story.Step("", "", "", [(1, "a"), (2, None)], ["Query t", "GetItem t"])

    def differences(self, *result):
        return list(run.differences(self.STEP, FakeResult(*result)))

    def test_right_response(self):
        rows = [("1", "a"), ("2", None)]
        self.assertEqual(self.differences(rows, ["DescribeTable t", "GetItem t", "Query t"]), [])

    def test_wrong_row(self):
        self.assertTrue(self.differences([("1", "a"), ("3", None)], ["GetItem t", "Query t"]))

    def test_wrong_order(self):
        self.assertTrue(self.differences([("2", None), ("1", "a")], ["GetItem t", "Query t"]))

    def test_one_request_more(self):
        self.assertTrue(self.differences([("1", "a"), ("2", None)], ["GetItem t", "GetItem t", "Query t"]))

    def test_unexpected_warning(self):
        self.assertTrue(self.differences([("1", "a"), ("2", None)], ["GetItem t", "Query t"], ["WARNING:  x"]))
