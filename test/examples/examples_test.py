#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Installs the package and builds with it, outside of the source tree, what docs/cpp.md shows."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLES = ["cast_scan", "headless_flight", "hundred_uavs", "own_controller", "own_sensor",
            "pcl_ground"]
PLACES = {"small.yaml": "place: building\nroom_length: 7\nroom_width: 6\nspacing: 8cm\n",
          "large.yaml": "place: building\nroom_length: 24\nroom_width: 28\nspacing: 30cm\n"}


def run(command, folder, **environment):
    return subprocess.run(command, cwd=folder, env=dict(os.environ, **environment), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="marsim_examples_")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.prefix = os.path.join(cls.folder, "prefix")
        cls.environment = {"XDG_CACHE_HOME": os.path.join(cls.folder, "cache")}
        os.environ.pop("MARSIM_DATA_DIR", None)
        done = run([ARGUMENTS.cmake, "--install", ARGUMENTS.build, "--prefix", cls.prefix],
                   cls.folder)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr
        # Only what is installed there is used.
        cls.examples = os.path.join(cls.folder, "examples")
        shutil.copytree(os.path.join(SOURCE, "examples"), cls.examples,
                        ignore=shutil.ignore_patterns("build"))
        for name, text in PLACES.items():
            with open(os.path.join(cls.examples, name), "w") as file:
                file.write(text)

    def configure(self, folder, *options):
        return run([ARGUMENTS.cmake, "-S", ".", "-B", "build", "-G", ARGUMENTS.generator,
                    "-DCMAKE_CXX_COMPILER=" + ARGUMENTS.compiler,
                    "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror " + ARGUMENTS.flags,
                    "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0",
                    "-DCMAKE_PREFIX_PATH=" + self.prefix] + list(options), folder)

    def build(self, folder):
        done = self.configure(folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = run([ARGUMENTS.cmake, "--build", "build"], folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def project(self, name, cmake):
        folder = os.path.join(self.folder, name)
        os.mkdir(folder)
        with open(os.path.join(folder, "CMakeLists.txt"), "w") as file:
            file.write(cmake)
        return folder

    def expect(self, name, pattern, place="small.yaml"):
        done = run([os.path.join("build", name), place], self.examples, **self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, pattern)
        return re.search(pattern, done.stdout)

    def test_examples(self):
        for name in EXAMPLES:
            with open(os.path.join(self.examples, name + ".cpp")) as file:
                self.assertLessEqual(len(file.readlines()), 60, name)
        self.build(self.examples)
        if os.path.isfile(os.path.join(self.prefix, "include", "marsim", "VehicleState.h")):
            node = "own_controller_node"  # test/ros/own_controller.test flies it
            self.assertTrue(os.path.isfile(os.path.join(self.examples, "build", node)))
            for name in (node + ".cpp", node + ".py"):
                with open(os.path.join(self.examples, name)) as file:
                    self.assertLessEqual(len(file.readlines()), 80, name)
        scan = self.expect("cast_scan", r"Mid-360: (\d+) of (\d+) shots .* mean range ([\d.]+) m")
        self.assertGreater(int(scan[1]), 0.8 * int(scan[2]))
        self.assertTrue(0.5 < float(scan[3]) < 10.0)
        with open(os.path.join(self.examples, "scan.pcd"), "rb") as file:
            self.assertIn(b"POINTS " + scan[1].encode(), file.read(1000))
        sensors = self.expect("own_sensor",
                              r"Eight channels: (\d+) of 8000 .*\nFlash 64 x 16: (\d+) of 1024")
        self.assertGreater(int(sensors[1]), 6000)
        self.assertGreater(int(sensors[2]), 900)
        flight = self.expect("headless_flight",
                             r"(\d+) scans, (\d+) points; ([\d.]+) s flown in ([\d.]+) s")
        self.assertAlmostEqual(int(flight[1]), 10.0 * float(flight[3]), delta=1.1)
        self.assertGreater(int(flight[2]), 1000 * int(flight[1]))
        last = self.expect("own_controller", r"4 s .*\n5 s  ([\d.]+) m from the goal")
        self.assertLess(float(last[1]), 0.1)
        if os.path.isfile(os.path.join(self.examples, "build", "pcl_ground")):
            plane = self.expect("pcl_ground", r"map of (\d+) points, (\d+) after the filter; "
                                              r"(\d+) of (\d+) returns on one plane")
            self.assertLess(int(plane[2]), int(plane[1]))
            self.assertGreater(int(plane[3]), 0.1 * int(plane[4]))  # a room: floor or ceiling
        contacts = self.expect("hundred_uavs",
                               r"(\d+) contacts with the map, (\d+) with UAVs; (\d+) untouched",
                               "large.yaml")
        self.assertGreaterEqual(int(contacts[2]), 80)  # most pairs meet, and both notice
        self.assertLess(int(contacts[3]), 20)
        done = run(["build/cast_scan", "small.yaml", "scan.txt"], self.examples,
                   **self.environment)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^cast_scan: [^\n]*scan\.txt[^\n]*\n\Z")

    def test_first_program(self):
        """The first program of docs/cpp.md, its CMakeLists.txt, and the flight in the same map."""
        with open(os.path.join(SOURCE, "docs", "cpp.md")) as file:
            page = file.read()
        cmake = re.search(r"```cmake\n(.*?)```", page, re.S)[1]
        program, flight = re.findall(r"```cpp\n(.*?)```", page, re.S)[:2]
        self.assertLessEqual(len(cmake.splitlines()), 10)
        statements = re.search(r"int main\(\) {(.*)}", program, re.S)[1].count(";")
        self.assertEqual(statements, 4)
        folder = self.project("first_program", cmake)
        with open(os.path.join(folder, "main.cpp"), "w") as file:
            file.write(program.rstrip().rstrip("}") + flight + "}\n")
        self.build(folder)
        done = run([os.path.join("build", "my_program")], folder, **self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        pattern = r"^(\d+) of 20000 shots returned\n5.0 s: x = (.*) m\n\Z"
        self.assertRegex(done.stdout, pattern)
        lines = re.search(pattern, done.stdout)
        self.assertGreater(int(lines[1]), 15000)
        self.assertAlmostEqual(float(lines[2]), 2.0, delta=0.05)

    def test_importer(self):
        """The installed library finds the installed program in which meshes are read."""
        mesh, points = (os.path.join(self.folder, name) for name in ("a.ply", "b.ply"))
        with open(mesh, "w") as file:
            file.write("ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
                       "property float y\nproperty float z\nelement face 1\n"
                       "property list uchar int vertex_indices\nend_header\n"
                       "0 0 0\n4 0 0\n0 4 0\n3 0 1 2\n")
        done = run([os.path.join(self.prefix, "bin", "marsim"), "map", "import", mesh,
                    "--resolution", "0.5", "--out", points], self.folder, **self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("mesh of 1 triangles, 8 m2", done.stdout)

    def components(self, name, component):
        done = self.configure(self.project(
            name, "cmake_minimum_required(VERSION 3.16)\nproject(p CXX)\n"
                  "find_package(marsim 0.2 REQUIRED COMPONENTS core %s)\n"
                  "if(NOT TARGET marsim::%s)\n  message(FATAL_ERROR nothing)\nendif()\n" %
                  (component, component)))
        return done.returncode, " ".join(done.stderr.split())

    def test_component_of_opengl(self):
        code, text = self.components("gl_component", "gl")
        if ARGUMENTS.gl == "1":
            self.assertEqual(code, 0, text)
        else:
            self.assertNotEqual(code, 0)
            self.assertIn("was built without its component 'gl': GLEW", text)

    def test_unknown_component(self):
        code, text = self.components("unknown_component", "physics")
        self.assertNotEqual(code, 0)
        self.assertIn("MARSIM has no component 'physics', known: core, gl, pcl", text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("build", "cmake", "generator", "compiler", "flags", "gl"):
        parser.add_argument("--" + option, required=True)
    ARGUMENTS, rest = parser.parse_known_args()
    ARGUMENTS.build = os.path.abspath(ARGUMENTS.build)
    unittest.main(argv=sys.argv[:1] + rest)
