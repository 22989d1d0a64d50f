import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.intent.labels import CATEGORIES, LabelledData, read_labelled
from lab.intent.training import read_shipped_utterances
from vta.errors import InvalidInput
from vta.types.questions import IntentLabel

Read = Callable[[bytes], LabelledData]
ROW = {"id": 1, "question": "什么是栈", "session_id": 5, "category": "简单问题"}


def to_lines(*rows: object) -> bytes:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """What is read from a file of this content, `data.jsonl`."""

    def written(content: bytes) -> LabelledData:
        file = tmp_path / "data.jsonl"
        file.write_bytes(content)
        return read_labelled(file)

    return written


def test_every_class_has_a_chinese_and_a_plain_name() -> None:
    """Each of the six classes is named twice, and no name stands for two."""
    assert sorted(CATEGORIES.values()) == sorted([*IntentLabel, *IntentLabel])
    assert CATEGORIES["情绪闲聊"] is CATEGORIES["emotional_chat"] is IntentLabel.EMOTIONAL_CHAT


def test_previous_turn_is_the_question_before_in_id_order(read: Read) -> None:
    """Without `previous`, a row follows the question of the same session with the next lower id."""
    data = read(
        to_lines(ROW | {"id": 9, "question": "b"}, ROW | {"id": 8, "question": "a"}, ROW | {"session_id": 6})
    )
    assert [(row.question, row.previous) for row in data.rows] == [("a", ""), ("b", "a"), ("什么是栈", "")]


def test_given_previous_and_course_are_kept(read: Read) -> None:
    """`previous` and `course` of a row win over what the session says, also when empty."""
    rows = [ROW, ROW | {"id": 2, "previous": "", "course": "ML"}, ROW | {"id": 3, "previous": "p"}]
    assert [(row.previous, row.course) for row in read(to_lines(*rows)).rows] == [
        ("", ""),
        ("", "ML"),
        ("p", ""),
    ]


def test_blank_questions_are_left_out_and_named(read: Read) -> None:
    """A null or blank question is no row, its line is reported, and it is nobody's previous turn."""
    rows = [ROW, ROW | {"id": 2, "question": None}, ROW | {"id": 3, "question": " "}, ROW | {"id": 4}]
    data = read(to_lines(*rows))
    assert data.blank_lines == (2, 3)
    assert [row.previous for row in data.rows] == ["", "什么是栈"]


def test_a_number_as_question_is_its_text(read: Read) -> None:
    """A question that a spreadsheet made a number is read as text."""
    assert read(to_lines(ROW | {"question": 3.14})).rows[0].question == "3.14"


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({key: value for key, value in ROW.items() if key != "question"}, "question"),
        (ROW | {"question": ["a"]}, "question"),
        (ROW | {"id": "one"}, "id"),
        (ROW | {"id": True}, "id"),
        (ROW | {"session_id": None}, "session_id"),
        (ROW | {"category": "闲聊"}, "category"),
        (ROW | {"category": 3}, "category"),
        (ROW | {"previous": 3}, "previous"),
        (ROW | {"course": {}}, "course"),
        ([ROW], None),
        ("text", None),
    ],
)
def test_a_bad_row_names_file_line_and_field(row: object, field: str | None, read: Read) -> None:
    """A fault in a row is `InvalidInput` with the place of the fault."""
    with pytest.raises(InvalidInput, match="line 3") as caught:
        read(to_lines(ROW) + b"\n\n" + to_lines(row))
    assert (Path(caught.value.path or "").name, caught.value.line, caught.value.field) == (
        "data.jsonl",
        3,
        field,
    )


@pytest.mark.parametrize(
    ("content", "what"),
    [(b"{", "line 1: Invalid JSON"), (b"\xff\xfe", "UTF-8"), (b"", "no labelled question")],
)
def test_a_file_that_is_no_data_is_refused(content: bytes, what: str, read: Read) -> None:
    """Broken JSON, other encodings and empty files are `InvalidInput`."""
    with pytest.raises(InvalidInput, match=what):
        read(content)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """A missing file and an xlsx are `InvalidInput` naming the path."""
    for name in ("none.jsonl", "table.xlsx"):
        with pytest.raises(InvalidInput, match=name):
            read_labelled(tmp_path / name)


def test_shipped_utterances_cover_all_classes_in_both_languages() -> None:
    """The package brings 1,400 English, 300 mixed and 140 Chinese utterances or more, grouped by session."""
    counts: Counter[str] = Counter()
    files = read_shipped_utterances()
    for data in files:
        counts[data.name.removeprefix("utterances_")[:2]] += len(data.rows)
    assert counts["en"] >= 1400
    assert counts["mi"] >= 300
    assert counts["zh"] >= 140
    rows = [row for data in files for row in data.rows]
    assert {row.label for row in rows} == set(IntentLabel)
    assert len({row.session_id for row in rows}) >= 300
    assert sum(bool(row.previous) for row in rows) >= 600
    sessions = [{row.session_id for row in data.rows} for data in files]
    assert len(set.union(*sessions)) == sum(map(len, sessions))


def test_a_weight_is_read_and_is_one_without(read: Read) -> None:
    """A correction may count more than other rows; what is not a sensible weight is refused."""
    rows = read(to_lines(ROW | {"weight": 5}, ROW)).rows
    assert sorted(row.weight for row in rows) == [1, 5]
    for wrong in (0, -1, 1e9, "5", True, None):
        with pytest.raises(InvalidInput) as caught:
            read(to_lines(ROW | {"weight": wrong}))
        assert caught.value.field == "weight"
