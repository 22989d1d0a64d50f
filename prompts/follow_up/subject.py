"""What the conversation is about: the subject that a follow-up leaves out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from prompts.follow_up.topic import FUNCTION_WORDS, find_topic
from vta.text import HAN, normalise
from vta.types import Language, PastTurn, Route, Source

_ATTRIBUTE_ZH = re.compile(
    r"^的?(?:时间|空间|平均|最坏|最好|主要|常见|基本|具体|数学|几何|物理|实际|计算|插入|删除|查找|"
    r"优势|各自的?)*"
    r"(?:复杂度|优缺点|优点|缺点|优势|劣势|应用|应用场景|用途|用处|作用|原理|性质|特点|特征|定义|公式|"
    r"例子|步骤|过程|实现|操作|"
    r"种类|类型|分类|区别|联系|关系|意义|条件|历史|代码|结构|组成|范围|方法|含义|概念|证明|推导)$|"
    r"^(?:最坏|最好|最差|平均|一般)(?:的?情况|时)?下?$"
)
_SIDE_ZH = re.compile(
    r"(?:影响|作用|意义|局限性?|缺陷|缺点|优点|优势|劣势|好处|坏处|条件|前提|后果|结果|表现|例子|方法|"
    r"途径|技巧|规律|依据|标准|"
    r"原因|目的|背景|代表人?物?|代表作家?品?|作者|主题|特点|特征|性质|步骤|阶段|成分|症状|现象|价值|"
    r"单位|用途|应用|写法|形式|"
    r"要求|限制|风险|问题|复杂度|关系|联系|区别|争议|贡献)$"
)
_ATTRIBUTE_EN = re.compile(
    r"^(?:(?:the|its|their|some|main|key|common|typical|basic|exact|other|real|time|space|average|"
    r"running|worst|best|"
    r"worst[- ]case|best[- ]case|average[- ]case|mathematical)\s+)*"
    r"(?:complexit(?:y|ies)|(?:dis)?advantages?|benefits?|drawbacks?|limitations?|pros(?: and cons)?|"
    r"cons|uses?|"
    r"applications?|purpose|properties|property|features?|definition|formulas?|examples?|steps?|process|"
    r"implementation|operations?|types?|kinds?|differences?|relation(?:ship)?|meaning|conditions?|"
    r"history|code|"
    r"structure|proof|derivation|cost|speed|time|range|goal|inputs?|outputs?|parameters?|case|"
    r"causes?|effects?|consequences?|assumptions?|requirements?|alternatives?|stages?|phases?|components?)$"
)
_HAN_RUN = re.compile(rf"[{HAN}A-Za-z0-9]{{2,}}")
_LONGEST_BASE = 200
_LOOKED_BACK = 4
_MOST_NAMES = 3


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of the last turn about the course.

    `names` are its concepts in the order of `base`, the turn's stand-alone question; attributes such as "time
    complexity" are not subjects, unless there is nothing else. `several` holds at least two names where there
    are, from earlier turns if need be, earliest first: what "they" means. `before` are the names of the last
    turn that had any, for a pronoun where `names` is empty.
    """

    names: tuple[str, ...]
    several: tuple[str, ...]
    base: str
    before: tuple[str, ...] = ()


def course_turns(history: Sequence[PastTurn]) -> list[PastTurn]:
    """The turns that were about the course."""
    return [turn for turn in history if turn.route not in (Route.CHIT_CHAT, Route.REFUSED)]


def answered_turns(history: Sequence[PastTurn]) -> list[PastTurn]:
    """The turns up to the last one that was answered; all that were about the course where none was."""
    turns = course_turns(history)
    answered = [n for n, turn in enumerate(turns, start=1) if turn.route is not Route.UNANSWERED]
    return turns[: answered[-1]] if answered else turns


def last_subject(turns: Sequence[PastTurn]) -> Subject | None:
    """The subject of the last of these turns, or None where there is none."""
    if not turns:
        return None
    names = several = _subject_names(turns[-1])
    for turn in reversed(turns[:-1]):
        if len(several) > 1 or (several and not turn.concepts):
            break
        several = tuple(dict.fromkeys((*_subject_names(turn), *several)))[:_MOST_NAMES]
    named = (_subject_names(turn) for turn in reversed(turns[-_LOOKED_BACK:]))
    before = next((each for each in named if each), ())
    return Subject(names=names, several=several, base=_base(turns[-1]), before=before)


def is_attribute(name: str) -> bool:
    """Whether a noun names a side of something ("the time complexity") and no thing of its own."""
    plain = normalise(name)
    return bool(_ATTRIBUTE_ZH.search(plain) or _ATTRIBUTE_EN.search(plain))


def is_side(noun: str) -> bool:
    """Whether a Chinese noun that is no known concept ends like a side of something ("积极影响")."""
    return _SIDE_ZH.search(normalise(noun)) is not None


def short_base(subject: Subject) -> str | None:
    """The last question to repeat before a bare "why?", or None where it is too long to carry along."""
    first = re.split(r"(?<=[？?！!。])\s*|(?<=\.)\s+", subject.base, maxsplit=1)[0].strip()
    return first if 0 < len(first) <= _LONGEST_BASE else None


def after_base(asked: str, subject: Subject, language: Language) -> str | None:
    """The last question with this one behind it; None where there is nothing to put before it."""
    base = short_base(subject)
    if base is None:
        return carry(asked, subject, language) if subject.names else None
    if language is Language.ZH:
        return f"{base if base[-1] in '？?。！!.' else base + '？'}{asked}"
    return f"{base if base[-1] in '?.!？。！' else base + '?'} {asked[0].upper()}{asked[1:]}"


def carry(asked: str, subject: Subject, language: Language) -> str:
    """The question after the names of the subject, or after the last question where it has none."""
    before = join(subject.names, language) if subject.names else short_base(subject) or ""
    return f"{before}{'：' if language is Language.ZH else ': '}{asked}"


def join(names: Sequence[str], language: Language) -> str:
    """The names as one phrase."""
    link, last = ("、", "和") if language is Language.ZH else (", ", " and ")
    return last.join((*([link.join(names[:-1])] if names[:-1] else []), *names[-1:]))


def _base(turn: PastTurn) -> str:
    """The turn's question; where an FAQ entry answered it and no concept is known, that entry's."""
    first = next(iter(turn.citations), None)
    if first is not None and first.source is Source.FAQ and not turn.concepts:
        return first.title
    return turn.standalone_question.strip() or turn.question.strip()


def _subject_names(turn: PastTurn) -> tuple[str, ...]:
    base = _base(turn)
    plain = _without_hyphens(base)
    placed = [(plain.find(_without_hyphens(name)), name) for name in turn.concepts]
    names = [name for place, name in sorted(p for p in placed if p[0] >= 0)]
    names = names or [name for _, name in placed]
    things = [name for name in names if not is_attribute(name)]
    things = [name for name in names if name in things or _stands_beside(name, things, plain)] or names
    if things:
        return tuple(things[:_MOST_NAMES])
    topic = find_topic(base) or (_named_twice(turn) if len(turn.answer) <= _LONGEST_BASE else None)
    return (topic,) if topic else ()


def _without_hyphens(text: str) -> str:
    return normalise(text).replace("-", " ")


def _stands_beside(name: str, things: Sequence[str], base: str) -> bool:
    """Whether a name like "process" is put beside a thing: "a process and a thread"."""
    one, *rest = (re.escape(_without_hyphens(each)) for each in (name, *things))
    others = "|".join(rest)
    link = r"\s*(?:和|与|跟|或|还是|\b(?:and|or|versus|vs\.?|than|from)\b)\s*(?:an?\s+|the\s+)?"
    return bool(others) and re.search(rf"{one}{link}(?:{others})|(?:{others}){link}{one}", base) is not None


def _named_twice(turn: PastTurn) -> str | None:
    """The longest thing that a Chinese question and its answer both name."""
    runs = _HAN_RUN.findall(turn.question)
    found = [
        run[start:end]
        for run in runs
        for start in range(len(run))
        for end in range(start + 2, min(len(run), start + 8) + 1)
        if run[start:end] in turn.answer and not FUNCTION_WORDS.search(run[start:end])
    ]
    return max(found, key=len, default=None)
