"""docs/architecture.md knows the folders, the tables and the import contracts that there are."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from services.store.tables import metadata

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_the_data_model_has_every_table_once():
    model = PAGE.partition("## Data model")[2].partition("## Import")[0]
    named = [name for name in re.findall(r"`(\w+)`", model) if "/" not in name]
    assert sorted(named) == sorted(metadata.tables)


def test_every_folder_that_is_named_exists():
    named = re.findall(r"`((?:vta|intent|knowledge|concept_graph|prompts|services|lab)(?:/\w+)*)`", PAGE)
    assert len(named) > 10
    assert [each for each in named if not (ROOT / each).is_dir()] == []


def test_the_contracts_are_as_many_as_the_linter_has():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = re.findall(r"^\d+\. ", PAGE.partition("## Import contracts")[2], re.MULTILINE)
    assert len(listed) == len(project["tool"]["importlinter"]["contracts"])
