#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the files hold: truth, IMU and points of each layout against closed forms of the flight and of the
room, in each format's own frames.
"""
import filecmp
import json
import os
import subprocess
import unittest

import numpy as np

from known_flight import (COUNT, distance_to_walls, FLIP, KnownFlight, MARSIM, NED, PERIOD,
                          place_at, quaternion_at, SECONDS)
import readers


class Layouts(KnownFlight):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make_enu()

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

    def test_stamps_of_day(self):
        """A replayed trajectory keeps its own stamps; an epoch changes stamps and nothing else."""
        formats = "asl,tum,pcd,kitti"
        begin = 1_403_636_579_763_555_527
        with open(self.path("day.tum"), "w") as file:
            with open(self.path("flight.tum")) as other:
                for i, line in enumerate(other):
                    at = begin + i * 50_000_000
                    file.write("%d.%09d %s" % (at // 10**9, at % 10**9, line.split(" ", 1)[1]))
        replayed = self.made("day", "--trajectory", "day.tum", "--map", "room.pcd", "--format",
                             formats, "--duration", "1", "epoch:=day.tum")
        zero = self.made("zero", "--format", formats, "--duration", "1")
        self.dated_as(replayed, zero, begin)
        words = [MARSIM, "dataset", "--out", "own", "--trajectory", "day.tum", "--map", "room.pcd",
                 "--imu", "ideal", "--lidar", "scanner.yaml", "--format", "euroc", "--duration", "1"]
        subprocess.run(words, cwd=self.folder, check=True, timeout=800)
        self.same_files(self.path("own", "asl"), self.path("day", "asl"))

    def dated_as(self, one, zero, epoch):
        for name, header in (("state_groundtruth_estimate0", readers.ASL_TRUTH),
                             ("imu0", readers.ASL_IMU)):
            (stamps, rows), (there, others) = (
                readers.asl_table(os.path.join(out, "asl", "mav0", name, "data.csv"), header)
                for out in (one, zero))
            self.assertEqual(stamps, [epoch + stamp for stamp in there])
            self.assertLess(np.abs(rows - others).max(), 1e-6)
        mine, theirs = (readers.asl_files(os.path.join(out, "asl", "mav0", "lidar0"))
                        for out in (one, zero))
        self.assertEqual(len(mine), len(theirs))
        for (stamp, file), (at, _) in zip(mine, theirs):
            self.assertEqual(stamp, epoch + at)
            self.assertEqual(os.path.basename(file), "%019d.pcd" % stamp)
        for file in ("tum/groundtruth.txt", "pcd/poses.txt"):
            self.assertEqual(readers.tum(os.path.join(one, file))[0],
                             [epoch + stamp for stamp in readers.tum(os.path.join(zero, file))[0]])
        for file in ("kitti/sequences/00/times.txt", "quality.json"):
            self.assertTrue(filecmp.cmp(os.path.join(one, file), os.path.join(zero, file),
                                        shallow=False), file)

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

    def test_north_east_down(self):
        ned = self.made("ned", "--truth-frame", "lidar", "--frame", "ned", "--format",
                        "asl,tum,pcd", "--duration", "1")
        for name, header in (("state_groundtruth_estimate0", readers.ASL_TRUTH),
                             ("imu0", readers.ASL_IMU)):
            _, there = readers.asl_table(os.path.join(ned, "asl", "mav0", name, "data.csv"), header)
            _, here = readers.asl_table(os.path.join(self.enu, "asl", "mav0", name, "data.csv"),
                                        header)
            self.assertEqual(len(there), 200 if name == "imu0" else 201)
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
        out = self.made("airsim", "--airsim", "settings.json", "--frame", "enu", "--format",
                        "asl,tum", "--duration", "1", "--truth-frame", "lidar")
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

    def test_things_have_instances(self):
        with open(self.path("furnished.yaml"), "w") as file:
            file.write("place: recipe\nsize: [10, 6, 3]\nstart: [0, 0, 0]\nspacing: 6cm\n"
                       "range_noise: 0\nparts:\n"
                       "  - {part: slab, area: [[0, 0], [10, 6]], thickness: 0}\n"
                       "  - {part: table, at: [2, 4.5, 0], array: {count: [2, 1, 1], step: [5, 0, 0]}}\n"
                       "  - {part: chair, at: [7.5, 1, 0]}\n")
        made = self.made("furnished", "--map", "furnished.yaml", "--format", "kitti,pcd",
                         "--duration", "1", "obstacles:=ring.yaml")
        seen = set()
        for number in range(10):
            _, classes, instances = readers.kitti_scan(
                os.path.join(made, "kitti", "sequences", "00"), number)
            seen |= set(zip(classes, instances))
        self.assertEqual(seen, {(100, 0), (103, 1), (103, 2), (104, 3), (254, 4), (254, 5)})

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
        data, drawn = readers.report(self.path("enu", "report.html"))
        self.assertEqual(data["quality"], quality)
        self.assertEqual(len(data["points"]), 30)
        self.assertEqual(data["coverage"][-1][1], quality["coverage"]["share"])
        self.assertEqual(len(data["path_m"][0]), 2)
        with open(self.path("enu", "preview.png"), "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
        for text in ("worst gap", "preview.png", "5,000,000", "100,000,000", "Path from above", "30 scans"):
            self.assertIn(text, drawn or text)


if __name__ == "__main__":
    unittest.main()
