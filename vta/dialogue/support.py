"""Which sentences of a language model's answer the given knowledge supports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vta.dialogue.sentences import is_question, sentence_spans
from vta.text import Analyser, detect_language, normalise
from vta.types import Candidate, Language, TeachStep, Unsupported

SUPPORTED_SHARE = 0.4
"""Share of a claim's content words that its evidence must hold (tests/data/support_judged.jsonl)."""

FEWEST_WORDS = 4
"""Different content words from which a sentence is a claim, not a transition."""

CITATION_MARK = re.compile(r"\[(\d{1,3})\](?!\()")
_EMPTY_LINE = re.compile(r"^[ \t]*(?:(?:[-*+]|\d{1,3}[.)]|>)[ \t]*)+(?:\n|\Z)", re.MULTILINE)
_EMPTY_HEADING = re.compile(r"^#{1,6} [^\n]*\n+(?=#{1,6} |\Z)", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """An answer after the check: how many claims it made, and how many of them have no support."""

    text: str
    claims: int
    unsupported: int

    @property
    def holds_nothing(self) -> bool:
        """Whether it made claims, not one of them has support, and they are several or were all there was."""
        return 0 < self.claims == self.unsupported and (self.claims > 1 or not self.text.strip())


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A text that may support a claim: its language, its words, and itself normalised."""

    language: Language
    words: frozenset[str]
    text: str

    def holds(self, word: str) -> bool:
        """Whether it has the word; a Chinese one also where the text was cut otherwise."""
        return word in self.words or (not word.isascii() and word in self.text)


class SupportCheck:
    """Marks or removes the claims that the evidence does not hold, or only counts them."""

    def __init__(self, analyser: Analyser, *, unsupported: Unsupported = Unsupported.MARK) -> None:
        self._analyser = analyser
        self.unsupported = unsupported

    def check(
        self, text: str, *, candidates: Sequence[Candidate], steps: Sequence[TeachStep], mark: str
    ) -> Checked:
        """The text with `mark` behind each claim without support, or without these claims, as set.

        A claim is a prose sentence, no question, of at least `FEWEST_WORDS` different content words. It has
        support where `SUPPORTED_SHARE` of its words occur in what it cites ([n] is the n-th candidate) or in
        any one candidate, each time together with the definitions of the steps. Evidence in another language
        only can neither support nor refute it, and it is left alone.
        """
        passages = [self.read(f"{c.pair.question}\n{c.pair.answer}") for c in candidates]
        concepts = {k.id: k for step in steps for k in (step.concept, *step.prerequisites)}
        given = [self.read(f"{k.name}: {k.definition}") for k in concepts.values()]
        claims, faults = 0, list[tuple[int, int]]()
        for start, end in sentence_spans(text):
            sentence = text[start:end]
            cited = [int(n) - 1 for n in CITATION_MARK.findall(sentence) if 1 <= int(n) <= len(passages)]
            groups = [[passages[n] for n in cited], *([passage] for passage in passages)]
            found = {self.supports(sentence, [*group, *given]) for group in groups}
            claims += found != {None}
            if False in found and True not in found:
                faults.append((start, end))
        return Checked(text=self._apply(text, faults, mark), claims=claims, unsupported=len(faults))

    def read(self, text: str) -> Evidence:
        """A text as evidence."""
        return Evidence(
            language=detect_language(text, Language.EN),
            words=frozenset(self._analyser.words(text)),
            text=normalise(text),
        )

    def supports(self, sentence: str, evidence: Sequence[Evidence]) -> bool | None:
        """Whether the evidence supports a sentence; None where it is no claim or nothing can be compared."""
        plain = CITATION_MARK.sub(" ", sentence)
        words = set(self._analyser.content_words(plain))
        if is_question(plain) or len(words) < FEWEST_WORDS:
            return None
        language = detect_language(plain, Language.EN)
        readable = [piece for piece in evidence if piece.language is language]
        if not readable:
            return None
        found = sum(any(piece.holds(word) for piece in readable) for word in words)
        return found >= SUPPORTED_SHARE * len(words)

    def _apply(self, text: str, faults: Sequence[tuple[int, int]], mark: str) -> str:
        if not faults or self.unsupported is Unsupported.KEEP:
            return text
        removes = self.unsupported is Unsupported.REMOVE
        for start, end in reversed(faults):
            text = text[:start] + ("" if removes else f"{text[start:end]} {mark}") + text[end:]
        return _tidy(text) if removes else text


def _tidy(text: str) -> str:
    """A text from which sentences were taken: without the list marks and headings that are left alone."""
    text = re.sub(r"[ \t]+$", "", _EMPTY_LINE.sub("", text), flags=re.MULTILINE)
    while (fewer := _EMPTY_HEADING.sub("", text)) != text:
        text = fewer
    return _BLANK_LINES.sub("\n\n", text).strip()
