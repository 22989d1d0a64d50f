"""A model file that llama.cpp serves in a child process, started anew whenever it dies."""

from __future__ import annotations

import importlib.util
import logging
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any, Final

import services
from vta.errors import InvalidInput
from vta.faults import Fault

_log = logging.getLogger(__name__)

FIRST_PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 60.0
STEADY_S: Final = 60.0
"""A child that lived for so long is started again after the first pause."""
GOODBYE_S: Final = 5.0
_GGUF: Final = b"GGUF"


class LocalServer:
    """The OpenAI interface of one GGUF file on 127.0.0.1, with a port and a key of its own.

    `start` returns at once; a thread loads the model in a child process and starts it again, after pauses
    that double, when it ends. The listening socket stays with this process, so that the port is never
    another's. The child ends with this process, however that ends.
    """

    def __init__(
        self,
        file: Path,
        *,
        context_tokens: int,
        log: Path,
        told: Callable[[bool], object] = lambda is_up: None,
    ) -> None:
        """`InvalidInput` where the file is no GGUF file. What llama.cpp prints goes to the file `log`.

        `told` hears whenever the model comes up or goes down.
        """
        self._file = checked_file(file)
        self._context_tokens = context_tokens
        self._log_file = log
        self._told = told
        self.api_key = secrets.token_urlsafe(24)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._stopping, self._up, self._changed = Event(), Event(), Event()
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: Thread | None = None
        self._ended = ""

    @property
    def name(self) -> str:
        """The model's name: that of its file."""
        return self._file.stem

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"

    @property
    def is_up(self) -> bool:
        """Whether the model is loaded and its process lives."""
        return self._up.is_set()

    @property
    def pid(self) -> int | None:
        """The child's process, None where there is none."""
        return self._process.pid if self._process else None

    @property
    def is_installed(self) -> bool:
        """Whether llama-cpp-python is there (extra `local`)."""
        return importlib.util.find_spec("llama_cpp") is not None

    @property
    def state(self) -> str:
        """What it does, for those who run the server."""
        if self.is_up:
            return "ok"
        if self._thread is None:
            return "not started"
        if self._stopping.is_set():
            return "stopped"
        return f"{self._ended}; starting again" if self._ended else "starting"

    def start(self) -> None:
        """Begin to load the model. `InvalidInput` where the extra `local` is not installed."""
        if not self.is_installed:
            raise InvalidInput(Fault("setting.local_extra"), field="VTA_LLM_FILE")
        if self._thread is None:
            self._thread = Thread(target=self._supervise, name="local-model", daemon=True)
            self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait until the model is loaded, or its first process has ended; whether it is up."""
        self._changed.wait(seconds)
        return self.is_up

    def stop(self) -> None:
        """End the child and start no other. May be called again."""
        with self._lock:
            self._stopping.set()
            process = self._process
        if process is not None:
            process.terminate()
            try:
                process.wait(GOODBYE_S)
            except subprocess.TimeoutExpired:
                process.kill()
        if self._thread is not None:
            self._thread.join(GOODBYE_S)
        self._listener.close()

    def _supervise(self) -> None:
        pause_s = FIRST_PAUSE_S
        while not self._stopping.is_set():
            begun = monotonic()
            try:
                self._ended = f"its process ended with {self._run()}"
            except OSError as error:
                self._ended = f"no process can be started: {error.strerror}"
            self._up.clear()
            self._told(False)
            self._changed.set()
            if self._stopping.is_set():
                return
            _log.warning("the model %s: %s; %s may say why", self.name, self._ended, self._log_file)
            pause_s = FIRST_PAUSE_S if monotonic() - begun > STEADY_S else pause_s
            self._stopping.wait(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    def _run(self) -> int:
        """One life of the child; its exit code, negative for a signal."""
        descriptor = self._listener.fileno()
        command = [sys.executable, "-P", "-m", "services.language_model.local_child"]
        given = [str(descriptor), str(self._file), self.name, str(self._context_tokens)]
        with self._log_file.open("wb") as log, self._lock:
            if self._stopping.is_set():
                return 0
            process = self._process = subprocess.Popen(  # noqa: S603  (our own module, by this interpreter)
                command + given,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                pass_fds=[descriptor],
                env=_environment(self.api_key),
                start_new_session=True,  # Ctrl-C is for the parent, who then stops it
            )
        with process:
            if process.stdout is not None and process.stdout.readline():
                self._up.set()
                self._told(True)
                self._changed.set()
                _log.info("the model %s is loaded", self.name)
            return process.wait()


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedModel:
    """A local model that the supervisor of this process runs; `up` is a value in shared memory."""

    name: str
    base_url: str
    api_key: str
    up: Any
    is_installed = True

    @property
    def is_up(self) -> bool:
        """Whether the model is loaded and its process lives."""
        return bool(self.up.value)

    @property
    def state(self) -> str:
        """What it does, for those who run the server."""
        return "ok" if self.is_up else "starting"

    def start(self) -> None:
        """The supervisor does."""

    def wait(self, seconds: float) -> bool:
        """Whether it is up; it is not waited for."""
        return self.is_up

    def stop(self) -> None:
        """The supervisor does."""


LocalModel = LocalServer | SharedModel


def checked_file(file: Path) -> Path:
    """The absolute path of a GGUF file; `InvalidInput` where it is none."""
    try:
        with file.open("rb") as opened:
            is_model = opened.read(len(_GGUF)) == _GGUF
    except OSError as error:
        raise InvalidInput(
            Fault("setting.model_unreadable", file=str(file), reason=error.strerror or ""),
            field="VTA_LLM_FILE",
        ) from error
    if not is_model:
        raise InvalidInput(Fault("setting.model_file", file=str(file)), field="VTA_LLM_FILE")
    return file.absolute()


def _environment(key: str) -> dict[str, str]:
    """That of this process without our settings, some of which are secrets, and with the child's key."""
    packages = str(Path(services.__file__).resolve().parents[1])
    found = [packages, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    kept = {n: value for n, value in os.environ.items() if not n.startswith("VTA_") and n != "CONFIG_FILE"}
    return {**kept, "PYTHONPATH": os.pathsep.join(dict.fromkeys(found)), "API_KEY": key}
