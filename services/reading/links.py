"""The links of a page that stay below an address and that robots.txt allows."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit
from urllib.robotparser import RobotFileParser

from vta.errors import InvalidInput
from vta.faults import Fault

AGENT = "vta-platform"
MOST_LINKS = 5_000
"""Of one page."""
MOST_RULES = 1_000
"""Of a robots.txt."""
_RULES = ("user-agent", "allow", "disallow")
_SAFE = "/:@!$&'()*+,;=~"


def links_of(page: bytes, address: str, *, below: str, robots: str) -> tuple[list[str], bool]:
    """Links without query, each once and resolved; and whether these are all, not the first `MOST_LINKS`.

    A link that is no address is left out. `InvalidInput` for a robots.txt of more than `MOST_RULES`.
    """
    rules = _rules(robots, below)
    parser = _Links()
    parser.feed(page.decode("utf-8", "replace"))
    found: dict[str, None] = {}
    for target in parser.found[:MOST_LINKS]:
        try:
            link = resolved(urljoin(address, target.strip()))
        except ValueError:
            continue
        if link.startswith(below) and not urlsplit(link).query and rules.can_fetch(AGENT, link):
            found[link] = None
    return list(found), len(parser.found) <= MOST_LINKS


def resolved(address: str) -> str:
    """An address without the part of a page, whose path has no `..`, however it is spelt.

    `ValueError` for what is no address.
    """
    parts = urlsplit(address)
    _ = parts.port
    segments: list[bytes] = []
    given = unquote_to_bytes(parts.path).replace(b"\\", b"/").split(b"/")
    for segment in given:
        if segment == b"..":
            del segments[max(1, len(segments) - 1) :]
        elif segment != b".":
            segments.append(segment)
    if given[-1] in (b".", b".."):
        segments.append(b"")
    path = quote(b"/".join(segments), safe=_SAFE)
    return parts._replace(netloc=parts.netloc.lower(), path=path or "/", fragment="").geturl()


def _rules(robots: str, address: str) -> RobotFileParser:
    lines = robots.splitlines()
    if sum(line.lstrip().lower().startswith(_RULES) for line in lines) > MOST_RULES:
        reason = f"more than {MOST_RULES} rules"
        raise InvalidInput(Fault("website.robots", address=address, reason=reason), field="address")
    rules = RobotFileParser()
    rules.parse(lines)
    return rules


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag == "a" and (target := dict(attributes).get("href")):
            self.found.append(target)
