"""Jupyter notebooks: text and code cells in their order, as Markdown; what they printed is left out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from knowledge.sources.dialects import REMOVED_CELLS
from knowledge.sources.markdown import read_markdown
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.documents import SourceDocument

_BOX = re.compile(
    r"<details\b[^<>]*>\s*<summary\b[^<>]*>(?P<title>[\s\S]{0,500}?)</summary\s*>[\s\S]*?(?:</details\s*>|\Z)",
    re.IGNORECASE,
)
_SOLVED = re.compile(r"^[^?？]*(?:\b(?:solutions?|answers?)\b|答案|解答|题解)[^?？]*$", re.IGNORECASE)
_SOLUTION = re.compile(r"^.*\bBEGIN SOLUTION\b[\s\S]*?(?:\bEND SOLUTION\b.*$|\Z)", re.MULTILINE)
_FENCE = re.compile(r"`{3,}")


def read_notebook(text: str, *, path: str) -> SourceDocument:
    """The cells that a reader of the notebook sees, without solutions and tests of exercises.

    `InvalidInput` where the text is no notebook of format 4 (Jupyter since 2015).
    """
    try:
        found = json.loads(text)
        about = found.get("metadata", {})
        language = about.get("language_info", {}).get("name") or about.get("kernelspec", {}).get("language")
        cells = [_cell(each, language or "") for each in found["cells"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        raise InvalidInput(Fault("file.no_notebook").at(path, line)) from error
    return read_markdown("\n\n".join(cell for cell in cells if cell), path=path)


def _cell(cell: Mapping[str, Any], language: str) -> str:
    """A cell as Markdown; empty where it is not shown, or is a solution or a test of an assignment."""
    about = cell.get("metadata", {})
    graded = about.get("nbgrader", {})
    source = cell["source"]
    text = _SOLUTION.sub("", source if isinstance(source, str) else "".join(source)).strip("\n")
    is_skipped = about.get("slideshow", {}).get("slide_type") == "skip"
    if is_skipped or graded.get("solution") or graded.get("grade"):
        return ""
    if not REMOVED_CELLS.isdisjoint(about.get("tags", ())):
        return ""
    if cell["cell_type"] != "code" or not text.strip():
        return _BOX.sub(_without_solution, text) if cell["cell_type"] == "markdown" else ""
    fence = max(["``", *_FENCE.findall(text)], key=len) + "`"
    return f"{fence}{language}\n{text}\n{fence}"


def _without_solution(box: re.Match[str]) -> str:
    return "" if _SOLVED.match(" ".join(box["title"].split())) else box.group()
