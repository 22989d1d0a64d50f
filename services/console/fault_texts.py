"""Faults in the words of an instructor: in Chinese, and in English where the error speaks of ids."""
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Mapping

from vta.types import Language

_PLACE = re.compile(r"(?P<path>[^:]{1,200}), (?P<unit>line|row) (?P<line>\d+): (?P<rest>.*)", re.DOTALL)

_ZH: Mapping[str, str] = {
    r"the question is empty": "问题是空的。",
    r"the answer is empty": "回答是空的。",
    r"one of the (\w+) is empty": r"\1 中有一个是空的。",
    r"(?:the )?(\w+) is longer than (\d+) characters": r"\1 超过 \2 个字符。",
    r"the column (\w+) holds more than (\d+)": r"\1 列超过 \2 个。",
    r"the question has (\d+) characters; at most (\d+) are read": r"问题有 \1 个字符，最多 \2 个。",
    r"the FAQ entry '[^']*' asks the same question already": "已有另一条问答回答同一个问题：",
    r"the entry has (\d+) versions only": r"这条问答只有 \1 个版本。",
    r"the entry is not removed": "这条问答没有被删除。",
    r"the question '[^']*' is waiting already": "这个提问已在待答列表中。",
    r"this form names no action that there is": "这个表单没有说明要做什么，请重新打开页面。",
    r"this is the entry's own question; edit the entry instead": "这正是那条问答自己的问题，请直接修改那条问答。",
    r"no question is named": "请至少选择一个提问。",
    r"these questions do not wait any more|the question '[^']*' is \w+ already|no question '[^']*' waits in course '[^']*'": "这些提问已经处理过了。",
    r"there is no FAQ entry '[^']*' in course '[^']*'": "没有这条问答。",
    r"the same question as in row (\d+), which is kept: (.+); left out: (.+)": r"与第 \1 行的问题相同，保留第 \1 行：\2；不导入：\3",
    r"the header '(.*)' has no column '(\w+)'; it may be called (.+)": r"表头“\1”中没有 \2 列；这一列可以叫：\3。",
    r"(.+): (\d+) more rows were left out": r"\1：另有 \2 行没有读入。",
    r"no text field '(\w+)'": r"没有文字字段 \1。",
    r"not JSON: .*": "不是 JSON。",
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
    r"(.+): needs more than (\S+) GB of memory to read": r"\1：读取它需要的内存超过 \2 GB。",
    r"(.+): takes more than (\d+) seconds to read": r"\1：读取它需要的时间超过 \2 秒。",
    r"(.+): could not be read within (\S+) seconds": r"\1：没能在 \2 秒之内读完。",
    r"(.+): holds more than (\S+) MB of text": r"\1：文字超过 \2 MB。",
    r"(.+): holds more than (\d+) passages": r"\1：段落超过 \2 个。",
    r"(.+): the reader for this kind of file crashed on it; it may be damaged": r"\1：读取时程序崩溃，文件可能已损坏。",
    r"(.+): the reader for this kind of file failed on it; it was logged": r"\1：读取时出了故障，已记入日志。",
    r"(.+): holds half a character.*": r"\1：含有不完整的字符，不能保存。",
    r"the server is closing down; upload the file again": "服务正在关闭，请稍后重新上传。",
    r"(\d+) uploads of this course wait to be read already; try again soon": r"本课程已有 \1 个上传在等待读取，请稍后再试。",
    r"(\d+) files are too many; at most (\d+) can be uploaded at a time": r"选了 \1 个文件，一次最多上传 \2 个。",
    r"the form cannot be read; it may hold at most (\d+) files": r"无法读取表单；一次最多上传 \1 个文件。",
}
_EN: Mapping[str, str] = {
    r"the FAQ entry '[^']*' asks the same question already": "Another entry asks this question already:",
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
    return f"{place['path']}, {place['unit']} {place['line']}: {found}"
