"""A launched student's view of the course: position, language, and the way back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from services.lti.addresses import server_of
from services.lti.platform_store import LtiPlatform
from vta.languages import Language

_FORMS = {
    "unit": re.compile(r".{1,300}"),
    "video": re.compile(r".{1,300}"),
    "second": re.compile(r"\d{1,6}(?:\.\d{1,3})?"),
    "page": re.compile(r"[1-9]\d{0,4}"),
    "heading": re.compile(r".{1,200}"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseView:
    """The view that a link and its platform ask for; every part may be missing."""

    position: Mapping[str, str] = field(default_factory=dict)
    hints: bool = False
    """True to show hints before answers, where the course offers them."""
    language: Language | None = None
    back: str = ""
    """The platform's page to go back to."""

    def query(self) -> str:
        """The view in an address, as `read_view` reads it."""
        more = {"hints": "on" if self.hints else "", "lang": self.language or "", "back": self.back}
        return urlencode({**self.position, **{name: text for name, text in more.items() if text}})


def read_view(given: Mapping[str, object], known: LtiPlatform) -> CourseView:
    """The view of an address; what has another form is left out, as is a way back to anyone else."""
    return CourseView(
        position=read_position(given),
        hints=given.get("hints") == "on",
        language=read_language(given.get("lang")),
        back=page_of(known, given.get("back")),
    )


def read_language(locale: object) -> Language | None:
    """The language of ours that is nearest to a locale: Chinese for its own, English for all others."""
    if not isinstance(locale, str) or not locale.strip():
        return None
    return Language.ZH if locale.strip().lower().startswith("zh") else Language.EN


def page_of(known: LtiPlatform, address: object) -> str:
    """An address on one of the platform's pages as it is; empty for any other."""
    if not isinstance(address, str) or len(address) > 2000:
        return ""
    return address if server_of(address) in known.origins else ""


def read_position(given: Mapping[str, object]) -> dict[str, str]:
    """The attributes of the sidebar that custom parameters, or the query of a page, say.

    What has another form is left out, as is a variable that the platform did not replace ("$Page.title"):
    where a student is helps, and is no reason to turn them away.
    """
    said = {name: str(given.get(name) or "").strip() for name in _FORMS}
    return {
        name: text for name, text in said.items() if _FORMS[name].fullmatch(text) and not text.startswith("$")
    }
