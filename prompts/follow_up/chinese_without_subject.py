"""Chinese questions that leave their subject out: "可以撤回吗？", "和红黑树比哪个好？", "越小越好吗？"."""

from __future__ import annotations

import re

from prompts.follow_up.organisation import is_about_organisation
from prompts.follow_up.subject import is_attribute, is_side

_END = r"(?:呢|吗|么|啊|呀|吧|嘛)?[？?。！!…\s]*$"
_PERSON = re.compile(r"[我你您]|同学|大家")
_HOW = r"(?:怎么|如何|怎样)"
_SIDE_ASKED = re.compile(
    r"^(?:都|还|又|一般|通常)?(?:有|存在)(?:什么|哪些|没有|何|哪几种)(?P<side>[^，,。？?的]{1,8}?)" + _END
)
_OF_SIDE = re.compile(
    r"^(?P<side>[^，,。？?的]{2,8}?)(?:是(?:什么|谁|多少|多大)|有多[大高快]|(?:应该|该)?怎么(?:算|求|"
    r"计算|写|证明)|如何计算|高吗|大吗|怎么样|"
    r"有哪些|分别是什么|在哪里?)" + _END
)
_PREDICATES = re.compile(
    r"^(?:"
    rf"(?:应?该|要|又|都)?{_HOW}(?:才能|去|来)?[^，,。？?的一办样]{1, 2}|"
    rf"(?:应?该|要)?{_HOW}(?:实现|使用|计算|证明|推导|应用|解决|判断|优化|初始化|遍历|插入|删除|查找|定义|表示)(?:元素|结点|节点|数据)?的?|"
    r"(?:可以|能)?(?:用来|用于)(?:做|干)什么|(?:一般|主要|通常)?(?:用|应用)(?:在|于)(?:哪里|哪些地方|"
    r"哪些方面|什么地方)|"
    r"是?(?:谁|什么时候|何时|哪一?年|在?哪(?:里|儿|个国家)|怎么|如何)[^，,。？?的]{1,6}(?:的|来)|"
    r"(?:一定|真的|到底|通常|一般|只|也|还)?(?:可以|能够?|能不能|可不可以|会|会不会|要不要|需要|"
    r"需不需要|必须|适合|属于|包括)"
    r"(?:[^，,。？?的]{1,8}吗|(?:哪些|什么|多少|几)[^，,。？?的]{0,6})|"
    r"(?:会不会|能不能|可不可以|要不要|需不需要|是不是|有没有)[^，,。？?的]{1,6}|"
    r"为(?:什么|何)(?:要|会|不|能|可以|需要|必须|叫|这么|这样|那么|得|一定)[^，,。？?的]{1,3}|"
    r"(?:是不是)?越[^，,。]{1,3}越[^，,。]{1,3}|"
    r"在[^，,。？?]{1,8}(?:里|中|上|下|内|方面|领域|时候?)(?:怎么|如何|有什么|有哪些|是什么|会|能|可以|"
    r"也|叫)[^，,。？?]{0,6}"
    r")" + _END
)
_BESIDE = re.compile(
    r"^(?:(?:和|跟|与(?!其)|同|比|相比)[^，,。？?]{1,14}(?:区别|不同|关系|联系|相?比|区分|差别|差异|"
    r"一样|相同|相似|有关|相关|像|[快慢好大小高低强弱])"
    r"|对(?!于)[^，,。？?]{1,10}(?:影响|作用|意义|帮助|好处|坏处|危害|要求|有效|有用|适用|成立|"
    r"敏感))[^，,。？?]{0,8}[？?。]*$"
)
_WHICH = re.compile(
    r"^(?:谁|哪(?:一?[个种]|边))(?=更|比较|最|需要|能|会|可以|[好快慢大小高低强弱先后]|是|有|用|占|"
    r"适合|在)[^，,。？?的]{1,10}" + _END + r"|"
    r"^(?:(?:那|我|一般|到底|分别|各自)*(?:什么|啥)(?:时候|情况下?|场景)|(?:那|我|一般|到底|该|应该)*(?:怎么)?)"
    r"(?:该|应该)?(?:用|选|学|挑|要)(?:哪一?[个种]|谁|它们?)(?:更?好|更?快|合适)?(?:一?[点些])?" + _END
)
_BY_WHAT = re.compile(
    r"^(?:一般|通常|都|应该|要|分别|各自)*(?:是)?(?:用|靠|拿|通过)(?:什么|哪一?[种个]|啥)[^，,。？?的]{0,6}"
    r"(?:来|去)?(?:实现|存|存储|表示|做|算|计算|解决|完成|求)的?" + _END
)
_SUPPOSING = re.compile(
    r"^(?:(?:如果|假如|要是|万一|若)[^，,。？?]{1,14}，?(?:怎么办|会?怎么?样|会如何|行吗|可以吗|呢|"
    r"会发生什么)"
    r"|(?:如果|要是)?(?:换成|改成|改为|换作|去掉|反过来)[^，,。？?]{0,12}"
    r"|[^，,。？?]{1,8}也(?:是|会|能)?(?:一样|这样|如此|同理)|怎么办)" + _END
)


def add_subject(asked: str, *, one: str, several: tuple[str, ...], mentioned: tuple[str, ...]) -> str | None:
    """The question with its subject before it; the question itself where only the last one can complete it.

    `one` is what the last turn was about, `several` the two or more things that "which" chooses from. None
    where the question has a subject, is about the organisation of the course, or speaks of a person.
    """
    if _WHICH.match(asked) and not mentioned:
        return "和".join(several) + asked if len(several) > 1 else None
    if _PERSON.search(asked) or is_about_organisation(asked):
        return None
    if _BY_WHAT.match(asked) or _BESIDE.match(asked):
        return f"{one}{asked}" if one else asked
    if mentioned:
        return None
    if _SUPPOSING.match(asked):
        return asked
    if (side := _SIDE_ASKED.match(asked)) and not _is_any_side(side["side"]):
        return None
    if side or _PREDICATES.match(asked):
        return f"{one}{asked}" if one else asked
    if (side := _OF_SIDE.match(asked)) and _is_any_side(side["side"]):
        return f"{one}的{asked}" if one else asked
    return None


def _is_any_side(noun: str) -> bool:
    return noun == "用" or is_attribute(noun) or is_side(noun)
