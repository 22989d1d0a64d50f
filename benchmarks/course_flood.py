"""How much slower a course answers while another one is flooded, over real sockets.

python -m benchmarks course_flood [--seconds 15] [--rounds 3] [--workers 1]

`vta serve` over the two sample courses, filled up to 2,000 pairs each, with a language model that writes 20
tokens a second. A student asks the calm course for direct answers, one after the other, and somebody asks
/healthz ten times a second: first alone, then while 20 clients ask the other course without a pause and 64
streams of it are under way, half of which are read slowly. Alone and beside in turns, so that whatever else
the machine does meets both alike. Clients and model are processes of their own on the same cores.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.service import ASKED, Asked, make_home, routes, serve, vta_request
from benchmarks.service_load import Job
from vta.languages import Language

CALM, FLOODED = "machine-learning-en", "data-structures-zh"
CLIENTS, STREAMS = 20, 64
EVERY_S = 0.1
MODEL = """
import asyncio, json, sys

SENTENCES = ["栈是一种后进先出的线性表。", "队列是先进先出的线性表，", "它们只在端点插入和删除元素。"]

async def serve(reader, writer):
    try:
        while head := await reader.readuntil(b"\\r\\n\\r\\n"):
            length = int(head.lower().split(b"content-length:")[1].split(b"\\r\\n")[0])
            await reader.readexactly(length)
            writer.write(b"HTTP/1.1 200 OK\\r\\ncontent-type: text/event-stream\\r\\n")
            writer.write(b"transfer-encoding: chunked\\r\\n\\r\\n")
            for n in range(80):
                text = (SENTENCES[n // 13 % 3] * 2)[n % 13 : n % 13 + 1]
                send(writer, {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]})
                await writer.drain()
                await asyncio.sleep(0.05)
            send(writer, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
            chunk(writer, b"data: [DONE]\\n\\n")
            chunk(writer, b"")
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()

def send(writer, body):
    named = {"id": "a", "object": "chat.completion.chunk", "created": 0, "model": "slow", **body}
    chunk(writer, b"data: " + json.dumps(named).encode() + b"\\n\\n")

def chunk(writer, data):
    writer.write(b"%x\\r\\n" % len(data) + data + b"\\r\\n")

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""
"""A server of OpenAI's API that streams 80 tokens, 20 a second."""


def run(*, seconds: float = 15.0, rounds: int = 3, workers: int = 1) -> dict[str, Any]:
    """Times in milliseconds; `seconds` of each measurement."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "home"
        questions = make_home(home)
        model = {
            "VTA_LLM_BASE_URL": f"http://127.0.0.1:{stack.enter_context(slow_model())}/v1",
            "VTA_LLM_MODEL": "slow",
            "VTA_LLM_TIMEOUT_S": "120",
        }
        port, _ = stack.enter_context(serve(home, workers, **model))
        faq = [each for each in questions if not asks_why(each)]
        found = asyncio.run(routes(port, faq))
        direct = [each for each in faq if found[each] == "direct"]
        taught = [each for each in questions if asks_why(each) and each[0] == FLOODED]
        measured = [measure(port, direct, taught, seconds) for _ in range(rounds)]
    ratios = [each["ratio_p95"] for each in measured]
    return {"workers": workers, "ratio_p95": statistics.median(ratios), "rounds": measured}


def asks_why(asked: Asked) -> bool:
    """Whether a question is one of those made of a concept's name, which are taught."""
    ends = [form.split("{}") for form in (*ASKED[Language.ZH], *ASKED[Language.EN])]
    return any(asked[1].startswith(before) and asked[1].endswith(after) for before, after in ends)


def measure(port: int, direct: list[Asked], taught: list[Asked], seconds: float) -> dict[str, Any]:
    """The calm course and /healthz, alone and beside the flood, and how the flood fared."""
    calm = [vta_request(*each) for each in direct if each[0] == CALM]
    flood = [vta_request(*each) for each in direct if each[0] == FLOODED]
    streams = [vta_request(*each, stream=True) for each in taught]
    student = Job(port=port, asked=calm, students=1, seconds=seconds)
    alone = run_beside({"calm": student}, port)
    longer = seconds + 4  # so that it is there before the others begin, and until they end
    beside = run_beside(
        {
            "calm": student,
            "flood": Job(port=port, asked=flood, students=CLIENTS, seconds=longer),
            "streams": Job(port=port, asked=streams, students=STREAMS // 2, seconds=longer),
            "slow readers": Job(port=port, asked=streams, students=STREAMS // 2, seconds=longer, pause_s=0.1),
        },
        port,
        wait_s=2.0,
    )
    ratio = beside["calm"]["p95"] / alone["calm"]["p95"]
    return {"alone": alone, "beside": beside, "ratio_p95": round(ratio, 2)}


def run_beside(jobs: dict[str, Job], port: int, wait_s: float = 0.0) -> dict[str, dict[str, float]]:
    """All jobs at once, the calm one after a while, and /healthz as long as that one runs."""
    running = {name: start(job) for name, job in jobs.items() if name != "calm"}
    time.sleep(wait_s)
    calm = start(jobs["calm"])
    healthz = asyncio.run(ask_healthz(port, jobs["calm"].seconds))
    found = {"calm": summary(finish(calm)), "healthz": summary(healthz)}
    return found | {name: summary(finish(each)) for name, each in running.items()}


def start(job: Job) -> subprocess.Popen[str]:
    command = [sys.executable, str(Path(__file__).with_name("service_load.py"))]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    process.stdin.write(json.dumps(asdict(job)))
    process.stdin.close()
    process.stdin = None
    return process


def finish(process: subprocess.Popen[str]) -> list[float]:
    told, _ = process.communicate()
    if process.returncode:
        raise RuntimeError("the clients of a job failed")
    taken: list[float] = json.loads(told)["taken_ms"]
    return taken


async def ask_healthz(port: int, seconds: float) -> list[float]:
    """Milliseconds of each reply, on a connection of its own that is kept."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    taken, end = [], time.perf_counter() + seconds
    while (begun := time.perf_counter()) < end:
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
        await reader.readuntil(b"}")
        taken.append(1000 * (time.perf_counter() - begun))
        await asyncio.sleep(EVERY_S)
    writer.close()
    return taken


def summary(taken: list[float]) -> dict[str, float]:
    if len(taken) < 2:
        return {"n": len(taken)}
    cuts = statistics.quantiles(taken, n=20)
    return {
        "n": len(taken),
        "p50": round(cuts[9], 1),
        "p95": round(cuts[18], 1),
        "most": round(max(taken), 1),
    }


@contextmanager
def slow_model() -> Iterator[int]:
    """The port of the model."""
    with subprocess.Popen([sys.executable, "-c", MODEL], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        try:
            yield int(running.stdout.readline())
        finally:
            running.terminate()
