"""How the stages of a question are timed and reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

from vta.types import TraceStep


class Tracer:
    """Collects the stages of one question in order."""

    def __init__(self) -> None:
        self._steps: list[TraceStep] = []

    @property
    def steps(self) -> tuple[TraceStep, ...]:
        return tuple(self._steps)

    @contextmanager
    def stage(self, name: str) -> Iterator[Callable[[str], None]]:
        """Time a stage; call what is yielded with what the stage decided."""
        decision = ""

        def decide(what: str) -> None:
            nonlocal decision
            decision = what

        start = perf_counter()
        try:
            yield decide
        finally:
            elapsed_ms = round((perf_counter() - start) * 1000, 3)
            self._steps.append(TraceStep(stage=name, decision=decision, ms=elapsed_ms))
