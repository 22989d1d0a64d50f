"""Runs command lines of the platform in the process of the tests."""

from __future__ import annotations

import io
import json
import logging
import sys
from typing import Any, NamedTuple, Protocol

import pytest

from services.cli.main import main
from services.web.request_log import LOGGER


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON object that stdout is."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """The JSON Lines that stdout is."""
        return [json.loads(line) for line in self.out.splitlines()]


class Vta(Protocol):
    """Runs a command line over one data folder; named arguments are settings.

    `vta("ask", ..., beta="0.5")` has VTA_BETA=0.5, from then on.
    """

    def __call__(self, *arguments: object, stdin: str = "", **settings: str) -> Ran: ...


class CommandLine:
    """`Vta` in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        monkeypatch.setenv("LC_ALL", "C.UTF-8")  # messages in English, whoever runs the tests
        self._capture = capture

    def __call__(self, *arguments: object, stdin: str = "", **settings: str) -> Ran:
        for name, value in settings.items():
            self._monkeypatch.setenv(f"VTA_{name.upper()}", value)
        self._monkeypatch.setattr(sys, "argv", ["vta", *map(str, arguments)])
        self._monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        self._capture.readouterr()
        code: object = 0
        root, requests = logging.getLogger(), logging.getLogger(LOGGER)
        handlers, levels = root.handlers[:], (root.level, requests.level)
        try:
            main()
        except SystemExit as ended:
            code = ended.code
        finally:  # a server's log is not the next test's
            root.handlers[:] = handlers
            root.setLevel(levels[0])
            requests.setLevel(levels[1])
        read = self._capture.readouterr()
        return Ran(int(str(code or 0)), read.out, read.err)
