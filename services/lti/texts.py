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
        "window": "请在新窗口中打开课程助教",
        "window_help": "您的浏览器不允许嵌入的助教保存登录信息，在独立窗口中即可使用。请不要关闭本页面。",
        "window_button": "在新窗口中打开",
        "window_opened": "已在新窗口中打开。",
        "welcome": "课程助教",
        "connected": "这门课程已连接到",
        "open_console": "打开教师控制台（新窗口）",
        "open_as_student": "以学生身份查看",
        "once": "按钮仅可使用一次，30 分钟内有效；之后请从课程平台重新打开。",
        "connect": "连接这门课程",
        "connect_help": "这门课程尚未连接。请输入助教系统中对应课程的教师密钥（以 vta_ 开头，"
        "由管理员生成）。",
        "key": "课程教师密钥",
        "connect_button": "连接",
        "description": "学生在课程页面提问，助教根据课程资料回答并注明出处。",
        "registered": "课程助教已登记",
        "registered_help": "现在可以关闭本窗口，并在平台中启用这个工具。",
        "manual": "手动登记课程助教",
        "manual_help": "请在课程平台中新建一个 LTI 1.3 工具，并填写以下网址：",
        "manual_launch": "工具网址、重定向网址；支持深度链接时也是内容选择网址",
        "manual_login": "登录发起网址",
        "manual_jwks": "公钥集网址",
        "manual_then": "填好后，把平台显示的平台 ID、客户端 ID、部署 ID、登录网址和公钥集网址"
        "交给助教系统的管理员。如果要自动登记，请向管理员索取登记链接（vta lti invite）。",
        "invitation_ended": "这个登记链接已使用过或已过期。",
        "registration_failed": "未能自动登记，链接仍可使用。",
        "copy_address": "复制",
        "copied": "已复制",
        "add": "添加课程助教",
        "add_help": "将在课程中添加助教链接。",
        "add_button": "添加链接",
        "part": "链接到",
        "whole_course": "整门课程",
        "part_help": "选定某一部分后，学生问“这里”“这一页”时，助教会先从这部分回答。",
        "hints": "先给提示，不直接给出答案（学生可以关闭）",
        "shared": "这门课程由管理员开放给整个平台；控制台只对连接了本课程的老师开放。",
        "wrong_key": "教师密钥无效，请重新输入。",
        "back": "返回课程平台",
    },
    Language.EN: {
        "assistant": "Teaching assistant",
        "refused": "The teaching assistant cannot be opened",
        "code": "Code",
        "wait": "Opening the teaching assistant …",
        "go_on": "Continue",
        "window": "Open the teaching assistant in a new window",
        "window_help": "Your browser keeps no login for the assistant inside your course page. In a window "
        "of its own it works. Leave this page open.",
        "window_button": "Open in a new window",
        "window_opened": "Opened in a new window.",
        "welcome": "Teaching assistant",
        "connected": "This course is connected to",
        "open_console": "Open the console (new window)",
        "open_as_student": "View as a student",
        "once": "The button works once, within 30 minutes. After that, reopen this page from your platform.",
        "connect": "Connect this course",
        "connect_help": "This course is not connected yet. Enter the course's instructor key, which starts "
        "with vta_; your admin can create one.",
        "key": "Instructor key",
        "connect_button": "Connect",
        "description": "Students ask in the course; answers come from its material and name their sources.",
        "registered": "The teaching assistant is registered",
        "registered_help": "You can close this window now, and activate the tool on your platform.",
        "manual": "Register the teaching assistant by hand",
        "manual_help": "On your platform, add an LTI 1.3 tool with these addresses:",
        "manual_launch": "Tool URL, redirection URI and, with deep linking, content selection URL",
        "manual_login": "Initiate login URL",
        "manual_jwks": "Public keyset URL",
        "manual_then": "Then give the assistant's admin the platform ID, client ID, deployment ID, "
        "authentication request URL and public keyset URL that your platform shows. "
        "For a registration without typing, ask them for a registration link (vta lti invite).",
        "invitation_ended": "This registration link has expired or was already used.",
        "registration_failed": "The registration failed. The link can still be used.",
        "copy_address": "Copy",
        "copied": "Copied",
        "add": "Add the teaching assistant",
        "add_help": "This adds a link to the assistant to your course.",
        "add_button": "Add the link",
        "part": "The link leads to",
        "whole_course": "The whole course",
        "part_help": "With a part chosen, questions about “here” are answered from that part first.",
        "hints": "Hints first instead of full answers (students can switch this off)",
        "shared": "Your admin shared this course with the whole platform. Its console is for instructors "
        "whose course is connected to it.",
        "wrong_key": "This instructor key is not valid. Try again.",
        "back": "Back to your course platform",
    },
}

_AGAIN_ZH = "请回到课程平台重新打开；如果问题仍在，请把下面的代码告诉平台管理员。"
_AGAIN_EN = "Reopen it from your course. If that does not help, give your admin the code below."
_ADMIN_ZH = "请把下面的代码告诉平台管理员。"
_ADMIN_EN = "Give your platform's admin the code below."

ADVICE: Mapping[Language, Mapping[Reason, Advice]] = {
    Language.ZH: {
        Reason.UNKNOWN_PLATFORM: Advice("这个平台尚未在助教系统中登记。", _ADMIN_ZH),
        Reason.INCOMPLETE: Advice("请求不完整。", "请从课程平台中的链接打开，不要直接输入网址。"),
        Reason.PLATFORM_SAID_NO: Advice("课程平台拒绝了登录。", "请先登录课程平台，再打开助教。"),
        Reason.UNKNOWN_STATE: Advice("本次启动已使用过或已过期。", _AGAIN_ZH),
        Reason.OTHER_BROWSER: Advice(
            "浏览器没有保存登录信息，可能是禁用了第三方 Cookie。",
            "请回到课程平台重新打开；如果问题仍在，请允许本页面使用 Cookie，"
            "或请老师在平台中设为“在新窗口打开”。",
        ),
        Reason.KEYS_UNREACHABLE: Advice("暂时无法获取课程平台的公钥。", "请几分钟后重试。"),
        Reason.UNKNOWN_KEY: Advice("课程平台使用了未知的密钥。", _AGAIN_ZH),
        Reason.BAD_SIGNATURE: Advice("课程平台的签名无效。", _AGAIN_ZH),
        Reason.WRONG_ISSUER: Advice("签名方不是已登记的平台。", _ADMIN_ZH),
        Reason.WRONG_AUDIENCE: Advice("本次启动属于另一个工具。", _ADMIN_ZH),
        Reason.WRONG_TIME: Advice("本次启动已过期，或双方的时钟不一致。", _AGAIN_ZH),
        Reason.WRONG_NONCE: Advice("本次启动已使用过。", _AGAIN_ZH),
        Reason.WRONG_DEPLOYMENT: Advice("工具的这个部署尚未登记。", _ADMIN_ZH),
        Reason.WRONG_CLAIMS: Advice("课程平台没有提供必要的信息（例如用户或课程）。", _ADMIN_ZH),
        Reason.NOT_CONNECTED: Advice(
            "这门课程尚未连接助教。", "请联系您的老师：首次须由老师打开并连接课程。"
        ),
        Reason.NOT_INSTRUCTOR: Advice("只有老师可以执行此操作。", "请从课程中的助教链接打开。"),
        Reason.WRONG_KEY: Advice("教师密钥无效。", "请从课程平台重新打开，再次输入密钥。"),
        Reason.EXPIRED: Advice("本次访问已结束。", "请回到课程平台重新打开助教。"),
    },
    Language.EN: {
        Reason.UNKNOWN_PLATFORM: Advice("This platform is not registered with the assistant.", _ADMIN_EN),
        Reason.INCOMPLETE: Advice(
            "The request is incomplete.", "Open the assistant from the link in your course."
        ),
        Reason.PLATFORM_SAID_NO: Advice(
            "Your platform refused the login.", "Log in to your platform first, then open the assistant."
        ),
        Reason.UNKNOWN_STATE: Advice("This launch has expired or was already used.", _AGAIN_EN),
        Reason.OTHER_BROWSER: Advice(
            "Your browser did not keep this login. It may be blocking third-party cookies.",
            "Reopen it from your course. If that does not help, allow cookies for this page, or ask your "
            "instructor to let it open in a new window.",
        ),
        Reason.KEYS_UNREACHABLE: Advice(
            "Your platform's public keys cannot be fetched right now.", "Try again in a few minutes."
        ),
        Reason.UNKNOWN_KEY: Advice("Your platform used an unknown key.", _AGAIN_EN),
        Reason.BAD_SIGNATURE: Advice("Your platform's signature is not valid.", _AGAIN_EN),
        Reason.WRONG_ISSUER: Advice("It was not signed by the registered platform.", _ADMIN_EN),
        Reason.WRONG_AUDIENCE: Advice("This launch is meant for another tool.", _ADMIN_EN),
        Reason.WRONG_TIME: Advice("This launch has expired, or the two servers' clocks differ.", _AGAIN_EN),
        Reason.WRONG_NONCE: Advice("This launch was already used.", _AGAIN_EN),
        Reason.WRONG_DEPLOYMENT: Advice("This deployment of the tool is not registered.", _ADMIN_EN),
        Reason.WRONG_CLAIMS: Advice(
            "Your platform left out required information, such as the user or the course.", _ADMIN_EN
        ),
        Reason.NOT_CONNECTED: Advice(
            "This course is not connected to the assistant yet.",
            "Ask your instructor to open it first and connect the course.",
        ),
        Reason.NOT_INSTRUCTOR: Advice(
            "Only instructors can do this.", "Open the assistant from the link in your course."
        ),
        Reason.WRONG_KEY: Advice(
            "This instructor key is not valid.", "Reopen this from your platform and enter the key again."
        ),
        Reason.EXPIRED: Advice("Your session has ended.", "Reopen the assistant from your course."),
    },
}
