#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Flights of scenarios; folders in use, runs that broke off, full disks."""
import json
import os
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree

import numpy as np

from known_flight import HAS_BAGS, KnownFlight, MARSIM
import readers


class Runs(KnownFlight):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make_enu()

    def test_runs_repeat(self):
        again = self.made("again", "--truth-frame", "lidar", "--threads", "2")
        self.assertGreater(self.same_files(self.enu, again), 120)

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

    def test_flies_on_an_estimate(self):
        """As the scenario or the vehicle's file says; the controller follows from it."""
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "config",
                               "vehicle", "hummingbird.yaml")) as file:
            shipped = file.read()
        with open(self.path("estimated.yaml"), "w") as file:
            file.write(shipped + "\nestimate: realistic\n")
        flown = {}
        for name, more in (("truth", ""), ("key", "estimate: realistic\n"),
                           ("argument", "arguments: {estimate: realistic}\n"),
                           ("vehicle", "vehicle: estimated.yaml\n"),
                           ("not", "vehicle: estimated.yaml\nestimate: none\n")):
            with open(self.path("on.yaml"), "w") as file:
                file.write("description: A hover\nmap: room.pcd\nlidar: none\nstart: [3, 3, 1.5]\n"
                           "duration: 20s\n" + more + "checks: {contacts: {at_most: 0}}\n")
            out = self.made(name, "--scenario", "on.yaml", "--format", "tum")
            _, flown[name] = readers.tum(os.path.join(out, "tum", "groundtruth.txt"))
            with open(os.path.join(out, "run.json")) as file:
                arguments = json.load(file)["arguments"]
            settings = ("controller", "estimate", "estimate_delay", "estimate_settle")
            self.assertEqual([arguments[setting] for setting in settings],
                             ["default", "none", "auto", "auto"] if name in ("truth", "not")
                             else ["onboard", "realistic", "0.05", "0"])
        error = np.linalg.norm(flown["key"][:, 0:3] - [3, 3, 1.5], axis=1)
        self.assertGreater(np.sqrt(np.mean(error**2)), 0.005)
        self.assertLess(error.max(), 0.1)
        self.assertLess(np.abs(flown["truth"][:, 0:3] - [3, 3, 1.5]).max(), 0.001)
        np.testing.assert_array_equal(flown["argument"], flown["key"])
        np.testing.assert_array_equal(flown["vehicle"], flown["key"])
        np.testing.assert_array_equal(flown["not"], flown["truth"])

    def test_a_flight_for_odometry(self):
        """No description, no checks; two seconds at rest on the ground, then a jerk that OpenVINS
        notices with its settings for EuRoC (deviation of 1.5 m/s^2 in a second, none in the one
        before), and a landing where it took off."""
        with open(self.path("odometry.yaml"), "w") as file:
            file.write("map: room.pcd\nlidar: none\nstart: [2, 3, 0]\nduration: 60s\nfly:\n"
                       "  {rest: 2s, take_off: 1.2m, excitation: 0.38m, land: true,\n"
                       "   goals: [[4, 3, 1.2, 90deg], [2, 3, 1.2, 90deg]]}\n")
        out = self.made("odometry", "--scenario", "odometry.yaml", "--format", "tum,asl", "--imu",
                        "ideal")
        with open(os.path.join(out, "summary.json")) as file:
            summary = json.load(file)
        self.assertEqual((summary["flight"]["reached"], summary["flight"]["contacts"]), (3, 0))
        stamps, rows = readers.tum(os.path.join(out, "tum", "groundtruth.txt"))
        seconds = np.array(stamps) * 1e-9
        moved = np.abs(rows[:, 0:3] - rows[0, 0:3]).max(axis=1)
        start = seconds[np.argmax(moved > 1e-4)]
        self.assertGreater(start, 2.5)
        self.assertLess(start, 3.0)
        self.assertLess(rows[0, 2], 0.2)
        self.assertLess(np.abs(rows[-1, 0:3] - rows[0, 0:3]).max(), 0.1)
        self.assertLess(np.abs(rows[-100:, 2] - rows[0, 2]).max(), 0.005)
        yaws = 2.0 * np.arctan2(rows[:, 5], rows[:, 6])
        self.assertLess(np.abs(yaws[-1] - np.pi / 2), 0.06)
        speeds = np.linalg.norm(np.diff(rows[:, 0:3], axis=0), axis=1) / 0.005
        self.assertGreater(speeds[seconds[1:] > 15].max(), 1.2)
        self.assertLess(speeds[seconds[1:] > 15].max(), 1.6)  # 1.5 m/s to goals
        _, imu = readers.asl_table(os.path.join(out, "asl", "mav0", "imu0", "data.csv"),
                                   readers.ASL_IMU)

        def deviation(end):
            window = imu[int(200 * (end - 1.0)):int(200 * end), 3:6]
            return np.sqrt(np.sum((window - window.mean(axis=0)) ** 2) / (len(window) - 1))
        jerk = next(end for end in np.arange(2.0, 6.0, 0.05) if deviation(end) > 1.5)
        self.assertLess(jerk, start + 1.0)
        self.assertLess(deviation(jerk - 1.0), 0.01)

    def test_defaults_are_those_of_the_launch_file(self):
        here = os.path.dirname(os.path.abspath(__file__))
        known = {}
        for name in ("uav.launch", "sim.launch"):  # which includes the former
            launch = xml.etree.ElementTree.parse(os.path.join(here, "..", "..", "launch", name))
            known.update({arg.get("name"): arg.get("default")
                          for arg in launch.getroot().findall("arg")})
        with open(self.path("enu", "run.json")) as file:
            arguments = json.load(file)["arguments"]
        for name, value in arguments.items():
            if name in ("map", "lidar", "imu", "replay", "epoch"):
                continue  # given
            chosen = {"controller": "default", "estimate": "none"}.get(name)
            if chosen is not None:
                self.assertEqual((value, known[name]), (chosen, "auto"))
                continue
            self.assertEqual(value, known[name], name)

    def test_who_holds_its_place_does_so_to_the_end(self):
        with open(self.path("hover.yaml"), "w") as file:
            file.write("description: A hover\nmap: room.pcd\nlidar: scanner.yaml\n"
                       "start: [3, 3, 1.5]\nduration: 2.5s\nchecks: {contacts: {at_most: 0}}\n")
        out = self.made("hover", "--scenario", "hover.yaml", "--format", "tum,pcd", "--seed", "7")
        with open(os.path.join(out, "run.json")) as file:
            self.assertEqual(json.load(file)["seed"], 7)
        stamps, rows = readers.tum(os.path.join(out, "tum", "groundtruth.txt"))
        self.assertEqual(stamps[-1], 2_500_000_000)
        self.assertLess(np.abs(rows[:, 0:3] - [3, 3, 1.5]).max(), 0.02)

    def test_shorter_than_a_scan(self):
        out = self.made("short", "--duration", "0.03")
        self.assertEqual(readers.tum(os.path.join(out, "tum", "groundtruth.txt"))[0],
                         [i * 5_000_000 for i in range(7)])
        self.assertEqual(readers.asl_files(os.path.join(out, "asl", "mav0", "lidar0")), [])
        _, drawn = readers.report(os.path.join(out, "report.html"))
        if drawn:
            self.assertIn("no scan was completed", drawn)
        with open(os.path.join(out, "quality.json")) as file:
            self.assertIsNone(json.load(file)["lidar"]["points"])

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
        self.refused("mine: holds 'notes.txt', which the command did not write", out="mine")
        self.assertEqual(os.listdir(self.path("mine")), ["notes.txt"])
        with open(self.path("file"), "w"):
            pass
        self.refused("file: is no folder", out="file")

    def test_broken_off_run_is_done_again(self):
        words = ["--truth-frame", "lidar", "--threads", "1", "epoch:=0"]
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


if __name__ == "__main__":
    unittest.main()
