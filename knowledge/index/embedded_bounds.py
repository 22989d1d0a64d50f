"""How far tantivy's bounds hold where an index has several segments.

For each block of 128 documents tantivy keeps the frequency f and length n of the one that scores best at the
average length a of its own segment, and passes over the block where that document scores too low. Scores are
worked out at the average length A of all segments, at which another document of the block may be better, but
by no more than max(a / A, A / a): f / (f + norm) falls as the norm rises, and the norm is linear in n / A. So
what a search passed over scores at most that factor times the last of its hits. A segment of fewer than 128
documents has no such blocks; one of pairs that updates added is searched by itself (`ADDED`).
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tantivy

from knowledge.index.embedded_search import ADDED
from knowledge.index.embedded_statistics import Totals, read_totals
from knowledge.index.embedded_writing import open_index

_META = "meta.json"
_BLOCK = 128
_ROUNDING = 1e-5
"""What sums of single precision may be off, and more."""

Lengths = Mapping[str, float]
"""Average number of tokens by field; empty for a segment whose bounds do not matter."""


def reload(index: tantivy.Index, folder: Path) -> str:
    """Bring an index to its newest commit; returns the meta.json of just that commit."""
    while True:
        meta = (folder / _META).read_text(encoding="utf-8")
        index.reload()
        if (folder / _META).read_text(encoding="utf-8") == meta:
            return meta


def read_segments(folder: Path, meta: str, known: Mapping[str, Lengths]) -> dict[str, Lengths] | None:
    """The average lengths of each segment by its id; those that are known are not read again.

    tantivy reports only the averages of all segments together, so each is opened by itself, under links in a
    folder of its own. None where no links can be made, or where the files are gone already.
    """
    described = json.loads(meta)
    found = {str(segment["segment_id"]): segment for segment in described["segments"]}
    if len(found) == 1:
        return {id: {} for id in found}
    try:
        return {
            id: known.get(id) or _lengths(folder, {**described, "segments": [{**segment, "deletes": None}]})
            for id, segment in found.items()
        }
    except (OSError, ValueError):
        return None


def _lengths(folder: Path, meta: Mapping[str, Any]) -> Lengths:
    """Those of the one segment of a meta.json."""
    (segment,) = meta["segments"]
    if segment["max_doc"] < _BLOCK:
        return {}
    with tempfile.TemporaryDirectory(prefix="vta-", ignore_cleanup_errors=True) as place:
        for file in folder.glob(f"{segment['segment_id'].replace('-', '')}.*"):
            Path(place, file.name).symlink_to(file.absolute())
        Path(place, _META).write_text(json.dumps(meta), encoding="utf-8")
        index = open_index(Path(place))
        searcher = index.searcher()
        if searcher.doc_freq("group", ADDED) == segment["max_doc"]:
            return {}
        return read_totals(index, searcher).average_lengths


def slack(segments: Mapping[str, Lengths] | None, totals: Totals) -> dict[str, float] | None:
    """By field, the factor by which what was passed over may score above the last hit; 1 in one segment.

    None where the segments are not known, and so nothing is.
    """
    if segments is None:
        return None
    if len(segments) <= 1:
        return dict.fromkeys(totals.average_lengths, 1.0)
    factors = {}
    for field, of_all in totals.average_lengths.items():
        ratios = [lengths[field] / of_all for lengths in segments.values() if lengths]
        factors[field] = max((max(ratio, 1 / ratio) for ratio in ratios), default=1.0) * (1 + _ROUNDING)
    return factors
