"""The words of the console in both languages; every page finds each of them in either."""

from __future__ import annotations

from collections.abc import Mapping

from services.console.faq_texts import FAQ_TEXTS
from services.console.graph_texts import GRAPH_TEXTS
from services.console.inbox_texts import INBOX_TEXTS
from services.console.log_texts import LOG_TEXTS
from services.console.material_texts import MATERIAL_TEXTS
from services.console.page_texts import PAGE_TEXTS
from services.console.people_texts import PEOPLE_TEXTS
from services.console.settings_texts import SETTINGS_TEXTS
from vta.types import Language

_FIRST_PAGES: Mapping[Language, Mapping[str, str]] = {
    Language.ZH: {
        "console": "教师控制台",
        "log_in": "登录",
        "log_out": "退出",
        "key": "课程教师密钥",
        "key_help": "以 vta_ 开头，由平台管理员生成。",
        "name": "您的姓名",
        "name_help": "显示在修改历史中，学生看不到。",
        "wrong_key": "密钥无效或已被撤销。",
        "inbox": "待答",
        "faq": "问答",
        "analytics": "统计",
        "other_language": "English",
        "skip": "跳到正文",
        "waiting": "待回答的问题",
        "nothing_waiting": "没有待回答的问题。",
        "times": "{n} 次提问",
        "asked": "最早提问于",
        "answer": "回答",
        "voted_down": "学生点“踩”的回答",
        "nothing_voted_down": "没有被点“踩”的回答。",
        "reason": "理由",
        "write_entry": "写成问答",
        "question": "问题",
        "answer_markdown": "回答（Markdown）",
        "similar": "相似问法（每行一个）",
        "negative": "看似相近、但此回答不适用的问题（每行一个）",
        "publish": "发布并通知提问者",
        "merge": "归入这条问答并通知提问者",
        "reject": "不回答",
        "reject_reason": "理由",
        "these_questions": "相关提问",
        "found": "课程中的相关内容",
        "nothing_found": "课程中没有找到相关内容。",
        "draft": "草稿是课程资料的原文，未必回答了提问，请核对后再发布。",
        "or_merge": "或归入已有问答",
        "no_entry_near": "没有相近的问答。",
        "search": "搜索",
        "new_entry": "新建问答",
        "version": "版本",
        "save": "保存",
        "remove": "删除",
        "history": "修改历史",
        "roll_back": "恢复此版本",
        "removed": "已删除",
        "conflict": "在您编辑期间，有人修改了这条问答。您的修改尚未保存，请比较后选择保留哪个版本。",
        "now": "当前版本",
        "yours": "您的版本",
        "save_mine": "用我的版本覆盖",
        "keep_theirs": "保留当前版本",
        "saved": "已保存，立即生效。",
        "live": "发布或保存后立即生效。",
        "previous_page": "上一页",
        "next_page": "下一页",
        "language_model": "助教当时的回答",
    },
    Language.EN: {
        "console": "Instructor console",
        "log_in": "Log in",
        "log_out": "Log out",
        "key": "Instructor key",
        "key_help": "It starts with vta_. Your platform's admin can create one.",
        "name": "Your name",
        "name_help": "Shown in the edit history, never to students.",
        "wrong_key": "This key is not valid or has been revoked.",
        "inbox": "Inbox",
        "faq": "FAQ",
        "analytics": "Analytics",
        "other_language": "中文",
        "skip": "Skip to content",
        "waiting": "Waiting questions",
        "nothing_waiting": "No waiting questions.",
        "times": "asked {n}×",
        "asked": "first asked",
        "answer": "Answer",
        "voted_down": "Answers students voted down",
        "nothing_voted_down": "No answers were voted down.",
        "reason": "Reason",
        "write_entry": "Write an entry",
        "question": "Question",
        "answer_markdown": "Answer (Markdown)",
        "similar": "Similar questions (one per line)",
        "negative": "Questions that look alike, but are not answered by this entry (one per line)",
        "publish": "Publish and notify students",
        "merge": "Add to this entry and notify students",
        "reject": "Decline",
        "reject_reason": "Reason",
        "these_questions": "Questions to settle",
        "found": "Found in the course",
        "nothing_found": "Nothing relevant found in the course.",
        "draft": "The draft is text from the course, unchanged. It may not answer: check it first.",
        "or_merge": "Or add to an existing entry",
        "no_entry_near": "No similar entries.",
        "search": "Search",
        "new_entry": "New entry",
        "version": "Version",
        "save": "Save",
        "remove": "Remove",
        "history": "History",
        "roll_back": "Restore this version",
        "removed": "removed",
        "conflict": "Someone changed this entry while you were editing. Yours is not saved yet; compare both "
        "versions and choose one.",
        "now": "Current version",
        "yours": "Your version",
        "save_mine": "Overwrite with my version",
        "keep_theirs": "Keep the current version",
        "saved": "Saved. The change is live.",
        "live": "Changes go live as soon as you publish or save.",
        "previous_page": "Previous",
        "next_page": "Next",
        "language_model": "The assistant's answer",
    },
}

ROOMS = (
    _FIRST_PAGES,
    PAGE_TEXTS,
    SETTINGS_TEXTS,
    GRAPH_TEXTS,
    INBOX_TEXTS,
    LOG_TEXTS,
    MATERIAL_TEXTS,
    FAQ_TEXTS,
    PEOPLE_TEXTS,
)
"""The words of each part; no two parts give the same name."""

TEXTS: Mapping[Language, Mapping[str, str]] = {
    language: {name: words for room in ROOMS for name, words in room[language].items()}
    for language in Language
}
