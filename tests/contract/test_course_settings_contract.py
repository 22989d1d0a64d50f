"""The settings of a course, on each database."""

from __future__ import annotations

from dataclasses import replace

import pytest

from services.courses.settings_store import LONGEST, MOST_TOKENS, CourseSettings
from vta.errors import Conflict, InvalidInput, NotFound
from vta.types.courses import CourseId, Role

DS, ML = CourseId("ds"), CourseId("ml")


def test_settings_are_changed_as_a_whole_and_read_with_the_course(stores):
    """What is set is clean, another course keeps its own, and an unknown one has none."""
    assert stores.settings.settings(DS) == CourseSettings()
    given = CourseSettings(
        relevance=0.75,
        alpha=0.25,
        beta=1.5,
        refusal=" 请到论坛\n提问。 ",
        greeting=" 你好，\n我是小明。",
        tone=" 多举\n例子。",
        assistant=" 小明 ",
        model="m-2",
        daily_tokens=10**12,
        research=" How?  \r\n\r\n 为什么？ \n",
        starters=("什么是栈？ ", " ", "怎样获得证书？"),
        hints=False,
        shares_concepts=True,
        takes_concepts=True,
        origins=("https://A.example:443/",),
    )
    kept = stores.settings.change(DS, lambda found: given)
    assert kept == replace(
        given,
        refusal="请到论坛 提问。",
        greeting="你好， 我是小明。",
        tone="多举 例子。",
        assistant="小明",
        research="How?\n\n 为什么？",
        starters=("什么是栈？", "怎样获得证书？"),
        origins=("https://a.example",),
    )
    assert stores.settings.settings(DS) == kept
    course = stores.courses.course(DS)
    assert (course.relevance, course.alpha, course.beta) == (0.75, 0.25, 1.5)
    assert (course.refusal, course.tone) == ("请到论坛 提问。", "多举 例子。")
    assert (course.shares_concepts, course.takes_concepts) == (True, True)
    assert stores.settings.settings(ML) == CourseSettings()
    assert stores.settings.change(DS, lambda found: replace(found, refusal=" ")).refusal is None
    for unknown in (stores.settings.settings, lambda course: stores.settings.change(course, lambda f: f)):
        with pytest.raises(NotFound):
            unknown(CourseId("none"))


def test_a_change_rests_on_what_was_seen(stores):
    """With the mark of other settings nothing is changed; the same settings have the same mark."""
    first = stores.settings.settings(DS).mark
    changed = stores.settings.change(DS, lambda found: replace(found, hints=False), expected=first)
    assert changed.mark != first
    with pytest.raises(Conflict):
        stores.settings.change(DS, lambda found: replace(found, beta=0.5), expected=first)
    assert stores.settings.settings(DS) == changed
    assert stores.settings.change(DS, lambda found: replace(found, hints=True)).mark == first


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("relevance", 1.01),
        ("relevance", -0.01),
        ("alpha", 1.01),
        ("alpha", float("nan")),
        ("beta", 0.0),
        ("beta", 101.0),
        ("beta", float("inf")),
        ("refusal", "x" * (LONGEST["refusal"] + 1)),
        ("greeting", "x" * (LONGEST["greeting"] + 1)),
        ("tone", "x" * (LONGEST["tone"] + 1)),
        ("assistant", "x" * (LONGEST["assistant"] + 1)),
        ("research", "x" * (LONGEST["research"] + 1)),
        ("daily_tokens", -1),
        ("daily_tokens", MOST_TOKENS + 1),
        ("starters", ("What?", "x" * (LONGEST["greeting"] + 1))),
        ("starters", ("a", "b", "c", "d")),
        ("origins", ("https://a.example", "a.example/path")),
    ],
)
def test_a_value_that_cannot_be_used_is_named_and_nothing_is_changed(stores, field, wrong):
    """Neither it nor what was given with it."""
    edit = {"hints": False, field: wrong}
    with pytest.raises(InvalidInput) as refused:
        stores.settings.change(DS, lambda found: replace(found, **edit))
    assert refused.value.field == field
    assert stores.settings.settings(DS) == CourseSettings()


def test_a_key_is_revoked_by_its_role_where_one_is_given(stores):
    """A platform's key outlives whoever may revoke those of instructors only."""
    text, key = stores.keys.make(DS, Role.PLATFORM)
    with pytest.raises(NotFound):
        stores.keys.revoke(DS, key.id, role=Role.INSTRUCTOR)
    assert stores.keys.check(text) is not None
    stores.keys.revoke(DS, key.id, role=Role.PLATFORM)
    assert stores.keys.check(text) is None
