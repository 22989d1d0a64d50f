"""What if: the replay says before publishing what is true after it."""

from __future__ import annotations

import pytest
from served_platform import Served

from services.faq.replay import FaqProposal, replay
from vta.types.courses import CourseId, FaqId
from vta.types.faq import FaqDraft

COURSE = CourseId("stacks-en")
QUESTIONS = (
    "When is the homework due?",
    "How do I get a certificate?",
    "Which pen should I bring to the exam?",
    "What is a stack?",
    "What is a deque?",
    "Is there a quiz on queues this week?",
    "Why does undo use a stack?",
    "Who was Napoleon's cook?",
    "hello there",
    "When does the quiz on queues begin?",
    "how long may the exam take",
    "What does push do?",
)
PEN = FaqDraft(question="Which pen may I bring to the exam?", answer="A blue one.")
QUIZ = FaqDraft(
    question="When is the quiz on queues?",
    answer="On Friday at ten.",
    similar_questions=("Is there a quiz on queues this week?",),
    negative_questions=("What is a queue?",),
)


def ask(api: Served, question: str) -> tuple[str, str, str]:
    """Route, text and turn of an answer."""
    body = api.client.post(f"/v1/courses/{COURSE}/dialogue", json={"question": question}).json()
    return body["route"], body["text"], body["turn_id"]


def publish(api: Served, proposal: FaqProposal) -> None:
    faq = api.platform.stores.faq
    if proposal.entry is None:
        faq.add(COURSE, [proposal.draft], editor="Ann")
        return
    version = faq.history(COURSE, proposal.entry)[-1].version
    if proposal.draft is None:
        faq.remove(COURSE, proposal.entry, editor="Ann", expected=version)
    else:
        faq.edit(COURSE, proposal.entry, proposal.draft, editor="Ann", expected=version)


@pytest.mark.parametrize("kind", ["new", "edited", "removed", "made a negative example"])
def test_what_is_foretold_is_what_happens(api: Served, kind: str) -> None:
    """Route and S of every question are as foretold when it is asked again after publishing."""
    entry: FaqId | None = None
    if kind != "new":
        (kept,) = api.platform.stores.faq.add(COURSE, [QUIZ], editor="Ann")
        entry = kept.id
    drafts = {
        "new": QUIZ,
        "edited": PEN,
        "removed": None,
        "made a negative example": FaqDraft(
            question=QUIZ.question,
            answer=QUIZ.answer,
            negative_questions=("When does the quiz on queues begin?",),
        ),
    }
    asked = [ask(api, question) for question in QUESTIONS]
    proposal = FaqProposal(draft=drafts[kind], entry=entry)
    foretold = {each.turn.id: each for each in replay(api.platform, COURSE, proposal, limit=50)}
    assert [foretold[turn].now.route for _, _, turn in asked] == [route for route, _, _ in asked]
    publish(api, proposal)
    for question, (_, _, turn) in zip(QUESTIONS, asked, strict=True):
        route, text, again = ask(api, question)
        then = foretold[turn].then
        assert route == then.route, question
        if route == "direct":
            assert then.lead is not None
            assert then.lead.pair.answer in text, question
        if then.lead is not None:
            answers = replay(api.platform, COURSE, FaqProposal(draft=PEN), limit=1)
            assert answers[0].turn.id == again
            assert answers[0].now.lead is not None
            assert answers[0].now.lead.score == pytest.approx(then.lead.score, rel=1e-5), question
    assert any(each.changed for each in foretold.values())


def test_nothing_is_written_and_only_what_changes_is_marked(api: Served) -> None:
    """By HTTP: a new entry changes its own question alone, and there is no entry afterwards.

    The other question on the exam is left out: the entry may come close to it."""
    key = api.key()
    for question in QUESTIONS:
        if question != "how long may the exam take":
            ask(api, question)
    reply = api.client.post(
        f"/v1/courses/{COURSE}/replay",
        json={"entry": {"question": PEN.question, "answer": PEN.answer}},
        headers={"Authorization": f"Bearer {key}"},
    )
    body = reply.json()
    changed = [each for each in body["questions"] if each["changed"]]
    assert body["changed"] == len(changed) == 1
    assert changed[0]["question"] == "Which pen should I bring to the exam?"
    assert changed[0]["now"]["route"] == "unanswered"
    assert changed[0]["then"]["answer"] == "A blue one."
    assert api.platform.stores.faq.entries(COURSE) == ()


def test_only_instructors_may_replay(api: Served) -> None:
    """Real questions of students are behind the instructor's key; an unknown entry is not found."""
    address = f"/v1/courses/{COURSE}/replay"
    assert api.client.post(address, json={"faq_id": "x"}).status_code == 401
    headers = api.bearer()
    assert api.client.post(address, json={"faq_id": "x"}, headers=headers).status_code == 404
    assert api.client.post(address, json={}, headers=headers).status_code == 422
