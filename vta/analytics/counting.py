"""The report on a course from its turns: plain arithmetic."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from math import ceil

from vta.analytics.facts import Mark, SessionEnding, TurnFact, ending_of
from vta.analytics.report import (
    SMALLEST,
    Cell,
    ConceptFigures,
    Figures,
    Latency,
    LeftOut,
    ModelCost,
    Report,
    TopQuestion,
    VideoPlace,
    WeakSpot,
    large_enough,
    partition,
)
from vta.types.answers import Route

STRETCH_S = 30
"""Seconds of a video that are counted together."""
LISTED = 10
"""Entries of each list."""
RATINGS = ("up", "down")
MOST_WEAK_SPOTS = 30
MOST_WORDINGS = 1000
"""Wordings that are grouped; the more frequent ones go first."""

Group = Callable[[Sequence[str]], Sequence[Sequence[str]]]
"""Brings wordings that ask nearly the same together."""


def make_report(
    turns: Sequence[TurnFact],
    *,
    course_id: str,
    first: date,
    last: date,
    cost: ModelCost | None,
    group: Group,
    before: Sequence[TurnFact] = (),
) -> Report:
    """The report on the turns of a course, all asked from `first` to `last`, given in order of asking.

    `before` are those of as many days before `first`.
    """
    sessions = by_session(turns)
    shown = large_enough(turn.person for turn in turns)

    tables = _tables(turns, sessions, first, last)
    questions, questions_hidden = top_questions(turns, group)
    concepts, concepts_hidden = concept_figures(turns)
    places, places_hidden = video_places(turns)
    own = _figures(turns)
    hidden = [f"{table}/{cell.name}" for table, row in tables.items() for cell in row if cell.hidden]
    hidden += ["unanswerable"] if own.unanswerable is None else []
    most_asked = sorted(concepts, key=lambda c: (-c.count, c.concept))
    badly_answered = [concept for concept in most_asked if concept.badly]
    return Report(
        course_id=course_id,
        first=first,
        last=last,
        smallest=SMALLEST,
        questions=own.questions,
        sessions=len(sessions) if shown else None,
        people=own.people,
        rounds=len(turns) / len(sessions) if shown else None,
        unanswerable=own.unanswerable,
        satisfaction=own.satisfaction,
        reviewed_good=_first_share(tables["marks"]),
        earlier=_figures(before),
        latency=_latency(turns) if shown else None,
        cost=cost if shown else None,
        **tables,
        top_questions=questions,
        concepts_asked=tuple(most_asked[:LISTED]),
        concepts_worst=tuple(sorted(badly_answered, key=lambda c: -(c.badly or 0.0))[:LISTED]),
        weak_spots=weak_spots(turns, before, group),
        places=places,
        left_out=LeftOut(
            questions=questions_hidden if shown else 0,
            concepts=concepts_hidden if shown else 0,
            places=places_hidden if shown else 0,
        ),
        hidden=tuple(hidden) if shown else ("everything",),
    )


def _tables(
    turns: Sequence[TurnFact],
    sessions: Mapping[str, Sequence[TurnFact]],
    first: date,
    last: date,
) -> dict[str, tuple[Cell, ...]]:
    """The tables of the report by their names."""

    def cells(names: Iterable[object], kind: Callable[[TurnFact], object]) -> tuple[Cell, ...]:
        return partition(_split(turns, names, kind))

    days = [(first + timedelta(days=n)).isoformat() for n in range((last - first).days + 1)]
    endings = {own[0].turn_id: ending_of(own) for own in sessions.values()}
    return {
        "days": cells(days, lambda turn: turn.asked_at.date().isoformat()),
        "routes": cells(Route, lambda turn: turn.route),
        "endings": cells(SessionEnding, lambda turn: endings.get(turn.turn_id)),
        "ratings": cells(RATINGS, lambda turn: turn.rating),
        "marks": cells(Mark, lambda turn: turn.mark),
    }


def _figures(turns: Sequence[TurnFact]) -> Figures:
    people = {turn.person for turn in turns}
    shown = len(people) >= SMALLEST
    routes = partition(_split(turns, Route, lambda turn: turn.route))
    answerable = partition(_split(turns, ["yes", "no"], lambda t: "no" if t.unanswered else "yes"))
    ratings = partition(_split(turns, RATINGS, lambda turn: turn.rating))
    reveals = any(cell.hidden for cell in routes if cell.name in (Route.REFUSED, Route.UNANSWERED))
    return Figures(
        questions=len(turns) if shown else None,
        people=len(people) if shown else None,
        unanswerable=answerable[1].share if shown and not reveals else None,
        satisfaction=_first_share(ratings),
    )


def weak_spots(turns: Sequence[TurnFact], before: Sequence[TurnFact], group: Group) -> tuple[WeakSpot, ...]:
    """Badly answered questions, the most asked first; none where they concern fewer people than `SMALLEST`.

    Questions that a TA settled are left out, until they are badly answered again.
    """
    badly, earlier = ([turn for turn in each if is_badly_answered(turn)] for each in (turns, before))
    if not large_enough(turn.person for turn in badly):
        return ()
    of_wording: defaultdict[str, list[TurnFact]] = defaultdict(list)
    for turn in badly:
        of_wording[_wording(turn)].append(turn)
    had = Counter(map(_wording, earlier))
    spots = []
    for texts in group(most_frequent_wordings([*badly, *earlier])):
        asked = _since_settled([turn for text in texts for turn in of_wording[text]])
        if asked:
            latest = max(asked, key=lambda turn: turn.asked_at)
            units = Counter(turn.unit for turn in asked if turn.unit)
            spots.append(
                WeakSpot(
                    question=max(texts, key=lambda text: len(of_wording[text])),
                    turn_id=latest.turn_id,
                    unit=units.most_common(1)[0][0] if units else None,
                    count=len(asked),
                    before=sum(had[text] for text in texts),
                    asked_at=latest.asked_at,
                    waiting=next((turn.waiting for turn in asked if turn.waiting), None),
                )
            )
    return tuple(sorted(spots, key=lambda spot: (-spot.count, spot.question))[:MOST_WEAK_SPOTS])


def _since_settled(turns: Sequence[TurnFact]) -> Sequence[TurnFact]:
    """The turns of one group that were asked after a TA settled one of them."""
    settled = max((turn.settled_at for turn in turns if turn.settled_at), default=None)
    return [turn for turn in turns if settled is None or turn.asked_at > settled]


def by_session(turns: Sequence[TurnFact]) -> Mapping[str, Sequence[TurnFact]]:
    """The turns of each session, in order."""
    sessions: defaultdict[str, list[TurnFact]] = defaultdict(list)
    for turn in turns:
        sessions[turn.session_id].append(turn)
    return sessions


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile: the least value that a `share` (0..1) of them does not exceed."""
    return sorted(values)[max(0, ceil(share * len(values)) - 1)]


def _first_share(cells: Sequence[Cell]) -> float | None:
    """The share of a table's first cell; None where it is hidden or nothing was counted."""
    return cells[0].share if any(cell.count for cell in cells) else None


def top_questions(turns: Sequence[TurnFact], group: Group) -> tuple[tuple[TopQuestion, ...], int]:
    """The groups of questions that most turns ask, and how many groups are hidden."""
    asked = _by_wording(turns)
    shown: list[TopQuestion] = []
    hidden = 0
    for texts in group(most_frequent_wordings(turns)):
        people = {person for text in texts for person in asked[text]}
        if len(people) < SMALLEST:
            hidden += 1
            continue
        best = min(texts, key=lambda text: (-len(set(asked[text])), text))
        count = sum(len(asked[text]) for text in texts)
        shown.append(TopQuestion(question=best, count=count, people=len(people)))
    shown.sort(key=lambda top: (-top.count, top.question))
    return tuple(shown[:LISTED]), hidden


def most_frequent_wordings(turns: Sequence[TurnFact]) -> Sequence[str]:
    """The wordings that are grouped, with single blanks, the most frequent first."""
    asked = _by_wording(turns)
    return sorted(asked, key=lambda text: (-len(asked[text]), text))[:MOST_WORDINGS]


def _by_wording(turns: Sequence[TurnFact]) -> Mapping[str, list[str]]:
    """The askers of each wording."""
    asked: defaultdict[str, list[str]] = defaultdict(list)
    for turn in turns:
        asked[_wording(turn)].append(turn.person)
    return asked


def _wording(turn: TurnFact) -> str:
    return " ".join(turn.question.split())


def concept_figures(turns: Sequence[TurnFact]) -> tuple[list[ConceptFigures], int]:
    """The concepts that enough people asked about, and how many are hidden."""
    about: defaultdict[str, list[TurnFact]] = defaultdict(list)
    for turn in turns:
        for concept in turn.concepts:
            about[concept].append(turn)
    shown = []
    for concept, asked in about.items():
        if large_enough(turn.person for turn in asked):
            cells = partition(_split(asked, [True, False], is_badly_answered))
            shown.append(ConceptFigures(concept=concept, count=len(asked), badly=cells[0].share))
    return shown, len(about) - len(shown)


def video_places(turns: Sequence[TurnFact]) -> tuple[tuple[VideoPlace, ...], int]:
    """The stretches of videos in which enough people asked, in order, and how many are hidden."""
    at: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for turn in turns:
        if turn.video is not None and turn.second is not None:
            at[turn.video, int(turn.second // STRETCH_S) * STRETCH_S].append(turn.person)
    shown = tuple(
        VideoPlace(video=video, start_s=start, count=len(people))
        for (video, start), people in sorted(at.items())
        if large_enough(people)
    )
    return shown, len(at) - len(shown)


def is_badly_answered(turn: TurnFact) -> bool:
    """Refused, left unanswered, voted down, or marked bad by a TA."""
    return turn.unanswered or turn.rating == "down" or turn.mark is Mark.BAD


def _latency(turns: Sequence[TurnFact]) -> Latency:
    spent = [turn.milliseconds for turn in turns]
    return Latency(p50=round(percentile(spent, 0.5), 1), p95=round(percentile(spent, 0.95), 1))


def _split(
    turns: Sequence[TurnFact], names: Iterable[object], kind: Callable[[TurnFact], object]
) -> Mapping[str, list[str]]:
    """The people of the turns of each kind; turns of no kind are left out."""
    members: dict[str, list[str]] = {str(name): [] for name in names}
    for turn in turns:
        found = kind(turn)
        if found is not None:
            members[str(found)].append(turn.person)
    return members
