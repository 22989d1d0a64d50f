"""Answer or refuse: questions with five documents each (RGB), and questions on whole syllabi (SyllabusQA).

RGB: Chen et al., AAAI 2024. Each row's documents are a course of their own. A reply is right where it holds
an accepted string; it refuses where the route or its first words say so; a false document is noticed where
the reply doubts, refuses, or says that the documents disagree.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from asking import Reply, Ways
from turns import WITH, WITHOUT, interval

from lab.measures.rouge import rouge
from services.wiring import Platform
from vta.ingest.pipeline import ingest
from vta.languages import Language
from vta.text import normalise
from vta.types.courses import Course, CourseId, PairId
from vta.types.documents import CourseDocument
from vta.types.pairs import QAPair, Source
from vta.types.questions import Question

Row = dict[str, Any]

_DOUBTS = re.compile(
    r"disagree|contradict|conflict|incorrect|not (?:accurate|correct)|factual error|inconsisten|"
    r"说法不一|不一致|矛盾|有误|不准确|错误|不符",
    re.IGNORECASE,
)


def draw_rgb(data: Path, each: int, false_documents: int) -> list[Row]:
    """So many answerable and unanswerable rows a language, and false ones in all (seed 0)."""
    drawn: list[Row] = []
    draw = random.Random(0)
    for language in ("en", "zh"):
        rows = _read(data / "fresh" / "rgb" / f"answer_or_refuse_{language}.jsonl")
        for answerable in (True, False):
            own = [row for row in rows if row["answerable"] is answerable]
            drawn += [
                {**row, "language": language, "set": "answerable" if answerable else "unanswerable"}
                for row in draw.sample(own, min(each, len(own)))
            ]
        rows = _read(data / "fresh" / "rgb" / f"false_documents_{language}.jsonl")
        for row in draw.sample(rows, false_documents // 2):
            documents = (row["positive_wrong"] + row["negative"])[:5]
            drawn.append(
                {
                    **row,
                    "id": f"rgb-{language}-{row['id']}-f",
                    "docs": documents,
                    "language": language,
                    "set": "false",
                }
            )
    return drawn


def cited_rows(rows: Sequence[Row], asked: Sequence[Mapping[str, Reply]]) -> list[Row]:
    """The platform's replies with what they cite, as `cited.py` reads them."""
    return [
        {
            "conversation": row["id"],
            "turn": 0,
            "way": WITH,
            "text": replies[WITH].text,
            "pairs": [each["pair_id"] for each in replies[WITH].citations],
        }
        for row, replies in zip(rows, asked, strict=True)
    ]


def put_rgb(vta: Platform, rows: Sequence[Row]) -> None:
    """One course a row, one passage a document, in one transaction each."""
    for row in rows:
        course = Course(
            id=CourseId(row["id"]), name=row["id"], domains=(row["id"],), language=Language(row["language"])
        )
        pairs = tuple(
            QAPair(
                id=PairId(f"{row['id']}/{n}"),
                course_id=course.id,
                source=Source.MATERIAL,
                question="",
                answer=text,
                document="d",
            )
            for n, text in enumerate(row["docs"])
        )
        vta.stores.courses.add(course)
        vta.stores.documents.apply(course.id, put=[CourseDocument(path="d", sha256="-", pairs=pairs)])


def put_syllabi(vta: Platform, data: Path) -> None:
    """Each syllabus is a course of its own."""
    for number, file in enumerate(sorted((data / "fresh" / "syllabusqa" / "syllabi").iterdir())):
        course = Course(
            id=CourseId(f"syllabus-{number}"),
            name=file.stem,
            domains=(file.stem,),
            language=Language.EN,
        )
        vta.stores.courses.add(course)
        ingest([file], course=course, readers=vta.readers, documents=vta.stores.documents)


def draw_syllabi(data: Path, most: int) -> list[Row]:
    """So many questions (seed 0), each with the course of its syllabus."""
    files = sorted((data / "fresh" / "syllabusqa" / "syllabi").iterdir())
    course = {file.stem: f"syllabus-{number}" for number, file in enumerate(files)}
    rows = _read(data / "fresh" / "syllabusqa" / "questions.jsonl")
    return [{**row, "course_id": course[row["syllabus"]]} for row in random.Random(0).sample(rows, most)]


def ask(ways: Ways, course: str, question: str, *, plain: bool) -> dict[str, Reply]:
    """One question of one course, by the platform with and without the model, and by `plain` retrieval."""
    asked = Question(course_id=CourseId(course), text=question)
    with_model, _ = ways.ask(ways.platform, WITH, asked)
    without, _ = ways.ask(ways.without, WITHOUT, asked)
    replies = {WITH: with_model, WITHOUT: without}
    if plain:
        passages = ways.passages(CourseId(course), with_model.standalone)
        replies["plain retrieval"] = ways.plain_retrieval(question, passages, ())
    return replies


def rgb_figures(scorer: ModuleType, rows: Sequence[Row], asked: Sequence[Mapping[str, Reply]]) -> Row:
    """Shares by way, set and language: right of the answerable, refused, noticed of the false."""
    judged = [
        {
            "conversation": row["id"],
            "way": way,
            "part": f"{row['set']} {row['language']}",
            "good": {
                "answerable": holds(row["answer"], reply.text) and not refuses(scorer, reply),
                "unanswerable": refuses(scorer, reply),
                "false": refuses(scorer, reply) or bool(_DOUBTS.search(reply.text)),
            }[row["set"]],
        }
        for row, replies in zip(rows, asked, strict=True)
        for way, reply in replies.items()
    ]
    return _by(judged)


def syllabus_figures(scorer: ModuleType, rows: Sequence[Row], asked: Sequence[Mapping[str, Reply]]) -> Row:
    """Yes/no accuracy, share of "no answer" rows refused and of the others, token F1 of the others."""
    judged = []
    for row, replies in zip(rows, asked, strict=True):
        for way, reply in replies.items():
            said = {"conversation": row["id"], "way": way}
            refused = refuses(scorer, reply)
            if not row["answerable"]:
                judged.append({**said, "part": "no answer, refused", "good": refused})
                continue
            judged.append({**said, "part": "answerable, refused", "good": refused})
            judged.append({**said, "part": "token F1", "good": token_f1(reply.text, row["answer"])})
            if row["type"] == "yes/no":
                wanted = normalise(row["answer"]).startswith("yes")
                judged.append({**said, "part": "yes/no right", "good": says_yes(reply.text) is wanted})
    return _by(judged)


def _by(judged: Sequence[Row]) -> Row:
    result: Row = {}
    for way in dict.fromkeys(row["way"] for row in judged):
        for part in sorted({row["part"] for row in judged}):
            own = [row for row in judged if row["way"] == way and row["part"] == part]
            result.setdefault(way, {})[part] = {
                "n": len(own),
                "share": interval(own, lambda row: row["good"]),
            }
    return result


def refuses(scorer: ModuleType, reply: Reply) -> bool:
    """By its route, or where its first words say that it does not know."""
    return reply.route in scorer.REFUSALS or scorer.found(scorer.HONEST, scorer.norm(reply.text)[:240])


def holds(accepted: Any, text: str) -> bool:
    """Whether an accepted string is in the reply; of a list each, or one of each inner list."""
    plain = re.sub(r"\s+", "", normalise(text))
    wanted = accepted if isinstance(accepted, list) else [accepted]
    return all(
        any(
            re.sub(r"\s+", "", normalise(str(way))) in plain
            for way in (one if isinstance(one, list) else [one])
        )
        for one in wanted
    )


def says_yes(text: str) -> bool | None:
    """What a reply's first "yes" or "no" says; None where it has neither."""
    found = re.search(r"\b(yes|no|not|cannot|never)\b", normalise(re.sub(r"\[\d+\]", " ", text)))
    return None if found is None else found.group() == "yes"


def token_f1(text: str, reference: str) -> float:
    """SQuAD's F1 over words, without articles and marks of citation."""
    return rouge(_tokens(text), _tokens(reference)).rouge_1


def _tokens(text: str) -> list[str]:
    words = re.findall(r"[^\W_]+", re.sub(r"\[\d+\]", " ", normalise(text)))
    return [word for word in words if word not in ("a", "an", "the")]


def _read(file: Path) -> list[Row]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
