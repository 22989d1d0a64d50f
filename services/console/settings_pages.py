"""The settings of a course: thresholds, what students read and may do, keys, notices, and itself."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from fastapi.responses import RedirectResponse, Response

from services.console.forms import number_in
from services.console.visits import Visit, Visiting
from services.http.problems import forbidden
from services.http.serving import ThreadedRouter
from services.identity.instructor_sessions import Form, field
from services.storage.course_settings import LARGEST, LONGEST_REFUSAL, CourseSettings, clean_settings
from services.storage.notices import MOST_RECIPIENTS, Notices, Pace
from services.use_cases.courses import LONGEST_COURSE_NAME
from services.use_cases.replay import Replayed, replay_thresholds
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types import KeyId

REPLAYED = 100
"""Real questions that are asked again with other thresholds."""

router = ThreadedRouter()


@router.get("/settings")
def show_settings(visit: Visiting) -> Response:
    return _show(visit)


@router.post("/settings/thresholds")
def set_thresholds(visit: Visiting) -> Response:
    """Keep the thresholds of the course, an empty field the platform's, or only say what would change."""
    try:
        given = {name: _number(visit.field(name), name) for name in LARGEST}
        if visit.field("action") != "replay":
            return _change(visit, **given)
        found: Any = visit.platform.stores.settings.settings(visit.course_id)
        tried = clean_settings(replace(found, **given))
    except InvalidInput as fault:
        return _show(visit, fault=fault)
    replayed = replay_thresholds(visit.platform, visit.course_id, tried, limit=REPLAYED)
    return _show(visit, replayed=replayed)


@router.post("/settings/students")
def set_students(visit: Visiting) -> Response:
    """Keep what students read where the course holds no answer, and whether they may ask for hints."""
    return _change(visit, refusal=visit.field("refusal"), hints=bool(visit.field("hints")))


@router.post("/settings/lending")
def set_lending(visit: Visiting) -> Response:
    """Keep whether the course shares its concepts, and takes those of others."""
    names = ("shares_concepts", "takes_concepts")
    return _change(visit, **{name: bool(visit.field(name)) for name in names})


@router.post("/settings/origins")
def set_origins(visit: Visiting) -> Response:
    """Keep the sites that may embed the sidebar, one a line."""
    lines = (line.strip() for line in visit.field("origins").splitlines())
    return _change(visit, origins=tuple(filter(None, lines)))


@router.post("/settings/webhook")
def set_webhook(visit: Visiting) -> Response:
    """Keep where the platform is told of answers; the first address brings a secret, shown this once."""
    saved = _change(visit, webhook_url=visit.field("webhook_url").strip())
    is_new = visit.platform.course_settings.needs_webhook_secret(visit.course_id)
    return _show_new_secret(visit) if saved.status_code == 303 and is_new else saved


@router.post("/settings/webhook/secret")
def make_secret(visit: Visiting) -> Response:
    """Sign with another secret from now on, shown this once."""
    return _show_new_secret(visit)


@router.post("/settings/webhook/test")
async def send_test(visit: Visiting) -> Response:
    """Send a test now; what came of it stands first among the deliveries."""
    try:
        await visit.platform.courier.send_test(visit.course_id)
    except InvalidInput as fault:
        return await asyncio.to_thread(_show, visit, fault=fault)
    return visit.to("settings#webhook")


@router.post("/settings/keys/make")
def make_key(visit: Visiting) -> Response:
    """Make an instructor's key, and show it this once."""
    text, _ = visit.platform.course_settings.make_key(visit.course_id)
    return _show(visit, new_key=text)


@router.post("/settings/keys/revoke")
def revoke(visit: Visiting) -> Response:
    """Refuse an instructor's key from now on; who logged in with it is logged out."""
    visit.platform.course_settings.revoke_key(visit.course_id, KeyId(visit.field("key")))
    return visit.to("settings")


def _show_new_secret(visit: Visit) -> Response:
    try:
        secret = visit.platform.course_settings.make_webhook_secret(visit.course_id)
    except InvalidInput as fault:  # there is no address, so there is nothing to sign
        return _show(visit, fault=fault)
    return _show(visit, shown_secret=secret)


def _change(visit: Visit, **given: Any) -> Response:
    """Keep other settings; their page with what was typed where they are refused."""
    try:
        visit.platform.course_settings.change(visit.course_id, lambda found: replace(found, **given))
    except InvalidInput as fault:
        return _show(visit, fault=fault)
    return visit.to("settings?saved")


def _show(
    visit: Visit,
    *,
    fault: InvalidInput | None = None,
    new_key: str = "",
    shown_secret: str = "",
    replayed: tuple[Replayed, ...] | None = None,
) -> Response:
    found = visit.platform.stores.settings.settings(visit.course_id)
    return visit.page(
        "settings.html",
        shipped=visit.platform.settings.thresholds,
        settings=found,
        values=_values(found) | {name: visit.field(name) for name in visit.form},
        longest_refusal=LONGEST_REFUSAL,
        keys=visit.platform.stores.keys.keys(visit.course_id),
        new_key=new_key,
        shown_secret=shown_secret,
        waiting=visit.platform.stores.webhooks.waiting(visit.course_id),
        deliveries=visit.platform.stores.webhooks.deliveries(visit.course_id),
        saved="saved" in visit.query,
        replayed=replayed,
        fault=fault,
        wrong=(fault.field or "") if fault else "",
    )


def _values(settings: CourseSettings) -> dict[str, str]:
    """The texts of the fields."""
    own = {name: getattr(settings, name) for name in LARGEST}
    return {name: "" if value is None else f"{value:.4g}" for name, value in own.items()} | {
        "refusal": settings.refusal or "",
        "origins": "\n".join(settings.origins),
        "webhook_url": settings.webhook_url or "",
    }


def _number(text: str, name: str) -> float | None:
    """The number in a field; None for an empty one."""
    try:
        return float(text) if text.strip() else None
    except ValueError as error:
        raise InvalidInput(Fault("console.no_number", name=name, text=text[:40]), field=name) from error


@router.get("/settings/notices")
def show_notices(visit: Visiting) -> Response:
    """What is set, and whether e-mail can go out at all."""
    return _show_notices(visit)


@router.post("/settings/notices")
def set_notices(visit: Visiting) -> Response:
    """Keep who is told from now on."""
    try:
        visit.platform.stores.notices.keep(visit.course_id, _notices_of(visit.form))
    except InvalidInput as error:
        return _show_notices(visit, error)
    return visit.to("settings/notices?saved")


def _show_notices(visit: Visit, fault: InvalidInput | None = None) -> Response:
    found = visit.platform.stores.notices.notices(visit.course_id)
    settings = visit.platform.stores.settings.settings(visit.course_id)
    return visit.page(
        "notices.html",
        notices=found,
        recipients=visit.field("recipients") if fault else "\n".join(found.recipients),
        most=MOST_RECIPIENTS,
        paces=tuple(Pace),
        can_send=visit.platform.postman.can_send,
        has_webhook=settings.webhook_url is not None,
        saved="saved" in visit.query,
        fault=fault,
    )


def _notices_of(form: Form) -> Notices:
    pace = field(form, "pace")
    return Notices(
        recipients=tuple(field(form, "recipients").replace(",", "\n").split("\n")),
        pace=Pace(pace) if pace in set(Pace) else Pace.DAILY,
        hour=number_in(form, "hour"),
        tells_platform=bool(field(form, "tells_platform")),
    )


@router.get("/settings/course")
def show_course(visit: Visiting) -> Response:
    return _show_course(visit)


@router.post("/settings/course")
def edit_course(visit: Visiting) -> Response:
    """Give the course another name and other domains."""
    try:
        visit.platform.catalogue.edit(
            visit.course_id, name=visit.field("name"), domains=visit.field("domains").split("\n")
        )
    except InvalidInput as error:
        return _show_course(visit, error.fault)
    return visit.to("settings/course?saved")


@router.post("/settings/archive")
def archive_course(visit: Visiting) -> Response:
    """Close the course for students and changes, or open it again."""
    visit.platform.catalogue.archive(visit.course_id, visit.field("archived") == "yes")
    return visit.to("settings/course?saved")


@router.post("/settings/remove")
def remove_course(visit: Visiting) -> Response:
    """Remove the course with all it holds, for an admin who typed its name."""
    if not visit.who.is_admin:
        raise forbidden(Fault("person.no_admin"))
    if visit.field("typed").strip() != visit.who.course.name.strip():
        return _show_course(visit, Fault("course.not_its_name", name=visit.who.course.name))
    visit.platform.catalogue.remove(visit.course_id)
    return RedirectResponse("/console/-/courses", status_code=303)


def _show_course(visit: Visit, fault: Fault | None = None) -> Response:
    """Also for a form that was refused, with what was typed."""
    course, form = visit.who.course, visit.form
    return visit.page(
        "course.html",
        name=visit.field("name") if "name" in form else course.name,
        domains=visit.field("domains") if "domains" in form else "\n".join(course.domains),
        longest_name=LONGEST_COURSE_NAME,
        saved="saved" in visit.query,
        fault=fault,
    )
