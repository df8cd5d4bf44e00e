#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""branch_coverage.py ROOT BUILD [FILE]: the share of branches of src/protocol that was taken, by gcov's notes in BUILD.

File by file and room by room; with FILE, the lines of that file where a branch was not taken. Branches that only an
exception takes do not count, nor those of lines that are braces alone (destructors). What a template's
text becomes for several types counts once. (gcovr 5.2 stops where one function has two line numbers, and a template's
have.)
"""
import collections
import json
import os
import re
import subprocess
import sys

root, build = map(os.path.abspath, sys.argv[1:3])
only = sys.argv[3] if len(sys.argv) > 3 else None
protocol = os.path.join(root, "src", "protocol") + os.sep
taken = collections.defaultdict(int)  # (file, line, number of the branch): how often
sources = {}


def text_of(path, line):
    if path not in sources:
        with open(path, encoding="utf-8") as source:
            sources[path] = source.read().split("\n")
    return sources[path][line - 1]


def read(data):
    found = subprocess.run(["gcov", "--branch-probabilities", "--json-format", "--stdout", data], cwd=build,
                           capture_output=True, text=True, check=True).stdout
    for text in found.splitlines():
        if not text.startswith("{"):
            continue
        for file in json.loads(text)["files"]:
            path = os.path.normpath(os.path.join(build, file["file"]))
            if not path.startswith(protocol):
                continue
            for line in file["lines"]:
                text = text_of(path, line["line_number"])
                if re.fullmatch(r"[\s{}();]*", text):
                    continue
                kept = [branch for branch in line["branches"] if not branch["throw"]]
                for number, branch in enumerate(kept):
                    taken[path, line["line_number"], number] += branch["count"]


for folder, _, files in os.walk(build):
    for name in files:
        if name.endswith(".gcda"):
            read(os.path.join(folder, name))

if only:
    missed = collections.Counter((path, line) for (path, line, _), count in taken.items()
                                 if count == 0 and path.endswith(only))
    for (path, line), count in sorted(missed.items()):
        print(f"{line:5d}  {count} not taken  {text_of(path, line).strip()}")
    sys.exit()

sums = collections.defaultdict(lambda: [0, 0])
for (path, *_), count in taken.items():
    file = path[len(protocol):]
    for key in (file, os.path.dirname(file) + os.sep, "all"):
        sums[key][0] += count > 0
        sums[key][1] += 1
for key, (some, every) in sorted(sums.items(), key=lambda item: (item[0].endswith(".hpp") or item[0].endswith(".cpp"), item[0])):
    print(f"{100 * some / every:6.1f} %  {some:4d} of {every:4d}  {key}")
