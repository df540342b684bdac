"""The tables that the clients look at: views of foreign tables in the schema "remote", the same rows in "local".

The schemas "remote_mapped" and "local_mapped" have the entities of one DynamoDB table, which may not be read completely.
"""
import datetime
import json
from decimal import Decimal

from dynamo import attribute, index
from fixture import Fixture

REGIONS = ["north", "south", "east", "west"]
STATUSES = ["open", "paid", "sent"]
BEGIN = datetime.datetime(2026, 1, 1, 6, tzinfo=datetime.timezone.utc)

COLUMNS = {
    "customers": 'customer_id text COLLATE "C" NOT NULL, name text, city text, since date, vip boolean',
    "orders": 'customer_id text COLLATE "C" NOT NULL, ordered_at timestamptz NOT NULL, region text COLLATE "C", status text,'
              ' total numeric(10, 2), quantity int, weight float8, tags text[], details jsonb, shipped date'}
KEYS = {"customers": "customer_id", "orders": "customer_id, ordered_at"}
PRODUCTS = 'id text COLLATE "C" NOT NULL, name text, price numeric(10, 2), stock int, version int NOT NULL, changed timestamptz'
ACCOUNTS = 'id uuid NOT NULL, name text, email text COLLATE "C", street text, city text, profile jsonb, labels text[], since timestamptz, version int NOT NULL'
PURCHASES = "account_id uuid NOT NULL, no int NOT NULL, status text, total numeric(10, 2), note text"
# Entities of one table: columns, templates.
MAPPED = {
    "buyers": ('buyer_id text COLLATE "C" NOT NULL, name text, city text', {"pk": "BUYER#${buyer_id}", "sk": "PROFILE"}),
    "bookings": ('buyer_id text COLLATE "C" NOT NULL, no int NOT NULL, placed date, total numeric(10, 2)', {"pk": "BUYER#${buyer_id}", "sk": "BOOKING#${no:padded(4)}"})}
# What PostGraphile finds in the constraints and indexes of local tables.
SMART_COMMENTS = r"""
    COMMENT ON FOREIGN TABLE remote.accounts IS '@primaryKey id';
    COMMENT ON FOREIGN TABLE remote.purchases IS E'@primaryKey account_id,no\n@foreignKey (account_id) references remote.accounts (id)';
    COMMENT ON COLUMN remote.accounts.id IS '@behavior +filterBy +orderBy';
    COMMENT ON COLUMN remote.accounts.email IS '@behavior +filterBy +orderBy';
    COMMENT ON COLUMN remote.purchases.account_id IS '@behavior +filterBy +orderBy';
    COMMENT ON COLUMN remote.purchases.no IS '@behavior +filterBy +orderBy'"""
WRITTEN = ("products", "accounts", "purchases")
SCHEMAS = ("local", "remote")


def customers():
    """30 of them."""
    for c in range(30):
        yield {"customer_id": f"c{c:02d}", "name": f"Ünï {c}", "city": ["Oslo", "Łódź", "İzmir"][c % 3], "since": f"20{c:02d}-02-28", "vip": c % 4 == 0}


def orders():
    """100 of each customer, seven hours apart; some attributes are absent now and then."""
    for c in range(30):
        for o in range(100):
            at = BEGIN + datetime.timedelta(hours=7 * o, minutes=c)
            order = {"customer_id": f"c{c:02d}", "ordered_at": at.strftime("%Y-%m-%dT%H:%M:%SZ"), "region": REGIONS[c * o % 4], "status": STATUSES[o % 3],
                     "total": Decimal(o * 7) + Decimal("0.25"), "quantity": o % 9, "weight": Decimal(o) / 8,
                     "tags": ["x", f"t{o % 5}"], "details": {"gift": o % 2 == 0, "lines": [{"sku": f"s{o}", "n": o % 4}], "note": 'a "quoted" note'},
                     "shipped": at.date().isoformat()}
            if o % 11 == 0:
                del order["total"], order["shipped"]
            yield order


def entities():
    """40 buyers, each with up to 11 bookings."""
    for b in range(40):
        yield {"pk": f"BUYER#b{b:02d}", "sk": "PROFILE", "name": f"Ünï {b}", "city": ["Oslo", "Łódź", "İzmir"][b % 3]}
        for no in range(1, 2 + b * 7 % 11):
            yield {"pk": f"BUYER#b{b:02d}", "sk": f"BOOKING#{no:04}", "placed": f"2026-0{1 + no % 9}-{1 + b % 28:02d}", "total": Decimal(b * no) + Decimal("0.75")}


def make_mapped(fx):
    """Both schemas of the entities; the local rows are in the order of a Scan, as a LIMIT without an order returns them."""
    fx.create_table("entities", ("pk", "S"), ("sk", "S"))
    fx.put("entities", list(entities()))
    fx.execute("CREATE SCHEMA remote_mapped; CREATE SCHEMA local_mapped")
    for name, (columns, templates) in MAPPED.items():
        fx.foreign_table(f"remote_mapped.{name}", columns, table_name=fx.remote("entities"), key_templates=json.dumps(templates), scan_policy="allow")
        fx.execute(f"CREATE TABLE local_mapped.{name} ({columns}); INSERT INTO local_mapped.{name} SELECT * FROM remote_mapped.{name};"
                   f"ALTER FOREIGN TABLE remote_mapped.{name} OPTIONS (SET scan_policy 'error')")
    for name, prefix in (("buyers", "PROFILE"), ("bookings", "BOOKING#")):
        assert fx.value(f"SELECT count(*) FROM local_mapped.{name}") == sum(item["sk"].startswith(prefix) for item in entities())


def make():
    """A Fixture with both schemas."""
    fx = Fixture("clients")
    try:
        fx.create_table("customers", ("customer_id", "S"))
        fx.create_table("orders", ("customer_id", "S"), ("ordered_at", "S"),
                        [index("by_region", ("region", "S"), ("ordered_at", "S"))])
        fx.put("customers", list(customers()))
        fx.put("orders", list(orders()))
        fx.execute("CREATE SCHEMA foreign_tables; CREATE SCHEMA remote; CREATE SCHEMA local")
        for name, columns in COLUMNS.items():
            fx.foreign_table(f"foreign_tables.{name}", columns, table_name=fx.remote(name))
            fx.execute(f"CREATE VIEW remote.{name} AS SELECT * FROM foreign_tables.{name};"
                       f"CREATE TABLE local.{name} ({columns}, PRIMARY KEY ({KEYS[name]}));"
                       f"INSERT INTO local.{name} SELECT * FROM foreign_tables.{name}; ANALYZE local.{name}")
        fx.create_table("products", ("id", "S"))
        fx.foreign_table("remote.products", PRODUCTS, table_name=fx.remote("products"), updatable="on", scan_policy="allow")
        fx.execute(f"CREATE TABLE local.products ({PRODUCTS}, PRIMARY KEY (id))")
        fx.create_table("accounts", ("id", "S"), indexes=[index("by_email", ("email", "S"))])
        fx.create_table("purchases", ("account_id", "S"), ("no", "N"))
        fx.foreign_table("remote.accounts", ACCOUNTS, table_name=fx.remote("accounts"), updatable="on", scan_policy="allow")
        fx.foreign_table("remote.purchases", PURCHASES, table_name=fx.remote("purchases"), updatable="on", scan_policy="allow")
        fx.execute(f"ALTER FOREIGN TABLE remote.accounts ALTER labels OPTIONS (ADD format 'list');"
                   f"CREATE TABLE local.accounts ({ACCOUNTS}, PRIMARY KEY (id));"
                   f"CREATE TABLE local.purchases ({PURCHASES}, PRIMARY KEY (account_id, no), FOREIGN KEY (account_id) REFERENCES local.accounts);"
                   f"CREATE INDEX ON local.accounts (email)")
        fx.execute(SMART_COMMENTS)
        # so that the first statement of a session may have ON CONFLICT
        fx.execute(f"ALTER DATABASE {fx.database} SET session_preload_libraries = 'dynamo_fdw'")
        fx.execute("CREATE VIEW local.orders_view AS SELECT * FROM local.orders; CREATE VIEW remote.orders_view AS SELECT * FROM remote.orders")
        make_mapped(fx)
        check(fx)
        return fx
    except BaseException:
        fx.close()
        raise


def check(fx):
    """The local rows do not come from what is tested alone."""
    made = sorted((o["customer_id"], o["ordered_at"], str(o.get("total")), json.dumps(o["details"], sort_keys=True)) for o in orders())
    stored = fx.rows("SELECT customer_id, to_char(ordered_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), total, details FROM local.orders")
    assert made == sorted((c, at, str(total), json.dumps(details, sort_keys=True)) for c, at, total, details in stored)


def content(value):
    """An attribute value as something that is equal for equal values; DynamoDB decides how a number is written."""
    [(kind, held)] = value.items()
    if kind == "M":
        return kind, sorted((name, content(member)) for name, member in held.items())
    if kind == "L":
        return kind, [content(element) for element in held]
    return kind, Decimal(held).normalize() if kind == "N" else held


def wrong_items(fx):
    """What differs between the items that were written and the local rows, one line each."""
    wrong = []
    for name in WRITTEN:
        stored = fx.dynamo.call("Scan", {"TableName": fx.remote(name), "ConsistentRead": True})["Items"]
        fx.execute("SET timezone = 'UTC'")
        rows = [json.loads(row, parse_float=Decimal) for (row,) in fx.rows(f"SELECT to_jsonb(t)::text FROM local.{name} t")]
        expected = [{column: attribute(value[:-6] + "Z" if str(value).endswith("+00:00") else value) for column, value in row.items() if value is not None}
                    for row in rows]
        items, others = ([str(content({"M": item})) for item in side] for side in (stored, expected))
        wrong += [f"{name}: stored {item}" for item in items if item not in others] + [f"{name}: missing {item}" for item in others if item not in items]
    return wrong
