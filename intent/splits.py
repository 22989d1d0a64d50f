"""Splitting by session, never by row."""

from __future__ import annotations

import random
from collections.abc import Sequence

from intent.labels import LabelledQuestion


def split_sessions(
    rows: Sequence[LabelledQuestion], share: float, seed: int
) -> tuple[tuple[LabelledQuestion, ...], tuple[LabelledQuestion, ...]]:
    """(rest, held out): about `share` of the sessions, drawn by the seed, held out with all their rows.

    At least one session stays on either side when there are two; the rows keep their order.
    """
    sessions = sorted({row.session_id for row in rows})
    random.Random(seed).shuffle(sessions)
    count = min(max(1, round(share * len(sessions))), len(sessions) - 1)
    held = set(sessions[:count])
    return (
        tuple(row for row in rows if row.session_id not in held),
        tuple(row for row in rows if row.session_id in held),
    )
