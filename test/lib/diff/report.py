"""Sets the tables up, runs the cases, and prints what came out."""
import hashlib
import json
import os
import random
import time
from collections import Counter

from aged import make_aged
from cases import Cases
from composed import create_entities, make_composed
from coverage import holes
from dated import make_dated
from directed import Directed
from documented import make_documented
from edges import make_edges
from elements import make_unnested
from lies import Lies
from occurrences import make_occurrences
from related import make_related
from repeated_lists import WIDE, make_lists
from replaced import Replaced
from runner import Runner
from segmented import make_segmented
from smaller import DEAR, make_smaller
from encoded import make_encoded
from twins import make_tables
from unions import make_unions
from units import make_units
from values import Enum, quote
from worlds import STABLE, Worlds
from zoned import make_zoned

MAX_SHOWN = 8
# For joins: one of the tables as local partitions, and functions that request rows themselves.
ROUTINES = """
CREATE SCHEMA p;
CREATE TABLE p.person (LIKE l.person) PARTITION BY HASH (id);
CREATE TABLE p.person_0 PARTITION OF p.person FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE p.person_1 PARTITION OF p.person FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO p.person SELECT * FROM l.person;
ANALYZE p.person;
CREATE UNLOGGED TABLE p.sink (one text, two text);
""" + "".join(f"""
CREATE FUNCTION {schema}.orders_of(numeric) RETURNS int8 LANGUAGE plpgsql
AS 'BEGIN RETURN (SELECT count(*) FROM {schema}.orders WHERE person = $1); END';
CREATE FUNCTION {schema}.people(int4) RETURNS TABLE (id int4, team text) LANGUAGE plpgsql ROWS 20
AS 'BEGIN RETURN QUERY SELECT p.id, p.team FROM {schema}.person p WHERE p.id BETWEEN 0 AND $1; END';
""" for schema in "fl")

SHARE = 104729  # between the seeds of processes
FULL = 3000     # statements from which on the coverage is judged
PROGRESS_SECONDS = 15


def set_up(fx, rng):
    """All tables, filled; returns them."""
    fx.server("direct", os.environ["DDB_ENDPOINT"])
    fx.server("one", os.environ["DDB_ENDPOINT"], max_concurrency=1)
    fx.server(DEAR, os.environ["DDB_ENDPOINT"], unit_cost_ms=1000)
    fx.server(WIDE, os.environ["DDB_ENDPOINT"], max_concurrency=256)
    fx.server("two", os.environ["DDB_ENDPOINT"], max_concurrency=2)
    fx.execute("CREATE SCHEMA f; CREATE SCHEMA l; "
               "CREATE COLLATION nd (provider = icu, locale = 'und-u-ks-level1', deterministic = false); " + STABLE)
    fx.execute("CREATE DOMAIN small AS int4 CHECK (VALUE <> 424242); "
               "CREATE DOMAIN doc AS jsonb CHECK (NOT VALUE ? 'bad'); "
               f"CREATE TYPE mood AS ENUM ({', '.join(quote(word) for word in Enum.words)})")
    fx.execute("CREATE EXTENSION citext; CREATE DOMAIN label AS text COLLATE \"C\" CHECK (VALUE <> 'forbidden')")
    tables = make_tables() + make_edges() + make_encoded() + make_documented() + make_segmented() + make_unnested() + make_smaller() + make_unions() + make_zoned()
    for table in tables:
        table.create(fx, rng)
        table.weight = {"types": 3, "ss": 5, "sn": 2, "ns": 2, "mis": 1.5, "big": 0.15, "none": 0.3, "orx": 0.3}.get(table.name, table.weight)
    related = make_related()
    for table in related:
        table.create(fx, rng)
    fx.execute(ROUTINES)
    return tables, related, create_entities(fx, rng, make_composed(rng), make_occurrences(rng), make_dated(rng), make_aged(rng), make_units(rng), make_lists(rng))


def short(rows, limit=5):
    """Some rows, truncated."""
    return [tuple(v if v is None or len(v) < 60 else v[:50] + "..." for v in map(text, row)) for row in rows[:limit]]


def text(value):
    """A value as it is shown."""
    return value if value is None or isinstance(value, str) else str(value)


def difference(foreign, local):
    """Lines that distinguish two outcomes."""
    yield f"foreign: {foreign}"
    yield f"local:   {local}"
    if foreign.error or local.error:
        return
    extra, missing = Counter(foreign.rows) - Counter(local.rows), Counter(local.rows) - Counter(foreign.rows)
    if not extra and not missing:
        yield f"the order differs: foreign {short(foreign.rows)}"
        yield f"                   local   {short(local.rows)}"
    for word, rows in (("only foreign", extra), ("only local", missing)):
        if rows:
            yield f"{word}, {sum(rows.values())}: {short(list(rows))}"


def shrink(runner, case, seconds=20):
    """A smaller case that still differs."""
    until = time.monotonic() + seconds

    def differs(candidate):
        try:
            return bool(runner.compare(candidate)[1])
        except Exception:       # a candidate may be no statement at all
            runner.execute("ROLLBACK")
            return False
    for change in ({"mode": "constants"}, {"executions": 1}, {"settings": {}}):
        candidate = case.but(**change)
        if differs(candidate):
            case = candidate
    smaller = True
    while smaller and time.monotonic() < until:
        smaller = False
        for select in case.select.smaller():
            candidate = case.but(select=select)
            if time.monotonic() < until and differs(candidate):
                case, smaller = candidate, True
                break
    return case


def show(runner, number, case, wrong):
    """Everything about a difference."""
    sql, foreign, local = wrong[0]
    print(f"\nDIFFERENCE in statement {number} ({case.mode}):\n{sql}")
    print("\n".join(difference(foreign, local)))
    small = shrink(runner, case)
    results, wrong, plan = runner.compare(small)
    if wrong:
        sql, foreign, local = wrong[0]
        print(f"smaller, with settings {small.settings}:\n{sql}")
        print("\n".join(difference(foreign, local)))
        print("plan: " + json.dumps(plan, ensure_ascii=False)[:1500])
    else:
        print("it does not happen again")
    print(flush=True)


def run_share(fx, count, seed, number):
    """Run another process's part of the statements: (coverage, done, failed, slow, fingerprint)."""
    tables, related, composed = set_up(fx, random.Random(seed))
    runner = Runner(fx, tables + related + composed)
    tally = Tally(runner, 0, 0, False)
    with Worlds(f"diff{number}", seed, runner.coverage) as worlds:
        tally.run(Cases(random.Random(seed * 7919 + 1 + number * SHARE), runner, tables, related, composed, worlds).all(), count)
    return runner.coverage, tally.done, tally.failed, runner.slow, tally.fingerprint.hexdigest()


def run(fx, count, seed, flags, began, shares=()):
    """Run COUNT statements, and add the `shares` of other processes, see run_share; returns the exit status."""
    tables, related, composed = set_up(fx, random.Random(seed))
    runner = Runner(fx, tables + related + composed)
    coverage = runner.coverage
    print(f"# {len(runner.tables)} tables, {sum(len(t.rows) for t in runner.tables)} rows, "
          f"set up in {time.monotonic() - began:.1f} s", flush=True)
    tally = Tally(runner, 0, 0, "--first" in flags)
    with Worlds("diff", seed, coverage) as worlds:
        cases = Cases(random.Random(seed * 7919 + 1), runner, tables, related, composed, worlds)
        run_scripted(fx, runner, tally, count, seed)
        if not tally.over():
            tally.shows_progress = True
            tally.run(cases.all(), count + tally.scripted)
            tally.shows_progress = False
        for share in shares:
            tally.add_share(*share)
        planned = tally.done
        if is_judged(tally.done, flags) and not tally.over():
            tally.run(cases.missing(), None)
    print(f"# {tally.done - planned} statements were added for what was not covered")
    print(f"# fingerprint of the statements: {tally.fingerprint.hexdigest()[:16]}")
    print(f"# {runner.slow} statements were given up as too slow")
    excess = max(0, runner.slow - max(1, tally.done // 1000))
    if excess:
        print(f"not ok: {excess} more than may be too slow")
    failed = tally.failed + excess
    return finish(coverage, tally, failed, flags, began)


def run_scripted(fx, runner, tally, count, seed):
    """What is no matter of chance, or of other services: responses that lag or lie, tables recreated."""
    long = count >= FULL // 6
    directed, lies = Directed(fx, runner), Lies(fx, runner, seed)
    try:
        tally.add_group(directed, ())
        tally.add_group(lies, lies.run(150 if long else 50))
        runner.set({})
        replaced = Replaced(fx, runner, seed)
        tally.add_group(replaced, replaced.run(20 if long else 2))
        runner.execute("DEALLOCATE ALL")
    finally:
        directed.close()
        lies.close()


class Tally:
    """Runs cases and counts what comes of them."""

    def __init__(self, runner, done, failed, first):
        self.runner, self.done, self.failed, self.first = runner, done, failed, first
        self.fingerprint = hashlib.sha256()     # the same on all machines
        self.scripted = 0       # of `done`, those whose rows are not counted
        self.shows_progress = False      # how far it is?

    def run(self, cases, count):
        """Run cases until `count` statements were compared, or the first that differs."""
        began = reported = time.monotonic()
        for case in cases:
            self.add(case)
            if self.over() or (count and self.done >= count):
                break
            if self.shows_progress and time.monotonic() - reported >= PROGRESS_SECONDS:
                reported = time.monotonic()
                print(f"# {100 * self.done // count} % of the statements after {reported - began:.0f} s", flush=True)

    def over(self):
        """Was one difference enough?"""
        return bool(self.failed and self.first)

    def add_group(self, group, texts):
        """Run a group of statements, which counts what passed and what failed itself."""
        if self.over():
            return
        if not texts:
            group.run()
        for text_ in texts:
            self.fingerprint.update(text_.encode())
        self.done += group.passed + group.failed
        self.scripted += group.passed + group.failed
        self.failed += group.failed

    def add_share(self, coverage, done, failed, slow, fingerprint):
        """Count what another process has run."""
        self.runner.coverage.add(coverage)
        self.runner.slow += slow
        self.done += done
        self.failed += failed
        self.fingerprint.update(fingerprint.encode())

    def add(self, case):
        """Run one case."""
        runner = case.runner or self.runner
        coverage = runner.coverage
        results, wrong, plan = runner.compare(case)
        coverage.record(case.select, case.mode, plan, runner.by_name, len(results))
        for sql, foreign, _ in results:
            self.done += 1
            self.fingerprint.update(sql.encode())
            coverage.filled += bool(foreign.rows) and foreign.rows != [("0",)]
            coverage.errors.update([foreign.error] if foreign.error and not wrong else [])
        self.failed += len(wrong)
        if wrong and (self.failed <= MAX_SHOWN or self.first):
            show(runner, self.done, case, wrong)


def is_judged(done, flags):
    """Are there enough statements to demand that everything was covered?"""
    return "--no-coverage" not in flags and done >= FULL


def finish(coverage, tally, failed, flags, began):
    """The figures."""
    done = tally.done
    if "--report" in flags:
        print("\n".join(coverage.report()))
    share = 100 * coverage.filled / max(done - tally.scripted, 1)
    print(f"# {done} statements in {time.monotonic() - began:.0f} s, {share:.0f} % of the results not empty, "
          f"{sum(coverage.errors.values())} errors on both sides")
    full = is_judged(done, flags)
    missing = holes(coverage) if full else []
    for hole in missing:
        print("not covered: " + " x ".join(hole))
    mapped = 100 * coverage.mapped / max(done - tally.scripted, 1)
    print(f"# {mapped:.0f} % of the statements read mapped or unnested tables")
    if mapped < 50 and full:
        print("not ok: less than half of the statements read mapped or unnested tables")
        missing.append("mapped")
    if share < 60 and full:
        print("not ok: less than 60 % of the results have rows")
        missing.append("rows")
    print(f"{done - failed} passed, {failed + len(missing)} failed")
    return 1 if failed or missing else 0
