"""The table of figures: what was measured, what is allowed, what is aimed at."""
import statistics
import sys

HEADINGS = ("figure", "measured", "min", "max", "limit", "aim", "verdict")


class Figure:
    """One line of the table. Small is good unless at_least is set; a figure without a limit is for information."""

    # pylint: disable=too-many-arguments
    def __init__(self, name, samples, limit=None, aim=None, unit="", at_least=False):
        self.name, self.samples, self.unit, self.at_least = name, samples, unit, at_least
        self.value, self.limit, self.aim = statistics.median(samples), limit, aim

    def keeps(self, bound):
        """Is the measured value on the right side of the bound?"""
        return bound is None or (self.value >= bound if self.at_least else self.value <= bound)

    @property
    def verdict(self):
        """A missed limit shouts, a missed aim does not."""
        if not self.keeps(self.limit):
            return "MISSED"
        if not self.keeps(self.aim):
            return "aim missed"
        return "" if self.limit is None and self.aim is None else "ok"

    def cells(self):
        """The line's texts."""
        spread = (self.show(min(self.samples)), self.show(max(self.samples))) if len(self.samples) > 1 else ("", "")
        return (self.name, self.show(self.value), *spread, self.bound(self.limit), self.bound(self.aim), self.verdict)

    def bound(self, value):
        """A limit or aim, or nothing."""
        return "" if value is None else (">= " if self.at_least else "<= ") + self.show(value)

    def show(self, value):
        """Three digits or more, and the unit."""
        digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
        return f"{value:.{digits}f}{self.unit}"


class Skipped:
    """A line that could not be measured, and why."""

    verdict = "skipped"

    def __init__(self, name, reason):
        self.name = f"{name}: {reason}"

    def cells(self):
        """The line's texts."""
        return (self.name, "", "", "", "", "", self.verdict)


def note(text):
    """What goes on, for those who wait."""
    print(text, file=sys.stderr, flush=True)


def ratios(ours, theirs):
    """Each measurement against the one taken in the same turn."""
    return [a / b for a, b in zip(ours, theirs)]


def print_table(sections):
    """All figures, a heading for each bench."""
    rows = [figure.cells() for figures in sections.values() for figure in figures]
    widths = [max(len(row[i]) for row in [HEADINGS, *rows]) for i in range(len(HEADINGS))]

    def line(cells):
        first, *others = zip(cells, widths)
        return "  ".join([first[0].ljust(first[1])] + [cell.rjust(width) for cell, width in others]).rstrip()

    print(line(HEADINGS))
    for name, figures in sections.items():
        print(f"-- {name}")
        for figure in figures:
            print(line(figure.cells()))
