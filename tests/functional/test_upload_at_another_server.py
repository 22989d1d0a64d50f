"""Two servers with data folders of their own and one store, as replicas are."""

from __future__ import annotations

from io import BytesIO

import pytest
from served_platform import Build
from small_platform import COURSES
from worker_server import until

from services.reading.given_files import GivenFile
from vta.errors import NotFound

COURSE = COURSES["stacks-en"][0]


def given(text: bytes) -> list[GivenFile]:
    return [GivenFile(name="zoo.md", file=BytesIO(text))]


@pytest.mark.fault(case="T142")
def test_what_one_server_has_asked_another_one_carries_out(build: Build) -> None:
    """Once, wherever it is confirmed."""
    first = build()
    second = build({}, database_url=first.settings.store_url)
    job = first.materials.begin(COURSE, given(b"# Zoo\n\nThe giraffe is five metres tall.\n"))
    until(lambda: not first.materials.job(COURSE.id, job.id).running)
    asked = first.materials.upload(COURSE, given(b"# Zoo\n\nThe giraffe is nine metres tall.\n"))
    assert isinstance(asked, str)
    assert [each.path for each in second.materials.planned(COURSE.id, asked).plan.replaced] == ["zoo.md"]
    job = second.materials.confirm(COURSE, asked)
    until(lambda: not second.materials.job(COURSE.id, job.id).running)
    assert "nine metres" in second.stores.passages.file(COURSE.id, "zoo.md").markdown()
    with pytest.raises(NotFound):
        first.materials.confirm(COURSE, asked)
