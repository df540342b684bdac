"""Random statements that write, on foreign tables and on local twins; test/diff --writes runs as many as wanted."""
import os
import sys

import fixture
from volume import volume

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib", "diff"))

import written      # noqa: E402  (the path above is needed first)


class Random(fixture.TestCase):
    """The seed is fixed: every run is the same."""

    def test_statements(self):
        differences, _ = written.run(self.fx, volume(60, 400), 1)
        self.assertEqual(differences, [])
