"""The documents of a course in the console: list, upload with progress, removal."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from urllib.parse import quote

from fastapi.responses import JSONResponse, RedirectResponse, Response

from services.console.forms import action_of, read_uploads
from services.console.visits import LONGEST_SEARCH, PageRouter, Uploading, Visit, Visiting, whole_number
from services.documents.weeks import Week
from services.materials.ingest_store import Job
from services.materials.service import DocumentOrder
from services.materials.site_store import Every
from services.materials.upload_plans import FileOutcome, results_of
from services.people.sessions import Form
from services.reading.given_files import MOST_FILES, UploadRefused
from services.web.uploads import LARGEST_UPLOAD_MB, given_file
from vta.errors import InvalidInput, LimitExceeded, UpstreamFailed
from vta.faults import Fault
from vta.ingest.files import count_kinds

PAGE_SIZE = 100
PASSAGES = 60
"""Of a file, on a page."""
MOST_SHOWN = 1000
"""Files of an upload that a page names."""
MOST_NAMED = 5
"""Removed files that are named; of more, the page shows the number."""
MOST_UNDONE = 100
"""Files whose removal is undone by one button; an address names no more. The list of the removed has all."""
SAID = (
    *("none_chosen_files", "files_restored", "files_released", "week_saved", "week_removed"),
    *("site_kept", "site_removed", "site_told"),
)
MOST_PROBLEMS = 200
SWITCHED = ("switched_on", "switched_off")

router = PageRouter()


@router.get("/materials")
def show_materials(visit: Visiting) -> Response:
    """A page of the documents, as they are searched and ordered."""
    query = visit.query
    order = DocumentOrder(query["order"]) if query.get("order") in set(DocumentOrder) else DocumentOrder.PATH
    calendar = visit.platform.stores.releases.weeks(visit.course_id)
    known = visit.platform.materials.documents(visit.course_id)
    matching = visit.platform.materials.documents(visit.course_id, visit.search, order)
    undoable = [each.path for each in visit.platform.stores.removed_documents.documents(visit.course_id)]
    documents, numbers = visit.listed(matching, PAGE_SIZE)
    return visit.page(
        "materials.html",
        documents=documents,
        folders=len({each.folder for each in matching}),
        search=visit.search,
        order=order,
        orders=tuple(DocumentOrder),
        removed=[path for path in query.getlist("removed") if path in undoable],
        most_named=MOST_NAMED,
        said=visit.asked("said", SAID),
        calendar=calendar,
        files_of=Counter(calendar.week_of(each.path) for each in known),
        beginnings=sorted({str(part) for each in known for part in PurePosixPath(each.path).parents[:-1]}),
        sites=visit.platform.stores.sites.sites(visit.course_id),
        intervals=tuple(Every),
        **({"status": 400} if isinstance(visit.fault, UploadRefused) else {}),
        **numbers,
        most_files=MOST_FILES,
        most_mb=LARGEST_UPLOAD_MB,
    )


@router.form("/materials", show_materials, (InvalidInput, LimitExceeded))
async def upload(visit: Uploading) -> Response:
    """Read uploaded files at once where they replace nothing, else ask first."""
    async with read_uploads(visit, "files") as uploads:
        given = list(map(given_file, uploads))
        begun = await asyncio.to_thread(visit.platform.materials.upload, visit.who.course, given)
    return _begun(visit, begun)


def _begun(visit: Visit, begun: Job | str) -> Response:
    """The page of an upload that begins, or the question whether to replace and remove something."""
    return visit.to(f"materials/uploads/{begun.id}" if isinstance(begun, Job) else f"materials/plans/{begun}")


@router.form("/materials/site", show_materials, (InvalidInput, LimitExceeded, UpstreamFailed))
async def read_site(visit: Visiting) -> Response:
    """Fetch the pages of a website, then as in `upload`; it is read again at the interval of the form."""
    course, address = visit.who.course, visit.field("address")
    return _begun(visit, await visit.platform.sites.read(course, address, _every(visit)))


@router.form("/materials/sites", show_materials)
def change_site(visit: Visiting) -> Response:
    """Read a kept website at other intervals, forget it, or tell its fault no longer, as the button says."""
    address, every = visit.field("address"), _every(visit)
    match action_of(visit.form, ("keep", "remove", "dismiss")):
        case "keep":
            visit.platform.sites.keep(visit.course_id, address, every or Every.NEVER)
            return _back(visit, said="site_kept")
        case "remove":
            visit.platform.stores.sites.remove(visit.course_id, address)
            return _back(visit, said="site_removed")
        case _:
            visit.platform.stores.sites.dismiss_fault(visit.course_id, address)
            return _back(visit, said="site_told")


def _every(visit: Visit) -> Every | None:
    """The interval of a form, None where it names none."""
    given = visit.field("every")
    return Every(given) if given in set(Every) else None


@router.get("/materials/plans/{plan}")
def plan_page(visit: Visiting, plan: str) -> Response:
    """The plan of an upload before it replaces or removes anything."""
    planned = visit.platform.materials.planned(visit.course_id, plan)
    return visit.page("upload_plan.html", id=plan, planned=planned, most=MOST_SHOWN)


@router.form("/materials/plans/{plan}", lambda visit, plan: show_materials(visit), (LimitExceeded,))
def settle_plan(visit: Visiting, plan: str) -> Response:
    """Carry an upload out or drop it, as the button says."""
    if action_of(visit.form, ("confirm", "decline")) == "decline":
        visit.platform.stores.waiting_uploads.remove(visit.course_id, plan)
        return visit.to("materials")
    remove = visit.field("remove_missing") == "yes"
    job = visit.platform.materials.confirm(visit.who.course, plan, remove_missing=remove)
    return visit.to(f"materials/uploads/{job.id}")


@router.get("/materials/uploads/{job}")
def follow(visit: Visiting, job: str) -> Response:
    """The progress of an upload, and the result for each file at its end."""
    found = visit.platform.materials.job(visit.course_id, job)
    results = results_of(found.report) if found.report else ()
    counts = {outcome.value: 0 for outcome in FileOutcome} | Counter(each.outcome.value for each in results)
    kinds = count_kinds(found.report.passed_over) if found.report else ""
    return visit.page(
        "ingest.html",
        job=found,
        results=results,
        counts=counts,
        kinds=kinds,
        most=MOST_SHOWN,
        tests_wait=visit.platform.test_runs.waits(visit.course_id),
        tests=visit.platform.stores.test_questions.read(visit.course_id),
    )


@router.get("/materials/uploads/{job}/state")
def state(visit: Visiting, job: str) -> JSONResponse:
    found = visit.platform.materials.job(visit.course_id, job)
    progress = {"state": found.state, "running": found.running, "done": found.done, "total": found.total}
    return JSONResponse(progress, headers={"Cache-Control": "no-store"})


@router.post("/materials/remove")
def remove(visit: Visiting) -> Response:
    """Take the chosen documents out of the course, or the one whose button was pressed."""
    paths = _paths(visit.form)
    if not paths:
        return _back(visit, said="none_chosen_files")
    visit.platform.materials.remove(visit.course_id, *paths)
    return _back(visit, removed=paths if len(paths) <= MOST_UNDONE else ())


@router.post("/materials/release")
def release(visit: Visiting) -> Response:
    """Release the chosen documents from their own dates now."""
    paths = _paths(visit.form)
    if not paths:
        return _back(visit, said="none_chosen_files")
    visit.platform.materials.release(visit.course_id, paths, None)
    return _back(visit, said="files_released")


@router.form("/materials/weeks", show_materials)
def change_week(visit: Visiting) -> Response:
    """Save a week, or forget it, as the button says."""
    saves = action_of(visit.form, ("save", "remove")) == "save"
    week = Week(path=visit.field("path"), name=visit.field("name"), opens=visit.field("opens"))
    visit.platform.materials.set_week(visit.course_id, visit.field("was"), week if saves else None)
    return _back(visit, said="week_saved" if saves else "week_removed")


@router.get("/materials/removed")
def removed(visit: Visiting) -> Response:
    """The documents that can be restored."""
    documents = visit.platform.stores.removed_documents.documents(visit.course_id)
    return visit.page("removed_files.html", documents=documents)


@router.post("/materials/restore")
def restore(visit: Visiting) -> Response:
    """Put removed documents back."""
    paths = _paths(visit.form)
    if not paths:
        return _back(visit, said="none_chosen_files")
    visit.platform.materials.restore(visit.course_id, paths)
    return _back(visit, said="files_restored")


def _paths(form: Form) -> tuple[str, ...]:
    """The document whose own button was pressed, else those that were chosen."""
    return form.get("only") or form.get("path", ())


def _back(visit: Visit, *, said: str = "", removed: Sequence[str] = ()) -> RedirectResponse:
    """The list again, with what was done."""
    fields = [("said", said)] if said else [("removed", path) for path in removed]
    return visit.to("materials", fields)


@router.get("/materials/file")
def file(visit: Visiting, path: str = "") -> Response:
    """The passages of a file, or those that hold what is sought."""
    stored = visit.platform.stores.passages.file(visit.course_id, path)
    shown, places = visit.listed(stored.holding(visit.search), PASSAGES)
    return visit.page(
        "material.html",
        file=stored,
        shown=shown,
        **places,
        search=visit.search,
        said=visit.asked("said", SWITCHED),
        anchored="at" in visit.query,
        most=MOST_PROBLEMS,
    )


@router.form("/materials/file", file, (InvalidInput, LimitExceeded))
async def replace_file(visit: Uploading, path: str = "") -> Response:
    """Read an uploaded file in the place of this one, whatever it is called."""
    materials, course = visit.platform.materials, visit.who.course
    async with read_uploads(visit, "files") as uploads:
        await asyncio.to_thread(visit.platform.stores.passages.file, course.id, path)
        given = given_file(uploads[0])
        kind = PurePosixPath(path).suffix.lower()
        if PurePosixPath(given.name).suffix.lower() != kind:
            raise InvalidInput(Fault("upload.other_kind", name=given.name, kind=kind), field="files")
        job = await asyncio.to_thread(materials.begin, course, [replace(given, name=path)])
    return visit.to(f"materials/uploads/{job.id}")


@router.post("/materials/passages")
def switch(visit: Visiting) -> Response:
    """Switch passages of a file off or on, as the button says; then the same page."""
    action, path = action_of(visit.form, ("on", "off")), visit.field("path")
    passages = visit.form.get("passage", ())
    visit.platform.materials.switch(visit.course_id, path, passages, on=action == "on")
    at = visit.field("at")
    fields = {
        "path": path,
        "search": visit.field("search")[:LONGEST_SEARCH],
        "page": str(whole_number(visit.field("page"))),
        "said": f"switched_{action}",
        "at": at,
    }
    anchor = f"#p-{quote(at)}" if at else ""
    return visit.to("materials/file", {name: value for name, value in fields.items() if value}, anchor)


@router.get("/materials/text")
def text(visit: Visiting, path: str = "") -> Response:
    """The text read from a file, as a Markdown download."""
    read = visit.platform.stores.passages.file(visit.course_id, path).markdown()
    name = quote(f"{PurePosixPath(path).stem}.md")
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{name}", "Cache-Control": "no-store"}
    return Response(read, media_type="text/markdown; charset=utf-8", headers=headers)
