"""Many editors of one FAQ entry at once, over real sockets (T52)."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from served_platform import Served

FAQ = "/v1/courses/stacks-en/faq"
DRAFT = {"question": "When is the quiz?", "answer": "On Friday."}

pytestmark = pytest.mark.settings(limit_requests=0)


@pytest.fixture
def who(api: Served) -> dict[str, str]:
    return api.bearer()


def versions(api: Served, address: str, who: dict[str, str]) -> list[tuple[int, str]]:
    history = api.client.get(f"{address}/history", headers=who).json()["versions"]
    return [(each["version"], each["answer"]) for each in history]


@pytest.mark.fault(case="T52")
def test_of_fifty_edits_of_one_version_exactly_one_succeeds(api: Served, who: dict[str, str]) -> None:
    """The others get 412 with what is there now; the history has no gap; twice in a row."""
    address = api.client.post(FAQ, json=DRAFT, headers=who).headers["location"]

    def edit(number: int, version: int) -> Any:
        draft = {**DRAFT, "answer": f"Version {version + 1} of editor {number}."}
        return api.client.put(address, json=draft, headers={**who, "If-Match": f'"{version}"'})

    answers = [DRAFT["answer"]]
    for version in (1, 2):
        with ThreadPoolExecutor(10) as editors:
            replies = list(editors.map(edit, range(50), [version] * 50))
        assert Counter(reply.status_code for reply in replies) == {200: 1, 412: 49}
        (won,) = (reply for reply in replies if reply.status_code == 200)
        assert won.headers["etag"] == f'"{version + 1}"'
        answers.append(won.json()["answer"])
        for lost in replies:
            if lost is not won:
                assert lost.headers["etag"] == f'"{version + 1}"'
                assert lost.json()["current"]["answer"] == answers[-1]
        assert versions(api, address, who) == list(enumerate(answers, 1))


@pytest.mark.fault(case="T52")
def test_fifty_edits_that_are_tried_again_make_fifty_versions(api: Served, who: dict[str, str]) -> None:
    """Each edit is kept once, none is lost: every version has exactly one success (T52)."""
    address = api.client.post(FAQ, json=DRAFT, headers=who).headers["location"]

    def edit_until_done(number: int) -> str:
        etag, draft = '"1"', {**DRAFT, "answer": f"Editor {number}."}
        while True:
            reply = api.client.put(address, json=draft, headers={**who, "If-Match": etag})
            etag = reply.headers["etag"]
            if reply.status_code == 200:
                return str(etag)
            assert reply.status_code == 412

    with ThreadPoolExecutor(5) as editors:
        won = list(editors.map(edit_until_done, range(50)))
    assert sorted(won) == sorted(f'"{version}"' for version in range(2, 52))
    kept = versions(api, address, who)
    assert [version for version, _ in kept] == list(range(1, 52))
    assert {answer for _, answer in kept[1:]} == {f"Editor {number}." for number in range(50)}


@pytest.mark.fault(case="T52")
def test_an_edit_that_names_no_version_is_428(api: Served, who: dict[str, str]) -> None:
    """For edit, removal and rollback alike; nothing is changed."""
    address = api.client.post(FAQ, json=DRAFT, headers=who).headers["location"]
    assert api.client.put(address, json=DRAFT, headers=who).status_code == 428
    assert api.client.delete(address, headers=who).status_code == 428
    assert api.client.post(f"{address}/rollback", json={"version": 1}, headers=who).status_code == 428
    assert versions(api, address, who) == [(1, DRAFT["answer"])]
