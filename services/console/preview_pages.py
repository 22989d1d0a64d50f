"""The preview in the console: ask as a student, see why, and what a draft would change."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import Response

from services.console.forms import draft_of
from services.console.pages import page
from services.http.serving import Served
from services.identity.instructor_sessions import Form, InstructorSession, LoggedIn, field, read_form
from services.use_cases.lookup import Preview, preview
from services.use_cases.replay import Proposal
from services.wiring import Platform
from vta.dialogue.routing import thresholds_for
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types import FaqDraft, FaqId

PREFIX = "draft_"
"""Begins the names of a draft's fields, beside the question that is asked."""
NO_DRAFT = FaqDraft(question="", answer="")

router = APIRouter()


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What was typed, and what came of it."""

    question: str = ""
    hint: bool = False
    tried: _Tried
    found: Preview | None = None
    fault: Fault | None = None


@router.get("/preview")
async def empty(request: Request, platform: Served, who: LoggedIn) -> Response:
    """An empty form, or with `draft` one that tries an entry's newest version."""
    tried = _Tried()
    if entry := request.query_params.get("draft"):
        newest = (await asyncio.to_thread(platform.stores.faq.history, who.course.id, FaqId(entry)))[-1]
        tried = _Tried(draft=newest.draft, entry=newest.id, version=str(newest.version))
    return _show(request, platform, who, _Asked(question=tried.draft.question, tried=tried))


@router.post("/preview")
async def ask(request: Request, platform: Served, who: LoggedIn) -> Response:
    """The answer, with and without the draft, and everything that led to it; nothing of it is kept."""
    form = await read_form(request, who)
    question, hint = field(form, "question"), bool(field(form, "hint"))
    return await _answer(request, platform, who, question, hint, _tried(form, PREFIX))


@router.post("/preview/draft")
async def try_draft(request: Request, platform: Served, who: LoggedIn) -> Response:
    """The same for the form of an entry or of an answer to students: its own question is asked first."""
    tried = _tried(await read_form(request, who))
    return await _answer(request, platform, who, tried.draft.question, False, tried)


async def _answer(
    request: Request, platform: Platform, who: InstructorSession, question: str, hint: bool, tried: _Tried
) -> Response:
    try:
        found = await preview(platform, who.course, question, hint=hint, proposal=tried.proposal)
    except InvalidInput as fault:
        asked = _Asked(question=question, hint=hint, tried=tried, fault=fault.fault)
        return _show(request, platform, who, asked)
    return _show(request, platform, who, _Asked(question=question, hint=hint, tried=tried, found=found))


def _tried(form: Form, prefix: str = "") -> _Tried:
    return _Tried(
        draft=draft_of(form, prefix),
        entry=field(form, "draft_of"),
        version=field(form, "version"),
        waiting=form.get("q", ()),
    )


def _show(request: Request, platform: Platform, who: InstructorSession, asked: _Asked) -> Response:
    return page(
        request,
        "preview.html",
        who,
        status=422 if asked.fault else 200,
        question=asked.question,
        hint=asked.hint,
        tried=asked.tried,
        found=asked.found,
        thresholds=thresholds_for(who.course, platform.settings.thresholds),
        fault=asked.fault,
    )
