"""Recursive queries over a tree that is in the table: what they cost next to one read of the table, at two sizes, analyzed and not."""
import fixture
from dynamo import index

SIZES = {"staff": 120, "company": 2400}
REPORTS = 5
MARGIN = 1.2
TREE = ("WITH RECURSIVE sub AS (SELECT employee, 0 AS depth FROM {0} WHERE manager IS NULL UNION ALL SELECT e.employee, s.depth + 1 FROM sub s"
        " JOIN {0} e ON e.manager = s.employee WHERE e.employee <> s.employee) SELECT depth, count(*) FROM sub GROUP BY depth ORDER BY depth")


def items_of(count):
    """Employees, each of whom but the first has a manager."""
    for n in range(count):
        yield {"pk": f"EMPLOYEE#e{n}", "sk": "EMPLOYEE#", "employee": f"e{n}", "bio": "x" * 3000, **({"manager": f"e{(n - 1) // REPORTS}"} if n else {})}


def levels_of(count):
    """How many are how far below the first."""
    depths = [0]
    for n in range(1, count):
        depths.append(depths[(n - 1) // REPORTS] + 1)
    return [(depth, depths.count(depth)) for depth in range(max(depths) + 1)]


class Trees(fixture.TestCase):
    """An index would find the reports of each."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fx.execute("SET dynamo_fdw.scan_policy = allow")
        for name, count in SIZES.items():
            cls.fx.create_table(name, ("pk", "S"), ("sk", "S"), [index("by_manager", ("manager", "S"), ("employee", "S"))])
            cls.fx.put(name, items_of(count))

    def paid(self, sql):
        """Read units of a statement."""
        def walk(node):
            return node.get("Read Units", 0) + sum(map(walk, node.get("Plans", [])))
        return walk(self.fx.value(f"EXPLAIN (ANALYZE, FORMAT json) {sql}")[0]["Plan"])

    def test_entire_tree(self):
        """The first part reads the entire table, so the recursive part needs no requests."""
        for name, count in SIZES.items():
            self.fx.foreign_table(name, "employee text NOT NULL, manager text", table_name=self.fx.remote(name))
            self.fx.foreign_table("parts", "employee text NOT NULL, manager text", table_name=self.fx.remote(name), trusted_indexes="by_manager",
                                  key_templates='{"pk":"EMPLOYEE#${employee}","sk":"EMPLOYEE#"}')
            for analyzed in (False, True):
                for table in (name, "parts"):
                    if analyzed:
                        self.fx.execute(f"ANALYZE {table}")
                    sql, scan = TREE.format(table), f"SELECT employee, manager FROM {table}"
                    with self.subTest(table, count=count, analyzed=analyzed):
                        (requests, rows), ideal = self.fx.requests_and_rows(sql), self.fx.requests(scan)
                        self.assertEqual(rows, levels_of(count))
                        self.assertLessEqual(len(requests), len(ideal) * MARGIN, self.fx.explain(sql))
                        self.assertLessEqual(self.paid(sql), self.paid(scan) * MARGIN)

    def test_a_branch(self):
        """Where nothing reads the table, a few are found by the index."""
        self.fx.foreign_table("company", "employee text NOT NULL, manager text", table_name=self.fx.remote("company"))
        self.fx.execute("ANALYZE company")
        sql = ("WITH RECURSIVE sub AS (SELECT 'e500' AS employee UNION ALL SELECT e.employee FROM sub s JOIN company e ON e.manager = s.employee)"
               " SELECT count(*) FROM sub")
        self.assertEqual(self.fx.rows(sql), [(1,)])
        self.assertEqual({request.operation for request in self.fx.requests(sql)}, {"Query"})
