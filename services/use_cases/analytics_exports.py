"""Analytics for other programs: JSON, CSV, and xAPI statements without names."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from io import StringIO
from uuid import UUID

from pydantic import JsonValue, TypeAdapter

from services.storage.analytics import SqlAnalytics
from vta.analytics.cohorts import SMALLEST, Cell, large_enough
from vta.analytics.facts import TurnFact
from vta.analytics.report import Report
from vta.types import CourseId

HEADER = ("table", "name", "count", "value")
_FIGURES = (
    "questions",
    "sessions",
    "people",
    "rounds",
    "unanswerable",
    "satisfaction",
    "reviewed_good",
)
_TABLES = ("days", "routes", "endings", "ratings", "marks")
_REPORTS = TypeAdapter(Report)
HOME = "urn:vta:course:"
ASKED = "http://adlnet.gov/expapi/verbs/asked"
QUESTION = "http://adlnet.gov/expapi/activities/question"
COURSE = "http://adlnet.gov/expapi/activities/course"


def report_json(report: Report) -> dict[str, JsonValue]:
    """The report as one JSON object; hidden figures are null."""
    body: dict[str, JsonValue] = _REPORTS.dump_python(report, mode="json")
    return body


def csv_name(report: Report) -> str:
    """The name of the file that holds a report."""
    return f"analytics-{report.first}-{report.last}.csv"


def report_csv(report: Report) -> str:
    """The report as a table with a row a figure; a hidden figure's row says `hidden`."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(HEADER)
    for row in _rows(report):
        writer.writerow(tuple(map(_cell_text, row)))
    return out.getvalue()


def xapi_statements(
    turns: Sequence[TurnFact], course_id: CourseId, store: SqlAnalytics
) -> Iterator[dict[str, JsonValue]]:
    """A statement `asked` for each turn; none at all where they rest on too few people.

    The actor is an account whose name is a pseudonym made for exports; neither the words of the question nor
    any id of the platform or the store is in it. The same turn has the same statement id in every export.
    """
    if not large_enough((turn.person for turn in turns), SMALLEST):
        return
    course = f"{HOME}{course_id}"
    for turn in turns:
        result: dict[str, JsonValue] = {"duration": f"PT{turn.milliseconds / 1000:.3f}S"}
        result["success"] = not turn.unanswered
        if turn.rating is not None:
            result["score"] = {"scaled": 1 if turn.rating == "up" else -1}
        extensions: dict[str, JsonValue] = {f"{HOME}route": turn.route.value}
        if turn.concepts:
            extensions[f"{HOME}concepts"] = list(turn.concepts)
        if turn.video is not None:
            extensions[f"{HOME}video"] = {"video": turn.video, "second": turn.second}
        yield {
            "id": _uuid(store.disguise("turn", turn.turn_id)),
            "timestamp": turn.asked_at.isoformat(),
            "actor": {
                "objectType": "Agent",
                "account": {"homePage": course, "name": store.disguise("person", turn.person)},
            },
            "verb": {"id": ASKED, "display": {"en": "asked", "zh": "提问"}},
            "object": {
                "objectType": "Activity",
                "id": f"{course}:turn:{store.disguise('turn', turn.turn_id)[:32]}",
                "definition": {"type": QUESTION, "extensions": extensions},
            },
            "result": result,
            "context": {
                "registration": _uuid(store.disguise("session", turn.session_id)),
                "contextActivities": {
                    "parent": [{"objectType": "Activity", "id": course, "definition": {"type": COURSE}}]
                },
            },
        }


def _uuid(digest: str) -> str:
    """A UUID of version 4's shape made of a keyed digest."""
    return str(UUID(hex=digest[:32], version=4))


def _rows(report: Report) -> Iterator[tuple[object, object, object, object]]:
    everything = report.people is None
    for name in _FIGURES:
        value = getattr(report, name)
        yield (
            "figures",
            name,
            "",
            "hidden" if value is None and (everything or name in report.hidden) else value,
        )
    for kind, figures in (("latency_ms", report.latency), ("model", report.cost)):
        for name, value in asdict(figures).items() if figures else ():
            yield kind, name, "", value
    for table in _TABLES:
        cells: Sequence[Cell] = getattr(report, table)
        for cell in cells:
            hidden = cell.hidden
            yield table, cell.name, "hidden" if hidden else cell.count, "hidden" if hidden else cell.share
    for top in report.top_questions:
        yield "top_questions", top.question, top.count, ""
    for concept in report.concepts_asked:
        yield "concepts_asked", concept.concept, concept.count, _or_hidden(concept.badly)
    for concept in report.concepts_worst:
        yield "concepts_worst", concept.concept, concept.count, concept.badly
    for place in report.places:
        yield "places", f"{place.video} {place.start_s}", place.count, ""


def _or_hidden(value: float | None) -> object:
    return "hidden" if value is None else value


def _cell_text(value: object) -> object:
    """Text that a spreadsheet would take for a formula is quoted."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return "" if value is None else value
