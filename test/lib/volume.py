"""How often tests with many repetitions repeat: test/check by hand does a part of it (DYNAMO_FDW_QUICK), everything else all."""
import os

QUICK = bool(os.environ.get("DYNAMO_FDW_QUICK"))


def volume(part, full):
    """One of the two numbers, or lists."""
    return part if QUICK else full
