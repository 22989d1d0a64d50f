"""The command line speaks the language of the locale."""

from __future__ import annotations

import sys

import pytest

from services.cli.main import main
from services.settings import terminal_language
from vta.languages import Language


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, Language.ZH),
        ({"LANG": "zh"}, Language.ZH),
        ({"LANG": "en_GB.UTF-8"}, Language.EN),
        ({"LANG": "C"}, Language.EN),
        ({}, Language.EN),
        ({"LC_ALL": "", "LC_MESSAGES": "", "LANG": "zh_TW.UTF-8"}, Language.ZH),
        ({"LC_MESSAGES": "zh_CN.UTF-8", "LANG": "de_DE.UTF-8"}, Language.ZH),
        ({"LC_ALL": "C.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8", "LANG": "zh_CN.UTF-8"}, Language.EN),
    ],
)
def test_the_first_variable_that_is_set_decides(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], language: Language
) -> None:
    """In the order of POSIX; what is no Chinese locale means English."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert terminal_language() is language


@pytest.mark.parametrize(
    ("locale", "said"),
    [
        ("zh_CN.UTF-8", "vta: --name 和 --domain 不能为空。\n"),
        ("en_GB.UTF-8", "vta: --name and --domain must not be empty\n"),
    ],
)
def test_a_fault_is_one_line_in_the_language_of_the_locale(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], locale: str, said: str
) -> None:
    """The exit code is the same in either."""
    monkeypatch.setenv("LC_ALL", locale)
    monkeypatch.setattr(sys, "argv", ["vta", "course", "add", "ds", "--name", " ", "--domain", "x"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, capsys.readouterr().err) == (2, said)
