"""The inbox as a whole: filtered, ordered, several groups settled at once, notes and names."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from console_client import form_token, logged_in
from scripted_llm import ScriptedLlm
from served_platform import Serve, Served
from sqlalchemy import insert, select, update

from services.people.sessions import COOKIE
from services.people.store import CourseRole
from services.questions import service
from services.store import tables
from vta.errors import UpstreamFailed
from vta.faults import Fault
from vta.types.courses import CourseId
from vta.types.faq import FaqDraft

COURSE = CourseId("stacks-en")
HOME = f"/console/{COURSE}/inbox"
UNDO, COOK, HEAP = "Will the final exam cover undo stacks?", "Who was Napoleon's cook?", "Do heaps bloom?"


def listed(ann: httpx.Client, **query: str) -> list[str]:
    """The first question of each group on a page, in order."""
    shown = ann.get(HOME, params=query)
    assert shown.status_code == 200
    return [text.replace("&#39;", "'") for text in re.findall(r'<p class="question">([^<]*)<', shown.text)]


def send(ann: httpx.Client, ids: list[str], action: str, **fields: str) -> httpx.Response:
    """Do something with one group of the list."""
    form = {"csrf": form_token(ann), "group": " ".join(ids), "action": action, **fields}
    return ann.post(f"{HOME}/selected", data=form)


def settle(ann: httpx.Client, ids: str | list[str], action: str, **fields: Any) -> httpx.Response:
    """Press a button on the page of a group."""
    form = {"csrf": form_token(ann), "q": ids, "action": action, **fields}
    return ann.post(f"{HOME}/answer", data=form)


def test_the_inbox_is_filtered_by_band_and_ordered(api: Served, ann: httpx.Client) -> None:
    """The counts of the bands stay those of the whole inbox, whichever band is shown."""
    for question in (COOK, UNDO, HEAP):
        api.ask_ta(question)
    assert listed(ann, order="oldest", band="discard") == [COOK, HEAP]
    assert listed(ann, order="newest", band="discard") == [HEAP, COOK]
    shown = ann.get(HOME, params={"band": "hold"}).text
    assert COOK.replace("'", "&#39;") not in shown
    counts = dict(re.findall(r'data-testid="tab-(\w+)">[^<]*<span>(\d+)<', shown))
    assert counts == {"all": "3", "publish": "0", "hold": "1", "discard": "2"}
    assert sorted(listed(ann, band="<b>", order="x", page="-1")) == sorted([UNDO, COOK, HEAP])


def test_several_groups_are_declined_at_once(api: Served, ann: httpx.Client) -> None:
    """All askers of all chosen groups read the reason; the page that comes back is the one that was there."""
    ids = [api.ask_ta(question) for question in (UNDO, COOK, HEAP)]
    done = send(ann, [ids[1][0], ids[2][0]], "reject", reason="Not in this course.", order="oldest")
    assert done.headers["location"] == f"{HOME}?order=oldest&settled=reject"
    assert listed(ann) == [UNDO]
    for _, turn in ids[1:]:
        (told,) = api.ta_answers(turn)
        assert (told["state"], told["reason"]) == ("rejected", "Not in this course.")


@pytest.mark.parametrize(("reason", "said"), [("", "Declined without a reason."), ("Off topic.", "can see")])
def test_what_was_declined_is_said_with_or_without_a_reason(
    api: Served, ann: httpx.Client, reason: str, said: str
) -> None:
    """Nobody is said to see a reason that was not given, from the list or from the page of a group."""
    first, second = (api.ask_ta(question)[0] for question in (COOK, HEAP))
    for done in (
        send(ann, [first], "reject", reason=reason),
        settle(ann, second, "reject", reason=reason),
    ):
        assert said in ann.get(done.headers["location"]).text


def test_several_groups_are_answered_together(api: Served, ann: httpx.Client) -> None:
    """Different wordings that no comparison joins are joined by hand: one answer for all of them."""
    ids = [api.ask_ta(question) for question in (COOK, HEAP)]
    page = send(ann, [each for each, _ in ids], "together").headers["location"]
    shown = ann.get(page).text
    assert all(f'name="q" value="{each}" checked' in shown for each, _ in ids)
    done = settle(ann, [each for each, _ in ids], "publish", question="Off topic?", answer="Yes.")
    assert done.status_code == 303
    (entry,) = api.platform.stores.faq.entries(COURSE)
    assert set(entry.draft.similar_questions) == {COOK, HEAP}
    assert listed(ann) == []


def test_ready_answers_are_published_together_as_they_were_shown(api: Served, ann: httpx.Client) -> None:
    """Each group gets its own; one without a ready answer is said to wait on, and so does one not chosen."""
    answers = {"What is the exam code?": "It is 7.", "Where is the exam room?": "In the old hall."}
    drafts = [FaqDraft(question=question, answer=text) for question, text in answers.items()]
    ids = [api.ask_ta(question) for question in (*answers, COOK)]
    api.platform.stores.faq.add(COURSE, drafts, editor="Bo")
    shown = ann.get(HOME).text
    fields = dict(re.findall(r'name="((?:entry|asks|ready):\w+)" value="([^"]*)" form="selected"', shown))
    assert len(fields) == 2
    form = {"csrf": form_token(ann), "group": [each for each, _ in ids], "action": "ready", **fields}
    done = ann.post(f"{HOME}/selected", data=form)
    assert done.headers["location"] == f"{HOME}?settled=some_ready&undo={ids[0][0]}+{ids[1][0]}"
    assert listed(ann) == [COOK]
    for (_, turn), text in zip(ids, answers.values(), strict=False):
        told = api.ta_answers(turn)
        assert len(told) == 1
        assert text in str(told)


def test_the_next_question_for_a_ta_follows_the_one_that_was_published(
    api: Served, ann: httpx.Client
) -> None:
    """Without the way over the inbox, until none is left; what the course has nothing on comes last."""
    first, _ = api.ask_ta(UNDO)
    second, _ = api.ask_ta("May the final exam cover text editors?")
    cook, _ = api.ask_ta(COOK)
    following = publish(ann, [first], UNDO, "publish_next")
    assert following == f"{HOME}/answer?q={second}&done=publish_next&undo={first}"
    assert "Here is the next." in ann.get(following).text
    off = publish(ann, [second], "May the final exam cover text editors?", "publish_next")
    assert off == f"{HOME}/answer?q={cook}&done=publish_next&undo={second}"
    last = publish(ann, [cook], COOK, "publish_next")
    assert last == f"{HOME}?settled=publish&undo={cook}"


def test_a_language_model_drafts_an_answer_that_a_ta_checks(serve: Serve, scripted_llm: ScriptedLlm) -> None:
    """By the path that answers students, with its sources; the question waits on, and a failure is said."""
    scripted_llm.play(scripted_llm.ok())
    api = serve(llm_base_url=scripted_llm.base_url, llm_model="m")
    waiting, _ = api.ask_ta("How do editors undo with a stack?")
    scripted_llm.play(scripted_llm.ok("Undo is taught with stacks [1]."), scripted_llm.status(500))
    with logged_in(api) as ann:
        assert 'data-testid="model-draft"' in ann.get(f"{HOME}/answer", params={"q": waiting}).text
        form = {"csrf": form_token(ann), "q": waiting, "question": "Undo?", "answer": ""}
        shown, failed = (ann.post(f"{HOME}/answer/draft", data=form).text for _ in range(2))
    (text,) = re.findall(r'data-testid="answer-text">([^<]*)<', shown)
    assert text == "Undo is taught with stacks.\n\n- **Undo**"
    assert "Nothing is published" in shown
    assert "wrote no draft" in failed
    assert groups_of(api) == [["How do editors undo with a stack?"]]


def publish(ann: httpx.Client, ids: list[str], question: str, action: str = "publish", **more: str) -> str:
    """Where the page with "Published and live" is."""
    return settle(ann, ids, action, question=question, answer="Yes.", **more).headers["location"]


def press_undo(ann: httpx.Client, place: str) -> httpx.Response:
    """Press the button on a page."""
    found = re.findall(r'name="undo" value="([^"]+)"', ann.get(place).text)
    assert len(found) == 1
    return ann.post(f"{HOME}/undo", data={"csrf": form_token(ann), "undo": found[0]})


def test_one_press_takes_a_published_answer_back(api: Served, ann: httpx.Client) -> None:
    """The entry answers no more, the question waits again, and its asker has no answer."""
    first, turn = api.ask_ta(UNDO)
    done = press_undo(ann, publish(ann, [first], UNDO))
    assert done.headers["location"] == f"{HOME}?settled=undo"
    assert listed(ann) == [UNDO]
    assert api.ta_answers(turn) == []
    assert api.platform.stores.faq.entries(COURSE) == ()


def test_undo_gives_an_entry_its_wording_of_before(api: Served, ann: httpx.Client) -> None:
    """The entry stays live, without the question that was added to it."""
    first, _ = api.ask_ta(UNDO)
    before = FaqDraft(question="Are undo stacks asked?", answer="No.")
    entry = api.platform.faq.add(COURSE, before, editor="Bo")
    press_undo(ann, publish(ann, [first], UNDO, "merge", entry=entry.id))
    assert listed(ann) == [UNDO]
    (now,) = api.platform.stores.faq.entries(COURSE)
    assert now.draft == entry.draft


def test_an_entry_that_was_edited_since_is_not_taken_back(api: Served, ann: httpx.Client) -> None:
    """What another instructor wrote is not lost; the page names them."""
    first, _ = api.ask_ta(UNDO)
    place = publish(ann, [first], UNDO)
    (entry,) = api.platform.stores.faq.entries(COURSE)
    corrected = FaqDraft(question=UNDO, answer="Only in part.")
    api.platform.faq.edit(COURSE, entry.id, corrected, editor="Bo", expected=entry.version)
    refused = press_undo(ann, place)
    assert refused.status_code == 409
    assert "Bo changed this entry since" in refused.text
    assert listed(ann) == []


def test_a_group_too_large_for_an_address_is_settled_in_parts(api: Served, ann: httpx.Client) -> None:
    """Of 1,100 questions with the same words one form names 1,000; their page opens, the rest waits on."""
    api.ask_ta(COOK)
    with api.platform.stores.engine.begin() as connection:
        turn = dict(connection.execute(select(tables.turns)).mappings().one())
        waiting = dict(connection.execute(select(tables.waiting_questions)).mappings().one())
        for number in range(1100):
            copy = {"id": f"turn-{number}", "number": number + 2}
            connection.execute(insert(tables.turns).values({**turn, **copy}))
            entry = {"id": f"{number:032}", "turn_id": f"turn-{number}"}
            connection.execute(insert(tables.waiting_questions).values({**waiting, **entry}))
    link = re.search(r'data-testid="answer" href="([^"]+)"', ann.get(HOME).text)
    assert link
    shown = ann.get(link[1].replace("&amp;", "&"))
    assert (shown.status_code, shown.text.count('name="q"')) == (200, 1000)
    ids = re.findall(r'name="q" value="([^"]+)"', shown.text)
    assert send(ann, ids, "reject", reason="no").status_code == 303
    assert "asked 101×" in ann.get(HOME).text


def test_nothing_is_done_where_nothing_was_chosen(api: Served, ann: httpx.Client) -> None:
    """The page says so and keeps its place; a question that was settled meanwhile is a conflict."""
    waiting, _ = api.ask_ta(COOK)
    back = send(ann, [], "reject", search="cook").headers["location"]
    assert back == f"{HOME}?search=cook&settled=none"
    assert 'role="alert"' in ann.get(back).text
    assert send(ann, [waiting], "reject").status_code == 303
    assert send(ann, [waiting], "reject").status_code == 409


def assign_by_name(api: Served, question: str, name: str) -> None:
    body = {"questions": [question], "name": name}
    address = f"/v1/courses/{COURSE}/questions/assign"
    assert api.client.post(address, json=body, headers=api.bearer()).status_code == 204


def whose(page: httpx.Response) -> dict[str, str]:
    """How many questions the tabs "everyone's" and "mine" say."""
    return dict(re.findall(r'data-testid="(everyones|mine)">[^<]*<span>(\d+)<', page.text))


def test_groups_are_assigned_to_the_people_of_the_course(api: Served, ann: httpx.Client) -> None:
    """Oneself first, then members, then whoever was named before; the API says their names as ever."""
    (cook, _), (heap, _) = api.ask_ta(COOK), api.ask_ta(HEAP)
    stores = api.platform.stores
    bo = stores.people.add(name="Bo", email="bo@uni.example")
    stores.memberships.put(COURSE, bo.id, CourseRole.TA)
    assign_by_name(api, cook, "  Cy <b> ")
    (choice,) = re.findall(r'<select name="name".*?</select>', ann.get(HOME).text, re.DOTALL)
    assert re.findall(r'value="([^"]*)"[^>]*>([^<]*)<', choice) == [
        ("Ann", "Ann (me)"),
        (bo.id, "Bo"),
        ("Cy &lt;b&gt;", "Cy &lt;b&gt; · 1"),
        ("", "Nobody"),
    ]
    send(ann, [heap], "assign", name=bo.id)
    assert (listed(ann, assignee=bo.id), listed(ann, assignee="Cy <b>")) == ([HEAP], [COOK])
    assert "Cy &lt;b&gt;</span>" in ann.get(HOME).text
    address = f"/v1/courses/{COURSE}/questions"
    found = api.client.get(address, params={"assignee": "Bo"}, headers=api.bearer()).json()
    assert [(each["question"], each["assignee"]) for each in found["questions"]] == [(HEAP, "Bo")]
    stores.people.rename(bo.id, "Bo Li")
    assert 'data-testid="assignee">Bo Li<' in ann.get(HOME).text
    refused = send(ann, [heap], "assign", name="nobody-here")
    assert refused.status_code == 422
    assert "not in the course any more" in refused.text
    stores.memberships.remove(COURSE, bo.id)
    assert listed(ann, assignee="Bo Li") == [HEAP]
    send(ann, [heap], "assign", name="")
    assert listed(ann, assignee="-") == [HEAP]


def test_mine_are_those_of_my_account_and_of_my_name(api: Served, ann: httpx.Client) -> None:
    """Of two people with one name each has their own; what was assigned to the name alone is of both."""
    ids = [api.ask_ta(question)[0] for question in (UNDO, COOK, HEAP)]
    stores = api.platform.stores
    first, second = (stores.people.add(name="Ann", email=f"{each}@uni.example") for each in "ab")
    for person in (first, second):
        stores.memberships.put(COURSE, person.id, CourseRole.TA)
    assert whose(ann.get(HOME)) == {"everyones": "3", "mine": "0"}
    assert settle(ann, ids[0], "assign", name=first.id).status_code == 303
    send(ann, [ids[1]], "assign", name=second.id)
    assign_by_name(api, ids[2], "Ann")
    for person, question in ((first, UNDO), (second, COOK)):
        cookie, _ = stores.console.open(None, person.name, person=person)
        with httpx.Client(base_url=api.address, cookies={COOKIE: cookie}, trust_env=False) as client:
            assert whose(client.get(HOME)) == {"everyones": "3", "mine": "2"}
            assert set(listed(client, assignee=person.id)) == {question, HEAP}


def test_the_others_see_who_opened_a_question(api: Served, ann: httpx.Client) -> None:
    """On its card and page, for ten minutes and not for oneself; nothing is locked, and no student has it."""
    waiting, turn = api.ask_ta(COOK)
    near, _ = api.ask_ta("Who was Napoleon's own cook?")
    page = f"{HOME}/answer?q={waiting}&q={near}"
    with logged_in(api, name="Bo <b>") as bo:
        assert bo.get(page).status_code == 200
        assert "reader" not in bo.get(HOME).text
        for place in (HOME, page):
            assert shown_readers(ann.get(place)) == ["Bo &lt;b&gt; opened this 1 min ago"]
        assert shown_readers(bo.get(page)) == ["Ann opened this 1 min ago"]
        long_ago = datetime.now(UTC) - timedelta(minutes=11)
        with api.platform.stores.engine.begin() as connection:
            connection.execute(update(tables.question_readers).values(opened_at=long_ago))
        assert shown_readers(ann.get(HOME)) == []
        assert shown_readers(ann.get(page)) == []
        kept = select(tables.question_readers.c.name).distinct()
        with api.platform.stores.engine.connect() as connection:
            assert connection.execute(kept).scalars().all() == ["Ann"]
        assert settle(bo, [waiting, near], "reject", reason="no").status_code == 303
    assert "Bo" not in str(api.ta_answers(turn))


def shown_readers(page: httpx.Response) -> list[str]:
    return re.findall(r'data-testid="reader">([^<]*)<', page.text)


def test_a_card_says_how_long_its_oldest_question_waits(api: Served, ann: httpx.Client) -> None:
    """In minutes, hours or days, in both languages."""
    waiting, _ = api.ask_ta(COOK)
    table, now = tables.waiting_questions, datetime.now(UTC)
    ages = ((0, "1 min", "1 分钟"), (2, "2 h", "2 小时"), (47, "47 h", "47 小时"), (49, "2 days", "2 天"))
    for hours, english, chinese in ages:
        with api.platform.stores.engine.begin() as connection:
            then = now - timedelta(hours=hours)
            connection.execute(update(table).filter_by(id=waiting).values(created_at=then))
        for language, words in (("en", f"waiting {english}"), ("zh", f"已等待 {chinese}")):
            ann.cookies.set("vta_language", language, path="/console")
            assert f'data-testid="age">{words}<' in ann.get(HOME).text


def test_a_question_that_waits_longer_than_usual_is_marked(api: Served, ann: httpx.Client) -> None:
    """After five answers the asker is told the usual wait, and a card that is older bears one mark."""
    answered = [api.ask_ta(f"{HEAP} {number}")[0] for number in range(5)]
    assert settle(ann, answered, "reply", private="No.").status_code == 303
    table, now = tables.waiting_questions, datetime.now(UTC)
    waiting, turn = api.ask_ta(COOK)
    with api.platform.stores.engine.begin() as connection:
        settled = update(table).where(table.c.id.in_(answered))
        connection.execute(settled.values(created_at=now - timedelta(hours=5), resolved_at=now))
    assert 'data-testid="late"' not in ann.get(HOME).text
    told = api.client.post(f"/v1/courses/{COURSE}/turns/{turn['turn_id']}/ask-ta")
    assert told.json() == {
        "question_id": waiting,
        "state": "waiting",
        "usual_wait_s": 18000.0,
        "office_hour": None,
    }
    with api.platform.stores.engine.begin() as connection:
        change = update(table).filter_by(id=waiting)
        connection.execute(change.values(created_at=now - timedelta(hours=6)))
    assert re.findall(r'data-testid="late">([^<]*)<', ann.get(HOME).text) == ["longer than usual"]


def drafted(ann: httpx.Client, waiting: str) -> str:
    page = ann.get(f"{HOME}/answer", params={"q": waiting}).text
    (text,) = re.findall(r'data-testid="answer-text">([^<]*)<', page)
    return text


def test_an_entry_is_a_draft_for_its_own_question_alone(api: Served, ann: httpx.Client) -> None:
    """One that only looks alike is named beside the field; else a place of the course is a start."""
    near = FaqDraft(question="What may I bring to the exam on undo stacks?", answer="One page of notes.")
    api.platform.faq.add(COURSE, near, editor="Bo")
    waiting, _ = api.ask_ta("What may I bring to the test on undo stacks?")
    assert "One page of notes." not in drafted(ann, waiting)
    assert near.question in ann.get(f"{HOME}/answer", params={"q": waiting}).text
    exact, _ = api.ask_ta(near.question)
    assert drafted(ann, exact) == near.answer
    assert f'data-testid="offered-question">{near.question}<' in ann.get(HOME).text
    held, _ = api.ask_ta(UNDO)
    assert drafted(ann, held).startswith("**")
    assert "&gt; " in drafted(ann, held)
    nothing, _ = api.ask_ta(COOK)
    assert drafted(ann, nothing) == ""


def settle_three(api: Served, ann: httpx.Client) -> None:
    """One is published, one answered privately, one declined."""
    ids = [api.ask_ta(question)[0] for question in (UNDO, HEAP, COOK)]
    for done in (
        settle(ann, ids[0], "publish", question=UNDO, answer="Yes, **chapter 9** too."),
        settle(ann, ids[1], "reply", private="No, but trees do."),
        settle(ann, ids[2], "reject", reason="Try a history forum."),
    ):
        assert done.status_code == 303


def test_settled_questions_are_searched(
    api: Served, ann: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By their words, the answer, the private reply and the reason; the search goes on to the next page."""
    settle_three(api, ann)

    def found(state: str, sought: str) -> list[str]:
        page = ann.get(f"{HOME}/{state}", params={"search": sought})
        return [text.replace("&#39;", "'") for text in re.findall(r'class="question">([^<]*)<', page.text)]

    assert found("answered", "") == [HEAP, UNDO]
    assert found("answered", "CHAPTER 9") == [UNDO]
    assert found("answered", "trees do") == [HEAP]
    assert found("answered", "undo stacks") == [UNDO]
    assert found("rejected", "history") == found("rejected", "napoleon") == [COOK]
    assert found("answered", "history") == []
    shown = ann.get(f"{HOME}/answered").text
    assert 'data-testid="told">Yes, chapter 9 too.<' in shown
    monkeypatch.setattr(service, "SETTLED_PAGE_SIZE", 1)
    assert 'href="?page=2&amp;search=o"' in ann.get(f"{HOME}/answered?search=o").text
    assert len(re.findall('class="question"', ann.get(f"{HOME}/answered?search=o&page=2").text)) == 1
    assert f"{HOME}/rejected?search=o" in ann.get(f"{HOME}/answered?search=o").text


@pytest.mark.parametrize(
    ("question", "before"),
    [
        ("Who was the cook of Napoleon?", "Try a history forum."),
        ("Do the heaps bloom?", "No, but trees do."),
        ("Is there a blackboard?", None),
    ],
)
def test_how_nearly_the_same_was_settled_stands_beside_it(
    api: Served, ann: httpx.Client, question: str, before: str | None
) -> None:
    """A reason or a private reply; an entry that answered stands among those to add to instead."""
    settle_three(api, ann)
    waiting, _ = api.ask_ta(question)
    page = ann.get(f"{HOME}/answer", params={"q": waiting}).text
    assert (page.count('data-testid="earlier"') == 1) == (before is not None)
    assert before is None or before in page


def groups_of(api: Served) -> list[list[str]]:
    address = f"/v1/courses/{COURSE}/questions/groups"
    groups = api.client.get(address, params={"order": "oldest"}, headers=api.bearer()).json()["groups"]
    return sorted([each["question"] for each in group["questions"]] for group in groups)


def make_group(ann: httpx.Client, ticked: list[str], shown: list[str]) -> httpx.Response:
    return settle(ann, ticked, "group", shown=shown)


def test_a_wording_is_taken_out_of_its_group(api: Served, ann: httpx.Client) -> None:
    """With all who ask in the same words, and what is asked later in these words joins them."""
    near, other = "Will the final exam cover undo stacks", "Will the final exam cover the undo stacks?"
    ids = [api.ask_ta(question)[0] for question in (UNDO, near, other, other)]
    assert groups_of(api) == [[UNDO, near, other, other]]
    assert "make-group" in ann.get(f"{HOME}/answer", params={"q": ids}).text
    done = make_group(ann, ids[:3], ids)
    assert done.headers["location"] == f"{HOME}/answer?q={ids[0]}&q={ids[1]}&done=group"
    assert groups_of(api) == [[other, other], [UNDO, near]]
    api.ask_ta(other)
    api.ask_ta(UNDO)
    assert groups_of(api) == [[other, other, other], [UNDO, near, UNDO]]
    assert "same words" in make_group(ann, ids[:1], ids[:2]).text  # but for the mark at their end
    assert groups_of(api) == [[other, other, other], [UNDO, near, UNDO]]


def test_groups_are_joined_by_hand(api: Served, ann: httpx.Client) -> None:
    """They stay one, whatever their words; a page of one question offers nothing to be joined."""
    ids = [api.ask_ta(question)[0] for question in (COOK, UNDO, HEAP)]
    assert make_group(ann, ids[::2], ids[::2]).status_code == 303
    assert groups_of(api) == [[COOK, HEAP], [UNDO]]
    api.ask_ta("Do the heaps bloom?")
    assert groups_of(api) == [[COOK, HEAP, "Do the heaps bloom?"], [UNDO]]
    assert "make-group" not in ann.get(f"{HOME}/answer", params={"q": ids[1]}).text


def press_near(ann: httpx.Client, action: str) -> httpx.Response:
    """Press a button of the one merge that is proposed."""
    shown = ann.get(HOME, params={"order": "oldest"}).text
    (form,) = re.findall(r'data-testid="near">.*?</form>', shown, re.DOTALL)
    fields = dict(re.findall(r'name="(q|near|order)" value="([^"]*)"', form))
    return ann.post(f"{HOME}/near", data={"csrf": form_token(ann), "action": action, **fields})


DROPPED, BOMBED = "Do you drop the lowest quiz?", "I bombed quiz 1, does the lowest one get dropped?"


def test_a_merge_is_proposed_and_made_by_one_press(api: Served, ann: httpx.Client) -> None:
    """The later card names the earlier question; what was merged is asked no more and draws its wordings."""
    for question in (DROPPED, COOK, BOMBED):
        api.ask_ta(question)
    assert groups_of(api) == [[DROPPED], [BOMBED], [COOK]]
    assert f"Same question as “{DROPPED[:-1]}”?" in ann.get(HOME, params={"order": "oldest"}).text
    done = press_near(ann, "join")
    assert done.headers["location"] == f"{HOME}?order=oldest&settled=join"
    assert groups_of(api) == [[DROPPED, BOMBED], [COOK]]
    assert 'data-testid="near"' not in ann.get(HOME).text
    assert "Merged into one group." in ann.get(done.headers["location"]).text


def test_a_refused_merge_is_not_proposed_again(api: Served, ann: httpx.Client) -> None:
    """A question that was settled meanwhile is said to be gone."""
    ids = [api.ask_ta(question)[0] for question in (DROPPED, BOMBED)]
    assert press_near(ann, "keep_apart").status_code == 303
    assert groups_of(api) == [[DROPPED], [BOMBED]]
    assert 'data-testid="near"' not in ann.get(HOME).text
    assert send(ann, ids[:1], "reject").status_code == 303
    late = {"csrf": form_token(ann), "action": "join", "q": ids[1], "near": ids[0]}
    assert ann.post(f"{HOME}/near", data=late).status_code == 404


def test_a_note_is_for_tas_alone(api: Served, ann: httpx.Client) -> None:
    """It stands on the card and among the settled questions with its author, once; no student has it."""
    ids = [api.ask_ta(question) for question in (UNDO, "Will the final exam cover the undo stacks")]
    waiting = [each for each, _ in ids]
    noted = ann.get(settle(ann, waiting, "note", note="Ask <Bo>.").headers["location"])
    assert (noted.status_code, noted.text.count("Ask &lt;Bo&gt;.")) == (200, 1)
    card = ann.get(HOME).text
    assert card.count("Ask &lt;Bo&gt;.") == 1
    assert "Internal note · Ann" in card
    send(ann, waiting, "reject", reason="no")
    assert "Ask &lt;Bo&gt;." in ann.get(f"{HOME}/rejected").text
    for _, turn in ids:
        assert "Bo" not in str(api.ta_answers(turn))
    assert settle(ann, waiting, "note", note=" ").status_code == 404  # they wait no longer


def test_question_answer_and_publish_stand_before_the_conversation(api: Served, ann: httpx.Client) -> None:
    """So that a TA on a phone need not pass it; other wordings are folded until there are some."""
    waiting, _ = api.ask_ta(UNDO)
    page = ann.get(f"{HOME}/answer", params={"q": waiting}).text
    parts = ("question", "answer-text", "publish", "conversation")
    places = [page.index(f'data-testid="{each}"') for each in parts]
    assert places == sorted(places)
    assert re.search(r'<details><summary>[^<]+</summary>\s*<label for="similar">', page)


def test_a_follow_up_is_shown_with_its_conversation(api: Served, ann: httpx.Client) -> None:
    """Card and page have the turn before, what it asks by itself, the place and the answer that was given."""
    session = api.ask("What is a stack?")["session_id"]
    place = {"video": "04-stacks.mp4", "second": 125}
    waiting, turn = api.ask_ta("And why?", session_id=session, position=place)
    assert "stack" in turn["standalone_question"].lower()
    page = ann.get(f"{HOME}/answer", params={"q": waiting}).text
    for shown in (ann.get(HOME).text, page):
        context = shown.split('data-testid="conversation"')[1].split("</ol>")[0]
        assert context.index("What is a stack?") < context.index("And why?")
        assert "04-stacks.mp4 · 02:05" in shown
        assert turn["standalone_question"] in shown
        assert 'data-testid="answer-seen"' in context
    assert 'data-testid="question">And why?<' in page, "the student's own words"


def test_the_next_student_is_not_told_a_private_reply(api: Served, ann: httpx.Client) -> None:
    """Only the asker reads it; the same question of another is answered as before, and waits as before."""
    waiting, turn = api.ask_ta(COOK)
    before = api.ask(COOK)
    done = settle(ann, waiting, "reply", private="Since you were <ill>: **next** week.")
    assert done.headers["location"] == f"{HOME}?settled=reply"
    (told,) = api.ta_answers(turn)
    assert (told["state"], told["private"], told["asks_back"]) == ("answered", True, False)
    assert "<strong>next</strong>" in told["html"]
    assert "<ill>" not in told["html"]
    after = api.ask(COOK)
    assert (after["route"], after["text"]) == (before["route"], before["text"])
    assert "Reply to this student · Ann" in ann.get(f"{HOME}/answered").text


def test_a_student_replies_to_what_was_asked_back(api: Served, ann: httpx.Client) -> None:
    """The question leaves the inbox, and comes back with the reply on its card."""
    waiting, turn = api.ask_ta(COOK)
    assert settle(ann, waiting, "ask_back", private="Which one?").status_code == 303
    assert listed(ann) == []
    lists = {each: waiting in ann.get(f"{HOME}/{each}").text for each in ("answered", "asked_back")}
    assert lists == {"answered": False, "asked_back": True}
    (told,) = api.ta_answers(turn)
    assert (told["text"], told["asks_back"]) == ("Which one?", True)
    address = f"/v1/courses/{COURSE}/turns/{told['turn_id']}/ta-reply"
    replied = api.client.post(address, json={"text": "The <b>first</b>."})
    assert (replied.status_code, replied.json()) == (201, {"question_id": waiting, "state": "waiting"})
    assert "The &lt;b&gt;first&lt;/b&gt;." in ann.get(HOME).text
    assert api.client.post(address, json={"text": "x"}).status_code == 409
    assert api.client.post(address, json={"text": " "}).status_code in (409, 422)


def test_the_inbox_can_be_rebuilt_from_the_api(api: Served) -> None:
    """Pages, search, groups with bands and drafts, one question with its conversation, and every action."""
    client, who = api.client, api.bearer()
    ids = [api.ask_ta(question) for question in (UNDO, COOK, HEAP)]
    address = f"/v1/courses/{COURSE}/questions"

    def read(path: str = "", **query: str | int) -> Any:
        reply = client.get(f"{address}{path}", params=query, headers=who)
        assert reply.status_code == 200, reply.text
        return reply.json()

    def send(action: str, **body: object) -> int:
        return client.post(f"{address}/{action}", json=body, headers=who).status_code

    page = read(offset=1, limit=1, state="waiting")
    assert (page["total"], [each["question"] for each in page["questions"]]) == (3, [COOK])
    assert [each["question"] for each in read(search="NAPOLEON")["questions"]] == [COOK]
    assert len(read()["questions"]) == 3
    groups = read("/groups", size=2, order="oldest")
    assert (groups["waiting"], groups["page"], groups["last"], len(groups["groups"])) == (3, 1, 2, 2)
    assert (sum(groups["counts"].values()), groups["found"], groups["assignees"]) == (3, 3, [])
    assert send("assign", questions=[ids[1][0]], name="Bo") == 204
    assert [each["question"] for each in read(assignee="Bo")["questions"]] == [COOK]
    assert send("note", questions=[ids[1][0]], text="Hm.") == 204
    assert send("reply", questions=[ids[1][0]], text="Why do you ask?", asks_back=True) == 204
    report = read(f"/{ids[1][0]}")
    assert [each["kind"] for each in report["messages"]] == ["note", "question"]
    assert report["conversation"][-1]["question"] == COOK
    assert report["conversation"][-1]["answer"]
    assert report["position"]["video"] is None
    assert client.get(f"{address}/nothing", headers=who).status_code == 404
    assert send("reply", questions=[ids[1][0]], text="x") == 409


def test_pages_by_cursor_tell_every_question_once(api: Served) -> None:
    """Also where the ones before are settled in between; `since` tells what was settled afterwards."""
    who = api.bearer()
    ids = [api.ask_ta(question)[0] for question in (UNDO, COOK, HEAP)]
    address = f"/v1/courses/{COURSE}/questions"

    def read(**query: str | int) -> Any:
        return api.client.get(address, params=query, headers=who).json()

    first = read(state="waiting", limit=1)
    assert first["questions"][0]["id"] == ids[0]
    body = {"questions": [ids[0]], "reason": "No."}
    assert api.client.post(f"{address}/reject", json=body, headers=who).status_code == 204
    second = read(state="waiting", limit=1, cursor=first["next"])
    last = read(state="waiting", limit=1, cursor=second["next"])
    assert [page["questions"][0]["id"] for page in (second, last)] == ids[1:]
    assert last["next"] is None
    settled = read(state="rejected")["questions"][0]["resolved_at"]
    assert [each["id"] for each in read(since=settled)["questions"]] == ids[:1]
    refused = api.client.get(address, params={"cursor": "bm9uZQ"}, headers=who)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_input")


def test_a_draft_is_taken_from_an_entry_that_answers(serve: Serve, scripted_llm: ScriptedLlm) -> None:
    """No model is asked, and the page does not say that one wrote it."""
    scripted_llm.play(scripted_llm.ok())
    api = serve(llm_base_url=scripted_llm.base_url, llm_model="m")
    waiting, _ = api.ask_ta("What is a deque?")
    with logged_in(api) as ann:
        form = {"csrf": form_token(ann), "q": waiting, "question": "Deque?", "answer": ""}
        shown = ann.post(f"{HOME}/answer/draft", data=form).text
    (text,) = re.findall(r'data-testid="answer-text">([^<]*)<', shown)
    assert text.startswith("A deque is a list that grows and shrinks at both ends.")
    assert "The draft is a text of the course" in shown
    assert not scripted_llm.requests


def test_a_group_of_two_wordings_is_kept_apart_for_good(api: Served, ann: httpx.Client) -> None:
    """The other group does not propose the same merge then."""
    for question in (DROPPED, BOMBED, "I bombed quiz 1, so does the lowest one get dropped?"):
        api.ask_ta(question)
    assert [len(group) for group in groups_of(api)] == [1, 2]
    assert press_near(ann, "keep_apart").status_code == 303
    assert 'data-testid="near"' not in ann.get(HOME).text


def test_questions_answered_at_once_make_a_wait_of_none(api: Served) -> None:
    ids = [api.ask_ta(f"{HEAP} {number}")[0] for number in range(5)]
    table, now = tables.waiting_questions, datetime.now(UTC)
    api.platform.stores.threads.reply(COURSE, ids, "No.", author="Ann", asks_back=False)
    with api.platform.stores.engine.begin() as connection:
        settled = update(table).where(table.c.id.in_(ids))
        connection.execute(settled.values(created_at=now, resolved_at=now))
    turn = api.ask(COOK)["turn_id"]
    told = api.client.post(f"/v1/courses/{COURSE}/turns/{turn}/ask-ta")
    assert (told.status_code, told.json()["usual_wait_s"]) == (201, 0.0)


def test_a_question_is_not_sent_where_the_reply_cannot_be_made(
    api: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The student who reads of a failure may press again."""
    turn = api.ask(COOK)["turn_id"]

    def failing(*_: object) -> None:
        raise UpstreamFailed(Fault("model.spent"))

    monkeypatch.setattr(type(api.platform.stores.facts), "facts", failing)
    assert api.client.post(f"/v1/courses/{COURSE}/turns/{turn}/ask-ta").status_code >= 500
    assert groups_of(api) == []
