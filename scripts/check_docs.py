#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""check_docs.py: what the docs have to hold. Says each fault in a line, and ends with 1 if there is one.

1. Every operation, option, value and error code of the public headers stands in the docs, as code.
2. No sentence has more than 35 words.
3. Every link from one page to another leads to a page and a heading that are there.
4. Every rule of the protocol, such as `Q4`, is stated once, and each that a page of the protocol names is stated.
5. README.md has at most 1,000 words, the pages of the command and of recipes 3,500 each, and all pages for users 30,000 together.
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[1]
headers = root / "include/turnstile"
pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
longest_sentence = 35
most_words = {"README.md": 1000, "docs/command-line.md": 3500, "docs/cookbook.md": 3500, "README.md docs/*.md": 30000}

# Public by the language, and nothing that a user writes.
not_for_users = re.compile(
    r"clear|handle|initiate|get|manner|reads|at_once|within|count|now|requires|basic_\w+|start_\w+|\w+_"
)


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


def private_cut(text):
    """Without what stands between `private:` or `protected:` and the end of the class."""
    return re.sub(r"\n(private|protected):.*?\n\};", "\n};", text, flags=re.S)


def names():
    """(name, the header that has it)"""
    for header in sorted(headers.glob("*.hpp")):
        text = without_comments(header.read_text())
        text = re.sub(r"namespace detail \{.*?\n\} // namespace detail", "", text, flags=re.S)
        text = re.sub(r"namespace detail \{.*?\n\}\n", "", text, flags=re.S)
        public = private_cut(text)
        for body in re.findall(r"enum class \w+[^{;]*\{(.*?)\}", public, flags=re.S):
            for name in re.findall(r"\b([a-z]\w*)\b\s*(?:=[^,]*)?(?:,|$)", body.strip() + ","):
                yield name, header.name
        # A function that returns something, four spaces in: a member.
        for name in re.findall(r"^    (?! )(?:static |constexpr |\[\[nodiscard\]\] )*[\w:<>,&* ]+ [*&]?([a-z]\w*)\(", public, flags=re.M):
            if not not_for_users.fullmatch(name):
                yield name, header.name
        for body in re.findall(r"^struct (?:session_options|participant|identity|lock_usage|session_usage|lock_event|diagnostics) \{(.*?)^\};", public, flags=re.S | re.M):
            for name in re.findall(r"^    [\w:<>, ]+ (\w+)(?:\{[^;]*\}| = [^;]+)?;", body, flags=re.M):
                yield name, header.name


def code_in(page):
    text = page.read_text()
    blocks = re.findall(r"^```.*?^```|^    .*?$", text, flags=re.S | re.M)
    return " ".join(re.findall(r"`([^`\n]+)`", text) + blocks)


def sentences(text):
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    text = re.sub(r"^    .*$", "", text, flags=re.M)
    text = re.sub(r"^(\s*(?:[-*]|\d+\.) )", r"\n\n\1", text, flags=re.M)  # each item begins anew
    for paragraph in re.split(r"\n\s*\n|\n(?=#)|\n(?=\|)|\|", text):
        yield from re.split(r"(?<=[.?!])\**\s+", " ".join(paragraph.split()))


def anchor(heading):
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def links(page):
    text = page.read_text()
    for target in re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r"<(?:img|source)\b[^>]*\bsrc(?:set)?=\"([^\"]+)\"", text):
        if not re.match(r"[a-z]+:", target):
            yield target


def lengths():
    for patterns, most in most_words.items():
        count = sum(len(page.read_text().split()) for pattern in patterns.split() for page in root.glob(pattern))
        if count > most:
            yield f"{patterns}: {count} words, at most {most}"


def rule_faults():
    protocol = [page for page in pages if "docs/internals/protocol" in page.as_posix()]
    stated = [rule for page in protocol for rule in re.findall(r"^- \*\*([A-Z]\d+)\. ", page.read_text(), flags=re.M)]
    for rule in sorted({rule for rule in stated if stated.count(rule) > 1}):
        yield f"docs/internals/protocol: rule {rule} is stated twice"
    for page in protocol:
        named = set(re.findall(r"\b([A-Z]\d+)\b", page.read_text()))
        for rule in sorted(named - set(stated)):
            yield f"{page.relative_to(root)}: names rule {rule}, which no page states"


def unexplained():
    """Codes, conditions and options are explained in a page of their own: a mention elsewhere is not enough."""
    errors = without_comments((headers / "error.hpp").read_text())
    codes = [name for body in re.findall(r"enum class (?:error|condition) \{(.*?)\}", errors, flags=re.S)
             for name in re.findall(r"\b([a-z]\w*)\b", body)]
    options = re.search(r"^struct session_options \{(.*?)^\};", without_comments((headers / "options.hpp").read_text()), flags=re.S | re.M)
    fields = re.findall(r"^    [\w:<>, ]+ (\w+)(?:\{[^;]*\}| = [^;]+)?;", options.group(1), flags=re.M)
    for page, what, wanted in (("operating.md", "code or condition", codes), ("reference.md", "option", fields)):
        there = set(re.findall(r"\w+", code_in(root / "docs" / page)))
        for name in wanted:
            if name not in there:
                yield f"docs/{page}: the {what} `{name}` is missing"


def faults():
    yield from unexplained()
    said = " ".join(code_in(page) for page in pages)
    words = set(re.findall(r"\w+", said))
    for name, header in sorted(set(names())):
        if name not in words:
            yield f"include/turnstile/{header}: no page of docs/ has `{name}`: say what it is in docs/reference.md"
    for page in pages:
        where = page.relative_to(root)
        for sentence in sentences(page.read_text()):
            count = len(sentence.split())
            if count > longest_sentence:
                yield f"{where}: a sentence of {count} words, at most {longest_sentence}: {sentence[:80]}..."
        for target in links(page):
            file, _, heading = target.partition("#")
            path = (page.parent / file).resolve() if file else page
            if not path.exists():
                yield f"{where}: links to {target}, which is not there"
            elif heading and path.suffix == ".md":
                if heading not in map(anchor, re.findall(r"^#+ (.*)$", path.read_text(), flags=re.M)):
                    yield f"{where}: links to {target}, and that page has no such heading"


found = [*faults(), *lengths(), *rule_faults()]
print("\n".join(found) if found else f"docs: {len(set(names()))} names, {len(pages)} pages in order")
sys.exit(1 if found else 0)
