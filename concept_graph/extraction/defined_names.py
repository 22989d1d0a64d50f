"""Names that a sentence introduces: 叫做 X, X 指的是, "called X", "an X is a"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from vta.sentences import split_sentences
from vta.text import HAN

_OPEN, _CLOSE = "[*“「『\"'_]*", "[*”」』\"'_]*"
_HAN_NAME = rf"((?![这那它其])[{HAN}A-Za-z0-9+\-]{{1,16}}?)(?<![也就都才又还上中里])"
_NO_NAME = (
    "first|second|third|this|that|these|next|last|since|when|if|because|as|although|while|where|there|it"
)
_NAME = rf"((?!(?i:{_NO_NAME})\b)[A-Za-z][\w'+-]*(?: [A-Za-z0-9][\w'+-]*){{0,4}}?)"
_GLOSS = r"(?:\s*[(（][^()（）]{1,60}[)）])?"
_END = r"(?=\s*(?:[,.;:!?，。；：、！？()（）|]|$))"
_LIST_MARK = "-*+>| \t"
_GENUS = "kind|type|method|process|way|technique|structure|algorithm|set|collection|measure|function|model"

_CALLED = re.compile(
    rf"(?:叫[作做]|称[为作]|称之为|简称|统称为?|名为){_OPEN}{_HAN_NAME}{_CLOSE}{_END}|叫[“「*]+{_HAN_NAME}[”」*]+"
)
_MEANS = re.compile(rf"(?:所谓的?)?{_OPEN}{_HAN_NAME}{_CLOSE}{_GLOSS}\s*(?:是指|指的是|是一[种类棵组])")
_ENGLISH_CALLED = re.compile(
    rf"\b(?:called|known as|termed|referred to as) (?:an? |the )?{_OPEN}{_NAME}{_CLOSE}{_END}"
)
_ENGLISH_MEANS = re.compile(
    rf"(?:An? |The )?{_OPEN}{_NAME}{_CLOSE}{_GLOSS} (?:refers? to|(?:is|are) defined as"
    rf"|(?:is|are) (?:an?|one) (?:[a-z-]+ ){{0,2}}(?:{_GENUS})\b)"
    rf"|An? {_OPEN}{_NAME}{_CLOSE}{_GLOSS} is (?:an?|the) "
)


def find_defined_names(texts: Iterable[str]) -> Counter[str]:
    """Names as they stand where a sentence says what they mean, with how often; some are no terms."""
    found: Counter[str] = Counter()
    for text in texts:
        for sentence in split_sentences(text):
            found.update(_introduced(sentence.strip(_LIST_MARK)))
    return found


def _introduced(sentence: str) -> Iterator[str]:
    if "叫" in sentence or "称" in sentence or "名为" in sentence:
        for called in _CALLED.finditer(sentence):
            yield called[1] or called[2]
    if ("指" in sentence or "是一" in sentence) and (means := _MEANS.match(sentence)):
        yield means[1]
    if any(verb in sentence for verb in (" is ", " are ", " refer")) and (
        means := _ENGLISH_MEANS.match(sentence)
    ):
        yield means[1] or means[2]
    if any(verb in sentence for verb in ("called ", "known as ", "termed ", "referred to as ")):
        for called in _ENGLISH_CALLED.finditer(sentence):
            yield called[1]
