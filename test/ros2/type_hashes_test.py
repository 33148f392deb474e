#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The type hashes in the sources are those of REP-2016 (RIHS01), computed here from definitions.

Definitions are the messages of ROS 1 on this machine, changed as ROS 2 changed them, and those
below. With a message's name it prints that hash.
"""
import functools
import hashlib
import json
import os
import re
import sys

import roslib.packages

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
IDS = {"int8": 2, "uint8": 3, "char": 3, "int16": 4, "uint16": 5, "int32": 6, "uint32": 7, "int64": 8,
       "uint64": 9, "float32": 10, "float64": 11, "bool": 15, "byte": 16, "string": 17}
NESTED, BOUNDED_STRING, FIXED, UNBOUNDED = 1, 21, 48, 144
TIME = "builtin_interfaces/"
PLANNED = "geometry_msgs/Point position\ngeometry_msgs/Vector3 velocity\ngeometry_msgs/Vector3 acceleration"
# Messages that ROS 1 lacks here, or that ROS 2 changed.
DEFINITIONS = {
    "std_msgs/Header": "builtin_interfaces/Time stamp\nstring frame_id",
    TIME + "Time": "int32 sec\nuint32 nanosec",
    TIME + "Duration": "int32 sec\nuint32 nanosec",
    "livox_ros_driver2/CustomMsg": "std_msgs/Header header\nuint64 timebase\nuint32 point_num\n"
                                   "uint8 lidar_id\nuint8[3] rsvd\nCustomPoint[] points",
    "livox_ros_driver2/CustomPoint": "uint32 offset_time\nfloat32 x\nfloat32 y\nfloat32 z\n"
                                     "uint8 reflectivity\nuint8 tag\nuint8 line",
    "rmw_dds_common/Gid": "char[16] data",
    "rmw_dds_common/NodeEntitiesInfo": "string<=256 node_namespace\nstring<=256 node_name\n"
                                       "Gid[] reader_gid_seq\nGid[] writer_gid_seq",
    "rmw_dds_common/ParticipantEntitiesInfo": "Gid gid\nNodeEntitiesInfo[] node_entities_info_seq",
    "mavros_msgs/PositionTarget": "std_msgs/Header header\nuint8 coordinate_frame\nuint16 type_mask\n"
                                  "geometry_msgs/Point position\ngeometry_msgs/Vector3 velocity\n"
                                  "geometry_msgs/Vector3 acceleration_or_force\nfloat32 yaw\nfloat32 yaw_rate",
    "mavros_msgs/AttitudeTarget": "std_msgs/Header header\nuint8 type_mask\ngeometry_msgs/Quaternion orientation\n"
                                  "geometry_msgs/Vector3 body_rate\nfloat32 thrust",
    "quadrotor_msgs/PositionCommand": "std_msgs/Header header\n" + PLANNED + "\nfloat64 yaw\nfloat64 yaw_dot\n"
                                      "float64[3] kx\nfloat64[3] kv\nuint32 trajectory_id\nuint8 trajectory_flag",
    # Debian's packages of these have no definitions.
    "diagnostic_msgs/DiagnosticArray": "std_msgs/Header header\nDiagnosticStatus[] status",
    "diagnostic_msgs/DiagnosticStatus": "byte level\nstring name\nstring message\nstring hardware_id\n"
                                        "KeyValue[] values",
    "diagnostic_msgs/KeyValue": "string key\nstring value",
    "std_srvs/Trigger_Request": "",
    "std_srvs/Trigger_Response": "bool success\nstring message",
    "std_srvs/SetBool_Request": "bool data",
    "std_srvs/SetBool_Response": "bool success\nstring message",
    "rosgraph_msgs/Clock": "builtin_interfaces/Time clock",
    "tf2_msgs/TFMessage": "geometry_msgs/TransformStamped[] transforms",
    "trajectory_msgs/MultiDOFJointTrajectory": "std_msgs/Header header\nstring[] joint_names\n"
                                               "MultiDOFJointTrajectoryPoint[] points",
    "trajectory_msgs/MultiDOFJointTrajectoryPoint": "geometry_msgs/Transform[] transforms\n"
        "geometry_msgs/Twist[] velocities\ngeometry_msgs/Twist[] accelerations\n"
        "builtin_interfaces/Duration time_from_start",
}
PARTS = ["Request", "Response"]  # of a service
RENAMED = {"sensor_msgs/CameraInfo": {"D": "d", "K": "k", "R": "r", "P": "p"}}


def is_part_of_service(name):
    return name.split("_")[-1] in PARTS


@functools.lru_cache(maxsize=None)
def definition(name):
    if name in DEFINITIONS:
        return DEFINITIONS[name]
    package, message = name.split("/")
    folder = SOURCE if package == "marsim" else roslib.packages.get_pkg_dir(package)
    if not is_part_of_service(name):
        with open(os.path.join(folder, "msg", message + ".msg")) as file:
            return file.read()
    service, part = message.split("_")
    with open(os.path.join(folder, "srv", service + ".srv")) as file:
        return file.read().split("---")[PARTS.index(part)]


def fields_of(name):
    """Names and types of the fields; the types of messages are full names."""
    fields = []
    for line in definition(name).splitlines():
        line = re.sub(r"#.*", "", line).strip()
        match = re.match(r"([\w/]+)(<=\d+)?(\[\d*\])?\s+(\w+)\s*$", line)
        if not match:  # empty, a comment or a constant
            continue
        kind, bound, array, field = match.groups()
        if kind in ("time", "duration"):
            kind = TIME + kind.capitalize()
        elif kind == "Header":
            kind = "std_msgs/Header"
        elif kind not in IDS and "/" not in kind:
            kind = name.split("/")[0] + "/" + kind
        fields.append((RENAMED.get(name, {}).get(field, field), kind, bound, array))
    return fields or [("structure_needs_at_least_one_member", "uint8", None, None)]


def full(name):
    return name.replace("/", "/srv/" if is_part_of_service(name) else "/msg/")


def describe(name):
    described = []
    for field, kind, bound, array in fields_of(name):
        number = BOUNDED_STRING if bound else IDS.get(kind, NESTED)
        size = int(array[1:-1] or 0) if array else 0
        number += 0 if not array else FIXED if size else UNBOUNDED
        described.append({"name": field, "type": {
            "type_id": number, "capacity": size, "string_capacity": int(bound[2:]) if bound else 0,
            "nested_type_name": "" if kind in IDS else full(kind)}})
    return {"type_name": full(name), "fields": described}


def referenced(name, found):
    for _, kind, _, _ in fields_of(name):
        if kind not in IDS and kind not in found:
            found.add(kind)
            referenced(kind, found)
    return found


def type_hash(name):
    whole = {"type_description": describe(name),
             "referenced_type_descriptions": [describe(other) for other in sorted(referenced(name, set()))]}
    return "RIHS01_" + hashlib.sha256(json.dumps(whole, separators=(", ", ": ")).encode()).hexdigest()


def main():
    if len(sys.argv) > 1:
        for name in sys.argv[1:]:
            print(name, type_hash(name))
        return 0
    with open(os.path.join(SOURCE, "src", "dataset", "ros2_types.hpp")) as file:
        stored = re.findall(r'\{\s*"(\w+)/(?:msg|srv)/(\w+)",\s*"(RIHS01_\w+)"\}', file.read())
    errors = ["%s/%s has the hash %s, not %s" % (package, message, type_hash(package + "/" + message), given)
              for package, message, given in stored if type_hash(package + "/" + message) != given]
    print("\n".join(errors) or "%d hashes agree" % len(stored))
    return 1 if errors or len(stored) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
