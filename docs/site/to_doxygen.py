#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""usage: to_doxygen.py FILE: writes a page of GitHub's Markdown, or a header, as Doxygen wants it.

Doxygen needs a label at each heading that a link leads to, and labels are of the whole site. Files that the site does not
hold (sources, tests, scripts) are named in place of a link. A page that names a class links to it, and a header that names
a page links to that.
"""

import glob
import os
import re
import sys

HEADING = re.compile(r"^(#+) (.*?)$", re.MULTILINE)
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/")


def label(path: str) -> str:
    """The label of a page: that of docs/internals/protocol/queue.md is internals_protocol_queue."""
    name = re.sub(r"^docs/", "", path).removesuffix(".md").removesuffix("/README")
    return {"README": "contents" if path.startswith("docs/") else "mainpage"}.get(name, name.replace("/", "_").lower())


def anchor(heading: str) -> str:
    """As GitHub makes it."""
    plain = re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", heading).lower())
    return plain.replace(" ", "-")


def label_of(path: str, target: str) -> str:
    """The title of a page has the page's own label."""
    with open(path, encoding="utf-8") as page:
        title = anchor(page.readline().lstrip("# ").rstrip())
    return f"{label(path)}--{target}" if target not in ("", title) else label(path)


def link(path: str, text: str, to: str) -> str:
    text = " ".join(text.replace("`", "").split())  # Doxygen ends a link's text with its line, and shows marks in it
    if "://" in to or to.startswith("mailto:"):
        return f"[{text}]({to})"
    file, _, target = to.partition("#")
    file = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
    if file.endswith(".md") and file.startswith(PAGES):
        return f"[{text}](@ref {label_of(file, target)})"
    if re.fullmatch(r"examples/\w+\.[ch]pp", file): # Doxygen's name of its listing
        listing = os.path.basename(file).replace("_", "__").replace(".", "_8")
        return f"[{text}]({listing}_source.html)"
    return text if os.path.exists(file) else sys.exit(f"{path}: {to} does not exist")


def classes() -> str:
    headers = (open(name, encoding="utf-8").read() for name in glob.glob("include/turnstile/*.hpp") if not name.endswith("testing.hpp"))
    declared = re.compile(r"^(?:class|struct|enum class)(?: TURNSTILE_API)? (\w+)(?: final)? *[:{]", re.MULTILINE)
    return "|".join(name for header in headers for name in declared.findall(header))


def prose(path: str, text: str) -> str:
    text = re.sub(r"^\s*</?(picture|source)\b.*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r'src="docs/([^"]+)"', r'src="\1"', text)
    text = HEADING.sub(lambda found: f"{found[0]} {{#{label_of(path, anchor(found[2]))}}}", text)
    text = re.sub(r"(!\[[^\]]*\])\((?:\S*/)?(\S+)\)", r"\1(\2)", text)
    text = LINK.sub(lambda found: link(path, found[1], found[2]), text)
    of_class = rf"(?<![\[`])`(?:turnstile::)?({classes()})`(?![\]`])"
    lines = (line if line.startswith("#") else re.sub(of_class, r"[\1](@ref turnstile::\1)", line)
             for line in text.split("\n"))
    return "\n".join(lines)


def header(text: str) -> str:
    text = re.sub(r"^ *(TURNSTILE_API )?friend .*;$", "", text, flags=re.MULTILINE)
    return re.sub(r"\b(docs/[\w/-]+\.md)", lambda found: f'@ref {label(found[1])} "{found[1]}"', text)


def main() -> None:
    path = os.path.relpath(sys.argv[1])
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".hpp"):
        return print(header(text), end="")
    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    print("".join(part if part.startswith("```") else prose(path, part) for part in parts))


main()
