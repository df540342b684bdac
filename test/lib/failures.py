#!/usr/bin/python3
"""Shows again what failed, from the output of tests: a reader of a long log sees its end first.

usage: failures.py <OUTPUT

Prints, as comments, the lines of the output that show a failure ("not ok", "not covered") and the reports of differences
that test/diff makes, with the lines that explain them: what follows as comments, or came just before. It prints about
LINES in all, and nothing where nothing failed.
"""
import re
import sys

LINES = 60
WIDTH = 1000     # of a line; plans are long

FAILURE = re.compile(r"not ok\b|not covered: |DIFFERENCE in ")
VERDICT = re.compile(r"(ok|skip) - |\d+ passed, \d+ failed|unit .*: \d+ passed|== ")


def failures(lines):
    """Lists of lines, each about one failure."""
    found, before, inside = [], [], None    # what explains comes after the line, or before it as in unit tests
    for line in lines:
        if FAILURE.match(line):
            inside = [line] + before
            found.append(inside)
            before = []
        elif VERDICT.match(line) or not line.strip():
            inside, before = None, []
        elif inside and inside[0].startswith("DIFFERENCE") and not line.startswith("# "):
            inside.append(line)
        elif inside and line.startswith("#  "):
            inside.append(line)
        else:
            inside = None
            before = before + [line] if line.startswith("#  ") else []
    return found


def shorten(block, limit):
    """The beginning and the end of a block that is too long."""
    if len(block) <= limit:
        return block
    if limit < 4:
        return block[:1]
    first = limit // 3
    return block[:first] + ["..."] + block[first + 1 - limit:]


def show(found):
    """The lines to print."""
    shown = found[:LINES]
    yield f"# what failed, {len(found)} in all:"
    for block in shown:
        for line in shorten(block, LINES // len(shown)):
            yield "# " + line[:WIDTH]
    if len(found) > len(shown):
        yield f"# and {len(found) - len(shown)} more"


def main():
    """Read, and print."""
    sys.stdin.reconfigure(errors="replace")
    sys.stdout.reconfigure(errors="replace")
    found = failures(line.rstrip("\n") for line in sys.stdin)
    if found:
        print("\n".join(show(found)))


if __name__ == "__main__":
    main()
