"""Rows of values, (a, b) IN ((1, 2), (3, 4)), for columns in one key attribute: one key for each row, not for all combinations."""
import request_text
from dynamo import index
from request_text import statements

ISSUE = {"pk": "REPO#${owner}#${repo}", "sk": "ISSUE#${number:padded(4)}", "gpk": "REPO#${owner}#${repo}", "gsk": "${state}#${number:padded(4)}"}
LINE = {"pk": "ORDER#${id}#LINE#${line:padded(2)}"}
SPOT = {"pk": "P#${a}#${c}", "sk": "S#${b}#${c}"}
CELL = {"pk": "P#${a}#${b}#${c}", "sk": "S#${c}#${n:padded(3)}"}
PLACE = {"place": "${state}#${city}#${street}"}
LINES = ", ".join(f"('a{n}', {n % 4})" for n in range(60))


def issues(size):
    """Issues of repositories, and other items of their partitions."""
    for owner in range(4):
        for repo in range(4):
            pk = f"REPO#o{owner}#r{repo}"
            yield {"pk": pk, "sk": "README", "v": -1}
            for number in range(5 * size):
                state = "open" if number % 2 else "done"
                yield {"pk": pk, "sk": f"ISSUE#{number:04}", "state": state, "gpk": pk, "gsk": f"{state}#{number:04}", "v": number}


def cells(size):
    """Cells; those whose two values of c differ are no rows."""
    for n in range(6 * size):
        for a, b, c in ((a, b, c) for a in range(3) for b in range(4) for c in range(4)):
            yield {"pk": f"P#a{a}#b{b}#c{c}", "sk": f"S#c{c}#{n:03}", "v": n}
            if n == 0:
                yield {"pk": f"P#a{a}#b{b}#c{c}", "sk": f"S#c{3 - c}#{n:03}", "v": -1}


def cell_queries(triples, rest="begins_with(sk,'S#c{c}#')"):
    """One Query for each row of values and each value of c."""
    return [f"Query cells where pk = 'P#a{a}#b{b}#c{c}' AND {rest.format(c=c)} get pk, sk, v" for a, b, c in triples]


def repo_queries(pairs, rest="begins_with(sk,'ISSUE#')", backward=""):
    """One Query for each pair of an owner and a repository."""
    return [f"Query issues where pk = 'REPO#o{owner}#r{repo}' AND {rest} get pk, sk, v{backward}" for owner, repo in pairs]


def line_keys(numbers):
    """The keys of these lines, as BatchGetItem has them."""
    return " ".join(sorted(f"{{pk 'ORDER#a{n}#LINE#{n % 4:02}'}}" for n in numbers))


REQUESTS = [
    ("partitions", "SELECT v FROM issues WHERE (owner, repo) IN (('o0', 'r1'), ('o1', 'r2'), ('o2', 'r0'), ('o0', 'r1'), ('o9', 'r9'))",
     repo_queries([(0, 1), (1, 2), (2, 0), (9, 9)])),
    ("partitions as an OR", "SELECT v FROM issues WHERE owner = 'o0' AND repo = 'r1' OR owner = 'o1' AND repo = 'r2'", repo_queries([(0, 1), (1, 2)])),
    ("partitions and a range", "SELECT v FROM issues WHERE (owner, repo) IN (('o0', 'r1'), ('o1', 'r2')) AND number BETWEEN 2 AND 3",
     repo_queries([(0, 1), (1, 2)], "sk BETWEEN 'ISSUE#0002' AND 'ISSUE#0004'")),
    ("partitions and a list", "SELECT v FROM issues WHERE (owner, repo) IN (('o0', 'r1'), ('o1', 'r2')) AND number IN (1, 3)",
     ["BatchGetItem issues " + " ".join(f"{{pk 'REPO#{pk}', sk 'ISSUE#000{n}'}}" for pk in ("o0#r1", "o1#r2") for n in (1, 3)) + " get pk, sk, v"]),
    ("partitions in order", "SELECT v FROM issues WHERE (owner, repo) IN (('o0', 'r1'), ('o1', 'r2'), ('o3', 'r3')) ORDER BY number DESC LIMIT 2", None),
    ("partitions with NULL", "SELECT v FROM issues WHERE (owner, repo) IN (('o0', 'r1'), ('o1', NULL))", None),
    ("lists in a branch", "SELECT v FROM issues WHERE owner = 'o0' AND repo IN ('r1', 'r2') OR owner = 'o1' AND repo = 'r3'", repo_queries([(0, 1), (0, 2), (1, 3)])),
    ("a further condition", "SELECT v FROM issues WHERE (owner, repo) IN (('o0', 'r1'), ('o1', 'r2'), ('o2', 'r1')) AND repo = 'r1'", repo_queries([(0, 1), (2, 1)])),
    ("a contradiction", "SELECT v FROM issues WHERE (owner, repo) IN (('o0', 'r1'), ('o1', 'r2')) AND repo = 'r3'", []),
    ("parameters", "SELECT v FROM issues WHERE (owner, repo) IN ((%s, %s), (%s, %s))", repo_queries([(0, 1), (1, 2)]), ("o0", "r1", "o1", "r2")),
    ("a part of another condition", "SELECT v FROM issues WHERE owner = 'o1' AND (repo, number) IN (('r0', 1), ('r1', 2), ('r2', 3))",
     ["BatchGetItem issues " + " ".join(f"{{pk 'REPO#o1#r{n}', sk 'ISSUE#000{n + 1}'}}" for n in range(3)) + " get pk, sk, v"]),
    ("an index", "SELECT v FROM issues WHERE (owner, repo) IN (('o0', 'r1'), ('o1', 'r2')) AND state = 'open' AND number < 4",
     None),
    ("a partition key alone", f"SELECT v FROM lines WHERE (id, line) IN ({LINES})", None),
    ("two of a partition key alone", "SELECT v FROM lines WHERE (id, line) IN (('a1', 1), ('a2', 2))", [f"BatchGetItem lines {line_keys((1, 2))} get pk, v"]),
    ("a list in both parts", "SELECT v FROM cells WHERE (a, b) IN (('a0', 'b1'), ('a2', 'b3'), ('a0', 'b1')) AND c IN ('c1', 'c3')",
     cell_queries([(0, 1, 1), (0, 1, 3), (2, 3, 1), (2, 3, 3)])),
    ("a list in both parts and a range", "SELECT v FROM cells WHERE (a, b) IN (('a0', 'b1'), ('a2', 'b3')) AND c IN ('c1', 'c3') AND n < 2",
     cell_queries([(0, 1, 1), (0, 1, 3), (2, 3, 1), (2, 3, 3)], "sk BETWEEN 'S#c{c}#' AND 'S#c{c}#002'")),
    ("a list in both parts and less", "SELECT v FROM cells WHERE (a, b) IN (('a0', 'b1'), ('a2', 'b3')) AND c IN ('c1', 'c3') AND c <> 'c3' AND c IN ('c0', 'c1')",
     cell_queries([(0, 1, 1), (2, 3, 1)])),
    ("an own list of each branch", "SELECT v FROM cells WHERE a = 'a0' AND b = 'b1' AND c IN ('c1', 'c3') OR a = 'a1' AND b = 'b1' AND c IN ('c1', 'c2')", None),
    ("full keys of a list in both parts", "SELECT v FROM cells WHERE (a, b) IN (('a0', 'b1'), ('a2', 'b3')) AND c IN ('c1', 'c3') AND n IN (0, 2)",
     ["BatchGetItem cells " + " ".join(f"{{pk 'P#{pk}#{c}', sk 'S#{c}#{n}'}}" for pk in ("a0#b1", "a2#b3") for c in ("c1", "c3") for n in ("000", "002")) + " get pk, sk, v"]),
    ("a list in both parts and an order", "SELECT n, v FROM cells WHERE (a, b) IN (('a0', 'b1'), ('a2', 'b3')) AND c IN ('c1', 'c3') ORDER BY c, n LIMIT 9", None),
    ("three columns of a sort key", "SELECT v FROM places WHERE country = 'c1' AND (state, city, street) IN (('s1', 't1', 'u1'), ('s2', 't2', 'u2'))",
     ["BatchGetItem places {country 'c1', place 's1#t1#u1'} {country 'c1', place 's2#t2#u2'} get country, place, v"]),
    ("four columns", "SELECT v FROM places WHERE (country, state, city, street) IN (('c1', 's1', 't1', 'u1'), ('c2', 's2', 't2', 'u2'))",
     ["BatchGetItem places {country 'c1', place 's1#t1#u1'} {country 'c2', place 's2#t2#u2'} get country, place, v"]),
]


@statements([request for request in REQUESTS if request[2] is not None])
class RowsOfValues(request_text.RequestTestCase):
    """The requests, and the rows of local tables."""

    SIZE = 1

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fx = cls.fx
        fx.create_table("issues", ("pk", "S"), ("sk", "S"), [index("by_state", ("gpk", "S"), ("gsk", "S"))])
        fx.create_table("lines", ("pk", "S"))
        fx.create_table("spots", ("pk", "S"), ("sk", "S"))
        fx.put("spots", [{"pk": f"P#a{n % 3}#c{c}", "sk": f"S#b{n}#c{c}", "v": n} for n in range(9) for c in range(4)])
        fx.create_table("cells", ("pk", "S"), ("sk", "S"))
        fx.put("cells", cells(cls.SIZE))
        fx.create_table("places", ("country", "S"), ("place", "S"))
        fx.put("issues", issues(cls.SIZE))
        fx.put("lines", [{"pk": f"ORDER#a{n}#LINE#{line:02}", "v": n} for n in range(30 * cls.SIZE) for line in range(4)])
        fx.put("places", [{"country": f"c{n % 3}", "place": f"s{n % 5}#t{n % 7}#u{n % 4}", "v": n} for n in range(100 * cls.SIZE)])
        cls.mapped("issues", "owner text NOT NULL, repo text NOT NULL, number int NOT NULL, state text OPTIONS (attribute 'state') NOT NULL, v int", ISSUE,
                   trusted_indexes="by_state")
        cls.mapped("lines", "id text NOT NULL, line int NOT NULL, v int", LINE)
        cls.mapped("spots", "a text NOT NULL, b text NOT NULL, c text NOT NULL, v int", SPOT)
        cls.mapped("cells", "a text NOT NULL, b text NOT NULL, c text COLLATE \"C\" NOT NULL, n int NOT NULL, v int", CELL)
        cls.mapped("places", "country text NOT NULL, state text NOT NULL, city text NOT NULL, street text NOT NULL, v int", PLACE)

    def test_all_rows(self):
        """With all conditions, and in generic plans."""
        for _, sql, _, *parameters in REQUESTS:
            with self.subTest(sql):
                self.assertEqual(sorted(self.fx.rows(sql, *parameters)), sorted(self.mirrored(sql, *parameters)))
        self.fx.execute("SET plan_cache_mode = force_generic_plan")
        self.addCleanup(self.fx.execute, "DEALLOCATE ALL; RESET plan_cache_mode")
        sql = "SELECT v FROM issues WHERE (owner, repo) IN (($1, $2), ($3, $4)) AND number < 3"
        self.fx.execute(f"PREPARE p (text, text, text, text) AS {sql}")
        for values in (("o0", "r1", "o1", "r2"), ("o0", "r1", "o0", "r1"), ("o0", None, "o3", "r3"), (None, "r1", "o1", None)):
            literals = [self.fx.value("SELECT quote_nullable(%s)", (value,)) for value in values]
            constant = sql.replace("$1", literals[0]).replace("$2", literals[1]).replace("$3", literals[2]).replace("$4", literals[3])
            self.assertEqual(sorted(self.fx.rows("EXECUTE p (%s, %s, %s, %s)", values)), sorted(self.mirrored(constant)))
        self.assertEqual(len(self.fx.requests("EXECUTE p ('o0', 'r1', 'o1', 'r2')")), 2)

    def test_many(self):
        """Each row is one key, and a list of many different values is no error."""
        [request] = self.fx.requests(f"SELECT v FROM lines WHERE (id, line) IN ({LINES})")
        self.assertEqual(len(request.body["RequestItems"][self.fx.remote("lines")]["Keys"]), 60)
        rows_of = ", ".join(f"('c{n % 3}', 's{n}', 't{n}', 'u{n}')" for n in range(230))
        sql = f"SELECT v FROM places WHERE (country, state, city, street) IN ({rows_of})"
        self.fx.execute("SET dynamo_fdw.scan_policy = error")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.scan_policy")
        self.assertEqual([r.operation for r in self.fx.requests(sql)], ["BatchGetItem"] * 3)
        self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.mirrored(sql)))
        pairs = [(owner, repo) for owner in range(4) for repo in range(4) if owner != repo]
        named = ", ".join(f"('o{owner}', 'r{repo}')" for owner, repo in pairs)
        self.assertEqual(self.texts(f"SELECT v FROM issues WHERE (owner, repo) IN ({named})"), sorted(repo_queries(pairs)))

    def test_rows_and_a_repeated_list(self):
        """A list on a column of several parts gives each row as many keys as it has values, also if its arms have lists of their own."""
        pairs = ", ".join(f"('a{n % 3}', 'b{n}')" for n in range(50))
        self.fx.execute("SET dynamo_fdw.scan_policy = error")
        self.addCleanup(self.fx.execute, "RESET dynamo_fdw.scan_policy")
        sql = f"SELECT v FROM spots WHERE (a, b) IN ({pairs}) AND c IN ('c1', 'c3', 'c9')"
        self.assertEqual(sorted(self.fx.rows(sql)), sorted(self.mirrored(sql)))
        self.assertEqual(sum(len(r.body["RequestItems"][self.fx.remote("spots")]["Keys"]) for r in self.fx.requests(sql)), 150)
        sql = f"SELECT v FROM spots WHERE (a, b) IN ({pairs}) AND c = ANY (%s)"
        for values in (["c1", None, "c2", "c1"], [None], [], None, ["c2"]):
            self.assertEqual(sorted(self.fx.rows(sql, (values,))), sorted(self.mirrored(sql, (values,))))
        arms = " OR ".join(f"a = 'a{n % 3}' AND b = 'b{n}' AND c = ANY (%s)" for n in range(41))
        for some, others in ((["c1", "c2"], ["c2", "c3"]), ([], ["c0", "c1"]), ([None], ["c0"]), (None, ["c1"])):
            values = tuple(some if n % 2 else others for n in range(41))
            for sql in (f"SELECT v FROM spots WHERE {arms}", f"SELECT v FROM spots WHERE ({arms}) AND c = ANY ('{{c1,c2}}') AND a <> 'a2'"):
                self.assertEqual(sorted(self.fx.rows(sql, values)), sorted(self.mirrored(sql, values)))

    def test_rows_and_a_list_in_both_parts(self):
        """Each row gives one Query for each value of c, not one for each pair of them."""
        pairs = [(n % 3, n) for n in range(50)]
        named = ", ".join(f"('a{a}', 'b{b}')" for a, b in pairs)
        sql = f"SELECT v FROM cells WHERE (a, b) IN ({named}) AND c = ANY (%s)"
        self.fx.execute("SET dynamo_fdw.scan_policy = error")
        self.addCleanup(self.fx.execute, "RESET ALL")
        self.assertRequests(sql, cell_queries([(a, b, c) for a, b in pairs for c in range(5)]), ([f"c{c}" for c in range(5)],))
        for values in (["c1", None, "c2", "c1"], [None], [], None, ["c2"]):
            self.assertEqual(sorted(self.fx.rows(sql, (values,))), sorted(self.mirrored(sql, (values,))))
        self.assertIn("Estimated Read Units: 125.0", self.fx.explain(sql.replace("%s", "'{c0,c1,c2,c3,c4}'"), "VERBOSE"))

    def test_equal_rows(self):
        """Of any number of equal rows, one key remains, whether or not the arms have lists."""
        self.addCleanup(self.fx.execute, "DEALLOCATE ALL; RESET plan_cache_mode")
        self.fx.execute("SET plan_cache_mode = force_generic_plan")
        row_of = [f"(${2 * n + 1}, ${2 * n + 2})" for n in range(12)]
        self.fx.execute(f"PREPARE p AS SELECT v FROM lines WHERE (id, line) IN ({', '.join(row_of)})")
        self.fx.execute("PREPARE q AS SELECT v FROM spots WHERE " + " OR ".join(f"a = ${n + 1} AND b = 'b1' AND c = " + ("'c1'" if n % 3 else "ANY ('{c1,c2}')") for n in range(12)))
        for size in (1, 12):
            equal = ", ".join("'a1', 1" if n % size else f"'a{n}', {n % 4}" for n in range(12))
            constant = ", ".join(f"({text})" for text in equal.replace("', ", "' ").split(", "))
            sql = f"SELECT v FROM lines WHERE (id, line) IN ({constant})".replace("' ", "', ")
            self.assertEqual(sorted(self.fx.rows(f"EXECUTE p ({equal})")), sorted(self.mirrored(sql)))
        for other in ("a1", "a0"):
            values = ["a1"] * 11 + [other]
            sql = "SELECT v FROM spots WHERE " + " OR ".join(f"a = '{a}' AND b = 'b1' AND c = " + ("'c1'" if n % 3 else "ANY ('{c1,c2}')") for n, a in enumerate(values))
            self.assertEqual(sorted(self.fx.rows("EXECUTE q (" + ", ".join(f"'{a}'" for a in values) + ")")), sorted(self.mirrored(sql)))

    def test_order(self):
        """The partitions are merged, and their first items suffice."""
        sql = "SELECT number, v FROM issues WHERE (owner, repo) IN (('o0', 'r1'), ('o1', 'r2'), ('o3', 'r3')) ORDER BY number DESC LIMIT 2"
        self.assertEqual([r.body.get("Limit") for r in self.fx.requests(sql)], [2, 2, 2])
        self.assertEqual(self.fx.rows(sql), self.mirrored(sql))

    def test_writes(self):
        """DELETE reads and deletes the items of the rows only."""
        self.fx.execute("ALTER FOREIGN TABLE lines OPTIONS (ADD updatable 'true')")
        sent = self.fx.requests("DELETE FROM lines WHERE (id, line) IN (('a1', 1), ('a2', 2), ('a3', 9))")
        self.addCleanup(self.fx.put, "lines", [{"pk": "ORDER#a1#LINE#01", "v": 1}, {"pk": "ORDER#a2#LINE#02", "v": 2}])
        self.assertLessEqual(sum(r.operation == "DeleteItem" for r in sent), 3)
        self.assertEqual(self.fx.value("SELECT count(*) FROM lines WHERE id IN ('a1', 'a2', 'a3') AND line < 9"), 10)


class LargerTables(RowsOfValues):
    """The same requests for twenty times the items."""

    SIZE = 20
