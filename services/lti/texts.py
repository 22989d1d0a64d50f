"""The words of the LTI pages in both languages: what happened, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from services.lti.refusals import Reason
from vta.types import Language


@dataclass(frozen=True, slots=True)
class Advice:
    """What went wrong, and what the reader can do."""

    what: str
    do: str


PAGE_TEXTS: Mapping[Language, Mapping[str, str]] = {
    Language.ZH: {
        "assistant": "课程助教",
        "refused": "无法打开课程助教",
        "code": "代码",
        "wait": "正在打开课程助教……",
        "go_on": "继续",
        "welcome": "课程助教",
        "connected": "这门课程已连接到",
        "open_console": "打开教师控制台（新窗口）",
        "open_as_student": "以学生身份查看",
        "once": "按钮在 30 分钟内可用一次；之后请从平台重新打开。",
        "connect": "连接这门课程",
        "connect_help": "平台上的这门课程还没有连接。请填写助教系统中对应课程的教师密钥"
        "（以 vta_ 开头），它由管理员生成。",
        "key": "课程教师密钥",
        "connect_button": "连接",
        "add": "添加课程助教",
        "add_help": "将在课程中添加一个打开助教的链接。",
        "add_button": "添加链接",
    },
    Language.EN: {
        "assistant": "Teaching assistant",
        "refused": "The teaching assistant cannot be opened",
        "code": "Code",
        "wait": "Opening the teaching assistant …",
        "go_on": "Go on",
        "welcome": "Teaching assistant",
        "connected": "This course is connected to",
        "open_console": "Open the console (new window)",
        "open_as_student": "See it as a student",
        "once": "The button works once within 30 minutes; after that, open this again from your platform.",
        "connect": "Connect this course",
        "connect_help": "This course of your platform is not connected yet. Give the instructor's key of the "
        "course in the assistant (it begins with vta_ and comes from the admin).",
        "key": "Instructor's key of the course",
        "connect_button": "Connect",
        "add": "Add the teaching assistant",
        "add_help": "A link that opens the assistant will be added to your course.",
        "add_button": "Add the link",
    },
}

_AGAIN_ZH = "请回到课程平台重新打开；如果仍然如此，请把下面的代码告诉平台管理员。"
_AGAIN_EN = "Open it again from your course; if that does not help, give the admin the code below."
_ADMIN_ZH = "请把下面的代码告诉平台管理员。"
_ADMIN_EN = "Give the admin of your platform the code below."

ADVICE: Mapping[Language, Mapping[Reason, Advice]] = {
    Language.ZH: {
        Reason.UNKNOWN_PLATFORM: Advice("这个平台没有在助教系统中登记。", _ADMIN_ZH),
        Reason.INCOMPLETE: Advice("请求不完整。", "请从课程平台中的链接打开，不要直接输入地址。"),
        Reason.PLATFORM_SAID_NO: Advice("课程平台拒绝了登录。", "请先登录课程平台，再打开助教。"),
        Reason.UNKNOWN_STATE: Advice("这次打开已经用过，或者已过期。", _AGAIN_ZH),
        Reason.OTHER_BROWSER: Advice(
            "浏览器没有保存这次登录，可能是因为禁用了第三方 Cookie。",
            "请允许本页面使用 Cookie，或者在平台中选择“在新窗口打开”，然后重试。",
        ),
        Reason.KEYS_UNREACHABLE: Advice("暂时无法取得课程平台的公钥。", "请过几分钟重试。"),
        Reason.UNKNOWN_KEY: Advice("课程平台用了一个我们不知道的密钥。", _AGAIN_ZH),
        Reason.BAD_SIGNATURE: Advice("课程平台的签名无效。", _AGAIN_ZH),
        Reason.WRONG_ISSUER: Advice("签名者不是登记的平台。", _ADMIN_ZH),
        Reason.WRONG_AUDIENCE: Advice("这次打开是发给另一个工具的。", _ADMIN_ZH),
        Reason.WRONG_TIME: Advice("这次打开已过期，或者两边的时钟不一致。", _AGAIN_ZH),
        Reason.WRONG_NONCE: Advice("这次打开已经用过。", _AGAIN_ZH),
        Reason.WRONG_DEPLOYMENT: Advice("工具的这个部署没有登记。", _ADMIN_ZH),
        Reason.WRONG_CLAIMS: Advice("课程平台没有给出需要的信息（例如用户或课程）。", _ADMIN_ZH),
        Reason.NOT_CONNECTED: Advice(
            "这门课程还没有连接助教。", "请告诉您的老师：第一次由老师打开并连接课程。"
        ),
        Reason.NOT_INSTRUCTOR: Advice("只有老师可以这样做。", "请从课程中的助教链接打开。"),
        Reason.WRONG_KEY: Advice("这不是一个有效的教师密钥。", "请从课程平台重新打开，再填写密钥。"),
        Reason.EXPIRED: Advice("这次访问已结束。", "请回到课程平台重新打开助教。"),
    },
    Language.EN: {
        Reason.UNKNOWN_PLATFORM: Advice("This platform is not registered with the assistant.", _ADMIN_EN),
        Reason.INCOMPLETE: Advice(
            "The request is incomplete.", "Open the link in your course; do not type its address."
        ),
        Reason.PLATFORM_SAID_NO: Advice(
            "Your platform refused the log-in.", "Log in to your platform first, then open the assistant."
        ),
        Reason.UNKNOWN_STATE: Advice("This launch was used already, or has expired.", _AGAIN_EN),
        Reason.OTHER_BROWSER: Advice(
            "Your browser did not keep this log-in, perhaps because it blocks third-party cookies.",
            "Allow cookies for this page, or let your platform open it in a new window, and try again.",
        ),
        Reason.KEYS_UNREACHABLE: Advice(
            "The public keys of your platform cannot be fetched now.", "Try again in a few minutes."
        ),
        Reason.UNKNOWN_KEY: Advice("Your platform used a key that we do not know.", _AGAIN_EN),
        Reason.BAD_SIGNATURE: Advice("The signature of your platform is not valid.", _AGAIN_EN),
        Reason.WRONG_ISSUER: Advice("It was not signed by the platform that is registered.", _ADMIN_EN),
        Reason.WRONG_AUDIENCE: Advice("This launch is meant for another tool.", _ADMIN_EN),
        Reason.WRONG_TIME: Advice("This launch has expired, or the clocks of both sides differ.", _AGAIN_EN),
        Reason.WRONG_NONCE: Advice("This launch was used already.", _AGAIN_EN),
        Reason.WRONG_DEPLOYMENT: Advice("This deployment of the tool is not registered.", _ADMIN_EN),
        Reason.WRONG_CLAIMS: Advice(
            "Your platform left out something that is needed, such as the user or the course.", _ADMIN_EN
        ),
        Reason.NOT_CONNECTED: Advice(
            "This course is not connected to the assistant yet.",
            "Tell your instructor: the first to open it must be an instructor, who connects the course.",
        ),
        Reason.NOT_INSTRUCTOR: Advice(
            "Only instructors may do this.", "Open the assistant's link in your course."
        ),
        Reason.WRONG_KEY: Advice(
            "This is no valid instructor's key.", "Open this again from your platform and give the key."
        ),
        Reason.EXPIRED: Advice("Your visit has ended.", "Open the assistant again from your course."),
    },
}
