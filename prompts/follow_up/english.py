"""Rules for English follow-ups. Each returns the stand-alone question, or None where it does not apply."""

from __future__ import annotations

import re

from prompts.follow_up.subject import Subject, is_attribute, short_base
from vta.text import normalise

_I = re.IGNORECASE
_LEAD = re.compile(
    r"^(?:(?:ok(?:ay)?|thanks?(?: you)?|and|so|but|then|well|hm+|also|alright|i see|great|got it|"
    r"cool)\b[,.!\s]*)+",
    _I,
)
_BARE = re.compile(
    r"^(?:why(?: not| so| is (?:that|this|it so))?|how(?: so| come)?|for example|such as|"
    r"(?:(?:can|could) you |please )*(?:give|show)(?: me)? (?:an?|another|some|"
    r"one)(?: \w+)? examples?(?: of (?:that|this|it))?|"
    r"(?:an? |another |any )?(?:\w+ )?examples?|tell me more|(?:(?:can|could) you |"
    r"please )*(?:explain|say)(?: (?:it|that|this))? (?:more|again|further|in (?:more )?(?:detail|"
    r"simpler (?:terms|words)|simple (?:terms|words)))|"
    r"more details?|in (?:simpler|simple|other) (?:terms|words)|go on|continue|i (?:still )?(?:don'?t|"
    r"do not) (?:get|understand|follow)(?: (?:it|that|this))?|"
    r"what do you mean|what does (?:that|this) mean|really|are you sure|then what|what else|anything else)"
    r"(?:,? please)?[\s?.!]*$",
    _I,
)
_POSSESSIVE = re.compile(r"\b(?:its|their)\b", _I)
_ELLIPSIS = re.compile(r"^(?:what|how) about (?P<x>[^,.;?!]{1,60}?)[\s?.!]*$", _I)
_HANGING = re.compile(r"^(?P<x>(?:its|their|the) [^,.;?!]{1,50}?)[\s?.!]*$", _I)
_PLURAL = re.compile(
    r"\b(?:they|them|these two|those two|both(?: of them)?|the two|these|those)\b(?! \w+s\b)", _I
)
_SINGULAR = re.compile(
    r"\bit\b(?!')|\b(?:this|that) one\b|\b(?:this|that) (?:concept|algorithm|method|data structure|"
    r"structure|technique|model|"
    r"formula|theorem|function|term|metric|idea|approach)\b|"
    r"\b(?:this|that)\b(?=\s*(?:[?.!]|$|mean\b|work\b|happen\b|matter\b|differ\b|help\b|compare\b|relate\b))",
    _I,
)
_FORMER = re.compile(r"\bthe (?:former|latter)\b", _I)
_EXPLETIVE = re.compile(
    r"\b(?:is|was|would|will|does|it) (?:it|is|was|be|seem|would be)\b(?: \w+)? ?(?:possible|true|"
    r"necessary|ok|okay|important|right|"
    r"correct|better|common|hard|easy|difficult|safe|enough|worth|fine|allowed|useful|good|"
    r"bad)\b ?(?:to|that|if|for|when)\b|"
    r"\bmake (?:it|sense)\b|\btakes? (?:it )?to\b",
    _I,
)
_CLAUSE = re.compile(
    r"[,.;?!]|\S\s+(?:and|or|if|when|because|that|which|but|while)\b|\b(?:an?|my|our|your)\b", _I
)
_COMPARED = re.compile(r"\b(?:to|with|from|than|versus|vs\.?|and|like|over)\s*$", _I)
_ATTRIBUTE_ASKED = re.compile(r"^(?P<q>what (?:is|are) (?P<x>(?:the|some) [^,.;?!]{1,40}?))[\s?.!]*$", _I)
_LONGEST_BEFORE = 6


def rewrite(text: str, subject: Subject, mentioned: tuple[str, ...]) -> str | None:
    """The stand-alone form of an English question; `mentioned` are the things that it names itself."""
    asked = _LEAD.sub("", text) or text
    if _BARE.match(asked):
        return _after_base(asked, subject)
    has_lead = len(asked) < len(text)
    if hanging := _HANGING.match(asked) if has_lead or _POSSESSIVE.match(asked) else None:
        return _about(hanging.group("x"), asked, subject, mentioned)
    if ellipsis := _ELLIPSIS.match(asked):
        return _about(ellipsis.group("x"), asked, subject, mentioned)
    return _pronoun(asked, subject, mentioned) or _attribute_asked(asked, subject, mentioned)


def _about(noun: str, asked: str, subject: Subject, mentioned: tuple[str, ...]) -> str | None:
    """ "What about X?": another side of the subject, or another subject for the last question."""
    bare = re.sub(r"^(?:its|their|the|an?)\s+", "", noun, flags=_I)
    is_plural = noun.lower().startswith("their ")
    names = subject.several if is_plural else subject.names
    if is_attribute(bare) and not mentioned and all(is_attribute(name) for name in names):
        return _replaced(bare, subject) or _after_base(asked, subject)
    if _POSSESSIVE.match(noun) or (is_attribute(bare) and not mentioned):
        return f"What is the {bare} of {_join(names)}?" if names else _after_base(asked, subject)
    if _SINGULAR.search(noun) or _PLURAL.search(noun):
        return _pronoun(asked, subject, mentioned)
    if any(normalise(name) == normalise(bare) for name in mentioned):
        return _replaced(bare, subject) or _after_base(asked, subject)
    return None if mentioned else _after_base(asked, subject)


def _replaced(noun: str, subject: Subject) -> str | None:
    if normalise(noun) in normalise(subject.base):
        return None
    for name in subject.names:
        pattern = re.compile(rf"\b{re.escape(name)}\b", _I)
        if pattern.search(subject.base):
            return pattern.sub(lambda _: noun, subject.base)
    return None


def _pronoun(asked: str, subject: Subject, mentioned: tuple[str, ...]) -> str | None:
    patterns = (_POSSESSIVE, _PLURAL, _FORMER, _SINGULAR)
    found = [m for p in patterns if (m := p.search(asked))]
    if not found or _EXPLETIVE.search(asked):
        return None
    match = min(found, key=lambda m: m.start())
    before = asked[: match.start()]
    if _introduces(before, mentioned):
        return None
    name = _referent(match.group().lower(), subject)
    if name is None:
        return _after_base(asked, subject)
    owner = "'s" if _POSSESSIVE.fullmatch(match.group()) else ""
    return f"{before}{name}{owner}{asked[match.end() :]}"


def _introduces(before: str, mentioned: tuple[str, ...]) -> bool:
    """Whether the words before a pronoun may hold what it refers to."""
    if _COMPARED.search(before) and not re.search(r"[,.;?!]", before):
        return False
    if _CLAUSE.search(before) or len(before.split()) > _LONGEST_BEFORE:
        return True
    return any(normalise(name) in normalise(before) for name in mentioned)


def _referent(pronoun: str, subject: Subject) -> str | None:
    if pronoun in ("the former", "the latter"):
        pair = subject.several[-2:] if len(subject.names) < 2 else subject.names[:2]
        return pair[pronoun == "the latter"] if len(pair) == 2 else None
    if pronoun == "their" or _PLURAL.fullmatch(pronoun):
        return _join(subject.several) or None
    return subject.names[0] if subject.names else None


def _attribute_asked(asked: str, subject: Subject, mentioned: tuple[str, ...]) -> str | None:
    match = _ATTRIBUTE_ASKED.match(asked)
    if match is None or mentioned or not subject.names or not is_attribute(match.group("x")):
        return None
    return f"{match.group('q')} of {_join(subject.names)}?"


def _after_base(asked: str, subject: Subject) -> str | None:
    base = short_base(subject)
    if base is None:
        return f"{_join(subject.names)}: {asked}" if subject.names else None
    return f"{base if base[-1] in '?.!' else base + '?'} {asked[0].upper()}{asked[1:]}"


def _join(names: tuple[str, ...]) -> str:
    return " and ".join(names) if len(names) < 3 else ", ".join(names[:-1]) + " and " + names[-1]
