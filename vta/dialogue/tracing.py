"""How the stages of a question are timed and reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import perf_counter

from vta.types.answers import TraceStep

StageSpan = Callable[[str], AbstractContextManager[Callable[[str], None]]]
"""A context around a stage of this name; it is called with the stage's decision."""


def unseen(_: str) -> AbstractContextManager[Callable[[str], None]]:
    """A `StageSpan` that does nothing."""
    return nullcontext(lambda _: None)


class Tracer:
    """Collects the stages of one question in order."""

    def __init__(self, around: StageSpan = unseen) -> None:
        """`around` encloses each stage while it runs."""
        self._around = around
        self._steps: list[TraceStep] = []

    @property
    def steps(self) -> tuple[TraceStep, ...]:
        return tuple(self._steps)

    @contextmanager
    def stage(self, name: str) -> Iterator[Callable[[str], None]]:
        """Time a stage; the yielded function takes its decision."""
        decision = ""
        start = perf_counter()
        try:
            with self._around(name) as tell:

                def decide(what: str) -> None:
                    nonlocal decision
                    decision = what
                    tell(what)

                yield decide
        finally:
            elapsed_ms = round((perf_counter() - start) * 1000, 3)
            self._steps.append(TraceStep(stage=name, decision=decision, ms=elapsed_ms))
