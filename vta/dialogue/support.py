"""Which sentences of a language model's answer the given knowledge supports, and marks of their sources."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vta.dialogue.claims.attribution import LEAST, LEAST_TO_STAY, Attribution, Attributor
from vta.dialogue.claims.claim import read_claims
from vta.dialogue.claims.passages import PassageReader
from vta.dialogue.grounding import PROTECTED, cited_numbers, set_marks, without_marks
from vta.ports import Embedder
from vta.sentences import sentence_spans
from vta.text import HAN, Analyser
from vta.types.answers import Unsupported
from vta.types.language_model import TeachStep
from vta.types.pairs import Candidate, Source

_EMPTY_LINE = re.compile(r"^[ \t]*(?:(?:[-*+]|\d{1,3}[.)]|>)[ \t]*)+(?:\n|\Z)", re.MULTILINE)
_EMPTY_HEADING = re.compile(r"^#{1,6} [^\n]*\n+(?=#{1,6} |\Z)", re.MULTILINE)
_LEFT_LEAD = re.compile(
    r"^[^\n]*[:：?？][* \t]*\n*(?=\Z|[^\n]*[:：?？][* \t]*(?:\n|\Z)|#{1,6} )", re.MULTILINE
)
_POINTS_BACK = re.compile(
    r"[*_]*(?:this|these|those|it|they|such)\b|[*_]*(?:这(?!里)|它|该|此(?!外))", re.IGNORECASE
)
_BLANK_LINES = re.compile(r"\n{3,}")
_TAG = r"<?\bdocument\s+n\s*=\s*[\"“”]?\d{1,2}[\"”]?(?:\s*/?>)?"
_NUMBERS = r"\[?\d{1,2}\]?(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)\[?\d{1,2}\]?)*"
_NAME = rf"(?:the\s+)?(?:{_TAG}|\bdocuments?\s+{_NUMBERS}|(?:first|second|third|fourth|fifth)\s+document\b)"
_PART = r"(?:the\s+information\s+(?:provided\s+)?in\s+)?"
_TOLD = r"(?:described|explained|found|given|indicated|mentioned|noted|provided|reported|shown|stated)"

_NAMED_DOCUMENT = re.compile(
    rf"{PROTECTED}"
    rf"|(?P<opening>(?:^|(?<=[.!?]\s))(?:according\s+to|based\s+on)\s+{_PART}{_NAME},\s+(?P<next>\w))"
    rf"|(?P<aside>(?<![.!?:])(?:,|(?<!\s))\s+(?:as\s+{_TOLD}\s+in|according\s+to)\s+{_PART}{_NAME}"
    rf"|根据(?:{_TAG}|文档\s*(?:\[?\d{{1,2}}\]?)?)[，,]\s*)"
    rf"|(?P<place>(?P<told>\b{_TOLD}\s+in\s+){_NAME})"
    rf"|(?P<tag>(?:the\s+)?(?:document\s+)?{_TAG})(?P<han>(?=\s*[{HAN}]))?",
    re.MULTILINE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """An answer after the check: how many claims it made, and how many of them have no support."""

    text: str
    claims: int
    unsupported: int

    @property
    def supported(self) -> int:
        """How many claims have support."""
        return self.claims - self.unsupported

    @property
    def holds_nothing(self) -> bool:
        """Whether it made claims, not one of them has support, and they are several or were all there was."""
        return 0 < self.claims == self.unsupported and (self.claims > 1 or not self.text.strip())


class SupportCheck:
    """Cites what supports each sentence; marks, removes or only counts the claims without support."""

    def __init__(
        self,
        analyser: Analyser,
        *,
        embedder: Embedder | None = None,
        unsupported: Unsupported = Unsupported.MARK,
    ) -> None:
        """Without an `embedder`, words alone are compared."""
        self._reader = PassageReader(analyser, embedder)
        self.unsupported = unsupported

    def prepare(self, candidates: Sequence[Candidate], steps: Sequence[TeachStep]) -> None:
        """Read what an answer will be held against, while the model still writes it."""
        self._reader.prepare((*_texts(candidates), *_definitions(steps)))

    def check(
        self,
        text: str,
        *,
        candidates: Sequence[Candidate],
        steps: Sequence[TeachStep],
        mark: str,
        question: str = "",
        hidden: Source | None = None,
    ) -> Checked:
        """The text citing its sources, with `mark` behind each claim without support, or without these.

        [n] is the n-th candidate. A sentence cites the one that supports it; at most two marks that the model
        set right stay where they are, wrong ones go. A claim that nothing supports, or that
        the course contradicts, cites nothing. Pairs of the `hidden` source support, but are not cited. A
        document that the model calls by its number becomes the course material.
        """
        text = without_document_names(text)
        found = self.attribute(text, candidates=candidates, steps=steps, question=question, hidden=hidden)
        if self.unsupported is Unsupported.REMOVE:
            found = _with_antecedents(text, found)
        pieces, behind = list[str](), 0
        for start, end, attribution in found:
            pieces += [text[behind:start], self._show(text[start:end], attribution, mark)]
            behind = end
        whole = "".join([*pieces, text[behind:]])
        faults = sum(each.supported is False for _, _, each in found)
        removed = faults and self.unsupported is Unsupported.REMOVE
        return Checked(
            text=_tidy(whole) if removed else whole,
            claims=sum(each.supported is not None for _, _, each in found),
            unsupported=faults,
        )

    def attribute(
        self,
        text: str,
        *,
        candidates: Sequence[Candidate],
        steps: Sequence[TeachStep],
        question: str = "",
        hidden: Source | None = None,
    ) -> tuple[tuple[int, int, Attribution], ...]:
        """(start, end) of each prose sentence, with what it is to cite."""
        attributor = Attributor(
            self._reader,
            passages=[self._reader.passage(each) for each in _texts(candidates)],
            definitions=[self._reader.passage(each) for each in _definitions(steps)],
            citable=frozenset(n for n, c in enumerate(candidates, start=1) if c.pair.source is not hidden),
            least=LEAST_TO_STAY if self.unsupported is Unsupported.REMOVE else LEAST,
        )
        spans = sentence_spans(text)
        sentences = [text[start:end] for start, end in spans]
        plain = [without_marks(sentence) for sentence in sentences]
        claims = read_claims(plain, question=question, reader=self._reader)
        return tuple(
            (start, end, attributor.attribute(claim, cited=cited_numbers(sentence)))
            for (start, end), sentence, claim in zip(spans, sentences, claims, strict=True)
        )

    def _show(self, sentence: str, found: Attribution, mark: str) -> str:
        """The sentence with its sources; a claim without support as set."""
        if found.supported is not False:
            return set_marks(sentence, found.sources)
        match self.unsupported:
            case Unsupported.KEEP:
                return without_marks(sentence)
            case Unsupported.MARK:
                return f"{without_marks(sentence)} {mark}"
            case Unsupported.REMOVE:
                return ""


def _texts(candidates: Sequence[Candidate]) -> list[str]:
    return [f"{each.pair.question}\n{each.pair.answer}" for each in candidates]


def _definitions(steps: Sequence[TeachStep]) -> list[str]:
    concepts = {k.id: k for step in steps for k in (step.concept, *step.prerequisites)}
    return [f"{each.name}: {each.definition}" for each in concepts.values()]


def _with_antecedents(
    text: str, found: Sequence[tuple[int, int, Attribution]]
) -> tuple[tuple[int, int, Attribution], ...]:
    """The same, without support for a sentence that begins with "this" or "it" behind one without support."""
    judged: list[tuple[int, int, Attribution]] = []
    for start, end, each in found:
        is_next = judged and judged[-1][2].supported is False and "\n\n" not in text[judged[-1][1] : start]
        if is_next and _POINTS_BACK.match(text, start):
            each = Attribution(supported=False, sources=())
        judged.append((start, end, each))
    return tuple(judged)


def _tidy(text: str) -> str:
    """A text from which sentences were taken: without the list marks, headings and lead-ins that are left."""
    text = re.sub(r"[ \t]+$", "", _EMPTY_LINE.sub("", text), flags=re.MULTILINE)
    while (fewer := _LEFT_LEAD.sub("", _EMPTY_HEADING.sub("", text.strip()))) != text:
        text = fewer
    return _BLANK_LINES.sub("\n\n", text).strip()


def without_document_names(text: str) -> str:
    """A model's text without the numbers of its documents; code and mathematics stay as they are."""
    return _NAMED_DOCUMENT.sub(_renamed, text)


def _renamed(match: re.Match[str]) -> str:
    if match["opening"]:
        return match["next"].upper()
    if match["aside"]:
        return ""
    if match["place"]:
        return f"{match['told']}the course material"
    if match["tag"]:
        if match["han"] is not None:
            return "课程资料"
        return f"{'The' if match['tag'].startswith('The') else 'the'} course material"
    return match.group()
