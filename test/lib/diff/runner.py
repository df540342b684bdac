"""Runs statements on both schemas and compares."""
import json
import random
import time
from collections import Counter

import psycopg2
import psycopg2.extensions

from coverage import Coverage
from predicates import Lit
from statements import render

TIMEOUT = "30s"

# A statement that fails while requests of it are on the way.
FAILING = "SELECT 100 / (a.n - a.n) FROM f.orders a JOIN f.person b ON b.id = a.person JOIN f.event c ON c.person = b.id"


class Outcome:
    """Rows, or an error."""

    def __init__(self, rows=None, error=None, crashed=False, detail=None):
        self.rows, self.error, self.crashed, self.detail = rows, error, crashed, detail

    def same(self, other, ordered):
        """Equal to another outcome?"""
        if self.error or other.error:
            return bool(self.error) and bool(other.error) and self.error[0] == other.error[0]
        return self.rows == other.rows if ordered else Counter(self.rows) == Counter(other.rows)

    def compares_nothing(self, local):
        """Without rows, where local tables miss a collation?  They compare values of their statistics while they plan."""
        return not self.error and not self.rows and bool(local.error) and local.error[0] == "42P22"

    def is_refusal(self, sqlstate):
        """An error that the statement may raise instead of rows?"""
        return bool(self.error) and self.error[0] == sqlstate

    def __str__(self):
        if self.error:
            return f"{self.error[0]} {self.error[1]}"
        return f"{len(self.rows)} rows"


class Case:
    """A statement, how its constants are written, and the settings around it."""

    def __init__(self, select, mode, settings, seed):
        self.select, self.mode, self.settings, self.seed = select, mode, settings, seed
        self.plan_cache, self.executions = "auto", 1
        self.runner = None      # another than the usual one

    def but(self, **changes):
        """A copy with changes."""
        other = Case(self.select, self.mode, self.settings, self.seed)
        other.__dict__.update({**self.__dict__, **changes})
        return other


class Runner:
    """A connection and what was counted on it."""

    def __init__(self, fx, tables, coverage=None):
        self.fx, self.tables = fx, tables
        self.slow = 0       # statements that were given up
        self.shows_slow = True
        self.by_name = {t.name: t for t in tables}
        self.coverage = coverage or Coverage()
        self.connection = None
        self.settings = None
        self.connect()
        self.coverage.lookups = self.knows("dynamo_fdw.enable_lookup_join")
        # Before 16 a type's input is tried in a subtransaction. One that is rolled back while COMMIT materializes a held
        # cursor is none of the states that core's assertion lists, and does no harm without it.
        self.may_hold = self.connection.server_version >= 160000 or self.outcome("SHOW debug_assertions").rows == [("off",)]

    def connect(self):
        """A new connection, with every value as text."""
        self.connection = self.fx.connect()
        raw = psycopg2.extensions.new_type(tuple(psycopg2.extensions.string_types), "RAW", lambda value, _: value)
        psycopg2.extensions.register_type(raw, self.connection)
        self.settings = None
        self.parallel = "debug_parallel_query" if self.connection.server_version >= 160000 else "force_parallel_mode"
        self.execute("SET dynamo_fdw.scan_policy = 'allow'")
        self.execute(f"SET statement_timeout = '{TIMEOUT}'")
        self.execute("SET jit = off")

    def execute(self, sql):
        """Rows or None."""
        del self.connection.notices[:]
        with self.connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall() if cursor.description else None

    def knows(self, setting):
        """Does the library, which planning loads, have such a setting?"""
        self.execute(f"EXPLAIN SELECT FROM f.{self.tables[0].name}")
        return self.execute(f"SELECT current_setting('{setting}', true)")[0][0] is not None

    def outcome(self, sql):
        """The Outcome of a statement."""
        try:
            return Outcome(self.execute(sql))
        except UnicodeDecodeError as failure:       # of SQL_ASCII, which truncates characters
            return Outcome(error=("cut", str(failure.object)))
        except psycopg2.Error as failure:
            if self.connection.closed:
                crash = Outcome(error=("crash", str(failure).strip().split("\n", maxsplit=1)[0]), crashed=True)
                self.reconnect()
                return crash
            return Outcome(error=(failure.diag.sqlstate, failure.diag.message_primary), detail=failure.diag.message_detail)

    def reconnect(self):
        """After a crash of the backend: the server restarts."""
        for _ in range(60):
            time.sleep(0.5)
            try:
                self.connect()
                return
            except psycopg2.Error:
                continue
        raise SystemExit("the server did not come back")

    def set(self, settings):
        """Change settings, those only that differ."""
        if settings != self.settings:
            settings = {self.parallel if name == "PARALLEL" else name: value for name, value in settings.items()}
            self.execute("RESET ALL; SET client_encoding = 'UTF8'; SET jit = off; SET dynamo_fdw.scan_policy = 'allow'; "
                         f"SET statement_timeout = '{TIMEOUT}'; " +
                         "; ".join(f"SET {name} = '{value}'" for name, value in settings.items()))
            self.settings = settings

    # One case

    def run(self, case):
        """[(sql, foreign outcome, local outcome)] of the executions, and the foreign plan."""
        self.set(case.settings)
        if case.mode == "parameters":
            return self.run_prepared(case)
        if case.mode == "cursor":
            return self.run_cursor(case)
        rng = random.Random(case.seed)
        ways = {}

        def write(lit):
            if case.mode == "constants":
                return lit.constant()
            if id(lit) not in ways:
                choices = ["stable({})", "(SELECT {})", "stable({})", "{}"]
                ways[id(lit)] = rng.choice([c for c in choices if not ("[]" in lit.sqltype and "SELECT" in c)])
            return ways[id(lit)].format(lit.constant())
        sql = {schema: render(case.select.parts(), schema, write) for schema in "fl"}
        plan = self.plan(sql["f"])
        return [(sql["f"], self.outcome(sql["f"]), self.outcome(sql["l"]))], plan

    def plan(self, sql):
        """The plan, or none if planning fails."""
        try:
            plan = self.execute("EXPLAIN (FORMAT JSON, COSTS OFF) " + sql)[0][0]
            return (json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]
        except (psycopg2.Error, UnicodeDecodeError):
            if self.connection.closed:
                self.reconnect()
            return {}

    def run_prepared(self, case):
        """PREPARE, and EXECUTE with several lists of values."""
        rng = random.Random(case.seed)
        lits = []

        def write(lit):
            if lit.same and lit in lits:
                return f"${lits.index(lit) + 1}"
            lits.append(lit)
            return f"${len(lits)}"
        sql = {}
        for schema in "fl":
            lits.clear()
            body = render(case.select.parts(), schema, write)
            types = f" ({', '.join(lit.sqltype for lit in lits)})" if lits else ""
            sql[schema] = f"PREPARE q{schema}{types} AS {body}"
        self.execute(f"DEALLOCATE ALL; SET plan_cache_mode = {case.plan_cache}")
        self.settings = None
        done = {schema: self.outcome(sql[schema]) for schema in "fl"}
        if done["f"].error or done["l"].error:
            return [(sql["f"], done["f"], done["l"])], {}
        results, plan = [], {}
        for number in range(case.executions):
            values = [lit.constant() for lit in lits]
            if number:
                rows = {table.name: rng.choice(table.rows) for table in self.tables if table.rows}
                values = [self.another(lit, rng, rows) for lit in lits]
            arguments = f"({', '.join(values)})" if values else ""
            if number == 0:
                plan = self.plan("EXECUTE qf" + arguments)
            text = f"{sql['f']}; SET plan_cache_mode = {case.plan_cache}; EXECUTE qf{arguments}"
            if number:
                text += f"   -- execution {number + 1}"
            results.append((text, self.outcome("EXECUTE qf" + arguments), self.outcome("EXECUTE ql" + arguments)))
        return results, plan

    @staticmethod
    def another(lit, rng, rows):
        """Another value for a constant: of the row chosen for its table, usually."""
        if lit.other is None or rng.random() < 0.1:
            return lit.constant()
        text = rows.get(lit.table, {}).get(lit.column) if rng.random() < 0.8 else None
        if text is None or not lit.takes(text):
            text = lit.other(rng)
        return Lit(text, lit.sqltype).constant()

    def run_cursor(self, case):
        """Forward, backward, and to the end; over COMMIT, too."""
        rng = random.Random(case.seed)
        if not case.select.exact_order and rng.random() < 0.6:
            return self.run_stopped(case, rng)
        hold = rng.random() < 0.3 and self.may_hold
        fetches = ["FETCH 3 FROM c", "FETCH BACKWARD 2 FROM c", "MOVE 4 IN c", "FETCH RELATIVE 0 FROM c",
                   "FETCH ABSOLUTE 1 FROM c", "FETCH ALL FROM c", "FETCH BACKWARD ALL FROM c", "FETCH FIRST FROM c",
                   "FETCH LAST FROM c", "FETCH 1 FROM c"]
        steps = [rng.choice(fetches) for _ in range(rng.randint(1, 5))] + ["FETCH FORWARD ALL FROM c"]
        if not case.select.exact_order:
            rewind = ["FETCH 1 FROM c", "MOVE BACKWARD ALL IN c"] if rng.random() < 0.5 else []
            steps = rewind + ["FETCH ALL FROM c"]
        sqls, outcomes = {}, {}
        for schema in "fl":
            body = render(case.select.parts(), schema, lambda lit: lit.constant())
            sqls[schema] = f"DECLARE c SCROLL CURSOR {'WITH HOLD ' if hold else ''}FOR {body}"
            rows, outcomes[schema] = [], None
            for sql in ["BEGIN", sqls[schema]] + (["COMMIT"] if hold else []) + steps:
                step = self.outcome(sql)
                if step.error:
                    outcomes[schema] = step
                    break
                if sql not in steps:
                    continue
                if case.select.exact_order:
                    rows += [(sql,)] + (step.rows or [])
                elif sql == "FETCH ALL FROM c":
                    rows += step.rows
            outcomes[schema] = outcomes[schema] or Outcome(rows)
            if not outcomes[schema].crashed:
                self.connection.cursor().execute("ROLLBACK")
                self.execute("CLOSE ALL")
        text = f"BEGIN; {sqls['f']}; " + "; ".join((["COMMIT"] if hold else []) + steps)
        return [(text, outcomes["f"], outcomes["l"])], self.plan(sqls["f"].split(" FOR ", 1)[1])

    def run_stopped(self, case, rng):
        """A cursor closed halfway while another one over the same statement goes to the end."""
        body = {schema: render(case.select.parts(), schema, lambda lit: lit.constant()) for schema in "fl"}
        hold = "WITH HOLD " if rng.random() < 0.2 and self.may_hold else ""
        declare = "; ".join(f"DECLARE {name} CURSOR {hold}FOR {body['f']}" for name in "cd")
        steps = [f"FETCH {rng.choice([1, 2, 7, 30])} FROM c", f"FETCH {rng.choice([1, 5])} FROM d",
                 f"FETCH {rng.choice([1, 40])} FROM c", "CLOSE c", "FETCH ALL FROM d"]
        if not hold and rng.random() < 0.3:
            steps[2:2] = ["SAVEPOINT s", FAILING, "ROLLBACK TO s"]
        local, failed = self.outcome(body["l"]), None
        rows = {"c": [], "d": []}
        for sql in ["BEGIN", declare] + (["COMMIT"] if hold else []) + steps:
            step = self.outcome(sql)
            if step.error and sql != FAILING:
                failed = step
                break
            if sql.startswith("FETCH"):
                rows[sql[-1]] += step.rows
        if not (failed and failed.crashed):
            self.connection.cursor().execute("ROLLBACK")
            self.execute("CLOSE ALL")
        wanted = sum(int(s.split()[1]) for s in steps if s.endswith("FROM c"))
        strange = Counter(rows["c"]) - Counter(local.rows or [])
        foreign = failed or Outcome(rows["d"] + [("of the first cursor", len(rows["c"]))] + list(strange))
        if not local.error:
            local = Outcome(local.rows + [("of the first cursor", min(wanted, len(local.rows)))])
        return [("; ".join(["BEGIN", declare] + steps), foreign, local)], self.plan(body["f"])

    def compare(self, case):
        """Run a case: the executions, those of them that differ, and the plan."""
        results, plan = self.run(case)
        # an order holds for the statement as written; with a non-total one only the rows count
        wrong = [r for r in results if not r[1].same(r[2], case.select.exact_order) and not r[1].compares_nothing(r[2])
                 and not r[1].is_refusal(case.select.refusal)]
        # a Scan for each outer row can take longer than anyone waits; few statements may, or something hangs
        slow = [r for r in wrong if "57014" in [o.error[0] for o in r[1:] if o.error]]
        self.slow += len(slow)
        for sql, *_ in slow if self.shows_slow else ():
            print(f"# too slow: {sql}", flush=True)
        return results, [r for r in wrong if r not in slow], plan
