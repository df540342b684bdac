"""How often tests with many repetitions repeat: continuous integration does all of it, test/check by hand a part."""
import os

FULL = bool(os.environ.get("CI"))


def volume(part, full):
    """One of the two numbers, or lists."""
    return full if FULL else part
