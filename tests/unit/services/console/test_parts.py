"""The parts of the console and the rights that their pages and forms need."""

from __future__ import annotations

import pytest

from services.console_routes import PARTS
from services.people.sessions import Right


@pytest.mark.parametrize(
    ("request_line", "right"),
    [
        ("GET /console/ds/inbox", None),
        ("POST /console/ds/inbox/answer", Right.QUESTIONS),
        ("GET /console/ds/materials", None),
        ("GET /console/ds/conversations", Right.QUESTIONS),
        ("POST /console/ds/conversations/t/hand-on", Right.QUESTIONS),
        ("POST /console/ds/materials", Right.MATERIALS),
        ("POST /console/ds/graph/edits", Right.GRAPH),
        ("POST /console/ds/faq/import/confirm", Right.FAQ),
        ("GET /console/ds/settings", Right.SETTINGS),
        ("POST /console/ds/settings/webhook/secret", Right.SETTINGS),
        ("POST /console/ds/settings/keys/make", Right.KEYS),
        ("GET /console/ds/people", Right.PEOPLE),
        ("POST /console/ds/people/invite", Right.PEOPLE),
        ("POST /console/ds/settings/course", Right.SETTINGS),
        ("POST /console/ds/settings/archive", Right.ARCHIVE),
        ("POST /console/ds/settings/remove", Right.ARCHIVE),
        ("POST /console/settings/inbox/answer", Right.QUESTIONS),
    ],
)
def test_every_write_needs_the_right_of_its_part(request_line, right):
    """Reading is free but where students or settings show."""
    method, _, path = request_line.partition(" ")
    (part,) = (part for part in PARTS if part.name == path.split("/")[3])
    assert part.right_needed(method, path) is right
