#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A quadrotor that Ctrl-C ends tells the clock so: time goes on for the others at once.

farewell_test.py FOLDER

FOLDER has the programs of the nodes.
"""
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

FOLDER = os.path.abspath(sys.argv.pop(1))
PATIENCE = 30.0  # [s]


class Farewell(unittest.TestCase):
    def test_a_node_that_is_interrupted_leaves_the_clock(self):
        folder = tempfile.TemporaryDirectory(prefix="marsim_farewell_test_")
        self.addCleanup(folder.cleanup)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        os.environ.update(ROS_MASTER_URI="http://127.0.0.1:%d" % port, ROS_IP="127.0.0.1",
                          ROS_HOME=folder.name, ROS_LOG_DIR=folder.name)
        os.environ.pop("ROS_HOSTNAME", None)
        self.start("rosmaster", "--core", "-p", str(port))
        import rosgraph
        import rospy
        self.assertTrue(self.comes(rosgraph.is_master_online))
        from marsim.msg import ClockGrant
        rospy.init_node("farewell_test", disable_signals=True)
        rospy.set_param("/uav1/quadrotor", {"map": "", "ground_z": 0.0, "z": 1.0})
        heard = {"grants": 0, "left": False}

        def on_grant(message):
            heard["grants"] += 1
            heard["left"] = message.who == "/uav1/quadrotor" and message.until.is_zero()

        rospy.Subscriber("/clock_grants", ClockGrant, on_grant)
        self.start(os.path.join(FOLDER, "sim_clock"))
        quadrotor = self.start(os.path.join(FOLDER, "quadrotor"), "__ns:=uav1")
        self.assertTrue(self.comes(lambda: heard["grants"] > 3))
        quadrotor.send_signal(signal.SIGINT)
        self.assertTrue(self.comes(lambda: heard["left"]))
        self.assertEqual(quadrotor.wait(PATIENCE), 0)
        rospy.signal_shutdown("done")

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


if __name__ == "__main__":
    unittest.main()
