"""`vta serve`, `vta demo`."""

from __future__ import annotations

import asyncio
import socket
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from services.app import create_app
from services.cli.dialogue import show_answer
from services.cli.output import Home, platform, show
from services.cli.people import password_address
from services.cli.server import serve_here, share_arenas
from services.cli.workers import serve_with_workers
from services.demo.sample_courses import DEMO_COURSES, DEMO_QUESTION, EXPLAINED_QUESTION, create_demo_courses
from services.http.request_log import start_log
from services.settings import read_settings
from services.storage.people import PlatformRole
from services.wiring import Platform, build_platform
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types import Question, Role

DEMO_ADMIN = "admin@demo.example"
Host = Annotated[str, typer.Option(help="The address to listen on.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 picks a free one.")]
Workers = Annotated[
    int, typer.Option(min=1, max=256, help="Processes that serve together; one for each processor core.")
]


def register(app: typer.Typer) -> None:
    app.command()(demo)
    app.command()(serve)


def demo(
    port: Port = 8000,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    model: Annotated[
        Path | None,
        typer.Option(help="A GGUF file: its language model answers (VTA_LLM_FILE; needs the extra local)."),
    ] = None,
    home: Home = None,
) -> None:
    """Create the two sample courses, answer one question, and serve the sidebar.

    Example: vta demo --port 8000
    """
    share_arenas()
    with listen("127.0.0.1", port) as listener:
        with platform(home, llm_file=model, asks_model=True) as vta:
            for report in create_demo_courses(vta):
                show(report)
            asked = [DEMO_QUESTION] if vta.local is None else [DEMO_QUESTION, EXPLAINED_QUESTION]
            asyncio.run(_show_answers(vta, asked))
            courses = vta.stores.courses.courses()
            keys = {c.id: vta.stores.keys.make(c.id, Role.INSTRUCTOR)[0] for c in courses}
            address = f"http://127.0.0.1:{listener.getsockname()[1]}"
            admins_link = _admins_link(vta, address)
        show("")
        for course in courses:
            show(f"{course.name}: {address}/courses/{course.id}")
            show(f"  instructors: {address}/console/log-in with the key {keys[course.id]}")
        show(f"All courses in one log-in: {admins_link} sets the password of {DEMO_ADMIN}")
        vta = build_platform(read_settings(home, model))
        show(f"API: {address}/docs\n\nServing at {address}; stop with Ctrl-C.")
        if not no_open:
            _open_browser(f"{address}/courses/{DEMO_COURSES[0]}")
        serve_here(create_app(vta), vta.settings, listener)


def _admins_link(vta: Platform, address: str) -> str:
    """A link to set the password of the demo's admin, who is made where missing."""
    found = vta.stores.people.find(DEMO_ADMIN)
    admin = found or vta.stores.people.add(name="Admin", email=DEMO_ADMIN, role=PlatformRole.ADMIN)
    return password_address(vta, admin, address)


def serve(host: Host = "127.0.0.1", port: Port = 8000, workers: Workers = 1, home: Home = None) -> None:
    """Serve the dialogue API, the sidebar and the console. Example: vta serve --port 8000 --workers 2"""
    share_arenas()
    with listen(host, port) as listener:
        settings = read_settings(home)
        start_log(settings)
        address = f"http://{host}:{listener.getsockname()[1]}"
        console = f"instructors log in at {address}/console"
        if workers > 1:
            show(f"Serving at {address} with {workers} workers; {console}; stop with Ctrl-C.")
            serve_with_workers(settings, listener, workers=workers, home=home)
            return
        vta = build_platform(settings)
        show(f"Serving at {address}; {console}; stop with Ctrl-C.")
        serve_here(create_app(vta), settings, listener)


def _open_browser(address: str) -> None:
    """Open the address where there is a graphical browser; one in the terminal would take it over."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    if type(browser) is not webbrowser.GenericBrowser:
        browser.open(address)


async def _show_answers(vta: Platform, questions: Sequence[Question]) -> None:
    """Answers from a platform that will not be used again: its model's connections end with this loop."""
    try:
        for question in questions:
            show(f"\n? {question.text}\n")
            show_answer(await vta.assistant.answer(question))
    finally:
        if vta.model is not None:
            await vta.model.aclose()


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. asyncio sets TCP_NODELAY only where the protocol is named: without it, replies on a
    kept-alive connection wait some 40 ms for the client's delayed ACK."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise InvalidInput(
            Fault("option.port", host=host, port=port, reason=error.strerror or ""), field="port"
        ) from error
    return listener
