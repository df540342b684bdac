"""Thousands of films, made up: each with a map that holds lists, some members of which are missing now and then.

Of 92 years, more of the later ones; titles that come again in other years, ratings that are integers or not, genres
and actors by the popularity of these, in all a few megabytes.
"""
import random
from decimal import Decimal

FIRST = ("Ada Amir Anja Bela Bruno Carla Chidi Clara Dara Dmitri Edda Emil Esra Faye Felix Gita Greta Hanno Hilde Ines Ivo Jana Joon Kaya Kofi Lale Lars "
         "Leila Lotte Luca Mara Mats Mei Milo Nadia Nils Noor Olga Omar Paula Pio Quinn Rana Rolf Rosa Samir Selma Sofie Tariq Thea Timo Ulla Umar Vera Viggo "
         "Wanda Wim Yara Yusuf Zoë").split()
LAST = ("Abel Adeyemi Ahrens Almeida Bakker Barros Becher Bianchi Blom Brandt Castro Cohen Dahl Demir Dorn Duarte Ebert Eriksen Falk Farah Ferrer Fiedler Fuchs "
        "Gallo Garza Grimm Haddad Hale Hansen Herzog Holt Ilić Ito Jansen Juhász Kaplan Keller Khan Klein Koch Kovač Kraus Lang Leroy Lind Lopes Maas Mäkinen "
        "Meyer Molina Moreau Nagy Nowak O'Dell O'Shea Okafor Olsen Ortiz Park Peeters Petrov Pohl Popa Quist Ramos Rossi Roth Ruiz Sato Schulz Silva Simić Sousa "
        "Stein Sørensen Tanaka Thoma Torres Urban Varga Vidal Vogt Wagner Weber Winter Wolff Yılmaz Zeman Ziegler Zima").split()
WHICH = "Blue Broken Burning Crooked Distant Empty Endless Fallen First Golden Hidden Hollow Iron Last Lonely Lost Northern Paper Quiet Red Second Silent Silver Wild".split()
WHAT = "Acre Bell Bridge Circus Crossing Daughter Door Estuary Garden Glacier Harbour Island Letter Lighthouse Mirror Mountain Orchard Piano Railway River Shore Summer Train Winter".split()
GENRES = "Drama Comedy Thriller Action Romance Adventure Crime Horror Mystery Family Animation Biography History Sport Musical War Western".split()
DEEDS = ("finds a map in the attic", "returns to a town that has forgotten everything", "must cross the country before the snow comes", "loses a bet and wins a friend",
         "is mistaken for a spy", "builds a boat in the desert", "learns what the letter said", "keeps a promise for forty years")
YEARS = [1920, 1921, 1922, *range(1925, 2013), 2013]
STAR = "Edda Hale"      # has more films than all others


def popular(rng, names, skew):
    """One of them: the earlier ones are more frequent."""
    return names[int(len(names) * rng.random() ** skew)]


def several(rng, names, skew, count):
    """Different ones."""
    chosen = []
    while len(chosen) < count:
        name = popular(rng, names, skew)
        if name not in chosen:
            chosen.append(name)
    return chosen


def details(rng, n, year, people):
    """The map of a film."""
    info = {"directors": several(rng, people[::-1], 1.2, 1 + (n % 9 == 0)), "rank": n + 1,
            "genres": several(rng, GENRES, 1.5, 1 + n % 4), "actors": several(rng, people, 1.5, 3 if n % 200 else 1 + n // 200 % 2)}
    optional = {"rating": (Decimal(10 + rng.randrange(88)) / 10, n % 23), "running_time_secs": (3600 + 60 * rng.randrange(90), n % 17),
                "release_date": (f"{year}-{1 + rng.randrange(12):02}-{1 + rng.randrange(28):02}T00:00:00Z", n % 160),
                "image_url": (f"https://images.example/films/{n:08}/poster-large.jpg", n % 29),
                "plot": (f"A {popular(rng, WHICH, 1).lower()} stranger {popular(rng, DEEDS, 1)}, and {popular(rng, people, 1)} {popular(rng, DEEDS, 1)}.", n % 11)}
    info.update({name: value for name, (value, rest) in optional.items() if rest})
    for name, numbers in (("genres", (700, 1700, 2700)), ("actors", (800, 1700, 3900))):
        if n in numbers:
            del info[name]
    return info


def films(count=4609):
    """A list of dicts with year, title and info, always the same; a title comes once in a year."""
    rng = random.Random(1895)
    people = [f"{first} {last}" for first in FIRST for last in LAST]
    rng.shuffle(people)
    people.remove(STAR)
    people.insert(0, STAR)
    made = {}
    for n in range(count):
        year = YEARS[n] if n < len(YEARS) else YEARS[-1 - int(len(YEARS) * rng.random() ** 3)]
        title = f"The {popular(rng, WHICH, 1)} {popular(rng, WHAT, 1)}"
        while (year, title) in made:
            title += " Again"
        made[year, title] = {"year": year, "title": title, "info": details(rng, n, year, people)}
    return list(made.values())
