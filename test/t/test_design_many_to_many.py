"""Many-to-many with an inverted index: players, games, and who plays in which game, as in the game of amazon-dynamodb-labs, each item a row of one entity."""
import collections

import designs
import request_text
from battles import battles
from dynamo import index
from request_text import statements


def entity(item):
    """What an item is."""
    return "player" if item["PK"].startswith("USER#") else "game_player" if item["SK"].startswith("USER#") else "game"


ITEMS, GAME, ME = battles()
OF = collections.defaultdict(list)
for one in ITEMS:
    OF[entity(one)].append(one)
COLUMNS = {"player": ("username", "name", "email", "birthdate"), "game": ("game_id", "map", "people", "creator", "open_timestamp", "start_time"),
           "game_player": ("game_id", "username", "place")}
IN_GAME = sorted(one["username"] for one in OF["game_player"] if one["game_id"] == GAME)
MINE = sorted(one["game_id"] for one in OF["game_player"] if one["username"] == ME)
OTHERS = sorted({one["username"] for one in OF["game_player"] if one["game_id"] in MINE} - {ME})


def profiles(names, columns):
    """BatchGetItems of players, as many as necessary."""
    keys = [f"{{PK 'USER#{name}', SK '#METADATA#{name}'}}" for name in names]
    return [f"BatchGetItem battle-royale {' '.join(keys[first:first + 100])} get {columns}" for first in range(0, len(keys), 100)]


QUERIES = [
    ("who plays in a game", f"SELECT p.username, p.email FROM game_player gp JOIN player p USING (username) WHERE gp.game_id = '{GAME}'",
     [f"Query battle-royale where PK = 'GAME#{GAME}' AND begins_with(SK,'USER#') get PK, SK", *profiles(IN_GAME, "PK, SK, email")]),
    ("a game by its key", f"SELECT map, people FROM game WHERE game_id = '{GAME}'",
     [f"GetItem battle-royale {{PK 'GAME#{GAME}', SK '#METADATA#{GAME}'}} get PK, SK, map, people"]),
    ("games of a player", f"SELECT game_id, place FROM game_player WHERE username = '{ME}'",
     [f"Query battle-royale/InvertedIndex where SK = 'USER#{ME}' AND begins_with(PK,'GAME#') get PK, SK, place"]),
    ("open games on a map", "SELECT game_id, people FROM game WHERE map = 'Dirty Desert' AND open_timestamp IS NOT NULL ORDER BY open_timestamp LIMIT 10",
     ["Query battle-royale/OpenGamesIndex where map = 'Dirty Desert' filter begins_with(PK,'GAME#') AND begins_with(SK,'#METADATA#')"
      " get PK, SK, open_timestamp, people limit 50"]),
    ("open games of all maps", "SELECT game_id, map FROM game WHERE open_timestamp IS NOT NULL",
     ["Scan battle-royale filter attribute_type(open_timestamp,'S') AND begins_with(PK,'GAME#') AND begins_with(SK,'#METADATA#') get PK, SK, map, open_timestamp"]),
]


@statements(QUERIES)
class Games(designs.TestCase):
    """Three entities, distinguished by their keys."""

    @classmethod
    def make(cls):
        cls.fx.create_table("battle-royale", ("PK", "S"), ("SK", "S"), [index("InvertedIndex", ("SK", "S"), ("PK", "S")),
                                                                        index("OpenGamesIndex", ("map", "S"), ("open_timestamp", "S"))])
        cls.fx.put("battle-royale", ITEMS)
        at = "timestamp OPTIONS (format 'iso8601(0,)')"
        columns = {"player": "username text NOT NULL, name text, email text, birthdate date",
                   "game": f"game_id uuid NOT NULL, map text NOT NULL, people int, creator text, open_timestamp {at}, start_time {at}",
                   "game_player": "game_id uuid NOT NULL, username text NOT NULL, place text"}
        keys = {"player": ("USER#${username}", "#METADATA#${username}"), "game": ("GAME#${game_id}", "#METADATA#${game_id}"),
                "game_player": ("GAME#${game_id}", "USER#${username}")}
        cls.relations({name: ("battle-royale", columns[name], {"key_templates": dict(zip(("PK", "SK"), keys[name]))},
                              [tuple(one.get(column) for column in COLUMNS[name]) for one in OF[name]]) for name in columns})

    def test_rows(self):
        self.assertTwins()

    def test_round_trip(self):
        """Each item is a row of one entity, and none of two."""
        self.assertEqual([self.fx.value(f"SELECT count(*) FROM {name}") for name in ("player", "game", "game_player")], [300, 15, 520])
        self.assertEqual(self.fx.rows("SELECT * FROM dynamo_fdw_check_table('player')"), [])

    def test_round_trip_without_one(self):
        """The check does see what no entity claims, and what two do."""
        self.fx.execute("ALTER FOREIGN TABLE game RENAME TO game_kept; ALTER FOREIGN TABLE game_kept OPTIONS (SET table_name 'elsewhere')")
        self.addCleanup(self.fx.execute, f"ALTER FOREIGN TABLE game_kept OPTIONS (SET table_name '{self.fx.remote('battle-royale')}'); ALTER FOREIGN TABLE game_kept RENAME TO game")
        self.assertEqual(self.fx.rows("SELECT kind, relation::text, items FROM dynamo_fdw_check_table('player')"), [("unclaimed", None, 15)])

    def test_companions(self):
        """Everybody who shared a game with one player."""
        sql = "SELECT DISTINCT o.username, p.email FROM game_player me JOIN game_player o USING (game_id) JOIN player p ON p.username = o.username" \
            f" WHERE me.username = '{ME}' AND o.username <> me.username"
        requests = self.fx.requests(sql)
        self.assertEqual(collections.Counter(request.operation for request in requests), {"Query": 4, "BatchGetItem": 2})
        self.assertEqual(sorted(request_text.request_text(r, self.fx.database) for r in requests if r.operation == "Query"),
                         sorted([f"Query battle-royale/InvertedIndex where SK = 'USER#{ME}' AND begins_with(PK,'GAME#') get PK, SK",
                                 *(f"Query battle-royale where PK = 'GAME#{game}' AND begins_with(SK,'USER#') get PK, SK" for game in MINE)]))
        requested = [key["PK"]["S"] for r in requests if r.operation == "BatchGetItem" for key in r.body["RequestItems"][self.fx.remote("battle-royale")]["Keys"]]
        self.assertEqual(sorted(requested), [f"USER#{name}" for name in OTHERS])
        rows = sorted(self.fx.rows(sql))
        self.assertEqual(rows, sorted(self.mirrored(sql)))
        self.assertEqual(len(rows), len(OTHERS))
