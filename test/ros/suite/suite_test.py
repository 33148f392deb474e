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

    def test_all_that_is_shipped_holds(self):
        out = ARGUMENTS.out or os.path.join(self.folder, "out")
        shutil.rmtree(out, ignore_errors=True)
        done = self.suite(out, "--jobs", "2", SUITES)
        self.assertEqual(done.returncode, 0, done.stdout)
        for name in ["report.html", "junit.xml", "results.json"]:
            self.assertGreater(os.path.getsize(os.path.join(out, name)), 100)
        scenarios = [name for name in os.listdir(SUITES) if name.endswith(".yaml")]
        self.assertGreaterEqual(len(scenarios), 15)
        with open(os.path.join(out, "results.json")) as file:
            runs = json.load(file)["runs"]
        self.assertEqual({run["scenario"] + ".yaml" for run in runs}, set(scenarios))
        self.assertEqual({run["verdict"] for run in runs}, {"passed"})

    def test_two_runs_give_the_same_numbers(self):
        some = ["--only", "hover", "building_waypoints", "sensor_rates", SUITES]
        results = []
        for out in ["first", "second"]:
            done = self.suite(out, "--jobs", out == "first" and "2" or "1", *some)
            self.assertEqual(done.returncode, 0, done.stdout)
            with open(os.path.join(self.folder, out, "results.json")) as file:
                results.append(without_wall(json.load(file)))
            for name in ["hover", "building_waypoints", "sensor_rates"]:
                path = os.path.join(self.folder, out, "runs", name, "seed_1", "run.json")
                with open(path) as file:
                    results[-1][name] = without_wall(json.load(file))
        self.assertEqual(results[0], results[1])

        # By hand, the same again.
        folder = os.path.join(self.folder, "first", "runs", "hover", "seed_1")
        os.remove(os.path.join(folder, "run.json"))
        port = str(local_master.free_port())
        done = subprocess.run(["roslaunch", "-p", port, os.path.join(folder, "run.launch")],
                              env=dict(os.environ, ROS_MASTER_URI="http://127.0.0.1:" + port),
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertTrue(os.path.exists(os.path.join(folder, "run.json")), done.stdout)
        with open(os.path.join(folder, "run.json")) as file:
            self.assertEqual(without_wall(json.load(file)), results[0]["hover"])


if __name__ == "__main__":
    PARSER = argparse.ArgumentParser()
    PARSER.add_argument("--marsim", required=True)
    PARSER.add_argument("--out", help="folder that the shipped suite's report is kept in")
    ARGUMENTS, REST = PARSER.parse_known_args()
    unittest.main(argv=[sys.argv[0]] + REST)
