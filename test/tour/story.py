"""The statements of the tour, each with the rows that the data demand and the requests it must send."""
from decimal import Decimal

from data import LIKES, MOVIES, ORDERS, PROGRAM, SONGS, USERS


class Step:
    """One statement; expected_rows are Python values, requests the lines of dynamo_fdw.log_requests without the time.

    Requests that are sent together may be processed in any order.
    """

    def __init__(self, title, remark, sql, expected_rows, requests, warnings=()):
        self.title, self.remark, self.sql = title, remark, sql
        self.expected_rows = [tuple(map(as_text, row)) for row in expected_rows]
        self.requests, self.warnings = list(requests), list(warnings)

    @staticmethod
    def rows(result):
        """The rows that are compared."""
        return result.rows


class ExplainStep(Step):
    """A plan, of which the lines about DynamoDB are compared."""

    @staticmethod
    def rows(result):
        return [(line.strip(),) for (line,) in result.rows if ": " in line and "actual" not in line]


def as_text(value):
    """A Python value as PostgreSQL represents it."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, (set, frozenset)):
        return "{" + ",".join(sorted(value)) + "}"
    return str(value)


def moment(text):
    """A time as DynamoDB has it, in PostgreSQL's representation."""
    return text.replace("T", " ").replace("Z", "+00")


def rows_of(items, *names):
    """These attributes of the items."""
    return [tuple(moment(item[name]) if name == "ordered_at" else item[name] for name in names) for item in items]


def orders_of(customer, since="", until="~"):
    """A customer's orders in a span of time."""
    return [order for order in ORDERS if order["customer_id"] == customer and since <= order["ordered_at"] <= until]


def orders_in(status, since=""):
    """Orders of a status, by time."""
    return sorted((order for order in ORDERS if order["status"] == status and order["ordered_at"] >= since),
                  key=lambda order: order["ordered_at"])


def songs_of(title):
    """A movie's songs, by name."""
    return sorted((song for song in SONGS if song["movie_id"] == title), key=lambda song: song["name"])


def addresses(name):
    """A user's e-mail addresses, whichever way they are stored."""
    [user] = [user for user in USERS if user["name"] == name]
    return [(name, email["id"] if isinstance(email, dict) else email) for email in user["emails"]]


def liked_by(user):
    """The songs that a user likes, by name."""
    names = {like["song"] for like in LIKES if like["user_name"] == user}
    return sorted((song for song in SONGS if song["name"] in names), key=lambda song: song["name"])


def screenings():
    """Cinema, day, number, movie, sold of each screening."""
    for one in PROGRAM:
        if "gpk" in one:
            _, day, number = one["sk"].split("#")
            yield one["pk"].split("#")[1], day, int(number), one["gpk"].split("#")[1], one["sold"]


def screenings_of(cinema, since, until):
    """What a cinema shows on some days, in order."""
    return [one for one in screenings() if one[0] == cinema and since <= one[1] <= until]


def screenings_with(movie, since):
    """Where a movie is shown from a day on, by day and cinema."""
    return sorted((one for one in screenings() if one[3] == movie and one[1] >= since),
                  key=lambda one: (one[1], one[0]))


def report(customers):
    """Number of orders, turnover and largest order of each customer."""
    for customer in customers:
        totals = [order["total"] for order in orders_of(customer)]
        yield customer, len(totals), sum(totals, Decimal()), max(totals)


WANTED = ["Dancing at the Fair", "Sailing by the Sea Again", "Waiting for Rain", "Walking after Dark"]
NEW_SONG = "Rowing before Breakfast"
CUSTOMERS = ["c-001", "c-002", "c-003"]
[REX] = [one for one in PROGRAM if (one["pk"], one["sk"]) == ("CINEMA#rex", "PROFILE")]
REX_SHOWS = screenings_of("rex", "2026-07-10", "2026-07-11")

STEPS = [
    Step("One item, by its key",
         "name and year are the key of movies, so that one GetItem serves. The first use of a table asks for its keys.",
         "SELECT name, year, actor, rating, genres FROM movies\n"
         "WHERE name = 'The Amber Harbour' AND year = 2019;",
         rows_of([m for m in MOVIES if (m["name"], m["year"]) == ("The Amber Harbour", 2019)],
                 "name", "year", "actor", "rating", "genres"),
         ['GetItem demo-movies key name = "The Amber Harbour" AND year = 2019: 1 item, 0.5 units']),
    Step("A range of the sort key, newest first",
         "Times are text in DynamoDB; the column's format makes them sortable there. Read backward, stopped by LIMIT.",
         "SELECT ordered_at, status, total FROM orders\n"
         "WHERE customer_id = 'c-007' AND ordered_at BETWEEN '2026-05-01' AND '2026-06-01'\n"
         "ORDER BY ordered_at DESC LIMIT 3;",
         rows_of(orders_of("c-007", "2026-05-01", "2026-06-01")[:-4:-1], "ordered_at", "status", "total"),
         ['Query demo-orders key customer_id = "c-007" AND ordered_at BETWEEN "2026-05-01T00:00:00Z" AND '
          '"2026-06-01T00:00:00Z" backward: 3 items, 0.5 units']),
    Step("An index",
         "by_status is a global secondary index (status, ordered_at); its rows come sorted, nothing is sorted here.",
         "SELECT ordered_at, customer_id, total FROM orders\n"
         "WHERE status = 'open' AND ordered_at >= '2026-06-20' ORDER BY ordered_at;",
         rows_of(orders_in("open", "2026-06-20"), "ordered_at", "customer_id", "total"),
         ['Query demo-orders index by_status key status = "open" AND ordered_at >= "2026-06-20T00:00:00Z": '
          '3 items, 0.5 units']),
    Step("Many keys at once",
         "A list of keys is one BatchGetItem for each hundred. One of these songs does not exist.",
         "SELECT name, singer, seconds FROM songs WHERE name IN\n  ("
         + ", ".join(f"'{name}'" for name in WANTED) + ")\nORDER BY name;",
         rows_of(sorted((s for s in SONGS if s["name"] in WANTED), key=lambda s: s["name"]),
                 "name", "singer", "seconds"),
         ["BatchGetItem demo-songs 4 keys: 3 items, 1.5 units"]),
    Step("has_many: a movie and its songs",
         "A relation is a join, with no option to set. The songs come from the index on movie_id, in one request.",
         "SELECT m.name, m.year, s.name AS song, s.singer\n"
         "FROM movies m JOIN songs s ON s.movie_id = m.name\n"
         "WHERE m.name = 'The Paper Harbour' AND m.year = 1978 ORDER BY song;",
         [("The Paper Harbour", 1978, song["name"], song["singer"]) for song in songs_of("The Paper Harbour")],
         ['GetItem demo-movies key name = "The Paper Harbour" AND year = 1978: 1 item, 0.5 units',
          'Query demo-songs index song-movie-index key movie_id = "The Paper Harbour": 5 items, 0.5 units']),
    Step("many-to-many: what a user likes",
         "Link rows lead from users to songs. All their keys are collected first, and asked for together.",
         "SELECT s.name, s.singer FROM likes l JOIN songs s ON s.name = l.song\n"
         "WHERE l.user_name = 'edda.arden' ORDER BY s.name;",
         rows_of(liked_by("edda.arden"), "name", "singer"),
         [f'Query demo-likes key user_name = "edda.arden": {len(liked_by("edda.arden"))} items, 0.5 units',
          f"BatchGetItem demo-songs {len(liked_by('edda.arden'))} keys: {len(liked_by('edda.arden'))} items, "
          f"{len(liked_by('edda.arden')) / 2:g} units"]),
    Step("The latest of each",
         "One Query for each customer, backward and with a limit, and all of them in flight together.",
         "SELECT c.id, o.ordered_at, o.total\n"
         "FROM (VALUES ('c-001'), ('c-002'), ('c-003')) AS c (id),\n"
         "     LATERAL (SELECT * FROM orders WHERE customer_id = c.id ORDER BY ordered_at DESC LIMIT 1) AS o;",
         [(c, moment(orders_of(c)[-1]["ordered_at"]), orders_of(c)[-1]["total"]) for c in CUSTOMERS],
         [f'Query demo-orders key customer_id = "{c}" backward: 1 item, 0.5 units' for c in CUSTOMERS]),
    Step("A list inside an item",
         "E-mail addresses are a list on the user: of strings (bela's) or, in newer items, of maps (ada's).",
         "SELECT name, coalesce(email->>'id', email#>>'{}') AS email\n"
         "FROM users, jsonb_array_elements(emails) AS email\n"
         "WHERE name IN ('ada.arden', 'bela.arden') ORDER BY email;",
         sorted(addresses("ada.arden") + addresses("bela.arden")),
         ["BatchGetItem demo-users 2 keys: 2 items, 1 unit"]),
    Step("Several entities in one table",
         "Cinemas and screenings share a table and its partitions. Templates say how keys are composed of columns.",
         "SELECT c.city, s.day, s.number, s.movie, s.sold\n"
         "FROM cinemas c JOIN screenings s ON s.cinema = c.id\n"
         "WHERE c.id = 'rex' AND s.day BETWEEN '2026-07-10' AND '2026-07-11' ORDER BY s.day, s.number;",
         [(REX["city"], *one[1:]) for one in REX_SHOWS],
         ['GetItem demo-program key pk = "CINEMA#rex" AND sk = "PROFILE": 1 item, 0.5 units',
          'Query demo-program key pk = "CINEMA#rex" AND sk BETWEEN "SHOW#2026-07-10" AND "SHOW#2026-07-12": '
          f"{len(REX_SHOWS)} items, 0.5 units"]),
    Step("An index with composed keys",
         "trusted_indexes promises that each screening has the index's keys, as their templates spell them.",
         "SELECT day, cinema, sold FROM screenings\n"
         "WHERE movie = 'The Paper Harbour' AND day >= '2026-07-28' ORDER BY day, cinema;",
         [(one[1], one[0], one[4]) for one in screenings_with("The Paper Harbour", "2026-07-28")],
         ['Query demo-program index by_movie key gpk = "MOVIE#The Paper Harbour" AND gsk >= "2026-07-28" '
          'filter begins_with(pk, "CINEMA#") AND sk BETWEEN "SHOW#2026-07-28" AND "SHOW$": '
          f"{len(screenings_with('The Paper Harbour', '2026-07-28'))} items, 0.5 units"]),
    Step("A report",
         "One Query for each customer, all of them in flight together; PostgreSQL does the arithmetic.",
         "SELECT customer_id, count(*) AS orders, sum(total) AS turnover, max(total) AS largest\n"
         "FROM orders WHERE customer_id IN ('c-001', 'c-002', 'c-003')\n"
         "GROUP BY customer_id ORDER BY customer_id;",
         report(CUSTOMERS),
         [f'Query demo-orders key customer_id = "{customer}": 40 items, 1 unit' for customer in CUSTOMERS]),
    Step("A count",
         "Nothing is left to check here, so that DynamoDB counts and no item is transferred.",
         "SELECT count(*) FROM orders WHERE status = 'returned';",
         [(len(orders_in("returned")),)],
         [f'Query demo-orders index by_status key status = "returned" count only: {len(orders_in("returned"))} items, '
          '1.5 units']),
    Step("No key: the whole table is read, and said so",
         "The filter travels along and spares the transfer, but DynamoDB bills what it reads. scan_policy decides.",
         "SELECT name, year, rating FROM movies WHERE rating >= 9.7 ORDER BY rating DESC, name;",
         rows_of(sorted((m for m in MOVIES if m["rating"] >= Decimal("9.7")),
                        key=lambda m: (-m["rating"], m["name"])), "name", "year", "rating"),
         ["Scan demo-movies filter rating >= 9.7: 6 items, 9.5 units"],
         ['WARNING:  full scan of DynamoDB table "demo-movies" (420 items, 74.0 kB, about 9.2 read units)\n'
          'HINT:  Add a condition on partition key "name" to avoid the scan, or set scan_policy to "allow" to silence this warning.']),
    Step("A new item",
         "INSERT is one PutItem, on condition that the key does not exist: a second one would be an error, as in any table.",
         f"INSERT INTO songs VALUES ('{NEW_SONG}', 'The Paper Harbour', 181, 'edda.arden') RETURNING name, seconds;",
         [(NEW_SONG, 181)],
         [f'PutItem demo-songs where name = "{NEW_SONG}"']),
    Step("A change that depends on the row",
         "The row is read, and written on condition that seconds is still what was read: no update of another writer is lost.",
         f"UPDATE songs SET seconds = seconds + 4 WHERE name = '{NEW_SONG}' RETURNING seconds;",
         [(185,)],
         [f'GetItem demo-songs key name = "{NEW_SONG}": 1 item, 1 unit',
          f'UpdateItem demo-songs where name = "{NEW_SONG}" SET seconds = 185']),
    Step("A deletion",
         "The key is known and nothing else matters, so that no read is needed. ROLLBACK would not undo any of this.",
         f"DELETE FROM songs WHERE name = '{NEW_SONG}';",
         [("DELETE 1",)],
         [f'DeleteItem demo-songs where name = "{NEW_SONG}"']),
    ExplainStep("How a statement is answered",
                "EXPLAIN names the request; with ANALYZE, also what it cost.",
                "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF)\n"
                "SELECT ordered_at, total FROM orders\n"
                "WHERE status = 'returned' AND total > 500 ORDER BY ordered_at DESC;",
                [("Operation: Query",), ("Remote Table: demo-orders",), ("Index: by_status",),
                 ("Key Condition: status = 'returned'::text",), ("Remote Filter: total > '500'::numeric",),
                 ("Order: descending",),
                 ("Requests: 1  Pages: 1  Items Read: 62  Items Returned: "
                  f"{len([o for o in orders_in('returned') if o['total'] > 500])}  Read Units: 1.5  Retries: 0",)],
                ['Query demo-orders index by_status key status = "returned" filter total > 500 backward: '
                 f"{len([o for o in orders_in('returned') if o['total'] > 500])} items, 1.5 units"]),
]
