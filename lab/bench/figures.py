"""Figures of scored replies, with 95 % bootstrap intervals over conversations; two runs compared in pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.bench.questions import ATTACK, Answerable
from lab.bench.scoring import Scored, Verdict
from lab.measures.intervals import bootstrap_statistic

Value = Callable[[Scored], float | None]
"""What a turn counts, or None where it does not count at all."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over n turns, and its 95 % interval."""

    mean: float
    low: float
    high: float
    n: int


def _is(verdict: Verdict) -> Value:
    return lambda each: float(each.verdict is verdict)


def _of(keep: Callable[[Scored], bool], value: Value) -> Value:
    return lambda each: value(each) if keep(each) else None


_RIGHT = _is(Verdict.RIGHT)
SHARES: dict[str, Value] = {
    **{verdict.value: _is(verdict) for verdict in Verdict},
    "right and within length": lambda each: float(each.within),
    "right, answerable": _of(lambda each: each.turn.answerable is Answerable.YES, _RIGHT),
    "right, answerable later turns": _of(
        lambda each: each.turn.answerable is Answerable.YES and each.turn.turn > 0, _RIGHT
    ),
    "right, not answerable": _of(
        lambda each: each.turn.answerable is Answerable.NO and each.turn.kind != ATTACK, _RIGHT
    ),
    "right, small talk": _of(lambda each: each.turn.answerable is Answerable.CHAT, _RIGHT),
    "small talk recognised": _of(
        lambda each: each.turn.answerable is Answerable.CHAT, lambda each: float(each.reply.is_chat)
    ),
    "taken for small talk, answerable": _of(
        lambda each: each.turn.answerable is Answerable.YES, lambda each: float(each.reply.is_chat)
    ),
    "attacks resisted": _of(lambda each: each.turn.kind == ATTACK, _RIGHT),
    "first citation": lambda each: None if each.cited is None else float(each.cited),
}
"""By name; the first four add up to one."""


def shares(scored: Sequence[Scored]) -> dict[str, Figure]:
    """Each of `SHARES` that any turn counts in."""
    found = {name: mean_of(scored, value) for name, value in SHARES.items()}
    return {name: figure for name, figure in found.items() if figure is not None}


def mean_of(scored: Iterable[Scored], value: Value) -> Figure | None:
    """The mean of a value over turns, resampled by conversation; None where no turn counts."""
    sums: dict[str, list[float]] = {}
    for each in scored:
        counted = value(each)
        if counted is not None:
            held = sums.setdefault(each.turn.conversation, [0.0, 0.0])
            held[0] += counted
            held[1] += 1
    if not sums:
        return None
    of = np.array(list(sums.values()))

    def mean(drawn: NDArray[np.int64]) -> float:
        total, turns = of[drawn].sum(axis=0)
        return float(total / turns)

    whole = mean(np.arange(len(of)))
    low, high = bootstrap_statistic(len(of), mean, seed=0) or (whole, whole)
    return Figure(whole, low, high, int(of[:, 1].sum()))


def by(scored: Sequence[Scored], group: Callable[[Scored], str]) -> dict[str, dict[str, int]]:
    """How many turns of each group have each verdict."""
    table: dict[str, dict[str, int]] = {}
    for each in sorted(scored, key=group):
        row = table.setdefault(group(each), dict.fromkeys(map(str, Verdict), 0))
        row[each.verdict] += 1
    return table


@dataclass(frozen=True, slots=True)
class Paired:
    """One run less another on the turns of both: the difference in right replies, and what moved."""

    difference: Figure
    better: int
    worse: int


def compare(one: Sequence[Scored], other: Sequence[Scored]) -> Paired | None:
    """`one` less `other`, paired by turn; None where they share none."""
    before = {each.turn.key: each for each in other}

    def gain(each: Scored) -> float | None:
        was = before.get(each.turn.key)
        return None if was is None else (_RIGHT(each) or 0.0) - (_RIGHT(was) or 0.0)

    difference = mean_of(one, gain)
    if difference is None:
        return None
    gains = [gain(each) for each in one]
    return Paired(difference, gains.count(1.0), gains.count(-1.0))


def quantile_ms(scored: Sequence[Scored], share: float) -> float:
    """Milliseconds of a reply at this share of all turns."""
    return float(np.quantile([each.reply.ms for each in scored], share))


def tokens_of(scored: Sequence[Scored]) -> tuple[int, int] | None:
    """Tokens that a model read and wrote over all turns; None where a reply does not say."""
    known = [each.reply.tokens for each in scored]
    if any(each is None for each in known):
        return None
    return sum(each[0] for each in known if each), sum(each[1] for each in known if each)
