"""Distil the shipped sentence encoder, a table of token vectors for Chinese and English in one space.

python -m benchmarks encoder_training TEACHERS TEXTS OUT.npz

TEACHERS holds bge-small-zh and minilm-en as sentence-transformers folders, TEXTS the sources that
`encoder_texts.py` reads. Steps: a vocabulary; the teachers' embeddings of its tokens and of some texts, put
into one space by the translations among them; then the table learns these targets and, by InfoNCE (van den
Oord et al. 2018) with the other texts of a batch as negatives, what belongs together. As in model2vec and
tokenlearn (Minish Lab 2024), but for two languages. About 15 minutes of processor time.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import torch
from torch.nn.functional import cross_entropy, embedding_bag, normalize

from benchmarks.encoder_teachers import Floats, Teachers, first_table, vocabulary
from benchmarks.encoder_texts import HAN, Kind, TextPair, read_pairs, read_titles
from knowledge.vectors.caching import CachedEmbedder
from knowledge.vectors.local_model import LocalEmbedder
from knowledge.vectors.token_table import make_tokenizer
from vta.text import normalise

Tokenize = Callable[[Sequence[str]], list[list[int]]]

SEED = 0
MOST = 15_000
"""Pairs of one source and kind, glosses apart."""
TAUGHT: dict[Kind, int] = {"translation": 2_000, "question": 1_000, "heading": 3_000, "sentence": 2_500}
"""Pairs of each kind whose texts the teachers embed."""
TAUGHT_CHARACTERS = {True: 160, False: 500}
"""Of a text, Chinese or not."""
BATCH: dict[Kind, int] = {"translation": 512, "heading": 512, "question": 512, "sentence": 512, "gloss": 1024}
EPOCHS = 3
RATE = 3e-3
TEMPERATURE = 0.05
TAUGHT_BATCH = 256
DISTANCE = 5.0
"""Weight of the distance to the teachers' vectors beside InfoNCE."""


def chosen_pairs(folder: Path) -> list[TextPair]:
    """At most `MOST` pairs of each source and kind, in an order that hangs on each pair alone."""
    pairs = sorted(
        set(read_pairs(folder)), key=lambda pair: (crc32((pair.left + pair.right).encode()), pair.left)
    )
    seen = Counter[tuple[str, Kind]]()
    chosen = []
    for pair in pairs:
        seen[pair.source, pair.kind] += 1
        if pair.kind == "gloss" or seen[pair.source, pair.kind] <= MOST:
            chosen.append(pair)
    return chosen


class Bags:
    """Texts as bags of tokens, for `torch.nn.functional.embedding_bag`."""

    def __init__(self, texts: Sequence[str], tokenize: Tokenize) -> None:
        self._ids = [np.array(ids or [0]) for ids in tokenize(texts)]

    def rows(self, table: torch.Tensor, places: Sequence[int]) -> torch.Tensor:
        chosen = [self._ids[n] for n in places]
        starts = np.cumsum([0, *(len(each) for each in chosen[:-1])])
        ids = torch.from_numpy(np.concatenate(chosen))
        return normalize(embedding_bag(ids, table, torch.from_numpy(starts), mode="sum", sparse=True))


def info_nce(left: torch.Tensor, right: torch.Tensor, same: torch.Tensor) -> torch.Tensor:
    """Symmetric; what is the same text as the right one is no negative."""
    scores = (left @ right.T / TEMPERATURE).masked_fill(same, -1e4)
    wanted = torch.arange(len(scores))
    return (cross_entropy(scores, wanted) + cross_entropy(scores.T, wanted)) / 2


def train(
    table: Floats, pairs: Sequence[TextPair], taught: Sequence[str], targets: Floats, tokenize: Tokenize
) -> Iterator[Floats]:
    """The table after each epoch. Each batch: pairs of one kind, and texts with their teachers' vectors."""
    rng = random.Random(SEED)
    weights = torch.from_numpy(table.copy()).requires_grad_()
    optimizer = torch.optim.SparseAdam([weights], lr=RATE)
    aims = torch.from_numpy(targets)
    taught_bags = Bags(taught, tokenize)
    left, right = (Bags([getattr(pair, side) for pair in pairs], tokenize) for side in ("left", "right"))
    number = {text: n for n, text in enumerate({t for p in pairs for t in (p.left, p.right)})}
    same_left, same_right = (
        torch.tensor([number[getattr(pair, side)] for pair in pairs]) for side in ("left", "right")
    )
    steps, total = 0, 0
    for epoch in range(EPOCHS):
        batches = list(epoch_batches(pairs, rng))
        total = total or len(batches) * EPOCHS
        losses = Counter[str]()
        for kind, batch in batches:
            for group in optimizer.param_groups:
                group["lr"] = RATE * (1 - steps / total)
            steps += 1
            same = torch.zeros(len(batch), len(batch), dtype=torch.bool)
            for ids in (same_left[batch], same_right[batch]):
                same |= ids[:, None] == ids[None, :]
            same.fill_diagonal_(False)
            loss = info_nce(left.rows(weights, batch), right.rows(weights, batch), same)
            chosen = rng.sample(range(len(taught)), TAUGHT_BATCH)
            distance = (1 - (taught_bags.rows(weights, chosen) * aims[chosen]).sum(dim=1)).mean()
            losses.update({kind: loss.item(), f"{kind} n": 1, "distance": distance.item(), "distance n": 1})
            optimizer.zero_grad()
            (loss + DISTANCE * distance).backward()
            optimizer.step()
        means = {k: round(losses[k] / losses[f"{k} n"], 3) for k in (*BATCH, "distance") if losses[f"{k} n"]}
        print(epoch, means, flush=True)
        yield weights.detach().numpy()


def epoch_batches(pairs: Sequence[TextPair], rng: random.Random) -> list[tuple[Kind, list[int]]]:
    """Each pair once, in batches of one kind."""
    batches: list[tuple[Kind, list[int]]] = []
    for kind, size in BATCH.items():
        places = [n for n, pair in enumerate(pairs) if pair.kind == kind]
        rng.shuffle(places)
        batches += [(kind, places[n : n + size]) for n in range(0, len(places), size)]
    rng.shuffle(batches)
    return batches


def write_table(out: Path, frequencies: Mapping[str, float], table: Floats) -> None:
    """Row 0, for text of which no token is known, is the mean of the others."""
    table = np.concatenate([table.mean(axis=0, keepdims=True), table])
    scales = (np.abs(table).max(axis=1) / 127).astype(np.float16)
    tokens = "\n".join(["<unk>", *frequencies]).encode()
    np.savez_compressed(
        out,
        tokens=np.frombuffer(tokens, dtype=np.uint8),
        scores=scores(frequencies),
        table=np.rint(table / scales.astype(np.float32)[:, None]).clip(-127, 127).astype(np.int8),
        scales=scales,
    )


def scores(frequencies: Mapping[str, float]) -> Floats:
    return np.log(np.array([1e-9, *frequencies.values()], dtype=np.float32))


def run(
    teachers: Path, texts: Path, table_file: Path, *, cache: Path = Path(".encoder-cache")
) -> dict[str, Any]:
    """Writes the table into `table_file`."""
    torch.set_num_threads(1)
    pairs = chosen_pairs(texts)
    chinese, english = (
        CachedEmbedder(LocalEmbedder(teachers / name), cache) for name in ("bge-small-zh", "minilm-en")
    )
    frequencies = vocabulary(pairs, teachers / "minilm-en")
    short = [TextPair(p.source, p.kind, cut(p.left), cut(p.right)) for p in pairs]
    chosen = {kind: [pair for pair in short if pair.kind == kind][:most] for kind, most in TAUGHT.items()}
    taught_by = Teachers(chinese, english, chosen["translation"])
    glosses = [pair for pair in pairs if pair.kind == "gloss"]
    table = first_table(frequencies, glosses, taught_by)
    titles = read_titles(texts)
    taught = sorted(
        {text for some in chosen.values() for pair in some for text in (pair.left, pair.right)} | {*titles}
    )
    targets = taught_by.embed(taught)
    tokenizer = make_tokenizer(["<unk>", *frequencies], scores(frequencies).tolist())

    def tokenize(some: Sequence[str]) -> list[list[int]]:
        encoded = tokenizer.encode_batch_fast([normalise(text) for text in some])
        return [[n - 1 for n in each.ids if n] for each in encoded]

    for trained in train(table, pairs, taught, targets, tokenize):
        write_table(table_file, frequencies, trained)
    return {"pairs": len(pairs), "tokens": len(frequencies), "bytes": table_file.stat().st_size}


def cut(text: str) -> str:
    return text[: TAUGHT_CHARACTERS[bool(HAN.search(text))]]
