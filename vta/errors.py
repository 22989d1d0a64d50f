"""One tree of errors: every failure a caller can act on is a `VtaError`.

The HTTP codes live in `services.web`.
"""

from __future__ import annotations

from vta.faults import Fault, FaultPlace


class VtaError(Exception):
    """A failure that the caller can act on.

    `code` is the stable kind, for machines, and `message` the English sentence of the `fault`. `field`,
    `path` and `line` are those of the fault's place, or the ones given, for sentences without a place; a row
    of a table counts as a line.
    """

    code = "error"

    def __init__(
        self,
        fault: Fault,
        *,
        field: str | None = None,
        path: str | None = None,
        line: int | None = None,
    ) -> None:
        self.fault = fault
        self.message = fault.text()
        super().__init__(self.message)
        place = fault.place or FaultPlace()
        self.field = field if field is not None else place.field or None
        self.path = path if path is not None else place.path or None
        self.line = next((each for each in (line, place.line, place.row) if each is not None), None)


class InvalidInput(VtaError):
    """The input cannot be used as it is; the message says what to change."""

    code = "invalid_input"


class NotFound(VtaError):
    """The named thing does not exist (or is not the caller's to see)."""

    code = "not_found"


class NotReady(VtaError):
    """The thing exists but cannot serve yet, for example an index that is still being built."""

    code = "not_ready"


class UpstreamFailed(VtaError):
    """A service we depend on (language model, search engine, store) failed or timed out."""

    code = "upstream_failed"


class NotWritable(UpstreamFailed):
    """The store takes no writes, for example because the disk is full; it can still be read."""


class AnswerCutShort(UpstreamFailed):
    """The language model reached the limit on its output, so the answer is incomplete."""


class Conflict(VtaError):
    """The thing was changed by someone else in the meantime, or exists already."""

    code = "conflict"


class QuestionTaken(Conflict):
    """Another FAQ entry, `entry`, asks the same question already."""

    def __init__(self, entry: str) -> None:
        super().__init__(Fault("faq.taken", entry=entry), field="question")
        self.entry = entry


class LimitExceeded(VtaError):
    """A stated limit on size, rate or time was exceeded."""

    code = "limit_exceeded"
