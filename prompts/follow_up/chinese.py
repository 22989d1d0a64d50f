"""Rules for Chinese follow-ups. Each returns the stand-alone question, or None where it does not apply."""

from __future__ import annotations

import re

from prompts.follow_up.subject import Subject, is_attribute, short_base
from vta.text import normalise

_LEAD = re.compile(
    r"^(?:(?:好的?|谢谢你?|谢了|嗯+|哦+|噢|明白了?|懂了|知道了|那么?|所以|请问|老师|但是?|可是|不过|"
    r"而且|还有|另外|然后)"
    r"[，,。！!、\s]*)+"
)
_END = r"(?:呢|吗|啊|呀|吧|嘛)?[？?。！!…]*$"
_BARE = re.compile(
    r"^(?:这(?:是|又是)?)?(?:为什么|为啥|怎么会|凭什么|原因(?:是什么|呢)?|理由(?:是什么)?|"
    r"(?:你?(?:能|可以|能不能|可不可以|可否))?(?:再)?(?:给我)?(?:举|给|来)(?:一|几|两)?个?(?:具体的?|"
    r"简单的?)?例子?(?:说明一下)?|"
    r"(?:你?(?:能|可以|能不能))?(?:再)?(?:说|讲|解释)(?:得|的)?(?:详细|具体|清楚|简单|通俗)(?:一)?(?:点|些)?|"
    r"(?:你?(?:能|可以|能不能))?(?:再)?(?:详细|具体|仔细)(?:地)?(?:说说|讲讲|解释|解释一下|说明|说明一下)|"
    r"还有|继续(?:讲|说)?|我?(?:还是)?(?:没太?|不太?)(?:听|看)?(?:懂|明白|理解)|(?:这|这个|"
    r"那)?(?:是)?什么意思|真的|确定)" + _END
)
_PLURAL = re.compile(
    r"它们|他们|她们|这两(?:个|者|种)|那两(?:个|者|种)|[两二]者|这些(?=的|有|是|都|之间|[？?]|$)"
)
_SINGULAR = re.compile(
    r"它(?!们)|(?<![其吉])他(?![们人])(?=的|是|有|和|与|跟|怎么|如何|为什么)|"
    r"(?:这一?[个种]?|那一?[个种]|该)(?:概念|算法|方法|数据结构|结构|东西|技术|模型|公式|定理|函数|"
    r"协议|语言|术语|名词|指标|现象)|"
    r"(?:这[个种]|那[个种])(?=的|是|有|和|与|跟|比|呢|吗|会|能|可以|怎么|如何|为什么|指|叫|[？?]|$)|"
    r"这(?=的(?!话)|和|与|跟|有什么|怎么|如何)"
)
_FORMER = re.compile(r"前者|后者")
_BREAK = re.compile(r"[，,。；;？?！!]")
_COMPARED = re.compile(r"(?:和|与|跟|比|同|于)$")
_ELLIPSIS = re.compile(r"^(?P<x>[^，,。；;？?！!]{1,20}?)呢[？?。！!…]*$")
_VERBAL = re.compile(r"什么|怎|如何|哪|谁|多少|几|是|要|能|会|可以|应该|有没有|吗|我|你")
_CONDITION = re.compile(r"^(?:如果|假如|要是|万一|当)")
_PREDICATE = re.compile(
    r"^(?:有(?:什么|哪些|没有|何)(?P<attribute>[^，。？?的]{1,8}?)|"
    r"(?:怎么|如何|怎样)(?:去)?(?:实现|使用|用|计算|算|求|证明|推导|学|学习|应用|解决|判断|优化|"
    r"初始化|遍历|插入|删除|查找|定义|表示)"
    r"(?:元素|结点|节点|数据)?的?|(?:可以|能)?(?:用来|用于)(?:做|干)什么|(?:一般|主要|通常)?(?:用|"
    r"应用)(?:在|于)(?:哪里|哪些地方|哪些方面|什么地方)|"
    r"是(?:谁|什么时候|怎么)(?:提出|发明|发现|得到|来|实现)?(?:的|来的)?)" + _END
)
_ATTRIBUTE_ASKED = re.compile(
    r"^(?P<x>[^，。？?的]{2,8}?)(?:是多少|是多大|怎么(?:算|求|计算|写|证明)|如何计算|高吗|大吗|怎么样|"
    r"有哪些|分别是什么)" + _END
)
_LONGEST_BEFORE = 12


def rewrite(text: str, subject: Subject, mentioned: tuple[str, ...]) -> str | None:
    """The stand-alone form of a Chinese question; `mentioned` are the things that it names itself."""
    asked = _LEAD.sub("", text) or text
    if _BARE.match(asked):
        return _after_base(asked, subject)
    for rule in (_pronoun, _ellipsis, _predicate):
        if result := rule(asked, subject, mentioned):
            return result
    return None


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
    if _CONDITION.match(noun):
        return None if mentioned else _after_base(asked, subject)
    if _VERBAL.search(noun):
        return None
    if is_attribute(noun) and not mentioned:
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


def _predicate(asked: str, subject: Subject, mentioned: tuple[str, ...]) -> str | None:
    if mentioned or not subject.names:
        return None
    names = _join(subject.names)
    if match := _PREDICATE.match(asked):
        attribute = match.group("attribute")
        is_asked = attribute is None or attribute == "用" or is_attribute(attribute)
        return f"{names}{asked}" if is_asked else None
    if (match := _ATTRIBUTE_ASKED.match(asked)) and is_attribute(match.group("x")):
        return f"{names}的{asked}"
    return None


def _after_base(asked: str, subject: Subject) -> str | None:
    base = short_base(subject)
    if base is None:
        return f"{_join(subject.names)}：{asked}" if subject.names else None
    return f"{base if base[-1] in '？?。！!.' else base + '？'}{asked}"


def _join(names: tuple[str, ...]) -> str:
    return "和".join(names) if len(names) < 3 else "、".join(names[:-1]) + "和" + names[-1]
