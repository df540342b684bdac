"""The first connections of a session over TLS: the system's certificates are loaded once, not for each of them."""
import os
import shutil
import subprocess
import sys

from report import Figure, Skipped, ratios
from world import ROOT

UNIT = os.path.join(ROOT, "test", "unit")
BUNDLE = "/etc/ssl/certs/ca-certificates.crt"
TURNS, WIDTH = 11, 16


def tls(world):
    """CPU time of 16 connections with the system's certificates, against a CA file with one"""
    service = world.start(sys.executable, os.path.join(UNIT, "fake_service.py"), stdin=subprocess.PIPE)
    _, port, ca_bundle = service.stdout.readline().split()
    if ca_bundle == "-" or not os.path.exists(BUNDLE):
        return [Skipped("tls", "no openssl, or no bundle of certificates")]
    url = f"https://127.0.0.1:{port}/"
    system = with_bundle(world, ca_bundle)
    if subprocess.run([*system, "true"], check=False, stderr=subprocess.DEVNULL).returncode:
        return [Skipped("tls", "the system's certificates cannot be replaced here (only as root)")]
    turns = [(run(system, url, "-"), run([], url, ca_bundle)) for _ in range(TURNS)]
    first, wide = ([[side[i] for side in turn] for turn in turns] for i in (0, 1))
    return [Figure("fan-out of 16 after the first request, ratio", ratios(*zip(*wide)), limit=1.3, unit=" x"),
            Figure("    system's certificates", [turn[0] for turn in wide], unit=" ms"),
            Figure("    one certificate", [turn[1] for turn in wide], unit=" ms"),
            Figure("first request, system's certificates", [turn[0] for turn in first], unit=" ms"),
            Figure("    one certificate", [turn[1] for turn in first], unit=" ms"),
            Figure("both together, ratio", [sum(turn[i][0] for i in (0, 1)) / sum(turn[i][1] for i in (0, 1))
                                   for turn in zip(first, wide)], limit=3, unit=" x")]


def with_bundle(world, ca_bundle):
    """A command that runs another where the system trusts that CA, too."""
    bundle = os.path.join(world.directory(), "bundle.crt")
    shutil.copyfile(BUNDLE, bundle)
    with open(bundle, "a", encoding="ascii") as file, open(ca_bundle, encoding="ascii") as certificate:
        file.write(certificate.read())
    return ["unshare", "-m", "sh", "-c", f'mount --bind {bundle} {BUNDLE} && exec "$@"', "sh"]


def run(prefix, url, ca_bundle):
    """CPU milliseconds of the first request of a client, and of the next 16."""
    done = subprocess.run([*prefix, os.path.join(UNIT, "build", "bench_tls"), url, ca_bundle, str(WIDTH)], check=True,
                          stdout=subprocess.PIPE, text=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    if any(int(failed) for *_, failed in lines):
        sys.exit("test/bench: requests over TLS failed")
    return [float(line[0]) for line in lines]
