"""Makes the lecture that the page of each sample course plays, from its captions and the slides beside this.

    sudo apt-get install espeak-ng ffmpeg; pip install pypinyin
    .venv/bin/python benchmarks/demo_lectures/make.py

espeak-ng speaks each sentence of the captions at its second; Chromium draws the slides; ffmpeg joins them as
VP9 and Opus. Mandarin is read as pinyin, which pypinyin writes. The text, the slides and so the lectures are
this project's own.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import wave
from array import array
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import sync_playwright

from knowledge.sources.subtitles import read_subtitles
from vta.types.answers import Block

HERE = Path(__file__).parent
COURSES = HERE.parents[1] / "services" / "demo" / "courses"
LECTURES = {"machine-learning-en": "04-walking-downhill.srt", "data-structures-zh": "04-stack.srt"}
VOICES = {"machine-learning-en": "en-gb", "data-structures-zh": "cmn-latn-pinyin"}
SPEEDS = range(145, 300, 10)
"""Words a minute; the first at which a sentence ends before the next begins."""
RATE = 22_050
"""Samples a second of espeak-ng."""
AUDIO_BITRATE = "6500"
AFTER_LAST_S = 6.0
STILL_S = 5.0


def main() -> None:
    """Make both lectures."""
    for course, subtitles in LECTURES.items():
        path = COURSES / course / "material" / "subtitles" / subtitles
        blocks = read_subtitles(path.read_text(encoding="utf-8"), path=path.name).blocks
        starts = [block.locator.start_s or 0.0 for block in blocks]
        ends = [*starts[1:], starts[-1] + AFTER_LAST_S]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            speech = speak(blocks, starts, ends, VOICES[course], folder)
            slides = draw(HERE / f"{course}.html", folder)
            out = COURSES / course / "lectures" / path.with_suffix(".webm").name
            out.parent.mkdir(exist_ok=True)
            join(slides, [0.0, *(starts[number - 1] for number, _ in slides[1:])], ends[-1], speech, out)
        sys.stdout.write(f"{out} {out.stat().st_size}\n")


def speak(
    blocks: tuple[Block, ...], starts: list[float], ends: list[float], voice: str, folder: Path
) -> Path:
    """The sentences, each from its second on."""
    track = array("h", bytes(2 * int(ends[-1] * RATE)))
    for block, start, end in zip(blocks, starts, ends, strict=True):
        words = pinyin(block.text) if voice.startswith("cmn") else block.text
        for speed in SPEEDS:
            spoken = say(words, voice, speed, folder / "spoken.wav")
            if len(spoken) <= (end - start) * RATE:
                break
        first = int(start * RATE)
        said = spoken[: len(track) - first]
        track[first : first + len(said)] = said
    path = folder / "speech.wav"
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(track.tobytes())
    return path


def say(words: str, voice: str, speed: int, path: Path) -> array[int]:
    """The samples of the words, without the silence after them."""
    subprocess.run(["espeak-ng", "-v", voice, "-s", str(speed), "-z", "-w", str(path), words], check=True)
    with wave.open(str(path)) as spoken:
        return array("h", spoken.readframes(spoken.getnframes()))


def pinyin(text: str) -> str:
    """Chinese as espeak-ng reads it: syllables with the number of their tone."""
    from pypinyin import Style, lazy_pinyin

    spoken = lazy_pinyin(text, style=Style.TONE3, neutral_tone_with_five=True, tone_sandhi=True)
    return " ".join(spoken).replace("(", " ").replace(")", " ")


def draw(page_file: Path, folder: Path) -> list[tuple[int, Path]]:
    """The slides as pictures, each with the number of its first sentence."""
    drawn = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(page_file.as_uri())
        for slide in page.locator("section").all():
            path = folder / f"slide-{len(drawn):02}.png"
            slide.screenshot(path=str(path))
            drawn.append((int(slide.get_attribute("data-from") or 1), path))
        browser.close()
    return drawn


def join(slides: list[tuple[int, Path]], starts: list[float], end: float, speech: Path, out: Path) -> None:
    """One WebM; a slide is a picture every `STILL_S`, which costs some 30 bytes where nothing changes."""
    lines = ["ffconcat version 1.0"]
    for (_, path), (begin, until) in zip(slides, pairwise([*starts, end]), strict=True):
        whole, rest = divmod(until - begin, STILL_S)
        for duration in [*[STILL_S] * int(whole), rest]:
            lines += [f"file {path.name}", f"duration {duration:.3f}"]
    lines.append(f"file {slides[-1][1].name}")
    listing = speech.with_name("slides.txt")
    listing.write_text("\n".join(lines), encoding="utf-8")
    sources = ["-f", "concat", "-i", str(listing), "-i", str(speech), "-fps_mode", "vfr"]
    video = ["-c:v", "libvpx-vp9", "-crf", "60", "-b:v", "0", "-g", "9999", "-tune-content", "screen"]
    video += ["-auto-alt-ref", "0", "-lag-in-frames", "0", "-cpu-used", "1"]
    audio = ["-c:a", "libopus", "-b:a", AUDIO_BITRATE, "-application", "voip", "-frame_duration", "60"]
    command = ["ffmpeg", "-v", "error", "-y", *sources, *video, *audio, "-t", f"{end:.2f}", str(out)]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
