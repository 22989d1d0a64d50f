"""The inbox: its groups, one group with its answer, several at once, and settled questions."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from fastapi.responses import RedirectResponse, Response

from services.console.forms import action_of, draft_of
from services.console.pages import as_sentence
from services.console.visits import PageRouter, Visit, Visiting, whole_number
from services.faq.replay import QUESTIONS, FaqProposal, replay
from services.questions.inbox import MOST_AT_ONCE, InboxOrder, InboxQuery
from services.questions.rows import ASKED_BACK
from services.questions.service import as_draft
from services.questions.triage import Band
from vta.errors import Conflict, InvalidInput
from vta.faq import with_wordings
from vta.faults import Fault
from vta.types.answers import Route
from vta.types.courses import FaqId
from vta.types.faq import FaqDraft
from vta.types.inbox import LONGEST_MESSAGE, NOBODY, QuestionState, Ta
from vta.types.questions import Question

LONGEST_REASON = 200
SETTLED = (
    "publish",
    "some_ready",
    "merge",
    "reject",
    "reject_silently",
    "reopen",
    "undo",
    "assign",
    "reply",
    "ask_back",
    "join",
    "keep_apart",
)
"""Actions that the inbox can confirm."""
FIELDS = ("search", "band", "assignee", "order", "page")
"""Fields of the address of the inbox."""
AT_ONCE = ("ready", "together", "assign", "reject")
"""Actions on several groups."""
VOTED_DOWN = 50
"""Answers with a thumb down that are listed."""
MOST_READY = 100
"""Groups whose ready answers are published by one form; a page shows fewer."""
OF_NOBODY = "-"
"""The assignee in an address for questions without one."""
ACTIONS = (
    "publish",
    "publish_next",
    "merge",
    "not_this",
    "reject",
    "replay",
    "group",
    "note",
    "assign",
    "reply",
    "ask_back",
)
TEMPLATE_ACTIONS = ("use_answer", "use_private", "keep_answer", "keep_private", "drop_template")
"""Actions on templates while the answer is written."""
STAYING = ("not_this", "note", "assign", "group")
"""After these the questions still wait, and their page is shown again."""

router = PageRouter()


def query_of(fields: Mapping[str, str], tas: Iterable[Ta] = ()) -> InboxQuery:
    """The query of an address, wrong fields at their defaults; an assignee is one of `tas`, or a name."""
    band, order, assignee = (fields.get(name, "") for name in ("band", "order", "assignee"))
    named = NOBODY if assignee == OF_NOBODY else Ta(name=assignee)
    return InboxQuery(
        number=whole_number(fields.get("page", "1")),
        sought=fields.get("search", ""),
        band=Band(band) if band in set(Band) else None,
        assignee=next((each for each in tas if each.key == assignee), named) if assignee else None,
        order=InboxOrder(order) if order in set(InboxOrder) else InboxOrder.MOST_ASKED,
    )


@router.get("/inbox")
def inbox(visit: Visiting) -> Response:
    """Groups of waiting questions in three bands, and answers that were voted down."""
    address = visit.listing("inbox", FIELDS)
    tas = visit.platform.questions.tas(visit.course_id, me_of(visit))
    query = query_of(address.fields, tas)
    shown = visit.platform.questions.inbox(visit.who.course, query)
    groups = [group.waiting for group in shown.groups]
    threads = visit.platform.questions.threads(visit.course_id, groups)
    readers = visit.platform.stores.question_readers.others(groups, me_of(visit))
    first = tuple(group[0] for group in groups)
    contexts = visit.platform.questions.contexts(visit.course_id, first)
    down = visit.platform.stores.sessions.voted_down(visit.course_id, VOTED_DOWN)
    may_set_up = visit.who.may("settings")
    return visit.page(
        "inbox.html",
        sites=visit.platform.stores.sites.sites(visit.course_id) if visit.who.may("materials") else (),
        steps=visit.platform.stores.first_steps.done(visit.course_id) if may_set_up else {},
        bands={band.value: [each for each in shown.groups if each.band is band] for band in Band},
        counts={band.value: count for band, count in shown.counts.items()},
        inbox=shown,
        threads=threads,
        readers=readers,
        contexts=contexts,
        query=query,
        orders=tuple(InboxOrder),
        nobody=OF_NOBODY,
        tas=tas,
        me=me_of(visit),
        address=address,
        down=down,
        longest_reason=LONGEST_REASON,
        settled=visit.asked("settled", SETTLED),
        undo=visit.query.get("undo", ""),
        none_chosen=visit.query.get("settled") == "none",
    )


@router.post("/inbox/selected")
def settle_selected(visit: Visiting) -> Response:
    """Publish, answer together, decline or assign the chosen groups, as the button says; then this page."""
    action = action_of(visit.form, AT_ONCE)
    back = visit.listing("inbox", FIELDS)
    ids = [id for chosen in visit.form.get("group", ()) for id in chosen.split()][:MOST_AT_ONCE]
    if not ids:
        return RedirectResponse(back.with_(settled="none"), status_code=303)
    match action:
        case "together":
            return visit.to("inbox/answer", [("q", each) for each in ids])
        case "ready":
            published, left = _publish_ready(visit)
            done = {"settled": "some_ready" if left else "publish", "undo": " ".join(published)}
            return RedirectResponse(back.with_(**done), status_code=303)
        case "reject":
            _reject(visit, ids)
            action = _rejected(visit)
        case _:
            visit.platform.stores.ta_queue.assign(visit.course_id, ids, _chosen_ta(visit))
    return RedirectResponse(back.with_(settled=action), status_code=303)


@router.post("/inbox/near")
def settle_near(visit: Visiting) -> Response:
    """Make a group one with the group that may ask the same, or let it stand, as the button says."""
    action, questions = action_of(visit.form, ("join", "keep_apart")), visit.platform.questions
    if action == "join":
        questions.join(visit.course_id, visit.field("q"), visit.field("near"))
    else:
        questions.keep_apart(visit.course_id, visit.field("q"), visit.field("near"))
    return RedirectResponse(visit.listing("inbox", FIELDS).with_(settled=action), status_code=303)


def me_of(visit: Visit) -> Ta:
    """The reader of the page as a possible assignee."""
    person = visit.who.session.person
    return Ta(name=visit.who.name, id=person.id if person else None)


def _chosen_ta(visit: Visit) -> Ta:
    """The chosen assignee; `InvalidInput` for anyone else."""
    key = visit.field("name")
    for each in (NOBODY, *visit.platform.questions.tas(visit.course_id, me_of(visit))):
        if each.key == key:
            return each
    raise InvalidInput(Fault("waiting_question.no_ta"), field="name")


def _publish_ready(visit: Visit) -> tuple[list[str], int]:
    """Publish the ready answers of the chosen groups as they were shown.

    Returns a question of each group that is answered, and how many groups wait on.
    """
    published: list[str] = []
    left = 0
    for chosen in visit.form["group"][:MOST_READY]:
        ids = chosen.split()
        entry, question, text = (visit.field(f"{name}:{ids[0]}") for name in ("entry", "asks", "ready"))
        answer = FaqId(entry) if entry else FaqDraft(question=question, answer=text)
        try:
            visit.platform.questions.answer(visit.course_id, ids, answer, editor=visit.who.name)
        except (InvalidInput, Conflict):  # none was ready, or another entry asks the same by now
            left += 1
        else:
            published.append(ids[0])
    return published, left


@router.get("/inbox/answered")
@router.get("/inbox/asked_back")
@router.get("/inbox/rejected")
def settled(visit: Visiting) -> Response:
    """A page of the questions in the state that the address names, the last settled first."""
    state, sought = visit.request.url.path.rpartition("/")[2], visit.search
    shown = visit.platform.questions.settled(visit.course_id, state, sought=sought, number=visit.number)
    ids = [each.id for each in shown.questions]
    return visit.page(
        "settled.html",
        state=state,
        states=(QuestionState.ANSWERED.value, ASKED_BACK, QuestionState.REJECTED.value),
        questions=shown.questions,
        said=shown.said,
        messages=visit.platform.stores.threads.messages(visit.course_id, ids),
        total=shown.total,
        number=shown.number,
        last=shown.last,
        search=sought,
    )


@router.post("/inbox/reopen")
def reopen(visit: Visiting) -> Response:
    """Let settled questions wait again."""
    visit.platform.stores.ta_queue.reopen(visit.course_id, visit.form.get("q", ()))
    return visit.to("inbox?settled=reopen")


@router.post("/inbox/undo")
def undo(visit: Visiting) -> Response:
    """Undo the answers that were just published."""
    visit.platform.questions.take_back(visit.course_id, visit.field("undo").split(), editor=visit.who.name)
    return visit.to("inbox?settled=undo")


@router.get("/inbox/answer")
def show_group(visit: Visiting) -> Response:
    """One group, with the course's texts on it and a form for the answer."""
    ids = visit.form.get("q", visit.query.getlist("q"))
    review = visit.platform.questions.review(visit.who.course, ids)
    me, readers = me_of(visit), visit.platform.stores.question_readers
    readers.note([each.id for each in review.waiting], me)
    draft = FaqDraft(question=as_sentence(review.waiting[0].question), answer=review.offered)
    if visit.form:
        draft = draft_of(visit.form)
    return visit.page(
        "answer.html",
        waiting=review.waiting,
        messages=review.messages,
        contexts=review.contexts,
        templates=visit.platform.stores.answer_templates.templates(visit.course_id),
        focus="",
        candidates=review.assessment.candidates if review.assessment else (),
        entries=review.entries,
        earlier=review.earlier,
        draft=draft,
        is_text_of_the_course=bool(review.offered) and draft.answer.strip() == review.offered.strip(),
        done=visit.asked("done", (*STAYING, "publish_next")),
        undo=visit.query.get("undo", ""),
        replayed=None,
        has_model=visit.platform.model is not None,
        longest_reason=LONGEST_REASON,
        readers=readers.others([review.waiting], me)[review.waiting[0].id],
        tas=visit.platform.questions.tas(visit.course_id, me),
        me=me,
        longest_message=LONGEST_MESSAGE,
    )


@router.form("/inbox/answer", show_group)
def answer(visit: Visiting) -> Response:
    """Settle the group, write about it, or try an answer out or write it by templates, as the button says."""
    action = action_of(visit.form, (*ACTIONS, *TEMPLATE_ACTIONS))
    draft, ids = draft_of(visit.form), visit.form.get("q", ())
    review = visit.platform.questions.review(visit.who.course, ids)
    if action == "replay":
        own = [each.question for each in review.waiting if each.standalone_question is None]
        proposal = FaqProposal(draft=with_wordings(draft, own))
        replayed = replay(visit.platform, visit.course_id, proposal, limit=QUESTIONS)
        return show_group(visit.showing(replayed=replayed))
    if action in TEMPLATE_ACTIONS:
        return show_group(_with_templates(visit, action, review.offered))
    chosen = [each.id for each in review.waiting]
    answered = [("undo", chosen[0])] if action in ("publish", "publish_next", "merge") else []
    if action == "group":
        chosen = visit.platform.questions.group(visit.course_id, chosen, visit.form.get("shown", ()))
    else:
        _settle(visit, chosen)
    if action == "publish_next":
        chosen = _next_for_a_ta(visit)
        action = action if chosen else "publish"
    if action in (*STAYING, "publish_next"):
        return visit.to("inbox/answer", [*(("q", each) for each in chosen), ("done", action), *answered])
    action = _rejected(visit) if action == "reject" else action
    return visit.to("inbox", [("settled", action), *answered])


def _with_templates(visit: Visit, action: str, offered: str) -> Visit:
    """Keep or remove a template, or put one below what a field says, but for a draft as it was offered."""
    templates, (what, name) = visit.platform.stores.answer_templates, action.split("_")
    if what == "keep":
        templates.keep(visit.course_id, visit.field(name))
        return visit.showing(done=action)
    if what == "drop":
        templates.remove(visit.course_id, visit.field("template"))
        return visit.showing(done=action)
    return _with_text(visit, name, templates.text(visit.course_id, visit.field("template")), offered)


def _with_text(visit: Visit, name: str, text: str, offered: str) -> Visit:
    """Put a text below what a field says, in the place of a draft as it was offered."""
    there = visit.field(name).rstrip()
    above = "" if name == "answer" and there == offered.strip() else there
    written = {**visit.form, name: ("\n\n".join(filter(None, (above, text))),)}
    return replace(visit, form=written).showing(focus=name)


_DRAFTED = {Route.CHAIN_OF_TEACH: "model_draft", Route.DIRECT: "course_draft"}


@router.form("/inbox/answer/draft", show_group)
async def draft_by_model(visit: Visiting) -> Response:
    """The group with what the assistant answers its first question; nothing is stored.

    A model writes it, unless a fact or an entry of the course answers the question itself.
    """
    course, ids = visit.who.course, visit.form.get("q", ())
    review = await asyncio.to_thread(visit.platform.questions.review, course, ids)
    question = Question(course_id=course.id, text=review.waiting[0].asks)
    answer = await visit.platform.previewer.answer(question)
    done = _DRAFTED.get(answer.route) if answer.degraded is None else None
    if done:
        visit = _with_text(visit, "answer", as_draft(answer), review.offered)
    shown = visit.showing(done=done or "no_model_draft")
    return await asyncio.to_thread(show_group, shown)


def _reject(visit: Visit, ids: Sequence[str]) -> None:
    reason = visit.field("reason")[:LONGEST_REASON].strip()
    visit.platform.stores.ta_queue.reject(visit.course_id, ids, reason=reason)


def _rejected(visit: Visit) -> str:
    """The confirmation of declined questions."""
    return "reject" if visit.field("reason").strip() else "reject_silently"


def _next_for_a_ta(visit: Visit) -> list[str]:
    """The questions of the first group without a text at hand; none where nothing is left.

    What the course has nothing on comes last: questions on how it is run are often among that.
    """
    for band in (Band.HOLD, Band.DISCARD):
        shown = visit.platform.questions.inbox(visit.who.course, InboxQuery(band=band, size=1))
        if shown.groups:
            return [each.id for each in shown.groups[0].at_once]
    return []


def _settle(visit: Visit, ids: Sequence[str]) -> None:
    questions, stores = visit.platform.questions, visit.platform.stores
    course_id, entry = visit.course_id, FaqId(visit.field("entry"))
    match visit.field("action"):
        case "publish" | "publish_next":
            questions.answer(course_id, ids, draft_of(visit.form), editor=visit.who.name)
        case "merge":
            questions.answer(course_id, ids, entry, editor=visit.who.name)
        case "not_this":
            questions.separate(course_id, ids, entry, editor=visit.who.name)
        case "reject":
            _reject(visit, ids)
        case "reply" | "ask_back" as action:
            text, asks_back = visit.field("private"), action == "ask_back"
            stores.threads.reply(course_id, ids, text, author=visit.who.name, asks_back=asks_back)
        case "note":
            stores.threads.note(course_id, ids, visit.field("note"), author=visit.who.name)
        case "assign":
            stores.ta_queue.assign(course_id, ids, _chosen_ta(visit))
        case action:
            raise AssertionError(f"{action!r} settles nothing")
