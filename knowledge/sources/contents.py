"""Tables of contents of books and sites: the files of a course in the order of teaching, with titles."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import PurePosixPath
from urllib.parse import unquote

import yaml

from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.documents import Contents

FRONT_MATTER = re.compile(
    r"(?:(?P<mark>---|\+\+\+)[ \t]*\n)?(?P<fields>(?(mark).*?^|(?:title|authors?):[ \t][^\n]*\n"
    r"(?:(?:[a-z]+:[ \t]|[ \t]+\S)[^\n]*\n)*))(?(mark)(?P=mark)[ \t]*(?:\n|\Z)|\n)",
    re.DOTALL | re.MULTILINE,
)
"""YAML or TOML before the text of a page, or the lines up to the first blank one of MultiMarkdown, of which
the first names the title or the author: other lines with a colon are text."""
LARGEST_CONTENTS = 300_000
"""Bytes of a file in YAML."""
MOST_ENTRIES = 10_000
"""Files, lists and mappings of a table of contents."""
LONGEST_TITLE = 200
"""Characters; the rest is cut off."""
_LONGEST_PLACE = 1_000
_WHERE = {
    "_toc": ((),),
    "myst": (("project", "toc"),),
    "mkdocs": (("nav",),),
    "_bookdown": (("rmd_files",),),
    "_quarto": (("book", "chapters"), ("book", "appendices"), ("website", "sidebar")),
}
"""Where the contents stand in the files of Jupyter Book, MyST, MkDocs, bookdown and Quarto."""
_LISTS = frozenset({"_sidebar.md", "summary.md", "toc.md"})
"""Lists of links of docsify, mdBook and GitBook."""
_FILES, _TITLES = ("file", "href", "part", "root"), ("title", "text")
_NUMBER = re.compile(
    r"^(?:nav_order|sidebar_position|weight)[ \t]*[:=][ \t]*(?P<number>-?\d{1,9}(?:\.\d{1,9})?)[ \t]*$",
    re.MULTILINE,
)
"""Of a page among those of its folder: Just the Docs (Jekyll), Docusaurus, Hugo."""
_LINK = re.compile(r"\[(?P<title>[^\[\]\n]*)\]\((?P<target>[^()\n]*)\)")
_ENDING = re.compile(r"\.(?:md|markdown|[qr]md|ipynb|x?html?|txt|rst|pdf|docx|pptx|srt|vtt)", re.IGNORECASE)


def is_contents_file(path: str) -> bool:
    """True if a file of this name is a table of contents in YAML."""
    name = PurePosixPath(path)
    return name.stem in _WHERE and name.suffix in (".yml", ".yaml")


def read_contents_file(text: str, *, path: str) -> Contents:
    """The contents in a file that `is_contents_file`; `InvalidInput` where it is broken or names no file."""
    kind = PurePosixPath(path).stem
    try:
        found = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506  (makes lists, mappings and texts alone)
        entries = [each for keys in _WHERE[kind] for each in _entries_below(found, *keys)]
    except (yaml.YAMLError, RecursionError) as error:
        mark, reason = getattr(error, "problem_mark", None), getattr(error, "problem", None) or str(error)
        fault = Fault("file.not_kind", kind="YAML", reason=reason.partition("\n")[0])
        raise InvalidInput(fault.at(path, mark.line + 1 if mark else None)) from error
    if len(entries) > MOST_ENTRIES:
        raise InvalidInput(Fault("file.too_many_entries", most=MOST_ENTRIES).at(path))
    folder = PurePosixPath(path).parent
    if kind == "mkdocs" and isinstance(found, dict):
        folder /= str(found.get("docs_dir", "docs"))
    if not (contents := _placed(entries, folder)):
        raise InvalidInput(Fault("file.no_contents").at(path))
    return contents


def read_link_list(text: str, *, path: str) -> Contents:
    """The contents in a Markdown file of such a name; empty where most of its lines are something else."""
    if PurePosixPath(path).name.lower() not in _LISTS:
        return ()
    links = ((found["target"].split(' "')[0].strip(" <>"), found["title"]) for found in _LINK.finditer(text))
    contents = _placed(islice(links, MOST_ENTRIES), PurePosixPath(path).parent)
    lines = [line for line in text.splitlines() if line.strip(" \t-") and line[0] not in "#<"]
    return contents if 2 * len(contents) >= len(lines) else ()


def read_tree(text: str, *, path: str) -> Contents:
    """The number that a page's front matter gives it, and the `toctree` of a page of Sphinx, MyST or d2l."""
    front = FRONT_MATTER.match(text)
    own = _NUMBER.search(front["fields"]) if front else None
    tree = _placed(islice(_tree(text), MOST_ENTRIES), PurePosixPath(path).parent)
    return ((f"#{own['number']}", ""), *tree) if own else tree


def place_of(path: str) -> str:
    """A path without its ending; for the first page of a folder, such as `index`, that of the folder."""
    name = PurePosixPath(path)
    place = name.parent / name.stem if _ENDING.fullmatch(name.suffix) else name
    return str(place.parent if place.name.lower() in ("index", "_index", "readme") else place)


def _entries_below(found: object, *keys: str) -> Iterator[tuple[str, str]]:
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return islice(_entries(found), MOST_ENTRIES + 1)


def _entries(value: object) -> Iterator[tuple[str, str]]:
    """The target and title of each file, in order; both are empty for a list or mapping, which counts too."""
    yield value if isinstance(value, str) else "", ""
    if isinstance(value, list):
        for each in value:
            yield from _entries(each)
    elif isinstance(value, dict):
        named = next((each for key in _TITLES if isinstance(each := value.get(key), str)), "")
        for key in _FILES:
            if isinstance(value.get(key), str):
                yield value[key], named
        for key, each in value.items():
            if not isinstance(each, str):
                yield from _entries(each)
            elif len(value) == 1 and key not in _FILES:
                yield each, key  # of MkDocs


def _tree(text: str) -> Iterator[tuple[str, str]]:
    fence = ""
    for line in map(str.strip, text.splitlines()):
        if not fence:
            name = line.lstrip("`~:")
            fence = line.removesuffix(name) if name.strip() in ("{toctree}", "toc") else ""
        elif line.startswith(fence):
            fence = ""
        elif line and not line.startswith(":"):
            title, _, target = line.rpartition("<")
            yield target.rstrip(">"), title


def _placed(entries: Iterable[tuple[str, str]], folder: PurePosixPath) -> Contents:
    """Each place in the course once, with the words of its title."""
    found: dict[str, str] = {}
    for target, title in entries:
        path = unquote(re.split("[?#]", target, maxsplit=1)[0])
        place = place_of(posixpath.normpath(f"{folder}/{path.lstrip('/')}"))
        is_outside = place.startswith("..") or re.search("[:\0]", path)
        if path and not is_outside and len(place) <= _LONGEST_PLACE:
            found.setdefault(place, " ".join(re.sub("[`*\0]", "", title).split())[:LONGEST_TITLE])
    return tuple(found.items())
