"""Rules for English follow-ups. Each returns the stand-alone question, or None where it does not apply."""

from __future__ import annotations

import re

from prompts.follow_up.english_fragments import is_fragment
from prompts.follow_up.english_pronouns import POSSESSIVE, holds_pronoun, name_person, resolve, with_article
from prompts.follow_up.organisation import is_about_organisation
from prompts.follow_up.subject import Subject, after_base, is_attribute, join
from prompts.follow_up.topic import is_part
from vta.text import HAN, normalise
from vta.types import Language

_I = re.IGNORECASE
_LEAD = re.compile(
    r"^(?:(?:ok(?:ay)?|thanks?(?: you)?|and|so|but|then|well|hm+|also|alright|i see|great|got it|"
    r"cool)\b[,.!\s]*)+",
    _I,
)
_ELLIPSIS = re.compile(r"^(?:what|how) about (?P<x>[^,.;?!]{1,60}?)[\s?.!]*$", _I)
_OWN_THING = re.compile(
    r"^(?!(?:on|in|at|for|with|by|during|after|before|if|when)\b|(?:the|an?|some) \S+$)\S+ \S", _I
)
"""Two words and more, no preposition first and articles aside: a thing of its own, which may stand alone."""
_HANGING = re.compile(r"^(?P<x>(?:its|their|the) [^,.;?!]{1,50}?)[\s?.!]*$", _I)
_AND_NOUN = re.compile(
    r"^(?:(?:ok(?:ay)?|thanks|great|i see|got it|so)[,.!]?\s+)*and (?P<x>(?:\w[\w'-]*\s?){1,4}?)\s*\?+$", _I
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|am|be|do|does|did|can|could|will|would|shall|should|may|might|must|has|have|had|"
    r"what|why|how|when|where|who|whom|which|whose|if)\b",
    _I,
)
_ATTRIBUTE_ASKED = re.compile(
    r"^(?P<q>(?:(?:what|who)(?: is| are| was| were|['’]s)|(?:are|is) there) "
    r"(?P<x>(?:(?:the|some|an?|any|other|important) )+[^,.;?!]{1,40}?))[\s?.!]*$",
    _I,
)
_HAN = re.compile(f"[{HAN}]")
_LETTER = re.compile(r"[a-z]", _I)


def rewrite(text: str, subject: Subject, mentioned: tuple[str, ...]) -> str | None:
    """The stand-alone form of an English question; `mentioned` are the things that it names itself."""
    asked = _LEAD.sub("", text) or text
    if is_about_organisation(asked) or not _LETTER.search(asked):
        return None
    has_lead = len(asked) < len(text)
    if hanging := _HANGING.match(asked) if has_lead or POSSESSIVE.match(asked) else None:
        return _about(hanging.group("x"), asked, subject, mentioned)
    if ellipsis := _ELLIPSIS.match(asked):
        return _about(ellipsis.group("x"), asked, subject, mentioned)
    if (noun := _AND_NOUN.match(text)) and not _VERB.search(noun.group("x")):
        return _about(noun.group("x"), asked, subject, mentioned)
    for rule in (name_person, resolve, _which, _attribute_asked):
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
    if POSSESSIVE.match(noun) or is_attribute(bare):
        return (
            f"What is the {bare} of {join(names, Language.EN)}?"
            if names
            else after_base(asked, subject, Language.EN)
        )
    if holds_pronoun(noun):
        return resolve(asked, subject, mentioned)
    if mentioned and _HAN.search(subject.base):
        return None  # another language cannot take the noun in
    if any(normalise(name) == normalise(bare) for name in mentioned):
        return _replaced(bare, subject) or after_base(asked, subject, Language.EN)
    if mentioned or _OWN_THING.match(noun):
        return None
    return after_base(asked, subject, Language.EN)


def asks_of_another(text: str) -> bool:
    """Whether a question is "What about X?", which may ask the last question of X, or only about X."""
    return _ELLIPSIS.match(_LEAD.sub("", text)) is not None


def _replaced(noun: str, subject: Subject) -> str | None:
    if normalise(noun) in normalise(subject.base):
        return None
    for name in subject.names:
        pattern = re.compile(rf"\b{re.escape(name)}\b", _I)
        if pattern.search(subject.base):
            return pattern.sub(lambda _: noun, subject.base)
    return None


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
    match, names = _ATTRIBUTE_ASKED.match(asked), subject.names or subject.before
    if match is None or mentioned or not names or not (is_attribute(match["x"]) or is_part(match["x"])):
        return None
    return f"{match['q']} of {with_article(join(names, Language.EN), subject.base)}?"
