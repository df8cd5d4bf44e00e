#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""usage: check_site.py FOLDER: fails where a link of the site's pages leads to no file, or to no place in it."""

import html.parser
import os
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, path: str) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: set[str] = set()
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if value and (name == "id" or (tag == "a" and name == "name")):
                self.places.add(value)
            elif value and name in ("href", "src", "data"):
                self.links.add(value)


def main() -> int:
    folder = sys.argv[1]
    pages = {name: Page(os.path.join(folder, name)) for name in sorted(os.listdir(folder)) if name.endswith(".html")}
    broken = []
    links = 0
    for name, page in pages.items():
        for link in sorted(page.links):
            to = urllib.parse.urlsplit(link)
            if to.scheme or link.startswith("$"):
                continue
            links += 1
            file = urllib.parse.unquote(to.path) or name
            place = urllib.parse.unquote(to.fragment)
            if not os.path.exists(os.path.join(folder, file)):
                broken.append(f"{name}: {link}: no such file")
            elif place and file in pages and place not in pages[file].places:
                broken.append(f"{name}: {link}: no such place")
    print("\n".join(broken))
    print(f"site: {len(pages)} pages, {links} links, {len(broken)} broken")
    return 1 if broken or not pages else 0


sys.exit(main())
