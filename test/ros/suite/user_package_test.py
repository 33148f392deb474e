#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A catkin package outside of the source tree runs a scenario as a rostest, as docs/suites.md shows."""
import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

PACKAGE = """<package format="2">
  <name>my_package</name><version>0.0.1</version><description>Flies a scenario.</description>
  <maintainer email="me@example.org">me</maintainer><license>BSD</license>
  <buildtool_depend>catkin</buildtool_depend><test_depend>rostest</test_depend>
</package>
"""
CMAKE = """cmake_minimum_required(VERSION 3.16)
project(my_package)
find_package(catkin REQUIRED)
catkin_package()
if(CATKIN_ENABLE_TESTING)
  find_package(rostest REQUIRED)
  add_rostest(test/{name}.test)
endif()
"""
ROSTEST = """<launch>
  <test test-name="{name}" pkg="marsim" type="scenario" args="$(find my_package)/test/{name}.yaml" time-limit="600"/>
</launch>
"""
SCENARIO = """description: Holds its place
map: building
start: [0, 0, 1.5]
duration: 2s
checks:
  max_speed: {{{limit}}}
  contacts: {{at_most: 0}}
"""


class UserPackage(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="marsim_user_package_")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_in(self, *command):
        return subprocess.run(command, cwd=self.folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)

    def fly(self, name, limit):
        """Builds the package, runs its tests, and returns the exit code and the results' root."""
        os.makedirs(os.path.join(self.folder, "test"))
        files = {"package.xml": PACKAGE, "CMakeLists.txt": CMAKE.format(name=name),
                 "test/%s.test" % name: ROSTEST.format(name=name),
                 "test/%s.yaml" % name: SCENARIO.format(limit=limit)}
        for path, text in files.items():
            with open(os.path.join(self.folder, path), "w") as file:
                file.write(text)
        done = self.run_in("cmake", "-S", ".", "-B", "build", "-DCATKIN_ENABLE_TESTING=ON",
                           "-DPYTHON_EXECUTABLE=" + sys.executable,
                           "-DCMAKE_PREFIX_PATH=" + ARGUMENTS.devel)
        self.assertEqual(done.returncode, 0, done.stdout)
        done = self.run_in("cmake", "--build", "build", "--target", "tests")
        self.assertEqual(done.returncode, 0, done.stdout)
        os.environ["ROS_PACKAGE_PATH"] = self.folder + ":" + os.environ["ROS_PACKAGE_PATH"]
        done = self.run_in("rostest", "my_package", name + ".test",
                           "--results-base-dir", os.path.join(self.folder, "results"))
        files = glob.glob(os.path.join(self.folder, "results", "**", "rosunit-%s.xml" % name),
                          recursive=True)
        self.assertEqual(len(files), 1, done.stdout)
        return done, ElementTree.parse(files[0]).getroot()

    def test_a_scenario_that_holds_passes(self):
        done, results = self.fly("hover", "at_most: 0.1m/s")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertGreater(len(list(results.iter("testcase"))), 1)
        self.assertEqual(list(results.iter("failure")), [])

    def test_a_scenario_that_does_not_hold_fails_with_number_and_limit(self):
        done, results = self.fly("too_slow", "at_least: 1m/s")
        self.assertNotEqual(done.returncode, 0, done.stdout)
        failures = list(results.iter("failure"))
        self.assertEqual(len(failures), 1)
        said = (failures[0].get("message") or "") + (failures[0].text or "")
        self.assertIn("max_speed", said)
        self.assertIn("m/s", said)


if __name__ == "__main__":
    PARSER = argparse.ArgumentParser()
    PARSER.add_argument("--devel", required=True)
    ARGUMENTS, REST = PARSER.parse_known_args()
    unittest.main(argv=[sys.argv[0]] + REST)
