"""What the programs in Python share: how a step is reported to compare.py."""
import json
import sys


def plain(value):
    """Anything as JSON that distinguishes types and values."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    return f"{type(value).__name__} {value}"


def report(step, rows, keyed=False, ordered=False):
    """A step is done; rows without an order are sorted."""
    rows = [plain(row) for row in rows]
    print(json.dumps({"step": step, "rows": rows if ordered else sorted(rows, key=json.dumps), "keyed": keyed}), flush=True)
    sys.stdin.readline()
