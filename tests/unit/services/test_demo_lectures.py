"""The lectures that the sample courses play."""

from __future__ import annotations

import pytest

from services.demo.sample_courses import DEMO_COURSES, demo_film, demo_page
from vta.types.courses import CourseId

MOST_BYTES = 600_000
"""Of all lectures together: they travel in every wheel."""


@pytest.mark.parametrize("course", DEMO_COURSES)
def test_each_sample_course_plays_a_lecture_that_it_has_captions_of(course: str) -> None:
    """The film belongs to a video of the page by its name."""
    page = demo_page(CourseId(course))
    (video,) = (video for video in page.videos if video.film)
    assert [cue for cue in page.cues if cue.video == video.file]
    film = demo_film(course, video.film)
    assert film is not None
    assert film.read_bytes().startswith(b"\x1aE\xdf\xa3")  # EBML, the container of WebM


def test_the_lectures_are_small() -> None:
    """Both together stay below the limit."""
    names = [(course, video.film) for course in DEMO_COURSES for video in demo_page(course).videos]
    films = [demo_film(course, name) for course, name in names if name]
    assert sum(len(film.read_bytes()) for film in films if film) < MOST_BYTES


@pytest.mark.parametrize(
    ("course", "name"),
    [("other", "04-stack.webm"), (DEMO_COURSES[0], "../course.json"), (DEMO_COURSES[0], "x")],
)
def test_no_other_file_is_a_lecture(course: str, name: str) -> None:
    """Neither a file beside the folder nor one of another course."""
    assert demo_film(course, name) is None
