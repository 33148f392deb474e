# SPDX-License-Identifier: BSD-3-Clause
"""A known trajectory in a known room, and `marsim dataset` along it; for the tests of this folder.

X_test.py MARSIM bags|no-bags large-images|small-images
"""
import filecmp
import math
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import readers

MARSIM = os.path.abspath(sys.argv.pop(1))
HAS_BAGS = sys.argv.pop(1) == "bags"  # whether the build writes rosbags
HAS_TIME = sys.argv.pop(1) == "large-images"  # for images of full size
PERIOD, COUNT = 0.05, 61  # [s] between poses of the trajectory, and how many
SECONDS = PERIOD * (COUNT - 1)
ROOM = np.array([10.0, 6.0, 3.0])  # [m] one corner at the origin
FLIP = np.diag([1.0, -1.0, -1.0])                                 # FLU and FRD
NED = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])  # ENU and NED
LIDAR = """
name: Test scanner
range: {min: 0.2m, max: 40m}
rate: 10Hz
mounting: {position: [0.1, 0.05, -0.08], rpy: [6deg, -3deg, 20deg]}
pattern:
  kind: spinning
  rotation_rate: -600rpm
  cycle_period: 250us
  channels:
%s""" % "".join("    - {elevation: %ddeg, fire_time: %dus}\n" % (10 * i - 30, 20 * i)
                for i in range(7))
BIASED = """
name: Biased
rate: 200Hz
gyroscope: {turn_on_bias: 0.02}
accelerometer: {turn_on_bias: 0.3}
"""
DEPTH = """
name: Test camera
image: {width: 64, height: 48, fx: 50, fy: 52, cx: 30, cy: 25}
range: {min: 0.1m, max: 12m}
rate: 20Hz
mounting: {position: [0.1, -0.02, 0.03], rpy: [0deg, 10deg, 25deg]}
"""
CAMERAS = """
name: Test cameras
rate: 20Hz
mounting: {position: [0.1, -0.02, 0.03], rpy: [0deg, 10deg, 25deg]}
cameras:
  - name: left
    encoding: bgr8
    image: {width: 64, height: 48, fx: 50, fy: 52, cx: 30, cy: 25}
    aligned_depth: {min: 0.1m, max: 12m, encoding: 16UC1}
  - name: right
    encoding: mono8
    image: {width: 60, height: 40, fx: 45, fy: 46, cx: 29.5, cy: 19.5}
    mounting: {position: [0.0, -0.1, 0.0]}
"""
FISHEYE = """
name: Test fisheye
rate: 20Hz
encoding: rgb8
cameras:
  - projection: fisheye
    image: {width: 64, height: 48, fx: 20, fy: 20, cx: 31.5, cy: 23.5}
    distortion: [-0.01, 0.002, 0.0, 0.0]
"""
OBSTACLES = """
seed: 1
region: {min: [2, 1, 0.5], max: [8, 5, 2.5]}
groups:
  - {name: ring, kind: orbit, number: 2, radius: [1m, 1m], speed: [1, 1], size: [0.5m, 0.5m], class: person}
"""


def place_at(t):
    """Position and yaw, pitch, roll."""
    return (np.array([5.0 + 1.5 * math.sin(0.8 * t), 3.0 + 0.8 * math.sin(1.3 * t),
                      1.5 + 0.3 * math.sin(1.1 * t)]),
            (0.6 * t, 0.15 * math.sin(1.7 * t), 0.2 * math.sin(1.2 * t)))


def quaternion_at(t):
    """x y z w."""
    yaw, pitch, roll = (0.5 * angle for angle in place_at(t)[1])
    cy, sy, cp, sp, cr, sr = (math.cos(yaw), math.sin(yaw), math.cos(pitch), math.sin(pitch),
                              math.cos(roll), math.sin(roll))
    return (sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy, cr * cp * cy + sr * sp * sy)


def walls():
    points = []
    steps = [np.arange(0.05, size, 0.1) for size in ROOM]
    for axis in range(3):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        for side in (0.0, ROOM[axis]):
            for u in steps[a]:
                for v in steps[b]:
                    point = [0.0, 0.0, 0.0]
                    point[axis], point[a], point[b] = side, u, v
                    points.append(point)
    return np.array(points)


def distance_to_walls(points):
    return np.minimum(np.abs(points), np.abs(points - ROOM)).min(axis=1)


class KnownFlight(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="marsim_dataset_test_")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = cls.temporary.name
        readers.write_pcd(cls.path("room.pcd"), walls())
        for name, text in (("scanner.yaml", LIDAR), ("biased.yaml", BIASED),
                           ("ring.yaml", OBSTACLES),
                           ("camera.yaml", DEPTH), ("cameras.yaml", CAMERAS),
                           ("fisheye.yaml", FISHEYE)):
            with open(cls.path(name), "w") as file:
                file.write(text)
        with open(cls.path("flight.tum"), "w") as file:
            for i in range(COUNT):
                values = list(place_at(i * PERIOD)[0]) + list(quaternion_at(i * PERIOD))
                file.write("%.9f %s\n" % (7.0 + i * PERIOD, " ".join("%.12f" % v for v in values)))

    @classmethod
    def make_enu(cls):
        """The flight in the usual formats, which several tests look at."""
        cls.enu = cls.made("enu", "--truth-frame", "lidar", "--threads", "1")

    @classmethod
    def path(cls, *names):
        return os.path.join(cls.folder, *names)

    @classmethod
    def run_dataset(cls, out, *more, **options):
        words = [MARSIM, "dataset", "--out", out]
        if "--scenario" not in more and "--trajectory" not in more:
            words += ["--trajectory", "flight.tum"]
            words += [] if "--map" in more else ["--map", "room.pcd"]
        if "--imu" not in more and "--scenario" not in more:
            words += ["--imu", "ideal"]
        if "--lidar" not in more and "--scenario" not in more:
            words += ["--lidar", "scanner.yaml"]
        if not any(word.startswith("epoch:=") for word in more):
            words.append("epoch:=0")
        return subprocess.run(words + list(more), cwd=cls.folder, text=True, timeout=800,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)

    @classmethod
    def of_file(cls, run_file, out="refused"):
        return subprocess.run([MARSIM, "dataset", "--run", run_file, "--out", out], cwd=cls.folder,
                              text=True, timeout=800, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)

    @classmethod
    def made(cls, out, *more):
        run = cls.run_dataset(out, *more)
        assert run.returncode == 0, run.stdout
        return cls.path(out)

    def refused(self, text, *arguments, out="refused", code=1):
        run = self.run_dataset(out, *arguments)
        self.assertEqual(run.returncode, code, run.stdout)
        told = [line for line in run.stdout.splitlines() if "marsim dataset:" in line]
        self.assertEqual(len(told), 1, run.stdout)
        self.assertIn(text, told[0])
        self.assertFalse(os.path.exists(self.path(out, "summary.json")))

    def same_files(self, one, other):
        compared = filecmp.dircmp(one, other)
        pairs = [compared]
        count = 0
        while pairs:
            pair = pairs.pop()
            self.assertEqual((pair.left_only, pair.right_only, pair.funny_files), ([], [], []))
            _, different, errors = filecmp.cmpfiles(pair.left, pair.right, pair.common_files,
                                                    shallow=False)
            self.assertEqual((different, errors), ([], []))
            count += len(pair.common_files)
            pairs += pair.subdirs.values()
        return count

    def lidar_poses(self, folder):
        """Of the LiDAR, every 5 ms."""
        _, rows = readers.tum(os.path.join(folder, "tum", "groundtruth.txt"))
        return [(row[0:3], readers.rotation(*row[3:7])) for row in rows]
