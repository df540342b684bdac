"""Games of many players in one table, made up: players, games, and who plays in which game, each an item with keys of its own.

A game is open until fifty players have joined; then it starts, and two of these have ended, with three places. Many players
are in one or two games, some in none.

    PK                  SK
    USER#name           #METADATA#name      a player
    GAME#id             #METADATA#id        a game
    GAME#id             USER#name           a player in a game
"""
import datetime
import random
import uuid

from films import FIRST, LAST

MAPS = ("Green Grasslands", "Dirty Desert", "Open Ocean", "Juicy Jungle", "Urban Underground")
SIZES = (34, 50, 50, 50, 1, 50, 1, 21, 17, 34, 46, 49, 50, 50, 17)      # players in each game
FULL, ENDED = 50, (3, 5)
BEGAN = datetime.datetime(2019, 4, 13, 14)
GAME, ME = 10, 42       # a game of 46 players, and the player in three games


def players(rng):
    """300 of them."""
    for n in range(300):
        first, last = FIRST[n * 7 % len(FIRST)], LAST[n * 11 % len(LAST)]
        name = f"{first}{last}{n}".encode("ascii", "ignore").decode().replace("'", "").lower()
        yield {"PK": f"USER#{name}", "SK": f"#METADATA#{name}", "username": name, "name": f"{first} {last}", "email": f"{name}@mail.example",
               "birthdate": f"{1910 + n * 13 % 105}-{1 + n % 12:02}-{1 + n % 28:02}", "address": f"{rng.randrange(1, 9999)} {last} Street\nNew {first}, {n * 331:05}"}


def game(rng, number, names):
    """Its item, and those of the players in it."""
    key, created = str(uuid.UUID(int=rng.getrandbits(128), version=4)), BEGAN + datetime.timedelta(hours=4 * number, seconds=rng.randrange(14400))
    made = {"PK": f"GAME#{key}", "SK": f"#METADATA#{key}", "game_id": key, "map": MAPS[number % 2] if number < 12 else MAPS[number - 10],
            "create_time": created.isoformat(), "creator": names[0], "people": len(names)}
    places = dict(zip(("gold", "silver", "bronze"), names[1:])) if number in ENDED else {}
    made.update({"start_time": (created + datetime.timedelta(minutes=10)).isoformat()} if len(names) == FULL else {"open_timestamp": created.isoformat()})
    if places:
        made.update(places, end_time=(created + datetime.timedelta(minutes=30)).isoformat())
    place_of = {name: place for place, name in places.items()}
    return [made, *({"PK": made["PK"], "SK": f"USER#{name}", "game_id": key, "username": name, **({"place": place_of[name]} if name in place_of else {})}
                    for name in names)]


def battles():
    """All items, always the same; the id of the game GAME, and the name of the player ME."""
    rng = random.Random(1958)
    made = list(players(rng))
    names = [player["username"] for player in made]
    games, me, others = [], names[ME], names[:ME] + names[ME + 1:-20]
    for number, size in enumerate(SIZES):
        joined = rng.sample(others, size)
        if number in (1, *ENDED):
            joined[-1] = me
        games.append(game(rng, number, joined))
    return [*made, *(item for one in games for item in one)], games[GAME][0]["game_id"], me
