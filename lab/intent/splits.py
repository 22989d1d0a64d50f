"""Splitting by session, never by row."""

from __future__ import annotations

import random
from collections.abc import Sequence

from lab.intent.labels import LabelledQuestion


def fold_sessions(rows: Sequence[LabelledQuestion], folds: int, seed: int) -> list[int]:
    """The number of the fold that tests each row: sessions dealt out in an order drawn by the seed."""
    sessions = sorted({row.session_id for row in rows})
    random.Random(seed).shuffle(sessions)
    places = {session: number % folds for number, session in enumerate(sessions)}
    return [places[row.session_id] for row in rows]
