"""Which of many names a sentence explains, and how plainly, by the patterns of Chinese and English."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from concept_graph.definitions import COPULA, MAX_DEFINITION
from concept_graph.names import inflections
from vta.text import HAN, normalise

PLAIN, LED_IN, SET_OFF, CALLED, TOLD = 3.0, 2.4, 2.0, 1.6, 1.2
"""How good an explanation is that opens with the name and says what it is ("X is a…", "X 是…"); the same
after a clause ("In science, X is a…"); after a colon ("X: …"); that ends by naming ("… is called X"); that
tells what it does ("X stores…")."""

SHORTEST, FEWEST_WORDS = 8, 5
"""Characters before "is called", and words of English: what is named must have been described there."""
_LONGEST_NAME = 60
_OPENING = re.compile(r"[-*+>\s|]*(?:所谓的?|an?\s|the\s)?[\"'“‘「『]?", re.IGNORECASE)
_LEAD_IN = re.compile(
    rf"(?:[{HAN}]{{1,14}}[里内中][，,]|"
    r"(?:in(?!\s+(?:this|that|these|other|particular|contrast|practice|fact|addition|turn)\b)|for|within|"
    r"formally|simply put|put simply|in short|informally)\b[^,.]{0,40},)"
    r"\s*(?:an?\s|the\s)?[\"'“‘「『]?",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"(?:称之?为|称作|叫[作做]|名为|叫(?=[“「])|"
    r"\b(?:(?:is|are|we)\s+(?:called|call)|known\s+as|(?:is|are)\s+termed|referred\s+to\s+as)\s+(?:an?\s|the\s)?)"
    r"\s*[\"'“‘「『]?",
    re.IGNORECASE,
)
_AFTER = r"[\"'”’」』]?(?:\s*[(（][^()（）]{1,60}[)）])?"
_IS = re.compile(_AFTER + COPULA, re.IGNORECASE)
_ALSO_KNOWN = re.compile(
    r",\s*(?:also\s+|often\s+|or\s+)?(?:known\s+as|called|abbreviated)\b[^,]{1,50},\s+(?:is|are)\s+(?:an?|the)\b"
    r"|[，,](?:又称|也称|简称|亦称|又叫|也叫)[^，,]{1,20}[，,]\s*(?:是|指)",
    re.IGNORECASE,
)
_COLON = re.compile(rf"{_AFTER}\s*[：:]\s*[{HAN}\w]")
_TELLS = re.compile(
    _AFTER + r"(?:\s*(?:用于|用来|表示|代表|描述|由.{1,20}组成|遵循|把|将|要求|通过|利用|采用|能够|"
    r"的(?:核心|基本)?思想)"
    r"|s?\s+(?:(?:is|are)\s+(?:used|based|composed|made|designed|intended|responsible|defined)"
    r"|denotes?|represents?|describes?|consists?\s+of|stores?|computes?|finds?|divides?|measures?|tells?\s+us"
    r"|says?|turns?|maps?|sorts?|uses?|follows?|allows?|works?\s+by)\b)",
    re.IGNORECASE,
)
_JUDGES = re.compile(
    _AFTER + r"(?:\s*是(?:[^，。：；]{1,14}的(?=[：，。；]|\Z)|在|第一|前面|[^，。；]{0,12}(?:最|重要|关键)"
    r"|一[个种把]?(?:非常|十分|很|场|双刃剑|特例|经典|通用)"
    r"|[^，。；]{0,14}(?:之一|代表|典型应用)(?=[，。；]))"
    r"|\s+(?:is|are)\s+one\s+of\b|\s+means?\s+(?:that\s+)?we\b"
    r"|\s+(?:is|are)\s+(?:an?\s+|the\s+)?(?:bit|lot|matter|result|reason|case|same|most\s+(?:popular|important|widely)"
    r"|\w{4,}ly\s+(?:simple|complex|powerful|useful|different|popular|common|good)|excellent|appropriate|example"
    r"|ideal|natural|key|crucial"
    r"|reasonable|standard|typical|necessary|very|foundations?|good|bad|great|like|similar|double-edged|general|classic)\b)",
    re.IGNORECASE,
)
"""What praises or places a thing and does not say what it is: 子问题是独立的, "X is a very …"."""
_ONE_OF_THEM = re.compile(r"the\s+[a-z]", re.IGNORECASE)
"""What "the algorithm stores" may hold for one algorithm alone."""
_NAMED = re.compile(
    r"s?[\"'”’」』]?\s*(?:[(（,，.。;；:：、]|\Z|(?:and|or|which|because|if|when|where|in|of|for|by|as)\b|[和与或，])",
    re.IGNORECASE,
)
"""The end of a name that is given to something: no further word of a longer name."""
_COMMA = re.compile(r"[,，、;；]")
_LONGEST_LISTED = 14
"""Characters of a name in a list."""
_LIST_MARK = "-*+>| "
_POINTS = re.compile(
    r"\A\W*(?:let['’]s|we|why|how|here|hence|then|now|it|they|which|such)\b|\b(?:this|these|those|above|following|itself)\b"
    r"|\A(?:这|那|它|其|此|该|因此|所以|上述|以上)",
    re.IGNORECASE,
)
"""What is said of something named elsewhere describes nothing by itself."""


def _is_list(after: str) -> bool:
    """Whether what follows a colon lists names: "RNN, GRU, LSTM"."""
    parts = _COMMA.split(after)
    return len(parts) > 1 and max(map(len, parts)) <= _LONGEST_LISTED


def _described(before: str) -> bool:
    """Whether the words before "is called" say what is called so."""
    if _POINTS.search(before) or len(before) < SHORTEST:
        return False
    return not before.isascii() or len(before.split()) >= FEWEST_WORDS


class DefiningSentences:
    """Recognises the explanations of the names of one course."""

    def __init__(self, names: Mapping[str, Iterable[str]]) -> None:
        """`names` are those of each thing by its key; of a name that two have, the first has it."""
        self._owner: dict[str, str] = {}
        for key, forms in names.items():
            for form in forms:
                plain = normalise(form)
                for each in (plain, *sorted(inflections(plain))):
                    self._owner.setdefault(each, key)
        self._longest = min(max(map(len, self._owner), default=0), _LONGEST_NAME)

    def owner(self, name: str) -> str | None:
        """The key of the thing that has a normalised name."""
        return self._owner.get(name)

    def explained(self, sentence: str) -> list[tuple[str, float]]:
        """(key, how plainly) of each name that a sentence without markup explains; none by a question."""
        plain = sentence.lstrip(_LIST_MARK)
        if len(plain) > MAX_DEFINITION or plain.endswith(("?", "？")):
            return []
        return list(self._opened(plain)) + list(self._called(plain))

    def names_at(self, text: str, start: int) -> list[tuple[int, str]]:
        """(end, key) of each name that stands at a place of the text, as a word of its own."""
        piece = text[start : start + self._longest].lower()
        found = []
        for length in range(1, len(piece) + 1):
            key = self._owner.get(piece[:length])
            after = text[start + length : start + length + 1]
            if key and not (after.isascii() and after.isalnum() and piece[length - 1].isascii()):
                found.append((start + length, key))
        return found

    def opening(self, sentence: str) -> frozenset[str]:
        """The keys of the names that a sentence opens with, not as another thing's ("X's", X 的)."""
        plain = sentence.lstrip(_LIST_MARK)
        found = _OPENING.match(plain)
        ends = self.names_at(plain, found.end() if found else 0)
        return frozenset(key for end, key in ends if not plain.startswith(("的", "'s", "’s"), end))

    def _opened(self, plain: str) -> Iterator[tuple[str, float]]:
        opening = _OPENING.match(plain)
        begin = opening.end() if opening else 0
        for end, key in sorted({*self.names_at(plain, 0), *self.names_at(plain, begin)}):
            if _JUDGES.match(plain, end):
                continue
            if _IS.match(plain, end) or _ALSO_KNOWN.match(plain, end):
                yield key, PLAIN
            elif (colon := _COLON.match(plain, end)) and not _is_list(plain[colon.end() - 1 :]):
                yield key, SET_OFF
            elif _TELLS.match(plain, end) and not _ONE_OF_THEM.match(plain):
                yield key, TOLD
        if lead := _LEAD_IN.match(plain):
            for end, key in self.names_at(plain, lead.end()):
                if _IS.match(plain, end) and not _JUDGES.match(plain, end):
                    yield key, LED_IN

    def _called(self, plain: str) -> Iterator[tuple[str, float]]:
        for called in _CALLED.finditer(plain):
            longest = max(self.names_at(plain, called.end()), default=None)
            if longest and _NAMED.match(plain, longest[0]) and _described(plain[: called.start()]):
                yield longest[1], CALLED
