"""Rules for Chinese follow-ups. Each returns the stand-alone question, or None where it does not apply."""

from __future__ import annotations

import re

from prompts.follow_up.chinese_without_subject import add_subject
from prompts.follow_up.subject import Subject, is_attribute, short_base
from vta.text import HAN, normalise

_LEAD = re.compile(
    r"^(?:(?:好的?|谢谢你?|谢了|嗯+|哦+|噢|明白了?|懂了|知道了|那么?(?![个种些两是里边样时])|所以|请问|"
    r"老师|但是?|可是|"
    r"不过|而且|还有|另外|然后)"
    r"[，,。！!、\s]*)+"
)
_PLEASE = (
    r"(?:请|麻烦)?(?:你|您|老师)?(?:能不能|可不可以|能否|可否|能|可以|请)?"
    r"(?:再|重新|各|分别)?(?:给|帮|跟)?(?:我们?)?(?:再|各)?"
)
_MANNER = r"(?:详细|具体|仔细|清楚|简单|通俗|直观|形象|慢|多)"
_BARE = re.compile(
    r"(?:这|那)?(?:又|都|到底)?(?:是)?(?:为什么|为啥|怎么会(?:这样)?|凭什么|原因(?:是什么)?|"
    r"理由(?:是什么)?|怎么回事|"
    r"为什么会?(?:这样|如此)|为什么(?:是|在)(?:这里|那里|这样|那样))|"
    rf"{_PLEASE}(?:举|给|来|说|讲)?(?:我)?(?:一|几|两|些)?[个下点]?(?:{_MANNER}|实际|现实|"
    rf"生活[中里])?的?例子?(?:说明|解释)?(?:一下)?|"
    rf"{_PLEASE}{_MANNER}?(?:地|一?点)?(?:说|讲|解释|说明|展开|介绍)(?:说|讲|解释)?(?:[一]?[下遍次]|"
    rf"[得的]?更?{_MANNER}?(?:一?[点些])?)*|"
    r"我?(?:还是|好像|有点|真的)?(?:没太?|不太?|听不太?|看不太?)(?:听|看|搞|弄)?(?:懂|明白|理解|清楚)|"
    r"还有|然后|接下来(?:怎么办)?|下一步|继续(?:讲|说)?|(?:请|你)?(?:就|直接)?(?:告诉|给|说)我?(?:正确)?(?:答案|结果)|"
    r"(?:请|你)?(?:再|多)?(?:给|来)?(?:我)?(?:一?[点些个])?(?:提示|线索)|"
    r"(?:还)?有?(?:没有)?(?:别|其他)的?(?:办法|方法|解释|例子)|(?:该|要)?(?:怎么|如何|怎样)(?:避免|解决|改进|优化|防止|处理)|"
    r"(?:这|这个|那)?(?:是)?什么意思|真的|确定|换成?(?:个|一个)?(?:说法|例子|角度)"
)
_CLOSING = re.compile(r"(?:呢|吗|啊|呀|吧|嘛|了)+$")
_PLURAL = re.compile(
    r"它们|他们|她们|这两(?:个|者|种)|那两(?:个|者|种)|[两二]者|这些(?=的|有|是|都|之间|[？?]|$)"
)
_SINGULAR = re.compile(
    r"它(?!们)|(?<![其吉好])他(?![们人])(?=的|是|有|和|与|跟|怎么|如何|为什么)|"
    r"(?:这一?[个种]?|那一?[个种]|该)(?:概念|算法|方法|数据结构|结构|东西|技术|模型|公式|定理|函数|"
    r"协议|语言|术语|名词|指标|现象|理论|制度|规则|过程)|"
    r"(?:这[个种]|那[个种])(?=的|是|有|和|与|跟|比|呢|吗|会|能|可以|怎么|如何|为什么|指|叫|[？?]|$)|"
    r"这(?=的(?!话)|和|与|跟|有什么|怎么|如何)"
)
_FORMER = re.compile(r"前者|后者")
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
        return _after_base(asked, subject)
    for rule in (_pronoun, _ellipsis, _without_subject):
        if result := rule(asked, subject, mentioned):
            return result
    return None


def _is_bare(asked: str) -> bool:
    """Whether every clause only asks on: for the reason, an example, another or a clearer word."""
    clauses = [_CLOSING.sub("", clause) for clause in re.split(r"[，,。！!？?…\s]+", asked) if clause]
    return bool(clauses) and all(not clause or _BARE.fullmatch(clause) for clause in clauses)


def _pronoun(asked: str, subject: Subject, mentioned: tuple[str, ...]) -> str | None:
    found = [m for p in (_PLURAL, _FORMER, _SINGULAR) if (m := p.search(asked))]
    if not found:
        return None
    match = min(found, key=lambda m: m.start())
    before = asked[: match.start()]
    if _introduces(before, mentioned):
        return None
    name = _referent(match.group(), subject)
    if name is None:
        return _after_base(asked, subject)
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
        return _join(subject.several) or None
    return subject.names[0] if subject.names else None


def _ellipsis(asked: str, subject: Subject, mentioned: tuple[str, ...]) -> str | None:
    match = _ELLIPSIS.match(asked)
    if match is None:
        return None
    noun = match.group("x")
    if mentioned and not _HAN.search(subject.base):
        return None  # another language cannot take the noun in
    if _CONDITION.match(noun):
        return None if mentioned else _after_base(asked, subject)
    if _VERBAL.search(noun):
        return None
    if is_attribute(noun):
        if all(is_attribute(name) for name in subject.names):
            return _replaced(noun, subject) or _after_base(asked, subject)
        return f"{_join(subject.names)}的{noun.removeprefix('的')}呢？"
    if not any(normalise(name) == normalise(noun) for name in mentioned):
        return None if mentioned else _after_base(asked, subject)
    return _replaced(noun, subject) or _after_base(asked, subject)


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
    return _after_base(asked, subject) if form == asked else form


def _after_base(asked: str, subject: Subject) -> str | None:
    base = short_base(subject)
    if base is None:
        return f"{_join(subject.names)}：{asked}" if subject.names else None
    return f"{base if base[-1] in '？?。！!.' else base + '？'}{asked}"


def _topic(subject: Subject) -> str:
    """The names as one phrase: that of the last question where it says "A 的 B"."""
    whole = "的".join(subject.names)
    return whole if whole in subject.base else _join(subject.names)


def _join(names: tuple[str, ...]) -> str:
    return "和".join(names) if len(names) < 3 else "、".join(names[:-1]) + "和" + names[-1]
