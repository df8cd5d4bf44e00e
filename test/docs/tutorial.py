#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""tutorial.py FOLDER: follows docs/tutorial.md to the letter, in a new folder, with a clone of this checkout.

It saves what the page says to save, and runs what the page says to run, one block after the other. The block of the
server runs beside the others. Tells how long it took from `git clone` to the first lock, without the packages.
"""
import pathlib
import re
import subprocess
import sys
import time

root = pathlib.Path(__file__).resolve().parents[2]
block = re.compile(r"(?:[Ss]ave this as `([^`]+)`:\n\n(?:<!--.*?-->\n)?)?^```(\w+)([^\n]*)\n(.*?)^```$", re.M | re.S)


def steps(page):
    for saved_as, language, terminal, text in block.findall(page):
        if language == "sh":
            yield ("serve" if "server" in terminal else "run"), text
        elif saved_as:
            yield saved_as, text


# What the page says of a block's output: what the block has, what is told, and what is not.
TOLD = {"kill -STOP": ("with_lock: the lock was lost because", "releasing")}


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: tutorial.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir()  # a new one: nothing that is there already may help
    page = (root / "docs/tutorial.md").read_text()
    server = None
    first_lock = None
    began = time.monotonic()
    try:
        for what, text in steps(page):
            if what == "serve":
                server = subprocess.Popen(["bash", "-c", "exec " + text], cwd=folder, stdout=subprocess.PIPE, text=True)
                print(server.stdout.readline().rstrip(), flush=True)
                if server.poll() is not None:
                    sys.exit("the server ended")
            elif what == "run":
                text = text.replace("git clone ADDRESS", f"git clone -q '{root}'")
                done = subprocess.run(
                    ["bash", "-ec", text], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
                )
                print(f"$ {text.strip()}\n{done.stdout.rstrip()}", flush=True)
                if done.returncode != 0:
                    sys.exit(f"that failed with exit code {done.returncode}")
                for part, (told, not_told) in TOLD.items():
                    if part in text and (told not in done.stdout or not_told in done.stdout):
                        sys.exit(f"the page says that this tells '{told}', and not '{not_told}'")
                if first_lock is None and "holding, token" in done.stdout:
                    first_lock = time.monotonic() - began
            else:
                (folder / what).parent.mkdir(exist_ok=True)
                (folder / what).write_text(text)
    finally:
        if server:
            server.terminate()  # what runs in the background may have been told to ignore Ctrl+C
            server.wait()
    if first_lock is None:
        sys.exit("no lock was taken")
    print(f"from the clone to the first lock: {first_lock:.0f} s")


main()
