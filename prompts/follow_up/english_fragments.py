"""English fragments that only the question before them completes: "why?", "By whom?", "What if not?"."""

from __future__ import annotations

import re

_I = re.IGNORECASE
_PLEASE = r"(?:(?:can|could|would|will) you |please |just )*"
_BARE = re.compile(
    r"^(?:really|are you sure|then what|what happens then|is that (?:always )?(?:so|true)|"
    rf"{_PLEASE}tell me(?: the (?:answer|solution|result))?|what(?: is|'s)? next|(?:the )?next (?:step|hint)|"
    rf"{_PLEASE}give me (?:the (?:answer|solution)|(?:a|another|one more|the next) hint)|"
    r"i'?m (?:still |really |completely )*stuck)"
    r"(?:,? please)?[\s?.!]*$",
    _I,
)
_HANGING_START = re.compile(
    r"^(?:by|for|to|from|with|in|of|on|at|since|until|instead of|because of|compared to|even|only|always|"
    r"under|during|through|any|how (?:much|many|often|fast|long|far|so))\b",
    _I,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|do|does|did|can|could|will|would|should|may|might|must|has|have|had|i|we|you)\b",
    _I,
)
_THERE = re.compile(
    r"^(?:why|how|who|what|when)\b.*\b(?:there|then|here)\?+$|\bin (?:that|this|these|those) cases?\b", _I
)
_EXISTS = re.compile(r"\b(?:is|are|was|were) there\b", _I)
_SAME = re.compile(
    r"\b(?:do|does|did|work|works|behave) (?:the same|so|likewise)\b|\bthe same (?:true|hold|apply|go)", _I
)
_SUPPOSING = re.compile(r"^(?:what if|even if|what happens (?:then|otherwise|on|if not))\b", _I)
_UNNAMED_MORE = re.compile(
    r"^is (?:a )?(?:bigger|smaller|larger|higher|lower|faster|shorter|longer|more|less|fewer)(?: \w+)? "
    r"(?:better|worse|good|bad|safer|enough)[\s?]*$",
    _I,
)
_PERSON = re.compile(r"\b(?:i|my|me|you|your|we|he|she|they)\b", _I)
_NEW_TOPIC = re.compile(r"^(?:what(?:'s| is| are)|define|explain|describe|tell|who is|let)\b", _I)
_MOST_WORDS, _MOST_WORDS_AFTER_LEAD, _MOST_SUPPOSED = 4, 8, 8


def is_fragment(asked: str, *, has_lead: bool, named: bool) -> bool:
    """Whether a question means nothing without the one before it.

    `has_lead` says that a word such as "so" or "but" stood before it, `named` that it names a concept.
    """
    words = len(asked.split())
    if _BARE.match(asked) or _UNNAMED_MORE.match(asked):
        return True
    if _PERSON.search(asked):
        return False
    if _SUPPOSING.match(asked):
        return words <= _MOST_SUPPOSED
    if (_THERE.search(asked) and not _EXISTS.search(asked)) or _SAME.search(asked):
        return words <= _MOST_WORDS_AFTER_LEAD
    if named or not asked.endswith("?"):
        return False
    if words <= _MOST_WORDS and _HANGING_START.match(asked) and not _VERB.search(asked):
        return True
    return has_lead and words <= _MOST_WORDS_AFTER_LEAD and not _NEW_TOPIC.match(asked)
