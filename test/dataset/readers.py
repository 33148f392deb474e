"""Readers of the layouts of `marsim dataset`, written from the formats' own documents: they share
nothing with the program."""
import os
import struct

import numpy as np

ASL_IMU = ("#timestamp [ns],w_RS_S_x [rad s^-1],w_RS_S_y [rad s^-1],w_RS_S_z [rad s^-1],"
           "a_RS_S_x [m s^-2],a_RS_S_y [m s^-2],a_RS_S_z [m s^-2]")
ASL_TRUTH = ("#timestamp, p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], q_RS_w [], q_RS_x [], "
             "q_RS_y [], q_RS_z [], v_RS_R_x [m s^-1], v_RS_R_y [m s^-1], v_RS_R_z [m s^-1], "
             "b_w_RS_S_x [rad s^-1], b_w_RS_S_y [rad s^-1], b_w_RS_S_z [rad s^-1], "
             "b_a_RS_S_x [m s^-2], b_a_RS_S_y [m s^-2], b_a_RS_S_z [m s^-2]")
ASL_FILES = "#timestamp [ns],filename"
TUM_POSES = "# timestamp tx ty tz qx qy qz qw"
PCD_TYPES = {"F4": np.float32, "U2": np.uint16, "U4": np.uint32}


def rotation(x, y, z, w):
    """3 x 3 of a unit quaternion."""
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def lines(path):
    with open(path) as file:
        text = file.read()
    assert text.endswith("\n"), path
    return text[:-1].split("\n")


def asl_table(path, header):
    """Stamps [ns] as whole numbers, and the other columns."""
    rows = lines(path)
    assert rows[0] == header, (path, rows[0])
    cells = [row.split(",") for row in rows[1:]]
    return [int(row[0]) for row in cells], np.array([row[1:] for row in cells], dtype=float)


def asl_files(folder):
    rows = lines(os.path.join(folder, "data.csv"))
    assert rows[0] == ASL_FILES, rows[0]
    return [(int(row.split(",")[0]), os.path.join(folder, "data", row.split(",")[1]))
            for row in rows[1:]]


def nanoseconds(text):
    seconds, fraction = text.split(".")
    assert len(fraction) == 9, text
    return int(seconds) * 10**9 + int(fraction)


def tum(path, header=TUM_POSES):
    rows = lines(path)
    assert rows[0] == header, rows[0]
    cells = [row.split(" ") for row in rows[1:]]
    assert all(len(row) == len(header.split(" ")) - 1 for row in cells), path
    return ([nanoseconds(row[0]) for row in cells],
            np.array([row[1:] for row in cells], dtype=float))


def pcd(path):
    """Columns by name; a binary file of version 0.7."""
    with open(path, "rb") as file:
        data = file.read()
    head, body = data.split(b"DATA binary\n", 1)
    words = {line.split(" ")[0]: line.split(" ")[1:] for line in head.decode().split("\n")}
    types = [(name, PCD_TYPES[kind + size])
             for name, kind, size in zip(words["FIELDS"], words["TYPE"], words["SIZE"])]
    points = np.frombuffer(body, dtype=np.dtype(types))
    assert len(points) == int(words["POINTS"][0]) == int(words["WIDTH"][0])
    return points


def kitti_scan(folder, number):
    points = np.fromfile(os.path.join(folder, "velodyne", "%06d.bin" % number), dtype="<f4")
    labels = np.fromfile(os.path.join(folder, "labels", "%06d.label" % number), dtype="<u4")
    points = points.reshape(-1, 4)
    assert len(points) == len(labels)
    return points, labels & 0xffff, labels >> 16


def kitti_calibration(folder):
    rows = dict(row.split(": ") for row in lines(os.path.join(folder, "calib.txt")))
    return {name: np.array(text.split(" "), dtype=float).reshape(3, 4)
            for name, text in rows.items()}


def kitti_poses(path):
    return [np.array(row.split(" "), dtype=float).reshape(3, 4) for row in lines(path)]


def write_pcd(path, points):
    """An unorganised binary cloud of x y z."""
    with open(path, "wb") as file:
        file.write(("VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH %d\n"
                    "HEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS %d\nDATA binary\n"
                    % (len(points), len(points))).encode())
        for point in points:
            file.write(struct.pack("<3f", *point))
