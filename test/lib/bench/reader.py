"""The page reader alone, against jansson on the same bytes."""
import os
import re
import subprocess

from report import Figure
from world import ROOT

LINE = re.compile(r"(.+?)\s+\d+ us\s+(\d+) MB/s\s+([\d.]+) x jansson")


def reader(_world):
    """How many times faster than jansson a page is read, its trees being built and freed"""
    directory = os.path.join(ROOT, "test", "unit")
    done = subprocess.run([os.path.join(directory, "build", "bench_page")], check=True, stdout=subprocess.PIPE, text=True)
    figures, page = [], ""
    for line in done.stdout.splitlines():
        match = LINE.match(line)
        if not match:
            page = line.split(":")[0]
        elif match[1] != "jansson":
            required = {"limit": 15, "aim": 30} if not figures else {}
            figures.append(Figure(f"{match[1]}, {page}", [float(match[3])], unit=" x", at_least=True, **required))
    return figures
