#!/usr/bin/python3
"""`marsim replay` twice: scans and IMU are the same to the byte, and the body is where the file
says. `marsim record` of such a run, and bad input to both.

replay_test.py MARSIM
"""
import json
import math
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import rosgraph

MARSIM = os.path.abspath(sys.argv.pop(1))
PERIOD, COUNT = 0.05, 61  # [s] between poses of the file, and how many
LISTENER = """
import hashlib, json, signal, sys
import rospy
from marsim.msg import ClockGrant
from nav_msgs.msg import Odometry

received = {}
def take(topic, message):  # without the sequence number of the header
    received.setdefault(topic, []).append(hashlib.sha256(message._buff[4:]).hexdigest())

rospy.init_node("listener", disable_signals=True)
grants = rospy.Publisher("/clock_grants", ClockGrant, queue_size=100)
def grant(stamp):
    grants.publish(ClockGrant(who="/listener", until=stamp + rospy.Duration(0.05)))
rospy.Subscriber("/uav0/odom", Odometry, lambda message: grant(message.header.stamp))
for topic in ("/uav0/points", "/uav0/imu/data"):
    rospy.Subscriber(topic, rospy.AnyMsg, lambda message, topic=topic: take(topic, message),
                     tcp_nodelay=True)
def end(*_):
    json.dump(received, open(sys.argv[1], "w"))
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
while True:
    if not received:
        grant(rospy.Time(0))
    rospy.rostime.wallsleep(0.2)
"""


def pose_at(t):
    yaw = 0.9 * t
    return (0.8 * math.sin(t), 0.5 * t, 1.5 + 0.2 * math.cos(2.0 * t),
            0.0, 0.0, math.sin(0.5 * yaw), math.cos(0.5 * yaw))


class Replay(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="marsim_replay_test_")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.environment = dict(
            os.environ, ROS_MASTER_URI="http://127.0.0.1:%d" % port, ROS_IP="127.0.0.1",
            ROS_LOG_DIR=self.folder + "/log")
        with open(self.path("flight.tum"), "w") as file:
            for i in range(COUNT):
                file.write("%.9f %s\n" % (100.0 + i * PERIOD,
                                          " ".join("%.9f" % v for v in pose_at(i * PERIOD))))

    def path(self, name):
        return os.path.join(self.folder, name)

    def marsim(self, *arguments):
        return subprocess.run([MARSIM] + list(arguments), cwd=self.folder, env=self.environment,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=200)

    def begin(self, arguments, **options):
        child = subprocess.Popen(arguments, cwd=self.folder, env=self.environment, **options)
        self.addCleanup(lambda: (child.kill(), child.wait()))
        return child

    def comes(self, topic):
        """Whether a topic is published within a while."""
        master = rosgraph.Master("/replay_test", self.environment["ROS_MASTER_URI"])
        for _ in range(200):
            time.sleep(0.2)
            try:
                if any(name == topic for name, _ in master.getSystemState()[0]):
                    return True
            except OSError:
                pass  # not up yet
        return False

    def replay(self, number, nodelets):
        master = self.begin(["rosmaster", "--core", "-p",
                             self.environment["ROS_MASTER_URI"].rsplit(":", 1)[1]])
        received = self.path("received_%d.json" % number)
        listener = self.begin([sys.executable, "-c", LISTENER, received])
        run = self.marsim("replay", "flight.tum", "--lidar", "vlp16", "resolution:=0.2",
                          "pace:=20", "participants:=/listener", "nodelets:=" + nodelets,
                          "record:=flown_%d.tum" % number)
        listener.terminate()
        listener.wait(20)
        master.terminate()
        master.wait(20)
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertIn("replayed to its end, 3.000 s", run.stdout)
        with open(received) as file:
            return json.load(file)

    def record(self, name, arguments, seconds):
        """The manifest of a recording of so many seconds."""
        recorder = self.begin([MARSIM, "record", "--out", name + ".bag"] + arguments,
                              stdout=subprocess.PIPE)
        with recorder.stdout as told:
            self.assertIn(b"recording", told.readline())
            with self.assertRaises(subprocess.TimeoutExpired, msg="it ended by itself"):
                recorder.wait(seconds)
            recorder.send_signal(signal.SIGINT)
            self.assertEqual(recorder.wait(60), 0)
        with open(self.path(name + ".manifest.json")) as file:
            return json.load(file)

    def test_repeats(self):
        first, second = self.replay(1, "false"), self.replay(2, "true")
        # Everything up to the end of the trajectory; what comes later may be cut off.
        for topic, count in (("/uav0/points", 29), ("/uav0/imu/data", 600)):
            self.assertGreaterEqual(len(first[topic]), count)
            self.assertEqual(first[topic][:count], second[topic][:count], topic)
            self.assertEqual(len(set(first[topic][:count])), count, topic)
        with open(self.path("flown_1.tum")) as file:
            flown = [[float(v) for v in line.split()] for line in file if line[0] != "#"]
        by_stamp = {round(1e3 * row[0]): row[1:] for row in flown}
        for i in range(1, COUNT):
            there = by_stamp[round(1e3 * i * PERIOD)]
            truth = pose_at(i * PERIOD)
            self.assertLess(math.dist(there[:3], truth[:3]), 1e-6)
            self.assertLess(2.0 * math.dist(there[3:], truth[3:]), 1e-6)  # the angle

    def small_disk(self, name):
        """A folder of 1 MB; where this may not be mounted the case is left out."""
        os.mkdir(self.path(name))
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", self.path(name)],
                               stderr=subprocess.DEVNULL)
        if mount.returncode == 0:
            self.addCleanup(lambda: subprocess.run(["umount", self.path(name)]))
        return mount.returncode == 0

    def test_bad_input(self):
        has_small_disk = self.small_disk("full")
        for arguments, expected in (
                (["replay", "none.tum"], "none.tum"),
                (["replay", "flight.tum", "lidr:=mid360"], "did you mean 'lidar'?"),
                (["record", "/uav0/odom"], "no ROS master at"),
                (["record", "--all", "--out", "bag"], "allowed: a name that ends in .bag"),
                (["record", "--all", "--out", "none/x.bag"], "is no folder that can be written"),
                (["record", "--all", "--out", "full/x.bag"], "GB of free space, allowed:"),
                (["record"], "one of TOPIC ..., --all and --profile is needed")):
            if "full/x.bag" in arguments and not has_small_disk:
                continue
            run = self.marsim(*arguments)
            self.assertNotEqual(run.returncode, 0, run.stdout)
            self.assertIn(expected, run.stdout)
        with open(self.path("bad.tum"), "w") as file:
            file.write("0 0 0 0 0 0 0 1\n0 0 0 0 0 0 0 1\n")
        self.assertIn("bad.tum: line 2: stamp is 0.000000000 s after",
                      self.marsim("replay", "bad.tum").stdout)

    def test_record(self):
        master = self.begin(["rosmaster", "--core", "-p",
                             self.environment["ROS_MASTER_URI"].rsplit(":", 1)[1]])
        run = self.begin([MARSIM, "run", "sim.launch", "replay:=flight.tum", "lidar:=vlp16",
                          "resolution:=0.2"])
        self.assertTrue(self.comes("/uav0/odom"))
        early = self.begin([MARSIM, "record", "/uav0/none"], stderr=subprocess.PIPE)
        time.sleep(1.5)  # it waits 5 s for the topic
        early.send_signal(signal.SIGINT)
        with early.stderr as told:
            self.assertEqual(told.read(), b"marsim record: ended before anything was recorded\n")
        self.assertEqual(early.wait(20), 1)
        unknown = self.marsim("record", "/uav0/odm")
        self.assertEqual(unknown.returncode, 1)
        self.assertIn("did you mean /uav0/odom", unknown.stdout)
        manifest = self.record("a", ["/uav0/odom", "/uav0/points"], 8)
        self.assertEqual(manifest["bag"], "a.bag")
        self.assertGreater(manifest["topics"]["/uav0/odom"]["messages"], 100)
        self.assertGreater(manifest["end"], manifest["start"])
        self.assertRegex(manifest["map"]["hash"], "^[0-9a-f]{16}$")
        self.assertIn("/uav0/seed", manifest["seeds"])
        self.assertEqual(manifest["parameters"]["uav0"]["vehicle"], "hummingbird")
        pause = subprocess.run(["rosservice", "call", "/sim_clock/pause", "true"],
                               env=self.environment, timeout=60)
        self.assertEqual(pause.returncode, 0)
        of_profile = self.record("b", ["--profile", "slam", "--unpause"], 5)
        self.assertGreater(of_profile["topics"]["/uav0/imu/data"]["messages"], 100)
        self.assertGreater(of_profile["topics"]["/uav0/points"]["messages"], 5)
        self.assertNotIn("/uav0/state", of_profile["topics"])
        self.assertIn("there already", self.marsim("record", "--all", "--out", "a.bag").stdout)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(60), 130)
        master.terminate()


if __name__ == "__main__":
    unittest.main()
