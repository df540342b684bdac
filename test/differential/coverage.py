"""Which operator was tried on which type in which role by which access path."""
from collections import Counter, defaultdict


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
    index = next((one for one in table.indexes if one["definition"]["IndexName"] == node.get("Index")), None)
    if index:
        for key in index["definition"]["KeySchema"]:
            if key["AttributeName"] == column.attribute:
                return "index hash" if key["KeyType"] == "HASH" else "index sort"
    return column.role


class Coverage:
    """Counts."""

    def __init__(self):
        self.cells = Counter()          # (operator, type, role, access path)
        self.shapes = Counter()
        self.paths = Counter()
        self.nodes = Counter()
        self.modes = Counter()
        self.filled = 0
        self.errors = Counter()         # SQLSTATE of errors on both sides

    def record(self, select, mode, plan, tables):
        """One statement and its plan."""
        self.shapes[select.shape] += 1
        self.modes[mode] += 1
        scans = {}
        for node in foreign_scans(plan):
            name = node["Remote Table"].rsplit(".", 1)[1]
            scans.setdefault(node.get("Alias", "a"), (node, tables[name]))
            self.paths[access_path(node, tables[name])] += 1
        self.count_nodes(plan)
        for name, alias, column, operator in select.all_tags():
            if name is None:
                continue
            if alias in scans and scans[alias][1].name == name:
                node, table = scans[alias]
                self.cells[operator, column.kind.name, role_in(node, table, column), access_path(node, table)] += 1
            elif not scans:
                self.cells[operator, column.kind.name, column.role, "no request"] += 1

    def count_nodes(self, plan):
        """What core did around our scans."""
        self.nodes[plan.get("Node Type")] += 1
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
        for name in ("paths", "shapes", "modes", "nodes", "errors"):
            counts = getattr(self, name).most_common()
            yield f"# {name}: " + ", ".join(f"{key} {count}" for key, count in counts)


# What a full run must have tried: operator, type, role, access path; "*" is any.
ANY = "*"
EXPECTED = []


def matches(pattern, cell):
    """Does a cell fit a pattern?"""
    return all(p in (ANY, c) for p, c in zip(pattern, cell))


def holes(coverage, expected=None):
    """The patterns that no cell fits."""
    wanted = EXPECTED if expected is None else expected
    return [pattern for pattern in wanted if not any(matches(pattern, cell) for cell in coverage.cells)]
