#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every command in the documents stands in commands.yaml, which says how it is tried, and is tried.

commands_test.py list                    the table and the documents know the same commands
commands_test.py run PROGRAMS BUILD      that, and every command of the table that can be run

PROGRAMS is the folder of the program marsim, BUILD the build folder. A document's commands are the
lines of its sh, bash and nameless blocks and its inline code that begins like a command.
"""
import collections
import concurrent.futures
import glob
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(SOURCE, "test", "ros"))
import local_master

TABLE = os.path.join(HERE, "commands.yaml")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs/*.md", "maps/*.md", "test/fuzz/*.md")
PROGRAMS = ("./marsim marsim roslaunch roscore rostopic rosservice rosrun rosnode rosparam rosbag "
            "rosmsg rosdep rosclean nodelet catkin catkin_make catkin_lint cmake ctest ninja make "
            "apt apt-get apt-cache dpkg git docker pip pip3 python python3 sudo curl wget ip tc cd "
            "source export mkdir ln cp evo_ape evo_traj evo_rpe .ci/run").split()
ROW_KEYS = {"command", "run", "in", "session", "expect", "exit_code", "tested_by", "there",
            "not_run"}
SESSION_KEYS = {"run", "ready"}
LIMIT = 120.0        # [s] for one command, a guard against those that never end
START_LIMIT = 120.0  # [s] until a session is ready


# --- documents and table -------------------------------------------------------------------------

def plain(command):
    """Without the comment at its end, and with single blanks."""
    return " ".join(re.sub(r"\s#\s.*$", "", command).split())


def begins_like_a_command(text):
    words = re.sub(r"^([A-Z_]+=\S*\s+)*", "", text).split()
    # A name by itself is a name, unless it is a file that is run.
    return bool(words) and words[0] in PROGRAMS and (len(words) > 1 or words[0] == ".ci/run")


def blocks_and_prose(path):
    """Fenced blocks as (language, [(line number, line)]), and the numbered lines outside them."""
    blocks, prose, inside = [], [], False
    with open(path) as file:
        for number, line in enumerate(file.read().splitlines(), 1):
            fence = re.match(r"\s*```\s*([\w-]*)", line)
            if fence:
                inside = not inside
                if inside:
                    blocks.append((fence.group(1), []))
            else:
                (blocks[-1][1] if inside else prose).append((number, line))
    return blocks, prose


def commands_of(path):
    """The commands of one document, as (line number, command)."""
    blocks, prose = blocks_and_prose(path)
    found = []
    for language, lines in blocks:
        nameless = language == "" and any(begins_like_a_command(line) for _, line in lines)
        if not nameless and language not in ("sh", "bash"):
            continue
        joined = ""
        for number, line in lines:
            text = (joined + line.strip()).strip()
            joined = text[:-1] if text.endswith("\\") else ""
            if text and not joined and not text.startswith("#"):
                found.append((number, plain(text)))
    for number, line in prose:
        for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", line):
            if begins_like_a_command(span):
                found.append((number, plain(span)))
    return found


def documented():
    """Every command with the places where it stands."""
    places = collections.OrderedDict()
    for pattern in DOCUMENTS:
        for path in sorted(glob.glob(os.path.join(SOURCE, pattern))):
            for number, command in commands_of(path):
                place = "%s:%d" % (os.path.relpath(path, SOURCE), number)
                places.setdefault(command, []).append(place)
    return places


def as_list(value):
    return value if isinstance(value, list) else [] if value is None else [value]


def read_table():
    with open(TABLE) as file:
        table = yaml.safe_load(file)
    return table["sessions"], table["commands"]


def table_errors(sessions, rows):
    errors, seen = [], set()
    for name, session in sessions.items():
        if set(session) != SESSION_KEYS:
            errors.append("session %s needs the keys %s" % (name, sorted(SESSION_KEYS)))
    for row in rows:
        first = as_list(row.get("command"))[:1]
        label = "row %s" % first
        if set(row) - ROW_KEYS or not first:
            errors.append("%s: keys are %s" % (label, sorted(ROW_KEYS)))
        if not {"run", "session", "tested_by", "not_run"} & set(row):
            errors.append("%s: says neither run, session, tested_by nor not_run" % label)
        for key in ("in", "session"):
            if key in row and row[key] not in sessions:
                errors.append("%s: there is no session %s" % (label, row[key]))
        if "tested_by" in row:
            errors += other_test_errors(label, row)
        for command in as_list(row.get("command")):
            if plain(command) in seen:
                errors.append("%s: %s stands twice" % (label, command))
            seen.add(plain(command))
    return errors


def other_test_errors(label, row):
    path = os.path.join(SOURCE, row["tested_by"])
    if not os.path.isfile(path):
        return ["%s: there is no %s" % (label, row["tested_by"])]
    with open(path) as file:
        text = file.read()
    return ["%s: %s does not hold '%s'" % (label, row["tested_by"], words)
            for words in as_list(row.get("there")) if words not in text]


def compare(rows):
    """What the documents have and the table has not, and the other way round."""
    known = {plain(command) for row in rows for command in as_list(row["command"])}
    places = documented()
    errors = []
    for command, where in places.items():
        if command not in known:
            errors.append("%s: this command is not in test/documents/commands.yaml:\n"
                          "      %s\n"
                          "    add a row there, for example\n"
                          "      - command: '%s'\n"
                          "        run: a short form of it (as it is: the same again)\n"
                          "        expect: [what its output has]\n"
                          "    with `in: sim` where it needs a simulation that runs, or instead\n"
                          "        not_run: why not (network, graphics card, foreign program, over 60 s)"
                          % (", ".join(where), command, command.replace("'", "''")))
    for command in sorted(known - set(places)):
        errors.append("test/documents/commands.yaml: no document has this command any more, remove it\n"
                      "      %s" % command)
    return errors


# --- running -------------------------------------------------------------------------------------

class Place:
    """A folder that looks like the root of a source tree that has been built."""

    def __init__(self, folder, programs, build):
        self.folder = folder
        for name, target in (("marsim", os.path.join(programs, "marsim")), ("build", build),
                             ("src", os.path.join(SOURCE, "src")), ("test", os.path.join(SOURCE, "test"))):
            os.symlink(target, os.path.join(folder, name))
        # ctest in the build folder itself would write over the log of the one that runs this.
        with open(os.path.join(folder, "CTestTestfile.cmake"), "w") as file:
            file.write('subdirs("%s")\n' % build)
        self.environment = dict(os.environ, MARSIM_SOURCE=SOURCE, PYTHONUNBUFFERED="1",
                                PATH=folder + ":" + os.environ["PATH"], ROS_IP="127.0.0.1",
                                ROS_HOME=os.path.join(folder, "ros"),
                                ROS_LOG_DIR=os.path.join(folder, "ros", "log"))
        for name in ("ROS_HOSTNAME", "ROS_NAMESPACE", "ROS_MASTER_URI"):
            self.environment.pop(name, None)

    def start(self, line, port):
        environment = dict(self.environment, ROS_MASTER_URI="http://127.0.0.1:%d" % port)
        return subprocess.Popen(["bash", "-c", line], cwd=self.folder, env=environment, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, start_new_session=True)

    def run(self, line, port):
        """Exit code and output; None for a code where it did not end."""
        process = self.start(line, port)
        try:
            output, _ = process.communicate(timeout=LIMIT)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None, process.communicate()[0]


def failure(row, line, code, output):
    """Why a command's outcome is not as the row says; empty where it is."""
    if code is None:
        return "has not ended after %d s" % LIMIT
    if code != row.get("exit_code", 0):
        return "exit code %s instead of %s" % (code, row.get("exit_code", 0))
    for pattern in as_list(row.get("expect")):
        if not re.search(pattern, output):
            return "no '%s' in its output" % pattern
    return ""


class Report:
    def __init__(self):
        self.errors = []
        self.lock = threading.Lock()

    def add(self, began, line, error, output):
        with self.lock:
            print("%5.1f s  %s%s" % (time.monotonic() - began, line, "   FAILED" if error else ""),
                  flush=True)
            if error:
                self.errors.append("%s\n    %s; its output ends:\n%s" % (line, error, output[-1500:]))


def line_of(row):
    return row["run"] if row["run"] != "as it is" else as_list(row["command"])[0]


def run_rows(place, rows, port, report):
    done = set()
    for row in rows:
        line = line_of(row)
        if line in done:
            continue
        done.add(line)
        began = time.monotonic()
        code, output = place.run(line, port)
        report.add(began, line, failure(row, line, code, output), output)


def await_topics(place, session, topics, port):
    """Until each topic has carried a message; says which has not where the session ends before."""
    for topic in topics:
        listener = place.start("until rostopic list > /dev/null 2>&1; do sleep 0.3; done; "
                               "rostopic echo -n 1 --noarr " + topic, port)
        until = time.monotonic() + START_LIMIT
        while listener.poll() is None and session.poll() is None and time.monotonic() < until:
            time.sleep(0.1)
        came = listener.poll() == 0
        if listener.poll() is None:
            os.killpg(listener.pid, signal.SIGKILL)
        listener.communicate()
        if not came:
            return "nothing came on " + topic
    return ""


def run_session(place, session, rows, report):
    """Starts a launch file as a user does, tries the rows beside it and ends it with Ctrl-C."""
    began, port = time.monotonic(), local_master.free_port()
    process = place.start("exec " + session["run"], port)
    lines = []
    reader = threading.Thread(target=lambda: lines.extend(process.stdout))
    reader.start()
    error = await_topics(place, process, as_list(session["ready"]), port)
    if not error:
        run_rows(place, rows, port, report)
    process.send_signal(signal.SIGINT)
    try:
        code = process.wait(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        code = process.wait()
    reader.join()
    if not error and code != 130:
        error = "ended with %s instead of 130" % code
    report.add(began, session["run"], error, "".join(lines))


def run_table(sessions, rows, programs, build):
    report = Report()
    with tempfile.TemporaryDirectory(prefix="marsim_documents_") as folder:
        place = Place(folder, programs, build)
        of_none = [row for row in rows if "run" in row and "in" not in row]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            beside = pool.submit(run_rows, place, of_none, local_master.free_port(), report)
            for name, session in sessions.items():
                inside = [row for row in rows if row.get("in") == name]
                run_session(place, session, inside, report)
            beside.result()
    return report.errors


def main():
    sessions, rows = read_table()
    errors = table_errors(sessions, rows) or compare(rows)
    if not errors and sys.argv[1] == "run":
        errors = run_table(sessions, rows, os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3]))
    for error in errors:
        print(error)
    print("%d rows, %d failures" % (len(rows), len(errors)))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
