#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`marsim batch`: grids and samples, breaks and going on, failures, Snakemake, bad input.

batch_test.py MARSIM
"""
import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import readers

MARSIM = os.path.abspath(sys.argv.pop(1))
COMMON = """description: A study of a hover
scenario: hover.yaml
"""


class Batch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="marsim_batch_test_")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = cls.temporary.name
        points = [[x * 0.1 + 0.05, y * 0.1 + 0.05, 0.0] for x in range(60) for y in range(40)]
        readers.write_pcd(cls.path("floor.pcd"), points)
        with open(cls.path("hover.yaml"), "w") as file:
            file.write("description: A hover\nmap: floor.pcd\nlidar: vlp16\nstart: [3, 2, 1]\n"
                       "duration: 1s\nchecks: {contacts: {at_most: 0}}\n")

    @classmethod
    def path(cls, *names):
        return os.path.join(cls.folder, *names)

    def study(self, name, text, formats="[tum]"):
        with open(self.path(name), "w") as file:
            file.write("%sformats: %s\n%s" % (COMMON, formats, text))
        return name

    def batch(self, *words, **options):
        return subprocess.run([MARSIM, "batch"] + list(words), cwd=self.folder, text=True,
                              timeout=800, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              **options)

    def done(self, *words):
        run = self.batch(*words)
        self.assertEqual(run.returncode, 0, run.stdout)
        return run.stdout

    def refused(self, text, *words, code=1):
        run = self.batch(*words)
        self.assertEqual(run.returncode, code, run.stdout)
        self.assertEqual(len(run.stdout.strip().split("\n")), 1, run.stdout)
        self.assertIn(text, run.stdout)

    def table(self, *names):
        with open(self.path(*names), newline="") as file:
            return list(csv.DictReader(file))

    def files(self, out):
        """All files of the data sets with their contents."""
        found = {}
        for folder, _, names in os.walk(self.path(out, "data")):
            for name in names:
                if name == ".marsim-lock":
                    continue  # a run that is killed as it ends leaves it
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, self.path(out))] = file.read()
        return found

    GRID = "arguments: {lidar: none}\nvary:\n  seed: [1, 2, 3]\n  wind: ['none', '1,0,0']\n"

    def test_grid(self):
        study = self.study("grid.yaml", self.GRID)
        self.assertIn("6 runs, 0 of them made before, 0 failed",
                      self.done(study, "--out", "grid", "--jobs", "2"))
        index = self.table("grid", "index.csv")
        self.assertEqual([(row["seed"], row["wind"]) for row in index],
                         [(seed, wind) for seed in "123" for wind in ("none", "1,0,0")])
        rows = self.table("grid", "table.csv")
        self.assertEqual([row["run"] for row in rows], ["%06d" % i for i in range(6)])
        self.assertEqual({row["duration_s"] for row in rows}, {"1.0"})
        truth = [self.path("grid", "data", row["run"], "tum", "groundtruth.txt") for row in rows]
        self.assertEqual([len(readers.tum(file)[0]) for file in truth], 6 * [201])
        # A run is made of its file alone.
        single = subprocess.run(
            [MARSIM, "dataset", "--run", self.path("grid", "runs", "000003.yaml"), "--out",
             "single"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True)
        self.assertEqual(single.returncode, 0, single.stdout)
        with open(self.path("single", "summary.json")) as file:
            alone = file.read()
        with open(self.path("grid", "data", "000003", "summary.json")) as file:
            self.assertEqual(file.read(), alone)
        self.assertIn("6 runs, 6 of them made before", self.done(study, "--out", "grid"))
        self.refused("grid: holds another study", self.study(
            "other.yaml", self.GRID.replace("1, 2, 3", "1, 2, 4")), "--out", "grid")

    def test_other_folders_stay_as_they_are(self):
        study = self.study("others.yaml", self.GRID)
        os.makedirs(self.path("theirs", "runs"))
        with open(self.path("theirs", "runs", "000000.yaml"), "w") as file:
            file.write("another's")
        self.refused("theirs: holds 'runs', which the command did not write", study, "--out",
                     "theirs")
        self.assertEqual(os.listdir(self.path("theirs")), ["runs"])
        with open(self.path("theirs", "runs", "000000.yaml")) as file:
            self.assertEqual(file.read(), "another's")

    def test_latin_hypercube(self):
        study = self.study("cube.yaml", "duration: 0.2s\ndesign: latin_hypercube\nruns: 8\n"
                           "arguments: {lidar: none}\nvary:\n  speed: {from: 1, to: 5}\n"
                           "  vehicle: [hummingbird, iris]\n  seed: [1, 2, 3, 4]\n")
        words = self.done(study, "--out", "cube", "--print").strip().split("\n")
        self.assertEqual(len(words), 8)
        index = self.table("cube", "index.csv")
        parts = sorted(int((float(row["speed"]) - 1.0) / 0.5) for row in index)
        self.assertEqual(parts, list(range(8)))
        self.assertEqual(sorted(row["vehicle"] for row in index), 4 * ["hummingbird"] + 4 * ["iris"])
        self.assertEqual(sorted(row["seed"] for row in index), sorted("11223344"))
        self.assertFalse(os.path.exists(self.path("cube", "data")))
        # The commands that it prints are commands of a shell.
        environment = dict(os.environ, PATH=os.path.dirname(MARSIM) + ":" + os.environ["PATH"])
        for word in words[:2]:
            subprocess.run(word, shell=True, check=True, cwd=self.folder, env=environment,
                           stdout=subprocess.DEVNULL)
        self.assertIn("8 runs, 2 of them made before", self.done(study, "--out", "cube"))

    def test_goes_on_after_a_break(self):
        study = self.study("long.yaml", "duration: 1s\nvary:\n  seed: [1, 2, 3, 4, 5, 6]\n",
                           "[tum, pcd]")
        self.done(study, "--out", "whole")
        for number, end in enumerate((signal.SIGKILL, signal.SIGINT)):
            out = "broken_%d" % number
            child = subprocess.Popen([MARSIM, "batch", study, "--out", out], cwd=self.folder,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for _ in range(2000):
                if os.path.exists(self.path(out, "data", "000002")):
                    break
                time.sleep(0.005)
            child.send_signal(end)
            child.wait(60)
            for _ in range(1000):  # what it started ends with it
                if not self.has_processes(out):
                    break
                time.sleep(0.01)
            self.assertFalse(os.path.exists(self.path(out, "table.csv")))
            told = self.done(study, "--out", out)
            self.assertRegex(told, "6 runs, [1-5] of them made before, 0 failed")
            self.assertEqual(self.files("whole"), self.files(out))

    def test_a_folder_in_use_is_refused(self):
        study = self.study("used.yaml", "duration: 1s\nvary:\n  seed: [1, 2, 3]\n",
                           "[tum, pcd]")
        child = subprocess.Popen([MARSIM, "batch", study, "--out", "used"], cwd=self.folder, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        while not os.path.exists(self.path("used", "data", "000000")):
            self.assertIsNone(child.poll())
            time.sleep(0.005)
        self.refused("marsim batch: used: in use by process %d since " % child.pid,
                     study, "--out", "used", "--jobs", "2")
        told, _ = child.communicate(timeout=400)
        self.assertEqual(child.returncode, 0, told)
        self.assertIn("3 runs, 0 of them made before, 0 failed", told)

    def has_processes(self, out):
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/cmdline" % pid, "rb") as file:
                    if b"batch\0" in file.read() and os.readlink("/proc/%s/cwd" % pid) == self.folder:
                        return True
            except OSError:
                pass
        return False

    def test_a_failure_does_not_end_the_others(self):
        study = self.study("fails.yaml", "duration: 0.2s\nvary:\n"
                           "  lidar: [vlp16, nonesuch, mid360]\n", "[pcd]")
        run = self.batch(study, "--out", "fails")
        self.assertEqual(run.returncode, 1)
        self.assertIn("000001: fails/runs/000001.yaml: unknown lidar 'nonesuch'", run.stdout)
        self.assertIn("3 runs, 0 of them made before, 1 failed", run.stdout)
        self.assertEqual([row["run"] for row in self.table("fails", "table.csv")],
                         ["000000", "000002"])

    def test_spoiled_summary(self):
        study = self.study("spoiled.yaml", "duration: 0.1s\narguments: {lidar: none}\nvary: {seed: [1]}\n")
        self.done(study, "--out", "spoiled")
        with open(self.path("spoiled", "data", "000000", "summary.json"), "w") as file:
            file.write("junk")
        run = self.batch(study, "--out", "spoiled")
        self.assertEqual(run.returncode, 1)
        self.assertIn("marsim batch: spoiled/data/000000/summary.json: is no JSON object", run.stdout)
        shutil.rmtree(self.path("spoiled", "data", "000000"))
        self.done(study, "--out", "spoiled")

    def test_changed_files_are_another_study(self):
        """A table of a LiDAR's shots makes other runs, wherever it is named."""
        def write(name, text):
            with open(self.path(name), "w") as file:
                file.write(text)
        write("table.yaml", "name: t\nrange: {min: 0.1m, max: 40m}\nrate: 10Hz\npattern: {kind: csv, "
              "file: shots.csv, points_per_second: 1000}\n")
        write("shots.csv", "azimuth,elevation\n0,-80\n10,-70\n")
        study = self.study("table_study.yaml", "duration: 0.2s\nvary: {lidar: [table.yaml]}\n", "[pcd]")
        self.done(study, "--out", "tables")
        self.assertIn("1 runs, 1 of them made before", self.done(study, "--out", "tables"))
        single = ["--scenario", "hover.yaml", "--lidar", "table.yaml", "--duration", "0.2",
                  "--format", "pcd", "--out", "one_table"]

        def dataset():
            return subprocess.run([MARSIM, "dataset"] + single, cwd=self.folder, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(dataset().returncode, 0)
        self.assertIn("holds this run already", dataset().stdout)
        write("shots.csv", "azimuth,elevation\n0,-80\n10,-75\n")
        self.refused("tables: holds runs of another lidar %s: shots.csv (inputs.txt)"
                     % self.path("table.yaml"), study, "--out", "tables")
        self.assertIn("one_table: holds another run (run.json)", dataset().stdout)

    def test_species_are_inputs(self):
        def write(height):
            with open(self.path("reed.yaml"), "w") as file:
                file.write("kind: stems\nheight: [%s, 0.4]\n" % height)
        write(0.3)
        with open(self.path("reeds.yaml"), "w") as file:
            file.write("stands: [{species: reed.yaml, density: 5}]\n")
        words = [MARSIM, "dataset", "--scenario", "hover.yaml", "--lidar", "none", "--duration", "0.1",
                 "--format", "tum", "--out", "reeds", "vegetation:=reeds.yaml"]

        def dataset():
            return subprocess.run(words, cwd=self.folder, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT).stdout
        self.assertIn("reeds: 0.100 s of flight", dataset())
        with open(self.path("reeds", "run.json")) as file:
            inputs = json.load(file)["inputs"]
        self.assertEqual([line.split()[0] for line in inputs["vegetation"]],
                         ["reeds.yaml", "reed.yaml"])
        self.assertIn("holds this run already", dataset())
        write(0.2)
        self.assertIn("holds another run (run.json)", dataset())

    def test_snakemake(self):
        study = self.study("snake.yaml", "duration: 0.5s\narguments: {lidar: none}\n"
                           "vary: {seed: [1, 2, 3, 4]}\n")
        words = [study, "--out", "snake", "--jobs", "2", "--snakemake"]
        if shutil.which("snakemake") is None:
            self.refused("snakemake is not installed: apt-get install snakemake", *words)
            self.skipTest("snakemake is not installed")
        self.done(study, "--out", "reference")
        child = subprocess.Popen([MARSIM, "batch"] + words, cwd=self.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 start_new_session=True)
        for _ in range(4000):
            if os.path.exists(self.path("snake", "data", "000000", "summary.json")):
                break
            time.sleep(0.01)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait(60)
        self.done(*words, "--", "--unlock")
        self.done(*words, "--", "--rerun-incomplete")
        self.assertEqual(self.files("reference"), self.files("snake"))
        self.assertEqual(self.table("reference", "table.csv"), self.table("snake", "table.csv"))
        self.assertIn("Nothing to be done", self.done(*words))
        planned = self.done(*words, "--", "--forceall", "--dry-run", "--slurm")
        self.assertRegex(planned, r"run +4")

    def test_paths_of_any_letters(self):
        folder = self.path("a{b}: 'c'\n\"d\" # é")
        os.mkdir(folder)
        for name in ("hover.yaml", "floor.pcd"):
            shutil.copy(self.path(name), folder)
        study = self.study(folder + "/letters.yaml", "duration: 0.1s\narguments: {lidar: none}\n"
                           "vary: {seed: [1, 2]}\n")
        out = folder + "/{out}"
        if shutil.which("snakemake"):
            self.done(study, "--out", out, "--snakemake")
        else:
            self.done(study, "--out", out)
        self.assertEqual(len(self.table(out, "table.csv")), 2)
        self.assertIn("2 runs, 2 of them made before", self.done(study, "--out", out))

    def test_bad_input(self):
        self.refused("million.yaml: vary is 1000000 runs, allowed: up to 10000, more with --yes",
                     self.study("million.yaml", "vary:\n  speed: {from: 1, to: 2, steps: 1000}\n"
                                "  resolution: {from: 0.1, to: 0.2, steps: 1000}\n"))
        self.refused("unknown argument of a flight without ROS 'lidra' (did you mean 'lidar'?)",
                     self.study("lidra.yaml", "vary: {lidra: [mid360]}\n"))
        self.refused("unknown formats 'kiti' (did you mean 'kitti'?)",
                     self.study("kiti.yaml", "vary: {seed: [1]}\n", formats="[kiti]"))
        self.refused("vary.speed.steps is 1, allowed: 2 to",
                     self.study("one.yaml", "vary: {speed: {from: 1, to: 2, steps: 1}}\n"))
        self.refused("vary is empty, allowed: a factor or more",
                     self.study("empty.yaml", "vary: {}\n"))
        self.refused("runs is 0, allowed: 1 or more",
                     self.study("none.yaml", "design: latin_hypercube\nvary: {seed: [1]}\n"))
        self.refused("(did you mean 'formats'?)", self.study("slip.yaml",
                                                             "formts: x\nvary: {seed: [1]}\n"))
        self.refused("long.yaml: duration is 1e+300 s, allowed: more than 0, up to 86400 s",
                     self.study("long.yaml", "duration: 1e300\nvary: {seed: [1]}\n"))
        self.refused("both.yaml: scenario is there beside trajectory",
                     self.study("both.yaml", "trajectory: hover.yaml\nvary: {seed: [1]}\n"))
        self.refused("seed.yaml: vary.seed is 'x'", self.study("seed.yaml", "vary: {seed: [x]}\n"))
        self.refused("--jobs is '0', allowed: a whole number from 1 to 1024", "grid.yaml", "--jobs",
                     "0", code=2)
        self.refused("no.yaml", "no.yaml")
        run = subprocess.run([MARSIM, "dataset", "--run", "no.yaml", "--out", "x", "--lidar",
                              "none"], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT)
        self.assertIn("--run is there beside --lidar, allowed: only --out and --threads",
                      run.stdout)


if __name__ == "__main__":
    unittest.main()
