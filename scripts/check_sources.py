#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""check_sources.py [FOLDER...]: compiles each source of these folders alone.

No unity batch and no precompiled header lends it what it does not include: so builds a user, and no preset. Only the syntax is
checked, with the flags of the source's target. Without an argument: src, tools, examples and bench.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time

root = pathlib.Path(__file__).resolve().parents[1]
build = root / "build/sources"


def commands(folders):
    """The command of each source, once; what a build makes by itself is left out."""
    subprocess.run(["cmake", "-S", root, "--preset", "release", "-B", build, "-DCMAKE_UNITY_BUILD=OFF",
                    "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON", "-DCMAKE_CXX_COMPILER_LAUNCHER="],
                   cwd=root, stdout=subprocess.DEVNULL, check=True)
    found = {}
    for each in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(each["file"])
        if any(source.is_relative_to(root / folder) for folder in folders):
            found.setdefault(source, re.sub(r" -o \S+ -c ", " -fsyntax-only ", each["command"]))
    return found


def compiles(source, command):
    done = subprocess.run(command, shell=True, cwd=build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        print(f"{done.stdout}check_sources: {source.relative_to(root)} does not compile alone", flush=True)
    return done.returncode == 0


def main():
    folders = sys.argv[1:] or ["src", "tools", "examples", "bench"]
    began = time.monotonic()
    all_commands = commands(folders)
    if not all_commands:
        sys.exit(f"check_sources: no source below {', '.join(folders)}")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = list(pool.map(compiles, all_commands.keys(), all_commands.values())).count(False)
    print(f"check_sources: {len(all_commands)} sources, {failed} of them do not compile alone, "
          f"{time.monotonic() - began:.0f} s")
    sys.exit(failed > 0)


main()
