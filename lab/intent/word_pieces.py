"""Training a tokenizer: a vocabulary of word pieces; equal texts give an equal one.

The trainer of the `tokenizers` library breaks ties by the order of a hash table, differently in each run.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from intent.encoding import SPECIAL_TOKENS

PREFIX = "##"
_LEAST = 2
_SYMBOL = r"\p{So}|\p{Sk}|[\x{FE0F}\x{200D}]"
_EMOJI = (*range(0x1F600, 0x1F650), *range(0x1F910, 0x1F930), *range(0x1F440, 0x1F450), 0x2764, 0x1F389)

Pair = tuple[str, str]


def choose_pieces(words: Mapping[str, int], size: int, common: Iterable[str]) -> list[str]:
    """At most `size` pieces for words with their counts: `common` characters, the frequent characters (a
    piece inside a word begins with ##), then what byte-pair merging joins, most frequent first, ties in
    the order of the pieces. Characters and merges that occur once are left out.
    """
    split = {word: [word[0], *(PREFIX + letter for letter in word[1:])] for word in sorted(words) if word}
    counts: Counter[str] = Counter()
    for word, parts in split.items():
        for part in parts:
            counts[part] += words[word]
    frequent = sorted((part for part, n in counts.items() if n >= _LEAST), key=lambda p: (-counts[p], p))
    chosen = dict.fromkeys([*common, *frequent])
    pieces = list(chosen)[: size * 7 // 8]
    known = set(pieces)
    usable = [
        (parts, words[word]) for word, parts in split.items() if len(parts) > 1 and known.issuperset(parts)
    ]
    merged = _merge(usable, size - len(pieces))
    return [*pieces, *(piece for piece in merged if piece not in known)]


def _merge(words: Sequence[tuple[list[str], int]], wanted: int) -> list[str]:
    """The pieces of the `wanted` most frequent merges, in their order; changes the lists of parts."""
    counts: Counter[Pair] = Counter()
    places: defaultdict[Pair, set[int]] = defaultdict(set)
    for number, (parts, count) in enumerate(words):
        for pair in pairwise(parts):
            counts[pair] += count
            places[pair].add(number)
    heap = [(-count, pair) for pair, count in counts.items()]
    heapq.heapify(heap)
    pieces: dict[str, None] = {}
    while heap and len(pieces) < wanted:
        count, pair = heapq.heappop(heap)
        if -count != counts[pair]:
            if counts[pair] >= _LEAST:
                heapq.heappush(heap, (-counts[pair], pair))
            continue
        if -count < _LEAST:
            break
        joined = pair[0] + pair[1].removeprefix(PREFIX)
        pieces[joined] = None
        for number in sorted(places.pop(pair)):
            parts, weight = words[number]
            counts.subtract({old: weight * n for old, n in Counter(pairwise(parts)).items()})
            parts[:] = _join(parts, pair, joined)
            for new, n in Counter(pairwise(parts)).items():
                counts[new] += weight * n
                places[new].add(number)
                if joined in new:
                    heapq.heappush(heap, (-counts[new], new))
    return list(pieces)


def _join(parts: Sequence[str], pair: Pair, joined: str) -> list[str]:
    """The parts with every occurrence of the pair joined, from the left."""
    done: list[str] = []
    for part in parts:
        if done and (done[-1], part) == pair:
            done[-1] = joined
        else:
            done.append(part)
    return done


def train_tokenizer(texts: Iterable[str], size: int) -> Tokenizer:
    """A BERT-style WordPiece tokenizer: one token a Chinese character, lower-cased pieces of other words.

    Texts are brought to NFKC first. Ids follow the order of the pieces, so equal texts give equal ids.
    """
    words: Counter[str] = Counter()
    shell = _build_tokenizer(models.WordPiece({"[UNK]": 0}, unk_token="[UNK]"))  # noqa: S106
    for text in texts:
        plain = shell.normalizer.normalize_str(text)
        words.update(word for word, _ in shell.pre_tokenizer.pre_tokenize_str(plain))
    room = size - len(SPECIAL_TOKENS)
    pieces = choose_pieces(words, room, _list_common_characters()[: room // 2])
    return read_word_pieces([*SPECIAL_TOKENS, *sorted(pieces)])


def _list_common_characters() -> list[str]:
    """Letters, digits, emoji faces and the first level of GB 2312: in the vocabulary whatever the texts."""
    plain = [chr(number) for number in (*range(33, 65), *range(91, 127), *_EMOJI)]
    pairs = ((row, cell) for row in range(0xB0, 0xD8) for cell in range(0xA1, 0xFF))
    return plain + [bytes(pair).decode("gb2312", "ignore") for pair in pairs if pair < (0xD7, 0xFA)]


def read_word_pieces(vocabulary: Sequence[str]) -> Tokenizer:
    """The tokenizer of a `vocab.txt`, whose line numbers are the ids."""
    numbers = {piece: number for number, piece in enumerate(vocabulary)}
    return _build_tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))  # noqa: S106


def _build_tokenizer(model: models.Model) -> Tokenizer:
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.NFKC(),
            normalizers.BertNormalizer(
                clean_text=True, handle_chinese_chars=True, strip_accents=True, lowercase=True
            ),
        ]
    )
    symbols = pre_tokenizers.Split(Regex(_SYMBOL), "isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([symbols, pre_tokenizers.BertPreTokenizer()])
    return tokenizer
