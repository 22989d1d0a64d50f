"""Students for benchmarks/service.py, in a process of their own: HTTP/1.1 by plain sockets, a tenth of a
millisecond of processor time a request, so that they leave the cores to the server.

Reads a job as JSON from the standard input; writes how many seconds it took and the time of each reply.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle

SEED = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """`students` ask one after the other for `seconds`, or until `most` replies have come.

    With `rate`, questions come by chance, so many a second on average, and whoever is free asks them: the
    time of a reply begins when the question comes.
    """

    port: int
    asked: list[tuple[str, str]]
    students: int
    seconds: float
    most: int = 0
    rate: float = 0.0
    distinct: bool = False
    """Every question as of another page, so that no answer is one that was worked out before."""

    pause_s: float = 0.0
    """Between two events of a reply, for one who reads slowly and takes no more into memory."""


async def run(job: Job) -> list[float]:
    """The milliseconds of every reply."""
    taken: list[float] = []
    end = time.perf_counter() + job.seconds
    questions = _distinct(job.asked) if job.distinct else cycle([request(*each) for each in job.asked])
    arrivals = _arrivals(job.rate, end) if job.rate else None

    async def student() -> None:
        limit = 2**11 if job.pause_s else 2**16
        reader, writer = await asyncio.open_connection("127.0.0.1", job.port, limit=limit)
        while time.perf_counter() < end and not (job.most and len(taken) >= job.most):
            begun = time.perf_counter()
            if arrivals is not None:
                if (begun := next(arrivals, 0.0)) == 0.0:
                    break
                await asyncio.sleep(max(0.0, begun - time.perf_counter()))
            writer.write(next(questions))
            await read_reply(reader, job.pause_s)
            taken.append(1000 * (time.perf_counter() - begun))
        writer.close()

    await asyncio.gather(*(student() for _ in range(job.students)))
    return taken


def _arrivals(rate: float, end: float) -> Iterator[float]:
    """Times at which questions come: a Poisson process."""
    chance, at = random.Random(SEED), time.perf_counter()
    while (at := at + chance.expovariate(rate)) < end:
        yield at


def _distinct(asked: list[tuple[str, str]]) -> Iterator[bytes]:
    for page, (path, body) in enumerate(cycle(asked), start=random.SystemRandom().randrange(1, 10**5)):
        yield request(path, json.dumps({**json.loads(body), "position": {"page": page}}))


def request(path: str, body: str) -> bytes:
    """A POST of JSON."""
    raw = body.encode()
    head = ("POST {} HTTP/1.1", "Host: a", "Content-Type: application/json", "Content-Length: {}", "\r\n")
    return "\r\n".join(head).format(path, len(raw)).encode() + raw


async def read_reply(reader: asyncio.StreamReader, pause_s: float = 0.0) -> bytes:
    """The body of a reply of 200, whole or in chunks."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    if not head.startswith(b"http/1.1 200"):
        raise RuntimeError(head.decode(errors="replace"))
    if b"content-length:" in head:
        return await reader.readexactly(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))
    body = bytearray()
    while size := int(await reader.readline(), 16):
        body += (await reader.readexactly(size + 2))[:-2]
        if pause_s:
            await asyncio.sleep(pause_s)
    await reader.readexactly(2)
    return bytes(body)


if __name__ == "__main__":
    given = json.load(sys.stdin)
    began = time.perf_counter()
    times = asyncio.run(run(Job(**given)))
    json.dump(
        {"seconds": time.perf_counter() - began, "taken_ms": [round(each, 2) for each in times]}, sys.stdout
    )
