"""Questions about how a course is run, which take no subject from the conversation."""

from __future__ import annotations

import re

_ORGANISATION = re.compile(
    r"作业|考试|考核|期末|期中|补考|请假|签到|证书|成绩|分数|学分|课件|视频|字幕|讲义|截止|提交|报名|"
    r"选课|退课|"
    r"课程|这门课|这节课|上课|下课|直播|助教|讨论区|登录|密码|教材|平台|"
    r"\b(?:exams?|midterm|finals?|homework|assignments?|deadlines?|due|grad(?:e|es|ed|ing)|"
    r"certificates?|credits?|"
    r"slides?|lectures?|videos?|syllabus|enrol\w*|register|course|class|quiz(?:zes)?|submit|hand in|"
    r"password|log ?in|"
    r"textbook|office hours?|platform|ta|workload|(?:per|a|each|every) week)\b",
    re.IGNORECASE,
)


def is_about_organisation(text: str) -> bool:
    """Whether a text speaks of exams, homework, certificates, lectures and the like, in either language."""
    return _ORGANISATION.search(text) is not None
