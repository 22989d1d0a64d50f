"""A small website on this machine, whose pages a test may change."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass(slots=True)
class Site:
    """`pages` by path; what is not there is 404, a number is a status."""

    pages: dict[str, str | bytes | int]
    address: str = ""
    asked: list[str] = field(default_factory=list)


@contextmanager
def run_site(pages: dict[str, str | bytes | int]) -> Iterator[Site]:
    site = Site(pages)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append(self.path)
            found = site.pages.get(self.path, 404)
            body = found.encode() if isinstance(found, str) else b"" if isinstance(found, int) else found
            self.send_response(found if isinstance(found, int) else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        site.address = f"http://127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever, daemon=True).start()
        yield site
        server.shutdown()


def page(title: str, text: str, *links: str) -> str:
    """A page of HTML with its links."""
    listed = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    return f"<!doctype html><title>{title}</title><h1>{title}</h1><p>{text}</p><ul>{listed}</ul>"
