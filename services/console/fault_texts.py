"""Faults in the words of an instructor: in Chinese, and in English where the error speaks of ids."""
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Mapping

from vta.types import Language

_PLACE = re.compile(r"(?P<path>[^:]{1,200}), line (?P<line>\d+): (?P<rest>.*)", re.DOTALL)

_ZH: Mapping[str, str] = {
    r"the question is empty": "问题是空的。",
    r"the answer is empty": "回答是空的。",
    r"one of the (\w+) is empty": r"\1 中有一个是空的。",
    r"(?:the )?(\w+) is longer than (\d+) characters": r"\1 超过 \2 个字符。",
    r"the column (\w+) holds more than (\d+)": r"\1 列超过 \2 个。",
    r"the question has (\d+) characters; at most (\d+) are read": r"问题有 \1 个字符，最多 \2 个。",
    r"the FAQ entry '[^']*' asks the same question already": "已有另一条问答回答同一个问题，请在“问答”中搜索它。",
    r"this is the entry's own question; edit the entry instead": "这正是那条问答自己的问题，请直接修改那条问答。",
    r"no question is named": "请至少选择一个提问。",
    r"these questions do not wait any more|the question '[^']*' is \w+ already|no question '[^']*' waits in course '[^']*'": "这些提问已经处理过了。",
    r"there is no FAQ entry '[^']*' in course '[^']*'": "没有这条问答。",
    r"the same question as in line (\d+); keep one of them": r"与第 \1 行的问题相同，请只保留一个。",
    r"the header '(.*)' has no column '(\w+)'": r"表头“\1”中没有 \2 列。",
    r"holds no question": "没有任何问题。",
    r"holds no text": "没有文字。",
    r"holds no cue": "没有字幕。",
    r"not (\S+) text.*; save the file as UTF-8": r"不是 \1 文字，请另存为 UTF-8。",
    r"(.+): a table ends in .csv, .xlsx or .jsonl": r"\1：表格文件以 .csv、.xlsx 或 .jsonl 结尾。",
    r"(.+): has more than (\d+) bytes.*": r"\1：超过 \2 字节。",
    r"(.+): this kind of file is not read": r"\1：不能读取这种文件。",
    r"(.+): given twice": r"\1：选了两次。",
    r"(.+): not readable as (.+)": r"\1：无法读取：\2",
    r"(.+): is encrypted; save it without a password": r"\1：已加密，请另存为没有密码的文件。",
    r"choose a file first": "请先选择文件。",
    r"this upload is not here any more; upload it again": "上传的文件已不在，请重新上传。",
    r"this upload is not known here any more": "这次上传的记录已不在。",
    r"many uploads wait to be read; try again soon": "有很多上传正在等待读取，请稍后再试。",
    r"the course '[^']*' has no document '(.+)'": r"课程中没有文件“\1”。",
    r"(?:\w+: )?the course '[^']*' has no concept '(.*)'": r"课程中没有概念“\1”。",
    r"name: the concept is called '(.+)' already": r"这个概念已经叫“\1”。",
    r"other: '(.+)' is the concept '(.+)' already": r"“\1”就是概念“\2”。",
    r"prerequisite: this would close a cycle: (.+)": r"这会形成循环：\1",
    r"prerequisite: '(.+)' is no direct prerequisite of '(.+)'": r"“\1”不是“\2”的直接先修。",
    r"\w+: '(.+)' is the concept '(.+)' of the course already": r"“\1”已经是课程中的概念“\2”。",
    r"\w+: must not be empty": "不能是空的。",
    r"\w+: must be a name of one line": "名称须为一行文字。",
    r"\w+: must have at most (\d+) characters, not (\d+)": r"最多 \1 个字符，现有 \2 个。",
    r"the course '[^']*' has no edit to undo": "没有可以撤销的修改。",
    r"(\w+): '(.*)' is no number": r"\1：“\2”不是数字。",
    r"beta: must be above 0; 0 would answer every question directly": "beta：须大于 0；为 0 时每个问题都会直接作答。",
    r"(\w+): must be from 0 to (\S+)": r"\1：须在 0 到 \2 之间。",
    r"choose a mark": "请选择一个评价。",
    r"'(.*)' is not a day such as 2025-03-31": r"“\1”不是日期，请写成 2025-03-31 的样子。",
    r"this form has no valid token; load the page again": "这个表单已过期，请重新打开页面。",
    r"this request comes from another site": "这个请求来自别的网站。",
    r"something failed on our side; it was logged": "我们这边出了故障，已记入日志。",
    r"no language model is configured": "没有配置语言模型。",
    r"the answer cites no course material": "回答没有引用课程资料。",
}
_EN: Mapping[str, str] = {
    r"the FAQ entry '[^']*' asks the same question already": "Another entry asks this question already. Search for it under FAQ.",
    r"the question '[^']*' is (\w+) already|no question '[^']*' waits in course '[^']*'": "These questions do not wait any more.",
    r"there is no FAQ entry '[^']*' in course '[^']*'": "There is no such entry.",
    r"(?:\w+: )?the course '[^']*' has no concept '(.*)'": r"The course has no concept “\1”.",
}
_TOLD: Mapping[Language, Mapping[str, str]] = {Language.ZH: _ZH, Language.EN: _EN}


def told(fault: str, language: str) -> str:
    """A fault's message in a language, its place in a file too; an unknown one stays as it is."""
    place = _PLACE.fullmatch(fault)
    rest = place["rest"] if place else fault
    found = next(
        (m.expand(to) for by, to in _TOLD[Language(language)].items() if (m := re.fullmatch(by, rest))), rest
    )
    if place is None:
        return found
    if language == Language.ZH:
        return f"{place['path']}，第 {place['line']} 行：{found}"
    return f"{place['path']}, line {place['line']}: {found}"
