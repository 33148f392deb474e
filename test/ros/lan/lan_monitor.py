#!/usr/bin/python3
"""What one machine of the LAN test sees: a line of JSON five times a second on standard output.

lan_monitor.py MACHINE UAV: {"wall": of the kernel, which all machines share here [s], "clock": of
this machine's simulation [s], "age": {uav: of its newest state here [s]}, "seen": {uav: points on
it in the newest scan of this machine's UAV}, "scan": stamp of that scan [s]}.
"""
import json
import sys
import threading
import time

import numpy
import rospy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import PointCloud2

from marsim.msg import Peers

BODY = 0.45  # [m] round a hovering UAV nothing else is


class Monitor:
    def __init__(self, machine, uav):
        self.lock = threading.Lock()
        self.uav = uav
        self.clock = self.clock_wall = 0.0
        self.states = {}  # uav: (stamp, position)
        self.seen = {}
        self.scan = 0.0
        rospy.Subscriber("/%s/clock" % machine, Clock, self.on_clock, tcp_nodelay=True)
        rospy.Subscriber("/%s/peers" % machine, Peers, self.on_peers, tcp_nodelay=True)
        rospy.Subscriber("/uav%d/points_world" % uav, PointCloud2, self.on_points)

    def on_clock(self, message):
        with self.lock:
            self.clock, self.clock_wall = message.clock.to_sec(), time.monotonic()

    def on_peers(self, message):
        with self.lock:
            for peer in message.peers:
                self.states[peer.id] = (peer.stamp.to_sec(), peer.position)

    def on_points(self, message):
        values = numpy.frombuffer(message.data, dtype=numpy.float32).reshape(-1, 4)[:, :3]
        with self.lock:
            self.scan = message.header.stamp.to_sec()
            self.seen = {uav: int((numpy.linalg.norm(values - position, axis=1) < BODY).sum())
                         for uav, (_, position) in self.states.items() if uav != self.uav}

    def line(self):
        with self.lock:
            return json.dumps({
                "wall": self.clock_wall, "clock": self.clock, "scan": self.scan,
                "age": {uav: self.clock - stamp for uav, (stamp, _) in self.states.items()},
                "seen": self.seen})


def main():
    machine, uav = sys.argv[1], int(sys.argv[2])
    rospy.init_node("lan_monitor_" + machine, disable_signals=True)
    monitor = Monitor(machine, uav)
    while True:
        print(monitor.line(), flush=True)
        time.sleep(0.2)


if __name__ == "__main__":
    main()
