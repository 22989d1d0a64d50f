"""The JSON of an answer: the fields that the outside relies on, and nothing lost on the way back."""

from __future__ import annotations

import json
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.rendering.answer_json import answer_from_json, answer_to_json
from vta.errors import InvalidInput
from vta.types.answers import Answer, Citation, Route, TraceStep
from vta.types.concepts import ConceptCard, Prerequisite
from vta.types.courses import CourseId, PairId, SessionId, TurnId
from vta.types.pairs import Degradation, Locator, RankingSummary, Source
from vta.types.questions import IntentLabel, IntentPrediction

ANSWER = Answer(
    turn_id=TurnId("t1"),
    session_id=SessionId("s1"),
    course_id=CourseId("ds"),
    route=Route.DIRECT,
    text="栈是后进先出的 [1]。",
    citations=(
        Citation(
            n=1,
            pair_id=PairId("p1"),
            source=Source.MATERIAL,
            title="栈",
            passage="后进先出",
            document="stack.srt",
            locator=Locator(video="stack.srt", start_s=0.0),
        ),
    ),
    concepts=(
        ConceptCard(
            name="栈",
            definition="后进先出",
            domains=("计算机",),
            prerequisites=(Prerequisite(name="表", definition="序列", where="list.md"),),
        ),
    ),
    intent=IntentPrediction(
        label=IntentLabel.SIMPLE, chit_chat=0.25, probabilities={IntentLabel.SIMPLE: 0.75}
    ),
    ranking=RankingSummary(score=9.5, beta=8.0, terms=("栈",)),
    standalone_question="什么是栈？",
    degraded=Degradation(stage="language_model", reason="timed out"),
    actions=("ask_ta",),
    trace=(TraceStep(stage="intent", decision="simple", ms=1.5),),
)

_floats = st.floats(allow_nan=False, allow_infinity=False)
_locators = st.builds(
    Locator,
    heading_path=st.lists(st.text()).map(tuple),
    page=st.none() | st.integers(),
    video=st.none() | st.text(),
    start_s=st.none() | _floats,
    end_s=st.none() | _floats,
)
_prerequisites = st.lists(st.builds(Prerequisite, locator=_locators), max_size=2).map(tuple)
_answers = st.builds(
    replace,
    st.just(ANSWER),
    route=st.sampled_from(Route),
    text=st.text(),
    citations=st.lists(
        st.builds(replace, st.just(ANSWER.citations[0]), title=st.text(), locator=_locators, marked=st.text())
    ).map(tuple),
    concepts=st.lists(st.builds(ConceptCard, prerequisites=_prerequisites), max_size=2).map(tuple),
    intent=st.builds(
        IntentPrediction,
        label=st.sampled_from(IntentLabel),
        chit_chat=_floats,
        probabilities=st.dictionaries(st.sampled_from(IntentLabel), _floats),
    ),
    ranking=st.none() | st.builds(RankingSummary, score=_floats, beta=_floats),
    degraded=st.none() | st.from_type(Degradation),
    actions=st.lists(st.text()).map(tuple),
    trace=st.lists(st.builds(TraceStep, ms=_floats)).map(tuple),
)


def test_the_json_has_exactly_the_agreed_fields():
    """Names, nesting and order are those that clients were promised."""
    assert answer_to_json(ANSWER) == {
        "turn_id": "t1",
        "session_id": "s1",
        "course_id": "ds",
        "route": "direct",
        "text": "栈是后进先出的 [1]。",
        "citations": [
            {
                "n": 1,
                "pair_id": "p1",
                "source": "material",
                "title": "栈",
                "passage": "后进先出",
                "document": "stack.srt",
                "url": None,
                "locator": {"video": "stack.srt", "start_s": 0.0},
                "quoted": False,
                "marked": "",
            }
        ],
        "concepts": [
            {
                "name": "栈",
                "definition": "后进先出",
                "domains": ["计算机"],
                "prerequisites": [{"name": "表", "definition": "序列", "where": "list.md"}],
            }
        ],
        "intent": {
            "label": "simple",
            "chit_chat": 0.25,
            "probabilities": {"simple": 0.75},
            "other_task": 0.0,
        },
        "ranking": {"score": 9.5, "beta": 8.0, "terms": ["栈"]},
        "standalone_question": "什么是栈？",
        "degraded": {"stage": "language_model", "reason": "timed out"},
        "actions": ["ask_ta"],
        "trace": [{"stage": "intent", "decision": "simple", "ms": 1.5}],
        "offers": [],
        "exercise": None,
    }
    assert list(answer_to_json(ANSWER)) == [field.name for field in fields(Answer)]


def test_what_is_missing_is_null_but_left_out_of_a_locator():
    """A reader can rely on the keys of an answer; a locator has only the keys that say something."""
    bare = replace(ANSWER.citations[0], document=None, locator=Locator())
    body = answer_to_json(replace(ANSWER, ranking=None, degraded=None, citations=(bare,)))
    assert (body["ranking"], body["degraded"]) == (None, None)
    assert body["citations"][0]["document"] is None
    assert body["citations"][0]["locator"] == {}


@given(_answers)
def test_an_answer_comes_back_equal_through_json_text(answer):
    """Writing and reading lose nothing."""
    assert answer_from_json(json.loads(json.dumps(answer_to_json(answer)))) == answer


def test_fields_more_or_less_do_not_stand_in_the_way():
    """The HTML that the HTTP layer adds, and an answer from before excerpts were marked."""
    body = answer_to_json(ANSWER) | {"html": "<p>"}
    for name in ("quoted", "marked"):
        del body["citations"][0][name]
    assert answer_from_json(body) == ANSWER


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"route": "teleport"}, "route"),
        ({"text": None}, "text"),
        ({"citations": [{"n": 1}]}, "citations.0.pair_id"),
        ({"intent": {"label": "simple"}}, "intent.chit_chat"),
    ],
)
def test_a_wrong_field_is_named(change, field):
    """What is no answer is `InvalidInput` with the place of the fault."""
    with pytest.raises(InvalidInput) as caught:
        answer_from_json({**answer_to_json(ANSWER), **change})
    assert caught.value.field == field
