#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""check_snippets.py: every C++ block of README.md and docs/*.md stands in a program that the tests build and run.

The line before a fenced cpp block names the program:

    <!-- examples/lock_per_key.cpp -->
    ```cpp
    ...
    ```

The block must stand in that file to the letter, as one run of lines. Indentation that all lines have in common does not
count. With `<!-- examples/quick_start.cpp, whole -->` the block must be the whole file, but for the line of its licence. The
first cpp block of README.md must be such a whole program. A block of another language names the file that it stands in, too. On docs/tutorial.md
and docs/closed_ensemble.md none of these has to: a program in test/docs does what the page says. A block without a language is what a program says.

Prints each mistake as file:line: what to do, and exits with 1 if there was one."""

import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILT = ("examples/", "test/docs/", "test/kit/")  # what CMake builds and the tests run
# Step by step, by a program in test/docs.
FOLLOWED = (pathlib.Path("docs/tutorial.md"), pathlib.Path("docs/closed_ensemble.md"))
NAMES_SOURCE = re.compile(r"<!-- (\S+?)(, whole)? -->")
OTHER_WORDS_FOR_CPP = ("c++", "cc", "cxx", "hpp", "h", "c")
LOOKS_LIKE_CPP = re.compile(r"^ {4,}(.*;|#include .*|(auto|co_await|turnstile::|boost::|asio::).*)$")


def dedented(lines):
    return textwrap.dedent("\n".join(lines)).split("\n")


class Block:
    def __init__(self, line, language, source, whole):
        self.line, self.language, self.source, self.whole = line, language, source, whole
        self.lines = []


def blocks_of(lines, complain):
    """The fenced blocks; complains of C++ that is indented instead."""
    block = None
    told = False  # once for each indented block
    for number, line in enumerate(lines, 1):
        told = told and line.startswith("    ")
        if block is not None:
            if line.strip() == "```":
                yield block
                block = None
            else:
                block.lines.append(line)
        elif line.lstrip().startswith("```"):
            named = NAMES_SOURCE.fullmatch(lines[number - 2].strip()) if number > 1 else None
            block = Block(number, line.strip()[3:].strip(), named and named[1], bool(named and named[2]))
        elif not told and LOOKS_LIKE_CPP.match(line):
            told = True
            complain(number, "this looks like indented C++: fence it as ```cpp, and name its source on the line before")
    if block is not None:
        complain(block.line, "this block has no end: add a line ```")


def check_block(block, complain, is_followed):
    if block.language.lower() in OTHER_WORDS_FOR_CPP:
        complain(block.line, f"write ```cpp for ```{block.language}, so that the block is checked")
        return
    if block.source is None:
        if block.language == "cpp":
            complain(block.line, "no source: put the code into a program, and its name on the line before the block, "
                                 "such as <!-- examples/quick_start.cpp -->")
        elif block.language and not is_followed:
            complain(block.line, f"no source: put this {block.language} into a file that a test uses, and its name on the "
                                 "line before the block, such as <!-- test/install/find_package/CMakeLists.txt -->")
        return
    if block.language == "cpp" and not block.source.startswith(BUILT):
        complain(block.line, f"{block.source} is not run by a test: take a file of {' or '.join(BUILT)}")
        return
    path = ROOT / block.source
    if not path.is_file():
        complain(block.line, f"there is no file {block.source}: mend the name on the line before the block")
        return
    shown = dedented(block.lines)
    source = path.read_text(encoding="utf-8").splitlines()
    if source and "SPDX-License-Identifier:" in source[0]:
        del source[0]
    if block.whole:
        if block.lines != source:
            complain(block.line, f"the block is not the whole of {block.source}: copy the file into it")
        return
    if not any(shown):
        complain(block.line, "the block is empty")
        return
    best = 0
    for start in range(len(source)):
        run = dedented(source[start:start + len(shown)])
        if run == shown:
            return
        alike = next((i for i, (a, b) in enumerate(zip(run, shown)) if a != b), min(len(run), len(shown)))
        best = max(best, alike)
    complain(block.line + 1 + best, f"this line does not stand in {block.source} so: copy the lines from there to the "
                                    f"letter (\"{block.lines[best].strip()}\")")


def main():
    failures = 0
    checked = 0
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        name = page.relative_to(ROOT)

        def complain(line, what):
            nonlocal failures
            failures += 1
            print(f"{name}:{line}: {what}")

        cpp = []
        for block in blocks_of(page.read_text(encoding="utf-8").splitlines(), complain):
            check_block(block, complain, name in FOLLOWED)
            checked += block.source is not None
            if block.language == "cpp":
                cpp.append(block)
        if page == ROOT / "README.md" and not (cpp and cpp[0].whole):
            complain(cpp[0].line if cpp else 1, "the first cpp block of the README must be a whole program: write "
                                                "<!-- examples/quick_start.cpp, whole --> on the line before it")
    if failures:
        sys.exit(1)
    print(f"check_snippets: {checked} blocks stand in their sources")


main()
