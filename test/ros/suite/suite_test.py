#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the shipped suite: all hold, its files are there. Twice some of it: the same numbers."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
SUITES = os.path.join(SOURCE, "config", "suites")
sys.path.insert(0, os.path.join(SOURCE, "test", "ros"))
import local_master

STAND_INS = os.path.join(SOURCE, "test", "ros", "suite", "stand_ins")


def without_wall(value):
    """What does not depend on wall time."""
    if isinstance(value, dict):
        return {key: without_wall(item) for key, item in value.items() if key != "wall"}
    if isinstance(value, list):
        return [without_wall(item) for item in value]
    return value


class Suite(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="marsim_suite_")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def suite(self, out, *options):
        return subprocess.run(
            [ARGUMENTS.marsim, "suite", "--out", out, "--stand-ins", STAND_INS] + list(options),
            cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def shipped_in_lockstep(self):
        """The shipped scenarios; those of planners, which fly in real time, in lockstep: in real
        time the controller answers late on a busy machine, and the UAV hits a tree."""
        folder = shutil.copytree(SUITES, os.path.join(self.folder, "suites"))
        for name in ["ego_planner.yaml", "super.yaml"]:
            with open(os.path.join(folder, name)) as file:
                text = file.read()
            self.assertIn("lockstep: false", text)
            with open(os.path.join(folder, name), "w") as file:
                file.write(text.replace("lockstep: false", "lockstep: true"))
        return folder

    def measured(self, out, scenario):
        """What a run of a scenario told and measured, by its own file and by that of the suite."""
        with open(os.path.join(out, "runs", scenario, "seed_1", "run.json")) as file:
            own = without_wall(json.load(file))
        with open(os.path.join(out, "results.json")) as file:
            rows = [run for run in json.load(file)["runs"] if run["scenario"] == scenario]
        return own, without_wall(rows)

    def test_all_that_is_shipped_holds_and_repeats(self):
        out = ARGUMENTS.out or os.path.join(self.folder, "out")
        shutil.rmtree(out, ignore_errors=True)
        done = self.suite(out, "--jobs", "2", self.shipped_in_lockstep())
        self.assertEqual(done.returncode, 0, done.stdout)
        for name in ["report.html", "junit.xml", "results.json"]:
            self.assertGreater(os.path.getsize(os.path.join(out, name)), 100)
        scenarios = [name for name in os.listdir(SUITES) if name.endswith(".yaml")]
        self.assertGreaterEqual(len(scenarios), 15)
        with open(os.path.join(out, "results.json")) as file:
            runs = json.load(file)["runs"]
        self.assertEqual({run["scenario"] + ".yaml" for run in runs}, set(scenarios))
        self.assertEqual({run["verdict"] for run in runs}, {"passed"})

        again = os.path.join(self.folder, "again")
        some = ["hover", "building_waypoints", "sensor_rates"]
        done = self.suite(again, "--jobs", "1", "--only", *some, SUITES)
        self.assertEqual(done.returncode, 0, done.stdout)
        for name in some:
            self.assertEqual(self.measured(again, name), self.measured(out, name))

        # By hand, the same again.
        folder = os.path.join(again, "runs", "hover", "seed_1")
        os.remove(os.path.join(folder, "run.json"))
        port = str(local_master.free_port())
        done = subprocess.run(["roslaunch", "-p", port, os.path.join(folder, "run.launch")],
                              env=dict(os.environ, ROS_MASTER_URI="http://127.0.0.1:" + port),
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertTrue(os.path.exists(os.path.join(folder, "run.json")), done.stdout)
        with open(os.path.join(folder, "run.json")) as file:
            self.assertEqual(without_wall(json.load(file)), self.measured(out, "hover")[0])


if __name__ == "__main__":
    PARSER = argparse.ArgumentParser()
    PARSER.add_argument("--marsim", required=True)
    PARSER.add_argument("--out", help="folder that the shipped suite's report is kept in")
    ARGUMENTS, REST = PARSER.parse_known_args()
    unittest.main(argv=[sys.argv[0]] + REST)
