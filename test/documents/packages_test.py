#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The CMake files, package.xml and the lists of Debian packages name the same packages.

Names are compared without what the three write differently: libfoo-bar-dev, python3-foo-bar,
ros-foo-bar and foo_bar are the same package.
"""
import glob
import os
import re
import sys
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
ALIASES = {
    "eigen": "eigen3", "egl": "opengl", "gl1mesadri": "opengl", "nlohmannjson3": "nlohmannjson",
    "pclall": "pcl", "cairo2": "cairo", "openssl": "ssl", "glfw3": "glfw",
    "opencvcalib3d": "opencv", "opencvfeatures2d": "opencv", "opencvvideo": "opencv",
    "cycloneddstools": "cyclonedds", "nodeletlib": "nodelet", "nodeletlibtools": "nodelet", "messageruntime": "messagegeneration",
}
# Found by a path or a library instead of find_package().
FOUND_OTHERWISE = {"stb": "stb_image.h", "opencv": "opencv2/", "rosbagstorage": "rosbag/bag.h",
                   "lbfgs": "liblbfgs", "apriltag": "apriltag/"}
# Known to one of the three alone.
ONLY_CMAKE = {"threads", "python3", "marsim"}
ONLY_DEBIAN = {"buildessential", "cmake", "ninjabuild", "catkinlint", "xauth", "embree", "rosout"}
ONLY_XML = {"rviz"}  # installed for --rviz alone


def normal(name):
    name = re.sub(r"^(python3-|lib)?(ros-)?", "", name.lower())
    name = re.sub(r"-dev$", "", name)
    name = re.sub(r"[-_]", "", name)
    return ALIASES.get(name, name)


def read(path):
    with open(os.path.join(SOURCE, path)) as file:
        return re.sub(r"#[^\n]*", "", file.read())


def cmake_packages():
    paths = ["CMakeLists.txt", "examples/autonomy/targets.cmake"]
    for folder in ("src", "test", "benchmark", "cmake"):
        paths += glob.glob(os.path.join(SOURCE, folder, "**", "CMakeLists.txt"), recursive=True)
    text = "\n".join(read(path) for path in paths)
    names = re.findall(r"find_package\(([\w-]+)", text)
    names += re.findall(r"pkg_check_modules\(\w+ REQUIRED IMPORTED_TARGET (\S+)\)", text)
    names += re.search(r"find_package\(catkin REQUIRED COMPONENTS([^)]*)", text).group(1).split()
    found = {normal(name) for name in names}
    for name, words in FOUND_OTHERWISE.items():
        if words in text:
            found.add(name)
    return found - ONLY_CMAKE


def main():
    lists = glob.glob(os.path.join(SOURCE, "src", "tools", "debian-packages*.txt"))
    debian = {normal(name) for path in lists for name in read(path).split()}
    tree = xml.etree.ElementTree.parse(os.path.join(SOURCE, "package.xml"))
    keys = {normal(e.text) for e in tree.getroot() if e.tag.endswith("depend")}
    cmake = cmake_packages()
    errors = ["%s is found by CMake, but not in %s" % (name, where)
              for where, known in (("src/tools/debian-packages*.txt", debian), ("package.xml", keys))
              for name in sorted(cmake - known - ONLY_DEBIAN)]
    errors += ["%s is in src/tools/debian-packages*.txt, but not in package.xml" % name
               for name in sorted(debian - keys - ONLY_DEBIAN)]
    errors += ["%s is in package.xml, but not in src/tools/debian-packages*.txt" % name
               for name in sorted(keys - debian - ONLY_XML)]
    print("\n".join(errors) or "%d Debian packages, %d keys, %d of CMake agree" %
          (len(debian), len(keys), len(cmake)))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
