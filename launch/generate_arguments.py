#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the arguments of the launch files beside this one, between the markers in each, and the
table of them in docs/arguments.md, from arguments.yaml and `marsim run --defaults`.

    python3 generate_arguments.py [--check] [--marsim PROGRAM]

It names the files that it changes. With --check it changes none and fails where one would. The
program is ./marsim of the source tree, which builds first, unless another one is given.
"""
import argparse
import difflib
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree
from xml.sax.saxutils import quoteattr

import yaml

FOLDER = pathlib.Path(__file__).resolve().parent
TABLE = "arguments.yaml"
PAGE = "docs/arguments.md"
BEGIN = "<!-- arguments: from arguments.yaml, by generate_arguments.py -->"
END = "<!-- end of arguments -->"
BLOCK = re.compile(r"^( *)%s\n(.*?)^ *%s$" % (re.escape(BEGIN), re.escape(END)), re.M | re.S)


class Error(Exception):
    pass


class Loader(yaml.BaseLoader):  # every scalar is text: 1.0 stays 1.0
    def construct_mapping(self, node, deep=False):
        result = super().construct_mapping(node, deep)
        seen = set()
        for key, _ in node.value:
            if key.value in seen:
                raise Error("%s:%d: '%s' stands twice" %
                            (TABLE, key.start_mark.line + 1, key.value))
            seen.add(key.value)
        return result


def unknown(where, what, name, known):
    near = difflib.get_close_matches(name, known, 1)
    return Error("%s: %s: unknown %s '%s'%s" % (TABLE, where, what, name,
                                                ", did you mean '%s'?" % near[0] if near else ""))


def mapping(value, where, known=None):
    """`value`, which must be a mapping, with keys out of `known` only."""
    if not isinstance(value, dict):
        raise Error("%s: %s: must be a mapping" % (TABLE, where))
    for key in value if known else ():
        if key not in known:
            raise unknown(where, "key", key, known)
    return value


def names(value, where):
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise Error("%s: %s: must be a list of names" % (TABLE, where))
    return value


def argument(fields, where, known=("default", "required", "doc")):
    """The fields of an argument, or those in which it differs, checked."""
    for field, text in mapping(fields, where, known).items():
        if not isinstance(text, str) or (not text and field != "default"):
            raise Error("%s: %s.%s: must be a text" % (TABLE, where, field))
    if fields.get("required", "true") != "true":
        raise Error("%s: %s.required: must be true where it is given" % (TABLE, where))
    if "default" in fields and "required" in fields:
        raise Error("%s: %s: has a default and is required; one of them" % (TABLE, where))
    return fields


def read_defaults(program):
    """The defaults of the arguments that programs read, by name."""
    try:
        printed = subprocess.run([program, "run", "--defaults"], check=True, text=True,
                                 stdout=subprocess.PIPE).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise Error("%s run --defaults: %s" % (program, error))
    return dict(line.split(":=", 1) for line in printed.splitlines() if line)


def fill_in(name, fields, defaults):
    """Puts the default that programs have in the place of DEFAULT."""
    text = fields.get("default")
    if name in defaults and text is not None:
        value = defaults[name]
        fields["default"] = value if text == "DEFAULT" else text.replace("DEFAULT", repr(value))


def read_table(path, defaults):
    try:
        table = yaml.load(path.read_text(encoding="utf-8"), Loader)
    except yaml.MarkedYAMLError as error:
        raise Error("%s:%d: %s" % (TABLE, error.problem_mark.line + 1, error.problem))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise Error("%s: %s" % (TABLE, " ".join(str(error).split())))
    parts = ("arguments", "groups", "files")
    mapping(table, "the file", parts)
    for part in parts:
        mapping(table.get(part), part)
    arguments, groups = table["arguments"], table["groups"]
    for name in sorted(set(defaults) - set(arguments)):
        raise Error("%s: arguments.%s: is missing" % (TABLE, name))
    for name, fields in arguments.items():
        where = "arguments." + name
        if name in defaults and "DEFAULT" not in mapping(fields, where).setdefault("default", "DEFAULT"):
            raise Error("%s: %s.default: stands in src/config/defaults.cpp" % (TABLE, where))
        argument(fields, where)
        fill_in(name, fields, defaults)
        if "doc" not in fields:
            raise Error("%s: %s.doc: is missing" % (TABLE, where))
        if not {"default", "required"} & set(fields):
            raise Error("%s: %s.default: is missing; or `required: true`" % (TABLE, where))
        if name in groups:
            raise Error("%s: groups.%s: is the name of an argument" % (TABLE, name))
    for group, members in groups.items():
        for name in names(members, "groups." + group):
            if name not in arguments:
                raise unknown("groups." + group, "argument", name, arguments)
    table["defaults"] = defaults
    return table


def arguments_of(name, table):
    """The arguments of launch file `name`: (name, fields) in order."""
    arguments, groups = table["arguments"], table["groups"]
    where = "files.%s.arguments" % name
    file = mapping(table["files"][name], "files." + name, ("arguments", "differing"))
    chosen = {}
    for entry in names(file.get("arguments"), where):
        if entry not in groups and entry not in arguments:
            raise unknown(where, "argument or group", entry, list(arguments) + list(groups))
        for each in groups.get(entry, [entry]):
            if each in chosen:
                raise Error("%s: %s: '%s' stands twice" % (TABLE, where, each))
            chosen[each] = dict(arguments[each])
    where = "files.%s.differing" % name
    for each, fields in mapping(file.get("differing", {}), where).items():
        if each not in chosen:
            raise unknown(where, "argument", each, chosen)
        at = "%s.%s" % (where, each)
        for field, text in argument(fields, at, ("default", "required", "doc", "note")).items():
            if chosen[each].get(field) == text:
                raise Error("%s: %s.%s: is as in arguments" % (TABLE, at, field))
        if "required" in fields:
            chosen[each].pop("default", None)
        chosen[each].update(fields)
        fill_in(each, chosen[each], table["defaults"])
    return list(chosen.items())


def doc_of(fields):
    return "; ".join(fields[key] for key in ("doc", "note") if key in fields)


def line(name, fields):
    default = " default=" + quoteattr(fields["default"]) if "default" in fields else ""
    return "<arg name=%s%s doc=%s/>\n" % (quoteattr(name), default, quoteattr(doc_of(fields)))


def between_markers(name, text, lines):
    """`text` with the lines between its markers, indented like these."""
    if len(BLOCK.findall(text)) != 1:
        raise Error("%s: needs the lines '%s' and '%s', once" % (name, BEGIN, END))
    return BLOCK.sub(lambda match: "".join(match.group(1) + each
                                           for each in [BEGIN + "\n"] + lines + [END]), text)


def shown(fields, table):
    """A default as the page shows it."""
    if "default" not in fields:
        return "required"
    text = fields["default"]
    if not text.startswith("$(eval"):
        return "`%s`" % text if text else "empty"
    words = re.sub(r"'[^']*'", "", text)  # without quoted text
    return "follows from " + ", ".join("`%s`" % name for name in table["arguments"]
                                       if re.search(r"\b%s\b" % name, words))


def page_rows(table):
    """The table of the page: every argument with its default and meaning, and where they differ."""
    rows = ["\n", "| argument | default | meaning | launch files |\n", "| --- | --- | --- | --- |\n"]
    files = {name: dict(arguments_of(name, table)) for name in table["files"]}
    for name, fields in table["arguments"].items():
        defaults, docs = [shown(fields, table)], [fields["doc"]]
        takers = [file for file in files if name in files[file]]
        for file in takers:
            own = files[file][name]
            if shown(own, table) != defaults[0]:
                defaults.append("%s: %s" % (file, shown(own, table)))
            for key in ("doc", "note"):
                if own.get(key, fields["doc"]) != fields["doc"]:
                    docs.append("%s: %s" % (file, own[key]))
        cells = ["`%s`" % name, "; ".join(defaults), "; ".join(docs),
                 ", ".join(file[:-len(".launch")] for file in takers)]
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n")
    return rows + ["\n"]


def generated(name, text, table):
    """The text of launch file `name` with its arguments between the markers."""
    arguments = arguments_of(name, table)
    text = between_markers(name, text, [line(*each) for each in arguments])
    try:
        launch = xml.etree.ElementTree.fromstring(text)
    except xml.etree.ElementTree.ParseError as error:
        raise Error("%s: %s" % (name, error))
    own = [arg.get("name") for arg in launch.findall("arg") if "value" not in arg.attrib]
    for each in own:
        if own.count(each) > 1 or each not in dict(arguments):
            raise Error("%s: '%s' stands outside of the markers; it belongs in %s" %
                        (name, each, TABLE))
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--check", action="store_true",
                        help="change nothing; fail where a file is not as generated")
    parser.add_argument("--marsim", default=str(FOLDER.parent / "marsim"), metavar="PROGRAM",
                        help="the program marsim (default: ./marsim of the source tree)")
    options = parser.parse_args()
    check = options.check
    table = read_table(FOLDER / TABLE, read_defaults(options.marsim))
    there = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.launch")}
    for name in sorted(there ^ set(table["files"])):
        raise Error("%s: files.%s: %s" % (TABLE, name, "is missing" if name in there else
                                          "there is no such launch file"))
    paths = {name: FOLDER / name for name in sorted(there)}
    old = {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
    new = {name: generated(name, text, table) for name, text in old.items()}
    unused = set(table["arguments"]) - {arg for name in new for arg, _ in arguments_of(name, table)}
    for name in sorted(unused):
        raise Error("%s: arguments.%s: no launch file has it" % (TABLE, name))
    paths[PAGE] = FOLDER.parent / PAGE
    old[PAGE] = paths[PAGE].read_text(encoding="utf-8")
    new[PAGE] = between_markers(PAGE, old[PAGE], page_rows(table))
    changed = [name for name in new if new[name] != old[name]]
    for name in changed:
        if check:
            print("%s: its arguments are not those of %s: run %s" %
                  (name, TABLE, pathlib.Path(__file__).name), file=sys.stderr)
        else:
            paths[name].write_text(new[name], encoding="utf-8")
            print("changed " + name)
    if not changed:
        print("the arguments of %d launch files are those of %s" % (len(there), TABLE))
    return 1 if check and changed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Error as failure:
        sys.exit("generate_arguments.py: %s" % failure)
