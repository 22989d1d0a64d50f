"""The pages of materials: uploads that are announced, what became of each file, over a real socket."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import httpx
import pytest
from served_platform import Serve, Served

from services.console.material_texts import MATERIAL_TEXTS
from vta.types import CourseId, Language, Role

COURSE = CourseId("stacks-en")
HOME = f"/console/{COURSE}/materials"
ZOO = b"# Zoo example\n\nThe giraffe in our zoo example is five metres tall.\n"
GIRAFFE = "How tall is a giraffe in our zoo example?"


@pytest.fixture
def api(serve: Serve) -> Served:
    return serve()


@pytest.fixture
def ann(api: Served) -> Iterator[httpx.Client]:
    """An instructor who is logged in."""
    key, _ = api.platform.stores.keys.make(COURSE, Role.INSTRUCTOR)
    with closing(httpx.Client(base_url=api.address, trust_env=False, timeout=30.0)) as client:
        assert client.post("/console/log-in", data={"key": key, "name": "Ann"}).status_code == 303
        yield client


def token(page: httpx.Response) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', page.text)
    assert found, page.text
    return found[1]


def ask(api: Served, question: str) -> dict[str, Any]:
    return dict(api.client.post(f"/v1/courses/{COURSE}/dialogue", json={"question": question}).json())


def shown(page: httpx.Response, testid: str) -> list[str]:
    """The words of the elements of a test id, without their markup."""
    found = re.findall(rf'data-testid="{testid}"[^>]*>(.*?)</(?:li|p|tr|h1|summary)>', page.text, re.DOTALL)
    return [" ".join(re.sub("<[^>]*>", " ", each).split()) for each in found]


def upload(ann: httpx.Client, *files: tuple[str, bytes]) -> httpx.Response:
    given = [("files", each) for each in files]
    return ann.post(HOME, data={"csrf": token(ann.get(HOME))}, files=given)


def ended(ann: httpx.Client, started: httpx.Response) -> httpx.Response:
    """The page of an upload when it is over."""
    address = started.headers["location"]
    while ann.get(f"{address}/state").json()["running"]:
        threading.Event().wait(0.05)
    return ann.get(address)


def test_each_file_of_a_folder_has_its_result(ann: httpx.Client) -> None:
    """Two files of one name in two folders are two; a faulty one is told with its reason, refusing none."""
    files = [
        ("zoo/a/README.md", ZOO),
        ("zoo/b/README.md", ZOO),
        ("zoo/faq.csv", b"no,columns\n1,2\n"),
        ("zoo/map.png", b"x"),
    ]
    report = ended(ann, upload(ann, *files))
    first, *others = shown(report, "result")
    assert first.startswith("zoo/faq.csv not read")
    assert "question" in first
    assert others == ["zoo/a/README.md read 1", "zoo/b/README.md read 1"]
    assert "2 new, 0 replaced, 0 unchanged, 0 removed, 1 not read" in report.text
    assert "zoo/map.png" in report.text


def test_what_would_be_replaced_is_said_before_it_is(api: Served, ann: httpx.Client) -> None:
    """Nothing changes until the yes; a no leaves all as it was, and the plan is gone after either."""
    ended(ann, upload(ann, ("zoo/a.md", ZOO), ("zoo/b.md", ZOO), ("zoo/same.md", ZOO)))
    changed = ZOO.replace(b"five", b"nine")
    files = [("zoo/a.md", changed), ("zoo/new.md", changed), ("zoo/same.md", ZOO)]
    for action, words in (("decline", "five metres"), ("confirm", "nine metres")):
        planned = upload(ann, *files).headers["location"]
        assert "/plans/" in planned
        page = ann.get(planned)
        assert [each.split()[0] for each in shown(page, "replaces")] == ["zoo/a.md"]
        assert shown(page, "missing") == ["zoo/b.md"]
        assert "nine" not in ask(api, GIRAFFE)["text"]
        form = {"csrf": token(page), "action": action, "remove_missing": "yes"}
        settled = ann.post(planned, data=form)
        if action == "confirm":
            results = shown(ended(ann, settled), "result")
            assert results == [
                "zoo/new.md read 1",
                "zoo/a.md replaced 1",
                "zoo/b.md removed",
                "zoo/same.md unchanged",
            ]
        assert words in ask(api, GIRAFFE)["text"]
        assert ann.post(planned, data=form).status_code == 404


def test_a_plan_is_seen_and_settled_in_its_own_course_alone(api: Served, ann: httpx.Client) -> None:
    """Another course's instructor finds none, and a form without its token does nothing."""
    ended(ann, upload(ann, ("zoo.md", ZOO)))
    planned = upload(ann, ("zoo.md", ZOO + b"More.\n")).headers["location"]
    assert ann.post(planned, data={"csrf": "x", "action": "confirm"}).status_code == 403
    key, _ = api.platform.stores.keys.make(CourseId("stacks-zh"), Role.INSTRUCTOR)
    with closing(httpx.Client(base_url=api.address, trust_env=False, timeout=30.0)) as bo:
        bo.post("/console/log-in", data={"key": key})
        assert bo.get(planned.replace("stacks-en", "stacks-zh")).status_code == 404
    assert ann.get(planned).status_code == 200


def test_the_newest_five_plans_of_a_course_are_kept(api: Served, ann: httpx.Client) -> None:
    """Files of plans that nobody wanted do not pile up on the disk."""
    ended(ann, upload(ann, ("zoo.md", ZOO)))
    planned = [upload(ann, ("zoo.md", ZOO + b"More.\n" * n)).headers["location"] for n in range(1, 8)]
    assert [ann.get(each).status_code for each in planned] == [404, 404, 200, 200, 200, 200, 200]
    assert len(list((api.platform.settings.home / "ingests").rglob("*.md"))) == 5


def test_the_words_stand_in_both_languages() -> None:
    """Each text has its counterpart with the same values in it."""
    zh, en = MATERIAL_TEXTS[Language.ZH], MATERIAL_TEXTS[Language.EN]
    assert zh.keys() == en.keys()
    for name, text in zh.items():
        assert set(re.findall(r"\{(\w+)", text)) == set(re.findall(r"\{(\w+)", en[name])), name
