#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A UAV that Ctrl-C ends says so to the clock, as a process and in a manager: time goes on for others.

farewell_test.py FOLDER_OF_NODES
"""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import local_master
import rosgraph
import rospy
from marsim.msg import ClockGrant

FOLDER = os.path.abspath(sys.argv.pop(1))
PATIENCE = 30.0  # [s]


class Farewell(unittest.TestCase):
    def start(self, *command):
        process = subprocess.Popen(command)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        return process

    def comes(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition() and time.monotonic() < end:
            time.sleep(0.02)
        return condition()

    def test_interrupted_uavs_leave_the_clock(self):
        folder = tempfile.TemporaryDirectory(prefix="marsim_farewell_test_")
        self.addCleanup(folder.cleanup)
        port = local_master.free_port()
        os.environ.update(local_master.environment(port, folder.name))
        os.environ.pop("ROS_HOSTNAME", None)
        self.start("rosmaster", "--core", "-p", str(port))
        self.assertTrue(self.comes(rosgraph.is_master_online))
        rospy.init_node("farewell_test", disable_signals=True)
        self.addCleanup(rospy.signal_shutdown, "done")
        for name in ("/uav1/quadrotor", "/uav2/quadrotor"):
            rospy.set_param(name, {"map": "", "ground_z": 0.0, "z": 1.0})
        rospy.set_param("/uav2/manager/nodelets", {"quadrotor": "marsim/quadrotor"})
        grants = {}
        rospy.Subscriber("/clock_grants", ClockGrant,
                         lambda grant: grants.setdefault(grant.who, []).append(grant.until.to_sec()))
        self.start(os.path.join(FOLDER, "sim_clock"))
        for uav, program in (("uav1", "quadrotor"), ("uav2", "manager")):
            name = "/%s/quadrotor" % uav
            process = self.start(os.path.join(FOLDER, program), "__ns:=" + uav)
            self.assertTrue(self.comes(lambda: len(grants.get(name, [])) > 3), program)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(PATIENCE), 0, program)
            self.assertTrue(self.comes(lambda: grants[name][-1] == 0.0), program)


if __name__ == "__main__":
    unittest.main()
