"""Tables of contents of books and sites, each kind as its tool writes it."""

from __future__ import annotations

import io
from itertools import pairwise

import factories as make
import pytest

from knowledge.sources.contents import LARGEST_CONTENTS, MOST_ENTRIES, place_of
from services.reading.readers import build_readers
from vta.errors import InvalidInput
from vta.types.documents import CourseDocument

JUPYTER_BOOK = """
format: jb-book
root: welcome
parts:
- caption: Basics
  numbered: true
  chapters:
  - file: basics/stack.md
    title: Stacks and their uses
    sections:
    - file: basics/queue
- caption: More
  chapters: [{glob: more/*}, {url: "https://example.org", title: Site}, {file: more/heap.ipynb}]
"""
MYST = """
version: 1
project:
  title: Lists
  toc:
  - file: welcome.md
  - title: Basics
    children: [{file: basics/stack.md, title: "`Stacks` and their uses"}, {file: basics/queue.md}]
  - file: more/heap.md
"""
MKDOCS = """
site_name: Lists
markdown_extensions:
- emoji: {index: !!python/name:material.twemoji }
nav:
- Home: index.md
- welcome.md
- Basics:
  - Stacks and their uses: basics/stack.md
  - basics/queue.md
- More: [{Heaps: more/heap.md}, {Site: "https://example.org"}]
"""
BOOKDOWN = """
book_filename: lists
rmd_files: ["welcome.Rmd", "basics/stack.Rmd", "basics/queue.Rmd", "more/heap.Rmd"]
"""
QUARTO = """
project: {type: book}
book:
  title: Lists
  author: [{name: Ann}]
  chapters:
  - welcome.qmd
  - part: Basics
    chapters: [{text: Stacks and their uses, file: basics/stack.qmd}, basics/queue.qmd]
  appendices: [more/heap.qmd]
"""
QUARTO_SITE = """
website:
  sidebar:
  - title: Course
    contents:
    - href: welcome.qmd
    - section: Basics
      contents: [{text: Stacks and their uses, href: basics/stack.qmd}, basics/queue.qmd]
  - contents: [more/heap.qmd]
"""
SUMMARY = """# Summary

[Home](README.md)
[Welcome](welcome.md)

# Basics

- [Stacks and their uses](basics/stack.md)
  - [Queues](<./basics/queue.md> "Queues")
- [Not written yet]()
---
* [Heaps](more/heap.md#top)
"""
SIDEBAR = """<!-- docs/_sidebar.md -->

* [Home](/)
* [Welcome](/welcome)
* Basics
  * [Stacks and **their** uses](/basics/stack)
  * [Queues](basics/queue.md?id=1)
* [Heaps](more/heap/)
* [Site](https://example.org)
"""
BOMB = "a: &a []\n" + "".join(f"{b}: &{b} [{f'*{a},' * 9}]\n" for a, b in pairwise("abcdefgh")) + "nav: *h"
NAMED = ["welcome", "basics/stack", "basics/queue", "more/heap"]


def read(path: str, text: str) -> CourseDocument:
    reader = next(each for each in build_readers() if each.handles(path))
    return reader.read(io.BytesIO(text.encode()), path=path, course=make.course())


@pytest.mark.parametrize(
    ("path", "text", "folder"),
    [
        ("_toc.yml", JUPYTER_BOOK, ""),
        ("book/_toc.yml", JUPYTER_BOOK, "book/"),
        ("myst.yml", MYST, ""),
        ("site/mkdocs.yaml", MKDOCS, "site/docs/"),
        ("mkdocs.yml", f"docs_dir: text\n{MKDOCS}", "text/"),
        ("_bookdown.yml", BOOKDOWN, ""),
        ("_quarto.yml", QUARTO, ""),
        ("_quarto.yml", QUARTO_SITE, ""),
        ("src/SUMMARY.md", SUMMARY, "src/"),
        ("docs/_sidebar.md", SIDEBAR, "docs/"),
    ],
)
def test_the_files_are_named_in_order(path: str, text: str, folder: str) -> None:
    """Places are relative to the file, or to the folder of its pages; links to other sites are none."""
    document = read(path, text)
    wanted = [f"{folder}{each}" for each in NAMED]
    assert [place for place, _ in document.contents if place in wanted] == wanted
    assert not any("example.org" in place for place, _ in document.contents)
    assert document.pairs == ()
    if "uses" in text:
        assert dict(document.contents)[wanted[1]] == "Stacks and their uses"


def test_a_page_with_a_toctree_is_a_page_and_contents() -> None:
    """Of Sphinx, MyST and d2l; a page that holds nothing else is no longer refused."""
    tree = "# Lists\n\n```{toctree}\n:maxdepth: 2\n\nstack\nQueues <more/queue.md>\n```\n"
    assert read("basics/index.md", tree).contents == (("basics/stack", ""), ("basics/more/queue", "Queues"))
    page = read("basics/index.md", f"{tree}\nA list has an order.\n\n```toc\n:maxdepth: 1\n\nheap\n```\n")
    assert [pair.answer for pair in page.pairs] == ["A list has an order."]
    assert [place for place, _ in page.contents] == ["basics/stack", "basics/more/queue", "basics/heap"]


@pytest.mark.parametrize("front", ["nav_order: 2", "sidebar_position: 2", "title: A\nweight: 2"])
def test_the_number_of_a_page_is_its_contents(front: str) -> None:
    """Of Just the Docs, Docusaurus and Hugo; one in the text is text."""
    page = read("a/b.md", f"---\n{front}\n---\n\nx\n\n---\n\nnav_order: 3\n")
    assert page.contents == (("#2", ""),)
    assert read("a/_index.md", f"---\n{front}\n---\n").pairs == ()


def test_a_summary_in_words_is_a_page() -> None:
    """A link in it makes no table of contents."""
    text = "# Summary\n\nA stack is a list.\n\nA queue is one too, see [heaps](heap.md).\n\nSo is this.\n"
    page = read("SUMMARY.md", text)
    assert page.contents == ()
    assert len(page.pairs) == 1


@pytest.mark.fault(case="T152")
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nav: [a.md", "mkdocs.yml, line 1: not readable as YAML"),
        ("nav: \x01", "mkdocs.yml: not readable as YAML"),
        ("- a.md", "names no files"),
        ("site_name: Lists", "names no files"),
        ("nav: [../../secret.md, '', {Site: 'https://example.org'}]", "names no files"),
        ("nav: " + "[" * 3000, "recursion"),
        ("nav: &a [*a]", "recursive"),
        (BOMB, "entries"),
        ("nav:\n" + "- a.md\n" * (MOST_ENTRIES + 1), "entries"),
        ("# " + "a" * LARGEST_CONTENTS, "bytes"),
    ],
)
def test_a_broken_file_is_refused_by_name(text: str, says: str) -> None:
    with pytest.raises(InvalidInput, match=says) as refused:
        read("mkdocs.yml", text)
    assert "mkdocs.yml" in refused.value.message


def test_nothing_that_a_course_file_refuses_comes_of_contents() -> None:
    """No NUL and no endless title or path, so that an export of the course stays possible."""
    text = f'nav: [{{"Two\\0 lists": a.md}}, "b\\0.md", {{{"t" * 300}: c.md}}, {"p" * 2000}.md]'
    assert read("mkdocs.yml", text).contents == (("docs/a", "Two lists"), ("docs/c", "t" * 200))


def test_a_file_is_known_without_its_ending() -> None:
    """Numbers after a dot are no ending; the first page of a folder is known by the folder."""
    paths = ("a/b.md", "a/b.Rmd", "1.1 Stack", "1.1 Stack.ipynb", "a/index.md", "a/README.md", "index.qmd")
    assert [place_of(path) for path in paths] == ["a/b", "a/b", "1.1 Stack", "1.1 Stack", "a", "a", "."]
