"""Several workers of one server: they end together, one that dies is started anew, what was written stays."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from command_lines import CommandLine
from console_client import token
from prometheus_client.parser import text_string_to_metric_families
from scripted_llm import Call, completion
from served_platform import new_platform
from template_databases import new_database
from worker_server import WorkerServer, until, worker_server

from vta.types.courses import CourseId, Role

pytestmark = pytest.mark.slow
COURSE = "stacks-en"
DIALOGUE = f"/v1/courses/{COURSE}/dialogue"
FAQ = f"/v1/courses/{COURSE}/faq"
WHY = "Why do editors undo with a stack?"


@pytest.fixture
def server(home: Path, key: dict[str, str]) -> Iterator[WorkerServer]:
    with worker_server(home) as started:
        yield started


def ask(client: httpx.Client, question: str, session: str | None = None) -> httpx.Response:
    return client.post(DIALOGUE, json={"question": question, "session_id": session})


def test_a_killed_worker_is_replaced_and_nothing_acknowledged_is_lost(server, key):
    """SIGKILL of the one that wrote: the other answers from the entry at once, a new one too."""
    first, second = server.until_all_serve(2)
    draft = {"question": "Where is the makeup exam held?", "answer": "In room 4711."}
    with server.client_of(first) as client:
        assert client.post(FAQ, json=draft, headers=key).status_code == 201
    os.kill(first, signal.SIGKILL)
    until(lambda: not Path(f"/proc/{first}").exists())  # then its port is closed
    with httpx.Client(base_url=server.address, trust_env=False, timeout=60.0) as client:
        assert "4711" in ask(client, draft["question"]).json()["text"]
    replaced = until(lambda: next((each for each in server.workers if each not in (first, second)), None))
    with server.client_of(replaced) as client:
        assert "4711" in ask(client, draft["question"]).json()["text"]
    assert server.stop() == 0
    assert any("another is started" in line for line in server.written)


def test_a_worker_that_wakes_first_leaves_the_others_their_connections(server):
    """Forty wait while both stand still; by chance one of them has fewer than four once in 50 million."""
    first, second = server.until_all_serve(2)
    address = urlsplit(server.address)
    with ExitStack() as stack:
        for worker in (first, second):
            os.kill(worker, signal.SIGSTOP)
        for _ in range(40):
            stack.enter_context(socket.create_connection((address.hostname, address.port)))
        os.kill(first, signal.SIGCONT)
        until(lambda: count_connections(first, address.port))
        os.kill(second, signal.SIGCONT)
        until(lambda: sum(count_connections(each, address.port) for each in (first, second)) == 40)
        assert count_connections(first, address.port) in range(4, 37)


def count_connections(process: int, port: int) -> int:
    """Open connections to a port that a process has taken."""
    names = set()
    for each in Path(f"/proc/{process}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            names.add(os.readlink(each))
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()]
    opened = [line[9] for line in lines if line[1].endswith(f":{port:04X}") and line[3] == "01"]
    return sum(f"socket:[{inode}]" in names for inode in opened)


def test_an_edit_at_one_worker_is_found_at_the_other_when_the_request_returns(server, key):
    """Added, edited and removed entries; each time the next question at the other one knows."""
    first, second = server.until_all_serve(2)
    with server.client_of(first) as one, server.client_of(second) as other:
        for number in range(5):
            draft = {"question": f"Where is the exam of group {number}?", "answer": f"In room 47{number}."}
            added = one.post(FAQ, json=draft, headers=key)
            assert f"47{number}" in ask(other, draft["question"]).json()["text"]
            draft["answer"] = f"In hall 58{number}."
            address, match = added.headers["location"], {"If-Match": added.headers["etag"]}
            edited = other.put(address, json=draft, headers=key | match)
            assert f"58{number}" in ask(one, draft["question"]).json()["text"]
            match = {"If-Match": edited.headers["etag"]}
            assert one.delete(address, headers=key | match).status_code == 200
            assert f"58{number}" not in ask(other, draft["question"]).json()["text"]


def test_an_upload_is_told_at_every_worker_and_a_plan_is_answered_at_any(server, key, home):
    """Files come to one worker; the other tells how far they are, and does what the first has planned."""
    materials = f"/v1/courses/{COURSE}/materials"
    first, second = server.until_all_serve(2)
    with server.client_of(first) as one, server.client_of(second) as other:
        notes = [("files", (f"extra/n{n}.md", f"# Room {n}\n\nThe giraffe of room {n}.\n")) for n in range(5)]
        begun = one.post(materials, files=notes, headers=key)
        assert begun.status_code == 202
        address = begun.headers["location"]
        report = until(lambda: other.get(address, headers=key).json()["report"])
        assert sorted(report["added"]) == [f"extra/n{n}.md" for n in range(5)]
        assert one.get(address, headers=key).json()["report"] == report
        assert "giraffe" in ask(other, "Where is the giraffe of room 3?").text
    origin = {"Origin": server.address}
    bearer = key["Authorization"].removeprefix("Bearer ")
    with server.client_of(first) as one, server.client_of(second) as other:
        assert one.post("/console/log-in", data={"key": bearer}, headers=origin).status_code == 303
        other.cookies = one.cookies
        again = [("files", ("extra/n0.md", "# Room 0\n\nThe zebra of room 0.\n"))]
        csrf = token(one.get(f"/console/{COURSE}/materials"))
        planned = one.post(f"/console/{COURSE}/materials", files=again, data={"csrf": csrf}, headers=origin)
        assert "/plans/" in planned.headers["location"]
        shown = other.get(planned.headers["location"])
        assert "extra/n0.md" in shown.text
        answer = {"action": "confirm", "csrf": token(shown)}
        done = other.post(planned.headers["location"], data=answer, headers=origin)
        assert one.get(planned.headers["location"]).status_code == 404
        until(lambda: not one.get(f"{done.headers['location']}/state").json()["running"])
        assert "zebra" in ask(one, "Where is the zebra of room 0?").text


async def slow_reply(call: Call) -> None:
    """A model that takes its time."""
    await call.pause(1.0)
    await call.respond(200, completion("A stack is last in, first out [1]."), "application/json")


@pytest.mark.fault(case="T55")
def test_questions_of_a_session_follow_each_other_between_workers(home, key, scripted_llm):
    """A quick question at one worker waits for the slow one before it at the other."""
    with worker_server(home, llm_base_url=scripted_llm.base_url, llm_model="m") as server:
        first, second = server.until_all_serve(2)
        with server.client_of(first) as one, server.client_of(second) as other, ThreadPoolExecutor(2) as pool:
            session = ask(one, "When is the homework due?").json()["session_id"]
            scripted_llm.arrived.clear()
            scripted_llm.play(slow_reply)
            slow = pool.submit(ask, one, WHY, session)
            assert scripted_llm.arrived.wait(60.0)
            quick = pool.submit(ask, other, "How do I get a certificate?", session)
            assert slow.result().json()["session_id"] == session
            assert quick.result().json()["route"] == "direct"
            turns = one.get(f"/v1/courses/{COURSE}/sessions/{session}").json()["turns"]
    assert [turn["question"] for turn in turns][1:] == [WHY, "How do I get a certificate?"]


def test_metrics_are_those_of_all_workers_whichever_is_asked(server):
    """Turns of both, also those of a worker that was killed since, and what is under way once."""
    first, second = server.until_all_serve(2)
    with server.client_of(first) as one, server.client_of(second) as other:
        for client, times in ((one, 3), (other, 2)):
            for _ in range(times):
                assert ask(client, "When is the homework due?").status_code == 200
        told = [samples_at_rest(client) for client in (one, other)]
    for found in told:
        assert found["vta_answers_total", ("direct",)] == 5
        assert found["vta_store_up", ()] == 1
        assert found["process_resident_memory_bytes", ()] > sum(map(resident, (first, second))) / 2
    os.kill(first, signal.SIGKILL)
    until(lambda: first not in server.workers and len(server.workers) == 2)
    with server.client_of(second) as other:
        found = samples_at_rest(other)
    assert found["vta_answers_total", ("direct",)] == 5


def samples_at_rest(client: httpx.Client) -> dict[tuple[str, tuple[str, ...]], float]:
    """The samples once no other request is under way: a reply comes before its request ends."""

    def look() -> dict[tuple[str, tuple[str, ...]], float] | None:
        found = samples(client)
        return found if found["vta_http_requests_in_flight", ()] == 1 else None

    return until(look)


def samples(client: httpx.Client) -> dict[tuple[str, tuple[str, ...]], float]:
    """Every sample of /metrics by its name and the values of its labels."""
    return {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(client.get("/metrics").text)
        for sample in family.samples
    }


def resident(process: int) -> int:
    """Bytes of a process in memory."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_two_servers_on_one_database_agree_like_workers(templates, postgres_server, tmp_path, scripted_llm):
    """Data folders of their own, as on two machines: edits, the order of a session, progress of uploads."""
    with new_database(postgres_server) as url:
        platform = new_platform(templates, tmp_path / "home", database_url=url)
        made, _ = platform.stores.keys.make(CourseId(COURSE), Role.INSTRUCTOR)
        platform.close()
        key, model = {"Authorization": f"Bearer {made}"}, {"llm_base_url": scripted_llm.base_url}
        with ExitStack() as stack:
            one, other = (
                stack.enter_context(
                    client_of_server(tmp_path / name, database_url=url, llm_model="m", **model)
                )
                for name in ("one", "other")
            )
            draft = {"question": "Where is the makeup exam held?", "answer": "In room 4711."}
            assert one.post(FAQ, json=draft, headers=key).status_code == 201
            session = ask(other, draft["question"]).json()
            assert "4711" in session["text"]
            scripted_llm.play(slow_reply)
            pool = stack.enter_context(ThreadPoolExecutor(1))
            slow = pool.submit(ask, one, WHY, session["session_id"])
            assert scripted_llm.arrived.wait(60.0)
            assert ask(other, "How do I get a certificate?", session["session_id"]).status_code == 200
            assert slow.result().status_code == 200
            turns = one.get(f"/v1/courses/{COURSE}/sessions/{session['session_id']}").json()["turns"]
            assert [turn["question"] for turn in turns][1:] == [WHY, "How do I get a certificate?"]
            note = [("files", ("giraffe.md", "# Zoo\n\nThe giraffe is five metres tall.\n"))]
            begun = one.post(f"/v1/courses/{COURSE}/materials", files=note, headers=key)
            address = begun.headers["location"]
            report = until(lambda: other.get(address, headers=key).json()["report"])
    assert report["added"] == ["giraffe.md"]


@contextmanager
def client_of_server(home: Path, **settings: str) -> Iterator[httpx.Client]:
    """A client of a server of one process."""
    with (
        worker_server(home, workers=1, **settings) as server,
        httpx.Client(base_url=server.address, trust_env=False, timeout=120.0) as client,
    ):
        yield client


def test_a_stop_ends_the_answers_of_every_worker_in_words(home, scripted_llm):
    """SIGTERM of the supervisor while each worker waits for a model: a stream ends with `error`."""
    scripted_llm.play(scripted_llm.hang())
    settings = {"llm_base_url": scripted_llm.base_url, "llm_model": "m", "grace_s": "4"}
    with worker_server(home, **settings) as server:
        first, second = server.until_all_serve(2)
        with server.client_of(first) as one, server.client_of(second) as other, ThreadPoolExecutor(2) as pool:
            body = {"question": WHY, "stream": True}
            streams = [pool.submit(client.post, DIALOGUE, json=body) for client in (one, other)]
            until(lambda: len(scripted_llm.requests) == 2)
            assert server.stop() == 0
            ended = [each.result().text for each in streams]
    assert all("event: error" in text and "closing down" in text for text in ended)
    assert not any("Traceback" in line for line in server.written)


def test_workers_end_when_their_supervisor_is_killed(server):
    """Nobody is left on the port."""
    workers = server.until_all_serve(2)
    server.running.kill()
    for worker in workers:
        until(lambda worker=worker: not Path(f"/proc/{worker}").exists())


def test_a_server_that_cannot_start_says_why_and_ends(home):
    """A store that is no store: one line with the reason, and exit status 1; no endless restarts."""
    (home / "vta.db").write_bytes(b"no database at all" * 100)
    with worker_server(home) as server:
        assert server.running.wait(60.0) == 1
    assert "a worker cannot start" in "".join(server.written)


def test_fewer_than_one_worker_is_refused(command: CommandLine):
    ran = command("serve", "--workers", "0")
    assert ran.code == 2
    assert "--workers" in ran.err
