"""Analytics in the console: the figures with their plots, and the review sheet of a day."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta

from fastapi.responses import Response
from markupsafe import Markup

from services.analytics.service import Days, csv_name, report_csv
from services.analytics.store import Arm, Review
from services.console.forms import day_of
from services.console.visits import ListAddress, Visit, Visiting, whole_number
from services.dialogue.conditions import ARMS
from services.faq.rows import entry_of_pair
from services.rendering.charts import Bar, column_chart, row_chart
from services.test_questions.store import answered_test
from services.web.serving import ThreadedRouter, csv_file
from vta.analytics.agreement import agreement
from vta.analytics.facts import Mark
from vta.analytics.intervals import Interval, newcombe, wilson
from vta.analytics.report import SMALLEST, Cell, Latency, Report, VideoPlace, WeakSpot
from vta.analytics.selection import QuestionOutcome, Selection
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.texts import read_texts
from vta.types.courses import TurnId

SHEET = 20
"""Answers on the review sheet of a day."""
SHOWN_PLACES = 40
"""Stretches of videos on the page; the exports have them all."""
Words = Mapping[str, str]
ANALYTICS_TEXTS = read_texts("services.analytics", "texts.toml")

router = ThreadedRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure at a glance; `link` opens the questions that it counts; empty for hidden ones and none.

    `earlier` is the same figure of the days before.
    """

    name: str
    label: str
    text: str
    link: str = ""
    earlier: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A bar of a plot, and its line in the table: the cells beside the label, and a link to its questions.

    `value` is None and `link` empty where the figure is hidden.
    """

    label: str
    value: float | None
    cells: tuple[str, ...]
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A plot with the same figures as a table, which `head` explains; `left_out` are rows that are hidden."""

    name: str
    picture: Markup
    head: tuple[str, ...]
    rows: Sequence[Row]
    help: str
    left_out: int


@router.get("/analytics")
def analytics(visit: Visiting) -> Response:
    """The report on a range of days, with its plots."""
    words = ANALYTICS_TEXTS[visit.language]
    days = days_of(visit, visit.query)
    report = visit.platform.analytics.current(visit.course_id, days).report
    log = log_address(visit, days)
    stores = visit.platform.stores
    settings = stores.settings.settings(visit.course_id)
    name = settings.experiment
    return visit.page(
        "analytics.html",
        experiment=name,
        comparison=comparison_of(stores.analytics.arms(visit.course_id, name), words) if name else None,
        a=words,
        report=report,
        study=settings.research,
        figures=figures_of(report, words, log),
        plots=plots_of(report, words, log),
        weak_spots=spots_by_unit([each for each in report.weak_spots if not _is_written(visit, each)]),
        behind=lambda spot: log.with_(alike=spot.question, outcome=QuestionOutcome.BADLY),
    )


def comparison_of(arms: Mapping[str, Arm], words: Words) -> Sequence[tuple[str, Sequence[str]]] | None:
    """The table of an experiment: a row a figure, with that of each arm and the difference.

    None where an arm rests on too few people to be shown; a share is hidden where a part of it does.
    """
    a, b = (arms.get(name, Arm()) for name in ARMS)
    if min(a.people, b.people) < SMALLEST:
        return None
    rows: list[tuple[str, Sequence[str]]]
    rows = [(name, (str(getattr(a, name)), str(getattr(b, name)), "")) for name in ("people", "questions")]
    thumbs = [_share_of(arm.up, arm.rated, arm.upvoters, arm.downvoters) for arm in (a, b)]
    handed_on = [_share_of(arm.handed_on, arm.questions, arm.askers) for arm in (a, b)]
    for name, shares in (("satisfaction", thumbs), ("escalated", handed_on)):
        figures = (*shares, newcombe(*shares))
        rows.append((name, [_interval(each) if each else words["hidden"] for each in figures]))
    return rows


def _share_of(count: int, total: int, *people: int) -> Interval | None:
    """A share; None of nothing, and where a part of it rests on some but too few people."""
    return None if any(0 < each < SMALLEST for each in people) else wilson(count, total)


def _interval(found: Interval) -> str:
    return f"{found.value:.1%} [{found.low:.1%}, {found.high:.1%}]"


@router.get("/analytics/csv")
def analytics_csv(visit: Visiting) -> Response:
    report = visit.platform.analytics.current(visit.course_id, days_of(visit, visit.query)).report
    return csv_file(csv_name(report), report_csv(report))


@router.get("/analytics/review")
def review_sheet(visit: Visiting) -> Response:
    """The sampled answers of a day, by default of yesterday, each with a form for its mark."""
    day = _day(visit, day_of(visit.query.get("day"), "day"))
    sampled = visit.platform.stores.analytics.sample(visit.course_id, day, SHEET)
    around = visit.platform.stores.analytics.days_around(visit.course_id, day)
    return visit.page(
        "review.html",
        a=ANALYTICS_TEXTS[visit.language],
        day=day,
        around=around,
        sampled=sampled,
        me=visit.who.name,
        agreed=agreement(visit.platform.stores.analytics.marked_twice(visit.course_id)),
        marks=tuple(Mark),
        saved=whole_number(saved) if (saved := visit.query.get("saved", "")) else 0,
    )


@router.post("/analytics/review")
def review(visit: Visiting) -> Response:
    """Store the marks of all answers that have one, and those that were chosen as test questions."""
    day, stores = day_of(visit.field("day"), "day"), visit.platform.stores
    kept = set(visit.form.get("keep", ()))
    reviews = {TurnId(turn): _review_of(visit, turn) for turn in visit.form.get("turn", ())}
    marked = {turn: review for turn, review in reviews.items() if review is not None}
    if not marked and not kept:
        raise InvalidInput(Fault("console.no_mark"), field="mark")
    stores.analytics.review(visit.course_id, marked)
    sampled = stores.analytics.sample(visit.course_id, _day(visit, day), SHEET) if kept else ()
    for turn in (each.turn for each in sampled):
        if turn.id in kept:
            known = stores.test_questions.read(visit.course_id)
            stores.test_questions.keep(visit.course_id, answered_test(turn, visit.who.name, known))
    return visit.to("analytics/review", {"saved": len(marked)} | ({"day": day} if day else {}))


def _day(visit: Visit, day: date | None) -> date:
    """The day that is asked for, else yesterday."""
    return day or visit.platform.analytics.days(None, None).last - timedelta(days=1)


def figures_of(report: Report, words: Words, log: ListAddress) -> Sequence[Figure]:
    """The figures at a glance, each with a link to its questions in the log."""
    latency, cost = report.latency, report.cost
    shares = ("unanswerable", "satisfaction", "reviewed_good")
    texts = {
        "questions": str(report.questions),
        "sessions": str(report.sessions),
        "people": str(report.people),
        "rounds": f"{report.rounds or 0.0:.2f}",
        **{name: _share(getattr(report, name), words) for name in shares},
        "latency": _latency(latency, words) if latency else words["hidden"],
        "tokens": f"{cost.prompt_tokens} + {cost.completion_tokens}" if cost else words["hidden"],
    }
    if cost is not None and cost.cost is not None:
        texts["cost"] = f"{cost.cost:.2f}"
    before = asdict(report.earlier)
    earlier = {
        name: str(value) if isinstance(value, int) else _share(value, words)
        for name, value in before.items()
        if value is not None
    }
    behind: Mapping[str, Mapping[str, str]] = {
        "unanswerable": {"outcome": QuestionOutcome.NOT_ANSWERED},
        "satisfaction": {"outcome": QuestionOutcome.UP},
        "reviewed_good": {"mark": Mark.GOOD},
        "latency": {"slower_ms": str(int(latency.p50)) if latency else ""},
    }
    nothing = (words["hidden"], _share(0.0, words))
    return [
        Figure(
            name=name,
            label=words[name],
            text=text,
            link="" if text in nothing else log.with_(**behind.get(name, {})),
            earlier=words["earlier"].format(value=earlier[name]) if name in earlier else "",
        )
        for name, text in texts.items()
    ]


def _latency(latency: Latency, words: Words) -> str:
    half, most = (f"{each / 1000:.1f}" for each in (latency.p50, latency.p95))
    return words["latency_of"].format(half=half, most=most)


def spots_by_unit(spots: Sequence[WeakSpot]) -> Mapping[str, Sequence[WeakSpot]]:
    """Badly answered questions by unit, the worst unit first; those of no unit under an empty name."""
    found: dict[str, list[WeakSpot]] = {}
    for spot in spots:
        found.setdefault(spot.unit or "", []).append(spot)
    worst = sorted(found, key=lambda unit: (not unit, -sum(spot.count for spot in found[unit])))
    return {unit: found[unit] for unit in worst}


def _is_written(visit: Visit, spot: WeakSpot) -> bool:
    """Was an entry with this question written or changed after it went badly?"""
    stores = visit.platform.stores
    pair = stores.exact_matches.find(visit.course_id, spot.question)
    entry = entry_of_pair(pair.id) if pair else None
    return entry is not None and stores.faq.history(visit.course_id, entry)[-1].edited_at > spot.asked_at


def plots_of(report: Report, words: Words, log: ListAddress) -> Sequence[Plot]:
    """The plots of the report in the order of the page; those without any row are left out."""

    def counted(cells: Sequence[Cell], field: str) -> list[Row]:
        return [
            Row(
                label=words[each.name],
                value=each.count,
                cells=(_count(each.count, words), _share(each.share, words)),
                link=log.with_(**{field: each.name}) if each.count else "",
            )
            for each in cells
        ]

    def listed(label: str, count: int | None, **fields: str) -> Row:
        link = log.with_(**fields) if count else ""
        return Row(label=label, value=count, cells=(_count(count, words),), link=link)

    left, shares = report.left_out, ("count", "share")
    days = [listed(each.name, each.count, **{"from": each.name, "to": each.name}) for each in report.days]
    questions = [listed(each.question, each.count, alike=each.question) for each in report.top_questions]
    concepts = [listed(each.concept, each.count, concept=each.concept) for each in report.concepts_asked]
    places = [
        listed(f"{at.video} {_clock(at.start_s)}", at.count, video=at.video, start_s=str(at.start_s))
        for at in _busiest(report)
    ]
    worst = [
        Row(
            label=each.concept,
            value=each.badly,
            cells=(str(each.count), _share(each.badly, words)),
            link=log.with_(concept=each.concept, outcome=QuestionOutcome.BADLY),
        )
        for each in report.concepts_worst
    ]
    plots = [
        _plot("days", words, ("day", "count"), days, draw=column_chart),
        _plot("routes", words, ("routes", *shares), counted(report.routes, "outcome")),
        _plot("endings", words, ("endings", *shares), counted(report.endings, "ending")),
        _plot("ratings", words, ("ratings", *shares), counted(report.ratings, "outcome")),
        _plot("marks", words, ("marks", *shares), counted(report.marks, "mark")),
        _plot("top_questions", words, ("question", "count"), questions, left_out=left.questions),
        _plot("concepts_asked", words, ("concept", "count"), concepts, left_out=left.concepts),
        _plot("concepts_worst", words, ("concept", "count", "badly"), worst, shown=1),
        _plot("places", words, ("place", "count"), places, left_out=left.places),
    ]
    return [plot for plot in plots if plot.rows]


def _plot(
    name: str,
    words: Words,
    head: Sequence[str],
    rows: Sequence[Row],
    *,
    draw: Callable[..., Markup] = row_chart,
    shown: int = 0,
    left_out: int = 0,
) -> Plot:
    """A plot of rows; the cell `shown` stands beside each bar."""
    bars = [Bar(label=row.label, value=row.value, told=row.cells[shown]) for row in rows]
    return Plot(
        name=name,
        picture=draw(name, words[name], _described(bars), bars),
        head=tuple(words[each] for each in head),
        rows=rows,
        help=words.get(f"{name}_help", ""),
        left_out=left_out,
    )


def _busiest(report: Report) -> Sequence[VideoPlace]:
    """The stretches in which most was asked, in the order of the videos."""
    busiest = sorted(report.places, key=lambda place: -place.count)[:SHOWN_PLACES]
    return sorted(busiest, key=lambda place: (place.video, place.start_s))


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


def log_address(visit: Visit, days: Days, chosen: Selection | None = None) -> ListAddress:
    """The address of the log of some days, of which a selection is shown by the fields of `Selection`."""
    given = {name: value for name, value in asdict(chosen or Selection()).items() if value not in (None, "")}
    fields = {"from": days.first, "to": days.last, **given}
    return visit.list_address("conversations", {name: str(value) for name, value in fields.items()})


def days_of(visit: Visit, fields: Mapping[str, str]) -> Days:
    """The days that an address or form names, by default the usual ones."""
    return visit.platform.analytics.days(*(day_of(fields.get(name), name) for name in ("from", "to")))
