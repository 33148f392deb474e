#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Images and depth in all formats against each other, the room and the points; truth in images."""
import filecmp
import json
import os
import unittest

import numpy as np
import PIL.Image
import yaml

from known_flight import CAMERAS, HAS_BAGS, HAS_TIME, KnownFlight, LIDAR, NED, ROOM
import readers
if HAS_BAGS:
    import rosbag


class Images(KnownFlight):
    def depth_of_room(self, p, R):
        """Along the optical axis of a camera in the room, pixel by pixel."""
        u, v = np.meshgrid(np.arange(64), np.arange(48))
        rays = np.stack([(u - 30) / 50.0, (v - 25) / 52.0, np.ones(u.shape)], axis=-1) @ R.T
        with np.errstate(divide="ignore"):
            ahead = np.where(rays > 0, (ROOM - p) / rays, -p / rays)
        return ahead.min(axis=2)

    def test_depth_images(self):
        for frame in ("enu", "ned"):
            out = self.made("depth_" + frame, "--depth", "camera.yaml", "--lidar", "none",
                            "--format", "asl,tum", "--frame", frame)
            stamps, rows = readers.tum(os.path.join(out, "tum", "groundtruth.txt"))
            poses = dict(zip(stamps, rows))
            images = readers.asl_files(os.path.join(out, "asl", "mav0", "depth0"))
            self.assertEqual([stamp for stamp, _ in images], [i * 50_000_000 for i in range(61)])
            listed = readers.tum_rows(os.path.join(out, "tum", "depth.txt"),
                                      "# timestamp filename")
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

    def test_imperfect_clocks(self):
        """Stamps by the closed form; images, truth and IMU are those of perfect clocks."""
        clock = "clock: {offset: 4ms, drift: 0.0005, jitter: %s, drops: %s}\n"
        with open(self.path("late.yaml"), "w") as file:
            file.write(CAMERAS + clock % ("0s", 0))
        with open(self.path("lossy.yaml"), "w") as file:
            file.write(CAMERAS + clock % ("25ms", 0.3))
        with open(self.path("late_scanner.yaml"), "w") as file:
            file.write(LIDAR + "clock: {offset: -30ms}\n")
        arguments = ["--format", "asl,tum", "--duration", "1", "--camera"]
        perfect = self.made("perfect_clocks", *arguments, "cameras.yaml")
        late = self.made("late", *arguments, "late.yaml", "--lidar", "late_scanner.yaml",
                         "--threads", "2")
        mav = [os.path.join(out, "asl", "mav0") for out in (perfect, late)]
        for name in ("cam0", "cam1", "depth0"):
            truth, told = (readers.asl_files(os.path.join(folder, name)) for folder in mav)
            self.assertEqual([stamp for stamp, _ in told],
                             [t + 4_000_000 + t // 2000 for t, _ in truth])
            for (_, a), (_, b) in zip(truth, told):
                self.assertTrue(filecmp.cmp(a, b, shallow=False), b)
        self.assertEqual([stamp for stamp, _ in readers.asl_files(mav[1] + "/lidar0")],
                         [i * 100_000_000 - 30_000_000 for i in range(1, 10)])
        for name in ("imu0", "state_groundtruth_estimate0"):
            self.assertTrue(filecmp.cmp(*("%s/%s/data.csv" % (folder, name) for folder in mav),
                                        shallow=False))
        with open(os.path.join(late, "calibration", "camchain.yaml")) as file:
            chain = yaml.safe_load(file.read().replace("%YAML 1.0\n---\n", ""))
        self.assertEqual([camera["timeshift_cam_imu"] for camera in chain.values()],
                         [-0.004, -0.004])
        with open(os.path.join(late, "calibration", "extrinsics.yaml")) as file:
            table = yaml.safe_load(file)
        self.assertEqual(table["clock_cameras"],
                         {"offset": 0.004, "drift": 0.0005, "jitter": 0.0, "drops": 0.0})
        self.assertEqual(table["clock_lidar"]["offset"], -0.03)

        lossy = [self.made("lossy" + threads, *arguments, "lossy.yaml", "--threads", threads)
                 for threads in "12"]
        self.assertGreater(self.same_files(*lossy), 20)
        stamps = [[stamp for stamp, _ in
                   readers.asl_files(os.path.join(lossy[0], "asl", "mav0", name))]
                  for name in ("cam0", "cam1")]
        self.assertEqual(*stamps)
        self.assertEqual(stamps[0], sorted(stamps[0]))
        self.assertTrue(5 < len(stamps[0]) < 21, len(stamps[0]))
        self.refused("--format is 'kitti', allowed: one that holds the images of cam0",
                     "--format", "kitti", "--camera", "lossy.yaml")
        self.refused("lossy.yaml: clock.jitter is 0.025 s, allowed: 0 to 0.01",
                     "--camera", self.edited("lossy.yaml", "rate: 20Hz", "rate: 30Hz"))
        self.refused("late.yaml: clock.drops is 1, allowed: 0 to 0.99",
                     "--camera", self.edited("late.yaml", "drops: 0", "drops: 1"))

    def edited(self, name, old, new):
        with open(self.path(name)) as file:
            text = file.read()
        with open(self.path(name), "w") as file:
            file.write(text.replace(old, new))
        return name

    def test_cameras(self):
        formats = "asl,tum,kitti,mcap" + (",rosbag" if HAS_BAGS else "")
        out = self.made("cameras", "--camera", "cameras.yaml", "--format", formats, "--duration", "1")
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
        depth = [readers.png(file) for _, file in images["depth0"]]
        self.images_of_mcap(out, left, right, depth)
        if HAS_BAGS:
            self.images_of_rosbag(out, left, right, depth)
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
        rgb, depth = [readers.tum_rows(os.path.join(out, "tum", name + ".txt"),
                                       "# timestamp filename") for name in ("rgb", "depth")]
        pairs = [line.split(" ") for line in
                 readers.lines(os.path.join(out, "tum", "associations.txt"))]
        self.assertEqual((len(rgb), len(depth)), (21, 21))
        self.assertEqual(pairs, [a + b for a, b in zip(rgb, depth)])
        for (stamp, file), (told, name) in zip(images["cam0"], rgb):
            self.assertEqual(stamp, readers.nanoseconds(told))
            self.assertTrue(filecmp.cmp(file, os.path.join(out, "tum", name), shallow=False))
        for (_, file), (_, name) in zip(images["depth0"], depth):
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

    def images_of_mcap(self, out, left, right, depth):
        by_topic = {}
        for topic, name, schema, stamp, data in readers.mcap(os.path.join(out, "mcap", "flight_0.mcap")):
            if "camera" in topic:
                by_topic.setdefault(topic, []).append(readers.cdr(name, schema, data))
        aligned = "/uav0/camera/aligned_depth_to_left/"
        self.assertEqual({len(messages) for messages in by_topic.values()}, {21})
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
            self.assertEqual(by_topic[aligned + "image_raw"][i]["data"],
                             depth[i].astype("<u2").tobytes())
        info = by_topic["/uav0/camera/right/camera_info"][0]
        self.assertEqual((info["width"], info["height"], info["distortion_model"], info["d"]),
                         (60, 40, "plumb_bob", [0.0] * 5))
        self.assertEqual(info["k"], [45, 0, 29.5, 0, 46, 19.5, 0, 0, 1])
        self.assertEqual(info["p"][3], 0.0)  # no rectified pair: each in its own frame

    def images_of_rosbag(self, out, left, right, depth):
        with rosbag.Bag(os.path.join(out, "rosbag", "flight.bag")) as bag:
            for side, images in (("left", [image[:, :, ::-1] for image in left]), ("right", right)):
                told = [message for _, message, _ in
                        bag.read_messages("/uav0/camera/%s/image_raw" % side)]
                self.assertEqual([message.data for message in told],
                                 [image.tobytes() for image in images])
            stamps = [i * 50_000_000 for i in range(21)]
            for name, K, size in (("left", [50, 0, 30, 0, 52, 25, 0, 0, 1], (64, 48)),
                                  ("aligned_depth_to_left", [50, 0, 30, 0, 52, 25, 0, 0, 1], (64, 48)),
                                  ("right", [45, 0, 29.5, 0, 46, 19.5, 0, 0, 1], (60, 40))):
                infos = [info for _, info, _ in
                         bag.read_messages("/uav0/camera/%s/camera_info" % name)]
                self.assertEqual([info.header.stamp.to_nsec() for info in infos], stamps, name)
                for info in infos:
                    self.assertEqual((list(info.K), (info.width, info.height), info.P[3]),
                                     (K, size, 0.0), name)
            told = [message for _, message, _ in
                    bag.read_messages("/uav0/camera/aligned_depth_to_left/image_raw")]
            self.assertEqual([message.header.stamp.to_nsec() for message in told], stamps)
            self.assertEqual({(message.encoding, message.step) for message in told},
                             {("16UC1", 128)})
            self.assertEqual([message.data for message in told],
                             [image.astype("<u2").tobytes() for image in depth])

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
            self.assertEqual((told["empty"], told["blurred_against_median"]), (0, 0))
            self.assertGreater(told["contrast"]["least"], 2.0)
        data, drawn = readers.report(os.path.join(out, "report.html"))
        self.assertEqual(data["quality"], quality)
        if drawn:
            self.assertEqual(drawn.count("blurred against the others (less than a quarter of this "
                                         "stream&#39;s median sharpness"), 2)
        for name in ("cam0", "cam1", "depth0"):
            self.assertTrue(data["comments"][name])
            if drawn:
                self.assertEqual(drawn.count('src="preview_%s.png"' % name), 1)
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
        self.assertEqual(len(poses), 11)
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
                         readers.asl_files(mav + "/" + what + "0")]
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
        self.assertEqual((len(told), told[0]["encoding"], told[0]["step"]), (61, "16UC1", 128))
        self.assertEqual([message["data"] for message in told],
                         [image.astype("<u2").tobytes() for image in images["instance"]])
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


if __name__ == "__main__":
    unittest.main()
