"""Designs whose keys hold more than the rows, or less: folded texts, overloaded indexes, shards, versions, times, several key attributes."""
import datetime
import re
import time
import uuid
from decimal import Decimal

import designs
from dynamo import index, item
from request_text import statements
from tables import index as scripted_index

FILLER = "x" * 2500
NOW = int(time.time())


def day(n, **more):
    """A time of 2020, n days on."""
    return datetime.datetime(2020, 5, 20) + datetime.timedelta(days=n, **more)


OFFICES = ["Tampa Branch", "Oslo", "Ålesund Branch"]
EMPLOYEES = [(str(uuid.UUID(int=0xE000 + n)), f"First{n}", f"Last{n}", OFFICES[min(n % 12, 2)], f"Team {'AB'[n % 2]}", "Jr. Engineer", str(90000 + 10000 * (n % 3)),
              str(uuid.UUID(int=0xE000 + n // 10)) if n else None, f"2019-0{n % 9 + 1}-01") for n in range(120)]
TASKS = [(str(uuid.UUID(int=0xA000 + n)), f"Project {'XYZ'[n % 3]}", EMPLOYEES[n % 118][0], ["open", "In-Progress", "closed"][n // 118], n % 7) for n in range(300)]
TAMPA = [employee for employee, _, _, office, *_ in EMPLOYEES if office == "Tampa Branch"]


def electro():
    """What ElectroDB writes: keys in lower case, attributes as they are."""
    low = str.lower
    for who, first, last, office, team, title, salary, manager, hired in EMPLOYEES:
        yield {"pk": f"$task-manager#employee_{low(who)}", "sk": "$employee_1", "gsi1pk": f"$task-manager#officename_{low(office)}",
               "gsi1sk": f"$workplaces#employee_1#team_{low(team)}#title_{low(title)}#employee_{low(who)}", "gsi5sk": f"$employee_1#team_{low(team)}#officename_{low(office)}",
               **({"gsi5pk": f"$task-manager#manager_{low(manager)}", "manager": manager} if manager else {}), "employee": who, "firstName": first, "lastName": last,
               "officeName": office, "team": team, "title": title, "salary": salary, "dateHired": hired, "__edb_e__": "employee", "__edb_v__": "1", "bio": FILLER}
    for name, project, who, status, points in TASKS:
        yield {"pk": f"$task-manager#taskname_{low(name)}", "sk": f"$task_1#project_{low(project)}#employee_{low(who)}",
               "gsi1pk": f"$task-manager#project_{low(project)}", "gsi1sk": f"$task_1#employee_{low(who)}#status_{low(status)}",
               "gsi3pk": f"$task-manager#employee_{low(who)}", "gsi3sk": f"$assignments#task_1#project_{low(project)}#status_{low(status)}",
               "gsi4pk": f"$task-manager#status_{low(status)}", "gsi4sk": f"$task_1#project_{low(project)}#employee_{low(who)}",
               "taskName": name, "project": project, "employee": who, "status": status, "points": points, "description": FILLER, "__edb_e__": "task", "__edb_v__": "1"}


EMPLOYEE = {"pk": "$task-manager#employee_${employee:lower}", "sk": "$employee_1", "gsi1pk": "$task-manager#officename_${officeName:lower}",
            "gsi1sk": "$workplaces#employee_1#team_${team:lower}#title_${title:lower}#employee_${employee:lower}",
            "gsi5pk": "$task-manager#manager_${manager:lower}", "gsi5sk": "$employee_1#team_${team:lower}#officename_${officeName:lower}"}
TASK = {"pk": "$task-manager#taskname_${taskName:lower}", "sk": "$task_1#project_${project:lower}#employee_${employee:lower}",
        "gsi1pk": "$task-manager#project_${project:lower}", "gsi1sk": "$task_1#employee_${employee:lower}#status_${status:lower}",
        "gsi3pk": "$task-manager#employee_${employee:lower}", "gsi3sk": "$assignments#task_1#project_${project:lower}#status_${status:lower}",
        "gsi4pk": "$task-manager#status_${status:lower}", "gsi4sk": "$task_1#project_${project:lower}#employee_${employee:lower}"}
WHOSE = "__edb_e__ = '{0}' AND __edb_v__ = '1'"
ROW = "begins_with(pk,'$task-manager#employee_') AND sk = '$employee_1'"
OF_TASK = "begins_with(pk,'$task-manager#taskname_') AND begins_with(sk,'$task_1#project_{}')"


def of_office(office):
    """The employees of an office, by its name in lower case."""
    return f"Query electro/gsi1pk-gsi1sk-index where gsi1pk = '$task-manager#officename_{office}' AND begins_with(gsi1sk,'$workplaces#employee_1#team_')" \
        f" filter {WHOSE.format('employee')} AND {ROW} get __edb_e__, __edb_v__, employee, officeName, pk, sk"


def below(manager, columns):
    """The employees below a manager."""
    return f"Query electro/gsi5pk-gsi5sk-index where gsi5pk = '$task-manager#manager_{manager}' AND begins_with(gsi5sk,'$employee_1#team_')" \
        f" filter {WHOSE.format('employee')} AND {ROW} get __edb_e__, __edb_v__, employee, manager, pk{columns}, sk"


ELECTRO = [
    ("tasks of an office", 'SELECT e."officeName", t.status, count(*), sum(t.points) FROM employee e JOIN task t USING (employee) WHERE e."officeName" = \'Tampa Branch\' GROUP BY 1, 2', [of_office("tampa branch"), *(
         f"Query electro/gsi3pk-gsi3sk-index where gsi3pk = '$task-manager#employee_{who}' AND begins_with(gsi3sk,'$assignments#task_1#project_')"
         f" filter {WHOSE.format('task')} AND {OF_TASK.format('')} get __edb_e__, __edb_v__, employee, gsi3pk, pk, points, project, sk, status, taskName" for who in TAMPA)]),
    ("an employee", f"SELECT \"firstName\", salary FROM employee WHERE employee = '{TAMPA[1]}'", [f"GetItem electro {{pk '$task-manager#employee_{TAMPA[1]}', sk '$employee_1'}} get __edb_e__, __edb_v__, employee, firstName, pk, salary, sk"]),
    ("an office in other letters", "SELECT employee FROM employee WHERE \"officeName\" = 'TAMPA BRANCH'", [of_office("tampa branch")]),
    ("an office beyond ASCII", "SELECT count(*) FROM employee WHERE \"officeName\" = 'Ålesund Branch'", [f"Scan electro filter {WHOSE.format('employee')} AND officeName = 'Ålesund Branch' AND {ROW} get __edb_e__, __edb_v__, employee, pk, sk{page}" for page in ("", " next")]),
    ("those below a manager", f"SELECT employee FROM employee WHERE manager = '{EMPLOYEES[3][0]}'", [below(EMPLOYEES[3][0], "")]),
    ("open tasks of a project", "SELECT count(*), sum(points) FROM task WHERE status = 'In-Progress' AND project = 'Project X'", ["Query electro/gsi4pk-gsi4sk-index where gsi4pk = '$task-manager#status_in-progress' AND begins_with(gsi4sk,'$task_1#project_project x#employee_')"
      f" filter {WHOSE.format('task')} AND {OF_TASK.format('project x#employee_')} get __edb_e__, __edb_v__, employee, pk, points, project, sk, status, taskName"]),
    ("well paid", f"SELECT count(*) FROM employee WHERE manager = '{EMPLOYEES[3][0]}' AND salary > 100000", [below(EMPLOYEES[3][0], ", salary")]),
]


@statements(ELECTRO)
class Electro(designs.TestCase):
    """Keys in lower case over attributes in their own."""

    @classmethod
    def make(cls):
        cls.fx.create_table("electro", ("pk", "S"), ("sk", "S"), [index(f"gsi{n}pk-gsi{n}sk-index", (f"gsi{n}pk", "S"), (f"gsi{n}sk", "S")) for n in (1, 3, 4, 5)])
        cls.fx.put("electro", electro())
        tagged = lambda tag: {"__edb_e__": tag, "__edb_v__": "1"}
        cls.relations({
            "employee": ("electro", 'employee uuid NOT NULL, "firstName" text, "lastName" text, "officeName" text NOT NULL, team text NOT NULL, title text NOT NULL,'
                                    ' salary numeric OPTIONS (format \'string\'), manager uuid, "dateHired" date',
                         {"item_filter": tagged("employee"), "key_templates": EMPLOYEE, "trusted_indexes": "gsi1pk-gsi1sk-index, gsi5pk-gsi5sk-index"}, EMPLOYEES),
            "task": ("electro", '"taskName" uuid NOT NULL, project text NOT NULL, employee uuid NOT NULL, status text NOT NULL, points numeric NOT NULL, description text',
                     {"item_filter": tagged("task"), "key_templates": TASK, "trusted_indexes": "gsi1pk-gsi1sk-index, gsi3pk-gsi3sk-index, gsi4pk-gsi4sk-index"},
                     [(*task, FILLER) for task in TASKS])}, analyze=True)

    def test_rows(self):
        self.assertTwins()
        self.assertEqual(self.fx.rows("SELECT * FROM dynamo_fdw_check_table('task')"), [])


ORDER_ITEMS = [(f"o{n}", f"p{n % 5}", str(12345 + n % 3), day(n % 60, hours=n), Decimal(f"{n}.50"), n % 4 + 1) for n in range(90)]
STOCK = [(f"p{n}", f"1237{w}", 10 * n + w) for n in range(5) for w in range(7)]
SHOP = [
    ("orders of a customer in June", "SELECT product_id, sum(price * quantity) FROM order_item WHERE customer_id = '12345' AND ordered_at >= '2020-06-01'"
     " AND ordered_at < '2020-07-01' GROUP BY 1", ["Query OnlineShop/GSI2 where GSI2-PK = 'c#12345' AND GSI2-SK BETWEEN '2020-06-01T00:00:00' AND '2020-07-01T00:00:00'"
      " filter begins_with(PK,'o#') AND begins_with(SK,'p#') get GSI2-PK, GSI2-SK, PK, Price, Quantity, SK"]),
    ("stock of a warehouse", "SELECT sum(quantity) FROM warehouse_item WHERE warehouse_id = '12376'", ["Scan OnlineShop filter begins_with(PK,'p#') AND SK = 'w#12376' get PK, Quantity, SK"]),
    ("stock of a warehouse by trusted_indexes", "SELECT product_id, quantity FROM warehouse_item2 WHERE warehouse_id = '12375'", ["Query OnlineShop/GSI2 where GSI2-PK = 'w#12375' AND begins_with(GSI2-SK,'p#') filter begins_with(PK,'p#') AND SK = 'w#12375' get PK, Quantity, SK"]),
    ("orders of a product since a day", "SELECT order_id FROM order_item WHERE product_id = 'p2' AND ordered_at >= '2020-07-10'", ["Query OnlineShop/GSI1 where GSI1-PK = 'p#p2' AND GSI1-SK >= '2020-07-10T00:00:00' filter begins_with(PK,'o#') AND SK = 'p#p2' get GSI2-SK, PK, SK"]),
    ("an order", "SELECT product_id, price FROM order_item WHERE order_id = 'o7'", ["Query OnlineShop where PK = 'o#o7' AND begins_with(SK,'p#') get PK, Price, SK"]),
]


@statements(SHOP)
class Shop(designs.TestCase):
    """Indexes whose keys mean something else for each entity; one item lacks them."""

    @classmethod
    def make(cls):
        cls.fx.create_table("OnlineShop", ("PK", "S"), ("SK", "S"), [index(f"GSI{n}", (f"GSI{n}-PK", "S"), (f"GSI{n}-SK", "S")) for n in (1, 2)])
        cls.fx.put("OnlineShop", [{"PK": f"p#{p}", "SK": f"w#{w}", "Quantity": q, **({"GSI2-PK": f"w#{w}", "GSI2-SK": f"p#{p}"} if w != "12376" else {})} for p, w, q in STOCK])
        cls.fx.put("OnlineShop", [{"PK": f"o#{o}", "SK": f"p#{p}", "GSI2-PK": f"c#{c}", "GSI2-SK": at.isoformat(), "GSI1-PK": f"p#{p}", "GSI1-SK": at.isoformat(),
                                   "Price": str(price), "Quantity": str(q), "Filler": FILLER} for o, p, c, at, price, q in ORDER_ITEMS])
        cls.fx.put("OnlineShop", [{"PK": f"i#{n}", "SK": f"i#{n}", "GSI2-PK": "c#12345", "GSI2-SK": day(n % 60).isoformat(), "Filler": FILLER} for n in range(100)])
        stock = {"PK": "p#${product_id}", "SK": "w#${warehouse_id}", "GSI2-PK": "w#${warehouse_id}", "GSI2-SK": "p#${product_id}"}
        at = "${ordered_at:iso8601(0,)}"
        columns = "product_id text NOT NULL, warehouse_id text NOT NULL, quantity int OPTIONS (attribute 'Quantity')"
        cls.relations({
            "warehouse_item": ("OnlineShop", columns, {"key_templates": stock}, STOCK),
            "order_item": ("OnlineShop", "order_id text NOT NULL, product_id text NOT NULL, customer_id text OPTIONS (attribute 'GSI2-PK'), ordered_at timestamp"
                                         " OPTIONS (attribute 'GSI2-SK'), price numeric OPTIONS (attribute 'Price', format 'string'), quantity int OPTIONS (attribute 'Quantity', format 'string')",
                           {"key_templates": {"PK": "o#${order_id}", "SK": "p#${product_id}", "GSI2-PK": "c#${customer_id}", "GSI2-SK": at, "GSI1-PK": "p#${product_id}", "GSI1-SK": at},
                            "trusted_indexes": "GSI1"}, ORDER_ITEMS)})
        cls.fx.foreign_table("warehouse_item2", columns, table_name=cls.fx.remote("OnlineShop"), key_templates=designs.json.dumps(stock), trusted_indexes="GSI2")
        cls.fx.execute("CREATE VIEW mirror.warehouse_item2 AS SELECT * FROM mirror.warehouse_item")

    def test_rows(self):
        self.assertTwins()

    def test_incomplete_index(self):
        """What the check reports the item that the index lacks, and the plan without trusted_indexes."""
        rows = self.fx.rows("SELECT kind, relation::text, items FROM dynamo_fdw_check_table('warehouse_item') WHERE kind = 'missing index key'")
        self.assertEqual(rows, [("missing index key", "warehouse_item2", 5)])
        advice = 'Hint: index "GSI2" could be used if it were in the table option trusted_indexes; add it only if the index contains every row'
        for table, condition, advised in (("warehouse_item", "warehouse_id = '12376'", True), ("warehouse_item", "quantity = 3", False),
                                          ("warehouse_item", "product_id = 'p1'", False), ("warehouse_item2", "warehouse_id = '12376'", False)):
            with self.subTest(table=table, condition=condition):
                self.assertEqual(advice in self.fx.explain(f"SELECT sum(quantity) FROM {table} WHERE {condition}"), advised)


STATES = ["PENDING", "SCHEDULED", "PROCESSED"]
PAYMENTS = [(f"acc{n % 40}", datetime.datetime(2019, 9, 15) + datetime.timedelta(minutes=61 * n), n % 5, STATES[n // 3 % 3], f"data {n}") for n in range(400)]
BANK_QUERY = "SELECT account, due, status FROM payment WHERE due >= '2019-09-25' AND due < '2019-09-26'"


def of_shards(*states):
    """One Query for each shard and state."""
    return [f"Query Bank/by_shard where Sharded-GSI-PK = '{shard}' AND Status#Time BETWEEN '{state}#2019-09-25T000000' AND '{state}#2019-09-26T000000'"
            " get AccountID, ScheduledTime, Sharded-GSI-PK, Status#Time" for shard in range(5) for state in states]


BANK = [
    ("all shards and states", BANK_QUERY, of_shards(*STATES)),
    ("one state", BANK_QUERY + " AND status = 'PENDING'", of_shards("PENDING")),
    ("one state in order", BANK_QUERY + " AND status = 'PENDING' ORDER BY due", of_shards("PENDING")),
    ("in order", BANK_QUERY + " ORDER BY due", of_shards(*STATES)),
    # not listed, and yet requested: the list may be stale
    ("no such state", BANK_QUERY + " AND status = 'DONE'", of_shards("DONE")),
    ("an account", "SELECT due, status FROM payment WHERE account = 'acc7' AND due >= '2019-09-20'", ["Query Bank where AccountID = 'acc7' AND ScheduledTime >= '2019-09-20T000000' get ScheduledTime, Sharded-GSI-PK, Status#Time"]),
]


@statements(BANK)
class Bank(designs.TestCase):
    """Payments spread over shards, by state and time."""

    @classmethod
    def make(cls):
        cls.fx.create_table("Bank", ("AccountID", "S"), ("ScheduledTime", "S"), [index("by_shard", ("Sharded-GSI-PK", "S"), ("Status#Time", "S"))])
        at = lambda due: due.strftime("%Y-%m-%dT%H%M%S")
        cls.fx.put("Bank", [{"AccountID": account, "ScheduledTime": at(due), "Sharded-GSI-PK": str(shard), "Status#Time": f"{status}#{at(due)}", "DataBlob": data, "Filler": FILLER}
                            for account, due, shard, status, data in PAYMENTS])
        cls.relations({"payment": (
            "Bank", "account text OPTIONS (attribute 'AccountID') NOT NULL, due timestamp OPTIONS (attribute 'ScheduledTime', format 'pattern(YYYY-MM-DD\"T\"HH24MISS)') NOT NULL,"
                    " shard int OPTIONS (attribute 'Sharded-GSI-PK') NOT NULL, status text OPTIONS (attribute 'Status#Time') NOT NULL, data text OPTIONS (attribute 'DataBlob')",
            {"key_templates": {"Sharded-GSI-PK": "${shard:0..4}", "Status#Time": "${status:PENDING|SCHEDULED|PROCESSED}#${due}"}, "trusted_indexes": "by_shard"}, PAYMENTS)})

    def test_rows(self):
        self.assertTwins()
        self.assertEqual(len(self.fx.rows(BANK_QUERY)), 23)


VERSIONS = [(f"E{e}", v, f"state {v % 3}") for e in range(5) for v in range(12)]
SESSIONS = [(f"s{n}", "ABC" if n % 4 == 0 else f"c{n}", day(n), [None, NOW + 5000, NOW - 5000, NOW - 6 * 365 * 86400][n // 2 % 4]) for n in range(160)]
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def ulid(at, n):
    """A ULID of that time."""
    ms = int(at.replace(tzinfo=datetime.timezone.utc).timestamp() * 1000)
    return "".join(CROCKFORD[(((ms << 80) + n) >> 5 * i) % 32] for i in reversed(range(26)))


EVENTS = [(f"d{n % 3}", ulid(datetime.datetime(2024, 3, 1) + datetime.timedelta(hours=n), n), datetime.datetime(2024, 3, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(hours=n),
           {"n": n}) for n in range(300)]
TIMES = [
    ("newest and previous version", "SELECT e.id, e.latest, h.state FROM equipment e JOIN equipment_history h ON h.id = e.id AND h.version = e.latest - 1"
     " WHERE e.id = ANY ('{E1,E2}')", ["BatchGetItem Equipment {PK 'E1', SK 'v0'} {PK 'E2', SK 'v0'} get Latest, PK, SK", "BatchGetItem Equipment {PK 'E1', SK 'v10'} {PK 'E2', SK 'v10'} get PK, SK, State"]),
    ("a history in order", "SELECT version, state FROM equipment_history WHERE id = 'E3' ORDER BY version", ["Query Equipment where PK = 'E3' AND begins_with(SK,'v') get PK, SK, State"]),
    ("live sessions of a customer", "SELECT count(*) FROM session WHERE customer_id = 'ABC'", ["Query Sessions/GSI1_inverse where SK = 'c#ABC' AND begins_with(PK,'suuid#') filter NOT expires BETWEEN <now> get PK, SK, expires"]),
    ("a session", "SELECT customer_id FROM session WHERE id = 's3'", ["Query Sessions where PK = 'suuid#s3' AND begins_with(SK,'c#') filter NOT expires BETWEEN <now> get PK, SK, expires"]),
    ("events of a day", "SELECT body FROM event WHERE device = 'd1' AND at >= '2024-03-05 00:00Z' AND at < '2024-03-06 00:00Z'", ["Query events_2024 where device = 'd1' AND ulid BETWEEN '01HR5YHX000000000000000000' AND '01HR8GYM000000000000000000' get body, ulid"]),
    ("the latest event", "SELECT at, body FROM event WHERE device = 'd1' ORDER BY ulid COLLATE \"C\" DESC LIMIT 1", ["Query events_2024 where device = 'd1' get body, ulid limit 1 backward"]),
]


@statements(TIMES)
class Times(designs.TestCase):
    """E10: versions in a sort key, what expires, keys that hold a time."""

    def texts_and_rows(self, sql, parameters=None):
        """Without the time of the statement."""
        texts, rows = super().texts_and_rows(sql, parameters)
        return sorted(re.sub(r"BETWEEN \d+\.\d+ AND \d+\.\d+", "BETWEEN <now>", text) for text in texts), rows

    @classmethod
    def make(cls):
        cls.fx.create_table("Equipment", ("PK", "S"), ("SK", "S"))
        cls.fx.create_table("Sessions", ("PK", "S"), ("SK", "S"), [index("GSI1_inverse", ("SK", "S"), ("PK", "S"))])
        cls.fx.create_table("events_2024", ("device", "S"), ("ulid", "S"))
        cls.fx.put("Equipment", [{"PK": e, "SK": f"v{v}", "State": state, "Filler": FILLER, **({"Latest": 11} if v == 0 else {})} for e, v, state in VERSIONS])
        cls.fx.put("Sessions", [{"PK": f"suuid#{n}", "SK": f"c#{c}", "last_login_time": at.isoformat(), "Filler": FILLER, **({"expires": ends} if ends else {})} for n, c, at, ends in SESSIONS])
        cls.fx.put("events_2024", [{"device": device, "ulid": key, "body": body, "Filler": FILLER} for device, key, _, body in EVENTS])
        cls.relations({
            "equipment": ("Equipment", "id text NOT NULL, latest int OPTIONS (attribute 'Latest'), state text OPTIONS (attribute 'State')", {"key_templates": {"PK": "${id}", "SK": "v0"}},
                          [(e, 11, state) for e, v, state in VERSIONS if v == 0]),
            "equipment_version": ("Equipment", "id text NOT NULL, version int NOT NULL, state text OPTIONS (attribute 'State')", {"key_templates": {"PK": "${id}", "SK": "v${version}"}}, VERSIONS),
            "session": ("Sessions", "id text NOT NULL, customer_id text NOT NULL, last_login_time timestamp OPTIONS (format 'iso8601(0,)')",
                        {"key_templates": {"PK": "suuid#${id}", "SK": "c#${customer_id}"}, "ttl_attribute": "expires"}, [one[:3] for one in SESSIONS if one[3] != NOW - 5000]),
            "event_2024": ("events_2024", "device text NOT NULL, ulid text COLLATE \"C\" NOT NULL, at timestamptz OPTIONS (attribute 'ulid', format 'ulid'), body jsonb", {}, EVENTS)})
        for schema in ("public", "mirror"):
            cls.fx.execute(f"CREATE VIEW {schema}.equipment_history AS SELECT * FROM {schema}.equipment_version WHERE version > 0")
            cls.fx.execute(f"CREATE TABLE {schema}.event (device text NOT NULL, ulid text COLLATE \"C\" NOT NULL, at timestamptz, body jsonb) PARTITION BY RANGE (ulid COLLATE \"C\");"
                           f"ALTER TABLE {schema}.event ATTACH PARTITION {schema}.event_2024 FOR VALUES FROM ('01HK153X00') TO ('01JGFJJZ00')")

    def test_rows(self):
        self.assertTwins()


ROUNDS = [(f"m{n}", f"W2{n % 3}", ["EU", "US"][n // 3 % 2], ["FINAL", "SEMI", "QUARTER"][n % 7 % 3], "BMXZ"[n % 4], f"team {n}") for n in range(120)]


class Rounds(designs.TestCase):
    """E11: an index with several attributes in each part of its key."""

    @classmethod
    def make(cls):
        cls.fake = cls.fx.fake("fake")
        cls.addClassCleanup(cls.fake.stop)
        names = ("id", "tournament", "region", "round", "bracket", "winner")
        cls.fake.table("Matches", ("id", "S"), None, [scripted_index("by_round", [("tournament", "S"), ("region", "S")], [("round", "S"), ("bracket", "S")])],
                       items=[item(dict(zip(names, row))) for row in ROUNDS], item_count=10 ** 6, size_bytes=10 ** 9)
        cls.relations({"match_result": ("Matches", "id text NOT NULL, tournament text NOT NULL, region text NOT NULL, round text NOT NULL, bracket text COLLATE \"C\" NOT NULL,"
                                                   " winner text", {}, ROUNDS)}, server="fake")

    def conditions(self, sql):
        """The index and the key condition of each request; the rows are right."""
        self.fake.reset()
        rows = self.fx.rows(sql)
        self.assertEqual(sorted(rows), sorted(self.mirrored(sql)))
        self.assertGreater(len(rows), 0)
        return sorted(designs.request_text.request_text(r, self.fx.database).split(" get ")[0] for r in self.fake.requests if r.operation != "DescribeTable")

    def test_all_four(self):
        self.assertEqual(self.conditions("SELECT id, winner FROM match_result WHERE tournament = 'W21' AND region = 'EU' AND round = 'SEMI' AND bracket >= 'M'"),
                         ["Query Matches/by_round where tournament = 'W21' AND region = 'EU' AND round = 'SEMI' AND bracket >= 'M'"])

    def test_without_a_region(self):
        """No Query without all attributes of the partition key."""
        texts = self.conditions("SELECT id FROM match_result WHERE tournament = 'W21' AND tournament || region = 'W21EU'")
        self.assertTrue(all(text.startswith("Scan Matches") for text in texts), texts)


SUPPLIERS = [(str(n), ["Germany", "Norway", "UK"][n % 3], ["NULL", "West"][n % 2], f"City {n % 5}", f"Street {n}" if n % 9 else f"No. {n} # left", f"Company {n}") for n in range(30)]
AT = "%Y-%m-%d %H:%M:%S.000"
ORDERS = [(str(10248 + n), datetime.datetime(1996, 12, 1) + datetime.timedelta(days=3 * n), f"CUST{n % 9}", datetime.datetime(1997, 1, 1) if n % 5 else None) for n in range(60)]
LINES = [(str(10248 + n), str(p), Decimal(f"{p}.90"), n % 7 + p) for n in range(60) for p in range(1, n % 4 + 2)]
OF_JANUARY = [order for order, at, *_ in ORDERS if datetime.datetime(1997, 1, 1) <= at < datetime.datetime(1997, 2, 1)]
LINES_OF = "Query northwind where pk = 'orderID#{}' AND begins_with(sk,'productID#') get data, pk, quantity, sk"
NORTHWIND = [
    ("suppliers of a country", "SELECT \"companyName\", address FROM supplier WHERE country = 'Germany'", ["Query northwind/gsi_1 where sk = 'SUPPLIER' AND begins_with(data,'Germany#') filter begins_with(pk,'supplierID#') get companyName, data, pk, sk"]),
    ("suppliers of a region", "SELECT city, address FROM supplier WHERE country = 'Norway' AND region = 'West'", ["Query northwind/gsi_1 where sk = 'SUPPLIER' AND begins_with(data,'Norway#West#') filter begins_with(pk,'supplierID#') get data, pk, sk"]),
    ("a supplier", "SELECT country, city FROM supplier WHERE supplier_id = '18'", ["GetItem northwind {pk 'supplierID#18', sk 'SUPPLIER'} get data, pk, sk"]),
    ("revenue of a month", "SELECT o.customer_id, sum(l.unit_price * l.quantity) AS revenue FROM nw_order o JOIN nw_line l USING (order_id)"
     " WHERE o.order_date >= '1997-01-01' AND o.order_date < '1997-02-01' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10", ["Query northwind/gsi_1 where sk = 'ORDER' AND data BETWEEN '1997-01-01 00:00:00.000' AND '1997-02-01 00:00:00.000' filter begins_with(pk,'orderID#')"
      " get customerID, data, pk, sk", *(LINES_OF.format(order) for order in OF_JANUARY)]),
    ("one order", "SELECT o.customer_id, o.order_date, l.product_id, l.quantity, l.unit_price FROM nw_order o JOIN nw_line l USING (order_id) WHERE o.order_id = '10250'", ["GetItem northwind {pk 'orderID#10250', sk 'ORDER'} get customerID, data, pk, sk", LINES_OF.format(10250)]),
    ("price range of a product", "SELECT order_id FROM nw_line WHERE product_id = '2' AND unit_price > 2", ["Query northwind/gsi_1 where sk = 'productID#2' filter begins_with(pk,'orderID#') get data, pk, sk"]),
    ("not shipped", "SELECT order_id FROM nw_order WHERE order_date >= '1997-05-01' AND shipped IS NULL", ["Query northwind/gsi_1 where sk = 'ORDER' AND data >= '1997-05-01 00:00:00.000' filter begins_with(pk,'orderID#') get data, pk, shippedDate, sk"]),
]


@statements(NORTHWIND)
class Northwind(designs.TestCase):
    """E13: hierarchies in a text, and entities by the literals of their keys."""

    @classmethod
    def make(cls):
        cls.fx.create_table("northwind", ("pk", "S"), ("sk", "S"), [index("gsi_1", ("sk", "S"), ("data", "S"))])
        cls.fx.put("northwind", [{"pk": f"supplierID#{n}", "sk": "SUPPLIER", "data": f"{country}#{region}#{city}#{address}", "companyName": name, "Filler": FILLER}
                                 for n, country, region, city, address, name in SUPPLIERS])
        cls.fx.put("northwind", [{"pk": f"orderID#{n}", "sk": "ORDER", "data": at.strftime(AT), "customerID": f"customerID#{c}",
                                  "shippedDate": shipped.strftime(AT) if shipped else "NULL", "Filler": FILLER} for n, at, c, shipped in ORDERS])
        cls.fx.put("northwind", [{"pk": f"orderID#{n}", "sk": f"productID#{p}", "data": str(price), "quantity": str(q), "Filler": FILLER} for n, p, price, q in LINES])
        pattern = "pattern(YYYY-MM-DD HH24:MI:SS.MS)"
        cls.relations({
            "supplier": ("northwind", "supplier_id text NOT NULL, " + ", ".join(f"{part} text OPTIONS (attribute 'data') NOT NULL" for part in ("country", "region", "city", "address")) +
                         ', "companyName" text', {"key_templates": {"pk": "supplierID#${supplier_id}", "sk": "SUPPLIER", "data": "${country}#${region}#${city}#${address:any}"}}, SUPPLIERS),
            "nw_order": ("northwind", f"order_id text NOT NULL, order_date timestamp OPTIONS (attribute 'data', format '{pattern}') NOT NULL, customer_id text OPTIONS (attribute 'customerID'),"
                                      f" shipped timestamp OPTIONS (attribute 'shippedDate', format '{pattern}', on_mismatch 'null')",
                         {"key_templates": {"pk": "orderID#${order_id}", "sk": "ORDER", "customerID": "customerID#${customer_id}"}}, ORDERS),
            "nw_line": ("northwind", "order_id text NOT NULL, product_id text NOT NULL, unit_price numeric OPTIONS (attribute 'data', format 'string'), quantity int OPTIONS (format 'string')",
                        {"key_templates": {"pk": "orderID#${order_id}", "sk": "productID#${product_id}"}}, LINES)})

    def test_rows(self):
        self.assertTwins()
        self.assertEqual(self.fx.rows("SELECT * FROM dynamo_fdw_check_table('supplier') WHERE kind <> 'mismatch'"), [])
