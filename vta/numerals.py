"""Numerals in one form: 第3章 is 第三章, "chapter three" and "Part IV" are "chapter 3" and "part 4"."""

from __future__ import annotations

import re
from collections.abc import Iterable

_ONES = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
_ROMANS = {
    "x" * tens + ones: 10 * tens + one
    for tens in range(4)
    for one, ones in enumerate(("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"))
    if tens or one
}
_NUMBERS = (
    _ROMANS
    | {word: n for n, word in enumerate(_ONES, start=1)}
    | {word: 10 * n for n, word in enumerate(_TENS, start=2)}
    | {f"{ten}-{_ONES[one]}": 10 * n + one + 1 for n, ten in enumerate(_TENS, start=2) for one in range(9)}
)
_DIVISIONS = (
    "chapter section part unit lecture lab week module lesson exercise question problem assignment homework "
    "project quiz figure table theorem lemma step phase level volume topic stage session example"
).split()
_SHORT = {
    "ch": "chapter", "chap": "chapter", "sec": "section", "lec": "lecture", "hw": "homework", "fig": "figure"
}  # fmt: skip
_WITH_LETTERS = frozenset("chapter section part unit lecture module volume".split())
"""Behind others a lone i, v or x is a variable."""
_CHINESE_DIVISIONS = (
    "章 节 讲 课 篇 卷 回 题 例 图 表 实验 作业 习题 练习 例题 定理 引理 定义 算法 单元 阶段 步骤 项目 模块"
).split()
_COUNTERS = "章节讲课篇卷部册单回条项题问例组类种个次步层级维阶段叉路元位趟遍轮"
"""Chinese classifiers and divisions, without the units of quantities."""
_DIGITS = "零一二三四五六七八九"


def _any(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_BEHIND = re.compile(
    rf"(?<![a-z])(?P<word>{_any((*_DIVISIONS, *_SHORT))})(?:[ -]|\. ?)?"
    rf"(?P<number>\d{{1,3}}|(?<=[ .-])(?:{_any(_NUMBERS)}))"
    r"(?![a-z0-9_'’-]|\.\d)"
)
_BEFORE = re.compile(
    rf"(?<![a-z0-9])(?:(?P<word>{_any(_ORDINALS)})|(?P<digits>\d{{1,2}})(?:st|nd|rd|th))[ -]"
    rf"(?P<division>{_any(_DIVISIONS)})(?![a-z])"
)
_COMPOUND = re.compile(rf"(?<![a-z-])(?:{_any(_ONES[:12])})(?=-[a-z])")
_NUMBERED = re.compile(rf"第 ?(?P<number>\d{{1,3}}|[{_DIGITS}十百两]+|{_any(_ROMANS)}) ?(?=[\u4e00-\u9fff])")
_COUNTED = re.compile(rf"(?<![a-z0-9._%/~-])(?P<number>\d{{1,3}}) ?(?=[{_COUNTERS}]|分[查搜法])")
_LAST = re.compile(rf"(?P<word>{_any(_CHINESE_DIVISIONS)}) ?(?P<number>\d{{1,3}})(?![a-z0-9_%]|\.\d)")
_PAIR = re.compile(r"两(?=[次层级阶段叉路维步趟遍])")


def settled(plain: str) -> str:
    """A normalised text with each numeral at a division or a counter in one form."""
    if not plain.isascii():
        plain = _NUMBERED.sub(lambda found: f"第{_chinese(found['number'])}", plain)
        plain = _COUNTED.sub(lambda found: _chinese(found["number"]), plain)
        plain = _LAST.sub(lambda found: found["word"] + _chinese(found["number"]), plain)
        plain = _PAIR.sub("二", plain)
    plain = _BEFORE.sub(_divided, plain)
    plain = _COMPOUND.sub(lambda found: str(_NUMBERS[found[0]]), plain)
    return _BEHIND.sub(_numbered, plain)


def _divided(found: re.Match[str]) -> str:
    number = _ORDINALS.index(found["word"]) + 1 if found["word"] else int(found["digits"])
    return f"{found['division']} {number}"


def _numbered(found: re.Match[str]) -> str:
    number = found["number"]
    if len(number) == 1 and number.isalpha() and found["word"] not in _WITH_LETTERS:
        return found[0]
    return f"{_SHORT.get(found['word'], found['word'])} {_NUMBERS.get(number) or int(number)}"


def _chinese(number: str) -> str:
    """Digits or Roman numerals as Chinese ones; these as they are."""
    value = _ROMANS.get(number) or (int(number) if number.isdecimal() else 0)
    if not value:
        return number
    hundreds, tens, ones = value // 100, value // 10 % 10, value % 10
    text = f"{_DIGITS[hundreds]}百" if hundreds else ""
    if tens:
        text += ("" if tens == 1 and not hundreds else _DIGITS[tens]) + "十"
    elif hundreds and ones:
        text += "零"
    return text + (_DIGITS[ones] if ones else "")
