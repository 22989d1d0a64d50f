"""How much of the passages of real courses is no text of theirs, before and after a change.

.venv/bin/python benchmarks/material_cleaning.py ../shared/data BEFORE AFTER

BEFORE and AFTER are two checkouts whose readers cut the same folders into passages. What counts as a mark is
told by the patterns below, which are not those of the readers. `lines_kept` counts the lines of
prose in Markdown, of eight words and more and without any mark, whose words stand in the passages in order.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

FOLDERS = {
    "d2l": "students/d2l_material",
    "muli_d2l_zh": "fresh/muli_d2l_zh/material",
    "zoomcamp": "fresh/zoomcamp/material",
    "hello_algo_zh": "hello_algo/zh",
    "hello_algo_en": "hello_algo/en",
    "syllabusqa": "fresh/syllabusqa/syllabi",
}
READ = """
import json, pathlib, sys, tempfile
from knowledge.sources.readers import MaterialReader
from vta.ingest.pipeline import ingest
from services.clock import SystemClock
from services.store.engine import sqlite_url
from services.stores import open_stores
from vta.languages import Language
from vta.types.courses import Course, CourseId
course = Course(id=CourseId("c"), name="c", domains=(), language=Language.EN)
reader = MaterialReader(lambda document, course: ((), ()))
with tempfile.TemporaryDirectory() as folder:
    stores = open_stores(sqlite_url(pathlib.Path(folder, "vta.db")), SystemClock())
    stores.courses.add(course)
    ingest([pathlib.Path(sys.argv[1])], course=course, readers=[reader], documents=stores.documents)
    print(json.dumps([pair.answer for pair in stores.documents.pairs(course.id)]))
    stores.close()
"""
_FENCE = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n.*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_SPAN = re.compile(r"`[^`\n]+`|\$[^$]+\$")
_MARKS = re.compile(
    r":[a-z]+:`|:(?:begin|end)_tab:|\[\*\*|\(\*\*|^:::|^!!! |^\?\?\? |^=== \"|\{%|\{\{[<%#]|\{:|\{\w+\}`"
    r"|</?(?:p|div|table|tr|td|br|span|img|a|b|i|center|details|summary|sup|sub|kbd|mark)\b[^<>]*>|<!--"
    r"|!\[[^\]]*\]|\]\((?!https?:|mailto:)[^)\s]*\)|\[\^\w+\]",
    re.MULTILINE | re.IGNORECASE,
)
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+(.*)$", re.MULTILINE)
_INNER_LINK = re.compile(r"\[[^\[\]]*\]\((?!https?:)[^)]*\)")
_TAB_OF_CODE = re.compile(r"^(?:%%tab|#[ ]?@tab)", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z]+|[\u4e00-\u9fff]")
_ADDRESS = re.compile(r"\]\([^)\n]*\)")


def main() -> None:
    """Print one JSON object: for each course the passages before and after, and shares of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    given = parser.parse_args()
    figures = {
        name: {
            when: counted(passages(checkout, given.data / folder), lines(given.data / folder))
            for when, checkout in (("before", given.before), ("after", given.after))
        }
        for name, folder in FOLDERS.items()
    }
    print(json.dumps(figures, indent=2))


def passages(checkout: Path, folder: Path) -> list[str]:
    """The passages of a folder as the readers of a checkout cut it."""
    environment = {**os.environ, "PYTHONPATH": str(checkout.resolve())}
    run = [sys.executable, "-c", READ, str(folder)]
    found = subprocess.run(run, env=environment, capture_output=True, check=True, cwd=checkout)
    answers: list[str] = json.loads(found.stdout)
    return answers


def lines(folder: Path) -> list[str]:
    """The words of lines of prose in a folder's files, those without marks."""
    texts = (file.read_text(encoding="utf-8") for file in sorted(folder.rglob("*.md")))
    prose = (line for text in texts for line in _FENCE.sub("", text).split("\n"))
    plain = (line for line in prose if not (_MARKS.search(line) or "](" in line or line.startswith("#")))
    return [key for line in plain if len((key := words(line)).split()) >= 8]


def counted(texts: Sequence[str], wanted: Sequence[str]) -> dict[str, int | float]:
    """Shares are in per cent, of the passages where nothing else is said."""

    def share(count: int) -> float:
        return round(100 * count / len(texts), 1)

    prose = [_FENCE.sub("", text) for text in texts]
    said = words("\n".join(texts))
    return {
        "passages": len(texts),
        "with_marks": share(sum(bool(_MARKS.search(_SPAN.sub("", text))) for text in prose)),
        "navigation": share(sum(map(is_navigation, prose))),
        "tabs_of_code": share(sum(bool(_TAB_OF_CODE.search(text)) for text in texts)),
        "cut_code": share(
            sum(len(re.findall(r"^[ \t]*(?:```|~~~)", text, re.MULTILINE)) % 2 for text in texts)
        ),
        "end_with_colon": share(sum(text.rstrip().endswith((":", "：")) for text in texts)),
        "lines": len(wanted),
        "lines_kept": sum(line in said for line in wanted),
    }


def is_navigation(text: str) -> bool:
    """Whether three of four items of a passage's lists are links into the course, with little beside."""
    items = _ITEM.findall(text)
    linked = sum(bool(_INNER_LINK.search(item)) for item in items)
    beside = len(words(_INNER_LINK.sub("", text)).split())
    return linked >= 2 and linked >= 0.75 * len(items) and beside < 4 * len(items)


def words(text: str) -> str:
    return " ".join(_WORD.findall(_ADDRESS.sub("]", text))).lower()


if __name__ == "__main__":
    main()
