#!/usr/bin/python3
"""Draws the pictures of the manual from text that can be read in a terminal as it is.

usage: pictures.py             compare docs/pictures with what its sources give; the exit status shows whether they agree
       pictures.py --write     draw: docs/pictures/NAME.log -> NAME.txt (a time line), NAME.txt -> NAME.svg
       pictures.py --measure   first run the statements of the time lines again, in the environment of "test/stack env"

A text is drawn character by character. Lines and boxes are box-drawing characters, bars of four colors the blocks
U+2588 and U+2591 to U+2593, arrows the triangles; the first line is the title. A .log is what a run gave: texts in
lines that begin with "#", and requests as logged, each after the milliseconds since the statement began.
"""
import glob
import html
import os
import re
import subprocess
import sys
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PICTURES = os.path.join(ROOT, "docs", "pictures")

WIDTH, HEIGHT, MARGIN = 8, 18, 16           # of a character, and around all
LEFT, RIGHT, UP, DOWN = 1, 2, 4, 8
LINES = {"─": LEFT | RIGHT, "│": UP | DOWN, "┌": RIGHT | DOWN, "┐": LEFT | DOWN, "└": RIGHT | UP, "┘": LEFT | UP,
         "├": RIGHT | UP | DOWN, "┤": LEFT | UP | DOWN, "┬": LEFT | RIGHT | DOWN, "┴": LEFT | RIGHT | UP,
         "┼": LEFT | RIGHT | UP | DOWN}
ARROWS = {"▼": "{l},{t} {r},{t} {x},{b}", "▲": "{l},{b} {r},{b} {x},{t}",
          "▶": "{l},{t} {l},{b} {r},{y}", "◀": "{r},{t} {r},{b} {l},{y}"}
BARS = "█▓▒░"
SPECIAL = "".join(LINES) + "".join(ARROWS) + BARS
STYLE = """text{font:13px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2328;white-space:pre}
.title{font-weight:bold}.paper{fill:#fff}.box{fill:#f0f4f9}.line{stroke:#57606a;fill:none}.arrow{fill:#57606a}
.bar0{fill:#1f6feb}.bar1{fill:#2da44e}.bar2{fill:#bf8700}.bar3{fill:#a371f7}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.paper{fill:#0d1117}.box{fill:#1c2530}.line{stroke:#8b949e}.arrow{fill:#8b949e}}
"""


# From text to SVG

def middle(column, row):
    """The centre of a character."""
    return MARGIN + column * WIDTH + WIDTH / 2, MARGIN + row * HEIGHT + HEIGHT / 2


def number(value):
    """A coordinate as short as it can be."""
    return f"{value:g}"


def joined(lines, sides, transposed):
    """(row, start, end) of the straight lines along rows (or columns): half characters that touch are one."""
    before, after = sides
    rows = max(map(len, lines)) if transposed else len(lines)
    for row in range(rows):
        start = end = None
        cells = [line[row:row + 1] for line in lines] if transposed else lines[row]
        for place, cell in enumerate(cells):
            for side, first in ((before, 2 * place), (after, 2 * place + 1)):
                if not LINES.get(cell, 0) & side:
                    continue
                if end != first:
                    if start is not None:
                        yield row, start, end
                    start = first
                end = first + 1
        if start is not None:
            yield row, start, end


def strokes(lines):
    """The lines as path data."""
    for row, start, end in joined(lines, (LEFT, RIGHT), False):
        _, y = middle(0, row)
        yield f"M{number(MARGIN + start * WIDTH / 2)} {number(y)}H{number(MARGIN + end * WIDTH / 2)}"
    for column, start, end in joined(lines, (UP, DOWN), True):
        x, _ = middle(column, 0)
        yield f"M{number(x)} {number(MARGIN + start * HEIGHT / 2)}V{number(MARGIN + end * HEIGHT / 2)}"


def boxes(lines):
    """(left, top, right, bottom) of the closed boxes, in characters."""
    for top, line in enumerate(lines):
        for match in re.finditer("┌[─┬┴]*┐", line):
            left, right = match.start(), match.end() - 1
            for bottom in range(top + 1, len(lines)):
                if lines[bottom][left:left + 1] == "└" and lines[bottom][right:right + 1] == "┘":
                    yield left, top, right, bottom
                    break


def texts(line):
    """(column, text) of the words of a line; two blanks part them."""
    plain = "".join(" " if one in SPECIAL else one for one in line)
    for match in re.finditer(r"\S+(?: \S+)*", plain):
        yield match.start(), match.group(0)


def drawing(text):
    """The SVG of a text."""
    lines = text.rstrip("\n").split("\n")
    width, height = (2 * MARGIN + count * size for count, size in ((max(map(len, lines)), WIDTH), (len(lines), HEIGHT)))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">',
           f"<title>{html.escape(lines[0])}</title>", f"<style>{STYLE}</style>",
           f'<rect class="paper" width="{width}" height="{height}" rx="6"/>']
    for left, top, right, bottom in boxes(lines):
        (x, y), (x2, y2) = middle(left, top), middle(right, bottom)
        out.append(f'<rect class="box" x="{number(x)}" y="{number(y)}" width="{number(x2 - x)}" height="{number(y2 - y)}"/>')
    path = "".join(strokes(lines))
    if path:
        out.append(f'<path class="line" d="{path}"/>')
    for row, line in enumerate(lines):
        out += shapes(line, row)
        for column, words in texts(line):
            out.append(f'<text{" class=" + chr(34) + "title" + chr(34) if row == 0 else ""} x="{MARGIN + column * WIDTH}" '
                       f'y="{MARGIN + row * HEIGHT + 13}" textLength="{len(words) * WIDTH}" '
                       f'lengthAdjust="spacingAndGlyphs">{html.escape(words, quote=False)}</text>')
    return "\n".join(out + ["</svg>", ""])


def shapes(line, row):
    """The bars and arrows of a line."""
    for match in re.finditer(r"([█▓▒░])\1*", line):
        x, y = MARGIN + match.start() * WIDTH, MARGIN + row * HEIGHT
        yield (f'<rect class="bar{BARS.index(match.group(1))}" x="{x}" y="{y + 3}" '
               f'width="{len(match.group(0)) * WIDTH - 1}" height="{HEIGHT - 6}" rx="2"/>')
    for column, one in enumerate(line):
        if one in ARROWS:
            x, y = middle(column, row)
            corners = ARROWS[one].format(x=number(x), y=number(y), l=number(x - 4), r=number(x + 4),
                                         t=number(y - 5), b=number(y + 5))
            yield f'<polygon class="arrow" points="{corners}"/>'


# From measured requests to a time line

SCALE = 10         # milliseconds that a character stands for
LABELS = 21         # characters before the bars


class Run:
    """One run of a statement: what it is called, and its requests as (start, end, what) in milliseconds."""

    def __init__(self, title):
        self.title, self.requests = title, []

    def add(self, line):
        """A logged request."""
        end, text = line.split(None, 1)
        match = re.match(r"LOG:  dynamo_fdw: (\w+) demo-(\w+).* \(([\d.]+) ms", text)
        self.requests.append((float(end) - float(match.group(3)), float(end), f"{match.group(1)} {match.group(2)}"))


def runs_of(log):
    """(title, remarks, lanes?, runs) of a .log file."""
    head, runs, lanes = [], [], False
    for line in log.splitlines():
        if line.startswith("## "):
            runs.append(Run(line[3:]))
        elif line.startswith("#"):
            lanes = lanes or line == "#lanes"
            head += [] if line == "#lanes" else [line[2:]]
        else:
            runs[-1].add(line)
    return head[0], head[1:], lanes, runs


def time_line(log):
    """The text of a .log file's picture."""
    title, remarks, lanes, runs = runs_of(log)
    kinds = list(dict.fromkeys(what for run in runs for _, _, what in run.requests))
    out = [title, ""] + remarks
    for run in runs:
        first = min(start for start, *_ in run.requests)
        last = max(end for _, end, _ in run.requests)
        out += ["", f"{run.title}: {len(run.requests)} requests, {last - first:.0f} ms", ""]
        rows = in_lanes(run.requests) if lanes else [[one] for one in sorted(run.requests)]
        for place, row in enumerate(rows):
            label = f"lane {place + 1}" if lanes else row[0][2]
            bars = ""
            for start, end, what in row:
                bars = bars.ljust(round((start - first) / SCALE)) + \
                    BARS[kinds.index(what)] * max(1, round((end - start) / SCALE))
            out.append(f"  {label:{LABELS}}{bars}")
    out += ["", "  " + "   ".join(f"{BARS[place]} {what}" for place, what in enumerate(kinds)) +
            f"   (one character: {SCALE} ms)"]
    return "\n".join(out) + "\n"


def in_lanes(requests):
    """The requests in rows, in which none begins before the one before it has ended. A request is logged a moment after
    its response has come, so that a character's time does not count."""
    lanes = []
    for one in sorted(requests):
        free = [lane for lane in lanes if lane[-1][1] <= one[0] + SCALE]
        if free:
            free[0].append(one)
        else:
            lanes.append([one])
    return lanes


# Measuring

DELAY = 0.040
AHEAD, ALONE = "batched lookup join", "one request after the other (N+1)"
SONGS = """SELECT sc.day, s.name FROM screenings sc JOIN songs s ON s.movie_id = sc.movie
WHERE sc.cinema = 'rex' AND sc.day BETWEEN '2026-07-10' AND '2026-07-16'"""
FANS = """SELECT s.name, u.name, u.age FROM screenings sc JOIN songs s ON s.movie_id = sc.movie
JOIN likes l ON l.song = s.name JOIN users u ON u.name = l.user_name
WHERE sc.cinema = 'rex' AND sc.day BETWEEN '2026-07-10' AND '2026-07-16'"""
MEASURED = {
    "has_many": ("has_many: the movies of a week, and the songs of each movie", "", SONGS,
                 {ALONE: "SET dynamo_fdw.enable_lookup_join = off", AHEAD: "SET dynamo_fdw.enable_lookup_join = on"}),
    "lanes": ("The requests of one statement: four tables, one join after the other", "#lanes\n", FANS,
              {"as dynamo_fdw sends them": "SET dynamo_fdw.enable_lookup_join = on"}),
}


def measure(name, delay=DELAY):
    """The .log of a picture, from a run against DynamoDB Local with a delay in front."""
    import relay                            # needs the stack's Python packages, as drawing does not
    import sessions
    title, lanes, statement, ways = MEASURED[name]
    with relay.Relay(os.environ["DDB_ENDPOINT"], delay) as between:
        database = sessions.provide("demo")
        try:
            settings = ["SET client_min_messages = log", "SET enable_hashjoin = off", "SET enable_mergejoin = off",
                        f"ALTER SERVER ddb OPTIONS (SET endpoint_url '{between.endpoint}')", statement]
            out = [f"# {title}"] + [f"# {line}" for line in statement.splitlines()]
            for way, setting in ways.items():
                out.append(f"## {way}")
                out += timed(database, settings + [setting], statement)
        finally:
            sessions.maintain(f"DROP DATABASE {database} WITH (FORCE)")
    return lanes + "\n".join(out) + "\n"


def timed(database, settings, statement):
    """The request lines of a statement, each after the milliseconds at which it came."""
    with subprocess.Popen(["psql", "-X", "-q", "-d", database, "-o", "/dev/null"], stdin=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, bufsize=1) as psql:
        psql.stdin.write(";\n".join(settings) + ";\n\\warn ready\n")
        psql.stdin.flush()
        for line in psql.stderr:
            if line == "ready\n":
                break
        began = time.monotonic()
        psql.stdin.write(f"SET dynamo_fdw.log_requests = on;\n{statement};\n\\q\n")
        psql.stdin.flush()
        return [f"{(time.monotonic() - began) * 1000:7.1f}  {line.rstrip()}" for line in psql.stderr
                if line.startswith("LOG:")]


# Files

def read(path):
    """A file's text."""
    with open(path, encoding="utf-8") as file:
        return file.read()


def files():
    """(path, text) of everything that is drawn."""
    for path in sorted(glob.glob(os.path.join(PICTURES, "*.log"))):
        yield path[:-3] + "txt", time_line(read(path))
    for path in sorted(glob.glob(os.path.join(PICTURES, "*.txt"))):
        yield path[:-3] + "svg", drawing(read(path))


def main(arguments):
    """See above; returns the exit status."""
    if arguments == ["--measure"]:
        for name in MEASURED:
            with open(os.path.join(PICTURES, f"{name}.log"), "w", encoding="utf-8") as file:
                file.write(measure(name))
    status = 0
    for path, text in files():
        if arguments:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        elif not os.path.exists(path) or read(path) != text:
            print(f"{path} is not what its source gives; see pictures.py --write")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
