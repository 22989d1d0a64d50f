"""Thresholds that make no sense, wherever they are given."""

from __future__ import annotations

import pytest

from services.settings import read_settings
from services.storage.course_settings import CourseSettings, clean_settings
from vta.errors import InvalidInput


@pytest.mark.parametrize("name", ["beta", "alpha", "relevance"])
@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf"])
def test_a_variable_out_of_range_is_refused(monkeypatch, tmp_path, name, value):
    """VTA_BETA = 0 would answer every question directly; the others are shares, and 0 is one."""
    monkeypatch.setenv(f"VTA_{name.upper()}", value)
    if name != "beta" and value == "0":
        assert getattr(read_settings(tmp_path), name) == 0
        return
    with pytest.raises(InvalidInput, match=f"VTA_{name.upper()}"):
        read_settings(tmp_path)


@pytest.mark.parametrize(
    "given",
    [
        CourseSettings(beta=0.0),
        CourseSettings(beta=-1.0),
        CourseSettings(beta=101.0),
        CourseSettings(alpha=2.0),
        CourseSettings(relevance=2.0),
    ],
)
def test_a_course_keeps_no_such_threshold(given):
    """What the console and the API write goes through the same check."""
    with pytest.raises(InvalidInput) as raised:
        clean_settings(given)
    assert raised.value.field in ("relevance", "alpha", "beta")
