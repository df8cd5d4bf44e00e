#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""check_walk.py PROGRAM: compares the files that docs/internals/architecture.md names for an acquire with those that a debugger
finds in its call stacks. PROGRAM is turnstile-integration-tests, built with the function names of a debugger and without
optimization, as the preset `asan` does. Needs gdb."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
page = root / "docs/internals/architecture.md"
# Its second acquire meets a path that is known and free.
test = "a cancelled release releases all the same"

# Where the stacks are looked at: the call, the request, and the grant.
STOPS = ("turnstile::detail::session_locks::acquire", "zoo_amulti", "turnstile::detail::session_locks::on_granted")


def stacks(program: str) -> list[list[str]]:
    """The files of each stop, the innermost call first."""
    commands = ["set pagination off", "set breakpoint pending on", "set print frame-arguments none", "set filename-display absolute"]
    for stop in STOPS:
        commands += [f"break {stop}", "commands", "silent", f"echo \\nstop {stop}\\n", "backtrace 80", "continue", "end"]
    with tempfile.NamedTemporaryFile("w", suffix=".gdb") as script:
        script.write("\n".join([*commands, "run", ""]))
        script.flush()
        told = subprocess.run(
            ["gdb", "-batch", "-nx", "-x", script.name, "--args", program, test],
            capture_output=True, text=True, timeout=300, check=False,
            env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "DEBUGINFOD_URLS": ""})
    if "All tests passed" not in told.stdout:
        sys.exit(f"check_walk: the test did not pass under gdb:\n{told.stdout[-2000:]}{told.stderr[-1000:]}")
    found = []
    for stop in re.split(r"^stop ", told.stdout, flags=re.M)[1:]:
        frames = re.findall(r"^#\d+ .* at (\S+):\d+$", stop, flags=re.M)
        found.append([str(pathlib.Path(f).relative_to(root)) for f in frames
                      if f.startswith((f"{root}/src/", f"{root}/include/"))])
    return found


def walk(all_stacks: list[list[str]]) -> set[str]:
    """The files of the last acquire."""
    def last(innermost: str, *others: str) -> list[str]:
        for stack in reversed(all_stacks):
            if stack and stack[0] == innermost and all(other in stack for other in others):
                return stack
        sys.exit(f"check_walk: no call stack ends in {innermost} and has {', '.join(others)}")

    locks = "src/session/session_locks.cpp"
    down = [last(locks, "src/session/locks/path_lock.cpp"),
            last("src/zookeeper/connection.cpp", "src/protocol/queue/ticket_enqueues.cpp", "src/session/session_impl.hpp")]
    up = last(locks, "src/protocol/queue/lock_queue_grant.cpp")
    return {name for stack in [*down, up] for name in stack}


def told() -> set[str]:
    text = page.read_text()
    part = text[text.index("### The files of this walk"):]
    part = part[:part.index("\n### ", 10)]
    lists = re.findall(r"^(?:\d+\. |   ).*$", part, flags=re.M)
    return {path for line in lists for path in re.findall(r"\]\(\.\./\.\./((?:src|include)/[^)]+)\)", line)}


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    met, listed = walk(stacks(str(pathlib.Path(sys.argv[1]).resolve()))), told()
    for name in sorted(met - listed):
        print(f"check_walk: {name} is in the call stacks, and not in {page.relative_to(root)}")
    for name in sorted(listed - met):
        print(f"check_walk: {page.relative_to(root)} names {name}, which is in no call stack")
    print(f"check_walk: {len(met)} files in the call stacks of an acquire, {len(listed)} on the page")
    return 1 if met != listed else 0


if __name__ == "__main__":
    sys.exit(main())
