#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Connects network interfaces as a hub does, badly: every frame comes late, some never.

lossy_hub.py LOSS DELAY INTERFACE... : a share and seconds. It stands in for `tc netem`, which not
every kernel has. The senders must compute checksums and cut segments themselves (see plain_frames).
"""
import ctypes
import fcntl
import heapq
import random
import select
import socket
import struct
import sys
import time

OUTGOING = 4  # PACKET_OUTGOING: what this machine itself sent
SIOCETHTOOL = 0x8946
SWITCH_OFF = (0x17, 0x1F, 0x24)  # ETHTOOL_STXCSUM, _STSO, _SGSO


def plain_frames(interface):
    """Makes an interface send frames as they would lie on a wire."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for command in SWITCH_OFF:
            value = (ctypes.c_uint32 * 2)(command, 0)  # struct ethtool_value
            request = struct.pack("16sP16x", interface.encode(), ctypes.addressof(value))
            fcntl.ioctl(control, SIOCETHTOOL, request)  # struct ifreq


def run(loss, delay, interfaces):
    ports = []
    for interface in interfaces:
        port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))  # ETH_P_ALL
        port.bind((interface, 0))
        ports.append(port)
    draw = random.Random(1)
    under_way = []  # (due, number, port to leave by, frame)
    number = 0
    print("ready", flush=True)
    while True:
        wait = max(0.0, under_way[0][0] - time.monotonic()) if under_way else 1.0
        for port in select.select(ports, [], [], wait)[0]:
            frame, address = port.recvfrom(65536)
            if address[2] == OUTGOING:
                continue
            for other in ports:
                if other is port or draw.random() < loss:
                    continue
                number += 1
                heapq.heappush(under_way, (time.monotonic() + delay, number, other, frame))
        while under_way and under_way[0][0] <= time.monotonic():
            _, _, port, frame = heapq.heappop(under_way)
            try:
                port.send(frame)
            except OSError:
                pass  # the cable is out


if __name__ == "__main__":
    if sys.argv[1] == "plain":
        plain_frames(sys.argv[2])
    else:
        run(float(sys.argv[1]), float(sys.argv[2]), sys.argv[3:])
