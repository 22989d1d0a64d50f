"""What reading one file may take, and the words for what is past it."""

from __future__ import annotations

from dataclasses import dataclass

from vta.errors import InvalidInput
from vta.faults import Fault


class NotRead(InvalidInput):
    """A file that a child could not read to its end; that child is not used again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingBounds:
    """The most that one file may take.

    `memory` is the address space of the child in bytes, `processor_s` its processor time; `wall_s` is time on
    the clock, which is longer since a busy machine is no fault of the file. `result` is in bytes, and `pairs`
    counts the passages that may come of a file.
    """

    memory: int = 1_000_000_000
    processor_s: int = 15
    wall_s: float = 60.0
    result: int = 100_000_000
    pairs: int = 200_000

    def past_memory(self, path: str) -> NotRead:
        return NotRead(Fault("reading.memory", path=path, gigabytes=f"{self.memory / 1e9:g}"), path=path)

    def past_processor_time(self, path: str) -> NotRead:
        return NotRead(Fault("reading.processor_time", path=path, seconds=self.processor_s), path=path)

    def past_wall_time(self, path: str) -> NotRead:
        return NotRead(Fault("reading.wall_time", path=path, seconds=f"{self.wall_s:g}"), path=path)

    def past_result(self, path: str) -> NotRead:
        return NotRead(Fault("reading.result", path=path, megabytes=f"{self.result / 1e6:g}"), path=path)

    def past_pairs(self, path: str) -> NotRead:
        return NotRead(Fault("reading.passages", path=path, most=self.pairs), path=path)
