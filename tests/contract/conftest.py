"""The stores that the contract suites run on: a SQLite file, and PostgreSQL where there is one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import factories as make
import pytest
from index_names import new_alias
from template_databases import SqliteTemplate, new_database, postgres_template

from knowledge.index.elasticsearch import ElasticsearchIndex
from services.store.engine import sqlite_url
from services.stores import Stores, open_stores
from vta.languages import Language
from vta.types.answers import Answer, Citation, Route, TraceStep
from vta.types.concepts import ConceptCard, Prerequisite
from vta.types.courses import Course, CourseId, PairId, SessionId, TurnId
from vta.types.pairs import Degradation, Locator, RankingSummary, Source
from vta.types.questions import IntentLabel, IntentPrediction, Question


class TickingClock:
    """A clock that goes on by one second each time it is read, in a zone that is not UTC."""

    def __init__(self) -> None:
        self._now = datetime(2024, 3, 1, 8, 0, 0, 123456, tzinfo=UTC)

    def now(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now


class Samples:
    """Courses, questions and answers to store."""

    def course(self, course_id: str, language: Language = Language.ZH) -> Course:
        return make.course(course_id, "计算机", "maths", name=f"课程 {course_id}", language=language)

    def question(
        self,
        course_id: str = "ds",
        text: str = "什么是栈？",
        session: str | None = None,
        learner: str | None = None,
    ) -> Question:
        session_id = None if session is None else SessionId(session)
        return Question(course_id=CourseId(course_id), text=text, session_id=session_id, learner_id=learner)

    def answer(
        self, turn: str, session: str = "s1", course_id: str = "ds", text: str = "栈是后进先出的表 [1]。"
    ) -> Answer:
        """An answer with every field filled."""
        return Answer(
            turn_id=TurnId(turn),
            session_id=SessionId(session),
            course_id=CourseId(course_id),
            route=Route.CHAIN_OF_TEACH,
            text=text,
            citations=(
                Citation(
                    n=1,
                    pair_id=PairId("p1"),
                    source=Source.MATERIAL,
                    title="栈",
                    passage="栈只在一端插入和删除。\u0000 \u2028",
                    document="notes/stack.md",
                    locator=Locator(heading_path=("线性表", "栈")),
                    quoted=True,
                    marked="栈只在一端插入和删除。",
                ),
                Citation(
                    n=2,
                    pair_id=PairId("p2"),
                    source=Source.SEARCH,
                    title="Stack",
                    passage="push and pop",
                    url="https://example.org/stack?a=1&b=2",
                    locator=Locator(video="03.srt", start_s=0.0, end_s=12.25),
                ),
            ),
            concepts=(
                ConceptCard(
                    name="栈",
                    definition="后进先出",
                    domains=("计算机",),
                    prerequisites=(Prerequisite(name="线性表", definition="", where=None),),
                ),
            ),
            intent=IntentPrediction(
                label=IntentLabel.SIMPLE,
                chit_chat=0.1,
                probabilities={IntentLabel.SIMPLE: 0.9, IntentLabel.GENERAL_CHAT: 0.1},
            ),
            ranking=RankingSummary(score=3.3000000000000003, beta=8.0, terms=("栈",)),
            standalone_question="什么是栈？",
            degraded=Degradation(stage="language_model", reason="timed out"),
            actions=("ask_ta", "feedback"),
            trace=(TraceStep(stage="intent", decision="simple", ms=1.5),),
        )


@pytest.fixture
def samples() -> Samples:
    return Samples()


@pytest.fixture(params=["sqlite", "postgresql"])
def databases(request: pytest.FixtureRequest) -> Iterator[Stores]:
    """The stores without a course, on each kind of database."""
    opened = open_stores(request.getfixturevalue(f"migrated_{request.param}"), TickingClock())
    yield opened
    opened.close()


@pytest.fixture
def stores(databases: Stores, samples: Samples) -> Stores:
    """The stores with two courses, `ds` and `ml`."""
    for course_id in ("ds", "ml"):
        databases.courses.add(samples.course(course_id))
    return databases


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> SqliteTemplate:
    return SqliteTemplate(tmp_path_factory.mktemp("template") / "vta.db")


@pytest.fixture(scope="session")
def postgres_migrated_once(postgres_server: str) -> Iterator[str]:
    """The name of a database to copy."""
    with postgres_template(postgres_server) as name:
        yield name


@pytest.fixture
def migrated_sqlite(sqlite_template: SqliteTemplate, tmp_path: Path) -> str:
    """The URL of a file with all tables and no rows."""
    return sqlite_template.copy(tmp_path / "vta.db")


@pytest.fixture
def migrated_postgresql(postgres_server: str, postgres_migrated_once: str) -> Iterator[str]:
    """The URL of a database with all tables and no rows."""
    with new_database(postgres_server, postgres_migrated_once) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database in which there is nothing at all, of each kind."""
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "empty.db")
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The URL of a database with nothing in it."""
    with new_database(postgres_server) as url:
        yield url


@pytest.fixture
def elasticsearch_index(elasticsearch_url: str) -> Iterator[ElasticsearchIndex]:
    """An index of one's own on a real server; what it made is removed at the end."""
    with new_alias(elasticsearch_url) as (alias, client):
        yield ElasticsearchIndex(client, alias=alias)
