"""Runs the benches that are named, or all, and prints their table. See test/bench."""
import argparse
import sys

from against import compare_all
from budgets import budget
from cancels import cancel
from joins import join_memory, join_planning, joins, little_work_mem
from latencies import latency, planning
from mapped import mapped
from paces import pace
from reader import reader
from repeated import repeated
from report import note, print_table
from scans import ceiling, memory, scan_cpu, scan_time
from tls import tls
from works import MEANINGS
from world import BenchWorld
from writing import write_memory, writes

BENCHES = {"ceiling": ceiling, "reader": reader, "scan-cpu": scan_cpu, "scan-time": scan_time, "latency": latency,
           "planning": planning, "memory": memory, "cancel": cancel, "budget": budget, "pace": pace,
           "joins": joins, "join-memory": join_memory, "little-memory": little_work_mem, "join-planning": join_planning,
           "repeated": repeated, "tls": tls, "mapped": mapped, "writes": writes, "write-memory": write_memory}


def measure(names):
    """Measure and print; the status reports missed limits."""
    sections = {}
    world = BenchWorld()
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


def list_all():
    """The names of everything, and what it is."""
    for name, bench in BENCHES.items():
        print(f"{name:13} {bench.__doc__}")
    print("with --against:")
    for name, meaning in MEANINGS.items():
        print(f"{name:13} {meaning}")
    return 0


def main(arguments):
    """Do what is requested; returns the exit status."""
    parser = argparse.ArgumentParser(prog="test/bench", add_help=False, allow_abbrev=False)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--against")
    parser.add_argument("--instructions", action="store_true")
    options = parser.parse_args(arguments)
    if options.list:
        return list_all()
    known = MEANINGS if options.against else BENCHES
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"unknown bench: {unknown[0]} ({', '.join(known)} are known)")
    if options.instructions and not options.against:
        parser.error("--instructions goes with --against")
    if options.check:
        return 0
    if options.against:
        return compare_all(options.against, options.names, options.instructions)
    return measure(options.names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
