"""Runs the benches that are named, or all, and prints their table. See test/bench."""
import sys

from cancels import cancel
from joins import join_memory, join_planning, joins
from latencies import latency, planning
from reader import reader
from report import note, print_table
from scans import ceiling, memory, scan_cpu, scan_wall
from world import World

BENCHES = {"ceiling": ceiling, "reader": reader, "scan-cpu": scan_cpu, "scan-wall": scan_wall, "latency": latency,
           "planning": planning, "memory": memory, "cancel": cancel, "joins": joins, "join-memory": join_memory,
           "join-planning": join_planning}


def main(names):
    """Measure and print; the status tells of missed limits."""
    if names == ["--list"]:
        for name, bench in BENCHES.items():
            print(f"{name:13} {bench.__doc__}")
        return 0
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        print(f"test/bench: unknown bench: {unknown[0]} ({', '.join(BENCHES)} are known)", file=sys.stderr)
        return 2
    sections = {}
    world = World()
    try:
        for name in names or BENCHES:
            note(f"{name}: {BENCHES[name].__doc__}")
            sections[name] = BENCHES[name](world)
    finally:
        world.close()
    print_table(sections)
    missed = [figure for figures in sections.values() for figure in figures if figure.verdict == "MISSED"]
    print(f"\n{len(missed)} limits missed" if missed else "\nevery limit kept")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
