# SPDX-License-Identifier: BSD-3-Clause
"""For ROS 2: ros2 launch <this file> lidar:=mid360 starts `marsim fly2` with the given arguments.

Any argument of `marsim fly2` may be given; the declared ones are those that `--show-args` lists.
"""
import os

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction

DECLARED = {
    "map": "Bundled place (forest, building, ...) or a .pcd, .ply or YAML file",
    "lidar": "A sensor of config/lidar (avia, mid360, vlp16, ...), a YAML file or none",
    "output": "Layouts of the LiDAR's clouds, comma-separated",
    "camera": "Cameras of config/camera (stereo, d435i, ...), a YAML file or none",
    "depth": "A depth camera of config/depth, a YAML file or none",
    "imu": "vehicle, lidar, auto, a name of config/imu or a YAML file",
    "n": "Number of UAVs, which start in formation",
    "swarm": "Formation of the UAVs at the start, of config/swarm, or a YAML file",
    "transport": "shared_memory or udp",
    "pace": "Simulated seconds per second of wall time, or max",
    "wait_for": "Topics whose answers time waits for, INPUT>OUTPUT+SECONDS",
}
UNSET = ""  # the program has the defaults


def program():
    here = os.path.dirname(os.path.realpath(__file__))
    installed = os.path.normpath(os.path.join(here, "..", "..", "..", "bin", "marsim"))
    return installed if os.path.exists(installed) else os.path.normpath(os.path.join(here, "..", "marsim"))


def start(context):
    given = {name: value for name, value in context.launch_configurations.items() if value != UNSET}
    words = ["%s:=%s" % pair for pair in sorted(given.items())]
    return [ExecuteProcess(cmd=[program(), "fly2"] + words, output="screen")]


def generate_launch_description():
    declared = [DeclareLaunchArgument(name, default_value=UNSET, description=text)
                for name, text in DECLARED.items()]
    return LaunchDescription(declared + [OpaqueFunction(function=start)])
