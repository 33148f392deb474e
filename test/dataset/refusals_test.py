#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Bad input is told in one line, before anything is written."""
import unittest

from known_flight import CAMERAS, KnownFlight


class Refusals(KnownFlight):
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
        self.refused("--image-truth is there, allowed: only with cameras (the argument camera)",
                     "--image-truth")
        self.refused("--format is 'tum,pcd', allowed: one that holds the images of class0 "
                     "(camera/truth/class) beside it (asl, rosbag, mcap)", "--format", "tum,pcd",
                     "--camera", "fisheye.yaml", "--image-truth")
        self.refused("--frame is 'ned', allowed: enu", "--frame", "ned", "--format", "kitti")
        self.refused("--frame is 'nwu', allowed: enu, ned", "--frame", "nwu")
        self.refused("--duration is 4 s, allowed: more than 0, up to 3 s", "--duration", "4")
        self.refused("--out is empty, allowed: a value", out="", code=2)
        self.refused("--truth-frame is '1e7,0,0'", "--truth-frame", "1e7,0,0")
        self.refused("command line: speed is -1, allowed: more than 0 m/s", "speed:=-1")
        self.refused("command line: epoch is '-1', allowed: 0 to 4.29e+09 s, or a trajectory file",
                     "epoch:=-1")
        self.refused("mcap: epoch is 4000000000 s, allowed: at most 2147397247 s", "--format", "mcap",
                     "epoch:=4000000000")
        self.refused("command line: speed is 'quick', allowed: a number in m/s", "speed:=quick")
        self.refused("command line: unknown lidar 'avai' (did you mean 'avia'?)", "--lidar", "avai")
        self.refused("--duration is '1e300', allowed: more than 0, up to 86400 s", "--duration",
                     "1e300", code=2)
        self.refused("--duration is '3 apples', allowed: more than 0, up to 86400 s (units: s, ms, "
                     "us, ns)", "--duration", "3 apples", code=2)
        self.refused("--truth-frame is 'nose', allowed: auto | base | imu | lidar | x,y,z | "
                     "x,y,z,roll,pitch,yaw in the body [m, rad]", "--truth-frame", "nose")
        self.refused("--truth-frame is 'depth', allowed: auto | base | imu | lidar | camera | x,y,z | "
                     "x,y,z,roll,pitch,yaw in the body [m, rad]: there is no depth",
                     "--truth-frame", "depth", "--camera", "cameras.yaml", "--format", "asl")
        self.refused("--truth-frame is 'lidar', allowed: auto | base | imu | x,y,z",
                     "--truth-frame", "lidar", "--lidar", "none", "--format", "asl")
        self.refused("argument is 'speed=3', allowed: NAME:=VALUE", "speed=3")
        self.refused("(did you mean 'obstacles'?)", "obstacle:=forest")
        self.refused("imu is lidar, allowed: vehicle, auto or a name", "--imu", "lidar", "--lidar",
                     "none", "--format", "asl")
        self.refused("none.tum", "--trajectory", "none.tum", "--map", "room.pcd")

    def test_bad_run_files(self):
        """What is wrong in a run's file is told by its name and fields."""
        with open(self.path("hover.yaml"), "w") as file:
            file.write("description: A hover\nmap: room.pcd\nlidar: scanner.yaml\n"
                       "start: [3, 3, 1.5]\nduration: 1s\nchecks: {contacts: {at_most: 0}}\n")
        for text, complaint in (
                ("formats: [asl]\n", "scenario is not there, allowed: one of scenario and trajectory"),
                ("scenario: hover.yaml\ntrajectory: flight.tum\n",
                 "scenario is there beside trajectory"),
                ("scenario: hovre\n", "unknown dataset 'hovre'"),
                ("scenario: hover.yaml\nformats: [tum]\n",
                 "formats is 'tum', allowed: one that holds the LiDAR's scans"),
                ("scenario: hover.yaml\nframe: ned\nformats: [kitti]\n", "frame is 'ned'"),
                ("scenario: hover.yaml\ntruth_frame: nose\n",
                 "truth_frame is 'nose', allowed: auto | base | imu | lidar | x,y,z"),
                ("scenario: hover.yaml\nimage_truth: true\n", "image_truth is there"),
                ("scenario: hover.yaml\nduration: -1s\n", "duration is -1 s"),
                ("trajectory: flight.tum\nduration: 4s\narguments: {map: room.pcd}\n",
                 "duration is 4 s, allowed: more than 0, up to 3 s"),
                ("scenario: hover.yaml\narguments: {speed: quick}\n", "speed is 'quick'"),
                ("scenario: hover.yaml\narguments: {lidar: avai}\n", "unknown lidar 'avai'"),
                ("scenario: hover.yaml\narguments: {lidra: avia}\n",
                 "unknown argument of a flight without ROS 'lidra'")):
            with open(self.path("run.yaml"), "w") as file:
                file.write(text)
            run = self.of_file("run.yaml")
            self.assertEqual(run.returncode, 1, run.stdout)
            self.assertIn("marsim dataset: run.yaml: " + complaint, run.stdout)

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
                           "ros.yaml: estimate is '/odom', allowed: auto, none or realistic without "
                           "ROS"),
                          ("estimate: realistic\ncontroller: agile\n",
                           "controller is one that reads true accelerations"),
                          ("wait_for: [{input: /a, output: /b}]\n", "wait_for is there")):
            with open(self.path("ros.yaml"), "w") as file:
                file.write("description: x\nmap: room.pcd\n" + key +
                           "checks: {contacts: {at_most: 0}}\n")
            self.refused(text, "--scenario", "ros.yaml")

    def test_errors_name_the_source_of_an_argument(self):
        scenario = "map: room.pcd\nlidar: none\nestimate: realistic\n"
        for name, more in (("hover.yaml", ""),
                           ("late.yaml", "arguments: {estimate_delay: 3}\n")):
            with open(self.path(name), "w") as file:
                file.write(scenario + more)
        self.refused("command line: estimate_delay is 2, allowed: 0 to 1 s", "--scenario",
                     "hover.yaml", "--format", "tum", "estimate_delay:=2")
        self.refused("late.yaml: estimate_delay is 3, allowed: 0 to 1 s", "--scenario",
                     "late.yaml", "--format", "tum")


if __name__ == "__main__":
    unittest.main()
