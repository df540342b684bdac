#!/usr/bin/python3
"""Writes the pages that bench_server serves, and a CSV of the same rows for file_fdw.

usage: make_pages.py DIR [--items N] [--page-bytes N] [--documents]

The same arguments give the same bytes. An item has about 250 bytes as DynamoDB counts them and eight attributes:
id (S, the key), n (N), price (N), name (S), created (S), active (BOOL), note (S) and info (M). With --documents it has
three, and about 600 bytes: id (S), customer (M, with maps and a list in it) and lines (L of one to five M). A page
holds as many as DynamoDB would put into one response. A directory that is complete is left alone.
"""
import argparse
import csv
import json
import os
import random
import shutil
import sys

NOTES = ["said \"%s\" twice", "path C:\\%s\\data", "line one\nline two, %s", "%s naïve café, Größe 12 €", "plain words about %s",
         "日本語の%s", "tab\there %s", "slashes a/b/%s"]
WORDS = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "juniper", "kelp", "larch",
         "marsh", "nettle", "ocean", "pine", "quartz", "river", "stone", "tundra"]

# Which version of this file's data a directory holds.
FORMAT = "2"


def row(number, rng):
    """One row, as Python values in the order of the columns."""
    words = rng.choices(WORDS, k=23)
    note = NOTES[number % len(NOTES)] % " ".join(words[6:])
    created = f"20{rng.randrange(10, 27)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}T" \
              f"{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.randrange(60):02}Z"
    info = {"color": words[5], "weight": rng.randrange(1, 5000), "tag": words[4]}
    return (f"id-{number:08}", rng.randrange(1_000_000), f"{rng.randrange(1, 100_000)}.{rng.randrange(1, 100):02}".rstrip("0"),
            " ".join(words[:3]).title(), created, rng.random() < 0.5, note, info)


def as_item(values):
    """The row as an item."""
    identifier, number, price, name, created, active, note, info = values
    return {"id": {"S": identifier}, "n": {"N": str(number)}, "price": {"N": price}, "name": {"S": name},
            "created": {"S": created}, "active": {"BOOL": active}, "note": {"S": note},
            "info": {"M": {"color": {"S": info["color"]}, "weight": {"N": str(info["weight"])},
                           "tag": {"S": info["tag"]}}}}


class Rows:
    """Rows of eight attributes."""

    make, item = staticmethod(row), staticmethod(as_item)

    @staticmethod
    def record(values):
        """The row as text, for a CSV file."""
        return (*values[:5], "t" if values[5] else "f", values[6], json.dumps(values[7]))


def customer(rng):
    """A map with maps and a list in it."""
    words = rng.choices(WORDS, k=9)
    name = " ".join(words[:2]).title()
    return {"id": f"C-{rng.randrange(1_000_000):06}", "name": name, "email": f"{words[0]}.{words[1]}@{words[2]}.example",
            "address": {"street": f"{rng.randrange(1, 300)} {words[3].title()} \"{words[4]}\" Road", "city": words[5].title(),
                        "zip": f"{rng.randrange(100_000):05}", "country": rng.choice(("DE", "FR", "Österreich", "IT")),
                        "location": {"lat": rng.randrange(-90_000_000, 90_000_000) / 1e6,
                                     "lon": rng.randrange(-180_000_000, 180_000_000) / 1e6}},
            "vip": rng.random() < 0.1, "since": f"20{rng.randrange(10, 27)}-{rng.randrange(1, 13):02}-01T08:00:00Z",
            "orders": rng.randrange(500), "tags": words[6:6 + rng.randrange(4)], "referrer": None}


def line(number, rng):
    """A map of an order's line."""
    words = rng.choices(WORDS, k=5)
    return {"line": number, "sku": f"SKU-{rng.randrange(100_000):05}-{words[0][:2].upper()}",
            "title": " ".join(words).capitalize(), "quantity": rng.randrange(1, 20),
            "price": rng.randrange(100, 100_000) / 100, "options": {"color": words[1], "gift": rng.random() < 0.2}}


def as_value(content):
    """A JSON value as an attribute value."""
    if content is None:
        return {"NULL": True}
    if isinstance(content, bool):
        return {"BOOL": content}
    if isinstance(content, str):
        return {"S": content}
    if isinstance(content, dict):
        return {"M": {name: as_value(member) for name, member in content.items()}}
    if isinstance(content, list):
        return {"L": [as_value(element) for element in content]}
    return {"N": f"{content:.6f}".rstrip("0").rstrip(".") if isinstance(content, float) else str(content)}


class Documents:
    """Rows of two documents."""

    @staticmethod
    def make(number, rng):
        """One row, as Python values in the order of the columns."""
        return f"id-{number:08}", customer(rng), [line(at, rng) for at in range(1, rng.randrange(2, 7))]

    @staticmethod
    def item(values):
        """The row as an item."""
        return {name: as_value(value) for name, value in zip(("id", "customer", "lines"), values)}

    @staticmethod
    def record(values):
        """The row as text, for a CSV file."""
        return values[0], json.dumps(values[1]), json.dumps(values[2])


def size(value):
    """Bytes of an attribute value as DynamoDB counts them."""
    kind, content = next(iter(value.items()))
    if kind == "L":
        return 3 + sum(map(size, content)) + len(content)
    if kind == "S":
        return len(content.encode())
    if kind == "N":
        return (len(content.replace(".", "")) + 1) // 2 + 1
    return 3 + item_size(content) + len(content) if kind == "M" else 1


def item_size(item):
    """Bytes of an item as DynamoDB counts them."""
    return sum(len(name) + size(value) for name, value in item.items())


class Pages:
    """Collects items and writes a page file whenever one is full."""

    def __init__(self, directory, page_bytes):
        self.directory, self.page_bytes = directory, page_bytes
        self.items, self.bytes, self.count, self.total = [], 0, 0, 0

    def add(self, item):
        """One more item, on the next page if this one is full."""
        need = item_size(item)
        if self.items and self.bytes + need > self.page_bytes:
            self.flush()
        self.items.append(item)
        self.bytes += need
        self.total += need

    def flush(self):
        """Write the page."""
        if self.items:
            write(self.directory, f"page-{self.count:06}.json",
                  {"Count": len(self.items), "ScannedCount": len(self.items), "Items": self.items})
            self.count += 1
        self.items, self.bytes = [], 0


def write(directory, name, document):
    """One prepared response, in the compact form that DynamoDB sends."""
    with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
        json.dump(document, file, ensure_ascii=False, separators=(",", ":"))


def describe(count, total):
    """DescribeTable's response."""
    return {"Table": {"TableName": "bench", "TableStatus": "ACTIVE", "CreationDateTime": 1767225600.0,
                      "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                      "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"}
                                               for name in ("id", "name", "created")],
                      "ItemCount": count, "TableSizeBytes": total,
                      "GlobalSecondaryIndexes": [
                          {"IndexName": "by_name", "IndexStatus": "ACTIVE", "ItemCount": count, "IndexSizeBytes": total,
                           "KeySchema": [{"AttributeName": "name", "KeyType": "HASH"},
                                         {"AttributeName": "created", "KeyType": "RANGE"}],
                           "Projection": {"ProjectionType": "ALL"}}],
                      "TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/bench",
                      "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"}}}


def generate(directory, items, page_bytes, rows):
    """Write everything."""
    rng = random.Random(20261121)
    pages = Pages(directory, page_bytes)
    first = None
    with open(os.path.join(directory, "rows.csv"), "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        for number in range(items):
            values = rows.make(number, rng)
            item = rows.item(values)
            first = first or item
            pages.add(item)
            writer.writerow(rows.record(values))
    pages.flush()
    write(directory, "table.json", describe(items, pages.total))
    write(directory, "item.json", {"Item": first})
    write(directory, "batch.json", {"Responses": {"bench": [first]}, "UnprocessedKeys": {}})
    return pages


def main():
    """Generate, unless it is there already."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory")
    parser.add_argument("--items", type=int, default=200_000)
    parser.add_argument("--page-bytes", type=int, default=1 << 20, help="as DynamoDB counts them; default: 1 MB")
    parser.add_argument("--documents", action="store_true", help="items of two documents")
    options = parser.parse_args()
    stamp = os.path.join(options.directory, "complete")
    wanted = f"{FORMAT} {options.items} {options.page_bytes}{' documents' if options.documents else ''}"
    if os.path.exists(stamp):
        with open(stamp, encoding="ascii") as file:
            if file.read() == wanted:
                return 0
        shutil.rmtree(options.directory)
    os.makedirs(options.directory, exist_ok=True)
    pages = generate(options.directory, options.items, options.page_bytes, Documents if options.documents else Rows)
    with open(stamp, "w", encoding="ascii") as file:
        file.write(wanted)
    print(f"{options.items} items of {pages.total // options.items} bytes on {pages.count} pages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
