"""English pronouns: what "it", "its", "they", "the latter" and "she" mean in a follow-up."""

from __future__ import annotations

import re

from prompts.follow_up.subject import Subject, after_base, join
from vta.text import normalise
from vta.types import Language

_I = re.IGNORECASE
POSSESSIVE = re.compile(r"\b(?:its|their)\b", _I)
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
_WITH_TO = (
    r"used|related?|similar|equal|equivalent|identical|compared?|linked|connected|applied|apply|differ|refer|"
    r"belong|lead|contribute|correspond|connect"
)
"""Words with a "to" of their own: "Is it related to X?" has a subject, "Is it hard to do X?" has none."""
_EXPLETIVE = re.compile(
    rf"\b(?:is|was|would|will|does|it|isn'?t) (?:it|is|was|be|seem|would be)\b(?: (?!(?:{_WITH_TO})\b)[\w-]+)"
    r"{0,3} ?\b(?:to|that|if|when|for\b.* to)\b|"
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
_ONLY_ASKS = re.compile(
    r"^(?:what (?:happens|would happen)|how (?:do|can) (?:i|you|we) (?:know|tell)) (?:if|when)\b", _I
)
_PREPOSITION = re.compile(r"\s(?:before|after|until|since)\s*$", _I)
_PERSON = re.compile(r"\b(?:he|she|him|his|her)\b", _I)
_FULL_NAME = re.compile(r"(?<!^)\b[A-Z][\w’'-]*[a-z](?: [A-Z][\w’'-]*[a-z])+")
_CLAUSE_BEFORE = re.compile(
    r"[,.;?!]|\S\s+(?:and|or|if|when|because|that|which|but|while|who|where|although|though|before|"
    r"after|until|"
    r"since|whose|so)\b",
    _I,
)
_COMPARED = re.compile(r"\b(?:to|with|from|than|versus|vs\.?|and|like|over)\s*$", _I)
_LONGEST_BEFORE_OWNED = 6
_LONGEST_BEFORE = 10


def holds_pronoun(noun: str) -> bool:
    """Whether a noun phrase is a pronoun, or "this method"."""
    return bool(_SINGULAR.search(noun) or _PLURAL.search(noun))


def resolve(asked: str, subject: Subject, mentioned: tuple[str, ...]) -> str | None:
    """ "How does it work?" with what its pronoun means; None where it has none that is sure."""
    patterns = (POSSESSIVE, _PLURAL, _FORMER, _SINGULAR)
    found = [m for p in patterns if (m := p.search(asked))]
    if not found or _EXPLETIVE.search(asked) or _SPOKEN.search(asked) or not _ASKING.search(asked):
        return None
    match = min(found, key=lambda m: m.start())
    before = asked[: match.start()]
    if not asked[match.end() :].strip(" ?.!"):
        before = _PREPOSITION.sub("", before)
    is_owner = POSSESSIVE.fullmatch(match.group()) is not None
    if _introduces(before, mentioned, is_owner=is_owner):
        return None
    name = _referent(match.group().lower(), subject)
    if name is None:
        return after_base(asked, subject, Language.EN)
    name = with_article(name, subject.base)
    return f"{asked[: match.start()]}{_owner(name) if is_owner else name}{asked[match.end() :]}"


def name_person(asked: str, subject: Subject, mentioned: tuple[str, ...]) -> str | None:
    """ "When did he write it?" after a question that names somebody by their full name."""
    found, names = _PERSON.search(asked), _FULL_NAME.findall(subject.base)
    if found is None or not names or mentioned or _CLAUSE_BEFORE.search(asked[: found.start()]):
        return None
    is_owner = found.group().lower() == "his" or re.match(r"her [a-z]", asked[found.start() :], _I)
    return f"{asked[: found.start()]}{_owner(names[-1]) if is_owner else names[-1]}{asked[found.end() :]}"


def _owner(name: str) -> str:
    """ "its" and "their" of a name."""
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def _introduces(before: str, mentioned: tuple[str, ...], *, is_owner: bool) -> bool:
    """Whether the words before a pronoun may hold what it refers to.

    "its" may mean anything before it; "it" never means a noun of its own clause ("Can a bank fight it?").
    """
    if not is_owner:
        if _COMPARED.search(before) and not re.search(r"[,.;?!]", before):
            return False
        before = _ONLY_ASKS.sub("", before)
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
    if pronoun in ("this", "that") and whole and whole in subject.base:
        return whole
    return next(iter(subject.names or subject.before), None)


def with_article(name: str, base: str) -> str:
    """The name as the last question has it: "the US Electoral College", "a virtual machine"."""
    found = re.search(rf"\b(?:the|an?) {re.escape(name)}(?!\w)", base, _I)
    return found.group() if found else name
