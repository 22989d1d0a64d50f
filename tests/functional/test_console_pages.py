"""What-if, bands, import, materials, graph, settings and preview in the console, over a real socket."""

from __future__ import annotations

import io
import re

import httpx
import pytest
from console_client import ended, form_token, token
from office_files import make_pdf
from served_platform import Served

from services.console.pages import TEXTS
from vta.languages import Language
from vta.types.courses import CourseId, Role
from vta.types.faq import FaqDraft

COURSE = CourseId("stacks-en")
HOME = f"/console/{COURSE}"


def count(page: httpx.Response, testid: str) -> int:
    return page.text.count(f'data-testid="{testid}"')


def test_a_draft_is_tried_out_before_it_is_saved(api: Served, ann: httpx.Client) -> None:
    """The changed question is shown with both answers, the form keeps what was typed, nothing is written."""
    for question in ("Which pen should I bring to the exam?", "When is the homework due?"):
        api.ask(question)
    new = f"{HOME}/faq/new"
    form = {
        "csrf": token(ann.get(new)),
        "question": "Which pen may I bring to the exam?",
        "answer": "A blue one.",
    }
    tried = ann.post(new, data={**form, "action": "replay"})
    assert tried.status_code == 200
    assert count(tried, "changed") == 1
    assert "1 would be answered differently" in tried.text
    assert tried.text.count("A blue one.") == 3  # the form, how it is read, what would change
    assert api.platform.stores.faq.entries(COURSE) == ()
    saved = ann.post(new, data={**form, "action": "save"}).headers["location"]
    removal = ann.post(saved.split("?")[0], data={**form, "version": "1", "action": "replay_removal"})
    assert count(removal, "changed") == 1
    unfinished = ann.post(new, data={**form, "answer": " ", "action": "replay"})
    assert (unfinished.status_code, count(unfinished, "fault")) == (422, 1)


def test_what_waits_stands_in_three_bands(api: Served, ann: httpx.Client) -> None:
    """Text of the course is offered as what comes close, live after one click; another task
    and what the course does not know are folded; all else is for a TA."""
    covered, _ = api.ask_ta("When is the homework due?")
    api.ask_ta("Will the final exam cover undo stacks?")
    api.ask_ta("Who was Napoleon's cook?")
    api.ask_ta("What is the weather like in Rome?")
    inbox = ann.get(f"{HOME}/inbox")
    publish, rest = inbox.text.split('data-testid="band-hold"')
    hold, discard = rest.split('data-testid="band-discard"')
    assert "When is the homework due?" in publish
    assert "Sunday at 23:59" in publish
    assert "undo stacks" in hold
    assert "Napoleon" in discard
    assert "weather" in discard
    assert "It may not answer what was asked" in publish
    assert "erified" not in inbox.text
    fields = dict(re.findall(r'name="(q|question|answer)" value="([^"]*)"', publish))
    done = ann.post(f"{HOME}/inbox/answer", data={"csrf": token(inbox), "action": "publish", **fields})
    assert done.status_code == 303
    (entry,) = api.platform.stores.faq.entries(COURSE)
    assert entry.draft.answer == "Homework is due every Sunday at 23:59."
    states = {w.id: w.state for w in api.platform.stores.asked.all_questions(COURSE)}
    assert states[covered] == "answered"


def test_not_this_entry(api: Served, ann: httpx.Client) -> None:
    """A question that an entry wrongly answers becomes its negative example, and still waits."""
    draft = FaqDraft(
        question="When is the quiz on stacks?",
        answer="On Friday.",
        similar_questions=("When is the quiz on heaps?",),
    )
    (entry,) = api.platform.stores.faq.add(COURSE, [draft], editor="Bo")
    assert api.ask("When is the quiz on heaps?")["route"] == "direct"
    waiting, _ = api.ask_ta("When is the quiz on heaps?")
    address = f"{HOME}/inbox/answer"
    form = {
        "csrf": token(ann.get(address, params={"q": waiting})),
        "q": waiting,
        "entry": entry.id,
        "action": "not_this",
    }
    noted = ann.post(address, data=form, follow_redirects=True)
    assert (noted.status_code, count(noted, "noted")) == (200, 1)
    now = api.platform.stores.faq.history(COURSE, entry.id)[-1]
    assert now.draft.negative_questions == ("When is the quiz on heaps?",)
    assert now.draft.similar_questions == ()
    assert "On Friday." not in api.ask("When is the quiz on heaps?")["text"]
    own, _ = api.ask_ta("When is the quiz on stacks?")
    refused = ann.post(address, data={**form, "q": own})
    assert (refused.status_code, count(refused, "fault")) == (422, 1)


TABLE = """question,answer,similar_questions
When is the quiz?,On Friday.,
Who marks the homework?,Bo does.,Who grades?
,An answer to nothing.,
Where is the exam?,,
Who marks the homework?,Ann does.,
Is there a book?,No.,
"""


def upload(
    ann: httpx.Client, address: str, field: str, *files: tuple[str, bytes], form: str = ""
) -> httpx.Response:
    csrf = token(ann.get(form or address))
    return ann.post(address, data={"csrf": csrf}, files=[(field, each) for each in files])


def test_an_import_is_shown_before_it_is_done(api: Served, ann: httpx.Client) -> None:
    """New, changed, unchanged and rejected rows; the confirmed one is live, and a later one is shown anew."""
    faq, address = api.platform.stores.faq, f"{HOME}/faq/import"
    given = [
        FaqDraft(question="When is the quiz?", answer="On Monday."),
        FaqDraft(question="Is there a book?", answer="No."),
    ]
    faq.add(COURSE, given, editor="Bo")
    dry = upload(ann, address, "table", ("faq.csv", TABLE.encode()))
    counts = [
        re.search(rf'data-testid="{kind}-count">(\d+)', dry.text)[1]  # type: ignore[index]
        for kind in ("new", "changed", "unchanged", "rejected")
    ]
    assert counts == ["1", "1", "1", "3"]
    assert re.findall(r"<strong>(Row \d)</strong>", dry.text) == ["Row 4", "Row 5", "Row 6"]
    assert "Same question as row 3; only row 3 is imported." in dry.text
    assert count(dry, "rejected") == dry.text.count("Ann does.") + 2 == 3
    assert "<del>" in dry.text
    assert len(faq.entries(COURSE)) == 2
    form = dict(re.findall(r'name="(csrf|token|mark)" value="([^"]*)"', dry.text))
    faq.add(COURSE, [FaqDraft(question="A new one?", answer="Yes.")], editor="Bo")
    stale = ann.post(f"{address}/confirm", data=form)
    assert (stale.status_code, count(stale, "stale"), len(faq.entries(COURSE))) == (409, 1, 3)
    form = dict(re.findall(r'name="(csrf|token|mark)" value="([^"]*)"', stale.text))
    done = ann.post(f"{address}/confirm", data=form)
    assert count(done, "imported") == 1
    assert api.ask("Who grades?")["text"].startswith("Bo does.")
    assert ann.post(f"{address}/confirm", data=form).status_code == 404
    notes = api.platform.stores.waiting_uploads.add(
        COURSE, {"plan": {}}, [("a.md", lambda: io.BytesIO(b"# A"))]
    )
    assert ann.post(f"{address}/confirm", data={**form, "token": notes}).status_code == 404
    exported = ann.get(f"{HOME}/faq/export")
    assert exported.headers["content-type"].startswith("text/csv")
    again = upload(ann, address, "table", ("faq.csv", exported.content))
    assert 'data-testid="unchanged-count">4' in again.text


@pytest.mark.parametrize(
    ("name", "content", "status"),
    [
        ("faq.txt", b"x", 422),
        ("faq.csv", b"no,columns\n1,2\n", 422),
        ("faq.xlsx", b"no workbook", 422),
        ("../../faq.csv", b"question,answer\nq,a\n", 200),
    ],
)
def test_what_is_no_table_is_refused(
    api: Served, ann: httpx.Client, name: str, content: bytes, status: int
) -> None:
    """With the reason on the page; a name with folders is only a name."""
    reply = upload(ann, f"{HOME}/faq/import", "table", (name, content))
    assert reply.status_code == status
    assert count(reply, "fault") == (status == 422)


def test_the_report_of_an_upload_warns_in_plain_words(api: Served, ann: httpx.Client) -> None:
    """Not in green where a file was refused; each file is named once, without the words of a library."""
    refused = {
        "scan.pdf": make_pdf([""]),
        "empty.md": b"",
        "torn.pptx": b"PK no slides",
        "torn.pdf": b"%PDF-1.7 no more",
        "nul.txt": b"a\0b",
    }
    report = ended(ann, upload(ann, f"{HOME}/materials", "files", *refused.items())).text
    assert re.search(r'<p class="fault"[^>]*data-testid="ingested"', report)
    for path in refused:
        assert report.count(path) == 1, path
    assert "This looks like a scan" in report
    for word in ("PDFium", "NUL", "page 1", "Content_Types"):
        assert word not in report, word


def test_the_graph_is_edited_by_hand(api: Served, ann: httpx.Client) -> None:
    """Explain, link, unlink, rename, merge, reject, undo: each is live at once and can be read back."""
    home = f"{HOME}/graph"
    csrf = token(ann.get(home))

    def edit(**fields: str) -> httpx.Response:
        return ann.post(f"{home}/edits", data={"csrf": csrf, **fields}, follow_redirects=True)

    def graph() -> dict[str, list[str]]:
        body = api.client.get(f"/v1/courses/{COURSE}/graph").json()
        names = {each["name"]: [] for each in body["concepts"]}
        for each in body["edges"]:
            names[each["concept"]].append(each["prerequisite"])
        return names

    assert count(ann.get(f"{home}?search=last in"), "concept") == 1
    shown = edit(kind="explain", concept="queue", definition="First come, first served.", about="queue")
    assert "First come, first served." in shown.text
    shown = edit(kind="link", prerequisite="stack", concept="queue", evidence="week 3", about="queue")
    assert "week 3" in shown.text
    assert set(graph()["queue"]) == {"stack", "linear list"}
    refused = edit(kind="link", prerequisite="queue", concept="stack", about="stack")
    assert (refused.status_code, count(refused, "fault")) == (422, 1)
    edit(kind="unlink", prerequisite="stack", concept="queue", about="queue")
    assert graph()["queue"] == ["linear list"]
    assert ">waiting line <" in edit(kind="rename", concept="queue", name="waiting line", about="queue").text
    edit(kind="add", name="pile")
    edit(kind="merge", concept="stack", other="pile", about="stack")
    edit(kind="reject", concept="linear list", about="linear list")
    assert set(graph()) == {"stack", "waiting line"}
    assert count(ann.get(f"{home}/edits"), "edit") == 7
    ann.post(f"{home}/undo", data={"csrf": csrf})
    assert "linear list" in graph()
    picture = ann.get(f"{home}/picture", params={"name": "stack"})
    assert picture.headers["content-type"].startswith("image/svg+xml")
    assert ann.post(f"{home}/edits", data={"kind": "reject", "concept": "stack"}).status_code == 403


def test_the_graph_is_edited_by_http(api: Served) -> None:
    """With the instructor's key alone; what was undone is gone."""
    address = f"/v1/courses/{COURSE}/graph"
    headers = api.bearer()
    edit = {"kind": "link", "prerequisite": "stack", "concept": "queues", "evidence": "week 3"}
    assert api.client.post(f"{address}/edits", json=edit).status_code == 401
    made = api.client.post(f"{address}/edits", json=edit, headers=headers)
    assert (made.status_code, made.json()["edit"]["concept"]) == (201, "queue")
    (listed,) = api.client.get(f"{address}/edits", headers=headers).json()["edits"]
    assert (listed["number"], listed["effect"]) == (1, True)
    assert api.client.post(f"{address}/undo", headers=headers).json()["number"] == 1
    assert api.client.post(f"{address}/undo", headers=headers).status_code == 404
    wrong = {"kind": "reject", "concept": "no such concept"}
    assert api.client.post(f"{address}/edits", json=wrong, headers=headers).status_code == 404
    assert api.client.post(f"{address}/edits", json={"kind": "x"}, headers=headers).status_code == 422


def test_thresholds_are_set_and_given_back(api: Served, ann: httpx.Client) -> None:
    """A beta beyond every S makes nothing direct, as is told before saving; empty fields undo it."""
    question = "When is the homework due?"
    address = f"{HOME}/settings"
    assert api.ask(question)["route"] == "direct"
    csrf = token(ann.get(address))
    form = {"csrf": csrf, "alpha": "0.5", "beta": "99"}
    tried = ann.post(f"{address}/thresholds", data={**form, "action": "replay"})
    assert (count(tried, "replayed"), count(tried, "changed")) == (1, 1)
    assert "1 of the last 1 questions" in tried.text
    assert 'value="99"' in tried.text
    assert api.ask(question)["route"] == "direct"
    same = ann.post(f"{address}/thresholds", data={**form, "alpha": "", "beta": "", "action": "replay"})
    assert (count(same, "replayed"), count(same, "changed")) == (1, 0)
    saved = ann.post(f"{address}/thresholds", data=form, follow_redirects=True)
    assert count(saved, "saved") == 1
    assert 'data-testid="course-beta">99<' in saved.text
    assert api.ask(question)["route"] == "chain_of_teach"
    ann.post(f"{address}/thresholds", data={**form, "alpha": "", "beta": ""})
    assert api.ask(question)["route"] == "direct"
    sure = ann.post(f"{address}/thresholds", data={**form, "relevance": "1"}, follow_redirects=True)
    assert 'data-testid="course-relevance">1<' in sure.text
    wrongs = [("beta", wrong) for wrong in ("-1", "nan", "much", "1e9")]
    for name, wrong in (*wrongs, ("relevance", "1.5")):
        refused = ann.post(f"{address}/thresholds", data={**form, name: wrong})
        assert (refused.status_code, count(refused, "fault")) == (422, 1)
        at = [refused.text.index(part) for part in (f'for="{name}"', 'data-testid="fault"', f'id="{name}"')]
        assert at == sorted(at), "the fault stands at its field"


def test_keys_are_listed_and_revoked(api: Served, ann: httpx.Client) -> None:
    """Without their secrets; one's own logs one out, and another course's is not found."""
    keys, address = api.platform.stores.keys, f"{HOME}/settings"
    text, other = keys.make(COURSE, Role.INSTRUCTOR)
    _, foreign = keys.make(CourseId("stacks-zh"), Role.INSTRUCTOR)
    shown = ann.get(address)
    assert count(shown, "key") == 2
    assert text not in shown.text
    csrf = token(shown)
    ann.post(f"{address}/keys/revoke", data={"csrf": csrf, "key": other.id})
    assert keys.check(text) is None
    assert ann.post(f"{address}/keys/revoke", data={"csrf": csrf, "key": foreign.id}).status_code == 404
    own = next(key for key in keys.keys(COURSE) if not key.revoked)
    ann.post(f"{address}/keys/revoke", data={"csrf": csrf, "key": own.id})
    assert ann.get(address).headers["location"].startswith("/console/log-in")


def test_a_preview_shows_why_and_is_not_kept(api: Served, ann: httpx.Client) -> None:
    """The answer of the assistant with trace, terms and scores; no turn is stored."""
    question = "When is the homework due?"
    address = f"{HOME}/preview"
    csrf = token(ann.get(address))
    shown = ann.post(address, data={"csrf": csrf, "question": question})
    assert "Sunday at 23:59" in shown.text
    assert 'data-testid="terms">homework' in shown.text
    assert count(shown, "candidate") >= 1
    assert count(shown, "step") >= 6
    assert api.platform.stores.sessions.latest_questions(COURSE, 10) == ()
    hint = ann.post(address, data={"csrf": csrf, "question": "What is a stack?", "hint": "1"})
    assert hint.status_code == 200
    empty = ann.post(address, data={"csrf": csrf, "question": " "})
    assert (empty.status_code, count(empty, "fault")) == (422, 1)


def test_a_draft_is_tried_beside_what_is_answered_now(api: Served, ann: httpx.Client) -> None:
    """From the form of an entry and on the page; each source leads to its place, nothing is kept."""
    form = {
        "csrf": form_token(ann),
        "question": "Which pen may I bring to the exam?",
        "answer": "A blue one.",
        "similar": "Is a pen allowed?",
        "negative": "",
    }
    tried = ann.post(f"{HOME}/preview/draft", data=form)
    now, then = tried.text.split('data-testid="answer-then"')
    now = now.split('data-testid="answer"')[1]
    assert ("A blue one." in now, "A blue one." in then) == (False, True)
    assert TEXTS[Language.EN]["route_direct"] in then
    assert "/pages/" in tried.text
    assert api.platform.stores.faq.entries(COURSE) == ()
    saving = {name: value for name, value in form.items() if name != "csrf"}
    for name, value in saving.items():
        assert f'name="{name}" value="{value}"' in tried.text
    entry = ann.post(f"{HOME}/faq/new", data={**form, "action": "save"}).headers["location"].split("?")[0]
    known = entry.rsplit("/", 1)[1]
    opened = ann.get(f"{HOME}/preview", params={"draft": known})
    assert "A blue one.</textarea>" in opened.text
    asked = {
        "csrf": form["csrf"],
        "question": form["question"],
        "draft_of": known,
        "draft_question": form["question"],
    }
    changed = ann.post(f"{HOME}/preview", data={**asked, "draft_answer": "A red one."})
    now, then = changed.text.split('data-testid="answer"')[1].split('data-testid="answer-then"')
    assert ("A blue one." in now, "A red one." in now) == (True, False)
    assert ("A blue one." in then.split("</section>")[0].split("<form")[0], "A red one." in then) == (
        False,
        True,
    )
    unfinished = ann.post(f"{HOME}/preview", data={**asked, "draft_answer": " "})
    assert (unfinished.status_code, count(unfinished, "fault")) == (422, 1)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_page_opens_in_both_languages(api: Served, ann: httpx.Client, language: str) -> None:
    """With its own language, one heading of the first level and a mark on its place in the navigation."""
    ann.get(f"/console/language/{language}")
    parts = (
        "inbox",
        "faq",
        "faq/new",
        "faq/import",
        "materials",
        "graph",
        "graph/edits",
        "settings",
        "preview",
    )
    for part in (*parts, "graph/concept?name=stack"):
        shown = ann.get(f"{HOME}/{part}")
        assert shown.status_code == 200, part
        assert f'<html lang="{language}">' in shown.text
        assert shown.text.count("<h1") == 1
        assert shown.text.count('aria-current="page"') == 1
