"""Which candidates are admitted as concepts, beside their score: what few counts cannot show."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from math import ceil, exp

from concept_graph.extraction.candidates import TermCandidate
from concept_graph.extraction.features import background, heads
from concept_graph.extraction.material import Material
from concept_graph.extraction.runs import Run
from concept_graph.extraction.vocabulary import Vocabulary

FEW_SEEDS = 10
"""With fewer names set apart, nothing is asked of kinship with them."""
MOST_DOCUMENTS_ASKED = 3
_SHARE_OF_DOCUMENTS = 0.1
_EVERYDAY = 3000
"""Uses in the segmenter's dictionary (of about 60 million) that make a word one of everyday use."""
_MOSTLY_NESTED = 0.9
_ABBREVIATION = re.compile(r"[A-Z][A-Z0-9-]+\Z")
_PARTICIPLE = re.compile(r".{3,}[^e]ed\Z")
_ADJECTIVE = re.compile(r".{3,}(?:ical|ional|etric|ous|ular)\Z")
_WHO = re.compile(r"(?:.{3,}ologist|.{3,}ionist|theorist|researcher|scientist)\Z")
_LEAST_ALONE, _ENOUGH = 0.2, 5
"""Of its uses, this share of a noun's is followed by no noun, if it has so many."""
_PLACE_TAGS = frozenset({"ns", "nt"})
"""Places and organisations in the segmenter's dictionary."""
_CAPITALS = re.compile(r"[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*)+\Z")
_PROPER = re.compile(r"[A-Z][a-z']+\Z")


class Admission:
    """Says of each candidate of one course whether it may be a concept.

    A candidate that nothing sets apart, and that is no abbreviation, needs one of these: kinship (a word of
    its own in a name that the course sets apart), or use in a share of the documents, at most
    `MOST_DOCUMENTS_ASKED` of a long course. So the props of a lecturer's story are left out, which a lecture
    repeats as often as its terms. Unless something sets them apart, these are never admitted: a single
    Chinese character, a Chinese word of everyday use, an English participle or adjective, a first name, a
    place, those who work at a thing ("conflict theorists"), and what stands almost always inside longer
    candidates.
    """

    def __init__(
        self,
        material: Material,
        candidates: Iterable[TermCandidate],
        seeds: Collection[Run],
        vocabulary: Vocabulary,
    ) -> None:
        self._seeds = seeds
        self._documents = material.documents
        self._tags = material.tags
        self._dull = vocabulary.never_alone
        self._boundary = vocabulary.boundary
        known = [each.words for each in candidates if each.words in seeds]
        self._kin = Counter(part for words in known for part in self._roots(words))
        self._ask_kinship = len(known) >= FEW_SEEDS
        share = ceil(len(set(material.documents)) * _SHARE_OF_DOCUMENTS)
        self._fewest = min(max(share, 1), MOST_DOCUMENTS_ASKED)

    def admits(self, each: TermCandidate) -> bool:
        """Whether a candidate may be a concept; one that something sets apart always may."""
        if each.words in self._seeds:
            return True
        if each.han and sum(map(len, each.words)) == 1:
            return False
        if each.nested.total() >= _MOSTLY_NESTED * each.count or _first_name(each) or self._no_thing(each):
            return False
        if (
            not self._ask_kinship
            or all(map(_ABBREVIATION.match, each.surfaces))
            or any(root in self._kin for root in self._roots(each.words))
        ):
            return True
        spread = len({self._documents[section] for section in each.sections})
        fewest = min(self._fewest, 2) if len(each.words) > 1 else self._fewest
        return spread >= fewest

    def _roots(self, words: Run) -> set[str]:
        """What makes two names kin: their own words, and the last character of a Chinese name."""
        return {word for word in words if word not in self._dull} | set(heads(words))

    def _no_thing(self, each: TermCandidate) -> bool:
        """A Chinese word of everyday use, an English participle or adjective, or people of a profession.

        An adjective is told by its ending, or because a noun nearly always follows it.
        """
        if _WHO.match(each.words[-1]) or _proper(each):
            return True
        if each.han and any(self._tags.get(word) in _PLACE_TAGS for word in each.words):
            return True
        word = each.words[0]
        if len(each.words) > 1:
            return False
        if each.han:
            return exp(background(word)) >= _EVERYDAY
        ends = sum(n for after, n in each.right.items() if not after or after in self._boundary)
        modifies = each.count >= _ENOUGH and ends < _LEAST_ALONE * each.count
        return (modifies and not all(map(_ABBREVIATION.match, each.surfaces))) or bool(
            _PARTICIPLE.match(word) or _ADJECTIVE.match(word)
        )


def _proper(each: TermCandidate) -> bool:
    """Whether each word is always capitalised and no article stands before it: "South Korea"."""
    capital = len(each.words) > 1 and all(_CAPITALS.match(surface) for surface in each.surfaces)
    return capital and not any(each.left[article] for article in ("a", "an", "the"))


def _first_name(each: TermCandidate) -> bool:
    """Whether every use is one capitalised word inside a run: "Anna", but not "ReLU"."""
    return len(each.words) == 1 and all(map(_PROPER.match, each.surfaces)) and set(each.left) != {""}
