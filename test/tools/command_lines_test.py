#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every option of every program with bad values: one line that says why, and nothing changed.

command_lines_test.py PROGRAMS [SHARE]    the folder of the program marsim; with sanitizers, which
                                          make programs five times slower, each SHARE-th value

The programs themselves list their commands (marsim --help) and options with their types (the last
word --options), so that a new option is tried the day it is added. By its type:
  FLOAT:1 to 5    a number; the bounds tell which values are bad
  NUMBERS:x,y     numbers written in this way
  INPUT           what is read: missing, empty, a folder, a FIFO, noise
  OUTPUT, FOLDER  what is written (OUTPUT:xml:PATH by rostest): in folders that are missing, at
                  places that cannot be written, over inputs, into folders of somebody else
  WORD, NAME, NAME:=VALUE, FLAG
Tests may run as root, whom permissions do not stop: places that cannot be written are in /proc, a
file in place of a folder and a folder in place of a file.
"""
import concurrent.futures
import hashlib
import itertools
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import unittest

PROGRAMS = os.path.abspath(sys.argv.pop(1))
SHARE = int(sys.argv.pop(1)) if sys.argv[1:] and sys.argv[1].isdigit() else 1
LONG = "x" * 300      # more letters than a file's name can have
LONGEST_LINE = 400    # characters of a message
LIMIT = 60.0          # [s] for one program, a guard against those that accept what they should not
WORKERS = 2
TYPES = {"INPUT", "OUTPUT", "OUTPUT:xml:PATH", "FOLDER", "WORD", "NAME", "NAME:=VALUE", "FLAG"}

# Values of required options, by their names.
CACHE = tempfile.TemporaryDirectory()  # for prepared maps, whatever becomes of the command
SAMPLES = {"map": "room.pcd", "other": "room.ply", "files": "room.pcd", "cloud": "room.pcd",
           "config": "place.yaml", "recording": "scans", "trajectory": "flight.tum",
           "a": "flight.tum", "b": "flight.tum",
           "study": "study.yaml", "SCENARIOS": "hover.yaml", "FILE": "hover.yaml",
           "launch": "sim.launch", "TOPIC": "/odom", "resolution": "0.1", "surface": "paper",
           "folder": CACHE.name, "--out": "made.pcd"}
# Further options that lead a command to what it writes, and keep it from making large maps.
FURTHER = {"dataset": {"--trajectory": "flight.tum", "--map": "room.pcd", "--out": "made"},
           "demo": {"--map": "room.pcd"}, "scan": {"--map": "room.pcd"},
           "map view": {"--out": "made.png"}, "map info": {"--within": "5", "--out": "made.pcd"},
           "map clean": {"--outliers": "12,3"},
           "reproduce": {"EXPERIMENT": "mixed_pixels"}, "map fidelity": {"--poses": "scans.tum"},
           "record": {"--all": None}, "fly": {"--keys": "k"}}


class Option:
    def __init__(self, line):
        self.sub, self.name, form, required = line.split("\t")
        self.type = form.partition(":{")[0]  # what comes after it lists the words
        self.required = required == "required"

    @property
    def is_positional(self):
        return not self.name.startswith("-")

    def words(self, value):
        """None: the option alone."""
        if self.is_positional:
            return [value]
        return [self.name] if value is None else [self.name, value]

    def bounds(self):
        found = re.search(r":(more than )?(\S+?),?(?: up)? to (\S+)", self.type)
        return (float(found[2]), float(found[3])) if found else None


class Command:
    """A program, or one of its subcommands."""

    def __init__(self, program, sub, options):
        self.program, self.options = program, options
        self.sub = [sub] if sub else []
        self.title = " ".join([program.replace("marsim-", "")] + self.sub)

    def base(self, without="", instead=()):
        """Words that are right, but those of one option; `instead` stands in its place."""
        further = dict(FURTHER.get(self.title, {}))
        for option in self.options:
            if option.required:
                further.setdefault(option.name, SAMPLES.get(option.name))
        words, positionals, last = [], [], instead
        for option in self.options:
            into = positionals if option.is_positional else words
            if option.name != without:
                into += option.words(further[option.name]) if option.name in further else []
            elif option.is_positional:  # whose place says which it is
                into += instead
                last = []
        return words + positionals + list(last)

    def row(self, option, value):
        """Words with one option's value, and what the message names."""
        dashes = ["--"] if option.is_positional and (value or "").startswith("-") else []
        path = (value or "").rpartition("xml:")[2]
        return (self, self.base(option.name, dashes + option.words(value)),
                [option.name, path or option.name, os.path.splitext(path or option.name)[0],
                 os.path.dirname(path)])


def ask(program, word):
    run = subprocess.run([os.path.join(PROGRAMS, program), word], stdout=subprocess.PIPE, text=True,
                         timeout=LIMIT, check=True)
    return run.stdout.splitlines()


def commands():
    listed = itertools.dropwhile(lambda line: line != "commands:", ask("marsim", "--help"))
    names = ["marsim-" + line.split()[0] for line in listed if line.startswith("  ")]
    found = []
    for program in names + ["scenario"]:
        if not os.path.exists(os.path.join(PROGRAMS, program)):
            continue
        options = [Option(line) for line in ask(program, "--options")]
        subs = list(dict.fromkeys(option.sub for option in options))
        for sub in subs:
            own = [option for option in options
                   if option.sub == sub and option.name not in ("--help", "--options")]
            if own or len(subs) == 1:
                found.append(Command(program, sub, own))
    return found


# --- rows ----------------------------------------------------------------------------------------

def bad_numbers(option):
    low, high = option.bounds()
    values = ["nan", "inf", "", "much", "1 apple", LONG, "1e999"]
    values += [text for text in ("-1", "1e308") if not low <= float(text) <= high]
    values += [repr(2.0 * high + 1.0)] if high < 1e300 else []
    return values


def bad_tuples(option):
    """One number after the other replaced by a bad one."""
    form = option.type.partition(":")[2]
    places = list(re.finditer(r"\w+(?=[,;]|$)", form))
    for value in ("nan", "inf", "1e308", "", "much"):
        for bad in (places[0], places[-1]):
            parts = re.sub(r"\w+(?=[,;]|$)",
                           lambda at, bad=bad, value=value:
                           value if at.start() == bad.start() else "1", form)
            yield parts
    yield LONG


def rows_of(command, option, turn):
    """Bad values of one option, of which the turn tells those that are tried."""
    kind = option.type
    if option.bounds():
        values = bad_numbers(option)
    elif kind.startswith("NUMBERS:"):
        values = list(bad_tuples(option)) + [""]
    elif kind == "INPUT":
        values = ["", "absent.yaml", "empty.pcd", "empty.yaml", "folder", "fifo.pcd", "fifo.yaml",
                  "noise.pcd", "noise.yaml", "/dev/zero", "hover.yaml/x", LONG, "two\nlines.pcd"]
    elif kind == "OUTPUT":
        values = ["", "folder", "folder.pcd", "absent/out.pcd", "hover.yaml/out.pcd", "out.wrong",
                  "/proc/version", "/proc/out.pcd", "socket.pcd", LONG + ".pcd"]
    elif kind == "OUTPUT:xml:PATH":
        values = ["", "xml:folder", "xml:hover.yaml", "xml:hover.yaml/x.xml", "xml:/proc/x.xml",
                  "xml:/proc/version", "xml:socket.pcd", "xml:" + LONG]
    elif kind == "FOLDER":
        values = ["", "room.pcd", "hover.yaml/x", "/proc/out", "fifo.pcd", "/dev/null", LONG]
    elif kind == "WORD":
        values = ["", "nonsense", LONG]
    elif kind == "NAME:=VALUE":
        values = ["nonsense", ":=1", LONG]
    elif kind == "NAME":
        values = [""]
    elif kind == "FLAG":
        yield command, command.base(option.name) + [option.name + "=perhaps"], [option.name]
        return
    for value in (([] if option.is_positional else [None]) + values)[turn % SHARE::SHARE]:
        yield command.row(option, value)


def rows_of_outputs(command):
    """Outputs that are inputs, also by other names, and folders that somebody else uses."""
    for out in command.options:
        if out.type == "OUTPUT":
            for value in ("room.pcd", "./room.pcd", "link.pcd", "hard.pcd", "link_out.pcd"):
                for source in command.options:
                    if source.type == "INPUT":
                        given = {out.name: value, source.name: "room.pcd"}
                        yield command, with_values(command, given), [out.name, "room.pcd", value]
        elif out.type == "FOLDER":
            for value in ("foreign", ".", "scans"):
                yield command, with_values(command, {out.name: value}), [out.name, value]


def with_values(command, given):
    words = []
    further = dict(FURTHER.get(command.title, {}))
    for option in command.options:
        value = given.get(option.name, further.get(option.name))
        if value is None and option.required:
            value = SAMPLES[option.name]
        if value is not None:
            words += option.words(value)
    return words


def rows_of_command(command):
    """What is missing and what is too much."""
    yield command, command.base() + ["--no-such-option"], ["--no-such-option"]
    yield command, command.base() + ["--" + LONG], ["--xxx"]
    positionals = [option for option in command.options if option.is_positional]
    for option in command.options:
        if option.required and option not in positionals[:-1]:  # the next one takes its place
            yield command, command.base(option.name), [option.name]


# --- runs ----------------------------------------------------------------------------------------

def fill(folder):
    """The files that commands are tried with."""
    def write(name, text):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)

    points = [(0.2 * x, 0.2 * y, 0.0) for x in range(20) for y in range(20)]
    points += [(0.2 * x, side, 0.2 * z) for x in range(20) for z in range(1, 10)
               for side in (0.0, 4.0)]
    rows = "".join("%g %g %g\n" % point for point in points)
    write("room.pcd", "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH %d\n"
          "HEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS %d\nDATA ascii\n%s"
          % (len(points), len(points), rows))
    write("room.ply", "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\n"
          "property float y\nproperty float z\nend_header\n%s" % (len(points), rows))
    write("place.yaml", "place: building\nroom_length: 4m\nroom_width: 4m\nspacing: 0.2m\n")
    write("flight.tum", "".join("%g 2 2 1 0 0 0 1\n" % (0.1 * i) for i in range(11)))
    write("scans.tum", "".join("%g 2 2 1 0 0 0 1\n" % i for i in range(3)))
    write("hover.yaml", "description: A hover\nmap: room.pcd\nlidar: vlp16\nstart: [2, 2, 1]\n"
          "duration: 1s\nchecks: {contacts: {at_most: 0}}\n")
    write("study.yaml", "description: A study\nscenario: hover.yaml\nformats: [tum]\n"
          "vary: {seed: [1]}\n")
    for made in ("folder", "folder.pcd", "foreign", "scans"):
        os.mkdir(os.path.join(folder, made))
    write("foreign/letter.txt", "Dear reader\n")
    for i in range(3):
        shutil.copy(os.path.join(folder, "room.pcd"), os.path.join(folder, "scans/%d.pcd" % i))
    for name in ("empty.pcd", "empty.yaml"):
        write(name, "")
    for name in ("fifo.pcd", "fifo.yaml"):
        os.mkfifo(os.path.join(folder, name))
    for name in ("noise.pcd", "noise.yaml"):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(hashlib.sha512(b"noise").digest() * 100)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.join(folder, "socket.pcd"))
    os.symlink("room.pcd", os.path.join(folder, "link.pcd"))
    os.symlink("link.pcd", os.path.join(folder, "link_out.pcd"))
    os.link(os.path.join(folder, "room.pcd"), os.path.join(folder, "hard.pcd"))


def contents(folder):
    """Kind, size, time and number of every file below a folder. A cache may have locks."""
    found = {}
    for path, folders, files in os.walk(folder):
        in_cache = os.path.relpath(path, folder).startswith(".cache")
        for name in folders + files:
            if name == ".cache" or in_cache and (name in folders or name.endswith(".lock")):
                continue
            status = os.lstat(os.path.join(path, name))
            is_folder = stat.S_ISDIR(status.st_mode)
            found[os.path.relpath(os.path.join(path, name), folder)] = (
                stat.S_IFMT(status.st_mode), status.st_ino,
                None if is_folder else (status.st_size, status.st_mtime_ns, status.st_nlink))
    return found


class Bench:
    """A folder of its own for each thread."""
    held = threading.local()
    ports = itertools.count(1)  # where no master is
    made = []

    @classmethod
    def folder(cls):
        if not hasattr(cls.held, "folder"):
            # Short, for the name of the socket.
            cls.held.folder = tempfile.mkdtemp(prefix="marsim_lines_", dir="/tmp")
            cls.held.master = "http://127.0.0.1:%d" % next(cls.ports)
            cls.held.ros = tempfile.mkdtemp(prefix="marsim_lines_ros_")
            cls.made += [cls.held.folder, cls.held.ros]
            fill(cls.held.folder)
        return cls.held.folder


def complaint(row):
    """Why a row fails; empty where it passes."""
    command, words, named = row
    folder = Bench.folder()
    before = contents(folder)
    environment = dict(os.environ, HOME=folder, XDG_CACHE_HOME=folder + "/.cache", TMPDIR=folder,
                       ROS_HOME=Bench.held.ros, ROS_MASTER_URI=Bench.held.master)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "ROS_LOG_DIR"):
        environment.pop(name, None)
    try:
        run = subprocess.run(
            [os.path.join(PROGRAMS, command.program)] + command.sub + words, cwd=folder,
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=LIMIT)
        code, said = run.returncode, run.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired:
        code, said = "none", "no end in %g s" % LIMIT
    after = contents(folder)
    faults = []
    if code not in (1, 2):
        faults.append("exit code %s" % code)
    if len(said.splitlines()) != 1 or len(said) > LONGEST_LINE + 1:
        faults.append("%d lines, %d characters" % (len(said.splitlines()), len(said)))
    if not any(name.splitlines()[0][:40] in said for name in named if name):
        faults.append("names none of %s" % [name[:40] for name in named])
    changed = sorted(name for name in {**before, **after} if before.get(name) != after.get(name))
    if changed:
        faults.append("changed: " + ", ".join(changed[:5]))
        shutil.rmtree(folder)
        os.mkdir(folder)
        fill(folder)
    if not faults:
        return ""
    shown = [word if len(word) < 60 else word[:20] + "..." for word in words]
    return "%s %s: %s\n    %s" % (command.title, shown, "; ".join(faults), said[:600].rstrip())


class CommandLines(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.commands = commands()

    @classmethod
    def tearDownClass(cls):
        for folder in Bench.made:
            shutil.rmtree(folder, ignore_errors=True)

    def hold(self, rows):
        rows = list(rows)
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            found = [text for text in pool.map(complaint, rows) if text]
        if found:
            self.fail("%d of %d rows\n%s" % (len(found), len(rows), "\n".join(found)))

    def test_types(self):
        """Every option says what it takes; every required one has a sample here."""
        for command in self.commands:
            for option in command.options:
                with self.subTest(command=command.title, option=option.name):
                    self.assertTrue(option.bounds() or option.type in TYPES or
                                    option.type.startswith("NUMBERS:"), option.type)
                    if option.required:
                        self.assertIn(option.name, SAMPLES)

    def test_values(self):
        options = [(command, option) for command in self.commands for option in command.options]
        self.hold(row for turn, (command, option) in enumerate(options)
                  for row in rows_of(command, option, turn))

    def test_outputs(self):
        self.hold(row for command in self.commands for row in rows_of_outputs(command))

    def test_words(self):
        self.hold(row for command in self.commands for row in rows_of_command(command))

    def test_launcher(self):
        marsim = Command("marsim", "", [])
        self.hold((marsim, [word], [word.split()[0]]) for word in ("nonsense", LONG, "../marsim", "two\nlines"))


if __name__ == "__main__":
    unittest.main()
