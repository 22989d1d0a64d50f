"""The preview in the console: ask as a student, see why, and what a draft would change."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi.responses import Response

from services.console.forms import draft_of
from services.console.visits import PageRouter, Visit, Visiting
from services.dialogue.preview import preview
from services.faq.replay import FaqProposal
from services.people.sessions import Form, field
from vta.dialogue.routing import thresholds_for
from vta.types.courses import FaqId
from vta.types.faq import FaqDraft

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
