"""What a reply is worth by its rubric, and what the figures make of it."""

from __future__ import annotations

import re

import pytest

from lab.bench.figures import compare, mean_of, shares
from lab.bench.questions import Answerable, BenchTurn
from lab.bench.replies import Cited, Reply
from lab.bench.scoring import Scored, Verdict, normalised, score

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
    return Scored(turn=asked, reply=Reply(text="a" * length), verdict=verdict, facts=0, cited=None)


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
