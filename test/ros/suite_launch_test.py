#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `marsim suite` writes for roslaunch: its loader reads every run.launch. A program of two lines
stands for roslaunch, so that nothing is started."""
import os
import subprocess
import sys
import tempfile
import unittest

import roslaunch.config

PROGRAM = sys.argv[1]
STAND_INS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "suite", "stand_ins")

SCENARIOS = {
    "goals": """
description: Goals <here> & "there"
map: building
lidar: mid360
start: [1, -2.5, 1.5]
yaw: 90deg
seeds: [18446744073709551615]
fly: {goals: [[3, 0, 1.5]]}
checks: {contacts: {at_most: 0}}
""",
    "swarm": """
description: Several
uavs: 4
swarm: line
checks: {contacts: {at_most: 0}}
""",
    "planner": """
description: A planner and a program of the user's
client: ego_planner
programs: [{file: mine.launch, arguments: {name: "<a> & b"}}]
checks: {contacts: {at_most: 0}}
""",
    "slam": """
description: Odometry
client: fast_lio
lockstep: false
programs: [{package: fast_lio, file: mapping_mid360.launch, arguments: {rviz: "false"}}]
checks: {estimates: [{topic: /Odometry, ate: {at_most: 0.1}}]}
""",
    "refused": """
description: An argument of EGO-swarm's launch file alone
client: ego_planner
programs: [{package: ego_planner, file: run_in_sim.launch, arguments: {obj_num_set: "10"}}]
checks: {contacts: {at_most: 0}}
"""}

MINE = """<launch>
  <arg name="name"/>
  <param name="mine" type="str" value="$(arg name)"/>
</launch>
"""


class SuiteLaunch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="marsim suite ")
        for name, text in SCENARIOS.items():
            cls.write(name + ".yaml", text)
        cls.write("mine.launch", MINE)
        os.mkdir(os.path.join(cls.folder.name, "bin"))
        os.chmod(cls.write("bin/roslaunch", "#!/bin/sh\nexit 3\n"), 0o755)
        environment = dict(os.environ)
        environment["PATH"] = os.path.join(cls.folder.name, "bin") + ":" + environment["PATH"]
        done = subprocess.run([PROGRAM, cls.folder.name, "--out", os.path.join(cls.folder.name, "out"),
                               "--stand-ins", STAND_INS],
                              env=environment, capture_output=True, text=True, timeout=100)
        assert done.returncode == 1, done.stdout + done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def write(cls, name, text):
        path = os.path.join(cls.folder.name, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def run_folder(self, scenario, seed=1):
        return os.path.join(self.folder.name, "out", "runs", scenario, "seed_%d" % seed)

    def load(self, scenario, seed=1):
        path = os.path.join(self.run_folder(scenario, seed), "run.launch")
        return roslaunch.config.load_config_default([(path, [])], None, verbose=False,
                                                    assign_machines=False)

    def params(self, config):
        return {name: param.value for name, param in config.params.items()}

    def test_the_runner_is_in_every_run(self):
        for scenario, seed in (("goals", 2**64 - 1), ("swarm", 1), ("planner", 1), ("slam", 1)):
            config = self.load(scenario, seed)
            runners = [node for node in config.nodes if node.type == "scenario_runner"]
            self.assertEqual(len(runners), 1, scenario)
            self.assertTrue(runners[0].required)
            self.assertEqual(runners[0].namespace, "/")
            params = self.params(config)
            self.assertEqual(params["/scenario_runner/scenario"],
                             os.path.join(self.folder.name, scenario + ".yaml"))
            self.assertEqual(params["/scenario_runner/seed"], str(seed))
            self.assertEqual(params["/scenario_runner/output"], self.run_folder(scenario, seed))

    def test_what_the_scenario_says_reaches_the_nodes(self):
        params = self.params(self.load("goals", 2**64 - 1))
        self.assertEqual(params["/uav0/seed"], str(2**64 - 1))
        self.assertEqual(params["/uav0/map"], "building")
        self.assertEqual(params["/uav0/quadrotor/y"], -2.5)
        self.assertAlmostEqual(params["/uav0/quadrotor/yaw"], 1.5707963267948966)
        self.assertEqual(params["/sim_clock/more_participants"], "/scenario_runner")
        self.assertEqual(params["/sim_clock/pace"], "max")
        self.assertIs(params["/uav0/lockstep"], True)

    def test_each_kind_has_its_nodes(self):
        swarm = self.params(self.load("swarm"))
        self.assertEqual(swarm["/swarm/n"], 4)
        self.assertEqual(swarm["/swarm/swarm"], "line")
        self.assertIn("/uav3/seed", swarm)
        planner = self.params(self.load("planner"))
        self.assertEqual(planner["/mine"], "<a> & b")
        slam = self.params(self.load("slam"))
        self.assertIs(slam["/uav0/lockstep"], False)
        self.assertNotIn("/sim_clock/more_participants", slam)

    def test_a_stand_in_refuses_arguments_that_the_real_launch_file_lacks(self):
        with self.assertRaisesRegex(roslaunch.core.RLException, "obj_num_set"):
            self.load("refused")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
