"""Rows for `vta evaluate service` on a textbook, from public data: its readers', other people's, and attacks.

.venv/bin/python benchmarks/service_rows.py ../shared/data en > rows_en.jsonl

Answerable are the readers' questions that the text answers fully or in part, with the judged pages; off-topic
are questions about the world (BoolQ, in English) or about law (STARD, in Chinese); malicious are the attacks.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from lab.evaluation.labelled_rows import read_rows

FOREIGN = {"en": "boolq_dev", "zh": "stard_reduced"}
WANTED = 100
"""Off-topic questions, taken at even distances."""


def service_rows(data: Path, language: str) -> Iterator[dict[str, object]]:
    """The rows in a fixed order."""
    book = data / "hello_algo"
    labels = {row["id"]: row for row in read_rows(book / f"qa_labels_{language}.jsonl", ("id",))}
    for row in read_rows(book / f"qa_{language}.jsonl", ("id", "question", "answer")):
        label = labels.get(row["id"], {})
        pages = label.get("pages")
        if label.get("answerable") in ("full", "partial") and isinstance(pages, dict):
            sources = [f"{page}.md" for page in pages]
            asked = {"question": row["question"], "reference": row["answer"], "sources": sources}
            yield {**asked, "kind": "answerable"}
    foreign = read_rows(data / "ir" / FOREIGN[language] / "queries.jsonl", ("text",))
    for row in foreign[:: max(1, len(foreign) // WANTED)][:WANTED]:
        yield {"question": row["text"], "kind": "off_topic"}
    for row in read_rows(data / "attacks" / f"injection_{language}_dev.jsonl", ("text",)):
        yield {"question": str(row["text"])[:4000], "kind": "malicious"}


def main() -> None:
    for row in service_rows(Path(sys.argv[1]), sys.argv[2]):
        print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
