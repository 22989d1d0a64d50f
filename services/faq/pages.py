"""FAQ entries: their list, changes of several at once, one entry with its history, import and export."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from pathlib import PurePosixPath

from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup

from knowledge.sources.readers import FaqReader, read_faq_table
from services.console.forms import action_of, draft_of, number_in, read_uploads
from services.console.pages import marked_difference
from services.console.visits import PageRouter, Uploading, Visit, Visiting, last_page
from services.faq.replay import QUESTIONS, FaqProposal, Replayed, replay
from services.faq.service import ImportPlan
from services.reading.given_files import plain_name
from services.web.serving import csv_file
from services.wiring import Platform
from vta.errors import Conflict, InvalidInput, NotFound
from vta.faq import LONGEST_CATEGORY, LONGEST_TEXT
from vta.faults import Fault
from vta.types.courses import CourseId, FaqId, TurnId
from vta.types.faq import FaqBatch, FaqChange, FaqDraft, FaqEntry, FaqOrder, FaqQuery, FaqState

PAGE_SIZE = 50
MOST_AT_ONCE = 5000
"""Entries that one form changes."""
NAMED = 20
"""Entries that a confirmation names."""
NO_CATEGORY = " "
"""The category in an address for entries without one."""
ORDERS = (FaqOrder.NEWEST, FaqOrder.MOST_ASKED, FaqOrder.QUESTION, FaqOrder.CATEGORY, FaqOrder.OLDEST)
FIELDS = ("search", "category", "state", "order", "show", "page")
"""Fields of the address of the list."""
ACTIONS = ("category", "live", "draft", "remove", "restore")
_NONE_CHOSEN, _NOTHING_CHANGED = "none", "same"
LOOKED_AT = ("preview",)
TRIED_OUT = ("replay", "replay_removal")
WRITTEN = ("save", "remove", "restore", "roll_back")
SHOWN = 100
"""Rows of each kind on the page of a dry run."""
LARGEST_TABLE = 50000000
"""Bytes."""
LONGEST_NAME = 200
"""Characters of a file's name, from its end."""
_CITATION = re.compile(r"\s?\[\d+\]")

router = PageRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Done:
    """The last action that the list confirms: on a batch of entries, some of them named, or on one."""

    batch: FaqBatch | None = None
    named: Sequence[FaqEntry] = ()
    removed: FaqEntry | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    """The action of a form, and its entries."""

    action: str
    category: str
    ids: Sequence[FaqId] = field(default_factory=tuple)

    @property
    def change(self) -> FaqChange:
        match self.action:
            case "category":
                return FaqChange(category=self.category)
            case "live" | "draft":
                return FaqChange(state=FaqState(self.action))
        return FaqChange(removed=self.action == "remove")


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """The plan for an uploaded table, the token of the upload, and the name of its file."""

    plan: ImportPlan
    token: str
    name: str


def query_of(fields: Mapping[str, str]) -> FaqQuery:
    """The query of an address or form, missing and wrong fields at their defaults."""
    category, state, order = (fields.get(name, "") for name in ("category", "state", "order"))
    return FaqQuery(
        sought=fields.get("search", ""),
        removed=fields.get("show") == "removed",
        category=category.strip() if category else None,
        state=FaqState(state) if state in set(FaqState) else None,
        order=FaqOrder(order) if order in set(FaqOrder) else ORDERS[0],
    )


@router.get("/faq")
def table(visit: Visiting) -> Response:
    """A page of the entries, or of the removed ones, as they are searched, filtered and ordered."""
    address, number = visit.listing("faq", FIELDS), visit.number
    query = query_of(address.fields)
    faq = visit.platform.stores.faq
    found = faq.page(visit.course_id, query, offset=(number - 1) * PAGE_SIZE, limit=PAGE_SIZE)
    return visit.page(
        "faq.html",
        entries=found.entries,
        asked=faq.asked(visit.course_id, [each.id for each in found.entries]),
        categories=faq.categories(visit.course_id),
        total=found.total,
        query=query,
        address=address,
        orders=ORDERS,
        no_category=NO_CATEGORY,
        filtered=bool(query.sought or query.state or query.category is not None),
        done=_done(visit.platform, visit.course_id, visit.query),
        number=number,
        last=last_page(found.total, PAGE_SIZE),
        most=MOST_AT_ONCE,
    )


@router.post("/faq/selected")
def confirm(visit: Visiting) -> Response:
    """Show the number and names of the entries before a change."""
    back = visit.listing("faq", FIELDS)
    chosen = _chosen(visit, query_of(back.fields))
    if not chosen.ids:
        return RedirectResponse(back.with_(done=_NONE_CHOSEN), status_code=303)
    named = [visit.platform.faq.entry(visit.course_id, each) for each in chosen.ids[:NAMED]]
    return visit.page("faq_confirm.html", chosen=chosen, named=named, address=back)


@router.post("/faq/change")
def change(visit: Visiting) -> Response:
    """Change the entries of a confirmed form, and show the list with an undo."""
    back = visit.listing("faq", FIELDS)
    ids = tuple(FaqId(each) for each in visit.field("entries").split()[:MOST_AT_ONCE])
    chosen = _Chosen(action=action_of(visit.form, ACTIONS), category=visit.field("to"), ids=ids)
    batch = visit.platform.faq.change(visit.course_id, chosen.ids, chosen.change, editor=visit.who.name)
    done = {"batch": batch.id} if batch else {"done": _NOTHING_CHANGED}
    return RedirectResponse(back.with_(**done), status_code=303)


@router.get("/faq/changes")
def show_changes(visit: Visiting) -> Response:
    """The last imports and changes of several entries."""
    batches = visit.platform.stores.faq_batches.batches(visit.course_id)
    return visit.page("faq_changes.html", batches=batches, undone=None)


@router.form("/faq/changes", show_changes)
def undo(visit: Visiting) -> Response:
    """Undo one of them, and name the entries that stay as they are."""
    undone = visit.platform.faq.undo(visit.course_id, visit.field("batch"), editor=visit.who.name)
    return show_changes(visit.showing(undone=undone))


def _done(platform: Platform, course_id: CourseId, fields: Mapping[str, str]) -> _Done:
    """The action that the address names."""
    if batch := fields.get("batch"):
        batches = platform.stores.faq_batches
        named = batches.written(course_id, batch, limit=2)
        return _Done(batch=batches.batch(course_id, batch), named=named)
    if removed := fields.get("removed"):
        entry = platform.faq.entry(course_id, FaqId(removed))
        return _Done(removed=entry if entry.removed else None)
    done = fields.get("done", "")
    return _Done(fault=done if done in (_NONE_CHOSEN, _NOTHING_CHANGED) else "")


def _chosen(visit: Visit, query: FaqQuery) -> _Chosen:
    action = action_of(visit.form, ACTIONS)
    ids = tuple(FaqId(each) for each in visit.form.get("entry", ()))
    if visit.field("all"):
        listed = visit.platform.stores.faq.page(visit.course_id, query, limit=MOST_AT_ONCE)
        ids = tuple(entry.id for entry in listed.entries)
    return _Chosen(action=action, category=visit.field("to").strip(), ids=ids[:MOST_AT_ONCE])


@router.get("/faq/new")
def new_entry(visit: Visiting) -> Response:
    """An empty form, or one with the question that is given, or with those of a turn and its answer."""
    draft = FaqDraft(question=visit.query.get("question", "")[:2000], answer="")
    if visit.form:
        draft = draft_of(visit.form)
    elif (turn := visit.query.get("turn")) and visit.who.may("questions"):
        draft = _draft_of_turn(visit, TurnId(turn))
    return _show_entry(visit, draft)


def _draft_of_turn(visit: Visit, turn_id: TurnId) -> FaqDraft:
    """A draft of a turn's question and answer, without the numbers of sources; `NotFound` for no turn."""
    turns = visit.platform.stores.conversations.conversation(visit.course_id, turn_id)
    turn = next(each.turn for each in turns if each.turn.id == turn_id)
    answer = _CITATION.sub("", turn.answer.text).strip()
    return FaqDraft(question=turn.question, answer=answer)


@router.post("/faq/rendered")
def rendered(visit: Visiting) -> Response:
    """A part of a page: the answer that is being written, as students read it."""
    return visit.page("rendered.html", text=visit.field("answer")[:LONGEST_TEXT])


@router.form("/faq/new", new_entry)
def add_entry(visit: Visiting) -> Response:
    """Save, or only show the answer as it is read, or say what would change."""
    draft, action = draft_of(visit.form), action_of(visit.form, ("save", *LOOKED_AT, "replay"))
    if action in LOOKED_AT:
        return new_entry(visit.showing(rendered=True))
    if action == "replay":
        return new_entry(visit.showing(replayed=_replay(visit, FaqProposal(draft=draft))))
    entry = visit.platform.faq.add(visit.course_id, draft, editor=visit.who.name)
    return visit.to(f"faq/{entry.id}?saved")


@router.get("/faq/import")
def show_import(visit: Visiting) -> Response:
    """A form for a table, and what the last one would do or did."""
    return visit.page("import.html", run=None, done=None, batch=None, stale=False, shown=SHOWN)


@router.form("/faq/import", show_import)
async def try_import(visit: Uploading) -> Response:
    """Read an uploaded table and say what it would do."""
    async with read_uploads(visit, "table") as uploads:
        name, content = plain_name(uploads[0].filename or ""), await uploads[0].read(LARGEST_TABLE + 1)
    if not FaqReader().handles(name):
        raise InvalidInput(Fault("console.table_kind", name=name), field="table")
    if len(content) > LARGEST_TABLE:
        raise InvalidInput(Fault("console.table_too_large", name=name, most=LARGEST_TABLE), field="table")
    waiting, opened = visit.platform.stores.waiting_uploads, partial(BytesIO, content)
    called = PurePosixPath(name[-LONGEST_NAME:]).name
    token = await asyncio.to_thread(waiting.add, visit.course_id, {}, [(called, opened)])
    run = await asyncio.to_thread(_dry_run, visit, token)
    return show_import(visit.showing(run=run))


@router.form("/faq/import/confirm", show_import, (InvalidInput,))
def do_import(visit: Visiting) -> Response:
    """Carry a dry run out, in one transaction; another look where entries changed, or at another sheet."""
    token, mark = visit.field("token"), visit.field("mark")
    run = _dry_run(visit, token, visit.field("sheet"))
    if "look" in visit.form:
        return show_import(visit.showing(run=run))
    if run.plan.mark != mark:
        return show_import(visit.showing(run=run, stale=True, status=409))
    try:
        batch = visit.platform.faq.apply(visit.course_id, run.plan, editor=visit.who.name, file=run.name)
    except Conflict as conflict:
        run = _dry_run(visit, token, visit.field("sheet"))
        if run.plan.mark != mark:
            return show_import(visit.showing(run=run, stale=True, status=409))
        return show_import(replace(visit, fault=conflict).showing(run=run))  # the same plan would fail again
    visit.platform.stores.waiting_uploads.remove(visit.course_id, token)
    return show_import(visit.showing(done=run.plan, batch=batch))


@router.get("/faq/export")
def export(visit: Visiting) -> Response:
    """The entries as a table that can be imported again."""
    return csv_file(f"faq-{visit.course_id}.csv", "\ufeff" + visit.platform.faq.export(visit.course_id))


def _dry_run(visit: Visit, token: str, sheet: str = "") -> DryRun:
    """The plan for the rows of a table; faults have the name of its file."""
    uploads = visit.platform.stores.waiting_uploads
    if uploads.details(visit.course_id, token):  # not a table
        raise NotFound(Fault("upload.gone"))
    pieces = tuple(uploads.pieces(token))
    name, content = pieces[0][0], b"".join(piece for _, piece in pieces)
    table = read_faq_table(BytesIO(content), path=name, sheet=sheet or None)
    return DryRun(plan=visit.platform.faq.plan(visit.course_id, table), token=token, name=name)


@router.get("/faq/{entry}")
def show_entry(visit: Visiting, entry: str) -> Response:
    """An entry with its history; both versions where somebody changed it while a form was filled in."""
    versions = visit.platform.stores.faq.history(visit.course_id, FaqId(entry))
    newest = versions[-1]
    near = visit.platform.faq.near(newest) if "saved" in visit.query else ()
    draft = draft_of(visit.form) if visit.form else newest.draft
    is_conflict = isinstance(visit.fault, Conflict) and not visit.fault.field
    template = "conflict.html" if is_conflict else "entry.html"
    return _show_entry(visit.showing(near=near), draft, versions, template)


@router.form("/faq/{entry}", show_entry)
def write_entry(visit: Visiting, entry: str) -> Response:
    """Save, remove, restore, roll back, look at or try out, as the button says."""
    draft, action = draft_of(visit.form), action_of(visit.form, LOOKED_AT + TRIED_OUT + WRITTEN)
    known, seen = FaqId(entry), number_in(visit.form, "version")
    if action in LOOKED_AT:
        return show_entry(visit.showing(version=seen, rendered=True), entry)
    if action in TRIED_OUT:
        proposal = FaqProposal(draft=draft if action == "replay" else None, entry=known)
        return show_entry(visit.showing(version=seen, replayed=_replay(visit, proposal)), entry)
    _write(visit, known, seen)
    return visit.to(f"faq?removed={known}" if action == "remove" else f"faq/{known}?saved")


def _write(visit: Visit, entry: FaqId, seen: int) -> FaqEntry:
    faq, known = visit.platform.faq, (visit.course_id, entry)
    match visit.field("action"):
        case "remove":
            return faq.remove(*known, editor=visit.who.name, expected=seen)
        case "restore":
            return faq.restore(*known, editor=visit.who.name, expected=seen)
        case "roll_back":
            return faq.roll_back(*known, number_in(visit.form, "to"), editor=visit.who.name, expected=seen)
        case "save":
            return faq.edit(*known, draft_of(visit.form), editor=visit.who.name, expected=seen)
        case action:
            raise AssertionError(f"{action!r} is not written")


def _replay(visit: Visit, proposal: FaqProposal) -> tuple[Replayed, ...]:
    return replay(visit.platform, visit.course_id, proposal, limit=QUESTIONS)


def _show_entry(
    visit: Visit, draft: FaqDraft, versions: tuple[FaqEntry, ...] = (), template: str = "entry.html"
) -> Response:
    """The page of an entry, or of a new one, with a form that holds the draft."""
    return visit.page(
        template,
        entry=versions[-1] if versions else None,
        version=len(versions),  # that the writer begins from
        draft=draft,
        versions=_with_differences(versions) if versions else (),
        categories=visit.platform.stores.faq.categories(visit.course_id),
        longest_category=LONGEST_CATEGORY,
        near=(),
        rendered=False,
        replayed=None,
    )


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
