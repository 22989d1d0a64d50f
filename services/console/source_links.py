"""Where a source of an answer can be looked at: an entry in the console, a passage on the course's page."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from vta.types import Citation, QAPair, Source


def source_address(source: Citation | QAPair, course_id: str) -> str:
    """The address of a source of a course; empty where no page shows it, as for tables and search results."""
    pair_id = source.pair_id if isinstance(source, Citation) else source.id
    course = quote(course_id, safe="")
    if source.source is Source.FAQ and source.document is None and pair_id != "faq-draft":
        return f"/console/{course}/faq/{quote(pair_id.removeprefix('faq-'), safe='')}"
    if source.source is Source.MATERIAL and source.document is not None:
        return f"/courses/{course}/pages/{quote(source.document)}?{urlencode({'at': pair_id})}"
    return ""
