"""How the stages of a question are timed and reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import perf_counter

from vta.types.answers import TraceStep

StageSpan = Callable[[str], AbstractContextManager[Callable[[str], None]]]
"""Stands around a stage of this name, and is told what the stage decided."""


def unseen(_: str) -> AbstractContextManager[Callable[[str], None]]:
    """A `StageSpan` that nobody looks at."""
    return nullcontext(lambda _: None)


class Tracer:
    """Collects the stages of one question in order."""

    def __init__(self, around: StageSpan = unseen) -> None:
        """`around` lets others see the stages while they run."""
        self._around = around
        self._steps: list[TraceStep] = []

    @property
    def steps(self) -> tuple[TraceStep, ...]:
        return tuple(self._steps)

    @contextmanager
    def stage(self, name: str) -> Iterator[Callable[[str], None]]:
        """Time a stage; call what is yielded with what the stage decided."""
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
