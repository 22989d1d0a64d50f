"""Names that the text itself gives: 栈（stack）, 循环神经网络，简称 RNN, "called X", "an X is"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from concept_graph.extraction.vocabulary import BOUNDARY_TAGS, fold, vocabulary
from concept_graph.names import name_key
from vta.sentences import split_sentences
from vta.text import HAN, normalise, segmenter

_IN_NAME, _CLOSING = rf"[{HAN}\w +\-]", '[”"」*`]*'
_RUN = rf"(?={_IN_NAME}++{_CLOSING}[,，]?\s*+\Z)([{HAN}A-Za-z]{_IN_NAME}%s?){_CLOSING}"
"""A name and the marks that close it; `%s` is how much longer than one letter it is.

What is ahead tells quickly that a run of letters ends before the text does.
"""
_BRACKET = re.compile(r"[(（]\s*([^()（）\n]{1,60}?)\s*[)）]")
_BEFORE_BRACKET = re.compile(_RUN % "{0,60}" + r"\s?\Z")
_CALLED = re.compile(
    r"(?:(?:英文)?(?:简称|缩写)[为是叫]?|英文名?[为是叫]|"
    r"\b(?:or|abbreviated(?: as| to)?|called|known as|for short)\b:?)"
    r"\s*[“\"「*`]*([A-Za-z][A-Za-z0-9+#-]{1,30})(?![\w-])"
)
_BEFORE_CALLED = re.compile(_RUN % "{1,60}" + r"[,，]?\s*\Z")
_REACH = 100
"""Characters before a bracket that a name, its quotation marks and spaces take at most."""
_SHORT = re.compile(r"[A-Z][A-Z0-9]{1,5}")
_MISSING = 2
"""Chinese characters, those of an English word: what a name lacks that is part of a longer one."""
_STANDS_FOR = re.compile(
    r"\b([A-Z][A-Za-z]*[A-Z]s?)\b\W{0,4}(?:stands? for|(?:is|are)?,? ?short for|, or|[(（])\W{0,4}"
    r"(?:the |an? )?([A-Za-z][A-Za-z -]{4,60})"
)
_BETWEEN = re.compile(r"\s*[,，、;；/]\s*")
_HAN = re.compile(rf"[{HAN}]")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9'’]*")
_TERM = re.compile(r"[A-Za-z][A-Za-z0-9+# '’-]*")

_SMALL = frozenset({"of", "and", "the", "for", "in", "on", "to", "a"})

Gloss = tuple[str, str]


def find_glosses(texts: Iterable[str]) -> Counter[Gloss]:
    """(before the bracket, inside it) where one may be another name of the other, with how often.

    Either the two are in different scripts, or what is inside abbreviates what is before. Of several
    names inside each counts: 梯度下降（gradient descent, GD）. "abbreviated as" and 简称 are as good as a
    bracket. What is before is as long as the run before it; `resolve` says which of its endings is meant.
    """
    found: Counter[Gloss] = Counter()
    for text in texts:
        named = *_runs_before(_BRACKET, _BEFORE_BRACKET, text), *_runs_before(_CALLED, _BEFORE_CALLED, text)
        for before, inside in named:
            for part in _BETWEEN.split(inside):
                gloss = before.strip(), part.strip()
                if _is_gloss(*gloss):
                    found[gloss] += 1
        found.update(
            (long, short)
            for short, after in _STANDS_FOR.findall(text)
            if (long := _opening_long_form(short, after))
        )
    return found


def _runs_before(opening: re.Pattern[str], run: re.Pattern[str], text: str) -> Iterator[Gloss]:
    """Find what each opening names, with the longest run before it.

    It starts from the few openings, not from every letter that a run may begin with.
    """
    at = end = 0
    while found := opening.search(text, at):
        before = run.search(text, max(end, found.start() - _REACH), found.start())
        at = found.start() + 1
        if before:
            yield before[1], found[1]
            at = end = found.end()


def _is_gloss(before: str, inside: str) -> bool:
    if not inside:  # a bracket left to be filled in
        return False
    chinese = bool(_HAN.match(before[-1]))
    if not _TERM.fullmatch(inside) and not (_HAN.match(inside) and not chinese):
        return False
    return chinese != bool(_HAN.search(inside)) or bool(long_form(inside, before))


def _opening_long_form(short: str, after: str) -> str:
    """The first words of a text that an abbreviation before it stands for; "" where there are none."""
    words = after.split()
    openings = (" ".join(words[:end]) for end in range(2, len(words) + 1))
    return next((each for each in openings if long_form(short, each) == each), "")


def long_form(short: str, before: str) -> str:
    """The last words of a text that an abbreviation stands for, as many as it can; "" where there are none.

    As Schwartz and Hearst (2003, "A simple algorithm for identifying abbreviation definitions in biomedical
    text") the letters come in the words in this order, in no more words than so many; more strictly, each
    word gives its first letter ("average cost curve" is no AC), unless it is a small one. An abbreviation
    has two capitals at least; a plural one is read in the singular.
    """
    letters = short[:-1] if short.endswith("s") else short
    opening = letters[:1].lower()
    if not (2 <= len(letters) <= 10 and letters.isalnum() and sum(map(str.isupper, letters)) > 1):
        return ""
    words = list(re.finditer(r"[A-Za-z]+", before))[-min(len(letters) + 5, 2 * len(letters)) :]
    for n, first in enumerate(words[:-1]):
        if first.group()[0].lower() != opening or first.group().lower() in _SMALL:
            continue
        pattern = "".join(map(_letters_of, (word.group().lower() for word in words[n:])))
        if re.fullmatch(pattern, letters.lower()):
            return before[first.start() :].strip()
    return ""


def _letters_of(word: str) -> str:
    """A pattern of what a word may give to an abbreviation: its first letter, and others in order."""
    given = word[0] + "".join(f"{letter}?" for letter in word[1:])
    return f"(?:{given})?" if word in _SMALL else given


def resolve(glosses: Counter[Gloss], known: Collection[str]) -> dict[str, list[str]]:
    """The other names of each known name (by `same_key`), commonest first.

    An abbreviation belongs to the words that it stands for; where these are unknown, they are another name
    of a known abbreviation. A translation belongs to the ending of what stands before the bracket that is
    known and nearest in length to the longest translation there: a word of English to two Chinese
    characters. It belongs to none where that ending is shorter and part of a name that is not known. Two
    concepts with one abbreviation are two: the commoner has it.
    """
    found: dict[str, list[str]] = {}
    wanted: dict[str, int] = {}
    for before, inside in glosses:
        wanted[before] = max(wanted.get(before, 0), _weight(inside))
    abbreviations: set[str] = set()
    for (before, inside), _ in sorted(glosses.items(), key=lambda each: (-each[1], each[0])):
        owner, other = _named(before, inside, wanted[before], known)
        is_new = other not in abbreviations and other not in found.get(owner, ())
        if not is_new or owner not in known or owner == same_key(other):
            continue
        found.setdefault(owner, []).append(other)
        if _SHORT.fullmatch(other):
            abbreviations.add(other)
    return found


def _named(before: str, inside: str, wanted: int, known: Collection[str]) -> Gloss:
    """The key of the name that a gloss gives another one to, and that one; the key is "" for no name."""
    if long := long_form(inside, before):
        turned = same_key(long) not in known and same_key(inside) in known
        return (same_key(inside), long) if turned else (same_key(long), inside)
    endings = [ending for ending in _endings(before) if same_key(ending) in known]
    nearest = min(endings, key=lambda ending: (abs(_weight(ending) - wanted), -len(ending)), default="")
    is_part = _weight(nearest) + _MISSING <= wanted and _goes_on(before.removesuffix(nearest))
    return "" if is_part or not nearest else same_key(nearest), inside


def _goes_on(text: str) -> bool:
    """Whether a name that begins in a text may go on after it: its last word is no verb and joins nothing.

    的 joins what describes a thing to its name.
    """
    word, tag = next(reversed(segmenter().tag(text.strip(), False)), ("", ""))
    joins = tag == "v" or tag in BOUNDARY_TAGS or fold(word) in vocabulary().boundary
    return word == "的" or bool(word and not joins)


def same_key(name: str) -> str:
    """What spellings of one name share: case, plurals, spaces and hyphens aside."""
    words = normalise(name).replace("-", " ").replace("'", "").split()
    return "".join(map(name_key, words)) or name


def _endings(phrase: str) -> list[str]:
    """The endings of a phrase where a name may begin: at a word, and at any Chinese character.

    None begins after a hyphen: 演员-评论员 is one name.
    """
    at_word = (n for n in range(1, len(phrase)) if _HAN.match(phrase[n]) or not phrase[n - 1].isalnum())
    starts = [0, *(n for n in at_word if phrase[n - 1] != "-")]
    return [phrase[n:].strip() for n in starts if phrase[n:].strip() and len(phrase) - n <= 60]


def _weight(name: str) -> int:
    """A name's length in Chinese characters; an English word, but for of, the and and, counts as two.

    So does each letter of an abbreviation.
    """
    words = [word for word in _LATIN.findall(name) if word not in ("of", "the", "and")]
    return len(_HAN.findall(name)) + 2 * sum(len(word) if _SHORT.fullmatch(word) else 1 for word in words)


_OPEN, _CLOSE = "[*“「『\"'_]*", "[*”」』\"'_]*"
_HAN_NAME = rf"((?![这那它其])[{HAN}A-Za-z0-9+\-]{{1,16}}?)(?<![也就都才又还上中里])"
_NO_NAME = (
    "first|second|third|this|that|these|next|last|since|when|if|because|as|although|while|where|there|it"
)
_NAME = rf"((?!(?i:{_NO_NAME})\b)[A-Za-z][\w'+-]*(?: [A-Za-z0-9][\w'+-]*){{0,4}}?)"
_IN_BRACKETS = r"(?:\s*[(（][^()（）]{1,60}[)）])?"
_END = r"(?=\s*(?:[,.;:!?，。．；：、！？()（）|]|$))"
_LIST_MARK = "-*+>| \t"
_GENUS = "kind|type|method|process|way|technique|structure|algorithm|set|collection|measure|function|model"

_CHINESE_CALLED = re.compile(
    rf"(?:叫[作做]|称[为作]|称之为|简称|统称为?|名为){_OPEN}{_HAN_NAME}{_CLOSE}{_END}|叫[“「*]+{_HAN_NAME}[”」*]+"
)
_CHINESE_MEANS = re.compile(
    rf"(?:所谓的?)?{_OPEN}{_HAN_NAME}{_CLOSE}{_IN_BRACKETS}\s*(?:是指|指的是|是一[种类棵组])"
)
_ENGLISH_CALLED = re.compile(
    rf"\b(?:called|known as|termed|referred to as) (?:an? |the )?{_OPEN}{_NAME}{_CLOSE}{_END}"
)
_ENGLISH_MEANS = re.compile(
    rf"(?:An? |The )?{_OPEN}{_NAME}{_CLOSE}{_IN_BRACKETS} (?:refers? to|(?:is|are) defined as"
    rf"|(?:is|are) (?:an?|one) (?:[a-z-]+ ){{0,2}}(?:{_GENUS})\b)"
    rf"|An? {_OPEN}{_NAME}{_CLOSE}{_IN_BRACKETS} is (?:an?|the) "
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
        for called in _CHINESE_CALLED.finditer(sentence):
            yield called[1] or called[2]
    if ("指" in sentence or "是一" in sentence) and (means := _CHINESE_MEANS.match(sentence)):
        yield means[1]
    if any(verb in sentence for verb in (" is ", " are ", " refer")) and (
        means := _ENGLISH_MEANS.match(sentence)
    ):
        yield means[1] or means[2]
    if any(verb in sentence for verb in ("called ", "known as ", "termed ", "referred to as ")):
        for called in _ENGLISH_CALLED.finditer(sentence):
            yield called[1]
