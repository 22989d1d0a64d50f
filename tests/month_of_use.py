"""A generated month of use of one course: plain rows, and how they get into a store.

The rows are dicts, so that a test can count them in a way of its own.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Engine, insert

from services.store import tables

FIRST = datetime(2025, 3, 1, tzinfo=UTC)
DAYS = 31
TOPICS = (
    "stack overflow", "priority queue", "hash collision", "binary heap", "red-black tree", "quicksort pivot",
    "topological order", "dynamic programming", "minimum spanning tree", "shortest path", "amortised cost",
    "linked list", "循环队列", "散列冲突", "平衡二叉树",
    "快速排序", "拓扑排序", "动态规划", "最短路径", "并查集",
)  # fmt: skip
RARE_TOPIC = "zebra puzzle"
WORDINGS = ("What is {}?", "what is {}", "What  is {} ?")
ROUTES = ("chit_chat", "direct", "direct", "chain_of_teach", "chain_of_teach", "unanswered")


def generate(seed: int, turns: int) -> list[dict[str, Any]]:
    """The turns in order of asking: some 400 learners, some sessions without one, and rare things.

    Only three learners were refused, asked about the rare topic, or watched the last video.
    """
    draw = random.Random(seed)
    rows: list[dict[str, Any]] = []
    session = 0
    while len(rows) < turns:
        session += 1
        learner = f"learner-{int(draw.paretovariate(0.6)) % 400}" if draw.random() < 0.9 else None
        asked = FIRST + timedelta(seconds=draw.uniform(0, DAYS * 86_400 - 3600))
        for number in range(1, draw.choice((1, 1, 1, 2, 2, 3, 5)) + 1):
            topic = draw.choice(TOPICS)
            rows.append(
                {
                    "turn": f"t{len(rows):06}",
                    "session": f"s{session:06}",
                    "number": number,
                    "learner": learner,
                    "asked": asked + timedelta(seconds=60 * number + draw.random()),
                    "topic": topic,
                    "question": draw.choice(WORDINGS).format(topic),
                    "route": draw.choice(ROUTES),
                    "failed": draw.random() < 0.05,
                    "ms": round(draw.lognormvariate(4, 1), 3),
                    "concepts": sorted(set(draw.choices(TOPICS[:9], k=draw.randrange(3)))),
                    "video": draw.choice((None, "01.srt", "02.srt")),
                    "second": round(draw.triangular(0, 600, 90), 2),
                    "rating": draw.choice((None, None, None, "up", "up", "down")),
                    "ta": draw.random() < 0.06,
                    "mark": draw.choice(("good", "good", "partly", "bad")) if draw.random() < 0.05 else None,
                }
            )
    for n in range(12):
        rare = {"learner": f"rare-{n % 3}", "topic": RARE_TOPIC, "question": f"What is {RARE_TOPIC}?"}
        rare |= {"route": "refused", "concepts": [RARE_TOPIC], "video": "99.srt", "session": f"r{n}"}
        asked = {"asked": FIRST + timedelta(days=n, hours=3), "turn": f"r{n:06}", "number": 1}
        rows.append({**rows[n], **rare, **asked})
    return sorted(rows, key=lambda row: (row["asked"], row["session"], row["number"]))


def store(engine: Engine, course: str, rows: list[dict[str, Any]], answer: object) -> None:
    """Write the rows as the store keeps them, all with the same answer, in one transaction."""
    opened: dict[str, dict[str, Any]] = {}
    for row in rows:
        session = {"id": row["session"], "course_id": course, "learner_id": row["learner"]}
        opened.setdefault(row["session"], session | {"created_at": row["asked"]})
    turns = [
        {
            "id": row["turn"],
            "session_id": row["session"],
            "number": row["number"],
            "question": row["question"],
            "answer": answer,
            "created_at": row["asked"],
        }
        for row in rows
    ]
    facts = [
        {
            "turn_id": row["turn"],
            "course_id": course,
            "asked_at": row["asked"],
            "session_id": row["session"],
            "number": row["number"],
            "question": row["question"],
            "route": row["route"],
            "failed": row["failed"],
            "milliseconds": row["ms"],
            "concepts": row["concepts"],
            "video": row["video"],
            "second": row["second"] if row["video"] else None,
        }
        for row in rows
    ]
    thumbs = [
        {"turn_id": row["turn"], "rating": row["rating"], "created_at": row["asked"]}
        for row in rows
        if row["rating"]
    ]
    waiting = [
        {"id": f"w{row['turn']}", "turn_id": row["turn"], "state": "waiting", "created_at": row["asked"]}
        for row in rows
        if row["ta"]
    ]
    marks = [
        {
            "turn_id": row["turn"],
            "mark": row["mark"],
            "note": "",
            "reviewer": "Ann",
            "reviewed_at": row["asked"],
        }
        for row in rows
        if row["mark"]
    ]
    with engine.begin() as connection:
        for table, values in (
            (tables.sessions, list(opened.values())),
            (tables.turns, turns),
            (tables.turn_facts, facts),
            (tables.feedback, thumbs),
            (tables.waiting_questions, waiting),
            (tables.answer_reviews, marks),
        ):
            for start in range(0, len(values), 1000):
                connection.execute(insert(table), values[start : start + 1000])
