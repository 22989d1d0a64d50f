"""FAQ entries in the console: the table, one entry with its history, and both versions on a conflict."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup

from services.console.form_faults import FormFault, fault_of
from services.console.forms import action_of, draft_of, number_in
from services.console.pages import marked_difference, page, page_number
from services.http.serving import Served
from services.identity.instructor_sessions import Form, InstructorSession, LoggedIn, field, read_form
from services.use_cases.conversations import draft_from_turn
from services.use_cases.faq import FaqService
from services.use_cases.replay import QUESTIONS, Proposal, Replayed, replay
from vta.errors import Conflict, InvalidInput
from vta.types import FaqDraft, FaqEntry, FaqId, TurnId

PAGE_SIZE = 50
TRIED_OUT = ("replay", "replay_removal")
WRITTEN = ("save", "remove", "restore", "roll_back")

router = APIRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryPage:
    """What the page of an entry, or of a new one, shows; `version` is the one that the writer began from."""

    draft: FaqDraft
    versions: tuple[FaqEntry, ...] = ()
    version: int = 0
    fault: FormFault | None = None
    saved: bool = False
    replayed: tuple[Replayed, ...] | None = None


@router.get("/faq")
async def table(request: Request, platform: Served, who: LoggedIn) -> Response:
    """A page of the entries, or of the removed ones, or of those that hold what is searched for."""
    sought = request.query_params.get("search", "")[:200]
    removed = request.query_params.get("show") == "removed"
    number = page_number(request)
    found = await asyncio.to_thread(
        platform.faq.page,
        who.course.id,
        sought=sought,
        removed=removed,
        newest_first=True,
        offset=(number - 1) * PAGE_SIZE,
        limit=PAGE_SIZE,
    )
    return page(
        request,
        "faq.html",
        who,
        entries=found.entries,
        total=found.total,
        search=sought,
        removed=removed,
        number=number,
        last=max(1, -(-found.total // PAGE_SIZE)),
    )


@router.get("/faq/new")
async def new_entry(request: Request, platform: Served, who: LoggedIn) -> Response:
    """An empty form, or one with the question that is given, or with those of a turn and its answer."""
    asked = request.query_params
    draft = FaqDraft(question=asked.get("question", "")[:2000], answer="")
    if (turn := asked.get("turn")) and who.may("questions"):
        draft = await asyncio.to_thread(draft_from_turn, platform, who.course.id, TurnId(turn))
    return _show(request, who, EntryPage(draft=draft))


@router.post("/faq/new")
async def add_entry(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Save, or only say what would change."""
    form = await read_form(request, who)
    draft, action = draft_of(form), action_of(form, ("save", "replay"))
    try:
        if action == "replay":
            proposal = Proposal(draft=draft)
            replayed = await asyncio.to_thread(replay, platform, who.course.id, proposal, limit=QUESTIONS)
            return _show(request, who, EntryPage(draft=draft, replayed=replayed))
        entry = await asyncio.to_thread(platform.faq.add, who.course.id, draft, editor=who.name)
    except (InvalidInput, Conflict) as error:
        fault = await asyncio.to_thread(fault_of, error, platform.faq, who.course.id)
        return _show(request, who, EntryPage(draft=draft, fault=fault))
    return _to_entry(who, entry.id)


@router.get("/faq/{entry}")
async def show_entry(request: Request, entry: str, platform: Served, who: LoggedIn) -> Response:
    """An entry with its history."""
    versions = await asyncio.to_thread(platform.faq.history, who.course.id, FaqId(entry))
    saved = "saved" in request.query_params
    shown = EntryPage(draft=versions[-1].draft, versions=versions, version=len(versions), saved=saved)
    return _show(request, who, shown)


@router.post("/faq/{entry}")
async def write_entry(request: Request, entry: str, platform: Served, who: LoggedIn) -> Response:
    """Save, remove, restore, roll back or try out, as the button says.

    Both versions are shown where someone was quicker.
    """
    form = await read_form(request, who)
    draft, action, known = draft_of(form), action_of(form, TRIED_OUT + WRITTEN), FaqId(entry)
    versions = await asyncio.to_thread(platform.faq.history, who.course.id, known)
    try:
        seen = number_in(form, "version")
        if action in TRIED_OUT:
            proposal = Proposal(draft=draft if action == "replay" else None, entry=known)
            replayed = await asyncio.to_thread(replay, platform, who.course.id, proposal, limit=QUESTIONS)
            shown = EntryPage(draft=draft, versions=versions, version=seen, replayed=replayed)
            return _show(request, who, shown)
        await asyncio.to_thread(_write, platform.faq, who, known, form, seen)
    except (InvalidInput, Conflict) as error:
        fault = await asyncio.to_thread(fault_of, error, platform.faq, who.course.id)
        versions = await asyncio.to_thread(platform.faq.history, who.course.id, known)
        shown = EntryPage(draft=draft, versions=versions, version=len(versions), fault=fault)
        overtaken = isinstance(error, Conflict) and not error.field
        return _show(request, who, shown, "conflict.html" if overtaken else "entry.html")
    return _to_entry(who, known)


def _write(faq: FaqService, who: InstructorSession, entry: FaqId, form: Form, seen: int) -> FaqEntry:
    known = (who.course.id, entry)
    match field(form, "action"):
        case "remove":
            return faq.remove(*known, editor=who.name, expected=seen)
        case "restore":
            return faq.restore(*known, editor=who.name, expected=seen)
        case "roll_back":
            return faq.roll_back(*known, number_in(form, "to"), editor=who.name, expected=seen)
        case "save":
            return faq.edit(*known, draft_of(form), editor=who.name, expected=seen)
        case action:
            raise AssertionError(f"{action!r} is not written")


def _show(
    request: Request, who: InstructorSession, shown: EntryPage, template: str = "entry.html"
) -> Response:
    return page(
        request,
        template,
        who,
        status=shown.fault.status if shown.fault else 200,
        entry=shown.versions[-1] if shown.versions else None,
        version=shown.version,
        draft=shown.draft,
        versions=_with_differences(shown.versions) if shown.versions else (),
        fault=shown.fault,
        saved=shown.saved,
        replayed=shown.replayed,
    )


def _to_entry(who: InstructorSession, entry: FaqId) -> Response:
    return RedirectResponse(f"/console/{who.course.id}/faq/{entry}?saved", status_code=303)


def _with_differences(
    versions: tuple[FaqEntry, ...],
) -> list[tuple[FaqEntry, Markup, Markup, Markup, Markup]]:
    """Each version with its texts as they differ from the version before, newest first.

    The texts are question, answer, similar and negative questions; the last two are empty where they stay.
    """
    before = (versions[0], *versions)
    marked = []
    for old, new in zip((each.draft for each in before), versions, strict=False):
        variants = [
            marked_difference("\n".join(was), "\n".join(now)) if was != now else Markup()
            for was, now in (
                (old.similar_questions, new.draft.similar_questions),
                (old.negative_questions, new.draft.negative_questions),
            )
        ]
        question = marked_difference(old.question, new.draft.question)
        answer = marked_difference(old.answer, new.draft.answer)
        marked.append((new, question, answer, variants[0], variants[1]))
    return marked[::-1]
