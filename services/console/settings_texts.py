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
    "webhook": "通知平台",
    "webhook_help": "助教回答学生等待的问题时，平台会收到通知，由它去告诉提问的学生。每次通知都有签名，未送达会在一天之内按顺序重试。",
    "webhook_url": "平台接收通知的地址",
    "webhook_url_help": "以 https:// 开头。留空则不通知。",
    "send_test": "发送测试",
    "make_secret": "换一个新密钥",
    "new_secret": "签名密钥。它只显示这一次，请立即交给平台：",
    "undelivered": "还有 {count} 条通知等待送达",
    "deliveries": "最近的通知",
    "tried": "时间",
    "what": "内容",
    "status": "平台的答复",
    "tries": "次数",
    "delivery_question_answered": "助教的回答",
    "delivery_webhook_test": "测试",
    "delivery_waiting": "等待送达",
    "delivery_delivered": "已送达",
    "delivery_failed": "未送达",
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
    "webhook": "Tell the platform",
    "webhook_help": "When a TA answers a question that was waiting, the platform is told, so that it can tell the student. Each message is signed; one that does not arrive is sent again for a day, in order.",
    "webhook_url": "Where the platform listens",
    "webhook_url_help": "It begins with https://. Leave empty to tell nobody.",
    "send_test": "Send a test",
    "make_secret": "Replace the secret",
    "new_secret": "The secret that signs. It is shown this once; give it to the platform now:",
    "undelivered": "{count} messages are not delivered yet",
    "deliveries": "The last messages",
    "tried": "Time",
    "what": "About",
    "status": "The platform said",
    "tries": "Tries",
    "delivery_question_answered": "a TA's answer",
    "delivery_webhook_test": "a test",
    "delivery_waiting": "not delivered yet",
    "delivery_delivered": "delivered",
    "delivery_failed": "not delivered",
}
SETTINGS_TEXTS: Mapping[Language, Mapping[str, str]] = {Language.ZH: _ZH, Language.EN: _EN}
