"""Which operator was tried on which type in which role by which access path."""
from collections import Counter, defaultdict

import features
import joincover
from repeated_lists import is_reached


def access_path(node, table):
    """The access path of a foreign scan in a plan."""
    operation, index = node["Remote Operation"], node.get("Index")
    if node.get("Select") == "COUNT":
        operation += " (count)"
    if index is None:
        return operation
    local = any(one["definition"]["IndexName"] == index and one["local"] for one in table.indexes)
    return f"{operation}, {'local' if local else 'global'} index"


def foreign_scans(plan):
    """All foreign scans in a plan."""
    if plan.get("Node Type") == "Foreign Scan" and "Remote Operation" in plan:
        yield plan
    for child in plan.get("Plans", []):
        yield from foreign_scans(child)


def role_in(node, table, column):
    """The role of a column for the scan that was chosen: of its own key where it has one."""
    if table.shared:
        return table.role_at(node.get("Index"), column) or column.role
    index = next((one for one in table.indexes if one["definition"]["IndexName"] == node.get("Index")), None)
    if index:
        for key in index["definition"]["KeySchema"]:
            if key["AttributeName"] == column.attribute:
                return "index hash" if key["KeyType"] == "HASH" else "index sort"
    return column.role


def table_of(node, tables):
    """The table of a foreign scan; one of several over a DynamoDB table, for an aggregate over one of them."""
    remote = node["Remote Table"].rsplit(".", 1)[1]
    found = tables.get(node.get("Relation Name")) or tables.get(remote)
    return found or next(table for table in tables.values() if table.shared == remote)


def soft(table):
    """Does the table read mismatches as NULL?"""
    return table.options.get("on_mismatch") == "null"


class Coverage:
    """Counts."""

    def __init__(self):
        self.cells = Counter()          # (operator, type, role, access path)
        self.met = defaultdict(set)     # (operator, type, role): access paths
        self.shapes = Counter()
        self.paths = Counter()
        self.nodes = Counter()
        self.joins = joincover.JoinCoverage()
        self.modes = Counter()
        self.mapped = 0                 # statements over tables whose rows are no items
        self.filled = 0
        self.lookups = False            # is there a read-ahead for joins?
        self.errors = Counter()         # SQLSTATE of errors on both sides
        self.features = Counter()       # what else a statement was there for

    def add(self, other):
        """What another process has covered."""
        for name in ("cells", "shapes", "paths", "nodes", "modes", "errors", "features"):
            getattr(self, name).update(getattr(other, name))
        for cell, paths in other.met.items():
            self.met[cell] |= paths
        self.joins.cells.update(other.joins.cells)
        self.filled += other.filled
        self.mapped += other.mapped

    def record(self, select, mode, plan, tables, executions):
        """One statement and its plan."""
        self.shapes[select.shape] += 1
        self.modes[mode] += 1
        scans = {}
        for node in foreign_scans(plan):
            table = table_of(node, tables)
            scans.setdefault(node.get("Alias", "a"), (node, table))
            self.paths[access_path(node, table)] += 1
        self.count_nodes(plan)
        read = {t.name for _, t in scans.values()} | set(select.aliases.values())
        self.features.update(trait for name in sorted(filter(None, read)) for trait in tables[name].traits)
        self.mapped += executions * any(tables[name].mapped for name in read if name)
        self.features.update([name for name in select.features if is_reached(name, plan)] + sorted(features.of_plan(plan, {t.name for _, t in scans.values() if soft(t)})))
        self.features.update(features.of_constants(select.parts()))
        self.joins.record(plan, lambda node: self.path_of(node, tables))
        for name, alias, column, operator in select.all_tags():
            if name is None:
                continue
            if alias in scans and scans[alias][1].name == name:
                node, table = scans[alias]
                self.count_cell(operator, column.kind.name, role_in(node, table, column), access_path(node, table))
            elif not scans:
                self.count_cell(operator, column.kind.name, column.role, "no request")

    @staticmethod
    def path_of(node, tables):
        """The access path of a foreign scan of one of the tables."""
        if "Remote Operation" not in node:
            return None
        return access_path(node, table_of(node, tables))

    def covered(self, operator, kind, role):
        """Was it met on the way that the role stands for: by its key, or by a Scan?"""
        paths = self.met.get((operator, kind, role), ())
        if role in ("plain", "index key"):
            return any("Scan" in path for path in paths)
        return any("Scan" not in path for path in paths) or (kind == 'text "nd"' and paths)

    def count_cell(self, operator, kind, role, path):
        """One more."""
        self.cells[operator, kind, role, path] += 1
        if path != "no request":
            self.met[operator, kind, role].add(path)

    def count_nodes(self, plan):
        """What core did around our scans."""
        self.nodes["DynamoLookupJoin" if joincover.is_read_ahead(plan) else plan.get("Node Type")] += 1
        self.nodes["asynchronous scan"] += plan.get("Async Capable", False)
        for child in plan.get("Plans", []):
            self.count_nodes(child)

    # Printing

    def table(self, key):
        """Lines of a table of counts by two of the four dimensions."""
        rows = defaultdict(Counter)
        for cell, count in self.cells.items():
            row, column = key(cell)
            rows[row][column] += count
        columns = sorted({c for counts in rows.values() for c in counts})
        width = max((len(str(r)) for r in rows), default=1)
        yield "# " + " " * width + "  " + "  ".join(columns)
        for row in sorted(rows):
            yield f"# {row:<{width}}  " + "  ".join(f"{rows[row][c] or '-':>{len(c)}}" for c in columns)

    def report(self):
        """All lines."""
        yield f"# {len(self.cells)} cells of operator x type x role x access path"
        yield "# operator by role:"
        yield from self.table(lambda cell: (cell[0], cell[2]))
        yield "# type by access path:"
        yield from self.table(lambda cell: (cell[1], cell[3]))
        yield from self.joins.report()
        for name in ("paths", "shapes", "modes", "nodes", "features", "errors"):
            counts = getattr(self, name).most_common()
            yield f"# {name}: " + ", ".join(f"{key} {count}" for key, count in counts)


# What a full run must have tried: every operator of a line on every type in every role, by one of the access paths.
# "*" is any; what is not text of a bytewise collation has no ranges there.
POINTS = "=|IN|= ANY|OR of ="
BYTEWISE = 'text "C"'
OTHER_TEXT = 'text|text "und-x-icu"'
ORDERED = f"{BYTEWISE}|int4|numeric|bytea|date|uuid|timestamptz epoch|timestamptz iso8601(3)"
ANY_TEXT = f"{BYTEWISE}|{OTHER_TEXT}"
RANGES = "<|<=|>|>=|BETWEEN|two bounds"
BY_KEY = "GetItem|Query|BatchGetItem|Query per key"
GLOBAL = "Query, global index|Query per key, global index|Query, then BatchGetItem, global index"
EXPECTED = [
    (POINTS, f"{ANY_TEXT}|varchar(8)|int2|int4|int8|numeric|bytea|uuid|date", "hash", BY_KEY),
    (POINTS, 'text "nd"', "hash", "Scan"),
    ("BETWEEN|two bounds", "int2|int4|int8", "hash", BY_KEY),
    ("IS NOT DISTINCT FROM|BETWEEN x AND x", "text|int4|uuid|date", "hash", BY_KEY),
    ("IS NOT DISTINCT FROM", "text|int4", "index hash", GLOBAL),
    ("IS NULL OR", "*", "index hash", GLOBAL),
    ("IS NOT DISTINCT FROM|BETWEEN x AND x|LIKE one text|(...) IS TRUE", "text", "plain|sort", "*"),
    ("LIKE one text", "text", "hash", BY_KEY),
    ("float8 =|float8 IN", "int2|int4|int8", "hash", BY_KEY),
    ("float8 =|float8 <|float8 >=|float8 IN", "int4|int8|numeric", "sort", "*"),
    ("float8 =|float8 <|float8 >=|float8 <>|float8 IN", "int2|int4|int8|numeric", "plain", "*"),
    (POINTS, f"{ORDERED}|{OTHER_TEXT}", "sort", BY_KEY),
    (RANGES, ORDERED, "sort", BY_KEY),
    (RANGES, OTHER_TEXT, "sort", BY_KEY),
    ("LIKE|^@|starts_with", ANY_TEXT, "sort", BY_KEY),
    ("optional|coalesce(x, k) = k", "text|int4", "hash", BY_KEY),
    ("page|page by OR", f"{BYTEWISE}|int4", "sort", BY_KEY),
    ("row IN|OR of ANDs", f"{ANY_TEXT}|int4|bytea|uuid|date", "hash|sort", "GetItem|BatchGetItem"),
    (POINTS, "*", "index hash", GLOBAL),
    (f"{POINTS}|{RANGES}", "*", "index sort", GLOBAL + "|Query, local index|Query per key, local index"),
    ("=", "text|int4|date|boolean bool(Y,N)|timestamptz iso8601(3)|bytea", "index hash", GLOBAL),
    ("=|IN|= ANY|<|>=|BETWEEN|<>|NOT IN|<> ALL|IS NULL|IS NOT NULL|IS DISTINCT FROM|LIKE|NOT LIKE|^@|ILIKE",
     ANY_TEXT, "plain", "Scan"),
    ("=|IN|= ANY|<|>=|BETWEEN|<>|NOT IN|<> ALL|IS NULL|IS NOT NULL|IS DISTINCT FROM",
     'int2|int4|int8|numeric|numeric(10,2)|numeric string|float8|float4|bytea|uuid|date|timestamptz|'
     'timestamptz epoch|timestamp|varchar(6)|char(5)|text "nd"', "*", "*"),
    ("c|NOT c|IS UNKNOWN|IS NULL", "boolean|boolean bool(Y,N)", "plain", "Scan"),
    ("c|NOT c|IS NULL", "boolean bool(Y,N)", "index key", "Scan"),
    ("->> =|->> <>|->> IN|->> LIKE|#>> =|-> =|-> IS NULL|-> IS NOT NULL|@>|list element|digit step|->>::numeric",
     "jsonb", "plain", "*"),
    ("= ANY (column)|<> ALL (column)|@>|<@|&&|cardinality", "text[]|numeric[]", "plain", "Scan"),
    ("column =|column <|column <=|column >|column >=|column <>", "*", "plain", "Scan"),
    ("join =", "*", "hash|index hash|sort|plain", "*"),
    ("EXISTS|NOT EXISTS|IN|NOT IN|scalar|lateral", "*", "*", "*"),
    ("=", "*", "*", "no request"),
    ("=|IN|= ANY|<", "label|citext|mood|oid", "hash", "*"),
    ("=|IN|= ANY|<", "small|char(5)|inet|citext", "sort", "*"),
    ("::citext =|::citext <|::citext IN|::citext LIKE|::bpchar =|::bpchar IN|::label =|::name =|::varchar LIKE", ANY_TEXT, "*", "*"),
    ("::oid =|::oid <|::oid IN|::small =|::numeric =|::float8 <", "int4", "*", "*"),
    ("::text =", "mood|inet|oid|uuid|date", "*", "*"),
    ("column ::citext =|column ::citext <|column ::bpchar =|column ::oid =|column ::oid <|column ::text =", "*", "*", "*"),
    ("= ANY of 99|= ANY of 100|= ANY of 101|= ANY of none|= ANY with NULL", "text|int4|uuid", "hash|plain", "*"),
    ("= ANY of 99|= ANY of 100|= ANY of 101|= ANY of none|= ANY with NULL", f"{BYTEWISE}|int4", "sort", "*"),
    ("= ANY of none|= ANY with NULL", "text", "index hash", "*"),
    ("<> ALL of 99|<> ALL of 100|<> ALL of 101|<> ALL of none|<> ALL with NULL", "text|int4", "plain", "Scan"),
    ("LIKE ... escape", "*", "hash|plain", "Scan"),
    ("huge", "bytea|text", "sort|plain", "*"),
    (POINTS, "int4 padded(3)|bytea base64", "hash", BY_KEY),
    (POINTS, "numeric padded(5)|bytea base64", "sort", BY_KEY),
    (RANGES, "numeric padded(5)", "sort", BY_KEY),
    (f"{POINTS}|{RANGES}", "int4 padded(3)|bytea base64", "index key", "*"),
    ("->> =|->> <>|-> =|-> IS NULL|@>|IS NULL|IS NOT NULL", "jsonb json", "plain", "*"),
    ("->> =|->> <>|->> IN|#>> =|-> =|-> IS NULL|-> IS NOT NULL|@>|IS NULL|IS NOT NULL", "jsonb of the item|jsonb of the rest", "plain", "*"),
    (f"=|{RANGES}", "timestamptz ulid|timestamptz iso8601(9)|timestamptz epoch(9)", "sort", "Query"),
    (RANGES, "timestamptz pattern(YYYYMMDDHH24MISSMS)", "sort", "Query"),
    ("=", "timestamptz pattern(YYYYMMDDHH24MISSMS)", "sort", "GetItem|BatchGetItem"),
    (f"IN|= ANY|=|{RANGES}", "timestamptz ulid|timestamptz iso8601(9)|date pattern(YYYYMM)", "plain|index key", "*"),
    (f"IN|= ANY|=|{RANGES}", "timestamptz epoch(9)", "plain", "*"),     # by its index, if that is smaller than the table
    (POINTS, "date pattern(DD.MM.YYYY)", "hash", BY_KEY),
    ("date_trunc|date()|year of|epoch of|+ interval|AT TIME ZONE|days in a zone", "*", "sort|plain", "*"),
    # parts of composed keys, by their position
    (POINTS, "*", "hash part 1|sort part 1|sort part 2|sort part 3", BY_KEY),
    ("=|IN|OR of =", "*", "hash part 2", BY_KEY),
    (RANGES, "*", "sort part 1|sort part 2|sort part 3", "Query|Query per key"),
    ("LIKE|^@|starts_with", "*", "sort part 1|sort part 2", "Query|Query per key"),
    ("=|IN|= ANY", "*", "index hash part 1|index hash part 2|index hash by another attribute", GLOBAL),
    ("=|<|>=|BETWEEN", "*", "index sort part 1", GLOBAL),
    ("<|>=|BETWEEN", "*", "index sort part 2", GLOBAL),
    ("=", "*", "hash by another attribute|sort by another attribute", BY_KEY),
    ("<>|NOT IN|IS NULL|IS NOT NULL|IS DISTINCT FROM|LIKE|NOT LIKE", "*", "hash part 1|sort part 1|index key", "*"),
    ("join =", "*", "hash part 1|hash part 2|sort part 1|sort part 2|index hash part 1", "*"),
]

# And what core must have done with it.
EXPECTED_PATHS = ["Scan", "GetItem", "BatchGetItem", "Query", "Query per key", "Query, global index",
                  "Query per key, global index", "Query, then BatchGetItem, global index", "Query, local index",
                  "Query per key, local index", "Scan (count)", "Query (count)", "Scan, global index", "Scan, local index",
                  "Scan (count), global index", "Scan (count), local index"]
EXPECTED_NODES = ["Nested Loop", "Hash Join", "Merge Join", "Memoize", "Materialize", "Sort", "Incremental Sort",
                  "Append", "SetOp", "Aggregate", "Limit", "Unique", "asynchronous scan"]


def holes(coverage):
    """What is expected and was not tried: lists of words, of which the first describes the others."""
    wanted = [(o, t, r, paths) for operators, types, roles, paths in EXPECTED for o in operators.split("|")
              for t in types.split("|") for r in roles.split("|")]
    tried = set(coverage.cells)
    for part in range(1, 4):
        tried |= {cell[:part] + ("*",) + cell[part + 1:] for cell in tried}
    missing = [("condition", *pattern) for pattern in wanted
               if not any((*pattern[:3], path) in tried for path in pattern[3].split("|"))]
    missing += [("access path", path) for path in EXPECTED_PATHS if not coverage.paths[path]]
    nodes = EXPECTED_NODES + ["DynamoLookupJoin"] * coverage.lookups
    missing += [("feature", name) for name in features.EXPECTED if not coverage.features[name]]
    missing += [("plan node", node) for node in nodes if not coverage.nodes[node]]
    return missing + [("join", *hole) for hole in joincover.holes(coverage.joins, coverage.lookups)]
