"""The questions for the TA of one course, for the bearer of an instructor's key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from urllib.parse import quote

from services.client.connection import Connection
from services.client.models import FaqEntry, Groups, Question, QuestionReport, Questions

PAGE = 200


class QuestionsClient:
    """Reads and settles them; `ids` are those of questions."""

    def __init__(self, connection: Connection, path: str) -> None:
        self._connection = connection
        self._path = path

    def all(
        self,
        *,
        state: str | None = None,
        search: str | None = None,
        assignee: str | None = None,
        since: datetime | None = None,
        page_size: int = PAGE,
    ) -> Iterator[Question]:
        """Those that match, oldest first, page by page; `state` is waiting, answered or rejected."""
        query = {"state": state, "search": search, "assignee": assignee, "limit": page_size}
        given = None if since is None else since.isoformat()
        cursor: str | None = None
        while True:
            page = self._connection.get(Questions, self._path, **query, since=given, cursor=cursor)
            yield from page.questions
            if (cursor := page.next) is None:
                return

    def groups(
        self,
        *,
        band: str | None = None,
        search: str | None = None,
        assignee: str | None = None,
        order: str | None = None,
        page: int = 1,
        size: int | None = None,
    ) -> Groups:
        """A page of what waits, near-duplicates together, with bands and drafts."""
        path = f"{self._path}/groups"
        query = {"band": band, "search": search, "assignee": assignee, "order": order}
        return self._connection.get(Groups, path, page=page, size=size, **query)

    def get(self, question_id: str) -> QuestionReport:
        """A question with its conversation and what was written about it."""
        return self._connection.get(QuestionReport, f"{self._path}/{quote(question_id, safe='')}")

    def answer(self, ids: Sequence[str], *, question: str, answer: str) -> FaqEntry:
        """Answer with a new FAQ entry, which all askers get."""
        body = {"questions": list(ids), "entry": {"question": question, "answer": answer}}
        return self._connection.post(FaqEntry, f"{self._path}/answer", body)

    def merge(self, ids: Sequence[str], faq_id: str) -> FaqEntry:
        """Let an entry answer, whose wordings they become."""
        body = {"questions": list(ids), "faq_id": faq_id}
        return self._connection.post(FaqEntry, f"{self._path}/merge", body)

    def reply(self, ids: Sequence[str], text: str, *, asks_back: bool = False) -> None:
        """Write to the askers alone, or ask them back."""
        body = {"questions": list(ids), "text": text, "asks_back": asks_back}
        self._connection.do("POST", f"{self._path}/reply", body)

    def reject(self, ids: Sequence[str], reason: str) -> None:
        """Say that there will be no answer; the askers read the reason."""
        self._connection.do("POST", f"{self._path}/reject", {"questions": list(ids), "reason": reason})

    def reopen(self, ids: Sequence[str]) -> None:
        """Let settled questions wait again."""
        self._connection.do("POST", f"{self._path}/reopen", {"questions": list(ids)})

    def assign(self, ids: Sequence[str], name: str) -> None:
        """Say who takes care of them; empty for nobody."""
        self._connection.do("POST", f"{self._path}/assign", {"questions": list(ids), "name": name})

    def note(self, ids: Sequence[str], text: str) -> None:
        """Note something for other TAs; no student reads it."""
        self._connection.do("POST", f"{self._path}/note", {"questions": list(ids), "text": text})
