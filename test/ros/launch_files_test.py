#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Launch files without any node: what is passed on, remapped and refused, that the pages list their
arguments, and that these are generated from arguments.yaml and the defaults of programs.

    launch_files_test.py PROGRAM

PROGRAM is marsim.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import roslaunch.arg_dump
import roslaunch.config
import yaml
from roslaunch.core import RLException

MARSIM = sys.argv[1]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Packages whose launch files take the arguments of the planners' own; read at the first load.
os.environ["ROS_PACKAGE_PATH"] = os.pathsep.join(
    [os.path.join(ROOT, "test", "ros", "suite", "packages"), os.environ.get("ROS_PACKAGE_PATH", "")])


def path(name):
    return os.path.join(ROOT, "launch", name)


def load(name, *args):
    return roslaunch.config.load_config_default(
        [(path(name), list(args))], None, verbose=False, assign_machines=False)


def params(config):
    return {name: param.value for name, param in config.params.items()}


def remaps(config, node_type):
    for node in config.nodes:
        if node.type == node_type:
            return dict(node.remap_args)
    raise AssertionError("no node " + node_type)


def arguments(name):
    return roslaunch.arg_dump.get_args([path(name)])


class LaunchFiles(unittest.TestCase):
    def test_unknown_clients_are_refused_in_one_line(self):
        for name, known in (("planner.launch",
                             "ego_planner, ego_swarm, ego_planner_v2, fast_planner, fuel, super, mavros"),
                            ("slam.launch", "fast_lio, point_lio, lio_sam, kiss_icp, dlio, openvins, fast_livo2")):
            with self.assertRaises(RLException) as caught:
                load(name, "client:=ego")
            self.assertIn("'client:=ego is unknown, known: %s'" % known,
                          str(caught.exception).splitlines()[0])

    def test_entry_files_need_no_argument(self):
        for name in ("sim.launch", "planner.launch", "slam.launch", "swarm.launch",
                     "obstacles.launch"):
            required = [arg for arg, (_, default) in arguments(name).items() if not default]
            self.assertEqual(required, [], name)

    def test_what_sim_launch_takes_is_not_dropped(self):
        own = {"manager", "fly", "slam_client", "uav_id"}
        for name in ("planner.launch", "slam.launch"):
            self.assertEqual(set(arguments("sim.launch")) - set(arguments(name)) - own -
                             {"rviz_cloud", "rviz_goal"}, set(), name)

    def test_pages_list_every_argument(self):
        for name, page in (("planner.launch", "planners.md"), ("slam.launch", "slam.md")):
            with open(os.path.join(ROOT, "docs", page)) as text:
                text = text.read()
            missing = [arg for arg in arguments(name) if "`%s`" % arg not in text]
            self.assertEqual(missing, [], page)

    def test_rviz_shows_the_planners_cloud_and_sends_it_goals(self):
        got = remaps(load("planner.launch", "rviz:=true"), "rviz")
        self.assertEqual(got["/uav0/points_world"], "/pcl_render_node/cloud")
        self.assertEqual(got["/uav0/goal_2d"], "/move_base_simple/goal")
        got = remaps(load("planner.launch", "client:=super", "rviz:=true"), "rviz")
        self.assertEqual(got["/uav0/points_world"], "/cloud_registered")
        self.assertEqual(got["/uav0/goal_2d"], "/goal")
        got = remaps(load("sim.launch", "rviz:=true"), "rviz")
        self.assertEqual(got["/uav0/goal_2d"], "/uav0/goal_2d")

    def test_ego_planners_camera_sits_where_it_takes_it_to_be(self):
        for client, camera in (("ego_planner", "ego_planner"), ("ego_swarm", "planner"),
                               ("fuel", "planner")):
            got = params(load("planner.launch", "client:=" + client, "depth:=planner"))
            self.assertEqual(got["/uav0/depth_camera/depth"], camera)

    def test_drones_of_ego_planner_v2_share_one_relay(self):
        config = load("planner.launch", "client:=ego_planner_v2", "drone:=3")
        got = remaps(config, "quadrotor")
        self.assertEqual(got["odom"], "/drone_3_visual_slam/odom")
        self.assertEqual(remaps(config, "controller")["command/position"],
                         "/drone_3_planning/pos_cmd")
        self.assertEqual(remaps(config, "lidar")["points_world"], "/drone_3_pcl_render_node/cloud")
        self.assertEqual(params(config)["/topic_relay/to"], "/broadcast_traj_to_planner")
        others = load("planner.launch", "client:=ego_planner_v2", "drone:=1", "beside:=true",
                      "swarm:=line", "swarm_size:=2")
        self.assertNotIn("topic_relay", [node.type for node in others.nodes])
        self.assertEqual(params(others)["/uav1/swarm"], "line")
        self.assertEqual(params(others)["/uav1/swarm_size"], 2)
        self.assertEqual(params(load("planner.launch", "swarm:=line"))["/uav0/swarm"], "line")

    def test_the_planners_of_suites_take_the_arguments_that_they_get(self):
        for program in ("ego_planner.launch", "super.launch"):
            config = load(os.path.join(ROOT, "config", "suites", "programs", program))
            self.assertEqual(config.config_errors, [])

    def test_mavros_has_its_own_names_and_leaves_those_of_the_uav(self):
        config = load("planner.launch", "client:=mavros", "lockstep:=true")
        got = params(config)
        self.assertEqual(got["/uav0/mavros/prefix"], "/mavros")
        self.assertTrue(got["/sim_clock/participants/uav0/mavros"])
        self.assertEqual(remaps(config, "quadrotor")["odom"], "/uav0/odom")
        got = params(load("planner.launch", "client:=mavros", "drone:=1", "nodelets:=true"))
        self.assertEqual(got["/uav1/mavros/prefix"], "/uav1/mavros")
        self.assertEqual(got["/uav1/manager/nodelets/mavros"], "marsim/mavros")
        self.assertNotIn("mavros", [node.type for node in load("planner.launch").nodes])

    def test_on_crash_reaches_every_node_of_a_uav(self):
        ends, respawns, lives_once = (True, False), (False, True), (False, False)
        for name, value, quadrotor, others in (
                ("sim.launch", "end", ends, ends),
                ("uav.launch", "restart", ends, ends),  # refused by the quadrotor
                ("uav.launch", "respawn", lives_once, respawns),
                ("planner.launch", "respawn", lives_once, respawns),
                ("slam.launch", "respawn", lives_once, respawns),
                ("swarm.launch", "respawn", lives_once, respawns)):
            config = load(name, "on_crash:=" + value, "depth:=d455")
            self.assertEqual(params(config)["/uav0/quadrotor/on_crash"], value, name)
            of_uavs = [node for node in config.nodes if node.namespace.startswith("/uav")]
            self.assertEqual(len(of_uavs), 12 if name == "swarm.launch" else 4)
            for node in config.nodes:
                wanted = ends if node not in of_uavs else others
                wanted = quadrotor if node.type == "quadrotor" else wanted
                self.assertEqual((node.required, node.respawn), wanted, (name, node.type))

    def test_controller_none_starts_no_controller(self):
        for name in ("sim.launch", "uav.launch", "planner.launch", "slam.launch", "swarm.launch"):
            self.assertIn("controller", [node.type for node in load(name).nodes], name)
            types = [node.type for node in load(name, "controller:=none").nodes]
            self.assertNotIn("controller", types, name)
            self.assertIn("quadrotor", types, name)
        listed = "/uav0/manager/nodelets/controller"
        self.assertIn(listed, params(load("sim.launch", "nodelets:=true")))
        self.assertNotIn(listed, params(load("sim.launch", "nodelets:=true", "controller:=none")))

    def test_lidar_none_starts_no_lidar(self):
        for name in ("sim.launch", "uav.launch", "planner.launch", "swarm.launch"):
            self.assertIn("lidar", [node.type for node in load(name).nodes], name)
            types = [node.type for node in load(name, "lidar:=none", "camera:=stereo").nodes]
            self.assertNotIn("lidar", types, name)
            self.assertIn("camera", types, name)
        for name in ("/uav0/manager/nodelets/lidar", "/sim_clock/participants/uav0/lidar"):
            given = "nodelets:=true", "lockstep:=true"
            self.assertIn(name, params(load("sim.launch", *given)))
            self.assertNotIn(name, params(load("sim.launch", *given, "lidar:=none")))

    def test_managers_know_of_on_crash(self):
        for name, manager in (("sim.launch", "/uav0/manager"), ("swarm.launch", "/marsim_manager")):
            config = load(name, "on_crash:=respawn", "nodelets:=true")
            self.assertEqual(params(config)[manager + "/on_crash"], "respawn", name)

    def test_on_crash_reaches_the_uavs_of_a_lan(self):
        config = load("lan.launch", "lan:=three_machines", "machine:=alpha", "on_crash:=respawn")
        args = [node.args for node in config.nodes if node.type == "lan_uavs"][0]
        self.assertIn("on_crash=respawn", args.split())
        config = load("lan_manager.launch", "machine:=alpha", "on_crash:=respawn")
        self.assertEqual(params(config)["/alpha_manager/on_crash"], "respawn")

    def test_paths_may_have_blanks(self):
        files = ("lan", "map", "vegetation", "surfaces", "weather", "obstacles", "lidar", "vehicle",
                 "depth", "camera", "controller", "imu", "replay", "record")
        with tempfile.TemporaryDirectory(prefix="one_folder two_folders ") as folder:
            shutil.copytree(os.path.join(ROOT, "launch"), os.path.join(folder, "launch"))
            os.symlink(os.path.join(ROOT, "config"), os.path.join(folder, "config"))
            file = os.path.join(folder, "a file.yaml")
            for name in ("sim.launch", "planner.launch", "slam.launch", "swarm.launch",
                         "obstacles.launch", "lan.launch"):
                taken = set(arguments(name))
                given = ["%s:=%s" % (arg, file) for arg in files if arg in taken]
                given += ["rviz:=true"] if "rviz" in taken else ["machine:=alpha"]
                config = roslaunch.config.load_config_default(
                    [(os.path.join(folder, "launch", name), given)], None, verbose=False,
                    assign_machines=False)
                for node in config.nodes:
                    for word in shlex.split(node.args):
                        self.assertEqual("one_folder" in word, folder in word, (name, word))
            args = [node.args for node in config.nodes if node.type == "lan_uavs"][0]
            for arg in files[1:8]:
                self.assertIn("%s=%s" % (arg, file), shlex.split(args))
            for arg in files[2:6]:
                self.assertEqual(params(config)["/alpha/peer_bridge/" + arg], file)

    def test_slam_settings_follow_the_sensors_file(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "my sensor.yaml")
            shutil.copy(os.path.join(ROOT, "config", "lidar", "mid360.yaml"), copy)
            got = params(load("slam.launch", "lidar:=" + copy, "start_client:=true"))
            self.assertEqual(got["/fast_lio"]["common"]["lid_topic"], "/livox/lidar")
            self.assertEqual(got["/fast_lio"]["preprocess"]["scan_line"], 4)
            self.assertEqual(got["/fast_lio"]["mapping"]["extrinsic_T"],
                             [-0.011, -0.02329, 0.04412])
            self.assertEqual(got["/uav0/quadrotor/imu"], "auto")
            self.assertEqual(got["/uav0/lidar/output"], "auto")
            self.assertEqual(params(load("slam.launch", "output:=livox_custom2"))
                             ["/uav0/lidar/output"], "livox_custom2")


    def test_settings_of_slam_clients_are_parameters_of_their_nodes(self):
        got = params(load("slam.launch", "client:=point_lio", "start_client:=true"))
        self.assertEqual(got["/laserMapping"]["common"]["imu_topic"], "/livox/imu")
        self.assertEqual(got["/laserMapping"]["mapping"]["acc_norm"], 1.0)
        self.assertEqual(got["/uav0/quadrotor/imu"], "auto")
        self.assertEqual(got["/uav0/quadrotor/record_frame"], "imu")
        dlio = load("slam.launch", "client:=dlio", "uav:=uav3")
        self.assertEqual(dict(dlio.nodes[0].remap_args)["/uav3/points"], "/robot/lidar")
        self.assertEqual(dict(dlio.nodes[0].remap_args)["/uav3/imu/data"], "/robot/imu")
        self.assertEqual(params(dlio)["/uav3/quadrotor/record_frame"], "base")
        livo = params(load("slam.launch", "client:=fast_livo2", "start_client:=true"))
        self.assertEqual(livo["/fast_livo"]["common"]["lid_topic"], "/livox/lidar")
        self.assertEqual(livo["/fast_livo"]["laserMapping"]["cam_width"], 752)
        self.assertEqual(livo["/uav0/quadrotor/imu"], "auto")
        openvins = params(load("slam.launch", "client:=openvins"))
        self.assertEqual(openvins["/uav0/camera/camera"], "stereo")
        self.assertEqual(openvins["/uav0/quadrotor/imu"], "vehicle")


class GeneratedArguments(unittest.TestCase):
    """generate_arguments.py, on a copy of the launch files and the page that lists their arguments."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "launch")
        shutil.copytree(os.path.join(ROOT, "launch"), self.folder)
        os.mkdir(os.path.join(folder.name, "docs"))
        shutil.copy(os.path.join(ROOT, "docs", "arguments.md"), os.path.join(folder.name, "docs"))

    def edit(self, name, old, new):
        file = os.path.join(self.folder, name)
        with open(file) as text:
            text = text.read()
        self.assertIn(old, text)
        with open(file, "w") as out:
            out.write(text.replace(old, new, 1))

    def run_script(self, *options, folder=None):
        done = subprocess.run(
            [sys.executable, os.path.join(folder or self.folder, "generate_arguments.py"),
             "--marsim", MARSIM] + list(options), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def defaults(self):
        """Defaults of the arguments that programs read, by name."""
        printed = subprocess.run([MARSIM, "run", "--defaults"], check=True,
                                 stdout=subprocess.PIPE, text=True).stdout
        return dict(re.findall(r"(?m)^(\w+):=(.*)$", printed))

    def test_an_arguments_default_stands_in_one_place(self):
        defaults = self.defaults()
        self.assertGreater(len(defaults), 60)
        with open(path("arguments.yaml")) as file:
            table = yaml.load(file, yaml.BaseLoader)["arguments"]
        for name in defaults:
            self.assertIn("DEFAULT", table[name].get("default", "DEFAULT"), name)
        second = re.compile(r'\b(?:text|flag|number|positive|choice)\(\s*"(\w+)",\s*'
                            r'(?:"[^"]*"|true|false|-?[\d.]+)\s*[,)]')
        found = set()
        for folder, _, files in os.walk(os.path.join(ROOT, "src", "ros")):
            for file in files:
                with open(os.path.join(folder, file)) as text:
                    found |= {(file, name) for name in second.findall(text.read())
                              if name in defaults}
        # A UAV in no swarm, and a folder: these parameters are no launch arguments.
        self.assertEqual(found, {("swarm_params.cpp", "swarm"),
                                 ("scenario_runner_node.cpp", "output")})

    def listed(self, table, file):
        return [arg for entry in file["arguments"] for arg in table["groups"].get(entry, [entry])]

    def test_launch_files_are_as_generated(self):
        code, output = self.run_script("--check", folder=os.path.join(ROOT, "launch"))
        self.assertEqual(code, 0, output)

    def test_page_lists_every_argument_with_its_default(self):
        with open(path("arguments.yaml")) as file:
            table = yaml.load(file, yaml.BaseLoader)["arguments"]
        with open(os.path.join(ROOT, "docs", "arguments.md")) as page:
            rows = dict(re.findall(r"(?m)^\| `(\w+)` \| ([^|]*) \| [^|]+ \| [^|]+ \|$", page.read()))
        self.assertEqual(set(rows), set(table))
        defaults = self.defaults()
        for name, fields in table.items():
            default = fields.get("default", defaults.get(name))
            wanted = "`%s`" % default if default else "required" if default is None else "empty"
            if "$(eval" not in wanted:
                self.assertEqual(rows[name].split("; ")[0], wanted, name)

    def test_ros_args_lists_every_argument_with_its_meaning(self):
        with open(path("arguments.yaml")) as file:
            table = yaml.safe_load(file)
        for name, file in table["files"].items():
            got = arguments(name)
            for arg in self.listed(table, file):
                own = {**table["arguments"][arg], **file.get("differing", {}).get(arg, {})}
                doc = "; ".join(own[key] for key in ("doc", "note") if key in own)
                self.assertEqual(got[arg][0], doc, (name, arg))
        printed = subprocess.run(["roslaunch", "--ros-args", path("sim.launch")], check=True,
                                 stdout=subprocess.PIPE, text=True).stdout
        for arg in self.listed(table, table["files"]["sim.launch"]):
            self.assertRegex(printed, r"(?m)^  %s \(default \"" % arg)

    def test_an_edited_default_is_found_and_put_back(self):
        self.edit("swarm.launch", 'name="lidar" default="mid360"', 'name="lidar" default="avia"')
        code, output = self.run_script("--check")
        self.assertEqual(code, 1, output)
        self.assertTrue(output.startswith("swarm.launch: "), output)
        self.assertEqual(len(output.splitlines()), 1, output)
        self.assertEqual(self.run_script(), (0, "changed swarm.launch\n"))
        self.assertEqual(self.run_script("--check")[0], 0)

    def test_an_argument_of_every_uav_stands_where_it_is_passed_on(self):
        self.edit("arguments.yaml", "each_uav: [lidar,", "each_uav: [fog, lidar,")
        self.edit("arguments.yaml", "\narguments:\n",
                  "\narguments:\n  fog:\n    default: 0.50\n    doc: \"<thick> & \\\"wet\\\"\"\n")
        code, output = self.run_script()
        self.assertEqual(code, 0, output)
        changed = {line.split()[1] for line in output.splitlines()}
        self.assertEqual(changed, {"sim.launch", "uav.launch", "planner.launch", "slam.launch",
                                   "swarm.launch", "docs/arguments.md"})
        for name in changed - {"docs/arguments.md"}:
            got = roslaunch.arg_dump.get_args([os.path.join(self.folder, name)])
            self.assertEqual(got["fog"], ('<thick> & "wet"', "0.50"), name)

    def test_errors_are_one_line_that_names_file_and_field(self):
        for name, old, new, wanted in (
                ("arguments.yaml", "each_uav: [lidar,", "each_uav: [lidr,",
                 "arguments.yaml: groups.each_uav: unknown argument 'lidr', did you mean 'lidar'?"),
                ("arguments.yaml", "arguments: [begin, end]", "arguments: [begin, ends]",
                 "arguments.yaml: files.swarm_member.launch.arguments: unknown argument or group "
                 "'ends', did you mean 'end'?"),
                ("arguments.yaml", "    doc: Number of the first UAV\n", "",
                 "arguments.yaml: arguments.begin.doc: is missing"),
                ("arguments.yaml", "default: 0\n    doc: Number of the first UAV",
                 "doc: Number of the first UAV",
                 "arguments.yaml: arguments.begin.default: is missing; or `required: true`"),
                ("arguments.yaml", "doc: Number of the first UAV", "docs: Number of the first UAV",
                 "arguments.yaml: arguments.begin: unknown key 'docs', did you mean 'doc'?"),
                ("arguments.yaml", "  begin:\n", "  end:\n", ": 'end' stands twice"),
                ("arguments.yaml", "\n  lidar:\n    doc", "\n  lidar:\n    default: avia\n    doc",
                 "arguments.yaml: arguments.lidar.default: stands in src/config/defaults.cpp"),
                ("arguments.yaml", "\n  jump:\n    doc", "\n  leap:\n    doc",
                 "arguments.yaml: arguments.jump: is missing"),
                ("arguments.yaml", "arguments: [begin, end]", "arguments: [begin, end, begin]",
                 "arguments.yaml: files.swarm_member.launch.arguments: 'begin' stands twice"),
                ("arguments.yaml", "default: building", "default: forest",
                 "arguments.yaml: files.slam.launch.differing.map.default: is as in arguments"),
                ("arguments.yaml", "  swarm_member.launch:", "  swarm_members.launch:",
                 "arguments.yaml: files.swarm_member.launch: is missing"),
                ("arguments.yaml", "arguments: [begin, end]", "arguments: [end]",
                 "arguments.yaml: arguments.begin: no launch file has it"),
                ("arguments.yaml", "arguments: [begin, end]", "arguments: [begin, end",
                 "arguments.yaml:"),
                ("sim.launch", "<!-- end of arguments -->", "",
                 "sim.launch: needs the lines '<!-- arguments: "),
                ("sim.launch", "<!-- end of arguments -->",
                 '<!-- end of arguments -->\n  <arg name="fog" default="0"/>',
                 "sim.launch: 'fog' stands outside of the markers; it belongs in arguments.yaml")):
            self.edit(name, old, new)
            code, output = self.run_script()
            self.assertEqual(code, 1, output)
            self.assertEqual(len(output.splitlines()), 1, output)
            self.assertIn(wanted, output)
            shutil.copy(path(name), self.folder)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
