"""Lines that many files of an ingest begin or end with: headers, footers, "Edit this page"."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from vta.types.documents import CourseDocument
from vta.types.pairs import QAPair, Source

FEWEST_FILES = 5
"""In which a line stands before it counts as repeated; and in a tenth of all."""
SMALLEST_SHARE = 0.1
TEXT_FROM = 40
"""Characters, half as many in Chinese, from which a line may be asked for: it stays in the first file."""
_FIRST, _LAST = 1, 3
"""Passages at both ends of a file that may hold its header and footer."""
_FENCES = ("```", "~~~", "$$")


@dataclass(slots=True)
class RepeatedLines:
    """Counts, for each line at the ends of files, in how many files it stands, and which was the first."""

    _files: int = 0
    _counts: dict[str, int] = field(default_factory=dict)
    _first: dict[str, str] = field(default_factory=dict)

    def add(self, document: CourseDocument) -> None:
        pairs = [pair for pair in document.pairs if _is_text(pair)]
        if not pairs:
            return
        self._files += 1
        ends = dict.fromkeys([*pairs[:_FIRST], *pairs[-_LAST:]])
        for line in {key for pair in ends for key in _keys(pair.answer)} - {""}:
            self._counts[line] = self._counts.get(line, 0) + 1
            self._first.setdefault(line, document.path)

    def repeated(self) -> frozenset[str]:
        """The lines that stand in enough files."""
        fewest = max(FEWEST_FILES, SMALLEST_SHARE * self._files)
        return frozenset(line for line, count in self._counts.items() if count >= fewest)

    def without(self, document: CourseDocument, repeated: frozenset[str]) -> CourseDocument:
        """The document without repeated lines and passages of nothing else; never without a passage."""
        dropped = {
            line for line in repeated if not (_is_sentence(line) and self._first[line] == document.path)
        }
        if not dropped:
            return document
        pairs = tuple(kept for pair in document.pairs if (kept := _stripped(pair, dropped)).answer)
        return replace(document, pairs=pairs) if pairs else document


def _stripped(pair: QAPair, dropped: set[str]) -> QAPair:
    if not _is_text(pair):
        return pair
    keys = _keys(pair.answer)
    if dropped.isdisjoint(keys):
        return pair
    lines = zip(pair.answer.split("\n"), keys, strict=True)
    kept = "\n".join(line for line, key in lines if key not in dropped)
    while "\n\n\n" in kept:
        kept = kept.replace("\n\n\n", "\n\n")
    return replace(pair, answer=kept.strip("\n").rstrip())


def _keys(text: str) -> list[str]:
    """Each line as it is compared; empty for code, formulas, tables and what has no word."""
    keys = []
    fence = ""
    for line in text.split("\n"):
        bare = line.strip()
        opens = next((mark for mark in _FENCES if bare.startswith(mark)), "")
        if fence or opens:
            one_line = opens == "$$" and len(bare) > 2 and bare.endswith("$$")
            fence = "" if one_line or (fence and opens == fence) else fence or opens
            keys.append("")
        else:
            is_line = sum(map(str.isalpha, bare)) > 3 and not bare.startswith("|")
            keys.append(" ".join(bare.split()) if is_line else "")
    return keys


def _is_sentence(line: str) -> bool:
    wide = sum("\u4e00" <= letter <= "\u9fff" for letter in line)
    return len(line) + wide >= TEXT_FROM


def _is_text(pair: QAPair) -> bool:
    return pair.source is Source.MATERIAL and pair.locator.video is None
