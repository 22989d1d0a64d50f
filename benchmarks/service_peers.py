"""What benchmarks/service.py measures beside the platform, over the same pairs: haystack and Elasticsearch.

haystack-ai answers with the best passage of its BM25 retriever, behind FastAPI, in an environment of its own;
it keeps no turn, reads no intent and cites nothing. Elasticsearch's own `_search` is the floor: no answer.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
import venv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from elasticsearch_cluster import load_server

from vta.types.pairs import QAPair

PINNED = ("haystack-ai==3.4.0", "fastapi==0.165.0", "uvicorn==0.54.0")
TOP = 8
HAYSTACK = """
import json, socket, sys
import uvicorn
from fastapi import FastAPI
from haystack import Document, Pipeline
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from pydantic import BaseModel

pipelines = {}
for course, texts in json.load(open(sys.argv[1], encoding="utf-8")).items():
    store = InMemoryDocumentStore()
    store.write_documents([Document(content=text) for text in texts])
    pipelines[course] = Pipeline()
    pipelines[course].add_component("retriever", InMemoryBM25Retriever(store, top_k=int(sys.argv[2])))

class Asked(BaseModel):
    question: str

app = FastAPI()

@app.post("/courses/{course}/answer")
def answer(course: str, asked: Asked):
    found = pipelines[course].run({"retriever": {"query": asked.question}})["retriever"]["documents"]
    passages = [{"text": each.content, "score": each.score} for each in found]
    return {"text": passages[0]["text"] if passages else "", "passages": passages}

listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
"""


@contextmanager
def haystack(
    folder: Path, environment: Path, courses: dict[str, Sequence[QAPair]]
) -> Iterator[tuple[int, int]]:
    """Port and process of the haystack service; its environment is made where missing."""
    python = environment / "bin" / "python"
    if not python.exists():
        venv.create(environment, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *PINNED], check=True)
    texts = {
        course: [f"{pair.question}\n{pair.answer}" for pair in pairs] for course, pairs in courses.items()
    }
    (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    clean |= {"HAYSTACK_TELEMETRY_ENABLED": "False"}
    command = [str(python), "-c", HAYSTACK, str(folder / "texts.json"), str(TOP)]
    with subprocess.Popen(command, env=clean, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        try:
            yield int(running.stdout.readline()), running.pid
        finally:
            running.terminate()


def haystack_request(course: str, question: str) -> tuple[str, str]:
    """Path and body of one question."""
    return f"/courses/{course}/answer", json.dumps({"question": question})


@contextmanager
def elasticsearch(courses: dict[str, Sequence[QAPair]]) -> Iterator[tuple[int, int]]:
    """Port and process of an Elasticsearch that holds the pairs."""
    node = load_server().ElasticsearchServer()
    node.wait()
    try:
        mapping = {
            "properties": {
                "course": {"type": "keyword"},
                "question": {"type": "text"},
                "answer": {"type": "text"},
            }
        }
        _send(f"{node.url}/pairs", "PUT", {"mappings": mapping, "settings": {"number_of_replicas": 0}})
        for course, pairs in courses.items():
            lines: list[str] = []
            for pair in pairs:
                kept = {"course": course, "question": pair.question, "answer": pair.answer}
                lines += [json.dumps({"index": {}}), json.dumps(kept)]
            _send(f"{node.url}/pairs/_bulk?refresh=true", "POST", "\n".join(lines) + "\n")
        yield node.port, node._process.pid
    finally:
        node.stop()


def elasticsearch_request(course: str, question: str) -> tuple[str, str]:
    """Path and body of one search."""
    asked = {"multi_match": {"query": question, "fields": ["question", "answer"]}}
    body = {"size": TOP, "query": {"bool": {"filter": {"term": {"course": course}}, "must": asked}}}
    return "/pairs/_search", json.dumps(body)


def _send(url: str, method: str, body: object) -> None:
    raw = body if isinstance(body, str) else json.dumps(body)
    kind = "application/x-ndjson" if isinstance(body, str) else "application/json"
    request = urllib.request.Request(url, raw.encode(), {"Content-Type": kind}, method=method)
    with urllib.request.urlopen(request, timeout=120) as reply:
        told = json.load(reply)
    if told.get("errors"):
        raise RuntimeError(re.sub(r"\s+", " ", json.dumps(told))[:500])


if __name__ == "__main__":
    sys.exit("run benchmarks/service.py")
