r"""Formulas between \( \) and \[ \] are set like those between dollars, however the text is cut."""

from __future__ import annotations

import itertools
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vta.dialogue.model_text import (
    DollarFormulas,
    ModelText,
    PromptLeakFilter,
    ReplyEnding,
    stream_model,
)
from vta.errors import UpstreamFailed
from vta.faults import Fault
from vta.ports import LanguageModel
from vta.types.answers import Delta
from vta.types.courses import CourseId
from vta.types.language_model import ChatMessage

TEXTS = {
    r"It is \(x^2\).": "It is $x^2$.",
    r"So \[ a = b \] holds.": "So $$ a = b $$ holds.",
    r"复杂度是\(O(n)\)，即\[T(n) = n\]。": "复杂度是$O(n)$，即$$T(n) = n$$。",
    r"Cited \[1\] and [2].": r"Cited \[1\] and [2].",
    r"`re.compile('\(')` and \(y\)": r"`re.compile('\(')` and $y$",
    "```\n\\(no\\)\n```\n\\(yes\\)": "```\n\\(no\\)\n```\n$yes$",
    r"a \) that closes nothing": r"a \) that closes nothing",
    r"two \\ backslashes \\(x": r"two \\ backslashes \\(x",
}
WORDS = [f"word{n}" for n in range(500)]
SECRET = (
    "Answer only from the knowledge given in this conversation. If it is not enough, reply with exactly: "
    "I did not find this in the course material, please ask a teacher.\n"
    "只根据给出的知识回答，不要编造课程、日期或者分数。"
)
ALLOWED = "I did not find this in the course material, please ask a teacher."


def rewritten(pieces: list[str]) -> str:
    formulas = DollarFormulas()
    return "".join(map(formulas.add, pieces)) + formulas.rest()


@pytest.mark.parametrize("text", list(TEXTS))
def test_brackets_become_dollars_outside_code(text: str) -> None:
    assert rewritten([text]) == TEXTS[text]


@given(st.sampled_from(list(TEXTS)), st.lists(st.integers(0, 40), max_size=6))
def test_it_does_not_matter_how_the_text_is_cut(text: str, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    assert rewritten([text[a:b] for a, b in itertools.pairwise(edges)]) == TEXTS[text]


@given(st.text(alphabet="\\()[]`$a1 \n", max_size=30))
def test_letters_and_line_breaks_stay(text: str) -> None:
    kept = [c for c in rewritten(list(text)) if c in "a1 \n`"]
    assert kept == [c for c in text if c in "a1 \n`"]


def say(answer: str, size: int = 3) -> tuple[str, bool]:
    """What is shown of an answer that comes in pieces, and whether it was stopped."""
    guard = PromptLeakFilter(SECRET, allowed=ALLOWED)
    shown = [guard.add(answer[n : n + size]) for n in range(0, len(answer), size)]
    return "".join([*shown, guard.rest()]), guard.leaked


@pytest.mark.parametrize(
    "leak",
    [
        "Sure: answer only from the knowledge given in this conversation.",
        "ANSWER, ONLY: from the knowledge -- given in\nthis conversation",
        "an\u200bswer only from the know\u200bledge given in this conversation",
        "我的规则是：只根据给出的知识回答，不要编造课程",
        SECRET,
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_eight_words_of_the_instructions_are_never_shown(leak: str, size: int) -> None:
    """Whatever their case, punctuation and hidden characters: the answer stops before the eighth."""
    shown, leaked = say(leak, size)
    assert leaked
    assert leak.startswith(shown)
    assert "in this conversation" not in shown.replace("\n", " ")
    assert "不要编造" not in shown


@pytest.mark.parametrize(
    "answer",
    [
        ALLOWED,
        "A stack is last in, first out [1].",
        "Answer only from the knowledge given in the book",
        "根据给出的条件回答这个问题：栈是后进先出的。",
        "",
        "word",
        "  \n- a\n- b\n\n`x_y`  ",
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_other_answers_come_through_whole(answer: str, size: int) -> None:
    """The fixed sentence of refusal among them."""
    assert say(answer, size) == (answer, False)


@given(st.text(alphabet="abc 栈队。\n-", max_size=80), st.integers(min_value=1, max_value=9))
def test_pieces_are_neither_lost_nor_changed(answer: str, size: int) -> None:
    assert say(answer, size) == (answer, False)


def test_a_word_waits_only_until_it_ends() -> None:
    """And not for ever where it never does."""
    guard = PromptLeakFilter(SECRET)
    assert [guard.add(piece) for piece in ("A st", "ack ", "栈")] == ["A", " stack ", "栈"]
    assert guard.add("x" * 100) == "x" * 100


async def said_by(model: object) -> list[Delta | ModelText]:
    """The pieces that are shown of what a model says, and the whole."""
    pieces = stream_model(
        cast(LanguageModel, model),
        [ChatMessage(role="user", content="?")],
        course_id=CourseId("c"),
        refusal=ALLOWED,
    )
    return [each async for each in pieces]


async def test_quick_pieces_are_shown_together() -> None:
    """The first at once, the others at most ten a second; nothing is lost."""

    class Quick:
        async def stream(self, messages, *, course_id):  # type: ignore[no-untyped-def]
            for word in WORDS:
                yield f"{word} "

    *shown, whole = await said_by(Quick())
    assert isinstance(whole, ModelText)
    assert whole.text == "".join(f"{word} " for word in WORDS)
    assert 1 <= len(shown) < len(WORDS) / 10
    assert whole.shown == "".join(each.text for each in shown if isinstance(each, Delta))
    assert whole.text.startswith(whole.shown)


async def test_what_came_before_a_model_broke_off_is_shown() -> None:
    """Also what was held back since the last piece."""

    class Broken:
        async def stream(self, messages, *, course_id):  # type: ignore[no-untyped-def]
            yield "The first words "
            yield "and the last ones "
            raise UpstreamFailed(Fault("model.broke_off", server="it"))

    *shown, whole = await said_by(Broken())
    assert isinstance(whole, ModelText)
    assert whole.ending is ReplyEnding.BROKEN_OFF
    assert whole.shown == "".join(each.text for each in shown if isinstance(each, Delta))
    assert whole.shown == "The first words and the last ones "
