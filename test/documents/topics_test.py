#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every topic and service of the nodes stands in docs/ros.md, with its type.

topics_test.py           those that the sources of the nodes name
topics_test.py master    those of the ROS master that runs
"""
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
PAGE = os.path.join(SOURCE, "docs", "ros.md")
CALL = re.compile(r"\b(advertise|advertiseService|subscribe|subscribeToStream)\s*(?:<\s*([\w:]+?)(?:::Request, [\w:]+)?\s*>)?"
                  r"\((?:handle, )?([^,;()]*(?:\(\w*\)[^,;()]*)*)")
WATCHED = re.compile(r"_publisher_ = \{handle, (\"[^\"]+\")")  # a WatchedPublisher
LITERAL = re.compile(r'^\s*"([^"]+)"')
# Names that the sources work out, and what they are.
COMPUTED = {
    "grantTopic": ["/clock_grants"],
    "kAttitude": ["command/attitude"],
    "kRates": ["command/rates"],
    "kMotorSpeeds": ["command/motor_speeds"],
    "topics[i]": ["points", "points_<layout>", "livox/lidar"],  # lidar::outputTopics
    "topic": ["/peers"],                                        # PeerListener
    "fmt::format": ["points"],                                  # SwarmMeterNode
    "from": ["/broadcast_traj_from_planner"],                   # TopicRelayNode, of planner.launch
    '"obstacles/" +': ["/obstacles/<name>/cmd_vel"],
}
NO_CALL = ("ros::NodeHandle", "const ", "options", "name", "handle", "private_handle")  # declarations and helpers


def documented():
    """Names of topics and services with the rest of their rows."""
    rows = {}
    with open(PAGE) as page:
        for line in page:
            cells = line.split("|")
            if len(cells) < 4:
                continue
            for name in re.findall(r"`((?:uav0)?/[^`]+)`", cells[1]):
                rows["/" + name.lstrip("/")] = line
    return rows


def rows_of(name, rows):
    """The rows that a topic may have; a relative name may stand in any namespace."""
    found = []
    for known, row in rows.items():
        pattern = "/".join("[^/]+" if part.startswith("<") else re.escape(part)
                           for part in known.split("/")).replace(r"points_<layout>", r"points_\w+")
        if known == name or re.fullmatch(pattern, name) or known.endswith("/" + name):
            found.append(row)
    return found


def named_by_sources():
    """(file:line, name, type or "") of every topic and service that the nodes name."""
    found = []
    for path in sorted(glob.glob(os.path.join(SOURCE, "src", "ros", "**", "*.cpp"), recursive=True)):
        with open(path) as file:
            text = file.read()
        calls = [(match.start(), match.group(2) or "", match.group(3)) for match in CALL.finditer(text)]
        calls += [(match.start(), "", match.group(1)) for match in WATCHED.finditer(text)]
        for start, message, expression in calls:
            place = "%s:%d" % (os.path.relpath(path, SOURCE), text.count("\n", 0, start) + 1)
            expression = expression.strip()
            computed = [names for begin, names in COMPUTED.items() if expression.startswith(begin)]
            literal = LITERAL.match(expression)
            if computed:
                found += [(place, name, "") for name in computed[0]]
            elif literal:
                found.append((place, literal.group(1), message.replace("::", "/")))
            elif expression and not expression.startswith(NO_CALL):
                raise SystemExit("%s: what topic is %s? Add it to COMPUTED" % (place, expression))
    return found


def named_by_master():
    import rosgraph
    state = rosgraph.Master("/topics_test").getSystemState()
    own = ("rosout", "/get_loggers", "/set_logger_level", "/tf2_frames", "/list", "/load_nodelet",
           "/unload_nodelet", "/bond")
    return [("the master", name, "") for entries in state for name, _ in entries
            if not any(word in name for word in own)]


def main():
    rows = documented()
    names = named_by_master() if sys.argv[1:] == ["master"] else named_by_sources()
    errors = []
    for place, name, message in names:
        found = rows_of(name, rows)
        if not found:
            errors.append("%s: docs/ros.md does not have %s" % (place, name))
        elif message and "/" in message and not any(message in row for row in found):
            errors.append("%s: docs/ros.md does not say that %s is a %s" % (place, name, message))
    print("\n".join(errors) or "docs/ros.md has all of %d topics and services" % len(names))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
