"""What a server process holds, seen from outside."""
import contextlib
import os
import unittest

# For tests that measure memory.
WITHOUT_SANITIZERS = unittest.skipIf("POSTGRES_ENVIRONMENT" in os.environ, "sanitizers keep freed memory for a while")


def descriptors_of(pid):
    """The number of its open sockets, epolls and timers, None without permission; it may close files in the meantime."""
    directory = f"/proc/{pid}/fd"
    names = []
    try:
        for number in os.listdir(directory):
            with contextlib.suppress(FileNotFoundError):
                names.append(os.readlink(os.path.join(directory, number)))
    except PermissionError:
        return None
    return sum(name.startswith(("socket:", "anon_inode:")) for name in names)


def cpu_seconds(pid):
    """The processor time that it has used."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_kb(pid):
    """Its memory in use, VmRSS."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        [size] = [int(line.split()[1]) for line in status if line.startswith("VmRSS")]
    return size
