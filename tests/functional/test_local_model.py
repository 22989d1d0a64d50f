"""A model file runs in a child process: started, started again when it dies, and stopped with the platform.

In the place of llama-cpp-python stands a small package of the tests (`fake_llama`); the process is real.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from command_lines import Vta
from served_platform import Serve
from worker_server import until, worker_server

import services.language_model.local_server as supervision
from services.language_model.client import OpenAiLanguageModel
from services.language_model.local_server import LocalServer
from services.settings import read_settings
from vta.errors import InvalidInput, UpstreamFailed
from vta.types.language_model import ChatMessage

FAKE = Path(__file__).parents[1] / "fake_llama"
PATIENCE_S = 60.0
ASKED = (ChatMessage(role="user", content="What is a stack?"),)
Local = Callable[[str], LocalServer]

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def fake_llama(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FAKE))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(FAKE), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setattr(supervision, "FIRST_PAUSE_S", 0.05)


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Local]:
    """Makes servers of a model file that says this, stopped at the end."""
    made: list[LocalServer] = []

    def make(text: str) -> LocalServer:
        made.append(LocalServer(model_file(tmp_path, text), context_tokens=512, log=tmp_path / "log"))
        return made[-1]

    yield make
    for server in made:
        server.stop()


def model_file(folder: Path, text: str) -> Path:
    file = folder / "tiny.gguf"
    file.write_text(f"GGUF{text}", encoding="utf-8")
    return file


def is_alive(pid: int) -> bool:
    """Whether a process lives; one that nobody has waited for yet does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def client(server: LocalServer) -> OpenAiLanguageModel:
    return OpenAiLanguageModel(
        base_url=server.base_url,
        api_key=server.api_key,
        model=server.name,
        is_up=lambda: server.is_up,
        max_retries=0,
    )


async def ask(model: OpenAiLanguageModel) -> str:
    try:
        return (await model.complete(ASKED)).text
    finally:
        await model.aclose()


async def test_a_model_file_answers_once_it_is_loaded(local: Local) -> None:
    server = local("A pile.")
    assert server.state == "not started"
    server.start()
    assert server.wait(PATIENCE_S)
    assert server.state == "ok"
    assert await ask(client(server)) == "A pile."


def test_only_the_holder_of_the_key_is_answered(local: Local) -> None:
    server = local("A pile.")
    server.start()
    assert server.wait(PATIENCE_S)
    assert httpx.get(f"{server.base_url}/models", headers={"Authorization": "Bearer x"}).status_code == 401


async def test_a_model_that_is_not_up_fails_at_once(local: Local) -> None:
    with pytest.raises(UpstreamFailed, match="is being started"):
        await ask(client(local("A pile.")))


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM])
async def test_a_killed_process_is_started_again_at_the_same_address(
    local: Local, sent: signal.Signals
) -> None:
    server = local("A pile.")
    server.start()
    assert server.wait(PATIENCE_S)
    first, address = server.pid, server.base_url
    assert first is not None
    os.kill(first, sent)
    until(lambda: server.is_up and server.pid != first)
    assert server.base_url == address
    assert await ask(client(server)) == "A pile."


async def test_a_process_that_dies_while_it_answers_is_a_failure_and_then_back(local: Local) -> None:
    server = local("My last words!")
    server.start()
    assert server.wait(PATIENCE_S)
    first = server.pid
    assert await ask(client(server)) == "My last words!"
    until(lambda: server.is_up and server.pid != first)


def test_a_model_that_cannot_be_loaded_is_tried_again_and_says_so(local: Local, tmp_path: Path) -> None:
    server = local("broken")
    server.start()
    assert not server.wait(PATIENCE_S)
    assert server.state == "its process ended with 1; starting again"
    assert "the model cannot be loaded" in (tmp_path / "log").read_text(encoding="utf-8")
    model_file(tmp_path, "mended")
    until(lambda: server.is_up)


def test_stopping_ends_the_process_for_good(local: Local) -> None:
    server = local("A pile.")
    server.start()
    assert server.wait(PATIENCE_S)
    pid = server.pid
    assert pid is not None
    server.stop()
    assert not is_alive(pid)
    assert server.state == "stopped"
    server.stop()


def test_the_process_ends_with_a_parent_that_was_killed(tmp_path: Path) -> None:
    """Nothing in the parent runs any more; the child notices that its standard input was closed."""
    code = (
        "import sys, time; from pathlib import Path; "
        "from services.language_model.local_server import LocalServer; "
        "server = LocalServer(Path(sys.argv[1]), context_tokens=512, log=Path(sys.argv[2])); "
        "server.start(); server.wait(60); print(server.pid, flush=True); time.sleep(600)"
    )
    command = [sys.executable, "-c", code, str(model_file(tmp_path, "A pile.")), str(tmp_path / "log")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert is_alive(child)
        parent.kill()
    until(lambda: not is_alive(child))


def test_a_file_that_is_no_model_is_refused_by_name(tmp_path: Path) -> None:
    other = tmp_path / "notes.gguf"
    other.write_text("no model", encoding="utf-8")
    for file in (other, tmp_path / "missing.gguf"):
        with pytest.raises(InvalidInput, match=str(file)) as refused:
            LocalServer(file, context_tokens=512, log=tmp_path / "log")
        assert refused.value.field == "VTA_LLM_FILE"


def test_a_model_is_served_or_run_from_a_file_not_both(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("VTA_LLM_BASE_URL", "http://localhost:9/v1")
    monkeypatch.setenv("VTA_LLM_MODEL", "m")
    with pytest.raises(InvalidInput, match="VTA_LLM_FILE"):
        read_settings(tmp_path, model_file(tmp_path, "A pile."))


def test_the_platform_answers_without_the_model_until_it_is_up_and_says_so(
    serve: Serve, tmp_path: Path
) -> None:
    """`/readyz` is 200 all the time."""
    api = serve(llm_file=model_file(tmp_path, "broken"))
    local = api.platform.local
    assert local is not None
    until(lambda: "ended with 1" in local.state)
    ready = api.client.get("/readyz")
    assert ready.status_code == 200
    assert ready.json()["parts"]["language_model"] == (
        "its process ended with 1; starting again; the offline teacher answers"
    )
    question = {"question": "Why do editors undo with a stack?"}
    answer = api.client.post("/v1/courses/stacks-en/dialogue", json=question).json()
    assert "Editors keep what was done on a stack" in answer["text"]
    model_file(tmp_path, "Editors undo with a stack: the last command lies on top [1].")
    until(lambda: local.is_up)
    assert api.client.get("/readyz").json()["parts"]["language_model"] == "ok"
    answer = api.client.post("/v1/courses/stacks-en/dialogue", json=question).json()
    assert "the last command lies on top" in answer["text"]


def test_one_command_loads_the_model_and_answers_with_it(
    command: Vta, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = tmp_path / "stack.md"
    notes.write_text("# Undo\n\nEditors undo with a stack: the last command lies on top.\n", encoding="utf-8")
    assert command("course", "add", "ds", "--name", "DS", "--domain", "cs", "--language", "en").code == 0
    assert command("ingest", "ds", str(notes)).code == 0
    monkeypatch.setenv("VTA_LLM_FILE", str(model_file(tmp_path, "The last command lies on top [1].")))
    asked = command("ask", "ds", "Why do editors undo with a stack?", "--json")
    assert asked.json["text"].startswith("The last command lies on top")
    assert "served by this server's own process" in command("doctor", "--json").json["language_model"]


def test_workers_of_one_server_share_one_model(home: Path, tmp_path: Path) -> None:
    """The supervisor runs it; both workers answer with it, and say so while it is away."""
    file = model_file(tmp_path, "Editors undo with a stack: the last command lies on top [1].")
    name = str(file).encode()
    with worker_server(home, llm_file=str(file)) as server:
        workers = server.until_all_serve(2)
        for worker in workers:
            with server.client_of(worker) as client:
                until(lambda client=client: model_state(client) == "ok")
                question = {"question": "Why do editors undo with a stack?"}
                answer = client.post("/v1/courses/stacks-en/dialogue", json=question).json()
                assert "the last command lies on top" in answer["text"]
        (model,) = (process for process, line in processes() if b"local_child" in line and name in line)
        assert Path(f"/proc/{model}/stat").read_text().split()[3] == str(server.running.pid)
        model_file(tmp_path, "broken")
        os.kill(model, signal.SIGKILL)
        with server.client_of(workers[0]) as client:
            until(lambda: model_state(client) == "starting; the offline teacher answers")


def model_state(client: httpx.Client) -> str:
    return str(client.get("/readyz").json()["parts"]["language_model"])


def processes() -> Iterator[tuple[int, bytes]]:
    """Every process with its command line."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            yield int(folder.name), (folder / "cmdline").read_bytes()
