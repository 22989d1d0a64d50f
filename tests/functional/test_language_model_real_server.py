"""Our client against `transformers serve`: an OpenAI-compatible server that we did not write.

The model is a tiny random Llama with a word tokenizer, made here; nothing is downloaded.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from local_http import free_port

from services.dialogue.transcripts import ask_transcript
from services.language_model.client import OpenAiLanguageModel
from vta.errors import AnswerCutShort, UpstreamFailed
from vta.quotes import Line
from vta.types.language_model import ChatMessage, ModelUsage

NEEDED = ("torch", "transformers", "accelerate", "fastapi", "uvicorn", "openai")
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]

pytestmark = [
    pytest.mark.train,
    pytest.mark.server,
    pytest.mark.skipif(
        bool(MISSING),
        reason=f"transformers serve not proven: {', '.join(MISSING)} missing, install transformers[serving]",
    ),
]

MESSAGES = (
    ChatMessage(role="system", content="you are a teaching assistant"),
    ChatMessage(role="user", content="what is a binary search tree"),
)
PROMPT_TOKENS = 16  # 5 + 6 words, three role marks, two ends
START_S = 240.0  # 14 s on two idle cores
WORDS = 8
"""After so many the model ends its answer."""
SPECIALS = ("<pad>", "<unk>", "<s>", "</s>", "<|system|>", "<|user|>", "<|assistant|>")
END = SPECIALS.index("</s>")
TEMPLATE = (
    "{% for m in messages %}<|{{ m['role'] }}|> {{ m['content'] }} </s> {% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def save_tiny_chat_model(folder: Path) -> None:
    """A random two-layer Llama that picks no special token but its end, with the tokenizer of a few words."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    text = "you are a teaching assistant what is binary search tree every node has two children and one key"
    words = [*SPECIALS, *dict.fromkeys(text.split())]
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        chat_template=TEMPLATE,
    ).save_pretrained(folder)
    torch.manual_seed(7)
    config = LlamaConfig(
        vocab_size=len(words),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=256,
        pad_token_id=0,
        bos_token_id=2,
        eos_token_id=3,
        tie_word_embeddings=False,
    )
    model = LlamaForCausalLM(config)
    with torch.no_grad():
        model.lm_head.weight[: len(SPECIALS)] = 0.0
        model.lm_head.weight[END] = model.lm_head.weight[-1] / 1000
    model.generation_config.exponential_decay_length_penalty = (WORDS, 1e9)
    model.save_pretrained(folder)


def wait_until_healthy(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"transformers serve did not start:\n{log.read_text(errors='replace')[-3000:]}")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Base URL and model name of a running `transformers serve`."""
    folder = tmp_path_factory.mktemp("tiny-llama")
    home = tmp_path_factory.mktemp("hf-home")
    (home / "hub").mkdir()  # `GET /v1/models` lists this cache and fails where there is none
    log = home / "server.log"
    save_tiny_chat_model(folder)
    port = free_port()
    environment = {
        **os.environ,
        "HF_HOME": str(home),
        "HF_HUB_OFFLINE": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-c", "from transformers.cli.transformers import main; main()", "serve"]
    command += [str(folder), "--device", "cpu", "--host", "127.0.0.1", "--port", str(port)]
    with log.open("wb") as output:
        server = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=environment)
        try:
            wait_until_healthy(f"http://127.0.0.1:{port}/health", server, log)
            yield f"http://127.0.0.1:{port}/v1", str(folder)
        finally:
            server.terminate()
            try:
                server.wait(timeout=10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


@pytest.fixture
async def model(served: tuple[str, str]) -> AsyncIterator[OpenAiLanguageModel]:
    base_url, name = served
    model = OpenAiLanguageModel(base_url=base_url, api_key="", model=name, timeout_s=60.0, max_tokens=32)
    yield model
    await model.aclose()


async def test_complete_returns_what_the_model_generated(model: OpenAiLanguageModel) -> None:
    completion = await model.complete(MESSAGES)
    assert WORDS <= len(completion.text.split()) < 32
    assert completion.completion_tokens - len(completion.text.split()) in (0, 1)  # its end may count
    assert completion.prompt_tokens == PROMPT_TOKENS  # so the server's template saw both messages, whole


async def test_stream_gives_the_words_of_complete_one_by_one(model: OpenAiLanguageModel) -> None:
    whole = [piece async for piece in model.stream(MESSAGES)]
    pieces = [piece async for piece in model.stream(MESSAGES)]
    assert len(pieces) > 1
    assert whole == ["".join(pieces)], "the first reply of a model comes in one piece"
    assert "".join(pieces) == (await model.complete(MESSAGES)).text


async def test_the_server_serves_on_after_a_reader_left(model: OpenAiLanguageModel) -> None:
    async with contextlib.aclosing(model.stream(MESSAGES)) as pieces:
        assert await anext(pieces)
    assert (await model.complete(MESSAGES)).text


async def test_the_running_server_is_reachable_and_its_tiny_model_found_too_small(
    model: OpenAiLanguageModel, served: tuple[str, str]
) -> None:
    checked = await model.check()
    assert checked.lists(served[1])
    assert not checked.is_grounded


async def test_a_model_that_the_server_does_not_have_is_not_accepted(served: tuple[str, str]) -> None:
    model = OpenAiLanguageModel(base_url=served[0], api_key="", model="other", timeout_s=60.0)
    try:
        with pytest.raises(UpstreamFailed, match="did not accept the request"):
            await model.complete(MESSAGES)
    finally:
        await model.aclose()


async def test_a_model_that_cannot_fill_in_a_form_is_counted_and_decides_nothing(
    model: OpenAiLanguageModel,
) -> None:
    """It is asked once and once more to mend the form; the passages are shown instead of its words."""
    answer = await ask_transcript(
        [Line(text="A binary search tree has two children.", start=3.0)],
        "is every node a tree",
        method="naive",
        model=model,
        context_tokens=400,
        output_tokens=16,
    )
    assert (answer.answer, answer.calls, answer.chunks) == ("unknown", 2, 1)
    assert answer.tokens > 2 * PROMPT_TOKENS
    assert answer.degraded is not None
    assert [quote.start for quote in answer.quotes] == [3.0]


async def test_the_server_counts_the_tokens_of_a_stream(served: tuple[str, str]) -> None:
    noted: list[ModelUsage] = []

    class Notes:
        def record(self, usage: ModelUsage) -> None:
            noted.append(usage)

    model = OpenAiLanguageModel(
        base_url=served[0], api_key="", model=served[1], timeout_s=60.0, max_tokens=8, meter=Notes()
    )
    try:
        with contextlib.suppress(AnswerCutShort):
            async for _ in model.stream(MESSAGES):
                pass
    finally:
        await model.aclose()
    (usage,) = noted
    assert (usage.calls, usage.uncounted, usage.prompt_tokens) == (1, 0, PROMPT_TOKENS)
    assert usage.completion_tokens == 8


async def test_an_answer_that_the_server_cuts_is_told_apart(served: tuple[str, str]) -> None:
    model = OpenAiLanguageModel(base_url=served[0], api_key="", model=served[1], timeout_s=60.0, max_tokens=4)
    try:
        with pytest.raises(AnswerCutShort):
            await model.complete(MESSAGES)
    finally:
        await model.aclose()
