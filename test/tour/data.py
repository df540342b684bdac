"""The demo's tables: movies and their songs, users with e-mail lists and the songs they like, orders by customer and
time, and a program with two entities in one table: cinemas and their screenings.

Everything is computed from counters, so that every machine has the same items. The tour computes what it expects
from these very lists.
"""
import os
import sys
import zlib
from datetime import datetime, timedelta
from decimal import Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

from dynamo import index     # noqa: E402  (the path above is needed first)

PREFIX = "demo-"

ADJECTIVES = """Amber Broken Crimson Distant Electric Forgotten Golden Hidden Iron Jade Last Midnight Northern Paper
    Quiet Restless Silver Twisted Velvet Winter""".split()
NOUNS = """Harbour Lantern Orchard River Station Garden Bridge Compass Letter Island Mirror Parade Railway Summer
    Theatre Valley Waltz Window Country Signal""".split()
WOMEN = "Ada Carla Edda Greta Ines Kira Mina Olga".split()
MEN = "Bela Dario Farid Hugo Jonas Lorenz Nuno Pavel".split()
LAST_NAMES = "Arden Brandt Costa Dahl Engel Fuchs Grau Holt Ivers Jung Koch Lund".split()
GENRES = ["comedy", "crime", "drama", "musical", "romance", "western"]
OPENINGS = """Dancing Dreaming Falling Flying Humming Laughing Running Sailing Singing Sleeping Walking
    Waiting""".split()
PLACES = """at the Fair|by the Sea|in the Rain|on the Roof|under the Stars|without You|after Dark|before Dawn|
    down the Road|for a Penny""".replace("\n    ", "").split("|")
ENDINGS = ["", "Again", "Alone", "in Blue", "in Spring", "Once More", "Tonight", "Together", "Twice", "with Mother",
           "with Susie", "Tomorrow"]
STATUSES = ["open"] + 12 * ["paid", "shipped"] + ["returned"]
CINEMAS = ["apollo", "astoria", "capitol", "eden", "lux", "odeon", "palace", "rex", "rialto", "roxy", "scala", "tivoli"]
CITIES = ["Basel", "Bergen", "Bologna"]
PRODUCTS = ["kettle", "lamp", "notebook", "radio", "scarf", "teapot", "umbrella"]


def pick(choices, *what):
    """One of the choices, always the same for the same words."""
    return choices[zlib.crc32(repr(what).encode()) % len(choices)]


def person(first_names, *what):
    """A name for someone."""
    return f"{pick(first_names, 'first', *what)} {pick(LAST_NAMES, 'last', *what)}"


TITLES = [f"The {adjective} {noun}" for adjective in ADJECTIVES for noun in NOUNS]
SONG_NAMES = [" ".join(filter(None, (opening, place, ending)))
              for ending in ENDINGS for opening in OPENINGS for place in PLACES]


def make_songs():
    """Up to six songs for each title; movie_id is the movie's name, the has_many way."""
    names = iter(SONG_NAMES)
    return [{"name": next(names), "movie_id": title, "seconds": pick(range(95, 290), title, number),
             "singer": person(WOMEN + MEN, title, number)}
            for title in TITLES for number in range(pick(range(7), title, "songs"))]


def make_movie(title, year, songs):
    """A film, with the list of its songs' names."""
    return {"name": title, "year": year, "actor": person(MEN, title, year),
            "actress": person(WOMEN, title, year),
            "released": year % 7 != 0, "rating": Decimal(pick(range(21, 98), title, year, "rating")) / 10,
            "genres": {pick(GENRES, title, number) for number in range(2)}, "song_ids": songs}


def make_movies(songs):
    """A film for each title; one in twenty was made again thirty years later, without songs."""
    of_title = {}
    for song in songs:
        of_title.setdefault(song["movie_id"], []).append(song["name"])
    for number, title in enumerate(TITLES):
        year = pick(range(1940, 1990), title, "year")
        yield make_movie(title, year, of_title.get(title, []))
        if number % 20 == 0:
            yield make_movie(title, year + 30, [])


def make_user(number):
    """Someone with e-mail addresses: strings at first, maps in newer items."""
    name = f"{(WOMEN + MEN)[number % 16]}.{LAST_NAMES[number // 16]}".lower()
    emails = [f"{name}@{host}.example" for host in ("home", "work", "club")[:1 + pick(range(3), name)]]
    if number % 3 == 0:
        emails = [{"id": email, "verified": pick([True, False], email)} for email in emails]
    return {"name": name, "age": pick(range(18, 90), name, "age"), "emails": emails}


def make_order(customer, number):
    """One order of a customer; times ascend, the total is that of the lines."""
    key = (customer, number)
    lines = [{"product": pick(PRODUCTS, key, line), "quantity": pick(range(1, 5), key, line, "quantity"),
              "price": Decimal(pick(range(199, 9900, 50), key, line, "price")) / 100}
             for line in range(pick(range(1, 4), key, "lines"))]
    ordered_at = datetime(2026, 1, 1, 8) + timedelta(hours=105 * number + pick(range(100), key, "hours"),
                                                     minutes=pick(range(60), key, "minutes"))
    return {"customer_id": f"c-{customer:03}", "ordered_at": ordered_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "status": pick(STATUSES, key, "status"),
            "total": sum(line["quantity"] * line["price"] for line in lines), "lines": lines}


def make_likes(users, songs):
    """Which user likes which songs: up to eight each."""
    for user in users:
        liked = {pick(songs, user["name"], number)["name"] for number in range(pick(range(9), user["name"], "likes"))}
        for song in sorted(liked):
            yield {"user_name": user["name"], "song": song}


def make_program():
    """Cinemas, each with one or two screenings a day in its item collection; keys are composed of the values."""
    for cinema in CINEMAS:
        yield {"pk": f"CINEMA#{cinema}", "sk": "PROFILE", "city": pick(CITIES, cinema),
               "seats": pick(range(80, 400), cinema)}
        for day in (f"2026-07-{number:02}" for number in range(1, 31)):
            for number in range(1, 2 + pick(range(2), cinema, day)):
                movie = pick(TITLES[::20], cinema, day, number)
                yield {"pk": f"CINEMA#{cinema}", "sk": f"SHOW#{day}#{number:02}", "gpk": f"MOVIE#{movie}", "gsk": day,
                       "sold": pick(range(5, 80), cinema, day, number, "sold")}


SONGS = make_songs()
MOVIES = list(make_movies(SONGS))
USERS = [make_user(number) for number in range(16 * 12)]
LIKES = list(make_likes(USERS, SONGS))
ORDERS = [make_order(customer, number) for customer in range(1, 51) for number in range(40)]
PROGRAM = list(make_program())

# Name, items, partition key, sort key, indexes.
TABLES = [
    ("movies", MOVIES, ("name", "S"), ("year", "N"), []),
    ("songs", SONGS, ("name", "S"), None, [index("song-movie-index", ("movie_id", "S"))]),
    ("users", USERS, ("name", "S"), None, []),
    ("likes", LIKES, ("user_name", "S"), ("song", "S"), [index("song-user-index", ("song", "S"), ("user_name", "S"))]),
    ("orders", ORDERS, ("customer_id", "S"), ("ordered_at", "S"),
     [index("by_status", ("status", "S"), ("ordered_at", "S"))]),
    ("program", PROGRAM, ("pk", "S"), ("sk", "S"), [index("by_movie", ("gpk", "S"), ("gsk", "S"))]),
]


def load(dynamo, reload):
    """Make the tables and fill them, those that are not complete already or, if again, all; returns the number of items
    written."""
    written = 0
    for name, items, hash_key, range_key, indexes in TABLES:
        if reload or not is_complete(dynamo, PREFIX + name, len(items)):
            dynamo.create_table(PREFIX + name, hash_key, range_key, indexes)
            dynamo.put(PREFIX + name, items)
            written += len(items)
    return written


def is_complete(dynamo, name, count):
    """Is the table there, with that many items?"""
    if name not in dynamo.call("ListTables", {"ExclusiveStartTableName": name[:-1]})["TableNames"]:
        return False
    return dynamo.call("DescribeTable", {"TableName": name})["Table"]["ItemCount"] == count
