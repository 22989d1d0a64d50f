"""The settings of a course: thresholds, what students read and may do, keys, notices, and itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

from fastapi.responses import RedirectResponse, Response

from services.console.audit_pages import asked_of, log_page
from services.console.forms import number_in
from services.console.visits import PageRouter, Visit, Visiting
from services.courses.service import MOST_WEEKS
from services.courses.settings_store import (
    LARGEST,
    LONGEST,
    MOST_STARTERS,
    MOST_TOKENS,
    VARIED,
    clean_settings,
)
from services.faq.replay import replay_thresholds
from services.people.sessions import Form, field
from services.people.store import CourseRole
from services.questions.notices import MOST_RECIPIENTS, Notices, Pace
from services.web.problems import forbidden
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.courses import LONGEST_COURSE_NAME, CourseId, KeyId, Role

REPLAYED = 100
"""Real questions that are asked again with other thresholds."""

router = PageRouter()


@router.get("/settings")
def show_settings(visit: Visiting) -> Response:
    """All settings; after a form that was refused with what was typed."""
    stores, found = visit.platform.stores, visit.platform.stores.settings.settings(visit.course_id)
    return visit.page(
        "settings.html",
        shipped=visit.platform.settings.thresholds,
        settings=found,
        longest=LONGEST,
        varied=VARIED,
        most_starters=MOST_STARTERS,
        use=visit.platform.course_settings.model_use(visit.course_id),
        keys=stores.keys.keys(visit.course_id),
        waiting=stores.webhooks.waiting(visit.course_id),
        deliveries=stores.webhooks.deliveries(visit.course_id),
        new_key="",
        new_secret="",
        replayed=None,
    )


@router.form("/settings/thresholds", show_settings)
def set_thresholds(visit: Visiting) -> Response:
    """Store the thresholds of the course, the platform's for an empty field, or only replay them."""
    given = {name: _number(visit.field(name), name) for name in LARGEST}
    if visit.field("action") != "replay":
        return _change(visit, **given)
    found: Any = visit.platform.stores.settings.settings(visit.course_id)
    clean_settings(replace(found, **given))
    replayed = replay_thresholds(visit.platform, visit.course_id, given, limit=REPLAYED)
    return show_settings(visit.showing(replayed=replayed))


@router.form("/settings/students", show_settings)
def set_students(visit: Visiting) -> Response:
    """Store the assistant's name, the greeting, the first questions, the sentence of a refusal, the hints."""
    return _change(
        visit,
        assistant=visit.field("assistant"),
        greeting=visit.field("greeting"),
        starters=tuple(visit.field("starters").splitlines()),
        refusal=visit.field("refusal"),
        hints=bool(visit.field("hints")),
    )


@router.form("/settings/model", show_settings)
def set_model(visit: Visiting) -> Response:
    """Store the tone, the language model and its tokens a day; empty fields for the platform's."""
    tokens = visit.field("daily_tokens").strip()
    if tokens and not (tokens.isascii() and tokens.isdecimal() and len(tokens) <= len(str(MOST_TOKENS))):
        most = visit.platform.settings.llm_course_tokens or MOST_TOKENS
        raise InvalidInput(Fault("setting.tokens", most=most), field="daily_tokens")
    return _change(
        visit,
        tone=visit.field("tone"),
        model=visit.field("model"),
        daily_tokens=int(tokens) if tokens else None,
    )


@router.form("/settings/research", show_settings)
def set_research(visit: Visiting) -> Response:
    """Store the text of the study; an empty one asks nobody."""
    return _change(visit, research=visit.field("research"))


@router.form("/settings/experiment", show_settings)
def set_experiment(visit: Visiting) -> Response:
    """Store what differs for half of the learners; an empty name ends it."""
    names = ("experiment", "experiment_setting", "experiment_value")
    return _change(visit, **{name: visit.field(name) for name in names})


@router.form("/settings/lending", show_settings)
def set_lending(visit: Visiting) -> Response:
    """Store whether the course shares its concepts, and uses the shared ones of others."""
    names = ("shares_concepts", "takes_concepts")
    return _change(visit, **{name: bool(visit.field(name)) for name in names})


@router.form("/settings/origins", show_settings)
def set_origins(visit: Visiting) -> Response:
    """Store the sites that may embed the sidebar, one a line."""
    lines = (line.strip() for line in visit.field("origins").splitlines())
    return _change(visit, origins=tuple(filter(None, lines)))


@router.form("/settings/webhook", show_settings)
def set_webhook(visit: Visiting) -> Response:
    """Store the webhook address; the first one brings a secret, which is shown once."""
    saved = _change(visit, webhook_url=visit.field("webhook_url").strip())
    stores = visit.platform.stores
    has_address = stores.settings.settings(visit.course_id).webhook_url is not None
    return make_secret(visit) if has_address and not stores.webhooks.has_secret(visit.course_id) else saved


@router.form("/settings/webhook/secret", show_settings)
def make_secret(visit: Visiting) -> Response:
    """Sign with another secret from now on, shown this once."""
    secret = visit.platform.course_settings.make_webhook_secret(visit.course_id)
    return show_settings(visit.showing(new_secret=secret))


@router.form("/settings/webhook/test", show_settings)
async def send_test(visit: Visiting) -> Response:
    """Send a test now; what came of it stands first among the deliveries."""
    await visit.platform.webhook_worker.send_test(visit.course_id)
    return visit.to("settings#webhook")


@router.post("/settings/keys/make")
def make_key(visit: Visiting) -> Response:
    """Make an instructor's key, maybe in the place of another, and show it this once."""
    replaces = KeyId(visit.field("replaces")) if visit.field("replaces") else None
    text, _ = visit.platform.stores.keys.make(visit.course_id, Role.INSTRUCTOR, replaces=replaces)
    return show_settings(visit.showing(new_key=text))


@router.post("/settings/keys/revoke")
def revoke(visit: Visiting) -> Response:
    """Refuse an instructor's key from now on; who logged in with it is logged out."""
    visit.platform.stores.keys.revoke(visit.course_id, KeyId(visit.field("key")), role=Role.INSTRUCTOR)
    return visit.to("settings")


def _change(visit: Visit, **given: Any) -> Response:
    visit.platform.course_settings.change(visit.course_id, lambda found: replace(found, **given))
    return visit.to("settings?saved")


def _number(text: str, name: str) -> float | None:
    """The number in a field; None for an empty one."""
    try:
        return float(text) if text.strip() else None
    except ValueError as error:
        raise InvalidInput(Fault("console.no_number", name=name, text=text[:40]), field=name) from error


@router.get("/settings/log")
def show_log(visit: Visiting) -> Response:
    entries = visit.platform.stores.audit_log.entries
    find = partial(entries, course_id=visit.course_id, of_earlier=False)
    return log_page(visit, {"person": asked_of(visit, "person")}, find)


@router.get("/settings/notices")
def show_notices(visit: Visiting) -> Response:
    """The notices of new questions, and the state of outgoing e-mail."""
    found = visit.platform.stores.notices.notices(visit.course_id)
    settings = visit.platform.stores.settings.settings(visit.course_id)
    return visit.page(
        "notices.html",
        notices=found,
        most=MOST_RECIPIENTS,
        paces=tuple(Pace),
        can_send=visit.platform.mail_worker.can_send,
        has_webhook=settings.webhook_url is not None,
    )


@router.form("/settings/notices", show_notices)
def set_notices(visit: Visiting) -> Response:
    visit.platform.stores.notices.keep(visit.course_id, _notices_of(visit.form))
    return visit.to("settings/notices?saved")


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
    """Name and domains; after a form that was refused with what was typed."""
    return visit.page("course.html", longest_name=LONGEST_COURSE_NAME, most_weeks=MOST_WEEKS)


@router.form("/settings/course", show_course)
def edit_course(visit: Visiting) -> Response:
    """Give the course another name and other domains."""
    name, domains = visit.field("name"), visit.field("domains").split("\n")
    visit.platform.catalogue.edit(visit.course_id, name=name, domains=domains)
    return visit.to("settings/course?saved")


@router.form("/settings/copy", show_course)
def copy_course(visit: Visiting) -> Response:
    """Make a course of the next term from this one, whose instructor is who makes it."""
    person = visit.who.session.person
    if person is None or not visit.who.may_make_courses:
        raise forbidden(Fault("person.no_creator"))
    copied = visit.platform.catalogue.copy(
        visit.course_id,
        as_id=CourseId(visit.field("copy_id").strip()),
        name=visit.field("copy_name"),
        later=timedelta(weeks=min(number_in(visit.form, "weeks"), MOST_WEEKS)),
        editor=visit.who.name,
    )
    visit.platform.stores.memberships.put(copied.id, person.id, CourseRole.INSTRUCTOR)
    return RedirectResponse(f"/console/{copied.id}/materials", status_code=303)


@router.post("/settings/archive")
def archive_course(visit: Visiting) -> Response:
    """Close the course for students and changes, or open it again."""
    visit.platform.stores.courses.set_archived(visit.course_id, visit.field("archived") == "yes")
    return visit.to("settings/course?saved")


@router.form("/settings/remove", show_course)
def remove_course(visit: Visiting) -> Response:
    """Remove the course with all it holds, for an admin who typed its name."""
    if not visit.who.is_admin:
        raise forbidden(Fault("person.no_admin"))
    if visit.field("typed").strip() != visit.who.course.name.strip():
        raise InvalidInput(Fault("course.not_its_name", name=visit.who.course.name), field="typed")
    visit.platform.catalogue.remove(visit.course_id)
    return RedirectResponse("/console/-/courses", status_code=303)
