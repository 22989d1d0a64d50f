"""The documents of a course by HTTP: list, uploads with progress, removal; and questions that join."""

from __future__ import annotations

import http.client
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from served_platform import Served

from services.web.uploads import LARGEST_UPLOAD
from vta.types.courses import CourseId
from vta.types.faq import FaqDraft

COURSE, OTHER = CourseId("stacks-en"), CourseId("stacks-zh")
ADDRESS = f"/v1/courses/{COURSE}/materials"
ZOO = b"# Zoo example\n\nThe giraffe in our zoo example is five metres tall.\n"
OTHER = ZOO + b"It eats leaves.\n"
GIRAFFE = "How tall is a giraffe in our zoo example?"


def upload(api: Served, who: dict[str, str], *files: tuple[str, bytes], **headers: str) -> Any:
    given = [("files", each) for each in files]
    return api.client.post(ADDRESS, files=given, headers={**who, **headers})


def ended(api: Served, who: dict[str, str], started: Any) -> dict[str, Any]:
    """The ingest when it is over."""
    assert started.status_code == 202, started.text
    while True:
        job = api.client.get(started.headers["location"], headers=who).json()
        assert 0 <= job["done"] <= job["total"]
        if job["state"] in ("done", "failed"):
            return dict(job)
        threading.Event().wait(0.05)


def test_an_uploaded_file_answers_until_it_is_removed(api: Served) -> None:
    """What was read and what was not is told, also when; the same file again is not read again."""
    who = api.bearer()
    before = api.client.get(ADDRESS, headers=who).json()
    begun = datetime.now(UTC) - timedelta(seconds=1)
    job = ended(api, who, upload(api, who, ("zoo.md", ZOO), ("broken.csv", b"no,columns\n1,2\n")))
    assert (job["state"], job["fault"], job["done"], job["total"]) == ("done", None, 2, 2)
    assert (job["report"]["added"], job["report"]["pairs"]) == (["zoo.md"], 1)
    (rejected,) = job["report"]["rejected"]
    assert (rejected["path"], "/tmp" in rejected["reason"]) == ("broken.csv", False)
    assert "five metres" in api.ask(GIRAFFE)["text"]

    listed = api.client.get(ADDRESS, headers=who).json()
    assert listed["total"] == before["total"] + 1
    (zoo,) = api.client.get(ADDRESS, params={"search": "ZOO"}, headers=who).json()["documents"]
    assert (zoo["path"], zoo["kind"], zoo["pairs"]) == ("zoo.md", "MD", 1)
    assert begun <= datetime.fromisoformat(zoo["read_at"]) <= datetime.now(UTC) + timedelta(seconds=1)
    page = api.client.get(ADDRESS, params={"offset": 1, "limit": 2}, headers=who).json()
    assert page["documents"] == listed["documents"][1:3]

    again = ended(api, who, upload(api, who, ("zoo.md", ZOO)))
    assert (again["report"]["added"], again["report"]["unchanged"]) == ([], ["zoo.md"])
    gone = api.client.delete(ADDRESS, params={"path": "zoo.md"}, headers=who)
    assert gone.status_code == 204
    assert api.ask(GIRAFFE)["route"] == "unanswered"
    assert api.client.delete(ADDRESS, params={"path": "zoo.md"}, headers=who).status_code == 404


def test_only_a_form_with_files_is_an_upload(api: Served) -> None:
    """JSON and a form without files are 422; a body that is no form 400; too much 413, without reading it."""
    who = api.bearer()
    assert api.client.post(ADDRESS, json={"files": []}, headers=who).status_code == 422
    assert api.client.post(ADDRESS, files=[("other", ("a.md", b"x"))], headers=who).status_code == 422
    kind = {"Content-Type": "multipart/form-data"}
    assert api.client.post(ADDRESS, content=b"x", headers={**who, **kind}).status_code == 400
    connection = http.client.HTTPConnection(api.address.removeprefix("http://"))
    with closing(connection):
        declared = {
            "Content-Type": "multipart/form-data; boundary=x",
            "Content-Length": str(LARGEST_UPLOAD + 1),
        }
        connection.request("POST", ADDRESS, headers={**who, **declared})
        assert connection.getresponse().status == 413


def test_an_upload_needs_no_idempotency_key(api: Served) -> None:
    """One that comes along is not looked at: files are not held in memory, and the effect is one anyway."""
    who = api.bearer()
    for added in (["zoo.md"], []):
        started = upload(api, who, ("zoo.md", ZOO), **{"Idempotency-Key": "k1"})
        assert "idempotency-replayed" not in started.headers
        assert ended(api, who, started)["report"]["added"] == added
    document = api.client.get("/openapi.json").json()["paths"]["/v1/courses/{course}/materials"]
    assert [each["name"] for each in document["post"]["parameters"]] == ["course"]


def test_questions_join_an_entry_that_answers_them(api: Served) -> None:
    """Their wordings answer from now on; an entry that is not there is 404, and they wait on."""
    who = api.bearer()
    draft = FaqDraft(question="When is the quiz?", answer="On Friday.")
    (entry,) = api.platform.stores.faq.add(COURSE, [draft], editor="Ann")
    wording = "On which day do we write the test about stacks?"
    turn = api.ask(wording)["turn_id"]
    waits = api.client.post(f"/v1/courses/{COURSE}/turns/{turn}/ask-ta").json()["question_id"]
    address = f"/v1/courses/{COURSE}/questions/merge"
    missing = api.client.post(address, json={"questions": [waits], "faq_id": "none"}, headers=who)
    assert missing.status_code == 404
    merged = api.client.post(address, json={"questions": [waits], "faq_id": entry.id}, headers=who)
    assert (merged.status_code, merged.json()["version"]) == (201, 2)
    assert merged.json()["similar_questions"] == [wording]
    answer = api.ask(wording)
    assert (answer["route"], answer["text"][:10]) == ("direct", "On Friday.")
    again = api.client.post(address, json={"questions": [waits], "faq_id": entry.id}, headers=who)
    assert again.status_code == 409


def zipped(files: dict[str, bytes]) -> bytes:
    held = BytesIO()
    with ZipFile(held, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return held.getvalue()


def test_folders_and_zips_keep_their_paths(api: Served) -> None:
    """A file is known by its folders and name; what nothing reads is passed over in a folder or ZIP."""
    who = api.bearer()
    job = ended(
        api, who, upload(api, who, ("zoo/a/zoo.md", ZOO), ("zoo/b/zoo.md", OTHER), ("zoo/map.png", b"x"))
    )
    assert job["report"]["passed_over"] == ["zoo/map.png"]
    assert job["report"]["added"] == ["zoo/a/zoo.md", "zoo/b/zoo.md"]
    packed = zipped(
        {"week1/动物.md": ZOO + b"One.", "week1/map.png": b"x", "__MACOSX/x.md": ZOO, "week1/~$a.docx": b"x"}
        | {"week2/zoo.md": ZOO + b"Two.", "week2/book.epub": b"x"}
    )
    job = ended(api, who, upload(api, who, ("course.zip", packed)))
    assert job["report"]["added"] == ["week1/动物.md", "week2/zoo.md"]
    assert job["report"]["passed_over"] == ["week1/map.png", "week2/book.epub"]
    assert job["report"]["rejected"] == []


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("virus.exe", b"MZ"),
        (".md", ZOO),
        ("course.zip", b"no zip"),
        ("course.zip", zipped({"../a.md": b"x"})),
        ("course.zip", zipped({"a.png": b"x"})),
        ("zoo/map.png", b"x"),
    ],
)
def test_uploads_that_cannot_be_read_are_refused_at_once(api: Served, name: str, content: bytes) -> None:
    """An unknown kind, no name, a damaged ZIP, one that leads out, one without course files."""
    reply = upload(api, api.bearer(), (name, content))
    assert (reply.status_code, reply.json()["errors"][0]["field"]) == (422, "files"), reply.text
    left = (file for file in (api.platform.settings.home / "ingests").rglob("*") if file.is_file())
    assert {file.suffix for file in left} <= {".lock"}


def test_a_file_that_cannot_be_read_refuses_no_other(api: Served) -> None:
    """An unknown kind, a name given twice, a damaged ZIP, a file of two ZIPs: each is told, the rest read."""
    who = api.bearer()
    given = [
        ("map.png", b"x"),
        ("zoo.md", ZOO),
        ("zoo.md", b"other"),
        ("damaged.zip", b"no zip"),
        ("a.zip", zipped({"w/a.md": ZOO + b"A."})),
        ("b.zip", zipped({"w/a.md": b"y", "w/b.md": ZOO + b"B."})),
        ("repo/.DS_Store", b"x"),
        ("repo/.git/notes.md", ZOO),
    ]
    report = ended(api, who, upload(api, who, *given))["report"]
    assert report["added"] == ["w/a.md", "w/b.md", "zoo.md"]
    assert report["replaced"] == []
    assert [each["path"] for each in report["rejected"]] == ["map.png", "zoo.md", "damaged.zip", "w/a.md"]
    again = ended(api, who, upload(api, who, ("zoo.md", ZOO + b"More.\n"), ("new.md", OTHER)))["report"]
    assert (again["added"], again["replaced"]) == (["new.md", "zoo.md"], ["zoo.md"])


def test_a_zip_is_ingested_by_command(api: Served, tmp_path: Path) -> None:
    """Its files go by their paths inside of it, beside files and folders given with it."""
    (tmp_path / "course.zip").write_bytes(zipped({"week1/zoo.md": OTHER, "week1/zoo.tex": b"x"}))
    (tmp_path / "zoo.md").write_bytes(ZOO)
    course = api.platform.stores.courses.course(CourseId(COURSE))
    report = api.platform.materials.ingest(course, [tmp_path / "course.zip", tmp_path / "zoo.md"])
    assert (report.added, report.passed_over) == (("week1/zoo.md", "zoo.md"), ("week1/zoo.tex",))


def test_a_file_answers_from_its_moment_of_release_on(api: Served) -> None:
    """Waiting is listed, and told neither by an answer nor by the course's page."""
    who = api.bearer()
    ended(api, who, upload(api, who, ("zoo.md", ZOO)))
    later = (datetime.now(UTC) + timedelta(days=7)).isoformat()
    put = {"paths": ["zoo.md"], "release_at": later}
    assert api.client.put(f"{ADDRESS}/release", json=put, headers=who).status_code == 204
    assert api.ask(GIRAFFE)["route"] == "unanswered"
    (zoo,) = api.client.get(ADDRESS, params={"search": "zoo"}, headers=who).json()["documents"]
    assert (zoo["waits"], datetime.fromisoformat(zoo["release_at"])) == (True, datetime.fromisoformat(later))
    assert "Zoo example" not in api.client.get(f"/courses/{COURSE}").text

    assert (
        api.client.put(
            f"{ADDRESS}/release", json={**put, "paths": ["zoo.md", "none.md"]}, headers=who
        ).status_code
        == 404
    )
    naive = {**put, "release_at": "2026-09-21T08:00"}
    refused = api.client.put(f"{ADDRESS}/release", json=naive, headers=who)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "release_at")

    assert api.client.put(f"{ADDRESS}/release", json={"paths": ["zoo.md"]}, headers=who).status_code == 204
    assert "five metres" in api.ask(GIRAFFE)["text"]


def test_a_week_is_put_listed_copied_and_removed(api: Served) -> None:
    """Its files answer nobody meanwhile; a copy for another term has it later, to be reviewed."""
    who, address = api.bearer(), f"{ADDRESS}/weeks"
    ended(api, who, upload(api, who, ("zoo.md", ZOO)))
    week = {"path": "zoo", "name": "Week 3", "opens": "2099-12-03"}
    assert api.client.put(address, json=week, headers=who).status_code == 204
    assert api.client.get(address, headers=who).json() == [{**week, "review": False}]
    assert "Week 3" in (told := api.ask(GIRAFFE)["text"])
    assert "five metres" not in told
    refused = api.client.put(address, json={**week, "opens": "tomorrow"}, headers=who)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "opens")
    later, as_id = timedelta(weeks=26), CourseId("next-term")
    api.platform.catalogue.copy(CourseId(COURSE), as_id=as_id, name="Next", later=later, editor="ann")
    (moved,) = api.platform.stores.releases.weeks(as_id).weeks
    assert (moved.opens, moved.review) == ("2100-06-03", True)
    assert api.client.delete(address, params={"path": "zoo"}, headers=who).status_code == 204
    assert "five metres" in api.ask(GIRAFFE)["text"]
