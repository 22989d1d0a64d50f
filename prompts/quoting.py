"""What comes from the course and from earlier turns, made ready for a prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence

from prompts.render import Rendered, escape_markup, quote_data
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types import Candidate, ChatMessage, Source

_MARK = re.compile(r"[ \t]*\[\d{1,3}\](?!\()")


def quote_candidates(candidates: Sequence[Candidate], *, hint: bool = False) -> dict[int, Rendered]:
    """The candidates as documents by number, title first; with `hint`, without those of the FAQ."""
    return {
        n: quote_data(f"{candidate.pair.question}\n{candidate.pair.answer}", n)
        for n, candidate in enumerate(candidates, start=1)
        if not (hint and candidate.pair.source is Source.FAQ)
    }


def escape_history(history: Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    """Earlier messages, unable to forge a role. Only the student and the assistant speak in them.

    Without citation marks: their numbers are those of documents that are not shown any more.
    """
    for message in history:
        if message.role not in ("user", "assistant"):
            raise InvalidInput(Fault("prompt.history_role", role=message.role), field="history")
    return tuple(ChatMessage(role=m.role, content=escape_markup(_MARK.sub("", m.content))) for m in history)
