"""Beta learned from labelled questions: selection with guaranteed risk (Geifman and El-Yaniv, 2017).

The question is which answers may be given directly so that, but for a probability delta, at most a wished
share of them is wrong. Thresholds are tried by bisection over the scores; each of the ceil(log2 n) trials is
held to a Clopper-Pearson bound at delta / ceil(log2 n), so that trying several costs no confidence.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from vta.errors import InvalidInput
from vta.faults import Fault

DELTA = 0.05
"""The probability with which the promise may fail."""
MOST_POINTS = 50
"""Of a curve, about."""
LOST_QUESTIONS = 0.02
"""The share of real questions that alpha may take for chit-chat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What a direct answer to one labelled question would have been.

    `score` is S relative to the margin of its intent, None where no direct answer is possible; `right` says
    whether that answer would have been right. `chit_chat` is h.
    """

    score: float | None
    right: bool
    answerable: bool
    chit_chat: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """Direct answers above a beta: their share of all questions, and their error with its upper bound."""

    beta: float
    coverage: float
    error: float
    error_upper_bound: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The learned thresholds; `curve` is the risk-coverage curve, strictest beta first.

    `error_upper_bound` is that of the chosen beta, corrected for the trials; the curve's are single bounds.
    """

    alpha: float
    beta: float
    n: int
    direct: int
    coverage: float
    error: float
    error_upper_bound: float
    curve: tuple[CurvePoint, ...]


def calibrate(trials: Sequence[Trial], *, max_error: float, alpha: float) -> Calibration:
    """The lowest beta found whose direct answers are wrong in at most `max_error`, and alpha.

    `InvalidInput` where the labelled questions cannot prove it: too few, or too many wrong at every beta.
    """
    if not 0 < max_error < 1:
        raise InvalidInput(Fault("evaluation.max_error"), field="max-error")
    betas, direct = _betas(trials), [t for t in trials if t.score is not None]
    tried = max(1, math.ceil(math.log2(max(2, len(trials)))))
    needed = math.ceil(math.log(DELTA / tried) / math.log(1 - max_error))
    if len(direct) < needed:
        raise InvalidInput(
            Fault(
                "evaluation.too_few_direct_answers",
                questions=len(trials),
                direct=len(direct),
                max_error=max_error,
                needed=needed,
            )
        )
    chosen = _bisect(direct, betas, max_error, DELTA / tried, tried)
    if chosen is None:
        raise InvalidInput(Fault("evaluation.no_beta", max_error=max_error, questions=len(trials)))
    return _calibration(trials, chosen, betas, learn_alpha(trials, alpha), DELTA / tried)


def learn_alpha(trials: Sequence[Trial], alpha: float) -> float:
    """The least alpha, not below the given one, that loses at most 2 % of the answerable questions."""
    chatty = sorted((t.chit_chat for t in trials if t.answerable), reverse=True)
    allowed = math.floor(LOST_QUESTIONS * len(chatty))
    return max(alpha, chatty[allowed]) if allowed < len(chatty) else alpha


def _betas(trials: Sequence[Trial]) -> list[float]:
    """The betas that part the scores, strictest first: just below each score, so that S > beta takes it."""
    scores = sorted({t.score for t in trials if t.score is not None and t.score > 0}, reverse=True)
    return [(score + lower) / 2 for score, lower in zip(scores, [*scores[1:], 0.0], strict=True)]


def _bisect(
    direct: Sequence[Trial], betas: Sequence[float], max_error: float, delta: float, tried: int
) -> float | None:
    low, high, chosen = 0, len(betas) - 1, None
    for _ in range(tried):
        if low > high:
            break
        middle = (low + high) // 2
        n, wrong = _count(direct, betas[middle])
        if upper_bound(wrong, n, delta=delta) <= max_error:
            chosen, low = betas[middle], middle + 1
        elif n * max_error < -math.log(delta):  # too few to prove anything: look at more
            low = middle + 1
        else:
            high = middle - 1
    return chosen


def _calibration(
    trials: Sequence[Trial], beta: float, betas: Sequence[float], alpha: float, delta: float
) -> Calibration:
    n, wrong = _count(trials, beta)
    step = max(1, len(betas) // MOST_POINTS)
    return Calibration(
        alpha=alpha,
        beta=beta,
        n=len(trials),
        direct=n,
        coverage=n / len(trials),
        error=wrong / n,
        error_upper_bound=upper_bound(wrong, n, delta=delta),
        curve=tuple(_point(trials, each) for each in betas[step - 1 :: step]),
    )


def _point(trials: Sequence[Trial], beta: float) -> CurvePoint:
    n, wrong = _count(trials, beta)
    return CurvePoint(
        beta=beta,
        coverage=n / len(trials),
        error=wrong / n,
        error_upper_bound=upper_bound(wrong, n, delta=DELTA),
    )


def _count(trials: Sequence[Trial], beta: float) -> tuple[int, int]:
    """How many answers are direct, and how many of these are wrong."""
    direct = [t for t in trials if t.score is not None and t.score > beta]
    return len(direct), sum(not t.right for t in direct)


def upper_bound(errors: int, n: int, *, delta: float) -> float:
    """The Clopper-Pearson upper bound of a rate: above it with probability at most `delta`.

    The rate at which `errors` or fewer of n are seen with probability delta; 1 where all are errors.
    """
    if errors >= n:
        return 1.0
    low, high = errors / n, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _at_most(errors, n, middle) > delta:
            low = middle
        else:
            high = middle
    return high


def _at_most(errors: int, n: int, rate: float) -> float:
    """The binomial probability of `errors` or fewer of n."""
    if rate <= 0:
        return 1.0
    if rate >= 1:
        return 0.0
    logs = [
        math.lgamma(n + 1)
        - math.lgamma(k + 1)
        - math.lgamma(n - k + 1)
        + k * math.log(rate)
        + (n - k) * math.log1p(-rate)
        for k in range(errors + 1)
    ]
    return math.fsum(math.exp(log) for log in logs)
