"""Databases of other encodings, each with tables of its own."""
import os
import random

import fixture
from edges import make_encoded
from features import ENCODINGS
from runner import Runner

STABLE = "CREATE FUNCTION stable(anyelement) RETURNS anyelement STABLE LANGUAGE plpgsql AS 'BEGIN RETURN $1; END'"


class World:
    """One database and a Runner in it."""

    def __init__(self, encoding, prefix, seed, coverage):
        self.name = encoding
        self.fx = fixture.Fixture(f"{prefix}_{encoding}", encoding=encoding)
        self.fx.server("direct", os.environ["DDB_ENDPOINT"])
        self.fx.execute("CREATE SCHEMA f; CREATE SCHEMA l; CREATE DOMAIN small AS int4; " + STABLE)
        self.tables = make_encoded()
        for table in self.tables:
            table.create(self.fx, random.Random(seed))
        self.runner = Runner(self.fx, self.tables, coverage)

    def close(self):
        """Drop it."""
        self.fx.close()


class Worlds:
    """All of them; as a list of (name, Runner) in `runners`."""

    def __init__(self, prefix, seed, coverage):
        self.worlds = [World(encoding, prefix, seed, coverage) for encoding in ENCODINGS]
        self.runners = [(world.name, world.runner) for world in self.worlds]

    def __enter__(self):
        return self.runners

    def __exit__(self, *_):
        for world in self.worlds:
            world.close()
