#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""planted.py check|list|hunt: bugs that are planted on purpose, to see that the tests find them.

A planted bug is an edit of src or tools that leaves a rule out. test/planted/*.toml has them: `text` is what stands in
`file`, exactly once and however its lines are broken, and `bug` is put in its place. `also` has further edits.
`found_by` is "simulation", "machines: NAME OF A TEST" of turnstile-machine-tests, or "command: NAME OF A TEST" of
turnstile-command-tests, which starts real processes and a server.

check                   each edit fits, and its finder is there
list                    all bugs, with what they break
hunt [NAME...] [--part K/N] [--seeds N]
                        plants one bug after the other in a copy of the tree (build/planted), builds its finder, and runs it;
                        --part: the K-th of N parts of all bugs; --seeds: at most so many of the simulation (10,000).
                        A bug without `found_by` is put to the simulation, then to all tests of the machines.
                        The last line sums up; it ends with 1 where a bug is not found
"""
import argparse
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tomllib

root = pathlib.Path(__file__).resolve().parents[1]
tree = root / "build/planted/tree"
build = tree / "build/release"
simulate = build / "test/simulation/turnstile-simulate"
programs = {"machines": build / "test/turnstile-machine-tests", "command": build / "test/command/turnstile-command-tests"}
longest = 600  # seconds of a finder: one that does not end has found the bug


class Fault(Exception):
    """A bug that cannot be planted, or is not found."""


def read_bugs():
    bugs = {}
    for file in sorted((root / "test/planted").glob("*.toml")):
        with file.open("rb") as text:
            for name, bug in tomllib.load(text).items():
                if name in bugs:
                    raise SystemExit(f"planted: {file.name} has {name} once more")
                bugs[name] = bug
    return bugs


def edits_of(bug):
    return [bug, *bug.get("also", [])]


def planted(name, bug, folder):
    """file -> its text with the bug"""
    texts = {}
    for edit in edits_of(bug):
        file = folder / edit["file"]
        if not file.exists():
            raise Fault(f"{name}: there is no {edit['file']}")
        text = texts.get(file) or file.read_text()
        pattern = r"\s+".join(re.escape(word) for word in edit["text"].split())
        fits = len(re.findall(pattern, text))
        if fits != 1:
            raise Fault(f"{name}: its text fits {fits} times in {edit['file']}: {edit['text']}")
        texts[file] = re.sub(pattern, lambda _: edit["bug"], text)
    return texts


def check(bugs):
    tests = "".join(file.read_text() for folder in ("unit/protocol", "command")
                    for file in (root / "test" / folder).rglob("*_test.cpp"))
    tests = re.sub(r'"\s*\n\s*"', "", tests)  # long names stand in several lines
    faults = []
    for name, bug in bugs.items():
        try:
            planted(name, bug, root)
        except Fault as fault:
            faults.append(str(fault))
        finder, _, test = bug.get("found_by", "").partition(": ")
        if finder not in ("", "simulation", *programs) or (test and f'"{test}"' not in tests):
            faults.append(f"{name}: it is found by \"{bug.get('found_by', '')}\", which is not there")
    for fault in faults:
        print(f"planted: {fault}")
    print(f"planted: {len(bugs)} bugs, {len(faults)} faults")
    return not faults


def copy_tree():
    """What is equal keeps its time, so that little is built again."""
    names = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"],
                           check=True, capture_output=True, text=True).stdout.splitlines()
    here = {name for name in names if (root / name).is_file()}
    for old in [file for file in tree.rglob("*") if file.is_file()]:
        if not old.is_relative_to(build) and str(old.relative_to(tree)) not in here:
            old.unlink()
    for name in here:
        target = tree / name
        content = (root / name).read_bytes()
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod((root / name).stat().st_mode)


def run(*command):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace")


def build_finder(program):
    made = run("cmake", "--build", build, "-j", os.cpu_count(), "--target", program.name)
    if made.returncode != 0:
        raise Fault("it does not compile:\n" + made.stdout[-4000:])


def prepare():
    copy_tree()
    # A bug may leave a name without a use.
    made = run("cmake", "--preset", "release", "-S", tree, "-DTURNSTILE_WERROR=OFF")
    if made.returncode != 0:
        raise SystemExit("planted: " + made.stdout[-4000:])


def ends(command):
    """(whether it ends with 0, what it wrote)"""
    try:
        ended = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", timeout=longest)
    except subprocess.TimeoutExpired:
        return False, ""
    return ended.returncode == 0, ended.stdout


def simulated(seeds):
    """How the simulation finds a bug, if it does."""
    build_finder(simulate)
    passes, output = ends([simulate, "--seeds", seeds, "--most-failures", 1])
    if passes:
        return None
    found = re.search(r'"seeds":(\d+)', output)
    return "simulation, " + (f"after {found[1]} seeds" if found else "which did not come to its end")


def tested(test=None, finder="machines"):
    """How these tests find a bug, if they do: all, or one."""
    program = programs[finder]
    build_finder(program)
    one = [re.sub(r"([,\\\[\]*])", r"\\\1", test)] if test else []
    passes, output = ends([program, "--abort", "--reporter", "xml", *one])
    if passes:
        return None
    begun = re.findall(r'<TestCase name="([^"]*)"', output)
    return f"{finder}: " + (html.unescape(begun[-1]) if begun else "a test that did not come to its end")


def hunt_one(name, bug, seeds):
    """Who finds it, after how much. The copy of the tree is as before in the end."""
    texts = planted(name, bug, tree)
    before = {file: file.read_text() for file in texts}
    try:
        for file, text in texts.items():
            file.write_text(text)
        finder, _, test = bug.get("found_by", "").partition(": ")
        found = None
        if finder not in programs:
            found = simulated(seeds)
        if not found and finder != "simulation":
            found = tested(test, finder or "machines")
        if not found:
            raise Fault("NOT FOUND")
        return found
    finally:
        for file, text in before.items():
            file.write_text(text)


def hunt(bugs, seeds):
    prepare()
    if any("machines" in bug.get("found_by", "machines") for bug in bugs.values()) and tested():
        raise SystemExit("planted: the tests of the machines fail without a bug")
    for test in {bug["found_by"] for bug in bugs.values() if bug.get("found_by", "").startswith("command: ")}:
        if tested(test.removeprefix("command: "), "command"):
            raise SystemExit(f"planted: this test fails without a bug: {test}")
    if any(bug.get("found_by", "simulation") == "simulation" for bug in bugs.values()) and simulated(100):
        raise SystemExit("planted: the simulation fails without a bug")
    missed = []
    for name, bug in bugs.items():
        try:
            says = f"found by {hunt_one(name, bug, seeds)}"
        except Fault as fault:
            missed.append(name)
            says = str(fault)
        print(f"{name} ({', '.join(dict.fromkeys(edit['file'] for edit in edits_of(bug)))}): {says}", file=sys.stderr)
    print(json.dumps({"planted": len(bugs), "found": len(bugs) - len(missed), "missed": missed}))
    return not missed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["check", "list", "hunt"])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--part", metavar="K/N")
    parser.add_argument("--seeds", type=int, default=10000, metavar="N")
    asked = parser.parse_args()
    bugs = read_bugs()
    for name in asked.names:
        if name not in bugs:
            parser.error(f"no planted bug is called {name}")
    if asked.part:
        part = re.fullmatch(r"(\d+)/(\d+)", asked.part)
        if not part or not 1 <= int(part[1]) <= int(part[2]):
            parser.error(f"{asked.part} is no part, as 2/18 is")
        asked.names = list(bugs)[int(part[1]) - 1::int(part[2])]
    if asked.names:
        bugs = {name: bugs[name] for name in asked.names}
    if asked.command == "list":
        for name, bug in bugs.items():
            print(f"{name}: {bug['breaks']}")
        return 0
    return 0 if (check(bugs) if asked.command == "check" else hunt(bugs, asked.seeds)) else 1


if __name__ == "__main__":
    sys.exit(main())
