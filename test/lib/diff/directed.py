"""What DynamoDB Local never does, served by the fake server: an index that lags, empty pages."""
from collections import Counter

import tables
from replies import after_earlier, reply


def item(pk, status, total):
    """An item as DynamoDB stores it."""
    return {"pk": {"S": pk}, "status": {"S": status}, "total": {"N": str(total)}}


class Directed:
    """Statements with the rows that they must give, over a FakeDynamo."""

    def __init__(self, fx, runner):
        self.fx, self.runner = fx, runner
        self.fake = fx.fake("fake")
        self.make()
        self.passed = self.failed = 0

    def close(self):
        """Stop the server."""
        self.fake.stop()

    def expect(self, name, sql, rows):
        """One statement."""
        found = self.runner.outcome(sql)
        if found.error or Counter(found.rows) != Counter(rows):
            print(f"DIFFERENCE in {name}:\n{sql}\nforeign: {found} {found.rows}\nwanted:  {rows}")
            self.failed += 1
        else:
            self.passed += 1

    def same(self, name, sql, table="ii"):
        """A statement over a generated table, {0}, gives the same rows for both."""
        found, wanted = [self.runner.outcome(sql.format(schema + table)) for schema in ("f.", "l.")]
        if found.error or not wanted.rows or Counter(found.rows) != Counter(wanted.rows):
            print(f"DIFFERENCE in {name}:\n{sql}\nforeign: {found}\nlocal:   {wanted}")
            self.failed += 1
        else:
            self.passed += 1

    def expect_error(self, name, sql, sqlstate):
        """A statement that fails."""
        found = self.runner.outcome(sql)
        if found.error and found.error[0] == sqlstate:
            self.passed += 1
        else:
            print(f"DIFFERENCE in {name}:\n{sql}\nforeign: {found}\nwanted:  {sqlstate}")
            self.failed += 1

    def make(self):
        """The tables."""
        items = [item("a", "open", 1), item("b", "paid", 2), item("d", "open", 99)]
        self.fake.table("lagging", ("pk", "S"), None, [tables.index("by_status", ("status", "S"), None, "KEYS_ONLY")], items,
                        item_count=1000000, size_bytes=10 ** 9)
        items = [{"pk": {"S": "k"}, "sk": {"N": str(n)}} for n in range(9)]
        self.fake.table("sparse_pages", ("pk", "S"), ("sk", "N"), [], items, page_size=2, empty_before=(0, 2, 4, 6, 8))
        items = [{"pk": {"S": pk}, "n": {"N": n}} for pk, n in zip("abcd", ("1", "2", "1.5", "4"))]
        self.fake.table("bad", ("pk", "S"), None, [], items, item_count=1000000, size_bytes=10 ** 9)
        self.fake.table("long", ("pk", "S"), None, [], [{"pk": {"S": "a"}, "v": {"S": "abcdefgh"}}])
        for name, columns in (("lagging", "status text NOT NULL, total numeric"), ("sparse_pages", "sk int4 NOT NULL"),
                              ("bad", "n int4")):
            self.runner.execute(f'CREATE FOREIGN TABLE f.{name} (pk text COLLATE "C" NOT NULL, {columns}) SERVER fake')

        items = [{"pk": {"S": "k"}, "sk": {"N": n}, "a": {"NULL": True}, "b": {"NULL": True}} for n in ("1", "1.5", "2", "2.5", "3")]
        self.fake.table("misfits", ("pk", "S"), ("sk", "N"), [], items)
        self.runner.execute("CREATE FOREIGN TABLE f.misfits (pk text COLLATE \"C\" NOT NULL, sk int4, a numeric, b numeric) SERVER fake "
                            "OPTIONS (on_mismatch 'null')")
        self.runner.execute("CREATE FOREIGN TABLE f.nulls (pk text COLLATE \"C\" NOT NULL, a numeric, b numeric) SERVER fake "
                            "OPTIONS (table_name 'misfits')")
        self.runner.execute("CREATE FOREIGN TABLE f.long (pk text COLLATE \"C\" NOT NULL, v varchar(5)) SERVER fake OPTIONS (on_mismatch 'null')")

    def run(self):
        """All of them."""
        for settings in ({}, {"enable_hashjoin": "off", "enable_mergejoin": "off", "enable_material": "off",
                              "enable_async_append": "off"}):
            self.runner.set(settings)
            self.stale_index()
            self.empty_pages()
            self.bad_item()
            self.mismatch_as_null()
            self.mismatches_in_order()
            self.equal_nulls()
            self.earlier_responses()
            self.filters_of_outer_rows()
            self.left_in_the_middle()
            self.equal_keys()
        self.branches_passed_over()
        self.rows_left_unread()
        self.values_never_needed()

    def stale_index(self):
        """The index still shows what the table no longer holds; one key appears in it twice."""
        def listed(request):
            """All keys, whichever status is requested."""
            [status] = request.body["ExpressionAttributeValues"].values()
            return reply({"Items": [{"pk": {"S": pk}, "status": status} for pk in "abcda"], "Count": 5, "ScannedCount": 5})
        self.fake.on("Query", listed)
        for condition, rows in (("status = 'open'", [("a", "1"), ("d", "99")]),
                                ("status = 'open' AND total < 50", [("a", "1")]),
                                ("status IN ('open', 'void')", [("a", "1"), ("d", "99")])):
            self.expect("an index that lags behind", f"SELECT pk, total FROM f.lagging WHERE {condition}", rows)
        for condition, rows in (("", [("0", "1"), ("0", "99"), ("1", "2"), ("2", "1"), ("2", "99"), ("3", None)]),
                                (" AND o.total < 50", [("0", "1"), ("1", "2"), ("2", "1"), ("3", None)])):
            self.expect("a join by an index that lags behind",
                        "SELECT v.n, o.total FROM (VALUES ('open', 0), ('paid', 1), ('open', 2), ('void', 3)) v(s, n) "
                        f"LEFT JOIN f.lagging o ON o.status = v.s{condition}", rows)
        self.fake.on("Query", None)

    def empty_pages(self):
        """Pages without items are before, between and after those with items."""
        rows = [(str(n),) for n in range(9)]
        self.expect("empty pages of a Scan", "SELECT sk FROM f.sparse_pages", rows)
        self.expect("empty pages of a Query", "SELECT sk FROM f.sparse_pages WHERE pk = 'k' ORDER BY sk", rows)
        self.expect("empty pages of a join", "SELECT s.sk FROM (VALUES ('k'), ('x'), ('k')) v(k) "
                    "JOIN f.sparse_pages s ON s.pk = v.k", rows * 2)
        self.expect("empty pages of counts", "SELECT x.n FROM (VALUES ('k'), ('x'), ('k')) v(k), "
                    "LATERAL (SELECT count(*) AS n FROM f.sparse_pages s WHERE s.pk = v.k) x", [("9",), ("0",), ("9",)])

    def bad_item(self):
        """One item of a batch is a mismatch: an error where it is needed, and nothing of it where it is not."""
        join = "SELECT v.k, b.n FROM unnest('{{{}}}'::text[]) v(k) JOIN f.bad b ON b.pk = v.k"
        good = [("a", "1"), ("b", "2"), ("d", "4"), ("a", "1")]
        self.expect("a batch without the bad item", join.format("a,b,d,a"), good)
        self.expect_error("a batch with a bad item", join.format("a,b,c,d,a"), "HV004")
        self.expect("a batch after a bad one", join.format("a,b,d,a"), good)
        self.expect("a bad item of which only the key is needed", join.format("a,c").replace("b.n", "b.pk"),
                    [("a", "a"), ("c", "c")])
        self.expect_error("a bad item far behind good ones", join.format(",".join("abd" * 100 + "c")), "HV004")

    def mismatch_as_null(self):
        """A value that counts as NULL is not equal to itself."""
        self.expect("a value too long for its column", "SELECT pk, v FROM f.long", [("a", None)])
        for condition in ("v = 'abcdefgh'", "v IN ('abcdefgh', 'x')", "v::text = 'abcdefgh'"):
            self.expect("a value too long, compared", f"SELECT pk FROM f.long WHERE {condition}", [])
            self.expect("a value too long, counted", f"SELECT count(*) FROM f.long WHERE {condition}", [("0",)])

    def mismatches_in_order(self):
        """Numbers that are not integers count as NULL, wherever they are in DynamoDB."""
        for order, found in (("sk", "{1,2,3,NULL,NULL}"), ("sk DESC", "{NULL,NULL,3,2,1}"), ("sk LIMIT 4", "{1,2,3,NULL}")):
            self.expect("misfits in order", f"SELECT array_agg(sk) FROM (SELECT sk FROM f.misfits WHERE pk = 'k' ORDER BY {order}) x", [(found,)])

    def equal_nulls(self):
        """DynamoDB takes two of its NULLs for equal."""
        self.fake.on("Query", lambda request: reply({"Count": 1, "ScannedCount": 1, **(
            {} if request.body.get("Select") == "COUNT" else {"Items": [{"pk": {"S": "k"}, "a": {"NULL": True}, "b": {"NULL": True}}]})}))
        self.expect("NULLs of DynamoDB", "SELECT count(*) FROM f.nulls WHERE pk = 'k' AND a = b", [("0",)])
        self.fake.on("Query", None)

    def earlier_responses(self):
        """A connection sends once more what it sent before; a response to another statement's request is none to this one's."""
        def respond(request):
            self.fake.on("Query", None)
            return after_earlier(tables.read_page(self.fake.tables["sparse_pages"], request.body, True), back)
        for back in (1, 2, 4):
            for least in (8, 5, 6, 7, 8):
                self.expect("answers before", f"SELECT count(*) FROM f.sparse_pages WHERE pk = 'k' AND sk >= {least}", [(str(9 - least),)])
            self.fake.on("Query", respond)
            self.expect("an earlier answer", "SELECT count(*) FROM f.sparse_pages WHERE pk = 'k'", [("9",)])

    def filters_of_outer_rows(self):
        """Rows with the same key want different items of it."""
        outer = "(SELECT DISTINCT pk FROM l.ii) a CROSS JOIN (VALUES (0), (90), (180), (9999), (90)) v(n)"
        self.same("filters of outer rows", f"SELECT a.pk, v.n, b.sk FROM {outer} JOIN {{0}} b ON b.pk = a.pk AND b.un > v.n")
        self.same("filters of outer rows, counted", f"SELECT a.pk, v.n, c.n FROM {outer}, "
                  "LATERAL (SELECT count(*) AS n FROM {0} b WHERE b.pk = a.pk AND b.un > v.n) c")
        self.same("counts of lists of keys", "SELECT v.a, c.n FROM (SELECT array_agg(DISTINCT pk) FROM l.ii UNION ALL "
                  "SELECT array_agg(DISTINCT pk) FROM l.ii GROUP BY gh) v(a), LATERAL (SELECT count(*) AS n FROM {0} b WHERE b.pk = ANY (v.a)) c")
        for negation in ("", "NOT "):
            self.same("conditions that the join checks", f"SELECT a.pk, v.n FROM {outer} WHERE {negation}EXISTS "
                      "(SELECT FROM {0} b WHERE b.pk = a.pk AND b.un + 0 > v.n)")

    def rows_left_unread(self):
        """Each execution reads its own outer rows, not those that the one before left unread at its LIMIT."""
        for limit in (3, 40, 80):
            self.same("rows left unread", "SELECT o.x, s.x FROM (VALUES (1), (2), (3)) o(x), LATERAL (SELECT a.x FROM "
                      f"(SELECT o.x, pk FROM l.ii OFFSET 0) a JOIN {{0}} b ON b.pk = a.pk LIMIT {limit}) s")

    def values_never_needed(self):
        """The subquery would fail, but the rows that it is for are not looked for."""
        self.expect("values never needed", "SELECT count(b.sk) FROM f.ii a LEFT JOIN f.ii b "
                    "ON b.pk = (SELECT 1 / count(*) FROM l.ii WHERE pk IS NULL) WHERE a.pk = 123456", [("0",)])

    def branches_passed_over(self):
        """A LIMIT spares the second branch for some rows; each execution has its own row's response all the same."""
        self.same("branches passed over", "SELECT d.pk, a.pk, u.n FROM (SELECT DISTINCT pk FROM l.ii) d "
                  "CROSS JOIN LATERAL (VALUES (d.pk), (NULL)) a(pk) LEFT JOIN LATERAL (SELECT 0 AS n FROM {0} b "
                  "WHERE b.pk = a.pk AND b.pk % 2 = 0 UNION ALL (SELECT sk::bigint + 1 FROM {0} c WHERE c.pk = a.pk ORDER BY sk LIMIT 1) LIMIT 1) u ON true")

    def left_in_the_middle(self):
        """A semijoin leaves the join inside it where it found a row, and begins it again."""
        self.same("left in the middle", "SELECT v.n FROM (SELECT sk FROM l.ii ORDER BY sk DESC OFFSET 0) v(n) WHERE EXISTS "
                  "(SELECT FROM l.ii a JOIN {0} b ON b.pk = a.pk AND b.sk = a.sk WHERE a.sk::bigint - v.n BETWEEN 0 AND 0)")

    def equal_keys(self):
        """Keys of different bytes are equal under their collation: a row has more than one partner, so that no join can be left out."""
        self.same("equal keys", "SELECT v.pk, v.sk FROM (SELECT DISTINCT upper(pk) COLLATE nd, upper(sk) COLLATE nd FROM l.nd) v(pk, sk) "
                  "LEFT JOIN {0} b ON b.pk = v.pk AND b.sk = v.sk", "nd")
