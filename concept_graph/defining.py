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
    r"(?:in(?!\s+(?:this|that|these|other|particular|contrast|practice|fact|addition|turn)\b)"
    r"|for(?!\s+(?:instance|example)\b)|within|"
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
_COLON = re.compile(
    rf"{_AFTER}\s*[：:]\s*(?:[{HAN}](?<![传例比如可年])"
    r"|(?-i:[a-z])|(?:an?|the|any|one|two|all|each|at\s+least|used|if(?!\s(?:we|you)\b)|when(?!\s\w+ing\b))\s)",
    re.IGNORECASE,
)
"""What says what a thing is after a colon: in English a noun, mostly with its article, or a condition."""
_CONDITION = re.compile(r"(?:if|when)\s", re.IGNORECASE)
_LAW = re.compile(r"(?:theorem|postulate|law|rule|property|principle|corollary|axiom)s?\Z", re.IGNORECASE)
"""What is explained by what it says."""
_TELLS = re.compile(
    _AFTER + r"(?:\s*(?:用于|用来|表示|代表|描述|由.{1,20}组成|遵循|把|将|要求|通过|利用|采用|能够|"
    r"的(?:核心|基本)?思想)"
    r"|s?\s+(?:(?:is|are)\s+(?:composed|made|designed|intended|responsible|defined)"
    r"|denotes?|represents?|describes?|consists?\s+of|stores?|computes?|finds?|divides?|measures?|tells?\s+us"
    r"|says?\s+how|turns?|maps?|sorts?|works?\s+by)\b)",
    re.IGNORECASE,
)
_JUDGES = re.compile(
    _AFTER + r"(?:\s*是(?:[^，。：；]{1,14}的(?=[：，。；]|\Z)|在|第一|前面|[^，。；]{0,12}(?:最|重要|关键)"
    r"|一门|一[个种把]?(?:非常|十分|很|场|双刃剑|特例|经典|通用)"
    r"|[^，。；]{0,14}(?:之一|代表|典型应用)(?=[，。；]))"
    r"|\s+(?:is|are)\s+one\s+of\b|\s+means?\s+(?:that\s+)?we\b"
    r"|\s+(?:is|are)\s+(?:an?\s+|the\s+)?(?:special\s+case|converse|reverse|opposite|only|easiest|simplest|fastest|best|worst"
    r"|default|prototypical|pretrained|pre-trained|following|bit|lot|matter|result|reason|case|same|most\s+(?:popular|important|widely)"
    r"|\w{4,}ly\s+(?:simple|complex|powerful|useful|different|popular|common|good)|vivid|essential|excellent|appropriate|example"
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
_COLON_MARK = "\"'”’」』：: "
_POINTS = re.compile(
    r"\A\W*(?:let['’]s|we|why|how|here|hence|then|now|it|they|which|such)\b|\b(?:this|these|those|above|following|itself|its|next)\b"
    r"|这[类种些个]|\A(?:这|那|它|其|此|该|因此|所以|上述|以上)",
    re.IGNORECASE,
)
"""What is said of something named elsewhere describes nothing by itself."""


def _says_what(name: str, after: str) -> bool:
    """Whether what follows a name and a colon may be what the thing is.

    No list of names ("RNN, GRU, LSTM"), and no statement, but of a law or under a condition.
    """
    parts = _COMMA.split(after)
    if len(parts) > 1 and max(map(len, parts)) <= _LONGEST_LISTED:
        return False
    return bool(_LAW.search(name) or _CONDITION.match(after)) or not _FINITE.match(after)


def _described(before: str) -> bool:
    """Whether the words before "is called" say what is called so."""
    if _POINTS.search(before) or len(before) < SHORTEST or before[0] in "$)":
        return False
    return not before.isascii() or len(before.split()) >= FEWEST_WORDS


_ELSEWHERE = re.compile(
    r"\b(?:these|those|here|converse|above|below|following|previous|earlier|figure|in\s+our\s+(?:case|example)"
    r"|this\s+(?:example|case|section|chapter|figure|problem|table))\b|\bthis\.\Z"
    r"|如图|[下上]图|上述|上面|下面(?![^：:]*[：:].)|这里|本[节章例题]|课上|此处",
    re.IGNORECASE,
)
"""What hangs on what stands around it."""


_ANNOUNCES = re.compile(
    r"\b(?:types|kinds|steps|parts|ways|forms|phases|categories|two|three|four|as\s+follows)\b[^:]{0,30}:\Z"
    r"|(?:种|类|步|点|部分|方面|如下|依次是)[^：:]{0,6}[：:]\Z",
    re.IGNORECASE,
)
_COLONS = re.compile(r"[：:](?!\d)")
_FINITE = re.compile(
    r"\A[^.;]*?(?<!that)(?<!which)(?<!who)\s(?:is|are|was|were|should|must|can|will|may|does)\b"
)


def _is_whole(plain: str) -> bool:
    """Whether a sentence stands by itself: it asks nothing, announces no list and points nowhere.

    One that says of several things what each is stands for none of them.
    """
    if plain.endswith(("?", "？", "...", "…")) or _ELSEWHERE.search(plain) or _ANNOUNCES.search(plain):
        return False
    return len(_COLONS.findall(plain)) < 2 and plain.count("是") < 3


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
        """(key, how plainly) of each name that a sentence without markup explains, if it stands by itself."""
        plain = sentence.lstrip(_LIST_MARK)
        if len(plain) > MAX_DEFINITION or not _is_whole(plain):
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
            elif _COLON.match(plain, end) and _says_what(plain[:end], plain[end:].lstrip(_COLON_MARK)):
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
