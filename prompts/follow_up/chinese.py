"""Rules for Chinese follow-ups. Each returns the stand-alone question, or None where it does not apply."""

from __future__ import annotations

import re

from prompts.follow_up.chinese_without_subject import add_subject
from prompts.follow_up.subject import Subject, after_base, is_attribute, join
from vta.text import HAN, normalise
from vta.types import Language

_LEAD = re.compile(
    r"^(?:(?:好的?|谢谢你?|谢了|嗯+|哦+|噢|明白了?|懂了|知道了|那么?(?![个种些两是里边样时])|所以|请问|"
    r"老师|但是?|可是|"
    r"不过|而且|还有|另外|然后)"
    r"[，,。！!、\s]*)+"
)
_BARE = re.compile(
    r"接下来(?:怎么办)?|下一步|(?:请|你)?(?:就|直接)?(?:告诉|给|说)我?(?:正确)?(?:答案|结果)|"
    r"(?:请|你)?(?:再|多)?(?:给|来)?(?:我)?(?:一?[点些个])?(?:提示|线索)|"
    r"(?:该|要)?(?:怎么|如何|怎样)(?:避免|解决|改进|优化|防止|处理)|真的|确定|"
    r"为什么(?:是|在)(?:这里|那里|这样|那样)|如果(?:不是|没有)"
)
_CLOSING = re.compile(r"(?:呢|吗|啊|呀|吧|嘛|了)+$")
_PLURAL = re.compile(
    r"它们|他们|她们|这两(?:个|者|种)|那两(?:个|者|种)|[两二]者|这些(?=的|有|是|都|之间|[？?]|$)"
)
_SINGULAR = re.compile(
    r"它(?!们)|(?<![其吉好])[他她](?![们人])|"
    r"(?:这一?[个种]?|那一?[个种]|该)(?:概念|算法|方法|数据结构|结构|东西|技术|模型|公式|定理|函数|"
    r"协议|语言|术语|名词|指标|现象|理论|制度|规则|过程)|"
    r"(?:这[个种]|那[个种])(?=的|是|有|和|与|跟|比|呢|吗|会|能|可以|怎么|如何|为什么|指|叫|[？?]|$)|"
    r"这(?=的(?!话)|和|与|跟|有什么|怎么|如何)"
)
_FORMER = re.compile(r"前者|后者")
_INSIDE = re.compile(r"^(?:你|最|喜欢|知道|觉得|那)*(?P<there>那里|(?=里面))")
_BREAK = re.compile(r"[，,。；;？?！!]")
_COMPARED = re.compile(r"(?:和|与|跟|比|同|于)$")
_ELLIPSIS = re.compile(r"^(?P<x>[^，,。；;？?！!]{1,20}?)呢[？?。！!…]*$")
_VERBAL = re.compile(r"什么|怎|如何|哪|谁|多少|几|是|要|能|会|可以|应该|有没有|吗|我|你")
_CONDITION = re.compile(r"^(?:如果|假如|要是|万一|当)")
_HAN = re.compile(f"[{HAN}]")
_LONGEST_BEFORE = 12


def rewrite(text: str, subject: Subject, mentioned: tuple[str, ...]) -> str | None:
    """The stand-alone form of a Chinese question; `mentioned` are the things that it names itself."""
    asked = _LEAD.sub("", text) or text
    if _is_bare(asked):
        return after_base(asked, subject, Language.ZH)
    for rule in (_pronoun, _ellipsis, _without_subject):
        if result := rule(asked, subject, mentioned):
            return result
    return None


def _is_bare(asked: str) -> bool:
    """Whether every clause only asks on: for the answer, a hint, the next step."""
    clauses = [_CLOSING.sub("", clause) for clause in re.split(r"[，,。！!？?…\s]+", asked) if clause]
    return bool(clauses) and all(not clause or _BARE.fullmatch(clause) for clause in clauses)


def _pronoun(asked: str, subject: Subject, mentioned: tuple[str, ...]) -> str | None:
    found = [m for p in (_PLURAL, _FORMER, _SINGULAR) if (m := p.search(asked))]
    if (inside := _INSIDE.match(asked)) and subject.names:
        start, end = inside.span("there")
        return f"{asked[:start]}{subject.names[0]}{asked[end:]}"
    if not found:
        return None
    match = min(found, key=lambda m: m.start())
    before = asked[: match.start()]
    if _introduces(before, mentioned):
        return None
    name = _referent(match.group(), subject)
    if name is None:
        return after_base(asked, subject, Language.ZH)
    return f"{before}{name}{asked[match.end() :]}"


def _introduces(before: str, mentioned: tuple[str, ...]) -> bool:
    """Whether the words before a pronoun may hold what it refers to."""
    if _BREAK.search(before) or len(before) > _LONGEST_BEFORE:
        return True
    named = any(normalise(name) in normalise(before) for name in mentioned)
    return named and not _COMPARED.search(before)


def _referent(pronoun: str, subject: Subject) -> str | None:
    if pronoun in ("前者", "后者"):
        pair = subject.several[-2:] if len(subject.names) < 2 else subject.names[:2]
        return pair[pronoun == "后者"] if len(pair) == 2 else None
    if _PLURAL.fullmatch(pronoun):
        return join(subject.several, Language.ZH) or None
    return next(iter(subject.names or subject.before), None)


def _ellipsis(asked: str, subject: Subject, mentioned: tuple[str, ...]) -> str | None:
    match = _ELLIPSIS.match(asked)
    if match is None:
        return None
    noun = match.group("x")
    if mentioned and not _HAN.search(subject.base):
        return None  # another language cannot take the noun in
    if _CONDITION.match(noun):
        return None if mentioned else after_base(asked, subject, Language.ZH)
    if _VERBAL.search(noun):
        return None
    if is_attribute(noun):
        if all(is_attribute(name) for name in subject.names):
            return _replaced(noun, subject) or after_base(asked, subject, Language.ZH)
        return f"{join(subject.names, Language.ZH)}的{noun.removeprefix('的')}呢？"
    if not any(normalise(name) == normalise(noun) for name in mentioned):
        return None if mentioned else after_base(asked, subject, Language.ZH)
    return _replaced(noun, subject) or after_base(asked, subject, Language.ZH)


def _replaced(noun: str, subject: Subject) -> str | None:
    if normalise(noun) in normalise(subject.base):
        return None
    here = [name for name in subject.names if name in subject.base]
    if not here:
        return None
    target = max(here, key=lambda name: len(set(name) & set(noun)))
    return subject.base.replace(target, noun)


def _without_subject(asked: str, subject: Subject, mentioned: tuple[str, ...]) -> str | None:
    form = add_subject(asked, one=_topic(subject), several=subject.several, mentioned=mentioned)
    return after_base(asked, subject, Language.ZH) if form == asked else form


def _topic(subject: Subject) -> str:
    """The names as one phrase: that of the last question where it says "A 的 B"."""
    whole = "的".join(subject.names)
    return whole if whole in subject.base else join(subject.names, Language.ZH)
