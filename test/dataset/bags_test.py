#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Bags of ROS 1 and 2 against the other formats."""
import os
import unittest

import numpy as np

from known_flight import HAS_BAGS, KnownFlight
import readers
if HAS_BAGS:
    import rosbag


class Bags(KnownFlight):
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
                        "camera.yaml", "--truth-frame", "base", "epoch:=1700000000")
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
        self.assertEqual(told["nanoseconds_since_epoch"], 2 * [1_700_000_000 * 10**9])

    def test_bag_of_ros_1(self):
        if not HAS_BAGS:
            self.refused("no rosbag in this build", "--format", "rosbag")
            return
        out = self.made("ros1", "--format", "rosbag,asl,tum", "--duration", "1", "--depth",
                        "camera.yaml", "epoch:=1700000000.000000001")
        by_topic = {}
        with rosbag.Bag(os.path.join(out, "rosbag", "flight.bag")) as bag:
            for topic, message, at in bag.read_messages():
                by_topic.setdefault(topic, []).append(message)
                self.assertEqual(message.transforms[0].header.stamp if topic.startswith("/tf") else
                                 message.header.stamp, at)
            self.assertEqual([connection.header["latching"] for connection
                              in bag._get_connections("/tf_static")], [b"1"])
        self.assertEqual({topic: (rows[0]._type, len(rows)) for topic, rows in by_topic.items()},
                         {"/uav0/odom": ("nav_msgs/Odometry", 201),
                          "/uav0/imu/data": ("sensor_msgs/Imu", 200),
                          "/uav0/livox/imu": ("sensor_msgs/Imu", 200),
                          "/tf": ("tf2_msgs/TFMessage", 201),
                          "/tf_static": ("tf2_msgs/TFMessage", 1),
                          "/uav0/points": ("sensor_msgs/PointCloud2", 10),
                          "/uav0/depth/image_rect_raw": ("sensor_msgs/Image", 21),
                          "/uav0/depth/camera_info": ("sensor_msgs/CameraInfo", 21)})
        self.assertEqual([message.header.stamp.to_nsec() for message in by_topic["/uav0/odom"]],
                         readers.tum(os.path.join(out, "tum", "groundtruth.txt"))[0])
        self.assertEqual(by_topic["/uav0/odom"][0].header.stamp.to_nsec(), 17 * 10**17 + 1)
        for (_, file), image in zip(readers.asl_files(os.path.join(out, "asl", "mav0", "depth0")),
                                    by_topic["/uav0/depth/image_rect_raw"]):
            self.assertEqual(image.data, readers.png(file).astype("<u2").tobytes())
        for info in by_topic["/uav0/depth/camera_info"]:
            self.assertEqual((info.width, info.height, list(info.K)),
                             (64, 48, [50, 0, 30, 0, 52, 25, 0, 0, 1]))
        _, rows = readers.asl_table(os.path.join(out, "asl", "mav0", "imu0", "data.csv"),
                                    readers.ASL_IMU)
        for row, imu in zip(rows, by_topic["/uav0/imu/data"]):
            w, a = imu.angular_velocity, imu.linear_acceleration
            self.assertEqual(list(row), [w.x, w.y, w.z, a.x, a.y, a.z])
        for imu, livox in zip(by_topic["/uav0/imu/data"], by_topic["/uav0/livox/imu"]):
            self.assertEqual((imu.header.stamp, imu.header.frame_id, imu.angular_velocity),
                             (livox.header.stamp, livox.header.frame_id, livox.angular_velocity))
            self.assertAlmostEqual(imu.linear_acceleration.z, 9.80665 * livox.linear_acceleration.z)
        self.transforms(by_topic)
        for (_, file), cloud in zip(readers.asl_files(os.path.join(out, "asl", "mav0", "lidar0")),
                                    by_topic["/uav0/points"]):
            points = readers.pcd(file)
            there = np.frombuffer(cloud.data, dtype="<f4").reshape(len(points), -1)
            for column, name in enumerate(("x", "y", "z", "intensity", "time")):
                self.assertTrue((there[:, column] == points[name]).all(), name)

    def transforms(self, by_topic):
        for odometry, tf in zip(by_topic["/uav0/odom"], by_topic["/tf"]):
            transform, = tf.transforms
            p, q = transform.transform.translation, transform.transform.rotation
            self.assertEqual((transform.header.frame_id, transform.child_frame_id),
                             ("world", "uav0/base_link"))
            pose = odometry.pose.pose
            self.assertEqual((p.x, p.y, p.z, q.x, q.y, q.z, q.w), (
                pose.position.x, pose.position.y, pose.position.z, pose.orientation.x,
                pose.orientation.y, pose.orientation.z, pose.orientation.w))
        static = {transform.child_frame_id: transform.transform
                  for transform in by_topic["/tf_static"][0].transforms}
        self.assertEqual(sorted(static), ["uav0/depth_optical_frame", "uav0/imu_link", "uav0/lidar"])
        p = static["uav0/lidar"].translation  # as in the sensor's file
        self.assertEqual((p.x, p.y, p.z), (0.1, 0.05, -0.08))

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
                          "/uav0/livox/imu": ("sensor_msgs/Imu", 60),
                          "/uav0/points": ("sensor_msgs/PointCloud2", 3)})


if __name__ == "__main__":
    unittest.main()
