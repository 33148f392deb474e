# SPDX-License-Identifier: BSD-3-Clause
"""A ROS master of a test's own: its port and the environment of its nodes."""
import os
import random
import socket


def free_port():
    """A TCP port that is free now. It lies below the kernel's range for outgoing connections
    (32768 on Linux), so that no connection takes it before the master does."""
    while True:
        port = random.randrange(20000, 32768)
        with socket.socket() as probe:
            try:
                probe.bind(("", port))
                return port
            except OSError:
                continue


def environment(port, folder):
    """The environment of nodes that use the master on that port and log into the folder."""
    of_nodes = dict(os.environ, ROS_MASTER_URI="http://127.0.0.1:%d" % port, ROS_IP="127.0.0.1",
                    ROS_LOG_DIR=os.path.join(folder, "log"))
    of_nodes.pop("ROS_HOSTNAME", None)
    return of_nodes
