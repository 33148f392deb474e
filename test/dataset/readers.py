# SPDX-License-Identifier: BSD-3-Clause
"""Readers of the layouts of `marsim dataset`, written from the formats' own documents: they share
nothing with the program."""
import html
import json
import os
import re
import shutil
import struct
import subprocess
import xml.etree.ElementTree
import zlib

import numpy as np

DRAW_PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "suite", "draw_page.js")
ASL_IMU = ("#timestamp [ns],w_RS_S_x [rad s^-1],w_RS_S_y [rad s^-1],w_RS_S_z [rad s^-1],"
           "a_RS_S_x [m s^-2],a_RS_S_y [m s^-2],a_RS_S_z [m s^-2]")
ASL_TRUTH = ("#timestamp, p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], q_RS_w [], q_RS_x [], "
             "q_RS_y [], q_RS_z [], v_RS_R_x [m s^-1], v_RS_R_y [m s^-1], v_RS_R_z [m s^-1], "
             "b_w_RS_S_x [rad s^-1], b_w_RS_S_y [rad s^-1], b_w_RS_S_z [rad s^-1], "
             "b_a_RS_S_x [m s^-2], b_a_RS_S_y [m s^-2], b_a_RS_S_z [m s^-2]")
ASL_FILES = "#timestamp [ns],filename"
TUM_POSES = "# timestamp tx ty tz qx qy qz qw"
TUM_LISTS = ["# ground truth trajectory", "# accelerometer data", "# color images", "# depth maps"]
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


def tum_rows(path, header):
    """Cells below the benchmark's three lines, which ORB-SLAM skips."""
    rows = lines(path)
    assert rows[0] in TUM_LISTS and rows[1].startswith("# file: ") and rows[2] == header, rows[:3]
    return [row.split(" ") for row in rows[3:]]


def tum(path, header=TUM_POSES):
    if path.endswith("poses.txt"):
        rows = lines(path)
        assert rows[0] == header, rows[0]
        cells = [row.split(" ") for row in rows[1:]]
    else:
        cells = tum_rows(path, header)
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


def png(path):
    """A PNG file of grey or of red, green and blue (PNG specification, ISO/IEC 15948), row by row."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, kinds = 8, b"", []
    while at < len(data):
        size, = struct.unpack(">I", data[at:at + 4])
        typed = data[at + 4:at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(typed)
        kinds.append(typed[:4])
        if typed[:4] == b"IHDR":
            width, height, bits, colour, _, _, interlaced = struct.unpack(">IIBBBBB", typed[4:])
            assert (bits, colour) in ((16, 0), (8, 0), (8, 2)) and interlaced == 0
        elif typed[:4] == b"IDAT":
            packed += typed[4:]
        at += 12 + size
    assert kinds[0] == b"IHDR" and kinds[-1] == b"IEND"
    channels, size = (3 if colour == 2 else 1), bits // 8
    rows = np.frombuffer(zlib.decompress(packed), dtype=np.uint8)
    rows = rows.reshape(height, 1 + channels * size * width)
    assert (rows[:, 0] == 1).all()  # each byte is the difference from the pixel before
    pixels = np.cumsum(rows[:, 1:].reshape(height, width, channels * size), axis=1, dtype=np.uint8)
    if size == 2:
        return pixels[:, :, 0].astype(np.uint16) * 256 + pixels[:, :, 1]
    return pixels if channels == 3 else pixels[:, :, 0]


def report(path):
    """The data of a report.html, and what its script draws of them; None without Node.js."""
    with open(path) as file:
        page = file.read()
    data, = re.findall('<pre id="data">([^<]*)</pre>', page)
    node = shutil.which("nodejs") or shutil.which("node")
    drawn = node and subprocess.run([node, DRAW_PAGE, path], check=True, stdout=subprocess.PIPE,
                                    universal_newlines=True).stdout
    if drawn:
        xml.etree.ElementTree.fromstring(drawn)
        assert not re.search("NaN|undefined|null|Infinity", drawn)
    return json.loads(html.unescape(data)), drawn


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


def yaml_numbers(path):
    """The lines "key: number" of a file, by key."""
    found = {}
    for line in lines(path):
        key, _, value = line.strip().partition(": ")
        if value.lstrip("-").isdigit():
            found.setdefault(key.lstrip("- "), []).append(int(value))
    return found


class Bytes:
    """Numbers and texts from front to back, little endian."""
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, kind):
        size = struct.calcsize("<" + kind)
        self.at += size
        return struct.unpack("<" + kind, self.data[self.at - size:self.at])[0]

    def take(self, size):
        self.at += size
        assert self.at <= len(self.data)
        return self.data[self.at - size:self.at]

    def text(self):
        return self.take(self.number("I")).decode()

    def records(self):
        """Of MCAP: opcode, content, offset."""
        while self.at < len(self.data):
            offset, opcode = self.at, self.number("B")
            yield opcode, self.take(self.number("Q")), offset


MCAP_MAGIC = b"\x89MCAP0\r\n"


def mcap(path):
    """Messages as (topic, type, schema, stamp, CDR), as the specification has them (mcap.dev/spec),
    in the file's order; every index is held against what it points at."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == data[-8:] == MCAP_MAGIC
    schemas, channels, messages, indexed, chunks = {}, {}, [], {}, {}
    summary, statistics = None, None
    for opcode, content, offset in Bytes(data[8:-8]).records():
        body, offset = Bytes(content), offset + 8
        if opcode == 0x01:
            assert (body.text(), body.text()) == ("ros2", "marsim")
        elif opcode == 0x03:
            number, name, encoding = body.number("H"), body.text(), body.text()
            assert encoding == "ros2msg" and number != 0
            schema = (name, body.text())
            assert schemas.setdefault(number, schema) == schema
        elif opcode == 0x04:
            number, schema, topic, encoding = (body.number("H"), body.number("H"), body.text(),
                                               body.text())
            assert encoding == "cdr" and number != 0  # some readers take 0 for none
            assert channels.setdefault(number, (topic, schema)) == (topic, schema)
        elif opcode == 0x06:
            first, last, size, crc = (body.number("Q"), body.number("Q"), body.number("Q"),
                                      body.number("I"))
            assert (crc, body.text()) == (0, "")
            records = body.take(body.number("Q"))
            assert size == len(records)
            stamps = []
            for kind, message, at in Bytes(records).records():
                assert kind == 0x05
                message = Bytes(message)
                channel, _, log, published = (message.number("H"), message.number("I"),
                                              message.number("Q"), message.number("Q"))
                assert log == published
                topic, schema = channels[channel]
                messages.append((topic,) + schemas[schema] + (log, message.data[message.at:]))
                indexed[(offset, channel, log, at)] = False
                stamps.append(log)
            assert (min(stamps), max(stamps)) == (first, last)
            chunks[offset] = {"end": offset + 9 + len(content), "indexes": {}, "size": size,
                              "span": (first, last)}
            chunk = offset
        elif opcode == 0x07:
            channel, end = body.number("H"), body.number("I")
            chunks[chunk]["indexes"][channel] = offset
            for _ in range(end // 16):
                key = (chunk, channel, body.number("Q"), body.number("Q"))
                assert indexed[key] is False
                indexed[key] = True
        elif opcode == 0x0F:
            summary = offset + 9 + len(content)
        elif opcode == 0x0B:
            statistics = [body.number(kind) for kind in "QHIIIIQQ"]
            counts = body.number("I")
            per_channel = {body.number("H"): body.number("Q") for _ in range(counts // 10)}
        elif opcode == 0x08:
            span, start, length = (body.number("Q"), body.number("Q")), body.number("Q"), \
                body.number("Q")
            size = body.number("I")
            there = {body.number("H"): body.number("Q") for _ in range(size // 10)}
            body.number("Q")
            assert body.text() == ""
            known = chunks.pop(start)
            assert (span, there) == (known["span"], known["indexes"])
            assert start + length == known["end"] and body.number("Q") == known["size"]
        elif opcode == 0x02:
            assert body.number("Q") == summary
    assert not chunks and all(indexed.values())
    stamps = [message[3] for message in messages]
    assert statistics[0] == len(messages) == sum(per_channel.values())
    assert statistics[6:] == [min(stamps), max(stamps)]
    return messages


CDR_KINDS = {"float64": "d", "float32": "f", "int32": "i", "uint32": "I", "uint8": "B",
             "bool": "?", "uint16": "H"}


def cdr(name, schema, data):
    """A message by its definition: dictionaries, lists, numbers."""
    types = {}
    for part in ("MSG: %s\n%s" % (name.replace("/msg/", "/"), schema)).split("=" * 80 + "\n"):
        head, fields = part.split("\n", 1)
        types[head[len("MSG: "):]] = [line.split()[:2] for line in fields.splitlines()
                                      if line and "=" not in line]
    assert data[:4] == b"\0\1\0\0"
    body = Bytes(data[4:])

    def one(kind):
        if kind == "string":
            align(4)
            return body.take(body.number("I"))[:-1].decode()
        if kind in CDR_KINDS:
            align(struct.calcsize(CDR_KINDS[kind]))
            return body.number(CDR_KINDS[kind])
        return {field: value(of) for of, field in types[kind]}

    def align(size):
        body.take(-body.at % size)

    def value(kind):
        if not kind.endswith("]"):
            return one(kind)
        of, count = kind[:-1].split("[")
        if not count:
            align(4)
        number = int(count) if count else body.number("I")
        if of == "uint8":
            return body.take(number)
        return [one(of) for _ in range(number)]
    message = one(name.replace("/msg/", "/"))
    assert body.at == len(body.data)
    return message
