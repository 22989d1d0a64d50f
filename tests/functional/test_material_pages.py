"""The pages of materials: uploads that are announced, what became of each file, over a real socket."""

from __future__ import annotations

import re
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from console_client import ended, shown, token
from served_platform import Served

from vta.errors import InvalidInput
from vta.types.courses import CourseId

COURSE = CourseId("stacks-en")
HOME = f"/console/{COURSE}/materials"
ZOO = b"# Zoo example\n\nThe giraffe in our zoo example is five metres tall.\n"
GIRAFFE = "How tall is a giraffe in our zoo example?"


def upload(ann: httpx.Client, *files: tuple[str, bytes]) -> httpx.Response:
    given = [("files", each) for each in files]
    return ann.post(HOME, data={"csrf": token(ann.get(HOME))}, files=given)


def test_each_file_of_a_folder_has_its_result(ann: httpx.Client) -> None:
    """Two files of one name in two folders are two; a faulty one is told with its reason, refusing none."""
    files = [
        ("zoo/a/README.md", ZOO),
        ("zoo/b/README.md", ZOO + b"More.\n"),
        ("zoo/copy.md", ZOO),
        ("zoo/faq.csv", b"no,columns\n1,2\n"),
        ("zoo/map.png", b"x"),
    ]
    report = ended(ann, upload(ann, *files))
    copy, first, *others = shown(report, "result")
    assert copy.startswith("zoo/copy.md not read has the same content as zoo/a/README.md")
    assert first.startswith("zoo/faq.csv not read")
    assert "question" in first
    assert others == ["zoo/a/README.md read 1", "zoo/b/README.md read 1"]
    assert "2 new, 0 replaced, 0 unchanged, 0 removed, 2 not read" in report.text
    assert "passed over (1 .png)" in report.text
    assert "zoo/map.png" in report.text
    (following,) = shown(report, "next")
    assert following == "Next: Look through the concepts · Try it, then ask on the students&#39; page"


def test_one_file_of_a_folder_is_replaced_by_a_corrected_one(api: Served, ann: httpx.Client) -> None:
    """Under its own path, whatever the new one is called; a file of another kind changes nothing."""
    ended(ann, upload(ann, ("zoo/a.md", ZOO), ("zoo/b.md", ZOO.replace(b"giraffe", b"lion"))))
    page = f"{HOME}/file?path=zoo/a.md"
    form = {"csrf": token(ann.get(page))}
    refused = ann.post(page, data=form, files=[("files", ("a.pdf", b"%PDF"))])
    assert refused.status_code == 422
    assert shown(refused, "fault") == ["a.pdf: choose a file of the same kind (.md)"]
    lost = ann.post(f"{HOME}/file?path=zoo/c.md", data=form, files=[("files", ("a.md", ZOO))])
    assert lost.status_code == 404
    new = ("a (corrected).md", ZOO.replace(b"five", b"nine"))
    results = shown(ended(ann, ann.post(page, data=form, files=[("files", new)])), "result")
    assert results == ["zoo/a.md replaced 1"]
    assert "nine metres" in api.ask(GIRAFFE)["text"]
    assert [each.path for each in api.platform.stores.documents.summaries(COURSE)][-2:] == [
        "zoo/a.md",
        "zoo/b.md",
    ]


def test_what_would_be_replaced_is_said_before_it_is(api: Served, ann: httpx.Client) -> None:
    """Nothing changes until the yes; a no leaves all as it was, and the plan is gone after either."""
    ended(ann, upload(ann, ("zoo/a.md", ZOO), ("zoo/b.md", ZOO + b"B.\n"), ("zoo/same.md", ZOO + b"Same.\n")))
    changed = ZOO.replace(b"five", b"nine")
    files = [("zoo/a.md", changed), ("zoo/new.md", changed + b"New.\n"), ("zoo/same.md", ZOO + b"Same.\n")]
    for action, words in (("decline", "five metres"), ("confirm", "nine metres")):
        planned = upload(ann, *files).headers["location"]
        assert "/plans/" in planned
        page = ann.get(planned)
        assert [each.split()[0] for each in shown(page, "replaces")] == ["zoo/a.md"]
        assert shown(page, "missing") == ["zoo/b.md"]
        assert "nine" not in api.ask(GIRAFFE)["text"]
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
        assert words in api.ask(GIRAFFE)["text"]
        assert ann.post(planned, data=form).status_code == 404


def test_a_plan_is_seen_and_settled_in_its_own_course_alone(api: Served, ann: httpx.Client) -> None:
    """Another course's instructor finds none, and a form without its token does nothing."""
    ended(ann, upload(ann, ("zoo.md", ZOO)))
    planned = upload(ann, ("zoo.md", ZOO + b"More.\n")).headers["location"]
    assert ann.post(planned, data={"csrf": "x", "action": "confirm"}).status_code == 403
    key = api.key(course="stacks-zh")
    with closing(httpx.Client(base_url=api.address, trust_env=False, timeout=30.0)) as bo:
        bo.post("/console/log-in", data={"key": key})
        assert bo.get(planned.replace("stacks-en", "stacks-zh")).status_code == 404
    assert ann.get(planned).status_code == 200


def test_the_newest_five_plans_of_a_course_are_kept(api: Served, ann: httpx.Client) -> None:
    """Files of plans that nobody wanted do not pile up."""
    ended(ann, upload(ann, ("zoo.md", ZOO)))
    planned = [upload(ann, ("zoo.md", ZOO + b"More.\n" * n)).headers["location"] for n in range(1, 8)]
    assert [ann.get(each).status_code for each in planned] == [404, 404, 200, 200, 200, 200, 200]
    assert list((api.platform.settings.home / "ingests").rglob("*.md")) == []


def post(ann: httpx.Client, part: str, **fields: Any) -> httpx.Response:
    """What a form of the pages sends, and the page after it."""
    reply = ann.post(f"{HOME}/{part}", data={"csrf": token(ann.get(HOME)), **fields})
    assert reply.status_code == 303, reply.text
    return ann.get(reply.headers["location"])


TWO = ZOO + b"\n## Elephants\n\nThe elephant in our zoo example is three metres tall.\n"


def passages_of(page: httpx.Response) -> list[tuple[str, str]]:
    """Each passage on the page of a file: its id, and what it is switched by."""
    return re.findall(
        r'name="at" value="(\w+)">\s*<input type="hidden" name="passage" value="(\w+)"', page.text
    )


def test_a_passage_is_switched_off_and_on_again(api: Served, ann: httpx.Client) -> None:
    """Off it answers nobody and is neither on the course page nor found there; its own page still has it."""
    ended(ann, upload(ann, ("zoo/zoo.md", TWO)))
    (at, passage), _ = passages_of(ann.get(f"{HOME}/file", params={"path": "zoo/zoo.md"}))
    for action, answers in (("off", False), ("on", True)):
        page = post(ann, "passages", path="zoo/zoo.md", passage=passage, at=at, action=action)
        assert f'id="p-{at}"' in page.text
        assert (page.text.count("off, answers nobody") == 1) is not answers
        assert ("five metres" in api.ask(GIRAFFE)["text"]) is answers
        read = api.client.get(f"/courses/{COURSE}/pages/zoo/zoo.md").text
        assert ("five metres" in read, "three metres" in read) == (answers, True)
        found = api.client.get(f"/courses/{COURSE}/search", params={"q": GIRAFFE}).text
        assert ("five metres" in found) is answers


def test_passages_are_searched_and_switched_together(api: Served, ann: httpx.Client) -> None:
    """Those that hold the words, whichever heading they stand under; the list says how many are off."""
    ended(ann, upload(ann, ("zoo.md", TWO)))
    found = ann.get(f"{HOME}/file", params={"path": "zoo.md", "search": "METRES"})
    digests = [digest for _, digest in passages_of(found)]
    page = post(ann, "passages", path="zoo.md", passage=digests, search="METRES", action="off")
    assert len(shown(page, "passage")) == len(digests) == 2
    assert api.ask(GIRAFFE)["route"] == "unanswered"
    assert ">2 off<" in ann.get(f"{HOME}?search=zoo.md").text
    assert shown(ann.get(f"{HOME}/file", params={"path": "zoo.md", "search": "lion"}), "passage") == []


def test_a_file_says_what_could_not_be_read_of_it(ann: httpx.Client) -> None:
    """Its page lists the faulty rows until it is read again; the list marks it, and sorts by that."""
    table = b"question,answer\nWhat is a zebra?,A horse with stripes.\nWhat is a lion?,\n"
    ended(ann, upload(ann, ("animals.csv", table), ("a.md", ZOO)))
    page = ann.get(f"{HOME}/file", params={"path": "animals.csv"})
    (problem,) = shown(page, "problem")
    assert "3" in problem
    first = shown(ann.get(f"{HOME}?order=problems"), "document")[0]
    assert "animals.csv problems: 1" in first


def test_what_was_read_can_be_downloaded(ann: httpx.Client) -> None:
    """Headings and passages as Markdown, under the name of the file."""
    ended(ann, upload(ann, ("zoo/zoo.md", TWO)))
    reply = ann.get(f"{HOME}/text", params={"path": "zoo/zoo.md"})
    assert reply.text == TWO.decode()
    assert "zoo.md" in reply.headers["content-disposition"]


def test_removed_files_are_named_and_can_be_restored(api: Served, ann: httpx.Client) -> None:
    """One by its own button, several by their boxes, undone at once or from the list of the removed."""
    ended(ann, upload(ann, ("zoo/a.md", ZOO), ("zoo/b.md", ZOO + b"B.\n")))
    page = post(ann, "remove", only="zoo/a.md", path=["zoo/a.md", "zoo/b.md"])
    assert "zoo/a.md" in page.text.split('data-testid="done"')[1].split("</div>")[0]
    post(ann, "remove", path=["zoo/b.md"])
    assert api.ask(GIRAFFE)["route"] == "unanswered"
    listed = ann.get(f"{HOME}/removed").text
    assert (listed.count('data-testid="removed-file"'), "zoo/a.md" in listed, "zoo/b.md" in listed) == (
        2,
        True,
        True,
    )
    restored = post(ann, "restore", path=["zoo/a.md", "zoo/b.md"])
    assert shown(restored, "done") == ["Restored. They are live again."]
    assert "five metres" in api.ask(GIRAFFE)["text"]
    assert shown(ann.get(f"{HOME}/removed"), "removed-file") == []
    csrf = token(ann.get(HOME))
    assert ann.post(f"{HOME}/restore", data={"csrf": csrf, "path": "zoo/a.md"}).status_code == 404
    assert shown(post(ann, "remove"), "done") == ["Choose one or more files first."]


def test_the_list_names_nothing_as_removed_that_was_not(ann: httpx.Client) -> None:
    """An address from elsewhere puts no words on the page."""
    page = ann.get(HOME, params={"removed": "everything.md", "said": "log_in"})
    assert "everything.md" not in page.text.split("<main")[1]
    assert 'data-testid="done"' not in page.text


def test_materials_are_ordered_and_searched(ann: httpx.Client) -> None:
    """By path or length; an unknown order is the usual one."""
    ended(ann, upload(ann, ("zz/a.md", ZOO), ("zz/long.md", TWO)))
    for order, paths in (("path", ["zz/a.md", "zz/long.md"]), ("longest", ["zz/long.md", "zz/a.md"])):
        page = ann.get(f"{HOME}?search=zz&order={order}").text
        assert re.findall(r'data-testid="open-file">([^<]+)<', page) == paths
    assert ann.get(f"{HOME}?order=none").status_code == 200


def test_a_week_closes_its_files_until_its_day(api: Served, ann: httpx.Client) -> None:
    """Also those that come later; the page counts them, the log names it, and a removed week opens them."""
    ended(ann, upload(ann, ("zoo/a.md", ZOO)))
    week = {"csrf": token(ann.get(HOME)), "was": "", "path": "zoo/", "name": "Week 3", "action": "save"}
    done = ann.get(ann.post(f"{HOME}/weeks", data={**week, "opens": "2099-01-02 08:00"}).headers["location"])
    assert shown(done, "done") == ["The week is saved."]
    (row,) = (each for each in done.text.split('data-testid="document"') if 'open-file">zoo/a.md' in each)
    assert re.search(r'<td class="number">(\d+)', row)[1] == "1"
    assert "Opens 2099-01-02 08:00" in row
    latest = api.platform.stores.audit_log.entries(course_id=COURSE)[0]
    assert (latest.event, latest.detail) == ("material_timed", "2099-01-02T08:00: zoo")
    ended(ann, upload(ann, ("zoo/a.md", ZOO), ("zoo/b.md", TWO), ("zoology.md", ZOO)))
    waits = {each.path for each in api.platform.stores.documents.summaries(COURSE) if each.waits}
    assert waits == {"zoo/a.md", "zoo/b.md"}
    assert "Files: 2" in ann.get(HOME).text
    ann.post(f"{HOME}/weeks", data={**week, "was": "zoo", "action": "remove"})
    assert not any(each.waits for each in api.platform.stores.documents.summaries(COURSE))


@pytest.mark.fault(case="T147")
def test_a_day_that_cannot_be_read_is_shown_as_typed_with_how_to_write_it(ann: httpx.Client) -> None:
    """The example has the form that the page asks for."""
    form = {"csrf": token(ann.get(HOME)), "action": "save", "was": "", "path": "zoo", "name": "Zoo"}
    (fault,) = shown(ann.post(f"{HOME}/weeks", data={**form, "opens": "20 December"}), "fault")
    assert "20 December" in fault
    assert "23:59" in fault
    assert "T23:59" not in fault


@pytest.mark.parametrize(
    "moment",
    ["9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "9000-01-01T00:00", "1900-01-01T00:00"],
)
def test_a_date_that_could_not_be_copied_is_refused(api: Served, ann: httpx.Client, moment: str) -> None:
    """Of a week and of a file; nothing is kept of it."""
    ended(ann, upload(ann, ("zoo.md", ZOO)))
    typed = {"was": "", "path": "zoo.md", "name": "Zoo", "opens": moment}
    form = {"csrf": token(ann.get(HOME)), "action": "save", **typed}
    refused = ann.post(f"{HOME}/weeks", data=form)
    assert refused.status_code == 422
    assert f'value="{moment}"' in refused.text
    put = {"paths": ["zoo.md"], "release_at": moment}
    address = f"/v1/courses/{COURSE}/materials/release"
    assert api.client.put(address, json=put, headers=api.bearer()).status_code == 422
    assert api.platform.stores.releases.weeks(COURSE).weeks == ()
    (document,) = (each for each in api.platform.stores.documents.summaries(COURSE) if each.path == "zoo.md")
    assert document.release_at is None


@pytest.mark.fault(case="T147")
def test_a_copy_is_refused_where_a_release_would_be_moved_past_the_last_year(api: Served) -> None:
    """The file is named, and there is no course then."""
    platform = api.platform
    path = platform.stores.documents.summaries(COURSE)[0].path
    platform.materials.release(COURSE, [path], datetime(8999, 12, 1, tzinfo=UTC))
    with pytest.raises(InvalidInput, match=re.escape(path)):
        platform.catalogue.copy(
            COURSE, as_id=CourseId("next"), name="Next", later=timedelta(weeks=520), editor="x"
        )
    assert CourseId("next") not in {each.id for each in platform.stores.courses.courses()}
