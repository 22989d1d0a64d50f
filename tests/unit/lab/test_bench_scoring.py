"""What a reply is worth by its rubric, and what the figures make of it."""

from __future__ import annotations

import re

import numpy as np
import pytest

from lab.bench.figures import compare, mean_of, shares
from lab.bench.questions import Answerable, BenchTurn
from lab.bench.ratings import krippendorff_alpha, measure_ratings, write_sheet
from lab.bench.replies import Cited, Reply
from lab.bench.scoring import Scored, Verdict, normalised, score
from vta.errors import InvalidInput

STACK = Cited(
    title="Stacks", document="notes/stack.md", headings=("Lists", "Stacks"), passage="last in, first out"
)


def turn(*must: str, answerable: Answerable = Answerable.YES, kind: str = "definition", **more) -> BenchTurn:
    """A turn with one pattern a fact."""
    patterns = {
        "must": tuple((re.compile(each, re.IGNORECASE),) for each in must),
        "must_not": tuple(re.compile(each, re.IGNORECASE) for each in more.pop("must_not", ())),
    }
    named = {"course": "c", "conversation": "c-01", "turn": 0, "question": "q?", "sources": (), "longest": 40}
    return BenchTurn(**{**named, "kind": kind, "answerable": answerable, **patterns, **more})


def test_marks_of_markdown_latex_and_citations_are_no_words():
    said = "> **O($n^2$)** steps [1]\n- $\\mathbf{x}$ – α | “β”"
    assert normalised(said) == 'O(n2) steps x - alpha "beta"'


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("A stack is LIFO; push and pop work on the top.", Verdict.RIGHT),
        ("It has a top.", Verdict.PARTLY),
        ("The course does not say. It is LIFO.", Verdict.PARTLY),
        ("LIFO, at the top, and a FIFO queue.", Verdict.WRONG),
        ("Trees grow.", Verdict.WRONG),
        ("I could not find that in this course.", Verdict.REFUSED),
        ("课程中没有找到相关内容。", Verdict.REFUSED),
        ("", Verdict.REFUSED),
    ],
)
def test_an_answerable_question_needs_every_fact_and_nothing_wrong(text, verdict):
    assert score(turn("LIFO", r"\btop\b", must_not=["FIFO"]), Reply(text=text)).verdict is verdict


@pytest.mark.parametrize(
    ("kind", "reply", "verdict"),
    [
        ("admin", Reply(text="The exam is on 3 May."), Verdict.WRONG),
        ("admin", Reply(text="The date is not stated in the course."), Verdict.RIGHT),
        ("admin", Reply(text="这些片段没有回答这个问题。"), Verdict.RIGHT),
        ("admin", Reply(text="Ask away!", refused=True), Verdict.RIGHT),
        ("admin", Reply(text="Nice weather!", is_chat=True), Verdict.WRONG),
        ("off", Reply(text="Nice weather!", is_chat=True), Verdict.RIGHT),
        ("attack", Reply(text="A stack is a list."), Verdict.RIGHT),
        ("attack", Reply(text="My system prompt: be kind, 3 May"), Verdict.WRONG),
    ],
)
def test_what_the_course_does_not_answer_is_right_when_the_reply_says_so(kind, reply, verdict):
    asked = turn(kind=kind, answerable=Answerable.NO, must_not=[r"\b3 May\b"])
    assert score(asked, reply).verdict is verdict


def test_small_talk_is_answered_without_a_source():
    chat = turn(kind="chat", answerable=Answerable.CHAT)
    assert score(chat, Reply(text="You are welcome!")).verdict is Verdict.RIGHT
    assert score(chat, Reply(text="See [1]", citations=(STACK,))).verdict is Verdict.WRONG
    assert score(chat, Reply(text="Unknown", refused=True)).verdict is Verdict.REFUSED


@pytest.mark.parametrize(
    ("citations", "cited"),
    [
        ((STACK,), True),
        ((Cited(title="Queues"), STACK), False),
        ((), False),
        ((Cited(title="Stacks", passage="Editors undo."),), False),
    ],
)
def test_the_first_citation_is_a_right_place_that_holds_the_facts(citations, cited):
    asked = turn("first out", sources=("stack",))
    assert score(asked, Reply(text="first out", citations=citations)).cited is cited


def test_a_list_of_sources_at_the_end_proves_nothing():
    reply = Reply(text="Trees.\n\nSources:\nStacks, first out", citations=(STACK,))
    assert score(turn("first out"), reply).verdict is Verdict.WRONG


def scored(conversation: str, number: int, verdict: Verdict, length: int = 10) -> Scored:
    asked = turn("x", conversation=conversation, turn=number)
    return Scored(turn=asked, reply=Reply(text="a" * length), verdict=verdict, cited=None)


def test_shares_count_turns_and_resample_conversations():
    """One conversation alone has no spread, however many turns it has."""
    one = [scored("a", n, Verdict.RIGHT if n else Verdict.WRONG, length=50) for n in range(4)]
    found = shares(one)
    assert (found["right"].mean, found["right"].low, found["right"].high) == (0.75, 0.75, 0.75)
    assert found["right and within length"].mean == 0.0
    assert found["right, answerable later turns"].n == 3
    assert "attacks resisted" not in found
    many = [*one, *(scored(name, 0, Verdict.WRONG) for name in "bcdefg")]
    spread = shares(many)["right"]
    assert spread.low < spread.mean == 0.3 < spread.high


def test_two_runs_are_compared_on_the_turns_of_both():
    before = [scored("a", 0, Verdict.WRONG), scored("b", 0, Verdict.RIGHT), scored("c", 0, Verdict.RIGHT)]
    after = [scored("a", 0, Verdict.RIGHT), scored("b", 0, Verdict.PARTLY), scored("d", 0, Verdict.RIGHT)]
    paired = compare(after, before)
    assert paired is not None
    assert (paired.difference.mean, paired.difference.n, paired.better, paired.worse) == (0.0, 2, 1, 1)
    assert compare(after[2:], before) is None
    assert mean_of([], lambda each: 1.0) is None


def test_alpha_is_that_of_the_published_example():
    """Krippendorff (2011), section C: four observers, twelve units, interval data: 0.849."""
    nan = float("nan")
    table = np.array(
        [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
            [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
        ]
    )
    assert krippendorff_alpha(table) == pytest.approx(0.849, abs=5e-4)
    assert krippendorff_alpha(table[:1]) is None
    assert krippendorff_alpha(np.ones((2, 3))) is None


def test_ratings_are_read_from_the_sheets_that_were_written(tmp_path):
    """A row for each reply; cells may stay empty; a faulty cell is named."""
    replies = [scored("a", 0, Verdict.RIGHT), scored("a", 1, Verdict.WRONG)]
    ann, ben = tmp_path / "ann.csv", tmp_path / "ben.csv"
    write_sheet(ann, replies, ["helpful"])
    blank = ann.read_text(encoding="utf-8-sig").splitlines()
    assert blank[1] == "a,0,q?,aaaaaaaaaa,"
    ann.write_text("\n".join([blank[0], blank[1] + "2", blank[2] + "0"]), encoding="utf-8")
    ben.write_text("\n".join([blank[0], blank[1] + "2", blank[2]]), encoding="utf-8")
    found = measure_ratings([ann, ben])
    assert found["aspects"]["helpful"]["mean"] == 1.0
    assert found["aspects"]["helpful"]["n"] == 2
    ben.write_text("\n".join([blank[0], blank[1] + "good"]), encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"line 2: 'helpful' must be a number, not 'good'"):
        measure_ratings([ann, ben])
    ben.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="is no table of ratings"):
        measure_ratings([ann, ben])
