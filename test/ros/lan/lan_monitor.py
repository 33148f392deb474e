#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What one machine of the LAN test sees: a line of JSON five times a second on standard output.

lan_monitor.py MACHINE UAV: {"clock": of this machine's simulation [s], "offset": how far that is
ahead of the kernel's clock, which all machines share here [s], the most within a second, since
messages come late, "age": {uav: of its newest state here [s]}, "seen": {uav: points on it in the
newest scan of this machine's UAV}, "scan": stamp of that scan [s], "places": {uav: its newest place
here [m]}, "counters": {name: value} of the diagnostics of its bridge and clock, from a SIGUSR1 on}.
"""
import array
import collections
import json
import signal
import sys
import threading
import time

import rospy
from diagnostic_msgs.msg import DiagnosticArray
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import PointCloud2

from marsim.msg import Peers

BODY = 0.45  # [m] round a hovering UAV nothing else is


class Monitor:
    def __init__(self, machine, uav):
        self.lock = threading.Lock()
        self.uav = uav
        self.clock = 0.0
        self.offsets = collections.deque()  # (wall, clock - wall) of the last second
        self.states = {}  # uav: (stamp, position)
        self.seen = {}
        self.scan = 0.0
        self.cloud = None
        self.machine = machine
        self.counters = {}
        rospy.Subscriber("/%s/clock" % machine, Clock, self.on_clock, queue_size=1,
                         tcp_nodelay=True)
        rospy.Subscriber("/%s/peers" % machine, Peers, self.on_peers, tcp_nodelay=True)
        rospy.Subscriber("/uav%d/points_world" % uav, PointCloud2, self.on_points)

    def on_clock(self, message):
        with self.lock:
            wall, self.clock = time.monotonic(), message.clock.to_sec()
            self.offsets.append((wall, self.clock - wall))
            while self.offsets[0][0] < wall - 1.0:
                self.offsets.popleft()

    def on_diagnostics(self, message):
        with self.lock:
            for status in message.status:
                if status.name.lstrip("/").startswith(self.machine + "/"):
                    self.counters.update((item.key, item.value) for item in status.values)

    def on_peers(self, message):
        with self.lock:
            for peer in message.peers:
                self.states[peer.id] = (peer.stamp.to_sec(), peer.position)

    def on_points(self, message):
        with self.lock:
            self.cloud = message

    def look(self):
        """Counts the newest scan's points on the others."""
        with self.lock:
            cloud, states = self.cloud, dict(self.states)
        if cloud is None:
            return
        values = array.array("f", cloud.data)  # x y z intensity
        seen = {}
        for uav, (_, (x0, y0, z0)) in states.items():
            if uav != self.uav:
                seen[uav] = sum(1 for x, y, z in zip(values[0::4], values[1::4], values[2::4])
                                if abs(x - x0) < BODY and abs(y - y0) < BODY
                                and abs(z - z0) < BODY)
        self.scan, self.seen = cloud.header.stamp.to_sec(), seen

    def line(self):
        self.look()
        with self.lock:
            return json.dumps({
                "clock": self.clock, "scan": self.scan,
                "offset": max((offset for _, offset in self.offsets), default=0.0),
                "age": {uav: self.clock - stamp for uav, (stamp, _) in self.states.items()},
                "places": {uav: place for uav, (_, place) in self.states.items()},
                "counters": self.counters, "seen": self.seen})


def main():
    machine, uav = sys.argv[1], int(sys.argv[2])
    rospy.init_node("lan_monitor_" + machine, disable_signals=True)
    monitor = Monitor(machine, uav)
    signal.signal(signal.SIGUSR1, lambda *_: rospy.Subscriber(
        "/diagnostics", DiagnosticArray, monitor.on_diagnostics))
    while True:
        print(monitor.line(), flush=True)
        time.sleep(0.2)


if __name__ == "__main__":
    main()
