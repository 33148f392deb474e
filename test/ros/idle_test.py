#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Time waits for programs that know nothing of it (wait_until_idle): a planner with a ros::Timer, a
relay with a ros::Rate behind it, and goals from a rospy.Timer. Their flights are the same to the
byte, also beside busy processes; and what becomes of programs that cannot be waited for.

idle_test.py MARSIM FOLDER_OF_TEST_PROGRAMS
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xmlrpc.client

import local_master

MARSIM, PROGRAMS = (os.path.abspath(path) for path in sys.argv[1:3])
del sys.argv[1:3]
EPOCH = 1700000000
SECONDS = 4.0  # of the flights that are compared
GOALS = """
import rospy
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Odometry

rospy.init_node("goals")
here = [None]
goals = rospy.Publisher("/test_goal", PoseStamped, queue_size=10)
def take(odometry):
    here[0] = odometry.pose.pose.position
def send(_):
    if here[0] is None:
        return
    goal = PoseStamped()
    goal.header.stamp = rospy.Time.now()
    goal.pose.position.x, goal.pose.position.y = here[0].x + 1.0, 1.0 - here[0].y
    goal.pose.position.z = 1.5
    goals.publish(goal)
rospy.Subscriber("/uav0/odom", Odometry, take)
rospy.Timer(rospy.Duration(0.4), send)
rospy.spin()
"""
CLIENTS = [
    [os.path.join(PROGRAMS, "test_planner"), "__name:=planner", "_odom:=/uav0/odom",
     "_cloud:=/uav0/points_world", "_goal:=/test_goal", "_command:=/test_plan"],
    [os.path.join(PROGRAMS, "test_relay"), "__name:=relay", "_in:=/test_plan",
     "_out:=/uav0/command/position"],
    [sys.executable, "-c", GOALS]]


def knows_time(master):
    """Whether programs that start now follow simulated time."""
    try:
        return master.hasParam("/idle_test", "/use_sim_time")[2]
    except OSError:
        return False  # not up yet


class Idle(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="marsim_idle_test_")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.children = []
        self.addCleanup(self.end)

    def start(self, arguments, **options):
        child = subprocess.Popen(arguments, cwd=self.folder, env=self.environment,
                                 start_new_session=True, **options)
        self.children.append(child)
        return child

    def end(self):
        for child in reversed(self.children):
            try:
                os.killpg(child.pid, signal.SIGTERM)
            except ProcessLookupError:
                pass
        for child in self.children:
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        self.children = []

    def begin(self, programs, *arguments):
        """Starts master, simulation and clients; the simulation's output goes to a file."""
        port = local_master.free_port()
        self.environment = local_master.environment(port, self.folder)
        self.start(["rosmaster", "--core", "-p", str(port)])
        for name in ("flown.tum", "output"):
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))
        self.output = open(self.path("output"), "w")
        self.addCleanup(self.output.close)
        run = self.start([MARSIM, "run", "sim.launch", "map:=building", "resolution:=0.2",
                          "lidar:=mid360", "pace:=max", "nodelets:=true",
                          "record:=" + self.path("flown.tum"), "wait_until_idle:=" + programs] +
                         list(arguments or ["lockstep:=true"]),
                         stdout=self.output, stderr=subprocess.STDOUT)
        master = xmlrpc.client.ServerProxy(self.environment["ROS_MASTER_URI"])
        if self.comes(lambda: knows_time(master) or run.poll() is not None):
            for client in CLIENTS:
                self.start(client)
        return run

    def path(self, name):
        return os.path.join(self.folder, name)

    def said(self):
        with open(self.path("output")) as file:
            return file.read()

    def comes(self, condition, wall=100.0):
        """Whether something becomes true within a while."""
        until = time.monotonic() + wall
        while time.monotonic() < until:
            if condition():
                return True
            time.sleep(0.1)
        return False

    def latest(self):
        """[s] of simulated time until which the flight was recorded."""
        if not os.path.exists(self.path("flown.tum")):
            return 0.0
        with open(self.path("flown.tum")) as file:
            stamps = [line.split()[0] for line in file if line[0] != "#" and line.endswith("\n")]
        return float(stamps[-1]) - EPOCH if stamps else 0.0

    def flown(self):
        """The lines of the first seconds of the flight; nothing before it is that long."""
        if not os.path.exists(self.path("flown.tum")):
            return []
        with open(self.path("flown.tum")) as file:
            lines = [line for line in file if line.endswith("\n") and not line.startswith("#")]
        inside = [line for line in lines if float(line.split()[0]) <= EPOCH + SECONDS]
        return inside if len(lines) > len(inside) else []

    def flight(self, *arguments):
        self.begin("/planner,/relay,/goals", *arguments)
        self.assertTrue(self.comes(lambda: self.flown()), self.said())
        flown = self.flown()
        self.end()
        self.assertNotIn("wait_until_idle: at", self.said())
        return flown

    def test_flights_are_the_same_to_the_byte(self):
        first = self.flight()
        places = [[float(word) for word in line.split()[1:4]] for line in first]
        self.assertGreater(max(abs(a - b) for a, b in zip(places[0], places[-1])), 0.5)
        self.assertEqual(self.flight(), first)
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(6)]
        try:
            again = self.flight()
        finally:
            for one in busy:
                one.kill()
                one.wait()
        self.assertEqual(again, first)

    def test_programs_that_cannot_be_waited_for(self):
        """One that is not there, or does not rest, holds the start; one that rests no longer is
        named and let go; one that ends is told of."""
        self.begin("/planner,test_spinner", "lockstep:=true", "patience:=3")
        self.assertTrue(self.comes(
            lambda: "time waits for test_spinner to start" in self.said()), self.said())
        spinner = self.start(["bash", "-c", "exec -a test_spinner bash -c '%s; %s; %s'" % (
            "until test -e rest; do :; done", "until test -e go; do sleep 0.1; done",
            "while :; do :; done")])
        busy = (r"test_spinner \(process %d\): its thread 'bash' does not sleep \(state R\)" %
                spinner.pid)
        self.assertTrue(self.comes(
            lambda: re.search("time has not begun: " + busy, self.said())), self.said())
        self.assertEqual(self.latest(), 0.0)
        open(self.path("rest"), "w").close()
        self.assertTrue(self.comes(lambda: self.latest() > 0.1), self.said())
        open(self.path("go"), "w").close()
        self.assertTrue(self.comes(
            lambda: re.search(r"wait_until_idle: at \d+\.\d+ s " + busy, self.said())), self.said())
        let_go = self.latest()
        self.assertTrue(self.comes(lambda: self.latest() > let_go + 0.1), self.said())
        os.killpg(spinner.pid, signal.SIGKILL)
        self.assertTrue(self.comes(
            lambda: "has ended and is no longer waited for" in self.said()), self.said())

    def test_bad_settings_are_refused(self):
        for arguments, words in (
                (["lockstep:=true", "idle_tick:=0.003"], "idle_tick is 0.003 s, allowed: multiples of 0.002 s"),
                (["lockstep:=false"], "allowed: programs in lockstep")):
            run = self.begin("/planner", *arguments)
            self.assertNotEqual(run.wait(60), 0)
            self.assertIn(words, self.said())
            self.end()


if __name__ == "__main__":
    unittest.main()
