"""Analytics in the console: the figures with their plots, and the review sheet of a day."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from fastapi.responses import Response
from markupsafe import Markup

from services.console.conversation_pages import LogAddress, days_of
from services.console.forms import day_of
from services.console.visits import Visit, Visiting, whole_number
from services.http.serving import ThreadedRouter, csv_file
from services.rendering.charts import Bar, column_chart, row_chart
from services.storage.analytics import Review
from services.use_cases.analytics import csv_name, report_csv
from vta.analytics.facts import Ending, Mark
from vta.analytics.report import Cell, Report
from vta.analytics.selection import Outcome, Selection
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.texts import read_texts
from vta.types import TurnId

SHEET = 20
"""Answers on the review sheet of a day."""
SHOWN_PLACES = 40
"""Stretches of videos on the page; the exports have them all."""
Words = Mapping[str, str]
ANALYTICS_TEXTS = read_texts("services.console", "analytics_texts.toml")

router = ThreadedRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure at a glance; `link` opens the questions that it counts; empty for hidden ones and none."""

    name: str
    label: str
    text: str
    link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A plot with the same figures as a table: a head, rows of texts, and a link to the questions of each.

    The link is empty where the row is hidden.
    """

    name: str
    picture: Markup
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    links: Sequence[str]
    help: str = ""
    left_out: int = 0


@router.get("/analytics")
def analytics(visit: Visiting) -> Response:
    """The report on a range of days, with its plots."""
    words = ANALYTICS_TEXTS[visit.language]
    days = days_of(visit, visit.query)
    filed = visit.platform.analytics.ready(visit.course_id, days)
    log = LogAddress(course=visit.course_id, days=days)
    return visit.page(
        "analytics.html",
        a=words,
        report=filed.report,
        filed=filed,
        figures=figures_of(filed.report, words, log),
        plots=plots_of(filed.report, words, log),
    )


@router.get("/analytics/csv")
def analytics_csv(visit: Visiting) -> Response:
    filed = visit.platform.analytics.ready(visit.course_id, days_of(visit, visit.query))
    return csv_file(csv_name(filed.report), report_csv(filed.report))


@router.get("/analytics/review")
def review_sheet(visit: Visiting) -> Response:
    """The sampled answers of a day, by default of yesterday, each with a form for its mark."""
    yesterday = visit.platform.analytics.days(None, None).last - timedelta(days=1)
    day = day_of(visit.query.get("day"), "day") or yesterday
    sampled = visit.platform.stores.analytics.sample(visit.course_id, day, SHEET)
    around = visit.platform.stores.analytics.days_around(visit.course_id, day)
    return visit.page(
        "review.html",
        a=ANALYTICS_TEXTS[visit.language],
        day=day,
        around=around,
        sampled=sampled,
        marks=tuple(Mark),
        saved=whole_number(saved) if (saved := visit.query.get("saved", "")) else 0,
    )


@router.post("/analytics/review")
def review(visit: Visiting) -> Response:
    """Keep the marks of all answers that have one."""
    day = day_of(visit.field("day"), "day")
    reviews = {TurnId(turn): _review_of(visit, turn) for turn in visit.form.get("turn", ())}
    marked = {turn: review for turn, review in reviews.items() if review is not None}
    if not marked:
        raise InvalidInput(Fault("console.no_mark"), field="mark")
    visit.platform.stores.analytics.review(visit.course_id, marked)
    return visit.to("analytics/review", {"saved": len(marked)} | ({"day": day} if day else {}))


def figures_of(report: Report, words: Words, log: LogAddress) -> Sequence[Figure]:
    """The figures at a glance, each with the way to its questions in the log."""
    latency, cost = report.latency, report.cost
    shares = ("unanswerable", "satisfaction", "reviewed_good")
    texts = {
        "questions": str(report.questions),
        "sessions": str(report.sessions),
        "people": str(report.people),
        "rounds": f"{report.rounds or 0.0:.2f}",
        **{name: _share(getattr(report, name), words) for name in shares},
        "latency": f"{latency.p50 / 1000:.1f} / {latency.p95 / 1000:.1f}" if latency else words["hidden"],
        "tokens": f"{cost.prompt_tokens} + {cost.completion_tokens}" if cost else words["hidden"],
    }
    if cost is not None and cost.cost is not None:
        texts["cost"] = f"{cost.cost:.2f}"
    behind = {
        "unanswerable": Selection(outcome=Outcome.NOT_ANSWERED),
        "satisfaction": Selection(outcome=Outcome.UP),
        "reviewed_good": Selection(mark=Mark.GOOD),
        "latency": Selection(slower_ms=float(int(latency.p50)) if latency else None),
    }
    nothing = (words["hidden"], _share(0.0, words))
    return [
        Figure(
            name=name,
            label=words[name],
            text=text,
            link="" if text in nothing else log.of(behind.get(name, Selection())),
        )
        for name, text in texts.items()
    ]


def plots_of(report: Report, words: Words, log: LogAddress) -> Sequence[Plot]:
    """The plots of the report in the order of the page; those without any row are left out."""
    days = [Bar(label=c.name, value=c.count, told=_count(c.count, words)) for c in report.days]
    plots = [
        Plot(
            name="days",
            picture=column_chart("days", words["days"], _described(days), days),
            head=(words["day"], words["count"]),
            rows=[(bar.label, bar.told) for bar in days],
            links=[log.day(cell.name) if cell.count else "" for cell in report.days],
        ),
        _cells("routes", report.routes, words, _linked(log, lambda name: Selection(outcome=Outcome(name)))),
        _cells(
            "endings",
            report.endings,
            words,
            _linked(log, lambda name: Selection(ending=Ending(name))),
            words["endings_help"],
        ),
        _cells("ratings", report.ratings, words, _linked(log, lambda name: Selection(outcome=Outcome(name)))),
        _cells("marks", report.marks, words, _linked(log, lambda name: Selection(mark=Mark(name)))),
        _list(
            "top_questions",
            words["question"],
            [(top.question, top.count) for top in report.top_questions],
            [log.of(Selection(alike=top.question)) for top in report.top_questions],
            words,
            report.left_out.questions,
        ),
        _list(
            "concepts_asked",
            words["concept"],
            [(each.concept, each.count) for each in report.concepts_asked],
            [log.of(Selection(concept=each.concept)) for each in report.concepts_asked],
            words,
            report.left_out.concepts,
        ),
        _worst(report, words, log),
        _places(report, words, log),
    ]
    return [plot for plot in plots if plot.rows]


def _linked(log: LogAddress, selection: Callable[[str], Selection]) -> Callable[[Cell], str]:
    """The way to the questions of a cell; none where it is hidden or nothing was counted."""
    return lambda cell: log.of(selection(cell.name)) if cell.count else ""


def _cells(
    name: str, cells: Sequence[Cell], words: Words, link: Callable[[Cell], str], explained: str = ""
) -> Plot:
    bars = [Bar(label=words[c.name], value=c.count, told=_count(c.count, words)) for c in cells]
    return Plot(
        name=name,
        picture=row_chart(name, words[name], _described(bars), bars),
        head=(words[name], words["count"], words["share"]),
        rows=[(words[c.name], _count(c.count, words), _share(c.share, words)) for c in cells],
        links=[link(cell) for cell in cells],
        help=explained,
    )


def _list(
    name: str, head: str, rows: Sequence[tuple[str, int]], links: Sequence[str], words: Words, left_out: int
) -> Plot:
    bars = [Bar(label=label, value=count, told=str(count)) for label, count in rows]
    return Plot(
        name=name,
        picture=row_chart(name, words[name], _described(bars), bars),
        head=(head, words["count"]),
        rows=[(bar.label, bar.told) for bar in bars],
        links=links,
        left_out=left_out,
    )


def _places(report: Report, words: Words, log: LogAddress) -> Plot:
    """The stretches in which most was asked, in the order of the videos."""
    busiest = sorted(report.places, key=lambda place: -place.count)[:SHOWN_PLACES]
    busiest.sort(key=lambda place: (place.video, place.start_s))
    rows = [(f"{place.video} {_clock(place.start_s)}", place.count) for place in busiest]
    links = [log.of(Selection(video=place.video, start_s=place.start_s)) for place in busiest]
    return _list("places", words["place"], rows, links, words, report.left_out.places)


def _worst(report: Report, words: Words, log: LogAddress) -> Plot:
    name, worst = "concepts_worst", report.concepts_worst
    bars = [Bar(label=c.concept, value=c.badly, told=_share(c.badly, words)) for c in worst]
    return Plot(
        name=name,
        picture=row_chart(name, words[name], _described(bars), bars),
        head=(words["concept"], words["count"], words["badly"]),
        rows=[(c.concept, str(c.count), _share(c.badly, words)) for c in worst],
        links=[log.of(Selection(concept=c.concept, outcome=Outcome.BADLY)) for c in worst],
        help=words["badly_help"],
    )


def _described(bars: Sequence[Bar]) -> str:
    """The longest bars in words; the table beside the plot has them all."""
    longest = sorted((b for b in bars if b.value), key=lambda b: -(b.value or 0.0))[:3]
    return "; ".join(f"{bar.label}: {bar.told}" for bar in longest)


def _count(count: int | None, words: Words) -> str:
    return words["hidden"] if count is None else str(count)


def _share(share: float | None, words: Words) -> str:
    return words["hidden"] if share is None else f"{share:.1%}"


def _clock(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02d}"


def _review_of(visit: Visit, turn: str) -> Review | None:
    mark = visit.field(f"mark-{turn}")
    if not mark:
        return None
    if mark not in set(Mark):
        raise InvalidInput(Fault("console.no_mark"), field="mark")
    return Review(mark=Mark(mark), note=visit.field(f"note-{turn}")[:1000], reviewer=visit.who.name)
