"""The FAQ list of the console, what is done to many entries at once, and undoing it, over a real socket."""

from __future__ import annotations

import io
import re

import httpx
import pytest
from console_client import form_token
from openpyxl import Workbook
from served_platform import Served

from vta.types.courses import CourseId
from vta.types.faq import FaqDraft, FaqEntry, FaqState

COURSE = CourseId("stacks-en")
FAQ = f"/console/{COURSE}/faq"
EXAM = FaqDraft(question="When is the exam?", answer="On Monday.", category="exams")
BOOK = FaqDraft(question="Is there a book?", answer="No.")
QUIZ = FaqDraft(question="How long is the quiz?", answer="An hour.", category="exams", state=FaqState.DRAFT)


@pytest.fixture
def ann(ann: httpx.Client) -> httpx.Client:
    """She follows where she is led."""
    ann.follow_redirects = True
    return ann


@pytest.fixture
def entries(api: Served) -> tuple[FaqEntry, ...]:
    return api.platform.stores.faq.add(COURSE, [EXAM, BOOK, QUIZ], editor="Bo")


def fields(page: httpx.Response, *names: str) -> dict[str, str]:
    return dict(re.findall(rf'name="({"|".join(names)})" value="([^"]*)"', page.text))


def questions(page: httpx.Response) -> list[str]:
    return re.findall(r'data-testid="open-entry">([^<]*)<', page.text)


def test_the_list_is_sorted_and_filtered(api: Served, ann: httpx.Client, entries: tuple[FaqEntry]) -> None:
    """By category, state and words; the most asked first, with how often; filters stay on the next page."""
    for _ in range(2):
        assert "On Monday." in api.ask(EXAM.question)["text"]
    assert "An hour." not in api.ask(QUIZ.question)["text"]
    asked = ann.get(FAQ, params={"order": "asked"})
    assert questions(asked)[0] == EXAM.question
    assert asked.text.count("asked 2×") == 1
    assert questions(ann.get(FAQ, params={"order": "question"}))[0] == QUIZ.question
    assert questions(ann.get(FAQ, params={"category": "exams", "state": "live"})) == [EXAM.question]
    assert questions(ann.get(FAQ, params={"category": " "})) == [BOOK.question]
    assert 'data-testid="is-draft"' in ann.get(FAQ, params={"state": "draft"}).text
    many = [FaqDraft(question=f"Number {n}?", answer="Yes.", category="many") for n in range(51)]
    api.platform.stores.faq.add(COURSE, many, editor="Bo")
    first = ann.get(FAQ, params={"category": "many", "order": "question"})
    link = re.search(r'href="([^"]+)" data-testid="next-page"', first.text)
    assert link
    assert questions(ann.get(link[1].replace("&amp;", "&"))) == ["Number 9?"]
    assert "No matches." in ann.get(FAQ, params={"category": "none such"}).text


def choose(ann: httpx.Client, action: str, **form: object) -> httpx.Response:
    """Choose entries on the list and confirm what is asked."""
    csrf = form_token(ann)
    asked = ann.post(f"{FAQ}/selected", data={"csrf": csrf, "action": action, **form})
    assert 'data-testid="asks"' in asked.text
    return ann.post(f"{FAQ}/change", data={**fields(asked, "csrf", "entries", "to"), "action": action})


def undo(ann: httpx.Client, page: httpx.Response) -> httpx.Response:
    """Press the undo of a message."""
    return ann.post(f"{FAQ}/changes", data=fields(page, "csrf", "batch"))


def test_many_entries_are_changed_by_one_confirmation_and_one_undo(
    api: Served, ann: httpx.Client, entries: tuple[FaqEntry]
) -> None:
    """The confirmation counts and names them, the message says what was done, students see it at once."""
    csrf = form_token(ann)
    ids = [entry.id for entry in entries]
    asked = ann.post(f"{FAQ}/selected", data={"csrf": csrf, "action": "remove", "entry": ids})
    assert "Remove entries: 3?" in asked.text
    assert len(api.platform.stores.faq.entries(COURSE)) == 3
    form = {**fields(asked, "csrf", "entries"), "action": "remove"}
    removed = ann.post(f"{FAQ}/change", data=form)
    assert "Removed: 3." in removed.text
    assert f"“{QUIZ.question}”" in removed.text
    assert "On Monday." not in api.ask(EXAM.question)["text"]
    undone = undo(ann, removed)
    assert 'data-testid="undone"' in undone.text
    assert "On Monday." in api.ask(EXAM.question)["text"]
    assert undo(ann, removed).status_code == 409
    filed = choose(ann, "category", to="reading", entry=[entries[1].id])
    assert "Category set to “reading”: 1." in filed.text
    live = choose(ann, "live", all="1", search="quiz")
    assert "Made live: 1." in live.text
    assert "An hour." in api.ask(QUIZ.question)["text"]
    drafted = choose(ann, "draft", all="1", show="")
    assert "Made drafts: 3." in drafted.text
    assert "On Monday." not in api.ask(EXAM.question)["text"]
    assert ann.get(f"{FAQ}/changes").text.count('data-testid="batch"') == 4


def test_choosing_nothing_or_what_is_so_already_says_so(ann: httpx.Client, entries: tuple[FaqEntry]) -> None:
    """And writes nothing."""
    csrf = form_token(ann)
    none = ann.post(f"{FAQ}/selected", data={"csrf": csrf, "action": "remove"})
    assert "Choose one or more entries first." in none.text
    same = choose(ann, "draft", entry=[entries[2].id])
    assert "Nothing was changed." in same.text
    assert 'data-testid="batch"' not in ann.get(f"{FAQ}/changes").text


def test_removed_entries_are_restored_together(
    api: Served, ann: httpx.Client, entries: tuple[FaqEntry]
) -> None:
    """From their own list."""
    choose(ann, "remove", entry=[entry.id for entry in entries])
    gone = ann.get(FAQ, params={"show": "removed"})
    assert len(questions(gone)) == 3
    choose(ann, "restore", show="removed", entry=[entry.id for entry in entries[:2]])
    assert [entry.draft for entry in api.platform.stores.faq.entries(COURSE)] == [EXAM, BOOK]


def test_a_near_duplicate_is_named_when_an_entry_is_saved(
    ann: httpx.Client, entries: tuple[FaqEntry]
) -> None:
    """With a link; the entry is saved all the same."""
    form = {"csrf": form_token(ann), "action": "save", "answer": "Soon."}
    saved = ann.post(f"{FAQ}/new", data={**form, "question": "When is the final exam?"})
    near = saved.text.split('data-testid="near"')[1].split("</section>")[0]
    assert f'{FAQ}/{entries[0].id}">{EXAM.question}' in near
    assert BOOK.question not in near
    far = ann.post(f"{FAQ}/new", data={**form, "question": "Who marks the homework?"})
    assert 'data-testid="saved"' in far.text
    assert 'data-testid="near"' not in far.text


def test_an_answer_is_seen_as_students_read_it(ann: httpx.Client) -> None:
    """By a button that saves nothing, or as a part of a page; sanitised like every answer."""
    form = {"csrf": form_token(ann), "question": "Why?"}
    text = "**So.** <script>alert(1)</script>"
    looked = ann.post(f"{FAQ}/new", data={**form, "answer": text, "action": "preview"})
    part = ann.post(f"{FAQ}/rendered", data={**form, "answer": text})
    for page in (looked, part):
        assert "<strong>So.</strong>" in page.text
        assert "<script>alert" not in page.text
    assert "<html" not in part.text
    assert questions(ann.get(FAQ)) == []
    assert ann.post(f"{FAQ}/rendered", data={"csrf": "x", "answer": text}).status_code == 403


def upload(ann: httpx.Client, name: str, content: bytes) -> httpx.Response:
    csrf = form_token(ann)
    return ann.post(f"{FAQ}/import", data={"csrf": csrf}, files=[("table", (name, content))])


def test_an_import_is_undone_from_its_message(
    api: Served, ann: httpx.Client, entries: tuple[FaqEntry]
) -> None:
    """A semicolon table with titles, in the file's own name; what was edited since is kept and listed."""
    table = (
        "Course FAQ;;\nSpring;;\n\nQ;A;分类\nWhen is the exam?;On Friday.;exams\n"
        "Who grades?;Bo.;people\nwho grades;Ann.;people\nWhere is it?;Online.;\n"
    )
    dry = upload(ann, "Fragen 2025.csv", table.encode("utf-16"))
    assert "Fragen 2025.csv" in dry.text
    assert "Row 7" in dry.text
    assert "Same question as row 6" in dry.text
    names = ("csrf", "token", "mark", "file", "sheet")
    done = ann.post(f"{FAQ}/import/confirm", data=fields(dry, *names))
    assert "Imported and live: 2 new, 1 changed." in done.text
    assert "On Friday." in api.ask(EXAM.question)["text"]
    added = next(e for e in api.platform.stores.faq.entries(COURSE) if e.draft.question == "Who grades?")
    assert added.draft.category == "people"
    edited = FaqDraft(question="Who grades?", answer="Cy.")
    api.platform.faq.edit(COURSE, added.id, edited, editor="Cy", expected=1)
    undone = undo(ann, done)
    kept = undone.text.split('data-testid="kept"')[1].split("</section>")[0]
    assert f'{FAQ}/{added.id}">Who grades?' in kept
    assert [e.draft for e in api.platform.stores.faq.entries(COURSE)] == [EXAM, BOOK, QUIZ, edited]
    assert "On Monday." in api.ask(EXAM.question)["text"]


def test_of_a_workbook_the_sheet_is_asked(api: Served, ann: httpx.Client) -> None:
    """Where several have a header; the one chosen is read and imported."""
    book = Workbook()
    for name, question in (("2024", "Why?"), ("2025", "How?")):
        sheet = book.create_sheet(name)
        sheet.append(["Question", "Answer"])
        sheet.append([question, "So."])
    content = io.BytesIO()
    book.save(content)
    dry = upload(ann, "faq.xlsx", content.getvalue())
    assert "Several sheets look like an FAQ" in dry.text
    assert "Why?" in dry.text
    form = fields(dry, "csrf", "token", "mark", "file")
    chosen = ann.post(f"{FAQ}/import/confirm", data={**form, "look": "1", "sheet": "2025"})
    assert "How?" in chosen.text
    assert "Why?" not in chosen.text
    ann.post(f"{FAQ}/import/confirm", data=fields(chosen, "csrf", "token", "mark", "file", "sheet"))
    assert [entry.draft.question for entry in api.platform.stores.faq.entries(COURSE)] == ["How?"]


def test_programs_filter_change_and_undo_too(api: Served, entries: tuple[FaqEntry]) -> None:
    """By HTTP as in the console: categories, states, batches, their undoing, and what was removed."""
    address, who = f"/v1/courses/{COURSE}/faq", api.bearer()

    def listed(**query: str) -> list[str]:
        reply = api.client.get(address, params=query, headers=who).json()
        return [entry["question"] for entry in reply["entries"]]

    assert listed(category="exams", state="live") == [EXAM.question]
    assert listed(order="question")[0] == QUIZ.question
    change = {"entries": [entry.id for entry in entries], "removed": True}
    batch = api.client.post(f"{address}/batches", json=change, headers=who).json()
    assert (batch["kind"], batch["changed"], listed()) == ("remove", 3, [])
    assert len(listed(removed="true")) == 3
    assert api.client.post(f"{address}/batches", json=change, headers=who).json() is None
    two = {**change, "category": "x"}
    assert api.client.post(f"{address}/batches", json=two, headers=who).status_code == 422
    undone = api.client.post(f"{address}/batches/{batch['id']}/undo", headers=who).json()
    assert (undone["undone"], undone["kept"]) == (3, [])
    assert len(listed()) == 3
    assert api.client.post(f"{address}/batches/{batch['id']}/undo", headers=who).status_code == 409
    (shown,) = api.client.get(f"{address}/batches", headers=who).json()["batches"]
    assert shown["undone_at"] is not None
