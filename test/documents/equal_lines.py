#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fails where as many equal lines of code as LENGTH stand in two places of the folders.

Lines are compared without white space at their ends. Blank lines, comments and includes are no code,
and neither are the arguments that launch/generate_arguments.py writes into launch files.
"""
import pathlib
import re
import sys

LENGTH = 12
FOLDERS = ("src", "include", "launch")
HASH_COMMENTS = (".py", ".txt", ".yaml", "")  # CMakeLists.txt, programs without a suffix
GENERATED = re.compile(r"<!-- arguments: .*?<!-- end of arguments -->", re.S)
COMMENTS = {"//": re.compile(r"/\*.*?\*/|//[^\n]*", re.S),
            "#": re.compile(r"^\s*#[^\n]*", re.M),
            "<": re.compile(r"<!--.*?-->", re.S)}


def blank(match):
    return "\n" * match.group().count("\n")


def code_lines(path):
    """(line of code, its number in the file) for every one of the file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".launch":
        text = COMMENTS["<"].sub(blank, GENERATED.sub(blank, text))
    else:
        text = COMMENTS["#" if path.suffix in HASH_COMMENTS else "//"].sub(blank, text)
    lines = ((line.strip(), number) for number, line in enumerate(text.splitlines(), 1))
    return [each for each in lines if each[0] and not each[0].startswith(("#include", "#pragma once"))]


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    paths = sorted(path for folder in FOLDERS for path in (root / folder).rglob("*")
                   if path.is_file() and path.suffix != ".pyc")
    files = [(path.relative_to(root), code_lines(path)) for path in paths]
    first, found, told = {}, 0, set()  # told: pairs of places inside a finding that was printed
    for index, (path, lines) in enumerate(files):
        for at in range(len(lines) - LENGTH + 1):
            block = tuple(line for line, _ in lines[at:at + LENGTH])
            other, start = first.setdefault(block, (index, at))
            if (other, start) == (index, at) or (other, start, index, at) in told:
                continue
            its = files[other][1]
            length = 0
            while (at + length < len(lines) and start + length < len(its)
                   and lines[at + length][0] == its[start + length][0]):
                told.add((other, start + length, index, at + length))
                length += 1
            print("%s:%d and %s:%d: %d equal lines of code" %
                  (files[other][0], its[start][1], path, lines[at][1], length))
            found += 1
    if not found:
        print("no %d equal lines of code in two places of %d files" % (LENGTH, len(files)))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
