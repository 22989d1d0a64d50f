"""Settings: every wrong value names its variable, no secret shows, every variable is documented."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import fill

import pytest

from services.settings import Settings, read_settings
from vta.errors import InvalidInput
from vta.types.courses import Thresholds

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def no_settings(monkeypatch):
    for name in [name for name in os.environ if name.startswith("VTA_")]:
        monkeypatch.delenv(name)


def test_unset_means_the_embedded_default(tmp_path):
    """Nothing needs to be set, and an empty variable is an unset one."""
    settings = read_settings()
    assert settings.thresholds == Thresholds()
    assert (settings.home, settings.llm_base_url, settings.database_url) == (Path(".vta"), None, None)
    assert settings.store_url.startswith("sqlite:///")
    assert settings.store_url.endswith("/.vta/vta.db")


def test_a_key_that_is_too_short_is_told_in_characters_and_not_shown(monkeypatch):
    monkeypatch.setenv("VTA_ADMIN_KEY", "short")
    with pytest.raises(InvalidInput, match=r"VTA_ADMIN_KEY: write at least 16 characters$"):
        read_settings()


def test_an_empty_variable_is_an_unset_one(monkeypatch):
    """As compose files give it."""
    monkeypatch.setenv("VTA_BETA", "")
    monkeypatch.setenv("VTA_LLM_BASE_URL", "")
    assert read_settings() == Settings()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("alpha", "1.5"), ("alpha", "-0.1"), ("alpha", "nan"), ("alpha", "half"), ("beta", "-1"),
        ("beta", "0"), ("beta", "nan"), ("complex_margin", "0.9"), ("floor", "-0.1"), ("floor", "x"),
        ("top_k", "0"), ("top_k", "101"), ("top_k", "2.5"), ("llm_timeout_s", "0"), ("llm_timeout_s", "601"),
        ("llm_timeout_s", "nan"), ("llm_max_tokens", "15"), ("llm_max_tokens", "1e9"),
        ("llm_base_url", "example.org"), ("llm_base_url", "file:///etc"), ("beta", "inf"),
        ("complex_margin", "inf"), ("floor", "inf"), ("llm_base_url", "http://"),
        ("search_engine_url", "example.org"), ("academic_url", "file:///etc"), ("search_timeout_s", "0"),
        ("search_timeout_s", "61"),
        ("elasticsearch_url", "http://a:9200,b"), ("elasticsearch_index", "*"),
        ("elasticsearch_timeout_s", "0"), ("embeddings_base_url", "example.org"),
        ("embeddings_timeout_s", "0"), ("relevance", "1.1"), ("relevance", "nan"),
        ("relevance", "-0.1"), ("redis_url", "http://a"), ("processes", "0"), ("limit_learner", "-1"),
        ("limit_key", "x"), ("limit_address", "-1"), ("limit_requests", "1.5"), ("grace_s", "0"),
        ("trusted_proxies", "proxy.example"), ("trusted_proxies", "10.0.0.0/99"),
    ],
)  # fmt: skip
def test_a_wrong_value_names_its_variable(monkeypatch, field, value):
    """The message and the field of the error say which variable to change."""
    variable = f"VTA_{field.upper()}"
    monkeypatch.setenv(variable, value)
    with pytest.raises(InvalidInput, match=f"^{variable}: ") as raised:
        read_settings()
    assert raised.value.field == variable


def test_every_wrong_value_is_named(monkeypatch):
    """All faults are told at once."""
    monkeypatch.setenv("VTA_ALPHA", "2")
    monkeypatch.setenv("VTA_TOP_K", "0")
    with pytest.raises(InvalidInput, match=r"VTA_ALPHA: .*; VTA_TOP_K: "):
        read_settings()


def test_a_model_server_needs_a_model(monkeypatch):
    """A base URL without a model could not be asked anything."""
    monkeypatch.setenv("VTA_LLM_BASE_URL", "http://localhost:9/v1/")
    with pytest.raises(InvalidInput, match="VTA_LLM_MODEL"):
        read_settings()
    monkeypatch.setenv("VTA_LLM_MODEL", "m")
    assert read_settings().llm_base_url == "http://localhost:9/v1"


@pytest.mark.parametrize("end", ["/v1/chat/completions", "/v1/completions/", "/v1?api-version=2024-10-21"])
@pytest.mark.parametrize("variable", ["VTA_LLM_BASE_URL", "VTA_EMBEDDINGS_BASE_URL"])
def test_a_base_url_with_a_path_of_the_api_or_a_query_is_refused(monkeypatch, variable, end):
    """The client adds its paths to it, which would lead nowhere."""
    monkeypatch.setenv(variable, f"http://localhost:9{end}")
    with pytest.raises(InvalidInput, match=f"{variable}.*before /chat/completions"):
        read_settings()


def test_the_folder_given_rules_over_the_variable(monkeypatch, tmp_path):
    """`--home` is nearer than the environment."""
    monkeypatch.setenv("VTA_HOME", "/elsewhere")
    assert read_settings().home == Path("/elsewhere")
    assert read_settings(tmp_path).home == tmp_path
    assert read_settings(tmp_path).store_url.endswith("vta.db")


def test_no_secret_shows(monkeypatch):
    """Neither repr nor str, nor the message of a fault, holds a key or a password."""
    monkeypatch.setenv("VTA_LLM_API_KEY", "canary-key")
    monkeypatch.setenv("VTA_DATABASE_URL", "postgresql://user:canary-password@db/vta")
    monkeypatch.setenv("VTA_LLM_BASE_URL", "https://user:canary-url@llm.example/v1")
    monkeypatch.setenv("VTA_LLM_MODEL", "m")
    monkeypatch.setenv("VTA_ELASTICSEARCH_URL", "https://user:canary-search@a:9200, http://b:9200/")
    monkeypatch.setenv("VTA_ELASTICSEARCH_API_KEY", "canary-api-key")
    monkeypatch.setenv("VTA_EMBEDDINGS_BASE_URL", "https://user:canary-embeddings@e.example/v1")
    monkeypatch.setenv("VTA_EMBEDDINGS_API_KEY", "canary-embeddings-key")
    monkeypatch.setenv("VTA_EMBEDDINGS_MODEL", "m")
    monkeypatch.setenv("VTA_REDIS_URL", "redis://user:canary-redis@r:6379/0")
    settings = read_settings()
    assert settings.elasticsearch_url == "https://user:canary-search@a:9200,http://b:9200"
    assert "canary" not in repr(settings)
    assert "canary" not in str(settings)
    monkeypatch.setenv("VTA_LLM_BASE_URL", "user:canary-url@llm.example")
    with pytest.raises(InvalidInput) as raised:
        read_settings()
    assert "canary" not in raised.value.message


def test_settings_cannot_be_changed():
    """They are read once."""
    with pytest.raises(ValueError, match="frozen"):
        read_settings().beta = 3.0


def shown(default: object) -> str:
    return "unset" if default is None else f"`{default}`"


def expected_row(name: str) -> str:
    field = Settings.model_fields[name]
    meaning = " ".join((field.description or "").split())
    assert meaning, f"{name} has no docstring"
    row = f"- `VTA_{name.upper()}` ({shown(field.default)}): {meaning}"
    return fill(row, 100, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False) + "\n"


def expected_line(name: str) -> str:
    variable = f"VTA_{name.upper()}"
    return f"  {variable}: {'/data' if name == 'home' else f'${{{variable}:-}}'}\n"


def told_with_secrets(**variables: str) -> subprocess.CompletedProcess[str]:
    """What another process reads: the admin key, or the error and the warnings."""
    read = """
from services.settings import *
from vta.errors import InvalidInput
try:
    print(reveal(read_settings().admin_key))
except InvalidInput as error:
    print(error.field, error.message)
"""
    given = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    return subprocess.run([sys.executable, "-c", read], env=given, capture_output=True, text=True, check=True)


def test_a_setting_may_lie_in_a_file_of_secrets(tmp_path):
    """As systemd gives it to a service; a variable goes before it, and a missing folder is no fault."""
    (tmp_path / "vta_admin_key").write_text("k" * 20 + "\n", encoding="utf-8")

    def told(**variables: str) -> str:
        run = told_with_secrets(**variables)
        assert run.stderr == ""
        return run.stdout.strip()

    assert told(CREDENTIALS_DIRECTORY=str(tmp_path)) == "k" * 20
    assert told(CREDENTIALS_DIRECTORY=str(tmp_path), VTA_ADMIN_KEY="v" * 20) == "v" * 20
    assert told(CREDENTIALS_DIRECTORY=str(tmp_path / "none"), VTA_ADMIN_KEY="v" * 20) == "v" * 20


def test_a_secret_that_cannot_be_read_is_named(tmp_path):
    """A folder of its name, which Docker makes for a file that is not there, or what is no text."""
    (tmp_path / "vta_admin_key").mkdir()
    told = told_with_secrets(CREDENTIALS_DIRECTORY=str(tmp_path)).stdout
    assert told.startswith(f"VTA_ADMIN_KEY the secret '{tmp_path}/vta_admin_key' cannot be read: Is a dir")
    (tmp_path / "vta_admin_key").rmdir()
    (tmp_path / "vta_llm_api_key").write_bytes(b"\xff")
    told = told_with_secrets(CREDENTIALS_DIRECTORY=str(tmp_path)).stdout
    assert told.startswith(f"VTA_LLM_API_KEY the secret '{tmp_path}/vta_llm_api_key' cannot be read: not UTF")


def test_a_secret_without_content_is_named(tmp_path):
    """It would pass for the default, which for the database is a file of each server alone."""
    (tmp_path / "vta_database_url").write_text("\n", encoding="utf-8")
    told = told_with_secrets(CREDENTIALS_DIRECTORY=str(tmp_path)).stdout
    assert told.startswith(
        f"VTA_DATABASE_URL the secret '{tmp_path}/vta_database_url' cannot be read: it is empty"
    )


def test_a_file_of_secrets_that_is_no_setting_is_warned_about(tmp_path):
    """Files of other programs are not."""
    (tmp_path / "vta_admn_key").write_text("k" * 20, encoding="utf-8")
    (tmp_path / "postgres_password").write_text("p", encoding="utf-8")
    warned = told_with_secrets(CREDENTIALS_DIRECTORY=str(tmp_path)).stderr
    assert warned == "VTA_ADMN_KEY is no setting; did you mean VTA_ADMIN_KEY or VTA_OLD_ADMIN_KEY?\n"


@pytest.mark.parametrize(
    ("file", "expected", "lines"),
    [
        ("docs/settings.md", expected_row, r"(?:^- `VTA_\w+` \((?:.*\n)(?:  .*\n)*)+"),
        ("docker-compose.yml", expected_line, r"(?<=x-settings: &settings\n)(?:  VTA_.*\n)+"),
    ],
)
def test_every_setting_is_documented_and_handed_on(file, expected, lines):
    """The page has one item for each variable, with its default and meaning, and the compose file one line.

    With WRITE_DOCS=1 in the environment both are written anew from `services/settings`.
    """
    path = ROOT / file
    text = path.read_text(encoding="utf-8")
    found = re.search(lines, text, re.MULTILINE)
    assert found is not None
    wanted = "".join(map(expected, Settings.model_fields))
    if os.environ.get("WRITE_DOCS"):
        path.write_text(text[: found.start()] + wanted + text[found.end() :], encoding="utf-8")
    else:
        assert found[0] == wanted
