"""What DynamoDB Local never does, answered by the fake server: an index that lags behind its table, empty pages."""
import tables
from replies import reply


def item(pk, status, total):
    """An item as DynamoDB stores it."""
    return {"pk": {"S": pk}, "status": {"S": status}, "total": {"N": str(total)}}


class Directed:
    """Statements with the rows that they must give, over a FakeDynamo."""

    def __init__(self, fx, runner):
        self.fx, self.runner = fx, runner
        self.fake = fx.fake("fake")
        self.passed = self.failed = 0

    def close(self):
        """Stop the server."""
        self.fake.stop()

    def expect(self, name, sql, rows):
        """One statement."""
        found = self.runner.outcome(sql)
        if found.error or sorted(found.rows) != sorted(rows):
            print(f"DIFFERENCE in {name}:\n{sql}\nforeign: {found} {found.rows}\nwanted:  {rows}")
            self.failed += 1
        else:
            self.passed += 1

    def run(self):
        """All of them."""
        self.runner.set({})
        self.stale_index()
        self.empty_pages()
        return self.passed, self.failed

    def stale_index(self):
        """The index still shows what the table no longer holds; one key appears in it twice."""
        items = [item("a", "open", 1), item("b", "paid", 2), item("d", "open", 99)]
        self.fake.table("lagging", ("pk", "S"), None, [tables.index("by_status", ("status", "S"), None, "KEYS_ONLY")], items,
                        item_count=1000000, size_bytes=10 ** 9)
        self.runner.execute('CREATE FOREIGN TABLE f.lagging (pk text COLLATE "C" NOT NULL, status text NOT NULL, '
                            "total numeric) SERVER fake")
        keys = [{"pk": {"S": pk}, "status": {"S": "open"}} for pk in "abcda"]
        self.fake.on("Query", lambda request: reply({"Items": keys, "Count": 5, "ScannedCount": 5}))
        for condition, rows in (("status = 'open'", [("a", "1"), ("d", "99")]),
                                ("status = 'open' AND total < 50", [("a", "1")]),
                                ("status IN ('open', 'void')", [("a", "1"), ("d", "99")])):
            self.expect("an index that lags behind", f"SELECT pk, total FROM f.lagging WHERE {condition}", rows)
        self.fake.on("Query", None)

    def empty_pages(self):
        """Pages without items stand before, between and behind those with items."""
        items = [{"pk": {"S": "k"}, "sk": {"N": str(n)}} for n in range(9)]
        self.fake.table("sparse_pages", ("pk", "S"), ("sk", "N"), [], items, page_size=2, empty_before=(0, 2, 4, 6, 8))
        self.runner.execute('CREATE FOREIGN TABLE f.sparse_pages (pk text COLLATE "C" NOT NULL, sk int4 NOT NULL) '
                            "SERVER fake")
        rows = [(str(n),) for n in range(9)]
        self.expect("empty pages of a Scan", "SELECT sk FROM f.sparse_pages", rows)
        self.expect("empty pages of a Query", "SELECT sk FROM f.sparse_pages WHERE pk = 'k' ORDER BY sk", rows)
