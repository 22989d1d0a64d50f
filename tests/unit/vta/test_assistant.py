"""The path of one question, over two small courses and a scripted language model server."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace

import pytest
from clocks import SetClock
from course_facts import NOW, fact
from scripted_llm import Scene, ScriptedLlm
from talk import Talk, question

from prompts import phrases
from vta.dialogue.course_facts import FactFinder
from vta.dialogue.question import LONGEST_QUESTION
from vta.errors import InvalidInput, NotFound
from vta.languages import Language
from vta.types.answers import Answer, CitationsFound, ConceptsFound, Delta, Route, Started, TraceStep
from vta.types.courses import CourseId, SessionId, Thresholds
from vta.types.facts import CourseFacts
from vta.types.pairs import Source
from vta.types.questions import Mode

WHY = "Why do editors undo with a stack?"


# Routes


@pytest.mark.parametrize(
    ("text", "course", "route"),
    [
        ("hello", "stacks-en", Route.CHIT_CHAT),
        ("谢谢老师", "stacks-zh", Route.CHIT_CHAT),
        ("What is a stack?", "stacks-en", Route.DIRECT),
        ("什么是栈？", "stacks-zh", Route.DIRECT),
        ("What is a deque?", "stacks-en", Route.DIRECT),
        (WHY, "stacks-en", Route.CHAIN_OF_TEACH),
        ("栈和队列有什么区别？", "stacks-zh", Route.CHAIN_OF_TEACH),
        ("zebra recipes", "stacks-en", Route.UNANSWERED),
        ("红烧肉做法", "stacks-zh", Route.UNANSWERED),
    ],
)
async def test_a_question_takes_its_road(talk: Talk, text: str, course: str, route: Route) -> None:
    answer = await talk.ask(text, course)
    assert answer.route is route
    assert answer.text.strip()


@pytest.mark.parametrize(("alpha", "route"), [(0.5, Route.CHIT_CHAT), (0.995, Route.UNANSWERED)])
async def test_small_talk_begins_where_it_is_likelier_than_alpha(
    talk: Talk, alpha: float, route: Route
) -> None:
    answer = await talk.ask("hello zebra", thresholds=Thresholds(alpha=alpha))
    assert answer.intent.chit_chat == pytest.approx(0.92)
    assert answer.route is route


async def test_what_sounds_like_another_task_is_answered_where_the_course_does(talk: Talk) -> None:
    limits = Thresholds(relevance=0.0)
    answer = await talk.ask("Which weather do editors undo commands in?", thresholds=limits)
    assert answer.intent.is_other_task
    assert answer.route is Route.CHAIN_OF_TEACH


async def test_a_pair_answers_directly_only_where_s_is_above_beta(talk: Talk) -> None:
    question = "What is the deque?"
    first = await talk.ask(question, thresholds=Thresholds(beta=2.0))
    assert first.ranking is not None
    best = max(first.ranking.score, 1.0)  # its relevance is a probability
    below = await talk.ask(question, thresholds=Thresholds(beta=0.1))
    at = await talk.ask(question, thresholds=Thresholds(beta=best))
    assert (below.route, at.route) == (Route.DIRECT, Route.CHAIN_OF_TEACH)
    assert (below.ranking.score, below.ranking.beta) == (first.ranking.score, 0.1)


async def test_a_direct_answer_is_the_pair_itself_with_its_citation_and_asks_no_model(talk: Talk) -> None:
    answer = await talk.ask("What is a deque?", says="No.")
    assert answer.text == "A deque is a list that grows and shrinks at both ends. [1]"
    (citation,) = answer.citations
    assert (citation.n, citation.source, citation.document) == (1, Source.FAQ, "faq.csv")
    assert answer.degraded is None
    assert talk.llm.requests == []


@pytest.mark.parametrize(
    ("text", "right", "course"),
    [
        ("线性标是什么", "线性表是什么", "stacks-zh"),
        ("What is a linera list?", "What is a linear list?", "stacks-en"),
    ],
)
async def test_a_misspelt_concept_is_answered_as_the_right_one(
    talk: Talk, text: str, right: str, course: str
) -> None:
    misspelt, wanted = await talk.ask(text, course), await talk.ask(right, course)
    assert (misspelt.text, misspelt.citations) == (wanted.text, wanted.citations)


async def test_what_the_course_does_not_hold_is_left_unanswered_and_no_model_is_asked(talk: Talk) -> None:
    answer = await talk.ask("zebra recipes", says="No.")
    assert answer.text == phrases.unanswered(Language.EN)
    assert (answer.citations, answer.concepts, talk.llm.requests) == ((), (), [])


@pytest.mark.parametrize(
    ("text", "course"),
    [
        ("Which zebra recipes need a stack of wooden plates?", "stacks-en"),
        ("红烧肉要用几个栈来炖才入味？", "stacks-zh"),
    ],
)
async def test_a_concept_alone_is_no_answer_offline_but_a_model_may_reason_on_it(
    talk: Talk, text: str, course: str
) -> None:
    """Below `relevance` nothing is taught, and what is not even near is not pointed to."""
    limits = Thresholds(relevance=0.6)
    answer = await talk.ask(text, course, thresholds=limits)
    assert answer.route is Route.UNANSWERED
    assert answer.citations == ()
    assert answer.text == phrases.unanswered(Language(course[-2:]))
    reasoned = await talk.ask(text, course, says="Because [1].", thresholds=limits)
    assert reasoned.route is Route.CHAIN_OF_TEACH


async def test_a_refusal_names_the_places_that_are_near(talk: Talk) -> None:
    """They may not answer, so they are titles to open."""
    answer = await talk.ask("What does push do?", thresholds=Thresholds(relevance=1.0))
    assert answer.route is Route.UNANSWERED
    assert answer.citations
    assert all(citation.title in answer.text for citation in answer.citations)


# Follow-ups


async def test_a_follow_up_is_no_small_talk_however_it_sounds(talk: Talk) -> None:
    _, again = await talk.say("What is a stack?", "thanks, an example please")
    assert again.intent.chit_chat > 0.9
    assert again.route is not Route.CHIT_CHAT


async def test_a_follow_up_stands_alone_for_retrieval_only(talk: Talk) -> None:
    asked = ["What is a stack?", "why does it need a top?"]
    says = ["A stack has a top [1].", "Why does a stack need a top?", "Because of the top [1]."]
    _, answer = await talk.say(*asked, says=says)
    assert talk.llm.messages[-1][-1]["content"].endswith(asked[1])
    assert [card.name for card in answer.concepts] == ["stack"]
    assert [turn.question for turn in talk.turns(answer)] == asked
    assert talk.small.intents.told[-1] == (asked[1], asked[0], "Stacks and queues")


async def test_the_students_own_words_of_earlier_turns_go_to_the_model(talk: Talk) -> None:
    says = ["It is last in, first out [1].", "Why does a stack need a top?", "Because [1]."]
    await talk.say("What is a stack?", "why does it need a top?", says=says)
    messages = talk.llm.messages[-1]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert messages[1]["content"] == "What is a stack?"
    assert "last in, first out" in messages[2]["content"]


async def test_at_most_three_earlier_turns_go_to_the_model(talk: Talk) -> None:
    await talk.say(*(f"hello number {number}" for number in range(5)), says="Hello.")
    said = [m["content"] for m in talk.llm.messages[-1] if m["role"] == "user"]
    assert said[:-1] == ["hello number 1", "hello number 2", "hello number 3"]


class Facts:
    """Those of a course with one exam."""

    def facts(self, course_id: CourseId) -> CourseFacts:
        return CourseFacts(facts=(fact("exam", "Midterm", begins="2026-11-30T10:00", place="Hall A"),))


async def test_a_follow_up_of_a_fact_asks_the_facts_with_the_question_before(talk: Talk) -> None:
    """Thanks ask nothing, so they get none."""
    facts = FactFinder(Facts(), SetClock(NOW))
    asked = ["when is the midterm", "where", "what room", "and how long", "thanks"]
    first, *later, thanks = await talk.say(*asked, facts=facts)
    assert "Hall A" in first.text
    assert [each.text for each in later] == [first.text] * 3
    assert thanks.route is Route.CHIT_CHAT


async def test_an_operation_without_an_answer_before_it_is_refused_as_its_question_was(talk: Talk) -> None:
    refused, why = await talk.say("zebra recipes", "why?")
    assert (refused.route, why.route) == (Route.UNANSWERED, Route.UNANSWERED)


# Citations


async def test_citations_of_what_was_not_retrieved_are_dropped(talk: Talk) -> None:
    answer = await talk.ask(WHY, says="Undone last in first out [2], says Knuth [77] and [a](b) [1].")
    assert answer.text == "Undone last in first out [1], says Knuth and [a](b) [2]."
    assert [citation.n for citation in answer.citations] == [1, 2]
    shown = talk.llm.messages[0][-1]["content"]
    assert all(citation.passage.split(".")[0] in shown for citation in answer.citations)


# Without a model


async def test_without_a_model_the_offline_teacher_answers_and_says_so(talk: Talk) -> None:
    answer = await talk.ask(WHY)
    assert answer.route is Route.CHAIN_OF_TEACH
    assert answer.degraded is not None
    assert answer.degraded.stage == "language_model"
    assert answer.citations
    assert answer.citations[0].title == "Undo"


@pytest.mark.parametrize("scene", [ScriptedLlm.status(500), ScriptedLlm.html()], ids=["status", "garbage"])
async def test_a_model_that_fails_before_its_first_word_leaves_the_offline_answer(
    talk: Talk, scene: Scene
) -> None:
    answer = await talk.ask(WHY, says=scene)
    offline = await talk.ask(WHY)
    assert (answer.route, answer.text) == (Route.CHAIN_OF_TEACH, offline.text)
    assert answer.degraded is not None
    assert answer.degraded.stage == "language_model"
    assert "language model" in answer.degraded.reason


# Hints


@pytest.mark.parametrize("text", ["What is a deque?", "When is the homework due?"])
async def test_a_hint_shows_no_faq_answer_whatever_the_model_cites(talk: Talk, text: str) -> None:
    plain = await talk.ask(text)
    assert plain.citations[0].source is Source.FAQ
    secret = plain.citations[0].passage
    for says in (None, "Read again what the course says [1] [2] [3]."):
        answer = await talk.ask(text, mode=Mode.HINT, says=says)
        assert answer.route is not Route.DIRECT
        assert secret not in answer.text
        assert all(citation.source is not Source.FAQ for citation in answer.citations)
    assert secret not in str(talk.llm.messages)


# Streams


@pytest.mark.parametrize("text", ["hello", "What is a stack?", WHY, "zebra recipes"])
async def test_stream_and_answer_give_the_same_answer(talk: Talk, text: str) -> None:
    whole = await talk.ask(text, says="Because the last lies on top [1].")
    _, streamed = await talk.streamed(text, says="Because the last lies on top [1].")
    assert [step.stage for step in streamed.trace] == [step.stage for step in whole.trace]
    same = {"turn_id": whole.turn_id, "session_id": whole.session_id, "trace": whole.trace}
    assert replace(streamed, **same) == whole


async def test_a_stream_starts_traces_writes_cites_and_ends(talk: Talk) -> None:
    events = await talk.events(WHY, says="On top [1].")
    kinds = [type(event) for event in events]
    first, last = events[0], events[-1]
    assert isinstance(first, Started)
    assert isinstance(last, Answer)
    pieces = [event.text for event in events if isinstance(event, Delta)]
    assert "".join(pieces) == "On top [1]."
    assert len(pieces) > 1
    assert kinds.index(TraceStep) < kinds.index(Delta)
    assert events[-3:-1] == [CitationsFound(citations=last.citations), ConceptsFound(concepts=last.concepts)]
    traced = [event for event in events if isinstance(event, TraceStep)]
    assert traced == list(last.trace[: len(traced)])


@pytest.mark.parametrize("text", ["hello", "What is a stack?", WHY, "zebra recipes"])
async def test_a_turn_is_stored_once_under_the_ids_of_the_stream(talk: Talk, text: str) -> None:
    events = await talk.events(text)
    started, answer = events[0], events[-1]
    assert isinstance(started, Started)
    assert isinstance(answer, Answer)
    (turn,) = talk.turns(answer)
    assert (turn.id, turn.session_id) == (started.turn_id, started.session_id)
    assert (turn.question, turn.answer) == (text, answer)


async def test_a_turn_is_stored_before_the_answer_is_shown_as_done(talk: Talk) -> None:
    async with aclosing(talk.assistant().stream(question("What is a stack?"))) as events:
        async for event in events:
            if isinstance(event, Answer):
                assert len(talk.turns(event)) == 1


async def test_a_student_who_leaves_early_leaves_nothing_behind(talk: Talk) -> None:
    slow = talk.assistant(talk.llm.pieces(["word "] * 1000, every_s=0.05), timeout_s=60.0)
    events = slow.stream(question(WHY))
    started = await anext(events)
    async for event in events:
        if isinstance(event, Delta):
            break
    assert not talk.llm.left.is_set()
    await events.aclose()
    assert await asyncio.to_thread(talk.llm.left.wait, 5.0)
    with pytest.raises(NotFound):
        talk.small.sessions.turns(CourseId("stacks-en"), started.session_id)


# Faults


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t　",
        "x" * (LONGEST_QUESTION + 1),
        "\ufdfa" * (LONGEST_QUESTION // 18 + 1),
        "what\x00is a stack?",
        "stack \ud83d",
    ],
)
async def test_a_question_that_cannot_be_asked_is_refused_before_the_first_event(
    talk: Talk, text: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        await anext(talk.assistant().stream(question(text)))
    assert caught.value.field == "question"


async def test_an_unknown_course_or_session_is_not_found_before_the_first_event(talk: Talk) -> None:
    first = await talk.ask("hello")
    for asked in (
        question("hello", "nowhere"),
        question("hello", session_id=SessionId("nothing")),
        question("hello", "stacks-zh", session_id=first.session_id),
    ):
        with pytest.raises(NotFound):
            await anext(talk.assistant().stream(asked))


async def test_two_students_at_once_do_not_mix(talk: Talk) -> None:
    answers = await asyncio.gather(*(talk.ask(f"hello {n}", learner_id=f"l{n}") for n in range(8)))
    assert len({answer.session_id for answer in answers}) == 8
    for n, answer in enumerate(answers):
        assert [turn.question for turn in talk.turns(answer)] == [f"hello {n}"]


async def test_thresholds_learned_for_a_course_rule_over_the_settings(talk: Talk) -> None:
    """Streamed or whole, the course decides by its own beta and alpha; another course by the settings."""
    before = await talk.ask("What is the deque?")
    assert before.route is Route.DIRECT
    talk.small.stores.settings.change(before.course_id, lambda found: replace(found, alpha=0.99, beta=1.5))
    after = await talk.ask("What is the deque?")
    _, streamed = await talk.streamed("What is the deque?")
    for answer in (after, streamed):
        assert answer.route is not Route.DIRECT
        assert answer.ranking.beta == 1.5
    assert (await talk.ask("hello")).route is not Route.CHIT_CHAT
