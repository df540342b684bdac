"""Which statement comes next, in which mode and under which settings."""
import itertools

from aimed import BOUNDED, LARGE, LISTS, MISMATCHED_PARTS, PARTS, TIED, Aimed
from apart import Apart
from parallel import Parallel
from composed import COMPOSED
from coverage import holes
from documented import DOCUMENTS
from edges import KINDS, MISMATCHES, OLDER
from elements import COUNTED, SEVERAL, Elements
from features import IN_ORDER, TRAITS
from filters import Filters
from joins import Joins
from listed import LISTED, Listed
from mapped import ENDLESS, MERGED, MERGED_BY_OWN, RANGED, Mapped
from ordered import Ordered
from previews import PREVIEWED, Previews
from repeated import KEPT, SENT, Repeated
from repeated_lists import OF_PARTS, Lists
from runner import Case
from segmented import OverSegments
from smaller import SMALLER, Smaller
from statements import Generator
from together import ALONE, TOGETHER, Together
from unions import SPILLED, UNION, Unions
from values import Integer
from zoned import ZONED, Zoned

# Turned off in turn, so that each plan that core may choose is chosen by some statements.
PLANNER = ["enable_hashjoin", "enable_mergejoin", "enable_nestloop", "enable_memoize", "enable_material",
           "enable_sort", "enable_incremental_sort", "enable_hashagg"]
MODES = [("constants", 50), ("values at run time", 12), ("parameters", 30), ("cursor", 8)]

# The ways to join: what must be off.
METHODS = [(("enable_hashjoin", "enable_mergejoin"), 40), (("enable_hashjoin", "enable_mergejoin", "enable_material"), 15),
           (("enable_hashjoin", "enable_mergejoin", "enable_memoize"), 10), (("enable_mergejoin", "enable_nestloop"), 10),
           (("enable_hashjoin", "enable_nestloop"), 10), ((), 15),
           (("enable_hashjoin", "enable_mergejoin", "enable_material", "enable_memoize"), 10)]
# What else changes the plans of joins, and how often it is set.
OTHERS = [(0.1, {"from_collapse_limit": "1", "join_collapse_limit": "1"}), (0.08, {"geqo_threshold": "2"}),
          (0.08, {"enable_partitionwise_join": "on", "enable_partitionwise_aggregate": "on"}),
          (0.08, {"parallel_setup_cost": "0", "parallel_tuple_cost": "0", "min_parallel_table_scan_size": "0"})]
LOOKUP = "dynamo_fdw.enable_lookup_join"
# What must be off for a join to be done in some way.
FORCED = {"hash": ["enable_mergejoin", "enable_nestloop"], "merge": ["enable_hashjoin", "enable_nestloop"],
          "memoize": ["enable_hashjoin", "enable_mergejoin", "enable_material", LOOKUP],
          "materialize": ["enable_hashjoin", "enable_mergejoin", "enable_memoize", LOOKUP],
          "loop": ["enable_hashjoin", "enable_mergejoin", "enable_material", "enable_memoize", LOOKUP],
          "lookup": ["enable_hashjoin", "enable_mergejoin", "enable_material", "enable_memoize"]}
FORCED["tight"] = FORCED["lookup"]
ROUNDS = 400    # tries for what was not met


class Cases:
    """Makes cases without end."""

    def __init__(self, rng, runner, tables, related, composed, worlds=()):
        self.rng, self.coverage = rng, runner.coverage
        self.mapped = Mapped(rng, composed)
        composed = self.mapped.tables
        self.generator = Generator(rng, tables)
        self.joins = Joins(rng, related, tables)
        self.ordered = Ordered(self.generator, tables)
        self.parallel = Parallel(self.generator, tables + composed)
        self.aimed = Aimed(self.generator, tables, related)
        self.repeated = Repeated(self.generator, tables + composed)
        self.elements = Elements(self.generator, tables)
        self.together = Together(self.generator, tables + composed)
        self.smaller = Smaller(self.generator, tables)
        self.segments = OverSegments(self.generator, tables)
        self.listed = Listed(self.generator, tables + related + composed)
        self.lists = Lists(self.generator, composed)
        self.previews = Previews(self.generator, tables + composed)
        self.unions = Unions(self.generator, tables + composed)
        self.filters = Filters(self.generator, [t for t in tables if t.rows and t.name not in ("big", "lg")],
                               lambda table: [(None, columns, nhash) for columns, nhash in Unions.keys_of(table)])
        self.zoned = Zoned(self.generator, [t for t in tables if t.name.startswith("z")])
        self.worlds = {name: (other, Generator(rng, other.tables)) for name, other in worlds}

    def settings(self):
        """Settings for the next statements."""
        rng = self.rng
        settings = {name: "off" for name in PLANNER if rng.random() < 0.2}
        if rng.random() < 0.25:
            settings.update({"enable_hashjoin": "off", "enable_mergejoin": "off"})
        if {"enable_hashjoin", "enable_mergejoin"} <= settings.keys():
            settings.pop("enable_material", None)   # tables of hundreds of rows would be read for each of hundreds
        if rng.random() < 0.25:
            settings["dynamo_fdw.consistent_read"] = "on"
        settings["TimeZone"] = rng.choice(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "America/Havana"])
        if rng.random() < 0.1:
            settings["from_collapse_limit"] = "1"
        return settings

    def for_joins(self):
        """Settings for the next joins: usually one way to join is forced."""
        rng = self.rng
        methods, weights = zip(*METHODS)
        settings = dict.fromkeys(rng.choices(methods, weights)[0], "off")
        if self.coverage.lookups and rng.random() < 0.3:
            settings[LOOKUP] = "off"
        if rng.random() < 0.4:
            settings["work_mem"] = "64kB"
            settings["hash_mem_multiplier"] = rng.choice(["1", "2"])
        if rng.random() < (0.5 if "work_mem" in settings else 0.05):    # lookups have a memory limit of their own, a part of this
            settings["dynamo_fdw.fetch_memory"] = "1MB"
        if rng.random() < 0.15:
            settings["dynamo_fdw.consistent_read"] = "on"
        for chance, more in OTHERS:
            settings.update(more if rng.random() < chance else {})
        if "parallel_setup_cost" in settings:
            for name in ("enable_hashjoin", "enable_material"):     # or workers are started for each outer row
                settings.pop(name, None)
        return settings

    def case(self, select, settings, once):
        """A statement in some mode; once: executed with other values once more at most."""
        rng = self.rng
        names, weights = zip(*MODES)
        case = Case(select, rng.choices(names, weights)[0], settings, rng.getrandbits(32))
        case.settings = {**settings, **select.settings}
        if select.shape == "memoized":
            case.settings = dict.fromkeys(["enable_hashjoin", "enable_mergejoin", "enable_material"], "off")
        if select.complete and case.mode == "cursor":
            case.mode = "constants"
        case.mode = select.mode or case.mode
        if case.mode == "parameters":
            case.plan_cache = select.plan_cache or rng.choice(["force_generic_plan", "force_generic_plan", "force_custom_plan", "auto"])
            case.executions = rng.choice([1, 1, 2]) if once and not select.mode else 7 if case.plan_cache == "auto" else rng.choice([2, 3, 4])
        return case

    def forced(self, method):
        """Settings under which joins are done in one way."""
        settings = {name: "off" for name in FORCED[method] if self.coverage.lookups or name != LOOKUP}
        tight = {"work_mem": "64kB", "hash_mem_multiplier": "1", "dynamo_fdw.fetch_memory": "1MB"}
        return {**settings, **tight} if method == "tight" else settings

    def joined(self):
        """Joins: those that must be tried once, and any; a few under the same settings."""
        rng, sweep = self.rng, self.joins.sweep()
        while True:
            for select, method in itertools.islice(sweep, 4):
                yield self.case(select, self.forced(method), True)
            settings = self.for_joins()
            for make in (self.joins.statement, self.joins.statement, self.joins.statement, self.apart, self.apart):
                yield self.case(make(), settings, rng.random() < 0.8)

    def apart(self):
        """A statement over tables that do not depend on each other."""
        return Apart(self.rng, self.joins.related if self.rng.random() < 0.75 else self.joins.others).statement()

    def elsewhere(self, name):
        """A statement in a database of another encoding."""
        runner, generator = self.worlds[name]
        ordered = Ordered(generator, runner.tables)
        make = self.rng.choice([ordered.statement] * 4 + [generator.by_key, generator.statement, generator.rows])
        select = make()
        while select.shape == "memoized":
            select = make()
        select.features = select.features + [name]
        case = self.case(select, self.settings(), True)
        case.runner = runner
        return case

    def edges(self):
        """What relies on an order, what runs next to a Gather, or in another encoding; each under settings of its own."""
        rng = self.rng
        while True:
            for make in (self.ordered.statement, self.aimed.statement, self.elements.statement, self.ordered.statement, self.parallel.statement,
                         self.aimed.statement, self.ordered.statement, self.repeated.statement, self.elements.statement, self.together.statement,
                         self.smaller.statement, self.unions.statement, self.unions.statement, self.filters.statement, self.filters.statement, self.previews.statement, self.segments.statement,
                         self.listed.statement, self.listed.statement, self.lists.statement, self.lists.statement):
                yield self.case(make(), {"TimeZone": rng.choice(["UTC", "Europe/Berlin"])}, True)
            if self.worlds:
                yield self.elsewhere(rng.choice(list(self.worlds)))

    def composed(self):
        """Statements over tables whose keys are composed, or whose rows are elements: under settings of joins, and under any."""
        while True:
            yield self.case(self.elements.statement(), self.settings(), True)
            yield self.case(self.mapped.style(), self.for_joins(), True)
            settings = self.settings()
            for _ in range(5):
                yield self.case(self.mapped.style(), settings, self.rng.random() < 0.8)

    def toward_feature(self, name):
        """A case for the sake of something."""
        if name in self.worlds:
            return self.elsewhere(name)
        if name in TRAITS:
            return self.case(self.mapped.with_trait(name), self.settings(), True)
        if name in ZONED:
            return self.case(self.zoned.statement(name), {}, True)
        if name == COMPOSED:
            return self.case(self.mapped.style(), self.settings(), True)
        if name in (RANGED, ENDLESS, MERGED, MERGED_BY_OWN):
            return self.case(self.mapped.style("ranged" if name in (RANGED, ENDLESS) else "merged"), self.settings(), True)
        if name in (LARGE, PARTS, MISMATCHED_PARTS, LISTS, TIED, BOUNDED):
            select = self.aimed.statement(name)
        elif name == SMALLER:
            select = self.smaller.statement()
        elif name in (UNION, SPILLED):
            select = self.unions.statement(name)
        elif name == LISTED:
            select = self.listed.statement()
        elif name in OF_PARTS:
            select = self.lists.statement(name)
        elif name == PREVIEWED:
            select = self.previews.statement()
        elif name in (SEVERAL, COUNTED):
            select = self.elements.statement(name)
        elif name in (KEPT, SENT):
            select = self.repeated.statement(name)
        elif name in (TOGETHER, ALONE):
            select = self.together.statement(name)
        elif name in (MISMATCHES, OLDER, KINDS, DOCUMENTS):
            select = self.ordered.statement(name)
        elif name.endswith(IN_ORDER):
            select = self.ordered.statement(style="appended" if "arms" in name else "merged" if "merge" in name else None)
        elif "Gather" in name:
            select = self.parallel.statement()
        else:
            select = self.generator.statement()
        return self.case(select, self.settings(), True)

    def toward(self, what, *words):
        """A case that may fill a hole of the coverage."""
        rng = self.rng
        if what == "feature":
            return self.toward_feature(words[0])
        if what == "condition" and any(word in words[2] for word in (" part ", " by another ")):
            return self.case(self.mapped.toward(*words[:3]), self.settings(), True)
        if what == "condition" and words[0] in ("BETWEEN", "two bounds") and words[1] in Integer.limits and words[2] == "hash":
            return self.case(self.aimed.bounded(words[1], words[0]), {}, True)
        if what == "condition":
            return self.case(self.generator.toward(*words[:3]), self.settings(), True)
        if what == "join":
            kind, path, method = (rng.choice(word.split("/")) for word in words)
            return self.case(self.joins.toward(kind, path), self.forced(method), True)
        if what == "access path" and words[0].startswith("Scan") and "index" in words[0]:
            select = self.smaller.counted("local" in words[0]) if "count" in words[0] else self.smaller.statement()
            return self.case(select, {}, True)
        if what == "access path" and rng.random() < 0.7:
            return self.case(self.generator.along(words[0]), self.settings(), True)
        if what == "plan node" and rng.random() < 0.5:
            return self.case(self.apart(), self.settings(), True)
        if rng.random() < (0.2 if what == "access path" else 0.5):
            return self.case(self.joins.statement(), self.for_joins(), True)
        return self.case(rng.choice([self.generator.statement, self.generator.by_key, self.generator.by_key])(),
                         self.settings(), True)

    def missing(self):
        """Cases toward what was not covered, until it is or many were tried."""
        for _ in range(ROUNDS):
            for hole in holes(self.coverage):
                yield self.toward(*hole)

    def all(self):
        """In rounds: a sweep's, then anything, then joins; each group under settings of its own."""
        sweep, joins, edges, composed = self.generator.sweep(self.coverage.covered), self.joined(), self.edges(), self.composed()
        while True:
            settings = self.settings()
            for _ in range(14):
                select = next(sweep, None)
                yield self.case(select or self.generator.statement(), settings, select is not None)
            for _ in range(3):
                yield self.case(self.generator.statement(), settings, False)
            yield from itertools.islice(joins, 7)
            yield from itertools.islice(edges, 18)
            yield from itertools.islice(composed, 77)
            for _ in range(5):
                yield self.case(self.zoned.statement(), {}, True)
