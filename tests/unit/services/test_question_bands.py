"""The bands of waiting questions follow what they rest on."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest
from small_platform import SmallPlatform

from services.questions.triage import QuestionBands
from vta.types.courses import CourseId, Thresholds


@pytest.mark.parametrize("name", ["relevance", "alpha", "beta"])
def test_a_band_is_outdated_once_the_course_sets_another_threshold(small: SmallPlatform, name: str) -> None:
    """The value of the platform is no other one."""
    course, question = small.courses.course(CourseId("stacks-en")), "What does push do?"
    with closing(QuestionBands(knowledge=small.knowledge, reader=small.assistant().understanding)) as bands:
        assert bands.outdated(course, [question]) == [question]
        bands.assess(course, question)
        same = replace(course, **{name: getattr(Thresholds(), name)})
        assert bands.outdated(course, [question]) == bands.outdated(same, [question]) == []
        assert bands.outdated(replace(course, **{name: 0.75}), [question]) == [question]
