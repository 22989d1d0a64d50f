"""What an administrator does on the admin page, by the name of the form's button."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from services.identity.instructor_sessions import Form, field
from services.lti.registrations import ADDRESSES, Label, add_platform, edit_platform
from services.storage.lti_platforms import LtiContext, PlatformId
from services.wiring import Platform
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types import CourseId

MOST_QUESTIONS = 1000


def add(platform: Platform, form: Form, label: Label) -> None:
    """Register a platform by hand."""
    deployments = [field(form, "deployment").strip()]
    add_platform(platform, _given(form), origins=_origins(form), deployments=deployments, label=label)


def edit(platform: Platform, form: Form, label: Label) -> None:
    """Correct a registration; a deployment that is named is let in too."""
    platform_id = PlatformId(field(form, "platform"))
    edit_platform(platform, platform_id, _given(form), origins=_origins(form), label=label)
    if deployment := field(form, "deployment").strip():
        platform.stores.lti_platforms.add_deployment(platform_id, deployment)


def remove(platform: Platform, form: Form, label: Label) -> None:
    """Forget a platform."""
    platform.stores.lti_platforms.remove(PlatformId(field(form, "platform")))


def map_context(platform: Platform, form: Form, label: Label) -> None:
    """Say which course of ours a course of a platform is."""
    context = _context(form)
    if not context.context_id:
        raise InvalidInput(Fault("lti.no_context"))
    platform.stores.lti_platforms.map(context, CourseId(field(form, "course")))


def unmap(platform: Platform, form: Form, label: Label) -> None:
    """Say that it is none any more."""
    platform.stores.lti_platforms.unmap(_context(form))


def agree(platform: Platform, form: Form, label: Label) -> None:
    """Switch names and scores of a mapped course on or off."""
    text = field(form, "score_after").strip() or "0"
    if not text.isascii() or not text.isdecimal() or int(text) > MOST_QUESTIONS:
        raise InvalidInput(Fault("lti.score_after", most=MOST_QUESTIONS))
    names = field(form, "names") == "on"
    platform.stores.lti_services.agree(_context(form), names=names, score_after=int(text) or None)


def share(platform: Platform, form: Form, label: Label) -> None:
    """Let a platform's links lead to a course."""
    platform.stores.lti_shared_courses.share(
        PlatformId(field(form, "platform")), CourseId(field(form, "course"))
    )


def unshare(platform: Platform, form: Form, label: Label) -> None:
    """Let them no more."""
    platform.stores.lti_shared_courses.unshare(
        PlatformId(field(form, "platform")), CourseId(field(form, "course"))
    )


ACTIONS: Mapping[str, Callable[[Platform, Form, Label], None]] = {
    "add": add,
    "edit": edit,
    "remove": remove,
    "map": map_context,
    "unmap": unmap,
    "services": agree,
    "share": share,
    "unshare": unshare,
}


def _given(form: Form) -> dict[str, str]:
    return {name: field(form, name).strip() for name in ("issuer", "client_id", *ADDRESSES)}


def _origins(form: Form) -> list[str]:
    return field(form, "origin").split()


def _context(form: Form) -> LtiContext:
    platform_id, _, deployment = field(form, "deployment").partition(" ")
    return LtiContext(
        platform_id=PlatformId(platform_id),
        deployment_id=deployment,
        context_id=field(form, "context").strip(),
    )
