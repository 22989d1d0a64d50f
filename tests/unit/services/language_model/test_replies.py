"""What is read from a reply that nobody vouches for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.language_model.failures import (
    ENDLESS,
    GARBAGE,
    TIMED_OUT,
    WITHHELD,
    Failure,
)
from services.language_model.replies import (
    StreamedAnswer,
    StreamedPiece,
    read_completion,
    read_piece,
    well_formed,
)
from vta.types.language_model import Completion


def reply(content: object, finish: object = "stop", **more: object) -> Any:
    return {"choices": [{"message": {"content": content}, "finish_reason": finish}], **more}


def piece(content: object = None, finish: object = None) -> Any:
    return {"choices": [{"delta": {"content": content}, "finish_reason": finish}]}


@pytest.mark.parametrize("usage", [None, "many", {"prompt_tokens": -1, "completion_tokens": "x"}])
def test_what_the_server_does_not_say_is_the_model_asked_for_and_no_tokens(usage: object) -> None:
    assert read_completion(reply("yes", model=None, usage=usage), model="m") == Completion(
        text="yes", model="m"
    )


def test_an_answer_longer_than_its_tokens_allow_has_no_end() -> None:
    assert read_completion(reply("x" * 11), model="m", longest=10) is ENDLESS
    answer = StreamedAnswer(longest=10)
    assert [answer.add(piece("x" * 10)), answer.add(piece("x"))] == ["x" * 10, ENDLESS]


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (piece("a"), StreamedPiece(text="a")),
        (piece(None, "stop"), StreamedPiece(text="", finish="stop")),
        ({"choices": []}, StreamedPiece(text="")),
        ({"choices": [{"delta": None, "finish_reason": None}]}, StreamedPiece(text="")),
        (piece("a", ""), StreamedPiece(text="a")),
        ("words", GARBAGE),
        ({"choices": "x"}, GARBAGE),
        (piece({"a": 1}), GARBAGE),
        (piece("a", 3), GARBAGE),
        (piece("a", "content_filter"), WITHHELD),
    ],
)
def test_a_chunk_is_a_piece_or_a_failure(sent: object, read: StreamedPiece | Failure) -> None:
    assert read_piece(sent) == read


def test_blanks_wait_for_the_first_word() -> None:
    answer = StreamedAnswer()
    assert [answer.add(piece(text)) for text in ("\n", " ", "a", " ", "b")] == ["", "", "\n a", " ", "b"]


def test_a_stream_is_whole_after_its_finish_reason_and_nothing_later_counts() -> None:
    answer = StreamedAnswer()
    answer.add(piece("a"))
    assert answer.add(piece(None, "stop")) == ""
    assert answer.add(TIMED_OUT) == ""
    assert answer.add(piece("late")) == ""
    assert answer.end() == ""


def test_a_lone_surrogate_becomes_a_replacement_character() -> None:
    assert well_formed("a\ud800b") == "a\ufffdb"


@given(st.text(alphabet=st.characters()))
def test_text_always_comes_out_encodable_and_good_text_unchanged(text: str) -> None:
    out = well_formed(text)
    out.encode()
    assert out == text or any("\ud800" <= c <= "\udfff" for c in text)
