"""What a piece of small talk is about, by its words."""

from __future__ import annotations

import re
from enum import StrEnum

from vta.text import normalise


class TalkKind(StrEnum):
    """The kinds of small talk that get replies of their own."""

    LONELY = "lonely"
    FRUSTRATION = "frustration"
    WEARY = "weary"
    INSULT = "insult"
    GOODBYE = "goodbye"
    THANKS = "thanks"
    IDENTITY = "identity"
    JOY = "joy"
    GREETING = "greeting"
    PRAISE = "praise"
    ASSENT = "assent"
    FEELING = "feeling"
    DEFAULT = "default"


_KINDS = (
    (
        TalkKind.LONELY,
        re.compile(
            r"孤独|孤单|寂寞|没人(?:喜欢|理|懂|爱)|没有朋友|想家|失恋|分手|"
            r"\b(?:lonely|homesick|heartbroken)\b|\bno ?(?:body|one) (?:likes|loves|understands) me\b|"
            r"\bbroke up with\b|"
            r"\bmiss my (?:family|home|mom|friends)\b"
        ),
    ),
    (
        TalkKind.FRUSTRATION,
        re.compile(
            r"气死|烦死|好烦|真烦|无语|什么破|服了|讨厌这|"
            r"\b(?:frustrat|annoy|confusing|fed up|furious)|\bhate (?:this|it|my|the|coding|java|math|"
            r"mondays)\b|"
            r"\b(?:so|really) (?:mad|angry)\b"
        ),
    ),
    (
        TalkKind.WEARY,
        re.compile(
            r"好累|很累|太累|累死|累了|疲惫|压力|焦虑|崩溃|撑不住|坚持不下去|学不会|学不下去|听不懂|"
            r"好难|太难|"
            r"不想学|想放弃|想哭|难过|郁闷|沮丧|失落|失眠|熬夜|挂科|心情不好|我(?:真|好|太|很)笨|"
            r"\b(?:so|really|very|too) (?:tired|hard|sad)\b|"
            r"\b(?:i'?m|i am|feel(?:ing)?) (?:so |really |very )?(?:behind|tired|sad|down|lost|"
            r"stuck|stupid)\b|"
            r"\b(?:exhaust|stress|anxious|anxiety|overwhelm|discourag|depress|burn(?:ed|"
            r"t) out|hopeless)|"
            r"\bgiv(?:e|ing) up\b|\bcan'?t do this\b|\bkilling me\b|\btoo difficult\b"
        ),
    ),
    (
        TalkKind.INSULT,
        re.compile(
            r"傻|白痴|智障|垃圾|笨蛋|蠢|废物|滚(?!动|雪|筒)|没用|闭嘴|去死|讨厌你|有病|"
            r"\b(?:stupid|idiot|dumb|useless|rubbish|garbage|moron|hate you|shut up|suck|trash)"
        ),
    ),
    (
        TalkKind.GOODBYE,
        re.compile(
            r"再见|拜拜|回头见|下次见|晚安|先走了|下线了|\b(?:good ?bye|bye|see you|good ?night|farewell)\b"
        ),
    ),
    (
        TalkKind.THANKS,
        re.compile(r"谢|感激|多亏|辛苦了|3q|\b(?:thanks|thank|thx|ty|tysm|cheers|appreciated?|grateful)\b"),
    ),
    (
        TalkKind.IDENTITY,
        re.compile(
            r"你是谁|你叫什么|你是什么|你是(?:不是)?(?:机器人|真人|人|ai)|你的名字|你会(?:做)?什么|"
            r"你能(?:做|干)什么|"
            r"介绍一下(?:你)?自己|\bwho are you\b|\bwhat are you\b|\byour name\b|\bwhat can you do\b|"
            r"你是(?:不是)?.{0,4}(?:gpt|文心|通义|豆包|deepseek|siri|人工智能)|"
            r"\bare you (?:a |an )?(?:human|robot|bot|chatbot|ai|real|person|machine|program)\b|"
            r"\bare you (?:chat ?gpt|gpt|siri|alexa|claude|gemini|copilot|deepseek|an? llm)"
        ),
    ),
    (
        TalkKind.JOY,
        re.compile(
            r"开心|(?<!很)高兴|激动|太好了|我过了|通过了|满分|搞懂了|终于(?:懂|会|对|考完)|"
            r"\b(?:so|really|very) (?:happy|excited|proud|glad)\b|\bi(?:'m| am) (?:happy|excited|proud)\b|"
            r"\b(?:yay|woo+hoo+|hooray)\b|\bi (?:passed|did it|made it|got an a)\b|\bit works\b|\bbest day\b"
        ),
    ),
    (
        TalkKind.PRAISE,
        re.compile(
            r"[你讲答说课][得的]?(?:可真|真|太|好|很|挺|最)(?:的)?(?:厉害|聪明|可爱|棒|牛|逗|好|强|有用|"
            r"贴心|不错|清楚)|"
            r"喜欢你|爱你|点赞|好棒|太棒|厉害了|"
            r"\b(?:you(?:'re| are)|that(?:'s| is| was)|this (?:is|was)) (?:so |really |very |pretty |"
            r"just |the |an? )*"
            r"(?:great|good|awesome|amazing|brilliant|smart|clever|funny|cute|cool|nice|best|helpful|"
            r"perfect|wonderful|sweet)\b|"
            r"\b(?:good|great|nice|awesome|amazing|wonderful|loved this|love this) "
            r"(?:job|work|answer|lecture|one|course|video|teacher|class)\b|\bwell done\b|\bi (?:love|"
            r"like) you\b"
        ),
    ),
    (
        TalkKind.GREETING,
        re.compile(
            r"你好|您好|大家好|哈喽|哈啰|嗨|早上好|早安|上午好|下午好|晚上好|在吗|在么|"
            r"有人吗|在不在|早$|\b(?:hello|hi|hiya|hey|yo|greetings|good (?:morning|afternoon|evening)|"
            r"howdy)\b|"
            r"\bhow are you\b|\bwhat'?s up\b"
        ),
    ),
    (
        TalkKind.ASSENT,
        re.compile(
            r"^(?:[\W_]*(?:好的?|好嘞|好吧|行吧?|嗯|哦|哈|懂了|明白了?|知道了|收到|原来如此|原来是这样啊?|"
            r"ok|okay|okey|k|cool|lol|lmao|ha|got it|gotcha|i see|alright|right|fine|sure|yes|yep|yeah|"
            r"wow|nice|then|"
            r"makes sense|understood|good|perfect|great))+[\W_]*$"
        ),
    ),
)


def talk_kind(text: str, *, emotional: bool) -> TalkKind:
    """The kind of a text; `emotional` decides where no words do."""
    plain = normalise(text)
    for kind, pattern in _KINDS:
        if pattern.search(plain):
            return kind
    return TalkKind.FEELING if emotional else TalkKind.DEFAULT
