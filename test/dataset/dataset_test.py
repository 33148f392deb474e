#!/usr/bin/env python3
"""`marsim dataset` along a known trajectory in a known room: every file is read by readers of its
format alone and held against closed forms. Bad input, folders in use, broken-off runs, full disks.

dataset_test.py MARSIM bags|no-bags large-images|small-images
"""
import filecmp
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np
import PIL.Image
import yaml

import readers

MARSIM = os.path.abspath(sys.argv.pop(1))
HAS_BAGS = sys.argv.pop(1) == "bags"  # whether the build writes rosbags
HAS_TIME = sys.argv.pop(1) == "large-images"  # for images of full size
if HAS_BAGS:
    import rosbag
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


class Dataset(unittest.TestCase):
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
        cls.enu = cls.made("enu", "--truth-frame", "lidar", "--threads", "1")

    @classmethod
    def path(cls, *names):
        return os.path.join(cls.folder, *names)

    @classmethod
    def run_dataset(cls, out, *more, **options):
        words = [MARSIM, "dataset", "--out", out]
        if "--scenario" not in more and "--trajectory" not in more:
            words += ["--trajectory", "flight.tum", "--map", "room.pcd"]
        if "--imu" not in more and "--scenario" not in more:
            words += ["--imu", "ideal"]
        if "--lidar" not in more and "--scenario" not in more:
            words += ["--lidar", "scanner.yaml"]
        return subprocess.run(words + list(more), cwd=cls.folder, text=True, timeout=200,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)

    @classmethod
    def made(cls, out, *more):
        run = cls.run_dataset(out, *more)
        assert run.returncode == 0, run.stdout
        return cls.path(out)

    def refused(self, text, *arguments, out="refused"):
        run = self.run_dataset(out, *arguments)
        self.assertEqual(run.returncode, 1, run.stdout)
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

    # --- what is in the files ---

    def test_intervals_are_exact(self):
        truth, _ = readers.tum(self.path("enu", "tum", "groundtruth.txt"))
        self.assertEqual(truth, [i * 5_000_000 for i in range(601)])
        mav = self.path("enu", "asl", "mav0")
        stamps, _ = readers.asl_table(mav + "/state_groundtruth_estimate0/data.csv",
                                      readers.ASL_TRUTH)
        self.assertEqual(stamps, truth)
        stamps, _ = readers.asl_table(mav + "/imu0/data.csv", readers.ASL_IMU)
        self.assertEqual(stamps, truth[1:])
        forces, _ = readers.tum(self.path("enu", "tum", "accelerometer.txt"), "# timestamp ax ay az")
        self.assertEqual(forces, truth[1:])
        scans = [i * 100_000_000 for i in range(30)]
        self.assertEqual([stamp for stamp, _ in readers.asl_files(mav + "/lidar0")], scans)
        self.assertEqual([readers.nanoseconds(line)
                          for line in readers.lines(self.path("enu", "pcd", "times.txt"))], scans)
        self.assertEqual(readers.tum(self.path("enu", "pcd", "poses.txt"))[0], scans)
        times = [float(line) for line in
                 readers.lines(self.path("enu", "kitti", "sequences", "00", "times.txt"))]
        self.assertEqual([round(1e9 * t) for t in times], scans)
        with open(self.path("enu", "summary.json")) as file:
            summary = json.load(file)
        self.assertEqual(summary["streams"]["lidar"]["longest_interval_ns"], 100_000_000)
        self.assertEqual(summary["streams"]["imu"]["count"], 600)
        self.assertEqual(summary["duration"], SECONDS)
        self.assertEqual(sorted(os.listdir(self.path("enu", "calibration"))),
                         ["extrinsics.yaml", "fast_lio.yaml", "imu.yaml"])

    def test_truth_is_the_trajectory(self):
        _, rows = readers.asl_table(
            self.path("enu", "asl", "mav0", "state_groundtruth_estimate0", "data.csv"),
            readers.ASL_TRUTH)
        for i in range(COUNT):  # the vehicle's IMU is the body
            row = rows[10 * i]
            self.assertLess(np.abs(row[0:3] - place_at(i * PERIOD)[0]).max(), 1e-9)
            x, y, z, w = quaternion_at(i * PERIOD)
            self.assertGreater(abs(np.dot(row[3:7], (w, x, y, z))), 1.0 - 1e-12)
        speeds = (rows[2:, 0:3] - rows[:-2, 0:3]) / 0.01
        self.assertLess(np.abs(speeds - rows[1:-1, 7:10]).max(), 1e-3)
        self.assertEqual(np.abs(rows[:, 10:]).max(), 0.0)

    def test_imu_feels_the_trajectory(self):
        mav = self.path("enu", "asl", "mav0")
        _, truth = readers.asl_table(mav + "/state_groundtruth_estimate0/data.csv",
                                     readers.ASL_TRUTH)
        _, imu = readers.asl_table(mav + "/imu0/data.csv", readers.ASL_IMU)
        turns = [readers.rotation(x, y, z, w) for w, x, y, z in truth[:, 3:7]]
        for i in range(60, 540):  # the spline's jerk leaps near its ends
            accelerated = (truth[i + 1, 7:10] - truth[i - 1, 7:10]) / 0.01
            force = turns[i].T @ (accelerated + [0.0, 0.0, 9.80665])
            self.assertLess(np.abs(force - imu[i - 1, 3:6]).max(), 0.02)
            slip = turns[i].T @ (turns[i + 1] - turns[i - 1]) / 0.01
            rate = [slip[2, 1], slip[0, 2], slip[1, 0]]
            self.assertLess(np.abs(rate - imu[i - 1, 0:3]).max(), 1e-3)
        _, forces = readers.tum(self.path("enu", "tum", "accelerometer.txt"),
                                "# timestamp ax ay az")
        self.assertEqual(np.abs(forces - imu[:, 3:6]).max(), 0.0)

    def lidar_poses(self, folder):
        """Of the LiDAR, every 5 ms."""
        _, rows = readers.tum(os.path.join(folder, "tum", "groundtruth.txt"))
        return [(row[0:3], readers.rotation(*row[3:7])) for row in rows]

    def test_points_lie_on_the_walls(self):
        poses = self.lidar_poses(self.enu)
        files = readers.asl_files(self.path("enu", "asl", "mav0", "lidar0"))
        for number, (stamp, file) in enumerate(files):
            points = readers.pcd(file)
            self.assertGreater(len(points), 2000)
            self.assertEqual(set(points["ring"]), set(range(7)))
            self.assertTrue((np.diff(points["time"]) >= 0).all())
            in_world = []
            for point in points[::20]:
                at = (stamp * 1e-9 + point["time"]) / 0.005
                (p0, R0), (p1, R1) = poses[int(at)], poses[min(int(at) + 1, 600)]
                share = at - int(at)
                R = (1.0 - share) * R0 + share * R1
                in_world.append((1.0 - share) * p0 + share * p1
                                + R @ [point["x"], point["y"], point["z"]])
            off = distance_to_walls(np.array(in_world))
            self.assertLess(np.median(off), 0.01, number)
            self.assertGreater((off < 0.05).mean(), 0.97, number)
            same = readers.pcd(self.path("enu", "pcd", "scans", "%06d.pcd" % number))
            self.assertEqual(same.tobytes(), points.tobytes())

    def test_kitti_frames(self):
        sequence = self.path("enu", "kitti", "sequences", "00")
        poses = readers.kitti_poses(sequence + "/poses.txt")
        self.assertEqual(len(poses), 30)
        self.assertTrue(filecmp.cmp(sequence + "/poses.txt",
                                    self.path("enu", "kitti", "poses", "00.txt"), shallow=False))
        self.assertLess(np.abs(poses[0] - np.eye(4)[:3]).max(), 1e-12)
        calibration = readers.kitti_calibration(sequence)
        self.assertEqual(sorted(calibration), ["P0", "P1", "P2", "P3", "Tr"])
        Tr = np.vstack([calibration["Tr"], [0, 0, 0, 1]])
        # From the camera of the first scan to the world, by TUM's pose of the LiDAR.
        p0, R0 = self.lidar_poses(self.enu)[0]
        world = np.eye(4)
        world[:3, :3], world[:3, 3] = R0, p0
        world = world @ np.linalg.inv(Tr)
        for number in (0, 11, 29):
            points, classes, instances = readers.kitti_scan(sequence, number)
            self.assertTrue(((points[:, 3] >= 0) & (points[:, 3] <= 1)).all())
            self.assertEqual((set(classes), set(instances)), ({0}, {0}))
            pose = np.vstack([poses[number], [0, 0, 0, 1]])
            placed = np.hstack([points[:, :3], np.ones((len(points), 1))]) @ (world @ pose @ Tr).T
            off = distance_to_walls(placed[:, :3])
            self.assertLess(np.median(off), 0.01)
            self.assertGreater((off < 0.05).mean(), 0.97)

    def depth_of_room(self, p, R):
        """Along the optical axis of a camera in the room, pixel by pixel."""
        u, v = np.meshgrid(np.arange(64), np.arange(48))
        rays = np.stack([(u - 30) / 50.0, (v - 25) / 52.0, np.ones(u.shape)], axis=-1) @ R.T
        with np.errstate(divide="ignore"):
            ahead = np.where(rays > 0, (ROOM - p) / rays, -p / rays)
        return ahead.min(axis=2)

    def test_depth_images(self):
        for frame in ("enu", "ned"):
            out = self.made("depth_" + frame, "--depth", "camera.yaml", "--truth-frame", "depth",
                            "--lidar", "none", "--format", "asl,tum", "--frame", frame)
            stamps, rows = readers.tum(os.path.join(out, "tum", "groundtruth.txt"))
            poses = dict(zip(stamps, rows))
            images = readers.asl_files(os.path.join(out, "asl", "mav0", "depth0"))
            self.assertEqual([stamp for stamp, _ in images], [i * 50_000_000 for i in range(61)])
            listed = [line.split(" ") for line in
                      readers.lines(os.path.join(out, "tum", "depth.txt"))[1:]]
            self.assertEqual([readers.nanoseconds(stamp) for stamp, _ in listed],
                             [stamp for stamp, _ in images])
            for (stamp, file), (_, name) in zip(images, listed):
                depth = readers.png(file) / 1000.0
                finer = readers.png(os.path.join(out, "tum", name)) / 5000.0
                self.assertLess(np.abs(depth - finer).max(), 0.0007)
                p, R = poses[stamp][0:3], readers.rotation(*poses[stamp][3:7])
                if frame == "ned":
                    p, R = NED @ p, NED @ R
                off = np.abs(depth - self.depth_of_room(p, R))
                self.assertLess(np.median(off), 0.01)
                self.assertGreater((off < 0.06).mean(), 0.95)
        self.assertEqual(sorted(os.listdir(os.path.join(out, "calibration"))),
                         ["camchain.yaml", "extrinsics.yaml", "imu.yaml"])
        with open(os.path.join(out, "quality.json")) as file:
            told = json.load(file)
        self.assertEqual(told["images"]["depth0"]["empty"], 0)
        self.assertEqual(told["streams"]["depth0"]["intervals"], [{"ns": 50_000_000, "count": 60}])

    def test_cameras(self):
        formats = "asl,tum,kitti,mcap" + (",rosbag" if HAS_BAGS else "")
        out = self.made("cameras", "--camera", "cameras.yaml", "--truth-frame", "camera",
                        "--format", formats, "--duration", "1")
        mav = os.path.join(out, "asl", "mav0")
        images = {name: readers.asl_files(os.path.join(mav, name))
                  for name in ("cam0", "cam1", "depth0")}
        stamps = [i * 50_000_000 for i in range(21)]
        for name, files in images.items():
            self.assertEqual([stamp for stamp, _ in files], stamps, name)
            for _, file in files:
                with PIL.Image.open(file) as image:
                    self.assertTrue((np.asarray(image) == readers.png(file)).all())
        left = [readers.png(file) for _, file in images["cam0"]]
        right = [readers.png(file) for _, file in images["cam1"]]
        self.assertEqual((left[0].shape, right[0].shape), ((48, 64, 3), (40, 60)))
        self.assertGreater(min(image.std() for image in left + right), 2.0)
        self.assertTrue((left[0] != left[20]).any())
        self.cameras_of_asl(out, stamps)
        self.images_of_tum(out, images)
        self.images_of_kitti(out, images)
        self.images_of_mcap(out, left, right)
        if HAS_BAGS:
            self.images_of_rosbag(out, left, right)
        self.image_reports(out)

    def cameras_of_asl(self, out, stamps):
        """Truth of the IMU and T_BS make the poses of TUM, and these the depth of the room."""
        mav = os.path.join(out, "asl", "mav0")
        found, rows = readers.asl_table(mav + "/state_groundtruth_estimate0/data.csv",
                                        readers.ASL_TRUTH)
        truth = dict(zip(found, rows))
        poses = dict(zip(*readers.tum(os.path.join(out, "tum", "groundtruth.txt"))))
        with open(mav + "/cam0/sensor.yaml") as file:
            sensor = yaml.safe_load(file)
        self.assertEqual((sensor["sensor_type"], sensor["camera_model"], sensor["rate_hz"],
                          sensor["distortion_model"]), ("camera", "pinhole", 20, "radial-tangential"))
        self.assertEqual((sensor["resolution"], sensor["intrinsics"],
                          sensor["distortion_coefficients"]),
                         ([64, 48], [50, 52, 30, 25], [0, 0, 0, 0]))
        T_BS = np.array(sensor["T_BS"]["data"]).reshape(4, 4)
        for stamp in stamps:
            w, x, y, z = truth[stamp][3:7]
            R = readers.rotation(x, y, z, w)
            p, of_camera = poses[stamp][0:3], readers.rotation(*poses[stamp][3:7])
            self.assertLess(np.abs(R @ T_BS[:3, 3] + truth[stamp][0:3] - p).max(), 1e-9)
            self.assertLess(np.abs(R @ T_BS[:3, :3] - of_camera).max(), 1e-9)
            depth = readers.png(os.path.join(mav, "depth0", "data", "%d.png" % stamp)) / 1000.0
            off = np.abs(depth - self.depth_of_room(p, of_camera))
            self.assertLess(np.median(off), 0.01)

    def images_of_tum(self, out, images):
        listed = {name: [line.split(" ") for line in
                         readers.lines(os.path.join(out, "tum", name + ".txt"))]
                  for name in ("rgb", "depth", "associations")}
        self.assertEqual(listed["rgb"][0], ["#", "timestamp", "filename"])
        self.assertEqual(listed["associations"],
                         [a + b for a, b in zip(listed["rgb"][1:], listed["depth"][1:])])
        for (stamp, file), (told, name) in zip(images["cam0"], listed["rgb"][1:]):
            self.assertEqual(stamp, readers.nanoseconds(told))
            self.assertTrue(filecmp.cmp(file, os.path.join(out, "tum", name), shallow=False))
        for (_, file), (_, name) in zip(images["depth0"], listed["depth"][1:]):
            finer = readers.png(os.path.join(out, "tum", name)) / 5000.0
            self.assertLess(np.abs(readers.png(file) / 1000.0 - finer).max(), 0.0007)

    def images_of_kitti(self, out, images):
        """The points of a scan lie in the image where its depth says."""
        sequence = os.path.join(out, "kitti", "sequences", "00")
        calibration = readers.kitti_calibration(sequence)
        self.assertTrue((calibration["P0"] == calibration["P2"]).all())
        self.assertLess(np.abs(calibration["P1"] - [[45, 0, 29.5, -4.5], [0, 46, 19.5, 0],
                                                    [0, 0, 1, 0]]).max(), 1e-9)
        for folder, name in (("image_2", "cam0"), ("image_1", "cam1")):
            self.assertEqual(sorted(os.listdir(os.path.join(sequence, folder))),
                             ["%06d.png" % i for i in range(10)])
            for i in range(10):
                self.assertTrue(filecmp.cmp(os.path.join(sequence, folder, "%06d.png" % i),
                                            images[name][2 * i][1], shallow=False))
        for number in (0, 7):
            points, _, _ = readers.kitti_scan(sequence, number)
            in_camera = np.hstack([points[:, :3], np.ones((len(points), 1))]) @ calibration["Tr"].T
            ahead = in_camera[in_camera[:, 2] > 0.3]
            u, v, z = (np.hstack([ahead, np.ones((len(ahead), 1))]) @ calibration["P0"].T).T
            column, row = np.rint(u / z).astype(int), np.rint(v / z).astype(int)
            inside = (column >= 0) & (column < 64) & (row >= 0) & (row < 48)
            depth = readers.png(images["depth0"][2 * number][1]) / 1000.0
            off = np.abs(depth[row[inside], column[inside]] - z[inside])
            self.assertGreater(inside.sum(), 100)
            self.assertLess(np.median(off), 0.03)
        poses = readers.kitti_poses(sequence + "/poses.txt")
        stamps, rows = readers.tum(os.path.join(out, "tum", "groundtruth.txt"))
        truth = dict(zip(stamps, rows))
        first = readers.rotation(*truth[0][3:7])
        for i in range(10):
            moved = first.T @ (truth[i * 10**8][0:3] - truth[0][0:3])
            self.assertLess(np.abs(poses[i][:, 3] - moved).max(), 1e-9)

    def images_of_mcap(self, out, left, right):
        by_topic = {}
        for topic, name, schema, stamp, data in readers.mcap(os.path.join(out, "mcap", "flight_0.mcap")):
            if "camera" in topic:
                by_topic.setdefault(topic, []).append(readers.cdr(name, schema, data))
        aligned = "/uav0/camera/aligned_depth_to_left/"
        self.assertEqual(sorted(by_topic), sorted(
            [aligned + "image_raw", aligned + "camera_info"] +
            ["/uav0/camera/%s/%s" % (side, what) for side in ("left", "right")
             for what in ("image_raw", "camera_info")]))
        for i in range(21):
            colour, grey = (by_topic["/uav0/camera/%s/image_raw" % side][i]
                            for side in ("left", "right"))
            self.assertEqual((colour["encoding"], colour["step"], colour["header"]["frame_id"]),
                             ("bgr8", 192, "uav0/camera_left_optical_frame"))
            self.assertEqual(colour["data"], left[i][:, :, ::-1].tobytes())
            self.assertEqual((grey["encoding"], grey["data"]), ("mono8", right[i].tobytes()))
        info = by_topic["/uav0/camera/right/camera_info"][0]
        self.assertEqual((info["width"], info["height"], info["distortion_model"], info["d"]),
                         (60, 40, "plumb_bob", [0.0] * 5))
        self.assertEqual(info["k"], [45, 0, 29.5, 0, 46, 19.5, 0, 0, 1])
        self.assertEqual(info["p"][3], 0.0)  # no rectified pair: each in its own frame

    def images_of_rosbag(self, out, left, right):
        with rosbag.Bag(os.path.join(out, "rosbag", "flight.bag")) as bag:
            for side, images in (("left", [image[:, :, ::-1] for image in left]), ("right", right)):
                told = [message for _, message, _ in
                        bag.read_messages("/uav0/camera/%s/image_raw" % side)]
                self.assertEqual([message.data for message in told],
                                 [image.tobytes() for image in images])
            for _, info, _ in bag.read_messages("/uav0/camera/right/camera_info"):
                self.assertEqual(info.P[3], 0.0)
            self.assertEqual(bag.get_message_count("/uav0/camera/aligned_depth_to_left/image_raw"), 21)

    def image_reports(self, out):
        with open(os.path.join(out, "calibration", "camchain.yaml")) as file:
            chain = yaml.safe_load(file)
        with open(os.path.join(out, "calibration", "imu.yaml")) as file:
            self.assertEqual(yaml.safe_load(file)["rostopic"], "/uav0/imu/data")
        self.assertEqual(sorted(chain), ["cam0", "cam1"])
        self.assertEqual(chain["cam1"]["rostopic"], "/uav0/camera/right/image_raw")
        moved = np.array(chain["cam1"]["T_cn_cnm1"]) - np.eye(4)
        moved[0, 3] += 0.1
        self.assertLess(np.abs(moved).max(), 1e-9)
        with open(os.path.join(out, "quality.json")) as file:
            quality = json.load(file)
        self.assertEqual(quality["streams"]["cam1"]["intervals"], [{"ns": 50_000_000, "count": 20}])
        for name in ("cam0", "cam1"):
            told = quality["images"][name]
            self.assertEqual((told["empty"], told["blurred"]), (0, 0))
            self.assertGreater(told["contrast"]["least"], 2.0)
        with open(os.path.join(out, "report.html")) as file:
            page = file.read()
        for name in ("cam0", "cam1", "depth0"):
            self.assertIn("preview_%s.png" % name, page)
            with PIL.Image.open(os.path.join(out, "preview_%s.png" % name)) as image:
                self.assertEqual(image.size, (60, 40) if name == "cam1" else (64, 48))

    def test_cameras_alone(self):
        out = self.made("visual", "--camera", "cameras.yaml", "--truth-frame", "camera", "--lidar",
                        "none", "--format", "kitti,tum", "--duration", "0.5")
        sequence = os.path.join(out, "kitti", "sequences", "00")
        self.assertEqual(len(os.listdir(os.path.join(sequence, "image_1"))), 11)
        self.assertFalse(os.path.exists(os.path.join(sequence, "velodyne")))
        poses = readers.kitti_poses(sequence + "/poses.txt")
        truth = dict(zip(*readers.tum(os.path.join(out, "tum", "groundtruth.txt"))))
        first = readers.rotation(*truth[0][3:7])
        for i, pose in enumerate(poses):
            row = truth[i * 50_000_000]
            self.assertLess(np.abs(pose[:, 3] - first.T @ (row[0:3] - truth[0][0:3])).max(), 1e-9)
            self.assertLess(np.abs(pose[:, :3] - first.T @ readers.rotation(*row[3:7])).max(), 1e-9)

    def test_image_truth(self):
        """Pixels of people are of their class, and of the instance of the points that hit them."""
        formats = "asl,mcap" + (",rosbag" if HAS_BAGS else "")
        out = self.made("truth", "--camera", "cameras.yaml", "--image-truth", "--format", formats,
                        "obstacles:=ring.yaml")
        mav = os.path.join(out, "asl", "mav0")
        images = {what: [readers.png(file) for _, file in
                         readers.asl_files(mav + "/cam0_" + what)]
                  for what in ("class", "instance")}
        for classes, instances in zip(images["class"], images["instance"]):
            self.assertLessEqual(set(classes.flat), {0, 30})
            self.assertTrue(((classes == 30) == (instances > 0)).all())
            self.assertLessEqual(set(instances.flat), {0, 1, 2})
        self.assertGreater(sum((image > 0).sum() for image in images["instance"]), 1000)

        def extrinsics(sensor):
            with open(os.path.join(mav, sensor, "sensor.yaml")) as file:
                return np.array(yaml.safe_load(file)["T_BS"]["data"]).reshape(4, 4)
        of_lidar = np.linalg.inv(extrinsics("cam0")) @ extrinsics("lidar0")
        hit, agreed = 0, 0
        for number, (_, file) in enumerate(readers.asl_files(mav + "/lidar0")):
            points = readers.pcd(file)
            points = points[points["label"] >> 16 > 0]
            p = np.stack([points["x"], points["y"], points["z"], np.ones(len(points))])
            x, y, z, _ = of_lidar @ p
            z = np.where(z > 0.3, z, np.nan)
            u, v = 50.0 * x / z + 30.0, 52.0 * y / z + 25.0
            inside = (u > 0) & (u < 63) & (v > 0) & (v < 47)
            nearest = 2 * number + np.rint(points["time"][inside] / 0.05).astype(int)
            seen = np.array(images["instance"])[nearest, np.rint(v[inside]).astype(int),
                                                np.rint(u[inside]).astype(int)]
            hit += len(seen)
            agreed += (seen == points["label"][inside] >> 16).sum()
        self.assertGreater(hit, 20)
        self.assertGreater(agreed / hit, 0.8)

        told = [readers.cdr(name, schema, data) for topic, name, schema, _, data in
                readers.mcap(os.path.join(out, "mcap", "flight_0.mcap"))
                if topic == "/uav0/camera/left/truth/instance"]
        self.assertEqual((len(told), told[0]["encoding"], told[0]["step"]), (61, "32SC1", 256))
        for message, instances in zip(told, images["instance"]):
            identities = np.frombuffer(message["data"], dtype="<i4").reshape(48, 64)
            self.assertTrue(((identities >= 65536) == (instances > 0)).all())
            self.assertTrue(((identities == -1) == (instances == 0)).all())
        if HAS_BAGS:
            with rosbag.Bag(os.path.join(out, "rosbag", "flight.bag")) as bag:
                self.assertEqual([image.data for _, image, _ in bag.read_messages(
                    "/uav0/camera/left/truth/instance")], [message["data"] for message in told])
                self.assertEqual([image.data for _, image, _ in bag.read_messages(
                    "/uav0/camera/left/truth/class")],
                    [image.tobytes() for image in images["class"]])

    def test_stereo_building(self):
        """The scenario as it is shipped, twice: every interval is exact, all files are the same."""
        if not HAS_TIME:
            self.skipTest("images of full size take minutes with sanitizers; test_cameras has small ones")
        formats = "asl,tum,kitti,mcap" + (",rosbag" if HAS_BAGS else "")
        one, other = (self.made("building_%d" % threads, "--scenario", "stereo_building",
                                "--duration", "0.3", "--format", formats, "--threads",
                                str(threads)) for threads in (1, 2))
        self.assertGreater(self.same_files(one, other), 50)
        mav = os.path.join(one, "asl", "mav0")
        for name in ("cam0", "cam1"):
            files = readers.asl_files(os.path.join(mav, name))
            self.assertEqual([stamp for stamp, _ in files], [i * 50_000_000 for i in range(7)])
            self.assertEqual({readers.png(file).shape for _, file in files}, {(480, 752)})
        self.assertEqual(readers.asl_table(mav + "/imu0/data.csv", readers.ASL_IMU)[0],
                         [i * 5_000_000 for i in range(1, 61)])
        with open(os.path.join(one, "quality.json")) as file:
            told = json.load(file)
        self.assertEqual({name: [(one["ns"], one["count"]) for one in stream["intervals"]]
                          for name, stream in told["streams"].items()},
                         {"truth": [(5_000_000, 60)], "imu": [(5_000_000, 59)],
                          "lidar": [(100_000_000, 2)], "cam0": [(50_000_000, 6)],
                          "cam1": [(50_000_000, 6)]})
        self.assertEqual([told["images"][name]["empty"] for name in ("cam0", "cam1")], [0, 0])
        # The right camera stands to the right: what is near is farther to the left in its image.
        calibration = readers.kitti_calibration(os.path.join(one, "kitti", "sequences", "00"))
        self.assertAlmostEqual(calibration["P1"][0, 3], -376 * 0.12, 9)

    def test_fisheye(self):
        out = self.made("fisheye", "--camera", "fisheye.yaml", "--lidar", "none", "--format",
                        "asl,mcap", "--duration", "0.2", "--frame", "ned")
        with open(os.path.join(out, "asl", "mav0", "cam0", "sensor.yaml")) as file:
            sensor = yaml.safe_load(file)
        self.assertEqual((sensor["distortion_model"], sensor["distortion_coefficients"]),
                         ("equidistant", [-0.01, 0.002, 0, 0]))
        # Right, down and ahead of a camera that looks forward, in forward, right, down.
        T_BS = np.array(sensor["T_BS"]["data"]).reshape(4, 4)
        self.assertLess(np.abs(T_BS[:3, :3] - [[0, 0, 1], [1, 0, 0], [0, 1, 0]]).max(), 1e-9)
        infos = [readers.cdr(name, schema, data) for topic, name, schema, _, data in
                 readers.mcap(os.path.join(out, "mcap", "flight_0.mcap"))
                 if topic == "/uav0/camera/camera_info"]
        self.assertEqual((len(infos), infos[0]["distortion_model"], infos[0]["d"]),
                         (5, "equidistant", [-0.01, 0.002, 0.0, 0.0]))
        with open(os.path.join(out, "calibration", "camchain.yaml")) as file:
            self.assertEqual(yaml.safe_load(file)["cam0"]["distortion_model"], "equidistant")

    def test_runs_repeat(self):
        again = self.made("again", "--truth-frame", "lidar", "--threads", "2")
        self.assertGreater(self.same_files(self.enu, again), 120)

    def test_north_east_down(self):
        ned = self.made("ned", "--truth-frame", "lidar", "--frame", "ned", "--format",
                        "asl,tum,pcd", "--duration", "1")
        for name, header in (("state_groundtruth_estimate0", readers.ASL_TRUTH),
                             ("imu0", readers.ASL_IMU)):
            _, there = readers.asl_table(os.path.join(ned, "asl", "mav0", name, "data.csv"), header)
            _, here = readers.asl_table(os.path.join(self.enu, "asl", "mav0", name, "data.csv"),
                                        header)
            for a, b in zip(there, here):
                if name == "imu0":
                    self.assertLess(np.abs(a[0:3] - FLIP @ b[0:3]).max(), 1e-12)
                    self.assertLess(np.abs(a[3:6] - FLIP @ b[3:6]).max(), 1e-12)
                    continue
                self.assertLess(np.abs(a[0:3] - NED @ b[0:3]).max(), 1e-12)
                self.assertLess(np.abs(a[7:10] - NED @ b[7:10]).max(), 1e-12)
                turned = readers.rotation(a[4], a[5], a[6], a[3])
                expected = NED @ readers.rotation(b[4], b[5], b[6], b[3]) @ FLIP
                self.assertLess(np.abs(turned - expected).max(), 1e-9)
        for (p, R), (p_enu, R_enu) in zip(self.lidar_poses(ned), self.lidar_poses(self.enu)):
            self.assertLess(np.abs(p - NED @ p_enu).max(), 1e-12)
            self.assertLess(np.abs(R - NED @ R_enu @ FLIP).max(), 1e-9)
        there = readers.pcd(os.path.join(ned, "pcd", "scans", "000003.pcd"))
        here = readers.pcd(os.path.join(self.enu, "pcd", "scans", "000003.pcd"))
        for name, sign in (("x", 1), ("y", -1), ("z", -1), ("time", 1), ("label", 1)):
            self.assertTrue((there[name] == sign * here[name]).all(), name)

    def test_truth_holds_the_biases(self):
        biased = self.made("biased", "--imu", "biased.yaml", "--lidar", "none", "--format", "asl",
                           "--duration", "1", "--seed", "4")
        mav = os.path.join(biased, "asl", "mav0")
        _, truth = readers.asl_table(mav + "/state_groundtruth_estimate0/data.csv",
                                     readers.ASL_TRUTH)
        _, read = readers.asl_table(mav + "/imu0/data.csv", readers.ASL_IMU)
        _, ideal = readers.asl_table(self.path("enu", "asl", "mav0", "imu0", "data.csv"),
                                     readers.ASL_IMU)
        self.assertGreater(np.abs(truth[:, 10:]).min(), 1e-6)
        self.assertLess(np.abs(read - ideal[:200] - truth[1:, 10:]).max(), 1e-12)

    def test_sensors_of_airsim(self):
        with open(self.path("settings.json"), "w") as file:
            json.dump({"SettingsVersion": 1.2, "Vehicles": {"Drone": {"Sensors": {
                "Imu": {"SensorType": 2, "AngularRandomWalk": 0.6},
                "Lidar": {"SensorType": 6, "NumberOfChannels": 8, "PointsPerSecond": 20000,
                          "VerticalFOVUpper": 10, "VerticalFOVLower": -25,
                          "HorizontalFOVStart": -180, "HorizontalFOVEnd": 180,
                          "X": 0.1, "Z": -0.1, "DataFrame": "SensorLocalFrame"}}}}}, file)
        out = self.made("airsim", "--airsim", "settings.json", "--format", "asl,tum", "--duration",
                        "1", "--truth-frame", "lidar")
        with open(os.path.join(out, "asl", "mav0", "imu0", "sensor.yaml")) as file:
            line, = [line for line in file if line.startswith("gyroscope_noise_density")]
        self.assertAlmostEqual(float(line.split()[1]), 2 * 8.726646e-5, 10)
        scans = [readers.pcd(file) for _, file in
                 readers.asl_files(os.path.join(out, "asl", "mav0", "lidar0"))]
        for scan in scans:
            self.assertAlmostEqual(len(scan), 2000, delta=8)
            self.assertEqual(set(scan["ring"]), set(range(8)))
            up = np.degrees(np.arctan2(scan["z"], np.hypot(scan["x"], scan["y"])))
            self.assertLess(np.abs(np.sort(np.unique(np.round(up)))
                                   - np.linspace(-25, 10, 8)).max(), 0.1)
        p, R = self.lidar_poses(out)[0]
        body, _ = place_at(0)
        self.assertLess(np.abs(p - body - R @ [0.1, 0.0, 0.1]).max(), 1e-9)

    def test_what_moves_has_instances(self):
        ring = self.made("ring", "--format", "kitti", "--duration", "1", "obstacles:=ring.yaml")
        sequence = os.path.join(ring, "kitti", "sequences", "00")
        seen = set()
        for number in range(10):
            points, classes, instances = readers.kitti_scan(sequence, number)
            self.assertLessEqual(set(classes), {0, 254})  # a person that moves
            self.assertTrue(((classes == 254) == (instances > 0)).all())
            seen |= set(instances)
        self.assertEqual(seen, {0, 1, 2})

    def ros_numbers(self, message):
        """Stamp and numbers of an Imu or an Odometry as a dictionary."""
        stamp = message["header"]["stamp"]
        stamp = stamp["sec"] * 10**9 + stamp["nanosec"]

        def row(part):
            return [part[axis] for axis in "xyzw" if axis in part]
        if "angular_velocity" in message:
            return stamp, row(message["angular_velocity"]) + row(message["linear_acceleration"])
        pose = message["pose"]["pose"]
        return stamp, row(pose["position"]) + row(pose["orientation"])

    def test_bag_of_ros_2(self):
        out = self.made("ros2", "--format", "mcap,asl,tum", "--duration", "1", "--depth",
                        "camera.yaml")
        messages = readers.mcap(os.path.join(out, "mcap", "flight_0.mcap"))
        by_topic = {}
        for topic, name, schema, stamp, data in messages:
            by_topic.setdefault(topic, []).append((name, stamp, readers.cdr(name, schema, data)))
        self.assertEqual({topic: (rows[0][0], len(rows)) for topic, rows in by_topic.items()},
                         {"/uav0/odom": ("nav_msgs/msg/Odometry", 201),
                          "/uav0/imu/data": ("sensor_msgs/msg/Imu", 200),
                          "/uav0/points": ("sensor_msgs/msg/PointCloud2", 10),
                          "/uav0/depth/camera_info": ("sensor_msgs/msg/CameraInfo", 21),
                          "/uav0/depth/image_rect_raw": ("sensor_msgs/msg/Image", 21)})
        for (stamp, file), (_, logged, image), (_, _, camera) in zip(
                readers.asl_files(os.path.join(out, "asl", "mav0", "depth0")),
                by_topic["/uav0/depth/image_rect_raw"], by_topic["/uav0/depth/camera_info"]):
            self.assertEqual((stamp, image["encoding"], image["step"]), (logged, "16UC1", 128))
            self.assertEqual(image["data"], readers.png(file).astype("<u2").tobytes())
            self.assertEqual((camera["width"], camera["height"], camera["d"]), (64, 48, 5 * [0.0]))
            self.assertEqual(camera["k"], [50, 0, 30, 0, 52, 25, 0, 0, 1])
            self.assertEqual(camera["p"], [50, 0, 30, 0, 0, 52, 25, 0, 0, 0, 1, 0])
        tables = {"/uav0/imu/data": readers.asl_table(
            os.path.join(out, "asl", "mav0", "imu0", "data.csv"), readers.ASL_IMU),
                  "/uav0/odom": readers.tum(os.path.join(out, "tum", "groundtruth.txt"))}
        for topic, (stamps, rows) in tables.items():
            for stamp, row, (_, logged, message) in zip(stamps, rows, by_topic[topic]):
                at, numbers = self.ros_numbers(message)
                self.assertEqual((at, logged), (stamp, stamp))
                self.assertEqual(numbers, list(row), topic)
        scans = readers.asl_files(os.path.join(out, "asl", "mav0", "lidar0"))
        for (stamp, file), (_, logged, cloud) in zip(scans, by_topic["/uav0/points"]):
            self.assertEqual((stamp, cloud["header"]["frame_id"]), (logged, "uav0/lidar"))
            points = readers.pcd(file)
            self.assertEqual(cloud["data"], points.tobytes())
            self.assertEqual((cloud["width"], cloud["height"]), (len(points), 1))
            self.assertEqual([(field["name"], field["offset"]) for field in cloud["fields"]],
                             [(name, points.dtype.fields[name][1]) for name in points.dtype.names])
            self.assertEqual({4: 2, 6: 4, 7: 4}[cloud["fields"][-2]["datatype"]],
                             points.dtype["ring"].itemsize)
        told = readers.yaml_numbers(os.path.join(out, "mcap", "metadata.yaml"))
        self.assertEqual(told["version"], [5])
        self.assertEqual(sorted(told["message_count"]), [10, 21, 21, 200, 201, 453, 453])
        self.assertEqual(told["nanoseconds"], [10**9, 10**9])

    def test_bag_of_ros_1(self):
        if not HAS_BAGS:
            self.refused("no rosbag in this build", "--format", "rosbag")
            return
        out = self.made("ros1", "--format", "rosbag,asl,tum", "--duration", "1", "--depth",
                        "camera.yaml")
        by_topic = {}
        with rosbag.Bag(os.path.join(out, "rosbag", "flight.bag")) as bag:
            for topic, message, at in bag.read_messages():
                by_topic.setdefault(topic, []).append(message)
                self.assertEqual(max(message.header.stamp.to_nsec(), 1), at.to_nsec())
        self.assertEqual({topic: (rows[0]._type, len(rows)) for topic, rows in by_topic.items()},
                         {"/uav0/odom": ("nav_msgs/Odometry", 201),
                          "/uav0/imu/data": ("sensor_msgs/Imu", 200),
                          "/uav0/points": ("sensor_msgs/PointCloud2", 10),
                          "/uav0/depth/image_rect_raw": ("sensor_msgs/Image", 21),
                          "/uav0/depth/camera_info": ("sensor_msgs/CameraInfo", 21)})
        for (_, file), image in zip(readers.asl_files(os.path.join(out, "asl", "mav0", "depth0")),
                                    by_topic["/uav0/depth/image_rect_raw"]):
            self.assertEqual(image.data, readers.png(file).astype("<u2").tobytes())
        _, rows = readers.asl_table(os.path.join(out, "asl", "mav0", "imu0", "data.csv"),
                                    readers.ASL_IMU)
        for row, imu in zip(rows, by_topic["/uav0/imu/data"]):
            w, a = imu.angular_velocity, imu.linear_acceleration
            self.assertEqual(list(row), [w.x, w.y, w.z, a.x, a.y, a.z])
        for (_, file), cloud in zip(readers.asl_files(os.path.join(out, "asl", "mav0", "lidar0")),
                                    by_topic["/uav0/points"]):
            points = readers.pcd(file)
            there = np.frombuffer(cloud.data, dtype="<f4").reshape(len(points), -1)
            for column, name in enumerate(("x", "y", "z", "intensity", "time")):
                self.assertTrue((there[:, column] == points[name]).all(), name)

    def test_layouts_of_clouds_in_bags(self):
        self.refused("livox_customs", "--format", "rosbag,pcd", "output:=livox_customs")
        if not HAS_BAGS:
            return
        out = self.made("livox", "--format", "rosbag", "--lidar", "mid360", "--duration", "0.3",
                        "output:=livox_custom,velodyne")
        with rosbag.Bag(os.path.join(out, "rosbag", "flight.bag")) as bag:
            topics = bag.get_type_and_topic_info()[1]
        self.assertEqual({topic: (told.msg_type, told.message_count)
                          for topic, told in topics.items() if "livox" in topic or "points" in topic},
                         {"/uav0/livox/lidar": ("livox_ros_driver/CustomMsg", 3),
                          "/uav0/points": ("sensor_msgs/PointCloud2", 3)})

    def test_quality_report(self):
        with open(self.path("enu", "quality.json")) as file:
            quality = json.load(file)
        self.assertEqual(quality["streams"]["imu"]["intervals"], [{"ns": 5_000_000, "count": 599}])
        self.assertEqual(quality["streams"]["lidar"]["intervals"],
                         [{"ns": 100_000_000, "count": 29}])
        mav = self.path("enu", "asl", "mav0")
        _, truth = readers.asl_table(mav + "/state_groundtruth_estimate0/data.csv",
                                     readers.ASL_TRUTH)
        _, imu = readers.asl_table(mav + "/imu0/data.csv", readers.ASL_IMU)
        steps = np.linalg.norm(np.diff(truth[:, 0:3], axis=0), axis=1)
        self.assertAlmostEqual(quality["motion"]["distance_m"], steps.sum(), 9)
        speeds = np.linalg.norm(truth[:, 7:10], axis=1)
        self.assertAlmostEqual(quality["motion"]["speed_mps"]["most"], speeds.max(), 9)
        for i, axis in enumerate("xyz"):
            for name, column in (("angular_velocity_radps", i), ("specific_force_mps2", 3 + i)):
                told = quality["imu"][name][axis]
                self.assertAlmostEqual(told["mean"], imu[:, column].mean(), 9)
                self.assertAlmostEqual(told["deviation"], imu[:, column].std(), 9)
        counts = [len(readers.pcd(file)) for _, file in readers.asl_files(mav + "/lidar0")]
        self.assertEqual(quality["lidar"]["points"]["most"], max(counts))
        self.assertEqual(quality["lidar"]["empty_scans"], 0)
        self.assertGreater(quality["coverage"]["share"], 0.5)
        self.assertLessEqual(quality["coverage"]["share"], 1.0)
        with open(self.path("enu", "report.html")) as file:
            page = file.read()
        with open(self.path("enu", "preview.png"), "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
        for text in ("worst gap", "preview.png", "5,000,000", "100,000,000", "Path from above", "30 scans"):
            self.assertIn(text, page)

    def test_flies_a_scenario(self):
        with open(self.path("goals.yaml"), "w") as file:
            file.write("description: There and back\nmap: room.pcd\nlidar: scanner.yaml\n"
                       "start: [3, 3, 1.5]\nduration: 20s\nseeds: [5]\n"
                       "fly: {goals: [[5, 3, 1.5], [3, 3, 1.2]]}\n"
                       "checks: {contacts: {at_most: 0}}\n")
        out = self.made("goals", "--scenario", "goals.yaml", "--format", "tum,pcd")
        with open(os.path.join(out, "summary.json")) as file:
            summary = json.load(file)
        self.assertEqual(summary["flight"]["reached"], 2)
        self.assertEqual(summary["flight"]["contacts"], 0)
        stamps, rows = readers.tum(os.path.join(out, "tum", "groundtruth.txt"))
        self.assertLess(np.abs(rows[-1, 0:3] - [3, 3, 1.2]).max(), 0.1)
        self.assertLess(np.abs(rows[:, 0:3] - [5, 3, 1.5]).max(axis=1).min(), 0.1)
        self.assertEqual(stamps[-1] % 100_000_000, 0)  # a whole number of scans
        self.assertEqual(summary["streams"]["lidar"]["count"], stamps[-1] // 100_000_000)
        with open(os.path.join(out, "run.json")) as file:
            self.assertEqual(json.load(file)["seed"], 5)

    def test_defaults_are_those_of_the_launch_file(self):
        here = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(here, "..", "..", "launch", "arguments.yaml")) as file:
            known = yaml.safe_load(file)["arguments"]
        with open(self.path("enu", "run.json")) as file:
            arguments = json.load(file)["arguments"]
        for name, value in arguments.items():
            default = known[name]["default"]
            if name in ("map", "lidar", "imu", "replay"):
                continue  # given
            if name == "controller":
                self.assertIn("'%s' if estimate == 'none'" % value, default)
                continue
            text = str(default).lower() if isinstance(default, bool) else str(default)
            self.assertEqual(value, text, name)

    def test_who_holds_its_place_does_so_to_the_end(self):
        with open(self.path("hover.yaml"), "w") as file:
            file.write("description: A hover\nmap: room.pcd\nlidar: scanner.yaml\n"
                       "start: [3, 3, 1.5]\nduration: 2.5s\nchecks: {contacts: {at_most: 0}}\n")
        out = self.made("hover", "--scenario", "hover.yaml", "--format", "tum,pcd")
        stamps, rows = readers.tum(os.path.join(out, "tum", "groundtruth.txt"))
        self.assertEqual(stamps[-1], 2_500_000_000)
        self.assertLess(np.abs(rows[:, 0:3] - [3, 3, 1.5]).max(), 0.02)

    def test_shorter_than_a_scan(self):
        out = self.made("short", "--duration", "0.03")
        self.assertEqual(readers.tum(os.path.join(out, "tum", "groundtruth.txt"))[0],
                         [i * 5_000_000 for i in range(7)])
        self.assertEqual(readers.asl_files(os.path.join(out, "asl", "mav0", "lidar0")), [])
        with open(os.path.join(out, "report.html")) as file:
            self.assertIn("no scan was completed", file.read())
        with open(os.path.join(out, "quality.json")) as file:
            self.assertIsNone(json.load(file)["lidar"]["points"])

    # --- folders ---

    def test_folder_of_another_run(self):
        run = self.run_dataset("enu", "--truth-frame", "lidar")
        self.assertEqual(run.returncode, 0)
        self.assertIn("holds this run already", run.stdout)
        run = self.run_dataset("enu", "--truth-frame", "imu")
        self.assertEqual(run.returncode, 1)
        self.assertIn("enu: holds another run", run.stdout)
        os.mkdir(self.path("mine"))
        with open(self.path("mine", "notes.txt"), "w") as file:
            file.write("mine\n")
        self.refused("mine: holds files that are no run's", out="mine")
        self.assertEqual(os.listdir(self.path("mine")), ["notes.txt"])
        with open(self.path("file"), "w"):
            pass
        self.refused("file: cannot be made", out="file")

    def test_broken_off_run_is_done_again(self):
        words = ["--truth-frame", "lidar", "--threads", "1"]
        for number, end in enumerate((signal.SIGKILL, signal.SIGINT)):
            out = "broken_%d" % number
            child = subprocess.Popen(
                [MARSIM, "dataset", "--out", out, "--trajectory", "flight.tum", "--map",
                 "room.pcd", "--imu", "ideal", "--lidar", "scanner.yaml"] + words,
                cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            scan = self.path(out, "unfinished", "pcd", "scans", "000001.pcd")
            for _ in range(2000):
                if os.path.exists(scan):
                    break
                time.sleep(0.01)
            child.send_signal(end)
            child.wait(60)
            self.assertEqual(sorted(set(os.listdir(self.path(out))) - {".marsim-lock"}),
                             ["run.json", "unfinished"])
            self.same_files(self.enu, self.made(out, *words))

    def small_disk(self, name):
        os.mkdir(self.path(name))
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs",
                                self.path(name)], stderr=subprocess.DEVNULL)
        if mount.returncode != 0:
            self.skipTest("no tmpfs may be mounted here")
        self.addCleanup(lambda: subprocess.run(["umount", self.path(name)]))

    def test_full_disk(self):
        self.small_disk("small")
        words = ["--truth-frame", "lidar", "--threads", "1"]
        self.refused("cannot be written: No space left on device", *words, out="small")
        self.assertEqual(sorted(set(os.listdir(self.path("small"))) - {".marsim-lock"}),
                         ["run.json", "unfinished"])
        subprocess.run(["mount", "-o", "remount,size=40m", self.path("small")], check=True)
        self.same_files(self.enu, self.made("small", *words))

    @unittest.skipUnless(HAS_BAGS, "built without rosbags")
    def test_full_disk_of_a_rosbag(self):
        self.small_disk("small_bag")
        self.refused("flight.bag: cannot be written", "--format", "rosbag", out="small_bag")
        self.assertFalse(os.path.exists(self.path("small_bag", "summary.json")))

    # --- bad input ---

    def test_bad_input(self):
        self.refused("--scenario is there beside --trajectory", "--scenario", "lidar_forest",
                     "--trajectory", "flight.tum")
        self.refused("unknown dataset 'lidar_forrest' (did you mean 'lidar_forest'?)",
                     "--scenario", "lidar_forrest")
        self.refused("unknown --format 'kiti' (did you mean 'kitti'?)", "--format", "kiti")
        self.refused("--format is 'tum,tum', allowed: each format once", "--format", "tum,tum")
        self.refused("--format is 'tum', allowed: one that holds the LiDAR's scans",
                     "--format", "tum")
        self.refused("--format is 'tum,kitti', allowed: without a LiDAR tum, asl, rosbag, mcap only",
                     "--format", "tum,kitti", "--lidar", "none")
        self.refused("--format is 'kitti,pcd', allowed: one that holds the images of depth0 "
                     "(depth/image_rect_raw) beside it (tum, asl, rosbag, mcap)",
                     "--format", "kitti,pcd", "--depth", "d455")
        self.refused("--format is 'tum,pcd', allowed: one that holds the images of cam1 "
                     "(camera/right/image_raw) beside it (asl, kitti, rosbag, mcap)",
                     "--format", "tum,pcd", "--camera", "cameras.yaml")
        self.refused("--format is 'kitti', allowed: one that holds the images of cam0 "
                     "(camera/image_raw) beside it (tum, asl, rosbag, mcap)",
                     "--format", "kitti", "--camera", "fisheye.yaml")
        # A pair whose first camera is distorted is not rectified.
        with open(self.path("distorted.yaml"), "w") as file:
            file.write(CAMERAS.replace("cy: 25}\n", "cy: 25}\n    distortion: [-0.1, 0, 0, 0]\n"))
        self.refused("--format is 'tum,kitti', allowed: one that holds the images of cam1",
                     "--format", "tum,kitti", "--camera", "distorted.yaml")
        self.refused("--image-truth is there, allowed: only with cameras ('--camera stereo')",
                     "--image-truth")
        self.refused("--format is 'tum,pcd', allowed: one that holds the images of cam0_class "
                     "(camera/truth/class) beside it (asl, rosbag, mcap)", "--format", "tum,pcd",
                     "--camera", "fisheye.yaml", "--image-truth")
        self.refused("--frame is 'ned', allowed: enu", "--frame", "ned", "--format", "kitti")
        self.refused("--frame is 'nwu', allowed: enu, ned", "--frame", "nwu")
        self.refused("--duration is 4 s, allowed: more than 0, up to 3 s", "--duration", "4")
        self.refused("--duration is '3 apples'", "--duration", "3 apples")
        self.refused("--truth-frame is 'nose'", "--truth-frame", "nose")
        self.refused("argument is 'speed=3', allowed: NAME:=VALUE", "speed=3")
        self.refused("(did you mean 'obstacles'?)", "obstacle:=forest")
        self.refused("imu is lidar, allowed: vehicle, auto or a name", "--imu", "lidar", "--lidar",
                     "none", "--format", "asl")
        self.refused("none.tum", "--trajectory", "none.tum", "--map", "room.pcd")

    def test_bad_trajectories(self):
        rows = ["%d 5 3 1.5 0 0 0 1" % i for i in range(4)]
        for name, wrong, text in (
                ("gap", rows[:2] + ["9 5 3 1.5 0 0 0 1"], "line 3"),
                ("turn", rows[:2] + ["2 5 3 1.5 0 0 1 0"], "line 3"),
                ("back", [rows[1], rows[0]], "line 2"),
                ("twice", [rows[0], rows[0]], "line 2"),
                ("long", rows[:2] + ["2 5 3 1.5 0 0 0 1.1"], "line 3"),
                ("nan", rows[:2] + ["2 5 nan 1.5 0 0 0 1"], "line 3")):
            file = name + ".tum"
            with open(self.path(file), "w") as out:
                out.write("\n".join(wrong) + "\n")
            self.refused("%s: %s" % (file, text), "--trajectory", file, "--map", "room.pcd")

    def test_scenarios_that_need_ros(self):
        for key, text in (("uavs: 2\n", "uavs is 2, allowed: 1 without ROS"),
                          ("client: super\n", "client is super, allowed: none without ROS"),
                          ("arguments: {estimate: /odom}\n",
                           "unknown argument of a flight without ROS 'estimate'"),
                          ("wait_for: [{input: /a, output: /b}]\n", "wait_for is there")):
            with open(self.path("ros.yaml"), "w") as file:
                file.write("description: x\nmap: room.pcd\n" + key +
                           "checks: {contacts: {at_most: 0}}\n")
            self.refused(text, "--scenario", "ros.yaml")


if __name__ == "__main__":
    unittest.main()
