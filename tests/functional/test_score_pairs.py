"""`vta graph score-pairs`: a line for each pair in order, and faults that name line and column."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from services.cli.graph import read_concept_pairs
from services.cli.main import app
from vta.errors import InvalidInput


@pytest.mark.parametrize(
    ("content", "line", "column"),
    [
        ("", 1, "concept_a"),
        ("concept_a\tlabel\nx\t1\n", 1, "concept_b"),
        ("concept_a\tconcept_a\tconcept_b\n", 1, "concept_a"),
        ("concept_a\tconcept_b\n\ntree\n", 3, "concept_b"),
        ("concept_a\tconcept_b\n \theap\n", 2, "concept_a"),
        ("label\tconcept_a\tconcept_b\n1\ttree\t" + "x" * 201 + "\n", 2, "concept_b"),
        ("concept_a\tconcept_b\n", 2, None),
    ],
)
def test_a_bad_table_is_refused_with_line_and_column(
    content: str, line: int, column: str | None, tmp_path: Path
) -> None:
    """The fault names file, line and, where there is one, the column."""
    file = tmp_path / "pairs.tsv"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput) as fault:
        read_concept_pairs(file)
    assert (fault.value.line, fault.value.field) == (line, column)
    assert f"{file}, line {line}" in fault.value.message
    assert column is None or column in fault.value.message


def test_a_table_is_read_as_written(tmp_path: Path) -> None:
    """Quotes stay, further columns, Windows line ends and a byte order mark do not matter."""
    file = tmp_path / "pairs.tsv"
    file.write_bytes('\ufefflabel\tconcept_b\tconcept_a\r\n1\t"heap"\t树\r\n'.encode())
    assert read_concept_pairs(file) == (("树", '"heap"'),)


def test_pairs_are_scored_in_the_order_given(tmp_path: Path) -> None:
    """One JSON line a pair, repeated pairs repeated, null for a name that the course lacks."""
    notes, table, home = tmp_path / "notes", tmp_path / "pairs.tsv", str(tmp_path / "home")
    notes.mkdir()
    (notes / "1.md").write_text("# Tree\n\nA tree has nodes and one root.\n", encoding="utf-8")
    (notes / "2.md").write_text("# Heap\n\nA heap is a tree whose root is least.\n", encoding="utf-8")
    table.write_text(
        "concept_a\tconcept_b\nheap\ttree\ntree\theap\nmonad\ttree\ntree\theap\n", encoding="utf-8"
    )
    for command in (
        ["course", "add", "ds", "--name", "DS", "--domain", "CS", "--language", "en"],
        ["ingest", "ds", str(notes)],
    ):
        assert CliRunner().invoke(app, [*command, "--home", home]).exit_code == 0
    ran = CliRunner().invoke(app, ["graph", "score-pairs", "ds", str(table), "--home", home])
    rows = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [(row["a"], row["b"]) for row in rows] == [
        ("heap", "tree"),
        ("tree", "heap"),
        ("monad", "tree"),
        ("tree", "heap"),
    ]
    assert rows[2]["score"] is None
    assert rows[1]["score"] == rows[3]["score"] > rows[0]["score"]
