"""Where in the course a launched student is, by the custom parameters of the link that they came by."""

from __future__ import annotations

import re
from collections.abc import Mapping

_FORMS = {
    "unit": re.compile(r".{1,300}"),
    "video": re.compile(r".{1,300}"),
    "second": re.compile(r"\d{1,6}(?:\.\d{1,3})?"),
    "page": re.compile(r"[1-9]\d{0,4}"),
    "heading": re.compile(r".{1,200}"),
}


def read_position(given: Mapping[str, object]) -> dict[str, str]:
    """The attributes of the sidebar that custom parameters, or the query of a page, say.

    What has another form is left out, as is a variable that the platform did not replace ("$Page.title"):
    where a student is helps, and is no reason to turn them away.
    """
    said = {name: str(given.get(name) or "").strip() for name in _FORMS}
    return {
        name: text for name, text in said.items() if _FORMS[name].fullmatch(text) and not text.startswith("$")
    }
