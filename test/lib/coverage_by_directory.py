#!/usr/bin/python3
"""The share of executed lines of each directory of src/, from gcovr's JSON: argv[1]; at least argv[2] percent.

A file below that share is named, with its reason: a comment in it, "coverage: the child process ends without counting".
A file without a reason has failed.
"""
import collections
import json
import os
import re
import sys


def lines_of(entry):
    """How often each line of a file was executed: a line of a header has an entry for each object."""
    lines = collections.Counter()
    for line in entry["lines"]:
        lines[line["line_number"]] += line["count"]
    return lines


def reason_for(path):
    """The reason that the file gives for lines that no test executes."""
    with open(path, encoding="utf-8") as file:
        found = re.search(r"coverage: (.*?)\s*(?:\*/|\.$)", file.read(), re.M | re.S)
    return re.sub(r"\s+\*?\s*", " ", found.group(1)) if found else None


def main(path, least):
    """Print a line for each directory, and for each file below, and the summary."""
    total, hit, below = collections.Counter(), collections.Counter(), []
    with open(path, encoding="utf-8") as file:
        files = json.load(file)["files"]
    for entry in files:
        directory, lines = os.path.dirname(entry["file"]), lines_of(entry)
        executed = sum(count > 0 for count in lines.values())
        total[directory] += len(lines)
        hit[directory] += executed
        if 100 * executed < least * len(lines):
            below.append((entry["file"], 100 * executed / len(lines), len(lines)))
    results = []
    for directory in sorted(total):
        share = 100 * hit[directory] / total[directory]
        results.append((share >= least, f"{directory}: {share:.1f} % of {total[directory]} lines"))
    for name, share, count in sorted(below):
        reason = reason_for(name)
        results.append((reason is not None, f"{name}: {share:.1f} % of {count} lines, {reason or 'without a reason'}"))
    for good, text in results:
        print(f"{'ok' if good else 'not ok'} - coverage of {text}")
    failed = sum(not good for good, _ in results)
    print(f"# {100 * sum(hit.values()) / max(1, sum(total.values())):.1f} % of {sum(total.values())} lines in all")
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], float(sys.argv[2])))
