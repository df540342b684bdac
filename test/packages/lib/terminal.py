#!/usr/bin/python3
"""Runs a shell command in a pseudo-terminal, in a chroot, as a user there, and responds when it prompts for a password.

usage: terminal.py CHROOT USER PASSWORD COMMAND

Prints what the user sees, each line with the seconds since the start: of what overwrites itself, only what was seen
last. Ends with a line "# N passwords, N updates of the progress", and with the exit status of the command.
"""
import os
import pwd
import re
import select
import sys
import time

SECONDS = 1800      # a command that takes longer hangs
PASSWORD_PROMPT = re.compile(rb"[Pp]assword[^\n]*: ?$")


def become(root, user, command):
    """In the child: the user's shell in the chroot."""
    os.chroot(root)
    entry = pwd.getpwnam(user)
    os.initgroups(user, entry.pw_gid)
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)
    os.chdir(entry.pw_dir)
    path = "/usr/local/bin:/usr/bin:/bin" + (":/usr/sbin:/sbin" if user == "root" else "")
    os.execve("/bin/bash", ["bash", "-c", command],
              {"PATH": path, "HOME": entry.pw_dir, "USER": user, "LOGNAME": user, "TERM": "xterm", "LC_ALL": "C.UTF-8",
               "NO_COLOR": "1"})


class Screen:
    """What is seen, line by line."""

    def __init__(self, secret):
        self.began, self.line, self.secret = time.monotonic(), b"", secret
        self.passwords = self.updates = 0

    def read(self, data):
        """Print the lines that end in it; is it a password prompt?"""
        *lines, self.line = (self.line + data).replace(b"\r\n", b"\n").split(b"\n")
        for line in lines:
            self.show(line)
        if PASSWORD_PROMPT.search(self.line):
            self.passwords += 1
            self.show(self.line + b"********")
            self.line = b""
            return True
        return False

    def show(self, line):
        """One line, without what was overwritten."""
        shown = [re.sub(rb"\033\[[0-9;?]*[A-Za-z]", b"", part) for part in line.split(b"\r")]
        self.updates += len(shown) - 1
        shown = [part for part in shown if part.strip()]
        if shown:
            print(f"{time.monotonic() - self.began:6.1f}  {shown[-1].decode(errors='replace')}", flush=True)


def follow(terminal, screen, password):
    """Read until the command has ended."""
    while time.monotonic() - screen.began < SECONDS:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            data = os.read(terminal, 65536)
        except OSError:     # the other side is closed
            data = b""
        if not data:
            screen.read(b"\n")
            return
        if screen.read(data):
            time.sleep(0.2)     # a reader of passwords throws away what was typed before it prompted
            os.write(terminal, password.encode() + b"\n")


def main(root, user, password, command):
    """Run it."""
    child, terminal = os.forkpty()
    if child == 0:
        become(root, user, command)
    screen = Screen(password)
    follow(terminal, screen, password)
    print(f"# {screen.passwords} passwords, {screen.updates} updates of the progress")
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    if len(sys.argv) != 5:
        print(__doc__)
        sys.exit(0 if "--help" in sys.argv else 2)
    sys.exit(main(*sys.argv[1:]))
