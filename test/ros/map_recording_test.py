#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""From a recording to a map, as docs/maps.md has it: a UAV is moved through the building while a
SLAM that drifts is recorded; the map along the corrected trajectory is the building's.

map_recording_test.py MARSIM
"""
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
import rosgraph

MARSIM = os.path.abspath(sys.argv.pop(1))
SECONDS = 12.0


def pose_at(t):
    yaw = 2.0 * math.pi * t / SECONDS
    return (1.2 * math.cos(yaw) - 1.2, 1.2 * math.sin(yaw), 1.3 + 0.2 * math.sin(3.0 * yaw),
            0.0, 0.0, math.sin(0.5 * yaw), math.cos(0.5 * yaw))


class MapRecording(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="marsim_map_recording_test_")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.port = local_master.free_port()
        self.environment = local_master.environment(self.port, self.folder)

    def begin(self, *arguments, stdout=subprocess.DEVNULL):
        child = subprocess.Popen(arguments, cwd=self.folder, env=self.environment, stdout=stdout)
        self.addCleanup(self.end, child)
        return child

    @staticmethod
    def end(child):
        """With all that it has launched."""
        if child.poll() is None:
            child.send_signal(signal.SIGINT)
        try:
            child.wait(60)
        finally:
            child.kill()

    def marsim(self, *arguments):
        run = subprocess.run([MARSIM] + list(arguments), cwd=self.folder, env=self.environment,
                             text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             timeout=800)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout

    def comes(self, topic):
        master = rosgraph.Master("/map_recording_test", self.environment["ROS_MASTER_URI"])
        for _ in range(1200):
            time.sleep(0.1)
            try:
                if any(name == topic for name, _ in master.getSystemState()[0]):
                    return
            except OSError:
                pass  # not up yet
        self.fail("nobody publishes " + topic)

    def record(self):
        with open(os.path.join(self.folder, "flight.tum"), "w") as file:
            for i in range(int(SECONDS / 0.1) + 1):
                file.write("%.9f %s\n" % (0.1 * i, " ".join("%.9f" % v for v in pose_at(0.1 * i))))
        replay = self.begin(MARSIM, "replay", "flight.tum", "--map", "building", "--lidar", "mid360",
                            "paused:=true", "record:=truth.tum", "record_frame:=lidar")
        self.comes("/uav0/points")
        slam = self.begin(MARSIM, "run", "simulated_slam.launch", "drift:=0.05")
        self.comes("/uav0/slam_odom")
        recorder = self.begin(MARSIM, "record", "/uav0/points", "/uav0/slam_odom", "--out",
                              "flight.bag", "--unpause", stdout=subprocess.PIPE)
        with recorder.stdout as told:
            self.assertRegex(told.readline(), b"^recording [0-9]+ topics to flight.bag")
            self.assertEqual(replay.wait(120), 0)
            self.end(recorder)
        self.assertEqual(recorder.returncode, 0)
        self.end(slam)

    def accuracy(self, name):
        """Mean distance [m] of a map's points to the building's."""
        return json.loads(self.marsim("map", "compare", name, "truth.ply", "--json"))[0]["mean"]

    def test_map(self):
        self.record()
        self.marsim("place", "building", "--out", "truth.ply")
        drifting = self.marsim("map", "import", "flight.bag", "--lidar-pose", "0,0,0.05,0,0,0",
                               "--out", "drifting.ply")
        self.assertIn("scans of /uav0/points along /uav0/slam_odom", drifting)
        self.assertIn("by the pose at its own time", drifting)
        corrected = self.marsim("map", "import", "flight.bag", "--poses", "truth.tum", "--out",
                                "corrected.ply")
        self.assertIn("scans of /uav0/points along truth.tum", corrected)
        clean = self.marsim("map", "clean", "corrected.ply", "--moving", "flight.bag", "--poses",
                            "truth.tum", "--outliers", "12,3", "--downsample", "0.03", "--out",
                            "clean.ply")
        self.assertRegex(clean, "moving +[0-9,]+ -> ")
        beams = json.loads(self.marsim("map", "fidelity", "flight.bag", "--poses", "truth.tum",
                                       "--resolution", "0.1", "--json"))
        self.assertGreater(beams["scans_left_out"], 5)
        self.assertLess(beams["all"]["median"], 0.02)
        self.assertLess(beams["all"]["misses"], 0.05)
        drift, map_error = self.accuracy("drifting.ply"), self.accuracy("clean.ply")
        self.assertGreater(drift, 0.05)
        self.assertLess(map_error, 0.025)


if __name__ == "__main__":
    unittest.main()
