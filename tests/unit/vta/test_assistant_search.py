"""When the assistant asks a search engine, and what it does with what is found."""

from __future__ import annotations

import pytest
from talk import decisions

from vta.types.answers import Route
from vta.types.courses import Thresholds
from vta.types.pairs import Source
from vta.types.questions import IntentLabel, IntentPrediction

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


@pytest.mark.parametrize(
    ("course", "question", "url"),
    [
        ("stacks-en", "What is a Fibonacci heap?", "https://example.org/fib"),
        ("stacks-zh", "什么是 斐波那契堆", "https://example.org/zh/fib"),
    ],
)
async def test_what_the_course_does_not_know_is_looked_for_outside(talk, page_search, course, question, url):
    """A pair of the search engine is cited with its link where h makes it count."""
    talk.small.intents = FixedIntent(0.2)
    web = page_search(PAGES)
    answer = await talk.ask(question, course, web=web)
    assert web.asked == [question]
    assert answer.route is Route.CHAIN_OF_TEACH
    assert (answer.citations[0].source, answer.citations[0].url) == (Source.SEARCH, url)
    assert decisions(answer)["web_search"].endswith("pairs found")


async def test_what_the_course_answers_is_asked_nowhere(talk, page_search):
    """A best S above beta keeps the question in the house."""
    talk.small.intents = FixedIntent(0.2)
    web = page_search(PAGES)
    thresholds = Thresholds(beta=0.3)
    answer = await talk.ask("When is the homework due?", web=web, thresholds=thresholds)
    assert answer.route is Route.DIRECT
    assert web.asked == []
    assert "web_search" not in decisions(answer)


async def test_small_talk_and_distress_are_asked_nowhere(talk, page_search):
    """Neither goes to the ranking, so neither leaves."""
    web = page_search(PAGES)
    for text in ("hello, how are you?", "I want to kill myself"):
        assert (await talk.ask(text, web=web)).route is Route.CHIT_CHAT
    assert web.asked == []


async def test_where_no_found_pair_could_count_nobody_is_asked(talk, page_search):
    """With h below the floor and no concept named, S of any found pair stays below the floor."""
    talk.small.intents = FixedIntent(0.01)
    web = page_search(PAGES)
    answer = await talk.ask("What is a Fibonacci heap?", web=web)
    assert answer.route is Route.UNANSWERED
    assert web.asked == []


async def test_course_material_comes_first(talk, page_search):
    """A question on a concept of the course is answered from it, whatever else is found."""
    talk.small.intents = FixedIntent(0.1)
    web = page_search(PAGES)
    thresholds = Thresholds(beta=5.0)
    answer = await talk.ask("How does push on a stack work?", web=web, thresholds=thresholds)
    assert len(web.asked) == 1
    assert answer.citations[0].source is not Source.SEARCH


async def test_a_search_that_fails_is_told_and_harms_nothing(talk, page_search):
    """The answer is that without a search engine, and says in `degraded` and the trace what is missing."""
    talk.small.intents = FixedIntent(0.2)
    failing = page_search(failure="the search engine cannot be reached")
    answer = await talk.ask("What is a Fibonacci heap?", web=failing)
    plain = await talk.ask("What is a Fibonacci heap?")
    assert (answer.route, answer.text) == (plain.route, plain.text)
    assert plain.degraded is None
    assert answer.degraded is not None
    assert (answer.degraded.stage, answer.degraded.reason) == (
        "web_search",
        "the search engine cannot be reached",
    )
    assert decisions(answer)["web_search"] == "failed: the search engine cannot be reached"
