#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""AirSim's settings and pose files to EuRoC's layout: extrinsics and intrinsics by hand, motion by the
formula of the flight. The numbers are those of a widely used set-up for stereo, inertial and LiDAR SLAM.
"""
import json
import os
import unittest

import numpy as np
import yaml

from known_flight import FLIP, KnownFlight, NED, place_at, quaternion_at
import readers


def camera(y):
    return {"CaptureSettings": [{"ImageType": 0, "Width": 752, "Height": 480, "//": "horizontal",
                                 "FOV_Degrees": 90}],
            "X": 0.35, "Y": y, "Z": -0.1, "Pitch": 0, "Roll": 0, "Yaw": 0}


ABOVE = {"X": 0, "Y": 0, "Z": -1, "Roll": 0, "Pitch": 0, "Yaw": 0}
SETTINGS = {
    "SettingsVersion": 1.2, "SimMode": "Multirotor", "PhysicsEngineName": "ExternalPhysicsEngine",
    "Vehicles": {"Ours": {
        "VehicleType": "SimpleFlight", "AutoCreate": True, "//": "X to Yaw are the platform's",
        "X": 0, "Y": 0, "Z": 0, "Pitch": 0, "Roll": 0, "Yaw": 0,
        "Sensors": {
            "Imu": dict(ABOVE, SensorType=2, Enabled=True, AngularRandomWalk=0.3,
                        GyroBiasStabilityTau=500, GyroBiasStability=4.6, VelocityRandomWalk=0.24,
                        AccelBiasStabilityTau=800, AccelBiasStability=36),
            "LidarSensor": dict(ABOVE, SensorType=6, Enabled=True, NumberOfChannels=32,
                                RotationsPerSecond=500, PointsPerSecond=300000,
                                VerticalFOVUpper=30, VerticalFOVLower=-15, DrawDebugPoints=False,
                                DataFrame="SensorLocalFrame", range=100, Spin=1)},
        "Cameras": {"front_left": camera(-0.05), "front_right": camera(0.05)}}}}
START = 1_700_000_000_123_456_789  # [ns] of the pose file


class Airsim(KnownFlight):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with open(cls.path("settings.json"), "w") as file:
            json.dump(SETTINGS, file)
        with open(cls.path("pose_gt.txt"), "w") as file:
            file.write("#timestamp(ns), pos_x, pos_y, pos_z, quat_x, quat_y, quat_z, quat_w\n")
            for i in range(150):
                p, R = cls.ned_pose(i / 300.0)
                file.write("%d,%s\n" % (START + i * 10**9 // 300, ",".join(
                    "%.9f" % value for value in [*p, *cls.quaternion_of(R)])))

    @staticmethod
    def ned_pose(t):
        """Of the body, in the axes that AirSim has."""
        x, y, z, w = quaternion_at(t)
        return NED @ place_at(t)[0], NED @ readers.rotation(x, y, z, w) @ FLIP

    @staticmethod
    def quaternion_of(R):
        """x y z w of a rotation by less than half a turn."""
        w = 0.5 * np.sqrt(1.0 + np.trace(R))
        return [(R[2, 1] - R[1, 2]) / (4 * w), (R[0, 2] - R[2, 0]) / (4 * w),
                (R[1, 0] - R[0, 1]) / (4 * w), w]

    def sensor(self, out, name):
        with open(os.path.join(out, "asl", "mav0", name, "sensor.yaml")) as file:
            return yaml.safe_load(file)

    def test_extrinsics_in_the_forest(self):
        run = self.run_dataset("forest", "--scenario", "lidar_forest", "--airsim", "settings.json",
                               "--format", "asl", "--duration", "0.1")
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertEqual(run.stdout.count("settings.json: "), 1)
        self.assertIn("settings.json: unknown keys are ignored: Sensors.LidarSensor.Spin\n",
                      run.stdout)
        out = self.path("forest")
        for name, y in (("cam0", -0.05), ("cam1", 0.05)):
            camera = self.sensor(out, name)
            # The IMU is one metre above the body: inv(T_bi) T_bc.
            T = [0, 0, 1, 0.35, 1, 0, 0, y, 0, 1, 0, 0.9, 0, 0, 0, 1]
            self.assertLess(np.abs(np.subtract(camera["T_BS"]["data"], T)).max(), 1e-12)
            self.assertEqual(camera["intrinsics"], [376, 376, 376, 240])
            self.assertEqual(camera["resolution"], [752, 480])
            self.assertEqual(camera["distortion_coefficients"], [0, 0, 0, 0])
            images = readers.asl_files(os.path.join(out, "asl", "mav0", name))
            self.assertEqual(len(images), 3)
            self.assertEqual(readers.png(images[0][1]).shape[:2], (480, 752))
        lidar = self.sensor(out, "lidar0")
        self.assertEqual(lidar["T_BS"]["data"], list(np.eye(4).ravel()))
        imu = self.sensor(out, "imu0")
        for key, value in (("gyroscope_noise_density", 8.7266462e-5),
                           ("gyroscope_random_walk", 9.9735023e-7),
                           ("accelerometer_noise_density", 0.002353596),
                           ("accelerometer_random_walk", 1.2481827e-5)):
            self.assertAlmostEqual(float(imu[key]) / value, 1.0, delta=1e-6)
        (_, file), = readers.asl_files(os.path.join(out, "asl", "mav0", "lidar0"))
        points = readers.pcd(file)
        self.assertLess(len(points), 30033)
        at_once = points[points["time"] == points["time"][0]]
        self.assertGreater(len(set(at_once["ring"])), 1)
        self.assertLess(np.ptp(np.arctan2(at_once["y"], at_once["x"])), 1e-3)

    def test_pose_file(self):
        out = self.made("poses", "--trajectory", "pose_gt.txt", "--trajectory-frame", "ned",
                        "--map", "room.pcd", "--airsim", "settings.json", "--format", "asl",
                        "--truth-rate", "300", "--imu-rate", "1000", "--duration", "0.2")
        mav = os.path.join(out, "asl", "mav0")
        stamps, rows = readers.asl_table(mav + "/state_groundtruth_estimate0/data.csv",
                                         readers.ASL_TRUTH)
        self.assertEqual(stamps, [round(i * 1e9 / 300) for i in range(61)])
        for stamp, row in zip(stamps, rows):
            p, R = self.ned_pose(stamp * 1e-9)
            self.assertLess(np.abs(row[0:3] - (p + R @ [0, 0, -1])).max(), 1e-5)
            w, x, y, z = row[3:7]
            self.assertLess(np.abs(readers.rotation(x, y, z, w) - R).max(), 1e-4)
        speeds = (rows[2:, 0:3] - rows[:-2, 0:3]) * 150.0
        self.assertLess(np.abs(speeds - rows[1:-1, 7:10])[10:].max(), 0.01)
        stamps, _ = readers.asl_table(mav + "/imu0/data.csv", readers.ASL_IMU)
        self.assertEqual(stamps, [i * 1_000_000 for i in range(1, 201)])
        self.assertEqual(self.sensor(out, "imu0")["rate_hz"], 1000)

    def test_refusals(self):
        for text, arguments in (
                ("--airsim-vehicle is 'Ours', allowed: with --airsim only",
                 ["--airsim-vehicle", "Ours"]),
                ("--trajectory-frame is 'nwu', allowed: enu, ned", ["--trajectory-frame", "nwu"]),
                ("--imu-rate is 300 Hz, allowed: 1000 Hz divided by a whole number",
                 ["--imu-rate", "300"])):
            self.refused(text, *arguments)
        self.refused("--truth-rate is '1001', allowed: 0.1 to 1000", "--truth-rate", "1001", code=2)


if __name__ == "__main__":
    unittest.main()
