#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""marsim.launch.py passes arguments on and declares only those that the program knows; ROS 2's
package `launch` is played by a few lines, as it is not in Debian.
"""
import importlib.util
import os
import subprocess
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(HERE, "..", "..", "launch", "marsim.launch.py")


class Kept:
    def __init__(self, *words, **named):
        self.words, self.named = words, named


def load():
    launch, actions = types.ModuleType("launch"), types.ModuleType("launch.actions")
    launch.LaunchDescription = Kept
    for name in ("DeclareLaunchArgument", "ExecuteProcess", "OpaqueFunction"):
        setattr(actions, name, type(name, (Kept,), {}))
    sys.modules.update({"launch": launch, "launch.actions": actions})
    spec = importlib.util.spec_from_file_location("marsim_launch", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    module = load()
    entries = module.generate_launch_description().words[0]
    names = [entry.words[0] for entry in entries[:-1]]
    context = types.SimpleNamespace(
        launch_configurations={**dict.fromkeys(names, ""), "lidar": "mid360", "wind": "1,0,0"})
    started, = entries[-1].named["function"](context)
    program, *words = started.named["cmd"]
    assert words == ["fly2", "lidar:=mid360", "wind:=1,0,0"], words
    assert os.path.basename(program) == "marsim" and os.path.exists(program), program
    # An unknown name would be told before the wrong value of the last argument.
    told = subprocess.run([sys.argv[1]] + ["%s:=none" % name for name in names if name != "transport"] +
                          ["transport:=tcp"], capture_output=True, text=True).stderr
    assert "unknown" not in told and told.startswith("marsim fly2: "), told
    print("%d arguments" % len(names))
    return 0


if __name__ == "__main__":
    sys.exit(main())
