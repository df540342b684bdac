#!/usr/bin/python3
"""The share of executed lines of each directory of src/, from gcovr's JSON: argv[1]; at least argv[2] percent."""
import collections
import json
import os
import sys


def main(path, least):
    """Print a line for each directory, and the summary."""
    total, hit = collections.Counter(), collections.Counter()
    with open(path, encoding="utf-8") as file:
        files = json.load(file)["files"]
    for entry in files:
        directory = os.path.dirname(entry["file"])
        lines = {}      # a line of a header has an entry for each object
        for line in entry["lines"]:
            lines[line["line_number"]] = lines.get(line["line_number"], 0) + line["count"]
        total[directory] += len(lines)
        hit[directory] += sum(count > 0 for count in lines.values())
    failed = 0
    for directory in sorted(total):
        share = 100 * hit[directory] / total[directory]
        failed += share < least
        print(f"{'ok' if share >= least else 'not ok'} - coverage of {directory}: {share:.1f} % of {total[directory]} lines")
    print(f"# {100 * sum(hit.values()) / max(1, sum(total.values())):.1f} % of {sum(total.values())} lines in all")
    print(f"{len(total) - failed} passed, {failed} failed")
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], float(sys.argv[2])))
