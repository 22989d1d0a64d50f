"""What a question is about where no concept of the course is known: the topic that its form shows."""

from __future__ import annotations

import re

from vta.text import HAN

_TOPIC_ZH = re.compile(
    r"^(?:请问|请|能|那|你|我|也|很|最|超级?|非常)*(?:什么是|谁是|什么叫做?|何谓|解释一下|解释|介绍一下|介绍|讲讲|讲一下|如何理解|"
    r"如何评价|怎么理解|知道|认识|喜欢|讨厌|觉得|听说过?|[看玩听读用学去]过|看|玩)"
    r"(?P<a>[^，。？?,是的你我他她它]{1,20}?)(?:怎么样|如何|吗|呢|么|不)?[？?。]*$|"
    r"^(?P<b>[^，。？?,你我]{1,20}?)(?:(?:到底)?是(?:什么(?:意思|东西)?|谁|哪位)|指的?是什么|的定义是什么|怎么样|在哪里?|"
    r"好[看用玩听吃]吗|有(?:什么|哪些).{1,4})(?:呢|啊|呀)?[？?。]*$|"
    rf"^(?P<c>[{HAN}a-z0-9]{{2,8}})$",
    re.IGNORECASE,
)
_WORDS = r"(?:the |an? )?[^\s,.?!]+(?: [^\s,.?!]+)?"
_INTRANSITIVE = (
    r"(?:works?|help|helps|happen|matter|differ|fail|converge|occur|exist|begin|start|end|come|become|look|learn|"
    r"change|affect|shift|originate|compare|relate|get|have|need)"
)
_AFTER_VERB = r"(?:from|to|for|of|in|on|about|with|by|at)"
_TOPICS_EN = tuple(
    re.compile(rf"^(?:(?:and|so|please|could you|can you) )*{form}[\s?.!]*$", re.IGNORECASE)
    for form in (
        r"(?:tell me (?:more )?about|describe|explain|define|discuss) (?P<x>[^,.?!]{1,70}?)",
        r"what (?:does|do) (?P<x>[^,.?!]{1,50}?) mean",
        r"(?:what|who)(?:'s| is| are| was| were) (?P<x>[^,.?!]{1,70}?)",
        r"what (?:causes?|caused|happen(?:s|ed) (?:in|at|to|during)) (?P<x>[^,.?!]{1,50}?)",
        rf"(?:(?:how|why|when|where) )?(?:do|does|did|can) (?P<x>{_WORDS}?)(?: \w+ly)? {_INTRANSITIVE}\b.*",
        rf"(?:how|why|when|where) (?:do|does|did|is|was|are|were|has|have) (?P<x>{_WORDS}) "
        rf"(?!{_AFTER_VERB}\b)\w+",
    )
)
_SIDE_OF = re.compile(r"^(?:[a-z][\w-]* ){1,4}?(?:of|for|behind|between|to) (?P<x>.+)$")
_ARTICLE = re.compile(r"^(?:the|an?|some|any|its|their)\s+", re.IGNORECASE)
_HANGING = re.compile(r"\s+(?:about|like|used for|called|for|in)$", re.IGNORECASE)
_MOST_WORDS = 6
_PRONOUN = re.compile(
    r"\b(?:its?|they|them|their|this|that|these|those|you|i|he|she|his|her|there|here|when|how|why|what)\b|"
    r"^(?:of|in|on|for|with|to|do|done|used|known|known for)\b",
    re.IGNORECASE,
)
_SECOND_CLAUSE = re.compile(r",? and (?:what|how|why|when|where|who|is|are|does|do|can)\b.*$", re.IGNORECASE)
_PARTS_EN = re.compile(
    r"^(?:(?:the|some|any|other|different|main|important|common|key|typical|popular|possible) )+"
    r"(?:[a-z]+ )?[a-z]+(?<![aisu])s$"
)
FUNCTION_WORDS = re.compile(r"[的了是我你他她它这那吗呢啊吧么什怎不有在也都就和很太一个没说]")


def is_part(phrase: str) -> bool:
    """Whether an English plural is asked for as part of a thing: "the different types", "key members"."""
    return _PARTS_EN.match(phrase) is not None


def find_topic(base: str) -> str | None:
    """The thing that a question asks about: "heap" of "What is the use of a heap?"; None where unknown."""
    match = _TOPIC_ZH.match(base)
    if match and not (match["c"] and FUNCTION_WORDS.search(match["c"])):
        return next(group for group in match.groups() if group).strip()
    base = _SECOND_CLAUSE.sub("", base)
    for pattern in _TOPICS_EN:
        if match := pattern.match(base):
            return _thing(match["x"])
    return None


def _thing(phrase: str) -> str | None:
    """What a noun phrase is about: "the main function of a virtual machine" is about a virtual machine."""
    if side := _SIDE_OF.match(_ARTICLE.sub("", phrase)):
        phrase = side["x"]
    if is_part(phrase):
        return None
    name = _HANGING.sub("", _ARTICLE.sub("", re.split(r"['’]s? ", phrase)[0])).strip()
    return name if name and len(name.split()) <= _MOST_WORDS and not _PRONOUN.search(name) else None
