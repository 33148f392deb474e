#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""`marsim replay` twice: scans and IMU are the same to the byte, and the body is where the file
says; `marsim dataset` writes the same numbers. `marsim record` of such a run, and bad input to both.

replay_test.py MARSIM
"""
import base64
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import local_master
import numpy as np
import rosbag
import rosgraph
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Imu, PointCloud2

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "dataset"))
import readers

MARSIM = os.path.abspath(sys.argv.pop(1))
WORLD = ["resolution:=0.2", "weather:=rain_heavy",
         "obstacles:=%s/camera_obstacles.yaml" % HERE]
IMAGES = (["/uav0/camera/%s/%s" % (name, what) for what in ("image_raw", "camera_info")
           for name in ("left", "right", "color", "aligned_depth_to_right",
                        "aligned_depth_to_color")] +
          ["/uav0/camera/left/truth/class", "/uav0/camera/left/truth/instance"])
BEGIN = 100  # [s] stamp of the file's first pose
PERIOD, COUNT = 0.05, 61  # [s] between poses of the file, and how many
LISTENER = """
import base64, hashlib, json, signal, sys
import rospy
from marsim.msg import ClockGrant
from nav_msgs.msg import Odometry

received, messages = {}, {}
def take(topic, message):  # without the sequence number of the header
    received.setdefault(topic, []).append(hashlib.sha256(message._buff[4:]).hexdigest())
    messages.setdefault(topic, []).append(base64.b64encode(message._buff).decode())

rospy.init_node("listener", disable_signals=True)
grants = rospy.Publisher("/clock_grants", ClockGrant, queue_size=100)
def grant(stamp):
    grants.publish(ClockGrant(who="/listener", until=stamp + rospy.Duration(0.05)))
def take_odometry(message):
    take("/uav0/odom", message)
    grant(Odometry().deserialize(message._buff).header.stamp)
subscribers = [rospy.Subscriber("/uav0/odom", rospy.AnyMsg, take_odometry, tcp_nodelay=True)]
for topic in sys.argv[2:]:
    subscribers.append(rospy.Subscriber(topic, rospy.AnyMsg,
                                        lambda message, topic=topic: take(topic, message),
                                        tcp_nodelay=True))
def end(*_):
    json.dump([received, messages], open(sys.argv[1], "w"))
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
while True:
    # Time begins when all are connected.
    if not received and all(one.get_num_connections() > 0 for one in subscribers):
        grant(rospy.Time(100))  # BEGIN
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
        self.environment = local_master.environment(local_master.free_port(), self.folder)
        # Clocks that are not the IMU's.
        for name, source, rate in (
                ("lidar.yaml", "../../config/lidar/vlp16.yaml", "\nrate: 10Hz"),
                ("cameras.yaml", "cameras_small.yaml", "\nrate: 5Hz")):
            with open(os.path.join(HERE, source)) as file:
                text = file.read()
            self.assertIn(rate, text)
            with open(self.path(name), "w") as file:
                file.write(text.replace(
                    rate, "\nclock: {offset: 3ms, drift: 0.0001, jitter: 1ms}" + rate))
        self.sensors = ["--lidar", self.path("lidar.yaml"),
                        "camera:=" + self.path("cameras.yaml")] + WORLD
        with open(self.path("flight.tum"), "w") as file:
            for i in range(COUNT):
                file.write("%.9f %s\n" % (BEGIN + i * PERIOD,
                                          " ".join("%.9f" % v for v in pose_at(i * PERIOD))))

    def path(self, name):
        return os.path.join(self.folder, name)

    def marsim(self, *arguments):
        return subprocess.run([MARSIM] + list(arguments), cwd=self.folder, env=self.environment,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=800)

    def begin(self, arguments, **options):
        child = subprocess.Popen(arguments, cwd=self.folder, env=self.environment, **options)
        self.addCleanup(lambda: (child.kill(), child.wait()))
        return child

    def comes(self, topic):
        """Whether a topic is published within a while."""
        master = rosgraph.Master("/replay_test", self.environment["ROS_MASTER_URI"])
        for _ in range(600):
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
        listener = self.begin([sys.executable, "-c", LISTENER, received, "/uav0/points",
                               "/uav0/imu/data", "/uav0/livox/imu"] + IMAGES)
        run = self.marsim("replay", "flight.tum", "pace:=20", "participants:=/listener",
                          "nodelets:=" + nodelets, "record:=flown_%d.tum" % number, *self.sensors)
        listener.terminate()
        listener.wait(20)
        master.terminate()
        master.wait(20)
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertIn("replayed to its end, 3.000 s", run.stdout)
        with open(received) as file:
            return json.load(file)

    def agrees(self, messages):
        """What `marsim dataset` writes is what the messages of a replay carry."""
        made = self.marsim("dataset", "--trajectory", "flight.tum", "--format",
                           "asl,tum,pcd,rosbag", "--truth-frame", "base", "--image-truth", "--out", "dataset",
                           *self.sensors)
        self.assertEqual(made.returncode, 0, made.stdout)

        def decoded(topic, kind):
            return [kind().deserialize(base64.b64decode(text)) for text in messages[topic]]
        stamps, rows = readers.asl_table(self.path("dataset/asl/mav0/imu0/data.csv"),
                                         readers.ASL_IMU)
        self.assertEqual(len(stamps), 600)
        for stamp, row, imu in zip(stamps, rows, decoded("/uav0/imu/data", Imu)):
            w, a = imu.angular_velocity, imu.linear_acceleration
            self.assertEqual(stamp, imu.header.stamp.to_nsec())
            self.assertEqual(list(row), [w.x, w.y, w.z, a.x, a.y, a.z])
        truth = dict(zip(*readers.tum(self.path("dataset/tum/groundtruth.txt"))))
        for odometry in decoded("/uav0/odom", Odometry):
            stamp, pose = odometry.header.stamp.to_nsec(), odometry.pose.pose
            if stamp > (BEGIN + 3) * 10**9:
                break
            p, q = pose.position, np.array([pose.orientation.x, pose.orientation.y,
                                            pose.orientation.z, pose.orientation.w])
            self.assertEqual(list(truth[stamp][:3]), [p.x, p.y, p.z])
            self.assertEqual(list(truth[stamp][3:]), list(q if q[3] >= 0.0 else -q))
        scans = readers.asl_files(self.path("dataset/asl/mav0/lidar0"))
        self.assertEqual(len(scans), 30)
        for i, (stamp, _) in enumerate(scans):
            self.assertLess(abs(stamp - BEGIN * 10**9 - 0.1e9 * i * 1.0001 - 3e6), 1e6)
        for (stamp, file), cloud in zip(scans, decoded("/uav0/points", PointCloud2)):
            self.assertEqual(stamp, cloud.header.stamp.to_nsec())
            kinds = {2: "u1", 4: "<u2", 7: "<f4"}
            points = np.frombuffer(cloud.data, dtype=np.dtype({
                "names": [field.name for field in cloud.fields],
                "formats": [kinds[field.datatype] for field in cloud.fields],
                "offsets": [field.offset for field in cloud.fields],
                "itemsize": cloud.point_step}))
            written = readers.pcd(file)
            self.assertEqual(len(written), len(points))
            for name in ("x", "y", "z", "intensity", "ring", "time"):
                self.assertTrue((written[name] == points[name]).all(), name)

        self.bag_agrees(messages)

    def bag_agrees(self, messages):
        """A written bag holds the messages themselves, but for their sequence numbers."""
        written = {}
        with rosbag.Bag(self.path("dataset/rosbag/flight.bag")) as bag:
            for topic, message, _ in bag.read_messages(raw=True):
                written.setdefault(topic, []).append(message[1][4:])
        for topic, first in (("/uav0/points", 0), ("/uav0/imu/data", 0),
                             ("/uav0/livox/imu", 0), ("/uav0/odom", 1)):
            received = [base64.b64decode(text)[4:] for text in messages[topic]]
            mine = written[topic][first:]  # the node tells nothing at 0 s
            self.assertGreaterEqual(len(mine), 29)
            self.assertEqual(received[:len(mine)], mine, topic)
        for topic in IMAGES[:-1]:  # instances have other numbers in a bag
            received = [base64.b64decode(text)[4:] for text in messages[topic]]
            mine = written[topic][1 if written[topic][0][:8] != received[0][:8] else 0:]
            self.assertEqual(len(written[topic]), 16, topic)
            self.assertGreaterEqual(len(set(mine)), 15, topic)
            self.assertEqual(len(received[:len(mine)]), len(mine), topic)
            self.assertTrue(received[:len(mine)] == mine, topic)

    def test_scenario(self):
        """A data set of a scenario is flown as the suite flies it in lockstep."""
        scenario = ("description: there and back\nmap: building\nlidar: vlp16\nresolution: 0.2\n"
                    "start: [0, 0, 1.5]\nduration: 6s\ngusts: light\nfly: {goals: [[2, 0.3, 1.3]]}\n"
                    "checks: {contacts: {at_most: 0}}\n")
        for name, more in (("alone", ""), ("flown", "arguments: {record: %s}\n"
                                           % self.path("flown.tum"))):
            with open(self.path(name + ".yaml"), "w") as file:
                file.write(scenario + more)
        flown = self.marsim("suite", "flown.yaml", "--out", "suite")
        self.assertEqual(flown.returncode, 0, flown.stdout)
        made = self.marsim("dataset", "--scenario", "alone.yaml", "--format", "tum,pcd", "--out",
                           "alone")
        self.assertEqual(made.returncode, 0, made.stdout)
        truth = dict(zip(*readers.tum(self.path("alone/tum/groundtruth.txt"))))
        compared = 0
        with open(self.path("flown.tum")) as file:
            for line in file:
                stamp, _, rest = line.partition(" ")
                at = None if stamp == "#" else round(1e3 * float(stamp)) * 10**6
                if at not in truth:  # the suite goes on for a while
                    continue
                row = np.array(rest.split(), dtype=float)
                self.assertLess(np.abs(row[:3] - truth[at][:3]).max(), 1e-8)  # nine digits
                compared += 1
        self.assertGreater(compared, 500)
        self.assertGreater(np.abs(row[:3] - [0.0, 0.0, 1.5]).max(), 1.9)

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
        (first, messages), (second, _) = self.replay(1, "false"), self.replay(2, "true")
        begin = Imu().deserialize(base64.b64decode(messages["/uav0/imu/data"][0])).header.stamp
        self.assertEqual(begin.to_nsec(), BEGIN * 10**9 + 5_000_000, "the file's own stamps")
        self.agrees(messages)
        # Everything up to the end of the trajectory; what comes later may be cut off.
        for topic, count in (("/uav0/points", 29), ("/uav0/imu/data", 600)):
            self.assertGreaterEqual(len(first[topic]), count)
            self.assertEqual(first[topic][:count], second[topic][:count], topic)
            self.assertEqual(len(set(first[topic][:count])), count, topic)
        with open(self.path("flown_1.tum")) as file:
            flown = [[float(v) for v in line.split()] for line in file if line[0] != "#"]
        by_stamp = {round(1e3 * row[0]): row[1:] for row in flown}
        for i in range(1, COUNT):
            there = by_stamp[round(1e3 * (BEGIN + i * PERIOD))]
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
        # rosbag ends by itself where the disk is nearly full.
        cut_short = self.begin([MARSIM, "record", "/uav0/odom", "--out", "c.bag"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertIn(b"recording", cut_short.stdout.readline())
        until = time.monotonic() + 20.0
        while not os.path.exists(self.path("c.bag.active")) and time.monotonic() < until:
            time.sleep(0.05)
        subprocess.run(["rosnode", "kill", "/marsim_record_%d" % cut_short.pid],
                       env=self.environment, timeout=60)
        self.assertIn(b"c.bag: rosbag ended the recording", cut_short.communicate(timeout=60)[1])
        self.assertEqual(cut_short.returncode, 1)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(60), 130)
        master.terminate()


if __name__ == "__main__":
    unittest.main()
