"""docs/faults.md names tests that exist, and none of the cases that the project promised is missing."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
PROMISED = {9, 10, 11, 12, 15, 19, 22, 23, 24, 25, 26, 41, 52, 53, 55}
ROWS = [line for line in TABLE.splitlines() if re.match(r"\| T\d", line)]


def names_of(path: Path) -> set[str]:
    """The tests of a file: its functions, and the classes that hold or inherit tests."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {each.name for each in body if isinstance(each, kinds) and each.name.lower().startswith("test")}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_every_row_names_tests_that_exist(row):
    """Each by its file and its name."""
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row.split("|")[3])
    assert named
    assert row.count("::") == len(named)
    for file, name in named:
        assert name in names_of(ROOT / file), f"{file}::{name}"


def test_every_promised_case_has_a_row():
    """Once each."""
    cases = [int(case) for row in ROWS for case in re.findall(r"T(\d+)", row.split("|")[1])]
    assert set(cases) >= PROMISED
    assert len(cases) == len(set(cases))
