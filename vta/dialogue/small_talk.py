"""Chit-chat: small talk that is warm, honest about being a program, and leads back to the course."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum

from prompts.budget import PROMPT_TOKENS, Pieces, fit
from prompts.primers import TALK_PRIMERS, render_primers
from prompts.render import escape_history, quote_candidates, render
from vta.text import normalise
from vta.types import Candidate, ChatMessage, Course, IntentLabel, IntentPrediction, Language


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


_TALK = (
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
    for kind, pattern in _TALK:
        if pattern.search(plain):
            return kind
    return TalkKind.FEELING if emotional else TalkKind.DEFAULT


class TaskKind(StrEnum):
    """The kinds of tasks that get a sentence of their own."""

    HOMEWORK = "homework"
    OTHERS = "others"
    WEATHER = "weather"
    TRANSLATION = "translation"
    ENTERTAINMENT = "entertainment"
    ANY = "task"


_TASKS = (
    (
        TaskKind.HOMEWORK,
        re.compile(
            r"作业|作文|论文|报告|代(?:做|写|考)|刷课|挂视频|(?:考试|测验|习题|题)的?答案|"
            r"\b(?:homework|home work|assignments?|essay|problem set|term paper|lab report|the (?:exam|"
            r"quiz|test))\b|"
            r"\b(?:all|give me|send me) the (?:answers|solutions)\b|\bhand (?:it|them) in\b|\bsubmit it\b"
        ),
    ),
    (
        TaskKind.OTHERS,
        re.compile(
            r"(?:同学|同桌|别人|他人|其他(?:人|学生)|老师|学生|隔壁|班里).{0,8}"
            r"(?:成绩|分数|手机|电话|微信|学号|地址|住|名单|答案|作业|挂科|考了)|(?:手机号|身份证|"
            r"微信)(?:号|是)?多少|谁考了|(?<!我)考了多少分|"
            r"\b(?:other|another|classmates?'?s?|students?'?s?|professor'?s?|teacher'?s?|girl|boy)\b.{0,24}"
            r"\b(?:grades?|scores?|answers?|submissions?|emails?|phone|address|questions)\b|"
            r"\b(?:phone number|home address)\b|\bwhat (?:grade|score|mark) did\b|\bwho (?:failed|"
            r"got the best)\b"
        ),
    ),
    (
        TaskKind.TRANSLATION,
        re.compile(
            r"翻译|翻成|译成|[英日法德韩俄]语|[英日法德韩俄]文|\btranslat|\bhow (?:do|would) (?:you|i|"
            r"they) say\b|"
            r"\b(?:in|to|into|from) (?:english|chinese|german|french|spanish|italian|japanese|korean|"
            r"russian|arabic|"
            r"hindi|portuguese|turkish|greek|polish|dutch|swedish|thai|latin|hebrew)\b"
        ),
    ),
    (
        TaskKind.WEATHER,
        re.compile(
            r"天气|下雨|下雪|带伞|几度|气温|温度|刮风|风大|晴|冷不冷|热不热|"
            r"\b(?:weather|forecast|umbrella|rain(?:ing|y)?|snow(?:ing)?|sunny|temperature|humidity|"
            r"celsius|fahrenheit)\b"
        ),
    ),
    (
        TaskKind.ENTERTAINMENT,
        re.compile(
            r"笑话|段子|故事|唱|歌|诗|猜谜|谜语|成语接龙|下棋|游戏|电影|小说|运势|算命|"
            r"\b(?:jokes?|sing|songs?|music|poem|haiku|story|tale|play|game|movie|series|horoscope)\b"
        ),
    ),
)


def task_kind(text: str) -> TaskKind:
    """The first kind whose words occur; `ANY` where none do."""
    plain = normalise(text)
    return next((kind for kind, pattern in _TASKS if pattern.search(plain)), TaskKind.ANY)


HELP_LINES = {
    Language.ZH: "全国统一心理援助热线 12356；紧急情况请拨打 120 或 110",
    Language.EN: "988 in the US and Canada, 116 123 (Samaritans) in the UK and Ireland, or findahelpline.com "
    "elsewhere; in an emergency, your local emergency number",
}
"""Where help is to be found, unless the school names its own."""
_COMFORT = {
    Language.ZH: "别着急，在这里卡住很正常，我们一步一步来。",
    Language.EN: "Take your time: getting stuck here is normal, and we go step by step.",
}


class CaringChitChat:
    """Small talk with a language model or without one."""

    def __init__(
        self, *, budget: int = PROMPT_TOKENS, help_lines: Mapping[Language, str] = HELP_LINES
    ) -> None:
        """`budget` is the tokens that the messages of a prompt may have together, as estimated."""
        self._budget = budget
        self._help_lines = help_lines

    def care(self, language: Language) -> str:
        return str(render(f"chit_chat/care.{language}.j2", help_line=self._help_lines[language]))

    def comfort(self, text: str, language: Language) -> str:
        is_upset = talk_kind(text, emotional=False) in (TalkKind.WEARY, TalkKind.FRUSTRATION)
        return _COMFORT[language] if is_upset else ""

    def prompt(
        self,
        question: str,
        *,
        course: Course,
        intent: IntentPrediction,
        knowledge: Sequence[Candidate],
        history: Sequence[ChatMessage],
        language: Language,
    ) -> tuple[ChatMessage, ...]:
        """System message, history, and one user message with the knowledge as quoted data.

        What exceeds the budget is dropped whole: the lowest ranked knowledge first, then the oldest turns.
        """
        system = render(
            f"chit_chat/system.{language}.j2",
            primers=render_primers(language, primers=TALK_PRIMERS),
            course=course.name,
            emotional=intent.label is IntentLabel.EMOTIONAL_CHAT,
        )

        def render_messages(kept: Pieces) -> tuple[ChatMessage, ...]:
            documents = tuple(kept.documents.values())
            user = render(f"chit_chat/prompt.{language}.j2", documents=documents, question=question)
            return (
                ChatMessage(role="system", content=str(system)),
                *kept.history,
                ChatMessage(role="user", content=str(user)),
            )

        pieces = Pieces(documents=quote_candidates(knowledge), history=escape_history(history))
        return fit(pieces, render_messages, budget=self._budget)[1]

    def reply(
        self,
        question: str,
        *,
        course: Course,
        intent: IntentPrediction,
        language: Language,
    ) -> str:
        """Plain text, the same for the same question; no fact of the course but its name."""
        kind = reply_kind(question, intent)
        replies = render(f"chit_chat/replies.{language}.j2", kind=kind, course=course.name).splitlines()
        digest = hashlib.sha256(normalise(question).encode()).digest()
        return replies[int.from_bytes(digest[:4]) % len(replies)]


def reply_kind(text: str, intent: IntentPrediction) -> TalkKind | TaskKind:
    """What a reply answers: a task that is not the course's where the intent says so and the words name it or
    name nothing else, otherwise the kind of talk.
    """
    talk = talk_kind(text, emotional=intent.label is IntentLabel.EMOTIONAL_CHAT)
    if not intent.is_other_task:
        return talk
    task = task_kind(text)
    return task if task is not TaskKind.ANY or talk in (TalkKind.DEFAULT, TalkKind.FEELING) else talk
