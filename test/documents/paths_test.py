#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every path of the repository that README, CONTRIBUTING or a page of docs names exists, and so does
every heading that a link leads to.

A path stands in backticks, in a link, or in a block without a language. It may begin at the
repository, at include/, include/marsim/ or src/. Braces and stars are expanded: `src/lidar/{cast,image}`.
"""
import glob
import itertools
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs/*.md")
ROOTS = ("", "include", "include/marsim", "src")
FOLDERS = ("benchmark", "cmake", "config", "docs", "examples", "include", "launch", "maps", "msg",
           "src", "srv", "test")
ENDINGS = (".hpp", ".cpp", ".md", ".py", ".launch", ".test", ".glsl", ".msg", ".srv")
PATH = re.compile(r"[\w.{},*-]+(?:/[\w.{},*-]*)+")


def expanded(path):
    """`a/{b,c}` -> a/b, a/c."""
    parts = re.split(r"\{([^}]*)\}", path)
    choices = [part.split(",") if i % 2 else [part] for i, part in enumerate(parts)]
    return ["".join(choice) for choice in itertools.product(*choices)]


def is_ours(path):
    return PATH.fullmatch(path) and (path.split("/")[0] in FOLDERS or path.endswith(ENDINGS))


def exists(path):
    return any(glob.glob(os.path.join(SOURCE, root, path)) for root in ROOTS)


def anchor(heading):
    """As GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def headings(path):
    with open(path) as file:
        return {anchor(line.lstrip("#")) for line in file if re.match(r"#+ ", line)}


def link_error(document, target):
    if re.match(r"\w+:", target):
        return ""
    path, _, heading = target.partition("#")
    file = os.path.normpath(os.path.join(os.path.dirname(document), path)) if path else document
    if not os.path.exists(file):
        return "there is no " + path
    if heading and heading not in headings(file):
        return "%s has no heading '%s'" % (os.path.relpath(file, SOURCE), heading)
    return ""


def errors_of(document):
    language = None  # of the block that a line is in
    with open(document) as file:
        for number, line in enumerate(file, 1):
            place = "%s:%d" % (os.path.relpath(document, SOURCE), number)
            fence = re.match(r"\s*```([\w-]*)", line)
            if fence:
                language = fence.group(1) if language is None else None
                continue
            if language:
                continue
            if language == "":
                named = re.findall(r"[^\s()]+", line)
            else:
                named = [word for span in re.findall(r"`([^`]+)`", line) for word in span.split()]
                for target in re.findall(r"\]\(([^)\s]+)\)", line):
                    error = link_error(document, target)
                    if error:
                        yield "%s: %s" % (place, error)
            for path in named:
                path = path.rstrip(",;:.")
                if is_ours(path):
                    for each in expanded(path):
                        if not exists(each):
                            yield "%s: there is no %s" % (place, each)


def main():
    documents = [path for pattern in DOCUMENTS for path in glob.glob(os.path.join(SOURCE, pattern))]
    errors = [error for document in sorted(documents) for error in errors_of(document)]
    print("\n".join(errors) or "all paths in %d documents exist" % len(documents))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
