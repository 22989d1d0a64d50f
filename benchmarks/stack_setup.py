"""What `full_stack.py` starts with: real services behind proxies, and courses."""

from __future__ import annotations

import socket
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import httpx
from elasticsearch_server import ElasticsearchServer
from fault_proxy import FaultProxy
from postgres_server import find_binaries, run_postgres
from redis_server import run_redis

from benchmarks.stack_clients import ANIMALS
from benchmarks.stack_people import course_files

ADMIN_KEY = "full-stack-admin-key"
UNLIMITED = {f"VTA_LIMIT_{name}": "1000000" for name in ("LEARNER", "KEY", "ADDRESS", "REQUESTS", "COURSE")}
"""High enough for clients of one address, and on, so that the counters are asked."""


def stores(stack: ExitStack) -> dict[str, str]:
    """PostgreSQL and Redis, as the settings that name them."""
    binaries = find_binaries()
    assert binaries is not None, "PostgreSQL is not installed"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    stack.enter_context(run_redis(Path(stack.enter_context(tempfile.TemporaryDirectory())), port=port))
    return {
        "VTA_DATABASE_URL": stack.enter_context(run_postgres(binaries)),
        "VTA_REDIS_URL": f"redis://127.0.0.1:{port}/0",
    }


def services(stack: ExitStack) -> tuple[dict[str, FaultProxy], dict[str, str]]:
    """The three services behind their proxies, and the settings of a replica that uses them."""
    elasticsearch = ElasticsearchServer()
    stack.callback(elasticsearch.stop)
    urls = stores(stack) | {"VTA_ELASTICSEARCH_URL": elasticsearch.url}
    elasticsearch.wait()
    proxies = {name: stack.enter_context(FaultProxy.before(url)) for name, url in urls.items()}
    settings = {name: proxies[name].instead_of(url) for name, url in urls.items()}
    names = {
        "VTA_DATABASE_URL": "postgres",
        "VTA_REDIS_URL": "redis",
        "VTA_ELASTICSEARCH_URL": "elasticsearch",
    }
    return {names[name]: proxy for name, proxy in proxies.items()}, settings | UNLIMITED | {
        "VTA_ADMIN_KEY": ADMIN_KEY
    }


def make_courses(address: str) -> dict[str, str]:
    """One course for each animal, by HTTP; the key of an instructor of each."""
    keys = {}
    admin = {"Authorization": f"Bearer {ADMIN_KEY}"}
    with httpx.Client(base_url=address, timeout=60.0, trust_env=False) as client:
        for animal in ANIMALS:
            course = animal.lower()
            made = {
                "id": course,
                "name": f"{animal} course",
                "domains": ["Data structures"],
                "language": "en",
            }
            client.post("/v1/courses", json=made, headers=admin).raise_for_status()
            key = client.post(f"/v1/courses/{course}/keys", json={"role": "instructor"}, headers=admin)
            keys[course] = key.raise_for_status().json()["key"]
            bearer = {"Authorization": f"Bearer {keys[course]}"}
            files = [("files", (path, text.encode())) for path, text in course_files(animal).items()]
            client.post(f"/v1/courses/{course}/materials", files=files, headers=bearer).raise_for_status()
            until = time.monotonic() + 60.0
            while client.get(f"/v1/courses/{course}/materials", headers=bearer).json()["total"] < len(files):
                assert time.monotonic() < until, "the files are not read"
                time.sleep(0.2)
    return keys
