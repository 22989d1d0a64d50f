"""Every reason to refuse is explained to engineers."""

from __future__ import annotations

from pathlib import Path

from services.lti.refusals import LaunchRefused, RefusalReason

GUIDE = Path(__file__).parents[4] / "docs" / "lti.md"


def test_every_reason_is_in_the_guide():
    """The code on the page leads an engineer to its item."""
    guide = GUIDE.read_text(encoding="utf-8")
    assert [reason for reason in RefusalReason if f"- `{reason}`: " not in guide] == []


def test_every_refusal_has_a_status_of_its_own_kind():
    """None is a success, none a fault of ours."""
    assert {LaunchRefused(reason).status for reason in RefusalReason} == {400, 401, 403, 404, 503}
