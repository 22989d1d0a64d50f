"""The degradations that an answer may declare.

The stages `grounding`, `guard` and `closest` are no outages: every service worked.
"""

from __future__ import annotations

import logging

from vta.errors import LimitExceeded, NotReady, UpstreamFailed, VtaError
from vta.types.answers import Answer, Route
from vta.types.pairs import Degradation

_log = logging.getLogger(__name__)

NO_MODEL = Degradation(stage="language_model", reason="no language model is configured")
GUARDED = Degradation(
    stage="guard",
    reason="answered from the course material alone, since the question reads like orders to the assistant",
)
ECHO = Degradation(stage="guard", reason="the language model's answer repeated its own instructions")
UNCITED = Degradation(stage="grounding", reason="the answer cites no course material")
CLOSEST = Degradation(
    stage="closest", reason="the course does not answer it; what comes closest is offered, if anything does"
)
NO_SEARCH = Degradation(stage="search", reason="the course could not be searched")

FAILING_STAGES = ("language_model", "language_model_incomplete", "search", "vectors", "web_search")
"""Stages that ask another server or model, which can fail."""
SEARCH_FAILURES = (UpstreamFailed, NotReady, LimitExceeded)
"""The errors of an index that cannot answer now."""


def model_failed(failure: VtaError) -> Degradation:
    """No word of a language model is in the answer."""
    return Degradation(stage="language_model", reason=failure.message)


def model_broke_off(failure: VtaError) -> Degradation:
    """The answer begins with an unfinished text of a language model."""
    return Degradation(stage="language_model_incomplete", reason=failure.message)


def search_failed(failure: VtaError) -> Degradation:
    """The index could not be asked. The reason goes to the log alone: it may name an internal address."""
    _log.warning("answered without search: %s", failure.message)
    return NO_SEARCH


def gravest(*found: Degradation | None) -> Degradation | None:
    """The first failure; a model that was never configured counts less than any failure."""
    present = [each for each in found if each is not None]
    return next((each for each in present if each != NO_MODEL), present[0] if present else None)


def counted_route(answer: Answer) -> Route:
    """The route for statistics: an answer that only comes close counts as none."""
    is_closest = answer.degraded is not None and answer.degraded.stage == CLOSEST.stage
    return Route.UNANSWERED if is_closest else answer.route


def has_failed(answer: Answer) -> bool:
    """Whether a server that the answer needed failed; a language model that is not configured did not."""
    degraded = answer.degraded
    return degraded is not None and degraded != NO_MODEL and degraded.stage in FAILING_STAGES
