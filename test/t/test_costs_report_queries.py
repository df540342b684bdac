"""The queries of reports over several designs: right rows, and hardly more requests than an ideal plan would send.

TEMPLATE_GRID=1 in the environment prints the requests and read units of each query next to the ideal ones.
"""
import collections
import datetime
import os
import sys

import designs
from dynamo import index

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import test_design_entities  # noqa: E402  (the path above is needed first)
import test_design_many_to_many    # noqa: E402
import test_design_keys     # noqa: E402

FILLER = "x" * 3000
LIMIT = 2       # times the ideal requests
NOW = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
PLACES = ["DE", "FR", "NO", "SE", "UK", "US"]
CUSTOMERS = [(f"c{n}", f"Customer {n}", PLACES[n % 6]) for n in range(36)]
ORDERS = [(f"c{n % 40}", datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(hours=11 * n), f"o{n}", "SHIPPED", n) for n in range(400)] + \
    [(f"c{n}", NOW - datetime.timedelta(minutes=10 * n), f"new{n}", "OPEN", n) for n in range(1, 12, 2)]
MANAGERS = [(f"c{n}", ["kim", "lou"][n % 3 > 0]) for n in range(12)]
LINKS = [(f"co{n % 7}", f"u{n % 23}@x") for n in range(60)]
FILMS = [(year, f"Film {n}", [["Drama"], ["Drama", "Crime"], None][n % 3], n % 10, [f"Actor {(n + year) % 9}", "Tom Hanks"][:n % 4]) for year in range(1985, 2005) for n in range(12)]
GAME, ME = test_design_many_to_many.GAME, test_design_many_to_many.ME

QUERIES = [
    ("Q1", 1, "SELECT c.name, count(u.email) FROM company c LEFT JOIN app_user u ON u.company = c.name GROUP BY c.name"),
    ("Q1b", 1, "WITH raw AS MATERIALIZED (SELECT pk, sk FROM app_raw WHERE pk LIKE 'company#%') SELECT substr(pk, 9), count(*) FILTER (WHERE sk LIKE 'user#%') FROM raw GROUP BY 1"),
    ("Q2", 3, "SELECT * FROM app_user WHERE company = ANY ('{acme,c3,c4}')"),
    ("Q3", 7, "SELECT c.name, o.ordered_at, o.total FROM customer c CROSS JOIN LATERAL (SELECT * FROM orders x WHERE x.customer_id = c.id"
     " ORDER BY x.ordered_at DESC LIMIT 3) o WHERE c.country = 'DE'"),
    ("Q4", 11, 'SELECT e.team, t.status, count(*), sum(t.points) FROM employee e JOIN task t USING (employee) WHERE e."officeName" = \'Tampa Branch\' GROUP BY 1, 2'),
    ("Q5", 2, f"SELECT p.name, p.email, gp.place FROM game_player gp JOIN player p USING (username) WHERE gp.game_id = '{GAME}'"),
    ("Q6", 4, f"SELECT o.username, count(*) FROM game_player me JOIN game_player o USING (game_id) WHERE me.username = '{ME}' AND o.username <> me.username GROUP BY 1"
     " ORDER BY 2 DESC, 1 LIMIT 10"),
    ("Q7", 1, "SELECT sum(total) FROM orders WHERE customer_id = 'c1' AND ordered_at >= '2024-01-01' AND ordered_at < '2024-04-01'"),
    ("Q8", 15, "SELECT status, count(*) FROM payment WHERE due >= '2019-09-23' AND due < '2019-09-30' GROUP BY status"),
    ("Q9", 3, "SELECT DISTINCT o.customer_id FROM orders o LEFT JOIN customer c ON c.id = o.customer_id WHERE c.id IS NULL"),
    ("Q10", 1, "SELECT p.username FROM player p WHERE NOT EXISTS (SELECT 1 FROM game_player g WHERE g.username = p.username)"),
    ("Q11", 1, "SELECT product_id, date_trunc('month', ordered_at), sum(price * quantity) FROM order_item GROUP BY 1, 2"),
    ("Q12", 1, "SELECT o.customer_id, o.order_date, l.product_id, l.quantity, l.unit_price FROM nw_order o JOIN nw_line l USING (order_id) WHERE o.order_id = '10250'"),
    ("Q13", 7, "SELECT t.subject, r.posted_by, r.posted_at FROM thread t LEFT JOIN LATERAL (SELECT * FROM reply r WHERE r.forum = t.forum AND r.subject = t.subject"
     " ORDER BY r.posted_at DESC LIMIT 1) r ON true WHERE t.forum = 'Amazon DynamoDB'"),
    ("Q14", 2, "WITH RECURSIVE sub AS (SELECT employee, 0 AS depth FROM employee WHERE manager IS NULL UNION ALL SELECT e.employee, s.depth + 1 FROM sub s"
     " JOIN employee e ON e.manager = s.employee WHERE e.employee <> s.employee) SELECT depth, count(*) FROM sub GROUP BY depth"),
    ("Q15", 1, "SELECT count(*) FROM reply WHERE forum = 'Amazon DynamoDB' AND subject = 'DynamoDB Thread 3'"),
    ("Q16", 1, "SELECT g, count(*), round(avg(m.rating), 2) FROM movie m CROSS JOIN LATERAL unnest(m.genres) g GROUP BY g ORDER BY 2 DESC"),
    ("Q17", 10, "SELECT year, title FROM movie_actor WHERE actor = 'Tom Hanks' AND year BETWEEN 1990 AND 1999"),
    ("Q18", 2, "SELECT e.id FROM equipment e JOIN equipment_version v ON v.id = e.id AND v.version = e.latest - 1 WHERE v.state IS DISTINCT FROM e.state"),
    ("Q19", 1, "SELECT customer_id, count(*) FROM session GROUP BY customer_id"),
    ("Q20", 4, "SELECT a.customer_id, sum(o.total) FROM account_manager a JOIN orders o USING (customer_id) WHERE a.manager = 'kim' AND o.ordered_at >= now() - interval '30 days' GROUP BY 1"),
    ("Q21", 1, "(SELECT company, email, 'only company side' AS problem FROM (SELECT company, email FROM company_user EXCEPT SELECT company, email FROM user_company) x) UNION ALL"
     " (SELECT company, email, 'only user side' FROM (SELECT company, email FROM user_company EXCEPT SELECT company, email FROM company_user) y)"),
    ("Q22", 1, "SELECT * FROM orders WHERE customer_id = 'c1' AND ordered_at < '2024-03-01' ORDER BY ordered_at DESC LIMIT 20"),
    ("Q23", 2, "SELECT DISTINCT customer_id FROM orders"),
    ("Q24", 2, "SELECT min(ordered_at), max(ordered_at) FROM orders WHERE customer_id = 'c1'"),
    ("Q25", 2, "SELECT * FROM customer WHERE id IN (SELECT customer_id FROM orders WHERE status = 'OPEN' AND ordered_at >= now() - interval '1 day')"),
]


# Kinds of the ideal requests.  Where these are sent, they cost what an expert would pay; what the others would is measured.
KINDS = {"Q2": {"Query": 3}, "Q3": {"Query": 7}, "Q4": {"Query": 11}, "Q5": {"Query": 1, "BatchGetItem": 1}, "Q6": {"Query": 4}, "Q7": {"Query": 1},
         "Q8": {"Query": 15}, "Q9": {"Scan": 3}, "Q12": {"Query": 1}, "Q13": {"Query": 7}, "Q14": {"Scan": 2}, "Q15": {"Query": 1}, "Q17": {"Query": 10},
         "Q18": {"Scan": 1, "BatchGetItem": 1}, "Q20": {"Query": 4}, "Q22": {"Query": 1}, "Q23": {"Scan": 2}, "Q24": {"Query": 2},
         "Q25": {"Query": 1, "BatchGetItem": 1}}
MEAN_UNITS = 1.25


def of_partition(table, name, value, **more):
    """A Query, in one request or a page of it."""
    return "Query", {"TableName": table, "KeyConditionExpression": "#k = :v", "ExpressionAttributeNames": {"#k": name},
                     "ExpressionAttributeValues": {":v": value}, **more}


# Ideal requests of queries that may be served by others.
IDEAL = {"Q12": lambda remote: [of_partition(remote("northwind"), "pk", {"S": "orderID#10250"})],
         "Q17": lambda remote: [of_partition(remote("Movies"), "year", {"N": str(year)}) for year in range(1990, 2000)],
         "Q24": lambda remote: [of_partition(remote("orders"), "customer_id", {"S": "c1"}, Limit=1, ScanIndexForward=forward) for forward in (True, False)]}


class Reports(designs.TestCase):
    """All designs in one database."""

    @classmethod
    def make(cls):
        for design in (test_design_entities.Collections, test_design_entities.Forum, test_design_keys.Electro, test_design_keys.Shop, test_design_keys.Bank,
                       test_design_keys.Times, test_design_keys.Northwind, test_design_many_to_many.Games):
            design.make.__func__(cls)
        cls.shops()
        cls.others()
        for name in cls.made:
            cls.fx.execute(f"ANALYZE public.{name}; ANALYZE mirror.{name}")

    @classmethod
    def shops(cls):
        """Customers and their orders."""
        at = lambda when: when.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        cls.fx.create_table("customers", ("id", "S"), None, [index("by_country", ("country", "S"))])
        cls.fx.create_table("orders", ("customer_id", "S"), ("ordered_at", "S"), [index("by_status", ("status", "S"), ("ordered_at", "S"))])
        cls.fx.put("customers", [{"id": n, "name": name, "country": country, "filler": FILLER * 5} for n, name, country in CUSTOMERS])
        cls.fx.put("orders", [{"customer_id": c, "ordered_at": at(when), "id": n, "status": status, "total": total, "filler": FILLER} for c, when, n, status, total in ORDERS])
        cls.relations({
            "customer": ("customers", "id text NOT NULL, name text, country text", {}, CUSTOMERS),
            "orders": ("orders", "customer_id text NOT NULL, ordered_at timestamptz OPTIONS (format 'iso8601(3)') NOT NULL, id text NOT NULL, status text NOT NULL, total numeric", {}, ORDERS)})
        rows = ", ".join(f"('{c}', '{manager}')" for c, manager in MANAGERS)
        cls.fx.execute(f"CREATE TABLE account_manager (customer_id text PRIMARY KEY, manager text NOT NULL); INSERT INTO account_manager VALUES {rows}; ANALYZE account_manager")

    @classmethod
    def others(cls):
        """Links in both directions, films, and a table with its keys as they are."""
        cls.fx.create_table("network", ("pk", "S"), ("sk", "S"))
        cls.fx.put("network", [{"pk": a, "sk": b} for c, u in LINKS for a, b in ((f"company#{c}", f"user#{u}"), (f"user#{u}", f"company#{c}")) if (c, a[0]) != ("co3", "u")])
        cls.fx.create_table("Movies", ("year", "N"), ("title", "S"))
        cls.fx.put("Movies", [{"year": year, "title": title, "info": {"rating": rating, "plot": FILLER, "actors": actors, **({"genres": genres} if genres else {})}}
                              for year, title, genres, rating, actors in FILMS])
        link = "company text NOT NULL, email text NOT NULL"
        cls.relations({
            "company_user": ("network", link, {"key_templates": {"pk": "company#${company}", "sk": "user#${email}"}}, LINKS),
            "user_company": ("network", link, {"key_templates": {"pk": "user#${email}", "sk": "company#${company}"}}, [one for one in LINKS if one[0] != "co3"]),
            "movie": ("Movies", "year int NOT NULL, title text NOT NULL, rating numeric OPTIONS (path 'info.rating'), genres text[] OPTIONS (path 'info.genres')", {},
                      [(year, title, rating, genres) for year, title, genres, rating, _ in FILMS]),
            "movie_actor": ("Movies", "year int NOT NULL, title text NOT NULL, pos int OPTIONS (path '@index'), actor text OPTIONS (path '@')", {"unnest": "info.actors"},
                            [(year, title, n, actor) for year, title, _, _, actors in FILMS for n, actor in enumerate(actors)]),
            "app_raw": ("app", "pk text COLLATE \"C\" NOT NULL, sk text COLLATE \"C\" NOT NULL", {},
                        [(f"company#{name}", "company#") for name, _ in test_design_entities.COMPANIES] +
                        [(f"company#{name}", f"user#{email}") for name, email, _ in test_design_entities.STAFF] + [("#MIGRATIONS", "0001"), ("#DUMMY", "#DUMMY")])})

    def test_rows(self):
        self.assertTwins()

    def units(self, sql):
        """Read units of a statement."""
        def walk(node):
            return node.get("Read Units", 0) + sum(map(walk, node.get("Plans", [])))
        return walk(self.fx.value(f"EXPLAIN (ANALYZE, FORMAT json) {sql}")[0]["Plan"])

    def ideal_units(self, name, kinds, sent):
        """Those of the ideal requests."""
        if kinds == KINDS.get(name, {"Scan": 1}):
            return sent
        return sum(self.fx.dynamo.call(operation, {**body, "ReturnConsumedCapacity": "TOTAL"})["ConsumedCapacity"]["CapacityUnits"]
                   for operation, body in IDEAL[name](self.fx.remote))

    def test_reports(self):
        """Each query's rows, the number of its requests and their read units."""
        lines, dear, ratios = [], {}, []
        for name, ideal, sql in QUERIES:
            with self.subTest(name):
                requests, rows = self.fx.requests_and_rows(sql)
                sent, units = len(requests), self.units(sql)
                paid = self.ideal_units(name, collections.Counter(r.operation for r in requests), units)
                rows, right = (designs.request_text.plain(found) for found in (rows, self.mirrored(sql)))
                if "order by" not in sql.lower().rsplit(")", 1)[-1]:
                    rows, right = sorted(rows, key=repr), sorted(right, key=repr)
                self.assertEqual(rows, right)
                ratios.append(units / paid)
                lines.append(f"  {name:4} {ideal:5} {sent:5} {sent / ideal:5.1f} {paid:7.1f} {units:7.1f} {units / paid:5.1f}  {len(rows)} rows")
                # an order and its lines are one partition
                if sent > (1 if name == "Q12" else LIMIT) * ideal:
                    dear[name] = (sent, self.texts(sql)[:8])
        if os.environ.get("TEMPLATE_GRID"):
            print("\n  query ideal sent ratio, ideal units, used, ratio\n" + "\n".join(lines) + f"\n  mean of the last {sum(ratios) / len(ratios):.2f}", flush=True)
        self.assertEqual(dear, {})
        self.assertLessEqual(sum(ratios) / len(ratios), MEAN_UNITS)
