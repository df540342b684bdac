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
        """The value and its unit."""
        return digits(value) + self.unit


class Comparison:
    """One line of the table of two builds. The samples of old and new were taken in pairs; small is good."""

    HEADINGS = ("figure", "old", "new", "ratio", "min", "max", "limit", "verdict")

    # pylint: disable=too-many-arguments
    def __init__(self, name, old, new, limit, unit):
        self.name, self.unit, self.limit = name, unit, limit
        self.old, self.new = statistics.median(old), statistics.median(new)
        self.ratio, self.pairs = self.new / self.old, ratios(new, old)

    @property
    def verdict(self):
        """Better is reported, too; what lies between is noise."""
        return "SLOWER" if self.ratio > self.limit else "faster" if self.ratio < 1 / self.limit else "ok"

    def cells(self):
        """The line's texts."""
        spread = [f"{pair:.3f}" for pair in (min(self.pairs), max(self.pairs))] if len(self.pairs) > 1 else ["", ""]
        return (self.name, digits(self.old) + self.unit, digits(self.new) + self.unit, f"{self.ratio:.3f}", *spread,
                f"<= {self.limit:.2f}", self.verdict)


def digits(value):
    """Three digits or more."""
    return f"{value:.{0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2}f}"


class Skipped:
    """A line that could not be measured, and why."""

    verdict = "skipped"

    def __init__(self, name, reason, columns=len(HEADINGS)):
        self.name, self.columns = f"{name}: {reason}", columns

    def cells(self):
        """The line's texts."""
        return (self.name, *[""] * (self.columns - 2), self.verdict)


def note(text):
    """What goes on, for those who wait."""
    print(text, file=sys.stderr, flush=True)


def ratios(ours, theirs):
    """Each measurement against the one taken in the same turn."""
    return [a / b for a, b in zip(ours, theirs)]


def print_table(sections, headings=HEADINGS):
    """All figures, a heading for each bench."""
    rows = [figure.cells() for figures in sections.values() for figure in figures]
    widths = [max(len(row[i]) for row in [headings, *rows]) for i in range(len(headings))]

    def line(cells):
        first, *others = zip(cells, widths)
        return "  ".join([first[0].ljust(first[1])] + [cell.rjust(width) for cell, width in others]).rstrip()

    print(line(headings))
    for name, figures in sections.items():
        print(f"-- {name}")
        for figure in figures:
            print(line(figure.cells()))
