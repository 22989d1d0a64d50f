"""How a launched student sees the course: where they are, in which language, and the way back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from services.lti.addresses import server_of
from services.lti.position import read_position
from services.storage.lti_platforms import LtiPlatform
from vta.types import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseView:
    """What a link and its platform say about the page; every part may be missing."""

    position: Mapping[str, str] = field(default_factory=dict)
    hints: bool = False
    """Whether hints come before answers, where the course offers them."""
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
