"""The preview in the console: ask as a student, see why, and what a draft would change."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Any

from fastapi.responses import Response

from services.console.forms import draft_of
from services.console.visits import PageRouter, Visit, Visiting
from services.dialogue.lookup import Lookup, look_up
from services.faq.replay import FaqProposal, IndexChange, change_of, learned_ranker
from services.people.sessions import Form, field
from services.wiring import Platform
from vta.dialogue.routing import thresholds_for
from vta.ports import Knowledge, KnowledgeBase
from vta.types.answers import Answer
from vta.types.concepts import Concept
from vta.types.courses import Course, FaqId
from vta.types.faq import FaqDraft
from vta.types.pairs import Candidate, Ranking
from vta.types.questions import Mode, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedKnowledge:
    """`vta.ports.KnowledgeBase` with the pairs of a change added or removed."""

    knowledge: KnowledgeBase
    change: IndexChange

    def current(self, course: Course | None = None) -> Knowledge:
        found = self.knowledge.current(course)
        return replace(found, ranker=ChangedRanker(found, self.change))


class ChangedRanker:
    """`vta.ports.Ranker` that ranks as after a change."""

    def __init__(self, knowledge: Knowledge, change: IndexChange) -> None:
        self._ranker, self._change = learned_ranker(knowledge), change

    def rank(self, question: str, **asked: Any) -> Ranking:
        return self._ranker.rank(question, **asked, joining=self._change.new, leaving=self._change.gone)

    def where_taught(self, concept: Concept, *, course: Course) -> Candidate | None:
        return self._ranker.where_taught(concept, course=course)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """An answer, and the pairs that were ranked for it; `then` is the answer with a proposal."""

    answer: Answer
    lookup: Lookup
    then: Answer | None = None


async def preview(
    platform: Platform, course: Course, text: str, *, hint: bool, proposal: FaqProposal | None
) -> Preview:
    """Ask a course as it is and, with a proposal, as that would make it.

    Raises as `Assistant.stream` and `change_of` do.
    """
    question = Question(course_id=course.id, text=text, mode=Mode.HINT if hint else Mode.ANSWER)
    then = None
    if proposal is not None:
        change = await asyncio.to_thread(change_of, platform, proposal, course)
        changed = ChangedKnowledge(knowledge=platform.knowledge, change=change)
        then = await platform.previewer_of(changed).answer(question)
    answer = await platform.previewer.answer(question)
    lookup = await asyncio.to_thread(
        look_up, platform, course, answer.standalone_question, top=platform.settings.top_k
    )
    return Preview(answer=answer, lookup=lookup, then=then)


PREFIX = "draft_"
"""Begins the names of a draft's fields, beside the question that is asked."""

router = PageRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tried:
    """A draft, and where it would be saved: in an entry, for waiting questions, or as a new entry."""

    draft: FaqDraft
    entry: str = ""
    version: str = ""
    waiting: tuple[str, ...] = ()

    @property
    def proposal(self) -> FaqProposal | None:
        """The proposal of the draft; None for an empty one."""
        if not (self.draft.question.strip() or self.draft.answer.strip()):
            return None
        return FaqProposal(draft=self.draft, entry=FaqId(self.entry) if self.entry else None)


@router.get("/preview")
def show_preview(visit: Visiting) -> Response:
    """An empty form, one with what was asked, or with `draft` one that tries an entry's newest version."""
    tried = _tried(visit.form, PREFIX)
    if entry := visit.query.get("draft"):
        newest = visit.platform.stores.faq.history(visit.course_id, FaqId(entry))[-1]
        tried = _Tried(draft=newest.draft, entry=newest.id, version=str(newest.version))
    return visit.page(
        "preview.html",
        question=visit.field("question", tried.draft.question),
        hint=bool(visit.field("hint")),
        tried=tried,
        found=None,
        thresholds=thresholds_for(visit.who.course, visit.platform.settings.thresholds),
    )


@router.form("/preview", show_preview)
async def ask(visit: Visiting) -> Response:
    """The answer, with and without the draft, and its ranking; nothing is stored."""
    return await _answer(visit, _tried(visit.form, PREFIX), visit.field("question"))


def _show_draft(visit: Visit) -> Response:
    return show_preview(visit.showing(tried=_tried(visit.form)))


@router.form("/preview/draft", _show_draft)
async def try_draft(visit: Visiting) -> Response:
    """The same for the form of an entry or of an answer to students: its own question is asked first."""
    tried = _tried(visit.form)
    return await _answer(visit.showing(tried=tried), tried, tried.draft.question)


async def _answer(visit: Visit, tried: _Tried, question: str) -> Response:
    hint = bool(visit.field("hint"))
    found = await preview(visit.platform, visit.who.course, question, hint=hint, proposal=tried.proposal)
    return show_preview(visit.showing(found=found))


def _tried(form: Form, prefix: str = "") -> _Tried:
    return _Tried(
        draft=draft_of(form, prefix),
        entry=field(form, "draft_of"),
        version=field(form, "version"),
        waiting=form.get("q", ()),
    )
