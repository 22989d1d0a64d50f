"""A page of the console as HTML: templates, texts in the reader's language, headers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from difflib import SequenceMatcher
from functools import cache
from urllib.parse import quote, urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment
from markupsafe import Markup, escape

from services.people.sessions import ConsoleUser, InstructorSession, place_of
from services.rendering.markdown import render_markdown
from services.rendering.templates import template_environment
from services.web.serving import browser_language
from vta.dialogue.degradations import CLOSEST, NO_MODEL, counted_route
from vta.dialogue.routing import relevance_of
from vta.languages import Language
from vta.places import format_time
from vta.texts import read_texts
from vta.types.answers import Citation
from vta.types.pairs import Candidate, Degradation, QAPair, Source

_PIECES = re.compile(r"[a-zA-Z0-9_]+|.", re.DOTALL)
"""The unit of a difference: a word of letters, or one character."""
_CLOSE, _RELATED = 0.7, 0.3
"""The learned probabilities of answering from which a passage is called close, and related."""
_LINK = re.compile(r"\[([^\[\]\n]+)\]\([^()\s]*\)")
LANGUAGE_COOKIE = "vta_language"
TEXTS = read_texts("services.console", "texts")
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
}


def page(
    request: Request,
    template: str,
    instructor: ConsoleUser | None,
    *,
    status: int = 200,
    **values: object,
) -> HTMLResponse:
    """The page of a template; `values` are what it shows, all of them escaped."""
    language = reader_language(request, instructor)
    course = instructor.course if isinstance(instructor, InstructorSession) else None
    html = (
        _environment()
        .get_template(template)
        .render(
            instructor=instructor,
            course=course,
            csrf=instructor.session.csrf if instructor else "",
            language=language.value,
            t=TEXTS[language],
            path=request.url.path,
            here=place_of(request),
            parts=getattr(request.state, "parts", ()),
            **values,
        )
    )
    return HTMLResponse(html, status_code=status, headers=_HEADERS)


def reader_language(request: Request, instructor: ConsoleUser | None) -> Language:
    """The language chosen in the console, else that of the course, else that of the browser."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    if chosen in set(Language):
        return Language(chosen)
    if isinstance(instructor, InstructorSession):
        return instructor.course.language
    return browser_language(request)


def as_sentence(text: str) -> str:
    """The text with a capital at its beginning, unless its first word has one elsewhere ("iPad")."""
    first = text.partition(" ")[0]
    return text[:1].upper() + text[1:] if first == first.lower() else text


def marked_difference(old: str, new: str) -> Markup:
    """The new text with what was added as <ins> and what went as <del>, everything escaped."""
    before, after = _PIECES.findall(old), _PIECES.findall(new)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    parts: list[Markup] = []
    for kind, i, j, k, m in matcher.get_opcodes():
        if kind in ("replace", "delete"):
            parts.append(Markup("<del>{}</del>").format("".join(before[i:j])))
        if kind in ("replace", "insert"):
            parts.append(Markup("<ins>{}</ins>").format("".join(after[k:m])))
        if kind == "equal":
            parts.append(escape("".join(before[i:j])))
    return Markup("").join(parts)


def source_address(source: Citation | QAPair, course_id: str) -> str:
    """The address of a source of a course; empty where no page shows it, as for tables and search results."""
    pair_id = source.pair_id if isinstance(source, Citation) else source.id
    course = quote(course_id, safe="")
    if source.source is Source.FAQ and source.document is None and pair_id != "faq-draft":
        return f"/console/{course}/faq/{quote(pair_id.removeprefix('faq-'), safe='')}"
    if source.source is Source.MATERIAL and source.document is not None:
        return f"/courses/{course}/pages/{quote(source.document)}?{urlencode({'at': pair_id})}"
    return ""


def _markdown(text: str) -> Markup:
    return Markup(render_markdown(text))  # noqa: S704  # sanitised there


def _moment(moment: datetime) -> Markup:
    """A time in UTC; a script shows it in the reader's zone."""
    told = moment.astimezone(UTC)
    return Markup('<time datetime="{}">{}</time>').format(
        told.strftime("%Y-%m-%dT%H:%M:%SZ"), told.strftime("%Y-%m-%d %H:%M UTC")
    )


def _age(moment: datetime) -> tuple[str, int]:
    """The age of a moment: the coarsest unit of which there are two, or minutes, and how many."""
    minutes = max(1, int((datetime.now(UTC) - moment).total_seconds() // 60))
    units = (("days", minutes // 1440), ("hours", minutes // 60))
    return next((each for each in units if each[1] >= 2), ("minutes", minutes))


def _closeness(candidate: Candidate) -> str:
    """The name of the words for how close a passage comes to the question."""
    relevance = relevance_of(candidate)
    return "close_high" if relevance >= _CLOSE else "close_fair" if relevance >= _RELATED else "close_low"


def _lacking(degraded: Degradation) -> str:
    """The name of the words for what an answer lacks."""
    known = {NO_MODEL: "lacked_model", CLOSEST: "lacked_closest"}
    return known.get(degraded, "lacked")


def _naming(text: str, names: Iterable[str]) -> Markup:
    """The text, everything escaped, with each of the names (also in the plural) as <strong>.

    Of a Markdown link only the words stay.
    """
    text = _LINK.sub(r"\1", text)
    longest = sorted({re.escape(name) for name in names if name}, key=len, reverse=True)
    if not longest:
        return escape(text)
    pattern = re.compile(rf"(?<![a-z])((?:{'|'.join(longest)})(?:e?s)?)(?![a-z])", re.IGNORECASE)
    parts = pattern.split(text)
    return Markup("").join(
        Markup("<strong>{}</strong>").format(part) if n % 2 else escape(part) for n, part in enumerate(parts)
    )


@cache
def _environment() -> Environment:
    return template_environment(
        "services.console",
        as_sentence=as_sentence,
        difference=marked_difference,
        moment=_moment,
        age=_age,
        clock=format_time,
        sentence=lambda fault, language: fault.page_text(Language(language)),
        markdown=_markdown,
        closeness=_closeness,
        source_address=source_address,
        naming=_naming,
        route=counted_route,
        lacking=_lacking,
    )
