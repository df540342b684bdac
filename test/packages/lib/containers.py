#!/usr/bin/python3
"""Does without a container engine what compose.yaml and the Dockerfile describe: in chroots, next to each other.

usage: containers.py check COMPOSE              are the files sound?
       containers.py build COMPOSE BASE WORK    run the commands of the Dockerfile; BASE is a bare Debian, WORK gets the rest
       containers.py up COMPOSE WORK            run the services, and the tour; needs a network of its own (unshare --net)

Of both formats it knows what the files use, and it fails on anything else.
"""
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time

INSTRUCTIONS = ("RUN", "COPY", "ENV", "USER", "STOPSIGNAL", "CMD")
SERVICE_KEYS = {"build", "environment", "ports", "depends_on", "healthcheck", "profiles"}
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Stage:
    """A part of the Dockerfile, from its FROM on."""

    def __init__(self, base, name):
        self.base, self.name, self.steps = base, name, []

    def last(self, word, default):
        """What the last instruction of this kind reports."""
        return next((rest for kind, rest in reversed(self.steps) if kind == word), default)

    def environment(self):
        """The variables of its ENVs."""
        return dict(rest.split("=", 1) for kind, rest in self.steps if kind == "ENV")


def parse_dockerfile(text):
    """Its stages, by name."""
    stages = {}
    lines = "".join(line for line in text.splitlines(True) if not line.startswith("#")).replace("\\\n", "")
    for line in filter(None, map(str.strip, lines.splitlines())):
        word, rest = line.split(None, 1)
        if word == "FROM":
            base, keyword, name = rest.split()
            assert keyword == "AS" and base in ("debian:12", *stages), line
            stage = stages[name] = Stage(base, name)
        else:
            assert word in INSTRUCTIONS, f"unknown instruction: {line}"
            stage.steps.append((word, rest))
    return stages


def filled(text):
    """${NAME:-default}, without such a variable, is the default."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text)


class Project:
    """compose.yaml and what it names."""

    def __init__(self, path):
        import yaml         # pylint: disable=import-outside-toplevel  (a package that not everybody has)
        self.directory = os.path.dirname(os.path.abspath(path))
        with open(path, encoding="utf-8") as file:
            self.services = yaml.safe_load(file)["services"]
        with open(os.path.join(self.directory, "Dockerfile"), encoding="utf-8") as file:
            self.stages = parse_dockerfile(file.read())
        self.context = os.path.normpath(os.path.join(self.directory, "../.."))

    def check(self):
        """Both files are what they should be; raises otherwise."""
        for name, service in self.services.items():
            assert set(service) <= SERVICE_KEYS, f"{name}: {set(service) - SERVICE_KEYS}"
            build = service["build"]
            assert os.path.normpath(os.path.join(self.directory, build["context"])) == self.context
            assert os.path.samefile(os.path.join(self.context, build["dockerfile"]), os.path.join(self.directory, "Dockerfile"))
            assert build["target"] in self.stages, f"{name}: no stage {build['target']}"
            assert set(service.get("depends_on", ())) <= set(self.services), name
            for needed, how in service.get("depends_on", {}).items():
                assert how["condition"] != "service_healthy" or "healthcheck" in self.services[needed], needed
            for port in service.get("ports", ()):
                assert filled(port).startswith("127.0.0.1:"), f"{name} is open to others: {port}"
            json.loads(self.stages[build["target"]].last("CMD", "null"))
        for stage in self.stages.values():
            for kind, rest in stage.steps:
                if kind == "COPY":
                    self.check_copy(rest)

    def check_copy(self, rest):
        """What a COPY names exists, or is of a stage."""
        source, _ = rest.split()[-2:]
        stage = re.match(r"--from=(\w+) ", rest)
        assert stage.group(1) in self.stages if stage else os.path.exists(os.path.join(self.context, source)), rest

    def ignored(self):
        """Options for tar: what stays out of the context."""
        with open(os.path.join(self.directory, "Dockerfile.dockerignore"), encoding="utf-8") as file:
            return [f"--exclude={line.strip().replace('**/', '')}" for line in file if line.strip()]

    def build(self, base, work):
        """Run the instructions of all stages, each in a chroot WORK/stage."""
        for stage in self.stages.values():
            began, root = time.monotonic(), os.path.join(work, stage.name)
            subprocess.run(["cp", "-a", base if stage.base == "debian:12" else os.path.join(work, stage.base), root], check=True)
            for kind, rest in stage.steps:
                if kind == "RUN":
                    enter(root, ["sh", "-c", rest], stage.environment(), check=True)
                elif kind == "COPY":
                    self.copy(rest, work, root)
            print(f"# stage {stage.name}: {time.monotonic() - began:.0f} s", flush=True)

    def copy(self, rest, work, root):
        """COPY: the contents of a directory, or a file under its new name."""
        source, target = rest.split()[-2:]
        stage = re.match(r"--from=(\w+) ", rest)
        source = os.path.normpath((os.path.join(work, stage.group(1)) if stage else self.context) + "/" + source)
        target = os.path.join(root, target.lstrip("/"))
        if os.path.isdir(source):
            os.makedirs(target, exist_ok=True)
            exclude = " ".join(map(shlex.quote, [] if stage else self.ignored()))
            subprocess.run(f"tar -C {shlex.quote(source)} {exclude} -cf - . | "
                           f"tar -C {shlex.quote(target)} --keep-directory-symlink --no-same-owner -xf -", shell=True, check=True)
        else:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            subprocess.run(["cp", "-p", source, target], check=True)

    # Running

    def command(self, name, work, argv, **options):
        """Run a program in a service's container, as its user."""
        service = self.services[name]
        stage = self.stages[service["build"]["target"]]
        environment = {**stage.environment(), **{key: filled(value) for key, value in service.get("environment", {}).items()}}
        user = stage.last("USER", "root")
        return enter(os.path.join(work, stage.name), ["setpriv", f"--reuid={user}", f"--regid={group(user)}", "--init-groups", *argv],
                     environment, **options)

    def start(self, name, work):
        """Start a service."""
        stage = self.services[name]["build"]["target"]
        with open(os.path.join(work, f"{name}.log"), "w", encoding="utf-8") as log:
            return self.command(name, work, json.loads(self.stages[stage].last("CMD", "")), wait=False, stdout=log, stderr=log)

    def wait(self, name, work):
        """Until its health check is content."""
        word, *argv = self.services[name]["healthcheck"]["test"]
        assert word == "CMD"
        for _ in range(120):
            if self.command(name, work, argv, stderr=subprocess.DEVNULL).returncode == 0:
                return
            time.sleep(0.5)
        with open(os.path.join(work, f"{name}.log"), encoding="utf-8") as log:
            raise SystemExit(f"not ok - container: {name} is not healthy\n" + "".join(f"#   {line}" for line in log.readlines()[-20:]))

    def up(self, work):
        """What compose does, and what its first lines instruct users to do."""
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        for stage in self.stages:
            with open(os.path.join(work, stage, "etc", "hosts"), "w", encoding="utf-8") as file:
                file.write(" ".join(["127.0.0.1 localhost", socket.gethostname(), *self.services]) + "\n")
        started = {}
        for name in sorted((n for n, s in self.services.items() if "profiles" not in s),
                           key=lambda name: len(self.services[name].get("depends_on", ()))):
            started[name] = self.start(name, work)
            self.wait(name, work)
        tests = [
            ("psql in the container sees the extension and its server", "postgres",
             ["psql", "-XAtc", "SELECT extname, srvname FROM pg_extension, pg_foreign_server WHERE extname = 'dynamo_fdw'"],
             r"dynamo_fdw\|ddb"),
            ("... and reaches DynamoDB", "postgres", ["psql", "-XAtc", "SELECT count(*) FROM dynamo_fdw_tables('ddb')"], "0"),
            ("a password opens it from outside", "tour", ["psql", "-XAtc", "SELECT 1", "postgres"], "1"),
            ("the tour", "tour", json.loads(self.stages["tour"].last("CMD", "")), "(?s).*rows and requests as expected.*"),
            ("psql demo", "postgres", ["psql", "-XAtc", "SELECT count(*) FROM movies WHERE name = 'The Amber Harbour' AND year = 2019",
                                       "demo"], "1"),
        ]
        bad = [test for test in tests if not self.test(work, *test)]
        for name, process in started.items():
            stage = self.stages[self.services[name]["build"]["target"]]
            process.send_signal(signal.Signals[stage.last("STOPSIGNAL", "SIGTERM")])
            process.wait(60)
        return 1 if bad else 0

    def test(self, work, title, service, argv, wanted):
        """Does a program in a container print this?"""
        done = self.command(service, work, argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        passed = done.returncode == 0 and re.fullmatch(wanted, done.stdout.strip())
        print(f"{'ok' if passed else 'not ok'} - container: {title}", flush=True)
        if not passed:
            print("".join(f"#   {line}\n" for line in done.stdout.splitlines()[-20:]), flush=True)
        return bool(passed)


def group(user):
    """The group of the users that the Dockerfile names."""
    return "nogroup" if user == "nobody" else user


def enter(root, argv, environment, wait=True, **options):
    """A program in a chroot, with mounts that end with it."""
    script = ("mount -t proc proc proc && mount -t tmpfs tmpfs dev/shm && exec chroot . env -i \"$@\"")
    command = ["unshare", "--mount", "sh", "-c", script, "sh", f"PATH={PATH}", "HOME=/tmp",
               *(f"{key}={value}" for key, value in environment.items()), *argv]
    if not wait:
        return subprocess.Popen(command, cwd=root, stdin=subprocess.DEVNULL, **options)
    return subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL, **options)


def main(action, compose, *places):
    """Do it."""
    project = Project(compose)
    project.check()
    if action == "build":
        project.build(*places)
    return project.up(*places) if action == "up" else 0


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("check", "build", "up"):
        print(__doc__)
        sys.exit(0 if "--help" in sys.argv else 2)
    sys.exit(main(*sys.argv[1:]))
