"""Rules for English follow-ups. Each returns the stand-alone question, or None where it does not apply."""

from __future__ import annotations

import re

from prompts.follow_up.english_fragments import is_fragment
from prompts.follow_up.organisation import is_about_organisation
from prompts.follow_up.subject import Subject, after_base, is_attribute, join
from vta.text import HAN, normalise
from vta.types import Language

_I = re.IGNORECASE
_LEAD = re.compile(
    r"^(?:(?:ok(?:ay)?|thanks?(?: you)?|and|so|but|then|well|hm+|also|alright|i see|great|got it|"
    r"cool)\b[,.!\s]*)+",
    _I,
)
_POSSESSIVE = re.compile(r"\b(?:its|their)\b", _I)
_ELLIPSIS = re.compile(r"^(?:what|how) about (?P<x>[^,.;?!]{1,60}?)[\s?.!]*$", _I)
_HANGING = re.compile(r"^(?P<x>(?:its|their|the) [^,.;?!]{1,50}?)[\s?.!]*$", _I)
_AND_NOUN = re.compile(
    r"^(?:(?:ok(?:ay)?|thanks|great|i see|got it|so)[,.!]?\s+)*and (?P<x>(?:\w[\w'-]*\s?){1,4}?)\s*\?+$", _I
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|am|be|do|does|did|can|could|will|would|shall|should|may|might|must|has|have|had|"
    r"what|why|how|when|where|who|whom|which|whose|if)\b",
    _I,
)
_PLURAL = re.compile(
    r"\b(?:they|them|these two|those two|both(?: of them)?|the two|these|those)\b(?! \w+s\b)", _I
)
_KIND = (
    r"concept|algorithm|method|data structure|structure|technique|model|formula|theorem|function|term|metric|"
    r"idea|approach|theory|law|principle|effect|process|reaction|system|rule|device"
)
_SINGULAR = re.compile(
    rf"\bit\b(?!')|\b(?:this|that) one\b|\b(?:this|that|the same) (?:{_KIND})\b|"
    r"\b(?:this|that)\b(?=\s*(?:[?.!]|$|mean\b|work\b|happen\b|matter\b|differ\b|help\b|compare\b|relate\b|"
    r"more\b|again\b|in\b|on\b|for\b|with\b|from\b|by\b|apart\b))|"
    r"(?<=\bdoes )this\b(?= (?!course\b|lecture\b|week\b|video\b|class\b|chapter\b)\w+)|"
    r"(?<=\bdoes )that\b(?= \w+ (?!\w+s\b))",
    _I,
)
_FORMER = re.compile(r"\bthe (?:former|latter)\b", _I)
_EXPLETIVE = re.compile(
    r"\b(?:is|was|would|will|does|it|isn'?t) (?:it|is|was|be|seem|would be)\b(?: (?!used\b)[\w-]+){0,3} ?"
    r"\b(?:to|that|if|for|when)\b|"
    r"\bit (?:mean|feel)\b.*\b(?:to|that|if|when)\b|\bis(?:n'?t)? it (?:an? |my |[\"'“‘])|\b(?:time|"
    r"day|date) is it\b|"
    r"\b(?:how'?s|how is) it going\b|\bmake (?:it|sense)\b|\btakes? (?:it )?to\b|"
    r"\b(?:from|to|than|with|and) that (?:of|in|for|on|at)\b",
    _I,
)
_ASKING = re.compile(
    r"\?|^(?:[\w'’,]+ ){0,2}?(?:what|why|how|when|where|who|whom|whose|which)\b|"
    r"^(?:is|are|was|were|do|does|did|can|could|will|would|should|may|might|must|has|have|had|isn'?t|aren'?t|"
    r"doesn'?t|didn'?t|please|give|show|explain|compare|tell|list|describe|define|derive|prove|draw|write|"
    r"summari[sz]e|contrast|sketch)\b",
    _I,
)
_SPOKEN = re.compile(r"^(?:i|we|my|it|they|this|that)\b|!", _I)
_OWNER_BEFORE = re.compile(
    r"[,.;?!]|\S\s+(?:and|or|if|when|because|that|which|but|while|of|vs)\b|"
    r"\b(?:an?|my|our|your|every|each|any|some|all|most|no|he|she)\b|\b(?!is|does|was|has|"
    r"this)\w{3,}s\b(?!')",
    _I,
)
_CLAUSE_BEFORE = re.compile(
    r"[,.;?!]|\S\s+(?:and|or|if|when|because|that|which|but|while|who|where|although|though|before|"
    r"after|until|"
    r"since|whose|so)\b",
    _I,
)
_COMPARED = re.compile(r"\b(?:to|with|from|than|versus|vs\.?|and|like|over)\s*$", _I)
_ATTRIBUTE_ASKED = re.compile(r"^(?P<q>what (?:is|are) (?P<x>(?:the|some) [^,.;?!]{1,40}?))[\s?.!]*$", _I)
_HAN = re.compile(f"[{HAN}]")
_LETTER = re.compile(r"[a-z]", _I)
_LONGEST_BEFORE_OWNED = 6
_LONGEST_BEFORE = 10


def rewrite(text: str, subject: Subject, mentioned: tuple[str, ...]) -> str | None:
    """The stand-alone form of an English question; `mentioned` are the things that it names itself."""
    asked = _LEAD.sub("", text) or text
    if is_about_organisation(asked) or not _LETTER.search(asked):
        return None
    has_lead = len(asked) < len(text)
    if hanging := _HANGING.match(asked) if has_lead or _POSSESSIVE.match(asked) else None:
        return _about(hanging.group("x"), asked, subject, mentioned)
    if ellipsis := _ELLIPSIS.match(asked):
        return _about(ellipsis.group("x"), asked, subject, mentioned)
    if (noun := _AND_NOUN.match(text)) and not _VERB.search(noun.group("x")):
        return _about(noun.group("x"), asked, subject, mentioned)
    for rule in (_pronoun, _which, _attribute_asked):
        if result := rule(asked, subject, mentioned):
            return result
    return (
        after_base(asked, subject, Language.EN)
        if is_fragment(asked, has_lead=has_lead, named=bool(mentioned))
        else None
    )


def _about(noun: str, asked: str, subject: Subject, mentioned: tuple[str, ...]) -> str | None:
    """ "What about X?": another side of the subject, or another subject for the last question."""
    bare = re.sub(r"^(?:(?:of|for|with|in) )?(?:its|their|the|an?)\s+", "", noun, flags=_I)
    is_plural = noun.lower().startswith("their ")
    names = subject.several if is_plural else subject.names
    if is_attribute(bare) and all(is_attribute(name) for name in names):
        return _replaced(bare, subject) or after_base(asked, subject, Language.EN)
    if _POSSESSIVE.match(noun) or is_attribute(bare):
        return (
            f"What is the {bare} of {join(names, Language.EN)}?"
            if names
            else after_base(asked, subject, Language.EN)
        )
    if _SINGULAR.search(noun) or _PLURAL.search(noun):
        return _pronoun(asked, subject, mentioned)
    if mentioned and _HAN.search(subject.base):
        return None  # another language cannot take the noun in
    if any(normalise(name) == normalise(bare) for name in mentioned):
        return _replaced(bare, subject) or after_base(asked, subject, Language.EN)
    return None if mentioned else after_base(asked, subject, Language.EN)


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
    if not found or _EXPLETIVE.search(asked) or _SPOKEN.search(asked) or not _ASKING.search(asked):
        return None
    match = min(found, key=lambda m: m.start())
    is_owner = _POSSESSIVE.fullmatch(match.group()) is not None
    if _introduces(asked[: match.start()], mentioned, is_owner=is_owner):
        return None
    name = _referent(match.group().lower(), subject)
    if name is None:
        return after_base(asked, subject, Language.EN)
    owner = "'s" if is_owner else ""
    return f"{asked[: match.start()]}{name}{owner}{asked[match.end() :]}"


def _introduces(before: str, mentioned: tuple[str, ...], *, is_owner: bool) -> bool:
    """Whether the words before a pronoun may hold what it refers to.

    "its" may mean anything before it; "it" never means a noun of its own clause ("Can a bank fight it?").
    """
    if not is_owner:
        if _COMPARED.search(before) and not re.search(r"[,.;?!]", before):
            return False
        return _CLAUSE_BEFORE.search(before) is not None or len(before.split()) > _LONGEST_BEFORE
    if _OWNER_BEFORE.search(before) or len(before.split()) > _LONGEST_BEFORE_OWNED:
        return True
    return any(normalise(name) in normalise(before) for name in mentioned)


def _referent(pronoun: str, subject: Subject) -> str | None:
    if pronoun in ("the former", "the latter"):
        pair = subject.several[-2:] if len(subject.names) < 2 else subject.names[:2]
        return pair[pronoun == "the latter"] if len(pair) == 2 else None
    one = next(iter(subject.names or subject.before), "")
    if len(subject.names) < 2 and one.endswith("s") and pronoun in ("they", "them", "their", "these"):
        return one
    if pronoun == "their" or _PLURAL.fullmatch(pronoun):
        return join(subject.several, Language.EN) or None
    whole = "'s ".join(subject.names)
    if pronoun in ("this", "that") and whole in subject.base:
        return whole
    return next(iter(subject.names or subject.before), None)


_WHICH = re.compile(
    r"^(?:which(?:(?: ones?)? (?:is|are|was|were|has|have|needs?|takes?|uses?|costs?|does|do|would|should|"
    r"can|will|to|\w+s)\b| one\b)|"
    r"when (?:do i|should i|to|do you|would you|do we) (?:use|pick|choose|prefer) (?:which|what|each)\b)"
    r"[^,;?]{0,40}?[\s?.!]*$",
    _I,
)


def _which(asked: str, subject: Subject, mentioned: tuple[str, ...]) -> str | None:
    """ "Which one is stronger?" chooses from the two or more things of the conversation."""
    if mentioned or len(subject.several) < 2 or not _WHICH.match(asked):
        return None
    return f"{asked.rstrip(' ?.!')}, {', '.join(subject.several[:-1])} or {subject.several[-1]}?"


def _attribute_asked(asked: str, subject: Subject, mentioned: tuple[str, ...]) -> str | None:
    match = _ATTRIBUTE_ASKED.match(asked)
    if match is None or mentioned or not subject.names or not is_attribute(match.group("x")):
        return None
    return f"{match.group('q')} of {join(subject.names, Language.EN)}?"
