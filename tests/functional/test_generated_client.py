"""The API's document is sound, and a client generated from it in a program of its own can ask a question."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from served_platform import Serve

from vta.types.courses import Role

validator = pytest.importorskip("openapi_spec_validator")

GENERATOR = Path(__file__).parents[2] / ".venv" / "generator" / "bin"
ASK = """
import sys
from api_client import AuthenticatedClient
from api_client.api.dialogue import ask_v1_courses_course_dialogue_post as ask
from api_client.api.operations import health_healthz_get as health
from api_client.models import AnswerOut, DialogueIn
client = AuthenticatedClient(sys.argv[1], token=sys.argv[2], httpx_args={"trust_env": False})
assert health.sync_detailed(client=client).status_code == 200
answer = ask.sync("stacks-en", client=client, body=DialogueIn(question="What is a stack?", learner_id="ann"))
assert isinstance(answer, AnswerOut), answer
print(answer.route.value, len(answer.citations))
"""


def test_the_document_is_valid_openapi(serve: Serve) -> None:
    """By the schema of OpenAPI 3.1 and the rules beside it; every operation has an id of its own."""
    document = serve().client.get("/openapi.json").json()
    assert document["openapi"].startswith("3.1.")
    validator.validate(document)


@pytest.mark.slow
def test_a_client_can_be_generated_and_asks_a_question(serve: Serve, tmp_path: Path) -> None:
    """By openapi-python-client, which cannot read pictures and JSON lines and says so, and nothing else."""
    programs = Path(os.environ.get("VTA_TEST_GENERATOR", GENERATOR))
    if not (programs / "openapi-python-client").exists():
        pytest.skip(f"not proven: {programs} has no openapi-python-client; `make test-rest` brings it")
    api = serve()
    key = api.key(Role.PLATFORM)
    (tmp_path / "openapi.json").write_text(json.dumps(api.client.get("/openapi.json").json()), "utf-8")
    generate = [programs / "openapi-python-client", "generate", "--path", tmp_path / "openapi.json"]
    options = ["--meta", "none", "--output-path", tmp_path / "api_client"]
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run([*generate, *options], capture_output=True, text=True, check=True, env=environment)
    assert (done.stdout + done.stderr).count("WARNING") == 2, done.stdout
    assert all(name in done.stdout + done.stderr for name in ("neighbourhood.svg", "research/turns"))
    asked = subprocess.run(
        [programs / "python", "-c", ASK, api.address, key],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
    )
    assert asked.returncode == 0, asked.stderr
    assert asked.stdout.startswith("direct ")
