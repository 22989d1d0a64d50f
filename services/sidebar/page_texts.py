"""The texts of the course page, in both languages."""

from __future__ import annotations

from collections.abc import Mapping

from vta.types import Language

LANGUAGE_NAMES: Mapping[Language, str] = {Language.ZH: "中文", Language.EN: "English"}

PAGE_TEXTS: Mapping[Language, Mapping[str, str]] = {
    Language.ZH: {
        "skip": "跳到课程助教",
        "theme": "深色 / 浅色",
        "player": "视频播放器",
        "play": "播放",
        "pause": "暂停",
        "time": "播放位置",
        "videos": "视频",
        "transcript": "字幕",
        "remark": "这一讲没有视频画面，只演示字幕和跳转。",
        "spoken": "示例视频：由合成语音朗读字幕。",
        "assistant": "课程助教",
        "views": "切换视图",
        "course": "课程",
        "contents": "目录",
        "sections": "{} 节",
        "one_section": "1 节",
        "empty": "这门课还没有资料。",
        "one_language": "课程资料是英文的，回答会引用英文原文；可以用中文提问。",
        "closed": "课程资料只对本课程的学生开放，请从课程平台打开。",
        "search": "搜索课程资料",
        "find": "搜索",
        "found": "“{}”的搜索结果",
        "none_found": "课程资料里没有找到。可以换个说法，或者直接问助教。",
        "not_searched": "搜索暂时不可用，请稍后重试。",
        "first_questions": "可以这样问",
        "page": "第 {} 页",
        "part": "第 {} 部分，共 {} 部分",
        "parts": "各部分",
        "before": "上一篇",
        "after": "下一篇",
        "neighbours": "相邻内容",
    },
    Language.EN: {
        "skip": "Skip to the teaching assistant",
        "theme": "Dark / light",
        "player": "Video player",
        "play": "Play",
        "pause": "Pause",
        "time": "Position",
        "videos": "Videos",
        "transcript": "Transcript",
        "remark": "This lecture has no picture here: only its captions and the jumps to them are shown.",
        "spoken": "A sample lecture: a synthetic voice reads the captions.",
        "assistant": "Teaching assistant",
        "views": "Switch view",
        "course": "Course",
        "contents": "Contents",
        "sections": "{} sections",
        "one_section": "1 section",
        "empty": "This course has no material yet.",
        "one_language": "The material of this course is in Chinese, and so is what answers quote. "
        "You can ask in English.",
        "closed": "The material is for students of this course. Open it from your course platform.",
        "search": "Search the course material",
        "find": "Search",
        "found": "Results for “{}”",
        "none_found": "Nothing found in the material. Try other words, or ask the assistant.",
        "not_searched": "Search is unavailable right now. Please try again soon.",
        "first_questions": "Try asking",
        "page": "Page {}",
        "part": "Part {} of {}",
        "parts": "Parts",
        "before": "Previous",
        "after": "Next",
        "neighbours": "Before and after",
    },
}
