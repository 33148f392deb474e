#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""`marsim run` against roslaunch itself, on nodes that are shell scripts: misspelt arguments start
nothing, the exit code says how the nodes ended, and nothing is left behind.

launch_run_test.py MARSIM
"""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

import local_master
import rosgraph

MARSIM = os.path.abspath(sys.argv.pop(1))
MARK = "MARSIM_RUN_TEST"  # an environment variable by which its processes are found
PACKAGE = """<package><name>run_test</name><version>0.1.0</version><description>t</description>
<maintainer email="a@b.c">m</maintainer><license>BSD</license></package>"""
PROGRAMS = {
    "dies": "echo '[FATAL] [1.0]: out of paper'; exit 3",
    # After all others began: roslaunch fails if a required node ends before.
    "ends": "until [ $(ls began_* | wc -l) = 8 ]; do sleep 0.1; done; sleep 0.5",
    "stays": "echo alive; exec sleep 300",
    "talks": "while echo alive; do sleep 0.1; done",
    "parent": "touch began_$$; sleep 300 & exec sleep 300",
    "shouts": "head -c 100000 /dev/zero | tr '\\0' '['; exit 3",
    "node": "echo alive; exec /usr/bin/python3 -c 'import rospy; rospy.init_node(\"n\"); "
            "rospy.spin()' \"$@\"",
}
OUTER = """<launch>
  <arg name="first" default="stays"/>
  <arg name="also" default="false"/>
  <node pkg="run_test" type="$(arg first)" name="first" required="true" output="screen"/>
  <include file="$(dirname)/inner.launch" pass_all_args="true"><arg name="fixed" value="1"/></include>
</launch>"""
INNER = """<launch>
  <arg name="lidar" default="avia"/>
  <arg name="fixed" default="0"/>
  <param name="lidar" value="$(arg lidar)"/>
  %s
</launch>""" % "\n  ".join('<node pkg="run_test" type="parent" name="n%d"/>' % i for i in range(8))


class LaunchRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="marsim_run_test_")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("package.xml", PACKAGE)
        self.write("outer.launch", OUTER)
        self.write("inner.launch", INNER)
        for name, line in PROGRAMS.items():
            os.chmod(self.write(name, "#!/bin/sh\n%s\n" % line), 0o755)
        self.mark = uuid.uuid4().hex
        self.environment = local_master.environment(local_master.free_port(), self.folder)
        self.environment.update(
            ROS_HOME=self.folder,
            ROS_PACKAGE_PATH=self.folder + ":" + os.environ["ROS_PACKAGE_PATH"])
        self.environment[MARK] = self.mark

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def start(self, *arguments):
        return subprocess.Popen((MARSIM, "run") + arguments, cwd=self.folder, text=True,
                                env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT)

    def run_to_its_end(self, *arguments):
        process = self.start(*arguments)
        try:
            output, _ = process.communicate(timeout=600)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=300)
            self.fail("had to be interrupted: " + output)
        return process.returncode, output

    def left(self):
        """Command lines of processes that this test has started and that run."""
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/environ" % name) as file:
                    ours = "%s=%s" % (MARK, self.mark) in file.read().split("\0")
                with open("/proc/%s/cmdline" % name) as file:
                    if ours:
                        found.append(file.read().replace("\0", " "))
            except OSError:
                pass
        return found

    def test_arguments_are_checked_before_anything_starts(self):
        for argument, words in (("lidr:=mid360", "did you mean 'lidar'"),
                                ("fixed:=2", "unknown argument 'fixed'"),
                                ("lidar=mid360", "did you mean 'lidar:=mid360'"),
                                ("first:=missing", "run_test/missing")):
            code, output = self.run_to_its_end("run_test", "outer.launch", argument)
            self.assertEqual(code, 2, output)
            self.assertIn(words, output)
            self.assertNotIn("started", output)
        code, output = self.run_to_its_end("planner.launch", "client:=ego")
        self.assertEqual(code, 2, output)
        self.assertNotIn("Arg xml", output)
        self.assertTrue(output.rstrip("\n").endswith("fuel, super, mavros'"), output)
        code, output = self.run_to_its_end("sim.launch", "lidar")
        self.assertEqual(code, 2, output)
        self.assertIn("'lidar' is no argument: NAME:=VALUE", output)
        code, output = self.run_to_its_end("sim.lunch")
        self.assertEqual(code, 2, output)
        self.assertIn("did you mean 'sim.launch'", output)
        self.assertFalse(os.path.exists(self.folder + "/log"))

    def test_required_node_that_dies_at_start(self):
        code, output = self.run_to_its_end("./outer.launch", "first:=dies", "lidar:=mid360")
        self.assertEqual(code, 1, output)
        self.assertEqual(output.splitlines()[-1],
                         "marsim run: first ended with exit code 3: out of paper")
        self.assertEqual(self.left(), [])

    def test_a_long_line_ends_nothing(self):
        code, output = self.run_to_its_end("./outer.launch", "first:=shouts")
        self.assertEqual(code, 1, output[-500:])
        self.assertEqual(output.splitlines()[-1], "marsim run: first ended with exit code 3")

    def spawn(self, *words):
        process = subprocess.Popen(words, cwd=self.folder, text=True, env=self.environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def master_with(self, *services):
        """The master once it knows services of these names."""
        master = rosgraph.Master("/test", master_uri=self.environment["ROS_MASTER_URI"])
        for _ in range(1200):
            try:
                master.getPid()
                for service in services:
                    master.lookupService(service)
                return master
            except (OSError, rosgraph.MasterException):
                time.sleep(0.1)
        self.fail("no service " + " ".join(services))

    def test_names_that_are_taken(self):
        self.spawn("rosmaster", "--core", "-p", self.environment["ROS_MASTER_URI"].split(":")[-1])
        self.master_with()
        first = self.spawn("./node", "__name:=first")
        self.master_with("/first/get_loggers")
        code, output = self.run_to_its_end("./outer.launch", "first:=ends")
        self.assertEqual(code, 2, output)
        self.assertIn("marsim run: node /first runs already on the master http://", output)
        self.assertNotIn("started", output)
        self.assertIsNone(first.poll())
        first.kill()
        first.wait()
        code, output = self.run_to_its_end("./outer.launch", "first:=ends")
        self.assertEqual(code, 0, output)

    def test_nodes_refuse_names_that_are_taken(self):
        def node(program, name):
            return self.spawn(os.path.join(os.path.dirname(MARSIM), program), "__name:=" + name)

        def refused(process, name):
            output, _ = process.communicate(timeout=300)
            self.assertEqual(process.returncode, 1, output)
            self.assertIn("%s runs already on the master" % name, output)
        self.spawn("rosmaster", "--core", "-p", self.environment["ROS_MASTER_URI"].split(":")[-1])
        self.master_with().setParam("/m/nodelets/sim_clock", "marsim/sim_clock")
        hosted = node("manager", "m")
        self.master_with("/sim_clock/pause")
        refused(node("sim_clock", "sim_clock"), "/sim_clock")
        hosted.kill()
        hosted.wait()
        first = node("sim_clock", "sim_clock")
        self.master_with("/sim_clock/get_loggers")
        refused(node("sim_clock", "sim_clock"), "/sim_clock")
        refused(node("manager", "m"), "/sim_clock")
        self.assertIsNone(first.poll())
        first.kill()
        first.wait()
        heir = node("sim_clock", "sim_clock")
        while "/sim_clock no longer answers: its name is taken over" not in heir.stdout.readline():
            self.assertIsNone(heir.poll())

    def test_required_node_that_ends_well(self):
        code, output = self.run_to_its_end("./outer.launch", "first:=ends")
        self.assertEqual(code, 0, output)
        self.assertEqual(self.left(), [])

    def test_a_reader_that_goes_leaves_nothing(self):
        process = self.start("./outer.launch", "first:=talks")
        while "alive" not in process.stdout.readline():
            self.assertIsNone(process.poll())
        process.stdout.close()  # as `| head` does
        process.wait(600)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(self.left(), [])

    def test_interrupt_leaves_nothing(self):
        for wanted in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start("./outer.launch")
            while "alive" not in process.stdout.readline():
                self.assertIsNone(process.poll())
            time.sleep(0.3)
            process.send_signal(wanted)
            output, _ = process.communicate(timeout=600)
            self.assertEqual(process.returncode, 130, output)
            self.assertEqual(self.left(), [])


if __name__ == "__main__":
    unittest.main()
