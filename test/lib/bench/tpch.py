#!/usr/bin/python3
"""Reports over eight tables of a wholesale trade, in the shapes of TPC-H's queries: requests, read units and their price.

usage: tpch.py [SCALE] [--seed=N] [--seconds=N] [--queries=N,N] [--plans=N,N] [--library=PATH]...

--seed=7        of the data, which are generated here
--seconds=300   the most that a query may take; none of its figures are known if it takes longer
--queries=      these only
--plans=        print the plans of these
--library=      another build to compare with the installed one, without .so

SCALE is 0.002 if not given. Each query runs on DynamoDB Local, before and after ANALYZE, and on local copies, whose rows must be
equal. The price is that of the planner's manual: milliseconds of round trips and transfer, and 0.2 ms for each read unit. A query
is WORSE whose price is more than a tenth above that of the first build.
"""
import argparse
import datetime
import json
import os
import random
import sys
from collections import Counter
from decimal import Decimal

LIB = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [LIB, os.path.join(LIB, "..", "server")]

import fixture                              # noqa: E402  (the path above is needed first)
from dynamo import index                    # noqa: E402
from run_tests import stack_environment     # noqa: E402

NATIONS, REGIONS, SEGMENTS = 25, 5, ["AUTO", "BUILDING", "FURNITURE", "HOUSEHOLD", "TOOLS"]
MODES, COLORS = ["AIR", "MAIL", "RAIL", "SHIP", "TRUCK"], ["green", "red", "forest", "blue", "white"]
KEY = 'int NOT NULL'
TABLES = {
    "region": (("r_regionkey",), f"r_regionkey {KEY}, r_name text"),
    "nation": (("n_nationkey",), f"n_nationkey {KEY}, n_name text, n_regionkey int"),
    "supplier": (("s_suppkey",), f"s_suppkey {KEY}, s_name text, s_nationkey int, s_acctbal numeric, s_comment text"),
    "customer": (("c_custkey",), f"c_custkey {KEY}, c_name text, c_nationkey int, c_acctbal numeric, c_mktsegment text, c_phone text"),
    "part": (("p_partkey",), f"p_partkey {KEY}, p_name text, p_brand text, p_type text, p_size int, p_container text"),
    "partsupp": (("ps_partkey", "ps_suppkey"), f"ps_partkey {KEY}, ps_suppkey {KEY}, ps_availqty int, ps_supplycost numeric"),
    "orders": (("o_orderkey",), f"o_orderkey {KEY}, o_custkey {KEY}, o_orderstatus text, o_totalprice numeric, o_orderdate date,"
               " o_orderpriority text, o_comment text"),
    "lineitem": (("l_orderkey", "l_linenumber"), f"l_orderkey {KEY}, l_linenumber {KEY}, l_partkey {KEY}, l_suppkey int, l_quantity numeric,"
                 " l_extendedprice numeric, l_discount numeric, l_tax numeric, l_returnflag text, l_linestatus text, l_shipdate date,"
                 " l_commitdate date, l_receiptdate date, l_shipmode text, l_shipinstruct text")}
INSTALLED = "$libdir/dynamo_fdw"
INDEXES = {"orders": ["o_custkey"], "lineitem": ["l_partkey"]}


def generate(scale, seed):
    """The items of each table."""
    rng = random.Random(seed)
    suppliers, customers, parts = max(10, int(10_000 * scale)), int(150_000 * scale), int(200_000 * scale)

    def money(most):
        return Decimal(rng.randrange(100, most * 100)) / 100

    def day(first, more):
        return (first + datetime.timedelta(rng.randrange(more))).isoformat()
    rows = {name: [] for name in TABLES}
    rows["region"] = [{"r_regionkey": r, "r_name": f"REGION {r}"} for r in range(REGIONS)]
    rows["nation"] = [{"n_nationkey": n, "n_name": f"NATION {n}", "n_regionkey": n % REGIONS} for n in range(NATIONS)]
    rows["supplier"] = [{"s_suppkey": s, "s_name": f"Supplier {s}", "s_nationkey": s % NATIONS, "s_acctbal": money(9000),
                         "s_comment": "complaints" if s % 19 == 0 else "x" * rng.randrange(25, 90)} for s in range(1, suppliers + 1)]
    rows["customer"] = [{"c_custkey": c, "c_name": f"Customer {c}", "c_nationkey": rng.randrange(NATIONS), "c_acctbal": money(9000),
                         "c_mktsegment": rng.choice(SEGMENTS), "c_phone": f"{rng.randrange(10, 35)}-{rng.randrange(10**7)}"}
                        for c in range(1, customers + 1)]
    for p in range(1, parts + 1):
        rows["part"].append({"p_partkey": p, "p_name": " ".join(rng.sample(COLORS, 3)), "p_brand": f"B{rng.randrange(25)}",
                             "p_type": f"T{rng.randrange(30)}", "p_size": rng.randrange(1, 51), "p_container": f"C{rng.randrange(40)}"})
        for s in rng.sample(range(1, suppliers + 1), 4):
            rows["partsupp"].append({"ps_partkey": p, "ps_suppkey": s, "ps_availqty": rng.randrange(1, 10_000), "ps_supplycost": money(1000)})
    for o in range(1, customers * 10 + 1):
        ordered = datetime.date(1992, 1, 1) + datetime.timedelta(rng.randrange(2400))
        rows["orders"].append({"o_orderkey": o, "o_custkey": rng.randrange(1, customers + 1) // 3 * 3 + 1, "o_orderstatus": rng.choice("FOP"),
                               "o_totalprice": money(300_000), "o_orderdate": ordered.isoformat(), "o_orderpriority": f"{rng.randrange(1, 6)}-P",
                               "o_comment": rng.choice(["special requests", "x" * rng.randrange(20, 70)])})
        for n in range(1, rng.randrange(1, 8) + 1):
            supply = rows["partsupp"][rng.randrange(len(rows["partsupp"]))]
            rows["lineitem"].append({
                "l_orderkey": o, "l_linenumber": n, "l_partkey": supply["ps_partkey"], "l_suppkey": supply["ps_suppkey"],
                "l_quantity": rng.randrange(1, 51), "l_extendedprice": money(90_000), "l_discount": Decimal(rng.randrange(11)) / 100,
                "l_tax": Decimal(rng.randrange(9)) / 100, "l_returnflag": rng.choice("ANR"), "l_linestatus": rng.choice("FO"),
                "l_shipdate": day(ordered, 120), "l_commitdate": day(ordered, 90), "l_receiptdate": day(ordered, 150),
                "l_shipmode": rng.choice(MODES), "l_shipinstruct": rng.choice(["COD", "IN PERSON", "NONE"])})
    return rows


VOLUME = "l_extendedprice * (1 - l_discount)"
QUERIES = {
    1: f"SELECT l_returnflag, l_linestatus, sum(l_quantity), sum({VOLUME}), count(*) FROM lineitem WHERE l_shipdate <= '1998-09-02'"
       " GROUP BY 1, 2",
    2: "SELECT s_acctbal, s_name, n_name, p_partkey FROM part, supplier, partsupp, nation, region WHERE p_partkey = ps_partkey"
       " AND s_suppkey = ps_suppkey AND p_size = 15 AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'REGION 3'"
       " AND ps_supplycost = (SELECT min(ps_supplycost) FROM partsupp, supplier, nation, region WHERE p_partkey = ps_partkey"
       " AND s_suppkey = ps_suppkey AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'REGION 3')",
    3: f"SELECT l_orderkey, sum({VOLUME}) FROM customer, orders, lineitem WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey"
       " AND l_orderkey = o_orderkey AND o_orderdate < '1995-03-15' AND l_shipdate > '1995-03-15' GROUP BY 1",
    4: "SELECT o_orderpriority, count(*) FROM orders WHERE o_orderdate >= '1993-07-01' AND o_orderdate < '1993-10-01' AND EXISTS"
       " (SELECT FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate) GROUP BY 1",
    5: f"SELECT n_name, sum({VOLUME}) FROM customer, orders, lineitem, supplier, nation, region WHERE c_custkey = o_custkey"
       " AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey AND c_nationkey = s_nationkey AND s_nationkey = n_nationkey"
       " AND n_regionkey = r_regionkey AND r_name = 'REGION 2' AND o_orderdate >= '1994-01-01' AND o_orderdate < '1995-01-01' GROUP BY 1",
    6: "SELECT sum(l_extendedprice * l_discount) FROM lineitem WHERE l_shipdate >= '1994-01-01' AND l_shipdate < '1995-01-01'"
       " AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24",
    7: f"SELECT a.n_name, b.n_name, sum({VOLUME}) FROM supplier, lineitem, orders, customer, nation a, nation b WHERE s_suppkey = l_suppkey"
       " AND o_orderkey = l_orderkey AND c_custkey = o_custkey AND s_nationkey = a.n_nationkey AND c_nationkey = b.n_nationkey"
       " AND (a.n_name, b.n_name) IN (('NATION 6', 'NATION 7'), ('NATION 7', 'NATION 6')) GROUP BY 1, 2",
    8: f"SELECT extract(year FROM o_orderdate), sum({VOLUME}) FROM part, supplier, lineitem, orders, customer, nation, region"
       " WHERE p_partkey = l_partkey AND s_suppkey = l_suppkey AND l_orderkey = o_orderkey AND o_custkey = c_custkey"
       " AND c_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'REGION 1' AND p_type = 'T5' GROUP BY 1",
    9: f"SELECT n_name, sum({VOLUME} - ps_supplycost * l_quantity) FROM part, supplier, lineitem, partsupp, orders, nation"
       " WHERE s_suppkey = l_suppkey AND ps_suppkey = l_suppkey AND ps_partkey = l_partkey AND p_partkey = l_partkey"
       " AND o_orderkey = l_orderkey AND s_nationkey = n_nationkey AND p_name LIKE '%green%' GROUP BY 1",
    10: f"SELECT c_custkey, n_name, sum({VOLUME}) FROM customer, orders, lineitem, nation WHERE c_custkey = o_custkey"
        " AND l_orderkey = o_orderkey AND o_orderdate >= '1993-10-01' AND o_orderdate < '1994-01-01' AND l_returnflag = 'R'"
        " AND c_nationkey = n_nationkey GROUP BY 1, 2",
    11: "SELECT ps_partkey, sum(ps_supplycost * ps_availqty) FROM partsupp, supplier, nation WHERE ps_suppkey = s_suppkey"
        " AND s_nationkey = n_nationkey AND n_name = 'NATION 7' GROUP BY 1 HAVING sum(ps_supplycost * ps_availqty) >"
        " (SELECT sum(ps_supplycost * ps_availqty) * 0.001 FROM partsupp, supplier, nation WHERE ps_suppkey = s_suppkey"
        " AND s_nationkey = n_nationkey AND n_name = 'NATION 7')",
    12: "SELECT l_shipmode, count(*) FROM orders, lineitem WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP')"
        " AND l_commitdate < l_receiptdate AND l_receiptdate >= '1994-01-01' AND l_receiptdate < '1995-01-01' GROUP BY 1",
    13: "SELECT n, count(*) FROM (SELECT c_custkey, count(o_orderkey) AS n FROM customer LEFT JOIN orders ON c_custkey = o_custkey"
        " AND o_comment NOT LIKE '%special%' GROUP BY 1) c GROUP BY 1",
    14: f"SELECT sum(CASE WHEN p_type = 'T7' THEN {VOLUME} END) / sum({VOLUME}) FROM lineitem, part WHERE l_partkey = p_partkey"
        " AND l_shipdate >= '1995-09-01' AND l_shipdate < '1995-10-01'",
    15: f"WITH r AS (SELECT l_suppkey, sum({VOLUME}) AS total FROM lineitem WHERE l_shipdate >= '1996-01-01' AND l_shipdate < '1996-04-01'"
        " GROUP BY 1) SELECT s_suppkey, s_name, total FROM supplier, r WHERE s_suppkey = l_suppkey AND total = (SELECT max(total) FROM r)",
    16: "SELECT p_brand, p_type, count(DISTINCT ps_suppkey) FROM partsupp, part WHERE p_partkey = ps_partkey AND p_brand <> 'B5'"
        " AND p_size IN (3, 9, 14, 19, 23, 36, 45, 49) AND ps_suppkey NOT IN (SELECT s_suppkey FROM supplier WHERE s_comment LIKE '%complaints%')"
        " GROUP BY 1, 2",
    17: "SELECT sum(l_extendedprice) / 7.0 FROM lineitem, part WHERE p_partkey = l_partkey AND p_brand = 'B3' AND p_container IN ('C1', 'C2', 'C3')"
        " AND l_quantity < (SELECT 0.5 * avg(l_quantity) FROM lineitem WHERE l_partkey = p_partkey)",
    18: "SELECT c_name, o_orderkey, sum(l_quantity) FROM customer, orders, lineitem WHERE o_orderkey IN (SELECT l_orderkey FROM lineitem"
        " GROUP BY 1 HAVING sum(l_quantity) > 250) AND c_custkey = o_custkey AND o_orderkey = l_orderkey GROUP BY 1, 2",
    19: f"SELECT sum({VOLUME}) FROM lineitem, part WHERE p_partkey = l_partkey AND l_shipmode = 'AIR' AND ((p_brand = 'B1'"
        " AND l_quantity BETWEEN 1 AND 11 AND p_size < 25) OR (p_brand = 'B2' AND l_quantity BETWEEN 10 AND 20 AND p_size < 40))",
    20: "SELECT s_name FROM supplier, nation WHERE s_suppkey IN (SELECT ps_suppkey FROM partsupp WHERE ps_partkey IN (SELECT p_partkey FROM part"
        " WHERE p_name LIKE 'forest%') AND ps_availqty > (SELECT 0.5 * sum(l_quantity) FROM lineitem WHERE l_partkey = ps_partkey"
        " AND l_suppkey = ps_suppkey AND l_shipdate >= '1994-01-01' AND l_shipdate < '1995-01-01')) AND s_nationkey = n_nationkey"
        " AND n_name = 'NATION 3'",
    21: "SELECT s_name, count(*) FROM supplier, lineitem a, orders, nation WHERE s_suppkey = a.l_suppkey AND o_orderkey = a.l_orderkey"
        " AND o_orderstatus = 'F' AND a.l_receiptdate > a.l_commitdate AND EXISTS (SELECT FROM lineitem b WHERE b.l_orderkey = a.l_orderkey"
        " AND b.l_suppkey <> a.l_suppkey) AND NOT EXISTS (SELECT FROM lineitem c WHERE c.l_orderkey = a.l_orderkey"
        " AND c.l_suppkey <> a.l_suppkey AND c.l_receiptdate > c.l_commitdate) AND s_nationkey = n_nationkey AND n_name = 'NATION 4' GROUP BY 1",
    22: "SELECT left(c_phone, 2), count(*), sum(c_acctbal) FROM customer WHERE left(c_phone, 2) IN ('13', '31', '23', '29', '30', '18', '17')"
        " AND c_acctbal > (SELECT avg(c_acctbal) FROM customer WHERE c_acctbal > 0) AND NOT EXISTS (SELECT FROM orders"
        " WHERE o_custkey = c_custkey) GROUP BY 1"}


def load(fx, scale, seed):
    """The tables in DynamoDB, foreign tables over them, and local copies in the schema copy."""
    fx.server("direct", os.environ["DDB_ENDPOINT"], scan_policy="allow")
    fx.execute("CREATE SCHEMA copy")
    for name, rows in generate(scale, seed).items():
        keys, columns = TABLES[name]
        fx.create_table(name, (keys[0], "N"), (keys[1], "N") if keys[1:] else None,
                        [index(f"by_{column}", (column, "N")) for column in INDEXES.get(name, ())])
        fx.put(name, rows)
        fx.foreign_table(name, columns, server="direct", table_name=fx.remote(name))
        fx.execute(f"CREATE TABLE copy.{name} AS TABLE {name}; ALTER TABLE copy.{name} ADD PRIMARY KEY ({', '.join(keys)})")
        for column in INDEXES.get(name, ()):
            fx.execute(f"CREATE INDEX ON copy.{name} ({column})")
        fx.execute(f"ANALYZE copy.{name}")


def nodes(plan, ahead=False):
    """The foreign scans of a plan, each with whether rows are read ahead for it."""
    ahead = ahead or plan.get("Custom Plan Provider") == "DynamoLookupJoin"
    if "Requests" in plan:
        yield plan, ahead
    below = plan.get("Plans", ())
    ahead_of_inner = any(child.get("Custom Plan Provider") == "DynamoLookupJoin" for child in below)
    for child in below:
        yield from nodes(child, ahead or ahead_of_inner)


def measure(fx, sql):
    """(requests, units, price in ms, Scans of lineitem) of one statement."""
    [(document,)] = fx.rows(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}")
    document = json.loads(document) if isinstance(document, str) else document
    requests = units = ms = scans = 0
    for node, ahead in nodes(document[0]["Plan"]):
        if node["Requests"]:
            width = node["Requests"] if node["Actual Loops"] == 1 or ahead else 1
            if node["Remote Operation"] == "Scan":     # a segment has four pages
                width = width // 4
                scans += node["Remote Table"].endswith(".lineitem") * (1 if "Cached Items" in node else node["Actual Loops"])
            width = min(16, max(1, width))
            ms += -(-node["Requests"] // width) * 5 + node["Bytes"] / 2**20 * 20 / width
        requests, units = requests + node["Requests"], units + node["Read Units"]
    return requests, units, ms + 0.2 * units, scans


def rows_of(fx, sql):
    """Rows without order, numbers without trailing zeros."""
    return Counter(tuple(round(v, 6) if isinstance(v, Decimal) else v for v in row) for row in fx.rows(sql))


def connect(fx, library, seconds):
    """A session with this build; its functions are looked up once for each session."""
    fx.execute("UPDATE pg_proc SET probin = %s WHERE probin LIKE '%%dynamo_fdw%%'", (library,))
    fx.conn.close()
    fx.conn = fx.connect()
    fx.execute(f"SET jit = off; SET statement_timeout = '{seconds}s'")


def run(fx, library, queries, options):
    """The figures of each query with one build; the rows of the installed build are compared."""
    connect(fx, library, options.seconds)
    results = {}
    for number, sql in queries.items():
        try:
            if number in options.plans:
                print(f"Q{number} by {library}:\n" + fx.explain(sql, "ANALYZE, VERBOSE, TIMING OFF, SUMMARY OFF"))
            results[number] = measure(fx, sql)
            if library == INSTALLED:
                with_dynamo = rows_of(fx, sql)
                fx.execute("SET search_path = copy")
                if with_dynamo != rows_of(fx, sql):
                    results[number] = "wrong rows"
        except fixture.psycopg2.Error as failure:
            results[number] = str(failure).split("\n", maxsplit=1)[0]
        fx.execute("RESET search_path")
    return results


def line_of(results):
    """The figures of one query by each build."""
    columns = [f"{r[0]:7d} {r[1]:9.1f} {r[2]:9.1f}" if isinstance(r, tuple) else f"{r:27.27}" for r in results]
    known = all(isinstance(r, tuple) for r in results)
    note = "  WORSE" if known and results[-1][2] > 1.1 * results[0][2] else ""
    if known and any(r[3] > 1 for r in results):
        note += "  Scans of lineitem: " + ", ".join(str(r[3]) for r in results)
    return "  |".join(columns) + note


def report(results):
    """Print the figures of all queries, and sums over those that all builds could respond."""
    numbers = list(results[0])
    for number in numbers:
        print(f"Q{number:<3}" + line_of([result[number] for result in results]))
    known = [n for n in numbers if all(isinstance(result[n], tuple) for result in results)]
    print("sum " + line_of([tuple(sum(result[n][i] for n in known) for i in range(3)) + (0,) for result in results]), flush=True)


def numbers(text):
    """N,N as numbers."""
    return [int(n) for n in text.split(",") if n]


def options_of(arguments):
    """The command line."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("scale", nargs="?", type=float, default=0.002)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--queries", type=numbers, default=list(QUERIES))
    parser.add_argument("--plans", type=numbers, default=[])
    parser.add_argument("--library", action="append", default=[])
    return parser.parse_args(arguments)


def main(arguments):
    """Print the table before and after ANALYZE."""
    options = options_of(arguments)
    os.environ.update(stack_environment())
    queries = {number: QUERIES[number] for number in options.queries}
    libraries = options.library + [INSTALLED]
    fx = fixture.Fixture("tpch")
    try:
        fx.execute("SET statement_timeout = 0")
        load(fx, options.scale, options.seed)
        for analyzed in (False, True):
            if analyzed:
                connect(fx, INSTALLED, 0)
                fx.execute("ANALYZE " + ", ".join(TABLES))
            print(f"scale {options.scale}, seed {options.seed}{', analyzed' if analyzed else ''}: requests, units, price in ms of "
                  + ", ".join(libraries), flush=True)
            report([run(fx, library, queries, options) for library in libraries])
    finally:
        fx.close()


if __name__ == "__main__":
    main(sys.argv[1:])
