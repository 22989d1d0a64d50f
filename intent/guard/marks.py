"""What a text asks of whom: its structure, where n-grams see no further than four characters."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from vta.text import HAN

_ORDERS = (
    r"(?:instructions?|prompts?|rules|guidelines?|directives?|restrictions|constraints|polic(?:y|"
    r"ies)|commands|"
    r"orders|safety|programming|training|directions|filters?|safeguards|boundaries|limitations)"
)
_ORDERS_ZH = (
    "(?:指令|指示|提示词|提示语|提示|规则|规定|设定|设置|要求|限制|约束|命令|系统消息|准则|指引|说明|"
    "政策|原则)"
)
_NEAR_ZH = "[^。？！.?!]{0,14}"

_HAN = re.compile(f"[{HAN}]")


_PATTERNS = {
    name: (re.compile("|".join(filter(str.isascii, patterns))), re.compile("|".join(patterns)))
    for name, patterns in {
        "sets its orders aside": (
            r"\b(?:ignor|disregard|forget|overrid|bypass|cancel|discard|drop|skip|stop follow|"
            r"not follow|remov|"
            rf"turn off|disabl|break|violat)\w*(?: [\w'-]+){{0,5}}? {_ORDERS}\b",
            "(?:忽略|忽视|无视|忘记|忘掉|不要理会|不必理会|不用理|不再遵守|停止遵守|不要遵守|取消|解除|撤销|绕过|"
            f"跳过|覆盖|违反|作废|抛开|丢掉|失效){_NEAR_ZH}{_ORDERS_ZH}",
            f"{_ORDERS_ZH}{_NEAR_ZH}(?:作废|失效|取消|解除|不算|当作没有|无效)",
        ),
        "shows its orders": (
            r"\b(?:print|repeat|show|reveal|output|display|tell|give|write|list|copy|recite|"
            r"translate|summari[sz]e|"
            r"paste|leak|share|provide|quote|spell|dump|return|what)\w*\b(?: [\w'\"-]+){0,6}? "
            r"(?:system|initial|hidden|original|your|secret|above|internal|previous) (?:[\w'-]+ ){0,2}?"
            r"(?:prompt|instruction|message|rules|guideline|text|words|configuration|everything)",
            "(?:输出|打印|显示|告诉|复述|重复|贴出|列出|翻译|总结|展示|泄露|透露|公开|发给|写出|念|抄|看看|粘贴|"
            f"复制){_NEAR_ZH}(?:提示词|系统提示|系统消息|指令|设定|内部|隐藏|对话开始|最上面|初始|开头)",
            f"(?:提示词|系统提示|系统消息|隐藏|初始设定|内部规则){_NEAR_ZH}"
            "(?:输出|打印|显示|告诉|复述|贴出|列出|翻译|总结|展示|发给|写出|原样|照抄|给我)",
        ),
        "gives it another role": (
            r"\b(?:you are now|you're now|you will (?:now )?(?:act|be|play|take)|from now on,? you|act as|"
            r"pretend (?:to be|that you|you)|role-?play|role play|persona|take on the role|"
            r"play the role|simulat\w+|"
            r"imagine you|you are going to|stay in character|character)\b",
            "你现在(?:是|不是)|扮演|从现在(?:起|开始)|假装你|假设你是|你将(?:作为|是|成为)|充当|你的角色|角色设定|"
            "进入.{0,8}模式|切换.{0,6}(?:身份|模式)",
        ),
        "lifts its limits": (
            r"\b(?:no|without|free (?:of|from)|not (?:bound|restrained|limited|constrained|"
            r"restricted)|any|zero|"
            r"ignor\w+|regardless of|lacks?|removed?)(?: (?:by|of|any|all|the|its|your|moral|"
            r"ethical|legal|or|and))* "
            r"(?:restrictions?|limits?|limitations?|filters?|rules|morals?|morality|ethics|ethical|"
            r"censorship|"
            r"guidelines|boundaries|constraints|policies|refusals?|legality|consequences)\b",
            r"\b(?:uncensored|unfiltered|unrestricted|unethical|amoral|immoral|jailbr\w+|"
            r"do anything|broken free|"
            r"never (?:refuse|say no|decline)|(?:can ?not|can't|must not|don't|do not) (?:refuse|"
            r"decline|say no))",
            "不受[^。？！]{0,12}(?:限制|约束|束缚|管)|没有[^。？！]{0,6}(?:限制|约束|规则|道德|底线|审查)",
            "无(?:任何)?(?:限制|约束)|越狱|(?:不要|不能|不得|不会|永不|绝不|从不)拒绝|无视(?:道德|法律|伦理)",
            "不(?:必|需|用)(?:考虑|遵守|顾)[^。？！]{0,10}(?:道德|法律|规|后果|伦理)",
        ),
        "claims authority": (
            r"\bi(?: a|')m (?:the|your|an?|one of the) (?:[\w-]+ )?(?:admin\w*|developer|owner|"
            r"creator|engineer|"
            r"instructor|teacher|professor|root|operator|supervisor|maintainer|ta|auditor)\b",
            r"\b(?:developer|debug|admin(?:istrator)?|maintenance|sudo|god) mode\b",
            "authori[sz]ed|privilege",
            r"\bas (?:the|an?|your) (?:admin\w*|developer|instructor|system|owner)\b",
            "我(?:就)?是(?:你的|本课程的|这门课的|系统|平台)?(?:管理员|开发者|开发人员|老师|教师|任课教师|运维|"
            "工程师|创建者|教授|助教|超级用户)|授权|最高权限|管理员权限|提升.{0,6}权限",
            "(?:开发者|管理员|调试|维护|上帝|超级|测试|审计)模式",
        ),
        "asks for harm": (
            r"\b(?:illegal\w*|harmful|hack\w*|malware|phishing|bomb|drugs?|weapons?|explosives?|"
            r"violence|hate|kill|"
            r"steal|exploit|ransom\w*|profanity|nsfw|offensive|swear\w*|curs\w+)\b",
            "非法|违法|炸弹|毒品|黑客|木马|诈骗|暴力|歧视|杀|仇恨|辱骂|脏话|色情|犯罪",
        ),
        "plays a dialogue": (
            r"(?:^|\W)(?:user|human|assistant|system|ai|bot|student|teacher|gpt|dan|q|a) ?:",
            r"<\|?\w+\|?>|\[/?\w+\]|###|----|====|\"\"\"|```",
            "(?:用户|系统|助手|助教|管理员|回答|学生) ?:",
        ),
    }.items()
}


MARKS = tuple(_PATTERNS)


def mark(plain: str) -> NDArray[np.float64]:
    """1 for each of `MARKS` that a text in the guard's form bears, else 0.

    Chinese patterns hold Chinese characters, so a text without any is spared them.
    """
    has_han = _HAN.search(plain) is not None
    return np.array([each[has_han].search(plain) is not None for each in _PATTERNS.values()], np.float64)
