"""Scores of learners that wait to be sent, on each database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from sql_stores import lti_platform

from services.lti.score_store import ScoreOfLearner
from services.stores import Stores
from vta.types.courses import CourseId


def test_of_many_processes_one_sends_a_score(stores: Stores) -> None:
    """Each is claimed once, however many look at the same moment."""
    platform = lti_platform(stores)
    scores = [
        ScoreOfLearner(
            platform_id=platform.id,
            lineitem="https://lms.example/item",
            subject=f"s{number}",
            course_id=CourseId("ds"),
            learner_id=f"l{number}",
            questions=0,
        )
        for number in range(10)
    ]
    for score in scores:
        stores.lti_scores.begin(score)
    with ThreadPoolExecutor(8) as processes:
        claimed = [
            score
            for found in processes.map(lambda _: stores.lti_scores.claim(), range(16))
            for score in found
        ]
    assert sorted(claimed, key=lambda each: each.subject) == scores
