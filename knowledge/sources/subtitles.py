"""Speech: cues of SRT and WebVTT as sentences with their seconds, and where the topic turns."""

from __future__ import annotations

import html
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import dropwhile, pairwise, takewhile
from pathlib import PurePosixPath
from typing import NamedTuple

from vta.errors import InvalidInput
from vta.faults import Fault
from vta.text import HAN, bigrams, normalise
from vta.types.answers import Block, Rejection
from vta.types.documents import SourceDocument
from vta.types.pairs import Locator

_TIME = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})"
_CUE_TIMES = re.compile(rf"^\s*{_TIME}\s*-->\s*{_TIME}(?:\s.*)?$")
_CLOCK = re.compile(r"\d:\d")
_MARKUP = re.compile(
    r"</?(?:[biusc]|ruby|rt)(?:\.[^\s>]*)?\s*>"  # <i>, <c.loud>
    r"|</?(?:font|lang|v)(?:[.\s][^>]*)?>"  # <v Principal>
    r"|<\d+:[\d:.]+>"  # <00:01.500>
    r"|\{\\(?:an?\d+|[bius]\d|pos\([^)]*\))\}",  # {\an8}
    re.IGNORECASE,
)
_SOUNDS = (
    "music|applause|laughter|laughs?|silence|inaudible|noise|clapping|cheering|crosstalk|pause|sighs?|coughs?"
)
_NO_SPEECH = re.compile(
    r"[♪♫♬♩][^♪♫♬♩]{0,300}[♪♫♬♩]|[♪♫♬♩]+"
    rf"|[\[(]\s*(?:\w+ ){{0,3}}(?:{_SOUNDS})(?: \w+){{0,3}}\s*[\])]"
    r"|[\[【(（]\s*\w{0,6}(?:音乐|掌声|笑声|鼓掌|噪音|静音|听不清)\w{0,4}\s*[\])】）]",
    re.IGNORECASE,
)
_SPEAKER = re.compile(
    r"^\s*(?:>>+\s*(?:[A-Z][\w.'’ -]{0,40}:\s*)?|-\s+(?=[A-Z\u4e00-\u9fff])|[A-Z][A-Z.'’ -]{2,40}:\s+)",
    re.MULTILINE,
)
_SENTENCE_ENDS = frozenset("。！？!?.…")
_CLOSING = "\"'”’)）"
MOST_CUES = 100_000
"""Of one file; three days of speech."""
_LONGEST_SENTENCE = 300
"""Letters, see `spoken_length`: some 20 seconds."""
_LONGEST_PAUSE_S = 3.0
_NO_PAUSE_S = 0.1


class Cue(NamedTuple):
    """A text spoken between two seconds. A file may have very many."""

    start_s: float
    end_s: float
    text: str


def read_subtitles(text: str, *, path: str) -> SourceDocument:
    """One block a sentence, with the video's name and the seconds of its first and last cue.

    A sentence ends at its punctuation, at a pause of three seconds, or after some 20 seconds where the speech
    has no punctuation. Markup, cue names, notes, styles, speakers and music are no speech. A cue whose times
    cannot be read is among `rejected`. Raises `InvalidInput` for a file without cues that can be read.
    """
    file = PurePosixPath(path)
    cues, rejected = read_cues(text, path=path, webvtt=file.suffix.lower() == ".vtt")
    if not cues:
        raise InvalidInput(rejected[0].fault if rejected else Fault("subtitles.no_cue").at(path, 1))
    blocks = tuple(sentences(cues, video=file.name))
    return SourceDocument(path=path, title=file.stem, blocks=blocks, rejected=tuple(rejected))


def read_cues(text: str, *, path: str, webvtt: bool) -> tuple[list[Cue], list[Rejection]]:
    """The cues with speech in order, and those whose times cannot be read, each with its line."""
    lines = text.split("\n")
    timings = [n for n, line in enumerate(lines) if "-->" in line and (webvtt or _is_timing(lines, n))]
    if len(timings) > MOST_CUES:
        line = timings[MOST_CUES] + 1
        raise InvalidInput(Fault("subtitles.too_many_cues", most=MOST_CUES).at(path, line))
    shown: list[Cue] = []
    rejected: list[Rejection] = []
    for n, following in pairwise((*timings, len(lines))):
        try:
            start_s, end_s = _times(lines[n], path, n + 1)
        except InvalidInput as error:
            rejected.append(Rejection(path=path, fault=error.fault, line=n + 1))
            continue
        body = lines[n + 1 : following]
        if webvtt:
            body = list(takewhile(str.strip, dropwhile(str.isspace, body)))
        elif following < len(lines) and body and body[-1].strip().isdigit():
            body.pop()  # the number of the next cue
        shown.append(Cue(start_s, end_s, _speech("\n".join(body))))
    return [cue._replace(text=" ".join(cue.text.split())) for cue in _once(shown) if cue.text], rejected


def _speech(text: str) -> str:
    """The lines of a cue that are speech, without their markup."""
    if "<" in text or "{" in text:
        text = _MARKUP.sub("", text)
    text = _SPEAKER.sub("", _NO_SPEECH.sub("", html.unescape(text)))
    return "\n".join(" ".join(line.split()) for line in text.split("\n") if line.strip())


def _once(shown: list[Cue]) -> list[Cue]:
    """The cues without the lines that still stand on the screen from the cue before.

    Lines roll where a quarter of the cues begin with the last lines of the cue before and go on; elsewhere a
    line that comes twice was said twice.
    """
    repeated = [0, *(_repeated(*pair) for pair in pairwise(shown))]
    rest = [cue.text.split("\n")[n:] for n, cue in zip(repeated, shown, strict=False)]
    rolling = sum(bool(n and lines) for n, lines in zip(repeated, rest, strict=False))
    if rolling < max(2, len(shown) / 4):
        return shown
    return [cue._replace(text="\n".join(lines)) for cue, lines in zip(shown, rest, strict=True)]


def _repeated(before: Cue, after: Cue) -> int:
    """The number of first lines that a cue repeats from the cue that ends where it starts."""
    if after.start_s - before.end_s > _NO_PAUSE_S:
        return 0
    above, below = before.text.split("\n"), after.text.split("\n")
    return next((n for n in range(len(below), 0, -1) if above[-n:] == below[:n]), 0)


def _is_timing(lines: list[str], n: int) -> bool:
    """True if a line of SRT with an arrow gives times; speech may hold arrows, too."""
    before = lines[n - 1].strip() if n else ""
    return not before or before.isdigit() or bool(_CLOCK.search(lines[n]))


def _times(line: str, path: str, number: int) -> tuple[float, float]:
    found = _CUE_TIMES.match(line)
    if not found:
        raise InvalidInput(Fault("subtitles.no_times", given=line.strip()[:60]).at(path, number))
    h1, m1, s1, f1, h2, m2, s2, f2 = found.groups("0")
    start_ms = ((int(h1) * 60 + int(m1)) * 60 + int(s1)) * 1000 + int(f1.ljust(3, "0"))
    end_ms = ((int(h2) * 60 + int(m2)) * 60 + int(s2)) * 1000 + int(f2.ljust(3, "0"))
    if end_ms < start_ms:
        raise InvalidInput(Fault("subtitles.ends_before_start").at(path, number))
    return start_ms / 1000, end_ms / 1000


def sentences(cues: Iterable[Cue], *, video: str, above: tuple[str, ...] = ()) -> Iterator[Block]:
    """The cues joined into sentences, see `read_subtitles`; `above` is their heading path."""
    spoken = ""
    start_s = end_s = 0.0
    for cue in cues:
        is_long = spoken_length(spoken) >= _LONGEST_SENTENCE
        if spoken and (is_long or _is_ended(spoken) or cue.start_s - end_s > _LONGEST_PAUSE_S):
            yield _block(spoken, video, above, start_s, end_s)
            spoken = ""
        start_s, end_s = (start_s, max(end_s, cue.end_s)) if spoken else (cue.start_s, cue.end_s)
        spoken = join_speech(spoken, cue.text)
    if spoken:
        yield _block(spoken, video, above, start_s, end_s)


def join_speech(before: str, after: str) -> str:
    """Two pieces of speech as one: Chinese without a space between them."""
    if not before or "\u3000" <= before[-1] <= "\u9fff" or "\uff00" <= before[-1] <= "\uffef":
        return before + after
    return f"{before} {after}"


def join_sentences(before: str, after: str) -> str:
    """Two sentences in a row; what has no punctuation at its end is a line."""
    return join_speech(before, after) if _is_ended(before) else f"{before}\n{after}"


def _is_ended(spoken: str) -> bool:
    return spoken.rstrip(_CLOSING)[-1:] in _SENTENCE_ENDS


def _block(text: str, video: str, above: tuple[str, ...], start_s: float, end_s: float) -> Block:
    place = Locator(heading_path=above, video=video, start_s=start_s, end_s=end_s)
    return Block(text=text, locator=place)


_PRICE = 2.0
"""Of a passage, in mean |v| of a sentence."""
MOST_SENTENCES = 60
"""Of a passage; speech of a word a sentence would take long to part."""
_HAN_CHARACTER = re.compile(f"[{HAN}]")
_WORD_OR_RUN = re.compile(rf"[^\W_{HAN}]+|[{HAN}]+")


def spoken_length(text: str) -> int:
    """The time to speak a text, in letters: a Chinese character takes as long as three."""
    return len(text) + 2 * len(_HAN_CHARACTER.findall(text))


def part_topics(sentences: Sequence[str], *, longest: int) -> list[range]:
    """The sentences as passages that hold together by their words, in order, none left out.

    The best parting has the highest sum of |v|, where v sums the words of a passage, each weighted by its
    rarity among the sentences, less a price for each passage, which is paid twice for one shorter than half
    of `longest` letters. Only a sentence that is longer by itself makes a longer passage. (Alemi and Ginsparg
    2015, "Text Segmentation based on Semantic Word Embeddings", with words in place of embeddings.)
    """
    weights = _weights(sentences)
    lengths = [spoken_length(sentence) + 1 for sentence in sentences]
    price = _PRICE * sum(next(_cohesion([each])) for each in weights) / max(len(weights), 1)
    best = [0.0, *[math.inf] * len(sentences)]
    begins = [0] * (len(sentences) + 1)
    for start in range(len(sentences)):
        size = -1
        for stop, holds in enumerate(_cohesion(weights[start : start + MOST_SENTENCES]), start=start + 1):
            size += lengths[stop - 1]
            if size > longest and stop > start + 1:
                break
            cost = best[start] + price * (1 + (2 * size < longest)) - holds
            if cost < best[stop]:
                best[stop], begins[stop] = cost, start
    stops = [len(sentences)]
    while stops[-1]:
        stops.append(begins[stops[-1]])
    return [range(start, stop) for start, stop in pairwise(reversed(stops))]


def _weights(sentences: Sequence[str]) -> list[dict[str, float]]:
    """The tf * idf of the words of each sentence; a word of Chinese is a pair of neighbouring characters."""
    counts = [Counter(_words(normalise(sentence))) for sentence in sentences]
    frequencies = Counter(word for count in counts for word in count)
    rarities = {word: math.log(len(counts) / frequency) for word, frequency in frequencies.items()}
    return [{word: n * rarities[word] for word, n in count.items()} for count in counts]


def _words(text: str) -> Iterator[str]:
    for run in _WORD_OR_RUN.findall(text):
        yield from bigrams(run) if _HAN_CHARACTER.match(run) else (run,)


def _cohesion(weights: Sequence[Mapping[str, float]]) -> Iterator[float]:
    """|v| of the first sentence, of the first two, and so on."""
    total: dict[str, float] = {}
    square = 0.0
    for sentence in weights:
        for word, weight in sentence.items():
            before = total.get(word, 0.0)
            total[word] = before + weight
            square += weight * (2 * before + weight)
        yield math.sqrt(square)
