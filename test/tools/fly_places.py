#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Flies `marsim demo` in places and prints a Markdown table: metres flown, least clearance, contacts, time.

    fly_places.py [--marsim ./marsim] [--out FOLDER] [--option=--goal-count=2]... [PLACE...]

Without a place, all of maps/*.yaml. One flight after another, without a display, on the processor.
Ends with 1 where a flight touched something or left a goal out.
"""
import argparse
import csv
import glob
import json
import math
import os
import subprocess
import sys
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COLUMNS = ("place", "goals", "flown [m]", "least clearance [m]", "contacts", "wall time [s]")


def all_places():
    return sorted(os.path.splitext(os.path.basename(path))[0]
                  for path in glob.glob(os.path.join(SOURCE, "maps", "*.yaml")))


def metres_flown(trajectory):
    with open(trajectory) as file:
        places = [[float(row[axis]) for axis in "xyz"] for row in csv.DictReader(file)]
    return sum(math.dist(a, b) for a, b in zip(places, places[1:]))


def fly(marsim, place, folder, options):
    """A row of the table, and whether the flight was good."""
    summary_file = os.path.join(folder, "summary.json")
    if os.path.exists(summary_file):
        os.remove(summary_file)  # of an earlier flight
    began = time.monotonic()
    command = marsim + ["demo", "--map", place, "--out", folder] + options
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    seconds = time.monotonic() - began
    try:
        with open(summary_file) as file:
            summary = json.load(file)
        row = (place, "%d of %d" % (summary["goals_reached"], summary["goals"]),
               "%.0f" % metres_flown(os.path.join(folder, "trajectory.csv")),
               "%.2f" % summary["min_clearance_m"],
               "%d" % (summary["collisions"] + summary["contacts"]), "%.0f" % seconds)
    except (OSError, KeyError, TypeError, ValueError) as error:
        row = (place, "none flown: %s" % error, "", "", "", "%.0f" % seconds)
    if done.returncode != 0:
        print(done.stdout, file=sys.stderr)
    return row, done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("places", nargs="*", metavar="PLACE")
    parser.add_argument("--marsim", default="./marsim", help="the program; may have arguments")
    parser.add_argument("--out", default="fly_places_output", help="folder for a folder a place")
    parser.add_argument("--option", action="append", default=[], help="handed to marsim demo")
    arguments = parser.parse_args()
    print("| %s |\n|%s" % (" | ".join(COLUMNS), " --- |" * len(COLUMNS)), flush=True)
    bad = []
    for place in arguments.places or all_places():
        name = os.path.splitext(os.path.basename(place))[0]
        row, good = fly(arguments.marsim.split(), place, os.path.join(arguments.out, name),
                        arguments.option)
        print("| %s |" % " | ".join(row), flush=True)
        if not good:
            bad.append(name)
    if bad:
        sys.exit("fly_places.py: not flown as they should be: " + ", ".join(bad))


if __name__ == "__main__":
    main()
