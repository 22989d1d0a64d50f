"""Speech is cut where its topic turns."""

import pytest

from knowledge.chunking import LONGEST_SPEECH, split
from knowledge.sources.subtitles import MOST_SENTENCES, part_topics, read_subtitles, spoken_length
from vta.types import Course, CourseId, Language

STACK = ["we push on the stack", "then we pop the stack", "a push and a pop", "the stack we push"] * 2
GRAPH = ["an edge of the graph", "a vertex and an edge", "the graph of a vertex", "one edge, one vertex"] * 2
入栈 = ["我们把它入栈", "栈顶再出栈", "先入栈后出栈", "入栈在栈顶"] * 2
图论 = ["顶点和边连接", "连接两个顶点", "顶点连接成图", "每条边的顶点"] * 2


@pytest.mark.parametrize("first", [4, 5, 6])
@pytest.mark.parametrize(("one", "other"), [(STACK, GRAPH), (GRAPH, STACK), (入栈, 图论), (图论, 入栈)])
def test_a_passage_ends_where_the_topic_turns(one, other, first):
    """Not where the length would have it."""
    said = [*one[:first], *other[: 10 - first]]
    longest = sum(map(spoken_length, said)) * 3 // 4
    assert part_topics(said, longest=longest) == [range(first), range(first, 10)]


def test_what_is_short_enough_stays_together():
    """No passage is begun without need, and no speech has none."""
    assert part_topics([*STACK, *GRAPH], longest=10_000) == [range(16)]
    assert part_topics([], longest=10) == []
    assert part_topics(["x" * 50, "y"], longest=10) == [range(1), range(1, 2)]


def test_a_chinese_character_takes_as_long_as_three_letters():
    assert spoken_length("A栈") == 4


def test_words_alone_are_parted_in_time():
    """A sentence of a word each makes passages of so many sentences, not one of thousands."""
    parts = part_topics(["a."] * 1_000, longest=LONGEST_SPEECH)
    assert max(map(len, parts)) == MOST_SENTENCES
    assert sum(map(len, parts)) == 1_000


def test_a_citation_plays_from_where_the_thought_begins():
    """The passage about graphs begins with the second of its first cue."""
    cues = "\n".join(
        f"{n}\n00:{n // 6:02}:{n % 6}0,000 --> 00:{n // 6:02}:{n % 6}9,500\n{text}{' um' * 80}.\n"
        for n, text in enumerate([*STACK[:4], *GRAPH[:6]])
    )
    course = Course(id=CourseId("ds"), name="Data structures", domains=("computing",), language=Language.EN)
    one, other = split(read_subtitles(cues, path="v.srt"), course=course)
    assert one.answer.startswith("we push")
    assert (one.locator.start_s, one.locator.end_s) == (0.0, 39.5)
    assert other.answer.startswith("an edge")
    assert (other.locator.start_s, other.locator.end_s) == (40.0, 99.5)
    assert max(spoken_length(each.answer) for each in (one, other)) <= LONGEST_SPEECH
