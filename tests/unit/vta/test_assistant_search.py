"""When the assistant asks a search engine, and what it does with what is found."""

from __future__ import annotations

import pytest

from vta.types import CourseId, IntentLabel, IntentPrediction, Question, Route, Source, Thresholds

PAGES = [
    ("Fibonacci heap", "A Fibonacci heap is a forest with fast decrease-key.", "https://example.org/fib"),
    ("Stack machine", "A stack machine keeps operands on a stack.", "https://example.org/stack-machine"),
    ("斐波那契堆", "斐波那契堆是一组树，减小关键字很快。", "https://example.org/zh/fib"),
]


class FixedIntent:
    """`vta.ports.IntentClassifier` with one h for all."""

    def __init__(self, h: float) -> None:
        self._h = h

    def predict(self, question: str, *, previous: str = "", course: str = "") -> IntentPrediction:
        return IntentPrediction(label=IntentLabel.OTHER, chit_chat=self._h, probabilities={})


def ask(text: str, course: str = "stacks-en") -> Question:
    return Question(course_id=CourseId(course), text=text)


def stages(answer) -> dict[str, str]:
    return {step.stage: step.decision for step in answer.trace}


@pytest.mark.parametrize(
    ("course", "question", "url"),
    [
        ("stacks-en", "What is a Fibonacci heap?", "https://example.org/fib"),
        ("stacks-zh", "什么是 斐波那契堆", "https://example.org/zh/fib"),
    ],
)
async def test_what_the_course_does_not_know_is_looked_for_outside(small, page_search, course, question, url):
    """A pair of the search engine is cited with its link where h makes it count."""
    small.intents = FixedIntent(0.45)
    web = page_search(PAGES)
    answer = await small.assistant(web=web).answer(ask(question, course))
    assert web.asked == [question]
    assert answer.route is Route.CHAIN_OF_TEACH
    assert (answer.citations[0].source, answer.citations[0].url) == (Source.SEARCH, url)
    assert stages(answer)["web_search"].endswith("pairs found")


async def test_what_the_course_answers_is_asked_nowhere(small, page_search):
    """A best S above beta keeps the question in the house."""
    small.intents = FixedIntent(0.45)
    web = page_search(PAGES)
    thresholds = Thresholds(beta=0.3)
    answer = await small.assistant(web=web, thresholds=thresholds).answer(ask("When is the homework due?"))
    assert answer.route is Route.DIRECT
    assert web.asked == []
    assert "web_search" not in stages(answer)


async def test_small_talk_and_distress_are_asked_nowhere(small, page_search):
    """Neither goes to the ranking, so neither leaves."""
    web = page_search(PAGES)
    for text in ("hello, how are you?", "I want to kill myself"):
        assert (await small.assistant(web=web).answer(ask(text))).route is Route.CHIT_CHAT
    assert web.asked == []


async def test_where_no_found_pair_could_count_nobody_is_asked(small, page_search):
    """With h below the floor and no concept named, S of any found pair stays below the floor."""
    small.intents = FixedIntent(0.01)
    web = page_search(PAGES)
    answer = await small.assistant(web=web).answer(ask("What is a Fibonacci heap?"))
    assert answer.route is Route.UNANSWERED
    assert web.asked == []


async def test_course_material_comes_first(small, page_search):
    """A question on a concept of the course is answered from it, whatever else is found."""
    small.intents = FixedIntent(0.1)
    web = page_search(PAGES)
    thresholds = Thresholds(beta=5.0)
    answer = await small.assistant(web=web, thresholds=thresholds).answer(
        ask("How does push on a stack work?")
    )
    assert len(web.asked) == 1
    assert answer.citations[0].source is not Source.SEARCH


async def test_a_search_that_fails_is_told_and_harms_nothing(small, page_search):
    """The answer is that without a search engine, and says in `degraded` and the trace what is missing."""
    small.intents = FixedIntent(0.45)
    failing = page_search(failure="the search engine cannot be reached")
    question = ask("What is a Fibonacci heap?")
    answer = await small.assistant(web=failing).answer(question)
    plain = await small.assistant().answer(question)
    assert (answer.route, answer.text) == (plain.route, plain.text)
    assert plain.degraded is None
    assert answer.degraded is not None
    assert (answer.degraded.stage, answer.degraded.reason) == (
        "web_search",
        "the search engine cannot be reached",
    )
    assert stages(answer)["web_search"] == "failed: the search engine cannot be reached"
