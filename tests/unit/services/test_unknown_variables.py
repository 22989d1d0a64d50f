"""Variables that begin with VTA_ and are no setting."""

from __future__ import annotations

import logging

import pytest

from services.settings import read_settings, unknown_variables


def test_a_misspelt_variable_is_found_with_what_was_meant():
    """The nearest settings are suggested, and none where nothing is near."""
    given = [
        "VTA_LIMT_KEY",
        "VTA_HOME",
        "VTA_COMPLETELY_DIFFERENT",
        "PATH",
        "vta_beta",
        "VTA_TEST_POSTGRES_URL",
    ]
    assert dict(unknown_variables(given)) == {
        "VTA_LIMT_KEY": ("VTA_LIMIT_KEY",),
        "VTA_COMPLETELY_DIFFERENT": (),
    }


@pytest.mark.parametrize("value", ["5", ""])
def test_a_command_warns_of_a_misspelt_variable(monkeypatch, caplog, tmp_path, value):
    """It starts all the same; an empty variable is an unset one."""
    monkeypatch.setenv("VTA_LIMT_KEY", value)
    with caplog.at_level(logging.WARNING):
        read_settings(tmp_path)
    assert ("VTA_LIMT_KEY is no setting; did you mean VTA_LIMIT_KEY?" in caplog.text) is bool(value)
