"""The words of the settings page in both languages."""
# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Mapping

from vta.types import Language

_ZH = {
    "students_see": "学生看到的",
    "refusal": "课程资料无法回答时的话",
    "refusal_help": "最多 {longest} 个字，按纯文本显示，不论学生用哪种语言提问。留空则用平台的原话。",
    "hints_offered": "允许学生切换到提示模式",
    "hints_help": "提示模式只给出概念和思考的问题，不直接给出答案。",
    "origins": "可以嵌入侧边栏的网站",
    "origins_help": "每行一个，写协议和主机，例如 https://learn.example。不在此列的网站无法嵌入。",
    "course_origins": "嵌入侧边栏",
    "make_key": "生成教师密钥",
    "make_key_help": "持有教师密钥的人可以做您在这里能做的一切。平台密钥只能由平台管理员生成和撤销。",
    "new_key": "新密钥。它只显示这一次，请立即保存：",
    "admins_key": "由平台管理员管理",
}
_EN = {
    "students_see": "What students see",
    "refusal": "What they read where the course holds no answer",
    "refusal_help": "At most {longest} characters, shown as plain text whatever language a student asks in. Leave empty for the platform's own words.",
    "hints_offered": "Students may switch to hints",
    "hints_help": "A hint gives concepts and questions that lead on, and no answer.",
    "origins": "Sites that may embed the sidebar",
    "origins_help": "One a line, scheme and host, such as https://learn.example. No other site can embed it.",
    "course_origins": "The sidebar on other sites",
    "make_key": "Make an instructor's key",
    "make_key_help": "Whoever has an instructor's key may do all that you may do here. Platform keys are made and revoked by the platform's admin alone.",
    "new_key": "The new key. It is shown this once; keep it now:",
    "admins_key": "kept by the platform's admin",
}
SETTINGS_TEXTS: Mapping[Language, Mapping[str, str]] = {Language.ZH: _ZH, Language.EN: _EN}
