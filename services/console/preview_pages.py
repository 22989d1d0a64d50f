"""The preview in the console: ask as a student, see why, and what a draft would change."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi.responses import Response

from services.console.forms import draft_of
from services.console.visits import Visit, Visiting
from services.http.serving import ThreadedRouter
from services.identity.instructor_sessions import Form, field
from services.use_cases.lookup import Preview, preview
from services.use_cases.replay import Proposal
from vta.dialogue.routing import thresholds_for
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types import FaqDraft, FaqId

PREFIX = "draft_"
"""Begins the names of a draft's fields, beside the question that is asked."""
NO_DRAFT = FaqDraft(question="", answer="")

router = ThreadedRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tried:
    """A draft, and where it would be saved: in an entry, for waiting questions, or as a new entry."""

    draft: FaqDraft = NO_DRAFT
    entry: str = ""
    version: str = ""
    waiting: tuple[str, ...] = ()

    @property
    def proposal(self) -> Proposal | None:
        """What is proposed; None for an empty draft."""
        if not (self.draft.question.strip() or self.draft.answer.strip()):
            return None
        return Proposal(draft=self.draft, entry=FaqId(self.entry) if self.entry else None)


@router.get("/preview")
def empty(visit: Visiting) -> Response:
    """An empty form, or with `draft` one that tries an entry's newest version."""
    tried = _Tried()
    if entry := visit.query.get("draft"):
        newest = visit.platform.stores.faq.history(visit.course_id, FaqId(entry))[-1]
        tried = _Tried(draft=newest.draft, entry=newest.id, version=str(newest.version))
    return _show(visit, tried, tried.draft.question)


@router.post("/preview")
async def ask(visit: Visiting) -> Response:
    """The answer, with and without the draft, and everything that led to it; nothing of it is kept."""
    question, hint = visit.field("question"), bool(visit.field("hint"))
    return await _answer(visit, question, hint, _tried(visit.form, PREFIX))


@router.post("/preview/draft")
async def try_draft(visit: Visiting) -> Response:
    """The same for the form of an entry or of an answer to students: its own question is asked first."""
    tried = _tried(visit.form)
    return await _answer(visit, tried.draft.question, False, tried)


async def _answer(visit: Visit, question: str, hint: bool, tried: _Tried) -> Response:
    try:
        found = await preview(visit.platform, visit.who.course, question, hint=hint, proposal=tried.proposal)
    except InvalidInput as fault:
        return _show(visit, tried, question, hint=hint, fault=fault.fault)
    return _show(visit, tried, question, hint=hint, found=found)


def _tried(form: Form, prefix: str = "") -> _Tried:
    return _Tried(
        draft=draft_of(form, prefix),
        entry=field(form, "draft_of"),
        version=field(form, "version"),
        waiting=form.get("q", ()),
    )


def _show(
    visit: Visit,
    tried: _Tried,
    question: str,
    *,
    hint: bool = False,
    found: Preview | None = None,
    fault: Fault | None = None,
) -> Response:
    return visit.page(
        "preview.html",
        question=question,
        hint=hint,
        tried=tried,
        found=found,
        thresholds=thresholds_for(visit.who.course, visit.platform.settings.thresholds),
        fault=fault,
    )
