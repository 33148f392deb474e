#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A flight controller of one's own as a ROS node: it holds its place and flies to `goal`. With
simulation: marsim run sim.launch controller:=none, then: own_controller_node.py __ns:=uav0"""
import numpy as np
import rospy
from geometry_msgs.msg import PoseStamped
from marsim.msg import MotorSpeeds, VehicleState

# The Hummingbird, from config/vehicle/hummingbird.yaml.
MASS = 0.716                                # [kg]
INERTIA = np.array([0.007, 0.007, 0.012])   # [kg m^2]
THRUST = 8.54858e-6                         # [N/(rad/s)^2]
TORQUE = 1.36777e-7                         # [N m/(rad/s)^2]
FASTEST = 838.0                             # [rad/s]
ROTORS = np.array([[0.17, 0.0], [0.0, 0.17], [-0.17, 0.0], [0.0, -0.17]])  # [m] x, y
SPINS = np.array([-1.0, 1.0, -1.0, 1.0])    # +1 counter-clockwise from above
# Squares of the rotor speeds to thrust and torques about x, y and z.
WRENCH = np.array([np.full(4, THRUST), THRUST * ROTORS[:, 1], -THRUST * ROTORS[:, 0],
                   -TORQUE * SPINS])
SQUARES = np.linalg.inv(WRENCH)


def vector(v):
    return np.array([v.x, v.y, v.z])


def rotation(q):
    x, y, z, w = q.x, q.y, q.z, q.w
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def motor_speeds(state, goal):
    """Proportional and derivative terms of position and attitude, yaw zero (Lee et al., CDC 2010),
    with far goals cut short."""
    R_WB = rotation(state.pose.orientation)
    way = goal - vector(state.pose.position)
    way /= max(1.0, np.linalg.norm(way))
    a = 4.0 * way - 3.5 * vector(state.velocity) + [0.0, 0.0, 9.81]
    z = a / np.linalg.norm(a)
    y = np.cross(z, [1.0, 0.0, 0.0])
    y /= np.linalg.norm(y)
    E = R_WB.T @ np.column_stack([np.cross(y, z), y, z])
    error = 0.5 * np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]])
    dw = [120, 120, 15] * error - [18, 18, 6] * vector(state.angular_velocity)
    squares = SQUARES @ np.concatenate([[MASS * a @ R_WB[:, 2]], INERTIA * dw])
    return np.sqrt(np.clip(squares, 0.0, FASTEST ** 2))


class OwnController:
    def __init__(self):
        self.goal = None
        self.placements = 0
        self.publisher = rospy.Publisher("motor_speeds", MotorSpeeds, queue_size=100,
                                         tcp_nodelay=True)
        rospy.Subscriber("goal", PoseStamped, self.on_goal)
        rospy.Subscriber("state", VehicleState, self.on_state, queue_size=100, tcp_nodelay=True)

    def on_goal(self, goal):
        self.goal = vector(goal.pose.position)

    def on_state(self, state):
        """Every state is answered, by its stamp and placements: in lockstep time waits for that."""
        if state.placements != self.placements:
            self.goal = vector(state.pose.position)
        self.placements = state.placements
        answer = MotorSpeeds(speeds=motor_speeds(state, self.goal), placements=state.placements)
        answer.header.stamp = state.header.stamp
        self.publisher.publish(answer)


rospy.init_node("own_controller")
controller = OwnController()
rospy.spin()
